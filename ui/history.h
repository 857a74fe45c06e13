/* A file of entered lines, oldest first. Several programs may use it at once: each locks it while it reads
 * or writes, and only appends lines, except for removing the oldest from a large file. */
#ifndef BW_UI_HISTORY_H
#define BW_UI_HISTORY_H

/* Calls add for each of the last `most` lines. A file that is missing or unreadable has none. */
void bw_history_read(const char *path, int most, void (*add)(const char *line, void *data), void *data);
/* Appends a line; creates the file and its folders. If that fails, the line is dropped silently. */
void bw_history_append(const char *path, const char *line);
#endif
