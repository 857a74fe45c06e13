/* Fuzzes what sets options of the search: lines of NAME=VALUE. What is accepted is within its range, and printed so that it reads back the same; what is
 * refused changes nothing and is one line. */
#include <string.h>

#include "base/mem.h"
#include "search/search.h"
#include "target.h"

static const struct bw_device devices[] = {{.name = "A100", .sms = 108}, {.name = "RTX 4090", .sms = 128}};

static void expect_back(const struct bw_setting_info *info, const struct bw_settings *options)
{
	struct bw_settings back = *options;
	struct bw_error error;
	struct bw_text text = {0};
	bw_setting_print(info, options, &text);
	struct bw_assignment assignment = {info, bw_text_get(&text)};
	expect(bw_settings_assign(&assignment, devices, 2, &back, &error), "what is printed is read");
	expect(bw_settings_equal(&back, options), "and is the same");
	if (bw_setting_numeric(info) && info->kind != BW_SETTING_SEED) {
		double number = strtod(bw_text_get(&text), NULL);
		expect((number >= info->least && number <= info->most) || (info->kind == BW_SETTING_LIMIT && number == 0), "it is within its range");
	}
	bw_text_free(&text);
}

static void set(const char *line, struct bw_settings *options)
{
	struct bw_settings before = *options;
	struct bw_assignment assignment;
	struct bw_error error = {0};
	bool known = bw_assignment_read(line, &assignment, &error);
	if (known && assignment.option->kind == BW_SETTING_SCHEDULE)
		return;
	if (known && bw_settings_assign(&assignment, devices, 2, options, &error)) {
		expect_back(assignment.option, options);
		return;
	}
	expect(bw_settings_equal(options, &before), "what is refused changes nothing");
	expect(error.kind == BW_ERROR_USAGE && *error.text, "and says so");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct bw_settings options = bw_settings_default(devices);
	struct bw_text text = {0};
	bw_text_append(&text, (const char *)bytes, length);
	char *rest = bw_text_take(&text), *whole = rest;
	for (char *line; rest && (line = strsep(&rest, "\n"));)
		set(line, &options);
	struct bw_device device = bw_settings_device(&options);
	expect(device.shared_per_block <= device.shared_per_sm && device.threads_per_block <= device.threads_per_sm, "a block has no more than an SM");
	struct bw_text table = {0};
	bw_settings_print(&options, &table);
	bw_text_free(&table);
	free(whole);
	return 0;
}
