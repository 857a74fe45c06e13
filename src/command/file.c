/* Commands that read and write files, and measurements. */
#include <limits.h>
#include <unistd.h>

#include "base/file.h"
#include "command/commands.h"
#include "command/report.h"
#include "figures/graph.h"
#include "session/comparison.h"
#include "session/counters.h"
#include "session/explain.h"
#include "session/improve.h"
#include "session/opinions.h"

static bool needs_file(struct call *call)
{
	if (*call->rest)
		return true;
	return bw_fail(call->error, BW_ERROR_USAGE, "%s which file?", call->line);
}

/* Returns true if the call names a file and may write it. */
static bool may_write(struct call *call)
{
	return needs_file(call) && bw_call_may(call, "write to", call->rest);
}

bool bw_command_save(struct call *call)
{
	BW_SCOPED_TEXT text = {0};
	if (!may_write(call))
		return false;
	bw_session_print_saved(call->session, call->session->cursor, &text);
	bool good = bw_file_write(call->rest, bw_text_get(&text), text.length, call->error);
	if (good)
		bw_session_say(call, "saved to %s", call->rest);
	return good;
}

bool bw_command_save_schedule(struct call *call)
{
	struct bw_session *session = call->session;
	if (!may_write(call))
		return false;
	struct bw_schedule *schedule = bw_nest_schedule(bw_session_state(session)->nest);
	BW_SCOPED_TEXT text = {0};
	bw_schedule_print(session->pipeline, schedule, &text);
	if (bw_nest_complete(bw_session_state(session)->nest)) {
		bw_text_puts(&text, "\n");
		bw_facts_print(session, bw_session_state(session)->nest, "# ", &text);
	}
	bool good = bw_file_write(call->rest, bw_text_get(&text), text.length, call->error);
	bw_schedule_drop(schedule);
	if (good)
		bw_session_say(call, "schedule of state %d written to %s", session->selection.state + 1, call->rest);
	return good;
}

/* Runs the lines of a file. Unless the file is trusted, its lines may neither run programs nor write
 * files. */
static bool replay(struct call *call, const char *path, bool trusted)
{
	bool before = bw_session_distrust(call->session, trusted);
	bool good = bw_session_replay_file(call->session, path, call->out, call->error);
	bw_session_restore_trust(call->session, before);
	return good;
}

bool bw_command_load(struct call *call)
{
	struct bw_session *session = call->session;
	struct bw_constraints none = {0};
	BW_SCOPED_TEXT text = {0};
	bool trusted = strncmp(call->rest, "--trust ", 8) == 0;
	if (trusted)
		call->rest += 8 + strspn(call->rest + 8, " \t");
	if (!needs_file(call) || !bw_file_read(call->rest, 1 << 24, &text, call->error))
		return false;
	int done = bw_journal_done(session), cursor = session->cursor;
	struct bw_selection selection = session->selection;
	session->cursor = 0;
	session->target = -1;
	if (bw_search_constraints(session->search)->n || bw_search_constraints(session->search)->n_free)
		bw_session_change(session, "unfreeze --forget", NULL, &none);
	bool good = replay(call, call->rest, trusted);
	if (good)
		bw_session_tell_loaded(call, bw_text_get(&text));
	else
		bw_session_return(session, done, cursor, &selection);
	return good;
}

bool bw_command_screenshot(struct call *call)
{
	const struct bw_hooks *hooks = bw_session_hooks(call->session);
	if (!may_write(call))
		return false;
	if (!hooks->draw)
		return bw_fail(call->error, BW_ERROR_FAILED, "this program was built without a screen");
	if (!hooks->draw(call->session, call->rest, 0, 0, hooks->screen, call->error))
		return false;
	bw_session_say(call, "screen saved to %s", call->rest);
	return true;
}

/* Loads the stored measurements of the pipeline for the report. If that fails, the report is written without
 * them. */
static void load_measured(struct bw_session *session)
{
	struct bw_error ignored;
	char message[sizeof session->message];
	memcpy(message, session->message, sizeof message);
	bw_session_run(session, "measured", NULL, &ignored);
	memcpy(session->message, message, sizeof message);
}

bool bw_command_report(struct call *call)
{
	BW_SCOPED_TEXT page = {0};
	if (!may_write(call) || !bw_file_suits(call->rest, "a page for browsers", "html htm", call->error))
		return false;
	load_measured(call->session);
	const struct bw_hooks *hooks = bw_session_hooks(call->session);
	if (!hooks->page)
		return bw_fail(call->error, BW_ERROR_FAILED, "nothing here writes reports; `beamwalk report` does");
	bool good = hooks->page(call->session, &page, call->error) &&
		    bw_file_write(call->rest, bw_text_get(&page), page.length, call->error);
	if (good)
		bw_session_say(call, "report on state %d written to %s", call->session->selection.state + 1, call->rest);
	return good;
}

/* Warns if the device of predictions cannot launch a kernel, or if the search would refuse a vector. The
 * measuring device may be another one. */
static void warn_launch(struct bw_session *session, const struct bw_nest *nest)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	BW_SCOPED_TEXT why = {0};
	int n;
	struct bw_kernel_facts *facts = bw_kernel_facts(nest, session->options.device, NULL, NULL, arena, &n);
	for (int k = 0; k < n && !why.length; k++)
		if (!bw_kernel_fits(session->pipeline, &facts[k], session->options.device, &why))
			bw_session_warn(session, bw_text_get(&why));
	bw_text_clear(&why);
	if (!bw_rules_vectors(nest, &session->options, &why))
		bw_session_warn(session, bw_text_get(&why));
}

/* Returns the nest before the newest command, which must be complete, and sets its label. */
static struct bw_nest *before_nest(struct call *call, char **label)
{
	const struct bw_nest *nest = bw_nest_before(call);
	bool good =
	    nest &&
	    (bw_nest_complete(nest) ||
	     bw_fail(call->error, BW_ERROR_FAILED,
		     "the search before the newest command had not come to its end here; `run` goes there"));
	*label = good ? bw_strdup(BW_BEFORE) : NULL;
	return good ? bw_nest_keep((struct bw_nest *)nest) : NULL;
}

/* Returns the complete nest that a command names: a state's (default: the selected one), a scheduler's, or
 * that of a schedule file; drop it. If the device of predictions cannot launch a kernel of the file's nest,
 * warns. Sets *label to the name; free(). Returns NULL with an error. */
static struct bw_nest *named_nest(struct call *call, char **label)
{
	struct bw_session *session = call->session;
	struct bw_error error;
	int rank = session->selection.state;
	if (!strcmp(call->rest, BW_BEFORE))
		return before_nest(call, label);
	if (*call->rest && !bw_select_state(session, call->rest, &rank, &error)) {
		if (bw_scheduler_find(call->rest, &error)) {
			struct bw_nest *found = bw_opinion_nest(session, call->rest, call->error);
			*label = found ? bw_strdup(call->rest) : NULL;
			return found;
		}
		if (!strpbrk(call->rest, "./")) {
			bw_select_state(session, call->rest, &rank, call->error);
			return NULL;
		}
		struct bw_nest *nest = bw_report_whole_nest(session, call->rest, call->error);
		if (nest)
			warn_launch(session, nest);
		*label = nest ? bw_strdup(call->rest) : NULL;
		return nest;
	}
	struct bw_nest *nest = bw_search_state(session->search, session->cursor, rank)->nest;
	if (!bw_nest_complete(nest)) {
		bw_fail(call->error, BW_ERROR_FAILED,
			"state %d is not complete at decision %d; `run` goes to the end of the search",
			rank + 1, session->cursor);
		return NULL;
	}
	*label = bw_format("state %d", rank + 1);
	return bw_nest_keep(nest);
}

/* Reports that the schedule is being compiled, waits for others, or was requested before. If a stored time
 * was found, reports that measurement. */
static void say_begun(struct call *call, const char *label, enum bw_timed timed)
{
	static const char *const words[] = {[BW_TIMED_BEGUN] = "compiling",
					    [BW_TIMED_WAITS] =
						"waits for what is compiled and measured before it",
					    [BW_TIMED_BEFORE] = "is being compiled or measured already"};
	struct bw_session *session = call->session;
	const struct bw_timing *timing = &session->timings[session->asked];
	char line[sizeof session->message];
	bw_timing_tell(timing, line, sizeof line);
	if (*timing->stored)
		bw_session_say(call, "%s", line);
	else
		bw_session_say(call, "%s: %s%s%s", label, words[timed], *session->warning ? "; " : "", session->warning);
}

static bool start(struct call *call, enum bw_purpose purpose)
{
	int top = bw_top_time(call, purpose);
	if (top)
		return top > 0;
	bool hand = !strcmp(call->rest, BW_HAND);
	BW_SCOPED_MEMORY char *label = hand ? bw_strdup(BW_HAND) : NULL;
	BW_SCOPED_NEST *nest = hand ? NULL : named_nest(call, &label);
	enum bw_timed timed =
	    hand || nest ? bw_session_time(call->session, nest, label, purpose, call->error) : BW_TIMED_NOT;
	bool good = timed != BW_TIMED_NOT;
	if (good)
		say_begun(call, label, timed);
	return good;
}

bool bw_command_time(struct call *call)
{
	return start(call, BW_TO_TIME);
}

bool bw_command_counters(struct call *call)
{
	return start(call, BW_TO_COUNT);
}

/* Shows only the code of one Func: the named one or, without a name, that of the selected line. If the name
 * is `all`, or if no name is given while one Func is shown, shows the code of all Funcs. */
static bool show_code_func(struct call *call, const char *name)
{
	struct bw_session *session = call->session;
	const struct bw_code_kernel *kernel;
	int func = -1, loop = *name ? 0 : bw_session_code_loop(session, &kernel);
	bool all = *name ? !strcmp(name, "all") && bw_pipeline_find(session->pipeline, name) < 0
			 : session->selection.one_func;
	if (*name && !all && !bw_select_func(session, name, &func, call->error))
		return false;
	if (!*name && !all && !bw_session_code(session, 0, false))
		return bw_fail(call->error, BW_ERROR_FAILED, "there is no code yet; `code` compiles the selected state");
	if (!*name && !all && !loop)
		return bw_fail(call->error, BW_ERROR_FAILED, "the selected line of code belongs to no Func; `code func FUNC` names one");
	bw_session_show_code_func(session, all ? -1 : loop ? kernel->loops[loop].func : func);
	return true;
}

bool bw_command_code(struct call *call)
{
	struct bw_session *session = call->session;
	struct call whole = *call;
	if (!strncmp(call->rest, "func", 4) && (!call->rest[4] || call->rest[4] == ' ')) {
		if (!show_code_func(call, call->rest + 4 + strspn(call->rest + 4, " ")))
			return false;
		if (bw_session_code(session, 0, false))
			return bw_session_run(session, "view code", NULL, call->error);
		whole.rest = "";
		call = &whole;
	}
	struct bw_selection *selection = &session->selection;
	selection->line = -1;
	selection->code = 0;
	selection->code_at = bw_session_code_shown(session);
	const struct bw_timing *known = *call->rest ? NULL : bw_session_code(session, 0, false);
	if (!(known && !known->sampled) && !start(call, BW_TO_COUNT))
		return false;
	if (*call->rest)
		selection->code = session->timings[session->asked].schedule;
	return bw_session_run(session, "view code", NULL, call->error);
}

bool bw_command_verify(struct call *call)
{
	enum { BEST = 5 };
	struct call of = *call;
	char best[32];
	if (strspn(call->rest, "0123456789") == strlen(call->rest)) {
		snprintf(best, sizeof best, "top %.20s", call->rest);
		if (!*call->rest)
			snprintf(best, sizeof best, "top %d", BEST);
		of.rest = best;
	} else if (!strcmp(call->rest, BW_HAND)) {
		of.rest = call->session->source.hand;
	}
	return of.rest ? start(&of, BW_TO_VERIFY)
		       : bw_fail(call->error, BW_ERROR_FAILED, "the schedule by hand is in the generator's C++ alone");
}

bool bw_command_compile(struct call *call)
{
	return start(call, BW_TO_ASSEMBLE);
}

bool bw_command_minimal(struct call *call)
{
	struct bw_session *session = call->session;
	bool hand = !strcmp(call->rest, BW_HAND);
	if (hand && !session->source.hand)
		return bw_fail(call->error, BW_ERROR_FAILED, "the schedule by hand is in the generator's C++ alone");
	BW_SCOPED_MEMORY char *label = hand ? bw_strdup(BW_HAND) : NULL;
	struct bw_nest *nest = hand ? bw_report_whole_nest(session, session->source.hand, call->error)
				    : named_nest(call, &label);
	if (nest) {
		if (bw_minimal_begin(session, nest, label))
			bw_session_say(call, "finding the fewest Funcs that give %s", label);
		else if (call->out)
			bw_minimal_print(session, call->out);
	}
	bw_nest_drop(nest);
	return nest;
}

/* Returns the schedule from which `improve` starts: the named one; without a name, the one by hand if a file
 * has it, else the best state's. Sets *label (free()), and the text of directives that cannot be expressed.
 * Returns NULL with an error. */
static struct bw_schedule *improved_from(struct call *call, char **label, struct bw_text *unsaid)
{
	struct bw_session *session = call->session;
	struct bw_error ignored;
	int rank;
	if (!strcmp(call->rest, BW_HAND) || (!*call->rest && (session->source.hand || session->source.near_hand))) {
		*label = bw_strdup(BW_HAND);
		return bw_improve_hand(session, unsaid, call->error);
	}
	if (!strcmp(call->rest, "runner-up")) {
		int all, n;
		bw_regrets_finish(session, INT_MAX);
		*label = bw_strdup(call->rest);
		if (bw_regret_better(session))
			return bw_nest_schedule(bw_regret_better(session));
		n = bw_regrets_progress(session, &all);
		if (!all)
			bw_fail(call->error, BW_ERROR_FAILED,
				"runners-up are priced at the end of the search; `run` goes there");
		else if (n < all)
			bw_fail(call->error, BW_ERROR_FAILED,
				"%d of %d runners-up are priced, none below the best so far; ask again", n, all);
		else
			bw_fail(call->error, BW_ERROR_FAILED, "no runner-up ends below the best");
		return NULL;
	}
	bool known = !*call->rest || !strcmp(call->rest, BW_BEFORE) ||
		     bw_select_state(session, call->rest, &rank, &ignored) ||
		     bw_scheduler_find(call->rest, &ignored);
	bool hash = strlen(call->rest) >= 8 && !call->rest[strspn(call->rest, "0123456789abcdef")];
	if (!known && (hash || strpbrk(call->rest, "./"))) {
		*label = bw_strdup(call->rest);
		return hash ? bw_improve_stored(session, call->rest, call->error)
			    : bw_session_read_schedule(session, call->rest, call->error);
	}
	BW_SCOPED_SUGGESTION own = {.unknown = call->rest};
	bw_suggestion_add(&own, "runner-up");
	if (!known && own.nearest) {
		bw_fail(call->error, BW_ERROR_USAGE, "\"%s\" is no schedule here; %s", call->rest, bw_suggestion_say(&own, NULL));
		return NULL;
	}
	BW_SCOPED_NEST *nest = named_nest(call, label);
	return nest ? bw_nest_schedule(nest) : NULL;
}

/* Cuts `N changes` and `free FUNC...` off the end of the arguments. Returns false with an error. */
static bool cut_limits(struct call *call, char *rest, int *most, bool *freed)
{
	const struct bw_pipeline *pipeline = call->session->pipeline;
	char *word, *at = strstr(rest, "free ");
	if (at && (at == rest || at[-1] == ' '))
		at[at > rest ? -1 : 0] = 0;
	else
		at = NULL;
	BW_SCOPED_MEMORY char *named = bw_strdup(at ? at + 5 : "");
	char *limits[] = {rest, named};
	for (int i = 0; i < 2; i++) {
		size_t length = strlen(limits[i]), tail = strlen(" changes");
		char *number = length > tail && !strcmp(limits[i] + length - tail, " changes") ? limits[i] + length - tail : NULL;
		if (!number)
			continue;
		*number = 0;
		number = strrchr(limits[i], ' ') ? strrchr(limits[i], ' ') : limits[i];
		long n;
		if (!bw_read_number(number, 1, 1 << 20, &n))
			return bw_fail(call->error, BW_ERROR_USAGE, "improve takes a number of changes from 1 on, not \"%s\"",
				       number + strspn(number, " "));
		*most = (int)n;
		*number = 0;
	}
	for (char *left = named; (word = strsep(&left, " ,"));) {
		int func;
		if (!*word)
			continue;
		if (!strcmp(word, "all"))
			memset(freed, true, (size_t)pipeline->n_funcs + 1);
		else if (!strcmp(word, "staging"))
			freed[pipeline->n_funcs] = true;
		else if (bw_select_func(call->session, word, &func, call->error))
			freed[func] = true;
		else
			return false;
	}
	return true;
}

bool bw_command_improve(struct call *call)
{
	size_t length = strlen(call->rest);
	if (strchr(call->rest, '{') && call->rest[length - 1] == '}')
		return bw_improve_replay(call);
	BW_SCOPED_MEMORY char *rest = bw_strdup(call->rest);
	BW_SCOPED_MEMORY char *label = NULL;
	BW_SCOPED_MEMORY bool *freed = BW_NEW_ARRAY(bool, call->session->pipeline->n_funcs + 1);
	BW_SCOPED_TEXT unsaid = {0};
	int most = INT_MAX;
	if (!cut_limits(call, rest, &most, freed))
		return false;
	call->rest = rest;
	BW_SCOPED_SCHEDULE *start = improved_from(call, &label, &unsaid);
	struct bw_improve_request request = {start, label, bw_text_get(&unsaid), freed, most};
	return start && bw_improve_begin(call, &request);
}

bool bw_command_script(struct call *call)
{
	return needs_file(call) && bw_session_run_file(call->session, call->rest, call->out, call->error);
}

/* Putting schedule files and options into force. */

/* Reads a schedule: from the named file, or written out as in the journal. */
static struct bw_schedule *read_schedule(struct call *call, const char *said)
{
	return *said == '{' ? bw_schedule_read_line(call->session, said, call->error)
			    : bw_session_read_schedule(call->session, said, call->error);
}

/* Holds every Func that a schedule file mentions. */
static bool apply(struct call *call, const char *path)
{
	if (!*path)
		return bw_fail(call->error, BW_ERROR_USAGE, "apply which file?");
	BW_SCOPED_SCHEDULE *schedule = read_schedule(call, path);
	if (!schedule)
		return false;
	BW_SCOPED_MEMORY char *how = bw_format(*path == '{' ? "written" : "in %s", path);
	free(bw_schedule_apply(call, schedule, how));
	return true;
}

bool bw_command_apply(struct call *call)
{
	return apply(call, call->rest);
}

/* Shows the search options, and the place of measurements, which is not an option of the search. */
static void show_options(struct call *call)
{
	const char *command = bw_bench_command(call->session->bench);
	if (!call->out)
		return;
	bw_settings_print(&call->session->options, call->out);
	bw_text_printf(call->out, "%-25s %-28s %s\n%55s%s\n", "on", command ? command : "",
		       "command of the worker that measures, as in on=ssh HOST", "",
		       "beamwalk-bench; empty: on this machine");
}

/* Sets one option. Journals and reports it with the name and value as in the table. */
static void set_option(struct call *call, const struct bw_assignment *assignment,
		       const struct bw_settings *options)
{
	struct bw_session *session = call->session;
	BW_SCOPED_TEXT line = {0};
	bw_text_printf(&line, "set %s=", assignment->option->name);
	bw_setting_print(assignment->option, options, &line);
	if (!bw_settings_equal(options, &session->options))
		bw_session_change(session, bw_text_get(&line), options, NULL);
	bw_session_say(call, "%s", bw_text_get(&line) + strlen("set "));
}

bool bw_command_set(struct call *call)
{
	struct bw_session *session = call->session;
	struct bw_settings options = session->options;
	struct bw_assignment assignment;
	if (!*call->rest) {
		show_options(call);
		return true;
	}
	if (strncmp(call->rest, "on=", 3) == 0) {
		if (call->rest[3] && !bw_call_may(call, "run", call->rest + 3))
			return false;
		bw_session_use(session, call->rest + 3);
		bw_session_ask(session);
		bw_session_say(call, "measurements run %s%s", call->rest[3] ? "in " : "on this machine", call->rest + 3);
		return true;
	}
	if (!bw_assignment_read(call->rest, &assignment, call->error))
		return false;
	if (assignment.option->kind == BW_SETTING_SCHEDULE)
		return apply(call, assignment.value);
	if (!bw_settings_assign(&assignment, session->devices, session->n_devices, &options, call->error))
		return false;
	if (assignment.option->kind == BW_SETTING_RETIRED)
		bw_session_say(call, "%s %s", assignment.option->name, assignment.option->meaning);
	else
		set_option(call, &assignment, &options);
	return true;
}

/* Cuts the name of a Func off the end of `FILE FUNC`. Returns NULL if the last word is not a Func: then all
 * of `rest` is the file. */
static const char *cut_func(const struct bw_session *session, char *rest)
{
	char *blank = strrchr(rest, ' ');
	int func = blank ? bw_pipeline_find(session->pipeline, blank + 1) : -1;
	if (func < 0)
		return NULL;
	*blank = 0;
	return session->pipeline->funcs[func].name;
}

/* Writes the graph of the selected state, which may be incomplete. */
static bool export_graph(struct call *call)
{
	struct bw_session *session = call->session;
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct bw_graph graph = bw_graph_of(bw_session_state(session)->nest, bw_session_cost(session), arena);
	BW_SCOPED_TEXT text = {0};
	bw_graph_dot(session->pipeline, &graph, &text);
	bool good = bw_file_write(call->rest, bw_text_get(&text), text.length, call->error);
	if (good)
		bw_session_say(call, "graph of state %d exported to %s for Graphviz",
			       session->selection.state + 1, call->rest);
	return good;
}

bool bw_command_export(struct call *call)
{
	struct bw_session *session = call->session;
	const struct bw_nest *nest = bw_session_state(session)->nest;
	if (!*call->rest)
		return bw_fail(call->error, BW_ERROR_USAGE, "export to which file?");
	if (!bw_call_may(call, "write to", call->rest))
		return false;
	int top = bw_top_export(call);
	if (top)
		return top > 0;
	if (bw_ends_with(call->rest, ".dot"))
		return export_graph(call);
	if (!bw_nest_complete(nest))
		return bw_fail(call->error, BW_ERROR_FAILED,
			       "state %d is not complete at decision %d; `run` goes to the end of the search",
			       session->selection.state + 1, session->cursor);
	BW_SCOPED_MEMORY char *file = bw_strdup(call->rest);
	struct bw_report_form form = {.func = cut_func(session, file)};
	bool replaced = !access(file, F_OK);
	BW_SCOPED_TEXT text = {0};
	bool good = bw_report_form_of(file, &form, call->error) &&
		    bw_report_export(session, nest, &form, &text, call->error) &&
		    bw_file_write(file, bw_text_get(&text), text.length, call->error);
	if (good)
		bw_session_say(call, "%s%sstate %d exported %s %s as %s", form.func ? form.func : "",
			       form.func ? " of " : "", session->selection.state + 1, replaced ? "over" : "to", file,
			       form.json ? "JSON" : "Halide C++; its comment says how to use it");
	return good;
}
