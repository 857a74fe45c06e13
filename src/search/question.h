/* What a decision asks of a parent, the options that are proposed for it, and the rules that judge them.
 * Shared by the files of this room alone. */
#ifndef BW_SEARCH_QUESTION_H
#define BW_SEARCH_QUESTION_H
#include "base/mem.h"
#include "search/memo.h"
#include "search/search.h"
#include "search/sizes.h"

struct bw_learned_basis;
struct bw_known;
/* A memo, NULL: none, with the keys of what costs and verdicts follow from beside the nests. */
struct bw_recall {
	struct bw_memo *memo;
	uint64_t costs, limits;
	struct bw_learned_basis *basis; /* of the pipeline under the learned model; NULL: costs are another's */
	struct bw_known *known;         /* what was costed; NULL where there is but one pass, or no memo */
};

/* What a Func of a schedule is, near which variants are proposed. */
struct bw_near {
	const struct bw_placement *now;
	enum bw_memory memory;                             /* that it is kept in */
	int64_t serial[BW_MAX_DIMS], threads[BW_MAX_DIMS]; /* of its tiling at root, or of the one that is
							      assumed there if it is elsewhere */
};

/* What a decision is made with; the same for the search, for its explanation and for a constraint that is
 * tried. */
struct bw_question {
	const struct bw_pipeline *pipeline;
	const struct bw_search_options *options;
	const struct bw_constraint *constraint; /* on this Func, NULL if there is none */
	const struct bw_state *parent;
	bool alone;  /* no other state of the beam is asked alike */
	int beam;    /* states that are kept at most of all that the beam leads to */
	int func;
	enum bw_phase phase;
	int pass;
	const struct bw_constraints
	    *marks; /* among which something of this Func is rejected or pinned; NULL: nothing is */
	const struct bw_recall *recall;
	const struct bw_near *near; /* variants of a schedule (search/variants.h): tilings that differ from it in
				       more than one dimension are not proposed, other memories and unrolling
				       are, and no Func is inlined without a question; else NULL */
	bool silent; /* options get no words, nor placements where a rule that needs none prunes them */
};

/* Options as an enumerator proposes them. */
struct bw_proposals {
	int n, capacity;
	int left_out; /* after the last one: options that are too much to unroll, where nobody asks what they
			 would be */
	struct bw_proposal {
		const struct bw_placement *placement; /* NULL: nothing is to be decided */
		uint64_t kind;                        /* of what was enumerated: all sizes of one site are of one */
		int64_t unrolled;                     /* product of the serial extents */
		bool asked;                           /* a constraint names it, and no enumerator proposes it */
		int left_out;                         /* options between it and the one before it that are */
	} *list;
};
/* Takes over the placement (NULL allowed). */
void bw_propose(struct bw_proposals *proposals, const struct bw_placement *placement, uint64_t kind,
		const int64_t *serial, int n_dims);
/* Adds those that are another's, who keeps them. */
void bw_propose_all(struct bw_proposals *proposals, const struct bw_proposals *more);
/* Adds those that the memo has under a key; false where it has none, or its values are checked. */
bool bw_proposals_recall(const struct bw_recall *recall, uint64_t key, struct bw_proposals *proposals);
/* Gives the memo those from `from` on, of which none before is left out; or compares them with what it has,
 * where that is checked. */
void bw_proposals_keep(const struct bw_recall *recall, uint64_t key, const struct bw_proposals *proposals,
		       int from);

/* Combinations of sizes by dimension, one after the other. */
struct bw_combinations {
	int n_dims, at[BW_MAX_DIMS];
	struct bw_sizes sizes[BW_MAX_DIMS];
	bool end;
};
/* Begins the combinations of serial extents. extents: of the region by dimension; at_block: of a Func at a
 * block, not at root. */
void bw_serials_begin(struct bw_combinations *serials, const int64_t *extents, int n_dims, int64_t warp,
		      bool at_block);
/* Begins those of the threads that are left at root by serial extents. */
void bw_threads_begin(struct bw_combinations *threads, const int64_t *extents, const int64_t *serial,
		      int n_dims);
/* The next one, n_dims numbers; false if there is none left. */
bool bw_combinations_next(struct bw_combinations *combinations, int64_t *sizes);

/* An enumeration under way. */
struct bw_enumerating {
	bool begun, done;
	int next;                  /* of the sites in kernels of others */
	struct bw_combinations serials; /* of a tiling */
};
/* Enumerators, one for each kind of choice (Anderson et al. 2021, sections 4, 4.1 to 4.3). Each call proposes
 * the options of one more site, or of one more combination of serial extents, until `done` is set; what was
 * proposed before comes from the memo, all at once. */
void bw_enumerate_sites(const struct bw_question *question, const struct bw_recall *recall,
			struct bw_enumerating *enumerating, struct bw_proposals *proposals);
void bw_enumerate_tiles(const struct bw_question *question, const struct bw_recall *recall,
			struct bw_enumerating *enumerating, struct bw_proposals *proposals);
/* Whether two parents of a decision are asked for the tiling of a Func with the same extents, so that the
 * same tiles are proposed. */
bool bw_tiles_alike(const struct bw_question *a, const struct bw_question *b);

/* Draws the options to cost (Anderson et al. 2021, sections 3.1 and 4.4): those of fate `fate` that are not
 * drawn become UNSAMPLED. */
void bw_sample(const struct bw_question *question, struct bw_expansion *expansion, enum bw_fate fate);
/* Judges a proposal before it is placed: sets fate PRUNED where a rule says so. */
void bw_rules_before(const struct bw_question *question, const struct bw_proposal *proposal,
		     struct bw_option *option);
/* The same for what the options leave out of the search space; a constraint has it all the same. */
void bw_rule_space(const struct bw_question *question, const struct bw_proposal *proposal,
		   struct bw_option *option);
/* Whether a Func is no loss to compute again (it is cheap), or one that anderson2021 lets be computed again
 * at any price: a map of what it reads, if of anything, and one Func reads it, itself or through inlined
 * ones. A table of a function's values is such a one. */
bool bw_recomputed_freely(const struct bw_nest *nest, int func, struct bw_arena *arena);
/* Whether Funcs are offered this kind of site. */
bool bw_searches(const struct bw_search_options *options, enum bw_sites site);
/* Judges it placed in a nest: may set fate PRUNED or SECOND_CHOICE. */
void bw_rules_after(const struct bw_question *question, const struct bw_nest *nest, struct bw_arena *arena,
		    struct bw_option *option);
/* Takes the words from an option. */
void bw_option_hush(struct bw_option *option);
/* Fate, rule, figure, limit and, unless the option is silent, words in one call. */
void bw_option_judge(struct bw_option *option, enum bw_fate fate, enum bw_rule rule, double figure,
		     double limit, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Whether the user says anything of the Func that is asked for: then it is asked for what is not asked
 * otherwise, too. */
bool bw_question_asked(const struct bw_question *question);
/* The mark on an option of the Func; NULL: none. */
const struct bw_constraint *bw_question_mark(const struct bw_question *question,
					     const struct bw_placement *placement);
/* Whether it is the search that froze the Func that is asked for. */
bool bw_question_frozen(const struct bw_question *question);
/* Whether somebody holds its sizes, too: then no rule of taste speaks, and nothing is drawn. */
bool bw_question_pinned(const struct bw_question *question);
#endif
