/* Many workers behind one queue: schedules are compiled on as many processors as there are, and measured by
 * whichever worker is free, each once for each kind of device. A worker that ends, hangs, is slow or cannot
 * be trusted loses its work to the others, and every schedule has one outcome, whatever they do. While this
 * machine's processor is measured nothing is compiled, since that would disturb it. */
#pragma once
#include "bench/bench.h"

/* Compiles for a device, like bw_generator_compile: returns a path to be freed, or NULL with an error. */
typedef char *bw_pool_compile(void *data, enum bw_build build, const struct bw_directives *directives,
			      const struct bw_device *device, const struct bw_patience *patience,
			      struct bw_error *error);

struct bw_slurm;
struct bw_pool_setup {
	struct bw_job_request request; /* how to compile and measure: all but directives, device, assemble and
					  bench are read. The caller keeps what it points to */
	const char *const *commands; /* of the workers, as in bw_bench_new: NULL is the one of this machine */
	int n_commands;
	struct bw_slurm *slurm;    /* measures beside them; the caller's. NULL: none */
	const char *slurm_command; /* what it is called in stored results */
	double silence;            /* as in bw_bench_new */
	double pause; /* seconds after which a worker that failed is tried again, twice as many each time; 0:
			 1 */
	bw_pool_compile *compile; /* NULL: bw_generator_compile, of the request's generator */
	void *compile_data;
};

/* What became of a schedule. */
struct bw_pooled {
	int ticket;
	bool ends;                   /* there is no worker left to ask: all others will fail so, too */
	struct bw_measured measured; /* the taker frees what it counted */
	bool ran;
	const char *command;            /* of the worker, if it ran; the pool's */
	const struct bw_device *device; /* that it was compiled for; the pool's */
};

struct bw_pool;
/* Starts the workers, and asks them for their devices. Free with bw_pool_free. */
struct bw_pool *bw_pool_new(const struct bw_pool_setup *setup);
void bw_pool_free(struct bw_pool *pool);
/* Returns true once it is known which kinds of device there are: all workers have told, or some have, and the
 * others took long. Never waits. */
bool bw_pool_ready(struct bw_pool *pool);
/* Returns why the last worker that is not asked any more is not; no error: there is none. */
struct bw_error bw_pool_trouble(struct bw_pool *pool);
/* The kinds of device, once they are known: those that the most workers have come first. 0: there is no
 * worker. */
int bw_pool_kinds(const struct bw_pool *pool);
const struct bw_device *bw_pool_device(const struct bw_pool *pool, int kind);
/* Returns how many schedules that are asked for at once keep all workers busy, and this machine's
 * processors. */
int bw_pool_width(const struct bw_pool *pool);
/* Asks for a schedule on a kind of device, and returns its ticket. The caller keeps the directives until its
 * outcome; NULL: the generator's own schedule. */
int bw_pool_ask(struct bw_pool *pool, int kind, const struct bw_directives *directives);
/* Writes at most `most` outcomes, and returns how many. Waits up to `seconds` for the first. */
int bw_pool_take(struct bw_pool *pool, struct bw_pooled *outcomes, int most, double seconds);
/* A descriptor for poll(2) that can be read once a worker has told its device or is dropped, or there are
 * outcomes, until bw_pool_ready or bw_pool_take. */
int bw_pool_fd(const struct bw_pool *pool);
/* Gives up what has no outcome yet. Returns once nobody reads its directives any more. */
void bw_pool_stop(struct bw_pool *pool);
/* Appends the pool's activity: `3 of 4 workers measure, 2 compile, 12 wait`. */
void bw_pool_tell(struct bw_pool *pool, struct bw_text *out);
/* Appends what there is to say of workers since the last call, a line each: those that failed, and those that
 * are no longer asked, and why. */
void bw_pool_news(struct bw_pool *pool, struct bw_text *out);
