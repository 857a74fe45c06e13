/* sweep: searches pipelines for several devices, sizes, bandwidths, beams and seeds, and prints what is best
 * where. */
#include "program/program.h"

#include "figures/sweep.h"
#include "page/html.h"
#include "session/sweep.h"

enum { MOST_COLUMNS = 12 };

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
			       bw_say_letter(bw_sweep_best(sweep, 0, row)->schedule).text);
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

static void print_table(const struct bw_session *session, const struct bw_sweep *sweep, struct bw_text *out)
{
	const struct bw_cost_model *model = session->options.model;
	char target[80];
	bw_text_printf(out, "%s %s, %s: %s, %s\n\n%-14s %6s %5s %11s %8s  schedule\n",
		       session->pipeline->name,
		       sweep->n_variants > 1 ? "in several sizes or forms" : bw_session_sweep_size(session),
		       model->title, bw_say_number(sweep->n_runs, "search").text,
		       bw_say_number(sweep->n_schedules, "schedule").text, "device", "beam", "seed",
		       *model->unit ? "cost, ms" : "cost", "kernels");
	for (int r = 0; r < sweep->n_runs; r++) {
		const struct bw_sweep_run *run = &sweep->runs[r];
		const struct bw_sweep_variant *variant = &sweep->variants[run->variant];
		bw_text_printf(out, "%-14s %6d %5llu %11.4g %8d  %s%s%s%s%s%s\n",
			       bw_sweep_target_name(&sweep->targets[run->target], target), run->beam,
			       (unsigned long long)run->seed, run->cost, run->n_kernels,
			       bw_say_letter(run->schedule).text,
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

static void print_svg(const struct bw_sweep *sweep, const struct bw_cost_model *model, struct bw_text *out)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct bw_picture picture = bw_sweep_picture(sweep, model, arena);
	bw_svg_picture(out, &picture,
		       bw_arena_format(arena, "%s: predicted cost by %s; letters are schedules",
				       sweep->variants[0].pipeline->name, model->title),
		       true);
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

/* Returns the devices to sweep over: those of --gpus, else the device of --gpu. Returns NULL for all GPUs. */
static const char *devices_of(const struct bw_arguments *arguments)
{
	const char *one = NULL;
	for (int i = 0; i < arguments->n_settings; i++)
		if (!strcmp(arguments->settings[i].name, "gpu"))
			one = arguments->settings[i].value;
	return arguments->gpus ? arguments->gpus : one;
}

/* Runs the sweep of a pipeline and appends the results, to the JSON list if it is not NULL. */
static bool sweep_one(struct bw_program *program, int index, json_t *list, struct bw_text *out,
		      struct bw_error *error)
{
	const struct bw_arguments *arguments = &program->arguments;
	struct bw_sweep_lists lists = {.gpus = devices_of(arguments),
				       .bandwidths = arguments->bandwidths,
				       .beams = arguments->beams,
				       .seeds = arguments->seeds,
				       .sizes = arguments->image_sizes,
				       .vary = arguments->vary,
				       .dashes = "--"};
	if (!bw_program_open(program, error) || !bw_session_sweep_through(program->session, &lists, error))
		return false;
	const struct bw_session *session = program->session;
	const struct bw_sweep *sweep = bw_session_sweep(session, NULL);
	if (list) {
		json_array_append_new(list, bw_sweep_json(session));
	} else if (arguments->csv) {
		print_csv(session->pipeline->name, sweep, index == 0, out);
	} else if (arguments->svg) {
		print_svg(sweep, session->options.model, out);
	} else {
		bw_text_puts(out, index ? "\n" : "");
		print_table(session, sweep, out);
	}
	return true;
}

bool bw_program_sweep(struct bw_program *program, struct bw_error *error)
{
	struct bw_arguments *arguments = &program->arguments;
	BW_SCOPED_TEXT out = {0};
	if (arguments->json + arguments->csv + arguments->svg > 1)
		return bw_fail(error, BW_ERROR_USAGE, "--json, --csv or --svg, not both");
	if (arguments->svg && arguments->n_rest)
		return bw_fail(error, BW_ERROR_USAGE, "--svg draws one pipeline");
	json_t *list = arguments->json ? json_array() : NULL;
	bool good = sweep_one(program, 0, list, &out, error);
	for (int i = 0; i < arguments->n_rest && good; i++) {
		bw_session_free(program->session);
		program->session = NULL;
		arguments->pipeline = arguments->rest[i];
		good = sweep_one(program, i + 1, list, &out, error);
	}
	if (good && list)
		bw_json_put_line(&out, list, JSON_INDENT(2));
	else
		json_decref(list);
	return good && bw_program_put(program, &out, error);
}
