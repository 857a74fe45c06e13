#include "page/page.h"

#include <config.h>

#include "page/page_private.h"
#include "session/advice.h"
#include "session/explain.h"

/* How to find the schedule again: command lines, and all that the search depends on. */

/* Appends a word for a shell, quoted if it contains any but plain characters. */
static void put_word(struct bw_text *line, const char *word)
{
	static const char plain[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
	bool is_plain = *word && strspn(word, plain) == strlen(word);
	(is_plain ? bw_text_puts : bw_text_quote)(line, word);
}

/* Appends the arguments that name the pipeline and set the options that differ from the defaults. */
static void put_arguments(const struct bw_page *page, struct bw_text *line)
{
	const struct bw_session *session = page->session;
	int n;
	const struct bw_setting_info *infos = bw_setting_infos(&n);
	struct bw_settings plain = bw_settings_default(session->options.device);
	put_word(line, session->source.name);
	if (session->source.generator.name &&
	    strcmp(session->source.generator.name, session->source.name) != 0) {
		bw_text_puts(line, " -g ");
		put_word(line, session->source.generator.name);
	}
	for (int i = 0; i < session->source.generator.n_args; i++) {
		bw_text_puts(line, " -G ");
		put_word(line, session->source.generator.args[i]);
	}
	for (int i = 0; i < session->source.generator.n_estimates; i++) {
		bw_text_puts(line, " --estimate ");
		put_word(line, session->source.generator.estimates[i]);
	}
	bw_text_puts(line, " --gpu ");
	put_word(line, session->options.device->name);
	for (int i = 0; i < n; i++) {
		BW_SCOPED_TEXT is = {0}, was = {0};
		if (!bw_setting_stored(&infos[i]) || !strcmp(infos[i].name, "gpu"))
			continue;
		bw_setting_print(&infos[i], &session->options, &is);
		bw_setting_print(&infos[i], &plain, &was);
		/* If there are weights and no explicit model, the learned model with these weights predicts. */
		bool says_model = session->options.weights && infos[i].kind == BW_SETTING_MODEL;
		if (strcmp(bw_text_get(&is), bw_text_get(&was)) != 0 || says_model) {
			bw_text_printf(line, " --set %s=", infos[i].name);
			put_word(line, bw_text_get(&is));
		}
	}
}

static void put_fact(struct bw_page *page, const char *name, const char *value)
{
	bw_html_printf(page->out, "<dt>%s</dt><dd>%s</dd>\n", name, value);
}

static void put_facts(struct bw_page *page)
{
	const struct bw_session *session = page->session;
	const struct bw_settings *options = &session->options;
	BW_SCOPED_SCHEDULE *schedule = bw_nest_schedule(page->nest);
	put_fact(page, "beamwalk", PACKAGE_VERSION);
	put_fact(page, "device", options->device->name);
	put_fact(page, "figures of the device", options->device->source);
	put_fact(page, "cost model", options->model->title);
	put_fact(page, "seed", bw_page_say(page, "%llu", (unsigned long long)options->seed));
	put_fact(page, "beam", bw_page_say(page, "%d states", options->beam));
	put_fact(page, "passes", bw_page_say(page, "%d", bw_settings_passes(options)));
	put_fact(page, "algorithm",
		 bw_page_say(page, "%016llx", (unsigned long long)page->pipeline->algorithm));
	put_fact(page, "description",
		 bw_page_say(page, "%016llx", (unsigned long long)page->pipeline->content));
	put_fact(page, "schedule",
		 bw_page_say(page, "%016llx", (unsigned long long)bw_schedule_hash(schedule)));
}

/* Appends the commands that steered the search, if there are any. */
static void put_journal(struct bw_page *page)
{
	const struct bw_session *session = page->session;
	bool any = false;
	for (int i = 0; i < session->n_journal; i++) {
		if (session->journal[i].undone)
			continue;
		if (!any)
			bw_text_puts(
			    page->out,
			    "<p>The search was steered by these commands of the explorer:</p>\n<pre>");
		any = true;
		bw_html_printf(page->out, "%s\n", session->journal[i].line);
	}
	if (any)
		bw_text_puts(page->out, "</pre>\n");
}

static void page_reproduce(struct bw_page *page)
{
	BW_SCOPED_TEXT arguments = {0};
	put_arguments(page, &arguments);
	const char *words = bw_text_get(&arguments);
	bw_html_printf(page->out,
		       "<section id=\"again\"><h2>How to reproduce it</h2>\n<p>The search depends on what "
		       "stands here alone, so that the same lines find the same schedule on any machine.</p>\n<pre>"
		       "beamwalk schedule %s -o best.schedule   # find it\n"
		       "beamwalk time %s best.schedule          # compile, check and time it\n"
		       "beamwalk %s                             # look at it in the explorer\n"
		       "</pre>\n",
		       words, words, words);
	put_journal(page);
	bw_text_puts(page->out, "<dl class=\"facts\">\n");
	put_facts(page);
	bw_text_puts(page->out, "</dl></section>\n");
}

static void put_card(struct bw_page *page, const char *name, double value, const char *shown)
{
	bw_html_printf(page->out, "<div><dt>%s</dt><dd>", name);
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
	BW_SCOPED_TEXT cause = {0}, advice = {0};
	bw_html_printf(page->out,
		       "<p class=\"lead\">%s is predicted to take %s on %s, in %d kernel%s. ",
		       page->pipeline->name, bw_page_cost(page, page->cost->total),
		       page->session->options.device->name, all->n, all->n == 1 ? "" : "s");
	if (all->n) {
		bw_roofline_cause(page->pipeline, all, first, &cause);
		bw_advice_words(page->session, all, first, &advice);
		bool same = page->session->options.model == all->model;
		bw_html_printf(page->out,
			       "%s kernel of %s takes %s of %s; it is %s; %s.",
			       same ? "The" : "Under the roofline the", page->pipeline->funcs[first->func].name,
			       bw_say_percent(first->share).text, same ? "that" : "the time",
			       bw_text_get(&cause), bw_text_get(&advice));
	}
	bw_text_puts(page->out, "</p>\n");
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
	bw_html_printf(page->out, "<header><h1>%s</h1>\n<p class=\"soft\">"
		       "A schedule for %s%s, output %s, found by beamwalk %s with %s</p>\n",
		       page->pipeline->name, session->options.device->name,
		       bw_device_mark(session->options.device),
		       session->source.size ? session->source.size : "of unknown size",
		       PACKAGE_VERSION, session->options.model->title);
	put_lead(page);
	bw_text_puts(page->out, "<dl class=\"cards\">\n");
	put_card(page, "predicted", page->cost->total, bw_page_cost(page, page->cost->total));
	put_card(page, "kernels", page->rooflines.n, bw_say_count(page->rooflines.n).text);
	put_card(page, "Funcs", page->graph.n - count_kind(page, BW_GRAPH_INPUT),
		 bw_say_count(page->graph.n - count_kind(page, BW_GRAPH_INPUT)).text);
	put_card(page, "of these inlined", count_kind(page, BW_GRAPH_INLINED),
		 bw_say_count(count_kind(page, BW_GRAPH_INLINED)).text);
	put_card(page, "decisions", page->lineage.n, bw_say_count(page->lineage.n).text);
	double costed = (double)bw_search_totals(session->search).costed;
	put_card(page, "options costed", costed, bw_say_count(costed).text);
	bw_text_puts(page->out, "</dl>\n<nav>");
	if (bw_page_tuned(page))
		bw_text_puts(page->out, "<a href=\"#tuning\">Tuning</a> ");
	if (bw_page_coded(page))
		bw_text_puts(page->out, "<a href=\"#code\">Code</a> ");
	for (size_t i = 0; i < sizeof links / sizeof *links; i++)
		bw_text_printf(page->out, "<a href=\"#%s\">%s</a> ", links[i].anchor, links[i].name);
	bw_text_puts(page->out, "</nav></header>\n");
}

static void put_page(struct bw_page *page)
{
	bw_html_printf(page->out, "<!DOCTYPE html>\n<html lang=\"en\">\n"
		       "<head><meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
		       "content=\"width=device-width, initial-scale=1\"/>\n<title>"
		       "%s on %s, a schedule by beamwalk",
		       page->pipeline->name, page->session->options.device->name);
	bw_text_printf(page->out, "</title>\n<style>\n%s%s</style></head>\n<body><main>\n", bw_page_style, bw_svg_style);
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
	bw_page_code(page);
	bw_page_measured(page);
	page_reproduce(page);
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
	BW_SCOPED_ARENA *arena = bw_arena_new();
	BW_SCOPED_NEST *nest = bw_nest_keep(state->nest);
	struct bw_cost cost = bw_search_cost(session->search, nest, arena);
	const struct bw_device *device = bw_search_device(session->search);
	struct bw_page page = {session, session->pipeline, nest, device, &cost, .arena = arena, .out = out};
	page.graph = bw_graph_of(nest, &cost, arena);
	page.rooflines =
	    bw_rooflines_of(nest, device, session->options.model, bw_session_uses(session, nest), arena);
	page.lineage = bw_lineage_of(session->search, arena);
	bw_regrets_finish(session, BW_PAGE_DECISIONS);
	bw_session_trials_all(session);
	put_page(&page);
	return true;
}
