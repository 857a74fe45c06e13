#include "emulator/order.h"

#include <stdlib.h>

#include "emulator/launch.h"
#include "emulator/warp.h"

/* Capacity of the lists; later entries are dropped, which may cause false race reports. */
enum { MOST_RELEASES = 1 << 20, MOST_ACQUIRES = 1 << 10, ANY_WARP = -1 };

void bw_order_launch(struct bw_orders *orders)
{
	orders->n_releases = 0;
	bw_order_block(orders);
}

void bw_order_block(struct bw_orders *orders)
{
	orders->n_acquires = 0;
	orders->fenced[0] = orders->fenced[1] = 0;
	orders->fences[0] = orders->fences[1] = false;
}

void bw_order_end(struct bw_orders *orders)
{
	free(orders->releases);
	free(orders->acquires);
	*orders = (struct bw_orders){0};
}

void bw_order_barrier(struct bw_checks *checks)
{
	struct bw_orders *orders = &checks->orders;
	for (int wide = 0; wide < 2; wide++) {
		if (orders->fences[wide])
			orders->fenced[wide] = checks->interval;
		orders->fences[wide] = false;
	}
	/* After the barrier, all warps have acquired everything that any of them had acquired: keep the
	 * last acquire of each place. */
	size_t n = 0;
	for (size_t k = 0; k < orders->n_acquires; k++) {
		struct bw_acquire *acquire = &orders->acquires[k];
		size_t same = 0;
		while (same < n && orders->acquires[same].place != acquire->place)
			same++;
		if (same == n)
			orders->acquires[n++] = *acquire;
		else if (orders->acquires[same].n < acquire->n)
			orders->acquires[same].n = acquire->n;
		orders->acquires[same].warp = ANY_WARP;
	}
	orders->n_acquires = n;
}

void bw_order_fence(struct bw_warp *warp, bool wide)
{
	struct bw_checks *checks = warp->block->launch->checks;
	if (!checks)
		return;
	for (int k = 0; k <= wide; k++) {
		warp->fence[k] = checks->stamp;
		checks->orders.fences[k] = true;
	}
	checks->stamp++;
}

uint64_t bw_order_block_at(const struct bw_checks *checks, uint32_t stamp)
{
	uint64_t low = 0, high = checks->n_blocks;
	while (low + 1 < high) {
		uint64_t middle = (low + high) / 2;
		if (checks->blocks[middle] <= stamp)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Returns a list with room for one more than n; NULL if there is none. */
static void *grow(void *list, size_t n, size_t size, size_t most)
{
	if (n == most)
		return NULL;
	return n & (n - 1) ? list : realloc(list, (n ? 2 * n : 1) * size);
}

bool bw_order_write(struct bw_warp *warp, const void *place, unsigned order)
{
	const struct bw_block *block = warp->block;
	struct bw_checks *checks = block->launch->checks;
	struct bw_orders *orders = &checks->orders;
	const unsigned char *byte = place;
	bool shared = byte >= block->shared && byte < block->shared + block->shared_bytes;
	struct bw_release release = {
	    .place = place, .when = checks->stamp, .warp = warp->index, .narrow = true};
	if (order & BW_ORDER_RELEASE) {
		release.stamp = checks->stamp++;
		release.interval = checks->interval;
		release.narrow = order & BW_ORDER_BLOCK;
	}
	for (int wide = 1; wide >= 0 && !release.interval; wide--) {
		bool own = warp->fence[wide] >= checks->interval;
		release.stamp = own ? warp->fence[wide] : 0;
		release.interval = own ? checks->interval : orders->fenced[wide];
		release.narrow = !wide || order & BW_ORDER_BLOCK;
	}
	release.narrow |= shared;
	if (!release.interval)
		return false;
	const struct bw_release *last = orders->n_releases ? &orders->releases[orders->n_releases - 1] : NULL;
	if (last && last->place == place && last->warp == release.warp && last->stamp == release.stamp &&
	    last->interval == release.interval)
		return true;
	struct bw_release *list = grow(orders->releases, orders->n_releases, sizeof *list, MOST_RELEASES);
	if (!list)
		return false;
	orders->releases = list;
	list[orders->n_releases++] = release;
	return true;
}

void bw_order_read(struct bw_warp *warp, const void *place)
{
	struct bw_orders *orders = &warp->block->launch->checks->orders;
	size_t k = 0;
	while (k < orders->n_acquires &&
	       (orders->acquires[k].place != place || orders->acquires[k].warp != warp->index))
		k++;
	if (k == orders->n_acquires) {
		struct bw_acquire *list = grow(orders->acquires, k, sizeof *list, MOST_ACQUIRES);
		if (!list)
			return;
		orders->acquires = list;
		orders->n_acquires++;
	}
	orders->acquires[k] =
	    (struct bw_acquire){.place = place, .n = orders->n_releases, .warp = warp->index};
}

static bool has_acquired(const struct bw_orders *orders, size_t release, int warp)
{
	for (size_t k = 0; k < orders->n_acquires; k++) {
		const struct bw_acquire *acquire = &orders->acquires[k];
		if (acquire->place == orders->releases[release].place && acquire->n > release &&
		    (acquire->warp == ANY_WARP || acquire->warp == warp))
			return true;
	}
	return false;
}

bool bw_order_holds(const struct bw_warp *warp, uint32_t stamp, unsigned thread)
{
	const struct bw_checks *checks = warp->block->launch->checks;
	const struct bw_orders *orders = &checks->orders;
	if (!orders->n_acquires)
		return false;
	uint64_t block = bw_order_block_at(checks, stamp);
	bool same = block + 1 == checks->n_blocks;
	uint32_t end = same ? UINT32_MAX : checks->blocks[block + 1];
	size_t low = 0, high = orders->n_releases;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (orders->releases[middle].when < stamp)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < orders->n_releases && orders->releases[low].when < end; low++) {
		const struct bw_release *release = &orders->releases[low];
		bool covers = stamp < release->interval ||
			      (stamp <= release->stamp && (int)(thread / BW_LANES) == release->warp);
		if (covers && (same || !release->narrow) && has_acquired(orders, low, warp->index))
			return true;
	}
	return false;
}
