/* A schedule on one line, for the journal: its entries between braces, with bars between them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "session/core.h"

/* What stands in the place of the first entry where nothing is staged; a Func of that name would be quoted.
 */
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

/* The end of an entry: a bar or the last brace, outside of quotes; NULL if there is none. */
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
	char *entry = bw_strdup(text);
	entry[length] = 0;
	const struct bw_placement *placement = bw_placement_parse(session->pipeline, entry, error);
	bool good = placement && bw_session_places(session, "", placement, error) &&
		    each(entry, placement, data, error);
	if (!good)
		bw_fail_in(error, "\"%.60s\"", entry);
	bw_placement_drop(placement);
	free(entry);
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

/* Returns true if a line says that nothing is staged; *line then goes on at the bar or brace behind
 * that. */
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
