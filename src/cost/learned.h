/* The learned cost model for the search: the weights of a file, prepared to compute costs of nests. */
#pragma once
#include "cost/cost.h"
#include "cost/network.h"

#define BW_LEARNED_NAME "learned"

struct bw_learned {
	struct bw_cost_model model;
	char *path, *title; /* path of the file; its name and the hash of the weights */
	struct bw_weights weights;
	struct bw_network network;
};

/* Models that were read from files. All live until bw_models_free, so that options of any search may point
 * to them. A zeroed struct is empty. */
struct bw_models {
	int n, capacity;
	struct bw_learned **list;
};

/* Returns the model of a weights file. If the same weights were read from the same path before, returns
 * that model. Returns NULL with an error if the file cannot be read. */
const struct bw_cost_model *bw_models_read(struct bw_models *models, const char *path,
					   struct bw_error *error);
/* Adds a model whose weights are not from a file, and returns it. `name` replaces the path. */
const struct bw_cost_model *bw_models_add(struct bw_models *models, const char *name,
					  const struct bw_weights *weights);
void bw_models_free(struct bw_models *models);

/* Computes a stage's cost from its features, with all terms and coefficients. */
void bw_learned_stage(const struct bw_learned *learned, const struct bw_features *features, double sms,
		      struct bw_learned_cost *cost);

/* The learned model's costs of nests that share kernels. Everything that depends on one kernel alone is
 * computed once. */

/* Facts that all nests of a pipeline share under one model and device. Read-only once made. Pipeline and
 * model must outlive it. */
struct bw_learned_basis;
struct bw_learned_basis *bw_learned_basis_new(const struct bw_pipeline *pipeline,
					      const struct bw_learned *learned,
					      const struct bw_device *device);
void bw_learned_basis_free(struct bw_learned_basis *basis);
const struct bw_feature_basis *bw_learned_features(const struct bw_learned_basis *basis);

/* A stage computed in a kernel, with the network's sums so far. */
struct bw_learned_part {
	int stage;
	bool launched, kept; /* as in struct bw_kernel_part */
	struct bw_begun begun;
};

/* The part of the costs that depends on one kernel: one block of memory without pointers. */
struct bw_learned_kernel {
	double working_set;
	int n_parts, n_inlined;
	struct bw_learned_part *parts;
	struct bw_kernel_part *inlined;
	double rest[]; /* storage of parts and inlined */
};
/* bw_learned_kernel_bytes returns the size in bytes of the struct bw_learned_kernel for these features.
 * bw_learned_kernel_fill fills in a struct of this size. */
size_t bw_learned_kernel_bytes(const struct bw_kernel_features *features);
void bw_learned_kernel_fill(const struct bw_learned_basis *basis, const struct bw_kernel_features *features,
			    struct bw_learned_kernel *kernel);
struct bw_kernel_features bw_learned_kernel_features(const struct bw_learned_basis *basis,
						     const struct bw_nest *nest, int func, int stage,
						     struct bw_arena *arena);
/* Returns log(1 + bytes), where bytes are the allocations of a schedule with these kernels, in the order
 * of bw_feature_each_kernel. The costs of a kernel's stages depend on the kernel and on this number alone. */
double bw_learned_whole(const struct bw_learned_kernel *const *kernels, int n);
/* Computes the costs of the stages that a kernel computes, by stage. */
void bw_learned_part_costs(const struct bw_learned_basis *basis, const struct bw_learned_kernel *kernel,
			   double whole, double *costs);
/* Returns true if a Func is inlined and its stage has a cost of its own in this model. */
bool bw_learned_inlines(const struct bw_nest *nest, int func);
/* Computes the features of an inlined stage from all kernels of its nest. */
void bw_learned_inlined_features(const struct bw_learned_basis *basis, int stage,
				 const struct bw_learned_kernel *const *kernels, int n,
				 double features[BW_SCHEDULE_FEATURES]);
/* Returns the cost of an inlined stage. As for all stages, it equals the cost from bw_cost_of, bit for
 * bit. */
double bw_learned_inlined_cost(const struct bw_learned_basis *basis, int stage,
			       const double features[BW_SCHEDULE_FEATURES], double whole);
