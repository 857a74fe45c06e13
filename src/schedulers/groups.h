/* Groups of Funcs, as the schedulers that group them share them: which Funcs are inlined, to which group the
 * others belong, the region that a tile of a group's output needs of each, and the schedule in which a group
 * is a kernel. A group is called by the index of its output, the Func that other groups read. */
#ifndef BW_SCHEDULERS_GROUPS_H
#define BW_SCHEDULERS_GROUPS_H
#include "base/mem.h"
#include "gpu/device.h"
#include "schedule/schedule.h"

struct bw_groups {
	const struct bw_pipeline *pipeline;
	const struct bw_device *device;
	struct bw_arena *arena; /* owns the arrays below */
	bool *inlined;          /* by Func */
	int *group;             /* by Func: the output of its group; -1: an input, or inlined */
	const int64_t **tiles;  /* by output: points by dimension; NULL: none is chosen */
	struct bw_interval *whole; /* BW_MAX_DIMS by Func: all that is needed of it, by the estimates */
	bool *bounded;             /* by Func: whether `whole` is known */
	double *stage_operations; /* by stage of the pipeline: arithmetic of a point, without inlined Funcs */
	double *value; /* by Func: arithmetic of a value of its pure stage, inlined Funcs included */
	struct bw_interval *boxes; /* BW_MAX_DIMS by Func, scratch */
	bool *known;               /* by Func, scratch: whether there is a box */
};

/* Begins with each Func in a group of its own, and finds what follows from the pipeline alone. What the
 * arguments point to must outlive it. */
void bw_groups_begin(struct bw_groups *groups, const struct bw_pipeline *pipeline,
		     const struct bw_device *device, struct bw_arena *arena);
/* Inlines a Func, or makes it a group of its own again. */
void bw_groups_inline(struct bw_groups *groups, int func, bool inlined);
/* Adds the group of `producer` to that of `consumer`. */
void bw_groups_merge(struct bw_groups *groups, int producer, int consumer);

/* The groups at a moment, to go back to. */
struct bw_groups_kept {
	bool *inlined;
	int *group;
	const int64_t **tiles;
};
/* Free it with bw_groups_kept_free. */
struct bw_groups_kept bw_groups_keep(const struct bw_groups *groups);
void bw_groups_return(struct bw_groups *groups, const struct bw_groups_kept *kept);
void bw_groups_kept_free(struct bw_groups_kept *kept);

/* Marks the Funcs that read `func`, directly or through inlined ones, which are marked, too. */
void bw_groups_mark_readers(const struct bw_groups *groups, int func, bool *marked);
/* Returns the only group that reads a group's output, or -1. */
int bw_groups_only_reader(const struct bw_groups *groups, int output);
/* Lists the members of a group, its output first, then consumers before producers. Returns how many. The
 * arena owns the list. */
int bw_groups_members(const struct bw_groups *groups, int output, struct bw_arena *arena, int **list);

/* Is called with a stage and the number of its iterations. */
typedef void bw_groups_stage(const struct bw_groups *groups, const struct bw_stage *stage, double iterations,
			     void *data);
/* Adds the regions that a Func's stages read to groups->boxes, for the region that stands there for the Func,
 * and marks them as known. Calls `each`, unless it is NULL, for every stage. A read without a bound takes all
 * that is needed. Returns false if that has no bound either. */
bool bw_groups_reads(struct bw_groups *groups, int func, bw_groups_stage *each, void *data);
/* Does the same for one stage when this box of its Func is computed (bw_computed_box). */
bool bw_groups_stage_reads(struct bw_groups *groups, const struct bw_stage *stage,
			   const struct bw_interval *computed, double *iterations);
/* The arithmetic of a point of a stage, with that of what is inlined into it. */
double bw_groups_operations(const struct bw_groups *groups, const struct bw_stage *stage);
/* Forgets all boxes, and sets that of the output to a tile in the middle of all that is needed. tile is in
 * points by dimension, NULL: one element. Returns how many tiles there are. */
double bw_groups_place(struct bw_groups *groups, int output, const int64_t *tile);
/* Extent of all that is needed of a Func in a dimension; 1 if it is not known. */
int64_t bw_groups_extent(const struct bw_groups *groups, int func, int dim);
/* Clips the box of a Func to all that is needed of it, and returns its points. */
double bw_groups_clip(const struct bw_groups *groups, int func);

/* Returns the stage of a group's output that members are computed for: the last that reads one, directly or
 * through inlined Funcs. */
int bw_groups_host(const struct bw_groups *groups, int output);
/* Returns the schedule in which `place` places each Func (it returns a new reference), or NULL with an error
 * that says what Halide or the device refuses. */
struct bw_schedule *bw_groups_schedule(struct bw_groups *groups,
				       const struct bw_placement *(*place)(void *data, int func), void *data,
				       struct bw_error *error);
/* Appends `tile 32x8`. */
void bw_groups_print_tile(const struct bw_func *func, const int64_t *tile, struct bw_text *out);
/* Appends all groups in words: those of more than one Func first, then what is a kernel by itself, then what
 * is inlined. */
void bw_groups_describe(const struct bw_groups *groups, struct bw_text *out);
#endif
