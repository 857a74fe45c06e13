/* The functions of the learned cost model, made of sums, products and quotients alone, so that every CPU
 * computes the same bits. The C library's functions differ between CPUs with and without fused
 * multiplication. */
#ifndef BW_COST_CURVES_H
#define BW_COST_CURVES_H

/* Computes log(1 + x) of n floats, x >= 0 (less counts as 0). 1 + x is rounded to a float first, as in
 * Halide. The error is about 2e-7 absolute, and 2e-7 relative for large results. */
void bw_curve_log1p(const float *x, int n, double *log);
/* Returns exp(x), within 1e-15 relative; 0 below -700, exp(700) above 700. */
double bw_curve_exp(double x);
/* Returns 1 / (1 + exp(-x)). */
double bw_curve_sigmoid(double x);
#endif
