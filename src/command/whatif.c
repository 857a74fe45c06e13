/* `whatif`: tries a command. */
#include <string.h>

#include "command/commands.h"

bool bw_command_whatif(struct call *call)
{
	struct bw_session *session = call->session;
	size_t length = strcspn(call->rest, " \t");
	const char *rest = call->rest + length + strspn(call->rest + length, " \t");
	const struct bw_command *command = length ? bw_command_find(call->rest, length) : NULL;
	if (!command || !command->journaled)
		return bw_fail(
		    call->error, BW_ERROR_USAGE,
		    "whatif takes a command that changes the search, as `whatif freeze Ix inline`, not \"%s\"",
		    call->rest);
	if (!strcmp(command->name, "set") && (!*rest || !strncmp(rest, "on=", 3)))
		return bw_fail(call->error, BW_ERROR_USAGE, "`%s` changes nothing of the search", call->rest);
	struct call inner = {session, call->rest, rest, NULL, call->error};
	if (!bw_whatif_try(&inner))
		return false;
	bw_session_say(call, "searching with %s", bw_whatif_line(session));
	return true;
}
