/* What training reports: a row for each pipeline, as trained on and as held out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "program/train.h"

void bw_train_judge(const struct bw_training *training, const struct bw_train_run *run, int pipeline,
		    struct bw_goodness *goodness)
{
	struct bw_network *network = BW_NEW(struct bw_network);
	bw_network_prepare(network, &training->best.parameters);
	*goodness = bw_network_judge(network, run->options.sms, &run->set.samples.pipelines[pipeline]);
	free(network);
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

/* What a report has: each pipeline, as trained on or held out; means of both. */
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
		bw_train_judge(training, run, p, &goodness);
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

void bw_train_report(const struct bw_train_run *run, const struct bw_training *training,
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
