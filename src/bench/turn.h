/* Turns on a device that several workers use: a timed run has the device alone; all other uses share it. */
#pragma once
#include "bench/worker.h"

/* The environment variable that names the file that the workers lock, or a folder with one such file per
 * device. Unset: the user's own folder in /tmp. Empty: no locks, nobody waits. */
#define BW_TURN_VARIABLE "BEAMWALK_BENCH_TURN"

/* Sets the file or folder to lock, for this process and its children. NULL: the user's folder, which all
 * workers of this user on this machine share. "": no locks, nobody waits. */
void bw_turn_use(const char *path);
/* Chooses the lock file of a device, if bw_turn_use has set a folder. device NULL: the device that Halide's
 * runtime chooses. The emulated device has no lock file, because it times nothing. */
void bw_turn_on(const struct bw_present *device);
/* Writes the name of a device's lock file: "" for the emulated device, "cpu" for a processor, the bus address
 * for a GPU. The bus address is the same in CUDA and OpenCL, and does not depend on which devices a worker
 * sees. */
void bw_turn_name(const struct bw_present *device, char *name, size_t size);

/* Writes who holds the lock of a file now: `pid 4711 (beamwalk time ./gen hand) since 12:03:04`. Writes "" if
 * that is not known, for example if another program has locked the file. */
void bw_turn_holder(const char *file, char *text, size_t size);

/* A turn on a device. Initialize with zeros. */
struct bw_turn {
	bool held;
	int file; /* descriptor of the locked file */
};

/* Takes a turn: waits in phase WAITING, then sets phase `phase`. Waits until no worker has a turn alone; if
 * `alone` is set, until no worker has any turn. If the file cannot be locked, returns without a turn. */
void bw_turn_take(struct bw_turn *turn, bool alone, enum bw_phase phase, struct bw_progress *progress);
/* Ends the turn. The end of the process ends it, too. */
void bw_turn_end(struct bw_turn *turn);
