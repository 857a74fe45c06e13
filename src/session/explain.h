/* Explanations of what is specific to the beam search of Anderson et al.: its passes, the Funcs frozen after
 * the first pass, blessings, penalties and polishing. */
#pragma once
#include <math.h>

#include "session/session.h"

/* A pass of the search. */
struct bw_pass {
	int number;
	int begin, end; /* positions */
	bool freezes;   /* Funcs are frozen at the end of this pass */
};
/* Return a pass: the one that contains a position, or the one with a number. */
struct bw_pass bw_explain_pass_at(const struct bw_session *session, int position);
struct bw_pass bw_explain_pass_number(const struct bw_session *session, int number);
/* Returns true if there are several passes: each decision occurs once per pass, so that its name needs the
 * pass. */
bool bw_explain_several(const struct bw_session *session);

/* Returns true if the structure of the state of this rank at the cursor counts as good ("blessed"): a good
 * state of the previous pass had it or, at the end of this pass, this pass blesses it. */
bool bw_explain_blessed(const struct bw_session *session, int rank);
/* Appends the last four hexadecimal digits of a hash, enough to tell the structures of a decision apart. */
void bw_hash_words(uint64_t hash, struct bw_text *out);
/* Appends the penalty of an option, and the reason: `Penalty x1: hash 7a3f not seen before in this beam`. The
 * search must have costed the option (its rank is not -1). */
void bw_penalty_words(const struct bw_session *session, const struct bw_option *option, struct bw_text *out);
/* Appends why an option was costed although a rule objects to it: the option is held, or no other option was
 * left. */
void bw_objection_words(const struct bw_option *option, struct bw_text *out);
/* Appends the costs by which the search decided to freeze a Func: `cost 0.015 ms of 0.1432 in all, elsewhere
 * at best 0.1437`. */
void bw_frozen_words(const struct bw_session *session, const struct bw_frozen *frozen, struct bw_text *out);
/* Appends the result of polishing, in one line without a newline. */
void bw_polish_words(const struct bw_session *session, const struct bw_polish *polish, struct bw_text *out);
/* Returns the choice that the search froze for a Func, if it is in force at the cursor; else NULL. */
const struct bw_frozen *bw_session_frozen(const struct bw_session *session, int func);

/* Regrets: what the best schedule would have cost if a decision had taken its runner-up. */

/* The regret of a decision that led to the best state and had more than one costed option. The runner-up is
 * the cheapest other option of the same parent. Its cost is that of the best schedule with the runner-up: the
 * other Funcs stay unchanged where possible, a search with a beam of one state decides the rest, and the
 * result is polished, except for the Func decided here. */
struct bw_regret {
	int decision;
	int rank, n; /* rank of the best state's ancestor after this decision, from 0, and number of states
			there */
	const struct bw_placement *stands; /* the placement by which polishing replaced `taken`; else NULL.
					      Not owned */
	const struct bw_placement *taken, *other; /* the choice made, and the runner-up; NULL: the option
						     places nothing */
	double cost; /* of the complete schedule with the runner-up; 0: there is no such schedule */
};

/* Returns the weight by which decisions are compared: the cost with the runner-up; infinite if no schedule
 * has it. */
static inline double bw_regret_weight(const struct bw_regret *regret)
{
	return regret->cost > 0 ? regret->cost : (double)INFINITY;
}

/* Starts to find the `most` greatest regrets in the background, or continues after a stop. The message at the
 * end says which decision mattered most. On a screen the regrets are found even if nobody asks for them; then
 * there is no message. */
void bw_regrets_begin(struct bw_session *session, int most);
/* Does the same as bw_regrets_begin, but returns only when the regrets are found or the running line is
 * stopped. While a screen waits, it is the same as bw_regrets_begin. */
void bw_regrets_finish(struct bw_session *session, int most);
/* Starts to find the fewest Funcs that have to be held for the search to end in a given complete schedule, or
 * continues after a stop. The message at the end names these Funcs. label: the schedule's name. Returns false
 * if they were found before; the message then names them now. */
bool bw_minimal_begin(struct bw_session *session, struct bw_nest *nest, const char *label);
/* Appends the Funcs found by bw_minimal_begin as a schedule file. Returns false and appends nothing as long
 * as no sufficient set of Funcs is known. */
bool bw_minimal_print(const struct bw_session *session, struct bw_text *out);
/* Appends the progress of bw_minimal_begin. Returns false if it is not running. */
bool bw_minimal_progress(const struct bw_session *session, struct bw_text *out);

/* Returns the regrets found so far, in the order of decisions, and sets `n` to their number. Owned by the
 * session; valid until the next change of its regrets. */
const struct bw_regret *bw_regrets(const struct bw_session *session, int *n);
/* Returns a copy of the regrets found so far, the greatest first; free(). */
struct bw_regret *bw_regrets_sorted(const struct bw_session *session, int *n);
/* Returns true if regrets were asked for, and not all are found yet. */
bool bw_regrets_sought(const struct bw_session *session);
/* Returns true if regrets are still being found, asked for or not. */
bool bw_regrets_go_on(const struct bw_session *session);
/* Returns how many decisions were examined for regrets so far, and sets `n` to the number of all decisions.
 * Before the end of the search both are 0. */
int bw_regrets_progress(const struct bw_session *session, int *n);
/* Returns true if the `most` greatest regrets are found. */
bool bw_regrets_found(const struct bw_session *session, int most);
/* Returns how many of the examined decisions have a runner-up. */
int bw_regrets_number(const struct bw_session *session);
/* Returns the regret of a decision, or NULL. */
const struct bw_regret *bw_regret_at(const struct bw_session *session, int decision);
/* Returns true if the runner-up of a decision is not found or not priced yet. */
bool bw_regret_pending(const struct bw_session *session, int decision);
/* Return the greatest regret found so far (NULL: none), and the cost of the best schedule. */
const struct bw_regret *bw_regret_most(const struct bw_session *session);
double bw_regret_best(const struct bw_session *session);
/* Returns the cheapest schedule found so far that takes a runner-up and costs less than the best schedule;
 * NULL: none. */
const struct bw_nest *bw_regret_better(const struct bw_session *session);
/* Appends the cost of the schedule with the decision's runner-up, and how much more that is than the best:
 * `0.09197 ms, +63.6%`. */
void bw_regret_cost_words(const struct bw_session *session, const struct bw_regret *regret,
			  struct bw_text *out);
/* Appends the runner-up and the choice of the best schedule: `root 4x4/8x8 in place of inline (the best was
 * the 32nd of 32 there; polishing changed it)`. */
void bw_regret_words(const struct bw_session *session, const struct bw_regret *regret, struct bw_text *out);
/* Appends which runner-up leads to a schedule that costs less than the best, and the command that takes it.
 * Appends nothing if no such runner-up is known. */
void bw_better_words(const struct bw_session *session, struct bw_text *out);
/* Appends the text of bw_better_words, then the decision with the greatest regret and that regret, or how
 * many decisions were examined so far. Appends nothing before the end of the search. */
void bw_decided_words(const struct bw_session *session, struct bw_text *out);
