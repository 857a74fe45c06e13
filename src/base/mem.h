/* Memory allocation that never fails: if no memory is left, the program ends with a message. Arenas, for
 * allocations that are freed together. */
#pragma once
#include <stddef.h>

/* Returns zeroed memory for count elements of size bytes each. Free with free(). */
void *bw_new_array(size_t count, size_t size);
#define BW_NEW(type) ((type *)bw_new_array(1, sizeof(type)))
#define BW_NEW_ARRAY(type, count) ((type *)bw_new_array((size_t)(count), sizeof(type)))
/* Resizes an array to count elements, like realloc(). New elements are not zeroed. */
void *bw_resize_array(void *old, size_t count, size_t size);
char *bw_strdup(const char *text);

/* Declares that the function `end` is called with the variable's address when the variable's block is
 * left. At a `return`, the call comes after the returned value is computed. */
#define BW_SCOPED(end) __attribute__((cleanup(end)))
/* Declares a pointer whose memory is freed with free() when the pointer's block is left. */
#define BW_SCOPED_MEMORY BW_SCOPED(bw_scoped_free)
/* Frees memory. The argument is the address of the pointer to the memory. */
void bw_scoped_free(void *pointer);

/* Makes room in array (any pointer lvalue) for element number `count`. capacity is an lvalue that this
 * macro maintains. */
#define BW_GROW(array, count, capacity) \
	do { \
		if ((size_t)(count) >= (size_t)(capacity)) { \
			(capacity) = (capacity) ? (capacity) * 2 : 8; \
			(array) = bw_resize_array((array), (size_t)(capacity), sizeof *(array)); \
		} \
	} while (0)
/* Appends the last argument to an array. Grows the array with BW_GROW. */
#define BW_PUSH(array, count, capacity, ...) \
	do { \
		BW_GROW(array, count, capacity); \
		(array)[(count)++] = __VA_ARGS__; \
	} while (0)
/* Removes the element at index `at`. Later elements move down by one. */
#define BW_REMOVE(array, count, at) \
	memmove(&(array)[at], &(array)[(at) + 1], (size_t)(--(count) - (at)) * sizeof *(array))

/* An arena: its allocations live until it is freed or reset. Not thread-safe. */
struct bw_arena;
struct bw_arena *bw_arena_new(void);
void bw_arena_free(struct bw_arena *arena);
/* Declares an arena that is freed when its block is left: `BW_SCOPED_ARENA *arena = bw_arena_new();`. */
#define BW_SCOPED_ARENA BW_SCOPED(bw_arena_end) struct bw_arena
static inline void bw_arena_end(struct bw_arena **arena)
{
	bw_arena_free(*arena);
}
/* Drops all allocations and keeps the memory for new ones. */
void bw_arena_reset(struct bw_arena *arena);
/* Returns zeroed memory, aligned for any type. */
void *bw_arena_array(struct bw_arena *arena, size_t count, size_t size);
#define BW_ARENA_NEW(arena, type) ((type *)bw_arena_array((arena), 1, sizeof(type)))
#define BW_ARENA_ARRAY(arena, type, count) ((type *)bw_arena_array((arena), (size_t)(count), sizeof(type)))
char *bw_arena_strdup(struct bw_arena *arena, const char *text);
char *bw_arena_format(struct bw_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
