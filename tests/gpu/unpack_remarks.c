/* Sections of the report on what other tools and the runner say: sanitizers, counters, the control schedule,
 * clocks. */
#include "unpack_remarks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unpack_grid.h"

enum { MOST_FIELDS = 64, MOST_METRICS = 60, MOST_CONTROLS = 40 };

bool sanitized_clean(const struct remark *remark)
{
	const char *text = remark->text;
	return remark->status == 0 && (strstr(text, " 0 errors") || strstr(text, " 0 hazards displayed"));
}

static void put_sanitized(const struct campaign *campaign, struct bw_text *out)
{
	int bad = 0;
	bw_text_puts(out, "## compute-sanitizer\n\n");
	for (int i = 0; i < campaign->n_sanitized; i++)
		bad += !sanitized_clean(&campaign->sanitized[i]);
	if (!campaign->n_sanitized)
		bw_text_puts(out, "It was not run.\n\n");
	else
		bw_text_printf(out, "Runs: %d, of them without a finding: %d.\n\n", campaign->n_sanitized,
		               campaign->n_sanitized - bad);
	for (int i = 0; i < campaign->n_sanitized; i++) {
		const struct remark *remark = &campaign->sanitized[i];
		if (!sanitized_clean(remark))
			bw_text_printf(
				out, "- %s of %s %s: %s (status %d)\n", remark->tool ? remark->tool : "?",
				remark->label ? remark->label->variant->name : "?",
				remark->label ? remark->label->name : "?",
				*remark->text ? remark->text : "ended without a summary", remark->status);
	}
	bw_text_puts(out, bad ? "\n" : "");
}

/* Takes the next field of a line of CSV out of its quotes, in place; *rest moves behind it and is NULL at the
 * end. */
static char *next_field(char **rest)
{
	char *field = *rest, *to = field, *from = field;
	bool quoted = *from == '"';
	for (from += quoted; *from && (quoted || *from != ','); from++) {
		if (quoted && *from == '"' && from[1] != '"') {
			quoted = false;
			continue;
		}
		from += quoted && *from == '"';
		*to++ = *from;
	}
	*rest = *from ? from + 1 : NULL;
	*to = 0;
	return field;
}

/* Splits a line of CSV in place; returns the number of fields, at most MOST_FIELDS. */
static int split(char *line, char **fields)
{
	int n = 0;
	while (line && n < MOST_FIELDS)
		fields[n++] = next_field(&line);
	return n;
}

static int column_of(char **fields, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(fields[i], name))
			return i;
	return -1;
}

/* Nsight Compute's CSV as rows: kernel, metric, unit, value. Lines before the headings are its own talk. */
static void put_metrics(const struct remark *remark, struct grid *grid, int *n_put)
{
	int kernel = -1, metric = -1, unit = -1, value = -1;
	for (size_t i = 0; i < json_array_size(remark->csv); i++) {
		const char *text = json_string_value(json_array_get(remark->csv, i));
		char *line = bw_strdup(text ? text : ""), *fields[MOST_FIELDS];
		int n = split(line, fields);
		if (column_of(fields, n, "Metric Name") >= 0) {
			kernel = column_of(fields, n, "Kernel Name");
			metric = column_of(fields, n, "Metric Name");
			unit = column_of(fields, n, "Metric Unit");
			value = column_of(fields, n, "Metric Value");
		} else if (kernel >= 0 && unit >= 0 && value >= 0 && kernel < n && metric < n && unit < n &&
		           value < n && (*n_put)++ < MOST_METRICS) {
			grid_put(grid, "%s %s", remark->label ? remark->label->variant->name : "?",
			         remark->label ? remark->label->name : "?");
			grid_put(grid, "%.60s", fields[kernel]);
			grid_put(grid, "%s", fields[metric]);
			grid_put(grid, "%s %s", fields[value], fields[unit]);
		}
		free(line);
	}
}

static void put_counted(const struct campaign *campaign, struct bw_text *out)
{
	struct grid grid = grid_new("schedule|kernel|counter|value");
	int n = 0;
	bw_text_puts(out, "## Counters of Nsight Compute\n\n");
	for (int i = 0; i < campaign->n_counted; i++)
		put_metrics(&campaign->counted[i], &grid, &n);
	if (!campaign->n_counted)
		bw_text_puts(out, "None were read.\n\n");
	else if (!n)
		bw_text_printf(out, "%d runs, none with counters.\n\n", campaign->n_counted);
	grid_end(&grid, out);
	if (n > MOST_METRICS)
		bw_text_printf(out, "The first %d of %d; all of them are in %s.\n\n", MOST_METRICS, n,
		               campaign->path);
}

static void put_control(const struct campaign *campaign, struct bw_text *out)
{
	struct grid grid = grid_new("control schedule at|minimum, ms|of the first|SM clock, MHz");
	double first = (double)NAN, least = (double)NAN, most = (double)NAN;
	int n = 0;
	for (int i = 0; i < campaign->n_outcomes; i++) {
		const struct outcome *outcome = campaign->outcomes[i];
		if (strcmp(outcome->tool, "control") || !outcome->measurement ||
		    !(outcome->measurement->minimum > 0))
			continue;
		double ms = outcome->measurement->minimum;
		first = n ? first : ms;
		least = n && least < ms ? least : ms;
		most = n && most > ms ? most : ms;
		if (n++ >= MOST_CONTROLS)
			continue;
		grid_put(&grid, "%s", outcome->at ? outcome->at : "?");
		grid_put(&grid, "%.4g", ms);
		grid_put(&grid, "%+.1f%%", 100 * (ms / first - 1));
		grid_number(&grid, "%.0f",
		            outcome->measurement->clock > 0 ? outcome->measurement->clock / 1e6
		                                            : (double)NAN);
	}
	bw_text_puts(out, "## Drift\n\n");
	if (n)
		bw_text_printf(
			out,
			"Runs of the control schedule: %d, the slowest %.2f times as long as the fastest.\n\n",
			n, most / least);
	else
		bw_text_puts(out, "The control schedule was not timed.\n\n");
	grid_end(&grid, out);
}

static void put_remark(const struct remark *remark, struct bw_text *out)
{
	bw_text_printf(out, "- %s: %s\n", remark->at ? remark->at : "?", remark->text);
}

static void put_clocks(const struct campaign *campaign, struct bw_text *out)
{
	int n = campaign->n_clocks;
	if (n) {
		bw_text_printf(
			out,
			"nvidia-smi (SM clock MHz, memory clock MHz, temperature C, power W, utilization %%), %s:\n\n",
			n > 2 ? "the first and the last reading" : "all readings");
		put_remark(&campaign->clocks[0], out);
		if (n > 1)
			put_remark(&campaign->clocks[n - 1], out);
	}
	for (int i = 0; i < campaign->n_notices; i++)
		put_remark(&campaign->notices[i], out);
	bw_text_puts(out, n || campaign->n_notices ? "\n" : "");
}

/* The record that predictions are for, for comparison; false if it cannot be read. */
static bool find_record(const struct pack *pack, const char *source, struct bw_device *record)
{
	struct bw_text path = {0};
	struct bw_error ignored;
	int n = 0;
	bw_text_printf(&path, "%s/data/devices.json", source);
	struct bw_device *devices = bw_devices_read(bw_text_get(&path), &n, &ignored);
	const struct bw_device *found = devices ? bw_device_find(devices, n, pack->gpu) : NULL;
	if (found)
		*record = *found;
	free(devices);
	bw_text_free(&path);
	return found;
}

/* The record's figure of a rate; NAN if it has none of that name. */
static double recorded(const struct bw_device *record, const char *rate)
{
#define X(field, key, unit, text) \
	if (!strcmp(rate, key)) \
		return record->field;
	BW_DEVICE_TABLE(X)
#undef X
	return (double)NAN;
}

static void put_rate(const char *key, const json_t *rate, const struct bw_device *record, struct grid *grid)
{
	const json_t *value = json_object_get(rate, "value"), *spread = json_object_get(rate, "spread");
	const char *unit = json_string_value(json_object_get(rate, "unit")),
		   *why = json_string_value(json_object_get(rate, "error"));
	double figure = json_is_number(value) ? json_number_value(value) : (double)NAN,
	       said = record ? recorded(record, key) : (double)NAN;
	grid_put(grid, "%s", key);
	if (isnan(figure))
		grid_put(grid, "not measured: %.60s", why ? why : "?");
	else
		grid_put(grid, "%.4g %s", figure, unit ? unit : "");
	grid_number(grid, "%.1f%%", json_is_number(spread) ? 100 * json_number_value(spread) : (double)NAN);
	grid_number(grid, "%.4g", said);
	grid_number(grid, "%.2f", figure / said);
}

static void put_rates(const struct pack *pack, const struct campaign *campaign, const char *source,
                      struct bw_text *out)
{
	json_t *list = json_object_get(json_object_get(campaign->rates, "rates"), "list"), *rate;
	const char *key;
	struct bw_text headings = {0};
	struct bw_device record;
	bool known = find_record(pack, source, &record);
	bw_text_printf(&headings, "rate|measured|spread|record of %s|measured/record", pack->gpu);
	struct grid grid = grid_new(bw_text_get(&headings));
	json_object_foreach(list, key, rate) put_rate(key, rate, known ? &record : NULL, &grid);
	bw_text_puts(out, "## The device's own rates\n\n");
	if (grid.n == grid.n_columns)
		bw_text_puts(out, "They were not measured.\n\n");
	grid_end(&grid, out);
	bw_text_free(&headings);
}

void put_remarks(const struct pack *pack, const struct campaign *campaign, const char *source,
                 struct bw_text *out)
{
	put_rates(pack, campaign, source, out);
	put_sanitized(campaign, out);
	put_control(campaign, out);
	put_clocks(campaign, out);
	put_counted(campaign, out);
}
