/* Changes of single Funcs while a schedule is polished. Also records the Funcs that need not be tried:
 * those tried without gain in this schedule, or in a schedule that is the same around the Func. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "search/polishing.h"

/* If more than this share of the cost is left after a change, the gain is small: the Funcs next to the
 * changed one are then not tried next, but in their turn. */
static const double small_gain = 0.99;
/* The work limit, after which polishing ends early: the number of priced variants, each times its number
 * of Funcs. It takes some seconds. Bundled pipelines need at most half of it (local_laplacian in five
 * passes). */
static const double most_work = 6e6;
/* Most Funcs that are tried after a move. */
enum { MOST_TRIED = 30 };

struct bw_exhausted {
	int n_funcs, words; /* words: number of 64-bit words in a set of Funcs, one bit per Func */
	int n_changes;
	int *added;          /* by Func: 1 + n_changes at the time when it was added; 0: not in the set */
	uint64_t *concerned; /* by Func: the Funcs that its variants depend on */
	uint64_t *differ;    /* the Funcs that differ after the last change */
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

static uint64_t *concerned_by(struct bw_exhausted *exhausted, int func)
{
	return &exhausted->concerned[func * exhausted->words];
}

/* Adds the current Func of the variants, all of which have been priced. */
static void exhausted_add(struct bw_exhausted *exhausted, const struct bw_variants *variants, int func)
{
	exhausted->added[func] = 1 + exhausted->n_changes;
	memset(concerned_by(exhausted, func), 0, (size_t)exhausted->words * sizeof *exhausted->concerned);
	bw_variants_concerned(variants, concerned_by(exhausted, func));
}

/* Adds a Func that depends on the Funcs of a set, one bit each. */
static void exhausted_put(struct bw_exhausted *exhausted, int func, const uint64_t *set)
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

/* Returns a hash of the placements and constraints of the Funcs of a set. */
static uint64_t hash_of(const struct bw_tries *tries, const struct bw_variants *variants, const uint64_t *set)
{
	uint64_t hash = bw_variants_listed(variants);
	for (int f = 0; f < tries->n_funcs; f++)
		if (set[f / 64] >> f % 64 & 1)
			hash = bw_hash_mix(hash, bw_variants_hash(variants, f));
	return hash;
}

/* Looks for an earlier try of the Func at this place of the order of decisions, in a schedule that was the
 * same around the Func. Returns NULL if there is none. The result is valid until the next try is added.
 * Accepts NULL. */
static const struct bw_try *find_try(const struct bw_tries *tries, const struct bw_variants *variants,
				   int place)
{
	const struct bw_tries_of *of = tries ? &tries->of[bw_variants_func(variants, place)] : NULL;
	for (int i = of ? of->n - 1 : -1; i >= 0; i--)
		if (of->list[i].hash == hash_of(tries, variants, of->list[i].set))
			return &of->list[i];
	return NULL;
}

/* Adds a try of the Func at a place. All its variants were priced, and none costs less. Accepts NULL. */
static void add_try(struct bw_tries *tries, const struct bw_variants *variants, int place)
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

void bw_suspect_around(struct bw_polishing *polishing, const struct bw_nest *nest, int func)
{
	const struct bw_func *of = &nest->pipeline->funcs[func];
	unsigned char *known = polishing->known;
	known[func] |= BW_SUSPECT | BW_VISITED;
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		bool next = false;
		for (int c = 0; c < of->n_consumers && !next; c++)
			next = of->consumers[c]->func == f;
		for (int s = 0; s < of->n_stages && !next; s++)
			next = bw_stage_read_of(&of->stages[s], f);
		bool through = next && bw_is_inlined(nest, f) && !(known[f] & BW_VISITED);
		known[f] |= next ? BW_SUSPECT : 0;
		if (through)
			bw_suspect_around(polishing, nest, f);
	}
}

/* Marks a changed Func as suspect, and no Func as settled. */
static void unsettle(struct bw_polishing *polishing, int func)
{
	polishing->known[func] |= BW_SUSPECT;
	for (int f = 0; f < polishing->search->pipeline->n_funcs; f++)
		polishing->known[f] &= BW_SUSPECT;
}

void bw_suspect(struct bw_polishing *polishing, const struct bw_nest *nest, int func)
{
	bw_suspect_around(polishing, nest, func);
	unsettle(polishing, func);
}

/* Makes a change. */
static void change(struct bw_polishing *polishing, struct bw_start *start, int number)
{
	struct bw_polish *polish = &start->polish;
	int n;
	const struct bw_variant *variant = &bw_variants_list(start->variants, &n)[number];
	BW_SCOPED_NEST *nest = bw_nest_keep((struct bw_nest *)bw_variants_nest(start->variants));
	int func = variant->placement->func;
	BW_PUSH(polish->steps, polish->n, polish->capacity,
		(struct bw_polish_step){.from = bw_placement_keep(nest->placed[func]->placement),
					.to = bw_placement_keep(variant->placement),
					.before = bw_variants_cost(start->variants),
					.after = variant->cost});
	bool much = variant->cost < small_gain * bw_variants_cost(start->variants);
	if (much)
		bw_suspect(polishing, nest, func);
	bw_variants_take(start->variants, number);
	if (much)
		bw_suspect(polishing, bw_variants_nest(start->variants), func);
	unsettle(polishing, func);
	bw_exhausted_change(start->exhausted, nest, bw_variants_nest(start->variants));
}

bool bw_best_variant(struct bw_polishing *polishing, struct bw_variants *variants, double *least, int *best)
{
	int n;
	const struct bw_variant *list = bw_variants_list(variants, &n);
	for (int i = 0; i < n; i++) {
		if (!bw_yield(polishing->search->yield))
			return false;
		bw_variants_price(variants, i, *least);
		polishing->priced++;
		if (list[i].allowed && list[i].cost < *least) {
			*best = i;
			*least = list[i].cost;
		}
	}
	return true;
}

/* Finds the best change of one Func. Sets *best to its number, or to -1 if no change lowers the cost; the
 * Func is then exhausted. A branch skips a Func that the search tried without gain in a schedule that is
 * the same around the Func. The work limits count a skipped Func as tried, so that the result does not
 * change. Returns false if it was stopped. */
static bool try_func(struct bw_polishing *polishing, struct bw_start *start, int place, int *best)
{
	struct bw_variants *variants = start->variants;
	int func = bw_variants_func(variants, place);
	double least = bw_variants_cost(variants);
	const struct bw_try *vain = polishing->end ? NULL : find_try(polishing->tries, variants, place);
	if (vain) {
		exhausted_put(start->exhausted, func, vain->set);
		polishing->priced += vain->priced;
		polishing->spared += vain->priced;
		return true;
	}
	if (!bw_variants_turn(variants, place, polishing->search->yield) ||
	    !bw_best_variant(polishing, variants, &least, best))
		return false;
	if (*best < 0) {
		add_try(polishing->tries, variants, place);
		exhausted_add(start->exhausted, variants, func);
	}
	return true;
}

/* Makes the best change of one Func, if any lowers the cost. Skips a Func that was tried without gain.
 * Returns false if it was stopped. */
static bool polish_func(struct bw_polishing *polishing, struct bw_start *start, int place)
{
	int best = -1, func = bw_variants_func(start->variants, place);
	if (!start->exhausted->added[func] && !try_func(polishing, start, place, &best))
		return false;
	if (best >= 0)
		change(polishing, start, best);
	else
		polishing->known[func] = BW_SETTLED;
	return true;
}

/* Returns the next place, starting again at the first after the last, at which the Func's known bits in
 * `bits` equal `as`. Returns -1 if there is none. */
static int find_next(const struct bw_polishing *polishing, const struct bw_start *start, int place, int bits,
		     int as)
{
	int n = bw_variants_funcs(start->variants);
	for (int i = 1; i <= n; i++)
		if ((polishing->known[bw_variants_func(start->variants, (place + i) % n)] & bits) == as)
			return (place + i) % n;
	return -1;
}

/* Tries one Func after the other until all are settled. Suspect Funcs come first. A changed Func is
 * suspect, too, because its variants are now others. Ends early for a start that costs no less than `best`
 * after one round, and for all starts once the work limit is reached. Returns false if it was stopped. */
static bool settle(struct bw_polishing *polishing, struct bw_start *start, double best)
{
	int n = bw_variants_funcs(start->variants), tried = 0;
	for (int place = 0; place >= 0 && !(tried == n && bw_variants_cost(start->variants) >= best); tried++) {
		polishing->cut = (double)polishing->priced * n > most_work ||
				 bw_variants_cost(start->variants) < polishing->search->enough;
		if (polishing->cut)
			return true;
		if (!polish_func(polishing, start, place))
			return false;
		int next = find_next(polishing, start, place, BW_SUSPECT, BW_SUSPECT);
		place = next >= 0 ? next : find_next(polishing, start, place, BW_SETTLED, 0);
	}
	return true;
}

/* Returns true while polishing after a move must go on: the schedule costs no less than `from`, the
 * schedule before the move, and differs from it. (No change of a single Func improves `from`.) Always true
 * if `from` is NULL. */
static bool is_underway(const struct bw_start *start, const struct bw_start *from)
{
	return !from || (bw_variants_cost(start->variants) >= bw_variants_cost(from->variants) &&
			 bw_variants_nest(start->variants)->hash != bw_variants_nest(from->variants)->hash);
}

bool bw_follow(struct bw_polishing *polishing, struct bw_start *start, const struct bw_start *from)
{
	const int most = from ? MOST_TRIED : INT_MAX;
	for (int place = 0, tried = 0; tried < most && is_underway(start, from); tried++) {
		place = find_next(polishing, start, place, BW_SUSPECT, BW_SUSPECT);
		if (place < 0)
			return true;
		if (!polish_func(polishing, start, place))
			return false;
	}
	return true;
}

bool bw_polish_start(struct bw_polishing *polishing, struct bw_start *start, double best)
{
	memset(polishing->known, BW_SUSPECT, (size_t)polishing->search->pipeline->n_funcs);
	return settle(polishing, start, best);
}
