/* Fuzzes reading JSON. Whatever is accepted is written again with each value on a line of its own: so the line that an error
 * must name is known for every value, whatever its keys are. */
#include <string.h>

#include "base/json.h"
#include "target.h"

enum { MOST_VALUES = 300 };

struct visit {
	size_t line;
	int values;
};

static void read_as_everything(const struct bw_json_at *at)
{
	struct bw_error error = {0};
	const char *string;
	int64_t integer;
	double number;
	bool yes;
	size_t length;
	struct bw_json_at member;
	static const char *const known[] = {"name", "funcs", "stages", NULL};
	int kinds = bw_json_string(at, &string, &error) + bw_json_int(at, INT64_MIN, INT64_MAX, &integer, &error) + bw_json_bool(at, &yes, &error) + bw_json_length(at, &length, &error) + json_is_object(at->value) + json_is_real(at->value) + json_is_null(at->value);
	expect(kinds == 1, "a value has just one type");
	expect(bw_json_number(at, &number, &error) == json_is_number(at->value), "numbers are integers or reals");
	expect(error.kind == BW_ERROR_INPUT && strncmp(error.text, "fuzz:", 5) == 0, "errors begin with the file");
	bw_json_only(at, known, &error);
	expect(bw_json_get(at, "name", &member, &error) == bw_json_has(at, "name", &member), "get and has agree");
}

static void expect_line(const struct bw_json_at *at, size_t line)
{
	struct bw_error error = {0};
	char begins[40];
	bw_json_fail(at, &error, "x");
	snprintf(begins, sizeof begins, "fuzz:%zu: ", line);
	expect(strncmp(error.text, begins, strlen(begins)) == 0, "errors name the line");
}

/* Visits values in the order of their lines: each has one line, and a container that is not empty one more for its end. */
static void visit(const struct bw_json_at *at, struct visit *state)
{
	size_t line = state->line++;
	if (state->values++ >= MOST_VALUES)
		return;
	read_as_everything(at);
	expect_line(at, line);
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)at->value, key, value) {
		struct bw_json_at member;
		expect(bw_json_has(at, key, &member) && member.value == value, "a key is found");
		visit(&member, state);
	}
	for (size_t i = 0; i < json_array_size(at->value); i++) {
		struct bw_json_at element = bw_json_element(at, i);
		visit(&element, state);
	}
	state->line += json_object_size(at->value) + json_array_size(at->value) > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct bw_error error = {0};
	struct bw_json *json = bw_json_parse("fuzz", (const char *)bytes, length, &error);
	if (!json) {
		expect(error.kind == BW_ERROR_INPUT && strncmp(error.text, "fuzz:", 5) == 0, "errors begin with the file");
		return 0;
	}
	struct bw_json_at root = bw_json_root(json);
	read_as_everything(&root);
	char *text = json_dumps(root.value, JSON_INDENT(1));
	bw_json_free(json);
	expect(text != NULL, "what was read can be written");
	json = bw_json_parse("fuzz", text, strlen(text), &error);
	expect(json != NULL, "what was written can be read");
	root = bw_json_root(json);
	visit(&root, &(struct visit){.line = 1});
	bw_json_free(json);
	free(text);
	return 0;
}
