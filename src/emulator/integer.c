/* Integer arithmetic, logic, shifts and moves. */
#include "emulator/number.h"
#include "emulator/opcode.h"
#include "emulator/warp.h"

typedef unsigned __int128 u128;
typedef __int128 s128;

#define BY_UNSIGNED(X) X(16, uint16_t) X(32, uint32_t) X(64, uint64_t)
#define BY_SIGNED(X) X(16, int16_t) X(32, int32_t) X(64, int64_t)
#define BITS(T) (8 * sizeof(T))

#define X(n, T) \
	BW_BINARY(add_##n, T, T, T, a[l] + b[l]) \
	BW_BINARY(sub_##n, T, T, T, a[l] - b[l]) \
	BW_BINARY(mul_##n, T, T, T, (uint64_t)a[l] * b[l]) \
	BW_TERNARY(mad_##n, T, T, T, T, (uint64_t)a[l] * b[l] + c[l]) \
	BW_BINARY(and_##n, T, T, T, a[l] & b[l]) \
	BW_BINARY(or_##n, T, T, T, a[l] | b[l]) \
	BW_BINARY(xor_##n, T, T, T, a[l] ^ b[l]) \
	BW_UNARY(not_##n, T, T, ~a[l]) \
	BW_UNARY(cnot_##n, T, T, a[l] == 0) \
	BW_UNARY(mov_##n, T, T, a[l]) \
	BW_BINARY(shl_##n, T, T, uint32_t, b[l] < BITS(T) ? (uint64_t)a[l] << (b[l] & 63) : 0) \
	BW_BINARY(shr_u##n, T, T, uint32_t, b[l] < BITS(T) ? a[l] >> (b[l] & 63) : 0) \
	BW_BINARY(min_u##n, T, T, T, a[l] < b[l] ? a[l] : b[l]) \
	BW_BINARY(max_u##n, T, T, T, a[l] > b[l] ? a[l] : b[l]) \
	BW_BINARY(div_u##n, T, T, T, b[l] ? a[l] / b[l] : (T)-1) \
	BW_BINARY(rem_u##n, T, T, T, b[l] ? a[l] % b[l] : a[l]) \
	BW_BINARY(mul_hi_u##n, T, T, T, (u128)a[l] * b[l] >> BITS(T)) \
	BW_TERNARY(mad_hi_u##n, T, T, T, T, (T)((u128)a[l] * b[l] >> BITS(T)) + c[l]) \
	BW_TERNARY(sad_u##n, T, T, T, T, c[l] + (T)(a[l] < b[l] ? b[l] - a[l] : a[l] - b[l])) \
	static bool selp_##n(BW_ARGUMENTS) \
	{ \
		T *d = bw_to(instruction, warp, 0); \
		const T *a = bw_from(instruction, warp, 0), *b = bw_from(instruction, warp, 1); \
		uint32_t p = *(const uint32_t *)bw_from(instruction, warp, 2); \
		BW_EACH_LANE(mask, d[l] = p >> l & 1 ? a[l] : b[l]) \
		return true; \
	}
BY_UNSIGNED(X)
#undef X

/* Division by zero gives all ones and the dividend as remainder, as on GPUs; PTX leaves it undefined.
 * The lowest number divided by -1 gives itself. */
#define X(n, T) \
	BW_BINARY(shr_s##n, T, T, uint32_t, a[l] >> (b[l] < BITS(T) ? b[l] : BITS(T) - 1)) \
	BW_BINARY(min_s##n, T, T, T, a[l] < b[l] ? a[l] : b[l]) \
	BW_BINARY(max_s##n, T, T, T, a[l] > b[l] ? a[l] : b[l]) \
	BW_BINARY(div_s##n, T, T, T, b[l] == 0 ? -1 : b[l] == -1 ? (T)(0 - (uint64_t)a[l]) : a[l] / b[l]) \
	BW_BINARY(rem_s##n, T, T, T, b[l] == 0 ? a[l] : b[l] == -1 ? 0 : a[l] % b[l]) \
	BW_BINARY(mul_hi_s##n, T, T, T, (s128)a[l] * b[l] >> BITS(T)) \
	BW_TERNARY(mad_hi_s##n, T, T, T, T, (uint64_t)(T)((s128)a[l] * b[l] >> BITS(T)) + (uint64_t)c[l]) \
	BW_TERNARY(sad_s##n, T, T, T, T, \
		   (uint64_t)c[l] + \
		       (a[l] < b[l] ? (uint64_t)b[l] - (uint64_t)a[l] : (uint64_t)a[l] - (uint64_t)b[l])) \
	BW_UNARY(neg_s##n, T, T, 0 - (uint64_t)a[l]) \
	BW_UNARY(abs_s##n, T, T, a[l] < 0 ? 0 - (uint64_t)a[l] : (uint64_t)a[l])
BY_SIGNED(X)
#undef X

BW_BINARY(mul_wide_u16, uint32_t, uint16_t, uint16_t, (uint32_t)a[l] * b[l])
BW_BINARY(mul_wide_s16, int32_t, int16_t, int16_t, (int32_t)a[l] * b[l])
BW_BINARY(mul_wide_u32, uint64_t, uint32_t, uint32_t, (uint64_t)a[l] * b[l])
BW_BINARY(mul_wide_s32, int64_t, int32_t, int32_t, (int64_t)a[l] * b[l])
BW_TERNARY(mad_wide_u16, uint32_t, uint16_t, uint16_t, uint32_t, (uint32_t)a[l] * b[l] + c[l])
BW_TERNARY(mad_wide_s16, uint32_t, int16_t, int16_t, uint32_t, (uint32_t)((int32_t)a[l] * b[l]) + c[l])
BW_TERNARY(mad_wide_u32, uint64_t, uint32_t, uint32_t, uint64_t, (uint64_t)a[l] * b[l] + c[l])
BW_TERNARY(mad_wide_s32, uint64_t, int32_t, int32_t, uint64_t, (uint64_t)((int64_t)a[l] * b[l]) + c[l])

static int64_t clamp_s32(int64_t value)
{
	return value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value;
}
BW_BINARY(add_sat_s32, int32_t, int32_t, int32_t, clamp_s32((int64_t)a[l] + b[l]))
BW_BINARY(sub_sat_s32, int32_t, int32_t, int32_t, clamp_s32((int64_t)a[l] - b[l]))
BW_BINARY(mul24_lo_u32, uint32_t, uint32_t, uint32_t, (a[l] & 0xffffff) * (b[l] & 0xffffff))
BW_BINARY(mul24_lo_s32, uint32_t, int32_t, int32_t,
	  (uint32_t)((int64_t)(int32_t)((uint32_t)a[l] << 8) / 256 *
		     ((int64_t)(int32_t)((uint32_t)b[l] << 8) / 256)))

BW_UNARY(clz_32, uint32_t, uint32_t, a[l] ? __builtin_clz(a[l]) : 32)
BW_UNARY(clz_64, uint32_t, uint64_t, a[l] ? __builtin_clzll(a[l]) : 64)
BW_UNARY(popc_32, uint32_t, uint32_t, __builtin_popcount(a[l]))
BW_UNARY(popc_64, uint32_t, uint64_t, __builtin_popcountll(a[l]))
/* Finds the highest bit that differs from the sign (u: the highest set bit); all ones if there is
 * none. */
BW_UNARY(bfind_u32, uint32_t, uint32_t, a[l] ? 31 - __builtin_clz(a[l]) : -1)
BW_UNARY(bfind_s32, uint32_t, int32_t,
	 (a[l] ^ a[l] >> 31) ? 31 - __builtin_clz((uint32_t)(a[l] ^ a[l] >> 31)) : -1)
BW_UNARY(bfind_u64, uint32_t, uint64_t, a[l] ? 63 - __builtin_clzll(a[l]) : -1)
BW_UNARY(bfind_s64, uint32_t, int64_t,
	 (a[l] ^ a[l] >> 63) ? 63 - __builtin_clzll((uint64_t)(a[l] ^ a[l] >> 63)) : -1)

/* Returns how far to the left the highest bit that bfind finds can be shifted. */
static uint32_t shift_of(uint64_t value, int bits)
{
	return value ? (uint32_t)(__builtin_clzll(value) - (64 - bits)) : UINT32_MAX;
}
BW_UNARY(bfind_shift_u32, uint32_t, uint32_t, shift_of(a[l], 32))
BW_UNARY(bfind_shift_s32, uint32_t, int32_t, shift_of((uint32_t)(a[l] ^ a[l] >> 31), 32))
BW_UNARY(bfind_shift_u64, uint32_t, uint64_t, shift_of(a[l], 64))
BW_UNARY(bfind_shift_s64, uint32_t, int64_t, shift_of((uint64_t)(a[l] ^ a[l] >> 63), 64))

static uint64_t reverse(uint64_t value, int bits)
{
	uint64_t result = 0;
	for (int k = 0; k < bits; k++)
		result |= (value >> k & 1) << (bits - 1 - k);
	return result;
}
BW_UNARY(brev_32, uint32_t, uint32_t, reverse(a[l], 32))
BW_UNARY(brev_64, uint64_t, uint64_t, reverse(a[l], 64))

/* Returns `length` bits of the value from bit `from` on, by PTX's rules for bfe: bits beyond the value's
 * width are its sign, or zeros. */
static uint64_t extract(uint64_t value, unsigned from, unsigned length, int bits, bool is_signed)
{
	from &= 255;
	length &= 255;
	if (!length)
		return 0;
	unsigned last = from + length - 1 < (unsigned)bits ? from + length - 1 : (unsigned)bits - 1;
	uint64_t sign = is_signed ? value >> last & 1 : 0, result = 0;
	for (unsigned k = 0; k < (unsigned)bits; k++)
		result |= (k < length && from + k < (unsigned)bits ? value >> (from + k) & 1 : sign) << k;
	return result;
}
BW_TERNARY(bfe_u32, uint32_t, uint32_t, uint32_t, uint32_t, extract(a[l], b[l], c[l], 32, false))
BW_TERNARY(bfe_s32, uint32_t, uint32_t, uint32_t, uint32_t, extract(a[l], b[l], c[l], 32, true))
BW_TERNARY(bfe_u64, uint64_t, uint64_t, uint32_t, uint32_t, extract(a[l], b[l], c[l], 64, false))
BW_TERNARY(bfe_s64, uint64_t, uint64_t, uint32_t, uint32_t, extract(a[l], b[l], c[l], 64, true))

static uint64_t insert(uint64_t bits, uint64_t into, unsigned at, unsigned length, unsigned width)
{
	at &= 255;
	length &= 255;
	for (unsigned k = 0; k < length && at + k < width; k++)
		into = (into & ~(UINT64_C(1) << (at + k))) | (bits >> k & 1) << (at + k);
	return into;
}
#define INSERT(n, T) \
	static bool bfi_##n(BW_ARGUMENTS) \
	{ \
		T *d = bw_to(instruction, warp, 0); \
		const T *a = bw_from(instruction, warp, 0), *b = bw_from(instruction, warp, 1); \
		const uint32_t *c = bw_from(instruction, warp, 2), *e = bw_from(instruction, warp, 3); \
		BW_EACH_LANE(mask, d[l] = (T)insert(a[l], b[l], c[l], e[l], BITS(T))) \
		return true; \
	}
INSERT(32, uint32_t)
INSERT(64, uint64_t)

/* Shifts of the 64 bits b:a. */
static uint32_t shift_left(uint32_t a, uint32_t b, uint32_t n)
{
	return n == 0 ? b : n >= 32 ? a : b << n | a >> (32 - n);
}
static uint32_t shift_right(uint32_t a, uint32_t b, uint32_t n)
{
	return n == 0 ? a : n >= 32 ? b : b << (32 - n) | a >> n;
}
BW_TERNARY(shf_l_wrap, uint32_t, uint32_t, uint32_t, uint32_t, shift_left(a[l], b[l], c[l] & 31))
BW_TERNARY(shf_l_clamp, uint32_t, uint32_t, uint32_t, uint32_t, shift_left(a[l], b[l], c[l] < 32 ? c[l] : 32))
BW_TERNARY(shf_r_wrap, uint32_t, uint32_t, uint32_t, uint32_t, shift_right(a[l], b[l], c[l] & 31))
BW_TERNARY(shf_r_clamp, uint32_t, uint32_t, uint32_t, uint32_t,
	   shift_right(a[l], b[l], c[l] < 32 ? c[l] : 32))

/* Each group of four selector bits chooses one of the eight bytes of b:a. If the highest bit of a group is
 * set, the byte's sign bit is copied eight times instead. */
static uint32_t permute(uint32_t a, uint32_t b, uint32_t selector)
{
	uint64_t bytes = (uint64_t)b << 32 | a;
	uint32_t result = 0;
	for (int k = 0; k < 4; k++) {
		uint32_t choice = selector >> (4 * k) & 15, byte = bytes >> (8 * (choice & 7)) & 255;
		result |= (choice & 8 ? (byte & 128 ? 255u : 0u) : byte) << (8 * k);
	}
	return result;
}
BW_TERNARY(prmt, uint32_t, uint32_t, uint32_t, uint32_t, permute(a[l], b[l], c[l]))
/* The modes: the two lowest bits of c choose one of four selectors. */
#define MODE(name, zero, one, two, three) \
	static uint32_t name##_of(uint32_t c) \
	{ \
		static const uint32_t selectors[] = {zero, one, two, three}; \
		return selectors[c & 3]; \
	} \
	BW_TERNARY(prmt_##name, uint32_t, uint32_t, uint32_t, uint32_t, permute(a[l], b[l], name##_of(c[l])))
MODE(f4e, 0x3210, 0x4321, 0x5432, 0x6543)
MODE(b4e, 0x5670, 0x6701, 0x7012, 0x0123)
MODE(rc8, 0x0000, 0x1111, 0x2222, 0x3333)
MODE(ecl, 0x3210, 0x3211, 0x3222, 0x3333)
MODE(ecr, 0x0000, 0x1110, 0x2210, 0x3210)
MODE(rc16, 0x1010, 0x3232, 0x1010, 0x3232)

/* slct: a if c is not negative (for a float: and not NaN), else b. */
#define SELECT(n, T) \
	BW_TERNARY(slct_##n##_s32, T, T, T, int32_t, c[l] >= 0 ? a[l] : b[l]) \
	BW_TERNARY(slct_##n##_f32, T, T, T, float, c[l] >= 0 ? a[l] : b[l]) \
	BW_TERNARY(slct_##n##_ftz, T, T, T, float, bw_flush(c[l]) >= 0 ? a[l] : b[l])
SELECT(16, uint16_t)
SELECT(32, uint32_t)
SELECT(64, uint64_t)

static uint32_t dot4(uint32_t a, uint32_t b, uint32_t sum, bool signed_a, bool signed_b)
{
	for (int k = 0; k < 4; k++) {
		int x = a >> (8 * k) & 255, y = b >> (8 * k) & 255;
		sum += (uint32_t)((signed_a ? (int8_t)x : x) * (signed_b ? (int8_t)y : y));
	}
	return sum;
}
BW_TERNARY(dp4a_uu, uint32_t, uint32_t, uint32_t, uint32_t, dot4(a[l], b[l], c[l], false, false))
BW_TERNARY(dp4a_us, uint32_t, uint32_t, uint32_t, uint32_t, dot4(a[l], b[l], c[l], false, true))
BW_TERNARY(dp4a_su, uint32_t, uint32_t, uint32_t, uint32_t, dot4(a[l], b[l], c[l], true, false))
BW_TERNARY(dp4a_ss, uint32_t, uint32_t, uint32_t, uint32_t, dot4(a[l], b[l], c[l], true, true))

/* Returns `sum` plus the products of the two 16-bit halves of a with the two lowest bytes of b. */
static uint32_t dot2(uint32_t a, uint32_t b, uint32_t sum, bool signed_a, bool signed_b)
{
	for (int k = 0; k < 2; k++) {
		int x = a >> (16 * k) & 65535, y = b >> (8 * k) & 255;
		sum += (uint32_t)((signed_a ? (int16_t)x : x) * (signed_b ? (int8_t)y : y));
	}
	return sum;
}
#define DOT2(x, y, name) \
	BW_TERNARY(dp2a_lo_##name, uint32_t, uint32_t, uint32_t, uint32_t, dot2(a[l], b[l], c[l], x, y)) \
	BW_TERNARY(dp2a_hi_##name, uint32_t, uint32_t, uint32_t, uint32_t, dot2(a[l], b[l] >> 16, c[l], x, y))
DOT2(false, false, uu)
DOT2(false, true, us)
DOT2(true, false, su)
DOT2(true, true, ss)

/* Returns the n-th set bit from bit `base` on, upwards, or downwards if n is negative. */
static uint32_t find_nth(uint32_t bits, uint32_t base, int32_t n)
{
	int step = n < 0 ? -1 : 1, left = n < 0 ? -n : n;
	if (!n)
		return base < 32 && bits >> base & 1 ? base : UINT32_MAX;
	for (int64_t k = base; k >= 0 && k < 32; k += step)
		if (bits >> k & 1 && !--left)
			return (uint32_t)k;
	return UINT32_MAX;
}
BW_TERNARY(fns, uint32_t, uint32_t, uint32_t, int32_t, find_nth(a[l], b[l], c[l]))

/* Returns the absolute differences of the four bytes of a and b; if `adds`, their sum plus c. */
static uint32_t distances(uint32_t a, uint32_t b, uint32_t c, bool is_signed, bool adds)
{
	uint32_t result = adds ? c : 0;
	for (int k = 0; k < 32; k += 8) {
		int x = a >> k & 255, y = b >> k & 255;
		int by = is_signed ? (int8_t)x - (int8_t)y : x - y;
		result += (uint32_t)(by < 0 ? -by : by) << (adds ? 0 : k);
	}
	return result;
}
BW_TERNARY(vabsdiff4_u, uint32_t, uint32_t, uint32_t, uint32_t, distances(a[l], b[l], c[l], false, false))
BW_TERNARY(vabsdiff4_s, uint32_t, uint32_t, uint32_t, uint32_t, distances(a[l], b[l], c[l], true, false))
BW_TERNARY(vabsdiff4_u_add, uint32_t, uint32_t, uint32_t, uint32_t, distances(a[l], b[l], c[l], false, true))
BW_TERNARY(vabsdiff4_s_add, uint32_t, uint32_t, uint32_t, uint32_t, distances(a[l], b[l], c[l], true, true))

/* Pairs of 16 bits. */
#define PAIRED(name, T, ...) \
	static uint16_t name##_one(T a, T b) { return (uint16_t)(__VA_ARGS__); } \
	BW_BINARY(name, uint32_t, uint32_t, uint32_t, \
		  (uint32_t)name##_one((T)(a[l] >> 16), (T)(b[l] >> 16)) << 16 | name##_one((T)a[l], (T)b[l]))
PAIRED(add_16x2, uint16_t, a + b)
PAIRED(min_u16x2, uint16_t, a < b ? a : b)
PAIRED(max_u16x2, uint16_t, a > b ? a : b)
PAIRED(min_s16x2, int16_t, a < b ? a : b)
PAIRED(max_s16x2, int16_t, a > b ? a : b)

static uint32_t logic3(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
	uint32_t result = 0;
	for (int k = 0; k < 8; k++)
		if (table >> k & 1)
			result |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
	return result;
}
static bool lop3(BW_ARGUMENTS)
{
	uint32_t *d = bw_to(instruction, warp, 0);
	const uint32_t *a = bw_from(instruction, warp, 0), *b = bw_from(instruction, warp, 1),
		       *c = bw_from(instruction, warp, 2), *e = bw_from(instruction, warp, 3);
	BW_EACH_LANE(mask, d[l] = logic3(a[l], b[l], c[l], e[l]))
	return true;
}

/* Predicates: one word with a bit per lane. */
static void set_lanes(BW_ARGUMENTS, uint32_t value)
{
	uint32_t *d = bw_to(instruction, warp, 0);
	*d = (*d & ~mask) | (value & mask);
}
static uint32_t lanes(const struct bw_ptx_instruction *instruction, const struct bw_warp *warp, int k)
{
	return *(const uint32_t *)bw_from(instruction, warp, k);
}
static bool and_pred(BW_ARGUMENTS)
{
	return set_lanes(instruction, warp, mask, lanes(instruction, warp, 0) & lanes(instruction, warp, 1)),
	       true;
}
static bool or_pred(BW_ARGUMENTS)
{
	return set_lanes(instruction, warp, mask, lanes(instruction, warp, 0) | lanes(instruction, warp, 1)),
	       true;
}
static bool xor_pred(BW_ARGUMENTS)
{
	return set_lanes(instruction, warp, mask, lanes(instruction, warp, 0) ^ lanes(instruction, warp, 1)),
	       true;
}
static bool not_pred(BW_ARGUMENTS)
{
	return set_lanes(instruction, warp, mask, ~lanes(instruction, warp, 0)), true;
}
static bool mov_pred(BW_ARGUMENTS)
{
	return set_lanes(instruction, warp, mask, lanes(instruction, warp, 0)), true;
}

bool bw_pack(BW_ARGUMENTS)
{
	BW_EACH_LANE(mask, {
		uint64_t value = 0;
		for (int k = 0; k < instruction->n_from; k++)
			value |= bw_lane_get(bw_from(instruction, warp, k), instruction->from[k].bytes, l)
				 << (8 * instruction->from[k].bytes * k);
		bw_lane_put(bw_to(instruction, warp, 0), instruction->to[0].bytes, l, value);
	})
	return true;
}

bool bw_unpack(BW_ARGUMENTS)
{
	BW_EACH_LANE(mask, {
		uint64_t value = bw_lane_get(bw_from(instruction, warp, 0), instruction->from[0].bytes, l);
		for (int k = 0; k < instruction->n_to; k++)
			bw_lane_put(bw_to(instruction, warp, k), instruction->to[k].bytes, l,
				 value >> (8 * instruction->to[k].bytes * k));
	})
	return true;
}

#define ROWS_OF(n, b) \
	{"add.u" #n, b "=" b b, add_##n}, {"add.s" #n, b "=" b b, add_##n}, {"sub.u" #n, b "=" b b, sub_##n}, {"sub.s" #n, b "=" b b, sub_##n}, \
	{"mul.lo.u" #n, b "=" b b, mul_##n}, {"mul.lo.s" #n, b "=" b b, mul_##n}, {"mul.hi.u" #n, b "=" b b, mul_hi_u##n}, {"mul.hi.s" #n, b "=" b b, mul_hi_s##n}, \
	{"mad.lo.u" #n, b "=" b b b, mad_##n}, {"mad.lo.s" #n, b "=" b b b, mad_##n}, {"mad.hi.u" #n, b "=" b b b, mad_hi_u##n}, {"mad.hi.s" #n, b "=" b b b, mad_hi_s##n}, \
	{"and.b" #n, b "=" b b, and_##n}, {"or.b" #n, b "=" b b, or_##n}, {"xor.b" #n, b "=" b b, xor_##n}, {"not.b" #n, b "=" b, not_##n}, {"cnot.b" #n, b "=" b, cnot_##n}, \
	{"mov.b" #n, b "=" b, mov_##n}, {"mov.u" #n, b "=" b, mov_##n}, {"mov.s" #n, b "=" b, mov_##n}, \
	{"shl.b" #n, b "=" b "4", shl_##n}, {"shr.b" #n, b "=" b "4", shr_u##n}, {"shr.u" #n, b "=" b "4", shr_u##n}, {"shr.s" #n, b "=" b "4", shr_s##n}, \
	{"min.u" #n, b "=" b b, min_u##n}, {"min.s" #n, b "=" b b, min_s##n}, {"max.u" #n, b "=" b b, max_u##n}, {"max.s" #n, b "=" b b, max_s##n}, \
	{"div.u" #n, b "=" b b, div_u##n}, {"div.s" #n, b "=" b b, div_s##n}, {"rem.u" #n, b "=" b b, rem_u##n}, {"rem.s" #n, b "=" b b, rem_s##n}, \
	{"sad.u" #n, b "=" b b b, sad_u##n}, {"sad.s" #n, b "=" b b b, sad_s##n}, {"neg.s" #n, b "=" b, neg_s##n}, {"abs.s" #n, b "=" b, abs_s##n}, \
	{"selp.b" #n, b "=" b b "P", selp_##n}, {"selp.u" #n, b "=" b b "P", selp_##n}, {"selp.s" #n, b "=" b b "P", selp_##n}

#define SLCT_ROWS(type, n, b) \
	{"slct." type ".s32", b "=" b b "4", slct_##n##_s32}, {"slct." type ".f32", b "=" b b "4", slct_##n##_f32}, {"slct.ftz." type ".f32", b "=" b b "4", slct_##n##_ftz}

const struct bw_opcode_row bw_integer_rows[] = {
	ROWS_OF(16, "2"), ROWS_OF(32, "4"), ROWS_OF(64, "8"),
	{"mov.f32", "4=4", mov_32}, {"mov.f64", "8=8", mov_64}, {"mov.f16", "2=2", mov_16}, {"selp.f32", "4=44P", selp_32}, {"selp.f64", "8=88P", selp_64}, {"selp.f16", "2=22P", selp_16},
	{"mul.wide.u16", "4=22", mul_wide_u16}, {"mul.wide.s16", "4=22", mul_wide_s16}, {"mul.wide.u32", "8=44", mul_wide_u32}, {"mul.wide.s32", "8=44", mul_wide_s32},
	{"mad.wide.u16", "4=224", mad_wide_u16}, {"mad.wide.s16", "4=224", mad_wide_s16}, {"mad.wide.u32", "8=448", mad_wide_u32}, {"mad.wide.s32", "8=448", mad_wide_s32},
	{"add.sat.s32", "4=44", add_sat_s32}, {"sub.sat.s32", "4=44", sub_sat_s32}, {"mul24.lo.u32", "4=44", mul24_lo_u32}, {"mul24.lo.s32", "4=44", mul24_lo_s32},
	{"clz.b32", "4=4", clz_32}, {"clz.b64", "4=8", clz_64}, {"popc.b32", "4=4", popc_32}, {"popc.b64", "4=8", popc_64}, {"brev.b32", "4=4", brev_32}, {"brev.b64", "8=8", brev_64},
	{"bfind.u32", "4=4", bfind_u32}, {"bfind.s32", "4=4", bfind_s32}, {"bfind.u64", "4=8", bfind_u64}, {"bfind.s64", "4=8", bfind_s64},
	{"bfe.u32", "4=444", bfe_u32}, {"bfe.s32", "4=444", bfe_s32}, {"bfe.u64", "8=844", bfe_u64}, {"bfe.s64", "8=844", bfe_s64}, {"bfi.b32", "4=4444", bfi_32}, {"bfi.b64", "8=8844", bfi_64},
	{"shf.l.wrap.b32", "4=444", shf_l_wrap}, {"shf.l.clamp.b32", "4=444", shf_l_clamp}, {"shf.r.wrap.b32", "4=444", shf_r_wrap}, {"shf.r.clamp.b32", "4=444", shf_r_clamp},
	{"fns.b32", "4=444", fns}, {"vabsdiff4.u32.u32.u32", "4=444", vabsdiff4_u}, {"vabsdiff4.u32.s32.s32", "4=444", vabsdiff4_s}, {"vabsdiff4.u32.u32.u32.add", "4=444", vabsdiff4_u_add}, {"vabsdiff4.u32.s32.s32.add", "4=444", vabsdiff4_s_add},
	{"add.u16x2", "4=44", add_16x2}, {"add.s16x2", "4=44", add_16x2}, {"min.u16x2", "4=44", min_u16x2}, {"max.u16x2", "4=44", max_u16x2}, {"min.s16x2", "4=44", min_s16x2}, {"max.s16x2", "4=44", max_s16x2},
	{"prmt.b32.f4e", "4=444", prmt_f4e}, {"prmt.b32.b4e", "4=444", prmt_b4e}, {"prmt.b32.rc8", "4=444", prmt_rc8}, {"prmt.b32.ecl", "4=444", prmt_ecl}, {"prmt.b32.ecr", "4=444", prmt_ecr}, {"prmt.b32.rc16", "4=444", prmt_rc16},
	SLCT_ROWS("b16", 16, "2"), SLCT_ROWS("u16", 16, "2"), SLCT_ROWS("s16", 16, "2"), SLCT_ROWS("b32", 32, "4"), SLCT_ROWS("u32", 32, "4"), SLCT_ROWS("s32", 32, "4"), SLCT_ROWS("f32", 32, "4"),
	SLCT_ROWS("b64", 64, "8"), SLCT_ROWS("u64", 64, "8"), SLCT_ROWS("s64", 64, "8"), SLCT_ROWS("f64", 64, "8"),
	{"bfind.shiftamt.u32", "4=4", bfind_shift_u32}, {"bfind.shiftamt.s32", "4=4", bfind_shift_s32}, {"bfind.shiftamt.u64", "4=8", bfind_shift_u64}, {"bfind.shiftamt.s64", "4=8", bfind_shift_s64},
	{"prmt.b32", "4=444", prmt}, {"lop3.b32", "4=4444", lop3},
	{"dp4a.u32.u32", "4=444", dp4a_uu}, {"dp4a.u32.s32", "4=444", dp4a_us}, {"dp4a.s32.u32", "4=444", dp4a_su}, {"dp4a.s32.s32", "4=444", dp4a_ss},
	{"dp2a.lo.u32.u32", "4=444", dp2a_lo_uu}, {"dp2a.lo.u32.s32", "4=444", dp2a_lo_us}, {"dp2a.lo.s32.u32", "4=444", dp2a_lo_su}, {"dp2a.lo.s32.s32", "4=444", dp2a_lo_ss},
	{"dp2a.hi.u32.u32", "4=444", dp2a_hi_uu}, {"dp2a.hi.u32.s32", "4=444", dp2a_hi_us}, {"dp2a.hi.s32.u32", "4=444", dp2a_hi_su}, {"dp2a.hi.s32.s32", "4=444", dp2a_hi_ss},
	{"and.pred", "P=PP", and_pred}, {"or.pred", "P=PP", or_pred}, {"xor.pred", "P=PP", xor_pred}, {"not.pred", "P=P", not_pred}, {"mov.pred", "P=P", mov_pred},
	{NULL, NULL, NULL}};

/* Integer arithmetic of more than one word, through the carry flag: sub and subc keep a borrow there. */

static inline bool carry_of(const struct bw_warp *warp, int l)
{
	return warp->carry >> l & 1;
}

static inline void set_carry(struct bw_warp *warp, int l, bool carry)
{
	warp->carry = (warp->carry & ~(1u << l)) | (uint32_t)carry << l;
}

/* Defines the instruction `name`: computes `sum` from a, b and the carry flag `in`. uses: the instruction
 * reads the flag; else `in` is false. sets: the bit of `sum` above T becomes the new flag. */
#define WITH_CARRY(name, T, uses, sets, ...) \
	static bool name(BW_ARGUMENTS) \
	{ \
		T *d = bw_to(instruction, warp, 0); \
		const T *a = bw_from(instruction, warp, 0), *b = bw_from(instruction, warp, 1); \
		for (uint32_t left = mask; left; left &= left - 1) { \
			int l = __builtin_ctz(left); \
			bool in = uses && carry_of(warp, l); \
			u128 sum = __VA_ARGS__; \
			d[l] = (T)sum; \
			if (sets) \
				set_carry(warp, l, sum >> BITS(T) & 1); \
		} \
		return true; \
	}
#define WITH_PRODUCT(name, T, uses, sets, shift) \
	static bool name(BW_ARGUMENTS) \
	{ \
		T *d = bw_to(instruction, warp, 0); \
		const T *a = bw_from(instruction, warp, 0), *b = bw_from(instruction, warp, 1), \
			*c = bw_from(instruction, warp, 2); \
		for (uint32_t left = mask; left; left &= left - 1) { \
			int l = __builtin_ctz(left); \
			bool in = uses && carry_of(warp, l); \
			u128 sum = (u128)(T)((u128)a[l] * b[l] >> (shift)) + c[l] + in; \
			d[l] = (T)sum; \
			if (sets) \
				set_carry(warp, l, sum >> BITS(T) & 1); \
		} \
		return true; \
	}
#define WITH_FLAG(n, T) \
	WITH_CARRY(add_cc_##n, T, false, true, (u128)a[l] + b[l] + in) \
	WITH_CARRY(addc_##n, T, true, false, (u128)a[l] + b[l] + in) \
	WITH_CARRY(addc_cc_##n, T, true, true, (u128)a[l] + b[l] + in) \
	WITH_CARRY(sub_cc_##n, T, false, true, (u128)a[l] - b[l] - in) \
	WITH_CARRY(subc_##n, T, true, false, (u128)a[l] - b[l] - in) \
	WITH_CARRY(subc_cc_##n, T, true, true, (u128)a[l] - b[l] - in) \
	WITH_PRODUCT(mad_lo_cc_##n, T, false, true, 0) \
	WITH_PRODUCT(madc_lo_##n, T, true, false, 0) \
	WITH_PRODUCT(madc_lo_cc_##n, T, true, true, 0) \
	WITH_PRODUCT(mad_hi_cc_##n, T, false, true, BITS(T)) \
	WITH_PRODUCT(madc_hi_##n, T, true, false, BITS(T)) \
	WITH_PRODUCT(madc_hi_cc_##n, T, true, true, BITS(T))
WITH_FLAG(32, uint32_t)
WITH_FLAG(64, uint64_t)

/* Signed products share the functions of the unsigned ones, except the high halves (ROWS_HIGH), which
 * depend on the sign. */
#define CARRY_ROWS(type, n, b) \
	{"add.cc." type, b "=" b b, add_cc_##n}, {"addc." type, b "=" b b, addc_##n}, {"addc.cc." type, b "=" b b, addc_cc_##n}, \
	{"sub.cc." type, b "=" b b, sub_cc_##n}, {"subc." type, b "=" b b, subc_##n}, {"subc.cc." type, b "=" b b, subc_cc_##n}, \
	{"mad.lo.cc." type, b "=" b b b, mad_lo_cc_##n}, {"madc.lo." type, b "=" b b b, madc_lo_##n}, {"madc.lo.cc." type, b "=" b b b, madc_lo_cc_##n}
#define ROWS_HIGH(type, n, b) \
	{"mad.hi.cc." type, b "=" b b b, mad_hi_cc_##n}, {"madc.hi." type, b "=" b b b, madc_hi_##n}, {"madc.hi.cc." type, b "=" b b b, madc_hi_cc_##n}
const struct bw_opcode_row bw_carry_rows[] = {
    CARRY_ROWS("u32", 32, "4"),   CARRY_ROWS("s32", 32, "4"),   CARRY_ROWS("u64", 64, "8"), CARRY_ROWS("s64", 64, "8"),
    ROWS_HIGH("u32", 32, "4"), ROWS_HIGH("u64", 64, "8"), {NULL, NULL, NULL}};
