/* beamwalk-pipeline(5) against the reader: the example is read, with the boxes that its words say, and every operator, operation and
 * type that is counted is in the page. */
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "base/file.h"
#include "pipeline/pipeline.h"

enum { LIMIT = 1 << 20 };

static int set_up(void **state)
{
	static struct bw_text page;
	struct bw_text path = {0};
	struct bw_error error = {0};
	page = (struct bw_text){0};
	bw_text_printf(&path, "%s/man/beamwalk-pipeline.5", getenv("BW_SRC"));
	if (!bw_file_read(bw_text_get(&path), LIMIT, &page, &error))
		fail_msg("%s", error.text);
	bw_text_free(&path);
	*state = &page;
	return 0;
}

static int tear_down(void **state)
{
	bw_text_free(*state);
	return 0;
}

static void expect_box(const struct bw_pipeline *pipeline, const char *func, int stage, const char *producer, struct bw_interval loop, struct bw_interval expected)
{
	const struct bw_func *f = &pipeline->funcs[bw_pipeline_find(pipeline, func)];
	const struct bw_read *read = bw_stage_read_of(&f->stages[stage], bw_pipeline_find(pipeline, producer));
	struct bw_interval box;
	assert_true(bw_expr_eval(read->box[0].min, &loop, &box.min) && bw_expr_eval(read->box[0].max, &loop, &box.max));
	assert_int_equal(box.min, expected.min);
	assert_int_equal(box.max, expected.max);
}

static void the_example_is_read(void **state)
{
	static const char begin[] = ".Bd -literal -offset indent\n{\"beamwalk-pipeline\"", end[] = ".Ed\n";
	const struct bw_text *page = *state;
	const char *at = strstr(page->bytes, begin);
	assert_non_null(at);
	at = strchr(at, '{');
	const char *stop = strstr(at, end);
	assert_non_null(stop);
	struct bw_error error = {0};
	struct bw_pipeline *pipeline = bw_pipeline_parse("example", at, (size_t)(stop - at), &error);
	if (!pipeline)
		fail_msg("%s", error.text);
	expect_box(pipeline, "blur", 0, "input", (struct bw_interval){0, 5}, (struct bw_interval){-1, 6});
	expect_box(pipeline, "half", 0, "blur", (struct bw_interval){0, 5}, (struct bw_interval){1, 11});
	expect_box(pipeline, "total", 1, "half", (struct bw_interval){0, 63}, (struct bw_interval){0, 63});
	bw_pipeline_free(pipeline);
}

/* All that stands literally as an item or in a list of the page, with a space before and after each. */
static void put_literals(const struct bw_text *page, struct bw_text *out)
{
	for (const char *line = page->bytes; line; line = strchr(line, '\n'), line += line != NULL) {
		const char *from = !strncmp(line, ".It Li ", 7) ? line + 7 : !strncmp(line, ".Li ", 4) ? line + 4 : NULL;
		if (!from)
			continue;
		bw_text_puts(out, " ");
		for (; *from && *from != '\n'; from++)
			if (!strncmp(from, "\\&", 2))
				from++;
			else
				bw_text_append(out, from, 1);
	}
	bw_text_puts(out, " ");
}

static void every_name_is_in_the_page(void **state)
{
	static const char *const names[] = {
#define X(name, text, operands) text,
		BW_OPERATOR_TABLE(X)
#undef X
#define X(name, text, cost) text,
		BW_OPERATION_TABLE(X)
#undef X
#define X(name, text, bytes) text,
		BW_TYPE_TABLE(X)
#undef X
	};
	struct bw_text literals = {0};
	put_literals(*state, &literals);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct bw_text word = {0};
		bw_text_printf(&word, " %s ", names[i]);
		if (!strstr(literals.bytes, bw_text_get(&word)))
			fail_msg("%s is missing", names[i]);
		bw_text_free(&word);
	}
	bw_text_free(&literals);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example_is_read),
		cmocka_unit_test(every_name_is_in_the_page),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
