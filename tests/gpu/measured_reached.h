/* Rank correlations that the cost models reach on what was measured: the schedules of a table are priced
 * again, with the models as they are now. */
#pragma once
#include "base/error.h"
#include "base/text.h"
#include "cost/learned.h"

/* A fall of a correlation by more than this is told: exchanging two neighbours of twenty schedules moves it
 * by 0.0015, so this is some thirty of these. */
#define REACHED_TOLERANCE 0.05

/* Of one variant in one table by one model. */
struct reached {
	char table[96], variant[96], model[32];
	double rho; /* NAN: no order to find */
	int n;      /* schedules */
	double right, regret; /* of struct bw_agreement; the file `reached` does not keep them */
};
struct reached_list {
	struct reached *list;
	int n, capacity;
};

/* Prices the schedules of FOLDER/NAME.tsv that are right and have a file, and appends the correlation of each
 * variant by the roofline and, if it is not NULL, by `learned`. Records of devices: SOURCE/data/devices.json,
 * with FOLDER/NAME.device.json over them. An error names the file. */
bool reached_price(const char *folder, const char *name, const char *source,
                   const struct bw_cost_model *learned, struct reached_list *reached, struct bw_error *error);
/* The same of all tables in the folder, in the order of their names; none, if there is no such folder.
 * *n_tables counts them. */
bool reached_price_all(const char *folder, const char *source, const struct bw_cost_model *learned,
                       struct reached_list *reached, int *n_tables, struct bw_error *error);
/* Reads FOLDER/reached; none, if there is no such file. */
bool reached_read(const char *folder, struct reached_list *reached, struct bw_error *error);
/* Writes FOLDER/reached: `now`, and of `before` what `now` has not. */
bool reached_write(const char *folder, const struct reached_list *before, const struct reached_list *now,
                   struct bw_error *error);
/* Appends a line for each correlation that fell by more than the tolerance, that is no longer there, or that
 * `before` does not have; returns how many. Those by a model that was not priced now are passed over. */
int reached_compare(const struct reached_list *before, const struct reached_list *now, struct bw_text *out);
void reached_free(struct reached_list *reached);
