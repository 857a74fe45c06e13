/* Checkpoints of training: a line of text, then the numbers as in memory, for machines of one byte order. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "cost/training.h"

/* The format, and the one before it, which lacks the best epoch; that epoch cannot be reconstructed. */
#define HEAD "beamwalk-training 2\n"
#define HEAD_BEFORE "beamwalk-training 1\n"

/* Returns a hash of everything that determines the course of training, except for its state. */
static uint64_t key_of(const struct bw_samples *samples, const struct bw_training_options *options)
{
	uint64_t hash = bw_samples_hash(samples);
	hash = bw_hash_bytes(hash, &options->sms, sizeof options->sms);
	hash = bw_hash_bytes(hash, &options->rate, sizeof options->rate);
	hash = bw_hash_mix(hash, (uint64_t)options->group);
	hash = bw_hash_mix(hash, (uint64_t)options->batch);
	hash = bw_hash_mix(hash, options->seed);
	return bw_hash_mix(hash, (uint64_t)options->hold_out);
}

void bw_training_print(const struct bw_training *training, const struct bw_samples *samples,
		       const struct bw_training_options *options, struct bw_text *out)
{
	size_t start = out->length;
	bw_text_puts(out, HEAD);
	uint64_t key = key_of(samples, options);
	bw_text_append(out, (const char *)&key, sizeof key);
	bw_text_append(out, (const char *)training, sizeof *training);
	uint64_t sum = bw_hash_bytes(0, out->bytes + start, out->length - start);
	bw_text_append(out, (const char *)&sum, sizeof sum);
}

bool bw_training_parse(const char *name, const char *bytes, size_t length, const struct bw_samples *samples,
		       const struct bw_training_options *options, struct bw_training *training,
		       struct bw_error *error)
{
	const size_t head = strlen(HEAD), body = head + sizeof(uint64_t) + sizeof *training;
	uint64_t key, sum;
	if (length >= head && !memcmp(bytes, HEAD_BEFORE, head))
		return bw_fail(
		    error, BW_ERROR_INPUT,
		    "%s: a checkpoint of a beamwalk that did not keep the best epoch; training begins anew without --resume",
		    name);
	if (length < head || memcmp(bytes, HEAD, head) != 0)
		return bw_fail(
		    error, BW_ERROR_INPUT,
		    "%s: no checkpoint of training: it does not begin with \"beamwalk-training 2\"", name);
	if (length != body + sizeof sum)
		return bw_fail(error, BW_ERROR_INPUT, "%s: a checkpoint of %zu bytes, expected %zu", name,
			       length, body + sizeof sum);
	memcpy(&key, bytes + head, sizeof key);
	memcpy(&sum, bytes + body, sizeof sum);
	if (sum != bw_hash_bytes(0, bytes, body))
		return bw_fail(error, BW_ERROR_INPUT, "%s: a damaged checkpoint: its sum does not fit", name);
	if (key != key_of(samples, options))
		return bw_fail(
		    error, BW_ERROR_INPUT,
		    "%s: a checkpoint of other samples, or with another seed, rate, batch, device or pipeline held out",
		    name);
	memcpy(training, bytes + head + sizeof key, sizeof *training);
	return true;
}
