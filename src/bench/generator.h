/* Generators: user programs that build a Halide pipeline. beamwalk runs one with its plugin loaded, to
 * describe the pipeline and to compile it under a list of directives. Everything here blocks; a job (bench.h)
 * runs it in the background. */
#pragma once
#include <jansson.h>
#include <stdint.h>

#include "base/process.h"
#include "gpu/device.h"
#include "schedule/directive.h"

/* The plugins that there are, one for each version of Halide, and which of them a generator takes: a process
 * has one Halide, and that is the generator's. */

struct bw_plugin {
	int halide; /* major version, at least 14; 0 ends a list */
	char *path;
};

/* Those in a folder (libbeamwalk-halideN.so), by version; bw_plugins_free(). Empty where the folder has none
 * or cannot be read. */
struct bw_plugin *bw_plugins_find(const char *folder);
void bw_plugins_free(struct bw_plugin *plugins);

/* The plugin for the Halide that a program loads. The loader is asked, the program is not run for
 * it, except a script, which runs once without arguments. Returns NULL with an error that names
 * what was found, the plugins that there are, and the mend: for a program that loads no shared
 * libHalide, one that loads a Halide without a plugin, one whose libHalide is missing or does not
 * tell its version. */
const struct bw_plugin *bw_plugin_choose(const struct bw_plugin *plugins, const char *program,
					 const struct bw_patience *patience, struct bw_error *error);

/* A generator and what the user said of it. Strings belong to the caller. */
struct bw_generator {
	const char *path;        /* the executable */
	const char *name;        /* -g: one of its generators; NULL if it has just one */
	const char *const *args; /* KEY=VALUE from -G */
	int n_args;
	const char *const *estimates; /* NAME.DIM=MIN,EXTENT or NAME=VALUE from --estimate */
	int n_estimates;
	const char *features; /* of the target beside those of the device, as in Halide's names of targets:
				 avx2-f16c; NULL or empty: none */
	const char *gpu; /* features of the device that it is described for; NULL or empty: the description is
			    without a GPU */
	const char *rfactor; /* updates that its description has factored, as in histogram:64; NULL: none */
};

/* Where things are found and kept. */
struct bw_places {
	const struct bw_plugin *plugins; /* one for each Halide */
	const char *bench; /* beamwalk-bench */
	const char *cache; /* directory, made when needed; unwritable is an error that says so */
	const char *compiler; /* cc, to link objects into shared objects */
	const char *linked; /* a file to link with them, in C or compiled, with what they call; NULL: none */
};

/* The description of the generator's pipeline (JSON), from the cache where the same generator file,
 * arguments, estimates and plugin were described before. */
bool bw_generator_describe(const struct bw_generator *generator, const struct bw_places *places,
			   const struct bw_patience *patience, struct bw_text *description,
			   struct bw_error *error);

/* Appends the record of the schedule that the generator itself gives its pipeline on the device that it is
 * described for (schedule/hand.c). From the cache where the same was asked before. */
bool bw_generator_hand(const struct bw_generator *generator, const struct bw_places *places,
		       const struct bw_patience *patience, struct bw_text *record, struct bw_error *error);

/* Sets *identity to a hash of the generator's file, name and parameters: of all that its own
 * schedule depends on. Returns false with an error that names the file if it cannot be read. */
bool bw_generator_identity(const struct bw_generator *generator, uint64_t *identity, struct bw_error *error);

/* Which shared object to make. */
enum bw_build { BW_BUILD_GPU, BW_BUILD_REFERENCE, BW_BUILD_SECOND, BW_BUILD_OWN };
/* Compiles the pipeline, links it and returns the path of the shared object in the cache (free()); NULL on
 * error. An object whose inputs have been compiled before is taken from the cache. GPU: under the
 * directives, for the device. REFERENCE: under a plain CPU schedule; directives NULL; the algorithm is
 * that for the device, or with NULL that of no device. SECOND: as REFERENCE, under a CPU schedule that
 * shares as little as possible with it. OWN: under the schedule of the generator itself for the device,
 * without an autoscheduler; directives NULL. */
char *bw_generator_compile(const struct bw_generator *generator, const struct bw_places *places,
			   const struct bw_patience *patience, enum bw_build build,
			   const struct bw_directives *directives, const struct bw_device *device,
			   struct bw_error *error);
/* Does the same, but returns the filter's object file as the generator writes it, without Halide's runtime:
 * many of them can share one. */
char *bw_generator_filter(const struct bw_generator *generator, const struct bw_places *places,
			  const struct bw_patience *patience, enum bw_build build,
			  const struct bw_directives *directives, const struct bw_device *device,
			  struct bw_error *error);

/* Appends the statement that Halide lowers the pipeline to under the directives for a device, or under the
 * generator's own schedule if directives is NULL, as Halide prints it: with the kernels in it, before LLVM
 * makes code of it. From the cache if the same was asked before. */
bool bw_generator_lower(const struct bw_generator *generator, const struct bw_places *places,
			const struct bw_patience *patience, const struct bw_directives *directives,
			const struct bw_device *device, struct bw_text *statement, struct bw_error *error);

/* Estimates that the user gives, as text and as JSON. */

/* NAME.DIM=MIN,EXTENT, NAME=VALUE and NAME=SIZExSIZE as {"NAME.DIM": [MIN, EXTENT], "NAME": VALUE, "NAME._0":
 * [0, SIZE], ...}, the form of the plugin's request, in which the value of a buffer of one dimension is its
 * size; NULL with an error of kind USAGE that quotes the one that is wrong. */
json_t *bw_estimates_read(const char *const *estimates, int n_estimates, struct bw_error *error);
/* The estimates of a described pipeline's arguments, {"NAME": [[MIN, EXTENT], ...], "NAME": VALUE}, the form
 * of the worker's request, as text; NULL with an error. free(). */
char *bw_estimates_described(const char *description, size_t length, struct bw_error *error);
