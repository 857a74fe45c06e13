/* What was measured on devices, ready to be priced: the schedules of the tables of data/measured as nests. */
#pragma once
#include "cost/latency.h"
#include "measured_table.h"

struct measured {
	const char *table; /* name of the table: the device that it was measured on */
	struct row row;
	const struct bw_pipeline *pipeline;
	struct bw_nest *nest;
	const struct bw_device *device; /* that it was predicted for */
	bool is_bundled; /* the pipeline, at its usual size */
};

struct measured_list {
	struct measured *rows; /* of each table, in its order */
	int n, capacity;
	/* What the rows point to. */
	struct bw_arena *names;
	struct table *tables;
	struct bw_device **devices;
	struct bw_pipeline **pipelines;
	int n_tables, capacity_tables, n_devices, capacity_devices, n_pipelines, capacity_pipelines;
};

/* Appends the rows of FOLDER/NAME.tsv that are right and have a file of their schedule. Records of devices:
 * SOURCE/data/devices.json, with FOLDER/NAME.device.json over them. An error names the file. Free the list
 * with measured_free, also after an error. */
bool measured_read(const char *folder, const char *name, const char *source, struct measured_list *list,
                   struct bw_error *error);
/* The same of all tables in the folder, in the order of their names; none, if there is no such folder. */
bool measured_read_all(const char *folder, const char *source, struct measured_list *list,
                       struct bw_error *error);
/* Returns the end of the rows of the table and variant of row i. */
int measured_end(const struct measured_list *list, int i);
/* Returns what a model predicts. */
double measured_price(const struct measured *measured, const struct bw_cost_model *model);
void measured_free(struct measured_list *list);
