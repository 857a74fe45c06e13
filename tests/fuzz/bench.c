/* Fuzzes what the bench reads: the worker's requests, its answers as the client reads them, lines in pieces, base64, generators' standard
 * error, descriptions from which estimates are taken. A request that is accepted keeps what PROTOCOL promises, and all of its estimates can
 * be asked for; an answer that is accepted can be used without further checks. */
#include <math.h>
#include <string.h>

#include "bench/answer.h"
#include "bench/complaint.h"
#include "bench/generator.h"
#include "bench/protocol.h"
#include "bench/worker.h"
#include "target.h"

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
		for (; bw_request_box(request, key, -1, d, &min, &extent); d++)
			expect(min >= INT32_MIN && min <= INT32_MAX && extent >= 1 && extent <= INT32_MAX, "boxes fit and are not empty");
		expect((size_t)d == json_array_size(value), "every dimension is found");
	}
}

static void expect_launches(const struct bw_request *request)
{
	struct bw_json_at root = bw_json_root(request->json);
	const json_t *all = json_object_get(root.value, "launches");
	for (size_t k = 0; k < json_array_size(all); k++) {
		const char *key;
		json_t *value;
		json_object_foreach(json_array_get(all, k), key, value) {
			int threads, shared;
			expect(bw_request_launch(request, (int)k, key, &threads, &shared) && threads >= 1 && shared >= 0, "every launch is found and has threads");
		}
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
	expect(request.id > 0, "a request has an id");
	for (int k = 0; k < request.n_objects; k++)
		expect(!request.objects[k].path != !request.objects[k].content, "every object has a path or a content");
	for (int k = 0; k < request.n_contents; k++)
		expect(strlen(request.contents[k]) == BW_CONTENT_NAME - 1, "contents have names");
	expect(request.what != BW_DO_PUT || (request.content && request.bytes && request.size > 0 && request.at >= 0 && request.at <= request.size), "a piece has its place");
	expect(request.function && request.seconds >= 0 && request.limit > 0 && request.bound.absolute >= 0 && request.bound.relative >= 0, "numbers are in their ranges");
	expect_estimates(&request);
	expect_launches(&request);
	bw_request_free(&request);
}

static void fuzz_answer(const char *text, size_t length)
{
	static struct bw_answer answer;
	struct bw_error error = {0};
	if (!bw_answer_read(text, length, &answer, &error)) {
		expect(error.kind == BW_ERROR_DEVICE && *error.text, "what is no answer is the worker's fault");
		bw_answer_free(&answer);
		return;
	}
	const struct bw_measurement *measurement = &answer.measurement;
	expect(answer.object >= -1 && answer.id >= 0 && answer.number >= 0, "numbers are in their ranges");
	expect(answer.kind != BW_ANSWER_ERROR || (answer.error.kind != BW_ERROR_NONE && !strchr(answer.error.text, '\n')), "an error says so, in one line");
	expect(measurement->kernels.n >= 0 && measurement->kernels.n <= BW_MOST_KERNELS, "kernels have room");
	for (int k = 0; answer.kind == BW_ANSWER_RATES && k < BW_N_RATES; k++)
		expect(answer.rates->list[k].value >= 0 || *answer.rates->list[k].error || isnan(answer.rates->list[k].value), "a rate has a value or none");
	expect(answer.kind != BW_ANSWER_RESULT || measurement->verdict == BW_OUTPUT_WRONG || measurement->median >= measurement->minimum, "times are in their order");
	expect(answer.kind != BW_ANSWER_DEVICES || (answer.devices && answer.devices->n <= BW_MOST_PRESENT), "devices have room");
	bw_answer_free(&answer);
}

/* The same lines come out, however the bytes are cut; the first byte says how. */
static void fuzz_lines(const char *text, size_t length)
{
	struct bw_lines whole = {0}, cut = {0};
	size_t step = 1 + (length ? (unsigned char)*text % 7 : 0), n, m;
	bw_lines_add(&whole, text, length);
	char *line, *other = NULL;
	for (size_t at = 0; at < length; at += step) {
		bw_lines_add(&cut, text + at, length - at < step ? length - at : step);
		while ((other = bw_lines_next(&cut, &m))) {
			line = bw_lines_next(&whole, &n);
			expect(line && n == m && memcmp(line, other, n) == 0, "lines do not depend on how they arrive");
		}
	}
	expect(!bw_lines_next(&whole, &n), "no line is lost");
	line = bw_lines_rest(&whole, &n);
	other = bw_lines_rest(&cut, &m);
	expect(!line == !other && (!line || (n == m && memcmp(line, other, n) == 0)), "nor is the rest");
	bw_lines_free(&whole);
	bw_lines_free(&cut);
}

/* What is decoded is encoded as it was, and the other way round. */
static void fuzz_base64(const uint8_t *bytes, size_t length)
{
	unsigned char *decoded = malloc(length + 4);
	long n = bw_base64_decode((const char *)bytes, length, decoded);
	char *text = n >= 0 ? bw_base64_encode(decoded, (size_t)n) : NULL;
	expect(!text || (strlen(text) == length && memcmp(text, bytes, length) == 0), "base64 has one form");
	free(text);
	text = bw_base64_encode(bytes, length);
	decoded = realloc(decoded, strlen(text) + 4);
	n = bw_base64_decode(text, strlen(text), decoded);
	expect(n == (long)length && memcmp(decoded, bytes, length) == 0, "encoded bytes come back");
	free(text);
	free(decoded);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct bw_text text = {0}, line = {0};
	struct bw_error error = {0};
	bw_text_append(&text, (const char *)bytes, length);
	fuzz_request(text.bytes, length);
	fuzz_answer(text.bytes, length);
	fuzz_lines(text.bytes, length);
	fuzz_base64(bytes, length);
	char *estimates = bw_estimates_described(text.bytes, length, &error);
	expect(estimates || error.kind == BW_ERROR_INPUT, "what is no description is an error of the input");
	free(estimates);
	bw_complaint(text.bytes, &line);
	expect(line.length <= 2 * length + 16, "a complaint is made of what was said");
	bw_text_free(&line);
	bw_text_free(&text);
	return 0;
}
