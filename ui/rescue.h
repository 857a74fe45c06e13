/* The way back to a usable terminal, whatever happens: signals, crashes, exit() somewhere below, and what is written to stderr while
 * the screen is up. It knows no curses; the terminal (terminal.h) tells it what brings the terminal back.
 *
 * A signal handler can be told nothing but what is static: the one record in rescue.c is the only mutable static data of the ui. */
#ifndef BW_UI_RESCUE_H
#define BW_UI_RESCUE_H
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/* What has arrived, as bits. */
enum bw_alarm {
	BW_ALARM_RESIZED = 1,
	BW_ALARM_INTERRUPTED = 2, /* SIGINT from elsewhere: ^C is a key */
	BW_ALARM_ENDED = 4,       /* SIGTERM */
	BW_ALARM_HUNG_UP = 8,     /* SIGHUP */
	BW_ALARM_SUSPEND = 16,    /* SIGTSTP from elsewhere: ^Z is a key */
	BW_ALARM_CONTINUED = 32,
};

/* Catches signals from here on; returns the file descriptor that becomes readable when one has arrived, -1 with errno where there
 * is none. Must come before curses, which would else set its own. Signals that were ignored stay ignored. */
int bw_rescue_begin(void);
/* What has arrived since it was last asked: bits of enum bw_alarm. A second SIGINT, SIGTERM or SIGHUP before that ends the program
 * at once, terminal restored. */
int bw_rescue_alarms(void);
/* From now on the terminal `fd` is not as it was: bytes and modes bring it back. */
void bw_rescue_arm(int fd, const struct termios *modes, const char *bytes, size_t length);
/* The terminal is as it was. */
void bw_rescue_disarm(void);
/* Stops the process group as the terminal's ^Z would; returns when it goes on. The terminal must be restored before. */
void bw_rescue_stop(void);
/* Signals as they were before _begin. */
void bw_rescue_end(void);

/* Keeps away from the screen what this process and its children write to a stderr that is a terminal, until _release, which writes
 * it there. */
void bw_rescue_hold_stderr(void);
void bw_rescue_release_stderr(void);
#endif
