/* What `set` shows and changes: one table with meaning, unit and range. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "session/session_private.h"

enum kind { INTEGER, SEED, REAL, BYTES };

static const struct setting {
	const char *name;
	enum kind kind;
	size_t offset; /* in struct bw_search_options */
	double least, most;
	const char *meaning;
} settings[] = {
	{"beam", INTEGER, offsetof(struct bw_search_options, beam), 1, 10000, "states kept at each decision"},
	{"seed", SEED, offsetof(struct bw_search_options, seed), 0, 0, "random number that random choices follow from"},
	{"threads", INTEGER, offsetof(struct bw_search_options, threads), 1, 64, "threads that expand states; the result is the same"},
	{"recompute-limit", REAL, offsetof(struct bw_search_options, recompute_limit), 1, 1e9, "x: points computed over points needed; above it an option is pruned unless the Func is cheap"},
	{"unrolled-limit", INTEGER, offsetof(struct bw_search_options, unrolled_limit), 1, 1024, "iterations: products of serial extents from here on are not unrolled, and pruned"},
	{"inlined-calls-limit", INTEGER, offsetof(struct bw_search_options, inlined_calls_limit), 0, 1000000, "calls of an inlined Func for a point"},
	{"idle-sms-limit", REAL, offsetof(struct bw_search_options, idle_sms_limit), 0, 1000, "x: fewer blocks than this many times the SMs are a second choice"},
	{"idle-lanes-limit", REAL, offsetof(struct bw_search_options, idle_lanes_limit), 0, 1, "0..1: more idle lanes are a second choice"},
	{"register-bytes-limit", BYTES, offsetof(struct bw_search_options, register_bytes_limit), 0, 1e9, "bytes of a thread's allocations; 0: what the device's registers hold"},
	{"random", INTEGER, offsetof(struct bw_search_options, random), 0, 1, "1: draw options at random instead of by cost"},
};

enum { N_SETTINGS = sizeof settings / sizeof *settings };

int bw_settings_names(const char **names, int most)
{
	int n = 0;
	for (; n < N_SETTINGS && n < most; n++)
		names[n] = settings[n].name;
	return n;
}

static void print_value(const struct setting *setting, const struct bw_search_options *options, struct bw_text *out)
{
	const char *at = (const char *)options + setting->offset;
	if (setting->kind == INTEGER)
		bw_text_printf(out, "%d", *(const int *)at);
	else if (setting->kind == SEED)
		bw_text_printf(out, "%llu", (unsigned long long)*(const uint64_t *)at);
	else if (setting->kind == REAL)
		bw_text_printf(out, "%g", *(const double *)at);
	else
		bw_text_printf(out, "%lld", (long long)*(const int64_t *)at);
}

void bw_settings_print(const struct bw_session *session, struct bw_text *out)
{
	for (int i = 0; i < N_SETTINGS; i++) {
		struct bw_text assignment = {0};
		bw_text_printf(&assignment, "%s=", settings[i].name);
		print_value(&settings[i], &session->options, &assignment);
		bw_text_printf(out, "%-28s # %s\n", bw_text_get(&assignment), settings[i].meaning);
		bw_text_free(&assignment);
	}
}

static bool assign(const struct setting *setting, const char *value, struct bw_search_options *options, struct bw_error *error)
{
	char *at = (char *)options + setting->offset, *end;
	if (setting->kind == SEED) {
		unsigned long long seed = strtoull(value, &end, 10);
		if (!*value || *end || *value == '-')
			return bw_fail(error, BW_ERROR_USAGE, "%s takes a whole number, not \"%s\"", setting->name, value);
		*(uint64_t *)at = seed;
		return true;
	}
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

bool bw_settings_apply(struct bw_session *session, const char *assignment, struct bw_search_options *options, struct bw_error *error)
{
	const char *equals = strchr(assignment, '=');
	size_t length = equals ? (size_t)(equals - assignment) : strlen(assignment);
	*options = session->options;
	for (int i = 0; i < N_SETTINGS; i++)
		if (strlen(settings[i].name) == length && !strncmp(settings[i].name, assignment, length)) {
			if (!equals)
				return bw_fail(error, BW_ERROR_USAGE, "set %s=VALUE: %s", settings[i].name, settings[i].meaning);
			return assign(&settings[i], equals + 1, options, error);
		}
	if (length == 10 && equals && !strncmp(assignment, "cost-model", 10)) {
		options->model = bw_cost_model_find(equals + 1);
		return options->model ? true : bw_fail(error, BW_ERROR_USAGE, "no cost model \"%s\"; there are: %s", equals + 1, bw_cost_model_names());
	}
	if (length == 3 && equals && !strncmp(assignment, "gpu", 3)) {
		options->device = bw_device_find(session->devices, session->n_devices, equals + 1);
		return options->device ? true : bw_fail(error, BW_ERROR_USAGE, "no device \"%s\"; `beamwalk devices` lists them", equals + 1);
	}
	return bw_fail(error, BW_ERROR_USAGE, "no option \"%.*s\"; `set` alone lists them", (int)length, assignment);
}
