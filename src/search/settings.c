/* Reads, prints and compares the options of a search by their table. */
#include "search/settings.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct bw_setting_info infos[] = {
#define X(field, kind, name, alias, unit, initial, least, most, alters, meaning) \
	{BW_SETTING_##kind, \
	 name, \
	 alias, \
	 unit, \
	 meaning, \
	 least, \
	 most, \
	 alters, \
	 offsetof(struct bw_settings, field)},
    BW_STORED_SETTING_TABLE(X)
#undef X
#define X(kind, name, alias, meaning) {BW_SETTING_##kind, name, alias, "", meaning, 0, 0, true, 0},
	BW_OTHER_SETTING_TABLE(X)
#undef X
};

enum { N_INFOS = sizeof infos / sizeof *infos };

struct bw_settings bw_settings_default(const struct bw_device *device)
{
	return (struct bw_settings){
#define X(field, kind, name, alias, unit, initial, least, most, alters, meaning) .field = initial,
		BW_STORED_SETTING_TABLE(X)
#undef X
	};
}

bool bw_settings_equal(const struct bw_settings *a, const struct bw_settings *b)
{
	bool equal = true;
#define X(field, kind, name, alias, unit, initial, least, most, alters, meaning) \
	equal &= a->field == b->field;
	BW_STORED_SETTING_TABLE(X)
#undef X
	return equal;
}

bool bw_settings_same_outcome(const struct bw_settings *a, const struct bw_settings *b)
{
	bool alike = true;
#define X(field, kind, name, alias, unit, initial, least, most, alters, meaning) \
	alike &= !(alters) || a->field == b->field;
	BW_STORED_SETTING_TABLE(X)
#undef X
	return alike;
}

const struct bw_setting_info *bw_setting_infos(int *n)
{
	*n = N_INFOS;
	return infos;
}

bool bw_setting_stored(const struct bw_setting_info *option)
{
	return option->kind != BW_SETTING_SCHEDULE && option->kind != BW_SETTING_ABSENT &&
	       option->kind != BW_SETTING_RETIRED;
}

bool bw_setting_numeric(const struct bw_setting_info *option)
{
	return bw_setting_stored(option) && option->kind != BW_SETTING_DEVICE &&
	       option->kind != BW_SETTING_MODEL && option->kind != BW_SETTING_WEIGHTS &&
	       option->kind != BW_SETTING_SITES && option->kind != BW_SETTING_VARIANTS &&
	       option->kind != BW_SETTING_FREEZING;
}

static bool same_name(const char *known, const char *said, size_t length)
{
	size_t i = 0;
	while (i < length && known[i] && (known[i] == said[i] || (known[i] == '_' && said[i] == '-')))
		i++;
	return length && i == length && !known[i];
}

static bool fail_unknown(const char *name, size_t length, struct bw_error *error)
{
	char said[96];
	BW_SCOPED_SUGGESTION known = {.unknown = said};
	snprintf(said, sizeof said, "%.*s", (int)length, name);
	for (char *hyphen = said; (hyphen = strchr(hyphen, '-'));)
		*hyphen = '_';
	for (int i = 0; i < N_INFOS; i++) {
		bw_suggestion_add(&known, infos[i].name);
		if (*infos[i].alias)
			bw_suggestion_add(&known, infos[i].alias);
	}
	return bw_fail(error, BW_ERROR_USAGE, "no option \"%.*s\"; %s", (int)length, name,
		       bw_suggestion_say(&known, "`set` lists them, in a shell `beamwalk --set help`"));
}

const struct bw_setting_info *bw_setting_find(const char *name, size_t length, struct bw_error *error)
{
	for (int i = 0; i < N_INFOS; i++)
		if (same_name(infos[i].name, name, length) || same_name(infos[i].alias, name, length))
			return &infos[i];
	fail_unknown(name, length, error);
	return NULL;
}

bool bw_assignment_read(const char *text, struct bw_assignment *assignment, struct bw_error *error)
{
	const char *equals = strchr(text, '=');
	assignment->option = bw_setting_find(text, equals ? (size_t)(equals - text) : strlen(text), error);
	assignment->value = equals ? equals + 1 : NULL;
	if (assignment->option && !equals)
		return bw_fail(error, BW_ERROR_USAGE, "%s=VALUE: %s", assignment->option->name,
			       assignment->option->meaning);
	return assignment->option != NULL;
}

static bool assign_seed(const struct bw_assignment *assignment, uint64_t *seed, struct bw_error *error)
{
	const char *value = assignment->value;
	char *end;
	errno = 0;
	unsigned long long number = strtoull(value, &end, 10);
	if (*value < '0' || *value > '9' || *end || errno)
		return bw_fail(error, BW_ERROR_USAGE,
			       "%s takes a whole number from 0 on, of at most 64 bits, not \"%s\"",
			       assignment->option->name, value);
	*seed = number;
	return true;
}

/* Reads kinds of site: four digits 0 or 1, words separated by commas, or `all`. */
static bool read_sites(const char *text, int *sites)
{
	static const char *const words[BW_N_SITES] = {BW_SITES_TABLE(BW_SECOND)};
	*sites = strcmp(text, "all") ? 0 : BW_SITES_ALL;
	if (*sites)
		return true;
	if (strlen(text) == BW_N_SITES && strspn(text, "01") == BW_N_SITES) {
		for (int i = 0; i < BW_N_SITES; i++)
			*sites |= (text[i] == '1') << i;
		return *sites;
	}
	for (size_t length;; text += length + 1) {
		int i = 0;
		length = strcspn(text, ",");
		while (i < BW_N_SITES && (strlen(words[i]) != length || strncmp(words[i], text, length)))
			i++;
		if (i == BW_N_SITES)
			return false;
		*sites |= 1 << i;
		if (!text[length])
			return true;
	}
}

static bool assign_sites(const struct bw_assignment *assignment, int *sites, struct bw_error *error)
{
	int read;
	if (!read_sites(assignment->value, &read))
		return bw_fail(
		    error, BW_ERROR_USAGE,
		    "%s takes all, or some of root,inline,block,thread with commas between, or in this order four of 0 and 1, not all 0; not \"%s\"",
		    assignment->option->name, assignment->value);
	*sites = read;
	return true;
}

/* Reads names of variants separated by commas, or names of variants to leave out, each behind a
 * hyphen. */
static bool assign_variants(const struct bw_assignment *assignment, int *variants, struct bw_error *error)
{
	const char *text = assignment->value;
	bool without = *text == '-', good = true, all = !strcmp(text, "all");
	int read = without || all ? BW_PLAN_VARIANTS_ALL : 0;
	for (size_t length; good && !all && strcmp(text, "none"); text += length + 1) {
		int v = 0;
		good = (*text == '-') == without;
		text += without;
		length = strcspn(text, ",");
		while (v < BW_N_PLAN_VARIANTS && (strlen(bw_plan_variant_name((enum bw_plan_variant)v)) != length ||
						  strncmp(bw_plan_variant_name((enum bw_plan_variant)v), text, length)))
			v++;
		good = good && v < BW_N_PLAN_VARIANTS;
		read ^= good ? 1 << v : 0;
		if (!good || !text[length])
			break;
	}
	if (!good)
		return bw_fail(error, BW_ERROR_USAGE, "%s takes %s, not \"%s\"", assignment->option->name,
			       strchr(assignment->option->meaning, ':') + 2, assignment->value);
	*variants = read;
	return true;
}

BW_WORDS(bw_freezing_name, enum bw_freezing, BW_FREEZING_TABLE(BW_SECOND))

int bw_settings_passes(const struct bw_settings *options)
{
	enum { SEVERAL = 5 };
	return options->passes ? options->passes : options->beam == 1 ? 1 : SEVERAL;
}

enum bw_freezing bw_settings_freezing(const struct bw_settings *options)
{
	enum bw_freezing automatic = bw_settings_passes(options) > 1 ? BW_FREEZING_PROBED : BW_FREEZING_OFF;
	return options->random                         ? BW_FREEZING_OFF
	       : options->freezing == BW_FREEZING_AUTO ? automatic
						       : (enum bw_freezing)options->freezing;
}

/* Reads a word of the table or, as in Halide's option, 0 or 1. */
static bool assign_freezing(const struct bw_assignment *assignment, int *freezing, struct bw_error *error)
{
	for (int f = 0; f < BW_N_FREEZINGS; f++)
		if (!strcmp(assignment->value, bw_freezing_name((enum bw_freezing)f))) {
			*freezing = f;
			return true;
		}
	if (strcmp(assignment->value, "0") && strcmp(assignment->value, "1"))
		return bw_fail(error, BW_ERROR_USAGE,
			       "%s takes off, paper, probed or auto, or 0 or 1 for the first two, not \"%s\"",
			       assignment->option->name, assignment->value);
	*freezing = *assignment->value == '1' ? BW_FREEZING_PAPER : BW_FREEZING_OFF;
	return true;
}

struct bw_device bw_settings_device(const struct bw_settings *options)
{
	struct bw_device device = *options->device;
	device.sms = options->parallelism ? options->parallelism : device.sms;
	device.shared_per_sm = options->shared_sm_kb ? options->shared_sm_kb * 1024.0 : device.shared_per_sm;
	device.shared_per_block =
	    fmin(options->shared_block_kb ? options->shared_block_kb * 1024.0 : device.shared_per_block,
		 device.shared_per_sm);
	device.blocks_per_sm = options->active_blocks ? options->active_blocks : device.blocks_per_sm;
	device.warps_per_sm = options->active_warps ? options->active_warps : device.warps_per_sm;
	device.threads_per_sm = device.warps_per_sm * device.warp_size;
	device.threads_per_block = fmin(device.threads_per_block, device.threads_per_sm);
	device.register_limit = bw_settings_registers(options);
	return device;
}

/* Reads a finite decimal number without blanks around it. */
static bool read_number(const char *text, double *number)
{
	char *end;
	*number = strtod(text, &end);
	return *text && !*end && strspn(text, "+-.0123456789eE") == strlen(text);
}

static bool assign_number(const struct bw_assignment *assignment, char *at, struct bw_error *error)
{
	const struct bw_setting_info *option = assignment->option;
	double number;
	bool whole = option->kind != BW_SETTING_REAL, limit = option->kind == BW_SETTING_LIMIT,
	     read = read_number(assignment->value, &number);
	bool fits = read && ((number >= option->least && number <= option->most) || (limit && number == 0));
	if (!fits || (whole && number != (double)(int64_t)number))
		return bw_fail(error, BW_ERROR_USAGE,
			       "%s takes a %snumber from %.10g to %.10g%s%s%s%s, not \"%s\"", option->name,
			       whole ? "whole " : "", option->least, option->most, *option->unit ? " (" : "",
			       option->unit, *option->unit ? ")" : "", limit ? " or 0" : "",
			       assignment->value);
	if (option->kind == BW_SETTING_REAL)
		*(double *)at = number;
	else if (option->kind == BW_SETTING_BYTES)
		*(int64_t *)at = (int64_t)number;
	else
		*(int *)at = (int)number;
	return true;
}

/* Sets the weights and, with them, the model. Without weights the default model replaces a learned
 * one. */
static bool assign_weights(const char *path, struct bw_settings *options, struct bw_error *error)
{
	const struct bw_cost_model *model = NULL;
	if (*path && !options->models)
		return bw_fail(error, BW_ERROR_USAGE, "weights: no files are read here");
	if (*path && !(model = bw_models_read(options->models, path, error)))
		return false;
	options->weights = model;
	if (model || options->model->learned)
		options->model = model ? model : BW_DEFAULT_MODEL;
	return true;
}

static bool fail_unknown_model(const char *name, struct bw_error *error)
{
	int n;
	const struct bw_cost_model *const *models = bw_cost_models(&n);
	BW_SCOPED_SUGGESTION known = {.unknown = name};
	for (int i = 0; i < n; i++)
		bw_suggestion_add(&known, models[i]->name);
	bw_suggestion_add(&known, BW_LEARNED_NAME);
	return bw_fail(error, BW_ERROR_USAGE, "no cost model \"%s\"; %s", name, bw_suggestion_say(&known, NULL));
}

static bool assign_model(const char *name, struct bw_settings *options, struct bw_error *error)
{
	if (!strcmp(name, BW_LEARNED_NAME) && !options->weights)
		return bw_fail(error, BW_ERROR_USAGE,
			       "cost_model: there are no weights to predict by; weights=FILE names them");
	const struct bw_cost_model *model =
	    strcmp(name, BW_LEARNED_NAME) ? bw_cost_models_find(name) : options->weights;
	if (!model)
		return fail_unknown_model(name, error);
	options->model = model;
	return true;
}

bool bw_settings_assign(const struct bw_assignment *assignment, const struct bw_device *devices,
			      int n_devices, struct bw_settings *options, struct bw_error *error)
{
	const struct bw_setting_info *option = assignment->option;
	char *at = (char *)options + option->offset;
	const struct bw_device *device;
	switch (option->kind) {
	case BW_SETTING_DEVICE:
		device = bw_device_find(devices, n_devices, assignment->value);
		if (device)
			options->device = device;
		return device ||
		       bw_device_unknown(devices, n_devices, "", assignment->value, error);
	case BW_SETTING_MODEL:
		return assign_model(assignment->value, options, error);
	case BW_SETTING_WEIGHTS:
		return assign_weights(assignment->value, options, error);
	case BW_SETTING_SEED:
		return assign_seed(assignment, (uint64_t *)at, error);
	case BW_SETTING_SITES:
		return assign_sites(assignment, (int *)at, error);
	case BW_SETTING_VARIANTS:
		return assign_variants(assignment, (int *)at, error);
	case BW_SETTING_FREEZING:
		return assign_freezing(assignment, (int *)at, error);
	case BW_SETTING_RETIRED:
		return true;
	case BW_SETTING_ABSENT:
		return bw_fail(error, BW_ERROR_USAGE, "%s: %s", option->name, option->meaning);
	default:
		return assign_number(assignment, at, error);
	}
}

/* Number of states in the beam of a pre-pass, which chooses between two sites for each Func. */
enum { PROBED_BEAM = 4 };

int bw_freezing_pass(const struct bw_settings *options)
{
	enum bw_freezing freezing = bw_settings_freezing(options);
	if (freezing == BW_FREEZING_OFF)
		return -1;
	return freezing == BW_FREEZING_PROBED && bw_settings_passes(options) > 1 ? 1 : 0;
}

int bw_freezing_beam(const struct bw_settings *options)
{
	return bw_settings_freezing(options) == BW_FREEZING_PROBED && options->beam > PROBED_BEAM
		   ? PROBED_BEAM
		   : options->beam;
}

int bw_settings_registers(const struct bw_settings *options)
{
	return options->register_limit ? options->register_limit : (int)options->device->register_limit;
}

/* Options as text: values, differences from the defaults, the table of all options. */

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

/* Appends a number with the fewest digits from which the same number can be read. */
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

void bw_settings_print_changed(const struct bw_settings *options, struct bw_text *out)
{
	struct bw_settings initial = bw_settings_default(options->device);
	const char *blank = "";
	for (int i = 0; i < N_INFOS; i++) {
		BW_SCOPED_TEXT value = {0}, first = {0};
		bw_setting_print(&infos[i], options, &value);
		bw_setting_print(&infos[i], &initial, &first);
		if (infos[i].alters && infos[i].kind != BW_SETTING_DEVICE &&
		    infos[i].kind != BW_SETTING_MODEL && infos[i].kind != BW_SETTING_WEIGHTS &&
		    strcmp(bw_text_get(&value), bw_text_get(&first)) != 0) {
			bw_text_printf(out, "%s%s=%s", blank, infos[i].name, bw_text_get(&value));
			blank = " ";
		}
	}
}

/* Does not use the register limit: it is a limit for compiling kernels, not one of the device. */
void bw_settings_device_name(const struct bw_settings *options, struct bw_text *out)
{
	bw_text_puts(out, options->device->name);
	for (int i = 0; i < N_INFOS; i++) {
		const int *value = (const int *)(const void *)((const char *)options + infos[i].offset);
		if (infos[i].kind == BW_SETTING_LIMIT &&
		    infos[i].offset != offsetof(struct bw_settings, register_limit) && *value)
			bw_text_printf(out, " %s=%d", infos[i].name, *value);
	}
}

/* Appends one row. The last column is wrapped. */
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
	struct bw_settings initial = bw_settings_default(options->device);
	print_row(out, (const char *const[]){"option", "value", "unit", "default"}, "meaning");
	for (int i = 0; i < N_INFOS; i++) {
		BW_SCOPED_TEXT value = {0}, first = {0}, words = {0};
		bw_setting_print(&infos[i], options, &value);
		bw_setting_print(&infos[i], &initial, &first);
		bw_text_puts(&words, infos[i].meaning);
		if (*infos[i].alias)
			bw_text_printf(&words, " (Halide: %s)", infos[i].alias);
		const char *const columns[] = {infos[i].name, bw_text_get(&value), infos[i].unit,
					       infos[i].kind == BW_SETTING_DEVICE ? BW_DEFAULT_DEVICE
										 : bw_text_get(&first)};
		print_row(out, columns, bw_text_get(&words));
	}
}
