/* Views. Each fills a sheet from the scene; the screen (screen.h) lays sheets out, scrolls and highlights
 * them. */
#pragma once
#include "figures/kernels.h"
#include "session/option_list.h"
#include "ui/keys.h"
#include "ui/sheet.h"

/* Everything that one frame shows, looked up in the session once for all views. */
struct bw_scene {
	const struct bw_session *session;
	const struct bw_pipeline *pipeline;
	const struct bw_search *search;
	const struct bw_settings *options;
	const struct bw_state *const *beam; /* states at the cursor, best first */
	int n_states;
	const struct bw_state *state;       /* the selected state; NULL: none yet */
	const struct bw_cost *cost;         /* cost of the selected state; NULL: none */
	int pass;                           /* the pass of the cursor, from 1; 0: the pre-pass */
	bool several;                       /* there is more than one pass, counting the pre-pass */
	const struct bw_decision *decision; /* at the cursor; NULL at the end of the search or of a pass */
	const struct bw_expansion *expansion;
	const struct bw_option *option;  /* the selected option; NULL: none */
	enum bw_replay replay;           /* stage at which the decision is shown */
	int n_decisions, first, end;     /* n_decisions: of all passes. first, end: the first decision of
					    this pass, and the one after its last */
	bool complete;                   /* every Func of the state is placed */
	const struct bw_kernel_facts *kernels; /* of the state, in launch order */
	int n_kernels;
	const struct bw_keymap *keymap; /* the user's keys; NULL: none */
	int rows; /* visible rows of the view, without its title; 0: unlimited, for printing */
	bool marks; /* mark the changes of the last step */
	struct bw_arena *arena;
};

void bw_scene_make(struct bw_scene *scene, struct bw_session *session, struct bw_arena *arena);

/* Returns the placement of a Func in the state, or NULL. */
const struct bw_placed *bw_scene_placed(const struct bw_scene *scene, int func);
/* Returns a row for a Func, marked as changed if the last command changed the Func. */
struct bw_row bw_scene_row(const struct bw_scene *scene, int func);
bool bw_scene_changed(const struct bw_scene *scene, int func);
/* Returns a Func's name, its middle shortened to fit into `columns` columns; in the arena. */
const char *bw_scene_short(const struct bw_scene *scene, int func, int columns);
/* Returns the mark of a Func's constraint: `F` if the user froze it, `f` if the search did, else "". */
const char *bw_scene_held(const struct bw_scene *scene, int func);
/* Returns a Func's name followed by the mark of its constraint (bw_scene_held); in the arena. */
const char *bw_scene_name(const struct bw_scene *scene, int func);
/* Returns a placement in words, without the Func's name; in the arena. */
const char *bw_scene_words(const struct bw_scene *scene, const struct bw_placement *placement);
/* Returns the words of bw_scene_words, shortened to `columns` columns. If necessary drops `at `, then the
 * host's name; for a placement at root, drops `root ` before sizes. */
const char *bw_scene_words_within(const struct bw_scene *scene, const struct bw_placement *placement,
				  int columns);
/* Returns the name of an option: A3, AB1, or #30 if it is in no bucket; in the arena. */
const char *bw_scene_label(const struct bw_scene *scene, const struct bw_option *option);
/* Returns `pass 2` or `the pre-pass`; in the arena. */
const char *bw_scene_pass(const struct bw_scene *scene, int pass);
/* Returns the title of a view of decisions for when there is no decision at the cursor; in the arena. */
const char *bw_scene_all_made(const struct bw_scene *scene);
/* Returns the name of a decision by its index in the search: `Ix.where`, with the pass if there are
 * several; in the arena. */
const char *bw_scene_decision(const struct bw_scene *scene, int index);
/* Returns the fate of an option in words, in the arena. `kept, 5th`: rank 5 of the next beam. `dropped,
 * 40th`: rank 40 by cost and penalty; with a penalty, `dropped ×3`. `same as 5th`: the next beam has the
 * same schedule from another parent. */
const char *bw_scene_fate(const struct bw_scene *scene, const struct bw_option *option);
enum bw_style bw_fate_style(enum bw_fate fate);
/* Return the cost of a Func's stages, and its share of the whole, 0..1. Both are 0 if the Func is
 * inlined or not placed. */
double bw_scene_func_cost(const struct bw_scene *scene, int func);
double bw_scene_share(const struct bw_scene *scene, int func);
/* Returns the share of a kernel, with all Funcs computed inside. */
double bw_scene_kernel_share(const struct bw_scene *scene, const struct bw_kernel *kernel);
/* Returns true if a compiled kernel of a state's schedule spills registers. */
bool bw_scene_spills(const struct bw_scene *scene, const struct bw_state *state);
/* Returns points computed over points needed. */
double bw_scene_recompute(const struct bw_placed *placed);
/* Returns the waves of blocks over the whole device; 0: unknown. */
double bw_scene_waves(const struct bw_scene *scene, const struct bw_kernel *kernel,
		      const struct bw_occupancy *occupancy);
/* Returns `so far` if the state is incomplete, so that its cost covers only the placed Funcs; else "". */
const char *bw_scene_so_far(const struct bw_scene *scene);
/* Returns the user's key for a line of the command language, or `:line` if it has none. In the arena. */
const char *bw_scene_key(const struct bw_scene *scene, const char *line);
/* Returns a text with keys for the lines in its braces (bw_keys_write); in the arena. */
const char *bw_scene_keys(const struct bw_scene *scene, const char *text);
/* Returns a formatted text that lives as long as the frame. */
const char *bw_scene_text(const struct bw_scene *scene, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct bw_view {
	const char *name;         /* the name in `view NAME`, or the name of the pane */
	enum bw_row_kind selects; /* the kind of item that its rows select; PLAIN: the view only scrolls */
	/* Returns the title, and the text at its right end; in the arena. */
	const char *(*title)(const struct bw_scene *scene, const char **right);
	int head_rows; /* rows of the head; if negative, a percentage of the view's rows */
	/* Adds the rows that do not scroll at the top, at most sheet->to; NULL: none. */
	void (*head)(const struct bw_scene *scene, struct bw_sheet *sheet);
	void (*fill)(const struct bw_scene *scene, struct bw_sheet *sheet);
	/* Adds the rows that do not scroll at the bottom, below the sheet; NULL: none. */
	void (*foot)(const struct bw_scene *scene, struct bw_sheet *sheet);
};

/* Returns a line that explains the marks and letters of a view; "" if the view has none. */
const char *bw_view_marks(const char *view);

/* Draws common questions, one per row, each with the keys that answer it. */
void bw_draw_questions(const struct bw_scene *scene, struct bw_sheet *sheet);

/* The meaning of a word, mark or column of a view. view "": of all views. term: several terms may share
 * one meaning, as in `A, B`. */
struct bw_legend {
	const char *view, *term, *meaning;
};

/* Returns the legends of all views, which `?` and the glossary show; sets n to their number. */
const struct bw_legend *bw_legends(int *n);

/* Draws lines 1 to 3: the pipeline being searched, the timeline, and how far the selected state has
 * placed each Func. */
void bw_draw_timeline(const struct bw_scene *scene, struct bw_grid *grid, struct bw_rect rect);
/* Returns the decision at a column of the timeline, or -1, for the mouse. */
int bw_timeline_at(const struct bw_scene *scene, struct bw_rect rect, int x);
/* Draws two lines about the selected Func. */
void bw_draw_detail(const struct bw_scene *scene, struct bw_grid *grid, struct bw_rect rect);
