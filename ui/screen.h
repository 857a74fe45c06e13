/* The screen: all that is shown at one moment, without a terminal. It knows the session and what is only a matter of looking: which
 * pane has the keys, what is scrolled, unfolded, or said in answer to a command. */
#ifndef BW_UI_SCREEN_H
#define BW_UI_SCREEN_H
#include "session/session.h"
#include "ui/keys.h"
#include "ui/layout.h"
#include "ui/print.h"
#include "ui/tour.h"
#include "ui/view.h"

/* What a command printed, when it is more than a line. */
struct bw_answer {
	char title[128];
	struct bw_text text; /* empty: none is shown */
	int first;           /* row shown first */
};

struct bw_screen {
	struct bw_session *session;
	struct bw_arena *arena;      /* of one frame */
	bool ascii;
	int columns, rows;
	enum bw_sheet_id focus;
	int first[BW_N_SHEETS];      /* row shown first, of each sheet */
	bool marks;                  /* what the last command changed is marked */
	bool interrupted;            /* the last key was ^C */
	char pattern[64];            /* of the last search */
	char notice[256];            /* said by the screen itself; empty: the session's message is shown */
	const struct bw_keymap *keymap; /* the user's; NULL: none. The caller's */
	struct bw_answer answer;
	struct bw_tour tour;
};

struct bw_screen *bw_screen_new(struct bw_session *session, bool ascii);
void bw_screen_free(struct bw_screen *screen);

/* Where everything stands now. */
struct bw_layout bw_screen_layout(const struct bw_screen *screen);
/* Draws all into a grid, which takes the screen's size; *x, *y is where the cursor stands. */
void bw_screen_draw(struct bw_screen *screen, struct bw_grid *grid, int *x, int *y);
/* The rows of the tour, for the screen's width; empty where there is none. */
struct bw_sheet bw_tour_sheet(const struct bw_screen *screen);
void bw_draw_tour(struct bw_screen *screen, struct bw_grid *grid, struct bw_rect rect);
/* What a command printed, above the message line, over the panes. */
void bw_draw_answer(struct bw_screen *screen, struct bw_grid *grid, struct bw_rect body);
/* The message line; an error that is longer goes on over the lines above it. */
void bw_draw_message(const struct bw_screen *screen, struct bw_grid *grid, struct bw_rect rect);
/* The last line: keys, those most needed first. */
void bw_draw_keys(const struct bw_screen *screen, struct bw_grid *grid, struct bw_rect rect);

/* What a key asks for. */
void bw_screen_request(struct bw_screen *screen, struct bw_binding binding);
/* A mouse button at a cell. */
void bw_screen_click(struct bw_screen *screen, int x, int y);
void bw_screen_wheel(struct bw_screen *screen, int x, int y, int by);
/* Runs a line of the command language; as it was typed at the prompt, the start page gives way to it. */
void bw_screen_enter(struct bw_screen *screen, const char *line);
void bw_screen_run(struct bw_screen *screen, const char *line);
/* From now on lines that ask for options which are not made within `patience` seconds wait for them in the session, and the screen does not. */
void bw_screen_never_waits(struct bw_screen *screen, double patience);
/* Goes to the next row (or the one before) that has the pattern. */
void bw_screen_search(struct bw_screen *screen, int direction);
/* The first option is selected where none is and options are what the keys move in. Looking at a decision does not change it, so this is no
 * command. */
void bw_screen_choose(struct bw_screen *screen);
/* Before each key: what was marked or said by the screen is no longer. */
void bw_screen_before_key(struct bw_screen *screen);

/* For what moves in views: the view that has the keys, its sheet filled for its rectangle, and the selected row (-1: none).
 * text: what its rows say is needed too. */
struct bw_front {
	const struct bw_view *view;
	enum bw_sheet_id id;
	struct bw_rect rect; /* of its rows, without the title and the foot */
	struct bw_scene scene;
	struct bw_sheet sheet;
	int selected;
};
/* A sheet's view, and the row of it that is selected in the session; -1: none. */
const struct bw_view *bw_screen_view(enum bw_sheet_id id);
int bw_screen_selected(const struct bw_screen *screen, enum bw_sheet_id id, const struct bw_sheet *sheet);
void bw_front_open(struct bw_front *front, struct bw_screen *screen, bool text);
void bw_front_close(struct bw_front *front);
#endif
