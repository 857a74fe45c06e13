/* Parents of a decision that are offered the same tiles of a Func. If the same region is required
 * of the Func in two of them, the rules give the same verdict on each tile, since a Func in a
 * kernel of its own is judged by itself. So the rules judge only the options of the first such
 * parent, the leader, and its followers copy the verdicts. */
#include <stdlib.h>

#include "search/search_private.h"

/* The verdicts on all options of a parent. */
struct bw_judged {
	uint64_t loops; /* hash of all that the loops of the Func at root depend on */
	const struct bw_constraint *constraint;
	int n;
	struct judgement {
		enum bw_fate fate;
		enum bw_rule rule;
		double figure, limit;
		/* what the Func adds to the structure hash of its nest, to the depth of the pass; 0
		 * if options are not sampled */
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

/* Returns the verdicts of the leader that hold for this parent, too; NULL if there are none. */
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

void bw_expanding_judged(struct bw_expanding *expanding)
{
	struct bw_reuse_checks *checks = expanding->question.recall->checks;
	const struct bw_judged *others = checks ? judged_alike(expanding) : NULL;
	if (others)
		bw_checks_note(checks, says_the_same(others, expanding));
	if (expanding->leads && stands_alone(expanding))
		lead(expanding);
}

bool bw_expanding_follow(struct bw_expanding *expanding)
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
