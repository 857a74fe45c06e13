/* The request for a device's rates, which are taken in a process of their own. */
#include <stdio.h>

#include "bench/cuda.h"
#include "bench/serve.h"
#include "bench/turn.h"

struct task {
	const struct bw_present *device;
	double seconds;
};

/* In a process of its own. */
static void run_rates(void *context, struct bw_progress *progress)
{
	const struct task *task = context;
	struct bw_turn turn = {0};
	bw_turn_on(task->device);
	bw_turn_take(&turn, true, BW_PHASE_RATES, progress);
	progress->rates = bw_rates_none("not reached");
	bw_cuda_rates(task->device->ordinal, task->seconds, &progress->rates, &progress->error);
	progress->phase = BW_PHASE_ANSWERED;
}

/* Returns the device to take rates of: the one of the list that the request names, else CUDA's
 * first. Returns NULL with an error. */
static const struct bw_present *choose(struct bw_server *server, int wanted, struct bw_error *error)
{
	const struct bw_presents *devices = &server->devices;
	if (!bw_server_devices(server, error))
		return NULL;
	for (int k = wanted < 0 ? 0 : wanted; k < (wanted < 0 ? devices->n : wanted + 1) && k < devices->n;
	     k++)
		if (devices->list[k].device.api == BW_API_CUDA && !devices->list[k].device.cpu)
			return &devices->list[k];
	if (wanted >= devices->n)
		bw_fail(error, BW_ERROR_DEVICE, "there is no device %d: %d are listed", wanted, devices->n);
	else if (wanted >= 0)
		bw_fail(error, BW_ERROR_DEVICE, "%s is no GPU with CUDA: rates are taken of these only",
		        devices->list[wanted].name);
	else
		bw_fail(error, BW_ERROR_DEVICE, "no CUDA device to take rates of: %s",
		        *devices->trouble ? devices->trouble : "CUDA's driver is not installed, or has none");
	return NULL;
}

/* Takes the rates, and keeps those that were taken before something went wrong. */
static bool take(struct bw_server *server, const struct bw_present *present, struct bw_rates *rates,
                 struct bw_error *error)
{
	const struct bw_request *request = &server->under_way->request;
	struct task task = {present, request->seconds};
	struct bw_progress answer;
	struct bw_watch watch = bw_server_watching(server);
	server->object = 0;
	server->waited = 0;
	bool good = bw_supervise(run_rates, &task, request->limit, &watch, &answer, error);
	*rates = answer.rates;
	if (!good && (error->kind == BW_ERROR_STOPPED || !bw_rates_taken(rates)))
		return false;
	for (int k = 0; !good && k < BW_N_RATES; k++)
		snprintf(rates->list[k].error, sizeof rates->list[k].error, "%s", error->text);
	if (bw_rates_taken(rates))
		return true;
	return bw_fail(error, BW_ERROR_DEVICE, "no rate of %s could be taken: %s", rates->device,
	               rates->list[0].error);
}

bool bw_server_rates(struct bw_server *server)
{
	const struct bw_request *request = &server->under_way->request;
	struct bw_error error = {0};
	struct bw_rates rates;
	const struct bw_present *present = choose(server, request->device, &error);
	if (!present || !take(server, present, &rates, &error))
		return bw_report_failure(server->results, request->id, &error);
	return bw_report_rates(server->results, request->id, &rates);
}
