/* A lesson on the screen: its band at several sizes, keys that answer, go on and read on, a learner who looks elsewhere and changes
 * things meanwhile, and one pane alone for a lecture. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glob.h>

#include "../core/test.h"
#include "../session/session_test.h"
#include "base/say.h"
#include "made.h"
#include "ui/screen.h"

static const char text[] =
	"title A lesson\nminutes 1\npipeline harris\nset beam=4\nrun end\nview main\n"
	"say The schedule costs {cost}; press {key why}.\npause\n"
	"remember before = cost\nselect func Ix\nask How many kernels?\nchoice {kernels + 1}\nreply Count again.\nchoice {kernels}\nhint Look.\nexpect 2\nreply Yes.\n"
	"view graph\nask How many blocks?\nexpect {blocks of output}\n"
	"ask Hold Ix at root.\nsolution freeze Ix root\nexpect Ix root\nreply From {before} to {cost}.\n"
	"restart\nassert {before} <= {cost}\nassert cost <= {before}\nview main\n"
	"say a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n o p q r s t u v w x y z\n"
	"say a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n o p q r s t u v w x y z the very end\npause\n";

static const char guess[] =
	"title A guess\nminutes 1\npipeline harris\nset beam=4\nrun end\nview main\n"
	"ask Which is cheapest?\nchoice the dearest\nreply It costs the most.\nchoice another\nexpect any\nreply Look.\n"
	"ask Hold Ix at root.\nsolution freeze Ix root\nexpect Ix root\nsay The end.\n";

static const char doing[] =
	"title A lesson whose title alone is nearly as wide as a row of it\nminutes 1\npipeline harris\nset beam=4\nrun end\nview main\nremember found = cost\n"
	"ask Hold Ix at root, with less than 4 kernels.\nsolution freeze {Ix root | Iy inline | Y inline}\nexpect Ix root\nexpect kernels < 4\nreply It costs {cost}.\n"
	"restart\nscheduler greedy\nask Look at Ix.\nsolution run Ix.where\nexpect decision Ix.where\n"
	"restart\nask Make it dearer.\nsolution freeze output root 1x1/32x8\nexpect cost != {found}\nreply Done.\n";

static const char held[] =
	"title Held\nminutes 1\npipeline harris\nset beam=4\nrun end\nview main\nsay A long beginning that says what is held here, so that it takes a row.\nsay\nsay And another.\npause\n"
	"freeze Iy root\nrun end\nremember before = cost\nask One?\nchoice no\nchoice yes\nexpect 2\nreply Said once.\n"
	"say This is said before the question, in a row.\nsay\nsay This, too.\nask Hold Ix at root, for less than {before / 1000}.\nhint The first.\nhint The second.\nsolution freeze Ix root\nexpect Ix root\nexpect cost < {before * 2}\nreply Done.\n"
	"restart\nview graph\nask Make it cheap.\nhint Very.\nexpect cost < {before / 1000}\n";

static struct bw_lesson *lesson;

/* Whether a lesson has schedules compiled. */
static bool compiles(void)
{
	for (int i = 0; i < lesson->steps[lesson->n_steps - 1].end; i++)
		if (lesson->lines[i].word == BW_LESSON_SOLUTION && !strcmp(lesson->lines[i].text, "code"))
			return true;
	return false;
}

static struct made *open_file(const char *path, bool lecture, bool ascii)
{
	struct bw_error error = {0};
	lesson = bw_lesson_read(path, &error);
	struct made *made = !lesson ? NULL : compiles() ? made_around(session_open_built(lesson->pipeline, 32), ascii)
							 : made_new(lesson->pipeline, "A100", ascii);
	if (!made || !bw_lesson_begin(made->session, lesson, 0, lecture, &error))
		fail_msg("%s", error.text);
	return made;
}

static struct made *open_text(const char *written, bool lecture, bool ascii)
{
	char path[] = "/tmp/beamwalk-lesson-XXXXXX";
	int file = mkstemp(path);
	assert_true(file >= 0 && write(file, written, strlen(written)) == (ssize_t)strlen(written));
	close(file);
	struct made *made = open_file(path, lecture, ascii);
	unlink(path);
	return made;
}

static struct made *open_lesson(bool lecture, bool ascii)
{
	return open_text(text, lecture, ascii);
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
		fail_msg("no \"%s\" in %s", what, strlen(drawn) > 900 ? drawn + strlen(drawn) - 900 : drawn);
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
	struct made *made = open_lesson(false, false);
	expect_drawn(made, 80, 24, "LESSON A lesson, step 1 of 5");
	expect_drawn(made, 80, 24, " press w.");
	expect_drawn(made, 80, 24, ". or Enter goes on");
	assert_false(bw_lesson_takes_digits(made->screen));
	made_press(made, '.');
	expect_drawn(made, 80, 24, "How many kernels?");
	made_press(made, '.');
	assert_true(made->session->message_is_error);
	assert_int_equal(step_of(made), 1);
	made_press(made, '!');
	expect_drawn(made, 80, 24, "Look.");
	assert_true(bw_lesson_takes_digits(made->screen));
	bw_screen_run(made->screen, "lesson answer 1");
	expect_drawn(made, 80, 24, "Not 1. Count again.");
	bw_screen_run(made->screen, "lesson answer 2");
	expect_drawn(made, 80, 24, "Yes.");
	made_press(made, ',');
	expect_drawn(made, 80, 24, "step 1 of 5");
	made_press(made, '.');
	made_press(made, '.');
	expect_drawn(made, 80, 24, "step 3 of 5");
	assert_true(bw_lesson_takes_digits(made->screen));
	close_lesson(made);
}

/* What the learner changed, and where the learner went, is gone when the lesson goes on; what a step asks for stays until `restart`. */
static void the_learner_may_stray(void **state)
{
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

/* Whoever goes on changing the schedule after the answer sees the figures of the schedule that is shown. All that is expected has to be
 * so, by a finished state unless the cursor is asked for. The title leaves room for the step; a change of the search writes no text. */
static void a_deed_is_judged_by_what_is_shown(void **state)
{
	struct made *made = open_text(doing, false, false);
	char costs[64];
	expect_drawn(made, 80, 24, "…, step 1 of 3");
	made_run(made, "freeze Ix root");
	made_run(made, "freeze Iy root");
	made_run(made, "freeze Y root");
	expect_drawn(made, 80, 24, "do it");
	made_run(made, "freeze Y inline");
	for (int i = 0; i < 2; i++) {
		snprintf(costs, sizeof costs, "It costs %s ms.", bw_say_cost(bw_session_state(made->session)->cost).text);
		expect_drawn(made, 80, 24, costs);
		made_run(made, "freeze Iy inline");
	}
	made_press(made, '.');
	expect_drawn(made, 80, 24, "Look at Ix.");
	expect_not_drawn(made, 80, 24, "lesson next");
	made_run(made, "run Ix.where");
	expect_drawn(made, 80, 24, "goes on");
	made_press(made, '.');
	made_run(made, "run Ix.where");
	expect_drawn(made, 80, 24, "do it");
	made_press(made, '.');
	expect_drawn(made, 80, 24, "Not yet: the state is");
	made_run(made, "run end");
	made_run(made, "lesson answer");
	expect_drawn(made, 80, 24, "Done.");
	close_lesson(made);
}

/* Undo takes back what the learner did, and not what the lesson has set up; the answer is shown from where the step began. */
static void undo_leaves_what_the_lesson_holds(void **state)
{
	struct made *made = open_text(held, false, false);
	made_press(made, '.');
	made_press(made, 'u');
	assert_true(made->session->message_is_error);
	assert_non_null(strstr(made->session->message, "nothing of yours"));
	assert_int_equal(bw_search_constraints(made->session->search)->n, 1);
	made_run(made, "lesson answer 2");
	made_press(made, '.');
	made_run(made, "freeze Sxx root");
	made_run(made, "undo");
	assert_false(made->session->message_is_error);
	assert_int_equal(bw_search_constraints(made->session->search)->n, 1);
	made_run(made, "jump 0");
	made_run(made, "lesson answer");
	expect_drawn(made, 80, 24, "Done.");
	assert_int_equal(bw_search_constraints(made->session->search)->n, 2);
	close_lesson(made);
}

/* The step before is shown with the schedule that it speaks of, and the present one as it was left. */
static void steps_before_have_their_states(void **state)
{
	struct made *made = open_text(held, false, false);
	made_press(made, '.');
	made_run(made, "lesson answer");
	made_press(made, '.');
	made_run(made, "freeze Ix root");
	made_press(made, ',');
	assert_int_equal(bw_search_constraints(made->session->search)->n, 1);
	made_press(made, ',');
	assert_int_equal(bw_search_constraints(made->session->search)->n, 0);
	made_run(made, "view stages");
	made_press(made, '.');
	made_press(made, '.');
	assert_int_equal(bw_search_constraints(made->session->search)->n, 2);
	expect_drawn(made, 80, 24, "Done.");
	made_press(made, '.');
	assert_string_equal(made->session->view, "graph");
	made_press(made, ',');
	assert_string_equal(made->session->view, "main");
	assert_int_equal(bw_search_constraints(made->session->search)->n, 2);
	made_run(made, "lesson hint");
	expect_drawn(made, 80, 24, "step 4 of 4");
	assert_string_equal(made->session->view, "graph");
	close_lesson(made);
}

/* A reply is said once, and a figure that is not reached as texts write it. */
static void what_is_said_is_said_once(void **state)
{
	struct made *made = open_text(held, false, false);
	made_press(made, '.');
	made_run(made, "lesson answer 2");
	assert_string_equal(bw_session_lesson(made->session)->pages[1].reply, "Said once.");
	made_press(made, '.');
	made_run(made, "lesson answer");
	made_press(made, '.');
	made_press(made, '.');
	if (!strstr(made->session->message, " ms: it is 0."))
		fail_msg("%s", made->session->message);
	close_lesson(made);
}

static int band_rows(struct made *made)
{
	free(made_draw(made, 80, 24));
	return bw_screen_layout(made->screen).band.rows;
}

/* On a low screen a hint takes no row from the views: it takes those of what was said before, which is read back to. */
static void a_hint_hides_no_view(void **state)
{
	struct made *made = open_text(held, false, false);
	made_press(made, '.');
	made_run(made, "lesson answer");
	made_press(made, '.');
	int rows = band_rows(made);
	made_press(made, '!');
	assert_int_equal(band_rows(made), rows);
	expect_drawn(made, 80, 24, "The first.");
	made_press(made, '!');
	assert_int_equal(band_rows(made), rows);
	expect_drawn(made, 80, 24, "Hold Ix at root, for");
	expect_drawn(made, 80, 24, "The second.");
	expect_not_drawn(made, 80, 24, "This is said before");
	made_press(made, ',');
	expect_drawn(made, 80, 24, "This is said before");
	expect_drawn(made, 80, 40, "This is said before");
	expect_drawn(made, 80, 40, "The first.");
	close_lesson(made);
}

/* A guess has no right answer: none of its choices is shown as one. */
static void a_guess_has_no_answer(void **state)
{
	struct made *made = open_text(guess, false, false);
	made_run(made, "lesson answer");
	expect_drawn(made, 80, 24, "1  the dearest");
	expect_drawn(made, 80, 24, "2  another");
	expect_drawn(made, 80, 24, "any answer is right. Look.");
	expect_not_drawn(made, 80, 24, "It costs the most.");
	assert_int_equal(bw_session_lesson(made->session)->pages[0].chosen, 0);
	close_lesson(made);
	made = open_text(guess, false, false);
	made_run(made, "lesson answer 1");
	expect_drawn(made, 80, 24, "It costs the most. Look.");
	expect_not_drawn(made, 80, 24, "another");
	close_lesson(made);
}

/* A hint is offered while there is one; then the answer is. None of this is an error. */
static void only_hints_that_are_there_are_offered(void **state)
{
	struct made *made = open_lesson(false, false);
	made_press(made, '.');
	expect_drawn(made, 80, 24, "! hint");
	made_press(made, '!');
	expect_not_drawn(made, 80, 24, "! hint");
	made_press(made, '!');
	expect_drawn(made, 80, 24, "that was the last hint; `lesson answer` shows the answer");
	assert_false(made->session->message_is_error);
	made_press(made, '.');
	expect_drawn(made, 80, 24, "waits for its answer; `lesson answer` shows the answer");
	made_run(made, "lesson answer");
	made_press(made, '.');
	expect_drawn(made, 80, 24, "How many blocks?");
	expect_not_drawn(made, 80, 24, "! hint");
	made_press(made, '!');
	expect_drawn(made, 80, 24, "this step has no hint; `lesson answer` shows the answer");
	assert_false(made->session->message_is_error);
	close_lesson(made);
}

/* An error of several rows takes them from the views, not from the band. */
static void an_error_leaves_the_instruction(void **state)
{
	struct made *made = open_text(guess, false, false);
	made_run(made, "lesson answer");
	made_press(made, '.');
	made_press(made, '.');
	assert_true(made->session->message_is_error && strlen(made->session->message) > 80);
	expect_drawn(made, 80, 24, "Hold Ix at root.");
	expect_drawn(made, 80, 24, "Not yet:");
	expect_drawn(made, 60, 20, "Hold Ix at root.");
	expect_drawn(made, 60, 20, "Not yet:");
	close_lesson(made);
}

/* Gives all wrong answers and takes all hints of a step; the question and the last choice stay in sight, whatever is said. */
static void err_and_look(struct made *made)
{
	const struct bw_lesson_run *run = bw_session_lesson(made->session);
	const struct bw_lesson_step *step = &lesson->steps[run->step];
	const struct bw_lesson_page *page = &run->pages[run->step];
	int right = page->n_choices ? atoi(lesson->lines[step->expect].text) : 0;
	for (int i = 1; i <= step->n_hints + (right ? page->n_choices : 0); i++) {
		char line[32], asked[31], choice[31];
		snprintf(line, sizeof line, i <= step->n_hints ? "lesson hint" : "lesson answer %d", i - step->n_hints);
		if (i - step->n_hints != right)
			made_run(made, line);
		snprintf(asked, sizeof asked, "%s", page->ask);
		*strchrnul(asked, '{') = 0;
		expect_drawn(made, 80, 24, asked);
		snprintf(choice, sizeof choice, "%s", page->n_choices ? page->choices[page->n_choices - 1] : "");
		expect_drawn(made, 80, 24, choice);
	}
}

static void wrong_answers_leave_the_question(void **state)
{
	char pattern[512];
	glob_t found;
	snprintf(pattern, sizeof pattern, "%s/lessons/*.lesson", getenv("BW_SRC"));
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct made *made = open_file(found.gl_pathv[i], false, false);
		int n_steps = made->session->source.compilable || !compiles() ? lesson->n_steps : 0; /* else there is no code to show */
		for (int step = 0; step < n_steps; step++) {
			if (lesson->steps[step].how != BW_ENDS_PAUSE)
				err_and_look(made);
			made_run(made, "lesson answer");
			made_run(made, "lesson next");
		}
		close_lesson(made);
	}
	globfree(&found);
}

/* Where no question waits, Enter goes on like the lesson's own key, and does not open the decision; in another view than the step's
 * it does what it does there. */
static void enter_goes_on(void **state)
{
	struct made *made = open_lesson(false, false);
	int end = made->session->cursor;
	made_run(made, "select func Ix");
	expect_drawn(made, 80, 24, ". or Enter goes on");
	made_run(made, "view stages");
	made_run(made, "view decision");
	made_press(made, BW_KEY_ENTER);
	assert_int_equal(step_of(made), 0);
	made_run(made, "view main");
	made_press(made, BW_KEY_ENTER);
	assert_int_equal(step_of(made), 1);
	assert_int_equal(made->session->cursor, end);
	made_press(made, BW_KEY_ENTER);
	assert_int_equal(step_of(made), 1);
	assert_string_equal(made->session->view, "decision");
	close_lesson(made);
}

/* On a small screen the key that goes on reads on first. */
static void a_long_text_is_read_by_pages(void **state)
{
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
		cmocka_unit_test(a_guess_has_no_answer), cmocka_unit_test(only_hints_that_are_there_are_offered),
		cmocka_unit_test(an_error_leaves_the_instruction), cmocka_unit_test(a_deed_is_judged_by_what_is_shown), cmocka_unit_test(enter_goes_on),
		cmocka_unit_test(wrong_answers_leave_the_question), cmocka_unit_test(undo_leaves_what_the_lesson_holds),
		cmocka_unit_test(steps_before_have_their_states), cmocka_unit_test(what_is_said_is_said_once), cmocka_unit_test(a_hint_hides_no_view),
		cmocka_unit_test(a_lecture_has_one_pane), cmocka_unit_test(every_size_is_drawn),
	};
	return cmocka_run_group_tests(tests, session_group_open, session_group_close);
}
