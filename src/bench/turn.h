/* One device and several workers: what is timed has the device for itself, all else shares it. */
#ifndef BW_BENCH_TURN_H
#define BW_BENCH_TURN_H
#include "bench/worker.h"

/* The environment variable that names the file which the workers lock; unset: there is one worker. */
#define BW_TURN_VARIABLE "BEAMWALK_BENCH_TURN"

/* Says which file that is, for the whole process; NULL: none, and nobody waits. */
void bw_turn_use(const char *path);

/* A turn; starts as zeros. */
struct bw_turn {
	bool held;
	int file; /* that is locked */
};

/* Waits, in phase WAITING, until nobody times anything, or for `alone` until nobody has a turn, then holds it
 * in phase `phase`. Where the file cannot be locked it goes on without. */
void bw_turn_take(struct bw_turn *turn, bool alone, enum bw_phase phase, struct bw_progress *progress);
/* Gives it back; so does the end of the process. */
void bw_turn_end(struct bw_turn *turn);
#endif
