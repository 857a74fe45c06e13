/* Figures of a session by name: `assert` compares them, and the texts of lessons quote them. */
#pragma once
#include "session/session.h"

/* What `assert` can say. */

/* Figures: name in C, in words, meaning. */
#define BW_ASSERTED_TABLE(X) \
	X(BW_ASSERTED_COST, "cost", "cost of the Funcs that the selected state has placed, in the model's unit") \
	X(BW_ASSERTED_STATES, "states", "states in the beam at the cursor") \
	X(BW_ASSERTED_KERNELS, "kernels", "kernels of the selected state") \
	X(BW_ASSERTED_POSITION, "position", "decisions before the cursor") \
	X(BW_ASSERTED_DECISIONS, "decisions", "decisions of the search") \
	X(BW_ASSERTED_HELD, "held", "Funcs held by the user") \
	X(BW_ASSERTED_COMMANDS, "commands", "commands of the journal that are not undone") \
	X(BW_ASSERTED_TIMINGS, "timings", "schedules compiled or measured") \
	X(BW_ASSERTED_ENUMERATED, "enumerated", "options of the decision at the cursor, for the selected state") \
	X(BW_ASSERTED_LEGAL, "legal", "of these, those that no rule prunes") \
	X(BW_ASSERTED_BUCKETED, "bucketed", "of these, those in buckets") \
	X(BW_ASSERTED_SAMPLED, "sampled", "of these, those drawn") \
	X(BW_ASSERTED_COSTED, "costed", "of these, those with a cost") \
	X(BW_ASSERTED_KEPT, "kept", "of these, those in the next beam")

enum bw_asserted { BW_ASSERTED_TABLE(BW_FIRST) BW_N_ASSERTED };

/* Facts other than figures: name in C, first word, what follows it, meaning. If the first word is empty here,
 * the fact begins with a Func's name. */
#define BW_FACT_TABLE(X) \
	X(BW_FACT_BEST, "best", "FACT", "FACT holds for the best state instead of the selected one") \
	X(BW_FACT_DECISION, "decision", "DECISION", "the cursor is at this decision; `end`: at the end of the search") \
	X(BW_FACT_OPTION, "option", "OPTION FATE [RULE]", "an option of the decision at the cursor has this fate, by this rule") \
	X(BW_FACT_OUTPUT, "output", "VERDICT", "the newest measurement has this output: right, right within bound, wrong, unstable, unchecked; or failed") \
	X(BW_FACT_BEAMS, "beams", "POSITION DIGEST ...", "the beams up to each position have these digests, as in a saved session") \
	X(BW_FACT_VIEW, "view", "VIEW", "this view is shown, or a pane of the main one has the keys") \
	X(BW_FACT_SELECTED, "selected", "FUNC", "this Func is selected") \
	X(BW_FACT_FUNC, "", "FUNC SITE [SIZES | ; LOOPS...]", "the selected state places the Func so; without sizes: at that site") \
	X(BW_FACT_UNPLACED, "", "FUNC unplaced|held|free", "the Func is not placed yet; a constraint or a freeze of the search holds it; nothing holds it")

enum bw_fact { BW_FACT_TABLE(BW_FIRST) BW_N_FACTS };

/* Kinds of figures, which determine how a figure is written: name in C. SHARE: 0..1, written in percent.
 * TIMES: a factor. WORDS: a text instead of a number. */
enum bw_figure_kind {
	BW_FIGURE_COST,
	BW_FIGURE_COUNT,
	BW_FIGURE_SHARE,
	BW_FIGURE_BYTES,
	BW_FIGURE_TIMES,
	BW_FIGURE_WORDS
};

/* Figures of a Func in the selected state, as in `occupancy of Ix`: name in C, word, kind, meaning. */
#define BW_FUNC_FIGURE_TABLE(X) \
	X(BW_FUNC_FIGURE_COST, "cost", COST, "cost of the Func's own stages") \
	X(BW_FUNC_FIGURE_KERNEL, "kernel", COST, "cost of the kernel that computes the Func") \
	X(BW_FUNC_FIGURE_SHARE, "share", SHARE, "part of the cost of all kernels that this kernel has, 0..1") \
	X(BW_FUNC_FIGURE_BLOCKS, "blocks", COUNT, "blocks of the kernel") \
	X(BW_FUNC_FIGURE_THREADS, "threads", COUNT, "threads of a block") \
	X(BW_FUNC_FIGURE_SHARED, "shared", BYTES, "bytes of shared memory of a block") \
	X(BW_FUNC_FIGURE_OCCUPANCY, "occupancy", SHARE, "resident warps over the most that an SM holds, 0..1") \
	X(BW_FUNC_FIGURE_RESIDENT, "resident", COUNT, "blocks that an SM holds at once") \
	X(BW_FUNC_FIGURE_LIMITER, "limiter", WORDS, "what limits the occupancy: threads, warps, blocks, registers, shared memory") \
	X(BW_FUNC_FIGURE_SMS, "sms", SHARE, "SMs with work, averaged over the waves of blocks, 0..1") \
	X(BW_FUNC_FIGURE_BOUND, "bound", WORDS, "the term of the cost that takes longest, as in `view roofline`") \
	X(BW_FUNC_FIGURE_EFFICIENCY, "efficiency", SHARE, "bytes used over bytes loaded from global memory, 0..1") \
	X(BW_FUNC_FIGURE_INTENSITY, "intensity", COUNT, "operations per byte that DRAM moves") \
	X(BW_FUNC_FIGURE_RECOMPUTE, "recompute", TIMES, "points of the Func computed over points needed") \
	X(BW_FUNC_FIGURE_CALLS, "calls", COUNT, "calls of an inlined Func for each point that it is inlined into") \
	X(BW_FUNC_FIGURE_REGION, "region", COUNT, "points of the Func that a block needs") \
	X(BW_FUNC_FIGURE_POINTS, "points", COUNT, "points of the Func computed in all") \
	X(BW_FUNC_FIGURE_SIZE, "size", BYTES, "bytes of the whole Func, each point once")

enum bw_func_figure { BW_FUNC_FIGURE_TABLE(BW_FIRST) BW_N_FUNC_FIGURES };

/* Figures of the selected state's code, as in `code share`: name in C, word, kind, meaning. "The loop" is the
 * loop of the selected line, with all that is inside it. */
#define BW_CODE_FIGURE_TABLE(X) \
	X(BW_CODE_FIGURE_INSTRUCTIONS, "instructions", COUNT, "instructions of PTX that warps ran on the emulated device, in all kernels") \
	X(BW_CODE_FIGURE_SHARE, "share", SHARE, "part of these in the loop of the selected line, 0..1") \
	X(BW_CODE_FIGURE_FLOATS, "floats", SHARE, "part of the loop's instructions of PTX that add and multiply floats, 0..1") \
	X(BW_CODE_FIGURE_LOADS, "loads", SHARE, "part of the loop's instructions of PTX that load, 0..1") \
	X(BW_CODE_FIGURE_SASS_FLOATS, "sass-floats", SHARE, "the same as floats in SASS, in PTX if there is no SASS") \
	X(BW_CODE_FIGURE_SASS_LOADS, "sass-loads", SHARE, "the same as loads in SASS, in PTX if there is no SASS")

enum bw_code_figure { BW_CODE_FIGURE_TABLE(BW_FIRST) BW_N_CODE_FIGURES };

struct bw_figure {
	enum bw_figure_kind kind;
	double value;      /* unless the kind is WORDS */
	const char *words; /* if the kind is WORDS; a constant string */
};

/* Returns the enum bw_func_figure with the name word[0..length), or -1. */
int bw_func_figure_find(const char *word, size_t length);
/* Reads the figure that `text` names: `cost`, `best cost` (of the best state), `occupancy of Ix`, `device
 * sms` (a field of the device), `code share`. Returns false with an error if there is no such figure or it
 * has no value now. */
bool bw_figure_read(struct bw_session *session, const char *text, struct bw_figure *figure,
		    struct bw_error *error);
/* Appends a figure with unit and prefix (0.0523 ms, 12.4 KB, 38 %); if raw, as a plain number. */
void bw_figure_print(const struct bw_session *session, const struct bw_figure *figure, bool raw,
		     struct bw_text *out);
/* Sets *value to a figure of BW_ASSERTED_TABLE. Returns false if the figure has no value now. */
bool bw_asserted_value(struct bw_session *session, enum bw_asserted figure, double *value);
/* Returns true if a fact holds. Returns false with an error that gives the actual value if it does not.
 * Leaves the session's message unchanged. */
bool bw_session_holds(struct bw_session *session, const char *fact, struct bw_error *error);
