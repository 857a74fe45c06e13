/* What one block of the selected Func's kernel computes and needs: the figures of the view `tile`. */
#ifndef BW_FIGURES_TILE_H
#define BW_FIGURES_TILE_H
#include <jansson.h>

#include "base/text.h"
#include "figures/picture.h"
#include "nest/block.h"

/* What a Func is to the kernel: name in C, word. */
#define BW_TILE_PART_TABLE(X) \
	X(HOST, "kernel") \
	X(INSIDE, "inside") \
	X(INLINED, "inlined") \
	X(READ, "read")

enum bw_tile_part_kind {
#define X(name, word) BW_TILE_##name,
	BW_TILE_PART_TABLE(X)
#undef X
	BW_N_TILE_PARTS
};
const char *bw_tile_part_word(enum bw_tile_part_kind kind);

/* A Func that the kernel computes or reads. */
struct bw_tile_part {
	int func;
	enum bw_tile_part_kind kind;
	bool bounded; /* its region has bounds */
	struct bw_block_region region; /* that a block needs */
	double points; /* of that region; 0: not bounded */
	double shared; /* part of the region that neighbouring blocks need, too, 0..1 */
	double again; /* points computed over points needed, whole image; 1 for what is read */
	double calls; /* INLINED: calls for each point of those that it is inlined into */
	double bytes; /* of its allocation, a block's or a thread's; of READ: of the region. 0: none */
	enum bw_memory memory; /* where these lie */
	int64_t threads[3]; /* of its own thread loops, x first; 1 each if it has none */
	int64_t each[BW_MAX_AXES]; /* points of one thread by dimension; 0: it has no thread loops of its own */
	int64_t serial; /* points of one thread, each time that it runs */
};

struct bw_block_tile {
	int func, stage;   /* of the kernel, at root */
	int64_t blocks[3]; /* x first */
	double n_blocks;
	int64_t n_threads; /* per block: the most that a Func of it has */
	int n;
	struct bw_tile_part *parts; /* the kernel's Func, those computed inside, hosts first, those inlined,
				       those read from memory */
	int selected; /* index of the selected Func's part; -1: it has none */
};

/* Fills *tile for the kernel that computes a Func in a nest; of an inlined one the kernel of the first Func
 * that reads it. Owned by the arena. Returns false if the Func is not placed, or nothing that reads it. */
bool bw_tile_of(const struct bw_nest *nest, int func, struct bw_arena *arena, struct bw_block_tile *tile);
/* Fills *tile for one kernel: a stage of a Func at root. */
void bw_tile_of_kernel(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena,
		       struct bw_block_tile *tile);

/* A region to draw, in points of the kernel's Func; dimension 0 is x. */
struct bw_tile_place {
	double low[2], high[2];
	double band[2]; /* at each end, what the blocks beside need of it, too */
	double each[2]; /* what one thread computes of it, from the low end; 0: not known */
};
/* Puts a part's region into the kernel's coordinates: where its blocks are half as far apart, points count
 * twice. Returns false if all blocks need the same in some dimension in which there are several, or if a
 * dimension means something else, as one that is summed over. */
bool bw_tile_place(const struct bw_block_tile *tile, const struct bw_tile_part *part,
		   struct bw_tile_place *place);
/* Returns the points of a part's region, `66x34`, by dimension; in the arena. */
const char *bw_tile_points(const struct bw_tile_part *part, struct bw_arena *arena);
/* Returns where a part is kept, in words: `4,624 B a block, in shared memory`; in the arena. */
const char *bw_tile_memory(const struct bw_tile_part *part, struct bw_arena *arena);
/* Returns the regions that a block needs, one in the other, with what the blocks beside need, too, of a part,
 * and what one thread computes of it. chosen: the part; -1: of which that is most. coarse: for a screen, with
 * names on the edges of the boxes. Without marks if nothing can be drawn. */
struct bw_picture bw_tile_picture(const struct bw_pipeline *pipeline, const struct bw_block_tile *tile,
				  int chosen, bool coarse, struct bw_arena *arena);
/* Returns a tile as JSON: a new reference. */
json_t *bw_tile_json(const struct bw_pipeline *pipeline, const struct bw_block_tile *tile);
#endif
