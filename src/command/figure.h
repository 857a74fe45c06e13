/* Figures of a session by name: `assert` compares them, and the texts of lessons quote them. */
#pragma once
#include "session/session.h"

/* What `assert` can say. */

/* Figures: name in C, in words, meaning. */
#define BW_ASSERTED_TABLE(X) \
	X(COST, "cost", "cost of the Funcs that the selected state has placed, in the model's unit") \
	X(STATES, "states", "states in the beam at the cursor") \
	X(KERNELS, "kernels", "kernels of the selected state") \
	X(POSITION, "position", "decisions before the cursor") \
	X(DECISIONS, "decisions", "decisions of the search") \
	X(HELD, "held", "Funcs held by the user") \
	X(COMMANDS, "commands", "commands of the journal that are not undone") \
	X(TIMINGS, "timings", "schedules compiled or measured") \
	X(ENUMERATED, "enumerated", "options of the decision at the cursor, for the selected state") \
	X(LEGAL, "legal", "of these, those that no rule prunes") \
	X(BUCKETED, "bucketed", "of these, those in buckets") \
	X(SAMPLED, "sampled", "of these, those drawn") \
	X(COSTED, "costed", "of these, those with a cost") \
	X(KEPT, "kept", "of these, those in the next beam")

enum bw_asserted {
#define X(name, text, meaning) BW_ASSERTED_##name,
	BW_ASSERTED_TABLE(X)
#undef X
	BW_N_ASSERTED
};

/* Other facts: name in C, first word, what follows, meaning. A Func's name as the first word stands for
 * itself. */
#define BW_FACT_TABLE(X) \
	X(BEST, "best", "FACT", "FACT holds for the best state instead of the selected one") \
	X(DECISION, "decision", "DECISION", "the cursor is at this decision; `end`: at the end of the search") \
	X(OPTION, "option", "OPTION FATE [RULE]", "an option of the decision at the cursor has this fate, by this rule") \
	X(OUTPUT, "output", "VERDICT", "the newest measurement has this output: right, right within bound, wrong, unstable, unchecked; or failed") \
	X(BEAMS, "beams", "POSITION DIGEST ...", "the beams up to each position have these digests, as in a saved session") \
	X(VIEW, "view", "VIEW", "this view is shown, or a pane of the main one has the keys") \
	X(SELECTED, "selected", "FUNC", "this Func is selected") \
	X(FUNC, "", "FUNC SITE [SIZES | ; LOOPS...]", "the selected state places the Func so; without sizes: at that site") \
	X(UNPLACED, "", "FUNC unplaced|held|free", "the Func is not placed yet; a constraint or a freeze of the search holds it; nothing holds it")

enum bw_fact {
#define X(name, word, arguments, meaning) BW_FACT_##name,
	BW_FACT_TABLE(X)
#undef X
	BW_N_FACTS
};

/* Kinds of figures, which say how a figure is written: name in C. SHARE: 0..1, written in percent. TIMES: a
 * factor. WORDS: no number. */
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
	X(COST, "cost", COST, "cost of the Func's own stages") \
	X(KERNEL, "kernel", COST, "cost of the kernel that computes the Func") \
	X(SHARE, "share", SHARE, "part of the cost of all kernels that this kernel has, 0..1") \
	X(BLOCKS, "blocks", COUNT, "blocks of the kernel") \
	X(THREADS, "threads", COUNT, "threads of a block") \
	X(SHARED, "shared", BYTES, "bytes of shared memory of a block") \
	X(OCCUPANCY, "occupancy", SHARE, "resident warps over the most that an SM holds, 0..1") \
	X(RESIDENT, "resident", COUNT, "blocks that an SM holds at once") \
	X(LIMITER, "limiter", WORDS, "what limits the occupancy: threads, warps, blocks, registers, shared memory") \
	X(SMS, "sms", SHARE, "SMs with work, averaged over the waves of blocks, 0..1") \
	X(BOUND, "bound", WORDS, "the term of the cost that takes longest, as in `view roofline`") \
	X(EFFICIENCY, "efficiency", SHARE, "bytes used over bytes loaded from global memory, 0..1") \
	X(INTENSITY, "intensity", COUNT, "operations per byte that DRAM moves") \
	X(RECOMPUTE, "recompute", TIMES, "points of the Func computed over points needed") \
	X(CALLS, "calls", COUNT, "calls of an inlined Func for each point that it is inlined into") \
	X(REGION, "region", COUNT, "points of the Func that a block needs") \
	X(POINTS, "points", COUNT, "points of the Func computed in all") \
	X(SIZE, "size", BYTES, "bytes of the whole Func, each point once")

enum bw_func_figure {
#define X(name, word, kind, meaning) BW_FUNC_FIGURE_##name,
	BW_FUNC_FIGURE_TABLE(X)
#undef X
	BW_N_FUNC_FIGURES
};

struct bw_figure {
	enum bw_figure_kind kind;
	double value;      /* but of WORDS */
	const char *words; /* of WORDS; constant */
};

/* Returns the figure of a Func whose name is word[0..length), or -1. */
int bw_func_figure_find(const char *word, size_t length);
/* Reads the figure `text`: `cost`, `best cost` (of the best state), `occupancy of Ix`, `device sms` (a
 * field of the device). Returns false with an error if there is no such figure, or it has no value now. */
bool bw_figure_read(struct bw_session *session, const char *text, struct bw_figure *figure,
		    struct bw_error *error);
/* Appends a figure: raw as a plain number, else with unit and prefix (0.0523 ms, 12.4 KB, 38 %). */
void bw_figure_print(const struct bw_session *session, const struct bw_figure *figure, bool raw,
		     struct bw_text *out);
/* Returns a figure of BW_ASSERTED_TABLE; false if it has no value now. */
bool bw_asserted_value(struct bw_session *session, enum bw_asserted figure, double *value);
/* Returns true if a fact holds, and leaves the session's message unchanged. *error gives the actual
 * value otherwise. */
bool bw_session_holds(struct bw_session *session, const char *fact, struct bw_error *error);
