/* Opinions: every column has a best of 1, a model's costs of kernels add up to its cost of the schedule, the beam's schedule is the batch search's, what is
 * stopped has no row, a row that is skipped says so, and a second thread sees only rows that are filled. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../core/bundled.h"
#include "../core/test.h"
#include "base/mem.h"
#include "schedulers/scheduler.h"
#include "schedulers/opinions.h"

static struct bw_device *devices;
static struct bw_settings options;

static int open_all(void **state)
{
	devices = bundled_devices(NULL);
	options = bw_settings_default(devices);
	options.model = &bw_roofline;
	options.beam = 4;
	return 0;
}

static int close_all(void **state)
{
	free(devices);
	return 0;
}

/* Checks what holds of a row with a schedule. */
static void check_row(const struct bw_opinions *opinions, const struct bw_opinion *row)
{
	assert_non_null(row->schedule);
	assert_true(row->n_kernels > 0);
	for (int m = 0; m < opinions->n_models; m++) {
		double sum = 0;
		for (int k = 0; k < row->n_kernels; k++)
			sum += row->kernel_costs[k * opinions->n_models + m];
		assert_true(fabs(sum - row->costs[m].cost) <= 1e-9 * fabs(sum));
		assert_true(row->costs[m].of_best >= 1);
	}
	for (int f = 0; f < BW_N_OPINION_FIGURES; f++)
		assert_true(isnan(row->costs[opinions->n_models + f].cost));
}

/* hist_equalize has several kernels, and stages of one Func in kernels of their own; exact is skipped, since it would take its 10 seconds. */
static void rows_add_up(void **state)
{
	static const atomic_bool never = false;
	struct bw_error error;
	struct bw_pipeline *pipeline = bundled_pipeline("hist_equalize");
	struct bw_opinions *opinions = bw_opinions_new(pipeline, &options, NULL, "none");
	int exact = bw_opinions_find(opinions, "exact"), hand = bw_opinions_find(opinions, "hand"), n = 0;
	assert_int_equal(exact, opinions->n - 2);
	assert_int_equal(hand, opinions->n - 1);
	opinions->list[exact].skip = true;
	while (bw_opinions_next(opinions, &never))
		assert_int_equal(opinions->done, ++n);
	assert_int_equal(n, opinions->n);
	bw_opinions_compare(opinions);
	for (int i = 0; i < exact; i++)
		check_row(opinions, &opinions->list[i]);
	assert_string_equal(opinions->list[exact].why, "not asked for");
	assert_string_equal(opinions->list[hand].why, "none");
	for (int m = 0; m < opinions->n_models; m++) {
		int best = 0;
		for (int i = 0; i < exact; i++)
			best += opinions->list[i].costs[m].of_best == 1;
		assert_true(best >= 1);
	}
	struct bw_batch batch;
	assert_true(bw_batch_run(pipeline, &options, NULL, &batch, &error));
	assert_true(bw_schedule_hash(batch.schedule) == bw_schedule_hash(opinions->list[0].schedule));
	assert_true(opinions->list[0].costs[0].cost == batch.cost);
	bw_batch_free(&batch);
	bw_opinions_free(opinions);
	bw_pipeline_free(pipeline);
}

static void *fill(void *data)
{
	static const atomic_bool never = false;
	while (bw_opinions_next(data, &never))
		continue;
	return NULL;
}

/* The schedule by hand is a schedule like the others; the exact scheduler is at its end, and says so. */
static void another_thread_fills(void **state)
{
	struct bw_error error;
	struct bw_batch batch;
	struct bw_pipeline *pipeline = bundled_pipeline("blur");
	assert_true(bw_batch_run(pipeline, &options, NULL, &batch, &error));
	struct bw_nest *nest = bw_schedule_nest(pipeline, batch.schedule, &error);
	struct bw_opinions *opinions = bw_opinions_new(pipeline, &options, nest, NULL);
	pthread_t thread;
	assert_int_equal(pthread_create(&thread, NULL, fill, opinions), 0);
	while (atomic_load(&opinions->done) < opinions->n) {
		bw_opinions_compare(opinions);
		for (int i = 0; i < atomic_load(&opinions->done); i++)
			assert_true(opinions->list[i].schedule || opinions->list[i].why);
	}
	pthread_join(thread, NULL);
	bw_opinions_compare(opinions);
	for (int i = 0; i < opinions->n; i++)
		check_row(opinions, &opinions->list[i]);
	assert_true(opinions->list[opinions->n - 1].costs[0].cost == batch.cost);
	assert_non_null(strstr(opinions->list[bw_opinions_find(opinions, "exact")].note, "no schedule of the search space costs less than"));
	bw_opinions_free(opinions);
	bw_nest_drop(nest);
	bw_batch_free(&batch);
	bw_pipeline_free(pipeline);
}

static void stopped_rows_are_not_there(void **state)
{
	static const atomic_bool stop = true;
	struct bw_pipeline *pipeline = bundled_pipeline("blur");
	struct bw_opinions *opinions = bw_opinions_new(pipeline, &options, NULL, "none");
	assert_false(bw_opinions_next(opinions, &stop));
	assert_int_equal(opinions->done, 0);
	bw_opinions_free(opinions);
	bw_pipeline_free(pipeline);
}

int main(void)
{
	cmocka_set_message_output(CM_OUTPUT_TAP);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_add_up),
		cmocka_unit_test(another_thread_fills),
		cmocka_unit_test(stopped_rows_are_not_there),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
