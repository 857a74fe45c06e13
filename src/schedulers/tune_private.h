/* The contents of struct bw_tune, private to tune.c and its test. */
#pragma once
#include "schedulers/learner.h"
#include "schedulers/tune.h"

/* Data of a candidate that only tune.c and its test use. */
struct bw_tune_own {
	struct bw_schedule *schedule;
	double predicted; /* cost by the leading model: the search's own, or the one with the trained weights */
	bool head;        /* the best new state of a draw */
	bool proposed;
	bool changed; /* the candidate's changes were added to the list */
};

struct bw_tune {
	const struct bw_pipeline *pipeline;
	struct bw_settings options;
	enum bw_tune_strategy strategy;
	struct bw_search *search;
	struct bw_learner *learner; /* NULL: nothing is trained */
	int learned;                /* number of outcomes that the learner has */
	struct bw_search *trained;  /* a search with the trained weights; NULL: the trained weights do not lead */
	int given;                  /* number of the candidate that the caller gave; -1: none */
	int draws;                  /* number of searches with dropout so far */
	int proposals;
	int *told; /* numbers of the candidates with outcomes, in the order of arrival */
	int n_told, told_capacity;
	int n, capacity, own_capacity;
	struct bw_tune_candidate *list;
	struct bw_tune_own *own; /* by candidate */
};
