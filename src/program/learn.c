/* `beamwalk learn`: lists the lessons, or runs one in the explorer or as plain text. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "command/lesson.h"
#include "program/program.h"

/* How far the user is in a lesson. */
struct bw_lesson_progress {
	int step;  /* steps done since it was last begun */
	bool done; /* it was taken to its end once */
};

/* The lessons that the user has begun, in the file `lessons` of a folder. */
struct bw_progresses {
	char *path; /* of the file */
	int n, capacity;
	struct bw_progress_line {
		char *name; /* of the lesson */
		struct bw_lesson_progress progress;
	} * list;
	struct bw_error unwritten; /* why the file could not be written; kind NONE: it could */
};

/* How far the user is in each lesson: a file of lines `STEP done|- NAME`. */

enum { MOST_BYTES = 1 << 20, MOST_STEPS = 1000 };

static struct bw_progress_line *find(const struct bw_progresses *progresses, const char *name)
{
	for (int i = 0; i < progresses->n; i++)
		if (!strcmp(progresses->list[i].name, name))
			return &progresses->list[i];
	return NULL;
}

static struct bw_progress_line *add(struct bw_progresses *progresses, const char *name)
{
	BW_GROW(progresses->list, progresses->n, progresses->capacity);
	progresses->list[progresses->n] = (struct bw_progress_line){.name = bw_strdup(name)};
	return &progresses->list[progresses->n++];
}

/* Reads one line. Ignores a line with another form: the program writes this file itself, and the user can
 * repeat a lesson. */
static void take_line(struct bw_progresses *progresses, const char *line)
{
	int step, length = 0;
	char word[8];
	if (sscanf(line, "%d %7s %n", &step, word, &length) != 2 || !length || step < 0 ||
	    step > MOST_STEPS || !line[length] || find(progresses, line + length))
		return;
	add(progresses, line + length)->progress = (struct bw_lesson_progress){step, !strcmp(word, "done")};
}

static bool progresses_read(const char *folder, struct bw_progresses *progresses, struct bw_error *error)
{
	struct bw_text text = {0};
	*progresses = (struct bw_progresses){.path = bw_format("%s/lessons", folder)};
	FILE *there = fopen(progresses->path, "re");
	if (!there)
		return true;
	fclose(there);
	bool good = bw_trusted_file_read(progresses->path, MOST_BYTES, &text, error) &&
		    bw_text_lines(progresses->path, &text, error);
	for (char *line = good ? text.bytes : NULL, *next; line && *line; line = next) {
		next = line + strcspn(line, "\n");
		if (*next)
			*next++ = 0;
		take_line(progresses, line);
	}
	bw_text_free(&text);
	return good;
}

/* Returns the progress of a lesson; zero if the user has not begun it. */
static struct bw_lesson_progress progress_of(const struct bw_progresses *progresses, const char *name)
{
	const struct bw_progress_line *line = find(progresses, name);
	return line ? line->progress : (struct bw_lesson_progress){0};
}

static void write_all(struct bw_progresses *progresses)
{
	BW_SCOPED_TEXT text = {0}, folder = {0};
	for (int i = 0; i < progresses->n; i++)
		bw_text_printf(&text, "%d %s %s\n", progresses->list[i].progress.step,
			       progresses->list[i].progress.done ? "done" : "-", progresses->list[i].name);
	bw_text_append(&folder, progresses->path,
		       (size_t)(strrchr(progresses->path, '/') - progresses->path));
	struct bw_error error = {0};
	if (!bw_trusted_folder_make(bw_text_get(&folder), &error) ||
	    !bw_file_write(progresses->path, bw_text_get(&text), text.length, &error))
		progresses->unwritten = error;
}

static void progress_set(struct bw_progresses *progresses, const char *name,
			 struct bw_lesson_progress progress)
{
	struct bw_progress_line *line = find(progresses, name);
	if (!line)
		line = add(progresses, name);
	else if (line->progress.step == progress.step && line->progress.done == progress.done)
		return;
	line->progress = progress;
	write_all(progresses);
}

static void progresses_free(struct bw_progresses *progresses)
{
	for (int i = 0; i < progresses->n; i++)
		free(progresses->list[i].name);
	free(progresses->list);
	free(progresses->path);
}

enum { COLUMNS = 78 };

/* Appends the current step. Replaces each key in braces by its command, or by the key itself if it has no
 * command. */
static void show_step(const struct bw_program *program, struct bw_text *out)
{
	BW_SCOPED_TEXT page = {0};
	bw_lesson_print(program->session, COLUMNS, &page);
	const char *text = bw_text_get(&page);
	while (*text) {
		size_t plain = strcspn(text, "{"), length = strcspn(text + plain, "}");
		bw_text_append(out, text, plain);
		text += plain;
		if (!*text)
			break;
		BW_SCOPED_TEXT line = {0}, key = {0};
		bw_text_append(&line, text, length);
		bw_text_puts(&line, "}");
		if (!strncmp(text, "{do ", 4))
			bw_keys_write(&program->config.keymap, bw_text_get(&line), &key);
		else
			bw_text_printf(&key, "`%.*s`", (int)length - 1, text + 1);
		bw_text_puts(out, bw_text_get(&key));
		text += length + (text[length] == '}');
	}
}

/* Writes the current step. */
static bool put_step(struct bw_program *program, struct bw_text *out, struct bw_error *error)
{
	show_step(program, out);
	bool good = bw_program_put(program, out, error);
	bw_text_clear(out);
	return good;
}

/* Runs a lesson with the answers that it contains, and checks that they are right. */
static bool learn_batch(struct bw_program *program, struct bw_error *error)
{
	struct bw_session *session = program->session;
	BW_SCOPED_TEXT out = {0};
	bool good = true;
	const struct bw_lesson_run *run = bw_session_lesson(session);
	while (good && run->step < run->lesson->n_steps) {
		bool asks = !run->answered;
		good = put_step(program, &out, error) && bw_lesson_check(session, error) &&
		       bw_lesson_solve(session, true, &out, error) &&
		       (!asks || put_step(program, &out, error)) && bw_lesson_next(session, &out, error);
	}
	return good && put_step(program, &out, error);
}

/* Converts the user's input to a line of the command language. An empty line continues, `!` asks for a
 * hint, a number is an answer, and a colon before a command is dropped. */
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

/* Runs the user's input. Sets *shows if the step has to be shown again. */
static void answer_line(struct bw_session *session, const char *line, struct bw_text *out, bool *shows)
{
	struct bw_error error = {0};
	BW_SCOPED_TEXT command = {0};
	const char *run = meaning(bw_session_lesson(session), line, &command);
	bool good = bw_session_do(session, run, -1, out, &error);
	*shows = good && !strncmp(run, "lesson ", 7);
	if (!good)
		bw_text_printf(out, "error: %s\n", error.text);
	*shows |= bw_lesson_observe(session);
}

/* Runs a lesson in text: reads lines from standard input, and writes to standard output. */
static bool learn_text(struct bw_program *program, struct bw_error *error)
{
	struct bw_session *session = program->session;
	BW_SCOPED_TEXT out = {0}, line = {0};
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
	return good;
}

#ifdef BW_SCREEN
#include "ui/explore.h"
#endif

static const char ending[] = ".lesson";

static int is_lesson(const struct dirent *entry)
{
	return bw_ends_with(entry->d_name, ending);
}

/* The bundled lessons, in the order of their files' names. */
struct lessons {
	struct bw_lesson **list;
	int n;
};

static void free_lessons(struct lessons *lessons)
{
	for (int i = 0; i < lessons->n; i++)
		bw_lesson_free(lessons->list[i]);
	free(lessons->list);
}

static bool read_lessons(const char *folder, struct lessons *lessons, struct bw_error *error)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, is_lesson, versionsort);
	if (n < 0)
		return bw_fail(error, BW_ERROR_IO, "%s: %s", folder, strerror(errno));
	lessons->list = BW_NEW_ARRAY(struct bw_lesson *, n + 1);
	bool good = true;
	for (int i = 0; i < n; i++) {
		BW_SCOPED_MEMORY char *path = bw_format("%s/%s", folder, entries[i]->d_name);
		struct bw_lesson *lesson = good ? bw_lesson_read(path, error) : NULL;
		good = lesson;
		if (lesson)
			lessons->list[lessons->n++] = lesson;
		free(entries[i]);
	}
	free(entries);
	return good;
}

static void list_lessons(const struct lessons *lessons, const struct bw_progresses *progresses,
			 struct bw_text *out)
{
	for (int i = 0; i < lessons->n; i++) {
		const struct bw_lesson *lesson = lessons->list[i];
		struct bw_lesson_progress progress = progress_of(progresses, lesson->name);
		bw_text_printf(out, "%d  %-12s %2d min  ", i + 1, lesson->name, lesson->minutes);
		char state[32] = "";
		if (progress.step && progress.step < lesson->n_steps)
			snprintf(state, sizeof state, "step %d of %d", progress.step + 1, lesson->n_steps);
		else if (progress.done)
			snprintf(state, sizeof state, "done");
		bw_text_printf(out, "%-14s %s\n", state, lesson->title);
	}
	bw_text_puts(out,
		     "\n`beamwalk learn NAME` takes one in the explorer, and goes on where you left it.\n");
}

/* Returns the bundled lesson of this number or name, or NULL with an error. */
static struct bw_lesson *find_lesson(const struct lessons *lessons, const char *word, struct bw_error *error)
{
	long number;
	if (bw_read_number(word, 1, lessons->n, &number))
		return lessons->list[number - 1];
	struct bw_lesson *found = NULL;
	BW_SCOPED_SUGGESTION known = {.unknown = word};
	int matches = 0;
	for (int i = 0; i < lessons->n; i++) {
		const char *name = lessons->list[i]->name;
		bw_suggestion_add(&known, name);
		if (!strcmp(name, word))
			return lessons->list[i];
		if (!strncmp(name, word, strlen(word))) {
			found = lessons->list[i];
			matches++;
		}
	}
	if (matches != 1)
		bw_fail(error, BW_ERROR_USAGE, "there is no lesson \"%s\"; %s%s", word,
			bw_suggestion_say(&known, NULL), known.nearest ? "" : ", or give a file");
	return matches == 1 ? found : NULL;
}

/* What a lesson tells while it is taken. */
struct listener {
	struct bw_progresses progresses;
	const char *notes; /* file of the notes; NULL: none */
	const struct bw_keymap *keymap;
	struct bw_error unwritten;
};

static bool write_notes(const char *path, const struct bw_text *text, struct bw_error *error)
{
	int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOCTTY | O_CLOEXEC | O_NONBLOCK, 0644);
	bool good = file >= 0 && bw_write_all(file, bw_text_get(text), text->length);
	if (!good)
		bw_fail(error, BW_ERROR_IO, "--notes %s: %s", path, strerror(errno));
	if (file >= 0)
		close(file);
	return good;
}

static void put_notes(struct listener *listener, struct bw_session *session)
{
	BW_SCOPED_TEXT notes = {0}, text = {0};
	bw_lesson_notes(session, &notes);
	bw_keys_write(listener->keymap, bw_text_get(&notes), &text);
	if (!write_notes(listener->notes, &text, &listener->unwritten))
		listener->notes = NULL;
}

static void told(struct bw_session *session, const struct bw_lesson_run *run, void *data)
{
	struct listener *listener = data;
	int n = run->lesson->n_steps;
	const char *name = run->lesson->name;
	bool done = progress_of(&listener->progresses, name).done || run->step >= n;
	progress_set(&listener->progresses, name,
			(struct bw_lesson_progress){run->step >= n ? 0 : run->step, done});
	if (listener->notes && run->shown == run->step)
		put_notes(listener, session);
}

#ifdef BW_SCREEN
static bool has_screen(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && bw_explore_check(NULL);
}

static bool on_screen(struct bw_program *program, struct bw_error *error)
{
	struct bw_explore_options options = {.state_folder = program->layout.state,
					     .editing = program->layout.editing,
					     .said = "",
					     .lesson = true};
	bw_program_settle_screen(program, &options);
	return bw_explore(program->session, &options, error);
}
#else
static bool has_screen(void)
{
	return false;
}

static bool on_screen(struct bw_program *program, struct bw_error *error)
{
	(void)program;
	return bw_fail(error, BW_ERROR_FAILED, "this beamwalk was built without a screen");
}
#endif

/* Returns the pipeline that a lesson opens: the path of a description beside the lesson, or a bundled
 * name; free(). */
static char *pipeline_of(const struct bw_lesson *lesson)
{
	struct bw_text path = {0};
	const char *slash = strrchr(lesson->path, '/');
	bool beside = strchr(lesson->pipeline, '.') && *lesson->pipeline != '/';
	if (beside && slash)
		bw_text_append(&path, lesson->path, (size_t)(slash + 1 - lesson->path));
	bw_text_puts(&path, lesson->pipeline);
	return bw_text_take(&path);
}

/* Runs a lesson from step `first` on. */
static bool take(struct bw_program *program, const struct bw_lesson *lesson, int first,
		 struct listener *listener, struct bw_error *error)
{
	const struct bw_arguments *arguments = &program->arguments;
	program->plain = true;
	program->arguments.pipeline = program->chosen = pipeline_of(lesson);
	if (!bw_program_configure(program, error) || !bw_program_open(program, error))
		return false;
	bool screen = !arguments->batch && has_screen();
	if (!screen)
		bw_program_text(program);
	if (!bw_lesson_begin(program->session, lesson, first, arguments->lecture, error))
		return false;
	if (arguments->batch)
		return learn_batch(program, error);
	bw_lesson_set_changed(program->session, told, listener);
	if (listener->notes)
		put_notes(listener, program->session);
	bool good = screen ? on_screen(program, error) : learn_text(program, error);
	bw_lesson_set_changed(program->session, NULL, NULL);
	const struct bw_error *unwritten =
	    listener->unwritten.kind ? &listener->unwritten : &listener->progresses.unwritten;
	if (good && unwritten->kind)
		good = bw_fail(error, unwritten->kind, "%s", unwritten->text);
	return good;
}

/* Runs the lesson that the command line names: a bundled one, or a file. */
static bool take_named(struct bw_program *program, const struct lessons *lessons, struct listener *listener,
		       struct bw_error *error)
{
	bool at_start;
	const char *word = program->arguments.rest[0];
	bool file = strchr(word, '/') || (strlen(word) > strlen(ending) && strstr(word, ending));
	struct bw_lesson *lesson = file ? bw_lesson_read(word, error) : find_lesson(lessons, word, error);
	if (!lesson || !bw_program_at(program, &at_start, error))
		return false;
	if (file) {
		char *whole = realpath(word, NULL);
		free(lesson->name);
		lesson->name = whole ? whole : bw_strdup(word);
	}
	bool afresh = program->arguments.batch || (program->arguments.at && at_start);
	struct bw_lesson_progress progress = progress_of(&listener->progresses, lesson->name);
	bool good = take(program, lesson, afresh ? 0 : progress.step, listener, error);
	if (program->session)
		bw_lesson_end(program->session);
	if (file)
		bw_lesson_free(lesson);
	return good;
}

bool bw_program_learn(struct bw_program *program, struct bw_error *error)
{
	struct lessons lessons = {0};
	struct listener listener = {.notes = program->arguments.notes, .keymap = &program->config.keymap};
	BW_SCOPED_TEXT out = {0};
	if (program->arguments.n_rest > 1)
		return bw_fail(error, BW_ERROR_USAGE, "learn takes one lesson, not also \"%s\"",
			       program->arguments.rest[1]);
	bool good = read_lessons(program->layout.lessons, &lessons, error) &&
		    progresses_read(program->layout.state, &listener.progresses, error);
	if (good && program->arguments.n_rest) {
		good = take_named(program, &lessons, &listener, error);
	} else if (good) {
		list_lessons(&lessons, &listener.progresses, &out);
		good = bw_program_put(program, &out, error);
	}
	progresses_free(&listener.progresses);
	free_lessons(&lessons);
	return good;
}
