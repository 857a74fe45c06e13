/* What is rejected and pinned: a rejected option is none, in all passes or in one; a pinned one is costed whatever soft rules and sampling say, and the
 * beam has its best state with it beside those that it has anyway, which stay in their order; a hard limit is told as a conflict. Forks and re-expansion make no difference. */
#include <stdlib.h>
#include <string.h>

#include "../core/bundled.h"
#include "../core/test.h"
#include "base/mem.h"
#include "nest/plan.h"
#include "schedule/schedule.h"
#include "search/search.h"

static struct bw_device *devices;
static struct bw_pipeline *harris;

static int open_all(void **state)
{
	devices = bundled_devices(NULL);
	harris = bundled_pipeline("harris");
	return 0;
}

static int close_all(void **state)
{
	free(devices);
	bw_pipeline_free(harris);
	return 0;
}

static struct bw_settings options_of(int beam, int passes)
{
	struct bw_settings options = bw_settings_default(devices);
	options.beam = beam;
	options.passes = passes;
	return options;
}

/* Constraints in words. */
struct said {
	struct bw_constraint list[4];
	struct bw_constraints constraints;
};

/* pass: the one that it is for, or BW_ALL_PASSES. */
static void say(struct said *said, enum bw_constraint_source source, int pass, const char *words)
{
	struct bw_error error = {0};
	const struct bw_placement *placement = bw_placement_parse(harris, words, &error);
	if (!placement)
		fail_msg("%s: %s", words, error.text);
	said->list[said->constraints.n++] = (struct bw_constraint){.placement = placement, .sizes = placement->tiled, .source = source, .here = pass != BW_ALL_PASSES, .pass = pass};
	said->constraints.list = said->list;
}

static void said_end(struct said *said)
{
	for (int i = 0; i < said->constraints.n; i++)
		bw_placement_drop(said->list[i].placement);
	*said = (struct said){0};
}

static struct bw_search *finished(const struct bw_settings *options, const struct said *said)
{
	struct bw_error error = {0};
	struct bw_search *search = bw_search_new(harris, options, said ? &said->constraints : NULL);
	if (bw_search_advance(search, bw_search_n_decisions(search), NULL, &error) != BW_SEARCH_DONE)
		fail_msg("%s", error.text);
	return search;
}

/* States after a decision in which a Func is as a constraint names it. */
static int count_with(const struct bw_search *search, int position, const struct bw_constraint *constraint)
{
	const struct bw_state *const *states;
	int n = bw_search_beam(search, position, &states), with = 0, func = constraint->placement->func;
	for (int i = 0; i < n; i++)
		with += states[i]->nest->placed[func] && bw_constraint_names(constraint, states[i]->nest->placed[func]->placement);
	return with;
}

/* The same of all positions of a pass in which the Func is placed: at how many such a state is, of how many. */
static int positions_with(const struct bw_search *search, int pass, const struct bw_constraint *constraint, int *of)
{
	int first = bw_search_find(search, constraint->placement->func, BW_PHASE_WHERE, pass), with = 0;
	*of = bw_search_pass_end(search, pass) - first;
	for (int p = first + 1; p <= bw_search_pass_end(search, pass); p++)
		with += count_with(search, p, constraint) > 0;
	return with;
}

static void assert_same(const struct bw_search *a, const struct bw_search *b)
{
	assert_int_equal(bw_search_reached(a), bw_search_reached(b));
	for (int p = 0; p <= bw_search_reached(a); p++) {
		const struct bw_state *const *one, *const *other;
		int n = bw_search_beam(a, p, &one);
		assert_int_equal(n, bw_search_beam(b, p, &other));
		for (int s = 0; s < n; s++)
			if (one[s]->hash != other[s]->hash || one[s]->cost != other[s]->cost)
				fail_msg("position %d, state %d differs", p, s);
	}
}

static void what_is_rejected_is_in_no_state(void **state)
{
	struct bw_settings options = options_of(8, 2);
	struct bw_search *plain = finished(&options, NULL);
	struct said said = {0};
	int of, had = 0;
	say(&said, BW_CONSTRAINT_REJECT, BW_ALL_PASSES, "Y root");
	for (int pass = 1; pass <= 2; pass++)
		had += positions_with(plain, pass, &said.list[0], &of);
	assert_true(had > 0);
	struct bw_search *search = finished(&options, &said);
	for (int pass = 1; pass <= 2; pass++)
		assert_int_equal(positions_with(search, pass, &said.list[0], &of), 0);
	struct bw_expansion *expansion = bw_search_expand(search, bw_search_find(search, said.list[0].placement->func, BW_PHASE_WHERE, 1), 0, NULL);
	int rejected = 0;
	for (int i = 0; i < expansion->n; i++)
		rejected += expansion->options[i].rule == BW_RULE_CONSTRAINT && !strcmp(expansion->options[i].reason, "rejected by hand");
	assert_int_equal(rejected, 1);
	bw_expansion_free(expansion);
	bw_search_free(search);
	/* In the second pass alone. */
	said.list[0].here = true;
	said.list[0].pass = 2;
	search = finished(&options, &said);
	assert_int_equal(positions_with(search, 0, &said.list[0], &of), positions_with(plain, 0, &said.list[0], &of));
	assert_int_equal(positions_with(search, 1, &said.list[0], &of), positions_with(plain, 1, &said.list[0], &of));
	const struct bw_state *const *states;
	int end = bw_search_n_decisions(search), n = bw_search_beam(search, end, &states);
	for (int i = 0; i < n; i++)
		if (states[i]->position > bw_search_pass_start(search, 2)) /* not from the pass before */
			assert_int_not_equal(states[i]->nest->placed[said.list[0].placement->func]->placement->compute.kind, BW_SITE_ROOT);
	bw_search_free(search);
	bw_search_free(plain);
	said_end(&said);
}

/* Ix inline is computed 10.2x and pruned, the tile 1x1/16x1 is one of many that are not sampled, 8x4 is too much to unroll. */
static void what_is_pinned_stays_beside_the_beam(void **state)
{
	static const char *const pins[] = {"Ix inline", "Ix root 1x1/16x1", "Ix root", "Ixx at output.block 8x4"};
	struct bw_settings options = options_of(8, 1);
	struct bw_search *plain = finished(&options, NULL);
	for (size_t i = 0; i < sizeof pins / sizeof *pins; i++) {
		struct said said = {0};
		int of;
		say(&said, BW_CONSTRAINT_PIN, BW_ALL_PASSES, pins[i]);
		struct bw_search *search = finished(&options, &said);
		int with = positions_with(search, 1, &said.list[0], &of), before = positions_with(plain, 1, &said.list[0], &of);
		if (with != of)
			fail_msg("%s is in %d beams of %d", pins[i], with, of);
		assert_true(before < of || i == 2);
		int made = bw_search_find(search, said.list[0].placement->func, BW_PHASE_WHERE, 1) + 1;
		const struct bw_state *const *one, *const *other;
		int n = bw_search_beam(plain, made, &one), m = bw_search_beam(search, made, &other);
		assert_in_range(m, n, n + 1);
		int func = said.list[0].placement->func;
		for (int s = 0, p = 0; s < m; s++) {
			if (bw_constraint_names(&said.list[0], other[s]->nest->placed[func]->placement))
				continue;
			while (p < n && bw_constraint_names(&said.list[0], one[p]->nest->placed[func]->placement))
				p++;
			assert_true(p < n && other[s]->hash == one[p]->hash);
			p++;
		}
		bw_search_free(search);
		said_end(&said);
	}
	bw_search_free(plain);
}

/* Of each bucket as many are drawn as without, and the same; the pinned one comes on top. */
static void what_is_pinned_changes_no_draw(void **state)
{
	struct bw_settings options = options_of(4, 1);
	struct bw_search *plain = finished(&options, NULL);
	struct said said = {0};
	say(&said, BW_CONSTRAINT_PIN, BW_ALL_PASSES, "output root 1x1/16x2");
	struct bw_search *search = finished(&options, &said);
	int where = bw_search_find(search, said.list[0].placement->func, BW_PHASE_WHERE, 1);
	struct bw_expansion *one = bw_search_expand(plain, where + 1, 0, NULL), *other = bw_search_expand(search, where + 1, 0, NULL);
	int pinned = 0;
	assert_int_equal(one->n, other->n);
	for (int i = 0; i < one->n; i++) {
		pinned += other->options[i].pinned;
		if (!other->options[i].pinned)
			assert_int_equal(one->options[i].fate == BW_FATE_UNSAMPLED, other->options[i].fate == BW_FATE_UNSAMPLED);
		else
			assert_int_not_equal(other->options[i].fate, BW_FATE_UNSAMPLED);
	}
	assert_int_equal(pinned, 1);
	bw_expansion_free(one);
	bw_expansion_free(other);
	bw_search_free(search);
	bw_search_free(plain);
	said_end(&said);
}

/* With sizes before a site alone: all of a site but one size, or that size alone. */
static void the_one_with_sizes_speaks(void **state)
{
	struct said said = {0};
	say(&said, BW_CONSTRAINT_REJECT, BW_ALL_PASSES, "Ix at output.block 1x1");
	say(&said, BW_CONSTRAINT_PIN, BW_ALL_PASSES, "Ix at output.block 1x2");
	said.list[0].sizes = false;
	struct bw_error error;
	const struct bw_placement *two = bw_placement_parse(harris, "Ix at output.block 1x2", &error), *four = bw_placement_parse(harris, "Ix at output.block 1x4", &error);
	assert_ptr_equal(bw_constraint_mark(&said.constraints, two, 1), &said.list[1]);
	assert_ptr_equal(bw_constraint_mark(&said.constraints, four, 1), &said.list[0]);
	/* Held, neither speaks; in another pass they do. */
	said.list[said.constraints.n++] = (struct bw_constraint){.placement = bw_placement_keep(four), .sizes = true, .source = BW_CONSTRAINT_ACCEPT, .here = true, .pass = 2};
	assert_null(bw_constraint_mark(&said.constraints, two, 2));
	assert_non_null(bw_constraint_mark(&said.constraints, two, 1));
	assert_ptr_equal(bw_constraint_on(&said.constraints, two->func, 2), &said.list[2]);
	assert_null(bw_constraint_on(&said.constraints, two->func, 1));
	bw_placement_drop(two);
	bw_placement_drop(four);
	said_end(&said);
}

/* A pin that no state can have, and rejects that leave nothing, are conflicts that name what stands against them. */
static void conflicts_name_the_rule(void **state)
{
	static const struct {
		enum bw_constraint_source source;
		const char *words, *first, *says[2];
	} cases[] = {
		/* 64 x 32 threads. */
		{BW_CONSTRAINT_PIN, "Ix root 1x1/64x32", NULL, {"Ix: pinned Ix root 1x1/64x32 cannot be: 64x32x1 = 2048 threads, limit 1024 (threads)"}},
		{BW_CONSTRAINT_PIN, "Ixx at det.block 1x1", "det inline", {"Ixx: pinned Ixx at det.block 1x1 cannot be: ", "(site)"}},
		{BW_CONSTRAINT_REJECT, "output root", NULL, {"output: no legal option for where: of 1 enumerated, pruned 1 by constraint (rejected by hand)"}},
	};
	for (size_t j = 0; j < 2 * sizeof cases / sizeof *cases; j++) {
		size_t i = j / 2; /* with one thread, and with some, which are ahead by then */
		struct said said = {0};
		struct bw_error error = {0};
		struct bw_settings options = options_of(4, j % 2 ? 3 : 1);
		say(&said, cases[i].source, BW_ALL_PASSES, cases[i].words);
		if (cases[i].first)
			say(&said, BW_CONSTRAINT_FREEZE, BW_ALL_PASSES, cases[i].first);
		struct bw_search *search = bw_search_new(harris, &options, &said.constraints);
		assert_int_equal(bw_search_advance(search, bw_search_n_decisions(search), NULL, &error), BW_SEARCH_DEAD);
		for (int k = 0; k < 2 && cases[i].says[k]; k++)
			if (!strstr(error.text, cases[i].says[k]))
				fail_msg("\"%s\" has no \"%s\"", error.text, cases[i].says[k]);
		bw_search_free(search);
		said_end(&said);
	}
}

static void nothing_else_makes_a_difference(void **state)
{
	struct said said = {0};
	struct bw_error error = {0};
	say(&said, BW_CONSTRAINT_PIN, BW_ALL_PASSES, "Ix inline");
	say(&said, BW_CONSTRAINT_REJECT, BW_ALL_PASSES, "Ix root");
	say(&said, BW_CONSTRAINT_REJECT, 2, "Iy root");
	say(&said, BW_CONSTRAINT_PIN, BW_ALL_PASSES, "Sxx root 1x1/32x8");
	struct bw_settings options = options_of(6, 2);
	struct bw_search *search = finished(&options, &said), *plain = finished(&options, NULL);
	struct bw_search *fork = bw_search_fork(plain, NULL, &said.constraints);
	assert_int_equal(bw_search_advance(fork, bw_search_n_decisions(fork), NULL, &error), BW_SEARCH_DONE);
	assert_same(search, fork);
	struct bw_search *back = bw_search_fork(fork, NULL, &(struct bw_constraints){0});
	assert_int_equal(bw_search_advance(back, bw_search_n_decisions(back), NULL, &error), BW_SEARCH_DONE);
	assert_same(plain, back);
	for (int d = 0; d < bw_search_n_decisions(search); d++) {
		const struct bw_decision *decision = bw_search_decision(search, d);
		long costed = 0, pruned = 0;
		const struct bw_state *const *states;
		int n = bw_search_beam(search, d, &states);
		for (int s = 0; s < n; s++) {
			struct bw_expansion *expansion = bw_search_expand(search, d, s, NULL);
			for (int i = 0; i < expansion->n; i++) {
				costed += expansion->options[i].rank >= 0;
				pruned += expansion->options[i].fate == BW_FATE_PRUNED && expansion->options[i].rule == BW_RULE_CONSTRAINT;
			}
			bw_expansion_free(expansion);
		}
		assert_int_equal(costed, decision->costed);
		assert_int_equal(pruned, decision->pruned[BW_RULE_CONSTRAINT]);
	}
	bw_search_free(search);
	bw_search_free(plain);
	bw_search_free(fork);
	bw_search_free(back);
	said_end(&said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_rejected_is_in_no_state),
		cmocka_unit_test(what_is_pinned_stays_beside_the_beam),
		cmocka_unit_test(what_is_pinned_changes_no_draw),
		cmocka_unit_test(the_one_with_sizes_speaks),
		cmocka_unit_test(conflicts_name_the_rule),
		cmocka_unit_test(nothing_else_makes_a_difference),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
