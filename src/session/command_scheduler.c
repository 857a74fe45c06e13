/* Other schedulers than the beam search: the search is held to what they choose. */
#include <stdlib.h>

#include "schedulers/table.h"
#include "session/commands.h"

static void list_schedulers(struct call *call)
{
	int n;
	const struct bw_scheduler *all = bw_schedulers(&n);
	for (int i = 0; i < n && call->out; i++)
		bw_text_printf(call->out, "%-8s %-22s %s\n", all[i].name, all[i].paper, all[i].meaning);
}

bool bw_command_scheduler(struct call *call)
{
	struct bw_session *session = call->session;
	if (!*call->rest) {
		list_schedulers(call);
		return true;
	}
	const struct bw_scheduler *scheduler = bw_scheduler_find(call->rest, call->error);
	if (!scheduler)
		return false;
	if (!scheduler->schedule)
		return bw_session_run(session, "unfreeze --forget", call->out, call->error);
	struct bw_text steps = {0}, how = {0};
	const struct bw_device device = bw_search_options_device(&session->options);
	struct bw_schedule *schedule = scheduler->schedule(session->pipeline, &device, &steps, call->error);
	if (schedule) {
		bw_text_printf(&how, "%s (%s) places them", scheduler->name, scheduler->paper);
		free(bw_schedule_apply(call, schedule, bw_text_get(&how)));
		if (call->out)
			bw_text_puts(call->out, bw_text_get(&steps));
	}
	bw_schedule_drop(schedule);
	bw_text_free(&steps);
	bw_text_free(&how);
	return schedule;
}
