/* Enumerates the options of a decision: where to compute a Func, and how to tile a Func at root. */
#include <stdlib.h>

#include "base/arith.h"
#include "base/hash.h"
#include "nest/plan.h"
#include "space/question.h"

/* Returns true if serial extents are too large to unroll, and nobody needs the option. */
static bool leaves_out(const struct bw_question *question, const int64_t *serial)
{
	int n_dims = question->pipeline->funcs[question->func].n_dims;
	int64_t unrolled = 1;
	for (int d = 0; d < n_dims; d++)
		unrolled *= serial[d];
	return question->silent && !bw_question_asked(question) && unrolled > question->options->unrolled_limit;
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

struct tiles {
	const struct bw_question *question;
	const struct bw_recall *recall;
	struct bw_proposals *proposals;
	const struct bw_site *site;
	int64_t extents[BW_MAX_DIMS];
	uint64_t kind;
};

static uint64_t site_kind(const struct bw_site *site)
{
	uint64_t hash = bw_hash_mix(1, site->kind);
	if (site->kind != BW_SITE_AT)
		return hash;
	return bw_hash_mix(bw_hash_mix(hash, (uint64_t)site->func << 32 | (uint64_t)site->stage),
			   (uint64_t)site->role << 32 | (uint64_t)site->serial);
}

static void extents_of(const struct bw_interval *box, int n, int64_t *extents)
{
	for (int d = 0; d < n; d++)
		extents[d] = bw_max(box[d].max - box[d].min + 1, 1);
}

/* Returns a key of everything that the tiles depend on: the Func, the extents, the site; and
 * whether tiles that are too large to unroll get a placement. */
static uint64_t tiles_key(const struct tiles *tiles, uint64_t kind)
{
	const struct bw_question *question = tiles->question;
	int n_dims = question->pipeline->funcs[question->func].n_dims;
	bool prunes = question->silent && !bw_question_asked(question);
	return bw_hash_bytes(bw_hash_mix(kind, (uint64_t)question->func << 1 | prunes), tiles->extents,
			     (size_t)n_dims * sizeof *tiles->extents);
}

static void propose_at_block(const struct tiles *tiles, const int64_t *serial)
{
	const struct bw_question *question = tiles->question;
	const struct bw_placement *placement =
	    bw_plan_at_block(question->pipeline, question->func, tiles->site, serial);
	bw_propose(tiles->proposals, placement, tiles->kind, serial,
		   question->pipeline->funcs[question->func].n_dims);
}

static void propose_sizes(struct tiles *tiles)
{
	const struct bw_question *question = tiles->question;
	struct bw_combinations serials;
	int64_t serial[BW_MAX_DIMS];
	uint64_t key = tiles_key(tiles, tiles->kind);
	int before = tiles->proposals->n;
	if (bw_proposals_recall(tiles->recall, key, tiles->proposals))
		return;
	bw_serials_begin(&serials, tiles->extents, question->pipeline->funcs[question->func].n_dims,
			 (int64_t)question->options->device->warp_size, true);
	while (bw_combinations_next(&serials, serial))
		propose_at_block(tiles, serial);
	bw_proposals_keep(tiles->recall, key, tiles->proposals, before);
}

static void propose_site(struct tiles *tiles, const struct bw_site *site)
{
	const struct bw_question *question = tiles->question;
	const struct bw_nest *nest = question->parent->nest;
	struct bw_interval box[BW_MAX_DIMS];
	int n = question->pipeline->funcs[question->func].n_dims;
	tiles->site = site;
	tiles->kind = site_kind(site);
	if (site->role != BW_ROLE_BLOCK || bw_nest_inside_threads(nest, site)) {
		bw_propose(tiles->proposals, bw_plan_in_thread(question->pipeline, question->func, site),
			   tiles->kind, NULL, 0);
	} else if (bw_nest_required(nest, question->func, bw_level_of_site(site), box)) {
		extents_of(box, n, tiles->extents);
		propose_sizes(tiles);
	}
}

/* Makes the placement of a Func at root whose tiling is still to be decided. It is costed as if it
 * had whole warps in its innermost dimension. */
static const struct bw_placement *untiled(const struct bw_question *question)
{
	int64_t serial[BW_MAX_DIMS], threads[BW_MAX_DIMS];
	for (int d = 0; d < BW_MAX_DIMS; d++)
		serial[d] = threads[d] = 1;
	threads[0] = (int64_t)question->options->device->warp_size;
	for (threads[1] = 8; threads[1] > 1 && (double)(threads[0] * threads[1]) >
						   question->options->device->threads_per_block;)
		threads[1] /= 2;
	return bw_plan_untiled(question->pipeline, question->func, serial, threads);
}

/* Proposes what the search froze as the only option. At root its tiling may be left to be
 * decided. */
static void propose_frozen(const struct bw_question *question, struct bw_proposals *proposals)
{
	const struct bw_placement *held = question->constraint->placement;
	bool open = held->compute.kind == BW_SITE_ROOT && !question->constraint->sizes;
	bw_propose(proposals, open ? untiled(question) : bw_placement_keep(held), site_kind(&held->compute),
		   NULL, 0);
}

/* Returns true if a Func only hands on an input, as those that Halide makes for each input buffer.
 * It is never worth a place of its own. */
static bool hands_on(const struct bw_pipeline *pipeline, const struct bw_func *func)
{
	const struct bw_stage *stage = &func->stages[0];
	return func->wrapper && func->n_stages == 1 && stage->n_reads == 1 &&
	       pipeline->funcs[stage->reads[0].producer].input && stage->reads[0].n_loads == 1 &&
	       stage->reads[0].loads[0].count == 1;
}

/* Returns true if a Func is called point by point by one Func, as those that the paper inlines (section 4),
 * and reads no more than two others. Where three or more meet in one Func, all that is inlined above it meets
 * in one kernel: local_laplacian costs 0.43 as much by Halide's weights with that Func in a block. */
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

/* Proposes a placement with the serial pieces of another one, which it has got from that. */
static void propose_like(const struct bw_question *question, struct bw_proposals *proposals,
			 const struct bw_placement *placement)
{
	int64_t serial[BW_MAX_DIMS], threads[BW_MAX_DIMS];
	if (!placement)
		return;
	bw_plan_sizes(question->pipeline, placement, serial, threads);
	bw_propose(proposals, placement, site_kind(&placement->compute), serial,
		   question->pipeline->funcs[question->func].n_dims);
}

/* Proposes what a Func is with its serial pieces unrolled or not, and at a block in other memories: in global
 * memory, which then holds it for all blocks at once, only if somebody looks. */
static void propose_otherwise(const struct bw_question *question, struct bw_proposals *proposals)
{
	static const enum bw_memory memories[] = {BW_MEMORY_AUTO, BW_MEMORY_SHARED, BW_MEMORY_GLOBAL};
	const struct bw_placement *now = question->near->now;
	struct bw_placement draft = *now;
	if (!now->tiled)
		return;
	propose_like(question, proposals, bw_plan_unrolled(now, true));
	propose_like(question, proposals, bw_plan_unrolled(now, false));
	for (size_t m = 0; m < sizeof memories / sizeof *memories - question->silent; m++) {
		draft.memory = memories[m];
		bool other = draft.memory != now->memory && draft.memory != question->near->memory;
		if (now->compute.kind == BW_SITE_AT && now->compute.role == BW_ROLE_BLOCK && other)
			propose_like(question, proposals, bw_placement_make(&draft));
	}
}

/* Proposes the options other than sites in the kernels of other Funcs. Returns true if those are
 * wanted, too. */
static bool propose_apart(const struct bw_question *question, struct bw_proposals *proposals)
{
	const struct bw_func *func = &question->pipeline->funcs[question->func];
	struct bw_site root = {.kind = BW_SITE_ROOT}, inlined = {.kind = BW_SITE_INLINE};
	if (bw_question_frozen(question)) {
		propose_frozen(question, proposals);
		return false;
	}
	if (func->output) {
		bw_propose(proposals, untiled(question), site_kind(&root), NULL, 0);
		return false;
	}
	if (func->n_stages == 1)
		bw_propose(proposals, bw_plan_inline(question->pipeline, question->func), site_kind(&inlined), NULL, 0);
	if (bw_always_inlined(question))
		return false;
	bw_propose(proposals, untiled(question), site_kind(&root), NULL, 0);
	return question->pass > 0 || question->constraint;
}

bool bw_enumerate_sites(const struct bw_question *question, const struct bw_recall *recall,
			struct bw_proposals *proposals)
{
	enum { MOST_SITES = 64 };
	struct tiles tiles = {.question = question, .recall = recall, .proposals = proposals};
	struct bw_site sites[MOST_SITES];
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

/* Returns true if a block has at most three loops of more than one thread, which is what a GPU can
 * launch. */
static bool are_launched(const int64_t *threads, int n_dims)
{
	int used = 0;
	for (int d = 0; d < n_dims; d++)
		used += threads[d] > 1;
	return used <= BW_PLAN_THREAD_LOOPS;
}

static void propose_tiling(const struct tiles *tiles, const int64_t *serial, const int64_t *threads)
{
	const struct bw_question *question = tiles->question;
	int n_dims = question->pipeline->funcs[question->func].n_dims;
	uint64_t kind = 2;
	if (!are_launched(threads, n_dims))
		return;
	for (int d = 0; d < n_dims; d++)
		kind = bw_hash_mix(kind, (uint64_t)threads[d]);
	if (leaves_out(question, serial))
		tiles->proposals->left_out++;
	else
		bw_propose(tiles->proposals,
			   bw_plan_root(question->pipeline, question->func, serial, threads), kind, serial,
			   n_dims);
}

static void propose_threads(const struct tiles *tiles, const int64_t *serial)
{
	struct bw_combinations combinations;
	int64_t threads[BW_MAX_DIMS];
	bw_threads_begin(&combinations, tiles->extents, serial,
			 tiles->question->pipeline->funcs[tiles->question->func].n_dims);
	while (bw_combinations_next(&combinations, threads))
		propose_tiling(tiles, serial, threads);
}

/* Proposes the tilings that differ from the one at hand in one dimension. Threads are those that a tiling
 * with these serial extents is offered; with the serial extent at hand more are. */
static void propose_near(const struct tiles *tiles)
{
	const struct bw_question *question = tiles->question;
	int n_dims = question->pipeline->funcs[question->func].n_dims;
	struct bw_near sizes = *question->near;
	struct bw_combinations serials, threads;
	if (sizes.now->compute.kind != BW_SITE_ROOT)
		propose_tiling(tiles, sizes.serial, sizes.threads);
	bw_serials_begin(&serials, tiles->extents, n_dims, (int64_t)question->options->device->warp_size, false);
	for (int d = 0; d < n_dims; d++) {
		int64_t serial = sizes.serial[d], across = sizes.threads[d];
		for (int i = 0; i < serials.sizes[d].n; i++) {
			sizes.serial[d] = serials.sizes[d].list[i];
			bw_threads_begin(&threads, tiles->extents, sizes.serial, n_dims);
			if (sizes.serial[d] == serial)
				bw_sizes_widen(bw_div_up(tiles->extents[d], serial), d, &threads.sizes[d]);
			for (int k = 0; k < threads.sizes[d].n; k++) {
				sizes.threads[d] = threads.sizes[d].list[k];
				if (sizes.serial[d] != serial || sizes.threads[d] != across)
					propose_tiling(tiles, sizes.serial, sizes.threads);
			}
		}
		sizes.serial[d] = serial;
		sizes.threads[d] = across;
	}
}

/* Returns true if a Func is placed with its tiling still to be decided. */
static bool to_be_tiled(const struct bw_placed *placed)
{
	return placed->placement->compute.kind == BW_SITE_ROOT && !placed->placement->tiled;
}

bool bw_tiles_alike(const struct bw_question *a, const struct bw_question *b)
{
	const struct bw_placed *x = a->parent->nest->placed[a->func], *y = b->parent->nest->placed[b->func];
	int64_t extents[2][BW_MAX_DIMS];
	if (a->phase != BW_PHASE_TILE || !to_be_tiled(x) || !to_be_tiled(y))
		return false;
	int n = a->pipeline->funcs[a->func].n_dims;
	extents_of(x->regions[0].required, n, extents[0]);
	extents_of(y->regions[0].required, n, extents[1]);
	for (int d = 0; d < n; d++)
		if (extents[0][d] != extents[1][d])
			return false;
	return true;
}

bool bw_enumerate_tiles(const struct bw_question *question, const struct bw_recall *recall,
			struct bw_proposals *proposals)
{
	enum { AT_ROOT = 3 };
	const struct bw_placed *placed = question->parent->nest->placed[question->func];
	int n_dims = question->pipeline->funcs[question->func].n_dims;
	struct tiles tiles = {.question = question, .recall = recall, .proposals = proposals};
	int64_t serial[BW_MAX_DIMS];
	struct bw_combinations serials;
	if (!to_be_tiled(placed)) {
		bw_propose(proposals, NULL, 0, NULL, 0);
		return true;
	}
	extents_of(placed->regions[0].required, n_dims, tiles.extents);
	uint64_t key = tiles_key(&tiles, AT_ROOT);
	if (question->near) {
		propose_near(&tiles);
		return true;
	}
	if (bw_proposals_recall(recall, key, proposals))
		return true;
	bw_serials_begin(&serials, tiles.extents, n_dims, (int64_t)question->options->device->warp_size, false);
	while (bw_combinations_next(&serials, serial)) {
		if (!bw_yield(question->yield))
			return false;
		propose_threads(&tiles, serial);
	}
	bw_proposals_keep(recall, key, proposals, 0);
	return true;
}
