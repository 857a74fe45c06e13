/* Device memory: a list of all live allocations, against which each access is checked. Device addresses are
 * addresses of the host. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "emulator/order.h"
#include "emulator/ptx.h"

/* First addresses in the generic space of a thread's local memory, its block's shared memory, the kernel's
 * parameters, and functions. No allocation has addresses in these ranges. */
#define BW_LOCAL_WINDOW UINT64_C(0xff00000000000000)
#define BW_SHARED_WINDOW UINT64_C(0xfe00000000000000)
#define BW_PARAMETER_WINDOW UINT64_C(0xfd00000000000000)
#define BW_FUNCTION_WINDOW UINT64_C(0xfc00000000000000)

struct bw_allocation {
	uint64_t begin, end; /* addresses of the first byte and of the one after the last */
	uint64_t sector; /* number of the first sector of 32 bytes, relative to the first allocation:
			    unlike addresses, equal in every run */
	void *block;         /* memory to free; NULL: the memory belongs to a module */
	bool constant;       /* cannot be stored to */
	unsigned char *touched; /* per sector of 32 bytes, while a launch counts: bit 0 loaded, bit 1 stored;
				   else NULL */
	/* while bytes are tracked (emulator/sample.h): state per byte, followed by one byte that is nonzero
	 * if the allocation was stored to; NULL: all bytes are known */
	unsigned char *known;
	struct bw_byte_cell *cells; /* one per byte while accesses are checked; else NULL */
};

/* All allocations, in the order of their addresses. */
struct bw_memory {
	struct bw_allocation *list;
	size_t n, room;
	uint64_t bytes, most_bytes; /* bytes in use; limit */
	uint64_t sectors;           /* sector numbers given to allocations so far, live or freed */
	bool has_cells;             /* new allocations have cells */
	bool has_unknown;           /* a launch ran only a sample of its blocks */
};

/* Returns the address of new memory, aligned to 256 bytes and filled with 0xa5, or 0 if out of
 * memory. */
uint64_t bw_memory_allocate(struct bw_memory *memory, size_t bytes);
/* Adds initialized memory owned by the caller. Returns false if there is no room for the record. */
bool bw_memory_add(struct bw_memory *memory, const void *begin, size_t bytes, bool constant);
/* Removes an allocation, and frees it if it is from bw_memory_allocate(). Returns false if none begins
 * at the address. */
bool bw_memory_free(struct bw_memory *memory, uint64_t address);
/* Returns the allocation that contains the address, or NULL. */
const struct bw_allocation *bw_memory_find(const struct bw_memory *memory, uint64_t address);
void bw_memory_end(struct bw_memory *memory);

/* The memory locations that the lanes of an instruction access. */

/* Finds for each lane of the mask the memory that it accesses: `bytes` bytes (a power of two) at the
 * address in the first source. Returns false after a fault: the address is misaligned, or in no live
 * allocation. */
bool bw_access_places(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		      unsigned bytes, bool stores, unsigned char *places[BW_LANES]);
/* Finds the memory that one lane accesses at an address of a space. */
bool bw_access_place(struct bw_warp *warp, const struct bw_ptx_instruction *instruction, int lane, int space,
		     uint64_t address, unsigned bytes, bool stores, unsigned char **place);
/* Adds to *order (of enum bw_order) the memory ordering and scope that a modifier of an access
 * specifies. Returns false if the modifier specifies neither. */
bool bw_order_read_word(const char *word, unsigned *order);
/* Returns the space of this name; BW_SPACE_GENERIC if there is none. */
int bw_space_find(const char *name);
