/* Holds the Funcs that a schedule mentions. */
#include <stdlib.h>

#include "session/core.h"
#include "session/decisions.h"

void bw_schedule_hold(struct call *call, const char *line, const struct bw_schedule *schedule,
		      const char *how)
{
	struct bw_session *session = call->session;
	const struct bw_constraints *now = bw_session_constraints(session);
	struct bw_constraint *list = BW_NEW_ARRAY(struct bw_constraint, session->pipeline->n_funcs + now->n);
	struct bw_constraints with = {0, list, now->n_free, now->free};
	for (int i = 0; i < now->n; i++)
		if (!schedule->placements[now->list[i].placement->func])
			list[with.n++] = now->list[i];
	int mentioned = bw_schedule_constraints(schedule, &list[with.n]);
	with.n += mentioned;
	struct bw_settings options = session->options;
	options.staging = 0;
	bw_session_change(session, line, schedule->unstaged ? &options : NULL, &with);
	bw_session_say(call, "%d Func%s held as %s%s%s%s", mentioned, mentioned == 1 ? "" : "s", how,
		       schedule->unstaged ? ", staging=0" : "", *session->warning ? "; " : "",
		       session->warning);
	free(list);
}

/* The journal has the schedule itself: what becomes of its file does not matter then. */
char *bw_schedule_apply(struct call *call, const struct bw_schedule *schedule, const char *how)
{
	struct bw_text line = {0};
	bw_text_puts(&line, "apply ");
	bw_schedule_print_line(call->session->pipeline, schedule, &line);
	bw_schedule_hold(call, bw_text_get(&line), schedule, how);
	return bw_text_take(&line);
}

