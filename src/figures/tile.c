#include "figures/tile.h"

#include <string.h>

#include "nest/plan.h"

const char *bw_tile_part_word(enum bw_tile_part_kind kind)
{
	static const char *const words[] = {
#define X(name, word) word,
		BW_TILE_PART_TABLE(X)
#undef X
	};
	return words[kind];
}

static bool is_inlined(const struct bw_placed *placed)
{
	return placed && placed->placement->compute.kind == BW_SITE_INLINE;
}

/* Finds the kernel of a Func: its own, its host's, or that of the first Func that reads an inlined one. */
static bool find_kernel(const struct bw_nest *nest, int func, int *kernel, int *stage)
{
	const struct bw_placed *placed = nest->placed[func];
	if (!placed)
		return false;
	*kernel = placed->kernel_func;
	*stage = placed->kernel_stage;
	if (is_inlined(placed)) {
		const struct bw_func *about = &nest->pipeline->funcs[func];
		for (int c = 0; c < about->n_consumers; c++)
			if (about->consumers[c]->func != func && find_kernel(nest, about->consumers[c]->func, kernel, stage))
				return true;
		return false;
	}
	if (*kernel >= 0)
		return true;
	*kernel = func;
	*stage = placed->placement->n_stages - 1; /* updates do the work of a Func that has any */
	return *stage >= 0;
}

enum { LISTED = 1, WALKED = 2 };

/* The tile while it is filled. */
struct making {
	const struct bw_nest *nest;
	struct bw_block_tile *tile;
	unsigned char *seen; /* by Func: LISTED, WALKED */
};

static struct bw_tile_part *add(struct making *making, int func, enum bw_tile_part_kind kind)
{
	const struct bw_nest *nest = making->nest;
	const struct bw_placed *placed = nest->placed[func];
	struct bw_tile_part *part = &making->tile->parts[making->tile->n++];
	making->seen[func] |= LISTED;
	*part = (struct bw_tile_part){
	    .func = func, .kind = kind, .again = 1, .calls = 1, .threads = {1, 1, 1}, .serial = 1};
	part->bounded = bw_block_region(nest, making->tile->func, making->tile->stage, func, &part->region);
	if (part->bounded) {
		part->points = bw_box_points(part->region.box, part->region.n_dims);
		part->shared = bw_block_shared(&part->region);
	}
	if (placed && kind != BW_TILE_READ && placed->minimum_points > 0)
		part->again = bw_busy_points(nest, func) / placed->minimum_points;
	return part;
}

/* Adds a Func that the kernel computes and stores. */
static void add_computed(struct making *making, int func, enum bw_tile_part_kind kind)
{
	const struct bw_placed *placed = making->nest->placed[func];
	struct bw_tile_part *part = add(making, func, kind);
	const struct bw_placed_stage *stage = &placed->stages[kind == BW_TILE_HOST ? making->tile->stage : 0];
	part->bytes = placed->bytes;
	part->memory = placed->memory;
	memcpy(part->threads, stage->threads, sizeof part->threads);
	part->serial = stage->serial;
	bool root = placed->placement->compute.kind == BW_SITE_ROOT,
	     block = placed->placement->compute.kind == BW_SITE_AT &&
		     placed->placement->compute.role == BW_ROLE_BLOCK;
	if ((root || block) && placed->placement->tiled &&
	    part->threads[0] * part->threads[1] * part->threads[2] > 1) {
		int64_t threads[BW_MAX_AXES];
		bw_plan_sizes(making->nest->pipeline, placed->placement, part->each, threads);
	}
}

/* Adds what a stage reads: through inlined Funcs, and those in memory. */
static void add_reads(struct making *making, const struct bw_stage *stage, bool stored)
{
	for (int i = 0; i < stage->n_reads; i++) {
		int func = stage->reads[i].producer;
		const struct bw_placed *placed = making->nest->placed[func];
		if (is_inlined(placed)) {
			int mark = stored ? WALKED : LISTED, seen = making->seen[func];
			if (!stored && !seen)
				add(making, func, BW_TILE_INLINED)->calls = placed->calls;
			making->seen[func] |= (unsigned char)mark;
			if (!(seen & mark))
				add_reads(making, &making->nest->pipeline->funcs[func].stages[0], stored);
			continue;
		}
		if (making->seen[func] || !stored)
			continue;
		struct bw_tile_part *part = add(making, func, BW_TILE_READ);
		part->memory = BW_MEMORY_GLOBAL;
		part->bytes = part->points * making->nest->pipeline->funcs[func].bytes;
	}
}

void bw_tile_of_kernel(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena,
		       struct bw_block_tile *tile)
{
	int n_funcs = nest->pipeline->n_funcs;
	*tile = (struct bw_block_tile){.func = func, .stage = stage};
	struct bw_kernel kernel = bw_nest_kernel(nest, tile->func, tile->stage, arena);
	struct making making = {nest, tile, BW_ARENA_ARRAY(arena, unsigned char, n_funcs)};
	memset(making.seen, 0, (size_t)n_funcs);
	memcpy(tile->blocks, kernel.blocks, sizeof tile->blocks);
	tile->n_blocks = kernel.n_blocks;
	tile->n_threads = kernel.n_threads;
	tile->parts = BW_ARENA_ARRAY(arena, struct bw_tile_part, n_funcs + 1);
	add_computed(&making, tile->func, BW_TILE_HOST);
	for (int i = 0; i < kernel.n_members; i++)
		if (!making.seen[kernel.members[i]])
			add_computed(&making, kernel.members[i], BW_TILE_INSIDE);
	int n_computed = tile->n;
	for (int stored = 0; stored < 2; stored++)
		for (int i = 0; i < n_computed; i++) {
			const struct bw_func *about = &nest->pipeline->funcs[tile->parts[i].func];
			for (int s = 0; s < about->n_stages; s++)
				if (i > 0 || s == tile->stage)
					add_reads(&making, &about->stages[s], stored);
		}
}

bool bw_tile_of(const struct bw_nest *nest, int func, struct bw_arena *arena, struct bw_block_tile *tile)
{
	int kernel, stage;
	if (func < 0 || !find_kernel(nest, func, &kernel, &stage))
		return false;
	bw_tile_of_kernel(nest, kernel, stage, arena, tile);
	tile->selected = -1;
	for (int i = 0; i < tile->n; i++)
		if (tile->parts[i].func == func)
			tile->selected = i;
	return true;
}

bool bw_tile_place(const struct bw_block_tile *tile, const struct bw_tile_part *part,
		   struct bw_tile_place *place)
{
	const struct bw_block_region *host = &tile->parts[0].region, *region = &part->region;
	*place = (struct bw_tile_place){.high = {1, 1}};
	if (!part->bounded)
		return false;
	for (int d = 0; d < 2 && d < region->n_dims && d < host->n_dims; d++) {
		double step = (double)host->step[d], scale = 1,
		       size = (double)(region->box[d].max - region->box[d].min + 1);
		bool other = step == 0 && size != (double)(host->box[d].max - host->box[d].min + 1);
		if (other || (step > 0 && region->step[d] == 0))
			return false;
		if (step > 0)
			scale = step / (double)region->step[d];
		place->low[d] = (double)region->box[d].min * scale;
		place->high[d] = place->low[d] + size * scale;
		place->each[d] = part->each[d] > 0 && (double)part->each[d] < size
				     ? (double)part->each[d] * scale
				 : part->each[d] > 0 ? size * scale
						     : 0;
		if (place->low[d] >= (double)host->box[d].max + 1 || place->high[d] <= (double)host->box[d].min)
			return false;
		place->band[d] = region->step[d] > 0 ? (size - (double)region->step[d]) * scale : 0;
	}
	return region->n_dims > 0;
}

static json_t *region_json(const struct bw_tile_part *part)
{
	json_t *box = json_array(), *step = json_array();
	for (int d = 0; d < part->region.n_dims && part->bounded; d++) {
		json_array_append_new(box, json_pack("[I, I]", (json_int_t)part->region.box[d].min, (json_int_t)part->region.box[d].max));
		json_array_append_new(step, json_integer(part->region.step[d]));
	}
	return json_pack("{s:o, s:o}", "box", box, "step", step);
}

static json_t *part_json(const struct bw_pipeline *pipeline, const struct bw_tile_part *part)
{
	json_t *object = region_json(part), *threads = json_array();
	for (int d = 0; d < 3; d++)
		json_array_append_new(threads, json_integer(part->threads[d]));
	json_object_set_new(object, "func", json_string(pipeline->funcs[part->func].name));
	json_object_set_new(object, "is", json_string(bw_tile_part_word(part->kind)));
	json_object_set_new(object, "points", json_real(part->points));
	json_object_set_new(object, "shared", json_real(part->shared));
	json_object_set_new(object, "computed", json_real(part->again));
	json_object_set_new(object, "calls", json_real(part->calls));
	json_object_set_new(object, "bytes", json_real(part->bytes));
	json_object_set_new(
	    object, "memory",
	    json_string(part->kind == BW_TILE_INLINED ? "none" : bw_memory_name(part->memory)));
	json_object_set_new(object, "threads", threads);
	json_object_set_new(object, "points_per_thread", json_integer(part->serial));
	return object;
}

json_t *bw_tile_json(const struct bw_pipeline *pipeline, const struct bw_block_tile *tile)
{
	json_t *parts = json_array(), *blocks = json_array();
	for (int i = 0; i < tile->n; i++)
		json_array_append_new(parts, part_json(pipeline, &tile->parts[i]));
	for (int d = 0; d < 3; d++)
		json_array_append_new(blocks, json_integer(tile->blocks[d]));
	return json_pack("{s:s, s:i, s:o, s:I, s:o}", "kernel", pipeline->funcs[tile->func].name, "stage",
			 tile->stage, "blocks", blocks, "threads_per_block", (json_int_t)tile->n_threads,
			 "funcs", parts);
}
