/* What `assert` can say. */
#ifndef BW_COMMAND_ASSERT_H
#define BW_COMMAND_ASSERT_H
#include "session/session.h"

/* Figures: name in C, in words, meaning. */
#define BW_ASSERTED_TABLE(X) \
	X(COST, "cost", "cost of the Funcs that the selected state has placed, in the model's unit") \
	X(STATES, "states", "states in the beam at the cursor") \
	X(KERNELS, "kernels", "kernels of the selected state") \
	X(POSITION, "position", "decisions before the cursor") \
	X(DECISIONS, "decisions", "decisions of the search") \
	X(HELD, "held", "Funcs held by the user") \
	X(COMMANDS, "commands", "commands of the journal that are not undone") \
	X(TIMINGS, "timings", "schedules compiled or measured") \
	X(ENUMERATED, "enumerated", "options of the decision at the cursor, for the selected state") \
	X(LEGAL, "legal", "of these, those that no rule prunes") \
	X(BUCKETED, "bucketed", "of these, those in buckets") \
	X(SAMPLED, "sampled", "of these, those drawn") \
	X(COSTED, "costed", "of these, those with a cost") \
	X(KEPT, "kept", "of these, those in the next beam")

enum bw_asserted {
#define X(name, text, meaning) BW_ASSERTED_##name,
	BW_ASSERTED_TABLE(X)
#undef X
	BW_N_ASSERTED
};

/* Other facts: name in C, first word, what follows, meaning. A Func's name as the first word stands for
 * itself. */
#define BW_FACT_TABLE(X) \
	X(BEST, "best", "FACT", "FACT holds for the best state instead of the selected one") \
	X(DECISION, "decision", "DECISION", "the cursor is at this decision; `end`: at the end of the search") \
	X(OPTION, "option", "OPTION FATE [RULE]", "an option of the decision at the cursor has this fate, by this rule") \
	X(OUTPUT, "output", "VERDICT", "the newest measurement has this output: right, right within bound, wrong, unstable, unchecked; or failed") \
	X(BEAMS, "beams", "POSITION DIGEST ...", "the beams up to each position have these digests, as in a saved session") \
	X(VIEW, "view", "VIEW", "this view is shown, or a pane of the main one has the keys") \
	X(SELECTED, "selected", "FUNC", "this Func is selected") \
	X(FUNC, "", "FUNC SITE [SIZES | ; LOOPS...]", "the selected state places the Func so; without sizes: at that site") \
	X(UNPLACED, "", "FUNC unplaced|held|free", "the Func is not placed yet; a constraint or a freeze of the search holds it; nothing holds it")

enum bw_fact {
#define X(name, word, arguments, meaning) BW_FACT_##name,
	BW_FACT_TABLE(X)
#undef X
	BW_N_FACTS
};
struct call;
/* Returns true if a fact holds, and leaves the session's message unchanged. *error gives the actual
 * value otherwise. */
bool bw_session_holds(struct bw_session *session, const char *fact, struct bw_error *error);
#endif
