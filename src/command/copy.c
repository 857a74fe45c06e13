/* `copy`: copies the selection to the terminal's clipboard. */
#include <string.h>

#include "base/say.h"
#include "command/commands.h"
#include "command/report.h"
#include "session/call.h"
#include "session/changes.h"

/* Appends a word as sh reads it. */
static void put_quoted(const char *word, struct bw_text *out)
{
	bw_text_puts(out, " '");
	for (; *word; word++)
		bw_text_printf(out, *word == '\'' ? "'\\''" : "%c", *word);
	bw_text_puts(out, "'");
}

/* Appends an option for each text of a list of the facts; of a single text, one. */
static void put_option(const json_t *facts, const char *key, const char *option, struct bw_text *out)
{
	const json_t *value = json_object_get(facts, key);
	for (size_t i = 0; i < (json_is_array(value) ? json_array_size(value) : value != NULL); i++) {
		bw_text_printf(out, " %s", option);
		put_quoted(json_string_value(json_is_array(value) ? json_array_get(value, i) : value), out);
	}
}

/* Appends a command line that opens the explorer on this schedule, all of it held, with the options that are
 * set. */
static void put_command(struct bw_session *session, const struct bw_nest *nest, struct bw_text *out)
{
	json_t *facts = bw_facts_of(session, nest);
	struct bw_schedule *schedule = bw_nest_schedule(nest);
	struct bw_text line = {0};
	bw_text_puts(out, "beamwalk");
	put_quoted(session->source.name, out);
	put_option(facts, "generator", "-g", out);
	put_option(facts, "arguments", "-G", out);
	put_option(facts, "estimates", "--estimate", out);
	put_option(facts, "target", "--target", out);
	put_option(facts, "device", "--gpu", out);
	put_option(facts, "options", "--set", out);
	bw_schedule_print_line(session->pipeline, schedule, &line);
	bw_text_puts(out, " --schedule");
	put_quoted(bw_text_get(&line), out);
	bw_text_puts(out, "\n");
	bw_text_free(&line);
	bw_schedule_drop(schedule);
	json_decref(facts);
}

/* Appends the selected Func's line of a schedule. */
static bool put_line(struct call *call, const struct bw_nest *nest, struct bw_text *out)
{
	int func = call->session->selection.func;
	const struct bw_placed *placed = func < 0 ? NULL : nest->placed[func];
	if (!placed)
		return bw_fail(call->error, BW_ERROR_FAILED,
			       "no Func is selected that is placed; `select FUNC` selects one");
	bw_placement_print(call->session->pipeline, placed->placement, out);
	bw_text_puts(out, "\n");
	return true;
}

bool bw_command_copy(struct call *call)
{
	static const char *const kinds[] = {"line", "schedule", "export", "command"};
	enum { LINE, SCHEDULE, EXPORT, COMMAND, N };
	struct bw_session *session = call->session;
	const struct bw_nest *nest = bw_session_state(session)->nest;
	int kind = *call->rest ? bw_word_find(kinds, N, call->rest, "thing to copy", call->error) : LINE;
	struct bw_text text = {0};
	bool good = kind >= 0 && bw_call_may(call, "write to", "the clipboard");
	if (good && (kind == EXPORT || kind == COMMAND) && !bw_nest_complete(nest))
		good = bw_fail(call->error, BW_ERROR_FAILED, "the selected state is not complete; `run` goes to the end");
	if (!good)
		return false;
	if (kind == LINE)
		good = put_line(call, nest, &text);
	else if (kind == EXPORT)
		good = bw_report_export(session, nest, &(struct bw_report_form){0}, &text, call->error);
	else if (kind == COMMAND)
		put_command(session, nest, &text);
	else if (kind == SCHEDULE) {
		struct bw_schedule *schedule = bw_nest_schedule(nest);
		bw_schedule_print(session->pipeline, schedule, &text);
		bw_schedule_drop(schedule);
	}
	good = good && bw_session_copy_out(call, &text);
	if (good)
		bw_session_say(call, "sent the %s%s to the terminal's clipboard (OSC 52), %s; `copy schedule`, `copy export` and `copy command` copy more",
			       kind == LINE ? "line of " : kinds[kind],
			       kind == LINE ? session->pipeline->funcs[session->selection.func].name : "",
			       bw_say_bytes((double)text.length).text);
	bw_text_free(&text);
	return good;
}
