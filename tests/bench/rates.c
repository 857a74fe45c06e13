/* Rates of a device. Their kernels: assembled by ptxas where it is installed, for two architectures, without
 * spills, and with as many of the machine instructions as they claim to time. Taking them, with a stand-in
 * for CUDA's driver (stub_cuda.c) that runs no kernel: that every step is taken, that what did not run is not
 * believed, that a driver that fails or hangs in the middle costs the rates that are left and no memory. */
#include "../core/test.h"
#include "bench_test.h"

#include <elf.h>
#include <math.h>

#include "base/file.h"
#include "bench/ptxas.h"
#include "bench/rates_ptx.h"

static struct fixture fixture;
static const char *ptxas;
static char *log_path;

static void build_stub(const char *name)
{
	struct bw_text path = {0}, source = {0};
	bw_text_printf(&path, "%s/%s", fixture.directory, name);
	bw_text_printf(&source, "%s/tests/bench/stub_cuda.c", variable("BW_SRC"));
	const char *const argv[] = {"cc",    "-std=c11", "-D_GNU_SOURCE", "-w",         "-shared",
	                            "-fPIC", "-o",       path.bytes,      source.bytes, NULL};
	must_run(argv);
	bw_text_free(&path);
	bw_text_free(&source);
}

static int open_all(void **state)
{
	struct bw_text path = {0};
	fixture_open(&fixture);
	build_stub("libcuda.so.1");
	build_stub("libnvidia-ml.so.1");
	bw_text_printf(&path, "%s/log", fixture.directory);
	log_path = bw_text_take(&path);
	ptxas = getenv("PTXAS");
	return 0;
}

static int close_all(void **state)
{
	free(log_path);
	fixture_close(&fixture);
	return 0;
}

/* A rate that is named after a field of a record is in the field's unit. */
static void units_are_those_of_the_record(void **state)
{
	int n = 0;
	for (int k = 0; k < BW_N_RATES; k++) {
#define X(field, key, unit, text) \
	if (strcmp(bw_rate_name(k), key) == 0) { \
		assert_string_equal(bw_rate_unit(k), unit); \
		n++; \
	}
		BW_DEVICE_TABLE(X)
#undef X
	}
	assert_int_equal(n, 11); /* four of bytes, four of operations, launch, barrier and clock */
}

/* By hand: 108 SMs at 1.41 GHz with 64 lanes each do 9.74592 Tops/s. */
static void rates_go_into_a_record(void **state)
{
	struct bw_rates rates = bw_rates_none("why");
	struct bw_device device = {.float_rate = 1, .double_rate = 2, .clock = 3};
	assert_int_equal(bw_rates_taken(&rates), 0);
	assert_string_equal(rates.list[BW_RATE_float_rate].error, "why");
	rates.sms = 108;
	rates.list[BW_RATE_float_rate].value = 9.74592e12;
	rates.list[BW_RATE_float_add_rate].value = 5e12;
	rates.list[BW_RATE_clock].value = 1.41e9;
	assert_int_equal(bw_rates_taken(&rates), 3);
	assert_true(fabs(bw_rate_per_clock(&rates, BW_RATE_float_rate) - 64) < 1e-9);
	rates.list[BW_RATE_float_rate].clock = 0.705e9;
	assert_true(fabs(bw_rate_per_clock(&rates, BW_RATE_float_rate) - 128) < 1e-9);
	assert_true(isnan(bw_rate_per_clock(&rates, BW_RATE_clock)));
	bw_rates_into(&rates, &device);
	assert_true(device.float_rate == 9.74592e12 && device.clock == 1.41e9 && device.double_rate == 2);
}

/* Counts the instructions of a kernel's machine code (16 bytes each since compute capability 7.0) whose
 * operation is one of two. The lowest 9 bits name it, whatever its operands are. */
static int count_operations(const struct bw_text *cubin, unsigned one, unsigned other)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)cubin->bytes;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(cubin->bytes + header->e_shoff);
	const char *names = cubin->bytes + sections[header->e_shstrndx].sh_offset;
	int n = 0;
	for (int s = 0; s < header->e_shnum; s++) {
		if (strcmp(names + sections[s].sh_name, ".text.rate") != 0)
			continue;
		for (uint64_t at = 0; at < sections[s].sh_size; at += 16) {
			uint64_t word;
			memcpy(&word, cubin->bytes + sections[s].sh_offset + at, sizeof word);
			n += (word & 0x1ff) == one || (word & 0x1ff) == other;
		}
	}
	return n;
}

/* The instruction that a rate claims to time, how often it stands in the loop, and how many more there may be
 * around it. FFMA 23, FADD 21, FMUL 20, HFMA2 31 and 35, DFMA 2b, LOP3 12, IADD3 10, IMAD 24, MUFU 108, I2F
 * 106, I2FP 45, F2I 105, BAR 11d, LDS 184. */
static const struct claim {
	enum bw_rate_key key;
	unsigned one, other;
	int in_loop, around;
} claims[] = {
	{BW_RATE_clock, 0x23, 0, 256, 0},
	{BW_RATE_barrier_seconds, 0x11d, 0, 32, 0},
	{BW_RATE_barrier_256_seconds, 0x11d, 0, 32, 0},
	{BW_RATE_shared_bandwidth, 0x184, 0, 32, 0},
	{BW_RATE_float_rate, 0x23, 0, 256, 0},
	{BW_RATE_register_bandwidth, 0x23, 0, 256, 0},
	{BW_RATE_float_add_rate, 0x21, 0, 256, 0},
	{BW_RATE_float_mul_rate, 0x20, 0, 256, 0},
	{BW_RATE_half_rate, 0x31, 0x35, 256, 4},
	{BW_RATE_double_rate, 0x2b, 0, 256, 0},
	{BW_RATE_int_rate, 0x12, 0, 256, 4},
	{BW_RATE_int_add_rate, 0x10, 0x24, 256, 16},
	{BW_RATE_int_mul_rate, 0x24, 0, 256, 8},
	{BW_RATE_int_mad_rate, 0x24, 0, 256, 8},
	{BW_RATE_int64_rate, 0x10, 0x24, 512, 24},
	{BW_RATE_special_rate, 0x108, 0, 256, 0},
	{BW_RATE_rsqrt_rate, 0x108, 0, 256, 0},
	{BW_RATE_divide_rate, 0x108, 0, 256, 0},
	{BW_RATE_convert_rate, 0x105, 0, 256, 0},
};

static void assemble(enum bw_rate_key key, const char *architecture, struct bw_text *cubin)
{
	struct bw_text ptx = {0};
	struct bw_kernel_uses uses;
	struct bw_error error = {0};
	bw_rate_ptx(key, &ptx);
	if (!bw_ptxas_run(&(struct bw_assembly){ptxas, architecture, BW_RATE_REGISTERS, fixture.cache, false}, &ptx,
	                  &(struct bw_patience){300, NULL}, cubin, &uses, &error))
		fail_msg("%s: %s", bw_rate_name(key), error.text);
	if (uses.n != 1 || uses.list[0].local_bytes || uses.list[0].spill_stores || uses.list[0].spill_loads)
		fail_msg("%s, %s: %d kernels, %d registers, %d bytes of stack", bw_rate_name(key),
		         architecture, uses.n, uses.list[0].registers, uses.list[0].local_bytes);
	bw_text_free(&ptx);
}

static void kernels_hold_what_they_claim(void **state)
{
	static const char *const architectures[] = {"sm_80", "sm_90"};
	if (!ptxas || !*ptxas)
		skip_because(getenv("NO_PTXAS"));
	for (int k = 0; k < 2 * BW_N_RATES; k++) {
		struct bw_text cubin = {0};
		enum bw_rate_key key = k / 2;
		assemble(key, architectures[k % 2], &cubin);
		for (size_t c = 0; c < sizeof claims / sizeof *claims; c++) {
			if (claims[c].key != key)
				continue;
			int n = count_operations(&cubin, claims[c].one,
			                         claims[c].other ? claims[c].other : claims[c].one);
			if (n < claims[c].in_loop || n > claims[c].in_loop + claims[c].around)
				fail_msg("%s, %s: %d instructions, not %d and up to %d around",
				         bw_rate_name(key), architectures[k % 2], n, claims[c].in_loop,
				         claims[c].around);
		}
		bw_text_free(&cubin);
	}
}

/* Asks a fresh worker for the rates of its first CUDA device, with a variable set for the stand-in (NULL:
 * none). */
static bool take(const char *name, const char *value, double limit, struct bw_rates *rates,
                 struct bw_error *error)
{
	unlink(log_path);
	setenv("LD_LIBRARY_PATH", fixture.directory, 1);
	setenv("STUB_LOG", log_path, 1);
	if (name)
		setenv(name, value, 1);
	struct bw_bench *bench = bw_bench_new(&fixture.places, NULL, 60);
	bool good = bw_bench_rates(bench, 0, 0.2, limit, NULL, rates, error);
	bw_bench_drop(bench);
	unsetenv("LD_LIBRARY_PATH");
	unsetenv("STUB_LOG");
	if (name)
		unsetenv(name);
	return good;
}

/* The context was destroyed, with nothing left in it. */
static void expect_nothing_left(void)
{
	struct bw_text said = {0};
	struct bw_error error = {0};
	assert_true(bw_file_read(log_path, 4096, &said, &error));
	assert_non_null(strstr(bw_text_get(&said), "buffers left 0\nmodules left 0\n"));
	bw_text_free(&said);
}

/* The launches are those of the host and take time; the stand-in does nothing else, and no rate of anything
 * else is told. */
static void only_what_ran_is_told(void **state)
{
	struct bw_rates rates;
	struct bw_error error = {0};
	if (!take(NULL, NULL, 300, &rates, &error))
		fail_msg("%s", error.text);
	assert_string_equal(rates.device, "Stub GPU");
	assert_string_equal(rates.driver, "NVIDIA 550.54.15, CUDA 12.4");
	assert_true(rates.sms == 54 && rates.seconds > 0);
	for (int k = 0; k < BW_N_RATES; k++) {
		const struct bw_rate *rate = &rates.list[k];
		bool host = k == BW_RATE_launch_seconds || k == BW_RATE_launch_sync_seconds;
		if (host != (rate->value > 0 && rate->repeats >= 3 && rate->spread >= 0 &&
		             rate->clock == 1.38e9 && !*rate->error))
			fail_msg("%s: %g, %d repeats, %s", bw_rate_name(k), rate->value, rate->repeats,
			         rate->error);
		if (!host && (!isnan(rate->value) || !strstr(rate->error, "the kernel did not run")))
			fail_msg("%s: %g, '%s'", bw_rate_name(k), rate->value, rate->error);
	}
	expect_nothing_left();
}

/* Where the driver fails: which rates are there all the same, or what the error says of the device. */
static void a_driver_that_fails(void **state)
{
	static const struct {
		const char *variable, *value;
		bool launch, sync; /* rates that were taken */
		const char *error; /* of the request; NULL: of the rate that was not taken */
	} cases[] = {
		{"STUB_FAIL", "cuCtxCreate_v2 1", false, false, "a context: unspecified launch failure"},
		{"STUB_FAIL", "cuMemAlloc_v2 1", false, false,
	         "memory for two buffers: unspecified launch failure"},
		{"STUB_FAIL", "cuMemAlloc_v2 2", false, false,
	         "memory for two buffers: unspecified launch failure"},
		{"STUB_FAIL", "cuModuleLoadDataEx 1", false, false,
	         "no rate of Stub GPU could be taken: loading the kernel: unspecified launch failure"},
		{"STUB_FAIL", "cuModuleLoadDataEx 3", true, false,
	         "loading the kernel: unspecified launch failure"},
		{"STUB_ONCE", "cuModuleLoadDataEx 2", false, true,
	         "loading the kernel: unspecified launch failure"},
		{"STUB_ONCE", "cuLaunchKernel 30", false, true, "a launch: unspecified launch failure"},
		{"STUB_ONCE", "cuMemAlloc_v2 1", true, true, NULL}, /* there is room for smaller buffers */
	};
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct bw_rates rates;
		struct bw_error error = {0};
		bool good = take(cases[c].variable, cases[c].value, 300, &rates, &error);
		if (good != (cases[c].launch || cases[c].sync) ||
		    (!good && (error.kind != BW_ERROR_DEVICE || !strstr(error.text, cases[c].error))))
			fail_msg("%s: %d, %s", cases[c].value, good, error.text);
		if (good && (cases[c].launch != (rates.list[BW_RATE_launch_seconds].value > 0) ||
		             cases[c].sync != (rates.list[BW_RATE_launch_sync_seconds].value > 0)))
			fail_msg("%s: '%s', '%s'", cases[c].value, rates.list[BW_RATE_launch_seconds].error,
			         rates.list[BW_RATE_launch_sync_seconds].error);
		if (good && cases[c].error && !cases[c].launch)
			assert_string_equal(rates.list[BW_RATE_launch_seconds].error, cases[c].error);
		if (good && cases[c].error && !cases[c].sync)
			assert_string_equal(rates.list[BW_RATE_launch_sync_seconds].error, cases[c].error);
		if (!strstr(cases[c].value, "cuCtxCreate"))
			expect_nothing_left();
	}
}

/* A kernel that never ends is killed with its process, and what was taken before stays: the first load of the
 * second launch rate hangs. */
static void a_driver_that_hangs(void **state)
{
	struct bw_rates rates;
	struct bw_error error = {0};
	bool good = false;
	for (double limit = 1; !good && limit < 100;
	     limit *= 4) /* on a busy machine it does not come so far */
		good = take("STUB_HANG", "cuModuleLoadDataEx 3", limit, &rates, &error);
	if (!good)
		fail_msg("%s", error.text);
	assert_int_equal(bw_rates_taken(&rates), 1);
	assert_true(rates.list[BW_RATE_launch_seconds].value > 0);
	assert_non_null(strstr(rates.list[BW_RATE_launch_sync_seconds].error, "killed at the limit of "));
	assert_non_null(
		strstr(rates.list[BW_RATE_convert_rate].error, " s while taking the rates of the device"));
	assert_false(take("STUB_HANG", "cuModuleLoadDataEx 1", 0.5, &rates, &error));
	assert_int_equal(error.kind, BW_ERROR_DEVICE);
	assert_non_null(
		strstr(error.text, "killed at the limit of 0.5 s while taking the rates of the device"));
}

static void devices_without_cuda(void **state)
{
	struct bw_rates rates;
	struct bw_error error = {0};
	assert_false(take("STUB_CUDA", "broken", 60, &rates, &error));
	assert_int_equal(error.kind, BW_ERROR_DEVICE);
	assert_non_null(strstr(error.text, "no CUDA device to take rates of: CUDA's driver is installed and "
	                                   "says: no CUDA-capable device is detected"));
	struct bw_bench *bench = bw_bench_new(&fixture.places, NULL, 60);
	assert_false(bw_bench_rates(bench, 99, 0.2, 60, NULL, &rates, &error));
	assert_non_null(strstr(error.text, "there is no device 98: "));
	bw_bench_drop(bench);
}

/* The driver hangs for longer than the test may take: what ends the wait is the stop. */
static void stopping(void **state)
{
	struct bw_rates rates;
	struct bw_error error = {0};
	atomic_bool stop = true;
	setenv("LD_LIBRARY_PATH", fixture.directory, 1);
	setenv("STUB_HANG", "cuModuleLoadDataEx 1", 1);
	struct bw_bench *bench = bw_bench_new(&fixture.places, NULL, 60);
	assert_false(bw_bench_rates(bench, 0, 0.2, 3600, &stop, &rates, &error));
	assert_int_equal(error.kind, BW_ERROR_STOPPED);
	bw_bench_drop(bench);
	unsetenv("LD_LIBRARY_PATH");
	unsetenv("STUB_HANG");
}

/* `devices --rates`: the table, and records that beamwalk reads as a file of devices. */
static void the_command(void **state)
{
	struct bw_text program = {0}, library = {0}, file = {0}, text = {0};
	struct bw_error error = {0};
	struct bw_outcome outcome;
	bw_text_printf(&program, "%s/beamwalk", variable("BW_BUILD"));
	bw_text_printf(&library, "LD_LIBRARY_PATH=%s", fixture.directory);
	bw_text_printf(&file, "%s/measured.json", fixture.directory);
	const char *const settings[] = {library.bytes, NULL};
	const char *const table[] = {program.bytes, "devices", "--rates", "--seconds", "0", NULL};
	const char *const record[] = {program.bytes, "devices", "--rates",  "--seconds", "0",
	                              "--json",      "-o",      file.bytes, NULL};
	const char *const read[] = {program.bytes, "devices", "--json", "--devices", file.bytes, NULL};
	bw_process_run(&(struct bw_process_command){table, settings, NULL, 1 << 20, false},
	               &(struct bw_patience){300, NULL}, &outcome);
	assert_int_equal(outcome.code, 0);
	assert_non_null(strstr(bw_text_get(&outcome.output),
	                       "Stub GPU, NVIDIA 550.54.15, CUDA 12.4, 54 SMs: taken in "));
	assert_non_null(strstr(outcome.output.bytes, "\nfloat_rate              not taken: "));
	assert_non_null(strstr(outcome.output.bytes, "NVIDIA A100-STUB, "));
	bw_outcome_free(&outcome);
	bw_process_run(&(struct bw_process_command){record, settings, NULL, 1 << 20, false},
	               &(struct bw_patience){300, NULL}, &outcome);
	assert_int_equal(outcome.code, 0);
	bw_outcome_free(&outcome);
	assert_true(bw_file_read(file.bytes, 1 << 20, &text, &error));
	bw_process_run(&(struct bw_process_command){read, NULL, NULL, 1 << 20, false},
	               &(struct bw_patience){300, NULL}, &outcome);
	if (outcome.code)
		fail_msg("%s", bw_text_get(&outcome.errors));
	assert_non_null(strstr(outcome.output.bytes, "\"name\": \"Stub GPU\""));
	const char *measured = strstr(text.bytes, "\"launch_seconds\": "),
		   *first = measured + strlen("\"launch_seconds\": ");
	char taken[64];
	snprintf(taken, sizeof taken, "\"launch_seconds\": %.*s", (int)strcspn(first, ",\n"), first);
	assert_non_null(strstr(outcome.output.bytes, taken));
	assert_null(strstr(taken, "4e-06"));
	bw_outcome_free(&outcome);
	bw_text_free(&program);
	bw_text_free(&library);
	bw_text_free(&file);
	bw_text_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_are_those_of_the_record), cmocka_unit_test(rates_go_into_a_record),
		cmocka_unit_test(kernels_hold_what_they_claim),  cmocka_unit_test(only_what_ran_is_told),
		cmocka_unit_test(a_driver_that_fails),           cmocka_unit_test(a_driver_that_hangs),
		cmocka_unit_test(devices_without_cuda), cmocka_unit_test(stopping),          cmocka_unit_test(the_command)};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
