/* The memory locations that the lanes of an instruction access. */
#pragma once
#include "emulator/order.h"
#include "emulator/ptx.h"

/* Finds for each lane of the mask the memory of its access of `bytes` bytes (a power of two) at the
 * address in the first source. Returns false after a fault: an address that is in no live allocation or
 * misaligned. */
bool bw_access_places(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		      unsigned bytes, bool stores, unsigned char *places[BW_LANES]);
/* Finds the place of one lane's access at an address of a space. */
bool bw_access_place(struct bw_warp *warp, const struct bw_ptx_instruction *instruction, int lane, int space,
		     uint64_t address, unsigned bytes, bool stores, unsigned char **place);
/* Adds to *order (of enum bw_order) the memory ordering and scope that a modifier of an access
 * specifies. Returns false if the modifier specifies neither. */
bool bw_order_read_word(const char *word, unsigned *order);
/* Returns the space of this name; GENERIC if there is none. */
int bw_space_find(const char *name);
