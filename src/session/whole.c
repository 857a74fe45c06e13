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

/* Returns true if a Func that nothing holds follows what a search holds. */
static bool follows(const struct bw_search *search, int func)
{
	int pass = bw_search_options_passes(bw_search_options_of(search));
	return bw_search_followed(search, func, pass) &&
	       !bw_constraint_on(bw_search_constraints(search), func, pass);
}

/* Lists the Funcs that the search decides in the order of decisions, first those that follow what it holds.
 * Returns how many these are. The caller frees the list. */
static int followers_first(const struct bw_search *search, int **order, int *n_order)
{
	int n = 0, *all = bw_nest_order(bw_search_pipeline(search), n_order);
	*order = BW_NEW_ARRAY(int, *n_order);
	for (int i = 0; i < *n_order; i++)
		if (follows(search, all[i]))
			(*order)[n++] = all[i];
	for (int i = 0, at = n; i < *n_order; i++)
		if (!follows(search, all[i]))
			(*order)[at++] = all[i];
	free(all);
	return n;
}

void bw_session_say_followers(const struct bw_search *search, struct bw_text *out)
{
	enum { NAMED = 4 };
	const struct bw_func *funcs = bw_search_pipeline(search)->funcs;
	int n_order, *order, n = followers_first(search, &order, &n_order);
	if (n)
		bw_text_printf(out, "; %d that read%s them follow%s, inside of those loops or inlined: ", n,
			       n == 1 ? "s" : "", n == 1 ? "s" : "");
	for (int i = 0; i < n && i < NAMED; i++)
		bw_text_printf(out, "%s%s", i ? ", " : "", funcs[order[i]].name);
	if (n > NAMED)
		bw_text_printf(out, ", %d more", n - NAMED);
	free(order);
}

void bw_session_print_followers(const struct bw_search *search, const struct bw_nest *nest,
				struct bw_text *out)
{
	int n_order, *order, n = followers_first(search, &order, &n_order);
	for (int i = 0; i < n; i++) {
		bw_text_puts(out, i ? "; " : "# follow what is held: ");
		bw_placement_words(nest->pipeline, nest->placed[order[i]]->placement, out);
	}
	bw_text_puts(out, n ? "\n" : "");
	free(order);
}

/* Warns of what a search decided of a schedule: as much of it as a warning has room for. */
static void warn_decided(struct bw_session *session, const char *path, const struct bw_schedule *schedule,
			 const struct bw_search *search, const struct bw_nest *nest)
{
	enum { ROOM = sizeof session->warning - 20 };
	struct bw_text words = {0}, one = {0};
	int n = 0, left = 0, n_order, *order, n_follow = followers_first(search, &order, &n_order);
	for (int i = 0; i < n_order; i++)
		n += !schedule->placements[order[i]] || !schedule->placements[order[i]]->tiled;
	bw_text_printf(&words, "%.100s leaves %d Func%s open, decided by the search", path, n, n == 1 ? "" : "s");
	if (n_follow)
		bw_text_printf(&words, " (%d follow%s what is held)", n_follow, n_follow == 1 ? "s" : "");
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

/* Returns the best schedule that keeps to a partial one, with a warning that says what was decided. */
static struct bw_nest *completed(struct bw_session *session, const char *path,
				 const struct bw_schedule *schedule, struct bw_error *error)
{
	struct bw_constraint *list = BW_NEW_ARRAY(struct bw_constraint, schedule->n_funcs);
	struct bw_constraints with = {.n = bw_schedule_constraints(schedule, list), .list = list};
	struct bw_search_options options = session->options;
	const struct bw_state *const *states;
	struct bw_nest *nest = NULL;
	options.staging = options.staging && !schedule->unstaged;
	struct bw_search *search = bw_search_fork(session->search, &options, &with);
	if (bw_search_advance(search, INT_MAX, NULL, error) == BW_SEARCH_DONE &&
	    bw_search_beam(search, bw_search_reached(search), &states) > 0)
		nest = bw_nest_keep(states[0]->nest);
	if (nest)
		warn_decided(session, path, schedule, search, nest);
	else
		bw_fail_in(error, "%s", path);
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
		nest = completed(session, path, schedule, error);
	}
	bw_schedule_drop(schedule);
	return nest;
}
