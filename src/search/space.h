/* What a decision asks of a parent state, the options that are proposed, and the rules that judge
 * them. */
#pragma once
#include "base/routine.h"
#include "search/record.h"

/* The sizes with which tiles are enumerated, by dimension: iterations per thread, and threads per block
 * (Anderson et al. 2021, sections 4.1 and 4.2), plus the sizes that Halide's anderson2021 adds
 * (Tiling.cpp).
 *
 * Number of dimensions with all serial extents, and with all threads. Each dimension beyond has 1,
 * or its whole extent up to BW_WHOLE_SIZE, so that the number of combinations stays bounded. */
enum { BW_SERIAL_DIMS = 4, BW_THREAD_DIMS = 3, BW_MOST_SIZES = 16, BW_WHOLE_SIZE = 16 };

/* Sizes of one dimension, in ascending order, without duplicates; at least one. */
struct bw_sizes {
	int n;
	int64_t list[BW_MOST_SIZES];
};
/* Finds the iterations per thread over `extent` points: powers of two to 8; 3, 5 and 7 if they
 * leave a multiple of a warp of threads; the whole of an extent of 3, 5 or 7, or 1. No size is more
 * than its threads need: 9 threads do 17 points with 2 each, and 3 threads with 6, not 8. */
void bw_sizes_serial(int64_t extent, int64_t warp, struct bw_sizes *sizes);
/* Finds the iterations per thread for a Func at a block, where they determine the threads. Adds the
 * iterations that powers of two of threads leave, up to 16 (9 of 17 with 2 threads), if at most an
 * eighth of them is idle. `innermost`: the dimension of consecutive threads, which are at least 16. */
void bw_sizes_serial_at_block(int64_t extent, int64_t warp, bool innermost, struct bw_sizes *sizes);
/* Finds the threads for `extent` iterations: powers of two, from 16 to 64 in the dimension of
 * consecutive threads and to 16 in others, and the number of iterations itself if it is below 64.
 * Never more than there are iterations. */
void bw_sizes_threads(int64_t extent, bool innermost, struct bw_sizes *sizes);
/* Adds the threads that are also tried when one dimension of a tiling is changed: all powers of two
 * up to 256, 32 and 16 in the first three dimensions. */
void bw_sizes_widen(int64_t extent, int dim, struct bw_sizes *sizes);
/* Finds serial extents or threads for a dimension beyond the first ones. */
void bw_sizes_whole(int64_t extent, struct bw_sizes *sizes);
/* Returns the dimension of consecutive threads: the first of at least 16 iterations, else the
 * first. `serial` is by dimension; NULL: all 1. */
int bw_sizes_innermost(const int64_t *extents, const int64_t *serial, int n_dims);

struct bw_learned_basis;
struct bw_kept_table;
/* For tests: results that were taken over from an earlier option or state and compared with fresh ones. */
struct bw_reuse_checks {
	long made, wrong;
};
/* Notes whether a result that was taken over is right. */
void bw_checks_note(struct bw_reuse_checks *checks, bool right);

/* The caches that a search keeps between options, and the inputs of costs other than nests. */
struct bw_recall {
	struct bw_learned_basis *basis; /* of the pipeline, under the learned model; else NULL */
	struct bw_kept_table *kernels;  /* cache of recent results for kernels */
	struct bw_reuse_checks *checks;       /* NULL: nothing is compared */
};

/* A Func as it is placed in a schedule, near which variants are proposed. */
struct bw_near {
	const struct bw_placement *now;
	enum bw_memory memory; /* the memory that stores the Func */
	bool together;         /* with `late`: propose the variants that are tried together with changes of
				  the Funcs that it reads; else propose those tried late at other sites, too */
	bool late;             /* propose the variants of its plan that are tried late, and nothing else */
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES]; /* of its tiling at root, or of an assumed one
							      if it is elsewhere */
};

/* Everything that a decision depends on. The search, its explanations and tests of constraints all
 * use it. */
struct bw_question {
	const struct bw_pipeline *pipeline;
	const struct bw_settings *options;
	const struct bw_constraint *constraint; /* on this Func; NULL if there is none */
	const struct bw_state *parent;
	bool alone; /* no other state of the beam is asked this question */
	int beam;   /* the number of states that the beam keeps, at most */
	int func;
	enum bw_phase phase;
	int pass;
	/* constraints that include a rejection or pin of this Func; NULL if there is none */
	const struct bw_constraints *marks;
	const struct bw_constraints *held; /* all constraints; NULL if there are none */
	const struct bw_recall *recall;
	const struct bw_near *near; /* variants of a schedule (search/variants.h): tilings that differ from it in
				       more than one dimension are not proposed, other memories and unrolling
				       are, and no Func is inlined without a question; else NULL */
	bool silent; /* options get no words, and no placement if a rule that needs none prunes them */
	const struct bw_yield *yield; /* asked between options; may be NULL */
};

/* Options as an enumerator proposes them. */
struct bw_proposals {
	int n, capacity;
	int left_out; /* options after the last one that are too large to unroll and that nobody needs */
	bool shares;  /* reductions are shared by threads and blocks: without these the device has too few points */
	struct bw_proposal {
		const struct bw_placement *placement; /* NULL if there is nothing to decide */
		uint64_t kind; /* of the enumerator: all sizes of one site have one kind */
		int64_t unrolled; /* iterations of a thread in its serial pieces */
		bool asked; /* named by a constraint; no enumerator proposes it */
		int left_out; /* options left out between this one and the one before it */
	} *list;
};
/* Adds a proposal, and takes over the placement (which may be NULL). unrolled: iterations of a thread in its
 * serial pieces. */
void bw_propose(struct bw_proposals *proposals, const struct bw_placement *placement, uint64_t kind,
		int64_t unrolled);

/* The combinations of sizes of a stage's axes, in the order of bw_stage.across, one after the other. */
struct bw_combinations {
	int n_dims, at[BW_MAX_LOOPS];
	struct bw_sizes sizes[BW_MAX_LOOPS];
	bool end;
};
/* Begins the combinations of serial extents. extents: of the stage's loops; at_block: of a Func at a block,
 * not at root. */
void bw_serials_begin(struct bw_combinations *serials, const int64_t *extents, int n_dims, int64_t warp,
		      bool at_block);
/* Begins the combinations of the threads that serial extents leave at root. */
void bw_threads_begin(struct bw_combinations *threads, const int64_t *extents, const int64_t *serial,
		      int n_dims);
/* Writes the next combination, n_dims numbers. Returns false if there is none left. */
bool bw_combinations_next(struct bw_combinations *combinations, int64_t *sizes);

/* Propose the options of a decision, one function for each kind of choice (Anderson et al. 2021, sections 4,
 * 4.1 to 4.3). They return false if they were stopped. */
bool bw_enumerate_sites(const struct bw_question *question, struct bw_proposals *proposals);
bool bw_enumerate_tiles(const struct bw_question *question, struct bw_proposals *proposals);
/* Returns true if the Func is inlined without a choice: if it is passed on point by point, or only hands on
 * an input. A Func with a constraint has all options, and so have all Funcs during polishing. */
bool bw_always_inlined(const struct bw_question *question);
/* Returns true if two parents of a decision are asked for the tiling of a Func with the same
 * extents, so that the same tiles are proposed. */
bool bw_same_tiles_proposed(const struct bw_question *a, const struct bw_question *b);

/* Draws the options to cost (Anderson et al. 2021, sections 3.1 and 4.4): options of fate `fate` that
 * are not drawn become UNSAMPLED. */
void bw_sample(const struct bw_question *question, struct bw_expansion *expansion, enum bw_fate fate);
/* Judges a proposal before it is placed: sets its fate to PRUNED if a rule objects. */
void bw_rules_before(const struct bw_question *question, const struct bw_proposal *proposal,
		     struct bw_option *option);
/* Judges a proposal by the exclusions that the settings make from the search space; a constraint
 * overrides them. */
void bw_rule_space(const struct bw_question *question, const struct bw_proposal *proposal,
		   struct bw_option *option);
/* Returns true if a Func may be recomputed at any price: it is cheap; or, as in anderson2021, it
 * has one stage that reads point by point or reads nothing, and only one Func reads it, directly or
 * through inlined ones (a table of a function's values, for example). */
bool bw_recomputed_freely(const struct bw_nest *nest, int func, struct bw_arena *arena);
/* Returns true if the search tries this variant of plans. */
bool bw_tries(const struct bw_settings *options, enum bw_plan_variant variant);
/* Returns the most iterations of a thread in its serial pieces. */
int64_t bw_most_unrolled(const struct bw_question *question);
/* Returns true if the search offers Funcs this kind of site. */
bool bw_searches(const struct bw_settings *options, enum bw_sites site);
/* Judges an option that is placed in a nest: may set its fate to PRUNED or SECOND_CHOICE. */
void bw_rules_after(const struct bw_question *question, const struct bw_nest *nest, struct bw_arena *arena,
		    struct bw_option *option);
/* Returns true if the user constrains the Func: then options are made that would not be
 * otherwise. */
bool bw_question_asked(const struct bw_question *question);
/* Returns the rejection or pin that concerns an option of the Func; NULL if there is none. */
const struct bw_constraint *bw_question_mark(const struct bw_question *question,
					     const struct bw_placement *placement);
/* Returns true if the search itself froze the Func. */
bool bw_question_frozen(const struct bw_question *question);
/* Returns true if a constraint holds the Func with its sizes: then no soft rule applies, and
 * nothing is sampled. */
bool bw_question_pinned(const struct bw_question *question);
