/* Texts of lessons: figures and keys in braces, and the page of a step. */
#include <stdlib.h>
#include <string.h>

#include "command/lesson_private.h"

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

/* Combines two figures: a ratio of two of the same kind is a factor, all else keeps the kind of the first. */
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

/* Reads figures with ` / `, ` * `, ` - ` or ` + ` between, from left to right. */
static bool read_figure(struct bw_session *session, const char *text, struct bw_figure *figure,
			struct bw_error *error)
{
	char sign = 0;
	for (bool first = true; first || sign; first = false) {
		const char *at = text;
		while (*at && !(at[0] == ' ' && at[1] && strchr("/*-+", at[1]) && at[2] == ' '))
			at++;
		struct bw_figure operand;
		char *one = trimmed(text, (size_t)(at - text));
		bool good = read_operand(session, one, &operand, error);
		free(one);
		if (!good || (!first && !combine(figure, sign, &operand, error)))
			return false;
		if (first)
			*figure = operand;
		sign = *at ? at[1] : 0;
		text = *at ? at + 3 : at;
	}
	return true;
}

/* Appends what stands for the text between two braces. */
static bool fill_one(struct bw_session *session, const char *text, bool raw, struct bw_text *out,
		     struct bw_error *error)
{
	struct bw_figure figure;
	if (!strncmp(text, "key ", 4)) {
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
	struct bw_text filled = {0};
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
		char *inside = trimmed(text + 1, length - 1);
		good = fill_one(session, inside, raw, &filled, error);
		free(inside);
		text += length + 1;
	}
	if (good)
		return bw_text_take(&filled);
	bw_text_free(&filled);
	return NULL;
}

bool bw_lesson_remember(struct bw_session *session, const char *text, struct bw_error *error)
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
	BW_GROW(lessoning->remembered, lessoning->n_remembered, lessoning->remembered_capacity);
	lessoning->remembered[lessoning->n_remembered++] = (struct remembered){name, figure};
	return true;
}

void bw_lesson_paragraph(char **text, char *more)
{
	struct bw_text joined = {0};
	bw_text_printf(&joined, "%s%s%s", *text ? *text : "", *text ? "\n\n" : "", more);
	free(*text);
	free(more);
	*text = bw_text_take(&joined);
}

/* Appends the text of a line: with a blank to what stands there, or as a new paragraph. Takes text. */
static void join(char **to, char *text, bool new_paragraph)
{
	if (!*to || new_paragraph) {
		bw_lesson_paragraph(to, text);
		return;
	}
	struct bw_text joined = {0};
	bw_text_printf(&joined, "%s %s", *to, text);
	free(*to);
	free(text);
	*to = bw_text_take(&joined);
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
		join(line->word == BW_LESSON_ASK ? &page->ask : &page->said, text, new_paragraph);
	return true;
}

bool bw_lesson_fill_page(struct bw_session *session, struct bw_error *error)
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
