/* The film of a search: in the explorer, as text, and as a file. */

#include "base/file.h"
#include "command/commands.h"
#include "session/film.h"

/* Prints the frames of all decisions that are made, for scripts and the read-eval loop. */
static bool print_frames(struct call *call)
{
	struct bw_session *session = call->session;
	const struct bw_hooks *hooks = bw_session_hooks(session);
	int n = bw_search_reached(session->search);
	if (!bw_film_begin(session, call->error))
		return false;
	for (int k = 0; k < n; k++) {
		bw_film_step(session, k ? 1 : 0);
		hooks->print(session, "search", call->out);
		bw_text_puts(call->out, "\n");
	}
	bw_film_end(session);
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

/* Begins the film, or goes on with it. */
static bool play(struct call *call)
{
	struct bw_session *session = call->session;
	const struct bw_hooks *hooks = bw_session_hooks(session);
	if (call->out && hooks->print)
		return print_frames(call);
	const struct bw_film *film = bw_session_film(session);
	if (film)
		bw_film_pause(session, film->plays);
	else if (!bw_film_begin(session, call->error))
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
		bw_film_pause(session, true);
	if (word == STEP || word == BACK)
		bw_film_step(session, word == STEP ? 1 : -1);
	if (word == FASTER || word == SLOWER)
		bw_film_speed(session, word == FASTER ? 2 : 0.5);
	if (word == STOP)
		bw_film_end(session);
	const struct bw_film *film = bw_session_film(session);
	if (film)
		bw_session_say(call, film->plays ? "%.4g decisions a second" : "%.4g decisions a second, paused", film->rate);
	else
		bw_session_say(call, "the film is over");
	return true;
}
