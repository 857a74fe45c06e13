/* Many workers behind one queue. Schedules are compiled on all processors, and each schedule is measured once
 * per kind of device, by a worker that is free. If a worker ends, hangs, is slow or cannot be trusted, other
 * workers take over its schedules. Every schedule gets exactly one outcome. Nothing is compiled while this
 * machine's processor is measured, because compiling would disturb the measurement. */
#pragma once
#include "bench/bench.h"

/* Compiles for a device, like bw_generator_compile. Returns a path; free(). Returns NULL with an error. */
typedef char *bw_pool_compile(void *data, enum bw_build build, const struct bw_directives *directives,
			      const struct bw_device *device, const struct bw_patience *patience,
			      struct bw_error *error);

struct bw_slurm;
struct bw_pool_setup {
	struct bw_job_request request; /* how to compile and measure; directives, device, assemble and bench
					  are ignored. The caller keeps what it points to */
	const char *const *commands; /* per worker, as in bw_bench_new; NULL: the worker of this machine */
	int n_commands;
	struct bw_slurm *slurm;    /* one more worker: Slurm jobs; the caller owns it. NULL: none */
	const char *slurm_command; /* Slurm's command in stored results */
	double silence;            /* as in bw_bench_new */
	double pause; /* seconds until a worker that failed is tried again, doubled with each failure; 0: 1 */
	bw_pool_compile *compile; /* NULL: bw_generator_compile with the request's generator */
	void *compile_data;
};

/* The outcome of a schedule. */
struct bw_pooled {
	int ticket;
	bool ends;                   /* no worker is left: all further schedules will fail as well */
	struct bw_measured measured; /* the caller of bw_pool_take frees its counts */
	bool ran;
	const char *command;            /* command of the worker, if the schedule ran; the pool owns it */
	const struct bw_device *device; /* for which it was compiled; the pool owns it */
};

struct bw_pool;
/* Starts the workers and asks them for their devices. Free with bw_pool_free. */
struct bw_pool *bw_pool_new(const struct bw_pool_setup *setup);
void bw_pool_free(struct bw_pool *pool);
/* Returns true once the kinds of device are known: all workers have told their devices, or some have and the
 * others take too long. Never waits. */
bool bw_pool_ready(struct bw_pool *pool);
/* Returns the reason why a worker was dropped last. Returns no error if no worker was dropped. */
struct bw_error bw_pool_trouble(struct bw_pool *pool);
/* Returns the number of kinds of device, once they are known. The kinds with the most workers come first.
 * Returns 0 if there is no worker. */
int bw_pool_kinds(const struct bw_pool *pool);
const struct bw_device *bw_pool_device(const struct bw_pool *pool, int kind);
/* Returns how many schedules must be requested at once to keep all workers and this machine's processors
 * busy. */
int bw_pool_width(const struct bw_pool *pool);
/* Requests the measurement of a schedule on a kind of device. Returns its ticket. The caller keeps the
 * directives until the schedule has its outcome; NULL: the generator's own schedule. */
int bw_pool_ask(struct bw_pool *pool, int kind, const struct bw_directives *directives);
/* Writes at most `most` outcomes and returns their number. Waits up to `seconds` for the first one. */
int bw_pool_take(struct bw_pool *pool, struct bw_pooled *outcomes, int most, double seconds);
/* Returns a file descriptor for poll(2). It becomes readable when a worker has told its device, a worker is
 * dropped, or there are outcomes. bw_pool_ready and bw_pool_take reset it. */
int bw_pool_fd(const struct bw_pool *pool);
/* Cancels the schedules that have no outcome yet. Returns once their directives are no longer in use. */
void bw_pool_stop(struct bw_pool *pool);
/* Appends the pool's activity: `3 of 4 workers measure, 2 compile, 12 wait`. */
void bw_pool_tell(struct bw_pool *pool, struct bw_text *out);
/* Appends news of the workers since the last call, one line each: failures, and workers that were dropped,
 * with the reason. */
void bw_pool_news(struct bw_pool *pool, struct bw_text *out);
