/* The best states of the beam measured, compiled or exported, one after the other: what waits begins when
 * what runs has ended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "command/commands.h"
#include "command/report.h"
#include "session/decisions.h"

/* `top K`, K in 1 .. states; *rest: what follows. 0 if it is not that, -1 with an error. */
static int take_top(struct call *call, const char **rest)
{
	const struct bw_state *const *states;
	char *end;
	if (strncmp(call->rest, "top", 3) || !strchr(" \t", call->rest[3]))
		return 0;
	int n = bw_session_beam(call->session, call->session->cursor, &states);
	const char *number = call->rest + 3 + strspn(call->rest + 3, " \t");
	long k = strtol(number, &end, 10);
	*rest = end + strspn(end, " \t");
	if (end == number || k < 1) {
		bw_fail(call->error, BW_ERROR_USAGE, "top takes a number of states, 1 to %d here", n);
		return -1;
	}
	if (!bw_nest_complete(states[0]->nest)) {
		bw_fail(call->error, BW_ERROR_FAILED,
			"states are not complete at decision %d; `run` goes to the end of the search",
			call->session->cursor);
		return -1;
	}
	return k < n ? (int)k : n;
}

int bw_top_time(struct call *call, enum bw_purpose purpose)
{
	struct bw_session *session = call->session;
	const struct bw_state *const *states;
	const char *rest;
	int k = take_top(call, &rest);
	if (k <= 0)
		return k;
	if (*rest || !session->source.compilable)
		return bw_fail(call->error, *rest ? BW_ERROR_USAGE : BW_ERROR_HALIDE,
			       *rest ? "nothing follows the number, not \"%s\""
				     : "%s is only described, there is no generator to compile",
			       *rest ? rest : session->source.name)
			   ? 1
			   : -1;
	bw_session_beam(session, session->cursor, &states);
	bool good = true;
	for (int i = 0; i < k && good; i++) {
		struct bw_text label = {0};
		bw_text_printf(&label, "state %d", i + 1);
		good = bw_session_time(session, states[i]->nest, bw_text_get(&label), purpose, call->error) != BW_TIMED_NOT;
		bw_text_free(&label);
	}
	if (!good)
		return -1;
	bw_session_say(call, "%d state%s, one after the other; `view %s` shows them as they come", k,
		       k == 1 ? "" : "s", purpose == BW_TO_COUNT ? "counters" : "timings");
	return 1;
}

/* `a.h` becomes `a-3.h`. */
static void number_file(const char *file, int number, struct bw_text *out)
{
	const char *slash = strrchr(file, '/'), *dot = strrchr(file, '.');
	if (!dot || (slash && dot < slash))
		dot = file + strlen(file);
	bw_text_append(out, file, (size_t)(dot - file));
	bw_text_printf(out, "-%d%s", number, dot);
}

int bw_top_export(struct call *call)
{
	struct bw_session *session = call->session;
	const struct bw_state *const *states;
	const char *file;
	int k = take_top(call, &file);
	if (k <= 0)
		return k;
	if (!*file)
		return bw_fail(call->error, BW_ERROR_USAGE, "export top %d to which file?", k) ? 1 : -1;
	struct bw_report_form form = {.json = bw_ends_with(file, ".json")};
	bw_session_beam(session, session->cursor, &states);
	bool good = true;
	for (int i = 0; i < k && good; i++) {
		struct bw_text text = {0}, path = {0};
		number_file(file, i + 1, &path);
		good = bw_report_export(session, states[i]->nest, &form, &text, call->error) &&
		       bw_file_write(bw_text_get(&path), bw_text_get(&text), text.length, call->error);
		bw_text_free(&text);
		bw_text_free(&path);
	}
	struct bw_text first = {0};
	number_file(file, 1, &first);
	if (good)
		bw_session_say(call, "%d state%s exported as %s, to %s%s", k, k == 1 ? "" : "s",
			       form.json ? "JSON" : "Halide C++", bw_text_get(&first),
			       k > 1 ? " and so on" : "");
	bw_text_free(&first);
	return good ? 1 : -1;
}
