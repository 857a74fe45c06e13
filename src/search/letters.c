/* Names options by letters, for people; the search itself does not need them. */
#include <stdlib.h>

#include "search/record.h"

/* An option, to be sorted by the hash of its bucket. */
struct in_bucket {
	uint64_t hash;
	int number;
};

static int by_bucket(const void *a, const void *b)
{
	const struct in_bucket *x = a, *y = b;
	return x->hash != y->hash ? (x->hash < y->hash ? -1 : 1) : x->number - y->number;
}

/* Buckets get letters by first appearance among options that are not pruned; members are numbered
 * in order of enumeration. */
void bw_expansion_name(struct bw_expansion *expansion)
{
	struct in_bucket *sorted = BW_NEW_ARRAY(struct in_bucket, expansion->n);
	int n = 0;
	for (int i = 0; i < expansion->n; i++) {
		struct bw_option *option = &expansion->options[i];
		option->bucket = -1;
		option->member = 0;
		if (option->fate != BW_FATE_PRUNED && option->fate != BW_FATE_SECOND_CHOICE)
			sorted[n++] = (struct in_bucket){option->bucket_hash, i};
	}
	if (n)
		qsort(sorted, (size_t)n, sizeof *sorted, by_bucket);
	int *first = BW_NEW_ARRAY(int, expansion->n); /* by option: the first option of its bucket */
	for (int i = 0; i < n; i++) {
		bool begins = i == 0 || sorted[i].hash != sorted[i - 1].hash;
		first[sorted[i].number] = begins ? sorted[i].number : first[sorted[i - 1].number];
		expansion->options[sorted[i].number].member =
		    begins ? 1 : expansion->options[sorted[i - 1].number].member + 1;
	}
	expansion->n_buckets = 0;
	for (int i = 0; i < expansion->n; i++)
		if (expansion->options[i].member)
			expansion->options[i].bucket =
			    first[i] == i ? expansion->n_buckets++ : expansion->options[first[i]].bucket;
	free(first);
	free(sorted);
}
