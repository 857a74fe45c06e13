/* The section on the code of the schedule, if it was compiled and counted. For each loop of a kernel's
 * nest, the folded section shows Halide's lowered statement beside the PTX and the SASS compiled from it. */
#include "page/page_private.h"
#include "session/counters.h"

enum { RUNS = 11, TEXT = 46 /* columns of the PTX */ };

const struct bw_timing *bw_page_coded(const struct bw_page *page)
{
	uint64_t schedule = bw_nest_schedule_hash(page->nest);
	return schedule ? bw_session_code(page->session, schedule, false) : NULL;
}

/* Ends a text that began at `before`. If the text has no line, says so. */
static void end_text(struct bw_page *page, size_t before)
{
	bool empty = page->out->length == before + sizeof "<pre>" - 1;
	bw_text_puts(page->out, empty ? "<span class=\"soft\">no line of its own</span></pre>" : "</pre>");
}

static void put_statement(struct bw_page *page, const struct bw_code_kernel *kernel, int loop)
{
	size_t least = kernel->n_statement ? strspn(kernel->statement->text, " ") : 0;
	size_t before = page->out->length;
	bw_text_puts(page->out, "<pre>");
	for (int k = 0; k < kernel->n_statement; k++)
		if (kernel->statement[k].loop == loop)
			bw_html_printf(page->out, "%s\n", kernel->statement[k].text + least);
	end_text(page, before);
}

static void put_ptx(struct bw_page *page, const struct bw_code_kernel *kernel, int loop)
{
	size_t before = page->out->length;
	bw_text_puts(page->out, "<pre>");
	for (int k = 0; k < kernel->n_lines; k++) {
		const struct bw_code_line *line = &kernel->lines[k];
		const struct bw_said runs = bw_say_count(line->runs);
		if (line->loop != loop || !bw_code_is_shown(kernel, false, k))
			continue;
		BW_SCOPED_TEXT sass = {0};
		bw_code_sass_words(kernel, line, &sass);
		bw_html_printf(page->out, "%s", bw_page_say(page, "%*s  ", RUNS, line->instruction ? runs.text : ""));
		bw_html_printf(page->out, "%s\n",
			       sass.length ? bw_page_say(page, "%-*s  %s", TEXT, line->text, bw_text_get(&sass))
					   : line->text);
	}
	end_text(page, before);
}

static bool has_lines(const struct bw_code_kernel *kernel, int loop)
{
	bool has = kernel->loops[loop].own > 0;
	for (int k = 0; k < kernel->n_statement && !has; k++)
		has = kernel->statement[k].loop == loop;
	return has;
}

static void put_kernel(struct bw_page *page, const struct bw_code_kernel *kernel, double all)
{
	bw_html_printf(page->out, "<details><summary>%s: %s instructions of warps, %s of all</summary>\n",
		       kernel->loops->text, bw_say_count(kernel->runs).text, bw_say_percent(kernel->runs / all).text);
	for (int k = 0; k < kernel->n_loops; k++) {
		const struct bw_code_loop *loop = &kernel->loops[k];
		if (!has_lines(kernel, k))
			continue;
		bw_html_printf(page->out, "<details><summary>%s %s%s%s</summary><div class=\"pair\">", bw_say_percent(loop->own / all).text,
			       loop->loop < 0 ? "" : page->pipeline->funcs[loop->func].name, loop->loop < 0 ? "" : ", ",
			       k ? loop->text : "of no loop of the nest");
		put_statement(page, kernel, k);
		put_ptx(page, kernel, k);
		bw_text_puts(page->out, "</div></details>\n");
	}
	bw_text_puts(page->out, "</details>\n");
}

void bw_page_code(struct bw_page *page)
{
	const struct bw_timing *timing = bw_page_coded(page);
	if (!timing)
		return;
	const struct bw_code *code = timing->code;
	bw_html_printf(page->out, "<section id=\"code\"><h2>Code</h2>\n<p>The loops of each kernel, each with the share of all instructions of PTX "
		       "that warps ran in its own lines on %s. In it, on the left: the statement that Halide lowers it to. On the right: its PTX, with "
		       "how often warps ran each line, and the SASS that became of it%s%s.</p>\n",
		       timing->measurement.device, code->no_sass ? ": none, " : "", code->no_sass ? code->no_sass : "");
	for (int k = 0; k < code->n; k++)
		put_kernel(page, &code->kernels[k], bw_code_runs(code));
	bw_text_puts(page->out, "</section>\n");
}
