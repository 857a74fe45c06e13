/* The commands' functions, one for each row of BW_COMMAND_TABLE, and helpers that several of them
 * share. */
#pragma once
#include "session/call.h"
#include "session/command_table.h"
#include "session/measure.h"

#define X(name, function, arguments, key, help, journaled) bw_command_function bw_command_##function;
BW_COMMAND_TABLE(X)
#undef X

/* Run the form `top K` of the commands time, compile and export. Return 1 if the line is `top K` and
 * succeeded, 0 if it is not `top K`, -1 with an error. */
int bw_top_time(struct call *call, enum bw_purpose purpose);
int bw_top_export(struct call *call);

/* Puts one constraint into force, and journals the command written in full. */
void bw_command_constrain(struct call *call, const char *verb, const struct bw_constraint *constraint);
/* Reads a placement as the user typed it. Returns NULL with an error if it cannot be read or is
 * impossible. */
const struct bw_placement *bw_choice_read(struct call *call, struct bw_error *error);

/* Returns true if the user typed a site without the sizes that the placement has. The sizes then stay
 * free. */
bool bw_choice_site_alone(const struct bw_session *session, const struct bw_placement *placement,
			  const char *typed);

/* Append explanations for `why`. */
void bw_why_option(struct bw_session *session, const struct bw_option *option, struct bw_text *out);
void bw_why_func(struct bw_session *session, int func, struct bw_text *out);
void bw_why_state(struct bw_session *session, int rank, struct bw_text *out);
/* Appends the differences between two options: their fates, their costs, and the terms that differ. */
void bw_why_rather(struct bw_session *session, const struct bw_option *option, const struct bw_option *other,
		   struct bw_text *out);
/* Appends the decisions that mattered, where the best state nearly left the beam, and the changes by
 * polishing. */
void bw_why_search(struct bw_session *session, struct bw_text *out);
/* Explains the alternative that is selected in the view `override` or `tile`. Returns false if none is
 * selected. */
bool bw_why_alternative(struct bw_session *session, struct bw_text *out);

/* Answers JSON-RPC 2.0 requests, one JSON text per line, from the file `in` to the file `out`
 * (beamwalk-serve(5)). Ends when the input ends, the client is gone or reads nothing for `patience` seconds,
 * or the session quits. Returns false with an error if an answer could not be written. */
bool bw_serve(struct bw_session *session, int in, int out, int patience, struct bw_error *error);
