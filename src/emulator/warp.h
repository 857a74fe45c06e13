/* Warps and blocks while they run. */
#pragma once
#include <fenv.h>
#include <stdatomic.h>

#include "emulator/count.h"

/* Lanes that run together: their position, and where they reconverge with the lanes waiting below them
 * on the stack. */
struct bw_path {
	int at, join;
	uint32_t lanes;
};

enum bw_warp_state { BW_WARP_READY, BW_WARP_WAITING, BW_WARP_DONE };

struct bw_warp {
	unsigned char *base[2]; /* registers, constants: indexed by bw_operand.constant */
	struct bw_block *block;
	unsigned char *local; /* local_bytes for each lane */
	unsigned char *doubts;  /* while checking or tracking: as large as the registers, for each bit
				   whether it is doubtful (emulator/check.h); else NULL */
	bool doubtful;          /* a bit of a register has been doubtful since the block began */
	unsigned char *local_known; /* one per byte of `local` while bytes are tracked; else NULL */
	struct bw_path *paths;      /* a stack; the last one runs */
	int n_paths, most_paths;
	uint32_t live;  /* lanes that have not ended */
	uint32_t carry; /* the carry flag of each lane */
	int index;      /* the warp's index in its block */
	enum bw_warp_state state;
	int barrier;    /* barrier at which the warp waits */
	unsigned barrier_threads; /* threads that the barrier waits for; 0: all of the block */
	int waits_at;   /* instruction at which the warp waits */
	struct bw_copy *copies; /* started copies that the warp has not yet waited for (emulator/async.c) */
	size_t n_copies, most_copies;
	uint32_t n_groups[BW_LANES]; /* number of copy groups that each lane has committed */
	uint64_t sources[BW_LANES];  /* source addresses of the copies that the next instruction starts */
	/* while accesses are checked: stamps of the warp's last fence, and of its last fence that covers
	 * all blocks */
	uint32_t fence[2];
	uint64_t steps; /* instructions left until the warp is stopped as endless */
	struct bw_pace pace; /* used while counting */
};

/* A barrier that some warps have reached. */
struct bw_barrier {
	/* threads that have arrived so far; how many of them have a true predicate */
	unsigned threads, count;
	/* the predicate is true for all threads that have arrived; for at least one */
	bool all, any;
};
enum { BW_BARRIERS = 16 };

/* A block while it runs, on one thread of the host. */
struct bw_block {
	const struct bw_ptx_launch *launch;
	const struct bw_ptx_kernel *kernel;
	unsigned index[3];
	struct bw_warp *warps;
	int n_warps;
	struct bw_barrier barriers[BW_BARRIERS];
	unsigned char *shared;
	uint32_t shared_bytes;
	unsigned char *shared_known; /* per byte of shared memory, if tracked; else NULL */
	struct bw_byte_cell *shared_cells; /* one per byte of shared memory while accesses are checked */
	const struct bw_allocation *
	    *seen; /* per instruction: the allocation that it accessed last; may be NULL */
	uint64_t instructions; /* number of instructions that all threads have run */
	bool failed;
	struct bw_counts *counts; /* by part of the kernel; NULL: no counting */
	struct bw_l1 l1;          /* used while counting */
	uint64_t begun;  /* cycle in which the block started (emulator/count.h) */
	unsigned loaded; /* while counting: latency of the current instruction's load, in cycles; 0: no load */
};

/* Records why the launch has failed: a driver error code, and a text about the error of the instruction in
 * a lane (-1: the whole warp). A failure of an earlier block takes precedence. Returns false. */
bool bw_warp_fail(struct bw_warp *warp, const struct bw_ptx_instruction *instruction, int lane, int code,
		  const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Lets a warp arrive at the barrier of its instruction, which has index `at`. Returns false after a fault. */
bool bw_barrier_reach(struct bw_warp *warp, const struct bw_ptx_instruction *instruction, int at,
		      uint32_t lanes);
/* Resumes the warps of the block if all warps that have not ended wait at the same barrier. Returns false
 * after a fault. */
bool bw_barrier_release(struct bw_block *block);

/* Bodies of instructions. */
static inline void *bw_to(const struct bw_ptx_instruction *instruction, const struct bw_warp *warp, int k)
{
	return warp->base[0] + instruction->to[k].at;
}
static inline void *bw_from(const struct bw_ptx_instruction *instruction, const struct bw_warp *warp, int k)
{
	return warp->base[instruction->from[k].constant] + instruction->from[k].at;
}
/* Return and set a lane's number, which has 2, 4 or 8 bytes. */
static inline uint64_t bw_lane_get(const unsigned char *lanes, int bytes, int l)
{
	return bytes == 2   ? ((const uint16_t *)lanes)[l]
	       : bytes == 4 ? ((const uint32_t *)lanes)[l]
			    : ((const uint64_t *)lanes)[l];
}
static inline void bw_lane_put(unsigned char *lanes, int bytes, int l, uint64_t value)
{
	if (bytes == 2)
		((uint16_t *)lanes)[l] = (uint16_t)value;
	else if (bytes == 4)
		((uint32_t *)lanes)[l] = (uint32_t)value;
	else
		((uint64_t *)lanes)[l] = value;
}
#define BW_EACH_LANE(mask, ...) \
	if ((mask) == BW_ALL_LANES) { \
		_Pragma("GCC ivdep") for (int l = 0; l < BW_LANES; l++) { \
			__VA_ARGS__; \
		} \
	} else { \
		for (uint32_t left_ = (mask); left_; left_ &= left_ - 1) { \
			int l = __builtin_ctz(left_); \
			__VA_ARGS__; \
		} \
	}

/* The arguments of an instruction's function; and macros that define the function of an instruction that
 * computes d[l] of type D from a[l], b[l], c[l]. */
#define BW_ARGUMENTS const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask
#define BW_UNARY(name, D, A, ...) \
	static bool name(BW_ARGUMENTS) \
	{ \
		D *d = bw_to(instruction, warp, 0); \
		const A *a = bw_from(instruction, warp, 0); \
		BW_EACH_LANE(mask, d[l] = (D)(__VA_ARGS__)) \
		return true; \
	}
#define BW_BINARY(name, D, A, B, ...) \
	static bool name(BW_ARGUMENTS) \
	{ \
		D *d = bw_to(instruction, warp, 0); \
		const A *a = bw_from(instruction, warp, 0); \
		const B *b = bw_from(instruction, warp, 1); \
		BW_EACH_LANE(mask, d[l] = (D)(__VA_ARGS__)) \
		return true; \
	}
#define BW_TERNARY(name, D, A, B, C, ...) \
	static bool name(BW_ARGUMENTS) \
	{ \
		D *d = bw_to(instruction, warp, 0); \
		const A *a = bw_from(instruction, warp, 0); \
		const B *b = bw_from(instruction, warp, 1); \
		const C *c = bw_from(instruction, warp, 2); \
		BW_EACH_LANE(mask, d[l] = (D)(__VA_ARGS__)) \
		return true; \
	}
