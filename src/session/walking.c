/* A walk under way: another scheduler makes its decisions, and at its end the search is held to its
 * schedule. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/session_private.h"

const struct bw_walk *bw_session_walk(const struct bw_session *session)
{
	return own_of(session)->walk;
}

const struct bw_walk_step *bw_session_step(const struct bw_session *session)
{
	const struct bw_walk *walk = bw_session_walk(session);
	return walk && session->selection.step < bw_walk_steps(walk) ? bw_walk_step(walk, session->selection.step)
								     : NULL;
}

int bw_session_candidate(const struct bw_session *session)
{
	const struct bw_walk_step *step = bw_session_step(session);
	int selected = session->selection.candidate;
	if (!step)
		return -1;
	return selected >= 0 && selected < step->n ? selected : step->taken >= 0 ? step->taken : 0;
}

bool bw_walking(const struct bw_session *session)
{
	return own_of(session)->walking.walk;
}

void bw_walking_end(struct own *own)
{
	bw_routine_end(own->walking.routine);
	own->walking.routine = NULL;
	bw_walk_drop(own->walking.walk);
	free(own->walking.line);
	own->walking.walk = NULL;
	own->walking.line = NULL;
}

/* Holds the search to the schedule of the walk, which is done. */
static bool hold(struct call *call)
{
	struct own *own = own_of(call->session);
	struct bw_walk *walk = own->walking.walk;
	const struct bw_scheduler *scheduler = bw_walk_scheduler_of(walk);
	int n = bw_walk_steps(walk), step = own->walking.step;
	struct bw_schedule *schedule = bw_walk_schedule(walk, n, call->error);
	if (!schedule)
		return bw_fail(call->error, BW_ERROR_FAILED, "%s has no schedule with what was said", scheduler->name);
	struct bw_text how = {0}, line = {0}, progress = {0};
	bw_text_printf(&how, "%s (%s) places them", scheduler->name, scheduler->paper);
	bw_walk_progress(walk, &progress);
	if (progress.length)
		bw_text_printf(&how, "; %.*s", (int)strcspn(bw_text_get(&progress), ";"), bw_text_get(&progress));
	if (own->walking.line)
		bw_text_puts(&line, own->walking.line);
	else
		bw_walk_command(walk, &line);
	bool tries = own->whatif.takes;
	own->walking.given = true;
	own->walking.next = walk;
	bw_schedule_hold(call, bw_text_get(&line), schedule, bw_text_get(&how));
	own->walking.given = false;
	own->walking.next = NULL;
	if (!tries) {
		own->session.selection.step = step >= 0 && step < n ? step : n;
		own->session.selection.candidate = -1;
	}
	bw_text_free(&progress);
	bw_text_free(&how);
	bw_text_free(&line);
	bw_schedule_drop(schedule);
	return true;
}

static void work(const struct bw_yield *yield, void *data)
{
	struct walking *walking = data;
	walking->status = bw_walk_work(walking->walk, yield, &walking->stop, &walking->error);
}

struct bw_routine *bw_walking_routine(struct bw_session *session)
{
	struct walking *walking = &own_of(session)->walking;
	if (!walking->routine)
		walking->routine = bw_routine_new(work, walking);
	return walking->routine;
}

bool bw_walking_begin(struct call *call, struct bw_walk *walk, const char *line, int step)
{
	static const double screen_waits = 0.1, script_waits = 5;
	struct own *own = own_of(call->session);
	double patience = own->whatif.takes ? INFINITY : own->later.told ? screen_waits : script_waits;
	bw_walking_end(own);
	own->walking.walk = walk;
	own->walking.line = line ? bw_strdup(line) : NULL;
	own->walking.step = step;
	own->walking.stop = false;
	own->walking.error = (struct bw_error){0};
	if (!bw_routine_go(bw_walking_routine(call->session), patience)) {
		bw_session_say(call, "%s works", bw_walk_scheduler_of(walk)->name);
		return true;
	}
	bool good = own->walking.status == BW_WALK_DONE;
	if (!good && call->error)
		*call->error = own->walking.error;
	good = good && hold(call);
	if (good && call->out && !line)
		bw_walk_print(walk, call->out);
	bw_walking_end(own);
	return good;
}

static void tell_progress(struct call *call)
{
	struct bw_text progress = {0};
	bw_walk_progress(own_of(call->session)->walking.walk, &progress);
	if (progress.length)
		bw_session_say(call, "%s", bw_text_get(&progress));
	bw_text_free(&progress);
}

void bw_walking_take(struct bw_session *session, bool ended)
{
	struct own *own = own_of(session);
	struct bw_error error = own->walking.error;
	struct call call = {session, "", "", NULL, &error};
	bw_session_touch(session);
	if (!ended) {
		tell_progress(&call);
		return;
	}
	if (own->walking.status == BW_WALK_FAILED || !hold(&call)) {
		bw_session_say(&call, "%s; nothing was changed", error.text);
		session->message_is_error = true;
	}
	bw_walking_end(own);
}

/* What a person said of a walk stands for the whole of it: stopped, that is not done. */
void bw_walking_stop(struct bw_session *session)
{
	struct own *own = own_of(session);
	own->walking.stop = true;
	if (!own->walking.line)
		return;
	snprintf(session->message, sizeof session->message, "stopped; nothing was changed");
	session->message_is_error = false;
	bw_walking_end(own);
	bw_session_touch(session);
}
