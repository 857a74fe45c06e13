/* The search, decision by decision: the costs of the states in the beam, and the number of states with
 * descendants at the end. */

#include "page/page.h"
#include "page/page_private.h"
#include "session/explain.h"

static const char *name_of(const struct bw_page *page, int k)
{
	BW_SCOPED_TEXT name = {0};
	bw_session_decision_name(page->session, k, &name);
	return bw_page_say(page, "%s", bw_text_get(&name));
}

static void put_choice(const struct bw_page *page, const struct bw_placement *placement)
{
	BW_SCOPED_TEXT words = {0};
	if (placement)
		bw_placement_words(page->pipeline, placement, &words);
	bw_html_cell(page->out, "%s", placement ? bw_text_get(&words) : "nothing");
}

static void put_regret(const struct bw_page *page, const struct bw_regret *regret, double best, double most)
{
	double factor = regret->cost / best, part = most > 1 ? (factor - 1) / (most - 1) : 0;
	bw_html_printf(page->out, "<tr><td class=\"name\">%s</td>", name_of(page, regret->decision));
	put_choice(page, regret->taken);
	put_choice(page, regret->other);
	BW_SCOPED_TEXT stands = {0};
	if (regret->stands)
		bw_placement_words(page->pipeline, regret->stands, &stands);
	bw_html_cell(page->out, "%s of %d%s%s", bw_say_rank(regret->rank).text, regret->n,
		     regret->stands ? "; since polished to " : "", bw_text_get(&stands));
	if (regret->cost > 0)
		bw_html_number(page->out, regret->cost, bw_page_cost(page, regret->cost));
	else
		bw_html_cell(page->out, "no schedule");
	bw_text_printf(page->out, "<td class=\"share\"><span class=\"bar\" style=\"width:%.1f%%\"></span>",
		       regret->cost > 0 ? 100 * fmin(fmax(part, 0), 1) : 100);
	if (regret->cost > 0)
		bw_html_figure(page->out, factor, bw_change_of(page->session->options.model, best, regret->cost).text);
	else
		bw_text_puts(page->out, "none");
	bw_text_puts(page->out, "</td></tr>\n");
}

void bw_page_decisions(struct bw_page *page)
{
	static const char *const names[] = {"decision",       "taken",      "runner-up",
					    "the best stood", ">cost at the end", "change"};
	int n;
	BW_SCOPED_TEXT words = {0};
	BW_SCOPED_MEMORY struct bw_regret *sorted = bw_regrets_sorted(page->session, &n);
	double best = bw_regret_best(page->session), most = 0;
	for (int i = 0; i < n; i++)
		most = fmax(most, sorted[i].cost / best);
	bw_decided_words(page->session, &words);
	bw_html_printf(page->out, "<section id=\"decisions\"><h2>Decisions that mattered</h2>\n<p>"
		       "What the best would cost with the runner-up of one decision, the cheapest other live option, in "
		       "place of what was taken: the other Funcs stay as they are where they can, the search decides the rest, "
		       "and the whole is polished. %d of %d are shown%s; %s."
		       "</p>\n",
		       n < BW_PAGE_DECISIONS ? n : BW_PAGE_DECISIONS,
		       bw_regrets_number(page->session),
		       bw_regrets_found(page->session, BW_PAGE_DECISIONS) ? "" : ", as far as they were found",
		       words.length ? bw_text_get(&words) : "nothing had to be decided");
	bw_html_table(page->out, sizeof names / sizeof *names, names);
	bw_text_puts(page->out, "<tbody id=\"decision-rows\">\n");
	for (int i = 0; i < n && i < BW_PAGE_DECISIONS; i++)
		put_regret(page, &sorted[i], best, fmin(most, 3));
	bw_text_puts(page->out, "</tbody></table></div>\n</section>\n");
}

/* Writes the decision from which on the schedule was in the lead, and the one at which it was nearly lost. */
static void put_words(struct bw_page *page)
{
	const struct bw_lineage *lineage = &page->lineage;
	bw_text_puts(page->out, "<p>");
	if (lineage->leads >= 0)
		bw_html_printf(page->out, "From %s on the state that it comes from is the cheapest of the beam, at %s. ",
			       name_of(page, lineage->leads), bw_page_cost(page, lineage->steps[lineage->leads].best));
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
	    bw_search_polish(page->session->search, bw_search_reached(page->session->search));
	if (polish && polish->n) {
		BW_SCOPED_TEXT words = {0};
		bw_polish_words(page->session, polish, &words);
		bw_html_printf(page->out, "</p>\n<p>At the end: %s.", bw_text_get(&words));
	}
	bw_text_puts(page->out, "</p>\n");
}

/* Returns the film of a search. */
static struct bw_picture film_of(const struct bw_session *session, const struct bw_lineage *lineage,
				 const char *const *names, struct bw_arena *arena)
{
	const struct bw_lineage_part part = {0, lineage->n, -1, names, session->options.model->unit};
	struct bw_picture film = bw_lineage_film(session->search, lineage, &part, -1, arena);
	film.rate = fmax(2, lineage->n / 40.0);
	return film;
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
			  survivors = bw_survivors_picture(search, &page->lineage, &part, page->arena),
			  film = film_of(page->session, &page->lineage, names, page->arena);
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
	    "beam.</figcaption></figure>\n<details><summary>The search as a film, decision by decision</summary>\n");
	bw_svg_picture(page->out, &film, NULL, false);
	bw_text_puts(page->out, "</details></section>\n");
}

bool bw_page_film(struct bw_session *session, struct bw_text *out, struct bw_error *error)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct bw_lineage lineage = bw_lineage_of(session->search, arena);
	const char **names = BW_ARENA_ARRAY(arena, const char *, lineage.n + 1);
	if (!lineage.n)
		return bw_fail(error, BW_ERROR_FAILED, "no decision is made yet: `run` makes all of them");
	for (int k = 0; k < lineage.n; k++) {
		BW_SCOPED_TEXT name = {0};
		bw_session_decision_name(session, k, &name);
		names[k] = bw_arena_strdup(arena, bw_text_get(&name));
	}
	struct bw_picture film = film_of(session, &lineage, names, arena);
	const char *title = bw_arena_format(arena, "%s: %d decisions, beam %d", session->source.name ? session->source.name : session->pipeline->name, lineage.n, session->options.beam);
	bw_svg_picture(out, &film, title, true);
	return true;
}
