/* The addresses that the lanes of a warp access with one load or store request: addresses that are affine
 * in the threads, the sectors of global memory or the banks of shared memory that they fall into, and how
 * to improve the access. */
#pragma once
#include "pipeline/pipeline.h"

struct bw_nest;
struct bw_device;

enum { BW_WARP_LANES = 32, BW_LANE_SECTOR = 32, BW_LANE_BANKS = 32 };

/* How coordinates follow from the threads of a block, x first. */
struct bw_lane_shape {
	int64_t block[3], own[3]; /* block: threads of the block; own: threads that make the access */
	int n_dims;
	struct {
		/* change of the coordinate per thread in x, y and z; the sum over x, y and z is rounded
		 * down */
		struct bw_ratio steps[3];
		int64_t bytes;            /* bytes from one point to the next along the dimension */
	} dims[BW_MAX_DIMS];
	int bytes; /* bytes that a lane loads or stores */
};

struct bw_lanes {
	uint32_t active;               /* a bit for each lane */
	/* by lane: offset in bytes from the first byte of the block's first thread */
	int64_t places[BW_WARP_LANES];
	int bytes;
};

struct bw_lanes bw_lanes_of(const struct bw_lane_shape *shape, int warp);
/* Returns the number of sectors that the lanes touch if place 0 is `phase` bytes after the beginning of a
 * sector. */
int bw_lanes_sectors(const struct bw_lanes *lanes, int phase);
/* Returns the number of passes through the banks that the lanes need, with place 0 in the first bank.
 * *conflicts: passes that are needed only because different words are in the same bank. */
int bw_lanes_passes(const struct bw_lanes *lanes, int *conflicts);

enum { BW_LANE_ROWS = 32 };
/* A map of the touched memory. A row is a sector with a column per byte, or a pass with a column per bank.
 * Characters: 0 to 9 and a to v for the lane; `*` for several lanes; `.` for none. */
struct bw_lane_map {
	int n, more; /* n: rows here; more: rows that did not fit */
	char rows[BW_LANE_ROWS][BW_WARP_LANES + 1];
};
struct bw_lane_map bw_lanes_map(const struct bw_lanes *lanes, bool shared);

struct bw_lane_access {
	int func, of, stage; /* the access is from stage `stage` of `func` to the storage of `of` */
	bool stores, shared;
	bool known;   /* false: the addresses depend on values */
	double count; /* number of such requests in a pass through the unrolled loops */
	struct bw_lane_shape shape;
	struct bw_lanes lanes; /* of the block's first warp */
	int served;     /* sectors if place 0 is at the beginning of a sector; or passes */
	/* `served`, averaged over all warps of the block and over all positions of place 0 in a sector */
	double average;
	int least;             /* fewest sectors that can hold the bytes, or passes without conflicts */
	int conflicts;
};

/* Returns the loads and stores of global and shared memory of the stages of a placed Func that is not
 * inlined, owned by the arena. */
struct bw_lane_access *bw_lane_accesses(const struct bw_nest *nest, const struct bw_device *device, int func,
					struct bw_arena *arena, int *n);
/* Appends the cost of the access and how to improve it, one sentence each. */
void bw_lane_access_words(const struct bw_pipeline *pipeline, const struct bw_lane_access *access,
			  struct bw_text *out);
