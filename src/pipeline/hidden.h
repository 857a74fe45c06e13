/* Names that hide each other in the code that Halide makes. */
#ifndef BW_PIPELINE_HIDDEN_H
#define BW_PIPELINE_HIDDEN_H
#include "base/text.h"
#include "pipeline/pipeline.h"

/* The first Func or input that is called as another Func is, `_` and a number of one or two digits behind it, as a line without its end; nothing where there is none. */
void bw_pipeline_hidden_words(const struct bw_pipeline *pipeline, struct bw_text *out);
#endif
