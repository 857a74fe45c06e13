/* 16-bit floats, by way of 32-bit ones: sums and products of halves are exact there or round to the same
 * half. */
#include "emulator/number.h"
#include "emulator/opcode.h"
#include "emulator/warp.h"

float bw_float_of_half(uint16_t half)
{
	uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, digits = half & 1023;
	if (exponent == 31)
		return bw_float_of_bits(sign | 0x7f800000 | digits << 13);
	if (exponent)
		return bw_float_of_bits(sign | (exponent + 112) << 23 | digits << 13);
	float value = (float)digits * 0x1p-24f;
	return sign ? -value : value;
}

uint16_t bw_half_of_double(double value)
{
	uint16_t sign = signbit(value) ? 0x8000 : 0;
	double size = fabs(value);
	if (size != size)
		return 0x7fff;
	if (size >= 65520)
		return sign | 0x7c00;
	int exponent;
	frexp(size, &exponent);
	exponent = size < 0x1p-14 ? -13 : exponent; /* of 2^exponent > size */
	double digits = nearbyint(ldexp(size, 11 - exponent));
	if (size < 0x1p-14)
		return sign | (uint16_t)digits;
	return (uint16_t)(sign | (uint16_t)(((unsigned)(exponent + 13) << 10) + (unsigned)digits));
}

static inline float value(uint16_t half)
{
	return bw_float_of_half(half);
}
static inline float least(float a, float b)
{
	return a != a ? b : b != b ? a : a < b || (a == b && signbit(a)) ? a : b;
}
static inline float greatest(float a, float b)
{
	return a != a ? b : b != b ? a : a > b || (a == b && !signbit(a)) ? a : b;
}
#define H(...) bw_half_of_double(__VA_ARGS__)
BW_BINARY(add_f16, uint16_t, uint16_t, uint16_t, H(value(a[l]) + value(b[l])))
BW_BINARY(sub_f16, uint16_t, uint16_t, uint16_t, H(value(a[l]) - value(b[l])))
BW_BINARY(mul_f16, uint16_t, uint16_t, uint16_t, H(value(a[l]) * value(b[l])))
/* The product is exact as a double, and so is its sum with a half unless their exponents lie far apart. */
BW_TERNARY(fma_f16, uint16_t, uint16_t, uint16_t, uint16_t,
	   H((double)value(a[l]) * value(b[l]) + value(c[l])))
BW_BINARY(min_f16, uint16_t, uint16_t, uint16_t, H(least(value(a[l]), value(b[l]))))
BW_BINARY(max_f16, uint16_t, uint16_t, uint16_t, H(greatest(value(a[l]), value(b[l]))))
BW_UNARY(neg_f16, uint16_t, uint16_t, a[l] ^ 0x8000)
BW_UNARY(abs_f16, uint16_t, uint16_t, a[l] & 0x7fff)

const struct bw_opcode_row bw_half_rows[] = {
	{"add.f16", "2=22", add_f16}, {"add.rn.f16", "2=22", add_f16}, {"sub.f16", "2=22", sub_f16}, {"sub.rn.f16", "2=22", sub_f16}, {"mul.f16", "2=22", mul_f16}, {"mul.rn.f16", "2=22", mul_f16},
	{"fma.rn.f16", "2=222", fma_f16}, {"min.f16", "2=22", min_f16}, {"max.f16", "2=22", max_f16}, {"neg.f16", "2=2", neg_f16}, {"abs.f16", "2=2", abs_f16}, {NULL, NULL, NULL}};
