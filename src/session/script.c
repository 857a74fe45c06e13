/* Scripts: lines of the command language. The work that a line begins ends before the next line runs.
 * The read-eval loop runs its lines in the same way. */
#include <poll.h>

#include "base/file.h"
#include "session/core.h"

bool bw_session_settle(struct bw_session *session, int stop_fd, bw_session_look *look, void *data)
{
	enum { MOST_FDS = 64, LOOK_MS = 200 };
	while (bw_session_busy(session) || session->asks) {
		bool works = bw_session_release(session);
		struct pollfd polls[MOST_FDS + 1] = {{.fd = stop_fd, .events = POLLIN}};
		int fds[MOST_FDS], n = bw_session_fds(session, fds, MOST_FDS);
		for (int i = 0; i < n; i++)
			polls[i + 1] = (struct pollfd){.fd = fds[i], .events = POLLIN};
		poll(polls, (nfds_t)n + 1, works || n ? LOOK_MS : 0);
		bw_session_hold(session);
		if (look)
			look(session, data);
		if (polls[0].revents & POLLIN)
			return false;
	}
	return true;
}

/* Prints the message at the end of a line's work, if it differs from the line's own message. */
static void tell_end(struct bw_session *session, const char *said, struct bw_text *out)
{
	if (out && *session->message && !session->message_is_error && strcmp(said, session->message))
		bw_text_printf(out, "%s\n", session->message);
}

/* Returns the kind of an error that occurred after the line was accepted: the error of the measurement that
 * the line started, or a conflict. */
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
	int n_timings = session->n_timings, before = own_of(session)->stop_fd;
	own_of(session)->stop_fd = stop_fd;
	bool good = bw_session_run(session, line, out, error);
	own_of(session)->stop_fd = before;
	if (!good)
		return false;
	memcpy(said, session->message, sizeof said);
	bool began = bw_session_busy(session);
	if (!bw_session_settle(session, stop_fd, own_of(session)->hooks.look, own_of(session)->hooks.look_data))
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
	BW_SCOPED_TEXT text = {0};
	if (own->depth >= DEEPEST)
		return bw_fail(error, BW_ERROR_INPUT, "%s: scripts run each other too deeply", path);
	if (!bw_file_read(path, MOST_BYTES, &text, error) || !bw_text_lines(path, &text, error))
		return false;
	own->depth++;
	bool good = true;
	int number = 1;
	for (char *line = text.bytes; line && *line && good && !session->quit; number++) {
		char *next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		good = bw_session_do(session, line, -1, out, error);
		struct bw_error unwritten = {0};
		bool written = !own->hooks.flush || !out || !out->length ||
			       own->hooks.flush(out, own->hooks.flush_data, &unwritten);
		if (!good)
			bw_fail_in(error, "%s:%d", path, number);
		else if (!written)
			*error = unwritten;
		good = good && written;
		line = next;
	}
	own->depth--;
	return good;
}

/* Deferred lines, for a screen that must not be kept waiting. A line is deferred if it needs options that are
 * not made yet; all later lines are then deferred, too. bw_session_work makes the options, and runs the lines
 * in order. A run of the search pauses until then. */

struct deferred {
	char **lines; /* the session->waits deferred lines */
	int capacity;
	bool runs;             /* a deferred line is running, and must not wait for its own work */
	bw_session_deferred_done *told; /* NULL: no line is deferred */
	void *told_data;
	double patience; /* seconds for which a line waits for its options before it is deferred */
};

static BW_PART_DATA(deferred_of, struct deferred, DEFERRED)

/* Commands. If `word` is not empty, only with this first argument. */
struct heads {
	const char *command, *word;
};

/* Commands that need options. */
static const struct heads asking[] = {
	{"accept", ""}, {"assert", ""}, {"back", "option"}, {"compare", ""}, {"cost", ""}, {"fold", ""}, {"pin", ""}, {"reject", ""}, {"replay", ""},
	{"screenshot", ""}, {"select", "group"}, {"select", "option"}, {"step", "option"}, {"unfold", ""}, {"why", ""},
};

/* Commands that only show something. They are not deferred behind other lines. */
static const struct heads looking[] = {{"help", ""}, {"view", ""}};

static bool is_among(const struct heads *heads, int n, const char *line)
{
	size_t length = strcspn(line, " \t");
	const char *rest = line + length + strspn(line + length, " \t");
	const struct bw_command *command = bw_command_find(line, length);
	if (command && !strcmp(command->name, "whatif"))
		return is_among(heads, n, rest);
	size_t word = strcspn(rest, " \t");
	for (int i = 0; i < n && command; i++)
		if (!strcmp(command->name, heads[i].command) &&
		    (!*heads[i].word || (word && !strncmp(rest, heads[i].word, word))))
			return true;
	return false;
}

static bool asks(const char *line)
{
	return is_among(asking, sizeof asking / sizeof *asking, line);
}

/* Makes the options for about `seconds` at most. Returns true if they are made, or if there are none to
 * make. */
static bool has_options(struct bw_session *session, double seconds)
{
	return session->cursor >= bw_search_n_decisions(session->search) || bw_session_expand_for(session, seconds);
}

/* Drops the deferred lines, and reports that. */
static void drop(struct bw_session *session)
{
	struct deferred *deferred = deferred_of(session);
	int n = session->waits;
	if (n) {
		bw_session_tell(session, false, "stopped; not done: %.80s%s", deferred->lines[0],
				n > 1 ? " and what was behind it" : "");
	}
	while (session->waits)
		free(deferred->lines[--session->waits]);
	free(deferred->lines);
	deferred->lines = NULL;
	deferred->capacity = 0;
}

void bw_session_set_deferred_done(struct bw_session *session, bw_session_deferred_done *told, void *data,
				  double patience)
{
	struct deferred *deferred = deferred_of(session);
	drop(session);
	deferred->told = told;
	own_of(session)->screen = told;
	deferred->told_data = data;
	deferred->patience = patience;
}

static void say_waiting(struct bw_session *session)
{
	const struct deferred *deferred = deferred_of(session);
	BW_SCOPED_TEXT text = {0};
	bw_text_printf(&text, "%.80s waits for the options of ", deferred->lines[0]);
	bw_session_decision_name(session, session->cursor, &text);
	if (session->waits > 1)
		bw_text_printf(&text, ", and behind it %.80s%s", deferred->lines[session->waits - 1],
			       session->waits > 2 ? " and others" : "");
	bw_session_tell(session, false, "%s", bw_text_get(&text));
}

bool bw_session_defer(struct bw_session *session, const char *line)
{
	struct deferred *deferred = deferred_of(session);
	line += strspn(line, " \t");
	if (!deferred->told || deferred->runs)
		return false;
	if (session->waits ? is_among(looking, sizeof looking / sizeof *looking, line)
			   : !asks(line) || has_options(session, deferred->patience))
		return false;
	BW_PUSH(deferred->lines, session->waits, deferred->capacity, bw_strdup(line));
	say_waiting(session);
	bw_session_touch(session);
	return true;
}

static bool is_wanted(const struct bw_session *session)
{
	return session->waits && !deferred_of(session)->runs;
}

static struct bw_routine *work(struct bw_session *session)
{
	bool ready = !asks(deferred_of(session)->lines[0]) || has_options(session, 0);
	return ready ? NULL : bw_session_expansion_work(session);
}

static void take(struct bw_session *session, bool ended)
{
	struct deferred *deferred = deferred_of(session);
	char *line = deferred->lines[0];
	if (!ended || (asks(line) && !has_options(session, 0)))
		return;
	BW_REMOVE(deferred->lines, session->waits, 0);
	BW_SCOPED_TEXT out = {0};
	deferred->runs = true;
	bool good = bw_session_run(session, line, &out, NULL);
	deferred->runs = false;
	if (session->waits)
		say_waiting(session);
	deferred->told(line, good, &out, deferred->told_data);
	free(line);
}

const struct bw_session_part bw_part_deferred = {
    .size = sizeof(struct deferred),
    .wanted = is_wanted,
    .work = work,
    .take = take,
    .stop = drop,
    .end = drop,
};
