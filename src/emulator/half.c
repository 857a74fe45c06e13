/* 16-bit floats and pairs of them. They are computed as 64-bit floats: sums and products are exact in 64
 * bits, or round to the correct 16-bit number. bf16 is the upper half of a 32-bit float. */
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

static float wide(uint16_t upper)
{
	return bw_float_of_bits((uint32_t)upper << 16);
}
/* Rounds to the nearest bf16, ties to even; if `zero`, towards zero. A double between two 32-bit floats is
 * first rounded to the one whose last bit is 1, which avoids double rounding. */
static uint16_t narrow(double value, bool zero)
{
	float single = (float)value;
	if (value != value)
		return 0x7fff;
	uint32_t bits = bw_bits_of_float(single);
	if ((double)single != value && (fabs((double)single) > fabs(value)))
		bits--;
	if ((double)single != value && !isinf(single))
		bits |= 1;
	return (uint16_t)(zero ? bits >> 16 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
#define N(...) narrow(__VA_ARGS__, false)

BW_UNARY(bf16_of_f32, uint16_t, float, N(a[l]))
BW_UNARY(bf16_of_f32_rz, uint16_t, float, narrow(a[l], true))
BW_UNARY(f32_of_bf16, float, uint16_t, bw_canonical(wide(a[l])))
/* The first source goes into the upper half. */
BW_BINARY(f16x2_of_f32, uint32_t, float, float, (uint32_t)H(a[l]) << 16 | H(b[l]))
BW_BINARY(bf16x2_of_f32, uint32_t, float, float, (uint32_t)N(a[l]) << 16 | N(b[l]))

/* Defines an instruction on pairs of halves. The expression for one half is applied to both halves of each
 * lane. */
#define PAIR(name, n_sources, ...) \
	static uint16_t name##_one(const uint16_t *const from[3], int h) { return (uint16_t)(__VA_ARGS__); } \
	static bool name##x2(BW_ARGUMENTS) \
	{ \
		uint16_t *d = bw_to(instruction, warp, 0), result[2 * BW_LANES]; \
		const uint16_t *from[3]; \
		for (int k = 0; k < n_sources; k++) \
			from[k] = bw_from(instruction, warp, k); \
		for (int h = 0; h < 2 * BW_LANES; h++) \
			result[h] = name##_one(from, h); \
		BW_EACH_LANE(mask, (d[2 * l] = result[2 * l], d[2 * l + 1] = result[2 * l + 1])) \
		return true; \
	}
/* Defines an instruction on single halves. */
#define HALF(name, n_sources, ...) \
	PAIR(name, n_sources, __VA_ARGS__) \
	static bool name(BW_ARGUMENTS) \
	{ \
		uint16_t *d = bw_to(instruction, warp, 0); \
		const uint16_t *from[3]; \
		for (int k = 0; k < n_sources; k++) \
			from[k] = bw_from(instruction, warp, k); \
		BW_EACH_LANE(mask, d[l] = name##_one(from, l)) \
		return true; \
	}
#define X(k) value(from[k][h])
#define Y(k) wide(from[k][h])
HALF(add_f16, 2, H(X(0) + X(1)))
HALF(sub_f16, 2, H(X(0) - X(1)))
HALF(mul_f16, 2, H(X(0) * X(1)))
/* The product is exact as a double, and so is its sum with a half unless their exponents are far apart. */
HALF(fma_f16, 3, H((double)X(0) * X(1) + X(2)))
HALF(min_f16, 2, H(least(X(0), X(1))))
HALF(max_f16, 2, H(greatest(X(0), X(1))))
HALF(neg_f16, 1, from[0][h] ^ 0x8000)
HALF(abs_f16, 1, from[0][h] & 0x7fff)
HALF(add_bf16, 2, N((double)Y(0) + Y(1)))
HALF(sub_bf16, 2, N((double)Y(0) - Y(1)))
HALF(mul_bf16, 2, N((double)Y(0) * Y(1)))
HALF(fma_bf16, 3, N((double)Y(0) * Y(1) + Y(2)))
HALF(min_bf16, 2, N(least(Y(0), Y(1))))
HALF(max_bf16, 2, N(greatest(Y(0), Y(1))))

/* set on pairs: where a comparison holds, 1 as a float, or all ones. */
#define COMPARE(c, ...) \
	PAIR(set_##c##_f16, 2, (__VA_ARGS__) ? 0x3c00 : 0) \
	PAIR(set_##c##_u32, 2, (__VA_ARGS__) ? 0xffff : 0)
COMPARE(eq, X(0) == X(1))
COMPARE(ne, X(0) < X(1) || X(0) > X(1))
COMPARE(lt, X(0) < X(1))
COMPARE(le, X(0) <= X(1))
COMPARE(gt, X(0) > X(1))
COMPARE(ge, X(0) >= X(1))
COMPARE(equ, !(X(0) < X(1) || X(0) > X(1)))
COMPARE(neu, X(0) != X(1))
COMPARE(ltu, !(X(0) >= X(1)))
COMPARE(leu, !(X(0) > X(1)))
COMPARE(gtu, !(X(0) <= X(1)))
COMPARE(geu, !(X(0) < X(1)))
COMPARE(num, X(0) == X(0) && X(1) == X(1))
COMPARE(nan, X(0) != X(0) || X(1) != X(1))
#define COMPARE_ROWS(c) \
	{"set." #c ".f16x2.f16x2", "4=44", set_##c##_f16x2}, {"set." #c ".u32.f16x2", "4=44", set_##c##_u32x2}, {"set." #c ".s32.f16x2", "4=44", set_##c##_u32x2}

#define ROWS_OF(t) \
	{"add." #t, "2=22", add_##t}, {"add.rn." #t, "2=22", add_##t}, {"sub." #t, "2=22", sub_##t}, {"sub.rn." #t, "2=22", sub_##t}, {"mul." #t, "2=22", mul_##t}, {"mul.rn." #t, "2=22", mul_##t}, \
	{"fma.rn." #t, "2=222", fma_##t}, {"min." #t, "2=22", min_##t}, {"max." #t, "2=22", max_##t}, {"neg." #t, "2=2", neg_f16}, {"abs." #t, "2=2", abs_f16}, \
	{"add." #t "x2", "4=44", add_##t##x2}, {"add.rn." #t "x2", "4=44", add_##t##x2}, {"sub." #t "x2", "4=44", sub_##t##x2}, {"sub.rn." #t "x2", "4=44", sub_##t##x2}, \
	{"mul." #t "x2", "4=44", mul_##t##x2}, {"mul.rn." #t "x2", "4=44", mul_##t##x2}, {"fma.rn." #t "x2", "4=444", fma_##t##x2}, {"min." #t "x2", "4=44", min_##t##x2}, {"max." #t "x2", "4=44", max_##t##x2}, \
	{"neg." #t "x2", "4=4", neg_f16x2}, {"abs." #t "x2", "4=4", abs_f16x2}
const struct bw_opcode_row bw_half_rows[] = {
	ROWS_OF(f16), ROWS_OF(bf16), {"cvt.rn.bf16.f32", "2=4", bf16_of_f32}, {"cvt.rz.bf16.f32", "2=4", bf16_of_f32_rz}, {"cvt.f32.bf16", "4=2", f32_of_bf16},
	COMPARE_ROWS(eq), COMPARE_ROWS(ne), COMPARE_ROWS(lt), COMPARE_ROWS(le), COMPARE_ROWS(gt),
	COMPARE_ROWS(ge), COMPARE_ROWS(num), COMPARE_ROWS(nan), COMPARE_ROWS(equ), COMPARE_ROWS(neu),
	COMPARE_ROWS(ltu), COMPARE_ROWS(leu), COMPARE_ROWS(gtu), COMPARE_ROWS(geu),
	{"cvt.rn.f16x2.f32", "4=44", f16x2_of_f32}, {"cvt.rn.bf16x2.f32", "4=44", bf16x2_of_f32}, {NULL, NULL, NULL}};
