/* The curves of the learned cost model, by sums, products and quotients alone, so that every CPU finds the same bits; the C library's differ between CPUs
 * with and without fused multiplication. */
#ifndef BW_COST_CURVES_H
#define BW_COST_CURVES_H

/* log(1 + x) of n floats, x >= 0 (less counts as 0); 1 + x is rounded to a float first, as Halide does; within 2e-7 of it, and of 1 relative. */
void bw_curve_log1p(const float *x, int n, double *log);
/* exp(x); within 1e-15 relative; 0 below -700, exp(700) above 700. */
double bw_curve_exp(double x);
/* 1 / (1 + exp(-x)) */
double bw_curve_sigmoid(double x);
#endif
