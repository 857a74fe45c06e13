/* Opens a pipeline from its source: a bundled name, a generator's executable, or a description file. */
#pragma once
#include "session/session.h"

/* Folders of the program's own files. */
struct bw_folders {
	const char *generators; /* the bundled generators, one file NAME per generator */
	const char *bundled; /* files NAME.json with title, size, points of interest, and bound of error */
	const char *descriptions; /* files NAME.json with the descriptions of the bundled pipelines */
};

/* The pipeline and its parameters as given on the command line. */
struct bw_source_request {
	const char *pipeline;
	const char *name;        /* -g */
	const char *const *args; /* -G */
	int n_args;
	const char *const *estimates; /* --estimate */
	int n_estimates;
	const char *features; /* --target; NULL: none */
	const char *gpu;      /* target features of the device for which to describe the pipeline; NULL:
				 none */
	const char *rfactor;  /* --rfactor; NULL: none */
};

/* Reads the pipeline and fills *source. A bundled pipeline without -g, -G and --estimate is read from its
 * description, so that no generator runs before the first screen. Returns NULL with an error that says what
 * was searched for and where. */
struct bw_pipeline *bw_source_open(const struct bw_source_request *request, const struct bw_folders *folders,
				   const struct bw_places *places, const struct bw_patience *patience,
				   struct bw_source *source, struct bw_error *error);

void bw_source_free(struct bw_source *source);
/* Appends the checked description of a pipeline. Runs the generator to get it; for a bundled pipeline only if
 * the generator is built. */
bool bw_source_describe(const struct bw_source_request *request, const struct bw_folders *folders,
			const struct bw_places *places, const struct bw_patience *patience,
			struct bw_text *text, struct bw_error *error);

/* Appends the bundled pipelines, a line each: name, size, stages, title. only: list only this pipeline, with
 * remarks on scheduling it; NULL: all. */
bool bw_source_list(const struct bw_folders *folders, const char *only, bool json, struct bw_text *out,
		    struct bw_error *error);
