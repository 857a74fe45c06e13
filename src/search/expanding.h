/* The options of one decision from one parent: they are placed, judged, sampled and costed.
 * Private to the files of this room. */
#ifndef BW_SEARCH_EXPANDING_H
#define BW_SEARCH_EXPANDING_H
#include "search/pricing.h"
#include "search/search.h"

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
	/* options keep no nests: the few of many thousands that are kept are placed again */
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
/* Turns an expansion that has not run into a leader: proposes its options. Returns false if it was
 * stopped. */
bool bw_expanding_lead(struct bw_expanding *expanding);
/* Turns an expansion that has not run into a follower of `leader`, whose options are proposed. */
void bw_expanding_like(struct bw_expanding *expanding, const struct bw_expanding *leader);
/* Copies the verdicts of the leader to all options, if its options are judged and the same region is
 * required of the Func in both states. Returns false otherwise. */
bool bw_expanding_follow(struct bw_expanding *expanding);
/* Once all options are judged: keeps the verdicts for followers. If results are checked, compares
 * them with the leader's. */
void bw_expanding_judged(struct bw_expanding *expanding);
/* Makes the expansion. Returns false if it was stopped. */
bool bw_expanding_run(struct bw_expanding *expanding);
/* Frees an expanding, with its expansion unless the caller took that and left NULL. */
void bw_expanding_end(struct bw_expanding *expanding);
#endif
