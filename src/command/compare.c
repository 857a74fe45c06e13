/* `compare`: shows two schedules side by side. */

#include "command/commands.h"
#include "session/comparison.h"
#include "session/opinions.h"
#include "session/part.h"

/* One side of the comparison, before the comparison is made. */
struct side {
	char *label;
	const struct bw_nest *nest; /* its own reference to the nest */
};

static bool take(struct side *side, const char *kind, const char *name, const struct bw_nest *nest)
{
	*side = (struct side){bw_format("%s%s", kind, name), bw_nest_keep((struct bw_nest *)nest)};
	return true;
}

static bool take_state(struct call *call, int rank, struct side *side)
{
	BW_SCOPED_MEMORY char *number = bw_format("%d", rank + 1);
	return take(side, "state ", number, bw_search_state(call->session->search, call->session->cursor, rank)->nest);
}

static bool take_option(struct call *call, const struct bw_option *option, struct side *side)
{
	BW_SCOPED_TEXT name = {0};
	bool good = option->nest || bw_fail(call->error, BW_ERROR_FAILED,
					    "it cannot be, and there is nothing to compare: %s (%s)",
					    option->reason, bw_rule_name(option->rule));
	bw_option_name(option, &name);
	if (good)
		take(side, "option ", bw_text_get(&name), option->nest);
	return good;
}

/* Sets a side to the generator's own schedule: its nest if a schedule file has it, else only its name. */
static bool take_hand(struct call *call, struct side *side)
{
	struct bw_session *session = call->session;
	struct bw_nest *nest = NULL;
	if (session->source.hand && !(nest = bw_report_nest(session, session->source.hand, call->error)))
		return false;
	if (!nest && !session->source.compilable)
		return bw_fail(call->error, BW_ERROR_FAILED,
			       "%s is only described: what schedule its generator has by hand is not known",
			       session->source.name);
	*side = (struct side){bw_strdup(BW_HAND), nest};
	return true;
}

static bool take_before(struct call *call, struct side *side)
{
	const struct bw_nest *nest = bw_nest_before(call);
	return nest && take(side, "", BW_BEFORE, nest);
}

static bool fail_unknown(struct call *call, const char *name)
{
	int n;
	const struct bw_scheduler *schedulers = bw_schedulers(&n);
	BW_SCOPED_SUGGESTION known = {.unknown = name};
	bw_suggestion_add(&known, BW_HAND);
	bw_suggestion_add(&known, BW_BEFORE);
	bw_suggestion_add(&known, "best");
	for (int i = 0; i < n; i++)
		bw_suggestion_add(&known, schedulers[i].name);
	return bw_fail(call->error, BW_ERROR_USAGE,
		       "\"%s\" is no state here, no option of the decision at the cursor, no scheduler and no file%s%s",
		       name, known.nearest ? "; " : "", known.nearest ? bw_suggestion_say(&known, NULL) : "");
}

/* Sets a side by name: a state by its number, an option by its letter, `hand`, `before` (before the newest
 * command), a scheduler, or a file, whose name contains a dot or a slash. */
static bool take_named(struct call *call, const char *name, struct side *side)
{
	struct bw_session *session = call->session;
	struct bw_error ignored;
	int index;
	if (bw_select_state(session, name, &index, &ignored))
		return take_state(call, index, side);
	if (!strcmp(name, BW_HAND))
		return take_hand(call, side);
	if (!strcmp(name, BW_BEFORE))
		return take_before(call, side);
	if (strpbrk(name, "./")) {
		struct bw_nest *nest = bw_report_nest(session, name, call->error);
		if (nest)
			take(side, "", name, nest);
		bw_nest_drop(nest);
		return nest;
	}
	if (bw_scheduler_find(name, &ignored)) {
		struct bw_nest *nest = bw_opinion_nest(session, name, call->error);
		if (nest)
			take(side, "", name, nest);
		bw_nest_drop(nest);
		return nest;
	}
	if (bw_session_expansion(session) && bw_select_option(session, name, &index, &ignored))
		return take_option(call, &bw_session_expansion(session)->options[index], side);
	return fail_unknown(call, name);
}

/* Sets a side to the selection: an option in the decision view, else a state. */
static bool take_selected(struct call *call, struct side *side)
{
	struct bw_session *session = call->session;
	const struct bw_expansion *expansion = session->selection.option >= 0 ? bw_session_expansion(session) : NULL;
	bw_session_state(session);
	return expansion ? take_option(call, &expansion->options[session->selection.option], side)
			 : take_state(call, session->selection.state, side);
}

/* Sets the other side to its default: the best state or, if that is the selected one, the next. */
static bool take_other(struct call *call, struct side *side)
{
	struct bw_session *session = call->session;
	const struct bw_state *const *states;
	const struct bw_expansion *expansion = session->selection.option >= 0 ? bw_session_expansion(session) : NULL;
	int n = bw_search_beam(session->search, session->cursor, &states),
	    rank = session->selection.state ? 0 : 1, best = expansion ? bw_best_option(expansion) : -1;
	if (expansion && best >= 0 && best != session->selection.option)
		return take_option(call, &expansion->options[best], side);
	if (expansion)
		return bw_fail(call->error, BW_ERROR_USAGE, "compare it with which option? it is the best one");
	return n > 1 ? take_state(call, rank, side)
		     : bw_fail(call->error, BW_ERROR_USAGE, "compare it with what? there is one state here");
}

static bool take_sides(struct call *call, struct side *sides)
{
	const char *second = call->rest;
	BW_SCOPED_MEMORY char *first = bw_take_word(&second);
	bool good, before = !*second && !strcmp(first, BW_BEFORE);
	if (*second)
		good = take_named(call, first, &sides[0]) && take_named(call, second, &sides[1]);
	else if (before)
		good = take_before(call, &sides[0]) && take_selected(call, &sides[1]);
	else
		good = take_selected(call, &sides[0]) &&
		       (*first ? take_named(call, first, &sides[1]) : take_other(call, &sides[1]));
	return good;
}

/* Reports that one side can only be measured. */
static void tell_unknown(struct call *call, const struct bw_comparison *comparison)
{
	bool both = !comparison->nests[0] && !comparison->nests[1];
	int known = !comparison->nests[0];
	if (both)
		bw_session_say(call, "hand with itself: `time hand` measures it");
	else
		bw_session_say(
		    call,
		    "%.200s %.4g %s; the schedule by hand is in the generator's C++ alone, of which nothing is predicted: `time hand` measures it",
		    comparison->labels[known], comparison->costs[known].total,
		    call->session->options.model->said);
}

/* Returns `hint`, which points to the comparison with the schedule by hand, if there is such a schedule and
 * no state was named. Otherwise returns "". */
static const char *by_hand(const struct call *call, const char *hint)
{
	const struct bw_source *source = &call->session->source;
	return !*call->rest && call->session->selection.option < 0 && (source->hand || source->compilable) ? hint : "";
}

/* Reports in one line both total costs and the Funcs that are placed differently. */
static void tell(struct call *call)
{
	struct bw_session *session = call->session;
	const struct bw_comparison *comparison = bw_session_comparison(session);
	const struct bw_nest *a = comparison->nests[0], *b = comparison->nests[1];
	if (!a || !b) {
		tell_unknown(call, comparison);
		return;
	}
	double before = comparison->costs[0].total, after = comparison->costs[1].total;
	BW_SCOPED_TEXT names = {0}, line = {0};
	int differ = 0, n = 0;
	for (int f = session->pipeline->n_funcs - 1; f >= 0; f--) {
		n += !session->pipeline->funcs[f].input;
		if (session->pipeline->funcs[f].input || bw_comparison_same(comparison, f))
			continue;
		bw_text_printf(&names, "%s %s", differ ? "," : ":", session->pipeline->funcs[f].name);
		differ++;
	}
	bw_text_printf(&line, "%s %.4g %s, %s %.4g", comparison->labels[0], before,
		       session->options.model->said, comparison->labels[1], after);
	if (a->n_placed == b->n_placed && before > 0)
		bw_text_printf(&line, ", %s", bw_change_of(session->options.model, before, after).text);
	else if (a->n_placed != b->n_placed)
		bw_text_printf(&line, ", of %d and %d Funcs", a->n_placed, b->n_placed);
	bw_session_say(call, "%.200s%s; %d of %d Funcs differ%.280s", bw_text_get(&line),
		       by_hand(call, "; `compare hand`: with that by hand"), differ, n, bw_text_get(&names));
}

/* Starts to compile and count each side whose code is missing. */
static bool want_code(struct call *call)
{
	struct bw_session *session = call->session;
	const struct bw_comparison *comparison = bw_session_comparison(session);
	bool known = true;
	for (int i = 0; i < 2; i++) {
		if (bw_comparison_code(session, comparison, i))
			continue;
		known = false;
		if (bw_session_time(session, comparison->nests[i], comparison->labels[i], BW_TO_COUNT, call->error) ==
		    BW_TIMED_NOT)
			return false;
	}
	bw_session_say(call, known ? "the code of %.200s and %.200s%s" : "compiling %.200s and %.200s, to compare their code%s",
		       comparison->labels[0], comparison->labels[1], by_hand(call, "; `compare code hand`: by hand"));
	return true;
}

bool bw_command_compare(struct call *call)
{
	static const char word[] = "code";
	if (!strcmp(call->rest, "--all"))
		return bw_session_part(call->session, BW_PART_OPINIONS)->command(call);
	struct side sides[2] = {{0}};
	struct call of = *call;
	bool code = !strncmp(call->rest, word, sizeof word - 1) && strchr(" \t", call->rest[sizeof word - 1]);
	if (code)
		of.rest += sizeof word - 1 + strspn(call->rest + sizeof word - 1, " \t");
	if (!take_sides(&of, sides)) {
		for (int i = 0; i < 2; i++) {
			free(sides[i].label);
			bw_nest_drop((struct bw_nest *)sides[i].nest);
		}
		return false;
	}
	bw_comparison_set(call->session, (char *const[]){sides[0].label, sides[1].label},
			  (const struct bw_nest *const[]){sides[0].nest, sides[1].nest}, code);
	if (code && !want_code(&of))
		return false;
	strcpy(call->session->view, "compare");
	*call->session->pane = 0;
	if (!code)
		tell(call);
	return true;
}
