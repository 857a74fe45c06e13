/* Finds the remarks on a nest (nest/remarks.h), and prints them. */
#include "nest/remarks.h"

#include "base/arith.h"
#include "nest/nest_private.h"

struct gathering {
	const struct bw_nest *nest;
	struct bw_arena *arena;
	struct bw_remark *list;
	int n, capacity;
};

static void add(struct gathering *gathering, struct bw_remark remark)
{
	if (gathering->n == gathering->capacity) {
		int capacity = 2 * gathering->capacity + 8;
		struct bw_remark *list = BW_ARENA_ARRAY(gathering->arena, struct bw_remark, capacity);
		for (int i = 0; i < gathering->n; i++)
			list[i] = gathering->list[i];
		gathering->list = list;
		gathering->capacity = capacity;
	}
	gathering->list[gathering->n++] = remark;
}

/* Adds a remark on a stored Func if more of it is read, by rounding up, than is computed. */
static void look_beyond(struct gathering *gathering, int func)
{
	const struct bw_placed *placed = gathering->nest->placed[func];
	const struct bw_region *site = &placed->regions[0];
	struct bw_interval read[BW_MAX_DIMS];
	if (!bw_nest_rounded(gathering->nest, func, site->level, read))
		return;
	for (int d = 0; d < placed->n_dims; d++) {
		int64_t beyond = bw_max(site->computed[d].min - read[d].min, 0) +
				 bw_max(read[d].max - site->computed[d].max, 0);
		if (beyond)
			add(gathering, (struct bw_remark){BW_REMARK_BEYOND, func, 0, d, beyond});
	}
}

static bool is_real(const struct bw_func *func)
{
	for (int v = 0; v < func->n_values; v++)
		if (func->types[v] == BW_TYPE_FLOAT32 || func->types[v] == BW_TYPE_FLOAT64)
			return true;
	return false;
}

/* Adds a remark on a Func of floating-point numbers at root if a tile is shifted inwards over the
 * one before it. */
static void look_twice(struct gathering *gathering, int func)
{
	const struct bw_placed *placed = gathering->nest->placed[func];
	const struct bw_func *of = &gathering->nest->pipeline->funcs[func];
	for (int s = 0; s < placed->placement->n_stages && is_real(of) &&
			placed->placement->compute.kind == BW_SITE_ROOT;
	     s++) {
		const struct bw_stage_plan *plan = &placed->placement->stages[s];
		struct bw_interval loops[BW_MAX_LOOPS];
		uint32_t split = 0;
		if (!bw_stage_loops_of(&of->stages[s], placed->regions[0].computed, loops))
			continue;
		for (int i = 0; i < plan->n_loops; i++) {
			int loop = plan->loops[i].loop;
			if (!plan->loops[i].extent || (split >> loop & 1))
				continue;
			split |= (uint32_t)1 << loop;
			int64_t extent = bw_interval_extent(&loops[loop]),
				twice = bw_round_up(extent, bw_stage_inside(plan, loop, 0)) - extent;
			if (placed->stages[s].tails[i] == BW_TAIL_SHIFT_INWARDS && twice)
				add(gathering, (struct bw_remark){BW_REMARK_TWICE, func, s, loop, twice});
		}
	}
}

/* Adds a remark on a Func of floating-point numbers if an update is atomic. */
static void look_atomic(struct gathering *gathering, int func)
{
	const struct bw_placement *placement = gathering->nest->placed[func]->placement;
	for (int s = 1; s < placement->n_stages && is_real(&gathering->nest->pipeline->funcs[func]); s++)
		if (placement->stages[s].atomic)
			add(gathering, (struct bw_remark){BW_REMARK_ORDER, func, s, 0, 0});
}

struct bw_remarks bw_nest_remarks(const struct bw_nest *nest, struct bw_arena *arena)
{
	struct gathering gathering = {.nest = nest, .arena = arena};
	for (int f = nest->pipeline->n_funcs - 1; f >= 0; f--) {
		const struct bw_placed *placed = nest->placed[f];
		if (!placed || placed->placement->compute.kind == BW_SITE_INLINE)
			continue;
		look_beyond(&gathering, f);
		look_twice(&gathering, f);
		look_atomic(&gathering, f);
		if (placed->kernel_func >= 0 && placed->proof == BW_PROOF_NONE && placed->memory != BW_MEMORY_GLOBAL)
			add(&gathering, (struct bw_remark){BW_REMARK_UNPROVEN, f, 0, 0, 0});
	}
	return (struct bw_remarks){gathering.n, gathering.list};
}

static const struct {
	const char *name, *words;
} kinds[BW_N_REMARKS] = {BW_REMARK_TABLE(BW_ROW)};

const char *bw_remark_name(enum bw_remark_kind kind)
{
	return kinds[kind].name;
}

const char *bw_remark_where(const struct bw_pipeline *pipeline, const struct bw_remark *remark)
{
	const struct bw_func *func = &pipeline->funcs[remark->func];
	switch (remark->kind) {
	case BW_REMARK_BEYOND: return func->dims[remark->loop];
	case BW_REMARK_TWICE: return func->stages[remark->stage].loops[remark->loop].name;
	default: return "";
	}
}

bool bw_remarks_words(const struct bw_pipeline *pipeline, const struct bw_remarks *remarks,
		      enum bw_remark_kind kind, struct bw_text *out)
{
	int last = -1;
	bool open = false;
	for (int i = 0; i < remarks->n; i++) {
		const struct bw_remark *remark = &remarks->list[i];
		const char *where = bw_remark_where(pipeline, remark);
		if (remark->kind != kind)
			continue;
		bool more = remark->func == last;
		if (!more)
			bw_text_printf(out, "%s%s%s %s", last < 0 ? kinds[kind].words : "", open ? ")" : "",
				       last < 0 ? ":" : ",", pipeline->funcs[remark->func].name);
		open = *where;
		if (open)
			bw_text_printf(out, "%s%lld in %s", more ? ", " : " (", (long long)remark->extent, where);
		last = remark->func;
	}
	if (open)
		bw_text_puts(out, ")");
	return last >= 0;
}
