/* Groups of Funcs, for all schedulers that group them: which Funcs are inlined, which group each other
 * Func belongs to, the region that a tile of a group's output needs of each, and the schedule in which a
 * group is a kernel. A group is called by the index of its output, the Func that other groups read. */
#pragma once
#include "schedulers/walk.h"

struct bw_groups {
	const struct bw_pipeline *pipeline;
	const struct bw_device *device;
	struct bw_arena *arena; /* owns the arrays below */
	bool *inlined;          /* by Func */
	int *group;             /* by Func: the output of its group; -1: an input, or inlined */
	const int64_t **tiles;  /* by output: points by dimension; NULL: none is chosen */
	struct bw_interval *whole; /* BW_MAX_DIMS by Func: the whole region needed of it, by the
				      estimates */
	bool *bounded;             /* by Func: whether `whole` is known */
	double *stage_operations; /* by stage of the pipeline: arithmetic of a point, without inlined Funcs */
	double *value; /* by Func: arithmetic of a value of its pure stage, inlined Funcs included */
	struct bw_interval *boxes; /* BW_MAX_DIMS by Func, scratch */
	bool *known;               /* by Func, scratch: whether there is a box */
};

/* Begins with each Func in a group of its own, and derives all that follows from the pipeline alone. The
 * objects that the arguments point to must outlive it. */
void bw_groups_begin(struct bw_groups *groups, const struct bw_pipeline *pipeline,
		     const struct bw_device *device, struct bw_arena *arena);
/* Inlines a Func, or makes it a group of its own again. */
void bw_groups_inline(struct bw_groups *groups, int func, bool inlined);

/* Marks the Funcs that read `func`, directly or through inlined ones, and these inlined ones, too. */
void bw_groups_mark_readers(const struct bw_groups *groups, int func, bool *marked);
/* Lists the members of a group, its output first, then consumers before producers. Returns how many. The
 * arena owns the list. */
int bw_groups_members(const struct bw_groups *groups, int output, struct bw_arena *arena, int **list);

/* Is called with a stage and the number of its iterations. */
typedef void bw_groups_stage(const struct bw_groups *groups, const struct bw_stage *stage, double iterations,
			     void *data);
/* Adds the regions that a Func's stages read to groups->boxes, given the Func's own region there, and
 * marks them as known. Calls `each`, unless it is NULL, for every stage. A read without a bound takes
 * the whole region needed. Returns false if that has no bound either. */
bool bw_groups_reads(struct bw_groups *groups, int func, bw_groups_stage *each, void *data);
/* Does the same for one stage when this box of its Func is computed (bw_computed_box). */
bool bw_groups_stage_reads(struct bw_groups *groups, const struct bw_stage *stage,
			   const struct bw_interval *computed, double *iterations);
/* Returns the operations per point of a stage, including the Funcs inlined into it. */
double bw_groups_operations(const struct bw_groups *groups, const struct bw_stage *stage);
/* Forgets all boxes, and sets the output's box to a tile in the middle of the whole region needed. tile:
 * points by dimension; NULL: one element. Returns the number of tiles. */
double bw_groups_place(struct bw_groups *groups, int output, const int64_t *tile);
/* Returns the extent in a dimension of the whole region needed of a Func; 1 if it is not known. */
int64_t bw_groups_extent(const struct bw_groups *groups, int func, int dim);
/* Clips the box of a Func to the whole region needed of it, and returns its points. */
double bw_groups_clip(const struct bw_groups *groups, int func);

/* Returns the stage of a group's output that members are computed for: the last that reads one, directly or
 * through inlined Funcs. */
int bw_groups_host(const struct bw_groups *groups, int output);
/* Returns the schedule in which `place` places each Func (it returns a new reference), or NULL with an error
 * that says what Halide or the device refuses. */
struct bw_schedule *bw_groups_schedule(struct bw_groups *groups,
				       const struct bw_placement *(*place)(void *data, int func), void *data,
				       struct bw_error *error);

/* What schedulers that group Funcs have in common as walks: the first member of their states. */
struct bw_grouping {
	struct bw_groups of;
	struct bw_device device;
	struct bw_arena *arena;       /* owns all but the schedule */
	struct bw_schedule *schedule; /* of the decisions so far */
	/* Returns how the scheduler, whose state this is, places a Func: a new reference. */
	const struct bw_placement *(*place)(void *state, int func);
};

/* A choice of such a scheduler: the first member of each scheduler's own choices. */
struct bw_group_choice {
	int func;            /* to inline, or the output of the group to merge */
	int consumer;        /* the output of the group to merge into; -1: inlining */
	const int64_t *tile; /* points, by dimension of the merged group's output; NULL: none */
	double benefit;      /* cost that it saves */
	bool trivial;        /* comes first, whatever it saves */
	const char *refused; /* why it cannot be done; NULL: nothing is known against it */
};

/* Returns a state of `size` bytes, zeros but for its grouping, in which each Func is a group of its
 * own; there is no schedule yet. End it with bw_grouping_end. The pipeline must outlive it. */
void *bw_grouping_new(size_t size, const struct bw_pipeline *pipeline, const struct bw_device *device,
		      const struct bw_placement *(*place)(void *state, int func));
/* Makes the schedule of the groups as they are. Returns false, and leaves the schedule, with an error
 * that says what Halide or the device refuses. */
bool bw_grouping_remake(struct bw_grouping *grouping, struct bw_error *error);
/* Changes the groups with `apply`, and makes the schedule anew. If that is not legal, returns false with
 * an error and restores the groups. */
bool bw_grouping_try(struct bw_grouping *grouping, void (*apply)(void *state, const void *choice),
		     const void *choice, struct bw_error *error);
/* For bw_grouping_try: inlines or merges (const struct bw_group_choice *choice). */
void bw_grouping_apply(void *state, const void *choice);

/* Returns true if a Func may be inlined next. */
bool bw_grouping_may_inline(const struct bw_groups *groups, int func);
/* Finds the cost that inlining a Func saves: the costs, each by `alone`, of the Func and its readers as
 * kernels, before and after it. marked: scratch, by Func; gets these Funcs. */
void bw_grouping_weigh(struct bw_grouping *grouping, struct bw_group_choice *choice, bool *marked,
		       double (*alone)(void *state, int func), double *before, double *after);
/* Returns the group that a Func's may be merged into, the only one that reads it; -1: there is none. */
int bw_grouping_reader(const struct bw_groups *groups, int func);
/* Orders choices, for qsort: trivial ones, then the largest benefit first. */
int bw_grouping_order(const void *a, const void *b);
/* Sets the Funcs, the name and the tile of a candidate. */
void bw_grouping_name(const struct bw_grouping *grouping, const struct bw_group_choice *choice,
		      struct bw_walk_candidate *candidate);
/* Returns `tile 32x8`, owned by the arena. */
const char *bw_grouping_tile(const struct bw_grouping *grouping, int output, const int64_t *tile);

/* Implement struct bw_walk_scheduler. The words list groups of more than one Func first, then Funcs that
 * are kernels by themselves, then inlined ones. */
struct bw_schedule *bw_grouping_schedule(void *state);
void bw_grouping_describe(const void *state, struct bw_text *out);
void bw_grouping_end(void *state);
