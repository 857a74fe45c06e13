/* Counts of a schedule's kernels from the emulated device, as the worker sends them. */
#pragma once
#include "base/json.h"
#include "gpu/counter.h"

/* One basic block of the PTX. */
struct bw_counted_part {
	char func[64]; /* "": not known */
	int stage;     /* 0: the pure definition, k: update k - 1 */
	int interval;  /* number of barriers before it in the text; joined parts: before the first */
	int line, length; /* its first line in the PTX, from 1; instructions counted each time that it runs */
	struct bw_counts counts;
};

/* Kinds of SASS instructions: name, key in JSON, mnemonics. */
#define BW_SASS_KIND_TABLE(X) \
	X(BW_SASS_NOTHING, "", "NOP") X(BW_SASS_OTHER, "other", "all else") X(BW_SASS_FLOAT, "float", "FADD, FMUL, FFMA") \
	X(BW_SASS_GLOBAL_LOAD, "global_load", "LDG") X(BW_SASS_GLOBAL_STORE, "global_store", "STG") X(BW_SASS_SHARED_LOAD, "shared_load", "LDS") \
	X(BW_SASS_SHARED_STORE, "shared_store", "STS") X(BW_SASS_LOCAL_LOAD, "local_load", "LDL") X(BW_SASS_LOCAL_STORE, "local_store", "STL")
enum bw_sass_kind { BW_SASS_KIND_TABLE(BW_FIRST) BW_SASS_KINDS };

/* All launches of one kernel. */
struct bw_counted_kernel {
	char name[96];                  /* name of the PTX entry */
	int64_t grid[3], block[3];      /* of the first launch */
	int64_t launches, shared_bytes; /* per block */
	int64_t n_rounded; /* elements that two blocks wrote with whole numbers 1 apart by rounding; not
			      counted as races */
	char rounded[300]; /* describes the first of these elements */
	int64_t sampled;                /* blocks of the last launch that were run as a sample; 0: all were
					   run */
	struct bw_counts counts;
	bool has_sass; /* `sass` is set */
	double sass[BW_SASS_KINDS]; /* warp instructions by kind */
	int n_parts;
	struct bw_counted_part *parts;
};

struct bw_sass;
struct bw_counted {
	int n;
	struct bw_counted_kernel *kernels; /* in the order of their first launch */
	/* The kernels' code, if it was kept: the PTX, to which the lines of parts refer, and the cubin, into
	 * which `sass` points. NULL: not known. */
	char *ptx, *cubin;
	struct bw_sass *sass;
	char *statement; /* Halide's lowered statement, with the kernels; NULL: not known */
};

/* Reads a list of launches; free with bw_counted_free(). Returns NULL with an error. */
struct bw_counted *bw_counted_read(const struct bw_json_at *list, struct bw_error *error);
void bw_counted_free(struct bw_counted *counted);
/* Returns the number of SASS warp instructions of all kinds. */
double bw_counted_sass(const struct bw_counted_kernel *kernel);
/* Adds b to a. */
void bw_counts_join(struct bw_counts *a, const struct bw_counts *b);
