#include "search/polish_exhausted.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct bw_exhausted {
	int n_funcs, words; /* words: in a set of Funcs, one bit per Func */
	int n_changes;
	int *added;          /* by Func: 1 + n_changes when it was added; 0: not in the set */
	uint64_t *concerned; /* by Func: the Funcs that its variants depend on */
	uint64_t *differ;    /* the Funcs that the last change made different */
};

struct bw_exhausted *bw_exhausted_new(int n_funcs)
{
	struct bw_exhausted *exhausted = BW_NEW(struct bw_exhausted);
	exhausted->n_funcs = n_funcs;
	exhausted->words = (n_funcs + 63) / 64;
	exhausted->added = BW_NEW_ARRAY(int, n_funcs);
	exhausted->concerned = BW_NEW_ARRAY(uint64_t, n_funcs * exhausted->words);
	exhausted->differ = BW_NEW_ARRAY(uint64_t, exhausted->words);
	return exhausted;
}

struct bw_exhausted *bw_exhausted_copy(const struct bw_exhausted *exhausted)
{
	struct bw_exhausted *copy = bw_exhausted_new(exhausted->n_funcs);
	copy->n_changes = exhausted->n_changes;
	memcpy(copy->added, exhausted->added, (size_t)exhausted->n_funcs * sizeof *exhausted->added);
	memcpy(copy->concerned, exhausted->concerned,
	       (size_t)(exhausted->n_funcs * exhausted->words) * sizeof *exhausted->concerned);
	return copy;
}

void bw_exhausted_free(struct bw_exhausted *exhausted)
{
	if (!exhausted)
		return;
	free(exhausted->added);
	free(exhausted->concerned);
	free(exhausted->differ);
	free(exhausted);
}

bool bw_exhausted_has(const struct bw_exhausted *exhausted, int func)
{
	return exhausted->added[func];
}

static uint64_t *concerned_by(struct bw_exhausted *exhausted, int func)
{
	return &exhausted->concerned[func * exhausted->words];
}

void bw_exhausted_add(struct bw_exhausted *exhausted, const struct bw_variants *variants, int func)
{
	exhausted->added[func] = 1 + exhausted->n_changes;
	memset(concerned_by(exhausted, func), 0, (size_t)exhausted->words * sizeof *exhausted->concerned);
	bw_variants_concerned(variants, concerned_by(exhausted, func));
}

void bw_exhausted_put(struct bw_exhausted *exhausted, int func, const uint64_t *set)
{
	exhausted->added[func] = 1 + exhausted->n_changes;
	memcpy(concerned_by(exhausted, func), set, (size_t)exhausted->words * sizeof *set);
}

static bool any_differ(struct bw_exhausted *exhausted, int func)
{
	uint64_t any = 0;
	for (int w = 0; w < exhausted->words; w++)
		any |= concerned_by(exhausted, func)[w] & exhausted->differ[w];
	return any;
}

void bw_exhausted_change(struct bw_exhausted *exhausted, const struct bw_nest *before,
			 const struct bw_nest *after)
{
	exhausted->n_changes++;
	memset(exhausted->differ, 0, (size_t)exhausted->words * sizeof *exhausted->differ);
	for (int f = 0; f < exhausted->n_funcs; f++) {
		const struct bw_placed *a = before->placed[f], *b = after->placed[f];
		if (a != b && (!a || !b || a->content != b->content))
			exhausted->differ[f / 64] |= (uint64_t)1 << f % 64;
	}
	for (int f = 0; f < exhausted->n_funcs; f++)
		if (exhausted->added[f] && any_differ(exhausted, f))
			exhausted->added[f] = 0;
}

bool bw_exhausted_doubt(struct bw_exhausted *exhausted)
{
	bool any = false;
	for (int f = 0; f < exhausted->n_funcs; f++) {
		bool old = exhausted->added[f] && exhausted->added[f] <= exhausted->n_changes;
		any |= old;
		if (old)
			exhausted->added[f] = 0;
	}
	return any;
}

/* Returns a hash of the Funcs of a set as they are placed and held. */
static uint64_t hash_of(const struct bw_tries *tries, const struct bw_variants *variants, const uint64_t *set)
{
	uint64_t hash = bw_variants_listed(variants);
	for (int f = 0; f < tries->n_funcs; f++)
		if (set[f / 64] >> f % 64 & 1)
			hash = bw_hash_mix(hash, bw_variants_hash(variants, f));
	return hash;
}

const struct bw_try *bw_tries_find(const struct bw_tries *tries, const struct bw_variants *variants,
				   int place)
{
	const struct bw_tries_of *of = tries ? &tries->of[bw_variants_func(variants, place)] : NULL;
	for (int i = of ? of->n - 1 : -1; i >= 0; i--)
		if (of->list[i].hash == hash_of(tries, variants, of->list[i].set))
			return &of->list[i];
	return NULL;
}

void bw_tries_add(struct bw_tries *tries, const struct bw_variants *variants, int place)
{
	if (!tries)
		return;
	struct bw_tries_of *of = &tries->of[bw_variants_func(variants, place)];
	BW_GROW(of->list, of->n, of->capacity);
	struct bw_try *try = &of->list[of->n++];
	*try = (struct bw_try){.set = BW_NEW_ARRAY(uint64_t, tries->words)};
	bw_variants_list(variants, &try->priced);
	bw_variants_concerned(variants, try->set);
	try->hash = hash_of(tries, variants, try->set);
}
