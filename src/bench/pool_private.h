/* Shared by the files of the pool alone. All is under the pool's lock unless it says otherwise. */
#pragma once
#include "bench/bench_private.h"
#include "bench/pool.h"

enum {
	BW_POOL_KINDS = 16,
	BW_POOL_BATCH = 32 /* schedules in one request at most */
};

struct bw_pool_worker;

enum bw_pool_state { BW_ITEM_WAITS, BW_ITEM_COMPILES, BW_ITEM_COMPILED, BW_ITEM_DONE };

/* A schedule on a kind of device. */
struct bw_pool_item {
	struct bw_pool_item *next;
	int ticket; /* 0: a control schedule */
	int kind;
	const struct bw_directives *directives;
	enum bw_pool_state state;
	char *object;                       /* once it is compiled */
	int holders;                        /* workers that have it, late ones as well */
	double since;                       /* when it was last given to one; bw_clock */
	int losses;                         /* workers that failed with it */
	const struct bw_pool_worker *loser; /* the last of them */
	bool wanted, taken;                 /* false: it was given up; its outcome was handed out */
	struct bw_pooled outcome;
};

/* A kind of device. */
struct bw_pool_kind {
	struct bw_device device;
	enum bw_pool_state state; /* of the reference */
	char *reference;
	struct bw_error error; /* why there is none */
	char *control;         /* object that was right where it first ran, for workers to be compared by */
	double each;           /* seconds that a schedule takes, typically; 0: not known */
	double fastest;        /* ms of the fastest right schedule; 0: there is none */
};

enum bw_pool_health { BW_WORKER_ASKED, BW_WORKER_WORKS, BW_WORKER_DROPPED };

struct bw_pool_worker {
	struct bw_pool *pool;
	char *command;    /* NULL: of this machine */
	const char *name; /* what it is called */
	struct bw_bench *bench;
	pthread_t thread;
	bool running;
	enum bw_pool_health health;
	int kind, device; /* its number in the worker's list */
	int strikes;      /* failures in a row */
	int lost;         /* schedules that it ended or was silent with */
	int contradicted; /* failures of schedules that were right elsewhere */
	double overhead;  /* seconds of a request beside the runs */
	double control;   /* ms of the control schedule; 0: not measured */
	char told[128];   /* Slurm: what a job called its device */
	bool disagrees;   /* that was said of it */
	struct bw_pool_item *batch[BW_POOL_BATCH];
	const char *objects[BW_POOL_BATCH];
	struct bw_measured measured[BW_POOL_BATCH];
	int n;                     /* in the batch */
	int n_told;                /* of them have an outcome by this worker */
	double began, first, last; /* bw_clock: the request, its first outcome, its last one */
	atomic_bool stop;          /* of the request */
};

struct bw_pool {
	struct bw_pool_setup setup;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct bw_pool_worker *workers;
	int n_workers;
	struct bw_pool_kind kinds[BW_POOL_KINDS];
	int n_kinds;
	int order[BW_POOL_KINDS]; /* of the kinds, for the caller */
	bool settled;             /* the kinds are known: others are not taken in any more */
	bool alone; /* this machine's processor is measured: nothing compiles meanwhile */
	double began;
	struct bw_pool_item *first;
	int last_ticket;
	pthread_t *compilers;
	int n_compilers;
	int compiling;
	atomic_bool quit, give_up; /* give_up: what compiles now is not wanted any more */
	char *estimates;           /* what all compile and measure with; once `described` */
	char halide[16];
	enum bw_pool_state described;
	struct bw_error undescribed; /* why not */
	struct bw_error trouble;     /* of the worker that was dropped last */
	struct bw_text news;
	int done; /* eventfd: there are outcomes, or news */
};

/* Threads. */
void *bw_pool_compiler(void *pool);
void *bw_pool_serve(void *worker);
void *bw_pool_serve_slurm(void *worker);
/* Takes a worker in that has told its device; NULL: it has not, and is dropped with the error. */
void bw_pool_join(struct bw_pool_worker *worker, const struct bw_device *device,
		  const struct bw_error *error);
/* Returns true once all but the schedules is there that a worker needs. */
bool bw_pool_can_run(const struct bw_pool_worker *worker);
/* Returns how a worker measures; the object is missing. */
struct bw_measure_request bw_pool_request(const struct bw_pool_worker *worker);
/* Waits for a change, at most some milliseconds. */
void bw_pool_wait(struct bw_pool *pool);
/* Frees the items that nobody needs any more. */
void bw_pool_sweep(struct bw_pool *pool);
/* Returns how many workers of a kind are not dropped. */
int bw_pool_alive(const struct bw_pool *pool, int kind);
/* Ends an item with an error. */
void bw_pool_fail(struct bw_pool *pool, struct bw_pool_item *item, bool ends, const struct bw_error *error);
/* Ends an item with an error if no worker is left that could run it. */
void bw_pool_need_worker(struct bw_pool *pool, struct bw_pool_item *item);
/* Drops a worker, and says why. What it has goes to others, or fails if there is none. */
void bw_pool_drop(struct bw_pool_worker *worker, enum bw_error_kind kind, const char *why);
/* Takes in the outcome of an item of the worker's batch, or drops it. */
void bw_pool_take_in(struct bw_pool_worker *worker, int place);
