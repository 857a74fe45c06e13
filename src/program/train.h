/* Shared by the files of `beamwalk train`. */
#ifndef BW_PROGRAM_TRAIN_H
#define BW_PROGRAM_TRAIN_H
#include "cost/training.h"
#include "program/program.h"

/* What was measured, as samples; and on what. */
struct bw_train_set {
	struct bw_samples samples;
	const struct bw_device *device; /* the program's */
	int skipped;                    /* measurements that make no sample */
	char why[512];                  /* the first of these */
};

/* Stored measurements that the command line asks for: of each schedule the fastest time. Descriptions and schedules are read again, and features
 * computed again. False with an error where there are none, or of several devices. */
bool bw_train_gather(struct bw_program *program, struct bw_train_set *set, struct bw_error *error);

/* A run of the command. */
struct bw_train_run {
	struct bw_program *program;
	struct bw_train_set set;
	struct bw_training_options options;
	struct bw_weights start;  /* weights to begin with */
	char *checkpoint;         /* file beside the weights */
	bool each;                /* every pipeline is held out in turn */
	struct bw_goodness *held; /* by pipeline: held out */
	bool *is_held;            /* by pipeline */
};

/* How good the best of what was trained is for a pipeline. */
void bw_train_judge(const struct bw_training *training, const struct bw_train_run *run, int pipeline, struct bw_goodness *goodness);
/* Appends the report: a table, or with --json JSON. */
void bw_train_report(const struct bw_train_run *run, const struct bw_training *training, const struct bw_weights *weights, struct bw_text *out);
#endif
