/* PTX's floating-point numbers: their bits, the single NaN that arithmetic returns, and the flushing of
 * subnormals to zero by .ftz. */
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t bw_bits_of_float(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}
static inline float bw_float_of_bits(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}
static inline uint64_t bw_bits_of_double(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}
static inline double bw_double_of_bits(uint64_t bits)
{
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}
/* Returns the value; for any NaN, the NaN that PTX's arithmetic returns. */
static inline float bw_canonical(float value)
{
	return value == value ? value : bw_float_of_bits(0x7fffffff);
}
/* Returns the value; for a subnormal, a zero of the same sign. */
static inline float bw_flush(float value)
{
	return bw_float_of_bits((bw_bits_of_float(value) & 0x7f800000)
				    ? bw_bits_of_float(value)
				    : bw_bits_of_float(value) & 0x80000000);
}
/* Returns the value clamped to [0, 1] for .sat; NaN gives 0. */
static inline float bw_saturate(float value)
{
	return value > 0 ? value < 1 ? value : 1 : 0;
}
float bw_float_of_half(uint16_t half);
/* Rounds to the nearest half, ties to even. */
uint16_t bw_half_of_double(double value);
