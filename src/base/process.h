/* Processes. A program is run to its end, its output captured, its time limited, nothing of it left
 * running; or it is talked to through pipes, whose ends here do not block. Safe to use from threads. */
#pragma once
#include <stdatomic.h>
#include <sys/types.h>

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

/* Ends of the pipes to a child; -1: closed. `failed` tells the errno of an exec that failed. The input is a
 * socket: writing to it with MSG_NOSIGNAL raises no SIGPIPE. */
struct bw_process {
	pid_t pid;
	int input, output, errors, failed;
};

/* Starts the child; false with errno set. Its process group is its own, so that all of it can be killed, and
 * it is killed when the thread that started it ends. Of the command's input it matters only whether there is
 * one: it is not written here. */
bool bw_process_start(const struct bw_process_command *command, struct bw_process *child);
/* Returns true if the child has ended; it stays unreaped, so that its process group's number stays
 * its own. */
bool bw_process_ended(pid_t pid);
/* Kills what is left of the group and reaps the child: its status, as waitpid has it. */
int bw_process_finish(const struct bw_process *child);
/* Closes what is open of the pipes. */
void bw_process_close(struct bw_process *child);
/* The errno of an exec that failed, 0 if it did not; to be asked once the child has ended. */
int bw_process_exec_failed(const struct bw_process *child);

/* Forks this process, as fork does. The child is sent the signal `death` (0: none) when the thread that
 * started it ends. */
pid_t bw_process_fork(int death);
/* Waits until a child ends: its status, as waitpid has it; -1 with errno if there is none. */
int bw_process_reap(pid_t child);
