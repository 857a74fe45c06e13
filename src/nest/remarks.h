/* What is worth knowing of a schedule that computes what it should: what a checker of memory or a comparison
 * to the bit will find, and where Halide may find less than it needs. */
#ifndef BW_NEST_REMARKS_H
#define BW_NEST_REMARKS_H
#include "nest/nest.h"

/* Name in C, in lists; what is said before the Funcs. */
#define BW_REMARK_TABLE(X) \
	X(BEYOND, "reads beyond", "rounded-up tiles read more than is computed, and throw it away") \
	X(TWICE, "computes twice", "overlapping tiles compute points twice, whose last bits may differ") \
	X(UNPROVEN, "no proof of its size", "Halide may find no bound on what a thread keeps, and keep it in global memory")

enum bw_remark_kind {
#define X(name, words, meaning) BW_REMARK_##name,
	BW_REMARK_TABLE(X)
#undef X
	BW_N_REMARKS
};

struct bw_remark {
	enum bw_remark_kind kind;
	int func, stage, loop; /* BEYOND: a dimension in place of the loop, stage 0 */
	int64_t extent;        /* of what is read beyond or computed twice, in that dimension or loop; 0: UNPROVEN */
};

struct bw_remarks {
	int n;
	const struct bw_remark *list; /* by falling index of the Func */
};

/* The remarks on a nest, by the estimates. Owned by the arena. */
struct bw_remarks bw_nest_remarks(const struct bw_nest *nest, struct bw_arena *arena);
const char *bw_remark_name(enum bw_remark_kind kind);
/* The name of the dimension or loop; "" where the remark is on none. */
const char *bw_remark_where(const struct bw_pipeline *pipeline, const struct bw_remark *remark);
/* Those of a kind as a line without its end, with the Funcs: `overlapping tiles compute points twice, whose
 * last bits may differ: g (4 in x, 2 in y)`. False if there are none. */
bool bw_remarks_words(const struct bw_pipeline *pipeline, const struct bw_remarks *remarks,
		      enum bw_remark_kind kind, struct bw_text *out);
#endif
