/* Schedule files and options put into force. */
#include <stdlib.h>
#include <string.h>

#include "command/commands.h"

/* A schedule that is named, or written out as the journal has it. */
static struct bw_schedule *read_schedule(struct call *call, const char *said)
{
	return *said == '{' ? bw_schedule_read_line(call->session, said, call->error)
			    : bw_session_read_schedule(call->session, said, call->error);
}

/* Holds every Func that a schedule file mentions. */
static bool apply(struct call *call, const char *path)
{
	struct bw_text how = {0};
	if (!*path)
		return bw_fail(call->error, BW_ERROR_USAGE, "apply which file?");
	struct bw_schedule *schedule = read_schedule(call, path);
	if (!schedule)
		return false;
	bw_text_printf(&how, *path == '{' ? "written" : "in %s", path);
	free(bw_schedule_apply(call, schedule, bw_text_get(&how)));
	bw_text_free(&how);
	bw_schedule_drop(schedule);
	return true;
}

bool bw_command_apply(struct call *call)
{
	return apply(call, call->rest);
}

/* The options, and where measurements run, which is none of the search's. */
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

/* One option as it was said, in the table's words: so it is journaled and told. */
static void set_option(struct call *call, const struct bw_assignment *assignment,
		       const struct bw_settings *options)
{
	struct bw_session *session = call->session;
	struct bw_text line = {0};
	bw_text_printf(&line, "set %s=", assignment->option->name);
	bw_setting_print(assignment->option, options, &line);
	if (!bw_settings_equal(options, &session->options))
		bw_session_change(session, bw_text_get(&line), options, NULL);
	bw_session_say(call, "%s", bw_text_get(&line) + strlen("set "));
	bw_text_free(&line);
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
