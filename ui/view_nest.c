/* The loop nest of the selected state: each kernel with grid, blocks and occupancy, and its loops with the
 * Funcs computed inside of each; then the Funcs that are not placed yet. */
#include <math.h>

#include "base/say.h"
#include "ui/glyph.h"
#include "ui/view.h"

static const char *title(const struct bw_scene *scene, const char **right)
{
	if (scene->n_kernels)
		*right = bw_scene_text(scene, scene->n_kernels == 1 ? "%d kernel" : "%d kernels", scene->n_kernels);
	return bw_scene_text(scene, "LOOP NEST of state %d", scene->session->selection.state + 1);
}

/* The position of a row in the tree: its Func and depth. first: it is the Func's first row at this
 * position. After the rows of a Func computed inside, the next row of the outer Func can be selected, too. */
struct branch {
	const struct bw_scene *scene;
	struct bw_sheet *sheet;
	const struct bw_kernel_facts *facts; /* of the kernel */
	int func, stage, depth;
	bool first;
};

static struct bw_pen row(struct branch *branch)
{
	const struct bw_sheet *sheet = branch->sheet;
	struct bw_row made = bw_scene_row(branch->scene, branch->func);
	made.again = !branch->first && sheet->n_rows && sheet->rows[sheet->n_rows - 1].index == branch->func;
	struct bw_pen pen = bw_sheet_row(branch->sheet, made);
	branch->first = false;
	bw_pen_to(&pen, 2 * branch->depth);
	return pen;
}

static bool computed_at(const struct bw_placed *placed, int func, int stage, enum bw_role role, int serial)
{
	const struct bw_site *site = &placed->placement->compute;
	return site->kind == BW_SITE_AT && site->func == func && site->stage == stage && site->role == role &&
	       (role != BW_ROLE_SERIAL || site->serial == serial);
}

static void draw_stages(struct branch branch);

/* Draws a Func computed inside a kernel: the size of its allocation, and its recomputation. */
static void draw_member(struct branch branch, enum bw_role role)
{
	const struct bw_placed *placed = bw_scene_placed(branch.scene, branch.func);
	struct bw_pen pen = row(&branch);
	bw_pen_puts(&pen, BW_STYLE_STRONG, bw_scene_name(branch.scene, branch.func));
	bw_pen_puts(&pen, BW_STYLE_NORMAL, "  ");
	for (int d = 0; d < placed->n_dims; d++)
		bw_pen_printf(&pen, BW_STYLE_NORMAL, d ? "x%lld" : "%lld", (long long)placed->allocated[d]);
	bw_pen_printf(&pen, BW_STYLE_DIM, " a %s in %s, %s", role == BW_ROLE_BLOCK ? "block" : role == BW_ROLE_WARP ? "warp" : "thread",
		      bw_memory_name(placed->memory), bw_say_bytes(placed->bytes).text);
	double again = bw_scene_recompute(placed);
	if (again >= 1.005)
		bw_pen_printf(&pen, again >= 2 ? BW_STYLE_HEAT_4 : BW_STYLE_DIM, ", computed %s", bw_say_times(again).text);
	branch.depth++;
	draw_stages(branch);
}

/* Draws all Funcs computed at a level of a stage's loops. */
static void draw_members(struct branch branch, enum bw_role role, int serial)
{
	for (int i = 0; i < branch.facts->kernel.n_members; i++) {
		int func = branch.facts->kernel.members[i];
		const struct bw_placed *placed = bw_scene_placed(branch.scene, func);
		if (!placed || func == branch.func || !computed_at(placed, branch.func, branch.stage, role, serial))
			continue;
		struct branch member = branch;
		member.func = func;
		member.stage = 0;
		member.first = true;
		draw_member(member, role);
	}
}

static bool has_members(const struct branch *branch, enum bw_role role, int serial)
{
	for (int i = 0; i < branch->facts->kernel.n_members; i++) {
		const struct bw_placed *placed = bw_scene_placed(branch->scene, branch->facts->kernel.members[i]);
		if (placed && computed_at(placed, branch->func, branch->stage, role, serial))
			return true;
	}
	return false;
}

/* Returns true for a loop that is not shown: serial, one iteration, and no Func computed inside. */
static bool is_idle(const struct branch *branch, int loop, int serial)
{
	const struct bw_placed *placed = bw_scene_placed(branch->scene, branch->func);
	if (bw_loop_role(placed->placement->stages[branch->stage].loops[loop].kind) != BW_ROLE_SERIAL ||
	    placed->stages[branch->stage].extents[loop] != 1)
		return false;
	return !has_members(branch, BW_ROLE_SERIAL, serial + 1);
}

/* Draws the loops of one stage, loops of a kind side by side, and the Funcs computed inside each loop.
 * Returns the depth. */
static int draw_loops(struct branch branch)
{
	const struct bw_placed *placed = bw_scene_placed(branch.scene, branch.func);
	const struct bw_stage_plan *plan = &placed->placement->stages[branch.stage];
	const struct bw_placed_stage *stage = &placed->stages[branch.stage];
	const struct bw_stage *loops = &branch.scene->pipeline->funcs[branch.func].stages[branch.stage];
	int serial = -1;
	for (int i = 0; i < plan->n_loops;) {
		const enum bw_loop_kind kind = bw_stage_loop_kind(plan, stage, i);
		enum bw_role role =
		    kind == BW_LOOP_THREAD && bw_stage_has_lanes(plan) ? BW_ROLE_WARP : bw_loop_role(kind);
		if (is_idle(&branch, i, serial)) {
			serial += role == BW_ROLE_SERIAL;
			i++;
			continue;
		}
		struct bw_pen pen = row(&branch);
		bw_pen_printf(&pen, BW_STYLE_DIM, "%s ", bw_loop_kind_name(kind));
		bool last = false;
		const char *separator = " ";
		for (; i < plan->n_loops && bw_stage_loop_kind(plan, stage, i) == kind && !last; i++) {
			serial += role == BW_ROLE_SERIAL;
			last = role == BW_ROLE_SERIAL && has_members(&branch, role, serial);
			bw_pen_printf(&pen, BW_STYLE_NORMAL, "%s%s ", separator, loops->loops[plan->loops[i].loop].name);
			separator = ", ";
			bw_pen_puts(&pen, BW_STYLE_NORMAL, bw_say_count((double)stage->extents[i]).text);
			if (stage->tails[i] == BW_TAIL_GUARD_WITH_IF)
				bw_pen_puts(&pen, BW_STYLE_DIM, " if");
		}
		branch.depth++;
		draw_members(branch, role, serial);
	}
	return branch.depth;
}

/* Appends the names of all Funcs inlined into a stage, each once; marks them in seen. */
static void add_inlined(const struct bw_scene *scene, const struct bw_stage *stage, bool *seen,
			struct bw_text *names)
{
	for (int i = 0; i < stage->n_reads; i++) {
		int producer = stage->reads[i].producer;
		const struct bw_placed *placed = bw_scene_placed(scene, producer);
		if (!placed || seen[producer] || placed->placement->compute.kind != BW_SITE_INLINE)
			continue;
		seen[producer] = true;
		bw_text_printf(names, "%s%s", names->length ? " " : "", scene->pipeline->funcs[producer].name);
		add_inlined(scene, &scene->pipeline->funcs[producer].stages[0], seen, names);
	}
}

/* Draws the names of inlined Funcs, wrapped into rows. */
static void draw_inlined(struct branch *branch, struct bw_pen *pen, const char *names)
{
	int begin = pen->x - pen->left;
	for (const char *name = names; *name;) {
		int length = (int)strcspn(name, " ");
		if (bw_pen_left(pen) < length + 1 && pen->x > pen->left + begin) {
			*pen = row(branch);
			bw_pen_to(pen, begin);
		}
		bw_pen_printf(pen, BW_STYLE_DIM, "%.*s ", length, name);
		name += length + (name[length] == ' ');
	}
}

/* Draws the producers staged in registers at the start of a pass through the stage's unrolled loops. */
static void draw_stagings(struct branch *branch)
{
	const struct bw_scene *scene = branch->scene;
	struct bw_stagings stagings =
	    bw_nest_stagings(scene->state->nest, branch->func, branch->stage, scene->arena);
	for (int i = 0; i < stagings.n; i++) {
		const struct bw_staging *staging = &stagings.list[i];
		if (staging->verdict != BW_STAGING_STAGED || !bw_scene_placed(scene, staging->func))
			continue;
		struct bw_pen pen = row(branch);
		bw_pen_puts(&pen, BW_STYLE_DIM, "staged ");
		bw_pen_puts(&pen, BW_STYLE_NORMAL, scene->pipeline->funcs[staging->func].name);
		bw_pen_printf(&pen, BW_STYLE_DIM, "  %.0f loads a thread in place of %.0f", staging->after,
			      staging->before);
	}
}

static void draw_body(struct branch branch, const char *name)
{
	const struct bw_func *func = &branch.scene->pipeline->funcs[branch.func];
	bool *seen = BW_ARENA_ARRAY(branch.scene->arena, bool, branch.scene->pipeline->n_funcs);
	BW_SCOPED_TEXT names = {0};
	draw_stagings(&branch);
	add_inlined(branch.scene, &func->stages[branch.stage], seen, &names);
	if (names.length || *name) {
		struct bw_pen pen = row(&branch);
		bw_pen_puts(&pen, BW_STYLE_STRONG, *name ? name : "=");
		bw_pen_puts(&pen, BW_STYLE_DIM, names.length ? *name ? "  inlined: " : " inlined: " : "");
		draw_inlined(&branch, &pen, bw_text_get(&names));
	}
}

/* Draws all stages of a Func that is computed inside a kernel. */
static void draw_stages(struct branch branch)
{
	const struct bw_placed *placed = bw_scene_placed(branch.scene, branch.func);
	int depth = branch.depth;
	for (; branch.stage < placed->placement->n_stages; branch.stage++) {
		branch.depth = depth;
		if (branch.stage > 0) {
			struct bw_pen pen = row(&branch);
			bw_pen_printf(&pen, BW_STYLE_NORMAL, "update %d", branch.stage - 1);
			branch.depth++;
		}
		branch.depth = draw_loops(branch);
		branch.first = false;
		draw_body(branch, "");
	}
}

/* Draws a figure, on a row of its own if there is no room. */
static void draw_figure(struct branch *branch, struct bw_pen *pen, enum bw_style style, const char *text)
{
	int columns = bw_glyph_columns(text);
	if (columns + 3 > bw_pen_left(pen))
		*pen = row(branch);
	else if (pen->x > pen->left + 2 * branch->depth)
		bw_pen_puts(pen, style, "   ");
	bw_pen_puts(pen, style, text);
}

static void draw_occupancy(struct branch *branch, struct bw_pen *pen)
{
	const struct bw_scene *scene = branch->scene;
	const struct bw_occupancy *occupancy = &branch->facts->occupancy, *predicted = &branch->facts->predicted;
	const char *text =
	    bw_scene_text(scene, "occupancy %s (%s)", bw_say_percent(occupancy->occupancy).text,
			  bw_limiter_name(occupancy->limiter));
	draw_figure(branch, pen, occupancy->occupancy < 0.5 ? BW_STYLE_HEAT_4 : BW_STYLE_NORMAL,
		    occupancy->blocks_per_sm ? text : "does not fit");
	text = bw_scene_text(scene, ", %s predicted", bw_say_percent(predicted->occupancy).text);
	if (occupancy->blocks_per_sm != predicted->blocks_per_sm && bw_glyph_columns(text) <= bw_pen_left(pen))
		bw_pen_puts(pen, BW_STYLE_DIM, text);
}

/* Draws the resources of the compiled kernel, or that they are still unknown. */
static void draw_use(struct branch *branch, struct bw_pen *pen)
{
	const struct bw_scene *scene = branch->scene;
	const struct bw_kernel_use *use = branch->facts->use;
	if (!use) {
		int registers = branch->facts->registers;
		const char *estimate = bw_scene_text(scene, "registers: about %d, estimated", registers);
		if (bw_pen_left(pen) > 32)
			draw_figure(branch, pen, BW_STYLE_DIM, registers ? estimate : "registers: ? until compiled");
		return;
	}
	draw_figure(branch, pen, BW_STYLE_NORMAL, bw_scene_text(scene, "%d registers a thread", use->registers));
	if (use->ms >= 0)
		draw_figure(branch, pen, BW_STYLE_KEPT, bw_scene_text(scene, "%.4f ms measured", use->ms));
	if (bw_kernel_spills(use))
		draw_figure(branch, pen, BW_STYLE_ERROR,
			    bw_scene_text(scene, "SPILLS %s a thread", bw_say_bytes((double)use->spill_stores).text));
	else if (use->local_bytes > 0)
		draw_figure(branch, pen, BW_STYLE_HEAT_4,
			    bw_scene_text(scene, "%s of local memory a thread",
					  bw_say_bytes((double)use->local_bytes).text));
}

static void draw_figures(struct branch *branch)
{
	const struct bw_scene *scene = branch->scene;
	const struct bw_kernel *kernel = &branch->facts->kernel;
	bool cpu = scene->options->device->cpu;
	double waves = bw_scene_waves(scene, kernel, &branch->facts->occupancy);
	struct bw_pen pen = row(branch);
	draw_figure(branch, &pen, BW_STYLE_NORMAL,
		    bw_scene_text(scene, "%s block%s", bw_say_count(kernel->n_blocks).text, kernel->n_blocks == 1 ? "" : "s"));
	if (waves > 0 && !cpu)
		bw_pen_printf(&pen, BW_STYLE_NORMAL, ", %.1f waves", waves);
	if (!cpu)
		draw_occupancy(branch, &pen);
	if (kernel->shared_bytes)
		draw_figure(branch, &pen, BW_STYLE_NORMAL,
			    bw_scene_text(scene, "%s shared a block",
					  bw_say_bytes((double)kernel->shared_bytes).text));
	draw_use(branch, &pen);
}

static void draw_kernel(const struct bw_scene *scene, struct bw_sheet *sheet,
			const struct bw_kernel_facts *facts)
{
	const struct bw_kernel *kernel = &facts->kernel;
	const struct bw_func *func = &scene->pipeline->funcs[kernel->func];
	struct branch branch = {scene, sheet, facts, kernel->func, kernel->stage, 0, true};
	double warps = ceil((double)kernel->n_threads / scene->options->device->warp_size);
	struct bw_pen pen = row(&branch);
	bw_pen_puts(&pen, BW_STYLE_DIM, "kernel ");
	if (kernel->stage > 0)
		bw_pen_printf(&pen, BW_STYLE_STRONG, "%s.update%d", func->name, kernel->stage - 1);
	else
		bw_pen_puts(&pen, BW_STYLE_STRONG, bw_scene_name(scene, kernel->func));
	double share = bw_scene_kernel_share(scene, kernel);
	if (share > 0)
		bw_pen_printf(&pen, bw_style_heat(share), "  %s", bw_say_percent(share).text);
	/* Where one does not fit, the grid is left out: the next row has the number of its blocks. */
	const char *block = bw_scene_text(scene, "  block %s", bw_say_extents(kernel->threads).text),
		   *grid = bw_scene_text(scene, "  grid %s", bw_say_extents(kernel->blocks).text);
	if (bw_glyph_columns(grid) + bw_glyph_columns(block) <= bw_pen_left(&pen))
		bw_pen_puts(&pen, BW_STYLE_NORMAL, grid);
	bw_pen_puts(&pen, BW_STYLE_NORMAL, block);
	const char *words = bw_scene_text(scene, warps == 1 ? "  %.0f warp" : "  %.0f warps", warps);
	if (bw_glyph_columns(words) <= bw_pen_left(&pen))
		bw_pen_puts(&pen, BW_STYLE_DIM, words);
	branch.depth = 1;
	draw_figures(&branch);
	branch.depth = draw_loops(branch);
	draw_body(branch, func->name);
}

static void draw_unplaced(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	int last = scene->decision ? scene->decision->func : -1;
	for (int i = scene->first; i < scene->end; i++) {
		int func = bw_search_decision(scene->session->search, i)->func;
		if (bw_scene_placed(scene, func) || bw_search_decision(scene->session->search, i)->phase != BW_PHASE_WHERE)
			continue;
		struct bw_pen pen = bw_sheet_row(sheet, bw_scene_row(scene, func));
		bool next = scene->decision && scene->decision->func == func;
		bw_pen_puts(&pen, next ? BW_STYLE_MARK : BW_STYLE_DIM, next ? "? " : ". ");
		bw_pen_printf(&pen, next ? BW_STYLE_STRONG : BW_STYLE_NORMAL, "%s", scene->pipeline->funcs[func].name);
		if (next)
			bw_pen_puts(&pen, BW_STYLE_DIM, "  is decided now");
		else
			bw_pen_printf(&pen, BW_STYLE_DIM, "  after %s, in no cost yet",
				      last >= 0 ? scene->pipeline->funcs[last].name : "the others");
		last = func;
	}
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	for (int i = 0; i < scene->n_kernels; i++)
		draw_kernel(scene, sheet, &scene->kernels[i]);
	draw_unplaced(scene, sheet);
}

const struct bw_view bw_view_nest = {.name = "nest", .selects = BW_ROW_FUNC, .title = title, .fill = fill};
