/* Proposes the schedules that are worth measuring next, given the measurements so far (Anderson et al.
 * 2021, sections 5.3 and 6). The caller measures: this file depends on no device. Proposals depend only
 * on the search, its seed and the measurements. So a tuning that was ended continues at the same point
 * once the caller has told it the stored measurements. */
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

/* The origin of a candidate: the beam of the first search; a search with random dropout (a draw); a
 * measured candidate with one Func placed differently; the caller. */
enum bw_tune_origin { BW_TUNE_BEAM, BW_TUNE_DRAW, BW_TUNE_CHANGE, BW_TUNE_GIVEN };

struct bw_tune_candidate {
	struct bw_nest *nest; /* complete */
	uint64_t hash;        /* bw_schedule_hash */
	double predicted;     /* cost by the model of the search */
	double
	    measured; /* told by the caller; 0: not yet; INFINITY: it failed, or its output is wrong */
	enum bw_tune_origin origin;
	int parent;    /* CHANGE: number of the candidate that was changed; else -1 */
	int func;      /* CHANGE: the Func that is placed differently; else -1 */
	uint64_t seed; /* of the search that found it */
};

struct bw_tune;
/* Runs the first search with these options. Returns NULL with an error if the search finds nothing, or
 * yield stops it. The caller keeps the pipeline and what the options point to. */
struct bw_tune *bw_tune_new(const struct bw_pipeline *pipeline, const struct bw_settings *options,
			    enum bw_tune_strategy strategy, const struct bw_yield *yield,
			    struct bw_error *error);
void bw_tune_free(struct bw_tune *tune);
/* Adds a schedule, which is proposed right after the first one. If the schedule is partial, a search
 * completes it. Returns false with an error if this is not possible, or yield stops it. */
bool bw_tune_give(struct bw_tune *tune, const struct bw_schedule *schedule, const struct bw_yield *yield,
		  struct bw_error *error);
/* Writes the numbers of at most n candidates to measure next. Returns how many; 0: the strategy has no
 * more. The first proposed candidate is the best of the search. Each candidate is proposed once. The
 * caller tells its measurement (bw_tune_tell) before the next proposal. */
int bw_tune_propose(struct bw_tune *tune, int n, int *numbers, const struct bw_yield *yield);
/* Tells the measured time of a candidate, in the same unit for all; INFINITY if it failed or its output
 * is wrong. */
void bw_tune_tell(struct bw_tune *tune, int number, double measured);
/* Turns on training of the learned cost model on the measurements. start: initial weights, copied; NULL:
 * random ones. Measurements must then be told in ms. With the strategy batch, the model is trained before
 * each proposal, and draws use it once it orders new schedules better than the search's own model. */
void bw_tune_train(struct bw_tune *tune, const struct bw_weights *start);
/* Trains on the outcomes so far and returns the weights, owned by the tuning. Returns NULL if nothing was
 * trained. */
const struct bw_weights *bw_tune_weights(struct bw_tune *tune);
/* Returns the candidates, valid until the next call that may add some. Sets *n to their number. */
const struct bw_tune_candidate *bw_tune_candidates(const struct bw_tune *tune, int *n);
/* Returns the number of the fastest measured candidate; -1: none was measured. */
int bw_tune_best(const struct bw_tune *tune);
