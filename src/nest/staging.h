/* Staging (Anderson et al. 2021, section 4.7): if a thread loads values of a producer more than once in a
 * pass through its unrolled loops, a wrapper of the producer loads each value once into registers. The
 * wrapper is computed outside of the unrolled loops. Which producers are staged follows from the nest by
 * the rules below; no placement says it.
 *
 * The rules for what compilers keep in registers without staging were found by counting loads in PTX
 * (Halide 14 with its LLVM). Within a point, and within the points of a vector, every load is made once.
 * The same holds from one point to the next if the stage stores nothing in between, because it keeps its
 * values in registers or accumulates them there over the iterations. Otherwise, values of global memory
 * are loaded again, whatever memory the stage stores to. Values of shared memory are loaded again only if
 * the stage stores to shared memory, too.
 *
 * A wrapper replaces the calls in whole Funcs. So only this one stage may reach the Funcs on the path. If
 * a Func on the path is also inlined elsewhere, it would have to be cloned, which is not done. The wrapper
 * must have the same size in every pass, and Halide must be able to prove it: both ends of its box move
 * alike with each loop, and no guard cuts the box off. The number of registers is limited, since spilling
 * would cost more than staging saves. */
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
	/* 32-bit registers that a stage may use for staging. Halide's runtime compiles for 64 registers.
	 * With a limit of 60 or more, some random schedules spilled (84 to 192 bytes); with 48 none
	 * spilled, and most took fewer registers than without staging. */
	BW_STAGING_MOST_REGISTERS = 48
};

/* The staging of one producer that a stage loads, directly or through inlined Funcs. */
struct bw_staging {
	int producer; /* a stored Func, a Func that is not placed yet (assumed to be at root), or an input */
	enum bw_staging_verdict verdict;
	int named; /* a Func that the verdict names; -1: none */
	/* the Func that is wrapped: the producer, or a Func that only passes on an input; -1 if there is
	 * none */
	int func;
	int n_readers;
	const int *readers;  /* Funcs whose calls are replaced, by falling index; STAGED only */
	struct bw_site site; /* compute site of the wrapper, outside of the unrolled loops; STAGED only */
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
	/* number of iterations after which a value that the stage accumulates is stored; 1: after each */
	double kept;
};

/* Returns the iterations of the innermost loops over which an update accumulates into the same values. The
 * compiler keeps these values in registers, and loads and stores each value once for all of the
 * iterations. Returns 1 if there are no such loops. shares: the stage reads another Func from shared
 * memory. The compiler cannot tell that Func's addresses from those that the stage stores to. */
double bw_stage_kept(const struct bw_nest *nest, const struct bw_stage *stage, bool shares);

/* Returns true if Halide knows the length of the rows of a Func at root or of an input, and so the
 * alignment of each row. A description does not say this about inputs: a generator that fixes the rows of
 * an output is assumed to fix those of its inputs. */
bool bw_rows_known(const struct bw_pipeline *pipeline, const struct bw_func *func);

/* Returns the staging of all producers of a stage that is placed and not inlined. The arena owns it. */
struct bw_stagings bw_nest_stagings(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena);
/* Returns the number of loads that a pass makes: `after` if the values are staged or kept by the compiler,
 * else `before`. */
double bw_staging_loads(const struct bw_staging *staging);
/* Returns the entry of a producer. Returns NULL if the stage does not load it. */
const struct bw_staging *bw_stagings_of(const struct bw_stagings *stagings, int producer);
const char *bw_staging_name(enum bw_staging_verdict verdict);
/* Appends the verdict as a line without a line end: `input in registers: 18 loads in place of 36,
 * 72 bytes a thread`, `Y not staged: chain: Ix is inlined elsewhere too`. */
void bw_staging_words(const struct bw_pipeline *pipeline, const struct bw_staging *staging,
		      struct bw_text *out);
