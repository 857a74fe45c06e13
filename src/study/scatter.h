/* A scatter plot as text: predictions against measurements, both axes logarithmic. */
#ifndef BW_STUDY_SCATTER_H
#define BW_STUDY_SCATTER_H
#include "base/text.h"
#include "study/agreement.h"

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
