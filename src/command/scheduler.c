/* Other schedulers than the beam search: the search is held to what they choose. */
#include <stdlib.h>
#include <string.h>

#include "command/commands.h"
#include "schedulers/table.h"
#include "session/decisions.h"

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
	const struct bw_constraints *now = bw_session_constraints(call->session);
	if (!now->n && !now->n_free) {
		bw_session_say(call, "nothing is said of any Func");
		return true;
	}
	bw_walking_forget(call->session, true);
	bool good = bw_session_run(call->session, "unfreeze --forget", call->out, call->error);
	bw_walking_forget(call->session, false);
	return good;
}

bool bw_command_scheduler(struct call *call)
{
	const struct bw_session *session = call->session;
	if (!*call->rest) {
		list_schedulers(call);
		return true;
	}
	size_t length = strcspn(call->rest, " \t");
	char *name = bw_strdup(call->rest);
	name[length] = 0;
	const struct bw_scheduler *scheduler = bw_scheduler_find(name, call->error);
	free(name);
	if (!scheduler)
		return false;
	const char *argument = call->rest + length + strspn(call->rest + length, " \t");
	if (!scheduler->walk && *argument)
		return bw_fail(call->error, BW_ERROR_USAGE, "%s takes nothing after it, not \"%s\"", scheduler->name,
			       argument);
	if (!scheduler->walk)
		return leave(call);
	struct bw_walk *walk = bw_walk_new(&(struct bw_walk_request){.scheduler = scheduler,
								     .argument = argument,
								     .pipeline = session->pipeline,
								     .options = &session->options,
								     .older = (struct bw_walk *)bw_session_walk(session)});
	return bw_walking_begin(call, walk, NULL, -1);
}
