/* Reads schedule files, and completes partial ones: what a file does not mention the search decides. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nest/words.h"
#include "schedulers/scheduler.h"
#include "session/core.h"

void bw_session_warn(struct bw_session *session, const char *words)
{
	size_t length = strlen(session->warning);
	snprintf(session->warning + length, sizeof session->warning - length, "%s%s", length ? "; " : "", words);
}

/* A schedule that was read, NULL: was not, where the search can place what it names. */
static struct bw_schedule *searched(struct bw_session *session, const char *path,
				    struct bw_schedule *schedule, bool stale, struct bw_error *error)
{
	if (schedule && schedule->n > schedule->n_funcs &&
	    !bw_placement_searched(session->pipeline, path, schedule->placements[schedule->n_funcs], error)) {
		bw_schedule_drop(schedule);
		return NULL;
	}
	if (schedule && stale)
		snprintf(session->warning, sizeof session->warning, "%.180s was written for another algorithm", path);
	return schedule;
}

struct bw_schedule *bw_session_read_schedule(struct bw_session *session, const char *path,
					     struct bw_error *error)
{
	bool stale = false;
	struct bw_schedule *schedule = bw_schedule_read(session->pipeline, path, &stale, error);
	return searched(session, path, schedule, stale, error);
}

struct bw_schedule *bw_schedule_take(struct bw_session *session, const char *name, const struct bw_text *text,
				     struct bw_error *error)
{
	bool stale = false;
	struct bw_schedule *schedule =
	    bw_schedule_parse(session->pipeline, name, bw_text_get(text), text->length, &stale, error);
	return searched(session, name, schedule, stale, error);
}

/* Warns of what the search decided of a schedule: as much of it as a warning has room for. */
static void warn_decided(struct bw_session *session, const char *path, const struct bw_schedule *schedule,
			 const struct bw_nest *nest)
{
	enum { ROOM = sizeof session->warning - 20 };
	struct bw_text words = {0}, one = {0};
	int n = 0, left = 0, n_order, *order = bw_nest_order(session->pipeline, &n_order);
	for (int i = 0; i < n_order; i++)
		n += !schedule->placements[order[i]] || !schedule->placements[order[i]]->tiled;
	bw_text_printf(&words, "%.100s leaves %d Func%s open, decided by the search", path, n, n == 1 ? "" : "s");
	for (int i = 0, said = 0; i < n_order; i++) {
		const struct bw_placement *given = schedule->placements[order[i]],
					  *found = nest->placed[order[i]]->placement;
		if (given && (given->tiled || bw_placement_equal(given, found)))
			continue;
		bw_text_clear(&one);
		bw_placement_words(session->pipeline, found, &one);
		if (left || strlen(session->warning) + words.length + one.length > ROOM)
			left++;
		else
			bw_text_printf(&words, "%s%s", said++ ? "; " : ": ", bw_text_get(&one));
	}
	if (left)
		bw_text_printf(&words, "; %d more", left);
	bw_session_warn(session, bw_text_get(&words));
	bw_text_free(&words);
	bw_text_free(&one);
	free(order);
}

int bw_schedule_constraints(const struct bw_schedule *schedule, struct bw_constraint *list)
{
	int n = 0;
	for (int f = 0; f < schedule->n_funcs; f++)
		if (schedule->placements[f])
			list[n++] = (struct bw_constraint){.placement = schedule->placements[f],
							   .sizes = schedule->placements[f]->tiled,
							   .source = BW_CONSTRAINT_FILE};
	return n;
}

/* Returns the best schedule that keeps to a partial one. */
static struct bw_nest *completed(struct bw_session *session, const struct bw_schedule *schedule,
				 struct bw_error *error)
{
	struct bw_constraint *list = BW_NEW_ARRAY(struct bw_constraint, schedule->n_funcs);
	struct bw_constraints with = {.n = bw_schedule_constraints(schedule, list), .list = list};
	struct bw_settings options = session->options;
	const struct bw_state *const *states;
	struct bw_nest *nest = NULL;
	options.staging = options.staging && !schedule->unstaged;
	struct bw_search *search = bw_search_fork(session->search, &options, &with);
	if (bw_search_advance(search, INT_MAX, NULL, error) == BW_SEARCH_DONE &&
	    bw_search_beam(search, bw_search_reached(search), &states) > 0)
		nest = bw_nest_keep(states[0]->nest);
	bw_search_free(search);
	free(list);
	return nest;
}

struct bw_nest *bw_report_nest(struct bw_session *session, const char *path, struct bw_error *error)
{
	struct bw_schedule *schedule = bw_session_read_schedule(session, path, error);
	struct bw_nest *nest = schedule ? bw_schedule_nest(session->pipeline, schedule, error) : NULL;
	bw_schedule_drop(schedule);
	return nest;
}

struct bw_nest *bw_report_whole_nest(struct bw_session *session, const char *path, struct bw_error *error)
{
	struct bw_schedule *schedule = bw_session_read_schedule(session, path, error);
	struct bw_nest *nest = schedule ? bw_schedule_nest(session->pipeline, schedule, error) : NULL;
	if (nest && !bw_nest_complete(nest)) {
		bw_nest_drop(nest);
		nest = completed(session, schedule, error);
		if (nest)
			warn_decided(session, path, schedule, nest);
		else
			bw_fail_in(error, "%s", path);
	}
	bw_schedule_drop(schedule);
	return nest;
}
