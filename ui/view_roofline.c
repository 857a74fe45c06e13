/* The rooflines of the device (Williams, Waterman and Patterson 2009) with the kernels as letters, and
 * the limits of the selected kernel's occupancy; below them all kernels, the most expensive first. The
 * roofline model gives each kernel's position; the model that steers the search gives its share and its
 * bottleneck. */
#include "session/advice.h"
#include "ui/picture.h"
#include "ui/view.h"

static struct bw_rooflines rooflines_of(const struct bw_scene *scene)
{
	const struct bw_kernel_uses *uses = bw_session_uses(scene->session, scene->state->nest);
	return bw_rooflines_of(scene->state->nest, bw_search_device(scene->session->search),
			       scene->options->model, uses, scene->arena);
}

static const char *title(const struct bw_scene *scene, const char **right)
{
	const struct bw_cost_model *model = scene->options->model;
	*right = *model->unit && model != &bw_roofline
		     ? bw_scene_text(scene, "shares, bounds: model %s; rates: model roofline", model->name)
		     : bw_scene_text(scene, "predicted by roofline for %s", scene->options->device->name);
	return bw_scene_text(scene, "ROOFLINE of state %d", scene->session->selection.state + 1);
}

/* Returns the kernel that computes the selected Func, by its index; 0 if none does. */
static int selected_kernel(const struct bw_scene *scene, const struct bw_rooflines *all)
{
	int func = scene->session->selection.func;
	const struct bw_placed *placed = bw_scene_placed(scene, func);
	int kernel = placed && placed->kernel_func >= 0 ? placed->kernel_func : func;
	for (int k = 0; k < all->n; k++)
		if (all->kernels[k].func == kernel)
			return k;
	return 0;
}

/* Returns the nearest change of one resource that raises the occupancy; "" if no change of it alone
 * does. */
static const char *step_text(const struct bw_scene *scene, const struct bw_occupancy_step *step,
			     const char *unit)
{
	return step->value < 0 ? ""
			       : bw_scene_text(scene, "; %s%s: %s", bw_say_count((double)step->value).text,
					       unit, bw_say_percent(step->occupancy).text);
}

/* Writes the selected kernel's occupancy and its limits into lines; returns their number. */
static int occupancy_figures(const struct bw_scene *scene, const struct bw_roofline_kernel *kernel,
			     const char *lines[4])
{
	const struct bw_occupancy *occupancy = &kernel->occupancy;
	lines[0] =
	    bw_scene_text(scene, "occupancy %s (%s)", bw_say_percent(occupancy->occupancy).text,
			  bw_limiter_name(occupancy->limiter));
	lines[1] =
	    bw_scene_text(scene, "  %s threads a block%s", bw_say_count((double)kernel->needs.threads).text,
			  step_text(scene, &kernel->threads, ""));
	lines[2] = kernel->needs.registers
		       ? bw_scene_text(scene, kernel->compiled ? "  %d registers a thread%s" : "  about %d registers a thread%s",
				       (int)kernel->needs.registers, step_text(scene, &kernel->registers, ""))
		       : "  registers: ? until compiled";
	lines[3] = kernel->needs.shared_bytes
		       ? bw_scene_text(scene, "  %s shared a block%s",
				       bw_say_bytes((double)kernel->needs.shared_bytes).text,
				       step_text(scene, &kernel->shared, " B"))
		       : "  no shared memory";
	return 4;
}

/* Writes the selected kernel's figures into lines, the most important first; returns how many. */
static int figures(const struct bw_scene *scene, const struct bw_rooflines *all, int k, const char *lines[12])
{
	const struct bw_roofline_kernel *kernel = &all->kernels[k];
	BW_SCOPED_TEXT text = {0};
	int n = 0;
	lines[n++] =
	    bw_scene_text(scene, "%s  kernel %s  %s", bw_say_letter(k).text,
			  scene->pipeline->funcs[kernel->func].name, bw_say_percent(kernel->share).text);
	struct bw_said rate = bw_say_prefixed(kernel->rate), ceiling = bw_say_prefixed(kernel->ceiling);
	bool alike = rate.text[strlen(rate.text) - 1] == ceiling.text[strlen(ceiling.text) - 1];
	lines[n++] = bw_scene_text(scene, "could reach %.*s%s of %sop/s", (int)strcspn(rate.text, alike ? " " : ""),
				   rate.text, alike ? "" : "op/s", ceiling.text);
	bw_roofline_cause(scene->pipeline, all, kernel, &text);
	lines[n++] = bw_scene_text(scene, "%s", bw_text_get(&text));
	bw_text_clear(&text);
	bw_advice_words(scene->session, all, kernel, &text);
	lines[n++] = bw_scene_text(scene, "%s", bw_text_get(&text));
	bw_text_clear(&text);
	if (!scene->options->device->cpu)
		n += occupancy_figures(scene, kernel, &lines[n]);
	for (int roof = 0; roof < BW_N_ROOFS; roof++)
		if (kernel->bytes[roof] > 0)
			bw_text_printf(&text, "%s%s %s", text.length ? ", " : "", bw_roof_word((enum bw_roof)roof),
				       bw_say_bytes(kernel->bytes[roof]).text);
	lines[n++] = bw_scene_text(scene, "moves %s", bw_text_get(&text));
	return n;
}

static void head(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	if (!scene->state || !scene->n_kernels)
		return;
	struct bw_rooflines all = rooflines_of(scene);
	int k = selected_kernel(scene, &all);
	const char *lines[12];
	struct bw_picture picture = bw_roofline_picture(scene->pipeline, &all, k, scene->arena),
			  occupancy = bw_occupancy_picture(&all, &all.kernels[k], scene->arena);
	/* A narrow screen has the cause and the advice below the picture; the rows have the rest. */
	enum { BESIDE = 72, CAUSE = 2, BELOW = 2 };
	int n = figures(scene, &all, k, lines),
	    from = sheet->grid.columns - sheet->margin < BESIDE ? CAUSE : 0;
	bw_plate_draw(sheet, scene->arena,
		      &(struct bw_plate){.picture = &picture,
					 .n = n - from,
					 .lines = lines + from,
					 .below = BELOW,
					 .second = scene->options->device->cpu ? NULL : &occupancy});
}

/* Returns the column at which the bottleneck of a kernel begins. A narrow screen leaves out the rate
 * before it and the occupancy after it. */
static int bound_at(const struct bw_sheet *sheet)
{
	return sheet->grid.columns - sheet->margin < 66 ? 38 : 55;
}

static void draw_kernel(const struct bw_scene *scene, struct bw_sheet *sheet, const struct bw_rooflines *all,
			int k)
{
	const struct bw_roofline_kernel *kernel = &all->kernels[k];
	enum {
		NAME = 2,
		SHARE = 27,
		INTENSITY = 36,
		RATE = 47,
		OF = 53,
		OCCUPANCY = 74,
		LIMITER = 76,
		LEAST_LIMITER = 9
	};
	bool wanted = bw_sheet_wanted(sheet);
	struct bw_pen pen = bw_sheet_row(sheet, bw_scene_row(scene, kernel->func));
	if (!wanted)
		return;
	bw_pen_printf(&pen, BW_STYLE_MARK, "%s", bw_say_letter(k).text);
	bw_pen_to(&pen, NAME);
	const char *name = kernel->stage
			       ? bw_scene_text(scene, "%s.update%d", bw_scene_short(scene, kernel->func, 10),
					       kernel->stage - 1)
			       : bw_scene_short(scene, kernel->func, 19);
	bw_pen_puts(&pen, BW_STYLE_STRONG, name);
	bw_pen_right(&pen, SHARE, bw_style_heat(kernel->share), "%s", bw_say_percent(kernel->share).text);
	bw_pen_right(&pen, INTENSITY, BW_STYLE_NORMAL, kernel->bytes[BW_ROOF_DRAM] > 0 ? "%.2f" : "L2 %.2f",
		     bw_roofline_intensity(kernel));
	if (bound_at(sheet) > OF) {
		bw_pen_right(&pen, RATE, BW_STYLE_NORMAL, "%sop/s", bw_say_prefixed(kernel->rate).text);
		bw_pen_right(&pen, OF, BW_STYLE_DIM, "%s",
			     kernel->ceiling > 0 ? bw_say_percent(kernel->rate / kernel->ceiling).text : "");
	}
	bw_pen_to(&pen, bound_at(sheet));
	bw_pen_puts(&pen, BW_STYLE_NORMAL, all->model->terms[kernel->bound].name);
	if (bound_at(sheet) > OF && !scene->options->device->cpu) {
		bw_pen_right(&pen, OCCUPANCY,
			     kernel->occupancy.occupancy < 0.5 ? BW_STYLE_HEAT_4 : BW_STYLE_NORMAL, "%s",
			     bw_say_percent(kernel->occupancy.occupancy).text);
		bw_pen_to(&pen, LIMITER);
		if (bw_pen_left(&pen) >= LEAST_LIMITER)
			bw_pen_puts(&pen, BW_STYLE_DIM, bw_limiter_name(kernel->occupancy.limiter));
	}
}

static void fill(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	struct bw_pen pen = bw_sheet_plain(sheet);
	if (!scene->state || !scene->n_kernels) {
		bw_pen_puts(
		    &pen, BW_STYLE_DIM,
		    bw_scene_keys(scene,
				  "No kernel is placed yet: {step} steps forward, {run} runs to the end."));
		return;
	}
	struct bw_rooflines all = rooflines_of(scene);
	bw_pen_puts(&pen, BW_STYLE_DIM, "  kernel");
	bw_pen_right(&pen, 27, BW_STYLE_DIM, "share");
	bw_pen_right(&pen, 36, BW_STYLE_DIM, "op/byte");
	if (bound_at(sheet) > 53) {
		bw_pen_right(&pen, 47, BW_STYLE_DIM, "could reach");
		bw_pen_right(&pen, 53, BW_STYLE_DIM, "of");
	}
	bw_pen_to(&pen, bound_at(sheet));
	bw_pen_puts(&pen, BW_STYLE_DIM, "bound by");
	if (bound_at(sheet) > 53)
		bw_pen_right(&pen, 74, BW_STYLE_DIM, "occup.");
	for (int k = 0; k < all.n; k++)
		draw_kernel(scene, sheet, &all, k);
}

const struct bw_view bw_view_roofline = {
    .name = "roofline", .selects = BW_ROW_FUNC, .title = title, .head_rows = -65, .head = head, .fill = fill};
