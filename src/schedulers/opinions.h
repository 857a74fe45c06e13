/* Several opinions on one pipeline: the schedule of every scheduler, and what every cost model predicts for
 * it. */
#ifndef BW_SCHEDULERS_OPINIONS_H
#define BW_SCHEDULERS_OPINIONS_H
#include <jansson.h>

#include "record/options.h"
#include "schedulers/table.h"

/* What a model predicts. */
struct bw_opinion_cost {
	double cost;    /* in the model's unit */
	double of_best; /* over the least of all schedulers */
	int n_refused;  /* stages of kernels that the model's rules refuse: it has no cost for them */
};

/* A scheduler's schedule. */
struct bw_opinion {
	const struct bw_scheduler *scheduler;
	struct bw_schedule *schedule; /* NULL: it has none */
	const char *why;              /* then: why */
	int kernels;
	double seconds; /* that it took */
	struct bw_opinion_cost *costs; /* by model */
};

struct bw_opinions {
	struct bw_arena *arena;
	int n, n_models;
	struct bw_opinion *list;
	const struct bw_cost_model **models; /* the learned one last, if the options have weights */
};

/* Runs all schedulers with these options. Free it with bw_opinions_free. */
struct bw_opinions bw_opinions_of(const struct bw_pipeline *pipeline,
				  const struct bw_search_options *options);
void bw_opinions_free(struct bw_opinions *opinions);
/* Appends a table: a row for each scheduler, and for each model a column in units of its best. */
void bw_opinions_print(const struct bw_opinions *opinions, struct bw_text *out);
/* Returns them as JSON: a new reference. */
json_t *bw_opinions_json(const struct bw_opinions *opinions, const struct bw_pipeline *pipeline,
			 const struct bw_search_options *options);
#endif
