/* The kernels of a schedule: predictions, the registers and memory that the compiled kernels use, and the
 * resulting occupancy. */
#pragma once
#include "bench/measurement.h"
#include "cost/cost.h"

struct bw_kernel_facts {
	struct bw_kernel kernel;
	const struct bw_kernel_use *use; /* resources of the compiled kernel; NULL: not known */
	/* per block: the bytes predicted to be requested at launch, plus the compiled kernel's static bytes, if
	 * known */
	int64_t shared_bytes;
	/* per thread: the compiler's number or, if not compiled, the cost model's estimate; 0: not known */
	int registers;
	struct bw_occupancy predicted; /* with the cost model's estimate of registers, if it has one */
	struct bw_occupancy occupancy; /* with the compiler's registers; if not compiled, same as `predicted` */
};

/* Returns the kernels of a nest in launch order. Sets *n to their number. uses: resources of the compiled
 * kernels; NULL: not known. cost: cost of the nest by the model that steers the search, which may
 * estimate registers; NULL: no estimates. The arena owns the result, which points into `uses`. */
struct bw_kernel_facts *bw_kernel_facts(const struct bw_nest *nest, const struct bw_device *device,
					const struct bw_kernel_uses *uses, const struct bw_cost *cost,
					struct bw_arena *arena, int *n);
/* Appends the name of a kernel: `Ix`, `hist.update0`. */
void bw_kernel_name(const struct bw_pipeline *pipeline, const struct bw_kernel *kernel, struct bw_text *out);
/* Returns true if the device can launch a kernel; else sets *why to a text with the kernel, its need,
 * and the limit. */
bool bw_kernel_fits(const struct bw_pipeline *pipeline, const struct bw_kernel_facts *facts,
		    const struct bw_device *device, struct bw_text *why);
/* Returns true if a kernel spills registers. */
bool bw_kernel_spills(const struct bw_kernel_use *use);

/* Appends one line on compiled kernels: their number, the most registers, and the number of kernels that
 * spill registers or, if spills are not known, the most local memory. */
void bw_kernel_uses_words(const struct bw_kernel_uses *uses, struct bw_text *out);
/* Appends a line for each kernel that was timed separately, in the order of `uses`: indent, milliseconds
 * per run, entry. */
void bw_kernel_times_words(const struct bw_kernel_uses *uses, const char *indent, struct bw_text *out);
