#include "bench/measurement.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *bw_verdict_name(enum bw_verdict verdict)
{
	static const char *const names[] = {
#define X(name, text) text,
		BW_VERDICT_TABLE(X)
#undef X
	};
	return names[verdict];
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

/* The next number of two digits; a whole one of less stays. */
const char *bw_measurement_mark(const struct bw_measurement *m)
{
	return !m->cpu                                                                 ? ""
	       : strncmp(m->driver, BW_EMULATED_DRIVER, sizeof BW_EMULATED_DRIVER - 1) ? " (cpu)"
	       : m->skipped > 0                                                        ? " (emulated, by a sample of blocks)"
										       : " (emulated)";
}

static double round_up(double number)
{
	double unit = pow(10, floor(log10(number)) - 1);
	return number == floor(number) && number < 100 ? number : ceil(number / unit) * unit;
}

void bw_bound_advise(const struct bw_measurement *m, const struct bw_measurement *hand,
		     const struct bw_bound_of_error *bound, char *text, size_t size)
{
	enum { AS_MUCH = 2, FEW = 16, FLIP = 16, RARE = 100 };
	*text = 0;
	if (hand->verdict != BW_OUTPUT_WRONG || !*m->region || strstr(m->where, "written outside") ||
	    strstr(hand->where, "written outside"))
		return;
	if (!(m->largest <= AS_MUCH * hand->largest) || m->mismatches > AS_MUCH * hand->mismatches + FEW)
		return;
	double largest = fmax(m->largest, hand->largest);
	int64_t mismatches = m->mismatches > hand->mismatches ? m->mismatches : hand->mismatches;
	char option[64], by[40] = "";
	if (largest >= DBL_MAX || (largest > FLIP && mismatches < m->points / RARE))
		snprintf(option, sizeof option, "%g,%g,%.0f", bound->absolute, bound->relative,
			 round_up((double)mismatches));
	else
		snprintf(option, sizeof option, "%g,%g", round_up(largest), bound->relative);
	if (hand->largest < DBL_MAX)
		snprintf(by, sizeof by, " by at most %.4g", hand->largest);
	snprintf(text, size,
		 "the generator's schedule by hand differs as much, in %lld points%s; --bound %s allows both",
		 (long long)hand->mismatches, by, option);
}
