/* Arithmetic of 32-bit floats. */
#include "emulator/number.h"
#include "emulator/opcode.h"
#include "emulator/warp.h"

#define SAME(x) (x)

/* The number if only one is NaN; -0 is less than +0. */
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

/* F makes operands and results flush subnormals, or not; S saturates the result, or not. */
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

BW_DIRECTED(rz, FE_TOWARDZERO, float, bw_canonical, fmaf, sqrtf)
BW_DIRECTED(rm, FE_DOWNWARD, float, bw_canonical, fmaf, sqrtf)
BW_DIRECTED(rp, FE_UPWARD, float, bw_canonical, fmaf, sqrtf)

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
					      BW_DIRECTED_ROWS(rz, "f32", "4"),
					      BW_DIRECTED_ROWS(rm, "f32", "4"),
					      BW_DIRECTED_ROWS(rp, "f32", "4"),
					      {NULL, NULL, NULL}};
