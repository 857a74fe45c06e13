/* atom and red. The lanes run one after another. Each operation is atomic, because several threads of the
 * host run blocks. */

#include "emulator/memory.h"
#include "emulator/check.h"
#include "emulator/number.h"
#include "emulator/opcode.h"
#include "emulator/warp.h"

enum operation { ADD, MIN, MAX, AND, OR, XOR, EXCH, INC, DEC, CAS };
static const char *const operations[] = {"add", "min",  "max", "and", "or",
					 "xor", "exch", "inc", "dec", "cas"};

/* Returns the result of an operation on words of 32 or 64 bits: unsigned, signed or float numbers. */
static uint64_t result_of(enum operation operation, char kind, int bytes, uint64_t old, uint64_t a,
			  uint64_t b)
{
	bool less;
	switch (operation) {
	case ADD:
		if (kind == 'f' && bytes == 4)
			return bw_bits_of_float(bw_canonical(bw_float_of_bits((uint32_t)old) + bw_float_of_bits((uint32_t)a)));
		return kind == 'f' ? bw_bits_of_double(bw_double_of_bits(old) + bw_double_of_bits(a)) : old + a;
	case MIN:
	case MAX:
		less = kind != 's' ? a < old : bytes == 4 ? (int32_t)a < (int32_t)old : (int64_t)a < (int64_t)old;
		return less == (operation == MIN) ? a : old;
	case AND:
		return old & a;
	case OR:
		return old | a;
	case XOR:
		return old ^ a;
	case EXCH:
		return a;
	case INC:
		return old >= a ? 0 : old + 1;
	case DEC:
		return old == 0 || old > a ? a : old - 1;
	default:
		return old == a ? b : old;
	}
}

#define INDIVISIBLE(name, T) \
	static T name(T *place, enum operation operation, char kind, T a, T b) \
	{ \
		T old = __atomic_load_n(place, __ATOMIC_RELAXED), new; \
		do { \
			new = (T)result_of(operation, kind, sizeof(T), old, a, b); \
		} while (!__atomic_compare_exchange_n(place, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
		return old; \
	}
INDIVISIBLE(change_32, uint32_t)
INDIVISIBLE(change_64, uint64_t)

/* instruction->offset is the displacement of the address. instruction->bytes encodes the operation, the
 * kind of the numbers and the size of the word. */
static bool atomic(BW_ARGUMENTS)
{
	unsigned char *places[BW_LANES];
	enum operation operation = instruction->bytes & 15;
	char kind = "usfb"[instruction->bytes >> 4 & 3];
	unsigned bytes = instruction->bytes & 64 ? 8 : 4;
	if (!bw_access_places(instruction, warp, mask, bytes, true, places))
		return false;
	if (warp->block->counts)
		bw_count_access(warp->block->counts, instruction, warp, mask, bytes, true, places);
	if (warp->doubts && !bw_check_atomic(instruction, warp, mask, bytes, places))
		return false;
	const void *a = bw_from(instruction, warp, 1), *b = bw_from(instruction, warp, operation == CAS ? 2 : 1);
	void *d = instruction->n_to ? bw_to(instruction, warp, 0) : NULL;
	for (uint32_t left = mask; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		if (bytes == 4) {
			uint32_t old = change_32((uint32_t *)places[l], operation, kind,
						 ((const uint32_t *)a)[l], ((const uint32_t *)b)[l]);
			if (d)
				((uint32_t *)d)[l] = old;
		} else {
			uint64_t old = change_64((uint64_t *)places[l], operation, kind,
						 ((const uint64_t *)a)[l], ((const uint64_t *)b)[l]);
			if (d)
				((uint64_t *)d)[l] = old;
		}
	}
	return true;
}

/* Returns true if PTX has the operation on the type. */
static bool is_sound(enum operation operation, const struct bw_type *type)
{
	switch (operation) {
	case ADD:
		return type->kind == 'u' || type->kind == 'f' || (type->kind == 's' && type->bytes == 4);
	case MIN:
	case MAX:
		return type->kind == 'u' || type->kind == 's';
	case INC:
	case DEC:
		return type->kind == 'u' && type->bytes == 4;
	default:
		return type->kind == 'b' || (operation == EXCH && type->kind == 'u');
	}
}

bool bw_opcode_atomic(const char *name, struct bw_opcode *opcode)
{
	static const char *const operands[2][2][2] = {{{"=A4", "=A44"}, {"=A8", "=A88"}},
						      {{"4=A4", "4=A44"}, {"8=A8", "8=A88"}}};
	char copy[64], *part[8];
	int n = bw_opcode_split(name, copy, sizeof copy, part, 8), operation = -1, space = BW_SPACE_GENERIC;
	unsigned order = BW_ORDER_STRONG;
	bool returns = n && !strcmp(part[0], "atom");
	const struct bw_type *type = n >= 3 ? bw_type_find(part[n - 1]) : NULL;
	if (!type || (type->bytes != 4 && type->bytes != 8) || type->kind == 'p' ||
	    (!returns && strcmp(part[0], "red")))
		return false;
	for (int k = 1; k < n - 1; k++) {
		int found = -1;
		for (int o = 0; o < (int)(sizeof operations / sizeof *operations); o++)
			if (!strcmp(operations[o], part[k]))
				found = o;
		if (found >= 0 && operation < 0)
			operation = found;
		else if (bw_space_find(part[k]) == BW_SPACE_GLOBAL || bw_space_find(part[k]) == BW_SPACE_SHARED)
			space = bw_space_find(part[k]);
		else if (!bw_order_read_word(part[k], &order))
			return false;
	}
	if (operation < 0 || !is_sound(operation, type) || (!returns && (operation == CAS || operation == EXCH)))
		return false;
	uint8_t kind = type->kind == 'u' ? 0 : type->kind == 's' ? 1 : type->kind == 'f' ? 2 : 3;
	*opcode = (struct bw_opcode){.execute = atomic,
				     .operands = operands[returns][type->bytes == 8][operation == CAS],
				     .space = (uint8_t)space,
				     .order = (uint8_t)order,
				     .bytes = (uint8_t)(operation | kind << 4 | (type->bytes == 8) << 6)};
	return true;
}
