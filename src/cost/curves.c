#include "cost/curves.h"

#include <stdint.h>
#include <string.h>

#define LN2 0.69314718055994530942

/* Numbers that are computed together, and their bits. */
enum { AT_ONCE = 4 };
typedef float floats __attribute__((vector_size(AT_ONCE * sizeof(float))));
typedef int32_t whole __attribute__((vector_size(AT_ONCE * sizeof(int32_t))));
typedef uint32_t words __attribute__((vector_size(AT_ONCE * sizeof(uint32_t))));

/* x = m 2^e with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.172. Five
 * terms of the series have an error below 1e-9. */
static inline floats logs_of(floats x)
{
	const uint32_t root_half = 0x3f3504f3, one = 0x3f800000;
	words bits = (words)x + (one - root_half);
	whole exponent = (whole)(bits >> 23) - 127;
	floats mantissa = (floats)((bits & 0x007fffff) + root_half);
	floats s = (mantissa - 1) / (mantissa + 1), z = s * s;
	floats series = 2 + z * (2.0f / 3 + z * (2.0f / 5 + z * (2.0f / 7 + z * (2.0f / 9))));
	return __builtin_convertvector(exponent, floats) * (float)LN2 + s * series;
}

static inline void log1p_at_once(const float x[AT_ONCE], double log[AT_ONCE])
{
	floats more;
	memcpy(&more, x, sizeof more);
	more = logs_of((floats)((whole)more & (more > 0)) + 1);
	for (int i = 0; i < AT_ONCE; i++)
		log[i] = (double)more[i];
}

void bw_curve_log1p(const float *x, int n, double *log)
{
	float rest[AT_ONCE] = {0};
	double logs[AT_ONCE];
	for (; n >= AT_ONCE; n -= AT_ONCE, x += AT_ONCE, log += AT_ONCE)
		log1p_at_once(x, log);
	for (int i = 0; i < n; i++)
		rest[i] = x[i];
	if (n)
		log1p_at_once(rest, logs);
	for (int i = 0; i < n; i++)
		log[i] = logs[i];
}

/* x = k ln 2 + r, |r| <= 0.35. Fourteen terms of the series of exp(r) have an error below 1e-17. */
double bw_curve_exp(double x)
{
	const double most = 700;
	if (x < -most)
		return 0;
	x = x > most ? most : x;
	int64_t k = (int64_t)(x / LN2 + (x < 0 ? -0.5 : 0.5));
	double r = x - (double)k * LN2, sum = 1;
	for (int i = 14; i > 0; i--)
		sum = 1 + sum * r / i;
	uint64_t bits = (uint64_t)(k + 1023) << 52;
	double power;
	memcpy(&power, &bits, sizeof power);
	return sum * power;
}

double bw_curve_sigmoid(double x)
{
	return 1 / (1 + bw_curve_exp(-x));
}
