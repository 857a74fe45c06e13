/* The command devices: lists the device records and the devices present, and measures their rates. Also
 * loads the records for all commands. */
#include <math.h>
#include <unistd.h>

#include "program/program.h"

enum { ASK_SECONDS = 60 };

/* Adds the records of a file to the program's records. A record of the file overrides an earlier one of
 * the same device. */
static bool add_devices(struct bw_program *program, const char *path, struct bw_error *error)
{
	int n;
	struct bw_device *devices = bw_devices_read_over(program->devices, program->n_devices, path, &n, error);
	if (!devices)
		return false;
	free(program->devices);
	program->devices = devices;
	program->n_devices = n;
	return true;
}

bool bw_program_load_devices(struct bw_program *program, struct bw_error *error)
{
	BW_SCOPED_MEMORY char *own = bw_format("%s/devices.json", program->layout.config);
	bool good = add_devices(program, program->layout.devices, error);
	if (good && access(own, F_OK) == 0)
		good = add_devices(program, own, error);
	if (good && program->arguments.devices)
		good = add_devices(program, program->arguments.devices, error);
	return good;
}

/* Returns a record as it stands in a file of devices; json_decref(). */
static json_t *program_record(const struct bw_device *device)
{
	json_t *record = json_pack("{s:s, s:s, s:s, s:s, s:b, s:s}", "name", device->name, "target", device->target, "ptxas", device->ptxas, "api", device->api == BW_API_CUDA ? "cuda" : "opencl", "cpu", device->cpu, "source", device->source);
#define X(field, key, unit, text) json_object_set_new(record, key, json_real(device->field));
	BW_DEVICE_TABLE(X)
#undef X
	return record;
}

static void print_device(const struct bw_device *device, struct bw_text *out)
{
	bw_text_printf(out, "%-16s %4.0f SMs  %5.0f GB/s  %6.1f Gop/s float  %3.0f KiB shared a block  %s\n",
		       device->name, device->sms, device->global_bandwidth / 1e9, device->float_rate / 1e9,
		       device->shared_per_block / 1024, device->target);
}

/* Prints a present device: its record for compiling, then its name, driver and memory as its driver
 * reports them. */
static void print_present(const struct bw_present *present, const struct bw_device *device, json_t *list,
			  struct bw_text *out)
{
	json_t *record = program_record(device);
	json_object_set_new(record, "driver_name", json_string(present->name));
	json_object_set_new(record, "driver", json_string(present->driver));
	json_object_set_new(record, "memory", bw_json_real(present->memory));
	json_array_append_new(list, record);
	print_device(device, out);
	bw_text_printf(out, "%-16s %s%s, %s", "", present->name, bw_device_mark(&present->device), present->driver);
	if (!isnan(present->memory))
		bw_text_printf(out, ", %.1f GB", present->memory / 1e9);
	bw_text_puts(out, "\n");
}

/* Lists the devices of the worker's machine, by asking the worker. */
static bool list_present(const struct bw_program *program, json_t *list, struct bw_text *out,
			 struct bw_error *error)
{
	struct bw_presents presents;
	struct bw_patience patience = {ASK_SECONDS, NULL};
	struct bw_bench *bench = bw_bench_new(&program->places, program->arguments.on, 0);
	bool good = bw_bench_devices_wait(bench, &patience, &presents, error);
	for (int k = 0; good && k < presents.n; k++) {
		struct bw_device device = bw_present_record(&presents.list[k], program->devices, program->n_devices);
		print_present(&presents.list[k], &device, list, out);
	}
	if (good && !presents.n)
		bw_text_printf(out, "none: neither CUDA's driver nor OpenCL has one%s%s\n",
			       *presents.trouble ? "; " : "", presents.trouble);
	bw_bench_drop(bench);
	return good;
}

/* Lists the device records. */
static void list_records(const struct bw_program *program, json_t *list, struct bw_text *out)
{
	for (int i = 0; i < program->n_devices; i++) {
		json_array_append_new(list, program_record(&program->devices[i]));
		print_device(&program->devices[i], out);
	}
}

/* A cell of the table. */
struct cell {
	char text[40];
};

/* Returns a number with its unit and the SI prefix that leaves at most three digits before the point: 1.56
 * TB/s, 4.10 us. Returns "-" for an unknown number. */
static struct cell figure(double value, const char *unit)
{
	static const struct {
		double factor;
		const char *prefix;
	} prefixes[] = {{1e12, "T"}, {1e9, "G"},  {1e6, "M"},  {1e3, "k"},
	                {1, ""},     {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}};
	struct cell cell = {"-"};
	size_t k = 0, n = sizeof prefixes / sizeof *prefixes;
	const char *shown = !strcmp(unit, "1/s")            ? "Hz"
	                    : !strcmp(unit, "bytes/s")      ? "B/s"
	                    : !strcmp(unit, "operations/s") ? "op/s"
	                                                    : unit;
	while (k + 1 < n && value < prefixes[k].factor)
		k++;
	if (isfinite(value))
		snprintf(cell.text, sizeof cell.text, "%.2f %s%s", value / prefixes[k].factor,
		         prefixes[k].prefix, shown);
	return cell;
}

/* Returns a number with the given number of decimals. Returns "-" for an unknown number. */
static struct cell number(double value, int decimals, const char *after)
{
	struct cell cell = {"-"};
	if (isfinite(value))
		snprintf(cell.text, sizeof cell.text, "%.*f%s", decimals, value, after);
	return cell;
}

/* Returns the value of a rate in the record. Returns NAN if the record has no field for that rate. */
static double recorded(const struct bw_device *device, enum bw_rate_key rate)
{
#define X(field, key, unit, text) \
	if (!strcmp(bw_rate_name(rate), key)) \
		return device->field;
	BW_DEVICE_TABLE(X)
#undef X
	return (double)NAN;
}

static void print_rate(const struct bw_rates *rates, enum bw_rate_key key, const struct bw_device *record,
                       struct bw_text *out)
{
	const struct bw_rate *rate = &rates->list[key];
	const char *unit = bw_rate_unit(key);
	double before = recorded(record, key);
	if (isnan(rate->value))
		bw_text_printf(out, "%-22s  not taken: %s\n", bw_rate_name(key), rate->error);
	else
		bw_text_printf(out, "%-22s  %12s  %6s  %8s  %12s  %6s  %s\n", bw_rate_name(key),
		               figure(rate->value, unit).text, number(100 * rate->spread, 1, "%").text,
		               number(bw_rate_per_clock(rates, key), 1, "").text, figure(before, unit).text,
		               number(100 * rate->value / before, 0, "%").text, bw_rate_text(key));
}

static void print_rates(const struct bw_rates *rates, const struct bw_device *record, struct bw_text *out)
{
	bw_text_printf(out, "%s, %s, %.0f SMs: taken in %.1f s\n", rates->device, rates->driver, rates->sms,
	               rates->seconds);
	bw_text_printf(out, "%-22s  %12s  %6s  %8s  %12s  %6s\n", "RATE", "MEASURED", "SPREAD", "SM*CLOCK",
	               "RECORD", "OF IT");
	for (int k = 0; k < BW_N_RATES; k++)
		print_rate(rates, k, record, out);
}

static json_t *rates_object(const struct bw_rates *rates)
{
	json_t *object = json_pack("{s:s, s:s, s:f}", "device", rates->device, "driver", rates->driver,
	                           "seconds", rates->seconds);
	for (int k = 0; k < BW_N_RATES; k++) {
		const struct bw_rate *rate = &rates->list[k];
		json_t *one =
			json_pack("{s:o, s:s, s:o, s:i, s:o, s:o}", "value", bw_json_real(rate->value), "unit",
		                  bw_rate_unit(k), "spread", bw_json_real(rate->spread), "repeats", rate->repeats,
		                  "sm_clock_hz", rate->clock > 0 ? json_real(rate->clock) : json_null(),
		                  "per_sm_clock", bw_json_real(bw_rate_per_clock(rates, k)));
		if (isnan(rate->value))
			json_object_set_new(one, "problem", json_string(rate->error));
		json_object_set_new(object, bw_rate_name(k), one);
	}
	return object;
}

/* Returns the JSON of the record with the measured rates in place of its own, and with the full
 * measurement under "measured". */
static json_t *measured_record(const struct bw_device *record, const struct bw_rates *rates)
{
	struct bw_device device = *record;
	bw_rates_into(rates, &device);
	snprintf(device.source, sizeof device.source,
	         "rates measured on %s, %s: those that \"measured\" has a value for; the rest %.200s",
	         rates->device, rates->driver, record->source);
	json_t *object = program_record(&device);
	json_object_set_new(object, "measured", rates_object(rates));
	return object;
}

enum { USUAL_SECONDS = 10, MOST_SECONDS = 3600, USUAL_LIMIT = 60, MOST_LIMIT = 24 * 3600 };

/* Reads --seconds and --time-limit, or sets their defaults. */
static bool read_times(const struct bw_arguments *arguments, double *seconds, long *limit,
                       struct bw_error *error)
{
	*seconds = USUAL_SECONDS;
	if (!bw_arguments_real(arguments->seconds, "seconds", true, MOST_SECONDS, seconds, error))
		return false;
	*limit = (long)ceil(*seconds) + USUAL_LIMIT;
	return bw_arguments_number(arguments->time_limit, "time-limit", 1, MOST_LIMIT, limit, error);
}

/* Measures the rates of device k of the list. k = -1: of the device that the worker finds; the error then
 * says why there is none. */
static bool take(const struct bw_program *program, struct bw_bench *bench, const struct bw_presents *presents,
                 int k, json_t *list, struct bw_text *out, struct bw_error *error)
{
	struct bw_rates rates;
	double seconds;
	long limit;
	if (!read_times(&program->arguments, &seconds, &limit, error))
		return false;
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "taking rates, for about %g s\n", seconds);
	if (!bw_bench_rates(bench, k + 1, seconds, (double)limit, NULL, &rates, error))
		return false;
	struct bw_device record =
		bw_present_record(&presents->list[k < 0 ? 0 : k], program->devices, program->n_devices);
	json_array_append_new(list, measured_record(&record, &rates));
	print_rates(&rates, &record, out);
	return true;
}

/* Measures the rates of every CUDA device of the worker's machine. Appends the records with the measured
 * rates to `list`, for a file of devices, and one table per device to *out. */
static bool program_rates(const struct bw_program *program, json_t *list, struct bw_text *out,
			     struct bw_error *error)
{
	struct bw_presents presents;
	struct bw_bench *bench = bw_bench_new(&program->places, program->arguments.on, 0);
	bool good = bw_bench_devices_wait(bench, &(struct bw_patience){ASK_SECONDS, NULL}, &presents, error);
	int n = 0;
	for (int k = 0; good && k < presents.n; k++)
		if (presents.list[k].device.api == BW_API_CUDA && !presents.list[k].device.cpu)
			good = ++n && take(program, bench, &presents, k, list, out, error);
	good = good && (n || take(program, bench, &presents, -1, list, out, error));
	bw_bench_drop(bench);
	return good;
}

/* Lists the devices of the worker's machine with --on. Otherwise lists the device records, and in the text
 * form also the devices of this machine. */
static bool list_devices(const struct bw_program *program, json_t *list, struct bw_text *out,
			 struct bw_error *error)
{
	struct bw_error trouble = {0};
	if (program->arguments.rates)
		return program_rates(program, list, out, error);
	if (program->arguments.on)
		return list_present(program, list, out, error);
	list_records(program, list, out);
	if (program->arguments.json)
		return true;
	bw_text_puts(out, "\nto run on, here:\n");
	if (!list_present(program, list, out, &trouble))
		bw_text_printf(out, "not known: %s\n", trouble.text);
	return true;
}

bool bw_program_devices(struct bw_program *program, struct bw_error *error)
{
	BW_SCOPED_TEXT out = {0};
	json_t *list = json_array();
	bool good = list_devices(program, list, &out, error);
	if (program->arguments.json) {
		bw_text_clear(&out);
		bw_json_put_line(&out, list, JSON_INDENT(2));
	} else {
		json_decref(list);
	}
	return good && bw_program_put(program, &out, error);
}
