/* tune: schedules are measured beside, and the fastest can be held. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/commands.h"
#include "schedule/schedule.h"
#include "session/schedules.h"
#include "session/tuning.h"

/* Reads a number at the beginning of a word. Returns false if it is none that is allowed. */
static bool read_number(const char *word, long most, long *number)
{
	char *end;
	*number = strtol(word, &end, 10);
	return *word >= '0' && *word <= '9' && !*end && *number >= 1 && *number <= most;
}

/* Takes `N samples`, `N minutes` or `N patience`. */
static bool take_number(const char *number, const char *unit, struct bw_tuning_request *request,
			struct bw_error *error)
{
	struct bw_tuning_budget *budget = &request->budget;
	size_t length = unit ? strlen(unit) : 0;
	long value;
	if (!read_number(number, BW_TUNING_SAMPLES_MOST, &value))
		return bw_fail(error, BW_ERROR_USAGE, "\"%s\" is no number from 1 to %d", number, BW_TUNING_SAMPLES_MOST);
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

/* Reads the words of the command, which are cut up. */
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
	if ((*rest && !read_number(rest, figures->n_timed, &rank)) || rank > figures->n_timed)
		return bw_fail(call->error, BW_ERROR_USAGE, "take a schedule by its number, 1 the fastest to %d, not \"%s\"",
			       figures->n_timed, rest);
	const struct bw_tune_candidate *candidate =
	    bw_tuning_candidate(figures->tuning, figures->rows[rank - 1].number);
	struct bw_schedule *schedule = bw_nest_schedule(candidate->nest);
	struct bw_text line = {0};
	bw_text_puts(&line, "apply ");
	bw_schedule_print_line(session->pipeline, schedule, &line);
	bw_schedule_drop(schedule);
	bool good = bw_session_run(session, bw_text_get(&line), call->out, call->error);
	bw_text_free(&line);
	if (good)
		snprintf(session->view, sizeof session->view, "main");
	return good;
}

static void say_begun(struct call *call)
{
	const struct bw_tuning *tuning = bw_session_tuning(call->session);
	struct bw_text until = {0};
	if (tuning->budget.samples < BW_TUNING_SAMPLES_MOST)
		bw_text_printf(&until, ", to %ld schedules", tuning->budget.samples);
	if (tuning->budget.seconds > 0)
		bw_text_printf(&until, ", for %.0f min", (tuning->budget.seconds - tuning->spent) / 60);
	bw_session_say(call, "tuning by %s%s", bw_tune_strategy_name(tuning->strategy), bw_text_get(&until));
	bw_text_free(&until);
}

bool bw_command_tune(struct call *call)
{
	struct bw_session *session = call->session;
	struct bw_tuning_request request = {.strategy = BW_TUNE_BANDIT, .any_strategy = true, .again = true};
	if (!strncmp(call->rest, "take", 4) && (!call->rest[4] || strchr(" \t", call->rest[4])))
		return hold(call, call->rest + 4);
	if (bw_session_tunes(session))
		return bw_fail(call->error, BW_ERROR_FAILED, "a tuning goes on; Esc or ^C stops it");
	char *text = bw_strdup(call->rest);
	bool good = read_words(text, &request, call->error);
	const struct bw_tuning_budget *budget = &request.budget;
	if (!budget->samples && (budget->seconds > 0 || budget->patience))
		request.budget.samples = BW_TUNING_SAMPLES_MOST;
	good = good && bw_session_tune(session, &request, call->error);
	free(text);
	if (!good)
		return false;
	snprintf(session->view, sizeof session->view, "tune");
	*session->pane = 0;
	session->selection.sample = 0;
	say_begun(call);
	return true;
}
