#include "emulator/opcode.h"

#include <string.h>

int bw_opcode_split(const char *name, char *copy, size_t size, char *part[], int most)
{
	size_t length = strlen(name);
	int n = 0;
	if (length >= size)
		return 0;
	memcpy(copy, name, length + 1);
	for (char *at = copy; at; n++) {
		if (n == most)
			return 0;
		part[n] = at;
		at = strchr(at, '.');
		if (at)
			*at++ = 0;
	}
	return n;
}

const struct bw_type *bw_type_find(const char *name)
{
	static const struct bw_type types[] = {
	    {"u8", 'u', 1},  {"u16", 'u', 2}, {"u32", 'u', 4}, {"u64", 'u', 8},
	    {"s8", 's', 1},  {"s16", 's', 2}, {"s32", 's', 4}, {"s64", 's', 8},
	    {"b8", 'b', 1},  {"b16", 'b', 2}, {"b32", 'b', 4}, {"b64", 'b', 8},
	    {"f16", 'f', 2}, {"f32", 'f', 4}, {"f64", 'f', 8}, {"pred", 'p', 0}};
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		if (!strcmp(types[k].name, name))
			return &types[k];
	return NULL;
}

/* What the interpreter itself does. */
static const struct {
	const char *name, *operands;
	enum bw_action action;
} controls[] = {{"bra", "L", BW_ACTION_BRANCH},
		{"bra.uni", "L", BW_ACTION_BRANCH},
		{"ret", "", BW_ACTION_EXIT},
		{"ret.uni", "", BW_ACTION_EXIT},
		{"exit", "", BW_ACTION_EXIT},
		{"trap", "", BW_ACTION_TRAP},
		{"bar.sync", "=44", BW_ACTION_BARRIER},
		{"barrier.sync", "=44", BW_ACTION_BARRIER},
		{"barrier.sync.aligned", "=44", BW_ACTION_BARRIER},
		{"barrier.cta.sync.aligned", "=44", BW_ACTION_BARRIER}};

bool bw_opcode_find(const char *name, struct bw_opcode *opcode)
{
	static const struct bw_opcode_row *const tables[] = {bw_integer_rows, bw_float_rows, bw_double_rows,
							     bw_half_rows,    bw_carry_rows, bw_warp_rows};
	for (size_t k = 0; k < sizeof controls / sizeof *controls; k++) {
		if (strcmp(controls[k].name, name))
			continue;
		*opcode = (struct bw_opcode){.operands = controls[k].operands, .action = controls[k].action};
		return true;
	}
	for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
		for (const struct bw_opcode_row *row = tables[k]; row->name; row++)
			if (!strcmp(row->name, name)) {
				*opcode = (struct bw_opcode){.execute = row->execute, .operands = row->operands};
				return true;
			}
	return bw_opcode_compare(name, opcode) || bw_opcode_convert(name, opcode) ||
	       bw_opcode_memory(name, opcode) || bw_opcode_atomic(name, opcode);
}
