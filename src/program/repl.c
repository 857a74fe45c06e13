/* `beamwalk repl`: runs the commands of the explorer's prompt and answers in text. On a terminal, errors
 * are printed and the next line is read. From a pipe or a file, the first error ends the program, as in a
 * script. `beamwalk serve` runs them for another program. */
#include <unistd.h>

#include "base/file.h"
#include "command/commands.h"
#include "program/program.h"

struct repl {
	struct bw_program *program;
	struct bw_session *session;
	struct bw_editor *editor; /* NULL: lines are read without editing */
	bool terminal;            /* a person is at the terminal */
	int stop_fd;              /* reports ^C on a terminal; -1 elsewhere */
	int number;               /* of the line */
	struct bw_text out;
};

/* Writes the answer to standard output. With --output does nothing, because all answers are written at the
 * end. */
static bool put(struct repl *repl, struct bw_error *error)
{
	if (repl->program->arguments.output)
		return true;
	bool good = bw_program_put(repl->program, &repl->out, error);
	bw_text_clear(&repl->out);
	return good;
}

static enum bw_reading ask(struct repl *repl, struct bw_text *line)
{
	char prompt[128];
	const struct bw_session *session = repl->session;
	snprintf(prompt, sizeof prompt, "%.60s %d/%d> ", session->pipeline->name, session->cursor,
		 bw_search_n_decisions(session->search));
	repl->number++;
#ifdef BW_SCREEN
	if (repl->editor)
		return bw_editor_read(repl->editor, prompt, line);
#endif
	return bw_read_plain(repl->terminal ? prompt : NULL, line);
}

static bool edit_schedule(struct bw_text *text, void *data, struct bw_error *error)
{
	const struct repl *repl = data;
	return bw_edit_text(&repl->program->layout.editing, ".schedule", text, error);
}

/* Answers one line. Returns false if the program must end. */
static bool answer(struct repl *repl, struct bw_text *line, struct bw_error *error)
{
	struct bw_error own = {0};
	bool good = bw_text_lines("a line", line, &own) &&
		    bw_session_do(repl->session, bw_text_get(line), repl->stop_fd, &repl->out, &own);
	if (bw_program_interrupted(repl->stop_fd))
		bw_text_printf(&repl->out, "%s\n", *repl->session->message ? repl->session->message : "stopped");
	if (!put(repl, error))
		return false;
	if (good)
		return true;
	if (repl->terminal) {
		bw_text_printf(&repl->out, "error: %s\n", own.text);
		return put(repl, error);
	}
	*error = own;
	return bw_fail_in(error, "standard input:%d", repl->number);
}

static bool loop(struct repl *repl, struct bw_error *error)
{
	BW_SCOPED_TEXT line = {0};
	bool good = true;
	for (enum bw_reading read; good && !repl->session->quit && (read = ask(repl, &line)) != BW_READ_END;) {
		bw_program_interrupted(repl->stop_fd);
		if (read == BW_READ_LINE)
			good = answer(repl, &line, error);
	}
	if (good)
		bw_session_quit(repl->session);
	return good;
}

/* Starts libedit, if TERM is usable. */
static void edit(struct repl *repl)
{
#ifdef BW_SCREEN
	const char *type = getenv("TERM");
	if (!repl->terminal || !type || !strcmp(type, "dumb") || !*type)
		return;
	BW_SCOPED_MEMORY char *history = bw_format("%s/history", repl->program->layout.state);
	repl->editor = bw_editor_new(repl->session, history, repl->stop_fd);
#else
	(void)repl;
#endif
}

static void end(struct repl *repl)
{
#ifdef BW_SCREEN
	bw_editor_free(repl->editor);
#endif
	bw_session_hooks(repl->session)->edit = NULL;
	if (repl->stop_fd >= 0)
		close(repl->stop_fd);
	bw_text_free(&repl->out);
}

/* Opens the session before the first line is read, and collects the notices about it. */
static bool begin(struct repl *repl, bool runs, struct bw_error *error)
{
	struct bw_program *program = repl->program;
	bool at_start, resumes = program->arguments.resume;
	if (!bw_program_at(program, &at_start, error) || !bw_program_configure(program, error) ||
	    !(runs && !at_start ? bw_program_open_parts : bw_program_open)(program, error) ||
	    !bw_program_resume(program, &repl->out, error))
		return false;
	repl->session = program->session;
	bw_program_text(program);
	if (runs && !resumes && !at_start && !bw_session_do(repl->session, "run end", -1, NULL, error))
		return false;
	bw_program_keep(program, repl->terminal && !resumes ? &repl->out : NULL);
	if (repl->out.length)
		bw_text_puts(&repl->out, "\n");
	return true;
}

bool bw_program_serve(struct bw_program *program, struct bw_error *error)
{
	struct repl repl = {.program = program};
	long patience = 300;
	bool good = bw_arguments_number(program->arguments.patience, "patience", 1, 24 * 3600, &patience, error) &&
		    begin(&repl, false, error) &&
		    bw_serve(repl.session, STDIN_FILENO, STDOUT_FILENO, (int)patience, error);
	bw_text_free(&repl.out);
	return good;
}

bool bw_program_repl(struct bw_program *program, struct bw_error *error)
{
	struct bw_error ignored;
	struct repl repl = {
	    .program = program, .stop_fd = -1, .terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)};
	if (!begin(&repl, true, error) || !put(&repl, error)) {
		bw_text_free(&repl.out);
		return false;
	}
	bw_program_flush(program);
	if (repl.terminal)
		repl.stop_fd = bw_program_interrupts(true, &ignored);
	bw_session_hooks(repl.session)->edit = repl.terminal ? edit_schedule : NULL;
	bw_session_hooks(repl.session)->edit_data = &repl;
	edit(&repl);
	bool good = loop(&repl, error);
	if (program->arguments.output)
		good = bw_program_put(program, &repl.out, good ? error : &ignored) && good;
	end(&repl);
	return good;
}

enum bw_reading bw_read_plain(const char *prompt, struct bw_text *line)
{
	int byte;
	if (prompt) {
		fputs(prompt, stdout);
		fflush(stdout);
	}
	bw_text_clear(line);
	while ((byte = getchar()) != EOF && byte != '\n') {
		char one = (char)byte;
		bw_text_append(line, &one, 1);
	}
	return byte == EOF && !line->length ? BW_READ_END : BW_READ_LINE;
}

/* Runs a script of the command language. */

bool bw_program_script(struct bw_program *program, struct bw_error *error)
{
	BW_SCOPED_TEXT out = {0};
	bool at_start;
	if (!bw_program_at(program, &at_start, error) ||
	    !(at_start ? bw_program_open : bw_program_open_parts)(program, error))
		return false;
	if (program->arguments.n_rest != 1)
		return bw_fail(error, BW_ERROR_USAGE, "script takes a pipeline and one file");
	bw_program_text(program);
	bw_program_flush(program);
	bool good = (at_start || bw_program_search(program->session, error)) &&
		    bw_session_run_file(program->session, program->arguments.rest[0], &out, error);
	struct bw_error ignored;
	bool written = bw_program_put(program, &out, good ? error : &ignored);
	return good && written;
}
