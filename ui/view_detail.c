/* Two lines about the selected Func: its place in the algorithm, and its placement in the selected state. */
#include "base/say.h"
#include "ui/view.h"

/* Appends names of Funcs, each once: `Ixx, Ixy`. */
static void add_name(struct bw_text *names, const struct bw_scene *scene, int func, int *last)
{
	if (func == *last)
		return;
	*last = func;
	bw_text_printf(names, "%s%s", names->length ? ", " : "", scene->pipeline->funcs[func].name);
}

static void draw_algorithm(const struct bw_scene *scene, const struct bw_func *func, struct bw_pen *pen)
{
	struct bw_text reads = {0}, readers = {0};
	int last = -1, operations = 0, loads = 0;
	for (int s = 0; s < func->n_stages; s++) {
		const struct bw_stage *stage = &func->stages[s];
		for (int i = 0; i < stage->n_reads; i++) {
			for (int j = 0; j < stage->reads[i].n_loads; j++)
				loads += stage->reads[i].loads[j].count;
			add_name(&reads, scene, stage->reads[i].producer, &last);
		}
		for (int operation = BW_OPERATION_ADD; operation <= BW_OPERATION_SELECT; operation++)
			for (int type = 0; type < BW_N_TYPES; type++)
				operations += stage->ops[operation][type];
	}
	last = -1;
	for (int i = 0; i < func->n_consumers; i++)
		add_name(&readers, scene, func->consumers[i]->func, &last);
	bw_pen_printf(pen, BW_STYLE_STRONG, " %s", func->name);
	bw_pen_printf(pen, BW_STYLE_DIM, "  %s%s",
		      func->input    ? "input"
		      : func->output ? "output"
				     : bw_type_name(func->types[0]),
		      func->n_stages > 1 ? " with updates" : "");
	if (reads.length)
		bw_pen_printf(pen, BW_STYLE_NORMAL, "  reads %s", bw_text_get(&reads));
	if (readers.length)
		bw_pen_printf(pen, BW_STYLE_NORMAL, "; read by %s", bw_text_get(&readers));
	bw_pen_printf(pen, BW_STYLE_DIM, "   %d load%s, %d operation%s a point", loads, loads == 1 ? "" : "s",
		      operations, operations == 1 ? "" : "s");
	bw_text_free(&reads);
	bw_text_free(&readers);
}

static void draw_schedule(const struct bw_scene *scene, int func, struct bw_pen *pen)
{
	const struct bw_placed *placed = bw_scene_placed(scene, func);
	if (!placed) {
		bw_pen_puts(pen, BW_STYLE_DIM,
			    scene->pipeline->funcs[func].input ? " given by the caller" : " not placed yet");
	} else {
		bw_pen_printf(pen, BW_STYLE_NORMAL, " %s", bw_scene_words(scene, placed->placement));
		if (placed->placement->n_stages) {
			bw_pen_printf(pen, BW_STYLE_DIM, "   %s points computed each",
				      bw_say_times(bw_scene_recompute(placed)).text);
			bw_pen_printf(pen, BW_STYLE_DIM, "   %s of %s memory",
				      bw_say_bytes(placed->bytes).text, bw_memory_name(placed->memory));
		}
	}
	const struct bw_constraint *constraint = bw_session_constraint(scene->session, func);
	if (constraint)
		bw_pen_printf(pen, BW_STYLE_MARK, "   %s", bw_constraint_words(constraint));
	struct bw_text marks = {0};
	bw_marks_words(scene->session, func, &marks);
	if (marks.length)
		bw_pen_printf(pen, BW_STYLE_MARK, "   %s", bw_text_get(&marks));
	bw_text_free(&marks);
}

void bw_draw_detail(const struct bw_scene *scene, struct bw_grid *grid, struct bw_rect rect)
{
	int func = scene->session->selection.func;
	if (func < 0 || rect.rows == 0)
		return;
	struct bw_pen pen = bw_pen_at(grid, rect, 0);
	draw_algorithm(scene, &scene->pipeline->funcs[func], &pen);
	pen = bw_pen_at(grid, rect, 1);
	draw_schedule(scene, func, &pen);
}
