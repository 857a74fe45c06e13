/* What the emulated device counted of a schedule's kernels, as it comes from the worker. */
#pragma once
#include "base/json.h"
#include "gpu/counter.h"

/* The instructions of one block of the PTX, which run one after the other. */
struct bw_counted_part {
	char func[64]; /* "": not told */
	int stage;     /* 0: the pure definition, k: update k - 1 */
	int interval;  /* barriers before it in the text; of parts that were joined, of the first */
	int line, length; /* its first line in the PTX, from 1; instructions that are counted each time it runs */
	struct bw_counts counts;
};

/* What instructions of SASS do, of those that are told apart: name, key in JSON, mnemonics. */
#define BW_SASS_KIND_TABLE(X) \
	X(BW_SASS_NOTHING, "", "NOP") X(BW_SASS_OTHER, "other", "all else") X(BW_SASS_FLOAT, "float", "FADD, FMUL, FFMA") \
	X(BW_SASS_GLOBAL_LOAD, "global_load", "LDG") X(BW_SASS_GLOBAL_STORE, "global_store", "STG") X(BW_SASS_SHARED_LOAD, "shared_load", "LDS") \
	X(BW_SASS_SHARED_STORE, "shared_store", "STS") X(BW_SASS_LOCAL_LOAD, "local_load", "LDL") X(BW_SASS_LOCAL_STORE, "local_store", "STL")
enum bw_sass_kind { BW_SASS_KIND_TABLE(BW_FIRST) BW_SASS_KINDS };

/* All launches of one kernel. */
struct bw_counted_kernel {
	char name[96];                  /* of the entry */
	int64_t grid[3], block[3];      /* of the first launch */
	int64_t launches, shared_bytes; /* a block */
	int64_t n_rounded; /* elements that one block rounded to a whole number 1 off another's, and no race */
	char rounded[300]; /* the first of them */
	int64_t sampled;                /* blocks that were run for all of the last launch; 0: all were run */
	struct bw_counts counts;
	bool has_sass; /* counted in SASS, too */
	double sass[BW_SASS_KINDS]; /* instructions of warps, by kind */
	int n_parts;
	struct bw_counted_part *parts;
};

struct bw_sass;
struct bw_counted {
	int n;
	struct bw_counted_kernel *kernels; /* in the order of their first launch */
	/* Their code, if it was kept: the PTX that the lines of parts count in; the machine code of it, and the
	 * bytes that this points into. NULL: not known. */
	char *ptx, *cubin;
	struct bw_sass *sass;
	char *statement; /* as Halide lowered it, with the kernels in it; NULL: not known */
};

/* Reads a list of launches; free with bw_counted_free(). Returns NULL with an error. */
struct bw_counted *bw_counted_read(const struct bw_json_at *list, struct bw_error *error);
void bw_counted_free(struct bw_counted *counted);
/* Returns the instructions of warps in SASS, of all kinds. */
double bw_counted_sass(const struct bw_counted_kernel *kernel);
/* Adds b to a. */
void bw_counts_join(struct bw_counts *a, const struct bw_counts *b);
