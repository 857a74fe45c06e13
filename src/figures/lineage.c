#include "figures/lineage.h"

static int find_parent(const struct bw_state *state, const struct bw_state *const *before, int n_before)
{
	if (state->parent && state->parent_rank >= 0 && state->parent_rank < n_before &&
	    before[state->parent_rank] == state->parent)
		return state->parent_rank;
	for (int i = 0; i < n_before; i++)
		if (before[i] == state->parent || before[i] == state)
			return i;
	return -1;
}

/* Returns true if the state of rank `parent` in the beam before a decision had more than one costed option. A
 * decision that does not record all its children has more of them than states. */
static bool had_choice(const struct bw_decision *decision, int parent)
{
	int options = decision->n_recorded < decision->n_children ? 2 : 0;
	for (int i = 0; i < decision->n_recorded && options < 2; i++)
		options += decision->children[i].parent == parent;
	return options > 1;
}

static int count_kinds(const struct bw_state *const *states, int n)
{
	int kinds = 0;
	for (int i = 0; i < n; i++) {
		bool seen = false;
		for (int k = 0; k < i && !seen; k++)
			seen = states[k]->structures[0] == states[i]->structures[0];
		kinds += !seen;
	}
	return kinds;
}

/* Returns the cost of the cheapest child that the beam's width left out: it ranks behind all that are kept.
 * Others that are dropped are schedules that the beam has already, or are left out by chance. */
static double find_cut(const struct bw_decision *decision)
{
	double last = 0, cut = 0;
	for (int i = 0; i < decision->n_recorded; i++) {
		const struct bw_child *child = &decision->children[i];
		if (child->kept >= 0 && child->cost * child->penalty > last)
			last = child->cost * child->penalty;
	}
	for (int i = 0; i < decision->n_recorded; i++) {
		const struct bw_child *child = &decision->children[i];
		if (child->kept < 0 && !child->dropped_out && child->cost * child->penalty >= last &&
		    (cut == 0 || child->cost < cut))
			cut = child->cost;
	}
	return cut;
}

static void fill_step(const struct bw_search *search, int k, struct bw_lineage_step *step,
		      struct bw_arena *arena)
{
	const struct bw_state *const *states, *const *before;
	int n_before = bw_search_beam(search, k, &before);
	step->n = bw_search_beam(search, k + 1, &states);
	step->lines = BW_ARENA_ARRAY(arena, struct bw_line, step->n + 1);
	step->winner = -1;
	for (int i = 0; i < step->n; i++)
		step->lines[i] = (struct bw_line){.parent = find_parent(states[i], before, n_before)};
	if (!step->n)
		return;
	step->best = step->worst = states[0]->cost;
	for (int i = 1; i < step->n; i++) {
		step->best = states[i]->cost < step->best ? states[i]->cost : step->best;
		step->worst = states[i]->cost > step->worst ? states[i]->cost : step->worst;
	}
	step->cut = find_cut(bw_search_decision(search, k));
	step->n_kinds = count_kinds(states, step->n);
}

/* Marks what survives, from the last beam back, and counts. */
static void mark(const struct bw_search *search, struct bw_lineage *lineage)
{
	for (int k = lineage->n - 1; k >= 0; k--) {
		struct bw_lineage_step *step = &lineage->steps[k], *before = k > 0 ? &lineage->steps[k - 1] : NULL;
		const struct bw_state *const *states;
		bw_search_beam(search, k + 1, &states);
		for (int i = 0; i < step->n; i++) {
			struct bw_line *line = &step->lines[i];
			if (k == lineage->n - 1)
				*line = (struct bw_line){line->parent, true, i == 0};
			step->n_survivors += line->survives;
			if (line->wins) {
				step->winner = i;
				step->winner_cost = states[i]->cost;
				step->chosen = had_choice(bw_search_decision(search, k), line->parent);
			}
			if (!before || line->parent < 0 || line->parent >= before->n)
				continue;
			before->lines[line->parent].survives |= line->survives;
			before->lines[line->parent].wins |= line->wins;
		}
	}
}

/* Returns how near to the end of the beam the winner stood after a decision: 0 at its end, 1 at its top; 2 if
 * no state had a choice, so that none could be lost. */
static double room_in(const struct bw_search *search, const struct bw_lineage_step *step, int k)
{
	const struct bw_state *const *before;
	int n_before = bw_search_beam(search, k, &before);
	bool choice = bw_search_decision(search, k)->n_children > n_before;
	return choice && step->n > 1 && step->winner >= 0 ? 1 - (double)step->winner / (step->n - 1) : 2;
}

struct bw_lineage bw_lineage_of(const struct bw_search *search, struct bw_arena *arena)
{
	struct bw_lineage lineage = {.n = bw_search_reached(search), .leads = -1, .decided = -1, .tightest = -1};
	lineage.steps = BW_ARENA_ARRAY(arena, struct bw_lineage_step, lineage.n + 1);
	for (int k = 0; k < lineage.n; k++) {
		lineage.steps[k] = (struct bw_lineage_step){0};
		fill_step(search, k, &lineage.steps[k], arena);
	}
	mark(search, &lineage);
	double least = 2;
	for (int k = lineage.n - 1; k >= 0 && lineage.steps[k].winner == 0; k--)
		lineage.leads = k;
	for (int k = lineage.leads; k >= 0 && lineage.decided < 0; k--)
		lineage.decided = lineage.steps[k].chosen ? k : -1;
	for (int k = lineage.leads; k >= 0 && k < lineage.n && lineage.decided < 0; k++)
		lineage.decided = lineage.steps[k].chosen ? k : -1;
	for (int k = 0; k < lineage.n; k++) {
		const struct bw_lineage_step *step = &lineage.steps[k];
		if (step->n_survivors == 1 && lineage.common == k)
			lineage.common = k + 1;
		double room = room_in(search, step, k);
		if (room < least) {
			least = room;
			lineage.tightest = k;
		}
	}
	return lineage;
}

void bw_lineage_histogram(const struct bw_decision *decision, double most, int n, int *children, int *kept)
{
	double best = 0;
	for (int i = 0; i < n; i++)
		children[i] = kept[i] = 0;
	for (int i = 0; i < decision->n_recorded; i++)
		if (decision->children[i].cost > 0 && (best == 0 || decision->children[i].cost < best))
			best = decision->children[i].cost;
	for (int i = 0; i < decision->n_recorded && best > 0; i++) {
		const struct bw_child *child = &decision->children[i];
		int class = most > 1 ? (int)((child->cost / best - 1) / (most - 1) * n) : 0;
		class = class < 0 ? 0 : class >= n ? n - 1 : class;
		children[class]++;
		kept[class] += child->kept >= 0;
	}
}
