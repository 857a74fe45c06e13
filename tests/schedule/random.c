/* Properties over thousands of seeded random schedules: what is printed is read back as equal, and prints the same again; layout and
 * order of the text make no difference; every plan is said whole by its short form. */
#include <string.h>

#include "../core/test.h"
#include "base/hash.h"
#include "base/mem.h"
#include "made.h"
#include "nest/plan.h"
#include "schedule/schedule.h"

enum { SCHEDULES = 3000, PLANS = 3000, MOST_PIECES = 4 };

/* Random numbers drawn one after the other. */
struct draw {
	uint64_t seed, count;
	struct bw_arena *arena;
};

static int draw(struct draw *from, int below)
{
	const uint64_t keys[] = {from->seed, from->count++};
	return (int)bw_random_below(bw_random(keys, 2), (uint64_t)below);
}

/* A host that is not the Func itself, with one of its stages and a role. */
static struct bw_site draw_level(struct draw *from, int func)
{
	struct bw_site site = {.kind = BW_SITE_AT};
	do
		site.func = 1 + draw(from, MADE_FUNCS - 1);
	while (site.func == func);
	site.stage = draw(from, made.funcs[site.func].n_stages);
	site.role = (enum bw_role)draw(from, 3);
	site.serial = draw(from, 4);
	return site;
}

static void draw_derivation(struct draw *from, struct bw_placement *draft)
{
	int consumer = 1 + draw(from, MADE_FUNCS - 1);
	bool reads = false;
	for (int i = 0; i < made.funcs[consumer].n_stages; i++)
		reads = reads || bw_stage_read_of(&made.funcs[consumer].stages[i], draft->func);
	if (reads && consumer != draft->func && draw(from, 2)) {
		draft->derivation = draw(from, 2) ? BW_DERIVED_WRAPPER : BW_DERIVED_CLONE;
		draft->derived_for = consumer;
	}
}

static int *draw_order(struct draw *from, int n)
{
	int *order = BW_ARENA_ARRAY(from->arena, int, n);
	for (int i = 0; i < n; i++)
		order[i] = i;
	for (int i = n - 1; i > 0; i--) {
		int k = draw(from, i + 1), swapped = order[i];
		order[i] = order[k];
		order[k] = swapped;
	}
	return order;
}

/* Pieces of all loops of a stage, mixed at random; of each loop the first has no extent. */
static struct bw_stage_plan draw_stage(struct draw *from, const struct bw_stage_shape *shape, bool update)
{
	int all = 0, *left = BW_ARENA_ARRAY(from->arena, int, shape->n_loops);
	int *made_of = BW_ARENA_ARRAY(from->arena, int, shape->n_loops);
	for (int i = 0; i < shape->n_loops; i++)
		all += left[i] = 1 + draw(from, MOST_PIECES);
	struct bw_loop *loops = BW_ARENA_ARRAY(from->arena, struct bw_loop, all);
	for (int n = 0; n < all;) {
		int loop = draw(from, shape->n_loops);
		if (!left[loop])
			continue;
		left[loop]--;
		bool outermost = made_of[loop]++ == 0;
		loops[n++] = (struct bw_loop){
			.loop = loop,
			.extent = outermost ? 0 : 1 + draw(from, 64),
			.kind = (enum bw_loop_kind)draw(from, BW_N_LOOP_KINDS),
			.tail = (enum bw_tail)draw(from, BW_N_TAILS),
		};
	}
	return (struct bw_stage_plan){all, loops, update && draw(from, 4) == 0};
}

static const struct bw_placement *draw_placement(struct draw *from, int func)
{
	struct bw_placement draft = {.func = func, .derived_for = -1};
	if (draw(from, 4) == 0)
		draw_derivation(from, &draft);
	const struct bw_shape *shape = bw_shape_of(&made, &draft, from->arena);
	int site = draw(from, 5);
	draft.compute = site < 2 ? (struct bw_site){.kind = (enum bw_site_kind)site} : draw_level(from, func);
	draft.store = draw(from, 2) ? draft.compute : draw(from, 2) ? (struct bw_site){.kind = BW_SITE_ROOT} : draw_level(from, func);
	if (draft.compute.kind == BW_SITE_ROOT)
		draft.store = draft.compute;
	draft.memory = (enum bw_memory)draw(from, BW_N_MEMORIES);
	draft.tiled = draw(from, 2);
	draft.n_storage = draw(from, 2) ? shape->n_dims : 0;
	draft.storage = draw_order(from, shape->n_dims);
	struct bw_stage_plan *stages = BW_ARENA_ARRAY(from->arena, struct bw_stage_plan, shape->n_stages);
	for (int i = 0; i < shape->n_stages; i++)
		stages[i] = draw_stage(from, &shape->stages[i], i > 0);
	draft.n_stages = shape->n_stages;
	draft.stages = stages;
	return bw_placement_make(&draft);
}

static struct bw_schedule *draw_schedule(struct draw *from)
{
	struct bw_schedule *schedule = bw_schedule_new(&made);
	for (int i = 0; i < 12; i++) {
		const struct bw_placement *placement = draw_placement(from, 1 + draw(from, MADE_FUNCS - 1));
		bw_schedule_set(schedule, placement);
		bw_placement_drop(placement);
	}
	return schedule;
}

static void expect_equal(const struct bw_schedule *schedule, const char *text, size_t length)
{
	struct bw_error error = {0};
	struct bw_schedule *read = bw_schedule_parse(&made, "random", text, length, NULL, &error);
	if (!read)
		fail_msg("%s\n%s", error.text, text);
	if (!bw_schedule_equal(schedule, read) || bw_schedule_hash(schedule) != bw_schedule_hash(read))
		fail_msg("not equal:\n%s", text);
	struct bw_text again = {0}, first = {0};
	bw_schedule_print(&made, schedule, &first);
	bw_schedule_print(&made, read, &again);
	assert_string_equal(bw_text_get(&first), bw_text_get(&again));
	bw_text_free(&first);
	bw_text_free(&again);
	bw_schedule_drop(read);
}

/* The same text otherwise laid out: entries on one line each, or every token on a line, with comments. */
static void lay_out(struct draw *from, const char *text, struct bw_text *out)
{
	bool one_line = draw(from, 2), quoted = false;
	for (const char *at = text; *at; at++) {
		quoted = *at == '"' && (at == text || at[-1] != '\\') ? !quoted : quoted;
		if (one_line && strncmp(at, "\n    ", 5) == 0) {
			bw_text_puts(out, draw(from, 2) ? ";" : " ;\t");
			at += 4;
		} else if (!quoted && *at == '\n')
			bw_text_puts(out, draw(from, 2) ? "\r\n" : "  # a \"comment;\n\n");
		else if (!quoted && *at == ' ' && at[-1] == ',' && !one_line)
			bw_text_puts(out, "\n\t");
		else if (!quoted && *at == ' ')
			bw_text_puts(out, draw(from, 2) ? " " : "\t  ");
		else
			bw_text_append(out, at, 1);
	}
}

static void what_is_printed_is_read_back(void **state)
{
	for (uint64_t seed = 0; seed < SCHEDULES; seed++) {
		struct draw from = {.seed = seed, .arena = bw_arena_new()};
		struct bw_schedule *schedule = draw_schedule(&from);
		struct bw_text text = {0}, other = {0};
		bw_schedule_print(&made, schedule, &text);
		expect_equal(schedule, bw_text_get(&text), text.length);
		lay_out(&from, bw_text_get(&text), &other);
		expect_equal(schedule, bw_text_get(&other), other.length);
		bw_text_free(&text);
		bw_text_free(&other);
		bw_schedule_drop(schedule);
		bw_arena_free(from.arena);
	}
}

/* Words of anything: either cut, or the same placement. */
static void words_never_say_another_placement(void **state)
{
	int whole = 0;
	for (uint64_t seed = 0; seed < PLANS; seed++) {
		struct draw from = {.seed = seed + 1000000, .arena = bw_arena_new()};
		const struct bw_placement *placement = draw_placement(&from, 1 + draw(&from, MADE_FUNCS - 1));
		struct bw_text words = {0};
		struct bw_error error = {0};
		bw_placement_words(&made, placement, &words);
		const struct bw_placement *read = bw_placement_parse(&made, bw_text_get(&words), &error);
		bool cut = words.length > 4 && strcmp(bw_text_get(&words) + words.length - 4, " ...") == 0;
		bool undecided = !placement->tiled;
		if (cut == (read != NULL) || (read && !undecided && !bw_placement_equal(read, placement)))
			fail_msg("%s: %s", bw_text_get(&words), error.text);
		assert_true(!read || read->tiled == placement->tiled);
		whole += !cut;
		bw_placement_drop(read);
		bw_placement_drop(placement);
		bw_text_free(&words);
		bw_arena_free(from.arena);
	}
	assert_true(whole > 0);
}

static const struct bw_placement *draw_plan(struct draw *from)
{
	int func = 1 + draw(from, MADE_FUNCS - 1);
	int64_t serial[4], threads[4];
	for (int i = 0; i < 4; i++) {
		serial[i] = 1 + draw(from, 5);
		threads[i] = 1 + draw(from, 64) * draw(from, 2);
	}
	struct bw_site site = draw_level(from, func);
	site.role = BW_ROLE_BLOCK;
	switch (draw(from, 5)) {
	case 0:
		return bw_plan_inline(&made, func);
	case 1:
		return bw_plan_root(&made, func, draw(from, 4) ? serial : NULL, draw(from, 4) ? threads : NULL);
	case 2:
		return bw_plan_at_block(&made, func, &site, draw(from, 4) ? serial : NULL);
	case 3:
		site.role = draw(from, 2) ? BW_ROLE_THREAD : BW_ROLE_SERIAL;
		return bw_plan_in_thread(&made, func, &site);
	default:
		return bw_plan_untiled(&made, func, NULL, NULL);
	}
}

static void words_of_plans_say_all(void **state)
{
	for (uint64_t seed = 0; seed < PLANS; seed++) {
		struct draw from = {.seed = seed + 2000000};
		const struct bw_placement *plan = draw_plan(&from);
		struct bw_text words = {0};
		struct bw_error error = {0};
		bw_placement_words(&made, plan, &words);
		const struct bw_placement *read = bw_placement_parse(&made, bw_text_get(&words), &error);
		if (!read || !bw_placement_equal(read, plan))
			fail_msg("%s: %s", bw_text_get(&words), error.text);
		bw_placement_drop(read);
		bw_placement_drop(plan);
		bw_text_free(&words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_printed_is_read_back),
		cmocka_unit_test(words_never_say_another_placement),
		cmocka_unit_test(words_of_plans_say_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
