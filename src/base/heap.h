/* The heaps of threads that search. A search touches some MB once, and each page of
 * 4 KiB that is touched costs a page fault. */
#ifndef BW_BASE_HEAP_H
#define BW_BASE_HEAP_H

/* Makes the heaps of the program grow by many MB at a time and keep freed memory, and puts the first part of
 * the main thread's into large pages, if the system offers these on request. */
void bw_heap_keep(void);
/* Does so for the first part of the calling thread's own heap, at its start. Without bw_heap_keep, as in
 * another program, it has no effect. */
void bw_heap_ahead(void);
#endif
