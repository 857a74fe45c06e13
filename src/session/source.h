/* Where a pipeline comes from: a bundled name, a generator's executable, or a description file. */
#pragma once
#include "session/session.h"

/* Folders of the program's own files. */
struct bw_folders {
	const char *generators; /* bundled generators, NAME each */
	const char *bundled; /* NAME.json each: title, size, points of interest, bound of error */
	const char *descriptions; /* NAME.json each: descriptions of the bundled pipelines */
};

/* What the user asked for. */
struct bw_source_request {
	const char *pipeline;
	const char *name;        /* -g */
	const char *const *args; /* -G */
	int n_args;
	const char *const *estimates; /* --estimate */
	int n_estimates;
	const char *features; /* --target; NULL: none */
	const char *gpu;      /* features of the device to describe it for; NULL: none */
	const char *rfactor;  /* --rfactor; NULL: none */
};

/* Fills *source and reads the pipeline. A bundled pipeline without -g, -G and --estimate comes from
 * its description, so that nothing is run before the first screen. Returns NULL with an error that
 * says what was looked for and where. */
struct bw_pipeline *bw_source_open(const struct bw_source_request *request, const struct bw_folders *folders,
				   const struct bw_places *places, const struct bw_patience *patience,
				   struct bw_source *source, struct bw_error *error);

void bw_source_free(struct bw_source *source);
/* Appends the checked description of a pipeline. Runs the generator for it, of a bundled pipeline too if it
 * is built. */
bool bw_source_describe(const struct bw_source_request *request, const struct bw_folders *folders,
			const struct bw_places *places, const struct bw_patience *patience,
			struct bw_text *text, struct bw_error *error);

/* Appends the bundled pipelines, a line each: name, size, stages, title. only: just this one, with
 * remarks on scheduling it; NULL: all. */
bool bw_source_list(const struct bw_folders *folders, const char *only, bool json, struct bw_text *out,
		    struct bw_error *error);
