/* Ordering of accesses between warps or blocks other than by barriers of a whole block. A release
 * passes on all earlier accesses of its warp, and those of its block before the last barrier. A release
 * is a fence followed by a strong write (an atomic, or a store with .relaxed), or a write with
 * .release. A strong read of that place, or a barrier with a warp that made one, orders the reader
 * after all of these. A barrier of some of the warps is also such a place: arriving writes it, and
 * going on reads it. */
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
	BW_ORDER_BLOCK = 4, /* for the threads of its block alone */
	BW_ORDER_VOLATILE = 8
};

/* The accesses that a strong write passed on. */
struct bw_release {
	const void *place;
	uint32_t when, stamp; /* of the write; of the last access of its warp that it passes on */
	uint32_t interval;    /* all accesses of its block before this stamp are passed on */
	int warp;
	bool narrow; /* to its block alone */
};

/* A place that a warp (-1: any of the block) has read, when there were n releases. */
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
	uint32_t fenced[2]; /* stamp of the first barrier of the block after its last fence, of the block and
			       wide */
	bool fences[2];     /* there was one since the last barrier */
};

/* Records a fence of the warp; wide: it covers all blocks, else its own. */
void bw_order_fence(struct bw_warp *warp, bool wide);
/* Notes a strong write to the place. Returns true if it passes something on. */
bool bw_order_write(struct bw_warp *warp, const void *place, unsigned order);
/* Notes a strong read of a place that has passed something on. */
void bw_order_read(struct bw_warp *warp, const void *place);
/* Returns true if an access of this launch, at the stamp by the thread of the block that ran then, was passed
 * on to the warp. */
bool bw_order_holds(const struct bw_warp *warp, uint32_t stamp, unsigned thread);
/* Returns which block ran at the time of the stamp, as its number among the blocks begun in this
 * launch. */
uint64_t bw_order_block_at(const struct bw_checks *checks, uint32_t stamp);
/* Tell of the beginning of a launch, of a block, and of a barrier of the whole block. */
void bw_order_launch(struct bw_orders *orders);
void bw_order_block(struct bw_orders *orders);
void bw_order_barrier(struct bw_checks *checks);
void bw_order_end(struct bw_orders *orders);
