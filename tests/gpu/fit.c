#include "fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MOST_STEPS = 30, MOST_TRIES = 12 };
/* Step in a logarithm for the Jacobian. */
#define STEP 0.01
/* A step that betters the sum by less ends the search. */
#define LEAST_GAIN 1e-5

static double squared(double value, double huber)
{
	double size = fabs(value);
	return size <= huber ? size * size : huber * (2 * size - huber);
}

static double sum_of(const struct fit *fit, const double *values, const double *residues)
{
	double sum = 0;
	for (int i = 0; i < fit->m; i++)
		sum += fit->weights[i] * squared(residues[i], fit->huber);
	for (int k = 0; k < fit->n; k++)
		sum += pow(fit->price * log(values[k] / fit->before[k]) / M_LN2, 2);
	return sum;
}

static void find_jacobian(struct fit *fit)
{
	double values[FIT_MOST_PARAMETERS], *moved = BW_NEW_ARRAY(double, fit->m);
	for (int k = 0; k < fit->n; k++) {
		memcpy(values, fit->values, sizeof values);
		values[k] *= exp(STEP);
		fit->residues(values, moved, fit->data);
		for (int i = 0; i < fit->m; i++)
			fit->jacobian[i * fit->n + k] = (moved[i] - fit->found[i]) / STEP;
	}
	free(moved);
}

/* Solves a * x = b of n rows by Cholesky's decomposition, in place: b becomes x. */
static void solve(double a[FIT_MOST_PARAMETERS][FIT_MOST_PARAMETERS], double *b, int n)
{
	for (int i = 0; i < n; i++)
		for (int k = 0; k <= i; k++) {
			double sum = a[i][k];
			for (int j = 0; j < k; j++)
				sum -= a[i][j] * a[k][j];
			a[i][k] = i == k ? sqrt(fmax(sum, 1e-12)) : sum / a[k][k];
		}
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < i; j++)
			b[i] -= a[i][j] * b[j];
		b[i] /= a[i][i];
	}
	for (int i = n - 1; i >= 0; i--) {
		for (int j = i + 1; j < n; j++)
			b[i] -= a[j][i] * b[j];
		b[i] /= a[i][i];
	}
}

/* Sets `values` to the next ones. damping: share of the diagonal that is added to it. */
static void step(const struct fit *fit, const bool *without, double damping, double *values)
{
	double a[FIT_MOST_PARAMETERS][FIT_MOST_PARAMETERS] = {{0}}, b[FIT_MOST_PARAMETERS] = {0};
	double price = pow(fit->price / M_LN2, 2);
	for (int i = 0; i < fit->m; i++) {
		const double *row = &fit->jacobian[i * fit->n];
		double far = fabs(fit->found[i]);
		double weight = (without && without[i]) ? 0 : fit->weights[i] * (far > fit->huber ? fit->huber / far : 1);
		for (int k = 0; k < fit->n; k++) {
			b[k] -= weight * row[k] * fit->found[i];
			for (int j = 0; j <= k; j++)
				a[k][j] += weight * row[k] * row[j];
		}
	}
	for (int k = 0; k < fit->n; k++) {
		b[k] -= price * log(fit->values[k] / fit->before[k]);
		a[k][k] = (a[k][k] + price) * (1 + damping);
	}
	solve(a, b, fit->n);
	for (int k = 0; k < fit->n; k++)
		values[k] = fit->values[k] * exp(fmax(-1, fmin(1, b[k])));
}

/* Takes the first step that betters the sum, with more and more damping; returns the new sum. */
static double take_step(struct fit *fit, double sum, double *damping)
{
	double values[FIT_MOST_PARAMETERS], *residues = BW_NEW_ARRAY(double, fit->m), now = sum;
	for (int i = 0; i < MOST_TRIES && !(now < sum); i++, *damping *= 4) {
		step(fit, NULL, *damping, values);
		fit->residues(values, residues, fit->data);
		now = sum_of(fit, values, residues);
	}
	if (now < sum) {
		memcpy(fit->values, values, (size_t)fit->n * sizeof *values);
		memcpy(fit->found, residues, (size_t)fit->m * sizeof *residues);
	}
	*damping /= 16;
	free(residues);
	return fmin(now, sum);
}

double fit_run(struct fit *fit)
{
	double damping = 0.01;
	fit->jacobian = BW_NEW_ARRAY(double, (size_t)fit->m * (size_t)fit->n);
	fit->found = BW_NEW_ARRAY(double, fit->m);
	fit->residues(fit->values, fit->found, fit->data);
	double sum = sum_of(fit, fit->values, fit->found);
	for (int i = 0; i < MOST_STEPS; i++) {
		double before = sum;
		find_jacobian(fit);
		sum = take_step(fit, sum, &damping);
		if (sum > before * (1 - LEAST_GAIN))
			break;
	}
	find_jacobian(fit);
	return sum;
}

void fit_without(const struct fit *fit, const bool *without, double *values)
{
	step(fit, without, 0, values);
}

void fit_free(struct fit *fit)
{
	free(fit->jacobian);
	free(fit->found);
}
