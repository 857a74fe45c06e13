/* Instructions with which the lanes of a warp exchange data: shuffles, votes, matches. */
#include "emulator/launch.h"
#include "emulator/opcode.h"
#include "emulator/warp.h"

/* Checks that the instruction's member mask equals the set of lanes that run it. */
static bool check_members(BW_ARGUMENTS, int source)
{
	const uint32_t *members = bw_from(instruction, warp, source);
	for (uint32_t left = mask; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		uint32_t missing = members[l] & warp->live & ~mask;
		if (missing)
			return bw_warp_fail(
			    warp, instruction, l, BW_CODE_LAUNCH_FAILED,
			    "lane %d of the warp is a member by the mask 0x%08x and is not there",
			    __builtin_ctz(missing), members[l]);
		if (!(members[l] >> l & 1))
			return bw_warp_fail(warp, instruction, l, BW_CODE_LAUNCH_FAILED,
					    "it runs this and is no member by the mask 0x%08x", members[l]);
	}
	return true;
}

/* Returns the lane from which lane l reads, by the rules of PTX's shfl; sets *inside if it is in l's
 * segment. */
static int source_lane(char mode, int l, uint32_t b, uint32_t c, bool *inside)
{
	int segment = (int)(c >> 8 & 31), clamp = (int)(c & 31), most = (l & segment) | (clamp & ~segment),
	    least = l & segment, by = (int)(b & 31);
	int from = mode == 'u' ? l - by : mode == 'd' ? l + by : mode == 'b' ? l ^ by : least | (by & ~segment);
	*inside = mode == 'u' ? from >= most : from <= most;
	return *inside ? from : l;
}

static bool shuffle(BW_ARGUMENTS, char mode)
{
	uint32_t *d = bw_to(instruction, warp, 0), result[BW_LANES], good = 0;
	const uint32_t *a = bw_from(instruction, warp, 0), *b = bw_from(instruction, warp, 1),
		       *c = bw_from(instruction, warp, 2);
	if (!check_members(instruction, warp, mask, 3))
		return false;
	for (uint32_t left = mask; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		bool inside;
		int from = source_lane(mode, l, b[l], c[l], &inside);
		if (!(mask >> from & 1))
			return bw_warp_fail(warp, instruction, l, BW_CODE_LAUNCH_FAILED,
					    "it reads the value of lane %d, which is not there", from);
		result[l] = a[from];
		good |= (uint32_t)inside << l;
	}
	BW_EACH_LANE(mask, d[l] = result[l])
	if (instruction->n_to > 1) {
		uint32_t *p = bw_to(instruction, warp, 1);
		*p = (*p & ~mask) | (good & mask);
	}
	return true;
}
static bool shuffle_up(BW_ARGUMENTS) { return shuffle(instruction, warp, mask, 'u'); }
static bool shuffle_down(BW_ARGUMENTS) { return shuffle(instruction, warp, mask, 'd'); }
static bool shuffle_butterfly(BW_ARGUMENTS) { return shuffle(instruction, warp, mask, 'b'); }
static bool shuffle_index(BW_ARGUMENTS) { return shuffle(instruction, warp, mask, 'i'); }

/* Returns the lanes of the mask whose predicate is true. */
static uint32_t ballot_of(BW_ARGUMENTS)
{
	return *(const uint32_t *)bw_from(instruction, warp, 0) & mask;
}
static bool vote(BW_ARGUMENTS, bool value)
{
	uint32_t *d = bw_to(instruction, warp, 0);
	if (!check_members(instruction, warp, mask, 1))
		return false;
	*d = (*d & ~mask) | (value ? mask : 0);
	return true;
}
static bool vote_all(BW_ARGUMENTS)
{
	return vote(instruction, warp, mask, ballot_of(instruction, warp, mask) == mask);
}
static bool vote_any(BW_ARGUMENTS)
{
	return vote(instruction, warp, mask, ballot_of(instruction, warp, mask) != 0);
}
static bool vote_uniform(BW_ARGUMENTS)
{
	return vote(instruction, warp, mask,
		    ballot_of(instruction, warp, mask) == mask || !ballot_of(instruction, warp, mask));
}
static bool vote_ballot(BW_ARGUMENTS)
{
	uint32_t *d = bw_to(instruction, warp, 0), value = ballot_of(instruction, warp, mask);
	if (!check_members(instruction, warp, mask, 1))
		return false;
	BW_EACH_LANE(mask, d[l] = value)
	return true;
}
static bool active_mask(BW_ARGUMENTS)
{
	uint32_t *d = bw_to(instruction, warp, 0);
	BW_EACH_LANE(mask, d[l] = mask)
	return true;
}
static bool warp_barrier(BW_ARGUMENTS) { return check_members(instruction, warp, mask, 0); }

/* Combines two values of redux: sum, minimum, maximum or bitwise operation. */
static uint32_t join(const char kind, uint32_t a, uint32_t b)
{
	switch (kind) {
	case '+':
		return a + b;
	case 'm':
		return a < b ? a : b;
	case 'M':
		return a > b ? a : b;
	case 'n':
		return (int32_t)a < (int32_t)b ? a : b;
	case 'N':
		return (int32_t)a > (int32_t)b ? a : b;
	case '&':
		return a & b;
	case '|':
		return a | b;
	default:
		return a ^ b;
	}
}
static bool reduce(BW_ARGUMENTS, char kind)
{
	uint32_t *d = bw_to(instruction, warp, 0);
	const uint32_t *a = bw_from(instruction, warp, 0);
	uint32_t value = a[__builtin_ctz(mask)];
	if (!check_members(instruction, warp, mask, 1))
		return false;
	for (uint32_t left = mask & (mask - 1); left; left &= left - 1)
		value = join(kind, value, a[__builtin_ctz(left)]);
	BW_EACH_LANE(mask, d[l] = value)
	return true;
}
static bool reduce_add(BW_ARGUMENTS) { return reduce(instruction, warp, mask, '+'); }
static bool reduce_min_u(BW_ARGUMENTS) { return reduce(instruction, warp, mask, 'm'); }
static bool reduce_max_u(BW_ARGUMENTS) { return reduce(instruction, warp, mask, 'M'); }
static bool reduce_min_s(BW_ARGUMENTS) { return reduce(instruction, warp, mask, 'n'); }
static bool reduce_max_s(BW_ARGUMENTS) { return reduce(instruction, warp, mask, 'N'); }
static bool reduce_and(BW_ARGUMENTS) { return reduce(instruction, warp, mask, '&'); }
static bool reduce_or(BW_ARGUMENTS) { return reduce(instruction, warp, mask, '|'); }
static bool reduce_xor(BW_ARGUMENTS) { return reduce(instruction, warp, mask, '^'); }

/* Defines a match: finds the lanes whose value equals that of lane l. */
#define MATCH(n, T) \
	static bool match_any_##n(BW_ARGUMENTS) \
	{ \
		uint32_t *d = bw_to(instruction, warp, 0), result[BW_LANES]; \
		const T *a = bw_from(instruction, warp, 0); \
		if (!check_members(instruction, warp, mask, 1)) \
			return false; \
		for (int l = 0; l < BW_LANES; l++) { \
			result[l] = 0; \
			for (int k = 0; k < BW_LANES; k++) \
				result[l] |= (uint32_t)(a[k] == a[l]) << k; \
		} \
		BW_EACH_LANE(mask, d[l] = result[l] & mask) \
		return true; \
	} \
	static bool match_all_##n(BW_ARGUMENTS) \
	{ \
		uint32_t *d = bw_to(instruction, warp, 0), same = 0; \
		const T *a = bw_from(instruction, warp, 0); \
		if (!check_members(instruction, warp, mask, 1)) \
			return false; \
		for (int l = 0; l < BW_LANES; l++) \
			same |= (uint32_t)(a[l] == a[__builtin_ctz(mask)]) << l; \
		bool all = (same & mask) == mask; \
		BW_EACH_LANE(mask, d[l] = all ? mask : 0) \
		if (instruction->n_to > 1) { \
			uint32_t *p = bw_to(instruction, warp, 1); \
			*p = (*p & ~mask) | (all ? mask : 0); \
		} \
		return true; \
	}
MATCH(32, uint32_t)
MATCH(64, uint64_t)

/* Fences do nothing here, where accesses are already in order, except inform the checks. */
static bool fence_block(BW_ARGUMENTS)
{
	(void)instruction, (void)mask;
	return bw_order_fence(warp, false), true;
}
static bool fence_wide(BW_ARGUMENTS)
{
	(void)instruction, (void)mask;
	return bw_order_fence(warp, true), true;
}
static bool nothing(BW_ARGUMENTS)
{
	(void)instruction, (void)warp, (void)mask;
	return true;
}

const struct bw_opcode_row bw_warp_rows[] = {
	{"shfl.sync.up.b32", "4Q=4444", shuffle_up}, {"shfl.sync.down.b32", "4Q=4444", shuffle_down}, {"shfl.sync.bfly.b32", "4Q=4444", shuffle_butterfly}, {"shfl.sync.idx.b32", "4Q=4444", shuffle_index},
	{"vote.sync.all.pred", "P=N4", vote_all}, {"vote.sync.any.pred", "P=N4", vote_any}, {"vote.sync.uni.pred", "P=N4", vote_uniform}, {"vote.sync.ballot.b32", "4=N4", vote_ballot},
	{"match.any.sync.b32", "4=44", match_any_32}, {"match.any.sync.b64", "4=84", match_any_64}, {"match.all.sync.b32", "4Q=44", match_all_32}, {"match.all.sync.b64", "4Q=84", match_all_64},
	{"activemask.b32", "4=", active_mask}, {"bar.warp.sync", "=4", warp_barrier},
	{"redux.sync.add.u32", "4=44", reduce_add}, {"redux.sync.add.s32", "4=44", reduce_add}, {"redux.sync.min.u32", "4=44", reduce_min_u}, {"redux.sync.max.u32", "4=44", reduce_max_u},
	{"redux.sync.min.s32", "4=44", reduce_min_s}, {"redux.sync.max.s32", "4=44", reduce_max_s}, {"redux.sync.and.b32", "4=44", reduce_and}, {"redux.sync.or.b32", "4=44", reduce_or}, {"redux.sync.xor.b32", "4=44", reduce_xor},
	{"membar.cta", "=", fence_block}, {"membar.gl", "=", fence_wide}, {"membar.sys", "=", fence_wide}, {"fence.sc.cta", "=", fence_block}, {"fence.sc.cluster", "=", fence_wide}, {"fence.sc.gpu", "=", fence_wide}, {"fence.sc.sys", "=", fence_wide},
	{"fence.acq_rel.cta", "=", fence_block}, {"fence.acq_rel.cluster", "=", fence_wide}, {"fence.acq_rel.gpu", "=", fence_wide}, {"fence.acq_rel.sys", "=", fence_wide}, {"nanosleep.u32", "=4", nothing}, {NULL, NULL, NULL}};
