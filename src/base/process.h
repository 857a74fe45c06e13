/* Child processes. bw_process_run runs a program to its end, captures its output, limits its time, and
 * leaves none of its processes running. bw_process_start starts a program to which the caller talks
 * through pipes; the caller's pipe ends do not block. Safe to use from several threads. */
#pragma once
#include <stdatomic.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/text.h"

/* A time limit for a child, and a flag that another thread or a signal handler sets to stop the child. */
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
	/* true: when the thread that started the child ends, the child gets SIGTERM instead of SIGKILL, so
	 * that it can end what it runs elsewhere, as srun does */
	bool asked;
};

enum bw_ending {
	BW_EXITED,     /* code: exit status */
	BW_CRASHED,    /* code: signal */
	BW_TIMED_OUT,  /* killed; in all cases, the rest of the process group is killed, too */
	BW_STOPPED,    /* killed because *stop was set */
	BW_NOT_STARTED /* code: errno */
};

struct bw_outcome {
	enum bw_ending ending;
	int code;
	struct bw_text output, errors; /* errors: at least the last 64 KiB of standard error */
};

/* Runs the command and fills *outcome, which the caller frees. */
void bw_process_run(const struct bw_process_command *command, const struct bw_patience *patience,
		    struct bw_outcome *outcome);
void bw_outcome_free(struct bw_outcome *outcome);

/* The caller's pipe ends to a child; -1: closed. If exec fails in the child, `failed` delivers its errno.
 * The input is a socket: writing to it with MSG_NOSIGNAL raises no SIGPIPE. */
struct bw_process {
	pid_t pid;
	int input, output, errors, failed;
};

/* Starts the child. Returns false with errno set if this fails. The child gets a process group of its own,
 * so that the whole group can be killed. The child is killed when the thread that started it ends. This
 * function does not write the command's input; it only checks whether there is any. */
bool bw_process_start(const struct bw_process_command *command, struct bw_process *child);
/* Returns true if the child has ended. Does not reap the child, so that the number of its process group is
 * not reused. */
bool bw_process_ended(pid_t pid);
/* Kills the rest of the process group and reaps the child. Returns the child's status as waitpid sets it. */
int bw_process_finish(const struct bw_process *child);
/* Closes all pipe ends that are still open. */
void bw_process_close(struct bw_process *child);
/* Returns the errno of a failed exec, 0 if exec succeeded. To be called after the child has ended. */
int bw_process_exec_failed(const struct bw_process *child);

/* Forks this process, as fork does. The child is sent the signal `death` (0: none) when the thread that
 * started it ends. */
pid_t bw_process_fork(int death);
/* Waits until a child ends. Returns its status as waitpid sets it, or -1 with errno if there is no such
 * child. */
int bw_process_reap(pid_t child);
