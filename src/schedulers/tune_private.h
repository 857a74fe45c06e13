/* What a tuning consists of: private to tune.c and its test. */
#pragma once
#include "schedulers/learner.h"
#include "schedulers/tune.h"

/* What the files of a tuning alone know of a candidate. */
struct bw_tune_own {
	struct bw_schedule *schedule;
	double predicted; /* by the model that leads: the search's own, or the trained weights */
	bool head;        /* the best new state of a draw */
	bool proposed;
	bool changed; /* its changes are in the list */
};

struct bw_tune {
	const struct bw_pipeline *pipeline;
	struct bw_settings options;
	enum bw_tune_strategy strategy;
	struct bw_search *search;
	struct bw_learner *learner; /* NULL: nothing is trained */
	int learned;                /* outcomes that it knows */
	struct bw_search *trained;  /* the search by the trained weights; NULL: they do not lead */
	int given;                  /* candidate that the caller gave; -1: none */
	int draws;                  /* searches with dropout so far */
	int proposals;
	int *told; /* candidates with outcomes, in the order in which these came */
	int n_told, told_capacity;
	int n, capacity, own_capacity;
	struct bw_tune_candidate *list;
	struct bw_tune_own *own; /* by candidate */
};
