/* Weights of the learned cost model (Anderson et al. 2021, section 5.2): their buffers, and Halide's
 * `.weights` files. */
#pragma once

#include "cost/features.h"

/* Sizes of the network: channels of the embeddings of the algorithm and of the schedule, coefficients, and
 * features of a stage. */
enum {
	BW_NET_OPERATIONS = BW_PIPELINE_FEATURE_ROWS,
	BW_NET_TYPES = BW_N_TYPES,
	BW_NET_ALGORITHM = BW_PIPELINE_FEATURES,
	BW_NET_SCHEDULE = BW_SCHEDULE_FEATURES,
	BW_NET_HEAD1 = 8,
	BW_NET_HEAD2 = 24,
	BW_NET_EMBEDDED = BW_NET_HEAD1 + BW_NET_HEAD2,
	BW_NET_COEFFICIENTS = 32
};

/* Buffers in file order: name, dimensions, extents; the first dimension is the innermost. */
#define BW_WEIGHTS_TABLE(X) \
	X(head1_filter, 3, BW_NET_HEAD1, BW_NET_OPERATIONS, BW_NET_TYPES) \
	X(head1_bias, 1, BW_NET_HEAD1, 1, 1) \
	X(head2_filter, 2, BW_NET_HEAD2, BW_NET_SCHEDULE, 1) \
	X(head2_bias, 1, BW_NET_HEAD2, 1, 1) \
	X(conv1_filter, 2, BW_NET_COEFFICIENTS, BW_NET_EMBEDDED, 1) \
	X(conv1_bias, 1, BW_NET_COEFFICIENTS, 1, 1)

/* Weights in files and in training: by name, or all in a row. */
struct bw_weight_buffers {
#define X(name, dims, e0, e1, e2) float name[(e0) * (e1) * (e2)];
	BW_WEIGHTS_TABLE(X)
#undef X
};
enum { BW_N_WEIGHTS = sizeof(struct bw_weight_buffers) / sizeof(float) };

/* Origin of the weights. beamwalk writes it to the end of a file, which Halide ignores. */
struct bw_weights_origin {
	bool known;      /* false: the file does not say */
	char device[64]; /* the device whose times they were trained on */
	bool cpu;        /* that device is a CPU: they say nothing about a GPU */
	int64_t pipelines, samples, steps;
};

struct bw_weights {
	union {
		struct bw_weight_buffers by;
		float all[BW_N_WEIGHTS];
	};
	struct bw_weights_origin origin;
};

/* Reads the bytes of a file; errors call it name. Returns false with an error of kind INPUT if the
 * signature, the versions of the features, the shapes, the length or a number is not as expected. */
bool bw_weights_parse(const char *name, const char *bytes, size_t length, struct bw_weights *weights,
		      struct bw_error *error);
bool bw_weights_read(const char *path, struct bw_weights *weights, struct bw_error *error);
/* Appends the bytes of a file. */
void bw_weights_print(const struct bw_weights *weights, struct bw_text *out);
bool bw_weights_write(const char *path, const struct bw_weights *weights, struct bw_error *error);
/* Returns a hash of the numbers alone. */
uint64_t bw_weights_hash(const struct bw_weights *weights);
/* Draws initial weights for training: uniform in [-0.5, 0.5), as in Halide, from the seed alone. */
void bw_weights_draw(struct bw_weights *weights, uint64_t seed);
