/* Restores the terminal in all cases: signals, crashes, exit() in a library, and output to stderr while
 * the screen is shown. It does not use curses; the terminal (terminal.h) provides the bytes and modes that
 * restore it.
 *
 * Signal handlers can only use static data: the record in rescue.c is the only mutable static data of this
 * room. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/* Signals that have arrived, as bits. */
enum bw_alarm {
	BW_ALARM_RESIZED = 1,
	BW_ALARM_INTERRUPTED = 2, /* SIGINT from another process: the key ^C sends none */
	BW_ALARM_ENDED = 4,       /* SIGTERM */
	BW_ALARM_HUNG_UP = 8,     /* SIGHUP */
	BW_ALARM_SUSPEND = 16,    /* SIGTSTP from another process: the key ^Z sends none */
	BW_ALARM_CONTINUED = 32,
};

/* Catches signals. Returns a file descriptor that becomes readable when a signal arrives, or -1 with
 * errno. Call it before curses, which would otherwise install its own handlers. Ignored signals stay
 * ignored. */
int bw_rescue_begin(void);
/* Returns the signals that have arrived since the last call, as bits of enum bw_alarm. If a second SIGINT,
 * SIGTERM or SIGHUP arrives before the call, the terminal is restored and the program ends at once. */
int bw_rescue_alarms(void);
/* Records how to restore the terminal `fd`, which is being changed: with these bytes and modes. */
void bw_rescue_arm(int fd, const struct termios *modes, const char *bytes, size_t length);
/* Records that the terminal has been restored. */
void bw_rescue_disarm(void);
/* Stops the process group like the terminal's ^Z. Returns when it continues. The terminal must be
 * restored. */
void bw_rescue_stop(void);
/* Restores the signal handlers that were set before bw_rescue_begin. */
void bw_rescue_end(void);

/* If stderr is a terminal, buffers what this process and its children write to stderr, until
 * bw_rescue_release_stderr writes it to the terminal. */
void bw_rescue_hold_stderr(void);
void bw_rescue_release_stderr(void);
