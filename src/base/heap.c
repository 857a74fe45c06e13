#include "base/heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bytes by which a heap grows, and of a large page. glibc's heap of a thread has 64 MB. */
enum { AHEAD = 32 << 20, LARGE_PAGE = 2 << 20 };

/* Advises the kernel to use large pages for these addresses. */
static void advise(uintptr_t begin, uintptr_t end)
{
	begin = (begin + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	if (begin < end && end - begin <= 3 * (uintptr_t)AHEAD)
		madvise((void *)begin, end - begin, MADV_HUGEPAGE); /* NOLINT(performance-no-int-to-ptr): it is rounded */
}

void bw_heap_keep(void)
{
	mallopt(M_MMAP_THRESHOLD, AHEAD);
	mallopt(M_TRIM_THRESHOLD, 4 * AHEAD);
	mallopt(M_TOP_PAD, 2 * AHEAD);
	void *some = malloc(LARGE_PAGE);
	if (some)
		advise((uintptr_t)some, (uintptr_t)sbrk(0));
	free(some);
}

void bw_heap_ahead(void)
{
	enum { BYTES = AHEAD - LARGE_PAGE };
	void *some = malloc(BYTES);
	if (some)
		advise((uintptr_t)some, (uintptr_t)some + BYTES);
	free(some);
}
