/* Integer arithmetic of more than one word, through the carry flag: sub and subc keep a borrow there. */
#include "emulator/opcode.h"
#include "emulator/warp.h"

static inline bool carry_of(const struct bw_warp *warp, int l)
{
	return warp->carry >> l & 1;
}

static inline void set_carry(struct bw_warp *warp, int l, bool carry)
{
	warp->carry = (warp->carry & ~(1u << l)) | (uint32_t)carry << l;
}

typedef unsigned __int128 u128;
#define BITS(T) (8 * sizeof(T))

/* NAME: from a, b and the flag `in` (false without .c), the sum in `sum` whose bit above T is the new flag.
 */
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
#define OF(n, T) \
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
OF(32, uint32_t)
OF(64, uint64_t)

/* Products of high halves are unsigned here: the sign changes them. */
#define ROWS_OF(type, n, b) \
	{"add.cc." type, b "=" b b, add_cc_##n}, {"addc." type, b "=" b b, addc_##n}, {"addc.cc." type, b "=" b b, addc_cc_##n}, \
	{"sub.cc." type, b "=" b b, sub_cc_##n}, {"subc." type, b "=" b b, subc_##n}, {"subc.cc." type, b "=" b b, subc_cc_##n}, \
	{"mad.lo.cc." type, b "=" b b b, mad_lo_cc_##n}, {"madc.lo." type, b "=" b b b, madc_lo_##n}, {"madc.lo.cc." type, b "=" b b b, madc_lo_cc_##n}
#define ROWS_HIGH(type, n, b) \
	{"mad.hi.cc." type, b "=" b b b, mad_hi_cc_##n}, {"madc.hi." type, b "=" b b b, madc_hi_##n}, {"madc.hi.cc." type, b "=" b b b, madc_hi_cc_##n}
const struct bw_opcode_row bw_carry_rows[] = {
    ROWS_OF("u32", 32, "4"),   ROWS_OF("s32", 32, "4"),   ROWS_OF("u64", 64, "8"), ROWS_OF("s64", 64, "8"),
    ROWS_HIGH("u32", 32, "4"), ROWS_HIGH("u64", 64, "8"), {NULL, NULL, NULL}};
