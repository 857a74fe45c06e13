#include "schedulers/published.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Columns in the order of the paper: the letters of what is on. */
static const char *const state_columns[] = {"SF", "S", "F", ""}; /* with or without memoization */
static const char *const second_columns[] = {"MSF", "MS", "MF", "M", "SF", "S", "F", ""};
static const char *const megabyte_columns[] = {"MSF", "SF"};

#define N_OF(list) (int)(sizeof(list) / sizeof *(list))

/* Table 1; table 2; table 5, a single beam search. Named as the apps of Halide's repository, but for the one
 * of histogram equalization, which is hist there. */
static const struct row {
	const char *name;
	double states[N_OF(state_columns)], seconds[N_OF(second_columns)], megabytes[N_OF(megabyte_columns)];
} rows[] = {
	{"bilateral_grid", {4019, 164617, 200976, 578876}, {2.94, 16.51, 7.87, 27.95, 9.96, 212.86, 338.45, 682.42}, {113, 112}},
	{"local_laplacian", {34145, 436254, 201263, 1072715}, {110.09, 432, 131.47, 509.91, 418.45, 7918.44, 3996.33, 14568.95}, {419, 148}},
	{"nl_means", {67750, 182066, 443744, 445128}, {11.16, 23.04, 26.61, 34.85, 45.77, 201.11, 269.01, 536.12}, {1142, 269}},
	{"lens_blur", {39268, 2222985, 1248771, 4736690}, {111.21, 674.67, 273.73, 960.84, 394.15, 23379.77, 15588.4, 59085.78}, {691, 292}},
	{"camera_pipe", {15345, 159561, 139640, 314883}, {42.91, 719.92, 463.62, 1287.87, 42.29, 712.76, 468.96, 1280.13}, {118, 118}},
	{"stencil_chain", {22384, 209394, 227875, 253153}, {52.9, 183.35, 74.1, 216.81, 225.45, 2334.77, 2238.13, 2633.46}, {144, 113}},
	{"harris", {12538, 12340, 55267, 41034}, {4.52, 13.73, 8.67, 20.3, 32.92, 14.94, 149.88, 57.73}, {115, 115}},
	{"hist_equalize", {10360, 30912, 45620, 78904}, {2.06, 5.28, 4.38, 8.69, 11.08, 28.32, 45.78, 71.06}, {113, 115}},
	{"max_filter", {12160, 36707, 58098, 70196}, {1.77, 4.48, 3, 5.89, 7.56, 17.78, 24.57, 38.77}, {154, 115}},
	{"unsharp", {2988, 9662, 19216, 23953}, {2.56, 8.04, 2.12, 10.26, 5.47, 8.88, 17.52, 17.99}, {112, 112}},
	{"interpolate", {17808, 307447, 154711, 705827}, {25.75, 138.35, 42.16, 178.68, 89.18, 3170.35, 1253.08, 5211.48}, {166, 120}},
	{"conv_layer", {7706, 230170, 111690, 596341}, {1.1, 12.69, 4.44, 18.52, 3.79, 93.59, 41.2, 214.92}, {111, 112}},
	{"mat_mul", {698, 1853, 6783, 3798}, {0.08, 0.24, 0.22, 0.48, 0.1, 0.27, 1.36, 0.57}, {108, 108}},
	{"iir_blur", {3150, 13464, 14974, 38136}, {0.6, 1.51, 1.08, 2.05, 2.43, 8.18, 8.51, 20.26}, {111, 111}},
	{"bgu", {28333, 425325, 295303, 882435}, {89.39, 246.48, 146.15, 272.64, 388.56, 2431.77, 1836.45, 3578.3}, {18957, 3861}},
	{"depthwise_separable_conv", {5984, 121769, 245637, 335338}, {4, 10.52, 11.72, 15.74, 8.43, 73.49, 113.41, 175.68}, {520, 225}},
	{"learned_demosaic", {50488, 353843, 1000740, 1045372}, {54.24, 89.64, 157.99, 181.49, 173.37, 702.62, 2589.62, 2034.93}, {912, 275}},
};

static double find(const double *values, const char *const *columns, int n, const char *letters)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(columns[i], letters))
			return values[i];
	return (double)NAN;
}

static struct bw_published figures_of(const struct row *row, const char *letters)
{
	const char *without_memoization = letters + (*letters == 'M');
	double states = find(row->states, state_columns, N_OF(state_columns), without_memoization),
	       states_off = row->states[N_OF(state_columns) - 1];
	double seconds = find(row->seconds, second_columns, N_OF(second_columns), letters),
	       seconds_off = row->seconds[N_OF(second_columns) - 1];
	double megabytes = find(row->megabytes, megabyte_columns, N_OF(megabyte_columns), letters);
	return (struct bw_published){states, 100 * states / states_off, seconds, seconds_off / seconds, megabytes};
}

struct bw_published bw_published_of(const char *pipeline, const char *letters)
{
	for (int r = 0; r < N_OF(rows); r++)
		if (!strcmp(rows[r].name, pipeline))
			return figures_of(&rows[r], letters);
	return (struct bw_published){(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN};
}

struct bw_published bw_published_mean(const char *letters)
{
	double sums[5] = {0};
	for (int r = 0; r < N_OF(rows); r++) {
		struct bw_published figures = figures_of(&rows[r], letters);
		const double values[] = {figures.states, figures.states_percent, figures.seconds,
					 figures.speedup, figures.megabytes};
		for (int i = 0; i < N_OF(values); i++)
			sums[i] += log(values[i]) / N_OF(rows);
	}
	return (struct bw_published){exp(sums[0]), exp(sums[1]), exp(sums[2]), exp(sums[3]), exp(sums[4])};
}
