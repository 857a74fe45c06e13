/* The learned cost model for the search: weights of a file, ready to cost nests. */
#ifndef BW_COST_LEARNED_H
#define BW_COST_LEARNED_H
#include "cost/cost.h"
#include "cost/network.h"

#define BW_LEARNED_NAME "learned"
/* The names of all models. */
#define BW_COST_MODEL_NAMES "roofline latency sioutas dp cs6120 " BW_LEARNED_NAME

struct bw_learned {
	struct bw_cost_model model;
	char *path, *title; /* path of the file; its name and the hash of the weights */
	struct bw_weights weights;
	struct bw_network network;
};

/* Models that were read from files. They stay until all are freed, so that options of any search may point
 * to them. A zeroed one is empty. */
struct bw_models {
	int n, capacity;
	struct bw_learned **list;
};

/* Returns the model of a weights file. If the same weights were read from the same path before, returns
 * that model. Returns NULL with an error if the file cannot be read. */
const struct bw_cost_model *bw_models_read(struct bw_models *models, const char *path,
					   struct bw_error *error);
/* Returns the model of weights that no file holds. `name` is what it is called instead of a path. */
const struct bw_cost_model *bw_models_add(struct bw_models *models, const char *name,
					  const struct bw_weights *weights);
void bw_models_free(struct bw_models *models);

/* The terms of all learned models: the components of appendix B. */
extern const struct bw_term_text bw_learned_terms[BW_N_COMPONENTS];
/* Computes a stage's cost from its features, with all terms and coefficients. */
void bw_learned_stage(const struct bw_learned *learned, const struct bw_features *features, double sms,
		      struct bw_learned_cost *cost);
#endif
