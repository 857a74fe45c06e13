/* Memory: what is new is zero, arrays grow, arenas keep what they gave until they are reset. */
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "base/mem.h"

static int all_zero(const void *memory, size_t bytes)
{
	const unsigned char *byte = memory;
	for (size_t i = 0; i < bytes; i++)
		if (byte[i])
			return 0;
	return 1;
}

static void new_memory_is_zero(void **state)
{
	int64_t *numbers = BW_NEW_ARRAY(int64_t, 1000);
	assert_true(all_zero(numbers, 1000 * sizeof *numbers));
	free(numbers);
	void *nothing = bw_new_array(0, 8);
	assert_non_null(nothing);
	free(nothing);
}

static void arrays_grow_and_keep_their_values(void **state)
{
	int *values = NULL;
	int count = 0, capacity = 0;
	for (; count < 1000; count++) {
		BW_GROW(values, count, capacity);
		values[count] = 3 * count;
	}
	assert_true(capacity >= 1000);
	for (int i = 0; i < count; i++)
		assert_int_equal(values[i], 3 * i);
	free(values);
}

static void a_copy_of_a_string_is_its_own(void **state)
{
	char text[] = "harris";
	char *copy = bw_strdup(text);
	text[0] = 'H';
	assert_string_equal(copy, "harris");
	free(copy);
}

static void an_arena_gives_aligned_zeros_apart_from_each_other(void **state)
{
	struct bw_arena *arena = bw_arena_new();
	unsigned char *given[200];
	for (size_t i = 0; i < 200; i++) {
		given[i] = bw_arena_array(arena, i + 1, 7);
		assert_int_equal((uintptr_t)given[i] % alignof(max_align_t), 0);
		assert_true(all_zero(given[i], 7 * (i + 1)));
		memset(given[i], (int)i + 1, 7 * (i + 1));
	}
	for (size_t i = 0; i < 200; i++)
		for (size_t k = 0; k < 7 * (i + 1); k++)
			assert_int_equal(given[i][k], i + 1);
	bw_arena_free(arena);
	bw_arena_free(NULL);
}

static void a_reset_arena_gives_zeros_again(void **state)
{
	struct bw_arena *arena = bw_arena_new();
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 50; i++) {
			unsigned char *bytes = BW_ARENA_ARRAY(arena, unsigned char, 1000);
			assert_true(all_zero(bytes, 1000));
			memset(bytes, 0xff, 1000);
		}
		bw_arena_reset(arena);
	}
	assert_string_equal(bw_arena_strdup(arena, "Ixx"), "Ixx");
	bw_arena_free(arena);
}

static void an_arena_holds_more_than_its_chunk(void **state)
{
	struct bw_arena *arena = bw_arena_new();
	char *small = bw_arena_strdup(arena, "small");
	unsigned char *large = bw_arena_array(arena, 1, 1 << 20);
	memset(large, 1, 1 << 20);
	assert_string_equal(small, "small");
	assert_true(all_zero(bw_arena_array(arena, 16, 1), 16));
	bw_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_memory_is_zero),
		cmocka_unit_test(arrays_grow_and_keep_their_values),
		cmocka_unit_test(a_copy_of_a_string_is_its_own),
		cmocka_unit_test(an_arena_gives_aligned_zeros_apart_from_each_other),
		cmocka_unit_test(a_reset_arena_gives_zeros_again),
		cmocka_unit_test(an_arena_holds_more_than_its_chunk),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
