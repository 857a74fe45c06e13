/* What `beamwalk tune` writes in the end, of the session's tuning. */
#ifndef BW_PROGRAM_TUNE_H
#define BW_PROGRAM_TUNE_H
#include "program/program.h"
#include "session/tuning.h"

/* Appends what a tuning has come to, in some lines. */
void bw_program_tuning_print(const struct bw_session *session, struct bw_text *out);
/* Appends it as JSON. */
void bw_program_tuning_json(const struct bw_session *session, struct bw_text *out);
/* Appends the fastest schedule as a file that ends with the summary as comments. */
void bw_program_tuning_schedule(struct bw_session *session, const char *summary, struct bw_text *out);
#endif
