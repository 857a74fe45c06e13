/* The threads of a pool's workers. Each thread takes a batch of compiled schedules, large enough to make the
 * overhead of a request small, and returns those that it could not measure. */
#include <math.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "bench/pool_private.h"

enum { MOST_STRIKES = 4 };
/* Seconds that a worker may take to report its devices. */
static const double device_seconds = 60;
/* The largest share of a request's time that may be overhead. */
static const double idle_share = 0.1;
/* When other workers try a worker's schedules, too: after late_factor times the typical time of the batch
 * plus late_pauses times the pool's pause, or after late_unknown seconds if no time is known yet. */
static const double late_factor = 4, late_pauses = 1, late_unknown = 30;

/* Returns the kind of a device. Adds it if it is new. Returns -1 if no new kinds are accepted any more. Under
 * lock. */
static int kind_of(struct bw_pool *pool, const struct bw_device *device)
{
	int k = 0;
	while (k < pool->n_kinds && strcmp(pool->kinds[k].device.name, device->name) != 0)
		k++;
	if (k < pool->n_kinds)
		return k;
	if (pool->settled || k == BW_POOL_KINDS)
		return -1;
	pool->kinds[pool->n_kinds++] = (struct bw_pool_kind){.device = *device, .state = BW_ITEM_WAITS};
	return k;
}

/* Returns the seconds that the worker takes for a question and its answer. */
static double ask_latency(struct bw_pool_worker *worker)
{
	struct bw_inquiry inquiry = {.kind = BW_ANSWER_HELLO, .seconds = device_seconds};
	struct bw_task task = {.inquiry = &inquiry};
	struct bw_error ignored;
	double began = bw_clock();
	inquiry.request = json_pack("{s:s}", "do", "hello");
	bw_bench_do(worker->bench, &task, &worker->pool->quit, NULL, NULL, &ignored);
	json_decref(inquiry.request);
	bw_answer_free(&inquiry.answer);
	return bw_clock() - began;
}

void bw_pool_join(struct bw_pool_worker *worker, const struct bw_device *device, const struct bw_error *error)
{
	char late[160];
	worker->kind = device ? kind_of(worker->pool, device) : -1;
	if (worker->kind >= 0) {
		worker->health = BW_WORKER_WORKS;
		worker->pool->alone |= !worker->command && device->cpu && !bw_device_emulated(device);
		eventfd_write(worker->pool->done, 1);
	} else if (!device) {
		bw_pool_drop(worker, error->kind, error->text);
	} else {
		snprintf(late, sizeof late, "it told too late that it has another kind of device, %.80s",
			 device->name);
		bw_pool_drop(worker, BW_ERROR_DEVICE, late);
	}
	pthread_cond_broadcast(&worker->pool->changed);
}

/* Gets a worker's device. A worker that ends before it has answered may have been killed, so it is started
 * and asked once more. */
static bool ask_device(struct bw_pool_worker *worker, struct bw_device *device, struct bw_error *error)
{
	const struct bw_job_request *request = &worker->pool->setup.request;
	struct bw_patience patience = {device_seconds, &worker->pool->quit};
	double end = bw_clock() + device_seconds;
	bool good = bw_job_device_of(request, worker->bench, &patience, device, &worker->device, error);
	patience.seconds = end - bw_clock();
	struct bw_error again;
	return good || (patience.seconds > 0 && worker->bench->lost &&
			bw_job_device_of(request, worker->bench, &patience, device, &worker->device, &again));
}

/* Asks for the device and joins the pool. Releases the lock meanwhile. */
static void join(struct bw_pool_worker *worker)
{
	enum { QUESTIONS = 3 /* questions and answers per request, in addition to the measuring */ };
	struct bw_pool *pool = worker->pool;
	struct bw_device device;
	struct bw_error error = {0};
	pthread_mutex_unlock(&pool->lock);
	bool good = ask_device(worker, &device, &error);
	double latency = good ? ask_latency(worker) : 0;
	pthread_mutex_lock(&pool->lock);
	worker->overhead = QUESTIONS * latency;
	bw_pool_join(worker, good ? &device : NULL, &error);
}

/* Returns true if a worker may run an item. If a worker has failed with the item, only the other workers with
 * the fewest losses may run it, so that the item does not fail because of two bad workers. */
static bool may_run(const struct bw_pool_worker *worker, const struct bw_pool_item *item)
{
	const struct bw_pool *pool = worker->pool;
	bool may = item->kind == worker->kind && item->ticket && item->wanted;
	if (!may || !item->loser || bw_pool_alive(pool, worker->kind) < 2)
		return may;
	for (int i = 0; i < pool->n_workers && may; i++) {
		const struct bw_pool_worker *other = &pool->workers[i];
		may = other == item->loser || other->kind != worker->kind ||
		      other->health != BW_WORKER_WORKS || other->lost >= worker->lost;
	}
	return may && item->loser != worker;
}

static void give(struct bw_pool_worker *worker, struct bw_pool_item *item)
{
	item->holders++;
	item->since = bw_clock();
	worker->objects[worker->n] = item->object;
	worker->batch[worker->n++] = item;
}

/* Puts the control schedule first into the batch if the worker has not measured it yet. */
static void give_control(struct bw_pool_worker *worker)
{
	struct bw_pool *pool = worker->pool;
	const struct bw_pool_kind *kind = &pool->kinds[worker->kind];
	if (worker->control > 0 || !kind->control || bw_pool_alive(pool, worker->kind) < 2)
		return;
	struct bw_pool_item *item = BW_NEW(struct bw_pool_item);
	*item = (struct bw_pool_item){.next = pool->first,
				      .kind = worker->kind,
				      .state = BW_ITEM_COMPILED,
				      .object = bw_strdup(kind->control)};
	pool->first = item;
	give(worker, item);
}

/* Returns the number of schedules for a request if `ready` schedules are compiled. */
static int batch_size(const struct bw_pool_worker *worker, int ready)
{
	const struct bw_pool *pool = worker->pool;
	double each = pool->kinds[worker->kind].each;
	int alive = bw_pool_alive(pool, worker->kind), fair = (ready + alive - 1) / alive;
	double wanted = each > 0 ? ceil((1 / idle_share - 1) * worker->overhead / each) : 2;
	int n = (int)fmin(fmax(wanted, 1), BW_POOL_BATCH - 1);
	return n < fair ? n : fair;
}

/* Takes a schedule that another worker has had for too long. */
static void take_late(struct bw_pool_worker *worker)
{
	struct bw_pool *pool = worker->pool;
	double each = pool->kinds[worker->kind].each, now = bw_clock();
	for (int i = 0; i < pool->n_workers && !worker->n; i++) {
		const struct bw_pool_worker *other = &pool->workers[i];
		double patience = each > 0 ? late_factor * (other->overhead + each * other->n) +
						 late_pauses * pool->setup.pause
					   : late_unknown;
		for (int k = other->n - 1; k >= 0 && other != worker && !worker->n; k--) {
			struct bw_pool_item *item = other->batch[k];
			if (item && item->state == BW_ITEM_COMPILED && item->holders == 1 &&
			    may_run(worker, item) && now > item->since + patience)
				give(worker, item);
		}
	}
}

bool bw_pool_can_run(const struct bw_pool_worker *worker)
{
	const struct bw_pool *pool = worker->pool;
	const struct bw_pool_kind *kind = &pool->kinds[worker->kind];
	return pool->described == BW_ITEM_DONE && kind->state == BW_ITEM_DONE && !kind->error.kind &&
	       !pool->undescribed.kind;
}

/* Fills the batch. Returns false if there is nothing for this worker. */
static bool take_batch(struct bw_pool_worker *worker)
{
	struct bw_pool *pool = worker->pool;
	int ready = 0;
	worker->n = worker->n_told = 0;
	if (!bw_pool_can_run(worker) || (pool->alone && pool->compiling))
		return false;
	for (const struct bw_pool_item *item = pool->first; item; item = item->next)
		ready += item->state == BW_ITEM_COMPILED && !item->holders && may_run(worker, item);
	if (!ready) {
		take_late(worker);
		return worker->n;
	}
	give_control(worker);
	int n = worker->n + batch_size(worker, ready);
	for (struct bw_pool_item *item = pool->first; item && worker->n < n; item = item->next)
		if (item->state == BW_ITEM_COMPILED && !item->holders && may_run(worker, item))
			give(worker, item);
	return true;
}

/* Handles an outcome when it arrives. */
static void hear(void *of, int object, int done, int n)
{
	struct bw_pool_worker *worker = of;
	struct bw_pool *pool = worker->pool;
	const struct bw_measured *measured = &worker->measured[object];
	(void)done;
	(void)n;
	if (measured->good && measured->counted)
		bw_job_inspect(&pool->setup.request, &pool->kinds[worker->kind].device,
				 worker->objects[object], &pool->quit, &worker->measured[object].measurement,
			       measured->counted);
	pthread_mutex_lock(&pool->lock);
	if (!measured->loss) {
		worker->last = bw_clock();
		if (!worker->n_told++)
			worker->first = worker->last;
	}
	bw_pool_take_in(worker, object);
	pthread_mutex_unlock(&pool->lock);
}

/* Updates the overhead per request and the seconds per schedule after a request. */
static void learn(struct bw_pool_worker *worker)
{
	struct bw_pool_kind *kind = &worker->pool->kinds[worker->kind];
	double to_first = worker->first - worker->began;
	if (worker->n_told > 1) {
		double each = fmax((worker->last - worker->first) / (worker->n_told - 1), 1e-4);
		kind->each = kind->each > 0 ? 0.7 * kind->each + 0.3 * each : each;
		worker->overhead = fmax(to_first - each, 0);
	} else if (worker->n_told == 1) {
		if (!(kind->each > 0))
			kind->each = fmax(to_first - worker->overhead, 1e-4);
		worker->overhead = 0.7 * worker->overhead + 0.3 * fmax(to_first - kind->each, 0);
	}
}

/* Waits before a failed worker is tried again. */
static void pause_after(struct bw_pool_worker *worker)
{
	struct bw_pool *pool = worker->pool;
	double end = bw_clock() + pool->setup.pause * (1 << (worker->strikes - 1));
	while (!atomic_load(&pool->quit) && bw_clock() < end)
		bw_pool_wait(pool);
}

/* Counts the failures of an ended request of n schedules. Drops the worker after several in a row. */
static void count_failures(struct bw_pool_worker *worker, int n, bool stopped)
{
	static const struct bw_error silent = {BW_ERROR_DEVICE,
					       "it was silent until others had done its work"};
	struct bw_pool *pool = worker->pool;
	const struct bw_error *error = stopped && !worker->n_told ? &silent : NULL;
	for (int k = 0; k < n && !stopped; k++)
		if (worker->measured[k].loss)
			error = &worker->measured[k].error;
	if (!error || worker->health != BW_WORKER_WORKS)
		return;
	bool hopeless = error->kind != BW_ERROR_DEVICE && bw_pool_alive(pool, worker->kind) < 2;
	if (++worker->strikes > MOST_STRIKES || hopeless) {
		bw_pool_drop(worker, error->kind, error->text);
		return;
	}
	if (worker->strikes == 2)
		bw_text_printf(&pool->news, "%s: has failed twice, and is tried again: %s\n", worker->name,
			       error->text);
	pause_after(worker);
}

struct bw_measure_request bw_pool_request(const struct bw_pool_worker *worker)
{
	static const double default_limit = 60, slow = 2; /* slow: factor on the fastest schedule's time */
	const struct bw_pool *pool = worker->pool;
	const struct bw_job_request *request = &pool->setup.request;
	return (struct bw_measure_request){
	    .reference = pool->kinds[worker->kind].reference,
	    .seed = request->seed,
	    .bound = request->bound,
	    .seconds = request->seconds,
	    .slow = slow * pool->kinds[worker->kind].fastest,
	    .limit = request->limit > 0 ? request->limit : default_limit,
	    .estimates = pool->estimates,
	    .registers = request->registers,
	    .device = worker->device,
	    .emulation = request->emulation,
	};
}

/* Measures the batch. Releases the lock meanwhile. */
static void measure(struct bw_pool_worker *worker)
{
	static const double forever = 1e7;
	struct bw_pool *pool = worker->pool;
	struct bw_measure_request what = bw_pool_request(worker);
	atomic_store(&worker->stop, false);
	worker->began = worker->first = worker->last = bw_clock();
	pthread_mutex_unlock(&pool->lock);
	bw_bench_measure(worker->bench, &what, worker->objects, worker->n,
			 &(struct bw_patience){forever, &worker->stop}, worker->measured, hear, worker);
	pthread_mutex_lock(&pool->lock);
	for (int k = 0; k < worker->n; k++)
		if (worker->batch[k])
			bw_pool_take_in(worker, k);
	bool stopped = atomic_load(&worker->stop);
	learn(worker);
	int n = worker->n;
	worker->n = 0;
	bw_pool_sweep(pool);
	pthread_cond_broadcast(&pool->changed);
	count_failures(worker, n, stopped);
}

void *bw_pool_serve(void *of)
{
	struct bw_pool_worker *worker = of;
	struct bw_pool *pool = worker->pool;
	pthread_mutex_lock(&pool->lock);
	join(worker);
	while (!atomic_load(&pool->quit) && worker->health == BW_WORKER_WORKS) {
		if (take_batch(worker))
			measure(worker);
		else
			bw_pool_wait(pool);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}
