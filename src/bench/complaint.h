/* What a program that failed says of it. */
#ifndef BW_BENCH_COMPLAINT_H
#define BW_BENCH_COMPLAINT_H
#include "base/text.h"

/* The part of a program's standard error that says most, in one line without the marks that Halide and the
 * plugin put before it; empty where it said nothing. */
void bw_complaint(const char *errors, struct bw_text *line);
#endif
