/* What happens between passes: freezing and blessing. Private to the files of this room. */
#ifndef BW_SEARCH_BETWEEN_PASSES_H
#define BW_SEARCH_BETWEEN_PASSES_H
#include "base/hash.h"
#include "search/expanding.h"

struct bw_position;

/* Freezes Funcs at the end of the pass that freezes. Returns false, with none frozen, if it was stopped. */
bool bw_freeze(const struct bw_search *search, struct bw_position *end);
/* The least cost of a schedule with one Func at another place, as the search would place it. */
struct bw_probe {
	const struct bw_search *search;
	const struct bw_nest *whole;  /* the schedule */
	const struct bw_nest *before; /* with the Funcs that are decided before this one */
	int place;                    /* of the Func, in the order of decisions */
	double best;                  /* 0 if there is no other place */
	long costed;                  /* how many schedules were costed */
};
/* Probes the other places of a Func. `way` are the schedule's states by position, from the start of the first
 * pass to its end. Returns false if it was stopped. */
bool bw_probe(struct bw_probe *probe, const struct bw_search *search, const struct bw_state *const *way,
	      int place);
/* Blesses the structures of good states and their ancestors at the end of a pass, including states of
 * earlier passes that are still among the best. Returns false if it was stopped. */
bool bw_bless(const struct bw_search *search, struct bw_position *end, int pass);
#endif
