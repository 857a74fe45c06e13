#include "emulator/count.h"

#include <string.h>

#include "emulator/launch.h"
#include "emulator/warp.h"

enum { SECTOR = 32, BANKS = 32, BANK_BYTES = 4, MOST_SECTORS = 2 * BW_LANES };

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

/* The counter that an instruction's threads go to, by its opcode; NULL: none of its own. */
static uint64_t *counter_of(struct bw_counts *counts, const char *name)
{
	static const char *const memory[] = {"ld", "st.", "atom.", "red.", "mov.", "cvta.", "bar", "bra", "ret", "exit", "shfl.", "vote.", "membar", "fence", "activemask", "setp.", "selp.", "trap", "redux.", "prefetch"};
	const char *dot = strrchr(name, '.');
	for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
		if (begins(name, memory[k]))
			return NULL;
	if (begins(name, "cvt."))
		return &counts->conversions;
	if (dot && !strcmp(dot, ".f64"))
		return &counts->doubles;
	if (dot && !strcmp(dot, ".f32"))
		return begins(name, "add") || begins(name, "sub") ? &counts->float_adds : begins(name, "mul") ? &counts->float_multiplies : begins(name, "fma") || begins(name, "mad") ? &counts->float_fused : NULL;
	return dot && strchr("usb", dot[1]) ? &counts->integers : NULL;
}

void bw_count(struct bw_counts *counts, const struct bw_ptx_instruction *instruction, const struct bw_warp *warp, uint32_t lanes, uint32_t mask)
{
	unsigned active = (unsigned)__builtin_popcount(mask);
	if (instruction->opcode < 0)
		return;
	counts->instructions++;
	counts->thread_instructions += (unsigned)__builtin_popcount(lanes);
	/* A branch that is not taken is one that was made. */
	counts->active_instructions += instruction->action == BW_ACTION_BRANCH ? (unsigned)__builtin_popcount(lanes) : active;
	counts->branches += instruction->action == BW_ACTION_BRANCH;
	counts->divergent += instruction->action == BW_ACTION_BRANCH && mask && mask != lanes;
	counts->barriers += instruction->action == BW_ACTION_BARRIER;
	uint64_t *counter = counter_of(counts, warp->block->kernel->module->opcodes[instruction->opcode]);
	if (counter)
		*counter += active;
}

/* The sectors that lanes touch, each once. */
static unsigned sectors_of(uint32_t mask, unsigned char *const places[BW_LANES])
{
	uint64_t seen[MOST_SECTORS];
	unsigned n = 0;
	for (uint32_t left = mask; left; left &= left - 1) {
		uint64_t sector = (uint64_t)(uintptr_t)places[__builtin_ctz(left)] / SECTOR; /* an aligned access lies in one */
		unsigned k = n;
		while (k && seen[k - 1] != sector)
			k--;
		if (!k)
			seen[n++] = sector;
	}
	return n;
}

/* The wavefronts of a group of lanes that shared memory serves together: the most different words of one bank. */
static unsigned wavefronts_of(const struct bw_warp *warp, uint32_t mask, unsigned bytes, unsigned char *const places[BW_LANES])
{
	uint32_t words[BANKS][BW_LANES];
	unsigned n[BANKS] = {0}, most = 0;
	for (uint32_t left = mask; left; left &= left - 1) {
		uint32_t first = (uint32_t)(places[__builtin_ctz(left)] - warp->block->shared) / BANK_BYTES, count = bytes > BANK_BYTES ? bytes / BANK_BYTES : 1;
		for (uint32_t word = first; word < first + count; word++) {
			unsigned bank = word % BANKS, k = n[bank];
			while (k && words[bank][k - 1] != word)
				k--;
			if (!k && n[bank] < BW_LANES)
				words[bank][n[bank]++] = word;
			most = n[bank] > most ? n[bank] : most;
		}
	}
	return most;
}

static void count_shared(const struct bw_warp *warp, uint32_t mask, unsigned bytes, unsigned char *const places[BW_LANES], uint64_t *wavefronts, uint64_t *conflicts)
{
	unsigned lanes = bytes <= BANK_BYTES ? BW_LANES : BW_LANES * BANK_BYTES / bytes;
	for (unsigned first = 0; first < BW_LANES; first += lanes) {
		uint32_t group = mask & (lanes == BW_LANES ? BW_ALL_LANES : ((1u << lanes) - 1) << first);
		unsigned served = wavefronts_of(warp, group, bytes, places);
		*wavefronts += served;
		*conflicts += served ? served - 1 : 0;
	}
}

void bw_count_access(struct bw_counts *counts, const struct bw_ptx_instruction *instruction, const struct bw_warp *warp, uint32_t mask, unsigned bytes, bool stores, unsigned char *const places[BW_LANES])
{
	const struct bw_block *block = warp->block;
	const unsigned char *place = places[__builtin_ctz(mask)];
	const char *name = instruction->opcode >= 0 ? block->kernel->module->opcodes[instruction->opcode] : "";
	bool shared = place >= block->shared && place < block->shared + block->shared_bytes, local = instruction->space == BW_SPACE_LOCAL;
	bool changes = begins(name, "atom.") || begins(name, "red."), global = instruction->space == BW_SPACE_GLOBAL || instruction->space == BW_SPACE_GENERIC;
	unsigned moved = bytes * (unsigned)__builtin_popcount(mask);
	if (changes) {
		counts->shared_atomics += shared;
		counts->global_atomics += !shared;
	} else if (shared) {
		counts->shared_load_requests += !stores;
		counts->shared_store_requests += stores;
		count_shared(warp, mask, bytes, places, stores ? &counts->shared_store_wavefronts : &counts->shared_load_wavefronts, stores ? &counts->shared_store_conflicts : &counts->shared_load_conflicts);
	} else if (local) {
		counts->local_load_requests += !stores;
		counts->local_store_requests += stores;
	} else if (global) {
		unsigned sectors = sectors_of(mask, places);
		*(stores ? &counts->global_store_requests : &counts->global_load_requests) += 1;
		*(stores ? &counts->global_store_sectors : &counts->global_load_sectors) += sectors;
		*(stores ? &counts->global_store_bytes : &counts->global_load_bytes) += moved;
	}
}

void bw_counts_add(struct bw_counts *counts, const struct bw_counts *others)
{
#define X(field, metric, text) counts->field += others->field;
	BW_COUNT_TABLE(X)
#undef X
}

void bw_counts_write(const struct bw_ptx_launch *launch, FILE *file)
{
	const struct bw_counts *counts = launch->counts;
	fprintf(file, "{\"kernel\": \"%s\", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"shared_bytes\": %u", launch->kernel->name, launch->grid[0], launch->grid[1], launch->grid[2], launch->threads[0], launch->threads[1],
	        launch->threads[2], launch->kernel->shared_bytes + launch->dynamic_shared);
#define X(field, metric, text) fprintf(file, ", \"%s\": %llu", metric, (unsigned long long)counts->field);
	BW_COUNT_TABLE(X)
#undef X
	fprintf(file, "}\n");
}
