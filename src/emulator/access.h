/* Where the lanes of a memory access are. */
#ifndef BW_EMULATOR_ACCESS_H
#define BW_EMULATOR_ACCESS_H
#include "emulator/order.h"
#include "emulator/ptx.h"

/* Finds for each lane of the mask the place of its access, of `bytes` bytes (a power of two) at the first
 * source's address. Returns false after a fault: an address that no live allocation holds or that is not
 * aligned. */
bool bw_access_places(const struct bw_ptx_instruction *instruction, struct bw_warp *warp, uint32_t mask,
		      unsigned bytes, bool stores, unsigned char *places[BW_LANES]);
/* Finds the place of one lane's access at an address of a space. */
bool bw_access_place(struct bw_warp *warp, const struct bw_ptx_instruction *instruction, int lane, int space,
		     uint64_t address, unsigned bytes, bool stores, unsigned char **place);
/* Adds to *order (of enum bw_order) what a modifier of an access says of how strongly it is ordered, and for
 * whom. Returns false if the word says nothing of that. */
bool bw_order_read_word(const char *word, unsigned *order);
/* Returns the space of this name; GENERIC if there is none. */
int bw_space_find(const char *name);
#endif
