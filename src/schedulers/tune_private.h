/* Shared by the files of what is proposed: tune.c and bandit.c. */
#ifndef BW_SCHEDULERS_TUNE_PRIVATE_H
#define BW_SCHEDULERS_TUNE_PRIVATE_H
#include "schedule/schedule.h"
#include "schedulers/learner.h"
#include "schedulers/tune.h"

/* What the files of a tuning alone know of a candidate. */
struct bw_tune_own {
	struct bw_schedule *schedule;
	double verified;  /* cost by the search's model and the verifier together */
	double predicted; /* by the model that leads: that cost, or what the trained weights predict */
	bool head;        /* the best new state of a draw */
	bool proposed;
	bool changed; /* its changes are in the list */
};

struct bw_tune {
	const struct bw_pipeline *pipeline;
	struct bw_settings options;
	enum bw_tune_strategy strategy;
	struct bw_search *search;
	const struct bw_cost_model *verifier; /* judges what the search drafts; NULL: nothing does */
	struct bw_learner *learner; /* NULL: nothing is trained */
	int learned;                /* outcomes that it knows */
	struct bw_search *trained;  /* the search by the trained weights; NULL: they do not lead */
	int draws;                  /* searches with dropout so far */
	int proposals;
	int *told; /* candidates with outcomes, in the order in which these came */
	int n_told, told_capacity;
	int n, capacity, own_capacity;
	struct bw_tune_candidate *list;
	struct bw_tune_own *own; /* by candidate */
};

/* Returns true if a time was told of a candidate. */
bool bw_tune_is_timed(const struct bw_tune_candidate *candidate);
/* Marks a candidate as proposed and appends it to the n numbers of a proposal. */
void bw_tune_take(struct bw_tune *tune, int number, int *numbers, int *n);
/* Proposes at most n candidates: some draws, so that nothing that the predictions misjudge is missed for
 * good, and those whose times may be the least: what is expected of each, less some standard deviations. What
 * is expected is believed to be so for the rest of the batch (Desautels et al. 2014). */
int bw_tune_bandit(struct bw_tune *tune, int n, int *numbers);
#endif
