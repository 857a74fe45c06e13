/* Runs of a generator, to make a description or an object. */
#pragma once
#include "bench/complaint.h"
#include "bench/cache.h"
#include "bench/generator.h"

enum { BW_MOST_OUTPUT = 64 << 10 /* bytes kept of a generator's standard output, which is not used */ };

/* What a run of a generator needs. */
struct bw_making {
	const struct bw_generator *generator;
	char *program; /* the generator's path, with a slash so that PATH is not searched */
	const struct bw_places *places;
	const struct bw_plugin *plugin; /* the plugin for the generator's Halide */
	const struct bw_patience *patience;
	struct bw_scratch scratch; /* a directory for the generator's output */
	bool by_hand; /* the generator runs without an autoscheduler, and the plugin gets the pipeline with
			 the generator's own schedule */
	struct bw_error *error;
};

/* Chooses the plugin and makes the scratch directory. Returns false with an error if no plugin fits or the
 * cache cannot be written. Call bw_making_close in either case. */
bool bw_making_open(struct bw_making *making, const struct bw_generator *generator,
		    const struct bw_places *places, const struct bw_patience *patience,
		    struct bw_error *error);
void bw_making_close(struct bw_making *making);

/* Runs the generator for a target with the plugin and a request (src/halide/README). Uses neither if request
 * is NULL. Compiled objects are named bw_filter. */
bool bw_making_run(struct bw_making *making, const char *target, const char *request);
