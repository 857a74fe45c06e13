/* Scripts: lines of the command language, each with all that it begins before the next. The read-eval loop
 * runs its lines in the same way. */
#include <poll.h>
#include <string.h>

#include "base/file.h"
#include "session/core.h"

/* Goes on until nothing is under way. Returns false if stop_fd became readable before. */
static bool settle(struct bw_session *session, int stop_fd)
{
	enum { MOST_FDS = 64, LOOK_MS = 200 };
	while (bw_session_busy(session)) {
		bool works = bw_session_release(session);
		struct pollfd polls[MOST_FDS + 1] = {{.fd = stop_fd, .events = POLLIN}};
		int fds[MOST_FDS], n = bw_session_fds(session, fds, MOST_FDS);
		for (int i = 0; i < n; i++)
			polls[i + 1] = (struct pollfd){.fd = fds[i], .events = POLLIN};
		poll(polls, (nfds_t)n + 1, works || n ? LOOK_MS : 0);
		bw_session_hold(session);
		if (polls[0].revents & POLLIN)
			return false;
	}
	return true;
}

/* What there is to say of what the line began, where that is more than it said itself. */
static void tell_end(struct bw_session *session, const char *said, struct bw_text *out)
{
	if (out && *session->message && !session->message_is_error && strcmp(said, session->message))
		bw_text_printf(out, "%s\n", session->message);
}

/* What an error that came after the line had been taken is: that of the measurement that it began, or a
 * conflict. */
static enum bw_error_kind late_error(const struct bw_session *session, int n_timings)
{
	const struct bw_timing *timing =
	    session->n_timings > n_timings ? &session->timings[session->n_timings - 1] : NULL;
	if (timing && timing->phase == BW_JOB_FAILED)
		return timing->error.kind;
	if (timing && timing->measurement.verdict == BW_UNSTABLE)
		return BW_ERROR_UNSTABLE;
	return timing ? BW_ERROR_WRONG : BW_ERROR_CONFLICT;
}

bool bw_session_do(struct bw_session *session, const char *line, int stop_fd, struct bw_text *out,
		   struct bw_error *error)
{
	char said[sizeof session->message];
	int n_timings = session->n_timings;
	if (!bw_session_run(session, line, out, error))
		return false;
	memcpy(said, session->message, sizeof said);
	bool began = bw_session_busy(session);
	if (!settle(session, stop_fd))
		bw_session_stop(session);
	if (session->message_is_error)
		return bw_fail(error, late_error(session, n_timings), "%s", session->message);
	if (began)
		tell_end(session, said, out);
	return true;
}

bool bw_session_run_file(struct bw_session *session, const char *path, struct bw_text *out,
			 struct bw_error *error)
{
	enum { MOST_BYTES = 1 << 24, DEEPEST = 16 };
	struct own *own = own_of(session);
	struct bw_text text = {0};
	if (own->depth >= DEEPEST)
		return bw_fail(error, BW_ERROR_INPUT, "%s: scripts run each other too deeply", path);
	if (!bw_file_read(path, MOST_BYTES, &text, error) || !bw_text_lines(path, &text, error)) {
		bw_text_free(&text);
		return false;
	}
	own->depth++;
	bool good = true;
	int number = 1;
	for (char *line = text.bytes; line && *line && good && !session->quit; number++) {
		char *next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		good = bw_session_do(session, line, -1, out, error);
		struct bw_error unwritten = {0};
		bool written = !own->flush || !out || !out->length || own->flush(out, own->flush_data, &unwritten);
		if (!good)
			bw_fail_in(error, "%s:%d", path, number);
		else if (!written)
			*error = unwritten;
		good = good && written;
		line = next;
	}
	own->depth--;
	bw_text_free(&text);
	return good;
}
