/* `improve`: a schedule from elsewhere, and what the changes of polishing made of it. */
#pragma once
#include "session/call.h"

/* What stays as it is. */
struct bw_left {
	int func;        /* -1: staging in registers, which is off */
	bool held;       /* by a person's constraint; else no move can make it again */
	const char *why; /* in words */
	double cost; /* of the whole schedule with the cheapest other placement; 0: that costs no less */
	const struct bw_placement *other; /* that placement; NULL: none */
};

struct bw_improvement {
	char *label;               /* of the schedule that it began with */
	struct bw_nest *from, *to; /* before and after all changes */
	double before, after;      /* their costs */
	double restaged; /* the cost of the start once staging is on, the first change; 0: it stays as it is */
	int n;           /* changes made; each lowers the cost */
	/* The changes of single Funcs, one after the other, of which n_steps were made. A change is one of them,
	 * or several: the first raises the cost, and those that follow lower it. */
	struct bw_polish polish;
	int n_steps;
	int n_left;
	struct bw_left *left;
	/* a line for each directive by hand without a word, and for each Func left to the search */
	struct bw_text unsaid;
};
/* Returns the newest improvement, or NULL; the session's. */
const struct bw_improvement *bw_improvement_of(const struct bw_session *session);
/* Returns the step behind the change that begins with a step. */
int bw_improvement_next(const struct bw_improvement *improvement, int step);
/* Appends the changes, what stays and what has no word, a line each, which `begin` begins. */
void bw_improvement_print(const struct bw_session *session, const char *begin, struct bw_text *out);

struct bw_improve_request {
	struct bw_schedule *schedule; /* Funcs that it does not mention are searched */
	const char *label, *unsaid;   /* unsaid: its directives without a word, a line each */
	const bool *freed; /* by Func: may be changed though no move can make it again; then for staging */
	int most;          /* changes */
};
/* Finds changes of a schedule, which then is held, and each change after it. On a screen that goes on in the
 * background. Fails if the schedule contradicts a person's constraints, or cannot be. */
bool bw_improve_begin(struct call *call, const struct bw_improve_request *request);
/* Holds Funcs as a line of the journal says: `improve {Ix root 1x4/32x8} # 50 us to 40 us, -20.0%`. */
bool bw_improve_replay(struct call *call);
/* Appends how far it is, if it goes on. Returns false if it does not. */
bool bw_improve_progress(const struct bw_session *session, struct bw_text *out);
/* Returns the schedule by hand, or the nearest to it: of a bundled pipeline from its file, else as the
 * generator has it. Appends its directives without a word, a line each. Returns NULL with an error. */
struct bw_schedule *bw_improve_hand(struct bw_session *session, struct bw_text *unsaid,
				    struct bw_error *error);
/* Returns the stored schedule whose hash begins so; NULL with an error. */
struct bw_schedule *bw_improve_stored(struct bw_session *session, const char *hash, struct bw_error *error);
