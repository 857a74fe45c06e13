/* What a sweep goes over: variants of a pipeline, and devices with several bandwidths. */
#ifndef BW_PROGRAM_SWEEP_H
#define BW_PROGRAM_SWEEP_H
#include "program/program.h"
#include "schedulers/sweep.h"

enum { BW_SWEEP_MOST = 64 }; /* entries of a list */

/* Cuts the next word off a list with commas. Returns false at its end. */
bool bw_sweep_word(const char **list, char *word, size_t size);

/* The variants of one pipeline. */
struct bw_sweep_variants {
	int n;
	struct bw_sweep_variant list[BW_SWEEP_MOST];
	struct bw_pipeline *pipelines[BW_SWEEP_MOST];
	struct bw_source sources[BW_SWEEP_MOST];
	bool open[BW_SWEEP_MOST];
	char sizes[BW_SWEEP_MOST][32], parameters[BW_SWEEP_MOST][128];
};
/* Opens a pipeline in all sizes of --image-sizes with all values of --vary; variants that are not as
 * described come from the generator. Returns false with an error. Free with bw_sweep_variants_close in any
 * case. */
bool bw_sweep_variants_open(const struct bw_program *program, const char *name,
			    const struct bw_device *device, struct bw_sweep_variants *variants,
			    struct bw_error *error);
void bw_sweep_variants_close(struct bw_sweep_variants *variants);
#endif
