/* The compilers of a pool: as many threads as there are processors, each with one generator at a time. */
#include <stdlib.h>

#include "bench/pool_private.h"

static const double compile_seconds = 600;

/* Reads what all schedules are compiled and measured with. Gives the lock back meanwhile. */
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

/* Compiles one object. Gives the lock back meanwhile. */
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
	if (!bw_pool_alive(pool, item->kind)) {
		bw_fail(&error, BW_ERROR_DEVICE, "no worker is left that has %s",
			pool->kinds[item->kind].device.name);
		bw_pool_fail(pool, item, true, &error);
	}
}

/* Does what is to be done next. Returns false if there is nothing. */
static bool do_next(struct bw_pool *pool)
{
	struct bw_pool_item *next = NULL;
	for (struct bw_pool_item *item = pool->first; item && !next; item = item->next)
		if (item->state == BW_ITEM_WAITS && item->wanted)
			next = item;
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
