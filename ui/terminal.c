/* The terminal of the screen, in curses: opening and closing it, its frames, and its keys. */
#include "ui/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/protocol.h"
#include "ui/rescue.h"
#include "ui/shorten.h"

#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>
#undef columns
#undef lines

/* Backgrounds of a cell: the plain screen, a row selected elsewhere, the selected row. */
enum { GROUND_PLAIN, GROUND_LINKED, GROUND_SELECTED, N_GROUNDS };

/* Codes of keys that are defined for curses. */
enum { KEY_PASTE_ON = 0x2000, KEY_PASTE_OFF };

struct bw_terminal {
	SCREEN *screen;
	FILE *out; /* standard output, for curses alone */
	int frame_fd; /* a file in memory that replaces standard output while a frame is written; -1: frames
			 are not rewritten */
	struct bw_text frame, shorter;
	struct termios modes; /* the terminal's original modes */
	int alarm_fd;
	int colours; /* 256, 16, 8 or 0 */
	enum { PLAIN, PARAMETERS, STRING } inside; /* position in an incomplete escape sequence */
	bool escaped; /* the last byte of the string was an Esc */
	double since; /* s: when the last byte of the string arrived */
	int idle;    /* number of consecutive times that the terminal was readable without data */
	attr_t attributes[BW_N_STYLES][N_GROUNDS];
	short pairs[BW_N_STYLES][N_GROUNDS];
	cchar_t *row; /* one row of the screen */
	int row_columns;
};

enum { ESCAPE_MS = 5, IDLE_READS = 200 };
/* seconds; a string that has no end is over after such a pause: it was an Esc and quick keys, not a
 * terminal's answer */
#define STRING_PAUSE 0.2
static const char paste_on[] = "\033[?2004h", paste_off[] = "\033[?2004l";

/* Writes all bytes, unless the terminal stops accepting them. */
static void terminal_write(const char *bytes, size_t length)
{
	fflush(stdout);
	while (length) {
		ssize_t put = write(STDOUT_FILENO, bytes, length);
		if (put < 0 && errno != EINTR)
			return;
		bytes += put > 0 ? put : 0;
		length -= put > 0 ? (size_t)put : 0;
	}
}

bool bw_terminal_check(const char *type, struct bw_error *error)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return bw_fail(
		    error, BW_ERROR_USAGE,
		    "the explorer needs a terminal: standard %s is none (`beamwalk schedule` needs none)",
		    isatty(STDIN_FILENO) ? "output" : "input");
	if (!type || !*type)
		return bw_fail(error, BW_ERROR_USAGE,
			       "the explorer needs to know the terminal: TERM is not set (try TERM=xterm)");
	int found = 0;
	if (setupterm(type, STDOUT_FILENO, &found) != OK)
		return bw_fail(error, BW_ERROR_USAGE,
			       "the explorer does not know the terminal TERM=%s (try TERM=xterm)", type);
	bool good = cursor_address && clear_screen;
	del_curterm(cur_term);
	return good ||
	       bw_fail(error, BW_ERROR_USAGE,
		       "the explorer needs a terminal that can move its cursor: TERM=%s cannot", type);
}

/* Appends a terminfo string without the pauses `$<5>` of old terminals. */
static void append_capability(char *bytes, size_t size, const char *capability)
{
	size_t length = strlen(bytes);
	for (; capability && capability != (char *)-1 && *capability && length + 1 < size; capability++) {
		const char *end = capability[0] == '$' && capability[1] == '<' ? strchr(capability, '>') : NULL;
		if (end)
			capability = end;
		else
			bytes[length++] = *capability;
	}
	bytes[length] = 0;
}

/* Tells rescue.c how to restore the terminal without curses. */
static void arm(struct bw_terminal *terminal)
{
	char bytes[256] = "";
	append_capability(bytes, sizeof bytes, "\033[?1006l\033[?1000l");
	append_capability(bytes, sizeof bytes, paste_off);
	append_capability(bytes, sizeof bytes, exit_attribute_mode);
	append_capability(bytes, sizeof bytes, keypad_local);
	append_capability(bytes, sizeof bytes, cursor_normal);
	append_capability(bytes, sizeof bytes, exit_ca_mode);
	if (!exit_ca_mode)
		append_capability(bytes, sizeof bytes, "\r\n");
	bw_rescue_arm(STDOUT_FILENO, &terminal->modes, bytes, strlen(bytes));
}

static void set_modes(const struct bw_terminal_options *options)
{
	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(ESCAPE_MS);
	define_key("\033[200~", KEY_PASTE_ON);
	define_key("\033[201~", KEY_PASTE_OFF);
	mouseinterval(0);
	if (options->mouse)
		mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	else
		define_key(NULL, KEY_MOUSE); /* otherwise curses would report its first byte as a key */
}

/* Opens standard output under another number. */
static FILE *open_out(void)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? NULL : fdopen(fd, "w");
}

/* Returns true if the terminal's attributes follow ECMA-48, in which each has its own reset. */
static bool takes_back_one_by_one(void)
{
	bool colours = !orig_pair || strcmp(orig_pair, "\033[39;49m") == 0;
	return colours && exit_underline_mode && strcmp(exit_underline_mode, "\033[24m") == 0;
}

/* A gap of at most this many blanks between two words keeps the style of the first word. */
enum { SHORT_GAP = 7 };
/* Background in 256 colours. */
static const short backgrounds[N_GROUNDS] = {-1, 237, 24};

static int count_colours(const struct bw_terminal_options *options)
{
	if (options->color == BW_COLOR_NEVER || (options->color == BW_COLOR_AUTO && options->no_color) ||
	    !has_colors())
		return 0;
	start_color();
	use_default_colors();
	return COLORS >= 256 && COLOR_PAIRS > BW_N_STYLES * N_GROUNDS ? 256
	       : COLORS >= 16                                         ? 16
	       : COLORS >= 8                                          ? 8
								      : 0;
}

static attr_t attributes_of(const struct bw_look *look)
{
	return (look->attributes & BW_BOLD ? A_BOLD : 0) | (look->attributes & BW_FAINT ? A_DIM : 0) |
	       (look->attributes & BW_UNDERLINED ? A_UNDERLINE : 0);
}

/* Makes a look for 16 colours or none: rows are set off by reverse video and underlines. */
static void make_plain_look(struct bw_terminal *terminal, int style, short pair)
{
	static const attr_t grounds[N_GROUNDS] = {A_NORMAL, A_UNDERLINE, A_REVERSE};
	const struct bw_look *look = bw_style_look(style);
	int colour = terminal->colours ? look->colour16 : -1;
	attr_t more = 0;
	if (colour >= terminal->colours) {
		colour = -1;
		more = A_DIM;
	}
	if (colour >= 0)
		init_pair(pair, (short)colour, -1);
	for (int ground = 0; ground < N_GROUNDS; ground++) {
		terminal->attributes[style][ground] = attributes_of(look) | more | grounds[ground];
		terminal->pairs[style][ground] = colour >= 0 ? pair : 0;
	}
}

/* Prepares the styles in the terminal's colours. Sets attributes and pairs. */
static void terminal_make_looks(struct bw_terminal *terminal, const struct bw_terminal_options *options)
{
	terminal->colours = count_colours(options);
	short pair = 1;
	for (int style = 0; style < BW_N_STYLES; style++) {
		const struct bw_look *look = bw_style_look(style);
		if (terminal->colours < 256) {
			make_plain_look(terminal, style, pair++);
			continue;
		}
		for (int ground = 0; ground < N_GROUNDS; ground++) {
			int colour = ground == GROUND_PLAIN ? look->colour256 : look->lit256;
			terminal->attributes[style][ground] = attributes_of(look);
			terminal->pairs[style][ground] = colour < 0 ? 0 : pair;
			if (colour >= 0)
				init_pair(pair++, (short)colour, backgrounds[ground]);
		}
	}
}

struct bw_terminal *bw_terminal_open(const struct bw_terminal_options *options, struct bw_error *error)
{
	if (!bw_terminal_check(options->type, error))
		return NULL;
	struct bw_terminal *terminal = BW_NEW(struct bw_terminal);
	terminal->alarm_fd = bw_rescue_begin();
	if (terminal->alarm_fd < 0 || tcgetattr(STDOUT_FILENO, &terminal->modes) != 0) {
		bw_fail(error, BW_ERROR_FAILED, "the terminal: %s", strerror(errno));
	} else if (!(terminal->out = open_out()) ||
		   !(terminal->screen = newterm(options->type, terminal->out, stdin))) {
		bw_fail(error, BW_ERROR_USAGE, "the explorer cannot use the terminal TERM=%s", options->type);
	} else {
		terminal->frame_fd = takes_back_one_by_one() ? memfd_create("frame", MFD_CLOEXEC) : -1;
		arm(terminal);
		bw_rescue_hold_stderr();
		set_modes(options);
		terminal_make_looks(terminal, options);
		terminal_write(paste_on, sizeof paste_on - 1);
		return terminal;
	}
	bw_rescue_end();
	if (terminal->out)
		fclose(terminal->out);
	free(terminal);
	return NULL;
}

void bw_terminal_close(struct bw_terminal *terminal)
{
	if (!terminal)
		return;
	terminal_write(paste_off, sizeof paste_off - 1);
	endwin();
	tcsetattr(STDOUT_FILENO, TCSADRAIN, &terminal->modes);
	bw_rescue_disarm();
	delscreen(terminal->screen);
	bw_rescue_release_stderr();
	bw_rescue_end();
	fclose(terminal->out);
	if (terminal->frame_fd >= 0)
		close(terminal->frame_fd);
	bw_text_free(&terminal->frame);
	bw_text_free(&terminal->shorter);
	free(terminal->row);
	free(terminal);
}

void bw_terminal_size(const struct bw_terminal *terminal, int *columns, int *rows)
{
	(void)terminal;
	*columns = COLS;
	*rows = LINES;
}

/* Adopts the terminal's current size. */
static void fit(void)
{
	struct winsize size;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0 &&
	    (size.ws_row != LINES || size.ws_col != COLS))
		resizeterm(size.ws_row, size.ws_col);
}

void bw_terminal_redraw(struct bw_terminal *terminal)
{
	(void)terminal;
	clearok(curscr, TRUE);
}

void bw_terminal_lend(struct bw_terminal *terminal)
{
	(void)terminal;
	terminal_write(paste_off, sizeof paste_off - 1);
	endwin();
	bw_rescue_disarm();
	bw_rescue_release_stderr();
}

/* Works in any state of the terminal. */
void bw_terminal_take_back(struct bw_terminal *terminal)
{
	arm(terminal);
	bw_rescue_hold_stderr();
	fit();
	bw_terminal_redraw(terminal);
	refresh();
	terminal_write(paste_on, sizeof paste_on - 1);
}

void bw_terminal_suspend(struct bw_terminal *terminal)
{
	bw_terminal_lend(terminal);
	bw_rescue_stop();
	bw_terminal_take_back(terminal);
}

int bw_terminal_wait(struct bw_terminal *terminal, struct pollfd *others, int n_others, int timeout)
{
	enum { MOST = 16 };
	struct pollfd fds[2 + MOST] = {{.fd = STDIN_FILENO, .events = POLLIN},
				       {.fd = terminal->alarm_fd, .events = POLLIN}};
	int n = n_others < MOST ? n_others : MOST;
	if (n)
		memcpy(fds + 2, others, (size_t)n * sizeof *others);
	int ready = poll(fds, (nfds_t)n + 2, timeout);
	if (ready > 0 && n)
		memcpy(others, fds + 2, (size_t)n * sizeof *others);
	int alarms = bw_rescue_alarms();
	if (alarms & BW_ALARM_SUSPEND)
		bw_terminal_suspend(terminal);
	else if (alarms & BW_ALARM_CONTINUED)
		bw_terminal_take_back(terminal);
	if (alarms & BW_ALARM_RESIZED)
		fit();
	if (ready > 0 && fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		alarms |= BW_ALARM_HUNG_UP;
	if (ready > 0 && fds[0].revents & POLLIN && ++terminal->idle > IDLE_READS)
		alarms |= BW_ALARM_HUNG_UP;
	return alarms;
}

/* Frames: writes a grid's cells in the terminal's looks of their styles, in as few bytes as possible. */

static int ground_of(const struct bw_cell *cell)
{
	return cell->flags & BW_CELL_SELECTED ? GROUND_SELECTED
	       : cell->flags & BW_CELL_LINKED ? GROUND_LINKED
					      : GROUND_PLAIN;
}

static void set_cell(const struct bw_terminal *terminal, uint32_t glyph, int style, int ground, cchar_t *out)
{
	wchar_t text[2] = {(wchar_t)glyph, 0};
	attr_t attributes = terminal->attributes[style][ground];
	setcchar(out, text, glyph == ' ' ? attributes & ~A_UNDERLINE : attributes,
		 terminal->pairs[style][ground], NULL);
}

static bool is_blank(const struct bw_cell *cell)
{
	return cell->glyph == ' ';
}

/* Returns the end of the run of blanks from x on with one background. */
static int blanks_end(const struct bw_cell *cells, int x, int columns)
{
	int end = x;
	while (end < columns && is_blank(&cells[end]) && cells[end].flags == cells[x].flags)
		end++;
	return end;
}

/* Makes the cells of one row for curses, and returns their number. A few blanks between two words keep the
 * style of the first, because changes of style cost bytes and do not show in blanks. */
static int make_row(const struct bw_terminal *terminal, const struct bw_cell *cells, int columns)
{
	int n = 0, style = BW_STYLE_NORMAL;
	for (int x = 0; x < columns;) {
		if (!is_blank(&cells[x])) {
			style = cells[x].style;
			if (cells[x].glyph)
				set_cell(terminal, cells[x].glyph, style, ground_of(&cells[x]), &terminal->row[n++]);
			x++;
			continue;
		}
		int end = blanks_end(cells, x, columns);
		if (end == columns || end - x > SHORT_GAP)
			style = BW_STYLE_NORMAL;
		for (; x < end; x++)
			set_cell(terminal, ' ', style, ground_of(&cells[x]), &terminal->row[n++]);
	}
	return n;
}

/* Reads the output of curses from its file in memory, and empties the file. */
static void read_frame(struct bw_terminal *terminal)
{
	char bytes[4096];
	bw_text_clear(&terminal->frame);
	lseek(terminal->frame_fd, 0, SEEK_SET);
	for (ssize_t got; (got = read(terminal->frame_fd, bytes, sizeof bytes)) > 0;)
		bw_text_append(&terminal->frame, bytes, (size_t)got);
	lseek(terminal->frame_fd, 0, SEEK_SET);
	if (ftruncate(terminal->frame_fd, 0) != 0)
		terminal->frame_fd = -1;
}

/* Makes curses write the frame into memory, and writes the shortened result to the terminal. */
static void update(struct bw_terminal *terminal)
{
	int out = fileno(terminal->out);
	if (terminal->frame_fd < 0 || dup3(terminal->frame_fd, out, O_CLOEXEC) < 0) {
		refresh();
		return;
	}
	refresh();
	dup3(STDOUT_FILENO, out, O_CLOEXEC);
	read_frame(terminal);
	bw_text_clear(&terminal->shorter);
	bool shorter = bw_shorten(terminal->frame.bytes, terminal->frame.length, &terminal->shorter);
	const struct bw_text *frame = shorter ? &terminal->shorter : &terminal->frame;
	terminal_write(frame->bytes, frame->length);
}

void bw_terminal_show(struct bw_terminal *terminal, const struct bw_grid *grid, int x, int y)
{
	int columns = grid->columns < COLS ? grid->columns : COLS, rows = grid->rows < LINES ? grid->rows : LINES;
	if (columns > terminal->row_columns) {
		terminal->row = bw_resize_array(terminal->row, (size_t)columns, sizeof *terminal->row);
		terminal->row_columns = columns;
	}
	for (int line = 0; line < rows; line++) {
		int n = make_row(terminal, bw_grid_at(grid, 0, line), columns);
		mvadd_wchnstr(line, 0, terminal->row, n);
	}
	if (x >= 0 && x < COLS && y >= 0 && y < LINES)
		move(y, x);
	update(terminal);
}

void bw_terminal_copy(const char *text, size_t length)
{
	BW_SCOPED_MEMORY char *code = bw_base64_encode((const unsigned char *)text, length);
	BW_SCOPED_TEXT sequence = {0};
	bw_text_printf(&sequence, "\033]52;c;%s\a", code);
	terminal_write(sequence.bytes, sequence.length);
}

/* Keys as the terminal sends them. */

/* Keys of curses and of beamwalk. */
static const struct {
	int curses;
	enum bw_key_code code;
} keys[] = {
	{KEY_UP, BW_KEY_UP}, {KEY_DOWN, BW_KEY_DOWN}, {KEY_LEFT, BW_KEY_LEFT}, {KEY_RIGHT, BW_KEY_RIGHT},
	{KEY_PPAGE, BW_KEY_PAGE_UP}, {KEY_NPAGE, BW_KEY_PAGE_DOWN}, {KEY_HOME, BW_KEY_HOME}, {KEY_END, BW_KEY_END},
	{KEY_ENTER, BW_KEY_ENTER}, {KEY_BACKSPACE, BW_KEY_BACKSPACE}, {KEY_BTAB, BW_KEY_BACKTAB}, {KEY_DC, BW_KEY_DELETE},
	{KEY_PASTE_ON, BW_KEY_PASTE_BEGIN}, {KEY_PASTE_OFF, BW_KEY_PASTE_END},
};

static struct bw_key mouse_key(void)
{
	MEVENT event;
	if (getmouse(&event) != OK)
		return (struct bw_key){.code = BW_KEY_OTHER};
	uint32_t code = event.bstate & BUTTON4_PRESSED   ? BW_KEY_WHEEL_UP
			: event.bstate & BUTTON5_PRESSED ? BW_KEY_WHEEL_DOWN
							 : BW_KEY_MOUSE;
	return (struct bw_key){code, false, event.x, event.y};
}

static uint32_t character_key(wint_t character)
{
	static const uint32_t codes[128] = {
	    ['\r'] = BW_KEY_ENTER,    ['\n'] = BW_KEY_ENTER,   ['\t'] = BW_KEY_TAB, [' '] = BW_KEY_SPACE,
	    ['\b'] = BW_KEY_BACKSPACE, [127] = BW_KEY_BACKSPACE, [27] = BW_KEY_ESCAPE,
	};
	if (character < 128 && codes[character])
		return codes[character];
	return character ? (uint32_t)character : BW_KEY_OTHER;
}

static struct bw_key read_key(void)
{
	wint_t got = 0;
	int kind = get_wch(&got);
	if (kind == OK)
		return (struct bw_key){.code = character_key(got)};
	if (kind != KEY_CODE_YES)
		return (struct bw_key){.code = BW_KEY_NONE};
	if (got == KEY_MOUSE)
		return mouse_key();
	if ((int)got >= KEY_F(1) && (int)got <= KEY_F(12))
		return (struct bw_key){.code = BW_KEY_F1 + (uint32_t)((int)got - KEY_F(1))};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if ((int)got == keys[i].curses)
			return (struct bw_key){.code = keys[i].code};
	return (struct bw_key){.code = BW_KEY_OTHER};
}

/* Reads the rest of an escape sequence that curses does not know: parameters up to the final character
 * (ECMA-48, 5.4), or a string up to BEL or ST (5.6). If its end has not arrived, it goes on with the next
 * key. ^C ends a string, and is returned; otherwise returns no key. */
static struct bw_key swallow(struct bw_terminal *terminal, struct bw_key key)
{
	enum { INTERRUPT = 3, BELL = 7, CANCEL = 24, SUBSTITUTE = 26 };
	for (; key.code != BW_KEY_NONE; key = read_key()) {
		bool string = terminal->inside == STRING, stopped = string && key.code == INTERRUPT,
		     ends = string ? key.code == BELL || key.code == CANCEL || key.code == SUBSTITUTE ||
					 (terminal->escaped && key.code == '\\')
				   : key.code >= '@' || key.code == BW_KEY_ESCAPE;
		terminal->escaped = key.code == BW_KEY_ESCAPE;
		terminal->since = bw_clock();
		if (!ends && !stopped)
			continue;
		terminal->inside = PLAIN;
		return stopped ? key : (struct bw_key){.code = BW_KEY_OTHER};
	}
	return (struct bw_key){.code = BW_KEY_OTHER};
}

/* Returns the key after an Esc: Alt with a key arrives as both together. Reads an escape sequence to
 * its end, and returns no key for it. */
static struct bw_key key_behind(struct bw_terminal *terminal, struct bw_key behind)
{
	enum { MOUSE_BYTES = 3 }; /* of xterm's oldest form, behind its M */
	static const char strings[] = "]PX^_";
	bool string = behind.code < 128 && behind.code && strchr(strings, (int)behind.code),
	     sequence = string || behind.code == '[' || behind.code == 'O';
	struct bw_key next = sequence ? read_key() : (struct bw_key){.code = BW_KEY_NONE};
	if (next.code == BW_KEY_NONE) {
		behind.alt = true;
		return behind;
	}
	terminal->inside = string ? STRING : PARAMETERS;
	struct bw_key key = swallow(terminal, next);
	for (int i = 0; behind.code == '[' && next.code == 'M' && i < MOUSE_BYTES; i++)
		read_key();
	return key;
}

/* An Esc is a key of its own if no byte follows within the 5 ms that curses waits. */
struct bw_key bw_terminal_key(struct bw_terminal *terminal)
{
	struct bw_key key = read_key();
	if (terminal->inside == STRING && bw_clock() - terminal->since > STRING_PAUSE)
		terminal->inside = PLAIN;
	if (key.code != BW_KEY_NONE && terminal->inside != PLAIN) {
		key = swallow(terminal, key);
	} else if (key.code == BW_KEY_ESCAPE) {
		struct bw_key behind = read_key();
		if (behind.code != BW_KEY_NONE)
			key = key_behind(terminal, behind);
	}
	if (key.code != BW_KEY_NONE)
		terminal->idle = 0;
	return key;
}
