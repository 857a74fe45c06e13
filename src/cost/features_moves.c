/* The traffic of a regular and a tail warp for one access (Anderson et al. 2021, section 5.1, "memory
 * access"). */
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "cost/features_private.h"

/* Bytes per bank of shared memory. */
enum { BANK_BYTES = 4 };

void bw_traffic_add(struct bw_traffic *to, const struct bw_traffic *more)
{
	to->transactions += more->transactions;
	to->used += more->used;
	to->bytes += more->bytes;
}

double bw_traffic_efficiency(const struct bw_traffic *moved)
{
	return moved->bytes > 0 ? moved->used / moved->bytes : 1;
}

/* The change of the address per thread dimension: strides of coordinate and storage, for the storage
 * dimensions that change. */
struct steps {
	bool known;
	int n[3];
	struct step {
		double index;
		int64_t storage;
	} by[3][BW_MAX_DIMS];
};

/* Distance in elements beyond which larger distances make no difference; extents have 32 bits. */
enum { FARTHEST = 1 << 30 };

/* Returns the loop of the accessing stage that a thread dimension stands for, or -1. */
static int loop_walked(const struct bw_access *access, int dimension)
{
	const struct bw_threads *threads = access->threads;
	int loop = threads->loops[dimension];
	return access->stage == threads->stage
		   ? loop
		   : bw_stage_find_loop(access->stage, threads->stage->loops[loop].name);
}

static void add_step(const struct bw_access *access, int dim, int64_t storage, const int *loops,
		     struct steps *steps)
{
	for (int i = 0; i < access->threads->n_loops; i++) {
		if (loops[i] < 0)
			continue;
		struct bw_ratio ratio = bw_strides_at(access->strides, dim, loops[i]);
		steps->known &= ratio.den != 0;
		if (ratio.den && ratio.num)
			steps->by[i][steps->n[i]++] = (struct step){(double)((float)ratio.num / (float)ratio.den), storage};
	}
}

static void find_steps(const struct bw_access *access, struct steps *steps)
{
	int rows = access->strides->rows, loops[3];
	int64_t stride = 1;
	steps->known = true;
	for (int i = 0; i < 3; i++)
		steps->n[i] = 0;
	for (int i = 0; i < access->threads->n_loops; i++)
		loops[i] = loop_walked(access, i);
	for (int k = 0; k < bw_max(rows, 1); k++) {
		int dim = !k ? access->innermost : k - (k <= access->innermost);
		add_step(access, dim, stride, loops, steps);
		stride = bw_min(FARTHEST, stride * (rows ? bw_span_extent(&access->stored[dim]) : 1));
	}
}

/* Returns the distance in elements from the access of a block's first thread to that of a thread at
 * position `at` of a dimension. */
static int64_t offset_of(const struct steps *steps, int dimension, int64_t at)
{
	int64_t offset = 0;
	for (int i = 0; i < steps->n[dimension]; i++)
		offset += (int64_t)((double)at * steps->by[dimension][i].index) * steps->by[dimension][i].storage;
	return offset < 0 ? -offset : offset;
}

/* Computes the elements of adjacent threads, the first of them at `at`; those of the row begin at `base`. */
static void find_row(const struct steps *steps, int64_t at, int64_t count, int64_t base, int64_t *elements)
{
	const struct step *step = steps->by[0];
	for (int64_t t = 0; t < count && steps->n[0] == 0; t++)
		elements[t] = base;
	for (int64_t t = 0; t < count && steps->n[0] == 1; t++) {
		int64_t offset = (int64_t)((double)(at + t) * step->index) * step->storage;
		elements[t] = base + (offset < 0 ? -offset : offset);
	}
	for (int64_t t = 0; t < count && steps->n[0] > 1; t++)
		elements[t] = base + offset_of(steps, 0, at + t);
}

/* Computes the elements that the active threads among `count` from `first` access, relative to the block's
 * first. Returns their number. */
static int find_elements(const struct bw_threads *threads, const struct steps *steps, int64_t first,
			 int64_t count, int64_t *elements)
{
	int64_t at[3], n = 0;
	for (bw_thread_find(threads, first, at); count > 0;) {
		int64_t row = bw_min(count, threads->in_block[0] - at[0]), active = bw_min(row, threads->own[0] - at[0]);
		if (active > 0 && bw_thread_active(threads, at)) {
			find_row(steps, at[0], active, offset_of(steps, 1, at[1]) + offset_of(steps, 2, at[2]), &elements[n]);
			n += active;
		}
		count -= row;
		at[0] += row - 1;
		bw_thread_next(threads, at);
	}
	return (int)n;
}

/* Sorts values and removes duplicates. Returns their number. A warp's elements are almost sorted. */
static int distinct(int64_t *values, int n)
{
	int kept = 0;
	for (int i = 0; i < n; i++) {
		int64_t value = values[i];
		int at = kept;
		if (!kept || value > values[kept - 1]) {
			values[kept++] = value;
			continue;
		}
		while (at > 0 && values[at - 1] > value)
			at--;
		if (at > 0 && values[at - 1] == value)
			continue;
		memmove(&values[at + 1], &values[at], (size_t)(kept - at) * sizeof *values);
		values[at] = value;
		kept++;
	}
	return kept;
}

/* Returns of / size, rounded down; of >= 0. Most sizes are powers of two. */
static inline int64_t wholes(int64_t of, int64_t size)
{
	return size & (size - 1) ? of / size : of >> __builtin_ctzll((unsigned long long)size);
}

/* Returns the number of sectors of global memory that the elements, ascending and distinct, begin in. */
static int64_t count_sectors(const int64_t *elements, int n, int64_t bytes, int64_t sector)
{
	int64_t count = 0, last = -1;
	for (int i = 0; i < n; i++) {
		int64_t at = wholes(elements[i] * bytes, sector);
		count += at != last;
		last = at;
	}
	return count;
}

/* Returns the most words that any bank of shared memory must deliver. */
static int64_t count_conflicts(const int64_t *elements, int n, int64_t bytes, int64_t banks,
			       struct bw_arena *arena)
{
	int64_t *words = BW_ARENA_ARRAY(arena, int64_t, n * (bytes / BANK_BYTES + 2) + 1), most_words = 0;
	int *in_bank = BW_ARENA_ARRAY(arena, int, banks), n_words = 0;
	for (int i = 0; i < n; i++)
		for (int64_t word = elements[i] * bytes / BANK_BYTES;
		     word <= (elements[i] * bytes + bytes - 1) / BANK_BYTES; word++)
			words[n_words++] = word;
	n_words = distinct(words, n_words);
	for (int i = 0; i < n_words; i++)
		most_words = bw_max(most_words, ++in_bank[words[i] % banks]);
	return most_words;
}

/* A block's access, while its traffic is added up by kind of warp. */
struct moving {
	const struct bw_loop_tree *tree;
	const struct bw_access *access;
	const struct bw_feature_limits *limits;
	bool shared;
	struct steps steps;
};

/* n equally spaced elements, the access pattern of most warps. */
struct progression {
	int64_t first, step, n;
};

/* Returns true if adjacent threads access equally spaced elements: they are in one row, and each step is a
 * whole number of elements. */
static bool find_progression(const struct bw_threads *threads, const struct steps *steps, int64_t first,
			     int64_t count, struct progression *progression)
{
	enum { LARGEST = 1 << 20 };
	const struct step *step = steps->by[0];
	int64_t at[3];
	bool still = !steps->n[0];
	bool whole = steps->n[0] == 1 && step->index > -LARGEST && step->index < LARGEST &&
		     step->index == (double)(int64_t)step->index;
	bw_thread_find(threads, first, at);
	if (!steps->known || at[0] + count > threads->in_block[0] || (!still && !whole))
		return false;
	int64_t by = still ? 0 : (int64_t)step->index * step->storage,
		active = bw_thread_active(threads, at) ? bw_min(count, threads->own[0] - at[0]) : 0;
	by = by < 0 ? -by : by;
	*progression = (struct progression){
	    offset_of(steps, 1, at[1]) + offset_of(steps, 2, at[2]) + at[0] * by, by, active};
	return true;
}

/* Returns the sectors that equally spaced elements begin in. */
static int64_t count_sectors_along(const struct progression *along, int64_t bytes, int64_t sector)
{
	if (!along->n || along->step * bytes >= sector)
		return along->n;
	return wholes((along->first + (along->n - 1) * along->step) * bytes, sector) -
	       wholes(along->first * bytes, sector) + 1;
}

/* The cost of one access of a warp: distinct elements, and sectors or words of a bank. A thread whose
 * element is unknown counts as one of its own. */
struct taken {
	int64_t elements, transactions;
};

static struct taken taken_by(const struct moving *moving, int64_t first, int64_t count)
{
	const struct bw_feature_limits *limits = moving->limits;
	struct bw_arena *arena = moving->tree->arena;
	int64_t bytes = moving->tree->pipeline->funcs[moving->access->strides->producer].bytes;
	struct progression along;
	if (!moving->shared && find_progression(moving->access->threads, &moving->steps, first, count, &along))
		return (struct taken){along.step ? along.n : bw_min(along.n, 1),
				      count_sectors_along(&along, bytes, limits->sector)};
	int64_t *elements = BW_ARENA_ARRAY(arena, int64_t, count + 1);
	int n = find_elements(moving->access->threads, &moving->steps, first, count, elements);
	if (!moving->steps.known)
		return (struct taken){n, n};
	n = distinct(elements, n);
	return (struct taken){n, moving->shared ? count_conflicts(elements, n, bytes, limits->banks, arena)
						: count_sectors(elements, n, bytes, limits->sector)};
}

/* Adds the traffic of requests of one warp, whose threads are `count` from `first`. */
static void add_warp(const struct moving *moving, int64_t first, int64_t count, double requests,
		     struct bw_traffic *moved)
{
	const struct bw_feature_limits *limits = moving->limits;
	int64_t bytes = moving->tree->pipeline->funcs[moving->access->strides->producer].bytes;
	struct taken taken = taken_by(moving, first, count);
	double each = (double)(moving->shared ? limits->banks * BANK_BYTES : limits->sector);
	requests = trunc(requests);
	bw_traffic_add(moved, &(struct bw_traffic){requests * (double)taken.transactions,
						   requests * (double)(taken.elements * bytes),
						   requests * (double)taken.transactions * each});
}

struct bw_traffic bw_access_traffic(const struct bw_loop_tree *tree, const struct bw_access *access,
				    bool shared, const struct bw_feature_limits *limits)
{
	struct bw_traffic moved = {0, 0, 0};
	const struct bw_threads *threads = access->threads;
	if (!threads) {
		double each = (double)(shared ? limits->banks * BANK_BYTES : limits->sector);
		return (struct bw_traffic){
		    access->times, access->times * tree->pipeline->funcs[access->strides->producer].bytes,
		    access->times * each};
	}
	struct moving moving;
	moving.tree = tree;
	moving.access = access;
	moving.limits = limits;
	moving.shared = shared;
	find_steps(access, &moving.steps);
	add_warp(&moving, 0, bw_min(limits->warp, threads->n_in_block),
		 (double)threads->regular_warps * access->times, &moved);
	if (threads->tail)
		add_warp(&moving, threads->tail_first, threads->tail_threads, access->times, &moved);
	return moved;
}
