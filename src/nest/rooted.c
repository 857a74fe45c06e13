/* What is required of Funcs at root in a nest that one Func is tried in, time and again: it follows from what
 * is required there of their consumers, and from which of these are inlined. The Func that is tried has the
 * same there at all its sites in loops, so most questions have been asked before. */
#include <stdlib.h>
#include <string.h>

#include "nest/nest_private.h"

struct bw_rooted {
	bool stale; /* the Func stands there anew, and nobody has looked how */
	/* How it stood when the boxes below were found. */
	bool placed, inlined;
	struct bw_interval required[BW_MAX_DIMS];
	struct bw_rooted_box boxes[]; /* by Func */
};

static struct bw_rooted *rooted_new(const struct bw_pipeline *pipeline)
{
	struct bw_rooted *rooted =
	    bw_resize_array(NULL, 1, sizeof *rooted + (size_t)pipeline->n_funcs * sizeof *rooted->boxes);
	rooted->stale = true;
	rooted->placed = false;
	return rooted;
}

/* Whether nobody who asks at root sees the Func otherwise than when it was looked at last; notes how it
 * stands. */
static bool stands_alike(struct bw_rooted *rooted, const struct bw_placed *placed, int n_dims)
{
	const struct bw_region *root = placed ? bw_placed_region(placed, BW_LEVEL_ROOT) : NULL;
	bool inlined = placed && placed->placement->compute.kind == BW_SITE_INLINE;
	size_t size = (size_t)n_dims * sizeof *rooted->required;
	bool alike = root && rooted->placed && inlined == rooted->inlined &&
		     !memcmp(root->required, rooted->required, size);
	rooted->placed = root != NULL;
	rooted->inlined = inlined;
	if (root)
		memcpy(rooted->required, root->required, size);
	return alike;
}

struct bw_rooted_box *bw_rooted_box(const struct bw_nest *nest, int func)
{
	const struct bw_pipeline *pipeline = nest->pipeline;
	if (nest->lent < 0)
		return NULL;
	if (!*nest->rooted)
		*nest->rooted = rooted_new(pipeline);
	struct bw_rooted *rooted = *nest->rooted;
	if (rooted->stale && !stands_alike(rooted, nest->placed[nest->lent], pipeline->funcs[nest->lent].n_dims))
		for (int f = 0; f < pipeline->n_funcs; f++)
			rooted->boxes[f].known = false;
	rooted->stale = false;
	return &rooted->boxes[func];
}

void bw_rooted_stale(struct bw_rooted *rooted)
{
	if (rooted)
		rooted->stale = true;
}
