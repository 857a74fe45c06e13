#include "searched.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "schedule/directive.h"

/* A set of options. */
struct set {
	const char *name;
	int beam, passes, sampling, random;
	enum { FULL, SMALL, TINY } device; /* SMALL: one that has hardly anything; TINY: one that no block fits on */
	bool again; /* once more with three threads, advanced a little at a time */
	const char *said[2]; /* other options; NULL: no more */
};
static const struct set sets[] = {
	{"random", 1, 1, 1, 1, FULL, false, {NULL}},
	{"greedy", 1, 1, 1, 0, FULL, true, {NULL}},
	{"small device", 2, 1, 1, 0, SMALL, false, {"search_space=root,inline,block"}},
	{"random, small device", 1, 1, 1, 1, SMALL, false, {"disable_subtiling=1"}},
	{"tiny device", 1, 1, 1, 0, TINY, true, {NULL}},
	{"three passes", 2, 3, 1, 0, FULL, true, {"random_dropout=50"}},
	{"no sampling", 2, 1, 0, 0, FULL, true, {NULL}},
	{"beam of 12", 12, 2, 1, 0, FULL, false, {"freezing=paper", "random_dropout=20"}},
};

int searched_sets(void)
{
	return (int)(sizeof sets / sizeof *sets);
}

const char *searched_set_name(int set)
{
	return sets[set].name;
}

static double cpu_seconds(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static struct bw_device device_of(const struct set *set, const struct bw_device *device)
{
	struct bw_device small = *device;
	if (set->device == FULL)
		return small;
	small.sms = 2;
	small.threads_per_block = small.block_x = small.block_y = set->device == TINY ? 8 : 64;
	small.block_z = 4;
	small.grid_x = 4096;
	small.grid_y = small.grid_z = 256;
	small.shared_per_block = 2048;
	small.register_limit = 24;
	return small;
}

static struct bw_settings options_of(const struct set *set, const struct bw_device *device, uint64_t seed)
{
	struct bw_settings options = bw_settings_default(device);
	options.beam = set->beam;
	options.passes = set->passes;
	options.sampling = set->sampling;
	options.random = set->random;
	options.seed = seed;
	for (int i = 0; i < 2 && set->said[i]; i++) {
		struct bw_assignment assignment;
		struct bw_error error;
		if (!bw_assignment_read(set->said[i], &assignment, &error) || !bw_settings_assign(&assignment, device, 1, &options, &error))
			abort();
	}
	return options;
}

struct bw_settings searched_random(const struct bw_device *device, uint64_t seed)
{
	struct bw_settings options = options_of(&sets[0], device, seed);
	options.idle_sms_limit = 0; /* what tests run is small */
	return options;
}

void searched_count(const struct bw_nest *nest, struct searched *counts)
{
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		const struct bw_placed *placed = nest->placed[f];
		if (!placed)
			continue;
		const struct bw_site *site = &placed->placement->compute;
		counts->inlined += site->kind == BW_SITE_INLINE;
		counts->root += site->kind == BW_SITE_ROOT;
		counts->block += site->kind == BW_SITE_AT && site->role == BW_ROLE_BLOCK;
		counts->thread += site->kind == BW_SITE_AT && site->role == BW_ROLE_THREAD;
		counts->serial += site->kind == BW_SITE_AT && site->role == BW_ROLE_SERIAL;
		for (int s = 0; s < placed->placement->n_stages; s++) {
			bool has[BW_N_TAILS] = {false};
			for (int i = 0; i < placed->stages[s].n_loops; i++)
				has[placed->stages[s].tails[i]] = true;
			counts->tiled_serially += placed->stages[s].unrolled > 1;
			counts->round_up += has[BW_TAIL_ROUND_UP];
			counts->shift_inwards += has[BW_TAIL_SHIFT_INWARDS];
			counts->guard += has[BW_TAIL_GUARD_WITH_IF];
		}
	}
}

/* What a dead search says: of how many options, and how many each rule pruned, with figures. These must add up. */
static bool reasons_given(const char *text, struct bw_error *error)
{
	long enumerated = -1, all = 0;
	const char *at = strstr(text, ": no legal option for "), *of = at ? strstr(at, ": of ") : NULL;
	if (!of || sscanf(of, ": of %ld enumerated, pruned ", &enumerated) != 1)
		return bw_fail(error, BW_ERROR_CONFLICT, "no reasons in: %s", text);
	for (const char *by = strstr(of, " by "); by; by = strstr(by + 1, " by ")) {
		const char *number = by;
		while (number > of && number[-1] >= '0' && number[-1] <= '9')
			number--;
		all += strtol(number, NULL, 10);
	}
	bool figures = strchr(of, '(') || strstr(of, " by site") || strstr(of, " by dynamic allocation");
	if (all != enumerated || !figures)
		return bw_fail(error, BW_ERROR_CONFLICT, "%ld options are spoken for, or no figures given, in: %s", all, text);
	return true;
}

/* The text form of a schedule, read back, is the same schedule. */
static bool text_round(const struct bw_pipeline *pipeline, const struct bw_nest *nest, struct bw_error *error)
{
	struct bw_text text = {0};
	struct bw_schedule *schedule = bw_nest_schedule(nest);
	bw_schedule_print(pipeline, schedule, &text);
	struct bw_schedule *read = bw_schedule_parse(pipeline, "schedule", bw_text_get(&text), text.length, NULL, error);
	bool good = read && bw_schedule_equal(schedule, read);
	if (read && !good)
		bw_fail(error, BW_ERROR_CONFLICT, "a schedule is read back as another one");
	bw_schedule_drop(read);
	bw_schedule_drop(schedule);
	bw_text_free(&text);
	return good;
}

/* The best schedule lowers to directives. */
static bool lowers(const struct bw_search *search, struct searched *counts, struct bw_error *error)
{
	const struct bw_state *const *states;
	int n = bw_search_beam(search, bw_search_reached(search), &states);
	for (int i = 0; i < n && i < 4; i++) {
		if (!bw_nest_complete(states[i]->nest) || !isfinite(states[i]->cost))
			return bw_fail(error, BW_ERROR_CONFLICT, "state %d: %s", i, isfinite(states[i]->cost) ? "a Func is not placed" : "its cost is no number");
		struct bw_directives *directives = bw_lower(states[i]->nest, error);
		if (!directives || !text_round(bw_search_pipeline(search), states[i]->nest, error)) {
			bw_directives_free(directives);
			return false;
		}
		bw_directives_free(directives);
		counts->schedules++;
		searched_count(states[i]->nest, counts);
	}
	return true;
}

/* Whether two searches ended alike. */
static bool same(const struct bw_search *a, const struct bw_search *b)
{
	const struct bw_state *const *mine, *const *other;
	struct bw_search_totals x = bw_search_totals(a), y = bw_search_totals(b);
	if (bw_search_reached(a) != bw_search_reached(b) || x.enumerated != y.enumerated || x.costed != y.costed || x.unsampled != y.unsampled)
		return false;
	for (int p = 0; p <= bw_search_reached(a); p++) {
		int n = bw_search_beam(a, p, &mine);
		if (n != bw_search_beam(b, p, &other))
			return false;
		for (int i = 0; i < n; i++)
			if (mine[i]->hash != other[i]->hash || mine[i]->cost != other[i]->cost)
				return false;
	}
	return true;
}

/* A search that is watched, and stopped when it has asked `left` times whether it is to go on. */
struct watched {
	struct searched *counts;
	double asked; /* seconds when it asked last */
	long left;
};

static bool watch(void *data)
{
	struct watched *watched = data;
	double now = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
	watched->counts->slowest = fmax(watched->counts->slowest, now - watched->asked);
	watched->asked = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
	return --watched->left;
}

/* To the end, with stops. */
static enum bw_search_status advance_slowly(struct bw_search *search, struct searched *counts, struct bw_error *error)
{
	enum bw_search_status status = BW_SEARCH_GOING;
	for (long most = 512; status == BW_SEARCH_GOING; most *= 4) {
		struct watched watched = {counts, cpu_seconds(CLOCK_THREAD_CPUTIME_ID), most};
		status = bw_search_advance(search, INT_MAX, &(struct bw_yield){watch, &watched}, error);
	}
	return status;
}

static bool search_again(const struct bw_search *first, enum bw_search_status status, struct searched *counts, struct bw_error *error)
{
	struct bw_error other;
	struct bw_search *second = bw_search_new(bw_search_pipeline(first), bw_search_settings(first), NULL);
	bool good = advance_slowly(second, counts, &other) == status && same(first, second);
	if (!good)
		bw_fail(error, BW_ERROR_CONFLICT, "with stops, the search ends elsewhere");
	bw_search_free(second);
	return good;
}

bool searched(const struct bw_pipeline *pipeline, const struct bw_device *device, int set, uint64_t seed, struct searched *counts, struct bw_error *error)
{
	struct bw_device own = device_of(&sets[set], device);
	struct bw_settings options = options_of(&sets[set], &own, seed);
	double start = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
	struct bw_search *search = bw_search_new(pipeline, &options, NULL);
	struct bw_error dead;
	enum bw_search_status status = bw_search_advance(search, INT_MAX, NULL, &dead);
	bool good = status == BW_SEARCH_DEAD ? reasons_given(dead.text, error) : lowers(search, counts, error);
	counts->searches++;
	counts->dead += status == BW_SEARCH_DEAD;
	if (status == BW_SEARCH_DEAD && good && sets[set].device == FULL)
		good = bw_fail(error, BW_ERROR_CONFLICT, "a dead end on a device of full size: %s", dead.text);
	struct bw_search_totals totals = bw_search_totals(search);
	counts->enumerated += totals.enumerated;
	counts->costed += totals.costed;
	for (int r = 0; r < BW_N_RULES; r++)
		counts->pruned[r] += totals.pruned[r];
	if (good && sets[set].again)
		good = search_again(search, status, counts, error);
	bw_search_free(search);
	counts->seconds += cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
	return good;
}

void searched_print_kinds(const struct searched *counts)
{
	printf("# Funcs: %ld inlined, %ld at root, %ld at a block, %ld at a thread, %ld at a serial loop; stages: %ld unrolled, with a tail: %ld round up, %ld shift inwards, %ld guard\n",
	       counts->inlined, counts->root, counts->block, counts->thread, counts->serial, counts->tiled_serially, counts->round_up, counts->shift_inwards, counts->guard);
}

void searched_print(const struct searched *counts)
{
	printf("# %ld pipelines, %ld searches, %ld options, %ld states costed, in %.1f processor seconds; %ld dead ends with reasons, %ld schedules lowered\n",
	       counts->pipelines, counts->searches, counts->enumerated, counts->costed, counts->seconds, counts->dead, counts->schedules);
	searched_print_kinds(counts);
	printf("# pruned:");
	for (int r = 0; r < BW_N_RULES; r++)
		printf("%s %s %ld", r ? "," : "", bw_rule_name((enum bw_rule)r), counts->pruned[r]);
	printf("\n# longest time between two questions whether to go on: %.1f ms\n", 1e3 * counts->slowest);
}
