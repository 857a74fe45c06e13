/* What a search keeps between options. */
#include <stdlib.h>

#include "cost/learned_kernel.h"
#include "search/kernel_costs.h"
#include "search/pricing.h"

struct bw_recall bw_recall_begin(const struct bw_pipeline *pipeline, const struct bw_settings *options)
{
	const struct bw_learned *learned = options->model->learned;
	return (struct bw_recall){
	    .basis = learned ? bw_learned_basis_new(pipeline, learned, options->device) : NULL,
	    .kernels = bw_kept_table_new()};
}

void bw_recall_end(struct bw_recall *recall)
{
	bw_learned_basis_free(recall->basis);
	bw_kept_table_free(recall->kernels);
	*recall = (struct bw_recall){0};
}

int64_t bw_recall_bytes(const struct bw_recall *recall)
{
	return bw_kept_table_bytes(recall->kernels);
}
