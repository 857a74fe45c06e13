/* How well the cost models rank what was measured on devices: the schedules of data/measured are priced
 * again, and no rank correlation is more than the tolerance below what was reached. The same for the figures
 * of a simulator in tests/gpu/measured-fixture, with which it is shown that a fall is seen. BW_REACHED=write
 * writes the correlations as they are now. BW_HALIDE_WEIGHTS: weights by which the learned model prices as
 * well; without it that model's are passed over. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "fit.h"
#include "measured_reached.h"
#include "measured_rows.h"
#include "measured_table.h"

static const char *in_source(const char *name, struct bw_text *path)
{
	bw_text_clear(path);
	bw_text_printf(path, "%s/%s", getenv("BW_SRC") ? getenv("BW_SRC") : ".", name);
	return bw_text_get(path);
}

/* Prices all tables of a folder of the sources and reads what was reached; returns the number of tables. */
static int price(const char *name, struct reached_list *before, struct reached_list *now)
{
	struct bw_text folder = {0}, source = {0};
	struct bw_error error;
	struct bw_models models = {0};
	const char *weights = getenv("BW_HALIDE_WEIGHTS");
	const struct bw_cost_model *learned =
		weights && *weights ? bw_models_read(&models, weights, &error) : NULL;
	int n = 0;
	if (!reached_price_all(in_source(name, &folder), in_source(".", &source), learned, now, &n, &error) ||
	    !reached_read(bw_text_get(&folder), before, &error))
		fail_msg("%s", error.text);
	if (getenv("BW_REACHED") && !strcmp(getenv("BW_REACHED"), "write") && n) {
		if (!reached_write(bw_text_get(&folder), before, now, &error))
			fail_msg("%s", error.text);
		reached_free(before);
		assert_true(reached_read(bw_text_get(&folder), before, &error));
	}
	bw_models_free(&models);
	bw_text_free(&folder);
	bw_text_free(&source);
	return n;
}

/* Says the means over the variants of the tables that the one at `first` begins: rank correlation, share of
 * pairs in the right order, and what is lost where the model picks. Returns the number of the next one. */
static int say_means(const struct reached_list *now, int first)
{
	const struct reached *of = &now->list[first];
	double rho = 0, right = 0, regret = 0;
	int n = 0, i = first;
	for (; i < now->n && !strcmp(now->list[i].table, of->table) && !strcmp(now->list[i].model, of->model); i++) {
		if (isnan(now->list[i].rho) || isnan(now->list[i].right))
			continue;
		rho += now->list[i].rho;
		right += now->list[i].right;
		regret += log(now->list[i].regret);
		n++;
	}
	print_message("# %s by %s, %d variants: rho %.3f, pairs right %.3f, regret %.3f\n", of->table, of->model, n,
	              rho / n, right / n, exp(regret / n));
	return i;
}

static void check(const char *folder, const struct reached_list *before, const struct reached_list *now)
{
	struct bw_text said = {0};
	int n = reached_compare(before, now, &said);
	for (int i = 0; i < now->n; i++)
		print_message("# %s %s by %s: rho %.3f over %d schedules\n", now->list[i].table,
		              now->list[i].variant, now->list[i].model, now->list[i].rho, now->list[i].n);
	for (int i = 0; i < now->n;)
		i = say_means(now, i);
	if (n)
		print_error(
			"%s%s: where the fall is known and wanted, or the measurements are new: BW_REACHED=write make check TESTS=tests/gpu/measured\n",
			bw_text_get(&said), folder);
	bw_text_free(&said);
	assert_int_equal(n, 0);
}

static void test_measured(void **state)
{
	struct reached_list before = {0}, now = {0};
	(void)state;
	if (!price("data/measured", &before, &now))
		print_message("# nothing was measured on a GPU yet\n");
	check("data/measured", &before, &now);
	reached_free(&before);
	reached_free(&now);
}

static void test_simulated(void **state)
{
	struct reached_list before = {0}, now = {0};
	(void)state;
	assert_int_equal(price("tests/gpu/measured-fixture", &before, &now), 1);
	assert_true(now.n >= 4);
	check("tests/gpu/measured-fixture", &before, &now);
	reached_free(&before);
	reached_free(&now);
}

static struct reached one_of(const char *variant, const char *model, double rho)
{
	struct reached one = {.table = "device", .rho = rho, .n = 20};
	snprintf(one.variant, sizeof one.variant, "%s", variant);
	snprintf(one.model, sizeof one.model, "%s", model);
	return one;
}

static int compared(struct reached before, struct reached now, const char *said)
{
	struct bw_text out = {0};
	int n = reached_compare(&(struct reached_list){&before, 1, 1}, &(struct reached_list){&now, 1, 1},
	                        &out);
	if (said && !strstr(bw_text_get(&out), said))
		fail_msg("expected \"%s\" in \"%s\"", said, bw_text_get(&out));
	bw_text_free(&out);
	return n;
}

/* What is told, and what is not. */
static void test_falls(void **state)
{
	(void)state;
	assert_int_equal(compared(one_of("blur", "roofline", 0.8), one_of("blur", "roofline", 0.76), NULL),
	                 0);
	assert_int_equal(compared(one_of("blur", "roofline", 0.8), one_of("blur", "roofline", 0.9), NULL), 0);
	assert_int_equal(compared(one_of("blur", "roofline", 0.8), one_of("blur", "roofline", 0.74),
	                          "rho was 0.800 over 20 schedules and is 0.740"),
	                 1);
	assert_int_equal(compared(one_of("blur", "roofline", 0.8), one_of("blur", "roofline", (double)NAN),
	                          "rho was 0.800"),
	                 1);
	assert_int_equal(
		compared(one_of("blur", "roofline", (double)NAN), one_of("blur", "roofline", -1), NULL), 0);
	assert_int_equal(compared(one_of("blur", "roofline", 0.8), one_of("harris", "roofline", 0.8),
	                          "nothing is measured of it now"),
	                 2);
	assert_int_equal(compared(one_of("blur", "learned", 0.8), one_of("blur", "roofline", 0.8),
	                          "is not yet in the file"),
	                 1);
}

/* A folder without tables, without reached, and one that is not there: nothing is priced, and nothing is
 * wrong. */
static void test_none(void **state)
{
	struct reached_list list = {0};
	struct bw_error error;
	int n;
	(void)state;
	assert_true(reached_price_all("/nonexistent/measured", ".", NULL, &list, &n, &error));
	assert_int_equal(n, 0);
	assert_true(reached_read("/nonexistent/measured", &list, &error));
	assert_int_equal(list.n, 0);
}

/* A table that is read and written again is the same, to the byte; one that is damaged is told with line and
 * column. */
static void test_table(void **state)
{
	struct bw_text path = {0}, before = {0}, after = {0};
	struct bw_error error;
	struct table table;
	char copy[] = "/tmp/beamwalk-table-XXXXXX";
	int file = mkstemp(copy);
	(void)state;
	assert_true(file >= 0);
	close(file);
	assert_true(table_read(
		&table, in_source("tests/gpu/measured-fixture/simulated-V100-sixteenth.tsv", &path), &error));
	assert_true(table_write(&table, copy, &error));
	table_free(&table);
	assert_true(bw_file_read(bw_text_get(&path), 1 << 20, &before, &error) &&
	            bw_file_read(copy, 1 << 20, &after, &error));
	assert_string_equal(bw_text_get(&after), bw_text_get(&before));
	bw_text_puts(&after, "blur\t192x96\tblur\tx\trandom\t0\tA100\tfast\n");
	assert_true(bw_file_write(copy, bw_text_get(&after), after.length, &error));
	assert_false(table_read(&table, copy, &error));
	assert_non_null(strstr(error.text, "column roofline_ms: expected a number"));
	table_free(&table);
	unlink(copy);
	bw_text_free(&path);
	bw_text_free(&before);
	bw_text_free(&after);
}

/* What was measured at another size than that of the description is not priced at that one. */
static void test_size(void **state)
{
	struct bw_text path = {0}, table = {0}, source = {0};
	struct bw_error error;
	struct measured_list list = {0};
	char folder[] = "/tmp/beamwalk-measured-XXXXXX";
	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_true(bw_file_read(in_source("tests/gpu/measured-fixture/simulated-V100-sixteenth.tsv", &path), 1 << 20, &table, &error));
	bw_text_clear(&path);
	bw_text_printf(&path, "%s/simulated-V100-sixteenth.tsv", folder);
	assert_true(bw_file_write(bw_text_get(&path), bw_text_get(&table), table.length, &error));
	assert_false(measured_read(folder, "simulated-V100-sixteenth", in_source("", &source), &list, &error));
	assert_non_null(strstr(error.text, "blur hand was measured at 192x96, its description has 6400x4800"));
	measured_free(&list);
	unlink(bw_text_get(&path));
	rmdir(folder);
	bw_text_free(&path);
	bw_text_free(&table);
	bw_text_free(&source);
}

enum { N_FITTED = 12 };

/* log of 2x + 0.5/x over ax + b/x, for x from 1/4 to 3; the last is far off. */
static void find_residues(const double *values, double *out, void *data)
{
	(void)data;
	for (int i = 0; i < N_FITTED; i++) {
		double x = 0.25 * (i + 1);
		out[i] = log((2 * x + 0.5 / x) / (values[0] * x + values[1] / x));
	}
	out[N_FITTED - 1] += 3;
}

/* Constants are found again, unless leaving those before has its price; what one schedule says that is far
 * off counts little, and nothing where it is left out. */
static void test_fit(void **state)
{
	(void)state;
	static const double before[] = {1, 1}, prices[] = {1e-4, 1e4};
	double weights[N_FITTED], values[FIT_MOST_PARAMETERS];
	bool without[N_FITTED] = {false};
	without[N_FITTED - 1] = true;
	for (int i = 0; i < N_FITTED; i++)
		weights[i] = 100;
	for (int k = 0; k < 2; k++) {
		struct fit fit = {.n = 2, .m = N_FITTED, .values = {1, 1}, .before = before, .price = prices[k],
		                  .huber = 0.01, .weights = weights, .residues = find_residues};
		fit_run(&fit);
		fit_without(&fit, without, values);
		double far = k ? 1e-3 : 0.05;
		assert_true(fabs(fit.values[0] - (k ? 1 : 2)) < far && fabs(fit.values[1] - (k ? 1 : 0.5)) < far);
		assert_true(k || (fabs(values[0] - 2) < 0.01 && fabs(values[1] - 0.5) < 0.01));
		fit_free(&fit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_measured), cmocka_unit_test(test_simulated),
	                                   cmocka_unit_test(test_falls), cmocka_unit_test(test_fit), cmocka_unit_test(test_none), cmocka_unit_test(test_size),
	                                   cmocka_unit_test(test_table)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
