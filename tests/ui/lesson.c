/* A lesson on the screen: its band at several sizes, keys that answer, go on and read on, a learner who looks elsewhere and changes
 * things meanwhile, and one pane alone for a lecture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "made.h"
#include "ui/lesson.h"

static const char text[] =
	"title A lesson\nminutes 1\npipeline harris\nset beam=4\nrun end\nview main\n"
	"say The schedule costs {cost}; press {key why}.\npause\n"
	"remember before = cost\nselect func Ix\nask How many kernels?\nchoice {kernels + 1}\nreply Count again.\nchoice {kernels}\nhint Look.\nexpect 2\nreply Yes.\n"
	"view graph\nask How many blocks?\nexpect {blocks of output}\n"
	"ask Hold Ix at root.\nsolution freeze Ix root\nexpect Ix root\nreply From {before} to {cost}.\n"
	"restart\nassert {before} <= {cost}\nassert cost <= {before}\nview main\n"
	"say a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n o p q r s t u v w x y z\n"
	"say a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n o p q r s t u v w x y z the very end\npause\n";

static struct bw_lesson *lesson;

static struct made *open_lesson(bool lecture, bool ascii)
{
	struct bw_error error = {0};
	struct made *made = made_new("harris", "A100", ascii);
	char path[] = "/tmp/beamwalk-lesson-XXXXXX";
	int file = mkstemp(path);
	assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
	close(file);
	lesson = bw_lesson_read(path, &error);
	unlink(path);
	if (!lesson || !bw_lesson_begin(made->session, lesson, 0, lecture, &error))
		fail_msg("%s", error.text);
	return made;
}

static void close_lesson(struct made *made)
{
	made_free(made);
	bw_lesson_free(lesson);
}

static void expect_drawn(struct made *made, int columns, int rows, const char *what)
{
	char *drawn = made_draw(made, columns, rows);
	if (!strstr(drawn, what))
		fail_msg("no \"%s\" in %s", what, drawn);
	free(drawn);
}

static void expect_not_drawn(struct made *made, int columns, int rows, const char *what)
{
	char *drawn = made_draw(made, columns, rows);
	if (strstr(drawn, what))
		fail_msg("\"%s\" in %s", what, drawn);
	free(drawn);
}

static int step_of(const struct made *made)
{
	return bw_session_lesson(made->session)->step;
}

static void keys_take_the_lesson(void **state)
{
	(void)state;
	char line[32];
	struct made *made = open_lesson(false, false);
	expect_drawn(made, 80, 24, "LESSON A lesson, step 1 of 5");
	expect_drawn(made, 80, 24, " press w.");
	expect_drawn(made, 80, 24, ". goes on");
	assert_false(bw_lesson_takes_digits(made->screen));
	made_press(made, '.');
	expect_drawn(made, 80, 24, "How many kernels?");
	made_press(made, '.');
	assert_true(made->session->message_is_error);
	assert_int_equal(step_of(made), 1);
	made_press(made, '!');
	expect_drawn(made, 80, 24, "Look.");
	assert_true(bw_lesson_takes_digits(made->screen));
	assert_null(bw_lesson_digit(made->screen, 1, line));
	expect_drawn(made, 80, 24, "Not 1. Count again.");
	assert_null(bw_lesson_digit(made->screen, 2, line));
	expect_drawn(made, 80, 24, "Yes.");
	made_press(made, ',');
	expect_drawn(made, 80, 24, "step 1 of 5");
	made_press(made, '.');
	made_press(made, '.');
	expect_drawn(made, 80, 24, "step 3 of 5");
	assert_string_equal(bw_lesson_digit(made->screen, 4, line), "lesson answer 4");
	close_lesson(made);
}

/* What the learner changed, and where the learner went, is gone when the lesson goes on; what a step asks for stays until `restart`. */
static void the_learner_may_stray(void **state)
{
	(void)state;
	struct made *made = open_lesson(false, false);
	made_press(made, '.');
	int commands = made->session->n_journal;
	made_run(made, "freeze Iy inline");
	made_run(made, "set beam=2");
	made_run(made, "run Ix.where");
	made_run(made, "view help");
	made_run(made, "lesson answer 2");
	assert_int_equal(made->session->cursor, bw_search_n_decisions(made->session->search));
	assert_int_equal(made->session->options.beam, 4);
	assert_string_equal(made->session->view, "help");
	made_run(made, "freeze Iy root");
	made_press(made, '.');
	assert_string_equal(made->session->view, "graph");
	assert_int_equal(bw_search_constraints(made->session->search)->n, 0);
	made_run(made, "lesson answer");
	made_press(made, '.');
	made_run(made, "freeze Iy inline");
	expect_drawn(made, 80, 24, "do it");
	made_run(made, "freeze Ix root");
	expect_drawn(made, 80, 24, "From 0.");
	made_press(made, '.');
	assert_int_equal(step_of(made), 4);
	assert_int_equal(bw_search_constraints(made->session->search)->n, 0);
	assert_true(made->session->n_journal >= commands);
	made_press(made, '.');
	expect_drawn(made, 80, 24, "That was the last step.");
	made_press(made, '.');
	assert_false(made->session->message_is_error);
	close_lesson(made);
}

/* On a small screen the key that goes on reads on first. */
static void a_long_text_is_read_by_pages(void **state)
{
	(void)state;
	struct made *made = open_lesson(true, false);
	while (step_of(made) < 4)
		made_press(made, '.');
	expect_drawn(made, 100, 30, "the very end");
	expect_drawn(made, 30, 12, ". reads on");
	expect_not_drawn(made, 30, 12, "very end");
	int presses = 0;
	for (; step_of(made) == 4 && presses < 20 && bw_session_lesson(made->session)->step == 4; presses++) {
		char *drawn = made_draw(made, 30, 12);
		bool there = strstr(drawn, "very end");
		free(drawn);
		if (there)
			break;
		made_press(made, '.');
	}
	assert_in_range(presses, 1, 10);
	assert_int_equal(step_of(made), 4);
	made_press(made, '.');
	assert_int_equal(step_of(made), 5);
	close_lesson(made);
}

static void a_lecture_has_one_pane(void **state)
{
	(void)state;
	struct made *made = open_lesson(true, false);
	expect_drawn(made, 120, 40, "BEAM by cost");
	expect_not_drawn(made, 120, 40, "STAGES of");
	made_press(made, BW_KEY_TAB);
	expect_drawn(made, 120, 40, "LOOP NEST");
	made_press(made, '.');
	expect_drawn(made, 120, 40, ". shows the answer");
	made_press(made, '.');
	expect_drawn(made, 120, 40, "Yes.");
	assert_int_equal(step_of(made), 1);
	close_lesson(made);
}

static void every_size_is_drawn(void **state)
{
	(void)state;
	struct made *made = open_lesson(false, true);
	for (int step = 0; step < 2; step++) {
		for (int rows = 1; rows < 60; rows += rows < 30 ? 1 : 7)
			for (int columns = 1; columns < 200; columns += columns < 90 ? 3 : 37) {
				char *drawn = made_draw(made, columns, rows);
				for (const char *at = drawn; *at; at++)
					assert_true((*at >= ' ' && *at < 127) || *at == '\n');
				free(drawn);
			}
		made_press(made, '.');
	}
	close_lesson(made);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_take_the_lesson), cmocka_unit_test(the_learner_may_stray),  cmocka_unit_test(a_long_text_is_read_by_pages),
		cmocka_unit_test(a_lecture_has_one_pane), cmocka_unit_test(every_size_is_drawn),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
