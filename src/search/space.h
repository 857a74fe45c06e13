/* The question of a decision for a parent state, the options that are proposed for it, and the rules that
 * judge these options. */
#pragma once
#include "base/routine.h"
#include "search/record.h"

/* The sizes with which tiles are enumerated, by dimension: iterations per thread, and threads per block
 * (Anderson et al. 2021, sections 4.1 and 4.2), plus the sizes that Halide's anderson2021 adds
 * (Tiling.cpp).
 *
 * BW_SERIAL_DIMS and BW_THREAD_DIMS: number of dimensions for which all serial sizes, and all thread
 * counts, are tried. For further dimensions only 1 and, up to BW_WHOLE_SIZE, the whole extent are tried,
 * so that the number of combinations stays bounded. */
enum { BW_SERIAL_DIMS = 4, BW_THREAD_DIMS = 3, BW_MOST_SIZES = 16, BW_WHOLE_SIZE = 16 };

/* Sizes of one dimension, in ascending order, without duplicates; at least one. */
struct bw_sizes {
	int n;
	int64_t list[BW_MOST_SIZES];
};
/* Finds the iterations per thread over `extent` points: powers of two up to 8; also 3, 5 and 7 if the
 * number of threads is then a multiple of a warp; also the whole extent if it is 3, 5, 7 or 1. Skips a
 * size if a smaller one needs the same number of threads: over 17 points, 9 threads take 2 iterations
 * each, and 3 threads take 6, not 8. */
void bw_sizes_serial(int64_t extent, int64_t warp, struct bw_sizes *sizes);
/* Finds the iterations per thread for a Func at a block, where they determine the number of threads. Adds
 * the iterations that result if the number of threads is a power of two (17 points on 2 threads: 9
 * iterations), up to 16. In dimensions other than the innermost one, at most an eighth of the iterations
 * may be idle. innermost: the dimension of consecutive threads, which has at least 16 threads. */
void bw_sizes_serial_at_block(int64_t extent, int64_t warp, bool innermost, struct bw_sizes *sizes);
/* Finds the numbers of threads for `extent` iterations: powers of two, from 16 to 64 in the dimension of
 * consecutive threads and up to 16 in other dimensions; also the number of iterations itself if it is
 * below 64. A number is never larger than the number of iterations. */
void bw_sizes_threads(int64_t extent, bool innermost, struct bw_sizes *sizes);
/* Adds the numbers of threads that are also tried when one dimension of a tiling is changed: all powers of
 * two, up to 256, 32 and 16 in the first, second and third dimension. */
void bw_sizes_widen(int64_t extent, int dim, struct bw_sizes *sizes);
/* Finds the serial sizes or numbers of threads for a dimension beyond the first BW_SERIAL_DIMS or
 * BW_THREAD_DIMS. */
void bw_sizes_whole(int64_t extent, struct bw_sizes *sizes);
/* Returns the dimension of consecutive threads: the first one with at least 16 iterations, else the first.
 * serial: iterations per thread by dimension; NULL: all 1. */
int bw_sizes_innermost(const int64_t *extents, const int64_t *serial, int n_dims);

struct bw_learned_basis;
struct bw_kept_table;
/* For tests: counts the results that were reused from an earlier option or state and compared with results
 * computed afresh; and how many of them were wrong. */
struct bw_reuse_checks {
	long made, wrong;
};
/* Counts a reused result as right or wrong. */
void bw_checks_note(struct bw_reuse_checks *checks, bool right);

/* The caches that a search keeps between options, and the inputs of costs other than nests. */
struct bw_recall {
	struct bw_learned_basis *basis; /* basis of the pipeline, under the learned model; else NULL */
	struct bw_kept_table *kernels;  /* cache of recent results for kernels */
	struct bw_reuse_checks *checks;       /* NULL: reused results are not checked */
};

/* The current placement of a Func in a schedule. Variants near this placement are proposed. */
struct bw_near {
	const struct bw_placement *now;
	enum bw_memory memory; /* the memory that stores the Func */
	/* with `late`: propose the variants that are tried together with changes of the Funcs that the
	 * Func reads. Without `late`: also propose the variants that are tried late at other sites. */
	bool together;
	bool late;             /* propose only the variants of the Func's plan that are tried late */
	/* sizes of its tiling at root; of an assumed tiling if it is not at root */
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES];
};

/* Everything that a decision depends on. The search, its explanations and the tests of constraints use it. */
struct bw_question {
	const struct bw_pipeline *pipeline;
	const struct bw_settings *options;
	/* the constraint that holds this Func; NULL if there is none */
	const struct bw_constraint *constraint;
	const struct bw_state *parent;
	bool alone; /* no other state of the beam has this question */
	int beam;   /* the number of states that the beam keeps, at most */
	int func;
	enum bw_phase phase;
	int pass;
	/* all constraints, if they include a rejection or pin of this Func; else NULL */
	const struct bw_constraints *marks;
	const struct bw_constraints *held; /* all constraints; NULL if there are none */
	const struct bw_recall *recall;
	/* set for variants of a schedule (search/variants.h), else NULL. Tilings that differ from the
	 * schedule's in more than one dimension are then not proposed; other memories and unrolling are;
	 * and inlining is always one option among others. */
	const struct bw_near *near;
	/* options get no words; an option that a rule prunes before it is placed gets no placement */
	bool silent;
	const struct bw_yield *yield; /* called between options; may be NULL */
};

/* Options as an enumerator proposes them. */
struct bw_proposals {
	int n, capacity;
	/* number of options after the last one that are too large to unroll, and for which no struct is
	 * needed */
	int left_out;
	/* reductions are shared by threads and blocks, because otherwise there are too few points to fill
	 * the device */
	bool shares;
	struct bw_proposal {
		const struct bw_placement *placement; /* NULL if there is nothing to decide */
		uint64_t kind; /* which enumerator made it; all sizes of one site have the same kind */
		int64_t unrolled; /* iterations per thread in serial pieces */
		bool asked; /* a constraint names it; no enumerator proposes it */
		int left_out; /* number of options left out between the previous proposal and this one */
	} *list;
};
/* Adds a proposal, which then owns the placement (may be NULL). unrolled: iterations per thread in serial
 * pieces. */
void bw_propose(struct bw_proposals *proposals, const struct bw_placement *placement, uint64_t kind,
		int64_t unrolled);

/* An iterator over the combinations of sizes of a stage's axes. The axes are in the order of
 * bw_stage.across. */
struct bw_combinations {
	int n_dims, at[BW_MAX_LOOPS];
	struct bw_sizes sizes[BW_MAX_LOOPS];
	bool end;
};
/* Begins the combinations of serial sizes. extents: of the stage's loops. at_block: true if the Func is at
 * a block, false at root. */
void bw_serials_begin(struct bw_combinations *serials, const int64_t *extents, int n_dims, int64_t warp,
		      bool at_block);
/* Begins the combinations of numbers of threads at root, given the serial sizes. */
void bw_threads_begin(struct bw_combinations *threads, const int64_t *extents, const int64_t *serial,
		      int n_dims);
/* Writes the next combination, n_dims numbers. Returns false if there is none left. */
bool bw_combinations_next(struct bw_combinations *combinations, int64_t *sizes);

/* These functions propose the options of a decision, one function per phase (Anderson et al. 2021,
 * sections 4, 4.1 to 4.3). They return false if they were stopped. */
bool bw_enumerate_sites(const struct bw_question *question, struct bw_proposals *proposals);
bool bw_enumerate_tiles(const struct bw_question *question, struct bw_proposals *proposals);
/* Returns true if the Func is inlined without a choice, because it is read point by point or only copies
 * an input. A Func with a constraint has all options. During polishing, all Funcs have all options. */
bool bw_always_inlined(const struct bw_question *question);
/* Returns true if the questions for two parents of a decision lead to the same proposed tiles, because the
 * Func's extents are equal. */
bool bw_same_tiles_proposed(const struct bw_question *a, const struct bw_question *b);

/* Draws the options to cost (Anderson et al. 2021, sections 3.1 and 4.4) among those of the fate `fate`.
 * Options that are not drawn get the fate UNSAMPLED. */
void bw_sample(const struct bw_question *question, struct bw_expansion *expansion, enum bw_fate fate);
/* Judges a proposal before it is placed. Sets its fate to PRUNED if a rule objects. */
void bw_rules_before(const struct bw_question *question, const struct bw_proposal *proposal,
		     struct bw_option *option);
/* Prunes a proposal that the settings exclude from the search space, unless a constraint names it. */
void bw_rule_space(const struct bw_question *question, const struct bw_proposal *proposal,
		   struct bw_option *option);
/* Returns true if recomputation of a Func is not limited. This holds if the Func is cheap. As in
 * anderson2021, it also holds if the Func has one stage that reads point by point or reads nothing, and
 * only one Func reads it, directly or through inlined Funcs (for example a table of a function's values). */
bool bw_recomputed_freely(const struct bw_nest *nest, int func, struct bw_arena *arena);
/* Returns true if the search tries this variant of plans. */
bool bw_tries(const struct bw_settings *options, enum bw_plan_variant variant);
/* Returns the most iterations per thread in serial pieces. */
int64_t bw_most_unrolled(const struct bw_question *question);
/* Returns true if the search offers Funcs this kind of site. */
bool bw_searches(const struct bw_settings *options, enum bw_sites site);
/* Judges an option that is placed in a nest. May set its fate to PRUNED or SECOND_CHOICE. */
void bw_rules_after(const struct bw_question *question, const struct bw_nest *nest, struct bw_arena *arena,
		    struct bw_option *option);
/* Returns true if the user constrains the Func. Options that are otherwise left out are then made. */
bool bw_question_asked(const struct bw_question *question);
/* Returns the rejection or pin that concerns an option of the Func; NULL if there is none. */
const struct bw_constraint *bw_question_mark(const struct bw_question *question,
					     const struct bw_placement *placement);
/* Returns true if the search itself froze the Func. */
bool bw_question_frozen(const struct bw_question *question);
/* Returns true if a constraint holds the Func with its sizes. Soft rules and sampling then do not apply. */
bool bw_question_pinned(const struct bw_question *question);
