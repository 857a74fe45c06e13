/* Lessons under way: from step to step. */
#include "command/lesson.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "command/lesson_private.h"

const struct bw_lesson_run *bw_session_lesson(const struct bw_session *session)
{
	const struct lessoning *lessoning = lessoning_of(session);
	return lessoning ? &lessoning->run : NULL;
}

void bw_lesson_set_changed(struct bw_session *session, bw_lesson_changed *told, void *data)
{
	struct lessoning *lessoning = lessoning_of(session);
	if (lessoning) {
		lessoning->told = told;
		lessoning->told_data = data;
	}
}

void bw_lesson_tell(struct bw_session *session)
{
	struct lessoning *lessoning = lessoning_of(session);
	bw_session_touch(session);
	if (lessoning->told)
		lessoning->told(session, &lessoning->run, lessoning->told_data);
}

const struct bw_lesson_step *bw_lesson_step(const struct lessoning *lessoning)
{
	const struct bw_lesson_run *run = &lessoning->run;
	return run->step < run->lesson->n_steps ? &run->lesson->steps[run->step] : NULL;
}

bool bw_lesson_fail(const struct bw_session *session, const struct bw_lesson_line *line,
		    struct bw_error *error)
{
	return bw_fail_in(error, "%s:%d", lessoning_of(session)->run.lesson->path, line->number);
}

/* Runs the search to its target. */
static void settle(struct bw_session *session)
{
	while (session->target >= 0)
		bw_session_work(session, INFINITY);
}

/* Runs one line of the command language. What changes the search is shown by the views, and answers of one
 * line are of no interest: `out` gets neither. */
static bool run_line(struct bw_session *session, const char *text, bool waits, struct bw_text *out,
		     struct bw_error *error)
{
	BW_SCOPED_TEXT said = {0};
	int point = bw_session_point(session);
	bool good = waits ? bw_session_do(session, text, -1, &said, error)
			  : bw_session_run(session, text, &said, error);
	settle(session);
	const char *end = strchr(bw_text_get(&said), '\n');
	if (good && out && end && end[1] && bw_session_point(session) == point)
		bw_text_puts(out, bw_text_get(&said));
	if (good && session->message_is_error)
		good = bw_fail(error, BW_ERROR_CONFLICT, "%s", session->message);
	return good;
}

void bw_lesson_say_fact(const char *fact, const char *said, struct bw_error *error)
{
	const char *asserts = "assert ";
	size_t skip = strncmp(fact, asserts, strlen(asserts)) ? strlen(asserts) : 0, length = strlen(fact);
	if (strncmp(error->text, asserts, strlen(asserts)) || strncmp(error->text + skip, fact, length))
		return;
	BW_SCOPED_MEMORY char *found = bw_strdup(error->text + skip + length);
	bw_fail(error, error->kind, "%s%s%s", skip ? asserts : "", said, found);
}

/* Runs a command of a lesson. The lesson's author is not trusted: it neither writes files nor runs
 * programs unless the session trusts what it loads. */
bool bw_lesson_command(struct bw_session *session, const struct bw_lesson_line *line, bool waits,
		       struct bw_text *out, struct bw_error *error)
{
	bool asserts = !strncmp(line->text, "assert ", 7);
	BW_SCOPED_MEMORY char *text =
	    asserts ? bw_lesson_fill(session, line->text, true, error) : bw_strdup(line->text);
	bool before = bw_session_distrust(session, false);
	lessoning_of(session)->runs = true;
	bool good = text && run_line(session, text, waits, out, error);
	bw_session_restore_trust(session, before);
	lessoning_of(session)->runs = false;
	session->message[0] = 0;
	session->message_is_error = false;
	if (!good && asserts && text)
		bw_lesson_say_fact(text, line->text, error);
	return good || bw_lesson_fail(session, line, error);
}

/* Goes to a point of the history. */
static bool go_to(struct bw_session *session, int point, struct bw_error *error)
{
	BW_SCOPED_MEMORY char *line = bw_format("jump %d", point);
	bool good =
	    bw_session_point(session) == point || run_line(session, line, false, NULL, error);
	return good;
}

static bool restart(struct bw_session *session, struct bw_error *error)
{
	const struct lessoning *lessoning = lessoning_of(session);
	return (lessoning->beginning < 0 || go_to(session, lessoning->beginning, error)) &&
	       run_line(session, "run end", false, NULL, error);
}

/* Runs one line when its step begins. */
static bool enter_line(struct bw_session *session, const struct bw_lesson_line *line, struct bw_text *out,
		       struct bw_error *error)
{
	struct lessoning *lessoning = lessoning_of(session);
	switch (line->word) {
	case BW_LESSON_COMMAND:
		return bw_lesson_command(session, line, false, out, error);
	case BW_LESSON_REMEMBER:
		return bw_lesson_remember(session, line->text, error) || bw_lesson_fail(session, line, error);
	case BW_LESSON_RESTART:
		return restart(session, error) || bw_lesson_fail(session, line, error);
	case BW_LESSON_SAY:
		if (lessoning->beginning < 0)
			lessoning->beginning = bw_session_point(session);
		return true;
	default:
		return true;
	}
}

static void mark(const struct bw_session *session, struct lesson_place *place)
{
	place->point = bw_session_point(session);
	place->cursor = session->cursor;
	place->selection = session->selection;
	memcpy(place->view, session->view, sizeof session->view);
}

/* Goes to a place, but leaves the view. */
static bool stand_at(struct bw_session *session, const struct lesson_place *place, struct bw_error *error)
{
	BW_SCOPED_MEMORY char *line = bw_format("run %d", place->cursor);
	bool good = go_to(session, place->point, error) &&
		    (session->cursor == place->cursor || run_line(session, line, false, NULL, error));
	if (!good)
		return bw_fail_in(
		    error, "the lesson cannot go back to its step; leave, and `beamwalk learn` resumes it");
	session->selection = place->selection;
	bw_session_clamp(session);
	return good;
}

/* Runs the present step's commands, and makes its page. */
static bool enter(struct bw_session *session, struct bw_text *out, struct bw_error *error)
{
	struct lessoning *lessoning = lessoning_of(session);
	const struct bw_lesson_step *step = bw_lesson_step(lessoning);
	lessoning->run.hints = 0;
	lessoning->run.answered = !step || step->how == BW_ENDS_PAUSE;
	lessoning->run.shown = lessoning->run.step;
	bw_journal_set_floor(session, 0);
	if (!step)
		return true;
	for (int i = step->first; i < step->end; i++)
		if (!enter_line(session, &lessoning->run.lesson->lines[i], out, error))
			return false;
	mark(session, &lessoning->stood);
	bw_journal_set_floor(session, lessoning->stood.point);
	return bw_lesson_fill_page(session, error);
}

bool bw_lesson_come_back(struct bw_session *session, struct bw_error *error)
{
	return stand_at(session, &lessoning_of(session)->stood, error);
}

bool bw_lesson_turn(struct bw_session *session, int step, struct bw_error *error)
{
	struct lessoning *lessoning = lessoning_of(session);
	struct bw_lesson_run *run = &lessoning->run;
	if (run->shown == run->step && run->step < run->lesson->n_steps)
		mark(session, &lessoning->places[run->step]);
	if (step < run->lesson->n_steps) {
		if (!stand_at(session, &lessoning->places[step], error))
			return false;
		memcpy(session->view, lessoning->places[step].view, sizeof session->view);
	}
	run->shown = step;
	session->message[0] = 0;
	bw_lesson_tell(session);
	return true;
}

bool bw_lesson_has_hint(const struct bw_lesson_run *run)
{
	return run->step < run->lesson->n_steps && run->hints < run->lesson->steps[run->step].n_hints;
}

const char *bw_lesson_help(const struct bw_lesson_run *run)
{
	return bw_lesson_has_hint(run) ? "`lesson hint` helps" : "`lesson answer` shows the answer";
}

bool bw_lesson_stands(const struct bw_session *session)
{
	const struct lessoning *lessoning = lessoning_of(session);
	const struct bw_lesson_run *run = lessoning ? &lessoning->run : NULL;
	return run && !strcmp(session->view, run->shown < run->step ? lessoning->places[run->shown].view
								      : lessoning->stood.view);
}

/* Fails with an error that says what the step waits for. */
static bool refuse(struct bw_session *session, struct bw_error *error)
{
	const struct bw_lesson_run *run = &lessoning_of(session)->run;
	if (run->lesson->steps[run->step].how != BW_ENDS_FACT)
		return bw_fail(error, BW_ERROR_USAGE, "the question waits for its answer; %s",
			       bw_lesson_help(run));
	BW_SCOPED_TEXT lacks = {0};
	bw_lesson_lacks(session, &lacks);
	bw_fail(error, BW_ERROR_USAGE, "this step goes on once you have done what it asks. Not yet: %s",
		bw_text_get(&lacks));
	return false;
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
		return refuse(session, error);
	if (run->lesson->steps[run->step].how != BW_ENDS_FACT && !bw_lesson_come_back(session, error))
		return false;
	memcpy(session->view, lessoning->stood.view, sizeof session->view);
	mark(session, &lessoning->places[run->step++]);
	bool good = enter(session, out, error);
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
    .command = bw_lesson_run_command,
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
	if (!enter(session, NULL, error))
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
