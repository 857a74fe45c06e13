/* The features of the stages of one kernel, and how those of all kernels come together. What a kernel's features follow from besides the algorithm is its
 * key: the placements inside it; of each Func that it reads whether that is inlined, how it is laid out where it is placed, and, where it is not yet,
 * whether it could still be computed inside. So they hold in every schedule in which the kernel has the same key. */
#ifndef BW_COST_FEATURES_KERNEL_H
#define BW_COST_FEATURES_KERNEL_H
#include "cost/features.h"

/* What the features of all schedules of a pipeline share; read only once it is made. */
struct bw_feature_basis;
/* The arena's. The pipeline must stay. */
const struct bw_feature_basis *bw_feature_basis_new(const struct bw_pipeline *pipeline, struct bw_arena *arena);

/* What a kernel says of a stage: all of its features but the three below where it is computed in the kernel; what adds up over kernels where it is inlined. */
struct bw_kernel_part {
	int stage;      /* number in the pipeline */
	bool inlined;
	bool launched;  /* at root: working_set_at_production is the whole schedule's */
	bool kept;      /* counts as stored at root: working_set_at_realization is the whole schedule's */
	double features[BW_SCHEDULE_FEATURES];
};

struct bw_kernel_features {
	int n;
	struct bw_kernel_part *parts;
	double working_set; /* bytes that it adds to what the whole schedule allocates */
};

/* Kernels are numbered by their stage at root. Calls `each` for all kernels of a nest, in the order in which Halide lists them. */
typedef void bw_feature_each(void *data, int func, int stage);
void bw_feature_each_kernel(const struct bw_feature_basis *basis, const struct bw_nest *nest, bw_feature_each *each, void *data);
/* The features of one of them. The arena's. */
struct bw_kernel_features bw_kernel_features_of(const struct bw_feature_basis *basis, const struct bw_nest *nest, int func, int stage, const struct bw_feature_limits *limits, struct bw_arena *arena);
/* The keys of all kernels, by number, but for what the placement of Func `but` adds to them; the scratch arena takes what is needed on the way. Nests that
 * differ in that Func alone have the same of these where their views of it are the same. */
void bw_kernel_keys(const struct bw_feature_basis *basis, const struct bw_nest *nest, int but, struct bw_arena *arena, uint64_t *keys);
/* Adds what the placement of a Func adds. */
void bw_kernel_keys_add(const struct bw_feature_basis *basis, const struct bw_nest *nest, int func, uint64_t *keys);
/* How a Func is seen by the kernels that it is not computed in, and which kernel it is computed in. */
uint64_t bw_kernel_view(const struct bw_nest *nest, int func);
/* The features of an inlined stage that no kernel has added to yet; adds what one says. */
void bw_inlined_begin(const struct bw_feature_basis *basis, int stage, const struct bw_feature_limits *limits, double features[BW_SCHEDULE_FEATURES]);
void bw_inlined_add(const struct bw_kernel_part *part, double features[BW_SCHEDULE_FEATURES]);
/* Of all that kernels may have added: all in which the features of one stage can differ. */
uint64_t bw_inlined_hash(uint64_t seed, const double features[BW_SCHEDULE_FEATURES]);
#endif
