/* One run after the other of a generator, on its way to a description or an object. */
#pragma once
#include "bench/complaint.h"
#include "bench/cache.h"
#include "bench/generator.h"

enum { BW_MOST_OUTPUT = 64 << 10 /* bytes of a generator's standard output, which nobody reads */ };

/* What a run of a generator needs. */
struct bw_making {
	const struct bw_generator *generator;
	char *program; /* its path, with a slash in it: PATH is not searched */
	const struct bw_places *places;
	const struct bw_plugin *plugin; /* the one for its Halide */
	const struct bw_patience *patience;
	struct bw_scratch scratch; /* a directory for what it writes */
	bool by_hand; /* it runs without an autoscheduler: the plugin meets its pipeline with its own schedule */
	struct bw_error *error;
};

/* Chooses the plugin and makes the directory. Returns false with an error where there is none, or
 * the cache cannot be written. To be closed in either case. */
bool bw_making_open(struct bw_making *making, const struct bw_generator *generator,
		    const struct bw_places *places, const struct bw_patience *patience,
		    struct bw_error *error);
void bw_making_close(struct bw_making *making);

/* Runs the generator with the plugin and a request (src/halide/README), or with neither where that is NULL,
 * for a target. Objects are called bw_filter. */
bool bw_making_run(struct bw_making *making, const char *target, const char *request);
