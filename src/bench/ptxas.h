/* Assembles the kernels of a schedule with the CUDA Toolkit's ptxas, which needs no GPU, and reads their
 * resource use. */
#pragma once
#include "bench/measurement.h"
#include "base/process.h"

struct bw_assembly {
	const char *ptxas; /* its path; NULL: not found; bw_ptxas_run then fails and says how to name one */
	const char *architecture; /* sm_80 */
	int register_limit; /* registers per thread, the limit of Halide's runtime */
	const char *cache; /* folder for files while ptxas runs */
	bool lines; /* add the lines of the PTX to the machine code (-lineinfo) */
};

/* Returns the path of ptxas; free(). Searches the folders of `path` (the value of PATH; may be NULL), then
 * the folders where the toolkit and Linux distributions install it. Returns NULL if there is none. */
char *bw_ptxas_find(const char *path);

/* Assembles PTX and fills *uses, in the order of the text. Writes the machine code to cubin unless that is
 * NULL. Returns false with an error, which distinguishes an architecture that this ptxas does not know from
 * kernels that it cannot assemble. */
bool bw_ptxas_run(const struct bw_assembly *assembly, const struct bw_text *ptx,
		  const struct bw_patience *patience, struct bw_text *cubin, struct bw_kernel_uses *uses,
		  struct bw_error *error);
/* Assembles the kernels of a compiled schedule. */
bool bw_ptxas_object(const struct bw_assembly *assembly, const char *object,
		     const struct bw_patience *patience, struct bw_kernel_uses *uses, struct bw_error *error);

/* Reads the output of `ptxas -v`; keeps its order. Returns false with an error if it names no kernel, or
 * lacks a kernel's registers. Ignores kernels beyond BW_MOST_KERNELS. */
bool bw_ptxas_read(const char *said, struct bw_kernel_uses *uses, struct bw_error *error);
/* Sorts kernels by the order of their entries in the PTX. Kernels without an entry come last. */
void bw_ptxas_order(const char *ptx, struct bw_kernel_uses *uses);
