/* Shared by the files of the command `devices`. */
#ifndef BW_PROGRAM_DEVICES_H
#define BW_PROGRAM_DEVICES_H
#include <jansson.h>

#include "program/program.h"

/* Returns a record as it stands in a file of devices; json_decref(). */
json_t *bw_program_record(const struct bw_device *device);
/* Takes the rates of every CUDA device of the worker's machine. Appends to `list` their records with the
 * rates put in, for a file of devices, and to *out a table of each. */
bool bw_program_rates(const struct bw_program *program, json_t *list, struct bw_text *out,
		      struct bw_error *error);
#endif
