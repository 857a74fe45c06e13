/* The states of a beam in which a decision is made: expands each, and collects its options. */
#include <stdlib.h>

#include "search/search_private.h"

/* Collects the options of an expanded parent: their counts by fate, and its children in the order in
 * which they are taken, so that the merge only has to pick the best first child of all parents. */

static double key_of(const struct bw_search *search, int index, int parent, const struct bw_option *option)
{
	if (!search->options.random)
		return option->cost;
	uint64_t keys[] = {search->options.seed, (uint64_t)search->plan[index].pass,
			   (uint64_t)index,      (uint64_t)parent,
			   option->kind,         (uint64_t)option->number};
	uint64_t kind_keys[] = {search->options.seed, (uint64_t)index, option->kind};
	/* First a kind is drawn and then an option of it: otherwise sites with many sizes would
	 * come up too often. */
	return (double)(bw_random(kind_keys, 3) >> 40) + (double)(bw_random(keys, 6) >> 11) * 0x1p-53;
}

static int in_order(const void *a, const void *b)
{
	return bw_candidate_before(a, b) ? -1 : bw_candidate_before(b, a);
}

/* Counts the options by fate, and the pruned ones by rule. */
static void count(const struct bw_expansion *expansion, bool held, struct bw_gathered *gathered)
{
	int fates[BW_N_FATES] = {0};
	for (int i = 0; i < expansion->n; i++) {
		const struct bw_option *option = &expansion->options[i];
		fates[option->fate]++;
		if (option->fate == BW_FATE_PRUNED)
			gathered->pruned[option->rule]++;
		gathered->awaits |= held && option->rule == BW_RULE_VECTOR;
	}
	gathered->pruned[BW_RULE_UNROLLED] += expansion->left_out;
	gathered->n = fates[BW_FATE_COSTED];
	gathered->second = fates[BW_FATE_SECOND_CHOICE];
	gathered->unsampled = fates[BW_FATE_UNSAMPLED];
}

/* Collects the options and children of an expanded parent. */
static void gather(const struct bw_search *search, const struct bw_parents *parents, int parent)
{
	struct bw_expansion *expansion = parents->list[parent].expanding.expansion;
	struct bw_gathered *gathered = &parents->list[parent].gathered;
	*gathered = (struct bw_gathered){0};
	count(expansion, parents->list[parent].expanding.question.held, gathered);
	bw_expansion_shrink(expansion, gathered->n);
	struct bw_candidate *list = gathered->list = BW_NEW_ARRAY(struct bw_candidate, gathered->n);
	int n = expansion->places ? expansion->n_left : expansion->n;
	for (int i = 0; i < n; i++) {
		const struct bw_option *option = &expansion->options[i];
		if (option->fate != BW_FATE_COSTED)
			continue;
		gathered->evaluated += option->placement != NULL;
		*list++ = (struct bw_candidate){.key = key_of(search, parents->index, parent, option),
						.hash = option->hash,
						.parent = parent,
						.option = option->number};
	}
	qsort(gathered->list, (size_t)gathered->n, sizeof *gathered->list, in_order);
}

/* Returns the earlier parent that is offered the same tiles; NULL if there is none. */
static const struct bw_expanding *leader_of(const struct bw_parents *parents, int p)
{
	const struct bw_question *question = &parents->list[p].expanding.question;
	for (int i = 0; i < p; i++)
		if (parents->list[i].expanding.leads &&
		    bw_same_tiles_proposed(&parents->list[i].expanding.question, question))
			return &parents->list[i].expanding;
	return NULL;
}

/* Expands a parent. Most parents are offered the same tiles: the first one enumerates them, and leads
 * the others. */
static bool expand(struct bw_parents *parents, const struct bw_search *search, int p)
{
	struct bw_expanding *expanding = &parents->list[p].expanding;
	struct bw_question question =
	    bw_search_question(search, parents->index, parents->from->beam[p], parents->alone);
	bw_expanding_begin(expanding, &question, parents->from->ms ? parents->from->ms[p] : NULL, true);
	const struct bw_expanding *leader = leader_of(parents, p);
	if (leader)
		bw_expanding_like(expanding, leader);
	else if (p + 1 < parents->from->n && bw_same_tiles_proposed(&question, &question) &&
		 !bw_expanding_lead(expanding))
		return false;
	return bw_expanding_run(expanding);
}

bool bw_parents_expand(struct bw_parents *parents, const struct bw_search *search, int index,
		       const struct bw_position *from)
{
	*parents = (struct bw_parents){.index = index,
				       .from = from,
				       .list = BW_NEW_ARRAY(struct bw_parent, from->n),
				       .alone = bw_search_alone(search, index, from)};
	while (parents->n < from->n) {
		parents->n++;
		if (!expand(parents, search, parents->n - 1))
			return false;
		gather(search, parents, parents->n - 1);
	}
	return true;
}

void bw_parents_end(struct bw_parents *parents)
{
	for (int p = 0; p < parents->n; p++) {
		bw_expanding_end(&parents->list[p].expanding);
		free(parents->list[p].gathered.list);
	}
	free(parents->list);
	*parents = (struct bw_parents){0};
}

/* Parents of a decision that are offered the same tiles of a Func. If the same region is required
 * of the Func in two of them, the rules give the same verdict on each tile, since a Func in a
 * kernel of its own is judged by itself. So the rules judge only the options of the first such
 * parent, the leader, and its followers copy the verdicts. */

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
