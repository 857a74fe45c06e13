/* The options of one decision from one parent: they are placed, judged, sampled and costed.
 * Private to the files of this room. */
#ifndef BW_SEARCH_EXPANDING_H
#define BW_SEARCH_EXPANDING_H
#include "search/question.h"

/* The verdict on a placement, and what it adds to the structure hash of its nest: all that the
 * search needs of options that are not sampled. */
struct bw_verdict {
	struct bw_memo_value head;
	enum bw_fate fate;
	enum bw_rule rule;
	double figure, limit;
	struct bw_outline *outline; /* in the same block of memory */
};

/* Tries the options of one decision from one parent, one after the other. */
struct bw_trial {
	struct bw_recall recall;
	const struct bw_nest *parent;
	int func; /* the Func that is placed */
	/* the Func as it is tried now: part of `recalled`, or the trial's own if that is NULL. NULL
	 * if it is not needed, because the verdict is known. */
	const struct bw_placed *placed;
	struct bw_memo_value *recalled; /* the value of the memo that holds `placed`; NULL if there is none */
	/* the last Func that was placed in the loops of another one; NULL if there is none */
	const struct bw_placed *before;
	struct bw_memo_value *recalled_before;
	struct bw_verdict *verdict;    /* that was found in the memo; NULL if none was */
	bool stands;                   /* `placed` is in `scratch` */
	/* the parent's nest, in which one option after the other is placed; NULL until it is
	 * needed */
	struct bw_nest *scratch;
	bool contexts_known[2]; /* for placements elsewhere, and at root */
	struct bw_nest_contexts contexts[2];
};
void bw_trial_begin(struct bw_trial *trial, const struct bw_recall *recall, const struct bw_nest *parent,
		    int func);
void bw_trial_end(struct bw_trial *trial);
/* Forgets the placement that was tried last. */
void bw_trial_forget(struct bw_trial *trial);
/* Places the Func: trial->placed. Returns false with an error (unless it is NULL) where it cannot
 * be. costed: it is to be costed or kept, not judged alone. */
bool bw_trial_place(struct bw_trial *trial, const struct bw_placement *placement, bool costed,
		    struct bw_error *error);
/* Returns the nest with the Func placed so, which is valid until the next option is tried. */
const struct bw_nest *bw_trial_nest(struct bw_trial *trial);
/* Returns a hash of what the loops of the Func depend on at root (bw_nest_context). */
uint64_t bw_trial_loops(struct bw_trial *trial);
/* Returns what the Func adds to the structure hash of its nest, to a depth. */
uint64_t bw_trial_share(const struct bw_trial *trial, int depth);
/* Returns what placing the Func depends on. */
const struct bw_nest_contexts *bw_trial_context(struct bw_trial *trial, enum bw_site_kind kind);
/* Judges an option by the rules, after it was placed, or from the memo. */
void bw_trial_judge(struct bw_trial *trial, const struct bw_question *question, struct bw_arena *arena,
		    struct bw_option *option);
struct bw_recall bw_recall_begin(struct bw_memo *memo, const struct bw_pipeline *pipeline,
				 const struct bw_search_options *options);
/* Frees everything but the memo. */
void bw_recall_end(struct bw_recall *recall);
/* Finds the ms of a kernel's stages (bw_context_find), in the order of the context. */
void bw_recall_kernel(const struct bw_recall *recall, const struct bw_search_options *options,
		      const struct bw_nest *nest, struct bw_context *context, struct bw_arena *arena,
		      double *ms);

/* Costs the options of one decision from one parent. */
struct bw_pricing {
	const struct bw_search_options *options;
	const struct bw_nest *parent;
	int func; /* the Func that is placed */
	struct bw_trial trial;
	double *ms;         /* by stage of the pipeline: the parent's; NULL until known or needed */
	double *changed_ms; /* by stage of the pipeline: those of the nest that was costed last */
	int n_changed, changed_capacity;
	/* stages whose changed_ms may differ from ms; n_changed is -1 while ms itself is filled */
	int *changed;
	int n_readers;
	/* learned model: results for the nest that was costed last; NULL if there is none */
	struct bw_pricing_last *last;
	/* kernels that placing the Func changes, apart from the one that it becomes part of */
	struct bw_launched *readers;
	/* hash of what these kernels saw of the Func when they were last costed; 0 if they were
	 * not */
	uint64_t seen;
	int n_read, read_capacity;
	struct bw_read_ms *read; /* their costs then */
	struct bw_arena *arena;
};
/* Begins to cost options of a question. `ms` are those of the parent by stage, which are copied, or NULL. */
void bw_pricing_begin(struct bw_pricing *pricing, const struct bw_question *question, const double *ms);
void bw_pricing_end(struct bw_pricing *pricing);
/* Returns the cost of the option that was tried last, and sets changed_ms. */
double bw_pricing_total(struct bw_pricing *pricing);
/* Returns the cost of a nest, and fills ms by stage unless it is NULL. */
double bw_pricing_whole(const struct bw_recall *recall, const struct bw_search_options *options,
			const struct bw_nest *nest, double *ms);
/* Returns the same cost of a schedule of which only those kernels are costed that are not in another one,
 * whose stages cost `ms`. */
double bw_pricing_beside(const struct bw_recall *recall, const struct bw_search_options *options,
			 const struct bw_nest *nest, const struct bw_nest *other, const double *ms);
/* Sets what all stages of a nest cost under the learned model; it differs from the parent, and from what was
 * costed before, by what the Func is placed with. */
void bw_pricing_learned(struct bw_pricing *pricing, const struct bw_nest *nest, double *costs);
/* Forgets the option that was costed last, and what the next one would take over from it. */
void bw_pricing_forget(struct bw_pricing *pricing);
void bw_pricing_last_free(struct bw_pricing_last *last);
/* Returns the ms of the parent by stage. */
const double *bw_pricing_parent(struct bw_pricing *pricing);

/* An expansion: every option is placed and judged by the rules; then the options to cost are sampled; these
 * are costed; and if there are none, second choices are. Without sampling, an option is costed as soon as it
 * is judged. */
struct bw_expanding {
	struct bw_question question;
	struct bw_expansion *expansion; /* NULL until the options are proposed */
	struct bw_proposals proposals;
	bool proposed; /* all of them */
	bool begun;   /* the options own the placements of the proposals, unless they are borrowed */
	bool borrows; /* the proposals and their placements belong to the leader, which may be this one */
	/* of a leader: the proposals that its followers borrow, until all of them are freed */
	struct bw_proposals lent;
	/* options keep no nests: of many thousands only a few are kept, and those are placed
	 * again */
	bool lean;
	bool draws; /* ends once the options to cost are sampled: they are COSTED and have no cost */
	char let_go[sizeof ((struct bw_expansion *)NULL)->let_go]; /* see struct bw_expansion */
	/* structure hashes of the parent without the Func, to the depth of the pass and to one
	 * less */
	uint64_t others[2];
	/* an earlier parent that is offered the same tiles; NULL if there is none */
	const struct bw_expanding *leader;
	bool leads;    /* may have followers */
	bool followed; /* has the verdicts of its leader */
	/* the verdicts for its followers, once all its options are judged; else NULL */
	struct bw_judged *judged;
	struct bw_pricing pricing;
};
/* Notes the question. ms: as in bw_pricing_begin; lean: silent, too. */
void bw_expanding_begin(struct bw_expanding *expanding, const struct bw_question *question, const double *ms,
			bool lean);
/* Makes an expansion that has not run a leader: proposes its options. Returns false if it was stopped. */
bool bw_expanding_lead(struct bw_expanding *expanding);
/* Makes an expansion that has not run a follower of `leader`, whose options are proposed. */
void bw_expanding_like(struct bw_expanding *expanding, const struct bw_expanding *leader);
/* Judges all options as those of its leader were, where they are judged and what is required of the Func is
 * the same; else false. */
bool bw_expanding_follow(struct bw_expanding *expanding);
/* Once all options are judged: keeps the verdicts for followers. If the memo is checked, compares
 * them with the leader's. */
void bw_expanding_judged(struct bw_expanding *expanding);
/* Makes the expansion. Returns false if it was stopped. */
bool bw_expanding_run(struct bw_expanding *expanding);
/* Frees an expanding, with its expansion unless the caller took that and left NULL. */
void bw_expanding_end(struct bw_expanding *expanding);
/* Gives the options their letters: for people, so not done in the search itself. */
void bw_expansion_name(struct bw_expansion *expansion);
/* Returns the structure hash of the state that an option makes, once it was tried, to `less` levels
 * less than the depth of the pass: the parent's without the Func, plus what the Func adds now. */
uint64_t bw_expanding_structure(const struct bw_expanding *expanding, const struct bw_option *option,
				int less);
#endif
