#include "figures/sweep.h"
#include "base/arith.h"

#include <math.h>
#include <string.h>

/* The quantity on the horizontal axis. */
enum axis { SIZES, BANDWIDTHS, BEAMS, DEVICES };

struct picture {
	const struct bw_sweep *sweep;
	enum axis axis;
	struct bw_picture *drawn;
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

/* Returns true if two runs are on one line of the picture: device, bandwidth, size and parameters are
 * equal, except for the quantity on the axis. */
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

/* Returns true if a run is the cheapest at its place on its line, and the first of equally cheap ones. */
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

/* Sets the axes to the values and costs of all runs, a little wider. */
static void set_axes(const struct picture *picture, const struct bw_cost_model *model)
{
	static const char *const names[] = {"size", "bandwidth", "beam", "device"};
	struct bw_axis *x = &picture->drawn->x, *y = &picture->drawn->y;
	*x =
	    (struct bw_axis){.low = INFINITY, .log = picture->axis != DEVICES, .title = names[picture->axis]};
	*y = (struct bw_axis){.low = INFINITY, .log = true, .up = true};
	y->title = bw_arena_format(picture->drawn->arena, "cost%s%s", *model->unit ? ", " : "", model->unit);
	for (int r = 0; r < picture->sweep->n_runs; r++) {
		double value = value_of(picture, &picture->sweep->runs[r]),
		       cost = picture->sweep->runs[r].cost;
		x->low = fmin(x->low, value);
		x->high = fmax(x->high, value);
		y->low = fmin(y->low, cost);
		y->high = fmax(y->high, cost);
	}
	double wider = x->log ? pow(x->high / x->low, 0.06) : 0.5;
	x->low = x->log ? x->low / wider : x->low - wider;
	x->high = x->log ? x->high * wider : x->high + wider;
	y->low /= 1.05;
	y->high *= 1.05;
	bw_picture_ticks(picture->drawn, y, 5, bw_say_tick);
}

/* Adds the name of a run's place on the axis. */
static void add_tick(const struct picture *picture, const struct bw_sweep_run *run)
{
	const struct bw_sweep_target *target = &picture->sweep->targets[run->target];
	struct bw_arena *arena = picture->drawn->arena;
	const char *label = picture->axis == SIZES        ? picture->sweep->variants[run->variant].size
			    : picture->axis == BEAMS      ? bw_arena_format(arena, "%d", run->beam)
			    : picture->axis == BANDWIDTHS ? bw_arena_format(arena, "%gx", target->bandwidth)
							  : target->device.name;
	bw_picture_tick(picture->drawn, &picture->drawn->x, value_of(picture, run), label);
}

/* A point of a line. */
struct point {
	double value;
	int run;
};

BW_ORDER(by_value, struct point, 2 * BW_COMPARE(a->value, b->value) + BW_COMPARE(a->run, b->run))

/* Adds a point with the letter of its schedule. */
static void add_point(const struct picture *picture, const struct bw_sweep_run *run, struct bw_mark dot)
{
	const struct bw_sweep_variant *variant = &picture->sweep->variants[run->variant];
	dot.text = bw_arena_strdup(picture->drawn->arena, bw_say_letter(run->schedule).text);
	dot.says = bw_arena_format(
	    picture->drawn->arena, "%s %s %s beam %d seed %llu: %.9g, schedule %s, %d kernels",
	    picture->sweep->targets[run->target].device.name, variant->size, variant->parameters, run->beam,
	    (unsigned long long)run->seed, run->cost, dot.text, run->n_kernels);
	bw_picture_at(picture->drawn, dot, value_of(picture, run), run->cost);
}

/* Adds the line that begins with a run, and its name to the legend. */
static void add_line(const struct picture *picture, int first, int series)
{
	enum { NAMED = 12 };
	const struct bw_sweep *sweep = picture->sweep;
	struct bw_arena *arena = picture->drawn->arena;
	struct point *points = BW_ARENA_ARRAY(arena, struct point, sweep->n_runs);
	struct bw_mark mark = {.kind = BW_MARK_LINE, .tint = BW_TINT_SERIES, .series = series};
	int n = 0;
	for (int r = 0; r < sweep->n_runs; r++)
		if (same_line(picture, &sweep->runs[first], &sweep->runs[r]) && is_shown(picture, r))
			points[n++] = (struct point){value_of(picture, &sweep->runs[r]), r};
	qsort(points, (size_t)n, sizeof *points, by_value);
	struct bw_mark *path = bw_picture_path(picture->drawn, mark, picture->axis == DEVICES ? 0 : n);
	for (int i = 0; i < path->n; i++) {
		path->path[i][0] = bw_axis_at(&picture->drawn->x, points[i].value);
		path->path[i][1] = bw_axis_at(&picture->drawn->y, sweep->runs[points[i].run].cost);
	}
	if (!path->n)
		picture->drawn->n--;
	mark.kind = BW_MARK_DOT;
	for (int i = 0; i < n; i++)
		add_point(picture, &sweep->runs[points[i].run], mark);
	const struct bw_sweep_run *last = &sweep->runs[points[n - 1].run];
	const struct bw_sweep_target *target = &sweep->targets[last->target];
	const char *name =
	    bw_arena_format(arena, "%s %s", picture->axis == DEVICES ? "" : target->device.name,
			    sweep->variants[last->variant].parameters);
	if (picture->axis != BANDWIDTHS && target->bandwidth != 1)
		name = bw_arena_format(arena, "%s %gx", name, target->bandwidth);
	mark.kind = BW_MARK_LINE;
	if (series < NAMED && picture->axis != DEVICES)
		bw_picture_legend(picture->drawn, mark, name);
}

struct bw_picture bw_sweep_picture(const struct bw_sweep *sweep, const struct bw_cost_model *model,
				   struct bw_arena *arena)
{
	struct bw_picture drawn = bw_picture_new(arena, 720, 420, "costs; letters are schedules");
	struct picture picture = {sweep, axis_of(sweep), &drawn};
	int n = 0;
	set_axes(&picture, model);
	for (int r = 0; r < sweep->n_runs; r++) {
		bool first = true, new = true;
		for (int i = 0; i < r; i++) {
			first &= !same_line(&picture, &sweep->runs[i], &sweep->runs[r]);
			new &= value_of(&picture, &sweep->runs[i]) != value_of(&picture, &sweep->runs[r]);
		}
		if (new)
			add_tick(&picture, &sweep->runs[r]);
		if (first)
			add_line(&picture, r, n++);
	}
	return drawn;
}
