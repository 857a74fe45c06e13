/* An ablation of one pipeline: its variants with what was measured, put beside each other and beside what the
 * paper tells. */
#ifndef BW_SCHEDULERS_ABLATION_H
#define BW_SCHEDULERS_ABLATION_H
#include "schedulers/ablate.h"
#include "schedulers/published.h"

/* How it went with a variant: name in C, in words. */
#define BW_ABLATION_OUTCOME_TABLE(X) \
	X(NOT_RUN, "not run") \
	X(DONE, "done") \
	X(LATE, "not done in time") \
	X(FAILED, "failed")

enum bw_ablation_outcome {
#define X(name, text) BW_ABLATION_##name,
	BW_ABLATION_OUTCOME_TABLE(X)
#undef X
};

const char *bw_ablation_outcome_name(enum bw_ablation_outcome outcome);

struct bw_ablation_row {
	enum bw_ablation_outcome outcome;
	struct bw_error error; /* FAILED: why */
	int n_runs;            /* searches that were done, one a seed; all of them where DONE */
	struct bw_ablated *runs;
	struct bw_ablated median; /* DONE alone */
};

struct bw_ablation {
	char *pipeline, *size; /* in words */
	int n_funcs;
	const struct bw_published *papers; /* to compare with; NULL: none */
	bool published; /* the paper tells of a pipeline of this name, and it is that one */
	struct bw_ablation_row rows[BW_N_VARIANTS]; /* by variant */
};
void bw_ablation_free(struct bw_ablation *ablation);

/* What follows from the medians, and what the paper has: field, key in CSV and JSON. What cannot be told is
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
/* Geometric means over the ablations in which both this variant and all off are done, *n_of of them; of the
 * paper those over all its programs. */
struct bw_compared bw_ablation_mean(const struct bw_ablation *list, int n, unsigned variant, int *n_of);
#endif
