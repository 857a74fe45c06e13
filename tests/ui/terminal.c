/* The program on a terminal of its own: on every way out the terminal is as it was, with the status or the signal that one expects; NO_COLOR and
 * --color; pastes; the mouse; keys after a resize; what runs is not waited for. */
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <utmp.h>
#include <unistd.h>

#include "../core/test.h"
#include "base/text.h"

enum { COLUMNS = 100, ROWS = 30, QUIET_MS = 250, PATIENCE_MS = 120000 };

/* The program under test, and all that it wrote since it was last cleared. */
struct program {
	pid_t pid;
	int fd, keep; /* keep: the terminal's other end, so that it outlives the program */
	struct termios before;
	struct bw_text written;
	struct timespec started;
	int quiet_ms; /* silence that means it has nothing more to say: longer where the program was slow to say its first word */
};

/* What nohup, or a shell without job control, leaves ignored; a user's shell starts programs without. */
static const int of_a_shell[] = {SIGHUP, SIGINT, SIGQUIT};

static void start(struct program *program, const char *const *environment, const char *option)
{
	struct winsize size = {.ws_row = ROWS, .ws_col = COLUMNS};
	char path[4096];
	const char *build = getenv("BW_BUILD");
	snprintf(path, sizeof path, "%s/beamwalk", build ? build : ".");
	*program = (struct program){.quiet_ms = QUIET_MS};
	clock_gettime(CLOCK_MONOTONIC, &program->started);
	assert_int_equal(openpty(&program->fd, &program->keep, NULL, NULL, &size), 0);
	assert_int_equal(tcgetattr(program->keep, &program->before), 0);
	program->pid = fork();
	if (program->pid != 0)
		return;
	close(program->fd);
	login_tty(program->keep);
	for (size_t i = 0; i < sizeof of_a_shell / sizeof *of_a_shell; i++)
		signal(of_a_shell[i], SIG_DFL);
	setenv("TERM", "xterm-256color", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	setenv("ASAN_OPTIONS", "detect_leaks=0:handle_segv=0:handle_abort=0", 1);
	unsetenv("NO_COLOR");
	unsetenv("LINES");
	unsetenv("COLUMNS");
	setenv("XDG_STATE_HOME", "/nonexistent", 1);
	for (; environment && *environment; environment++)
		putenv((char *)*environment);
	execl(path, path, "harris", option, (char *)NULL);
	_exit(127);
}

/* On a busy machine, or with sanitizers, everything takes longer: as many times as the start did. */
static void note_slowness(struct program *program)
{
	enum { MOST_MS = 3000 };
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	long ms = (now.tv_sec - program->started.tv_sec) * 1000 + (now.tv_nsec - program->started.tv_nsec) / 1000000;
	if (program->quiet_ms == QUIET_MS && ms > QUIET_MS)
		program->quiet_ms = ms < MOST_MS ? (int)ms : MOST_MS;
}

/* Takes what was written, zeros as blanks; false where nothing came for so long. */
static bool take(struct program *program, int patience_ms)
{
	char bytes[65536];
	struct pollfd fd = {.fd = program->fd, .events = POLLIN};
	ssize_t got = poll(&fd, 1, patience_ms) > 0 ? read(program->fd, bytes, sizeof bytes) : -1;
	for (ssize_t i = 0; i < got; i++)
		bytes[i] = bytes[i] ? bytes[i] : ' ';
	if (got > 0)
		bw_text_append(&program->written, bytes, (size_t)got);
	return got > 0;
}

/* Reads until nothing came for a while: no more than a chance for the program to be done, of which nothing may depend. */
static void settle(struct program *program)
{
	while (take(program, program->quiet_ms))
		;
}

/* Reads until the text was written; fails where it never is, with what was, in printable letters. */
static void await(struct program *program, const char *text)
{
	while (!strstr(bw_text_get(&program->written), text))
		if (!take(program, PATIENCE_MS)) {
			for (size_t i = 0; i < program->written.length; i++)
				if ((unsigned char)program->written.bytes[i] < 32)
					program->written.bytes[i] = '^';
			fail_msg("\"%s\" was never written, but: %s", text, bw_text_get(&program->written));
		}
}

static void expect(struct program *program, const char *text)
{
	await(program, text);
	note_slowness(program);
	settle(program);
}

static void type(struct program *program, const char *keys)
{
	assert_int_equal(write(program->fd, keys, strlen(keys)), strlen(keys));
}

/* Presses one key and returns how many bytes that wrote. */
static size_t press(struct program *program, const char *key)
{
	bw_text_clear(&program->written);
	type(program, key);
	settle(program);
	return program->written.length;
}

/* Leaves the welcome, and keeps what that wrote. */
static void leave_welcome(struct program *program)
{
	bw_text_clear(&program->written);
	type(program, "\r");
	expect(program, "BEAM by cost");
}

/* All that the program has written is taken then, too: up to a mark that is put behind it. */
static int wait_for_end(struct program *program)
{
	static const char mark[] = "\033]7777;end\007";
	int status = 0;
	for (int ms = 0; ms < PATIENCE_MS; ms += 10) {
		take(program, 10);
		if (waitpid(program->pid, &status, WNOHANG) != program->pid)
			continue;
		assert_int_equal(write(program->keep, mark, sizeof mark - 1), sizeof mark - 1);
		await(program, mark);
		program->written.length -= sizeof mark - 1;
		program->written.bytes[program->written.length] = 0;
		return status;
	}
	kill(program->pid, SIGKILL);
	waitpid(program->pid, &status, 0);
	fail_msg("the program did not end");
	return status;
}

static void assert_same_modes(const struct termios *a, const struct termios *b)
{
	assert_int_equal(a->c_iflag, b->c_iflag);
	assert_int_equal(a->c_oflag, b->c_oflag);
	assert_int_equal(a->c_lflag, b->c_lflag);
	assert_memory_equal(a->c_cc, b->c_cc, sizeof a->c_cc);
}

static int last(const struct bw_text *text, const char *what)
{
	const char *found = NULL;
	for (const char *at = bw_text_get(text); (at = strstr(at, what)); at++)
		found = at;
	return found ? (int)(found - bw_text_get(text)) : -1;
}

/* The screen before is back, mouse and paste marks are off, the cursor is seen, modes are as they were. */
static void assert_clean(struct program *program)
{
	static const char *const pairs[][2] = {{"\033[?1049h", "\033[?1049l"}, {"\033[?2004h", "\033[?2004l"}, {"1000h", "1000l"}};
	struct termios now;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		assert_true(last(&program->written, pairs[i][1]) > last(&program->written, pairs[i][0]));
	assert_true(last(&program->written, "\033[?25l") <= last(&program->written, "\033[?1049l"));
	assert_int_equal(tcgetattr(program->keep, &now), 0);
	assert_same_modes(&program->before, &now);
}

static void finish(struct program *program)
{
	close(program->fd);
	close(program->keep);
	bw_text_free(&program->written);
}

/* Ways out: keys, or a signal. */
static void every_way_out_is_clean(void **state)
{
	static const struct {
		const char *keys;
		int signals[2]; /* the second when the first is answered: two of a kind that nobody has taken yet are one */
		int status, by; /* exit status, or the signal that ended it */
	} ways[] = {
		{"q", {0}, 0, 0},
		{":quit\r", {0}, 0, 0},
		{"\r?qq", {0}, 0, 0},
		{"\003\003", {0}, 0, 0},
		{"", {SIGINT, SIGINT}, 0, 0},
		{"", {SIGTERM}, 130, 0},
		{":half a li", {SIGTERM}, 130, 0},
		{"", {SIGHUP}, 130, 0},
		{"", {SIGSEGV}, 0, SIGSEGV},
		{"?", {SIGABRT}, 0, SIGABRT},
		{"", {SIGQUIT}, 0, SIGQUIT},
		{"", {SIGUSR1}, 0, SIGUSR1},
	};
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		struct program program;
		start(&program, NULL, NULL);
		expect(&program, "best: ");
		type(&program, ways[i].keys);
		if (*ways[i].keys)
			settle(&program);
		for (int s = 0; s < 2 && ways[i].signals[s]; s++) {
			if (s > 0)
				expect(&program, "again leaves");
			kill(program.pid, ways[i].signals[s]);
		}
		int status = wait_for_end(&program);
		if (ways[i].by)
			assert_true(WIFSIGNALED(status) && WTERMSIG(status) == ways[i].by);
		else
			assert_true(WIFEXITED(status) && WEXITSTATUS(status) == ways[i].status);
		assert_clean(&program);
		finish(&program);
	}
}

static void a_terminal_that_goes_away_ends_it(void **state)
{
	struct program program;
	start(&program, NULL, NULL);
	expect(&program, "best: ");
	close(program.keep);
	close(program.fd);
	int status = 0;
	for (int ms = 0; ms < PATIENCE_MS && waitpid(program.pid, &status, WNOHANG) == 0; ms += 20)
		poll(NULL, 0, 20);
	assert_true(WIFEXITED(status) || WIFSIGNALED(status));
	assert_int_equal(kill(program.pid, 0), -1);
	bw_text_free(&program.written);
}

/* Whether a colour was set: SGR 30..48 or 90.., as xterm-256color does. */
/* Whether a colour of the foreground or background is set, alone or beside other attributes. */
static bool has_colour(const struct bw_text *written)
{
	for (const char *at = bw_text_get(written); (at = strstr(at, "\033["));) {
		bool colours = false;
		for (at += 2; *at >= '0' && *at <= '9'; at += *at == ';') {
			char *end;
			long value = strtol(at, &end, 10);
			colours |= (value >= 31 && value <= 38) || value == 48;
			at = end;
		}
		if (colours && *at == 'm')
			return true;
	}
	return false;
}

static void colours_can_be_switched_off(void **state)
{
	static const struct {
		const char *environment[3], *option;
		bool colours;
	} cases[] = {
		{{NULL}, NULL, true},
		{{"NO_COLOR=1", NULL}, NULL, false},
		{{"NO_COLOR=", NULL}, NULL, true},
		{{"NO_COLOR=1", NULL}, "--color=always", true},
		{{NULL}, "--color=never", false},
		{{"TERM=vt100", NULL}, "--color=always", false},
		{{"TERM=xterm", NULL}, NULL, true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct program program;
		start(&program, cases[i].environment, cases[i].option);
		expect(&program, "best: ");
		leave_welcome(&program);
		type(&program, "q");
		assert_int_equal(wait_for_end(&program), 0);
		assert_int_equal(has_colour(&program.written), cases[i].colours);
		finish(&program);
	}
}

static void ascii_where_the_locale_has_no_more(void **state)
{
	static const char *const environment[] = {"LC_ALL=C", NULL};
	struct program program;
	start(&program, environment, NULL);
	expect(&program, "best: ");
	leave_welcome(&program);
	type(&program, "q");
	assert_int_equal(wait_for_end(&program), 0);
	for (size_t i = 0; i < program.written.length; i++)
		assert_true((unsigned char)program.written.bytes[i] < 128);
	finish(&program);
}

static void a_paste_into_a_view_does_nothing(void **state)
{
	struct program program;
	start(&program, NULL, NULL);
	expect(&program, "best: ");
	leave_welcome(&program);
	assert_true(press(&program, "\033[200~qqq\r:quit\rq\033[201~") < 200);
	type(&program, ":");
	expect(&program, ":");
	type(&program, "\033[200~non\nsense\033[201~\r");
	expect(&program, "no command \"non\"");
	type(&program, "q");
	assert_int_equal(wait_for_end(&program), 0);
	finish(&program);
}

/* Of sequences that the terminal's description lacks no letter is a key: the M of a mouse, the u of a key with modifiers, the answer to a
 * question; also where the end comes late. Alt with a bracket is still a key, which says that it does nothing. */
static void unknown_sequences_are_swallowed_whole(void **state)
{
	(void)state;
	static const char *const sequences[] = {"\033[<0;10;9M", "\033[M MM", "\033[97;5u", "\033[?62;22c", "\033]11;rgb:1e/1e/1e\007", "\033Pqv\033\\", "\033OX", "\033[1;2Q"};
	struct program program;
	start(&program, NULL, "--no-mouse");
	expect(&program, "best: ");
	leave_welcome(&program);
	press(&program, "\033OX"); /* also wipes the marks of what changed */
	for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
		assert_int_equal(press(&program, sequences[i]), 0);
	assert_int_equal(press(&program, "\033[<0;1"), 0);
	assert_int_equal(press(&program, "0;9M"), 0);
	/* An Esc and quick keys look like a string without an end: ^C ends it, and so does a pause. */
	press(&program, "\033PRq");
	bw_text_clear(&program.written);
	type(&program, "\003:");
	expect(&program, ":");
	press(&program, "\033");
	press(&program, "\033]]q");
	nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
	bw_text_clear(&program.written);
	type(&program, "\033[");
	expect(&program, "M-[ does nothing");
	type(&program, "qq");
	assert_int_equal(wait_for_end(&program), 0);
	finish(&program);
}

static void the_mouse_selects_and_can_be_switched_off(void **state)
{
	struct program program;
	start(&program, NULL, NULL);
	expect(&program, "best: ");
	leave_welcome(&program);
	type(&program, "\033[<0;24;2M\033[<0;24;2m"); /* the third Func of the timeline */
	expect(&program, "at 4 of 26: det.where");
	type(&program, "q");
	assert_int_equal(wait_for_end(&program), 0);
	finish(&program);
	start(&program, NULL, "--no-mouse");
	expect(&program, "best: ");
	assert_null(strstr(bw_text_get(&program.written), "1000h"));
	type(&program, "q");
	assert_int_equal(wait_for_end(&program), 0);
	finish(&program);
}

static void the_window_changes_while_the_prompt_is_open(void **state)
{
	struct program program;
	struct winsize sizes[] = {{.ws_row = 12, .ws_col = 40}, {.ws_row = 60, .ws_col = 200}, {.ws_row = 3, .ws_col = 7}, {.ws_row = 24, .ws_col = 80}};
	start(&program, NULL, NULL);
	expect(&program, "best: ");
	type(&program, ":nonse");
	settle(&program);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		assert_int_equal(ioctl(program.fd, TIOCSWINSZ, &sizes[i]), 0);
		settle(&program);
	}
	bw_text_clear(&program.written);
	type(&program, "nse\r");
	expect(&program, "no command");
	type(&program, "q");
	assert_int_equal(wait_for_end(&program), 0);
	assert_true(last(&program.written, "\033[?1049l") >= 0);
	finish(&program);
}

static void a_terminal_that_cannot_be_used_is_left_alone(void **state)
{
	static const char *const unusable[][2] = {{"TERM=dumb", NULL}, {"TERM=no-such-terminal", NULL}, {"TERM=", NULL}};
	for (size_t i = 0; i < sizeof unusable / sizeof *unusable; i++) {
		struct program program;
		start(&program, unusable[i], NULL);
		int status = wait_for_end(&program);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 2);
		const char *text = bw_text_get(&program.written);
		assert_non_null(strstr(text, "TERM"));
		assert_null(strchr(text, '\033'));
		assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
		struct termios now;
		assert_int_equal(tcgetattr(program.keep, &now), 0);
		assert_same_modes(&program.before, &now);
		finish(&program);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_way_out_is_clean),
		cmocka_unit_test(a_terminal_that_goes_away_ends_it),
		cmocka_unit_test(colours_can_be_switched_off),
		cmocka_unit_test(ascii_where_the_locale_has_no_more),
		cmocka_unit_test(a_paste_into_a_view_does_nothing),
		cmocka_unit_test(unknown_sequences_are_swallowed_whole),
		cmocka_unit_test(the_mouse_selects_and_can_be_switched_off),
		cmocka_unit_test(the_window_changes_while_the_prompt_is_open),
		cmocka_unit_test(a_terminal_that_cannot_be_used_is_left_alone),
	};
	return cmocka_run_group_tests_name("terminal", tests, NULL, NULL);
}
