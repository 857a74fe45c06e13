/* The parts of `ablate`: searches in processes of their own, and their output. */
#pragma once
#include "schedulers/ablation.h"

/* One search to measure. */
struct bw_ablate_job {
	const struct bw_pipeline *pipeline;
	const struct bw_settings *options;
	long limit_seconds; /* wall time after which the search is abandoned */
	const char *what;   /* names the search in the line of progress: `harris SF seed 2 of 5` */
	bool progress;      /* draw a line of progress on standard error, which is a terminal */
	int interrupts;     /* from bw_program_interrupts */
};

/* Runs the search in a child process, so that its memory can be measured. FAILED: *error says why.
 * NOT_RUN: the user typed ^C. Leaves no process running. */
enum bw_ablation_outcome bw_ablate_in_child(const struct bw_ablate_job *job, struct bw_ablated *figures,
					    struct bw_error *error);

/* Settings that all ablations of a run share. */
struct bw_ablate_setup {
	const struct bw_settings *options;
	long seeds, limit_seconds;
};
