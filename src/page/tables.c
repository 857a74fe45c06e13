/* The tables of kernels, stages and measurements, and the section on the schedule. */
#include <math.h>

#include "base/arith.h"
#include "command/report.h"
#include "figures/attribution.h"
#include "page/page_private.h"
#include "session/advice.h"
#include "ui/print.h"

/* Returns the kernel of the nest that belongs to a kernel of the roofline. */
static const struct bw_kernel *kernel_of(const struct bw_kernel *kernels, int n,
					 const struct bw_roofline_kernel *row)
{
	for (int k = 0; k < n; k++)
		if (kernels[k].func == row->func && kernels[k].stage == row->stage)
			return &kernels[k];
	return NULL;
}

static void put_kernel(struct bw_page *page, const struct bw_roofline_kernel *row, int k,
		       const struct bw_kernel *kernel)
{
	bw_html_printf(page->out, "<tr><td class=\"name\"><b class=\"letter\">%s</b>%s</td>",
		       bw_say_letter(k).text, bw_page_stage(page, row->func, row->stage));
	bw_html_share(page->out, row->share);
	bw_html_number(page->out, row->ms, bw_page_say(page, "%s ms", bw_say_cost(row->ms).text));
	bw_html_printf(page->out, "<td class=\"n\">%s</td><td class=\"n\">%s</td>",
		       kernel ? bw_say_extents(kernel->blocks).text : "",
		       kernel ? bw_say_extents(kernel->threads).text : "");
	bw_html_number(page->out, (double)row->needs.shared_bytes,
		       bw_say_bytes((double)row->needs.shared_bytes).text);
	if (!page->device->cpu) {
		bw_html_number(page->out, row->occupancy.occupancy,
			       bw_say_percent(row->occupancy.occupancy).text);
		bw_html_cell(page->out, "%s", bw_limiter_name(row->occupancy.limiter));
	}
	bw_html_printf(page->out, "<td>%s, ", page->rooflines.model->terms[row->bound].name);
	bw_html_figure(page->out, row->bound_share, bw_say_percent(row->bound_share).text);
	bw_text_puts(page->out, "</td>");
	bw_text_puts(page->out, "</tr>\n");
}

/* Writes advice against the bottlenecks of the most expensive kernels. */
static void put_advice(struct bw_page *page)
{
	static const double costly = 0.03;
	bw_text_puts(page->out, "<h3>To try</h3>\n<p>All changes of single Funcs in a kernel, priced as the search prices them, all else as it is: what lowers the cost most, or that nothing does.</p>\n<dl class=\"facts\">\n");
	for (int k = 0; k < page->rooflines.n; k++) {
		const struct bw_roofline_kernel *kernel = &page->rooflines.kernels[k];
		BW_SCOPED_TEXT cause = {0}, advice = {0};
		if (k && kernel->share < costly)
			break;
		bw_roofline_cause(page->pipeline, &page->rooflines, kernel, &cause);
		bw_advice_words(page->session, &page->rooflines, kernel, &advice);
		bw_html_printf(page->out, "<dt><b class=\"letter\">%s</b>%s</dt><dd>%s; %s</dd>\n",
			       bw_say_letter(k).text,
			       bw_page_stage(page, kernel->func, kernel->stage),
			       bw_text_get(&cause), bw_text_get(&advice));
	}
	bw_text_puts(page->out, "</dl>\n");
}

void bw_page_kernels(struct bw_page *page)
{
	static const char *const gpu[] = {"kernel",         "share",      ">predicted", ">blocks", ">threads",
					  ">shared memory", ">occupancy", "limited by", "bound by"},
				 *const cpu[] = {"kernel",   "share",          ">predicted", ">blocks",
						 ">threads", ">shared memory", "bound by"};
	int n;
	const struct bw_kernel *kernels = bw_nest_kernels(page->nest, page->arena, &n);
	bw_html_printf(page->out, "<section id=\"kernels\"><h2>Kernels</h2>\n<p>"
		       "Each row is one launch, the costliest first, as %s predicts. "
		       "<em>Bound by</em> names the resource that takes longest, and the part "
		       "of the kernel's time that it would take alone. <em>Occupancy</em> is the share of an SM's "
		       "warps that can be resident.</p>\n",
		       page->rooflines.model->name);
	if (page->device->cpu)
		bw_html_table(page->out, sizeof cpu / sizeof *cpu, cpu);
	else
		bw_html_table(page->out, sizeof gpu / sizeof *gpu, gpu);
	bw_text_puts(page->out, "<tbody id=\"kernel-rows\">\n");
	for (int k = 0; k < page->rooflines.n; k++)
		put_kernel(page, &page->rooflines.kernels[k], k,
			   kernel_of(kernels, n, &page->rooflines.kernels[k]));
	bw_text_puts(page->out, "</tbody></table></div>\n");
	put_advice(page);
}

/* A stage with its cost, to be sorted. */
struct row {
	int func, stage;
	const struct bw_stage_cost *cost;
};

BW_ORDER(by_cost, struct row,
	  4 * BW_COMPARE(b->cost->ms, a->cost->ms) + 2 * BW_COMPARE(a->func, b->func) +
	   BW_COMPARE(a->stage, b->stage))

static struct row *stages_of(const struct bw_page *page, int *n)
{
	struct row *rows = BW_ARENA_ARRAY(page->arena, struct row, page->cost->n + 1);
	*n = 0;
	for (int f = 0; f < page->pipeline->n_funcs; f++)
		for (int s = 0; s < page->pipeline->funcs[f].n_stages; s++) {
			const struct bw_stage_cost *cost =
			    &page->cost->stages[page->pipeline->funcs[f].first_stage + s];
			if (cost->placed)
				rows[(*n)++] = (struct row){f, s, cost};
		}
	qsort(rows, (size_t)*n, sizeof *rows, by_cost);
	return rows;
}

/* Appends the Funcs inlined into a stage, with their parts of the stage's cost. */
static void put_parts(struct bw_page *page, const struct row *row)
{
	enum { MOST = 4 };
	int n, shown = 0;
	const struct bw_part *parts =
	    bw_parts_of(page->nest, row->func, row->stage, page->session->options.model, row->cost, page->device,
			page->arena, &n);
	bw_text_puts(page->out, "<td>");
	for (int i = 0; i < n && shown < MOST && n > 1; i++)
		if (parts[i].ms > 0.005 * row->cost->ms) {
			bw_html_printf(page->out, "%s%s ", shown ? ", " : "",
				       parts[i].func == row->func
					   ? "itself"
					   : page->pipeline->funcs[parts[i].func].name);
			bw_html_figure(page->out, parts[i].ms / row->cost->ms,
				       bw_say_percent(parts[i].ms / row->cost->ms).text);
			shown++;
		}
	bw_text_puts(page->out, "</td>");
}

static void put_stages(struct bw_page *page, const struct row *rows, int from, int to)
{
	static const char *const names[] = {"stage",    "share",     ">predicted",
					    "bound by", ">computed", "made up of"};
	const struct bw_cost_model *model = page->session->options.model;
	bw_html_table(page->out, sizeof names / sizeof *names, names);
	bw_text_puts(page->out, "<tbody class=\"stage-rows\">\n");
	for (int i = from; i < to; i++) {
		const struct row *row = &rows[i];
		bw_html_printf(page->out, "<tr><td class=\"name\">%s</td>",
			       bw_page_stage(page, row->func, row->stage));
		bw_html_share(page->out, page->cost->total > 0 ? row->cost->ms / page->cost->total : 0);
		bw_html_number(page->out, row->cost->ms, bw_page_cost(page, row->cost->ms));
		bw_html_cell(page->out, "%s", model->terms[row->cost->bound].name);
		bw_html_number(page->out, row->cost->recompute, bw_say_times(row->cost->recompute).text);
		put_parts(page, row);
		bw_text_puts(page->out, "</tr>\n");
	}
	bw_text_puts(page->out, "</tbody></table></div>\n");
}

void bw_page_stages(struct bw_page *page)
{
	enum { OPEN = 12 };
	int n;
	const struct row *rows = stages_of(page, &n);
	int first = n > OPEN + 3 ? OPEN : n;
	bw_text_puts(page->out,
		     "<h3>Stages</h3>\n<p>A kernel computes one or more stages. <em>Computed</em> is "
		     "how often a point is computed that is needed once. <em>Made up of</em> splits a "
		     "stage's cost over the Funcs that are inlined into it.</p>\n");
	put_stages(page, rows, 0, first);
	if (first < n) {
		bw_text_printf(page->out, "<details><summary>%d more stages</summary>\n", n - first);
		put_stages(page, rows, first, n);
		bw_text_puts(page->out, "</details>\n");
	}
	bw_text_puts(page->out, "</section>\n");
}

/* Appends text in a box. If `cut`, omits the first line. */
static void put_code(struct bw_page *page, const char *text, bool cut)
{
	const char *line = cut ? strchr(text, '\n') : NULL;
	bw_html_printf(page->out, "<pre>%s</pre>\n", line ? line + 1 : text);
}

/* Appends the directives of an exported schedule, without the comment above them and the code that looks
 * up the Funcs. */
static void put_cpp(struct bw_page *page, const char *text)
{
	static const char declared[] = " = func(\"";
	const char *at = text;
	for (const char *next = strstr(text, declared); next; next = strstr(next + 1, declared))
		at = strchr(next, '\n') ? strchr(next, '\n') + 1 : at;
	for (const char *end = strstr(at, "\n}\n"); end; end = NULL) {
		BW_SCOPED_TEXT body = {0};
		bw_text_append(&body, at, (size_t)(end - at));
		put_code(page, bw_text_get(&body) + strspn(bw_text_get(&body), "\n"), false);
		return;
	}
	put_code(page, at, false);
}

void bw_page_schedule(struct bw_page *page)
{
	BW_SCOPED_TEXT nest = {0}, cpp = {0}, file = {0};
	struct bw_error ignored;
	struct bw_report_form form = {0};
	struct bw_schedule *schedule = bw_nest_schedule(page->nest);
	bw_print_view(page->session, "nest", &nest);
	bw_schedule_print(page->pipeline, schedule, &file);
	bool exported = bw_report_export(page->session, page->nest, &form, &cpp, &ignored);
	bw_schedule_drop(schedule);
	bw_text_puts(page->out,
		     "<section id=\"schedule\"><h2>Schedule</h2>\n<h3>As a loop nest</h3>\n<p>Loops "
		     "from the outside in, with what is computed and kept in each.</p>\n");
	put_code(page, bw_text_get(&nest), true);
	if (exported) {
		bw_text_puts(page->out,
			     "<h3>As Halide C++</h3>\n<p>The directives; <code>beamwalk export</code> "
			     "writes a file with the code around them that finds the Funcs by name.</p>\n");
		put_cpp(page, bw_text_get(&cpp));
	}
	bw_text_puts(page->out, "<details><summary>As a schedule file, which beamwalk reads</summary>\n");
	put_code(page, bw_text_get(&file), false);
	bw_text_puts(page->out, "</details></section>\n");
}

static void put_timing(struct bw_page *page, const struct bw_timing *timing)
{
	const struct bw_measurement *measurement = &timing->measurement;
	bool same = timing->device && !strcmp(timing->device->name, page->session->options.device->name);
	bw_text_puts(page->out, "<tr>");
	bw_html_cell(page->out, "%s", timing->label ? timing->label : "");
	bw_html_cell(page->out, "%s%s", measurement->device, bw_measurement_mark(measurement));
	if (isnan(measurement->median))
		bw_text_puts(page->out, "<td class=\"n\"></td>");
	else
		bw_html_number(page->out, measurement->median,
			       bw_page_say(page, "%s ms", bw_say_cost(measurement->median).text));
	if (same && timing->predicted > 0) {
		bw_html_number(page->out, timing->predicted, bw_page_cost(page, timing->predicted));
		bw_text_puts(page->out, "<td class=\"n\">");
		if (*page->session->options.model->unit && measurement->median > 0)
			bw_html_figure(page->out, measurement->median / timing->predicted,
				       bw_say_times(measurement->median / timing->predicted).text);
		bw_text_puts(page->out, "</td>");
	} else {
		bw_text_puts(page->out, "<td class=\"n soft\">for another device</td><td></td>");
	}
	bw_html_cell(page->out, "%s", bw_verdict_name(measurement->verdict));
	bw_html_cell(page->out, "%s", timing->stored);
	bw_text_puts(page->out, "</tr>\n");
}

/* Returns true if a timing is a row of the measurements. */
static bool is_shown(const struct bw_timing *timing)
{
	return timing->phase == BW_JOB_DONE && timing->measurement.runs > 0;
}

void bw_page_measured(struct bw_page *page)
{
	static const char *const names[] = {
	    "schedule", "device", ">median", ">predicted", ">measured / predicted", "outputs", "when, UTC"};
	const struct bw_session *session = page->session;
	int n = 0;
	for (int i = 0; i < session->n_timings; i++)
		n += is_shown(&session->timings[i]);
	bw_text_puts(page->out, "<section id=\"measured\"><h2>Measurements</h2>\n");
	if (!n) {
		bw_text_puts(
		    page->out,
		    "<p>Nothing of this pipeline was measured on this machine. <code>beamwalk "
		    "time</code> compiles a schedule, checks its output and times it.</p></section>\n");
		return;
	}
	bw_text_puts(page->out,
		     "<p>Times of the device that is named; a prediction stands beside only if it is for "
		     "the same device.</p>\n");
	bw_html_table(page->out, sizeof names / sizeof *names, names);
	bw_text_puts(page->out, "<tbody>\n");
	for (int i = 0; i < session->n_timings; i++)
		if (is_shown(&session->timings[i]))
			put_timing(page, &session->timings[i]);
	bw_text_puts(page->out, "</tbody></table></div></section>\n");
}
