/* The user's bound of error: read, kept for the generator, and found again. */
#ifndef BW_PROGRAM_BOUND_H
#define BW_PROGRAM_BOUND_H
#include "bench/measurement.h"
#include "program/program.h"

/* Appends the bound in that form. */
void bw_bound_print(const struct bw_bound_of_error *bound, struct bw_text *out);
/* Sets the source's bound to that of --bound and keeps it for the generator in the state folder, or
 * without the option sets the kept one. `--bound default` forgets it. One that allows anything holds for this
 * run alone. Returns false with an error. */
bool bw_program_bound(const struct bw_program *program, const struct bw_pipeline *pipeline,
		      struct bw_source *source, struct bw_error *error);
#endif
