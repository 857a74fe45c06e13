/* The places of the program's own files and of the user's. */
#ifndef BW_PROGRAM_FOLDERS_H
#define BW_PROGRAM_FOLDERS_H
#include "session/editor.h"
#include "bench/plugin.h"

struct bw_layout {
	char *generators, *bundled,
	    *descriptions; /* of the bundled pipelines: executables, their texts, their descriptions */
	char *lessons;
	struct bw_plugin *plugins;    /* one for each Halide version that the program was built for */
	char *published;              /* tables of the papers */
	char *devices, *bench;        /* files */
	char *ptxas;                  /* of the CUDA Toolkit; NULL: not found */
	char *cache, *state, *config; /* the user's folders, by the XDG base directories; not created here */
	char *data;    /* the user's folder of what was measured and learned; not created here */
	char *results; /* the file of stored measurements in it */
	struct bw_editing editing;    /* the user's editor; strings of the environment */
};

/* Finds all places: in a build folder, beside the program and in the sources; installed, as configured.
 * Reads the environment variables XDG_CACHE_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_CONFIG_HOME, HOME,
 * PATH, VISUAL, EDITOR and TMPDIR. Without HOME the user's folders are in a private folder in TMPDIR; if
 * that is impossible, *trouble says why, and nothing can be kept. */
void bw_layout_find(struct bw_layout *layout, struct bw_error *trouble);
void bw_layout_free(struct bw_layout *layout);
#endif
