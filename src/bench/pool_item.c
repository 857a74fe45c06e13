/* The items of a pool: compiling them, accepting or rejecting the workers' outcomes, and dropping workers
 * that cannot be trusted. */
#include <math.h>
#include <sys/eventfd.h>

#include "base/arith.h"
#include "base/thread.h"
#include "bench/pool_private.h"

enum { WAIT_MS = 50 };

void bw_pool_wait(struct bw_pool *pool)
{
	bw_lock_wait(&pool->lock, &pool->changed, 1e-3 * WAIT_MS);
}

int bw_pool_alive(const struct bw_pool *pool, int kind)
{
	int n = 0;
	for (int i = 0; i < pool->n_workers; i++)
		n += pool->workers[i].health == BW_WORKER_WORKS && pool->workers[i].kind == kind;
	return n;
}

/* Marks an item as done and notifies the waiting threads. */
static void pool_done(struct bw_pool *pool, struct bw_pool_item *item)
{
	item->state = BW_ITEM_DONE;
	eventfd_write(pool->done, 1);
	pthread_cond_broadcast(&pool->changed);
}

void bw_pool_fail(struct bw_pool *pool, struct bw_pool_item *item, bool ends, const struct bw_error *error)
{
	item->outcome = (struct bw_pooled){.ticket = item->ticket,
					   .ends = ends,
					   .measured = {.error = *error},
					   .device = &pool->kinds[item->kind].device};
	pool_done(pool, item);
}

void bw_pool_need_worker(struct bw_pool *pool, struct bw_pool_item *item)
{
	struct bw_error error = {0};
	if (bw_pool_alive(pool, item->kind))
		return;
	bw_fail(&error, BW_ERROR_DEVICE, "no worker is left that has %s", pool->kinds[item->kind].device.name);
	bw_pool_fail(pool, item, true, &error);
}

static void free_item(struct bw_pool_item *item)
{
	if (!item->taken)
		bw_counted_free(item->outcome.measured.counted);
	free(item->object);
	free(item);
}

void bw_pool_sweep(struct bw_pool *pool)
{
	for (struct bw_pool_item **at = &pool->first, *item; (item = *at);) {
		bool needed =
		    item->holders || item->state == BW_ITEM_COMPILES || (item->wanted && !item->taken);
		if (needed) {
			at = &item->next;
			continue;
		}
		*at = item->next;
		free_item(item);
	}
}

/* Fails all items of a kind for which no worker is left. */
static void fail_kind(struct bw_pool *pool, int kind, const struct bw_error *error)
{
	for (struct bw_pool_item *item = pool->first; item; item = item->next)
		if (item->kind == kind && item->ticket && item->state != BW_ITEM_DONE &&
		    item->state != BW_ITEM_COMPILES)
			bw_pool_fail(pool, item, true, error);
}

void bw_pool_drop(struct bw_pool_worker *worker, enum bw_error_kind kind, const char *why)
{
	struct bw_pool *pool = worker->pool;
	bool worked = worker->health == BW_WORKER_WORKS;
	if (worker->health == BW_WORKER_DROPPED)
		return;
	worker->health = BW_WORKER_DROPPED;
	atomic_store(&worker->stop, true);
	bw_text_printf(&pool->news, "%s: is not asked any more: %s\n", worker->name, why);
	bw_fail(&pool->trouble, kind, "%s", why);
	if (worked && !bw_pool_alive(pool, worker->kind))
		fail_kind(pool, worker->kind, &pool->trouble);
	eventfd_write(pool->done, 1);
	pthread_cond_broadcast(&pool->changed);
}

/* The compilers of a pool: one thread per processor. Each runs one generator at a time. */

static const double compile_seconds = 600;

/* Reads the estimates and the Halide version, which all schedules share. Releases the lock meanwhile. */
static void describe(struct bw_pool *pool)
{
	struct bw_patience patience = {compile_seconds, &pool->give_up};
	struct bw_error error = {0};
	char *estimates = NULL;
	pool->described = BW_ITEM_COMPILES;
	pool->compiling++;
	pthread_mutex_unlock(&pool->lock);
	bool good =
	    !pool->setup.request.generator || bw_job_described(&pool->setup.request, &patience, &estimates,
							       pool->halide, sizeof pool->halide, &error);
	pthread_mutex_lock(&pool->lock);
	pool->compiling--;
	pool->estimates = estimates;
	pool->undescribed = error;
	pool->described = !good && error.kind == BW_ERROR_STOPPED ? BW_ITEM_WAITS : BW_ITEM_DONE;
	pthread_cond_broadcast(&pool->changed);
}

/* Compiles one object. Releases the lock meanwhile. */
static char *compile(struct bw_pool *pool, int kind, enum bw_build build,
		     const struct bw_directives *directives, struct bw_error *error)
{
	const struct bw_pool_setup *setup = &pool->setup;
	struct bw_patience patience = {compile_seconds, &pool->give_up};
	pool->compiling++;
	pthread_mutex_unlock(&pool->lock);
	char *object = setup->compile(setup->compile_data, build, directives, &pool->kinds[kind].device,
				      &patience, error);
	pthread_mutex_lock(&pool->lock);
	pool->compiling--;
	pthread_cond_broadcast(&pool->changed);
	return object;
}

static void compile_reference(struct bw_pool *pool, int kind)
{
	struct bw_pool_kind *of = &pool->kinds[kind];
	struct bw_error error = {0};
	of->state = BW_ITEM_COMPILES;
	of->reference = compile(pool, kind, BW_BUILD_REFERENCE, NULL, &error);
	of->error = error;
	of->state = !of->reference && error.kind == BW_ERROR_STOPPED ? BW_ITEM_WAITS : BW_ITEM_DONE;
}

static void compile_item(struct bw_pool *pool, struct bw_pool_item *item)
{
	struct bw_error error = {0};
	item->state = BW_ITEM_COMPILES;
	item->object = compile(pool, item->kind, item->directives ? BW_BUILD_GPU : BW_BUILD_OWN,
			       item->directives, &error);
	if (!item->object) {
		bw_pool_fail(pool, item, false, &error);
		return;
	}
	item->state = BW_ITEM_COMPILED;
	bw_pool_need_worker(pool, item);
}

/* Does the next piece of work. Returns false if there is none. */
static bool do_next(struct bw_pool *pool)
{
	struct bw_pool_item *next = NULL;
	for (struct bw_pool_item *item = pool->first; item && !next; item = item->next)
		if (item->state == BW_ITEM_WAITS && item->wanted)
			next = item;
	for (int i = 0; i < pool->n_workers && pool->alone; i++)
		if (pool->workers[i].n)
			return false;
	if (!next || atomic_load(&pool->give_up))
		return false;
	struct bw_pool_kind *kind = &pool->kinds[next->kind];
	const struct bw_error *failed = pool->undescribed.kind ? &pool->undescribed : &kind->error;
	if (pool->described == BW_ITEM_WAITS)
		describe(pool);
	else if (kind->state == BW_ITEM_WAITS)
		compile_reference(pool, next->kind);
	else if (pool->described == BW_ITEM_DONE && kind->state == BW_ITEM_DONE && failed->kind)
		bw_pool_fail(pool, next, true, failed);
	else
		compile_item(pool, next);
	return true;
}

void *bw_pool_compiler(void *of)
{
	struct bw_pool *pool = of;
	pthread_mutex_lock(&pool->lock);
	while (!atomic_load(&pool->quit))
		if (!do_next(pool))
			bw_pool_wait(pool);
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* Judging the workers' outcomes, and the workers by them. */

enum { MOST_LOSSES = 2, MOST_CONTRADICTED = 3 };
/* The largest allowed ratio between the control schedule's times on a worker and on the others, in either
 * direction. */
static const double far = 2;

/* Stops the workers whose remaining items already have outcomes from other workers. */
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
	if (item->ticket && item->state != BW_ITEM_DONE)
		bw_pool_need_worker(pool, item);
	pthread_cond_broadcast(&pool->changed);
}

/* Ends an item with a worker's outcome. Takes ownership of the counts. */
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
	pool_done(pool, item);
	stop_needless(pool);
}

/* Returns true, with the reason in `why`, if a measurement is impossible. */
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

/* Keeps the first right schedule of a kind as its control schedule, by which workers are compared. CPUs and
 * the emulated device get none, because their times cannot be compared. */
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

static void keep_fastest(struct bw_pool_kind *kind, const struct bw_measurement *m)
{
	if (m->verdict != BW_OUTPUT_WRONG && m->median > 0 && (!(kind->fastest > 0) || m->median < kind->fastest))
		kind->fastest = m->median;
}

/* Handles a worker's failure with an item. The item is tried again, by another worker if there is one. It
 * ends with this failure if it has failed MOST_LOSSES times, or if the worker reported an error and no other
 * worker of its kind is left. */
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

/* Handles an item that is right on this worker. Drops a worker that has failed with several such items. */
static void contradict(struct bw_pool_worker *worker, const struct bw_pool_item *item)
{
	for (int i = 0; i < worker->pool->n_workers && item->loser; i++) {
		struct bw_pool_worker *other = &worker->pool->workers[i];
		if (other == item->loser && other != worker && ++other->contradicted >= MOST_CONTRADICTED)
			bw_pool_drop(other, BW_ERROR_DEVICE,
				     "it failed with schedules that run on other workers");
	}
}

/* Reports in the news that two workers disagree. It is not known which one is right. */
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

/* Compares the workers of a kind by the control schedule. Drops workers whose time is far from the
 * others'. */
static void pool_judge(struct bw_pool *pool, int kind)
{
	BW_SCOPED_MEMORY struct bw_pool_worker **of =
	    BW_NEW_ARRAY(struct bw_pool_worker *, pool->n_workers + 1);
	BW_SCOPED_MEMORY double *times = BW_NEW_ARRAY(double, pool->n_workers + 1);
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
	pool_judge(worker->pool, worker->kind);
}

/* Judges the outcome of an item that has none yet. */
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
		keep_fastest(&worker->pool->kinds[worker->kind], &measured->measurement);
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
