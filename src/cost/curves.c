#include "cost/curves.h"

#include <stdint.h>
#include <string.h>

#define LN2 0.69314718055994530942

/* x = m 2^e with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.172: five terms of its series leave less than 1e-9. */
static float log_of(float x)
{
	const uint32_t root_half = 0x3f3504f3, one = 0x3f800000;
	uint32_t bits;
	memcpy(&bits, &x, sizeof bits);
	bits += one - root_half;
	int32_t exponent = (int32_t)(bits >> 23) - 127;
	bits = (bits & 0x007fffff) + root_half;
	float mantissa;
	memcpy(&mantissa, &bits, sizeof mantissa);
	float s = (mantissa - 1) / (mantissa + 1), z = s * s;
	float series = 2 + z * (2.0f / 3 + z * (2.0f / 5 + z * (2.0f / 7 + z * (2.0f / 9))));
	return (float)exponent * (float)LN2 + s * series;
}

void bw_curve_log1p(const float *x, int n, double *log)
{
	for (int i = 0; i < n; i++) {
		float more = 1 + (x[i] > 0 ? x[i] : 0);
		log[i] = (double)log_of(more);
	}
}

/* x = k ln 2 + r, |r| <= 0.35: of exp(r) fourteen terms of its series leave less than 1e-17. */
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
