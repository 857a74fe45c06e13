/* The kernels of a schedule: what is predicted of each, what its compiled form takes, and what a device makes
 * of that. */
#ifndef BW_FIGURES_KERNELS_H
#define BW_FIGURES_KERNELS_H
#include "base/text.h"
#include "bench/kernel_use.h"
#include "gpu/device.h"
#include "nest/nest.h"

struct bw_kernel_facts {
	struct bw_kernel kernel;
	const struct bw_kernel_use *use; /* NULL: it was not compiled, or it is not among what was */
	int64_t shared_bytes; /* a block: what Halide asks for at the launch, as predicted, and what is fixed
				 in the kernel where that is known */
	struct bw_occupancy predicted; /* without registers: they are not known before it is compiled */
	struct bw_occupancy occupancy; /* with them, where use is there */
};

/* The kernels of a nest in the order of their launch, n of them; uses: what they take once
 * compiled, NULL if they were not. Owned by the arena, but for what points into uses. */
struct bw_kernel_facts *bw_kernel_facts(const struct bw_nest *nest, const struct bw_device *device,
					const struct bw_kernel_uses *uses, struct bw_arena *arena, int *n);
/* What a kernel is called: `Ix`, `hist.update0`. */
void bw_kernel_name(const struct bw_pipeline *pipeline, const struct bw_kernel *kernel, struct bw_text *out);
/* Returns true if the device can launch it; if not, why says the kernel, what it asks for, and what
 * there is. */
bool bw_kernel_fits(const struct bw_pipeline *pipeline, const struct bw_kernel_facts *facts,
		    const struct bw_device *device, struct bw_text *why);
/* Returns true if registers did not suffice. */
bool bw_kernel_spills(const struct bw_kernel_use *use);

/* Of compiled kernels in one line: how many, the most registers, how many spill; where that is not known, the
 * most local memory. */
void bw_kernel_uses_words(const struct bw_kernel_uses *uses, struct bw_text *out);
#endif
