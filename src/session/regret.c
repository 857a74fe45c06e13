#include "session/explain.h"

#include <stdio.h>
#include <stdlib.h>

#include "figures/change.h"
#include "figures/lineage.h"
#include "session/core.h"

struct regrets {
	struct bw_search *search; /* the search of the regrets, with all its beams; NULL: not begun */
	struct bw_arena *arena;
	struct bw_lineage lineage;
	struct bw_routine *routine; /* NULL: not begun, or ended */
	bool sought;
	int next; /* the next decision to look at */
	int n, capacity;
	struct bw_regret *list;
};

static struct regrets *regrets_of(const struct bw_session *session)
{
	return bw_part_data(session, BW_PART_REGRET);
}

const struct bw_regret *bw_regrets(const struct bw_session *session, int *n)
{
	*n = regrets_of(session)->n;
	return regrets_of(session)->list;
}

bool bw_regrets_sought(const struct bw_session *session)
{
	return regrets_of(session)->sought;
}

static void end(struct bw_session *session)
{
	struct regrets *regrets = regrets_of(session);
	bw_routine_end(regrets->routine);
	bw_session_leave(session, regrets->search);
	for (int i = 0; i < regrets->n; i++) {
		bw_placement_drop(regrets->list[i].taken);
		bw_placement_drop(regrets->list[i].other);
	}
	free(regrets->list);
	if (regrets->arena)
		bw_arena_free(regrets->arena);
	*regrets = (struct regrets){0};
}

void bw_regrets_begin(struct bw_session *session)
{
	struct regrets *regrets = regrets_of(session);
	if (regrets->search) {
		regrets->sought = regrets->next < regrets->lineage.n;
		return;
	}
	regrets->search = bw_search_fork(session->search, NULL, NULL);
	regrets->arena = bw_arena_new();
	regrets->lineage = bw_lineage_of(regrets->search, regrets->arena);
	regrets->sought = true;
}

/* Returns the cheapest option that makes another schedule than the taken one, or NULL. */
static const struct bw_option *runner_up(const struct bw_expansion *expansion, const struct bw_option *taken)
{
	const struct bw_option *best = NULL;
	for (int i = 0; i < expansion->n; i++) {
		const struct bw_option *option = &expansion->options[i];
		bool costed = option->nest && option->cost > 0 && option->rank >= 0;
		if (costed && option->hash != taken->hash && (!best || option->cost < best->cost))
			best = option;
	}
	return best;
}

/* Returns the cost of the best schedule found with an option; 0 if there is none or the search was
 * stopped. */
static double cost_at_end(const struct regrets *regrets, int k, int rank, const struct bw_option *option,
			  const struct bw_yield *yield)
{
	struct bw_search *branch = bw_search_branch(regrets->search, k, rank, option);
	const struct bw_state *const *states;
	struct bw_error ignored;
	int end = bw_search_n_decisions(branch);
	double cost = 0;
	if (bw_search_advance(branch, end, yield, &ignored) == BW_SEARCH_DONE &&
	    bw_search_beam(branch, end, &states) > 0)
		cost = states[0]->cost;
	bw_search_free(branch);
	return cost;
}

/* Adds the regret of a decision, if it had a choice. Returns false if it was stopped. */
static bool add(struct regrets *regrets, int k, const struct bw_yield *yield)
{
	const struct bw_lineage_step *step = &regrets->lineage.steps[k];
	const struct bw_state *const *states;
	if (step->winner < 0 || step->lines[step->winner].parent < 0)
		return true;
	int rank = step->lines[step->winner].parent;
	bw_search_beam(regrets->search, k + 1, &states);
	int taken = states[step->winner]->option;
	struct bw_expansion *expansion = taken < 0 ? NULL : bw_search_expand(regrets->search, k, rank, yield);
	const struct bw_option *was = expansion && taken < expansion->n ? &expansion->options[taken] : NULL;
	const struct bw_option *other = was ? runner_up(expansion, was) : NULL;
	double cost = other ? cost_at_end(regrets, k, rank, other, yield) : 0;
	bool goes_on = bw_yield(yield);
	if (other && goes_on) {
		BW_GROW(regrets->list, regrets->n, regrets->capacity);
		regrets->list[regrets->n++] =
		    (struct bw_regret){k, was->placement ? bw_placement_keep(was->placement) : NULL,
				       other->placement ? bw_placement_keep(other->placement) : NULL, cost};
	}
	if (expansion)
		bw_expansion_free(expansion);
	return goes_on;
}

static void run(const struct bw_yield *yield, void *data)
{
	struct regrets *regrets = data;
	for (; regrets->next < regrets->lineage.n; regrets->next++)
		if (!add(regrets, regrets->next, yield))
			return;
}

static struct bw_routine *work(struct bw_session *session)
{
	struct regrets *regrets = regrets_of(session);
	if (!regrets->routine)
		regrets->routine = bw_routine_new(run, regrets);
	return regrets->routine;
}

/* Says which decision mattered most. */
static void take(struct bw_session *session, bool ended)
{
	struct regrets *regrets = regrets_of(session);
	const struct bw_state *const *states;
	bw_session_touch(session);
	if (!ended)
		return;
	bw_routine_end(regrets->routine);
	regrets->routine = NULL;
	regrets->sought = false;
	const struct bw_regret *most = NULL;
	for (int i = 0; i < regrets->n; i++)
		if (!most || bw_regret_weight(&regrets->list[i]) > bw_regret_weight(most))
			most = &regrets->list[i];
	session->message_is_error = false;
	if (!most) {
		snprintf(session->message, sizeof session->message, "no decision on the way of the best had a runner-up");
		return;
	}
	struct bw_text name = {0};
	bw_session_decision_name(session, most->decision, &name);
	bw_search_beam(regrets->search, regrets->lineage.n, &states);
	if (most->cost <= 0)
		snprintf(session->message, sizeof session->message,
			 "%.200s mattered most: its runner-up leads to no schedule; `why search` lists all",
			 bw_text_get(&name));
	else
		snprintf(session->message, sizeof session->message,
			 "%.200s mattered most: with its runner-up the best would cost %.4g %s (%s); `why search` lists all",
			 bw_text_get(&name), most->cost, session->options.model->said,
			 bw_change_of(session->options.model, states[0]->cost, most->cost).text);
	bw_text_free(&name);
}

/* Stops, and keeps what was found: bw_regrets_begin goes on behind it. */
static void stop(struct bw_session *session, const struct bw_stopping *stopping)
{
	struct regrets *regrets = regrets_of(session);
	(void)stopping;
	bw_routine_end(regrets->routine);
	regrets->routine = NULL;
	regrets->sought = false;
}

const struct bw_session_part bw_part_regret = {
    .size = sizeof(struct regrets),
    .wanted = bw_regrets_sought,
    .work = work,
    .take = take,
    .changed = end,
    .stop = stop,
    .end = end,
    .free = end,
};
