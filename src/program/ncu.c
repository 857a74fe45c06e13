/* Nsight Compute's counters of a run of one's own beside those of the emulated device and the predictions. */
#include <math.h>

#include "base/file.h"
#include "program/program.h"
#include "results/ncu.h"
#include "session/counters.h"

enum { MOST_BYTES = 64 << 20, SECTOR = 32, WAVEFRONT = 128, MOST_ROWS = 64 };

/* A metric: per launch, as ncu has it, counted, and predicted (NAN: it is not). */
struct row {
	const struct bw_ncu_metric *metric;
	double ncu, counted, predicted;
};

static double predicted_of(const char *metric, const double predicted[BW_N_COUNTED])
{
	static const struct {
		const char *metric;
		enum bw_counted_figure figure;
		double bytes;
	} list[] = {{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", BW_COUNTED_GLOBAL_LOAD, SECTOR},
		    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", BW_COUNTED_GLOBAL_STORE, SECTOR},
		    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", BW_COUNTED_SHARED_LOAD, WAVEFRONT},
		    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", BW_COUNTED_SHARED_STORE, WAVEFRONT}};
	for (size_t k = 0; k < sizeof list / sizeof *list; k++)
		if (!strcmp(metric, list[k].metric))
			return predicted[list[k].figure] / list[k].bytes;
	return (double)NAN;
}

static struct row row_of(const struct bw_ncu_metric *metric, double counted, double predicted)
{
	return (struct row){metric, metric->sum / metric->n, counted, predicted};
}

/* Fills the rows of a kernel: what both count, and its time. Returns how many. */
static int fill(const struct bw_session *session, const struct bw_counted_row *of,
		const struct bw_ncu_kernel *kernel, struct row rows[MOST_ROWS])
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

static void print_rows(const struct row *rows, int n, struct bw_text *out)
{
	bw_text_printf(out, "  %-58s %-8s %12s %12s %9s %12s %9s\n", "per launch", "unit", "ncu", "emulated", "ratio", "predicted", "ratio");
	for (int k = 0; k < n; k++) {
		const struct row *row = &rows[k];
		bw_text_printf(out, "  %-58s %-8s %12.6g %12.6g %9.3g", row->metric->name, row->metric->unit, row->ncu, row->counted, row->ncu / row->counted);
		if (!isnan(row->predicted))
			bw_text_printf(out, " %12.6g %9.3g", row->predicted, row->ncu / row->predicted);
		bw_text_puts(out, "\n");
	}
}

static json_t *rows_json(const char *kernel, const struct row *rows, int n)
{
	json_t *list = json_array();
	for (int k = 0; k < n; k++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:f, s:f, s:o, s:o, s:o}", "metric", rows[k].metric->name, "unit", rows[k].metric->unit,
			"ncu", rows[k].ncu, "emulated", rows[k].counted, "ratio", bw_json_real(rows[k].ncu / rows[k].counted),
			"predicted", bw_json_real(rows[k].predicted), "ratio_predicted", bw_json_real(rows[k].ncu / rows[k].predicted)));
	return json_pack("{s:s, s:o}", "kernel", kernel, "metrics", list);
}

bool bw_program_ncu(struct bw_program *program, const struct bw_timing *timing, json_t *json,
		    struct bw_text *out, struct bw_error *error)
{
	const char *path = program->arguments.ncu;
	BW_SCOPED_TEXT text = {0};
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct bw_ncu ncu;
	if (!bw_file_read(path, MOST_BYTES, &text, error))
		return false;
	bool good = bw_ncu_read(path, bw_text_get(&text), &ncu, error);
	int n, found = 0;
	const struct bw_counted_row *rows = bw_counted_rows(program->session, timing, arena, &n);
	json_t *kernels = json_array();
	if (good && !json)
		bw_text_printf(out, "Nsight Compute (%s) beside the emulated device and the roofline model\n", path);
	for (int k = 0; k < n && good; k++) {
		struct row list[MOST_ROWS];
		const struct bw_ncu_kernel *kernel =
		    rows[k].func ? NULL : bw_ncu_kernel(&ncu, rows[k].kernel, sizeof rows[k].of->name - 1);
		int n_list = kernel ? fill(program->session, &rows[k], kernel, list) : 0;
		found += kernel != NULL;
		if (!rows[k].func && !json)
			bw_text_printf(out, "%s%s\n", rows[k].kernel, !kernel ? ": not in the file" : n_list ? "" : ": no metric that is counted here");
		if (n_list && !json)
			print_rows(list, n_list, out);
		if (kernel)
			json_array_append_new(kernels, rows_json(rows[k].kernel, list, n_list));
	}
	if (good && !found)
		good = bw_fail(error, BW_ERROR_INPUT, "%s: has no kernel of this schedule: its first is %s, the schedule's is %s", path, ncu.kernels[0].name, rows[0].kernel);
	if (json)
		json_object_set(json, "ncu", kernels);
	json_decref(kernels);
	bw_ncu_free(&ncu);
	return good;
}
