#include "emulator/count.h"

#include <math.h>
#include <stdlib.h>

#include "emulator/launch.h"
#include "emulator/warp.h"

enum { SECTORS = BW_L1_LINE / BW_L1_SECTOR };

bool bw_l1_make(struct bw_l1 *l1, unsigned bytes)
{
	uint32_t n = bytes / BW_L1_LINE, hashes = 1;
	n = n ? n : 1;
	while (hashes < n)
		hashes *= 2;
	*l1 = (struct bw_l1){.n_lines = n, .mask = hashes - 1};
	l1->lines = calloc((size_t)n + 1, sizeof *l1->lines);
	l1->first = calloc(hashes, sizeof *l1->first);
	return l1->lines && l1->first;
}

void bw_l1_free(struct bw_l1 *l1)
{
	free(l1->lines);
	free(l1->first);
}

void bw_l1_clear(struct bw_l1 *l1)
{
	l1->n_used = 0;
	l1->lines[0] = (struct bw_l1_line){0};
	memset(l1->first, 0, ((size_t)l1->mask + 1) * sizeof *l1->first);
}

static uint32_t *bucket_of(struct bw_l1 *l1, uint64_t number)
{
	return &l1->first[(uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & l1->mask];
}

/* Removes a line from the list of all lines. */
static void unlink_line(struct bw_l1 *l1, uint32_t line)
{
	struct bw_l1_line *lines = l1->lines;
	lines[lines[line].newer].older = lines[line].older;
	lines[lines[line].older].newer = lines[line].newer;
}

/* Inserts a line in the list of all lines as the most recently used one. */
static void link_line(struct bw_l1 *l1, uint32_t line)
{
	struct bw_l1_line *lines = l1->lines;
	lines[line].newer = 0;
	lines[line].older = lines[0].older;
	lines[lines[0].older].newer = line;
	lines[0].older = line;
}

/* Returns a line for a new number: an unused line, or else the least recently used line. */
static uint32_t free_line(struct bw_l1 *l1)
{
	if (l1->n_used < l1->n_lines)
		return ++l1->n_used;
	uint32_t oldest = l1->lines[0].newer, *at = bucket_of(l1, l1->lines[oldest].number);
	while (*at != oldest)
		at = &l1->lines[*at].next;
	*at = l1->lines[oldest].next;
	unlink_line(l1, oldest);
	return oldest;
}

/* Loads a sector, by its number. Returns true if the cache had it. */
static bool l1_load(struct bw_l1 *l1, uint64_t sector)
{
	uint64_t number = sector / SECTORS;
	uint32_t bit = 1u << sector % SECTORS, *bucket = bucket_of(l1, number), line = *bucket;
	while (line && l1->lines[line].number != number)
		line = l1->lines[line].next;
	if (line) {
		bool had = l1->lines[line].sectors & bit;
		l1->lines[line].sectors |= bit;
		if (l1->lines[0].older != line) {
			unlink_line(l1, line);
			link_line(l1, line);
		}
		return had;
	}
	line = free_line(l1);
	l1->lines[line].number = number;
	l1->lines[line].sectors = bit;
	l1->lines[line].next = *bucket;
	*bucket = line;
	link_line(l1, line);
	return false;
}

enum {
	SECTOR = BW_L1_SECTOR,
	SM_BYTES = 192 << 10,
	SM_THREADS = 1024, /* with 64 registers per thread, the number that Halide compiles for */
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

/* Returns the index in struct bw_counts of the counter that an instruction's threads add to, by its opcode.
 * Returns -1 if the opcode has no counter of its own. */
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
	/* Lanes that do not take a branch also execute the branch instruction. */
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
	for (size_t k = 0; k < memory->n; k++) {
		struct bw_allocation *one = &memory->list[k];
		size_t n = one->touched ? (one->end - one->begin) / SECTOR + 2 : 0;
		double read = 0, written = 0, all = (double)(one->end - one->begin);
		for (size_t s = 0; s < n; s++) {
			read += one->touched[s] & 1 ? SECTOR : 0;
			written += one->touched[s] & 2 ? SECTOR : 0;
		}
		if (n)
			memset(one->touched, 0, n);
		counts->dram_read_bytes += (uint64_t)(scale > 1 ? fmin(read * scale, all) + 0.5 : read);
		counts->dram_write_bytes += (uint64_t)(scale > 1 ? fmin(written * scale, all) + 0.5 : written);
	}
}

/* Records that a sector of the allocation is touched. */
static void touch(const struct bw_allocation *allocation, uint64_t sector, unsigned char bit)
{
	unsigned char *at = &allocation->touched[sector - allocation->begin / SECTOR];
	if (!(__atomic_load_n(at, __ATOMIC_RELAXED) & bit))
		__atomic_fetch_or(at, bit, __ATOMIC_RELAXED);
}

/* Sets `seen` to the sectors that the lanes touch, each once. Returns the number of sectors. */
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

/* Returns the wavefronts of a group of lanes that shared memory serves together: the largest number of
 * different words that the lanes access in one bank. */
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
		bool had = l1_load(&block->l1, allocation->sector + seen[k] - allocation->begin / SECTOR);
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
	/* No memory access: on a GPU, a call's parameter is in a register, and a kernel's parameter is an
	 * operand. */
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

/* Writes the part's Func, stage, interval, line and length, and its nonzero counters, without counters that
 * are kept for whole launches only. */
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

/* Cycles of an instruction, by the beginning of its opcode; all others take `PLAIN`, or `WIDE` for 64
 * bits. Moves, address casts and parameters cost nothing: the assembler folds them into other
 * instructions' operands. */
enum { PLAIN = 4, WIDE = 8, FUNCTION = 20, DIVISION = 80, WORDS_OF_PLACE = 4 };
static const struct {
	const char *begins;
	uint8_t cycles;
} classes[] = {{"mov.", 0},
	       {"cvta.", 0},
	       {"ld.param", 0},
	       {"st.param", 0},
	       {"div.", DIVISION},
	       {"rem.", DIVISION},
	       {"rcp.", FUNCTION},
	       {"sqrt.", FUNCTION},
	       {"rsqrt.", FUNCTION},
	       {"ex2.", FUNCTION},
	       {"lg2.", FUNCTION},
	       {"sin.", FUNCTION},
	       {"cos.", FUNCTION},
	       {"tanh.", FUNCTION},
	       {"shfl.", BW_LATENCY_SHARED}};

static uint8_t cycles_of(const char *opcode)
{
	for (size_t k = 0; k < sizeof classes / sizeof *classes; k++)
		if (!strncmp(opcode, classes[k].begins, strlen(classes[k].begins)))
			return classes[k].cycles;
	return strstr(opcode, "64") ? WIDE : PLAIN;
}

void bw_counters_find(struct bw_ptx *module)
{
	for (int n = 0; n < module->n_kernels; n++)
		for (int k = 0; k < module->kernels[n]->n_code; k++) {
			struct bw_ptx_instruction *instruction = &module->kernels[n]->code[k];
			const char *opcode = instruction->opcode < 0 ? NULL : module->opcodes[instruction->opcode];
			instruction->counter = (int8_t)(opcode ? counter_of(opcode) : -1);
			if (opcode)
				instruction->cycles = cycles_of(opcode);
		}
}

void bw_latency_begin(struct bw_warp *warp)
{
	warp->pace.begun = warp->pace.last = warp->block->begun;
	warp->pace.issued = 0;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void bw_latency_add(const struct bw_ptx_instruction *instruction, struct bw_warp *warp)
{
	struct bw_pace *pace = &warp->pace;
	unsigned loaded = warp->block->loaded, cycles = loaded ? loaded : instruction->cycles;
	uint64_t start = pace->begun;
	for (int k = 0; k < instruction->n_from; k++)
		if (!instruction->from[k].constant)
			start = later(start, pace->ready[instruction->from[k].at / WORDS_OF_PLACE]);
	if (instruction->guard.bytes == 0)
		start = later(start, pace->ready[instruction->guard.at / WORDS_OF_PLACE]);
	for (int k = 0; k < instruction->n_to; k++)
		pace->ready[instruction->to[k].at / WORDS_OF_PLACE] = start + cycles;
	pace->issued += cycles > 0;
	pace->last = later(pace->last, start);
	if (instruction->action == BW_ACTION_RUN)
		return;
	pace->begun = later(pace->begun + pace->issued, pace->last) +
		      (instruction->action == BW_ACTION_BRANCH ? PLAIN : 0);
	pace->issued = 0;
}

uint64_t bw_latency_meet(struct bw_block *block)
{
	uint64_t when = 0;
	for (int w = 0; w < block->n_warps; w++)
		when = later(when, block->warps[w].pace.begun);
	for (int w = 0; w < block->n_warps; w++)
		block->warps[w].pace.begun = when;
	return when;
}

uint64_t bw_latency_end(struct bw_block *block)
{
	uint64_t when = bw_latency_meet(block), cycles = when - block->begun;
	block->begun = when + BW_LATENCY_BEYOND_L1; /* all loads of this block have arrived by then */
	return cycles;
}
