/* Reading descriptions: six made by hand, in tests/descriptions, with what is in them written down again here: boxes for given loops,
 * worked out by hand, loops, Jacobians, operations, types, consumers; what the hashes depend on; what follows from the pipeline. */
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "base/file.h"
#include "pipeline/pipeline.h"

enum { LIMIT = 1 << 20, N_FILES = 6 };
static const char *const names[N_FILES] = {"chain", "resample", "histogram", "total", "five", "outputs"};

struct files {
	struct bw_pipeline *pipelines[N_FILES];
};

static void path_of(const char *name, struct bw_text *path)
{
	bw_text_printf(path, "%s/tests/descriptions/%s.json", getenv("BW_SRC"), name);
}

static int set_up(void **state)
{
	static struct files files;
	for (int i = 0; i < N_FILES; i++) {
		struct bw_text path = {0};
		struct bw_error error = {0};
		path_of(names[i], &path);
		files.pipelines[i] = bw_pipeline_read(bw_text_get(&path), &error);
		if (!files.pipelines[i])
			fail_msg("%s", error.text);
		bw_text_free(&path);
	}
	*state = &files;
	return 0;
}

static int tear_down(void **state)
{
	struct files *files = *state;
	for (int i = 0; i < N_FILES; i++)
		bw_pipeline_free(files->pipelines[i]);
	bw_pipeline_free(NULL);
	return 0;
}

static const struct bw_pipeline *pipeline_of(void **state, const char *name)
{
	struct files *files = *state;
	for (int i = 0; i < N_FILES; i++)
		if (!strcmp(names[i], name))
			return files->pipelines[i];
	fail_msg("no file %s", name);
	return NULL;
}

static const struct bw_func *func_of(void **state, const char *pipeline, const char *name)
{
	const struct bw_pipeline *p = pipeline_of(state, pipeline);
	int func = bw_pipeline_find(p, name);
	assert_in_range(func, 0, p->n_funcs - 1);
	assert_string_equal(p->funcs[func].name, name);
	return &p->funcs[func];
}

static void put_bound(const struct bw_bound *bound, const struct bw_interval *intervals, struct bw_text *out)
{
	int64_t min, max;
	bool has_min = bw_expr_eval(bound->min, intervals, &min), has_max = bw_expr_eval(bound->max, intervals, &max);
	bw_text_puts(out, out->length ? " " : "");
	bw_text_printf(out, has_min ? "%lld.." : "?..", (long long)min);
	bw_text_printf(out, has_max ? "%lld" : "?", (long long)max);
}

static void put_bounds(const struct bw_bound *bounds, int n, const struct bw_interval *intervals, struct bw_text *out)
{
	for (int i = 0; i < n; i++)
		put_bound(&bounds[i], intervals, out);
}

static const struct box_case {
	const char *pipeline, *func;
	int stage;
	const char *producer;
	struct bw_interval loops[5];
	const char *box;
} boxes[] = {
	{"chain", "a", 0, "input", {{0, 9}, {0, 4}}, "-1..10 0..4"},
	{"chain", "b", 0, "a", {{0, 9}, {0, 4}}, "0..9 -1..5"},
	{"chain", "c", 0, "a", {{-3, -3}, {31, 31}}, "-4..-2 31..31"},
	{"chain", "c", 0, "b", {{-3, 5}, {31, 32}}, "-3..5 31..32"},
	{"resample", "down", 0, "input", {{-3, 4}}, "-6..9"},
	/* (3 - 1) / 2 and (8 + 1) / 2; (-4 - 1) / 2 is -3, clamped to 0. */
	{"resample", "up", 0, "down", {{3, 8}}, "1..4"},
	{"resample", "up", 0, "down", {{-4, 2}}, "0..1"},
	{"resample", "up", 0, "down", {{-5, 194}}, "0..49"},
	{"histogram", "repeat_edge", 0, "image", {{-10, 700}, {5, 6}}, "0..639 5..6"},
	{"histogram", "repeat_edge", 0, "image", {{-9, -8}, {500, 501}}, "0..0 479..479"},
	{"histogram", "hist", 1, "repeat_edge", {{-1, 640}, {7, 9}}, "-1..640 7..9"},
	{"histogram", "hist", 1, "hist", {{-1, 640}, {7, 9}}, "0..255"},
	{"histogram", "lut", 0, "hist", {{1, 2}, {3, 4}}, "0..255"},
	{"total", "sum", 1, "line", {{4, 5}}, "4..5"},
	{"total", "sum", 1, "sum", {{4, 5}}, ""},
	{"total", "out", 0, "sum", {{0, 9}}, ""},
	/* The estimate of radius is 3. */
	{"total", "out", 0, "line", {{0, 9}}, "-3..12"},
	/* Over e, d, c, b, a. c - d is from 0 - 2 to 3 + 1; -1 % -3 is 2, since -1 = 1 * -3 + 2; 7 - e is from 6. */
	{"five", "best", 0, "argmax", {{0, 1}, {-1, 2}, {0, 3}, {0, 4}, {0, 5}}, "0..5 0..4 -2..4 2..2 6..7"},
	{"outputs", "first", 0, "what_im", {{3, 4}}, "?..?"},
	{"outputs", "first", 0, "where", {{3, 4}}, "3..4"},
	{"outputs", "second", 0, "what_im", {{3, 4}}, "0..7"},
};

static void boxes_of_reads(void **state)
{
	for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
		const struct box_case *c = &boxes[i];
		const struct bw_pipeline *pipeline = pipeline_of(state, c->pipeline);
		const struct bw_func *func = func_of(state, c->pipeline, c->func);
		assert_in_range(c->stage, 0, func->n_stages - 1);
		int producer = bw_pipeline_find(pipeline, c->producer);
		const struct bw_read *read = bw_stage_read_of(&func->stages[c->stage], producer);
		assert_non_null(read);
		assert_int_equal(read->producer, producer);
		assert_int_equal(read->bounded, !strchr(c->box, '?'));
		struct bw_text found = {0};
		put_bounds(read->box, pipeline->funcs[producer].n_dims, c->loops, &found);
		assert_string_equal(bw_text_get(&found), c->box);
		bw_text_free(&found);
	}
}

/* The loops of each stage of a Func for a computed box, and the box that is computed for a required one. */
static void loops_and_computed_boxes(void **state)
{
	const struct bw_interval required[] = {{10, 20}}, wide[] = {{-5, 300}};
	struct bw_text text = {0};
	const struct bw_func *hist = func_of(state, "histogram", "hist");
	put_bounds(hist->computed, 1, required, &text);
	put_bounds(hist->computed, 1, wide, &text);
	assert_string_equal(bw_text_get(&text), "0..255 -5..300");
	bw_text_clear(&text);
	put_bound(&hist->stages[0].loops[0].bound, wide, &text);
	put_bound(&hist->stages[1].loops[0].bound, wide, &text);
	put_bound(&hist->stages[1].loops[1].bound, wide, &text);
	assert_string_equal(bw_text_get(&text), "-5..300 -1..640 0..479");
	bw_text_clear(&text);
	/* What is left out equals what is required. */
	const struct bw_interval five[] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}};
	put_bounds(func_of(state, "five", "argmax")->computed, 5, five, &text);
	assert_string_equal(bw_text_get(&text), "1..2 3..4 5..6 7..8 9..10");
	bw_text_free(&text);
}

static void stages_and_loops(void **state)
{
	const struct bw_func *hist = func_of(state, "histogram", "hist"), *sum = func_of(state, "total", "sum");
	assert_int_equal(hist->n_stages, 2);
	const struct bw_stage *pure = &hist->stages[0], *update = &hist->stages[1];
	assert_int_equal(pure->index, 0);
	assert_int_equal(update->index, 1);
	assert_int_equal(update->func, bw_pipeline_find(pipeline_of(state, "histogram"), "hist"));
	assert_false(pure->predicated);
	assert_true(update->predicated);
	assert_int_equal(pure->n_reads, 0);
	assert_true(pure->loops[0].pure && pure->loops[0].parallel);
	assert_int_equal(pure->loops[0].dim, 0);
	assert_false(update->loops[0].pure || update->loops[0].parallel || update->loops[1].parallel);
	assert_int_equal(update->loops[1].dim, -1);
	assert_int_equal(bw_stage_find_loop(update, "r$y"), 1);
	assert_int_equal(bw_stage_find_loop(update, "i"), -1);
	assert_null(bw_stage_read_of(update, bw_pipeline_find(pipeline_of(state, "histogram"), "image")));
	assert_int_equal(sum->n_dims, 0);
	assert_int_equal(sum->stages[0].n_loops, 0);
	assert_true(sum->stages[1].loops[0].parallel);
	assert_false(sum->stages[1].loops[0].pure);
	assert_int_equal(bw_pipeline_find(pipeline_of(state, "total"), "nothing"), -1);
}

static void put_jacobian(const struct bw_jacobian *jacobian, struct bw_text *out)
{
	bw_text_printf(out, "%d:", jacobian->count);
	for (int i = 0; i < jacobian->n_dims * jacobian->n_loops; i++) {
		const struct bw_ratio *entry = &jacobian->entries[i];
		bw_text_puts(out, i % jacobian->n_loops ? " " : " | ");
		if (entry->den == 0)
			bw_text_puts(out, "?");
		else
			bw_text_printf(out, entry->den == 1 ? "%lld" : "%lld/%lld", (long long)entry->num, (long long)entry->den);
	}
}

static void jacobians(void **state)
{
	static const struct {
		const char *pipeline, *func;
		int stage, read, load; /* read -1: the store */
		const char *text;
	} cases[] = {
		{"chain", "a", 0, 0, 0, "3: | 1 0 | 0 1"},
		{"chain", "a", 0, -1, 0, "1: | 1 0 | 0 1"},
		{"resample", "down", 0, 0, 0, "2: | 2"},
		{"resample", "up", 0, 0, 0, "2: | 1/2"},
		{"histogram", "hist", 1, -1, 0, "1: | ? ?"},
		{"histogram", "repeat_edge", 0, 0, 0, "1: | ? 0 | 0 ?"},
		{"total", "sum", 0, -1, 0, "1:"},
		{"total", "sum", 1, 1, 0, "1:"},
		{"five", "best", 0, 0, 0, "1: | 0 0 0 0 1 | 0 0 0 1 0 | 0 -1 1 0 0 | 0 ? 0 0 0 | -1 0 0 0 0"},
		{"five", "best", 0, 0, 1, "2: | 0 0 0 0 1 | 0 0 0 1 0 | 0 -1 1 0 0 | 0 0 0 0 0 | -1 0 0 0 0"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct bw_stage *stage = &func_of(state, cases[i].pipeline, cases[i].func)->stages[cases[i].stage];
		struct bw_text text = {0};
		put_jacobian(cases[i].read < 0 ? &stage->store : &stage->reads[cases[i].read].loads[cases[i].load], &text);
		assert_string_equal(bw_text_get(&text), cases[i].text);
		bw_text_free(&text);
	}
	assert_int_equal(func_of(state, "outputs", "second")->stages[0].reads[0].n_loads, 0);
	assert_int_equal(func_of(state, "five", "best")->stages[0].reads[0].n_loads, 2);
}

static void operations_and_types(void **state)
{
	const struct bw_stage *a = &func_of(state, "chain", "a")->stages[0];
	int sum = 0;
	for (int o = 0; o < BW_N_OPERATIONS; o++)
		for (int t = 0; t < BW_N_TYPES; t++)
			sum += a->ops[o][t];
	assert_int_equal(sum, 18);
	assert_int_equal(a->ops[BW_OPERATION_ADD][BW_TYPE_INT16], 2);
	assert_int_equal(a->ops[BW_OPERATION_ADD][BW_TYPE_INT32], 2);
	assert_int_equal(a->ops[BW_OPERATION_IMAGE_CALL][BW_TYPE_INT8], 3);
	assert_int_equal(a->ops[BW_OPERATION_VARIABLE][BW_TYPE_INT32], 6);
	const struct bw_func *argmax = func_of(state, "five", "argmax");
	assert_int_equal(argmax->n_values, 3);
	assert_int_equal(argmax->bytes, 4 + 2 + 1);
	assert_int_equal(argmax->types[0], BW_TYPE_INT32);
	assert_int_equal(argmax->types[2], BW_TYPE_BOOL);
	assert_int_equal(func_of(state, "five", "best")->bytes, 8);
	assert_int_equal(func_of(state, "chain", "b")->types[0], BW_TYPE_INT16);
	assert_string_equal(bw_type_name(BW_TYPE_FLOAT64), "float64");
	assert_int_equal(bw_type_bytes(BW_TYPE_FLOAT64), 8);
	assert_string_equal(bw_operation_name(BW_OPERATION_LET), "let");
}

static void inputs_outputs_and_parameters(void **state)
{
	const struct bw_func *input = func_of(state, "chain", "input"), *c = func_of(state, "chain", "c"), *wrapper = func_of(state, "outputs", "what_im");
	assert_true(input->input && !input->output);
	assert_int_equal(input->handle, -1);
	assert_int_equal(input->definition, 0);
	assert_int_equal(input->estimate[0].min, -2);
	assert_int_equal(input->estimate[0].max, 65);
	assert_int_equal(input->estimate[1].max, 32);
	assert_true(c->output && !c->input && !c->wrapper && !c->boundary);
	assert_int_equal(c->estimate[1].max, 31);
	assert_null(func_of(state, "chain", "b")->estimate);
	assert_int_equal(func_of(state, "resample", "down")->definition, 0x0123456789abcdef);
	assert_true(wrapper->wrapper);
	assert_int_equal(wrapper->handle, 3);
	assert_true(func_of(state, "histogram", "repeat_edge")->boundary);
	assert_true(func_of(state, "outputs", "first")->output && func_of(state, "outputs", "second")->output);
	assert_int_equal(func_of(state, "five", "best")->estimate[4].max, 5);

	const struct bw_pipeline *total = pipeline_of(state, "total");
	assert_string_equal(total->name, "total");
	assert_string_equal(total->halide, "14.0.0");
	assert_int_equal(total->n_params, 3);
	assert_string_equal(total->params[0].name, "gain");
	assert_string_equal(total->params[0].type, "float32");
	assert_true(total->params[0].estimate == 0.5);
	assert_true(total->params[1].estimate == 3);
	assert_int_equal(pipeline_of(state, "chain")->n_params, 0);
}

/* Who reads each Func, and the numbers of its stages. */
static void consumers_and_numbers(void **state)
{
	static const struct {
		const char *pipeline, *text;
	} cases[] = {
		{"chain", "input 0+0: a.0; a 0+1: b.0 c.0; b 1+1: c.0; c 2+1:; 3"},
		{"histogram", "image 0+0: repeat_edge.0 lut.0; repeat_edge 0+1: hist.1; hist 1+2: lut.0; lut 3+1:; 4"},
		{"total", "line 0+0: sum.1 out.0; sum 0+2: out.0; out 2+1:; 3"},
		{"five", "argmax 0+1: best.0; best 1+1:; 2"},
		{"outputs", "where 0+0: first.0; what 0+0: what_im.0; what_im 0+1: first.0 second.0; first 1+1: second.0; second 2+1:; 3"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct bw_pipeline *pipeline = pipeline_of(state, cases[i].pipeline);
		struct bw_text text = {0};
		for (int f = 0; f < pipeline->n_funcs; f++) {
			const struct bw_func *func = &pipeline->funcs[f];
			bw_text_printf(&text, "%s %d+%d:", func->name, func->first_stage, func->n_stages);
			for (int c = 0; c < func->n_consumers; c++)
				bw_text_printf(&text, " %s.%d", pipeline->funcs[func->consumers[c]->func].name, func->consumers[c]->index);
			bw_text_puts(&text, "; ");
		}
		bw_text_printf(&text, "%d", pipeline->n_stages);
		assert_string_equal(bw_text_get(&text), cases[i].text);
		bw_text_free(&text);
	}
}

static void what_is_read_point_by_point(void **state)
{
	static const struct {
		const char *pipeline, *func;
		bool pointwise;
	} cases[] = {
		{"chain", "input", false}, /* no stage */
		{"chain", "a", false},     /* three loads */
		{"chain", "b", true},
		{"chain", "c", true}, /* nobody reads it */
		{"resample", "down", false}, /* half a step */
		{"histogram", "hist", false},
		{"total", "sum", false},
		{"five", "argmax", false},
		{"outputs", "what_im", false},
		{"outputs", "first", true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct bw_pipeline *pipeline = pipeline_of(state, cases[i].pipeline);
		assert_int_equal(bw_func_pointwise(pipeline, bw_pipeline_find(pipeline, cases[i].func)), cases[i].pointwise);
	}
}

/* Reads a file of tests/descriptions with `from` replaced by `to`. */
static struct bw_pipeline *read_changed(const char *name, const char *from, const char *to)
{
	struct bw_text path = {0}, text = {0}, changed = {0};
	struct bw_error error = {0};
	path_of(name, &path);
	if (!bw_file_read(bw_text_get(&path), LIMIT, &text, &error))
		fail_msg("%s", error.text);
	const char *at = strstr(bw_text_get(&text), from);
	if (!at)
		fail_msg("no %s in %s", from, name);
	bw_text_append(&changed, text.bytes, (size_t)(at - text.bytes));
	bw_text_puts(&changed, to);
	bw_text_puts(&changed, at + strlen(from));
	struct bw_pipeline *pipeline = bw_pipeline_parse(name, bw_text_get(&changed), changed.length, &error);
	if (!pipeline)
		fail_msg("%s", error.text);
	bw_text_free(&path);
	bw_text_free(&text);
	bw_text_free(&changed);
	return pipeline;
}

static void what_hashes_depend_on(void **state)
{
	static const struct {
		const char *pipeline, *from, *to;
		bool algorithm, content; /* whether it is another */
	} cases[] = {
		{"chain", "\"name\":\"chain\"", "\"name\" : \"chain\"", false, false},
		{"chain", "\"name\":\"chain\",\"halide\":\"14.0.0\"", "\"halide\":\"14.0.0\",\"name\":\"chain\"", false, false},
		{"chain", "[[-2,68],[-1,34]]", "[[-2,68],[-1,35]]", false, true},
		{"chain", "[[0,64],[0,32]]", "[[0,64],[1,32]]", false, true},
		{"chain", "\"14.0.0\"", "\"15.0.1\"", false, true},
		{"total", "\"estimate\":3", "\"estimate\":4", false, true},
		{"total", "\"name\":\"total\"", "\"name\":\"sums\"", true, true},
		{"chain", "00000000000000a1", "00000000000000a2", true, true},
		{"chain", "\"types\":[\"uint8\"],\"dims\":[\"_0\",\"_1\"]", "\"types\":[\"uint16\"],\"dims\":[\"_0\",\"_1\"]", true, true},
		{"five", "\"types\":[\"int32\",\"float16\",\"bool\"]", "\"types\":[\"int32\",\"bool\"]", true, true},
		{"outputs", "\"types\":[\"uint16\"],\"dims\":[\"x\"],\"output\":true,\"estimate\":[[0,16]]", "\"types\":[\"uint16\"],\"dims\":[\"x\"]", true, true},
		{"total", "\"sum\",\"handle\":0", "\"sum\",\"handle\":7", false, true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct bw_pipeline *pipeline = pipeline_of(state, cases[i].pipeline);
		struct bw_pipeline *changed = read_changed(cases[i].pipeline, cases[i].from, cases[i].to);
		if ((changed->algorithm != pipeline->algorithm) != cases[i].algorithm)
			fail_msg("case %zu: algorithm", i);
		if ((changed->content != pipeline->content) != cases[i].content)
			fail_msg("case %zu: content", i);
		bw_pipeline_free(changed);
	}
}

/* A bound takes a parameter by its estimate. */
static void estimates_of_parameters_move_bounds(void **state)
{
	struct bw_pipeline *changed = read_changed("total", "\"estimate\":3", "\"estimate\":-40.0");
	const struct bw_interval loops[] = {{0, 9}};
	struct bw_text box = {0};
	put_bounds(changed->funcs[2].stages[0].reads[0].box, 1, loops, &box);
	assert_string_equal(bw_text_get(&box), "40..-31");
	bw_text_free(&box);
	bw_pipeline_free(changed);
}

static void bundled_descriptions(void **state)
{
	static const struct {
		const char *name;
		int funcs, stages;
	} cases[] = {{"blur", 4, 3}, {"harris", 14, 13}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_text path = {0};
		struct bw_error error = {0};
		bw_text_printf(&path, "%s/data/descriptions/%s.json", getenv("BW_SRC"), cases[i].name);
		struct bw_pipeline *pipeline = bw_pipeline_read(bw_text_get(&path), &error);
		if (!pipeline)
			fail_msg("%s", error.text);
		assert_string_equal(pipeline->name, cases[i].name);
		assert_int_equal(pipeline->n_funcs, cases[i].funcs);
		assert_int_equal(pipeline->n_stages, cases[i].stages);
		assert_true(pipeline->funcs[pipeline->n_funcs - 1].output);
		bw_pipeline_free(pipeline);
		bw_text_free(&path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes_of_reads),
		cmocka_unit_test(loops_and_computed_boxes),
		cmocka_unit_test(stages_and_loops),
		cmocka_unit_test(jacobians),
		cmocka_unit_test(operations_and_types),
		cmocka_unit_test(inputs_outputs_and_parameters),
		cmocka_unit_test(consumers_and_numbers),
		cmocka_unit_test(what_is_read_point_by_point),
		cmocka_unit_test(what_hashes_depend_on),
		cmocka_unit_test(estimates_of_parameters_move_bounds),
		cmocka_unit_test(bundled_descriptions),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
