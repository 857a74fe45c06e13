/* An ablation of one pipeline: the measured figures of its variants, next to each other and to the
 * paper's. */
#pragma once
#include "schedulers/published.h"
#include "search/search.h"

/* What each of the ideas that make the search scale brings: the same search with every combination of them on
 * and off (tables 1, 2, 3 and 5 of Anderson et al. 2021, section 6.3, which has the first two, and
 * memoization). A variant is a combination, one bit a switch; the searches are those of bw_search, watched
 * and not changed. */

/* Switches: field of struct bw_settings (0: off), name, letter, the field's value where it is on, of
 * `options` as they are. The first is the most significant bit of a variant, so that counting down from all
 * on to none gives the order of the paper's tables. */
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

/* Figures of one search, or the medians of some.
 * evaluated: states that the cost model was asked for. complete: schedules among them with nothing left to
 * decide, each counted once. cpu_seconds: of all threads together. peak_bytes: the most that it
 * allocated at once, what lies between allocations included. cost: of the best schedule, in the model's
 * unit. */
struct bw_ablated {
#define X(field, key) double field;
	BW_ABLATED_TABLE(X)
#undef X
};

const char *bw_switch_name(enum bw_switch which);
bool bw_variant_has(unsigned variant, enum bw_switch which);
/* Its switches' letters, `-` for one that is off. */
void bw_variant_letters(unsigned variant, char letters[BW_N_SWITCHES + 1]);
/* Turns these switches on and the others off. A switch that is on already keeps its value, since there
 * may be several values for on. */
void bw_variant_set(unsigned variant, struct bw_settings *options);

/* Runs a search from start to end, and measures all but its memory, which the process that it runs in
 * can tell if it does nothing else meanwhile. Calls `made` before each decision with the number of
 * decisions made and their total. Returns false with an error if no legal option is left. */
typedef void bw_ablate_made(int made, int of, void *data);
bool bw_ablate_run(const struct bw_pipeline *pipeline, const struct bw_settings *options,
		   bw_ablate_made *made, void *data, struct bw_ablated *figures, struct bw_error *error);
/* Medians, figure by figure, of n of them (at least one); of an even number the mean of the two in the
 * middle. */
struct bw_ablated bw_ablated_median(const struct bw_ablated *list, int n);

/* How it went with a variant: name in C, in words. */
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
	int n_runs;            /* searches done, one per seed; all of them if DONE */
	struct bw_ablated *runs;
	struct bw_ablated median; /* DONE alone */
};

struct bw_ablation {
	char *pipeline, *size; /* in words */
	int n_funcs;
	const struct bw_published *papers; /* to compare with; NULL: none */
	bool published; /* the paper has figures for this very pipeline */
	struct bw_ablation_row rows[BW_N_VARIANTS]; /* by variant */
};
void bw_ablation_free(struct bw_ablation *ablation);

/* Figures that follow from the medians, and the paper's: field, key in CSV and JSON. Unknown ones are
 * NAN. */
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

/* A variant over the one with all switches off: states in percent, CPU time as a speed-up, memory, cost.
 * spread: the largest cost of a seed over the least. */
struct bw_compared {
#define X(field, key) double field;
	BW_COMPARED_TABLE(X)
#undef X
};
struct bw_compared bw_ablation_compare(const struct bw_ablation *ablation, unsigned variant);
/* Returns geometric means over the ablations in which both this variant and the one with all switches
 * off are done; *n_of: their number. The paper's means are over all its programs. */
struct bw_compared bw_ablation_mean(const struct bw_ablation *list, int n, unsigned variant, int *n_of);
