/* Files and folders that only this user can write to. Everything that the program executes or obeys
 * (compiled objects, kept sessions, beamwalkrc) is read only from such files, so that no other user can
 * inject anything. */
#ifndef BW_BASE_TRUSTED_FILE_H
#define BW_BASE_TRUSTED_FILE_H
#include "base/error.h"
#include "base/text.h"

/* Makes a folder, and its missing parents, for this user alone. Returns false with an error if it cannot
 * be made, or if an existing folder belongs to another user than this one or root, or is writable by
 * others. */
bool bw_trusted_folder_make(const char *path, struct bw_error *error);
/* Checks that an open file belongs to this user or root, and nobody else can write to it. Returns false
 * with an error that names path. */
bool bw_file_is_trusted(int file, const char *path, struct bw_error *error);
/* Reads a file like bw_file_read, if file and folder are this user's or root's alone. */
bool bw_trusted_file_read(const char *path, size_t limit, struct bw_text *text, struct bw_error *error);
#endif
