/* The loops of one placed stage: the extent of each piece, the tail of each split, and the levels
 * where other Funcs can be computed. */
#include <string.h>

#include "base/arith.h"
#include "nest/nest_private.h"

int64_t bw_stage_inside(const struct bw_stage_plan *plan, int loop, int from)
{
	int64_t product = 1;
	for (int i = from; i < plan->n_loops; i++)
		if (plan->loops[i].loop == loop && plan->loops[i].extent)
			product *= plan->loops[i].extent;
	return product;
}

/* Checks that a stage is atomic only if Halide can make it so. */
static bool check_atomic(const struct bw_stage_request *request, struct bw_error *error)
{
	const struct bw_stage *stage = request->stage;
	if (!request->plan->atomic)
		return true;
	for (int i = 0; i < request->plan->n_loops; i++)
		if (request->plan->loops[i].kind == BW_LOOP_VECTOR)
			return bw_fail(error, BW_ERROR_INPUT, "%s: there is no atomic addition of a vector of %s",
				       request->func->name, stage->loops[request->plan->loops[i].loop].name);
	if (stage->atomic)
		return true;
	if (stage->index == 0)
		return bw_fail(error, BW_ERROR_INPUT, "%s: only an update can be atomic", request->func->name);
	return bw_fail(error, BW_ERROR_INPUT, "%s: update %d cannot be atomic: %s", request->func->name,
		       stage->index - 1,
		       stage->associative ? "atomic operations are additions of single values of 32 bits"
					  : "Halide cannot prove that its iterations may come in any order");
}

static bool check_plan(const struct bw_stage_request *request, struct bw_error *error)
{
	const struct bw_stage *stage = request->stage;
	int rests[BW_MAX_LOOPS] = {0};
	for (int i = 0; i < request->plan->n_loops; i++) {
		const struct bw_loop *loop = &request->plan->loops[i];
		if (loop->loop < 0 || loop->loop >= stage->n_loops)
			return bw_fail(error, BW_ERROR_INPUT,
				       "%s: the plan has a loop that the stage has not", request->func->name);
		const struct bw_stage_loop *of = &stage->loops[loop->loop];
		bool parallel = bw_loop_role(loop->kind) != BW_ROLE_SERIAL;
		if (parallel && of->empty)
			return bw_fail(
			    error, BW_ERROR_INPUT,
			    "%s: loop %s has no iterations at these sizes, and a GPU launches no grid without blocks or threads: keep it serial",
			    request->func->name, of->name);
		if (parallel && !of->parallel && !request->plan->atomic)
			return bw_fail(error, BW_ERROR_INPUT,
				       "%s: loop %s carries a reduction and cannot be a %s loop%s",
				       request->func->name, of->name, bw_loop_kind_name(loop->kind),
				       stage->atomic ? " unless the update is atomic" : "");
		if (!loop->extent != !rests[loop->loop]++)
			return bw_fail(
			    error, BW_ERROR_INPUT,
			    "%s: of the pieces of loop %s the outermost, and only that, has no extent",
			    request->func->name, of->name);
	}
	for (int l = 0; l < stage->n_loops; l++)
		if (!rests[l])
			return bw_fail(error, BW_ERROR_INPUT, "%s: loop %s is missing in the plan",
				       request->func->name, stage->loops[l].name);
	return true;
}

/* Returns the tail of the split of a loop of `extent` iterations by `factor`. RoundUp computes more
 * than is required: it must not read an input or a Func of a fixed region out of bounds, nor widen
 * an output, and several stages would all have to widen alike. ShiftInwards computes some points
 * twice: only a pure definition may do that, and the extent must reach the factor, at the edges of
 * the image, too. GuardWithIf is always right and costs a branch. */
static enum bw_tail choose_tail(const struct bw_stage_request *request, const struct bw_stage_loop *loop,
				int64_t extent, int64_t factor)
{
	bool pure = loop->pure && request->stage->index == 0;
	if (pure && !request->overruns && !request->func->output && request->func->n_stages == 1)
		return BW_TAIL_ROUND_UP;
	if (pure && extent >= factor && !request->inside)
		return BW_TAIL_SHIFT_INWARDS;
	return BW_TAIL_GUARD_WITH_IF;
}

static bool check_tail(const struct bw_stage_request *request, const struct bw_stage_loop *loop,
		       enum bw_tail tail, int64_t extent, int64_t factor, struct bw_error *error)
{
	const char *name = request->func->name;
	if (tail == BW_TAIL_ROUND_UP && (!loop->pure || request->stage->index > 0))
		return bw_fail(error, BW_ERROR_INPUT,
			       "%s: round_up of %s in an update could change what it computes", name,
			       loop->name);
	if (tail == BW_TAIL_ROUND_UP && extent % factor && request->func->output)
		return bw_fail(
		    error, BW_ERROR_INPUT,
		    "%s: round_up of %s would write more of the output than there is (%lld is no multiple of %lld)",
		    name, loop->name, (long long)extent, (long long)factor);
	if (tail == BW_TAIL_ROUND_UP && extent % factor && request->overruns &&
	    bw_overruns_along(request->pipeline, request->stage->func, request->computed, loop->dim))
		return bw_fail(
		    error, BW_ERROR_INPUT,
		    "%s: round_up of %s from %lld to a multiple of %lld would read an input or a Func of a fixed region out of bounds",
		    name, loop->name, (long long)extent, (long long)factor);
	if (tail == BW_TAIL_SHIFT_INWARDS && (!loop->pure || request->stage->index > 0))
		return bw_fail(error, BW_ERROR_INPUT, "%s: shift_inwards computes points of an update twice", name);
	if (tail == BW_TAIL_SHIFT_INWARDS && extent < factor)
		return bw_fail(error, BW_ERROR_INPUT,
			       "%s: shift_inwards of %s needs an extent of at least %lld, there are %lld",
			       name, loop->name, (long long)factor, (long long)extent);
	return true;
}

/* Finds for each loop of the stage the product of the extents of its pieces, by which its outermost
 * piece is split. */
static void factors_of(const struct bw_stage_plan *plan, int n_loops, int64_t *factors)
{
	for (int l = 0; l < n_loops; l++)
		factors[l] = 1;
	for (int i = 0; i < plan->n_loops; i++)
		if (plan->loops[i].extent)
			factors[plan->loops[i].loop] *= plan->loops[i].extent;
}

/* Sets the extents and tails of all pieces. */
static bool place_pieces(const struct bw_stage_request *request, int64_t *growth,
			 struct bw_placed_stage *placed, struct bw_error *error)
{
	const struct bw_stage_plan *plan = request->plan;
	int64_t *extents = (int64_t *)placed->extents;
	enum bw_tail *tails = (enum bw_tail *)placed->tails;
	bool split[BW_MAX_LOOPS] = {false};
	int64_t factors[BW_MAX_LOOPS];
	factors_of(plan, request->stage->n_loops, factors);
	for (int i = 0; i < plan->n_loops; i++) {
		const struct bw_loop *piece = &plan->loops[i];
		const struct bw_stage_loop *loop = &request->stage->loops[piece->loop];
		int64_t extent = bw_interval_extent(&request->loops[piece->loop]);
		int64_t factor = factors[piece->loop];
		extents[i] = piece->extent ? piece->extent : factor == 1 ? extent : bw_div_up(extent, factor);
		tails[i] = piece->tail;
		if (!piece->extent || split[piece->loop])
			continue;
		split[piece->loop] = true;
		if (piece->tail == BW_TAIL_AUTO)
			tails[i] = choose_tail(request, loop, extent, factor);
		else if (!check_tail(request, loop, piece->tail, extent, factor, error))
			return false;
		if (tails[i] == BW_TAIL_ROUND_UP)
			growth[loop->dim] = bw_max(growth[loop->dim], bw_round_up(extent, factor) - extent);
	}
	return true;
}

bool bw_stage_fuses(const struct bw_stage_plan *plan, int loop)
{
	int blocks = 0, at = -1;
	for (int i = 0; i < plan->n_loops; i++) {
		if (plan->loops[i].kind == BW_LOOP_BLOCK && plan->loops[i].loop == loop)
			at = blocks;
		blocks += plan->loops[i].kind == BW_LOOP_BLOCK;
	}
	return blocks > 3 && at >= 0 && at < blocks - 2;
}

bool bw_stage_splits_outwards(const struct bw_stage_plan *plan, int loop)
{
	int pieces = 0;
	bool serial = false;
	for (int i = 0; i < plan->n_loops; i++) {
		if (plan->loops[i].loop != loop)
			continue;
		serial |= pieces > 0 && plan->loops[i].kind == BW_LOOP_SERIAL;
		pieces++;
	}
	return pieces > 2 && serial;
}

bool bw_stage_has_lanes(const struct bw_stage_plan *plan)
{
	for (int i = 0; i < plan->n_loops; i++)
		if (plan->loops[i].kind == BW_LOOP_LANE)
			return true;
	return false;
}

/* Lanes stay, since Halide wants them to be dimension x, and so do all thread loops around them, of which
 * the last one is the warp. */
bool bw_stage_launches(const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, int piece)
{
	if (bw_loop_role(plan->loops[piece].kind) != BW_ROLE_THREAD)
		return false;
	if (placed->extents[piece] > 1 || bw_stage_has_lanes(plan))
		return true;
	for (int i = 0; i < plan->n_loops; i++)
		if (bw_loop_role(plan->loops[i].kind) == BW_ROLE_THREAD && (i > piece || placed->extents[i] > 1))
			return false;
	return true;
}

/* Checks what Halide asks of lanes: a single loop of a constant extent, innermost of the thread loops. */
static bool check_lanes(const struct bw_stage_request *request, struct bw_error *error)
{
	const struct bw_stage_plan *plan = request->plan;
	const char *name = request->func->name;
	bool seen = false;
	for (int i = 0; i < plan->n_loops; i++) {
		const struct bw_loop *loop = &plan->loops[i];
		bool lane = loop->kind == BW_LOOP_LANE;
		if (seen && bw_loop_role(loop->kind) == BW_ROLE_THREAD)
			return bw_fail(error, BW_ERROR_INPUT, "%s: a %s loop inside of the lanes of a warp", name,
				       bw_loop_kind_name(loop->kind));
		seen |= lane;
		if (lane && (loop->extent < 1 || loop->extent > BW_MOST_LANES))
			return bw_fail(error, BW_ERROR_INPUT, "%s: lanes need an extent of 1 to %d: lane %s 32", name,
				       BW_MOST_LANES, request->stage->loops[loop->loop].name);
	}
	return true;
}

/* Narrows the interval of a loop to one iteration of piece i, which walks it in steps of `size`. It
 * is the middle iteration; if a tail cuts that off, the last whole one; if none is whole, the
 * first. Iterations of RoundUp and ShiftInwards are always whole. */
static void take_iteration(const struct bw_placed_stage *placed, enum bw_tail tail, int i, int64_t size,
			   struct bw_interval *interval)
{
	int64_t step = placed->extents[i] / 2, end = interval->max, extent = bw_interval_extent(interval);
	if (tail == BW_TAIL_SHIFT_INWARDS) {
		interval->min = bw_min(interval->min + step * size, end + 1 - size);
	} else {
		if (tail != BW_TAIL_ROUND_UP && extent - step * size < size)
			step = bw_max(extent / size - 1, 0);
		interval->min += step * size;
	}
	interval->max = interval->min + size - 1;
	if (tail != BW_TAIL_ROUND_UP)
		interval->max = bw_min(interval->max, end);
}

/* Finds the tail of each loop of the stage: that of its outermost piece with an extent. */
static void tails_of_loops(const struct bw_stage_plan *plan, const struct bw_placed_stage *placed,
			   enum bw_tail *tails)
{
	for (int i = plan->n_loops - 1; i >= 0; i--)
		if (plan->loops[i].extent)
			tails[plan->loops[i].loop] = placed->tails[i];
}

/* The positions of the last block loop, of the last thread loop outside of lanes, and of the last thread
 * loop or lanes of a plan; -1 if there is none. */
struct last_loops {
	int block, warp, thread;
};

static struct last_loops last_loops_of(const struct bw_stage_plan *plan)
{
	struct last_loops last = {-1, -1, -1};
	for (int i = 0; i < plan->n_loops; i++) {
		if (plan->loops[i].kind == BW_LOOP_BLOCK)
			last.block = i;
		if (plan->loops[i].kind == BW_LOOP_LANE)
			last.warp = last.thread;
		if (bw_loop_role(plan->loops[i].kind) == BW_ROLE_THREAD)
			last.thread = i;
	}
	return last;
}

/* Returns the role of the level that ends after piece i: levels end after the last block loop,
 * after the last thread loop outside of lanes, after the last of all thread loops, and after each
 * loop of another kind. Returns -1 if no level ends
 * there. */
static int role_after(enum bw_loop_kind kind, int i, struct last_loops last)
{
	if (kind == BW_LOOP_BLOCK)
		return i == last.block ? BW_ROLE_BLOCK : -1;
	if (bw_loop_role(kind) == BW_ROLE_THREAD)
		return i == last.thread ? BW_ROLE_THREAD : i == last.warp ? BW_ROLE_WARP : -1;
	return BW_ROLE_SERIAL;
}

int bw_stage_levels(const struct bw_stage_plan *plan)
{
	int blocks = 0, threads = 0;
	for (int i = 0; i < plan->n_loops; i++) {
		blocks += plan->loops[i].kind == BW_LOOP_BLOCK;
		threads += bw_loop_role(plan->loops[i].kind) == BW_ROLE_THREAD;
	}
	return (blocks > 0) + (last_loops_of(plan).warp >= 0) + (threads > 0) + plan->n_loops - blocks - threads;
}

/* Sets the levels. A level's loops are what one interior iteration of its pieces, and of those
 * before, covers of each loop. */
static void place_levels(const struct bw_stage_request *request, struct bw_placed_stage *placed, int func)
{
	const struct bw_stage_plan *plan = request->plan;
	size_t bytes = (size_t)request->stage->n_loops * sizeof(struct bw_interval);
	struct bw_interval loops[BW_MAX_LOOPS];
	enum bw_tail tails[BW_MAX_LOOPS] = {BW_TAIL_AUTO};
	struct last_loops last = last_loops_of(plan);
	int64_t inside[BW_MAX_LOOPS]; /* what the pieces after this one cover of each loop */
	double iterations = 1;
	int serial = 0;
	tails_of_loops(plan, placed, tails);
	factors_of(plan, request->stage->n_loops, inside);
	memcpy(loops, request->loops, bytes);
	placed->n_levels = 0;
	for (int i = 0; i < plan->n_loops; i++) {
		int loop = plan->loops[i].loop;
		if (plan->loops[i].extent)
			inside[loop] = inside[loop] == plan->loops[i].extent ? 1 : inside[loop] / plan->loops[i].extent;
		take_iteration(placed, tails[loop], i, inside[loop], &loops[loop]);
		iterations *= (double)placed->extents[i];
		int role = role_after(plan->loops[i].kind, i, last);
		if (role < 0)
			continue;
		struct bw_own_level *level = (struct bw_own_level *)&placed->levels[placed->n_levels++];
		level->level = bw_level_make(func, request->stage->index, (enum bw_role)role,
					     role == BW_ROLE_SERIAL ? serial++ : 0);
		level->piece = i;
		level->iterations = iterations;
		memcpy((struct bw_interval *)level->loops, loops, bytes);
		iterations = 1;
	}
}

/* Sets the grid, the threads, and the work of a thread. x is the innermost block and thread loop;
 * block loops beyond the third are fused into z. */
static bool place_dimensions(const struct bw_stage_request *request, struct bw_placed_stage *placed,
			     struct bw_error *error)
{
	const struct bw_stage_plan *plan = request->plan;
	int n_blocks = 0, n_thread_loops = 0, n_threads = 0;
	placed->points = 1;
	placed->serial = placed->unrolled = 1;
	for (int d = 0; d < 3; d++)
		placed->blocks[d] = placed->threads[d] = 1;
	for (int i = plan->n_loops - 1; i >= 0; i--) {
		int64_t extent = placed->extents[i];
		enum bw_loop_kind kind = plan->loops[i].kind;
		placed->points *= (double)extent;
		if (kind == BW_LOOP_BLOCK) {
			int64_t *blocks = &placed->blocks[n_blocks < 3 ? n_blocks : 2];
			*blocks = bw_capped((double)*blocks * (double)extent);
			n_blocks++;
		} else if (bw_loop_role(plan->loops[i].kind) == BW_ROLE_THREAD) {
			if (n_thread_loops++ == 3)
				return bw_fail(error, BW_ERROR_INPUT, "%s: more than three thread loops", request->func->name);
			if (bw_stage_launches(plan, placed, i))
				placed->threads[n_threads++] = extent;
		} else {
			placed->serial = bw_capped((double)placed->serial * (double)extent);
		}
		if (n_blocks && kind != BW_LOOP_BLOCK)
			return bw_fail(error, BW_ERROR_INPUT, "%s: a %s loop outside of block loops",
				       request->func->name, bw_loop_kind_name(kind));
	}
	return true;
}

bool bw_stage_place(const struct bw_stage_request *request, int64_t *growth, struct bw_placed_stage *placed,
		    struct bw_error *error)
{
	placed->n_loops = request->plan->n_loops;
	if (!check_atomic(request, error) || !check_plan(request, error) || !check_lanes(request, error) ||
	    !place_pieces(request, growth, placed, error) || !place_dimensions(request, placed, error))
		return false;
	place_levels(request, placed, request->stage->func);
	return true;
}
