/* cp.async: copies from global to shared memory. They are performed only when the program waits for
 * them, so that a premature read finds the old contents. */
#include <stdlib.h>

#include "emulator/memory.h"
#include "emulator/launch.h"
#include "emulator/opcode.h"
#include "emulator/warp.h"

enum { NO_GROUP = UINT32_MAX };

/* A lane's pending copy: `take` bytes, followed by zeros. */
struct bw_copy {
	const struct bw_ptx_instruction *instruction;
	unsigned char *to;
	const unsigned char *from;
	unsigned bytes, take;
	int lane;
	uint32_t group; /* the lane's group, by order of commit; NO_GROUP: uncommitted */
};

/* Keeps the source's addresses for the instruction that follows. */
bool bw_async_source(BW_ARGUMENTS)
{
	const unsigned char *addresses = bw_from(instruction, warp, 0);
	bool narrow = instruction->from[0].bytes == 4;
	BW_EACH_LANE(mask, warp->sources[l] = (narrow ? ((const uint32_t *)addresses)[l]
						      : ((const uint64_t *)addresses)[l]) +
					      (uint64_t)instruction->offset)
	return true;
}

static bool begin_lane(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, int lane,
		       unsigned char *places[2])
{
	const unsigned char *addresses = bw_from(instruction, warp, 0);
	uint64_t to = instruction->from[0].bytes == 4 ? ((const uint32_t *)addresses)[lane]
						      : ((const uint64_t *)addresses)[lane],
		 from = warp->sources[lane];
	unsigned bytes = instruction->bytes, take = bytes;
	if (instruction->n_from > 1)
		take = ((const uint32_t *)bw_from(instruction, warp, 1))[lane];
	take = take < bytes ? take : bytes;
	unsigned char *last;
	to += (uint64_t)instruction->offset;
	if (to >= BW_SHARED_WINDOW && to < BW_LOCAL_WINDOW)
		to -= BW_SHARED_WINDOW;
	if (!bw_access_place(warp, instruction, lane, BW_SPACE_SHARED, to, bytes, true, &places[1]))
		return false;
	places[0] = NULL;
	if (take &&
	    (!bw_access_place(warp, instruction, lane, BW_SPACE_GLOBAL, from + take - 1, 1, false, &last) ||
	     !bw_access_place(warp, instruction, lane, BW_SPACE_GLOBAL, from, take == bytes ? bytes : 1,
			      false, &places[0])))
		return false;
	if (warp->n_copies == warp->most_copies) {
		size_t most = warp->most_copies ? 2 * warp->most_copies : BW_LANES;
		struct bw_copy *copies = realloc(warp->copies, most * sizeof *copies);
		if (!copies)
			return bw_warp_fail(warp, instruction, lane, BW_CODE_OUT_OF_MEMORY,
					    "no memory is left for its copies");
		warp->copies = copies;
		warp->most_copies = most;
	}
	warp->copies[warp->n_copies++] = (struct bw_copy){.instruction = instruction,
							  .to = places[1],
							  .from = places[0],
							  .bytes = bytes,
							  .take = take,
							  .lane = lane,
							  .group = NO_GROUP};
	return true;
}

static bool begin_copies(BW_ARGUMENTS)
{
	unsigned char *from[BW_LANES], *to[BW_LANES];
	uint32_t reads = 0;
	for (uint32_t left = mask; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		unsigned char *places[2];
		if (!begin_lane(instruction, warp, l, places))
			return false;
		from[l] = places[0];
		to[l] = places[1];
		reads |= (uint32_t)(places[0] != NULL) << l;
	}
	if (warp->block->counts && reads)
		bw_count_access(warp->block->counts, instruction, warp, reads, instruction->bytes, false,
				from);
	if (warp->block->counts)
		bw_count_access(warp->block->counts, instruction, warp, mask, instruction->bytes, true, to);
	return true;
}

static bool end_group(BW_ARGUMENTS)
{
	(void)instruction;
	for (size_t k = 0; k < warp->n_copies; k++) {
		struct bw_copy *copy = &warp->copies[k];
		if (mask >> copy->lane & 1 && copy->group == NO_GROUP)
			copy->group = warp->n_groups[copy->lane];
	}
	BW_EACH_LANE(mask, warp->n_groups[l]++)
	return true;
}

static bool make_copy(struct bw_warp *warp, const struct bw_copy *copy)
{
	if (warp->doubts && !bw_check_copy(copy->instruction, warp, copy->lane, copy->to, copy->from,
					   copy->take, copy->bytes))
		return false;
	if (copy->take)
		memcpy(copy->to, copy->from, copy->take);
	memset(copy->to + copy->take, 0, copy->bytes - copy->take);
	return true;
}

/* Makes the copies of each lane's groups but the last `left` ones; NO_GROUP: all copies. */
static bool wait_for(BW_ARGUMENTS, uint32_t left)
{
	(void)instruction;
	size_t kept = 0;
	for (size_t k = 0; k < warp->n_copies; k++) {
		struct bw_copy *copy = &warp->copies[k];
		bool done = mask >> copy->lane & 1 &&
			    (left == NO_GROUP || (copy->group != NO_GROUP &&
						  copy->group + (uint64_t)left < warp->n_groups[copy->lane]));
		if (!done)
			warp->copies[kept++] = *copy;
		else if (!make_copy(warp, copy))
			return false;
	}
	warp->n_copies = kept;
	return true;
}

static bool wait_group(BW_ARGUMENTS)
{
	return wait_for(instruction, warp, mask,
			((const uint32_t *)bw_from(instruction, warp, 0))[__builtin_ctz(mask)]);
}

static bool wait_all(BW_ARGUMENTS)
{
	return wait_for(instruction, warp, mask, NO_GROUP);
}

bool bw_opcode_async(const char *name, struct bw_opcode *opcode)
{
	char copy[80], *part[8];
	int n = bw_opcode_split(name, copy, sizeof copy, part, 8);
	if (n < 3 || strcmp(part[0], "cp") || strcmp(part[1], "async"))
		return false;
	*opcode = (struct bw_opcode){.operands = "="};
	if (n == 3 && !strcmp(part[2], "commit_group"))
		opcode->execute = end_group;
	else if (n == 3 && !strcmp(part[2], "wait_all"))
		opcode->execute = wait_all;
	else if (n == 3 && !strcmp(part[2], "wait_group"))
		*opcode = (struct bw_opcode){.execute = wait_group, .operands = "=4"};
	else if (n >= 5 && (!strcmp(part[2], "ca") || !strcmp(part[2], "cg")) &&
		 bw_space_find(part[3]) == BW_SPACE_SHARED && !strcmp(part[4], "global") &&
		 (n == 5 || (n == 6 && !strncmp(part[5], "L2::", 4))))
		*opcode = (struct bw_opcode){.execute = begin_copies, .operands = "=ABSo"};
	return opcode->execute != NULL;
}
