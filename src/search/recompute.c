/* Funcs that may be recomputed without limit: the cost model decides. */
#include "search/space.h"

/* Returns true if computing a point takes no more than loading one: a few simple operations. */
static bool cheap(const struct bw_func *func)
{
	enum { CHEAP_OPERATIONS = 8 };
	const struct bw_stage *stage = &func->stages[0];
	int work = 0;
	for (int o = BW_OPERATION_ADD; o <= BW_OPERATION_EXTERN_CALL; o++)
		for (int t = 0; t < BW_N_TYPES; t++)
			work +=
			    o == BW_OPERATION_EXTERN_CALL || o == BW_OPERATION_DIV || o == BW_OPERATION_MOD
				? 4 * stage->ops[o][t]
				: stage->ops[o][t];
	return work <= CHEAP_OPERATIONS;
}

/* Returns true if only one Func reads it, directly or through inlined Funcs. */
static bool read_by_one(const struct bw_nest *nest, int func, struct bw_arena *arena)
{
	int n = nest->pipeline->n_funcs, reader = -1;
	bool *through = BW_ARENA_ARRAY(arena, bool, n);
	through[func] = true;
	for (int f = func; f < n; f++)
		for (int c = 0; through[f] && c < nest->pipeline->funcs[f].n_consumers; c++) {
			int by = nest->pipeline->funcs[f].consumers[c]->func;
			bool inlined = nest->placed[by]->placement->compute.kind == BW_SITE_INLINE;
			through[by] |= inlined;
			if (!inlined && reader >= 0 && reader != by)
				return false;
			reader = inlined ? reader : by;
		}
	return true;
}

bool bw_recomputed_freely(const struct bw_nest *nest, int func, struct bw_arena *arena)
{
	const struct bw_func *f = &nest->pipeline->funcs[func];
	return cheap(f) || (bw_func_maps(f) && read_by_one(nest, func, arena));
}
