/* Hierarchical sampling: options with the same structure to a depth form a bucket, and a few options of
 * each bucket are costed (Anderson et al. 2021, sections 3.1 and 4.4). */
#include <stdlib.h>

#include "search/search_private.h"

/* A bucket, with the options that are drawn from it, by key. */
struct bucket {
	uint64_t hash;
	int size, share, n_drawn;
	struct drawn {
		uint64_t key;
		struct bw_option *option;
	} *drawn; /* has room for `share` options */
};

/* All buckets, with a hash table to find them. The table's size is a power of two, and at most half of its
 * slots are taken. A slot has the bucket's number plus one. */
struct buckets {
	int n;
	struct bucket *list;
	int *places;
	uint64_t mask;
	int *of;             /* by option: index of its bucket; -1: the option is not sampled */
	struct drawn *drawn; /* the drawn options of all buckets */
};

/* Factor on the number of options drawn from a bucket if there is only one parent state and later passes
 * draw again. */
enum { DRAWS_ALONE = 3 };

/* Returns how many options of a bucket are drawn: floor(log2 size), but one if the size is one (Anderson
 * et al. 2021, section 3.1). For the tiling of the outputs this is too few: everything else depends on it,
 * and it has one parent state instead of a whole beam. If there is only one parent state, the first of
 * several passes draws DRAWS_ALONE times as many, and a single pass draws all. */
static int share_of(const struct bw_question *question, int size)
{
	const struct bw_settings *options = question->options;
	int share = 0;
	while (size >> (share + 1))
		share++;
	share = share ? share : 1;
	bool alone = question->alone && question->beam > 1 && question->pass <= 1;
	if (!alone || options->sampling == BW_SAMPLING_PAPER)
		return share;
	bool once = bw_settings_passes(options) == 1;
	return once || DRAWS_ALONE * share > size ? size : DRAWS_ALONE * share;
}

/* Returns the key of an option. It depends on seed, pass, decision, parent state and bucket, and
 * not on earlier draws. */
static uint64_t key_of(const struct bw_question *question, const struct bw_option *option)
{
	uint64_t decision = (uint64_t)question->func * BW_N_PHASES + question->phase;
	uint64_t keys[] = {question->options->seed, (uint64_t)question->pass, decision,
			   question->parent->hash,  option->bucket_hash,      (uint64_t)option->number};
	return bw_random(keys, sizeof keys / sizeof *keys);
}

/* Returns the number of the bucket with this hash. Makes the bucket if there is none. */
static int find(struct buckets *buckets, uint64_t hash)
{
	uint64_t at = hash & buckets->mask;
	while (buckets->places[at] && buckets->list[buckets->places[at] - 1].hash != hash)
		at = (at + 1) & buckets->mask;
	if (!buckets->places[at]) {
		buckets->list[buckets->n] = (struct bucket){.hash = hash};
		buckets->places[at] = ++buckets->n;
	}
	return buckets->places[at] - 1;
}

static bool takes_part(const struct bw_option *option, enum bw_fate fate)
{
	return option->fate == fate && !option->added;
}

/* Makes the buckets of the options of this fate, with their sizes and shares. */
static struct buckets make_buckets(const struct bw_question *question, struct bw_expansion *expansion,
				   enum bw_fate fate)
{
	int places = 2, n_drawn = 0;
	while (places < 2 * expansion->n)
		places *= 2;
	struct buckets buckets = {.list = bw_resize_array(NULL, (size_t)expansion->n, sizeof(struct bucket)),
				  .places = BW_NEW_ARRAY(int, places),
				  .mask = (uint64_t)places - 1};
	buckets.of = bw_resize_array(NULL, (size_t)expansion->n, sizeof *buckets.of);
	for (int i = 0; i < expansion->n; i++) {
		buckets.of[i] = takes_part(&expansion->options[i], fate)
				    ? find(&buckets, expansion->options[i].bucket_hash)
				    : -1;
		if (buckets.of[i] >= 0)
			buckets.list[buckets.of[i]].size++;
	}
	for (int b = 0; b < buckets.n; b++)
		n_drawn += buckets.list[b].share = share_of(question, buckets.list[b].size);
	buckets.drawn = BW_NEW_ARRAY(struct drawn, n_drawn);
	for (int b = 0, at = 0; b < buckets.n; at += buckets.list[b++].share)
		buckets.list[b].drawn = &buckets.drawn[at];
	return buckets;
}

/* Keeps the options with the least keys, up to the bucket's share; of equal keys the first. */
static void draw(struct bucket *bucket, uint64_t key, struct bw_option *option)
{
	if (bucket->n_drawn == bucket->share && key >= bucket->drawn[bucket->n_drawn - 1].key)
		return;
	int at = bucket->n_drawn < bucket->share ? bucket->n_drawn++ : bucket->n_drawn - 1;
	for (; at > 0 && bucket->drawn[at - 1].key > key; at--)
		bucket->drawn[at] = bucket->drawn[at - 1];
	bucket->drawn[at] = (struct drawn){key, option};
}

/* A single option is always drawn. If all options of a bucket are wanted, all of them are drawn. */
void bw_sample(const struct bw_question *question, struct bw_expansion *expansion, enum bw_fate fate)
{
	if (expansion->n == 1) {
		expansion->n_buckets += expansion->options[0].fate == fate;
		return;
	}
	struct buckets buckets = make_buckets(question, expansion, fate);
	for (int i = 0; i < expansion->n; i++) {
		struct bw_option *option = &expansion->options[i];
		struct bucket *bucket = buckets.of[i] >= 0 ? &buckets.list[buckets.of[i]] : NULL;
		if (!bucket || bucket->share == bucket->size)
			continue;
		draw(bucket, key_of(question, option), option);
		option->fate = BW_FATE_UNSAMPLED;
	}
	for (int b = 0; b < buckets.n; b++)
		for (int i = 0; i < buckets.list[b].n_drawn; i++)
			buckets.list[b].drawn[i].option->fate = fate;
	expansion->n_buckets += buckets.n;
	free(buckets.list);
	free(buckets.places);
	free(buckets.of);
	free(buckets.drawn);
}

/* Random dropout makes different schedules, also for training data, as in Halide's anderson2021
 * (AutoSchedule.cpp). While a beam is chosen, children are dropped at random. random_dropout is the
 * probability that no child is dropped in a whole pass. */

/* Returns the nth root of a number from 0 to 1, by bisection. Products give the same result on
 * every machine, which pow() need not. */
static double root(double number, int n)
{
	double low = 0, high = 1;
	for (int step = 0; step < 60; step++) {
		double middle = 0.5 * (low + high), power = 1;
		for (int i = 0; i < n; i++)
			power *= middle;
		if (power < number)
			low = middle;
		else
			high = middle;
	}
	return high;
}

struct bw_dropout bw_dropout_begin(const struct bw_search *search, int index)
{
	const struct bw_decision *decision = &search->plan[index];
	bool on = search->options.random_dropout < 100 && decision->phase != BW_PHASE_PASS;
	return (struct bw_dropout){search->options.seed, (uint64_t)decision->pass, (uint64_t)index,
				   on ? root(search->options.random_dropout / 100.0, search->pass_decisions)
				      : 1};
}

bool bw_dropped_out(const struct bw_dropout *dropout, uint64_t state, int left)
{
	enum { DROPOUT = 0xd209 }; /* separates these random numbers from others with the same keys */
	uint64_t keys[] = {dropout->seed, DROPOUT, dropout->pass, dropout->index, state};
	return dropout->stays < 1 && left > 1 &&
	       (double)(bw_random(keys, sizeof keys / sizeof *keys) >> 11) * 0x1p-53 >= dropout->stays;
}
