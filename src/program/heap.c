/* The heap of the program: a search touches some MB once, most of them for what it remembers, and each page of 4 KiB that is touched costs it a fault. */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "program/program.h"

/* Bytes that the heap is asked for at a time, and of a large page. */
enum { AHEAD = 32 << 20, LARGE_PAGE = 2 << 20 };

/* The heap grows by as much at once, and what is given back stays in it. Its first part is in large pages, where the system has them for who asks. */
void bw_program_heap(void)
{
	mallopt(M_MMAP_THRESHOLD, AHEAD);
	mallopt(M_TRIM_THRESHOLD, 2 * AHEAD);
	mallopt(M_TOP_PAD, AHEAD);
	void *some = malloc(LARGE_PAGE);
	uintptr_t begin = ((uintptr_t)some + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE, end = (uintptr_t)sbrk(0);
	free(some);
	if (some && begin < end && end - begin <= 2 * (uintptr_t)AHEAD)
		madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}
