#include "emulator/check.h"

#include <stdlib.h>

#include "emulator/launch.h"
#include "emulator/number.h"
#include "emulator/warp.h"

/* The offsets of registers are multiples of this number of bytes. */
enum { PLACE = 64 };

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

bool bw_check_launch(struct bw_checks *checks, const struct bw_ptx_kernel *kernel, uint64_t n)
{
	uint32_t *blocks = realloc(checks->blocks, (n ? n : 1) * sizeof *blocks);
	if (!blocks)
		return false;
	checks->blocks = blocks;
	free(checks->greatest);
	checks->greatest = calloc((size_t)kernel->n_parts + 1, sizeof *checks->greatest);
	if (!checks->greatest)
		return false;
	checks->n_blocks = 0;
	checks->n_rounded = 0;
	*checks->rounded = 0;
	if (checks->stamp < 1)
		checks->stamp = 1; /* the host's */
	checks->launch = checks->stamp + 1;
	bw_order_launch(&checks->orders);
	return true;
}

void bw_check_block(struct bw_checks *checks)
{
	checks->block = checks->interval = ++checks->stamp;
	checks->blocks[checks->n_blocks++] = checks->stamp;
	bw_order_block(&checks->orders);
}

void bw_check_barrier(struct bw_checks *checks)
{
	checks->interval = ++checks->stamp;
	bw_order_barrier(checks);
}

void bw_check_end(struct bw_checks *checks)
{
	free(checks->blocks);
	free(checks->greatest);
	checks->greatest = NULL;
	bw_order_end(&checks->orders);
	checks->blocks = NULL;
}

/* Writes which block and thread an access of this launch belongs to. */
static void tell_other(const struct bw_block *block, uint32_t stamp, unsigned thread, char *text, size_t size)
{
	const struct bw_ptx_launch *launch = block->launch;
	const unsigned *threads = launch->threads, *grid = launch->grid;
	uint64_t number = bw_order_block_at(launch->checks, stamp);
	snprintf(text, size, "block (%llu, %llu, %llu), thread (%u, %u, %u)",
		 (unsigned long long)(number % grid[0]), (unsigned long long)(number / grid[0] % grid[1]),
		 (unsigned long long)(number / grid[0] / grid[1]), thread % threads[0],
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

/* An access that a lane is about to make. */
struct access {
	struct bw_warp *warp;
	const struct bw_ptx_instruction *instruction;
	int lane;
	bool shared, strong; /* strong: like an atomic; two strong accesses do not race */
};

static struct bw_byte_access now(const struct access *access)
{
	enum { MOST_PLACES = 1 << 22 };
	const struct bw_block *block = access->warp->block;
	ptrdiff_t at = access->instruction - block->kernel->code;
	return (struct bw_byte_access){.stamp = block->launch->checks->stamp,
				       .thread = (unsigned)(access->warp->index * BW_LANES + access->lane) & 1023,
				       .at = (unsigned)(at < MOST_PLACES ? at : 0) & (MOST_PLACES - 1)};
}

/* Returns true if an earlier access is ordered before the current warp's: the warp itself made it, or
 * it was before a barrier or in an earlier launch, or a release passed it on to the warp. */
static bool is_ordered(const struct bw_warp *warp, const struct bw_byte_access *earlier)
{
	const struct bw_checks *checks = warp->block->launch->checks;
	if (earlier->stamp < checks->launch)
		return true;
	if (earlier->stamp >= checks->block &&
	    (earlier->stamp < checks->interval || (int)(earlier->thread / BW_LANES) == warp->index))
		return true;
	return bw_order_holds(warp, earlier->stamp, earlier->thread);
}

static bool fail_race(const struct access *access, const char *what, const char *before,
		      const struct bw_byte_access *earlier)
{
	char other[120], stage[120];
	const struct bw_block *block = access->warp->block;
	int line = block->kernel->code[earlier->at].line;
	tell_other(block, earlier->stamp, earlier->thread, other, sizeof other);
	bw_kernel_tell_stage(block->kernel, line, stage, sizeof stage);
	return bw_warp_fail(access->warp, access->instruction, access->lane, BW_CODE_LAUNCH_FAILED,
			    "race in %s memory: it %s what %s%s%s %s in line %d, with no barrier between",
			    access->shared ? "shared" : "global", what, other, stage, *stage ? "," : "", before,
			    line);
}

/* Returns the write of the byte that an access of the warp is not ordered with; NULL if there is none. */
static const struct bw_byte_access *unordered_write(const struct access *access,
						    const struct bw_byte_cell *cell)
{
	const struct bw_warp *warp = access->warp;
	if (!is_ordered(warp, &cell->plain))
		return &cell->plain;
	if (access->strong)
		return NULL;
	return !is_ordered(warp, &cell->atomic)	        ? &cell->atomic
	       : !is_ordered(warp, &cell->other_atomic) ? &cell->other_atomic
							: NULL;
}

static bool check_read(const struct access *access, struct bw_byte_cell *cell)
{
	const struct bw_checks *checks = access->warp->block->launch->checks;
	const struct bw_byte_access *write = unordered_write(access, cell);
	if (write)
		return fail_race(access, "reads", "writes", write);
	if (access->strong)
		return true;
	if (!is_ordered(access->warp, &cell->read)) {
		cell->many = true; /* a write now races with at least one of the readers */
		if (cell->read.stamp < checks->block)
			return true;
	} else if (cell->read.stamp < checks->interval) {
		cell->many = false;
	}
	cell->read = now(access);
	return true;
}

/* Returns true if another warp or block also wrote the last plain write's value, and the two writes are
 * still unordered. */
static bool is_agreed(const struct bw_checks *checks, const struct bw_byte_cell *cell)
{
	return cell->agreed == BW_AGREED_BLOCKS	 ? cell->plain.stamp >= checks->launch
	       : cell->agreed == BW_AGREED_WARPS ? cell->plain.stamp >= checks->interval
						 : false;
}

/* Records the atomic write, and keeps the last one of another block, or else of another warp. */
static void note_atomic(const struct bw_checks *checks, struct bw_byte_cell *cell,
			struct bw_byte_access access)
{
	const struct bw_byte_access *last = &cell->atomic, *other = &cell->other_atomic;
	bool has_block = other->stamp >= checks->launch && other->stamp < checks->block,
	     of_block = last->stamp >= checks->launch && last->stamp < checks->block,
	     of_warp = last->stamp >= checks->interval && last->thread / BW_LANES != access.thread / BW_LANES;
	if (of_block || (of_warp && !has_block))
		cell->other_atomic = *last;
	cell->atomic = access;
}

/* A plain write of the value that another thread has just written is no race. */
static bool check_write(const struct access *access, struct bw_byte_cell *cell, bool changes,
			const char *values)
{
	const struct bw_checks *checks = access->warp->block->launch->checks;
	struct bw_byte_access me = now(access);
	const struct bw_byte_access *write = unordered_write(access, cell);
	bool agreed = is_agreed(checks, cell);
	if (!write && ((agreed && changes) || (cell->plain.stamp == me.stamp && cell->plain_step == checks->step &&
					       cell->plain.thread != me.thread)))
		write = &cell->plain;
	if (write && changes)
		return fail_race(access, values, "writes", write);
	if (changes || cell->plain.stamp < checks->launch) {
		bool read_now = cell->many && cell->read.stamp >= checks->interval;
		if (read_now || !is_ordered(access->warp, &cell->read))
			return fail_race(access, "writes", "reads", &cell->read);
	}
	if (access->strong) {
		note_atomic(checks, cell, me);
		return true;
	}
	if (write && (!agreed || write->stamp < checks->block))
		cell->agreed = write->stamp < checks->block ? BW_AGREED_BLOCKS : BW_AGREED_WARPS;
	else if (!agreed)
		cell->agreed = BW_AGREED_NOBODY;
	cell->plain = me;
	cell->plain_step = checks->step;
	return true;
}

/* Returns the number stored in `bytes` bytes. */
static uint64_t number_at(const unsigned char *place, unsigned bytes)
{
	uint64_t number = 0;
	memcpy(&number, place, bytes);
	return number;
}

/* Returns the stage of an instruction, as the number of its first part. */
static int stage_of(const struct access *access, const struct bw_ptx_instruction *instruction)
{
	return access->warp->block->kernel->parts[instruction->part].group;
}

/* Returns true if the cell's last write was a plain one in this launch by the same stage of the kernel. */
static bool is_of_stage(const struct access *access, const struct bw_byte_cell *cell)
{
	const struct bw_checks *checks = access->warp->block->launch->checks;
	return cell->plain.stamp >= checks->launch && cell->atomic.stamp < checks->launch &&
	       stage_of(access, &access->warp->block->kernel->code[cell->plain.at]) ==
		   stage_of(access, access->instruction);
}

/* Returns true if an element is a float and both values agree except in their last digits, as the results
 * of one expression do if it is compiled in two places. The difference may be 2^-10 of the larger value for
 * 32 bits, 2^-40 for 64 bits. After cancellation relative differences are larger: values of the same stage
 * may also differ by 2^-16 (32 bits) or 2^-45 (64 bits) of the largest value that the stage has stored. */
static bool is_same_float(const struct access *access, const struct bw_operand *from, unsigned bytes,
			  const struct bw_byte_cell *cell, uint64_t now, uint64_t before)
{
	double *greatest = &access->warp->block->launch->checks->greatest[stage_of(access, access->instruction)];
	if (!(from->made_of & BW_MADE_FLOAT) || bytes < 4)
		return false;
	bool single = bytes == 4;
	double x = single ? bw_float_of_bits((uint32_t)now) : bw_double_of_bits(now),
	       y = single ? bw_float_of_bits((uint32_t)before) : bw_double_of_bits(before);
	if (fabs(x) < 0x1p64) /* larger values are sentinels */
		*greatest = fmax(*greatest, fabs(x));
	return fabs(x - y) <= (single ? 0x1p-10 : 0x1p-40) * fmax(fabs(x), fabs(y)) ||
	       (fabs(x - y) <= (single ? 0x1p-16 : 0x1p-45) * *greatest && is_of_stage(access, cell));
}

/* Returns the kinds of an opcode's results (bits of enum bw_made). Sets *keeps to the kinds that the opcode
 * passes on from its sources to its results. */
static unsigned made_by(const char *opcode, unsigned *keeps)
{
	static const char *const cut[] = {"cvt.", "min.", "max.", "and."};
	size_t length = strlen(opcode);
	const char *from = length > 4 ? opcode + length - 4 : opcode, *to = from;
	bool of_float = !strcmp(from, ".f32") || !strcmp(from, ".f64") || !strcmp(from, ".f16"),
	     converts = !strncmp(opcode, "cvt.", 4);
	*keeps = !strncmp(opcode, "mov.", 4) || !strncmp(opcode, "selp.", 5) ? BW_MADE_FLOAT | BW_MADE_ROUNDED : 0;
	for (size_t k = 0; k < sizeof cut / sizeof *cut; k++)
		*keeps |= strncmp(opcode, cut[k], strlen(cut[k])) ? 0 : BW_MADE_ROUNDED;
	if (!converts)
		return of_float ? BW_MADE_FLOAT : 0;
	from = strrchr(opcode, '.');
	for (to = from; to > opcode && (to == from || *to != '.');)
		to--;
	return to[1] == 'f' ? BW_MADE_FLOAT : from[1] == 'f' ? BW_MADE_ROUNDED : 0;
}

/* Sets made[] for the registers of a kernel, one for every 64 bytes of register memory; repeats until
 * nothing changes. */
static void mark_registers(const struct bw_ptx_kernel *kernel, uint8_t *made)
{
	bool changed = true;
	while (changed) {
		changed = false;
		for (int k = 0; k < kernel->n_code; k++) {
			const struct bw_ptx_instruction *one = &kernel->code[k];
			unsigned keeps = 0, of = one->opcode >= 0 ? made_by(kernel->module->opcodes[one->opcode], &keeps) : 0;
			for (int f = 0; keeps && f < one->n_from; f++)
				of |= one->from[f].constant ? 0 : keeps & made[one->from[f].at / PLACE];
			for (int t = 0; t < one->n_to; t++) {
				changed |= one->to[t].bytes && of & ~(unsigned)made[one->to[t].at / PLACE];
				made[one->to[t].at / PLACE] |= one->to[t].bytes ? (uint8_t)of : 0;
			}
		}
	}
}

bool bw_check_prepare(struct bw_ptx *module)
{
	for (int n = 0; n < module->n_kernels; n++) {
		struct bw_ptx_kernel *kernel = module->kernels[n];
		uint8_t *made = calloc(kernel->register_bytes / PLACE + 1, 1);
		if (!made)
			return false;
		mark_registers(kernel, made);
		for (int k = 0; k < kernel->n_code; k++) {
			struct bw_ptx_instruction *one = &kernel->code[k];
			unsigned keeps = 0, of = one->opcode >= 0 ? made_by(module->opcodes[one->opcode], &keeps) : 0;
			for (int f = 0; !one->n_to && f < one->n_from; f++)
				one->from[f].made_of = (uint8_t)(of | (one->from[f].constant ? 0u : made[one->from[f].at / PLACE]));
		}
		free(made);
	}
	return true;
}

/* Returns true if a store differs by 1 from the value that the same stage stored in another block of the
 * launch, and both values are rounded floats: blocks with overlapping tiles compute a point more than once,
 * and the floats may differ in the last digits. Counts such stores, and records the first. */
static bool is_rounded(const struct access *access, const struct bw_operand *from,
		       const struct bw_byte_cell *cell, uint64_t now, uint64_t before)
{
	const struct bw_warp *warp = access->warp;
	const struct bw_ptx_kernel *kernel = warp->block->kernel;
	struct bw_checks *checks = warp->block->launch->checks;
	char other[120], stage[120];
	if (access->shared || (now > before ? now - before : before - now) != 1 ||
	    cell->plain.stamp >= checks->block || !is_of_stage(access, cell) || !(from->made_of & BW_MADE_ROUNDED))
		return false;
	if (checks->n_rounded++)
		return true;
	tell_other(warp->block, cell->plain.stamp, cell->plain.thread, other, sizeof other);
	bw_kernel_tell_stage(kernel, access->instruction->line, stage, sizeof stage);
	snprintf(checks->rounded, sizeof checks->rounded,
		 "%s, lane %d of a warp of block (%u, %u, %u) writes %llu in line %d of the PTX, where %s wrote %llu",
		 *stage ? stage + 2 : kernel->name, access->lane, warp->block->index[0], warp->block->index[1],
		 warp->block->index[2], (unsigned long long)now, access->instruction->line, other,
		 (unsigned long long)before);
	return true;
}

/* Records the first read of uninitialized memory. */
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

/* Describes a lane's access for the checks. Volatile accesses are strong, except in shared memory,
 * where programs use them among the threads of one warp. */
static struct access access_of(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, int lane,
			       bool shared)
{
	bool is_volatile = instruction->order & BW_ORDER_VOLATILE;
	return (struct access){.warp = warp,
			       .instruction = instruction,
			       .lane = lane,
			       .shared = shared,
			       .strong = instruction->order & BW_ORDER_STRONG && !(is_volatile && shared)};
}

bool bw_check_load(BW_ARGUMENTS, unsigned bytes, unsigned n, unsigned char *const places[BW_LANES])
{
	if (!warp->block->launch->checks) {
		bw_follow_load(instruction, warp, mask, bytes, n, places);
		return true;
	}
	struct bw_checks *checks = warp->block->launch->checks;
	uint32_t address = bw_doubts_of(warp, &instruction->from[0]);
	checks->step++;
	for (uint32_t left = mask; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		uint64_t doubtful[BW_MOST_DESTINATIONS] = {0};
		bool shared;
		struct bw_byte_cell *cells = cells_of(warp, instruction, places[l], &shared);
		struct access access = access_of(instruction, warp, l, shared);
		for (unsigned b = 0; cells && b < bytes * n; b++) {
			if (checks->what & BW_CHECK_RACE && !check_read(&access, &cells[b]))
				return false;
			if (access.strong && cells[b].released)
				bw_order_read(warp, places[l] + b);
			if (bw_cell_is_written(&cells[b]) && !cells[b].doubtful)
				continue;
			bool sign = instruction->is_signed && b % bytes == bytes - 1;
			doubtful[b / bytes] |= (sign ? UINT64_MAX : UINT64_C(255)) << 8 * (b % bytes);
			if (!bw_cell_is_written(&cells[b]))
				note_doubt(warp, instruction, l, shared);
		}
		for (int k = 0; k < instruction->n_to; k++)
			bw_doubts_put(warp, &instruction->to[k], l, address >> l & 1 ? UINT64_MAX : doubtful[k]);
	}
	return true;
}

/* Checks a store of `bytes` bytes of the value at `place`, which is element k of the lane's store. */
static bool check_element(const struct access *access, unsigned bytes, unsigned k, const unsigned char *place,
			  struct bw_byte_cell *cells)
{
	struct bw_warp *warp = access->warp;
	struct bw_checks *checks = warp->block->launch->checks;
	const struct bw_ptx_instruction *instruction = access->instruction;
	const struct bw_operand *from = &instruction->from[k + 1];
	const unsigned char *value =
	    (const unsigned char *)bw_from(instruction, warp, (int)k + 1) + access->lane * from->bytes;
	uint64_t doubts = bw_doubts_get(warp, &instruction->from[0], access->lane) ? UINT64_MAX
										 : bw_doubts_get(warp, from, access->lane);
	uint64_t now = number_at(value, bytes), before = number_at(place, bytes);
	char values[100];
	bool same = now == before ||
		    is_same_float(access, from, bytes, cells, now, before) ||
		    is_rounded(access, from, cells, now, before);
	snprintf(values, sizeof values, "writes 0x%llx over 0x%llx,", (unsigned long long)now,
		 (unsigned long long)before);
	for (unsigned b = 0; b < bytes; b++) {
		/* Bytes stored by this instruction reach memory only after it: two of its lanes
		 * conflict if their values differ. */
		bool changes = access->strong || (!same && place[b] != value[b]);
		if (!(checks->what & BW_CHECK_RACE))
			cells[b].plain.stamp = checks->stamp;
		else if (!check_write(access, &cells[b], changes, values))
			return false;
		cells[b].doubtful = doubts >> 8 * b & 255;
	}
	return true;
}

bool bw_check_store(BW_ARGUMENTS, unsigned bytes, unsigned n, unsigned char *const places[BW_LANES])
{
	if (!warp->block->launch->checks) {
		bw_follow_store(instruction, warp, mask, bytes, n, places);
		return true;
	}
	warp->block->launch->checks->step++;
	for (uint32_t left = mask; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		bool shared;
		struct bw_byte_cell *cells = cells_of(warp, instruction, places[l], &shared);
		struct access access = access_of(instruction, warp, l, shared);
		for (unsigned k = 0; cells && k < n; k++)
			if (!check_element(&access, bytes, k, places[l] + k * bytes, &cells[k * bytes]))
				return false;
		/* Store the value already here, so that the next lane of the instruction is compared with
		 * it. */
		for (unsigned k = 0; cells && k < n; k++)
			memcpy(places[l] + k * bytes,
			       (const unsigned char *)bw_from(instruction, warp, (int)k + 1) +
				   l * instruction->from[k + 1].bytes,
			       bytes);
		if (cells && access.strong)
			cells->released |= bw_order_write(warp, places[l], instruction->order);
	}
	return true;
}

bool bw_check_copy(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, int lane,
		   const unsigned char *to, const unsigned char *from, unsigned take, unsigned bytes)
{
	struct bw_checks *checks = warp->block->launch->checks;
	if (!checks) {
		bw_follow_copy(instruction, warp, to, from, take, bytes);
		return true;
	}
	bool shared;
	struct bw_byte_cell *from_cells = take ? cells_of(warp, instruction, from, &shared) : NULL,
			    *to_cells = cells_of(warp, instruction, to, &shared);
	struct access reads = access_of(instruction, warp, lane, false),
		      writes = access_of(instruction, warp, lane, true);
	checks->step++;
	for (unsigned b = 0; b < bytes; b++) {
		bool has = b < take && from_cells, written = !has || bw_cell_is_written(&from_cells[b]);
		if (!written)
			note_doubt(warp, instruction, lane, false);
		if (has && checks->what & BW_CHECK_RACE && !check_read(&reads, &from_cells[b]))
			return false;
		if (!(checks->what & BW_CHECK_RACE))
			to_cells[b].plain.stamp = checks->stamp;
		else if (!check_write(&writes, &to_cells[b], to[b] != (b < take ? from[b] : 0), "copies over"))
			return false;
		to_cells[b].doubtful = has && (!written || from_cells[b].doubtful);
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
		struct access access = access_of(instruction, warp, l, shared);
		for (unsigned b = 0; cells && b < bytes; b++) {
			bool written = bw_cell_is_written(&cells[b]);
			if (!written)
				note_doubt(warp, instruction, l, shared);
			bool doubtful = !written || cells[b].doubtful || (sum >> l & 1);
			if (!(checks->what & BW_CHECK_RACE))
				cells[b].atomic.stamp = checks->stamp;
			else if (!check_write(&access, &cells[b], true, "changes"))
				return false;
			cells[b].doubtful = doubtful;
			found |= (uint32_t)doubtful << l;
		}
		if (cells && cells->released)
			bw_order_read(warp, places[l]);
		if (cells)
			cells->released |= bw_order_write(warp, places[l], instruction->order);
	}
	for (int k = 0; k < instruction->n_to; k++)
		bw_doubts_set(warp, &instruction->to[k], mask, found);
	return true;
}
