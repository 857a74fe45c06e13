/* What the lanes of a warp touch with one request of a load or a store: addresses that are affine in the
 * threads, the sectors of global memory or the banks of shared memory that they are in, and what would mend
 * it. */
#pragma once
#include "pipeline/pipeline.h"

struct bw_nest;
struct bw_device;

enum { BW_WARP_LANES = 32, BW_LANE_SECTOR = 32, BW_LANE_BANKS = 32 };

/* How coordinates follow from the threads of a block, x first. */
struct bw_lane_shape {
	int64_t block[3], own[3]; /* threads of the block, and those of them that take part */
	int n_dims;
	struct {
		struct bw_ratio steps[3]; /* of the coordinate, per thread; rounded down in sum */
		int64_t bytes;            /* from one point to the next */
	} dims[BW_MAX_DIMS];
	int bytes; /* that a lane moves */
};

struct bw_lanes {
	uint32_t active;               /* a bit for each lane */
	int64_t places[BW_WARP_LANES]; /* bytes from where the block's first thread begins */
	int bytes;
};

struct bw_lanes bw_lanes_of(const struct bw_lane_shape *shape, int warp);
/* Returns the sectors that they touch if place 0 is `phase` bytes behind the beginning of one. */
int bw_lanes_sectors(const struct bw_lanes *lanes, int phase);
/* Returns the passes through the banks, with place 0 at the first one. *conflicts: those that come of
 * different words in one bank. */
int bw_lanes_passes(const struct bw_lanes *lanes, int *conflicts);

enum { BW_LANE_ROWS = 32 };
/* What is touched, row by row: a sector with a column per byte, or a pass with a column per bank. Lanes are 0
 * to 9, a to v; `*`: several at once; `.`: none. */
struct bw_lane_map {
	int n, more; /* rows; how many more there are */
	char rows[BW_LANE_ROWS][BW_WARP_LANES + 1];
};
struct bw_lane_map bw_lanes_map(const struct bw_lanes *lanes, bool shared);

struct bw_lane_access {
	int func, of, stage; /* of a stage of `func`, to what is stored of `of` */
	bool stores, shared;
	bool known;   /* false: the addresses depend on values */
	double count; /* of such requests in a pass through the unrolled loops */
	struct bw_lane_shape shape;
	struct bw_lanes lanes; /* of the block's first warp */
	int served;     /* sectors from the beginning of one, or passes */
	double average; /* of all warps of the block, wherever in a sector it begins */
	int least;             /* fewest sectors that hold the bytes, or passes without conflicts */
	int conflicts;
};

/* Returns the loads and stores of global and shared memory of the stages of a placed Func that is not
 * inlined, owned by the arena. */
struct bw_lane_access *bw_lane_accesses(const struct bw_nest *nest, const struct bw_device *device, int func,
					struct bw_arena *arena, int *n);
/* Appends what it comes to and what would mend it, a sentence each. */
void bw_lane_access_words(const struct bw_pipeline *pipeline, const struct bw_lane_access *access,
			  struct bw_text *out);
