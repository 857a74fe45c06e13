/* The records of a search: options and their fates, states and constraints; and the letters and names of
 * options. */
#include "search/record.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arith.h"

void bw_option_judge(struct bw_option *option, enum bw_fate fate, enum bw_rule rule, double figure,
		     double limit, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	option->fate = fate;
	option->rule = rule;
	option->figure = figure;
	option->limit = limit;
	if (!option->silent) {
		char *words;
		const int length = vasprintf(&words, format, args);
		bw_option_hush(option);
		if (length > 0)
			option->reason = words;
		else if (length == 0)
			free(words);
	}
	va_end(args);
}

void bw_option_hush(struct bw_option *option)
{
	if (*option->reason)
		free((char *)option->reason);
	option->reason = "";
}

static inline void option_end(struct bw_option *option, bool borrows)
{
	if (!borrows)
		bw_placement_drop(option->placement);
	if (option->nest)
		bw_nest_drop(option->nest);
	if (!option->silent)
		bw_option_hush(option);
}

/* Moves the remaining options to a new array, so that the memory of the large one is free for the next
 * parent. */
void bw_expansion_shrink(struct bw_expansion *expansion, int costed)
{
	struct bw_option *options = expansion->options;
	int numbers = expansion->n + expansion->left_out;
	if (expansion->places || (!expansion->left_out && costed > expansion->n / 2))
		return;
	expansion->options = bw_resize_array(NULL, (size_t)costed, sizeof *options);
	expansion->places = bw_resize_array(NULL, (size_t)numbers, sizeof *expansion->places);
	for (int i = 0; i < expansion->n; i++) {
		if (options[i].fate != BW_FATE_COSTED) {
			option_end(&options[i], expansion->borrows);
			continue;
		}
		expansion->places[options[i].number] = expansion->n_left;
		expansion->options[expansion->n_left++] = options[i];
	}
	free(options);
}

void bw_expansion_free(struct bw_expansion *expansion)
{
	if (!expansion)
		return;
	for (int i = 0; i < (expansion->places ? expansion->n_left : expansion->n); i++)
		option_end(&expansion->options[i], expansion->borrows);
	free(expansion->options);
	free(expansion->places);
	free(expansion);
}

const struct bw_child *bw_decision_child(const struct bw_decision *decision, int rank)
{
	int low = 0, high = decision->n_recorded;
	if (rank >= 0 && rank < high && decision->children[rank].rank == rank)
		return &decision->children[rank];
	while (low < high) {
		int middle = low + (high - low) / 2;
		if (decision->children[middle].rank < rank)
			low = middle + 1;
		else
			high = middle;
	}
	return low < decision->n_recorded && decision->children[low].rank == rank ? &decision->children[low] : NULL;
}

struct bw_state *bw_state_new(const struct bw_state *parent, int parent_rank, int option,
			      struct bw_nest *nest, double cost)
{
	struct bw_state *state = BW_NEW(struct bw_state);
	*state = (struct bw_state){.references = 1,
				   .penalty = 1,
				   .position = parent ? parent->position + 1 : 0,
				   .parent_rank = parent_rank,
				   .option = option,
				   .cost = cost};
	state->parent = parent ? bw_state_keep(parent) : NULL;
	state->nest = bw_nest_keep(nest);
	state->hash = nest->hash;
	return state;
}

const struct bw_state *bw_state_first(const struct bw_state *state)
{
	while (state->parent)
		state = state->parent;
	return state;
}

const struct bw_state *bw_state_keep(const struct bw_state *state)
{
	((struct bw_state *)state)->references++;
	return state;
}

/* Drops ancestors in a loop, not by recursion: the chain of states can be long. */
void bw_state_drop(const struct bw_state *state)
{
	struct bw_state *mine = (struct bw_state *)state;
	while (mine && !--mine->references) {
		struct bw_state *parent = (struct bw_state *)mine->parent;
		bw_nest_drop(mine->nest);
		free(mine);
		mine = parent;
	}
}

/* Names options by letters for users. The search itself does not need them. */

/* An option, to be sorted by the hash of its bucket. */
struct in_bucket {
	uint64_t hash;
	int number;
};

BW_ORDER(by_bucket, struct in_bucket, 2 * BW_COMPARE(a->hash, b->hash) + BW_COMPARE(a->number, b->number))

/* Gives buckets letters by first appearance among options that are not pruned, and numbers their members
 * in order of enumeration. */
void bw_expansion_name(struct bw_expansion *expansion)
{
	BW_SCOPED_MEMORY struct in_bucket *sorted = BW_NEW_ARRAY(struct in_bucket, expansion->n);
	int n = 0;
	for (int i = 0; i < expansion->n; i++) {
		struct bw_option *option = &expansion->options[i];
		option->bucket = -1;
		option->member = 0;
		if (option->fate != BW_FATE_PRUNED && option->fate != BW_FATE_SECOND_CHOICE)
			sorted[n++] = (struct in_bucket){option->bucket_hash, i};
	}
	if (n)
		qsort(sorted, (size_t)n, sizeof *sorted, by_bucket);
	BW_SCOPED_MEMORY int *first =
	    BW_NEW_ARRAY(int, expansion->n); /* by option: the first option of its bucket */
	for (int i = 0; i < n; i++) {
		bool begins = i == 0 || sorted[i].hash != sorted[i - 1].hash;
		first[sorted[i].number] = begins ? sorted[i].number : first[sorted[i - 1].number];
		expansion->options[sorted[i].number].member =
		    begins ? 1 : expansion->options[sorted[i - 1].number].member + 1;
	}
	expansion->n_buckets = 0;
	for (int i = 0; i < expansion->n; i++)
		if (expansion->options[i].member)
			expansion->options[i].bucket =
			    first[i] == i ? expansion->n_buckets++ : expansion->options[first[i]].bucket;
}

/* The names in the tables of search.h. */

BW_WORDS(bw_phase_name, enum bw_phase, BW_PHASE_TABLE(BW_SECOND))

static const struct {
	const char *name;
	bool hard;
	const char *meaning;
} rules[] = {BW_RULE_TABLE(BW_ROW)};

const char *bw_rule_name(enum bw_rule rule)
{
	return rule == BW_RULE_NONE ? "" : rules[rule].name;
}

const char *bw_rule_meaning(enum bw_rule rule)
{
	return rule == BW_RULE_NONE ? "" : rules[rule].meaning;
}

bool bw_rule_hard(enum bw_rule rule)
{
	return rule != BW_RULE_NONE && rules[rule].hard;
}

const char *bw_constraint_words(const struct bw_constraint *constraint)
{
	static const char *const words[] = {BW_CONSTRAINT_TABLE(BW_SECOND)};
	return words[constraint->source];
}

BW_WORDS(bw_fate_name, enum bw_fate, BW_FATE_TABLE(BW_SECOND))

/* Constraints: copies, look-ups, comparison. */

struct bw_constraints bw_constraints_copy(const struct bw_constraints *constraints)
{
	struct bw_constraints copy = {.n = constraints ? constraints->n : 0};
	struct bw_constraint *list = BW_NEW_ARRAY(struct bw_constraint, copy.n);
	for (int i = 0; i < copy.n; i++) {
		list[i] = constraints->list[i];
		bw_placement_keep(list[i].placement);
	}
	copy.list = list;
	int *freed = BW_NEW_ARRAY(int, constraints ? constraints->n_free : 0);
	for (int i = 0; constraints && i < constraints->n_free; i++)
		freed[copy.n_free++] = constraints->free[i];
	copy.free = freed;
	return copy;
}

void bw_constraints_free(struct bw_constraints *constraints)
{
	for (int i = 0; i < constraints->n; i++)
		bw_placement_drop(constraints->list[i].placement);
	free((void *)constraints->list);
	free((void *)constraints->free);
}

bool bw_constraint_holds(const struct bw_constraint *constraint)
{
	return constraint->source != BW_CONSTRAINT_REJECT && constraint->source != BW_CONSTRAINT_PIN;
}

bool bw_constraint_applies(const struct bw_constraint *constraint, int pass)
{
	return constraint->here ? constraint->pass == pass : pass > 0 || bw_constraint_holds(constraint);
}

bool bw_constraint_names(const struct bw_constraint *constraint, const struct bw_placement *placement)
{
	const struct bw_placement *named = constraint->placement;
	if (named->func != placement->func)
		return false;
	return constraint->sizes ? bw_placement_equal(named, placement)
				 : bw_site_equal(&named->compute, &placement->compute);
}

const struct bw_constraint *bw_constraint_on(const struct bw_constraints *constraints, int func, int pass)
{
	const struct bw_constraint *found = NULL;
	for (int i = 0; i < constraints->n; i++) {
		const struct bw_constraint *constraint = &constraints->list[i];
		if (constraint->placement->func == func && bw_constraint_holds(constraint) &&
		    bw_constraint_applies(constraint, pass) && (!found || constraint->here))
			found = constraint;
	}
	return found;
}

bool bw_constraints_marks(const struct bw_constraints *constraints, int func, int pass)
{
	for (int i = 0; i < constraints->n; i++) {
		const struct bw_constraint *constraint = &constraints->list[i];
		if (!bw_constraint_holds(constraint) && constraint->placement->func == func &&
		    bw_constraint_applies(constraint, pass))
			return !bw_constraint_on(constraints, func, pass);
	}
	return false;
}

const struct bw_constraint *bw_constraint_mark(const struct bw_constraints *constraints,
					       const struct bw_placement *placement, int pass)
{
	const struct bw_constraint *found = NULL;
	for (int i = 0; i < constraints->n; i++) {
		const struct bw_constraint *constraint = &constraints->list[i];
		if (!bw_constraint_holds(constraint) && bw_constraint_applies(constraint, pass) &&
		    bw_constraint_names(constraint, placement) &&
		    (!found || constraint->sizes >= found->sizes))
			found = constraint;
	}
	return found && !bw_constraint_on(constraints, placement->func, pass) ? found : NULL;
}

bool bw_constraints_let_go(const struct bw_constraints *constraints, int func)
{
	for (int i = 0; i < constraints->n_free; i++)
		if (constraints->free[i] == func)
			return true;
	return false;
}

/* Returns the next constraint from *i on that concerns a Func in a pass; NULL at the end. */
static const struct bw_constraint *next_on(const struct bw_constraints *constraints, int func, int pass,
					   int *i)
{
	while (*i < constraints->n) {
		const struct bw_constraint *constraint = &constraints->list[(*i)++];
		if (constraint->placement->func == func && bw_constraint_applies(constraint, pass))
			return constraint;
	}
	return NULL;
}

static bool says_the_same(const struct bw_constraint *a, const struct bw_constraint *b)
{
	bool same_kind = bw_constraint_holds(a) ? bw_constraint_holds(b) : a->source == b->source;
	return same_kind && a->sizes == b->sizes && bw_constraint_names(a, b->placement);
}

bool bw_constraints_equal_on(const struct bw_constraints *a, const struct bw_constraints *b, int func,
			     int pass)
{
	for (int i = 0, k = 0;;) {
		const struct bw_constraint *x = next_on(a, func, pass, &i), *y = next_on(b, func, pass, &k);
		if (!x || !y)
			return x == y;
		if (!says_the_same(x, y))
			return false;
	}
}
