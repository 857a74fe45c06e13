/* The session's state, and work under way. */
#include "session/session.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/session_private.h"
#include "session/source.h"

struct bw_session *bw_session_make(struct bw_source *source, const struct bw_places *places,
				  struct bw_pipeline *pipeline, const struct bw_search_options *options,
				   bw_command_function *const *functions)
{
	struct own *own = BW_NEW(struct own);
	struct bw_session *session = &own->session;
	session->source = *source;
	session->places = *places;
	session->pipeline = pipeline;
	session->options = *options;
	session->search = bw_search_new(pipeline, options, NULL);
	session->bench = bw_bench_new(places, NULL, 0);
	session->target = -1;
	session->time_seconds = 1;
	session->selection = (struct bw_selection){.func = -1, .option = -1, .group = -1, .candidate = -1};
	session->listed_inside = -1;
	session->toggled = BW_NEW_ARRAY(bool, pipeline->n_funcs + 1);
	snprintf(session->view, sizeof session->view, "main");
	session->generation = 1;
	own->history_limit = BW_HISTORY_BYTES;
	own->ledger.position = -1;
	own->arena = bw_arena_new();
	own->functions = functions;
	return session;
}

void bw_session_end(struct bw_session *session)
{
	if (!session)
		return;
	struct own *own = own_of(session);
	bw_session_end_jobs(session);
	bw_advancing_end(own);
	bw_lesson_end(session);
	bw_sweeping_end(own);
	bw_session_keep_end(own);
	bw_bench_drop(session->bench);
	bw_journal_end(own);
	bw_edited_end(own);
	bw_later_drop(session);
	bw_whatif_end(session);
	bw_walking_end(own);
	bw_walk_drop(own->walk);
	own->walk = NULL;
	for (int i = 0; i < session->n_timings; i++) {
		free(session->timings[i].label);
		bw_counted_free(session->timings[i].counted);
		bw_nest_drop(session->timings[i].nest);
	}
	free(session->timings);
	free(session->toggled);
	free(own->jobs);
	struct bw_text unheard = {0};
	bw_recorder_end(own->recorder, &unheard);
	bw_text_free(&unheard);
	bw_ledger_end(own);
}

void bw_session_free(struct bw_session *session)
{
	if (!session)
		return;
	struct own *own = own_of(session);
	bw_session_end(session);
	bw_shown_end(own);
	bw_session_leave(own, session->search);
	bw_leaving_end(own);
	bw_pipeline_free((struct bw_pipeline *)session->pipeline);
	bw_source_free(&session->source);
	free(own);
}

void bw_session_touch(struct bw_session *session)
{
	session->generation++;
}

void bw_session_say(struct call *call, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(call->session->message, sizeof call->session->message, format, args);
	va_end(args);
	bw_one_line(call->session->message);
	call->session->message_is_error = false;
	if (call->out)
		bw_text_printf(call->out, "%s\n", call->session->message);
}

void bw_session_stop(struct bw_session *session)
{
	struct own *own = own_of(session);
	bool dropped = bw_later_drop(session);
	bw_sweeping_stop(own);
	int waiting = bw_session_stop_waiting(session);
	if (waiting) {
		snprintf(session->message, sizeof session->message,
			 "stopped: %d schedule%s that waited %s not compiled", waiting,
			 waiting == 1 ? "" : "s", waiting == 1 ? "is" : "are");
		session->message_is_error = false;
		bw_session_touch(session);
	}
	if (bw_walking(session))
		bw_walking_stop(session);
	if (session->tries && session->target < 0) {
		bw_whatif_end(session);
		snprintf(session->message, sizeof session->message, "stopped; nothing was changed");
		bw_session_touch(session);
	}
	if (session->target < 0)
		return;
	bw_advancing_end(own);
	session->target = -1;
	own->n_proven = own->n_done;
	snprintf(session->message, sizeof session->message, "stopped at decision %d of %d%s", session->cursor,
		 bw_search_n_decisions(session->search), dropped ? "; what waited is not done" : "");
	session->message_is_error = false;
	bw_session_touch(session);
	bw_session_keep_up(session);
}

int bw_session_fds(const struct bw_session *session, int *fds, int most)
{
	const struct own *own = own_of(session);
	int n = 0;
	for (int i = 0; i < session->n_timings && n < most; i++)
		if (own->jobs[i].job)
			fds[n++] = bw_job_fd(own->jobs[i].job);
	if (session->asks && n < most)
		fds[n++] = bw_bench_fd(session->bench);
	if (bw_sweeping_fd(own) >= 0 && n < most)
		fds[n++] = bw_sweeping_fd(own);
	if (session->n_unstored && n < most)
		fds[n++] = bw_recorder_fd(own->recorder);
	if (own->released && n < most)
		fds[n++] = bw_routine_fd(own->released);
	return n;
}

void bw_session_set_page(struct bw_session *session, bw_session_page *page)
{
	own_of(session)->page = page;
}

void bw_session_set_screen(struct bw_session *session, bw_session_draw *draw, void *data)
{
	own_of(session)->draw = draw;
	own_of(session)->draw_data = data;
}

void bw_session_set_print(struct bw_session *session, bw_session_print *print)
{
	own_of(session)->print = print;
}

void bw_session_set_flush(struct bw_session *session, bw_session_flush *flush, void *data)
{
	own_of(session)->flush = flush;
	own_of(session)->flush_data = data;
}
