/* Reading device records: each field lands where it belongs, each thing that a record may not say is an error with line, key and device, a
 * user's records change the bundled ones, and the bundled ones are what their lanes and clocks make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "gpu/device.h"

/* A record with a key on each line; name is in line 2. No two figures are equal where they need not be. */
static const char record[] =
	"[{\n"
	"\"name\":\"Toy\",\n"
	"\"target\":\"cuda-cuda_capability_61\",\n"
	"\"ptxas\":\"sm_61\",\n"
	"\"api\":\"cuda\",\n"
	"\"cpu\":false,\n"
	"\"source\":\"made up\",\n"
	"\"capability\":61,\n"
	"\"sms\":3,\n"
	"\"warp_size\":8,\n"
	"\"threads_per_block\":64,\n"
	"\"threads_per_sm\":96,\n"
	"\"blocks_per_sm\":5,\n"
	"\"warps_per_sm\":12,\n"
	"\"block_x\":63,\n"
	"\"block_y\":62,\n"
	"\"block_z\":61,\n"
	"\"grid_x\":2147483647,\n"
	"\"grid_y\":1001,\n"
	"\"grid_z\":1002,\n"
	"\"registers_per_sm\":4096,\n"
	"\"registers_per_block\":2048,\n"
	"\"registers_per_thread\":127,\n"
	"\"register_limit\":40,\n"
	"\"register_unit\":16,\n"
	"\"warp_unit\":2,\n"
	"\"shared_per_sm\":8192,\n"
	"\"shared_per_block\":6000,\n"
	"\"shared_reserved\":0,\n"
	"\"shared_unit\":32,\n"
	"\"shared_banks\":7,\n"
	"\"sector\":31,\n"
	"\"global_bandwidth\":1e9,\n"
	"\"l2_bandwidth\":2e9,\n"
	"\"l2_bytes\":65536.0,\n"
	"\"shared_bandwidth\":3e9,\n"
	"\"register_bandwidth\":4e9,\n"
	"\"float_rate\":5e9,\n"
	"\"int_rate\":6e9,\n"
	"\"double_rate\":7e9,\n"
	"\"special_rate\":8e9,\n"
	"\"launch_seconds\":0.5e-6,\n"
	"\"barrier_seconds\":1e-8,\n"
	"\"l2_clocks\":33,\n"
	"\"clock\":1.5e9\n"
	"}]\n";

static struct bw_device *read_text(const char *text, int *n, struct bw_error *error)
{
	return bw_devices_parse("toy.json", text, strlen(text), n, error);
}

/* The record leaves out gap_seconds and its kin, which have values of their own then. */
static void fields_are_where_the_table_says(void **state)
{
	(void)state;
	struct bw_error error = {0};
	int n;
	struct bw_device *device = read_text(record, &n, &error);
	if (!device)
		fail_msg("%s", error.text);
	assert_int_equal(n, 1);
	assert_string_equal(device->name, "Toy");
	assert_string_equal(device->target, "cuda-cuda_capability_61");
	assert_string_equal(device->ptxas, "sm_61");
	assert_string_equal(device->source, "made up");
	assert_int_equal(device->api, BW_API_CUDA);
	assert_false(device->cpu);
	static const double figures[] = {61, 3, 8, 64, 96, 5, 12, 63, 62, 61, 2147483647, 1001, 1002, 4096, 2048, 127, 40, 16, 2, 8192, 6000, 0, 32, 7, 31, 1e9, 2e9, 65536, 3e9, 4e9, 5e9, 6e9, 7e9, 8e9, 0.5e-6, 1e-8, 0.7e-6, 0.62e-9, 41, 33, 479, 1, 1.5e9};
	const double found[] = {
#define X(field, key, unit, text) device->field,
		BW_DEVICE_TABLE(X)
#undef X
	};
	assert_int_equal(sizeof found, sizeof figures);
	for (size_t i = 0; i < sizeof found / sizeof *found; i++)
		if (found[i] != figures[i])
			fail_msg("figure %zu is %g, expected %g", i, found[i], figures[i]);
	free(device);
}

/* The record with `from` replaced by `to`. */
static void with(struct bw_text *text, const char *from, const char *to)
{
	const char *at = strstr(record, from);
	assert_non_null(at);
	bw_text_append(text, record, (size_t)(at - record));
	bw_text_puts(text, to);
	bw_text_puts(text, at + strlen(from));
}

static void what_a_record_may_not_say(void **state)
{
	(void)state;
	static const struct {
		const char *from, *to, *error;
	} cases[] = {
		{"\"name\":\"Toy\",", "", "toy.json:1: [0]: expected the key \"name\" in this object"},
		{"\"Toy\"", "7", "toy.json:2: [0].name: expected a string, found an integer"},
		{"\"Toy\"", "\"\"", "toy.json:2: [0].name: an empty name"},
		{"\"Toy\"", "\"T\\u001b[2J\"", "toy.json:2: [0].name: has a control character"},
		{"\"Toy\"", "\"0123456789012345678901234567890123456789012345678901234567890123\"", "toy.json:2: [0].name: longer than 63 bytes"},
		{"\"sm_61\"", "\"sm_61\\n\"", "toy.json:4: [0].ptxas: has a control character (device Toy)"},
		{"\"sm_61\"", "\"\"", "toy.json:4: [0].ptxas: expected an architecture (device Toy)"},
		{"\"api\":\"cuda\"", "\"api\":\"metal\"", "toy.json:5: [0].api: expected \"cuda\" or \"opencl\" (device Toy)"},
		{"\"api\":\"cuda\"", "\"api\":\"opencl\"", "toy.json:8: [0].capability: expected 0: this is no CUDA device (device Toy)"},
		{"\"cpu\":false", "\"cpu\":0", "toy.json:6: [0].cpu: expected true or false, found an integer (device Toy)"},
		{"\"sms\":3,\n", "\"sms\":3,\"measured\":7,\n", "toy.json:9: [0].measured: expected an object (device Toy)"},
		{"\"source\"", "\"sauce\"", "toy.json:7: [0].sauce: unknown key; did you mean \"source\"? (device Toy)"},
		{"\"capability\":61", "\"capability\":0", "toy.json:8: [0].capability: expected that of a CUDA device (device Toy)"},
		{"\"sms\":3,\n", "", "toy.json:1: [0]: expected the key \"sms\" in this object (device Toy)"},
		{"\"sms\":3", "\"sms\":\"3\"", "toy.json:9: [0].sms: expected a number, found a string (device Toy)"},
		{"\"sms\":3", "\"sms\":0", "toy.json:9: [0].sms: expected a positive number (device Toy)"},
		{"\"sms\":3", "\"sms\":-3", "toy.json:9: [0].sms: expected a positive number (device Toy)"},
		{"\"warp_size\":8", "\"warp_size\":0.5", "toy.json:10: [0].warp_size: expected a whole number up to 2147483647 (device Toy)"},
		{"2147483647", "2147483648", "toy.json:18: [0].grid_x: expected a whole number up to 2147483647 (device Toy)"},
		{"\"shared_reserved\":0", "\"shared_reserved\":-1", "toy.json:29: [0].shared_reserved: expected a positive number (device Toy)"},
		{"1.5e9", "1e31", "toy.json:45: [0].clock: expected a number from 1e-30 to 1e30 (device Toy)"},
		{"1e-8", "1e-31", "toy.json:43: [0].barrier_seconds: expected a number from 1e-30 to 1e30 (device Toy)"},
		{"1e-8", "0.0", "toy.json:43: [0].barrier_seconds: expected a positive number (device Toy)"},
		{"\"threads_per_block\":64", "\"threads_per_block\":97", "toy.json:11: [0].threads_per_block: more than threads_per_sm, 96 (device Toy)"},
		{"\"registers_per_block\":2048", "\"registers_per_block\":4097", "toy.json:22: [0].registers_per_block: more than registers_per_sm, 4096 (device Toy)"},
		{"\"register_limit\":40", "\"register_limit\":128", "toy.json:24: [0].register_limit: more than registers_per_thread, 127 (device Toy)"},
		{"\"shared_per_block\":6000", "\"shared_per_block\":8193", "toy.json:28: [0].shared_per_block: more than shared_per_sm, 8192 (device Toy)"},
		{"\"warps_per_sm\":12", "\"warps_per_sm\":11", "toy.json:14: [0].warps_per_sm: times warp_size is not threads_per_sm (device Toy)"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_text text = {0};
		struct bw_error error = {0};
		int n = -1;
		with(&text, cases[i].from, cases[i].to);
		assert_null(read_text(bw_text_get(&text), &n, &error));
		assert_int_equal(n, 0);
		assert_int_equal(error.kind, BW_ERROR_INPUT);
		assert_string_equal(error.text, cases[i].error);
		assert_null(read_text(bw_text_get(&text), &n, NULL));
		bw_text_free(&text);
	}
}

/* [record, record] with another name for the second; and as many as are too many. */
static void lists(void **state)
{
	(void)state;
	struct bw_text two = {0}, many = {0};
	struct bw_error error = {0};
	int n;
	bw_text_append(&two, record, sizeof record - 4);
	bw_text_puts(&two, "},\n");
	size_t second = two.length;
	bw_text_puts(&two, record + 1);
	memcpy(strstr(two.bytes + second, "Toy"), "toY", 3);
	assert_null(read_text(bw_text_get(&two), &n, &error));
	assert_string_equal(error.text, "toy.json:47: [1]: there are two devices toY");
	memcpy(strstr(two.bytes + second, "toY"), "Tox", 3);
	struct bw_device *devices = read_text(bw_text_get(&two), &n, &error);
	if (!devices)
		fail_msg("%s", error.text);
	assert_int_equal(n, 2);
	assert_ptr_equal(bw_device_find(devices, n, "TOX"), &devices[1]);
	assert_ptr_equal(bw_device_find(devices, n, "toy"), &devices[0]);
	assert_null(bw_device_find(devices, n, "to"));
	free(devices);
	bw_text_free(&two);

	assert_null(read_text("[]", &n, &error));
	assert_string_equal(error.text, "toy.json:1: expected 1 to 1024 devices, found 0");
	assert_null(read_text("{}", &n, &error));
	assert_string_equal(error.text, "toy.json:1: expected an array, found an object");
	bw_text_puts(&many, "[0");
	for (int i = 0; i < 1024; i++)
		bw_text_puts(&many, ",0");
	bw_text_puts(&many, "]");
	assert_null(read_text(bw_text_get(&many), &n, &error));
	assert_string_equal(error.text, "toy.json:1: expected 1 to 1024 devices, found 1025");
	bw_text_free(&many);
	assert_null(bw_devices_read("/nowhere/devices.json", &n, &error));
	assert_non_null(strstr(error.text, "/nowhere/devices.json"));
	assert_int_equal(n, 0);
}

static struct bw_device *read_over(const struct bw_device *base, int n_base, const char *text, int *n, struct bw_error *error)
{
	return bw_devices_parse_over(base, n_base, "own.json", text, strlen(text), n, error);
}

/* A user's records over a known one: some keys of it changed, one like it, one like that. */
static void records_over_others(void **state)
{
	(void)state;
	struct bw_error error = {0};
	int n_base, n;
	struct bw_device *base = read_text(record, &n_base, &error);
	assert_non_null(base);
	struct bw_device *devices = read_over(base, n_base, "[{\"name\":\"TOY\",\"sms\":4,\"clock\":2e9},\n"
		"{\"name\":\"Slow toy\",\"like\":\"toy\",\"clock\":1e9,\"source\":\"ours\"},\n"
		"{\"name\":\"Slower\",\"like\":\"slow-toy\",\"sms\":1,\"cpu\":true,\"api\":\"cuda\",\"target\":\"cuda\"}]", &n, &error);
	if (!devices)
		fail_msg("%s", error.text);
	assert_int_equal(n, 3);
	assert_string_equal(devices[0].name, "TOY");
	assert_true(devices[0].sms == 4 && devices[0].clock == 2e9 && devices[0].warp_size == 8);
	assert_string_equal(devices[0].target, "cuda-cuda_capability_61");
	assert_string_equal(devices[0].source, "Toy, with what own.json says otherwise");
	assert_ptr_equal(bw_device_find(devices, n, "slowtoy"), &devices[1]);
	assert_true(devices[1].sms == 4 && devices[1].clock == 1e9);
	assert_string_equal(devices[1].source, "ours");
	assert_true(devices[2].sms == 1 && devices[2].clock == 1e9 && devices[2].cpu && devices[2].api == BW_API_CUDA);
	assert_string_equal(devices[2].target, "cuda");
	assert_true(base[0].sms == 3);
	free(devices);

	static const struct {
		const char *text, *error;
	} refused[] = {
		{"[{\"name\":\"New\",\"sms\":4}]", "own.json:1: [0]: expected the key \"target\" in this object (device New)"},
		{"[{\"name\":\"New\",\n\"like\":\"Old\"}]", "own.json:2: [0].like: there is no device Old (device New)"},
		{"[{\"name\":\"New\",\n\"like\":7}]", "own.json:2: [0].like: expected a string, found an integer (device New)"},
		{"[{\"name\":\"Toy\",\n\"smms\":7}]", "own.json:2: [0].smms: unknown key; did you mean \"sms\"? (device Toy)"},
		{"[{\"name\":\"Toy\",\n\"threads_per_sm\":48}]", "own.json:1: [0]: threads_per_block more than threads_per_sm, 48 (device Toy)"},
		{"[{\"name\":\"Toy\",\n\"sms\":0}]", "own.json:2: [0].sms: expected a positive number (device Toy)"},
		{"[{\"name\":\"Toy\"},\n{\"name\":\"t-o y\"}]", "own.json:2: [1]: there are two devices t-o y"},
		{"[{\"name\":\"New\",\"like\":\"Toy\"},\n{\"name\":\"new\",\"like\":\"Toy\"}]", "own.json:2: [1]: there are two devices new"},
	};
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		assert_null(read_over(base, n_base, refused[i].text, &n, &error));
		assert_int_equal(n, 0);
		assert_string_equal(error.text, refused[i].error);
	}
	free(base);
}

/* Rates are lanes a clock (CUDA C++ Programming Guide, arithmetic throughput by compute capability) times SMs times the clock; shared memory
 * moves 32 words of 4 bytes a clock; a lane takes 3 operands of 4 bytes. */
static void rates_follow_from_lanes(void **state)
{
	(void)state;
	static const struct {
		double capability, float_lanes, int_lanes, double_lanes, special_lanes;
	} lanes[] = {{35, 192, 160, 64, 32}, {61, 128, 128, 4, 32}, {70, 64, 64, 32, 16}, {72, 64, 64, 32, 16}, {75, 64, 64, 2, 16}, {80, 64, 64, 32, 16}, {89, 128, 64, 2, 16}, {90, 128, 64, 64, 16}};
	struct bw_text path = {0};
	struct bw_error error = {0};
	int n;
	bw_text_printf(&path, "%s/data/devices.json", getenv("BW_SRC"));
	struct bw_device *devices = bw_devices_read(bw_text_get(&path), &n, &error);
	for (int i = 0; i < n; i++) {
		const struct bw_device *device = &devices[i];
		double cycles = device->sms * device->clock;
		size_t k = 0;
		while (k < sizeof lanes / sizeof *lanes && lanes[k].capability != device->capability)
			k++;
		if (device->cpu)
			continue;
		assert_true(k < sizeof lanes / sizeof *lanes);
		if (device->float_rate != lanes[k].float_lanes * cycles || device->int_rate != lanes[k].int_lanes * cycles || device->double_rate != lanes[k].double_lanes * cycles ||
		    device->special_rate != lanes[k].special_lanes * cycles || device->shared_bandwidth != 128 * cycles || device->register_bandwidth != 12 * device->float_rate)
			fail_msg("%s: a rate is not its lanes times SMs times clock", device->name);
	}
	free(devices);
	bw_text_free(&path);
}

static void bundled_records(void **state)
{
	(void)state;
	static const char *const names[] = {"A100", "H100", "H200", "V100", "RTX 2080 Ti", "RTX 4090", "Jetson AGX Xavier", "GTX 1080 Ti", "PoCL"};
	struct bw_text path = {0};
	struct bw_error error = {0};
	int n;
	bw_text_printf(&path, "%s/data/devices.json", getenv("BW_SRC"));
	struct bw_device *devices = bw_devices_read(bw_text_get(&path), &n, &error);
	if (!devices)
		fail_msg("%s", error.text);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const struct bw_device *device = bw_device_find(devices, n, names[i]);
		if (!device)
			fail_msg("no record of %s", names[i]);
		assert_int_equal(device->cpu, !strcmp(names[i], "PoCL"));
	}
	free(devices);
	bw_text_free(&path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_where_the_table_says),
		cmocka_unit_test(what_a_record_may_not_say),
		cmocka_unit_test(lists),
		cmocka_unit_test(records_over_others),
		cmocka_unit_test(rates_follow_from_lanes),
		cmocka_unit_test(bundled_records),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
