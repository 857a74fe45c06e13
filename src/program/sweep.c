/* sweep: searches pipelines for several devices, beams and seeds, and prints what is best where. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "program/program.h"
#include "schedulers/sweep.h"

enum { MOST = 64, MOST_SEEDS = 1000 };

/* What is swept over, for all pipelines. */
struct setup {
	struct bw_search_options options;
	const struct bw_device *devices[MOST];
	int beams[MOST];
	int n_devices, n_beams;
	long n_seeds;
};

/* Cuts the next word off a list with commas. Returns false at its end. */
static bool next_word(const char **list, char *word, size_t size)
{
	size_t length = strcspn(*list, ",");
	if (!**list)
		return false;
	snprintf(word, size, "%.*s", (int)length, *list);
	*list += length + ((*list)[length] == ',');
	return true;
}

static bool read_devices(const struct bw_program *program, struct setup *setup, struct bw_error *error)
{
	const char *list = program->arguments.gpus;
	char word[64];
	for (int i = 0; !list && i < program->n_devices && setup->n_devices < MOST; i++)
		if (!program->devices[i].cpu && program->devices[i].api == BW_API_CUDA &&
		    !*bw_device_mark(&program->devices[i]))
			setup->devices[setup->n_devices++] = &program->devices[i];
	while (list && setup->n_devices < MOST && next_word(&list, word, sizeof word)) {
		const struct bw_device *device = bw_device_find(program->devices, program->n_devices, word);
		if (!device)
			return bw_fail(error, BW_ERROR_USAGE, "--gpus: no device \"%s\"; `beamwalk devices` lists them", word);
		setup->devices[setup->n_devices++] = device;
	}
	return setup->n_devices > 0 || bw_fail(error, BW_ERROR_USAGE, "--gpus names no device");
}

static bool read_beams(const struct bw_program *program, struct setup *setup, struct bw_error *error)
{
	const char *list = program->arguments.beams;
	char word[64];
	while (list && setup->n_beams < MOST && next_word(&list, word, sizeof word)) {
		long beam = 0;
		if (!bw_arguments_number(word, "beams", 1, 100000, &beam, error))
			return false;
		setup->beams[setup->n_beams++] = (int)beam;
	}
	if (!setup->n_beams)
		setup->beams[setup->n_beams++] = setup->options.beam;
	return true;
}

static bool read_setup(struct bw_program *program, struct setup *setup, struct bw_error *error)
{
	setup->n_seeds = 1;
	if (!program->arguments.pipeline)
		return bw_fail(error, BW_ERROR_USAGE,
			       "sweep: no pipeline given; `beamwalk pipelines` lists the bundled ones");
	if (program->arguments.json && program->arguments.csv)
		return bw_fail(error, BW_ERROR_USAGE, "--json or --csv, not both");
	return bw_program_options(program, &setup->options, error) && read_devices(program, setup, error) &&
	       read_beams(program, setup, error) &&
	       bw_arguments_number(program->arguments.seeds, "seeds", 1, MOST_SEEDS, &setup->n_seeds, error);
}

/* Returns the letter of a schedule: A to Z, then AA. */
static void letter(int schedule, char text[4])
{
	if (schedule < 26)
		snprintf(text, 4, "%c", 'A' + schedule);
	else
		snprintf(text, 4, "%c%c", 'A' + (schedule / 26 - 1) % 26, 'A' + schedule % 26);
}

static void print_table(const char *name, const struct bw_source *source, const struct setup *setup,
			const struct bw_sweep *sweep, struct bw_text *out)
{
	char of[4];
	bw_text_printf(out, "%s %s, %s: %d searches, %d schedules\n\n%-14s %6s %5s %11s %8s  schedule\n",
		       name, source->size, setup->options.model->title, sweep->n_runs, sweep->n_schedules,
		       "device", "beam", "seed", *setup->options.model->unit ? "cost, ms" : "cost",
		       "kernels");
	for (int r = 0; r < sweep->n_runs; r++) {
		const struct bw_sweep_run *run = &sweep->runs[r];
		letter(run->schedule, of);
		bw_text_printf(out, "%-14s %6d %5llu %11.4g %8d  %s%s\n", sweep->devices[run->device]->name,
			       run->beam, (unsigned long long)run->seed, run->cost, run->n_kernels, of,
			       sweep->best[run->device] == r ? "  best" : "");
	}
	bw_text_printf(out, "\nBest of each device (row) on every device (column), over the best there:\n%-14s", "");
	for (int column = 0; column < sweep->n_devices; column++)
		bw_text_printf(out, " %7.7s", sweep->devices[column]->name);
	for (int row = 0; row < sweep->n_devices; row++) {
		letter(sweep->runs[sweep->best[row]].schedule, of);
		bw_text_printf(out, "\n%-11.11s %2s", sweep->devices[row]->name, of);
		for (int column = 0; column < sweep->n_devices; column++) {
			double cost = sweep->costs[row * sweep->n_devices + column];
			if (cost > 0)
				bw_text_printf(out, " %6.2fx", cost / sweep->runs[sweep->best[column]].cost);
			else
				bw_text_printf(out, " %7s", "-");
		}
	}
	bw_text_puts(out, "\n");
}

static void print_csv(const char *name, const struct bw_sweep *sweep, bool first, struct bw_text *out)
{
	if (first)
		bw_text_puts(out, "pipeline,device,beam,seed,cost,kernels,schedule,seconds\n");
	for (int r = 0; r < sweep->n_runs; r++) {
		const struct bw_sweep_run *run = &sweep->runs[r];
		bw_text_printf(
		    out, "%s,%s,%d,%llu,%.17g,%d,%016llx,%.6f\n", name, sweep->devices[run->device]->name,
		    run->beam, (unsigned long long)run->seed, run->cost, run->n_kernels,
		    (unsigned long long)bw_schedule_hash(sweep->schedules[run->schedule]), run->seconds);
	}
}

static json_t *sweep_json(const char *name, const struct bw_source *source, const struct bw_sweep *sweep)
{
	json_t *runs = json_array(), *matrix = json_array(), *devices = json_array();
	for (int r = 0; r < sweep->n_runs; r++) {
		const struct bw_sweep_run *run = &sweep->runs[r];
		char hash[24];
		snprintf(hash, sizeof hash, "%016llx",
			 (unsigned long long)bw_schedule_hash(sweep->schedules[run->schedule]));
		json_array_append_new(runs, json_pack("{s:s, s:i, s:I, s:f, s:i, s:s, s:f}", "device", sweep->devices[run->device]->name, "beam", run->beam, "seed", (json_int_t)run->seed, "cost", run->cost, "kernels", run->n_kernels, "schedule", hash, "seconds", run->seconds));
	}
	for (int row = 0; row < sweep->n_devices; row++) {
		json_t *costs = json_array();
		for (int column = 0; column < sweep->n_devices; column++) {
			double cost = sweep->costs[row * sweep->n_devices + column];
			json_array_append_new(costs, cost > 0 ? json_real(cost) : json_null());
		}
		json_array_append_new(matrix, costs);
		json_array_append_new(devices, json_string(sweep->devices[row]->name));
	}
	return json_pack("{s:s, s:s, s:o, s:o, s:o}", "pipeline", name, "size", source->size, "runs", runs, "devices", devices, "costs", matrix);
}

static bool sweep_one(struct bw_program *program, const struct setup *setup, const char *name, int index,
		      json_t *list, struct bw_text *out, struct bw_error *error)
{
	struct bw_source_request request;
	struct bw_patience patience = {120, NULL};
	struct bw_source source;
	if (!bw_program_source(program, setup->options.device, &request, error))
		return false;
	request.pipeline = name;
	struct bw_pipeline *pipeline =
	    bw_source_open(&request, &program->folders, &program->places, &patience, &source, error);
	if (!pipeline)
		return false;
	struct bw_sweep sweep = {.n_devices = setup->n_devices,
				 .n_beams = setup->n_beams,
				 .devices = setup->devices,
				 .beams = setup->beams,
				 .n_seeds = setup->n_seeds};
	bool good = bw_sweep_run(pipeline, &setup->options, &sweep, error);
	if (good && list)
		json_array_append_new(list, sweep_json(pipeline->name, &source, &sweep));
	else if (good && program->arguments.csv)
		print_csv(pipeline->name, &sweep, index == 0, out);
	else if (good) {
		bw_text_puts(out, index ? "\n" : "");
		print_table(pipeline->name, &source, setup, &sweep, out);
	}
	bw_sweep_free(&sweep);
	bw_pipeline_free(pipeline);
	bw_source_free(&source);
	return good;
}

bool bw_program_sweep(struct bw_program *program, struct bw_error *error)
{
	struct setup setup = {0};
	struct bw_text out = {0};
	const struct bw_arguments *arguments = &program->arguments;
	if (!read_setup(program, &setup, error))
		return false;
	json_t *list = arguments->json ? json_array() : NULL;
	bool good = true;
	for (int i = 0; i <= arguments->n_rest && good; i++)
		good = sweep_one(program, &setup, i ? arguments->rest[i - 1] : arguments->pipeline, i, list, &out, error);
	if (good && list) {
		char *text = json_dumps(list, JSON_INDENT(2));
		bw_text_printf(&out, "%s\n", text);
		free(text);
	}
	good = good && bw_program_put(program, &out, error);
	json_decref(list);
	bw_text_free(&out);
	return good;
}
