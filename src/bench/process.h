/* Running a program to its end: its output captured, its time limited, nothing of it left running. Safe to
 * use from threads. */
#ifndef BW_BENCH_PROCESS_H
#define BW_BENCH_PROCESS_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/* How long a child may take, and a flag that another thread or a signal handler sets to stop it. */
struct bw_patience {
	double seconds;
	const atomic_bool *stop; /* may be NULL */
};

/* A program to run. */
struct bw_process_command {
	const char *const *argv;     /* ends with NULL; argv[0] is looked up in PATH where it has no slash */
	const char *const *settings; /* NAME=VALUE put into its environment, ends with NULL; NULL: none */
	const char *input;           /* for its standard input; NULL: /dev/null */
	size_t most_output;          /* bytes kept of its standard output: the rest is read and thrown away */
	bool asked; /* when the thread that started it ends, it is asked to end (SIGTERM) and not killed: it may
		       have something elsewhere to end, as srun has */
};

enum bw_ending {
	BW_EXITED,     /* code: exit status */
	BW_CRASHED,    /* code: signal */
	BW_TIMED_OUT,  /* killed; so is the rest of its process group, as in all cases */
	BW_STOPPED,    /* killed because *stop was set */
	BW_NOT_STARTED /* code: errno */
};

struct bw_outcome {
	enum bw_ending ending;
	int code;
	struct bw_text output, errors; /* of standard error the last 64 KiB at least */
};

/* Runs the command and fills *outcome, which the caller frees. */
void bw_process_run(const struct bw_process_command *command, const struct bw_patience *patience,
		    struct bw_outcome *outcome);
void bw_outcome_free(struct bw_outcome *outcome);

/* Sets an error where the program did not exit with status 0: what became of it, after `name`, and the line
 * of its standard error that says most. Returns whether it did. */
bool bw_outcome_good(const struct bw_outcome *outcome, const char *name, const struct bw_patience *patience,
		     enum bw_error_kind kind, struct bw_error *error);
#endif
