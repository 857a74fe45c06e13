#include "emulator/count.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/launch.h"
#include "emulator/warp.h"

enum {
	SECTOR = BW_L1_SECTOR,
	SM_BYTES = 192 << 10,
	SM_THREADS = 2048,
	SM_BLOCKS = 32,
	BANKS = 32,
	BANK_BYTES = 4,
	MOST_SECTORS = 2 * BW_LANES
};

static bool begins(const char *name, const char *with)
{
	return strncmp(name, with, strlen(with)) == 0;
}

#define COUNTER(field) (int)(offsetof(struct bw_counts, field) / sizeof(uint64_t))

/* Returns the place of the counter that an instruction's threads go to, by its opcode; -1: none of its own.
 */
static int counter_of(const char *name)
{
	static const char *const memory[] = {"ld",    "st.",   "atom.",  "red.",   "mov.",
					     "cvta.", "bar",   "bra",    "ret",    "exit",
					     "shfl.", "vote.", "membar", "fence",  "activemask",
					     "setp.", "selp.", "trap",   "redux.", "prefetch"};
	const char *dot = strrchr(name, '.');
	for (size_t k = 0; k < sizeof memory / sizeof *memory; k++)
		if (begins(name, memory[k]))
			return -1;
	if (begins(name, "cvt."))
		return COUNTER(conversions);
	if (dot && !strcmp(dot, ".f64"))
		return COUNTER(doubles);
	if (dot && !strcmp(dot, ".f32"))
		return begins(name, "add") || begins(name, "sub")   ? COUNTER(float_adds)
		       : begins(name, "mul")                        ? COUNTER(float_multiplies)
		       : begins(name, "fma") || begins(name, "mad") ? COUNTER(float_fused)
								    : -1;
	return dot && strchr("usb", dot[1]) ? COUNTER(integers) : -1;
}

void bw_counters_find(struct bw_ptx *module)
{
	for (int n = 0; n < module->n_kernels; n++)
		for (int k = 0; k < module->kernels[n]->n_code; k++) {
			struct bw_ptx_instruction *instruction = &module->kernels[n]->code[k];
			int opcode = instruction->opcode;
			instruction->counter = (int8_t)(opcode < 0 ? -1 : counter_of(module->opcodes[opcode]));
		}
}

void bw_count(struct bw_counts *counts, const struct bw_ptx_instruction *instruction, uint32_t lanes,
	      uint32_t mask)
{
	unsigned active = (unsigned)__builtin_popcount(mask);
	if (instruction->opcode < 0)
		return;
	counts += instruction->part;
	counts->instructions++;
	counts->issued += instruction->cycles > 0;
	counts->thread_instructions += (unsigned)__builtin_popcount(lanes);
	/* Lanes that do not take a branch also execute it. */
	counts->active_instructions +=
	    instruction->action == BW_ACTION_BRANCH ? (unsigned)__builtin_popcount(lanes) : active;
	counts->branches += instruction->action == BW_ACTION_BRANCH;
	counts->divergent += instruction->action == BW_ACTION_BRANCH && mask && mask != lanes;
	counts->barriers += instruction->action == BW_ACTION_BARRIER;
	if (instruction->counter >= 0)
		((uint64_t *)counts)[instruction->counter] += active;
}

unsigned bw_l1_bytes(const struct bw_ptx_launch *launch)
{
	unsigned threads = launch->threads[0] * launch->threads[1] * launch->threads[2],
		 shared = launch->kernel->shared_bytes + launch->dynamic_shared;
	unsigned blocks = SM_THREADS / (threads ? threads : 1);
	blocks = blocks > SM_BLOCKS ? SM_BLOCKS : blocks;
	blocks = shared && SM_BYTES / shared < blocks ? SM_BYTES / shared : blocks;
	blocks = blocks ? blocks : 1;
	unsigned bytes = SM_BYTES / blocks;
	return bytes > shared ? bytes - shared : 0;
}

bool bw_touched_begin(struct bw_memory *memory)
{
	for (size_t k = 0; k < memory->n; k++) {
		struct bw_allocation *one = &memory->list[k];
		if (!one->touched && !(one->touched = calloc((one->end - one->begin) / SECTOR + 2, 1)))
			return false;
	}
	return true;
}

void bw_touched_end(struct bw_memory *memory, struct bw_counts *counts, double scale)
{
	uint64_t read = 0, written = 0;
	for (size_t k = 0; k < memory->n; k++) {
		struct bw_allocation *one = &memory->list[k];
		size_t n = one->touched ? (one->end - one->begin) / SECTOR + 2 : 0;
		for (size_t s = 0; s < n; s++) {
			read += one->touched[s] & 1 ? SECTOR : 0;
			written += one->touched[s] & 2 ? SECTOR : 0;
		}
		if (n)
			memset(one->touched, 0, n);
	}
	counts->dram_read_bytes += (uint64_t)((double)read * scale + 0.5);
	counts->dram_write_bytes += (uint64_t)((double)written * scale + 0.5);
}

/* Notes that a sector of the allocation is touched. */
static void touch(const struct bw_allocation *allocation, uint64_t sector, unsigned char bit)
{
	unsigned char *at = &allocation->touched[sector - allocation->begin / SECTOR];
	if (!(__atomic_load_n(at, __ATOMIC_RELAXED) & bit))
		__atomic_fetch_or(at, bit, __ATOMIC_RELAXED);
}

/* Writes the sectors that lanes touch, each once. Returns their number. */
static unsigned sectors_of(uint32_t mask, unsigned char *const places[BW_LANES], uint64_t seen[MOST_SECTORS])
{
	unsigned n = 0;
	for (uint32_t left = mask; left; left &= left - 1) {
		uint64_t sector = (uint64_t)(uintptr_t)places[__builtin_ctz(left)] /
				  SECTOR; /* an aligned access is within one sector */
		unsigned k = n;
		while (k && seen[k - 1] != sector)
			k--;
		if (!k)
			seen[n++] = sector;
	}
	return n;
}

/* The wavefronts of a group of lanes that shared memory serves together: the most different words of one
 * bank. */
static unsigned wavefronts_of(const struct bw_warp *warp, uint32_t mask, unsigned bytes,
			      unsigned char *const places[BW_LANES])
{
	uint32_t words[BANKS][BW_LANES];
	unsigned n[BANKS] = {0}, most = 0;
	for (uint32_t left = mask; left; left &= left - 1) {
		uint32_t first = (uint32_t)(places[__builtin_ctz(left)] - warp->block->shared) / BANK_BYTES,
			 count = bytes > BANK_BYTES ? bytes / BANK_BYTES : 1;
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

static void count_shared(const struct bw_warp *warp, uint32_t mask, unsigned bytes,
			 unsigned char *const places[BW_LANES], uint64_t *wavefronts, uint64_t *conflicts)
{
	unsigned lanes = bytes <= BANK_BYTES ? BW_LANES : BW_LANES * BANK_BYTES / bytes;
	for (unsigned first = 0; first < BW_LANES; first += lanes) {
		uint32_t group = mask & (lanes == BW_LANES ? BW_ALL_LANES : ((1u << lanes) - 1) << first);
		unsigned served = wavefronts_of(warp, group, bytes, places);
		*wavefronts += served;
		*conflicts += served ? served - 1 : 0;
	}
}

static void count_global(struct bw_counts *counts, struct bw_block *block, uint32_t mask, unsigned moved,
			 bool stores, unsigned char *const places[BW_LANES])
{
	uint64_t seen[MOST_SECTORS];
	unsigned n = sectors_of(mask, places, seen);
	const struct bw_allocation *allocation = NULL;
	*(stores ? &counts->global_store_requests : &counts->global_load_requests) += 1;
	*(stores ? &counts->global_store_sectors : &counts->global_load_sectors) += n;
	*(stores ? &counts->global_store_bytes : &counts->global_load_bytes) += moved;
	for (unsigned k = 0; k < n; k++) {
		uint64_t address = seen[k] * SECTOR;
		if (!allocation || address < allocation->begin || address >= allocation->end)
			allocation = bw_memory_find(block->launch->memory, address);
		if (!allocation) { /* a sector that begins before a module's variable */
			counts->l2_read_sectors += !stores;
			continue;
		}
		if (allocation->touched)
			touch(allocation, seen[k], stores ? 2 : 1);
		if (stores)
			continue;
		bool had = bw_l1_load(&block->l1, allocation->sector + seen[k] - allocation->begin / SECTOR);
		counts->l1_hits += had;
		counts->l2_read_sectors += !had;
		if (block->loaded < BW_LATENCY_BEYOND_L1)
			block->loaded = had ? BW_LATENCY_L1 : BW_LATENCY_BEYOND_L1;
	}
}

void bw_count_access(struct bw_counts *counts, const struct bw_ptx_instruction *instruction,
		     const struct bw_warp *warp, uint32_t mask, unsigned bytes, bool stores,
		     unsigned char *const places[BW_LANES])
{
	struct bw_block *block = warp->block;
	counts += instruction->part;
	const unsigned char *place = places[__builtin_ctz(mask)];
	const char *name = instruction->opcode >= 0 ? block->kernel->module->opcodes[instruction->opcode] : "";
	/* Parameters of calls are in registers; one of a kernel is an operand. */
	if (instruction->opcode < 0 || begins(name, "ld.param") || begins(name, "st.param"))
		return;
	bool shared = place >= block->shared && place < block->shared + block->shared_bytes,
	     local = instruction->space == BW_SPACE_LOCAL;
	bool changes = begins(name, "atom.") || begins(name, "red."),
	     global = instruction->space == BW_SPACE_GLOBAL || instruction->space == BW_SPACE_GENERIC;
	unsigned moved = bytes * (unsigned)__builtin_popcount(mask);
	if (shared || local || changes)
		block->loaded = stores && !changes ? 0
				: shared	   ? BW_LATENCY_SHARED
				: local		   ? BW_LATENCY_L1
						   : BW_LATENCY_BEYOND_L1;
	if (changes) {
		counts->shared_atomics += shared;
		counts->global_atomics += !shared;
	} else if (shared) {
		counts->shared_load_requests += !stores;
		counts->shared_store_requests += stores;
		count_shared(warp, mask, bytes, places,
			     stores ? &counts->shared_store_wavefronts : &counts->shared_load_wavefronts,
			     stores ? &counts->shared_store_conflicts : &counts->shared_load_conflicts);
	} else if (local) {
		counts->local_load_requests += !stores;
		counts->local_store_requests += stores;
	} else if (global) {
		count_global(counts, block, mask, moved, stores, places);
	}
}

void bw_counts_add(struct bw_counts *counts, const struct bw_counts *others, int n)
{
	for (int k = 0; k < n; k++) {
#define X(field, metric, text) counts[k].field += others[k].field;
		BW_COUNT_TABLE(X)
#undef X
	}
}

/* Writes the part's Func, stage, interval, line, length, and the counts that are not 0. Some are the launch's
 * alone. */
static void write_part(const struct bw_ptx_kernel *kernel, int part, const struct bw_counts *counts,
		       FILE *file)
{
	const struct bw_ptx_part *of = &kernel->parts[part];
	const struct bw_stage_name *stage = of->stage < 0 ? NULL : &kernel->module->places.stages[of->stage];
	fprintf(file, "{\"func\": \"%s\", \"stage\": %d, \"interval\": %d, \"line\": %d, \"length\": %d",
		stage ? stage->func : "", stage ? stage->stage : 0, of->interval, of->line, of->length);
#define X(field, metric, text) \
	if (counts->field && !bw_count_is_whole(metric)) \
		fprintf(file, ", \"%s\": %llu", metric, (unsigned long long)counts->field);
	BW_COUNT_TABLE(X)
#undef X
	fprintf(file, "}");
}

void bw_counts_write(const struct bw_ptx_launch *launch, FILE *file)
{
	const struct bw_ptx_kernel *kernel = launch->kernel;
	struct bw_counts sum = {0};
	const char *comma = "";
	for (int k = 0; k < kernel->n_parts; k++)
		bw_counts_add(&sum, &launch->counts[k], 1);
	fprintf(file,
		"{\"kernel\": \"%s\", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"shared_bytes\": %u",
		kernel->name, launch->grid[0], launch->grid[1], launch->grid[2], launch->threads[0],
		launch->threads[1], launch->threads[2], kernel->shared_bytes + launch->dynamic_shared);
	if (launch->sampled)
		fprintf(file, ", \"sampled_blocks\": %llu", (unsigned long long)launch->sampled);
	if (launch->checks && launch->checks->n_rounded)
		fprintf(file, ", \"rounded_differently\": %llu, \"first_rounded\": \"%s\"",
			(unsigned long long)launch->checks->n_rounded, launch->checks->rounded);
#define X(field, metric, text) fprintf(file, ", \"%s\": %llu", metric, (unsigned long long)sum.field);
	BW_COUNT_TABLE(X)
#undef X
	fprintf(file, ", \"parts\": [");
	for (int k = 0; k < kernel->n_parts; k++) {
		fputs(comma, file);
		write_part(kernel, k, &launch->counts[k], file);
		comma = ", ";
	}
	fprintf(file, "]}\n");
}
