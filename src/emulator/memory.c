#include "emulator/memory.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/check.h"

enum { ALIGNMENT = 256, UNWRITTEN = 0xa5, SECTOR = 32 };

/* Returns the index of the first allocation that ends after the address. */
static size_t place_of(const struct bw_memory *memory, uint64_t address)
{
	size_t low = 0, high = memory->n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (memory->list[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool insert(struct bw_memory *memory, struct bw_allocation allocation)
{
	if (memory->n == memory->room) {
		size_t room = memory->room ? 2 * memory->room : 64;
		struct bw_allocation *list = realloc(memory->list, room * sizeof *list);
		if (!list)
			return false;
		memory->list = list;
		memory->room = room;
	}
	size_t at = place_of(memory, allocation.begin);
	allocation.sector = memory->sectors;
	memory->sectors += ((allocation.end - allocation.begin) / ALIGNMENT + 2) * (ALIGNMENT / SECTOR);
	memmove(memory->list + at + 1, memory->list + at, (memory->n - at) * sizeof *memory->list);
	memory->list[at] = allocation;
	memory->n++;
	memory->bytes += allocation.end - allocation.begin;
	return true;
}

uint64_t bw_memory_allocate(struct bw_memory *memory, size_t bytes)
{
	if (!bytes || bytes > memory->most_bytes - memory->bytes)
		return 0;
	void *block = NULL;
	if (posix_memalign(&block, ALIGNMENT, bytes))
		return 0;
	uint64_t begin = (uint64_t)(uintptr_t)block;
	struct bw_byte_cell *cells = memory->has_cells ? calloc(bytes, sizeof *cells) : NULL;
	if ((memory->has_cells && !cells) ||
	    !insert(memory, (struct bw_allocation){
				.begin = begin, .end = begin + bytes, .block = block, .cells = cells})) {
		free(cells);
		free(block);
		return 0;
	}
	memset(block, UNWRITTEN, bytes);
	return begin;
}

bool bw_memory_add(struct bw_memory *memory, const void *begin, size_t bytes, bool constant)
{
	uint64_t address = (uint64_t)(uintptr_t)begin;
	struct bw_allocation allocation = {.begin = address, .end = address + bytes, .constant = constant};
	if (!bytes)
		return true;
	if (memory->has_cells && !constant) {
		if (!(allocation.cells = calloc(bytes, sizeof *allocation.cells)))
			return false;
		for (size_t k = 0; k < bytes; k++)
			allocation.cells[k].plain.stamp = 1; /* initialized by the module's text */
	}
	if (insert(memory, allocation))
		return true;
	free(allocation.cells);
	return false;
}

bool bw_memory_free(struct bw_memory *memory, uint64_t address)
{
	size_t at = place_of(memory, address);
	if (at == memory->n || memory->list[at].begin != address)
		return false;
	memory->bytes -= memory->list[at].end - address;
	free(memory->list[at].block);
	free(memory->list[at].cells);
	free(memory->list[at].touched);
	free(memory->list[at].known);
	memory->n--;
	memmove(memory->list + at, memory->list + at + 1, (memory->n - at) * sizeof *memory->list);
	return true;
}

const struct bw_allocation *bw_memory_find(const struct bw_memory *memory, uint64_t address)
{
	size_t at = place_of(memory, address);
	return at < memory->n && memory->list[at].begin <= address ? &memory->list[at] : NULL;
}

void bw_memory_end(struct bw_memory *memory)
{
	for (size_t k = 0; k < memory->n; k++) {
		free(memory->list[k].block);
		free(memory->list[k].cells);
		free(memory->list[k].touched);
		free(memory->list[k].known);
	}
	free(memory->list);
	*memory = (struct bw_memory){0};
}
