/* Facts that follow from the pipeline alone: which Funcs must not be computed beyond what is
 * required, and for which Funcs the size of a region is known without visiting every iteration. */
#include <string.h>

#include "base/arith.h"
#include "nest/nest_private.h"

/* The order in which Halide realizes Funcs that are computed in the same loop, and so takes their
 * memory (RealizationOrder.cpp of Halide 14 to 21): depth first from the outputs, and the Funcs
 * that one Func calls in the order of their names. The Funcs of a description stand in another
 * order, which does not depend on names. */

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

BW_ORDER(by_name, struct named, strcmp(a->name, b->name))

/* Lists the calls of each Func. All producers are visited by name, so each list is sorted by
 * name. */
static void list_calls(struct visit *visit)
{
	const struct bw_pipeline *pipeline = visit->pipeline;
	BW_SCOPED_MEMORY struct named *named = BW_NEW_ARRAY(struct named, pipeline->n_funcs);
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

/* Returns the output with the lowest handle above this one. Returns -1 if there is none. */
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

/* Returns the places of `realized`, counted from 1, inputs included. The caller frees the array. */
static int *realization_places(const struct bw_pipeline *pipeline)
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

/* Returns true if the generator fixes the computed extent of a dimension (Func::bound), so that
 * nothing that is required can widen it. */
static bool is_fixed(const struct bw_func *func, int d)
{
	const struct bw_bound *computed = &func->computed[d];
	return !bw_expr_unbounded(computed->min) && !bw_expr_unbounded(computed->max) &&
	       !bw_expr_variables(computed->min) && !bw_expr_variables(computed->max);
}

/* Returns true if the box exceeds the known extent of a Func: the estimate of an input or output,
 * whose buffer holds no more, or the extent that the generator fixes, beyond which Halide refuses
 * to compute. */
static bool leaves(const struct bw_func *func, const struct bw_interval *box)
{
	for (int d = 0; d < func->n_dims; d++) {
		struct bw_interval holds = func->input || func->output ? func->estimate[d] : box[d];
		if (!func->input && is_fixed(func, d))
			bw_bound_eval(&func->computed[d], box, &holds);
		if (box[d].min < holds.min || box[d].max > holds.max)
			return true;
	}
	return false;
}

/* Adds the boxes that the stages of a Func read, when they compute the given box, to the boxes of its
 * producers (BW_MAX_DIMS per Func; `known` says which boxes are set). Returns false if a bound is not
 * known or a box exceeds the known extent of its Func. */
static bool add_reads(const struct bw_pipeline *pipeline, int f, struct bw_interval *boxes, bool *known)
{
	const struct bw_func *func = &pipeline->funcs[f];
	struct bw_interval computed[BW_MAX_DIMS], loops[BW_MAX_LOOPS], box[BW_MAX_DIMS];
	if (!bw_computed_box(func, &boxes[f * BW_MAX_DIMS], computed))
		return false;
	for (int s = 0; s < func->n_stages; s++) {
		const struct bw_stage *stage = &func->stages[s];
		if (!bw_stage_loops_of(stage, computed, loops))
			return false;
		for (int r = 0; r < stage->n_reads; r++) {
			const struct bw_func *producer = &pipeline->funcs[stage->reads[r].producer];
			int p = stage->reads[r].producer;
			if (p == f)
				continue;
			if (!bw_read_box(&stage->reads[r], producer->n_dims, loops, box))
				return false;
			if (leaves(producer, box))
				return false;
			bw_box_include(&boxes[p * BW_MAX_DIMS], box, producer->n_dims, !known[p]);
			known[p] = true;
		}
	}
	return true;
}

/* Far beyond any image. */
static const struct bw_interval far_away = {-(1 << 24), 1 << 24};

static bool goes_far_away(const struct bw_interval *box, int n_dims)
{
	for (int d = 0; d < n_dims; d++)
		if (box[d].min > far_away.min || box[d].max < far_away.max)
			return false;
	return true;
}

/* Returns true if computing this box of a Func would read an input, an output or a Func of a fixed
 * region out of bounds. `overruns` says of which Funcs before it that is known of a region far away; NULL:
 * of none. */
static bool reads_beyond(const struct bw_pipeline *pipeline, int f, const struct bw_interval *box,
			 const bool *overruns)
{
	BW_SCOPED_MEMORY struct bw_interval *boxes =
	    BW_NEW_ARRAY(struct bw_interval, pipeline->n_funcs * BW_MAX_DIMS);
	bool *known = BW_NEW_ARRAY(bool, pipeline->n_funcs), within = true;
	memcpy(&boxes[f * BW_MAX_DIMS], box, (size_t)pipeline->funcs[f].n_dims * sizeof *box);
	known[f] = true;
	for (int g = f; g >= 0 && within; g--)
		if (known[g] && !pipeline->funcs[g].input)
			within = !(overruns && g < f && overruns[g] &&
				   goes_far_away(&boxes[g * BW_MAX_DIMS], pipeline->funcs[g].n_dims)) &&
				 add_reads(pipeline, g, boxes, known);
	free(known);
	return !within;
}

/* Returns true if computing more of a Func would read an input, an output or a Func of a fixed
 * region out of bounds, given which Funcs before it do. */
static bool overruns(const struct bw_pipeline *pipeline, int f, const bool *before)
{
	struct bw_interval box[BW_MAX_DIMS];
	for (int d = 0; d < pipeline->funcs[f].n_dims; d++) {
		if (!pipeline->funcs[f].input && is_fixed(&pipeline->funcs[f], d))
			return true;
		box[d] = far_away;
	}
	return reads_beyond(pipeline, f, box, before);
}

bool bw_overruns_along(const struct bw_pipeline *pipeline, int f, const struct bw_interval *computed,
		       int dim)
{
	struct bw_interval box[BW_MAX_DIMS];
	memcpy(box, computed, (size_t)pipeline->funcs[f].n_dims * sizeof *box);
	box[dim] = far_away;
	return is_fixed(&pipeline->funcs[f], dim) || reads_beyond(pipeline, f, box, NULL);
}

/* Returns true if both ends are affine. An end with a parameter is not: its value is unknown at
 * compile time. */
static bool ends_of(const struct bw_bound *bound, struct bw_affine *low, struct bw_affine *high)
{
	return bw_expr_affine(bound->min, low) && bw_expr_affine(bound->max, high) &&
	       !bw_expr_parametric(bound->min) && !bw_expr_parametric(bound->max);
}

static bool affine_bounds(const struct bw_bound *bounds, int n)
{
	struct bw_affine low, high;
	for (int i = 0; i < n; i++)
		if (!ends_of(&bounds[i], &low, &high))
			return false;
	return true;
}

/* Returns true if the computed box of Func f is affine, given which of its consumers' are. It is
 * not if a predicate narrows it, if a reduction's loops widen it, or if it must contain a fixed
 * position: then Halide finds no bound on the extents of what is computed inside, moves it to
 * global memory, and may allocate less there than is written. */
static bool is_affine(const struct bw_pipeline *pipeline, const bool *known, int f)
{
	const struct bw_func *func = &pipeline->funcs[f];
	if (!affine_bounds(func->computed, func->n_dims))
		return false;
	for (int c = 0; c < func->n_consumers; c++) {
		const struct bw_stage *stage = func->consumers[c];
		const struct bw_read *read = bw_stage_read_of(stage, f);
		if (!known[stage->func] || !read->bounded || read->touched != read->box ||
		    !affine_bounds(read->box, func->n_dims))
			return false;
		for (int l = 0; l < stage->n_loops; l++)
			if (!affine_bounds(&stage->loops[l].bound, 1))
				return false;
	}
	return true;
}

bool bw_track_of(const struct bw_bound *bound, const struct bw_track *tracks, struct bw_track *track)
{
	struct bw_affine low, high;
	*track = (struct bw_track){0, 0};
	if (!ends_of(bound, &low, &high))
		return false;
	if (low.variable < 0 || high.variable < 0)
		return low.variable < 0 && high.variable < 0;
	if (low.variable != high.variable || low.multiplier != high.multiplier || low.divisor != 1 ||
	    high.divisor != 1)
		return false;
	*track = tracks[low.variable];
	return !__builtin_mul_overflow(track->multiplier, low.multiplier, &track->multiplier);
}

static bool tracks_of(const struct bw_bound *bounds, int n, const struct bw_track *over,
		      struct bw_track *tracks)
{
	for (int i = 0; i < n; i++)
		if (!bw_track_of(&bounds[i], over, &tracks[i]))
			return false;
	return true;
}

/* Finds the tracks of what one stage reads of Func f. */
static bool tracks_of_read(const struct bw_pipeline *pipeline, const struct bw_stage *stage, int f,
			   const struct bw_track *consumer, struct bw_track *tracks)
{
	const struct bw_func *of = &pipeline->funcs[stage->func];
	struct bw_track computed[BW_MAX_DIMS], loops[BW_MAX_LOOPS];
	const struct bw_read *read = bw_stage_read_of(stage, f);
	if (!read->bounded || !tracks_of(of->computed, of->n_dims, consumer, computed))
		return false;
	for (int l = 0; l < stage->n_loops; l++)
		if (!bw_track_of(&stage->loops[l].bound, computed, &loops[l]))
			return false;
	return tracks_of(read->box, pipeline->funcs[f].n_dims, loops, tracks);
}

/* Returns true if the computed box of Func f has the same size in every iteration of its consumers' loops,
 * because all of them move it alike. `all` has BW_MAX_DIMS tracks per Func: those of the Funcs after f are
 * known, those of f are set. */
static bool is_rigid(const struct bw_pipeline *pipeline, const bool *rigid, int f, struct bw_track *all)
{
	const struct bw_func *func = &pipeline->funcs[f];
	struct bw_track *mine = &all[f * BW_MAX_DIMS];
	for (int c = 0; c < func->n_consumers; c++) {
		const struct bw_stage *stage = func->consumers[c];
		struct bw_track tracks[BW_MAX_DIMS];
		if (!rigid[stage->func] || !tracks_of_read(pipeline, stage, f, &all[stage->func * BW_MAX_DIMS], tracks))
			return false;
		for (int d = 0; d < func->n_dims; d++) {
			if (c > 0 && (tracks[d].of != mine[d].of || tracks[d].multiplier != mine[d].multiplier))
				return false;
			mine[d] = tracks[d];
		}
	}
	for (int d = 0; d < func->n_dims; d++)
		for (int e = 0; e < d && func->n_consumers; e++)
			if (mine[d].multiplier && mine[e].multiplier && mine[d].of == mine[e].of)
				return false;
	for (int d = 0; d < func->n_dims; d++)
		if (!func->n_consumers || !mine[d].multiplier)
			mine[d] = (struct bw_track){func->n_consumers ? f * BW_MAX_DIMS + d : d - BW_MAX_DIMS, 1};
	struct bw_track computed[BW_MAX_DIMS];
	return tracks_of(func->computed, func->n_dims, mine, computed);
}

/* Returns the number of rounding divisions in an end of a bound, plus those in the intervals that the end
 * depends on. */
static int floors_of_bound(const struct bw_bound *bound, const int *over)
{
	struct bw_affine low, high;
	if (!ends_of(bound, &low, &high))
		return 0;
	int least = low.variable < 0 ? 0 : over[low.variable] + (low.divisor != 1),
	    most = high.variable < 0 ? 0 : over[high.variable] + (high.divisor != 1);
	return least > most ? least : most;
}

/* Sets the divisions of the dimensions of Func f. `all` has BW_MAX_DIMS entries per Func: those of
 * the Funcs after f are known. */
static void count_floors(const struct bw_pipeline *pipeline, int f, int *all)
{
	const struct bw_func *func = &pipeline->funcs[f];
	int computed[BW_MAX_DIMS], loops[BW_MAX_LOOPS];
	for (int c = 0; c < func->n_consumers; c++) {
		const struct bw_stage *stage = func->consumers[c];
		const struct bw_func *of = &pipeline->funcs[stage->func];
		const struct bw_read *read = bw_stage_read_of(stage, f);
		for (int d = 0; d < of->n_dims; d++)
			computed[d] = floors_of_bound(&of->computed[d], &all[stage->func * BW_MAX_DIMS]);
		for (int l = 0; l < stage->n_loops; l++)
			loops[l] = floors_of_bound(&stage->loops[l].bound, computed);
		for (int d = 0; read->bounded && d < func->n_dims; d++) {
			int floors = floors_of_bound(&read->box[d], loops), *most = &all[f * BW_MAX_DIMS + d];
			*most = floors > *most ? floors : *most;
		}
	}
}

/* Returns the larger divisor of the ends of these bounds, at most `most`. */
static int64_t divisor_of(const struct bw_bound *bounds, int n, int64_t most)
{
	struct bw_affine low, high;
	for (int i = 0; i < n; i++)
		if (ends_of(&bounds[i], &low, &high))
			most = bw_max(most, bw_max(low.divisor, high.divisor));
	return most;
}

/* Finds the Funcs whose box is affine in the loops of a host, without a division. A Func that other
 * Funcs outside of the host also read is not computed inside of it, and does not count. */
static void find_affine_in(const struct bw_pipeline *pipeline, int host, bool *affine)
{
	affine[host] = true;
	for (int f = host - 1; f >= 0; f--) {
		const struct bw_func *func = &pipeline->funcs[f];
		affine[f] = !func->input && func->n_consumers && is_affine(pipeline, affine, f);
		for (int c = 0; c < func->n_consumers && affine[f]; c++)
			affine[f] = divisor_of(bw_stage_read_of(func->consumers[c], f)->box, func->n_dims, 1) == 1;
	}
}

/* Returns the period of a Func, given the periods of its consumers. Consumers of period 0 do not count. If
 * all have period 0, returns 0. */
static int period_of(const struct bw_pipeline *pipeline, const int *periods, int f)
{
	const struct bw_func *func = &pipeline->funcs[f];
	int64_t period = 1;
	bool any = !func->n_consumers;
	for (int c = 0; c < func->n_consumers; c++) {
		const struct bw_stage *stage = func->consumers[c];
		const struct bw_read *read = bw_stage_read_of(stage, f);
		if (!periods[stage->func])
			continue;
		any = true;
		period =
		    bw_max(period, bw_min(BW_MOST_PERIOD,
					  periods[stage->func] *
					      (read->bounded ? divisor_of(read->box, func->n_dims, 1) : 1)));
	}
	return any ? (int)period : 0;
}

/* Sets the periods from the loops of a host on. All must be 0 before. */
static void find_periods_in(const struct bw_pipeline *pipeline, int host, int *periods)
{
	periods[host] = 1;
	for (int f = host - 1; f >= 0; f--)
		periods[f] = period_of(pipeline, periods, f);
}

/* Returns true if Halide knows both ends of a bound, given the variables that it knows. */
static bool is_known(const struct bw_bound *bound, uint32_t known)
{
	return !bw_expr_unbounded(bound->min) && !bw_expr_unbounded(bound->max) &&
	       !bw_expr_parametric(bound->min) && !bw_expr_parametric(bound->max) &&
	       !((bw_expr_variables(bound->min) | bw_expr_variables(bound->max)) & ~known);
}

/* Returns the dimensions of Func f whose computed region is constant, given the constant dimensions of its
 * consumers. */
static uint32_t constant_of(const struct bw_pipeline *pipeline, const uint32_t *constant, int f)
{
	const struct bw_func *func = &pipeline->funcs[f];
	uint32_t required = func->output ? func->fixed : UINT32_MAX, computed = 0;
	for (int c = 0; c < func->n_consumers; c++) {
		const struct bw_stage *stage = func->consumers[c];
		const struct bw_read *read = bw_stage_read_of(stage, f);
		uint32_t loops = 0;
		for (int l = 0; l < stage->n_loops; l++)
			loops |= (uint32_t)is_known(&stage->loops[l].bound, constant[stage->func]) << l;
		for (int d = 0; d < func->n_dims; d++)
			if (!read->bounded || !is_known(&read->box[d], loops))
				required &= ~((uint32_t)1 << d);
	}
	for (int d = 0; d < func->n_dims; d++)
		computed |= (uint32_t)is_known(&func->computed[d], required) << d;
	return computed;
}

const struct bw_nest_facts *bw_nest_facts_make(const struct bw_pipeline *pipeline)
{
	struct bw_nest_facts *facts = BW_NEW(struct bw_nest_facts);
	facts->references = 1;
	facts->overruns = BW_NEW_ARRAY(bool, pipeline->n_funcs);
	facts->rigid = BW_NEW_ARRAY(bool, pipeline->n_funcs);
	facts->affine = BW_NEW_ARRAY(bool, pipeline->n_funcs);
	facts->constant = BW_NEW_ARRAY(uint32_t, pipeline->n_funcs);
	facts->floors = BW_NEW_ARRAY(int, pipeline->n_funcs * BW_MAX_DIMS);
	facts->periods = BW_NEW_ARRAY(int, pipeline->n_funcs);
	facts->n_stages = pipeline->n_stages;
	facts->hosts = BW_NEW_ARRAY(struct bw_host_facts, pipeline->n_stages);
	facts->realized = realization_places(pipeline);
	BW_SCOPED_MEMORY struct bw_track *tracks =
	    BW_NEW_ARRAY(struct bw_track, pipeline->n_funcs * BW_MAX_DIMS);
	for (int f = pipeline->n_funcs - 1; f >= 0; f--) {
		if (pipeline->funcs[f].input)
			continue;
		facts->rigid[f] = is_rigid(pipeline, facts->rigid, f, tracks);
		facts->affine[f] = is_affine(pipeline, facts->affine, f);
		facts->constant[f] = constant_of(pipeline, facts->constant, f);
		count_floors(pipeline, f, facts->floors);
		facts->periods[f] = period_of(pipeline, facts->periods, f);
	}
	for (int f = 0; f < pipeline->n_funcs; f++)
		facts->overruns[f] = overruns(pipeline, f, facts->overruns);
	return facts;
}

static struct bw_host_facts *host_facts(const struct bw_nest *nest, int host, int stage)
{
	return &nest->facts->hosts[nest->pipeline->funcs[host].first_stage + stage];
}

bool bw_affine_in(const struct bw_nest *nest, int host, int func)
{
	struct bw_host_facts *facts = host_facts(nest, host, 0);
	if (!facts->affine) {
		facts->affine = BW_NEW_ARRAY(bool, nest->pipeline->n_funcs);
		find_affine_in(nest->pipeline, host, facts->affine);
	}
	return facts->affine[func];
}

int bw_period_in(const struct bw_nest *nest, int host, int func)
{
	struct bw_host_facts *facts = host_facts(nest, host, 0);
	if (!facts->periods) {
		facts->periods = BW_NEW_ARRAY(int, nest->pipeline->n_funcs);
		find_periods_in(nest->pipeline, host, facts->periods);
	}
	return facts->periods[func];
}

const struct bw_moved *bw_moved_in(const struct bw_nest *nest, const struct bw_stage *host, int func)
{
	struct bw_host_facts *facts = host_facts(nest, host->func, host->index);
	if (!facts->moved) {
		facts->moved = BW_NEW_ARRAY(struct bw_moved, nest->pipeline->n_funcs);
		bw_moved_by(nest->pipeline, host, facts->moved);
	}
	return &facts->moved[func];
}

const struct bw_nest_facts *bw_nest_facts_keep(const struct bw_nest_facts *facts)
{
	((struct bw_nest_facts *)facts)->references++;
	return facts;
}

void bw_nest_facts_drop(const struct bw_nest_facts *facts)
{
	struct bw_nest_facts *mine = (struct bw_nest_facts *)facts;
	if (!mine || --mine->references)
		return;
	free(mine->overruns);
	free(mine->rigid);
	free(mine->affine);
	free(mine->constant);
	free(mine->floors);
	free(mine->periods);
	for (int s = 0; s < mine->n_stages; s++) {
		free(mine->hosts[s].affine);
		free(mine->hosts[s].periods);
		free(mine->hosts[s].moved);
	}
	free(mine->hosts);
	free(mine->realized);
	free(mine);
}
