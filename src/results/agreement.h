/* How well the predictions of a cost model agree with measurements of the same schedules of one pipeline. */
#ifndef BW_RESULTS_AGREEMENT_H
#define BW_RESULTS_AGREEMENT_H
#include <stdbool.h>

#include "base/text.h"

/* The prediction and the measurement of one schedule, each in its own unit. A pair counts if both are
 * finite and above 0. */
struct bw_pair {
	double predicted, measured;
};

struct bw_agreement {
	int n; /* pairs that count */
	double right;  /* share of the pairs of schedules measured more than 5 % apart that are in the right
			  order; NAN if there are none */
	double tau; /* Kendall's: pairs in the right order less those in the wrong one, over all; equal ones
		       count in neither. NAN if n < 2 */
	double rho; /* Spearman's rank correlation, ties averaged; NAN if n < 2 or one side is all equal */
	double regret; /* measurement of the schedule with the least prediction, over the least measurement:
			  at least 1; NAN if n is 0 */
	double regret5; /* the same for the best measured of the five schedules with the least predictions */
	double scale;   /* geometric mean of predicted over measured; NAN if n is 0 */
	int choice, best; /* indexes of the schedules with the least prediction and the least measurement, the
			     first of equals; -1 if n is 0 */
	int over, under; /* indexes of the pairs with the largest and the least predicted over measured; -1 if
			    n is 0 */
};

/* Returns the figures of n pairs. */
struct bw_agreement bw_agreement_of(const struct bw_pair *pairs, int n);
/* Returns true if a pair counts. */
bool bw_pair_counts(const struct bw_pair *pair);

/* A scatter plot as text: predictions against measurements, both axes logarithmic. */

struct bw_scatter {
	const char *across, *up; /* names of the axes with units: `measured, ms` */
	int columns, rows; /* character cells of the field between the axes, each with 2 x 4 dots of braille */
	bool diagonal; /* both axes have the same unit and range, and the line of equal values is marked */
};

/* Appends the plot of the pairs that count: measured across, predicted up, with the values at the ends of
 * both axes. Appends one line that says so if no pair counts. */
void bw_scatter_put(const struct bw_scatter *scatter, const struct bw_pair *pairs, int n,
                    struct bw_text *out);
#endif
