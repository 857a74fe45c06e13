/* Remarks on a schedule whose output is right: what a memory checker or a bitwise comparison would report,
 * and where Halide may find a worse bound than the true one. */
#pragma once
#include "nest/nest.h"

/* Name in C, name in lists, words before the list of Funcs. */
#define BW_REMARK_TABLE(X) \
	X(BW_REMARK_BEYOND, "reads beyond", "rounded-up tiles read more than is computed, and throw it away") \
	X(BW_REMARK_TWICE, "computes twice", "overlapping tiles compute points twice, whose last bits may differ") \
	X(BW_REMARK_UNPROVEN, "no proof of its size", "Halide may find no bound on what a thread keeps, and keep it in global memory") \
	X(BW_REMARK_ORDER, "order of additions", "atomic additions of floats come in another order each time, and their last bits may differ")

enum bw_remark_kind { BW_REMARK_TABLE(BW_FIRST) BW_N_REMARKS };

struct bw_remark {
	enum bw_remark_kind kind;
	int func, stage, loop; /* BEYOND: `loop` is a dimension, and stage is 0 */
	int64_t extent; /* points read beyond or computed twice along the dimension or loop; 0 for UNPROVEN */
};

struct bw_remarks {
	int n;
	const struct bw_remark *list; /* by decreasing index of the Func */
};

/* Returns the remarks on a nest at the estimated sizes. The arena owns them. */
struct bw_remarks bw_nest_remarks(const struct bw_nest *nest, struct bw_arena *arena);
const char *bw_remark_name(enum bw_remark_kind kind);
/* Returns the name of the remark's dimension or loop; "" if it has none. */
const char *bw_remark_where(const struct bw_pipeline *pipeline, const struct bw_remark *remark);
/* Appends the remarks of one kind as a line without a line end, with the Funcs: `overlapping tiles
 * compute points twice, whose last bits may differ: g (4 in x, 2 in y)`. Returns false if there are
 * none. */
bool bw_remarks_words(const struct bw_pipeline *pipeline, const struct bw_remarks *remarks,
		      enum bw_remark_kind kind, struct bw_text *out);
