/* The functions of C that the extern stages of generators/externs.cpp call. Neither copies anything from a
 * device: what they read must be in host memory. */
#include <HalideRuntime.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int bw_stage(struct halide_buffer_t *in, struct halide_buffer_t *out);
int bw_spread(struct halide_buffer_t *in, struct halide_buffer_t *out);
int bw_pair(struct halide_buffer_t *a, struct halide_buffer_t *b, struct halide_buffer_t *sum, struct halide_buffer_t *product);

/* Returns true if Halide asks how much is read. */
static bool asks(const struct halide_buffer_t *in)
{
	return !in->host && !in->device;
}

static int32_t *point(const struct halide_buffer_t *buffer, int x, int y)
{
	ptrdiff_t at = (ptrdiff_t)(x - buffer->dim[0].min) * buffer->dim[0].stride;
	if (buffer->dimensions > 1)
		at += (ptrdiff_t)(y - buffer->dim[1].min) * buffer->dim[1].stride;
	return (int32_t *)(void *)buffer->host + at;
}

/* 5 times a point and 7 times the one to the right of it. */
int bw_stage(struct halide_buffer_t *in, struct halide_buffer_t *out)
{
	const struct halide_dimension_t *x = &out->dim[0], *y = &out->dim[1];
	if (asks(in) || asks(out)) {
		in->dim[0].min = x->min;
		in->dim[0].extent = x->extent + 1;
		in->dim[1].min = y->min;
		in->dim[1].extent = y->extent;
		return 0;
	}
	for (int j = y->min; j < y->min + y->extent; j++)
		for (int i = x->min; i < x->min + x->extent; i++)
			*point(out, i, j) = 5 * *point(in, i, j) + 7 * *point(in, i + 1, j);
	return 0;
}

/* The sum of the points of a line at x and at y. */
int bw_spread(struct halide_buffer_t *in, struct halide_buffer_t *out)
{
	const struct halide_dimension_t *x = &out->dim[0], *y = &out->dim[1];
	if (asks(in) || asks(out)) {
		int first = x->min < y->min ? x->min : y->min, x_end = x->min + x->extent, y_end = y->min + y->extent;
		in->dim[0].min = first;
		in->dim[0].extent = (x_end > y_end ? x_end : y_end) - first;
		return 0;
	}
	for (int j = y->min; j < y->min + y->extent; j++)
		for (int i = x->min; i < x->min + x->extent; i++)
			*point(out, i, j) = *point(in, i, 0) + *point(in, j, 0);
	return 0;
}

/* Sum and product of the components of a tuple. */
int bw_pair(struct halide_buffer_t *a, struct halide_buffer_t *b, struct halide_buffer_t *sum, struct halide_buffer_t *product)
{
	const struct halide_dimension_t *x = &sum->dim[0], *y = &sum->dim[1];
	if (asks(a) || asks(b) || asks(sum)) {
		for (int d = 0; d < 2; d++) {
			a->dim[d].min = b->dim[d].min = sum->dim[d].min;
			a->dim[d].extent = b->dim[d].extent = sum->dim[d].extent;
		}
		return 0;
	}
	for (int j = y->min; j < y->min + y->extent; j++)
		for (int i = x->min; i < x->min + x->extent; i++) {
			*point(sum, i, j) = *point(a, i, j) + *point(b, i, j);
			*point(product, i, j) = *point(a, i, j) * *point(b, i, j);
		}
	return 0;
}
