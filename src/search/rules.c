/* The rules that prune options (Anderson et al. 2021, section 4.6), one function each. The measured value
 * (figure) and its limit go into the option's record. A constraint with sizes overrides the soft rules, and
 * so does a pin. With a constraint of the site only, an option that a soft rule objects to is a second
 * choice. Nothing overrides the hard rules. BW_RULE_TABLE says which rules are hard.
 *
 * The table lists the figure and limit of each rule, and the rule's counterpart in Halide's anderson2021
 * (State.cpp, LoopNest.cpp, SearchSpace.cpp). Limits are options of the search, or come from the device:
 *
 * rule                 kind  figure                                limit                     anderson2021
 * recompute            soft  points computed, x those needed       10, none where cheap or   the same 10 and the same exception, but trivial for cheap; calls
 *                                                                  pointwise for one Func    of inlined Funcs are added to the points
 * inlined calls        soft  calls for a point of its consumers    256                       below 256, for the whole state
 * unrolled extent      soft  iterations of the tile in a thread,   16                        the same; a serial loop that another is in, at most 64
 *                            or points of a Func computed in one
 * dynamic allocation   hard  is the size in a thread the same      must be                   the same
 *                            each time?
 * varying allocation   soft  is the size in a block the same in     must be                   in a block Halide takes the most
 *                            all blocks there are?
 * thread allocation    soft  bytes a thread keeps, all Funcs, and  4 for each register       128 for each Func, some 98000 for all that is constant; nothing
 *                            what is staged                                                  for what is staged
 * shared memory        hard  bytes of a block, as Halide lays      the device's              48 KiB, all allocations side by side
 *                            them out
 * threads              hard  threads of a block, by dimension too  the device's              1024, three loops of more than one iteration
 * grid                 hard  blocks by dimension                   the device's              blocks are fused or left serial until they fit
 * idle SMs             2nd   blocks                                2 for each SM             the same, halved until something fits; and 1.2 x as long as if
 *                                                                                            all SMs had the same number of blocks, which is left to the
 *                                                                                            cost here: an SM runs several blocks at a time
 * idle lanes           2nd   lanes of the warps that have work     half                      the same
 * vectors              hard  is a point of a vector left out by    must not                  makes vectors of some serial loops after its search
 *                            a condition, or does the memory of a
 *                            Func that it accesses begin where
 *                            only the run decides?
 * site                 hard  what Halide would reject              -                         the same by how nests are made: no Func is computed between two
 *                                                                                            block loops; all of them are marked, those of extent 1 too
 *
 * 2nd: the option is a second choice, taken if no other is left. The registers of a block are known, and
 * reported, once ptxas has compiled it. */
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "cost/reading.h"
#include "nest/proof.h"
#include "search/space.h"

static bool constrained(const struct bw_question *question, const struct bw_placement *placement)
{
	const struct bw_constraint *constraint = question->constraint;
	if (!constraint || !placement)
		return true;
	if (constraint->sizes)
		return bw_placement_equal(constraint->placement, placement);
	return bw_site_equal(&constraint->placement->compute, &placement->compute);
}

/* Writes the serial sizes of the first stage whose serial pieces have the proposal's number of iterations:
 * `4x2`. */
static void say_sizes(const struct bw_question *question, const struct bw_proposal *proposal, char *words,
		      size_t size)
{
	const struct bw_func *func = &question->pipeline->funcs[question->func];
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES], product = 0;
	bw_plan_sizes(question->pipeline, proposal->placement, serial, threads);
	for (int s = 0; s < func->n_stages && product != proposal->unrolled; s++) {
		const struct bw_stage *stage = &func->stages[s];
		size_t used = 0;
		product = 1;
		for (int i = 0; i < stage->n_across && used < size; i++) {
			long long of = serial[stage->loops[stage->across[i]].axis];
			used += (size_t)snprintf(words + used, size - used, i ? "x%lld" : "%lld", of);
			product *= of > 0 ? of : 1;
		}
	}
}

static bool unrolled(const struct bw_question *question, const struct bw_proposal *proposal,
		     struct bw_option *option)
{
	int limit = (int)bw_most_unrolled(question);
	char words[64] = "";
	if (proposal->unrolled <= limit)
		return false;
	if (!option->silent)
		say_sizes(question, proposal, words, sizeof words);
	bw_option_judge(option, BW_FATE_PRUNED, BW_RULE_UNROLLED, (double)proposal->unrolled, limit,
			"unrolled %s = %lld, limit %d", words, (long long)proposal->unrolled, limit);
	return true;
}

/* If a pin overrides a soft rule, the option stays; the rule's verdict is kept in the record. */
static void overrule(struct bw_option *option)
{
	option->added |= option->fate != BW_FATE_COSTED;
	option->fate = BW_FATE_COSTED;
}

void bw_rules_before(const struct bw_question *question, const struct bw_proposal *proposal,
		     struct bw_option *option)
{
	const struct bw_constraint *mark = bw_question_mark(question, proposal->placement);
	option->pinned = mark && mark->source == BW_CONSTRAINT_PIN;
	if (mark && !option->pinned)
		bw_option_judge(option, BW_FATE_PRUNED, BW_RULE_CONSTRAINT, 0, 0, "rejected by hand");
	else if (!constrained(question, proposal->placement))
		bw_option_judge(option, BW_FATE_PRUNED, BW_RULE_CONSTRAINT, 0, 0, "a constraint says otherwise");
	else if ((question->constraint && question->constraint->sizes) || !unrolled(question, proposal, option))
		bw_rule_space(question, proposal, option);
	if (option->pinned)
		overrule(option);
}

/* The inputs of a rule. */
struct scene {
	const struct bw_question *question;
	const struct bw_func *func;
	const struct bw_nest *nest;
	const struct bw_placed *placed;
	struct bw_arena *arena;
	bool in_kernel; /* false: inlined */
	struct bw_kernel kernel;
	struct bw_option *option;
};

/* A rule. Judges the option. Returns true if the rule objects. */
typedef bool rule_function(struct scene *scene);

/* Prunes recomputation beyond the limit. At root nothing is recomputed: iterations that a split adds by
 * rounding up run on lanes that would otherwise be idle. */
static bool recompute(struct scene *scene)
{
	const struct bw_placed *placed = scene->placed;
	double limit = scene->question->options->recompute_limit;
	if (placed->placement->compute.kind == BW_SITE_ROOT || placed->minimum_points <= 0 ||
	    placed->points <= limit * placed->minimum_points ||
	    bw_recomputed_freely(scene->nest, placed->placement->func, scene->arena))
		return false;
	double times = placed->points / placed->minimum_points;
	bw_option_judge(scene->option, BW_FATE_PRUNED, BW_RULE_RECOMPUTE, times, limit,
			"computed %.3gx, limit %.3gx", times, limit);
	return true;
}

static bool inlined_calls(struct scene *scene)
{
	int limit = scene->question->options->inlined_calls_limit;
	if (scene->in_kernel || scene->placed->calls <= limit)
		return false;
	bw_option_judge(scene->option, BW_FATE_PRUNED, BW_RULE_INLINED_CALLS, scene->placed->calls, limit,
			"%.0f calls a point, limit %d", scene->placed->calls, limit);
	return true;
}

/* Prunes allocations whose size is not constant. If a constraint gives the placement in full, Halide
 * decides, because it may prove more than this rule when it compiles. */
static bool dynamic(struct scene *scene)
{
	if (!scene->in_kernel || scene->placed->proof != BW_PROOF_NONE ||
	    scene->placed->memory == BW_MEMORY_GLOBAL || bw_question_pinned(scene->question))
		return false;
	bw_option_judge(scene->option, BW_FATE_PRUNED, BW_RULE_DYNAMIC, 0, 0,
			"the size of its allocation is not constant");
	return true;
}

/* Prunes whole loops that the plan unrolls or vectorizes if Halide does not know their extent, or if a
 * vectorized one has an odd extent: devices load only vectors of 2 or 4 values, or several of these. */
static bool copies_unknown(struct scene *scene)
{
	const struct bw_placement *placement = scene->placed->placement;
	for (int s = 0; s < placement->n_stages && !bw_question_pinned(scene->question); s++)
		for (int i = 0; i < placement->stages[s].n_loops; i++) {
			const struct bw_loop *loop = &placement->stages[s].loops[i];
			bool copies = !loop->extent && (loop->kind == BW_LOOP_UNROLLED || loop->kind == BW_LOOP_VECTOR);
			const struct bw_stage_loop *of = &scene->func->stages[s].loops[loop->loop];
			int64_t extent = scene->placed->stages[s].extents[i];
			bool known = bw_prove_loop(of, scene->placed) != BW_PROOF_NONE,
			     even = loop->kind != BW_LOOP_VECTOR || extent % 2 == 0;
			if (!copies || (known && even))
				continue;
			bw_option_judge(scene->option, BW_FATE_PRUNED, BW_RULE_DYNAMIC, 0, 0,
					known ? "a vector of %s would have %lld points"
					      : "the extent of %s is not constant, now %lld",
					of->name, (long long)extent);
			return true;
		}
	return false;
}

/* Returns the innermost loop of a stage if it is a vector; NULL otherwise. */
static const struct bw_loop *vector_of(const struct bw_stage_plan *plan)
{
	const struct bw_loop *innermost = plan->n_loops ? &plan->loops[plan->n_loops - 1] : NULL;
	return innermost && innermost->kind == BW_LOOP_VECTOR ? innermost : NULL;
}

/* Returns true if the last iterations of a split loop are guarded, and Halide cannot prove that the guard
 * always holds. */
static bool is_guarded(const struct scene *scene, int s, int loop)
{
	const struct bw_stage *stage = &scene->func->stages[s];
	const struct bw_stage_plan *plan = &scene->placed->placement->stages[s];
	const struct bw_stage_loop *of = &stage->loops[loop];
	struct bw_interval loops[BW_MAX_LOOPS];
	bool root = scene->placed->placement->compute.kind == BW_SITE_ROOT,
	     known = bw_prove_loop(of, scene->placed) == BW_PROOF_CONSTANT ||
		     (root && of->dim == 0 && bw_rows_known(scene->question->pipeline, scene->func));
	int64_t factor = 1;
	enum bw_tail tail = BW_TAIL_AUTO;
	for (int i = plan->n_loops - 1; i >= 0; i--)
		if (plan->loops[i].loop == loop && plan->loops[i].extent) {
			factor *= plan->loops[i].extent;
			tail = scene->placed->stages[s].tails[i];
		}
	return tail == BW_TAIL_GUARD_WITH_IF &&
	       !(known && bw_stage_loops_of(stage, scene->placed->regions[0].computed, loops) &&
		 (loops[loop].max - loops[loop].min + 1) % factor == 0);
}

/* Returns true if a predicate of a stage may differ from one iteration of a loop to the next. This is so
 * if it loads a value whose index depends on the loop, or if it loads nothing and compares RVars with
 * Vars. */
static bool is_predicated(const struct bw_pipeline *pipeline, const struct bw_stage *stage, int loop)
{
	bool loads = false, moves = false;
	for (int r = 0; r < stage->n_reads; r++)
		for (int l = 0; l < stage->reads[r].n_loads; l++) {
			const struct bw_jacobian *load = &stage->reads[r].loads[l];
			for (int d = 0; load->predicate && d < pipeline->funcs[stage->reads[r].producer].n_dims; d++) {
				struct bw_ratio entry = load->entries[d * load->n_loops + loop];
				moves |= !entry.den || entry.num;
			}
			loads |= load->predicate;
		}
	return stage->predicated && (moves || !loads);
}

/* Returns true if a vector covers its whole loop, so that it needs no size. */
static bool is_whole(const struct scene *scene, int s, const struct bw_loop *vector)
{
	struct bw_interval loops[BW_MAX_LOOPS];
	return bw_stage_loops_of(&scene->func->stages[s], scene->placed->regions[0].computed, loops) &&
	       loops[vector->loop].max - loops[vector->loop].min + 1 == vector->extent;
}

/* Prunes conditional vectors. If a condition differs within a vector, Halide evaluates it point by point,
 * which its OpenCL backend cannot express. */
static bool conditional_vectors(struct scene *scene)
{
	const struct bw_placement *placement = scene->placed->placement;
	for (int s = 0; s < placement->n_stages; s++) {
		const struct bw_loop *vector = vector_of(&placement->stages[s]);
		if (!vector)
			continue;
		const char *name = scene->func->stages[s].loops[vector->loop].name;
		bool guarded = is_guarded(scene, s, vector->loop);
		if (!guarded && !is_predicated(scene->question->pipeline, &scene->func->stages[s], vector->loop))
			continue;
		bw_option_judge(scene->option, BW_FATE_PRUNED, BW_RULE_VECTOR, 0, 0,
				!guarded ? "a predicate that may differ within a vector of %s"
				: is_whole(scene, s, vector) ? "a vector of %s that its last iteration may cut off; \"vector %s\" without a size is all of it, if Halide proves its extent"
							     : "a vector of %s that its last iteration may cut off",
				name, name);
		return true;
	}
	return false;
}

/* Returns true if a stage reads a Func through inlined Funcs. */
static bool reads_inlined(const struct bw_nest *nest, const struct bw_stage *stage, int func)
{
	for (int r = 0; r < stage->n_reads; r++) {
		int by = stage->reads[r].producer;
		const struct bw_placed *placed = by == stage->func ? NULL : nest->placed[by];
		const struct bw_stage *inlined = &nest->pipeline->funcs[by].stages[0];
		if (placed && placed->placement->compute.kind == BW_SITE_INLINE &&
		    (bw_stage_read_of(inlined, func) || reads_inlined(nest, inlined, func)))
			return true;
	}
	return false;
}

/* Returns true if a stage loads or stores several values of a Func in shared memory with one instruction,
 * as far as Halide knows. */
static bool is_wide(const struct bw_nest *nest, const struct bw_stage *stage, int func)
{
	const struct bw_placed *placed = nest->placed[stage->func];
	const struct bw_func *of = &nest->pipeline->funcs[func];
	const struct bw_vector vector = {stage, &placed->placement->stages[stage->index],
					 &placed->stages[stage->index]};
	const struct bw_storage storage = bw_storage_of(of, nest->placed[func]);
	const struct bw_read *read = bw_stage_read_of(stage, func);
	bool wide = stage->func == func &&
		    bw_vector_width(&vector, stage->store.entries, of, &storage, BW_VECTOR_BYTES, true) > 1;
	for (int l = 0; read && l < read->n_loads; l++)
		wide |= bw_vector_width(&vector, read->loads[l].entries, of, &storage, BW_VECTOR_BYTES, false) > 1;
	return wide || (of->bytes / of->n_values < BW_VECTOR_BYTES / 2 && reads_inlined(nest, stage, func));
}

/* Returns true if a Func is not placed yet, and a constraint holds it in the kernel. */
static bool comes(const struct scene *scene, int func)
{
	const struct bw_question *question = scene->question;
	const struct bw_placed *const *placed = scene->nest->placed;
	const struct bw_site *site = NULL;
	for (; !placed[func]; func = site->func) {
		const struct bw_constraint *held = bw_constraint_on(question->held, func, question->pass);
		if (!held || !held->sizes || held->placement->compute.kind != BW_SITE_AT)
			return false;
		site = &held->placement->compute;
	}
	bool root = placed[func]->placement->compute.kind == BW_SITE_ROOT;
	return site && (root ? func : placed[func]->kernel_func) == scene->kernel.func &&
	       (root ? site->stage : placed[func]->kernel_stage) == scene->kernel.stage;
}

/* Returns true if constraints hold Funcs that are decided later in the kernel. The offset of each Func in
 * shared memory is known only when the last of these Funcs is placed: each of them can get memory of its
 * own, or enlarge an allocation. */
static bool awaits_held(const struct scene *scene)
{
	const struct bw_question *question = scene->question;
	bool waits = false;
	for (int i = 0; question->held && i < question->held->n && !waits; i++)
		waits = comes(scene, question->held->list[i].placement->func);
	return waits;
}

/* Returns true if a vector in shared memory may be misaligned. Halide derives the alignment of a vector
 * from its offset within the Func's allocation only. It ignores the offset of the allocation, unless that
 * is a constant. */
static bool misplaced_in(struct scene *scene, const struct bw_stage *stage)
{
	const struct bw_nest *nest = scene->nest;
	const struct bw_kernel *kernel = &scene->kernel;
	if (!vector_of(&nest->placed[stage->func]->placement->stages[stage->index]))
		return false;
	for (int m = 0; m < kernel->n_members; m++) {
		int of = kernel->members[m];
		if (nest->placed[of]->memory != BW_MEMORY_SHARED || kernel->aligned[m] || !is_wide(nest, stage, of))
			continue;
		bw_option_judge(scene->option, BW_FATE_PRUNED, BW_RULE_VECTOR, 0, 0,
				"vectors of %s in %s, which begins in shared memory behind a size that is not constant",
				nest->pipeline->funcs[stage->func].name, nest->pipeline->funcs[of].name);
		if (!awaits_held(scene))
			return true;
		scene->option->fate = BW_FATE_COSTED;
	}
	return false;
}

static bool misplaced_vectors(struct scene *scene)
{
	const struct bw_kernel *kernel = &scene->kernel;
	const struct bw_func *funcs = scene->question->pipeline->funcs;
	if (!scene->in_kernel || !kernel->aligned)
		return false;
	bool objects = misplaced_in(scene, &funcs[kernel->func].stages[kernel->stage]);
	for (int m = 0; m < kernel->n_members; m++)
		for (int s = 0; s < funcs[kernel->members[m]].n_stages && !objects; s++)
			objects = misplaced_in(scene, &funcs[kernel->members[m]].stages[s]);
	return objects;
}

static bool varying(struct scene *scene)
{
	if (!scene->in_kernel || scene->placed->proof != BW_PROOF_RUN || scene->placed->memory == BW_MEMORY_GLOBAL ||
	    scene->placed->bytes <= 0)
		return false;
	bw_option_judge(scene->option, BW_FATE_PRUNED, BW_RULE_VARYING, 0, 0,
			"the size of its allocation is not the same in all blocks");
	return true;
}

/* The bytes of stack per thread that Halide's anderson2021 assumes, for allocations of constant size. */
enum { STACK_BYTES = 103232 };

/* Returns the most bytes of allocations per thread: the registers, and the share of the assumed stack that
 * the option allows. */
static int64_t thread_limit(const struct bw_settings *options)
{
	const double stack = options->stack_factor * STACK_BYTES;
	int64_t limit = options->register_bytes_limit ? options->register_bytes_limit
						      : (int64_t)bw_settings_registers(options) * 4;
	return (double)limit < stack ? limit : (int64_t)stack;
}

static bool registers(struct scene *scene)
{
	int64_t limit = thread_limit(scene->question->options);
	if (!scene->in_kernel || scene->placed->memory == BW_MEMORY_SHARED ||
	    scene->placed->memory == BW_MEMORY_GLOBAL)
		return false;
	int64_t bytes =
	    scene->kernel.register_bytes + bw_kernel_staged_bytes(scene->nest, &scene->kernel, scene->arena);
	if (bytes <= limit)
		return false;
	bw_option_judge(scene->option, BW_FATE_PRUNED, BW_RULE_REGISTERS, (double)bytes, (double)limit,
			"%lld bytes a thread, limit %lld", (long long)bytes, (long long)limit);
	return true;
}

static bool shared(struct scene *scene)
{
	double limit = scene->question->options->device->shared_per_block;
	if (!scene->in_kernel || (double)scene->kernel.shared_bytes <= limit)
		return false;
	bw_option_judge(scene->option, BW_FATE_PRUNED, BW_RULE_SHARED, (double)scene->kernel.shared_bytes,
			limit, "%lld bytes of shared memory, limit %.0f",
			(long long)scene->kernel.shared_bytes, limit);
	return true;
}

/* Returns true if a block with these numbers of threads, x first, is larger than the device allows. */
static bool is_too_large(const struct bw_device *device, const int64_t threads[3])
{
	double most[3] = {device->block_x, device->block_y, device->block_z}, all = 1;
	bool exceeds = false;
	for (int d = 0; d < 3; d++) {
		all *= (double)threads[d];
		exceeds |= (double)threads[d] > most[d];
	}
	return exceeds || all > device->threads_per_block;
}

/* Returns the name of a Func of the kernel whose threads fit a block, but which is launched for more
 * threads, because Halide may find no bound for a Func in a block (nest/launch.c). Returns NULL if there
 * is none. */
static const char *launched_for_more(const struct scene *scene)
{
	const struct bw_device *device = scene->question->options->device;
	for (int m = 0; m < scene->kernel.n_members; m++) {
		const struct bw_placed *placed = scene->nest->placed[scene->kernel.members[m]];
		for (int s = 0; s < placed->placement->n_stages; s++)
			if (is_too_large(device, placed->stages[s].launched) &&
			    !is_too_large(device, placed->stages[s].threads))
				return scene->question->pipeline->funcs[scene->kernel.members[m]].name;
	}
	return NULL;
}

static bool threads(struct scene *scene)
{
	const struct bw_device *device = scene->question->options->device;
	const int64_t *extents = scene->kernel.threads;
	bool exceeds = scene->in_kernel && ((double)scene->kernel.n_threads > device->threads_per_block ||
					    is_too_large(device, extents));
	const char *all = exceeds && bw_question_pinned(scene->question) ? launched_for_more(scene) : NULL;
	if (exceeds)
		bw_option_judge(scene->option, BW_FATE_PRUNED, BW_RULE_THREADS,
				(double)scene->kernel.n_threads, device->threads_per_block,
				"%lldx%lldx%lld = %lld threads, limit %.0f%s%s%s", (long long)extents[0],
				(long long)extents[1], (long long)extents[2],
				(long long)scene->kernel.n_threads, device->threads_per_block,
				all ? ": the search cannot show that Halide does not launch " : "", all ? all : "",
				all ? " for more than a block; write it at root" : "");
	return exceeds;
}

/* Does not judge an assumed tiling: the tiling that is chosen later may have fewer blocks. */
static bool grid(struct scene *scene)
{
	const struct bw_device *device = scene->question->options->device;
	double most[3] = {device->grid_x, device->grid_y, device->grid_z};
	bool assumed = scene->placed->placement->compute.kind == BW_SITE_ROOT && !scene->placed->placement->tiled;
	for (int d = 0; d < 3 && scene->in_kernel && !assumed; d++)
		if ((double)scene->kernel.blocks[d] > most[d]) {
			bw_option_judge(scene->option, BW_FATE_PRUNED, BW_RULE_GRID,
					(double)scene->kernel.blocks[d], most[d],
					"%lld blocks in %c, limit %.0f", (long long)scene->kernel.blocks[d],
					"xyz"[d], most[d]);
			return true;
		}
	return false;
}

/* A Func computed per thread is an array. Its loops must be unrolled: with variable indices the array
 * cannot stay in registers. */
static bool points_in_thread(struct scene *scene)
{
	const struct bw_placement *placement = scene->placed->placement;
	const struct bw_settings *options = scene->question->options;
	double points = 1, limit = options->unrolled_limit;
	if (bw_tries(options, BW_PLAN_UNROLLED_VARIANT))
		limit = bw_max(BW_PLAN_POINTS, options->unrolled_limit);
	if (placement->compute.kind != BW_SITE_AT || !bw_nest_inside_threads(scene->nest, &placement->compute))
		return false;
	for (int i = 0; i < placement->stages[0].n_loops; i++)
		points *= (double)scene->placed->stages[0].extents[i];
	if (points <= limit)
		return false;
	bw_option_judge(scene->option, BW_FATE_PRUNED, BW_RULE_UNROLLED, points, limit,
			"%.0f points in a thread, limit %.0f", points, limit);
	return true;
}

/* Only the Func at root decides the number of blocks; Funcs fused into its kernel do not. */
static bool idle_sms(struct scene *scene)
{
	const struct bw_settings *options = scene->question->options;
	double limit = options->idle_sms_limit * options->device->sms;
	const struct bw_placement *placement = scene->placed->placement;
	if (placement->compute.kind != BW_SITE_ROOT || !placement->tiled || scene->kernel.n_blocks >= limit)
		return false;
	bw_option_judge(scene->option, BW_FATE_SECOND_CHOICE, BW_RULE_IDLE_SMS, scene->kernel.n_blocks, limit,
			"%.0f blocks, limit %.0f", scene->kernel.n_blocks, limit);
	return true;
}

/* Returns the share of idle lanes of a stage's warps, 0..1. Returns 0 for a stage inside thread loops: the
 * Func that has these loops is judged instead. */
static double idle_of(const struct scene *scene, int func, int stage)
{
	const struct bw_nest *nest = scene->nest;
	const struct bw_placed *placed = nest->placed[func];
	if (bw_nest_inside_threads(nest, &placed->placement->compute))
		return 0;
	return 1 - bw_busy_lanes(scene->kernel.threads, placed->stages[stage].threads,
				 (int64_t)scene->question->options->device->warp_size);
}

static bool idle_lanes(struct scene *scene)
{
	double limit = scene->question->options->idle_lanes_limit;
	if (!scene->in_kernel || !scene->placed->placement->tiled ||
	    bw_nest_inside_threads(scene->nest, &scene->placed->placement->compute))
		return false;
	double idle = idle_of(scene, scene->kernel.func, scene->kernel.stage);
	for (int m = 0; m < scene->kernel.n_members; m++)
		for (int s = 0; s < scene->nest->placed[scene->kernel.members[m]]->placement->n_stages; s++) {
			double more = idle_of(scene, scene->kernel.members[m], s);
			idle = more > idle ? more : idle;
		}
	if (idle <= limit)
		return false;
	bw_option_judge(scene->option, BW_FATE_SECOND_CHOICE, BW_RULE_IDLE_LANES, idle, limit,
			"%.0f%% of lanes idle, limit %.0f%%", 100 * idle, 100 * limit);
	return true;
}

/* The rules in order of application. Hard rules come first, so that an impossible option never becomes a
 * second choice. */
static const struct {
	enum bw_rule rule;
	rule_function *judge;
} rules_of_a_nest[] = {
	{BW_RULE_DYNAMIC, dynamic}, {BW_RULE_DYNAMIC, copies_unknown}, {BW_RULE_THREADS, threads}, {BW_RULE_SHARED, shared}, {BW_RULE_GRID, grid}, {BW_RULE_VECTOR, conditional_vectors}, {BW_RULE_VECTOR, misplaced_vectors},
	{BW_RULE_VARYING, varying}, {BW_RULE_RECOMPUTE, recompute}, {BW_RULE_INLINED_CALLS, inlined_calls}, {BW_RULE_UNROLLED, points_in_thread}, {BW_RULE_REGISTERS, registers}, {BW_RULE_IDLE_SMS, idle_sms}, {BW_RULE_IDLE_LANES, idle_lanes},
};

/* Judges by all rules, or only by the hard ones. Returns true if a rule objected. */
static bool judge_nest(struct scene *scene, bool hard_alone)
{
	for (size_t r = 0; r < sizeof rules_of_a_nest / sizeof *rules_of_a_nest; r++)
		if ((!hard_alone || bw_rule_hard(rules_of_a_nest[r].rule)) && rules_of_a_nest[r].judge(scene))
			return true;
	return false;
}

/* Judges one kernel: that of a stage at root, or the kernel in which the Func is computed. Returns true if
 * a rule objects and no pin overrides it. */
static bool judge_kernel(struct scene *scene, int stage, bool hard_alone)
{
	const struct bw_question *question = scene->question;
	struct bw_option *option = scene->option;
	enum bw_site_kind kind = scene->placed->placement->compute.kind;
	if (kind == BW_SITE_ROOT)
		scene->kernel = bw_nest_kernel(scene->nest, question->func, stage, scene->arena);
	else if (kind == BW_SITE_AT)
		scene->kernel = bw_nest_kernel(scene->nest, scene->placed->kernel_func, scene->placed->kernel_stage,
					       scene->arena);
	if (!judge_nest(scene, hard_alone))
		return false;
	bool hard = bw_rule_hard(option->rule);
	if (!hard && question->constraint && !bw_question_frozen(question))
		option->fate = BW_FATE_SECOND_CHOICE;
	if (hard || !option->pinned)
		return true;
	overrule(option);
	return false;
}

/* Judges all kernels by the hard rules first, and then by the soft rules. So an option that is impossible
 * in one kernel never becomes a second choice because of another kernel. */
void bw_rules_after(const struct bw_question *question, const struct bw_nest *nest, struct bw_arena *arena,
		    struct bw_option *option)
{
	const struct bw_func *func = &question->pipeline->funcs[question->func];
	const struct bw_placed *placed = nest->placed[question->func];
	bool root = placed->placement->compute.kind == BW_SITE_ROOT, held = bw_question_pinned(question);
	struct scene scene = {.question = question,
			      .func = func,
			      .nest = nest,
			      .placed = placed,
			      .arena = arena,
			      .option = option,
			      .in_kernel = placed->placement->compute.kind != BW_SITE_INLINE};
	for (int hard = root && func->n_stages > 1; hard >= 0; hard--)
		for (int s = 0; s < (root ? func->n_stages : 1); s++)
			if (!(root && func->stages[s].undefined) && judge_kernel(&scene, s, hard || held))
				return;
}

bool bw_rules_vectors(const struct bw_nest *nest, const struct bw_settings *options, struct bw_text *why)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	bool good = true;
	for (int f = nest->pipeline->n_funcs - 1; f >= 0 && good; f--) {
		const struct bw_placed *placed = nest->placed[f];
		struct bw_option option = {.fate = BW_FATE_COSTED, .rule = BW_RULE_NONE, .reason = ""};
		struct bw_constraint given = {.sizes = true};
		struct bw_question question = {
		    .pipeline = nest->pipeline, .options = options, .constraint = &given, .func = f};
		if (!placed)
			continue;
		given.placement = placed->placement;
		bw_arena_reset(arena);
		bw_rules_after(&question, nest, arena, &option);
		good = option.rule != BW_RULE_VECTOR;
		if (!good)
			bw_text_printf(why, "%s: %s, which the search refuses (rule %s): it may not compile, or its launch fail", nest->pipeline->funcs[f].name, option.reason,
				       bw_rule_name(option.rule));
		bw_option_hush(&option);
	}
	return good;
}
