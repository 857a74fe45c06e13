/* Memory that does not fail: when there is none left the program says so and ends. Arenas for what dies together. */
#ifndef BW_BASE_MEM_H
#define BW_BASE_MEM_H
#include <stddef.h>

/* Zeroed memory of count elements of size bytes each; freed with free(). Ends the program when there is none. */
void *bw_new_array(size_t count, size_t size);
#define BW_NEW(type) ((type *)bw_new_array(1, sizeof(type)))
#define BW_NEW_ARRAY(type, count) ((type *)bw_new_array((size_t)(count), sizeof(type)))
/* realloc() of count elements; what is new is not zeroed. */
void *bw_resize_array(void *old, size_t count, size_t size);
char *bw_strdup(const char *text);

/* Makes room in array (any pointer lvalue) for one more than count elements; capacity is an lvalue that it keeps. */
#define BW_GROW(array, count, capacity) \
	do { \
		if ((size_t)(count) >= (size_t)(capacity)) { \
			(capacity) = (capacity) ? (capacity) * 2 : 8; \
			(array) = bw_resize_array((array), (size_t)(capacity), sizeof *(array)); \
		} \
	} while (0)

/* What one thread writes to and others do not is at least so many bytes from what these read. */
enum { BW_APART = 64 };

/* Asks for memory that is read soon and lies where no processor of this thread has looked lately. Any address will do. */
static inline void bw_fetch(const void *memory, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += BW_APART)
		__builtin_prefetch((const char *)memory + at);
}

/* An arena: allocations live until it is freed or reset. Not shared between threads. */
struct bw_arena;
struct bw_arena *bw_arena_new(void);
void bw_arena_free(struct bw_arena *arena);
/* Forgets all allocations and keeps the memory for new ones. */
void bw_arena_reset(struct bw_arena *arena);
/* Zeroed memory, aligned for any type. */
void *bw_arena_array(struct bw_arena *arena, size_t count, size_t size);
#define BW_ARENA_NEW(arena, type) ((type *)bw_arena_array((arena), 1, sizeof(type)))
#define BW_ARENA_ARRAY(arena, type, count) ((type *)bw_arena_array((arena), (size_t)(count), sizeof(type)))
char *bw_arena_strdup(struct bw_arena *arena, const char *text);
#endif
