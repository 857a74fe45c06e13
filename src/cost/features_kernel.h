/* The features of the stages of one kernel, and how the kernels' features combine. Besides the algorithm,
 * a kernel's features depend on its key: the placements inside of it; and for each Func that it reads,
 * whether it is inlined, its layout if it is placed, or else whether it could still be computed inside. So
 * they hold in every schedule in which the kernel has the same key. */
#ifndef BW_COST_FEATURES_KERNEL_H
#define BW_COST_FEATURES_KERNEL_H
#include "cost/features.h"

/* Facts that the features of all schedules of a pipeline share. Read-only once made. */
struct bw_feature_basis;
/* Returns the basis, owned by the arena. The pipeline must outlive it. */
const struct bw_feature_basis *bw_feature_basis_new(const struct bw_pipeline *pipeline,
						    struct bw_arena *arena);

/* What a kernel contributes to a stage: all features but the three below if the kernel computes the stage;
 * summands if the stage is inlined. */
struct bw_kernel_part {
	int stage; /* index in the pipeline */
	bool inlined;
	bool launched; /* at root: working_set_at_production is that of the whole schedule */
	bool kept; /* counts as stored at root: working_set_at_realization is that of the whole schedule */
	double features[BW_SCHEDULE_FEATURES];
};

struct bw_kernel_features {
	int n;
	struct bw_kernel_part *parts;
	double working_set; /* bytes that it adds to the allocations of the whole schedule */
};

/* Calls `each` for all kernels of a nest, in Halide's order. A kernel is identified by its stage at root. */
typedef void bw_feature_each(void *data, int func, int stage);
void bw_feature_each_kernel(const struct bw_feature_basis *basis, const struct bw_nest *nest,
			    bw_feature_each *each, void *data);
/* Returns the features of one kernel, owned by the arena. */
struct bw_kernel_features bw_kernel_features_of(const struct bw_feature_basis *basis,
						const struct bw_nest *nest, int func, int stage,
						const struct bw_feature_limits *limits,
						struct bw_arena *arena);
/* Computes the keys of all kernels. The arena holds temporary data. */
void bw_kernel_keys(const struct bw_feature_basis *basis, const struct bw_nest *nest, struct bw_arena *arena,
		    uint64_t *keys);
/* Initializes the features of an inlined stage, and adds the contribution of one kernel. */
void bw_inlined_begin(const struct bw_feature_basis *basis, int stage, const struct bw_feature_limits *limits,
		      double features[BW_SCHEDULE_FEATURES]);
void bw_inlined_add(const struct bw_kernel_part *part, double features[BW_SCHEDULE_FEATURES]);
#endif
