/* The rooflines of the device (Williams, Waterman and Patterson 2009) with the kernels as letters, and what
 * limits the selected kernel's occupancy; below it all kernels, the most expensive first. The roofline model
 * says where a kernel stands, and the model that steers says its share and what binds it. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/say.h"
#include "figures/rooflines.h"
#include "session/decisions.h"
#include "ui/canvas.h"
#include "ui/glyph.h"
#include "ui/view.h"

static struct bw_rooflines rooflines_of(const struct bw_scene *scene)
{
	const struct bw_kernel_uses *uses = bw_session_uses(scene->session, scene->state->nest);
	return bw_rooflines_of(scene->state->nest, bw_session_device(scene->session), scene->options->model, uses,
			       scene->arena);
}

static const char *title(const struct bw_scene *scene, const char **right)
{
	const struct bw_cost_model *model = scene->options->model;
	*right = *model->unit && model != &bw_roofline
		     ? bw_scene_text(scene, "shares: %s, rates: roofline", model->name)
		     : bw_scene_text(scene, "predicted by roofline for %s", scene->options->device->name);
	return bw_scene_text(scene, "ROOFLINE of the kernels of state %d", scene->session->selection.state + 1);
}

/* Returns a rate with a prefix: `19.5 T`. */
static const char *prefixed(const struct bw_scene *scene, double value)
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
	int p = 0;
	for (; value >= 999.5 && p < 5; p++)
		value /= 1000;
	return bw_scene_text(scene, "%.*f %s", value < 9.95 ? 2 : value < 99.5 ? 1 : 0, value, prefixes[p]);
}

static char letter_of(int k)
{
	return (char)(k < 26 ? 'A' + k : k < 52 ? 'a' + k - 26 : '+');
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

/* Returns the operations for each byte from DRAM; if that moves none, from L2. */
static double intensity_of(const struct bw_roofline_kernel *kernel)
{
	return kernel->intensity[kernel->bytes[BW_ROOF_DRAM] > 0 ? BW_ROOF_DRAM : BW_ROOF_L2];
}

/* The scales of the plot: logarithms to base 2 of operations a byte, and of operations a second. */
struct scale {
	double x0, x1, y0, y1;
	int columns, rows;
};

static int dot_x(const struct scale *scale, double intensity)
{
	return (int)floor((log2(intensity) - scale->x0) / (scale->x1 - scale->x0) *
			      (scale->columns * BW_CANVAS_DOTS_X - 1) +
			  0.5);
}

static int dot_y(const struct scale *scale, double rate)
{
	return (int)floor(
	    (scale->y1 - log2(rate)) / (scale->y1 - scale->y0) * (scale->rows * BW_CANVAS_DOTS_Y - 1) + 0.5);
}

static struct scale scale_of(const struct bw_rooflines *all, int columns, int rows)
{
	const struct bw_device *device = all->device;
	double ridge = device->float_rate / device->global_bandwidth, low = ridge / 16, high = ridge * 4,
	       bottom = device->float_rate / 256;
	for (int k = 0; k < all->n; k++) {
		const struct bw_roofline_kernel *kernel = &all->kernels[k];
		if (!(intensity_of(kernel) > 0 && kernel->rate > 0))
			continue;
		low = fmin(low, intensity_of(kernel) / 2);
		high = fmax(high, intensity_of(kernel) * 2);
		bottom = fmin(bottom, kernel->rate / 2);
	}
	return (struct scale){log2(low), log2(high), log2(bottom), log2(device->float_rate * 2), columns, rows};
}

/* Draws the ceiling of a memory, a line that rises with the intensity up to the rate of arithmetic. */
static void draw_slope(struct bw_canvas *canvas, const struct scale *scale, double bandwidth, double peak)
{
	double from = fmax(exp2(scale->x0), exp2(scale->y0) / bandwidth);
	bw_canvas_line(canvas, dot_x(scale, from), dot_y(scale, from * bandwidth),
		       dot_x(scale, peak / bandwidth), dot_y(scale, peak), BW_STYLE_DIM);
}

/* The cells that hold letters or labels, which labels keep clear of. */
struct taken {
	int columns, rows;
	bool *cells;
};

static void take(struct taken *taken, int x, int y, int columns)
{
	for (int i = x; i < x + columns; i++)
		if (i >= 0 && i < taken->columns && y >= 0 && y < taken->rows)
			taken->cells[y * taken->columns + i] = true;
}

/* Returns true if a label has room, with a free cell on both sides. */
static bool is_free(const struct taken *taken, int x, int y, int columns)
{
	bool is = x >= 0 && x + columns <= taken->columns && y >= 0 && y < taken->rows;
	for (int i = x - 1; i <= x + columns && is; i++)
		is = i < 0 || i >= taken->columns || !taken->cells[y * taken->columns + i];
	return is;
}

/* Returns true if the line of another memory, below the rate of arithmetic, runs through the cells. */
static bool is_crossed(const struct scale *scale, const struct bw_device *device, enum bw_roof roof, int x,
		       int y, int columns)
{
	for (int other = 0; other < BW_N_ROOFS; other++)
		for (int i = x; i < x + columns && other != (int)roof; i++) {
			double dots = (double)(i * BW_CANVAS_DOTS_X) / (scale->columns * BW_CANVAS_DOTS_X - 1),
			       rate = exp2(scale->x0 + dots * (scale->x1 - scale->x0)) *
				      bw_roof_bandwidth(device, (enum bw_roof)other);
			if (rate < device->float_rate && dot_y(scale, rate) / BW_CANVAS_DOTS_Y == y)
				return true;
		}
	return false;
}

/* Writes the name of a memory's ceiling to the right of its line, near its foot, or further up or to the left
 * where that is taken; without room there, above it. */
static void label_slope(const struct bw_scene *scene, struct bw_canvas *canvas, const struct scale *scale,
			struct taken *taken, enum bw_roof roof, const struct bw_device *device)
{
	double bandwidth = bw_roof_bandwidth(device, roof),
	       from = fmax(exp2(scale->x0), exp2(scale->y0) / bandwidth), to = device->float_rate / bandwidth;
	const char *label = bw_scene_text(scene, "%s %sB/s", bw_roof_word(roof), prefixed(scene, bandwidth));
	int columns = bw_glyph_columns(label), x = 0, y = 0;
	bool found = false;
	/* First clear of the other lines. Below the line of DRAM there is none: its name may stand further to
	 * the right. */
	for (int way = 0; way < 4 && !found; way++)
		for (double at = 2; !found && (at == 2 || from * at <= to); at *= 1.2) {
			y = dot_y(scale, fmin(from * bandwidth * at, device->float_rate)) / BW_CANVAS_DOTS_Y;
			y = y < 1 ? 1 : y;
			x = dot_x(scale, fmin(from * at, to)) / BW_CANVAS_DOTS_X + (way % 2 ? -columns - 1 : 2);
			found = is_free(taken, x, y, columns) &&
				(way > 1 || !is_crossed(scale, device, roof, x, y, columns));
			while (!found && way == 0 && roof == BW_ROOF_DRAM && x + columns < canvas->columns)
				found = is_free(taken, ++x, y, columns);
		}
	for (x = found ? x : 0; !found && --y >= 0;)
		found = is_free(taken, x, y, columns);
	if (!found)
		return;
	take(taken, x, y, columns);
	bw_canvas_text(canvas, x, y, canvas->columns, BW_STYLE_DIM, label);
}

/* Draws the ceiling of arithmetic, with its name above it at the right. */
static void draw_flat(const struct bw_scene *scene, struct bw_canvas *canvas, const struct scale *scale,
		      struct taken *taken, const struct bw_device *device)
{
	double rate = device->float_rate;
	int y = dot_y(scale, rate);
	const char *label = bw_scene_text(scene, "float %sop/s", prefixed(scene, rate));
	int columns = bw_glyph_columns(label), x = canvas->columns - columns, row = y / BW_CANVAS_DOTS_Y - 1;
	bw_canvas_line(canvas, dot_x(scale, rate / device->shared_bandwidth), y,
		       scale->columns * BW_CANVAS_DOTS_X - 1, y, BW_STYLE_DIM);
	while (x > 0 && !is_free(taken, x, row, columns))
		x--;
	take(taken, x, row, columns);
	bw_canvas_text(canvas, x, row, canvas->columns, BW_STYLE_DIM, label);
}

/* Puts the kernels' letters on the plot, the selected one's last; with a canvas they are drawn, without one
 * their cells are taken. */
static void put_kernels(const struct bw_rooflines *all, struct bw_canvas *canvas, const struct scale *scale,
			struct taken *taken, int selected)
{
	for (int k = all->n - 1; k >= -1; k--) {
		int at = k < 0 ? selected : k;
		const struct bw_roofline_kernel *kernel = &all->kernels[at];
		if (at >= all->n || !(intensity_of(kernel) > 0 && kernel->rate > 0))
			continue;
		enum bw_style style = at == selected ? BW_STYLE_MARK : bw_style_heat(kernel->share);
		int row = dot_y(scale, kernel->rate) / BW_CANVAS_DOTS_Y;
		for (int roof = BW_N_ROOFS - 1; roof >= 0; roof--) {
			bool own = kernel->intensity[roof] == intensity_of(kernel);
			int x = dot_x(scale, kernel->intensity[roof]) / BW_CANVAS_DOTS_X;
			if (!(kernel->intensity[roof] > 0) || (!own && k >= 0))
				continue;
			if (canvas)
				bw_canvas_put(canvas, x, row, style,
					      own                  ? (uint32_t)letter_of(at)
					      : roof == BW_ROOF_L2 ? '2'
								   : 's');
			else
				take(taken, x, row, 1);
		}
	}
}

static void draw_plot(const struct bw_scene *scene, const struct bw_rooflines *all, struct bw_canvas *canvas,
		      int selected)
{
	const struct bw_device *device = all->device;
	struct scale scale = scale_of(all, canvas->columns, canvas->rows - 1);
	int n = canvas->columns * canvas->rows;
	struct taken taken = {canvas->columns, canvas->rows, BW_ARENA_ARRAY(scene->arena, bool, n + 1)};
	memset(taken.cells, 0, (size_t)n);
	put_kernels(all, NULL, &scale, &taken, selected);
	draw_flat(scene, canvas, &scale, &taken, device);
	for (int roof = 0; roof < BW_N_ROOFS; roof++)
		draw_slope(canvas, &scale, bw_roof_bandwidth(device, (enum bw_roof)roof), device->float_rate);
	for (int roof = 0; roof < BW_N_ROOFS; roof++)
		label_slope(scene, canvas, &scale, &taken, (enum bw_roof)roof, device);
	put_kernels(all, canvas, &scale, &taken, selected);
	for (int power = (int)ceil(scale.x0); power <= (int)scale.x1; power += 2) {
		const char *tick = power < 0 ? bw_scene_text(scene, "1/%d", 1 << -power)
					     : bw_scene_text(scene, "%d", 1 << power);
		bw_canvas_text(canvas, dot_x(&scale, exp2(power)) / BW_CANVAS_DOTS_X, canvas->rows - 1,
			       canvas->columns, BW_STYLE_DIM, tick);
	}
	static const char unit[] = " operations a byte";
	bw_canvas_text(canvas, canvas->columns - (int)sizeof unit + 1, canvas->rows - 1, canvas->columns,
		       BW_STYLE_DIM, unit);
}

/* Returns the nearest step up of a need; "" if no change of it alone helps. */
static const char *step_text(const struct bw_scene *scene, const struct bw_occupancy_step *step,
			     const char *unit)
{
	return step->value < 0 ? ""
			       : bw_scene_text(scene, "; %s%s: %s", bw_say_count((double)step->value).text,
					       unit, bw_say_percent(step->occupancy).text);
}

/* Writes the selected kernel's occupancy, and what limits it, into lines; returns how many. */
static int occupancy_figures(const struct bw_scene *scene, const struct bw_roofline_kernel *kernel,
			     const char *lines[4])
{
	const struct bw_occupancy *occupancy = &kernel->occupancy;
	lines[0] =
	    bw_scene_text(scene, "occupancy %s, limited by %s", bw_say_percent(occupancy->occupancy).text,
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
	struct bw_text text = {0};
	int n = 0;
	lines[n++] =
	    bw_scene_text(scene, "%c  kernel %s  %s", letter_of(k), scene->pipeline->funcs[kernel->func].name,
			  bw_say_percent(kernel->share).text);
	lines[n++] = bw_scene_text(scene, "could reach %sop/s of %sop/s", prefixed(scene, kernel->rate),
				   prefixed(scene, kernel->ceiling));
	lines[n++] = bw_scene_text(scene, "%s of its time: %s", bw_say_percent(kernel->bound_share).text,
				   all->model->terms[kernel->bound].name);
	if (!scene->options->device->cpu)
		n += occupancy_figures(scene, kernel, &lines[n]);
	bw_roofline_advice(all, kernel, &text);
	lines[n++] = bw_scene_text(scene, "would help: %s", bw_text_get(&text));
	bw_text_clear(&text);
	for (int roof = 0; roof < BW_N_ROOFS; roof++)
		if (kernel->bytes[roof] > 0)
			bw_text_printf(&text, "%s%s %s", text.length ? ", " : "", bw_roof_word((enum bw_roof)roof),
				       bw_say_bytes(kernel->bytes[roof]).text);
	lines[n++] = bw_scene_text(scene, "moves %s", bw_text_get(&text));
	bw_text_free(&text);
	return n;
}

/* Draws the occupancy of blocks with 1 to the most warps, the present one marked. */
static void draw_occupancy(const struct bw_scene *scene, const struct bw_rooflines *all,
			   const struct bw_roofline_kernel *kernel, struct bw_canvas *canvas)
{
	const struct bw_device *device = all->device;
	int warps = (int)(device->threads_per_block / device->warp_size), rows = canvas->rows - 1,
	    present = (int)((kernel->needs.threads + device->warp_size - 1) / device->warp_size);
	for (int warp = 1; warp <= warps && warp <= canvas->columns; warp++) {
		struct bw_block_needs needs = kernel->needs;
		needs.threads = warp * (int64_t)device->warp_size;
		int filled = (int)(bw_occupancy(device, &needs).occupancy * rows * 8 + 0.5);
		for (int row = 0; row < rows && filled > 0; row++, filled -= 8)
			bw_canvas_put(canvas, warp - 1, rows - 1 - row,
				      warp == present ? BW_STYLE_MARK : BW_STYLE_DIM,
				      0x2580u + (uint32_t)(filled >= 8 ? 8 : filled));
	}
	const char *label = bw_scene_text(scene, "occupancy by warps a block: %d", present);
	bw_canvas_text(canvas, 0, rows, canvas->columns, BW_STYLE_DIM, label);
}

/* Draws the figures with the occupancy below them into a sheet of their own. */
static void fill_figures(const struct bw_scene *scene, const struct bw_rooflines *all, int k,
			 struct bw_sheet *sheet, int rows)
{
	enum { LEAST = 4, MOST = 8 };
	const char *lines[12];
	int n = figures(scene, all, k, lines);
	sheet->margin = 0;
	for (int i = 0; i < n; i++)
		bw_sheet_wrap(sheet, i ? BW_STYLE_NORMAL : BW_STYLE_STRONG, lines[i]);
	int left = rows - sheet->n_rows - 1;
	if (scene->options->device->cpu || left < LEAST)
		return;
	struct bw_canvas canvas = bw_canvas_new(sheet->grid.columns, left < MOST ? left : MOST, scene->arena);
	draw_occupancy(scene, all, &all->kernels[k], &canvas);
	bw_sheet_plain(sheet);
	for (int y = 0; y < canvas.rows; y++) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		bw_canvas_write(&canvas, y, &pen);
	}
}

static void head(const struct bw_scene *scene, struct bw_sheet *sheet)
{
	enum { BESIDE = 72, ROWS_PRINTED = 20, LEAST_FIGURES = 36, MOST_FIGURES = 48 };
	if (!scene->state || !scene->n_kernels)
		return;
	struct bw_rooflines all = rooflines_of(scene);
	int rows = sheet->to == INT_MAX ? ROWS_PRINTED : sheet->to,
	    width = sheet->grid.columns - sheet->margin, text = width * 2 / 5,
	    k = selected_kernel(scene, &all);
	text = text < LEAST_FIGURES ? LEAST_FIGURES : text > MOST_FIGURES ? MOST_FIGURES : text;
	bool beside = width >= BESIDE;
	struct bw_canvas canvas = bw_canvas_new(beside ? width - text - 2 : width, rows - 1, scene->arena);
	struct bw_sheet facts = bw_sheet_new(text, sheet->grid.ascii);
	draw_plot(scene, &all, &canvas, k);
	fill_figures(scene, &all, k, &facts, rows);
	for (int y = 0; y < canvas.rows; y++) {
		struct bw_pen pen = bw_sheet_plain(sheet);
		bw_canvas_write(&canvas, y, &pen);
		if (beside && y < facts.n_rows)
			bw_grid_copy(
			    &sheet->grid,
			    (struct bw_rect){sheet->margin + canvas.columns + 2, sheet->n_rows - 1, text, 1},
			    &facts.grid, y);
	}
	bw_sheet_free(&facts);
	bw_sheet_plain(sheet);
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
		BOUND = 55,
		OCCUPANCY = 74,
		LIMITER = 76,
		LEAST_LIMITER = 9
	};
	bool wanted = bw_sheet_wanted(sheet);
	struct bw_pen pen = bw_sheet_row(sheet, bw_scene_row(scene, kernel->func));
	if (!wanted)
		return;
	bw_pen_printf(&pen, BW_STYLE_MARK, "%c", letter_of(k));
	bw_pen_to(&pen, NAME);
	const char *name = kernel->stage
			       ? bw_scene_text(scene, "%s.update%d", bw_scene_short(scene, kernel->func, 10),
					       kernel->stage - 1)
			       : bw_scene_short(scene, kernel->func, 19);
	bw_pen_puts(&pen, BW_STYLE_STRONG, name);
	bw_pen_right(&pen, SHARE, bw_style_heat(kernel->share), "%s", bw_say_percent(kernel->share).text);
	bw_pen_right(&pen, INTENSITY, BW_STYLE_NORMAL, kernel->bytes[BW_ROOF_DRAM] > 0 ? "%.2f" : "L2 %.2f",
		     intensity_of(kernel));
	bw_pen_right(&pen, RATE, BW_STYLE_NORMAL, "%sop/s", prefixed(scene, kernel->rate));
	bw_pen_right(&pen, OF, BW_STYLE_DIM, "%s",
		     kernel->ceiling > 0 ? bw_say_percent(kernel->rate / kernel->ceiling).text : "");
	bw_pen_to(&pen, BOUND);
	bw_pen_puts(&pen, BW_STYLE_NORMAL, all->model->terms[kernel->bound].name);
	if (!scene->options->device->cpu) {
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
	bw_pen_right(&pen, 47, BW_STYLE_DIM, "could do");
	bw_pen_right(&pen, 53, BW_STYLE_DIM, "of");
	bw_pen_to(&pen, 55);
	bw_pen_puts(&pen, BW_STYLE_DIM, "bound by");
	bw_pen_right(&pen, 74, BW_STYLE_DIM, "occup.");
	for (int k = 0; k < all.n; k++)
		draw_kernel(scene, sheet, &all, k);
}

const struct bw_view bw_view_roofline = {
    .name = "roofline", .selects = BW_ROW_FUNC, .title = title, .head_rows = -65, .head = head, .fill = fill};
