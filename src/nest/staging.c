/* Decides which loads of a stage are staged in registers, and counts the remaining loads. */
#include "nest/staging.h"

#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "nest/nest_private.h"
#include "nest/parity.h"
#include "nest/proof.h"

/* The demand of a stage on one Func, directly or through inlined Funcs. */
struct demand {
	int func;
	struct demand *next; /* has a lower index */
	double calls;        /* loads per point */
	bool bounded, boxed;
	/* the box does not have the same size in every pass; not examined if a pass is a point */
	bool varies;
	bool scattered; /* some address does not follow from the loops alone */
	struct bw_interval *point, *pass; /* by dimension; the same array if a pass is a point */
	uint64_t *moved; /* by dimension: the loops of the stage that may change it, as bits */
	struct bw_track *tracks;          /* by loop of the stage */
	struct bw_known *known;           /* of an inlined Func's coordinates; NULL: nothing is asked */
};

/* A caller, the stage or an inlined Func, with what its loops cover in a point (or a vector) and in a
 * pass. */
struct caller {
	const struct bw_stage *stage;
	double calls;
	bool bounded, varies, scattered;
	const struct bw_interval *point, *pass; /* by loop */
	const uint64_t *moved;                  /* by loop */
	const struct bw_track *tracks;
	const struct bw_known *known; /* by loop; NULL: nothing is asked */
};

struct walk {
	const struct bw_nest *nest;
	const struct bw_stage *stage;
	struct bw_arena *arena;
	struct demand *first;
	struct demand *at; /* whose Func is gone through: what it reads comes behind; NULL: the stage */
	int n;
	bool single;         /* a pass is a point, or a vector */
	bool keeps;          /* nothing is stored between the points of a pass */
	double vector;       /* points of a vector */
	const struct bw_interval *loops; /* of the stage, what they cover in a pass */
	struct bw_site site; /* of a pass */
	double points;       /* of a pass */
	int64_t registers;   /* staged so far */
};

static struct demand *find(const struct walk *walk, int func)
{
	for (struct demand *demand = walk->first; demand && demand->func >= func; demand = demand->next)
		if (demand->func == func)
			return demand;
	return NULL;
}

static struct demand *demand_on(struct walk *walk, int func)
{
	struct demand **at = walk->at ? &walk->at->next : &walk->first;
	while (*at && (*at)->func > func)
		at = &(*at)->next;
	if (*at && (*at)->func == func)
		return *at;
	struct demand *demand = BW_ARENA_NEW(walk->arena, struct demand);
	int n_dims = walk->nest->pipeline->funcs[func].n_dims;
	demand->point = demand->pass =
	    BW_ARENA_ARRAY(walk->arena, struct bw_interval, (walk->single ? 1 : 2) * n_dims + 1);
	if (!walk->single) {
		demand->pass += n_dims;
		demand->tracks = BW_ARENA_ARRAY(walk->arena, struct bw_track, n_dims + 1);
	}
	demand->moved = BW_ARENA_ARRAY(walk->arena, uint64_t, n_dims + 1);
	demand->func = func;
	if (walk->nest->pipeline->parities) {
		demand->known = BW_ARENA_ARRAY(walk->arena, struct bw_known, n_dims + 1);
		for (int d = 0; d < n_dims; d++)
			demand->known[d] = bw_known_nothing();
	}
	demand->next = *at;
	demand->bounded = true;
	walk->n++;
	return *at = demand;
}

static void follow(struct demand *demand, const struct caller *caller, const struct bw_read *read, int n_dims)
{
	demand->varies |= caller->varies || read->touched != read->box;
	for (int d = 0; d < n_dims && !demand->varies; d++) {
		struct bw_track track, *known = &demand->tracks[d];
		demand->varies |= !bw_track_of(&read->box[d], caller->tracks, &track);
		demand->varies |= demand->boxed && (track.multiplier != known->multiplier ||
						    (track.multiplier && track.of != known->of));
		*known = track;
	}
}

/* Adds the loops that may change what a load reads. */
static void move(struct demand *demand, const struct caller *caller, const struct bw_jacobian *load)
{
	for (int d = 0; d < load->n_dims; d++)
		for (int l = 0; l < load->n_loops; l++) {
			struct bw_ratio entry = load->entries[d * load->n_loops + l];
			demand->scattered |= !entry.den;
			demand->moved[d] |= !entry.den || entry.num ? caller->moved[l] : 0;
		}
	demand->scattered |= caller->scattered;
}

/* Adds what a share of the caller's points reads. */
static void add_read(struct walk *walk, const struct caller *caller, const struct bw_read *read, double share)
{
	int n_dims = walk->nest->pipeline->funcs[read->producer].n_dims;
	struct demand *demand = demand_on(walk, read->producer);
	struct bw_interval point[BW_MAX_DIMS], pass[BW_MAX_DIMS];
	double loads = 0;
	for (int i = 0; i < read->n_loads; i++) {
		loads += read->loads[i].count * share;
		move(demand, caller, &read->loads[i]);
		if (demand->known)
			bw_known_add(&read->loads[i], caller->known, demand->known);
	}
	demand->calls = fmin(BW_MOST_CALLS, demand->calls + loads * caller->calls);
	if (!read->bounded || !caller->bounded || !bw_read_box(read, n_dims, caller->point, point) ||
	    (!walk->single && !bw_read_box(read, n_dims, caller->pass, pass))) {
		demand->bounded = false;
		return;
	}
	bw_box_include(demand->point, point, n_dims, !demand->boxed);
	if (!walk->single) {
		follow(demand, caller, read, n_dims);
		bw_box_include(demand->pass, pass, n_dims, !demand->boxed);
	}
	demand->boxed = true;
}

/* Adds what the classes of a caller's points read. */
static void add_reads(struct walk *walk, const struct caller *caller)
{
	struct bw_class classes[BW_MAX_CLASSES];
	for (int n = bw_stage_classes(caller->stage, caller->known, classes), k = 0; k < n; k++)
		for (int r = 0; r < classes[k].stage->n_reads; r++)
			add_read(walk, caller, &classes[k].stage->reads[r], classes[k].share);
}

/* Adds the demands of an inlined Func on the Funcs that it reads. Its loops are its dimensions. */
static void go_through(struct walk *walk, const struct demand *demand)
{
	const struct bw_stage *body = &walk->nest->pipeline->funcs[demand->func].stages[0];
	struct bw_interval point[BW_MAX_LOOPS], pass[BW_MAX_LOOPS];
	struct bw_track tracks[BW_MAX_LOOPS];
	uint64_t moved[BW_MAX_LOOPS];
	struct caller caller = {body,
				demand->calls,
				demand->bounded && demand->boxed,
				demand->varies,
				demand->scattered,
				point,
				pass,
				moved,
				tracks,
				NULL};
	for (int l = 0; l < body->n_loops; l++)
		moved[l] = body->loops[l].pure ? demand->moved[body->loops[l].dim] : 0;
	caller.bounded = caller.bounded && bw_stage_loops_of(body, demand->point, point) &&
			 (walk->single || bw_stage_loops_of(body, demand->pass, pass));
	for (int l = 0; l < body->n_loops && caller.bounded && !walk->single; l++)
		caller.varies |= !body->loops[l].pure || !bw_track_of(&body->loops[l].bound, demand->tracks, &tracks[l]);
	struct bw_known known[BW_MAX_LOOPS];
	if (demand->known) {
		bw_known_inlined(body, demand->known, demand->boxed ? demand->pass : NULL, known);
		caller.known = known;
	}
	add_reads(walk, &caller);
}

/* Finds the level of a pass, and the intervals of the stage's loops in one pass. If all loops are
 * unrolled, a pass covers everything that is computed at the stage's site. */
static bool find_pass(struct walk *walk, struct bw_interval *loops)
{
	const struct bw_stage *of = walk->stage;
	const struct bw_placed *placed = walk->nest->placed[of->func];
	const struct bw_placed_stage *own = &placed->stages[of->index];
	int outside = placed->placement->stages[of->index].n_loops;
	while (outside > 0 && bw_stage_copies(&placed->placement->stages[of->index], own, outside - 1))
		outside--;
	bool known = bw_stage_loops_of(of, placed->regions[0].computed, loops);
	walk->site = placed->placement->compute;
	for (int i = 0; i < own->n_levels && outside > 0; i++) {
		const struct bw_own_level *level = &own->levels[i];
		if (level->piece != outside - 1)
			continue;
		walk->site = (struct bw_site){BW_SITE_AT, of->func, of->index, bw_level_role(level->level),
					      bw_level_serial(level->level)};
		memcpy(loops, level->loops, (size_t)of->n_loops * sizeof *loops);
		known = true;
	}
	walk->points = (double)bw_max(own->unrolled, 1);
	return known;
}

/* Finds what the stage's loops cover in the first vector of a pass, or its first point. */
static void find_vector(struct walk *walk, const struct bw_interval *pass, struct bw_interval *vector)
{
	const struct bw_stage *of = walk->stage;
	const struct bw_placed *placed = walk->nest->placed[of->func];
	const struct bw_stage_plan *plan = &placed->placement->stages[of->index];
	walk->vector = 1;
	for (int l = 0; l < of->n_loops; l++)
		vector[l] = (struct bw_interval){pass[l].min, pass[l].min};
	for (int i = plan->n_loops - 1; i >= 0 && plan->loops[i].kind == BW_LOOP_VECTOR; i--) {
		struct bw_interval *loop = &vector[plan->loops[i].loop];
		int64_t extent = bw_interval_extent(loop) * bw_max(placed->stages[of->index].extents[i], 1);
		loop->max = bw_min(loop->min + extent - 1, pass[plan->loops[i].loop].max);
		walk->vector *= (double)placed->stages[of->index].extents[i];
	}
	walk->single = walk->points <= walk->vector;
}

static void ask(struct walk *walk)
{
	const struct bw_stage *of = walk->stage;
	struct bw_interval pass[BW_MAX_LOOPS] = {{0, 0}}, point[BW_MAX_LOOPS];
	struct bw_track tracks[BW_MAX_LOOPS];
	uint64_t moved[BW_MAX_LOOPS];
	bool known = find_pass(walk, pass);
	find_vector(walk, pass, point);
	for (int l = 0; l < of->n_loops; l++) {
		tracks[l] = (struct bw_track){l, 1};
		moved[l] = (uint64_t)1 << l;
	}
	struct bw_interval *loops = BW_ARENA_ARRAY(walk->arena, struct bw_interval, of->n_loops + 1);
	memcpy(loops, pass, (size_t)of->n_loops * sizeof *loops);
	walk->loops = loops;
	struct bw_known loops_known[BW_MAX_LOOPS];
	struct caller self = {of, 1, known, false, false, point, pass, moved, tracks, NULL};
	if (walk->nest->pipeline->parities) {
		bw_known_loops(walk->nest->pipeline, walk->nest->placed[of->func], of, false, loops_known);
		self.known = loops_known;
	}
	add_reads(walk, &self);
	for (walk->at = walk->first; walk->at; walk->at = walk->at->next)
		if (walk->at->func != of->func && bw_is_inlined(walk->nest, walk->at->func))
			go_through(walk, walk->at);
}

/* Returns true if a Func only passes on one value, perhaps from other coordinates: a copy of an input, or
 * its boundary condition. */
static bool hands_on(const struct bw_func *func)
{
	const struct bw_stage *body = &func->stages[0];
	return func->n_stages == 1 && body->n_reads == 1 && body->reads[0].n_loads == 1 &&
	       body->reads[0].loads[0].count == 1;
}

/* Returns the Func through which alone the stage reads `func`, if this Func is inlined and only passes on
 * the value. Returns -1 if there is none. */
static int handed_on_by(const struct walk *walk, int func)
{
	const struct bw_func *of = &walk->nest->pipeline->funcs[func];
	int by = -1;
	for (int c = 0; c < of->n_consumers; c++) {
		const struct bw_stage *consumer = of->consumers[c];
		bool mine = consumer == walk->stage ||
			    (bw_is_inlined(walk->nest, consumer->func) && find(walk, consumer->func));
		if (!mine)
			continue;
		if (by >= 0 || consumer == walk->stage || !hands_on(&walk->nest->pipeline->funcs[consumer->func]))
			return -1;
		by = consumer->func;
	}
	return by;
}

/* Finds the Funcs whose calls of staging->func are made for this stage alone. */
static enum bw_staging_verdict find_readers(const struct walk *walk, struct bw_staging *staging)
{
	const struct bw_func *of = &walk->nest->pipeline->funcs[staging->func];
	int *readers = BW_ARENA_ARRAY(walk->arena, int, of->n_consumers + 1);
	int n = 0;
	for (int c = of->n_consumers - 1; c >= 0; c--) {
		const struct bw_stage *consumer = of->consumers[c];
		if (consumer == walk->stage) {
			readers[n++] = consumer->func;
			continue;
		}
		if (consumer->func == walk->stage->func)
			return BW_STAGING_STAGES;
		if (!bw_is_inlined(walk->nest, consumer->func) || !find(walk, consumer->func))
			continue;
		const struct bw_placed *placed = walk->nest->placed[consumer->func];
		if (placed->sole_func != walk->stage->func || placed->sole_stage != walk->stage->index) {
			staging->named = consumer->func;
			return BW_STAGING_CHAIN;
		}
		readers[n++] = consumer->func;
	}
	staging->readers = readers;
	staging->n_readers = n;
	return BW_STAGING_STAGED;
}

static int64_t registers_of(const struct bw_func *func)
{
	int64_t registers = 0;
	for (int v = 0; v < func->n_values; v++)
		registers += (bw_type_bytes(func->types[v]) + 3) / 4;
	return registers;
}

static bool is_shared(const struct bw_nest *nest, int func)
{
	return nest->placed[func] && nest->placed[func]->memory == BW_MEMORY_SHARED;
}

/* Returns true if the compiler itself keeps the values that the stage loads from shared memory: it
 * does unless the stage stores to shared memory. */
static bool compiler_keeps(const struct walk *walk, int producer)
{
	return is_shared(walk->nest, producer) && !is_shared(walk->nest, walk->stage->func);
}

/* Chooses the Func to wrap: the producer, or the nearest Func that passes on its values and has a box of
 * constant size. */
static enum bw_staging_verdict find_wrapped(const struct walk *walk, struct bw_staging *staging,
					    const struct demand **demand)
{
	const struct bw_func *funcs = walk->nest->pipeline->funcs;
	int func = staging->producer;
	if (funcs[func].input)
		func = handed_on_by(walk, func);
	if (func < 0)
		return BW_STAGING_INPUT;
	staging->func = func;
	for (int next = func; next >= 0 && (*demand)->varies; next = handed_on_by(walk, next))
		*demand = find(walk, staging->func = next);
	if ((*demand)->varies)
		*demand = find(walk, staging->func = func);
	return (*demand)->varies || !(*demand)->bounded ? BW_STAGING_EXTENTS : BW_STAGING_STAGED;
}

/* Sets the figures that follow from the boxes of a demand. */
static void fill_loads(const struct walk *walk, const struct demand *demand, struct bw_staging *staging)
{
	const struct bw_func *func = &walk->nest->pipeline->funcs[demand->func];
	staging->before = staging->after = demand->calls * walk->points;
	staging->bytes = 0;
	if (!demand->bounded || !demand->boxed)
		return;
	double point = bw_box_points(demand->point, func->n_dims) * func->n_values;
	staging->before = fmin(demand->calls * walk->vector, point) * walk->points / walk->vector;
	staging->after = bw_box_points(demand->pass, func->n_dims) * func->n_values;
	staging->bytes = bw_capped(staging->after / func->n_values * func->bytes);
}

/* Returns true if the lanes of a warp run a pass together, so that the pass is not private to a thread. */
static bool is_in_warp(const struct walk *walk)
{
	const struct bw_placed *host = walk->nest->placed[walk->site.func];
	const struct bw_stage_plan *plan = &host->placement->stages[walk->site.stage];
	for (int i = bw_placed_own_level(host, bw_level_of_site(&walk->site))->piece + 1; i < plan->n_loops; i++)
		if (plan->loops[i].kind == BW_LOOP_LANE)
			return true;
	return false;
}

/* Returns the loads of a pass if the compiler makes equal loads once. It sees that loads are equal if
 * their addresses follow from the loops; of other loads, only if no loop of the pass changes them. */
static double kept_loads(const struct walk *walk, const struct demand *demand,
			 const struct bw_staging *staging)
{
	uint64_t moved = 0;
	double loads = demand->calls;
	if (!demand->scattered)
		return staging->after;
	for (int d = 0; d < walk->nest->pipeline->funcs[demand->func].n_dims; d++)
		moved |= demand->moved[d];
	for (int l = 0; l < walk->stage->n_loops; l++)
		if (moved >> l & 1)
			loads *= fmax(1, (double)bw_interval_extent(&walk->loops[l]));
	return fmin(loads, staging->before);
}

/* Sets the verdict on a producer whose values a wrapper could load once. */
static enum bw_staging_verdict judge_wrapper(struct walk *walk, const struct demand *demand,
					     struct bw_staging *staging)
{
	if (walk->vector > 1)
		return BW_STAGING_VECTORS;
	if (walk->site.kind != BW_SITE_AT || !bw_nest_inside_threads(walk->nest, &walk->site) || is_in_warp(walk))
		return BW_STAGING_THREADS;
	enum bw_staging_verdict verdict = find_wrapped(walk, staging, &demand);
	if (verdict != BW_STAGING_STAGED)
		return verdict;
	fill_loads(walk, demand, staging);
	if (staging->after >= staging->before)
		return BW_STAGING_ONCE;
	verdict = find_readers(walk, staging);
	if (verdict != BW_STAGING_STAGED)
		return verdict;
	const struct bw_func *func = &walk->nest->pipeline->funcs[staging->func];
	int64_t *extents = BW_ARENA_ARRAY(walk->arena, int64_t, func->n_dims + 1);
	for (int d = 0; d < func->n_dims; d++)
		extents[d] = bw_interval_extent(&demand->pass[d]);
	if (bw_prove_pass(walk->nest, walk->stage, &walk->site, staging->func, extents) == BW_PROOF_NONE)
		return BW_STAGING_GUARD;
	double registers = staging->after / func->n_values * (double)registers_of(func);
	if (registers + (double)walk->registers > BW_STAGING_MOST_REGISTERS)
		return BW_STAGING_REGISTERS;
	if (walk->nest->unstaged)
		return BW_STAGING_OFF;
	staging->extents = extents;
	walk->registers += (int64_t)registers;
	staging->site = walk->site;
	return BW_STAGING_STAGED;
}

static enum bw_staging_verdict judge(struct walk *walk, const struct demand *demand,
				     struct bw_staging *staging)
{
	fill_loads(walk, demand, staging);
	if (demand->func == walk->stage->func)
		return BW_STAGING_SELF;
	if (staging->after >= staging->before)
		return BW_STAGING_ONCE;
	double kept = kept_loads(walk, demand, staging);
	bool keeps = compiler_keeps(walk, demand->func);
	enum bw_staging_verdict verdict = keeps ? BW_STAGING_ONCE : judge_wrapper(walk, demand, staging);
	if (verdict == BW_STAGING_STAGED || !(keeps || walk->keeps) || kept >= staging->before)
		return verdict;
	staging->func = staging->named = -1;
	fill_loads(walk, demand, staging);
	staging->after = kept;
	return BW_STAGING_KEPT;
}

/* Returns true if a Func is loaded from memory: values that a thread has computed itself are in
 * registers already. */
static bool is_loaded(const struct walk *walk, const struct demand *demand)
{
	const struct bw_placed *placed = walk->nest->placed[demand->func];
	bool own = placed && (placed->memory == BW_MEMORY_REGISTERS || placed->memory == BW_MEMORY_STACK);
	return demand->calls > 0 && !bw_is_inlined(walk->nest, demand->func) &&
	       (!own || demand->func == walk->stage->func);
}

struct bw_stagings bw_nest_stagings(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena)
{
	struct walk walk = {.nest = nest, .stage = &nest->pipeline->funcs[func].stages[stage], .arena = arena};
	ask(&walk);
	enum bw_memory memory = nest->placed[func]->memory;
	bool shares = false;
	for (const struct demand *demand = walk.first; demand; demand = demand->next)
		shares |= demand->func != func && demand->calls > 0 && is_shared(nest, demand->func);
	double kept = bw_stage_kept(nest, walk.stage, shares);
	walk.keeps = kept > 1 || memory == BW_MEMORY_REGISTERS || memory == BW_MEMORY_STACK;
	struct bw_staging *list = BW_ARENA_ARRAY(arena, struct bw_staging, walk.n + 1);
	int n = 0;
	for (const struct demand *demand = walk.first; demand; demand = demand->next) {
		if (!is_loaded(&walk, demand))
			continue;
		list[n] = (struct bw_staging){.producer = demand->func, .named = -1, .func = -1};
		list[n].verdict = judge(&walk, demand, &list[n]);
		n++;
	}
	return (struct bw_stagings){n, list, kept};
}

double bw_staging_loads(const struct bw_staging *staging)
{
	bool once = staging->verdict == BW_STAGING_STAGED || staging->verdict == BW_STAGING_KEPT;
	return once ? staging->after : staging->before;
}

const struct bw_staging *bw_stagings_of(const struct bw_stagings *stagings, int producer)
{
	for (int i = 0; i < stagings->n; i++)
		if (stagings->list[i].producer == producer)
			return &stagings->list[i];
	return NULL;
}

BW_WORDS(bw_staging_name, enum bw_staging_verdict, BW_STAGING_TABLE(BW_SECOND))

void bw_staging_words(const struct bw_pipeline *pipeline, const struct bw_staging *staging,
		      struct bw_text *out)
{
	const struct bw_func *funcs = pipeline->funcs;
	if (staging->verdict == BW_STAGING_STAGED) {
		bw_text_printf(out, "%s %s in registers: %.0f loads a thread in place of %.0f, %lld bytes",
			       funcs[staging->func].name, bw_staging_name(staging->verdict), staging->after,
			       staging->before, (long long)staging->bytes);
		return;
	}
	bw_text_printf(out, "%s not staged: %s", funcs[staging->producer].name, bw_staging_name(staging->verdict));
	if (staging->named >= 0)
		bw_text_printf(out, ", %s is inlined elsewhere too", funcs[staging->named].name);
	if (staging->before > staging->after)
		bw_text_printf(out, " (%.0f loads of %.0f values a thread)", staging->before, staging->after);
}
