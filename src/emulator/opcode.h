/* The function of each opcode: tables with one row per full name, and families whose names are composed
 * of parts (setp, cvt, ld, st, atom). */
#pragma once
#include "emulator/ptx.h"

/* An opcode. `operands` has one letter per operand, in the order of the text, and '=' after the
 * destinations. 2, 4, 8: a register of 2, 4 or 8 bytes, or (sources) a number. P: a predicate. Q: an
 * optional second predicate after '|'. N: a predicate, inverted if '!' precedes it. A: an address in
 * brackets. B: a second address in brackets. V: `vector` registers of at least `bytes` bytes. W: a register
 * of at least `bytes` bytes. w: a register of at least `from_bytes` bytes. S: the number of bytes that are
 * copied. o: like 4, but optional. */
struct bw_opcode {
	bw_execute *execute;
	const char *operands;
	uint8_t action, space, bytes, from_bytes, vector, order;
	int64_t detail; /* details of conversions and shuffles, which become the instruction's offset */
	bool is_signed;
};

/* A row of a table of opcodes. */
struct bw_opcode_row {
	const char *name, *operands;
	bw_execute *execute;
};
extern const struct bw_opcode_row bw_integer_rows[], bw_float_rows[], bw_half_rows[], bw_carry_rows[],
    bw_warp_rows[]; /* end with a NULL name */

/* Looks up an opcode by its full name, such as add.s32. Returns false if it is unknown. */
bool bw_opcode_find(const char *name, struct bw_opcode *opcode);
/* Look up an opcode of one family each; return false if the name is not in it. */
bool bw_opcode_compare(const char *name, struct bw_opcode *opcode);
bool bw_opcode_convert(const char *name, struct bw_opcode *opcode);
bool bw_opcode_memory(const char *name, struct bw_opcode *opcode);
bool bw_opcode_atomic(const char *name, struct bw_opcode *opcode);
bool bw_opcode_barrier(const char *name, struct bw_opcode *opcode);
bool bw_opcode_async(const char *name, struct bw_opcode *opcode);
bool bw_opcode_mbarrier(const char *name, struct bw_opcode *opcode);
/* Keeps the source addresses of a copy (cp.async) for the next instruction, which starts the copy. */
bw_execute bw_async_source;
/* Moves between a register and a vector of smaller registers. The lowest bits belong to the vector's first
 * register. */
bw_execute bw_pack, bw_unpack;

/* Splits `name` at its dots into at most `most` parts in `copy`. Returns their number, or 0 if there
 * are more. */
int bw_opcode_split(const char *name, char *copy, size_t size, char *part[], int most);

/* A type suffix of PTX. */
struct bw_type {
	const char *name;
	char kind; /* u s b f p */
	uint8_t bytes;
};
/* Returns the type, or NULL if `name` (without its dot) is none. */
const struct bw_type *bw_type_find(const char *name);
