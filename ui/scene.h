/* What one frame shows, looked up in the session once for all views. */
#ifndef BW_UI_SCENE_H
#define BW_UI_SCENE_H
#include "base/mem.h"
#include "session/kernels.h"
#include "session/ledger.h"
#include "session/session.h"
#include "ui/keys.h"
#include "ui/sheet.h"

struct bw_scene {
	struct bw_session *session;
	const struct bw_pipeline *pipeline;
	const struct bw_search *search;
	const struct bw_search_options *options;
	const struct bw_state *const *beam; /* states at the cursor, best first */
	int n_states;
	const struct bw_state *state;       /* the selected one; NULL: none yet */
	const struct bw_cost *cost;         /* its cost; NULL: none */
	int pass;                           /* that the cursor is in, from 1; 0: the pre-pass */
	bool several;                       /* there is more than one pass, a pre-pass among them */
	const struct bw_decision *decision; /* at the cursor; NULL at the end, of a pass too */
	const struct bw_expansion *expansion;
	const struct bw_option *option;     /* the selected one; NULL: none */
	enum bw_replay replay;              /* stage at which the decision is shown */
	int n_decisions, first, end;        /* of all passes; the first decision of this one, and its end */
	bool complete;                      /* every Func of the state is placed */
	const struct bw_kernel *kernels;    /* of the state, in order of launch */
	int n_kernels;
	const struct bw_kernel_facts *facts; /* of the kernels, once they were compiled for the device; NULL before */
	const struct bw_keymap *keymap;     /* keys that the user has bound otherwise; NULL: none */
	bool marks;                         /* show what the last step changed */
	struct bw_arena *arena;
};

void bw_scene_make(struct bw_scene *scene, struct bw_session *session, struct bw_arena *arena);

/* The placement of a Func in the state, NULL where it is not placed. */
const struct bw_placed *bw_scene_placed(const struct bw_scene *scene, int func);
/* A row that stands for a Func, marked where it has changed. */
struct bw_row bw_scene_row(const struct bw_scene *scene, int func);
bool bw_scene_changed(const struct bw_scene *scene, int func);
/* A Func's name in at most so many columns, its middle left out where it is longer; in the arena. */
const char *bw_scene_short(const struct bw_scene *scene, int func, int columns);
/* The mark of what holds a Func: `F` where it is the user, `f` where it is the search, "" where it is free. */
const char *bw_scene_held(const struct bw_scene *scene, int func);
/* A Func's name, with that mark behind it; in the arena. */
const char *bw_scene_name(const struct bw_scene *scene, int func);
/* A choice in words, without the Func's name; in the arena. */
const char *bw_scene_words(const struct bw_scene *scene, const struct bw_placement *placement);
/* The same for a field of so many columns: without `at `, then without the host's name, or without `root ` before sizes, where that would not fit. */
const char *bw_scene_words_within(const struct bw_scene *scene, const struct bw_placement *placement, int columns);
/* How an option is called: A3, AB1, or #30 where it is in no bucket; in the arena. */
const char *bw_scene_label(const struct bw_scene *scene, const struct bw_option *option);
/* `pass 2`, `the pre-pass`; in the arena. */
const char *bw_scene_pass(const struct bw_scene *scene, int pass);
/* The title where there is no decision at the cursor; in the arena. */
const char *bw_scene_all_made(const struct bw_scene *scene);
/* A decision by its place in the search: `Ix.where`, with the pass where there are several; in the arena. */
const char *bw_scene_decision(const struct bw_scene *scene, int index);
/* What became of it, in words: `kept, 5th`, or with a penalty `dropped ×3`; in the arena. */
const char *bw_scene_fate(const struct bw_scene *scene, const struct bw_option *option);
enum bw_style bw_fate_style(enum bw_fate fate);
/* Its stages' cost, and its share of the whole, 0..1; 0 where it is not placed or inlined. */
double bw_scene_func_cost(const struct bw_scene *scene, int func);
double bw_scene_share(const struct bw_scene *scene, int func);
/* That of a kernel, with all that is computed inside. */
double bw_scene_kernel_share(const struct bw_scene *scene, const struct bw_kernel *kernel);
/* Points computed over points needed. */
double bw_scene_recompute(const struct bw_placed *placed);
/* What a kernel's blocks make of the device. */
struct bw_occupancy bw_scene_occupancy(const struct bw_scene *scene, const struct bw_kernel *kernel);
/* Waves of blocks over the whole device; 0: not known. */
double bw_scene_waves(const struct bw_scene *scene, const struct bw_kernel *kernel, const struct bw_occupancy *occupancy);
/* Blanks, `so far`: what a cost of the cursor's position is. */
const char *bw_scene_so_far(const struct bw_scene *scene);
/* The key that runs a line of the command language, as the user has bound it; `:line` where none does. In the arena. */
const char *bw_scene_key(const struct bw_scene *scene, const char *line);
/* A text with keys for the lines in its braces (bw_keys_write); in the arena. */
const char *bw_scene_keys(const struct bw_scene *scene, const char *text);
/* A formatted text that lives as long as the frame. */
const char *bw_scene_text(const struct bw_scene *scene, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
