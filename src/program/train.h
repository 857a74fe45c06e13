/* Private to the files of `beamwalk train`. */
#ifndef BW_PROGRAM_TRAIN_H
#define BW_PROGRAM_TRAIN_H
#include "cost/training.h"
#include "program/program.h"

/* Training samples, and the device of the measurements. */
struct bw_train_set {
	struct bw_samples samples;
	const struct bw_device *device; /* owned by the program */
	int skipped;                    /* measurements that cannot be used */
	char why[512];                  /* the reason for the first of them */
};

/* Gathers the stored measurements that the command line selects, the fastest of each schedule. Reads
 * descriptions and schedules and computes the features again. Returns false with an error if there are
 * none, or if they are from several devices. */
bool bw_train_gather(struct bw_program *program, struct bw_train_set *set, struct bw_error *error);

/* The state of a run of the command. */
struct bw_train_run {
	struct bw_program *program;
	struct bw_train_set set;
	struct bw_training_options options;
	struct bw_weights start;  /* initial weights */
	char *checkpoint;         /* file beside the weights */
	bool each;                /* every pipeline is held out in turn */
	struct bw_goodness *held; /* by pipeline: figures when held out */
	bool *is_held;            /* by pipeline: `held` is set */
};

/* Computes how well the best weights of a training predict a pipeline. */
void bw_train_judge(const struct bw_training *training, const struct bw_train_run *run, int pipeline,
		    struct bw_goodness *goodness);
/* Appends the report, a table or JSON. */
void bw_train_report(const struct bw_train_run *run, const struct bw_training *training,
		     const struct bw_weights *weights, struct bw_text *out);
#endif
