/* The client of beamwalk-bench: compiled schedules in, checked and timed results out. The worker is a process
 * of its own, here or on another machine, so that a kernel that hangs or crashes takes nothing else down; it
 * is kept between requests and started again when it dies (src/bench/PROTOCOL). */
#pragma once

#include "bench/counted.h"
#include "bench/generator.h"
#include "bench/measurement.h"
#include "bench/present.h"
#include "bench/rates.h"

/* A worker, and the requests that wait for it: it does one at a time, since two that are timed at once
 * disturb each other. Safe to use from threads. */
struct bw_bench;
/* command: run by sh, speaks the protocol on its standard streams, and may be on another machine (`ssh host
 * beamwalk-bench`): objects are sent to it; NULL: the beamwalk-bench of places. seconds: how long it may be
 * silent beside the time that a run may take; 0: 60. Nothing is started before it is needed. One reference;
 * given back with bw_bench_drop. */
struct bw_bench *bw_bench_new(const struct bw_places *places, const char *command, double seconds);
struct bw_bench *bw_bench_keep(struct bw_bench *bench);
/* Gives a reference back; the last one kills the worker. NULL is fine. */
void bw_bench_drop(struct bw_bench *bench);
/* The command, or NULL for the worker of this machine. */
const char *bw_bench_command(const struct bw_bench *bench);

/* A descriptor that is readable once what was asked by bw_bench_devices is answered, for poll(2). */
int bw_bench_fd(const struct bw_bench *bench);
/* Writes what the worker does for the request under way: "" if that is not known. Returns true if it waits for
 * its turn on the device, which somebody else has. */
bool bw_bench_doing(struct bw_bench *bench, char *text, size_t size);
/* What the worker's machine has to run on. */
enum bw_asked { BW_ASKING, BW_TOLD, BW_ASKED_IN_VAIN };
/* Asks for the devices where that was not done, and never waits; TOLD fills *devices, IN_VAIN *error. */
enum bw_asked bw_bench_devices(struct bw_bench *bench, struct bw_presents *devices, struct bw_error *error);
/* The same, and waits for the answer; asks again where it was in vain before. */
bool bw_bench_devices_wait(struct bw_bench *bench, const struct bw_patience *patience,
			   struct bw_presents *devices, struct bw_error *error);

struct bw_measure_request {
	const char *object;    /* the schedule's shared object; not looked at where a list is given */
	const char *reference; /* the reference's; NULL: do not check */
	uint64_t seed;         /* of the inputs' contents */
	struct bw_bound_of_error bound;
	double seconds; /* to spend on timing, warm-up apart */
	double limit; /* seconds that the reference, and then each object, may take before it is killed; an
			 object, ten times those of the reference */
	const char *estimates; /* JSON object: the arguments' estimates, as PROTOCOL says; NULL: those that
				  the generator states */
	int registers; /* a thread that CUDA kernels are compiled for; 0: as many as Halide's runtime takes by
			  itself */
	int device; /* number in the worker's list of devices, from 1; 0: Halide's runtime chooses */
	struct bw_emulation emulation; /* for the emulated device */
	double slow; /* ms; what takes longer in all of its first runs is not run on; 0: nothing is */
};

/* Whether an error is the worker's and says nothing of the object: none, it ended or was silent while it ran
 * the object, it did not get to the object. */
enum bw_loss { BW_LOSS_NONE, BW_LOSS_DURING, BW_LOSS_BEFORE };
/* What became of one object of many. */
struct bw_measured {
	bool good;
	enum bw_loss loss;
	struct bw_measurement measurement; /* where it is good: a wrong output is one with that verdict */
	struct bw_error error; /* where it is not: killed, timed out, crashed with signal N, said why */
	struct bw_counted
	    *counted; /* that the request asked for; the caller frees it. NULL: nothing was counted */
};
/* How far a list is: called in the thread that waits, for each object once its outcome is there, with the
 * number of objects that are done. */
typedef void bw_measure_progress(void *context, int object, int done, int n);

/* Measures a list of objects; every one has its outcome in *measured at the end, once. The object that a
 * worker dies with is tried once more in a new one. What patience stops, or what was silent for its seconds,
 * has an error that says so. */
void bw_bench_measure(struct bw_bench *bench, const struct bw_measure_request *request,
		      const char *const *objects, int n, const struct bw_patience *patience,
		      struct bw_measured *measured, bw_measure_progress *progress, void *context);
/* Measures the object of the request. *counted (may be NULL) becomes what was counted, if anything. */
bool bw_measure(struct bw_bench *bench, const struct bw_measure_request *request,
		const struct bw_patience *patience, struct bw_measurement *measurement,
		struct bw_counted **counted, struct bw_error *error);

/* Has the worker take the rates of a device for about `seconds`, and killed after `limit` seconds; device:
 * its number in the worker's list, from 1, 0: CUDA's first. *stop may be NULL. Returns true if any rate was
 * taken. */
bool bw_bench_rates(struct bw_bench *bench, int device, double seconds, double limit, const atomic_bool *stop,
		    struct bw_rates *rates, struct bw_error *error);

/* A job: compile for the device, compile the reference, measure; or compile and assemble; in a thread of its
 * own. */
struct bw_job;
struct bw_job_request {
	const struct bw_generator *generator;
	const struct bw_places *places;
	const struct bw_directives *directives; /* the caller keeps these three until the job is freed; NULL:
						   the generator's own schedule */
	const struct bw_device *device; /* NULL: the one of the bench's that bw_presents_choose finds */
	uint64_t seed;
	struct bw_bound_of_error bound;
	double seconds;
	double limit;  /* as in struct bw_measure_request; 0: 60 s */
	int registers; /* as in struct bw_measure_request */
	struct bw_emulation emulation;
	bool assemble; /* instead of running it, assemble its kernels for the device, with these registers:
			  only the measurement's kernels are filled */
	const char *ptxas;      /* that assembles; NULL: none was found */
	const struct bw_device *assembled_for; /* CUDA device whose machine code is counted; another one or NULL:
						  that of the emulated device */
	struct bw_bench *bench; /* that measures, kept by the job */
	const struct bw_device *records,
	    *wanted; /* where device is NULL: for bw_presents_choose; the caller keeps the list */
	int n_records;
};
/* WAITING is for those who keep a queue of jobs: one that was started never waits. */
enum bw_job_phase { BW_JOB_WAITING, BW_JOB_COMPILING, BW_JOB_MEASURING, BW_JOB_DONE, BW_JOB_FAILED };
struct bw_job *bw_job_start(const struct bw_job_request *request);
/* What it does now; never waits. DONE fills *measurement, FAILED fills *error. */
enum bw_job_phase bw_job_poll(struct bw_job *job, struct bw_measurement *measurement, struct bw_error *error);
/* A file descriptor that becomes readable when the phase changes, for poll(2), and stays so once
 * the job has ended. */
int bw_job_fd(const struct bw_job *job);
/* The device that a job which has ended compiled for; NULL: it found none. The job's. */
const struct bw_device *bw_job_device(const struct bw_job *job);
/* Returns what a job that has ended counted, and gives it to the caller; NULL: nothing, or it is taken. */
struct bw_counted *bw_job_take_counted(struct bw_job *job);
/* Writes what the job does now, in words: `compiling the reference`. Returns true if it waits for its turn on
 * the device, which somebody else has. */
bool bw_job_doing(struct bw_job *job, char *text, size_t size);
/* Has it stop where it is, soon; does not wait for that. */
void bw_job_stop(struct bw_job *job);
/* Stops a job, kills its children, and frees it. */
void bw_job_free(struct bw_job *job);
