#include "bench/generator.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/file.h"
#include "bench/complaint.h"

/* Bytes of output; no loader's list is longer. */
enum { MOST_LIST = 1 << 20 };

BW_ORDER(by_version, struct bw_plugin, BW_COMPARE(a->halide, b->halide))

struct bw_plugin *bw_plugins_find(const char *folder)
{
	size_t n = 0;
	struct bw_plugin *list = BW_NEW_ARRAY(struct bw_plugin, 1);
	DIR *directory = opendir(folder);
	for (const struct dirent *entry; directory && (entry = readdir(directory));) {
		int halide = 0, length = 0;
		if (sscanf(entry->d_name, "libbeamwalk-halide%d.so%n", &halide, &length) != 1 || !length ||
		    entry->d_name[length] || halide <= 0)
			continue;
		struct bw_text path = {0};
		bw_text_printf(&path, "%s/%s", folder, entry->d_name);
		list = bw_resize_array(list, n + 2, sizeof *list);
		list[n++] = (struct bw_plugin){halide, bw_text_take(&path)};
	}
	if (directory)
		closedir(directory);
	list[n] = (struct bw_plugin){0};
	qsort(list, n, sizeof *list, by_version);
	return list;
}

void bw_plugins_free(struct bw_plugin *plugins)
{
	for (struct bw_plugin *plugin = plugins; plugin && plugin->halide; plugin++)
		free(plugin->path);
	free(plugins);
}

/* The libHalide that a program loads. */
struct loaded {
	bool found;          /* the list has a libHalide */
	bool missing;        /* the loader did not find its file */
	int version;         /* major version; 0: its name has none */
	char path[PATH_MAX]; /* its file, or its name if it is missing */
};

/* Handles a file name from a line. The version is in the name that the program requests, or in the name of
 * the file to which that links. */
static void take_name(const char *name, size_t length, struct loaded *loaded)
{
	char given[PATH_MAX], resolved[PATH_MAX];
	snprintf(given, sizeof given, "%.*s", (int)length, name);
	int version = bw_library_version(given, "Halide");
	if (version == BW_LIBRARY_OTHER)
		return;
	loaded->found = true;
	snprintf(loaded->path, sizeof loaded->path, "%s", given);
	if (version == BW_LIBRARY_UNNUMBERED && realpath(given, resolved))
		version = bw_library_version(resolved, "Halide");
	if (version > 0)
		loaded->version = version;
}

/* Handles one line of the loader's output: `\tNAME => PATH (0xADDRESS)`, `\tNAME => not found` or
 * `\tPATH (0xADDRESS)` in a list of objects; `...calling init: PATH` in a run with LD_DEBUG. See ld.so(8). */
static void take_line(const char *line, size_t length, struct loaded *loaded)
{
	char text[2 * PATH_MAX];
	snprintf(text, sizeof text, "%.*s", (int)length, line);
	static const char init[] = "calling init: ", arrow[] = " => ", nothing[] = "not found";
	const char *name = strstr(text, init), *path = strstr(text, arrow);
	if (name) {
		name += sizeof init - 1;
		take_name(name, strlen(name), loaded);
	} else if (*text == '\t') {
		take_name(text + 1, strcspn(text + 1, " "), loaded);
		if (!loaded->found || !path)
			return;
		path += sizeof arrow - 1;
		loaded->missing = loaded->missing || strncmp(path, nothing, sizeof nothing - 1) == 0;
		const char *end = strstr(path, " (0x");
		if (end)
			take_name(path, (size_t)(end - path), loaded);
	}
}

/* Returns true if a file begins with `#!`. For such a file the loader lists what the interpreter loads. */
static bool is_script(const char *path)
{
	char start[2] = "";
	FILE *file = fopen(path, "re");
	bool script = file && fread(start, 1, sizeof start, file) == sizeof start && memcmp(start, "#!", 2) == 0;
	if (file)
		fclose(file);
	return script;
}

static bool find_loaded(const char *program, const struct bw_patience *patience, struct loaded *loaded,
			struct bw_error *error)
{
	const bool script = is_script(program);
	const char *const argv[] = {program, NULL}, *const settings[] = {script ? "LD_DEBUG=libs"
										: "LD_TRACE_LOADED_OBJECTS=1",
									 NULL};
	struct bw_outcome outcome;
	bw_process_run(
	    &(struct bw_process_command){.argv = argv, .settings = settings, .most_output = MOST_LIST},
	    patience, &outcome);
	const char *said = bw_text_get(script ? &outcome.errors : &outcome.output);
	*loaded = (struct loaded){0};
	for (size_t length; *said; said += length + (said[length] == '\n')) {
		length = strcspn(said, "\n");
		struct loaded one = {0};
		take_line(said, length, &one);
		if (one.found && !loaded->version)
			*loaded = one;
	}
	bool good = loaded->found || outcome.ending == BW_EXITED ||
		    bw_outcome_good(&outcome, program, patience, BW_ERROR_HALIDE, error);
	bw_outcome_free(&outcome);
	return good;
}

/* Prints the versions of a list: `14, 19`. */
static void print_versions(const struct bw_plugin *plugins, struct bw_text *text)
{
	for (const struct bw_plugin *plugin = plugins; plugin->halide; plugin++)
		bw_text_printf(text, "%s%d", plugin == plugins ? "" : ", ", plugin->halide);
}

/* Sets an error that says why no plugin fits. */
static void fail_to_fit(const struct bw_plugin *plugins, const char *program, const struct loaded *loaded,
			struct bw_error *error)
{
	BW_SCOPED_TEXT versions = {0};
	print_versions(plugins, &versions);
	const char *have = bw_text_get(&versions);
	if (!loaded->found)
		bw_fail(
		    error, BW_ERROR_HALIDE,
		    "%s: loads no shared libHalide, which a plugin needs: is it a Halide generator? Then link it with the shared libHalide (not libHalide.a) of a version that there is a plugin for: %s",
		    program, have);
	else if (loaded->missing)
		bw_fail(error, BW_ERROR_HALIDE,
			"%s: the loader does not find its %s: put the folder of that file in LD_LIBRARY_PATH",
			program, loaded->path);
	else if (!loaded->version)
		bw_fail(
		    error, BW_ERROR_HALIDE,
		    "%s: loads %s, a name that tells no version: link it with a libHalide.so.N or libHalideN.so that has one; there are plugins for %s",
		    program, loaded->path, have);
	else
		bw_fail(
		    error, BW_ERROR_HALIDE,
		    "%s: uses Halide %d (%s), and there are plugins for %s: configure beamwalk --with-halide=DIR, where DIR has Halide %d, or build the generator with one of these",
		    program, loaded->version, loaded->path, have, loaded->version);
}

const struct bw_plugin *bw_plugin_choose(const struct bw_plugin *plugins, const char *program,
					 const struct bw_patience *patience, struct bw_error *error)
{
	struct loaded loaded;
	if (!plugins->halide) {
		bw_fail(
		    error, BW_ERROR_HALIDE,
		    "%s: this beamwalk has no plugin for any Halide: configure it --with-halide=DIR (Debian: libhalide14-0-dev, libhalide19-dev or libhalide21-dev), or give it a description",
		    program);
		return NULL;
	}
	if (!find_loaded(program, patience, &loaded, error))
		return NULL;
	for (const struct bw_plugin *plugin = plugins; plugin->halide; plugin++)
		if (plugin->halide == loaded.version && !loaded.missing)
			return plugin;
	fail_to_fit(plugins, program, &loaded, error);
	return NULL;
}
