/* The section on a tuning: the fastest schedule compared with the first shot and the schedule by hand,
 * how it was found, the accuracy of predictions, and the choices that the fastest schedules share. */
#include <math.h>

#include "page/page_private.h"

const struct bw_tuning_figures *bw_page_tuned(const struct bw_page *page)
{
	const struct bw_tuning_figures *figures = bw_session_tuning_figures(page->session);
	return figures && figures->n_timed ? figures : NULL;
}

/* Returns a time in ms with its unit. */
static const char *ms(const struct bw_page *page, double value)
{
	return bw_page_say(page, "%.4g ms", value);
}

static void put_curve(struct bw_page *page, const struct bw_tuning_figures *figures)
{
	struct bw_picture picture = bw_tuning_curve(figures, page->arena);
	bw_text_puts(page->out, "<figure>");
	bw_svg_picture(page->out, &picture, NULL, false);
	bw_text_puts(page->out, "<figcaption>The fastest so far; a dot is a schedule, at the upper edge one that is slower "
				"than the scale.</figcaption></figure>\n");
}

static void put_scatter(struct bw_page *page, const struct bw_tuning_figures *figures)
{
	struct bw_picture picture = bw_tuning_scatter(figures, page->arena);
	bw_text_puts(page->out, "<figure>");
	bw_svg_picture(page->out, &picture, NULL, false);
	bw_text_puts(page->out, "<figcaption>Measured over predicted; the green dot is the fastest, those in blue are the newest "
				"batch; one in twenty is slower than the scale.");
	if (isfinite(figures->of_all.rho))
		bw_html_printf(page->out, " Rank correlation (Spearman’s rho) of %s with the times: %.2f over %d schedules.",
			       figures->tuning->options.model->title, figures->of_all.rho, figures->of_all.n);
	bw_text_puts(page->out, "</figcaption></figure>\n");
}

static void put_lead(struct bw_page *page, const struct bw_tuning_figures *figures)
{
	const struct bw_tuning *tuning = figures->tuning;
	const struct bw_meter *meter = tuning->meter;
	double fastest = figures->rows[0].measured,
	       first = bw_tuning_candidate(tuning, tuning->samples[0].number)->measured;
	bw_text_puts(page->out, "<p class=\"lead\">");
	if (meter->file)
		bw_html_printf(page->out, "%d schedules have times in %s", tuning->n, meter->file);
	else
		bw_html_printf(page->out, "%d schedules were %s %s in %s", tuning->n,
			       meter->estimates ? "estimated by counts of" : "measured on", meter->device,
			       bw_say_seconds(bw_tuning_seconds(tuning)).text);
	bw_html_printf(page->out, ", chosen by %s. The fastest takes %s", bw_tune_strategy_name(tuning->strategy),
		       ms(page, fastest));
	if (isfinite(first))
		bw_html_printf(page->out, ", the first shot of the search %s%s", ms(page, first),
			       bw_tuning_ties(tuning, tuning->samples[0].number) ? ", a tie when measured in turns" : "");
	if (tuning->failed)
		bw_html_printf(page->out, "; %d failed or were wrong", tuning->failed);
	bw_text_puts(page->out, ".</p>\n");
}

/* Writes how the fastest schedule compares with the first shot and the schedule by hand, measured in
 * turns. */
static void put_rounds(struct bw_page *page, const struct bw_tuning *tuning)
{
	static const char *const names[] = {"schedule", ">median", ">from", ">to", ">turns", "against the fastest"};
	bw_text_puts(page->out, "<h3>The fastest, the first shot and the schedule by hand</h3>\n");
	if (tuning->rounds[0].n > 1)
		bw_text_puts(page->out, "<p>Measured in turns, one after the other, so that a clock that drifts is the same to "
					"all. Where the ranges of six turns overlap, the difference is within the noise: a tie. "
					"A range has the true median in it with a probability of 97 %.</p>\n");
	bw_html_table(page->out, sizeof names / sizeof *names, names);
	bw_text_puts(page->out, "<tbody id=\"tuning-rounds\">\n");
	for (int k = 0; k < tuning->n_rounds; k++) {
		const struct bw_tuning_rounds *of = &tuning->rounds[k];
		BW_SCOPED_TEXT verdict = {0};
		bw_text_puts(page->out, "<tr>");
		bw_html_cell(page->out, "%s", of->name);
		bw_tuning_verdict(tuning, k, &verdict);
		if (of->n) {
			bw_html_number(page->out, bw_tuning_median(of), ms(page, bw_tuning_median(of)));
			bw_html_number(page->out, of->ms[0], ms(page, of->ms[0]));
			bw_html_number(page->out, of->ms[of->n - 1], ms(page, of->ms[of->n - 1]));
			bw_html_number(page->out, of->n, bw_say_count(of->n).text);
			bw_html_cell(page->out, "%s", bw_text_get(&verdict));
		} else {
			bw_html_printf(page->out, "<td colspan=\"5\" class=\"soft\">%s</td>",
				       of->error.text[0] ? of->error.text : "not measured");
		}
		bw_text_puts(page->out, "</tr>\n");
	}
	bw_text_puts(page->out, "</tbody></table></div>\n");
}

static void put_choices(struct bw_page *page, const struct bw_tuning_figures *figures)
{
	static const char *const names[] = {"Func", "choice", "share of the fastest", "share of all"};
	if (!figures->n_choices)
		return;
	bw_text_printf(page->out, "<h3>What the %d fastest share</h3>\n<p>Where most of them compute a Func, or how they tile "
				  "it, and how many of all %d do.</p>\n", figures->n_best, figures->n_timed);
	bw_html_table(page->out, sizeof names / sizeof *names, names);
	bw_text_puts(page->out, "<tbody id=\"tuning-choices\">\n");
	for (int i = 0; i < figures->n_choices; i++) {
		const struct bw_tuning_choice *choice = &figures->choices[i];
		bw_html_printf(page->out, "<tr><td class=\"name\">%s</td>",
			       page->pipeline->funcs[choice->func].name);
		bw_html_cell(page->out, "%s", choice->words);
		bw_html_share(page->out, (double)choice->best / figures->n_best);
		bw_html_share(page->out, (double)choice->all / figures->n_timed);
		bw_text_puts(page->out, "</tr>\n");
	}
	bw_text_puts(page->out, "</tbody></table></div>\n");
}

static void put_fastest(struct bw_page *page, const struct bw_tuning_figures *figures, int from, int to)
{
	static const char *const names[] = {">#", ">time", ">vs best", ">predicted", ">schedule", "where it comes from"};
	bw_html_table(page->out, sizeof names / sizeof *names, names);
	bw_text_puts(page->out, "<tbody class=\"tuning-rows\">\n");
	for (int rank = from; rank < to; rank++) {
		const struct bw_tuning_row *row = &figures->rows[rank];
		BW_SCOPED_TEXT origin = {0};
		double excess = row->measured / figures->rows[0].measured - 1;
		bw_tuning_origin(figures->tuning, row->number, &origin);
		bw_text_puts(page->out, "<tr>");
		bw_html_number(page->out, rank + 1, bw_say_count(rank + 1).text);
		bw_html_number(page->out, row->measured, ms(page, row->measured));
		bw_html_number(page->out, excess,
			       !rank                                          ? ""
			       : bw_tuning_ties(figures->tuning, row->number) ? "tie"
									      : bw_page_say(page, "+%.1f%%", 100 * excess));
		bw_html_number(page->out, row->predicted, bw_page_cost(page, row->predicted));
		bw_html_number(page->out, row->sample, bw_say_count(row->sample).text);
		bw_html_cell(page->out, "%s%s", row->sample == 1 ? "first shot, " : "", bw_text_get(&origin));
		bw_text_puts(page->out, "</tr>\n");
	}
	bw_text_puts(page->out, "</tbody></table></div>\n");
}

void bw_page_tuning(struct bw_page *page)
{
	enum { SHOWN = 10, MOST = 200 };
	const struct bw_tuning_figures *figures = bw_page_tuned(page);
	if (!figures)
		return;
	int shown = figures->n_timed < SHOWN ? figures->n_timed : SHOWN,
	    most = figures->n_timed < MOST ? figures->n_timed : MOST;
	bw_text_puts(page->out, "<section id=\"tuning\"><h2>Tuning</h2>\n");
	put_lead(page, figures);
	bw_text_puts(page->out, "<div class=\"pair\">\n");
	put_curve(page, figures);
	put_scatter(page, figures);
	bw_text_puts(page->out, "</div>\n");
	if (figures->tuning->n_rounds)
		put_rounds(page, figures->tuning);
	put_choices(page, figures);
	bw_text_puts(page->out, "<h3>The fastest</h3>\n");
	put_fastest(page, figures, 0, shown);
	if (shown < most) {
		bw_text_printf(page->out, "<details><summary>%d more</summary>\n", most - shown);
		put_fastest(page, figures, shown, most);
		bw_text_puts(page->out, "</details>\n");
	}
	bw_text_puts(page->out, "</section>\n");
}
