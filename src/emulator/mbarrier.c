/* mbarrier: barriers that are objects in shared memory. A thread arrives, and tests later whether all
 * threads have arrived. The object counts completed phases. The layout of its 64 bits is the emulator's
 * own: arrivals that are missing in this phase, arrivals per phase, and the number of the phase. */

#include "emulator/memory.h"
#include "emulator/launch.h"
#include "emulator/opcode.h"
#include "emulator/warp.h"

enum { INIT, INVALIDATE, ARRIVE, DROP, TEST, TEST_PARITY, COUNT_BITS = 20, MOST = (1 << COUNT_BITS) - 1 };

struct object {
	uint64_t pending : COUNT_BITS, expected : COUNT_BITS, phase : 64 - 2 * COUNT_BITS;
};
_Static_assert(sizeof(struct object) == 8, "PTX says so");

static bool arrive(struct object *object, uint32_t count, bool drops)
{
	if (count > object->pending)
		return false;
	object->pending -= count;
	object->expected -= drops ? count : 0;
	if (!object->pending) {
		object->pending = object->expected;
		object->phase++;
	}
	return true;
}

/* Returns operand k of a lane; `otherwise` if the instruction has no operand k. */
static uint64_t operand_of(const struct bw_ptx_instruction *instruction, const struct bw_warp *warp, int k,
			   int l, uint64_t otherwise)
{
	if (k >= instruction->n_from)
		return otherwise;
	const void *lanes = bw_from(instruction, warp, k);
	return instruction->from[k].bytes == 8 ? ((const uint64_t *)lanes)[l] : ((const uint32_t *)lanes)[l];
}

static bool run_lane(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, int l,
		     unsigned char *place)
{
	struct object *object = (struct object *)place, before = *object;
	int does = instruction->bytes;
	bool checks = warp->block->launch->checks, passed = false;
	switch (does) {
	case INIT:
		*object =
		    (struct object){.pending = (uint32_t)operand_of(instruction, warp, 1, l, 0) & MOST,
				    .expected = (uint32_t)operand_of(instruction, warp, 1, l, 0) & MOST};
		return true;
	case INVALIDATE:
		memset(object, 0xa5, sizeof *object);
		return true;
	case ARRIVE:
	case DROP:
		if (checks)
			bw_order_write(warp, place, BW_ORDER_RELEASE | BW_ORDER_BLOCK);
		if (instruction->n_to)
			memcpy((uint64_t *)bw_to(instruction, warp, 0) + l, &before, sizeof before);
		return arrive(object, (uint32_t)operand_of(instruction, warp, 1, l, 1), does == DROP) ||
		       bw_warp_fail(warp, instruction, l, BW_CODE_ILLEGAL_INSTRUCTION,
				    "more threads arrive than the object waits for");
	case TEST_PARITY: /* the parity of the last completed phase */
		passed = (object->phase & 1) != (operand_of(instruction, warp, 1, l, 0) & 1);
		break;
	default: {
		uint64_t state = operand_of(instruction, warp, 1, l, 0);
		memcpy(&before, &state, sizeof before);
		passed = before.phase != object->phase;
	}
	}
	if (passed && checks)
		bw_order_read(warp, place);
	uint32_t *to = bw_to(instruction, warp, 0);
	*to = (*to & ~(1u << l)) | (uint32_t)passed << l;
	return true;
}

static bool run_object(BW_ARGUMENTS)
{
	unsigned char *places[BW_LANES];
	if (!bw_access_places(instruction, warp, mask, sizeof(struct object), true, places))
		return false;
	for (uint32_t left = mask; left; left &= left - 1)
		if (!run_lane(instruction, warp, __builtin_ctz(left), places[__builtin_ctz(left)]))
			return false;
	return true;
}

static const struct {
	const char *name, *operands;
	int does;
} forms[] = {{"init", "=A4", INIT},
	     {"inval", "=A", INVALIDATE},
	     {"arrive", "8=Ao", ARRIVE},
	     {"arrive.noComplete", "8=A4", ARRIVE},
	     {"arrive_drop", "8=Ao", DROP},
	     {"test_wait", "P=A8", TEST},
	     {"try_wait", "P=A8o", TEST},
	     {"test_wait.parity", "P=A4", TEST_PARITY},
	     {"try_wait.parity", "P=A4o", TEST_PARITY}};

/* Looks up an opcode by its name without the words for memory ordering and state space. */
bool bw_opcode_mbarrier(const char *name, struct bw_opcode *opcode)
{
	char copy[96], *part[10], plain[96] = "";
	int n = bw_opcode_split(name, copy, sizeof copy, part, 10), space = BW_SPACE_GENERIC;
	unsigned order = 0;
	if (n < 3 || strcmp(part[0], "mbarrier") || strcmp(part[n - 1], "b64"))
		return false;
	for (int k = 1; k < n - 1; k++) {
		if (bw_space_find(part[k]) == BW_SPACE_SHARED)
			space = BW_SPACE_SHARED;
		else if (!bw_order_read_word(part[k], &order))
			snprintf(plain + strlen(plain), sizeof plain - strlen(plain), "%s%s",
				 *plain ? "." : "", part[k]);
	}
	for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
		if (!strcmp(forms[k].name, plain)) {
			*opcode = (struct bw_opcode){.execute = run_object,
						     .operands = forms[k].operands,
						     .space = (uint8_t)space,
						     .bytes = (uint8_t)forms[k].does};
			return true;
		}
	return false;
}
