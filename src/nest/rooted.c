/* A cache for scratch nests of the regions that are required at root. Such a region follows from what is
 * required there of the Func's consumers, which of these are inlined, and how they are aligned. The Func
 * that the scratch nest tries has the same region at root for all its sites in loops, so most questions
 * repeat. */
#include <stdlib.h>
#include <string.h>

#include "nest/nest_private.h"

struct bw_rooted {
	bool stale; /* the tried Func was placed anew, and has not been compared yet */
	/* How the tried Func stood when the boxes below were found. */
	bool placed, inlined;
	struct bw_interval required[BW_MAX_DIMS];
	unsigned char align[BW_MAX_DIMS];
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

/* Returns true if the tried Func is required and inlined at root as it was when last compared, and
 * notes how it stands now. */
static bool stands_alike(struct bw_rooted *rooted, const struct bw_placed *placed, int n_dims)
{
	const struct bw_region *root = placed ? bw_placed_region(placed, BW_LEVEL_ROOT) : NULL;
	bool inlined = placed && placed->placement->compute.kind == BW_SITE_INLINE;
	size_t size = (size_t)n_dims * sizeof *rooted->required;
	bool alike = root && rooted->placed && inlined == rooted->inlined &&
		     !memcmp(root->required, rooted->required, size) &&
		     !memcmp(placed->placement->align, rooted->align, sizeof rooted->align);
	rooted->placed = root != NULL;
	rooted->inlined = inlined;
	if (root) {
		memcpy(rooted->required, root->required, size);
		memcpy(rooted->align, placed->placement->align, sizeof rooted->align);
	}
	return alike;
}

struct bw_rooted_box *bw_rooted_box(const struct bw_nest *nest, int func)
{
	const struct bw_pipeline *pipeline = nest->pipeline;
	if (nest->scratch_func < 0)
		return NULL;
	if (!*nest->rooted)
		*nest->rooted = rooted_new(pipeline);
	struct bw_rooted *rooted = *nest->rooted;
	int tried = nest->scratch_func;
	if (rooted->stale && !stands_alike(rooted, nest->placed[tried], pipeline->funcs[tried].n_dims))
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
