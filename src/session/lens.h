/* The lens: a kernel with another size of its block and everything else unchanged. The view `tile` shows it
 * while an edge of the block is moved. */
#pragma once
#include "figures/tile.h"
#include "session/alternatives.h"

/* A kernel with one size of its blocks; costs are by the session's model. */
struct bw_lens_side {
	int64_t sizes[BW_MAX_AXES]; /* points per block, by axis of the Func */
	const struct bw_placement *placement;
	struct bw_nest *nest; /* NULL: Funcs computed inside the block would have no site */
	double cost;          /* of the whole state as far as it is placed; 0: impossible */
	double recompute;     /* points recomputed by all Funcs of the kernel, divided by the points needed */
	double loaded;        /* bytes read from memory per block */
	double n_blocks;
	struct bw_occupancy occupancy;
};

struct bw_lens {
	int func; /* the Func at root that makes the kernel */
	struct bw_lens_side now, moved;
	char *reason; /* why the moved block is impossible, or which rule prunes it; NULL: it is allowed */
};

/* Returns the lens on the kernel of the selected Func. Returns NULL if no edge of its block was moved. Valid
 * until the next command. */
const struct bw_lens *bw_session_lens(const struct bw_session *session);
/* Moves an edge of the block of the selected Func's kernel to the next size along an axis: by = 1 larger, -1
 * smaller. Tries numbers of threads from half to four times the present number that divide the block, and
 * uses the cheapest. Returns false with an error if there is no further size. */
bool bw_lens_move(struct bw_session *session, int axis, int by, struct bw_error *error);
/* Sets the block's size: `64x8`. Omitted dimensions keep their size. */
bool bw_lens_set(struct bw_session *session, const char *sizes, struct bw_error *error);
/* Removes the lens: the block is shown in its own size again. */
void bw_lens_drop(struct bw_session *session);
/* Appends the figures of the moved block beside those of the unchanged block, in one line. */
void bw_lens_words(const struct bw_session *session, const struct bw_lens *lens, struct bw_text *out);
/* Appends the points of a block: `64x32`. */
void bw_lens_size(const struct bw_session *session, const struct bw_lens *lens,
		  const struct bw_lens_side *side, struct bw_text *out);
/* Returns the nest whose tile is shown: with the moved block if there is one, else the nest from
 * bw_session_alternative_nest. */
struct bw_nest *bw_session_tile_nest(const struct bw_session *session,
				     const struct bw_alternative **alternative);
