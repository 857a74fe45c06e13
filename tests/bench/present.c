/* Devices that drivers tell of, and records: names as drivers give them, which figure comes from where, which device is chosen. The records are made
 * up, so that each figure shows where it is from; the names of devices are NVIDIA's. */
#include <math.h>
#include <string.h>

#include "../core/test.h"
#include "bench/present.h"

static struct bw_device records[] = {
	{.name = "A100", .target = "cuda-cuda_capability_80", .ptxas = "sm_80", .api = BW_API_CUDA, .capability = 80, .sms = 100, .clock = 1e9, .float_rate = 6e12, .launch_seconds = 4e-6, .register_unit = 256},
	{.name = "H100", .target = "cuda-cuda_capability_80", .ptxas = "sm_90", .api = BW_API_CUDA, .capability = 90, .sms = 100, .clock = 2e9, .float_rate = 8e12},
	{.name = "RTX2080", .target = "cuda-cuda_capability_75", .ptxas = "sm_75", .api = BW_API_CUDA, .capability = 75, .sms = 46, .clock = 1e9, .float_rate = 1e12},
	{.name = "RTX2080Ti", .target = "cuda-cuda_capability_75", .ptxas = "sm_75", .api = BW_API_CUDA, .capability = 75, .sms = 68, .clock = 1e9, .float_rate = 1e12},
	{.name = "JetsonAGXXavier", .target = "cuda-cuda_capability_70", .ptxas = "sm_72", .api = BW_API_CUDA, .capability = 72, .sms = 8, .clock = 1e9, .float_rate = 1e12},
	{.name = "PoCL", .target = "opencl", .api = BW_API_OPENCL, .cpu = true, .sms = 2, .clock = 1e9, .float_rate = 1e11},
};
enum { N = sizeof records / sizeof *records };

static struct bw_present present_of(const char *name, enum bw_api api, bool cpu, double capability)
{
	struct bw_present present = {.driver = "driver 1.0"};
#define X(field, key, unit, text) present.device.field = (double)NAN;
	BW_DEVICE_TABLE(X)
#undef X
	strncpy(present.name, name, sizeof present.name - 1);
	strncpy(present.device.name, name, sizeof present.device.name - 1);
	present.device.api = api;
	present.device.cpu = cpu;
	present.device.capability = capability;
	return present;
}

static void names(void **state)
{
	static const struct {
		const char *name;
		double capability;
		const char *record; /* NULL: none */
	} cases[] = {
		{"NVIDIA A100-SXM4-40GB", 80, "A100"}, {"A100-PCIE-40GB", 80, "A100"}, {"NVIDIA RTX A1000 Laptop GPU", 86, NULL}, {"NVIDIA RTX A1000", 80, NULL}, {"NVIDIA H100 80GB HBM3", 90, "H100"}, {"NVIDIA GH100 480GB", 90, NULL}, {"NVIDIA A100X", 80, NULL},
		{"NVIDIA GeForce RTX 2080 Ti", 75, "RTX2080Ti"}, {"NVIDIA GeForce RTX 2080", 75, "RTX2080"}, {"NVIDIA GeForce RTX 2080 SUPER", 75, "RTX2080"}, {"Xavier", 72, "JetsonAGXXavier"},
		{"NVIDIA A100-SXM4-40GB", 86, NULL}, {"", 80, NULL}, {"NVIDIA", 80, NULL},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct bw_present present = present_of(cases[k].name, BW_API_CUDA, false, cases[k].capability);
		const struct bw_device *record = bw_present_find(&present, records, N);
		if (!record != !cases[k].record || (record && strcmp(record->name, cases[k].record) != 0))
			fail_msg("'%s' is '%s'", cases[k].name, record ? record->name : "none");
	}
}

/* 120 SMs at 1.5 GHz against 100 at 1 GHz: rates are 1.8 times the record's. */
static void figures(void **state)
{
	struct bw_present present = present_of("NVIDIA A100-SXM4-40GB", BW_API_CUDA, false, 80);
	present.device.sms = 120;
	present.device.clock = 1.5e9;
	present.device.threads_per_block = 1024;
	struct bw_device device = bw_present_record(&present, records, N);
	assert_string_equal(device.name, "A100");
	assert_string_equal(device.target, "cuda-cuda_capability_80");
	assert_true(device.sms == 120 && device.clock == 1.5e9 && device.threads_per_block == 1024);
	assert_true(fabs(device.float_rate - 1.8 * 6e12) < 1);
	assert_true(device.launch_seconds == 4e-6 && device.register_unit == 256);
	assert_non_null(strstr(device.source, "told by the driver, driver 1.0; what it does not tell is as of the record A100"));
}

static void strangers(void **state)
{
	static const struct {
		const char *name;
		double capability;
		const char *target, *ptxas, *from;
	} cases[] = {
		{"NVIDIA L4", 89, "cuda-cuda_capability_86", "sm_89", "A100"}, {"NVIDIA B200", 100, "cuda-cuda_capability_86", "sm_100", "H100"},
		{"NVIDIA T4", 75, "cuda-cuda_capability_75", "sm_75", "RTX2080"}, {"NVIDIA Quadro P1000", 61, "cuda-cuda_capability_61", "sm_61", "A100"},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct bw_present present = present_of(cases[k].name, BW_API_CUDA, false, cases[k].capability);
		present.device.sms = 50;
		present.device.clock = 2e9;
		struct bw_device device = bw_present_record(&present, records, N);
		assert_string_equal(device.name, cases[k].name);
		assert_string_equal(device.target, cases[k].target);
		assert_string_equal(device.ptxas, cases[k].ptxas);
		char from[64] = "as of another device, not measured: ";
		strcat(from, cases[k].from);
		if (!strstr(device.source, from))
			fail_msg("%s: %s", cases[k].name, device.source);
	}
}

static void choice(void **state)
{
	struct bw_presents presents = {.n = 4};
	presents.list[0] = present_of("cpu-Intel", BW_API_OPENCL, true, 0);
	presents.list[1] = present_of("gfx1030", BW_API_OPENCL, false, 0);
	presents.list[2] = present_of("NVIDIA H100", BW_API_CUDA, false, 90);
	presents.list[3] = present_of("NVIDIA A100", BW_API_CUDA, false, 80);
	assert_int_equal(bw_presents_choose(&presents, NULL, records, N), 2);
	assert_int_equal(bw_presents_choose(&presents, &records[0], records, N), 3);
	assert_int_equal(bw_presents_choose(&presents, &records[2], records, N), 2);
	assert_int_equal(bw_presents_choose(&presents, &records[5], records, N), 2);
	presents.n = 2;
	assert_int_equal(bw_presents_choose(&presents, &records[0], records, N), 1);
	assert_string_equal(bw_present_record(&presents.list[1], records, N).target, "opencl");
	presents.n = 1;
	assert_int_equal(bw_presents_choose(&presents, &records[0], records, N), 0);
	assert_string_equal(bw_present_record(&presents.list[0], records, N).name, "PoCL");
	presents.n = 0;
	assert_int_equal(bw_presents_choose(&presents, NULL, records, N), -1);
	/* No other device in the place of the emulated one. */
	struct bw_device emulated = {.name = "Emulated", .api = BW_API_CUDA, .cpu = true};
	presents.n = 4;
	assert_int_equal(bw_presents_choose(&presents, &emulated, records, N), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(figures), cmocka_unit_test(strangers), cmocka_unit_test(choice)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
