/* Shared by the files of the client alone. */
#pragma once
#include <pthread.h>

#include "base/process.h"
#include "bench/answer.h"
#include "bench/bench.h"
#include "bench/protocol.h"

/* The connection to one worker: a process that is kept, lines that go to it, answers that come from it. To be
 * used by one thread, which outlives the worker: a worker is killed when the thread that started it ends. */

struct bw_link {
	const char *name; /* what errors call the worker */
	const char *const *argv, *const *settings;
	bool shell; /* argv is a shell's, which ends with 128 and the signal that its command crashed with */
	int wake;   /* an eventfd: after each write to it, stop() is asked whether to wait on */
	bool (*stop)(void *context);
	void *context;
	bool running;
	struct bw_process child;
	int end; /* a descriptor that is readable once the child has ended; -1: the kernel has none */
	struct bw_lines lines;
	struct bw_text sending; /* not yet taken by the worker, from `sent` on */
	size_t sent;
	struct bw_text errors; /* the last of its standard error */
	bool lost;             /* the last worker ended, or closed a pipe, by itself */
	bool greeted;          /* it has spoken: from then on every line is an answer */
	struct bw_text noise;  /* what was printed before that, by a login script for one */
	int64_t last_id;
};

/* What waiting came to. */
enum bw_link_event {
	BW_LINK_ANSWER, /* one was read */
	BW_LINK_WOKEN,  /* stop() said so */
	BW_LINK_LATE,   /* nothing came before the deadline */
	BW_LINK_LOST    /* the worker has ended, closed a pipe or sent what is no answer; *error says which */
};

/* Starts the worker and exchanges greetings, unless it runs. Returns false with an error: it cannot
 * be run, is of another version, or does not answer within `seconds`. */
bool bw_link_open(struct bw_link *link, double seconds, struct bw_error *error);
/* Kills the worker with all its processes. */
void bw_link_close(struct bw_link *link);
void bw_link_free(struct bw_link *link);
/* The id for the next request. */
int64_t bw_link_id(struct bw_link *link);
/* Appends to what is sent; it goes out while waiting. */
void bw_link_send(struct bw_link *link, const char *line);
/* Sends, and waits for the next answer, at most until `deadline` (of bw_clock). Free the answer where there
 * is one. LOST closes the link. */
enum bw_link_event bw_link_wait(struct bw_link *link, double deadline, struct bw_answer *answer,
				struct bw_error *error);
/* Says of a worker that gave no answer for `seconds` what is known, and closes the link. False. */
bool bw_link_late(struct bw_link *link, double seconds, struct bw_error *error);

/* What waits for a worker. */

/* A request that is answered by one line. */
struct bw_inquiry {
	json_t *request; /* without its version and id; taken over when it is sent */
	enum bw_answer_kind kind;
	double seconds; /* that the worker may take for it */
	bool good;      /* answered; else the error says why not */
	struct bw_answer answer;
	struct bw_error error;
};

/* Measuring a list, or an inquiry, as it waits in the queue and as it runs; on the stack of the thread that
 * waits for it. */
struct bw_task {
	struct bw_task *next;
	struct bw_inquiry *inquiry; /* NULL: a list is measured, as the rest says */
	const struct bw_measure_request *request;
	const char *const *objects;
	int n;
	double patience; /* seconds without a result */
	struct bw_measured *measured;
	bool *answered; /* for each object, whether measured has its outcome */
	int *order;     /* objects that have it, the first one first */
	int *deaths;    /* for each object, workers that ended while they ran it */
	atomic_int n_answered;
	atomic_bool stopped; /* the waiting thread wants no more of it */
	bool ended; /* under the bench's lock */
	char (*names)[BW_CONTENT_NAME]; /* of the objects' contents, then of the reference's; NULL: not looked at */
};

struct bw_bench {
	pthread_mutex_t lock;   /* of all down to `waits` */
	pthread_cond_t changed; /* a task has ended, or devices were told */
	int references;
	bool threaded;
	pthread_t thread;
	struct bw_task *first; /* of the queue */
	bool requested;        /* devices */
	struct bw_inquiry question;
	struct bw_task asking; /* for them */
	enum bw_asked asked;
	struct bw_presents devices;
	struct bw_error error; /* why they were asked for in vain */
	bool lost;             /* in vain, since the worker ended before it had told */
	char doing[320];       /* what the worker does for the request under way */
	bool waits;            /* that is to wait for its turn */
	atomic_bool quit;
	int told;           /* eventfd: readable when devices are no longer asked for */
	char *command;      /* NULL: local */
	char *name, *cache; /* what errors call the worker; what tells PoCL its cache */
	bool caches;        /* there is a folder for that */
	const char *argv[4], *settings[2];
	double silence;                /* seconds */
	double reference;              /* s, that the slowest reference took: its worker keeps what it computed */
	struct bw_link link;           /* the thread's own, as what follows */
	const struct bw_task *current; /* that the thread is at; NULL: none */
	int64_t cancelled;             /* request that the worker is still to end; 0: none */
};

/* What a job and a pool of workers share. Finds the device that the request wants among those of a worker,
 * and its number there, from 1. */
bool bw_job_device_of(const struct bw_job_request *request, struct bw_bench *bench,
		      const struct bw_patience *patience, struct bw_device *device, int *number,
		      struct bw_error *error);
/* The same in a list of devices. */
bool bw_job_device_among(const struct bw_job_request *request, const struct bw_presents *presents,
			 struct bw_device *device, int *number, struct bw_error *error);
/* Takes from the generator's description the Halide that wrote it, and so compiles, and the estimates that
 * the worker must be told; free() these. */
bool bw_job_described(const struct bw_job_request *request, const struct bw_patience *patience,
		      char **estimates, char *halide, size_t size, struct bw_error *error);
/* A schedule whose output differs. */
struct bw_doubt {
	const struct bw_job_request *request;
	const struct bw_device *device; /* that it was compiled for */
	const atomic_bool *stop;
	const struct bw_measure_request *what; /* that was measured */
};
/* Finds out of an output that is wrong whether the schedule is to blame: changes the verdict to UNSTABLE if
 * the program is, and fills the advice. What goes wrong on the way leaves both as they are. */
void bw_job_find_fault(const struct bw_doubt *doubt, struct bw_measurement *measurement);
/* Adds what an object's kernels take of a GPU to what the emulated device did with them, and counts them
 * in SASS: its driver knows neither. counted: NULL if nothing was counted. Without an assembler nothing is
 * known. */
void bw_job_inspect(const struct bw_job_request *request, const struct bw_device *device, const char *object,
		    const atomic_bool *stop, struct bw_measurement *measurement, struct bw_counted *counted);

/* In the bench's thread: does the task to its end, or until it is stopped. */
void bw_task_run(struct bw_bench *bench, struct bw_task *task);
/* Returns the request for all objects of a task that have no outcome, without its version and id; map tells
 * which they are. Returns NULL if a path is no UTF-8. */
json_t *bw_task_request(const struct bw_task *task, int *map, int *n);
/* Makes the worker ready for a request: started, and done with what was cancelled. */
bool bw_bench_ready(struct bw_bench *bench, struct bw_error *error);
/* Sends a request that is answered by one line, and waits for that as long as the bench may be silent and
 * `seconds` more, which the worker may spend on it. Takes over the request, without its version and id.
 * Returns false with an error. */
bool bw_bench_call(struct bw_bench *bench, json_t *request, double seconds, enum bw_answer_kind kind,
		   struct bw_answer *answer, struct bw_error *error);
/* Puts a task into the queue and waits for its end; *stop (may be NULL) stops it. Returns false with an error
 * if it could not be begun. */
bool bw_bench_do(struct bw_bench *bench, struct bw_task *task, const atomic_bool *stop,
		 bw_measure_progress *progress, void *context, struct bw_error *error);
