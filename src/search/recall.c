/* The caches that a search keeps between options. */
#include <stdlib.h>

#include "search/pricing.h"

enum { PLACES = 1 << 14 };

struct bw_kept_table {
	struct bw_kept *places[PLACES];
};

struct bw_kept *bw_kept_get(const struct bw_kept_table *table, uint64_t key)
{
	struct bw_kept *kept = table ? table->places[key % PLACES] : NULL;
	if (!kept || kept->key != key)
		return NULL;
	kept->references++;
	return kept;
}

void bw_kept_put(struct bw_kept_table *table, struct bw_kept *kept)
{
	if (!table)
		return;
	struct bw_kept **place = &table->places[kept->key % PLACES];
	bw_kept_drop(*place);
	*place = kept;
	kept->references++;
}

void bw_kept_drop(struct bw_kept *kept)
{
	if (kept && !--kept->references)
		free(kept);
}

struct bw_recall bw_recall_begin(const struct bw_pipeline *pipeline, const struct bw_settings *options)
{
	const struct bw_learned *learned = options->model->learned;
	return (struct bw_recall){
	    .basis = learned ? bw_learned_basis_new(pipeline, learned, options->device) : NULL,
	    .kernels = BW_NEW(struct bw_kept_table)};
}

void bw_recall_end(struct bw_recall *recall)
{
	bw_learned_basis_free(recall->basis);
	for (int i = 0; recall->kernels && i < PLACES; i++)
		bw_kept_drop(recall->kernels->places[i]);
	free(recall->kernels);
	*recall = (struct bw_recall){0};
}

int64_t bw_recall_bytes(const struct bw_recall *recall)
{
	const struct bw_kept_table *table = recall->kernels;
	size_t bytes = sizeof *table;
	for (int i = 0; i < PLACES; i++)
		bytes += table->places[i] ? table->places[i]->bytes : 0;
	return (int64_t)bytes;
}
