/* Tuning: which schedules are worth measuring next, given what was measured so far (Anderson et al. 2021,
 * sections 5.3 and 6). Knows no device: the caller measures. What is proposed follows from the search, its
 * seed and the measurements alone, so that a tuning that was ended goes on where it was once the caller has
 * told it what is stored. */
#pragma once
#include "schedule/schedule.h"
#include "search/search.h"

/* Strategies: name in C, word that the user types, description. */
#define BW_TUNE_STRATEGY_TABLE(X) \
	X(BW_TUNE_BANDIT, "bandit", \
	  "changes of the fastest, states of the beam, and draws, by what is expected of them") \
	X(BW_TUNE_TOP, "top", "the states of one search, best predicted first") \
	X(BW_TUNE_BATCH, "batch", \
	  "the best of one search after another, each with states dropped from its beam at random")
enum bw_tune_strategy { BW_TUNE_STRATEGY_TABLE(BW_FIRST) BW_N_TUNE_STRATEGIES };

/* Where a candidate comes from: the beam of the first search, a search with random dropout, one Func of a
 * measured candidate placed otherwise, the caller. */
enum bw_tune_origin { BW_TUNE_BEAM, BW_TUNE_DRAW, BW_TUNE_CHANGE, BW_TUNE_GIVEN };

struct bw_tune_candidate {
	struct bw_nest *nest; /* complete */
	uint64_t hash;        /* bw_schedule_hash */
	double predicted;     /* cost by the model of the search */
	double
	    measured; /* what the caller told; 0: nothing yet; INFINITY: it failed, or its output is wrong */
	enum bw_tune_origin origin;
	int parent;    /* number of the candidate that it is a change of; -1: none */
	int func;      /* that was changed; -1: none */
	uint64_t seed; /* of the search that found it */
};

struct bw_tune;
/* Searches by the options. The caller keeps the pipeline and what the options point to. Returns NULL with an
 * error if the search finds nothing, or yield stops it. */
struct bw_tune *bw_tune_new(const struct bw_pipeline *pipeline, const struct bw_settings *options,
			    enum bw_tune_strategy strategy, const struct bw_yield *yield,
			    struct bw_error *error);
void bw_tune_free(struct bw_tune *tune);
/* Adds a schedule, which is proposed right after the first one; what it does not say is searched. Returns
 * false with an error if it cannot be, or yield stops it. */
bool bw_tune_give(struct bw_tune *tune, const struct bw_schedule *schedule, const struct bw_yield *yield,
		  struct bw_error *error);
/* Writes the numbers of at most n candidates that are to be measured next, and returns how many; 0: the
 * strategy has no more. The first proposal is the best of the search. Each is proposed once, and is to be
 * told about before the next proposal. */
int bw_tune_propose(struct bw_tune *tune, int n, int *numbers, const struct bw_yield *yield);
/* Tells what was measured of a candidate, in any one unit: INFINITY if it failed or is wrong. */
void bw_tune_tell(struct bw_tune *tune, int number, double measured);
/* Has the learned cost model trained on what is measured, from these weights on (copied; NULL: random ones).
 * With the strategy batch it is trained before each proposal, and draws are made by it as soon as it has
 * ordered schedules that were new to it better than the search's own model. Times are then told in ms. */
void bw_tune_train(struct bw_tune *tune, const struct bw_weights *start);
/* Trains on the outcomes so far and returns the weights, owned by the tuning; NULL if nothing was trained. */
const struct bw_weights *bw_tune_weights(struct bw_tune *tune);
/* Returns the candidates, until the next call that may add some. */
const struct bw_tune_candidate *bw_tune_candidates(const struct bw_tune *tune, int *n);
/* Returns the number of the fastest one measured; -1: none is. */
int bw_tune_best(const struct bw_tune *tune);
