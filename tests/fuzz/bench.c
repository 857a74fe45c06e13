/* Fuzzes what the bench reads: requests, generators' standard error, descriptions from which estimates are taken. A request that is
 * accepted keeps what PROTOCOL promises, and all of its estimates can be asked for. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/complaint.h"
#include "bench/estimate.h"
#include "bench/worker.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void expect(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static void expect_estimates(const struct bw_request *request)
{
	struct bw_json_at root = bw_json_root(request->json);
	const char *key;
	json_t *value;
	json_object_foreach(json_object_get((json_t *)root.value, "estimates"), key, value) {
		int64_t min, extent;
		double number;
		int d = 0;
		expect(bw_request_scalar(request, key, &number) == json_is_number(value), "a number is a scalar's estimate");
		for (; bw_request_box(request, key, d, &min, &extent); d++)
			expect(min >= INT32_MIN && min <= INT32_MAX && extent >= 1 && extent <= INT32_MAX, "boxes fit and are not empty");
		expect((size_t)d == json_array_size(value), "every dimension is found");
	}
}

static void fuzz_request(const char *text, size_t length)
{
	struct bw_request request;
	struct bw_error error = {0};
	if (!bw_request_read(text, length, &request, &error)) {
		expect(error.kind == BW_ERROR_INPUT && strncmp(error.text, "request:", 8) == 0, "errors begin with the request");
		return;
	}
	for (int k = 0; k < request.n_objects; k++)
		expect(request.objects[k], "every object has a path");
	expect(request.function && request.seconds >= 0 && request.limit > 0 && request.bound.absolute >= 0 && request.bound.relative >= 0, "numbers are in their ranges");
	expect_estimates(&request);
	bw_request_free(&request);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct bw_text text = {0}, line = {0};
	struct bw_error error = {0};
	bw_text_append(&text, (const char *)bytes, length);
	fuzz_request(text.bytes, length);
	char *estimates = bw_estimates_described(text.bytes, length, &error);
	expect(estimates || error.kind == BW_ERROR_INPUT, "what is no description is an error of the input");
	free(estimates);
	bw_complaint(text.bytes, &line);
	expect(line.length <= 2 * length + 16, "a complaint is made of what was said");
	bw_text_free(&line);
	bw_text_free(&text);
	return 0;
}
