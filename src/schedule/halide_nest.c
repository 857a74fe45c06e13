/* Makes placements from the tree of a loop nest. In the tree, each level of a stage has a size for each of
 * its loops. In a placement, each loop has pieces. Pieces of extent 1 are omitted, except the outermost
 * piece of a loop, and pieces of a level in which Funcs are computed. */
#include "schedule/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "nest/plan.h"
#include "schedule/halide_nest_private.h"

enum {
	TEXT_LIMIT = 4 << 20,
	MOST_LEVELS = 24,
	UNROLLED_AT_MOST = 16 /* Halide also unrolls 16 iterations */,
	ASSUMED_THREADS = 32,
	NOT_STORED = INT32_MAX
};

/* The plan of one stage while it is made. */
struct growing {
	struct bw_halide_nest *nest;
	const struct bw_func *func;
	const struct bw_stage *stage;
	struct bw_loop *loops;
	int n, n_threads, n_serial;
	bool covered[BW_MAX_LOOPS]; /* by loop: true if its outermost piece is in the plan */
};

bool bw_halide_nest_is(const char *text, size_t length)
{
	for (const char *at = text, *end = text + length; at < end;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t n = (size_t)((stop ? stop : end) - at), blank = 0;
		while (n && (at[n - 1] == '\r' || at[n - 1] == ' '))
			n--;
		while (blank < n && at[blank] == ' ')
			blank++;
		if (blank < n && at[0] != '#') {
			BW_SCOPED_MEMORY char *line =
			    memcpy(bw_new_array(n - blank + 1, 1), at + blank, n - blank);
			const char *last = strrchr(line, ' ');
			return strncmp(line, "realize: ", 9) == 0 ||
			       strncmp(last ? last + 1 : line, "gpu_", 4) == 0;
		}
		at = stop ? stop + 1 : end;
	}
	return false;
}

static void add(struct growing *plan, int loop, int64_t size, enum bw_loop_kind kind)
{
	plan->loops[plan->n++] = (struct bw_loop){
	    .loop = loop, .extent = plan->covered[loop] ? size : 0, .kind = kind, .tail = BW_TAIL_AUTO};
	plan->covered[loop] = true;
	plan->n_threads += kind == BW_LOOP_THREAD;
	plan->n_serial += kind >= BW_LOOP_SERIAL;
}

/* Computes the order of a level's loops, outermost first. It is Halide's order, except that the loop of
 * the vector dimension is moved inside of all loops over Vars. */
static void order_of(const struct growing *plan, const struct bw_halide_level *level, int *order)
{
	int n = plan->stage->n_loops, inner_first[BW_MAX_LOOPS];
	for (int i = 0; i < n; i++)
		inner_first[i] = i;
	for (int i = level->vector_loop; i > 0 && plan->stage->loops[i - 1].pure; i--) {
		inner_first[i] = i - 1;
		inner_first[i - 1] = level->vector_loop;
	}
	for (int i = 0; i < n; i++)
		order[i] = inner_first[n - 1 - i];
}

static bool add_blocks(struct growing *plan, const struct bw_halide_level *level, const int *order)
{
	for (int i = 0; i < plan->stage->n_loops; i++) {
		const struct bw_stage_loop *loop = &plan->stage->loops[order[i]];
		if (loop->parallel)
			add(plan, order[i], level->sizes[order[i]], BW_LOOP_BLOCK);
		else if (level->sizes[order[i]] > 1)
			return bw_halide_nest_fail(
			    plan->nest, level->line,
			    "loop %s of \"%s\" carries a reduction: it cannot be among the blocks",
			    loop->name, plan->func->name);
	}
	return true;
}

/* Adds the loops of a level that has threads. Thread loops are the loops over Vars with more than one
 * iteration. While there is room, innermost first, further loops over Vars become thread loops: those that
 * have no piece yet, and the innermost one if the level hosts Funcs and has no thread loop. The other
 * loops are serial. */
static bool add_threads(struct growing *plan, const struct bw_halide_level *level, const int *order)
{
	const int n = plan->stage->n_loops;
	bool threads[BW_MAX_LOOPS] = {false};
	int used = 0, first = -1;
	for (int i = 0; i < n; i++)
		used += threads[i] = plan->stage->loops[i].pure && level->sizes[i] > 1;
	if (used > BW_PLAN_THREAD_LOOPS)
		return bw_halide_nest_fail(plan->nest, level->line, "\"%s\" has %d thread loops: at most %d",
					   plan->func->name, used, BW_PLAN_THREAD_LOOPS);
	for (int i = n - 1; i >= 0; i--)
		first = plan->stage->loops[order[i]].pure && first < 0 ? order[i] : first;
	for (int i = n - 1; i >= 0; i--)
		if (plan->stage->loops[order[i]].pure && !threads[order[i]] && used < BW_PLAN_THREAD_LOOPS &&
		    (!plan->covered[order[i]] || (level->hosts && !used && order[i] == first)))
			used += threads[order[i]] = true;
	for (int i = 0; i < n; i++)
		if (threads[order[i]])
			add(plan, order[i], level->sizes[order[i]], BW_LOOP_THREAD);
	for (int i = 0; i < n; i++)
		if (!threads[order[i]] && (level->sizes[order[i]] > 1 ||
					   (plan->stage->loops[order[i]].pure && !plan->covered[order[i]])))
			add(plan, order[i], level->sizes[order[i]], BW_LOOP_SERIAL);
	return true;
}

/* Returns true if Halide unrolls the loops over Vars of a level: it is the innermost level, and the
 * product of these loops' iterations is constant and small. */
static bool unrolls(const struct growing *plan, const struct bw_halide_level *level)
{
	int64_t product = 1;
	bool last = level->inner < 0 || plan->nest->levels[level->inner].label == BW_HALIDE_LABEL_SIMD;
	for (int i = 0; i < plan->stage->n_loops; i++)
		if (plan->stage->loops[i].pure && (!level->constant[i] || (product *= level->sizes[i]) > UNROLLED_AT_MOST))
			return false;
	return last;
}

/* Adds serial loops. Whether whole loops are unrolled is decided by the nest (nest/unroll.c). Unrolled
 * pieces are placed inside of the loops over RVars, as in Halide. */
static bool add_serial(struct growing *plan, const struct bw_halide_level *level, const int *order)
{
	const int before = plan->n_serial;
	const bool unrolled = unrolls(plan, level),
		   last = level->inner < 0 || plan->nest->levels[level->inner].label == BW_HALIDE_LABEL_SIMD;
	for (int pass = unrolled ? 0 : 1; pass < 2; pass++)
		for (int i = 0; i < plan->stage->n_loops; i++) {
			const int loop = order[i];
			const bool pure = plan->stage->loops[loop].pure,
				   piece = level->sizes[loop] > 1 || (!plan->covered[loop] && (pure || last));
			if (piece && (!unrolled || pure == (pass == 1)))
				add(plan, loop, level->sizes[loop],
				    unrolled && pure && plan->covered[loop] ? BW_LOOP_UNROLLED
									    : BW_LOOP_SERIAL);
		}
	if (plan->n_serial == before && level->hosts && plan->stage->n_loops)
		add(plan, 0, 1, BW_LOOP_SERIAL);
	return true;
}

static bool add_simd(struct growing *plan, const struct bw_halide_level *level, const int *order)
{
	for (int i = 0; i < plan->stage->n_loops; i++)
		if (level->sizes[order[i]] > 1 || !plan->covered[order[i]])
			add(plan, order[i], level->sizes[order[i]], level->sizes[order[i]] > 1 ? BW_LOOP_VECTOR : BW_LOOP_SERIAL);
	return true;
}

/* Checks that the product of the extents of each loop is not too large for a schedule. */
static bool check_products(const struct growing *plan, int line)
{
	int64_t products[BW_MAX_LOOPS];
	for (int i = 0; i < plan->stage->n_loops; i++)
		products[i] = 1;
	for (int i = 0; i < plan->n; i++) {
		int64_t *product = &products[plan->loops[i].loop], extent = plan->loops[i].extent;
		if (extent && (*product *= extent) > INT32_MAX)
			return bw_halide_nest_fail(
			    plan->nest, line, "the iterations of loop %s of \"%s\" multiply to more than %d",
			    plan->stage->loops[plan->loops[i].loop].name, plan->func->name, INT32_MAX);
	}
	return true;
}

/* Makes the pieces for the levels of a stage, outermost level first, and checks their nesting. */
static bool plan_stage(struct growing *plan, int from)
{
	struct bw_halide_nest *nest = plan->nest;
	enum bw_halide_label before = nest->levels[from].parent < 0 ? BW_HALIDE_LABEL_NONE : BW_HALIDE_LABEL_BLOCK;
	int n_levels = 0;
	for (int at = from; at >= 0; at = nest->levels[at].inner) {
		struct bw_halide_level *level = &nest->levels[at];
		int order[BW_MAX_LOOPS];
		order_of(plan, level, order);
		if (++n_levels > MOST_LEVELS)
			return bw_halide_nest_fail(nest, level->line,
						   "\"%s\" has more than %d levels of loops",
						   plan->func->name, MOST_LEVELS);
		if (level->label < before || level->label == BW_HALIDE_LABEL_NONE ||
		    (level->label == before && level->label != BW_HALIDE_LABEL_SERIAL))
			return bw_halide_nest_fail(
			    nest, level->line,
			    "\"%s\": blocks are at root, threads inside of blocks, serial loops inside of threads",
			    plan->func->name);
		before = level->label;
		if (!(before == BW_HALIDE_LABEL_BLOCK	? add_blocks(plan, level, order)
		      : before == BW_HALIDE_LABEL_THREAD ? add_threads(plan, level, order)
		      : before == BW_HALIDE_LABEL_SERIAL ? add_serial(plan, level, order)
							 : add_simd(plan, level, order)))
			return false;
		level->serial = plan->n_serial - 1;
	}
	for (int i = 0; i < plan->stage->n_loops; i++)
		if (!plan->covered[i])
			add(plan, i, 1, BW_LOOP_SERIAL);
	return check_products(plan, nest->levels[from].line);
}

/* Returns the site of Funcs that are computed inside of a level. Level -1 is the root. */
static struct bw_site site_of(const struct bw_halide_nest *nest, int level)
{
	if (level < 0)
		return (struct bw_site){.kind = BW_SITE_ROOT};
	const struct bw_halide_level *at = &nest->levels[level];
	const bool serial = at->label == BW_HALIDE_LABEL_SERIAL && at->serial >= 0;
	const enum bw_role role = serial                               ? BW_ROLE_SERIAL
				  : at->label == BW_HALIDE_LABEL_BLOCK ? BW_ROLE_BLOCK
								       : BW_ROLE_THREAD;
	return (struct bw_site){BW_SITE_AT, at->func, at->stage, role, serial ? at->serial : 0};
}

/* Sets the storage order such that one dimension is innermost. */
static void set_storage(struct bw_halide_nest *nest, int dim, int n_dims, struct bw_placement *draft)
{
	int *storage = BW_ARENA_ARRAY(nest->parser.arena, int, n_dims);
	for (int d = 0; d < n_dims; d++)
		storage[d] = d == 0 ? dim : d <= dim ? d - 1 : d;
	draft->n_storage = dim > 0 ? n_dims : 0;
	draft->storage = storage;
}

/* Returns a placement at root whose tiling is not decided yet. Its plan is an assumed one. */
static const struct bw_placement *untiled(const struct bw_halide_nest *nest,
					  const struct bw_halide_level *level)
{
	int64_t threads[BW_MAX_AXES] = {0};
	threads[level->vector_dim > 0 ? level->vector_dim : 0] = ASSUMED_THREADS;
	return bw_plan_untiled(nest->parser.pipeline, level->func, NULL, threads);
}

/* Checks that a Func is computed inside of the level that stores it, or at that level. */
static bool check_store(const struct bw_halide_nest *nest, const struct bw_halide_level *top, int store)
{
	for (int at = top->parent; at >= 0 && at != store; at = nest->levels[at].parent)
		if (nest->levels[at].parent == store)
			return true;
	return store == top->parent ||
	       bw_halide_nest_fail(nest, top->line,
				   "\"%s\" is not computed inside of the loops where it is stored",
				   nest->parser.pipeline->funcs[top->func].name);
}

/* Returns the placement of a Func whose stages begin at these levels. The levels must all be at one site.
 * Returns NULL on error. */
static const struct bw_placement *place(struct bw_halide_nest *nest, const int *first, int store)
{
	const struct bw_halide_level *top = &nest->levels[first[0]];
	const struct bw_func *func = &nest->parser.pipeline->funcs[top->func];
	struct bw_stage_plan *plans = BW_ARENA_ARRAY(nest->parser.arena, struct bw_stage_plan, func->n_stages);
	if (store != NOT_STORED && !check_store(nest, top, store))
		return NULL;
	if (top->label == BW_HALIDE_LABEL_NONE && top->parent < 0)
		return untiled(nest, top);
	for (int s = 0; s < func->n_stages; s++) {
		const struct bw_stage *stage = &func->stages[s];
		struct growing plan = {.nest = nest, .func = func, .stage = stage};
		plan.loops = BW_ARENA_ARRAY(nest->parser.arena, struct bw_loop, (MOST_LEVELS + 1) * (stage->n_loops + 1));
		if (!plan_stage(&plan, first[s]))
			return NULL;
		plans[s] = (struct bw_stage_plan){plan.n, plan.loops, false};
	}
	struct bw_placement draft = {.func = top->func,
				     .derived_for = -1,
				     .tiled = true,
				     .compute = site_of(nest, top->parent),
				     .n_stages = func->n_stages,
				     .stages = plans};
	draft.store = store == NOT_STORED ? draft.compute : site_of(nest, store);
	set_storage(nest, top->vector_dim, func->n_dims, &draft);
	return bw_placement_make(&draft);
}

static void set(struct bw_schedule *schedule, const struct bw_placement *placement)
{
	bw_schedule_set(schedule, placement);
	bw_placement_drop(placement);
}

/* Finds the first level of each stage of each Func, by bw_func.first_stage; -1: none. */
static bool find_first(struct bw_halide_nest *nest, int *first)
{
	for (int i = 0; i < nest->parser.pipeline->n_stages; i++)
		first[i] = -1;
	for (int i = 0; i < nest->n_levels; i++) {
		const struct bw_halide_level *level = &nest->levels[i];
		const struct bw_func *func = &nest->parser.pipeline->funcs[level->func];
		if (level->parent >= 0 && nest->levels[level->parent].func == level->func)
			continue;
		int *of = &first[func->first_stage + level->stage];
		if (*of >= 0 || (level->stage && (of[-1] < 0 || nest->levels[of[-1]].parent != level->parent)))
			return bw_halide_nest_fail(nest, level->line, "\"%s\" is computed in two places",
						   bw_parser_func_name(&nest->parser, level->func));
		*of = i;
	}
	return true;
}

/* Returns the innermost level that stores each Func; NOT_STORED: none. */
static int *find_stores(struct bw_halide_nest *nest)
{
	int n = nest->parser.pipeline->n_funcs, *stores = BW_ARENA_ARRAY(nest->parser.arena, int, n);
	for (int i = 0; i < n; i++)
		stores[i] = NOT_STORED;
	for (int i = 0; i < nest->n_stored; i++)
		stores[nest->stored[i].func] = nest->stored[i].level;
	for (int i = 0; i < n; i++)
		if (stores[i] >= 0 && stores[i] < nest->n_levels)
			nest->levels[stores[i]].hosts = true;
	return stores;
}

/* Places the Funcs that the nest computes, outermost first, because sites are numbered by the loops of the
 * enclosing Func. */
static bool place_computed(struct bw_halide_nest *nest, struct bw_schedule *schedule)
{
	const struct bw_pipeline *pipeline = nest->parser.pipeline;
	int *first = BW_ARENA_ARRAY(nest->parser.arena, int, pipeline->n_stages), *stores = find_stores(nest);
	if (!find_first(nest, first))
		return false;
	for (int i = 0; i < nest->n_levels; i++) {
		const struct bw_halide_level *level = &nest->levels[i];
		const struct bw_func *func = &pipeline->funcs[level->func];
		if (first[func->first_stage] != i)
			continue;
		if (first[func->first_stage + func->n_stages - 1] < 0)
			return bw_halide_nest_fail(nest, level->line,
						   "\"%s\" has %d stages, not all of them stand here",
						   func->name, func->n_stages);
		const struct bw_placement *placement = place(nest, &first[func->first_stage], stores[level->func]);
		if (!placement)
			return false;
		set(schedule, placement);
	}
	return true;
}

static bool place_inlined(struct bw_halide_nest *nest, struct bw_schedule *schedule)
{
	for (int i = 0; i < nest->n_inlined; i++) {
		const struct bw_halide_mark *mark = &nest->inlined[i];
		const struct bw_placement *known = schedule->placements[mark->func];
		if (known && known->compute.kind != BW_SITE_INLINE)
			return bw_halide_nest_fail(nest, mark->line,
						   "\"%s\" is inlined, and computed elsewhere",
						   bw_parser_func_name(&nest->parser, mark->func));
		if (!known)
			set(schedule, bw_plan_inline(nest->parser.pipeline, mark->func));
	}
	return true;
}

/* Inlines the Funcs that Halide treats as inputs. */
static void place_inputs(const struct bw_pipeline *pipeline, struct bw_schedule *schedule)
{
	for (int f = 0; f < pipeline->n_funcs; f++) {
		const struct bw_func *func = &pipeline->funcs[f];
		bool passes = func->wrapper && func->n_stages == 1 && !func->output, read = false;
		for (int r = 0; passes && r < func->stages[0].n_reads; r++)
			passes = pipeline->funcs[func->stages[0].reads[r].producer].input;
		for (int c = 0; c < func->n_consumers; c++)
			read |= schedule->placements[func->consumers[c]->func] != NULL;
		if (passes && read && !schedule->placements[f])
			set(schedule, bw_plan_inline(pipeline, f));
	}
}

struct bw_schedule *bw_halide_nest_parse(const struct bw_pipeline *pipeline, const char *name,
					 const char *text, size_t length, struct bw_error *error)
{
	if (length > TEXT_LIMIT) {
		bw_fail(error, BW_ERROR_INPUT, "%s: a loop nest has at most %d bytes, this has %zu", name,
			TEXT_LIMIT, length);
		return NULL;
	}
	struct bw_halide_nest nest = {.parser = {.lexer = {.name = name, .error = error}, .pipeline = pipeline}};
	nest.parser.arena = nest.parser.lexer.arena = bw_arena_new();
	struct bw_schedule *schedule = bw_schedule_new(pipeline);
	if (bw_halide_nest_lines(&nest, text, length) && place_computed(&nest, schedule) &&
	    place_inlined(&nest, schedule)) {
		place_inputs(pipeline, schedule);
	} else {
		bw_schedule_drop(schedule);
		schedule = NULL;
	}
	bw_arena_free(nest.parser.arena);
	return schedule;
}
