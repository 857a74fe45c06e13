/* A sweep as a picture of its own: costs over sizes, bandwidths, beams or devices, one line for each device,
 * each point with the letter of its schedule. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "page/html.h"
#include "page/page.h"
#include "schedulers/sweep.h"

enum { WIDTH = 900, HEIGHT = 520, LEFT = 84, RIGHT = 190, TOP = 34, BOTTOM = 56, MOST_COLOURS = 9 };

/* What the picture goes over from left to right. */
enum axis { SIZES, BANDWIDTHS, BEAMS, DEVICES };

struct picture {
	const struct bw_sweep *sweep;
	enum axis axis;
	double least, most; /* values on the axis */
	double low, high;   /* costs */
};

static enum axis axis_of(const struct bw_sweep *sweep)
{
	for (int v = 1; v < sweep->n_variants; v++)
		if (sweep->variants[v].points != sweep->variants[0].points)
			return SIZES;
	for (int t = 1; t < sweep->n_targets; t++)
		if (sweep->targets[t].bandwidth != sweep->targets[0].bandwidth)
			return BANDWIDTHS;
	return sweep->n_beams > 1 ? BEAMS : DEVICES;
}

static double value_of(const struct picture *picture, const struct bw_sweep_run *run)
{
	const struct bw_sweep *sweep = picture->sweep;
	switch (picture->axis) {
	case SIZES:
		return sweep->variants[run->variant].points;
	case BANDWIDTHS:
		return sweep->targets[run->target].bandwidth;
	case BEAMS:
		return run->beam;
	default:
		return run->target + 1;
	}
}

/* Returns the line that a run is on: for each device, parameters, and of the other axes the value. */
static bool same_line(const struct picture *picture, const struct bw_sweep_run *a,
		      const struct bw_sweep_run *b)
{
	const struct bw_sweep_variant *x = &picture->sweep->variants[a->variant],
				      *y = &picture->sweep->variants[b->variant];
	const struct bw_sweep_target *s = &picture->sweep->targets[a->target],
				     *t = &picture->sweep->targets[b->target];
	return !strcmp(x->parameters, y->parameters) && (picture->axis == SIZES || x->points == y->points) &&
	       (picture->axis == DEVICES || !strcmp(s->device.name, t->device.name)) &&
	       (picture->axis == BANDWIDTHS || s->bandwidth == t->bandwidth);
}

/* Returns whether a run is the cheapest at its place on its line, and the first such. */
static bool is_shown(const struct picture *picture, int r)
{
	const struct bw_sweep *sweep = picture->sweep;
	for (int i = 0; i < sweep->n_runs; i++)
		if (i != r && same_line(picture, &sweep->runs[i], &sweep->runs[r]) &&
		    value_of(picture, &sweep->runs[i]) == value_of(picture, &sweep->runs[r]) &&
		    (sweep->runs[i].cost < sweep->runs[r].cost ||
		     (sweep->runs[i].cost == sweep->runs[r].cost && i < r)))
			return false;
	return true;
}

static double at_x(const struct picture *picture, double value)
{
	double part = picture->axis == DEVICES
			  ? (value - picture->least) / fmax(picture->most - picture->least, 1)
			  : log(value / picture->least) / fmax(log(picture->most / picture->least), 1e-9);
	return LEFT + 24 + part * (WIDTH - LEFT - RIGHT - 48);
}

static double at_y(const struct picture *picture, double cost)
{
	double room = fmax(log(picture->high / picture->low), 1e-9);
	return TOP + 12 + (1 - log(cost / picture->low) / room) * (HEIGHT - TOP - BOTTOM - 24);
}

static struct picture picture_of(const struct bw_sweep *sweep)
{
	struct picture picture = {sweep, axis_of(sweep), INFINITY, 0, INFINITY, 0};
	for (int r = 0; r < sweep->n_runs; r++) {
		double value = value_of(&picture, &sweep->runs[r]);
		picture.least = fmin(picture.least, value);
		picture.most = fmax(picture.most, value);
		picture.low = fmin(picture.low, sweep->runs[r].cost);
		picture.high = fmax(picture.high, sweep->runs[r].cost);
	}
	return picture;
}

static void put_style(struct bw_text *out)
{
	static const char *const colours[MOST_COLOURS] = {"#e8590c", "#1971c2", "#2b8a3e",
							  "#9c36b5", "#c92a2a", "#0b7285",
							  "#5f3dc4", "#a66f00", "#495057"};
	bw_text_puts(
	    out,
	    "<style>text{font:12px system-ui,'DejaVu Sans',sans-serif;fill:#1c212b}.soft{fill:#5d6573}"
	    ".ground{fill:#fff}.axis{stroke:#e2dfd8}.in{fill:#fff;font-weight:700;font-size:10px}"
	    ".title{font-size:15px;font-weight:600}.line{fill:none;stroke-width:2}"
	    "@media(prefers-color-scheme:dark){.ground{fill:#11141a}text{fill:#e7e9ee}.soft{fill:#9aa3b1}"
	    ".axis{stroke:#2d3340}}");
	for (int i = 0; i < MOST_COLOURS; i++)
		bw_text_printf(out, ".l%d{stroke:%s}.p%d{fill:%s}", i, colours[i], i, colours[i]);
	bw_text_puts(out, "</style>\n");
}

static void put_label(const struct picture *picture, const struct bw_sweep_run *run, struct bw_text *out)
{
	struct bw_text label = {0};
	switch (picture->axis) {
	case SIZES:
		bw_text_puts(&label, picture->sweep->variants[run->variant].size);
		break;
	case BEAMS:
		bw_text_printf(&label, "beam %d", run->beam);
		break;
	case BANDWIDTHS:
		bw_text_printf(&label, "%gx", picture->sweep->targets[run->target].bandwidth);
		break;
	default:
		bw_text_puts(&label, picture->sweep->targets[run->target].device.name);
	}
	bw_svg_text(out, "soft", "middle", at_x(picture, value_of(picture, run)), HEIGHT - BOTTOM + 20,
		    bw_text_get(&label));
	bw_text_free(&label);
}

static void put_axes(const struct picture *picture, const struct bw_cost_model *model, struct bw_text *out)
{
	enum { TICKS = 5 };
	static const char *const names[] = {"size", "bandwidth of global memory", "states kept", "device"};
	for (int i = 0; i < TICKS; i++) {
		double cost = picture->low * pow(picture->high / picture->low, i / (double)(TICKS - 1)),
		       y = at_y(picture, cost);
		struct bw_text label = {0};
		bw_text_printf(&label, "%s %s", bw_say_cost(cost).text, model->unit);
		bw_svg_line(out, "axis", LEFT, y, WIDTH - RIGHT, y);
		bw_svg_text(out, "soft", "end", LEFT - 8, y + 4, bw_text_get(&label));
		bw_text_free(&label);
		if (picture->high <= picture->low)
			break;
	}
	for (int r = 0; r < picture->sweep->n_runs; r++) {
		bool first = true;
		for (int i = 0; i < r && first; i++)
			first = value_of(picture, &picture->sweep->runs[i]) !=
				value_of(picture, &picture->sweep->runs[r]);
		if (first)
			put_label(picture, &picture->sweep->runs[r], out);
	}
	bw_svg_text(out, "soft", "end", WIDTH - RIGHT, HEIGHT - 14, names[picture->axis]);
}

/* A point of a line. */
struct point {
	double value;
	int run;
};

static int by_value(const void *left, const void *right)
{
	const struct point *a = left, *b = right;
	return a->value != b->value ? (a->value < b->value ? -1 : 1) : a->run - b->run;
}

/* A line's name and where it would stand, at its right end. */
struct name {
	double y;
	struct bw_text text;
	int line;
};

/* Draws the line that begins with a run; returns its name. */
static struct name put_line(const struct picture *picture, int first, int line, struct bw_text *out)
{
	const struct bw_sweep *sweep = picture->sweep;
	struct point *points = calloc((size_t)sweep->n_runs, sizeof *points);
	int n = 0;
	if (!points)
		abort();
	for (int r = 0; r < sweep->n_runs; r++)
		if (same_line(picture, &sweep->runs[first], &sweep->runs[r]) && is_shown(picture, r))
			points[n++] = (struct point){value_of(picture, &sweep->runs[r]), r};
	qsort(points, (size_t)n, sizeof *points, by_value);
	bw_text_printf(out, "<path class=\"line l%d\" d=\"", line % MOST_COLOURS);
	for (int i = 0; i < n && picture->axis != DEVICES; i++)
		bw_text_printf(out, "%c%.1f %.1f", i ? 'L' : 'M', at_x(picture, points[i].value),
			       at_y(picture, sweep->runs[points[i].run].cost));
	bw_text_puts(out, picture->axis == DEVICES ? "M0 0\"/>\n" : "\"/>\n");
	for (int i = 0; i < n; i++) {
		const struct bw_sweep_run *run = &sweep->runs[points[i].run];
		struct bw_text says = {0};
		char class[16];
		snprintf(class, sizeof class, "p%d", line % MOST_COLOURS);
		bw_text_printf(&says, "%s %s %s beam %d seed %llu: %.9g, schedule %s, %d kernels",
			       sweep->targets[run->target].device.name, sweep->variants[run->variant].size,
			       sweep->variants[run->variant].parameters, run->beam,
			       (unsigned long long)run->seed, run->cost, bw_sweep_letter(run->schedule).text,
			       run->n_kernels);
		bw_svg_point(out, class, at_x(picture, points[i].value), at_y(picture, run->cost), 8,
			     bw_text_get(&says));
		bw_svg_text(out, "in", "middle", at_x(picture, points[i].value), at_y(picture, run->cost) + 4,
			    bw_sweep_letter(run->schedule).text);
		bw_text_free(&says);
	}
	const struct bw_sweep_run *last = &sweep->runs[points[n - 1].run];
	struct name name = {.y = at_y(picture, last->cost), .line = line};
	bw_text_printf(&name.text, "%s %s",
		       picture->axis == DEVICES ? "" : sweep->targets[last->target].device.name,
		       sweep->variants[last->variant].parameters);
	if (picture->axis != BANDWIDTHS && sweep->targets[last->target].bandwidth != 1)
		bw_text_printf(&name.text, " %gx", sweep->targets[last->target].bandwidth);
	free(points);
	return name;
}

static int by_place(const void *left, const void *right)
{
	const struct name *a = left, *b = right;
	return a->y != b->y ? (a->y < b->y ? -1 : 1) : a->line - b->line;
}

static void put_names(struct name *names, int n, struct bw_text *out)
{
	double y = TOP;
	qsort(names, (size_t)n, sizeof *names, by_place);
	for (int i = 0; i < n; i++) {
		char class[16];
		snprintf(class, sizeof class, "p%d", names[i].line % MOST_COLOURS);
		y = fmax(y, names[i].y + 4);
		bw_svg_point(out, class, WIDTH - RIGHT + 12, y - 4, 4, NULL);
		bw_svg_text(out, "", "start", WIDTH - RIGHT + 22, y, bw_text_get(&names[i].text));
		bw_text_free(&names[i].text);
		y += 15;
	}
}

void bw_page_sweep(const struct bw_sweep *sweep, const struct bw_cost_model *model, struct bw_text *out)
{
	struct picture picture = picture_of(sweep);
	struct name *names = calloc((size_t)sweep->n_runs, sizeof *names);
	struct bw_text title = {0};
	int n = 0;
	if (!names)
		abort();
	bw_text_printf(
	    out,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
	    WIDTH, HEIGHT, WIDTH, HEIGHT);
	put_style(out);
	bw_text_printf(out, "<rect class=\"ground\" width=\"%d\" height=\"%d\"/>\n", WIDTH, HEIGHT);
	bw_text_printf(&title, "%s: predicted cost by %s; letters are schedules",
		       sweep->variants[0].pipeline->name, model->title);
	bw_svg_text(out, "title", "start", LEFT, 20, bw_text_get(&title));
	put_axes(&picture, model, out);
	for (int r = 0; r < sweep->n_runs; r++) {
		bool first = true;
		for (int i = 0; i < r && first; i++)
			first = !same_line(&picture, &sweep->runs[i], &sweep->runs[r]);
		if (first) {
			names[n] = put_line(&picture, r, n, out);
			n++;
		}
	}
	put_names(names, n, out);
	bw_text_puts(out, "</svg>\n");
	bw_text_free(&title);
	free(names);
}
