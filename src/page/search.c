/* The search, decision by decision: the costs of the states in the beam, and how many of them have
 * descendants at the end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "figures/change.h"
#include "page/page_private.h"
#include "session/alternatives.h"
#include "session/decisions.h"
#include "session/explain.h"

/* The decisions that mattered: for each Func the best other site and the best other sizes, all other Funcs as
 * they are, and what the whole would cost then. */

enum { MOST_SHOWN = 14 };

/* One thing that was chosen of a Func, and the best that could stand in its place. */
struct choice {
	int func;
	bool site; /* where it is computed; else its sizes */
	const char *is, *other;
	double now, cost; /* of the whole */
};

/* Takes an alternative for a choice if it is the best so far. */
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

enum { WIDTH = 760, TOP = 14, COSTS = 220, GAP = 30, BARS = 90, LEFT = 98, RIGHT = 14, BOTTOM = 40 };
enum { HEIGHT = TOP + COSTS + GAP + BARS + BOTTOM };

struct scale {
	int n, states;    /* decisions; most states of a beam */
	double low, high; /* logarithms of costs */
};

static double at_x(const struct scale *scale, double decision)
{
	return LEFT + (decision + 0.5) / scale->n * (WIDTH - LEFT - RIGHT);
}

static double at_y(const struct scale *scale, double cost)
{
	double part = scale->high > scale->low ? (log(cost) - scale->low) / (scale->high - scale->low) : 0.5;
	return TOP + COSTS * (1 - fmin(fmax(part, 0), 1));
}

static struct scale scale_of(const struct bw_lineage *lineage)
{
	struct scale scale = {.n = lineage->n, .states = 1, .low = INFINITY, .high = -INFINITY};
	for (int k = 0; k < lineage->n; k++) {
		const struct bw_lineage_step *step = &lineage->steps[k];
		scale.states = step->n > scale.states ? step->n : scale.states;
		if (!(step->best > 0))
			continue;
		scale.low = fmin(scale.low, log(step->best));
		scale.high = fmax(scale.high, log(step->worst));
		scale.high = step->cut > 0 ? fmax(scale.high, fmin(log(step->cut), log(step->worst) + 0.4))
					   : scale.high;
	}
	return scale;
}

static const char *name_of(const struct bw_page *page, int k)
{
	struct bw_text name = {0};
	bw_session_decision_name(page->session, k, &name);
	const char *kept = bw_page_say(page, "%s", bw_text_get(&name));
	bw_text_free(&name);
	return kept;
}

enum { BEST, WORST, WINNER, CUT };

static double figure_of(const struct bw_lineage_step *step, int which)
{
	return which == BEST     ? step->best
	       : which == WORST  ? step->worst
	       : which == WINNER ? step->winner_cost
				 : step->cut;
}

/* Appends a line through one figure of all decisions; it is broken where there is none. */
static void put_curve(struct bw_page *page, const struct scale *scale, const char *class, int which)
{
	bool drawn = false;
	bw_text_printf(page->out, "<path class=\"%s\" d=\"", class);
	for (int k = 0; k < scale->n; k++) {
		double cost = figure_of(&page->lineage.steps[k], which);
		if (cost > 0)
			bw_text_printf(page->out, "%c%.1f %.1f", drawn ? 'L' : 'M', at_x(scale, k),
				       at_y(scale, cost));
		drawn = cost > 0;
	}
	bw_text_puts(page->out, "\"/>\n");
}

/* Fills the area between the best and the worst state. */
static void put_band(struct bw_page *page, const struct scale *scale)
{
	char command = 'M';
	bw_text_puts(page->out, "<path class=\"band\" d=\"");
	for (int i = 0; i < 2 * scale->n; i++) {
		int k = i < scale->n ? i : 2 * scale->n - 1 - i;
		double cost = figure_of(&page->lineage.steps[k], i < scale->n ? BEST : WORST);
		if (!(cost > 0))
			continue;
		bw_text_printf(page->out, "%c%.1f %.1f", command, at_x(scale, k), at_y(scale, cost));
		command = 'L';
	}
	bw_text_puts(page->out, command == 'L' ? "Z\"/>\n" : "M0 0\"/>\n");
}

static void put_axes(struct bw_page *page, const struct scale *scale)
{
	enum { TICKS = 5 };
	for (int i = 0; i < TICKS; i++) {
		double cost = exp(scale->low + (scale->high - scale->low) * i / (TICKS - 1)),
		       y = at_y(scale, cost);
		bw_svg_line(page->out, "axis", LEFT, y, WIDTH - RIGHT, y);
		bw_svg_text(page->out, "soft small", "end", LEFT - 6, y + 4, bw_page_cost(page, cost));
	}
	bw_svg_text(page->out, "soft small", "end", LEFT - 6, TOP + COSTS + GAP + 10,
		    bw_page_say(page, "%d states", scale->states));
	bw_svg_line(page->out, "axis", LEFT, TOP + COSTS + GAP + BARS, WIDTH - RIGHT,
		    TOP + COSTS + GAP + BARS);
	for (int k = 0, every = scale->n / 12 + 1; k < scale->n; k += every)
		bw_svg_text(page->out, "soft small", "middle", at_x(scale, k), TOP + COSTS + GAP + BARS + 15,
			    bw_page_say(page, "%d", k));
	bw_svg_text(page->out, "soft small", "end", WIDTH - RIGHT, HEIGHT - 6, "decision");
}

/* Draws how many states there are after each decision, and how many of them have descendants at the end. */
static void put_bars(struct bw_page *page, const struct scale *scale)
{
	double width = (WIDTH - LEFT - RIGHT) / (double)scale->n, base = TOP + COSTS + GAP + BARS;
	for (int k = 0; k < scale->n; k++) {
		const struct bw_lineage_step *step = &page->lineage.steps[k];
		double x = at_x(scale, k) - width * 0.38, all = BARS * (double)step->n / scale->states,
		       live = BARS * (double)step->n_survivors / scale->states;
		const char *says = bw_page_say(
		    page,
		    "%d %s: %d states, %d with descendants at the end, near copies: %d; the best comes from the %s",
		    k, name_of(page, k), step->n, step->n_survivors, step->n - step->n_kinds,
		    step->winner >= 0 ? bw_say_rank(step->winner).text : "?");
		bw_svg_rect(page->out, "many", (double[4]){x, base - all, width * 0.76, all}, -1, says);
		bw_svg_rect(page->out, "live", (double[4]){x, base - live, width * 0.76, live}, -1, says);
	}
}

static void put_tightest(struct bw_page *page, const struct scale *scale)
{
	int k = page->lineage.tightest;
	if (k < 0)
		return;
	bool left = k > scale->n / 2;
	bw_svg_line(page->out, "tight", at_x(scale, k), TOP, at_x(scale, k), TOP + COSTS + GAP + BARS);
	bw_svg_text(page->out, "small", left ? "end" : "start", at_x(scale, k) + (left ? -5 : 5), TOP + 10,
		    bw_page_say(page, "narrowest: %s", name_of(page, k)));
}

/* Says where the schedule was decided. */
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

/* Says where the schedule was decided, and where it was nearly lost. */
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
	    bw_explain_polish(page->session, bw_session_reached(page->session));
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
	struct scale scale = scale_of(&page->lineage);
	put_words(page);
	bw_text_puts(page->out, "<figure>\n");
	bw_svg_begin(page->out, "plot", WIDTH, HEIGHT, 370,
		     "costs and survivors of the beam, decision by decision");
	put_axes(page, &scale);
	put_band(page, &scale);
	put_curve(page, &scale, "least", BEST);
	put_curve(page, &scale, "cut", CUT);
	put_curve(page, &scale, "best", WINNER);
	put_bars(page, &scale);
	put_tightest(page, &scale);
	bw_text_puts(
	    page->out,
	    "</svg></div>\n<figcaption>Above: the cost so far of the states in the beam, from the best to "
	    "the worst (blue), that of the state which leads to the schedule (green), and of the cheapest "
	    "that was dropped (dashed). Below: states kept at each decision, and in green those that have "
	    "descendants in the last beam.</figcaption></figure></section>\n");
}
