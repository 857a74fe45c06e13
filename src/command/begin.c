/* A session with all of its commands and parts. */

#include "command/commands.h"
#include "session/part.h"

#define X(name, row) extern const struct bw_session_part bw_part_##row;
BW_PART_TABLE(X)
#undef X

struct bw_session *bw_session_new(struct bw_source *source, const struct bw_places *places,
				  struct bw_pipeline *pipeline, const struct bw_settings *options)
{
	static bw_command_function *const functions[] = {
#define X(name, function, arguments, key, help, journaled) bw_command_##function,
	    BW_COMMAND_TABLE(X)
#undef X
	};
	static const struct bw_session_part *const parts[BW_N_PARTS] = {
#define X(name, row) [name] = &bw_part_##row,
	    BW_PART_TABLE(X)
#undef X
	};
	return bw_session_make(source, places, pipeline, options, functions, parts);
}

bool bw_command_sweep(struct call *call)
{
	return bw_session_part(call->session, BW_PART_SWEEP)->command(call);
}

bool bw_command_lesson(struct call *call)
{
	const struct bw_session_part *lesson = bw_session_part(call->session, BW_PART_LESSON);
	return lesson ? lesson->command(call)
		      : bw_fail(call->error, BW_ERROR_USAGE, "no lesson is open; `beamwalk learn` lists the lessons");
}

/* `whatif`: tries a command. */

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
