/* What `beamwalk tune` writes in the end, of the session's tuning. */
#ifndef BW_PROGRAM_TUNE_H
#define BW_PROGRAM_TUNE_H
#include "program/program.h"
#include "session/meter.h"
#include "session/tuning.h"

/* Makes the meter of the workers that the command line names, or of this machine's GPU, beside which
 * schedules are compiled. news: as in struct bw_meter_workers. Returns NULL, without an error if the
 * session's own device or a file is to be the meter. Free it with bw_meter_of_workers_free. */
struct bw_meter *bw_program_tuning_meter(struct bw_program *program, const struct bw_yield *yield,
					 void (*news)(const char *line, void *data), void *data,
					 struct bw_error *error);
/* Sets the weights that the learned model is trained from: those of --weights, those that were kept for the
 * device, or random ones. Returns false with an error if they cannot be read. */
bool bw_program_tune_start(const struct bw_program *program, struct bw_weights *weights,
			   struct bw_error *error);
/* Keeps the trained weights for the device, and appends in which file, in one line. Does nothing if nothing
 * was measured but replayed. Returns false with an error if the file cannot be written. */
bool bw_program_tune_keep(struct bw_program *program, struct bw_text *said, struct bw_error *error);
/* Appends what a tuning has come to, in some lines. */
void bw_program_tuning_print(const struct bw_session *session, struct bw_text *out);
/* Appends it as JSON. */
void bw_program_tuning_json(const struct bw_session *session, struct bw_text *out);
/* Appends the fastest schedule as a file that ends with the summary as comments. */
void bw_program_tuning_schedule(struct bw_session *session, const char *summary, struct bw_text *out);
#endif
