/* Lists of directives: printed in one form, read back as the same; each thing that a list may not say is an error with file, line
 * and key. */
#include <string.h>

#include "../core/test.h"
#include "base/json.h"
#include "schedule/directive.h"

static struct bw_directives *read_list(const char *text, struct bw_error *error)
{
	struct bw_json *json = bw_json_parse("list.json", text, strlen(text), error);
	if (!json)
		return NULL;
	struct bw_json_at root = bw_json_root(json);
	struct bw_directives *list = bw_directives_read(&root, error);
	bw_json_free(json);
	return list;
}

/* One of each operation. */
static const char every[] =
	"[\n"
	"{\"op\":\"in\",\"func\":3,\"at_func\":5,\"also\":[4,6],\"result\":7},\n"
	"{\"op\":\"clone_in\",\"func\":7,\"at_func\":5,\"result\":8},\n"
	"{\"op\":\"rfactor\",\"func\":4,\"stage\":1,\"vars\":[\"r$x\",\"u\",\"r$y\",\"v\"],\"result\":9},\n"
	"{\"op\":\"compute_root\",\"func\":5},\n"
	"{\"op\":\"store_root\",\"func\":9},\n"
	"{\"op\":\"compute_at\",\"func\":3,\"at_func\":5,\"at_stage\":2,\"vars\":[\"x_o\"]},\n"
	"{\"op\":\"store_at\",\"func\":3,\"at_func\":5,\"at_stage\":0,\"vars\":[\"y \\\"\\\\\\u000a\"]},\n"
	"{\"op\":\"store_in\",\"func\":3,\"memory\":\"shared\"},\n"
	"{\"op\":\"reorder_storage\",\"func\":3,\"vars\":[\"y\",\"x\"]},\n"
	"{\"op\":\"align_storage\",\"func\":3,\"vars\":[\"x\"],\"factor\":32},\n"
	"{\"op\":\"align_bounds\",\"func\":3,\"vars\":[\"x\"],\"factor\":2},\n"
	"{\"op\":\"split\",\"func\":3,\"stage\":0,\"vars\":[\"x\",\"x\",\"x_i\"],\"factor\":32,\"tail\":\"round_up\"},\n"
	"{\"op\":\"fuse\",\"func\":3,\"stage\":0,\"vars\":[\"x\",\"y\",\"x\"]},\n"
	"{\"op\":\"reorder\",\"func\":3,\"stage\":0,\"vars\":[\"x_i\",\"y\",\"x_o\"]},\n"
	"{\"op\":\"gpu_blocks\",\"func\":3,\"stage\":0,\"vars\":[\"x_o\",\"y_o\",\"z\"]},\n"
	"{\"op\":\"gpu_threads\",\"func\":3,\"stage\":0,\"vars\":[\"x_i\"]},\n"
	"{\"op\":\"gpu_lanes\",\"func\":3,\"stage\":0,\"vars\":[\"x\"]},\n"
	"{\"op\":\"gpu_single_thread\",\"func\":3,\"stage\":1},\n"
	"{\"op\":\"atomic\",\"func\":3,\"stage\":1},\n"
	"{\"op\":\"unroll\",\"func\":3,\"stage\":0,\"vars\":[\"x\"]},\n"
	"{\"op\":\"vectorize\",\"func\":3,\"stage\":0,\"vars\":[\"\xc3\xa9\"]},\n"
	"{\"op\":\"serial\",\"func\":3,\"stage\":0,\"vars\":[\"x\"]}\n"
	"]\n";

static void every_operation_is_read_and_printed(void **state)
{
	struct bw_error error = {0};
	struct bw_directives *list = read_list(every, &error);
	if (!list)
		fail_msg("%s", error.text);
	assert_int_equal(list->n, BW_N_DIRECTIVES);
	bool seen[BW_N_DIRECTIVES] = {0};
	for (int i = 0; i < list->n; i++)
		seen[list->list[i].op] = true;
	for (int i = 0; i < BW_N_DIRECTIVES; i++)
		assert_true(seen[i]);
	struct bw_text text = {0};
	bw_directives_print(list, &text);
	assert_string_equal(bw_text_get(&text), every);
	bw_text_free(&text);
	bw_directives_free(list);
}

static void fields_are_where_the_header_says(void **state)
{
	struct bw_error error = {0};
	struct bw_directives *list = read_list(every, &error);
	assert_non_null(list);
	const struct bw_directive *clone = &list->list[1], *factor = &list->list[2], *compute = &list->list[5], *store = &list->list[7], *split = &list->list[11],
				  *align = &list->list[9];
	assert_int_equal(clone->func, 7);
	assert_int_equal(clone->at_func, 5);
	assert_int_equal(clone->at_stage, -1);
	assert_int_equal(clone->result, 8);
	assert_int_equal(factor->stage, 1);
	assert_int_equal(factor->n_vars, 4);
	assert_string_equal(factor->vars[3], "v");
	assert_int_equal(compute->at_stage, 2);
	assert_int_equal(compute->result, -1);
	assert_string_equal(compute->vars[0], "x_o");
	assert_int_equal(store->memory, BW_MEMORY_SHARED);
	assert_int_equal(align->factor, 32);
	assert_int_equal(split->factor, 32);
	assert_int_equal(split->tail, BW_TAIL_ROUND_UP);
	assert_int_equal(split->at_func, -1);
	assert_string_equal(bw_directive_name(BW_DIRECTIVE_GPU_SINGLE_THREAD), "gpu_single_thread");
	bw_directives_free(list);
}

static void an_empty_list_is_a_list(void **state)
{
	struct bw_error error = {0};
	struct bw_directives *list = read_list("[ ]", &error);
	assert_non_null(list);
	struct bw_text text = {0};
	bw_directives_print(list, &text);
	assert_string_equal(bw_text_get(&text), "[]\n");
	bw_text_free(&text);
	bw_directives_free(list);
	bw_directives_free(NULL);
}

static void what_a_list_may_not_say(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"{}", "list.json:1: expected an array, found an object"},
		{"[3]", "list.json:1: [0]: expected an object, found an integer"},
		{"[{}]", "list.json:1: [0]: expected the key \"op\" in this object"},
		{"[{\"op\":\"compute_rot\",\"func\":1}]", "list.json:1: [0].op: no operation \"compute_rot\"; did you mean \"compute_root\"?"},
		{"[{\"op\":\"parallel\",\"func\":1}]", "list.json:1: [0].op: no operation \"parallel\""},
		{"[{\"op\":\"compute_root\"}]", "list.json:1: [0]: expected the key \"func\" in this object"},
		{"[\n{\"op\":\"compute_root\",\"func\":1},\n{\"op\":\"compute_root\",\"func\":-1}]", "list.json:3: [1].func: expected an integer from 0 to 1000000, found -1"},
		{"[{\"op\":\"compute_root\",\"func\":1.5}]", "list.json:1: [0].func: expected an integer, found a number with a fraction"},
		{"[{\"op\":\"compute_root\",\"func\":1,\"stage\":0}]", "list.json:1: [0].stage: unknown key; expected one of: op, func"},
		{"[{\"op\":\"unroll\",\"func\":1,\"stage\":0,\"var\":\"x\"}]", "list.json:1: [0].var: unknown key; did you mean \"vars\"?"},
		{"[{\"op\":\"unroll\",\"func\":1,\"vars\":[\"x\"]}]", "list.json:1: [0]: expected the key \"stage\" in this object"},
		{"[{\"op\":\"unroll\",\"func\":1,\"stage\":1001,\"vars\":[\"x\"]}]", "list.json:1: [0].stage: expected an integer from 0 to 1000, found 1001"},
		{"[{\"op\":\"unroll\",\"func\":1,\"stage\":0,\"vars\":[]}]", "list.json:1: [0].vars: expected 1 loop name, found 0"},
		{"[{\"op\":\"unroll\",\"func\":1,\"stage\":0,\"vars\":[\"\"]}]", "list.json:1: [0].vars[0]: expected the name of a loop"},
		{"[{\"op\":\"unroll\",\"func\":1,\"stage\":0,\"vars\":[7]}]", "list.json:1: [0].vars[0]: expected a string, found an integer"},
		{"[{\"op\":\"unroll\",\"func\":1,\"stage\":0,\"vars\":\"x\"}]", "list.json:1: [0].vars: expected an array, found a string"},
		{"[{\"op\":\"gpu_blocks\",\"func\":1,\"stage\":0,\"vars\":[\"x\",\"y\",\"z\",\"w\"]}]", "list.json:1: [0].vars: expected 1 to 3 loop names, found 4"},
		{"[{\"op\":\"gpu_blocks\",\"func\":1,\"stage\":0,\"vars\":[\"x\",\"y\",\"x\"]}]", "list.json:1: [0].vars[2]: \"x\" stands twice"},
		{"[{\"op\":\"rfactor\",\"func\":1,\"stage\":1,\"vars\":[\"r\",\"u\",\"s\"],\"result\":2}]", "list.json:1: [0].vars: expected 2 to 256 loop names, in pairs, found 3"},
		{"[{\"op\":\"rfactor\",\"func\":1,\"stage\":0,\"vars\":[\"r\",\"u\"],\"result\":2}]", "list.json:1: [0].stage: expected an integer from 1 to 1000, found 0"},
		{"[{\"op\":\"split\",\"func\":1,\"stage\":0,\"vars\":[\"x\",\"i\",\"i\"],\"factor\":4,\"tail\":\"auto\"}]", "list.json:1: [0].vars[2]: \"i\" stands twice"},
		{"[{\"op\":\"fuse\",\"func\":1,\"stage\":0,\"vars\":[\"x\",\"x\",\"f\"]}]", "list.json:1: [0].vars[1]: \"x\" stands twice"},
		{"[{\"op\":\"split\",\"func\":1,\"stage\":0,\"vars\":[\"x\",\"o\",\"i\"],\"factor\":0,\"tail\":\"auto\"}]", "list.json:1: [0].factor: expected an integer from 1 to 2147483647, found 0"},
		{"[{\"op\":\"split\",\"func\":1,\"stage\":0,\"vars\":[\"x\",\"o\",\"i\"],\"factor\":4,\"tail\":\"round\"}]", "list.json:1: [0].tail: no tail \"round\""},
		{"[{\"op\":\"store_in\",\"func\":1,\"memory\":\"GPUShared\"}]", "list.json:1: [0].memory: no memory \"GPUShared\""},
		{"[{\"op\":\"compute_at\",\"func\":1,\"at_func\":2,\"vars\":[\"x\"]}]", "list.json:1: [0]: expected the key \"at_stage\" in this object"},
		/* Consumers of one wrapper: each once, and there. */
		{"[{\"op\":\"in\",\"func\":3,\"at_func\":5,\"also\":[4,5],\"result\":7}]", "list.json:1: [0].also[1]: 5 stands twice"},
		{"[{\"op\":\"in\",\"func\":3,\"at_func\":5,\"also\":[4,4],\"result\":7}]", "list.json:1: [0].also[1]: 4 stands twice"},
		{"[{\"op\":\"in\",\"func\":3,\"at_func\":5,\"also\":[],\"result\":7}]", "list.json:1: [0].also: expected 1 to 256 consumers, found 0"},
		{"[{\"op\":\"in\",\"func\":3,\"at_func\":5,\"also\":[8],\"result\":7}]", "list.json:1: [0].result: expected an integer from 9 to 1000000, found 7"},
		{"[{\"op\":\"clone_in\",\"func\":3,\"at_func\":5,\"also\":[4],\"result\":7}]", "list.json:1: [0].also: unknown key; expected one of: op, func, at_func, result"},
		/* The first result tells how many Funcs there are: more than were named before it; from then on all is known. */
		{"[{\"op\":\"in\",\"func\":3,\"at_func\":5,\"result\":5}]", "list.json:1: [0].result: expected an integer from 6 to 1000000, found 5"},
		{"[{\"op\":\"in\",\"func\":3,\"at_func\":5,\"result\":6},{\"op\":\"in\",\"func\":3,\"at_func\":4,\"result\":8}]", "list.json:1: [1].result: expected an integer from 7 to 7, found 8"},
		{"[{\"op\":\"in\",\"func\":3,\"at_func\":5,\"result\":6},{\"op\":\"compute_root\",\"func\":7}]", "list.json:1: [1].func: expected an integer from 0 to 6, found 7"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_error error = {0};
		assert_null(read_list(cases[i].text, &error));
		assert_int_equal(error.kind, BW_ERROR_INPUT);
		assert_string_equal(error.text, cases[i].error);
		assert_null(read_list(cases[i].text, NULL));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_operation_is_read_and_printed),
		cmocka_unit_test(fields_are_where_the_header_says),
		cmocka_unit_test(an_empty_list_is_a_list),
		cmocka_unit_test(what_a_list_may_not_say),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
