/* The order in which Halide realizes Funcs that are computed in the same loop, and so takes their
 * memory (RealizationOrder.cpp of Halide 14 to 21): depth first from the outputs, and the Funcs
 * that one Func calls in the order of their names. The Funcs of a description stand in another
 * order, which does not depend on names. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "nest/nest_private.h"

struct visit {
	const struct bw_pipeline *pipeline;
	/* the calls of Func f by name, some more than once: calls[first[f]] to calls[first[f +
	 * 1]] */
	int *first, *calls;
	int *next;     /* by Func: the next call to visit */
	int *path;     /* from an output to the Func that is visited */
	int *place;    /* by Func: its place in the order, from 1; 0 if it has none yet */
	int *order, n; /* the Funcs in this order */
};

struct named {
	const char *name;
	int func;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

/* Lists the calls of each Func. All producers are visited by name, so each list is sorted by
 * name. */
static void list_calls(struct visit *visit)
{
	const struct bw_pipeline *pipeline = visit->pipeline;
	struct named *named = BW_NEW_ARRAY(struct named, pipeline->n_funcs);
	int n = 0;
	for (int f = 0; f < pipeline->n_funcs; f++) {
		named[f] = (struct named){pipeline->funcs[f].name, f};
		for (int c = 0; c < pipeline->funcs[f].n_consumers; c++)
			visit->first[pipeline->funcs[f].consumers[c]->func + 1]++;
		n += pipeline->funcs[f].n_consumers;
	}
	qsort(named, (size_t)pipeline->n_funcs, sizeof *named, by_name);
	for (int f = 0; f < pipeline->n_funcs; f++) {
		visit->first[f + 1] += visit->first[f];
		visit->next[f] = visit->first[f];
	}
	visit->calls = BW_NEW_ARRAY(int, n);
	for (int k = 0; k < pipeline->n_funcs; k++) {
		const struct bw_func *producer = &pipeline->funcs[named[k].func];
		for (int c = 0; c < producer->n_consumers; c++)
			visit->calls[visit->next[producer->consumers[c]->func]++] = named[k].func;
	}
	free(named);
}

static void visit_from(struct visit *visit, int output)
{
	int depth = 0;
	visit->path[depth++] = output;
	visit->next[output] = visit->first[output];
	while (depth) {
		int f = visit->path[depth - 1];
		while (visit->next[f] < visit->first[f + 1] && visit->place[visit->calls[visit->next[f]]])
			visit->next[f]++;
		if (visit->next[f] < visit->first[f + 1]) {
			int callee = visit->calls[visit->next[f]];
			visit->next[callee] = visit->first[callee];
			visit->path[depth++] = callee;
			continue;
		}
		visit->order[visit->n++] = f;
		visit->place[f] = visit->n;
		depth--;
	}
}

static void take_back(struct visit *visit, int n)
{
	while (visit->n > n)
		visit->place[visit->order[--visit->n]] = 0;
}

/* Returns true if all Funcs of lower handle are visited. Handles are positions in that order, for
 * Funcs that are not wrappers made by the user. */
static bool nothing_left_out(const struct visit *visit, int handle)
{
	for (int f = 0; f < visit->pipeline->n_funcs; f++)
		if (!visit->place[f] && visit->pipeline->funcs[f].handle >= 0 && visit->pipeline->funcs[f].handle < handle)
			return false;
	return true;
}

/* Returns the output of lowest handle above this one; -1 if there is none. */
static int next_output(const struct bw_pipeline *pipeline, int handle)
{
	int next = -1;
	for (int f = 0; f < pipeline->n_funcs; f++)
		if (pipeline->funcs[f].output && pipeline->funcs[f].handle > handle &&
		    (next < 0 || pipeline->funcs[f].handle < pipeline->funcs[next].handle))
			next = f;
	return next;
}

static void visit_outputs(struct visit *visit)
{
	for (int f = next_output(visit->pipeline, -1); f >= 0;
	     f = next_output(visit->pipeline, visit->pipeline->funcs[f].handle)) {
		int before = visit->n;
		if (visit->place[f])
			continue;
		visit_from(visit, f);
		if (!nothing_left_out(visit, visit->pipeline->funcs[f].handle))
			take_back(visit, before);
	}
	for (int f = 0; f < visit->pipeline->n_funcs; f++)
		if (!visit->place[f])
			visit_from(visit, f);
}

int *bw_realization_places(const struct bw_pipeline *pipeline)
{
	int n = pipeline->n_funcs;
	struct visit visit = {.pipeline = pipeline,
			      .first = BW_NEW_ARRAY(int, n + 1),
			      .next = BW_NEW_ARRAY(int, n),
			      .path = BW_NEW_ARRAY(int, n),
			      .place = BW_NEW_ARRAY(int, n),
			      .order = BW_NEW_ARRAY(int, n)};
	list_calls(&visit);
	visit_outputs(&visit);
	free(visit.first);
	free(visit.calls);
	free(visit.next);
	free(visit.path);
	free(visit.order);
	return visit.place;
}
