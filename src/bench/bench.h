/* The client of beamwalk-bench. It sends compiled schedules to the worker and receives checked and timed
 * results. The worker is a separate process, on this machine or on another one, so that a kernel that hangs
 * or crashes does not end beamwalk. The worker is kept between requests and restarted when it dies
 * (src/bench/PROTOCOL). */
#pragma once

#include "bench/counted.h"
#include "bench/generator.h"
#include "bench/measurement.h"
#include "bench/present.h"
#include "bench/rates.h"

/* A worker and its queue of requests. The worker runs one request at a time, because two timed runs would
 * disturb each other. Safe to use from several threads. */
struct bw_bench;
/* Returns a bench with one reference; drop it with bw_bench_drop. The worker is started when it is first
 * needed. command: run by sh; speaks the protocol on its standard streams. It may run on another machine
 * (`ssh host beamwalk-bench`): objects are sent through the protocol. NULL: the beamwalk-bench of places.
 * seconds: how long the worker may be silent, in addition to the time that a run may take; 0: 60. */
struct bw_bench *bw_bench_new(const struct bw_places *places, const char *command, double seconds);
struct bw_bench *bw_bench_keep(struct bw_bench *bench);
/* Drops a reference. Dropping the last one kills the worker. Accepts NULL. */
void bw_bench_drop(struct bw_bench *bench);
/* Returns the worker's command. Returns NULL for the worker of this machine. */
const char *bw_bench_command(const struct bw_bench *bench);

/* Returns a file descriptor for poll(2). It is readable once the question of bw_bench_devices is answered. */
int bw_bench_fd(const struct bw_bench *bench);
/* Writes what the worker does for the current request, or "" if that is not known. Returns true if the worker
 * waits for its turn on the device because another process has the turn. */
bool bw_bench_doing(struct bw_bench *bench, char *text, size_t size);
/* State of the question which devices the worker's machine has: not answered yet, answered, failed. */
enum bw_asked { BW_ASKING, BW_TOLD, BW_ASKED_IN_VAIN };
/* Asks the worker for its devices, unless that was done before. Never waits. Fills *devices if it returns
 * BW_TOLD, and *error if it returns BW_ASKED_IN_VAIN. */
enum bw_asked bw_bench_devices(struct bw_bench *bench, struct bw_presents *devices, struct bw_error *error);
/* Asks the worker for its devices and waits for the answer. Asks again if the last question failed. */
bool bw_bench_devices_wait(struct bw_bench *bench, const struct bw_patience *patience,
			   struct bw_presents *devices, struct bw_error *error);

struct bw_measure_request {
	const char *object;    /* the schedule's shared object; bw_bench_measure ignores it */
	const char *reference; /* the reference's shared object; NULL: do not check outputs */
	uint64_t seed;         /* seed of the inputs' contents */
	struct bw_bound_of_error bound;
	double seconds; /* to spend on timing, without the warm-up */
	double limit; /* seconds after which the reference or an object is killed; an object may always take
			 ten times as long as the reference */
	const char *estimates; /* JSON object: the arguments' estimates, as PROTOCOL says; NULL: the
				  generator's estimates */
	int registers; /* per thread, the limit for which CUDA kernels are compiled; 0: the default of
			  Halide's runtime */
	int device; /* index in the worker's list of devices, from 1; 0: Halide's runtime chooses */
	struct bw_emulation emulation; /* for the emulated device */
	double slow; /* ms: an object whose first runs all take longer is not timed further; 0: no limit */
};

/* Errors that are the worker's fault and say nothing about the object. NONE: it is no such error. DURING: the
 * worker ended or was silent while it ran the object. BEFORE: the worker did not begin the object. */
enum bw_loss { BW_LOSS_NONE, BW_LOSS_DURING, BW_LOSS_BEFORE };
/* The outcome of one object. */
struct bw_measured {
	bool good;
	enum bw_loss loss;
	struct bw_measurement measurement; /* if good; a wrong output is good, too: the verdict tells it */
	struct bw_error error; /* if not good: killed, timed out, crashed with signal N, or the object's own
				  error */
	struct bw_counted
	    *counted; /* the counts, if the request asked for counts; the caller frees them. NULL: none */
};
/* Reports progress. Called once per object, when the object has its outcome, in the thread that called
 * bw_bench_measure. done: the number of objects that have an outcome; n: the number of all objects. */
typedef void bw_measure_progress(void *context, int object, int done, int n);

/* Measures a list of objects. At the end measured[k] has the outcome of object k. If a worker dies while it
 * runs an object, the object is tried once more in a new worker. If patience->stop is set, or the worker
 * gives no result for patience->seconds, the remaining objects get an error that says so. */
void bw_bench_measure(struct bw_bench *bench, const struct bw_measure_request *request,
		      const char *const *objects, int n, const struct bw_patience *patience,
		      struct bw_measured *measured, bw_measure_progress *progress, void *context);
/* Measures the object of the request. If counted is not NULL and the device counted anything, sets *counted
 * to the counts. */
bool bw_measure(struct bw_bench *bench, const struct bw_measure_request *request,
		const struct bw_patience *patience, struct bw_measurement *measurement,
		struct bw_counted **counted, struct bw_error *error);

/* Has the worker measure the rates of a device for about `seconds`. The measurement is killed after `limit`
 * seconds. device: index in the worker's list, from 1; 0: the first CUDA device. stop may be NULL. Returns
 * true if any rate was measured. */
bool bw_bench_rates(struct bw_bench *bench, int device, double seconds, double limit, const atomic_bool *stop,
		    struct bw_rates *rates, struct bw_error *error);

/* A job runs in its own thread. It compiles a schedule for the device, compiles the reference and measures;
 * or, if `assemble` is set, it compiles the schedule and assembles its kernels. */
struct bw_job;
struct bw_job_request {
	const struct bw_generator *generator;
	const struct bw_places *places;
	const struct bw_directives *directives; /* NULL: the generator's own schedule. The caller keeps
						   generator, places and directives until the job is freed */
	const struct bw_device *device; /* NULL: bw_presents_choose chooses one of the bench's devices */
	uint64_t seed;
	struct bw_bound_of_error bound;
	double seconds;
	double limit;  /* as in struct bw_measure_request; 0: 60 s */
	int registers; /* as in struct bw_measure_request */
	struct bw_emulation emulation;
	bool assemble; /* do not run the schedule; assemble its kernels for the device with `registers`. Fills
			  only the measurement's kernels */
	const char *ptxas;      /* path of ptxas; NULL: none was found */
	const struct bw_device *assembled_for; /* CUDA device for whose machine code the emulated device's
						  counts are made; no CUDA device, or NULL: the emulated
						  device's own */
	struct bw_bench *bench; /* measures; the job keeps a reference to it */
	const struct bw_device *records,
	    *wanted; /* arguments of bw_presents_choose if device is NULL; the caller keeps the list */
	int n_records;
};
/* Phases of a job. A started job is never in phase WAITING: that phase is for callers that keep a queue of
 * jobs. */
enum bw_job_phase { BW_JOB_WAITING, BW_JOB_COMPILING, BW_JOB_MEASURING, BW_JOB_DONE, BW_JOB_FAILED };
struct bw_job *bw_job_start(const struct bw_job_request *request);
/* Returns the job's phase. Never waits. Fills *measurement in phase DONE, and *error in phase FAILED. */
enum bw_job_phase bw_job_poll(struct bw_job *job, struct bw_measurement *measurement, struct bw_error *error);
/* Returns a file descriptor for poll(2). It becomes readable when the phase changes, and stays readable once
 * the job has ended. */
int bw_job_fd(const struct bw_job *job);
/* Returns the device for which an ended job compiled; the job owns it. Returns NULL if the job found no
 * device. */
const struct bw_device *bw_job_device(const struct bw_job *job);
/* Returns the counts of an ended job; the caller owns them. Returns NULL if nothing was counted or if the
 * counts were taken before. */
struct bw_counted *bw_job_take_counted(struct bw_job *job);
/* Writes what the job does now, in words: `compiling the reference`. Returns true if it waits for its turn on
 * the device because another process has the turn. */
bool bw_job_doing(struct bw_job *job, char *text, size_t size);
/* Asks the job to stop as soon as it can. Does not wait until it has stopped. */
void bw_job_stop(struct bw_job *job);
/* Stops a job, kills its children, and frees it. */
void bw_job_free(struct bw_job *job);
