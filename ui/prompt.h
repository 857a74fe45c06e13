/* The prompts `:` and `/`: one line, edited by libedit as in a shell, drawn by us. libedit sees a terminal of its own, never the
 * real one. History is kept in a file that several instances share. */
#ifndef BW_UI_PROMPT_H
#define BW_UI_PROMPT_H
#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "ui/grid.h"
#include "ui/key.h"

struct bw_prompt;
/* history: a file for the lines of `:`, made with its directories when first written; NULL: kept in memory only. To be made before
 * the terminal is opened: libedit looks the terminal up. NULL on error. */
struct bw_prompt *bw_prompt_new(const char *history, struct bw_error *error);
void bw_prompt_free(struct bw_prompt *prompt);

/* Begins an empty line; kind is `:` or `/`. */
void bw_prompt_open(struct bw_prompt *prompt, char kind);
/* The kind of the open prompt, 0 where none is open. */
char bw_prompt_kind(const struct bw_prompt *prompt);

enum bw_prompt_state { BW_PROMPT_EDITING, BW_PROMPT_COMPLETE, BW_PROMPT_ENTERED, BW_PROMPT_LEFT };
/* A key. COMPLETE: the user asks to complete what stands before the cursor. ENTERED: *line is what was entered (and remembered),
 * LEFT: the prompt was left; both close it. */
enum bw_prompt_state bw_prompt_key(struct bw_prompt *prompt, struct bw_key key, struct bw_text *line);
/* The line up to the cursor. */
void bw_prompt_before_cursor(const struct bw_prompt *prompt, struct bw_text *out);
/* Inserts text at the cursor; line ends and other control characters become blanks. */
void bw_prompt_insert(struct bw_prompt *prompt, const char *text);
/* Draws it into a row, the part around the cursor where it is long; returns the column of the cursor. */
int bw_prompt_draw(const struct bw_prompt *prompt, struct bw_grid *grid, struct bw_rect rect);
#endif
