#include "session/option_list.h"

#include "session/core.h"

/* The user's settings for the list of options. */
struct option_list {
	int position; /* position at which `stage` applies; -1: none. Elsewhere the last stage is shown */
	enum bw_replay stage;
	uint32_t unfolded; /* bit set of unfolded groups of rules and second choices; kept from decision to
			      decision */
	int count;         /* identifies the expansion to which the following fields belong
			      (bw_session_expansion_count) */
	int n_buckets, n_options;
	bool *folded;  /* buckets */
	double *apart; /* by option: its cost found by `cost`; 0: not requested */
};

static void clear(struct option_list *list)
{
	free(list->folded);
	free(list->apart);
	list->folded = NULL;
	list->apart = NULL;
	list->n_buckets = list->n_options = 0;
}

/* Returns the list; rebuilds it if other options were made since. */
static struct option_list *list_of(const struct bw_session *session)
{
	struct option_list *list = bw_part_data(session, BW_PART_OPTION_LIST);
	const struct bw_expansion *expansion = bw_session_expansion_made(session);
	if (!expansion || list->count == bw_session_expansion_count(session))
		return list;
	clear(list);
	list->count = bw_session_expansion_count(session);
	list->n_buckets = expansion->n_buckets;
	list->n_options = expansion->n;
	list->folded = BW_NEW_ARRAY(bool, list->n_buckets);
	list->apart = BW_NEW_ARRAY(double, list->n_options);
	return list;
}

BW_WORDS(bw_replay_name, enum bw_replay, BW_REPLAY_TABLE(BW_SECOND))

enum bw_replay bw_session_last_replay(const struct bw_session *session)
{
	return session->cursor < bw_search_reached(session->search) ? BW_REPLAY_KEPT : BW_REPLAY_COSTED;
}

enum bw_replay bw_session_replay(const struct bw_session *session)
{
	const struct option_list *list = list_of(session);
	enum bw_replay last = bw_session_last_replay(session);
	return list->position == session->cursor && list->stage < last ? list->stage : last;
}

struct bw_funnel bw_expansion_funnel(const struct bw_expansion *expansion)
{
	struct bw_funnel funnel = {{0}};
	funnel.n[BW_REPLAY_ENUMERATED] = expansion->n;
	for (int i = 0; i < expansion->n; i++) {
		const struct bw_option *option = &expansion->options[i];
		bool bucketed = option->fate != BW_FATE_PRUNED && option->fate != BW_FATE_SECOND_CHOICE,
		     drawn = bucketed && option->fate != BW_FATE_UNSAMPLED;
		funnel.n[BW_REPLAY_LEGAL] += option->fate != BW_FATE_PRUNED;
		funnel.n[BW_REPLAY_BUCKETED] += bucketed;
		funnel.n[BW_REPLAY_SAMPLED] += drawn;
		funnel.n[BW_REPLAY_COSTED] += drawn;
		funnel.n[BW_REPLAY_KEPT] += option->fate == BW_FATE_KEPT;
	}
	return funnel;
}

int bw_option_group(const struct bw_option *option)
{
	if (option->bucket >= 0)
		return BW_GROUP_BUCKETS + option->bucket;
	return option->fate == BW_FATE_PRUNED ? (int)option->rule : BW_GROUP_SECOND;
}

void bw_group_name(int group, struct bw_text *out)
{
	int bucket = group - BW_GROUP_BUCKETS;
	if (group < BW_GROUP_SECOND)
		bw_text_puts(out, bw_rule_name((enum bw_rule)group));
	else if (group == BW_GROUP_SECOND)
		bw_text_puts(out, "second");
	else if (bucket < 26)
		bw_text_printf(out, "%c", 'A' + bucket);
	else
		bw_text_printf(out, "%c%c", 'A' + (bucket / 26 - 1) % 26, 'A' + bucket % 26);
}

bool bw_session_folded(const struct bw_session *session, int group)
{
	const struct option_list *list = list_of(session);
	if (group < BW_GROUP_BUCKETS)
		return !(list->unfolded & 1u << group);
	int bucket = group - BW_GROUP_BUCKETS;
	return bw_session_expansion_made(session) && bucket < list->n_buckets && list->folded[bucket];
}

double bw_session_cost_apart(const struct bw_session *session, const struct bw_option *option)
{
	const struct option_list *list = list_of(session);
	return bw_session_expansion_made(session) && option->number < list->n_options
		   ? list->apart[option->number]
		   : 0;
}

int bw_decision_rank(const struct bw_decision *decision, double cost)
{
	int rank = 0;
	while (rank < decision->n_recorded && decision->children[rank].rank == rank &&
	       decision->children[rank].cost < cost)
		rank++;
	bool known = rank == decision->n_children ||
		     (rank < decision->n_recorded && decision->children[rank].rank == rank);
	return known ? rank : -1;
}

bool bw_session_samples(const struct bw_session *session)
{
	const struct bw_settings *options = &session->options;
	if (session->cursor >= bw_search_n_decisions(session->search))
		return false;
	const struct bw_constraint *constraint =
	    bw_session_constraint(session, bw_search_decision(session->search, session->cursor)->func);
	return options->sampling && !options->random &&
	       !(constraint && constraint->sizes && constraint->source != BW_CONSTRAINT_SEARCH);
}

int bw_option_twin(const struct bw_session *session, const struct bw_option *option)
{
	const struct bw_state *const *next;
	int n = session->cursor < bw_search_reached(session->search)
		    ? bw_search_beam(session->search, session->cursor + 1, &next)
		    : 0;
	for (int i = 0; i < n; i++)
		if (next[i]->hash == option->hash)
			return i;
	return -1;
}

int bw_child_place(const struct bw_decision *decision, const struct bw_child *child)
{
	int before = child->rank;
	for (int i = 0; i < decision->n_recorded; i++) {
		const struct bw_child *other = &decision->children[i];
		bool cheaper = other->rank < child->rank,
		     first = other->cost * other->penalty < child->cost * child->penalty;
		before +=
		    (cheaper ? -1 : 0) +
		    (first || (cheaper && other->cost * other->penalty == child->cost * child->penalty) ? 1
													: 0);
	}
	return before;
}

void bw_option_list_show(struct bw_session *session, enum bw_replay stage)
{
	list_of(session)->position = session->cursor;
	list_of(session)->stage = stage;
}

void bw_option_list_fold(struct bw_session *session, int group, bool folded)
{
	struct option_list *list = list_of(session);
	if (group >= BW_GROUP_BUCKETS)
		list->folded[group - BW_GROUP_BUCKETS] = folded;
	else if (folded)
		list->unfolded &= ~(1u << group);
	else
		list->unfolded |= 1u << group;
}

void bw_option_list_cost(struct bw_session *session, int option, double cost)
{
	list_of(session)->apart[option] = cost;
}

static void begin(struct bw_session *session)
{
	((struct option_list *)bw_part_data(session, BW_PART_OPTION_LIST))->position = -1;
}

static void end(struct bw_session *session)
{
	clear(bw_part_data(session, BW_PART_OPTION_LIST));
}

const struct bw_session_part bw_part_option_list = {
    .size = sizeof(struct option_list),
    .begin = begin,
    .end = end,
};
