/* The table of a device, the schedules beside it, and the device's record with what was measured of it. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/device.h"
#include "measured_reached.h"
#include "measured_table.h"
#include "unpack.h"

enum { MOST_TEXT = 64 << 20 };

static bool make_folder(const char *path, struct bw_error *error)
{
	struct bw_text part = {0};
	bool good = true;
	for (const char *at = path; good && at;) {
		at = strchr(at + 1, '/');
		bw_text_clear(&part);
		bw_text_append(&part, path, at ? (size_t)(at - path) : strlen(path));
		struct stat info;
		if (stat(bw_text_get(&part), &info) != 0 && mkdir(bw_text_get(&part), 0777) != 0)
			good = bw_fail(error, BW_ERROR_IO, "%s: the folder cannot be made: %m",
			               bw_text_get(&part));
	}
	bw_text_free(&part);
	return good;
}

/* The device's name as a file may be called: NVIDIA-H100-80GB-HBM3. */
static void put_name(const char *device, struct bw_text *out)
{
	for (const char *at = device; *at; at++) {
		char c[2] = {isalnum((unsigned char)*at) || *at == '_' || *at == '.' ? *at : '-', 0};
		if (*c != '-' || (out->length && out->bytes[out->length - 1] != '-' && at[1]))
			bw_text_puts(out, c);
	}
}

/* The row of a label that was timed. */
static struct row row_of(const struct pack *pack, const struct campaign *campaign, const struct label *label,
                         char hash[BW_UID_SIZE], char date[11])
{
	const struct outcome *outcome = label->timed;
	const struct bw_measurement *measurement = outcome->measurement;
	struct row row = row_unknown();
	snprintf(hash, BW_UID_SIZE, "%016llx", (unsigned long long)label->identity);
	snprintf(date, 11, "%.10s", outcome->at ? outcome->at : "-");
	row.pipeline = label->variant->pipeline;
	row.size = label->variant->size;
	row.variant = label->variant->name;
	row.label = label->name;
	row.kind = label->kind;
	row.schedule = hash;
	row.predicted_for = label->by[ROOFLINE].device ? label->by[ROOFLINE].device : pack->gpu;
	row.roofline = label->by[ROOFLINE].value;
	row.learned = label->by[LEARNED].value;
	row.latency = label->by[LATENCY].value;
	row.verdict = outcome_verdict(outcome);
	row.device = campaign->device;
	row.driver = campaign->driver;
	row.date = date;
	if (measurement) {
		row.minimum = measurement->minimum;
		row.median = measurement->median;
		row.spread = measurement->spread;
		row.clock = measurement->clock > 0 ? measurement->clock / 1e6 : (double)NAN;
	}
	return row;
}

/* Writes a text beside the table, unless it is NULL. */
static bool write_beside(const char *stem, const struct variant *variant, const char *name, const char *text,
                         struct bw_error *error)
{
	struct bw_text path = {0};
	bw_text_printf(&path, "%s/%s", stem, variant->name);
	bool good = !text || make_folder(bw_text_get(&path), error);
	bw_text_printf(&path, "/%s", name);
	good = good && (!text || bw_file_write(bw_text_get(&path), text, strlen(text), error));
	bw_text_free(&path);
	return good;
}

/* The schedule's text without what searching it cost: that is not what was measured. */
static char *compact(const struct label *label)
{
	struct bw_text text = {0};
	bw_schedule_print(label->variant->read, label->schedule, &text);
	return bw_text_take(&text);
}

static bool write_schedule(const char *stem, const struct label *label, struct bw_error *error)
{
	struct bw_text name = {0};
	if (!label->schedule)
		return true;
	char *text = compact(label);
	bw_text_printf(&name, "%s.schedule", label->name);
	bool good = write_beside(stem, label->variant, bw_text_get(&name), text, error);
	bw_text_free(&name);
	free(text);
	return good;
}

/* Writes what each kernel took by itself, where the worker told that: launches in a run, milliseconds of all of
 * them, registers and bytes of local memory a thread, entry. */
static bool write_kernels(const char *stem, const struct label *label, struct bw_error *error)
{
	const struct bw_measurement *measurement = label->timed->measurement;
	struct bw_text text = {0}, name = {0};
	for (int k = 0; measurement && k < measurement->kernels.n; k++) {
		const struct bw_kernel_use *use = &measurement->kernels.list[k];
		if (use->ms >= 0)
			bw_text_printf(&text, "%d\t%.6g\t%d\t%d\t%s\n", use->launches, use->ms, use->registers,
			               use->local_bytes, use->name);
	}
	bw_text_printf(&name, "%s.kernels", label->name);
	bool good = !text.length ||
	            write_beside(stem, label->variant, bw_text_get(&name), bw_text_get(&text), error);
	bw_text_free(&text);
	bw_text_free(&name);
	return good;
}

/* Whether the bundled description of the pipeline is of the same content. */
static bool is_bundled(const struct variant *variant, const char *source)
{
	struct bw_text path = {0};
	struct bw_error ignored;
	bw_text_printf(&path, "%s/data/descriptions/%s.json", source, variant->pipeline);
	struct bw_pipeline *bundled =
		access(bw_text_get(&path), R_OK) == 0 ? bw_pipeline_read(bw_text_get(&path), &ignored) : NULL;
	bool same = bundled && bundled->content == variant->read->content;
	bw_pipeline_free(bundled);
	bw_text_free(&path);
	return same;
}

static bool write_descriptions(const struct pack *pack, const struct wanted *wanted, const char *stem,
                               struct bw_error *error)
{
	bool good = true;
	for (int v = 0; v < pack->n_variants && good; v++) {
		const struct variant *variant = pack->variants[v];
		bool timed = false;
		for (int i = 0; i < pack->n_labels; i++)
			timed |= pack->labels[i]->variant == variant && pack->labels[i]->timed;
		if (timed && !is_bundled(variant, wanted->source))
			good = write_beside(stem, variant, "description.json", variant->description, error);
	}
	return good;
}

/* Reads the table that is there already, for the rows of this campaign to be put into. */
static bool read_before(struct table *table, const char *path, struct bw_error *error)
{
	if (access(path, F_OK) == 0)
		return table_read(table, path, error);
	*table = (struct table){.arena = bw_arena_new()};
	return true;
}

static bool fill(struct table *table, const struct pack *pack, const struct campaign *campaign,
                 const char *stem, struct bw_error *error)
{
	bool good = true;
	for (int i = 0; i < pack->n_labels && good; i++) {
		const struct label *label = pack->labels[i];
		char hash[BW_UID_SIZE], date[11];
		if (!label->timed)
			continue;
		struct row row = row_of(pack, campaign, label, hash, date);
		table_put(table, &row);
		good = write_schedule(stem, label, error) && write_kernels(stem, label, error);
	}
	return good;
}

/* Prices the table again, as the test of data/measured does, and writes what the models reach on it. */
static bool write_reached(const struct wanted *wanted, const char *name, struct bw_error *error)
{
	struct reached_list before = {0}, now = {0};
	bool good = reached_price(wanted->table, name, wanted->source, NULL, &now, error) &&
	            reached_read(wanted->table, &before, error) &&
	            reached_write(wanted->table, &before, &now, error);
	reached_free(&before);
	reached_free(&now);
	return good;
}

bool write_tables(struct pack *pack, const struct campaign *campaign, const struct wanted *wanted,
                  struct bw_text *path, struct bw_error *error)
{
	struct bw_text stem = {0}, name = {0};
	struct table table = {0};
	put_name(campaign->device, &name);
	if (!name.length || (campaign->cpu && !wanted->table_of_cpu)) {
		pack_note(
			pack,
			name.length
				? "%s is a CPU: its times say nothing of a GPU's, so no table is written; --table FOLDER writes it there"
				: "%snothing was measured: no table is written",
			name.length ? campaign->device : "");
		bw_text_free(&name);
		return true;
	}
	bw_text_printf(&stem, "%s/%s", wanted->table, bw_text_get(&name));
	bw_text_printf(path, "%s.tsv", bw_text_get(&stem));
	bool good = make_folder(wanted->table, error) && read_before(&table, bw_text_get(path), error) &&
	            fill(&table, pack, campaign, bw_text_get(&stem), error) &&
	            write_descriptions(pack, wanted, bw_text_get(&stem), error) &&
	            table_write(&table, bw_text_get(path), error) &&
	            write_device(pack, campaign, bw_text_get(&stem), error) &&
	            write_reached(wanted, bw_text_get(&name), error);
	table_free(&table);
	bw_text_free(&stem);
	bw_text_free(&name);
	return good;
}

/* Puts the rates that the worker measured under the keys of a device's record; returns how many. */
static int add_rates(json_t *record, const json_t *list)
{
	int n = 0;
#define X(field, key, unit, text) \
	const json_t *field = json_object_get(json_object_get(list, key), "value"); \
	if (json_is_number(field) && json_number_value(field) > 0) \
		n += json_object_set_new(record, key, json_real(json_number_value(field))) == 0;
	BW_DEVICE_TABLE(X)
#undef X
	return n;
}

bool write_device(const struct pack *pack, const struct campaign *campaign, const char *stem,
                  struct bw_error *error)
{
	json_t *rates = json_object_get(json_object_get(campaign->rates, "rates"), "list");
	const struct session *session =
		campaign->n_sessions ? campaign->sessions[campaign->n_sessions - 1] : NULL;
	struct bw_text source = {0}, path = {0};
	json_t *record = json_object();
	int n = add_rates(record, rates);
	bool good = true;
	if (n) {
		bw_text_printf(
			&source,
			"%d figures measured on %s, %s, by tests/gpu/campaign%s%.10s; all others as the record of %s",
			n, campaign->device, *campaign->driver ? campaign->driver : "driver not known",
			session && session->at ? " on " : "", session && session->at ? session->at : "",
			pack->gpu);
		json_t *head = json_pack("{s:s, s:s, s:s}", "name", campaign->device, "like", pack->gpu,
		                         "source", bw_text_get(&source));
		json_object_update(head, record);
		json_object_set(head, "measured", rates);
		char *text = json_dumps(head, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
		bw_text_printf(&path, "%s.device.json", stem);
		bw_text_clear(&source);
		bw_text_printf(&source, "[%s]\n", text);
		good = bw_file_write(bw_text_get(&path), bw_text_get(&source), source.length, error);
		free(text);
		json_decref(head);
	}
	json_decref(record);
	bw_text_free(&source);
	bw_text_free(&path);
	return good;
}
