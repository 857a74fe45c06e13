/* Reads the metrics of kernels from the CSV of Nsight Compute (`ncu --csv`, versions 2022 to 2025). */
#pragma once
#include "base/error.h"
#include "base/mem.h"

/* A metric of a kernel, by Nsight Compute's name. */
struct bw_ncu_metric {
	const char *name, *unit; /* without a prefix: byte for Mbyte, second for usecond */
	double sum;              /* in this unit, over all launches */
	int n;                   /* launches */
};

struct bw_ncu_kernel {
	const char *name; /* without arguments */
	int n, room;
	struct bw_ncu_metric *metrics;
};

struct bw_ncu {
	struct bw_arena *arena;
	int n, room;
	struct bw_ncu_kernel *kernels; /* in the order of the file */
};

/* Reads a file's text: the page `details` or `raw`, with any lines before the table. name: the file's name in
 * errors. Returns false with an error of kind INPUT if there is no table, no kernel, or no metric in it. Free
 * with bw_ncu_free() in either case. */
bool bw_ncu_read(const char *name, const char *text, struct bw_ncu *ncu, struct bw_error *error);
void bw_ncu_free(struct bw_ncu *ncu);
/* Returns the kernel of a name, or NULL. The name may be truncated after `most` characters. */
const struct bw_ncu_kernel *bw_ncu_kernel(const struct bw_ncu *ncu, const char *name, size_t most);
/* Returns a metric of a kernel, or NULL. */
const struct bw_ncu_metric *bw_ncu_metric(const struct bw_ncu_kernel *kernel, const char *name);
