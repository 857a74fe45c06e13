/* The learned model's costs of nests that share kernels: what follows from a kernel alone is found once, and can be kept. */
#ifndef BW_COST_LEARNED_KERNEL_H
#define BW_COST_LEARNED_KERNEL_H
#include "cost/features_kernel.h"
#include "cost/learned.h"

/* What all nests of a pipeline share under one model, for one device: read only once it is made. The pipeline and the model must stay. */
struct bw_learned_basis;
struct bw_learned_basis *bw_learned_basis_new(const struct bw_pipeline *pipeline, const struct bw_learned *learned, const struct bw_device *device);
void bw_learned_basis_free(struct bw_learned_basis *basis);
const struct bw_feature_basis *bw_learned_features(const struct bw_learned_basis *basis);

/* A stage computed in a kernel, with the network's sums begun. */
struct bw_learned_part {
	int stage;
	bool launched, kept; /* as of struct bw_kernel_part */
	struct bw_begun begun;
};

/* What follows from a kernel: one piece of memory that holds no reference. */
struct bw_learned_kernel {
	double working_set;
	int n_parts, n_inlined;
	struct bw_learned_part *parts;
	struct bw_kernel_part *inlined;
	_Alignas(double) char rest[];
};
/* Bytes that the kernel of these features takes; fills in memory of that size. */
size_t bw_learned_kernel_bytes(const struct bw_kernel_features *features);
void bw_learned_kernel_fill(const struct bw_learned_basis *basis, const struct bw_kernel_features *features, struct bw_learned_kernel *kernel);
struct bw_kernel_features bw_learned_kernel_features(const struct bw_learned_basis *basis, const struct bw_nest *nest, int func, int stage, struct bw_arena *arena);
/* Whether all is the same, to the bit. */
bool bw_learned_kernel_equal(const struct bw_learned_kernel *a, const struct bw_learned_kernel *b);
/* log(1 + bytes) of what a schedule of these kernels allocates, in the order of bw_feature_each_kernel: all that the cost of a kernel's stages follows from
 * besides the kernel. */
double bw_learned_whole(const struct bw_learned_kernel *const *kernels, int n);
/* What the stages computed in a kernel cost, by part. */
void bw_learned_part_costs(const struct bw_learned_basis *basis, const struct bw_learned_kernel *kernel, double whole, double *costs);
/* Whether a Func is inlined so that its stage has a cost of its own. */
bool bw_learned_inlines(const struct bw_nest *nest, int func);
/* The features of an inlined stage, to which all kernels of its nest have added. */
void bw_learned_inlined_features(const struct bw_learned_basis *basis, int stage, const struct bw_learned_kernel *const *kernels, int n, double features[BW_SCHEDULE_FEATURES]);
/* What an inlined stage costs. The costs of all stages have the same bits as those of bw_cost_of. */
double bw_learned_inlined_cost(const struct bw_learned_basis *basis, int stage, const double features[BW_SCHEDULE_FEATURES], double whole);
#endif
