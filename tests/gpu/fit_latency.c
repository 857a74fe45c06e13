/* Fits the constants of the latency model to what was measured on devices, and says how well it predicts: with
 * the constants of textbooks, those of the source, those fitted now, and those fitted without the pipeline that
 * is predicted. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cost/cost.h"
#include "fit.h"
#include "measured_rows.h"
#include "results/results.h"

/* Price of a constant that is twice or half of the textbook's, and the residue beyond which the size counts:
 * a schedule that is predicted 10 % off. What is far off has a cause that no constant mends. */
#define PRICE 3.0
#define HUBER 0.1
/* Each pipeline on each device counts as so many schedules that are 25 % off. */
#define WEIGHT 12.0
#define ERROR 0.25
enum { N_SAMPLES = 2000 };

enum {
#define X(name, value, before, unit, text) AT_##name,
	BW_LATENCY_TABLE(X)
#undef X
	N_CONSTANTS
};
static const struct {
	const char *name, *unit, *text;
} constants[] = {
#define X(name, value, before, unit, text) {#name, unit, text},
	BW_LATENCY_TABLE(X)
#undef X
};
_Static_assert(sizeof(struct bw_latency_constants) == N_CONSTANTS * sizeof(double), "only doubles");

/* The model that is being tried. */
static struct bw_latency_constants tried;
static void cost_tried(const struct bw_context *context, const struct bw_device *device,
                       struct bw_arena *arena, struct bw_stage_cost *stages)
{
	bw_latency_cost(&tried, context, device, arena, stages);
}

static double price_with(const struct measured *measured, const double *values)
{
	struct bw_cost_model model = bw_latency_model;
	model.cost = cost_tried;
	memcpy(&tried, values, sizeof tried);
	return measured_price(measured, &model);
}

/* Everything that is fitted and said. */
struct study {
	struct measured_list list;
	bool bundled; /* only bundled pipelines are fitted; the others are fresh */
	bool each; /* a line for each pipeline is printed */
	bool *is_fitted;
	double *weights, *predicted;
};

static bool is_fitted(const struct study *study, int i)
{
	return !study->bundled || study->list.rows[i].is_bundled;
}

/* Residues: log of measured over predicted, less its mean over the variant on the device. */
static void find_residues(const double *values, double *out, void *data)
{
	const struct study *study = data;
	const struct measured_list *list = &study->list;
	for (int i = 0, end; i < list->n; i = end) {
		double sum = 0;
		int n = 0;
		end = measured_end(list, i);
		for (int k = i; k < end; k++) {
			out[k] = 0;
			if (!study->is_fitted[k])
				continue;
			out[k] = log(list->rows[k].row.minimum / price_with(&list->rows[k], values));
			sum += out[k];
			n++;
		}
		for (int k = i; k < end; k++)
			out[k] -= study->is_fitted[k] ? sum / n : 0;
	}
}

static void weigh(struct study *study)
{
	const struct measured_list *list = &study->list;
	for (int i = 0, end; i < list->n; i = end) {
		int n = 0;
		end = measured_end(list, i);
		for (int k = i; k < end; k++)
			n += study->is_fitted[k] = is_fitted(study, k);
		for (int k = i; k < end; k++)
			study->weights[k] = n > 1 && study->is_fitted[k] ? WEIGHT / n / (ERROR * ERROR) : 0;
	}
}

/* Which schedules a line is about. */
enum kind { ALL, RANDOM, SEARCHED, CHANGED, THREADS, OTHER, N_KINDS };
static const char *const kind_names[N_KINDS] = {"all", "random", "searched", "changed", "threads", "other"};

static enum kind kind_of(const struct row *row)
{
	static const struct {
		const char *begin;
		enum kind kind;
	} kinds[] = {{"random", RANDOM}, {"roofline", SEARCHED}, {"latency", SEARCHED}, {"learned", SEARCHED},
	             {"top-", SEARCHED}, {"override", CHANGED},  {"change", CHANGED},   {"threads", THREADS}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strncmp(row->kind, kinds[i].begin, strlen(kinds[i].begin)))
			return kinds[i].kind;
	return OTHER;
}

/* Figures of the schedules of one variant, or pipeline, on one device. */
enum figure { RHO, RIGHT, REGRET, OF_FIVE, ERRORS, SCALE, BIAS, N_FIGURES };
struct of_variant {
	double figures[N_FIGURES];
	int n;
};

/* Mean of the logs of predicted over measured of a kind; NAN if there are none. */
static double mean_log(const struct study *study, int begin, int end, enum kind kind)
{
	double sum = 0;
	int n = 0;
	for (int i = begin; i < end; i++)
		if (kind_of(&study->list.rows[i].row) == kind) {
			sum += log(study->predicted[i] / study->list.rows[i].row.minimum);
			n++;
		}
	return n ? sum / n : (double)NAN;
}

static struct of_variant figures_of(const struct study *study, int begin, int end, enum kind kind, bool fresh)
{
	struct bw_pair *pairs = BW_NEW_ARRAY(struct bw_pair, end - begin);
	double sum = 0, squares = 0;
	int n = 0;
	for (int i = begin; i < end; i++) {
		const struct row *row = &study->list.rows[i].row;
		if ((kind != ALL && kind_of(row) != kind) || (fresh && study->is_fitted[i]))
			continue;
		pairs[n] = (struct bw_pair){study->predicted[i], row->minimum};
		double error = log(pairs[n].predicted / pairs[n].measured);
		sum += error;
		squares += error * error;
		n++;
	}
	struct bw_agreement agreement = bw_agreement_of(pairs, n);
	free(pairs);
	double mean = n ? sum / n : 0;
	return (struct of_variant){{agreement.rho, agreement.right, agreement.regret, agreement.regret5,
	                            n ? sqrt(fmax(0, squares / n - mean * mean)) : (double)NAN, n ? mean : (double)NAN,
	                            mean_log(study, begin, end, SEARCHED) - mean_log(study, begin, end, RANDOM)},
	                           n};
}

static double mean_of(const struct of_variant *variants, const int *chosen, int n, enum figure figure)
{
	double sum = 0;
	int count = 0;
	for (int i = 0; i < n; i++) {
		double value = variants[chosen[i]].figures[figure];
		if (isfinite(value)) {
			sum += value;
			count++;
		}
	}
	return count ? sum / count : (double)NAN;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Prints the mean of a figure over n variants, and where 95 of 100 means of as many drawn from them lie. */
static void put_figure(const struct of_variant *variants, int n, enum figure figure)
{
	static double means[N_SAMPLES];
	int *chosen = BW_NEW_ARRAY(int, n);
	uint64_t state = 1;
	for (int i = 0; i < n; i++)
		chosen[i] = i;
	double mean = mean_of(variants, chosen, n, figure);
	for (int s = 0; s < N_SAMPLES; s++) {
		for (int i = 0; i < n; i++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			chosen[i] = (int)((state >> 33) % (uint64_t)n);
		}
		means[s] = mean_of(variants, chosen, n, figure);
	}
	qsort(means, N_SAMPLES, sizeof *means, by_size);
	if (isnan(mean))
		printf("  %-19s", "-");
	else
		printf("  %6.3f %5.2f..%-5.2f", mean, means[N_SAMPLES / 40], means[N_SAMPLES - 1 - N_SAMPLES / 40]);
	free(chosen);
}

/* A pipeline that was measured at several sizes counts once: each size by its schedules. */
static void add_size(struct of_variant *pipeline, const struct of_variant *size)
{
	int n = pipeline->n + size->n;
	for (int f = 0; f < N_FIGURES; f++) {
		double a = pipeline->figures[f], b = size->figures[f];
		pipeline->figures[f] = isnan(a) ? b : isnan(b) ? a : (a * pipeline->n + b * size->n) / n;
	}
	pipeline->n = n;
}

/* Prints a line: of one table, of one kind. */
static void put_line(const struct study *study, const char *table, const char *with, enum kind kind, bool fresh)
{
	const struct measured_list *list = &study->list;
	struct of_variant *variants = BW_NEW_ARRAY(struct of_variant, list->n + 1);
	const char *last = "";
	int n = 0, schedules = 0;
	for (int i = 0, end; i < list->n; i = end) {
		end = measured_end(list, i);
		if (strcmp(list->rows[i].table, table) != 0)
			continue;
		struct of_variant now = figures_of(study, i, end, kind, fresh);
		schedules += now.n;
		if (now.n < 2)
			continue;
		if (!strcmp(last, list->rows[i].row.pipeline))
			add_size(&variants[n - 1], &now);
		else
			variants[n++] = now;
		last = list->rows[i].row.pipeline;
	}
	if (n) {
		printf("%-24s %-9s %-9s %5d %6d", table, fresh ? "fresh" : kind_names[kind], with, n, schedules);
		for (int f = 0; f < N_FIGURES; f++)
			if (f != BIAS || kind == ALL)
				put_figure(variants, n, (enum figure)f);
		puts("");
	}
	free(variants);
}

/* Prints a line for each variant: what was picked, what is fastest, and how far predictions are off. */
static void put_variants(const struct study *study)
{
	const struct measured_list *list = &study->list;
	printf("\n%-24s %-26s %3s %6s %6s  %-20s %-20s %9s %11s\n", "device", "pipeline", "n", "rho", "regret", "picked",
	       "fastest", "fastest_ms", "scale");
	for (int i = 0, end; i < list->n; i = end) {
		end = measured_end(list, i);
		struct bw_pair *pairs = BW_NEW_ARRAY(struct bw_pair, end - i);
		for (int k = i; k < end; k++)
			pairs[k - i] = (struct bw_pair){study->predicted[k], list->rows[k].row.minimum};
		struct bw_agreement agreement = bw_agreement_of(pairs, end - i);
		printf("%-24s %-26s %3d %6.2f %6.2f  %-20s %-20s %9.4f %6.2f\n", list->rows[i].table,
		       list->rows[i].row.variant, agreement.n, agreement.rho, agreement.regret,
		       list->rows[i + agreement.choice].row.label, list->rows[i + agreement.best].row.label,
		       pairs[agreement.best].measured, agreement.scale);
		free(pairs);
	}
}

static void put_lines(const struct study *study, const char *with)
{
	const struct measured_list *list = &study->list;
	for (int i = 0; i < list->n; i++) {
		if (i && !strcmp(list->rows[i].table, list->rows[i - 1].table))
			continue;
		for (int kind = ALL; kind < N_KINDS; kind++)
			put_line(study, list->rows[i].table, with, (enum kind)kind, false);
		if (study->bundled)
			put_line(study, list->rows[i].table, with, ALL, true);
	}
}

static void say(struct study *study, const char *with, const double *values)
{
	for (int i = 0; i < study->list.n; i++)
		study->predicted[i] = price_with(&study->list.rows[i], values);
	put_lines(study, with);
}

/* Predicts each pipeline with constants to which it was not fitted, on any device. */
static void say_left_out(struct study *study, const struct fit *fit)
{
	const struct measured_list *list = &study->list;
	bool *without = BW_NEW_ARRAY(bool, list->n), *is_done = BW_NEW_ARRAY(bool, list->n);
	for (int i = 0; i < list->n; i++) {
		double values[FIT_MOST_PARAMETERS];
		if (is_done[i])
			continue;
		for (int k = 0; k < list->n; k++)
			without[k] = !strcmp(list->rows[k].row.pipeline, list->rows[i].row.pipeline);
		fit_without(fit, without, values);
		for (int k = 0; k < list->n; k++)
			if (without[k]) {
				study->predicted[k] = price_with(&list->rows[k], values);
				is_done[k] = true;
			}
	}
	put_lines(study, "left out");
	free(without);
	free(is_done);
}

/* Lower ends of the classes of leads: how much longer a schedule is predicted to take than another. */
static const double leads[] = {0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1};
enum { N_LEADS = sizeof leads / sizeof *leads };

/* Pairs of schedules of one variant, by their lead. */
struct led {
	int n, right;
	double squares; /* of the log of the lead measured over the one predicted */
};

static int lead_class(double lead)
{
	int k = N_LEADS - 1;
	while (lead < leads[k])
		k--;
	return k;
}

static void add_leads(const struct study *study, int begin, int end, bool random, struct led led[N_LEADS])
{
	for (int i = begin; i < end; i++)
		for (int k = begin; k < i; k++) {
			const struct row *a = &study->list.rows[i].row, *b = &study->list.rows[k].row;
			double log_lead = log(study->predicted[i] / study->predicted[k]),
			       log_measured = log(a->minimum / b->minimum);
			if (log_lead == 0 || log_measured == 0 || (!random && (kind_of(a) == RANDOM || kind_of(b) == RANDOM)))
				continue;
			struct led *of = &led[lead_class(exp(fabs(log_lead)) - 1)];
			of->n++;
			of->right += (log_lead > 0) == (log_measured > 0);
			of->squares += (log_measured - log_lead) * (log_measured - log_lead);
		}
}

/* Returns the least lead from which on two of three are real. */
static double ties_end(const struct led led[N_LEADS])
{
	double end = INFINITY;
	for (int k = N_LEADS - 1; k >= 0 && 3 * led[k].right >= 2 * led[k].n; k--)
		end = leads[k];
	return end;
}

/* Prints how often the schedule that a model predicts to be faster is, by its lead: of all pairs, and of
 * those without a random schedule. */
static void put_leads(struct study *study, const struct bw_cost_model *model)
{
	const struct measured_list *list = &study->list;
	struct led led[2][N_LEADS] = {{{0}}};
	for (int i = 0; i < list->n; i++)
		study->predicted[i] = measured_price(&list->rows[i], model);
	for (int i = 0, end; i < list->n; i = end) {
		end = measured_end(list, i);
		for (int random = 0; random < 2; random++)
			add_leads(study, i, end, random, led[random]);
	}
	for (int k = 0; k < N_LEADS; k++) {
		char to[16] = "more";
		if (k + 1 < N_LEADS)
			snprintf(to, sizeof to, "%.0f %%", 100 * leads[k + 1]);
		printf("%-9s %4.0f %%..%-6s", model->name, 100 * leads[k], to);
		for (int random = 1; random >= 0; random--) {
			const struct led *of = &led[random][k];
			printf(" %8d %6.2f %6.2f", of->n, (double)of->right / of->n, sqrt(of->squares / of->n));
		}
		puts("");
	}
	printf("%-9s ties end at %.0f %%; in the source at %.0f %%\n", model->name, 100 * ties_end(led[0]), 100 * model->tie);
}

static void put_all_leads(struct study *study)
{
	int n;
	const struct bw_cost_model *const *models = bw_cost_models(&n);
	printf("\nleads: share of the pairs whose order is right, and the error (log) of the lead\n%-9s %-15s %8s %6s %6s %8s %6s %6s\n",
	       "model", "lead", "all", "right", "error", "searched", "right", "error");
	for (int m = 0; m < n; m++)
		put_leads(study, models[m]);
}

static void put_constants(const double *textbook, const double *tree, const double *fitted)
{
	printf("%-12s %9s %9s %9s  %s\n", "constant", "textbook", "source", "fitted", "meaning");
	for (int k = 0; k < N_CONSTANTS; k++)
		printf("%-12s %9.3g %9.3g %9.3g  %s%s%s\n", constants[k].name, textbook[k], tree[k], fitted[k],
		       constants[k].unit, *constants[k].unit ? ": " : "", constants[k].text);
}

static void study_all(struct study *study)
{
	double textbook[N_CONSTANTS], tree[N_CONSTANTS];
	struct fit fit = {.n = N_CONSTANTS,
	                  .m = study->list.n,
	                  .before = textbook,
	                  .price = PRICE,
	                  .huber = HUBER,
	                  .weights = study->weights,
	                  .residues = find_residues,
	                  .data = study};
	memcpy(textbook, &bw_latency_textbook, sizeof textbook);
	memcpy(tree, &bw_latency_fitted, sizeof tree);
	memcpy(fit.values, textbook, sizeof textbook);
	weigh(study);
	fit_run(&fit);
	put_constants(textbook, tree, fit.values);
	printf("\n%-24s %-9s %-9s %5s %6s  %-19s  %-19s  %-19s  %-19s  %-19s  %-19s  %-19s\n", "device", "schedules",
	       "constants", "pipes", "n", "rho, 95 in 100", "pairs right", "regret", "of five", "error (log)",
	       "mean (log)", "bias of searched");
	say(study, "textbook", textbook);
	say(study, "source", tree);
	if (study->each)
		put_variants(study);
	say(study, "fitted", fit.values);
	say_left_out(study, &fit);
	put_all_leads(study);
	fit_free(&fit);
}

static void usage(FILE *out)
{
	fputs("usage: fit-latency [--bundled] [--each] [FOLDER]\n\n"
	      "Fits the constants of the latency model (src/cost/latency.h) to what was measured (FOLDER, default\n"
	      "data/measured), beginning from those of textbooks, and prints them and how well they predict.\n\n"
	      "  --bundled  fits only the bundled pipelines, and shows the others as \"fresh\"\n"
	      "  --each     prints a line for each pipeline, by the constants of the source\n"
	      "  --help     this text\n",
	      out);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"bundled", no_argument, NULL, 'b'}, {"each", no_argument, NULL, 'e'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
	const char *source = getenv("BW_SRC") ? getenv("BW_SRC") : ".";
	struct study study = {0};
	struct bw_text folder = {0};
	struct bw_error error;
	for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;)
		if (option == 'b') {
			study.bundled = true;
		} else if (option == 'e') {
			study.each = true;
		} else {
			usage(option == 'h' ? stdout : stderr);
			return option == 'h' ? 0 : 2;
		}
	bw_text_printf(&folder, "%s/data/measured", source);
	bool good = measured_read_all(optind < argc ? argv[optind] : bw_text_get(&folder), source, &study.list, &error);
	if (good) {
		study.weights = BW_NEW_ARRAY(double, study.list.n);
		study.predicted = BW_NEW_ARRAY(double, study.list.n);
		study.is_fitted = BW_NEW_ARRAY(bool, study.list.n);
		study_all(&study);
	} else {
		fprintf(stderr, "fit-latency: %s\n", error.text);
	}
	free(study.weights);
	free(study.predicted);
	free(study.is_fitted);
	measured_free(&study.list);
	bw_text_free(&folder);
	return good ? 0 : 1;
}
