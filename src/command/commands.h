/* The commands' functions, one for each row of BW_COMMAND_TABLE, and helpers that several of them
 * share. */
#pragma once
#include "session/call.h"
#include "session/command_table.h"
#include "session/measure.h"

#define X(name, function, arguments, key, help, journaled) bw_command_function bw_command_##function;
BW_COMMAND_TABLE(X)
#undef X

/* Run `top K` of time, compile and export. Return 1 if the line was `top K` and succeeded, 0 if it
 * was not, -1 with an error. */
int bw_top_time(struct call *call, enum bw_purpose purpose);
int bw_top_export(struct call *call);

/* Puts one constraint into force under the full words of the command. */
void bw_command_constrain(struct call *call, const char *verb, const struct bw_constraint *constraint);
/* Reads a choice as the user typed it. Returns NULL with an error if it cannot be placed. */
const struct bw_placement *bw_choice_read(struct call *call, struct bw_error *error);

/* Returns true if the user typed a site without the sizes that it has: then these stay free. */
bool bw_choice_site_alone(const struct bw_session *session, const struct bw_placement *placement,
			  const char *typed);

/* Append explanations for `why`. */
void bw_why_option(struct bw_session *session, const struct bw_option *option, struct bw_text *out);
void bw_why_func(struct bw_session *session, int func, struct bw_text *out);
void bw_why_state(struct bw_session *session, int rank, struct bw_text *out);
/* Appends the differences between two options: fates, costs, and the terms that differ. */
void bw_why_rather(struct bw_session *session, const struct bw_option *option, const struct bw_option *other,
		   struct bw_text *out);
/* Appends the decisions that mattered, where the best was nearly lost, and the changes by polishing. */
void bw_why_search(struct bw_session *session, struct bw_text *out);
/* Explains the alternative that the views `override` and `tile` show selected. Returns false if none is. */
bool bw_why_alternative(struct bw_session *session, struct bw_text *out);

/* Answers JSON-RPC 2.0, one JSON text per line, from the file `in` to the file `out` (beamwalk-serve(5)),
 * until the input ends, the client is gone or reads nothing for `patience` seconds, or it quits. Returns
 * false with an error if an answer could not be written. */
bool bw_serve(struct bw_session *session, int in, int out, int patience, struct bw_error *error);
