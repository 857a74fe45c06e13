/* Fuzzes reading descriptions. Whatever is accepted holds what pipeline.h promises, so that nobody behind the reader has to look: each
 * Func after all that it reads, as many entries as is said, consumers as the reads have them. Its expressions have a value that agrees
 * with their affine form, or none, and can be printed; written anew it is the same pipeline. */
#include <string.h>

#include <jansson.h>

#include "base/text.h"
#include "pipeline/pipeline.h"
#include "target.h"

/* How many intervals expressions are over. */
struct variables {
	int n;
};

/* The form's value, where 128 bits do not overflow, against the expression's. */
static void check_affine(const struct bw_affine *form, const struct bw_interval *intervals, bool has_value, int64_t value)
{
	expect(form->divisor > 0, "a divisor is positive");
	__int128 bound = form->variable < 0 ? 0 : form->of_max ? intervals[form->variable].max : intervals[form->variable].min;
	__int128 sum = bound * form->multiplier + form->offset;
	__int128 quotient = sum / form->divisor - (sum % form->divisor < 0);
	expect(has_value == (quotient >= INT64_MIN && quotient <= INT64_MAX), "an affine expression has a value where it is one of 64 bits");
	expect(!has_value || value == quotient, "an affine expression has the value of its form");
}

static void check_expr(const struct variables *variables, const struct bw_expr *expr)
{
	static const struct bw_interval patterns[] = {{0, 0}, {-7, 12}, {INT32_MIN, INT32_MAX}, {INT64_MIN, INT64_MAX}, {3, 2}};
	for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
		struct bw_interval intervals[BW_MAX_LOOPS];
		struct bw_affine form;
		int64_t value = 0;
		for (int i = 0; i < variables->n; i++)
			intervals[i] = patterns[(p + (size_t)i) % (sizeof patterns / sizeof *patterns)];
		bool has_value = bw_expr_eval(expr, intervals, &value);
		expect(!has_value || !bw_expr_unbounded(expr), "what is unbounded has no value");
		if (bw_expr_affine(expr, &form)) {
			expect(form.variable < variables->n, "an affine form is over a variable");
			check_affine(&form, intervals, has_value, value);
		}
	}
}

static void check_bounds(const struct variables *variables, const struct bw_bound *bounds, int n)
{
	for (int i = 0; i < n; i++) {
		check_expr(variables, bounds[i].min);
		check_expr(variables, bounds[i].max);
	}
}

static void check_jacobian(const struct bw_jacobian *jacobian, int n_dims, int n_loops)
{
	expect(jacobian->n_dims == n_dims && jacobian->n_loops == n_loops && jacobian->count >= 1, "a Jacobian has a row for each dimension and a column for each loop");
	for (int i = 0; i < n_dims * n_loops; i++)
		expect(jacobian->entries[i].den >= 0, "a denominator is not negative");
}

static void check_read(const struct bw_pipeline *pipeline, const struct bw_stage *stage, const struct bw_read *read, const struct variables *loops)
{
	expect(read->producer >= 0 && (read->producer < stage->func || (read->producer == stage->func && stage->index > 0)), "a Func stands after all that it reads");
	expect(bw_stage_read_of(stage, read->producer) == read, "each Func is read once");
	const struct bw_func *producer = &pipeline->funcs[read->producer];
	check_bounds(loops, read->box, producer->n_dims);
	for (int i = 0; i < read->n_loads; i++)
		check_jacobian(&read->loads[i], producer->n_dims, stage->n_loops);
	bool listed = read->producer == stage->func;
	for (int c = 0; c < producer->n_consumers; c++)
		listed = listed || producer->consumers[c] == stage;
	expect(listed, "who reads a Func is among its consumers");
}

static void check_stage(const struct bw_pipeline *pipeline, const struct bw_func *func, const struct bw_stage *stage, const struct variables *dims)
{
	struct variables loops = {.n = stage->n_loops};
	expect(&pipeline->funcs[stage->func] == func && &func->stages[stage->index] == stage, "a stage knows its place");
	expect(stage->n_loops <= BW_MAX_LOOPS && (stage->index > 0 || stage->n_loops == func->n_dims), "loops are as many as may be");
	for (int l = 0; l < stage->n_loops; l++) {
		const struct bw_stage_loop *loop = &stage->loops[l];
		expect(loop->pure == (loop->dim >= 0) && (!loop->pure || !strcmp(func->dims[loop->dim], loop->name)), "a pure loop walks the dimension of its name");
		expect(bw_stage_find_loop(stage, loop->name) == l, "loops have different names");
		check_bounds(dims, &loop->bound, 1);
	}
	check_jacobian(&stage->store, func->n_dims, stage->n_loops);
	for (int r = 0; r < stage->n_reads; r++)
		check_read(pipeline, stage, &stage->reads[r], &loops);
}

static void check_func(const struct bw_pipeline *pipeline, int f)
{
	const struct bw_func *func = &pipeline->funcs[f];
	struct variables dims = {.n = func->n_dims};
	expect(bw_pipeline_find(pipeline, func->name) == f, "Funcs have different names");
	expect(func->n_dims <= BW_MAX_DIMS && func->n_values >= 1 && func->bytes >= 1, "a point has a size");
	expect((func->estimate != NULL || !func->n_dims) >= (func->input || func->output), "inputs and outputs have estimates");
	expect(func->input ? !func->n_stages && func->handle < 0 : func->n_stages >= 1 && func->handle >= 0, "Funcs have stages, inputs have none");
	if (!func->input)
		check_bounds(&dims, func->computed, func->n_dims);
	for (int s = 0; s < func->n_stages; s++)
		check_stage(pipeline, func, &func->stages[s], &dims);
	for (int c = 0; c < func->n_consumers; c++)
		expect(bw_stage_read_of(func->consumers[c], f) && func->consumers[c]->func > f, "a consumer reads");
	bw_func_pointwise(pipeline, f);
}

/* With other white space and keys in another order. */
static void check_again(const struct bw_pipeline *pipeline, const char *bytes, size_t length)
{
	struct bw_error error = {0};
	json_t *root = json_loadb(bytes, length, 0, NULL);
	expect(root != NULL, "what was read is JSON");
	char *text = json_dumps(root, JSON_INDENT(1) | JSON_SORT_KEYS);
	expect(text != NULL, "what was read can be written");
	struct bw_pipeline *again = bw_pipeline_parse("again", text, strlen(text), &error);
	expect(again != NULL, error.text);
	expect(again->algorithm == pipeline->algorithm && again->content == pipeline->content, "white space and the order of keys mean nothing");
	bw_pipeline_free(again);
	free(text);
	json_decref(root);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct bw_error error = {0};
	struct bw_pipeline *pipeline = bw_pipeline_parse("fuzz", (const char *)bytes, length, &error);
	if (!pipeline) {
		expect(error.kind == BW_ERROR_INPUT && !strncmp(error.text, "fuzz:", 5), "errors begin with the file");
		return 0;
	}
	int n_stages = 0;
	bool output = false;
	for (int f = 0; f < pipeline->n_funcs; f++) {
		expect(pipeline->funcs[f].first_stage == n_stages, "stages are numbered in order");
		n_stages += pipeline->funcs[f].n_stages;
		output = output || pipeline->funcs[f].output;
		check_func(pipeline, f);
	}
	expect(n_stages == pipeline->n_stages && output, "there is an output, and all stages are counted");
	check_again(pipeline, (const char *)bytes, length);
	bw_pipeline_free(pipeline);
	return 0;
}
