/* The plugins that there are, one for each version of Halide, and which of them a generator takes: a process
 * has one Halide, and that is the generator's. */
#pragma once
#include "base/process.h"

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
