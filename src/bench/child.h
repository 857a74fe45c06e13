/* A process with pipes to its standard streams. The pipes' ends here do not block. */
#ifndef BW_BENCH_CHILD_H
#define BW_BENCH_CHILD_H
#include <sys/types.h>

#include "bench/process.h"

/* Ends of the pipes to a child; -1: closed. `failed` tells the errno of an exec that failed. The input is a
 * socket: writing to it with MSG_NOSIGNAL raises no SIGPIPE. */
struct bw_child {
	pid_t pid;
	int input, output, errors, failed;
};

/* Starts the child; false with errno set. Its process group is its own, so that all of it can be killed, and
 * it is killed when the thread that started it ends. Of the command's input it matters only whether there is
 * one: it is not written here. */
bool bw_child_start(const struct bw_process_command *command, struct bw_child *child);
/* Returns true if the child has ended; it stays unreaped, so that its process group's number stays
 * its own. */
bool bw_child_ended(pid_t pid);
/* Kills what is left of the group and reaps the child: its status, as waitpid has it. */
int bw_child_finish(const struct bw_child *child);
/* Closes what is open of the pipes. */
void bw_child_close(struct bw_child *child);
/* The errno of an exec that failed, 0 if it did not; to be asked once the child has ended. */
int bw_child_exec_failed(const struct bw_child *child);
#endif
