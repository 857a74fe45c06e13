/* The interpreter. The lanes of a warp run in lockstep; diverged paths are on a stack. The warps of a block
 * take turns from barrier to barrier. */
#include "emulator/warp.h"

#include <stdlib.h>

#include "emulator/launch.h"

/* TURN: number of instructions after which another warp has its turn, so that a warp that waits in a loop
 * for another warp does not wait forever. COUNTED_TURN: the same while loads are counted. Short turns let a
 * warp find in the cache what the block's other warps have loaded, as on a device, which issues
 * instructions of all warps in turn. */
enum { TURN = 1 << 16, COUNTED_TURN = 32 };

/* Removes the last path from the stack, and then every last path that has no lanes left. */
static void pop_paths(struct bw_warp *warp)
{
	do
		warp->n_paths--;
	while (warp->n_paths && !(warp->paths[warp->n_paths - 1].lanes &= warp->live));
	if (!warp->n_paths)
		warp->state = BW_WARP_DONE;
}

static bool push_path(struct bw_warp *warp, const struct bw_ptx_instruction *instruction, struct bw_path path)
{
	if (warp->n_paths == warp->most_paths) {
		struct bw_path *paths = realloc(warp->paths, 2 * (size_t)warp->most_paths * sizeof *paths);
		if (!paths)
			return bw_warp_fail(warp, instruction, -1, BW_CODE_LAUNCH_FAILED, "no memory is left for its branches");
		warp->paths = paths;
		warp->most_paths *= 2;
	}
	warp->paths[warp->n_paths++] = path;
	return true;
}

/* Sends the lanes `taken` of the last path to the branch's target; the others continue. Lanes that are
 * already at the reconvergence point wait there. */
static bool branch(struct bw_warp *warp, const struct bw_ptx_instruction *instruction, int at, uint32_t taken)
{
	struct bw_path *top = &warp->paths[warp->n_paths - 1];
	uint32_t others = top->lanes & ~taken;
	int join = instruction->join;
	if (!others || !taken) {
		top->at = taken ? instruction->target : at + 1;
		return true;
	}
	if (join == top->join && warp->n_paths > 1)
		warp->n_paths--; /* the path below waits there already */
	else
		top->at = join;
	struct bw_path path = {.at = at + 1, .join = join, .lanes = others};
	if (at + 1 != join && !push_path(warp, instruction, path))
		return false;
	path = (struct bw_path){.at = instruction->target, .join = join, .lanes = taken};
	return instruction->target == join || push_path(warp, instruction, path);
}

static void leave(struct bw_warp *warp, int at, uint32_t lanes)
{
	struct bw_path *top = &warp->paths[warp->n_paths - 1];
	warp->live &= ~lanes;
	top->lanes &= warp->live;
	top->at = at + 1;
	if (!top->lanes)
		pop_paths(warp);
}

static bool trap(struct bw_warp *warp, const struct bw_ptx_instruction *instruction, uint32_t lanes)
{
	static const struct {
		int code;
		const char *words;
	} traps[] = {[BW_TRAP_NONE] = {BW_CODE_ILLEGAL_INSTRUCTION, "the kernel gives up"},
		     [BW_TRAP_ASSERT] = {BW_CODE_ASSERT, "an assertion fails"},
		     [BW_TRAP_PRINTF] = {BW_CODE_NOT_SUPPORTED, "this emulator does not print: run it without printf"},
		     [BW_TRAP_MALLOC] = {BW_CODE_NOT_SUPPORTED, "this emulator has no heap for kernels"}};
	return bw_warp_fail(warp, instruction, __builtin_ctz(lanes), traps[instruction->offset].code, "%s",
			    traps[instruction->offset].words);
}

/* Executes an instruction that has no function of its own. */
static bool control(struct bw_warp *warp, const struct bw_ptx_instruction *instruction, int at,
		    uint32_t lanes)
{
	switch (instruction->action) {
	case BW_ACTION_BRANCH:
		return branch(warp, instruction, at, lanes);
	case BW_ACTION_EXIT:
		return leave(warp, at, lanes), true;
	case BW_ACTION_BARRIER:
		return bw_barrier_reach(warp, instruction, at, lanes);
	case BW_ACTION_CALL:
		warp->paths[warp->n_paths - 1].at = at + 1;
		return push_path(warp, instruction,
				 (struct bw_path){.at = instruction->target, .join = -1, .lanes = lanes});
	case BW_ACTION_RETURN:
		return pop_paths(warp), true;
	default:
		return trap(warp, instruction, lanes);
	}
}

/* Runs a warp until it waits or ends, or until its turn is over. */
static bool run_warp(struct bw_warp *warp)
{
	const struct bw_ptx_instruction *code = warp->block->kernel->code;
	const int turns = warp->block->counts ? COUNTED_TURN : TURN;
	uint64_t run = 0;
	bool good = true;
	for (int turn = 0; good && turn < turns && warp->state == BW_WARP_READY; turn++) {
		struct bw_path *top = &warp->paths[warp->n_paths - 1];
		int at = top->at;
		if (at == top->join) {
			pop_paths(warp);
			continue;
		}
		const struct bw_ptx_instruction *instruction = &code[at];
		uint32_t lanes = top->lanes;
		if (instruction->guard.bytes == 0) {
			uint32_t guard = *(const uint32_t *)(warp->base[0] + instruction->guard.at);
			lanes &= instruction->guard_not ? ~guard : guard;
		}
		run += (unsigned)__builtin_popcount(lanes);
		if (warp->block->counts)
			bw_count(warp->block->counts, instruction, top->lanes, lanes);
		warp->block->loaded = 0;
		if (instruction->action == BW_ACTION_RUN) {
			top->at = at + 1;
			if (warp->doubts)
				bw_check_flow(instruction, warp, lanes);
			good = !lanes || instruction->execute(instruction, warp, lanes);
		} else if (lanes || instruction->action == BW_ACTION_BRANCH) {
			good = control(warp, instruction, at, lanes);
		} else {
			top->at = at + 1;
		}
		if (warp->pace.ready)
			bw_latency_add(instruction, warp);
		if (!--warp->steps)
			good = bw_warp_fail(warp, instruction, -1, BW_CODE_TIMEOUT,
					    "the kernel does not end: a warp has run %llu instructions",
					    (unsigned long long)warp->block->launch->most_steps);
	}
	warp->block->instructions += run;
	return good;
}

bool bw_block_run(struct bw_block *block)
{
	for (bool left = true; left;) {
		left = false;
		for (int w = 0; w < block->n_warps; w++) {
			struct bw_warp *warp = &block->warps[w];
			if (warp->state == BW_WARP_READY && !run_warp(warp))
				return false;
			left |= warp->state != BW_WARP_DONE;
		}
		if (left && !bw_barrier_release(block))
			return false;
	}
	if (block->counts)
		block->counts->block_cycles += bw_latency_end(block);
	return true;
}
