/* Totals of a search so far, from the records of its decisions. */
#include <stdlib.h>

#include "search/search_private.h"

static struct bw_search_totals totals_of(const struct bw_search *search, int first, int end)
{
	struct bw_search_totals totals = {0};
	bool whole = first == 0;
	for (int p = first + 1; p <= end; p++) {
		const struct bw_decision *decision = &search->reached[p]->decision;
		totals.seconds += decision->seconds;
		totals.enumerated += decision->enumerated;
		totals.buckets += decision->buckets;
		totals.unsampled += decision->unsampled;
		totals.costed += decision->costed;
		totals.evaluated += decision->evaluated + decision->probed;
		totals.probed += decision->probed;
		totals.complete += whole ? search->reached[p]->first_complete : search->reached[p]->first_in_pass;
		totals.let_go += decision->let_go;
		totals.kept += decision->kept;
		totals.second += decision->second;
		totals.dropped_out += decision->dropped_out;
		for (int r = 0; r < BW_N_RULES; r++)
			totals.pruned[r] += decision->pruned[r];
	}
	for (int p = first + 1; p <= end; p++)
		totals.evaluated += search->reached[p]->polish.priced;
	const struct bw_frozen *frozen;
	totals.frozen = bw_search_frozen(search, search->first_pass + 1, &frozen);
	return totals;
}

struct bw_search_totals bw_search_totals(const struct bw_search *search)
{
	struct bw_search_totals totals = totals_of(search, 0, search->n_reached - 1);
	totals.seconds = search->seconds;
	return totals;
}

struct bw_search_totals bw_search_pass_totals(const struct bw_search *search, int pass)
{
	int first = bw_search_pass_start(search, pass), end = bw_search_pass_end(search, pass),
	    made = search->n_reached - 1;
	if (pass < search->first_pass || first > made)
		return (struct bw_search_totals){0};
	return totals_of(search, first, end < made ? end : made);
}
