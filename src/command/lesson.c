/* A lesson in progress: the texts of a step with their figures, the step's commands, and moving to another
 * step. */
#include "command/lesson.h"

#include <math.h>

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

/* Texts of lessons: figures and keys in braces, and the page of a step. */

/* Returns the text without the blanks at its ends; free(). */
static char *trimmed(const char *text, size_t length)
{
	while (length && *text == ' ')
		text++, length--;
	while (length && text[length - 1] == ' ')
		length--;
	char *copy = bw_strdup(text);
	copy[length] = 0;
	return copy;
}

/* Reads one operand: a number, a remembered name, or a figure of the session. */
static bool read_operand(struct bw_session *session, const char *text, struct bw_figure *figure,
			 struct bw_error *error)
{
	const struct lessoning *lessoning = lessoning_of(session);
	char *end;
	*figure = (struct bw_figure){.kind = BW_FIGURE_COUNT, .value = strtod(text, &end)};
	if (end > text && !*end)
		return true;
	for (int i = 0; lessoning && i < lessoning->n_remembered; i++)
		if (!strcmp(lessoning->remembered[i].name, text)) {
			*figure = lessoning->remembered[i].figure;
			return true;
		}
	return bw_figure_read(session, text, figure, error);
}

/* Combines two figures: a ratio of two figures of one kind is a factor; any other result has the kind
 * of the first. */
static bool combine(struct bw_figure *figure, char sign, const struct bw_figure *other,
		    struct bw_error *error)
{
	if (figure->kind == BW_FIGURE_WORDS || other->kind == BW_FIGURE_WORDS)
		return bw_fail(error, BW_ERROR_INPUT, "words cannot be calculated with");
	if (sign == '/' && other->value == 0)
		return bw_fail(error, BW_ERROR_INPUT, "a division by zero");
	if (sign == '/')
		figure->kind = figure->kind == other->kind ? BW_FIGURE_TIMES : figure->kind;
	figure->value = sign == '/'   ? figure->value / other->value
			: sign == '*' ? figure->value * other->value
			: sign == '-' ? figure->value - other->value
				      : figure->value + other->value;
	return true;
}

/* Reads figures joined by ` / `, ` * `, ` - ` or ` + `, evaluated from left to right. */
static bool read_figure(struct bw_session *session, const char *text, struct bw_figure *figure,
			struct bw_error *error)
{
	char sign = 0;
	for (bool first = true; first || sign; first = false) {
		const char *at = text;
		while (*at && !(at[0] == ' ' && at[1] && strchr("/*-+", at[1]) && at[2] == ' '))
			at++;
		struct bw_figure operand;
		BW_SCOPED_MEMORY char *one = trimmed(text, (size_t)(at - text));
		bool good = read_operand(session, one, &operand, error);
		if (!good || (!first && !combine(figure, sign, &operand, error)))
			return false;
		if (first)
			*figure = operand;
		sign = *at ? at[1] : 0;
		text = *at ? at + 3 : at;
	}
	return true;
}

/* Appends the value of the text between two braces. */
static bool fill_one(struct bw_session *session, const char *text, bool raw, struct bw_text *out,
		     struct bw_error *error)
{
	struct bw_figure figure;
	if (!strncmp(text, "key ", 4)) {
		const char *command = text + 4;
		if (strncmp(command, "do ", 3) && !bw_command_find(command, strcspn(command, " ")))
			return bw_fail(error, BW_ERROR_INPUT,
				       "{%s}: no command \"%.*s\"; `key do REQUEST` is for what beamwalkrc(5) lists", text,
				       (int)strcspn(command, " "), command);
		bw_text_printf(out, "{%s}", text + 4);
		return true;
	}
	if (!read_figure(session, text, &figure, error))
		return bw_fail_in(error, "{%s}", text);
	bw_figure_print(session, &figure, raw, out);
	return true;
}

char *bw_lesson_fill(struct bw_session *session, const char *text, bool raw, struct bw_error *error)
{
	BW_SCOPED_TEXT filled = {0};
	bool good = true;
	while (good && *text) {
		size_t plain = strcspn(text, "{"), length = text[plain] ? strcspn(text + plain, "}") : 0;
		bw_text_append(&filled, text, plain);
		text += plain;
		if (!*text)
			break;
		if (!text[length]) {
			good = bw_fail(error, BW_ERROR_INPUT, "a brace is not closed: %.40s", text);
			break;
		}
		BW_SCOPED_MEMORY char *inside = trimmed(text + 1, length - 1);
		good = fill_one(session, inside, raw, &filled, error);
		text += length + 1;
	}
	if (good)
		return bw_text_take(&filled);
	return NULL;
}

/* Keeps a figure under a name: `NAME = FIGURE`. */
static bool remember(struct bw_session *session, const char *text, struct bw_error *error)
{
	struct lessoning *lessoning = lessoning_of(session);
	const char *equals = strchr(text, '=');
	struct bw_figure figure;
	if (!equals || equals == text)
		return bw_fail(error, BW_ERROR_INPUT, "remember takes NAME = FIGURE, not \"%s\"", text);
	if (!read_figure(session, equals + 1, &figure, error))
		return false;
	char *name = trimmed(text, (size_t)(equals - text));
	for (int i = 0; i < lessoning->n_remembered; i++)
		if (!strcmp(lessoning->remembered[i].name, name)) {
			lessoning->remembered[i].figure = figure;
			free(name);
			return true;
		}
	BW_PUSH(lessoning->remembered, lessoning->n_remembered, lessoning->remembered_capacity,
		(struct remembered){name, figure});
	return true;
}

void bw_lesson_join(char **to, char *more, const char *between)
{
	char *joined = bw_format("%s%s%s", *to ? *to : "", *to ? between : "", more);
	free(*to);
	free(more);
	*to = joined;
}

/* Adds a line of the step to its page. */
static bool add_line(struct bw_session *session, const struct bw_lesson_line *line,
		     struct bw_lesson_page *page, bool new_paragraph, struct bw_error *error)
{
	if (line->word != BW_LESSON_SAY && line->word != BW_LESSON_ASK && line->word != BW_LESSON_CHOICE)
		return true;
	char *text = bw_lesson_fill(session, line->text, false, error);
	if (!text)
		return bw_lesson_fail(session, line, error);
	if (line->word == BW_LESSON_CHOICE)
		page->choices[page->n_choices++] = text;
	else
		bw_lesson_join(line->word == BW_LESSON_ASK ? &page->ask : &page->said, text,
			       new_paragraph ? "\n\n" : " ");
	return true;
}

/* Fills the texts of the present step with the session's present figures. Returns false with an error that
 * names file and line. */
static bool fill_page(struct bw_session *session, struct bw_error *error)
{
	struct lessoning *lessoning = lessoning_of(session);
	const struct bw_lesson *lesson = lessoning->run.lesson;
	const struct bw_lesson_step *step = bw_lesson_step(lessoning);
	struct bw_lesson_page *page = &lessoning->run.pages[lessoning->run.step];
	bool new_paragraph = false;
	bw_lesson_free_page(page);
	for (int i = step->first; i < step->end; i++) {
		const struct bw_lesson_line *line = &lesson->lines[i];
		if (line->word == BW_LESSON_SAY && !*line->text) {
			new_paragraph = true;
			continue;
		}
		if (!add_line(session, line, page, new_paragraph, error))
			return false;
		if (line->word == BW_LESSON_SAY)
			new_paragraph = false;
	}
	return true;
}

void bw_lesson_free_page(struct bw_lesson_page *page)
{
	free(page->said);
	free(page->reply);
	free(page->ask);
	free(page->hints);
	for (int i = 0; i < page->n_choices; i++)
		free(page->choices[i]);
	*page = (struct bw_lesson_page){0};
}

/* Runs the search to its target. */
static void settle(struct bw_session *session)
{
	while (session->target >= 0)
		bw_session_work(session, INFINITY);
}

/* Runs one line of the command language. `out` gets the output unless it has only one line, which is of no
 * interest, or the search was changed, which the views show. */
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

/* Runs a command of a lesson. Lessons are not trusted: they may neither write files nor run programs, unless
 * the session trusts what it loads. */
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

/* Runs one line of a step when the step begins. */
static bool enter_line(struct bw_session *session, const struct bw_lesson_line *line, struct bw_text *out,
		       struct bw_error *error)
{
	struct lessoning *lessoning = lessoning_of(session);
	switch (line->word) {
	case BW_LESSON_COMMAND:
		return bw_lesson_command(session, line, false, out, error);
	case BW_LESSON_REMEMBER:
		return remember(session, line->text, error) || bw_lesson_fail(session, line, error);
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

void bw_lesson_mark(const struct bw_session *session, struct lesson_place *place)
{
	place->point = bw_session_point(session);
	place->cursor = session->cursor;
	place->selection = session->selection;
	memcpy(place->view, session->view, sizeof session->view);
}

/* Goes to a place, but does not change the view. */
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

bool bw_lesson_enter(struct bw_session *session, struct bw_text *out, struct bw_error *error)
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
	bw_lesson_mark(session, &lessoning->stood);
	bw_journal_set_floor(session, lessoning->stood.point);
	return fill_page(session, error);
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
		bw_lesson_mark(session, &lessoning->places[run->step]);
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
