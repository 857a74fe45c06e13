/* Records that only the beam search of Anderson et al. has: its passes, the Funcs frozen after the
 * first, blessings, penalties and polishing. */
#pragma once
#include <math.h>

#include "session/session.h"

/* A pass of the search. */
struct bw_pass {
	int number;
	int begin, end; /* positions */
	bool freezes;   /* Funcs are frozen at its end */
};
/* Returns a pass by a position of it, or by its number. */
struct bw_pass bw_explain_pass_at(const struct bw_session *session, int position);
struct bw_pass bw_explain_pass_number(const struct bw_session *session, int number);
/* Returns true if decisions come up more than once, so that their names need the pass. */
bool bw_explain_several(const struct bw_session *session);

/* Returns true if passes count the state of this rank at the cursor as good: the previous pass went through
 * its structure, or this one, at its end, blesses its way. */
bool bw_explain_blessed(const struct bw_session *session, int rank);
/* Appends the last bytes of a hash in four digits: enough to tell structures of a decision apart. */
void bw_hash_words(uint64_t hash, struct bw_text *out);
/* Appends the penalty of an option that the search has costed (its rank is not -1), and the reason:
 * `Penalty x1: hash 7a3f not seen before in this beam`. */
void bw_penalty_words(const struct bw_session *session, const struct bw_option *option, struct bw_text *out);
/* Appends why an option was costed although a rule objects to it: it is held, or nothing else was left. */
void bw_objection_words(const struct bw_option *option, struct bw_text *out);
/* Appends the figures by which the search froze a Func: `cost 0.015 ms of 0.1432 in all, elsewhere at best
 * 0.1437`. */
void bw_frozen_words(const struct bw_session *session, const struct bw_frozen *frozen, struct bw_text *out);
/* Appends the result of polishing, in one line without a newline. */
void bw_polish_words(const struct bw_session *session, const struct bw_polish *polish, struct bw_text *out);
/* Returns the choice that the search froze for a Func, if it holds at the cursor; else NULL. */
const struct bw_frozen *bw_session_frozen(const struct bw_session *session, int func);

/* What each decision was worth: what its runner-up would have cost at the end of the search. */

/* A decision on the way to the best state that had more than one costed option: the cheapest other
 * option in the same parent, and what the best schedule costs with it. All other Funcs stay as they are
 * where they can, a search with one state in the beam decides the rest, and the whole is polished, but for
 * the Func decided here. */
struct bw_regret {
	int decision;
	int rank, n; /* of the state after it that the best comes from, from 0, and how many states there were */
	const struct bw_placement *stands; /* what polishing put in place of taken; else NULL. Not owned */
	const struct bw_placement *taken, *other; /* NULL: nothing is placed */
	double cost; /* at the end; 0: no schedule has it */
};

/* Returns how much a decision mattered, to compare with others: the cost at the end, infinite if there is
 * none. */
static inline double bw_regret_weight(const struct bw_regret *regret)
{
	return regret->cost > 0 ? regret->cost : (double)INFINITY;
}

/* Begins to find the `most` greatest regrets of the search, in the background, or goes on after a stop;
 * the message at the end says which decision mattered most. On a screen they are found without being asked
 * for, in silence. */
void bw_regrets_begin(struct bw_session *session, int most);
/* Finds them all before it returns, or until the running line is stopped; where a screen waits: as
 * bw_regrets_begin. */
void bw_regrets_finish(struct bw_session *session, int most);
/* Begins to find the fewest Funcs that have to be held for the search to end in a complete schedule, or
 * goes on after a stop; the message at the end says them. label: the schedule's name. Returns false if it
 * was found before, which the message says now. */
bool bw_minimal_begin(struct bw_session *session, struct bw_nest *nest, const char *label);
/* Appends these as a schedule file. Returns false, with nothing appended, until some are known to suffice. */
bool bw_minimal_print(const struct bw_session *session, struct bw_text *out);
/* Appends how far that is, if it goes on. Returns false if it does not. */
bool bw_minimal_progress(const struct bw_session *session, struct bw_text *out);

/* Returns the regrets found so far, in the order of decisions, and sets `n` to their number. Owned by
 * the session; valid until its next change. */
const struct bw_regret *bw_regrets(const struct bw_session *session, int *n);
/* Returns a copy of them with the greatest regret first; free(). */
struct bw_regret *bw_regrets_sorted(const struct bw_session *session, int *n);
/* Returns true if they were asked for, and more are to come. */
bool bw_regrets_sought(const struct bw_session *session);
/* Returns true if more are to come, asked for or not. */
bool bw_regrets_go_on(const struct bw_session *session);
/* Returns how many decisions were looked at, and sets `n` to the number of all; 0 of 0 before the end of the
 * search. */
int bw_regrets_progress(const struct bw_session *session, int *n);
/* Returns true if the `most` greatest regrets are found. */
bool bw_regrets_found(const struct bw_session *session, int most);
/* Returns how many decisions have a runner-up, of those whose runner-up was looked for. */
int bw_regrets_number(const struct bw_session *session);
/* Returns the regret of a decision, or NULL. */
const struct bw_regret *bw_regret_at(const struct bw_session *session, int decision);
/* Returns true if the runner-up of a decision is not looked for or not priced yet. */
bool bw_regret_pending(const struct bw_session *session, int decision);
/* Returns the greatest regret found so far, NULL if there is none, and the cost of the best. */
const struct bw_regret *bw_regret_most(const struct bw_session *session);
double bw_regret_best(const struct bw_session *session);
/* Returns the cheapest schedule with a runner-up found so far that costs less than the best; NULL: none. */
const struct bw_nest *bw_regret_better(const struct bw_session *session);
/* Appends what the schedule costs at the end if the decision takes its runner-up, and how much more than the
 * best that is: `0.09197 ms, +63.6%`. */
void bw_regret_cost_words(const struct bw_session *session, const struct bw_regret *regret,
			  struct bw_text *out);
/* Appends the runner-up and the choice of the best schedule: `root 4x4/8x8 in place of inline (the best was
 * the 32nd of 32 there; polishing changed it)`. */
void bw_regret_words(const struct bw_session *session, const struct bw_regret *regret, struct bw_text *out);
/* Appends which runner-up ends below the best, and what takes it, if one is known that does. */
void bw_better_words(const struct bw_session *session, struct bw_text *out);
/* Appends what bw_better_words does, then at which decision the schedule was decided (the one with the
 * greatest regret) and that regret, or how many decisions were looked at so far. Nothing before the end of
 * the search. */
void bw_decided_words(const struct bw_session *session, struct bw_text *out);
