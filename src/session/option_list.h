/* The list of options of the decision at the cursor: stage by stage, in groups that can be folded, with costs
 * of options that the search left uncosted. Reading the list changes nothing in the search. */
#pragma once
#include "session/session.h"

/* Stages of a decision, in the order of `replay`: name in C, word, what has been done at the end of the
 * stage. */
#define BW_REPLAY_TABLE(X) \
	X(BW_REPLAY_ENUMERATED, "enumerated", "every site and size that the search space has") \
	X(BW_REPLAY_LEGAL, "legal", "the rules have judged each option") \
	X(BW_REPLAY_BUCKETED, "bucketed", "options that make the same structure are grouped") \
	X(BW_REPLAY_SAMPLED, "sampled", "some options of each bucket are drawn") \
	X(BW_REPLAY_COSTED, "costed", "the drawn options have costs") \
	X(BW_REPLAY_KEPT, "kept", "the best children of all states form the next beam")

enum bw_replay { BW_REPLAY_TABLE(BW_FIRST) BW_N_REPLAYS };
const char *bw_replay_name(enum bw_replay stage);

/* Returns the stage at which the decision at the cursor is shown. This is the last stage, unless `replay`
 * went back. */
enum bw_replay bw_session_replay(const struct bw_session *session);
/* Returns the last stage that the decision at the cursor has reached: "kept" only if the decision is made. */
enum bw_replay bw_session_last_replay(const struct bw_session *session);
/* The number of options of one parent that reached each stage. */
struct bw_funnel {
	int n[BW_N_REPLAYS];
};
struct bw_funnel bw_expansion_funnel(const struct bw_expansion *expansion);

/* Numbers of groups of options. First come the options pruned by a rule, one group per rule, by the rule's
 * number; then the second choices that were not needed; then the buckets, in order. */
enum { BW_GROUP_SECOND = BW_N_RULES, BW_GROUP_BUCKETS };
int bw_option_group(const struct bw_option *option);
/* Appends the name of a group in commands: `A`, `second`, or the rule. */
void bw_group_name(int group, struct bw_text *out);
bool bw_session_folded(const struct bw_session *session, int group);

/* Returns the cost that the command `cost` found for an option that the search did not cost; 0 if `cost` was
 * not run on it. */
double bw_session_cost_apart(const struct bw_session *session, const struct bw_option *option);
/* Returns the 0-based rank that a child of this cost would have among the children recorded for the decision;
 * -1 if it would come after all of them. */
int bw_decision_rank(const struct bw_decision *decision, double cost);
/* Returns the 0-based rank of a child by the beam's criterion, cost times penalty. If two children are equal,
 * the cheaper one comes first. */
int bw_child_place(const struct bw_decision *decision, const struct bw_child *child);
/* Returns the rank of the state in the next beam that has the same schedule as a costed option. Returns -1 if
 * there is none or the decision is not made. */
int bw_option_twin(const struct bw_session *session, const struct bw_option *option);
/* Returns true if the options of the decision at the cursor were sampled. They were not if sampling is off or
 * a constraint names one of the options. */
bool bw_session_samples(const struct bw_session *session);
