/* Sweeps of the session's pipeline over devices, bandwidths, beams, seeds, sizes and parameters of its
 * generator, in the background. */
#pragma once

#include "schedulers/sweep.h"
#include "session/source.h"

/* Returns the newest sweep, with its results if it has ended well; NULL: there is none. *done: number
 * of finished searches; may be NULL. Owned by the session; valid until the next `sweep`. */
const struct bw_sweep *bw_session_sweep(const struct bw_session *session, int *done);
/* Returns whether it has ended, and well: only then its results are there. */
bool bw_session_swept(const struct bw_session *session);
/* Returns why the newest sweep has failed; NULL: it has not. Owned by the session; valid until the
 * next `sweep`. */
const char *bw_session_sweep_failed(const struct bw_session *session);
/* Returns true while the sweep runs. */
bool bw_session_sweeps(const struct bw_session *session);
/* Sweeps over the lists to the end; their devices and beam are set. Returns false with an error. */
struct bw_sweep_lists;
bool bw_session_sweep_through(struct bw_session *session, struct bw_sweep_lists *lists,
			      struct bw_error *error);
/* Returns the size of the first variant's first output. The session's. */
const char *bw_session_sweep_size(const struct bw_session *session);
/* Returns a sweep that has ended as JSON: a new reference. */
json_t *bw_sweep_json(const struct bw_session *session);
/* Returns the name of a target: `A100`, `A100 0.5x`. */
const char *bw_sweep_target_name(const struct bw_sweep_target *target, char name[80]);

/* Variants of one pipeline for a sweep: sizes, and values of a parameter of its generator. */

/* What a sweep goes over, read from lists with commas: of the command line, and of the command `sweep`. */

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

struct bw_sweep_variants {
	int n;
	struct bw_sweep_variant list[BW_SWEEP_MOST];
	long long extents[BW_SWEEP_MOST][2]; /* of the sizes; 0: as described */
	struct bw_pipeline *pipelines[BW_SWEEP_MOST];
	struct bw_source sources[BW_SWEEP_MOST];
	bool open[BW_SWEEP_MOST];
	char sizes[BW_SWEEP_MOST][32], parameters[BW_SWEEP_MOST][128];
};

/* Where the variants come from. */
struct bw_sweep_origin {
	const struct bw_source_request *request; /* of the pipeline as described */
	const struct bw_folders *folders;
	const struct bw_places *places;
};

/* Lists the variants: all sizes with all values of the parameter, one as described if there are neither.
 * Returns false with an error. */
bool bw_sweep_variants_list(const struct bw_sweep_lists *lists, struct bw_sweep_variants *variants,
			    struct bw_error *error);
/* Opens the listed variants, several at once; those that differ from the description come from the
 * generator. Returns false with an error. Free with bw_sweep_variants_close in any case. */
bool bw_sweep_variants_open(const struct bw_sweep_origin *origin, struct bw_sweep_variants *variants,
			    struct bw_error *error);
void bw_sweep_variants_close(struct bw_sweep_variants *variants);
