/* Schedules on their way out: as Halide C++ to paste into a generator, or as JSON. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "command/commands.h"
#include "command/facts.h"
#include "command/report.h"
#include "figures/graph.h"
#include "schedule/export.h"
#include "schedule/lower.h"
#include "session/decisions.h"

/* What the schedule is for and what is predicted of it. */
static void print_note(struct bw_session *session, const struct bw_nest *nest, struct bw_text *note)
{
	struct bw_arena *arena = bw_arena_new();
	const struct bw_settings *options = &session->options;
	bw_text_printf(note, "for %s, %s %.4g %s", options->device->name, options->model->title,
		       bw_session_cost_of(session, nest, arena).total, options->model->said);
	for (int i = 0; i < session->source.generator.n_args; i++)
		bw_text_printf(note, "%s %s", i ? "" : "; generator arguments", session->source.generator.args[i]);
	bw_arena_free(arena);
}

/* Appends what `beamwalk regress` reads to exported C++: the facts and the schedule's text, as comments. */
static void print_facts(struct bw_session *session, const struct bw_nest *nest, struct bw_text *out)
{
	struct bw_schedule *schedule = bw_nest_schedule(nest);
	struct bw_text text = {0};
	bw_schedule_print(session->pipeline, schedule, &text);
	bw_text_puts(out, "\n// Its schedule file, and what was true of it, for `beamwalk regress`:\n");
	bw_facts_print(session, nest, "// ", out);
	for (const char *line = bw_text_get(&text), *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		bw_text_printf(out, BW_FACTS_SCHEDULE "%s%.*s\n", end > line ? " " : "", (int)(end - line), line);
	}
	bw_text_free(&text);
	bw_schedule_drop(schedule);
}

/* Puts the facts into an export as JSON. */
static void add_facts(struct bw_session *session, const struct bw_nest *nest, struct bw_text *out)
{
	json_t *object = json_loads(bw_text_get(out), 0, NULL);
	json_object_set_new(object, "facts", bw_facts_of(session, nest));
	bw_text_clear(out);
	bw_json_put_line(out, object, JSON_INDENT(2));
}

bool bw_report_export(struct bw_session *session, const struct bw_nest *nest,
		      const struct bw_report_form *form, struct bw_text *out, struct bw_error *error)
{
	struct bw_directives *directives = bw_lower(nest, error);
	if (!directives)
		return false;
	struct bw_text note = {0};
	struct bw_schedule *schedule = bw_nest_schedule(nest);
	print_note(session, nest, &note);
	struct bw_export export = {session->pipeline, schedule,        directives,        form->func,
				   form->halide,      PACKAGE_VERSION, bw_text_get(&note)};
	bool good = form->json ? bw_export_json(&export, out, error) : bw_export_cpp(&export, out, error);
	if (good && form->json)
		add_facts(session, nest, out);
	else if (good)
		print_facts(session, nest, out);
	bw_text_free(&note);
	bw_schedule_drop(schedule);
	bw_directives_free(directives);
	return good;
}

/* Cuts the name of a Func off the end of `FILE FUNC`; NULL if the last word is none, then all of it
 * is the file. */
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
	struct bw_arena *arena = bw_arena_new();
	struct bw_graph graph = bw_graph_of(bw_session_state(session)->nest, bw_session_cost(session), arena);
	struct bw_text text = {0};
	bw_graph_dot(session->pipeline, &graph, &text);
	bool good = bw_file_write(call->rest, bw_text_get(&text), text.length, call->error);
	if (good)
		bw_session_say(call, "graph of state %d exported to %s for Graphviz",
			       session->selection.state + 1, call->rest);
	bw_text_free(&text);
	bw_arena_free(arena);
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
	char *file = bw_strdup(call->rest);
	struct bw_report_form form = {.func = cut_func(session, file)};
	form.json = bw_ends_with(file, ".json");
	struct bw_text text = {0};
	bool good = bw_report_export(session, nest, &form, &text, call->error) &&
		    bw_file_write(file, bw_text_get(&text), text.length, call->error);
	if (good)
		bw_session_say(call, "%s%sstate %d exported to %s as %s", form.func ? form.func : "",
			       form.func ? " of " : "", session->selection.state + 1, file,
			       form.json ? "JSON" : "Halide C++; its comment says how to use it");
	bw_text_free(&text);
	free(file);
	return good;
}
