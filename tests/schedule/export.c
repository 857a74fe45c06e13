/* Exports: the code for lists written by hand, compared with calls worked out by hand; names; what is refused; the marks by which
 * an export is known again. That the code compiles and gives the objects of the plugin, tests/halide/export.test shows. */
#include <stdlib.h>
#include <string.h>

#include "../core/description.h"
#include "../core/test.h"
#include "base/json.h"
#include "base/mem.h"
#include "schedule/export.h"

#define READ_X(from) READ(from, SAME_XY, "1", EYE2)
/* A wrapper of f for g that the algorithm made itself (f_in_g$0), Funcs and a Var that Halide named, one with two Funcs' name, an update. */
static const char named[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,100],[0,60]"),
	FUNC_XY("f", "0", "float32", "", READ_X("in"), "") "," FUNC_XY("f_in_g$0", "6", "float32", "", READ_X("f"), ",'wrapper':true") ","
	FUNC_XY("g", "1", "float32", "", READ_X("f_in_g$0"), "") "," FUNC_XY("f9", "2", "float32", "", READ_X("g"), "") "," FUNC_XY("f10", "3", "float32", "", READ_X("f9"), "") ","
	FUNC("x", "4", "float32", "'v1','y'", STAGE(LOOP("v1") "," LOOP("y"), EYE2, "", "") "," STAGE(RLOOP("r$x", "0", "9", "") "," LOOP("y"), "[[1,0],[0,1]]", "", READ("f10", SAME("r$x") "," SAME("y"), "1", EYE2)), "") ","
	FUNC_XY("a \\\"b\\\\?", "5", "float32", "", READ_X("x"), OUTPUT("[0,100],[0,60]")));

static struct bw_directives *directives_of(const char *text)
{
	struct bw_error error;
	char *json_text = bw_strdup(text);
	for (char *at = json_text; (at = strchr(at, '\''));)
		*at = '"';
	struct bw_json *json = bw_json_parse("list", json_text, strlen(json_text), &error);
	struct bw_json_at root = bw_json_root(json);
	struct bw_directives *directives = bw_directives_read(&root, &error);
	if (!directives)
		fail_msg("%s", error.text);
	bw_json_free(json);
	free(json_text);
	return directives;
}

/* The parameters and the body of the function that is given its Funcs, which comes first. */
static char *body_of(const char *code)
{
	const char *begin = strstr(code, "_funcs("), *end = strstr(code, "\n// To use it: ");
	assert_true(begin && begin < end && !memmem(code, (size_t)(end - code), "get_func", 8));
	return strndup(begin + 7, (size_t)(end - begin - 7));
}

#define HEAD ")\n{\n\tusing namespace Halide;\n"
#define DECLARATION "\n\t// No Var and RVar: made a VarOrRVar, as calls do with them, they take a unique name, and names taken can change kernels.\n\tconst VarOrRVar "

static void code_is_as_worked_out_by_hand(void **state)
{
	static const struct {
		const char *func, *list, *body, *call;
	} table[] = {
		/* Calls of one Func and stage are chained; a loop that Halide named is asked for; a Var called as a Func gets another name. */
		{NULL, "[{'op':'compute_root','func':4},{'op':'split','func':4,'stage':0,'vars':['v1','x','i'],'factor':8,'tail':'auto'},"
		       "{'op':'split','func':4,'stage':1,'vars':['r$x','x','i'],'factor':4,'tail':'guard_with_if'},{'op':'reorder','func':4,'stage':1,'vars':['i','x']},"
		       "{'op':'reorder','func':4,'stage':0,'vars':['x']},{'op':'compute_at','func':3,'at_func':4,'at_stage':1,'vars':['i']},{'op':'store_in','func':3,'memory':'registers'}]",
		 "Halide::Func f10, Halide::Func x" HEAD DECLARATION
		 "v1(Stage(x).get_schedule().dims()[0].var, false), x_2(\"x\", false), i(\"i\", false),\n\t\tr_x(x.update(0).get_schedule().dims()[0].var, true), x_3(\"x\", true), i_2(\"i\", true);\n"
		 "\n\tx\n\t\t.compute_root()\n\t\t.split(v1, x_2, i, 8);\n"
		 "\n\tx.update(0)\n\t\t.split(r_x, x_3, i_2, 4, TailStrategy::GuardWithIf)\n\t\t.reorder(i_2, x_3);\n"
		 "\n\tx\n\t\t.reorder({x_2});\n"
		 "\n\tf10\n\t\t.compute_at(LoopLevel(x, i_2))\n\t\t.store_in(MemoryType::Register);\n}\n",
		 "_funcs(func(\"f\", 2, 3), func(\"x\"));"},
		/* A wrapper of the algorithm's own is reached by in(); one that a directive makes is made in its place. */
		{NULL, "[{'op':'compute_root','func':6},{'op':'in','func':5,'at_func':1,'result':7},{'op':'reorder_storage','func':7,'vars':['y','x']}]",
		 "Halide::Func f, Halide::Func g, Halide::Func a_b_" HEAD "\tFunc f_in_g_0 = f.in(g);\n" DECLARATION "y(\"y\", false), x(\"x\", false);\n"
		 "\n\tf_in_g_0\n\t\t.compute_root();\n\n\tFunc a_b_in_g = a_b_.in(g);\n\n\ta_b_in_g\n\t\t.reorder_storage({Var(y.name()), Var(x.name())});\n}\n",
		 "_funcs(func(\"f\", 0, 3), func(\"g\"), func(\"a \\\"b\\\\\\?\"));"},
		/* What an rfactor leaves, and what it makes. */
		{NULL, "[{'op':'rfactor','func':4,'stage':1,'vars':['r$x','u'],'result':7},{'op':'vectorize','func':7,'stage':1,'vars':['u']},{'op':'atomic','func':4,'stage':1},{'op':'serial','func':4,'stage':1,'vars':['v1']}]",
		 "Halide::Func x" HEAD DECLARATION "r_x(x.update(0).get_schedule().dims()[0].var, true), u(\"u\", false), v1(Stage(x).get_schedule().dims()[0].var, false);\n"
		 "\n\tFunc x_intm = x.update(0).rfactor({{RVar(r_x.name()), Var(\"u\")}});\n\n\tx_intm.update(0)\n\t\t.vectorize(u);\n\n\tx.update(0)\n\t\t.atomic()\n\t\t.serial(v1);\n}\n",
		 "_funcs(func(\"x\"));"},
		/* One Func, with its wrapper; one that is derived from another is reached and not made again. */
		{"g", "[{'op':'compute_root','func':1},{'op':'compute_root','func':5},{'op':'in','func':1,'at_func':2,'result':7},{'op':'compute_root','func':7}]",
		 "Halide::Func g, Halide::Func f9" HEAD "\n\tg\n\t\t.compute_root();\n\n\tFunc g_in_f9 = g.in(f9);\n\n\tg_in_f9\n\t\t.compute_root();\n}\n",
		 "_g_funcs(func(\"g\"), func(\"f\", 1, 3));"},
		{"g", "[{'op':'in','func':0,'at_func':2,'result':7},{'op':'compute_at','func':1,'at_func':7,'at_stage':0,'vars':['y']}]",
		 "Halide::Func f, Halide::Func g, Halide::Func f9" HEAD "\tFunc f_in_f9 = f.in(f9);\n" DECLARATION "y(\"y\", false);\n\n\tg\n\t\t.compute_at(LoopLevel(f_in_f9, y));\n}\n",
		 "_funcs(func(\"f\", 0, 3), func(\"g\"), func(\"f\", 1, 3));"},
	};
	struct bw_pipeline *pipeline = description_read(named);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct bw_directives *directives = directives_of(table[i].list);
		struct bw_export export = {pipeline, NULL, directives, table[i].func, 0, "1", NULL};
		struct bw_text code = {0};
		struct bw_error error;
		if (!bw_export_cpp(&export, &code, &error))
			fail_msg("%zu: %s", i, error.text);
		char *body = body_of(bw_text_get(&code));
		assert_string_equal(body, table[i].body);
		assert_non_null(strstr(bw_text_get(&code), table[i].call));
		free(body);
		assert_non_null(strstr(bw_text_get(&code), "_halide_user_assert(n_funcs == 6)"));
		bw_text_free(&code);
		bw_directives_free(directives);
	}
	bw_pipeline_free(pipeline);
}

static void what_the_pipeline_does_not_have_is_refused(void **state)
{
	static const struct {
		const char *func, *list, *error;
	} table[] = {
		{NULL, "[{'op':'compute_root','func':7}]", "directive 0 (compute_root): the pipeline has no Func 7"},
		{NULL, "[{'op':'compute_root','func':0},{'op':'unroll','func':4,'stage':1,'vars':['v1']}]", "directive 1 (unroll): x, stage 1, has no loop v1"},
		{NULL, "[{'op':'compute_root','func':0},{'op':'unroll','func':0,'stage':3,'vars':['x']}]", "directive 1 (unroll): f, stage 3, has no loop x"},
		{NULL, "[{'op':'unroll','func':0,'stage':0,'vars':['i']},{'op':'split','func':0,'stage':0,'vars':['x','o','i'],'factor':8,'tail':'auto'}]", "directive 0 (unroll): f, stage 0, has no loop i"},
		{NULL, "[{'op':'in','func':0,'at_func':1,'result':6}]", "directive 0 (in): index 6 is that of another Func, f_in_g$0"},
		{"g", "[{'op':'rfactor','func':4,'stage':1,'vars':['r$x','u'],'result':7},{'op':'compute_at','func':1,'at_func':7,'at_stage':0,'vars':['u']}]", "directive 1 (compute_at): x_intm is made by an rfactor of x; export the whole schedule"},
		{"nobody", "[]", "test has no Func \"nobody\""},
		{"in", "[]", "test has no Func \"in\""},
	};
	struct bw_pipeline *pipeline = description_read(named);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct bw_directives *directives = directives_of(table[i].list);
		struct bw_export export = {pipeline, NULL, directives, table[i].func, 0, "1", NULL};
		struct bw_text code = {0};
		struct bw_error error;
		assert_false(bw_export_cpp(&export, &code, &error));
		assert_string_equal(error.text, table[i].error);
		assert_false(bw_export_json(&export, &code, &error));
		assert_int_equal(code.length, 0);
		bw_text_free(&code);
		bw_directives_free(directives);
	}
	bw_pipeline_free(pipeline);
}

/* The guard of each version; text from outside stays in its comment. */
static void comments_say_how_to_use_it(void **state)
{
	static const struct {
		int halide;
		const char *guard;
	} table[] = {
		{0, "//     if (!this->auto_schedule && this->get_target().has_gpu_feature()) // Halide 15 and later: !this->using_autoscheduler()\n//         schedule_test(this->get_pipeline());\n"},
		{14, "//     if (!this->auto_schedule && this->get_target().has_gpu_feature())\n"},
		{15, "//     if (!this->using_autoscheduler() && this->get_target().has_gpu_feature())\n"},
		{21, "//     if (!this->using_autoscheduler() && this->get_target().has_gpu_feature())\n"},
	};
	struct bw_pipeline *pipeline = description_read(named);
	struct bw_directives *directives = directives_of("[{'op':'compute_root','func':0}]");
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct bw_export export = {pipeline, NULL, directives, NULL, table[i].halide, "1", "one\ntwo\\"};
		struct bw_text code = {0};
		struct bw_error error;
		assert_true(bw_export_cpp(&export, &code, &error));
		assert_non_null(strstr(bw_text_get(&code), table[i].guard));
		assert_non_null(strstr(bw_text_get(&code), ", by beamwalk 1: one?two?\n"));
		bw_text_free(&code);
	}
	bw_directives_free(directives);
	bw_pipeline_free(pipeline);
}

static void marks_are_found_in_sources(void **state)
{
	static const char source[] = "#include <x>\n// beamwalk-export 1: algorithm 0123456789abcdef, schedule 0000000000000001, pipeline harris\n"
				     "int x; // beamwalk-export 1: algorithm what, schedule 0, pipeline none\n"
				     "// beamwalk-export 1: algorithm 0123456789abcdeg, schedule 0000000000000001, pipeline none\n"
				     "// beamwalk-export 1: algorithm fedcba9876543210, schedule 0000000000000000, pipeline blur\r\n// beamwalk-export 1: algorithm 01";
	const char *at = source;
	struct bw_export_mark mark;
	int line = 1;
	assert_true(bw_export_next_mark(&at, &line, &mark));
	assert_int_equal(mark.line, 2);
	assert_string_equal(mark.pipeline, "harris");
	assert_true(mark.algorithm == 0x0123456789abcdef && mark.schedule == 1);
	assert_true(bw_export_next_mark(&at, &line, &mark));
	assert_int_equal(mark.line, 5);
	assert_string_equal(mark.pipeline, "blur");
	assert_true(mark.algorithm == 0xfedcba9876543210 && mark.schedule == 0);
	assert_false(bw_export_next_mark(&at, &line, &mark));
}

/* Both forms say the same of themselves, and JSON holds the list. */
static void exports_are_known_again(void **state)
{
	struct bw_pipeline *pipeline = description_read(named);
	struct bw_schedule *schedule = bw_schedule_new(pipeline);
	struct bw_directives *directives = directives_of("[{'op':'compute_root','func':0},{'op':'compute_root','func':1}]");
	struct bw_export export = {pipeline, schedule, directives, "g", 0, "1", NULL};
	struct bw_text code = {0}, text = {0};
	struct bw_error error;
	struct bw_export_mark mark, other;
	int line = 1;
	assert_true(bw_export_cpp(&export, &code, &error) && bw_export_json(&export, &text, &error));
	const char *at = bw_text_get(&code);
	assert_true(bw_export_next_mark(&at, &line, &mark));
	assert_true(mark.algorithm == pipeline->algorithm && mark.schedule == bw_schedule_hash(schedule));
	struct bw_json *json = bw_json_parse("export", bw_text_get(&text), text.length, &error);
	struct bw_json_at root = bw_json_root(json), member;
	assert_true(bw_export_json_mark(&root, &other, &error));
	assert_true(mark.algorithm == other.algorithm && mark.schedule == other.schedule && !strcmp(other.pipeline, "test"));
	assert_true(bw_json_get(&root, "directives", &member, &error));
	struct bw_directives *read = bw_directives_read(&member, &error);
	assert_int_equal(read->n, 1);
	assert_int_equal(read->list[0].func, 1);
	bw_directives_free(read);
	bw_json_free(json);
	bw_text_free(&code);
	bw_text_free(&text);
	bw_directives_free(directives);
	bw_schedule_drop(schedule);
	bw_pipeline_free(pipeline);
}

static void json_that_is_no_export_is_refused(void **state)
{
	static const char *const table[][2] = {
		{"{}", "file:1: "},
		{"{\"beamwalk-export\":2}", "file:1: beamwalk-export: "},
		{"{\"beamwalk-export\":1,\"pipeline\":\"p\"}", "file:1: "},
		{"{\"beamwalk-export\":1,\"pipeline\":\"p\",\"algorithm\":\"12\"}", "file:1: algorithm: expected a hash of 16 digits"},
		{"{\"beamwalk-export\":1,\"pipeline\":\"p\",\"algorithm\":\"0123456789abcdef\",\"schedule_hash\":\"0123456789abcdeg\"}", "file:1: schedule_hash: expected a hash of 16 digits"},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct bw_error error;
		struct bw_export_mark mark;
		struct bw_json *json = bw_json_parse("file", table[i][0], strlen(table[i][0]), &error);
		struct bw_json_at root = bw_json_root(json);
		assert_false(bw_export_json_mark(&root, &mark, &error));
		if (strncmp(error.text, table[i][1], strlen(table[i][1])))
			fail_msg("%s: %s", table[i][0], error.text);
		bw_json_free(json);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_is_as_worked_out_by_hand),
		cmocka_unit_test(what_the_pipeline_does_not_have_is_refused),
		cmocka_unit_test(comments_say_how_to_use_it),
		cmocka_unit_test(marks_are_found_in_sources),
		cmocka_unit_test(exports_are_known_again),
		cmocka_unit_test(json_that_is_no_export_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
