#include "session/film.h"

#include <math.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "session/core.h"

/* The slowest and the fastest film, and the least at first, in decisions a second; the longest at first, in
 * seconds. */
static const double slowest = 0.25, fastest = 32, usual = 2, longest = 40;

struct data {
	struct bw_film film;
	const struct bw_search *search; /* that is shown; NULL: there is no film */
	int timer;                      /* descriptor, -1: none */
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

void bw_film_end(struct bw_session *session)
{
	struct data *data = data_of(session);
	if (data->timer >= 0)
		close(data->timer);
	if (data->search)
		bw_session_touch(session);
	*data = (struct data){.timer = -1};
}

/* Has the timer tick as often as decisions are to be shown, or not at all. */
static void set_timer(struct data *data)
{
	double seconds = data->film.plays ? 1 / data->film.rate : 0;
	struct timespec each = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - floor(seconds)))};
	if (data->timer < 0)
		data->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	timerfd_settime(data->timer, 0, &(struct itimerspec){each, each}, NULL);
}

bool bw_film_begin(struct bw_session *session, struct bw_error *error)
{
	struct data *data = data_of(session);
	if (!bw_search_reached(session->search))
		return bw_fail(error, BW_ERROR_FAILED, "no decision is made yet: `run` makes all of them");
	bw_film_end(session);
	data->search = session->search;
	data->film = (struct bw_film){true, 1, fmax(usual, bw_search_n_decisions(session->search) / longest)};
	set_timer(data);
	bw_session_touch(session);
	return true;
}

void bw_film_pause(struct bw_session *session, bool pause)
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

void bw_film_step(struct bw_session *session, int by)
{
	struct data *data = data_of(session);
	if (!bw_session_film(session))
		return;
	int shown = data->film.shown + by, most = bw_search_reached(session->search);
	bw_film_pause(session, true);
	data->film.shown = shown < 1 ? 1 : shown > most ? most : shown;
}

void bw_film_speed(struct bw_session *session, double factor)
{
	struct data *data = data_of(session);
	if (!bw_session_film(session))
		return;
	data->film.rate = fmin(fastest, fmax(slowest, data->film.rate * factor));
	set_timer(data);
	bw_session_touch(session);
}

/* Shows the next decision once it is time for it, and made; ends with the view. */
static void poll(struct bw_session *session)
{
	struct data *data = data_of(session);
	uint64_t ticks;
	if (data->timer < 0 || !data->film.plays || read(data->timer, &ticks, sizeof ticks) != sizeof ticks)
		return;
	if (!bw_session_film(session) || strcmp(session->view, "search")) {
		bw_film_end(session);
		return;
	}
	int most = bw_search_reached(session->search);
	if (data->film.shown < most)
		data->film.shown++;
	else if (session->target < 0)
		bw_film_pause(session, true);
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
    .changed = bw_film_end,
    .free = bw_film_end,
};
