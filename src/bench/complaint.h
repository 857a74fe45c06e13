/* The part of a failed program's output that explains the failure. */
#pragma once
#include "base/process.h"

/* The part of a program's standard error that says most, in one line without the marks that Halide and the
 * plugin put before it; empty where it said nothing. */
void bw_complaint(const char *errors, struct bw_text *line);
/* Sets an error where the program did not exit with status 0: what became of it, after `name`, and the line
 * of its standard error that says most. Returns whether it did. */
bool bw_outcome_good(const struct bw_outcome *outcome, const char *name, const struct bw_patience *patience,
		     enum bw_error_kind kind, struct bw_error *error);
