/* Files and standard output. All writing of the program goes through here, so that no failed write goes
 * unnoticed. */
#pragma once
#include "base/error.h"
#include "base/text.h"

/* Reads a whole file into *text. Fails if it has more than limit bytes. The error names the file. */
bool bw_file_read(const char *path, size_t limit, struct bw_text *text, struct bw_error *error);
/* Prepares the text of the file `name` for reading by lines: removes a byte order mark at the beginning.
 * Returns false with an error that names file and line if the text contains a zero byte, because a C
 * string would end there. */
bool bw_text_lines(const char *name, struct bw_text *text, struct bw_error *error);
/* Writes a file completely or not at all. Leaves no partial file if the program is killed meanwhile. An
 * existing file keeps its permissions. Symbolic links are followed. A file that is not a regular one
 * (/dev/stdout, a pipe) is written to, not replaced. The error names the file. */
bool bw_file_write(const char *path, const char *bytes, size_t length, struct bw_error *error);
/* Checks the name of an output file of format `form`. Fails if the name has an ending that is not in the
 * list `endings`, such as "h hpp". A name without an ending passes. */
bool bw_file_suits(const char *path, const char *form, const char *endings, struct bw_error *error);
/* Writes all bytes to an open file. Waits while the file accepts none. Returns false with errno on
 * failure. */
bool bw_write_all(int file, const char *bytes, size_t length);

/* Opens each closed one of the three standard files, so that no other file gets its number. Writing to a
 * standard output that was closed still fails. */
void bw_output_begin(void);
/* Writes to standard output, after flushing what stdio has buffered for it. */
bool bw_output_put(const char *bytes, size_t length, struct bw_error *error);
/* Closes standard output. Returns false with an error if the close, or any earlier write to standard
 * output through stdio, failed. */
bool bw_output_end(struct bw_error *error);

/* Returns the path of a folder that was installed with the program. `wanted` is its configured path and
 * `own` is the configured path of the program's own folder. `folder` is where the program's own folder is
 * now; if it was moved, `wanted` moves with it. In a build folder, returns `built`, relative to `folder`. */
char *bw_find_installed(const char *folder, const char *own, const char *wanted, const char *built);

/* File names of shared libraries. */

enum { BW_LIBRARY_OTHER = -1, BW_LIBRARY_UNNUMBERED = 0 };
/* Returns the version in the file name of the shared library `stem`: for Halide, 19 for libHalide19.so.0
 * and for libHalide.so.19.0.0, BW_LIBRARY_UNNUMBERED for libHalide.so, and BW_LIBRARY_OTHER for other
 * names. */
int bw_library_version(const char *path, const char *stem);

/* Files and folders that only this user can write to. Everything that the program executes or obeys
 * (compiled objects, kept sessions, beamwalkrc) is read only from such files, so that no other user can
 * inject anything. */

/* Makes the missing parent folders of a path: one for each prefix that ends before a slash. */
bool bw_folders_make(const char *path, struct bw_error *error);
/* Makes a folder, and its missing parents, for this user alone. Returns false with an error if it cannot
 * be made, or if an existing folder belongs to another user than this one or root, or is writable by
 * others. */
bool bw_trusted_folder_make(const char *path, struct bw_error *error);
/* Checks that an open file belongs to this user or root, and nobody else can write to it. Returns false
 * with an error that names path. */
bool bw_file_is_trusted(int file, const char *path, struct bw_error *error);
/* Reads a file like bw_file_read. Fails unless this user or root owns the file and its folder, and nobody
 * else can write to them. */
bool bw_trusted_file_read(const char *path, size_t limit, struct bw_text *text, struct bw_error *error);
