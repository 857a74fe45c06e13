/* The schedule of a tree on a GPU. A Func at root is a kernel of 256 threads per block. A Func that is
 * computed in the loops of the kernel's Func is a member. If there are no members, or all are computed at
 * the innermost loop (per thread), all loops are split into blocks and threads. Otherwise the loops
 * around the members are block loops, the loops inside are split over the threads, and the members are in
 * shared memory. */
#include <string.h>

#include "base/arith.h"
#include "schedulers/cs6120.h"

enum { THREADS = 256, THREADS_Z = 64, BLOCK_DIMS = 3 };

/* The role of a place on the GPU. */
enum role { AT_ROOT, AT_BLOCK, AT_THREAD, AT_SERIAL, NOWHERE };

static enum role role_of(const struct cs6120 *of, const struct cs6120_tree *tree, struct cs6120_place place)
{
	if (place.func < 0)
		return AT_ROOT;
	bool innermost = place.level == of->pipeline->funcs[place.func].n_dims;
	switch (role_of(of, tree, tree->funcs[place.func].compute)) {
	case AT_ROOT:
		return innermost ? AT_THREAD : AT_BLOCK;
	case AT_BLOCK:
		return innermost ? AT_THREAD : NOWHERE;
	case AT_THREAD:
	case AT_SERIAL:
		return AT_SERIAL;
	default:
		return NOWHERE;
	}
}

/* Returns how many loops of a Func at root are block loops because Funcs are computed inside of them.
 * Returns 0 if all loops are split into blocks and threads. */
static int block_level(const struct cs6120 *of, const struct cs6120_tree *tree, int func)
{
	for (int f = 0; f < func; f++)
		if (!of->pipeline->funcs[f].input && tree->funcs[f].compute.func == func &&
		    role_of(of, tree, tree->funcs[f].compute) == AT_BLOCK)
			return tree->funcs[f].compute.level;
	return 0;
}

/* Returns true if a Func cannot be computed at its place on the GPU, and appends the reason to `why`,
 * which may be NULL. */
static bool refuse(const struct cs6120 *of, const struct cs6120_tree *tree, int f, struct bw_text *why)
{
	const struct cs6120_func *at = &tree->funcs[f];
	const char *name = of->pipeline->funcs[f].name;
	enum role role = role_of(of, tree, at->compute), store = role_of(of, tree, at->store);
	const char *reason = NULL;
	if (role == NOWHERE)
		reason = "a loop of a Func in a block has threads only inside of all its loops";
	else if (role == AT_BLOCK && at->compute.level != block_level(of, tree, at->compute.func))
		reason = "a kernel has blocks at one loop only";
	else if (!cs6120_same(at->compute, at->store) &&
		 !(role == AT_SERIAL && (store == AT_THREAD || store == AT_SERIAL)))
		reason = "it is stored outside of loops that run at once, and computed inside";
	if (reason && why)
		bw_text_printf(why, "%s: %s", name, reason);
	return reason;
}

/* The plan of one stage while it is being made. */
struct drawing {
	const struct bw_stage *stage;
	enum role role;
	struct bw_loop *loops;
	int n, n_blocks, n_threads;
};

static void add(struct drawing *drawing, int loop, int64_t extent, enum bw_loop_kind kind)
{
	enum bw_tail tail = drawing->role == AT_ROOT ? BW_TAIL_AUTO : BW_TAIL_GUARD_WITH_IF;
	drawing->loops[drawing->n++] =
	    (struct bw_loop){.loop = loop, .extent = extent, .kind = kind, .tail = tail};
	drawing->n_blocks += kind == BW_LOOP_BLOCK;
	drawing->n_threads += kind == BW_LOOP_THREAD;
}

static int loop_of(const struct bw_stage *stage, int dim)
{
	for (int l = 0; l < stage->n_loops; l++)
		if (stage->loops[l].pure && stage->loops[l].dim == dim)
			return l;
	return -1;
}

struct placing {
	struct cs6120 *of;
	const struct cs6120_tree *tree;
};

/* Sets the threads by dimension for the kernel of a Func at root: along the innermost loops that are not
 * short or, if all are short, along the longest ones. */
static void kernel_threads(const struct placing *placing, int func, int64_t *threads)
{
	enum { SHORT = 8 };
	const struct bw_func *f = &placing->of->pipeline->funcs[func];
	const struct bw_interval *box = &placing->of->computed[func * BW_MAX_DIMS];
	int blocks = block_level(placing->of, placing->tree, func), used = 0;
	int64_t left = THREADS, longest = 1;
	for (int l = 0; l < f->n_dims; l++) {
		int d = placing->tree->funcs[func].order[l];
		threads[d] = 1;
		if (l >= blocks)
			longest = bw_max(longest, box[d].max - box[d].min + 1);
	}
	for (int l = f->n_dims - 1; l >= blocks && used < BLOCK_DIMS; l--) {
		int d = placing->tree->funcs[func].order[l];
		int64_t extent = box[d].max - box[d].min + 1;
		if (extent < bw_min(longest, SHORT))
			continue;
		int64_t most = used == BLOCK_DIMS - 1 ? bw_min(left, THREADS_Z) : left;
		while (threads[d] < most && threads[d] < extent)
			threads[d] *= 2;
		left /= threads[d];
		used += threads[d] > 1;
	}
}

/* Sets the threads of a Func computed in a block: the block's threads, along the Func's innermost loops
 * of more than one iteration. */
static void member_threads(const struct placing *placing, int func, int64_t *threads)
{
	const struct cs6120_tree *tree = placing->tree;
	const struct bw_func *f = &placing->of->pipeline->funcs[func];
	const struct bw_interval *box = &placing->of->computed[func * BW_MAX_DIMS];
	int host = tree->funcs[func].compute.func, used = 0, n = 0;
	int64_t of_host[BW_MAX_DIMS], block[BLOCK_DIMS] = {1, 1, 1};
	kernel_threads(placing, host, of_host);
	for (int l = placing->of->pipeline->funcs[host].n_dims - 1; l >= 0; l--)
		if (of_host[tree->funcs[host].order[l]] > 1 && n < BLOCK_DIMS)
			block[n++] = of_host[tree->funcs[host].order[l]];
	for (int l = f->n_dims - 1; l >= 0; l--) {
		int d = tree->funcs[func].order[l];
		bool takes = used < BLOCK_DIMS && block[used] > 1 && box[d].max > box[d].min;
		threads[d] = takes ? block[used++] : 1;
	}
}

/* Adds thread loops of parallel RVars, as many as the thread loops of the dimensions leave room for. */
static void draw_rvars(struct drawing *drawing, const int64_t *threads)
{
	const struct bw_stage *stage = drawing->stage;
	int64_t left = THREADS;
	int room = BLOCK_DIMS;
	for (int l = 0; l < stage->n_loops; l++) {
		int64_t across = stage->loops[l].pure ? threads[stage->loops[l].dim] : 1;
		left /= across;
		room -= across > 1;
	}
	for (int l = stage->n_loops - 1; l >= 0 && left > 1 && room > 0; l--)
		if (!stage->loops[l].pure && stage->loops[l].parallel) {
			add(drawing, l, left, BW_LOOP_THREAD);
			left = 1;
		}
}

/* Makes the loops of a stage: the dimensions in the order of the tree; at root, the first `blocks`
 * dimensions are block loops. Reduction loops are inside, except for parallel reductions at root, which
 * are block and thread loops. */
static void draw(const struct placing *placing, struct drawing *drawing, const int64_t *threads, int blocks)
{
	const struct bw_stage *stage = drawing->stage;
	int n = placing->of->pipeline->funcs[stage->func].n_dims;
	const uint8_t *order = placing->tree->funcs[stage->func].order;
	bool at_root = drawing->role == AT_ROOT;
	for (int l = stage->n_loops - 1; l >= 0 && at_root; l--)
		if (!stage->loops[l].pure && stage->loops[l].parallel)
			add(drawing, l, 0, BW_LOOP_BLOCK);
	for (int i = 0; i < n; i++)
		if (loop_of(stage, order[i]) >= 0)
			add(drawing, loop_of(stage, order[i]), 0,
			    at_root && i < blocks ? BW_LOOP_BLOCK : BW_LOOP_SERIAL);
	bool threaded = at_root ? drawing->n_blocks > 0 : drawing->role == AT_BLOCK;
	if (at_root)
		draw_rvars(drawing, threads);
	for (int i = 0; i < n && threaded; i++) {
		int loop = loop_of(stage, order[i]);
		if (loop >= 0 && (threads[order[i]] > 1 || (i == n - 1 && !drawing->n_threads)))
			add(drawing, loop, threads[order[i]], BW_LOOP_THREAD);
	}
	for (int l = stage->n_loops - 1; l >= 0; l--)
		if (!stage->loops[l].pure && !(at_root && stage->loops[l].parallel))
			add(drawing, l, 0, BW_LOOP_SERIAL);
}

static struct bw_site site_of(const struct placing *placing, struct cs6120_place place)
{
	enum role role = role_of(placing->of, placing->tree, place);
	if (role == AT_ROOT)
		return (struct bw_site){.kind = BW_SITE_ROOT};
	return (struct bw_site){.kind = BW_SITE_AT,
				.func = place.func,
				.stage = place.stage,
				.role = role == AT_BLOCK    ? BW_ROLE_BLOCK
					: role == AT_THREAD ? BW_ROLE_THREAD
							    : BW_ROLE_SERIAL,
				.serial = role == AT_SERIAL ? place.level - 1 : 0};
}

static const struct bw_placement *place(void *data, int func)
{
	const struct placing *placing = data;
	const struct cs6120_func *at = &placing->tree->funcs[func];
	const struct bw_func *of = &placing->of->pipeline->funcs[func];
	if (at->inlined)
		return bw_plan_inline(placing->of->pipeline, func);
	enum role role = role_of(placing->of, placing->tree, at->compute);
	int64_t threads[BW_MAX_DIMS];
	int blocks = block_level(placing->of, placing->tree, func);
	if (role == AT_ROOT)
		kernel_threads(placing, func, threads);
	else if (role == AT_BLOCK)
		member_threads(placing, func, threads);
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct bw_stage_plan *stages = BW_ARENA_ARRAY(arena, struct bw_stage_plan, of->n_stages);
	for (int s = 0; s < of->n_stages; s++) {
		struct drawing drawing = {
		    .stage = &of->stages[s],
		    .role = role,
		    .loops = BW_ARENA_ARRAY(arena, struct bw_loop, 2 * of->stages[s].n_loops)};
		draw(placing, &drawing, threads, blocks ? blocks : of->n_dims);
		stages[s] = (struct bw_stage_plan){drawing.n, drawing.loops, false};
	}
	const struct bw_placement *placement =
	    bw_placement_make(&(struct bw_placement){.func = func,
						     .compute = site_of(placing, at->compute),
						     .store = site_of(placing, at->store),
						     .tiled = true,
						     .n_stages = of->n_stages,
						     .stages = stages});
	return placement;
}

struct bw_schedule *cs6120_schedule(struct cs6120 *of, const struct cs6120_tree *tree, struct bw_error *error)
{
	return bw_groups_schedule(&of->of, place, &(struct placing){of, tree}, error);
}

/* Returns a hash of a Func and the loops around it. These decide whether Halide knows the size of the
 * Func's storage. */
static uint64_t hash_of_place(const struct cs6120_tree *tree, int func)
{
	const struct cs6120_place *places[] = {&tree->funcs[func].compute, &tree->funcs[func].store};
	uint64_t hash = (uint64_t)func;
	for (int i = 0; i < 2; i++)
		for (struct cs6120_place at = *places[i]; at.func >= 0; at = tree->funcs[at.func].compute) {
			hash = bw_hash_bytes(hash, &at, sizeof at);
			hash = bw_hash_bytes(hash, tree->funcs[at.func].order, (size_t)at.level);
		}
	return hash;
}

static void add_tried(struct cs6120 *of, uint64_t place, const char *why)
{
	bw_hashes_add(&of->tried, place);
	if (!why)
		return;
	BW_PUSH(of->refusals, of->n_refusals, of->capacity,
		(struct cs6120_refusal){place, bw_arena_strdup(of->arena, why)});
}

/* Places the Funcs of a tree, consumers first, and records for each Func whether the GPU accepts its
 * place. */
static void try_places(struct cs6120 *of, const struct cs6120_tree *tree)
{
	struct placing placing = {of, tree};
	int n, *order = bw_nest_order(of->pipeline, &n);
	struct bw_nest *nest = bw_nest_new(of->pipeline);
	for (int i = 0; i < n && nest; i++) {
		struct bw_error error = {0};
		BW_SCOPED_PLACEMENT *placement = place(&placing, order[i]);
		struct bw_nest *more = bw_nest_place(nest, placement, &error);
		const struct bw_placed *placed = more ? more->placed[order[i]] : NULL;
		bool inside = tree->funcs[order[i]].compute.func >= 0;
		bool sized =
		    !placed || placed->memory == BW_MEMORY_GLOBAL || placed->proof >= BW_PROOF_BLOCKS;
		if (inside && (error.text[0] || !sized))
			add_tried(of, hash_of_place(tree, order[i]),
				  sized ? error.text
					: bw_arena_format(
					      of->arena,
					      "%s: the size of its allocation is not the same in all blocks",
					      of->pipeline->funcs[order[i]].name));
		else if (inside)
			add_tried(of, hash_of_place(tree, order[i]), NULL);
		bw_nest_drop(nest);
		nest = more;
	}
	bw_nest_drop(nest);
	free(order);
}

/* Returns why the GPU refuses a Func at its place; NULL if no reason is known. */
static const char *refusal_of(const struct cs6120 *of, const struct cs6120_tree *tree, int func)
{
	uint64_t place = hash_of_place(tree, func);
	for (int i = 0; i < of->n_refusals; i++)
		if (of->refusals[i].place == place)
			return of->refusals[i].why;
	return NULL;
}

static bool places_held(struct cs6120 *of, const struct cs6120_tree *tree, struct bw_text *why)
{
	bool known = true;
	for (int f = 0; f < of->pipeline->n_funcs && known; f++)
		known = tree->funcs[f].compute.func < 0 || bw_hashes_have(&of->tried, hash_of_place(tree, f));
	if (!known)
		try_places(of, tree);
	for (int f = of->pipeline->n_funcs - 1; f >= 0; f--) {
		const char *refusal = tree->funcs[f].compute.func >= 0 ? refusal_of(of, tree, f) : NULL;
		if (refusal && why)
			bw_text_puts(why, refusal);
		if (refusal)
			return false;
	}
	return true;
}

bool cs6120_held(struct cs6120 *of, const struct cs6120_tree *tree, const struct cs6120_cost *cost,
		 struct bw_text *why)
{
	const double registers = 4 * of->device.register_limit;
	for (int f = of->pipeline->n_funcs - 1; f >= 0; f--)
		if (tree->funcs[f].compute.func >= 0 && refuse(of, tree, f, why))
			return false;
	bool fits = cost->block_bytes <= of->device.shared_per_block;
	if (fits && cost->thread_bytes <= registers)
		return places_held(of, tree, why);
	if (why)
		bw_text_printf(why, "%.0f bytes in a %s, limit %.0f",
			       fits ? cost->thread_bytes : cost->block_bytes, fits ? "thread" : "block",
			       fits ? registers : of->device.shared_per_block);
	return false;
}
