/* Describes verdicts in words, and finds the bound of error that would allow a difference. */
#include "bench/measurement.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

BW_WORDS(bw_verdict_name, enum bw_verdict, BW_VERDICT_TABLE(BW_SECOND))

bool bw_verdict_differs(enum bw_verdict verdict)
{
	return verdict == BW_OUTPUT_WRONG || verdict == BW_UNSTABLE;
}

void bw_difference_words(const struct bw_measurement *m, char *text, size_t size)
{
	int used = snprintf(text, size, "%lld points differ, worst at %s", (long long)m->mismatches, m->where);
	if (m->points && used >= 0 && (size_t)used < size)
		used += snprintf(text + used, size - (size_t)used, "; of %lld", (long long)m->points);
	if (m->largest > 0 && m->largest < DBL_MAX && used >= 0 && (size_t)used < size)
		used += snprintf(text + used, size - (size_t)used, ", by at most %.4g", m->largest);
	if (*m->region && used >= 0 && (size_t)used < size)
		snprintf(text + used, size - (size_t)used, ", in %s", m->region);
}

bool bw_difference_fail(const struct bw_measurement *m, struct bw_error *error)
{
	char words[500];
	bool unstable = m->verdict == BW_UNSTABLE;
	const char *what = unstable	? "the program, not the schedule, is at fault: the output differs from the reference"
			   : *m->advice ? "the output differs from the reference"
					: "the output is wrong";
	bw_difference_words(m, words, sizeof words);
	return bw_fail(error, unstable ? BW_ERROR_UNSTABLE : BW_ERROR_WRONG, "%s: %s%s%s", what, words,
		       *m->advice ? "; " : "", m->advice);
}

const char *bw_measurement_mark(const struct bw_measurement *m)
{
	return !m->cpu                                                                 ? ""
	       : strncmp(m->driver, BW_EMULATED_DRIVER, sizeof BW_EMULATED_DRIVER - 1) ? " (cpu)"
	       : m->skipped > 0                                                        ? " (emulated, by a sample of blocks)"
										       : " (emulated)";
}

/* Rounds up to two significant digits. Keeps whole numbers of fewer digits. */
static double round_up(double number)
{
	double unit = pow(10, floor(log10(number)) - 1);
	return number == floor(number) && number < 100 ? number : ceil(number / unit) * unit;
}

bool bw_differs_as_much(const struct bw_measurement *m, const struct bw_measurement *other)
{
	enum { AS_MUCH = 2, FEW = 16 };
	return other->verdict == BW_OUTPUT_WRONG && !strstr(other->where, "written outside") &&
	       m->largest <= AS_MUCH * other->largest &&
	       m->mismatches <= AS_MUCH * other->mismatches + FEW;
}

bool bw_bound_propose(const struct bw_measurement *m, const struct bw_measurement *other,
		      const struct bw_bound_of_error *bound, char *text, size_t size)
{
	static const double most_steps = 4, most_integers = 0.5;
	double largest = fmax(m->largest, other->largest);
	if (!*m->region || !(m->steps > 0) || fmax(m->steps, other->steps) > most_steps ||
	    fmax(m->integers, other->integers) > most_integers)
		return false;
	snprintf(text, size, "--bound %g,%g", round_up(largest), bound->relative);
	return true;
}
