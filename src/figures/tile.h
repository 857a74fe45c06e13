/* The regions that one block of the selected Func's kernel computes and needs: the data of the view
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
	struct bw_block_region region; /* the region that one block needs */
	double points; /* points of `region`; 0: not bounded */
	double shared; /* part of `region` that neighbouring blocks also need, 0..1 */
	double all; /* points computed for the whole image; READ: sum of the points that the blocks need */
	double again; /* points computed over points needed, for the whole image; READ: 1 */
	double calls; /* INLINED: calls per point of the stages that it is inlined into */
	double bytes; /* bytes of its allocation, per block or per thread; READ: bytes of `region`; 0: none */
	enum bw_memory memory; /* memory of these bytes */
	int64_t threads[3]; /* extents of the Func's own thread loops, x first; 1: no such loop */
	int64_t each[BW_MAX_AXES]; /* points per thread, by dimension; 0: the Func has no thread loops */
	int64_t serial; /* points that one thread computes each time that it runs */
};

struct bw_block_tile {
	int func, stage;   /* the kernel's Func and stage, at root */
	int64_t blocks[3]; /* x first */
	double n_blocks;
	int64_t n_threads; /* threads per block: the largest number of any Func in the kernel */
	int n;
	struct bw_tile_part *parts; /* the kernel's Func, Funcs computed inside (hosts first), inlined
				       Funcs, Funcs read from memory */
	int selected; /* index in `parts` of the selected Func; -1: none */
};

/* Fills *tile for the kernel that computes a Func in a nest; for an inlined Func, the kernel of the first
 * Func that reads it. The arena owns the contents. Returns false if neither the Func nor any of its
 * readers is placed. */
bool bw_tile_of(const struct bw_nest *nest, int func, struct bw_arena *arena, struct bw_block_tile *tile);
/* Finds the kernel that computes a Func, as bw_tile_of does. */
bool bw_tile_kernel(const struct bw_nest *nest, int func, int *kernel, int *stage);
/* Fills *tile for one kernel: a stage of a Func at root. */
void bw_tile_of_kernel(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena,
		       struct bw_block_tile *tile);

/* Returns the extents of a part's region in words: `66x34`. The arena owns the text. */
const char *bw_tile_points(const struct bw_tile_part *part, struct bw_arena *arena);
/* Returns the size and memory of a part in words: `4,624 B a block, in shared memory`. The arena owns the
 * text. */
const char *bw_tile_memory(const struct bw_tile_part *part, struct bw_arena *arena);
/* An outline that shows the block in another size. */
struct bw_tile_outline {
	double size[2]; /* size in points, x and y */
	const char *says; /* NULL: there is no outline */
	bool impossible; /* a tile of this size is not possible */
};
/* Returns a picture of the nested regions that a block needs. For one part, also shows the points that
 * neighbouring blocks need and the share of one thread. chosen: this part; -1: the part with the most
 * shared points. coarse: for a terminal, with names on the edges of the boxes. outline: NULL: none. The
 * picture has no marks if nothing can be drawn. */
struct bw_picture bw_tile_picture(const struct bw_pipeline *pipeline, const struct bw_block_tile *tile,
				  int chosen, bool coarse, const struct bw_tile_outline *outline,
				  struct bw_arena *arena);
/* Returns a tile as JSON: a new reference. */
json_t *bw_tile_json(const struct bw_pipeline *pipeline, const struct bw_block_tile *tile);
