/* The table of the search's options: defaults, what is read and refused and how that is said, that a value is printed so that it reads back the same,
 * and that two sets of options are told apart by every option. */
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "base/mem.h"
#include "search/search.h"

static const struct bw_device devices[] = {{.name = "A100", .sms = 108, .register_limit = 64}, {.name = "RTX 4090", .sms = 128, .register_limit = 64}};

/* What an assignment to the defaults leads to: the value printed, or the error. For free(). */
static char *assigned(const char *text)
{
	struct bw_settings options = bw_settings_default(devices);
	struct bw_assignment assignment;
	struct bw_error error = {0};
	struct bw_text out = {0};
	if (!bw_assignment_read(text, &assignment, &error) || !bw_settings_assign(&assignment, devices, 2, &options, &error)) {
		assert_int_equal(error.kind, BW_ERROR_USAGE);
		bw_text_printf(&out, "error: %s", error.text);
		struct bw_settings untouched = bw_settings_default(devices);
		assert_true(bw_settings_equal(&options, &untouched));
	} else {
		bw_text_printf(&out, "%s=", assignment.option->name);
		bw_setting_print(assignment.option, &options, &out);
	}
	return bw_text_take(&out);
}

static void values_are_read_or_refused(void **state)
{
	static const struct {
		const char *text, *expected;
	} table[] = {
		{"beam=1", "beam=1"},
		{"beam=10000", "beam=10000"},
		{"beam_size=7", "beam=7"},
		{"beam-size=7", "beam=7"},
		{"num_passes=3", "passes=3"},
		{"num_passes=0", "passes=0"},
		{"num_passes=21", "error: passes takes a whole number from 0 to 20 (passes), not \"21\""},
		{"random_dropout_seed=18446744073709551615", "seed=18446744073709551615"},
		{"randomize_tilings=0", "sampling=0"},
		{"gpu=rtx4090", "gpu=RTX 4090"},
		{"cost-model=roofline", "cost_model=roofline"},
		{"cost_model=sioutas", "cost_model=sioutas"},
		{"cost_model=dp", "cost_model=dp"},
		{"recompute_limit=0x10", "error: recompute_limit takes a number from 1 to 1000000000 (x), not \"0x10\""},
		{"recompute_limit=1.1", "recompute_limit=1.1"},
		{"recompute-limit=1e9", "recompute_limit=1e+09"},
		{"idle_lanes_limit=0.333333333333333315", "idle_lanes_limit=0.3333333333333333"},
		{"register_limit=0", "register_limit=0"},
		{"register_limit=16", "register_limit=16"},
		{"register_limit=15", "error: register_limit takes a whole number from 16 to 255 (registers) or 0, not \"15\""},
		{"register_bytes_limit=1000000000", "register_bytes_limit=1000000000"},
		{"sampling=3", "error: sampling takes a whole number from 0 to 2, not \"3\""},
		{"search_space=root", "search_space=root"},
		{"search_space=block,root", "search_space=root,block"},
		{"search_space_options=1111", "search_space=all"},
		{"search_space=all", "search_space=all"},
		{"search_space=thread,block,inline,root", "search_space=all"},
		{"search_space_options=1000", "search_space=root"},
		{"search_space_options=0001", "search_space=thread"},
		{"moves=-window", "moves=-window"},
		{"moves=outside,unrolled", "moves=-serial,-window,-parity,-vectors,-pieces,-atomic,-blocks"},
		{"moves=all", "moves=all"},
		{"moves=none", "moves=none"},
		{"moves=-window,serial", "error: moves takes all, none, some of unrolled,serial,outside,window,parity,vectors,pieces,atomic,blocks, or all but -NAME,..., not \"-window,serial\""},
		{"search_space=0000", "error: search_space takes all, or some of root,inline,block,thread with commas between, or in this order four of 0 and 1, not all 0; not \"0000\""},
		{"search_space=root,", "error: search_space takes all, or some of root,inline,block,thread with commas between, or in this order four of 0 and 1, not all 0; not \"root,\""},
		{"search_space=11111", "error: search_space takes all, or some of root,inline,block,thread with commas between, or in this order four of 0 and 1, not all 0; not \"11111\""},
		{"random_dropout=0", "error: random_dropout takes a whole number from 1 to 100 (%), not \"0\""},
		{"parallelism=0", "parallelism=0"},
		{"parallelism=80", "parallelism=80"},
		{"shared_memory_limit_kb=-1", "error: shared_memory_limit_kb takes a whole number from 1 to 4096 (KiB) or 0, not \"-1\""},
		{"beam=10001", "error: beam takes a whole number from 1 to 10000 (states), not \"10001\""},
		{"beam=1 ", "error: beam takes a whole number from 1 to 10000 (states), not \"1 \""},
		{"beam= 1", "error: beam takes a whole number from 1 to 10000 (states), not \" 1\""},
		{"beam=", "error: beam takes a whole number from 1 to 10000 (states), not \"\""},
		{"beam=1e99", "error: beam takes a whole number from 1 to 10000 (states), not \"1e99\""},
		{"idle_sms_limit=inf", "error: idle_sms_limit takes a number from 0 to 1000 (x), not \"inf\""},
		{"idle_sms_limit=nan", "error: idle_sms_limit takes a number from 0 to 1000 (x), not \"nan\""},
		{"seed=+1", "error: seed takes a whole number from 0 on, of at most 64 bits, not \"+1\""},
		{"seed=18446744073709551616", "error: seed takes a whole number from 0 on, of at most 64 bits, not \"18446744073709551616\""},
		{"gpu=abacus", "error: no device \"abacus\"; there are A100, RTX 4090"},
		{"gpu=", "error: no device \"\"; there are A100, RTX 4090"},
		{"cost_model=oracle", "error: no cost model \"oracle\"; there are roofline, latency, sioutas, dp, cs6120, learned"},
		{"beam", "error: beam=VALUE: states kept at each decision; 1: a greedy search"},
		{"baem=3", "error: no option \"baem\"; did you mean \"beam\"? `set` lists them, in a shell `beamwalk --set help`"},
		{"beam-sise=3", "error: no option \"beam-sise\"; did you mean \"beam_size\"? `set` lists them, in a shell `beamwalk --set help`"},
		{"beam_sizes", "error: no option \"beam_sizes\"; did you mean \"beam_size\"? `set` lists them, in a shell `beamwalk --set help`"},
		{"oracle=3", "error: no option \"oracle\"; `set` lists them, in a shell `beamwalk --set help`"},
		{"=3", "error: no option \"\"; `set` lists them, in a shell `beamwalk --set help`"},
		{"", "error: no option \"\"; `set` lists them, in a shell `beamwalk --set help`"},
		{"weights_path=a.weights", "error: weights: no files are read here"},
		{"weights=", "weights="},
		{"cost_model=learned", "error: cost_model: there are no weights to predict by; weights=FILE names them"},
	};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		char *got = assigned(table[i].text);
		assert_string_equal(got, table[i].expected);
		free(got);
	}
}

/* Names are what is accepted: each once, in small letters, and every one is found under its alias, too. */
static void names_are_told_apart(void **state)
{
	int n;
	const struct bw_setting_info *infos = bw_setting_infos(&n);
	for (int i = 0; i < n; i++) {
		assert_ptr_equal(bw_setting_find(infos[i].name, strlen(infos[i].name), NULL), &infos[i]);
		assert_int_equal(strspn(infos[i].name, "abcdefghijklmnopqrstuvwxyz_"), strlen(infos[i].name));
		assert_true(*infos[i].meaning);
		if (*infos[i].alias)
			assert_ptr_equal(bw_setting_find(infos[i].alias, strlen(infos[i].alias), NULL), &infos[i]);
	}
}

/* A value of an option other than its default; false where it has none. */
static bool other_value(const struct bw_setting_info *info, struct bw_text *out)
{
	struct bw_settings initial = bw_settings_default(devices);
	struct bw_text first = {0};
	bw_setting_print(info, &initial, &first);
	bool changes = true;
	if (info->kind == BW_SETTING_DEVICE)
		bw_text_puts(out, "RTX 4090");
	else if (info->kind == BW_SETTING_SEED)
		bw_text_puts(out, "5");
	else if (info->kind == BW_SETTING_SITES)
		bw_text_puts(out, "1100");
	else if (info->kind == BW_SETTING_FREEZING)
		bw_text_puts(out, "paper");
	else if (bw_setting_numeric(info))
		bw_text_printf(out, "%.17g", strtod(bw_text_get(&first), NULL) == info->most ? info->least : info->most);
	else
		changes = false;
	bw_text_free(&first);
	return changes;
}

static void every_option_counts(void **state)
{
	int n, changed = 0;
	const struct bw_setting_info *infos = bw_setting_infos(&n);
	for (int i = 0; i < n; i++) {
		struct bw_settings first = bw_settings_default(devices), other = first, again = first;
		struct bw_text value = {0}, printed = {0};
		if (!other_value(&infos[i], &value))
			continue;
		struct bw_assignment assignment = {&infos[i], bw_text_get(&value)};
		struct bw_error error;
		assert_true(bw_settings_assign(&assignment, devices, 2, &other, &error));
		assert_false(bw_settings_equal(&first, &other));
		assert_int_equal(bw_settings_same_outcome(&first, &other), !infos[i].alters);
		bw_setting_print(&infos[i], &other, &printed);
		assignment.value = bw_text_get(&printed);
		assert_true(bw_settings_assign(&assignment, devices, 2, &again, &error));
		assert_true(bw_settings_equal(&again, &other));
		bw_text_free(&value);
		bw_text_free(&printed);
		changed++;
	}
	assert_true(changed > 18);
}

/* What is told is what is not as by default, and can be said again. */
static void what_is_told_can_be_said_again(void **state)
{
	struct bw_settings options = bw_settings_default(devices);
	struct bw_text told = {0};
	bw_settings_print_changed(&options, &told);
	assert_string_equal(bw_text_get(&told), "");
	options.device = &devices[1];
	options.beam = 8;
	options.idle_lanes_limit = 0.1;
	options.search_space = BW_SITES_INLINE | BW_SITES_THREAD;
	bw_settings_print_changed(&options, &told);
	assert_string_equal(bw_text_get(&told), "beam=8 search_space=inline,thread idle_lanes_limit=0.1");
	bw_text_free(&told);
}

/* Drawn numbers read back to the bit. */
static void values_read_back(void **state)
{
	struct bw_error error;
	const struct bw_setting_info *info = bw_setting_find("idle_sms_limit", strlen("idle_sms_limit"), &error);
	uint64_t bits = 1;
	for (int i = 0; i < 1000; i++) {
		struct bw_settings options = bw_settings_default(devices), back = options;
		struct bw_text text = {0};
		bits = bits * 6364136223846793005u + 1442695040888963407u;
		options.idle_sms_limit = (double)(bits >> 11) * 0x1p-53 * 1000;
		bw_setting_print(info, &options, &text);
		assert_true(bw_settings_assign(&(struct bw_assignment){info, bw_text_get(&text)}, devices, 2, &back, &error));
		assert_true(back.idle_sms_limit == options.idle_sms_limit);
		bw_text_free(&text);
	}
}

static void defaults_are_the_papers(void **state)
{
	struct bw_settings options = bw_settings_default(devices);
	assert_ptr_equal(options.device, devices);
	assert_ptr_equal(options.model, &bw_latency_model);
	assert_int_equal(options.beam, 32);
	assert_int_equal(options.seed, 0);
	assert_int_equal(options.sampling, 1);
	assert_int_equal(options.random_dropout, 100);
	assert_int_equal(options.search_space, BW_SITES_ROOT | BW_SITES_INLINE | BW_SITES_BLOCK | BW_SITES_THREAD);
	assert_true(options.recompute_limit == 10);
	assert_int_equal(options.unrolled_limit, 16);
	assert_int_equal(options.inlined_calls_limit, 256);
	assert_true(options.idle_sms_limit == 2);
	assert_true(options.idle_lanes_limit == 0.5);
	assert_int_equal(options.register_limit, 0);
	assert_int_equal(bw_settings_registers(&options), 64);
	options.register_limit = 40;
	assert_int_equal(bw_settings_registers(&options), 40);
}

/* The figures of the record, but for those that are said. */
static void limits_take_the_place_of_the_records(void **state)
{
	const struct bw_device record = {.name = "round", .sms = 10, .warp_size = 32, .threads_per_block = 1024, .threads_per_sm = 2048, .warps_per_sm = 64, .blocks_per_sm = 16, .shared_per_sm = 100 << 10, .shared_per_block = 48 << 10};
	struct bw_settings options = bw_settings_default(&record);
	struct bw_device device = bw_settings_device(&options);
	assert_true(device.sms == 10 && device.threads_per_block == 1024 && device.threads_per_sm == 2048 && device.warps_per_sm == 64);
	assert_true(device.blocks_per_sm == 16 && device.shared_per_sm == 100 << 10 && device.shared_per_block == 48 << 10);
	options.parallelism = 80;
	options.active_warps = 16;
	options.active_blocks = 2;
	options.shared_sm_kb = 64;
	options.shared_block_kb = 32;
	device = bw_settings_device(&options);
	assert_true(device.sms == 80 && device.threads_per_block == 512 && device.threads_per_sm == 512 && device.warps_per_sm == 16);
	assert_true(device.blocks_per_sm == 2 && device.shared_per_sm == 65536 && device.shared_per_block == 32768);
	options.shared_block_kb = 65;
	assert_true(bw_settings_device(&options).shared_per_block == 65536);
	assert_string_equal(device.name, "round");
	struct bw_text name = {0};
	options.active_warps = options.active_blocks = 0;
	options.register_limit = 32;
	assert_true(bw_settings_device(&options).register_limit == 32);
	bw_settings_device_name(&options, &name);
	assert_string_equal(bw_text_get(&name), "round parallelism=80 shared_memory_limit_kb=65 shared_memory_sm_limit_kb=64");
	bw_text_free(&name);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_read_or_refused),
		cmocka_unit_test(names_are_told_apart),
		cmocka_unit_test(every_option_counts),
		cmocka_unit_test(values_read_back),
		cmocka_unit_test(what_is_told_can_be_said_again),
		cmocka_unit_test(limits_take_the_place_of_the_records),
		cmocka_unit_test(defaults_are_the_papers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
