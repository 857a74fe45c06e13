/* What `set` shows and changes, what a saved session begins with, and what a report states: one table with meaning, unit and range. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/session_private.h"

enum kind { DEVICE, MODEL, INTEGER, SEED, REAL, BYTES };

static const struct setting {
	const char *name;
	enum kind kind;
	size_t offset; /* in struct bw_search_options */
	double least, most;
	const char *meaning;
} settings[] = {
	{"gpu", DEVICE, offsetof(struct bw_search_options, device), 0, 0, "device that the search is for; `beamwalk devices` lists them"},
	{"cost-model", MODEL, offsetof(struct bw_search_options, model), 0, 0, "what predicts the cost of a schedule"},
	{"beam", INTEGER, offsetof(struct bw_search_options, beam), 1, 10000, "states kept at each decision"},
	{"passes", INTEGER, offsetof(struct bw_search_options, passes), 1, 20, "times that all is decided, from coarse to fine; each steers the next"},
	{"seed", SEED, offsetof(struct bw_search_options, seed), 0, 0, "random number that random choices follow from"},
	{"threads", INTEGER, offsetof(struct bw_search_options, threads), 1, 64, "threads that expand states; the result is the same"},
	{"recompute-limit", REAL, offsetof(struct bw_search_options, recompute_limit), 1, 1e9, "x: points computed over points needed; above it an option is pruned unless the Func is cheap"},
	{"unrolled-limit", INTEGER, offsetof(struct bw_search_options, unrolled_limit), 1, 1024, "iterations: products of serial extents from here on are not unrolled, and pruned"},
	{"inlined-calls-limit", INTEGER, offsetof(struct bw_search_options, inlined_calls_limit), 0, 1000000, "calls of an inlined Func for a point"},
	{"idle-sms-limit", REAL, offsetof(struct bw_search_options, idle_sms_limit), 0, 1000, "x: fewer blocks than this many times the SMs are a second choice"},
	{"idle-lanes-limit", REAL, offsetof(struct bw_search_options, idle_lanes_limit), 0, 1, "0..1: more idle lanes are a second choice"},
	{"register-limit", INTEGER, offsetof(struct bw_search_options, register_limit), 0, 255, "registers a thread that kernels are compiled for; 0: what the device's record says"},
	{"register-bytes-limit", BYTES, offsetof(struct bw_search_options, register_bytes_limit), 0, 1e9, "bytes of a thread's allocations; 0: what the device's registers hold"},
	{"sampling", INTEGER, offsetof(struct bw_search_options, sampling), 0, 1, "1: of alike options, a bucket of B > 1, only log2(B) are costed; 0: all are"},
	{"random", INTEGER, offsetof(struct bw_search_options, random), 0, 1, "1: draw options at random instead of by cost"},
};

enum { N_SETTINGS = sizeof settings / sizeof *settings };

/* A number in as few digits as read back the same. */
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

static void print_value(const struct setting *setting, const struct bw_search_options *options, struct bw_text *out)
{
	const char *at = (const char *)options + setting->offset;
	switch (setting->kind) {
	case DEVICE:
		bw_text_puts(out, (*(const struct bw_device *const *)at)->name);
		break;
	case MODEL:
		bw_text_puts(out, (*(const struct bw_cost_model *const *)at)->name);
		break;
	case INTEGER:
		bw_text_printf(out, "%d", *(const int *)at);
		break;
	case SEED:
		bw_text_printf(out, "%llu", (unsigned long long)*(const uint64_t *)at);
		break;
	case REAL:
		print_real(*(const double *)at, out);
		break;
	case BYTES:
		bw_text_printf(out, "%lld", (long long)*(const int64_t *)at);
	}
}

void bw_settings_each(const struct bw_search_options *options, bw_settings_visit *visit, void *data)
{
	for (int i = 0; i < N_SETTINGS; i++) {
		struct bw_text value = {0};
		print_value(&settings[i], options, &value);
		bool number = settings[i].kind != DEVICE && settings[i].kind != MODEL;
		visit(&(struct bw_setting){settings[i].name, bw_text_get(&value), settings[i].meaning, number}, data);
		bw_text_free(&value);
	}
}

bool bw_settings_equal(const struct bw_search_options *a, const struct bw_search_options *b)
{
	bool equal = true;
	for (int i = 0; i < N_SETTINGS && equal; i++) {
		struct bw_text one = {0}, other = {0};
		print_value(&settings[i], a, &one);
		print_value(&settings[i], b, &other);
		equal = !strcmp(bw_text_get(&one), bw_text_get(&other));
		bw_text_free(&one);
		bw_text_free(&other);
	}
	return equal;
}

static void print_line(const struct bw_setting *setting, void *out)
{
	struct bw_text assignment = {0};
	bw_text_printf(&assignment, "%s=%s", setting->name, setting->value);
	bw_text_printf(out, "%-28s # %s\n", bw_text_get(&assignment), setting->meaning);
	bw_text_free(&assignment);
}

void bw_settings_print(const struct bw_session *session, struct bw_text *out)
{
	bw_settings_each(&session->options, print_line, out);
}

static bool assign_seed(const struct setting *setting, const char *value, uint64_t *seed, struct bw_error *error)
{
	char *end;
	errno = 0;
	unsigned long long number = strtoull(value, &end, 10);
	if (!*value || *end || *value == '-' || errno)
		return bw_fail(error, BW_ERROR_USAGE, "%s takes a whole number of at most 64 bits, not \"%s\"", setting->name, value);
	*seed = number;
	return true;
}

static bool assign_number(const struct setting *setting, const char *value, char *at, struct bw_error *error)
{
	char *end;
	double number = strtod(value, &end);
	bool whole = setting->kind != REAL;
	if (!*value || *end || !(number >= setting->least && number <= setting->most) || (whole && number != (double)(int64_t)number))
		return bw_fail(error, BW_ERROR_USAGE, "%s takes a %snumber from %g to %g, not \"%s\"", setting->name, whole ? "whole " : "", setting->least, setting->most, value);
	if (setting->kind == INTEGER)
		*(int *)at = (int)number;
	else if (setting->kind == REAL)
		*(double *)at = number;
	else
		*(int64_t *)at = (int64_t)number;
	return true;
}

static bool assign(const struct bw_session *session, const struct setting *setting, const char *value, struct bw_search_options *options, struct bw_error *error)
{
	char *at = (char *)options + setting->offset;
	switch (setting->kind) {
	case DEVICE:
		options->device = bw_device_find(session->devices, session->n_devices, value);
		return options->device ? true : bw_fail(error, BW_ERROR_USAGE, "no device \"%s\"; `beamwalk devices` lists them", value);
	case MODEL:
		options->model = bw_cost_model_find(value);
		return options->model ? true : bw_fail(error, BW_ERROR_USAGE, "no cost model \"%s\"; there are: %s", value, bw_cost_model_names());
	case SEED:
		return assign_seed(setting, value, (uint64_t *)at, error);
	default:
		return assign_number(setting, value, at, error);
	}
}

bool bw_settings_apply(const struct bw_session *session, const char *assignment, struct bw_search_options *options, struct bw_error *error)
{
	const char *equals = strchr(assignment, '=');
	size_t length = equals ? (size_t)(equals - assignment) : strlen(assignment);
	*options = session->options;
	for (int i = 0; i < N_SETTINGS; i++)
		if (strlen(settings[i].name) == length && !strncmp(settings[i].name, assignment, length)) {
			if (!equals)
				return bw_fail(error, BW_ERROR_USAGE, "set %s=VALUE: %s", settings[i].name, settings[i].meaning);
			return assign(session, &settings[i], equals + 1, options, error);
		}
	return bw_fail(error, BW_ERROR_USAGE, "no option \"%.*s\"; `set` alone lists them", (int)length, assignment);
}
