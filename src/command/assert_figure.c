/* `assert cost < 0.05`: figures of a session, compared with a number. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/commands.h"
#include "command/figure.h"
#include "session/decisions.h"

/* A figure of one decision's options. Returns false if none is asked here. */
static bool funnel_figure(struct bw_session *session, enum bw_replay stage, double *value)
{
	bool asks = session->cursor < bw_session_n_decisions(session) &&
		    bw_session_decision(session, session->cursor)->phase != BW_PHASE_PASS;
	const struct bw_expansion *expansion = asks ? bw_session_expansion(session) : NULL;
	if (!expansion || (stage == BW_REPLAY_KEPT && bw_session_last_replay(session) < BW_REPLAY_KEPT))
		return false;
	*value = bw_expansion_funnel(expansion).n[stage];
	return true;
}

static int count_kernels(struct bw_session *session)
{
	struct bw_arena *arena = bw_arena_new();
	int n;
	bw_nest_kernels(bw_session_state(session)->nest, arena, &n);
	bw_arena_free(arena);
	return n;
}

bool bw_asserted_value(struct bw_session *session, enum bw_asserted figure, double *value)
{
	const struct bw_state *const *states;
	switch (figure) {
	case BW_ASSERTED_COST:
		*value = bw_session_state(session)->cost;
		return true;
	case BW_ASSERTED_STATES:
		*value = bw_session_beam(session, session->cursor, &states);
		return true;
	case BW_ASSERTED_KERNELS:
		*value = count_kernels(session);
		return true;
	case BW_ASSERTED_POSITION:
		*value = session->cursor;
		return true;
	case BW_ASSERTED_DECISIONS:
		*value = bw_session_n_decisions(session);
		return true;
	case BW_ASSERTED_HELD:
		*value = bw_session_constraints(session)->n;
		return true;
	case BW_ASSERTED_COMMANDS:
		*value = bw_journal_done(session);
		return true;
	case BW_ASSERTED_TIMINGS:
		*value = session->n_timings;
		return true;
	default:
		return funnel_figure(session, (enum bw_replay)((int)figure - BW_ASSERTED_ENUMERATED), value);
	}
}

/* A number as it was written, and how far a figure that is shown with as many digits may be from it. */
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

/* The relation that text begins with, which moves past it; none is an equality. */
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
	switch (relation) {
	case EQUAL:
		return fabs(value - number) <= slack;
	case NOT_EQUAL:
		return !(fabs(value - number) <= slack);
	case LESS:
		return value < number;
	case AT_MOST:
		return value <= number;
	case MORE:
		return value > number;
	default:
		return value >= number;
	}
}

/* Compares a value with the relation and number in rest. */
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
	return bw_assert_fails(call, fact, found);
}

bool bw_assert_figure(struct call *call, enum bw_asserted figure, const char *fact, const char *rest)
{
	double value = 0, number, slack;
	const char *text = rest;
	take_relation(&text);
	if (read_number(text, &number, &slack) && !bw_asserted_value(call->session, figure, &value))
		return bw_assert_fails(
		    call, fact, "no such figure: the decision at the cursor is not asked, or not made yet");
	return compare(call, fact, rest, value,
		       figure == BW_ASSERTED_COST ? call->session->options.model->said : NULL);
}

bool bw_assert_numbers(struct call *call, const char *fact)
{
	char *end;
	double value = strtod(fact, &end);
	return compare(call, fact, end + strspn(end, " "), value, "");
}

bool bw_assert_func_figure(struct call *call, const char *fact)
{
	struct bw_figure figure;
	size_t length = strcspn(fact, "<>=!"); /* a word is compared without a relation */
	const char *name = fact + strcspn(fact, " ") + strlen(" of "), *end = fact + length;
	if (!*end)
		end = name + strcspn(name, " ");
	char *text = bw_strdup(fact);
	length = (size_t)(end - fact);
	while (length > 0 && text[length - 1] == ' ')
		length--;
	text[length] = 0;
	bool good = bw_figure_read(call->session, text, &figure, call->error) ||
		    bw_fail_in(call->error, "assert %s", fact);
	free(text);
	if (!good)
		return false;
	const char *rest = end + strspn(end, " \t");
	if (figure.kind != BW_FIGURE_WORDS)
		return compare(call, fact, rest, figure.value, "");
	if (!strcmp(rest + strspn(rest, "= "), figure.words))
		return true;
	struct bw_text found = {0};
	bw_text_printf(&found, "it is %s", figure.words);
	bw_assert_fails(call, fact, bw_text_get(&found));
	bw_text_free(&found);
	return false;
}
