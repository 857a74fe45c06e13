/* Private to the files of the pool. Everything is under the pool's lock unless a comment says otherwise. */
#pragma once
#include "bench/bench_private.h"
#include "bench/pool.h"

enum {
	BW_POOL_KINDS = 16,
	BW_POOL_BATCH = 32 /* most schedules per request */
};

struct bw_pool_worker;

enum bw_pool_state { BW_ITEM_WAITS, BW_ITEM_COMPILES, BW_ITEM_COMPILED, BW_ITEM_DONE };

/* A schedule to measure on a kind of device. */
struct bw_pool_item {
	struct bw_pool_item *next;
	int ticket; /* 0: a control schedule */
	int kind;
	const struct bw_directives *directives;
	enum bw_pool_state state;
	char *object;                       /* path of the shared object, once compiled */
	int holders;                        /* number of workers that have it in their batch, late workers
					       included */
	double since;                       /* when it was last given to a worker; bw_clock */
	int losses;                         /* number of workers that failed with it */
	const struct bw_pool_worker *loser; /* the last worker that failed with it */
	bool wanted, taken;                 /* wanted: not cancelled; taken: the caller has its outcome */
	struct bw_pooled outcome;
};

/* A kind of device. */
struct bw_pool_kind {
	struct bw_device device;
	enum bw_pool_state state; /* of the reference's compilation */
	char *reference;
	struct bw_error error; /* why there is no reference */
	char *control;         /* object of the control schedule, whose times compare workers: the first
				  schedule that was right */
	double each;           /* typical seconds per schedule; 0: not known */
	double fastest;        /* ms of the fastest right schedule; 0: none */
};

enum bw_pool_health { BW_WORKER_ASKED, BW_WORKER_WORKS, BW_WORKER_DROPPED };

struct bw_pool_worker {
	struct bw_pool *pool;
	char *command;    /* NULL: the worker of this machine */
	const char *name; /* the worker's name in messages */
	struct bw_bench *bench;
	pthread_t thread;
	bool running;
	enum bw_pool_health health;
	int kind, device; /* device: index in the worker's list */
	int strikes;      /* failures in a row */
	int lost;         /* schedules during which it ended or was silent */
	int contradicted; /* failures with schedules that were right on other workers */
	double overhead;  /* seconds per request in addition to the runs */
	double control;   /* ms of the control schedule; 0: not measured */
	char told[128];   /* Slurm: the device's name, from a job */
	bool disagrees;   /* the news already say that its times disagree with another worker's */
	struct bw_pool_item *batch[BW_POOL_BATCH];
	const char *objects[BW_POOL_BATCH];
	struct bw_measured measured[BW_POOL_BATCH];
	int n;                     /* schedules in the batch */
	int n_told;                /* schedules of the batch with an outcome from this worker */
	double began, first, last; /* bw_clock: begin of the request, its first outcome, its last outcome */
	atomic_bool stop;          /* stops the request */
};

struct bw_pool {
	struct bw_pool_setup setup;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct bw_pool_worker *workers;
	int n_workers;
	struct bw_pool_kind kinds[BW_POOL_KINDS];
	int n_kinds;
	int order[BW_POOL_KINDS]; /* the kinds in the order of bw_pool_device */
	bool settled;             /* the kinds are known; new kinds are no longer added */
	bool alone; /* this machine's processor is being measured: do not compile */
	double began;
	struct bw_pool_item *first;
	int last_ticket;
	pthread_t *compilers;
	int n_compilers;
	int compiling;
	atomic_bool quit, give_up; /* give_up: cancel the compilations under way */
	char *estimates;           /* used for all schedules; set once `described` is BW_ITEM_DONE */
	char halide[16];
	enum bw_pool_state described;
	struct bw_error undescribed; /* why describing failed */
	struct bw_error trouble;     /* why a worker was dropped last */
	struct bw_text news;
	int done; /* eventfd: outcomes or news are available */
};

/* Bodies of the pool's threads. */
void *bw_pool_compiler(void *pool);
void *bw_pool_serve(void *worker);
void *bw_pool_serve_slurm(void *worker);
/* Adds a worker with its device to the pool. device NULL: drops the worker because of the error. */
void bw_pool_join(struct bw_pool_worker *worker, const struct bw_device *device,
		  const struct bw_error *error);
/* Returns true once a worker's kind of device is ready to run schedules: the generator is described and the
 * reference is compiled. */
bool bw_pool_can_run(const struct bw_pool_worker *worker);
/* Returns the request with which a worker measures, without the object. */
struct bw_measure_request bw_pool_request(const struct bw_pool_worker *worker);
/* Waits for a change of the pool, at most some milliseconds. */
void bw_pool_wait(struct bw_pool *pool);
/* Frees the items that are no longer needed. */
void bw_pool_sweep(struct bw_pool *pool);
/* Returns the number of working workers of a kind: those that have told their device and are not dropped. */
int bw_pool_alive(const struct bw_pool *pool, int kind);
/* Ends an item with an error. */
void bw_pool_fail(struct bw_pool *pool, struct bw_pool_item *item, bool ends, const struct bw_error *error);
/* Ends an item with an error if no worker is left that could run it. */
void bw_pool_need_worker(struct bw_pool *pool, struct bw_pool_item *item);
/* Drops a worker, and adds the reason to the news. Other workers take its schedules; if there is no other
 * worker, the schedules fail. */
void bw_pool_drop(struct bw_pool_worker *worker, enum bw_error_kind kind, const char *why);
/* Takes the outcome of an item from the worker's batch. Ignores it if the item has an outcome already or the
 * worker was dropped. */
void bw_pool_take_in(struct bw_pool_worker *worker, int place);
