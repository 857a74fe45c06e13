/* A scatter plot as text: predictions against measurements, both axes logarithmic. */
#ifndef BW_STUDY_SCATTER_H
#define BW_STUDY_SCATTER_H
#include "base/text.h"
#include "study/agreement.h"

struct bw_scatter {
	const char *across, *up; /* what the axes are, with units: `measured, ms` */
	int columns, rows;       /* cells of the field between the axes, each 2 x 4 dots of braille */
	bool diagonal; /* both axes have one unit and one range: cells on the line of equal values are marked
	                */
};

/* Appends the plot of the pairs that count: measured across, predicted up, the ends of both axes with their
 * values. Appends one line that says so if no pair counts. */
void bw_scatter_put(const struct bw_scatter *scatter, const struct bw_pair *pairs, int n,
                    struct bw_text *out);
#endif
