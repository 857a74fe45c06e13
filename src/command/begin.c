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
#define X(name, row) [BW_PART_##name] = &bw_part_##row,
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
