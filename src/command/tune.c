/* `tune`: measures schedules in the background; the fastest can then be held. Also `top N` and `measured`. */
#include <math.h>

#include "base/file.h"
#include "command/commands.h"
#include "command/report.h"
#include "session/improve.h"
#include "session/tuning.h"

/* Takes `N samples`, `N minutes` or `N patience`. */
static bool take_number(const char *number, const char *unit, struct bw_tuning_request *request,
			struct bw_error *error)
{
	struct bw_tuning_budget *budget = &request->budget;
	size_t length = unit ? strlen(unit) : 0;
	long value;
	if (!bw_read_number(number, 1, BW_TUNING_SAMPLES_MOST, &value))
		return bw_fail(error, BW_ERROR_USAGE, "tune takes numbers from 1 to %d, not \"%s\"", BW_TUNING_SAMPLES_MOST, number);
	if (length && !strncmp("samples", unit, length))
		budget->samples = value;
	else if (length && !strncmp("minutes", unit, length))
		budget->seconds = 60. * (double)value;
	else if (length && !strncmp("patience", unit, length))
		budget->patience = value;
	else
		return bw_fail(error, BW_ERROR_USAGE, "%ld of what? `tune %ld samples`, `%ld minutes` or `%ld patience`", value,
			       value, value, value);
	return true;
}

/* Reads the words of the command. Modifies the text. */
static bool read_words(char *text, struct bw_tuning_request *request, struct bw_error *error)
{
	char *save = NULL;
	for (char *word = strtok_r(text, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
		if (!strcmp(word, "replay")) {
			save += save ? strspn(save, " \t") : 0;
			request->replay = save && *save ? save : NULL;
			return request->replay || bw_fail(error, BW_ERROR_USAGE, "replay takes a file of measurements, as "
									       "`beamwalk results --csv` writes it");
		}
		if (*word >= '0' && *word <= '9') {
			if (!take_number(word, strtok_r(NULL, " \t", &save), request, error))
				return false;
			continue;
		}
		request->strategy = bw_tune_strategy_of(word);
		request->any_strategy = false;
		if (request->strategy == BW_N_TUNE_STRATEGIES)
			return bw_fail(error, BW_ERROR_USAGE, "tune takes bandit, top, batch, `N samples`, `N minutes`, `N patience`, "
							    "`replay FILE` or `take N`, not \"%s\"", word);
	}
	return true;
}

/* Holds the Nth fastest schedule, by the command `apply`. */
static bool hold(struct call *call, const char *rest)
{
	struct bw_session *session = call->session;
	const struct bw_tuning_figures *figures = bw_session_tuning_figures(session);
	long rank = session->selection.sample + 1;
	rest += strspn(rest, " \t");
	if (!figures || !figures->n_timed)
		return bw_fail(call->error, BW_ERROR_FAILED, "nothing was measured by a tuning yet; `tune` begins one");
	if ((*rest && !bw_read_number(rest, 1, figures->n_timed, &rank)) || rank > figures->n_timed)
		return bw_fail(call->error, BW_ERROR_USAGE, "take a schedule by its number, 1 the fastest to %d, not \"%s\"",
			       figures->n_timed, rest);
	const struct bw_tune_candidate *candidate =
	    bw_tuning_candidate(figures->tuning, figures->rows[rank - 1].number);
	BW_SCOPED_SCHEDULE *schedule = bw_nest_schedule(candidate->nest);
	BW_SCOPED_TEXT line = {0};
	bw_text_puts(&line, "apply ");
	bw_schedule_print_line(session->pipeline, schedule, &line);
	bool good = bw_session_run(session, bw_text_get(&line), call->out, call->error);
	if (good)
		snprintf(session->view, sizeof session->view, "main");
	return good;
}

static void say_begun(struct call *call)
{
	const struct bw_tuning *tuning = bw_session_tuning(call->session);
	BW_SCOPED_TEXT until = {0};
	if (tuning->budget.samples < BW_TUNING_SAMPLES_MOST)
		bw_text_printf(&until, ", to %ld schedules", tuning->budget.samples);
	if (tuning->budget.seconds > 0)
		bw_text_printf(&until, ", for %.0f min", (tuning->budget.seconds - tuning->spent) / 60);
	bw_session_say(call, "tuning by %s%s", bw_tune_strategy_name(tuning->strategy), bw_text_get(&until));
}

bool bw_command_tune(struct call *call)
{
	struct bw_session *session = call->session;
	struct bw_tuning_request request = {.strategy = BW_TUNE_BANDIT, .any_strategy = true, .again = true};
	if (!strncmp(call->rest, "take", 4) && (!call->rest[4] || strchr(" \t", call->rest[4])))
		return hold(call, call->rest + 4);
	if (bw_session_tunes(session))
		return bw_fail(call->error, BW_ERROR_FAILED, "a tuning goes on; Esc or ^C stops it");
	BW_SCOPED_MEMORY char *text = bw_strdup(call->rest);
	bool good = read_words(text, &request, call->error);
	const struct bw_tuning_budget *budget = &request.budget;
	if (!budget->samples && (budget->seconds > 0 || budget->patience))
		request.budget.samples = BW_TUNING_SAMPLES_MOST;
	BW_SCOPED_TEXT unsaid = {0};
	struct bw_error ignored;
	BW_SCOPED_SCHEDULE *hand = good ? bw_improve_hand(session, &unsaid, &ignored) : NULL;
	request.given = hand;
	request.given_near = unsaid.length > 0;
	good = good && bw_session_tune(session, &request, call->error);
	if (!good)
		return false;
	snprintf(session->view, sizeof session->view, "tune");
	*session->pane = 0;
	session->selection.sample = 0;
	say_begun(call);
	return true;
}

/* `top N`: the best states of the beam are measured, compiled or exported one after the other. A waiting job
 * starts when the running one has ended. */

/* Takes `top K` off the line and returns K, at most the number of states; *rest: the words after it. Returns
 * 0 if the line does not begin with `top K`, -1 with an error. */
static int take_top(struct call *call, const char **rest)
{
	const struct bw_state *const *states;
	char *end;
	if (strncmp(call->rest, "top", 3) || !strchr(" \t", call->rest[3]))
		return 0;
	int n = bw_search_beam(call->session->search, call->session->cursor, &states);
	const char *number = call->rest + 3 + strspn(call->rest + 3, " \t");
	long k = strtol(number, &end, 10);
	*rest = end + strspn(end, " \t");
	if (end == number || k < 1) {
		bw_fail(call->error, BW_ERROR_USAGE,
			end == number ? "top takes a number of states, 1 to %d here, not \"%s\""
				      : "there are 1 to %d states here, not %s",
			n, number);
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
	bw_search_beam(session->search, session->cursor, &states);
	bool good = true;
	for (int i = 0; i < k && good; i++) {
		BW_SCOPED_MEMORY char *label = bw_format("state %d", i + 1);
		good = bw_session_time(session, states[i]->nest, label, purpose, call->error) != BW_TIMED_NOT;
	}
	if (!good)
		return -1;
	bw_session_say(call, "%d state%s, one after the other; `view %s` shows them as they come", k,
		       k == 1 ? "" : "s", purpose == BW_TO_COUNT || purpose == BW_TO_VERIFY ? "counters" : "timings");
	return 1;
}

/* Appends a file's name with a number: `a.h` becomes `a-3.h`. */
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
	struct bw_report_form form = {0};
	bw_search_beam(session->search, session->cursor, &states);
	bool good = bw_report_form_of(file, &form, call->error);
	for (int i = 0; i < k && good; i++) {
		BW_SCOPED_TEXT text = {0}, path = {0};
		number_file(file, i + 1, &path);
		good = bw_report_export(session, states[i]->nest, &form, &text, call->error) &&
		       bw_file_write(bw_text_get(&path), bw_text_get(&text), text.length, call->error);
	}
	BW_SCOPED_TEXT first = {0};
	number_file(file, 1, &first);
	if (good)
		bw_session_say(call, "%d state%s exported as %s, to %s%s", k, k == 1 ? "" : "s",
			       form.json ? "JSON" : "Halide C++", bw_text_get(&first),
			       k > 1 ? " and so on" : "");
	return good ? 1 : -1;
}

/* `measured`: shows stored measurements without measuring again. */

enum {
	MOST_SHOWN = 20
};

static bool is_shown(const struct bw_session *session, const char *uid)
{
	for (int i = 0; i < session->n_timings; i++)
		if (!strcmp(session->timings[i].uid, uid))
			return true;
	return false;
}

static void append(const struct bw_result *result, void *data)
{
	struct bw_session *session = data;
	if (is_shown(session, result->uid))
		return;
	struct bw_timing timing = {.schedule = strtoull(result->schedule, NULL, 16),
				     .predicted = isnan(result->predicted_ms) ? result->predicted_cost
									      : result->predicted_ms};
	if (result->predicted_for)
		timing.predicted_for = bw_device_find(session->devices, session->n_devices, result->predicted_for);
	bw_record_show(session, bw_jobs_append(session, &timing), result);
}

/* Reverses the order of timings, from the newest first to the newest last. */
static void reverse(struct bw_timing *timings, int n)
{
	for (int i = 0; i < n / 2; i++) {
		struct bw_timing timing = timings[i];
		timings[i] = timings[n - 1 - i];
		timings[n - 1 - i] = timing;
	}
}

/* Reports that a measurement is missing. While a saved session is loaded, this is only a warning, because the
 * rest of the session is complete. */
static bool say_missing(struct call *call)
{
	struct bw_session *session = call->session;
	if (!bw_session_scripted(session))
		return bw_fail(
		    call->error, BW_ERROR_INPUT,
		    "no stored measurement of this pipeline begins with \"%s\"; `beamwalk results` lists them",
		    call->rest);
	snprintf(session->warning, sizeof session->warning, "measurement %.32s is not stored here", call->rest);
	bw_session_say(call, "%s", session->warning);
	return true;
}

bool bw_command_measured(struct call *call)
{
	struct bw_session *session = call->session;
	struct bw_error error = {0};
	char description[BW_UID_SIZE];
	bw_result_hash(session->pipeline->content, description);
	struct bw_results *results = bw_record_open(session, &error);
	struct bw_results_filter filter = {
	    .description = description, .uid = *call->rest ? call->rest : NULL, .limit = MOST_SHOWN};
	int before = session->n_timings;
	long n = results ? bw_results_each(results, &filter, append, session, &error) : error.kind ? -1 : 0;
	bw_results_close(results);
	reverse(session->timings + before, session->n_timings - before);
	if (n < 0) {
		*call->error = error;
		return false;
	}
	if (!n && *call->rest)
		return say_missing(call);
	bw_session_say(call,
		       n ? "%ld stored measurement%s of this pipeline" : "nothing of this pipeline is stored",
		       n, n == 1 ? "" : "s");
	return true;
}
