#include "search/polish_tries.h"

#include <stdlib.h>

struct bw_tries *bw_tries_new(int n_funcs)
{
	struct bw_tries *tries = BW_NEW(struct bw_tries);
	*tries = (struct bw_tries){1, n_funcs, (n_funcs + 63) / 64, BW_NEW_ARRAY(struct bw_tries_of, n_funcs)};
	return tries;
}

struct bw_tries *bw_tries_keep(struct bw_tries *tries)
{
	if (tries)
		tries->references++;
	return tries;
}

void bw_tries_drop(struct bw_tries *tries)
{
	if (!tries || --tries->references)
		return;
	for (int f = 0; f < tries->n_funcs; f++) {
		for (int i = 0; i < tries->of[f].n; i++)
			free(tries->of[f].list[i].set);
		free(tries->of[f].list);
	}
	free(tries->of);
	free(tries);
}
