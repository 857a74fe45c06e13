/* Enumerates the options of a decision: where to compute a Func, and how to tile a Func at root. */
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "search/space.h"

void bw_propose(struct bw_proposals *proposals, const struct bw_placement *placement, uint64_t kind,
		int64_t unrolled)
{
	BW_PUSH(proposals->list, proposals->n, proposals->capacity,
		(struct bw_proposal){.placement = placement, .kind = kind, .unrolled = unrolled,
				     .left_out = proposals->left_out});
	proposals->left_out = 0;
}

static const struct bw_func *func_of(const struct bw_question *question)
{
	return &question->pipeline->funcs[question->func];
}

bool bw_tries(const struct bw_settings *options, enum bw_plan_variant variant)
{
	return options->variants >> variant & 1;
}

int64_t bw_most_unrolled(const struct bw_question *question)
{
	bool more = question->near && bw_tries(question->options, BW_PLAN_UNROLLED_VARIANT);
	return more ? bw_max(question->options->unrolled_limit, BW_PLAN_POINTS) : question->options->unrolled_limit;
}

/* Returns true if an option's serial extents are too large to unroll, and neither the user nor an
 * explanation needs the option. */
static bool leaves_out(const struct bw_question *question, const int64_t *serial)
{
	return question->silent && !bw_question_asked(question) &&
	       bw_plan_iterations(func_of(question), serial) > bw_most_unrolled(question);
}

/* Returns a plan. Aligns it if the search tries that, the Func is no output, and three conditions hold: the
 * plan is at root, alignment folds selects of the Func, and no read then is out of bounds. Takes ownership
 * of `plan`. */
static const struct bw_placement *aligned(const struct bw_question *question, const struct bw_placement *plan)
{
	const struct bw_placement *other = NULL;
	if (plan->compute.kind == BW_SITE_ROOT && question->pipeline->parities &&
	    !func_of(question)->output && bw_tries(question->options, BW_PLAN_PARITY_VARIANT))
		other = bw_plan_variant(question->pipeline, plan, BW_PLAN_PARITY_VARIANT);
	bool takes = other && bw_nest_may_align(question->parent->nest, other);
	bw_placement_drop(takes ? plan : other);
	return takes ? other : plan;
}

/* Returns a plan with these serial sizes. Marks the serial loops as unrolled if they have more iterations
 * than plans unroll by themselves, but no more than the search tries. Takes ownership of `plan`. */
static const struct bw_placement *unrolled(const struct bw_question *question, const int64_t *serial,
					   const struct bw_placement *plan)
{
	int64_t iterations = bw_plan_iterations(func_of(question), serial);
	plan = aligned(question, plan);
	if (iterations <= bw_max(BW_PLAN_UNROLLED, question->options->unrolled_limit) ||
	    iterations > bw_most_unrolled(question))
		return plan;
	const struct bw_placement *other = bw_plan_variant(question->pipeline, plan, BW_PLAN_UNROLLED_VARIANT);
	bw_placement_drop(plan);
	return other;
}

static uint64_t site_kind(const struct bw_site *site)
{
	uint64_t hash = bw_hash_mix(1, site->kind);
	if (site->kind != BW_SITE_AT)
		return hash;
	return bw_hash_mix(bw_hash_mix(hash, (uint64_t)site->func << 32 | (uint64_t)site->stage),
			   (uint64_t)site->role << 32 | (uint64_t)site->serial);
}

/* Proposes the variants of a plan that are tried at this point (`tried`) and differ from the plan. */
static void propose_variants(const struct bw_question *question, struct bw_proposals *proposals,
			     const struct bw_placement *plan, enum bw_plan_tried tried)
{
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES];
	for (int v = 0; v < BW_N_PLAN_VARIANTS; v++) {
		enum bw_plan_variant variant = (enum bw_plan_variant)v;
		const struct bw_placement *other = NULL;
		if (bw_tries(question->options, variant) && bw_plan_variant_tried(variant) == tried)
			other = bw_plan_variant(question->pipeline, plan, variant);
		if (!other)
			continue;
		bw_plan_sizes(question->pipeline, other, serial, threads);
		bw_propose(proposals, other, bw_hash_mix(site_kind(&plan->compute), (uint64_t)v),
			   bw_plan_iterations(func_of(question), serial));
	}
}

/* Proposes a placement derived from another one, with the number of iterations of its serial pieces. Takes
 * ownership of `placement`, which may be NULL. */
static void propose_like(const struct bw_question *question, struct bw_proposals *proposals,
			 const struct bw_placement *placement)
{
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES];
	if (!placement)
		return;
	bw_plan_sizes(question->pipeline, placement, serial, threads);
	bw_propose(proposals, placement, site_kind(&placement->compute),
		   bw_plan_iterations(func_of(question), serial));
}

static int64_t extent_of(const struct bw_interval *interval)
{
	return bw_max(interval->max - interval->min + 1, 1);
}

/* Returns true if a Func has a reduction that can be shared, and fewer points at root than the device has
 * lanes to compute them. */
static bool shares(const struct bw_question *question, const struct bw_interval *required)
{
	const struct bw_func *func = func_of(question);
	const struct bw_device *device = question->options->device;
	struct bw_interval computed[BW_MAX_DIMS], loops[BW_MAX_LOOPS];
	bool found = false;
	for (int s = 1; s < func->n_stages && !found; s++) {
		const struct bw_stage *stage = &func->stages[s];
		double points = 1;
		if (!stage->atomic || !bw_computed_box(func, required, computed) ||
		    !bw_stage_loops_of(stage, computed, loops))
			continue;
		for (int l = 0; l < stage->n_loops; l++)
			points *= stage->loops[l].parallel ? (double)extent_of(&loops[l]) : 1;
		found = points < device->float_rate / device->clock;
	}
	return found;
}

/* Proposes a plan with its reductions shared by threads, by blocks, and by both. */
static void propose_shared(const struct bw_question *question, struct bw_proposals *proposals,
			   const struct bw_placement *plan)
{
	const struct bw_pipeline *pipeline = question->pipeline;
	const struct bw_placement *blocks = NULL;
	bool threads = bw_tries(question->options, BW_PLAN_ATOMIC_VARIANT);
	if (!proposals->shares)
		return;
	if (bw_tries(question->options, BW_PLAN_BLOCKS_VARIANT))
		blocks = bw_plan_variant(pipeline, plan, BW_PLAN_BLOCKS_VARIANT);
	if (threads)
		propose_like(question, proposals, bw_plan_variant(pipeline, plan, BW_PLAN_ATOMIC_VARIANT));
	if (blocks && threads)
		propose_like(question, proposals, bw_plan_variant(pipeline, blocks, BW_PLAN_ATOMIC_VARIANT));
	propose_like(question, proposals, blocks);
}

void bw_serials_begin(struct bw_combinations *serials, const int64_t *extents, int n_dims, int64_t warp,
		      bool at_block)
{
	int innermost = at_block ? bw_sizes_innermost(extents, NULL, n_dims) : -1;
	serials->n_dims = n_dims;
	serials->end = false;
	for (int d = 0; d < n_dims; d++) {
		serials->at[d] = 0;
		if (d >= BW_SERIAL_DIMS)
			bw_sizes_whole(extents[d], &serials->sizes[d]);
		else if (at_block)
			bw_sizes_serial_at_block(extents[d], warp, d == innermost, &serials->sizes[d]);
		else
			bw_sizes_serial(extents[d], warp, &serials->sizes[d]);
	}
}

void bw_threads_begin(struct bw_combinations *threads, const int64_t *extents, const int64_t *serial,
		      int n_dims)
{
	int innermost = bw_sizes_innermost(extents, serial, n_dims);
	threads->n_dims = n_dims;
	threads->end = false;
	for (int d = 0; d < n_dims; d++) {
		int64_t left = bw_div_up(extents[d], serial[d]);
		threads->at[d] = 0;
		if (d < BW_THREAD_DIMS || d == innermost)
			bw_sizes_threads(left, d == innermost, &threads->sizes[d]);
		else
			bw_sizes_whole(left, &threads->sizes[d]);
	}
}

bool bw_combinations_next(struct bw_combinations *combinations, int64_t *sizes)
{
	if (combinations->end)
		return false;
	for (int d = 0; d < combinations->n_dims; d++)
		sizes[d] = combinations->sizes[d].list[combinations->at[d]];
	int d = 0;
	while (d < combinations->n_dims && ++combinations->at[d] == combinations->sizes[d].n)
		combinations->at[d++] = 0;
	combinations->end = d == combinations->n_dims;
	return true;
}

/* Tilings are proposed kernel by kernel. For each stage with axes that no earlier stage has, all
 * combinations of these axes' sizes are proposed. All other axes then have assumed sizes. */
struct tiles {
	const struct bw_question *question;
	struct bw_proposals *proposals;
	const struct bw_site *site;
	const struct bw_stage *stage;
	int64_t extents[BW_MAX_AXES]; /* by axis */
	uint64_t kind;
};

/* Advances to the next stage with axes that no earlier stage has; if `stage` is NULL, to the first one.
 * Returns false if there is none. */
static bool next_stage(struct tiles *tiles)
{
	const struct bw_func *func = func_of(tiles->question);
	const struct bw_stage *stage = tiles->stage;
	bool own = false;
	for (int s = stage ? stage->index + 1 : 0; s < func->n_stages && !own; s++) {
		stage = &func->stages[s];
		own = s == 0;
		for (int i = 0; i < stage->n_across && !own; i++)
			own = !stage->loops[stage->across[i]].pure;
	}
	tiles->stage = own ? stage : NULL;
	return own;
}

static int axis_of(const struct tiles *tiles, int place)
{
	return tiles->stage->loops[tiles->stage->across[place]].axis;
}

/* Copies the sizes of the stage's axes from the array of all axes. */
static void pick(const struct tiles *tiles, const int64_t *from, int64_t *sizes)
{
	for (int i = 0; i < tiles->stage->n_across; i++)
		sizes[i] = from[axis_of(tiles, i)];
}

/* Copies the sizes of the stage's axes into the array of all axes. */
static void put(const struct tiles *tiles, const int64_t *sizes, int64_t *among)
{
	for (int i = 0; i < tiles->stage->n_across; i++)
		among[axis_of(tiles, i)] = sizes[i];
}

/* Finds the number of iterations of a Func by axis, given the box of the Func that is required. */
static void extents_of(const struct bw_func *func, const struct bw_interval *required, int64_t *extents)
{
	struct bw_interval computed[BW_MAX_DIMS], loops[BW_MAX_LOOPS];
	bool known = func->n_axes > func->n_dims && bw_computed_box(func, required, computed);
	for (int d = 0; d < func->n_dims; d++)
		extents[d] = extent_of(&required[d]);
	for (int i = func->n_dims; i < func->n_axes; i++)
		extents[i] = 1;
	for (int s = 1; s < func->n_stages && known; s++) {
		const struct bw_stage *stage = &func->stages[s];
		if (!bw_stage_loops_of(stage, computed, loops))
			continue;
		for (int l = 0; l < stage->n_loops; l++)
			if (stage->loops[l].axis >= func->n_dims)
				extents[stage->loops[l].axis] = extent_of(&loops[l]);
	}
}

/* Fixes the stage's Vars at their assumed sizes. In the pure definition, does nothing: its sizes are
 * combined. */
static void hold_vars(const struct tiles *tiles, const int64_t *assumed, struct bw_combinations *combinations)
{
	for (int i = 0; i < tiles->stage->n_across && tiles->stage->index; i++)
		if (tiles->stage->loops[tiles->stage->across[i]].pure)
			combinations->sizes[i] = (struct bw_sizes){1, {assumed[axis_of(tiles, i)]}};
}

/* Sets the serial size of short RVars to 1, so that each iteration has its own thread. Short RVars that
 * are serial are proposed together with the sizes of the pure definition. */
static void spread_short(const struct tiles *tiles, struct bw_combinations *serials)
{
	for (int i = 0; i < tiles->stage->n_across && tiles->stage->index; i++)
		if (!tiles->stage->loops[tiles->stage->across[i]].pure &&
		    tiles->extents[axis_of(tiles, i)] <= BW_WHOLE_SIZE)
			serials->sizes[i] = (struct bw_sizes){1, {1}};
}

/* Sets the assumed serial sizes at a block. For dimensions, they are chosen such that there are no more
 * threads than a block can have. RVars are serial. */
static void assume_at_block(const struct tiles *tiles, int64_t *serial)
{
	const struct bw_question *question = tiles->question;
	const struct bw_func *func = func_of(question);
	double threads = 1, most = question->options->device->threads_per_block;
	memset(serial, 0, BW_MAX_AXES * sizeof *serial);
	for (int d = 0; d < func->n_dims; d++) {
		serial[d] = 1;
		threads *= (double)tiles->extents[d];
	}
	for (int d = func->n_dims - 1; d >= 0; d--)
		for (; threads > most && serial[d] < tiles->extents[d]; threads /= 2)
			serial[d] *= 2;
}

static void propose_sizes(struct tiles *tiles)
{
	const struct bw_question *question = tiles->question;
	struct bw_combinations serials;
	int64_t extents[BW_MAX_LOOPS], sizes[BW_MAX_LOOPS], serial[BW_MAX_AXES];
	assume_at_block(tiles, serial);
	for (tiles->stage = NULL; next_stage(tiles); assume_at_block(tiles, serial)) {
		pick(tiles, tiles->extents, extents);
		bw_serials_begin(&serials, extents, tiles->stage->n_across,
				 (int64_t)question->options->device->warp_size, true);
		hold_vars(tiles, serial, &serials);
		spread_short(tiles, &serials);
		while (bw_combinations_next(&serials, sizes)) {
			put(tiles, sizes, serial);
			const struct bw_placement *plan =
			    bw_plan_at_block(question->pipeline, question->func, tiles->site, serial);
			if (bw_plan_iterations(func_of(question), serial) == 1)
				propose_shared(question, tiles->proposals, plan);
			bw_propose(tiles->proposals, unrolled(question, serial, plan), tiles->kind,
				   bw_plan_iterations(func_of(question), serial));
		}
	}
}

static void propose_site(struct tiles *tiles, const struct bw_site *site)
{
	const struct bw_question *question = tiles->question;
	const struct bw_nest *nest = question->parent->nest;
	struct bw_interval box[BW_MAX_DIMS];
	tiles->site = site;
	tiles->kind = site_kind(site);
	if (site->role != BW_ROLE_BLOCK || bw_nest_inside_threads(nest, site)) {
		const struct bw_placement *plan = bw_plan_in_thread(question->pipeline, question->func, site);
		bw_propose(tiles->proposals, plan, tiles->kind, 1);
		propose_variants(question, tiles->proposals, plan, BW_TRIED_THERE);
		if (question->near && question->near->together)
			propose_variants(question, tiles->proposals, plan, BW_TRIED_LATE);
	} else if (bw_nest_required(nest, question->func, bw_level_of_site(site), box)) {
		extents_of(func_of(question), box, tiles->extents);
		propose_sizes(tiles);
	}
}

/* Makes the placement of a Func at root whose tiling is still to be decided. It is costed as if it
 * had whole warps in its innermost dimension. */
static const struct bw_placement *untiled(const struct bw_question *question)
{
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES];
	for (int d = 0; d < BW_MAX_AXES; d++)
		serial[d] = threads[d] = 1;
	threads[0] = (int64_t)question->options->device->warp_size;
	for (threads[1] = 8; threads[1] > 1 && (double)(threads[0] * threads[1]) >
						   question->options->device->threads_per_block;)
		threads[1] /= 2;
	bw_plan_spread(question->pipeline, question->func, threads[0], serial, threads);
	return bw_plan_untiled(question->pipeline, question->func, serial, threads);
}

/* Proposes the frozen placement as the only option. If it is at root, its tiling may still be undecided. */
static void propose_frozen(const struct bw_question *question, struct bw_proposals *proposals)
{
	const struct bw_placement *held = question->constraint->placement;
	bool open = held->compute.kind == BW_SITE_ROOT && !question->constraint->sizes;
	bw_propose(proposals, open ? untiled(question) : bw_placement_keep(held), site_kind(&held->compute),
		   1);
}

/* Returns true if a Func only copies an input, like the wrappers that Halide makes for each input buffer.
 * It is never worth a site of its own. */
static bool hands_on(const struct bw_pipeline *pipeline, const struct bw_func *func)
{
	const struct bw_stage *stage = &func->stages[0];
	return func->wrapper && func->n_stages == 1 && stage->n_reads == 1 &&
	       pipeline->funcs[stage->reads[0].producer].input && stage->reads[0].n_loads == 1 &&
	       stage->reads[0].loads[0].count == 1;
}

/* Returns true if a Func has a single consumer that calls it point by point, as the Funcs that the paper
 * inlines (section 4), and reads at most two other Funcs. A Func that reads three or more is not inlined,
 * because all Funcs inlined into it would then be in the consumer's kernel: by Halide's weights,
 * local_laplacian costs 0.43 as much with that Func in a block. */
static bool is_passed_on(const struct bw_pipeline *pipeline, const struct bw_func *func, int number)
{
	enum { MOST_READS = 2 };
	return func->n_consumers == 1 && func->stages[0].n_reads <= MOST_READS &&
	       bw_func_pointwise(pipeline, number);
}

bool bw_always_inlined(const struct bw_question *question)
{
	const struct bw_func *func = &question->pipeline->funcs[question->func];
	if (func->n_stages > 1 || bw_question_asked(question) || question->near ||
	    !bw_searches(question->options, BW_SITES_INLINE))
		return false;
	return is_passed_on(question->pipeline, func, question->func) || hands_on(question->pipeline, func);
}

/* Proposes changes of the current placement: unrolled or not, with shared reductions, and at a block in
 * other memories. Global memory then holds the values of all blocks at once, so it is proposed only if
 * options get words. */
static void propose_otherwise(const struct bw_question *question, struct bw_proposals *proposals)
{
	static const enum bw_memory memories[] = {BW_MEMORY_AUTO, BW_MEMORY_SHARED, BW_MEMORY_GLOBAL};
	const struct bw_placement *now = question->near->now;
	struct bw_placement draft = *now;
	if (!now->tiled)
		return;
	propose_variants(question, proposals, now, BW_TRIED_THERE);
	propose_shared(question, proposals, now);
	for (size_t m = 0; m < sizeof memories / sizeof *memories - question->silent; m++) {
		draft.memory = memories[m];
		bool other = draft.memory != now->memory && draft.memory != question->near->memory;
		if (now->compute.kind == BW_SITE_AT && now->compute.role == BW_ROLE_BLOCK && other)
			propose_like(question, proposals, bw_placement_make(&draft));
	}
}

/* Proposes all options except sites in the kernels of other Funcs. Returns true if such sites are also to
 * be proposed. */
static bool propose_apart(const struct bw_question *question, struct bw_proposals *proposals)
{
	const struct bw_func *func = &question->pipeline->funcs[question->func];
	struct bw_site root = {.kind = BW_SITE_ROOT}, inlined = {.kind = BW_SITE_INLINE};
	if (bw_question_frozen(question)) {
		propose_frozen(question, proposals);
		return false;
	}
	if (func->output) {
		bw_propose(proposals, untiled(question), site_kind(&root), 1);
		return false;
	}
	if (func->n_stages == 1)
		bw_propose(proposals, bw_plan_inline(question->pipeline, question->func), site_kind(&inlined), 1);
	if (bw_always_inlined(question))
		return false;
	bw_propose(proposals, untiled(question), site_kind(&root), 1);
	return question->pass > 0 || question->constraint;
}

bool bw_enumerate_sites(const struct bw_question *question, struct bw_proposals *proposals)
{
	enum { MOST_SITES = 64 };
	struct tiles tiles = {.question = question, .proposals = proposals};
	struct bw_site sites[MOST_SITES];
	if (question->near && question->near->late) {
		propose_variants(question, proposals, question->near->now,
				 question->near->together ? BW_TRIED_TOGETHER : BW_TRIED_LATE);
		return true;
	}
	struct bw_interval required[BW_MAX_DIMS];
	proposals->shares = bw_nest_required(question->parent->nest, question->func, BW_LEVEL_ROOT, required) &&
			    shares(question, required);
	bool elsewhere = propose_apart(question, proposals);
	if (question->near)
		propose_otherwise(question, proposals);
	int n = elsewhere ? bw_nest_sites(question->parent->nest, question->func, sites, MOST_SITES) : 0;
	for (int i = 0; i < n; i++) {
		if (!bw_yield(question->yield))
			return false;
		propose_site(&tiles, &sites[i]);
	}
	return true;
}

/* Returns true if each stage has at most three loops with more than one thread, the limit of a GPU launch. */
static bool are_launched(const struct bw_func *func, const int64_t *threads)
{
	for (int s = 0; s < func->n_stages; s++) {
		const struct bw_stage *stage = &func->stages[s];
		int used = 0;
		for (int i = 0; i < stage->n_across; i++)
			used += threads[stage->loops[stage->across[i]].axis] > 1;
		if (used > BW_PLAN_THREAD_LOOPS)
			return false;
	}
	return true;
}

/* Proposes the tiling with these sizes of all axes. */
static void propose_tiling(const struct tiles *tiles, const int64_t *serial, const int64_t *threads)
{
	const struct bw_question *question = tiles->question;
	const struct bw_func *func = func_of(question);
	uint64_t kind = 2;
	if (!are_launched(func, threads))
		return;
	for (int i = 0; i < func->n_axes; i++)
		kind = bw_hash_mix(kind, (uint64_t)threads[i]);
	if (leaves_out(question, serial))
		tiles->proposals->left_out++;
	else {
		const struct bw_placement *plan = bw_plan_root(question->pipeline, question->func, serial, threads);
		if (bw_plan_iterations(func, serial) == 1)
			propose_shared(question, tiles->proposals, plan);
		bw_propose(tiles->proposals, unrolled(question, serial, plan), kind, bw_plan_iterations(func, serial));
	}
}

/* Sets the assumed sizes of dimensions while the RVars of an update are combined: a warp of threads in the
 * dimension of consecutive threads and 8 threads in the next, but no more than there are iterations. */
static void assume_vars(const struct tiles *tiles, int64_t *serial, int64_t *threads)
{
	const int n_dims = func_of(tiles->question)->n_dims,
		  first = n_dims ? bw_sizes_innermost(tiles->extents, NULL, n_dims) : 0;
	for (int d = 0; d < n_dims; d++) {
		int64_t most = d == first ? (int64_t)tiles->question->options->device->warp_size : d == first + 1 ? 8 : 1;
		serial[d] = 1;
		threads[d] = bw_min(most, tiles->extents[d]);
	}
}

/* Proposes the tiling with these sizes of the stage's axes. `assumed` has the threads of the dimensions
 * that the stage lacks. */
static void propose_combination(const struct tiles *tiles, const int64_t *serial, const int64_t *threads,
				const int64_t *assumed)
{
	const struct bw_question *question = tiles->question;
	const struct bw_func *func = func_of(question);
	int64_t serials[BW_MAX_AXES], across[BW_MAX_AXES];
	if (func->n_axes == func->n_dims) {
		propose_tiling(tiles, serial, threads);
		return;
	}
	for (int d = 0; d < func->n_dims; d++) {
		serials[d] = 1;
		across[d] = assumed[d];
	}
	put(tiles, threads, across);
	bw_plan_spread(question->pipeline, question->func, (int64_t)question->options->device->warp_size, serials,
		       across);
	put(tiles, serial, serials);
	put(tiles, threads, across);
	propose_tiling(tiles, serials, across);
}

static void propose_threads(const struct tiles *tiles, const int64_t *extents, const int64_t *serial,
			    const int64_t *assumed)
{
	struct bw_combinations combinations;
	int64_t threads[BW_MAX_LOOPS];
	bw_threads_begin(&combinations, extents, serial, tiles->stage->n_across);
	hold_vars(tiles, assumed, &combinations);
	while (bw_combinations_next(&combinations, threads))
		propose_combination(tiles, serial, threads, assumed);
}

/* Proposes the tilings that differ from the current one only in the sizes of the stage's axis at `place`.
 * The numbers of threads are those offered to a tiling with the same serial extents. For the current
 * serial extent, more numbers of threads are proposed. */
static void propose_near_axis(const struct tiles *tiles, const int64_t *extents, int place)
{
	const int n = tiles->stage->n_across, axis = axis_of(tiles, place);
	struct bw_near sizes = *tiles->question->near;
	const int64_t serial = sizes.serial[axis], across = sizes.threads[axis];
	int64_t now[BW_MAX_LOOPS];
	struct bw_combinations serials, threads;
	bw_serials_begin(&serials, extents, n, (int64_t)tiles->question->options->device->warp_size, false);
	for (int i = 0; i < serials.sizes[place].n; i++) {
		sizes.serial[axis] = serials.sizes[place].list[i];
		pick(tiles, sizes.serial, now);
		bw_threads_begin(&threads, extents, now, n);
		if (sizes.serial[axis] == serial)
			bw_sizes_widen(bw_div_up(extents[place], serial), place, &threads.sizes[place]);
		for (int k = 0; k < threads.sizes[place].n; k++) {
			sizes.threads[axis] = threads.sizes[place].list[k];
			if (sizes.serial[axis] != serial || sizes.threads[axis] != across)
				propose_tiling(tiles, sizes.serial, sizes.threads);
		}
	}
}

/* Proposes the tilings that differ from the current one in one axis. */
static void propose_near(struct tiles *tiles)
{
	const struct bw_near *near = tiles->question->near;
	int64_t extents[BW_MAX_LOOPS];
	if (near->now->compute.kind != BW_SITE_ROOT)
		propose_tiling(tiles, near->serial, near->threads);
	for (tiles->stage = NULL; next_stage(tiles);) {
		pick(tiles, tiles->extents, extents);
		for (int i = 0; i < tiles->stage->n_across; i++)
			if (tiles->stage->index == 0 || !tiles->stage->loops[tiles->stage->across[i]].pure)
				propose_near_axis(tiles, extents, i);
	}
}

/* Returns true if a Func is placed, but its tiling is not decided yet. */
static bool to_be_tiled(const struct bw_placed *placed)
{
	return placed->placement->compute.kind == BW_SITE_ROOT && !placed->placement->tiled;
}

bool bw_same_tiles_proposed(const struct bw_question *a, const struct bw_question *b)
{
	const struct bw_placed *x = a->parent->nest->placed[a->func], *y = b->parent->nest->placed[b->func];
	int64_t extents[2][BW_MAX_AXES];
	const struct bw_func *func = func_of(a);
	if (a->phase != BW_PHASE_TILE || !to_be_tiled(x) || !to_be_tiled(y))
		return false;
	extents_of(func, x->regions[0].required, extents[0]);
	extents_of(func, y->regions[0].required, extents[1]);
	for (int i = 0; i < func->n_axes; i++)
		if (extents[0][i] != extents[1][i])
			return false;
	return true;
}

/* Proposes all tilings at root. Returns false if it was stopped. */
static bool propose_tilings(struct tiles *tiles)
{
	const struct bw_question *question = tiles->question;
	int64_t extents[BW_MAX_LOOPS], serial[BW_MAX_LOOPS], ones[BW_MAX_AXES], threads[BW_MAX_AXES];
	struct bw_combinations serials;
	assume_vars(tiles, ones, threads);
	for (tiles->stage = NULL; next_stage(tiles);) {
		pick(tiles, tiles->extents, extents);
		bw_serials_begin(&serials, extents, tiles->stage->n_across,
				 (int64_t)question->options->device->warp_size, false);
		hold_vars(tiles, ones, &serials);
		while (bw_combinations_next(&serials, serial)) {
			if (!bw_yield(question->yield))
				return false;
			propose_threads(tiles, extents, serial, threads);
		}
	}
	return true;
}

bool bw_enumerate_tiles(const struct bw_question *question, struct bw_proposals *proposals)
{
	const struct bw_placed *placed = question->parent->nest->placed[question->func];
	struct tiles tiles = {.question = question, .proposals = proposals};
	if (!to_be_tiled(placed)) {
		bw_propose(proposals, NULL, 0, 1);
		return true;
	}
	extents_of(func_of(question), placed->regions[0].required, tiles.extents);
	proposals->shares = shares(question, placed->regions[0].required);
	if (question->near) {
		propose_near(&tiles);
		return true;
	}
	return propose_tilings(&tiles);
}
