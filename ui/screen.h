/* The contents of the screen, independent of the terminal. Contains the session and the display state:
 * the focused pane, scrolling, folding, and answers to commands. */
#pragma once
#include "command/lesson.h"
#include "session/view_table.h"
#include "ui/print.h"
#include "ui/view.h"

/* A tour in three steps for newcomers. Each step asks for an action and waits until it is done. */
struct bw_tour {
	int step;    /* 0: no tour; 1 to 3; 4: finished */
	double best; /* cost of the best schedule at the beginning */
};

void bw_tour_begin(struct bw_tour *tour, const struct bw_session *session);
/* Observes a command that has been run, and advances the tour if its step is done. */
void bw_tour_observe(struct bw_tour *tour, struct bw_session *session, const char *line);

/* The layout of the screen: a pure function of the screen's size, the focused pane (if not all panes
 * fit), and the rows of the tour or lesson at the bottom. At any size panes neither overlap nor leave
 * the screen. */

/* The panes of the main view, then the views that take the whole screen: one sheet each. */
enum bw_sheet_id { BW_VIEW_TABLE(BW_FIRST) BW_N_SHEETS, BW_N_PANES = BW_SHEET_OPTIONS + 1, };
#define X(id, name, kind, meaning) extern const struct bw_view bw_view_##name;
BW_VIEW_TABLE(X)
#undef X

struct bw_layout {
	struct bw_rect header;            /* the pipeline being searched, and the timeline */
	struct bw_rect body;              /* all panes together; views that take the whole screen */
	struct bw_rect panes[BW_N_PANES]; /* without rows if there is no room */
	struct bw_rect detail;            /* the selected Func; without rows on a low screen */
	struct bw_rect band;              /* the tour, or a lesson; at most half of the rows */
	struct bw_rect message;           /* the message of the last command */
	struct bw_rect keys;              /* keys, or the prompt */
};

/* Computes the layout. band_rows: rows that the band wants. message_rows: rows that the message wants
 * beyond its first row. */
struct bw_layout bw_layout_make(int columns, int rows, enum bw_sheet_id focus, int band_rows,
				int message_rows);
/* Moves unused rows from stacked panes to panes that need more. needs: rows that each pane can use, with
 * its title; 0: unknown. */
void bw_layout_share(struct bw_layout *layout, const int needs[BW_N_PANES]);
/* Gives the focused pane the room of all panes. */
void bw_layout_alone(struct bw_layout *layout, enum bw_sheet_id focus);
/* If the nest and the options are side by side, moves unused columns to the pane that needs more. nest,
 * options: columns that each pane can use; 0: unknown. */
void bw_layout_share_columns(struct bw_layout *layout, int nest, int options);
/* Returns the pane that contains a cell, or BW_N_PANES. */
enum bw_sheet_id bw_layout_pane_at(const struct bw_layout *layout, int x, int y);

/* The output of a command that is longer than a line. */
struct bw_answer {
	char title[128];
	struct bw_text text; /* empty: none is shown */
	int first;           /* first row shown */
	int last;            /* the greatest possible `first`, computed when the answer was drawn; 0: all
				rows fit */
};

struct bw_screen {
	struct bw_session *session;
	struct bw_arena *arena; /* of one frame */
	bool ascii;
	int columns, rows;
	enum bw_sheet_id focus;
	int needs[BW_N_PANES]; /* rows that each pane can use, computed at the last drawing; 0: not known */
	int widths[2]; /* columns that the nest and the options can use; 0: not known */
	int first[BW_N_SHEETS]; /* first row shown, by sheet */
	int past[BW_N_SHEETS];  /* rows scrolled down from `first`, to show rows below the last selectable
				   row; reset by the next command */
	int cursor[BW_N_SHEETS]; /* the row selected last, by sheet; selects one of the several rows of a
				    Func */
	int pan[BW_N_SHEETS];   /* columns by which the rows are scrolled to the right, by sheet */
	char explained[32]; /* the view that the help screen explained last; for another view the help
			       starts at its first row */
	int menu; /* selected entry of the list of views; -1: the view that opened the list */
	bool marks; /* mark the changes of the last command */
	bool interrupted; /* the last key was ^C */
	char pattern[64]; /* of the last search */
	char notice[256]; /* a message of the screen itself; empty: show the session's message */
	const struct bw_keymap *keymap; /* the user's keys; NULL: none. Owned by the caller */
	struct bw_answer answer;
	struct bw_tour tour;
	int lesson_first; /* first visible row of the lesson's text */
};

struct bw_screen *bw_screen_new(struct bw_session *session, bool ascii);
void bw_screen_free(struct bw_screen *screen);

/* Returns the current layout. */
struct bw_layout bw_screen_layout(const struct bw_screen *screen);
/* Draws everything into a grid, which gets the screen's size. *x, *y is the cursor's position. */
void bw_screen_draw(struct bw_screen *screen, struct bw_grid *grid, int *x, int *y);
/* Returns the rows of the tour for the screen's width; empty if there is no tour. */
struct bw_sheet bw_tour_sheet(const struct bw_screen *screen);
void bw_draw_tour(struct bw_screen *screen, struct bw_grid *grid, struct bw_rect rect);
/* Draws the output of a command above the message line, over the panes. */
void bw_draw_answer(struct bw_screen *screen, struct bw_grid *grid, struct bw_rect body);
/* Returns the number of rows that the error of the last command takes, at most 4; 0 if there is no error. */
int bw_error_rows(const struct bw_screen *screen);
/* Completes the background work whose results a view shows, for a screen that is drawn only once. */
void bw_screen_complete(struct bw_session *session, const char *view);
/* Draws the message; an error longer than the message's rows also covers rows above them. */
void bw_draw_message(const struct bw_screen *screen, struct bw_grid *grid, struct bw_rect rect);
/* Draws the last line: keys, the most useful first. */
void bw_draw_keys(const struct bw_screen *screen, struct bw_grid *grid, const struct bw_layout *layout);

/* Handles the request of a key. */
void bw_screen_request(struct bw_screen *screen, struct bw_binding binding);
/* Reports that a key is unbound, and names the key that lists the bound ones. */
void bw_screen_unknown_key(struct bw_screen *screen, struct bw_key key);
/* Handles a mouse button at a cell. */
void bw_screen_click(struct bw_screen *screen, int x, int y);
void bw_screen_wheel(struct bw_screen *screen, int x, int y, int by);
/* Runs a command line as if typed at the prompt, and leaves the start page. */
void bw_screen_enter(struct bw_screen *screen, const char *line);
void bw_screen_run(struct bw_screen *screen, const char *line);
/* Sets how long a command line may block the screen. If the options that a line needs take more than
 * `patience` seconds to compute, the line waits in the session instead. */
void bw_screen_never_waits(struct bw_screen *screen, double patience);
/* Moves to the row of the Func that the search pattern names, or else to the next row that contains the
 * pattern. */
void bw_screen_find(struct bw_screen *screen);
/* Moves to the next row that contains the search pattern, or to the previous one (direction -1). */
void bw_screen_search(struct bw_screen *screen, int direction);
/* Selects the first option if none is selected and the movement keys act on options. This is not a command
 * of the session, because looking at a decision does not change the session. */
void bw_screen_choose(struct bw_screen *screen);
/* Scrolls the rows of the focused view to the right by one step, or back (by -1). */
void bw_screen_pan(struct bw_screen *screen, int by);
/* Must be called before each key: removes marks and messages of the screen. */
void bw_screen_before_key(struct bw_screen *screen);

/* The focused view, for functions that move the selection in it: its sheet, filled for its rectangle, and
 * the selected row (-1: none). */
struct bw_front {
	const struct bw_view *view;
	enum bw_sheet_id id;
	struct bw_rect rect; /* of the view's rows, without its title and foot */
	struct bw_scene scene;
	struct bw_sheet sheet;
	int selected;
};
/* bw_screen_view returns the view of a sheet. bw_screen_selected returns the row of a sheet that shows the
 * session's selection, or -1 if there is none. */
const struct bw_view *bw_screen_view(enum bw_sheet_id id);
/* Returns the selected entry in the list of views: at first the view from which the list was opened. */
int bw_screen_menu(const struct bw_screen *screen);
int bw_screen_selected(const struct bw_screen *screen, enum bw_sheet_id id, const struct bw_sheet *sheet);
void bw_front_open(struct bw_front *front, struct bw_screen *screen, bool text);
void bw_front_close(struct bw_front *front);

/* The band of a lesson: text, question and answers of a step, below the views. */

/* Returns the number of rows that the current step takes, including its title. On a low screen hints and
 * replies take only the rows that the question leaves; the user scrolls back to read the older ones. */
int bw_lesson_rows(const struct bw_screen *screen);
void bw_draw_lesson(struct bw_screen *screen, struct bw_grid *grid, struct bw_rect rect);
/* Shows the step from its beginning. After an attempt or a hint, shows its end: the question and the
 * last reply. */
void bw_lesson_show(struct bw_screen *screen);
/* Scrolls the text by pages of `rows` rows if there are hidden rows in that direction. Returns true if it
 * scrolled. */
bool bw_lesson_scroll(struct bw_screen *screen, int rows, int pages);
/* Returns true if Enter continues the lesson: no question is open, and the view is the one that the step
 * asks for. */
bool bw_lesson_takes_enter(const struct bw_screen *screen);
/* Returns true if an open question is answered by a digit. */
bool bw_lesson_takes_digits(const struct bw_screen *screen);
