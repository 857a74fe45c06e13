#include "ui/prompt.h"

#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <poll.h>
#include <pty.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "ui/glyph.h"

enum { LIMIT = 1 << 20, CUT_FROM = 1 << 16, CUT_TO = 1 << 15, LOCK_TRIES = 20 };

/* Locks the file, and waits only briefly for the lock: a program that was suspended while holding the lock
 * must not block this one. */
static bool lock(int file)
{
	for (int tries = 0; tries < LOCK_TRIES; tries++) {
		if (flock(file, LOCK_EX | LOCK_NB) == 0)
			return true;
		poll(NULL, 0, 1);
	}
	return false;
}

static int open_locked(const char *path, int flags)
{
	int file = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	struct stat info;
	if (file < 0)
		return -1;
	if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || !lock(file)) {
		close(file);
		return -1;
	}
	return file;
}

/* Reads the file's last LIMIT bytes. */
static void read_end(int file, struct bw_text *text)
{
	char buffer[4096];
	off_t size = lseek(file, 0, SEEK_END), at = size > LIMIT ? size - LIMIT : 0;
	for (ssize_t got; text->length < LIMIT && (got = pread(file, buffer, sizeof buffer, at)) > 0; at += got)
		bw_text_append(text, buffer, (size_t)got);
}

void bw_history_read(const char *path, int most, void (*add)(const char *line, void *data), void *data)
{
	int file = open_locked(path, O_RDONLY);
	if (file < 0)
		return;
	BW_SCOPED_TEXT text = {0};
	read_end(file, &text);
	close(file);
	char *end = text.bytes + text.length, *at = end;
	for (int n = 0; text.length && at > text.bytes; at--)
		if (at[-1] == '\n' && at != end && ++n == most)
			break;
	while (text.length && at < end) {
		size_t length = strcspn(at, "\n");
		bool last = at + length >= end;
		at[length] = 0;
		if (length)
			add(at, data);
		at += length + !last;
		if (last)
			break;
	}
}

/* Cuts the file to its last CUT_TO bytes, from the beginning of a line. */
static void cut(int file, off_t size)
{
	BW_SCOPED_MEMORY char *kept = bw_new_array(CUT_TO, 1);
	ssize_t got = pread(file, kept, CUT_TO, size - CUT_TO);
	char *line = got > 0 ? memchr(kept, '\n', (size_t)got) : NULL;
	if (line && ftruncate(file, 0) == 0) {
		ssize_t length = got - (line + 1 - kept);
		if (write(file, line + 1, (size_t)length) != length)
			lseek(file, 0, SEEK_END);
	}
}

void bw_history_append(const char *path, const char *line)
{
	const char *slash = strrchr(path, '/');
	BW_SCOPED_MEMORY char *folder = strndup(path, slash ? (size_t)(slash - path) : 0);
	bool good = !*folder || bw_trusted_folder_make(folder, NULL);
	if (!good)
		return;
	int file = open_locked(path, O_RDWR | O_CREAT | O_APPEND);
	if (file < 0)
		return;
	BW_SCOPED_TEXT text = {0};
	bw_text_printf(&text, "%s\n", line);
	off_t size = lseek(file, 0, SEEK_END);
	if (write(file, text.bytes, text.length) == (ssize_t)text.length && size > CUT_FROM)
		cut(file, size + (off_t)text.length);
	close(file);
}

enum { QUEUE = 512, REMEMBERED = 500, PTY_COLUMNS = 500, PTY_ROWS = 24 };

struct bw_prompt {
	char kind;      /* 0: closed */
	int master;     /* our end of libedit's terminal */
	FILE *in, *out; /* libedit's end */
	EditLine *editor;
	HistoryW *commands, *searches;
	char *path;           /* of the commands' history; NULL: none */
	wchar_t queue[QUEUE]; /* keys that libedit has not read yet */
	int first, n;
};

/* Discards what libedit writes to its terminal. Otherwise the terminal's buffer would fill up and block
 * libedit. */
static void drain(struct bw_prompt *prompt)
{
	char bytes[4096];
	while (read(prompt->master, bytes, sizeof bytes) > 0)
		;
}

static int next_key(EditLine *editor, wchar_t *key)
{
	void *data = NULL;
	el_wget(editor, EL_CLIENTDATA, &data);
	struct bw_prompt *prompt = data;
	if (prompt->n == 0) {
		errno = EAGAIN;
		return -1;
	}
	*key = prompt->queue[prompt->first];
	prompt->first = (prompt->first + 1) % QUEUE;
	prompt->n--;
	return 1;
}

static wchar_t *no_prompt(EditLine *editor)
{
	(void)editor;
	static wchar_t none[] = L"";
	return none;
}

/* Gives libedit one key, or two that belong together, and lets it work. The result of el_wgets is not
 * used: an empty line is NULL with errno 0, like the end of a file. */
static void feed(struct bw_prompt *prompt, wchar_t key, wchar_t behind)
{
	wchar_t given[] = {key, behind};
	for (int i = 0; i < 2 && given[i] && prompt->n < QUEUE; i++)
		prompt->queue[(prompt->first + prompt->n++) % QUEUE] = given[i];
	while (prompt->n > 0) {
		int length = 0, before = prompt->n;
		el_wgets(prompt->editor, &length);
		drain(prompt);
		if (prompt->n == before)
			prompt->n = 0;
	}
}

static bool open_terminal(struct bw_prompt *prompt)
{
	struct winsize size = {.ws_row = PTY_ROWS, .ws_col = PTY_COLUMNS};
	int slave = -1, again = -1;
	if (openpty(&prompt->master, &slave, NULL, NULL, &size) != 0)
		return false;
	fcntl(prompt->master, F_SETFD, FD_CLOEXEC);
	fcntl(prompt->master, F_SETFL, O_NONBLOCK);
	fcntl(slave, F_SETFD, FD_CLOEXEC);
	again = fcntl(slave, F_DUPFD_CLOEXEC, 3);
	prompt->in = fdopen(slave, "r");
	prompt->out = again >= 0 ? fdopen(again, "w") : NULL;
	return prompt->in && prompt->out;
}

void bw_prompt_remember(const char *line, void *history)
{
	wchar_t wide[1024];
	size_t length = mbstowcs(wide, line, 1024);
	HistEventW event;
	if (length != (size_t)-1 && length < 1024)
		history_w(history, &event, H_ENTER, wide);
}

void *bw_prompt_history(const char *path)
{
	HistoryW *history = history_winit();
	HistEventW event;
	history_w(history, &event, H_SETSIZE, REMEMBERED);
	history_w(history, &event, H_SETUNIQUE, 1);
	if (path)
		bw_history_read(path, REMEMBERED, bw_prompt_remember, history);
	return history;
}

struct bw_prompt *bw_prompt_new(const char *history, struct bw_error *error)
{
	struct bw_prompt *prompt = BW_NEW(struct bw_prompt);
	prompt->master = -1;
	if (!open_terminal(prompt) ||
	    !(prompt->editor = el_init("beamwalk", prompt->in, prompt->out, prompt->out))) {
		bw_fail(error, BW_ERROR_FAILED, "the prompt needs a pseudo-terminal: %s", strerror(errno));
		bw_prompt_free(prompt);
		return NULL;
	}
	prompt->commands = bw_prompt_history(history);
	prompt->searches = bw_prompt_history(NULL);
	prompt->path = history ? bw_strdup(history) : NULL;
	el_wset(prompt->editor, EL_CLIENTDATA, prompt);
	el_wset(prompt->editor, EL_SIGNAL, 0);
	el_wset(prompt->editor, EL_EDITOR, L"emacs");
	el_wset(prompt->editor, EL_PROMPT, no_prompt);
	el_wset(prompt->editor, EL_GETCFN, next_key);
	drain(prompt);
	return prompt;
}

void bw_prompt_free(struct bw_prompt *prompt)
{
	if (!prompt)
		return;
	if (prompt->editor)
		el_end(prompt->editor);
	if (prompt->commands)
		history_wend(prompt->commands);
	if (prompt->searches)
		history_wend(prompt->searches);
	if (prompt->in)
		fclose(prompt->in);
	if (prompt->out)
		fclose(prompt->out);
	if (prompt->master >= 0)
		close(prompt->master);
	free(prompt->path);
	free(prompt);
}

/* Turning on unbuffered mode begins a fresh line. */
void bw_prompt_open(struct bw_prompt *prompt, char kind)
{
	prompt->kind = kind;
	prompt->n = 0;
	el_wset(prompt->editor, EL_HIST, history_w, kind == ':' ? prompt->commands : prompt->searches);
	el_wset(prompt->editor, EL_UNBUFFERED, 1);
	drain(prompt);
}

static void close_prompt(struct bw_prompt *prompt)
{
	prompt->kind = 0;
	el_wset(prompt->editor, EL_UNBUFFERED, 0);
	drain(prompt);
}

char bw_prompt_kind(const struct bw_prompt *prompt)
{
	return prompt ? prompt->kind : 0;
}

static void append_wide(const wchar_t *from, const wchar_t *to, struct bw_text *out)
{
	for (; from < to; from++) {
		char bytes[5];
		bw_text_append(out, bytes, (size_t)bw_glyph_utf8((uint32_t)*from, bytes));
	}
}

void bw_prompt_before_cursor(const struct bw_prompt *prompt, struct bw_text *out)
{
	const LineInfoW *line = el_wline(prompt->editor);
	append_wide(line->buffer, line->cursor, out);
}

static enum bw_prompt_state enter(struct bw_prompt *prompt, struct bw_text *line)
{
	const LineInfoW *info = el_wline(prompt->editor);
	append_wide(info->buffer, info->lastchar, line);
	const char *text = bw_text_get(line);
	if (text[strspn(text, " ")]) {
		bw_prompt_remember(text, prompt->kind == ':' ? prompt->commands : prompt->searches);
		if (prompt->kind == ':' && prompt->path)
			bw_history_append(prompt->path, text);
	}
	close_prompt(prompt);
	return BW_PROMPT_ENTERED;
}

static enum bw_prompt_state leave(struct bw_prompt *prompt)
{
	close_prompt(prompt);
	return BW_PROMPT_LEFT;
}

static bool is_empty(const struct bw_prompt *prompt)
{
	const LineInfoW *line = el_wline(prompt->editor);
	return line->lastchar == line->buffer;
}

/* Returns the control character of a key in libedit's emacs mode; 0: none. */
static wchar_t control_of(const struct bw_prompt *prompt, uint32_t code)
{
	static const struct {
		uint32_t code;
		wchar_t control;
	} keys[] = {
		{BW_KEY_LEFT, 'b' & 31}, {BW_KEY_RIGHT, 'f' & 31}, {BW_KEY_HOME, 'a' & 31}, {BW_KEY_END, 'e' & 31},
		{BW_KEY_UP, 'p' & 31}, {BW_KEY_DOWN, 'n' & 31}, {BW_KEY_BACKSPACE, 'h' & 31}, {BW_KEY_DELETE, 'd' & 31}, {BW_KEY_SPACE, ' '},
	};
	wchar_t control = code < BW_KEY_FIRST ? (wchar_t)code : 0;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i].code == code)
			control = keys[i].control;
	const LineInfoW *line = el_wline(prompt->editor);
	if (control == ('d' & 31) && line->cursor == line->lastchar)
		return 0;
	return control;
}

/* Returns true for keys that edit the line at once. Other keys (^R, ^V, ^X) would make libedit read
 * more keys by itself. */
static bool harmless(wchar_t key)
{
	static const char controls[] = "abdefhknptuwy";
	return key >= ' ' || (key > 0 && strchr(controls, (int)key + 'a' - 1));
}

enum bw_prompt_state bw_prompt_key(struct bw_prompt *prompt, struct bw_key key, struct bw_text *line)
{
	if (key.alt) {
		if (key.code == BW_KEY_BACKSPACE)
			feed(prompt, 27, 127);
		else if (key.code < 128 && key.code && strchr("bdfulc", (int)key.code))
			feed(prompt, 27, (wchar_t)key.code);
		return BW_PROMPT_EDITING;
	}
	switch (key.code) {
	case BW_KEY_ENTER:
		return enter(prompt, line);
	case BW_KEY_ESCAPE:
	case 'c' & 31:
		return leave(prompt);
	case BW_KEY_TAB:
		return BW_PROMPT_COMPLETE;
	case BW_KEY_BACKSPACE:
	case 'd' & 31:
		if (is_empty(prompt))
			return leave(prompt);
	}
	wchar_t given = control_of(prompt, key.code);
	if (given && harmless(given) && given != 127)
		feed(prompt, given, 0);
	return BW_PROMPT_EDITING;
}

void bw_prompt_insert(struct bw_prompt *prompt, const char *text)
{
	wchar_t wide[2] = {0};
	for (uint32_t glyph; (glyph = bw_glyph_next(&text));) {
		wide[0] = glyph < ' ' || glyph == 127 ? L' ' : (wchar_t)glyph;
		el_winsertstr(prompt->editor, wide);
	}
}

static int columns_of(const wchar_t *from, const wchar_t *to)
{
	int columns = 0;
	for (; from < to; from++)
		columns += bw_glyph_width((uint32_t)*from);
	return columns;
}

/* Returns the start of the part of the line that is drawn. It begins at most `columns` columns before the
 * cursor. */
static const wchar_t *shown_from(const LineInfoW *line, int columns)
{
	const wchar_t *from = line->cursor;
	for (int used = 0; from > line->buffer; from--) {
		used += bw_glyph_width((uint32_t)from[-1]);
		if (used > columns)
			break;
	}
	return from;
}

/* Returns the end of the part of the line that is drawn, after the cursor. If the line is too long, the
 * part has one character more than fits, so that the grid shows the cut. The grid skips characters of
 * width 0. */
static const wchar_t *shown_to(const LineInfoW *line, int columns)
{
	return line->lastchar - line->cursor > columns ? line->cursor + columns + 1 : line->lastchar;
}

int bw_prompt_draw(const struct bw_prompt *prompt, struct bw_grid *grid, struct bw_rect rect)
{
	const LineInfoW *line = el_wline(prompt->editor);
	const wchar_t *from = shown_from(line, rect.columns - 4);
	BW_SCOPED_TEXT text = {0};
	append_wide(from, shown_to(line, rect.columns), &text);
	struct bw_pen pen = bw_pen_at(grid, rect, 0);
	char kind[2] = {prompt->kind};
	bw_pen_puts(&pen, BW_STYLE_KEY, from > line->buffer ? "‹" : kind);
	bw_pen_puts(&pen, BW_STYLE_NORMAL, bw_text_get(&text));
	return rect.x + 1 + columns_of(from, line->cursor);
}
