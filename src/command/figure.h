/* Figures of a session by name: `assert` compares them, and the texts of lessons quote them. */
#ifndef BW_COMMAND_FIGURE_H
#define BW_COMMAND_FIGURE_H
#include "command/assert.h"

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
/* Returns a figure of the table in assert.h; false if it has no value now. */
bool bw_asserted_value(struct bw_session *session, enum bw_asserted figure, double *value);
#endif
