/* PoCL keeps the kernels that it compiled in files, and trusts them: one that was cut or damaged fails, or
 * computes something else, as long as it is there. So each object has a folder of its own, which is removed
 * if a run does not end well. */
#ifndef BW_BENCH_POCL_H
#define BW_BENCH_POCL_H
#include <limits.h>
#include <stdbool.h>

/* The variable by which PoCL is told its folder, which the worker has for all objects. */
#define BW_POCL_VARIABLE "POCL_CACHE_DIR"

/* Writes the folder in which PoCL keeps the kernels of the object of this name (a path or a content), inside
 * of the worker's. Empty if the worker has none. Returns true if something is kept there already. */
bool bw_pocl_folder(const char *object, char folder[PATH_MAX]);
/* Removes such a folder with all in it. Returns false if it is still there. */
bool bw_pocl_forget(const char *folder);
/* Removes the empty files that PoCL leaves in a folder each time that it looks whether it can write there;
 * NULL: the worker's own. */
void bw_pocl_tidy(const char *folder);
#endif
