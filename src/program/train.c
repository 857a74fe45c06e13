/* Trains the learned cost model on stored measurements. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "program/train.h"

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
	struct bw_text text = {0};
	bw_training_print(training, &run->set.samples, &run->options, &text);
	bool good = bw_file_write(run->checkpoint, bw_text_get(&text), text.length, error);
	bw_text_free(&text);
	return good;
}

/* Begins with the initial weights, or with the checkpoint if it is requested and exists. */
static bool begin(const struct bw_train_run *run, const struct bw_training_options *options, bool resumes,
		  struct bw_training *training, struct bw_error *error)
{
	bw_training_begin(training, &run->start, &run->set.samples, options);
	if (!resumes || access(run->checkpoint, F_OK) != 0)
		return true;
	struct bw_text text = {0};
	bool good = bw_file_read(run->checkpoint, MOST_CHECKPOINT, &text, error) &&
		    bw_training_parse(run->checkpoint, bw_text_get(&text), text.length, &run->set.samples,
				      options, training, error);
	bw_text_free(&text);
	if (good)
		fprintf(stderr, "beamwalk: continuing after epoch %lld\n", (long long)training->now.epochs);
	return good;
}

/* Returns true if ^C, which is blocked, was pressed. */
static bool is_stopped(void)
{
	sigset_t pending;
	return sigpending(&pending) == 0 && sigismember(&pending, SIGINT) == 1;
}

static void tell(const struct bw_training *training, const struct bw_training_options *options)
{
	fprintf(stderr, "beamwalk: epoch %lld of %d: loss %.5f, the lowest %.5f after epoch %lld\n",
		(long long)training->now.epochs, options->epochs, training->now.loss, training->best.loss,
		(long long)training->best.epochs);
}

/* Trains up to the last epoch. kept: writes a checkpoint about once a second. */
static bool train(const struct bw_train_run *run, const struct bw_training_options *options, bool kept,
		  struct bw_training *training, struct bw_error *error)
{
	time_t written = time(NULL);
	while (training->now.epochs < options->epochs) {
		bw_training_epoch(training, &run->set.samples, options);
		bool last = training->now.epochs == options->epochs;
		if (kept && (training->now.epochs % TOLD_EPOCHS == 0 || last))
			tell(training, options);
		bool stopped = is_stopped();
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
	struct bw_training *training = BW_NEW(struct bw_training);
	bool good = true;
	for (int p = 0; p < run->set.samples.n && good; p++) {
		struct bw_training_options options = run->options;
		options.hold_out = p;
		good = begin(run, &options, false, training, error) && train(run, &options, false, training, error);
		bw_train_judge(training, run, p, &run->held[p]);
		run->is_held[p] = good;
		fprintf(stderr, "beamwalk: without %s: loss %.5f\n", run->set.samples.pipelines[p].name,
			training->best.loss);
	}
	free(training);
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
	struct bw_training *training = BW_NEW(struct bw_training);
	struct bw_text out = {0};
	bool good = (!run->each || hold_out_each(run, error)) &&
		    begin(run, &run->options, arguments->resume, training, error) &&
		    train(run, &run->options, true, training, error);
	if (good) {
		struct bw_weights weights = finished(run, training);
		bw_train_report(run, training, &weights, &out);
		good = bw_weights_write(arguments->output, &weights, error) &&
		       bw_output_put(bw_text_get(&out), out.length, error);
	}
	bw_text_free(&out);
	free(training);
	return good;
}

bool bw_program_train(struct bw_program *program, struct bw_error *error)
{
	struct bw_train_run run = {.program = program};
	struct bw_text checkpoint = {0};
	sigset_t interrupt;
	if (!program->arguments.output)
		return bw_fail(error, BW_ERROR_USAGE, "train: no file for the weights; give --output FILE");
	sigemptyset(&interrupt);
	sigaddset(&interrupt, SIGINT);
	sigprocmask(SIG_BLOCK, &interrupt, NULL);
	bw_text_printf(&checkpoint, "%s.training", program->arguments.output);
	run.checkpoint = bw_text_take(&checkpoint);
	bool good = bw_train_gather(program, &run.set, error) && read_options(&run, error);
	if (run.set.skipped)
		fprintf(stderr, "beamwalk: %d measurement%s cannot be trained on: %s%s\n", run.set.skipped,
			run.set.skipped == 1 ? "" : "s", run.set.why, run.set.skipped > 1 ? ", ..." : "");
	run.held = BW_NEW_ARRAY(struct bw_goodness, run.set.samples.n);
	run.is_held = BW_NEW_ARRAY(bool, run.set.samples.n);
	good = good && run_all(&run, error);
	free(run.held);
	free(run.is_held);
	free(run.checkpoint);
	bw_samples_free(&run.set.samples);
	return good;
}
