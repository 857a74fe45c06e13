/* A placement: all that is decided of one Func, as a value. Where it is computed and stored, and for each
 * stage its loops.
 *
 * Each loop of a stage (struct bw_stage_loop) is cut into pieces from outside in. The outermost piece of a
 * loop has extent 0: "what the inner pieces leave". So `x 32` inside `x` is Halide's split(x, x_outer,
 * x_inner, 32), and three pieces x, x 8, x 4 are first a split by 8 * 4 with the tail strategy of the second
 * piece, then one by 4 that always divides. Placements are immutable and shared between schedules by
 * reference counts. */
#ifndef BW_NEST_PLACEMENT_H
#define BW_NEST_PLACEMENT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "pipeline/pipeline.h"

/* Where a Func is stored: name in C, in schedule files and lists, in Halide. */
#define BW_MEMORY_TABLE(X) \
	X(AUTO, "auto", "Auto") X(GLOBAL, "global", "Heap") X(SHARED, "shared", "GPUShared") X(REGISTERS, "registers", "Register") \
	X(STACK, "stack", "Stack")

enum bw_memory {
#define X(name, text, halide) BW_MEMORY_##name,
	BW_MEMORY_TABLE(X)
#undef X
	BW_N_MEMORIES
};

/* What happens where a factor does not divide an extent: name in C, in schedule files and lists, in Halide.
 */
#define BW_TAIL_TABLE(X) \
	X(AUTO, "auto", "Auto") X(ROUND_UP, "round_up", "RoundUp") X(SHIFT_INWARDS, "shift_inwards", "ShiftInwards") \
	X(GUARD_WITH_IF, "guard_with_if", "GuardWithIf")

enum bw_tail {
#define X(name, text, halide) BW_TAIL_##name,
	BW_TAIL_TABLE(X)
#undef X
	BW_N_TAILS
};

/* What a loop's iterations are mapped to: name in C, in schedule files. */
#define BW_LOOP_TABLE(X) \
	X(BLOCK, "block") X(THREAD, "thread") X(LANE, "lane") X(SERIAL, "serial") X(UNROLLED, "unrolled") X(VECTOR, "vector")

enum bw_loop_kind {
#define X(name, text) BW_LOOP_##name,
	BW_LOOP_TABLE(X)
#undef X
	BW_N_LOOP_KINDS
};

struct bw_loop {
	int loop;       /* index into the stage's loops (struct bw_stage.loops) */
	int64_t extent; /* iterations; 0: what the inner pieces of this loop leave */
	enum bw_loop_kind kind;
	enum bw_tail tail; /* of the split that made this piece; AUTO lets bw_nest_place choose a legal one.
			      Unused where extent is 0 */
};

struct bw_stage_plan {
	int n_loops;
	const struct bw_loop *loops; /* outermost first; every loop of the stage stands here once with extent 0 */
};

enum bw_site_kind { BW_SITE_INLINE, BW_SITE_ROOT, BW_SITE_AT };

/* A level of a stage's loops where others can be computed: inside its block loops, inside its thread loops,
 * or inside its first k + 1 serial (or unrolled) loops. Relative, so that it means the same in every state.
 */
enum bw_role { BW_ROLE_BLOCK, BW_ROLE_THREAD, BW_ROLE_SERIAL };

struct bw_site {
	enum bw_site_kind kind;
	int func, stage; /* AT: the host */
	enum bw_role role;
	int serial; /* role SERIAL: k, from 0 outermost */
};

/* How a Func comes from one of the algorithm: identity in a schedule is (Func, derivation). */
enum bw_derivation { BW_DERIVED_NOT, BW_DERIVED_WRAPPER, BW_DERIVED_CLONE, BW_DERIVED_RFACTOR };

/* An RVar that an rfactor keeps, and the Var of the intermediate Func that takes its place. */
struct bw_factored {
	int loop; /* index into the loops of the update that is factored */
	const char *var;
};

struct bw_placement {
	int references;
	uint64_t hash; /* of all that follows: equal placements have equal hashes */
	int func;      /* index in the pipeline */
	enum bw_derivation derivation;
	int derived_for;        /* the consumer that a wrapper or clone serves; -1 elsewhere */
	int derived_stage;      /* RFACTOR: the stage that is factored, 1 for update 0; 0 elsewhere */
	int n_factored;         /* RFACTOR: at least 1; 0 elsewhere */
	const struct bw_factored *factored;
	struct bw_site compute; /* where it is computed */
	struct bw_site store;   /* where it is stored; equal to compute unless hoisted */
	enum bw_memory memory;
	bool tiled; /* false: at root with its tiling still to be decided; the plan is then an assumption for
		       the cost only */
	int n_storage;      /* 0: the order of the dimensions */
	const int *storage; /* dimensions, innermost first */
	int n_stages;       /* 0 where inline */
	const struct bw_stage_plan *stages;
};

/* Makes an immutable copy of a placement that the caller filled in (references and hash are set here). Give
 * it back with _drop. What has no meaning is set to one value, so that placements that mean the same are
 * equal: a store of kind INLINE becomes the site of compute; an inlined Func has no memory, storage order or
 * stages; sites other than AT have no host; tails stay on the outermost piece with an extent of each loop;
 * the storage order of the dimensions becomes none. */
const struct bw_placement *bw_placement_make(const struct bw_placement *draft);
const struct bw_placement *bw_placement_keep(const struct bw_placement *placement);
/* Bytes that it takes. */
size_t bw_placement_bytes(const struct bw_placement *placement);
void bw_placement_drop(const struct bw_placement *placement);
/* Orders placements by what they place: Funcs by index, a Func before those derived from it. 0 where both
 * place the same Func (and derivation), else negative or positive. */
int bw_placement_order(const struct bw_placement *a, const struct bw_placement *b);
bool bw_placement_equal(const struct bw_placement *a, const struct bw_placement *b);
bool bw_site_equal(const struct bw_site *a, const struct bw_site *b);

const char *bw_memory_name(enum bw_memory memory);
const char *bw_tail_name(enum bw_tail tail);
const char *bw_loop_kind_name(enum bw_loop_kind kind);

/* A site in words, as in schedule files and on the screen: `root`, `inline`, `at output.block`, `at
 * hist.update0.thread`, `at output.serial1`. */
void bw_site_print(const struct bw_pipeline *pipeline, const struct bw_site *site, struct bw_text *out);
/* A choice in words, the short form of beamwalk-schedule(5): `Ix at output.block 1x4` (serial extents by
 * dimension, x first), `Ix root 1x2/32x8` (serial and thread extents), `Ixy at output.thread`, `Iy inline`,
 * `Ix root` where the tiling is undecided. bw_placement_parse reads it back as the same placement, unless it
 * ends in ` ...`: then the loops are others than those that bw_plan_root, _at_block and _in_thread make, and
 * the numbers are those of the pure stage. */
void bw_placement_words(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
			struct bw_text *out);
#endif
