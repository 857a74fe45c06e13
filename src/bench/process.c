#include "bench/process.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/child.h"

enum { KEPT_ERRORS = 64 << 10, TICK_MS = 20 };

static void close_end(int *end)
{
	if (*end >= 0)
		close(*end);
	*end = -1;
}

/* Keeps the first `most` bytes, or of standard error the last ones. */
static void keep(struct bw_text *text, const char *bytes, size_t length, size_t most, bool last)
{
	if (!last && text->length + length > most)
		length = text->length < most ? most - text->length : 0;
	bw_text_append(text, bytes, length);
	if (last && text->length > 2 * most) {
		memmove(text->bytes, text->bytes + text->length - most, most + 1);
		text->length = most;
	}
}

/* Reads what is there; closes the end when there will be no more. */
static void drain(int *end, struct bw_text *text, size_t most, bool last)
{
	char buffer[16384];
	for (int k = 0; *end >= 0 && k < 64; k++) {
		ssize_t got = read(*end, buffer, sizeof buffer);
		if (got > 0)
			keep(text, buffer, (size_t)got, most, last);
		else if (got == 0 || (errno != EINTR && errno != EAGAIN))
			close_end(end);
		else if (errno == EAGAIN)
			break;
	}
}

/* Writes more of the input; closes the end when all is written or nobody reads it. */
static void feed(int *end, const char *input, size_t *done)
{
	size_t length = input ? strlen(input) : 0;
	while (*end >= 0) {
		ssize_t put = *done < length ? send(*end, input + *done, length - *done, MSG_NOSIGNAL) : 0;
		if (put > 0)
			*done += (size_t)put;
		else if (put < 0 && errno == EAGAIN)
			break;
		else if (put == 0 || errno != EINTR)
			close_end(end);
	}
}

/* Waits a tick, or until one of the pipes has something to do. */
static void wait_for_pipes(const struct bw_child *child)
{
	struct pollfd files[3] = {
	    {child->output, POLLIN, 0}, {child->errors, POLLIN, 0}, {child->input, POLLOUT, 0}};
	poll(files, 3, TICK_MS);
}

/* Talks to the child until it has ended, its time is up or it is to stop. */
static enum bw_ending attend(const struct bw_process_command *command, const struct bw_patience *patience,
			     struct bw_child *child, struct bw_outcome *outcome)
{
	double deadline = bw_clock() + patience->seconds;
	size_t fed = 0;
	for (;;) {
		feed(&child->input, command->input, &fed);
		drain(&child->output, &outcome->output, command->most_output, false);
		drain(&child->errors, &outcome->errors, KEPT_ERRORS, true);
		if (bw_child_ended(child->pid))
			return BW_EXITED;
		if (patience->stop && atomic_load(patience->stop))
			return BW_STOPPED;
		if (bw_clock() >= deadline)
			return BW_TIMED_OUT;
		wait_for_pipes(child);
	}
}

void bw_process_run(const struct bw_process_command *command, const struct bw_patience *patience,
		    struct bw_outcome *outcome)
{
	struct bw_child child;
	*outcome = (struct bw_outcome){.ending = BW_NOT_STARTED};
	if (!bw_child_start(command, &child)) {
		outcome->code = errno;
	} else {
		outcome->ending = attend(command, patience, &child, outcome);
		int status = bw_child_finish(&child), code;
		drain(&child.output, &outcome->output, command->most_output, false);
		drain(&child.errors, &outcome->errors, KEPT_ERRORS, true);
		code = bw_child_exec_failed(&child);
		if (code) {
			outcome->ending = BW_NOT_STARTED;
			outcome->code = code;
		} else if (outcome->ending == BW_EXITED) {
			outcome->ending = WIFSIGNALED(status) ? BW_CRASHED : BW_EXITED;
			outcome->code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
		}
	}
	bw_child_close(&child);
}

void bw_outcome_free(struct bw_outcome *outcome)
{
	bw_text_free(&outcome->output);
	bw_text_free(&outcome->errors);
}
