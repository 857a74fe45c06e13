/* The heap of the program. A search touches some MB once, mostly for its memo, and each page of 4 KiB that
 * is touched costs a page fault. */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "program/program.h"

/* Bytes by which the heap grows, and of a large page. */
enum { AHEAD = 64 << 20, LARGE_PAGE = 2 << 20 };

/* Advises the kernel to use large pages from the address of an allocation on, as far as the heap will
 * surely grow. */
static void advise(uintptr_t some, uintptr_t end)
{
	uintptr_t begin = (some + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	if (some && begin < end && end - begin <= 2 * (uintptr_t)AHEAD)
		madvise((void *)begin, end - begin, MADV_HUGEPAGE); /* NOLINT(performance-no-int-to-ptr): it is rounded */
}

/* Lets the heap grow by AHEAD bytes and keep freed memory, and puts its first part into large pages, if the
 * system offers these on request. The search of a session has a thread of its own, which takes turns with
 * the rest of the program: in a heap of its own it would have small pages, and twice the time. */
void bw_program_heap(bool shared)
{
	if (shared)
		mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, AHEAD);
	mallopt(M_TRIM_THRESHOLD, 2 * AHEAD);
	mallopt(M_TOP_PAD, AHEAD);
	void *some = malloc(LARGE_PAGE);
	advise((uintptr_t)some, (uintptr_t)sbrk(0));
	free(some);
}
