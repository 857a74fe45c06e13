/* libbeamwalk-halide.so: a loader that a process can load instead of the plugin for a certain Halide. It
 * finds out which Halide the process uses, and loads the plugin for this version from its own folder.
 * Before that, it makes the symbols of libHalide global: Python and other hosts load libHalide with local
 * symbols, and the plugin, which is not linked with a libHalide, would not find them. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

/* The libHalide that the process has loaded. */
struct loaded {
	struct bw_text path;
	int version;
};

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	struct loaded *loaded = data;
	(void)size;
	int version = bw_library_version(info->dlpi_name, "Halide");
	if (version == BW_LIBRARY_OTHER)
		return 0;
	bw_text_puts(&loaded->path, info->dlpi_name);
	loaded->version = version;
	return 1;
}

/* Ends the process with an error, in the same form as the plugin does. */
_Noreturn static void fail(const char *text, const char *about)
{
	fprintf(stderr, "beamwalk: error: HALIDE: %s%s\n", text, about);
	fflush(NULL);
	_Exit(1);
}

__attribute__((constructor)) static void load(void)
{
	struct loaded loaded = {0};
	struct bw_text plugin = {0};
	Dl_info own;
	dl_iterate_phdr(look, &loaded);
	if (!loaded.path.length)
		fail("the process has loaded no shared libHalide", "");
	if (loaded.version == BW_LIBRARY_UNNUMBERED)
		fail("the name does not tell which Halide this is; load libbeamwalk-halideN.so: ", loaded.path.bytes);
	if (!dlopen(loaded.path.bytes, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL) ||
	    !dladdr((void *)&look, &own) || !own.dli_fname)
		fail("cannot be made visible: ", loaded.path.bytes);
	const char *slash = strrchr(own.dli_fname, '/');
	bw_text_append(&plugin, own.dli_fname, slash ? (size_t)(slash + 1 - own.dli_fname) : 0);
	bw_text_printf(&plugin, "libbeamwalk-halide%d.so", loaded.version);
	if (!dlopen(plugin.bytes, RTLD_NOW))
		fail("", dlerror());
	bw_text_free(&plugin);
	bw_text_free(&loaded.path);
}
