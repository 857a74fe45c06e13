/* Compares the order of schedules by predicted cost with their order by measured time. A file holds one
 * pipeline: the source of its times, device records, the pipeline's description, and its schedules in text
 * form with their times. */
#include <limits.h>
#include <math.h>

#include "base/arith.h"
#include "base/file.h"
#include "cost/counted.h"
#include "program/program.h"
#include "results/results.h"

enum { MOST_BYTES = 64 << 20 };

/* The contents of a file. */
struct truth {
	struct bw_json *json;
	struct bw_json_at root, list; /* list: the schedules */
	const char *source;
	struct bw_device *devices, *device; /* device: the last record, which the file adds */
	int n_devices;
	struct bw_pipeline *pipeline;
	struct bw_nest **nests; /* n of them */
	double *ms;
	struct bw_counted_cost *counted; /* what the counts come to; ms NAN: the file has none of this schedule */
	const char **names;
	size_t n;
};

static void end_truth(struct truth *truth)
{
	for (size_t k = 0; truth->nests && k < truth->n; k++)
		bw_nest_drop(truth->nests[k]);
	free(truth->nests);
	free(truth->ms);
	free(truth->counted);
	free(truth->names);
	bw_pipeline_free(truth->pipeline);
	free(truth->devices);
	bw_json_free(truth->json);
}

/* Returns a member as text; free(). Returns NULL with an error. */
static char *member_text(const struct truth *truth, const char *key, struct bw_error *error)
{
	struct bw_json_at at;
	return bw_json_get(&truth->root, key, &at, error) ? json_dumps(at.value, JSON_COMPACT) : NULL;
}

static bool read_device(const struct bw_program *program, struct truth *truth, const char *file,
			struct bw_error *error)
{
	BW_SCOPED_MEMORY char *text = member_text(truth, "devices", error);
	if (!text)
		return false;
	truth->devices = bw_devices_parse_over(program->devices, program->n_devices, file, text, strlen(text),
					       &truth->n_devices, error);
	truth->device = truth->devices ? &truth->devices[truth->n_devices - 1] : NULL;
	return truth->devices;
}

static bool read_pipeline(struct truth *truth, const char *file, struct bw_error *error)
{
	BW_SCOPED_MEMORY char *text = member_text(truth, "description", error);
	truth->pipeline = text ? bw_pipeline_parse(file, text, strlen(text), error) : NULL;
	return truth->pipeline;
}

/* Reads a count. A missing count is 0. */
static bool read_count(const struct bw_json_at *kernel, const char *key, int64_t *count,
		       struct bw_error *error)
{
	struct bw_json_at at;
	*count = 0;
	return !bw_json_has(kernel, key, &at) || bw_json_int(&at, 0, INT64_MAX / 2, count, error);
}

/* Adds the time that is estimated from a kernel's counts. */
static bool add_counted(const struct bw_device *device, const struct bw_json_at *kernel,
			struct bw_counted_cost *sum, struct bw_error *error)
{
	struct bw_counts counts;
	struct bw_counted_launches of = {.counts = &counts};
	int64_t blocks, registers, count;
	if (!read_count(kernel, "blocks", &blocks, error) || !read_count(kernel, "threads", &of.threads, error) ||
	    !read_count(kernel, "registers", &registers, error) ||
	    !read_count(kernel, "shared_bytes", &of.shared_bytes, error) ||
	    !read_count(kernel, "launches", &of.launches, error))
		return false;
	of.blocks = blocks > 0 ? (double)blocks : 1;
	of.registers = (int)bw_min(registers, INT_MAX);
#define X(field, metric, text) \
	if (!read_count(kernel, metric, &count, error)) \
		return false; \
	counts.field = (uint64_t)count;
	BW_COUNT_TABLE(X)
#undef X
	struct bw_counted_cost cost = bw_counted_estimate(&of, device);
	sum->ms += cost.ms;
	for (int p = 0; p < BW_N_COUNTED_PARTS; p++)
		sum->parts[p] += cost.parts[p];
	return true;
}

/* Reads the counts of schedule k, if the file has any. */
static bool read_counted(struct truth *truth, size_t k, const struct bw_json_at *schedule,
			 struct bw_error *error)
{
	struct bw_json_at list;
	size_t n;
	truth->counted[k] = (struct bw_counted_cost){.ms = (double)NAN};
	if (!bw_json_has(schedule, "kernels", &list))
		return true;
	if (!bw_json_length(&list, &n, error))
		return false;
	truth->counted[k].ms = 0;
	for (size_t i = 0; i < n; i++) {
		struct bw_json_at kernel = bw_json_element(&list, i);
		if (!add_counted(truth->device, &kernel, &truth->counted[k], error))
			return false;
	}
	return true;
}

/* Reads schedule k and its time. */
static bool read_schedule(struct truth *truth, size_t k, const char *file, struct bw_error *error)
{
	struct bw_json_at element = bw_json_element(&truth->list, k);
	const char *text;
	bool stale = false;
	if (!bw_json_get_string(&element, "name", &truth->names[k], error) ||
	    !bw_json_get_number(&element, "ms", &truth->ms[k], error) ||
	    !read_counted(truth, k, &element, error) || !bw_json_get_string(&element, "text", &text, error))
		return false;
	struct bw_schedule *schedule =
	    bw_schedule_parse(truth->pipeline, truth->names[k], text, strlen(text), &stale, error);
	if (schedule && stale)
		bw_fail(error, BW_ERROR_INPUT, "%s: schedule %s is of another algorithm than the description",
			file, truth->names[k]);
	truth->nests[k] = schedule && !stale ? bw_schedule_nest(truth->pipeline, schedule, error) : NULL;
	bw_schedule_drop(schedule);
	return truth->nests[k];
}

static bool read_truth(const struct bw_program *program, const char *file, struct truth *truth,
		       struct bw_error *error)
{
	BW_SCOPED_TEXT text = {0};
	int64_t number;
	bool good = bw_file_read(file, MOST_BYTES, &text, error);
	truth->json = good ? bw_json_parse(file, bw_text_get(&text), text.length, error) : NULL;
	if (!truth->json)
		return false;
	truth->root = bw_json_root(truth->json);
	if (!bw_json_get_int(&truth->root, "beamwalk-truth", 1, 1, &number, error) ||
	    !bw_json_get_string(&truth->root, "source", &truth->source, error) ||
	    !read_device(program, truth, file, error) || !read_pipeline(truth, file, error) ||
	    !bw_json_get_list(&truth->root, "schedules", &truth->list, &truth->n, error))
		return false;
	truth->nests = BW_NEW_ARRAY(struct bw_nest *, truth->n + 1);
	truth->ms = BW_NEW_ARRAY(double, truth->n + 1);
	truth->counted = BW_NEW_ARRAY(struct bw_counted_cost, truth->n + 1);
	truth->names = BW_NEW_ARRAY(const char *, truth->n + 1);
	for (size_t k = 0; k < truth->n && good; k++)
		good = read_schedule(truth, k, file, error);
	return good;
}

/* Returns the predicted cost and the measured time of each schedule, as pairs; free(). If the model is
 * NULL, the prediction is the time that is estimated from the counts. */
static struct bw_pair *predict(const struct truth *truth, const struct bw_cost_model *model)
{
	struct bw_pair *pairs = BW_NEW_ARRAY(struct bw_pair, truth->n + 1);
	BW_SCOPED_ARENA *arena = bw_arena_new();
	for (size_t k = 0; k < truth->n; k++)
		pairs[k] = (struct bw_pair){model ? bw_cost_of(model, truth->nests[k], truth->device, arena).total
						  : truth->counted[k].ms,
					    truth->ms[k]};
	return pairs;
}

/* Appends the three largest of n values with their names. */
static void put_largest(const double *values, const char *const *names, int n, struct bw_text *out)
{
	double last = INFINITY;
	for (int turn = 0, at = -1; turn < 3; turn++, last = values[at], at = -1) {
		for (int k = 0; k < n; k++)
			if (values[k] > 0 && values[k] < last && (at < 0 || values[k] > values[at]))
				at = k;
		if (at < 0)
			return;
		bw_text_printf(out, "%s %s %.3g", turn ? "," : "", names[at], values[at]);
	}
}

/* Appends a model's terms for an outlier beside the counted values. The comparison shows which terms are
 * wrong. */
static void put_outlier(const struct truth *truth, const struct bw_cost_model *model, const char *words,
			int k, double predicted, struct bw_text *out)
{
	static const char *const parts[] = {BW_COUNTED_PART_TABLE(BW_THIRD)};
	bw_text_printf(out, "%-20s %s: %s, %.3g for %.3g ms:", "", words, truth->names[k], predicted, truth->ms[k]);
	if (model) {
		BW_SCOPED_ARENA *arena = bw_arena_new();
		struct bw_cost cost = bw_cost_of(model, truth->nests[k], truth->device, arena);
		double terms[BW_MOST_TERMS] = {0};
		const char *names[BW_MOST_TERMS];
		for (int t = 0; t < model->n_terms; t++) {
			names[t] = model->terms[t].name;
			for (int s = 0; s < cost.n; s++)
				terms[t] += cost.stages[s].terms[t];
		}
		put_largest(terms, names, model->n_terms, out);
	}
	if (isfinite(truth->counted[k].ms)) {
		bw_text_puts(out, model ? "; counted:" : "");
		put_largest(truth->counted[k].parts, parts, BW_N_COUNTED_PARTS, out);
	}
	bw_text_puts(out, "\n");
}

/* Appends how well a model orders the schedules, as a row of text or to the JSON list. A model of NULL
 * means the estimate from the counts. */
static void judge(const struct truth *truth, const struct bw_cost_model *model, bool plot, json_t *list,
		  struct bw_text *out)
{
	BW_SCOPED_MEMORY struct bw_pair *pairs = predict(truth, model);
	struct bw_agreement agreement = bw_agreement_of(pairs, (int)truth->n);
	const char *title = model ? model->title : "counted",
		   *choice = agreement.n ? truth->names[agreement.choice] : "",
		   *best = agreement.n ? truth->names[agreement.best] : "",
		   *over = agreement.n ? truth->names[agreement.over] : "",
		   *under = agreement.n ? truth->names[agreement.under] : "";
	if (list)
		json_array_append_new(
		    list, json_pack("{s:s, s:s, s:i, s:o, s:o, s:o, s:o, s:s, s:s, s:s, s:s}", "pipeline",
				    truth->pipeline->name, "model", title, "schedules", agreement.n, "right_pairs",
				    bw_json_real(agreement.right), "kendall_tau", bw_json_real(agreement.tau), "spearman_rho",
				    bw_json_real(agreement.rho), "regret", bw_json_real(agreement.regret), "choice", choice,
				    "fastest", best, "predicted_too_long", over, "predicted_too_short", under));
	else
		bw_text_printf(out, "%-20s %-30s %4d %7.3f %7.3f %7.3f %7.3f  %s; fastest %s\n",
			       truth->pipeline->name, title, agreement.n, agreement.right,
			       agreement.tau, agreement.rho, agreement.regret, choice, best);
	if (plot && !list && agreement.n) {
		put_outlier(truth, model, "predicted too long", agreement.over, pairs[agreement.over].predicted, out);
		put_outlier(truth, model, "too short", agreement.under, pairs[agreement.under].predicted, out);
		bw_scatter_put(&(struct bw_scatter){"measured, ms", "predicted", 60, 12, false}, pairs, (int)truth->n, out);
	}
}

/* Returns true if every schedule has counts. */
static bool has_counts(const struct truth *truth)
{
	for (size_t k = 0; k < truth->n; k++)
		if (!isfinite(truth->counted[k].ms))
			return false;
	return truth->n > 0;
}

bool bw_program_trust(struct bw_program *program, struct bw_error *error)
{
	const struct bw_arguments *arguments = &program->arguments;
	struct bw_settings options;
	BW_SCOPED_TEXT out = {0};
	if (!bw_program_options(program, &options, error))
		return false;
	if (!arguments->n_rest)
		return bw_fail(
		    error, BW_ERROR_USAGE,
		    "trust in which measurements? A file of them holds the schedules of one pipeline (data/truth)");
	json_t *list = arguments->json ? json_array() : NULL;
	bool good = true;
	if (!list)
		bw_text_printf(&out, "%-20s %-30s %4s %7s %7s %7s %7s  %s\n", "pipeline", "model", "n",
			       "right", "tau", "rho", "regret", "choice");
	for (int k = 0; k < arguments->n_rest && good; k++) {
		struct truth truth = {0};
		good = read_truth(program, arguments->rest[k], &truth, error);
		if (good)
			judge(&truth, &bw_roofline, arguments->n_rest == 1, list, &out);
		if (good)
			judge(&truth, &bw_latency_model, arguments->n_rest == 1, list, &out);
		if (good && has_counts(&truth))
			judge(&truth, NULL, arguments->n_rest == 1, list, &out);
		if (good && options.weights)
			judge(&truth, options.weights, arguments->n_rest == 1, list, &out);
		end_truth(&truth);
	}
	if (list) {
		bw_json_put_line(&out, list, JSON_INDENT(1));
	}
	return good && bw_program_put(program, &out, error);
}
