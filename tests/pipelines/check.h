/* The bundled pipelines against plain C: a compiled schedule runs on a small image, and every pixel of its output is compared. */
#pragma once

#include <HalideRuntime.h>

#include "../core/test.h"

/* A schedule as a shared object. */
struct compiled {
	const char *path;
	double bound, relative; /* of error, absolute and of the value, against exact arithmetic; both 0: every bit is to be right */
};

/* Each bundled pipeline, whole (NULL) or with a parameter of its generator; what checks it, named check_WHAT: runs it and compares its output of
 * width x height pixels with what the pipeline's definition gives; a failed test where they differ. Written from the definition and not from the
 * Halide source. */
#define CHECKED_PIPELINES(X) \
	X("bgu", "cell=4", bgu) \
	X("bilateral_grid", NULL, bilateral_grid) \
	X("blur", NULL, blur) \
	X("camera_pipe", NULL, camera_pipe) \
	X("conv_layer", "channels=16", conv_layer) \
	X("cs6120_blur", NULL, cs6120_blur) \
	X("cs6120_roots", NULL, cs6120_roots) \
	X("cs6120_sum", NULL, cs6120_sum) \
	X("depthwise_separable_conv", "channels=16", depthwise_separable_conv) \
	X("harris", NULL, harris) \
	X("hist_equalize", NULL, hist_equalize) \
	X("iir_blur", NULL, iir_blur) \
	X("interpolate", "levels=4", interpolate) \
	X("kwz", NULL, kwz) \
	X("learned_demosaic", NULL, learned_demosaic) \
	X("lens_blur", NULL, lens_blur) \
	X("local_laplacian", "pyramid_levels=3", local_laplacian) \
	X("mat_mul", "size=160", mat_mul) \
	X("max_filter", "radius=3", max_filter) \
	X("nl_means", "patch=3", nl_means) \
	X("pyramid_blend", "pyramid_levels=3", pyramid_blend) \
	X("stencil_chain", "stencils=8", stencil_chain) \
	X("stencil_chain", "stencils=3", short_chain) \
	X("two_stencils", NULL, two_stencils) \
	X("unsharp", NULL, unsharp)

#define X(name, parameter, what) void check_##what(const struct compiled *compiled, int width, int height);
CHECKED_PIPELINES(X)
#undef X

/* A buffer, its contents on the host for an input. */
struct halide_buffer_t buffer_of(void *host, struct halide_type_t type, struct halide_dimension_t *dims, int n);
/* The same random numbers each time, of 31 bits; begin with 1. */
uint64_t noise(uint64_t *state);
/* Calls the filter of a shared object; the output is on the host then. */
void run_filter(const char *path, struct halide_buffer_t *input, struct halide_buffer_t *output);
/* The same of any arguments: each points to a buffer or to a scalar, in the order of the generator. */
void run_filter_with(const char *path, void **arguments, struct halide_buffer_t *output);
