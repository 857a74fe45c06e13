/* Assembling the kernels of a schedule with the CUDA Toolkit's ptxas, which needs no GPU: what they take of
 * the device. */
#pragma once
#include "bench/measurement.h"
#include "base/process.h"

struct bw_assembly {
	const char *ptxas; /* its path; NULL: none was found, which is an error that says how to name one */
	const char *architecture; /* sm_80 */
	int register_limit; /* registers a thread, as Halide's runtime compiles */
	const char *cache; /* where files are kept while it runs */
	bool lines; /* the machine code gets the lines of the PTX */
};

/* Returns the path of the ptxas in the first folder of `path` (the value of PATH; may be NULL) that has one,
 * else of where the toolkit and Debian's package of it put it; free(). NULL: there is none. */
char *bw_ptxas_find(const char *path);

/* Assembles PTX and fills *uses, in the order of the text. cubin gets the machine code; it may be NULL. An
 * error tells an architecture that this ptxas does not know from kernels that it cannot assemble. */
bool bw_ptxas_run(const struct bw_assembly *assembly, const struct bw_text *ptx,
		  const struct bw_patience *patience, struct bw_text *cubin, struct bw_kernel_uses *uses,
		  struct bw_error *error);
/* Assembles the kernels of a compiled schedule. */
bool bw_ptxas_object(const struct bw_assembly *assembly, const char *object,
		     const struct bw_patience *patience, struct bw_kernel_uses *uses, struct bw_error *error);

/* Reads what `ptxas -v` says, in its order. Returns false if it names no kernel, or lacks the
 * registers of one. What is beyond BW_MOST_KERNELS is left out. */
bool bw_ptxas_read(const char *said, struct bw_kernel_uses *uses, struct bw_error *error);
/* Puts kernels into the order of their entries in the text; those that it lacks come last. */
void bw_ptxas_order(const char *ptx, struct bw_kernel_uses *uses);
