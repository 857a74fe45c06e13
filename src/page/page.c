#include "page/page.h"

#include <config.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/say.h"
#include "page/page_private.h"
#include "session/decisions.h"

static void put_card(struct bw_page *page, const char *name, double value, const char *shown)
{
	bw_text_puts(page->out, "<div><dt>");
	bw_html_text(page->out, name);
	bw_text_puts(page->out, "</dt><dd>");
	bw_html_figure(page->out, value, shown);
	bw_text_puts(page->out, "</dd></div>\n");
}

static int count_kind(const struct bw_page *page, enum bw_graph_kind kind)
{
	int n = 0;
	for (int f = 0; f < page->graph.n; f++)
		n += page->graph.funcs[f].kind == kind;
	return n;
}

/* Says in a few sentences how long the schedule takes, and why. */
static void put_lead(struct bw_page *page)
{
	const struct bw_rooflines *all = &page->rooflines;
	const struct bw_roofline_kernel *first = all->kernels;
	struct bw_text advice = {0};
	bw_text_puts(page->out, "<p class=\"lead\">");
	bw_html_printf(page->out, "%s is predicted to take %s on %s, in %d kernel%s. ", page->pipeline->name,
		       bw_page_cost(page, page->cost->total), page->session->options.device->name, all->n,
		       all->n == 1 ? "" : "s");
	if (all->n) {
		bw_roofline_advice(all, first, &advice);
		bool same = page->session->options.model == all->model;
		bw_html_printf(page->out,
			       "%s kernel of %s takes %s of %s; it is bound by %s, %s of its time.",
			       same ? "The" : "Under the roofline the", page->pipeline->funcs[first->func].name,
			       bw_say_percent(first->share).text, same ? "that" : "the time",
			       all->model->terms[first->bound].name, bw_say_percent(first->bound_share).text);
		bw_text_puts(page->out, "</p>\n<p>");
		bw_html_printf(page->out, "What would help it: %s.", bw_text_get(&advice));
	}
	bw_text_puts(page->out, "</p>\n");
	bw_text_free(&advice);
}

static void put_top(struct bw_page *page)
{
	static const struct {
		const char *anchor, *name;
	} links[] = {
	    {"pipeline", "Pipeline"}, {"kernels", "Kernels"},       {"roofline", "Roofline"},
	    {"tiles", "Tiles"},       {"decisions", "Decisions"},   {"search", "Search"},
	    {"schedule", "Schedule"}, {"measured", "Measurements"}, {"again", "How to reproduce it"}};
	const struct bw_session *session = page->session;
	bw_text_puts(page->out, "<header><h1>");
	bw_html_text(page->out, page->pipeline->name);
	bw_text_puts(page->out, "</h1>\n<p class=\"soft\">");
	bw_html_printf(page->out, "A schedule for %s%s, output %s, found by beamwalk %s with %s",
		       session->options.device->name, bw_device_mark(session->options.device),
		       session->source.size ? session->source.size : "of unknown size", PACKAGE_VERSION,
		       session->options.model->title);
	bw_text_puts(page->out, "</p>\n");
	put_lead(page);
	bw_text_puts(page->out, "<dl class=\"cards\">\n");
	put_card(page, "predicted", page->cost->total, bw_page_cost(page, page->cost->total));
	put_card(page, "kernels", page->rooflines.n, bw_say_count(page->rooflines.n).text);
	put_card(page, "Funcs", page->graph.n - count_kind(page, BW_GRAPH_INPUT),
		 bw_say_count(page->graph.n - count_kind(page, BW_GRAPH_INPUT)).text);
	put_card(page, "of these inlined", count_kind(page, BW_GRAPH_INLINED),
		 bw_say_count(count_kind(page, BW_GRAPH_INLINED)).text);
	put_card(page, "decisions", page->lineage.n, bw_say_count(page->lineage.n).text);
	double costed = (double)bw_session_totals(session).costed;
	put_card(page, "options costed", costed, bw_say_count(costed).text);
	bw_text_puts(page->out, "</dl>\n<nav>");
	if (bw_page_tuned(page))
		bw_text_puts(page->out, "<a href=\"#tuning\">Tuning</a> ");
	for (size_t i = 0; i < sizeof links / sizeof *links; i++)
		bw_text_printf(page->out, "<a href=\"#%s\">%s</a> ", links[i].anchor, links[i].name);
	bw_text_puts(page->out, "</nav></header>\n");
}

static void put_page(struct bw_page *page)
{
	bw_text_puts(page->out, "<!DOCTYPE html>\n<html lang=\"en\">\n"
				"<head><meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
				"content=\"width=device-width, initial-scale=1\"/>\n<title>");
	bw_html_printf(page->out, "%s on %s, a schedule by beamwalk", page->pipeline->name,
		       page->session->options.device->name);
	bw_text_printf(page->out, "</title>\n<style>\n%s</style></head>\n<body><main>\n", bw_page_style);
	put_top(page);
	bw_page_tuning(page);
	bw_page_graph(page);
	bw_page_kernels(page);
	bw_page_stages(page);
	bw_page_roofline(page);
	bw_page_tiles(page);
	bw_page_decisions(page);
	bw_page_search(page);
	bw_page_schedule(page);
	bw_page_measured(page);
	bw_page_reproduce(page);
	bw_text_puts(page->out,
		     "<footer><p>Costs are predicted by the model that is named above, never "
		     "measured, but of tuning and in the table of measurements. One file, without scripts; nothing is "
		     "loaded from elsewhere.</p></footer>\n</main></body></html>\n");
}

bool bw_page_write(struct bw_session *session, struct bw_text *out, struct bw_error *error)
{
	const struct bw_state *state = bw_session_state(session);
	if (!state || !bw_nest_complete(state->nest))
		return bw_fail(error, BW_ERROR_FAILED,
			       "state %d is not complete at decision %d; `run` goes to the end of the search",
			       session->selection.state + 1, session->cursor);
	struct bw_arena *arena = bw_arena_new();
	struct bw_nest *nest = bw_nest_keep(state->nest);
	struct bw_cost cost = bw_session_cost_of(session, nest, arena);
	const struct bw_device *device = bw_session_device(session);
	struct bw_page page = {session, session->pipeline, nest, device, &cost, .arena = arena, .out = out};
	page.graph = bw_graph_of(nest, &cost, arena);
	page.rooflines =
	    bw_rooflines_of(nest, device, session->options.model, bw_session_uses(session, nest), arena);
	page.lineage = bw_lineage_of(session->search, arena);
	put_page(&page);
	bw_nest_drop(nest);
	bw_arena_free(arena);
	return true;
}
