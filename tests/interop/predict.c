/* The cost that the cost model of Halide's anderson2021 predicts for a schedule, in all and for each stage. Halide itself prints the sum alone: this calls
 * the compiled model in its autoscheduler's library, which exports it, with the features that a generator wrote.
 *
 *   predict LIBHALIDE LIBAUTOSCHEDULE WEIGHTS FEATURIZATION PARALLELISM
 *
 * Prints the cost, then that of each stage in the order of the featurization, a number in a line. */
#include <HalideRuntime.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCHEDULE = 73, ROWS = 40, TYPES = 7, RECORD = SCHEDULE + TYPES + ROWS * TYPES, BUFFERS = 6, MOST_DIMS = 3 };
static const uint32_t signature = 0x68776631;

typedef struct halide_buffer_t buffer;
typedef int cost_model(int32_t n_stages, int32_t batch, int32_t cores, int32_t batch_id, buffer *pipeline, buffer *schedule, buffer *head1_filter, buffer *head1_bias,
		       buffer *head2_filter, buffer *head2_bias, buffer *conv1_filter, buffer *conv1_bias, float rate, int32_t step, int32_t reference, buffer *times,
		       buffer *prediction, buffer *of_stages, buffer *loss);

static void die(const char *what, const char *which)
{
	fprintf(stderr, "predict: %s: %s\n", which, what);
	exit(1);
}

static char *read_all(const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END) != 0)
		die("cannot be read", path);
	*length = (size_t)ftell(file);
	char *bytes = malloc(*length + 1);
	rewind(file);
	if (!bytes || fread(bytes, 1, *length, file) != *length)
		die("cannot be read", path);
	fclose(file);
	return bytes;
}

/* A buffer of floats in host memory, the first dimension innermost. data NULL: of zeros. */
static buffer *floats(int n_dims, const int32_t *extents, const float *data)
{
	buffer *made = calloc(1, sizeof *made);
	size_t n = 1;
	made->dimensions = n_dims;
	made->dim = calloc(MOST_DIMS, sizeof *made->dim);
	for (int d = 0; d < n_dims; d++) {
		made->dim[d] = (halide_dimension_t){.extent = extents[d], .stride = (int32_t)n};
		n *= (size_t)extents[d];
	}
	made->type = (struct halide_type_t){halide_type_float, 32, 1};
	made->host = calloc(n, sizeof(float));
	if (data)
		memcpy(made->host, data, n * sizeof(float));
	return made;
}

static void read_weights(const char *path, buffer **weights)
{
	size_t length, at = 4;
	const char *bytes = read_all(path, &length);
	const uint32_t *words = (const uint32_t *)bytes, n_words = (uint32_t)(length / 4);
	if (n_words < 4 || words[0] != signature || words[3] != BUFFERS)
		die("is no file of weights", path);
	for (int b = 0; b < BUFFERS; b++) {
		uint32_t n_dims = words[at++], n = 1;
		if (n_dims > MOST_DIMS || at + n_dims > n_words)
			die("is no file of weights", path);
		for (uint32_t d = 0; d < n_dims; d++)
			n *= words[at + d];
		if (at + n_dims + n > n_words)
			die("ends early", path);
		weights[b] = floats((int)n_dims, (const int32_t *)&words[at], (const float *)&words[at + n_dims]);
		at += n_dims + n;
	}
}

static void *symbol(const char *path, int mode, const char *name)
{
	void *library = dlopen(path, RTLD_NOW | mode);
	void *found = library && name ? dlsym(library, name) : library;
	if (!found)
		die(dlerror(), path);
	return found;
}

int main(int argc, char **argv)
{
	if (argc != 6) {
		fputs("usage: predict LIBHALIDE LIBAUTOSCHEDULE WEIGHTS FEATURIZATION PARALLELISM\n", stderr);
		return 2;
	}
	buffer *weights[BUFFERS];
	size_t length;
	symbol(argv[1], RTLD_GLOBAL, NULL);
	cost_model *model = (cost_model *)symbol(argv[2], 0, "cost_model");
	read_weights(argv[3], weights);
	const float *records = (const float *)read_all(argv[4], &length);
	int n = (int)(length / (RECORD * sizeof(float)));
	if (!n || length % (RECORD * sizeof(float)))
		die("is no featurization", argv[4]);

	buffer *pipeline = floats(3, (const int32_t[]){ROWS, TYPES, n}, NULL), *schedule = floats(3, (const int32_t[]){1, SCHEDULE, n}, NULL);
	for (int s = 0; s < n; s++) {
		const float *record = &records[(size_t)s * RECORD];
		memcpy((float *)schedule->host + s * SCHEDULE, record, SCHEDULE * sizeof(float));
		for (int i = 0; i < ROWS * TYPES; i++)
			((float *)pipeline->host)[(s * TYPES + i % TYPES) * ROWS + i / TYPES] = record[SCHEDULE + TYPES + i];
	}
	buffer *prediction = floats(1, (const int32_t[]){1}, NULL), *of_stages = floats(2, (const int32_t[]){1, n}, NULL), *loss = floats(0, NULL, NULL);
	int status = model(n, 1, atoi(argv[5]), 0, pipeline, schedule, weights[0], weights[1], weights[2], weights[3], weights[4], weights[5], 0, 0, 0, NULL, prediction, of_stages, loss);
	if (status != 0)
		die("the cost model failed", argv[2]);
	printf("%.9g\n", (double)*(float *)prediction->host);
	for (int s = 0; s < n; s++)
		printf("%.9g\n", (double)((float *)of_stages->host)[s]);
	return 0;
}
