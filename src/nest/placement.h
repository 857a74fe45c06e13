/* A placement: all decisions about one Func, as a value: where the Func is computed and stored, and the
 * loops of each of its stages.
 *
 * Each loop of a stage (struct bw_stage_loop) is cut into pieces from outside in. The outermost piece of a
 * loop has extent 0, which means "as many iterations as the inner pieces leave". So `x 32` inside `x` is
 * Halide's split(x, x_outer, x_inner, 32). Three pieces x, x 8, x 4 are two splits: first a split by 8 * 4
 * with the tail strategy of the second piece, then a split by 4, which always divides. Placements are
 * immutable, reference counted, and shared between schedules. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/text.h"
#include "pipeline/pipeline.h"

/* Where a Func is stored: name in C, name in schedule files and lists, name in Halide. */
#define BW_MEMORY_TABLE(X) \
	X(BW_MEMORY_AUTO, "auto", "Auto") X(BW_MEMORY_GLOBAL, "global", "Heap") X(BW_MEMORY_SHARED, "shared", "GPUShared") X(BW_MEMORY_REGISTERS, "registers", "Register") \
	X(BW_MEMORY_STACK, "stack", "Stack")

enum bw_memory { BW_MEMORY_TABLE(BW_FIRST) BW_N_MEMORIES };

/* What happens if a factor does not divide an extent: name in C, name in schedule files and lists,
 * name in Halide. */
#define BW_TAIL_TABLE(X) \
	X(BW_TAIL_AUTO, "auto", "Auto") X(BW_TAIL_ROUND_UP, "round_up", "RoundUp") X(BW_TAIL_SHIFT_INWARDS, "shift_inwards", "ShiftInwards") \
	X(BW_TAIL_GUARD_WITH_IF, "guard_with_if", "GuardWithIf")

enum bw_tail { BW_TAIL_TABLE(BW_FIRST) BW_N_TAILS };

/* What the iterations of a loop are mapped to: name in C, name in schedule files. */
#define BW_LOOP_TABLE(X) \
	X(BW_LOOP_BLOCK, "block") X(BW_LOOP_THREAD, "thread") X(BW_LOOP_LANE, "lane") X(BW_LOOP_SERIAL, "serial") X(BW_LOOP_UNROLLED, "unrolled") X(BW_LOOP_VECTOR, "vector")

enum bw_loop_kind { BW_LOOP_TABLE(BW_FIRST) BW_N_LOOP_KINDS };

struct bw_loop {
	int loop;       /* index into the stage's loops (struct bw_stage.loops) */
	int64_t extent; /* iterations; 0: as many as the inner pieces of this loop leave */
	enum bw_loop_kind kind;
	/* tail strategy of the split that made this piece; bw_nest_place replaces AUTO by a legal one.
	 * Unused if extent is 0. */
	enum bw_tail tail;
};

struct bw_stage_plan {
	int n_loops;
	/* outermost first; each loop of the stage has exactly one entry with extent 0 */
	const struct bw_loop *loops;
	/* each iteration of an update is one atomic operation, so that blocks and threads may share its
	 * reductions */
	bool atomic;
};

/* Returns true if a piece of a loop has this kind. If a loop has no block piece, every block runs the
 * whole loop, and the loop's beginning is known when the kernel is launched. */
static inline bool bw_plan_has(const struct bw_stage_plan *plan, int loop, enum bw_loop_kind kind)
{
	for (int i = 0; i < plan->n_loops; i++)
		if (plan->loops[i].loop == loop && plan->loops[i].kind == kind)
			return true;
	return false;
}

enum bw_site_kind { BW_SITE_INLINE, BW_SITE_ROOT, BW_SITE_AT };

/* A level of a stage's loops where other Funcs can be computed. BLOCK: inside the block loops. THREAD:
 * inside the thread loops, and inside the lanes if there are any. SERIAL: inside the first k + 1 serial
 * (or unrolled) loops. WARP: inside the thread loops but outside of the lanes. A role is relative to the
 * stage, so that it means the same in every state. */
enum bw_role { BW_ROLE_BLOCK, BW_ROLE_THREAD, BW_ROLE_SERIAL, BW_ROLE_WARP, BW_N_ROLES };

/* Returns the role of a loop of this kind: blocks, threads (lanes are some of them), or serial. */
static inline enum bw_role bw_loop_role(enum bw_loop_kind kind)
{
	return kind == BW_LOOP_BLOCK                            ? BW_ROLE_BLOCK
	       : kind == BW_LOOP_THREAD || kind == BW_LOOP_LANE ? BW_ROLE_THREAD
								: BW_ROLE_SERIAL;
}

/* BW_MOST_LANES: the most lanes of a warp in Halide. BW_SHUFFLED_BYTES: the largest value that Halide
 * moves from one lane to another. */
enum { BW_MOST_LANES = 32, BW_SHUFFLED_BYTES = 4 };

/* The largest number to whose multiples a Func's region is aligned. */
enum { BW_MOST_ALIGN = 64 };

struct bw_site {
	enum bw_site_kind kind;
	int func, stage; /* AT: the host */
	enum bw_role role;
	int serial; /* role SERIAL: k, from 0 outermost */
};

/* How a Func is derived from a Func of the algorithm. A schedule identifies a derived Func by the original
 * Func and the derivation. */
enum bw_derivation { BW_DERIVED_NOT, BW_DERIVED_WRAPPER, BW_DERIVED_CLONE };

struct bw_placement {
	int references;
	uint64_t hash; /* of the fields below: equal placements have equal hashes */
	int func;      /* index of the Func in the pipeline */
	enum bw_derivation derivation;
	int derived_for;   /* the consumer that a wrapper or clone serves; -1 if not derived */
	struct bw_site compute; /* where it is computed */
	struct bw_site store;   /* where it is stored; equal to compute unless the storage is hoisted */
	enum bw_memory memory;
	/* false: at root, and the tiling is not decided yet; the plan is then only an assumption for the
	 * cost */
	bool tiled;
	/* by dimension: the computed region begins and ends at multiples of this number; 0: anywhere */
	unsigned char align[BW_MAX_DIMS];
	int n_storage;      /* 0: default storage order, that of the dimensions */
	const int *storage; /* dimensions, innermost first */
	int n_stages;       /* 0 if inlined */
	const struct bw_stage_plan *stages;
};

/* Returns an immutable copy of a placement. The caller fills in all fields of the draft but references and
 * hash, and drops the copy with bw_placement_drop. Fields without a meaning get a fixed value, so that
 * placements of the same meaning are equal. A store site of kind INLINE becomes the compute site. An
 * inlined Func gets no memory, storage order or stages. Sites other than AT get no host. Only the
 * outermost piece with an extent of each loop keeps its tail. A storage order that is the default becomes
 * none. */
const struct bw_placement *bw_placement_make(const struct bw_placement *draft);
const struct bw_placement *bw_placement_keep(const struct bw_placement *placement);
/* Returns the bytes that a placement takes. */
size_t bw_placement_bytes(const struct bw_placement *placement);
void bw_placement_drop(const struct bw_placement *placement);
/* Declares a reference that is dropped when the variable's block is left. */
#define BW_SCOPED_PLACEMENT BW_SCOPED(bw_placement_end) const struct bw_placement
static inline void bw_placement_end(const struct bw_placement **placement)
{
	bw_placement_drop(*placement);
}
/* Orders placements by the Func that they place: by index, and a Func before the Funcs derived from it.
 * Returns 0 if both place the same Func with the same derivation, else a negative or positive number. */
int bw_placement_order(const struct bw_placement *a, const struct bw_placement *b);
bool bw_placement_equal(const struct bw_placement *a, const struct bw_placement *b);
/* Returns true if the placement aligns the Func along some dimension. */
bool bw_placement_aligns(const struct bw_placement *placement);
bool bw_site_equal(const struct bw_site *a, const struct bw_site *b);

const char *bw_memory_name(enum bw_memory memory);
const char *bw_tail_name(enum bw_tail tail);
const char *bw_loop_kind_name(enum bw_loop_kind kind);

/* Appends a site as schedule files and the screen show it: `root`, `inline`, `at output.block`, `at
 * hist.update0.thread`, `at output.serial1`. */
void bw_site_print(const struct bw_pipeline *pipeline, const struct bw_site *site, struct bw_text *out);
/* Appends a placement in the short form of beamwalk-schedule(5): `Ix at output.block 1x4` (serial extents
 * by axis, x first), `Ix root 1x2/32x8` (serial and thread extents), `Ixy at output.thread`, `Iy inline`,
 * `Ix root` if the tiling is undecided. bw_placement_parse reads the text back as the same placement,
 * unless the text ends in ` ...`. That ending says that the loops are not those of bw_plan_root,
 * bw_plan_at_block or bw_plan_in_thread; the extents are then those of the pure stage. */
void bw_placement_words(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
			struct bw_text *out);
