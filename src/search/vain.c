#include "search/vain.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct bw_vain {
	int n_funcs, words; /* words: of a set of Funcs, a bit each */
	int n_changes;
	int *added;          /* by Func: 1 + the changes made when it was added; 0: it is not in the set */
	uint64_t *concerned; /* by Func: the Funcs that its variants depend on */
	uint64_t *differ;    /* the Funcs that the last change made different */
};

struct bw_vain *bw_vain_new(int n_funcs)
{
	struct bw_vain *vain = BW_NEW(struct bw_vain);
	vain->n_funcs = n_funcs;
	vain->words = (n_funcs + 63) / 64;
	vain->added = BW_NEW_ARRAY(int, n_funcs);
	vain->concerned = BW_NEW_ARRAY(uint64_t, n_funcs * vain->words);
	vain->differ = BW_NEW_ARRAY(uint64_t, vain->words);
	return vain;
}

struct bw_vain *bw_vain_copy(const struct bw_vain *vain)
{
	struct bw_vain *copy = bw_vain_new(vain->n_funcs);
	copy->n_changes = vain->n_changes;
	memcpy(copy->added, vain->added, (size_t)vain->n_funcs * sizeof *vain->added);
	memcpy(copy->concerned, vain->concerned,
	       (size_t)(vain->n_funcs * vain->words) * sizeof *vain->concerned);
	return copy;
}

void bw_vain_free(struct bw_vain *vain)
{
	if (!vain)
		return;
	free(vain->added);
	free(vain->concerned);
	free(vain->differ);
	free(vain);
}

bool bw_vain_has(const struct bw_vain *vain, int func)
{
	return vain->added[func];
}

static uint64_t *concerned_by(struct bw_vain *vain, int func)
{
	return &vain->concerned[func * vain->words];
}

void bw_vain_add(struct bw_vain *vain, const struct bw_variants *variants, int func)
{
	vain->added[func] = 1 + vain->n_changes;
	memset(concerned_by(vain, func), 0, (size_t)vain->words * sizeof *vain->concerned);
	bw_variants_concerned(variants, concerned_by(vain, func));
}

static bool any_differ(struct bw_vain *vain, int func)
{
	uint64_t any = 0;
	for (int w = 0; w < vain->words; w++)
		any |= concerned_by(vain, func)[w] & vain->differ[w];
	return any;
}

void bw_vain_change(struct bw_vain *vain, const struct bw_nest *before, const struct bw_nest *after)
{
	vain->n_changes++;
	memset(vain->differ, 0, (size_t)vain->words * sizeof *vain->differ);
	for (int f = 0; f < vain->n_funcs; f++) {
		const struct bw_placed *a = before->placed[f], *b = after->placed[f];
		if (a != b && (!a || !b || a->content != b->content))
			vain->differ[f / 64] |= (uint64_t)1 << f % 64;
	}
	for (int f = 0; f < vain->n_funcs; f++)
		if (vain->added[f] && any_differ(vain, f))
			vain->added[f] = 0;
}

bool bw_vain_doubt(struct bw_vain *vain)
{
	bool any = false;
	for (int f = 0; f < vain->n_funcs; f++) {
		bool old = vain->added[f] && vain->added[f] <= vain->n_changes;
		any |= old;
		if (old)
			vain->added[f] = 0;
	}
	return any;
}
