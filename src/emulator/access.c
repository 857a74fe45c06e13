/* ld and st: the addresses of a warp's lanes, each checked against the allocations of its space, and
 * transfers between memory and registers. */

#include "emulator/memory.h"
#include "emulator/launch.h"
#include "emulator/opcode.h"
#include "emulator/warp.h"

static const char *const space_names[] = {"generic", "global", "shared", "local", "constant", "parameter"};

/* Describes in words the position of an address outside all allocations. */
static void tell_place(const struct bw_memory *memory, uint64_t address, char *words, size_t size)
{
	const struct bw_allocation *nearest = NULL;
	uint64_t distance = UINT64_MAX;
	bool before = false;
	for (size_t k = 0; k < memory->n; k++) {
		const struct bw_allocation *one = &memory->list[k];
		uint64_t off = address < one->begin ? one->begin - address : address - one->end;
		if (off < distance) {
			distance = off;
			nearest = one;
			before = address < one->begin;
		}
	}
	if (!nearest || distance > nearest->end - nearest->begin + (1 << 20))
		snprintf(words, size, "near no allocation");
	else
		snprintf(words, size, "%llu bytes %s an allocation of %llu bytes",
			 (unsigned long long)distance, before ? "before" : "after the end of",
			 (unsigned long long)(nearest->end - nearest->begin));
}

static bool fail_outside(struct bw_warp *warp, const struct bw_ptx_instruction *instruction, int lane,
			 uint64_t address, unsigned bytes)
{
	const struct bw_memory *memory = warp->block->launch->memory;
	const struct bw_allocation *allocation = bw_memory_find(memory, address);
	char words[200];
	if (allocation)
		snprintf(words, sizeof words, "%llu of them after the end of an allocation of %llu bytes",
			 (unsigned long long)(address + bytes - allocation->end),
			 (unsigned long long)(allocation->end - allocation->begin));
	else
		tell_place(memory, address, words, sizeof words);
	return bw_warp_fail(warp, instruction, lane, BW_CODE_ILLEGAL_ADDRESS,
			    "%u bytes of global memory at 0x%llx, %s", bytes, (unsigned long long)address,
			    words);
}

static bool fail_beyond(struct bw_warp *warp, const struct bw_ptx_instruction *instruction, int lane,
			int space, uint64_t address, unsigned bytes, uint64_t size)
{
	return bw_warp_fail(warp, instruction, lane, BW_CODE_ILLEGAL_ADDRESS,
			    "%u bytes at %lld of %s memory, which has %llu bytes", bytes, (long long)address,
			    space_names[space], (unsigned long long)size);
}

/* Returns true if all bytes are in the allocation. An address near the end of the address space does
 * not wrap around. */
static bool lies_in(const struct bw_allocation *allocation, uint64_t address, unsigned bytes)
{
	return address >= allocation->begin && address < allocation->end && allocation->end - address >= bytes;
}

/* Checks one lane's address in global memory and keeps its allocation for the next time. */
static bool check_global(struct bw_warp *warp, const struct bw_ptx_instruction *instruction, int lane,
			 uint64_t address, unsigned bytes, bool stores)
{
	const struct bw_allocation **seen = &warp->block->seen[instruction - warp->block->kernel->code];
	if (!*seen || !lies_in(*seen, address, bytes)) {
		const struct bw_allocation *found = bw_memory_find(warp->block->launch->memory, address);
		if (!found || !lies_in(found, address, bytes))
			return fail_outside(warp, instruction, lane, address, bytes);
		*seen = found;
	}
	return !stores || !(*seen)->constant ||
	       bw_warp_fail(warp, instruction, lane, BW_CODE_ILLEGAL_ADDRESS, "a store to constant memory");
}

bool bw_access_place(struct bw_warp *warp, const struct bw_ptx_instruction *instruction, int lane, int space,
		     uint64_t address, unsigned bytes, bool stores, unsigned char **place)
{
	struct bw_block *block = warp->block;
	unsigned char *base;
	uint64_t size;
	if (space == BW_SPACE_GENERIC && address >= BW_LOCAL_WINDOW) {
		space = BW_SPACE_LOCAL;
		address -= BW_LOCAL_WINDOW;
	} else if (space == BW_SPACE_GENERIC && address >= BW_SHARED_WINDOW) {
		space = BW_SPACE_SHARED;
		address -= BW_SHARED_WINDOW;
	} else if (space == BW_SPACE_GENERIC && address >= BW_PARAMETER_WINDOW && !stores) {
		space = BW_SPACE_PARAM;
		address -= BW_PARAMETER_WINDOW;
	}
	if (address & (bytes - 1))
		return bw_warp_fail(warp, instruction, lane, BW_CODE_MISALIGNED,
				    "%u bytes at 0x%llx, which is no multiple of their number", bytes,
				    (unsigned long long)address);
	switch (space) {
	case BW_SPACE_SHARED:
		size = block->shared_bytes;
		base = block->shared;
		break;
	case BW_SPACE_LOCAL:
		size = block->kernel->local_bytes;
		base = warp->local + (uint64_t)lane * block->kernel->local_stride;
		break;
	case BW_SPACE_PARAM:
		size = block->kernel->parameter_bytes;
		base = (unsigned char *)block->launch->parameters;
		break;
	default:
		*place = (unsigned char *)(uintptr_t)address;
		return check_global(warp, instruction, lane, address, bytes, stores);
	}
	if (address >= size || size - address < bytes)
		return fail_beyond(warp, instruction, lane, space, address, bytes, size);
	*place = base + address;
	return true;
}

bool bw_access_places(BW_ARGUMENTS, unsigned bytes, bool stores, unsigned char *places[BW_LANES])
{
	const unsigned char *addresses = bw_from(instruction, warp, 0);
	bool narrow = instruction->from[0].bytes == 4;
	uint64_t address[BW_LANES], low = UINT64_MAX, high = 0, all = 0;
	for (int l = 0; l < BW_LANES; l++)
		address[l] = (narrow ? ((const uint32_t *)addresses)[l] : ((const uint64_t *)addresses)[l]) +
			     (uint64_t)instruction->offset;
	if (instruction->space == BW_SPACE_GLOBAL && mask == BW_ALL_LANES) {
		const struct bw_allocation *seen = warp->block->seen[instruction - warp->block->kernel->code];
		for (int l = 0; l < BW_LANES; l++) {
			low = address[l] < low ? address[l] : low;
			high = address[l] > high ? address[l] : high;
			all |= address[l];
		}
		if (seen && low >= seen->begin && high < seen->end && seen->end - high >= bytes &&
		    !(all & (bytes - 1)) && !(stores && seen->constant)) {
			for (int l = 0; l < BW_LANES; l++)
				places[l] = (unsigned char *)(uintptr_t)address[l];
			return true;
		}
	}
	for (uint32_t left = mask; left; left &= left - 1) {
		int l = __builtin_ctz(left);
		if (!bw_access_place(warp, instruction, l, instruction->space, address[l], bytes, stores,
				     &places[l]))
			return false;
	}
	return true;
}

/* Loads elements of type T into registers of R, which may be wider. */
#define MOVE_IN(R, T) \
	for (int k = 0; k < instruction->n_to; k++) { \
		R *d = bw_to(instruction, warp, k); \
		for (uint32_t left = mask; left; left &= left - 1) { \
			int l = __builtin_ctz(left); \
			d[l] = (R)((const T *)places[l])[k]; \
		} \
	}
#define LOAD(name, T) \
	static bool name(BW_ARGUMENTS) \
	{ \
		unsigned char *places[BW_LANES]; \
		if (!bw_access_places(instruction, warp, mask, sizeof(T) * instruction->n_to, false, \
				      places)) \
			return false; \
		if (warp->block->counts) \
			bw_count_access(warp->block->counts, instruction, warp, mask, \
					sizeof(T) * instruction->n_to, false, places); \
		if (warp->doubts && \
		    !bw_check_load(instruction, warp, mask, sizeof(T), instruction->n_to, places)) \
			return false; \
		if (instruction->to[0].bytes == 2) { \
			MOVE_IN(uint16_t, T) \
		} else if (instruction->to[0].bytes == 4) { \
			MOVE_IN(uint32_t, T) \
		} else { \
			MOVE_IN(uint64_t, T) \
		} \
		return true; \
	}
LOAD(load_u8, uint8_t)
LOAD(load_s8, int8_t)
LOAD(load_u16, uint16_t)
LOAD(load_s16, int16_t)
LOAD(load_u32, uint32_t)
LOAD(load_s32, int32_t)
LOAD(load_64, uint64_t)

#define MOVE_OUT(R, T) \
	for (int k = 0; k + 1 < instruction->n_from; k++) { \
		const R *a = bw_from(instruction, warp, k + 1); \
		for (uint32_t left = mask; left; left &= left - 1) { \
			int l = __builtin_ctz(left); \
			((T *)places[l])[k] = (T)a[l]; \
		} \
	}
#define STORE(name, T) \
	static bool name(BW_ARGUMENTS) \
	{ \
		unsigned char *places[BW_LANES]; \
		if (!bw_access_places(instruction, warp, mask, sizeof(T) * (instruction->n_from - 1u), true, \
				      places)) \
			return false; \
		if (warp->block->counts) \
			bw_count_access(warp->block->counts, instruction, warp, mask, \
					sizeof(T) * (instruction->n_from - 1u), true, places); \
		if (warp->doubts && \
		    !bw_check_store(instruction, warp, mask, sizeof(T), instruction->n_from - 1u, places)) \
			return false; \
		if (instruction->from[1].bytes == 2) { \
			MOVE_OUT(uint16_t, T) \
		} else if (instruction->from[1].bytes == 4) { \
			MOVE_OUT(uint32_t, T) \
		} else { \
			MOVE_OUT(uint64_t, T) \
		} \
		return true; \
	}
STORE(store_8, uint8_t)
STORE(store_16, uint16_t)
STORE(store_32, uint32_t)
STORE(store_64, uint64_t)

/* A parameter has one value for all lanes. */
static bool load_parameter(BW_ARGUMENTS)
{
	unsigned char *places[BW_LANES];
	unsigned bytes = instruction->bytes;
	int first = __builtin_ctz(mask);
	if (!bw_access_places(instruction, warp, 1u << first, bytes * instruction->n_to, false, places))
		return false;
	for (int k = 0; k < instruction->n_to; k++) {
		uint64_t value = 0;
		memcpy(&value, places[first] + k * bytes, bytes);
		if (instruction->is_signed)
			value = (uint64_t)((int64_t)(value << (64 - 8 * bytes)) >> (64 - 8 * bytes));
		unsigned char *d = bw_to(instruction, warp, k);
		if (instruction->to[k].bytes == 2) {
			BW_EACH_LANE(mask, ((uint16_t *)d)[l] = (uint16_t)value)
		} else if (instruction->to[k].bytes == 4) {
			BW_EACH_LANE(mask, ((uint32_t *)d)[l] = (uint32_t)value)
		} else {
			BW_EACH_LANE(mask, ((uint64_t *)d)[l] = value)
		}
	}
	return true;
}

/* Addresses of a window of the generic space. */
static bool to_window(BW_ARGUMENTS)
{
	uint64_t *d = bw_to(instruction, warp, 0);
	const uint64_t *a = bw_from(instruction, warp, 0);
	BW_EACH_LANE(mask, d[l] = a[l] + (uint64_t)instruction->offset)
	return true;
}

/* Returns true if generic addresses lie in the space of the instruction. */
static bool is_in_space(BW_ARGUMENTS)
{
	uint32_t *d = bw_to(instruction, warp, 0), value = 0;
	const uint64_t *a = bw_from(instruction, warp, 0);
	for (int l = 0; l < BW_LANES; l++) {
		int space = a[l] >= BW_LOCAL_WINDOW	  ? BW_SPACE_LOCAL
			    : a[l] >= BW_SHARED_WINDOW	  ? BW_SPACE_SHARED
			    : a[l] >= BW_PARAMETER_WINDOW ? BW_SPACE_PARAM
							  : BW_SPACE_GLOBAL;
		value |= (uint32_t)(space == instruction->space) << l;
	}
	*d = (*d & ~mask) | (value & mask);
	return true;
}

static bool prefetch(BW_ARGUMENTS)
{
	(void)instruction, (void)warp, (void)mask;
	return true;
}

int bw_space_find(const char *name)
{
	static const char *const names[] = {"generic", "global", "shared", "local", "const", "param"};
	for (int k = 1; k < 6; k++)
		if (!strcmp(names[k], name))
			return k;
	return !strcmp(name, "shared::cta")					      ? BW_SPACE_SHARED
	       : !strcmp(name, "param::entry") || !strcmp(name, "param::func") ? BW_SPACE_PARAM
									      : BW_SPACE_GENERIC;
}

static bool find_cast(int n, char *part[], struct bw_opcode *opcode)
{
	bool to = n == 4 && !strcmp(part[1], "to");
	int space = n >= 3 ? bw_space_find(part[n - 2]) : BW_SPACE_GENERIC;
	if (n != 3 + to || !space || strcmp(part[n - 1], "u64"))
		return false;
	int64_t window = space == BW_SPACE_SHARED  ? (int64_t)BW_SHARED_WINDOW
			 : space == BW_SPACE_LOCAL ? (int64_t)BW_LOCAL_WINDOW
			 : space == BW_SPACE_PARAM ? (int64_t)BW_PARAMETER_WINDOW
						   : 0;
	*opcode = (struct bw_opcode){
	    .execute = to_window, .operands = "8=8", .detail = to ? (int64_t)(0 - (uint64_t)window) : window};
	return true;
}

bool bw_order_read_word(const char *word, unsigned *order)
{
	static const struct {
		const char *word;
		unsigned order;
	} words[] = {{"weak", 0},
		     {"volatile", BW_ORDER_STRONG | BW_ORDER_VOLATILE},
		     {"mmio", BW_ORDER_STRONG},
		     {"relaxed", BW_ORDER_STRONG},
		     {"acquire", BW_ORDER_STRONG},
		     {"release", BW_ORDER_STRONG | BW_ORDER_RELEASE},
		     {"acq_rel", BW_ORDER_STRONG | BW_ORDER_RELEASE},
		     {"cta", BW_ORDER_BLOCK},
		     {"cluster", 0},
		     {"gpu", 0},
		     {"sys", 0}};
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (!strcmp(words[k].word, word)) {
			*order |= words[k].order;
			return true;
		}
	return false;
}

/* Returns true for modifiers that the emulator ignores: where an access is cached. */
static bool is_without_effect(const char *part)
{
	static const char *const words[] = {"ca",
					    "cg",
					    "cs",
					    "cv",
					    "lu",
					    "wb",
					    "wt",
					    "nc",
					    "L1::evict_normal",
					    "L1::evict_unchanged",
					    "L1::evict_first",
					    "L1::evict_last",
					    "L1::no_allocate",
					    "L2::64B",
					    "L2::128B",
					    "L2::256B",
					    "unified"};
	for (size_t k = 0; k < sizeof words / sizeof *words; k++)
		if (!strcmp(words[k], part))
			return true;
	return false;
}

static bw_execute *mover(bool stores, const struct bw_type *type, int space)
{
	static bw_execute *const loads[] = {load_u8,  load_s8,  load_u16, load_s16,
					    load_u32, load_s32, load_64,  load_64};
	static bw_execute *const stores_of[] = {store_8, store_16, store_32, store_64};
	int size = type->bytes == 1 ? 0 : type->bytes == 2 ? 1 : type->bytes == 4 ? 2 : 3;
	return stores                    ? stores_of[size]
	       : space == BW_SPACE_PARAM ? load_parameter
					 : loads[2 * size + (type->kind == 's')];
}

bool bw_opcode_memory(const char *name, struct bw_opcode *opcode)
{
	char copy[96], *part[10];
	int n = bw_opcode_split(name, copy, sizeof copy, part, 10), space = BW_SPACE_GENERIC, vector = 1;
	if (n < 2)
		return false;
	if (!strcmp(part[0], "cvta"))
		return find_cast(n, part, opcode);
	if (!strcmp(part[0], "isspacep")) {
		*opcode = (struct bw_opcode){
		    .execute = is_in_space, .operands = "P=8", .space = (uint8_t)bw_space_find(part[1])};
		return n == 2 && opcode->space;
	}
	if (!strcmp(part[0], "prefetch") || !strcmp(part[0], "prefetchu")) {
		*opcode = (struct bw_opcode){.execute = prefetch, .operands = "=A"};
		return true;
	}
	bool stores = !strcmp(part[0], "st");
	unsigned order = 0;
	const struct bw_type *type = bw_type_find(part[n - 1]);
	if ((!stores && strcmp(part[0], "ld") && strcmp(part[0], "ldu")) || !type || type->kind == 'p')
		return false;
	for (int k = 1; k < n - 1; k++) {
		if (bw_space_find(part[k]) && !space)
			space = bw_space_find(part[k]);
		else if (vector == 1 && (!strcmp(part[k], "v2") || !strcmp(part[k], "v4")))
			vector = part[k][1] - '0';
		else if (!is_without_effect(part[k]) && !bw_order_read_word(part[k], &order))
			return false;
	}
	if (vector * type->bytes > 16 || (stores && space == BW_SPACE_CONST))
		return false;
	if (stores && space == BW_SPACE_PARAM) /* a call's parameters: a kernel's are read-only */
		space = BW_SPACE_LOCAL;
	*opcode = (struct bw_opcode){.execute = mover(stores, type, space),
				     .operands = stores ? "=AV" : "V=A",
				     .space = (uint8_t)space,
				     .bytes = type->bytes,
				     .vector = (uint8_t)vector,
				     .order = (uint8_t)order,
				     .is_signed = type->kind == 's'};
	return true;
}
