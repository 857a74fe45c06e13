/* What is asked of a search on any pipeline: under each set of options it ends in a schedule that lowers and can be written and read
 * back, or says by figures why not; it is the same in slices of time; and it looks at the clock often. */
#pragma once
#include "schedulers/scheduler.h"

/* What was seen. */
struct searched {
	long pipelines, searches, dead, enumerated, costed, schedules;
	long inlined, root, block, thread, serial; /* Funcs of the schedules found, by where they are computed */
	long tiled_serially;                       /* stages with serial extents */
	long round_up, shift_inwards, guard;       /* stages by the tails of their splits */
	long pruned[BW_N_RULES];
	double slowest; /* longest processor seconds between two questions of a search whether to go on */
	double seconds; /* processor seconds of all searches */
};

/* Sets of options: how many there are; the first few are cheap. */
int searched_sets(void);
const char *searched_set_name(int set);
/* Searches under a set of options. False with what is wrong. counts is added to. */
bool searched(const struct bw_pipeline *pipeline, const struct bw_device *device, int set, uint64_t seed, struct searched *counts, struct bw_error *error);
/* The options of a schedule that is drawn at random. */
struct bw_settings searched_random(const struct bw_device *device, uint64_t seed);
/* Adds the kinds of sites and tails of a nest. */
void searched_count(const struct bw_nest *nest, struct searched *counts);
void searched_print(const struct searched *counts);
/* The kinds alone. */
void searched_print_kinds(const struct searched *counts);
