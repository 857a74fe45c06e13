/* Results for other programs, and for a screen of 80 columns. */
#ifndef BW_RESULTS_PRINT_H
#define BW_RESULTS_PRINT_H
#include "base/text.h"
#include "results/result.h"

/* All fields as one JSON object on a line, those that are not known null. */
void bw_result_print_json(const struct bw_result *result, struct bw_text *out);
/* The names of all fields, and the fields, as a line of CSV (RFC 4180, but lines end in LF); not known: nothing between the commas. */
void bw_result_print_csv_head(struct bw_text *out);
void bw_result_print_csv(const struct bw_result *result, struct bw_text *out);
/* A table that fits into 80 columns. */
void bw_result_print_table_head(struct bw_text *out);
void bw_result_print_table(const struct bw_result *result, struct bw_text *out);
#endif
