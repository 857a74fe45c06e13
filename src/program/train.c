/* Trains the learned cost model on stored measurements. */
#include <math.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "cost/training.h"
#include "program/program.h"
#include "results/results.h"

/* Training samples, and the device of the measurements. */
struct bw_train_set {
	struct bw_samples samples;
	const struct bw_device *device; /* owned by the program */
	int skipped;                    /* measurements that cannot be used */
	char why[512];                  /* the reason for the first of them */
};

/* The state of a run of the command. */
struct bw_train_run {
	struct bw_program *program;
	struct bw_train_set set;
	struct bw_training_options options;
	struct bw_weights start;  /* initial weights */
	char *checkpoint;         /* file beside the weights */
	int interrupts;           /* from bw_program_interrupts */
	bool each;                /* every pipeline is held out in turn */
	struct bw_goodness *held; /* by pipeline: figures when held out */
	bool *is_held;            /* by pipeline: `held` is set */
};

/* Makes training samples from stored measurements. */

enum { BUSY_MS = 5000 };

/* A measurement that may become a sample. */
struct measured {
	char *description, *schedule, *name, *target; /* hashes; the pipeline's name; the device's record */
	double ms;
};

struct gathering {
	struct bw_program *program;
	struct bw_results *results;
	struct bw_train_set *set;
	struct measured *list;
	int n, capacity;
};

/* Takes measurements that ran, whose output is not wrong, and whose features can be computed (a
 * generator's own schedule has none). */
static void take(const struct bw_result *result, void *data)
{
	struct gathering *gathering = data;
	bool right = result->verdict && strcmp(result->verdict, bw_verdict_name(BW_OUTPUT_WRONG)) != 0 &&
		     strcmp(result->verdict, bw_verdict_name(BW_UNSTABLE)) != 0 &&
		     strcmp(result->verdict, BW_RESULT_FAILED) != 0;
	if (result->label && !strcmp(result->label, BW_RESULT_HAND))
		return;
	if (!right || !(result->minimum_ms > 0) || !result->description || !result->schedule || !result->target)
		return;
	BW_PUSH(gathering->list, gathering->n, gathering->capacity,
		(struct measured){bw_strdup(result->description), bw_strdup(result->schedule),
				  bw_strdup(result->pipeline ? result->pipeline : ""), bw_strdup(result->target),
				  result->minimum_ms});
}

/* Orders by description, schedule and time, independent of the order of measuring. */
BW_ORDER(compare, struct measured,
	 4 * BW_COMPARE(strcmp(a->description, b->description), 0) +
	     2 * BW_COMPARE(strcmp(a->schedule, b->schedule), 0) + BW_COMPARE(a->ms, b->ms))

static bool find_device(struct gathering *gathering, struct bw_error *error)
{
	for (int i = 1; i < gathering->n; i++)
		if (strcmp(gathering->list[i].target, gathering->list[0].target) != 0)
			return bw_fail(
			    error, BW_ERROR_USAGE,
			    "there are measurements of several devices (%s, %s); select one with --device",
			    gathering->list[0].target, gathering->list[i].target);
	if (!gathering->n)
		return bw_fail(error, BW_ERROR_INPUT,
			       "%s: no measurement to train on matches; `beamwalk time` makes some",
			       gathering->program->layout.results);
	gathering->set->device = bw_device_find(gathering->program->devices, gathering->program->n_devices,
						gathering->list[0].target);
	return gathering->set->device ||
	       bw_fail(error, BW_ERROR_INPUT,
		       "no record of the device \"%s\"; give a file with one by --devices",
		       gathering->list[0].target);
}

static void skip(struct bw_train_set *set, const struct bw_error *why)
{
	if (!set->skipped++)
		snprintf(set->why, sizeof set->why, "%.500s", why->text);
}

/* Adds the features of a nest's schedule. */
static void add_nest(struct gathering *gathering, const struct bw_nest *nest, const struct measured *measured)
{
	struct bw_error why = {0};
	BW_SCOPED_MEMORY char *name = bw_format("%s %.8s", measured->name, measured->description);
	if (!bw_samples_add_nest(&gathering->set->samples, name, nest, gathering->set->device,
				 measured->schedule, measured->ms, &why))
		skip(gathering->set, &why);
}

/* Adds one measurement. Skips it if its schedule cannot be read for the pipeline. */
static void add(struct gathering *gathering, const struct bw_pipeline *pipeline,
		const struct measured *measured)
{
	BW_SCOPED_TEXT text = {0};
	struct bw_error why = {0};
	BW_SCOPED_SCHEDULE *schedule = NULL;
	BW_SCOPED_NEST *nest = NULL;
	if (bw_results_schedule(gathering->results, measured->schedule, &text, &why))
		schedule = bw_schedule_parse(pipeline, measured->schedule, bw_text_get(&text), text.length, NULL, &why);
	if (schedule && schedule->n > schedule->n_funcs)
		bw_fail(&why, BW_ERROR_INPUT, "%s: a derived Func has no features", measured->schedule);
	else if (schedule && (nest = bw_schedule_nest(pipeline, schedule, &why)) && !bw_nest_complete(nest))
		bw_fail(&why, BW_ERROR_INPUT, "%s: not every Func is placed", measured->schedule);
	if (nest && !why.kind)
		add_nest(gathering, nest, measured);
	else
		skip(gathering->set, &why);
}

/* Adds all measurements of one description from the first on. Returns the index of the next description's. */
static int add_pipeline(struct gathering *gathering, int first)
{
	const struct measured *list = gathering->list;
	BW_SCOPED_TEXT text = {0};
	struct bw_error why = {0};
	struct bw_pipeline *pipeline = NULL;
	if (bw_results_description(gathering->results, list[first].description, &text, &why))
		pipeline = bw_pipeline_parse(list[first].description, bw_text_get(&text), text.length, &why);
	int i = first;
	for (; i < gathering->n && !strcmp(list[i].description, list[first].description); i++) {
		bool again = i > first && !strcmp(list[i].schedule, list[i - 1].schedule);
		if (pipeline && !again)
			add(gathering, pipeline, &list[i]);
		else if (!again)
			skip(gathering->set, &why);
	}
	bw_pipeline_free(pipeline);
	return i;
}

static bool gather(struct gathering *gathering, struct bw_error *error)
{
	const struct bw_arguments *arguments = &gathering->program->arguments;
	char since[BW_TIME_SIZE] = "";
	if (arguments->since && !bw_program_since(arguments->since, since, error))
		return false;
	struct bw_results_filter filter = {.pipeline = arguments->pipeline,
					   .device = arguments->device,
					   .since = arguments->since ? since : NULL};
	if (bw_results_each(gathering->results, &filter, take, gathering, error) < 0 ||
	    !find_device(gathering, error))
		return false;
	qsort(gathering->list, (size_t)gathering->n, sizeof *gathering->list, compare);
	for (int i = 0; i < gathering->n;)
		i = add_pipeline(gathering, i);
	bw_samples_drop_empty(&gathering->set->samples);
	return bw_samples_count(&gathering->set->samples) ||
	       bw_fail(error, BW_ERROR_INPUT, "none of %d measurements can be trained on: %s", gathering->n,
		       gathering->set->why);
}

/* Gathers the stored measurements that the command line selects, the fastest of each schedule. Reads
 * descriptions and schedules and computes the features again. Returns false with an error if there are
 * none, or if they are from several devices. */
static bool train_gather(struct bw_program *program, struct bw_train_set *set, struct bw_error *error)
{
	struct gathering gathering = {.program = program, .set = set};
	BW_SCOPED_TEXT notice = {0};
	const char *path = program->layout.results;
	if (access(path, F_OK) != 0)
		return bw_fail(error, BW_ERROR_INPUT, "%s: no measurement is stored yet", path);
	gathering.results = bw_results_open(path, false, BUSY_MS, &notice, error);
	bool good = gathering.results && gather(&gathering, error);
	if (notice.length)
		fprintf(stderr, "beamwalk: %s", bw_text_get(&notice));
	for (int i = 0; i < gathering.n; i++) {
		free(gathering.list[i].description);
		free(gathering.list[i].schedule);
		free(gathering.list[i].name);
		free(gathering.list[i].target);
	}
	free(gathering.list);
	bw_results_close(gathering.results);
	return good;
}

/* The report of a training: a row for each pipeline, on how well it is predicted when trained on and when
 * held out. */

/* Computes how well the best weights of a training predict a pipeline. */
static void train_judge(const struct bw_training *training, const struct bw_train_run *run, int pipeline,
			   struct bw_goodness *goodness)
{
	BW_SCOPED_MEMORY struct bw_network *network = BW_NEW(struct bw_network);
	bw_network_prepare(network, &training->best.parameters);
	*goodness = bw_network_judge(network, run->options.sms, &run->set.samples.pipelines[pipeline]);
}

static void put_row(const char *name, const char *kind, const struct bw_goodness *goodness,
		    struct bw_text *out)
{
	bw_text_printf(out, "%-32s %-9s %6d", name, kind, goodness->n);
#define X(field, key, words, format, meaning) \
	if (isnan(goodness->field)) \
		bw_text_printf(out, " %8s", "-"); \
	else { \
		struct bw_text figure = {0}; \
		bw_text_printf(&figure, format, goodness->field); \
		bw_text_printf(out, " %8s", bw_text_get(&figure)); \
		bw_text_free(&figure); \
	}
	BW_GOODNESS_TABLE(X)
#undef X
	bw_text_puts(out, "\n");
}

static json_t *row_json(const char *name, bool held, const struct bw_goodness *goodness)
{
	json_t *row = json_pack("{s:s, s:b, s:i}", "pipeline", name, "held_out", held, "schedules", goodness->n);
#define X(field, key, words, format, meaning) \
	json_object_set_new(row, key, bw_json_real(goodness->field));
	BW_GOODNESS_TABLE(X)
#undef X
	return row;
}

/* Where a report is written: to JSON rows, or to a table. Has a row for each pipeline, as trained on or
 * held out, and the means of both. */
struct report {
	json_t *rows; /* NULL: a table */
	struct bw_text *out;
};

static void put(const struct report *report, const char *name, bool held, const struct bw_goodness *goodness)
{
	if (report->rows)
		json_array_append_new(report->rows, row_json(name, held, goodness));
	else
		put_row(name, held ? "held out" : "trained", goodness, report->out);
}

static void put_all(const struct bw_train_run *run, const struct bw_training *training,
		    const struct report *report)
{
	const struct bw_samples *samples = &run->set.samples;
	struct bw_goodness *lists[2] = {BW_NEW_ARRAY(struct bw_goodness, samples->n),
					BW_NEW_ARRAY(struct bw_goodness, samples->n)};
	int n[2] = {0};
	for (int p = 0; p < samples->n; p++) {
		struct bw_goodness goodness;
		train_judge(training, run, p, &goodness);
		bool held = p == run->options.hold_out;
		lists[held][n[held]++] = goodness;
		put(report, samples->pipelines[p].name, held, &goodness);
		if (run->is_held[p]) {
			lists[1][n[1]++] = run->held[p];
			put(report, samples->pipelines[p].name, true, &run->held[p]);
		}
	}
	for (int held = 0; held < 2; held++) {
		struct bw_goodness mean = bw_goodness_mean(lists[held], n[held]);
		if (n[held] > 1)
			put(report, "mean", held, &mean);
		free(lists[held]);
	}
}

/* Appends the report, a table or JSON. */
static void train_report(const struct bw_train_run *run, const struct bw_training *training,
			    const struct bw_weights *weights, struct bw_text *out)
{
	const struct bw_device *device = run->set.device;
	const struct bw_weights_origin *origin = &weights->origin;
	struct report report = {run->program->arguments.json ? json_array() : NULL, out};
	if (!report.rows) {
		bw_text_printf(
		    out,
		    "%lld schedules of %lld pipelines, measured on %s%s; %lld epochs; kept: epoch %lld, loss %.5f (the last: %.5f); weights %08llx\n\n",
		    (long long)origin->samples, (long long)origin->pipelines, device->name,
		    bw_device_mark(device), (long long)training->now.epochs, (long long)training->best.epochs,
		    training->best.loss, training->now.loss,
		    (unsigned long long)(bw_weights_hash(weights) >> 32));
		bw_text_printf(out, "%-32s %-9s %6s", "pipeline", "", "n");
#define X(field, key, words, format, meaning) bw_text_printf(out, " %8s", words);
		BW_GOODNESS_TABLE(X)
#undef X
		bw_text_puts(out, "\n");
	}
	put_all(run, training, &report);
	if (!report.rows)
		return;
	char hash[32];
	snprintf(hash, sizeof hash, "%016llx", (unsigned long long)bw_weights_hash(weights));
	json_t *all = json_pack(
	    "{s:i, s:s, s:b, s:I, s:I, s:f, s:I, s:I, s:f, s:s, s:o}", "beamwalk-training", 1, "device",
	    device->name, "cpu", device->cpu, "schedules", (json_int_t)origin->samples, "epochs",
	    (json_int_t)training->now.epochs, "last_loss", training->now.loss, "kept_epoch",
	    (json_int_t)training->best.epochs, "steps", (json_int_t)training->best.steps, "loss",
	    training->best.loss, "weights", hash, "pipelines", report.rows);
	bw_json_put_line(out, all, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
}

enum { DEFAULT_EPOCHS = 300, TOLD_EPOCHS = 20, MOST_CHECKPOINT = 1 << 20 };
#define DEFAULT_RATE 0.01

/* Finds the pipeline to hold out by its name or the beginning of its description's hash. */
static bool find_held(struct bw_train_run *run, const char *name, struct bw_error *error)
{
	const struct bw_samples *samples = &run->set.samples;
	run->each = !strcmp(name, "each");
	for (int p = 0; p < samples->n && !run->each; p++) {
		const char *known = samples->pipelines[p].name, *hash = strrchr(known, ' ') + 1;
		bool same =
		    ((size_t)(hash - 1 - known) == strlen(name) && !strncmp(known, name, strlen(name))) ||
		    (strlen(name) >= 4 && !strncmp(hash, name, strlen(name)));
		if (same && run->options.hold_out >= 0)
			return bw_fail(error, BW_ERROR_USAGE, "--hold-out: \"%s\" could be %s or %s", name,
				       samples->pipelines[run->options.hold_out].name, known);
		if (same)
			run->options.hold_out = p;
	}
	if (!run->each && run->options.hold_out < 0)
		return bw_fail(error, BW_ERROR_INPUT, "--hold-out: there are no measurements of a pipeline \"%s\"", name);
	return samples->n > 1 ||
	       bw_fail(error, BW_ERROR_INPUT, "--hold-out: nothing is left to train on without %s",
		       samples->pipelines[0].name);
}

static bool read_options(struct bw_train_run *run, struct bw_error *error)
{
	const struct bw_arguments *arguments = &run->program->arguments;
	struct bw_settings said;
	long epochs = DEFAULT_EPOCHS;
	run->options = bw_training_options_default();
	run->options.rate = DEFAULT_RATE;
	run->options.sms = run->set.device->sms;
	if (!bw_program_options(run->program, &said, error) ||
	    !bw_arguments_number(arguments->epochs, "epochs", 1, 10000000, &epochs, error) ||
	    !bw_arguments_real(arguments->rate, "rate", false, 10, &run->options.rate, error))
		return false;
	run->options.epochs = (int)epochs;
	run->options.seed = said.seed;
	if (said.weights)
		run->start = said.weights->learned->weights;
	else
		bw_weights_draw(&run->start, said.seed);
	return !arguments->hold_out || find_held(run, arguments->hold_out, error);
}

/* Writes a checkpoint. */
static bool keep(const struct bw_train_run *run, const struct bw_training *training, struct bw_error *error)
{
	BW_SCOPED_TEXT text = {0};
	bw_training_print(training, &run->set.samples, &run->options, &text);
	return bw_file_write(run->checkpoint, bw_text_get(&text), text.length, error);
}

/* Begins with the initial weights, or with the checkpoint if it is requested and exists. */
static bool begin(const struct bw_train_run *run, const struct bw_training_options *options, bool resumes,
		  struct bw_training *training, struct bw_error *error)
{
	bw_training_begin(training, &run->start, &run->set.samples, options);
	if (!resumes || access(run->checkpoint, F_OK) != 0)
		return true;
	BW_SCOPED_TEXT text = {0};
	bool good = bw_file_read(run->checkpoint, MOST_CHECKPOINT, &text, error) &&
		    bw_training_parse(run->checkpoint, bw_text_get(&text), text.length, &run->set.samples,
				      options, training, error);
	if (good)
		fprintf(stderr, "beamwalk: continuing after epoch %lld\n", (long long)training->now.epochs);
	return good;
}

static void tell(const struct bw_training *training, const struct bw_training_options *options)
{
	fprintf(stderr, "beamwalk: epoch %lld of %d: loss %.5f, the lowest %.5f after epoch %lld\n",
		(long long)training->now.epochs, options->epochs, training->now.loss, training->best.loss,
		(long long)training->best.epochs);
}

/* Trains up to the last epoch. kept: write a checkpoint about once a second. */
static bool train(const struct bw_train_run *run, const struct bw_training_options *options, bool kept,
		  struct bw_training *training, struct bw_error *error)
{
	time_t written = time(NULL);
	while (training->now.epochs < options->epochs) {
		bw_training_epoch(training, &run->set.samples, options);
		bool last = training->now.epochs == options->epochs;
		if (kept && (training->now.epochs % TOLD_EPOCHS == 0 || last))
			tell(training, options);
		bool stopped = bw_program_interrupted(run->interrupts);
		if (kept && (stopped || time(NULL) != written || last) && !keep(run, training, error))
			return false;
		written = time(NULL);
		if (stopped && kept)
			fprintf(stderr, "beamwalk: stopped after epoch %lld; --resume continues\n",
				(long long)training->now.epochs);
		if (stopped)
			return bw_fail(error, BW_ERROR_STOPPED, "stopped");
	}
	return true;
}

/* Trains without each pipeline in turn, from the initial weights. */
static bool hold_out_each(struct bw_train_run *run, struct bw_error *error)
{
	BW_SCOPED_MEMORY struct bw_training *training = BW_NEW(struct bw_training);
	bool good = true;
	for (int p = 0; p < run->set.samples.n && good; p++) {
		struct bw_training_options options = run->options;
		options.hold_out = p;
		good = begin(run, &options, false, training, error) && train(run, &options, false, training, error);
		train_judge(training, run, p, &run->held[p]);
		run->is_held[p] = good;
		fprintf(stderr, "beamwalk: without %s: loss %.5f\n", run->set.samples.pipelines[p].name,
			training->best.loss);
	}
	return good;
}

/* Returns the best weights of a training with their origin. */
static struct bw_weights finished(const struct bw_train_run *run, const struct bw_training *training)
{
	struct bw_weights weights = run->start;
	bw_parameters_round(&training->best.parameters, &weights);
	weights.origin = (struct bw_weights_origin){
	    .known = true, .cpu = run->set.device->cpu, .steps = training->best.steps};
	snprintf(weights.origin.device, sizeof weights.origin.device, "%s", run->set.device->name);
	for (int p = 0; p < run->set.samples.n; p++)
		if (p != run->options.hold_out) {
			weights.origin.pipelines++;
			weights.origin.samples += run->set.samples.pipelines[p].n;
		}
	return weights;
}

static bool run_all(struct bw_train_run *run, struct bw_error *error)
{
	const struct bw_arguments *arguments = &run->program->arguments;
	BW_SCOPED_MEMORY struct bw_training *training = BW_NEW(struct bw_training);
	BW_SCOPED_TEXT out = {0};
	bool good = (!run->each || hold_out_each(run, error)) &&
		    begin(run, &run->options, arguments->resume, training, error) &&
		    train(run, &run->options, true, training, error);
	if (good) {
		struct bw_weights weights = finished(run, training);
		train_report(run, training, &weights, &out);
		good = bw_weights_write(arguments->output, &weights, error) &&
		       bw_output_put(bw_text_get(&out), out.length, error);
	}
	return good;
}

bool bw_program_train(struct bw_program *program, struct bw_error *error)
{
	struct bw_train_run run = {.program = program};
	if (!program->arguments.output)
		return bw_fail(error, BW_ERROR_USAGE, "train: no file for the weights; give --output FILE");
	if ((run.interrupts = bw_program_interrupts(true, error)) < 0)
		return false;
	run.checkpoint = bw_format("%s.training", program->arguments.output);
	bool good = train_gather(program, &run.set, error) && read_options(&run, error);
	if (run.set.skipped)
		fprintf(stderr, "beamwalk: %d measurement%s cannot be trained on: %s%s\n", run.set.skipped,
			run.set.skipped == 1 ? "" : "s", run.set.why, run.set.skipped > 1 ? ", ..." : "");
	run.held = BW_NEW_ARRAY(struct bw_goodness, run.set.samples.n);
	run.is_held = BW_NEW_ARRAY(bool, run.set.samples.n);
	good = good && run_all(&run, error);
	close(run.interrupts);
	free(run.held);
	free(run.is_held);
	free(run.checkpoint);
	bw_samples_free(&run.set.samples);
	return good;
}
