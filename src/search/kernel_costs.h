/* A cache of results for kernels, by a hash of all that a result depends on. Each slot holds one value;
 * a newer one evicts it. The cache changes how long a search takes, never its result. Functions accept
 * NULL for a table: then nothing is found and nothing kept. */
#ifndef BW_SEARCH_KERNEL_COSTS_H
#define BW_SEARCH_KERNEL_COSTS_H
#include <stddef.h>
#include <stdint.h>

/* The header of a value: one block of the heap, freed with its last reference. */
struct bw_kept {
	uint64_t key;
	int references;
	size_t bytes;
};

struct bw_kept_table;
struct bw_kept_table *bw_kept_table_new(void);
void bw_kept_table_free(struct bw_kept_table *table);
/* Returns the bytes of a table with its values. */
int64_t bw_kept_table_bytes(const struct bw_kept_table *table);
/* Returns the value of a key with a new reference; NULL if there is none. */
struct bw_kept *bw_kept_get(const struct bw_kept_table *table, uint64_t key);
/* Adds a value, with a reference of the table's own. */
void bw_kept_put(struct bw_kept_table *table, struct bw_kept *kept);
/* Drops a reference. Accepts NULL. */
void bw_kept_drop(struct bw_kept *kept);
#endif
