#include "bench/pool.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "bench/pool_private.h"

enum { MOST_COMPILERS = 64, FEWEST = 8 /* schedules that are asked for at once */ };
/* Seconds that the other workers have to tell their devices once the first one has. */
static const double patience_of_devices = 20;

static char *compile(void *data, enum bw_build build, const struct bw_directives *directives,
		     const struct bw_device *device, const struct bw_patience *patience,
		     struct bw_error *error)
{
	const struct bw_job_request *request = data;
	return bw_generator_compile(request->generator, request->places, patience, build, directives, device,
				    error);
}

static void begin_threads(struct bw_pool *pool)
{
	for (int i = 0; i < pool->n_workers; i++) {
		struct bw_pool_worker *worker = &pool->workers[i];
		void *(*serve)(void *) = worker->bench ? bw_pool_serve : bw_pool_serve_slurm;
		int failed = bw_thread_begin(&worker->thread, serve, worker);
		worker->running = !failed;
		if (failed)
			bw_pool_drop(worker, BW_ERROR_FAILED, strerror(failed));
	}
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	int most = processors < 1 ? 1 : processors < MOST_COMPILERS ? (int)processors : MOST_COMPILERS;
	pool->compilers = BW_NEW_ARRAY(pthread_t, most);
	while (pool->n_compilers < most &&
	       !bw_thread_begin(&pool->compilers[pool->n_compilers], bw_pool_compiler, pool))
		pool->n_compilers++;
}

struct bw_pool *bw_pool_new(const struct bw_pool_setup *setup)
{
	struct bw_pool *pool = BW_NEW(struct bw_pool);
	pool->setup = *setup;
	if (!pool->setup.compile) {
		pool->setup.compile = compile;
		pool->setup.compile_data = &pool->setup.request;
	}
	if (!(setup->pause > 0))
		pool->setup.pause = 1;
	bw_lock_begin(&pool->lock, &pool->changed);
	pool->began = bw_clock();
	pool->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pool->n_workers = setup->n_commands + (setup->slurm != NULL);
	pool->workers = BW_NEW_ARRAY(struct bw_pool_worker, setup->n_commands + 1);
	for (int i = 0; i < setup->n_commands; i++) {
		struct bw_pool_worker *worker = &pool->workers[i];
		worker->pool = pool;
		worker->kind = -1;
		worker->command = setup->commands[i] ? bw_strdup(setup->commands[i]) : NULL;
		worker->name = worker->command ? worker->command : "the worker of this machine";
		worker->bench = bw_bench_new(setup->request.places, worker->command, setup->silence);
	}
	if (setup->slurm) {
		pool->workers[setup->n_commands] = (struct bw_pool_worker){
		    .pool = pool, .kind = -1, .command = bw_strdup(setup->slurm_command), .name = "Slurm"};
	}
	pthread_mutex_lock(&pool->lock);
	begin_threads(pool);
	pthread_mutex_unlock(&pool->lock);
	return pool;
}

/* Waits until no item is being compiled any more. Under lock. */
static void wait_for_end(struct bw_pool *pool)
{
	for (;;) {
		bool held = false;
		for (const struct bw_pool_item *item = pool->first; item; item = item->next)
			held |= item->state == BW_ITEM_COMPILES;
		if (!held)
			return;
		bw_pool_wait(pool);
	}
}

void bw_pool_stop(struct bw_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	for (struct bw_pool_item *item = pool->first; item; item = item->next)
		item->wanted = item->wanted && item->taken;
	for (int i = 0; i < pool->n_workers; i++)
		if (pool->workers[i].n)
			atomic_store(&pool->workers[i].stop, true);
	atomic_store(&pool->give_up, true);
	wait_for_end(pool);
	atomic_store(&pool->give_up, false);
	bw_pool_sweep(pool);
	pthread_mutex_unlock(&pool->lock);
}

void bw_pool_free(struct bw_pool *pool)
{
	if (!pool)
		return;
	atomic_store(&pool->quit, true);
	bw_pool_stop(pool);
	atomic_store(&pool->give_up, true);
	for (int i = 0; i < pool->n_compilers; i++)
		pthread_join(pool->compilers[i], NULL);
	for (int i = 0; i < pool->n_workers; i++) {
		struct bw_pool_worker *worker = &pool->workers[i];
		atomic_store(&worker->stop, true);
		if (worker->running)
			pthread_join(worker->thread, NULL);
		bw_bench_drop(worker->bench);
		free(worker->command);
	}
	bw_pool_sweep(pool);
	for (int k = 0; k < pool->n_kinds; k++) {
		free(pool->kinds[k].reference);
		free(pool->kinds[k].control);
	}
	bw_lock_end(&pool->lock, &pool->changed);
	close(pool->done);
	bw_text_free(&pool->news);
	free(pool->estimates);
	free(pool->compilers);
	free(pool->workers);
	free(pool);
}

/* Sets the order of the kinds: kinds with the most workers come first. Under lock. */
static void settle(struct bw_pool *pool)
{
	pool->settled = true;
	for (int k = 0; k < pool->n_kinds; k++) {
		int at = k, n = bw_pool_alive(pool, k);
		for (; at > 0 && bw_pool_alive(pool, pool->order[at - 1]) < n; at--)
			pool->order[at] = pool->order[at - 1];
		pool->order[at] = k;
	}
}

bool bw_pool_ready(struct bw_pool *pool)
{
	int asked = 0, works = 0;
	eventfd_t before;
	pthread_mutex_lock(&pool->lock);
	eventfd_read(pool->done, &before);
	for (int i = 0; i < pool->n_workers; i++) {
		asked += pool->workers[i].health == BW_WORKER_ASKED;
		works += pool->workers[i].health == BW_WORKER_WORKS;
	}
	if (!pool->settled && (!asked || (works && bw_clock() > pool->began + patience_of_devices)))
		settle(pool);
	bool ready = pool->settled;
	pthread_mutex_unlock(&pool->lock);
	return ready;
}

struct bw_error bw_pool_trouble(struct bw_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	struct bw_error trouble = pool->trouble;
	pthread_mutex_unlock(&pool->lock);
	return trouble;
}

int bw_pool_kinds(const struct bw_pool *pool)
{
	return pool->n_kinds;
}

const struct bw_device *bw_pool_device(const struct bw_pool *pool, int kind)
{
	return &pool->kinds[pool->order[kind]].device;
}

int bw_pool_width(const struct bw_pool *pool)
{
	enum { EACH = 4, ARRAY = 32 };
	int width = EACH * pool->n_workers + (pool->setup.slurm ? ARRAY - EACH : 0);
	width = width < pool->n_compilers ? pool->n_compilers : width;
	return width < FEWEST ? FEWEST : width;
}

int bw_pool_ask(struct bw_pool *pool, int kind, const struct bw_directives *directives)
{
	struct bw_pool_item *item = BW_NEW(struct bw_pool_item), **end = &pool->first;
	*item = (struct bw_pool_item){
	    .kind = pool->order[kind], .directives = directives, .state = BW_ITEM_WAITS, .wanted = true};
	pthread_mutex_lock(&pool->lock);
	item->ticket = ++pool->last_ticket;
	while (*end)
		end = &(*end)->next;
	*end = item;
	bw_pool_need_worker(pool, item);
	pthread_cond_broadcast(&pool->changed);
	int ticket = item->ticket;
	pthread_mutex_unlock(&pool->lock);
	return ticket;
}

int bw_pool_take(struct bw_pool *pool, struct bw_pooled *outcomes, int most, double seconds)
{
	int n = 0;
	double end = bw_clock() + seconds;
	eventfd_t before;
	pthread_mutex_lock(&pool->lock);
	eventfd_read(pool->done, &before);
	for (;;) {
		for (struct bw_pool_item *item = pool->first; item && n < most; item = item->next)
			if (item->ticket && item->state == BW_ITEM_DONE && item->wanted && !item->taken) {
				outcomes[n++] = item->outcome;
				item->taken = true;
			}
		if (n || bw_clock() >= end)
			break;
		bw_pool_wait(pool);
	}
	if (n == most)
		eventfd_write(pool->done, 1);
	bw_pool_sweep(pool);
	pthread_mutex_unlock(&pool->lock);
	return n;
}

int bw_pool_fd(const struct bw_pool *pool)
{
	return pool->done;
}

void bw_pool_tell(struct bw_pool *pool, struct bw_text *out)
{
	int measuring = 0, works = 0, waiting = 0, compiling = 0;
	pthread_mutex_lock(&pool->lock);
	for (int i = 0; i < pool->n_workers; i++) {
		works += pool->workers[i].health == BW_WORKER_WORKS;
		measuring += pool->workers[i].health == BW_WORKER_WORKS && pool->workers[i].n;
	}
	for (const struct bw_pool_item *item = pool->first; item; item = item->next) {
		compiling += item->state == BW_ITEM_COMPILES;
		waiting += item->ticket && item->wanted && !item->holders &&
			   (item->state == BW_ITEM_WAITS || item->state == BW_ITEM_COMPILED);
	}
	pthread_mutex_unlock(&pool->lock);
	bw_text_printf(out, "%d of %d worker%s measure, %d compile, %d wait", measuring, works,
		       works == 1 ? "" : "s", compiling, waiting);
}

void bw_pool_news(struct bw_pool *pool, struct bw_text *out)
{
	pthread_mutex_lock(&pool->lock);
	bw_text_puts(out, bw_text_get(&pool->news));
	bw_text_clear(&pool->news);
	pthread_mutex_unlock(&pool->lock);
}
