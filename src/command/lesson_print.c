/* Lessons as plain text: the page of a step, and the lecturer's notes. */

#include "command/lesson_private.h"

/* Appends a text in lines of at most `columns`, each indented; `first` precedes the first line. */
static void wrap(const char *text, const char *first, int indent, int columns, struct bw_text *out)
{
	int at = indent;
	bool starts = true;
	bw_text_printf(out, "%-*s", indent, first);
	for (const char *word = text; *word;) {
		int length = (int)strcspn(word, " \n");
		if (!starts && at + 1 + length > columns) {
			bw_text_printf(out, "\n%*s", indent, "");
			at = indent;
			starts = true;
		}
		bw_text_printf(out, "%s%.*s", starts ? "" : " ", length, word);
		at += length + !starts;
		starts = false;
		word += length;
		if (*word == '\n') {
			bw_text_printf(out, "\n%s%*s", word[1] == '\n' ? "\n" : "", indent, "");
			word += strspn(word, "\n");
			at = indent;
			starts = true;
		}
		word += strspn(word, " ");
	}
	bw_text_puts(out, "\n");
}

/* Appends what the learner can do next. */
static void put_next(const struct lessoning *lessoning, struct bw_text *out)
{
	const struct bw_lesson_run *run = &lessoning->run;
	const struct bw_lesson_step *step = bw_lesson_step(lessoning);
	if (run->shown < run->step || run->answered || !step)
		bw_text_puts(out, "[Enter goes on]\n");
	else
		bw_text_printf(out, "[%s; %s]\n",
			       step->how == BW_ENDS_FACT ? "give commands until it is so" : "answer with a number",
			       bw_lesson_has_hint(run) ? "! gives a hint" : "`lesson answer` shows the answer");
}

void bw_lesson_print(const struct bw_session *session, int columns, struct bw_text *out)
{
	const struct lessoning *lessoning = lessoning_of(session);
	const struct bw_lesson_run *run = &lessoning->run;
	const struct bw_lesson *lesson = run->lesson;
	if (run->shown >= lesson->n_steps) {
		bw_text_printf(out, "-- %s: the lesson is over\n", lesson->title);
		if (lesson->next)
			bw_text_printf(out, "-- the next one: beamwalk learn %s\n", lesson->next);
		return;
	}
	const struct bw_lesson_page *page = &run->pages[run->shown];
	if (run->shown == run->step && run->answered && page->reply) {
		wrap(page->reply, "> ", 2, columns, out);
		put_next(lessoning, out);
		return;
	}
	bw_text_printf(out, "-- %s, step %d of %d\n", lesson->title, run->shown + 1, lesson->n_steps);
	if (page->said)
		wrap(page->said, "", 0, columns, out);
	if (page->ask)
		wrap(page->ask, "? ", 2, columns, out);
	for (int i = 0; i < page->n_choices; i++) {
		char number[8];
		snprintf(number, sizeof number, "%c %d ", page->chosen == i + 1 ? '*' : ' ', i + 1);
		wrap(page->choices[i], number, 4, columns, out);
	}
	if (page->hints)
		wrap(page->hints, "! ", 2, columns, out);
	if (page->reply)
		wrap(page->reply, "> ", 2, columns, out);
	put_next(lessoning, out);
}

enum { NOTE_COLUMNS = 78 };

/* Appends the answer that the present step expects; for a choice, with its text. */
static void put_answer(struct bw_session *session, const struct bw_lesson_line *line, const char *text,
		       struct bw_text *out)
{
	const struct bw_lesson_run *run = &lessoning_of(session)->run;
	const struct bw_lesson_page *page = &run->pages[run->step];
	int choice = atoi(line->text);
	BW_SCOPED_TEXT answer = {0};
	bw_text_puts(&answer, text);
	if (choice > 0 && choice <= page->n_choices)
		bw_text_printf(&answer, ": %s", page->choices[choice - 1]);
	wrap(bw_text_get(&answer), "answer:   ", 10, NOTE_COLUMNS, out);
}

/* Appends a line of the present step, with its figures, if the line is for the lecturer. */
static void put_note(struct bw_session *session, const struct bw_lesson_line *line, struct bw_text *out)
{
	struct bw_error error = {0};
	bool plain = line->word == BW_LESSON_SOLUTION;
	if (!plain && line->word != BW_LESSON_NOTE && line->word != BW_LESSON_HINT &&
	    line->word != BW_LESSON_EXPECT)
		return;
	char *filled = plain ? NULL : bw_lesson_fill(session, line->text, false, &error);
	const char *text = filled ? filled : line->text;
	if (plain)
		bw_text_printf(out, "solution: %s\n", text);
	else if (line->word == BW_LESSON_EXPECT)
		put_answer(session, line, text, out);
	else
		wrap(text, line->word == BW_LESSON_HINT ? "hint:     " : "note:     ", 10, NOTE_COLUMNS, out);
	free(filled);
}

void bw_lesson_notes(struct bw_session *session, struct bw_text *out)
{
	const struct bw_lesson_run *run = &lessoning_of(session)->run;
	const struct bw_lesson *lesson = run->lesson;
	if (run->step >= lesson->n_steps) {
		bw_text_printf(out, "\n== %s: the lesson is over\n", lesson->title);
		return;
	}
	const struct bw_lesson_step *step = &lesson->steps[run->step];
	bool answered = run->answered && step->expect >= 0;
	bw_text_printf(out, "\n== %s, step %d of %d%s\n", lesson->title, run->step + 1, lesson->n_steps,
		       answered ? ", answered" : "");
	for (int i = step->first; !answered && i < step->end; i++)
		put_note(session, &lesson->lines[i], out);
	for (int i = step->end; run->step + 1 < lesson->n_steps && i < step[1].end; i++)
		if (lesson->lines[i].word == BW_LESSON_NOTE)
			wrap(lesson->lines[i].text, "next:     ", 10, NOTE_COLUMNS, out);
}
