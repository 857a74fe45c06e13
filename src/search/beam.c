/* Fills the next beam from the costed options of all parents. Children are taken by cost, or by a random
 * number, in an order that depends on nothing else. */
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "search/search_private.h"

/* Children of a decision, best first: a heap of candidates, merged with the sorted children of each
 * parent. */

/* Candidates that were not taken yet: a heap whose first element has the least key. Equal keys are ordered
 * by hash, parent, option. */
struct candidates {
	int n, capacity;
	struct bw_candidate *heap;
};

/* Returns true if candidate a is taken before candidate b, regardless of which were looked at. */
static bool before(const struct bw_candidate *a, const struct bw_candidate *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	return a->hash != b->hash       ? a->hash < b->hash
	       : a->parent != b->parent ? a->parent < b->parent
					: a->option < b->option;
}

bool bw_candidate_before(const struct bw_candidate *a, const struct bw_candidate *b)
{
	return a->key == b->key && a->rank != b->rank ? a->rank < b->rank : before(a, b);
}

static void candidates_put(struct candidates *candidates, struct bw_candidate candidate)
{
	BW_GROW(candidates->heap, candidates->n, candidates->capacity);
	struct bw_candidate *heap = candidates->heap;
	int at = candidates->n++;
	for (; at > 0 && bw_candidate_before(&candidate, &heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = candidate;
}

/* Replaces the first candidate of the heap. */
static void replace_first(struct candidates *candidates, const struct bw_candidate *candidate)
{
	struct bw_candidate *heap = candidates->heap;
	int at = 0;
	for (int down = 1; down < candidates->n; at = down, down = 2 * at + 1) {
		if (down + 1 < candidates->n && bw_candidate_before(&heap[down + 1], &heap[down]))
			down++;
		if (!bw_candidate_before(&heap[down], candidate))
			break;
		heap[at] = heap[down];
	}
	heap[at] = *candidate;
}

static struct bw_candidate candidates_take(struct candidates *candidates)
{
	struct bw_candidate first = candidates->heap[0], last = candidates->heap[--candidates->n];
	replace_first(candidates, &last);
	return first;
}

/* The children of all parents that have not been looked at. */
struct rest {
	int n; /* number of children */
	int n_parents;
	const struct bw_parent *parents; /* parents by rank */
	int *looked_at;                   /* by parent: how many of its children were looked at */
	struct candidates heads; /* the next child of each parent that has one */
};

/* Returns the next child of a parent; NULL if there is none. */
static const struct bw_candidate *rest_next(const struct rest *rest, int parent)
{
	const struct bw_gathered *gathered = &rest->parents[parent].gathered;
	return rest->looked_at[parent] < gathered->n ? &gathered->list[rest->looked_at[parent]] : NULL;
}

/* Removes the best child from the rest and returns it. There must be one. */
static struct bw_candidate rest_take(struct rest *rest)
{
	struct bw_candidate candidate = rest->heads.heap[0];
	rest->n--;
	rest->looked_at[candidate.parent]++;
	const struct bw_candidate *next = rest_next(rest, candidate.parent);
	if (next)
		replace_first(&rest->heads, next);
	else
		candidates_take(&rest->heads);
	return candidate;
}

/* A beam while it is filled. */
struct filling {
	const struct bw_search *search;
	const struct bw_parents *parents;
	int index; /* of the decision */
	struct bw_position *next;
	struct rest rest;
	/* children with a penalty that were put back: by penalized cost, then rank */
	struct candidates put_back;
	int taken; /* number of children taken from the rest */
	int n_recorded, recorded_capacity; /* number and capacity of the children in next->decision */
	int most_recorded; /* most children to record, not counting kept children beyond this limit */
	struct bw_hashes twins; /* hashes of the schedules in the beam */
	struct bw_dropout dropout;
	bool penalizes;
	struct bw_penalties penalties;
	/* if this decision ends a pass: the end of the previous pass; NULL if there is none */
	const struct bw_position *before;
	int next_before;
};

/* Makes the nest of a child by placing its option in the parent's nest again. Sets *ms to its costs by
 * stage if they are known. Under the learned model a stage's cost depends on all kernels, so the costs are
 * unknown until the child is expanded. */
static struct bw_nest *nest_of(struct bw_expanding *expanding, const struct bw_option *option, double **ms)
{
	struct bw_pricing *pricing = &expanding->pricing;
	const struct bw_placement *placement = option->placement;
	const struct bw_state *parent = expanding->question.parent;
	bool begins = expanding->question.phase == BW_PHASE_PASS;
	const double *known = begins ? NULL : pricing->ms;
	size_t n = (size_t)parent->nest->pipeline->n_stages;
	struct bw_nest *nest;
	if (placement) {
		bw_trial_place(&pricing->trial, placement, NULL);
		if (!pricing->trial.recall.basis)
			bw_pricing_total(pricing);
		nest = bw_nest_copy(bw_trial_nest(&pricing->trial));
		bw_trial_forget(&pricing->trial);
		known = pricing->trial.recall.basis ? NULL : pricing->changed_ms;
	} else {
		nest = bw_nest_keep(begins ? bw_state_first(parent)->nest : parent->nest);
	}
	*ms = known ? memcpy(BW_NEW_ARRAY(double, n), known, n * sizeof *known) : NULL;
	return nest;
}

static struct bw_expanding *expanding_of(const struct filling *filling,
					 const struct bw_candidate *candidate)
{
	return &filling->parents->list[candidate->parent].expanding;
}

/* Returns the option that a candidate is made from. */
static const struct bw_option *filling_option(const struct filling *filling,
					  const struct bw_candidate *candidate)
{
	return bw_expansion_option(expanding_of(filling, candidate)->expansion, candidate->option);
}

static double cost_of(const struct filling *filling, const struct bw_candidate *candidate)
{
	return filling_option(filling, candidate)->cost;
}

/* Returns the limit on the children that a decision records in addition to the kept ones: half of the
 * capacity that earlier decisions left, but at least BW_RECORDED_LEAST. */
static int most_recorded(const struct bw_search *search, int index)
{
	long left = search->recorded_limit;
	for (int position = 1; position <= index; position++)
		left -= search->reached[position]->decision.n_recorded;
	return left / 2 > BW_RECORDED_LEAST ? (int)(left / 2) : BW_RECORDED_LEAST;
}

static struct bw_child *children(const struct filling *filling)
{
	return (struct bw_child *)filling->next->decision.children;
}

/* Returns the largest number of children that will be recorded: the child just taken and all that are
 * left, up to the limit. */
static int likely_recorded(const struct filling *filling)
{
	return filling->rest.n < filling->most_recorded ? filling->rest.n + 1 : filling->most_recorded;
}

static void record(struct filling *filling, const struct bw_candidate *candidate, double cost)
{
	struct bw_child *list = children(filling);
	if (!list)
		list = bw_resize_array(NULL, (size_t)(filling->recorded_capacity = likely_recorded(filling)), sizeof *list);
	BW_PUSH(list, filling->n_recorded, filling->recorded_capacity,
		(struct bw_child){cost, candidate->rank, candidate->parent, candidate->option, -1, 1, false});
	filling->next->decision.children = list;
}

/* Returns the record of a child, or a blank one in *other if the child's rank is beyond the limit. */
static struct bw_child *record_of(struct filling *filling, const struct bw_candidate *candidate,
				  struct bw_child *other)
{
	if (candidate->rank < filling->most_recorded)
		return &children(filling)[candidate->rank];
	*other = (struct bw_child){.penalty = 1};
	return other;
}

/* Takes the next child from the rest. Most children are only recorded; recording does not read the child's
 * option. */
static struct bw_candidate take(struct filling *filling)
{
	struct bw_candidate candidate = rest_take(&filling->rest);
	candidate.rank = filling->taken++;
	if (candidate.rank < filling->most_recorded)
		record(filling, &candidate, filling->search->options.random ? cost_of(filling, &candidate) : candidate.key);
	return candidate;
}

/* Returns true if a constraint pins a choice for a Func that this pass has already decided. */
static bool is_pin(const struct filling *filling, const struct bw_constraint *constraint)
{
	const struct bw_search *search = filling->search;
	const struct bw_decision *decision = &search->plan[filling->index];
	int func = constraint->placement->func;
	if (constraint->source != BW_CONSTRAINT_PIN || decision->phase == BW_PHASE_PASS ||
	    !bw_constraint_applies(constraint, decision->pass))
		return false;
	return filling->index >= bw_search_find(search, func, BW_PHASE_WHERE, decision->pass) &&
	       !bw_constraint_on(&search->constraints, func, decision->pass);
}

/* Returns true if a nest has the pinned choice, or the child has it that an option makes of the nest. */
static bool has(const struct bw_constraint *pin, const struct bw_nest *nest, const struct bw_option *option)
{
	int func = pin->placement->func;
	if (option && option->placement && option->placement->func == func)
		return bw_constraint_names(pin, option->placement);
	return nest->placed[func] && bw_constraint_names(pin, nest->placed[func]->placement);
}

static bool candidate_has(const struct filling *filling, const struct bw_constraint *pin,
			  const struct bw_candidate *candidate)
{
	const struct bw_state *parent =
	    filling->parents->list[candidate->parent].expanding.question.parent;
	return has(pin, parent->nest, filling_option(filling, candidate));
}

/* Returns true if a child has a pinned choice for a Func that its pass has decided. Dropout does not drop
 * such a child. */
static bool is_pinned(const struct filling *filling, const struct bw_candidate *candidate)
{
	const struct bw_constraints *constraints = &filling->search->constraints;
	for (int i = 0; i < constraints->n; i++)
		if (is_pin(filling, &constraints->list[i]) && candidate_has(filling, &constraints->list[i], candidate))
			return true;
	return false;
}

/* Puts a child into the beam, unless the beam already has an equal schedule. left: number of other
 * children that could still enter the beam. */
static void filling_keep(struct filling *filling, const struct bw_candidate *candidate, int penalty,
			 int left)
{
	struct bw_position *next = filling->next;
	struct bw_child other, *child = record_of(filling, candidate, &other);
	if (bw_hashes_have(&filling->twins, candidate->hash))
		return;
	child->dropped_out = !is_pinned(filling, candidate) &&
			     bw_dropped_out(&filling->dropout, candidate->hash, left);
	next->decision.dropped_out += child->dropped_out;
	if (child->dropped_out)
		return;
	struct bw_expanding *expanding = expanding_of(filling, candidate);
	const struct bw_option *option = filling_option(filling, candidate);
	bool begins = expanding->question.phase == BW_PHASE_PASS;
	BW_SCOPED_NEST *nest = nest_of(expanding, option, &next->ms[next->n]);
	struct bw_state *state = bw_state_new(begins ? NULL : expanding->question.parent, candidate->parent,
					      candidate->option, nest, option->cost);
	state->position = filling->index + 1;
	state->penalty = penalty;
	for (int less = 0; less < 2; less++)
		state->structures[less] = option->structures[less];
	if (child == &other) {
		record(filling, candidate, option->cost);
		child = &children(filling)[filling->n_recorded - 1];
		child->penalty = penalty;
	}
	child->kept = next->n;
	bw_hashes_add(&filling->twins, state->hash);
	next->beam[next->n++] = state;
}

/* Keeps the next child. If the next state from the end of the previous pass costs no more, keeps that
 * state instead: both are complete schedules. States of the pre-pass that the user's rejections exclude
 * are skipped, because rejections do not apply in the pre-pass. */
static void step_by_key(struct filling *filling)
{
	const struct bw_position *before = filling->before;
	const struct bw_state *state =
	    before && filling->next_before < before->n ? before->beam[filling->next_before] : NULL;
	int pass = filling->search->plan[filling->index].pass;
	if (state && pass == 1 && !bw_state_allowed(filling->search, state, pass)) {
		filling->next_before++;
		return;
	}
	if (state && (!filling->rest.n || state->cost <= cost_of(filling, &filling->rest.heads.heap[0]))) {
		filling->next_before++;
		if (bw_hashes_add(&filling->twins, state->hash))
			filling->next->beam[filling->next->n++] = bw_state_keep(state);
		return;
	}
	struct bw_candidate candidate = take(filling);
	filling_keep(filling, &candidate, 1, filling->rest.n);
}

static int penalty_of(struct filling *filling, const struct bw_candidate *candidate)
{
	const struct bw_option *option = filling_option(filling, candidate);
	const struct bw_question *question = &expanding_of(filling, candidate)->question;
	const struct bw_nest *parent = question->parent->nest;
	return bw_penalty_of(&filling->penalties, option, parent,
			     option->placement ? option->placement : parent->placed[question->func]->placement);
}

/* Looks at the next child. Puts it back if another child is cheaper than its penalized cost; otherwise
 * keeps it. */
static void step_with_penalties(struct filling *filling)
{
	struct rest *rest = &filling->rest;
	struct candidates *back = &filling->put_back;
	struct bw_child other;
	if (back->n && (!rest->n || back->heap[0].key < rest->heads.heap[0].key)) {
		struct bw_candidate candidate = candidates_take(back);
		filling_keep(filling, &candidate, candidate.penalty, rest->n + back->n);
		return;
	}
	struct bw_candidate candidate = take(filling);
	if (bw_hashes_have(&filling->twins, candidate.hash))
		return;
	candidate.penalty = record_of(filling, &candidate, &other)->penalty = penalty_of(filling, &candidate);
	double cost = candidate.key * candidate.penalty;
	bool cheaper = (back->n && back->heap[0].key < cost) || (rest->n && rest->heads.heap[0].key < cost);
	if (candidate.penalty == 1 || !cheaper) {
		filling_keep(filling, &candidate, candidate.penalty, rest->n + back->n);
		return;
	}
	candidate.key = cost;
	candidates_put(back, candidate);
}

/* Looks at children until the beam is full or no child is left. Then records some of the children for
 * which the beam had no room. Returns false if it was stopped. */
static bool fill(struct filling *filling)
{
	const struct bw_position *before = filling->before;
	const struct rest *rest = &filling->rest;
	int most = bw_search_keeps(filling->search, filling->index);
	while (filling->next->n < most &&
	       (rest->n || filling->put_back.n || (before && filling->next_before < before->n))) {
		if (!bw_yield(filling->search->yield))
			return false;
		if (filling->penalizes)
			step_with_penalties(filling);
		else
			step_by_key(filling);
	}
	while (rest->n && filling->taken < filling->most_recorded)
		take(filling);
	return true;
}

/* Finds the best recorded child with the pinned choice. */
static bool find_recorded(const struct filling *filling, const struct bw_constraint *pin,
			  struct bw_candidate *found)
{
	int n = filling->n_recorded < filling->most_recorded ? filling->n_recorded : filling->most_recorded;
	for (int c = 0; c < n; c++) {
		const struct bw_child *child = &filling->next->decision.children[c];
		*found = (struct bw_candidate){.parent = child->parent,
					       .option = child->option,
					       .rank = child->rank,
					       .penalty = child->penalty};
		if (candidate_has(filling, pin, found)) {
			found->hash = filling_option(filling, found)->hash;
			return true;
		}
	}
	return false;
}

/* Returns the first child of a list that has the pinned choice, if it comes before `best`; else `best`. */
static const struct bw_candidate *better(const struct filling *filling, const struct bw_constraint *pin,
					 const struct bw_candidate *best, const struct bw_candidate *list,
					 int n)
{
	for (int i = 0; i < n; i++)
		if ((!best || before(&list[i], best)) && candidate_has(filling, pin, &list[i]))
			best = &list[i];
	return best;
}

/* Returns how many children of the rest come before a candidate. */
static int rest_before(const struct rest *rest, const struct bw_candidate *candidate)
{
	int n = 0;
	for (int p = 0; p < rest->n_parents; p++)
		for (int i = rest->looked_at[p]; i < rest->parents[p].gathered.n; i++)
			n += before(&rest->parents[p].gathered.list[i], candidate);
	return n;
}

/* Finds the best child with the pinned choice outside the record: among the children put back because of
 * their penalty, and those that the beam has not looked at yet. */
static bool find_behind(const struct filling *filling, const struct bw_constraint *pin,
			struct bw_candidate *found)
{
	const struct rest *rest = &filling->rest;
	const struct bw_candidate *back =
				      better(filling, pin, NULL, filling->put_back.heap, filling->put_back.n),
				  *best = back;
	for (int p = 0; p < rest->n_parents; p++)
		best = better(filling, pin, best, rest->parents[p].gathered.list + rest->looked_at[p],
			      rest->parents[p].gathered.n - rest->looked_at[p]);
	if (!best)
		return false;
	*found = *best;
	if (best == back)
		return true;
	found->penalty = 1;
	found->rank = filling->taken + rest_before(rest, best);
	return true;
}

/* Adds the best child with the pinned choice to the beam, unless a state of the beam already has this
 * choice. Returns false if no child has it. */
static bool keep(struct filling *filling, const struct bw_constraint *pin)
{
	const struct bw_position *next = filling->next;
	struct bw_candidate best;
	for (int i = 0; i < next->n; i++)
		if (has(pin, next->beam[i]->nest, NULL))
			return true;
	if (!find_recorded(filling, pin, &best) && !find_behind(filling, pin, &best))
		return false;
	filling_keep(filling, &best, best.penalty, 0);
	return true;
}

/* Returns true if a pin that no state can satisfy is an error. This is so in the first pass that the pin
 * applies to. Later passes ignore such a pin, because other Funcs may have moved. */
static bool must_be(const struct bw_constraint *pin, int pass)
{
	return pin->here || pass == 1;
}

/* Pins: in addition to its usual states, the beam keeps the best state with each pinned choice. */
static void keep_pinned(struct filling *filling)
{
	const struct bw_search *search = filling->search;
	const struct bw_decision *decision = &search->plan[filling->index];
	for (int i = 0; i < search->constraints.n; i++) {
		const struct bw_constraint *pin = &search->constraints.list[i];
		if (is_pin(filling, pin) && !keep(filling, pin) && decision->phase == BW_PHASE_WHERE &&
		    decision->func == pin->placement->func && must_be(pin, decision->pass))
			filling->next->missed = pin;
	}
}

static void begin(struct filling *filling, const struct bw_search *search,
		      const struct bw_parents *parents, struct bw_position *next)
{
	int index = parents->index, pass = search->plan[index].pass;
	bool ends = index + 1 == bw_search_pass_end(search, pass);
	*filling = (struct filling){.search = search,
				       .parents = parents,
				       .index = index,
				       .next = next,
				       .most_recorded = most_recorded(search, index),
				       .dropout = bw_dropout_begin(search, index)};
	filling->rest = (struct rest){
	    .n_parents = parents->n, .parents = parents->list, .looked_at = BW_NEW_ARRAY(int, parents->n)};
	for (int p = 0; p < parents->n; p++) {
		const struct bw_candidate *first = rest_next(&filling->rest, p);
		filling->rest.n += parents->list[p].gathered.n;
		if (first)
			candidates_put(&filling->rest.heads, *first);
	}
	filling->penalizes = bw_penalties_begin(search, index, &filling->penalties);
	filling->before =
	    ends && pass > search->first_pass ? search->reached[bw_search_pass_end(search, pass - 1)] : NULL;
}

/* Compares children by rank, to sort those recorded beyond the limit. */
BW_ORDER(by_rank, struct bw_child, BW_COMPARE(a->rank, b->rank))

/* Moves the record to next->decision, and frees everything else. */
static void end(struct filling *filling)
{
	struct bw_decision *decision = &filling->next->decision;
	int first = filling->most_recorded < filling->n_recorded ? filling->most_recorded : filling->n_recorded;
	struct bw_child *list = bw_resize_array(children(filling), (size_t)filling->n_recorded, sizeof *list);
	if (filling->n_recorded > first)
		qsort(list + first, (size_t)(filling->n_recorded - first), sizeof *list, by_rank);
	decision->children = list;
	decision->n_recorded = filling->n_recorded;
	decision->n_children = filling->taken + filling->rest.n;
	free(filling->rest.looked_at);
	free(filling->rest.heads.heap);
	free(filling->put_back.heap);
	bw_hashes_end(&filling->twins);
	bw_penalties_end(&filling->penalties);
}

bool bw_beam_fill(const struct bw_search *search, const struct bw_parents *parents, struct bw_position *next)
{
	struct filling filling;
	begin(&filling, search, parents, next);
	bool filled = fill(&filling);
	if (filled)
		keep_pinned(&filling);
	end(&filling);
	return filled;
}
