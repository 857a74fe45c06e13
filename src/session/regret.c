#include "session/explain.h"

#include <limits.h>

#include "base/arith.h"
#include "figures/lineage.h"
#include "nest/words.h"
#include "session/core.h"

/* A runner-up whose schedule is not polished completely yet. */
struct pending {
	struct bw_regret regret; /* its `cost` is an upper bound of the final cost; infinite if there is no
				    nest */
	struct bw_search *branch;
	struct bw_nest *nest; /* the best schedule with the runner-up, as far as it is polished; NULL: there
				 is none */
};

/* Polishing of a runner-up pauses once its cost falls below this share of the next one's. */
static const double clearly_less = 0.97;

struct regrets {
	struct bw_search *search; /* the search to which the regrets belong, with all its beams; NULL: not
				     begun */
	struct bw_arena *arena;
	struct bw_lineage lineage;
	bool quiet;   /* nobody requested the regrets */
	bool stopped; /* the user stopped the work: it continues only on request */
	int most; /* number of greatest regrets to find */
	int next; /* the next decision whose runner-up is to be found */
	int taken; /* number of decisions examined when the screen was last redrawn */
	int n, capacity;
	struct bw_regret *list;
	int n_pending, pending_capacity;
	struct pending *pending;
	struct bw_nest *better; /* the cheapest schedule with a runner-up that costs less than the best; NULL:
				   none so far */
	double better_cost;
	int better_at; /* the decision of the runner-up in `better` */
};

static BW_PART_DATA(regrets_of, struct regrets, REGRET)

const struct bw_regret *bw_regrets(const struct bw_session *session, int *n)
{
	*n = regrets_of(session)->n;
	return regrets_of(session)->list;
}

BW_ORDER(by_weight, struct bw_regret,
	 2 * BW_COMPARE(bw_regret_weight(b), bw_regret_weight(a)) + BW_COMPARE(a->decision, b->decision))

struct bw_regret *bw_regrets_sorted(const struct bw_session *session, int *n)
{
	const struct bw_regret *list = bw_regrets(session, n);
	struct bw_regret *sorted = BW_NEW_ARRAY(struct bw_regret, *n + 1);
	for (int i = 0; i < *n; i++)
		sorted[i] = list[i];
	qsort(sorted, (size_t)*n, sizeof *sorted, by_weight);
	return sorted;
}

bool bw_regrets_sought(const struct bw_session *session)
{
	return bw_part_begun(session, BW_PART_REGRET) && !regrets_of(session)->quiet;
}

bool bw_regrets_go_on(const struct bw_session *session)
{
	return bw_part_begun(session, BW_PART_REGRET);
}

int bw_regrets_progress(const struct bw_session *session, int *n)
{
	*n = regrets_of(session)->lineage.n;
	return regrets_of(session)->next - regrets_of(session)->n_pending;
}

int bw_regrets_number(const struct bw_session *session)
{
	return regrets_of(session)->n + regrets_of(session)->n_pending;
}

/* Returns the least of the `most` greatest regrets found so far; 0 if there are fewer. */
static double least_of(const struct regrets *regrets, int most)
{
	double least = 0;
	for (int i = 0; i < regrets->n; i++) {
		double weight = bw_regret_weight(&regrets->list[i]);
		int n = 0;
		for (int k = 0; k < regrets->n; k++)
			n += bw_regret_weight(&regrets->list[k]) >= weight;
		least = n >= most ? fmax(least, weight) : least;
	}
	return least;
}

/* Returns the pending runner-up, other than `one`, that has the highest cost so far; NULL if there is
 * none. */
static struct pending *find_dearest(const struct regrets *regrets, const struct pending *one)
{
	struct pending *dearest = NULL;
	for (int i = 0; i < regrets->n_pending; i++) {
		struct pending *pending = &regrets->pending[i];
		if (pending != one && (!dearest || pending->regret.cost > dearest->regret.cost))
			dearest = pending;
	}
	return dearest;
}

/* Returns the next runner-up to polish, if it can be among the `most` greatest; else NULL. */
static struct pending *find_next(const struct regrets *regrets, int most)
{
	struct pending *next = find_dearest(regrets, NULL);
	return next && next->regret.cost >= least_of(regrets, most) ? next : NULL;
}

/* Returns true if no pending runner-up can be among the `most` greatest regrets. */
static bool are_known(const struct regrets *regrets, int most)
{
	return regrets->next == regrets->lineage.n && !find_next(regrets, most);
}

bool bw_regrets_found(const struct bw_session *session, int most)
{
	return are_known(regrets_of(session), most);
}

const struct bw_regret *bw_regret_at(const struct bw_session *session, int decision)
{
	const struct regrets *regrets = regrets_of(session);
	for (int i = 0; i < regrets->n; i++)
		if (regrets->list[i].decision == decision)
			return &regrets->list[i];
	return NULL;
}

bool bw_regret_pending(const struct bw_session *session, int decision)
{
	const struct regrets *regrets = regrets_of(session);
	bool pending = regrets->search && decision >= regrets->next;
	for (int i = 0; i < regrets->n_pending && !pending; i++)
		pending = regrets->pending[i].regret.decision == decision;
	return pending;
}

const struct bw_regret *bw_regret_most(const struct bw_session *session)
{
	const struct regrets *regrets = regrets_of(session);
	const struct bw_regret *most = NULL;
	for (int i = 0; i < regrets->n; i++)
		if (!most || bw_regret_weight(&regrets->list[i]) > bw_regret_weight(most))
			most = &regrets->list[i];
	return most;
}

/* Returns the best state at the end of a search. */
static const struct bw_state *best_of(const struct bw_search *search)
{
	return bw_search_state(search, bw_search_n_decisions(search), 0);
}

double bw_regret_best(const struct bw_session *session)
{
	const struct bw_search *search = regrets_of(session)->search;
	return search && best_of(search) ? best_of(search)->cost : 0;
}

void bw_regret_cost_words(const struct bw_session *session, const struct bw_regret *regret,
			  struct bw_text *out)
{
	const struct bw_cost_model *model = session->options.model;
	if (regret->cost > 0)
		bw_text_printf(out, "%.4g %s, %s", regret->cost, model->said,
			       bw_change_of(model, bw_regret_best(session), regret->cost).text);
	else
		bw_text_puts(out, "no schedule");
}

static void put_choice(const struct bw_session *session, const struct bw_placement *placement,
		       struct bw_text *out)
{
	if (placement)
		bw_placement_words(session->pipeline, placement, out);
	else
		bw_text_puts(out, "nothing");
}

const struct bw_nest *bw_regret_better(const struct bw_session *session)
{
	return regrets_of(session)->better;
}

void bw_better_words(const struct bw_session *session, struct bw_text *out)
{
	const struct regrets *regrets = regrets_of(session);
	const struct bw_cost_model *model = session->options.model;
	if (!regrets->better)
		return;
	bw_session_decision_name(session, regrets->better_at, out);
	bw_text_printf(out, ": its runner-up ends at %.4g %s%s, %s, below the best; `improve runner-up` takes it",
		       regrets->better_cost, model->said, regrets->n_pending ? " or less" : "",
		       bw_change_of(model, bw_regret_best(session), regrets->better_cost).text);
}

/* If polishing replaced a decision's choice, appends the new placement without the Func's name. */
static void put_stands(const struct bw_session *session, const struct bw_regret *regret, struct bw_text *out)
{
	BW_SCOPED_TEXT name = {0}, words = {0};
	if (!regret->stands)
		return;
	bw_name_print(session->pipeline->funcs[regret->stands->func].name, &name);
	bw_placement_words(session->pipeline, regret->stands, &words);
	bw_text_printf(out, ", which polishing changed to %s", bw_text_get(&words) + name.length + 1);
}

void bw_regret_words(const struct bw_session *session, const struct bw_regret *regret, struct bw_text *out)
{
	put_choice(session, regret->other, out);
	bw_text_puts(out, " in place of ");
	put_choice(session, regret->taken, out);
	put_stands(session, regret, out);
	if (regret->rank > 0)
		bw_text_printf(out, " (the best was the %s of %d there)", bw_say_rank(regret->rank).text, regret->n);
}

void bw_decided_words(const struct bw_session *session, struct bw_text *out)
{
	const struct regrets *regrets = regrets_of(session);
	const struct bw_regret *most = bw_regret_most(session);
	if (!regrets->search)
		return;
	bool known = are_known(regrets, 1);
	bw_better_words(session, out);
	bw_text_puts(out, regrets->better ? "; " : "");
	if (!known)
		bw_text_printf(out, "which decision mattered: %d of %d looked at%s",
			       regrets->next - regrets->n_pending, regrets->lineage.n,
			       regrets->stopped ? ", stopped" : " so far; their runners-up are priced in the background");
	else if (!most)
		bw_text_puts(out, "nothing was decided: no decision on the way of the best had a second live option");
	if (!known || !most)
		return;
	bw_text_puts(out, "decided at ");
	bw_session_decision_name(session, most->decision, out);
	bw_text_puts(out, most->cost > 0 ? ": its runner-up would cost " : ": its runner-up leads to ");
	bw_regret_cost_words(session, most, out);
	if (most->stands) {
		bw_text_puts(out, "; it took ");
		put_choice(session, most->taken, out);
		put_stands(session, most, out);
	}
}

/* Moves a pending runner-up to the list of regrets, which is in the order of decisions. */
static void take_pending(struct regrets *regrets, struct pending *pending)
{
	struct bw_regret regret = pending->regret;
	bw_search_free(pending->branch);
	bw_nest_drop(pending->nest);
	*pending = regrets->pending[--regrets->n_pending];
	BW_GROW(regrets->list, regrets->n, regrets->capacity);
	int at = regrets->n++;
	for (; at > 0 && regrets->list[at - 1].decision > regret.decision; at--)
		regrets->list[at] = regrets->list[at - 1];
	regrets->list[at] = regret;
}

static void end(struct bw_session *session)
{
	struct regrets *regrets = regrets_of(session);
	bw_part_halt(session, BW_PART_REGRET);
	bw_session_leave(session, regrets->search);
	while (regrets->n_pending)
		take_pending(regrets, &regrets->pending[0]);
	for (int i = 0; i < regrets->n; i++) {
		bw_placement_drop(regrets->list[i].taken);
		bw_placement_drop(regrets->list[i].other);
	}
	bw_nest_drop(regrets->better);
	free(regrets->list);
	free(regrets->pending);
	if (regrets->arena)
		bw_arena_free(regrets->arena);
	*regrets = (struct regrets){0};
}

/* Starts or continues to find regrets, if the search is at its end. */
static void begin(struct bw_session *session, int most, bool quiet)
{
	struct regrets *regrets = regrets_of(session);
	if (bw_search_reached(session->search) < bw_search_n_decisions(session->search))
		return;
	if (!regrets->search) {
		regrets->search = bw_search_fork(session->search, NULL, NULL);
		regrets->arena = bw_arena_new();
		regrets->lineage = bw_lineage_of(regrets->search, regrets->arena);
	}
	regrets->most = most > regrets->most ? most : regrets->most;
	if (!are_known(regrets, regrets->most))
		bw_part_begin(session, BW_PART_REGRET);
	regrets->quiet = quiet;
	regrets->stopped = false;
}

void bw_regrets_begin(struct bw_session *session, int most)
{
	begin(session, most, false);
}

/* On a screen, starts to find regrets as soon as the search is at its end. */
static void settled(struct bw_session *session)
{
	const struct regrets *regrets = regrets_of(session);
	if (own_of(session)->screen && session->target < 0 && !regrets->search && !regrets->stopped)
		begin(session, INT_MAX, true);
}

/* Returns the cheapest option whose schedule differs from that of the taken option, or NULL. */
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

/* Keeps a pending runner-up's schedule in `better` if it costs less than the best schedule and the one kept
 * before. */
static void take_better(struct regrets *regrets, const struct pending *pending)
{
	static const double rounding = 1e-4;
	double least = regrets->better ? regrets->better_cost : (1 - rounding) * best_of(regrets->search)->cost;
	if (!pending->nest || pending->regret.cost >= least)
		return;
	bw_nest_drop(regrets->better);
	regrets->better = bw_nest_keep(pending->nest);
	regrets->better_cost = pending->regret.cost;
	regrets->better_at = pending->regret.decision;
}

/* Polishes a pending runner-up's schedule until it costs clearly less than the next one's, or completely,
 * which gives its final cost. Thus the order of polishing and all costs do not depend on how many regrets are
 * to be found. Returns false if it was stopped. */
static bool polish(struct regrets *regrets, struct pending *pending, const struct bw_yield *yield)
{
	struct bw_regret *regret = &pending->regret;
	const struct pending *next = find_dearest(regrets, pending);
	double enough = next ? clearly_less * next->regret.cost : 0;
	struct bw_polish polish = {0};
	struct bw_nest *nest;
	bw_search_suffice(pending->branch, enough);
	if (pending->nest && bw_search_settings(pending->branch)->polish) {
		if (!bw_search_improve(pending->branch, pending->nest, yield, &polish, &nest))
			return false;
		bw_nest_drop(pending->nest);
		pending->nest = nest;
		regret->cost = polish.n ? polish.steps[polish.n - 1].after : regret->cost;
		bw_polish_free(&polish);
	}
	take_better(regrets, pending);
	if (regret->cost >= enough) {
		regret->cost = pending->nest ? regret->cost : 0;
		take_pending(regrets, pending);
	}
	return true;
}

/* Returns the placement by which polishing replaced the choice of decision k; NULL if it did not. Not
 * owned. */
static const struct bw_placement *find_stands(const struct regrets *regrets, int k,
					      const struct bw_placement *taken)
{
	if (!taken)
		return NULL;
	const struct bw_constraint was = {
	    .placement = taken, .sizes = bw_search_decision(regrets->search, k)->phase == BW_PHASE_TILE};
	const struct bw_placement *now = best_of(regrets->search)->nest->placed[taken->func]->placement;
	return bw_constraint_names(&was, now) ? NULL : now;
}

/* Adds a decision's runner-up to the pending ones, with the best schedule in which the runner-up replaces the
 * taken option. Returns false if it was stopped. */
static bool add_pending(struct regrets *regrets, int k, const struct bw_option *taken,
			const struct bw_option *other, const struct bw_yield *yield)
{
	const struct bw_lineage_step *step = &regrets->lineage.steps[k];
	struct bw_regret regret = {.decision = k, .rank = step->winner, .n = step->n};
	struct bw_search *branch =
	    bw_search_branch(regrets->search, k, step->lines[step->winner].parent, other);
	struct bw_nest *nest = bw_search_branch_nest(branch, regrets->search, yield, &regret.cost);
	if (!nest && !bw_yield(yield)) {
		bw_search_free(branch);
		return false;
	}
	regret.stands = find_stands(regrets, k, taken->placement);
	regret.taken = taken->placement ? bw_placement_keep(taken->placement) : NULL;
	regret.other = other->placement ? bw_placement_keep(other->placement) : NULL;
	BW_PUSH(regrets->pending, regrets->n_pending, regrets->pending_capacity,
		(struct pending){regret, branch, nest});
	return true;
}

/* Finds a decision's runner-up, if more than one option was possible. Returns false if it was stopped. */
static bool add(struct regrets *regrets, int k, const struct bw_yield *yield)
{
	const struct bw_lineage_step *step = &regrets->lineage.steps[k];
	if (step->winner < 0 || step->lines[step->winner].parent < 0)
		return true;
	int taken = bw_search_state(regrets->search, k + 1, step->winner)->option;
	struct bw_expansion *expansion =
	    taken < 0 ? NULL : bw_search_expand(regrets->search, k, step->lines[step->winner].parent, yield);
	const struct bw_option *was = expansion && taken < expansion->n ? &expansion->options[taken] : NULL;
	const struct bw_option *other = was ? runner_up(expansion, was) : NULL;
	bool goes_on = bw_yield(yield) && (!other || add_pending(regrets, k, was, other, yield));
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
	for (struct pending *pending; (pending = find_next(regrets, regrets->most));)
		if (!polish(regrets, pending, yield))
			return;
}

/* Puts into the message which decision mattered most, if regrets were requested. */
static void take(struct bw_session *session, bool ended)
{
	struct regrets *regrets = regrets_of(session);
	BW_SCOPED_TEXT words = {0};
	int all, taken = bw_regrets_progress(session, &all);
	if (ended || taken != regrets->taken)
		bw_session_touch(session);
	regrets->taken = taken;
	if (!ended || regrets->quiet)
		return;
	if (regrets->better) {
		const struct bw_cost_model *model = session->options.model;
		struct bw_change change = bw_change_of(model, bw_regret_best(session), regrets->better_cost);
		bw_session_tell(session, false,
				"`improve runner-up` gives %.4g %s, %s; `why search` lists all", regrets->better_cost, model->said, change.text);
		return;
	}
	bw_decided_words(session, &words);
	bw_session_tell(session, false, "%s; `why search` lists all", bw_text_get(&words));
}

void bw_regrets_finish(struct bw_session *session, int most)
{
	bw_regrets_begin(session, most);
	if (!own_of(session)->screen && bw_regrets_go_on(session))
		regrets_of(session)->stopped = !bw_part_finish(session, BW_PART_REGRET);
}

/* Stops the work and keeps the results, so that bw_regrets_begin can continue. */
static void stop(struct bw_session *session)
{
	regrets_of(session)->stopped |= bw_regrets_go_on(session);
	bw_part_halt(session, BW_PART_REGRET);
}

static bool is_quiet(const struct bw_session *session)
{
	return regrets_of(session)->quiet;
}

const struct bw_session_part bw_part_regret = {
    .size = sizeof(struct regrets),
    .run = run,
    .take = take,
    .unseen = is_quiet,
    .changed = end,
    .settled = settled,
    .stop = stop,
    .end = end,
    .free = end,
};
