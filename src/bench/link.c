#include "bench/bench_private.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/complaint.h"

enum {
	KEPT_ERRORS = 64 << 10, /* bytes of standard error that are kept */
	SIGNALLED = 128,        /* a shell's status for a crashed command is this plus the signal's number */
	MOST_GREETING = 64 << 10 /* bytes that a login script may print before the worker's first answer */
};
/* Seconds to wait for the exit status of a worker that has closed its output. */
static const double parting = 1;

int64_t bw_link_id(struct bw_link *link)
{
	return ++link->last_id;
}

void bw_link_send(struct bw_link *link, const char *line)
{
	struct bw_text *sending = &link->sending;
	if (link->sent && link->sent == sending->length) {
		bw_text_clear(sending);
		link->sent = 0;
	}
	bw_text_puts(sending, line);
	bw_text_puts(sending, "\n");
}

/* Writes as much as the pipe accepts. Ignores errors: a worker that no longer reads is about to end, and its
 * end is noticed. */
static void feed(struct bw_link *link)
{
	const struct bw_text *sending = &link->sending;
	while (link->sent < sending->length) {
		ssize_t put = send(link->child.input, sending->bytes + link->sent,
				   sending->length - link->sent, MSG_NOSIGNAL);
		if (put > 0)
			link->sent += (size_t)put;
		else if (errno == EAGAIN)
			return;
		else if (errno != EINTR)
			link->sent = sending->length;
	}
}

/* Reads the available standard error and keeps the end of it. */
static void drain_errors(struct bw_link *link)
{
	char buffer[16384];
	ssize_t got;
	while ((got = read(link->child.errors, buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR)) {
		struct bw_text *errors = &link->errors;
		if (got > 0)
			bw_text_append(errors, buffer, (size_t)got);
		if (errors->length > 2 * KEPT_ERRORS) {
			memmove(errors->bytes, errors->bytes + errors->length - KEPT_ERRORS, KEPT_ERRORS + 1);
			errors->length = KEPT_ERRORS;
		}
	}
}

/* Reads the available answers. Returns false at the end of the output. */
static bool drain_answers(struct bw_link *link)
{
	char buffer[65536];
	ssize_t got = read(link->child.output, buffer, sizeof buffer);
	if (got > 0)
		bw_lines_add(&link->lines, buffer, (size_t)got);
	return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Resets the link after its worker was reaped. */
static void release(struct bw_link *link)
{
	bw_process_close(&link->child);
	if (link->end >= 0)
		close(link->end);
	bw_lines_free(&link->lines);
	bw_text_clear(&link->sending);
	bw_text_clear(&link->noise);
	link->sent = 0;
	link->running = link->greeted = false;
}

/* Waits until the worker has ended, at most for `seconds`. Returns true if it has ended. */
static bool wait_for_end(const struct bw_link *link, double seconds)
{
	static const double tick = 0.02;
	double end = bw_clock() + seconds;
	while (!bw_process_ended(link->child.pid)) {
		if (bw_clock() >= end)
			return false;
		poll(&(struct pollfd){link->end, POLLIN, 0}, 1, (int)(1e3 * (link->end < 0 ? tick : seconds)) + 1);
	}
	return true;
}

/* Ends the worker. Asks a user's command to end before killing it: closes its input, then sends SIGTERM.
 * Otherwise, processes that it has started elsewhere would go on, such as a job of srun. Returns its
 * status. */
static int finish(struct bw_link *link)
{
	static const double at_end = 0.5, at_signal = 2;
	if (link->shell) {
		shutdown(link->child.input, SHUT_WR);
		if (!wait_for_end(link, at_end)) {
			kill(-link->child.pid, SIGTERM);
			wait_for_end(link, at_signal);
		}
	}
	return bw_process_finish(&link->child);
}

void bw_link_close(struct bw_link *link)
{
	if (!link->running)
		return;
	finish(link);
	release(link);
}

void bw_link_free(struct bw_link *link)
{
	bw_link_close(link);
	bw_text_free(&link->noise);
	bw_text_free(&link->sending);
	bw_text_free(&link->errors);
}

/* Adds the first line that came before any answer to an error. */
static void add_noise(const struct bw_link *link, struct bw_error *error)
{
	size_t used = strlen(error->text), length = link->noise.length ? strcspn(link->noise.bytes, "\n") : 0;
	if (length && !link->greeted)
		snprintf(error->text + used, sizeof error->text - used, "; it printed \"%.*s\"", (int)length,
			 link->noise.bytes);
}

/* Sets an error that says how the worker ended, and closes the link. If it exited with status 0, the error
 * says that it ended before it had answered. Returns false. */
static bool part(struct bw_link *link, enum bw_ending ending, double seconds, struct bw_error *error)
{
	struct bw_outcome outcome = {.ending = ending};
	drain_errors(link);
	int status = finish(link);
	drain_errors(link);
	outcome.code = bw_process_exec_failed(&link->child);
	if (outcome.code) {
		outcome.ending = BW_NOT_STARTED;
	} else if (ending == BW_EXITED) {
		outcome.ending = WIFSIGNALED(status) ? BW_CRASHED : BW_EXITED;
		outcome.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	}
	if (link->shell && outcome.ending == BW_EXITED && outcome.code > SIGNALLED &&
	    sigabbrev_np(outcome.code - SIGNALLED)) {
		outcome.ending = BW_CRASHED;
		outcome.code -= SIGNALLED;
	}
	outcome.errors = link->errors;
	link->errors = (struct bw_text){0};
	if (bw_outcome_good(&outcome, link->name, &(struct bw_patience){seconds, NULL}, BW_ERROR_DEVICE, error))
		bw_fail(error, BW_ERROR_DEVICE, "%s: ended before it had answered", link->name);
	add_noise(link, error);
	bw_text_free(&outcome.errors);
	release(link);
	return false;
}

bool bw_link_late(struct bw_link *link, double seconds, struct bw_error *error)
{
	return part(link, BW_TIMED_OUT, seconds, error);
}

/* Handles the end of the worker's output: waits for a while until the worker ends, and sets an error. */
static enum bw_link_event lost(struct bw_link *link, struct bw_error *error)
{
	double deadline = bw_clock() + parting;
	link->lost = true;
	while (!bw_process_ended(link->child.pid) && bw_clock() < deadline) {
		drain_errors(link);
		poll(NULL, 0, 5);
	}
	if (bw_process_ended(link->child.pid)) {
		part(link, BW_EXITED, 0, error);
	} else {
		bw_link_close(link);
		bw_fail(error, BW_ERROR_DEVICE, "%s: closed its pipe before it had answered", link->name);
	}
	return BW_LINK_LOST;
}

/* Keeps a line that comes before the first answer. Returns false with an error if there are too many. */
static bool pass_over(struct bw_link *link, const char *line, size_t length, struct bw_error *error)
{
	bw_text_append(&link->noise, line, length);
	bw_text_puts(&link->noise, "\n");
	if (link->noise.length <= MOST_GREETING)
		return true;
	bw_fail(error, BW_ERROR_DEVICE, "%s: expected a worker's answers, not \"%.100s\"", link->name, line);
	bw_link_close(link);
	return false;
}

/* Reads a line as an answer. */
static enum bw_link_event take(struct bw_link *link, const char *line, size_t length,
			       struct bw_answer *answer, struct bw_error *error)
{
	drain_errors(link);
	link->greeted = true;
	if (bw_answer_read(line, length, answer, error))
		return BW_LINK_ANSWER;
	bw_answer_free(answer);
	bw_fail_in(error, "%s", link->name);
	bw_link_close(link);
	return BW_LINK_LOST;
}

enum bw_link_event bw_link_wait(struct bw_link *link, double deadline, struct bw_answer *answer,
				struct bw_error *error)
{
	for (;;) {
		size_t length;
		char *line = bw_lines_next(&link->lines, &length);
		bool noise = line && !link->greeted && !bw_answer_is(line);
		if (line && !noise)
			return take(link, line, length, answer, error);
		if (noise && pass_over(link, line, length, error))
			continue;
		if (noise)
			return BW_LINK_LOST;
		eventfd_t wakes;
		eventfd_read(link->wake, &wakes);
		if (link->stop(link->context))
			return BW_LINK_WOKEN;
		feed(link);
		struct pollfd files[] = {
		    {link->child.output, POLLIN, 0},
		    {link->child.errors, POLLIN, 0},
		    {link->wake, POLLIN, 0},
		    {link->sent < link->sending.length ? link->child.input : -1, POLLOUT, 0},
		    {link->end, POLLIN, 0}};
		double left = fmax(deadline - bw_clock(), 0);
		if (poll(files, 5, left < 3600 ? (int)ceil(left * 1e3) : -1) <= 0 && left <= 0)
			return BW_LINK_LATE;
		if (files[1].revents) {
			drain_errors(link);
			if (files[1].revents & (POLLHUP | POLLERR) && !(files[1].revents & POLLIN)) {
				close(link->child.errors);
				link->child.errors = -1;
			}
		}
		if (files[0].revents ? !drain_answers(link) : files[4].revents != 0)
			return lost(link, error);
	}
}

/* Skips the output of a login script before the worker's first answer. Returns false if the worker ended or
 * is late. */
static bool greet(struct bw_link *link, double deadline, double seconds, struct bw_error *error)
{
	struct bw_answer answer;
	char line[96];
	snprintf(line, sizeof line, "{\"beamwalk-bench\":%d,\"id\":%lld,\"do\":\"hello\"}", BW_BENCH_VERSION,
		 (long long)bw_link_id(link));
	bw_link_send(link, line);
	switch (bw_link_wait(link, deadline, &answer, error)) {
	case BW_LINK_ANSWER:
		break;
	case BW_LINK_WOKEN:
		bw_link_close(link);
		return bw_fail(error, BW_ERROR_STOPPED, "%s: stopped", link->name);
	case BW_LINK_LATE:
		return bw_link_late(link, seconds, error);
	case BW_LINK_LOST:
		return false;
	}
	bool good = answer.kind == BW_ANSWER_HELLO;
	if (answer.kind == BW_ANSWER_ERROR)
		bw_fail(error, BW_ERROR_DEVICE, "%s: %s", link->name, answer.error.text);
	else if (!good)
		bw_fail(error, BW_ERROR_DEVICE, "%s: its first answer is no greeting", link->name);
	bw_answer_free(&answer);
	if (!good)
		bw_link_close(link);
	return good;
}

bool bw_link_open(struct bw_link *link, double seconds, struct bw_error *error)
{
	if (link->running)
		return true;
	bw_text_clear(&link->errors);
	struct bw_process_command command = {link->argv, link->settings, "", 0, link->shell};
	if (!bw_process_start(&command, &link->child))
		return bw_fail(error, BW_ERROR_IO, "%s: cannot be run: %s", link->name, strerror(errno));
	link->running = true;
	link->lost = false;
	link->end = pidfd_open(link->child.pid, 0);
	return greet(link, bw_clock() + seconds, seconds, error);
}
