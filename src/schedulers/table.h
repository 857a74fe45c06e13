/* The schedulers. The beam search walks through its decisions in the explorer; the others schedule a whole
 * pipeline at once, and the search is held to what they chose, so that each Func can be freed again. */
#ifndef BW_SCHEDULERS_TABLE_H
#define BW_SCHEDULERS_TABLE_H
#include "gpu/device.h"
#include "schedule/schedule.h"

/* Name, paper, meaning, the function that schedules (NULL: the search itself). */
#define BW_SCHEDULER_TABLE(X)                                                                                \
	X("beam", "Anderson et al. 2021", "the beam search, with every Func free", NULL)                     \
	X("greedy", "Mullapudi et al. 2016", "inlines, then merges groups of Funcs, by the largest benefit", \
	  schedule_greedily)

/* Returns a whole schedule, and appends how it came about to `steps`, a line each; NULL with an error. */
typedef struct bw_schedule *bw_schedule_function(const struct bw_pipeline *pipeline,
						 const struct bw_device *device, struct bw_text *steps,
						 struct bw_error *error);

struct bw_scheduler {
	const char *name, *paper, *meaning;
	bw_schedule_function *schedule;
};

/* Returns all schedulers, and sets *n to their number. */
const struct bw_scheduler *bw_schedulers(int *n);
/* Returns the scheduler of this name, or NULL with an error that lists the names. */
const struct bw_scheduler *bw_scheduler_find(const char *name, struct bw_error *error);
#endif
