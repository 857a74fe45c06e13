/* `improve`: takes a given schedule and lowers its cost by the moves of polishing. */
#pragma once
#include "session/call.h"

/* A Func that `improve` does not change, and what changing it would save. */
struct bw_left {
	int func;        /* index of the Func; -1: not a Func, but staging in registers, which stays off */
	bool held;       /* true: held by a person's constraint; false: no move could restore the placement */
	const char *why; /* why the Func stays, as text */
	double cost; /* cost of the whole schedule with the Func's cheapest other placement; 0: that would not
			cost less */
	const struct bw_placement *other; /* this cheapest other placement; NULL: none */
};

struct bw_improvement {
	char *label;               /* name of the schedule at the start */
	struct bw_nest *from, *to; /* before and after all changes */
	double before, after;      /* costs of `from` and `to` */
	double restaged; /* cost after the first change, if that turns on staging in registers; 0: staging is
			    unchanged */
	int n;           /* number of changes made; each lowers the cost */
	/* All steps that polishing found, in order; each moves or retiles one Func. The first n_steps were
	 * applied. A change is one step, or a step that does not lower the cost together with the following
	 * steps that bring it below where it began. */
	struct bw_polish polish;
	int n_steps;
	int n_left;
	struct bw_left *left;
	/* a line for each directive by hand that a schedule file cannot express, and for each Func left to
	 * the search */
	struct bw_text unsaid;
};
/* Returns the newest improvement, or NULL. Owned by the session. */
const struct bw_improvement *bw_improvement_of(const struct bw_session *session);
/* Returns the index of the first step after a change, given the change's first step. */
int bw_improvement_next(const struct bw_improvement *improvement, int step);
/* Appends a line for each change, for each Func that stays as it is, and for each line of `unsaid`. Each line
 * begins with `begin`. */
void bw_improvement_print(const struct bw_session *session, const char *begin, struct bw_text *out);

struct bw_improve_request {
	struct bw_schedule *schedule; /* the schedule to improve; a search places the Funcs that it does not
					 mention */
	const char *label, *unsaid;   /* unsaid: the directives that a schedule file cannot express, a line
					 each */
	const bool *freed; /* by Func: the Func may be changed even if no move can restore its placement. The
			      last element is for staging */
	int most;          /* the most changes to make */
};
/* Finds changes that lower a schedule's cost. Then holds the schedule, and after it each change, as one
 * journaled command each. On a screen the work continues in the background. Fails if the schedule contradicts
 * a person's constraints or is impossible. */
bool bw_improve_begin(struct call *call, const struct bw_improve_request *request);
/* Holds Funcs as a journal line of `improve` says: `improve {Ix root 1x4/32x8} # 50 us to 40 us, -20.0%`. */
bool bw_improve_replay(struct call *call);
/* Appends the progress of `improve`. Returns false if it is not running. */
bool bw_improve_progress(const struct bw_session *session, struct bw_text *out);
/* Returns the hand-written schedule, or the nearest one that a schedule file can express: of a bundled
 * pipeline from its file, else from the generator. Appends a line for each directive that cannot be
 * expressed. Returns NULL with an error. */
struct bw_schedule *bw_improve_hand(struct bw_session *session, struct bw_text *unsaid,
				    struct bw_error *error);
/* Returns the stored schedule whose hash begins with `hash`. Returns NULL with an error if there is none. */
struct bw_schedule *bw_improve_stored(struct bw_session *session, const char *hash, struct bw_error *error);
