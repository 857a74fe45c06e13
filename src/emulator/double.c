/* Arithmetic of 64-bit floats, which know no .ftz. */
#include "emulator/number.h"
#include "emulator/opcode.h"
#include "emulator/warp.h"

static inline double least(double a, double b)
{
	if (a != a || b != b)
		return a == a ? a : b;
	return a < b || (a == b && signbit(a)) ? a : b;
}
static inline double greatest(double a, double b)
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
BW_BINARY(min_f64, double, double, double, least(a[l], b[l]))
BW_BINARY(max_f64, double, double, double, greatest(a[l], b[l]))
BW_UNARY(abs_f64, double, double, fabs(a[l]))
BW_UNARY(neg_f64, uint64_t, uint64_t, a[l] ^ UINT64_C(1) << 63)
BW_UNARY(sqrt_f64, double, double, sqrt(a[l]))
BW_UNARY(rcp_f64, double, double, 1 / a[l])
BW_BINARY(copysign_f64, double, double, double, copysign(b[l], a[l]))
/* Approximations of which the 32 lower bits are zeros; subnormals are zeros. */
static double coarse(double value)
{
	uint64_t bits = bw_bits_of_double(value) >> 32 << 32;
	return bw_double_of_bits(bits & UINT64_C(0x7ff0000000000000) ? bits : bits & UINT64_C(1) << 63);
}
BW_UNARY(rcp_approx_f64, double, double, coarse(1 / coarse(a[l])))
BW_UNARY(rsqrt_approx_f64, double, double, coarse(1 / sqrt(coarse(a[l]))))
BW_UNARY(rsqrt_f64, double, double, 1 / sqrt(a[l]))

#define SAME(x) (x)
BW_DIRECTED(rz, FE_TOWARDZERO, double, SAME, fma, sqrt)
BW_DIRECTED(rm, FE_DOWNWARD, double, SAME, fma, sqrt)
BW_DIRECTED(rp, FE_UPWARD, double, SAME, fma, sqrt)

const struct bw_opcode_row bw_double_rows[] = {
	{"add.f64", "8=88", add_f64}, {"sub.f64", "8=88", sub_f64}, {"mul.f64", "8=88", mul_f64}, {"add.rn.f64", "8=88", add_f64}, {"sub.rn.f64", "8=88", sub_f64}, {"mul.rn.f64", "8=88", mul_f64},
	{"fma.rn.f64", "8=888", fma_f64}, {"mad.rn.f64", "8=888", fma_f64}, {"div.rn.f64", "8=88", div_f64}, {"min.f64", "8=88", min_f64}, {"max.f64", "8=88", max_f64},
	{"abs.f64", "8=8", abs_f64}, {"neg.f64", "8=8", neg_f64}, {"sqrt.rn.f64", "8=8", sqrt_f64}, {"rcp.rn.f64", "8=8", rcp_f64}, {"copysign.f64", "8=88", copysign_f64},
	{"rcp.approx.ftz.f64", "8=8", rcp_approx_f64}, {"rsqrt.approx.ftz.f64", "8=8", rsqrt_approx_f64}, {"rsqrt.approx.f64", "8=8", rsqrt_f64},
	BW_DIRECTED_ROWS(rz, "f64", "8"), BW_DIRECTED_ROWS(rm, "f64", "8"), BW_DIRECTED_ROWS(rp, "f64", "8"), {NULL, NULL, NULL}};
