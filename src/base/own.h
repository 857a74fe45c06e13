/* Folders and files that only this user can write to. What the program executes or obeys (compiled objects, kept sessions, beamwalkrc)
 * is read from such ones alone: else another user of the machine could put something there. */
#ifndef BW_BASE_OWN_H
#define BW_BASE_OWN_H
#include "base/error.h"
#include "base/text.h"

/* Makes a folder for this user alone, with those above it that are missing. False with an error if it cannot be made, or if the folder
 * that is there belongs to another user (root's are as good as own ones) or can be written to by one. */
bool bw_folder_own(const char *path, struct bw_error *error);
/* The same of a folder that must be there already. */
bool bw_folder_is_own(const char *path, struct bw_error *error);
/* Whether an open file belongs to this user or to root and nobody else can write to it; false with an error that names it by its path. */
bool bw_file_is_own(int file, const char *path, struct bw_error *error);
/* As bw_file_read, of such a file in such a folder. */
bool bw_file_read_own(const char *path, size_t limit, struct bw_text *text, struct bw_error *error);
#endif
