#include "measured_reached.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cost/latency.h"
#include "gpu/device.h"
#include "measured_table.h"
#include "schedule/schedule.h"
#include "study/agreement.h"

enum { MOST_REACHED = 1 << 20 };

/* What is priced: a table, with what its schedules are of and for. */
struct pricing {
	const char *folder, *name, *source;
	struct bw_device *devices;
	int n_devices;
	struct table table;
};

static bool read_devices(struct pricing *pricing, struct bw_error *error)
{
	struct bw_text path = {0}, own = {0};
	bw_text_printf(&path, "%s/data/devices.json", pricing->source);
	bw_text_printf(&own, "%s/%s.device.json", pricing->folder, pricing->name);
	pricing->devices = bw_devices_read(bw_text_get(&path), &pricing->n_devices, error);
	if (pricing->devices && access(bw_text_get(&own), R_OK) == 0) {
		struct bw_device *base = pricing->devices;
		pricing->devices = bw_devices_read_over(base, pricing->n_devices, bw_text_get(&own),
		                                        &pricing->n_devices, error);
		free(base);
	}
	bw_text_free(&path);
	bw_text_free(&own);
	return pricing->devices;
}

/* The description of a row's variant: its own, else the bundled one of the pipeline. */
static struct bw_pipeline *read_pipeline(const struct pricing *pricing, const struct row *row,
                                         struct bw_error *error)
{
	struct bw_text path = {0};
	bw_text_printf(&path, "%s/%s/%s/description.json", pricing->folder, pricing->name, row->variant);
	if (access(bw_text_get(&path), R_OK) != 0) {
		bw_text_clear(&path);
		bw_text_printf(&path, "%s/data/descriptions/%s.json", pricing->source, row->pipeline);
	}
	struct bw_pipeline *pipeline = bw_pipeline_read(bw_text_get(&path), error);
	bw_text_free(&path);
	return pipeline;
}

/* Sets *cost to what a model predicts of a row's schedule now; NAN if there is no file of it. */
static bool price(const struct pricing *pricing, const struct row *row, const struct bw_pipeline *pipeline,
                  const struct bw_cost_model *model, double *cost, struct bw_error *error)
{
	struct bw_text path = {0};
	const struct bw_device *device =
		bw_device_find(pricing->devices, pricing->n_devices, row->predicted_for);
	bw_text_printf(&path, "%s/%s/%s/%s.schedule", pricing->folder, pricing->name, row->variant,
	               row->label);
	bool is_there = access(bw_text_get(&path), R_OK) == 0;
	*cost = (double)NAN;
	if (is_there && !device)
		bw_fail(error, BW_ERROR_INPUT, "%s/%s.tsv: %s %s: no record of the device %s",
		        pricing->folder, pricing->name, row->variant, row->label, row->predicted_for);
	struct bw_schedule *schedule =
		is_there && device ? bw_schedule_read(pipeline, bw_text_get(&path), NULL, error) : NULL;
	struct bw_nest *nest = schedule ? bw_schedule_nest(pipeline, schedule, error) : NULL;
	if (nest) {
		struct bw_arena *arena = bw_arena_new();
		*cost = bw_cost_of(model, nest, device, arena).total;
		bw_arena_free(arena);
	}
	bool good = nest || !is_there;
	bw_nest_drop(nest);
	bw_schedule_drop(schedule);
	bw_text_free(&path);
	return good;
}

static void add(struct reached_list *reached, const char *table, const char *variant, const char *model,
                const struct bw_agreement *agreement)
{
	BW_GROW(reached->list, reached->n, reached->capacity);
	struct reached *one = &reached->list[reached->n++];
	*one = (struct reached){.rho = agreement->rho, .n = agreement->n};
	snprintf(one->table, sizeof one->table, "%s", table);
	snprintf(one->variant, sizeof one->variant, "%s", variant);
	snprintf(one->model, sizeof one->model, "%s", model);
}

/* Prices the variant of rows[0], which has n rows. */
static bool price_variant(const struct pricing *pricing, const struct row *rows, int n,
                          const struct bw_cost_model *model, struct reached_list *reached,
                          struct bw_error *error)
{
	struct bw_pipeline *pipeline = read_pipeline(pricing, rows, error);
	struct bw_pair *pairs = BW_NEW_ARRAY(struct bw_pair, n);
	bool good = pipeline;
	for (int i = 0; i < n && good; i++) {
		bool right = !strncmp(rows[i].verdict, "right", 5);
		pairs[i] = (struct bw_pair){(double)NAN, right ? rows[i].minimum : (double)NAN};
		good = !right || price(pricing, &rows[i], pipeline, model, &pairs[i].predicted, error);
	}
	if (good) {
		struct bw_agreement agreement = bw_agreement_of(pairs, n);
		if (agreement.n > 1)
			add(reached, pricing->name, rows->variant, model->name, &agreement);
	}
	free(pairs);
	bw_pipeline_free(pipeline);
	return good;
}

static bool price_rows(const struct pricing *pricing, const struct bw_cost_model *model,
                       struct reached_list *reached, struct bw_error *error)
{
	const struct table *table = &pricing->table;
	bool good = true;
	for (int i = 0, end; i < table->n && good; i = end) {
		for (end = i + 1; end < table->n && !strcmp(table->rows[end].variant, table->rows[i].variant);
		     end++)
			;
		good = price_variant(pricing, &table->rows[i], end - i, model, reached, error);
	}
	return good;
}

bool reached_price(const char *folder, const char *name, const char *source,
                   const struct bw_cost_model *learned, struct reached_list *reached, struct bw_error *error)
{
	struct pricing pricing = {.folder = folder, .name = name, .source = source};
	struct bw_text path = {0};
	bw_text_printf(&path, "%s/%s.tsv", folder, name);
	bool good = table_read(&pricing.table, bw_text_get(&path), error) && read_devices(&pricing, error) &&
	            price_rows(&pricing, &bw_roofline, reached, error) &&
	            price_rows(&pricing, &bw_latency_model, reached, error) &&
	            (!learned || price_rows(&pricing, learned, reached, error));
	table_free(&pricing.table);
	free(pricing.devices);
	bw_text_free(&path);
	return good;
}

static int is_table(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);
	return length > 4 && !strcmp(entry->d_name + length - 4, ".tsv");
}

bool reached_price_all(const char *folder, const char *source, const struct bw_cost_model *learned,
                       struct reached_list *reached, int *n_tables, struct bw_error *error)
{
	struct dirent **entries = NULL;
	int n = scandir(folder, &entries, is_table, alphasort);
	bool good = true;
	*n_tables = n > 0 ? n : 0;
	for (int i = 0; i < n; i++) {
		entries[i]->d_name[strlen(entries[i]->d_name) - 4] = 0;
		good = good && reached_price(folder, entries[i]->d_name, source, learned, reached, error);
		free(entries[i]);
	}
	free(entries);
	return good;
}

static bool read_line(const char *line, struct reached *one)
{
	char rho[32], *end;
	if (sscanf(line, "%95[^\t]\t%95[^\t]\t%31[^\t]\t%31[^\t]\t%d", one->table, one->variant, one->model,
	           rho, &one->n) != 5)
		return false;
	one->rho = strcmp(rho, "-") ? strtod(rho, &end) : (double)NAN;
	return !strcmp(rho, "-") || !*end;
}

bool reached_read(const char *folder, struct reached_list *reached, struct bw_error *error)
{
	struct bw_text path = {0}, text = {0};
	bool good = true;
	bw_text_printf(&path, "%s/reached", folder);
	if (access(bw_text_get(&path), F_OK) == 0)
		good = bw_file_read(bw_text_get(&path), MOST_REACHED, &text, error);
	char *rest = text.bytes;
	for (int number = 1; good && rest; number++) {
		const char *line = strsep(&rest, "\n");
		struct reached one = {0};
		if (!*line || number == 1)
			continue;
		good = read_line(line, &one) ||
		       bw_fail(error, BW_ERROR_INPUT, "%s:%d: expected table, variant, model, rho, schedules",
		               bw_text_get(&path), number);
		BW_GROW(reached->list, reached->n, reached->capacity);
		reached->list[reached->n++] = one;
	}
	bw_text_free(&path);
	bw_text_free(&text);
	return good;
}

static const struct reached *find(const struct reached_list *reached, const struct reached *like)
{
	for (int i = 0; i < reached->n; i++) {
		const struct reached *one = &reached->list[i];
		if (!strcmp(one->table, like->table) && !strcmp(one->variant, like->variant) &&
		    !strcmp(one->model, like->model))
			return one;
	}
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	const struct reached *x = a, *y = b;
	int order = strcmp(x->table, y->table);
	order = order ? order : strcmp(x->variant, y->variant);
	return order ? order : strcmp(x->model, y->model);
}

bool reached_write(const char *folder, const struct reached_list *before, const struct reached_list *now,
                   struct bw_error *error)
{
	struct bw_text path = {0}, out = {0};
	struct reached *all = BW_NEW_ARRAY(struct reached, before->n + now->n + 1);
	int n = 0;
	for (int i = 0; i < now->n; i++)
		all[n++] = now->list[i];
	for (int i = 0; i < before->n; i++)
		if (!find(now, &before->list[i]))
			all[n++] = before->list[i];
	qsort(all, (size_t)n, sizeof *all, by_name);
	bw_text_printf(&path, "%s/reached", folder);
	bw_text_puts(&out, "table\tvariant\tmodel\trho\tschedules\n");
	for (int i = 0; i < n; i++) {
		bw_text_printf(&out, "%s\t%s\t%s\t", all[i].table, all[i].variant, all[i].model);
		bw_text_printf(&out, isnan(all[i].rho) ? "-" : "%.3f", all[i].rho);
		bw_text_printf(&out, "\t%d\n", all[i].n);
	}
	bool good = bw_file_write(bw_text_get(&path), bw_text_get(&out), out.length, error);
	free(all);
	bw_text_free(&path);
	bw_text_free(&out);
	return good;
}

static bool has_model(const struct reached_list *reached, const char *model)
{
	for (int i = 0; i < reached->n; i++)
		if (!strcmp(reached->list[i].model, model))
			return true;
	return false;
}

int reached_compare(const struct reached_list *before, const struct reached_list *now, struct bw_text *out)
{
	int n = 0;
	for (int i = 0; i < before->n; i++) {
		const struct reached *then = &before->list[i], *one = find(now, then);
		bool fell = one && !isnan(then->rho) && !(one->rho >= then->rho - REACHED_TOLERANCE),
		     gone = !one && has_model(now, then->model);
		if (fell)
			bw_text_printf(
				out,
				"%s %s by %s: rho was %.3f over %d schedules and is %.3f over %d: more than %g less\n",
				then->table, then->variant, then->model, then->rho, then->n, one->rho, one->n,
				REACHED_TOLERANCE);
		if (gone)
			bw_text_printf(
				out,
				"%s %s by %s: rho was %.3f over %d schedules, and nothing is measured of it now\n",
				then->table, then->variant, then->model, then->rho, then->n);
		n += fell + gone;
	}
	for (int i = 0; i < now->n; i++)
		if (!find(before, &now->list[i])) {
			bw_text_printf(out,
			               "%s %s by %s: rho is %.3f, and is not yet in the file `reached`\n",
			               now->list[i].table, now->list[i].variant, now->list[i].model,
			               now->list[i].rho);
			n++;
		}
	return n;
}

void reached_free(struct reached_list *reached)
{
	free(reached->list);
	*reached = (struct reached_list){0};
}
