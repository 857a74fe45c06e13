/* Freezing by the first pass: what each rule freezes of a small pipeline, by figures worked out by hand; that the user's word goes before it; that what cannot
 * be held is let go with a reason; that forks and re-expansions make no difference. */
#include <stdlib.h>
#include <string.h>

#include "../core/asks.h"
#include "../core/bundled.h"
#include "../core/description.h"
#include "../core/test.h"
#include "base/mem.h"
#include "nest/plan.h"
#include "schedule/schedule.h"
#include "search/search_private.h"

#define MAD "'add':{'float32':9},'mul':{'float32':1}"
#define READ_X3(from) READ(from, SPAN("x", "-1", "1") "," SAME("y"), "3", EYE2)
#define READ_Y3(from) READ(from, SAME("x") "," SPAN("y", "-1", "1"), "3", EYE2)

/* in -> a (3 in x) -> b (3 in y) -> c (3 in x) -> d (3 in y), d of 2048 x 1024. */
static const char chain[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[-2,2052],[-2,1028]"),
	FUNC_XY("a", "0", "float32", MAD, READ_X3("in"), "") "," FUNC_XY("b", "1", "float32", MAD, READ_Y3("a"), "") ","
	FUNC_XY("c", "2", "float32", MAD, READ_X3("b"), "") "," FUNC_XY("d", "3", "float32", MAD, READ_Y3("c"), OUTPUT("[0,2048],[0,1024]")));

/* in -> p (3 x 3 of in); u (3 in x of p) and v (3 in y of p), dear to compute three times; d (3 in y of u, 3 in x of v), of 2048 x 1024. */
#define OPS(n) "'add':{'float32':" n "},'mul':{'float32':" n "}"
static const char join[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[-2,2052],[-2,1028]"),
	FUNC_XY("p", "0", "float32", OPS("20"), READ("in", SPAN("x", "-1", "1") "," SPAN("y", "-1", "1"), "9", EYE2), "") ","
	FUNC_XY("u", "1", "float32", OPS("110"), READ_X3("p"), "") "," FUNC_XY("v", "2", "float32", OPS("110"), READ_Y3("p"), "") ","
	FUNC_XY("d", "3", "float32", MAD, READ_Y3("u") "," READ_X3("v"), OUTPUT("[0,2048],[0,1024]")));

static struct bw_device *devices;
static struct bw_pipeline *blur, *harris, *unsharp;

static int open_all(void **state)
{
	devices = bundled_devices(NULL);
	blur = bundled_pipeline("blur");
	harris = bundled_pipeline("harris");
	unsharp = bundled_pipeline("unsharp");
	return 0;
}

static int close_all(void **state)
{
	free(devices);
	bw_pipeline_free(blur);
	bw_pipeline_free(harris);
	bw_pipeline_free(unsharp);
	return 0;
}

static struct bw_settings options_of(enum bw_freezing freezing, int beam, int passes)
{
	struct bw_settings options = bw_settings_default(devices);
	options.polish = 0;
	options.freezing = freezing;
	options.beam = beam;
	options.passes = passes;
	return options;
}

static void advance_to(struct bw_search *search, int until)
{
	struct bw_error error = {0};
	if (bw_search_advance(search, until, NULL, &error) != BW_SEARCH_DONE)
		fail_msg("%s", error.text);
}

static struct bw_search *finished(const struct bw_pipeline *pipeline, const struct bw_settings *options, const struct bw_constraints *constraints)
{
	struct bw_search *search = bw_search_new(pipeline, options, constraints);
	advance_to(search, bw_search_n_decisions(search));
	return search;
}

static const struct bw_state *best_at(const struct bw_search *search, int position)
{
	const struct bw_state *const *states;
	assert_true(bw_search_beam(search, position, &states) > 0);
	return states[0];
}

/* Beams, records and what is frozen, bit for bit. */
static void assert_same(const struct bw_search *a, const struct bw_search *b)
{
	assert_int_equal(bw_search_reached(a), bw_search_reached(b));
	for (int p = 0; p <= bw_search_reached(a); p++) {
		const struct bw_state *const *one, *const *other;
		int n = bw_search_beam(a, p, &one);
		assert_int_equal(n, bw_search_beam(b, p, &other));
		for (int s = 0; s < n; s++)
			if (one[s]->hash != other[s]->hash || memcmp(&one[s]->cost, &other[s]->cost, sizeof(double)))
				fail_msg("position %d, state %d differs", p, s);
	}
	for (int pass = 1; pass <= 2; pass++) {
		const struct bw_frozen *one, *other;
		int n = bw_search_frozen(a, pass, &one);
		assert_int_equal(n, bw_search_frozen(b, pass, &other));
		for (int i = 0; i < n; i++) {
			assert_true(bw_placement_equal(one[i].constraint.placement, other[i].constraint.placement));
			assert_int_equal(one[i].constraint.sizes, other[i].constraint.sizes);
			assert_memory_equal(&one[i].other, &other[i].other, sizeof(double));
		}
	}
	struct bw_search_totals x = bw_search_totals(a), y = bw_search_totals(b);
	assert_int_equal(x.evaluated, y.evaluated);
	assert_int_equal(x.probed, y.probed);
	assert_int_equal(x.let_go, y.let_go);
}

/* In the pre-pass nothing is but inline and at root, and the passes after begin anew; its positions come first. */
static void the_pre_pass_has_two_places(void **state)
{
	struct bw_settings options = options_of(BW_FREEZING_PROBED, 8, 1);
	struct bw_search *search = finished(harris, &options, NULL);
	assert_int_equal(bw_search_first_pass(search), 0);
	assert_int_equal(bw_search_freezing_pass(search), 0);
	assert_int_equal(bw_search_n_decisions(search), 26 + 1 + 26);
	assert_int_equal(bw_search_pass_end(search, 0), 26);
	assert_int_equal(bw_search_pass_start(search, 1), 27);
	assert_int_equal(bw_search_pass(search, 26), 0);
	assert_int_equal(bw_search_pass(search, 27), 1);
	for (int p = 0; p <= 26; p++) {
		const struct bw_state *const *states;
		int n = bw_search_beam(search, p, &states);
		assert_in_range(n, 1, 4);
		for (int s = 0; s < n; s++)
			for (int f = 0; f < harris->n_funcs; f++)
				assert_true(!states[s]->nest->placed[f] || states[s]->nest->placed[f]->placement->compute.kind != BW_SITE_AT);
	}
	assert_true(bw_nest_complete(best_at(search, 26)->nest));
	assert_int_equal(best_at(search, 27)->nest->n_placed, 0);
	assert_true(best_at(search, bw_search_n_decisions(search))->cost <= best_at(search, 26)->cost);
	bw_search_free(search);
}

/* Of N Funcs all but log2(N), rounded down: 13 of harris leave 3, 9 of unsharp leave 3; the ones left cost at least what each frozen one does. */
static void the_papers_rule_leaves_the_dearest(void **state)
{
	const struct bw_pipeline *pipelines[] = {harris, unsharp};
	static const int frozen_ones[] = {13 - 3, 9 - 3};
	for (int i = 0; i < 2; i++) {
		struct bw_settings options = options_of(BW_FREEZING_PAPER, 8, 1);
		struct bw_search *search = finished(pipelines[i], &options, NULL);
		const struct bw_frozen *frozen;
		const struct bw_state *best = best_at(search, bw_search_pass_end(search, 0));
		struct bw_arena *arena = bw_arena_new();
		struct bw_cost cost = bw_search_cost(search, best->nest, arena);
		int n = bw_search_frozen(search, 1, &frozen);
		double dearest = 0;
		assert_int_equal(n, frozen_ones[i]);
		for (int k = 0; k < n; k++) {
			const struct bw_placement *placement = frozen[k].constraint.placement;
			assert_true(bw_placement_equal(placement, best->nest->placed[placement->func]->placement));
			assert_int_equal(frozen[k].constraint.sizes, placement->compute.kind == BW_SITE_ROOT);
			assert_true(frozen[k].total == best->cost);
			dearest = frozen[k].cost > dearest ? frozen[k].cost : dearest;
		}
		for (int f = 0; f < pipelines[i]->n_funcs; f++) {
			const struct bw_func *func = &pipelines[i]->funcs[f];
			double own = 0;
			for (int s = 0; s < func->n_stages; s++)
				own += cost.stages[func->first_stage + s].ms;
			if (!func->input && !bw_search_frozen_on(search, f, 1))
				assert_true(own >= dearest);
			else if (!func->input)
				assert_true(bw_placement_equal(best_at(search, bw_search_n_decisions(search))->nest->placed[f]->placement, bw_search_frozen_on(search, f, 1)->constraint.placement));
		}
		bw_arena_free(arena);
		bw_search_free(search);
	}
}

/* The cost of d's pipeline with these entries. */
static double cost_of(const struct bw_pipeline *pipeline, const struct bw_search *search, const char *const *entries)
{
	struct bw_nest *nest = nest_of(pipeline, entries, NULL);
	struct bw_arena *arena = bw_arena_new();
	double cost = bw_search_cost(search, nest, arena).total;
	bw_arena_free(arena);
	bw_nest_drop(nest);
	return cost;
}

/* A Func is probed by the whole schedule with it elsewhere: here those schedules are written by hand. */
static void probes_are_whole_schedules(void **state)
{
	struct bw_pipeline *pipeline = description_read(chain);
	struct bw_settings options = bw_settings_default(&round_device);
	options.freezing = BW_FREEZING_PROBED;
	options.sampling = 0;
	static const char *const placements[] = {"d root 1x1/32x8", "c root 1x1/32x8", "b root 1x1/32x8", "a root 1x1/32x8"};
	struct bw_constraint list[4];
	struct bw_constraints constraints = {.list = list};
	struct bw_error error = {0};
	for (int i = 0; i < 4; i++) {
		const struct bw_placement *placement = bw_placement_parse(pipeline, placements[i], &error);
		list[constraints.n++] = (struct bw_constraint){.placement = placement, .sizes = true, .source = BW_CONSTRAINT_FREEZE};
	}
	struct bw_search *search = bw_search_new(pipeline, &options, &constraints);
	advance_to(search, bw_search_pass_end(search, 0));
	const struct bw_state *way[9];
	for (const struct bw_state *at = best_at(search, 8); at; at = at->parent)
		way[at->position] = at;
	struct bw_probe probe;
	assert_true(bw_probe(&probe, search, way, 1));
	/* c elsewhere: inlined into d, in its threads, or in its blocks with serial extents of 1, 2, 4 and 8 that unroll to less than 16. */
	static const char *const elsewhere[] = {"c inline", "c at d.thread", "c at d.block 1x1", "c at d.block 2x1", "c at d.block 4x1", "c at d.block 8x1", "c at d.block 1x2",
		"c at d.block 2x2", "c at d.block 4x2", "c at d.block 1x4", "c at d.block 2x4", "c at d.block 1x8"};
	double least = 1e300;
	for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
		const char *const entries[] = {"d root 1x1/32x8", elsewhere[i], "b root 1x1/32x8", "a root 1x1/32x8", NULL};
		double cost = cost_of(pipeline, search, entries);
		least = cost < least ? cost : least;
	}
	assert_true(probe.best == least);
	assert_true(probe.costed > 2);
	/* Who is held by the user is neither probed nor frozen. */
	const struct bw_frozen *frozen;
	assert_int_equal(bw_search_frozen(search, 1, &frozen), 0);
	bw_search_free(search);
	for (int i = 0; i < 4; i++)
		bw_placement_drop(list[i].placement);
	bw_pipeline_free(pipeline);
}

/* What is frozen costs no less elsewhere, but for a hundredth in all; and the passes after hold it. With several passes that is after the first of them,
 * tilings and all; what its best schedule has fused is not frozen. */
static void what_is_probed_gives_little_away(void **state)
{
	const struct bw_pipeline *pipelines[] = {blur, harris, unsharp};
	int frozen_ones = 0;
	for (int i = 0; i < 6; i++) {
		int passes = i < 3 ? 1 : 3, freezing = i < 3 ? 0 : 1;
		const struct bw_pipeline *pipeline = pipelines[i % 3];
		struct bw_settings options = options_of(BW_FREEZING_PROBED, 8, passes);
		struct bw_search *search = finished(pipeline, &options, NULL);
		const struct bw_frozen *frozen;
		double given_away = 0;
		const struct bw_state *best = best_at(search, bw_search_pass_end(search, freezing));
		assert_int_equal(bw_search_freezing_pass(search), freezing);
		assert_int_equal(bw_search_frozen(search, freezing, &frozen), 0);
		int n = bw_search_frozen(search, freezing + 1, &frozen);
		frozen_ones += n;
		for (int k = 0; k < n; k++) {
			const struct bw_placement *placement = frozen[k].constraint.placement;
			assert_false(pipeline->funcs[placement->func].output);
			assert_true(bw_placement_equal(placement, best->nest->placed[placement->func]->placement));
			assert_true(placement->compute.kind != BW_SITE_AT);
			assert_true(passes == 1 || frozen[k].constraint.sizes == (placement->compute.kind == BW_SITE_ROOT));
			if (frozen[k].other > 0 && frozen[k].other < frozen[k].total)
				given_away += frozen[k].total - frozen[k].other;
			for (int p = bw_search_pass_start(search, passes); p < bw_search_pass_end(search, passes); p++)
				if (best_at(search, p)->nest->placed[placement->func])
					assert_true(bw_site_equal(&best_at(search, p)->nest->placed[placement->func]->placement->compute, &placement->compute));
		}
		assert_true(given_away <= 0.01 * best->cost);
		bw_search_free(search);
	}
	assert_true(frozen_ones > 20);
}

/* What a probe of one Func cannot see. A pre-pass has d in small blocks, the best where it reads u and v from memory: in these each of u and v alone costs more, and p has
 * no place in d while both are at root, so that all three are frozen there. In larger blocks of d all three together, which keeps what is between them off
 * memory, cost a quarter less: the first of several passes finds that, and they stay free. */
static void a_full_pass_sees_what_goes_together(void **state)
{
	struct bw_pipeline *pipeline = description_read(join);
	struct bw_settings options = bw_settings_default(&round_device);
	options.model = &bw_roofline;
	options.polish = 0;
	options.freezing = BW_FREEZING_PROBED;
	struct bw_search *one = finished(pipeline, &options, NULL);
	options.passes = 2;
	struct bw_search *two = finished(pipeline, &options, NULL);
	static const char *const apart[] = {"d root 1x1/32x2", "u root 1x1/32x8", "v root 1x1/32x8", "p root 1x1/32x8", NULL};
	static const char *const alone[][5] = {{"d root 1x1/32x2", "u at d.block 1x2", "v root 1x1/32x8", "p root 1x1/32x8"},
		{"d root 1x1/32x2", "u root 1x1/32x8", "v at d.block 1x2", "p root 1x1/32x8"},
		{"d root 1x1/32x2", "u root 1x1/32x8", "v root 1x1/32x8", "p inline"}};
	static const char *const together[] = {"d root 1x4/32x16", "u at d.block 1x4", "v at d.block 1x4", "p at d.block 1x8", NULL};
	double at_root = cost_of(pipeline, one, apart);
	for (int i = 0; i < 3; i++) {
		int func = description_func(pipeline, (const char *const[]){"u", "v", "p"}[i]);
		const struct bw_frozen *frozen = bw_search_frozen_on(one, func, 1);
		assert_true(cost_of(pipeline, one, alone[i]) > at_root);
		assert_true(frozen && frozen->constraint.placement->compute.kind == BW_SITE_ROOT && frozen->other > frozen->total);
		assert_null(bw_search_frozen_on(two, func, 2));
		assert_int_equal(best_at(two, bw_search_n_decisions(two))->nest->placed[func]->placement->compute.kind, BW_SITE_AT);
	}
	assert_true(cost_of(pipeline, one, together) < 0.75 * at_root);
	assert_true(best_at(two, bw_search_n_decisions(two))->cost < 0.75 * best_at(one, bw_search_n_decisions(one))->cost);
	bw_search_free(one);
	bw_search_free(two);
	bw_pipeline_free(pipeline);
}

/* Stops change nothing; and what is made again is what was recorded. */
static void a_frozen_search_is_the_same_each_time(void **state)
{
	for (int freezing = BW_FREEZING_PAPER; freezing <= BW_FREEZING_PROBED; freezing++) {
		struct bw_settings options = options_of((enum bw_freezing)freezing, 6, 2);
		struct bw_search *search = finished(harris, &options, NULL);
		struct bw_search *other = bw_search_new(harris, &options, NULL);
		struct bw_error error = {0};
		for (long most = 64; most; most *= 2) {
			struct asks asks = {.most = most};
			struct bw_yield yield = {asks_go_on, &asks};
			if (bw_search_advance(other, bw_search_n_decisions(other), &yield, &error) != BW_SEARCH_GOING)
				break;
		}
		assert_same(search, other);
		for (int d = 0; d < bw_search_n_decisions(search); d++) {
			const struct bw_decision *decision = bw_search_decision(search, d);
			const struct bw_state *const *states;
			int n = bw_search_beam(search, d, &states), children = 0, let_go = 0;
			for (int s = 0; s < n; s++) {
				struct bw_expansion *expansion = bw_search_expand(search, d, s, NULL);
				let_go += *expansion->let_go != 0;
				for (int o = 0; o < expansion->n; o++) {
					const struct bw_option *option = &expansion->options[o];
					if (option->rank < 0)
						continue;
					assert_memory_equal(&decision->children[option->rank].cost, &option->cost, sizeof(double));
					children++;
				}
				bw_expansion_free(expansion);
			}
			assert_int_equal(children, decision->n_children);
			assert_int_equal(let_go, decision->let_go);
		}
		bw_search_free(search);
		bw_search_free(other);
	}
}

/* A constraint of the user's goes before what the pre-pass froze, and holds in the pre-pass, too; a Func that is freed shares everything up to
 * its first decision after the pass that froze it; and forks come to what fresh searches come to. */
static void the_users_word_in(const struct bw_pipeline *pipeline, int passes)
{
	struct bw_settings options = options_of(BW_FREEZING_PROBED, 6, passes);
	options.model = &bw_roofline; /* which puts a Func of both pipelines at root for good */
	struct bw_search *search = finished(pipeline, &options, NULL);
	const struct bw_frozen *frozen;
	int n = bw_search_frozen(search, passes, &frozen), root = -1, first = bw_search_pass_start(search, passes);
	for (int i = 0; i < n && root < 0; i++)
		if (frozen[i].constraint.placement->compute.kind == BW_SITE_ROOT)
			root = frozen[i].constraint.placement->func;
	assert_true(root >= 0);
	struct bw_constraints freed = {.n_free = 1, .free = &root};
	struct bw_search *fork = bw_search_fork(search, NULL, &freed), *fresh = finished(pipeline, &options, &freed);
	assert_int_equal(bw_search_reached(fork), bw_search_find(search, root, BW_PHASE_WHERE, passes));
	assert_true(bw_search_reached(fork) >= first);
	assert_null(bw_search_frozen_on(fork, root, passes));
	assert_non_null(bw_search_frozen_on(search, root, passes));
	advance_to(fork, bw_search_n_decisions(fork));
	assert_same(fork, fresh);
	assert_true(bw_search_decision(fork, bw_search_find(fork, root, BW_PHASE_WHERE, passes))->enumerated > bw_search_decision(search, bw_search_find(search, root, BW_PHASE_WHERE, passes))->enumerated);
	bw_search_free(fresh);
	/* Back again: what was shared both ways. */
	struct bw_constraints none = {0};
	struct bw_search *back = bw_search_fork(fork, NULL, &none);
	advance_to(back, bw_search_n_decisions(back));
	assert_same(back, search);
	bw_search_free(back);
	bw_search_free(fork);
	struct bw_constraint held = {.placement = bw_plan_inline(pipeline, root), .sizes = false, .source = BW_CONSTRAINT_FREEZE};
	struct bw_constraints constraints = {.n = 1, .list = &held};
	fork = bw_search_fork(search, NULL, &constraints);
	fresh = finished(pipeline, &options, &constraints);
	advance_to(fork, bw_search_n_decisions(fork));
	assert_same(fork, fresh);
	for (int p = 0; p <= bw_search_reached(fork); p++)
		if (best_at(fork, p)->nest->placed[root])
			assert_int_equal(best_at(fork, p)->nest->placed[root]->placement->compute.kind, BW_SITE_INLINE);
	bw_search_free(fork);
	bw_search_free(fresh);
	bw_placement_drop(held.placement);
	bw_search_free(search);
}

static void the_users_word_goes_first(void **state)
{
	for (int passes = 1; passes <= 2; passes++)
		the_users_word_in(passes == 1 ? harris : unsharp, passes);
}

/* b is frozen inline, into c of one call each in y: 3 calls a point. With c inlined into d by the user after that, b would be called 9 times a point, and the
 * limit is 8: it is let go with that reason, and has its other places. */
static void what_cannot_be_held_is_let_go(void **state)
{
	struct bw_pipeline *pipeline = description_read(chain);
	struct bw_settings options = bw_settings_default(&round_device);
	options.inlined_calls_limit = 8;
	options.sampling = 0;
	static const char *const entries[] = {"d root 1x1/32x8", "c inline", NULL};
	struct bw_nest *nest = nest_of(pipeline, entries, NULL);
	struct bw_state *parent = bw_state_new(NULL, -1, -1, nest, 0);
	int b = description_func(pipeline, "b");
	struct bw_constraint held = {.placement = bw_plan_inline(pipeline, b), .sizes = false, .source = BW_CONSTRAINT_SEARCH};
	struct bw_recall nothing = {0};
	struct bw_question question = {.pipeline = pipeline, .options = &options, .constraint = &held, .parent = parent, .func = b, .phase = BW_PHASE_WHERE, .pass = 1, .recall = &nothing};
	struct bw_expanding expanding;
	for (int lean = 0; lean < 2; lean++) {
		int costed = 0;
		bw_expanding_begin(&expanding, &question, NULL, lean);
		assert_true(bw_expanding_run(&expanding));
		assert_int_equal(strncmp(expanding.expansion->let_go, "inlined calls", strlen("inlined calls")), 0);
		if (!lean)
			assert_string_equal(expanding.expansion->let_go, "inlined calls: 9 calls a point, limit 8");
		for (int o = 0; o < expanding.expansion->n; o++)
			costed += expanding.expansion->options[o].fate == BW_FATE_COSTED;
		assert_true(costed > 1);
		assert_int_equal(expanding.expansion->options[0].rule, BW_RULE_INLINED_CALLS);
		bw_expanding_end(&expanding);
	}
	/* Where nothing is against it, it is the one option. */
	options.inlined_calls_limit = 9;
	bw_expanding_begin(&expanding, &question, NULL, false);
	assert_true(bw_expanding_run(&expanding));
	assert_int_equal(expanding.expansion->n, 1);
	assert_int_equal(expanding.expansion->options[0].fate, BW_FATE_COSTED);
	assert_int_equal(*expanding.expansion->let_go, 0);
	bw_expanding_end(&expanding);
	bw_placement_drop(held.placement);
	bw_state_drop(parent);
	bw_nest_drop(nest);
	bw_pipeline_free(pipeline);
}

/* A pass that finds nothing legal goes on with the best schedule of the pass that froze: here since no block can have a thread any more. */
static void what_was_frozen_by_stands_in(int passes, int freezing)
{
	struct bw_settings options = options_of(BW_FREEZING_PROBED, 4, passes);
	struct bw_search *search = bw_search_new(unsharp, &options, NULL);
	int end = bw_search_pass_end(search, freezing), stood_in = 0;
	advance_to(search, end);
	search->device.threads_per_block = 0;
	advance_to(search, bw_search_n_decisions(search));
	for (int d = 0; d < bw_search_n_decisions(search); d++) {
		const struct bw_decision *decision = bw_search_decision(search, d);
		assert_true(!decision->stood_in || (decision->pass > freezing && decision->kept == 0 && decision->n_children == 0));
		stood_in += decision->stood_in;
	}
	/* The output and the other Funcs at root, in one pass or in two. */
	assert_true(stood_in >= 2 * (passes - freezing));
	assert_true(best_at(search, bw_search_n_decisions(search))->hash == best_at(search, end)->hash);
	bw_search_free(search);
}

static void the_best_stands_in(void **state)
{
	what_was_frozen_by_stands_in(1, 0);
	what_was_frozen_by_stands_in(3, 1);
}

/* Totals: the passes add up to the whole, and the probes are among what the model was asked for. */
static void passes_add_up(void **state)
{
	struct bw_settings options = options_of(BW_FREEZING_PROBED, 4, 2);
	struct bw_search *search = finished(unsharp, &options, NULL);
	struct bw_search_totals all = bw_search_totals(search);
	long evaluated = 0, probed = 0, between = 0;
	for (int pass = 1; pass <= 2; pass++) {
		struct bw_search_totals totals = bw_search_pass_totals(search, pass);
		evaluated += totals.evaluated;
		probed += totals.probed;
		assert_true(totals.evaluated > 0);
		assert_int_equal(totals.probed > 0, pass == 1);
	}
	for (int pass = 1; pass < 2; pass++)
		between += bw_search_decision(search, bw_search_pass_end(search, pass))->evaluated;
	assert_int_equal(evaluated + between, all.evaluated);
	for (int d = 0; d < bw_search_n_decisions(search); d++)
		evaluated -= bw_search_decision(search, d)->evaluated;
	assert_int_equal(evaluated + between, all.probed);
	assert_int_equal(probed, all.probed);
	bw_search_free(search);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_pre_pass_has_two_places),
		cmocka_unit_test(the_papers_rule_leaves_the_dearest),
		cmocka_unit_test(probes_are_whole_schedules),
		cmocka_unit_test(what_is_probed_gives_little_away),
		cmocka_unit_test(a_full_pass_sees_what_goes_together),
		cmocka_unit_test(a_frozen_search_is_the_same_each_time),
		cmocka_unit_test(the_users_word_goes_first),
		cmocka_unit_test(what_cannot_be_held_is_let_go),
		cmocka_unit_test(the_best_stands_in),
		cmocka_unit_test(passes_add_up),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
