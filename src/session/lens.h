/* The block of a kernel in another size, all else as it is: what the view `tile` shows while an edge of the
 * block is moved. */
#pragma once
#include "figures/tile.h"
#include "session/alternatives.h"

/* A kernel with blocks of one size, by the model that steers. */
struct bw_lens_side {
	int64_t sizes[BW_MAX_AXES]; /* points of a block, by axis of the Func */
	const struct bw_placement *placement;
	struct bw_nest *nest; /* NULL: Funcs computed in the block could not stay there */
	double cost;          /* of the whole state, so far; 0: impossible */
	double recompute;     /* points of all Funcs in the kernel that are computed again, over those needed */
	double loaded;        /* bytes that a block reads from memory */
	double n_blocks;
	struct bw_occupancy occupancy;
};

struct bw_lens {
	int func; /* of the kernel, at root */
	struct bw_lens_side now, moved;
	char *reason; /* why that is impossible, or which rule prunes it; NULL: nothing objects */
};

/* Returns the lens on the kernel of the selected Func, or NULL if no edge of its block was moved. Valid until
 * the next command. */
const struct bw_lens *bw_session_lens(const struct bw_session *session);
/* Moves an edge of that block to the next size along an axis: by = 1 larger, -1 smaller. Of the threads that
 * divide the block, a half to four times as many as now, those are taken that cost least.
 * Returns false with an error at the ends. */
bool bw_lens_move(struct bw_session *session, int axis, int by, struct bw_error *error);
/* Sets the size: `64x8`; dimensions that are left out stay. */
bool bw_lens_set(struct bw_session *session, const char *sizes, struct bw_error *error);
/* Shows the block as it is again. */
void bw_lens_drop(struct bw_session *session);
/* Appends the figures of the moved block beside those of the block as it is, in one line. */
void bw_lens_words(const struct bw_session *session, const struct bw_lens *lens, struct bw_text *out);
/* Appends the points of a block: `64x32`. */
void bw_lens_size(const struct bw_session *session, const struct bw_lens *lens,
		  const struct bw_lens_side *side, struct bw_text *out);
/* Returns the nest whose tile is shown: with the moved block, else as bw_session_alternative_nest. */
struct bw_nest *bw_session_tile_nest(const struct bw_session *session,
				     const struct bw_alternative **alternative);
