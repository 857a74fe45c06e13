/* Barriers for all warps of a block, or for a number of threads that the instruction gives. With such a
 * number, some threads may arrive without waiting. A barrier can also return a sum or a vote over its
 * threads. */

#include "emulator/launch.h"
#include "emulator/opcode.h"
#include "emulator/warp.h"

/* The operation of a barrier instruction, encoded in its offset. */
enum { SYNC, ARRIVE, COUNT, AND, OR };

static const struct {
	const char *name, *operands;
	int does;
} forms[] = {{"sync", "=4o", SYNC},
	     {"arrive", "=44", ARRIVE},
	     {"red.popc.u32", "4=4oN", COUNT},
	     {"red.and.pred", "P=4oN", AND},
	     {"red.or.pred", "P=4oN", OR}};

bool bw_opcode_barrier(const char *name, struct bw_opcode *opcode)
{
	static const char *const begins[] = {"bar.", "barrier.", "barrier.cta.", "bar.cta."};
	char text[64];
	for (size_t b = 0; b < sizeof begins / sizeof *begins; b++)
		for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
			for (int aligned = 0; aligned < 2; aligned++) {
				/* bar.red.popc.u32, but barrier.cta.red.popc.aligned.u32 */
				const char *type =
				    strchr(forms[f].name, '.') ? strrchr(forms[f].name, '.') : "";
				snprintf(text, sizeof text, "%s%.*s%s%s", begins[b],
					 (int)(strlen(forms[f].name) - strlen(type)), forms[f].name,
					 aligned ? ".aligned" : "", type);
				if (strcmp(text, name))
					continue;
				*opcode = (struct bw_opcode){.action = BW_ACTION_BARRIER,
							     .operands = forms[f].operands,
							     .detail = forms[f].does};
				return true;
			}
	return false;
}

/* Gives the warps that wait at the barrier its result, and resumes them. */
static void complete(struct bw_block *block, int number)
{
	struct bw_barrier *barrier = &block->barriers[number];
	for (int w = 0; w < block->n_warps; w++) {
		struct bw_warp *warp = &block->warps[w];
		if (warp->state != BW_WARP_WAITING || warp->barrier != number)
			continue;
		const struct bw_ptx_instruction *instruction = &block->kernel->code[warp->waits_at];
		uint32_t *to = instruction->n_to ? bw_to(instruction, warp, 0) : NULL;
		if (to && instruction->offset == COUNT)
			BW_EACH_LANE(warp->live, to[l] = barrier->count)
		else if (to)
			*to = (*to & ~warp->live) |
			      ((instruction->offset == AND ? barrier->all : barrier->any) ? warp->live : 0);
		if (warp->barrier_threads && block->launch->checks)
			bw_order_read(warp, barrier);
		warp->state = BW_WARP_READY;
	}
	*barrier = (struct bw_barrier){.all = true};
}

/* Adds the warp to the arrivals at the barrier. */
static void arrive(struct bw_warp *warp, const struct bw_ptx_instruction *instruction,
		   struct bw_barrier *barrier)
{
	if (!barrier->threads)
		barrier->all = true;
	barrier->threads += BW_LANES;
	if (instruction->n_to) {
		const uint32_t *holds = bw_from(instruction, warp, instruction->n_from - 1);
		uint32_t lanes = *holds & warp->live;
		barrier->count += (unsigned)__builtin_popcount(lanes);
		barrier->all &= lanes == warp->live;
		barrier->any |= lanes != 0;
	}
}

bool bw_barrier_reach(struct bw_warp *warp, const struct bw_ptx_instruction *instruction, int at,
		      uint32_t lanes)
{
	struct bw_block *block = warp->block;
	uint32_t missing = warp->live & ~lanes;
	int first = __builtin_ctz(lanes), sizes = instruction->n_from - (instruction->n_to > 0);
	if (missing)
		return bw_warp_fail(warp, instruction, first, BW_CODE_LAUNCH_FAILED,
				    "a barrier that a part of the warp misses: lane %d is not there",
				    __builtin_ctz(missing));
	uint32_t number = sizes > 0 ? ((const uint32_t *)bw_from(instruction, warp, 0))[first] : 0,
		 threads = sizes > 1 ? ((const uint32_t *)bw_from(instruction, warp, 1))[first] : 0;
	if (number >= BW_BARRIERS || threads % BW_LANES || (sizes > 1 && !threads))
		return bw_warp_fail(
		    warp, instruction, -1, BW_CODE_ILLEGAL_INSTRUCTION,
		    "barrier %u of %u threads: there are %d barriers, of multiples of %d threads", number,
		    threads, BW_BARRIERS, BW_LANES);
	struct bw_barrier *barrier = &block->barriers[number];
	arrive(warp, instruction, barrier);
	if (threads && block->launch->checks)
		bw_order_write(warp, barrier, BW_ORDER_RELEASE | BW_ORDER_BLOCK);
	warp->paths[warp->n_paths - 1].at = at + 1;
	if (instruction->offset != ARRIVE) {
		warp->barrier = (int)number;
		warp->barrier_threads = threads;
		warp->waits_at = at;
		warp->state = BW_WARP_WAITING;
	}
	if (threads && barrier->threads >= threads)
		complete(block, (int)number);
	return true;
}

bool bw_barrier_release(struct bw_block *block)
{
	struct bw_warp *first = NULL;
	for (int w = 0; w < block->n_warps; w++) {
		struct bw_warp *warp = &block->warps[w];
		if (warp->state == BW_WARP_READY)
			return true;
		if (warp->state != BW_WARP_WAITING)
			continue;
		if (warp->barrier_threads)
			return bw_warp_fail(
			    warp, &block->kernel->code[warp->waits_at], -1, BW_CODE_LAUNCH_FAILED,
			    "it waits at barrier %d for %u threads, and %u have come: nobody goes on",
			    warp->barrier, warp->barrier_threads, block->barriers[warp->barrier].threads);
		if (first && warp->barrier != first->barrier)
			return bw_warp_fail(
			    warp, &block->kernel->code[warp->waits_at], -1, BW_CODE_LAUNCH_FAILED,
			    "it waits at barrier %d, and warp %d at barrier %d: nobody goes on",
			    warp->barrier, first->index, first->barrier);
		first = first ? first : warp;
	}
	if (block->launch->checks)
		bw_check_barrier(block->launch->checks);
	if (block->counts)
		bw_latency_meet(block);
	if (first)
		complete(block, first->barrier);
	return true;
}
