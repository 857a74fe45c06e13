#include "results/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost/goodness.h"

bool bw_pair_counts(const struct bw_pair *pair)
{
	return isfinite(pair->predicted) && isfinite(pair->measured) && pair->predicted > 0 &&
	       pair->measured > 0;
}

static double ratio_of(const struct bw_pair *pair)
{
	return pair->predicted / pair->measured;
}

/* Updates the indexes of the extremes with pair i, which counts. */
static void take(struct bw_agreement *agreement, const struct bw_pair *pairs, int i)
{
	if (agreement->best < 0) {
		agreement->choice = agreement->best = agreement->over = agreement->under = i;
		return;
	}
	if (pairs[i].predicted < pairs[agreement->choice].predicted)
		agreement->choice = i;
	if (pairs[i].measured < pairs[agreement->best].measured)
		agreement->best = i;
	if (ratio_of(&pairs[i]) > ratio_of(&pairs[agreement->over]))
		agreement->over = i;
	if (ratio_of(&pairs[i]) < ratio_of(&pairs[agreement->under]))
		agreement->under = i;
}

static int sign(double value)
{
	return (value > 0) - (value < 0);
}

/* Returns Kendall's tau of n values (Kendall 1938), without a correction for ties; NAN if n < 2. */
static double tau_of(const double *a, const double *b, int n)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < i; k++)
			sum += sign(a[i] - a[k]) * sign(b[i] - b[k]);
	return n < 2 ? (double)NAN : sum / (0.5 * n * (n - 1));
}

struct bw_agreement bw_agreement_of(const struct bw_pair *pairs, int n)
{
	const double nan = (double)NAN;
	struct bw_agreement agreement = {.right = nan,
					 .tau = nan,
					 .rho = nan,
					 .regret = nan,
					 .regret5 = nan,
					 .scale = nan,
					 .choice = -1,
					 .best = -1,
					 .over = -1,
					 .under = -1};
	double *predicted = BW_NEW_ARRAY(double, n + 1), *measured = BW_NEW_ARRAY(double, n + 1), logs = 0;
	for (int i = 0; i < n; i++) {
		if (!bw_pair_counts(&pairs[i]))
			continue;
		take(&agreement, pairs, i);
		predicted[agreement.n] = pairs[i].predicted;
		measured[agreement.n++] = pairs[i].measured;
		logs += log(ratio_of(&pairs[i]));
	}
	if (agreement.n) {
		struct bw_goodness goodness = bw_goodness_of(predicted, measured, agreement.n);
		agreement.rho = goodness.rank;
		agreement.right = 1 - goodness.wrong;
		agreement.tau = tau_of(predicted, measured, agreement.n);
		agreement.regret = pairs[agreement.choice].measured / pairs[agreement.best].measured;
		agreement.regret5 = agreement.n > 1 ? 1 + goodness.regret5 : 1;
		agreement.scale = exp(logs / agreement.n);
	}
	free(predicted);
	free(measured);
	return agreement;
}

enum { CELL_COLUMNS = 2, CELL_ROWS = 4, MARGIN = 9 };

/* The values at the ends of an axis. */
struct range {
	double least, most;
};

static void widen(struct range *range, double value)
{
	if (!(value >= range->least))
		range->least = value;
	if (!(value <= range->most))
		range->most = value;
}

/* Returns the index from 0 of a value's dot among n along an axis. If all values are equal it is in the
 * middle. */
static int dot_of(const struct range *range, double value, int n)
{
	double length = log(range->most / range->least);
	int dot = length > 0 ? (int)(log(value / range->least) / length * (n - 1) + 0.5) : n / 2;
	return dot < 0 ? 0 : dot >= n ? n - 1 : dot;
}

/* Sets a dot in the cells. Row 0 is the topmost. */
static void set_dot(const struct bw_scatter *scatter, unsigned char *cells, int x, int y)
{
	static const unsigned char bits[CELL_ROWS][CELL_COLUMNS] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
	int row = scatter->rows * CELL_ROWS - 1 - y;
	cells[row / CELL_ROWS * scatter->columns + x / CELL_COLUMNS] |=
		bits[row % CELL_ROWS][x % CELL_COLUMNS];
}

/* Appends the braille character with these dots (from U+2800 on) in UTF-8. */
static void put_braille(unsigned char dots, struct bw_text *out)
{
	const char bytes[] = {(char)0xe2, (char)(0xa0 | dots >> 6), (char)(0x80 | (dots & 0x3f))};
	bw_text_append(out, bytes, sizeof bytes);
}

/* Returns true if a cell is on the line of equal values, which has one cell per row. */
static bool is_equal(const struct bw_scatter *scatter, int row, int column)
{
	return scatter->diagonal &&
	       column == (2 * (scatter->rows - row) - 1) * scatter->columns / (2 * scatter->rows);
}

static void put_row(const struct bw_scatter *scatter, const unsigned char *cells, int row, const char *value,
                    struct bw_text *out)
{
	bw_text_printf(out, "%*s |", MARGIN, value);
	for (int column = 0; column < scatter->columns; column++) {
		unsigned char dots = cells[row * scatter->columns + column];
		if (dots)
			put_braille(dots, out);
		else
			bw_text_puts(out, is_equal(scatter, row, column) ? "." : " ");
	}
	while (out->length && out->bytes[out->length - 1] == ' ')
		out->bytes[--out->length] = 0;
	bw_text_puts(out, "\n");
}

/* Appends the bottom axis with the values at its ends. */
static void put_bottom(const struct bw_scatter *scatter, const struct range *across, struct bw_text *out)
{
	char most[32];
	snprintf(most, sizeof most, "%.3g", across->most);
	bw_text_printf(out, "%*s +", MARGIN, "");
	for (int column = 0; column < scatter->columns; column++)
		bw_text_puts(out, "-");
	bw_text_printf(out, "\n%*s  %-*.3g%s\n%*s  %s (logarithmic)\n", MARGIN, "",
	               scatter->columns - (int)strlen(most), across->least, most, MARGIN, "",
	               scatter->across);
}

void bw_scatter_put(const struct bw_scatter *scatter, const struct bw_pair *pairs, int n, struct bw_text *out)
{
	struct range across = {(double)NAN, (double)NAN}, up = across;
	unsigned char *cells = BW_NEW_ARRAY(unsigned char, scatter->columns * scatter->rows);
	for (int i = 0; i < n; i++)
		if (bw_pair_counts(&pairs[i])) {
			widen(&across, pairs[i].measured);
			widen(&up, pairs[i].predicted);
		}
	if (isnan(across.least)) {
		bw_text_puts(out, "nothing to plot: no schedule has both figures\n");
		free(cells);
		return;
	}
	if (scatter->diagonal) {
		widen(&across, up.least);
		widen(&across, up.most);
		up = across;
	}
	for (int i = 0; i < n; i++)
		if (bw_pair_counts(&pairs[i]))
			set_dot(scatter, cells,
			        dot_of(&across, pairs[i].measured, scatter->columns * CELL_COLUMNS),
			        dot_of(&up, pairs[i].predicted, scatter->rows * CELL_ROWS));
	bw_text_printf(out, "%*s  %s (logarithmic)\n", MARGIN, "", scatter->up);
	for (int row = 0; row < scatter->rows; row++) {
		char value[32] = "";
		if (row == 0 || row == scatter->rows - 1)
			snprintf(value, sizeof value, "%.3g", row ? up.least : up.most);
		put_row(scatter, cells, row, value, out);
	}
	put_bottom(scatter, &across, out);
	free(cells);
}
