/* `why`: explains choices by the search's records and the terms of the costs. */

#include "command/commands.h"
#include "figures/attribution.h"
#include "figures/lineage.h"
#include "nest/words.h"
#include "session/lens.h"
#include "session/comparison.h"
#include "session/explain.h"

static void ordinal(long number, struct bw_text *out)
{
	const char *ending = number % 100 / 10 == 1 ? "th"
			     : number % 10 == 1     ? "st"
			     : number % 10 == 2     ? "nd"
			     : number % 10 == 3     ? "rd"
						    : "th";
	bw_text_printf(out, "%ld%s", number, ending);
}

/* Appends `A3  at output.block 1x4: `, which the option's fate follows. */
static void why_name(const struct bw_session *session, const struct bw_option *option, struct bw_text *out)
{
	bw_option_name(option, out);
	bw_text_puts(out, "  ");
	if (option->placement)
		bw_placement_words(session->pipeline, option->placement, out);
	else
		bw_text_puts(out, "nothing to decide");
	bw_text_puts(out, ": ");
}

/* Fills `order` with all terms, sorted by falling absolute value. */
static void sort_terms(const double *terms, int order[BW_MOST_TERMS])
{
	for (int t = 0; t < BW_MOST_TERMS; t++) {
		int at = t;
		for (; at > 0 && fabs(terms[order[at - 1]]) < fabs(terms[t]); at--)
			order[at] = order[at - 1];
		order[at] = t;
	}
}

/* Appends a stage's cost by terms, the greatest first, with the unit behind each figure. */
static void why_terms(const struct bw_session *session, const struct bw_stage_cost *stage,
		      struct bw_text *out)
{
	const struct bw_cost_model *model = session->options.model;
	int order[BW_MOST_TERMS];
	sort_terms(stage->terms, order);
	for (int i = 0; i < BW_MOST_TERMS && stage->terms[order[i]] > 0; i++)
		bw_text_printf(out, "%s %s %.3g%s%s", i ? "," : "", model->terms[order[i]].name,
			       stage->terms[order[i]], *model->unit ? " " : "", model->unit);
}

/* Appends the cost terms of the stages of the option's Func. */
static void why_stages(struct bw_session *session, const struct bw_option *option, const struct bw_cost *cost,
		       struct bw_text *out)
{
	const struct bw_func *func = &session->pipeline->funcs[option->placement->func];
	for (int s = 0; s < func->n_stages; s++) {
		const struct bw_stage_cost *stage = &cost->stages[func->first_stage + s];
		bw_text_printf(out, "  %s", func->name);
		if (s)
			bw_text_printf(out, ".update%d", s - 1);
		bw_text_printf(out, " itself %.4g %s:", stage->ms, session->options.model->said);
		why_terms(session, stage, out);
		bw_text_printf(
		    out, "\n  computed %.3gx, achieved occupancy %.0f%%, SMs busy %.0f%%, lanes busy %.0f%%\n",
		    stage->recompute, 100 * stage->occupancy, 100 * stage->busy_sms, 100 * stage->busy_lanes);
	}
}

static void why_cost(struct bw_session *session, const struct bw_option *option, struct bw_text *out)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct bw_cost cost = bw_search_cost(session->search, option->nest, arena);
	double more = cost.total - bw_session_state(session)->cost;
	bw_text_printf(out, "  %#.4g %s so far, %s%.4g over its parent\n", cost.total,
		       session->options.model->said, more < 0 ? "-" : "+", more < 0 ? -more : more);
	if (option->placement && option->placement->compute.kind != BW_SITE_INLINE)
		why_stages(session, option, &cost, out);
}

/* Appends how many options of the same bucket were drawn. */
static void why_unsampled(struct bw_session *session, const struct bw_option *option, struct bw_text *out)
{
	const struct bw_expansion *expansion = bw_session_expansion(session);
	int drawn = 0, members = 0;
	for (int i = 0; i < expansion->n; i++) {
		const struct bw_option *other = &expansion->options[i];
		bool alike = other->bucket >= 0 && other->bucket == option->bucket;
		members += alike;
		drawn += alike && other->fate != BW_FATE_UNSAMPLED;
	}
	bw_text_printf(
	    out, "not sampled: of a bucket of %d alike %d were drawn; costed now, outside the search:\n",
	    members, drawn);
}

/* Explains the boundary between two passes. Nothing is chosen there, but Funcs may be frozen from there
 * on. */
static void why_pass(const struct bw_session *session, int pass, struct bw_text *out)
{
	const struct bw_frozen *frozen;
	int n = bw_search_frozen(session->search, pass + 1, &frozen);
	bw_text_printf(out, "pass %d begins here, with nothing placed", pass + 1);
	bw_text_printf(out, n ? "; %d Func%s frozen:\n" : "\n", n, n == 1 ? " is" : "s are");
	for (int i = 0; i < n; i++) {
		bw_text_puts(out, "  ");
		bw_placement_words(session->pipeline, frozen[i].constraint.placement, out);
		bw_text_puts(out, ": ");
		bw_frozen_words(session, &frozen[i], out);
		bool held = bw_search_frozen_on(session->search, frozen[i].constraint.placement->func, pass + 1);
		bw_text_puts(out, held ? "\n" : "; the user says otherwise\n");
	}
}

void bw_why_option(struct bw_session *session, const struct bw_option *option, struct bw_text *out)
{
	const struct bw_decision *decision = bw_search_decision(session->search, session->cursor);
	if (decision->phase == BW_PHASE_PASS) {
		why_pass(session, decision->pass, out);
		return;
	}
	why_name(session, option, out);
	switch (option->fate) {
	case BW_FATE_PRUNED:
		bw_text_printf(out, "pruned by %s: %s\n  %s%s\n", bw_rule_name(option->rule), option->reason,
			       bw_rule_meaning(option->rule),
			       bw_rule_hard(option->rule) ? " (a hard limit)" : "");
		return;
	case BW_FATE_SECOND_CHOICE:
		bw_text_printf(out, "second choice, %s: %s\n  not costed, since other options were left\n",
			       bw_rule_name(option->rule), option->reason);
		return;
	case BW_FATE_UNSAMPLED:
		why_unsampled(session, option, out);
		break;
	case BW_FATE_COSTED:
		bw_text_puts(out, "costed; the decision is not made yet\n");
		break;
	default: {
		bw_text_printf(out, "%s, ", bw_fate_name(option->fate));
		if (option->rank < 0)
			bw_text_printf(out, "behind the %d recorded", decision->n_recorded);
		else
			ordinal(bw_child_place(decision, bw_decision_child(decision, option->rank)) + 1, out);
		bw_text_printf(out, " of %d children; the beam keeps %d", decision->n_children, session->options.beam);
		int twin = option->fate == BW_FATE_DROPPED ? bw_option_twin(session, option) : -1;
		if (twin >= 0)
			bw_text_printf(out, ", in which state %d has the same schedule", twin + 1);
		if (option->fate == BW_FATE_DROPPED_OUT)
			bw_text_printf(out, ", and random_dropout=%d left this one out", session->options.random_dropout);
		bw_text_puts(out, "\n");
		if (decision->phase != BW_PHASE_PASS) {
			bw_text_puts(out, "  ");
			bw_penalty_words(session, option, out);
			bw_text_puts(out, "\n");
		}
		if (option->rule != BW_RULE_NONE && !option->pinned) {
			bw_text_puts(out, "  ");
			bw_objection_words(option, out);
			bw_text_puts(out, "\n");
		}
	}
	}
	if (option->pinned)
		bw_text_printf(out, "  pinned by hand: of the states with it the beam keeps the best\n");
	if (option->pinned && option->rule != BW_RULE_NONE)
		bw_text_printf(out, "  else it would be pruned by %s: %s\n", bw_rule_name(option->rule), option->reason);
	why_cost(session, option, out);
}

void bw_marks_words(const struct bw_session *session, int func, struct bw_text *out)
{
	static const enum bw_constraint_source sources[] = {BW_CONSTRAINT_REJECT, BW_CONSTRAINT_PIN};
	const struct bw_constraints *constraints = bw_search_constraints(session->search);
	int pass = bw_search_pass(session->search, session->cursor), n = 0;
	for (int s = 0; s < 2 && !bw_constraint_on(constraints, func, pass); s++) {
		const char *before = n ? "; " : "";
		for (int i = 0; i < constraints->n; i++) {
			const struct bw_constraint *mark = &constraints->list[i];
			if (mark->source != sources[s] || mark->placement->func != func || !bw_constraint_applies(mark, pass))
				continue;
			BW_SCOPED_TEXT words = {0};
			if (mark->sizes)
				bw_placement_words(session->pipeline, mark->placement, &words);
			else
				bw_placement_print_head(session->pipeline, mark->placement, &words);
			bool first = *before != ',';
			bw_text_printf(out, "%s%s%s%s", before, first ? bw_constraint_words(mark) : "",
				       first ? ": " : "", bw_text_get(&words));
			before = ", ";
			n++;
		}
	}
}

static void why_marks(const struct bw_session *session, int func, struct bw_text *out)
{
	BW_SCOPED_TEXT words = {0};
	bw_marks_words(session, func, &words);
	if (words.length)
		bw_text_printf(out, "  %s\n", bw_text_get(&words));
}

static void why_constraint(struct bw_session *session, int func, struct bw_text *out)
{
	why_marks(session, func, out);
	const struct bw_constraint *constraint = bw_session_constraint(session, func);
	if (!constraint)
		return;
	bool sized = constraint->sizes || (constraint->source == BW_CONSTRAINT_SEARCH &&
					   constraint->placement->compute.kind == BW_SITE_INLINE);
	bw_text_printf(out, "  constraint: %s%s", bw_constraint_words(constraint),
		       sized ? "" : ", its sizes are free");
	if (constraint->source == BW_CONSTRAINT_SEARCH) {
		bw_text_puts(out, ": ");
		bw_frozen_words(session, bw_session_frozen(session, func), out);
	}
	bw_text_puts(out, "\n");
}

/* Explains from its record the decision that placed a Func: the number of options, and their fates. */
static void why_decision(struct bw_session *session, int func, enum bw_phase phase, struct bw_text *out)
{
	int index = bw_search_find(session->search, func, phase, bw_search_pass(session->search, session->cursor));
	if (index < 0 || index >= session->cursor)
		return;
	const struct bw_decision *decision = bw_search_decision(session->search, index);
	bw_text_puts(out, "  ");
	bw_session_decision_name(session, index, out);
	bw_text_printf(out, ": %ld option%s from all parents, %ld costed", decision->enumerated,
		       decision->enumerated == 1 ? "" : "s", decision->costed);
	if (decision->second)
		bw_text_printf(out, ", %ld second choice%s", decision->second, decision->second == 1 ? "" : "s");
	for (int r = 0; r < BW_N_RULES; r++)
		if (decision->pruned[r])
			bw_text_printf(out, ", %ld pruned by %s", decision->pruned[r], bw_rule_name((enum bw_rule)r));
	if (decision->stood_in)
		bw_text_puts(out, "; none was legal, and the best schedule of the pass that froze went on in their place");
	if (decision->let_go)
		bw_text_printf(out, "; what is frozen was not legal in %d state%s and let go there",
			       decision->let_go, decision->let_go == 1 ? "" : "s");
	bw_text_puts(out, "\n");
}

/* Appends the name of a stage and a blank; nothing if the Func has no updates. */
static void stage_name(const struct bw_func *func, int stage, struct bw_text *out)
{
	if (stage)
		bw_text_printf(out, "update%d ", stage - 1);
	else if (func->n_stages > 1)
		bw_text_puts(out, "the definition ");
}

/* Appends how each load of the Func's stages is staged, a line each. */
static void why_stagings(struct bw_session *session, int func, struct bw_text *out)
{
	const struct bw_nest *nest = bw_session_state(session)->nest;
	BW_SCOPED_ARENA *arena = bw_arena_new();
	for (int s = 0; s < nest->placed[func]->placement->n_stages; s++) {
		struct bw_stagings stagings = bw_nest_stagings(nest, func, s, arena);
		for (int i = 0; i < stagings.n; i++) {
			bw_text_puts(out, "  ");
			stage_name(&session->pipeline->funcs[func], s, out);
			bw_text_puts(out, "loads ");
			bw_staging_words(session->pipeline, &stagings.list[i], out);
			bw_text_puts(out, "\n");
		}
	}
}

/* Appends the cost of each Func that is inlined in a stage, and how often it is computed. */
static void why_inlined(struct bw_session *session, int func, int stage, struct bw_text *out)
{
	static const double least = 0.005;
	const struct bw_nest *nest = bw_session_state(session)->nest;
	const struct bw_stage_cost *cost =
	    &bw_session_cost(session)->stages[session->pipeline->funcs[func].first_stage + stage];
	BW_SCOPED_ARENA *arena = bw_arena_new();
	int n;
	const struct bw_part *parts = bw_parts_of(nest, func, stage, session->options.model, cost,
						  bw_search_device(session->search), arena, &n);
	for (int i = 0; i < n; i++) {
		const struct bw_placed *placed = nest->placed[parts[i].func];
		if (parts[i].func == func || parts[i].ms < least * cost->ms)
			continue;
		bw_text_printf(out, "  of this %s in %s, inlined: %.4g call%s a point", bw_say_percent(parts[i].ms / cost->ms).text,
			       session->pipeline->funcs[parts[i].func].name, parts[i].calls,
			       parts[i].calls == 1 ? "" : "s");
		double needed = placed->minimum_points,
		       again = needed > 0 ? bw_busy_points(nest, parts[i].func) / needed : 0;
		bw_text_printf(out, again > 0 ? ", computed %s\n" : "\n", bw_say_times(again).text);
	}
}

/* If a stage is computed in one kernel with other Funcs, appends that kernel's share of the whole cost:
 * `, its kernel output 50%`. */
static void why_kernel(struct bw_session *session, int func, int stage, struct bw_text *out)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	const struct bw_pipeline *pipeline = session->pipeline;
	const struct bw_cost *cost = bw_session_cost(session);
	int n;
	const struct bw_kernel *kernels = bw_nest_kernels(bw_session_state(session)->nest, arena, &n);
	for (int k = 0; k < n && cost->total > 0; k++) {
		const struct bw_kernel *kernel = &kernels[k];
		double all = cost->stages[pipeline->funcs[kernel->func].first_stage + kernel->stage].ms;
		bool own = kernel->func == func && kernel->stage == stage, others = false;
		for (int i = 0; i < kernel->n_members; i++) {
			const struct bw_func *member = &pipeline->funcs[kernel->members[i]];
			if (kernel->members[i] == kernel->func)
				continue;
			own |= kernel->members[i] == func;
			others = true;
			for (int s = 0; s < member->n_stages; s++)
				all += cost->stages[member->first_stage + s].ms;
		}
		if (own && others)
			bw_text_printf(out, ", its kernel %s %s", pipeline->funcs[kernel->func].name,
				       bw_say_percent(all / cost->total).text);
	}
}

void bw_why_func(struct bw_session *session, int func, struct bw_text *out)
{
	const struct bw_func *f = &session->pipeline->funcs[func];
	const struct bw_placed *placed = bw_session_state(session)->nest->placed[func];
	if (!placed) {
		bw_text_printf(out, "%s: not placed yet; its decisions begin at %d\n", f->name,
			       bw_search_find(session->search, func, BW_PHASE_WHERE,
					      bw_search_pass(session->search, session->cursor)));
		why_constraint(session, func, out);
		return;
	}
	bw_placement_words(session->pipeline, placed->placement, out);
	bw_text_puts(out, "\n");
	why_constraint(session, func, out);
	double points = bw_busy_points(bw_session_state(session)->nest, func);
	if (placed->minimum_points > 0)
		bw_text_printf(out, "  computed %.3gx: %s points where %s are needed\n",
			       points / placed->minimum_points, bw_say_count(points).text,
			       bw_say_count(placed->minimum_points).text);
	const struct bw_cost *cost = bw_session_cost(session);
	for (int s = 0; s < f->n_stages; s++) {
		const struct bw_stage_cost *stage = &cost->stages[f->first_stage + s];
		if (!stage->placed)
			continue;
		bw_text_puts(out, "  ");
		stage_name(f, s, out);
		bw_text_printf(out, "costs %.4g %s, %s of all", stage->ms, session->options.model->said,
			       bw_say_percent(cost->total > 0 ? stage->ms / cost->total : 0).text);
		why_kernel(session, func, s, out);
		bw_text_puts(out, ":");
		why_terms(session, stage, out);
		bw_text_printf(out, "\n  bound by %s, its greatest part; achieved occupancy %.0f%%, SMs busy %.0f%%, lanes busy %.0f%%\n",
			       session->options.model->terms[stage->bound].name, 100 * stage->occupancy,
			       100 * stage->busy_sms, 100 * stage->busy_lanes);
		why_inlined(session, func, s, out);
	}
	why_stagings(session, func, out);
	for (int p = BW_PHASE_WHERE; p <= BW_PHASE_TILE; p++)
		why_decision(session, func, (enum bw_phase)p, out);
}

/* Appends the choices that led from the start to a state, one per line. */
static void why_path(struct bw_session *session, const struct bw_state *state, struct bw_text *out)
{
	if (!state->parent)
		return;
	why_path(session, state->parent, out);
	const struct bw_decision *decision = bw_search_decision(session->search, state->position - 1);
	const struct bw_placed *placed = state->nest->placed[decision->func];
	if (placed == state->parent->nest->placed[decision->func])
		return;
	bw_text_printf(out, "  %3d  from state %d  %#.4g  ", state->position, state->parent_rank + 1, state->cost);
	bw_placement_words(session->pipeline, placed->placement, out);
	bw_text_puts(out, "\n");
}

/* Appends the changes by polishing, one per line. */
static void why_polished(const struct bw_session *session, const struct bw_polish *polish,
			 struct bw_text *out)
{
	bw_text_puts(out, "  ");
	bw_polish_words(session, polish, out);
	bw_text_puts(out, "\n");
	for (int i = 0; i < polish->n; i++) {
		const struct bw_polish_step *step = &polish->steps[i];
		bw_text_printf(out, "  %3d  %#.4g  ", i + 1, step->after);
		bw_placement_words(session->pipeline, step->from, out);
		bw_text_puts(out, " -> ");
		bw_placement_words(session->pipeline, step->to, out);
		bw_text_puts(out, "\n");
	}
}

/* Appends the decisive decision, and the `most` decisions that mattered most: those whose runner-up would
 * cost most at the end. On a screen these costs are found in the background. */
static void why_decisions(struct bw_session *session, int most, struct bw_text *out)
{
	int n, all;
	bw_regrets_finish(session, most);
	BW_SCOPED_MEMORY struct bw_regret *sorted = bw_regrets_sorted(session, &n);
	bw_decided_words(session, out);
	bw_text_puts(out, n ? "; the best with the runner-up of each in its place, polished:\n" : "\n");
	for (int i = 0; i < n && i < most; i++) {
		bw_text_puts(out, "  ");
		bw_session_decision_name(session, sorted[i].decision, out);
		bw_text_puts(out, "  ");
		bw_regret_cost_words(session, &sorted[i], out);
		bw_text_puts(out, ": ");
		bw_regret_words(session, &sorted[i], out);
		bw_text_puts(out, "\n");
	}
	if (bw_regrets_found(session, most) && bw_regrets_number(session) > most)
		bw_text_printf(out, "  and %d more, which end at less\n", bw_regrets_number(session) - most);
	if (bw_regrets_progress(session, &all) < all && bw_regrets_go_on(session))
		bw_text_puts(out, "  the rest is searched in the background; ask again\n");
}

void bw_why_state(struct bw_session *session, int rank, struct bw_text *out)
{
	enum { MOST_DECISIONS = 3 };
	const struct bw_state *const *states;
	int n = bw_search_beam(session->search, session->cursor, &states);
	bw_text_printf(out, "state %d of %d: %#.4g %s%s", rank + 1, n, states[rank]->cost, session->options.model->said,
		       bw_nest_complete(states[rank]->nest) ? "" : " so far");
	if (rank > 0 && states[0]->cost > 0)
		bw_text_printf(out, ", %s against the best", bw_change_of(session->options.model, states[0]->cost, states[rank]->cost).text);
	const struct bw_polish *polish = rank ? NULL : bw_search_polish(session->search, session->cursor);
	if (polish) {
		bw_text_puts(out, "\n");
		why_decisions(session, MOST_DECISIONS, out);
	}
	bw_text_puts(out, polish ? "its way here:\n" : "; its way here:\n");
	why_path(session, polish && polish->n ? states[rank]->parent : states[rank], out);
	if (polish)
		why_polished(session, polish, out);
}

/* `why OPTION not OPTION`: the fates of both options, and the terms in which their costs differ. */

/* Appends the fate of an option in one line: `A3  at output.block 1x4: kept, 5th; 0.0517 ms`. */
static void say_fate(struct bw_session *session, const struct bw_option *option, double cost,
		     struct bw_text *out)
{
	why_name(session, option, out);
	bw_text_puts(out, bw_fate_name(option->fate));
	if (option->rank >= 0)
		bw_text_printf(out, ", %d of the children cost less", option->rank);
	if (option->rule != BW_RULE_NONE)
		bw_text_printf(out, " (%s: %s)", bw_rule_name(option->rule), option->reason);
	if (cost > 0)
		bw_text_printf(out, "; %.4g %s so far", cost, session->options.model->said);
	bw_text_puts(out, "\n");
}

void bw_why_rather(struct bw_session *session, const struct bw_option *option, const struct bw_option *other,
		   struct bw_text *out)
{
	const struct bw_option *options[] = {option, other};
	BW_SCOPED_ARENA *arena = bw_arena_new();
	double terms[2][BW_MOST_TERMS], totals[2] = {0};
	const char *unit = session->options.model->said;
	for (int i = 0; i < 2; i++) {
		struct bw_cost cost = options[i]->nest
					  ? bw_search_cost(session->search, options[i]->nest, arena)
					  : (struct bw_cost){0};
		totals[i] = cost.total;
		if (options[i]->nest)
			bw_cost_terms(session->pipeline, &cost, -1, terms[i]);
	}
	bool both = totals[0] > 0 && totals[1] > 0;
	if (both)
		bw_text_printf(out, "%.4g against %.4g %s, %s:\n", totals[0], totals[1], unit,
			       bw_change_of(session->options.model, totals[1], totals[0]).text);
	else
		bw_text_puts(out, "they cannot be compared: one of them cannot be\n");
	for (int i = 0; i < 2; i++) {
		bw_text_puts(out, "  ");
		say_fate(session, options[i], totals[i], out);
	}
	if (!both)
		return;
	double differ[BW_MOST_TERMS];
	int order[BW_MOST_TERMS];
	for (int t = 0; t < BW_MOST_TERMS; t++)
		differ[t] = terms[0][t] - terms[1][t];
	sort_terms(differ, order);
	for (int i = 0, t = order[0]; i < BW_MOST_TERMS && fabs(differ[t = order[i]]) > 1e-9 * totals[0]; i++)
		bw_text_printf(out, "  %-13s %.4g against %.4g, %+.3g\n", session->options.model->terms[t].name,
			       terms[0][t], terms[1][t], differ[t]);
}

/* `why` in the views `override` and `tile`: explains how the selected alternative changes the cost, or which
 * rule forbids it. */

/* Appends how the cost of a Func differs, and in which terms, with units. Differences below a thousandth of
 * the state's cost are omitted. */
static void why_func(const struct bw_session *session, const struct bw_cost costs[2], int func,
		     struct bw_text *out)
{
	const struct bw_cost_model *model = session->options.model;
	double terms[2][BW_MOST_TERMS], differ[BW_MOST_TERMS], sums[2] = {0}, least = costs[0].total / 1000;
	int order[BW_MOST_TERMS];
	for (int side = 0; side < 2; side++) {
		bw_cost_terms(session->pipeline, &costs[side], func, terms[side]);
		for (int t = 0; t < BW_MOST_TERMS; t++)
			sums[side] += terms[side][t];
	}
	if (fabs(sums[1] - sums[0]) < least)
		return;
	bw_text_printf(out, "  %s %.3g -> %.3g %s:", session->pipeline->funcs[func].name, sums[0], sums[1],
		       model->said);
	for (int t = 0; t < BW_MOST_TERMS; t++)
		differ[t] = terms[1][t] - terms[0][t];
	sort_terms(differ, order);
	for (int i = 0, t = order[0]; i < BW_MOST_TERMS && fabs(differ[t = order[i]]) >= least; i++)
		bw_text_printf(out, "%s %s %+.2g%s%s", i ? "," : "", model->terms[t].name, differ[t],
			       *model->unit ? " " : "", model->unit);
	bw_text_puts(out, "\n");
}

/* Explains the cost of the selected state with a change. reason: the rule that prunes the change; NULL:
 * none. */
static void why_costs(struct bw_session *session, const struct bw_nest *nest, double cost, const char *reason,
		      struct bw_text *out)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct bw_cost costs[2] = {*bw_session_cost(session), bw_search_cost(session->search, nest, arena)};
	bw_text_printf(out, "  the whole would cost %.4g %s in place of %.4g (%s)\n", cost,
		       session->options.model->said, costs[0].total,
		       bw_change_of(session->options.model, costs[0].total, cost).text);
	for (int f = 0; f < session->pipeline->n_funcs; f++)
		why_func(session, costs, f, out);
	if (reason)
		bw_text_printf(out, "  the search itself prunes it by %s\n", reason);
}

/* Explains the block with a moved edge. */
static void why_lens(struct bw_session *session, const struct bw_lens *lens, struct bw_text *out)
{
	bw_placement_words(session->pipeline, lens->moved.placement, out);
	bw_text_puts(out, " in place of ");
	bw_placement_words(session->pipeline, lens->now.placement, out);
	bw_text_puts(out, ", all else as it is\n");
	if (lens->moved.cost > 0)
		why_costs(session, lens->moved.nest, lens->moved.cost, lens->reason, out);
	else
		bw_text_printf(out, "  cannot be: %s\n", lens->reason ? lens->reason : "it is not legal here");
}

bool bw_why_alternative(struct bw_session *session, struct bw_text *out)
{
	const struct bw_lens *lens = strcmp(session->view, "tile") ? NULL : bw_session_lens(session);
	if (lens) {
		why_lens(session, lens, out);
		return true;
	}
	int n, chosen = session->selection.alternative;
	bool shown = !strcmp(session->view, "override") || !strcmp(session->view, "tile");
	const struct bw_alternative *list = shown && chosen > 0 ? bw_session_alternatives(session, &n) : NULL;
	if (!list || chosen >= n)
		return false;
	while (!list[chosen].known && bw_alternatives_pending(session))
		bw_alternatives_price(session);
	const struct bw_alternative *alternative = &list[chosen];
	if (alternative->cost > 0)
		bw_placement_words(session->pipeline, alternative->placement, out);
	else
		bw_text_printf(out, "%s %s %s", session->pipeline->funcs[session->selection.func].name,
			       bw_override_name(alternative->override), alternative->value);
	bw_text_puts(out, " in place of ");
	bw_placement_words(session->pipeline, list[0].placement, out);
	bw_text_puts(out, ", all else as it is\n");
	const struct bw_alternative *taken;
	BW_SCOPED_NEST *nest = bw_session_alternative_nest(session, &taken);
	if (alternative->cost > 0)
		why_costs(session, nest, alternative->cost, alternative->reason, out);
	else
		bw_text_printf(out, "  cannot be: %s\n",
			       alternative->reason ? alternative->reason : "it is not legal here");
	return true;
}

/* Appends from which decision on the best schedule descends from the cheapest state, and where its ancestor
 * came closest to dropping out of the beam. */
static void put_way(const struct bw_session *session, const struct bw_lineage *lineage, struct bw_text *out)
{
	if (lineage->leads >= 0) {
		bw_text_puts(out, "from ");
		bw_session_decision_name(session, lineage->leads, out);
		bw_text_puts(out, " on the best comes from the cheapest state\n");
	}
	if (lineage->tightest < 0)
		return;
	const struct bw_lineage_step *step = &lineage->steps[lineage->tightest];
	bw_text_puts(out, "it was nearest to being lost at ");
	bw_session_decision_name(session, lineage->tightest, out);
	bw_text_printf(out, ", as the %s of %d states: a beam of fewer than %d drops it\n",
		       bw_say_rank(step->winner).text, step->n, step->winner + 1);
}

void bw_why_search(struct bw_session *session, struct bw_text *out)
{
	enum { MOST = 10 };
	int end = bw_search_n_decisions(session->search);
	if (bw_search_reached(session->search) < end) {
		bw_text_puts(out, "the search is not at its end; `run` goes there\n");
		return;
	}
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct bw_lineage lineage = bw_lineage_of(session->search, arena);
	const struct bw_polish *polish = bw_search_polish(session->search, end);
	put_way(session, &lineage, out);
	if (polish) {
		bw_polish_words(session, polish, out);
		bw_text_puts(out, "\n");
	}
	why_decisions(session, MOST, out);
}
