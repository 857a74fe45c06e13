/* The connection to one worker: a process that is kept, lines that go to it, answers that come from it. To be
 * used by one thread, which outlives the worker: a worker is killed when the thread that started it ends. */
#pragma once
#include "base/process.h"
#include "bench/answer.h"
#include "bench/protocol.h"

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
