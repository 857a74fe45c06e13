/* Asking the worker for the devices of its machine: once, in the background or while somebody waits. */
#include <sys/eventfd.h>

#include "base/clock.h"
#include "bench/bench_private.h"

int bw_bench_fd(const struct bw_bench *bench)
{
	return bench->told;
}

static bool ask(struct bw_bench *bench, struct bw_presents *devices, struct bw_error *error)
{
	struct bw_answer answer;
	if (!bw_bench_ready(bench, error) || !bw_bench_call(bench, json_pack("{s:s}", "do", "devices"), BW_ANSWER_DEVICES, &answer, error))
		return false;
	*devices = *answer.devices;
	bw_answer_free(&answer);
	return true;
}

void bw_inquiry_ask(struct bw_bench *bench, struct bw_inquiry *inquiry)
{
	struct bw_error *error = &inquiry->error;
	json_t *request = inquiry->request;
	inquiry->good = bw_bench_ready(bench, error);
	inquiry->request = NULL;
	if (!inquiry->good)
		json_decref(request);
	else
		inquiry->good =
			bw_bench_call_long(bench, request, inquiry->seconds, inquiry->kind, &inquiry->answer, error);
	if (!inquiry->good && error->kind == BW_ERROR_STOPPED && bench->link.running)
		bw_link_close(&bench->link);
}

bool bw_bench_rates(struct bw_bench *bench, int device, double seconds, double limit, const atomic_bool *stop,
                    struct bw_rates *rates, struct bw_error *error)
{
	struct bw_inquiry inquiry = {.kind = BW_ANSWER_RATES, .seconds = limit};
	struct bw_task task = {.inquiry = &inquiry};
	inquiry.request = json_pack("{s:s,s:f,s:f}", "do", "rates", "seconds", seconds, "limit", limit);
	if (device)
		json_object_set_new(inquiry.request, "device", json_integer(device - 1));
	if (bw_bench_do(bench, &task, stop, NULL, NULL, &inquiry.error) && inquiry.request)
		bw_fail(&inquiry.error, BW_ERROR_STOPPED, "%s: stopped", bench->name);
	json_decref(inquiry.request);
	if (inquiry.good)
		*rates = *inquiry.answer.rates;
	else if (error)
		*error = inquiry.error;
	bw_answer_free(&inquiry.answer);
	return inquiry.good;
}

void bw_bench_ask(struct bw_bench *bench)
{
	struct bw_presents devices;
	struct bw_error error = {0};
	bench->ask = false;
	pthread_mutex_unlock(&bench->lock);
	bool good = ask(bench, &devices, &error);
	pthread_mutex_lock(&bench->lock);
	bench->asked = good ? BW_TOLD : BW_ASKED_IN_VAIN;
	if (good)
		bench->devices = devices;
	bench->error = error;
	eventfd_write(bench->told, 1);
	pthread_cond_broadcast(&bench->changed);
}

/* Has the devices asked for, unless that was done before. Under lock. */
static void ask_once(struct bw_bench *bench)
{
	if (bench->requested)
		return;
	eventfd_t before;
	eventfd_read(bench->told, &before);
	bench->requested = bench->ask = true;
	bench->asked = BW_ASKING;
	if (!bw_bench_start(bench, &bench->error)) {
		bench->ask = false;
		bench->asked = BW_ASKED_IN_VAIN;
	}
	bw_bench_wake(bench);
}

/* What was told. Under lock. */
static enum bw_asked told(const struct bw_bench *bench, struct bw_presents *devices, struct bw_error *error)
{
	if (bench->asked == BW_TOLD)
		*devices = bench->devices;
	else if (bench->asked == BW_ASKED_IN_VAIN && error)
		*error = bench->error;
	return bench->asked;
}

enum bw_asked bw_bench_devices(struct bw_bench *bench, struct bw_presents *devices, struct bw_error *error)
{
	pthread_mutex_lock(&bench->lock);
	ask_once(bench);
	enum bw_asked asked = told(bench, devices, error);
	pthread_mutex_unlock(&bench->lock);
	return asked;
}

bool bw_bench_devices_wait(struct bw_bench *bench, const struct bw_patience *patience,
			   struct bw_presents *devices, struct bw_error *error)
{
	double deadline = bw_clock() + patience->seconds;
	bool stopped = false;
	pthread_mutex_lock(&bench->lock);
	bench->requested &= bench->asked != BW_ASKED_IN_VAIN;
	ask_once(bench);
	while (bench->asked == BW_ASKING && !stopped && bw_clock() < deadline) {
		bw_bench_wait(bench);
		stopped = patience->stop && atomic_load(patience->stop);
	}
	enum bw_asked asked = told(bench, devices, error);
	pthread_mutex_unlock(&bench->lock);
	if (asked == BW_ASKING && stopped)
		bw_fail(error, BW_ERROR_STOPPED, "%s: stopped", bench->name);
	else if (asked == BW_ASKING)
		bw_fail(error, BW_ERROR_DEVICE, "%s: did not tell its devices within %g s", bench->name, patience->seconds);
	return asked == BW_TOLD;
}
