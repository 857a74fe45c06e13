/* The schedule that a generator itself gives its pipeline, read back into the text form. The plugin
 * records it as Halide holds it (src/halide/hand.cc); what is here turns the record into placements. */
#pragma once
#include "schedule/schedule.h"

/* Returns the schedule that a record states, with one reference. Appends to *unsaid a line `WHERE: WHAT`
 * for each directive that the text form has no word for, or that no nest can have: the schedule is then
 * the nearest one, and a Func that could not be placed is not mentioned, nor what is computed inside of
 * it. Without such a line the schedule has the loops of the record. Returns NULL with an error, which
 * begins with `name`, if the text is no record or is of another pipeline. */
struct bw_schedule *bw_hand_read(const struct bw_pipeline *pipeline, const char *name, const char *text,
				 size_t length, struct bw_text *unsaid, struct bw_error *error);
