/* A session with all of its commands. */
#include "command/commands.h"

struct bw_session *bw_session_new(struct bw_source *source, const struct bw_places *places,
				  struct bw_pipeline *pipeline, const struct bw_search_options *options)
{
	static bw_command_function *const functions[] = {
#define X(name, function, arguments, key, help, journaled) bw_command_##function,
	    BW_COMMAND_TABLE(X)
#undef X
	};
	return bw_session_make(source, places, pipeline, options, functions);
}
