/* Names that hide each other in the code that Halide generates. */
#ifndef BW_PIPELINE_HIDDEN_H
#define BW_PIPELINE_HIDDEN_H
#include "base/text.h"
#include "pipeline/pipeline.h"

/* Appends a warning, one line without a newline, if the name of a Func or input is the name of another
 * Func followed by `_` and a number of one or two digits. Appends nothing if there is none. */
void bw_pipeline_hidden_words(const struct bw_pipeline *pipeline, struct bw_text *out);
#endif
