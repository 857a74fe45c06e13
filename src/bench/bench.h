/* The client of beamwalk-bench: compiled schedules in, checked and timed results out. The worker is a process of its own, so
 * that a kernel that hangs or crashes takes nothing else down; requests and results are lines of JSON (src/bench/PROTOCOL). */
#ifndef BW_BENCH_BENCH_H
#define BW_BENCH_BENCH_H
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "bench/generator.h"
#include "bench/measurement.h"

struct bw_measure_request {
	const char *object;    /* the schedule's shared object */
	const char *reference; /* the reference's; NULL: do not check */
	uint64_t seed;         /* of the inputs' contents */
	struct bw_bound_of_error bound;
	double seconds;        /* to spend on timing, warm-up apart */
	double limit;          /* seconds that the reference, and then the object, may take before it is killed */
	const char *estimates; /* JSON object: the arguments' estimates, as PROTOCOL says; NULL: those that the generator states */
};

/* Runs one request in a fresh worker. A wrong output is a measurement with that verdict; an error is a worker that could not do it
 * (killed, timed out, crashed with signal N, said why). */
bool bw_measure(const struct bw_places *places, const struct bw_measure_request *request, const struct bw_patience *patience, struct bw_measurement *measurement, struct bw_error *error);

/* A job: compile for the device, compile the reference, measure; in a thread of its own. */
struct bw_job;
struct bw_job_request {
	const struct bw_generator *generator;
	const struct bw_places *places;
	const struct bw_directives *directives; /* the caller keeps these three until the job is freed */
	const struct bw_device *device;
	uint64_t seed;
	struct bw_bound_of_error bound;
	double seconds;
	double limit; /* as in struct bw_measure_request; 0: 60 s */
};
enum bw_job_phase { BW_JOB_COMPILING, BW_JOB_MEASURING, BW_JOB_DONE, BW_JOB_FAILED };
struct bw_job *bw_job_start(const struct bw_job_request *request);
/* What it does now; never waits. DONE fills *measurement, FAILED fills *error. */
enum bw_job_phase bw_job_poll(struct bw_job *job, struct bw_measurement *measurement, struct bw_error *error);
/* A file descriptor that becomes readable when the phase changes, for poll(2), and stays so until bw_job_poll. */
int bw_job_fd(const struct bw_job *job);
/* Waits for its end. */
enum bw_job_phase bw_job_wait(struct bw_job *job, struct bw_measurement *measurement, struct bw_error *error);
/* Stops it where it is, kills its children, frees it. */
void bw_job_free(struct bw_job *job);
#endif
