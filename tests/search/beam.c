/* The beam search as a whole, on the bundled pipelines and a device's real record: what does not depend on threads, slices of time and the
 * way there; that every state can be built again from its schedule; that an expansion made again is the one that was recorded. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../core/asks.h"
#include "../core/bundled.h"
#include "../core/description.h"
#include "../core/test.h"
#include "base/hash.h"
#include "base/mem.h"
#include "schedule/schedule.h"
#include "search/search_private.h"

static struct bw_device *devices;
static struct bw_pipeline *blur, *harris;

static int open_all(void **state)
{
	devices = bundled_devices(NULL);
	blur = bundled_pipeline("blur");
	harris = bundled_pipeline("harris");
	return 0;
}

static int close_all(void **state)
{
	free(devices);
	bw_pipeline_free(blur);
	bw_pipeline_free(harris);
	return 0;
}

static struct bw_settings options_of(int beam)
{
	struct bw_settings options = bw_settings_default(devices);
	options.polish = 0; /* which puts one more state into the last beam */
	options.beam = beam;
	return options;
}

static void advance_to(struct bw_search *search, int until)
{
	struct bw_error error = {0};
	if (bw_search_advance(search, until, NULL, &error) != BW_SEARCH_DONE)
		fail_msg("%s", error.text);
}

/* A search run to its end. */
static struct bw_search *finished(const struct bw_pipeline *pipeline, const struct bw_settings *options, const struct bw_constraints *constraints)
{
	struct bw_search *search = bw_search_new(pipeline, options, constraints);
	advance_to(search, bw_search_n_decisions(search));
	return search;
}

static bool same_bits(double a, double b)
{
	return !memcmp(&a, &b, sizeof a);
}

/* Beams and records of all positions, bit for bit; seconds are not of the result. */
static void assert_same(const struct bw_search *a, const struct bw_search *b)
{
	assert_int_equal(bw_search_reached(a), bw_search_reached(b));
	for (int p = 0; p <= bw_search_reached(a); p++) {
		const struct bw_state *const *one, *const *other;
		int n = bw_search_beam(a, p, &one);
		assert_int_equal(n, bw_search_beam(b, p, &other));
		for (int s = 0; s < n; s++)
			if (one[s]->hash != other[s]->hash || !same_bits(one[s]->cost, other[s]->cost) || one[s]->parent_rank != other[s]->parent_rank || one[s]->option != other[s]->option || one[s]->penalty != other[s]->penalty)
				fail_msg("position %d, state %d differs", p, s);
	}
	for (int d = 0; d < bw_search_reached(a); d++) {
		const struct bw_decision *x = bw_search_decision(a, d), *y = bw_search_decision(b, d);
		assert_int_equal(x->enumerated, y->enumerated);
		assert_int_equal(x->n_children, y->n_children);
		assert_memory_equal(x->pruned, y->pruned, sizeof x->pruned);
		assert_int_equal(x->second, y->second);
		assert_int_equal(x->evaluated, y->evaluated);
		assert_int_equal(x->n_recorded, y->n_recorded);
		for (int c = 0; c < x->n_recorded; c++) {
			const struct bw_child *p = &x->children[c], *q = &y->children[c];
			if (!same_bits(p->cost, q->cost) || p->rank != q->rank || p->parent != q->parent || p->option != q->option || p->kept != q->kept || p->penalty != q->penalty || p->dropped_out != q->dropped_out)
				fail_msg("decision %d, child %d differs", d, c);
		}
	}
	for (int pass = bw_search_first_pass(a); pass <= bw_search_settings(a)->passes; pass++)
		assert_int_equal(bw_search_pass_totals(a, pass).complete, bw_search_pass_totals(b, pass).complete);
	assert_int_equal(bw_search_totals(a).complete, bw_search_totals(b).complete);
}

/* A state is what its schedule says: built anew from it, it has the same hash and cost. */
static void states_are_their_schedules(void **state)
{
	const struct bw_pipeline *pipelines[] = {blur, harris};
	static const int beams[] = {1, 2, 32};
	for (int i = 0; i < 6; i++) {
		struct bw_settings options = options_of(beams[i % 3]);
		struct bw_search *search = finished(pipelines[i / 3], &options, NULL);
		struct bw_arena *arena = bw_arena_new();
		for (int p = 0; p <= bw_search_reached(search); p++) {
			const struct bw_state *const *states;
			int n = bw_search_beam(search, p, &states);
			assert_in_range(n, 1, options.beam);
			for (int s = 0; s < n; s++) {
				struct bw_error error = {0};
				struct bw_schedule *schedule = bw_nest_schedule(states[s]->nest);
				struct bw_nest *nest = bw_nest_build(pipelines[i / 3], schedule->placements, schedule->n_funcs, &error);
				if (!nest)
					fail_msg("position %d, state %d: %s", p, s, error.text);
				struct bw_search *lone = bw_search_new(pipelines[i / 3], &options, NULL);
				struct bw_cost cost = bw_search_cost(lone, nest, arena);
				if (!same_bits(cost.total, states[s]->cost))
					fail_msg("position %d, state %d: costs %.17g, was %.17g", p, s, cost.total, states[s]->cost);
				for (int f = 0; f < pipelines[i / 3]->n_funcs; f++)
					assert_true(!nest->placed[f] == !states[s]->nest->placed[f] && (!nest->placed[f] || nest->placed[f]->hash == states[s]->nest->placed[f]->hash));
				assert_true(p < bw_search_n_decisions(search) || bw_nest_complete(nest));
				assert_true(s == 0 || states[s - 1]->cost * states[s - 1]->penalty <= states[s]->cost * states[s]->penalty);
				for (int k = 0; k < s; k++)
					assert_true(states[k]->hash != states[s]->hash);
				bw_search_free(lone);
				bw_nest_drop(nest);
				bw_schedule_drop(schedule);
				bw_arena_reset(arena);
			}
		}
		bw_arena_free(arena);
		bw_search_free(search);
	}
}

/* Made again, each decision has the children that were recorded, no more and no fewer, with the same costs; and its totals. */
static void expansions_made_again_are_those_recorded(void **state)
{
	const struct bw_pipeline *pipelines[] = {blur, harris};
	for (int i = 0; i < 2; i++) {
		struct bw_settings options = options_of(i ? 3 : 32);
		options.passes = i ? 3 : 1;
		options.freezing = BW_FREEZING_OFF;
		struct bw_search *search = finished(pipelines[i], &options, NULL);
		for (int d = 0; d < bw_search_n_decisions(search); d++) {
			const struct bw_decision *decision = bw_search_decision(search, d);
			const struct bw_state *const *states, *const *next;
			int n = bw_search_beam(search, d, &states), n_next = bw_search_beam(search, d + 1, &next);
			long enumerated = 0, second = 0, unsampled = 0, n_carried = 0, costed = 0, kept = 0, pruned[BW_N_RULES] = {0};
			for (int s = 0; s < n; s++) {
				struct bw_expansion *expansion = bw_search_expand(search, d, s, NULL);
				enumerated += expansion->n;
				for (int o = 0; o < expansion->n; o++) {
					const struct bw_option *option = &expansion->options[o];
					if (option->fate == BW_FATE_PRUNED)
						pruned[option->rule]++;
					else if (option->fate == BW_FATE_SECOND_CHOICE)
						second++;
					else if (option->fate == BW_FATE_UNSAMPLED)
						unsampled++;
					else
						costed++;
					if (option->fate != BW_FATE_KEPT && option->fate != BW_FATE_DROPPED) {
						assert_int_equal(option->rank, -1);
						continue;
					}
					const struct bw_child *child = &decision->children[option->rank];
					assert_int_equal(child->parent, s);
					assert_int_equal(child->option, o);
					assert_true(same_bits(child->cost, option->cost));
					assert_int_equal(child->kept >= 0, option->fate == BW_FATE_KEPT);
					if (child->kept < 0)
						continue;
					kept++;
					assert_in_range(child->kept, 0, n_next - 1);
					assert_true(same_bits(next[child->kept]->cost, option->cost));
					assert_int_equal(next[child->kept]->parent_rank, s);
					assert_int_equal(next[child->kept]->option, o);
				}
				bw_expansion_free(expansion);
			}
			assert_int_equal(decision->enumerated, enumerated);
			assert_int_equal(decision->second, second);
			assert_int_equal(decision->unsampled, unsampled);
			assert_int_equal(decision->costed, costed);
			assert_int_equal(decision->n_children, costed);
			assert_int_equal(decision->kept, n_next);
			for (int s = 0; s < n_next; s++)
				n_carried += next[s]->position <= d;
			assert_int_equal(kept, n_next - n_carried);
			for (int r = 0; r < BW_N_RULES; r++)
				assert_int_equal(decision->pruned[r], pruned[r]);
		}
		bw_search_free(search);
	}
}

/* Returns how often a search asks whether it is to go on. */
static long asks_of(struct bw_search *search)
{
	struct asks asks = {0};
	struct bw_yield yield = {asks_go_on, &asks};
	struct bw_error error = {0};
	bw_search_advance(search, INT_MAX, &yield, &error);
	return asks.n;
}

/* Advances a search until it has asked so often. */
static enum bw_search_status stopped_at(struct bw_search *search, long most)
{
	struct asks asks = {.most = most};
	struct bw_yield yield = {asks_go_on, &asks};
	struct bw_error error = {0};
	return bw_search_advance(search, INT_MAX, &yield, &error);
}

/* Stopped anywhere, once or several times, a search finds the same: what it had not finished it makes again. It asks at least once for each option and
 * each child that is kept. */
static void stops_change_nothing(void **state)
{
	enum { PLACES = 24 };
	for (int i = 0; i < 4; i++) {
		struct bw_settings options = options_of(8);
		const struct bw_pipeline *pipeline = i < 2 ? blur : harris;
		options.passes = 2;
		options.sampling = i % 2;
		struct bw_search *whole = bw_search_new(pipeline, &options, NULL);
		long asks = asks_of(whole);
		struct bw_search_totals totals = bw_search_totals(whole);
		if (asks < totals.kept + totals.costed)
			fail_msg("%ld asks, %ld kept, %ld costed", asks, totals.kept, totals.costed);
		for (int k = 1; k <= PLACES; k++) {
			struct bw_search *search = bw_search_new(pipeline, &options, NULL);
			assert_int_equal(stopped_at(search, asks * k / (PLACES + 1)), BW_SEARCH_GOING);
			assert_true(bw_search_reached(search) < bw_search_n_decisions(search));
			stopped_at(search, asks / 3);
			stopped_at(search, k);
			advance_to(search, bw_search_n_decisions(search));
			assert_same(whole, search);
			bw_search_free(search);
		}
		bw_search_free(whole);
	}
}

/* Given back wherever it stands, a search leaves nothing behind and takes nothing twice, for what watches memory to see. */
static void a_search_ends_anywhere(void **state)
{
	struct bw_settings options = options_of(3);
	enum bw_search_status status = BW_SEARCH_GOING;
	options.passes = 2;
	for (long most = 1; status == BW_SEARCH_GOING; most += 7) {
		struct bw_search *search = bw_search_new(blur, &options, NULL);
		status = stopped_at(search, most);
		bw_search_free(search);
	}
}

/* What is recorded of children is bounded: the first ones, and those that are kept, as a record without a bound has them; and the search goes the same
 * way. */
static void records_are_bounded(void **state)
{
	struct bw_settings options = options_of(32);
	options.sampling = 0;
	options.passes = 2;
	options.freezing = BW_FREEZING_OFF;
	struct bw_search *whole = finished(harris, &options, NULL), *search = bw_search_new(harris, &options, NULL);
	int cut = 0, behind = 0;
	search->recorded_limit = 0;
	advance_to(search, bw_search_n_decisions(search));
	for (int d = 0; d < bw_search_n_decisions(search); d++) {
		const struct bw_decision *x = bw_search_decision(whole, d), *y = bw_search_decision(search, d);
		int first = x->n_children < BW_RECORDED_LEAST ? x->n_children : BW_RECORDED_LEAST;
		assert_int_equal(x->n_recorded, x->n_children);
		assert_int_equal(y->n_children, x->n_children);
		assert_in_range(y->n_recorded, first, first + options.beam);
		cut += y->n_recorded < y->n_children;
		for (int rank = 0; rank < x->n_children; rank++) {
			const struct bw_child *p = &x->children[rank], *q = bw_decision_child(y, rank);
			assert_int_equal(p->rank, rank);
			assert_int_equal(q != NULL, rank < first || p->kept >= 0);
			behind += q && rank >= first;
			if (q && (q->rank != rank || !same_bits(p->cost, q->cost) || p->kept != q->kept || p->penalty != q->penalty || p->parent != q->parent || p->option != q->option))
				fail_msg("decision %d, child %d differs", d, rank);
		}
		assert_null(bw_decision_child(y, x->n_children));
		assert_null(bw_decision_child(y, -1));
	}
	assert_true(cut > 5);
	assert_true(behind > 5);
	bw_search_free(search);
	bw_search_free(whole);
}

/* A stop is heeded, and what was begun goes on. */
static void a_stop_is_heeded(void **state)
{
	struct bw_settings options = options_of(8);
	struct bw_search *whole = finished(blur, &options, NULL), *search = bw_search_new(blur, &options, NULL);
	struct bw_error error = {0};
	atomic_bool stop = true;
	struct bw_yield yield = {bw_yield_unless, &stop};
	assert_int_equal(bw_search_advance(search, bw_search_n_decisions(search), &yield, &error), BW_SEARCH_GOING);
	assert_int_equal(bw_search_reached(search), 0);
	advance_to(search, bw_search_n_decisions(search));
	assert_same(whole, search);
	bw_search_free(search);
	bw_search_free(whole);
}

static struct bw_constraint constraint_in_words(const struct bw_pipeline *pipeline, const char *words)
{
	struct bw_error error = {0};
	const struct bw_placement *placement = bw_placement_parse(pipeline, words, &error);
	if (!placement)
		fail_msg("%s: %s", words, error.text);
	return (struct bw_constraint){.placement = placement, .sizes = placement->tiled, .source = BW_CONSTRAINT_FREEZE};
}

/* A search that comes to nothing says why, also if it was stopped on the way; so it does when it is asked again, and wherever it is given back nothing is
 * left. */
static void dead_ends_are_told(void **state)
{
	struct bw_settings options = options_of(8);
	struct bw_constraint held = constraint_in_words(blur, "blur_x at output.serial3");
	struct bw_constraints constraints = {.n = 1, .list = &held};
	struct bw_error at_once = {0}, error;
	struct bw_search *search = bw_search_new(blur, &options, &constraints);
	assert_int_equal(bw_search_advance(search, INT_MAX, NULL, &at_once), BW_SEARCH_DEAD);
	assert_int_equal(bw_search_advance(search, INT_MAX, NULL, &error), BW_SEARCH_DEAD);
	assert_string_equal(error.text, at_once.text);
	int reached = bw_search_reached(search);
	bw_search_free(search);
	enum bw_search_status status = BW_SEARCH_GOING;
	long most = 1;
	for (; status == BW_SEARCH_GOING; most++) {
		search = bw_search_new(blur, &options, &constraints);
		status = stopped_at(search, most);
		assert_true(bw_search_reached(search) <= reached);
		assert_int_equal(bw_search_advance(search, INT_MAX, NULL, &error), BW_SEARCH_DEAD);
		assert_string_equal(error.text, at_once.text);
		bw_search_free(search);
	}
	assert_int_equal(status, BW_SEARCH_DEAD);
	assert_true(most > 50);
	bw_placement_drop(held.placement);
}

/* A fork shares the positions before the first decision that it touches, and comes to what a fresh search under its constraints comes to. */
static void forks_are_fresh_searches(void **state)
{
	static const struct {
		const char *words[2];
		const char *func; /* the first that is touched */
	} cases[] = {
		{{"blur_x root"}, "blur_x"},
		{{"blur_x inline"}, "blur_x"},
		{{"output root 1x2/32x8"}, "output"},
		{{"output root 1x2/32x8", "blur_x at output.block 1x1"}, "output"},
		{{"input_im root"}, "input_im"},
	};
	struct bw_settings options = options_of(8);
	struct bw_search *search = finished(blur, &options, NULL);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_constraint list[2];
		struct bw_constraints constraints = {.list = list};
		for (int w = 0; w < 2 && cases[i].words[w]; w++)
			list[constraints.n++] = constraint_in_words(blur, cases[i].words[w]);
		struct bw_search *fork = bw_search_fork(search, NULL, &constraints), *fresh = finished(blur, &options, &constraints);
		int first = bw_search_find(search, description_func(blur, cases[i].func), BW_PHASE_WHERE, 1);
		assert_int_equal(bw_search_reached(fork), first);
		for (int p = 0; p <= first; p++) {
			const struct bw_state *const *one, *const *other;
			bw_search_beam(search, p, &one);
			bw_search_beam(fork, p, &other);
			assert_ptr_equal(one, other);
		}
		advance_to(fork, bw_search_n_decisions(fork));
		assert_same(fork, fresh);
		for (int c = 0; c < constraints.n; c++) {
			const struct bw_state *const *states;
			int n = bw_search_beam(fork, bw_search_n_decisions(fork), &states);
			for (int s = 0; s < n; s++) {
				const struct bw_placement *is = states[s]->nest->placed[list[c].placement->func]->placement;
				assert_true(bw_site_equal(&is->compute, &list[c].placement->compute));
				assert_true(!list[c].sizes || bw_placement_equal(is, list[c].placement));
			}
		}
		/* Back without constraints: what was there at first; the positions before are shared both ways. */
		struct bw_constraints none = {0};
		struct bw_search *back = bw_search_fork(fork, NULL, &none);
		bw_search_free(fork);
		advance_to(back, bw_search_n_decisions(back));
		assert_same(back, search);
		bw_search_free(back);
		bw_search_free(fresh);
		for (int c = 0; c < constraints.n; c++)
			bw_placement_drop(list[c].placement);
	}
	bw_search_free(search);
}

/* Other options touch everything. */
static void forks_with_other_options(void **state)
{
	struct bw_settings options = options_of(8), other;
	struct bw_search *search = finished(blur, &options, NULL);
	int n = bw_search_n_decisions(search);
	const struct {
		struct bw_settings options;
		int shared;
	} cases[] = {
		{options, n}, {(other = options, other.beam = 4, other), 0}, {(other = options, other.seed = 1, other), 0},
		{(other = options, other.device = devices + 1, other), 0}, {(other = options, other.unrolled_limit = 8, other), 0}, {(other = options, other.random = 1, other), 0},
		{(other = options, other.recompute_limit = 5, other), 0}, {(other = options, other.register_bytes_limit = 64, other), 0},
		{(other = options, other.stack_factor = 0.001, other), 0},
		{(other = options, other.idle_sms_limit = 1, other), 0}, {(other = options, other.idle_lanes_limit = 0.25, other), 0}, {(other = options, other.inlined_calls_limit = 1, other), 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_search *fork = bw_search_fork(search, &cases[i].options, NULL), *fresh = finished(blur, &cases[i].options, NULL);
		assert_int_equal(bw_search_reached(fork), cases[i].shared);
		advance_to(fork, n);
		assert_same(fork, fresh);
		bw_search_free(fork);
		bw_search_free(fresh);
	}
	bw_search_free(search);
}

/* Drawn at random: the same for the same seed; others for other seeds. */
static void random_choices_follow_from_the_seed(void **state)
{
	enum { SEEDS = 12 };
	uint64_t ends[SEEDS];
	int different = 0;
	for (int seed = 0; seed < SEEDS; seed++) {
		struct bw_settings options = options_of(1);
		options.random = 1;
		options.seed = (uint64_t)seed;
		struct bw_search *search = finished(harris, &options, NULL);
		struct bw_search *again = finished(harris, &options, NULL);
		assert_same(search, again);
		const struct bw_state *const *states;
		assert_int_equal(bw_search_beam(search, bw_search_n_decisions(search), &states), 1);
		assert_true(bw_nest_complete(states[0]->nest));
		ends[seed] = states[0]->hash;
		different += seed && ends[seed] != ends[seed - 1];
		bw_search_free(search);
		bw_search_free(again);
	}
	assert_in_range(different, SEEDS - 2, SEEDS - 1);
}

static void records_are_in_order_of_cost_and_add_up(void **state)
{
	struct bw_settings options = options_of(32);
	struct bw_search *search = finished(harris, &options, NULL);
	struct bw_search_totals totals = bw_search_totals(search);
	long costed = 0;
	for (int d = 0; d < bw_search_n_decisions(search); d++) {
		const struct bw_decision *decision = bw_search_decision(search, d);
		costed += decision->costed;
		assert_true(decision->made);
		for (int c = 1; c < decision->n_children; c++)
			assert_true(decision->children[c - 1].cost <= decision->children[c].cost);
	}
	assert_int_equal(totals.costed, costed);
	bw_search_free(search);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_are_their_schedules),
		cmocka_unit_test(expansions_made_again_are_those_recorded),
		cmocka_unit_test(stops_change_nothing),
		cmocka_unit_test(a_search_ends_anywhere),
		cmocka_unit_test(records_are_bounded),
		cmocka_unit_test(a_stop_is_heeded),
		cmocka_unit_test(dead_ends_are_told),
		cmocka_unit_test(forks_are_fresh_searches),
		cmocka_unit_test(forks_with_other_options),
		cmocka_unit_test(random_choices_follow_from_the_seed),
		cmocka_unit_test(records_are_in_order_of_cost_and_add_up),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
