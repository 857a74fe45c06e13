/* Asks of a schedule, decision by decision, whether the search here could have found it: each Func is decided among the options that there are beside what the
 * schedule says of those before it, and the one that is the schedule's own is looked for. Then the search itself is run, and it is told how the
 * schedule's states would stand among those in its beam. Meant for the loop nests that Halide's anderson2021 chose.
 *
 *   replay DESCRIPTION SCHEDULE [OPTION=VALUE...]
 *
 * A line a decision:
 *
 *   FUNC.PHASE PLACEMENT: FATE; COST so far; best OPTION COST       best: of all options, where that is another
 *   beam POSITION FUNC.PHASE: COST, in the beam BEST .. WORST of N   BEST and WORST by cost alone
 *
 * Options are those of the search (`beamwalk schedule --set help`). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/schedule.h"
#include "search/search_private.h"

struct replay {
	struct bw_pipeline *pipeline;
	struct bw_schedule *schedule;
	struct bw_search_options options;
	struct bw_search *search; /* whose decisions are replayed */
	struct bw_recall recall;
};

static void die(const char *text)
{
	fprintf(stderr, "replay: %s\n", text);
	exit(1);
}

static const char *words_of(const struct replay *replay, const struct bw_placement *placement, struct bw_text *text)
{
	bw_text_clear(text);
	bw_placement_words(replay->pipeline, placement, text);
	return bw_text_get(text);
}

static double cost_of(const struct replay *replay, const struct bw_nest *nest)
{
	struct bw_arena *arena = bw_arena_new();
	double cost = bw_search_cost(replay->search, nest, arena).total;
	bw_arena_free(arena);
	return cost;
}

/* All options of a decision, with words. */
static struct bw_expansion *expand(const struct replay *replay, const struct bw_decision *decision, struct bw_nest *nest)
{
	struct bw_state *state = bw_state_new(NULL, 0, -1, nest, 0);
	struct bw_question question = {.pipeline = replay->pipeline, .options = &replay->options, .parent = state, .alone = true, .beam = replay->options.beam, .func = decision->func, .phase = decision->phase, .pass = decision->pass, .recall = &replay->recall};
	struct bw_expanding expanding;
	bw_expanding_begin(&expanding, &question, NULL, false);
	bw_expanding_run(&expanding);
	struct bw_expansion *expansion = expanding.expansion;
	expanding.expansion = NULL;
	bw_expanding_end(&expanding);
	bw_state_drop(state);
	return expansion;
}

/* Whether an option is what the schedule says, as far as its phase decides. */
static bool is_own(const struct bw_option *option, const struct bw_placement *own, enum bw_phase phase)
{
	if (!option->placement)
		return false;
	if (phase == BW_PHASE_WHERE && own->compute.kind == BW_SITE_ROOT)
		return option->placement->compute.kind == BW_SITE_ROOT;
	return bw_placement_equal(option->placement, own);
}

static const struct bw_option *find_own(const struct bw_expansion *expansion, const struct bw_placement *own, enum bw_phase phase)
{
	for (int i = 0; i < expansion->n; i++)
		if (is_own(&expansion->options[i], own, phase))
			return &expansion->options[i];
	return NULL;
}

static const struct bw_option *find_best(const struct bw_expansion *expansion)
{
	const struct bw_option *best = NULL;
	for (int i = 0; i < expansion->n; i++)
		if (expansion->options[i].cost > 0 && (!best || expansion->options[i].cost < best->cost))
			best = &expansion->options[i];
	return best;
}

static int costing_less(const struct bw_expansion *expansion, double cost)
{
	int n = 0;
	for (int i = 0; i < expansion->n; i++)
		n += expansion->options[i].cost > 0 && expansion->options[i].cost < cost;
	return n;
}

/* The nest with a Func placed so; NULL where it cannot be, which is said. */
static struct bw_nest *place(const struct bw_nest *nest, const struct bw_placement *placement)
{
	struct bw_error error = {0};
	struct bw_nest *next = bw_nest_place(nest, placement, &error);
	if (!next)
		printf("  it cannot be placed: %s\n", error.text);
	return next;
}

/* What became of the options at the site that the schedule has; the words are those of the first that each rule judged. */
static void tell_site(const struct bw_expansion *expansion, const struct bw_site *site)
{
	int n = 0, judged[BW_N_RULES] = {0};
	const char *reasons[BW_N_RULES];
	for (int i = 0; i < expansion->n; i++) {
		const struct bw_option *option = &expansion->options[i];
		if (!option->placement || !bw_site_equal(&option->placement->compute, site))
			continue;
		n++;
		if (option->rule != BW_RULE_NONE && !judged[option->rule]++)
			reasons[option->rule] = option->reason;
	}
	printf("not among %d options, %d at this site", expansion->n, n);
	for (int r = 0; r < BW_N_RULES; r++)
		if (judged[r])
			printf(", %d by %s (%s)", judged[r], bw_rule_name((enum bw_rule)r), reasons[r]);
}

static void tell(const struct replay *replay, const struct bw_decision *decision, const struct bw_expansion *expansion, const struct bw_placement *own, const struct bw_nest *next)
{
	struct bw_text text = {0};
	const struct bw_option *option = find_own(expansion, own, decision->phase), *best = find_best(expansion);
	printf("%s.%s %s: ", replay->pipeline->funcs[decision->func].name, bw_phase_name(decision->phase), words_of(replay, own, &text));
	if (!option)
		tell_site(expansion, &own->compute);
	else if (option->rule != BW_RULE_NONE)
		printf("%s (%s: %s)", bw_fate_name(option->fate), bw_rule_name(option->rule), option->reason);
	else
		printf("%d of %d options cost less", costing_less(expansion, option->cost), expansion->n);
	if (next && decision->phase == BW_PHASE_WHERE && own->compute.kind == BW_SITE_ROOT && option && option->cost > 0)
		printf("; %.5g so far", option->cost);
	else if (next)
		printf("; %.5g so far", cost_of(replay, next));
	if (best && best != option && best->placement)
		printf("; best %s %.5g", words_of(replay, best->placement, &text), best->cost);
	printf("\n");
	bw_text_free(&text);
}

/* One decision: tells of it, and gives the nest that the schedule goes on with, NULL where there is none. Takes the nest over. */
static struct bw_nest *decide(const struct replay *replay, const struct bw_decision *decision, struct bw_nest *nest)
{
	const struct bw_placement *own = replay->schedule->placements[decision->func];
	struct bw_expansion *expansion = expand(replay, decision, nest);
	const struct bw_option *option = find_own(expansion, own, decision->phase);
	bool open = decision->phase == BW_PHASE_WHERE && own->compute.kind == BW_SITE_ROOT && option;
	struct bw_nest *next = decision->phase == BW_PHASE_TILE && own->compute.kind != BW_SITE_ROOT ? bw_nest_keep(nest) : place(nest, open ? option->placement : own);
	if (decision->phase == BW_PHASE_WHERE || own->compute.kind == BW_SITE_ROOT)
		tell(replay, decision, expansion, own, next);
	bw_expansion_free(expansion);
	bw_nest_drop(nest);
	return next;
}

/* How a state stands in the beam after decision d. */
static void tell_beam(const struct replay *replay, int d, double cost)
{
	const struct bw_decision *decision = bw_search_decision(replay->search, d);
	const struct bw_state *const *states;
	int n = bw_search_beam(replay->search, d + 1, &states);
	double least = states[0]->cost, most = least;
	for (int s = 1; s < n; s++) {
		least = states[s]->cost < least ? states[s]->cost : least;
		most = states[s]->cost > most ? states[s]->cost : most;
	}
	printf("beam %d %s.%s: %.5g, in the beam %.5g .. %.5g of %d\n", d + 1, replay->pipeline->funcs[decision->func].name, bw_phase_name(decision->phase), cost, least, most, n);
}

static void replay_all(struct replay *replay)
{
	struct bw_error error = {0};
	int n = bw_search_pass_end(replay->search, bw_search_first_pass(replay->search));
	struct bw_nest *nest = bw_nest_new(replay->pipeline);
	double *costs = BW_NEW_ARRAY(double, n);
	int d = 0;
	for (; d < n && nest; d++) {
		nest = decide(replay, bw_search_decision(replay->search, d), nest);
		costs[d] = nest ? cost_of(replay, nest) : 0;
	}
	if (bw_search_advance(replay->search, n, NULL, &error) == BW_SEARCH_DEAD)
		die(error.text);
	for (int i = 0; i < d; i++)
		tell_beam(replay, i, costs[i]);
	bw_nest_drop(nest);
	free(costs);
}

static void assign(struct replay *replay, const char *text, const struct bw_device *devices, int n_devices)
{
	struct bw_error error = {0};
	struct bw_assignment assignment;
	if (!bw_assignment_read(text, &assignment, &error) || !bw_search_options_assign(&assignment, devices, n_devices, &replay->options, &error))
		die(error.text);
}

static void read_files(struct replay *replay, const char *description, const char *schedule)
{
	struct bw_error error = {0};
	replay->pipeline = bw_pipeline_read(description, &error);
	if (!replay->pipeline)
		die(error.text);
	replay->schedule = bw_schedule_read(replay->pipeline, schedule, NULL, &error);
	if (!replay->schedule)
		die(error.text);
	for (int f = 0; f < replay->pipeline->n_funcs; f++)
		if (!replay->pipeline->funcs[f].input && !replay->schedule->placements[f])
			die("the schedule does not mention every Func");
}

int main(int argc, char **argv)
{
	struct bw_error error = {0};
	struct bw_models models = {0};
	struct bw_text path = {0};
	struct replay replay = {0};
	int n_devices = 0;
	if (argc < 3)
		die("usage: replay DESCRIPTION SCHEDULE [OPTION=VALUE...]");
	bw_text_printf(&path, "%s/data/devices.json", getenv("BW_SRC") ? getenv("BW_SRC") : ".");
	struct bw_device *devices = bw_devices_read(bw_text_get(&path), &n_devices, &error);
	if (!devices)
		die(error.text);
	replay.options = bw_search_options_default(bw_device_find(devices, n_devices, "A100"));
	replay.options.models = &models;
	read_files(&replay, argv[1], argv[2]);
	for (int i = 3; i < argc; i++)
		assign(&replay, argv[i], devices, n_devices);
	replay.search = bw_search_new(replay.pipeline, &replay.options, NULL);
	replay.options = *bw_search_options_of(replay.search);
	replay.options.sampling = false;
	replay.recall = bw_recall_begin(NULL, replay.pipeline, &replay.options);
	replay_all(&replay);
	bw_recall_end(&replay.recall);
	bw_search_free(replay.search);
	bw_schedule_drop(replay.schedule);
	bw_pipeline_free(replay.pipeline);
	bw_models_free(&models);
	free(devices);
	bw_text_free(&path);
	return 0;
}
