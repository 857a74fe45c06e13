#include "emulator/opcode.h"

#include <string.h>

/* Instructions that the interpreter loop itself executes. */
static const struct {
	const char *name, *operands;
	enum bw_action action;
} controls[] = {{"bra", "L", BW_ACTION_BRANCH},
		{"bra.uni", "L", BW_ACTION_BRANCH},
		{"ret", "", BW_ACTION_EXIT},
		{"ret.uni", "", BW_ACTION_EXIT},
		{"exit", "", BW_ACTION_EXIT},
		{"trap", "", BW_ACTION_TRAP},
		{"call", "", BW_ACTION_CALL},
		{"call.uni", "", BW_ACTION_CALL},
		{"brx.idx", "", BW_ACTION_SWITCH},
		{"brx.idx.uni", "", BW_ACTION_SWITCH}};

bool bw_opcode_find(const char *name, struct bw_opcode *opcode)
{
	static const struct bw_opcode_row *const tables[] = {bw_integer_rows, bw_float_rows, bw_half_rows,
							     bw_carry_rows, bw_warp_rows};
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
	       bw_opcode_memory(name, opcode) || bw_opcode_atomic(name, opcode) ||
	       bw_opcode_barrier(name, opcode) || bw_opcode_async(name, opcode) ||
	       bw_opcode_mbarrier(name, opcode);
}
