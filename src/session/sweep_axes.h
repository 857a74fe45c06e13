/* What a sweep goes over, read from lists with commas: of the command line, and of the command `sweep`. */
#ifndef BW_SESSION_SWEEP_AXES_H
#define BW_SESSION_SWEEP_AXES_H
#include "schedulers/sweep.h"

enum { BW_SWEEP_MOST = 64, BW_SWEEP_MOST_TARGETS = 256 }; /* entries of a list; devices with bandwidths */

/* The lists as they were given; NULL: not given. */
struct bw_sweep_lists {
	const char *gpus, *bandwidths, *beams, *seeds, *sizes, *vary;
	const char *dashes; /* before their names in messages: "--" or "" */
	const struct bw_device *devices;
	int n_devices;
	int beam; /* if `beams` is not given */
};

struct bw_sweep_axes {
	struct bw_sweep_target targets[BW_SWEEP_MOST_TARGETS];
	double bandwidths[BW_SWEEP_MOST]; /* factors, rising */
	int beams[BW_SWEEP_MOST];
	int n_targets, n_bandwidths, n_beams;
	long n_seeds;
};

/* Reads devices, bandwidths, beams and seeds. Returns false with an error that names the list. */
bool bw_sweep_axes_read(const struct bw_sweep_lists *lists, struct bw_sweep_axes *axes,
			struct bw_error *error);
/* Cuts the next word off a list. Returns false at its end. */
bool bw_sweep_word(const char **list, char *word, size_t size);
#endif
