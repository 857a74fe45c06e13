/* What is true of a schedule when it is written to a file, on one line of JSON in that file. `beamwalk
 * regress` compares with it later. */
#ifndef BW_COMMAND_FACTS_H
#define BW_COMMAND_FACTS_H
#include <jansson.h>

#include "session/session.h"

/* Stands before the line's JSON, after what begins a comment. */
#define BW_FACTS_WORD "beamwalk-facts "
/* Begins each line of a schedule's text in exported C++, before a blank if the line is not empty. */
#define BW_FACTS_SCHEDULE "//:"

/* Returns the facts of a complete nest, a new reference: the pipeline as the user named it, device, model,
 * options that are not the default, and predicted cost; with what this session compiled and measured of the
 * schedule so far. */
json_t *bw_facts_of(struct bw_session *session, const struct bw_nest *nest);
/* Returns the largest number of registers per thread of some kernels; -1: not known. */
int bw_facts_registers(const struct bw_kernel_uses *uses);
/* Returns the bytes per thread that they store and load because registers did not suffice; -1: not known. */
int bw_facts_spilled(const struct bw_kernel_uses *uses);
/* Returns the key of a cost by the model: predicted_ms, or predicted_cost if it has no unit. */
const char *bw_facts_cost_key(const struct bw_cost_model *model);
/* Appends the facts as a comment line that begins with `comment`, as in "# ". */
void bw_facts_print(struct bw_session *session, const struct bw_nest *nest, const char *comment,
		    struct bw_text *out);
#endif
