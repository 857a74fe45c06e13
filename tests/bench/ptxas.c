/* Reading what ptxas says: texts of CUDA 11, 12 and 13 with figures that are known; and finding the text of the kernels in an object, in one that
 * was compiled here and in others that are broken. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../core/test.h"
#include "base/file.h"
#include "bench/device_code.h"
#include "bench/ptxas.h"

static void expect(const struct bw_kernel_use *use, const char *name, int registers, int local_bytes, int spill_stores, int spill_loads, int shared_bytes, int barriers)
{
	assert_string_equal(use->name, name);
	assert_int_equal(use->registers, registers);
	assert_int_equal(use->local_bytes, local_bytes);
	assert_int_equal(use->spill_stores, spill_stores);
	assert_int_equal(use->spill_loads, spill_loads);
	assert_int_equal(use->shared_bytes, shared_bytes);
	assert_int_equal(use->barriers, barriers);
	assert_int_equal(use->block_threads, -1);
}

/* ptxas 13.0, -maxrregcount=24. The properties of a function that is no kernel stand between. */
static void cuda_13(void **state)
{
	struct bw_kernel_uses uses;
	struct bw_error error = {0};
	assert_true(bw_ptxas_read(
		"ptxas warning : For profile sm_90 adjusting per thread register count of 16 to lower bound of 24\n"
		"ptxas info    : Overriding maximum register limit 256 for '_kernel_b' with  24 of maxrregcount option\n"
		"ptxas info    : 0 bytes gmem\n"
		"ptxas info    : Compiling entry function '_kernel_b' for 'sm_90'\n"
		"ptxas info    : Function properties for _kernel_b\n"
		"    16 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n"
		"ptxas info    : Used 24 registers, used 2 barriers, 16 bytes cumulative stack size, 1024 bytes smem, 392 bytes cmem[0]\n"
		"ptxas info    : Compile time = 10.101 ms\n"
		"ptxas info    : Compiling entry function '_kernel_a' for 'sm_90'\n"
		"ptxas info    : Function properties for helper\n"
		"    64 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n"
		"ptxas info    : Function properties for _kernel_a\n"
		"    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
		"ptxas info    : Used 16 registers, used 0 barriers\n", &uses, &error));
	assert_int_equal(uses.n, 2);
	expect(&uses.list[0], "_kernel_b", 24, 16, 12, 20, 1024, 2);
	expect(&uses.list[1], "_kernel_a", 16, 0, 0, 0, 0, 0);
	bw_ptxas_order(".visible .entry _kernel_ab(\n.visible .entry _kernel_a(\n.visible .entry _kernel_b(\n", &uses);
	assert_string_equal(uses.list[0].name, "_kernel_a");
	assert_string_equal(uses.list[1].name, "_kernel_b");
}

/* ptxas 11: no barriers are said, lines end as on Windows. */
static void cuda_11(void **state)
{
	struct bw_kernel_uses uses;
	struct bw_error error = {0};
	assert_true(bw_ptxas_read("ptxas info    : 0 bytes gmem\r\n"
		"ptxas info    : Compiling entry function 'k' for 'sm_61'\r\n"
		"ptxas info    : Function properties for k\r\n"
		"    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\r\n"
		"ptxas info    : Used 10 registers, 360 bytes cmem[0]\r\n", &uses, &error));
	assert_int_equal(uses.n, 1);
	expect(&uses.list[0], "k", 10, 0, 0, 0, 0, -1);
}

static void what_says_too_little(void **state)
{
	struct bw_kernel_uses uses;
	struct bw_error error = {0};
	assert_false(bw_ptxas_read("", &uses, &error));
	assert_string_equal(error.text, "ptxas names no kernel");
	assert_false(bw_ptxas_read("ptxas info    : Compiling entry function 'k' for 'sm_61'\nptxas info    : Used many registers\n", &uses, &error));
	assert_string_equal(error.text, "ptxas does not say the registers of k");
	assert_int_equal(error.kind, BW_ERROR_DEVICE);
}

/* More kernels than are kept, and names longer than are kept. */
static void many_and_long(void **state)
{
	static char name[300];
	struct bw_kernel_uses uses;
	struct bw_error error = {0};
	struct bw_text said = {0}, ptx = {0};
	memset(name, 'x', sizeof name - 1);
	for (int k = BW_MOST_KERNELS + 9; k >= 0; k--)
		bw_text_printf(&said, "ptxas info    : Compiling entry function 'k%d%s' for 'sm_80'\nptxas info    : Used %d registers\n", k, name, k + 1);
	for (int k = 0; k < BW_MOST_KERNELS + 10; k++)
		bw_text_printf(&ptx, ".visible .entry k%d%s(\n", k, name);
	assert_true(bw_ptxas_read(bw_text_get(&said), &uses, &error));
	assert_int_equal(uses.n, BW_MOST_KERNELS);
	bw_ptxas_order(bw_text_get(&ptx), &uses);
	for (int k = 0; k < uses.n; k++)
		assert_int_equal(uses.list[k].registers, k + 11);
	bw_text_free(&said);
	bw_text_free(&ptx);
}

static void found_in_path(void **state)
{
	char folder[] = "/tmp/bw-ptxas-XXXXXX", file[64], path[128];
	assert_non_null(mkdtemp(folder));
	snprintf(file, sizeof file, "%s/ptxas", folder);
	snprintf(path, sizeof path, "::/nowhere:%s:/usr/local/cuda/bin", folder);
	FILE *stream = fopen(file, "w");
	assert_non_null(stream);
	fclose(stream);
	char *found = bw_ptxas_find(path);
	assert_true(!found || strcmp(found, file) != 0);
	free(found);
	assert_int_equal(chmod(file, 0755), 0);
	found = bw_ptxas_find(path);
	assert_non_null(found);
	assert_string_equal(found, file);
	free(found);
	free(bw_ptxas_find(NULL));
	unlink(file);
	rmdir(folder);

	struct bw_kernel_uses uses;
	struct bw_error error = {0};
	struct bw_text ptx = {0};
	assert_false(bw_ptxas_run(&(struct bw_assembly){NULL, "sm_80", 64, "/nowhere", false}, &ptx, &(struct bw_patience){1, NULL}, NULL, &uses, &error));
	assert_int_equal(error.kind, BW_ERROR_MISSING);
	assert_non_null(strstr(error.text, "there is no ptxas"));
}

/* In this program's own read-only data, as a compiler puts it there; before the PTX constants that could be letters. */
__attribute__((used)) static const char source_here[] = "/*OpenCL C host-opencl*/\n__kernel void k()\n{\n}\n";
__attribute__((used)) static const char ptx_here[] = "\x80?\xc3\xa4 ab//\n// comment\n\n.version 7.0\n.target sm_80\n.visible .entry k(\n)\n{\n}\n";

/* Room for a second module. */
__attribute__((used)) static const char room_here[sizeof ptx_here] = "room";

static void code_of_an_object(void **state)
{
	struct bw_text own = {0}, code = {0};
	struct bw_error error = {0};
	assert_true(bw_file_read("/proc/self/exe", 256 << 20, &own, &error));
	unsigned char *bytes = (unsigned char *)own.bytes;
	assert_true(bw_device_code("here", bytes, own.length, BW_API_OPENCL, &code, &error));
	assert_string_equal(bw_text_get(&code), source_here);
	bw_text_clear(&code);
	assert_true(bw_device_code("here", bytes, own.length, BW_API_CUDA, &code, &error));
	assert_string_equal(bw_text_get(&code), strstr(ptx_here, ".version"));
	unsigned char *place = memmem(bytes, own.length, ptx_here, sizeof ptx_here);
	assert_non_null(place);
	unsigned char *room = memmem(bytes, own.length, room_here, sizeof room_here);
	assert_non_null(room);
	memcpy(room, ptx_here, sizeof ptx_here);
	assert_false(bw_device_code("here", bytes, own.length, BW_API_CUDA, &code, &error));
	assert_string_equal(error.text, "here: has 2 modules of PTX, expected one");
	memset(room, 0, sizeof ptx_here);
	memset(place, 0, sizeof ptx_here);
	assert_false(bw_device_code("here", bytes, own.length, BW_API_CUDA, &code, &error));
	assert_string_equal(error.text, "here: has no PTX in its read-only data");
	assert_false(bw_device_code("here", bytes, 100, BW_API_CUDA, &code, &error));
	assert_string_equal(error.text, "here: its section 0 is cut off");
	assert_false(bw_device_code("here", bytes, 10, BW_API_CUDA, &code, &error));
	assert_string_equal(error.text, "here: expected an ELF object of 64 bits");
	assert_false(bw_device_code_read("/nowhere/a.so", BW_API_CUDA, &code, &error));
	assert_non_null(strstr(error.text, "/nowhere/a.so"));
	bw_text_free(&own);
	bw_text_free(&code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuda_13),
		cmocka_unit_test(cuda_11),
		cmocka_unit_test(what_says_too_little),
		cmocka_unit_test(many_and_long),
		cmocka_unit_test(found_in_path),
		cmocka_unit_test(code_of_an_object),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
