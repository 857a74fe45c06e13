/* Reads lines that the user edits with libedit. ^C arrives through a file descriptor, so that it only
 * discards the line. */
#include "program/program.h"

#include <errno.h>
#include <histedit.h>
#include <poll.h>
#include <unistd.h>
#include <limits.h>
#include <wchar.h>

#include "ui/prompt.h"

struct bw_editor {
	struct bw_session *session;
	EditLine *editor;
	HistoryW *history;
	char *path;
	int stop_fd;
	bool stopped;
	wchar_t prompt[128];
};

static struct bw_editor *of(EditLine *editor)
{
	void *data = NULL;
	el_wget(editor, EL_CLIENTDATA, &data);
	return data;
}

/* Reads one character from the terminal. Returns -1 if the user leaves the line. */
static int next_character(EditLine *line, wchar_t *character)
{
	struct bw_editor *editor = of(line);
	struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = editor->stop_fd, .events = POLLIN}};
	mbstate_t state = {0};
	for (;;) {
		char byte;
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return -1;
		if (fds[1].revents & POLLIN) {
			editor->stopped = true;
			errno = EINTR;
			return -1;
		}
		ssize_t got = fds[0].revents ? read(STDIN_FILENO, &byte, 1) : -1;
		if (got == 0)
			return 0;
		if (got < 0 && fds[0].revents && errno != EINTR)
			return -1;
		size_t used = got == 1 ? mbrtowc(character, &byte, 1, &state) : (size_t)-2;
		if (used == (size_t)-1)
			state = (mbstate_t){0};
		else if (used != (size_t)-2)
			return 1;
	}
}

static wchar_t *prompt_of(EditLine *editor)
{
	return of(editor)->prompt;
}

static void insert(EditLine *editor, const char *text)
{
	wchar_t wide[1024];
	size_t length = mbstowcs(wide, text, 1024);
	if (length != (size_t)-1 && length < 1024)
		el_winsertstr(editor, wide);
}

static unsigned char complete(EditLine *line, int key)
{
	struct bw_editor *editor = of(line);
	const LineInfoW *info = el_wline(line);
	BW_SCOPED_TEXT typed = {0}, more = {0}, list = {0};
	(void)key;
	for (const wchar_t *at = info->buffer; at < info->cursor; at++) {
		char bytes[MB_LEN_MAX];
		int n = wctomb(bytes, *at);
		bw_text_append(&typed, bytes, n > 0 ? (size_t)n : 0);
	}
	bw_session_complete_line(editor->session, bw_text_get(&typed), (int)typed.length, &more, &list);
	unsigned char said = more.length ? CC_REFRESH : list.length ? CC_REDISPLAY : CC_REFRESH_BEEP;
	if (more.length)
		insert(line, bw_text_get(&more));
	else if (list.length)
		printf("\n%s\n", bw_text_get(&list));
	fflush(stdout);
	return said;
}

struct bw_editor *bw_editor_new(struct bw_session *session, const char *history, int stop_fd)
{
	struct bw_editor *editor = BW_NEW(struct bw_editor);
	*editor = (struct bw_editor){
	    .session = session, .stop_fd = stop_fd, .editor = el_init("beamwalk", stdin, stdout, stderr)};
	if (!editor->editor) {
		free(editor);
		return NULL;
	}
	editor->path = history ? bw_strdup(history) : NULL;
	editor->history = bw_prompt_history(history);
	el_wset(editor->editor, EL_CLIENTDATA, editor);
	el_wset(editor->editor, EL_SIGNAL, 1);
	el_wset(editor->editor, EL_EDITOR, L"emacs");
	el_wset(editor->editor, EL_PROMPT, prompt_of);
	el_wset(editor->editor, EL_HIST, history_w, editor->history);
	el_wset(editor->editor, EL_GETCFN, next_character);
	el_wset(editor->editor, EL_ADDFN, L"bw-complete", L"complete a word", complete);
	el_wset(editor->editor, EL_BIND, L"^I", L"bw-complete", NULL);
	el_wset(editor->editor, EL_BIND, L"^R", L"em-inc-search-prev", NULL);
	el_source(editor->editor, NULL);
	return editor;
}

void bw_editor_free(struct bw_editor *editor)
{
	if (!editor)
		return;
	el_end(editor->editor);
	history_wend(editor->history);
	free(editor->path);
	free(editor);
}

static void take(struct bw_editor *editor, const wchar_t *wide, int length, struct bw_text *line)
{
	for (int i = 0; i < length && wide[i] != L'\n'; i++) {
		char bytes[MB_LEN_MAX];
		int n = wctomb(bytes, wide[i]);
		bw_text_append(line, bytes, n > 0 ? (size_t)n : 0);
	}
	const char *text = bw_text_get(line);
	if (!text[strspn(text, " \t")])
		return;
	bw_prompt_remember(text, editor->history);
	if (editor->path)
		bw_history_append(editor->path, text);
}

enum bw_reading bw_editor_read(struct bw_editor *editor, const char *prompt, struct bw_text *line)
{
	int length = 0;
	bw_text_clear(line);
	swprintf(editor->prompt, sizeof editor->prompt / sizeof *editor->prompt, L"%s", prompt);
	editor->stopped = false;
	el_resize(editor->editor);
	const wchar_t *wide = el_wgets(editor->editor, &length);
	if (wide && length > 0) {
		take(editor, wide, length, line);
		return BW_READ_LINE;
	}
	fputs("\n", stdout);
	return editor->stopped ? BW_READ_STOPPED : BW_READ_END;
}
