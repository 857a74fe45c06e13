#include "bench/counted.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arith.h"
#include "bench/sass.h"

void bw_counts_join(struct bw_counts *a, const struct bw_counts *b)
{
#define X(field, metric, text) a->field += b->field;
	BW_COUNT_TABLE(X)
#undef X
}

double bw_counted_sass(const struct bw_counted_kernel *kernel)
{
	double sum = 0;
	for (int k = 0; k < BW_SASS_KINDS; k++)
		sum += kernel->sass[k];
	return sum;
}

/* Reads the counts. Missing counts are 0. */
static bool read_counts(const struct bw_json_at *at, struct bw_counts *counts, struct bw_error *error)
{
	struct bw_json_at member;
	int64_t value;
	*counts = (struct bw_counts){0};
#define X(field, metric, text) \
	value = 0; \
	if (bw_json_has(at, metric, &member) && !bw_json_int(&member, 0, INT64_MAX, &value, error)) \
		return false; \
	counts->field = (uint64_t)value;
	BW_COUNT_TABLE(X)
#undef X
	return true;
}

static bool read_three(const struct bw_json_at *at, const char *key, int64_t three[3], struct bw_error *error)
{
	struct bw_json_at list;
	size_t n;
	if (!bw_json_get_list(at, key, &list, &n, error))
		return false;
	if (n != 3)
		return bw_json_fail(&list, error, "expected three numbers");
	for (size_t d = 0; d < 3; d++) {
		struct bw_json_at number = bw_json_element(&list, d);
		if (!bw_json_int(&number, 1, INT64_MAX, &three[d], error))
			return false;
	}
	return true;
}

static bool read_part(const struct bw_json_at *at, struct bw_counted_part *part, struct bw_error *error)
{
	struct bw_json_at line_at, length_at;
	const char *name;
	int64_t number, barriers, line = 0, length = 0;
	if (!bw_json_get_string(at, "func", &name, error) ||
	    !bw_json_get_int(at, "stage", 0, INT32_MAX, &number, error) ||
	    !bw_json_get_int(at, "interval", 0, INT32_MAX, &barriers, error) ||
	    (bw_json_has(at, "line", &line_at) && !bw_json_int(&line_at, 1, INT32_MAX, &line, error)) ||
	    (bw_json_has(at, "length", &length_at) && !bw_json_int(&length_at, 0, INT32_MAX, &length, error)))
		return false;
	*part = (struct bw_counted_part){
	    .stage = (int)number, .interval = (int)barriers, .line = (int)line, .length = (int)length};
	snprintf(part->func, sizeof part->func, "%s", name);
	return read_counts(at, &part->counts, error);
}

/* Returns the kernel of this name. Adds it if it is new. */
static struct bw_counted_kernel *kernel_of(struct bw_counted *counted, const char *name, int *room)
{
	for (int k = 0; k < counted->n; k++)
		if (!strncmp(counted->kernels[k].name, name, sizeof counted->kernels[k].name - 1))
			return &counted->kernels[k];
	BW_GROW(counted->kernels, counted->n, *room);
	struct bw_counted_kernel *kernel = &counted->kernels[counted->n++];
	*kernel = (struct bw_counted_kernel){0};
	snprintf(kernel->name, sizeof kernel->name, "%s", name);
	return kernel;
}

/* Adds the counts of a launch's part to the kernel's part at the same lines. */
static void add_part(struct bw_counted_kernel *kernel, const struct bw_counted_part *part)
{
	for (int k = 0; k < kernel->n_parts; k++) {
		struct bw_counted_part *other = &kernel->parts[k];
		if (other->line != part->line || other->stage != part->stage || other->interval != part->interval ||
		    strcmp(other->func, part->func))
			continue;
		bw_counts_join(&other->counts, &part->counts);
		return;
	}
	struct bw_counted_part *parts = realloc(kernel->parts, ((size_t)kernel->n_parts + 1) * sizeof *parts);
	if (!parts)
		return;
	kernel->parts = parts;
	parts[kernel->n_parts++] = *part;
}

static bool read_launch(struct bw_counted *counted, const struct bw_json_at *at, int *room,
			struct bw_error *error)
{
	struct bw_json_at parts, sampled, rounded;
	const char *name, *words;
	size_t n;
	struct bw_counts counts;
	if (!bw_json_get_string(at, "kernel", &name, error))
		return false;
	struct bw_counted_kernel *kernel = kernel_of(counted, name, room);
	if (!read_three(at, "grid", kernel->grid, error) || !read_three(at, "block", kernel->block, error) ||
	    !bw_json_get_int(at, "shared_bytes", 0, INT64_MAX, &kernel->shared_bytes, error) ||
	    !read_counts(at, &counts, error) || !bw_json_get_list(at, "parts", &parts, &n, error))
		return false;
	if (bw_json_has(at, "sampled_blocks", &sampled) &&
	    !bw_json_int(&sampled, 1, INT64_MAX, &kernel->sampled, error))
		return false;
	if (bw_json_has(at, "rounded_differently", &rounded)) {
		int64_t elements;
		if (!bw_json_int(&rounded, 1, INT64_MAX / 2, &elements, error) ||
		    !bw_json_get_string(at, "first_rounded", &words, error))
			return false;
		if (!kernel->n_rounded)
			snprintf(kernel->rounded, sizeof kernel->rounded, "%s", words);
		kernel->n_rounded = bw_min(kernel->n_rounded, INT64_MAX / 2) + elements;
	}
	kernel->launches++;
	bw_counts_join(&kernel->counts, &counts);
	for (size_t k = 0; k < n; k++) {
		struct bw_json_at element = bw_json_element(&parts, k);
		struct bw_counted_part part;
		if (!read_part(&element, &part, error))
			return false;
		add_part(kernel, &part);
	}
	return true;
}

struct bw_counted *bw_counted_read(const struct bw_json_at *list, struct bw_error *error)
{
	size_t n;
	int room = 0;
	if (!bw_json_length(list, &n, error))
		return NULL;
	struct bw_counted *counted = BW_NEW(struct bw_counted);
	for (size_t k = 0; k < n; k++) {
		struct bw_json_at launch = bw_json_element(list, k);
		if (!read_launch(counted, &launch, &room, error)) {
			bw_counted_free(counted);
			return NULL;
		}
	}
	return counted;
}

void bw_counted_free(struct bw_counted *counted)
{
	for (int k = 0; counted && k < counted->n; k++)
		free(counted->kernels[k].parts);
	if (!counted)
		return;
	bw_sass_free(counted->sass);
	free(counted->kernels);
	free(counted->ptx);
	free(counted->cubin);
	free(counted->statement);
	free(counted);
}
