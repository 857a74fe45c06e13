/* The options of the decision at the cursor stage by stage, in groups that can be folded, and the
 * costs of options that the search left uncosted. Reading the list changes nothing. */
#pragma once
#include "session/session.h"

/* Stages of a decision, in the order of `replay`: name in C, in words, the work done by then. */
#define BW_REPLAY_TABLE(X) \
	X(BW_REPLAY_ENUMERATED, "enumerated", "every site and size that the search space has") \
	X(BW_REPLAY_LEGAL, "legal", "the rules have judged each option") \
	X(BW_REPLAY_BUCKETED, "bucketed", "options that make the same structure are grouped") \
	X(BW_REPLAY_SAMPLED, "sampled", "some options of each bucket are drawn") \
	X(BW_REPLAY_COSTED, "costed", "the drawn options have costs") \
	X(BW_REPLAY_KEPT, "kept", "the best children of all states form the next beam")

enum bw_replay { BW_REPLAY_TABLE(BW_FIRST) BW_N_REPLAYS };
const char *bw_replay_name(enum bw_replay stage);

/* Returns the stage at which the decision at the cursor is shown: the last one, unless `replay` went
 * back. */
enum bw_replay bw_session_replay(const struct bw_session *session);
/* Returns the last stage: nothing is kept before the decision is made. */
enum bw_replay bw_session_last_replay(const struct bw_session *session);
/* Options of one parent that reached each stage. */
struct bw_funnel {
	int n[BW_N_REPLAYS];
};
struct bw_funnel bw_expansion_funnel(const struct bw_expansion *expansion);

/* Groups of options: the options that one rule pruned, by its number; then second choices that were
 * not needed; then the buckets in order. */
enum { BW_GROUP_SECOND = BW_N_RULES, BW_GROUP_BUCKETS };
int bw_option_group(const struct bw_option *option);
/* Appends the name of a group in commands: `A`, `second`, or the rule. */
void bw_group_name(int group, struct bw_text *out);
bool bw_session_folded(const struct bw_session *session, int group);

/* Returns the cost of an option that the search did not cost; 0 unless `cost` was run on it. */
double bw_session_cost_apart(const struct bw_session *session, const struct bw_option *option);
/* Returns the rank, from 0, that a child of this cost would have among the decision's recorded
 * children; -1 if it is behind all of them. */
int bw_decision_rank(const struct bw_decision *decision, double cost);
/* Returns the rank of a child, from 0, by the beam's criterion: cost times penalty. Of equal children
 * the cheaper comes first. */
int bw_child_place(const struct bw_decision *decision, const struct bw_child *child);
/* Returns the rank of the state of the next beam with the schedule that a costed option makes; -1 if
 * there is none, or the decision is not made. */
int bw_option_twin(const struct bw_session *session, const struct bw_option *option);
/* Returns true if the options of this decision were sampled: not if a constraint names one, nor without
 * sampling. */
bool bw_session_samples(const struct bw_session *session);
