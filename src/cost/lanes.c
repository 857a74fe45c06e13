/* Counts the sectors, banks and passes of a warp's request. Requests are counted as a device serves them:
 * of global memory each sector once; of shared memory as many lanes at a time as fill all banks, again for
 * each further word of a bank. */
#include "cost/lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/say.h"
#include "cost/roofline_private.h"

enum { WORD = 4 };

struct bw_lanes bw_lanes_of(const struct bw_lane_shape *shape, int warp)
{
	struct bw_lanes lanes = {.bytes = shape->bytes};
	for (int lane = 0; lane < BW_WARP_LANES; lane++) {
		int64_t at = (int64_t)warp * BW_WARP_LANES + lane;
		const int64_t thread[] = {at % shape->block[0], at / shape->block[0] % shape->block[1],
					  at / shape->block[0] / shape->block[1]};
		if (thread[2] < shape->block[2] && thread[0] < shape->own[0] && thread[1] < shape->own[1] &&
		    thread[2] < shape->own[2])
			lanes.active |= UINT32_C(1) << lane;
		for (int d = 0; d < shape->n_dims; d++) {
			double coordinate = 1e-9;
			for (int t = 0; t < 3; t++)
				if (shape->dims[d].steps[t].den)
					coordinate += (double)(shape->dims[d].steps[t].num * thread[t]) /
						      (double)shape->dims[d].steps[t].den;
			lanes.places[lane] += (int64_t)floor(coordinate) * shape->dims[d].bytes;
		}
	}
	return lanes;
}

BW_ORDER(ascending, int64_t, BW_COMPARE(*a, *b))

/* Writes what active lanes from..to - 1 touch in units of so many bytes, each once, ascending. Returns how
 * many. */
static int units_of(const struct bw_lanes *lanes, int from, int to, int phase, int unit,
		    int64_t found[4 * BW_WARP_LANES])
{
	int n = 0, distinct = 0, step = unit < lanes->bytes ? unit : lanes->bytes;
	for (int lane = from; lane < to; lane++)
		for (int byte = 0; byte < lanes->bytes && lanes->active >> lane & 1; byte += step)
			found[n++] = (int64_t)floor((double)(lanes->places[lane] + phase + byte) / unit);
	qsort(found, (size_t)n, sizeof *found, ascending);
	for (int k = 0; k < n; k++)
		if (!k || found[k] != found[distinct - 1])
			found[distinct++] = found[k];
	return distinct;
}

int bw_lanes_sectors(const struct bw_lanes *lanes, int phase)
{
	int64_t found[4 * BW_WARP_LANES];
	return units_of(lanes, 0, BW_WARP_LANES, phase, BW_LANE_SECTOR, found);
}

/* Returns the bank of a word, which may be in front of place 0. */
static int bank_of(int64_t word)
{
	return (int)((word % BW_LANE_BANKS + BW_LANE_BANKS) % BW_LANE_BANKS);
}

/* Returns how many lanes are served together. */
static int group_of(const struct bw_lanes *lanes)
{
	return lanes->bytes > WORD ? BW_WARP_LANES * WORD / lanes->bytes : BW_WARP_LANES;
}

int bw_lanes_passes(const struct bw_lanes *lanes, int *conflicts)
{
	int passes = 0, group = group_of(lanes);
	*conflicts = 0;
	for (int first = 0; first < BW_WARP_LANES; first += group) {
		int64_t words[4 * BW_WARP_LANES];
		int in[BW_LANE_BANKS] = {0}, most = 0, n = units_of(lanes, first, first + group, 0, WORD, words);
		for (int k = 0; k < n; k++) {
			int bank = bank_of(words[k]);
			in[bank]++;
			most = in[bank] > most ? in[bank] : most;
		}
		passes += most;
		*conflicts += most ? most - 1 : 0;
	}
	return passes;
}

/* Marks a cell as touched by a lane. */
static void mark(char *cell, int lane)
{
	char letter = (char)(lane < 10 ? '0' + lane : 'a' + lane - 10);
	*cell = *cell == '.' || *cell == letter ? letter : '*';
}

static void add_rows(struct bw_lane_map *map, int n)
{
	map->more += n;
	for (; map->more && map->n < BW_LANE_ROWS; map->more--) {
		memset(map->rows[map->n], '.', BW_WARP_LANES);
		map->rows[map->n++][BW_WARP_LANES] = 0;
	}
}

static void map_sectors(const struct bw_lanes *lanes, struct bw_lane_map *map)
{
	int64_t sectors[4 * BW_WARP_LANES];
	int n = units_of(lanes, 0, BW_WARP_LANES, 0, BW_LANE_SECTOR, sectors);
	add_rows(map, n);
	for (int lane = 0; lane < BW_WARP_LANES; lane++)
		for (int byte = 0; byte < lanes->bytes && lanes->active >> lane & 1; byte++)
			for (int row = 0; row < map->n; row++) {
				int64_t at = lanes->places[lane] + byte - sectors[row] * BW_LANE_SECTOR;
				if (at >= 0 && at < BW_LANE_SECTOR)
					mark(&map->rows[row][at], lane);
			}
}

static void map_passes(const struct bw_lanes *lanes, struct bw_lane_map *map)
{
	for (int first = 0, group = group_of(lanes); first < BW_WARP_LANES; first += group) {
		int64_t words[4 * BW_WARP_LANES];
		int in[BW_LANE_BANKS] = {0}, row[4 * BW_WARP_LANES], from = map->n,
		    n = units_of(lanes, first, first + group, 0, WORD, words), most = 0;
		for (int k = 0; k < n; k++) {
			row[k] = from + in[bank_of(words[k])]++;
			most = row[k] - from + 1 > most ? row[k] - from + 1 : most;
		}
		add_rows(map, most);
		for (int lane = first; lane < first + group; lane++)
			for (int byte = 0; byte < lanes->bytes && lanes->active >> lane & 1; byte++)
				for (int k = 0; k < n; k++)
					if (words[k] == (int64_t)floor((double)(lanes->places[lane] + byte) / WORD) && row[k] < map->n)
						mark(&map->rows[row[k]][bank_of(words[k])], lane);
	}
}

struct bw_lane_map bw_lanes_map(const struct bw_lanes *lanes, bool shared)
{
	struct bw_lane_map map = {0};
	(shared ? map_passes : map_sectors)(lanes, &map);
	return map;
}

/* The accesses of a stage. */

struct listing {
	const struct bw_device *device;
	struct bw_arena *arena;
	int func;
	struct bw_lane_access *list;
	int n;
};

/* Sets the threads' steps of an access's coordinates. Returns false if these depend on values. */
static bool find_shape(const struct bw_costing *costing, const struct bw_ratio *entries, int n_dims,
		       const struct bw_storage *storage, double element, struct bw_lane_shape *shape)
{
	const int n_loops = costing->func->stages[costing->stage].n_loops;
	bool known = true;
	shape->n_dims = n_dims;
	memcpy(shape->block, costing->context->kernel.threads, sizeof shape->block);
	memcpy(shape->own, costing->threads_of->threads, sizeof shape->own);
	for (int d = 0; d < n_dims; d++)
		shape->dims[d].bytes = (int64_t)(storage->strides[d] * element);
	for (int t = 0; t < 3; t++)
		for (int d = 0; d < n_dims && costing->along[t].loop >= 0; d++) {
			shape->dims[d].steps[t] = entries[d * n_loops + costing->along[t].loop];
			shape->dims[d].steps[t].num *= costing->along[t].points;
			known &= shape->dims[d].steps[t].den != 0;
		}
	return known;
}

/* Returns the sectors or passes of a request, averaged over the warps of the block that have lanes in it,
 * and over the positions in a sector where it can begin. */
static double average_of(const struct bw_lane_shape *shape, bool shared)
{
	int64_t threads = shape->block[0] * shape->block[1] * shape->block[2];
	int served = 0, requests = 0, step = shape->bytes > WORD ? shape->bytes : WORD, of;
	for (int warp = 0; warp * BW_WARP_LANES < threads; warp++) {
		struct bw_lanes lanes = bw_lanes_of(shape, warp);
		for (int phase = 0; lanes.active && phase < (shared ? 1 : BW_LANE_SECTOR); phase += step) {
			served += shared ? bw_lanes_passes(&lanes, &of) : bw_lanes_sectors(&lanes, phase);
			requests++;
		}
	}
	return requests ? (double)served / requests : 0;
}

static void add_access(struct listing *listing, const struct bw_costing *costing, int of,
		       const struct bw_ratio *entries, bool stores, double values)
{
	const struct bw_func *to = &costing->context->pipeline->funcs[of];
	struct bw_storage storage = bw_context_storage(costing->context, of);
	if (storage.memory != BW_MEMORY_GLOBAL && storage.memory != BW_MEMORY_SHARED)
		return;
	double element = (double)to->bytes / to->n_values,
	       width = bw_costing_width(costing, entries, of, &storage, stores);
	struct bw_lane_access access = {.func = listing->func,
					.of = of,
					.stage = costing->stage,
					.stores = stores,
					.shared = storage.memory == BW_MEMORY_SHARED,
					.count = values / width};
	int64_t found[4 * BW_WARP_LANES];
	access.known = find_shape(costing, entries, to->n_dims, &storage, element, &access.shape);
	access.shape.bytes = (int)(element * width);
	access.lanes = bw_lanes_of(&access.shape, 0);
	access.average = average_of(&access.shape, access.shared);
	if (access.shared) {
		access.served = bw_lanes_passes(&access.lanes, &access.conflicts);
		access.least = access.served - access.conflicts;
	} else {
		access.served = bw_lanes_sectors(&access.lanes, 0);
		int bytes = access.lanes.bytes * units_of(&access.lanes, 0, BW_WARP_LANES, 0, access.lanes.bytes, found);
		access.least = (bytes + BW_LANE_SECTOR - 1) / BW_LANE_SECTOR;
	}
	struct bw_lane_access *list = BW_ARENA_ARRAY(listing->arena, struct bw_lane_access, listing->n + 1);
	if (listing->n)
		memcpy(list, listing->list, (size_t)listing->n * sizeof *list);
	list[listing->n++] = access;
	listing->list = list;
}

static void list_stage(struct listing *listing, const struct bw_context *context,
		       const struct bw_context_at *at)
{
	struct bw_launch launch = bw_launch_of(&context->kernel, listing->device, 0);
	struct bw_costing costing = bw_costing_begin(context, listing->device, &launch, at);
	bw_costing_threads(&costing);
	costing.readings = bw_readings_of(context, at->func, at->stage, 0, listing->arena);
	for (int r = 0; r < costing.readings.n; r++) {
		const struct bw_reading *reading = &costing.readings.list[r];
		for (int s = 0; s < reading->n_shapes; s++)
			add_access(listing, &costing, reading->func, reading->shapes[s].entries, false,
				   reading->shapes[s].count * costing.readings.unrolled);
	}
	add_access(listing, &costing, at->func, costing.func->stages[at->stage].store.entries, true,
		   costing.readings.unrolled);
}

struct bw_lane_access *bw_lane_accesses(const struct bw_nest *nest, const struct bw_device *device, int func,
					struct bw_arena *arena, int *n)
{
	struct listing listing = {device, arena, func, NULL, 0};
	int n_kernels;
	const struct bw_kernel *kernels = bw_nest_kernels(nest, arena, &n_kernels);
	for (int k = 0; k < n_kernels; k++) {
		struct bw_context context = bw_context_of(nest, kernels[k].func, kernels[k].stage, arena);
		BW_CONTEXT_EACH(&context, at)
			if (at.func == func)
				list_stage(&listing, &context, &at);
	}
	*n = listing.n;
	return listing.list;
}

/* Appends advice on how to bring the lanes of an access to global memory closer together. */
static void mend_words(const struct bw_func *of, const struct bw_lane_access *access, struct bw_text *out)
{
	const struct bw_lane_shape *shape = &access->shape;
	for (int t = 0; t < 3; t++)
		for (int d = 0; d < shape->n_dims; d++) {
			const struct bw_ratio step = shape->dims[d].steps[t];
			if (!step.den || !step.num || shape->own[t] < 2)
				continue;
			if (shape->dims[d].bytes > of->bytes / of->n_values)
				bw_text_printf(out, "thread %c walks dimension %d of %s, whose points are %lld bytes apart: dimension 0 there, or another order of storage, puts neighbouring lanes beside each other",
					       "xyz"[t], d, of->name, (long long)shape->dims[d].bytes);
			else if (step.num > step.den)
				bw_text_printf(out, "neighbouring lanes are %.4g points apart: one aligned vector of these in each, or a split that leaves thread x innermost, fills the sectors",
					       (double)step.num / (double)step.den);
			else
				bw_text_printf(out, "rows of %lld lanes fill no sectors: a wider thread %c does", (long long)shape->own[t], "xyz"[t]);
			return;
		}
	bw_text_puts(out, "all lanes go to one place");
}

void bw_lane_access_words(const struct bw_pipeline *pipeline, const struct bw_lane_access *access,
			  struct bw_text *out)
{
	const struct bw_func *of = &pipeline->funcs[access->of];
	if (!access->known) {
		bw_text_puts(out, "Where each lane goes depends on values.");
		return;
	}
	bool shared = access->shared, apart = access->average > access->served + 0.05;
	bw_text_printf(out, "%s%s for %d", bw_say_number(access->served, shared ? "pass" : "sector").text,
		       shared ? " through the banks" : "", access->least);
	if (apart)
		bw_text_printf(out, ", %.1f on average over the block's warps%s", access->average, shared ? "" : " and where it may begin");
	if (shared ? access->conflicts || apart : access->served > access->least)
		bw_text_puts(out, ": ");
	if (shared && (access->conflicts || apart))
		bw_text_printf(out, "lanes ask one bank for several words, which rows of %s that are an odd number of words apart, by another width of its tile or by padding, spread over the banks", of->name);
	else if (!shared && access->served > access->least)
		mend_words(of, access, out);
	else if (apart)
		bw_text_puts(out, ": a multiple of 32 threads in x, and rows that begin at a multiple of 32 bytes, mend that");
	bw_text_puts(out, ".");
}
