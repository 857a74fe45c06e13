/* sweep: searches pipelines for several devices, sizes, bandwidths, beams and seeds, and prints what is best
 * where. */
#include "program/sweep.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "page/page.h"
#include "session/sweep.h"

enum { MOST_SEEDS = 1000, MOST_TARGETS = 256, MOST_COLUMNS = 12 };

/* What is swept over, for all pipelines. */
struct setup {
	struct bw_search_options options;
	struct bw_sweep_target targets[MOST_TARGETS];
	double bandwidths[BW_SWEEP_MOST];
	int beams[BW_SWEEP_MOST];
	int n_targets, n_bandwidths, n_beams;
	long n_seeds;
};

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return a < b ? -1 : a > b;
}

static bool read_bandwidths(const struct bw_program *program, struct setup *setup, struct bw_error *error)
{
	const char *list = program->arguments.bandwidths ? program->arguments.bandwidths : "1";
	char word[64], *end;
	while (setup->n_bandwidths < BW_SWEEP_MOST && bw_sweep_word(&list, word, sizeof word)) {
		double factor = strtod(word, &end);
		if (!*word || *end || !(factor >= 0.01 && factor <= 100))
			return bw_fail(error, BW_ERROR_USAGE,
				       "--bandwidths takes factors from 0.01 to 100, not \"%s\"", word);
		setup->bandwidths[setup->n_bandwidths++] = factor;
	}
	qsort(setup->bandwidths, (size_t)setup->n_bandwidths, sizeof *setup->bandwidths, by_value);
	return true;
}

/* Adds a device with all bandwidths. */
static bool add_device(struct setup *setup, const struct bw_device *device, struct bw_error *error)
{
	for (int b = 0; b < setup->n_bandwidths; b++) {
		if (setup->n_targets == MOST_TARGETS)
			return bw_fail(error, BW_ERROR_USAGE, "at most %d devices and bandwidths",
				       MOST_TARGETS);
		struct bw_sweep_target *target = &setup->targets[setup->n_targets++];
		*target = (struct bw_sweep_target){*device, setup->bandwidths[b]};
		target->device.global_bandwidth *= setup->bandwidths[b];
	}
	return true;
}

static bool read_devices(const struct bw_program *program, struct setup *setup, struct bw_error *error)
{
	const char *list = program->arguments.gpus;
	char word[64];
	for (int i = 0; !list && i < program->n_devices; i++)
		if (!program->devices[i].cpu && program->devices[i].api == BW_API_CUDA &&
		    !*bw_device_mark(&program->devices[i]) && !add_device(setup, &program->devices[i], error))
			return false;
	while (list && bw_sweep_word(&list, word, sizeof word)) {
		const struct bw_device *device = bw_device_find(program->devices, program->n_devices, word);
		if (!device)
			return bw_fail(error, BW_ERROR_USAGE,
				       "--gpus: no device \"%s\"; `beamwalk devices` lists them", word);
		if (!add_device(setup, device, error))
			return false;
	}
	return setup->n_targets > 0 || bw_fail(error, BW_ERROR_USAGE, "--gpus names no device");
}

static bool read_beams(const struct bw_program *program, struct setup *setup, struct bw_error *error)
{
	const char *list = program->arguments.beams;
	char word[64];
	while (list && setup->n_beams < BW_SWEEP_MOST && bw_sweep_word(&list, word, sizeof word)) {
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
	const struct bw_arguments *arguments = &program->arguments;
	setup->n_seeds = 1;
	if (!arguments->pipeline)
		return bw_fail(error, BW_ERROR_USAGE,
			       "sweep: no pipeline given; `beamwalk pipelines` lists the bundled ones");
	if (arguments->json + arguments->csv + arguments->svg > 1)
		return bw_fail(error, BW_ERROR_USAGE, "--json, --csv or --svg, not both");
	if (arguments->svg && arguments->n_rest)
		return bw_fail(error, BW_ERROR_USAGE, "--svg draws one pipeline");
	return bw_program_options(program, &setup->options, error) &&
	       read_bandwidths(program, setup, error) && read_devices(program, setup, error) &&
	       read_beams(program, setup, error) &&
	       bw_arguments_number(arguments->seeds, "seeds", 1, MOST_SEEDS, &setup->n_seeds, error);
}

static void print_matrix(const struct bw_sweep *sweep, struct bw_text *out)
{
	char name[80];
	int n = sweep->n_targets;
	if (n > MOST_COLUMNS)
		return;
	bw_text_printf(
	    out, "\nBest of each device (row) on every device (column), over the best there%s%s:\n%-14s",
	    sweep->n_variants > 1 ? ", first variant" : "", "", "");
	for (int column = 0; column < n; column++)
		bw_text_printf(out, " %7.7s", bw_sweep_target_name(&sweep->targets[column], name));
	for (int row = 0; row < n; row++) {
		bw_text_printf(out, "\n%-11.11s %2s", bw_sweep_target_name(&sweep->targets[row], name),
			       bw_sweep_letter(bw_sweep_best(sweep, 0, row)->schedule).text);
		for (int column = 0; column < n; column++) {
			double cost = sweep->costs[row * n + column];
			if (cost > 0)
				bw_text_printf(out, " %6.2fx", cost / bw_sweep_best(sweep, 0, column)->cost);
			else
				bw_text_printf(out, " %7s", "-");
		}
	}
	bw_text_puts(out, "\n");
}

static void print_table(const char *name, const struct bw_source *source, const struct setup *setup,
			const struct bw_sweep *sweep, struct bw_text *out)
{
	char target[80];
	bw_text_printf(out, "%s %s, %s: %d searches, %d schedules\n\n%-14s %6s %5s %11s %8s  schedule\n",
		       name, sweep->n_variants > 1 ? "in several sizes or forms" : source->size,
		       setup->options.model->title, sweep->n_runs, sweep->n_schedules, "device", "beam",
		       "seed", *setup->options.model->unit ? "cost, ms" : "cost", "kernels");
	for (int r = 0; r < sweep->n_runs; r++) {
		const struct bw_sweep_run *run = &sweep->runs[r];
		const struct bw_sweep_variant *variant = &sweep->variants[run->variant];
		bw_text_printf(out, "%-14s %6d %5llu %11.4g %8d  %s%s%s%s%s%s\n",
			       bw_sweep_target_name(&sweep->targets[run->target], target), run->beam,
			       (unsigned long long)run->seed, run->cost, run->n_kernels,
			       bw_sweep_letter(run->schedule).text,
			       sweep->best[run->variant * sweep->n_targets + run->target] == r ? "  best"
											       : "",
			       *variant->size ? "  " : "", variant->size, *variant->parameters ? "  " : "",
			       variant->parameters);
	}
	print_matrix(sweep, out);
	if (sweep->n_crossings)
		bw_text_puts(out, "\nWhere another schedule becomes the best:\n");
	for (int c = 0; c < sweep->n_crossings; c++) {
		bw_sweep_crossing_words(sweep, &sweep->crossings[c], out);
		bw_text_puts(out, "\n");
	}
}

static unsigned long long hash_of(const struct bw_sweep *sweep, const struct bw_sweep_run *run)
{
	return bw_schedule_hash(sweep->schedules[run->schedule]);
}

static void print_csv(const char *name, const struct bw_sweep *sweep, bool first, struct bw_text *out)
{
	if (first)
		bw_text_puts(
		    out,
		    "pipeline,device,beam,seed,cost,kernels,schedule,seconds,bandwidth,size,parameters\n");
	for (int r = 0; r < sweep->n_runs; r++) {
		const struct bw_sweep_run *run = &sweep->runs[r];
		const struct bw_sweep_target *target = &sweep->targets[run->target];
		const struct bw_sweep_variant *variant = &sweep->variants[run->variant];
		bw_text_printf(out, "%s,%s,%d,%llu,%.17g,%d,%016llx,%.6f,%g,%s,%s\n", name,
			       target->device.name, run->beam, (unsigned long long)run->seed, run->cost,
			       run->n_kernels, hash_of(sweep, run), run->seconds, target->bandwidth,
			       variant->size, variant->parameters);
	}
}

static void print(const struct bw_program *program, const struct setup *setup, const struct bw_source *source,
		  const struct bw_sweep *sweep, int index, json_t *list, struct bw_text *out)
{
	const char *name = sweep->variants[0].pipeline->name;
	if (list) {
		json_array_append_new(list, bw_sweep_json(name, source->size, sweep));
	} else if (program->arguments.csv) {
		print_csv(name, sweep, index == 0, out);
	} else if (program->arguments.svg) {
		bw_page_sweep(sweep, setup->options.model, out);
	} else {
		bw_text_puts(out, index ? "\n" : "");
		print_table(name, source, setup, sweep, out);
	}
}

static bool sweep_one(struct bw_program *program, const struct setup *setup, const char *name, int index,
		      json_t *list, struct bw_text *out, struct bw_error *error)
{
	struct bw_sweep_variants *variants = BW_NEW(struct bw_sweep_variants);
	*variants = (struct bw_sweep_variants){0};
	bool good = bw_sweep_variants_open(program, name, setup->options.device, variants, error);
	if (good) {
		struct bw_sweep sweep = {.n_variants = variants->n,
					 .n_targets = setup->n_targets,
					 .n_beams = setup->n_beams,
					 .threads = (int)sysconf(_SC_NPROCESSORS_ONLN),
					 .variants = variants->list,
					 .targets = setup->targets,
					 .beams = setup->beams,
					 .n_seeds = setup->n_seeds};
		bw_program_heap();
		good = bw_sweep_run(&setup->options, &sweep, error);
		if (good)
			print(program, setup, &variants->sources[0], &sweep, index, list, out);
		bw_sweep_free(&sweep);
	}
	bw_sweep_variants_close(variants);
	free(variants);
	return good;
}

bool bw_program_sweep(struct bw_program *program, struct bw_error *error)
{
	struct setup *setup = BW_NEW(struct setup);
	struct bw_text out = {0};
	const struct bw_arguments *arguments = &program->arguments;
	*setup = (struct setup){0};
	bool good = read_setup(program, setup, error);
	json_t *list = arguments->json ? json_array() : NULL;
	for (int i = 0; i <= arguments->n_rest && good; i++)
		good = sweep_one(program, setup, i ? arguments->rest[i - 1] : arguments->pipeline, i, list,
				 &out, error);
	if (good && list) {
		char *text = json_dumps(list, JSON_INDENT(2));
		bw_text_printf(&out, "%s\n", text);
		free(text);
	}
	good = good && bw_program_put(program, &out, error);
	json_decref(list);
	bw_text_free(&out);
	free(setup);
	return good;
}
