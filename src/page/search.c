/* The search, decision by decision: the costs of the states in the beam, and the number of states with
 * descendants at the end. */
#include <math.h>
#include <stdlib.h>

#include "base/say.h"
#include "figures/change.h"
#include "page/page_private.h"
#include "session/alternatives.h"
#include "session/explain.h"

/* The decisions that mattered: for each Func the best other site and the best other sizes, with all
 * other Funcs unchanged, and the cost of the whole schedule then. */

enum { MOST_SHOWN = 14 };

/* One choice made for a Func, and its best alternative. */
struct choice {
	int func;
	bool site; /* the choice of a site; else of sizes */
	const char *is, *other;
	double now, cost; /* of the whole */
};

/* Keeps an alternative to a choice if it is the best so far. */
static void take(const struct bw_page *page, struct choice *choice, const struct bw_alternative *alternative)
{
	if (choice->other && choice->cost <= alternative->cost)
		return;
	choice->cost = alternative->cost;
	choice->other = choice->site ? bw_page_say(page, "%s", alternative->value)
				     : bw_page_say(page, "%s %s", bw_override_name(alternative->override),
						   alternative->value);
}

/* Adds the choices of the selected Func. */
static int add(struct bw_page *page, struct choice *choices, int n)
{
	int n_all;
	bw_session_alternatives_all(page->session);
	const struct bw_alternative *all = bw_session_alternatives(page->session, &n_all);
	for (int site = 1; site >= 0; site--) {
		struct bw_text is = {0};
		struct choice choice = {
		    .func = page->session->selection.func, .site = site, .now = n_all ? all[0].cost : 0};
		enum bw_override first = BW_N_OVERRIDES;
		for (int i = 1; i < n_all; i++) {
			enum bw_override override = all[i].override;
			bool size = override == BW_OVERRIDE_SERIAL || override == BW_OVERRIDE_THREAD ||
				    override == BW_OVERRIDE_BLOCK;
			if (!(all[i].cost > 0) || (site ? override != BW_OVERRIDE_SITE : !size))
				continue;
			take(page, &choice, &all[i]);
			if (choice.cost == all[i].cost)
				first = override;
		}
		if (!choice.other)
			continue;
		bw_override_now(page->session, all[0].placement, first, &is);
		choice.is = bw_page_say(page, "%s%s%s", site ? "" : bw_override_name(first), site ? "" : " ",
					bw_text_get(&is));
		bw_text_free(&is);
		choices[n++] = choice;
	}
	return n;
}

static int by_loss(const void *left, const void *right)
{
	const struct choice *a = left, *b = right;
	double x = a->cost / a->now, y = b->cost / b->now;
	if (x != y)
		return x > y ? -1 : 1;
	return a->func != b->func ? a->func - b->func : b->site - a->site;
}

static void put_choice(struct bw_page *page, const struct choice *choice, double most)
{
	double factor = choice->cost / choice->now, part = most > 1 ? (factor - 1) / (most - 1) : 0;
	bw_text_puts(page->out, "<tr><td class=\"name\">");
	bw_html_text(page->out, page->pipeline->funcs[choice->func].name);
	bw_text_puts(page->out, "</td>");
	bw_html_cell(page->out, "%s", choice->site ? "where" : "sizes");
	bw_html_cell(page->out, "%s", choice->is);
	bw_html_cell(page->out, "%s", choice->other);
	bw_html_number(page->out, choice->cost, bw_page_cost(page, choice->cost));
	bw_text_printf(page->out, "<td class=\"share\"><span class=\"bar\" style=\"width:%.1f%%\"></span>",
		       100 * fmin(fmax(part, 0), 1));
	bw_html_figure(page->out, factor,
		       bw_change_of(page->session->options.model, choice->now, choice->cost).text);
	bw_text_puts(page->out, "</td></tr>\n");
}

static void put_choices(struct bw_page *page, const struct choice *choices, int n)
{
	static const char *const names[] = {"Func",       "choice",     "as it is",
					    "best other", ">cost then", "change"};
	bw_html_table(page->out, sizeof names / sizeof *names, names);
	bw_text_puts(page->out, "<tbody id=\"decision-rows\">\n");
	for (int i = 0; i < n && i < MOST_SHOWN; i++)
		put_choice(page, &choices[i], fmin(choices[0].cost / choices[0].now, 3));
	bw_text_puts(page->out, "</tbody></table></div>\n");
}

void bw_page_decisions(struct bw_page *page)
{
	const struct bw_selection selection = page->session->selection;
	struct choice *choices = BW_ARENA_ARRAY(page->arena, struct choice, 2 * page->pipeline->n_funcs + 1);
	const struct bw_cost_model *model = page->session->options.model;
	int n = 0, cheaper = 0, ties = 0;
	for (int f = 0; f < page->pipeline->n_funcs; f++)
		if (page->nest->placed[f]) {
			struct bw_selection at = selection;
			at.func = f;
			bw_session_select(page->session, &at);
			n = add(page, choices, n);
		}
	bw_session_select(page->session, &selection);
	qsort(choices, (size_t)n, sizeof *choices, by_loss);
	for (int i = 0; i < n; i++) {
		bool is_tie = bw_cost_ties(model, choices[i].cost, choices[i].now);
		cheaper += choices[i].cost < choices[i].now && !is_tie;
		ties += is_tie;
	}
	bw_text_puts(page->out, "<section id=\"decisions\"><h2>Decisions that mattered</h2>\n<p>");
	bw_html_printf(
	    page->out,
	    "For each Func the best other place to compute it, and the best other sizes, with all other "
	    "Funcs as they are. The more the whole would cost then, the more the choice mattered. %d of %d "
	    "choices are shown. ",
	    n < MOST_SHOWN ? n : MOST_SHOWN, n);
	if (cheaper)
		bw_html_printf(page->out, "%d other choice%s would be cheaper than what the search took.",
			       cheaper, cheaper == 1 ? "" : "s");
	else
		bw_html_text(page->out, "No other single choice would be cheaper.");
	if (ties)
		bw_html_printf(page->out, " %d tie%s (~): a difference that small is less than the error of the %s model.", ties,
			       ties == 1 ? "" : "s", model->name);
	bw_text_puts(page->out, "</p>\n");
	put_choices(page, choices, n);
	bw_text_puts(page->out, "</section>\n");
}

static const char *name_of(const struct bw_page *page, int k)
{
	struct bw_text name = {0};
	bw_session_decision_name(page->session, k, &name);
	const char *kept = bw_page_say(page, "%s", bw_text_get(&name));
	bw_text_free(&name);
	return kept;
}

/* Writes at which decision the schedule was decided. */
static void put_decided(struct bw_page *page)
{
	const struct bw_lineage *lineage = &page->lineage;
	int decided = lineage->decided, leads = lineage->leads;
	if (leads < 0)
		return;
	if (decided < 0)
		bw_text_puts(page->out, "No decision on its way had a choice. ");
	else
		bw_html_printf(page->out, "The schedule was decided at %s (decision %d of %d)%s: ",
			       name_of(page, decided), decided, lineage->n,
			       decided < leads ? ", the last choice on its way" : "");
	if (decided >= 0)
		bw_html_printf(
		    page->out,
		    "from %s on the state that it comes from is the cheapest of the beam, at %s. ",
		    decided < leads ? name_of(page, leads) : "there",
		    bw_page_cost(page, lineage->steps[leads].best));
}

/* Writes at which decision the schedule was decided, and at which it was nearly lost. */
static void put_words(struct bw_page *page)
{
	const struct bw_lineage *lineage = &page->lineage;
	bw_text_puts(page->out, "<p>");
	put_decided(page);
	if (lineage->tightest >= 0) {
		const struct bw_lineage_step *step = &lineage->steps[lineage->tightest];
		bw_html_printf(
		    page->out,
		    "It came nearest to being lost at %s, where it was the %s of %d states; a beam of fewer "
		    "than %d would have dropped it there.",
		    name_of(page, lineage->tightest), bw_say_rank(step->winner).text, step->n,
		    step->winner + 1);
	}
	const struct bw_polish *polish =
	    bw_explain_polish(page->session, bw_search_reached(page->session->search));
	if (polish && polish->n) {
		struct bw_text words = {0};
		bw_polish_words(page->session, polish, &words);
		bw_text_puts(page->out, "</p>\n<p>");
		bw_html_printf(page->out, "At the end: %s.", bw_text_get(&words));
		bw_text_free(&words);
	}
	bw_text_puts(page->out, "</p>\n");
}

void bw_page_search(struct bw_page *page)
{
	bw_text_puts(page->out, "<section id=\"search\"><h2>Search</h2>\n");
	if (!page->lineage.n) {
		bw_text_puts(page->out, "<p>Nothing had to be decided.</p></section>\n");
		return;
	}
	const char **names = BW_ARENA_ARRAY(page->arena, const char *, page->lineage.n);
	for (int k = 0; k < page->lineage.n; k++)
		names[k] = name_of(page, k);
	const struct bw_search *search = page->session->search;
	struct bw_lineage_part part = {0, page->lineage.n, -1, names, page->session->options.model->unit};
	struct bw_picture costs = bw_lineage_picture(search, &page->lineage, &part, page->arena),
			  fates = bw_fates_picture(search, &part, page->arena),
			  survivors = bw_survivors_picture(search, &page->lineage, &part, page->arena);
	put_words(page);
	bw_text_puts(page->out, "<figure>\n");
	bw_svg_picture(page->out, &costs, NULL, false);
	bw_svg_picture(page->out, &fates, NULL, false);
	bw_svg_picture(page->out, &survivors, NULL, false);
	bw_text_puts(
	    page->out,
	    "<figcaption>Above: the costs of the states that the beam kept after each decision, and the way of "
	    "the state that leads to the schedule. Below: what became of the options of each decision, the rules "
	    "that pruned most by colour, and how many of the states that were kept lead to the last "
	    "beam.</figcaption></figure></section>\n");
}
