/* What measures schedules for a tuning: a device here or elsewhere, several of them, or a file of
 * measurements. It is asked for schedules, and hands out their outcomes as they come: in any order, one for
 * each. */
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

struct bw_nest;

struct bw_meter_asked {
	int number;                 /* the asker's, which the outcome has, too */
	const struct bw_nest *nest; /* complete; NULL: the generator's own schedule. Valid until its outcome */
	uint64_t hash;              /* bw_schedule_hash; 0 where nest is NULL */
	const char *label;          /* what the schedule is called in stored results */
	bool again; /* it is measured even if it was before, as a repeat is; else a stored outcome will do */
};

struct bw_meter_outcome {
	int number;
	double ms; /* the least of the runs; on the emulated device an estimate from its counts. INFINITY: it
		      failed, or its output is wrong */
	bool stored; /* it was measured before, and not again */
	bool absent; /* nothing is known of it, and nothing will be: it is no sample. ms: 0 */
	bool ends; /* what failed has nothing to do with the schedule: others would fail so, too */
	struct bw_error error; /* why, where ms is INFINITY */
};

struct bw_meter {
	void *data;
	const char *device; /* the device that it measures; owned by the meter */
	bool estimates;     /* its outcomes are estimates from counts, equal in every run */
	const char *file;   /* file of the measurements that it replays, equal in every run; NULL: it
			       measures */
	int width;          /* schedules to ask for at once so that all its workers are busy; 0: no matter */
	/* Asks for a schedule. Returns false with an error if nothing more can be asked for. */
	bool (*ask)(void *data, const struct bw_meter_asked *asked, struct bw_error *error);
	/* Writes the next outcome. Returns false if there is none yet. Never waits. */
	bool (*take)(void *data, struct bw_meter_outcome *outcome);
	/* Writes at most `most` descriptors that can be read once there may be more, and returns how many. NULL:
	 * its owner knows of them. */
	int (*fds)(const void *data, int *fds, int most);
	/* Appends what it is doing, as in `compiling tuning 5, 3 s`. */
	void (*tell)(const void *data, struct bw_text *out);
	/* Gives up what has no outcome yet: it will have none. */
	void (*stop)(void *data);
	/* Appends in some lines what else it has come to, as on other devices. NULL: nothing. */
	void (*sum)(const void *data, struct bw_text *out);
};
