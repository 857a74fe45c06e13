/* Other schedulers than the beam search: the search is held to what they choose. */
#include "schedulers/table.h"
#include "session/commands.h"

static void list_schedulers(struct call *call)
{
	int n;
	const struct bw_scheduler *all = bw_schedulers(&n);
	for (int i = 0; i < n && call->out; i++)
		bw_text_printf(call->out, "%-8s %-22s %s\n", all[i].name, all[i].paper, all[i].meaning);
}

/* Lets all Funcs go, and forgets the walk. */
static bool leave(struct call *call)
{
	struct own *own = own_of(call->session);
	const struct bw_constraints *now = bw_search_constraints(call->session->search);
	if (!now->n && !now->n_free) {
		bw_session_say(call, "nothing is said of any Func");
		return true;
	}
	own->walking.given = true;
	bool good = bw_session_run(call->session, "unfreeze --forget", call->out, call->error);
	own->walking.given = false;
	return good;
}

bool bw_command_scheduler(struct call *call)
{
	const struct bw_session *session = call->session;
	if (!*call->rest) {
		list_schedulers(call);
		return true;
	}
	const struct bw_scheduler *scheduler = bw_scheduler_find(call->rest, call->error);
	if (!scheduler)
		return false;
	if (!scheduler->walk)
		return leave(call);
	struct bw_walk *walk = bw_walk_new(scheduler, session->pipeline, &session->options, NULL, 0);
	return bw_walking_begin(call, walk, call->line, -1);
}
