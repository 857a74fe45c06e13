/* A lesson as plain text: from standard input, for terminals without a screen and for pipes, or all by
 * itself. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "program/learn.h"
#include "program/read.h"

enum { COLUMNS = 78 };

/* Appends the present step. For the keys in braces stand the commands behind them, or the key itself if it
 * has none. */
static void show_step(const struct bw_program *program, struct bw_text *out)
{
	struct bw_text page = {0};
	bw_lesson_print(program->session, COLUMNS, &page);
	const char *text = bw_text_get(&page);
	while (*text) {
		size_t plain = strcspn(text, "{"), length = strcspn(text + plain, "}");
		bw_text_append(out, text, plain);
		text += plain;
		if (!*text)
			break;
		struct bw_text line = {0}, key = {0};
		bw_text_append(&line, text, length);
		bw_text_puts(&line, "}");
		if (!strncmp(text, "{do ", 4))
			bw_keys_write(&program->config.keymap, bw_text_get(&line), &key);
		else
			bw_text_printf(&key, "`%.*s`", (int)length - 1, text + 1);
		bw_text_puts(out, bw_text_get(&key));
		bw_text_free(&line);
		bw_text_free(&key);
		text += length + (text[length] == '}');
	}
	bw_text_free(&page);
}

/* Writes the present step. */
static bool put_step(struct bw_program *program, struct bw_text *out, struct bw_error *error)
{
	show_step(program, out);
	bool good = bw_program_put(program, out, error);
	bw_text_clear(out);
	return good;
}

bool bw_learn_batch(struct bw_program *program, struct bw_error *error)
{
	struct bw_session *session = program->session;
	struct bw_text out = {0};
	bool good = true;
	const struct bw_lesson_run *run = bw_session_lesson(session);
	while (good && run->step < run->lesson->n_steps) {
		bool asks = !run->answered;
		good = put_step(program, &out, error) && bw_lesson_check(session, error) &&
		       bw_lesson_solve(session, true, &out, error) &&
		       (!asks || put_step(program, &out, error)) && bw_lesson_next(session, &out, error);
	}
	good = good && put_step(program, &out, error);
	bw_text_free(&out);
	return good;
}

/* Turns what was typed into a line of the command language: an empty line goes on, a colon before a command
 * is left out, `!` asks for a hint, a number answers. */
static const char *meaning(const struct bw_lesson_run *run, const char *line, struct bw_text *command)
{
	bool open = run->step < run->lesson->n_steps && !run->answered;
	line += strspn(line, " \t:");
	if (!*line || !strcmp(line, "."))
		return "lesson next";
	if (!strcmp(line, ","))
		return "lesson back";
	if (!strcmp(line, "!"))
		return "lesson hint";
	if (!open || !strchr("0123456789.-", *line))
		return line;
	bw_text_clear(command);
	bw_text_printf(command, "lesson answer %s", line);
	return bw_text_get(command);
}

/* Runs what was typed. *shows: the step has to be shown again. */
static void answer_line(struct bw_session *session, const char *line, struct bw_text *out, bool *shows)
{
	struct bw_error error = {0};
	struct bw_text command = {0};
	const char *run = meaning(bw_session_lesson(session), line, &command);
	bool good = bw_session_do(session, run, -1, out, &error);
	*shows = good && !strncmp(run, "lesson ", 7);
	if (!good)
		bw_text_printf(out, "error: %s\n", error.text);
	*shows |= bw_lesson_observe(session);
	bw_text_free(&command);
}

bool bw_learn_text(struct bw_program *program, struct bw_error *error)
{
	struct bw_session *session = program->session;
	struct bw_text out = {0}, line = {0};
	bool good = put_step(program, &out, error), shows;
	const char *prompt = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) ? "lesson> " : NULL;
	const struct bw_lesson_run *run = bw_session_lesson(session);
	while (good && !session->quit && run->step < run->lesson->n_steps &&
	       bw_read_plain(prompt, &line) == BW_READ_LINE) {
		answer_line(session, bw_text_get(&line), &out, &shows);
		if (shows)
			show_step(program, &out);
		good = bw_program_put(program, &out, error);
		bw_text_clear(&out);
	}
	bw_session_quit(session);
	bw_text_free(&line);
	bw_text_free(&out);
	return good;
}
