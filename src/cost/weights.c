/* The weights of the learned cost model: reads and writes Halide's weights files, and draws initial
 * weights for training. */
#include "cost/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"

/* The signature of a file, and the versions of its features (PipelineFeatures, ScheduleFeatures). */
enum { SIGNATURE = 0x68776631, ALGORITHM_VERSION = 3, SCHEDULE_VERSION = 3, MOST_BYTES = 1 << 20 };

struct buffer {
	const char *name;
	int dims, extents[3];
	size_t offset; /* total */
};

static const struct buffer buffers[] = {
#define X(name, dims, e0, e1, e2) \
	{#name, dims, {e0, e1, e2}, offsetof(struct bw_weight_buffers, name) / sizeof(float)},
    BW_WEIGHTS_TABLE(X)
#undef X
};
enum { N_BUFFERS = sizeof buffers / sizeof *buffers };

/* A file while it is read. */
struct reading {
	const char *name;
	const unsigned char *bytes;
	size_t length, at;
	struct bw_error *error;
};

static bool fail_short(const struct reading *reading, const char *what)
{
	return bw_fail(reading->error, BW_ERROR_INPUT, "%s: it ends after %zu bytes, in %s", reading->name,
		       reading->length, what);
}

static bool read_word(struct reading *reading, const char *what, uint32_t *word)
{
	if (reading->length - reading->at < 4)
		return fail_short(reading, what);
	const unsigned char *b = reading->bytes + reading->at;
	*word = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
	reading->at += 4;
	return true;
}

/* Reads a word that must have a value. */
static bool expect_word(struct reading *reading, const char *what, uint32_t expected)
{
	uint32_t word = 0;
	return read_word(reading, what, &word) &&
	       (word == expected ||
		bw_fail(reading->error, BW_ERROR_INPUT, "%s: %s is %lu, expected %lu", reading->name, what,
			(unsigned long)word, (unsigned long)expected));
}

static size_t values_of(const struct buffer *buffer)
{
	return (size_t)buffer->extents[0] * (size_t)buffer->extents[1] * (size_t)buffer->extents[2];
}

static bool read_values(struct reading *reading, const struct buffer *buffer, float *values)
{
	for (size_t i = 0; i < values_of(buffer); i++) {
		uint32_t word;
		if (!read_word(reading, buffer->name, &word))
			return false;
		memcpy(&values[i], &word, sizeof word);
		if (!isfinite(values[i]))
			return bw_fail(reading->error, BW_ERROR_INPUT, "%s: %s[%zu] is not a finite number",
				       reading->name, buffer->name, i);
	}
	return true;
}

static bool read_buffer(struct reading *reading, const struct buffer *buffer, float *all)
{
	char what[64];
	snprintf(what, sizeof what, "the number of dimensions of %s", buffer->name);
	if (!expect_word(reading, what, (uint32_t)buffer->dims))
		return false;
	for (int d = 0; d < buffer->dims; d++) {
		snprintf(what, sizeof what, "extent %d of %s", d, buffer->name);
		if (!expect_word(reading, what, (uint32_t)buffer->extents[d]))
			return false;
	}
	return read_values(reading, buffer, all + buffer->offset);
}

/* Reads what follows the buffers: nothing, or beamwalk's line. */
static bool read_origin(const struct reading *reading, struct bw_weights_origin *origin)
{
	size_t rest = reading->length - reading->at;
	const char *device;
	if (!rest)
		return true;
	struct bw_error inner = {0};
	struct bw_json *json =
	    bw_json_parse(reading->name, (const char *)reading->bytes + reading->at, rest, &inner);
	if (!json)
		return bw_fail(reading->error, BW_ERROR_INPUT,
			       "%s: %zu bytes follow the weights, and do not say where these come from",
			       reading->name, rest);
	struct bw_json_at root = bw_json_root(json);
	bool good = bw_json_get_string(&root, "device", &device, &inner) &&
		    bw_json_get_bool(&root, "cpu", &origin->cpu, &inner) &&
		    bw_json_get_int(&root, "pipelines", 0, INT32_MAX, &origin->pipelines, &inner) &&
		    bw_json_get_int(&root, "samples", 0, INT32_MAX, &origin->samples, &inner) &&
		    bw_json_get_int(&root, "steps", 0, INT64_MAX, &origin->steps, &inner);
	if (good)
		snprintf(origin->device, sizeof origin->device, "%s", device);
	else if (reading->error)
		*reading->error = inner;
	origin->known = good;
	bw_json_free(json);
	return good;
}

bool bw_weights_parse(const char *name, const char *bytes, size_t length, struct bw_weights *weights,
		      struct bw_error *error)
{
	struct reading reading = {name, (const unsigned char *)bytes, length, 0, error};
	uint32_t signature;
	*weights = (struct bw_weights){0};
	if (!read_word(&reading, "the signature", &signature))
		return false;
	if (signature != SIGNATURE)
		return bw_fail(error, BW_ERROR_INPUT,
			       "%s: no weights file: it begins with %08lx, expected %08lx", name,
			       (unsigned long)signature, (unsigned long)SIGNATURE);
	if (!expect_word(&reading, "the version of the pipeline features", ALGORITHM_VERSION) ||
	    !expect_word(&reading, "the version of the schedule features", SCHEDULE_VERSION) ||
	    !expect_word(&reading, "the number of buffers", N_BUFFERS))
		return false;
	for (int b = 0; b < N_BUFFERS; b++)
		if (!read_buffer(&reading, &buffers[b], weights->all))
			return false;
	return read_origin(&reading, &weights->origin);
}

bool bw_weights_read(const char *path, struct bw_weights *weights, struct bw_error *error)
{
	BW_SCOPED_TEXT text = {0};
	return bw_file_read(path, MOST_BYTES, &text, error) &&
	       bw_weights_parse(path, bw_text_get(&text), text.length, weights, error);
}

static void put_word(struct bw_text *out, uint32_t word)
{
	const unsigned char bytes[] = {(unsigned char)word, (unsigned char)(word >> 8),
				       (unsigned char)(word >> 16), (unsigned char)(word >> 24)};
	bw_text_append(out, (const char *)bytes, sizeof bytes);
}

static void print_origin(const struct bw_weights_origin *origin, struct bw_text *out)
{
	json_auto_t *json = json_pack("{s:s, s:b, s:I, s:I, s:I}", "device", origin->device, "cpu",
				      origin->cpu, "pipelines", (json_int_t)origin->pipelines, "samples",
				      (json_int_t)origin->samples, "steps", (json_int_t)origin->steps);
	BW_SCOPED_MEMORY char *line = json_dumps(json, JSON_COMPACT);
	bw_text_puts(out, line ? line : "");
	bw_text_puts(out, "\n");
}

void bw_weights_print(const struct bw_weights *weights, struct bw_text *out)
{
	put_word(out, SIGNATURE);
	put_word(out, ALGORITHM_VERSION);
	put_word(out, SCHEDULE_VERSION);
	put_word(out, N_BUFFERS);
	for (int b = 0; b < N_BUFFERS; b++) {
		put_word(out, (uint32_t)buffers[b].dims);
		for (int d = 0; d < buffers[b].dims; d++)
			put_word(out, (uint32_t)buffers[b].extents[d]);
		for (size_t i = 0; i < values_of(&buffers[b]); i++) {
			uint32_t word;
			memcpy(&word, &weights->all[buffers[b].offset + i], sizeof word);
			put_word(out, word);
		}
	}
	if (weights->origin.known)
		print_origin(&weights->origin, out);
}

bool bw_weights_write(const char *path, const struct bw_weights *weights, struct bw_error *error)
{
	BW_SCOPED_TEXT text = {0};
	bw_weights_print(weights, &text);
	return bw_file_write(path, bw_text_get(&text), text.length, error);
}

uint64_t bw_weights_hash(const struct bw_weights *weights)
{
	return bw_hash_bytes(0, weights->all, sizeof weights->all);
}

void bw_weights_draw(struct bw_weights *weights, uint64_t seed)
{
	*weights = (struct bw_weights){0};
	for (int i = 0; i < BW_N_WEIGHTS; i++)
		weights->all[i] = (float)((double)bw_random((const uint64_t[]){seed, (uint64_t)i}, 2) * 0x1p-64 - 0.5);
}
