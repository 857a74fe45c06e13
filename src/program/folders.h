/* Where the program's own files and the user's lie. */
#ifndef BW_PROGRAM_FOLDERS_H
#define BW_PROGRAM_FOLDERS_H
#include "session/editor.h"
#include "bench/plugin.h"

struct bw_layout {
	char *generators, *bundled, *descriptions; /* of the bundled pipelines: executables, what is said of each, descriptions */
	struct bw_plugin *plugins;                 /* one for each Halide that this was built for */
	char *devices, *bench;                     /* files */
	char *ptxas;                               /* of the CUDA Toolkit; NULL: none was found */
	char *cache, *state, *config;              /* the user's folders, by the XDG base directories; not made here */
	char *results;                             /* the user's file of stored measurements; not made here */
	struct bw_editing editing;                 /* the user's editor; the environment's strings */
};

/* In a build folder everything lies beside the program and in the sources; installed, where configure was told. Reads the
 * environment: XDG_CACHE_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_CONFIG_HOME, HOME, PATH, VISUAL, EDITOR,
 * TMPDIR. Without HOME the user's folders lie in a private one of the temporary folder; *trouble says why there is none, and nothing can be
 * kept then. */
void bw_layout_find(struct bw_layout *layout, struct bw_error *trouble);
void bw_layout_free(struct bw_layout *layout);
#endif
