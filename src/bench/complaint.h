/* The part of a failed program's output that explains the failure. */
#pragma once
#include "base/process.h"

/* Appends the most informative part of a program's standard error, as one line without the prefixes of Halide
 * and the plugin. Appends nothing if there is no text. */
void bw_complaint(const char *errors, struct bw_text *line);
/* Returns true if the program exited with status 0. Otherwise returns false with an error: `name`, how the
 * program ended, and the most informative line of its standard error. */
bool bw_outcome_good(const struct bw_outcome *outcome, const char *name, const struct bw_patience *patience,
		     enum bw_error_kind kind, struct bw_error *error);
