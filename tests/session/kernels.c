/* Kernels of a nest and what their compiled forms take: entries are found by Halide's names for them, occupancy is that of their registers, and
 * what a device cannot launch is told. All figures are worked out by hand. */
#include <stdio.h>
#include <string.h>

#include "../core/description.h"
#include "../core/test.h"
#include "base/mem.h"
#include "figures/kernels.h"

/* a_s0 -> a -> a_s0_s0 -> b.c$2 -> sum, which has an update; all of 512 x 64 but sum, of 512. */
static const char names[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[0,512],[0,64]"),
	FUNC_XY("a_s0", "0", "float32", "", READ("in", SAME_XY, "1", EYE2), "") "," FUNC_XY("a", "1", "float32", "", READ("a_s0", SAME_XY, "1", EYE2), "") ","
	FUNC_XY("a_s0_s0", "2", "float32", "", READ("a", SAME_XY, "1", EYE2), "") "," FUNC_XY("b.c$2", "3", "float32", "", READ("a_s0_s0", SAME_XY, "1", EYE2), "") ","
	FUNC("sum", "4", "float32", "'x'", STAGE(LOOP("x"), "[[1]]", "", "") "," STAGE(RLOOP("r$x", "0", "63", "") "," LOOP("x"), "[[0,1]]", "",
		READ("b.c$2", SAME("x") "," SAME("r$x"), "1", "[[0,1],[1,0]]") "," READ("sum", SAME("x"), "1", "[[0,1]]")), OUTPUT("[0,512]")));

struct fixture {
	struct bw_pipeline *pipeline;
	struct bw_nest *nest;
	struct bw_arena *arena;
};

static int set_up(void **state)
{
	static struct fixture fixture;
	static const char *const entries[] = {"sum root; block x; thread x 128; update 0: block x; thread x 128", "\"b.c$2\" root; block y, x; thread y 8, x 32", "a_s0_s0 root; block y, x; thread y 8, x 32", "a root; block y, x; thread y 8, x 32", "a_s0 root; block y, x; thread y 8, x 32", NULL};
	fixture = (struct fixture){.pipeline = description_read(names), .arena = bw_arena_new()};
	fixture.nest = nest_of(fixture.pipeline, entries, NULL);
	*state = &fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;
	bw_nest_drop(fixture->nest);
	bw_pipeline_free(fixture->pipeline);
	bw_arena_free(fixture->arena);
	return 0;
}

static struct bw_kernel_use use_of(const char *name, int registers)
{
	struct bw_kernel_use use = {.registers = registers, .launches = -1, .ms = -1};
	snprintf(use.name, sizeof use.name, "%s", name);
	return use;
}

/* The facts of a kernel by its name. */
static const struct bw_kernel_facts *find(const struct fixture *fixture, const struct bw_kernel_facts *facts, int n, const char *name)
{
	for (int k = 0; k < n; k++) {
		struct bw_text text = {0};
		bw_kernel_name(fixture->pipeline, &facts[k].kernel, &text);
		bool found = !strcmp(bw_text_get(&text), name);
		bw_text_free(&text);
		if (found)
			return &facts[k];
	}
	fail_msg("no kernel %s", name);
	return NULL;
}

static void entries_are_found_by_name(void **state)
{
	struct fixture *fixture = *state;
	int n;
	struct bw_kernel_uses uses = {.n = 7, .register_limit = 64};
	uses.list[0] = use_of("_kernel_sum_s1_x_x_block___block_id_x", 15);
	uses.list[1] = use_of("_kernel_a_s0_y_y_block___block_id_y", 11);
	uses.list[2] = use_of("_kernel_a_s0_s0_y_y_block___block_id_y", 12);
	uses.list[3] = use_of("_kernel_b_c__2__1_s0_y_y_block___block_id_y", 13);
	uses.list[4] = use_of("_kernel_sum_s0_x_x_block___block_id_x", 14);
	uses.list[5] = use_of("_kernel_other_s0_x", 16);
	uses.list[6] = use_of("_kernel_a_s0_s0_s0_y_y_block___block_id_y", 17);
	struct bw_kernel_facts *facts = bw_kernel_facts(fixture->nest, &round_device, &uses, NULL, fixture->arena, &n);
	assert_int_equal(n, 6);
	assert_int_equal(find(fixture, facts, n, "a_s0_s0")->use->registers, 17);
	assert_int_equal(find(fixture, facts, n, "a")->use->registers, 11);
	assert_int_equal(find(fixture, facts, n, "a_s0")->use->registers, 12);
	assert_int_equal(find(fixture, facts, n, "b.c$2")->use->registers, 13);
	assert_int_equal(find(fixture, facts, n, "sum")->use->registers, 14);
	assert_int_equal(find(fixture, facts, n, "sum.update0")->use->registers, 15);
	uses.list[1] = use_of("_kernel_as_s0_y", 11);
	facts = bw_kernel_facts(fixture->nest, &round_device, &uses, NULL, fixture->arena, &n);
	assert_null(find(fixture, facts, n, "a")->use);
	uses.list[3] = use_of("_kernel_b_c_2_s0_y_y_block___block_id_y__1", 18);
	facts = bw_kernel_facts(fixture->nest, &round_device, &uses, NULL, fixture->arena, &n);
	assert_int_equal(find(fixture, facts, n, "b.c$2")->use->registers, 18);
	facts = bw_kernel_facts(fixture->nest, &round_device, NULL, NULL, fixture->arena, &n);
	assert_null(find(fixture, facts, n, "sum")->use);
}

/* 256 threads are 8 warps; the device has 64 slots for warps: 8 blocks. Of 64 registers a thread 4 blocks of 256 x 64 = 16384 registers
 * fit into 65536. Static shared memory comes on top of what is predicted. */
static void occupancy_is_of_the_registers(void **state)
{
	struct fixture *fixture = *state;
	int n;
	struct bw_kernel_uses uses = {.n = 1, .register_limit = 64};
	uses.list[0] = use_of("_kernel_a_s0_y_", 64);
	uses.list[0].shared_bytes = 100;
	struct bw_kernel_facts *facts = bw_kernel_facts(fixture->nest, &round_device, &uses, NULL, fixture->arena, &n);
	const struct bw_kernel_facts *a = find(fixture, facts, n, "a");
	assert_int_equal(a->predicted.blocks_per_sm, 8);
	assert_int_equal(a->occupancy.blocks_per_sm, 4);
	assert_int_equal(a->occupancy.limiter, BW_LIMITED_BY_REGISTERS);
	assert_true(a->predicted.occupancy == 1 && a->occupancy.occupancy == 0.5);
	assert_int_equal(a->shared_bytes, 100);
	assert_int_equal(a->kernel.shared_bytes, 0);
}

/* The kernel of a has 32 x 8 threads a block and 16 x 8 blocks. Each limit is set to one less. */
static void what_does_not_fit_is_told(void **state)
{
	struct fixture *fixture = *state;
	static const struct {
		size_t field;
		double limit;
		const char *why;
	} cases[] = {
		{offsetof(struct bw_device, threads_per_block), 255, "a needs 256 threads a block, Round has at most 255"},
		{offsetof(struct bw_device, block_x), 31, "a needs 32 threads a block in x, Round has at most 31"},
		{offsetof(struct bw_device, block_y), 7, "a needs 8 threads a block in y, Round has at most 7"},
		{offsetof(struct bw_device, grid_x), 15, "a needs 16 blocks in x, Round has at most 15"},
		{offsetof(struct bw_device, grid_y), 7, "a needs 8 blocks in y, Round has at most 7"},
		{offsetof(struct bw_device, shared_per_block), 99, "a needs 100 bytes of shared memory a block, Round has at most 99"},
		{offsetof(struct bw_device, registers_per_thread), 63, "a needs 64 registers a thread, Round has at most 63"},
		{offsetof(struct bw_device, registers_per_block), 16383, "a needs 64 registers for each of 256 threads a block, more than Round has"},
		{offsetof(struct bw_device, capability), 80, ""},
	};
	struct bw_kernel_uses uses = {.n = 1, .register_limit = 64};
	uses.list[0] = use_of("_kernel_a_s0_y_", 64);
	uses.list[0].shared_bytes = 100;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_device device = round_device;
		struct bw_text why = {0};
		int n;
		strcpy(device.name, "Round");
		memcpy((char *)&device + cases[i].field, &cases[i].limit, sizeof cases[i].limit);
		struct bw_kernel_facts *facts = bw_kernel_facts(fixture->nest, &device, &uses, NULL, fixture->arena, &n);
		assert_int_equal(bw_kernel_fits(fixture->pipeline, find(fixture, facts, n, "a"), &device, &why), !*cases[i].why);
		assert_string_equal(bw_text_get(&why), cases[i].why);
		bw_text_free(&why);
	}
}

static void words(void **state)
{
	struct bw_kernel_uses uses = {.n = 2, .register_limit = 64};
	struct bw_text text = {0};
	uses.list[0] = use_of("a", 20);
	uses.list[1] = use_of("b", 30);
	bw_kernel_uses_words(&uses, &text);
	bw_text_puts(&text, "\n");
	uses.list[0].spill_loads = 4;
	bw_kernel_uses_words(&uses, &text);
	bw_text_puts(&text, "\n");
	uses.list[0].spill_loads = uses.list[0].spill_stores = uses.list[1].spill_stores = -1;
	uses.list[1].local_bytes = 48;
	bw_kernel_uses_words(&uses, &text);
	bw_text_puts(&text, "\n");
	uses.n = 1;
	bw_kernel_uses_words(&uses, &text);
	assert_string_equal(bw_text_get(&text),
		"2 kernels, at most 30 registers a thread (limit 64), no spills\n"
		"2 kernels, at most 30 registers a thread (limit 64), SPILLS in 1 kernel\n"
		"2 kernels, at most 30 registers a thread (limit 64), at most 48 bytes of local memory\n"
		"1 kernel, 20 registers a thread (limit 64), 0 bytes of local memory");
	bw_text_clear(&text);
	uses.n = 2;
	bw_kernel_times_words(&uses, "", &text);
	assert_string_equal(bw_text_get(&text), "");
	uses.list[0].launches = 1;
	uses.list[0].ms = 0.0123;
	uses.list[1].launches = 3;
	uses.list[1].ms = 1.5;
	bw_kernel_times_words(&uses, "  ", &text);
	assert_string_equal(bw_text_get(&text), "  0.0123 ms  a\n  1.5000 ms  b  (3 launches)\n");
	bw_text_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_found_by_name),
		cmocka_unit_test(occupancy_is_of_the_registers),
		cmocka_unit_test(what_does_not_fit_is_told),
		cmocka_unit_test(words),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
