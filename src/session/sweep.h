/* Sweeps: searches for the session's pipeline over several devices, bandwidths, beams, seeds, sizes and
 * generator parameters, in the background. */
#pragma once

#include "schedulers/sweep.h"
#include "session/source.h"

/* Returns the newest sweep; its results are set only if it has ended without an error. Returns NULL if there
 * is none. *done: number of finished searches; may be NULL. Owned by the session; valid until the next
 * `sweep`. */
const struct bw_sweep *bw_session_sweep(const struct bw_session *session, int *done);
/* Returns true if the newest sweep has ended without an error, so that its results are set. */
bool bw_session_swept(const struct bw_session *session);
/* Returns why the newest sweep has failed; NULL if it has not. Owned by the session; valid until the next
 * `sweep`. */
const char *bw_session_sweep_failed(const struct bw_session *session);
/* Returns true while the sweep runs. */
bool bw_session_sweeps(const struct bw_session *session);
/* Runs a sweep over the lists to its end before it returns. Sets the devices and the beam of the lists.
 * Returns false with an error. */
struct bw_sweep_lists;
bool bw_session_sweep_through(struct bw_session *session, struct bw_sweep_lists *lists,
			      struct bw_error *error);
/* Returns the size of the first output of the first variant. Owned by the session. */
const char *bw_session_sweep_size(const struct bw_session *session);
/* Returns the newest sweep, which must have ended, as JSON: a new reference. */
json_t *bw_sweep_json(const struct bw_session *session);
/* Returns the name of a target: `A100`, `A100 0.5x`. */
const char *bw_sweep_target_name(const struct bw_sweep_target *target, char name[80]);

/* Variants of one pipeline for a sweep: sizes, and values of a parameter of its generator. */

/* The axes of a sweep, read from comma-separated lists of the command line or of the command `sweep`. */

enum { BW_SWEEP_MOST = 64, BW_SWEEP_MOST_TARGETS = 256 }; /* most entries of a list; most combinations of
							     device and bandwidth */

/* The lists as they were given; NULL: not given. */
struct bw_sweep_lists {
	const char *gpus, *bandwidths, *beams, *seeds, *sizes, *vary;
	const char *dashes; /* prefix of the lists' names in messages: "--" or "" */
	const struct bw_device *devices;
	int n_devices;
	int beam; /* the beam size if `beams` is not given */
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
	long long extents[BW_SWEEP_MOST][2]; /* extents of each variant's size; 0: as described */
	struct bw_pipeline *pipelines[BW_SWEEP_MOST];
	struct bw_source sources[BW_SWEEP_MOST];
	bool open[BW_SWEEP_MOST];
	char sizes[BW_SWEEP_MOST][32], parameters[BW_SWEEP_MOST][128];
};

/* The source of the variants. */
struct bw_sweep_origin {
	const struct bw_source_request *request; /* the request for the pipeline as described */
	const struct bw_folders *folders;
	const struct bw_places *places;
};

/* Lists the variants: every size with every value of the parameter. If neither is given, the only variant is
 * the pipeline as described. Returns false with an error. */
bool bw_sweep_variants_list(const struct bw_sweep_lists *lists, struct bw_sweep_variants *variants,
			    struct bw_error *error);
/* Opens the listed variants, several in parallel. Variants that differ from the description come from the
 * generator. Returns false with an error. Must be followed by bw_sweep_variants_close, also after an
 * error. */
bool bw_sweep_variants_open(const struct bw_sweep_origin *origin, struct bw_sweep_variants *variants,
			    struct bw_error *error);
void bw_sweep_variants_close(struct bw_sweep_variants *variants);
