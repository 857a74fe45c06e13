/* Reads schedule files, and completes partial ones: the search decides the Funcs that a file leaves
 * out. */
#include <ctype.h>

#include "schedulers/scheduler.h"
#include "session/core.h"

/* Holds the Funcs that a schedule mentions. */

void bw_schedule_hold(struct call *call, const char *line, const struct bw_schedule *schedule,
		      const char *how)
{
	struct bw_session *session = call->session;
	const struct bw_constraints *now = bw_search_constraints(session->search);
	BW_SCOPED_MEMORY struct bw_constraint *list =
	    BW_NEW_ARRAY(struct bw_constraint, session->pipeline->n_funcs + now->n);
	struct bw_constraints with = {0, list, now->n_free, now->free};
	for (int i = 0; i < now->n; i++)
		if (!schedule->placements[now->list[i].placement->func])
			list[with.n++] = now->list[i];
	int mentioned = bw_schedule_constraints(schedule, &list[with.n]);
	with.n += mentioned;
	struct bw_settings options = session->options;
	options.staging = 0;
	bw_session_change(session, line, schedule->unstaged ? &options : NULL, &with);
	bw_session_say(call, "%d Func%s held as %s%s%s%s", mentioned, mentioned == 1 ? "" : "s", how,
		       schedule->unstaged ? ", staging=0" : "", *session->warning ? "; " : "",
		       session->warning);
}

/* Journals the schedule itself, so that later changes to its file do not matter. */
char *bw_schedule_apply(struct call *call, const struct bw_schedule *schedule, const char *how)
{
	struct bw_text line = {0};
	bw_text_puts(&line, "apply ");
	bw_schedule_print_line(call->session->pipeline, schedule, &line);
	bw_schedule_hold(call, bw_text_get(&line), schedule, how);
	return bw_text_take(&line);
}

/* A schedule on one line, for the journal: its entries between braces, with bars between them. */

/* Replaces the first entry of a schedule with staging off. A Func with this name would be quoted. */
static const char unstaged[] = "staging off";

void bw_schedule_print_line(const struct bw_pipeline *pipeline, const struct bw_schedule *schedule,
			    struct bw_text *out)
{
	const char *between = schedule->unstaged ? " | " : "{";
	if (schedule->unstaged)
		bw_text_printf(out, "{%s", unstaged);
	for (int f = pipeline->n_funcs - 1; f >= 0; f--) {
		if (!schedule->placements[f])
			continue;
		bw_text_puts(out, between);
		bw_placement_print(pipeline, schedule->placements[f], out);
		between = " | ";
	}
	bw_text_puts(out, *between == '{' ? "{}" : "}");
}

/* Returns the end of an entry: a bar or the last brace, outside quotes; NULL if there is none. */
static const char *entry_end(const char *text)
{
	for (bool quoted = false; *text; text++) {
		if (*text == '"')
			quoted = !quoted;
		else if (*text == '\\' && quoted && text[1])
			text++;
		else if (!quoted && (*text == '|' || *text == '}'))
			return text;
	}
	return NULL;
}

static bool read_entry(const struct bw_session *session, const char *text, size_t length, bw_each_entry *each,
		       void *data, struct bw_error *error)
{
	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	BW_SCOPED_MEMORY char *entry = bw_strdup(text);
	entry[length] = 0;
	BW_SCOPED_PLACEMENT *placement = bw_placement_parse(session->pipeline, entry, error);
	bool good = placement && bw_placement_searched(session->pipeline, "", placement, error) &&
		    each(entry, placement, data, error);
	if (!good)
		bw_fail_in(error, "\"%.60s\"", entry);
	return good;
}

bool bw_line_each_entry(const struct bw_session *session, const char *line, bw_each_entry *each, void *data,
			struct bw_error *error)
{
	const char *at = line + 1 + strspn(line + 1, " \t"), *end = at;
	bool good = true;
	while (good && (end = entry_end(at)) && (*end == '|' || end > at)) {
		good = read_entry(session, at, (size_t)(end - at), each, data, error);
		if (*end == '}')
			break;
		at = end + 1 + strspn(end + 1, " \t");
	}
	if (good && (!end || *end != '}' || end[1]))
		good = bw_fail(error, BW_ERROR_USAGE, "expected entries with | between them and } behind the last");
	return good;
}

struct reading {
	const struct bw_session *session;
	struct bw_schedule *schedule;
};

static bool set_entry(const char *entry, const struct bw_placement *placement, void *data,
		      struct bw_error *error)
{
	struct reading *reading = data;
	(void)entry;
	if (reading->schedule->placements[placement->func])
		return bw_fail(error, BW_ERROR_INPUT, "%s stands twice",
			       reading->session->pipeline->funcs[placement->func].name);
	bw_schedule_set(reading->schedule, placement);
	return true;
}

/* Returns true if a line says that staging is off, and advances *line to the bar or brace behind that
 * entry. */
static bool take_unstaged(const char **line)
{
	const char *at = *line + 1 + strspn(*line + 1, " \t");
	if (strncmp(at, unstaged, sizeof unstaged - 1) != 0)
		return false;
	at += sizeof unstaged - 1;
	at += strspn(at, " \t");
	if (*at != '|' && strcmp(at, "}") != 0)
		return false;
	*line = *at == '|' ? at : "{}";
	return true;
}

struct bw_schedule *bw_schedule_read_line(const struct bw_session *session, const char *line,
					  struct bw_error *error)
{
	struct reading reading = {session, bw_schedule_new(session->pipeline)};
	reading.schedule->unstaged = take_unstaged(&line);
	if (bw_line_each_entry(session, line, set_entry, &reading, error))
		return reading.schedule;
	bw_schedule_drop(reading.schedule);
	return NULL;
}

void bw_session_warn(struct bw_session *session, const char *words)
{
	size_t length = strlen(session->warning);
	snprintf(session->warning + length, sizeof session->warning - length, "%s%s", length ? "; " : "", words);
}

/* Returns the schedule read from a file. Returns NULL with an error if it names Funcs that the search cannot
 * place. */
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

/* Sets a warning that lists the placements decided by the search, as many as fit. */
static void warn_decided(struct bw_session *session, const char *path, const struct bw_schedule *schedule,
			 const struct bw_nest *nest)
{
	enum { ROOM = sizeof session->warning - 20 };
	BW_SCOPED_TEXT words = {0}, one = {0};
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
	free(order);
}

struct bw_nest *bw_report_nest(struct bw_session *session, const char *path, struct bw_error *error)
{
	BW_SCOPED_SCHEDULE *schedule = bw_session_read_schedule(session, path, error);
	return schedule ? bw_schedule_nest(session->pipeline, schedule, error) : NULL;
}

struct bw_nest *bw_report_whole_nest(struct bw_session *session, const char *path, struct bw_error *error)
{
	BW_SCOPED_SCHEDULE *schedule = bw_session_read_schedule(session, path, error);
	struct bw_nest *nest = schedule ? bw_schedule_nest(session->pipeline, schedule, error) : NULL;
	if (nest && !bw_nest_complete(nest)) {
		bw_nest_drop(nest);
		nest = bw_schedule_completed(session->search, schedule, NULL, error);
		if (nest)
			warn_decided(session, path, schedule, nest);
		else
			bw_fail_in(error, "%s", path);
	}
	return nest;
}
