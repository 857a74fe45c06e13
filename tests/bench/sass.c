/* Instructions of SASS, and how often they run: of kernels that ptxas makes here, with figures worked out by hand. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/test.h"
#include "bench/ptxas.h"
#include "bench/sass.h"

/* A loop that ptxas unrolls, between what runs once: however often its lines stand in the SASS, together they run as often
 * as those of the PTX. */
static void instructions_of_sass(void **state)
{
	static const char *const ptx = ".version 7.0\n.target sm_70\n.address_size 64\n"
		".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n"
		".reg .pred %p<2>;\n.reg .f32 %f<3>;\n.reg .b32 %r<3>;\n.reg .b64 %rd<5>;\n"
		"ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nld.param.u32 %r2, [n];\ncvta.to.global.u64 %rd3, %rd1;\n" /* 10 */
		"cvta.to.global.u64 %rd4, %rd2;\nmov.f32 %f1, 0f00000000;\nmov.u32 %r1, 0;\n"
		"LOOP:\nld.global.f32 %f2, [%rd3];\nfma.rn.f32 %f1, %f1, %f2, %f2;\nadd.s64 %rd3, %rd3, 4;\nadd.s32 %r1, %r1, 1;\n" /* 18 */
		"setp.lt.s32 %p1, %r1, %r2;\n@%p1 bra LOOP;\n"
		"st.global.v4.f32 [%rd4], {%f1, %f1, %f1, %f1};\nret;\n}\n"; /* 24 */
	static const char *const architectures[] = {"sm_80", "sm_90"};
	char folder[] = "/tmp/bw-sass-XXXXXX";
	struct bw_text text = {0};
	char *path = bw_ptxas_find(getenv("PATH"));
	if (!path)
		skip_because("there is no ptxas");
	bw_text_puts(&text, ptx);
	assert_non_null(mkdtemp(folder));
	for (size_t a = 0; a < sizeof architectures / sizeof *architectures; a++) {
		struct bw_counted_part parts[] = {{.line = 10, .length = 7, .counts = {.instructions = 7}},
			{.line = 18, .length = 6, .counts = {.instructions = 600}}, {.line = 24, .length = 2, .counts = {.instructions = 2}}};
		struct bw_counted_kernel kernel = {.name = "k", .n_parts = 3, .parts = parts};
		struct bw_counted counted = {.n = 1, .kernels = &kernel};
		struct bw_assembly assembly = {path, architectures[a], 64, folder, true};
		struct bw_patience patience = {60, NULL};
		struct bw_kernel_uses uses;
		struct bw_text cubin = {0};
		struct bw_error error = {0};
		int n_loads = 0, n_jumps_back = 0;
		assert_true(bw_ptxas_run(&assembly, &text, &patience, &cubin, &uses, &error));
		struct bw_sass *sass = bw_sass_read("k", bw_text_get(&cubin), cubin.length, a ? 90 : 80, &error);
		assert_non_null(sass);
		assert_string_equal(sass->kernels[0].name, "k");
		for (int k = 0; k < sass->kernels[0].n; k++) {
			const struct bw_sass_instruction *it = &sass->kernels[0].code[k];
			if (it->kind == BW_SASS_GLOBAL_STORE)
				assert_true(it->bytes == 16 && it->line == 24 && !it->predicated && it->target < 0);
			if (it->kind == BW_SASS_GLOBAL_LOAD)
				assert_true(it->bytes == 4 && it->line == 18);
			n_loads += it->kind == BW_SASS_GLOBAL_LOAD;
			n_jumps_back += it->flow == BW_SASS_BRANCH && it->target >= 0 && it->target < k;
		}
		assert_true(n_loads > 1 && n_jumps_back > 0);
		bw_sass_count(sass, ptx, &counted);
		assert_true(kernel.has_sass);
		assert_float_equal(kernel.sass[BW_SASS_GLOBAL_LOAD], 100, 0.01);
		assert_float_equal(kernel.sass[BW_SASS_FLOAT], 100, 0.01);
		assert_float_equal(kernel.sass[BW_SASS_GLOBAL_STORE], 1, 0.01);
		assert_true(bw_counted_sass(&kernel) > 201 && bw_counted_sass(&kernel) < 609);
		bw_sass_free(sass);
		assert_null(bw_sass_read("k", bw_text_get(&cubin), cubin.length, 100, &error));
		assert_null(bw_sass_read("k", bw_text_get(&cubin), 40, 80, &error));
		bw_text_free(&cubin);
	}
	bw_text_free(&text);
	free(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(instructions_of_sass)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
