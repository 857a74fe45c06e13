/* Lessons as plain text: the page of a step, and the lecturer's notes. */
#include <stdio.h>

#include "command/lesson_private.h"

/* Appends text broken into lines of at most `columns`, each with an indentation; `first` stands before the
 * first. */
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

/* Appends the action that is due now. */
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

/* Appends the lines of a step that concern the lecturer. */
static void put_notes(const struct lessoning *lessoning, int number, struct bw_text *out)
{
	enum { COLUMNS = 78 };
	const struct bw_lesson *lesson = lessoning->run.lesson;
	const struct bw_lesson_step *step = &lesson->steps[number];
	for (int i = step->first; i < step->end; i++) {
		const struct bw_lesson_line *line = &lesson->lines[i];
		if (line->word == BW_LESSON_NOTE || line->word == BW_LESSON_HINT)
			wrap(line->text, line->word == BW_LESSON_HINT ? "hint:     " : "note:     ", 10,
			     COLUMNS, out);
		else if (line->word == BW_LESSON_EXPECT)
			wrap(line->text, "answer:   ", 10, COLUMNS, out);
		else if (line->word == BW_LESSON_SOLUTION)
			bw_text_printf(out, "solution: %s\n", line->text);
	}
}

void bw_lesson_notes(const struct bw_session *session, struct bw_text *out)
{
	const struct lessoning *lessoning = lessoning_of(session);
	const struct bw_lesson *lesson = lessoning->run.lesson;
	int step = lessoning->run.step;
	if (step >= lesson->n_steps) {
		bw_text_printf(out, "\n== %s: the lesson is over\n", lesson->title);
		return;
	}
	bw_text_printf(out, "\n== %s, step %d of %d%s\n", lesson->title, step + 1, lesson->n_steps,
		       lessoning->run.answered && bw_lesson_step(lessoning)->expect >= 0 ? ", answered" : "");
	put_notes(lessoning, step, out);
	if (step + 1 < lesson->n_steps)
		bw_text_puts(out, "-- next:\n");
	if (step + 1 < lesson->n_steps)
		put_notes(lessoning, step + 1, out);
}
