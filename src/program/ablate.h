/* The parts of `ablate`: searches in processes of their own, and what is written of them. */
#ifndef BW_PROGRAM_ABLATE_H
#define BW_PROGRAM_ABLATE_H
#include "base/text.h"
#include "schedulers/ablation.h"

/* One search that is to be measured. */
struct bw_ablate_job {
	const struct bw_pipeline *pipeline;
	const struct bw_search_options *options;
	long limit_seconds; /* wall time, after which it is given up */
	const char *what;   /* for the line of progress: `harris SF seed 2 of 5` */
	bool progress;      /* whether such a line is drawn on standard error, a terminal */
	int interrupts;     /* of bw_ablate_hold_interrupts */
};

enum bw_ablate_end { BW_ABLATE_DONE, BW_ABLATE_LATE, BW_ABLATE_FAILED, BW_ABLATE_STOPPED };

/* From here on ^C does not end the process: it stops the search that runs or the next one. The file that tells of it, -1 with an error; the caller
 * closes it. Where ^C is ignored it stays so. */
int bw_ablate_hold_interrupts(struct bw_error *error);
/* Runs it in a child, whose memory is that of the search. FAILED: *error says why. STOPPED: the user typed ^C. Nothing is left running. */
enum bw_ablate_end bw_ablate_in_child(const struct bw_ablate_job *job, struct bw_ablated *figures, struct bw_error *error);

/* What all ablations of a run have in common. */
struct bw_ablate_setup {
	const struct bw_search_options *options;
	long seeds, limit_seconds;
};

void bw_ablate_print(const struct bw_ablate_setup *setup, const struct bw_ablation *list, int n, struct bw_text *out);
void bw_ablate_print_csv(const struct bw_ablate_setup *setup, const struct bw_ablation *list, int n, struct bw_text *out);
void bw_ablate_print_json(const struct bw_ablate_setup *setup, const struct bw_ablation *list, int n, struct bw_text *out);
#endif
