/* Steps of the occupancy worked out by hand for the A100 (64 warps, 32 blocks, 65,536 registers and 164 KiB of shared memory an SM); the
 * kernels of harris under their ceilings. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "figures/rooflines.h"
#include "session_test.h"

static void steps_of_the_occupancy(void **state)
{
	(void)state;
	struct bw_session *session = session_open_on("harris", 4);
	const struct bw_device *device = session->options.device;
	static const struct {
		struct bw_block_needs needs;
		struct bw_occupancy_step threads, registers, shared;
	} cases[] = {
		/* 32 blocks of 1 warp are 32 of 64 warps; of 2 warps all 64. */
		{{32, 0, 0}, {64, 1}, {-1, 0}, {-1, 0}},
		/* 2 blocks of 32 warps. */
		{{1024, 0, 0}, {-1, 0}, {-1, 0}, {-1, 0}},
		/* 4 blocks of 13 warps are 52; of 14 warps 56. */
		{{396, 0, 0}, {448, 56.0 / 64}, {-1, 0}, {-1, 0}},
		/* A warp takes 40 x 32 = 1,280 registers: 12 warps in each of 4 parts, 48 in all; from 32 registers on 16. No block holds more with 40. */
		{{128, 40, 0}, {-1, 0}, {32, 1}, {-1, 0}},
		/* 40,000 B and 1,024 reserved are 41,088 B in units of 128: 4 blocks of 4 warps. 5 blocks have 33,587 B, 33,536 in units: 32,512. */
		{{128, 0, 40000}, {160, 20.0 / 64}, {-1, 0}, {32512, 20.0 / 64}},
	};
	assert_string_equal(device->name, "A100");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct bw_occupancy_step steps[] = {bw_step_threads(device, &cases[i].needs), bw_step_registers(device, &cases[i].needs), bw_step_shared(device, &cases[i].needs)};
		const struct bw_occupancy_step *expected[] = {&cases[i].threads, &cases[i].registers, &cases[i].shared};
		for (int s = 0; s < 3; s++) {
			assert_int_equal(steps[s].value, expected[s]->value);
			assert_true(steps[s].occupancy == expected[s]->occupancy);
		}
	}
	session_close(session);
}

static void kernels_under_their_ceilings(void **state)
{
	(void)state;
	struct bw_session *session = session_open_on("harris", 4);
	struct bw_arena *arena = bw_arena_new();
	free(session_do(session, "apply {output root 1x4/32x8 | trace inline | det inline | Sxx inline | Syy inline | Sxy inline | Ixx inline | Iyy inline | Ixy inline | Ix at output.block 1x2 | Iy at output.block 1x2 | Y root 1x4/32x8 | input_im inline}"));
	free(session_do(session, "run end"));
	const struct bw_cost *cost = bw_session_cost(session);
	struct bw_rooflines all = bw_rooflines_of(bw_session_state(session)->nest, session->options.device, session->options.model, NULL, arena);
	assert_int_equal(all.n, 2);
	assert_string_equal(session->pipeline->funcs[all.kernels[0].func].name, "output");
	double ms = 0, share = 0;
	for (int k = 0; k < all.n; k++) {
		const struct bw_roofline_kernel *kernel = &all.kernels[k];
		ms += kernel->ms;
		share += kernel->share;
		assert_true(fabs(kernel->rate * kernel->ms * 1e-3 / kernel->operations - 1) < 1e-9);
		assert_true(kernel->rate <= kernel->ceiling && kernel->ceiling <= session->options.device->float_rate);
		assert_int_equal(kernel->needs.threads, k ? 256 : 34 * 17);
	}
	assert_true(fabs(ms / cost->total - 1) < 1e-12 && fabs(share - 1) < 1e-12);
	/* Y: three colours of a byte make a float, all of 1536x2560 points, which the L2 of 40 MB then has. output: blocks of 32x32, of which 3,840
	 * read 36x36 points of Y. */
	const struct bw_stage_cost *y = &cost->stages[session->pipeline->funcs[all.kernels[1].func].first_stage];
	assert_true(all.kernels[1].operations == y->points * y->operations);
	assert_true(all.kernels[1].bytes[BW_ROOF_DRAM] == 1536.0 * 2560 * 3);
	assert_true(all.kernels[1].bytes[BW_ROOF_L2] == 1536.0 * 2560 * (3 + 4));
	const struct bw_placed *output = bw_session_state(session)->nest->placed[all.kernels[0].func];
	assert_true(all.kernels[0].bytes[BW_ROOF_DRAM] == output->bytes);
	assert_true(all.kernels[0].bytes[BW_ROOF_L2] == output->bytes + 3840.0 * 36 * 36 * 4);
	char *text = session_do(session, "view --json roofline");
	json_t *json = json_loads(text, 0, NULL), *kernels = json_object_get(json, "kernels");
	assert_int_equal(json_array_size(kernels), 2);
	for (size_t k = 0; k < 2; k++) {
		assert_true(json_real_value(json_object_get(json_array_get(kernels, k), "ms")) == all.kernels[k].ms);
		assert_true(json_real_value(json_object_get(json_array_get(kernels, k), "dram_bytes")) == all.kernels[k].bytes[BW_ROOF_DRAM]);
		assert_true(json_real_value(json_object_get(json_array_get(kernels, k), "occupancy")) == all.kernels[k].occupancy.occupancy);
	}
	json_decref(json);
	free(text);
	bw_arena_free(arena);
	session_close(session);
}

/* The nest, the roofline, the costs and the report in JSON say the same of a kernel under the model that steers: its occupancy, with the
 * registers that the model estimates, and its share. */
static void views_agree(void **state)
{
	(void)state;
	static const char *const pipelines[] = {"harris", "local_laplacian", "unsharp", "camera_pipe", "mat_mul", "bilateral_grid"};
	for (size_t p = 0; p < sizeof pipelines / sizeof *pipelines; p++) {
		struct bw_session *session = session_open_on(pipelines[p], 4);
		struct bw_arena *arena = bw_arena_new();
		free(session_do(session, "set cost_model=latency"));
		free(session_do(session, "run end"));
		const struct bw_nest *nest = bw_session_state(session)->nest;
		const struct bw_cost *cost = bw_session_cost(session);
		struct bw_rooflines all = bw_rooflines_of(nest, session->options.device, session->options.model, NULL, arena);
		int n;
		const struct bw_kernel_facts *facts = bw_kernel_facts(nest, session->options.device, NULL, cost, arena, &n);
		double ms = 0;
		assert_int_equal(all.n, n);
		assert_ptr_equal(all.model, session->options.model);
		for (int k = 0; k < n; k++) {
			const struct bw_roofline_kernel *kernel = &all.kernels[k];
			const struct bw_kernel_facts *of = facts;
			while (of->kernel.func != kernel->func || of->kernel.stage != kernel->stage)
				of++;
			const struct bw_stage_cost *stage = &cost->stages[session->pipeline->funcs[kernel->func].first_stage + kernel->stage];
			ms += kernel->ms;
			assert_true(stage->registers > 0 && kernel->needs.registers == stage->registers && of->registers == stage->registers);
			assert_true(kernel->occupancy.occupancy == of->occupancy.occupancy && kernel->occupancy.limiter == of->occupancy.limiter);
			/* A grid of fewer blocks than fit at once does not achieve it. */
			assert_true(stage->waves >= 1 ? fabs(kernel->occupancy.occupancy - stage->occupancy) < 1e-9 : kernel->occupancy.occupancy >= stage->occupancy);
			assert_true(kernel->rate <= kernel->ceiling * (1 + 1e-9));
		}
		assert_true(fabs(ms / cost->total - 1) < 1e-9);
		bw_arena_free(arena);
		session_close(session);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_of_the_occupancy),
		cmocka_unit_test(kernels_under_their_ceilings),
		cmocka_unit_test(views_agree),
	};
	return cmocka_run_group_tests_name("rooflines", tests, session_group_open, session_group_close);
}
