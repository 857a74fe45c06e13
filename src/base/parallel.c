#include "base/parallel.h"

#include <pthread.h>

#include "base/heap.h"

struct call {
	void (*work)(void *data);
	void *data;
};

static void *run(void *data)
{
	const struct call *call = data;
	bw_heap_ahead();
	call->work(call->data);
	return NULL;
}

void bw_parallel(int threads, void (*work)(void *data), void *data)
{
	pthread_t others[BW_MOST_THREADS];
	struct call call = {work, data};
	int n = 0;
	while (n + 1 < threads && n + 1 < BW_MOST_THREADS && pthread_create(&others[n], NULL, run, &call) == 0)
		n++;
	work(data);
	while (n)
		pthread_join(others[--n], NULL);
}
