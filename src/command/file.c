/* Commands that read and write files, and measurements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "command/commands.h"
#include "command/facts.h"
#include "command/report.h"
#include "figures/kernels.h"
#include "nest/words.h"
#include "results/results.h"
#include "schedule/lower.h"
#include "session/comparison.h"
#include "session/decisions.h"
#include "session/opinions.h"

static bool needs_file(struct call *call)
{
	if (*call->rest)
		return true;
	return bw_fail(call->error, BW_ERROR_USAGE, "%s which file?", call->line);
}

/* Returns true if a file is named, and may be written. */
static bool may_write(struct call *call)
{
	return needs_file(call) && bw_call_may(call, "write to", call->rest);
}

bool bw_command_save(struct call *call)
{
	struct bw_text text = {0};
	if (!may_write(call))
		return false;
	bw_session_print_saved(call->session, call->session->cursor, &text);
	bool good = bw_file_write(call->rest, bw_text_get(&text), text.length, call->error);
	bw_text_free(&text);
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
	struct bw_text text = {0};
	bw_schedule_print(session->pipeline, schedule, &text);
	if (bw_nest_complete(bw_session_state(session)->nest)) {
		bw_text_puts(&text, "\n");
		bw_facts_print(session, bw_session_state(session)->nest, "# ", &text);
	}
	bool good = bw_file_write(call->rest, bw_text_get(&text), text.length, call->error);
	bw_text_free(&text);
	bw_schedule_drop(schedule);
	if (good)
		bw_session_say(call, "schedule of state %d written to %s", session->selection.state + 1, call->rest);
	return good;
}

/* Replays a file. Unless it is trusted its lines may neither run commands of the system nor write to files.
 */
static bool replay(struct call *call, const char *path, bool trusted)
{
	bool before = bw_session_distrust(call->session, trusted);
	bool good = bw_session_replay_file(call->session, path, call->out, call->error);
	bw_session_trust_again(call->session, before);
	return good;
}

bool bw_command_load(struct call *call)
{
	struct bw_session *session = call->session;
	struct bw_constraints none = {0};
	struct bw_text text = {0};
	bool trusted = strncmp(call->rest, "--trust ", 8) == 0;
	if (trusted)
		call->rest += 8 + strspn(call->rest + 8, " \t");
	if (!needs_file(call) || !bw_file_read(call->rest, 1 << 24, &text, call->error)) {
		bw_text_free(&text);
		return false;
	}
	int done = bw_journal_done(session), cursor = session->cursor;
	struct bw_selection selection = session->selection;
	session->cursor = 0;
	session->target = -1;
	if (bw_session_constraints(session)->n || bw_session_constraints(session)->n_free)
		bw_session_change(session, "unfreeze --forget", NULL, &none);
	bool good = replay(call, call->rest, trusted);
	if (good)
		bw_session_tell_loaded(call, bw_text_get(&text));
	else
		bw_session_return(session, done, cursor, &selection);
	bw_text_free(&text);
	return good;
}

bool bw_command_screenshot(struct call *call)
{
	if (!may_write(call) || !bw_session_draw_screen(call, call->rest))
		return false;
	bw_session_say(call, "screen saved to %s", call->rest);
	return true;
}

/* Shows what is stored of the pipeline, so that the report has it: without any it is written all the same. */
static void load_measured(struct bw_session *session)
{
	struct bw_error ignored;
	char message[sizeof session->message];
	if (!bw_results_built())
		return;
	memcpy(message, session->message, sizeof message);
	bw_session_run(session, "measured", NULL, &ignored);
	memcpy(session->message, message, sizeof message);
}

bool bw_command_report(struct call *call)
{
	struct bw_text page = {0};
	if (!may_write(call))
		return false;
	load_measured(call->session);
	bool good = bw_session_write_page(call, &page) &&
		    bw_file_write(call->rest, bw_text_get(&page), page.length, call->error);
	if (good)
		bw_session_say(call, "report on state %d written to %s", call->session->selection.state + 1, call->rest);
	bw_text_free(&page);
	return good;
}

/* Warns where the device that costs are predicted for could not launch a kernel: the one that measures may.
 */
static void warn_launch(struct bw_session *session, const struct bw_nest *nest)
{
	struct bw_arena *arena = bw_arena_new();
	struct bw_text why = {0};
	int n;
	struct bw_kernel_facts *facts = bw_kernel_facts(nest, session->options.device, NULL, NULL, arena, &n);
	for (int k = 0; k < n && !why.length; k++)
		if (!bw_kernel_fits(session->pipeline, &facts[k], session->options.device, &why))
			bw_session_warn(session, bw_text_get(&why));
	bw_text_free(&why);
	bw_arena_free(arena);
}

/* What stood here before the newest command, complete. */
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

/* The complete nest that a command names: of a state (none: the selected one), of a scheduler, or of a
 * schedule file, with a warning where the device of predictions could not launch it. *label: what to call
 * it; free(). Returns NULL with an error; else drop it. */
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
	const struct bw_state *const *states;
	bw_session_beam(session, session->cursor, &states);
	if (!bw_nest_complete(states[rank]->nest)) {
		bw_fail(call->error, BW_ERROR_FAILED,
			"state %d is not complete at decision %d; `run` goes to the end of the search",
			rank + 1, session->cursor);
		return NULL;
	}
	struct bw_text text = {0};
	bw_text_printf(&text, "state %d", rank + 1);
	*label = bw_text_take(&text);
	return bw_nest_keep(states[rank]->nest);
}

/* That it is being compiled, or waits for others, or was asked for before; or, where it was found stored,
 * what was measured. */
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
	char *label = hand ? bw_strdup(BW_HAND) : NULL;
	struct bw_nest *nest = hand ? NULL : named_nest(call, &label);
	enum bw_timed timed =
	    hand || nest ? bw_session_time(call->session, nest, label, purpose, call->error) : BW_TIMED_NOT;
	bool good = timed != BW_TIMED_NOT;
	if (good)
		say_begun(call, label, timed);
	bw_nest_drop(nest);
	free(label);
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

bool bw_command_compile(struct call *call)
{
	return start(call, BW_TO_ASSEMBLE);
}

bool bw_command_script(struct call *call)
{
	return needs_file(call) && bw_session_run_file(call->session, call->rest, call->out, call->error);
}
