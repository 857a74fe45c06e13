/* Options as text: values, differences from the defaults, the table of all options. */
#include "search/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bw_sites_print(int sites, struct bw_text *out)
{
	const char *comma = "";
	if (sites == BW_SITES_ALL) {
		bw_text_puts(out, "all");
		return;
	}
#define X(name, words, meaning) \
	if (sites & BW_SITES_##name) { \
		bw_text_printf(out, "%s%s", comma, words); \
		comma = ","; \
	}
	BW_SITES_TABLE(X)
#undef X
}

/* Appends variants of plans: `-window`, `all` or `none`. */
static void variants_print(int variants, struct bw_text *out)
{
	const char *hyphen = "-";
	if (variants == BW_PLAN_VARIANTS_ALL || !variants) {
		bw_text_puts(out, variants ? "all" : "none");
		return;
	}
	for (int v = 0; v < BW_N_PLAN_VARIANTS; v++)
		if (!(variants >> v & 1)) {
			bw_text_printf(out, "%s%s", hyphen, bw_plan_variant_name((enum bw_plan_variant)v));
			hyphen = ",-";
		}
}

/* Appends a number with the fewest digits that read back the same. */
static void print_real(double number, struct bw_text *out)
{
	char text[32];
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	bw_text_puts(out, text);
}

void bw_setting_print(const struct bw_setting_info *option, const struct bw_settings *options,
		     struct bw_text *out)
{
	const char *at = (const char *)options + option->offset;
	switch (option->kind) {
	case BW_SETTING_DEVICE:
		bw_text_puts(out, options->device ? options->device->name : "");
		break;
	case BW_SETTING_MODEL:
		bw_text_puts(out, options->model->name);
		break;
	case BW_SETTING_WEIGHTS:
		bw_text_puts(out, options->weights ? options->weights->learned->path : "");
		break;
	case BW_SETTING_SEED:
		bw_text_printf(out, "%llu", (unsigned long long)*(const uint64_t *)at);
		break;
	case BW_SETTING_REAL:
		print_real(*(const double *)at, out);
		break;
	case BW_SETTING_BYTES:
		bw_text_printf(out, "%lld", (long long)*(const int64_t *)at);
		break;
	case BW_SETTING_SITES:
		bw_sites_print(*(const int *)at, out);
		break;
	case BW_SETTING_VARIANTS:
		variants_print(*(const int *)at, out);
		break;
	case BW_SETTING_FREEZING:
		bw_text_puts(out, bw_freezing_name(*(const enum bw_freezing *)at));
		break;
	case BW_SETTING_SCHEDULE:
	case BW_SETTING_ABSENT:
	case BW_SETTING_RETIRED:
		break;
	default:
		bw_text_printf(out, "%d", *(const int *)at);
	}
}

void bw_settings_told(const struct bw_settings *options, struct bw_text *out)
{
	int n;
	const struct bw_setting_info *infos = bw_setting_infos(&n);
	struct bw_settings initial = bw_settings_default(options->device);
	const char *blank = "";
	for (int i = 0; i < n; i++) {
		struct bw_text value = {0}, first = {0};
		bw_setting_print(&infos[i], options, &value);
		bw_setting_print(&infos[i], &initial, &first);
		if (infos[i].alters && infos[i].kind != BW_SETTING_DEVICE &&
		    infos[i].kind != BW_SETTING_MODEL && infos[i].kind != BW_SETTING_WEIGHTS &&
		    strcmp(bw_text_get(&value), bw_text_get(&first)) != 0) {
			bw_text_printf(out, "%s%s=%s", blank, infos[i].name, bw_text_get(&value));
			blank = " ";
		}
		bw_text_free(&value);
		bw_text_free(&first);
	}
}

/* Leaves out the register limit, which is one for compiling kernels: the device stays as it is. */
void bw_settings_device_name(const struct bw_settings *options, struct bw_text *out)
{
	int n;
	const struct bw_setting_info *infos = bw_setting_infos(&n);
	bw_text_puts(out, options->device->name);
	for (int i = 0; i < n; i++) {
		const int *value = (const int *)(const void *)((const char *)options + infos[i].offset);
		if (infos[i].kind == BW_SETTING_LIMIT &&
		    infos[i].offset != offsetof(struct bw_settings, register_limit) && *value)
			bw_text_printf(out, " %s=%d", infos[i].name, *value);
	}
}

/* Appends one row. The words of its meaning, and its other names, are wrapped into lines. */
static void print_row(struct bw_text *out, const char *const columns[4], const char *words)
{
	enum { WIDTH = 62 /* columns of the meaning */ };
	int before = 0, start = (int)out->length;
	bw_text_printf(out, "%-25s %-8s %-10s %-8s ", columns[0], columns[1], columns[2], columns[3]);
	int indent = (int)out->length - start;
	for (const char *word = words; *word; word += strspn(word, " ")) {
		int length = (int)strcspn(word, " ");
		if (before && before + 1 + length > WIDTH) {
			bw_text_printf(out, "\n%*s", indent, "");
			before = 0;
		}
		bw_text_printf(out, before ? " %.*s" : "%.*s", length, word);
		before += length + (before > 0);
		word += length;
	}
	bw_text_puts(out, "\n");
}

void bw_settings_print(const struct bw_settings *options, struct bw_text *out)
{
	int n;
	const struct bw_setting_info *infos = bw_setting_infos(&n);
	struct bw_settings initial = bw_settings_default(options->device);
	print_row(out, (const char *const[]){"option", "value", "unit", "default"}, "meaning");
	for (int i = 0; i < n; i++) {
		struct bw_text value = {0}, first = {0}, words = {0};
		bw_setting_print(&infos[i], options, &value);
		bw_setting_print(&infos[i], &initial, &first);
		bw_text_puts(&words, infos[i].meaning);
		if (*infos[i].alias)
			bw_text_printf(&words, " (Halide: %s)", infos[i].alias);
		const char *const columns[] = {infos[i].name, bw_text_get(&value), infos[i].unit,
					       infos[i].kind == BW_SETTING_DEVICE ? BW_DEFAULT_DEVICE
										 : bw_text_get(&first)};
		print_row(out, columns, bw_text_get(&words));
		bw_text_free(&value);
		bw_text_free(&first);
		bw_text_free(&words);
	}
}
