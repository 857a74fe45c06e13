#include "search/sizes.h"

#include "base/arith.h"

enum { LEAST_CONSECUTIVE = 16, MOST_CONSECUTIVE = 64, MOST_OTHERS = 16, MOST_SERIAL = 16 };

/* Keeps the order, and puts nothing in twice. */
static void add(struct bw_sizes *sizes, int64_t size)
{
	int at = sizes->n;
	while (at > 0 && sizes->list[at - 1] >= size)
		at--;
	if (at < sizes->n && sizes->list[at] == size)
		return;
	for (int i = sizes->n++; i > at; i--)
		sizes->list[i] = sizes->list[i - 1];
	sizes->list[at] = size;
}

/* Returns the iterations per thread, no more than this number of threads needs. */
static int64_t least_for(int64_t extent, int64_t threads)
{
	return bw_div_up(extent, threads);
}

void bw_sizes_serial(int64_t extent, int64_t warp, struct bw_sizes *sizes)
{
	bool small = extent == 3 || extent == 5 || extent == 7;
	sizes->n = 0;
	extent = bw_max(extent, 1);
	for (int64_t size = 1; size <= 8 && size <= extent; size++) {
		bool power = (size & (size - 1)) == 0 && (size == 1 || !small),
		     whole = size % 2 && extent % size == 0 && extent / size % warp == 0;
		if (power || whole || (small && size == extent))
			add(sizes, least_for(extent, bw_div_up(extent, size)));
	}
}

void bw_sizes_serial_at_block(int64_t extent, int64_t warp, bool innermost, struct bw_sizes *sizes)
{
	bw_sizes_serial(extent, warp, sizes);
	for (int64_t threads = innermost ? LEAST_CONSECUTIVE : 1;
	     threads <= (innermost ? MOST_CONSECUTIVE : MOST_OTHERS) && threads <= extent; threads *= 2) {
		int64_t size = least_for(extent, threads);
		if (size <= MOST_SERIAL && (innermost || 7 * threads * size <= 8 * extent))
			add(sizes, size);
	}
}

void bw_sizes_threads(int64_t extent, bool innermost, struct bw_sizes *sizes)
{
	int64_t first = innermost ? LEAST_CONSECUTIVE : 1, last = innermost ? MOST_CONSECUTIVE : MOST_OTHERS;
	sizes->n = 0;
	for (int64_t size = first; size <= last && size <= extent; size *= 2)
		add(sizes, size);
	if (extent < MOST_CONSECUTIVE)
		add(sizes, bw_max(extent, 1));
}

void bw_sizes_widen(int64_t extent, int dim, struct bw_sizes *sizes)
{
	int64_t most = dim == 0 ? 256 : dim == 1 ? 32 : dim == 2 ? 16 : 0;
	for (int64_t size = 1; size <= most && size <= extent; size *= 2)
		add(sizes, size);
}

void bw_sizes_whole(int64_t extent, struct bw_sizes *sizes)
{
	*sizes = (struct bw_sizes){.n = 1, .list = {1}};
	if (extent <= BW_WHOLE_SIZE)
		add(sizes, bw_max(extent, 1));
}

int bw_sizes_innermost(const int64_t *extents, const int64_t *serial, int n_dims)
{
	for (int d = 0; d < n_dims; d++)
		if (bw_div_up(extents[d], serial ? serial[d] : 1) >= LEAST_CONSECUTIVE)
			return d;
	return 0;
}
