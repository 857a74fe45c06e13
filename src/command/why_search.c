/* `why search`: which decisions were decisive, where the best was nearly lost, and each decision's
 * worth. */
#include <stdlib.h>

#include "base/say.h"
#include "command/commands.h"
#include "figures/change.h"
#include "figures/lineage.h"
#include "nest/words.h"
#include "session/explain.h"

/* Says from where on the cheapest state wins, and where the winner stood nearest to the beam's end. */
static void put_way(const struct bw_session *session, const struct bw_lineage *lineage, struct bw_text *out)
{
	if (lineage->leads >= 0) {
		bw_text_puts(out, "from ");
		bw_session_decision_name(session, lineage->leads, out);
		bw_text_puts(out, " on the best comes from the cheapest state");
		if (lineage->decided >= 0) {
			bw_text_puts(out, "; the last choice before was at ");
			bw_session_decision_name(session, lineage->decided, out);
		}
		bw_text_puts(out, "\n");
	}
	if (lineage->tightest < 0)
		return;
	const struct bw_lineage_step *step = &lineage->steps[lineage->tightest];
	bw_text_puts(out, "it was nearest to being lost at ");
	bw_session_decision_name(session, lineage->tightest, out);
	bw_text_printf(out, ", as the %s of %d states: a beam of fewer than %d drops it\n",
		       bw_say_rank(step->winner).text, step->n, step->winner + 1);
}

static int by_cost(const void *a, const void *b)
{
	const struct bw_regret *x = a, *y = b;
	double a_weight = bw_regret_weight(x), b_weight = bw_regret_weight(y);
	return a_weight != b_weight ? (a_weight < b_weight) - (a_weight > b_weight) : x->decision - y->decision;
}

static void put_choice(const struct bw_session *session, const struct bw_placement *placement,
		       struct bw_text *out)
{
	if (placement)
		bw_placement_words(session->pipeline, placement, out);
	else
		bw_text_puts(out, "nothing");
}

/* Appends the cost at the end of a decision's runner-up. */
static void put_regret(const struct bw_session *session, const struct bw_regret *regret,
		       const struct bw_lineage_step *step, double best, struct bw_text *out)
{
	bw_text_puts(out, "  ");
	bw_session_decision_name(session, regret->decision, out);
	if (regret->cost > 0)
		bw_text_printf(out, "  %.4g %s, %s", regret->cost, session->options.model->said,
			       bw_change_of(session->options.model, best, regret->cost).text);
	else
		bw_text_puts(out, "  no schedule");
	bw_text_puts(out, ": ");
	put_choice(session, regret->other, out);
	bw_text_puts(out, " in place of ");
	put_choice(session, regret->taken, out);
	if (step->winner > 0)
		bw_text_printf(out, " (the best was the %s there)", bw_say_rank(step->winner).text);
	bw_text_puts(out, "\n");
}

static void put_regrets(const struct bw_session *session, const struct bw_lineage *lineage, double best,
			struct bw_text *out)
{
	enum { MOST = 10 };
	int n;
	const struct bw_regret *list = bw_regrets(session, &n);
	struct bw_regret *sorted = BW_NEW_ARRAY(struct bw_regret, n + 1);
	for (int i = 0; i < n; i++)
		sorted[i] = list[i];
	qsort(sorted, (size_t)n, sizeof *sorted, by_cost);
	if (n)
		bw_text_puts(out, "what the runner-up of a decision would cost at the end, gone on with alone and polished:\n");
	for (int i = 0; i < n && i < MOST; i++)
		put_regret(session, &sorted[i], &lineage->steps[sorted[i].decision], best, out);
	if (n > MOST)
		bw_text_printf(out, "  and %d more, which matter less\n", n - MOST);
	free(sorted);
}

void bw_why_search(struct bw_session *session, struct bw_text *out)
{
	int end = bw_search_n_decisions(session->search);
	if (bw_search_reached(session->search) < end) {
		bw_text_puts(out, "the search is not at its end; `run` goes there\n");
		return;
	}
	struct bw_arena *arena = bw_arena_new();
	struct bw_lineage lineage = bw_lineage_of(session->search, arena);
	const struct bw_state *const *states;
	const struct bw_polish *polish = bw_explain_polish(session, end);
	bw_search_beam(session->search, end, &states);
	bw_regrets_begin(session);
	put_way(session, &lineage, out);
	if (polish) {
		bw_polish_words(session, polish, out);
		bw_text_puts(out, "\n");
	}
	put_regrets(session, &lineage, states[0]->cost, out);
	if (bw_regrets_sought(session))
		bw_text_puts(out, "the runner-up of each decision is searched to the end in the background; ask again\n");
	bw_arena_free(arena);
}
