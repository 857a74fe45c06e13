/* A file of lines that were entered, oldest first. Several instances may use it at once: each holds its lock while it reads or writes,
 * and only ever adds lines, but for cutting the oldest off a file that has grown. */
#ifndef BW_UI_HISTORY_H
#define BW_UI_HISTORY_H

/* Calls add for each of the last `most` lines. A file that is not there, or cannot be read, has none. */
void bw_history_read(const char *path, int most, void (*add)(const char *line, void *data), void *data);
/* Adds a line; makes the file and its directories. Where that cannot be, the line is not kept, and no more is said. */
void bw_history_append(const char *path, const char *line);
#endif
