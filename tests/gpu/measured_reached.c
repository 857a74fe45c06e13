#include "measured_reached.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cost/latency.h"
#include "measured_rows.h"
#include "results/results.h"

enum { MOST_REACHED = 1 << 20 };

static void add(struct reached_list *reached, const char *table, const char *variant, const char *model,
                const struct bw_agreement *agreement)
{
	BW_GROW(reached->list, reached->n, reached->capacity);
	struct reached *one = &reached->list[reached->n++];
	*one = (struct reached){
		.rho = agreement->rho, .n = agreement->n, .right = agreement->right, .regret = agreement->regret};
	snprintf(one->table, sizeof one->table, "%s", table);
	snprintf(one->variant, sizeof one->variant, "%s", variant);
	snprintf(one->model, sizeof one->model, "%s", model);
}

/* Prices the n rows of one variant. */
static void price_variant(const struct measured *rows, int n, const struct bw_cost_model *model,
                          struct reached_list *reached)
{
	struct bw_pair *pairs = BW_NEW_ARRAY(struct bw_pair, n);
	for (int i = 0; i < n; i++)
		pairs[i] = (struct bw_pair){measured_price(&rows[i], model), rows[i].row.minimum};
	struct bw_agreement agreement = bw_agreement_of(pairs, n);
	if (agreement.n > 1)
		add(reached, rows->table, rows->row.variant, model->name, &agreement);
	free(pairs);
}

/* Prices all rows of a list by the roofline, the latency model and, if it is not NULL, by `learned`. */
static void price_list(const struct measured_list *list, const struct bw_cost_model *learned,
                       struct reached_list *reached)
{
	const struct bw_cost_model *models[] = {&bw_roofline, &bw_latency_model, learned};
	for (int m = 0; m < 3; m++)
		for (int i = 0, end; i < list->n && models[m]; i = end) {
			end = measured_end(list, i);
			price_variant(&list->rows[i], end - i, models[m], reached);
		}
}

bool reached_price(const char *folder, const char *name, const char *source,
                   const struct bw_cost_model *learned, struct reached_list *reached, struct bw_error *error)
{
	struct measured_list list = {0};
	bool good = measured_read(folder, name, source, &list, error);
	if (good)
		price_list(&list, learned, reached);
	measured_free(&list);
	return good;
}

bool reached_price_all(const char *folder, const char *source, const struct bw_cost_model *learned,
                       struct reached_list *reached, int *n_tables, struct bw_error *error)
{
	struct measured_list list = {0};
	bool good = measured_read_all(folder, source, &list, error);
	if (good)
		price_list(&list, learned, reached);
	*n_tables = list.n_tables;
	measured_free(&list);
	return good;
}

static bool read_line(const char *line, struct reached *one)
{
	char rho[32], *end;
	if (sscanf(line, "%95[^\t]\t%95[^\t]\t%31[^\t]\t%31[^\t]\t%d", one->table, one->variant, one->model,
	           rho, &one->n) != 5)
		return false;
	one->rho = strcmp(rho, "-") ? strtod(rho, &end) : (double)NAN;
	return !strcmp(rho, "-") || !*end;
}

bool reached_read(const char *folder, struct reached_list *reached, struct bw_error *error)
{
	struct bw_text path = {0}, text = {0};
	bool good = true;
	bw_text_printf(&path, "%s/reached", folder);
	if (access(bw_text_get(&path), F_OK) == 0)
		good = bw_file_read(bw_text_get(&path), MOST_REACHED, &text, error);
	char *rest = text.bytes;
	for (int number = 1; good && rest; number++) {
		const char *line = strsep(&rest, "\n");
		struct reached one = {0};
		if (!*line || number == 1)
			continue;
		good = read_line(line, &one) ||
		       bw_fail(error, BW_ERROR_INPUT, "%s:%d: expected table, variant, model, rho, schedules",
		               bw_text_get(&path), number);
		BW_GROW(reached->list, reached->n, reached->capacity);
		reached->list[reached->n++] = one;
	}
	bw_text_free(&path);
	bw_text_free(&text);
	return good;
}

static const struct reached *find(const struct reached_list *reached, const struct reached *like)
{
	for (int i = 0; i < reached->n; i++) {
		const struct reached *one = &reached->list[i];
		if (!strcmp(one->table, like->table) && !strcmp(one->variant, like->variant) &&
		    !strcmp(one->model, like->model))
			return one;
	}
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	const struct reached *x = a, *y = b;
	int order = strcmp(x->table, y->table);
	order = order ? order : strcmp(x->variant, y->variant);
	return order ? order : strcmp(x->model, y->model);
}

bool reached_write(const char *folder, const struct reached_list *before, const struct reached_list *now,
                   struct bw_error *error)
{
	struct bw_text path = {0}, out = {0};
	struct reached *all = BW_NEW_ARRAY(struct reached, before->n + now->n + 1);
	int n = 0;
	for (int i = 0; i < now->n; i++)
		all[n++] = now->list[i];
	for (int i = 0; i < before->n; i++)
		if (!find(now, &before->list[i]))
			all[n++] = before->list[i];
	qsort(all, (size_t)n, sizeof *all, by_name);
	bw_text_printf(&path, "%s/reached", folder);
	bw_text_puts(&out, "table\tvariant\tmodel\trho\tschedules\n");
	for (int i = 0; i < n; i++) {
		bw_text_printf(&out, "%s\t%s\t%s\t", all[i].table, all[i].variant, all[i].model);
		bw_text_printf(&out, isnan(all[i].rho) ? "-" : "%.3f", all[i].rho);
		bw_text_printf(&out, "\t%d\n", all[i].n);
	}
	bool good = bw_file_write(bw_text_get(&path), bw_text_get(&out), out.length, error);
	free(all);
	bw_text_free(&path);
	bw_text_free(&out);
	return good;
}

static bool has_model(const struct reached_list *reached, const char *model)
{
	for (int i = 0; i < reached->n; i++)
		if (!strcmp(reached->list[i].model, model))
			return true;
	return false;
}

int reached_compare(const struct reached_list *before, const struct reached_list *now, struct bw_text *out)
{
	int n = 0;
	for (int i = 0; i < before->n; i++) {
		const struct reached *then = &before->list[i], *one = find(now, then);
		bool fell = one && !isnan(then->rho) && !(one->rho >= then->rho - REACHED_TOLERANCE),
		     gone = !one && has_model(now, then->model);
		if (fell)
			bw_text_printf(
				out,
				"%s %s by %s: rho was %.3f over %d schedules and is %.3f over %d: more than %g less\n",
				then->table, then->variant, then->model, then->rho, then->n, one->rho, one->n,
				REACHED_TOLERANCE);
		if (gone)
			bw_text_printf(
				out,
				"%s %s by %s: rho was %.3f over %d schedules, and nothing is measured of it now\n",
				then->table, then->variant, then->model, then->rho, then->n);
		n += fell + gone;
	}
	for (int i = 0; i < now->n; i++)
		if (!find(before, &now->list[i])) {
			bw_text_printf(out,
			               "%s %s by %s: rho is %.3f, and is not yet in the file `reached`\n",
			               now->list[i].table, now->list[i].variant, now->list[i].model,
			               now->list[i].rho);
			n++;
		}
	return n;
}

void reached_free(struct reached_list *reached)
{
	free(reached->list);
	*reached = (struct reached_list){0};
}
