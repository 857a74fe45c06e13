/* Estimates that the user gives, as text and as JSON. */
#ifndef BW_BENCH_ESTIMATE_H
#define BW_BENCH_ESTIMATE_H
#include <jansson.h>

#include "base/error.h"

/* NAME.DIM=MIN,EXTENT, NAME=VALUE and NAME=SIZExSIZE as {"NAME.DIM": [MIN, EXTENT], "NAME": VALUE, "NAME._0":
 * [0, SIZE], ...}, the form of the plugin's request, in which the value of a buffer of one dimension is its
 * size; NULL with an error of kind USAGE that quotes the one that is wrong. */
json_t *bw_estimates_read(const char *const *estimates, int n_estimates, struct bw_error *error);
/* The estimates of a described pipeline's arguments, {"NAME": [[MIN, EXTENT], ...], "NAME": VALUE}, the form
 * of the worker's request, as text; NULL with an error. free(). */
char *bw_estimates_described(const char *description, size_t length, struct bw_error *error);
#endif
