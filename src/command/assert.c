/* `assert`: checks a fact on which a script relies. If the fact is true, prints nothing. If it is false,
 * fails with an error that gives the actual value. */

#include <ctype.h>
#include <math.h>

#include "command/commands.h"
#include "command/figure.h"

/* Fails because a fact does not hold. found: the actual value. */
static bool assert_fails(struct call *call, const char *fact, const char *found)
{
	return bw_fail(call->error, BW_ERROR_WRONG, "assert %s: %s", fact, found);
}

static bool assert_decision(struct call *call, const char *fact, const char *rest)
{
	struct bw_session *session = call->session;
	int position;
	if (!bw_select_position(session, rest, &position, call->error))
		return bw_fail_in(call->error, "assert %s", fact);
	if (position == session->cursor)
		return true;
	BW_SCOPED_TEXT found = {0};
	bw_text_printf(&found, "the cursor is at %d: ", session->cursor);
	bw_session_decision_name(session, session->cursor, &found);
	assert_fails(call, fact, bw_text_get(&found));
	return false;
}

static bool assert_option(struct call *call, const char *fact, const char *rest)
{
	struct bw_session *session = call->session;
	size_t length = strcspn(rest, " \t");
	BW_SCOPED_MEMORY char *name = bw_strdup(rest);
	name[length] = 0;
	int number;
	bool good = bw_select_option(session, name, &number, call->error) ||
		    bw_fail_in(call->error, "assert %s", fact);
	if (!good)
		return false;
	const struct bw_option *option = &bw_session_expansion(session)->options[number];
	bool ruled = option->fate == BW_FATE_PRUNED || option->fate == BW_FATE_SECOND_CHOICE;
	BW_SCOPED_TEXT is = {0}, found = {0};
	bw_text_printf(&is, "%s%s%s", bw_fate_name(option->fate), ruled ? " " : "",
		       ruled ? bw_rule_name(option->rule) : "");
	const char *said = rest + length + strspn(rest + length, " \t");
	good = !strcmp(said, bw_text_get(&is)) || !strcmp(said, bw_fate_name(option->fate));
	if (!good) {
		bw_text_printf(&found, "it is %s%s%.100s", bw_text_get(&is),
			       ruled && *option->reason ? ": " : "", ruled ? option->reason : "");
		assert_fails(call, fact, bw_text_get(&found));
	}
	return good;
}

/* Returns the newest timing that was or will be run, or NULL. Schedules that were only compiled, or of which
 * only a sample of the blocks was counted, do not count. */
static const struct bw_timing *newest_measured(const struct bw_session *session)
{
	for (int i = session->n_timings - 1; i >= 0; i--)
		if (!session->timings[i].compiled && !session->timings[i].sampled)
			return &session->timings[i];
	return NULL;
}

static bool assert_output(struct call *call, const char *fact, const char *rest)
{
	const struct bw_timing *timing = newest_measured(call->session);
	const char *is = !timing                          ? "nothing was measured"
			 : timing->phase == BW_JOB_FAILED ? "failed"
			 : timing->phase != BW_JOB_DONE   ? "it is not measured yet"
							  : bw_verdict_name(timing->measurement.verdict);
	return !strcmp(rest, is) || assert_fails(call, fact, is);
}

/* Checks that the state places the Func as the placement says; if sizes were given, with these loops. */
static bool assert_placed(struct call *call, const char *fact, const struct bw_placement *said)
{
	struct bw_session *session = call->session;
	const struct bw_placed *placed = bw_session_state(session)->nest->placed[said->func];
	bool sizes = said->tiled && !bw_choice_site_alone(session, said, fact);
	if (placed && (sizes ? bw_placement_equal(placed->placement, said)
			     : bw_site_equal(&placed->placement->compute, &said->compute)))
		return true;
	BW_SCOPED_TEXT found = {0};
	bw_text_printf(&found, "state %d has ", session->selection.state + 1);
	if (placed)
		bw_placement_print(session->pipeline, placed->placement, &found);
	else
		bw_text_printf(&found, "%s not placed yet", session->pipeline->funcs[said->func].name);
	assert_fails(call, fact, bw_text_get(&found));
	return false;
}

/* Checks `FUNC unplaced|held|free`. Returns -1 if `word` is none of these. */
static int assert_condition(struct call *call, int func, const char *fact, const char *word)
{
	static const char *const words[] = {"unplaced", "held", "free"};
	struct bw_session *session = call->session;
	bool is[] = {!bw_session_state(session)->nest->placed[func], bw_session_constraint(session, func),
		     !bw_session_constraint(session, func)};
	for (size_t i = 0; i < sizeof is / sizeof *is; i++)
		if (!strcmp(words[i], word))
			return is[i] || assert_fails(call, fact,
							i == 0  ? "it is placed"
							: is[1] ? "a constraint holds it"
								: "no constraint holds it");
	return -1;
}

static bool assert_func(struct call *call, int func, const char *fact, const char *rest)
{
	struct bw_error error = {0};
	int condition = assert_condition(call, func, fact, rest);
	if (condition >= 0)
		return condition;
	BW_SCOPED_PLACEMENT *said = bw_placement_parse(call->session->pipeline, fact, &error);
	if (!said)
		return bw_fail(call->error, BW_ERROR_USAGE, "assert %s: %s", fact, error.text);
	return assert_placed(call, fact, said);
}

static bool assert_fact(struct call *call, const char *fact);

static bool assert_best(struct call *call, const char *fact, const char *rest)
{
	struct bw_selection *selection = &call->session->selection;
	int selected = selection->state;
	selection->state = 0;
	bool good = assert_fact(call, rest);
	selection->state = selected;
	(void)fact;
	return good;
}

static bool assert_view(struct call *call, const char *fact, const char *rest)
{
	const struct bw_session *session = call->session;
	return !strcmp(rest, session->view) || assert_fails(call, fact, session->view);
}

static bool assert_selected(struct call *call, const char *fact, const char *rest)
{
	int func, selected = call->session->selection.func;
	if (!bw_select_func(call->session, rest, &func, call->error))
		return bw_fail_in(call->error, "assert %s", fact);
	return func == selected ||
	       assert_fails(call, fact,
			       selected < 0 ? "no Func is selected"
					    : call->session->pipeline->funcs[selected].name);
}

static bool is_verdict(const char *text)
{
	static const char *const words[] = {
		BW_VERDICT_TABLE(BW_SECOND)
		"failed",
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(text, words[i]))
			return true;
	return false;
}

/* Reads a number, and the rounding error (*slack) of a figure shown with as many digits. */
static bool read_number(const char *text, double *number, double *slack)
{
	char *end;
	*number = strtod(text, &end);
	if (end == text || *end)
		return false;
	const char *dot = strchr(text, '.'), *exponent = text + strcspn(text, "eE");
	int digits = dot && dot < exponent ? (int)(exponent - dot) - 1 : 0;
	*slack = dot || *exponent ? 0.5 * pow(10, (*exponent ? atoi(exponent + 1) : 0) - digits) * (1 + 1e-9) : 0;
	return true;
}

enum relation { EQUAL, NOT_EQUAL, LESS, AT_MOST, MORE, AT_LEAST };
static const struct {
	const char *text;
	enum relation relation;
} relations[] = {{"<=", AT_MOST}, {">=", AT_LEAST}, {"!=", NOT_EQUAL}, {"==", EQUAL},
		 {"<", LESS},     {">", MORE},      {"=", EQUAL}};

/* Returns the relation at the beginning of *text, and advances *text past it. No relation means equality. */
static enum relation take_relation(const char **text)
{
	for (size_t i = 0; i < sizeof relations / sizeof *relations; i++)
		if (!strncmp(*text, relations[i].text, strlen(relations[i].text))) {
			*text += strlen(relations[i].text);
			*text += strspn(*text, " \t");
			return relations[i].relation;
		}
	return EQUAL;
}

static bool holds(double value, enum relation relation, double number, double slack)
{
	bool equal = fabs(value - number) <= slack;
	return relation == EQUAL       ? equal
	       : relation == NOT_EQUAL ? !equal
	       : relation == LESS      ? value < number
	       : relation == AT_MOST   ? value <= number
	       : relation == MORE      ? value > number
				       : value >= number;
}

/* Compares a value with the relation and the number in `rest`. */
static bool compare(struct call *call, const char *fact, const char *rest, double value, const char *unit)
{
	double number, slack;
	char found[128];
	const char *text = rest;
	enum relation relation = take_relation(&text);
	if (!read_number(text, &number, &slack))
		return bw_fail(
		    call->error, BW_ERROR_USAGE,
		    "assert %s: expected a number, with <, <=, >, >=, = or != before it, found \"%s\"", fact,
		    rest);
	if (holds(value, relation, number, slack))
		return true;
	snprintf(found, sizeof found, "it is %.*g%s%s", unit ? 6 : 15, value, unit && *unit ? " " : "",
		 unit ? unit : "");
	return assert_fails(call, fact, found);
}

/* Checks one figure. rest: an optional relation and a number. */
static bool assert_figure(struct call *call, enum bw_asserted figure, const char *fact, const char *rest)
{
	double value = 0, number, slack;
	const char *text = rest;
	take_relation(&text);
	if (read_number(text, &number, &slack) && !bw_asserted_value(call->session, figure, &value))
		return assert_fails(
		    call, fact, "no such figure: the decision at the cursor is not asked, or not made yet");
	return compare(call, fact, rest, value,
		       figure == BW_ASSERTED_COST ? call->session->options.model->said : NULL);
}

/* Compares two numbers, as in `0.05 < 0.06`. Lessons use it for figures that they have remembered. */
static bool assert_numbers(struct call *call, const char *fact)
{
	char *end;
	double value = strtod(fact, &end);
	return compare(call, fact, end + strspn(end, " "), value, "");
}

/* Checks a figure of a Func or of code, as figure.h lists them: `occupancy of Ix > 0.5`, `limiter of Ix
 * threads`, `code share > 0.9`. before: the text that precedes it in the assertion. */
static bool assert_read_figure(struct call *call, const char *fact, const char *before)
{
	struct bw_figure figure;
	size_t length = strcspn(fact, "<>=!"); /* a figure that is a word is compared without a relation */
	const char *name = fact + strcspn(fact, " ") + strlen(before), *end = fact + length;
	if (!*end)
		end = name + strcspn(name, " ");
	BW_SCOPED_MEMORY char *text = bw_strdup(fact);
	length = (size_t)(end - fact);
	while (length > 0 && text[length - 1] == ' ')
		length--;
	text[length] = 0;
	bool good = bw_figure_read(call->session, text, &figure, call->error) ||
		    bw_fail_in(call->error, "assert %s", fact);
	if (!good)
		return false;
	const char *rest = end + strspn(end, " \t");
	if (figure.kind != BW_FIGURE_WORDS)
		return compare(call, fact, rest, figure.value, "");
	if (!strcmp(rest + strspn(rest, "= "), figure.words))
		return true;
	BW_SCOPED_MEMORY char *found = bw_format("it is %s", figure.words);
	assert_fails(call, fact, found);
	return false;
}

/* A Func that has the name of a figure or of a fact goes before it, but that no Func is placed `right`. */
static bool assert_fact(struct call *call, const char *fact)
{
	static bool (*const functions[BW_N_FACTS])(struct call * call, const char *fact, const char *rest) = {
	    [BW_FACT_BEST] = assert_best,      [BW_FACT_DECISION] = assert_decision,
	    [BW_FACT_OPTION] = assert_option,  [BW_FACT_OUTPUT] = assert_output,
	    [BW_FACT_BEAMS] = bw_assert_beams, [BW_FACT_VIEW] = assert_view,
	    [BW_FACT_SELECTED] = assert_selected,
	};
	static const char *const words[] = {
		BW_ASSERTED_TABLE(BW_SECOND)
		BW_FACT_TABLE(BW_SECOND)
	};
	size_t length = *fact == '"' ? strcspn(fact + 1, "\"") + 2 : strcspn(fact, " \t<>=!");
	const char *rest = fact + length + strspn(fact + length, " \t");
	if (isdigit((unsigned char)*fact) && bw_pipeline_find(call->session->pipeline, fact) < 0)
		return assert_numbers(call, fact);
	if (bw_func_figure_find(fact, length) >= 0 && !strncmp(rest, "of ", 3))
		return assert_read_figure(call, fact, " of ");
	if (length == 4 && !strncmp(fact, "code", 4) && bw_pipeline_find(call->session->pipeline, "code") < 0)
		return assert_read_figure(call, fact, " ");
	BW_SCOPED_MEMORY char *name = bw_strdup(fact + (*fact == '"'));
	name[length - (*fact == '"' ? 2 : 0)] = 0;
	int func = bw_pipeline_find(call->session->pipeline, name), word = -1;
	if (func < 0 || call->session->pipeline->funcs[func].input || strchr("<>=!", *rest) ||
	    (!strcmp(name, "output") && is_verdict(rest)))
		word = bw_word_find(words, BW_N_ASSERTED + BW_FACT_FUNC, name, "fact", call->error);
	else
		word = BW_N_ASSERTED + BW_FACT_FUNC;
	if (word < BW_N_ASSERTED)
		return word >= 0 && assert_figure(call, (enum bw_asserted)word, fact, rest);
	enum bw_fact kind = (enum bw_fact)(word - BW_N_ASSERTED);
	return kind == BW_FACT_FUNC ? assert_func(call, func, fact, rest) : functions[kind](call, fact, rest);
}

bool bw_session_holds(struct bw_session *session, const char *fact, struct bw_error *error)
{
	struct call call = {session, fact, fact, NULL, error};
	return assert_fact(&call, fact);
}

bool bw_command_assert(struct call *call)
{
	struct bw_session *session = call->session;
	if (!*call->rest)
		return bw_fail(call->error, BW_ERROR_USAGE, "assert what? as in: assert cost < 0.05");
	if (!assert_fact(call, call->rest))
		return false;
	snprintf(session->message, sizeof session->message, "it is so");
	return true;
}
