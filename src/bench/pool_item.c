/* What all threads of a pool call: waiting, and the ends of schedules and workers. */
#include <stdlib.h>
#include <sys/eventfd.h>

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

void bw_pool_done(struct bw_pool *pool, struct bw_pool_item *item)
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
	bw_pool_done(pool, item);
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

/* Fails the items of a kind that nobody is left to run. */
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
	pthread_cond_broadcast(&pool->changed);
}
