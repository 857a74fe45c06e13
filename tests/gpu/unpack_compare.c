/* Sections of the report that compare: verdicts by kind, predictions, the searched with the hand-written,
 * what kernels take. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/results.h"
#include "unpack.h"
#include "unpack_grid.h"

enum { MOST_LISTED = 20, PLOT_COLUMNS = 48, PLOT_ROWS = 12, LEAST_PLOTTED = 3 };

static const char *const kinds[] = {"hand",        "roofline", "learned", "latency", "top-roofline",
                                    "top-learned", "top-latency", "given",    "random",  "override",
                                    "change",      "threads"};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* What counts for a label's verdict: its timed outcome, else its last one under any tool. */
static const struct outcome *last_of(const struct campaign *campaign, const struct label *label)
{
	const struct outcome *last = label->timed;
	for (int i = campaign->n_outcomes - 1; i >= 0 && !last; i--)
		if (campaign->outcomes[i]->label == label)
			last = campaign->outcomes[i];
	return last;
}

static bool is_right(const struct outcome *outcome)
{
	return outcome->measurement && outcome->measurement->verdict != BW_OUTPUT_WRONG &&
	       outcome->measurement->verdict != BW_UNCHECKED;
}

double label_ms(const struct label *label)
{
	return label && label->timed && label->timed->measurement && is_right(label->timed) &&
	                       label->timed->measurement->minimum > 0
	               ? label->timed->measurement->minimum
	               : (double)NAN;
}

/* `right of those run`, and how many were not run. */
static void put_kind(const struct pack *pack, const struct campaign *campaign, const struct variant *variant,
                     const char *kind, struct grid *grid)
{
	int n = 0, run = 0, right = 0;
	for (int i = 0; i < pack->n_labels; i++) {
		const struct label *label = pack->labels[i];
		if (label->variant != variant || strcmp(label->kind, kind))
			continue;
		const struct outcome *outcome = last_of(campaign, label);
		n++;
		run += outcome != NULL;
		right += outcome && is_right(outcome);
	}
	if (!n)
		grid_put(grid, "-");
	else if (run < n)
		grid_put(grid, "%d of %d (%d not run)", right, run, n - run);
	else
		grid_put(grid, "%d of %d", right, run);
}

/* Everything that was run and is not right, with what the worker said. */
static void put_not_right(const struct campaign *campaign, const struct pack *pack, struct bw_text *out)
{
	for (int i = 0; i < pack->n_labels; i++) {
		const struct outcome *outcome = last_of(campaign, pack->labels[i]);
		if (!outcome || is_right(outcome))
			continue;
		bw_text_printf(out, "- %s %s (%s, %s): %s", pack->labels[i]->variant->name,
		               pack->labels[i]->name, pack->labels[i]->kind, outcome->tool,
		               outcome_verdict(outcome));
		if (outcome->measurement)
			bw_text_printf(out, ", %lld points differ, worst %s\n",
			               (long long)outcome->measurement->mismatches,
			               outcome->measurement->where);
		else
			bw_text_printf(out, ": %s\n", outcome->error.text);
	}
}

void put_verdicts(const struct pack *pack, const struct campaign *campaign, struct bw_text *out)
{
	struct bw_text headings = {0}, list = {0};
	bw_text_puts(&headings, "pipeline|size");
	for (int k = 0; k < N_KINDS; k++)
		bw_text_printf(&headings, "|%s", kinds[k]);
	struct grid grid = grid_new(bw_text_get(&headings));
	for (int v = 0; v < pack->n_variants; v++) {
		grid_put(&grid, "%s", pack->variants[v]->name);
		grid_put(&grid, "%s", pack->variants[v]->size);
		for (int k = 0; k < N_KINDS; k++)
			put_kind(pack, campaign, pack->variants[v], kinds[k], &grid);
	}
	bw_text_puts(
		out,
		"## Right or wrong\n\nSchedules whose output is that of the CPU reference, of those that were run.\n\n");
	grid_end(&grid, out);
	put_not_right(campaign, pack, &list);
	bw_text_printf(out, "%s%s%s",
	               list.length ? "Not right, failed or lost:\n\n"
	                           : "Nothing that was run is wrong, failed or was lost.\n\n",
	               bw_text_get(&list), list.length ? "\n" : "");
	bw_text_free(&list);
	bw_text_free(&headings);
}

struct bw_pair *variant_pairs(const struct pack *pack, const struct variant *variant, enum model model,
                              struct label ***labels, int *n)
{
	struct bw_pair *pairs = BW_ARENA_ARRAY(pack->arena, struct bw_pair, pack->n_labels + 1);
	*labels = BW_ARENA_ARRAY(pack->arena, struct label *, pack->n_labels + 1);
	*n = 0;
	for (int i = 0; i < pack->n_labels; i++) {
		struct label *label = pack->labels[i];
		struct bw_pair pair = {label->by[model].value, label_ms(label)};
		if (label->variant != variant || !bw_pair_counts(&pair))
			continue;
		(*labels)[*n] = label;
		pairs[(*n)++] = pair;
	}
	return pairs;
}

const struct label *variant_kind(const struct pack *pack, const struct variant *variant, const char *kind)
{
	for (int i = 0; i < pack->n_labels; i++)
		if (pack->labels[i]->variant == variant && !strcmp(pack->labels[i]->kind, kind) &&
		    !isnan(label_ms(pack->labels[i])))
			return pack->labels[i];
	return NULL;
}

static void put_ratio(struct grid *grid, const struct bw_pair *pairs, struct label **labels, int at,
                      double scale)
{
	if (at < 0)
		grid_put(grid, "-");
	else
		grid_put(grid, "%.3g (%s)", pairs[at].predicted / pairs[at].measured / scale,
		         labels[at]->name);
}

/* A model's row for each variant. Costs without a unit are divided by their geometric mean over measured. */
static void put_model(const struct pack *pack, enum model model, struct bw_text *out)
{
	bool milliseconds = !strcmp(models[model].unit, "ms");
	struct grid grid =
		grid_new("pipeline|schedules|rho|regret|regret of 5|predicted/measured|largest|least");
	for (int v = 0; v < pack->n_variants; v++) {
		struct label **labels;
		int n;
		const struct bw_pair *pairs = variant_pairs(pack, pack->variants[v], model, &labels, &n);
		struct bw_agreement agreement = bw_agreement_of(pairs, n);
		if (!n)
			continue;
		grid_put(&grid, "%s", pack->variants[v]->name);
		grid_put(&grid, "%d", n);
		grid_number(&grid, "%.2f", agreement.rho);
		grid_number(&grid, "%.2f", agreement.regret);
		grid_number(&grid, "%.2f", agreement.regret5);
		grid_number(&grid, "%.3g", agreement.scale);
		put_ratio(&grid, pairs, labels, agreement.over, milliseconds ? 1 : agreement.scale);
		put_ratio(&grid, pairs, labels, agreement.under, milliseconds ? 1 : agreement.scale);
	}
	bw_text_printf(
		out, "### By the model %s (%s)\n\n", models[model].key,
		milliseconds ? "ms"
			     : "a cost without a unit: largest and least ratios are over the geometric mean");
	if (grid.n == grid.n_columns)
		bw_text_puts(out, "No schedule has both a prediction and a time.\n\n");
	grid_end(&grid, out);
}

static void put_plots(const struct pack *pack, enum model model, struct bw_text *out)
{
	bool milliseconds = !strcmp(models[model].unit, "ms");
	char up[64];
	snprintf(up, sizeof up, "predicted by %s, %s", models[model].key,
	         milliseconds ? "ms" : "cost without a unit");
	struct bw_scatter scatter = {"measured minimum, ms", up, PLOT_COLUMNS, PLOT_ROWS, milliseconds};
	for (int v = 0; v < pack->n_variants; v++) {
		struct label **labels;
		int n;
		const struct bw_pair *pairs = variant_pairs(pack, pack->variants[v], model, &labels, &n);
		if (n < LEAST_PLOTTED)
			continue;
		bw_text_printf(out, "### %s, %s\n\n```\n", pack->variants[v]->name, models[model].key);
		bw_scatter_put(&scatter, pairs, n, out);
		bw_text_puts(out, "```\n\n");
	}
}

static double over(const struct label *slow, const struct label *fast)
{
	return label_ms(slow) / label_ms(fast);
}

/* The fastest of a variant's schedules of a kind, in ms, NAN if none was timed; *n: how many were. */
static double best_of(const struct pack *pack, const struct variant *variant, const char *kind, int *n)
{
	double best = (double)NAN;
	*n = 0;
	for (int i = 0; i < pack->n_labels; i++) {
		double ms = label_ms(pack->labels[i]);
		if (pack->labels[i]->variant != variant || strcmp(pack->labels[i]->kind, kind) || isnan(ms))
			continue;
		best = *n && best < ms ? best : ms;
		++*n;
	}
	return best;
}

/* How many times as long as the best of others of a kind the first of a search takes. */
static void put_others(const struct pack *pack, const struct variant *variant, const struct label *first,
                       const char *kind, struct grid *grid)
{
	int n;
	double best = best_of(pack, variant, kind, &n);
	if (n && first)
		grid_put(grid, "%.2f of %d", label_ms(first) / best, n);
	else
		grid_put(grid, "-");
}

static void put_searched(const struct pack *pack, struct bw_text *out)
{
	struct grid grid = grid_new(
		"pipeline|hand, ms|roofline, ms|hand/roofline|learned, ms|hand/learned|latency, ms|hand/latency|best given, ms|best given/latency|roofline/best of its next|learned/best of its next|latency/best of its next|roofline/best override");
	for (int v = 0; v < pack->n_variants; v++) {
		const struct variant *variant = pack->variants[v];
		const struct label *hand = variant_kind(pack, variant, "hand"), *found[N_MODELS];
		bool any = hand;
		for (int m = 0; m < N_MODELS; m++)
			any |= (found[m] = variant_kind(pack, variant, models[m].key)) != NULL;
		if (!any)
			continue;
		grid_put(&grid, "%s", variant->name);
		grid_number(&grid, "%.4g", label_ms(hand));
		for (int m = 0; m < N_MODELS; m++) {
			grid_number(&grid, "%.4g", label_ms(found[m]));
			grid_number(&grid, "%.2f", over(hand, found[m]));
		}
		int n_given;
		double given = best_of(pack, variant, "given", &n_given);
		grid_number(&grid, "%.4g", given);
		grid_number(&grid, "%.2f", given / label_ms(found[LATENCY]));
		put_others(pack, variant, found[ROOFLINE], "top-roofline", &grid);
		put_others(pack, variant, found[LEARNED], "top-learned", &grid);
		put_others(pack, variant, found[LATENCY], "top-latency", &grid);
		put_others(pack, variant, found[ROOFLINE], "override", &grid);
	}
	bw_text_puts(
		out,
		"## Searched against hand-written\n\nMinimum times; hand/roofline above 1: the searched schedule is faster; roofline/best above 1: another one of the search, or with one thing changed, is faster.\n\n");
	if (grid.n == grid.n_columns)
		bw_text_puts(out, "None was timed.\n\n");
	grid_end(&grid, out);
}

void put_agreement(const struct pack *pack, const struct campaign *campaign, struct bw_text *out)
{
	if (campaign->cpu) {
		bw_text_puts(
			out,
			"## Predicted against measured\n\nNot compared: the device is a CPU, and its times say nothing of a GPU's.\n\n");
		return;
	}
	bw_text_puts(
		out,
		"## Predicted against measured\n\n"
		"rho: Spearman's rank correlation of prediction and minimum time, ties averaged. regret: time of the schedule that the model prefers over that of the fastest one;\n"
		"of 5: of the best of the five that it prefers. Ratios are predicted over measured: their geometric mean, the largest, the least.\n\n");
	if (!campaign_is_predicted(campaign, pack))
		bw_text_printf(
			out,
			"The predictions are for %s and the times are of %s: ranks can be compared, ratios hardly.\n\n",
			pack->gpu, campaign->device);
	for (int m = 0; m < N_MODELS; m++)
		put_model(pack, m, out);
	put_searched(pack, out);
	bw_text_puts(out, "## Plots\n\n");
	for (int m = 0; m < N_MODELS; m++)
		put_plots(pack, m, out);
}

/* Sums over the kernels of a variant's timed schedules. */
struct kernel_sums {
	int n, known, registers, local, blocks, blocks_known;
	double off; /* |predicted - ptxas's occupancy|, summed over `known` */
};

static void add_kernels(const struct label *label, struct kernel_sums *sums, struct bw_text *list,
                        int *listed)
{
	const struct bw_kernel_uses *uses = &label->timed->measurement->kernels;
	for (int k = 0; k < uses->n; k++) {
		const struct bw_kernel_use *use = &uses->list[k];
		const struct kernel_plan *plan = label_kernel(label, use->name);
		sums->n++;
		if (!plan || plan->registers < 0)
			continue;
		bool blocks = use->blocks_per_sm >= 0 && plan->blocks_per_sm >= 0,
		     odd = use->registers != plan->registers || use->local_bytes != plan->local_bytes ||
		           (blocks && use->blocks_per_sm != plan->blocks_per_sm);
		sums->known++;
		sums->registers += use->registers == plan->registers;
		sums->local += use->local_bytes == plan->local_bytes;
		sums->blocks_known += blocks;
		sums->blocks += blocks && use->blocks_per_sm == plan->blocks_per_sm;
		if (!isnan(plan->predicted) && !isnan(plan->occupancy))
			sums->off += fabs(plan->predicted - plan->occupancy);
		if (odd && (*listed)++ < MOST_LISTED)
			bw_text_printf(
				list,
				"- %s %s %s: driver %d registers, %d local bytes, %d blocks per SM; ptxas %d, %d, %d\n",
				label->variant->name, label->name, use->name, use->registers,
				use->local_bytes, use->blocks_per_sm, plan->registers, plan->local_bytes,
				plan->blocks_per_sm);
	}
}

void put_kernels(const struct pack *pack, struct bw_text *out)
{
	struct grid grid = grid_new(
		"pipeline|kernels|known to ptxas|same registers|same local bytes|same blocks per SM|predicted occupancy off by, on average");
	struct bw_text list = {0};
	int listed = 0;
	for (int v = 0; v < pack->n_variants; v++) {
		struct kernel_sums sums = {0};
		for (int i = 0; i < pack->n_labels; i++)
			if (pack->labels[i]->variant == pack->variants[v] && pack->labels[i]->timed &&
			    pack->labels[i]->timed->measurement)
				add_kernels(pack->labels[i], &sums, &list, &listed);
		if (!sums.n)
			continue;
		grid_put(&grid, "%s", pack->variants[v]->name);
		grid_put(&grid, "%d", sums.n);
		grid_put(&grid, "%d", sums.known);
		grid_put(&grid, "%d", sums.registers);
		grid_put(&grid, "%d", sums.local);
		grid_put(&grid, "%d of %d", sums.blocks, sums.blocks_known);
		grid_number(&grid, "%.3f", sums.known ? sums.off / sums.known : (double)NAN);
	}
	bw_text_puts(out, "## What kernels take: the driver against ptxas and the prediction\n\n");
	if (grid.n == grid.n_columns)
		bw_text_puts(out, "The driver told of no kernel.\n\n");
	grid_end(&grid, out);
	if (listed)
		bw_text_printf(out, "Different%s:\n\n%s\n", listed > MOST_LISTED ? ", the first 20" : "",
		               bw_text_get(&list));
	bw_text_free(&list);
}
