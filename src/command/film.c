/* The film of a search and the command `play`: in the explorer, as text, and as a picture file. */
#include "command/film.h"

#include <math.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/file.h"
#include "command/commands.h"
#include "session/core.h"

/* Limits and default of a film's rate, in decisions per second; longest default duration of a film, in
 * seconds. */
static const double slowest = 0.25, fastest = 32, usual = 2, longest = 40;

struct data {
	struct bw_film film;
	const struct bw_search *search; /* the search that is shown; NULL: there is no film */
	int timer;                      /* file descriptor of the timer; -1: none */
};

static BW_PART_DATA(data_of, struct data, FILM)

    static void begin(struct bw_session *session)
{
	data_of(session)->timer = -1;
}

const struct bw_film *bw_session_film(const struct bw_session *session)
{
	const struct data *data = data_of(session);
	return data->search && data->search == session->search ? &data->film : NULL;
}

static void end_film(struct bw_session *session)
{
	struct data *data = data_of(session);
	if (data->timer >= 0)
		close(data->timer);
	if (data->search)
		bw_session_touch(session);
	*data = (struct data){.timer = -1};
}

/* Sets the timer to the film's rate, or stops it if the film does not play. */
static void set_timer(struct data *data)
{
	double seconds = data->film.plays ? 1 / data->film.rate : 0;
	struct timespec each = {.tv_sec = (time_t)seconds,
				.tv_nsec = (long)(1e9 * (seconds - floor(seconds)))};
	if (data->timer < 0)
		data->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	timerfd_settime(data->timer, 0, &(struct itimerspec){each, each}, NULL);
}

/* Shows a film from the first decision on. Returns false with an error if no decision is made. */
static bool begin_film(struct bw_session *session, struct bw_error *error)
{
	struct data *data = data_of(session);
	if (!bw_search_reached(session->search))
		return bw_fail(error, BW_ERROR_FAILED, "no decision is made yet: `run` makes all of them");
	end_film(session);
	data->search = session->search;
	data->film = (struct bw_film){true, 1, fmax(usual, bw_search_n_decisions(session->search) / longest)};
	set_timer(data);
	bw_session_touch(session);
	return true;
}

/* Pauses or continues the film. Without a film, this and the following functions do nothing. */
static void pause_film(struct bw_session *session, bool pause)
{
	struct data *data = data_of(session);
	if (!bw_session_film(session))
		return;
	bool over = data->film.shown >= bw_search_n_decisions(session->search);
	data->film.shown = !pause && over ? 1 : data->film.shown;
	data->film.plays = !pause;
	set_timer(data);
	bw_session_touch(session);
}

/* Moves by some decisions, and pauses the film. */
static void step_film(struct bw_session *session, int by)
{
	struct data *data = data_of(session);
	if (!bw_session_film(session))
		return;
	int shown = data->film.shown + by, most = bw_search_reached(session->search);
	pause_film(session, true);
	data->film.shown = shown < 1 ? 1 : shown > most ? most : shown;
}

static void set_speed(struct bw_session *session, double factor)
{
	struct data *data = data_of(session);
	if (!bw_session_film(session))
		return;
	data->film.rate = fmin(fastest, fmax(slowest, data->film.rate * factor));
	set_timer(data);
	bw_session_touch(session);
}

/* Shows the next decision once its time has come and the decision is made. The film ends when its view is
 * left. */
static void poll(struct bw_session *session)
{
	struct data *data = data_of(session);
	uint64_t ticks;
	if (data->timer < 0 || !data->film.plays || read(data->timer, &ticks, sizeof ticks) != sizeof ticks)
		return;
	if (!bw_session_film(session) || strcmp(session->view, "search")) {
		end_film(session);
		return;
	}
	int most = bw_search_reached(session->search);
	if (data->film.shown < most)
		data->film.shown++;
	else if (session->target < 0)
		pause_film(session, true);
	bw_session_touch(session);
}

static int fds(const struct bw_session *session, int *fds, int most)
{
	const struct data *data = data_of(session);
	if (data->timer < 0 || !data->film.plays || most < 1)
		return 0;
	fds[0] = data->timer;
	return 1;
}

const struct bw_session_part bw_part_film = {
    .size = sizeof(struct data),
    .begin = begin,
    .poll = poll,
    .fds = fds,
    .changed = end_film,
    .free = end_film,
};

/* Prints a frame for each decision made, for scripts and the read-eval loop. */
static bool print_frames(struct call *call)
{
	struct bw_session *session = call->session;
	const struct bw_hooks *hooks = bw_session_hooks(session);
	int n = bw_search_reached(session->search);
	if (!begin_film(session, call->error))
		return false;
	for (int k = 0; k < n; k++) {
		step_film(session, k ? 1 : 0);
		hooks->print(session, "search", call->out);
		bw_text_puts(call->out, "\n");
	}
	end_film(session);
	return true;
}

static bool write_film(struct call *call)
{
	const struct bw_hooks *hooks = bw_session_hooks(call->session);
	BW_SCOPED_TEXT film = {0};
	if (!bw_file_suits(call->rest, "an animated picture", "svg", call->error) || !bw_call_may(call, "write to", call->rest))
		return false;
	if (!hooks->film)
		return bw_fail(call->error, BW_ERROR_FAILED, "nothing here writes pictures");
	if (!hooks->film(call->session, &film, call->error) ||
	    !bw_file_write(call->rest, bw_text_get(&film), film.length, call->error))
		return false;
	bw_session_say(call, "film of %d decisions written to %s", bw_search_reached(call->session->search), call->rest);
	return true;
}

/* Starts the film, or continues it. */
static bool play(struct call *call)
{
	struct bw_session *session = call->session;
	const struct bw_hooks *hooks = bw_session_hooks(session);
	if (call->out && hooks->print)
		return print_frames(call);
	const struct bw_film *film = bw_session_film(session);
	if (film)
		pause_film(session, film->plays);
	else if (!begin_film(session, call->error))
		return false;
	snprintf(session->view, sizeof session->view, "search");
	return true;
}

bool bw_command_play(struct call *call)
{
	static const char *const words[] = {"pause", "step", "back", "faster", "slower", "stop"};
	enum { PAUSE, STEP, BACK, FASTER, SLOWER, STOP, N };
	struct bw_session *session = call->session;
	if (!*call->rest)
		return play(call);
	if (strchr(call->rest, '.') || strchr(call->rest, '/'))
		return write_film(call);
	int word = bw_word_find(words, N, call->rest, "of a film", call->error);
	if (word < 0)
		return false;
	if (!bw_session_film(session))
		return bw_fail(call->error, BW_ERROR_FAILED, "no film is shown: `play` begins one");
	if (word == PAUSE)
		pause_film(session, true);
	if (word == STEP || word == BACK)
		step_film(session, word == STEP ? 1 : -1);
	if (word == FASTER || word == SLOWER)
		set_speed(session, word == FASTER ? 2 : 0.5);
	if (word == STOP)
		end_film(session);
	const struct bw_film *film = bw_session_film(session);
	if (film)
		bw_session_say(call, film->plays ? "%.4g decisions a second" : "%.4g decisions a second, paused", film->rate);
	else
		bw_session_say(call, "the film is over");
	return true;
}
