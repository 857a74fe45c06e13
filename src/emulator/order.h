/* Ordering of accesses between warps or blocks, other than by barriers of a whole block. A release is a
 * fence followed by a strong write (an atomic, or a store with .relaxed), or a write with .release. A
 * release passes on all earlier accesses of its warp, and all accesses of its block before the block's last
 * barrier. An acquire is a strong read of the place that the release wrote. The accesses that the release
 * passed on are ordered before all later accesses of a warp that has acquired it, or that has passed a
 * barrier of the whole block together with such a warp. A barrier of some of a block's warps is also such a
 * place: a warp writes it when it arrives, and reads it when it continues. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bw_warp;
struct bw_checks;

/* How strong an access is, as its opcode says. */
enum bw_order {
	BW_ORDER_STRONG = 1,
	BW_ORDER_RELEASE = 2,
	BW_ORDER_BLOCK = 4, /* the scope is the block of the thread */
	BW_ORDER_VOLATILE = 8
};

/* The accesses that a strong write passed on. */
struct bw_release {
	const void *place;
	uint32_t when, stamp; /* stamps of the write, and of the last access of its warp that it passes on */
	uint32_t interval;    /* all accesses of its block before this stamp are passed on */
	int warp;
	bool narrow; /* passes accesses on to its own block only */
};

/* A strong read of a place by a warp (-1: every warp of the block), at a time when the launch had n
 * releases. */
struct bw_acquire {
	const void *place;
	size_t n;
	int warp;
};

/* The releases of a launch, and the acquires of the current block. */
struct bw_orders {
	struct bw_release *releases;
	struct bw_acquire *acquires;
	size_t n_releases, n_acquires;
	/* stamp of the first barrier after the block's last fence. [0]: fences of any scope, [1]: only
	 * fences that cover all blocks */
	uint32_t fenced[2];
	bool fences[2];     /* there was such a fence since the last barrier */
};

/* Records a fence of the warp. wide: the fence covers all blocks, else only the warp's own block. */
void bw_order_fence(struct bw_warp *warp, bool wide);
/* Records a strong write to the place. Returns true if the write is a release. */
bool bw_order_write(struct bw_warp *warp, const void *place, unsigned order);
/* Records a strong read of a place that a release wrote. */
void bw_order_read(struct bw_warp *warp, const void *place);
/* Returns true if an access of this launch was passed on to the warp. stamp: time of the access. thread:
 * the accessing thread, in the block that ran at this time. */
bool bw_order_holds(const struct bw_warp *warp, uint32_t stamp, unsigned thread);
/* Returns the block that ran at the time of the stamp, as its index in the order in which the blocks of
 * this launch started. */
uint64_t bw_order_block_at(const struct bw_checks *checks, uint32_t stamp);
/* Record the start of a launch, the start of a block, and a barrier of the whole block. bw_order_end()
 * frees the lists. */
void bw_order_launch(struct bw_orders *orders);
void bw_order_block(struct bw_orders *orders);
void bw_order_barrier(struct bw_checks *checks);
void bw_order_end(struct bw_orders *orders);
