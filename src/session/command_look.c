/* Commands that show: views, help; and leaving. */
#include <stdio.h>
#include <string.h>

#include "session/commands.h"

const struct bw_view_info *bw_view_infos(int *n)
{
	static const struct bw_view_info infos[] = {
#define X(name, pane, meaning) {name, pane, meaning},
		BW_VIEW_TABLE(X)
#undef X
	};
	*n = sizeof infos / sizeof *infos;
	return infos;
}

bool bw_command_view(struct call *call)
{
	static const char *const names[] = {
#define X(name, pane, meaning) name,
		BW_VIEW_TABLE(X)
#undef X
	};
	struct bw_session *session = call->session;
	int n, found;
	const struct bw_view_info *infos = bw_view_infos(&n);
	if (*call->rest) {
		found = bw_word_find(names, n, call->rest, "view", call->error);
		if (found < 0)
			return false;
		snprintf(session->view, sizeof session->view, "%s", infos[found].pane ? "main" : infos[found].name);
		snprintf(session->pane, sizeof session->pane, "%s", infos[found].pane ? infos[found].name : "");
	}
	if (call->out && own_of(session)->print)
		own_of(session)->print(session, *session->pane ? session->pane : session->view, call->out);
	return true;
}

bool bw_command_help(struct call *call)
{
	int n;
	const struct bw_command *commands = bw_commands(&n);
	snprintf(call->session->view, sizeof call->session->view, "help");
	bool found = !*call->rest;
	for (int i = 0; i < n; i++) {
		if (*call->rest && strncmp(commands[i].name, call->rest, strlen(call->rest)))
			continue;
		found = true;
		if (call->out)
			bw_text_printf(call->out, "%-6s %s %s\n           %s\n", commands[i].key, commands[i].name, commands[i].arguments, commands[i].help);
	}
	return found ? true : bw_fail(call->error, BW_ERROR_USAGE, "no command \"%s\"; `help` lists them", call->rest);
}

bool bw_command_quit(struct call *call)
{
	call->session->quit = true;
	return true;
}
