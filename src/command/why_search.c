/* `why search`, and the decisions of `why best`: which mattered, and where the best was nearly lost. */
#include <stdlib.h>

#include "base/say.h"
#include "command/commands.h"
#include "figures/lineage.h"
#include "session/explain.h"

/* Says from where on the cheapest state wins, and where the winner stood nearest to the beam's end. */
static void put_way(const struct bw_session *session, const struct bw_lineage *lineage, struct bw_text *out)
{
	if (lineage->leads >= 0) {
		bw_text_puts(out, "from ");
		bw_session_decision_name(session, lineage->leads, out);
		bw_text_puts(out, " on the best comes from the cheapest state\n");
	}
	if (lineage->tightest < 0)
		return;
	const struct bw_lineage_step *step = &lineage->steps[lineage->tightest];
	bw_text_puts(out, "it was nearest to being lost at ");
	bw_session_decision_name(session, lineage->tightest, out);
	bw_text_printf(out, ", as the %s of %d states: a beam of fewer than %d drops it\n",
		       bw_say_rank(step->winner).text, step->n, step->winner + 1);
}

static int by_weight(const void *a, const void *b)
{
	const struct bw_regret *x = a, *y = b;
	double a_weight = bw_regret_weight(x), b_weight = bw_regret_weight(y);
	return a_weight != b_weight ? (a_weight < b_weight) - (a_weight > b_weight) : x->decision - y->decision;
}

void bw_why_decisions(struct bw_session *session, int most, struct bw_text *out)
{
	int n, all;
	bw_regrets_finish(session, most);
	const struct bw_regret *list = bw_regrets(session, &n);
	BW_SCOPED_MEMORY struct bw_regret *sorted = BW_NEW_ARRAY(struct bw_regret, n + 1);
	for (int i = 0; i < n; i++)
		sorted[i] = list[i];
	qsort(sorted, (size_t)n, sizeof *sorted, by_weight);
	bw_decided_words(session, out);
	bw_text_puts(out, n ? "; the runner-up of each, gone on with alone and polished, or put into the best:\n" : "\n");
	for (int i = 0; i < n && i < most; i++) {
		bw_text_puts(out, "  ");
		bw_session_decision_name(session, sorted[i].decision, out);
		bw_text_puts(out, "  ");
		bw_regret_cost_words(session, &sorted[i], out);
		bw_text_puts(out, ": ");
		bw_regret_words(session, &sorted[i], out);
		bw_text_puts(out, "\n");
	}
	if (bw_regrets_known(session, most) && bw_regrets_number(session) > most)
		bw_text_printf(out, "  and %d more, which matter less\n", bw_regrets_number(session) - most);
	if (bw_regrets_progress(session, &all) < all && bw_regrets_go_on(session))
		bw_text_puts(out, "  the rest is searched in the background; ask again\n");
}

void bw_why_search(struct bw_session *session, struct bw_text *out)
{
	enum { MOST = 10 };
	int end = bw_search_n_decisions(session->search);
	if (bw_search_reached(session->search) < end) {
		bw_text_puts(out, "the search is not at its end; `run` goes there\n");
		return;
	}
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct bw_lineage lineage = bw_lineage_of(session->search, arena);
	const struct bw_polish *polish = bw_search_polish(session->search, end);
	put_way(session, &lineage, out);
	if (polish) {
		bw_polish_words(session, polish, out);
		bw_text_puts(out, "\n");
	}
	bw_why_decisions(session, MOST, out);
}
