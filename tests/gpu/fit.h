/* Least squares with a price on leaving the values that parameters begin from (Levenberg-Marquardt): parameters
 * are positive and moved in their logarithms; residues far from 0 count by their size, not its square (Huber). */
#pragma once
#include <stdbool.h>

enum { FIT_MOST_PARAMETERS = 32 };

/* What is fitted: n parameters, m residues. */
struct fit {
	int n, m;
	double values[FIT_MOST_PARAMETERS]; /* in: where to begin; out: what was found */
	const double *before;               /* values that nothing is paid for */
	double price;  /* of a parameter that is twice or half of that, in residues of 1 */
	double huber;  /* residues beyond which the size counts */
	const double *weights; /* by residue */
	/* Sets the m residues of these parameters. */
	void (*residues)(const double *values, double *out, void *data);
	void *data;
	/* Out: the Jacobian by the logarithms, m rows of n, and the residues, both of the values found. */
	double *jacobian, *found;
};

/* Finds the values; returns the sum of squares, prices included. Free with fit_free. */
double fit_run(struct fit *fit);
/* Sets `values` to what one step from those found comes to without the residues of which `without` is true. */
void fit_without(const struct fit *fit, const bool *without, double *values);
void fit_free(struct fit *fit);
