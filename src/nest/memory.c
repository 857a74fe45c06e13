/* The memory of placed Funcs: the size of each Func's storage, and the layout of a block's shared memory. */
#include <string.h>

#include "base/arith.h"
#include "nest/nest_private.h"
#include "nest/proof.h"

/* The storage of a placed Func: the largest extents of any iteration. */

static enum bw_memory memory_of(const struct bw_nest *nest, const struct bw_placement *placement)
{
	if (placement->memory != BW_MEMORY_AUTO)
		return placement->memory;
	if (placement->store.kind == BW_SITE_ROOT)
		return BW_MEMORY_GLOBAL;
	return bw_nest_inside_threads(nest, &placement->store) ? BW_MEMORY_REGISTERS : BW_MEMORY_SHARED;
}

/* Takes the extents that a Func had before at the same sites, without the points that its splits added by
 * rounding up. */
static void take_extents(const struct bw_placed *before, struct bw_placed *placed, int64_t *extents)
{
	placed->proof = before->proof;
	for (int d = 0; d < placed->n_dims; d++)
		extents[d] = before->allocated[d] - before->growth[d];
}

static int64_t lanes_of(const struct bw_placed *placed)
{
	const struct bw_site *store = &placed->placement->store;
	return store->kind == BW_SITE_AT && store->role == BW_ROLE_WARP ? placed->stages[0].threads[0] : 0;
}

int64_t bw_placed_aligned(const struct bw_func *func, const struct bw_placed *placed)
{
	int64_t rows = 1, lanes = lanes_of(placed);
	for (int d = 1; d < func->n_dims; d++)
		rows *= placed->allocated[d];
	return lanes > 1 && rows > 1 ? lanes : 1;
}

/* Returns true if a stage's lanes walk its first dimension one element apart, and no last iteration is
 * shifted, so that each element has a lane of its own. */
static bool each_its_own(const struct bw_func *func, const struct bw_placed *placed)
{
	const struct bw_stage_plan *plan = &placed->placement->stages[0];
	for (int i = 0, lane = -1; i < plan->n_loops; i++) {
		bool first = func->stages[0].loops[plan->loops[i].loop].dim == 0;
		if (first && (lane >= 0 || placed->stages[0].tails[i] == BW_TAIL_SHIFT_INWARDS))
			return false;
		if (plan->loops[i].kind == BW_LOOP_LANE && !first)
			return false;
		lane = plan->loops[i].kind == BW_LOOP_LANE ? i : lane;
	}
	return true;
}

bool bw_check_warp(const struct bw_nest *nest, const struct bw_func *func, const struct bw_placed *placed,
		   struct bw_error *error)
{
	int64_t lanes = lanes_of(placed);
	if (!lanes)
		return true;
	const struct bw_site *store = &placed->placement->store;
	const struct bw_placed *host = nest->placed[store->func];
	int64_t its = host->stages[store->stage].threads[0];
	if (func->n_stages > 1)
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: a Func with updates cannot be kept by the lanes of a warp",
			       func->name);
	if (lanes != its || (lanes & (lanes - 1)))
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: it has %lld lanes, and the warp of %s %lld: both need the same power of two",
			       func->name, (long long)lanes, nest->pipeline->funcs[store->func].name, (long long)its);
	if (placed->placement->n_storage || !func->n_dims || !each_its_own(func, placed))
		return bw_fail(error, BW_ERROR_CONFLICT,
			       "%s: Halide keeps it in the lanes of a warp only if these walk its first dimension, each from its own element, without shift_inwards",
			       func->name);
	if (placed->proof < BW_PROOF_CONSTANT)
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: its size is not the same in all warps", func->name);
	return true;
}

void bw_allocate(const struct bw_nest *nest, const struct bw_func *func, const struct bw_placed *before,
		 struct bw_placed *placed)
{
	const struct bw_placement *placement = placed->placement;
	if (placement->compute.kind == BW_SITE_INLINE) {
		placed->allocated = NULL;
		placed->proof = bw_prove_inlined(nest, func);
		return;
	}
	int64_t *allocated = (int64_t *)placed->allocated;
	if (before && !lanes_of(placed))
		take_extents(before, placed, allocated);
	else
		placed->proof = bw_prove_storage(nest, func, placed, allocated);
	double points = 1;
	placed->memory = memory_of(nest, placement);
	for (int d = 0; d < func->n_dims; d++) {
		allocated[d] += placed->growth[d];
		points *= (double)allocated[d];
	}
	int64_t aligned = bw_placed_aligned(func, placed);
	if (aligned > 1) {
		points = points / (double)allocated[0] * (double)bw_round_up(allocated[0], aligned);
		allocated[0] = bw_round_up(allocated[0], aligned);
	}
	placed->bytes = points * func->bytes;
}

bool bw_check_bytes(const struct bw_func *func, const struct bw_placed *placed, struct bw_error *error)
{
	int largest = 0; /* each component has an allocation of its own */
	for (int k = 0; k < func->n_values; k++)
		largest = (int)bw_max(largest, bw_type_bytes(func->types[k]));
	const double bytes = placed->bytes / func->bytes * largest;
	if (func->output || placed->placement->compute.kind == BW_SITE_INLINE ||
	    placed->memory != BW_MEMORY_GLOBAL || (bytes > 0 && bytes <= INT32_MAX))
		return true;
	if (bytes <= 0)
		return bw_fail(error, BW_ERROR_CONFLICT,
			       "%s: nothing of it is computed at these sizes; a GPU takes no empty grid",
			       func->name);
	return bw_fail(error, BW_ERROR_CONFLICT,
		       "%s: %.3g GB to store, limit 2.1 GB: clamp the indices that read it",
		       func->name, bytes * 1e-9);
}

/* The shared memory of a block. Halide reuses the memory of an allocation that is no longer read. It walks
 * in order through the stages of a block, which barriers separate, and overlays allocations that are not
 * live in the same stages. This follows FuseGPUThreadLoops.cpp of Halide 14 to 21, for CUDA and OpenCL.
 * Which allocation takes which place decides how large the place becomes. */

/* One allocation: one value of a Func. Stages count the barriers of a block. */
struct allocation {
	int func, place;
	bool constant; /* its size is */
	int64_t elements, element_bytes;
	int first, last; /* the stages at which it is in use */
};

/* A place in shared memory that several allocations use one after another. It is as large as the largest
 * of them. */
struct place {
	int64_t elements, element_bytes; /* of the widest type so far */
	int held_by;                     /* the last allocation that took it */
	bool constant;                   /* all that took it have constant sizes */
};

/* A member of the kernel, with the levels where it is stored and computed. */
struct member {
	int func;
	bw_level store, compute;
};

struct walk {
	const struct bw_nest *nest;
	const struct bw_kernel *kernel;
	struct member *members; /* in the order in which Halide realizes them */
	bool *hosts;            /* by Func: other Funcs are stored or computed in its loops */
	int stage;              /* barriers so far */
	int n;
	struct allocation *list; /* ordered by stage once the walk has ended */
	/* by Func, for one stage at a time: the stage reads it, directly or through inlined
	 * Funcs */
	bool *read;
};

static void walk_func(struct walk *walk, int func, bool threaded);

static void use(struct walk *walk, int func)
{
	for (int i = 0; i < walk->n; i++)
		if (walk->list[i].func == func)
			walk->list[i].last = walk->stage;
}

/* Records what one stage of a Func loads and stores itself. */
static void use_all(struct walk *walk, const struct bw_stage *stage)
{
	const struct bw_nest *nest = walk->nest;
	for (int f = 0; f < stage->func; f++)
		walk->read[f] = false;
	for (int r = 0; r < stage->n_reads; r++)
		walk->read[stage->reads[r].producer] = true;
	for (int f = stage->func - 1; f >= 0; f--) {
		const struct bw_placed *placed = nest->placed[f];
		if (!walk->read[f] || !placed)
			continue;
		use(walk, f);
		const struct bw_stage *inlined = &nest->pipeline->funcs[f].stages[0];
		for (int r = 0; placed->placement->compute.kind == BW_SITE_INLINE && r < inlined->n_reads; r++)
			walk->read[inlined->reads[r].producer] = true;
	}
	use(walk, stage->func);
}

static void allocate(struct walk *walk, int func)
{
	const struct bw_func *of = &walk->nest->pipeline->funcs[func];
	const struct bw_placed *placed = walk->nest->placed[func];
	for (int v = 0; v < of->n_values; v++)
		walk->list[walk->n++] =
		    (struct allocation){.func = func,
					.constant = placed->proof >= BW_PROOF_BOUND,
					.elements = bw_capped(placed->bytes / of->bytes),
					.element_bytes = bw_type_bytes(of->types[v]),
					.first = walk->stage,
					.last = walk->stage};
}

/* Walks through an iteration of a level. Visits the producers that are stored or computed at the level
 * first, in an order in which each comes before its readers. */
static void walk_level(struct walk *walk, bw_level level, bool threaded)
{
	for (int m = 0; m < walk->kernel->n_members; m++) {
		const struct member *member = &walk->members[m];
		if (member->store == level && walk->nest->placed[member->func]->memory == BW_MEMORY_SHARED)
			allocate(walk, member->func);
		if (member->compute == level)
			walk_func(walk, member->func, threaded);
	}
}

static void walk_stage(struct walk *walk, int func, int stage, bool threaded)
{
	const struct bw_placed_stage *placed = &walk->nest->placed[func]->stages[stage];
	for (int i = 0; i < placed->n_levels && walk->hosts[func]; i++) {
		enum bw_role role = bw_level_role(placed->levels[i].level);
		threaded |= role == BW_ROLE_THREAD || role == BW_ROLE_WARP;
		walk_level(walk, placed->levels[i].level, threaded);
	}
	use_all(walk, &walk->nest->pipeline->funcs[func].stages[stage]);
}

/* Walks through the stages of a Func. Outside of thread loops there is a barrier after each
 * stage. */
static void walk_func(struct walk *walk, int func, bool threaded)
{
	for (int s = 0; s < walk->nest->placed[func]->placement->n_stages; s++) {
		walk_stage(walk, func, s, threaded);
		walk->stage += !threaded;
	}
}

/* Puts the members of the kernel into the order in which Halide realizes them. */
static void order_members(struct walk *walk)
{
	const int *realized = walk->nest->facts->realized;
	for (int m = 0; m < walk->kernel->n_members; m++) {
		int f = walk->kernel->members[m], at = m;
		const struct bw_placement *placement = walk->nest->placed[f]->placement;
		for (; at > 0 && realized[f] < realized[walk->members[at - 1].func]; at--)
			walk->members[at] = walk->members[at - 1];
		walk->members[at] = (struct member){f, bw_level_of_site(&placement->store),
						    bw_level_of_site(&placement->compute)};
		walk->hosts[bw_level_func(walk->members[at].store)] =
		    walk->hosts[bw_level_func(walk->members[at].compute)] = true;
	}
}

/* Sorts allocations by first and last stage; of equal ones the one allocated further in comes
 * first. */
static void sort(struct walk *walk)
{
	for (int i = 0; i < walk->n / 2; i++) {
		struct allocation swapped = walk->list[i];
		walk->list[i] = walk->list[walk->n - 1 - i];
		walk->list[walk->n - 1 - i] = swapped;
	}
	for (int i = 1; i < walk->n; i++) {
		struct allocation one = walk->list[i];
		int at = i;
		for (; at > 0 &&
		       (one.first < walk->list[at - 1].first ||
			(one.first == walk->list[at - 1].first && one.last < walk->list[at - 1].last));
		     at--)
			walk->list[at] = walk->list[at - 1];
		walk->list[at] = one;
	}
}

/* Returns the free place that fits best; of equal ones the last that became free. Returns n_free if
 * none is free. */
static int best_fit(const struct place *places, const int *free_places, int n_free,
		    const struct allocation *allocation)
{
	int best = n_free;
	int64_t difference = 0;
	for (int i = n_free - 1; i >= 0; i--) {
		const struct place *place = &places[free_places[i]];
		int64_t d = llabs(place->elements * place->element_bytes -
				  allocation->elements * allocation->element_bytes);
		if (best == n_free || d < difference) {
			difference = d;
			best = i;
		}
	}
	return best;
}

static void enlarge(struct place *place, const struct allocation *allocation)
{
	int64_t widest = bw_max(place->element_bytes, allocation->element_bytes);
	int64_t before = bw_div_up(place->elements * place->element_bytes, widest),
		now = bw_div_up(allocation->elements * allocation->element_bytes, widest);
	place->elements = bw_max(before, now);
	place->element_bytes = widest;
	place->constant &= allocation->constant;
}

/* Gives each allocation a place, stage by stage. Returns how many places there are. The search for
 * ends of allocations goes on from the last one that ended: an allocation before it that lives
 * longer keeps its place to the end. */
static int give_places(const struct walk *walk, struct place *places, int *free_places)
{
	int n_places = 0, n_free = 0, start = 0;
	for (int stage = 0; stage <= walk->stage; stage++)
		for (int i = start; i < walk->n && walk->list[i].first <= stage; i++) {
			struct allocation *allocation = &walk->list[i];
			if (allocation->first == stage) {
				int fit = best_fit(places, free_places, n_free, allocation),
				    place = fit < n_free ? free_places[fit] : n_places;
				if (fit < n_free) {
					enlarge(&places[place], allocation);
					n_free--;
					for (int k = fit; k < n_free; k++)
						free_places[k] = free_places[k + 1];
				} else {
					places[n_places++] =
					    (struct place){.elements = allocation->elements,
							   .element_bytes = allocation->element_bytes,
							   .constant = allocation->constant};
				}
				places[place].held_by = i;
				allocation->place = place;
			} else if (allocation->last == stage - 1) {
				int place = 0;
				while (places[place].held_by != i)
					place++;
				free_places[n_free++] = place;
				start = i + 1;
			}
		}
	return n_places;
}

/* Adds up the places as Halide lays them out, wider elements first. Lowers `aligned` of each member to the
 * alignment of its allocations. Returns the bytes of all places. */
static int64_t lay_out(const struct walk *walk, const struct place *places, int n, unsigned char *aligned)
{
	int64_t widest = 1, at = 0;
	double bytes = 0;
	bool constant = true;
	for (int i = 0; i < n; i++)
		widest = bw_max(widest, places[i].element_bytes);
	for (int64_t element = widest; element > 0; element /= 2)
		for (int p = 0; p < n; p++) {
			if (places[p].element_bytes != element)
				continue;
			for (int i = 0; i < walk->n; i++)
				for (int m = 0; walk->list[i].place == p && m < walk->kernel->n_members; m++)
					while (walk->kernel->members[m] == walk->list[i].func &&
					       aligned[m] && (!constant || at % aligned[m]))
						aligned[m] /= 2;
			double size = (double)places[p].elements * (double)element;
			at = bw_round_up(bw_capped((double)at + size), widest);
			bytes += size;
			constant &= places[p].constant;
		}
	return bw_round_up(bw_capped(bytes), widest);
}

void bw_kernel_lay_out(const struct bw_nest *nest, struct bw_kernel *kernel, struct bw_arena *arena)
{
	int most = 0;
	for (int m = 0; m < kernel->n_members; m++)
		if (nest->placed[kernel->members[m]]->memory == BW_MEMORY_SHARED)
			most += nest->pipeline->funcs[kernel->members[m]].n_values;
	if (!most)
		return;
	struct walk walk = {.nest = nest, .kernel = kernel};
	walk.list = BW_ARENA_ARRAY(arena, struct allocation, most);
	walk.read = BW_ARENA_ARRAY(arena, bool, nest->pipeline->n_funcs);
	walk.members = BW_ARENA_ARRAY(arena, struct member, kernel->n_members);
	walk.hosts = BW_ARENA_ARRAY(arena, bool, nest->pipeline->n_funcs);
	order_members(&walk);
	walk_stage(&walk, kernel->func, kernel->stage, false);
	sort(&walk);
	struct place *places = BW_ARENA_ARRAY(arena, struct place, most);
	int n = give_places(&walk, places, BW_ARENA_ARRAY(arena, int, most));
	unsigned char *aligned = BW_ARENA_ARRAY(arena, unsigned char, kernel->n_members);
	memset(aligned, BW_VECTOR_BYTES, (size_t)kernel->n_members);
	kernel->shared_bytes = lay_out(&walk, places, n, aligned);
	kernel->aligned = aligned;
}
