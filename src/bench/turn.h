/* One device and several workers: what is timed has the device for itself, all else shares it. */
#pragma once
#include "bench/worker.h"

/* The environment variable that names the file which the workers lock, or a folder with a file for each
 * device; unset: a folder of the user's in /tmp; empty: nobody waits. */
#define BW_TURN_VARIABLE "BEAMWALK_BENCH_TURN"

/* Says which file or folder that is, for this process and those that it starts. NULL: the folder of the
 * user, which all workers of this user on this machine share, whatever started them; "": none, and nobody
 * waits. */
void bw_turn_use(const char *path);
/* Chooses the file of a device where a folder was named. `device` NULL: the one that Halide's runtime takes
 * by itself. The emulated device has none: it times nothing. */
void bw_turn_on(const struct bw_present *device);
/* Writes the name of a device's file: "" for the emulated one, "cpu" for every processor, for a GPU its
 * place on the bus, which is the same for CUDA and OpenCL and whichever devices a worker can see. */
void bw_turn_name(const struct bw_present *device, char *name, size_t size);

/* Writes who has the turn of a file now: `pid 4711 (beamwalk time ./gen hand) since 12:03:04`. Empty if that
 * is not known, as where another program has locked the file. */
void bw_turn_holder(const char *file, char *text, size_t size);

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
