#include "schedulers/greedy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The cost of one tile of a group (listing 2). */
struct group_cost {
	double tiles;      /* number of tiles */
	double arithmetic; /* operations */
	double loads;      /* values loaded from outside of the group */
	double bytes;      /* bytes of these values and of the group's intermediate values */
};

/* Costs of groups: arithmetic, and values loaded (Mullapudi et al. 2016, section 4.1 and listings 1 and 2).
 */

static void add_arithmetic(const struct bw_groups *groups, const struct bw_stage *stage, double iterations,
			   void *data)
{
	struct group_cost *cost = data;
	if (!groups->inlined[stage->func])
		cost->arithmetic += iterations * bw_groups_operations(groups, stage);
}

/* Computes the cost of a tile of the group of `output`, with the members of the group `extra` (-1: none)
 * added. tile: extents by dimension, in points; NULL: one point. Returns false if some region has no
 * bound. Afterwards greedy->own.of.boxes has the regions of the members, and of the Funcs and inputs that
 * the members load. */
static bool cost_of(struct greedy *greedy, int output, int extra, const int64_t *tile,
		    struct group_cost *cost)
{
	const struct bw_pipeline *pipeline = greedy->own.of.pipeline;
	*cost = (struct group_cost){0};
	if (!greedy->own.of.bounded[output])
		return false;
	cost->tiles = bw_groups_place(&greedy->own.of, output, tile);
	for (int f = output; f >= 0; f--) {
		bool member = greedy->own.of.group[f] == output || (extra >= 0 && greedy->own.of.group[f] == extra);
		if (!greedy->own.of.known[f])
			continue;
		if (member || greedy->own.of.inlined[f]) {
			if (!bw_groups_reads(&greedy->own.of, f, add_arithmetic, cost))
				return false;
		} else {
			cost->loads += bw_groups_clip(&greedy->own.of, f);
		}
		if (!greedy->own.of.inlined[f] && f != output)
			cost->bytes += bw_groups_clip(&greedy->own.of, f) * pipeline->funcs[f].bytes;
	}
	return true;
}

/* Returns the operations of a whole group, including loads; INFINITY if a region has no bound. */
static double total_cost(struct greedy *greedy, int output, int extra, const int64_t *tile)
{
	struct group_cost cost;
	if (!cost_of(greedy, output, extra, tile, &cost))
		return INFINITY;
	return cost.tiles * (cost.arithmetic + greedy->options.load_cost * cost.loads);
}

static void add_accesses(const struct bw_groups *groups, const struct bw_stage *stage, double iterations,
			 void *data)
{
	double *loads = data;
	for (int r = 0; r < stage->n_reads; r++)
		if (stage->reads[r].producer != stage->func && !groups->inlined[stage->reads[r].producer])
			*loads += iterations * stage->reads[r].calls;
}

/* Returns the number of loads without a tile, as listing 1 counts them: each access is one load. */
static double all_loads(struct greedy *greedy, int output)
{
	double loads = 0;
	int n_dims = greedy->own.of.pipeline->funcs[output].n_dims;
	memset(greedy->own.of.known, 0, (size_t)greedy->own.of.pipeline->n_funcs * sizeof *greedy->own.of.known);
	greedy->own.of.known[output] = true;
	memcpy(&greedy->own.of.boxes[output * BW_MAX_DIMS], &greedy->own.of.whole[output * BW_MAX_DIMS],
	       (size_t)n_dims * sizeof *greedy->own.of.boxes);
	for (int f = output; f >= 0; f--)
		if (greedy->own.of.known[f] && (f == output || greedy->own.of.inlined[f]) &&
		    !bw_groups_reads(&greedy->own.of, f, add_accesses, &loads))
			return INFINITY;
	return loads;
}

/* The candidate tiles of a group's output Func: boxes of equal extents, or boxes that are longer in the
 * dimensions with the most reuse, in which neighbouring points read the most values in common (Mullapudi
 * et al. 2016, sections 4.1 and 4.2.3). */

/* Sets greedy->own.of.boxes to the regions read by a strip of the output: one point in dimension d, and
 * all points in the other dimensions. */
static bool read_strip(struct greedy *greedy, int output, int d, int64_t at)
{
	const struct bw_pipeline *pipeline = greedy->own.of.pipeline;
	struct bw_interval *box = &greedy->own.of.boxes[output * BW_MAX_DIMS];
	memset(greedy->own.of.known, 0, (size_t)pipeline->n_funcs * sizeof *greedy->own.of.known);
	memcpy(box, &greedy->own.of.whole[output * BW_MAX_DIMS],
	       (size_t)pipeline->funcs[output].n_dims * sizeof *box);
	box[d] = (struct bw_interval){at, at};
	return bw_groups_reads(&greedy->own.of, output, NULL, NULL);
}

/* Returns the number of points that two boxes have in common. */
static double common_points(const struct bw_interval *a, const struct bw_interval *b, int n_dims)
{
	double points = 1;
	for (int d = 0; d < n_dims; d++) {
		int64_t min = a[d].min > b[d].min ? a[d].min : b[d].min, max = a[d].max < b[d].max ? a[d].max : b[d].max;
		points *= max < min ? 0 : (double)(max - min + 1);
	}
	return points;
}

/* Returns the number of values that two adjacent strips of the output both read. */
static double reuse(struct greedy *greedy, int output, int d, struct bw_arena *arena)
{
	const struct bw_pipeline *pipeline = greedy->own.of.pipeline;
	const struct bw_interval *whole = &greedy->own.of.whole[output * BW_MAX_DIMS + d];
	int n = pipeline->n_funcs;
	struct bw_interval *first = BW_ARENA_ARRAY(arena, struct bw_interval, n * BW_MAX_DIMS);
	int64_t middle = whole->min + (whole->max - whole->min) / 2;
	double sum = 0;
	if (!read_strip(greedy, output, d, middle))
		return 0;
	memcpy(first, greedy->own.of.boxes, (size_t)(n * BW_MAX_DIMS) * sizeof *first);
	if (!read_strip(greedy, output, d, middle + 1))
		return 0;
	for (int p = 0; p < n; p++)
		if (greedy->own.of.known[p])
			sum += common_points(&first[p * BW_MAX_DIMS], &greedy->own.of.boxes[p * BW_MAX_DIMS],
					     pipeline->funcs[p].n_dims);
	return sum;
}

/* Orders the dimensions by reuse, the largest first. */
static void order_by_reuse(struct greedy *greedy, int output, struct bw_arena *arena, int *order)
{
	double reuses[BW_MAX_DIMS];
	for (int d = 0; d < greedy->own.of.pipeline->funcs[output].n_dims; d++) {
		int at = d;
		reuses[d] = reuse(greedy, output, d, arena);
		for (; at > 0 && reuses[order[at - 1]] < reuses[d]; at--)
			order[at] = order[at - 1];
		order[at] = d;
	}
}

static bool known_tile(const int64_t *tiles, int n, int n_dims, const int64_t *tile)
{
	for (int i = 0; i < n; i++)
		if (!memcmp(&tiles[i * n_dims], tile, (size_t)n_dims * sizeof *tile))
			return true;
	return false;
}

/* Returns the candidate tiles of a group's output (section 4.2.3), n_dims extents each. The arena owns
 * them. */
static int64_t *list_tiles(struct greedy *greedy, int output, struct bw_arena *arena, int *n)
{
	static const int64_t sizes[] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
	enum { SIZES = sizeof sizes / sizeof *sizes };
	int n_dims = greedy->own.of.pipeline->funcs[output].n_dims, order[BW_MAX_DIMS] = {0};
	int64_t *tiles = BW_ARENA_ARRAY(arena, int64_t, SIZES * SIZES * n_dims * n_dims);
	order_by_reuse(greedy, output, arena, order);
	*n = 0;
	for (int base = 0; base < SIZES; base++)
		for (int longer = base; longer < SIZES; longer++)
			for (int k = 1; k <= n_dims; k++) {
				int64_t *tile = &tiles[*n * n_dims];
				for (int i = 0; i < n_dims; i++)
					tile[order[i]] = sizes[i < k ? longer : base];
				tile[0] = tile[0] > greedy->options.vector_width ? tile[0] : greedy->options.vector_width;
				for (int d = 0; d < n_dims; d++) {
					const struct bw_interval *whole = &greedy->own.of.whole[output * BW_MAX_DIMS + d];
					int64_t extent = whole->max - whole->min + 1;
					tile[d] = tile[d] < extent ? tile[d] : extent;
				}
				*n += !known_tile(tiles, *n, n_dims, tile);
			}
	return tiles;
}

/* Returns true if there are enough tiles for the device, and a tile fits into a block and into the
 * block's memory. */
static bool tile_fits(const struct greedy *greedy, int output, const int64_t *tile,
		      const struct group_cost *cost)
{
	double points = 1;
	for (int d = 0; d < greedy->own.of.pipeline->funcs[output].n_dims; d++)
		points *= (double)tile[d];
	return cost->tiles >= greedy->options.parallelism_threshold &&
	       cost->bytes <= greedy->options.cache_size &&
	       points >= (double)greedy->options.target_threads_per_block &&
	       points <= (double)greedy->options.max_threads_per_block;
}

static const struct bw_walk_column columns[] = {
	{"saves", "operations", "benefit: operations before less those after it"},
	{"before", "operations", "of what it changes, loads included, as it is"},
	{"after", "operations", "of the same with it, in the best tile"},
	{"tiles", "", "blocks of the merged group"},
	{"touches", "bytes", "memory that a tile takes, without its output"},
};

struct bw_greedy_options bw_greedy_options_default(const struct bw_device *device)
{
	enum { THRESHOLD = 128, CACHE = 48 << 10, LOAD_COST = 10, THREADS = 128 };
	return (struct bw_greedy_options){
		.parallelism_threshold = THRESHOLD,
		.cache_size = CACHE,
		.load_cost = LOAD_COST,
		.vector_width = (int64_t)device->warp_size,
		.target_threads_per_block = THREADS,
		.max_threads_per_block = (int64_t)device->threads_per_block,
	};
}

/* Returns the candidate of the last decision for the same Funcs, or NULL. */
static const struct greedy_candidate *find_before(const struct greedy *greedy, int func, int consumer)
{
	for (int c = 0; c < greedy->n; c++)
		if (greedy->candidates[c].choice.func == func && greedy->candidates[c].choice.consumer == consumer)
			return &greedy->candidates[c];
	return NULL;
}

static double alone(void *state, int func)
{
	return total_cost(state, func, -1, NULL);
}

/* Lists the Funcs that can be inlined next (section 4.3). Returns their number. */
static int list_inlinings(struct greedy *greedy, struct greedy_candidate *list)
{
	const struct bw_groups *of = &greedy->own.of;
	BW_SCOPED_MEMORY bool *marked = BW_NEW_ARRAY(bool, of->pipeline->n_funcs);
	int n = 0;
	for (int f = 0; f < of->pipeline->n_funcs; f++) {
		if (!bw_grouping_may_inline(of, f))
			continue;
		const struct greedy_candidate *before = find_before(greedy, f, -1);
		struct greedy_candidate *one = &list[n++];
		*one = (struct greedy_candidate){
		    .choice = {.func = f, .consumer = -1, .refused = before ? before->choice.refused : NULL}};
		bw_grouping_weigh(&greedy->own, &one->choice, marked, alone, &one->before, &one->after);
	}
	return n;
}

/* Sets the best tile of a group of one Func that has updates, for reuse of its input (listing 1). */
static void tile_singleton(struct greedy *greedy, int func)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	double without = all_loads(greedy, func), best = 0;
	int n, n_dims = greedy->own.of.pipeline->funcs[func].n_dims;
	const int64_t *tiles = list_tiles(greedy, func, arena, &n);
	for (int i = 0; i < n; i++) {
		struct group_cost cost;
		const int64_t *tile = &tiles[i * n_dims];
		if (!cost_of(greedy, func, -1, tile, &cost) ||
		    !tile_fits(greedy, func, tile, &cost) || without - cost.tiles * cost.loads <= best)
			continue;
		best = without - cost.tiles * cost.loads;
		int64_t *kept = BW_ARENA_ARRAY(greedy->own.of.arena, int64_t, n_dims);
		memcpy(kept, tile, (size_t)n_dims * sizeof *kept);
		greedy->own.of.tiles[func] = kept;
	}
}

/* Finds the tile with which a merge saves most (listing 2). */
static void evaluate_merge(struct greedy *greedy, struct greedy_candidate *merge)
{
	int producer = merge->choice.func, consumer = merge->choice.consumer;
	BW_SCOPED_ARENA *arena = bw_arena_new();
	int n, n_dims = greedy->own.of.pipeline->funcs[consumer].n_dims;
	double apart = total_cost(greedy, producer, -1, greedy->own.of.tiles[producer]) +
		       total_cost(greedy, consumer, -1, greedy->own.of.tiles[consumer]);
	const int64_t *tiles = list_tiles(greedy, consumer, arena, &n), *best = NULL;
	merge->choice.benefit = -INFINITY;
	for (int i = 0; i < n; i++) {
		struct group_cost cost;
		const int64_t *tile = &tiles[i * n_dims];
		if (!cost_of(greedy, consumer, producer, tile, &cost) ||
		    !tile_fits(greedy, consumer, tile, &cost))
			continue;
		double together = cost.tiles * (cost.arithmetic + greedy->options.load_cost * cost.loads);
		if (apart - together > merge->choice.benefit) {
			merge->choice.benefit = apart - together;
			merge->before = apart;
			merge->after = together;
			merge->tiles = cost.tiles;
			merge->bytes = cost.bytes;
			best = tile;
		}
	}
	if (best) {
		int64_t *tile = BW_ARENA_ARRAY(greedy->own.of.arena, int64_t, n_dims);
		merge->choice.tile = memcpy(tile, best, (size_t)n_dims * sizeof *best);
	} else {
		merge->choice.benefit = 0;
		merge->choice.refused = "no tile leaves enough blocks and fits into shared memory";
	}
}

/* Lists the pairs of groups that can be merged next (section 4.2). Returns their number. */
static int list_merges(struct greedy *greedy, struct greedy_candidate *list)
{
	int n = 0;
	for (int f = 0; f < greedy->own.of.pipeline->n_funcs; f++) {
		int reader = bw_grouping_reader(&greedy->own.of, f);
		if (reader < 0)
			continue;
		const struct greedy_candidate *before = find_before(greedy, f, reader);
		list[n] = (struct greedy_candidate){.choice = {.func = f, .consumer = reader}};
		if (before && f != greedy->changed && reader != greedy->changed)
			list[n] = *before;
		else
			evaluate_merge(greedy, &list[n]);
		n++;
	}
	return n;
}

/* Tiles the groups that have updates. A group for which the tile is not legal stays untiled. */
static void tile_all(struct greedy *greedy)
{
	struct bw_groups *of = &greedy->own.of;
	for (int f = 0; f < of->pipeline->n_funcs; f++) {
		if (of->group[f] != f || of->pipeline->funcs[f].n_stages < 2)
			continue;
		tile_singleton(greedy, f);
		if (of->tiles[f] && !bw_grouping_remake(&greedy->own, NULL))
			of->tiles[f] = NULL;
	}
}

static void end_phase(struct greedy *greedy)
{
	if (greedy->phase == GREEDY_INLINE)
		tile_all(greedy);
	greedy->phase++;
	greedy->n = 0;
}

enum { BLOCK_DIMS = 3 };

/* Sets the sizes of a group's output by dimension. Threads cover the tile's three innermost dimensions of
 * more than one point; the other dimensions of the tile are serial. Without a tile, a block has
 * target_threads_per_block threads, of which vector_width are along the innermost dimension. */
static void output_sizes(const struct greedy *greedy, int output, int64_t *serial, int64_t *threads)
{
	const int64_t *tile = greedy->own.of.tiles[output];
	int64_t left = greedy->options.target_threads_per_block, wide = greedy->options.vector_width;
	for (int d = 0, used = 0; d < greedy->own.of.pipeline->funcs[output].n_dims; d++) {
		int64_t extent = bw_groups_extent(&greedy->own.of, output, d), size = tile ? tile[d] : 1;
		if (!tile) {
			int64_t most = d == 0 && wide < left ? wide : left;
			while (size < most && size < extent)
				size *= 2;
			left /= size;
		}
		bool thread = size > 1 && used < BLOCK_DIMS;
		serial[d] = thread ? 1 : size;
		threads[d] = thread ? size : 1;
		used += thread;
	}
}

/* Computes the extents of the block that the output's threads make, x first. */
static void block_of(const struct greedy *greedy, int output, int64_t *block)
{
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES];
	int used = 0;
	output_sizes(greedy, output, serial, threads);
	for (int k = 0; k < BLOCK_DIMS; k++)
		block[k] = 1;
	for (int d = 0; d < greedy->own.of.pipeline->funcs[output].n_dims; d++)
		if (threads[d] > 1)
			block[used++] = threads[d];
}

/* Sets the serial sizes of a member. In each dimension, a block has as many threads as the member with
 * the most. If the block would have too many threads, each thread of the member computes several points. */
static void member_sizes(const struct greedy *greedy, int func, int64_t *serial)
{
	const struct bw_func *member = &greedy->own.of.pipeline->funcs[func];
	int n_dims = member->n_dims;
	const struct bw_interval *box = &greedy->own.of.boxes[func * BW_MAX_DIMS];
	int64_t block[BLOCK_DIMS], counts[BLOCK_DIMS];
	block_of(greedy, greedy->own.of.group[func], block);
	/* Reductions stay in each thread. */
	for (int a = 0; a < member->n_axes; a++)
		serial[a] = a < n_dims;
	for (int longest = 0; longest >= 0;) {
		double threads = 1;
		longest = -1;
		for (int d = 0; d < BLOCK_DIMS; d++) {
			counts[d] = d < n_dims ? (box[d].max - box[d].min + serial[d]) / serial[d] : 1;
			threads *= (double)(counts[d] > block[d] ? counts[d] : block[d]);
			if (counts[d] > block[d] && (longest < 0 || counts[d] - block[d] > counts[longest] - block[longest]))
				longest = d;
		}
		if (threads <= greedy->own.of.device->threads_per_block)
			return;
		if (longest >= 0)
			serial[longest] *= 2;
	}
}

static const struct bw_placement *place(void *data, int func)
{
	struct greedy *greedy = data;
	const struct bw_pipeline *pipeline = greedy->own.of.pipeline;
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES];
	int output = greedy->own.of.group[func];
	if (greedy->own.of.inlined[func])
		return bw_plan_inline(pipeline, func);
	if (output == func) {
		output_sizes(greedy, func, serial, threads);
		bw_plan_spread(pipeline, func, (int64_t)greedy->options.target_threads_per_block, serial, threads);
		return bw_plan_root(pipeline, func, serial, threads);
	}
	struct group_cost cost;
	struct bw_site site = {
	    .kind = BW_SITE_AT,
	    .func = output,
	    .stage = bw_groups_host(&greedy->own.of, output),
	    .role = BW_ROLE_BLOCK};
	cost_of(greedy, output, -1, greedy->own.of.tiles[output], &cost);
	member_sizes(greedy, func, serial);
	return bw_plan_at_block(pipeline, func, &site, serial);
}

struct greedy *greedy_new(const struct bw_pipeline *pipeline, const struct bw_device *device,
			  const struct bw_greedy_options *options, struct bw_error *error)
{
	struct greedy *greedy = bw_grouping_new(sizeof *greedy, pipeline, device, place);
	greedy->options = *options;
	greedy->changed = -1;
	if (bw_grouping_remake(&greedy->own, error))
		return greedy;
	bw_grouping_end(greedy);
	return NULL;
}

static void *begin(const struct bw_pipeline *pipeline, const struct bw_settings *options,
		   const char *argument, const void *older, struct bw_error *error)
{
	(void)older;
	if (*argument) {
		bw_fail(error, BW_ERROR_USAGE, "greedy takes nothing after it, not \"%s\"", argument);
		return NULL;
	}
	struct bw_device device = bw_settings_device(options);
	struct bw_greedy_options parameters = bw_greedy_options_default(&device);
	return greedy_new(pipeline, &device, &parameters, error);
}

static struct bw_walk_candidate candidate_of(const struct greedy *greedy, const struct greedy_candidate *from)
{
	const struct bw_group_choice *choice = &from->choice;
	struct bw_walk_candidate candidate = {.wanted = choice->benefit > 0, .refused = choice->refused};
	bool merges = choice->consumer >= 0;
	double figures[BW_WALK_COLUMNS] = {choice->benefit, from->before, from->after, merges ? from->tiles : NAN,
					   merges ? from->bytes : NAN};
	for (int c = 0; c < BW_WALK_COLUMNS; c++)
		candidate.figures[c] =
		    c < (int)(sizeof columns / sizeof *columns) && (!merges || choice->tile) ? figures[c] : NAN;
	bw_grouping_name(&greedy->own, choice, &candidate);
	return candidate;
}

/* Fills in the next decision. Skips phases without candidates. */
static bool next(void *state, struct bw_walk_step *step)
{
	struct greedy *greedy = state;
	for (; greedy->phase != GREEDY_END; end_phase(greedy)) {
		bool inlines = greedy->phase == GREEDY_INLINE;
		struct greedy_candidate *list =
		    BW_ARENA_ARRAY(greedy->own.arena, struct greedy_candidate, greedy->own.of.pipeline->n_funcs);
		greedy->n = inlines ? list_inlinings(greedy, list) : list_merges(greedy, list);
		greedy->candidates = list;
		qsort(list, (size_t)greedy->n, sizeof *list, bw_grouping_order);
		if (!greedy->n)
			continue;
		step->phase = inlines ? "inline" : "merge";
		step->question = inlines ? "which Func to inline" : "which groups to merge";
		step->n = greedy->n;
		step->candidates = BW_ARENA_ARRAY(greedy->own.arena, struct bw_walk_candidate, greedy->n);
		for (int c = 0; c < greedy->n; c++)
			step->candidates[c] = candidate_of(greedy, &list[c]);
		return true;
	}
	return false;
}

static bool take(void *state, int candidate, struct bw_error *error)
{
	struct greedy *greedy = state;
	struct bw_error why = {0};
	if (candidate < 0) {
		end_phase(greedy);
		return true;
	}
	struct bw_group_choice *choice = &greedy->candidates[candidate].choice;
	if (!choice->refused && !bw_grouping_try(&greedy->own, bw_grouping_apply, choice, &why))
		choice->refused = bw_arena_strdup(greedy->own.arena, why.text);
	if (choice->refused)
		return bw_fail(error, BW_ERROR_FAILED, "%s", choice->refused);
	greedy->changed = choice->consumer;
	return true;
}

const struct bw_walk_scheduler bw_greedy_walk = {
	.columns = columns,
	.n_columns = sizeof columns / sizeof *columns,
	.begin = begin,
	.next = next,
	.take = take,
	.schedule = bw_grouping_schedule,
	.describe = bw_grouping_describe,
	.end = bw_grouping_end,
};
