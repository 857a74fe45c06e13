/* Results as JSON and CSV for other programs, and as a table of 80 columns. */
#ifndef BW_RESULTS_PRINT_H
#define BW_RESULTS_PRINT_H
#include "base/text.h"
#include "results/result.h"

/* Appends all fields as one JSON object on a line; unknown fields are null. */
void bw_result_print_json(const struct bw_result *result, struct bw_text *out);
/* Append the names of all fields, or the fields, as a line of CSV (RFC 4180, but with LF line ends);
 * unknown fields are empty. */
void bw_result_print_csv_head(struct bw_text *out);
void bw_result_print_csv(const struct bw_result *result, struct bw_text *out);
/* Append the head, or a row, of a table that fits into 80 columns. */
void bw_result_print_table_head(struct bw_text *out);
void bw_result_print_table(const struct bw_result *result, struct bw_text *out);
#endif
