/* Expands one parent state for one decision: options are proposed, judged and costed. The search and the
 * command `why` both use this code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search/search_private.h"

/* Adds an option that a constraint names with its sizes, if no enumerator proposes it. */
static void propose_asked(struct bw_expanding *expanding, const struct bw_constraint *constraint)
{
	for (int i = 0; i < expanding->proposals.n; i++)
		if (expanding->proposals.list[i].placement &&
		    bw_placement_equal(expanding->proposals.list[i].placement, constraint->placement))
			return;
	bw_propose(&expanding->proposals, bw_placement_keep(constraint->placement),
		   constraint->placement->hash, 1);
	expanding->proposals.list[expanding->proposals.n - 1].asked = true;
}

static void propose_constraints(struct bw_expanding *expanding)
{
	const struct bw_question *question = &expanding->question;
	if (question->phase != BW_PHASE_WHERE)
		return;
	if (bw_question_pinned(question))
		propose_asked(expanding, question->constraint);
	for (int i = 0; question->marks && i < question->marks->n; i++) {
		const struct bw_constraint *mark = &question->marks->list[i];
		if (mark->source == BW_CONSTRAINT_PIN && mark->sizes &&
		    mark->placement->func == question->func && bw_constraint_applies(mark, question->pass))
			propose_asked(expanding, mark);
	}
}

void bw_expanding_begin(struct bw_expanding *expanding, const struct bw_question *question, const double *ms,
			bool lean)
{
	*expanding = (struct bw_expanding){.question = *question, .lean = lean};
	expanding->question.silent = lean;
	for (int less = 0; less < 2; less++)
		expanding->others[less] = question->parent->structures[less] -
					  bw_placed_structure(question->parent->nest->placed[question->func],
							      question->pass - less);
	bw_pricing_begin(&expanding->pricing, question, ms);
}

/* Returns the state that an option without a placement leads to. */
static const struct bw_state *unchanged(const struct bw_question *question)
{
	return question->phase == BW_PHASE_PASS ? bw_state_first(question->parent) : question->parent;
}

/* Proposes the options, unless they are proposed already. Returns false if it was stopped. */
static bool propose(struct bw_expanding *expanding)
{
	const struct bw_question *question = &expanding->question;
	if (expanding->proposed)
		return true;
	if (question->phase == BW_PHASE_WHERE && !bw_enumerate_sites(question, &expanding->proposals))
		return false;
	if (question->phase == BW_PHASE_TILE && !bw_enumerate_tiles(question, &expanding->proposals))
		return false;
	if (question->phase == BW_PHASE_PASS)
		bw_propose(&expanding->proposals, NULL, 0, 1);
	propose_constraints(expanding);
	expanding->proposed = true;
	return true;
}

bool bw_expanding_lead(struct bw_expanding *expanding)
{
	if (!propose(expanding))
		return false;
	expanding->lent = expanding->proposals;
	expanding->leads = expanding->borrows = true;
	return true;
}

void bw_expanding_like(struct bw_expanding *expanding, const struct bw_expanding *leader)
{
	expanding->leader = leader;
	expanding->proposals = leader->lent;
	expanding->borrows = expanding->proposed = true;
}

/* Makes the options from the proposals. The options are not judged yet. */
static void enumerate(struct bw_expanding *expanding)
{
	struct bw_expansion *expansion = expanding->expansion = BW_NEW(struct bw_expansion);
	expanding->begun = true;
	expansion->n = expanding->proposals.n;
	expansion->borrows = expanding->borrows;
	expansion->options = bw_resize_array(NULL, (size_t)expansion->n, sizeof *expansion->options);
	struct bw_option option = {.bucket = -1,
				   .rule = BW_RULE_NONE,
				   .rank = -1,
				   .fate = BW_FATE_COSTED,
				   .silent = expanding->question.silent,
				   .reason = ""};
	int number = 0;
	for (int i = 0; i < expansion->n; i++) {
		const struct bw_proposal *proposal = &expanding->proposals.list[i];
		number += proposal->left_out;
		option.number = number++;
		option.placement = proposal->placement;
		option.kind = proposal->kind;
		option.added = proposal->asked && expanding->question.marks;
		expansion->options[i] = option;
	}
	expansion->left_out = number + expanding->proposals.left_out - expansion->n;
	memcpy(expansion->let_go, expanding->let_go, sizeof expansion->let_go);
}

/* Returns the structure hash of the state that a tried option makes, to `less` levels less than the depth
 * of the pass. It is the parent's hash without the decided Func, plus the hash of this Func as it is
 * placed now. */
static uint64_t expanding_structure(const struct bw_expanding *expanding, const struct bw_option *option,
				       int less)
{
	const struct bw_question *question = &expanding->question;
	const struct bw_state *parent = question->parent;
	int depth = question->pass - less;
	if (question->phase == BW_PHASE_PASS)
		return bw_nest_structure(bw_state_first(parent)->nest, depth + 1);
	if (!option->placement)
		return parent->structures[less];
	return expanding->others[less] + bw_placed_structure(expanding->pricing.trial.placed, depth);
}

/* Costs an option. stands: the option has just been judged, so it may still be placed in the trial. */
static void price(struct bw_expanding *expanding, struct bw_option *option, bool stands)
{
	const struct bw_question *question = &expanding->question;
	option->fate = BW_FATE_COSTED;
	if (option->placement) {
		if (!stands || !expanding->pricing.trial.placed)
			bw_trial_place(&expanding->pricing.trial, option->placement, NULL);
		option->hash = bw_trial_nest(&expanding->pricing.trial)->hash;
	} else {
		option->cost = unchanged(question)->cost;
		option->hash = unchanged(question)->hash;
		option->nest = expanding->lean ? NULL : bw_nest_keep(unchanged(question)->nest);
	}
	for (int less = 0; less < 2; less++)
		option->structures[less] = expanding_structure(expanding, option, less);
	if (option->placement)
		option->cost = bw_pricing_total(&expanding->pricing);
}

static bool sampled(const struct bw_expanding *expanding)
{
	const struct bw_settings *options = expanding->question.options;
	return options->sampling && !options->random && !bw_question_pinned(&expanding->question);
}

/* Sets the bucket of an option. Inlining is a bucket of its own, so that it is always costed, as in
 * Halide's anderson2021 (SearchSpace.cpp). */
static void classify(const struct bw_expanding *expanding, struct bw_option *option)
{
	if (expanding->lean && !sampled(expanding))
		return;
	option->bucket_hash = expanding_structure(expanding, option, 0);
	if (option->placement->compute.kind == BW_SITE_INLINE)
		option->bucket_hash = bw_hash_mix(option->bucket_hash, option->kind);
}

/* Judges an option by the rules. Its fate stays COSTED if no rule prunes it. */
static void judge(struct bw_expanding *expanding, struct bw_option *option,
		  const struct bw_proposal *proposal)
{
	const struct bw_question *question = &expanding->question;
	if (!option->placement)
		return;
	bw_rules_before(question, proposal, option);
	if (option->fate == BW_FATE_PRUNED)
		return;
	struct bw_trial *trial = &expanding->pricing.trial;
	bw_trial_judge(trial, question, expanding->pricing.arena, option);
	if (!expanding->lean && trial->placed)
		option->nest = bw_nest_copy(bw_trial_nest(trial));
	/* If there is only one option, soft rules do not apply to it. */
	bool only = expanding->expansion->n + expanding->expansion->left_out == 1;
	if (option->fate == BW_FATE_PRUNED && !bw_rule_hard(option->rule) && only && trial->placed &&
	    !bw_question_frozen(question))
		option->fate = BW_FATE_SECOND_CHOICE;
	if (option->fate != BW_FATE_PRUNED)
		classify(expanding, option);
}

static bool any(const struct bw_expansion *expansion, enum bw_fate fate)
{
	for (int i = 0; i < expansion->n; i++)
		if (expansion->options[i].fate == fate)
			return true;
	return false;
}

/* Returns true if there is an option to cost that is not an option only because of a pin. */
static bool any_by_itself(const struct bw_expansion *expansion)
{
	for (int i = 0; i < expansion->n; i++)
		if (expansion->options[i].fate == BW_FATE_COSTED && !expansion->options[i].added)
			return true;
	return false;
}

/* Samples the options to cost. Pinned ones are always costed. */
static void draw_costed(struct bw_expanding *expanding)
{
	struct bw_expansion *expansion = expanding->expansion;
	bw_sample(&expanding->question, expansion, BW_FATE_COSTED);
	for (int i = 0; i < expansion->n && expanding->question.marks; i++)
		if (expansion->options[i].pinned && expansion->options[i].fate == BW_FATE_UNSAMPLED)
			expansion->options[i].fate = BW_FATE_COSTED;
}

/* Leaders and followers: parents of a decision that are offered the same tiles of a Func. A Func in a
 * kernel of its own is judged by itself. So if two parents require the same region of the Func, the rules
 * give the same verdict on each tile. The rules therefore judge only the options of the first such parent,
 * the leader. Its followers copy the verdicts. */

/* The verdicts on all options of a parent. */
struct bw_judged {
	uint64_t loops; /* hash of everything that the loops of the Func at root depend on */
	const struct bw_constraint *constraint;
	int n;
	struct judgement {
		enum bw_fate fate;
		enum bw_rule rule;
		double figure, limit;
		/* the Func's part of the structure hash of its nest, to the depth of the pass; 0 if
		 * options are not sampled */
		uint64_t share;
	} list[];
};

/* Returns true if no constraint of the user concerns the Func and options get no words. */
static bool stands_alone(const struct bw_expanding *expanding)
{
	const struct bw_question *question = &expanding->question;
	return expanding->lean && question->phase == BW_PHASE_TILE && !question->marks &&
	       (!question->constraint || bw_question_frozen(question));
}

static struct judgement judgement_of(const struct bw_expanding *expanding, const struct bw_option *option)
{
	uint64_t share = option->bucket_hash ? option->bucket_hash - expanding->others[0] : 0;
	return (struct judgement){option->fate, option->rule, option->figure, option->limit, share};
}

static uint64_t loops_of(const struct bw_expanding *expanding)
{
	return bw_nest_loops_hash(expanding->question.parent->nest, expanding->question.func);
}

static void lead(struct bw_expanding *expanding)
{
	int n = expanding->expansion->n;
	struct bw_judged *judged = bw_new_array(1, sizeof *judged + (size_t)n * sizeof *judged->list);
	judged->loops = loops_of(expanding);
	judged->constraint = expanding->question.constraint;
	judged->n = n;
	for (int i = 0; i < n; i++)
		judged->list[i] = judgement_of(expanding, &expanding->expansion->options[i]);
	expanding->judged = judged;
}

/* Returns the leader's verdicts if they are also valid for this parent; else NULL. */
static const struct bw_judged *judged_alike(struct bw_expanding *expanding)
{
	const struct bw_judged *judged = expanding->leader ? expanding->leader->judged : NULL;
	bool asked_alike = judged && stands_alone(expanding) &&
			   judged->constraint == expanding->question.constraint &&
			   judged->n == expanding->expansion->n;
	return asked_alike && judged->loops == loops_of(expanding) ? judged : NULL;
}

static bool says_the_same(const struct bw_judged *judged, const struct bw_expanding *expanding)
{
	bool same = true;
	for (int i = 0; i < judged->n; i++) {
		struct judgement a = judged->list[i], b = judgement_of(expanding, &expanding->expansion->options[i]);
		same &= a.fate == b.fate && a.rule == b.rule && a.figure == b.figure && a.limit == b.limit &&
			a.share == b.share;
	}
	return same;
}

/* Keeps the verdicts for followers, once all options are judged. If results are checked, compares them
 * with the leader's. */
static void keep_verdicts(struct bw_expanding *expanding)
{
	struct bw_reuse_checks *checks = expanding->question.recall->checks;
	const struct bw_judged *others = checks ? judged_alike(expanding) : NULL;
	if (others)
		bw_checks_note(checks, says_the_same(others, expanding));
	if (expanding->leads && stands_alone(expanding))
		lead(expanding);
}

/* Copies the leader's verdicts to all options. Returns false, and copies none, if the leader's options are
 * not judged or the two states require different regions of the Func. */
static bool follow(struct bw_expanding *expanding)
{
	const struct bw_judged *judged = expanding->question.recall->checks ? NULL : judged_alike(expanding);
	for (int i = 0; judged && i < judged->n; i++) {
		struct bw_option *option = &expanding->expansion->options[i];
		const struct judgement *judgement = &judged->list[i];
		option->fate = judgement->fate;
		option->rule = judgement->rule;
		option->figure = judgement->figure;
		option->limit = judgement->limit;
		option->bucket_hash = judgement->share ? expanding->others[0] + judgement->share : 0;
	}
	return judged;
}

/* Returns true if the frozen choice was the only option and is not legal in this state. */
static bool frozen_in_vain(const struct bw_expanding *expanding)
{
	return bw_question_frozen(&expanding->question) && !any(expanding->expansion, BW_FATE_COSTED) &&
	       !any(expanding->expansion, BW_FATE_SECOND_CHOICE);
}

/* Gives up the frozen choice: starts the decision again as if the Func were not held. */
static void let_frozen_go(struct bw_expanding *expanding)
{
	const struct bw_option *option = &expanding->expansion->options[0];
	snprintf(expanding->let_go, sizeof expanding->let_go, "%s%s%s", bw_rule_name(option->rule),
		 *option->reason ? ": " : "", option->reason);
	bw_expansion_free(expanding->expansion);
	if (!expanding->borrows)
		free(expanding->proposals.list);
	expanding->expansion = NULL;
	expanding->proposals = (struct bw_proposals){0};
	expanding->proposed = expanding->begun = expanding->borrows = false;
	expanding->question.constraint = NULL;
}

/* Judges all options. If there is no sampling, also costs each option at once. Returns false if it was
 * stopped. */
static bool judge_all(struct bw_expanding *expanding)
{
	bool prices = !expanding->draws && !sampled(expanding);
	for (int i = 0; i < expanding->expansion->n; i++) {
		struct bw_option *option = &expanding->expansion->options[i];
		if (!bw_yield(expanding->question.yield))
			return false;
		judge(expanding, option, &expanding->proposals.list[i]);
		if (prices && option->fate == BW_FATE_COSTED)
			price(expanding, option, true);
	}
	return true;
}

/* Costs the options of this fate. If second choices are sampled, also costs the pinned options. Returns
 * false if it was stopped. */
static bool price_all(struct bw_expanding *expanding, enum bw_fate fate)
{
	bool pins = fate == BW_FATE_SECOND_CHOICE && sampled(expanding);
	for (int i = 0; i < expanding->expansion->n && !expanding->draws; i++) {
		struct bw_option *option = &expanding->expansion->options[i];
		if (option->fate != fate && !(pins && option->pinned && option->fate == BW_FATE_COSTED))
			continue;
		if (!bw_yield(expanding->question.yield))
			return false;
		price(expanding, option, false);
	}
	return true;
}

/* Proposes and judges the options, or copies the verdicts of the leader. Gives up a frozen choice that
 * is not legal. Returns false if it was stopped. */
static bool propose_and_judge(struct bw_expanding *expanding)
{
	for (;;) {
		if (!propose(expanding))
			return false;
		enumerate(expanding);
		expanding->followed = follow(expanding);
		if (!expanding->followed && !judge_all(expanding))
			return false;
		if (!frozen_in_vain(expanding))
			break;
		let_frozen_go(expanding);
	}
	if (!expanding->followed)
		keep_verdicts(expanding);
	if (!expanding->borrows) {
		free(expanding->proposals.list);
		expanding->proposals.list = NULL;
	}
	return true;
}

/* Samples and costs the judged options. Returns false if it was stopped. */
static bool sample_and_price(struct bw_expanding *expanding)
{
	struct bw_expansion *expansion = expanding->expansion;
	bool draw = sampled(expanding), costed = any(expansion, BW_FATE_COSTED);
	if (!any_by_itself(expansion) && any(expansion, BW_FATE_SECOND_CHOICE)) {
		if (draw)
			bw_sample(&expanding->question, expansion, BW_FATE_SECOND_CHOICE);
		return price_all(expanding, BW_FATE_SECOND_CHOICE);
	}
	if (draw && costed)
		draw_costed(expanding);
	return (!draw && !expanding->followed) || price_all(expanding, BW_FATE_COSTED);
}

bool bw_expanding_run(struct bw_expanding *expanding)
{
	if (!propose_and_judge(expanding) || !sample_and_price(expanding))
		return false;
	bw_pricing_forget(&expanding->pricing);
	return true;
}

/* Frees proposals. Frees their placements, too, unless the options own them. */
static void free_proposals(const struct bw_proposals *proposals, bool taken)
{
	for (int i = 0; i < proposals->n && !taken; i++)
		bw_placement_drop(proposals->list[i].placement);
	free(proposals->list);
}

void bw_expanding_end(struct bw_expanding *expanding)
{
	bw_expansion_free(expanding->expansion);
	if (!expanding->borrows)
		free_proposals(&expanding->proposals, expanding->begun);
	free_proposals(&expanding->lent, false);
	free(expanding->judged);
	bw_pricing_end(&expanding->pricing);
	*expanding = (struct bw_expanding){0};
}

/* Makes the options of a decision again, or the options for a schedule outside the beam. */

/* Copies fates and ranks into an expansion from the record of its decision. */
static void apply_record(const struct bw_decision *record, int rank, struct bw_expansion *expansion)
{
	for (int i = 0; i < expansion->n; i++)
		if (expansion->options[i].fate == BW_FATE_COSTED)
			expansion->options[i].fate = BW_FATE_DROPPED;
	for (int c = 0; c < record->n_recorded; c++) {
		const struct bw_child *child = &record->children[c];
		if (child->parent != rank || child->option >= expansion->n)
			continue;
		struct bw_option *option = &expansion->options[child->option];
		option->rank = child->rank;
		option->fate = child->kept >= 0 ? BW_FATE_KEPT : child->dropped_out ? BW_FATE_DROPPED_OUT : BW_FATE_DROPPED;
	}
}

struct bw_expansion *bw_search_expand(const struct bw_search *search, int index, int rank,
				      const struct bw_yield *yield)
{
	const struct bw_position *from = search->reached[index];
	struct bw_question question =
	    bw_search_question(search, index, from->beam[rank], bw_search_alone(search, index, from));
	struct bw_expanding expanding;
	struct bw_expansion *expansion = NULL;
	question.yield = yield;
	bw_expanding_begin(&expanding, &question, NULL, false);
	if (bw_expanding_run(&expanding)) {
		expansion = expanding.expansion;
		expanding.expansion = NULL;
		bw_expansion_name(expansion);
		if (index + 1 < search->n_reached)
			apply_record(&search->reached[index + 1]->decision, rank, expansion);
	}
	bw_expanding_end(&expanding);
	return expansion;
}

struct bw_expansion *bw_search_offered(const struct bw_search *search, int index, struct bw_nest *nest,
				       double cost)
{
	struct bw_state *state = bw_state_new(NULL, 0, -1, nest, cost);
	struct bw_question question = bw_search_question(search, index, state, true);
	struct bw_expanding expanding;
	bw_expanding_begin(&expanding, &question, NULL, true);
	bw_expanding_run(&expanding);
	struct bw_expansion *expansion = expanding.expansion;
	expanding.expansion = NULL;
	bw_expanding_end(&expanding);
	bw_state_drop(state);
	return expansion;
}

bool bw_search_inlines(const struct bw_search *search, int func)
{
	int index = bw_search_find(search, func, BW_PHASE_WHERE, bw_search_first_pass(search));
	const struct bw_state *const *states;
	bw_search_beam(search, 0, &states);
	struct bw_question question = bw_search_question(search, index, states[0], true);
	return !question.pipeline->funcs[func].output && bw_always_inlined(&question);
}
