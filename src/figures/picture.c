#include "figures/picture.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct bw_mark *bw_picture_add(struct bw_picture *picture, struct bw_mark mark)
{
	if (picture->n == picture->capacity) {
		int capacity = picture->capacity ? 2 * picture->capacity : 32;
		struct bw_mark *marks = BW_ARENA_ARRAY(picture->arena, struct bw_mark, capacity);
		if (picture->n)
			memcpy(marks, picture->marks, (size_t)picture->n * sizeof *marks);
		picture->marks = marks;
		picture->capacity = capacity;
	}
	picture->marks[picture->n] = mark;
	return &picture->marks[picture->n++];
}

struct bw_mark *bw_picture_path(struct bw_picture *picture, struct bw_mark mark, int n)
{
	mark.n = n;
	mark.path = bw_arena_array(picture->arena, (size_t)n + 1, sizeof *mark.path);
	return bw_picture_add(picture, mark);
}

struct bw_mark *bw_picture_at(struct bw_picture *picture, struct bw_mark mark, double x, double y)
{
	mark.at[0] = bw_axis_at(&picture->x, x);
	mark.at[1] = bw_axis_at(&picture->y, y);
	return bw_picture_add(picture, mark);
}

struct bw_mark *bw_picture_span(struct bw_picture *picture, struct bw_mark mark, double x0, double y0,
				double x1, double y1)
{
	bool turned = mark.kind == BW_MARK_BOX && bw_axis_at(&picture->y, y0) > bw_axis_at(&picture->y, y1);
	mark.at[2] = bw_axis_at(&picture->x, x1);
	mark.at[3] = bw_axis_at(&picture->y, turned ? y0 : y1);
	return bw_picture_at(picture, mark, x0, turned ? y1 : y0);
}

void bw_picture_legend(struct bw_picture *picture, struct bw_mark mark, const char *words)
{
	assert(picture->n_legend < (int)(sizeof picture->legend / sizeof *picture->legend));
	picture->legend[picture->n_legend++] = (struct bw_legend_row){mark, words};
}

double bw_axis_at(const struct bw_axis *axis, double value)
{
	double low = axis->low, high = axis->high;
	if (axis->log) {
		low = log(low);
		high = log(high);
		value = log(value);
	}
	double part = high > low ? (value - low) / (high - low) : 0.5;
	return axis->up ? 1 - part : part;
}

void bw_picture_tick(struct bw_picture *picture, struct bw_axis *axis, double value, const char *label)
{
	enum { MOST = 256 };
	double at = bw_axis_at(axis, value);
	if (!(at >= -1e-9 && at <= 1 + 1e-9) || axis->n == MOST)
		return;
	if (!axis->ticks)
		axis->ticks = BW_ARENA_ARRAY(picture->arena, struct bw_tick, MOST);
	axis->ticks[axis->n++] = (struct bw_tick){at, bw_arena_strdup(picture->arena, label)};
}

struct bw_said bw_say_tick(double value)
{
	struct bw_said said;
	snprintf(said.text, sizeof said.text, "%.9g", value);
	return said;
}

/* Rounds a value up to 1, 2 or 5 times a power of ten. */
static double round_up(double value)
{
	double power = pow(10, floor(log10(value)));
	return value <= power * 1.000001 ? power
	       : value <= 2 * power      ? 2 * power
	       : value <= 5 * power      ? 5 * power
					 : 10 * power;
}

void bw_picture_ticks(struct bw_picture *picture, struct bw_axis *axis, int most,
		      struct bw_said (*say)(double))
{
	bool powers = axis->log && axis->low > 0 && axis->high > 8 * axis->low;
	if (!(axis->high > axis->low)) {
		bw_picture_tick(picture, axis, axis->low, say(axis->low).text);
		return;
	}
	double step = round_up((axis->high - axis->low) / most);
	for (int i = 0; !powers && i <= 2 * most + 1; i++) {
		double value = (ceil(axis->low / step - 1e-6) + i) * step;
		bw_picture_tick(picture, axis, value, say(value).text);
	}
	double decades = powers ? log10(axis->high / axis->low) : 0;
	for (double power = powers ? pow(10, floor(log10(axis->low))) : INFINITY; power <= axis->high;
	     power *= 10)
		for (int i = 0; i < (decades > most ? 1 : 3); i++)
			bw_picture_tick(picture, axis, power * (const int[]){1, 2, 5}[i],
					say(power * (const int[]){1, 2, 5}[i]).text);
}
