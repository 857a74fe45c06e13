/* Times schedules, and counts their instructions and memory accesses on the emulated device. */
#include <float.h>
#include <math.h>
#include <unistd.h>

#include "base/file.h"
#include "base/say.h"
#include "program/program.h"
#include "results/ncu.h"
#include "session/call.h"
#include "session/comparison.h"
#include "session/counters.h"

enum { DIFFERENCE = 500 }; /* bytes of the words for how outputs differ */

static json_t *kernels_object(const struct bw_kernel_uses *uses)
{
	json_t *list = json_array();
	for (int k = 0; k < uses->n; k++) {
		const struct bw_kernel_use *use = &uses->list[k];
		json_t *kernel = json_pack(
		    "{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "name", use->name, "registers_per_thread",
		    bw_json_count(use->registers), "local_bytes_per_thread", bw_json_count(use->local_bytes),
		    "shared_bytes_per_block", bw_json_count(use->shared_bytes), "most_threads_per_block",
		    bw_json_count(use->block_threads), "launches", bw_json_count(use->launches), "ms",
		    bw_json_real(use->ms < 0 ? (double)NAN : use->ms));
		json_array_append_new(list, kernel);
	}
	return list;
}

/* Returns the time that is estimated from the emulated device's counts. Returns JSON null if nothing was
 * counted. */
static json_t *estimate(const struct bw_session *session, const struct bw_timing *timing)
{
	if (!timing->counted)
		return json_null();
	struct bw_counted_cost cost = bw_counted_total(session, timing);
	return bw_counted_cost_json(session, &cost);
}

static void print_json(const struct bw_session *session, const struct bw_timing *timing, struct bw_text *out)
{
	const struct bw_measurement *m = &timing->measurement;
	json_t *line = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:i, s:s, s:b, s:I, s:o, s:s}", "schedule", timing->label, "verdict", bw_verdict_name(m->verdict),
	                         "minimum_ms", bw_json_real(m->minimum), "median_ms", bw_json_real(m->median), "spread", bw_json_real(m->spread), "predicted_ms", bw_json_real(timing->predicted > 0 ? timing->predicted : (double)NAN), "runs", m->runs,
	                         "device", m->device, "cpu", m->cpu, "mismatches", (json_int_t)m->mismatches, "worst", bw_json_real(m->worst), "method", m->method);
	json_object_set_new(line, "driver", json_string(m->driver));
	json_object_set_new(line, "clock_hz", m->clock > 0 ? json_real(m->clock) : json_null());
	json_object_set_new(line, "register_limit_per_thread",
			    m->kernels.register_limit ? json_integer(m->kernels.register_limit)
						      : json_null());
	json_object_set_new(line, "kernels", kernels_object(&m->kernels));
	json_object_set_new(line, "estimate", estimate(session, timing));
	BW_SCOPED_TEXT notes = {0};
	bw_counted_notes(timing, "", &notes);
	json_object_set_new(line, "notes", json_string(bw_text_get(&notes)));
	json_object_set_new(line, "differing", json_integer((json_int_t)m->differing));
	json_object_set_new(line, "points", json_integer((json_int_t)m->points));
	json_object_set_new(line, "skipped", json_real(m->skipped));
	json_object_set_new(line, "largest_difference", m->largest < DBL_MAX ? json_real(m->largest) : json_null());
	json_object_set_new(line, "worst_at", json_string(m->where));
	json_object_set_new(line, "region", json_string(m->region));
	json_object_set_new(line, "advice", json_string(m->advice));
	json_object_set_new(line, "attempts", json_integer(m->attempts));
	bw_json_put_line(out, line, JSON_COMPACT);
}

/* Appends the time that is estimated from the counts of an emulated GPU. This time is never a measurement. */
static void print_estimate(const struct bw_session *session, const struct bw_timing *timing,
			   struct bw_text *out)
{
	if (!timing->counted)
		return;
	struct bw_counted_cost cost = bw_counted_total(session, timing);
	bw_text_printf(out, "%-24s estimated for a GPU, not measured: ", "");
	bw_counted_cost_words(&cost, out);
	bw_text_puts(out, "\n");
}

static void print_timing(const struct bw_session *session, const struct bw_timing *timing, bool json,
			 struct bw_text *out)
{
	const struct bw_measurement *m = &timing->measurement;
	if (json) {
		print_json(session, timing, out);
	} else if (bw_verdict_differs(m->verdict)) {
		char words[DIFFERENCE];
		bw_difference_words(m, words, sizeof words);
		bw_text_printf(out, "%-24s %s  %s\n", timing->label,
			       m->verdict == BW_UNSTABLE ? "UNSTABLE" : *m->advice ? "DIFFERS" : "WRONG", words);
	} else {
		bw_text_printf(
		    out, "%-24s %-18s minimum %.4f ms  median %.4f ms  spread %.1f%%  %s on %s%s\n",
		    timing->label, bw_verdict_name(m->verdict), m->minimum, m->median, 100 * m->spread,
		    bw_say_number(m->runs, "run").text, m->device, bw_measurement_mark(m));
	}
	if (!json && m->skipped > 0)
		bw_text_printf(out, "%-24s by a sample of blocks: %.2g%% of the output was computed and compared\n", "",
			       100 * (1 - m->skipped));
	if (!json && m->attempts > 1)
		bw_text_printf(out, "%-24s tried twice: the first worker ended while it ran this schedule\n", "");
	if (!json)
		print_estimate(session, timing, out);
	if (!json)
		bw_counted_notes(timing, "                         ", out);
	if (!json && m->kernels.n) {
		bw_text_printf(out, "%-24s ", "");
		bw_kernel_uses_words(&m->kernels, out);
		bw_text_puts(out, "\n");
		if (m->kernels.n > 1)
			bw_kernel_times_words(&m->kernels, "                         ", out);
	}
}

/* Times a schedule file, or the generator's own schedule. */
static bool time_one(struct bw_program *program, const char *file, struct bw_text *out,
		     struct bw_error *error)
{
	const struct bw_timing *timing = bw_program_wait(program->session, "time", file, error);
	if (!timing)
		return false;
	print_timing(program->session, timing, program->arguments.json, out);
	const struct bw_measurement *m = &timing->measurement;
	return !bw_verdict_differs(m->verdict) || bw_difference_fail(m, error) || bw_fail_in(error, "%s", file);
}

/* Reads --check: the errors that the emulated device looks for. */
static bool take_check(struct bw_program *program, struct bw_error *error)
{
	const char *words = program->arguments.check;
	struct bw_emulation emulation = program->session->emulation;
	if (!words)
		return true;
	if (!bw_device_emulated(program->session->options.device))
		return bw_fail(error, BW_ERROR_USAGE,
			       "--check %s: only the emulated device looks for these; add --gpu emulated",
			       words);
	for (const char *at = words; *at || at == words; at += strspn(at, ",")) {
		static const char *const known[] = {"race", "bounds", "init"};
		size_t length = strcspn(at, ","), k = 0;
		while (k < 3 && (strlen(known[k]) != length || memcmp(known[k], at, length)))
			k++;
		if (k == 3)
			return bw_fail(error, BW_ERROR_USAGE,
				       "--check takes race, bounds, init with commas between, not \"%s\"",
				       words);
		at += length;
	}
	if (strlen(words) >= sizeof emulation.check)
		return bw_fail(error, BW_ERROR_USAGE, "--check takes race, bounds, init once each, not \"%s\"", words);
	strcpy(emulation.check, words);
	bw_session_emulate(program->session, &emulation);
	return true;
}

bool bw_program_time(struct bw_program *program, struct bw_error *error)
{
	BW_SCOPED_TEXT out = {0};
	if (!bw_program_open(program, error))
		return false;
	if (!take_check(program, error))
		return false;
	if (!program->arguments.n_rest)
		return bw_fail(
		    error, BW_ERROR_USAGE,
		    "time which schedules? hand is the generator's own, and `beamwalk schedule %s -o FILE` writes one",
		    program->arguments.pipeline);
	if (program->session->source.bound_kept) {
		BW_SCOPED_TEXT bound = {0};
		bw_bound_print(&program->session->source.bound, &bound);
		fprintf(stderr,
			"beamwalk: bound of error %s, kept for this generator (--bound default forgets it)\n",
			bw_text_get(&bound));
	}
	bool good = true;
	bool counts = program->arguments.n_rest > 1 && isatty(STDERR_FILENO);
	for (int i = 0; i < program->arguments.n_rest; i++) {
		struct bw_error one = {0};
		if (counts)
			fprintf(stderr, "\r\033[K%d/%d", i + 1, program->arguments.n_rest);
		if (time_one(program, program->arguments.rest[i], &out, &one))
			continue;
		if (!good)
			fprintf(stderr, "beamwalk: %s\n", error->text);
		good = false;
		*error = one;
	}
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	struct bw_error ignored;
	return bw_program_put(program, &out, good ? error : &ignored) && good;
}

/* Counts the work of schedules on the emulated device. */

enum { NCU_BYTES = 64 << 20, SECTOR = 32, WAVEFRONT = 128, MOST_ROWS = 64 };

/* A metric per launch: the value that ncu measured, the counted value, and the predicted value (NAN: not
 * predicted). */
struct ncu_row {
	const struct bw_ncu_metric *metric;
	double ncu, counted, predicted;
};

static double predicted_of(const char *metric, const double predicted[BW_N_COUNTED])
{
	static const struct {
		const char *metric;
		enum bw_counted_figure figure;
		double bytes;
	} list[] = {
	    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", BW_COUNTED_GLOBAL_LOAD, SECTOR},
	    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", BW_COUNTED_GLOBAL_STORE, SECTOR},
	    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", BW_COUNTED_SHARED_LOAD, WAVEFRONT},
	    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", BW_COUNTED_SHARED_STORE, WAVEFRONT}};
	for (size_t k = 0; k < sizeof list / sizeof *list; k++)
		if (!strcmp(metric, list[k].metric))
			return predicted[list[k].figure] / list[k].bytes;
	return (double)NAN;
}

static struct ncu_row row_of(const struct bw_ncu_metric *metric, double counted, double predicted)
{
	return (struct ncu_row){metric, metric->sum / metric->n, counted, predicted};
}

/* Fills the rows of a kernel: the metrics that both ncu and the emulated device count, and the time.
 * Returns the number of rows. */
static int fill(const struct bw_session *session, const struct bw_counted_row *of,
		const struct bw_ncu_kernel *kernel, struct ncu_row rows[MOST_ROWS])
{
	const struct bw_ncu_metric *metric;
	double launches = of->of->launches > 0 ? (double)of->of->launches : 1;
	int n = 0;
#define X(field, name, text) \
	if ((metric = bw_ncu_metric(kernel, name)) && n < MOST_ROWS) \
		rows[n++] = row_of(metric, (double)of->counts.field / launches, \
				   predicted_of(name, of->predicted) / launches);
	BW_COUNT_TABLE(X)
#undef X
	if ((metric = bw_ncu_metric(kernel, "gpu__time_duration.sum")) && n < MOST_ROWS)
		rows[n++] = row_of(metric, bw_counted_time(session, of).ms * 1e-3 / launches, (double)NAN);
	return n;
}

static void print_rows(const struct ncu_row *rows, int n, struct bw_text *out)
{
	bw_text_printf(out, "  %-58s %-8s %12s %12s %9s %12s %9s\n", "per launch", "unit", "ncu", "emulated",
		       "ratio", "predicted", "ratio");
	for (int k = 0; k < n; k++) {
		const struct ncu_row *row = &rows[k];
		bw_text_printf(out, "  %-58s %-8s %12.6g %12.6g %9.3g", row->metric->name, row->metric->unit,
			       row->ncu, row->counted, row->ncu / row->counted);
		if (!isnan(row->predicted))
			bw_text_printf(out, " %12.6g %9.3g", row->predicted, row->ncu / row->predicted);
		bw_text_puts(out, "\n");
	}
}

static json_t *rows_json(const char *kernel, const struct ncu_row *rows, int n)
{
	json_t *list = json_array();
	for (int k = 0; k < n; k++)
		json_array_append_new(
		    list, json_pack("{s:s, s:s, s:f, s:f, s:o, s:o, s:o}", "metric", rows[k].metric->name,
				    "unit", rows[k].metric->unit, "ncu", rows[k].ncu, "emulated",
				    rows[k].counted, "ratio", bw_json_real(rows[k].ncu / rows[k].counted),
				    "predicted", bw_json_real(rows[k].predicted), "ratio_predicted",
				    bw_json_real(rows[k].ncu / rows[k].predicted)));
	return json_pack("{s:s, s:o}", "kernel", kernel, "metrics", list);
}

/* Compares Nsight Compute's counters (--ncu) with those of the emulated device and with the predictions.
 * Writes into the object `json`, or a table if json is NULL. */
static bool beside_ncu(struct bw_program *program, const struct bw_timing *timing, json_t *json,
		       struct bw_text *out, struct bw_error *error)
{
	const char *path = program->arguments.ncu;
	BW_SCOPED_TEXT text = {0};
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct bw_ncu ncu;
	if (!bw_file_read(path, NCU_BYTES, &text, error))
		return false;
	bool good = bw_ncu_read(path, bw_text_get(&text), &ncu, error);
	int n, found = 0;
	const struct bw_counted_row *rows = bw_counted_rows(program->session, timing, arena, &n);
	json_t *kernels = json_array();
	if (good && !json)
		bw_text_printf(out, "Nsight Compute (%s) beside the emulated device and the roofline model\n",
			       path);
	for (int k = 0; k < n && good; k++) {
		struct ncu_row list[MOST_ROWS];
		const struct bw_ncu_kernel *kernel =
		    rows[k].func ? NULL : bw_ncu_kernel(&ncu, rows[k].kernel, sizeof rows[k].of->name - 1);
		int n_list = kernel ? fill(program->session, &rows[k], kernel, list) : 0;
		found += kernel != NULL;
		if (!rows[k].func && !json)
			bw_text_printf(out, "%s%s\n", rows[k].kernel,
				       !kernel  ? ": not in the file"
				       : n_list ? ""
						: ": no metric that is counted here");
		if (n_list && !json)
			print_rows(list, n_list, out);
		if (kernel)
			json_array_append_new(kernels, rows_json(rows[k].kernel, list, n_list));
	}
	if (good && !found)
		good = bw_fail(error, BW_ERROR_INPUT,
			       "%s: has no kernel of this schedule: its first is %s, the schedule's is %s",
			       path, ncu.kernels[0].name, rows[0].kernel);
	if (json)
		json_object_set(json, "ncu", kernels);
	json_decref(kernels);
	bw_ncu_free(&ncu);
	return good;
}

/* Counts one schedule and appends its table, or its line of JSON. */
static bool count_one(struct bw_program *program, const char *file, struct bw_text *out,
		      struct bw_error *error)
{
	struct bw_session *session = program->session;
	const struct bw_timing *timing = bw_program_wait(session, "counters", file, error);
	if (!timing)
		return false;
	if (bw_verdict_differs(timing->measurement.verdict))
		return bw_difference_fail(&timing->measurement, error) || bw_fail_in(error, "%s", file);
	if (!program->arguments.json) {
		bw_text_printf(out, "%s: %s on %s%s\n", timing->label,
			       bw_verdict_name(timing->measurement.verdict), timing->measurement.device,
			       bw_measurement_mark(&timing->measurement));
		return bw_session_run(session, "view counters", out, error) &&
		       (!program->arguments.ncu || beside_ncu(program, timing, NULL, out, error));
	}
	json_t *object = bw_counted_json(session, timing);
	bool good = !program->arguments.ncu || beside_ncu(program, timing, object, out, error);
	bw_json_put_line(out, object, JSON_COMPACT);
	return good;
}

bool bw_program_counters(struct bw_program *program, struct bw_error *error)
{
	BW_SCOPED_TEXT out = {0};
	if (!bw_program_open(program, error))
		return false;
	if (program->arguments.ncu && program->arguments.n_rest > 1)
		return bw_fail(error, BW_ERROR_USAGE, "--ncu takes one schedule");
	if (!program->arguments.n_rest)
		return bw_fail(
		    error, BW_ERROR_USAGE,
		    "count which schedules? hand is the generator's own, and `beamwalk schedule %s -o FILE` writes one",
		    program->arguments.pipeline);
	bw_program_text(program);
	bool good = true;
	for (int i = 0; i < program->arguments.n_rest && good; i++)
		good = count_one(program, program->arguments.rest[i], &out, error);
	struct bw_error ignored;
	return bw_program_put(program, &out, good ? error : &ignored) && good;
}

/* Compares the code of two schedules: files, `hand`, or `best`. */
static bool compare_code(struct bw_program *program, struct bw_error *error)
{
	const char *const *files = program->arguments.rest;
	BW_SCOPED_TEXT line = {0}, out = {0};
	bool searches = false;
	bw_text_puts(&line, "compare code");
	for (int i = 0; i < 2; i++) {
		bool best = !strcmp(files[i], "best"), named = best || strpbrk(files[i], "/.") || !strcmp(files[i], BW_HAND);
		searches |= best;
		bw_text_printf(&line, " %s%s", named ? "" : "./", files[i]);
	}
	if (!bw_program_open(program, error) || (searches && !bw_program_search(program->session, error)) ||
	    !bw_session_do(program->session, bw_text_get(&line), -1, NULL, error))
		return false;
	bw_program_text(program);
	return bw_session_run(program->session, program->arguments.json ? "view --json compare" : "view compare", &out, error) &&
	       bw_program_put(program, &out, error);
}

bool bw_program_code(struct bw_program *program, struct bw_error *error)
{
	BW_SCOPED_TEXT out = {0};
	struct bw_session *session;
	const char *file = program->arguments.n_rest ? program->arguments.rest[0] : NULL;
	if (program->arguments.n_rest > 2)
		return bw_fail(error, BW_ERROR_USAGE, "code takes one schedule, or two to compare");
	int func = -1;
	if (program->arguments.n_rest == 2 && program->arguments.func)
		return bw_fail(error, BW_ERROR_USAGE, "--func: two schedules are compared whole");
	if (program->arguments.n_rest == 2)
		return compare_code(program, error);
	if (!bw_program_open(program, error) || (!file && !bw_program_search_best(program, error)))
		return false;
	session = program->session;
	if (program->arguments.func && !bw_select_func(session, program->arguments.func, &func, error))
		return false;
	bw_session_show_code_func(session, func);
	const struct bw_timing *timing = bw_program_wait(session, "code", file, error);
	if (!timing || !timing->code)
		return timing && bw_fail(error, BW_ERROR_FAILED, "%s: its code was not kept", timing->label);
	if (program->arguments.json)
		bw_json_put_line(&out, bw_session_code_json(session, timing), JSON_COMPACT);
	bw_program_text(program);
	return (program->arguments.json || bw_session_run(session, "view code", &out, error)) &&
	       bw_program_put(program, &out, error);
}
