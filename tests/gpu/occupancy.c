/* Occupancy: figures worked out by hand for the bundled records of three generations of NVIDIA's devices; for every CUDA record the blocks
 * and the limiter of a table that the CUDA Toolkit's own calculator made, over all threads, registers and shared memory; and, where the
 * toolkit is installed, the calculator itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../core/test.h"
#include "base/file.h"
#include "calculator.h"
#include "gpu/device.h"

struct records {
	struct bw_device *list;
	int n;
};

static int set_up(void **state)
{
	static struct records records;
	struct bw_text path = {0};
	struct bw_error error = {0};
	bw_text_printf(&path, "%s/data/devices.json", getenv("BW_SRC"));
	records.list = bw_devices_read(bw_text_get(&path), &records.n, &error);
	if (!records.list)
		fail_msg("%s", error.text);
	bw_text_free(&path);
	*state = &records;
	return 0;
}

static int tear_down(void **state)
{
	struct records *records = *state;
	free(records->list);
	return 0;
}

static const struct bw_device *find(void **state, const char *name)
{
	struct records *records = *state;
	const struct bw_device *device = bw_device_find(records->list, records->n, name);
	if (!device)
		fail_msg("no record of %s", name);
	return device;
}

/* An SM of the A100 has 64 slots for warps, 32 for blocks, 65536 registers in 4 parts and 167936 bytes of shared memory, of which each
 * block takes 1024 for itself; of the V100 98304 bytes, and none for itself; of the RTX 2080 Ti 32 slots for warps, 16 for blocks. */
static const struct by_hand {
	const char *device;
	struct bw_block_needs needs;
	int64_t blocks, warps;
	double occupancy, lanes;
	enum bw_limiter limiter;
} by_hand[] = {
	{"A100", {256, 0, 0}, 8, 64, 1, 1, BW_LIMITED_BY_THREADS},
	{"A100", {768, 0, 0}, 2, 48, 0.75, 1, BW_LIMITED_BY_THREADS},
	{"A100", {1024, 0, 0}, 2, 64, 1, 1, BW_LIMITED_BY_THREADS},
	{"A100", {1025, 0, 0}, 0, 0, 0, 1025.0 / 1056, BW_LIMITED_BY_THREADS},
	{"A100", {INT64_MAX, 255, INT64_MAX}, 0, 0, 0, 1, BW_LIMITED_BY_THREADS},
	{"A100", {32, 0, 0}, 32, 32, 0.5, 1, BW_LIMITED_BY_BLOCKS},
	{"A100", {1, 0, 0}, 32, 32, 0.5, 1.0 / 32, BW_LIMITED_BY_BLOCKS},
	{"A100", {0, 0, 0}, 32, 32, 0.5, 1.0 / 32, BW_LIMITED_BY_BLOCKS},
	/* Two warps for 33 threads: 64 / 2 is 32 as the slots for blocks are. */
	{"A100", {33, 0, 0}, 32, 64, 1, 33.0 / 64, BW_LIMITED_BY_THREADS},
	{"A100", {257, 0, 0}, 7, 63, 63.0 / 64, 257.0 / 288, BW_LIMITED_BY_THREADS},
	/* 64 x 32 = 2048 registers a warp; 16384 / 2048 = 8 warps a part, 32 in all. */
	{"A100", {256, 64, 0}, 4, 32, 0.5, 1, BW_LIMITED_BY_REGISTERS},
	{"A100", {1024, 64, 0}, 1, 32, 0.5, 1, BW_LIMITED_BY_REGISTERS},
	{"A100", {256, 32, 0}, 8, 64, 1, 1, BW_LIMITED_BY_THREADS},
	/* 33 x 32 = 1056 is rounded up to 1280; 16384 / 1280 = 12 warps a part, 48 in all, 6 blocks of 8. */
	{"A100", {256, 33, 0}, 6, 48, 0.75, 1, BW_LIMITED_BY_REGISTERS},
	/* 255 x 32 = 8160 is rounded up to 8192; 2 warps a part, 8 in all. */
	{"A100", {256, 255, 0}, 1, 8, 0.125, 1, BW_LIMITED_BY_REGISTERS},
	{"A100", {32, 255, 0}, 8, 8, 0.125, 1, BW_LIMITED_BY_REGISTERS},
	{"A100", {96, 255, 0}, 2, 6, 6.0 / 64, 1, BW_LIMITED_BY_REGISTERS},
	{"A100", {1024, 255, 0}, 0, 0, 0, 1, BW_LIMITED_BY_REGISTERS},
	{"A100", {32, 256, 0}, 0, 0, 0, 1, BW_LIMITED_BY_REGISTERS},
	/* 5 warps count as 8 against the registers of a block: 8 x 8192 is just all of them; 9 warps count as 12. */
	{"A100", {160, 255, 0}, 1, 5, 5.0 / 64, 1, BW_LIMITED_BY_REGISTERS},
	{"A100", {288, 255, 0}, 0, 0, 0, 1, BW_LIMITED_BY_REGISTERS},
	/* 49152 + 1024 = 50176; 167936 / 50176 = 3.3. */
	{"A100", {256, 0, 49152}, 3, 24, 0.375, 1, BW_LIMITED_BY_SHARED},
	{"A100", {256, 0, 49153}, 0, 0, 0, 1, BW_LIMITED_BY_SHARED},
	{"A100", {256, 0, INT64_MAX}, 0, 0, 0, 1, BW_LIMITED_BY_SHARED},
	/* 9472 + 1024 = 10496 = 167936 / 16; one byte more takes 128. */
	{"A100", {128, 0, 9472}, 16, 64, 1, 1, BW_LIMITED_BY_THREADS},
	{"A100", {128, 0, 9473}, 15, 60, 0.9375, 1, BW_LIMITED_BY_SHARED},
	/* 167936 / (30000 + 1024, rounded up to 31104) = 5.4, registers 4. */
	{"A100", {256, 64, 30000}, 4, 32, 0.5, 1, BW_LIMITED_BY_REGISTERS},
	/* Registers and shared memory allow 4 each: 40960 + 1024 = 41984 = 167936 / 4. */
	{"A100", {256, 64, 40960}, 4, 32, 0.5, 1, BW_LIMITED_BY_REGISTERS},
	{"V100", {256, 0, 12288}, 8, 64, 1, 1, BW_LIMITED_BY_THREADS},
	{"V100", {256, 0, 12289}, 7, 56, 0.875, 1, BW_LIMITED_BY_SHARED},
	{"V100", {256, 0, 49152}, 2, 16, 0.25, 1, BW_LIMITED_BY_SHARED},
	{"V100", {32, 0, 0}, 32, 32, 0.5, 1, BW_LIMITED_BY_BLOCKS},
	{"RTX2080Ti", {32, 0, 0}, 16, 16, 0.5, 1, BW_LIMITED_BY_BLOCKS},
	{"RTX2080Ti", {256, 0, 0}, 4, 32, 1, 1, BW_LIMITED_BY_THREADS},
	{"RTX2080Ti", {768, 0, 0}, 1, 24, 0.75, 1, BW_LIMITED_BY_THREADS},
	/* 64 x 32 = 2048; 32 warps by registers as by slots. */
	{"RTX2080Ti", {256, 64, 0}, 4, 32, 1, 1, BW_LIMITED_BY_THREADS},
	{"RTX2080Ti", {256, 65, 0}, 3, 24, 0.75, 1, BW_LIMITED_BY_REGISTERS},
	{"RTX2080Ti", {64, 0, 8192}, 8, 16, 0.5, 1, BW_LIMITED_BY_SHARED},
};

static void figures_by_hand(void **state)
{
	for (size_t i = 0; i < sizeof by_hand / sizeof *by_hand; i++) {
		const struct by_hand *c = &by_hand[i];
		struct bw_occupancy found = bw_occupancy(find(state, c->device), &c->needs);
		if (found.blocks_per_sm != c->blocks || found.warps_per_sm != c->warps || found.limiter != c->limiter)
			fail_msg("case %zu: %lld blocks, %lld warps, limited by %s", i, (long long)found.blocks_per_sm, (long long)found.warps_per_sm, bw_limiter_name(found.limiter));
		assert_true(found.occupancy == c->occupancy);
		assert_true(found.lanes == c->lanes);
	}
}

static void limiters_have_names(void **state)
{
	(void)state;
	assert_string_equal(bw_limiter_name(BW_LIMITED_BY_THREADS), "threads");
	assert_string_equal(bw_limiter_name(BW_LIMITED_BY_BLOCKS), "blocks");
	assert_string_equal(bw_limiter_name(BW_LIMITED_BY_REGISTERS), "registers");
	assert_string_equal(bw_limiter_name(BW_LIMITED_BY_SHARED), "shared memory");
}

/* What the table says of one device. */
struct table {
	int warps[MOST_THREADS + 1], blocks[MOST_THREADS + 1], registers[MOST_THREADS + 1][MOST_REGISTERS + 1], shared[MOST_SHARED + 1];
	bool has_slots, has_registers, has_shared;
};

/* Reads ` FIRST-LAST:BLOCKS ...` to the end of the line; the runs must cover first..last. */
static const char *read_runs(const char *at, int *numbers, int first, int last)
{
	while (*at == ' ') {
		int begin, end, used, number = NO_LIMIT;
		if (sscanf(at, " %d-%d:%n", &begin, &end, &used) != 2 || begin != first || end < begin || end > last)
			fail_msg("not as expected in the table: %.60s", at);
		at += used;
		if (*at == '-')
			at++;
		else if (sscanf(at, "%d%n", &number, &used) == 1)
			at += used;
		for (; first <= end; first++)
			numbers[first] = number;
	}
	assert_int_equal(first, last + 1);
	return at;
}

static const char *read_slots(const char *at, struct table *table)
{
	assert_memory_equal(at, " warps:", 7);
	at = read_runs(at + 7, table->warps, 1, MOST_THREADS);
	assert_memory_equal(at, "\n blocks:", 9);
	table->has_slots = true;
	return read_runs(at + 9, table->blocks, 1, MOST_THREADS) + 1;
}

static const char *read_registers(const char *at, struct table *table)
{
	for (int next = 1, last, used; next <= MOST_THREADS; next = last + 1) {
		int first;
		if (sscanf(at, " %d-%d:%n", &first, &last, &used) != 2 || first != next || last > MOST_THREADS)
			fail_msg("not as expected in the table: %.60s", at);
		const char *runs = at + used;
		for (int t = first; t <= last; t++)
			at = read_runs(runs, table->registers[t], 0, MOST_REGISTERS) + 1;
	}
	table->has_registers = true;
	return at;
}

static const char *read_shared(const char *at, struct table *table)
{
	assert_memory_equal(at, " all:", 5);
	table->has_shared = true;
	return read_runs(at + 5, table->shared, 0, MOST_SHARED) + 1;
}

static void read_table_file(struct bw_text *text)
{
	struct bw_text path = {0};
	struct bw_error error = {0};
	bw_text_printf(&path, "%s/tests/gpu/occupancy.table", getenv("BW_SRC"));
	if (!bw_file_read(bw_text_get(&path), 1 << 20, text, &error))
		fail_msg("%s", error.text);
	bw_text_free(&path);
}

/* Whether a section's first line names the device. */
static bool names(const char *line, const char *name)
{
	size_t length = strlen(name);
	for (line = strchr(line, ' '); line && *line == ' '; line += 1 + strcspn(line + 1, " \n"))
		if (strcspn(line + 1, " \n") == length && !strncmp(line + 1, name, length))
			return true;
	return false;
}

/* The sections that name the device. */
static void read_table(const char *text, const char *name, struct table *table)
{
	*table = (struct table){0};
	for (const char *at = text; *at;) {
		const char *body = strchr(at, '\n') + 1;
		bool ours = *at != '#' && *at != ' ' && names(at, name);
		if (ours && !strncmp(at, "slots ", 6))
			body = read_slots(body, table);
		else if (ours && !strncmp(at, "registers ", 10))
			body = read_registers(body, table);
		else if (ours && !strncmp(at, "shared ", 7))
			body = read_shared(body, table);
		at = body;
	}
	if (!table->has_slots || !table->has_registers || !table->has_shared)
		fail_msg("tests/gpu/occupancy.table lacks %s: make it anew with tests/gpu/tabulate", name);
}

/* The least of what the resources allow, and the first of them that allows no more. */
static void compare(const struct bw_device *device, const struct table *table, int threads, int registers, int bytes)
{
	const int limits[BW_N_LIMITERS] = {table->warps[threads], table->blocks[threads], table->registers[threads][registers], table->shared[bytes]};
	struct bw_occupancy found = bw_occupancy(device, &(struct bw_block_needs){threads, registers, bytes});
	int first = 0;
	for (int i = 1; i < BW_N_LIMITERS; i++)
		if (limits[i] < limits[first])
			first = i;
	if (found.blocks_per_sm != limits[first] || (int)found.limiter != first)
		fail_msg("%s, %d threads of %d registers, %d bytes: %lld blocks by %s, the table says %d by %s", device->name, threads, registers, bytes, (long long)found.blocks_per_sm, bw_limiter_name(found.limiter),
			limits[first], bw_limiter_name((enum bw_limiter)first));
	int64_t warps = found.blocks_per_sm * ((threads + 31) / 32);
	if (found.warps_per_sm != warps || found.occupancy != (double)warps / device->warps_per_sm)
		fail_msg("%s, %d threads: %lld warps", device->name, threads, (long long)found.warps_per_sm);
}

/* All threads with all registers for some sizes of shared memory; all of these, to the byte, for some blocks; and every step of each with
 * every step of the others. */
static void compare_all(const struct bw_device *device, const struct table *table)
{
	static const int sizes[] = {0, 1000, 12288, 24576, 49152, 49153}, some_threads[] = {1, 100, 256, 1024}, some_registers[] = {0, 32, 64};
	for (int t = 1; t <= MOST_THREADS; t++)
		for (int r = 0; r <= MOST_REGISTERS; r++)
			for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
				compare(device, table, t, r, sizes[s]);
	for (int b = 0; b <= MOST_SHARED; b++)
		for (size_t t = 0; t < sizeof some_threads / sizeof *some_threads; t++)
			for (size_t r = 0; r < sizeof some_registers / sizeof *some_registers; r++)
				compare(device, table, some_threads[t], some_registers[r], b);
	for (int b = 0; b <= MOST_SHARED; b++) {
		if (b && b < MOST_SHARED && table->shared[b] == table->shared[b - 1] && table->shared[b] == table->shared[b + 1])
			continue;
		for (int t = 32; t <= 1056; t += 32)
			for (int r = 8; r <= 248; r += 8)
				compare(device, table, t, r, b);
	}
}

static void as_the_table_says(void **state)
{
	struct records *records = *state;
	struct table *table = test_malloc(sizeof *table);
	struct bw_text text = {0};
	int compared = 0;
	read_table_file(&text);
	for (int d = 0; d < records->n; d++)
		if (records->list[d].api == BW_API_CUDA) {
			read_table(bw_text_get(&text), records->list[d].name, table);
			compare_all(&records->list[d], table);
			compared++;
		}
	assert_true(compared >= 8);
	bw_text_free(&text);
	test_free(table);
}

/* No compiler gives a thread more, whatever the calculator makes of it. */
static void no_more_registers_than_a_thread_can_have(void **state)
{
	struct records *records = *state;
	for (int d = 0; d < records->n; d++)
		assert_int_equal(bw_occupancy(&records->list[d], &(struct bw_block_needs){32, (int64_t)records->list[d].registers_per_thread + 1, 0}).blocks_per_sm, 0);
}

/* The calculator itself, where it is there: it would make the same table, and what it says of all resources together is the least of what it
 * says of each. */
static void as_the_calculator_says(void **state)
{
	static const int64_t bytes[] = {0, 1, 1000, 4096, 12289, 24576, 49152, 49153};
	struct records *records = *state;
	if (!calculator_there()) {
		skip_because("no cuda_occupancy.h");
	}
	struct bw_text committed = {0}, made = {0};
	read_table_file(&committed);
	assert_true(calculator_table(records->list, records->n, &made));
	assert_string_equal(strstr(bw_text_get(&committed), "\nslots ") + 1, bw_text_get(&made));
	bw_text_free(&committed);
	bw_text_free(&made);
	for (int d = 0; d < records->n; d++)
		for (int64_t t = 1; t <= 1056 && records->list[d].api == BW_API_CUDA; t += t % 32 < 2 ? 1 : 30)
			for (int64_t r = 0; r <= MOST_REGISTERS; r += 3)
				for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++) {
					struct bw_block_needs needs = {t, r, bytes[b]};
					struct bw_occupancy found = bw_occupancy(&records->list[d], &needs);
					int64_t blocks;
					bool limits;
					assert_true(calculator_blocks(&records->list[d], &needs, found.limiter, &blocks, &limits));
					if (found.blocks_per_sm != blocks || !limits)
						fail_msg("%s, %lld threads of %lld registers, %lld bytes: %lld blocks by %s, the calculator says %lld", records->list[d].name, (long long)t, (long long)r, (long long)bytes[b],
							(long long)found.blocks_per_sm, bw_limiter_name(found.limiter), (long long)blocks);
				}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_by_hand),
		cmocka_unit_test(limiters_have_names),
		cmocka_unit_test(as_the_table_says),
		cmocka_unit_test(no_more_registers_than_a_thread_can_have),
		cmocka_unit_test(as_the_calculator_says),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
