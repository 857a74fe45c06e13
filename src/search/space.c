/* The part of the search space that is searched: `search_space` names the kinds of site offered to a
 * Func, `disable_subtiling` keeps it out of Funcs that are themselves in another Func's kernel. Also
 * answers what the constraints on a Func mean for its options. */
#include "search/space.h"

static enum bw_sites word_of(const struct bw_question *question, const struct bw_site *site)
{
	if (site->kind != BW_SITE_AT)
		return site->kind == BW_SITE_ROOT ? BW_SITES_ROOT : BW_SITES_INLINE;
	bool blocks = site->role == BW_ROLE_BLOCK && !bw_nest_inside_threads(question->parent->nest, site);
	return blocks ? BW_SITES_BLOCK : BW_SITES_THREAD;
}

/* Returns true if the site is in a Func that is itself computed in another Func's kernel. */
static bool subtiled(const struct bw_question *question, const struct bw_site *site)
{
	if (site->kind != BW_SITE_AT)
		return false;
	const struct bw_placed *host = question->parent->nest->placed[site->func];
	return host && host->placement->compute.kind == BW_SITE_AT;
}

bool bw_searches(const struct bw_settings *options, enum bw_sites site)
{
	return options->search_space & site;
}

void bw_rule_space(const struct bw_question *question, const struct bw_proposal *proposal,
		   struct bw_option *option)
{
	if (question->phase != BW_PHASE_WHERE || question->constraint || !proposal->placement ||
	    question->pipeline->funcs[question->func].output)
		return;
	const struct bw_site *site = &proposal->placement->compute;
	enum bw_sites word = word_of(question, site);
	struct bw_text left = {0};
	if (question->options->disable_subtiling && subtiled(question, site)) {
		bw_option_judge(option, BW_FATE_PRUNED, BW_RULE_SPACE, 0, 0,
				"in %s, which is in a kernel of another: disable_subtiling",
				question->pipeline->funcs[site->func].name);
	} else if (!bw_searches(question->options, word)) {
		bw_sites_print(question->options->search_space, &left);
		bw_option_judge(option, word == BW_SITES_ROOT ? BW_FATE_SECOND_CHOICE : BW_FATE_PRUNED,
				BW_RULE_SPACE, 0, 0, "search_space is %s", bw_text_get(&left));
	}
	bw_text_free(&left);
}

/* What a decision asks, and the constraints on its Func. */

bool bw_question_asked(const struct bw_question *question)
{
	return question->constraint || question->marks;
}

const struct bw_constraint *bw_question_mark(const struct bw_question *question,
					     const struct bw_placement *placement)
{
	return question->marks && placement ? bw_constraint_mark(question->marks, placement, question->pass) : NULL;
}

bool bw_question_frozen(const struct bw_question *question)
{
	return question->constraint && question->constraint->source == BW_CONSTRAINT_SEARCH;
}

bool bw_question_pinned(const struct bw_question *question)
{
	return question->constraint && question->constraint->sizes && !bw_question_frozen(question);
}
