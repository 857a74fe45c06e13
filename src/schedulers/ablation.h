/* An ablation of one pipeline: the measured figures of its variants, next to each other and to the
 * paper's. */
#pragma once
#include "schedulers/published.h"
#include "search/search.h"

/* Measures what each idea that makes the search scale is worth: runs the same search with every
 * combination of the ideas on and off. Tables 1, 2, 3 and 5 of Anderson et al. 2021 (section 6.3) do this
 * for sampling, freezing and memoization. A variant is a combination, with one bit per switch. The
 * searches are those of bw_search, unchanged. */

/* Switches: field of struct bw_settings (0: off), name, letter, the field's value if the switch is on,
 * computed from the current `options`. The first switch is the most significant bit of a variant, so that
 * counting down from all on to all off gives the order of the paper's tables. */
#define BW_SWITCH_TABLE(X) \
	X(sampling, "sampling", 'S', options->sampling ? options->sampling : 1) \
	X(freezing, "freezing", 'F', options->freezing == BW_FREEZING_PAPER ? BW_FREEZING_PAPER : BW_FREEZING_PROBED) \
	X(polish, "polish", 'P', options->polish ? options->polish : 1)

enum bw_switch {
#define X(field, name, letter, on) BW_SWITCH_##field,
	BW_SWITCH_TABLE(X)
#undef X
	BW_N_SWITCHES
};
enum { BW_N_VARIANTS = 1 << BW_N_SWITCHES, BW_VARIANT_ALL_ON = BW_N_VARIANTS - 1, BW_VARIANT_ALL_OFF = 0 };

/* What is measured of a search: field, key in CSV and JSON. */
#define BW_ABLATED_TABLE(X) \
	X(evaluated, "states_evaluated") \
	X(complete, "distinct_complete_schedules") \
	X(cpu_seconds, "cpu_seconds") \
	X(wall_seconds, "wall_seconds") \
	X(peak_bytes, "peak_bytes") \
	X(cost, "predicted_cost")

/* Figures of one search, or medians over several searches. evaluated: states whose cost was computed.
 * complete: distinct complete schedules among these states. cpu_seconds: of all threads together.
 * peak_bytes: the most memory that was allocated at once, including the gaps between allocations. cost:
 * of the best schedule, in the model's unit. */
struct bw_ablated {
#define X(field, key) double field;
	BW_ABLATED_TABLE(X)
#undef X
};

const char *bw_switch_name(enum bw_switch which);
bool bw_variant_has(unsigned variant, enum bw_switch which);
/* Writes the letters of the variant's switches, `-` for a switch that is off. */
void bw_variant_letters(unsigned variant, char letters[BW_N_SWITCHES + 1]);
/* Turns the variant's switches on and the others off. A switch that is on already keeps its value, since
 * there may be several values for on. */
void bw_variant_set(unsigned variant, struct bw_settings *options);

/* Runs a search from start to end, and measures everything except its memory. The memory is the
 * process's, if the process does nothing else meanwhile. Calls `made` before each decision with the
 * number of decisions made and their total. Returns false with an error if no legal option is left. */
typedef void bw_ablate_made(int made, int of, void *data);
bool bw_ablate_run(const struct bw_pipeline *pipeline, const struct bw_settings *options,
		   bw_ablate_made *made, void *data, struct bw_ablated *figures, struct bw_error *error);
/* Returns the median of each figure over n searches (at least one). For an even n, the median is the mean
 * of the two in the middle. */
struct bw_ablated bw_ablated_median(const struct bw_ablated *list, int n);

/* The outcome of a variant: name in C, words. */
#define BW_ABLATION_OUTCOME_TABLE(X) \
	X(BW_ABLATION_NOT_RUN, "not run") \
	X(BW_ABLATION_DONE, "done") \
	X(BW_ABLATION_LATE, "not done in time") \
	X(BW_ABLATION_FAILED, "failed")

enum bw_ablation_outcome { BW_ABLATION_OUTCOME_TABLE(BW_FIRST) };

const char *bw_ablation_outcome_name(enum bw_ablation_outcome outcome);

struct bw_ablation_row {
	enum bw_ablation_outcome outcome;
	struct bw_error error; /* FAILED: why */
	int n_runs;            /* number of searches done, one per seed; DONE: all */
	struct bw_ablated *runs;
	struct bw_ablated median; /* DONE alone */
};

struct bw_ablation {
	char *pipeline, *size; /* in words */
	int n_funcs;
	const struct bw_published *papers; /* figures of papers to compare with; NULL: none */
	bool published; /* the paper has figures for this pipeline */
	struct bw_ablation_row rows[BW_N_VARIANTS]; /* by variant */
};
void bw_ablation_free(struct bw_ablation *ablation);

/* Figures computed from the medians, and the paper's figures: field, key in CSV and JSON. NAN: not known. */
#define BW_COMPARED_TABLE(X) \
	X(states_percent, "states_percent_of_off") \
	X(speedup, "speedup_over_off_x") \
	X(memory, "peak_bytes_of_off_x") \
	X(cost, "predicted_cost_of_off_x") \
	X(spread, "predicted_cost_spread_x") \
	X(paper_states, "paper_states_evaluated") \
	X(paper_percent, "paper_states_percent_of_off") \
	X(paper_seconds, "paper_seconds") \
	X(paper_speedup, "paper_speedup_over_off_x") \
	X(paper_megabytes, "paper_peak_megabytes")

/* A variant compared with the variant with all switches off: states in percent, CPU time as a speed-up,
 * memory and cost as ratios. spread: the largest cost of a seed over the least. */
struct bw_compared {
#define X(field, key) double field;
	BW_COMPARED_TABLE(X)
#undef X
};
struct bw_compared bw_ablation_compare(const struct bw_ablation *ablation, unsigned variant);
/* Returns geometric means over the ablations in which both this variant and the variant with all switches
 * off are done. Sets *n_of to the number of these ablations. The paper's means are over all its programs. */
struct bw_compared bw_ablation_mean(const struct bw_ablation *list, int n, unsigned variant, int *n_of);
