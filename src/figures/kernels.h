/* The kernels of a schedule: predictions, the registers and memory that they take once compiled, and the
 * occupancy that follows. */
#ifndef BW_FIGURES_KERNELS_H
#define BW_FIGURES_KERNELS_H
#include "bench/measurement.h"
#include "base/text.h"
#include "cost/cost.h"
#include "gpu/device.h"
#include "nest/nest.h"

struct bw_kernel_facts {
	struct bw_kernel kernel;
	const struct bw_kernel_use *use; /* once compiled; NULL: not known */
	int64_t shared_bytes; /* per block: asked for at the launch, as predicted, and fixed in the kernel, if
				 that is known */
	int registers; /* per thread: once compiled, else as the cost model estimates; 0: neither is known */
	struct bw_occupancy predicted; /* with the registers that the cost model estimates, if it does */
	struct bw_occupancy occupancy; /* with those of the compiled kernel; as predicted until then */
};

/* Returns the kernels of a nest in the order of their launch, n of them. uses: what they take once
 * compiled; NULL: not known. cost: of the nest by the model that steers, which may estimate registers; NULL:
 * no estimates. Owned by the arena, except what points into uses. */
struct bw_kernel_facts *bw_kernel_facts(const struct bw_nest *nest, const struct bw_device *device,
					const struct bw_kernel_uses *uses, const struct bw_cost *cost,
					struct bw_arena *arena, int *n);
/* Appends the name of a kernel: `Ix`, `hist.update0`. */
void bw_kernel_name(const struct bw_pipeline *pipeline, const struct bw_kernel *kernel, struct bw_text *out);
/* Returns true if the device can launch a kernel; else *why says the kernel, what it needs, and the
 * limit. */
bool bw_kernel_fits(const struct bw_pipeline *pipeline, const struct bw_kernel_facts *facts,
		    const struct bw_device *device, struct bw_text *why);
/* Returns true if a kernel spills registers. */
bool bw_kernel_spills(const struct bw_kernel_use *use);

/* Appends one line on compiled kernels: how many, the most registers, how many spill, or, if that is not
 * known, the most local memory. */
void bw_kernel_uses_words(const struct bw_kernel_uses *uses, struct bw_text *out);
/* Appends a line for each kernel that was timed by itself, in their order: indent, milliseconds of a run,
 * entry. */
void bw_kernel_times_words(const struct bw_kernel_uses *uses, const char *indent, struct bw_text *out);
#endif
