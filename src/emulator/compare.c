/* setp, set and testp: comparisons that give predicates, or numbers. */

#include "emulator/number.h"
#include "emulator/opcode.h"
#include "emulator/warp.h"

/* Writes a comparison's lanes to its predicate, and the complement to the second predicate if there is
 * one. For set, writes the number in the instruction's offset where the comparison holds, else 0.
 * `combine` joins both with the third source, if any. */
static bool put(BW_ARGUMENTS, uint32_t value)
{
	uint32_t opposite = ~value, *d = bw_to(instruction, warp, 0);
	if (instruction->n_from > 2) {
		uint32_t other = *(const uint32_t *)bw_from(instruction, warp, 2);
		value = instruction->bytes == 'a'   ? value & other
			: instruction->bytes == 'o' ? value | other
						    : value ^ other;
		opposite = instruction->bytes == 'a'   ? opposite & other
			   : instruction->bytes == 'o' ? opposite | other
						       : opposite ^ other;
	}
	if (instruction->to[0].bytes == 2) {
		BW_EACH_LANE(mask, ((uint16_t *)d)[l] = (uint16_t)(value >> l & 1 ? instruction->offset : 0))
		return true;
	}
	if (instruction->to[0].bytes) {
		BW_EACH_LANE(mask, d[l] = (uint32_t)(value >> l & 1 ? instruction->offset : 0))
		return true;
	}
	*d = (*d & ~mask) | (value & mask);
	if (instruction->n_to > 1) {
		d = bw_to(instruction, warp, 1);
		*d = (*d & ~mask) | (opposite & mask);
	}
	return true;
}

#define COMPARE(name, T, ...) \
	static bool name(BW_ARGUMENTS) \
	{ \
		const T *a = bw_from(instruction, warp, 0), *b = bw_from(instruction, warp, 1); \
		uint32_t value = 0; \
		for (int l = 0; l < BW_LANES; l++) \
			value |= (uint32_t)(__VA_ARGS__) << l; \
		return put(instruction, warp, mask, value); \
	}
#define INTEGER(n, T) \
	COMPARE(eq_##n, T, a[l] == b[l]) COMPARE(ne_##n, T, a[l] != b[l]) COMPARE(lt_##n, T, a[l] < b[l]) \
	COMPARE(le_##n, T, a[l] <= b[l]) COMPARE(gt_##n, T, a[l] > b[l]) COMPARE(ge_##n, T, a[l] >= b[l])
INTEGER(u16, uint16_t)
INTEGER(s16, int16_t)
INTEGER(u32, uint32_t)
INTEGER(s32, int32_t)
INTEGER(u64, uint64_t)
INTEGER(s64, int64_t)
#define FLOAT(n, T, F) \
	COMPARE(eq_##n, T, F(a[l]) == F(b[l])) \
	COMPARE(ne_##n, T, F(a[l]) < F(b[l]) || F(a[l]) > F(b[l])) COMPARE(lt_##n, T, F(a[l]) < F(b[l])) \
	    COMPARE(le_##n, T, F(a[l]) <= F(b[l])) COMPARE(gt_##n, T, F(a[l]) > F(b[l])) \
		COMPARE(ge_##n, T, F(a[l]) >= F(b[l])) \
		    COMPARE(equ_##n, T, !(F(a[l]) < F(b[l]) || F(a[l]) > F(b[l]))) \
			COMPARE(neu_##n, T, F(a[l]) != F(b[l])) COMPARE(ltu_##n, T, !(F(a[l]) >= F(b[l]))) \
			    COMPARE(leu_##n, T, !(F(a[l]) > F(b[l]))) \
				COMPARE(gtu_##n, T, !(F(a[l]) <= F(b[l]))) \
				    COMPARE(geu_##n, T, !(F(a[l]) < F(b[l]))) \
					COMPARE(num_##n, T, F(a[l]) == F(a[l]) && F(b[l]) == F(b[l])) \
					    COMPARE(nan_##n, T, F(a[l]) != F(a[l]) || F(b[l]) != F(b[l]))
#define SAME(x) (x)
FLOAT(f32, float, SAME)
FLOAT(ftz, float, bw_flush)
FLOAT(f64, double, SAME)
FLOAT(f16, uint16_t, bw_float_of_half)

struct comparison {
	const char *name;
	bw_execute *execute[10]; /* by the index below; NULL: there is none */
};
enum { U16, S16, U32, S32, U64, S64, F32, FTZ, F64, F16 };
#define BOTH(c) \
	{ \
#c, \
		{ \
			c##_u16, c##_s16, c##_u32, c##_s32, c##_u64, c##_s64, c##_f32, c##_ftz, c##_f64, \
			    c##_f16 \
		} \
	}
#define UNORDERED(c) {#c, {NULL, NULL, NULL, NULL, NULL, NULL, c##_f32, c##_ftz, c##_f64, c##_f16}}
static const struct comparison comparisons[] = {BOTH(eq),
						BOTH(ne),
						BOTH(lt),
						BOTH(le),
						BOTH(gt),
						BOTH(ge),
						UNORDERED(equ),
						UNORDERED(neu),
						UNORDERED(ltu),
						UNORDERED(leu),
						UNORDERED(gtu),
						UNORDERED(geu),
						UNORDERED(num),
						UNORDERED(nan),
						{"lo", {lt_u16, NULL, lt_u32, NULL, lt_u64}},
						{"ls", {le_u16, NULL, le_u32, NULL, le_u64}},
						{"hi", {gt_u16, NULL, gt_u32, NULL, gt_u64}},
						{"hs", {ge_u16, NULL, ge_u32, NULL, ge_u64}}};

static int index_of(const struct bw_type *type, bool ftz)
{
	bool is_signed = type->kind == 's';
	if (type->kind == 'f')
		return type->bytes == 2 ? F16 : type->bytes == 8 ? F64 : ftz ? FTZ : F32;
	return type->bytes == 2   ? U16 + is_signed
	       : type->bytes == 4 ? U32 + is_signed
	       : type->bytes == 8 ? U64 + is_signed
				  : -1;
}

/* Returns true if a float is of the class, by its bits below the sign; infinity: the bits of an
 * infinite one. */
static bool is_of_class(char class, uint64_t bits, uint64_t infinity, uint64_t least_normal)
{
	switch (class) {
	case 'f':
		return bits < infinity;
	case 'i':
		return bits == infinity;
	case 'n':
		return bits <= infinity;
	case 'N':
		return bits > infinity;
	case 'o':
		return bits >= least_normal && bits < infinity;
	default:
		return bits < least_normal && bits;
	}
}

static bool test_float(BW_ARGUMENTS)
{
	const unsigned char *a = bw_from(instruction, warp, 0);
	uint32_t value = 0;
	for (int l = 0; l < BW_LANES; l++) {
		bool holds = instruction->from[0].bytes == 4
				 ? is_of_class((char)instruction->bytes, ((const uint32_t *)a)[l] & 0x7fffffff,
					       0x7f800000, 0x00800000)
				 : is_of_class((char)instruction->bytes, ((const uint64_t *)a)[l] << 1 >> 1,
					       UINT64_C(0x7ff) << 52, UINT64_C(1) << 52);
		value |= (uint32_t)holds << l;
	}
	return put(instruction, warp, mask, value);
}

static bool find_test(int n, char *part[], struct bw_opcode *opcode)
{
	static const struct {
		const char *name;
		char class;
	} tests[] = {{"finite", 'f'},	{"infinite", 'i'}, {"number", 'n'}, {"notanumber", 'N'},
		     {"normal", 'o'}, {"subnormal", 's'}};
	const struct bw_type *type = n == 3 ? bw_type_find(part[2]) : NULL;
	for (size_t k = 0; k < sizeof tests / sizeof *tests; k++)
		if (type && type->kind == 'f' && type->bytes > 2 && !strcmp(tests[k].name, part[1])) {
			*opcode = (struct bw_opcode){.execute = test_float,
						     .operands = type->bytes == 4 ? "P=4" : "P=8",
						     .bytes = (uint8_t)tests[k].class};
			return true;
		}
	return false;
}

/* Returns the operands of setp for types of `bytes` bytes, or of set if it gives 2 or 4 bytes. */
static const char *operands_of(int bytes, bool combines, int gives)
{
	static const char *const operands[3][2][3] = {{{"PQ=22", "PQ=44", "PQ=88"}, {"PQ=22N", "PQ=44N", "PQ=88N"}},
						      {{"2=22", "2=44", "2=88"}, {"2=22N", "2=44N", "2=88N"}},
						      {{"4=22", "4=44", "4=88"}, {"4=22N", "4=44N", "4=88N"}}};
	return operands[gives / 2][combines][bytes == 2 ? 0 : bytes == 4 ? 1 : 2];
}

bool bw_opcode_compare(const char *name, struct bw_opcode *opcode)
{
	char copy[64], *part[7];
	int n = bw_opcode_split(name, copy, sizeof copy, part, 7), k = 2;
	if (n >= 2 && !strcmp(part[0], "testp"))
		return find_test(n, part, opcode);
	bool gives = n >= 4 && !strcmp(part[0], "set");
	if (n < 3 || (!gives && strcmp(part[0], "setp")))
		return false;
	uint8_t combine = 0;
	if (!strcmp(part[k], "and") || !strcmp(part[k], "or") || !strcmp(part[k], "xor"))
		combine = (uint8_t)*part[k++];
	bool ftz = k < n && !strcmp(part[k], "ftz");
	k += ftz;
	const struct bw_type *given = gives && k < n ? bw_type_find(part[k++]) : NULL,
			     *type = k == n - 1 ? bw_type_find(part[k]) : NULL;
	int index = type && type->kind != 'p' ? index_of(type, ftz) : -1;
	if (index < 0 || (ftz && type->kind != 'f'))
		return false;
	if (gives && (!given || !((given->bytes == 4 && given->kind != 'b') || (given->bytes == 2 && index == F16))))
		return false;
	for (size_t c = 0; c < sizeof comparisons / sizeof *comparisons; c++) {
		if (strcmp(comparisons[c].name, part[1]) || !comparisons[c].execute[index])
			continue;
		*opcode = (struct bw_opcode){
		    .execute = comparisons[c].execute[index],
		    .operands = operands_of(type->bytes, combine != 0, given ? given->bytes : 0),
		    .bytes = combine};
		if (given) /* the value of true: 1 as a float, all ones as an integer */
			opcode->detail = given->kind != 'f' ? UINT32_MAX : given->bytes == 2 ? 0x3c00 : 0x3f800000;
		return true;
	}
	return false;
}
