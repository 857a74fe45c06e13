/* Staging (Anderson et al. 2021, section 4.7): what a thread loads more than once in a pass through its
 * unrolled loops it loads once into registers, by a wrapper of the producer that is computed there. It
 * follows from a nest by the rule below, and is part of no placement.
 *
 * What compilers keep by themselves was counted in PTX (Halide 14 and its LLVM): within a point every load is
 * made once. From point to point a value of global memory is loaded again, whatever the stage stores to; one
 * of shared memory only where the stage stores to shared memory too.
 *
 * A wrapper takes the calls of whole Funcs: so nothing else than this one stage may be reached through any of
 * them. Where a Func on the way is inlined elsewhere too, a clone of it would be needed, and that is not
 * done. Its size must be the same in every pass, and Halide must see that: both ends of its box move alike
 * with each loop, and no guard cuts it off. The registers that it may take are limited, or the kernel would
 * spill what staging was to keep. */
#ifndef BW_NEST_STAGING_H
#define BW_NEST_STAGING_H
#include "nest/nest.h"

/* What was found of a producer that a stage loads: name in C, in words; meaning. */
#define BW_STAGING_TABLE(X) \
	X(STAGED, "staged", "loaded once a pass into registers") \
	X(ONCE, "nothing is loaded twice", "from point to point other values are loaded") \
	X(KEPT, "the compiler keeps it", "shared memory that nothing is stored to in between") \
	X(OFF, "staging is off", "it could be, but the schedule says no") \
	X(SELF, "an update reads its own Func", "each iteration may need what the one before stored") \
	X(INPUT, "no Func hands the input on", "only a Func can be wrapped") \
	X(THREADS, "its unrolled loops are in no thread", "the threads of a block would share it") \
	X(STAGES, "several stages of one Func read it", "a wrapper serves all of them, and can be computed in none") \
	X(CHAIN, "chain", "it is read through a Func that is inlined elsewhere too, and would have to be cloned") \
	X(EXTENTS, "its extents are not constant", "registers have no index") \
	X(GUARD, "a guard cuts its extents off", "Halide then sees no constant size") \
	X(REGISTERS, "it would take too many registers", "what is staged would be spilled")

enum bw_staging_verdict {
#define X(name, words, meaning) BW_STAGING_##name,
	BW_STAGING_TABLE(X)
#undef X
	BW_N_STAGINGS
};

enum {
	/* Registers of 32 bits that a stage may hold for staging, of the 64 that Halide's runtime compiles
	 * for: with 60 and more of random schedules some spilled (84 to 192 bytes), with 48 none did, and
	 * most took fewer registers than without. */
	BW_STAGING_MOST_REGISTERS = 48
};

/* What becomes of one producer that a stage loads, directly or through what is inlined into it. */
struct bw_staging {
	int producer; /* a stored Func, one that is not placed yet (taken to be at root), or an input */
	enum bw_staging_verdict verdict;
	int named;    /* a Func that the verdict is about; -1: none */
	int func; /* the Func that is wrapped: the producer, or what hands an input on; -1 where no such was
		     found */
	int n_readers;
	const int *readers; /* Funcs whose calls are replaced, of falling index; STAGED only */
	struct bw_site site; /* where it is computed: outside of the unrolled loops; STAGED only */
	double before;       /* loads of a pass through the unrolled loops as the stage stands, each once a point */
	double after;        /* values of the box that a pass touches */
	const int64_t *extents; /* of this box, by dimension of func; STAGED only */
	int64_t bytes;       /* of these; 0 where there is no bound */
};

struct bw_stagings {
	int n;
	const struct bw_staging *list; /* producers of falling index */
};

/* What becomes of all producers of a stage that is placed and not inlined. Owned by the arena. */
struct bw_stagings bw_nest_stagings(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena);
/* Loads of a pass that are made: `after` where they are staged or kept. */
double bw_staging_loads(const struct bw_staging *staging);
/* That of a producer; NULL where the stage loads nothing of it. */
const struct bw_staging *bw_stagings_of(const struct bw_stagings *stagings, int producer);
const char *bw_staging_name(enum bw_staging_verdict verdict);
/* As a line without its end: `input in registers: 18 loads in place of 36, 72 bytes a thread`, `Y not staged:
 * chain: Ix is inlined elsewhere too`. */
void bw_staging_words(const struct bw_pipeline *pipeline, const struct bw_staging *staging,
		      struct bw_text *out);
#endif
