/* A walk in progress: another scheduler makes its decisions. At the end, the search is held to its
 * schedule. */
#include <math.h>

#include "session/core.h"

struct walking {
	struct bw_walk *walk; /* the walk in progress; NULL: none */
	char *line;           /* the command that started the walk, as in the journal; NULL: the walk's own */
	int step;             /* the decision to select once the walk is done; -1: the end */
	enum bw_walk_status status;
	struct bw_error error;
	atomic_bool stop;
};

static BW_PART_DATA(walking_of, struct walking, WALKING)

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
	return walking_of(session)->walk;
}

static void end(struct bw_session *session)
{
	struct walking *walking = walking_of(session);
	bw_part_halt(session, BW_PART_WALKING);
	bw_walk_drop(walking->walk);
	free(walking->line);
	walking->walk = NULL;
	walking->line = NULL;
}

/* Reports which Funcs a person held at other placements than the schedule's. */
static void say_replaced(const struct bw_session *session, const struct bw_schedule *schedule,
			 struct bw_text *out)
{
	const struct bw_constraints *now = bw_search_constraints(session->search);
	int n = 0;
	for (int i = 0; i < now->n; i++) {
		const struct bw_constraint *constraint = &now->list[i];
		int func = constraint->placement->func;
		const struct bw_placement *placement = schedule->placements[func];
		if (constraint->source == BW_CONSTRAINT_FILE || !bw_constraint_holds(constraint) || !placement ||
		    bw_constraint_names(constraint, placement))
			continue;
		bw_text_printf(out, "%s%s", n++ ? ", " : "; in place of what was held by hand: ",
			       session->pipeline->funcs[func].name);
	}
	if (n)
		bw_text_puts(out, n == 1 ? " (`undo` brings it back)" : " (`undo` brings them back)");
}

/* Holds the search to the schedule of the walk, which must be complete. */
static bool hold(struct call *call)
{
	struct own *own = own_of(call->session);
	const struct walking *walking = walking_of(call->session);
	struct bw_walk *walk = walking->walk;
	const struct bw_scheduler *scheduler = bw_walk_scheduler_of(walk);
	int n = bw_walk_steps(walk), step = walking->step;
	BW_SCOPED_SCHEDULE *schedule = bw_walk_schedule(walk, n);
	if (!schedule)
		return bw_fail(call->error, BW_ERROR_FAILED, "%s has no schedule with what was said", scheduler->name);
	BW_SCOPED_TEXT how = {0}, line = {0}, progress = {0};
	bw_text_printf(&how, "%s (%s) places them", scheduler->name, scheduler->paper);
	bw_walk_progress(walk, &progress);
	if (progress.length)
		bw_text_printf(&how, "; %.*s", (int)strcspn(bw_text_get(&progress), ";"), bw_text_get(&progress));
	say_replaced(call->session, schedule, &how);
	if (walking->line)
		bw_text_puts(&line, walking->line);
	else
		bw_walk_command(walk, &line);
	bool tries = own->trial;
	own->walk_given = true;
	own->next_walk = walk;
	bw_schedule_hold(call, bw_text_get(&line), schedule, bw_text_get(&how));
	own->walk_given = false;
	own->next_walk = NULL;
	if (!tries) {
		own->session.selection.step = step >= 0 && step < n ? step : n;
		own->session.selection.candidate = -1;
	}
	return true;
}

static void run(const struct bw_yield *yield, void *data)
{
	struct walking *walking = data;
	walking->status = bw_walk_work(walking->walk, yield, &walking->stop, &walking->error);
}

bool bw_walking_begin(struct call *call, struct bw_walk *walk, const char *line, int step)
{
	static const double screen_waits = 0.1, script_waits = 5;
	struct bw_session *session = call->session;
	const struct own *own = own_of(session);
	struct walking *walking = walking_of(session);
	double patience = own->trial ? INFINITY : own->screen ? screen_waits : script_waits;
	end(session);
	walking->walk = walk;
	walking->line = line ? bw_strdup(line) : NULL;
	walking->step = step;
	walking->stop = false;
	walking->error = (struct bw_error){0};
	if (!bw_routine_go(bw_part_routine(session, BW_PART_WALKING), patience)) {
		bw_session_say(call, "%s works", bw_walk_scheduler_of(walk)->name);
		return true;
	}
	bool good = walking->status == BW_WALK_DONE;
	if (!good && call->error)
		*call->error = walking->error;
	good = good && hold(call);
	if (good && call->out && !line)
		bw_walk_print(walk, call->out);
	end(session);
	return good;
}

static void tell_progress(struct call *call)
{
	BW_SCOPED_TEXT progress = {0};
	bw_walk_progress(walking_of(call->session)->walk, &progress);
	if (progress.length)
		bw_session_say(call, "%s", bw_text_get(&progress));
}

static void take(struct bw_session *session, bool ended)
{
	struct walking *walking = walking_of(session);
	struct bw_error error = walking->error;
	struct call call = {session, "", "", NULL, &error};
	bw_session_touch(session);
	if (!ended) {
		tell_progress(&call);
		return;
	}
	if (walking->status == BW_WALK_FAILED || !hold(&call))
		bw_session_tell(session, true, "%s; nothing was changed", error.text);
	end(session);
}

/* Stops the walk. If a command requested the whole walk, the command then changes nothing. */
static void stop(struct bw_session *session)
{
	struct walking *walking = walking_of(session);
	if (!walking->walk)
		return;
	walking->stop = true;
	if (!walking->line)
		return;
	end(session);
	bw_session_tell(session, false, "stopped; nothing was changed");
}

void bw_walking_finish(struct bw_session *session)
{
	while (bw_walking(session))
		take(session, bw_routine_go(bw_part_routine(session, BW_PART_WALKING), INFINITY));
}

void bw_walking_forget(struct bw_session *session, bool given)
{
	own_of(session)->walk_given = given;
}

const struct bw_session_part bw_part_walking = {
    .size = sizeof(struct walking),
    .run = run,
    .wanted = bw_walking,
    .take = take,
    .stop = stop,
    .end = end,
};
