/* The emulated device's driver as a program sees it that opens libcuda: blur's kernel as Halide compiled it runs and is right; with its barrier removed,
 * its memory too small or never written, launched wrongly, or its PTX damaged, each call that should fail does, says why, and a new context works again. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "bench/cuda.h"

enum { WIDTH = 128, HEIGHT = 64, IN_WIDTH = WIDTH + 2, IN_HEIGHT = HEIGHT + 2, IN_BYTES = 2 * IN_WIDTH * IN_HEIGHT, OUT_BYTES = 2 * WIDTH * HEIGHT };
enum { SHARED = 2 * 64 * 66, BLOCKS_X = WIDTH / 64, THREADS_X = 64, THREADS_Y = 16 };
enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_PTX = 218, TOO_NEW = 222, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700, TIMEOUT = 702, LAUNCH_FAILED = 719, JIT_LOG = 5, JIT_LOG_BYTES = 6 };
static const char kernel_name[] = "_kernel_output_s0_y_y_block___block_id_y";

static struct {
#define X(field, symbol, type) __typeof__((type)0) field;
	BW_CUDA_TABLE(X)
#undef X
	int (*upload)(bw_cuda_address, const void *, size_t);
} cuda;
static char *ptx;
static uint16_t input[IN_WIDTH * IN_HEIGHT], output[WIDTH * HEIGHT];

static int open_all(void **state)
{
	char path[4096];
	setenv("BEAMWALK_EMULATOR_QUIET", "1", 1);
	snprintf(path, sizeof path, "%s/emulator/libcuda.so.1", getenv("BW_BUILD") ? getenv("BW_BUILD") : ".");
	void *library = dlopen(path, RTLD_NOW);
	if (!library)
		return -1;
#define X(field, symbol, type) cuda.field = (__typeof__((type)0))dlsym(library, symbol);
	BW_CUDA_TABLE(X)
#undef X
	cuda.upload = (int (*)(bw_cuda_address, const void *, size_t))dlsym(library, "cuMemcpyHtoD_v2");
	snprintf(path, sizeof path, "%s/tests/fuzz/corpus/ptx/blur.ptx", getenv("BW_SRC") ? getenv("BW_SRC") : ".");
	FILE *file = fopen(path, "r");
	ptx = calloc(1, 1 << 16);
	if (!file || !ptx || !fread(ptx, 1, (1 << 16) - 1, file))
		return -1;
	fclose(file);
	for (int k = 0; k < IN_WIDTH * IN_HEIGHT; k++)
		input[k] = (uint16_t)(k * 40503u);
	return 0;
}

static int close_all(void **state)
{
	free(ptx);
	return 0;
}

/* A context with a module and blur's buffers. */
struct session {
	bw_cuda_context context;
	bw_cuda_module module;
	bw_cuda_function function;
	bw_cuda_address in, out;
};

/* Returns what loading the text gives; *log has the words. */
static int open_session(struct session *session, const char *text, const char *check, size_t out_bytes, char log[400])
{
	if (check)
		setenv("BEAMWALK_EMULATOR_CHECK", check, 1);
	else
		unsetenv("BEAMWALK_EMULATOR_CHECK");
	*session = (struct session){0};
	assert_int_equal(cuda.init(0), 0);
	assert_int_equal(cuda.create(&session->context, 0, 0), 0);
	int options[] = {BW_CU_JIT_MAX_REGISTERS, JIT_LOG, JIT_LOG_BYTES};
	void *values[] = {(void *)(uintptr_t)64, log, (void *)(uintptr_t)400};
	*log = 0;
	int code = cuda.load(&session->module, text, 3, options, values);
	if (code)
		return code;
	assert_int_equal(cuda.function(&session->function, session->module, kernel_name), 0);
	assert_int_equal(cuda.allocate(&session->in, IN_BYTES), 0);
	assert_int_equal(cuda.allocate(&session->out, out_bytes), 0);
	return 0;
}

static void close_session(struct session *session)
{
	if (session->module)
		assert_int_equal(cuda.unload(session->module), 0);
	assert_int_equal(cuda.destroy(session->context), 0);
}

static int launch(struct session *session, unsigned threads_y)
{
	int32_t in_stride = IN_WIDTH, width = WIDTH, height = HEIGHT, min_y = 0, out_stride = WIDTH, min_x = 0;
	void *parameters[] = {&session->in, &session->out, &in_stride, &width, &height, &min_y, &out_stride, &min_x};
	return cuda.launch(session->function, BLOCKS_X, HEIGHT / 64, 1, THREADS_X, threads_y, 1, SHARED, NULL, parameters, NULL);
}

static void expect_words(int code, const char *words)
{
	const char *text = "";
	assert_int_equal(cuda.error_text(code, &text), 0);
	if (!strstr(text, words) || strchr(text, '\n'))
		fail_msg("\"%s\" is expected, not \"%s\"", words, text);
}

static int blur_x(int x, int y)
{
	const uint16_t *row = input + y * IN_WIDTH + x;
	return (row[0] + row[1] + row[2]) / 3;
}

/* Right, with and without checks, and so in a context after one that failed. */
static void runs(void **state)
{
	static const char *const checks[] = {NULL, "race,init"};
	for (int k = 0; k < 2; k++) {
		struct session session;
		char log[400];
		assert_int_equal(open_session(&session, ptx, checks[k], OUT_BYTES, log), 0);
		assert_int_equal(cuda.upload(session.in, input, IN_BYTES), 0);
		assert_int_equal(launch(&session, THREADS_Y), 0);
		assert_int_equal(cuda.synchronize(), 0);
		assert_int_equal(cuda.fetch(output, session.out, OUT_BYTES), 0);
		close_session(&session);
		for (int y = 0; y < HEIGHT; y++)
			for (int x = 0; x < WIDTH; x++)
				assert_int_equal(output[y * WIDTH + x], (blur_x(x, y) + blur_x(x, y + 1) + blur_x(x, y + 2)) / 3);
	}
}

/* The text with each `from` replaced by `to`, of the same length. */
static char *altered(const char *from, const char *to)
{
	char *text = strdup(ptx);
	assert_int_equal(strlen(from), strlen(to));
	for (char *at = strstr(text, from); at; at = strstr(at, from))
		memcpy(at, to, strlen(to));
	assert_string_not_equal(text, ptx);
	return text;
}

static void no_barrier(void **state)
{
	struct session session;
	char log[400], *text = altered("bar.sync", "//  sync");
	assert_int_equal(open_session(&session, text, "race", OUT_BYTES, log), 0);
	assert_int_equal(cuda.upload(session.in, input, IN_BYTES), 0);
	assert_int_equal(launch(&session, THREADS_Y), LAUNCH_FAILED);
	expect_words(LAUNCH_FAILED, "thread (0, 1, 0), line 179 of the PTX, ld.shared.u16: race in shared memory: it reads what block (0, 0, 0), thread (0, 0, 0) writes in line 128");
	/* The context is lost, as a GPU's is. */
	assert_int_equal(cuda.synchronize(), LAUNCH_FAILED);
	assert_int_equal(cuda.fetch(output, session.out, OUT_BYTES), LAUNCH_FAILED);
	close_session(&session);
	free(text);
	runs(NULL);
}

static void store_beyond(void **state)
{
	struct session session;
	char log[400];
	assert_int_equal(open_session(&session, ptx, NULL, OUT_BYTES - 2, log), 0);
	assert_int_equal(cuda.upload(session.in, input, IN_BYTES), 0);
	assert_int_equal(launch(&session, THREADS_Y), ILLEGAL_ADDRESS);
	expect_words(ILLEGAL_ADDRESS, "kernel _kernel_output_s0_y_y_block___block_id_y, block (1, 0, 0), thread (63, 15, 0), line 220 of the PTX, st.global.u16: 2 bytes of global memory at ");
	expect_words(ILLEGAL_ADDRESS, "0 bytes after the end of an allocation of 16382 bytes");
	close_session(&session);
}

static void never_written(void **state)
{
	struct session session;
	char log[400];
	assert_int_equal(open_session(&session, ptx, "init", OUT_BYTES, log), 0);
	assert_int_equal(cuda.fetch(output, session.out, OUT_BYTES), LAUNCH_FAILED);
	expect_words(LAUNCH_FAILED, "16384 of 16384 bytes that are copied to the host were never written, first byte 0");
	assert_int_equal(launch(&session, THREADS_Y), 0);
	assert_int_equal(cuda.fetch(output, session.out, OUT_BYTES), LAUNCH_FAILED);
	expect_words(LAUNCH_FAILED, "16384 of 16384 bytes that are copied to the host depend on memory that nothing wrote, first byte 0; the first read of such memory: kernel _kernel_output_s0_y_y_block___block_id_y, block (0, 0, 0), thread (0, 0, 0), line ");
	close_session(&session);
}

static void launched_wrongly(void **state)
{
	struct session session;
	char log[400];
	assert_int_equal(open_session(&session, ptx, NULL, OUT_BYTES, log), 0);
	assert_int_equal(launch(&session, 32), INVALID_VALUE);
	expect_words(INVALID_VALUE, "kernel _kernel_output_s0_y_y_block___block_id_y: 2048 threads in a block, and the device takes at most 1024");
	assert_int_equal(launch(&session, 0), INVALID_VALUE);
	bw_cuda_address huge;
	assert_int_equal(cuda.allocate(&huge, (size_t)1 << 50), OUT_OF_MEMORY);
	expect_words(OUT_OF_MEMORY, "1125899906842624 bytes of device memory are asked for, and ");
	bw_cuda_function function;
	assert_int_equal(cuda.function(&function, session.module, "nothing"), NOT_FOUND);
	assert_int_equal(cuda.free(session.in + 2), INVALID_VALUE);
	close_session(&session);
}

static void endless(void **state)
{
	struct session session;
	char log[400];
	setenv("BEAMWALK_EMULATOR_STEPS", "100", 1);
	assert_int_equal(open_session(&session, ptx, NULL, OUT_BYTES, log), 0);
	assert_int_equal(launch(&session, THREADS_Y), TIMEOUT);
	expect_words(TIMEOUT, "the kernel does not end: a warp has run 100 instructions");
	unsetenv("BEAMWALK_EMULATOR_STEPS");
	close_session(&session);
}

static void damaged(void **state)
{
	char *newer = altered(".version 7.0", ".version 9.9"), *unknown = altered("mul.lo.s64", "mul.up.s64"), *truncated = strndup(ptx, strlen(ptx) / 2);
	const struct {
		const char *text, *words;
		int code;
	} modules[] = {{newer, "line 1: PTX version 9.9 is newer than 9.0", TOO_NEW}, {unknown, "unknown instruction mul.up.s64", INVALID_PTX}, {truncated, "line ", INVALID_PTX}, {"\177ELF", "line 1: ", INVALID_PTX}};
	for (size_t k = 0; k < sizeof modules / sizeof *modules; k++) {
		struct session session;
		char log[400];
		assert_int_equal(open_session(&session, modules[k].text, NULL, OUT_BYTES, log), modules[k].code);
		expect_words(modules[k].code, modules[k].words);
		assert_non_null(strstr(log, modules[k].words));
		close_session(&session);
	}
	free(newer);
	free(unknown);
	free(truncated);
	runs(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(runs), cmocka_unit_test(no_barrier), cmocka_unit_test(store_beyond), cmocka_unit_test(never_written), cmocka_unit_test(launched_wrongly), cmocka_unit_test(endless), cmocka_unit_test(damaged)};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
