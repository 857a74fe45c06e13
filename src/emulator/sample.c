#include "emulator/sample.h"

#include <stdlib.h>

#include "emulator/launch.h"
#include "emulator/warp.h"

/* The ranges of a grid's extent that are in the sample, in thousandths. */
static const struct {
	uint64_t low, high;
} windows[] = {{0, 30}, {480, 520}, {970, 1000}};

static void index_of(const unsigned grid[3], uint64_t number, uint64_t index[3])
{
	index[0] = number % grid[0];
	index[1] = number / grid[0] % grid[1];
	index[2] = number / grid[0] / grid[1];
}

/* Returns true if the block index is in the sample, in a dimension of n blocks. All of a dimension of few
 * blocks is in the sample: it may be a dimension of channels, and consumers may read every channel. */
static bool is_in_window(uint64_t index, uint64_t n, bool least)
{
	enum { FEW = 12 };
	if (least)
		return index == 0 || index + 1 == n || index == n / 2 || index + 1 == n / 2;
	if (n <= FEW)
		return true;
	for (size_t k = 0; k < sizeof windows / sizeof *windows; k++)
		if (index * 1000 < windows[k].high * n && (index + 1) * 1000 > windows[k].low * n)
			return true;
	return false;
}

/* Returns true if a block of the grid is in the sample: in each dimension of more than 12 blocks it must be
 * in the first or last 3 %, or within 2 % of the middle. The rule is relative, so that samples of producers
 * and consumers overlap. least: in each dimension, only the first block, the one or two blocks in the
 * middle and the last block are in the sample. */
static bool sample_has(const unsigned grid[3], uint64_t number, bool least)
{
	uint64_t index[3];
	index_of(grid, number, index);
	for (int d = 0; d < 3; d++)
		if (!is_in_window(index[d], grid[d], least))
			return false;
	return true;
}

int bw_sample_kind(const unsigned grid[3], uint64_t number)
{
	uint64_t index[3];
	index_of(grid, number, index);
	int kind = 0;
	for (int d = 2; d >= 0; d--)
		kind = 3 * kind + (index[d] == 0 ? 0 : index[d] + 1 == grid[d] ? 2 : 1);
	return kind;
}

bool bw_sample_make(struct bw_block_sample *sample, const unsigned grid[3], bool least, int n_parts)
{
	uint64_t n = (uint64_t)grid[0] * grid[1] * grid[2];
	*sample = (struct bw_block_sample){.numbers = malloc(n * sizeof *sample->numbers),
				     .others = malloc(n * sizeof *sample->others)};
	if (!sample->numbers || !sample->others)
		return false;
	for (uint64_t number = 0; number < n; number++) {
		struct bw_sample_kind *kind = &sample->kinds[bw_sample_kind(grid, number)];
		kind->blocks++;
		if (sample_has(grid, number, least)) {
			kind->run++;
			sample->numbers[sample->n++] = number;
		} else {
			sample->others[sample->n_others++] = number;
		}
	}
	for (int k = 0; k < BW_SAMPLE_KINDS && n_parts; k++)
		if (sample->kinds[k].run &&
		    !(sample->kinds[k].counts = calloc((size_t)n_parts, sizeof *sample->kinds[k].counts)))
			return false;
	return true;
}

void bw_sample_free(struct bw_block_sample *sample)
{
	for (int k = 0; k < BW_SAMPLE_KINDS; k++)
		free(sample->kinds[k].counts);
	free(sample->numbers);
	free(sample->others);
}

static uint64_t scaled(uint64_t count, const struct bw_sample_kind *kind)
{
	return (uint64_t)((double)count * ((double)kind->blocks / (double)kind->run) + 0.5);
}

void bw_sample_scale(const struct bw_block_sample *sample, struct bw_counts *counts, int n_parts)
{
	for (int k = 0; k < BW_SAMPLE_KINDS; k++) {
		const struct bw_sample_kind *kind = &sample->kinds[k];
		for (int p = 0; kind->counts && p < n_parts; p++) {
#define X(field, metric, text) counts[p].field += scaled(kind->counts[p].field, kind);
			BW_COUNT_TABLE(X)
#undef X
		}
	}
}

bool bw_follow_begin(struct bw_memory *memory)
{
	for (size_t k = 0; k < memory->n; k++) {
		struct bw_allocation *one = &memory->list[k];
		size_t bytes = one->end - one->begin;
		if (one->constant || one->known)
			continue;
		one->known = malloc(bytes + 1);
		if (!one->known)
			return false;
		memset(one->known, BW_BYTE_KNOWN, bytes);
		one->known[bytes] = 0; /* the allocation was not stored to yet */
	}
	return true;
}

void bw_follow_end(struct bw_memory *memory, bool partial)
{
	for (size_t k = 0; k < memory->n; k++) {
		struct bw_allocation *one = &memory->list[k];
		size_t bytes = one->end - one->begin;
		if (!one->known || !one->known[bytes])
			continue;
		for (size_t b = 0; b < bytes; b++) {
			unsigned char byte = one->known[b];
			one->known[b] = !partial || byte & BW_BYTE_WRITTEN ? byte & BW_BYTE_KNOWN : 0;
		}
		one->known[bytes] = 0;
	}
	memory->has_unknown |= partial;
	for (size_t k = 0; !memory->has_unknown && k < memory->n; k++) {
		free(memory->list[k].known);
		memory->list[k].known = NULL;
	}
}

/* Returns the flags of the known bytes at `place`; NULL: all are known. *stored: set if the bytes are
 * stored to; may be NULL. */
static unsigned char *known_at(const struct bw_warp *warp, const struct bw_ptx_instruction *instruction,
			       const unsigned char *place, unsigned char **stored)
{
	const struct bw_block *block = warp->block;
	*stored = NULL;
	if (place >= block->shared && place < block->shared + block->shared_bytes)
		return block->shared_known + (place - block->shared);
	size_t local_bytes = (size_t)block->kernel->local_stride * BW_LANES;
	if (place >= warp->local && place < warp->local + local_bytes)
		return warp->local_known + (place - warp->local);
	if (instruction->space != BW_SPACE_GLOBAL && instruction->space != BW_SPACE_GENERIC)
		return NULL;
	uint64_t address = (uint64_t)(uintptr_t)place;
	const struct bw_allocation *allocation = block->seen[instruction - block->kernel->code];
	if (!allocation || address < allocation->begin || address >= allocation->end)
		allocation = bw_memory_find(block->launch->memory, address);
	if (!allocation || !allocation->known)
		return NULL;
	*stored = &allocation->known[allocation->end - allocation->begin];
	return allocation->known + (address - allocation->begin);
}

void bw_follow_load(BW_ARGUMENTS, unsigned bytes, unsigned n, unsigned char *const places[BW_LANES])
{
	uint32_t unknown[BW_MOST_DESTINATIONS] = {0}, address = bw_doubts_of(warp, &instruction->from[0]);
	for (uint32_t left = mask; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		unsigned char *stored;
		const unsigned char *known = known_at(warp, instruction, places[l], &stored);
		for (unsigned b = 0; known && b < bytes * n; b++)
			if (!(__atomic_load_n(&known[b], __ATOMIC_RELAXED) & BW_BYTE_KNOWN))
				unknown[b / bytes] |= 1u << l;
	}
	for (int k = 0; k < instruction->n_to; k++)
		bw_doubts_set(warp, &instruction->to[k], mask, unknown[k] | address);
}

void bw_follow_store(BW_ARGUMENTS, unsigned bytes, unsigned n, unsigned char *const places[BW_LANES])
{
	uint32_t address = bw_doubts_of(warp, &instruction->from[0]);
	for (uint32_t left = mask; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		unsigned char *stored, *known = known_at(warp, instruction, places[l], &stored);
		for (unsigned k = 0; known && k < n; k++) {
			bool unknown = (address | bw_doubts_of(warp, &instruction->from[k + 1])) >> l & 1;
			for (unsigned b = 0; b < bytes; b++)
				__atomic_store_n(&known[k * bytes + b],
						 (unsigned char)(BW_BYTE_WRITTEN | (unknown ? 0 : BW_BYTE_KNOWN)),
						 __ATOMIC_RELAXED);
		}
		if (stored)
			__atomic_store_n(stored, 1, __ATOMIC_RELAXED);
	}
}

void bw_follow_copy(const struct bw_ptx_instruction *instruction, const struct bw_warp *warp,
		    const unsigned char *to, const unsigned char *from, unsigned take, unsigned bytes)
{
	unsigned char *stored;
	const unsigned char *known_from = take ? known_at(warp, instruction, from, &stored) : NULL;
	unsigned char *known_to = known_at(warp, instruction, to, &stored);
	for (unsigned b = 0; known_to && b < bytes; b++)
		known_to[b] = (unsigned char)(BW_BYTE_WRITTEN | (b >= take || !known_from ||
									 __atomic_load_n(&known_from[b], __ATOMIC_RELAXED) & BW_BYTE_KNOWN
								     ? BW_BYTE_KNOWN
								     : 0));
}

void bw_follow_atomic(BW_ARGUMENTS, unsigned bytes, unsigned char *const places[BW_LANES])
{
	uint32_t sum = 0, found = 0;
	for (int k = 0; k < instruction->n_from; k++)
		sum |= bw_doubts_of(warp, &instruction->from[k]);
	for (uint32_t left = mask; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		unsigned char *stored, *known = known_at(warp, instruction, places[l], &stored);
		bool unknown = sum >> l & 1;
		for (unsigned b = 0; known && b < bytes; b++)
			unknown |= !(__atomic_load_n(&known[b], __ATOMIC_RELAXED) & BW_BYTE_KNOWN);
		for (unsigned b = 0; known && b < bytes && unknown; b++)
			__atomic_store_n(&known[b], BW_BYTE_WRITTEN, __ATOMIC_RELAXED);
		if (stored)
			__atomic_store_n(stored, 1, __ATOMIC_RELAXED);
		found |= (uint32_t)unknown << l;
	}
	for (int k = 0; k < instruction->n_to; k++)
		bw_doubts_set(warp, &instruction->to[k], mask, found);
}
