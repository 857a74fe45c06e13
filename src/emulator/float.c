/* Arithmetic of 32-bit and 64-bit floats. */
#include "emulator/number.h"
#include "emulator/opcode.h"
#include "emulator/warp.h"

#define SAME(x) (x)

/* Returns the smaller number. If only one of the two is NaN, returns the other. -0 is less than +0. */
static inline float least(float a, float b)
{
	if (a != a || b != b)
		return a == a ? a : bw_canonical(b);
	return a < b || (a == b && signbit(a)) ? a : b;
}
static inline float greatest(float a, float b)
{
	if (a != a || b != b)
		return a == a ? a : bw_canonical(b);
	return a > b || (a == b && !signbit(a)) ? a : b;
}
static inline float absolute(float a)
{
	return bw_float_of_bits(bw_bits_of_float(a) & 0x7fffffff);
}
static inline float negative(float a)
{
	return bw_float_of_bits(bw_bits_of_float(a) ^ 0x80000000);
}
/* div.approx: a divisor above 2^126 gives 0, or NaN for an infinite dividend. */
static inline float divide_roughly(float a, float b)
{
	float size = absolute(b);
	if (size > 0x1p126f && size < INFINITY)
		return isinf(a) ? NAN : copysignf(0, a) * copysignf(1, b);
	return a / b;
}

/* F: flushes subnormal operands and results, or not. S: saturates the result, or not. */
#define ARITHMETIC(name, F, S) \
	BW_BINARY(add_##name, float, float, float, S(bw_canonical(F(F(a[l]) + F(b[l]))))) \
	BW_BINARY(sub_##name, float, float, float, S(bw_canonical(F(F(a[l]) - F(b[l]))))) \
	BW_BINARY(mul_##name, float, float, float, S(bw_canonical(F(F(a[l]) * F(b[l]))))) \
	BW_TERNARY(fma_##name, float, float, float, float, S(bw_canonical(F(fmaf(F(a[l]), F(b[l]), F(c[l]))))))
ARITHMETIC(f32, SAME, SAME)
ARITHMETIC(ftz, bw_flush, SAME)
ARITHMETIC(sat, SAME, bw_saturate)
ARITHMETIC(ftz_sat, bw_flush, bw_saturate)

#define FUNCTIONS(name, F) \
	BW_BINARY(min_##name, float, float, float, least(F(a[l]), F(b[l]))) \
	BW_BINARY(max_##name, float, float, float, greatest(F(a[l]), F(b[l]))) \
	BW_UNARY(abs_##name, float, float, absolute(F(a[l]))) \
	BW_UNARY(neg_##name, float, float, negative(F(a[l]))) \
	BW_BINARY(div_##name, float, float, float, bw_canonical(F(F(a[l]) / F(b[l])))) \
	BW_BINARY(div_approx_##name, float, float, float, bw_canonical(F(divide_roughly(F(a[l]), F(b[l]))))) \
	BW_UNARY(rcp_##name, float, float, bw_canonical(F(1 / F(a[l])))) \
	BW_UNARY(sqrt_##name, float, float, bw_canonical(F(sqrtf(F(a[l]))))) \
	BW_UNARY(rsqrt_##name, float, float, bw_canonical(F((float)(1 / sqrt(F(a[l])))))) \
	BW_UNARY(sin_##name, float, float, bw_canonical(F((float)sin(F(a[l]))))) \
	BW_UNARY(cos_##name, float, float, bw_canonical(F((float)cos(F(a[l]))))) \
	BW_UNARY(lg2_##name, float, float, bw_canonical(F((float)log2(F(a[l]))))) \
	BW_UNARY(ex2_##name, float, float, bw_canonical(F((float)exp2(F(a[l])))))
FUNCTIONS(f32, SAME)
FUNCTIONS(ftz, bw_flush)
BW_UNARY(tanh_f32, float, float, bw_canonical((float)tanh(a[l])))
BW_BINARY(copysign_f32, float, float, float, copysignf(b[l], a[l]))

/* Arithmetic of 64-bit floats, which has no .ftz. */

static inline double least_double(double a, double b)
{
	if (a != a || b != b)
		return a == a ? a : b;
	return a < b || (a == b && signbit(a)) ? a : b;
}
static inline double greatest_double(double a, double b)
{
	if (a != a || b != b)
		return a == a ? a : b;
	return a > b || (a == b && !signbit(a)) ? a : b;
}

BW_BINARY(add_f64, double, double, double, a[l] + b[l])
BW_BINARY(sub_f64, double, double, double, a[l] - b[l])
BW_BINARY(mul_f64, double, double, double, a[l] * b[l])
BW_BINARY(div_f64, double, double, double, a[l] / b[l])
BW_TERNARY(fma_f64, double, double, double, double, fma(a[l], b[l], c[l]))
BW_BINARY(min_f64, double, double, double, least_double(a[l], b[l]))
BW_BINARY(max_f64, double, double, double, greatest_double(a[l], b[l]))
BW_UNARY(abs_f64, double, double, fabs(a[l]))
BW_UNARY(neg_f64, uint64_t, uint64_t, a[l] ^ UINT64_C(1) << 63)
BW_UNARY(sqrt_f64, double, double, sqrt(a[l]))
BW_UNARY(rcp_f64, double, double, 1 / a[l])
BW_BINARY(copysign_f64, double, double, double, copysign(b[l], a[l]))
/* Returns the value as the 64-bit approximations use it: the lower 32 bits are zeros, and subnormals become
 * zeros. */
static double coarse(double value)
{
	uint64_t bits = bw_bits_of_double(value) >> 32 << 32;
	return bw_double_of_bits(bits & UINT64_C(0x7ff0000000000000) ? bits : bits & UINT64_C(1) << 63);
}
BW_UNARY(rcp_approx_f64, double, double, coarse(1 / coarse(a[l])))
BW_UNARY(rsqrt_approx_f64, double, double, coarse(1 / sqrt(coarse(a[l]))))
BW_UNARY(rsqrt_f64, double, double, 1 / sqrt(a[l]))

/* Arithmetic of floats of type T with a rounding direction other than to nearest. The rounding direction of
 * the host's processor is set while the lanes of the warp run. C: function that is applied to each result. */
#define ROUNDED(name, direction, T, C, n_from, ...) \
	static bool name(BW_ARGUMENTS) \
	{ \
		T *d = bw_to(instruction, warp, 0); \
		const T *a = bw_from(instruction, warp, 0), *b = bw_from(instruction, warp, n_from > 1), \
			*c = bw_from(instruction, warp, n_from > 2 ? 2 : 0); \
		fesetround(direction); \
		for (uint32_t left = mask; left; left &= left - 1) { \
			int l = __builtin_ctz(left); \
			volatile T x = a[l], y = b[l], z = c[l], result; \
			(void)y, (void)z; \
			result = __VA_ARGS__; \
			d[l] = C(result); \
		} \
		fesetround(FE_TONEAREST); \
		return true; \
	}
#define DIRECTION(name, direction, T, C, FMA, SQRT) \
	ROUNDED(add_##name, direction, T, C, 2, x + y) \
	ROUNDED(sub_##name, direction, T, C, 2, x - y) \
	ROUNDED(mul_##name, direction, T, C, 2, x * y) \
	ROUNDED(div_##name, direction, T, C, 2, x / y) \
	ROUNDED(fma_##name, direction, T, C, 3, FMA(x, y, z)) \
	ROUNDED(rcp_##name, direction, T, C, 1, 1 / x) \
	ROUNDED(sqrt_##name, direction, T, C, 1, SQRT(x))
#define DIRECTED(t, ...) \
	DIRECTION(rz_##t, FE_TOWARDZERO, __VA_ARGS__) \
	DIRECTION(rm_##t, FE_DOWNWARD, __VA_ARGS__) DIRECTION(rp_##t, FE_UPWARD, __VA_ARGS__)
DIRECTED(f32, float, bw_canonical, fmaf, sqrtf)
DIRECTED(f64, double, SAME, fma, sqrt)
#define DIRECTION_ROWS(r, t, b) \
	{"add." #r "." #t, b "=" b b, add_##r##_##t}, {"sub." #r "." #t, b "=" b b, sub_##r##_##t}, \
	{"mul." #r "." #t, b "=" b b, mul_##r##_##t}, {"div." #r "." #t, b "=" b b, div_##r##_##t}, \
	{"fma." #r "." #t, b "=" b b b, fma_##r##_##t}, {"rcp." #r "." #t, b "=" b, rcp_##r##_##t}, \
	{"sqrt." #r "." #t, b "=" b, sqrt_##r##_##t}
#define DIRECTED_ROWS(t, b) DIRECTION_ROWS(rz, t, b), DIRECTION_ROWS(rm, t, b), DIRECTION_ROWS(rp, t, b)

#define ARITHMETIC_ROWS(modifiers, f) \
	{"add" modifiers ".f32", "4=44", add_##f}, {"sub" modifiers ".f32", "4=44", sub_##f}, {"mul" modifiers ".f32", "4=44", mul_##f}
#define FMA_ROWS(modifiers, f) \
	{"fma.rn" modifiers ".f32", "4=444", fma_##f}, \
	{ \
		"mad.rn" modifiers ".f32", "4=444", fma_##f \
	}
#define FUNCTION_ROWS(ftz, f) \
	{"min" ftz ".f32", "4=44", min_##f}, {"max" ftz ".f32", "4=44", max_##f}, {"abs" ftz ".f32", "4=4", abs_##f}, {"neg" ftz ".f32", "4=4", neg_##f}, \
	{"div.rn" ftz ".f32", "4=44", div_##f}, {"div.full" ftz ".f32", "4=44", div_##f}, {"div.approx" ftz ".f32", "4=44", div_approx_##f}, \
	{"rcp.rn" ftz ".f32", "4=4", rcp_##f}, {"rcp.approx" ftz ".f32", "4=4", rcp_##f}, {"sqrt.rn" ftz ".f32", "4=4", sqrt_##f}, {"sqrt.approx" ftz ".f32", "4=4", sqrt_##f}, \
	{"rsqrt.approx" ftz ".f32", "4=4", rsqrt_##f}, {"sin.approx" ftz ".f32", "4=4", sin_##f}, {"cos.approx" ftz ".f32", "4=4", cos_##f}, \
	{"lg2.approx" ftz ".f32", "4=4", lg2_##f}, {"ex2.approx" ftz ".f32", "4=4", ex2_##f}
const struct bw_opcode_row bw_float_rows[] = {ARITHMETIC_ROWS("", f32),
					      ARITHMETIC_ROWS(".rn", f32),
					      ARITHMETIC_ROWS(".ftz", ftz),
					      ARITHMETIC_ROWS(".rn.ftz", ftz),
					      ARITHMETIC_ROWS(".sat", sat),
					      ARITHMETIC_ROWS(".rn.sat", sat),
					      ARITHMETIC_ROWS(".ftz.sat", ftz_sat),
					      ARITHMETIC_ROWS(".rn.ftz.sat", ftz_sat),
					      FMA_ROWS("", f32),
					      FMA_ROWS(".ftz", ftz),
					      FMA_ROWS(".sat", sat),
					      FMA_ROWS(".ftz.sat", ftz_sat),
					      FUNCTION_ROWS("", f32),
					      FUNCTION_ROWS(".ftz", ftz),
					      {"tanh.approx.f32", "4=4", tanh_f32},
					      {"copysign.f32", "4=44", copysign_f32},
					      DIRECTED_ROWS(f32, "4"),
	{"add.f64", "8=88", add_f64}, {"sub.f64", "8=88", sub_f64}, {"mul.f64", "8=88", mul_f64}, {"add.rn.f64", "8=88", add_f64}, {"sub.rn.f64", "8=88", sub_f64}, {"mul.rn.f64", "8=88", mul_f64},
	{"fma.rn.f64", "8=888", fma_f64}, {"mad.rn.f64", "8=888", fma_f64}, {"div.rn.f64", "8=88", div_f64}, {"min.f64", "8=88", min_f64}, {"max.f64", "8=88", max_f64},
	{"abs.f64", "8=8", abs_f64}, {"neg.f64", "8=8", neg_f64}, {"sqrt.rn.f64", "8=8", sqrt_f64}, {"rcp.rn.f64", "8=8", rcp_f64}, {"copysign.f64", "8=88", copysign_f64},
	{"rcp.approx.ftz.f64", "8=8", rcp_approx_f64}, {"rsqrt.approx.ftz.f64", "8=8", rsqrt_approx_f64}, {"rsqrt.approx.f64", "8=8", rsqrt_f64},
	DIRECTED_ROWS(f64, "8"), {NULL, NULL, NULL}};
