/* The beam search over schedule trees. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "schedulers/cs6120.h"

enum {
	MOST_MOVES = 4096,
	/* Limit on the number of priced trees times the number of Funcs: about two seconds. Each depth gets its
	 * share. */
	BUDGET = 4000000,
	/* Number of cheapest trees that are tried on the GPU until one is accepted */
	TRIED = 64
};

/* A tree that was priced, and that the next beam may take. */
struct offer {
	double cost;
	int parent, number; /* in the order in which they were made */
	struct cs6120_move move;
	uint64_t hash;
	bool idle; /* the move exchanges loops and does not lower the cost */
	bool held;
};

struct cs6120_growing {
	struct bw_hashes seen;
	struct offer *offers;
	int n, capacity;
	int first, last, at; /* nodes of the current beam: first, end, and the next to expand */
	int depth;
	long share; /* total number of trees that may be priced by the end of this depth */
	struct cs6120_move moves[MOST_MOVES];
};

static void add_node(struct cs6120_search *search, const struct cs6120_node *node)
{
	BW_PUSH(search->nodes, search->n, search->capacity, *node);
}

/* Returns the total number of trees that may be priced by the end of the beam's current depth: an equal
 * share of the rest for each depth left. */
static long share_of(const struct cs6120_search *search, const struct cs6120 *of)
{
	long all = BUDGET / of->pipeline->n_funcs;
	return search->priced + (all - search->priced) / (search->request.depth - search->growing->depth);
}

struct cs6120_search *cs6120_search_new(struct cs6120 *of, const struct cs6120_tree *tree,
					const struct cs6120_request *request)
{
	struct cs6120_search *search = BW_NEW(struct cs6120_search);
	struct cs6120_cost cost;
	*search = (struct cs6120_search){.references = 1,
					 .request = *request,
					 .narrowest = request->width,
					 .growing = BW_NEW(struct cs6120_growing),
					 .arena = bw_arena_new()};
	bool *held = BW_ARENA_ARRAY(search->arena, bool, of->pipeline->n_funcs);
	memcpy(held, request->held, (size_t)of->pipeline->n_funcs * sizeof *held);
	search->request.held = held;
	struct cs6120_node start = {.tree = cs6120_copy(of, tree, search->arena), .parent = -1};
	bool priced = cs6120_price(of, tree, &cost);
	start.cost = priced ? cost.total : INFINITY;
	start.held = priced && cs6120_held(of, tree, &cost, NULL);
	add_node(search, &start);
	bw_hashes_add(&search->growing->seen, tree->hash);
	search->growing->last = 1;
	search->done = request->depth < 1;
	if (!search->done)
		search->growing->share = share_of(search, of);
	return search;
}

/* Prices all trees that the transformers make from a tree of the beam. */
static void expand(struct cs6120_search *search, struct cs6120 *of, int parent)
{
	struct cs6120_growing *growing = search->growing;
	BW_SCOPED_ARENA *arena = bw_arena_new();
	int n = cs6120_moves(of, &search->nodes[parent].tree, growing->moves, MOST_MOVES);
	for (int m = 0; m < n; m++) {
		struct cs6120_tree tree = cs6120_copy(of, &search->nodes[parent].tree, arena);
		struct cs6120_cost cost;
		if (!search->request.held[growing->moves[m].func] &&
		    cs6120_apply(of, &tree, &growing->moves[m]) && bw_hashes_add(&growing->seen, tree.hash)) {
			search->priced++;
			if (cs6120_price(of, &tree, &cost)) {
				BW_GROW(growing->offers, growing->n, growing->capacity);
				growing->offers[growing->n] =
				    (struct offer){.cost = cost.total,
						   .parent = parent,
						   .number = growing->n,
						   .move = growing->moves[m],
						   .hash = tree.hash,
						   .idle = growing->moves[m].transformer == CS6120_REORDER &&
							   cost.total >= search->nodes[parent].cost,
						   .held = cs6120_held(of, &tree, &cost, NULL)};
				growing->n++;
			}
		}
		bw_arena_reset(arena);
	}
}

BW_ORDER(by_cost, struct offer, 2 * BW_COMPARE(a->cost, b->cost) + BW_COMPARE(a->number, b->number))

/* Makes the next beam from the cheapest offers. At most half of the beam are idle exchanges of loops,
 * because there may be very many of them. At most half are trees that the GPU cannot run, which may lead
 * to trees that it can. */
static void next_beam(struct cs6120_search *search, struct cs6120 *of)
{
	struct cs6120_growing *growing = search->growing;
	int width = search->request.width, idle = 0, unheld = 0, expanded = growing->at - growing->first;
	if (growing->at < growing->last && expanded < search->narrowest)
		search->narrowest = expanded;
	if (growing->n)
		qsort(growing->offers, (size_t)growing->n, sizeof *growing->offers, by_cost);
	growing->first = search->n;
	growing->depth++;
	for (int i = 0, taken = 0; i < growing->n && taken < width; i++) {
		const struct offer *offer = &growing->offers[i];
		if ((offer->idle && ++idle > (width + 1) / 2) || (!offer->held && ++unheld > (width + 1) / 2))
			continue;
		struct cs6120_node node = {
		    .tree = cs6120_copy(of, &search->nodes[offer->parent].tree, search->arena),
		    .move = offer->move,
		    .parent = offer->parent,
		    .depth = growing->depth,
		    .cost = offer->cost,
		    .held = offer->held};
		cs6120_apply(of, &node.tree, &node.move);
		add_node(search, &node);
		taken++;
	}
	growing->n = 0;
	growing->last = search->n;
	growing->at = growing->first;
	search->done = growing->first == growing->last || growing->depth >= search->request.depth;
	if (!search->done)
		growing->share = share_of(search, of);
}

/* Returns true if a tree is `node` or a descendant of it. */
static bool is_from(const struct cs6120_search *search, int tree, int node)
{
	while (tree > node)
		tree = search->nodes[tree].parent;
	return tree == node;
}

/* Returns the cheapest tree marked as held among a node and its descendants, the earliest one of equal
 * costs; -1: none. */
static int best_held(const struct cs6120_search *search, int node)
{
	int best = -1;
	for (int i = node; i < search->n; i++)
		if (search->nodes[i].held && (best < 0 || search->nodes[i].cost < search->nodes[best].cost) &&
		    is_from(search, i, node))
			best = i;
	return best;
}

void cs6120_search_aim(struct cs6120_search *search, struct cs6120 *of, int node)
{
	if (search->target >= node && is_from(search, search->target, node))
		return;
	search->target = node;
	for (int tried = 0, best; tried < TRIED && (best = best_held(search, node)) >= 0; tried++) {
		struct cs6120_cost cost;
		cs6120_price(of, &search->nodes[best].tree, &cost);
		struct bw_schedule *schedule =
		    cs6120_schedule(of, &search->nodes[best].tree, &(struct bw_error){0});
		bw_schedule_drop(schedule);
		if (schedule) {
			search->target = best;
			break;
		}
		search->nodes[best].held = false;
		search->changed = true;
	}
	for (int i = 0; i < search->n; i++)
		search->nodes[i].best = search->nodes[i].held ? search->nodes[i].cost : INFINITY;
	for (int i = search->n - 1; i > 0; i--) {
		struct cs6120_node *parent = &search->nodes[search->nodes[i].parent];
		parent->best = fmin(parent->best, search->nodes[i].best);
	}
}

/* Chooses the target, and frees the state that only the search needs. */
static void finish(struct cs6120_search *search, struct cs6120 *of)
{
	search->target = -1;
	cs6120_search_aim(search, of, 0);
	search->found = search->nodes[search->target].cost;
	search->changed = false;
	free(search->growing->offers);
	bw_hashes_end(&search->growing->seen);
	free(search->growing);
	search->growing = NULL;
}

bool cs6120_search_work(struct cs6120_search *search, struct cs6120 *of, const struct bw_yield *yield,
			const atomic_bool *stop)
{
	while (!search->done) {
		struct cs6120_growing *growing = search->growing;
		bool full =
		    (stop && *stop) || (search->request.most && search->priced >= search->request.most);
		if (full || growing->at == growing->last || search->priced >= growing->share)
			next_beam(search, of);
		else
			expand(search, of, growing->at++);
		search->done |= full;
		if (!bw_yield(yield))
			return false;
	}
	if (search->growing)
		finish(search, of);
	return true;
}

void cs6120_search_drop(struct cs6120_search *search)
{
	if (!search || --search->references)
		return;
	if (search->growing) {
		free(search->growing->offers);
		bw_hashes_end(&search->growing->seen);
	}
	free(search->growing);
	free(search->nodes);
	bw_arena_free(search->arena);
	free(search);
}
