/* Files and standard output: the places where the program writes, so that a write that fails is never unseen. */
#ifndef BW_BASE_FILE_H
#define BW_BASE_FILE_H
#include "base/error.h"
#include "base/text.h"

/* Reads a whole file into *text; an error names the file. Refuses what is larger than limit bytes. */
bool bw_file_read(const char *path, size_t limit, struct bw_text *text, struct bw_error *error);
/* Makes a text that was read from a file ready to be taken line by line: drops a byte order mark at its begin. False with an error that names the file
 * and the line if there is a zero byte in it, where all that follows would be lost. */
bool bw_text_lines(const char *name, struct bw_text *text, struct bw_error *error);
/* As bw_file_read, of a file that is open. */
bool bw_file_read_from(int file, const char *path, size_t limit, struct bw_text *text, struct bw_error *error);
/* Writes a file whole or not at all, and leaves nothing else behind if the program is killed meanwhile. A file that is there
 * keeps its permissions. Through a symbolic link it writes the file that this points to, and what is no regular file
 * (/dev/stdout, a pipe) is written into, never replaced. An error names the file. */
bool bw_file_write(const char *path, const char *bytes, size_t length, struct bw_error *error);
/* Writes all bytes to an open file, and waits where it takes no more at once; false with errno. */
bool bw_write_all(int file, const char *bytes, size_t length);

/* Opens those of the three standard files that are closed, so that no other file gets their numbers. A standard output that was
 * closed still takes nothing. */
void bw_output_begin(void);
/* Writes to standard output, behind what stdio still holds for it. */
bool bw_output_put(const char *bytes, size_t length, struct bw_error *error);
/* Ends standard output. False with an error if anything that was ever written to it by stdio, or the closing itself, failed. */
bool bw_output_end(struct bw_error *error);
#endif
