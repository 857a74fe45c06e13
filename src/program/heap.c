/* The heap of the program: a search touches some MB once, most of them for what it remembers, and each page of 4 KiB that is touched costs it a fault. */
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "program/program.h"

/* Bytes that the heap is asked for at a time, and of a large page. */
enum { AHEAD = 32 << 20, LARGE_PAGE = 2 << 20, MOST_HEAPS = 16 };

/* Asks for large pages from the address of an allocation on, as far as the heap is sure to go; it is only advice. */
static void advise(uintptr_t some, uintptr_t end)
{
	uintptr_t begin = (some + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	if (some && begin < end && end - begin <= 2 * (uintptr_t)AHEAD)
		madvise((void *)begin, end - begin, MADV_HUGEPAGE); /* NOLINT(performance-no-int-to-ptr): it is rounded */
}

/* The allocator gives a thread a heap of its own, and the heap of a thread that has ended to one that begins. So that each gets another one, none ends before
 * all have begun: until then a lock is held that they wait for. */
static void *make_heap(void *data)
{
	void *some = malloc(LARGE_PAGE);
	advise((uintptr_t)some, (uintptr_t)some + AHEAD - LARGE_PAGE);
	free(some);
	pthread_mutex_lock(data);
	pthread_mutex_unlock(data);
	return NULL;
}

static void make_heaps(int n)
{
	pthread_t threads[MOST_HEAPS];
	pthread_mutex_t begun = PTHREAD_MUTEX_INITIALIZER;
	int made = 0;
	pthread_mutex_lock(&begun);
	while (made < n && made < MOST_HEAPS && pthread_create(&threads[made], NULL, make_heap, &begun) == 0)
		made++;
	pthread_mutex_unlock(&begun);
	while (made)
		pthread_join(threads[--made], NULL);
}

/* The heaps grow by as much at once, and what is given back stays in them. Their first part is in large pages, where the system has them for who asks. */
void bw_program_heap(int threads)
{
	mallopt(M_MMAP_THRESHOLD, AHEAD);
	mallopt(M_TRIM_THRESHOLD, 2 * AHEAD);
	mallopt(M_TOP_PAD, AHEAD);
	void *some = malloc(LARGE_PAGE);
	advise((uintptr_t)some, (uintptr_t)sbrk(0));
	free(some);
	make_heaps(threads - 1);
}
