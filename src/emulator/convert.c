/* cvt: conversions between all types. Common conversions have functions of their own; one generic
 * function does the others. */

#include "emulator/number.h"
#include "emulator/opcode.h"
#include "emulator/warp.h"

enum rounding {
	ROUND_NONE,
	ROUND_EVEN,
	ROUND_ZERO,
	ROUND_DOWN,
	ROUND_UP,
	ROUND_INTEGER_EVEN,
	ROUND_INTEGER_ZERO,
	ROUND_INTEGER_DOWN,
	ROUND_INTEGER_UP
};
static const char *const roundings[] = {"", "rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"};

/* The details of a conversion, encoded in its instruction's offset. */
union detail {
	struct {
		char to_kind, from_kind; /* u s f */
		uint8_t to_bytes, from_bytes, rounding;
		bool ftz, saturate;
	} is;
	int64_t packed;
};
_Static_assert(sizeof(union detail) == sizeof(int64_t), "a conversion fits into an offset");

static void put_integer(unsigned char *to, int bytes, int64_t value)
{
	memcpy(to, &value, (size_t)bytes);
}

/* Returns the integer of `bytes` bytes at `from`, sign-extended or zero-extended. */
static int64_t integer_at(const unsigned char *from, int bytes, bool is_signed)
{
	uint64_t value = 0;
	memcpy(&value, from, (size_t)bytes);
	int unused = 64 - 8 * bytes;
	return is_signed ? (int64_t)(value << unused) >> unused : (int64_t)value;
}

static double to_integral(double value, int rounding)
{
	switch (rounding) {
	case ROUND_INTEGER_EVEN:
	case ROUND_EVEN:
		return nearbyint(value);
	case ROUND_INTEGER_DOWN:
	case ROUND_DOWN:
		return floor(value);
	case ROUND_INTEGER_UP:
	case ROUND_UP:
		return ceil(value);
	default:
		return trunc(value);
	}
}

/* Returns the nearest number of the integer type. NaN gives 0, or only the highest bit set if either
 * type has 64 bits. */
static int64_t integer_of(double value, char kind, int bytes, int from_bytes)
{
	int bits = 8 * bytes;
	if (value != value && from_bytes < 8 && bytes < 8)
		return 0;
	if (value != value)
		return kind == 's' ? (int64_t)(UINT64_MAX << (bits - 1)) : (int64_t)(UINT64_C(1) << (bits - 1));
	if (kind == 's') {
		double limit = ldexp(1, bits - 1);
		int64_t most = (int64_t)(UINT64_MAX >> (65 - bits));
		return value >= limit ? most : value < -limit ? -most - 1 : (int64_t)value;
	}
	return value <= 0                ? 0
	       : value >= ldexp(1, bits) ? (int64_t)(UINT64_MAX >> (64 - bits))
					 : (int64_t)(uint64_t)value;
}

static int64_t clamp(int64_t value, bool from_signed, char kind, int bytes)
{
	int64_t most = (int64_t)(UINT64_MAX >> (kind == 's' ? 65 - 8 * bytes : 64 - 8 * bytes));
	if (!from_signed && value < 0) /* above any signed number */
		return most;
	if (kind == 's')
		return value > most ? most : value < -most - 1 ? -most - 1 : value;
	return from_signed && value < 0 ? 0 : bytes < 8 && value > most ? most : value;
}

static double float_at(const unsigned char *from, int bytes, bool ftz)
{
	uint16_t half;
	float single;
	double value;
	if (bytes == 2)
		return memcpy(&half, from, sizeof half), bw_float_of_half(half);
	if (bytes == 4)
		return memcpy(&single, from, sizeof single), ftz ? bw_flush(single) : single;
	return memcpy(&value, from, sizeof value), value;
}

static void put_float(unsigned char *to, const union detail *detail, double value)
{
	if (detail->is.to_bytes == 8) {
		double clamped = !detail->is.saturate ? value : value > 0 ? value < 1 ? value : 1 : 0;
		memcpy(to, &clamped, sizeof clamped);
		return;
	}
	if (detail->is.to_bytes == 2) {
		uint16_t half = bw_half_of_double(detail->is.saturate ? value > 0 ? value < 1 ? value : 1 : 0 : value);
		memcpy(to, &half, sizeof half);
		return;
	}
	volatile double exact = value;
	volatile float rounded = (float)exact;
	float single = bw_canonical(rounded);
	if (detail->is.ftz)
		single = bw_flush(single);
	if (detail->is.saturate)
		single = bw_saturate(single);
	memcpy(to, &single, sizeof single);
}

/* A 64-bit integer may not fit a double exactly, so it is converted to its float directly, in the
 * current rounding mode. */
static void put_float_of_integer(unsigned char *to, const union detail *detail, int64_t value)
{
	volatile int64_t number = value;
	volatile uint64_t positive = (uint64_t)value;
	bool is_signed = detail->is.from_kind == 's';
	if (detail->is.to_bytes == 4) {
		volatile float single = is_signed ? (float)number : (float)positive;
		float result = detail->is.saturate ? bw_saturate(single) : single;
		memcpy(to, &result, sizeof result);
	} else {
		volatile double both = is_signed ? (double)number : (double)positive;
		put_float(to, detail, both);
	}
}

static void convert_lane(const union detail *detail, unsigned char *to, int to_bytes,
			 const unsigned char *from)
{
	char kind = detail->is.to_kind;
	bool from_signed = detail->is.from_kind == 's';
	if (detail->is.from_kind != 'f') {
		int64_t value = integer_at(from, detail->is.from_bytes, from_signed);
		if (kind == 'f') {
			put_float_of_integer(to, detail, value);
			return;
		}
		if (detail->is.saturate)
			value = clamp(value, from_signed, kind, detail->is.to_bytes);
		put_integer(to, to_bytes, integer_at((unsigned char *)&value, detail->is.to_bytes, kind == 's'));
		return;
	}
	double value = float_at(from, detail->is.from_bytes, detail->is.ftz);
	if (kind != 'f') {
		put_integer(to, to_bytes,
			    integer_of(to_integral(value, detail->is.rounding), kind, detail->is.to_bytes,
				       detail->is.from_bytes));
		return;
	}
	put_float(to, detail,
		  detail->is.rounding >= ROUND_INTEGER_EVEN
		      ? copysign(to_integral(value, detail->is.rounding), value)
		      : value);
}

static bool convert(BW_ARGUMENTS)
{
	static const int directions[] = {
	    [ROUND_ZERO] = FE_TOWARDZERO, [ROUND_DOWN] = FE_DOWNWARD, [ROUND_UP] = FE_UPWARD};
	union detail detail = {.packed = instruction->offset};
	int to_bytes = instruction->to[0].bytes, from_bytes = instruction->from[0].bytes;
	bool directed =
	    detail.is.to_kind == 'f' && detail.is.rounding >= ROUND_ZERO && detail.is.rounding <= ROUND_UP;
	unsigned char *d = bw_to(instruction, warp, 0);
	const unsigned char *a = bw_from(instruction, warp, 0);
	if (directed)
		fesetround(directions[detail.is.rounding]);
	for (uint32_t left = mask; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		convert_lane(&detail, d + l * to_bytes, to_bytes, a + l * from_bytes);
	}
	if (directed)
		fesetround(FE_TONEAREST);
	return true;
}

/* Integers to integers without saturation. */
#define WIDEN(R, S, D) \
	{ \
		R *wide = (R *)d; \
		for (uint32_t left = mask; left; left &= left - 1) { \
			int l = __builtin_ctz(left); \
			wide[l] = (R)(D) * (const S *)(a + l * from_bytes); \
		} \
	}
#define INTEGER(name, D, S) \
	static bool name(BW_ARGUMENTS) \
	{ \
		int to_bytes = instruction->to[0].bytes, from_bytes = instruction->from[0].bytes; \
		unsigned char *d = bw_to(instruction, warp, 0); \
		const unsigned char *a = bw_from(instruction, warp, 0); \
		if (to_bytes == sizeof(D) && from_bytes == sizeof(S)) { \
			BW_EACH_LANE(mask, ((D *)d)[l] = (D)((const S *)a)[l]) \
		} else if (to_bytes == 2) \
			WIDEN(uint16_t, S, D) \
		else if (to_bytes == 4) \
			WIDEN(uint32_t, S, D) \
		else \
			WIDEN(uint64_t, S, D) \
		return true; \
	}
#define TYPES(X, ...) \
	X(u8, uint8_t, __VA_ARGS__) X(s8, int8_t, __VA_ARGS__) X(u16, uint16_t, __VA_ARGS__) X(s16, int16_t, __VA_ARGS__) \
	X(u32, uint32_t, __VA_ARGS__) X(s32, int32_t, __VA_ARGS__) X(u64, uint64_t, __VA_ARGS__) X(s64, int64_t, __VA_ARGS__)
#define TYPES_AGAIN(X, ...) \
	X(u8, uint8_t, __VA_ARGS__) X(s8, int8_t, __VA_ARGS__) X(u16, uint16_t, __VA_ARGS__) X(s16, int16_t, __VA_ARGS__) \
	X(u32, uint32_t, __VA_ARGS__) X(s32, int32_t, __VA_ARGS__) X(u64, uint64_t, __VA_ARGS__) X(s64, int64_t, __VA_ARGS__)
#define FROM_TO(s, S, d, D) INTEGER(convert_##d##_##s, D, S)
#define FROM(d, D, ...) TYPES_AGAIN(FROM_TO, d, D)
TYPES(FROM, )

BW_UNARY(float_of_s32, float, int32_t, a[l])
BW_UNARY(float_of_u32, float, uint32_t, a[l])
BW_UNARY(double_of_float, double, float, a[l])
BW_UNARY(float_of_double, float, double, bw_canonical((float)a[l]))
BW_UNARY(double_of_s32, double, int32_t, a[l])
BW_UNARY(double_of_u32, double, uint32_t, a[l])
BW_UNARY(floor_float, float, float, bw_canonical(floorf(a[l])))
static inline int32_t s32_of(float value)
{
	return value != value ? 0 : value >= 0x1p31f ? INT32_MAX : value < -0x1p31f ? INT32_MIN : (int32_t)value;
}
BW_UNARY(s32_of_float, int32_t, float, s32_of(a[l]))
BW_UNARY(s32_of_floor, int32_t, float, s32_of(floorf(a[l])))

struct often {
	const char *name;
	bw_execute *execute;
};
static const struct often floats[] = {{"cvt.rn.f32.s32", float_of_s32},  {"cvt.rn.f32.u32", float_of_u32},
				      {"cvt.f64.f32", double_of_float},  {"cvt.rn.f32.f64", float_of_double},
				      {"cvt.rn.f64.s32", double_of_s32}, {"cvt.rn.f64.u32", double_of_u32},
				      {"cvt.rmi.f32.f32", floor_float},  {"cvt.rzi.s32.f32", s32_of_float},
				      {"cvt.rmi.s32.f32", s32_of_floor}};

static const struct {
	const char *to, *from;
	bw_execute *execute;
} integers[] = {
#define ROW_FROM(s, S, d, D) {#d, #s, convert_##d##_##s},
#define ROW(d, D, ...) TYPES_AGAIN(ROW_FROM, d, D)
	TYPES(ROW, )};

static bw_execute *find_often(const char *name, const union detail *detail, const char *to, const char *from)
{
	for (size_t k = 0; k < sizeof floats / sizeof *floats; k++)
		if (!strcmp(floats[k].name, name))
			return floats[k].execute;
	for (size_t k = 0; k < sizeof integers / sizeof *integers && !detail->is.saturate; k++)
		if (!strcmp(integers[k].to, to) && !strcmp(integers[k].from, from))
			return integers[k].execute;
	return convert;
}

/* Returns true if PTX has the conversion. */
static bool is_sound(const union detail *detail)
{
	bool to_float = detail->is.to_kind == 'f', from_float = detail->is.from_kind == 'f';
	int rounding = detail->is.rounding;
	if (from_float && !to_float)
		return rounding >= ROUND_INTEGER_EVEN;
	if (!to_float)
		return rounding == ROUND_NONE;
	if (!from_float || detail->is.to_bytes < detail->is.from_bytes)
		return rounding >= ROUND_EVEN && rounding <= (detail->is.to_bytes == 2 ? ROUND_EVEN : ROUND_UP);
	return rounding == ROUND_NONE ||
	       (rounding >= ROUND_INTEGER_EVEN && detail->is.to_bytes == detail->is.from_bytes);
}

bool bw_opcode_convert(const char *name, struct bw_opcode *opcode)
{
	char copy[64], *part[7];
	int n = bw_opcode_split(name, copy, sizeof copy, part, 7), k = 1;
	if (n < 3 || strcmp(part[0], "cvt"))
		return false;
	union detail detail = {.packed = 0};
	for (size_t r = 1; r < sizeof roundings / sizeof *roundings; r++)
		if (!detail.is.rounding && !strcmp(part[1], roundings[r]))
			detail.is.rounding = (uint8_t)r;
	k += detail.is.rounding != 0;
	detail.is.ftz = k < n && !strcmp(part[k], "ftz");
	k += detail.is.ftz;
	detail.is.saturate = k < n && !strcmp(part[k], "sat");
	k += detail.is.saturate;
	const struct bw_type *to = k == n - 2 ? bw_type_find(part[k]) : NULL,
			     *from = to ? bw_type_find(part[k + 1]) : NULL;
	if (!from || !strchr("usf", to->kind) || !strchr("usf", from->kind))
		return false;
	detail.is.to_kind = to->kind;
	detail.is.from_kind = from->kind;
	detail.is.to_bytes = to->bytes;
	detail.is.from_bytes = from->bytes;
	if (!is_sound(&detail))
		return false;
	*opcode = (struct bw_opcode){.execute = find_often(name, &detail, part[k], part[k + 1]),
				     .operands = "W=w",
				     .bytes = to->bytes,
				     .from_bytes = from->bytes,
				     .detail = detail.packed};
	return true;
}
