/* The regions that one block of the selected Func's kernel computes and needs: the figures of the view
 * `tile`. */
#pragma once

#include "figures/picture.h"
#include "nest/nest.h"

/* The role of a Func in the kernel: name in C, word. */
#define BW_TILE_PART_TABLE(X) \
	X(BW_TILE_HOST, "kernel") \
	X(BW_TILE_INSIDE, "inside") \
	X(BW_TILE_INLINED, "inlined") \
	X(BW_TILE_READ, "read")

enum bw_tile_part_kind { BW_TILE_PART_TABLE(BW_FIRST) BW_N_TILE_PARTS };
const char *bw_tile_part_word(enum bw_tile_part_kind kind);

/* A Func that the kernel computes or reads. */
struct bw_tile_part {
	int func;
	enum bw_tile_part_kind kind;
	bool bounded; /* its region has bounds */
	struct bw_block_region region; /* that a block needs */
	double points; /* of that region; 0: not bounded */
	double shared; /* part of the region that neighbouring blocks need, too, 0..1 */
	double all; /* points computed, whole image; of READ: needed by all blocks */
	double again; /* points computed over points needed, whole image; 1 for READ */
	double calls; /* INLINED: calls per point of the stages that it is inlined into */
	double bytes; /* of its allocation, a block's or a thread's; of READ: of the region. 0: none */
	enum bw_memory memory; /* where these bytes are stored */
	int64_t threads[3]; /* extents of its own thread loops, x first; 1 if there is no such loop */
	int64_t each[BW_MAX_AXES]; /* points per thread by dimension; 0: no thread loops of its own */
	int64_t serial; /* points of one thread, each time that it runs */
};

struct bw_block_tile {
	int func, stage;   /* of the kernel, at root */
	int64_t blocks[3]; /* x first */
	double n_blocks;
	int64_t n_threads; /* per block: the largest number of any of its Funcs */
	int n;
	struct bw_tile_part *parts; /* the kernel's Func, Funcs computed inside (hosts first), inlined
				       Funcs, Funcs read from memory */
	int selected; /* index of the selected Func's part; -1: none */
};

/* Fills *tile for the kernel that computes a Func in a nest; for an inlined Func, the kernel of the
 * first Func that reads it. The arena owns it. Returns false if neither the Func nor any of its readers
 * is placed. */
bool bw_tile_of(const struct bw_nest *nest, int func, struct bw_arena *arena, struct bw_block_tile *tile);
/* Finds the kernel that computes a Func, as bw_tile_of does. */
bool bw_tile_kernel(const struct bw_nest *nest, int func, int *kernel, int *stage);
/* Fills *tile for one kernel: a stage of a Func at root. */
void bw_tile_of_kernel(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena,
		       struct bw_block_tile *tile);

/* Returns the points of a part's region, `66x34`, by dimension; in the arena. */
const char *bw_tile_points(const struct bw_tile_part *part, struct bw_arena *arena);
/* Returns the size and memory of a part, in words: `4,624 B a block, in shared memory`; in the arena. */
const char *bw_tile_memory(const struct bw_tile_part *part, struct bw_arena *arena);
/* An outline of the block in another size. */
struct bw_tile_outline {
	double size[2]; /* points */
	const char *says; /* NULL: there is no outline */
	bool impossible; /* the tile itself cannot be */
};
/* Returns the nested regions that a block needs; of one part also the points that neighbouring blocks
 * need and the share of one thread. chosen: the part; -1: the one with most shared points. coarse: for
 * a terminal, with names on the edges of the boxes. outline: NULL: none.
 * Without marks if nothing can be drawn. */
struct bw_picture bw_tile_picture(const struct bw_pipeline *pipeline, const struct bw_block_tile *tile,
				  int chosen, bool coarse, const struct bw_tile_outline *outline,
				  struct bw_arena *arena);
/* Returns a tile as JSON: a new reference. */
json_t *bw_tile_json(const struct bw_pipeline *pipeline, const struct bw_block_tile *tile);
