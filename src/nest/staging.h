/* Staging (Anderson et al. 2021, section 4.7): values that a thread loads more than once in a pass
 * through its unrolled loops are loaded once into registers, by a wrapper of the producer that is
 * computed there. Which producers are staged follows from the nest by the rules below; it is not
 * part of any placement.
 *
 * The rules for what compilers keep in registers by themselves were counted in PTX (Halide 14 with
 * its LLVM): within a point, and within the points of a vector, every load is made once. From one point
 * to the next the same holds if the stage stores nothing in between: it keeps its values in registers, or
 * accumulates them there over the iterations. Else values of global memory are loaded again, whatever
 * the stage stores to; values of shared memory only if the stage stores to shared memory, too.
 *
 * A wrapper replaces the calls in whole Funcs. So all Funcs on the path must be reached from this
 * one stage only. If a Func on the path is inlined elsewhere, too, it would have to be cloned,
 * which is not done. The size of the wrapper must be the same in every pass, and Halide must be
 * able to see that: both ends of its box move alike with each loop, and no guard cuts it off. The
 * number of registers is limited, since spilling would undo what staging gains. */
#pragma once
#include "nest/nest.h"

/* The verdict on a producer that a stage loads: name in C, words, meaning. */
#define BW_STAGING_TABLE(X) \
	X(BW_STAGING_STAGED, "staged", "loaded once a pass into registers") \
	X(BW_STAGING_ONCE, "nothing is loaded twice", "from point to point other values are loaded") \
	X(BW_STAGING_KEPT, "the compiler keeps it", "nothing is stored in between, or not to the same memory") \
	X(BW_STAGING_OFF, "staging is off", "it could be, but the schedule says no") \
	X(BW_STAGING_SELF, "an update reads its own Func", "each iteration may need what the one before stored") \
	X(BW_STAGING_INPUT, "no Func hands the input on", "only a Func can be wrapped") \
	X(BW_STAGING_VECTORS, "its loops are vectors", "a wrapper would load their values one by one") \
	X(BW_STAGING_THREADS, "its unrolled loops are in no thread", "the threads of a block would share it") \
	X(BW_STAGING_STAGES, "several stages of one Func read it", "a wrapper serves all of them, and can be computed in none") \
	X(BW_STAGING_CHAIN, "chain", "it is read through a Func that is inlined elsewhere too, and would have to be cloned") \
	X(BW_STAGING_EXTENTS, "its extents are not constant", "registers have no index") \
	X(BW_STAGING_GUARD, "a guard cuts its extents off", "Halide then sees no constant size") \
	X(BW_STAGING_REGISTERS, "it would take too many registers", "what is staged would be spilled")

enum bw_staging_verdict { BW_STAGING_TABLE(BW_FIRST) BW_N_STAGINGS };

enum {
	/* 32-bit registers that a stage may hold for staging, of the 64 that Halide's runtime
	 * compiles for. With 60 and more, some random schedules spilled (84 to 192 bytes); with 48
	 * none did, and most took fewer registers than without staging. */
	BW_STAGING_MOST_REGISTERS = 48
};

/* What becomes of one producer that a stage loads, directly or through inlined Funcs. */
struct bw_staging {
	int producer; /* a stored Func, a Func that is not placed yet (taken to be at root), or an input */
	enum bw_staging_verdict verdict;
	int named; /* a Func that the verdict names; -1: none */
	/* the Func that is wrapped: the producer, or a Func that hands an input on; -1 if there is
	 * none */
	int func;
	int n_readers;
	const int *readers;  /* Funcs whose calls are replaced, by falling index; STAGED only */
	struct bw_site site; /* where the wrapper is computed: outside of the unrolled loops; STAGED only */
	/* loads per pass through the unrolled loops without staging, one per point (or value of the box
	 * that a vector touches) and value */
	double before;
	double after; /* values of the box that a pass touches; KEPT: loads that the compiler makes */
	const int64_t *extents; /* of the box, by dimension of `func`; STAGED only */
	int64_t bytes;          /* of the box; 0 if it is unbounded */
};

struct bw_stagings {
	int n;
	const struct bw_staging *list; /* by falling index of the producer */
	double kept; /* iterations after which a value that the stage accumulates is stored; 1: each */
};

/* Returns the iterations of the innermost loops in which an update goes on with the values that it has: the
 * compiler keeps these in registers, and loads and stores each once for all of the iterations. 1: there are
 * no such loops. shares: the stage reads another Func from shared memory, which the compiler cannot tell from
 * what it stores there itself. */
double bw_stage_kept(const struct bw_nest *nest, const struct bw_stage *stage, bool shares);

/* Returns true if Halide knows how long the rows of a Func at root or of an input are, and so how each is
 * aligned. Of inputs no description tells: a generator that fixes the rows of an output is taken to fix
 * theirs. */
bool bw_rows_known(const struct bw_pipeline *pipeline, const struct bw_func *func);

/* Returns what becomes of all producers of a stage that is placed and not inlined. The arena owns
 * it. */
struct bw_stagings bw_nest_stagings(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena);
/* Returns the loads per pass that are made: `after` if the values are staged or kept, else
 * `before`. */
double bw_staging_loads(const struct bw_staging *staging);
/* Returns the entry of a producer; NULL if the stage loads nothing of it. */
const struct bw_staging *bw_stagings_of(const struct bw_stagings *stagings, int producer);
const char *bw_staging_name(enum bw_staging_verdict verdict);
/* Appends the verdict as a line without a line end: `input in registers: 18 loads in place of 36,
 * 72 bytes a thread`, `Y not staged: chain: Ix is inlined elsewhere too`. */
void bw_staging_words(const struct bw_pipeline *pipeline, const struct bw_staging *staging,
		      struct bw_text *out);
