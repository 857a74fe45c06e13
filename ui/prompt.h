/* The prompts `:` and `/`. libedit edits the line as in a shell, but beamwalk draws it: libedit writes to
 * a terminal of its own, never to the real one. Several programs share the history file. */
#pragma once

#include "ui/grid.h"
#include "ui/keys.h"

struct bw_prompt;
/* Returns a prompt, or NULL with an error. history: a file for the lines of `:`, created with its folders
 * at the first write; NULL: in memory only. Must be called before the terminal is opened, because libedit
 * looks the terminal up. */
struct bw_prompt *bw_prompt_new(const char *history, struct bw_error *error);
void bw_prompt_free(struct bw_prompt *prompt);

/* Begins an empty line; kind is `:` or `/`. */
void bw_prompt_open(struct bw_prompt *prompt, char kind);
/* Returns the kind of the open prompt, or 0. */
char bw_prompt_kind(const struct bw_prompt *prompt);

enum bw_prompt_state { BW_PROMPT_EDITING, BW_PROMPT_COMPLETE, BW_PROMPT_ENTERED, BW_PROMPT_LEFT };
/* Handles a key. COMPLETE: the user wants completions at the cursor. ENTERED: the user entered *line,
 * which is now in the history. LEFT: the user left the prompt. ENTERED and LEFT close the prompt. */
enum bw_prompt_state bw_prompt_key(struct bw_prompt *prompt, struct bw_key key, struct bw_text *line);
/* Appends the line up to the cursor. */
void bw_prompt_before_cursor(const struct bw_prompt *prompt, struct bw_text *out);
/* Inserts text at the cursor; control characters become blanks. */
void bw_prompt_insert(struct bw_prompt *prompt, const char *text);
/* Draws the prompt into a row. Of a line that is too long, draws the part around the cursor. Returns the
 * cursor's column. */
int bw_prompt_draw(const struct bw_prompt *prompt, struct bw_grid *grid, struct bw_rect rect);

/* A file of entered lines, oldest first. Several programs may use the file at once: each locks it while
 * reading or writing. Lines are only appended, except that the oldest are removed when the file is large. */

/* Calls add for each of the last `most` lines. Treats a missing or unreadable file as empty. */
void bw_history_read(const char *path, int most, void (*add)(const char *line, void *data), void *data);
/* Returns libedit's history (HistoryW) with the last lines of a file. The history is empty if path is
 * NULL. */
void *bw_prompt_history(const char *path);
/* Adds a line to a history of bw_prompt_history, unless this locale cannot decode the line. */
void bw_prompt_remember(const char *line, void *history);
/* Appends a line; creates the file and its folders. If that fails, the line is dropped silently. */
void bw_history_append(const char *path, const char *line);
