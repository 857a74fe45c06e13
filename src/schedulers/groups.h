/* Groups of Funcs, for all schedulers that group Funcs. Says which Funcs are inlined, and which group
 * each other Func belongs to. Computes the region of each Func that a tile of a group's output needs, and
 * the schedule in which each group is a kernel. A group is identified by the index of its output, the
 * Func that other groups read. */
#pragma once
#include "schedulers/walk.h"

struct bw_groups {
	const struct bw_pipeline *pipeline;
	const struct bw_device *device;
	struct bw_arena *arena; /* owns the arrays below */
	bool *inlined;          /* by Func */
	int *group;             /* by Func: the output of its group; -1: an input, or inlined */
	/* by output: extents of the tile by dimension, in points; NULL: no tile is chosen */
	const int64_t **tiles;
	struct bw_interval *whole; /* BW_MAX_DIMS by Func: the whole region needed of it, by the
				      estimates */
	bool *bounded;             /* by Func: whether `whole` is known */
	double *stage_operations; /* by stage of the pipeline: arithmetic per point, without inlined Funcs */
	double *value; /* by Func: arithmetic per value of its pure stage, including inlined Funcs */
	struct bw_interval *boxes; /* BW_MAX_DIMS by Func, scratch */
	bool *known;               /* by Func, scratch: `boxes` has a box */
};

/* Begins with each Func in a group of its own, and computes everything that follows from the pipeline
 * alone. The objects that the arguments point to must outlive the groups. */
void bw_groups_begin(struct bw_groups *groups, const struct bw_pipeline *pipeline,
		     const struct bw_device *device, struct bw_arena *arena);
/* Inlines a Func, or makes it a group of its own again. */
void bw_groups_inline(struct bw_groups *groups, int func, bool inlined);

/* Marks the Funcs that read `func` directly or through inlined Funcs, and these inlined Funcs. */
void bw_groups_mark_readers(const struct bw_groups *groups, int func, bool *marked);
/* Lists the members of a group: its output first, then consumers before producers. Returns their number.
 * The arena owns the list. */
int bw_groups_members(const struct bw_groups *groups, int output, struct bw_arena *arena, int **list);

/* A function that is called with a stage and its number of iterations. */
typedef void bw_groups_stage(const struct bw_groups *groups, const struct bw_stage *stage, double iterations,
			     void *data);
/* Adds the regions that a Func's stages read to groups->boxes, and marks them as known. The Func's own
 * region must be in groups->boxes. Calls `each`, unless it is NULL, for every stage. A read without a
 * bound takes the whole region needed of the Func that it reads. Returns false if the whole region has no
 * bound either. */
bool bw_groups_reads(struct bw_groups *groups, int func, bw_groups_stage *each, void *data);
/* Adds the regions that one stage reads, as bw_groups_reads does. computed: the box of its Func that is
 * computed (bw_computed_box). */
bool bw_groups_stage_reads(struct bw_groups *groups, const struct bw_stage *stage,
			   const struct bw_interval *computed, double *iterations);
/* Returns the operations per point of a stage, including the Funcs inlined into it. */
double bw_groups_operations(const struct bw_groups *groups, const struct bw_stage *stage);
/* Clears all boxes, and sets the output's box to a tile in the middle of the whole region needed. tile:
 * extents by dimension, in points; NULL: one point. Returns the number of tiles. */
double bw_groups_place(struct bw_groups *groups, int output, const int64_t *tile);
/* Returns the extent in a dimension of the whole region needed of a Func; 1 if the region is not known. */
int64_t bw_groups_extent(const struct bw_groups *groups, int func, int dim);
/* Clips the box of a Func to the whole region needed of the Func. Returns the number of points in the
 * box. */
double bw_groups_clip(const struct bw_groups *groups, int func);

/* Returns the stage of a group's output in which the members are computed: the last stage that reads a
 * member, directly or through inlined Funcs. */
int bw_groups_host(const struct bw_groups *groups, int output);
/* Returns the schedule in which `place` places each Func. `place` returns a new reference. Returns NULL
 * with an error if Halide or the device refuses the schedule; the error says why. */
struct bw_schedule *bw_groups_schedule(struct bw_groups *groups,
				       const struct bw_placement *(*place)(void *data, int func), void *data,
				       struct bw_error *error);

/* The common state of walks of schedulers that group Funcs. Must be the first member of a scheduler's
 * state. */
struct bw_grouping {
	struct bw_groups of;
	struct bw_device device;
	struct bw_arena *arena;       /* owns all but the schedule */
	struct bw_schedule *schedule; /* schedule after the decisions so far */
	/* Returns the placement of a Func, a new reference. state: the scheduler's. */
	const struct bw_placement *(*place)(void *state, int func);
};

/* A choice of a scheduler that groups Funcs. Must be the first member of the scheduler's own choices. */
struct bw_group_choice {
	int func;            /* the Func to inline, or the output of the group to merge */
	int consumer;        /* the output of the group that it is merged into; -1: inlining */
	const int64_t *tile; /* points, by dimension of the merged group's output; NULL: none */
	double benefit;      /* cost that the choice saves */
	bool trivial;        /* comes first, whatever its benefit */
	const char *refused; /* why the choice is not possible; NULL: no reason known */
};

/* Returns a state of `size` bytes that begins with a struct bw_grouping; the other bytes are zero. Each
 * Func is a group of its own. There is no schedule yet. The pipeline must outlive the state. End it with
 * bw_grouping_end. */
void *bw_grouping_new(size_t size, const struct bw_pipeline *pipeline, const struct bw_device *device,
		      const struct bw_placement *(*place)(void *state, int func));
/* Makes the schedule of the current groups. If Halide or the device refuses the schedule, returns false
 * with an error that says why, and keeps the old schedule. */
bool bw_grouping_remake(struct bw_grouping *grouping, struct bw_error *error);
/* Changes the groups with `apply`, and makes the new schedule. If the new schedule is not legal, returns
 * false with an error and restores the groups. */
bool bw_grouping_try(struct bw_grouping *grouping, void (*apply)(void *state, const void *choice),
		     const void *choice, struct bw_error *error);
/* The `apply` for bw_grouping_try that inlines or merges. choice: a const struct bw_group_choice *. */
void bw_grouping_apply(void *state, const void *choice);

/* Returns true if a Func may be inlined next. */
bool bw_grouping_may_inline(const struct bw_groups *groups, int func);
/* Computes the cost that inlining a Func saves. *before and *after: the total cost of the Func and its
 * readers as kernels, before and after the inlining; `alone` returns the cost of one kernel. marked: by
 * Func, scratch; marks the Funcs that count. */
void bw_grouping_weigh(struct bw_grouping *grouping, struct bw_group_choice *choice, bool *marked,
		       double (*alone)(void *state, int func), double *before, double *after);
/* Returns the group that a Func's group may be merged into: the only group that reads it. Returns -1 if
 * there is none. */
int bw_grouping_reader(const struct bw_groups *groups, int func);
/* Compares choices for qsort: trivial choices first, then the largest benefit first. */
int bw_grouping_order(const void *a, const void *b);
/* Sets the Funcs, the name and the words on the tile of a candidate. */
void bw_grouping_name(const struct bw_grouping *grouping, const struct bw_group_choice *choice,
		      struct bw_walk_candidate *candidate);
/* Returns the words `tile 32x8`, owned by the arena. */
const char *bw_grouping_tile(const struct bw_grouping *grouping, int output, const int64_t *tile);

/* Functions for struct bw_walk_scheduler. The description lists groups of several Funcs first, then
 * groups of one Func, then inlined Funcs. */
struct bw_schedule *bw_grouping_schedule(void *state);
void bw_grouping_describe(const void *state, struct bw_text *out);
void bw_grouping_end(void *state);
