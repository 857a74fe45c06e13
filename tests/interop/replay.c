/* Asks of schedules, decision by decision, whether the search here could have found them: each Func is decided among the options that there are beside what
 * the schedule says of those before it, and the one that is the schedule's own is looked for. Meant for the loop nests that Halide's anderson2021 chose.
 *
 *   replay table SCHEDULE... [OPTION=VALUE...]           a line for each schedule; its pipeline is description.json beside it
 *   replay DESCRIPTION SCHEDULE [OPTION=VALUE...]        a line for each decision; then how it stands in the beam of a search
 *
 * What a decision is found to be:
 *   beam      among the options that the beam search judges, and no rule prunes it
 *   second    as well, as a second choice: costed where nothing else is left
 *   polish    a variant of another option of the beam, in one dimension or by its unrolling, which polishing tries
 *   order     offered at the same site with the same sizes; its loops or its storage are in another order there
 *   rule      offered, but a rule prunes it; the rule is named
 *   absent    not offered
 *
 * Options are those of the search (`beamwalk schedule --set help`). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nest/plan.h"
#include "schedule/schedule.h"
#include "search/search_private.h"

enum found { BEAM, SECOND, POLISH, ORDER, RULE, ABSENT, N_FOUND };
static const char *const found_names[] = {"beam", "second", "polish", "order", "rule", "absent"};

struct replay {
	struct bw_pipeline *pipeline;
	struct bw_schedule *schedule;
	struct bw_search *search; /* whose decisions are replayed: nothing is sampled */
	bool table;               /* a line for the whole schedule */
	int counts[N_FOUND];
	struct bw_text lost; /* the decisions that are not in the space, with words */
};

static void die(const char *file, const char *text)
{
	fprintf(stderr, "replay: %s%s%s\n", file, *file ? ": " : "", text);
	exit(1);
}

static struct bw_question question_of(const struct replay *replay, int index, const struct bw_state *parent, const struct bw_near *near)
{
	struct bw_question question = bw_search_question(replay->search, index, parent, true);
	question.near = near;
	return question;
}

/* Returns the options of a decision beside a nest, judged and not costed. near: the variants of a placement; NULL: what the beam is offered. */
static struct bw_expansion *expand(const struct replay *replay, int index, struct bw_nest *nest, const struct bw_near *near)
{
	struct bw_state *state = bw_state_new(NULL, 0, -1, nest, 0);
	struct bw_question question = question_of(replay, index, state, near);
	struct bw_expanding expanding;
	bw_expanding_begin(&expanding, &question, NULL, false);
	expanding.draws = true;
	bw_expanding_run(&expanding);
	struct bw_expansion *expansion = expanding.expansion;
	expanding.expansion = NULL;
	bw_expanding_end(&expanding);
	bw_state_drop(state);
	return expansion;
}

/* Returns true if an option is what the schedule says, as far as its phase decides. */
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

static struct bw_near near_of(const struct replay *replay, const struct bw_placement *now)
{
	struct bw_near near = {.now = now, .memory = BW_MEMORY_AUTO};
	bw_plan_sizes(replay->pipeline, now, near.serial, near.threads);
	return near;
}

/* Returns what the schedule says of a Func as a variant of this placement, as far as the phase decides, with a reference; NULL if it is none, or a rule prunes it. */
static const struct bw_placement *variant_of(const struct replay *replay, int index, struct bw_nest *nest, const struct bw_placement *from, const struct bw_placement *own)
{
	enum bw_phase phase = bw_search_decision(replay->search, index)->phase;
	struct bw_near near = near_of(replay, from);
	struct bw_expansion *expansion = expand(replay, index, nest, &near);
	const struct bw_option *option = find_own(expansion, own, phase);
	const struct bw_placement *found = option && option->fate != BW_FATE_PRUNED ? bw_placement_keep(option->placement) : NULL;
	bw_expansion_free(expansion);
	return found;
}

/* Returns what polishing comes to from an option that the beam is offered: from the first one, which may be at another site, and from those at the same
 * site, in one step. NULL if it does not come to what the schedule says. */
static const struct bw_placement *polished(const struct replay *replay, int index, struct bw_nest *nest, const struct bw_expansion *offered, const struct bw_placement *own)
{
	const struct bw_placement *found = NULL;
	for (int i = 0, first = 1; i < offered->n && !found; i++) {
		const struct bw_option *option = &offered->options[i];
		bool stands = option->placement && option->fate != BW_FATE_PRUNED,
		     alike = stands && option->placement->tiled && own->tiled && bw_site_equal(&option->placement->compute, &own->compute);
		if (stands && (first || alike))
			found = variant_of(replay, index, nest, option->placement, own);
		first &= !stands;
	}
	return found;
}

/* Returns the nest with a Func placed so; NULL if it cannot be, which is said. */
static struct bw_nest *place(struct replay *replay, const struct bw_nest *nest, const struct bw_placement *placement)
{
	struct bw_error error = {0};
	struct bw_nest *next = bw_nest_place(nest, placement, &error);
	if (!next)
		bw_text_printf(&replay->lost, "    cannot be placed: %s\n", error.text);
	return next;
}

/* Appends what became of the options at the site that the schedule has. */
static void tell_site(const struct bw_expansion *expansion, const struct bw_site *site, struct bw_text *out)
{
	int n = 0, judged[BW_N_RULES] = {0};
	for (int i = 0; i < expansion->n; i++) {
		const struct bw_option *option = &expansion->options[i];
		if (!option->placement || !bw_site_equal(&option->placement->compute, site))
			continue;
		n++;
		if (option->fate == BW_FATE_PRUNED)
			judged[option->rule]++;
	}
	bw_text_printf(out, "none of %d options, %d at its site", expansion->n, n);
	for (int r = 0; r < BW_N_RULES; r++)
		if (judged[r])
			bw_text_printf(out, ", %d pruned by %s", judged[r], bw_rule_name((enum bw_rule)r));
}

/* Returns true if an option that is not pruned has the site and the sizes of a placement. */
static bool sized_alike(const struct replay *replay, const struct bw_expansion *expansion, const struct bw_placement *own)
{
	struct bw_near sizes = near_of(replay, own);
	int n = replay->pipeline->funcs[own->func].n_dims;
	for (int i = 0; i < expansion->n; i++) {
		const struct bw_option *option = &expansion->options[i];
		if (!option->placement || option->fate == BW_FATE_PRUNED || !bw_site_equal(&option->placement->compute, &own->compute))
			continue;
		struct bw_near other = near_of(replay, option->placement);
		if (!memcmp(sizes.serial, other.serial, (size_t)n * sizeof *sizes.serial) && !memcmp(sizes.threads, other.threads, (size_t)n * sizeof *sizes.threads))
			return true;
	}
	return false;
}

/* Finds the schedule's own choice. *placement: as it is offered, with a reference; NULL if it is not. */
static enum found find(const struct replay *replay, int index, struct bw_nest *nest, const struct bw_expansion *expansion, const struct bw_option *option, const struct bw_placement *own, const struct bw_placement **placement)
{
	*placement = option ? bw_placement_keep(option->placement) : polished(replay, index, nest, expansion, own);
	if (!option)
		return *placement ? POLISH : sized_alike(replay, expansion, own) ? ORDER : ABSENT;
	return option->fate == BW_FATE_PRUNED ? RULE : option->fate == BW_FATE_SECOND_CHOICE ? SECOND : BEAM;
}

static void tell(struct replay *replay, const struct bw_decision *decision, const struct bw_expansion *expansion, const struct bw_option *option, enum found found, const struct bw_placement *own)
{
	struct bw_text words = {0}, line = {0};
	bw_placement_words(replay->pipeline, own, &words);
	bw_text_printf(&line, "%s.%s %s: %s", replay->pipeline->funcs[decision->func].name, bw_phase_name(decision->phase), bw_text_get(&words), found_names[found]);
	if (found == ABSENT)
		tell_site(expansion, &own->compute, (bw_text_puts(&line, ", "), &line));
	else if (option && option->rule != BW_RULE_NONE)
		bw_text_printf(&line, ", %s: %s", bw_rule_name(option->rule), option->reason);
	if (!replay->table)
		printf("%s\n", bw_text_get(&line));
	else if (found >= RULE)
		bw_text_printf(&replay->lost, "    %s\n", bw_text_get(&line));
	bw_text_free(&words);
	bw_text_free(&line);
}

/* Makes one decision, and tells of it. Returns the nest that the schedule goes on with, NULL if there is none. Takes the nest over. */
static struct bw_nest *decide(struct replay *replay, int index, struct bw_nest *nest)
{
	const struct bw_decision *decision = bw_search_decision(replay->search, index);
	const struct bw_placement *own = replay->schedule->placements[decision->func];
	bool root = own->compute.kind == BW_SITE_ROOT;
	if (decision->phase == BW_PHASE_TILE && !root)
		return nest;
	struct bw_expansion *expansion = expand(replay, index, nest, NULL);
	const struct bw_option *option = find_own(expansion, own, decision->phase);
	const struct bw_placement *placement;
	enum found found = find(replay, index, nest, expansion, option, own, &placement);
	replay->counts[found]++;
	tell(replay, decision, expansion, option, found, own);
	struct bw_nest *next = place(replay, nest, placement && decision->phase == BW_PHASE_WHERE ? placement : own);
	bw_placement_drop(placement);
	bw_expansion_free(expansion);
	bw_nest_drop(nest);
	return next;
}

static double cost_of(const struct bw_search *search, const struct bw_nest *nest)
{
	struct bw_arena *arena = bw_arena_new();
	double cost = bw_search_cost(search, nest, arena).total;
	bw_arena_free(arena);
	return cost;
}

/* Runs the search, and tells how the schedule would stand in the beam after each decision. */
static void tell_beams(const struct replay *replay, const double *costs, int n)
{
	struct bw_error error = {0};
	if (bw_search_advance(replay->search, n, NULL, &error) == BW_SEARCH_DEAD)
		die("", error.text);
	for (int d = 0; d < n; d++) {
		const struct bw_decision *decision = bw_search_decision(replay->search, d);
		const struct bw_state *const *states;
		int kept = bw_search_beam(replay->search, d + 1, &states), below = 0;
		double most = 0;
		for (int s = 0; s < kept; s++) {
			most = states[s]->cost > most ? states[s]->cost : most;
			below += states[s]->cost < costs[d];
		}
		printf("beam %d %s.%s: %.5g; %d of %d states cost less, the best %.5g, the worst %.5g\n", d + 1, replay->pipeline->funcs[decision->func].name, bw_phase_name(decision->phase), costs[d], below, kept, states[0]->cost, most);
	}
}

static void replay_all(struct replay *replay)
{
	int n = bw_search_pass_end(replay->search, bw_search_first_pass(replay->search)), d = 0;
	struct bw_nest *nest = bw_nest_new(replay->pipeline);
	double *costs = BW_NEW_ARRAY(double, n);
	for (; d < n && nest; d++) {
		nest = decide(replay, d, nest);
		costs[d] = nest && !replay->table ? cost_of(replay->search, nest) : 0;
	}
	if (!replay->table)
		tell_beams(replay, costs, nest ? d : d - 1);
	bw_nest_drop(nest);
	free(costs);
}

static void read_files(struct replay *replay, const char *description, const char *schedule)
{
	struct bw_error error = {0};
	replay->pipeline = bw_pipeline_read(description, &error);
	if (!replay->pipeline)
		die("", error.text);
	replay->schedule = bw_schedule_read(replay->pipeline, schedule, NULL, &error);
	if (!replay->schedule)
		die("", error.text);
	for (int f = 0; f < replay->pipeline->n_funcs; f++)
		if (!replay->pipeline->funcs[f].input && !replay->schedule->placements[f])
			die(schedule, "the schedule does not mention every Func");
}

static void replay_file(struct replay *replay, const char *description, const char *schedule, const struct bw_settings *options)
{
	read_files(replay, description, schedule);
	replay->search = bw_search_new(replay->pipeline, options, NULL);
	replay_all(replay);
	bw_search_free(replay->search);
	bw_schedule_drop(replay->schedule);
	bw_pipeline_free(replay->pipeline);
}

/* Replays one schedule for the table, and adds its counts to those of all. */
static void print_row(const char *schedule, const struct bw_settings *options, int *counts)
{
	struct replay replay = {.table = true};
	struct bw_text description = {0}, name = {0};
	const char *slash = strrchr(schedule, '/'), *from = slash;
	while (from && from > schedule && from[-1] != '/')
		from--;
	bw_text_printf(&description, "%.*sdescription.json", slash ? (int)(slash - schedule) + 1 : 0, schedule);
	bw_text_puts(&name, from ? from : schedule);
	replay_file(&replay, bw_text_get(&description), schedule, options);
	printf("%-34s", bw_text_get(&name));
	for (int i = 0; i < N_FOUND; i++) {
		printf(" %6d", replay.counts[i]);
		counts[i] += replay.counts[i];
	}
	printf("\n%s", bw_text_get(&replay.lost));
	bw_text_free(&replay.lost);
	bw_text_free(&description);
	bw_text_free(&name);
}

static void print_table(char **schedules, int n, const struct bw_settings *options)
{
	int counts[N_FOUND] = {0};
	printf("%-34s", "decisions of");
	for (int i = 0; i < N_FOUND; i++)
		printf(" %6s", found_names[i]);
	printf("\n");
	for (int i = 0; i < n; i++)
		print_row(schedules[i], options, counts);
	printf("%-34s", "all");
	for (int i = 0; i < N_FOUND; i++)
		printf(" %6d", counts[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	struct bw_error error = {0};
	struct bw_models models = {0};
	struct bw_text path = {0};
	struct replay replay = {0};
	struct bw_assignment assignment;
	int n_devices = 0, files = 1;
	while (files < argc && !strchr(argv[files], '='))
		files++;
	bool table = argc > 1 && !strcmp(argv[1], "table");
	if (table ? files < 3 : files != 3)
		die("", "usage: replay DESCRIPTION SCHEDULE [OPTION=VALUE...], or replay table SCHEDULE... [OPTION=VALUE...]");
	bw_text_printf(&path, "%s/data/devices.json", getenv("BW_SRC") ? getenv("BW_SRC") : ".");
	struct bw_device *devices = bw_devices_read(bw_text_get(&path), &n_devices, &error);
	if (!devices)
		die("", error.text);
	struct bw_settings options = bw_settings_default(bw_device_find(devices, n_devices, "A100"));
	options.models = &models;
	options.sampling = BW_SAMPLING_OFF;
	for (int i = files; i < argc; i++)
		if (!bw_assignment_read(argv[i], &assignment, &error) || !bw_settings_assign(&assignment, devices, n_devices, &options, &error))
			die("", error.text);
	if (table)
		print_table(argv + 2, files - 2, &options);
	else
		replay_file(&replay, argv[1], argv[2], &options);
	bw_models_free(&models);
	free(devices);
	bw_text_free(&path);
	return 0;
}
