/* Commands that move the cursor or the selection, or explain. They discard no results. */
#include <limits.h>

#include "command/commands.h"
#include "session/alternatives.h"
#include "session/counters.h"
#include "session/explain.h"
#include "session/opinions.h"
#include "session/tuning.h"

/* Moves the cursor to a position. If the search has not reached the position, it runs there first. */
static bool session_move(struct call *call, int position)
{
	struct bw_session *session = call->session;
	int n = bw_search_n_decisions(session->search), reached = bw_search_reached(session->search);
	bw_session_set_until(session, &(struct bw_until){0});
	position = position < 0 ? 0 : position > n ? n : position;
	if (position <= reached) {
		session->cursor = position;
		session->target = -1;
	} else {
		session->cursor = reached;
		session->target = position;
	}
	session->selection.option = session->selection.group = -1;
	session->selection.alternative = 0;
	if (position < n)
		session->selection.func = bw_search_decision(session->search, position)->func;
	BW_SCOPED_TEXT name = {0};
	bw_session_decision_name(session, position, &name);
	bw_session_say(call, "at %d of %d: %s", position, n, bw_text_get(&name));
	return true;
}

/* Returns true if a decision leaves nothing to choose in any state: a tiling decision, where no state has the
 * Func at root. */
static bool idle(const struct bw_session *session, int index)
{
	if (index >= bw_search_reached(session->search))
		return false;
	const struct bw_decision *decision = bw_search_decision(session->search, index);
	const struct bw_state *const *states;
	int n = bw_search_beam(session->search, index, &states);
	return decision->phase == BW_PHASE_TILE && decision->enumerated == n && decision->costed == n;
}

/* Returns the end (forward) or the start of the pass at a position. If the position is already there, returns
 * that of the next pass in this direction. */
static int edge_of_pass(const struct bw_session *session, int position, int direction)
{
	struct bw_pass pass = bw_explain_pass_at(session, position);
	int first = bw_search_first_pass(session->search), last = bw_settings_passes(&session->options);
	int edge = direction > 0 ? pass.end : pass.begin;
	if (edge != position)
		return edge;
	if (direction > 0)
		return bw_explain_pass_number(session, pass.number < last ? pass.number + 1 : last).end;
	return bw_explain_pass_number(session, pass.number > first ? pass.number - 1 : first).begin;
}

/* Selects the next or previous option in the order of enumeration, and shows its fate. Past the last one,
 * leaves the decision. */
static bool move_option(struct call *call, int direction)
{
	struct bw_session *session = call->session;
	const struct bw_expansion *expansion = bw_session_expansion(session);
	int option = session->selection.option + direction;
	if (expansion && session->selection.option < 0)
		option = direction > 0 ? 0 : expansion->n - 1;
	if (!expansion || option < 0 || option >= expansion->n)
		return session_move(call, session->cursor + direction);
	session->selection.option = option;
	session->selection.group = -1;
	BW_SCOPED_TEXT text = {0};
	bw_why_option(session, &expansion->options[option], &text);
	bw_session_say(call, "%d of %d: %.*s", option + 1, expansion->n,
		       (int)strcspn(bw_text_get(&text), "\n"), bw_text_get(&text));
	return true;
}

static bool move_by(struct call *call, int direction)
{
	const struct bw_session *session = call->session;
	int n = bw_search_n_decisions(session->search),
	    at = direction > 0 && session->target > session->cursor ? session->target : session->cursor;
	long count;
	if (bw_read_number(call->rest, 1, LONG_MAX, &count))
		return session_move(call, at + direction * (int)(count < n ? count : n));
	static const char *const units[] = {"decision", "func", "pass", "option"};
	int unit = *call->rest ? bw_word_find(units, 4, call->rest, "unit", NULL) : 0;
	if (unit == 1) {
		at += direction;
		while (at > 0 && at < n && bw_search_decision(session->search, at)->phase == BW_PHASE_TILE)
			at += direction;
		return session_move(call, at);
	}
	if (unit == 2)
		return session_move(call, edge_of_pass(session, at, direction));
	if (unit == 3)
		return move_option(call, direction);
	if (unit < 0)
		return bw_fail(call->error, BW_ERROR_USAGE,
			       "%s takes decision, func, pass, option or a number of decisions from 1 on, not \"%s\"",
			       direction > 0 ? "step" : "back", call->rest);
	at += direction;
	while (at > 0 && at < n && idle(session, at))
		at += direction;
	return session_move(call, at);
}

bool bw_command_step(struct call *call)
{
	const struct bw_session *session = call->session;
	if (session->cursor >= bw_search_n_decisions(session->search))
		return bw_fail(call->error, BW_ERROR_FAILED, "this is the end of the search");
	return move_by(call, 1);
}

bool bw_command_back(struct call *call)
{
	if (call->session->cursor <= 0)
		return bw_fail(call->error, BW_ERROR_FAILED, "this is the start of the search");
	return move_by(call, -1);
}

static bool select_func(struct bw_session *session, const char *name, struct bw_error *error)
{
	int before = session->selection.func;
	if (!bw_select_func(session, name, &session->selection.func, error))
		return false;
	session->selection.alternative = session->selection.func == before ? session->selection.alternative : 0;
	return true;
}

/* Selects the next or previous Func, towards the inputs or the outputs, among those placed in the selected
 * state. Does not move the search. */
static bool select_near(struct bw_session *session, int direction, struct bw_error *error)
{
	const struct bw_pipeline *pipeline = session->pipeline;
	const struct bw_state *state = bw_session_state(session);
	int n = pipeline->n_funcs, func = session->selection.func;
	if (func < 0)
		func = direction > 0 ? n : -1;
	for (func -= direction; func >= 0 && func < n; func -= direction)
		if (state && state->nest->placed[func])
			return select_func(session, pipeline->funcs[func].name, error);
	return bw_fail(error, BW_ERROR_FAILED, "this is the %s Func that state %d places",
		       direction > 0 ? "last" : "first", session->selection.state + 1);
}

static bool select_state(struct bw_session *session, const char *name, struct bw_error *error)
{
	if (!bw_select_state(session, name, &session->selection.state, error))
		return false;
	session->selection.option = session->selection.group = -1;
	session->selection.alternative = 0;
	return true;
}

static bool select_option(struct bw_session *session, const char *name, struct bw_error *error)
{
	if (!bw_select_option(session, name, &session->selection.option, error))
		return false;
	session->selection.group = -1;
	return true;
}

static bool select_group(struct bw_session *session, const char *name, struct bw_error *error)
{
	if (!bw_select_group(session, name, &session->selection.group, error))
		return false;
	session->selection.option = -1;
	return true;
}

/* Selects an alternative for the selected Func by the number of its row, from 0. */
static bool select_alternative(struct bw_session *session, const char *name, struct bw_error *error)
{
	int n;
	long number;
	if (!bw_session_alternatives(session, &n))
		return bw_fail(error, BW_ERROR_FAILED, "there are alternatives for a selected Func that is placed");
	if (!bw_read_number(name, 0, n - 1, &number))
		return bw_fail(error, BW_ERROR_USAGE, "no alternative %s; there are 0 to %d", name, n - 1);
	session->selection.alternative = (int)number;
	return true;
}

static bool select_candidate(struct bw_session *session, const char *name, struct bw_error *error)
{
	const struct bw_walk_step *step = bw_session_step(session);
	if (!step)
		return bw_fail(error, BW_ERROR_FAILED, "no decision of a walk is selected; `walk back` goes to one");
	int found = bw_walk_find(bw_session_walk(session), session->selection.step, name, error);
	if (found >= 0)
		session->selection.candidate = found;
	return found >= -1;
}

static bool select_scheduler(struct bw_session *session, const char *name, struct bw_error *error)
{
	const struct bw_opinions *opinions = bw_session_opinions(session);
	int row = opinions ? bw_opinions_find(opinions, name) : -1;
	if (row < 0)
		return bw_fail(error, BW_ERROR_USAGE,
			       opinions ? "no scheduler \"%s\" there, as `scheduler` lists them"
					: "%s: no schedulers were compared; `compare --all` does", name);
	session->selection.opinion = row;
	return true;
}

static bool select_decision(struct bw_session *session, const char *name, struct bw_error *error)
{
	int position;
	if (!bw_select_position(session, name, &position, error))
		return false;
	session->selection.decision = position;
	session->selection.decision_at = session->cursor;
	return true;
}

static bool select_sample(struct bw_session *session, const char *name, struct bw_error *error)
{
	const struct bw_tuning_figures *figures = bw_session_tuning_figures(session);
	long number;
	if (!figures || !figures->n)
		return bw_fail(error, BW_ERROR_FAILED, "nothing was measured by a tuning yet; `tune` begins one");
	if (!bw_read_number(name, 1, figures->n, &number))
		return bw_fail(error, BW_ERROR_USAGE, "no sample %s; there are 1, the fastest, to %d", name, figures->n);
	session->selection.sample = (int)number - 1;
	return true;
}

static bool select_line(struct bw_session *session, const char *name, struct bw_error *error)
{
	long number;
	if (!bw_session_code(session, 0, false))
		return bw_fail(error, BW_ERROR_FAILED, "no code was compiled yet; `code` compiles the selected state");
	if (!bw_read_number(name, 1, INT_MAX, &number))
		return bw_fail(error, BW_ERROR_USAGE, "a line of code is a number from 1, not \"%s\"", name);
	session->selection.line = (int)number - 1;
	return true;
}

static bool select_column(struct bw_session *session, const char *name, struct bw_error *error)
{
	const struct bw_timing *timing = bw_session_code(session, 0, false);
	bool wanted = !strcmp(name, "statement"), next = !strcmp(name, "next");
	if (!wanted && !next && strcmp(name, "ptx"))
		return bw_fail(error, BW_ERROR_USAGE, "a column of the code is statement, ptx or next, not \"%s\"", name);
	if (!timing)
		return bw_fail(error, BW_ERROR_FAILED, "no code was compiled yet; `code` compiles the selected state");
	if ((wanted || next) && !bw_code_lines(timing->code, true))
		return bw_fail(error, BW_ERROR_FAILED,
			       "the statement that Halide lowers this schedule to is not known; `code` asks for it");
	if (next || wanted != bw_session_reads_statement(session, timing))
		bw_session_turn_column(session);
	return true;
}

bool bw_command_select(struct call *call)
{
	static const struct {
		const char *kind;
		bool (*select)(struct bw_session *session, const char *name, struct bw_error *error);
	} kinds[] = {{"func", select_func},
		     {"state", select_state},
		     {"option", select_option},
		     {"group", select_group},
		     {"alternative", select_alternative},
		     {"candidate", select_candidate},
		     {"scheduler", select_scheduler},
		     {"decision", select_decision},
		     {"sample", select_sample}, {"line", select_line}, {"column", select_column}};
	size_t length = strcspn(call->rest, " \t");
	const char *name = call->rest + length + strspn(call->rest + length, " \t");
	int line = call->session->selection.line;
	call->session->selection.line = -1;
	if (bw_pipeline_find(call->session->pipeline, call->rest) >= 0)
		return select_func(call->session, call->rest, call->error);
	if (!strcmp(call->rest, "next") || !strcmp(call->rest, "previous"))
		return select_near(call->session, *call->rest == 'n' ? 1 : -1, call->error);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (length && !strncmp(call->rest, kinds[i].kind, length)) {
			if (kinds[i].select == select_column)
				call->session->selection.line = line;
			return kinds[i].select(call->session, name, call->error);
		}
	return bw_fail(call->error, BW_ERROR_USAGE,
		       "select a Func by its name, next or previous, or func NAME, state NUMBER, option NAME or group NAME");
}

/* Explains the selection: the alternative that a view shows, or the selected option, or the Func decided at
 * the cursor by its best option, or another selected Func, or the selected state. */
static void why_selection(struct bw_session *session, struct bw_text *text)
{
	if (bw_why_alternative(session, text))
		return;
	const struct bw_expansion *expansion = bw_session_expansion(session);
	int option = session->selection.option, func = session->selection.func;
	if (expansion && option < 0 &&
	    (func < 0 || func == bw_search_decision(session->search, session->cursor)->func))
		option = bw_best_option(expansion);
	if (expansion && option >= 0)
		bw_why_option(session, &expansion->options[option], text);
	else if (func >= 0)
		bw_why_func(session, func, text);
	else
		bw_why_state(session, session->selection.state, text);
}

/* Explains the object with this name. Returns false if the name means nothing here. */
static bool why_named(struct bw_session *session, const char *name, struct bw_text *text)
{
	struct bw_error ignored;
	int index;
	if (bw_pipeline_find(session->pipeline, name) >= 0 && bw_select_func(session, name, &index, &ignored))
		bw_why_func(session, index, text);
	else if (bw_session_expansion(session) && bw_select_option(session, name, &index, &ignored))
		bw_why_option(session, &bw_session_expansion(session)->options[index], text);
	else if (bw_select_state(session, name, &index, &ignored))
		bw_why_state(session, index, text);
	else
		return false;
	return true;
}

/* Explains `A3 not C9`: the differences between two options of the decision at the cursor. */
static bool why_rather(struct call *call, struct bw_text *text)
{
	struct bw_session *session = call->session;
	const char *not = strstr(call->rest, " not ");
	BW_SCOPED_MEMORY char *first = bw_strdup(call->rest);
	const char *second = not + strlen(" not ");
	int a, b;
	first[not - call->rest] = 0;
	second += strspn(second, " \t");
	bool good = bw_select_option(session, first, &a, call->error) &&
		    bw_select_option(session, second, &b, call->error);
	if (good)
		bw_why_rather(session, &bw_session_expansion(session)->options[a],
			      &bw_session_expansion(session)->options[b], text);
	return good;
}

static bool fail_why(struct call *call)
{
	const struct bw_pipeline *pipeline = call->session->pipeline;
	BW_SCOPED_SUGGESTION known = {.unknown = call->rest};
	for (int f = pipeline->n_funcs - 1; f >= 0; f--)
		bw_suggestion_add(&known, pipeline->funcs[f].name);
	bw_suggestion_add(&known, "best");
	bw_suggestion_add(&known, "search");
	return bw_fail(call->error, BW_ERROR_USAGE,
		       "\"%s\" is no Func, no state here and no option of the decision at the cursor%s%s", call->rest,
		       known.nearest ? "; " : "", known.nearest ? bw_suggestion_say(&known, NULL) : "");
}

bool bw_command_why(struct call *call)
{
	struct bw_session *session = call->session;
	BW_SCOPED_TEXT text = {0};
	if (!strcmp(call->rest, "search"))
		bw_why_search(session, &text);
	else if (!*call->rest)
		why_selection(session, &text);
	else if (strstr(call->rest, " not ")) {
		if (!why_rather(call, &text))
			return false;
	} else if (!why_named(session, call->rest, &text))
		return fail_why(call);
	if (call->out)
		bw_text_append(call->out, text.bytes, text.length);
	snprintf(session->message, sizeof session->message, "%.*s", (int)strcspn(text.bytes, "\n"), text.bytes);
	return true;
}

/* Goes one command further on the way of `jump` to a point of the history: by a redo if the journal has the
 * command, else by running its line again. */
static bool go_on(struct call *call, int number)
{
	int done = bw_journal_done(call->session);
	if (done < call->session->n_journal && bw_journal_point(call->session, done) == number)
		return bw_session_redo(call);
	BW_SCOPED_MEMORY char *line = bw_strdup(bw_history_line(call->session, number));
	bool good = bw_session_run(call->session, line, NULL, call->error);
	bw_walking_finish(call->session);
	return good;
}

/* Bookmarks: places with a name. */

/* Appends the bookmarks, a line each, with the newest command there. */
static void list_bookmarks(const struct bw_session *session, struct bw_text *out)
{
	int n;
	const struct bw_bookmark *list = bw_session_bookmarks(session, &n);
	for (int i = 0; i < n; i++) {
		bool known = list[i].point && list[i].point <= bw_session_n_points(session);
		const char *line = known ? bw_history_line(session, list[i].point) : NULL;
		bw_text_printf(out, "%-12s decision %d, state %d%s%s; %s%.300s\n", list[i].name, list[i].position,
			       list[i].state + 1, list[i].func < 0 ? "" : ", ",
			       list[i].func < 0 ? "" : session->pipeline->funcs[list[i].func].name,
			       line ? "after " : list[i].point ? "its command was forgotten" : "at the beginning of the history",
			       line ? line : "");
	}
}

/* Names this place. */
static bool set_bookmark(struct call *call)
{
	struct bw_session *session = call->session;
	struct bw_bookmark bookmark = {.point = bw_session_point(session), .position = session->cursor,
				       .state = session->selection.state, .func = session->selection.func};
	const char *name = call->rest;
	if (strlen(name) >= sizeof bookmark.name || name[strcspn(name, " \t\"")] || !strcmp(name, "start") ||
	    !strcmp(name, "drop") || name[strspn(name, "0123456789")] == 0)
		return bw_fail(call->error, BW_ERROR_USAGE,
			       "a bookmark's name is a word of at most %zu bytes, no number, "
			       "and neither `start` nor `drop`: not \"%s\"",
			       sizeof bookmark.name - 1, name);
	memcpy(bookmark.name, name, strlen(name) + 1);
	if (!bw_session_set_bookmark(session, &bookmark))
		return bw_fail(call->error, BW_ERROR_FAILED,
			       "there are too many bookmarks; `bookmark drop NAME` drops one");
	bw_session_say(call, "bookmark %s is here; `jump %s` comes back", name, name);
	return true;
}

bool bw_command_bookmark(struct call *call)
{
	static const char drop[] = "drop ";
	BW_SCOPED_TEXT text = {0};
	if (!strncmp(call->rest, drop, sizeof drop - 1)) {
		const char *name = call->rest + sizeof drop - 1;
		name += strspn(name, " \t");
		if (!bw_session_drop_bookmark(call->session, name))
			return bw_fail(call->error, BW_ERROR_USAGE, "no bookmark \"%s\"; `bookmark` lists them", name);
		bw_session_say(call, "bookmark %s is gone", name);
		return true;
	}
	if (*call->rest)
		return set_bookmark(call);
	list_bookmarks(call->session, &text);
	if (!text.length)
		bw_text_puts(&text, "no bookmarks; `bookmark NAME` names this place, `jump NAME` comes back\n");
	if (call->out)
		bw_text_append(call->out, text.bytes, text.length);
	snprintf(call->session->message, sizeof call->session->message, "%.*s", (int)strcspn(text.bytes, "\n"),
		 text.bytes);
	return true;
}

/* Goes to the position and selection of a bookmark in the search of its point. */
static void stand_at(struct call *call, const struct bw_bookmark *bookmark)
{
	struct bw_session *session = call->session;
	struct bw_selection selection = session->selection;
	selection.state = bookmark->state;
	selection.func = bookmark->func;
	selection.option = selection.group = -1;
	bw_session_stand_at(session, bookmark->position, &selection);
	bw_session_say(call, "at the bookmark %s", bookmark->name);
}

static bool fail_jump(struct call *call, int n_points)
{
	int n;
	const struct bw_bookmark *bookmarks = bw_session_bookmarks(call->session, &n);
	BW_SCOPED_SUGGESTION known = {.unknown = call->rest};
	for (int i = 0; i < n; i++)
		bw_suggestion_add(&known, bookmarks[i].name);
	bw_suggestion_add(&known, "start");
	return bw_fail(
	    call->error, BW_ERROR_USAGE,
	    "no bookmark and no command \"%s\" in the history; %s%sthere are 0, the beginning, to %d (`view history`)",
	    call->rest, known.nearest ? bw_suggestion_say(&known, NULL) : "", known.nearest ? " " : "", n_points);
}

static bool read_number(struct call *call, int *number)
{
	int n_points = bw_session_n_points(call->session);
	char *end;
	long said = strtol(call->rest, &end, 10);
	*number = 0;
	const struct bw_bookmark *bookmark = bw_session_bookmark(call->session, call->rest);
	if (!*call->rest || !strcmp(call->rest, "start"))
		return true;
	if (bookmark) {
		*number = bookmark->point;
		return !*number || (*number <= n_points && bw_history_line(call->session, *number)) ||
		       bw_fail(call->error, BW_ERROR_FAILED, "the command of the bookmark %s was forgotten", call->rest);
	}
	if (*end || said < 0 || said > n_points || (said && !bw_history_line(call->session, (int)said)))
		return fail_jump(call, n_points);
	*number = (int)said;
	return true;
}

/* If a line cannot be run again, the session stays before that line. */
bool bw_command_jump(struct call *call)
{
	struct bw_session *session = call->session;
	struct call quiet = {.session = session, .line = "", .rest = "", .error = call->error};
	const struct bw_bookmark *bookmark = bw_session_bookmark(session, call->rest);
	int number, n, same = 0;
	if (!read_number(call, &number))
		return false;
	BW_SCOPED_MEMORY int *way = bw_history_way(session, number, &n);
	while (same < n && same < bw_journal_done(session) && bw_journal_point(session, same) == way[same])
		same++;
	while (bw_journal_done(session) > same)
		bw_session_undo(&quiet);
	bool good = true;
	for (int i = same; i < n && good; i++)
		good = go_on(&quiet, way[i]);
	int reached = bw_session_point(session);
	if (!good)
		snprintf(session->message, sizeof session->message, "%.400s; at command %d of the history",
			 call->error->text, reached);
	else if (bookmark)
		stand_at(call, bookmark);
	else if (number)
		bw_session_say(call, "at command %d of the history: %.400s", number, bw_history_line(call->session, number));
	else
		bw_session_say(call, "at the beginning of the history");
	session->message_is_error = !good;
	return true;
}

/* Runs the search to a decision, to the end of a pass, or until a cost. */

/* Reads a condition: `cost<0.12`, `cost > 0.05`. */
static bool read_until(const char *text, struct bw_until *until)
{
	char *end;
	text += strlen("cost");
	text += strspn(text, " \t");
	if (*text != '<' && *text != '>')
		return false;
	*until = (struct bw_until){.active = true, .less = *text == '<'};
	text++;
	text += strspn(text, " \t");
	until->cost = strtod(text, &end);
	return end > text && !*end && until->cost > 0 && until->cost < 1e300;
}

static bool run_until(struct call *call)
{
	struct bw_session *session = call->session;
	struct bw_until until;
	if (!read_until(call->rest, &until))
		return bw_fail(
		    call->error, BW_ERROR_USAGE,
		    "run cost<NUMBER stops at a schedule that costs less, run cost>NUMBER where the best so far costs more; not \"%s\"",
		    call->rest);
	bool active;
	bw_session_set_until(session, &until);
	int found = bw_until_position(session, session->cursor - 1, &active),
	    n = bw_search_n_decisions(session->search);
	bool there = found >= 0 || !active;
	char message[sizeof session->message];
	memcpy(message, session->message, sizeof message);
	struct call quiet = *call;
	quiet.out = NULL;
	if (!session_move(&quiet, found >= 0 ? found : n))
		return false;
	until.active = !there;
	bw_session_set_until(session, &until);
	bw_session_say(call, "%s", there ? message : "running");
	return true;
}

/* Runs to the end of the present or next pass (`pass`), or of the pass with a number (`pass 2`). */
static bool run_pass(struct call *call, const char *number)
{
	const struct bw_session *session = call->session;
	const struct bw_pass pass = bw_explain_pass_at(session, session->cursor);
	int first = bw_search_first_pass(session->search), last = bw_settings_passes(&session->options);
	char *end = "";
	long given =
	    *number ? strtol(number, &end, 10) : pass.number + (pass.end == session->cursor);
	if (*end || given < first || (*number && given > last))
		return bw_fail(call->error, BW_ERROR_USAGE, "no pass %s; there are %d to %d", number, first, last);
	given = given > last ? last : given;
	return session_move(call, bw_explain_pass_number(session, (int)given).end);
}

bool bw_command_run(struct call *call)
{
	int position;
	bool known = bw_pipeline_find(call->session->pipeline, call->rest) >= 0;
	if (!known && !strncmp(call->rest, "cost", 4) && strchr(" \t<>", call->rest[4]))
		return run_until(call);
	if (!known && !strncmp(call->rest, "pass", 4) && strchr(" \t", call->rest[4]))
		return run_pass(call, call->rest + 4 + strspn(call->rest + 4, " \t"));
	return bw_select_position(call->session, call->rest, &position, call->error) &&
	       session_move(call, position);
}
