/* Shared by the files of the client alone. */
#pragma once
#include <pthread.h>

#include "base/process.h"
#include "bench/answer.h"
#include "bench/bench.h"
#include "bench/protocol.h"

/* The connection to one worker: the worker's process, the lines sent to it and the answers read from it. Use
 * it in one thread only. That thread must outlive the worker, because a worker is killed when the thread that
 * started it ends. */

struct bw_link {
	const char *name; /* the worker's name in errors */
	const char *const *argv, *const *settings;
	bool shell; /* argv runs a shell; its status is 128 + N if its command crashed with signal N */
	int wake;   /* eventfd: each write to it calls stop(), which returns true if waiting is to end */
	bool (*stop)(void *context);
	void *context;
	bool running;
	struct bw_process child;
	int end; /* pidfd: readable once the child has ended; -1: the kernel has no pidfd */
	struct bw_lines lines;
	struct bw_text sending; /* bytes for the worker; those from `sent` on are not written yet */
	size_t sent;
	struct bw_text errors; /* the end of the worker's standard error */
	bool lost;             /* the last worker ended or closed a pipe without being asked to */
	bool greeted;          /* the worker has sent an answer: from then on every line is an answer */
	struct bw_text noise;  /* lines printed before the first answer, for example by a login script */
	int64_t last_id;
};

/* Results of bw_link_wait. */
enum bw_link_event {
	BW_LINK_ANSWER, /* an answer was read */
	BW_LINK_WOKEN,  /* stop() returned true */
	BW_LINK_LATE,   /* no answer came before the deadline */
	BW_LINK_LOST    /* the worker ended, closed a pipe or sent no valid answer; *error says which */
};

/* Starts the worker and exchanges greetings, unless it runs already. Returns false with an error if the
 * worker cannot be run, has another version, or does not answer within `seconds`. */
bool bw_link_open(struct bw_link *link, double seconds, struct bw_error *error);
/* Kills the worker and all its processes. */
void bw_link_close(struct bw_link *link);
void bw_link_free(struct bw_link *link);
/* Returns a new id, for the next request. */
int64_t bw_link_id(struct bw_link *link);
/* Appends a line to the send buffer. The buffer is written during bw_link_wait. */
void bw_link_send(struct bw_link *link, const char *line);
/* Writes the send buffer and waits for the next answer, at most until `deadline` (of bw_clock). After
 * BW_LINK_ANSWER the caller frees the answer. Closes the link before it returns BW_LINK_LOST. */
enum bw_link_event bw_link_wait(struct bw_link *link, double deadline, struct bw_answer *answer,
				struct bw_error *error);
/* Sets an error for a worker that gave no answer for `seconds`, and closes the link. Returns false. */
bool bw_link_late(struct bw_link *link, double seconds, struct bw_error *error);

/* Tasks in a worker's queue. */

/* A request whose answer is one line. */
struct bw_inquiry {
	json_t *request; /* without its version and id; sending it takes ownership */
	enum bw_answer_kind kind;
	double seconds; /* how long the worker may take */
	bool good;      /* it was answered; if false, see error */
	struct bw_answer answer;
	struct bw_error error;
};

/* A task in the queue or under way: a list of objects to measure, or an inquiry. It is on the stack of the
 * thread that waits for its end. */
struct bw_task {
	struct bw_task *next;
	struct bw_inquiry *inquiry; /* NULL: the task measures a list, see the fields below */
	const struct bw_measure_request *request;
	const char *const *objects;
	int n;
	double patience; /* seconds without a result */
	struct bw_measured *measured;
	bool *answered; /* per object: measured[k] has its outcome */
	int *order;     /* objects with an outcome, in the order of their outcomes */
	int *deaths;    /* per object: number of workers that ended while they ran it */
	atomic_int n_answered;
	atomic_bool stopped; /* the waiting thread has cancelled the task */
	bool ended; /* under the bench's lock */
	char (*names)[BW_CONTENT_NAME]; /* hashes of the objects' contents, then of the reference's; NULL: not
					   computed yet */
};

struct bw_bench {
	pthread_mutex_t lock;   /* guards the fields down to `waits` */
	pthread_cond_t changed; /* signalled when a task has ended or the devices are known */
	int references;
	bool threaded;
	pthread_t thread;
	struct bw_task *first; /* of the queue */
	bool requested;        /* the devices were asked for */
	struct bw_inquiry question;
	struct bw_task asking; /* the task of `question` */
	enum bw_asked asked;
	struct bw_presents devices;
	struct bw_error error; /* why asking for the devices failed */
	bool lost;             /* asking failed because the worker ended before it answered */
	char doing[320];       /* what the worker does for the current request */
	bool waits;            /* the worker waits for its turn on the device */
	atomic_bool quit;
	int told;           /* eventfd: readable once the question for devices is answered or has failed */
	char *command;      /* NULL: local */
	char *name, *cache; /* the worker's name in errors; the variable with PoCL's cache folder */
	bool caches;        /* there is a folder for PoCL's cache */
	const char *argv[4], *settings[2];
	double silence;                /* seconds */
	double reference;              /* s: time of the slowest reference; the worker keeps its outputs */
	struct bw_link link;           /* this and the fields below are used by the bench's thread only */
	const struct bw_task *current; /* task that the thread runs; NULL: none */
	int64_t cancelled;             /* id of a cancelled request that has not ended yet; 0: none */
};

/* Functions that jobs and pools of workers share. Finds the device that the request wants among the devices
 * of a worker, and its index there, from 1. */
bool bw_job_device_of(const struct bw_job_request *request, struct bw_bench *bench,
		      const struct bw_patience *patience, struct bw_device *device, int *number,
		      struct bw_error *error);
/* Finds the device that the request wants in a list of devices, and its index there, from 1. */
bool bw_job_device_among(const struct bw_job_request *request, const struct bw_presents *presents,
			 struct bw_device *device, int *number, struct bw_error *error);
/* Reads two values from the generator's description: the version of the Halide that wrote it, which also
 * compiles the schedule; and the estimates for the worker's request, to be freed with free(). */
bool bw_job_described(const struct bw_job_request *request, const struct bw_patience *patience,
		      char **estimates, char *halide, size_t size, struct bw_error *error);
/* A schedule whose output differs from the reference's. */
struct bw_doubt {
	const struct bw_job_request *request;
	const struct bw_device *device; /* for which it was compiled */
	const atomic_bool *stop;
	const struct bw_measure_request *what; /* the request that measured it */
};
/* Finds out whether the schedule is the cause of a wrong output. Fills the advice. Sets the verdict to
 * UNSTABLE if the program is the cause. Changes neither if a step of this analysis fails. */
void bw_job_find_fault(const struct bw_doubt *doubt, struct bw_measurement *measurement);
/* Adds the resource use of an object's kernels on a GPU, from ptxas, to a measurement on the emulated device,
 * and counts the kernels' SASS instructions; the emulated driver knows neither. counted: NULL if nothing was
 * counted. Without ptxas both stay unknown. */
void bw_job_inspect(const struct bw_job_request *request, const struct bw_device *device, const char *object,
		    const atomic_bool *stop, struct bw_measurement *measurement, struct bw_counted *counted);

/* Runs the task to its end, or until it is stopped. In the bench's thread. */
void bw_task_run(struct bw_bench *bench, struct bw_task *task);
/* Returns a request, without its version and id, for all objects of a task that have no outcome. Sets *n to
 * their number and map[k] to the task's index of object k of the request. Returns NULL if a path is not
 * UTF-8. */
json_t *bw_task_request(const struct bw_task *task, int *map, int *n);
/* Makes the worker ready for a request: starts it, and waits until it has ended a cancelled request. */
bool bw_bench_ready(struct bw_bench *bench, struct bw_error *error);
/* Sends a request whose answer is one line, and waits for the answer. Waits at most for the bench's silence
 * plus `seconds`, which the worker may spend on the request. Takes ownership of the request, which has no
 * version and id. Returns false with an error. */
bool bw_bench_call(struct bw_bench *bench, json_t *request, double seconds, enum bw_answer_kind kind,
		   struct bw_answer *answer, struct bw_error *error);
/* Puts a task into the queue and waits for its end. Setting *stop stops the task; stop may be NULL. Returns
 * false with an error if the task could not be begun. */
bool bw_bench_do(struct bw_bench *bench, struct bw_task *task, const atomic_bool *stop,
		 bw_measure_progress *progress, void *context, struct bw_error *error);
