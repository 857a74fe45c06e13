/* Sites: where a Func can be computed and stored in a nest, and the levels of a site. */

#include "nest/nest_private.h"

bw_level bw_level_of_site(const struct bw_site *site)
{
	return site->kind == BW_SITE_AT ? bw_level_make(site->func, site->stage, site->role, site->serial)
					: BW_LEVEL_ROOT;
}

static bool has_blocks(const struct bw_placed_stage *stage)
{
	return stage->n_levels && bw_level_role(stage->levels[0].level) == BW_ROLE_BLOCK;
}

bool bw_nest_inside_threads(const struct bw_nest *nest, const struct bw_site *site)
{
	for (struct bw_site at = *site; at.kind == BW_SITE_AT;) {
		const struct bw_placed *host = nest->placed[at.func];
		const struct bw_placed_stage *stage = &host->stages[at.stage];
		bw_level level = bw_level_of_site(&at);
		if (host->placement->compute.kind == BW_SITE_ROOT && !has_blocks(stage))
			return true;
		for (int i = 0; i < stage->n_levels; i++) {
			enum bw_role role = bw_level_role(stage->levels[i].level);
			if (role == BW_ROLE_THREAD || role == BW_ROLE_WARP)
				return true;
			if (stage->levels[i].level == level)
				break;
		}
		at = host->placement->compute;
	}
	return false;
}

static void add_level(struct bw_levels *levels, bw_level level)
{
	for (int i = 0; i < levels->n; i++)
		if (levels->list[i] == level)
			return;
	if (levels->n == BW_MAX_LEVELS)
		levels->full = true;
	else
		levels->list[levels->n++] = level;
}

/* Adds the levels of a stage from `level` (from its innermost one if level is the root) outwards to
 * the root. */
static void add_path(const struct bw_nest *nest, int func, int stage, bw_level level,
		     struct bw_levels *levels)
{
	const struct bw_placed *placed = nest->placed[func];
	if (placed->placement->compute.kind != BW_SITE_INLINE) {
		const struct bw_placed_stage *own = &placed->stages[stage];
		bool reached = level == BW_LEVEL_ROOT;
		for (int i = own->n_levels - 1; i >= 0; i--) {
			reached |= own->levels[i].level == level;
			if (reached)
				add_level(levels, own->levels[i].level);
		}
	}
	for (int i = 0; i < placed->n_regions; i++)
		add_level(levels, placed->regions[i].level);
}

static void levels_of(const struct bw_nest *nest, int func, const struct bw_site *site,
		      struct bw_levels *levels)
{
	levels->n = 0;
	levels->full = false;
	if (site->kind == BW_SITE_AT) {
		add_path(nest, site->func, site->stage, bw_level_of_site(site), levels);
	} else if (site->kind == BW_SITE_INLINE) {
		const struct bw_func *f = &nest->pipeline->funcs[func];
		for (int c = 0; c < f->n_consumers; c++)
			add_path(nest, f->consumers[c]->func, f->consumers[c]->index, BW_LEVEL_ROOT, levels);
	} else {
		add_level(levels, BW_LEVEL_ROOT);
	}
}

static bool consumers_placed(const struct bw_nest *nest, const struct bw_func *func, struct bw_error *error)
{
	for (int c = 0; c < func->n_consumers; c++)
		if (!nest->placed[func->consumers[c]->func])
			return bw_fail(error, BW_ERROR_CONFLICT, "%s: its consumer %s is not placed yet",
				       func->name, nest->pipeline->funcs[func->consumers[c]->func].name);
	return true;
}

/* Checks whether Halide can compute the Func at its site, by the shape of the nest alone. */
static bool check_site(const struct bw_nest *nest, const struct bw_func *func, const struct bw_site *site,
		       struct bw_error *error)
{
	if (!consumers_placed(nest, func, error))
		return false;
	if (func->output && site->kind != BW_SITE_ROOT)
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: an output of the pipeline is computed at root", func->name);
	if (site->kind == BW_SITE_INLINE && func->n_stages > 1)
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: a Func with updates cannot be inlined", func->name);
	if (site->kind != BW_SITE_AT)
		return true;
	const struct bw_placed *host = nest->placed[site->func];
	const char *host_name = nest->pipeline->funcs[site->func].name;
	bw_level level = bw_level_of_site(site);
	if (!host || host->placement->compute.kind == BW_SITE_INLINE)
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: %s is %s and has no loops to compute it in",
			       func->name, host_name, host ? "inlined" : "not placed");
	if (site->stage >= host->placement->n_stages || !bw_placed_own_level(host, level))
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: %s has no such loops to compute it in",
			       func->name, host_name);
	for (int c = 0; c < func->n_consumers; c++) {
		BW_SCOPED_TEXT words = {0};
		if (bw_nest_under(nest, func->consumers[c], level))
			continue;
		bw_site_print(nest->pipeline, site, &words);
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: its consumer %s is computed elsewhere, not %s", func->name,
			       nest->pipeline->funcs[func->consumers[c]->func].name, bw_text_get(&words));
	}
	return true;
}

/* Returns true if a stage has lanes, and a level lies outside of them. */
static bool is_outside_lanes(const struct bw_placed *host, int stage, bw_level level)
{
	const struct bw_stage_plan *plan = &host->placement->stages[stage];
	const struct bw_own_level *own = bw_placed_own_level(host, level);
	for (int i = own ? own->piece + 1 : 0; i < plan->n_loops; i++)
		if (plan->loops[i].kind == BW_LOOP_LANE)
			return true;
	return false;
}

/* Checks the lanes of a Func. A Func that is computed in a warp must have lanes; they keep it in their
 * registers together. Halide reads such a Func by shuffles, which do not support 64 bits. At any other
 * site outside of a host's lanes no Func may be computed. Only Funcs at root or in a warp may have lanes. */
static bool check_lanes(const struct bw_nest *nest, const struct bw_func *func,
			const struct bw_placement *placement, struct bw_error *error)
{
	const struct bw_site *site = &placement->compute;
	bool at = site->kind == BW_SITE_AT, warp = at && site->role == BW_ROLE_WARP;
	for (int s = 0; s < placement->n_stages; s++) {
		bool lanes = bw_stage_has_lanes(&placement->stages[s]);
		if (warp && !lanes)
			return bw_fail(error, BW_ERROR_CONFLICT, "%s: what is computed in a warp needs a lane loop", func->name);
		if (at && !warp && lanes)
			return bw_fail(error, BW_ERROR_CONFLICT, "%s: lanes are at root, or in a warp", func->name);
	}
	if (!at)
		return true;
	if (!warp && is_outside_lanes(nest->placed[site->func], site->stage, bw_level_of_site(site)))
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: outside of the lanes of %s, a Func is computed in a warp only",
			       func->name, nest->pipeline->funcs[site->func].name);
	if (warp && !bw_site_equal(site, &placement->store))
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: what is computed in a warp is stored there", func->name);
	for (int v = 0; warp && v < func->n_values; v++)
		if (bw_type_bytes(func->types[v]) > BW_SHUFFLED_BYTES)
			return bw_fail(error, BW_ERROR_CONFLICT, "%s: Halide shuffles values of at most %d bits between lanes",
				       func->name, 8 * BW_SHUFFLED_BYTES);
	return true;
}

static bool check_kinds(const struct bw_nest *nest, const struct bw_func *func,
			const struct bw_placement *placement, struct bw_error *error)
{
	bool threaded = bw_nest_inside_threads(nest, &placement->compute);
	bool warp = placement->compute.kind == BW_SITE_AT && placement->compute.role == BW_ROLE_WARP;
	if (placement->n_stages != func->n_stages)
		return bw_fail(error, BW_ERROR_INPUT, "%s: has %d stages, the schedule says %d", func->name,
			       func->n_stages, placement->n_stages);
	for (int s = 0; s < placement->n_stages; s++) {
		bool blocks = false;
		if (placement->stages[s].atomic && threaded)
			return bw_fail(error, BW_ERROR_CONFLICT, "%s: it is a thread's own, and no other thread adds to it: not atomic",
				       func->name);
		for (int i = 0; i < placement->stages[s].n_loops; i++) {
			enum bw_loop_kind kind = placement->stages[s].loops[i].kind;
			if (kind == BW_LOOP_BLOCK && placement->compute.kind != BW_SITE_ROOT)
				return bw_fail(error, BW_ERROR_CONFLICT, "%s: block loops only at root", func->name);
			if (bw_loop_role(kind) == BW_ROLE_THREAD && threaded && !(warp && kind == BW_LOOP_LANE))
				return bw_fail(error, BW_ERROR_CONFLICT, "%s: thread loops inside thread loops", func->name);
			blocks |= kind == BW_LOOP_BLOCK;
			if (bw_loop_role(kind) == BW_ROLE_THREAD && !blocks && placement->compute.kind == BW_SITE_ROOT)
				return bw_fail(error, BW_ERROR_CONFLICT,
					       "%s: thread loops at root need block loops around them",
					       func->name);
		}
	}
	return true;
}

/* Checks whether the store site encloses the compute site, and whether the store site's level has the
 * placement's kind of memory. */
static bool check_store(const struct bw_nest *nest, const struct bw_placement *placement,
			const struct bw_levels *levels, struct bw_error *error)
{
	const struct bw_func *func = &nest->pipeline->funcs[placement->func];
	const struct bw_site *store = &placement->store;
	bool encloses = store->kind == BW_SITE_ROOT;
	for (int i = 0; i < levels->n && store->kind == BW_SITE_AT; i++)
		encloses |= levels->list[i] == bw_level_of_site(store);
	if (!encloses)
		return bw_fail(error, BW_ERROR_CONFLICT,
			       "%s: it is not computed inside of the loop where it is stored", func->name);
	bool threaded = bw_nest_inside_threads(nest, store), at_block = store->kind == BW_SITE_AT && !threaded;
	enum bw_memory memory = placement->memory;
	bool own = memory == BW_MEMORY_REGISTERS || memory == BW_MEMORY_STACK;
	if (memory == BW_MEMORY_STACK && store->kind == BW_SITE_AT && store->role == BW_ROLE_WARP)
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: the lanes of a warp keep it in registers, not on the stack",
			       func->name);
	if ((own && !threaded) || (memory == BW_MEMORY_SHARED && !at_block))
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: no %s memory %s", func->name,
			       bw_memory_name(memory),
			       threaded   ? "in a thread"
			       : at_block ? "at a block"
					  : "at root");
	return true;
}

bool bw_site_check(const struct bw_nest *nest, const struct bw_placement *placement, struct bw_levels *levels,
		   struct bw_error *error)
{
	const struct bw_func *func = &nest->pipeline->funcs[placement->func];
	if (!check_site(nest, func, &placement->compute, error))
		return false;
	levels_of(nest, placement->func, &placement->compute, levels);
	if (levels->full)
		return bw_fail(error, BW_ERROR_CONFLICT, "%s: it is computed at more than %d levels of loops",
			       func->name, BW_MAX_LEVELS);
	return placement->compute.kind == BW_SITE_INLINE ||
	       (check_kinds(nest, func, placement, error) && check_lanes(nest, func, placement, error) &&
		check_store(nest, placement, levels, error));
}

/* Adds the sites of a consumer's levels that enclose all consumers, innermost first. */
static int sites_of(const struct bw_nest *nest, const struct bw_func *func, int consumer, int stage,
		    struct bw_site *sites, int n, int most)
{
	const struct bw_placed *placed = nest->placed[consumer];
	if (placed->placement->compute.kind == BW_SITE_INLINE) {
		const struct bw_stage *outer = nest->pipeline->funcs[consumer].consumers[0];
		return sites_of(nest, func, outer->func, outer->index, sites, n, most);
	}
	for (int i = placed->stages[stage].n_levels - 1; i >= 0 && n < most; i--) {
		bw_level level = placed->stages[stage].levels[i].level;
		bool all = true;
		for (int c = 0; c < func->n_consumers; c++)
			all &= bw_nest_under(nest, func->consumers[c], level);
		if (all)
			sites[n++] = (struct bw_site){BW_SITE_AT, consumer, stage, bw_level_role(level), bw_level_serial(level)};
	}
	const struct bw_site *host = &placed->placement->compute;
	if (host->kind != BW_SITE_AT)
		return n;
	bw_level at = bw_level_of_site(host);
	const struct bw_placed *outer = nest->placed[host->func];
	int before = n;
	n = sites_of(nest, func, host->func, host->stage, sites, n, most);
	int kept = before;
	for (int i = before; i < n; i++) {
		bw_level level = bw_level_of_site(&sites[i]);
		bool inner = false;
		if (sites[i].func == host->func && sites[i].stage == host->stage)
			for (int k = 0, past = 0; k < outer->stages[host->stage].n_levels; k++) {
				inner |= past && outer->stages[host->stage].levels[k].level == level;
				past |= outer->stages[host->stage].levels[k].level == at;
			}
		if (!inner)
			sites[kept++] = sites[i];
	}
	return kept;
}

int bw_nest_sites(const struct bw_nest *nest, int func, struct bw_site *sites, int most)
{
	const struct bw_func *f = &nest->pipeline->funcs[func];
	if (f->output || f->n_consumers == 0)
		return 0;
	int n = sites_of(nest, f, f->consumers[0]->func, f->consumers[0]->index, sites, 0, most);
	for (int i = 0; i < n / 2; i++) {
		struct bw_site swap = sites[i];
		sites[i] = sites[n - 1 - i];
		sites[n - 1 - i] = swap;
	}
	return n;
}
