/* An expansion under way: options are placed, judged, drawn and costed, one after the other. Shared by the
 * files of this room alone. */
#ifndef BW_SEARCH_EXPANDING_H
#define BW_SEARCH_EXPANDING_H
#include "search/question.h"

/* Options of one decision from one parent as they are tried one after the other. */
struct bw_trial {
	struct bw_recall recall;
	const struct bw_nest *parent;
	int func;                       /* that is placed */
	const struct bw_placed *placed; /* as it is tried now: that of `recalled`, its own where that is none;
					   NULL: not needed, its verdict is known */
	struct bw_memo_value *recalled; /* the same in the memo */
	const struct bw_placed *before; /* the last one that was placed in another's loops; NULL: none was */
	struct bw_memo_value *recalled_before;
	struct bw_memo_value *verdict;  /* that the memo has of it */
	bool stands;                    /* it is in scratch */
	struct bw_nest *scratch;        /* the parent with one option after the other in it; NULL: not needed yet */
	bool contexts_known[2];         /* of placements elsewhere, and at root */
	struct bw_nest_contexts contexts[2];
};
void bw_trial_begin(struct bw_trial *trial, const struct bw_recall *recall, const struct bw_nest *parent,
		    int func);
void bw_trial_end(struct bw_trial *trial);
/* Forgets the placement that was tried last. */
void bw_trial_forget(struct bw_trial *trial);
/* Places the Func: trial->placed; false with an error (unless it is NULL) where it cannot be. costed: it is
 * to be costed or kept, not judged alone. */
bool bw_trial_place(struct bw_trial *trial, const struct bw_placement *placement, bool costed,
		    struct bw_error *error);
/* The nest with the Func placed so; until the next is. */
const struct bw_nest *bw_trial_nest(struct bw_trial *trial);
/* What the loops of the Func depend on at root (bw_nest_context). */
uint64_t bw_trial_loops(struct bw_trial *trial);
/* What it adds to the structure of its nest to a depth. */
uint64_t bw_trial_share(const struct bw_trial *trial, int depth);
/* Judges an option from the memo; false where that does not know it: then it is placed and judged, and given
 * to the memo by bw_trial_keep. */
bool bw_trial_recall(struct bw_trial *trial, const struct bw_question *question, struct bw_arena *arena,
		     struct bw_option *option);
void bw_trial_keep(struct bw_trial *trial, const struct bw_question *question,
		   const struct bw_option *option);
/* Places an option and judges it by the rules. */
void bw_rules_place(struct bw_trial *trial, const struct bw_question *question, struct bw_arena *arena,
		    struct bw_option *option);
struct bw_recall bw_recall_begin(struct bw_memo *memo, const struct bw_pipeline *pipeline,
				 const struct bw_search_options *options);
/* Gives back what it has besides the memo. */
void bw_recall_end(struct bw_recall *recall);
/* The ms of a kernel's stages (bw_context_find), in the order of the context. */
void bw_recall_kernel(const struct bw_recall *recall, const struct bw_search_options *options,
		      const struct bw_nest *nest, struct bw_context *context, struct bw_arena *arena,
		      double *ms);

/* What options of one decision from one parent are costed with. */
struct bw_pricing {
	const struct bw_search_options *options;
	const struct bw_nest *parent;
	int func;                  /* that is placed */
	struct bw_trial trial;
	double *ms;                /* by stage of the pipeline, of the parent; NULL: not known yet, or not needed */
	double *changed_ms;        /* the same of the nest that was costed last */
	int n_changed, changed_capacity;
	int *changed; /* stages in which changed_ms may differ from ms; n_changed -1 while ms itself is filled
		       */
	int n_readers;
	struct bw_pricing_last *last; /* learned model: of what was costed last; NULL: nothing was */
	struct bw_launched *readers; /* kernels that placing the Func changes, but for the one that it gets into */
	uint64_t seen;             /* what these saw of the Func when they were costed last; 0: they were not */
	int n_read, read_capacity;
	struct bw_read_ms *read;   /* what they cost then */
	struct bw_arena *arena;
};
/* Begins to cost options of a question. `ms` are those of the parent by stage, which are copied, or NULL. */
void bw_pricing_begin(struct bw_pricing *pricing, const struct bw_question *question, const double *ms);
void bw_pricing_end(struct bw_pricing *pricing);
/* The cost of what was tried last; then changed_ms has its ms by stage. */
double bw_pricing_total(struct bw_pricing *pricing);
/* The cost of a nest. */
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
/* The ms of the parent by stage. */
const double *bw_pricing_parent(struct bw_pricing *pricing);

/* What is done with the options in turn: every one is placed and judged by the rules; those to cost are
 * drawn; they are costed; and where that leaves nothing, second choices are. Without sampling an option is
 * costed as soon as it was judged. */
enum bw_expanding_part { BW_EXPANDING_JUDGE, BW_EXPANDING_COST, BW_EXPANDING_SECOND };

/* An expansion under way, resumable between options. */
struct bw_expanding {
	struct bw_question question;
	struct bw_expansion *expansion;
	struct bw_enumerating enumerating;
	struct bw_proposals proposals;
	bool begun;   /* the placements of the proposals are the options', unless they are borrowed */
	bool borrows; /* proposals, with the placements, are those that its leader lends, or it itself, being one */
	struct bw_proposals
	    lent;    /* of one that leads others, until it is given back, which is when they all are done */
	bool lean;   /* options get no nests: of many thousand a few are kept, and these are placed again */
	bool draws;  /* it ends when those to cost are drawn: they are COSTED, and have no cost */
	enum bw_expanding_part part;
	int next; /* the option that this part comes to next */
	bool done;
	char let_go[sizeof ((struct bw_expansion *)NULL)->let_go]; /* as the expansion will have it */
	uint64_t others[2]; /* structures of the parent without the Func, to the depth of the pass and to one less */
	const struct bw_expanding
	    *leader; /* a parent before this one that is asked for the same tiles; NULL: none */
	bool leads;                     /* this may be such a one */
	bool followed;                  /* its options are judged as those of its leader */
	struct bw_judged *judged; /* for those that it leads, when it has judged all of its options; NULL before */
	struct bw_pricing pricing;
};
/* Notes the question; the first step enumerates the options. ms: as in bw_pricing_begin; lean: silent, too.
 */
void bw_expanding_begin(struct bw_expanding *expanding, const struct bw_question *question, const double *ms,
			bool lean);
/* Makes one that nobody has begun with lead others: enumerates some of its options, for all of them; true
 * where they are there. */
bool bw_expanding_lead(struct bw_expanding *expanding);
/* Makes one that nobody has begun with follow another, whose options are there. */
void bw_expanding_like(struct bw_expanding *expanding, const struct bw_expanding *leader);
/* Judges all options as those of its leader were, where they are judged and what is required of the Func is
 * the same; else false. */
bool bw_expanding_follow(struct bw_expanding *expanding);
/* When all are judged: keeps what was said of them for those that it leads; where the memo is checked,
 * compares it with what its own leader has. */
void bw_expanding_judged(struct bw_expanding *expanding);
/* Enumerates a little more; where that is done, goes one option further each time. */
void bw_expanding_step(struct bw_expanding *expanding);
/* Frees it; the expansion too, unless the caller took it and left NULL. */
void bw_expanding_end(struct bw_expanding *expanding);
/* Gives the options their letters: for people, so not done in the search itself. */
void bw_expansion_name(struct bw_expansion *expansion);
/* The structure of the state that an option makes once it was tried, `less` short of the depth of the pass:
 * its parent's, with what its Func adds now. */
uint64_t bw_expanding_structure(const struct bw_expanding *expanding, const struct bw_option *option,
				int less);
#endif
