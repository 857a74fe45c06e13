#include "emulator/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/launch.h"
#include "emulator/number.h"
#include "emulator/sample.h"
#include "emulator/warp.h"

unsigned bw_check_read(const char *words)
{
	static const char *const names[] = {"race", "init", "bounds"};
	unsigned what = 0;
	for (const char *at = words; *at;) {
		size_t length = strcspn(at, ",");
		unsigned found = 0;
		for (unsigned k = 0; k < 3; k++)
			if (strlen(names[k]) == length && !memcmp(names[k], at, length))
				found = 1u << k;
		if (!found)
			return 0;
		what |= found;
		at += length;
		at += *at == ',';
	}
	return what;
}

bool bw_check_launch(struct bw_checks *checks, uint64_t n)
{
	uint32_t *blocks = realloc(checks->blocks, (n ? n : 1) * sizeof *blocks);
	if (!blocks)
		return false;
	checks->blocks = blocks;
	checks->n_blocks = 0;
	checks->n_rounded = 0;
	*checks->rounded = 0;
	if (checks->stamp < 1)
		checks->stamp = 1; /* the host's */
	checks->launch = checks->stamp + 1;
	return true;
}

void bw_check_block(struct bw_checks *checks)
{
	checks->block = ++checks->stamp;
	checks->blocks[checks->n_blocks++] = checks->stamp;
}

void bw_check_barrier(struct bw_checks *checks)
{
	checks->stamp++;
}

/* Writes which block and thread an earlier access of this launch belongs to. */
static void tell_other(const struct bw_block *block, uint32_t stamp, unsigned thread, char *text, size_t size)
{
	const struct bw_ptx_launch *launch = block->launch;
	const struct bw_checks *checks = launch->checks;
	const unsigned *threads = launch->threads, *grid = launch->grid;
	uint64_t low = 0, high = checks->n_blocks;
	while (low + 1 < high) {
		uint64_t middle = (low + high) / 2;
		if (checks->blocks[middle] <= stamp)
			low = middle;
		else
			high = middle;
	}
	snprintf(text, size, "block (%llu, %llu, %llu), thread (%u, %u, %u)",
		 (unsigned long long)(low % grid[0]), (unsigned long long)(low / grid[0] % grid[1]),
		 (unsigned long long)(low / grid[0] / grid[1]), thread % threads[0],
		 thread / threads[0] % threads[1], thread / threads[0] / threads[1]);
}

/* Returns the cells of the memory at `place`; NULL if none are kept. */
static struct bw_byte_cell *cells_of(const struct bw_warp *warp, const struct bw_ptx_instruction *instruction,
				     const unsigned char *place, bool *shared)
{
	const struct bw_block *block = warp->block;
	*shared = place >= block->shared && place < block->shared + block->shared_bytes;
	if (*shared)
		return block->shared_cells + (place - block->shared);
	if (instruction->space != BW_SPACE_GLOBAL && instruction->space != BW_SPACE_GENERIC)
		return NULL;
	uint64_t address = (uint64_t)(uintptr_t)place;
	const struct bw_allocation *allocation = bw_memory_find(block->launch->memory, address);
	return allocation && allocation->cells ? allocation->cells + (address - allocation->begin) : NULL;
}

/* Returns true if an access with this stamp and thread is ordered with one of the warp that runs
 * now: it was made by the warp itself, before a barrier, or in an earlier launch. */
static bool is_ordered(const struct bw_warp *warp, uint32_t stamp, unsigned thread)
{
	const struct bw_checks *checks = warp->block->launch->checks;
	if (stamp < checks->launch)
		return true;
	if (stamp < checks->block)
		return false;
	return stamp < checks->stamp || (int)(thread / BW_LANES) == warp->index;
}

static bool fail_race(struct bw_warp *warp, const struct bw_ptx_instruction *instruction, int lane,
		      const char *now, const char *before, uint32_t stamp, unsigned thread, unsigned line,
		      bool shared)
{
	char other[120], stage[120];
	tell_other(warp->block, stamp, thread, other, sizeof other);
	bw_kernel_tell_stage(warp->block->kernel, (int)line, stage, sizeof stage);
	return bw_warp_fail(warp, instruction, lane, BW_CODE_LAUNCH_FAILED,
			    "race in %s memory: it %s what %s%s%s %s in line %u, with no barrier between",
			    shared ? "shared" : "global", now, other, stage, *stage ? "," : "", before, line);
}

static bool check_read(struct bw_warp *warp, const struct bw_ptx_instruction *instruction, int lane,
		       struct bw_byte_cell *cell, bool shared)
{
	struct bw_checks *checks = warp->block->launch->checks;
	unsigned thread = (unsigned)warp->index * BW_LANES + (unsigned)lane;
	if (!is_ordered(warp, cell->write_stamp, cell->write_thread) && !cell->agreed)
		return fail_race(warp, instruction, lane, "reads", "writes", cell->write_stamp,
				 cell->write_thread, cell->write_line, shared);
	bool same_launch = cell->read_stamp >= checks->launch;
	if (same_launch && !is_ordered(warp, cell->read_stamp, cell->read_thread)) {
		cell->many = true; /* whoever writes it now is in conflict with one of them */
		if (cell->read_stamp < checks->block)
			return true;
	} else if (cell->read_stamp != checks->stamp) {
		cell->many = false;
	}
	cell->read_stamp = checks->stamp;
	cell->read_thread = (uint16_t)thread;
	cell->read_line = (uint32_t)instruction->line;
	return true;
}

/* A write that leaves the value as another thread has just written it disturbs nobody. */
static bool check_write(struct bw_warp *warp, const struct bw_ptx_instruction *instruction, int lane,
			struct bw_byte_cell *cell, bool changes, bool atomic, bool shared, const char *values)
{
	struct bw_checks *checks = warp->block->launch->checks;
	unsigned thread = (unsigned)warp->index * BW_LANES + (unsigned)lane;
	bool foreign = !is_ordered(warp, cell->write_stamp, cell->write_thread) ||
		       (cell->write_stamp == checks->stamp && cell->write_step == checks->step &&
			cell->write_thread != thread);
	if (foreign && !(atomic && cell->atomic)) {
		if (changes)
			return fail_race(warp, instruction, lane, values, "writes", cell->write_stamp,
					 cell->write_thread, cell->write_line, shared);
		cell->agreed = true;
		return true;
	}
	bool read_now =
	    cell->read_stamp >= checks->launch && (!is_ordered(warp, cell->read_stamp, cell->read_thread) ||
						   (cell->many && cell->read_stamp == checks->stamp));
	if (read_now && (changes || cell->write_stamp < checks->launch))
		return fail_race(warp, instruction, lane, "writes", "reads", cell->read_stamp,
				 cell->read_thread, cell->read_line, shared);
	cell->write_stamp = checks->stamp;
	cell->write_thread = (uint16_t)thread;
	cell->write_line = (uint32_t)instruction->line;
	cell->write_step = checks->step;
	cell->atomic = atomic;
	cell->agreed = false;
	return true;
}

/* The number that lies in `bytes` bytes. */
static uint64_t number_at(const unsigned char *place, unsigned bytes)
{
	uint64_t number = 0;
	memcpy(&number, place, bytes);
	return number;
}

/* Returns true if an instruction stores floats and both are the same but for their last digits, as
 * one expression comes to that is compiled in two places: 2^-10 of the greater for 32 bits, 2^-40
 * for 64. */
static bool is_same_float(const char *opcode, uint64_t a, uint64_t b)
{
	size_t length = strlen(opcode);
	const char *type = length > 4 ? opcode + length - 4 : "";
	if (!strcmp(type, ".f32")) {
		double x = bw_float_of_bits((uint32_t)a), y = bw_float_of_bits((uint32_t)b);
		return fabs(x - y) <= 0x1p-10 * fmax(fabs(x), fabs(y));
	}
	double x = bw_double_of_bits(a), y = bw_double_of_bits(b);
	return !strcmp(type, ".f64") && fabs(x - y) <= 0x1p-40 * fmax(fabs(x), fabs(y));
}

/* Returns true if the opcode makes an integer of a float. */
static bool rounds(const char *opcode)
{
	const char *from = strrchr(opcode, '.'), *to = from;
	if (strncmp(opcode, "cvt.", 4) || from[1] != 'f')
		return false;
	while (to > opcode && (to == from || *to != '.'))
		to--;
	return to[1] == 'u' || to[1] == 's';
}

/* Returns true if a register's value is an integer made of a float, perhaps clamped or cut after that. */
static bool is_of_float(const struct bw_ptx_kernel *kernel, const struct bw_operand *value, int depth)
{
	static const char *const keep[] = {"mov.", "cvt.", "min.", "max.", "selp.", "and."};
	for (int k = 0; !value->constant && depth && k < kernel->n_code; k++) {
		const struct bw_ptx_instruction *one = &kernel->code[k];
		const char *opcode = one->opcode >= 0 ? kernel->module->opcodes[one->opcode] : "";
		bool makes = false, keeps = false;
		for (int t = 0; t < one->n_to; t++)
			makes |= one->to[t].at == value->at;
		if (makes && rounds(opcode))
			return true;
		for (size_t w = 0; makes && w < sizeof keep / sizeof *keep; w++)
			keeps |= !strncmp(opcode, keep[w], strlen(keep[w]));
		for (int f = 0; keeps && f < one->n_from; f++)
			if (is_of_float(kernel, &one->from[f], depth - 1))
				return true;
	}
	return false;
}

/* Returns the part of the kernel that the line is in; -1: there is none. */
static int part_of_line(const struct bw_ptx_kernel *kernel, unsigned line)
{
	for (int k = 0; k < kernel->n_code; k++)
		if (kernel->code[k].line == (int)line)
			return kernel->code[k].part;
	return -1;
}

/* Returns true if a store writes, 1 off, what the same stage wrote in another block of the launch, and both
 * are rounded floats: overlapping tiles compute a point in more than one place, where its float may differ in
 * the last digits. Notes it. */
static bool is_rounded(const struct bw_warp *warp, const struct bw_ptx_instruction *instruction, int lane,
		       const struct bw_operand *value, const struct bw_byte_cell *cell, uint64_t now,
		       uint64_t before)
{
	enum { DEPTH = 6 };
	const struct bw_ptx_kernel *kernel = warp->block->kernel;
	struct bw_checks *checks = warp->block->launch->checks;
	char other[120], stage[120];
	if ((now > before ? now - before : before - now) != 1 || cell->write_stamp < checks->launch ||
	    cell->write_stamp >= checks->block || cell->atomic ||
	    part_of_line(kernel, cell->write_line) != instruction->part || !is_of_float(kernel, value, DEPTH))
		return false;
	if (checks->n_rounded++)
		return true;
	tell_other(warp->block, cell->write_stamp, cell->write_thread, other, sizeof other);
	bw_kernel_tell_stage(kernel, instruction->line, stage, sizeof stage);
	snprintf(checks->rounded, sizeof checks->rounded,
		 "%s, lane %d of a warp of block (%u, %u, %u) writes %llu in line %d of the PTX, where %s wrote %llu",
		 *stage ? stage + 2 : kernel->name, lane, warp->block->index[0], warp->block->index[1],
		 warp->block->index[2], (unsigned long long)now, instruction->line, other,
		 (unsigned long long)before);
	return true;
}

static uint32_t *doubts(const struct bw_warp *warp, const struct bw_operand *operand)
{
	return operand->constant ? NULL : (uint32_t *)(warp->doubts + operand->at);
}

uint32_t bw_doubts_of(const struct bw_warp *warp, const struct bw_operand *operand)
{
	const uint32_t *at = doubts(warp, operand);
	return at ? *at : 0;
}

void bw_doubts_set(const struct bw_warp *warp, const struct bw_operand *operand, uint32_t mask,
		   uint32_t value)
{
	uint32_t *at = doubts(warp, operand);
	if (at)
		*at = (*at & ~mask) | (value & mask);
}

void bw_check_flow(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask)
{
	uint32_t sum = 0;
	bool chooses = instruction->n_from == 3 && instruction->n_to == 1 &&
		       instruction->from[2].bytes == 0 && instruction->to[0].bytes != 0;
	if (chooses) { /* selp: the value that is not taken does not matter */
		uint32_t taken = *(const uint32_t *)bw_from(instruction, warp, 2);
		sum = bw_doubts_of(warp, &instruction->from[2]) |
		      (taken & bw_doubts_of(warp, &instruction->from[0])) |
		      (~taken & bw_doubts_of(warp, &instruction->from[1]));
	} else {
		for (int k = 0; k < instruction->n_from; k++)
			sum |= bw_doubts_of(warp, &instruction->from[k]);
	}
	for (int k = 0; k < instruction->n_to; k++)
		bw_doubts_set(warp, &instruction->to[k], mask, sum);
}

/* Notes the first read of memory that nothing wrote. */
static void note_doubt(const struct bw_warp *warp, const struct bw_ptx_instruction *instruction, int lane,
		       bool shared)
{
	struct bw_checks *checks = warp->block->launch->checks;
	char thread[120], stage[120];
	if (*checks->doubt)
		return;
	bw_kernel_tell_stage(warp->block->kernel, instruction->line, stage, sizeof stage);
	tell_other(warp->block, checks->stamp, (unsigned)warp->index * BW_LANES + (unsigned)lane, thread,
		   sizeof thread);
	snprintf(checks->doubt, sizeof checks->doubt,
		 "kernel %s%s, %s, line %d of the PTX, reads %s memory that nothing wrote",
		 warp->block->kernel->name, stage, thread, instruction->line, shared ? "shared" : "global");
}

bool bw_check_load(BW_ARGUMENTS, unsigned bytes, unsigned n, unsigned char *const places[BW_LANES])
{
	if (!warp->block->launch->checks) {
		bw_follow_load(instruction, warp, mask, bytes, n, places);
		return true;
	}
	struct bw_checks *checks = warp->block->launch->checks;
	uint32_t doubtful[BW_MOST_DESTINATIONS] = {0}, address = bw_doubts_of(warp, &instruction->from[0]);
	checks->step++;
	for (uint32_t left = mask; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		bool shared;
		struct bw_byte_cell *cells = cells_of(warp, instruction, places[l], &shared);
		for (unsigned b = 0; cells && b < bytes * n; b++) {
			if (checks->what & BW_CHECK_RACE && !check_read(warp, instruction, l, &cells[b], shared))
				return false;
			if (cells[b].write_stamp && !cells[b].doubtful)
				continue;
			doubtful[b / bytes] |= 1u << l;
			if (!cells[b].write_stamp)
				note_doubt(warp, instruction, l, shared);
		}
	}
	for (int k = 0; k < instruction->n_to; k++)
		bw_doubts_set(warp, &instruction->to[k], mask, doubtful[k] | address);
	return true;
}

bool bw_check_store(BW_ARGUMENTS, unsigned bytes, unsigned n, unsigned char *const places[BW_LANES])
{
	if (!warp->block->launch->checks) {
		bw_follow_store(instruction, warp, mask, bytes, n, places);
		return true;
	}
	struct bw_checks *checks = warp->block->launch->checks;
	uint32_t address = bw_doubts_of(warp, &instruction->from[0]);
	checks->step++;
	for (uint32_t left = mask; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		bool shared;
		struct bw_byte_cell *cells = cells_of(warp, instruction, places[l], &shared);
		for (unsigned k = 0; cells && k < n; k++) {
			const struct bw_operand *from = &instruction->from[k + 1];
			const unsigned char *value =
			    (const unsigned char *)bw_from(instruction, warp, (int)k + 1) + l * from->bytes;
			bool doubtful = (address | bw_doubts_of(warp, from)) >> l & 1;
			char values[100];
			uint64_t now = number_at(value, bytes), before = number_at(places[l] + k * bytes, bytes);
			bool same = now == before ||
				    is_same_float(warp->block->kernel->module->opcodes[instruction->opcode],
						  now, before) ||
				    (!shared && is_rounded(warp, instruction, l, from, &cells[k * bytes], now, before));
			snprintf(values, sizeof values, "writes 0x%llx over 0x%llx,", (unsigned long long)now,
				 (unsigned long long)before);
			for (unsigned b = 0; b < bytes; b++) {
				struct bw_byte_cell *cell = &cells[k * bytes + b];
				/* Bytes of this very instruction are in memory only after it: two lanes of it
				 * differ if their values do. */
				if (checks->what & BW_CHECK_RACE &&
				    !check_write(warp, instruction, l, cell,
						 !same && places[l][k * bytes + b] != value[b], false, shared,
						 values))
					return false;
				if (!(checks->what & BW_CHECK_RACE))
					cell->write_stamp = checks->stamp;
				cell->doubtful = doubtful;
			}
		}
		/* The store itself, so that the next lane of the instruction is compared with it. */
		for (unsigned k = 0; cells && k < n; k++)
			memcpy(places[l] + k * bytes,
			       (const unsigned char *)bw_from(instruction, warp, (int)k + 1) +
				   l * instruction->from[k + 1].bytes,
			       bytes);
	}
	return true;
}

bool bw_check_atomic(BW_ARGUMENTS, unsigned bytes, unsigned char *const places[BW_LANES])
{
	if (!warp->block->launch->checks) {
		bw_follow_atomic(instruction, warp, mask, bytes, places);
		return true;
	}
	struct bw_checks *checks = warp->block->launch->checks;
	uint32_t sum = 0, found = 0;
	for (int k = 0; k < instruction->n_from; k++)
		sum |= bw_doubts_of(warp, &instruction->from[k]);
	checks->step++;
	for (uint32_t left = mask; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		bool shared;
		struct bw_byte_cell *cells = cells_of(warp, instruction, places[l], &shared);
		for (unsigned b = 0; cells && b < bytes; b++) {
			if (!cells[b].write_stamp)
				note_doubt(warp, instruction, l, shared);
			bool doubtful = !cells[b].write_stamp || cells[b].doubtful || (sum >> l & 1);
			if (checks->what & BW_CHECK_RACE &&
			    !check_write(warp, instruction, l, &cells[b], true, true, shared, "changes"))
				return false;
			cells[b].write_stamp = checks->stamp;
			cells[b].doubtful = doubtful;
			found |= (uint32_t)doubtful << l;
		}
	}
	for (int k = 0; k < instruction->n_to; k++)
		bw_doubts_set(warp, &instruction->to[k], mask, found);
	return true;
}
