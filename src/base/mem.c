#include "base/mem.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void out_of_memory(size_t count, size_t size)
{
	fprintf(stderr, "beamwalk: out of memory (%zu x %zu bytes asked for)\n", count, size);
	abort();
}

/* Uses malloc and memset for small pieces: before version 2.41, calloc of glibc bypasses the thread's
 * cache of freed pieces and locks. */
void *bw_new_array(size_t count, size_t size)
{
	enum { SMALL = 1024 };
	bool small = count <= SMALL && size <= SMALL && count * size <= SMALL;
	size_t bytes = small ? count * size : 0;
	void *memory = small ? malloc(bytes ? bytes : 1) : calloc(count, size);
	if (!memory)
		out_of_memory(count, size);
	return small ? memset(memory, 0, bytes) : memory;
}

void *bw_resize_array(void *old, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		out_of_memory(count, size);
	void *memory = realloc(old, count && size ? count * size : 1);
	if (!memory)
		out_of_memory(count, size);
	return memory;
}

void bw_scoped_free(void *pointer)
{
	void *memory;
	memcpy(&memory, pointer, sizeof memory);
	free(memory);
}

char *bw_strdup(const char *text)
{
	size_t bytes = strlen(text) + 1;
	return memcpy(bw_new_array(bytes, 1), text, bytes);
}

struct chunk {
	struct chunk *next;
	size_t used, capacity;
	alignas(max_align_t) unsigned char bytes[];
};

struct bw_arena {
	struct chunk *first, *current;
};

enum { FIRST_CHUNK = 4096 };

/* Returns a chunk that is not zeroed; allocations in it are. */
static struct chunk *chunk_new(size_t capacity)
{
	struct chunk *chunk = bw_resize_array(NULL, 1, sizeof *chunk + capacity);
	chunk->next = NULL;
	chunk->used = 0;
	chunk->capacity = capacity;
	return chunk;
}

struct bw_arena *bw_arena_new(void)
{
	struct bw_arena *arena = BW_NEW(struct bw_arena);
	arena->first = arena->current = chunk_new(FIRST_CHUNK);
	return arena;
}

void bw_arena_free(struct bw_arena *arena)
{
	if (!arena)
		return;
	for (struct chunk *chunk = arena->first, *next; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	free(arena);
}

void bw_arena_reset(struct bw_arena *arena)
{
	for (struct chunk *chunk = arena->first; chunk; chunk = chunk->next)
		chunk->used = 0;
	arena->current = arena->first;
}

void *bw_arena_array(struct bw_arena *arena, size_t count, size_t size)
{
	size_t align = alignof(max_align_t), bytes;
	if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - 2 * align)
		out_of_memory(count, size);
	bytes = (bytes + align - 1) / align * align;
	struct chunk *chunk = arena->current;
	while (chunk->capacity - chunk->used < bytes) {
		if (!chunk->next)
			chunk->next = chunk_new(bytes > 2 * chunk->capacity ? bytes : 2 * chunk->capacity);
		chunk = chunk->next;
	}
	arena->current = chunk;
	void *memory = chunk->bytes + chunk->used;
	chunk->used += bytes;
	return memset(memory, 0, bytes);
}

char *bw_arena_strdup(struct bw_arena *arena, const char *text)
{
	size_t bytes = strlen(text) + 1;
	return memcpy(bw_arena_array(arena, bytes, 1), text, bytes);
}

char *bw_arena_format(struct bw_arena *arena, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	int length = vsnprintf(NULL, 0, format, args);
	char *text = bw_arena_array(arena, (size_t)length + 1, 1);
	vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	va_end(args);
	return text;
}
