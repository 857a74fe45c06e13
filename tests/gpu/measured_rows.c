#include "measured_rows.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "gpu/device.h"
#include "schedule/schedule.h"

/* A table that is being read. */
struct reading {
	const char *folder, *name, *source;
	struct bw_device *devices;
	int n_devices;
	bool is_bundled; /* the pipeline of the rows that are being read */
	struct measured_list *list;
};

static bool read_devices(struct reading *reading, struct bw_error *error)
{
	struct bw_text path = {0}, own = {0};
	bw_text_printf(&path, "%s/data/devices.json", reading->source);
	bw_text_printf(&own, "%s/%s.device.json", reading->folder, reading->name);
	reading->devices = bw_devices_read(bw_text_get(&path), &reading->n_devices, error);
	if (reading->devices && access(bw_text_get(&own), R_OK) == 0) {
		struct bw_device *base = reading->devices;
		reading->devices = bw_devices_read_over(base, reading->n_devices, bw_text_get(&own),
		                                        &reading->n_devices, error);
		free(base);
	}
	struct measured_list *list = reading->list;
	BW_GROW(list->devices, list->n_devices, list->capacity_devices);
	list->devices[list->n_devices++] = reading->devices;
	bw_text_free(&path);
	bw_text_free(&own);
	return reading->devices;
}

/* The description of a row's variant: its own, else the bundled one of the pipeline. */
static struct bw_pipeline *read_pipeline(struct reading *reading, const struct row *row,
                                         struct bw_error *error)
{
	struct bw_text path = {0};
	bw_text_printf(&path, "%s/%s/%s/description.json", reading->folder, reading->name, row->variant);
	reading->is_bundled = access(bw_text_get(&path), R_OK) != 0;
	if (reading->is_bundled) {
		bw_text_clear(&path);
		bw_text_printf(&path, "%s/data/descriptions/%s.json", reading->source, row->pipeline);
	}
	struct bw_pipeline *pipeline = bw_pipeline_read(bw_text_get(&path), error);
	struct measured_list *list = reading->list;
	BW_GROW(list->pipelines, list->n_pipelines, list->capacity_pipelines);
	list->pipelines[list->n_pipelines++] = pipeline;
	bw_text_free(&path);
	return pipeline;
}

/* A row is priced at the size of the description: it has to have been measured at that. */
static bool has_size(const struct reading *reading, const struct row *row, const struct bw_pipeline *pipeline,
                     struct bw_error *error)
{
	char *size = bw_pipeline_size(pipeline);
	bool same = !strcmp(size, row->size) ||
	            bw_fail(error, BW_ERROR_INPUT, "%s/%s.tsv: %s %s was measured at %s, its description has %s",
	                    reading->folder, reading->name, row->variant, row->label, row->size, size);
	free(size);
	return same;
}

/* Appends a row, if there is a file of its schedule. */
static bool read_row(const struct reading *reading, const struct row *row, const struct bw_pipeline *pipeline,
                     struct bw_error *error)
{
	struct measured_list *list = reading->list;
	struct bw_text path = {0};
	const struct bw_device *device =
		bw_device_find(reading->devices, reading->n_devices, row->predicted_for);
	bw_text_printf(&path, "%s/%s/%s/%s.schedule", reading->folder, reading->name, row->variant,
	               row->label);
	bool is_there = access(bw_text_get(&path), R_OK) == 0;
	if (is_there && !device)
		bw_fail(error, BW_ERROR_INPUT, "%s/%s.tsv: %s %s: no record of the device %s",
		        reading->folder, reading->name, row->variant, row->label, row->predicted_for);
	struct bw_schedule *schedule =
		is_there && device ? bw_schedule_read(pipeline, bw_text_get(&path), NULL, error) : NULL;
	struct bw_nest *nest = schedule ? bw_schedule_nest(pipeline, schedule, error) : NULL;
	if (nest) {
		BW_GROW(list->rows, list->n, list->capacity);
		list->rows[list->n++] =
			(struct measured){bw_arena_strdup(list->names, reading->name), *row, pipeline, nest, device,
		                          reading->is_bundled};
	}
	bw_schedule_drop(schedule);
	bw_text_free(&path);
	return nest || !is_there;
}

bool measured_read(const char *folder, const char *name, const char *source, struct measured_list *list,
                   struct bw_error *error)
{
	struct reading reading = {.folder = folder, .name = name, .source = source, .list = list};
	struct bw_text path = {0};
	struct table table;
	const struct bw_pipeline *pipeline = NULL;
	list->names = list->names ? list->names : bw_arena_new();
	bw_text_printf(&path, "%s/%s.tsv", folder, name);
	bool good = table_read(&table, bw_text_get(&path), error);
	BW_GROW(list->tables, list->n_tables, list->capacity_tables);
	list->tables[list->n_tables++] = table;
	good = good && read_devices(&reading, error);
	for (int i = 0; i < table.n && good; i++) {
		const struct row *row = &table.rows[i];
		if (i == 0 || strcmp(row->variant, table.rows[i - 1].variant) != 0)
			good = (pipeline = read_pipeline(&reading, row, error));
		if (good && !strncmp(row->verdict, "right", 5))
			good = has_size(&reading, row, pipeline, error) &&
			       read_row(&reading, row, pipeline, error);
	}
	bw_text_free(&path);
	return good;
}

static int is_table(const struct dirent *entry)
{
	return bw_ends_with(entry->d_name, ".tsv");
}

bool measured_read_all(const char *folder, const char *source, struct measured_list *list,
                       struct bw_error *error)
{
	struct dirent **entries = NULL;
	int n = scandir(folder, &entries, is_table, alphasort);
	bool good = true;
	for (int i = 0; i < n; i++) {
		entries[i]->d_name[strlen(entries[i]->d_name) - 4] = 0;
		good = good && measured_read(folder, entries[i]->d_name, source, list, error);
		free(entries[i]);
	}
	free(entries);
	return good;
}

int measured_end(const struct measured_list *list, int i)
{
	int end = i + 1;
	while (end < list->n && !strcmp(list->rows[end].table, list->rows[i].table) &&
	       !strcmp(list->rows[end].row.variant, list->rows[i].row.variant))
		end++;
	return end;
}

double measured_price(const struct measured *measured, const struct bw_cost_model *model)
{
	struct bw_arena *arena = bw_arena_new();
	double total = bw_cost_of(model, measured->nest, measured->device, arena).total;
	bw_arena_free(arena);
	return total;
}

void measured_free(struct measured_list *list)
{
	for (int i = 0; i < list->n; i++)
		bw_nest_drop(list->rows[i].nest);
	for (int i = 0; i < list->n_pipelines; i++)
		bw_pipeline_free(list->pipelines[i]);
	for (int i = 0; i < list->n_devices; i++)
		free(list->devices[i]);
	for (int i = 0; i < list->n_tables; i++)
		table_free(&list->tables[i]);
	free(list->rows);
	free(list->pipelines);
	free(list->devices);
	free(list->tables);
	if (list->names)
		bw_arena_free(list->names);
	*list = (struct measured_list){0};
}
