/* Reading JSON: each kind of value, and the file, line and key in each error. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/test.h"
#include "base/json.h"
#include "base/file.h"

static struct bw_json *parse(const char *text)
{
	struct bw_error error = {0};
	struct bw_json *json = bw_json_parse("a.json", text, strlen(text), &error);
	if (!json)
		fail_msg("%s", error.text);
	return json;
}

static void what_is_not_json_is_refused_with_its_line(void **state)
{
	static const struct {
		const char *text;
		size_t length;
		const char *begins;
	} cases[] = {
		{"", 0, "a.json:1: not JSON: "},
		{"{", 1, "a.json:1: not JSON: "},
		{"{\n\"a\": 1,\n}", 12, "a.json:3: not JSON: "},
		{"{\"a\": 1,\n \"a\": 2}", 18, "a.json:2: not JSON: duplicate object key"},
		{"[1] 2", 5, "a.json:1: not JSON: "},
		{"3", 1, "a.json:1: not JSON: "},
		{"[\"\xff\"]", 5, "a.json:1: not JSON: "},
		{"[\"a\0b\"]", 7, "a.json:1: not JSON: "},
		{"[\"a\\u0000b\"]", 12, "a.json:1: not JSON: "},
		{"[9223372036854775808]", 21, "a.json:1: not JSON: "},
		{"[1e999]", 7, "a.json:1: not JSON: "},
		{"[NaN]", 5, "a.json:1: not JSON: "},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_error error = {0};
		assert_null(bw_json_parse("a.json", cases[i].text, cases[i].length, &error));
		assert_int_equal(error.kind, BW_ERROR_INPUT);
		if (strncmp(error.text, cases[i].begins, strlen(cases[i].begins)) != 0)
			fail_msg("case %zu: %s", i, error.text);
	}
}

static void deep_nesting_is_refused_and_no_crash(void **state)
{
	enum { DEEP = 1 << 20 };
	char *text = malloc(DEEP);
	assert_non_null(text);
	memset(text, '[', DEEP);
	struct bw_error error = {0};
	assert_null(bw_json_parse("deep", text, DEEP, &error));
	assert_int_equal(error.kind, BW_ERROR_INPUT);
	free(text);
}

static void values_are_read_by_type(void **state)
{
	struct bw_json *json = parse("{\"s\": \"t\", \"i\": -9223372036854775808, \"r\": 0.5, \"n\": 3, \"y\": true, \"a\": [10, 20]}");
	struct bw_json_at root = bw_json_root(json), at, element;
	const char *string;
	int64_t integer = 0;
	double number;
	bool yes;
	size_t length;
	assert_true(bw_json_get(&root, "s", &at, NULL) && bw_json_string(&at, &string, NULL));
	assert_string_equal(string, "t");
	assert_true(bw_json_get(&root, "i", &at, NULL) && bw_json_int(&at, INT64_MIN, INT64_MAX, &integer, NULL));
	assert_true(integer == INT64_MIN);
	assert_true(bw_json_get(&root, "r", &at, NULL) && bw_json_number(&at, &number, NULL) && number == 0.5);
	assert_true(bw_json_get(&root, "n", &at, NULL) && bw_json_number(&at, &number, NULL) && number == 3);
	assert_true(bw_json_get(&root, "y", &at, NULL) && bw_json_bool(&at, &yes, NULL) && yes);
	assert_true(bw_json_get(&root, "a", &at, NULL) && bw_json_length(&at, &length, NULL) && length == 2);
	element = bw_json_element(&at, 1);
	assert_true(bw_json_int(&element, 20, 20, &integer, NULL) && integer == 20);
	bw_json_free(json);
	bw_json_free(NULL);
}

static void a_missing_member_is_no_error_where_it_may_miss(void **state)
{
	struct bw_json *json = parse("{\"a\": null, \"b\": []}");
	struct bw_json_at root = bw_json_root(json), a, b, none;
	assert_true(bw_json_has(&root, "a", &a));
	assert_true(bw_json_has(&root, "b", &b));
	assert_false(bw_json_has(&root, "c", &none));
	assert_false(bw_json_has(&b, "a", &none));
	bw_json_free(json);
}

/* A document whose lines are known, and the error that each step into it must give. */
static const char harris[] =
	"\n"
	"{\n"
	"  \"name\": \"har\\\"ris]\",\n"
	"  \"funcs\": [\n"
	"    {\"name\": \"Ix\", \"stages\": [{\"loops\":\n"
	"        7}]},\n"
	"    {\"stages\": [], \"a\\u0062\": {\"}\": [{}, \"[\",\n"
	"     -1]}}],\n"
	"  \"two words\": {\"key\": 0.5}, \"empty\": {}\n"
	"}\n";

static struct bw_json_at step(const struct bw_json_at *from, const char *key)
{
	struct bw_json_at to;
	struct bw_error error = {0};
	if (!bw_json_get(from, key, &to, &error))
		fail_msg("%s", error.text);
	return to;
}

static void errors_name_file_line_and_key(void **state)
{
	struct bw_json *json = parse(harris);
	struct bw_json_at root = bw_json_root(json), funcs = step(&root, "funcs"), first = bw_json_element(&funcs, 0), stages = step(&first, "stages"), stage = bw_json_element(&stages, 0), loops = step(&stage, "loops");
	struct bw_json_at second = bw_json_element(&funcs, 1), ab = step(&second, "ab"), brace = step(&ab, "}"), last = bw_json_element(&brace, 2);
	struct bw_json_at words = step(&root, "two words"), key = step(&words, "key"), none;
	static const char *const known[] = {"loops", "storage", NULL};
	struct bw_error error = {0};
	size_t length;
	int64_t integer;
	double number;
	bool yes;
	const char *string;

	assert_false(bw_json_length(&loops, &length, &error));
	assert_string_equal(error.text, "a.json:6: funcs[0].stages[0].loops: expected an array, found an integer");
	assert_int_equal(error.kind, BW_ERROR_INPUT);
	assert_false(bw_json_get(&second, "name", &none, &error));
	assert_string_equal(error.text, "a.json:7: funcs[1]: expected the key \"name\" in this object");
	assert_false(bw_json_get(&funcs, "name", &none, &error));
	assert_string_equal(error.text, "a.json:4: funcs: expected an object, found an array");
	assert_false(bw_json_get(&root, "outputs", &none, &error));
	assert_string_equal(error.text, "a.json:2: expected the key \"outputs\" in this object");
	assert_false(bw_json_int(&last, 0, INT64_MAX, &integer, &error));
	assert_string_equal(error.text, "a.json:8: funcs[1].ab[\"}\"][2]: expected an integer of at least 0, found -1");
	assert_false(bw_json_int(&last, INT64_MIN, -2, &integer, &error));
	assert_string_equal(error.text, "a.json:8: funcs[1].ab[\"}\"][2]: expected an integer of at most -2, found -1");
	assert_false(bw_json_int(&loops, 8, 9, &integer, &error));
	assert_string_equal(error.text, "a.json:6: funcs[0].stages[0].loops: expected an integer from 8 to 9, found 7");
	assert_false(bw_json_int(&key, 0, 1, &integer, &error));
	assert_string_equal(error.text, "a.json:9: [\"two words\"].key: expected an integer, found a number with a fraction");
	assert_false(bw_json_string(&key, &string, &error));
	assert_string_equal(error.text, "a.json:9: [\"two words\"].key: expected a string, found a number with a fraction");
	assert_false(bw_json_number(&words, &number, &error));
	assert_string_equal(error.text, "a.json:9: [\"two words\"]: expected a number, found an object");
	assert_false(bw_json_bool(&words, &yes, &error));
	assert_string_equal(error.text, "a.json:9: [\"two words\"]: expected true or false, found an object");
	assert_false(bw_json_fail(&loops, &error, "%d is too many", 7));
	assert_string_equal(error.text, "a.json:6: funcs[0].stages[0].loops: 7 is too many");
	assert_false(bw_json_only(&funcs, known, &error));
	assert_string_equal(error.text, "a.json:4: funcs: expected an object, found an array");
	assert_false(bw_json_fail(&loops, NULL, "not kept"));
	bw_json_free(json);
}

static void unknown_keys_are_refused_with_a_hint(void **state)
{
	static const char *const known[] = {"name", "stages", "storage", NULL};
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"{\"stages\": 1, \"name\": 2}", NULL},
		{"{}", NULL},
		{"{\"name\": 1,\n\"stage\": 2}", "a.json:2: stage: unknown key; did you mean \"stages\"?"},
		{"{\"stroage\": 2}", "a.json:1: stroage: unknown key; did you mean \"storage\"?"},
		{"{\"nome\": 2}", "a.json:1: nome: unknown key; did you mean \"name\"?"},
		{"{\"loops\": 2}", "a.json:1: loops: unknown key; expected one of: name, stages, storage"},
		{"{\"n\": 2}", "a.json:1: n: unknown key; expected one of: name, stages, storage"},
		{"{\"\": 2}", "a.json:1: [\"\"]: unknown key; expected one of: name, stages, storage"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_json *json = parse(cases[i].text);
		struct bw_json_at root = bw_json_root(json);
		struct bw_error error = {0};
		assert_true(bw_json_only(&root, known, &error) == !cases[i].error);
		if (cases[i].error)
			assert_string_equal(error.text, cases[i].error);
		bw_json_free(json);
	}
}

/* A key of 200 letters and a way of 300 steps leave room for what was expected. */
static void long_keys_and_ways_are_cut(void **state)
{
	struct bw_text text = {0};
	bw_text_puts(&text, "{\"");
	for (int i = 0; i < 100; i++)
		bw_text_puts(&text, "\xc3\xa9");
	bw_text_puts(&text, "\":\n");
	for (int i = 0; i < 300; i++)
		bw_text_puts(&text, "[1,");
	bw_text_puts(&text, "{}");
	for (int i = 0; i < 300; i++)
		bw_text_puts(&text, "]");
	bw_text_puts(&text, "}");
	struct bw_json *json = parse(bw_text_get(&text));
	bw_text_free(&text);

	struct bw_json_at at[302];
	static const char *const none[] = {"x", NULL};
	struct bw_error error = {0};
	at[0] = bw_json_root(json);
	assert_false(bw_json_only(&at[0], none, &error));
	assert_non_null(strstr(error.text, "\xc3\xa9...\"]: unknown key; expected one of: x"));
	assert_true(strlen(error.text) < 200);
	at[1] = (struct bw_json_at){.json = json, .value = json_object_iter_value(json_object_iter((json_t *)at[0].value)), .parent = &at[0], .key = json_object_iter_key(json_object_iter((json_t *)at[0].value))};
	for (int i = 2; i < 302; i++)
		at[i] = bw_json_element(&at[i - 1], 1);
	size_t length;
	assert_false(bw_json_length(&at[301], &length, &error));
	assert_memory_equal(error.text, "a.json:2: ...[1][1]", 19);
	assert_non_null(strstr(error.text, "[1]: expected an array, found an object"));
	assert_true(strlen(error.text) < 500);
	bw_json_free(json);
}

static void files_are_read(void **state)
{
	char path[] = "/tmp/bw-json-XXXXXX";
	close(mkstemp(path));
	struct bw_error error = {0};
	assert_true(bw_file_write(path, "[1, 2]\n", 7, &error));
	struct bw_json *json = bw_json_read(path, &error);
	assert_non_null(json);
	struct bw_json_at root = bw_json_root(json);
	size_t length = 0;
	assert_true(bw_json_length(&root, &length, &error) && length == 2);
	bw_json_free(json);
	unlink(path);
	assert_null(bw_json_read(path, &error));
	assert_non_null(strstr(error.text, path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_json_is_refused_with_its_line),
		cmocka_unit_test(deep_nesting_is_refused_and_no_crash),
		cmocka_unit_test(values_are_read_by_type),
		cmocka_unit_test(a_missing_member_is_no_error_where_it_may_miss),
		cmocka_unit_test(errors_name_file_line_and_key),
		cmocka_unit_test(unknown_keys_are_refused_with_a_hint),
		cmocka_unit_test(long_keys_and_ways_are_cut),
		cmocka_unit_test(files_are_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
