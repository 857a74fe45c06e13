/* What a pool makes of the outcomes of its workers: which of them stand, and whom to trust. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/mem.h"
#include "bench/pool_private.h"

enum { MOST_LOSSES = 2, MOST_CONTRADICTED = 3 };
/* How many times as long, or as short, as on the others a control schedule may take. */
static const double far = 2;

/* Stops the workers that have nothing of their own left to do: others have done it. */
static void stop_needless(struct bw_pool *pool)
{
	for (int i = 0; i < pool->n_workers; i++) {
		struct bw_pool_worker *worker = &pool->workers[i];
		bool needless = worker->n;
		for (int k = 0; k < worker->n; k++)
			needless &= !worker->batch[k] || worker->batch[k]->state == BW_ITEM_DONE;
		if (needless && worker->n_told < worker->n)
			atomic_store(&worker->stop, true);
	}
}

static void put_back(struct bw_pool *pool, struct bw_pool_item *item)
{
	struct bw_error error = {0};
	if (item->ticket && item->state != BW_ITEM_DONE && !bw_pool_alive(pool, item->kind)) {
		bw_fail(&error, BW_ERROR_DEVICE, "no worker is left that has %s",
			pool->kinds[item->kind].device.name);
		bw_pool_fail(pool, item, true, &error);
	}
	pthread_cond_broadcast(&pool->changed);
}

/* Ends an item with what its worker said. Takes what was counted. */
static void finish(struct bw_pool_worker *worker, struct bw_pool_item *item, struct bw_measured *measured)
{
	struct bw_pool *pool = worker->pool;
	struct bw_pool_kind *kind = &pool->kinds[worker->kind];
	item->outcome = (struct bw_pooled){.ticket = item->ticket,
					   .measured = *measured,
					   .ran = true,
					   .command = worker->command,
					   .device = &kind->device};
	memcpy(item->outcome.measured.measurement.halide, pool->halide, sizeof pool->halide);
	measured->counted = NULL;
	bw_pool_done(pool, item);
	stop_needless(pool);
}

/* Returns true if a measurement cannot be. */
static bool is_impossible(const struct bw_pool_worker *worker, const struct bw_measurement *m, char *why,
			  size_t size)
{
	double ms = 1e3 * (worker->last - worker->began);
	if (m->verdict == BW_OUTPUT_WRONG)
		return false;
	if (!(m->minimum > 0) || !isfinite(m->minimum) || !(m->median >= m->minimum))
		snprintf(why, size, "it says that a schedule takes %g ms", m->minimum);
	else if (m->runs > 0 && m->runs * m->minimum > 1.1 * ms + 1)
		snprintf(why, size, "it says %d runs of %.3g ms, and has answered within %.3g ms", m->runs,
			 m->minimum, ms);
	else
		return false;
	return true;
}

/* Keeps the first right schedule of a kind as the one that workers are compared by. The times of CPUs say
 * nothing. */
static void keep_control(struct bw_pool_worker *worker, const struct bw_pool_item *item,
			 const struct bw_measured *measured)
{
	struct bw_pool_kind *kind = &worker->pool->kinds[worker->kind];
	const struct bw_measurement *m = &measured->measurement;
	bool right = m->verdict == BW_RIGHT || m->verdict == BW_RIGHT_WITHIN_BOUND;
	if (kind->control || !right || m->cpu || kind->device.cpu || bw_device_emulated(&kind->device))
		return;
	kind->control = bw_strdup(item->object);
	worker->control = m->minimum;
}

/* The worker has failed with the item, which others then try, unless that is over. */
static void fail(struct bw_pool_worker *worker, struct bw_pool_item *item, struct bw_measured *measured)
{
	item->losses++;
	item->loser = worker;
	worker->lost += measured->loss == BW_LOSS_DURING;
	if (item->losses >= MOST_LOSSES || (!measured->loss && bw_pool_alive(worker->pool, worker->kind) < 2))
		finish(worker, item, measured);
	else
		put_back(worker->pool, item);
}

/* The item is right here: whoever failed with it may not be trusted. */
static void contradict(struct bw_pool_worker *worker, const struct bw_pool_item *item)
{
	for (int i = 0; i < worker->pool->n_workers && item->loser; i++) {
		struct bw_pool_worker *other = &worker->pool->workers[i];
		if (other == item->loser && other != worker && ++other->contradicted >= MOST_CONTRADICTED)
			bw_pool_drop(other, BW_ERROR_DEVICE,
				     "it failed with schedules that run on other workers");
	}
}

static void take_control(struct bw_pool_worker *worker, const struct bw_measured *measured)
{
	if (measured->loss)
		return;
	if (!measured->good || measured->measurement.verdict == BW_OUTPUT_WRONG) {
		bw_pool_drop(worker, BW_ERROR_DEVICE,
			     "it failed with a schedule that runs on another worker");
		return;
	}
	worker->control = measured->measurement.minimum;
	bw_pool_judge(worker->pool, worker->kind);
}

/* Takes in an outcome that is the worker's own, of an item that has none yet. */
static void judge_outcome(struct bw_pool_worker *worker, struct bw_pool_item *item,
			  struct bw_measured *measured)
{
	char why[200];
	if (measured->good && is_impossible(worker, &measured->measurement, why, sizeof why)) {
		bw_pool_drop(worker, BW_ERROR_DEVICE, why);
		put_back(worker->pool, item);
	} else if (!item->ticket) {
		take_control(worker, measured);
	} else if (measured->loss == BW_LOSS_BEFORE) {
		put_back(worker->pool, item);
	} else if (!measured->good) {
		worker->strikes = measured->loss ? worker->strikes : 0;
		fail(worker, item, measured);
	} else {
		worker->strikes = 0;
		keep_control(worker, item, measured);
		contradict(worker, item);
		finish(worker, item, measured);
	}
}

void bw_pool_take_in(struct bw_pool_worker *worker, int place)
{
	struct bw_pool_item *item = worker->batch[place];
	struct bw_measured *measured = &worker->measured[place];
	if (!item)
		return;
	worker->batch[place] = NULL;
	item->holders--;
	if (worker->health != BW_WORKER_WORKS)
		put_back(worker->pool, item);
	else if (item->state != BW_ITEM_DONE &&
		 !(measured->error.kind == BW_ERROR_STOPPED && !measured->good))
		judge_outcome(worker, item, measured);
	bw_counted_free(measured->counted);
	measured->counted = NULL;
}

/* Says of two workers that they disagree: which one is right is not known. */
static void say_disagreement(struct bw_pool *pool, struct bw_pool_worker *const *of)
{
	double a = of[0]->control, b = of[1]->control;
	if (a <= far * b && b <= far * a)
		return;
	if (!of[0]->disagrees || !of[1]->disagrees)
		bw_text_printf(
		    &pool->news,
		    "one schedule takes %.4g ms with %s and %.4g ms with %s, which have the same kind of device: do not compare their times\n",
		    a, of[0]->name, b, of[1]->name);
	of[0]->disagrees = of[1]->disagrees = true;
}

void bw_pool_judge(struct bw_pool *pool, int kind)
{
	struct bw_pool_worker **of = BW_NEW_ARRAY(struct bw_pool_worker *, pool->n_workers + 1);
	double *times = BW_NEW_ARRAY(double, pool->n_workers + 1);
	char why[160];
	int n = 0;
	for (int i = 0; i < pool->n_workers; i++) {
		struct bw_pool_worker *worker = &pool->workers[i];
		if (worker->kind == kind && worker->health == BW_WORKER_WORKS && worker->control > 0)
			of[n++] = worker;
	}
	for (int i = 0; i < n; i++)
		times[i] = of[i]->control;
	bw_sort_doubles(times, n);
	double middle = n ? (times[(n - 1) / 2] + times[n / 2]) / 2 : 0;
	if (n == 2)
		say_disagreement(pool, of);
	for (int i = 0; i < n && n > 2; i++)
		if (of[i]->control > far * middle || far * of[i]->control < middle) {
			snprintf(
			    why, sizeof why,
			    "one schedule takes %.4g ms there, and %.4g ms on other workers with the same kind of device",
			    of[i]->control, middle);
			bw_pool_drop(of[i], BW_ERROR_DEVICE, why);
		}
	free(of);
	free(times);
}
