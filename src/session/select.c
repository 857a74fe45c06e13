/* Selectors: how states, options, decisions and Funcs are named in commands (DESIGN, Names). */
#include <limits.h>

#include "figures/graph.h"
#include "session/core.h"
#include "session/explain.h"

bool bw_select_func(const struct bw_session *session, const char *name, int *func, struct bw_error *error)
{
	const struct bw_pipeline *pipeline = session->pipeline;
	int found = bw_pipeline_find(pipeline, name);
	if (found >= 0 && !pipeline->funcs[found].input) {
		*func = found;
		return true;
	}
	BW_SCOPED_SUGGESTION known = {.unknown = name};
	for (int f = pipeline->n_funcs - 1; f >= 0; f--)
		if (!pipeline->funcs[f].input)
			bw_suggestion_add(&known, pipeline->funcs[f].name);
	return bw_fail(error, BW_ERROR_USAGE, "no Func \"%s\"; %s", name, bw_suggestion_say(&known, NULL));
}

bool bw_select_state(struct bw_session *session, const char *name, int *rank, struct bw_error *error)
{
	const struct bw_state *const *states;
	int n = bw_search_beam(session->search, session->cursor, &states);
	long number;
	if (!strcmp(name, "best"))
		number = 1;
	else if (!bw_read_number(name, LONG_MIN, LONG_MAX, &number))
		return bw_fail(error, BW_ERROR_USAGE, "\"%s\" is no state; states have numbers, 1 to %d here", name, n);
	if (number < 1 || number > n)
		return bw_fail(error, BW_ERROR_USAGE, "no state %ld; there are 1 to %d here", number, n);
	*rank = (int)number - 1;
	return true;
}

void bw_option_name(const struct bw_option *option, struct bw_text *out)
{
	if (option->bucket < 0)
		bw_text_printf(out, "#%d", option->number);
	else if (option->bucket < 26)
		bw_text_printf(out, "%c%d", 'A' + option->bucket, option->member);
	else
		bw_text_printf(out, "%c%c%d", 'A' + (option->bucket / 26 - 1) % 26, 'A' + option->bucket % 26,
			       option->member);
}

/* Returns true if the search would prefer an option to another: lower cost, then lower rank. */
static bool is_better(const struct bw_option *option, const struct bw_option *other)
{
	return option->cost < other->cost || (option->cost == other->cost && option->rank < other->rank);
}

int bw_best_option(const struct bw_expansion *expansion)
{
	int best = -1;
	for (int i = 0; i < expansion->n; i++) {
		const struct bw_option *option = &expansion->options[i];
		bool costed = option->fate == BW_FATE_KEPT || option->fate == BW_FATE_DROPPED ||
			      option->fate == BW_FATE_COSTED;
		if (costed && (best < 0 || is_better(option, &expansion->options[best])))
			best = i;
	}
	return best;
}

bool bw_select_option(struct bw_session *session, const char *name, int *number, struct bw_error *error)
{
	const struct bw_expansion *expansion = bw_session_expansion(session);
	if (!expansion)
		return bw_fail(error, BW_ERROR_FAILED, "no decision is left here; go back first");
	bool found = false;
	for (int i = 0; i < expansion->n && !found; i++) {
		BW_SCOPED_TEXT letters = {0};
		bw_option_name(&expansion->options[i], &letters);
		BW_SCOPED_MEMORY char *by_number = bw_format("#%d", i);
		found = !strcasecmp(bw_text_get(&letters), name) || !strcmp(by_number, name);
		if (found)
			*number = i;
	}
	if (!found)
		return bw_fail(error, BW_ERROR_USAGE, "no option %s in this decision; it has %d, #0 to #%d",
			       name, expansion->n, expansion->n - 1);
	return true;
}

bool bw_select_group(struct bw_session *session, const char *name, int *group, struct bw_error *error)
{
	const struct bw_expansion *expansion = bw_session_expansion(session);
	if (!expansion)
		return bw_fail(error, BW_ERROR_FAILED, "no decision is left here; go back first");
	for (int g = 0; g < BW_GROUP_BUCKETS + expansion->n_buckets; g++) {
		BW_SCOPED_TEXT known = {0};
		bw_group_name(g, &known);
		bool found = !strcasecmp(bw_text_get(&known), name);
		if (found) {
			*group = g;
			return true;
		}
	}
	return bw_fail(error, BW_ERROR_USAGE,
		       "no group \"%s\"; there are %d buckets from A on, second, and the rules", name,
		       expansion->n_buckets);
}

void bw_session_decision_name(const struct bw_session *session, int index, struct bw_text *out)
{
	if (index >= bw_search_n_decisions(session->search)) {
		bw_text_puts(out, "end");
		return;
	}
	const struct bw_decision *decision = bw_search_decision(session->search, index);
	if (decision->phase == BW_PHASE_PASS && decision->pass == 0)
		bw_text_puts(out, "end of the pre-pass");
	else if (decision->phase == BW_PHASE_PASS)
		bw_text_printf(out, "end of pass %d", decision->pass);
	else
		bw_text_printf(out, "%s.%s", session->pipeline->funcs[decision->func].name, bw_phase_name(decision->phase));
	if (decision->phase != BW_PHASE_PASS && bw_explain_several(session))
		bw_text_printf(out, "@%d", decision->pass);
}

/* Cuts the pass, `@2`, off a decision's name; leaves *pass unchanged if there is none. */
static void cut_pass(char *name, int first, int last, int *pass)
{
	char *at = strrchr(name, '@');
	long number;
	if (!at || !bw_read_number(at + 1, first, last, &number))
		return;
	*at = 0;
	*pass = (int)number;
}

/* Cuts `.where` or `.tile` off a decision's name. */
static enum bw_phase cut_phase(char *name)
{
	char *dot = strrchr(name, '.');
	for (int p = BW_PHASE_WHERE; dot && p <= BW_PHASE_TILE; p++)
		if (!strcmp(dot + 1, bw_phase_name((enum bw_phase)p))) {
			*dot = 0;
			return (enum bw_phase)p;
		}
	return BW_PHASE_WHERE;
}

bool bw_select_position(const struct bw_session *session, const char *name, int *position,
			struct bw_error *error)
{
	int n = bw_search_n_decisions(session->search);
	long number;
	if (!*name || !strcmp(name, "end")) {
		*position = n;
		return true;
	}
	if (bw_read_number(name, LONG_MIN, LONG_MAX, &number)) {
		*position = (int)number;
		return number >= 0 && number <= n
			   ? true
			   : bw_fail(error, BW_ERROR_USAGE, "no decision %ld; there are 0 to %d", number, n);
	}
	BW_SCOPED_MEMORY char *copy = bw_strdup(name);
	int pass = bw_search_pass(session->search, session->cursor);
	cut_pass(copy, bw_search_first_pass(session->search), bw_settings_passes(&session->options), &pass);
	enum bw_phase phase = cut_phase(copy);
	int func;
	bool good = bw_select_func(session, copy, &func, error);
	if (good)
		*position = bw_search_find(session->search, func, phase, pass);
	return good;
}

bool bw_family_folded(const struct bw_session *session, const struct bw_families *families, int func)
{
	bool toggled = session->toggled[families->of[func]];
	return families->size[func] > 1 && toggled != (session->pipeline->n_funcs >= BW_FOLD_FROM);
}
