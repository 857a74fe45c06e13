/* Goes through a lesson from its beginning to its end: answers to its questions, and hints. */
#include <ctype.h>
#include <math.h>

#include "command/lesson_private.h"

/* The answer that a step expects: a figure, and the tolerance. */
struct expected {
	double value, slack;
};

static const struct bw_lesson_line *expect_line(const struct lessoning *lessoning)
{
	return &lessoning->run.lesson->lines[bw_lesson_step(lessoning)->expect];
}

/* Reads `NUMBER +- N%` or `NUMBER +- N`, with figures in braces. */
static bool read_expected(struct bw_session *session, struct expected *expected, struct bw_error *error)
{
	const struct bw_lesson_line *line = expect_line(lessoning_of(session));
	char *text = bw_lesson_fill(session, line->text, true, error), *end;
	if (!text)
		return bw_lesson_fail(session, line, error);
	expected->value = strtod(text, &end);
	expected->slack = 0;
	bool good = end > text;
	end += strspn(end, " ");
	if (good && !strncmp(end, "+-", 2)) {
		const char *number = end + 2;
		expected->slack = strtod(number, &end);
		good = end > number;
		if (*end == '%') {
			expected->slack *= fabs(expected->value) / 100;
			end++;
		}
	}
	good = good && !*end;
	if (!good) {
		bw_fail(error, BW_ERROR_INPUT, "expect takes NUMBER, or NUMBER +- N%%, not \"%s\"", text);
		bw_lesson_fail(session, line, error);
	}
	free(text);
	return good;
}

/* Reads a number as people write it: `12,000`, `12 %`, `0.5x`, `48 KB`, `1/4`. */
static bool read_number(const char *text, double *number)
{
	static const struct {
		const char *word;
		double factor;
	} units[] = {{"%", 0.01}, {"k", 1e3}, {"kb", 1e3},  {"m", 1e6},   {"mb", 1e6}, {"million", 1e6},
		     {"b", 1},    {"x", 1},   {"bytes", 1}, {"times", 1}, {"ms", 1}};
	BW_SCOPED_TEXT plain = {0};
	for (; *text; text++)
		if (*text != ',' && *text != ' ') {
			char small = (char)tolower((unsigned char)*text);
			bw_text_append(&plain, &small, 1);
		}
	char *end;
	*number = strtod(bw_text_get(&plain), &end);
	bool good = plain.length && end > bw_text_get(&plain);
	const char *below = end + 1;
	if (good && *end == '/')
		*number /= strtod(below, &end);
	good = good && end != below && isfinite(*number);
	bool known = good && !*end;
	for (size_t i = 0; good && *end && i < sizeof units / sizeof *units; i++)
		if (!strcmp(units[i].word, end)) {
			*number *= units[i].factor;
			known = true;
		}
	return good && known;
}

/* Appends the replies that follow line `from`, a choice or an expect, up to the next line with another
 * word. */
static bool show_replies(struct bw_session *session, int from, char **to, struct bw_error *error)
{
	struct lessoning *lessoning = lessoning_of(session);
	const struct bw_lesson *lesson = lessoning->run.lesson;
	for (int i = from + 1; i < bw_lesson_step(lessoning)->end; i++) {
		const struct bw_lesson_line *line = &lesson->lines[i];
		bool another_fact =
		    line->word == BW_LESSON_EXPECT && lesson->lines[from].word == BW_LESSON_EXPECT;
		if (line->word == BW_LESSON_NOTE || another_fact)
			continue;
		if (line->word != BW_LESSON_REPLY)
			return true;
		char *text = bw_lesson_fill(session, line->text, false, error);
		if (!text)
			return bw_lesson_fail(session, line, error);
		bw_lesson_join(to, text, " ");
	}
	return true;
}

static int choice_line(const struct lessoning *lessoning, int number)
{
	const struct bw_lesson_step *step = bw_lesson_step(lessoning);
	int seen = 0;
	for (int i = step->first; i < step->end; i++)
		if (lessoning->run.lesson->lines[i].word == BW_LESSON_CHOICE && ++seen == number)
			return i;
	return step->first;
}

/* Returns the number of the right choice; 0: any. */
static int right_choice(const struct lessoning *lessoning)
{
	return atoi(expect_line(lessoning)->text);
}

/* Marks the present step as answered, and shows the reply. chosen: number of the choice; 0: none was
 * chosen. */
static bool answered(struct bw_session *session, int chosen, struct bw_error *error)
{
	struct lessoning *lessoning = lessoning_of(session);
	struct bw_lesson_run *run = &lessoning->run;
	const struct bw_lesson_step *step = bw_lesson_step(lessoning);
	struct bw_lesson_page *page = &run->pages[run->step];
	run->answered = true;
	free(page->reply);
	page->reply = NULL;
	page->chosen = chosen;
	if (step->how == BW_ENDS_CHOICE && !chosen)
		page->reply = bw_strdup("This is a guess: any answer is right.");
	if (chosen && !show_replies(session, choice_line(lessoning, chosen), &page->reply, error))
		return false;
	bool good = show_replies(session, step->expect, &page->reply, error);
	if (good && !page->reply)
		page->reply = bw_strdup("Right.");
	bw_lesson_tell(session);
	return good;
}

/* Shows that an answer is wrong. */
static bool refuse(struct bw_session *session, char *why)
{
	struct lessoning *lessoning = lessoning_of(session);
	struct bw_lesson_page *page = &lessoning->run.pages[lessoning->run.step];
	free(page->reply);
	page->reply = why;
	bw_lesson_tell(session);
	return true;
}

static bool answer_choice(struct bw_session *session, const char *text, struct bw_error *error)
{
	struct lessoning *lessoning = lessoning_of(session);
	const struct bw_lesson_step *step = bw_lesson_step(lessoning);
	char *reply = NULL;
	long number;
	if (!bw_read_number(text, 1, step->n_choices, &number))
		return bw_fail(error, BW_ERROR_USAGE, "answer with the number of a choice, 1 to %d",
			       step->n_choices);
	if (number == right_choice(lessoning) || !right_choice(lessoning))
		return answered(session, (int)number, error);
	if (!show_replies(session, choice_line(lessoning, (int)number), &reply, error))
		return false;
	char *why = bw_format("Not %ld.%s%s", number, reply ? " " : "", reply ? reply : "");
	free(reply);
	return refuse(session, why);
}

static bool answer_number(struct bw_session *session, const char *text, struct bw_error *error)
{
	struct expected expected;
	double number;
	if (!read_number(text, &number))
		return bw_fail(error, BW_ERROR_USAGE, "answer with a number, not \"%s\"", text);
	if (!read_expected(session, &expected, error))
		return false;
	if (fabs(expected.value) <= 1 && fabs(number) > 1)
		number /= 100; /* the learner has answered a share in percent */
	if (fabs(number - expected.value) <= expected.slack + 1e-9 * fabs(expected.value))
		return answered(session, 0, error);
	return refuse(session, bw_format("Not %s: it is %s.", text, number < expected.value ? "more" : "less"));
}

/* Returns true if `text` is the right answer to the present step. Sets *error if `text` is no valid
 * answer. */
static bool answer_with(struct bw_session *session, const char *text, struct bw_error *error)
{
	const struct lessoning *lessoning = lessoning_of(session);
	const struct bw_lesson_step *step = bw_lesson_step(lessoning);
	if (!step || step->how == BW_ENDS_PAUSE || lessoning->run.answered)
		return bw_fail(error, BW_ERROR_USAGE, "there is no open question; `lesson next` goes on");
	if (step->how == BW_ENDS_FACT)
		return bw_fail(error, BW_ERROR_USAGE, "this step is answered by doing it; %s",
			       bw_lesson_help(&lessoning->run));
	if (!bw_lesson_come_back(session, error))
		return false;
	return step->how == BW_ENDS_CHOICE ? answer_choice(session, text, error)
					   : answer_number(session, text, error);
}

/* Returns true if a fact is about the cursor or the view, not about a state. */
static bool is_of_the_cursor(const char *fact)
{
	static const char *const words[] = {"position", "decision", "option", "view", "selected", "states",
					    "enumerated", "legal", "bucketed", "sampled", "costed", "kept"};
	size_t length = strcspn(fact, " ");
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == length && !strncmp(fact, words[i], length))
			return true;
	return false;
}

/* Returns true if a fact of the present step holds. An incomplete state costs less than a complete one, so
 * that going back in the search does not count as an answer. */
static bool one_holds(struct bw_session *session, const struct bw_lesson_line *line, struct bw_error *error)
{
	BW_SCOPED_MEMORY char *fact = bw_lesson_fill(session, line->text, true, error);
	if (!fact)
		return false;
	if (session->cursor < lessoning_of(session)->stood.cursor && !is_of_the_cursor(fact))
		return bw_fail(error, BW_ERROR_WRONG, "the state is not finished; `run end` finishes it");
	if (bw_session_holds(session, fact, error))
		return true;
	BW_SCOPED_MEMORY char *said = bw_lesson_fill(session, line->text, false, NULL);
	if (said)
		bw_lesson_say_fact(fact, said, error);
	return false;
}

/* Returns true if all facts of the present step hold. Returns false with *error if a fact does not hold or
 * cannot be read. in_file: the error names the line of the lesson. */
static bool facts_hold(struct bw_session *session, bool in_file, struct bw_error *error)
{
	const struct lessoning *lessoning = lessoning_of(session);
	const struct bw_lesson_step *step = bw_lesson_step(lessoning);
	for (int i = step->expect; i < step->end; i++) {
		const struct bw_lesson_line *line = &lessoning->run.lesson->lines[i];
		if (line->word == BW_LESSON_EXPECT && !one_holds(session, line, error))
			return in_file && bw_lesson_fail(session, line, error);
	}
	return true;
}

/* Makes the reply again if its figures have changed. Returns true if they have. */
static bool renew_reply(struct bw_session *session)
{
	struct lessoning *lessoning = lessoning_of(session);
	struct bw_lesson_page *page = &lessoning->run.pages[lessoning->run.step];
	struct bw_error error = {0};
	char *reply = NULL;
	if (!show_replies(session, bw_lesson_step(lessoning)->expect, &reply, &error) || !reply ||
	    !strcmp(reply, page->reply)) {
		free(reply);
		return false;
	}
	free(page->reply);
	page->reply = reply;
	bw_lesson_tell(session);
	return true;
}

bool bw_lesson_observe(struct bw_session *session)
{
	const struct lessoning *lessoning = lessoning_of(session);
	const struct bw_lesson_step *step = lessoning ? bw_lesson_step(lessoning) : NULL;
	struct bw_error error = {0};
	if (!step || step->how != BW_ENDS_FACT || session->target >= 0 || lessoning->runs ||
	    lessoning->run.shown < lessoning->run.step ||
	    !facts_hold(session, false, &error))
		return false;
	return lessoning->run.answered ? renew_reply(session) : answered(session, 0, &error);
}

/* Runs the commands of the step's solution. */
static bool run_solution(struct bw_session *session, struct bw_text *out, struct bw_error *error)
{
	const struct lessoning *lessoning = lessoning_of(session);
	const struct bw_lesson_step *step = bw_lesson_step(lessoning);
	bool any = false;
	for (int i = step->first; i < step->end; i++) {
		const struct bw_lesson_line *line = &lessoning->run.lesson->lines[i];
		if (line->word == BW_LESSON_SOLUTION && !bw_lesson_command(session, line, true, out, error))
			return false;
		any |= line->word == BW_LESSON_SOLUTION;
	}
	if (any)
		return true;
	bw_fail(error, BW_ERROR_INPUT, "this fact has no solution: before expect, write `solution COMMAND`");
	return bw_lesson_fail(session, expect_line(lessoning), error);
}

bool bw_lesson_solve(struct bw_session *session, bool strict, struct bw_text *out, struct bw_error *error)
{
	const struct lessoning *lessoning = lessoning_of(session);
	const struct bw_lesson_step *step = bw_lesson_step(lessoning);
	struct expected expected;
	struct bw_error not_yet = {0};
	if (!step || step->how == BW_ENDS_PAUSE || lessoning->run.answered)
		return true;
	if (!bw_lesson_come_back(session, error))
		return false;
	if (step->how == BW_ENDS_NUMBER && !read_expected(session, &expected, error))
		return false;
	if (step->how == BW_ENDS_FACT && strict && facts_hold(session, false, &not_yet)) {
		bw_fail(error, BW_ERROR_WRONG, "this holds before the learner does anything");
		return bw_lesson_fail(session, expect_line(lessoning), error);
	}
	if (step->how == BW_ENDS_FACT && (!run_solution(session, out, error) || !facts_hold(session, true, error)))
		return false;
	return answered(session, step->how == BW_ENDS_CHOICE ? right_choice(lessoning) : 0, error);
}

bool bw_lesson_check(struct bw_session *session, struct bw_error *error)
{
	const struct lessoning *lessoning = lessoning_of(session);
	const struct bw_lesson_step *step = bw_lesson_step(lessoning);
	for (int i = step ? step->first : 0; step && i < step->end; i++) {
		const struct bw_lesson_line *line = &lessoning->run.lesson->lines[i];
		if (line->word != BW_LESSON_REPLY && line->word != BW_LESSON_HINT &&
		    line->word != BW_LESSON_NOTE)
			continue;
		if (line->word == BW_LESSON_REPLY && step->how == BW_ENDS_FACT)
			continue; /* the reply to a task that is not done yet; it is filled when the task is
				     done */
		BW_SCOPED_MEMORY char *text = bw_lesson_fill(session, line->text, false, error);
		if (!text)
			return bw_lesson_fail(session, line, error);
	}
	return true;
}

/* Shows the next hint, or says that there is none. */
static bool hint(struct call *call)
{
	struct bw_session *session = call->session;
	struct bw_error *error = call->error;
	struct lessoning *lessoning = lessoning_of(session);
	struct bw_lesson_run *run = &lessoning->run;
	const struct bw_lesson_step *step = bw_lesson_step(lessoning);
	if (run->shown < run->step && !bw_lesson_turn(session, run->step, error))
		return false;
	if (!step || run->answered)
		return bw_fail(error, BW_ERROR_USAGE, "there is no open question; `lesson next` goes on");
	if (!bw_lesson_has_hint(run)) {
		bw_session_say(call, "%s; %s", run->hints ? "that was the last hint" : "this step has no hint",
			       bw_lesson_help(run));
		return true;
	}
	int seen = 0;
	for (int i = step->first; i < step->end; i++) {
		const struct bw_lesson_line *line = &run->lesson->lines[i];
		if (line->word != BW_LESSON_HINT || seen++ != run->hints)
			continue;
		char *text = bw_lesson_fill(session, line->text, false, error);
		if (!text)
			return bw_lesson_fail(session, line, error);
		bw_lesson_join(&run->pages[run->step].hints, text, "\n\n");
	}
	run->hints++;
	free(run->pages[run->step].reply);
	run->pages[run->step].reply = NULL;
	bw_lesson_tell(session);
	return true;
}

static bool back(struct bw_session *session, struct bw_error *error)
{
	struct bw_lesson_run *run = &lessoning_of(session)->run;
	if (!run->shown)
		return bw_fail(error, BW_ERROR_USAGE, "this is the first step");
	return bw_lesson_turn(session, run->shown - 1, error);
}

/* Runs `lesson answer`. Without a text, shows the answer. */
static bool answer(struct call *call, const char *text)
{
	const struct bw_lesson_run *run = &lessoning_of(call->session)->run;
	if (run->shown < run->step && !bw_lesson_turn(call->session, run->step, call->error))
		return false;
	return *text ? answer_with(call->session, text, call->error)
		     : bw_lesson_solve(call->session, false, call->out, call->error);
}

/* Runs the command `lesson` while a lesson is open. */
static bool run_command(struct call *call)
{
	static const char *const words[] = {"next", "back", "hint", "answer"};
	struct bw_session *session = call->session;
	if (lessoning_of(session)->runs)
		return bw_fail(call->error, BW_ERROR_USAGE, "a lesson does not turn its own pages");
	const char *rest = call->rest;
	BW_SCOPED_MEMORY char *word = bw_take_word(&rest);
	int which = bw_word_find(words, sizeof words / sizeof *words, word, "word", call->error);
	return which >= 0 && (which == 0   ? bw_lesson_next(session, call->out, call->error)
			      : which == 1 ? back(session, call->error)
			      : which == 2 ? hint(call)
					   : answer(call, rest));
}

/* Returns false with an error that says what the step waits for. */
static bool fail_open(struct bw_session *session, struct bw_error *error)
{
	const struct bw_lesson_run *run = &lessoning_of(session)->run;
	struct bw_error lacks = {0};
	if (run->lesson->steps[run->step].how != BW_ENDS_FACT)
		return bw_fail(error, BW_ERROR_USAGE, "the question waits for its answer; %s",
			       bw_lesson_help(run));
	facts_hold(session, false, &lacks);
	return bw_fail(error, BW_ERROR_USAGE, "this step goes on once you have done what it asks. Not yet: %s",
		       lacks.text + (strncmp(lacks.text, "assert ", 7) ? 0 : 7));
}

bool bw_lesson_next(struct bw_session *session, struct bw_text *out, struct bw_error *error)
{
	struct lessoning *lessoning = lessoning_of(session);
	struct bw_lesson_run *run = &lessoning->run;
	if (run->shown < run->step)
		return bw_lesson_turn(session, run->shown + 1, error);
	if (run->step >= run->lesson->n_steps)
		return true;
	if (!run->answered && run->lecture)
		return bw_lesson_solve(session, false, out, error);
	if (!run->answered)
		return fail_open(session, error);
	if (run->lesson->steps[run->step].how != BW_ENDS_FACT && !bw_lesson_come_back(session, error))
		return false;
	memcpy(session->view, lessoning->stood.view, sizeof session->view);
	bw_lesson_mark(session, &lessoning->places[run->step++]);
	bool good = bw_lesson_enter(session, out, error);
	bw_lesson_tell(session);
	return good;
}

static void end(struct bw_session *session)
{
	struct lessoning *lessoning = lessoning_of(session);
	for (int i = 0; i < lessoning->n_remembered; i++)
		free(lessoning->remembered[i].name);
	free(lessoning->remembered);
	for (int i = 0; i < lessoning->run.lesson->n_steps; i++)
		bw_lesson_free_page(&lessoning->run.pages[i]);
	free(lessoning->run.pages);
	free(lessoning->places);
	bw_journal_set_floor(session, 0);
}

static const struct bw_session_part part = {
    .size = sizeof(struct lessoning),
    .command = run_command,
    .end = end,
};

bool bw_lesson_begin(struct bw_session *session, const struct bw_lesson *lesson, int step, bool lecture,
		     struct bw_error *error)
{
	bw_lesson_end(session);
	bw_session_add(session, BW_PART_LESSON, &part);
	struct lessoning *lessoning = lessoning_of(session);
	lessoning->run.lesson = lesson;
	lessoning->run.lecture = lecture;
	lessoning->run.pages = BW_NEW_ARRAY(struct bw_lesson_page, lesson->n_steps + 1);
	lessoning->places = BW_NEW_ARRAY(struct lesson_place, lesson->n_steps + 1);
	lessoning->beginning = -1;
	if (!bw_lesson_enter(session, NULL, error))
		return false;
	while (lessoning->run.step < step && lessoning->run.step < lesson->n_steps)
		if ((!lessoning->run.answered && !bw_lesson_solve(session, false, NULL, error)) ||
		    !bw_lesson_next(session, NULL, error))
			return false;
	return true;
}

void bw_lesson_end(struct bw_session *session)
{
	bw_session_remove(session, BW_PART_LESSON);
}
