#include "search/kernel_costs.h"

#include <stdlib.h>

#include "base/mem.h"

enum { PLACES = 1 << 14 };

struct bw_kept_table {
	struct bw_kept *places[PLACES];
};

struct bw_kept_table *bw_kept_table_new(void)
{
	return BW_NEW(struct bw_kept_table);
}

void bw_kept_table_free(struct bw_kept_table *table)
{
	for (int i = 0; table && i < PLACES; i++)
		bw_kept_drop(table->places[i]);
	free(table);
}

int64_t bw_kept_table_bytes(const struct bw_kept_table *table)
{
	size_t bytes = table ? sizeof *table : 0;
	for (int i = 0; table && i < PLACES; i++)
		bytes += table->places[i] ? table->places[i]->bytes : 0;
	return (int64_t)bytes;
}

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
