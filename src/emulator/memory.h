/* Device memory: every live allocation, so that each access can be checked against them. Addresses are the
 * host's own. */
#ifndef BW_EMULATOR_MEMORY_H
#define BW_EMULATOR_MEMORY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where generic addresses of a thread's local memory, of its block's shared memory and of the kernel's
 * parameters begin, and addresses of functions: no allocation lies there. */
#define BW_LOCAL_WINDOW UINT64_C(0xff00000000000000)
#define BW_SHARED_WINDOW UINT64_C(0xfe00000000000000)
#define BW_PARAMETER_WINDOW UINT64_C(0xfd00000000000000)
#define BW_FUNCTION_WINDOW UINT64_C(0xfc00000000000000)

struct bw_allocation {
	uint64_t begin, end; /* addresses of the first byte and of the one after the last */
	uint64_t sector; /* number of the first sector of 32 bytes, from that of the first allocation on: it is
			    the same in every run, as addresses are not */
	void *block;         /* to be freed; NULL: belongs to a module */
	bool constant;       /* cannot be stored to */
	unsigned char *touched; /* per sector of 32 bytes, while a launch counts: bit 0 loaded, bit 1 stored;
				   else NULL */
	unsigned char *known;   /* per byte, and 1 more at the end that is not 0 if it was stored to, while
				   bytes are followed (emulator/sample.h); NULL: each is known */
	struct bw_byte_cell *cells; /* one per byte while accesses are checked; else NULL */
};

/* All allocations, in the order of their addresses. */
struct bw_memory {
	struct bw_allocation *list;
	size_t n, room;
	uint64_t bytes, most_bytes; /* in use, at most */
	uint64_t sectors;           /* numbers given to allocations, live or not */
	bool has_cells;             /* new allocations have cells */
	bool has_unknown;           /* a launch was not run whole */
};

/* Returns the address of new memory, aligned to 256 bytes, whose bytes are 0xa5; 0 if there is none left. */
uint64_t bw_memory_allocate(struct bw_memory *memory, size_t bytes);
/* Adds memory of someone else, which is written. Returns false if there is no room for the record. */
bool bw_memory_add(struct bw_memory *memory, const void *begin, size_t bytes, bool constant);
/* Removes an allocation and frees what bw_memory_allocate() gave. Returns false if none begins at the
 * address. */
bool bw_memory_free(struct bw_memory *memory, uint64_t address);
/* Returns the allocation that the address lies in; NULL if there is none. */
const struct bw_allocation *bw_memory_find(const struct bw_memory *memory, uint64_t address);
void bw_memory_end(struct bw_memory *memory);
#endif
