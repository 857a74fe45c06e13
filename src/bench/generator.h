/* Generators: user programs that build a Halide pipeline. beamwalk runs a generator with a plugin loaded. The
 * plugin describes the pipeline, or compiles it under a list of directives. All functions here block; a job
 * (bench.h) runs them in the background. */
#pragma once
#include <jansson.h>
#include <stdint.h>

#include "base/process.h"
#include "gpu/device.h"
#include "schedule/directive.h"

/* The plugins, one for each major version of Halide. A generator needs the plugin for the Halide that it
 * loads itself, because a process has only one Halide. */

struct bw_plugin {
	int halide; /* major version, at least 14; 0 ends a list */
	char *path;
};

/* Returns the plugins in a folder (libbeamwalk-halideN.so), sorted by version; free with bw_plugins_free().
 * The list is empty if the folder has no plugin or cannot be read. */
struct bw_plugin *bw_plugins_find(const char *folder);
void bw_plugins_free(struct bw_plugin *plugins);

/* Returns the plugin for the Halide version that a program loads. Finds the version by asking the dynamic
 * loader (LD_TRACE_LOADED_OBJECTS), without running the program; a script is run once, without arguments
 * (LD_DEBUG=libs). Returns NULL if the program loads no shared libHalide, if the loader does not find it, if
 * its name has no version, or if there is no plugin for that version. The error says what was found, which
 * plugins exist where that helps, and how to fix it. */
const struct bw_plugin *bw_plugin_choose(const struct bw_plugin *plugins, const char *program,
					 const struct bw_patience *patience, struct bw_error *error);

/* A generator and the user's options for it. The caller owns the strings. */
struct bw_generator {
	const char *path;        /* the executable */
	const char *name;        /* from -g: which of the executable's generators to use; NULL if there is
				    only one */
	const char *const *args; /* KEY=VALUE from -G */
	int n_args;
	const char *const *estimates; /* NAME.DIM=MIN,EXTENT or NAME=VALUE from --estimate */
	int n_estimates;
	const char *features; /* target features in addition to the device's, as in Halide's target strings:
				 avx2-f16c; NULL or empty: none */
	const char *gpu; /* target features of the device for the description; NULL or empty: describe without
			    a GPU */
	const char *rfactor; /* updates to which the description applies rfactor(), as in histogram:64; NULL:
				none */
};

/* Files, programs and folders that the functions below use. */
struct bw_places {
	const struct bw_plugin *plugins; /* one for each major version of Halide */
	const char *bench; /* beamwalk-bench */
	const char *cache; /* directory, made when needed; an error says so if it cannot be written */
	const char *compiler; /* cc, to link objects into shared objects */
	const char *linked; /* a C source or compiled file with functions that the objects call, linked with
			       them; NULL: none */
};

/* Appends the description of the generator's pipeline (JSON). Takes it from the cache if it was made before
 * with the same generator file, arguments, estimates and plugin. */
bool bw_generator_describe(const struct bw_generator *generator, const struct bw_places *places,
			   const struct bw_patience *patience, struct bw_text *description,
			   struct bw_error *error);

/* Appends the record of the generator's own schedule for the device of the description (schedule/hand.c).
 * Takes it from the cache if it was made before. */
bool bw_generator_hand(const struct bw_generator *generator, const struct bw_places *places,
		       const struct bw_patience *patience, struct bw_text *record, struct bw_error *error);

/* Sets *identity to a hash of everything that the generator's own schedule depends on: its file, name and
 * parameters. Returns false with an error that names the file if the file cannot be read. */
bool bw_generator_identity(const struct bw_generator *generator, uint64_t *identity, struct bw_error *error);

/* Kinds of objects to compile, see bw_generator_compile. */
enum bw_build { BW_BUILD_GPU, BW_BUILD_REFERENCE, BW_BUILD_SECOND, BW_BUILD_OWN };
/* Compiles and links the pipeline. Returns the path of the shared object in the cache; free(). Returns NULL
 * with an error. Takes the object from the cache if it was compiled before from the same inputs. GPU: under
 * the directives, for the device. REFERENCE: under a plain CPU schedule; directives must be NULL; the
 * algorithm is the one for the device, or without a device if device is NULL. SECOND: like REFERENCE, but
 * under a CPU schedule that differs from the reference's as much as possible. OWN: under the generator's own
 * schedule for the device, without an autoscheduler; directives must be NULL. */
char *bw_generator_compile(const struct bw_generator *generator, const struct bw_places *places,
			   const struct bw_patience *patience, enum bw_build build,
			   const struct bw_directives *directives, const struct bw_device *device,
			   struct bw_error *error);
/* Compiles like bw_generator_compile, but returns the path of the filter's object file as the generator
 * writes it, without Halide's runtime. Many such filters can share one runtime. */
char *bw_generator_filter(const struct bw_generator *generator, const struct bw_places *places,
			  const struct bw_patience *patience, enum bw_build build,
			  const struct bw_directives *directives, const struct bw_device *device,
			  struct bw_error *error);

/* Appends the lowered statement of the pipeline as Halide prints it: with the kernels, before LLVM generates
 * code. The schedule is that of the directives for the device; NULL: the generator's own schedule. Takes the
 * statement from the cache if it was made before. */
bool bw_generator_lower(const struct bw_generator *generator, const struct bw_places *places,
			const struct bw_patience *patience, const struct bw_directives *directives,
			const struct bw_device *device, struct bw_text *statement, struct bw_error *error);

/* Estimates that the user gives, as text and as JSON. */

/* Converts NAME.DIM=MIN,EXTENT, NAME=VALUE and NAME=SIZExSIZE to {"NAME.DIM": [MIN, EXTENT], "NAME": VALUE,
 * "NAME._0": [0, SIZE], ...}, the form in the plugin's request. There, the value of a one-dimensional buffer
 * is its size. Returns NULL with an error of kind USAGE that quotes the first wrong estimate. */
json_t *bw_estimates_read(const char *const *estimates, int n_estimates, struct bw_error *error);
/* Returns the estimates of a described pipeline's arguments as text, {"NAME": [[MIN, EXTENT], ...], "NAME":
 * VALUE}, the form in the worker's request; free(). Returns NULL with an error. */
char *bw_estimates_described(const char *description, size_t length, struct bw_error *error);
