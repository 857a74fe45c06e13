/* Hierarchical sampling: options that are alike to a depth are a bucket, and of each a few are costed (Anderson et al. 2021, sections 3.1 and
 * 4.4). */
#include <stdlib.h>

#include "base/hash.h"
#include "search/search_private.h"

/* An option on its way through the draw. */
struct ticket {
	uint64_t bucket, key;
	struct bw_option *option;
};

static int by_bucket_and_key(const void *a, const void *b)
{
	const struct ticket *x = a, *y = b;
	if (x->bucket != y->bucket)
		return x->bucket < y->bucket ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->option->number - y->option->number;
}

/* floor(log2 size), and one of one. */
static int share_of(int size)
{
	int share = 0;
	while (size >> (share + 1))
		share++;
	return share ? share : 1;
}

/* The key of an option follows from seed, pass, decision, parent state and bucket, and from nothing that was drawn before. */
static uint64_t key_of(const struct bw_question *question, const struct bw_option *option)
{
	uint64_t decision = (uint64_t)question->func * BW_N_PHASES + question->phase;
	uint64_t keys[] = {question->options->seed, (uint64_t)question->pass, decision, question->parent->hash, option->bucket_hash, (uint64_t)option->number};
	return bw_random(keys, sizeof keys / sizeof *keys);
}

void bw_sample(const struct bw_question *question, struct bw_expansion *expansion, enum bw_fate fate)
{
	struct ticket *tickets = BW_NEW_ARRAY(struct ticket, expansion->n);
	int n = 0;
	for (int i = 0; i < expansion->n; i++) {
		struct bw_option *option = &expansion->options[i];
		if (option->fate == fate)
			tickets[n++] = (struct ticket){option->bucket_hash, key_of(question, option), option};
	}
	qsort(tickets, (size_t)n, sizeof *tickets, by_bucket_and_key);
	for (int begin = 0, end; begin < n; begin = end) {
		for (end = begin; end < n && tickets[end].bucket == tickets[begin].bucket; end++)
			;
		for (int i = begin + share_of(end - begin); i < end; i++)
			tickets[i].option->fate = BW_FATE_UNSAMPLED;
		expansion->n_buckets++;
	}
	free(tickets);
}
