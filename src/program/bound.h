/* The bound of error that the user gives: read, kept for the generator, found again. */
#ifndef BW_PROGRAM_BOUND_H
#define BW_PROGRAM_BOUND_H
#include "bench/measurement.h"
#include "program/program.h"

/* Reads ABS, ABS,REL or ABS,REL,COUNT. False with an error that says so. */
bool bw_bound_read(const char *text, struct bw_bound_of_error *bound, struct bw_error *error);
/* Writes it in that form. */
void bw_bound_print(const struct bw_bound_of_error *bound, struct bw_text *out);
/* Sets the source's bound to that of --bound, and keeps it for the generator in the user's state; without the option, to the one kept before.
 * `--bound default` forgets it. False with an error. */
bool bw_program_bound(const struct bw_program *program, struct bw_source *source, struct bw_error *error);
#endif
