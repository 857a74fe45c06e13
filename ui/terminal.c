#include "ui/terminal_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <term.h>
#undef columns
#undef lines

#include "ui/rescue.h"

enum { ESCAPE_MS = 5, IDLE_READS = 200 };
static const char paste_on[] = "\033[?2004h", paste_off[] = "\033[?2004l";

void bw_terminal_write(const char *bytes, size_t length)
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
}

/* Opens standard output under another number. */
static FILE *open_out(void)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? NULL : fdopen(fd, "w");
}

/* Returns true if the terminal's attributes are those of ECMA-48, each with its reset. */
static bool takes_back_one_by_one(void)
{
	bool colours = !orig_pair || strcmp(orig_pair, "\033[39;49m") == 0;
	return colours && exit_underline_mode && strcmp(exit_underline_mode, "\033[24m") == 0;
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
		bw_terminal_make_looks(terminal, options);
		bw_terminal_write(paste_on, sizeof paste_on - 1);
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
	bw_terminal_write(paste_off, sizeof paste_off - 1);
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
	bw_terminal_write(paste_off, sizeof paste_off - 1);
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
	bw_terminal_write(paste_on, sizeof paste_on - 1);
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
	memcpy(fds + 2, others, (size_t)n * sizeof *others);
	int ready = poll(fds, (nfds_t)n + 2, timeout);
	if (ready > 0)
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
