/* Fuzzes lesson files: each is read, or refused by file and line; what is read can be taken to its end, or stops with an error of that form. */
#include "fuzz.h"
#include "command/lesson.h"

static void take(const struct bw_lesson *lesson)
{
	struct bw_error error = {0};
	struct bw_text out = {0};
	struct bw_session *session = fuzz_session();
	bool good = bw_lesson_begin(session, lesson, 0, false, &error);
	for (int step = 0; good && step <= lesson->n_steps; step++) {
		fuzz_settle(session);
		bw_lesson_print(session, 80, &out);
		bw_lesson_notes(session, &out);
		bw_lesson_observe(session);
		good = bw_lesson_check(session, &error) && bw_lesson_solve(session, false, &out, &error) && bw_lesson_next(session, &out, &error);
	}
	expect(good || (*error.text && !strchr(error.text, '\n') && is_plain(error.text)), "what stops a lesson is told in a line");
	if (bw_session_lesson(session))
		bw_lesson_end(session);
	bw_session_free(session);
	bw_text_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct bw_error error = {0};
	struct bw_text text = {0};
	bw_text_append(&text, (const char *)bytes, length);
	bool may_run = fuzz_may_run(bw_text_get(&text));
	bw_text_free(&text);
	fuzz_write("x.lesson", bytes, length);
	struct bw_lesson *lesson = bw_lesson_read("x.lesson", &error);
	expect(lesson || !strncmp(error.text, "x.lesson", 8), "errors begin with the file");
	if (lesson && may_run)
		take(lesson);
	if (lesson)
		bw_lesson_free(lesson);
	return 0;
}
