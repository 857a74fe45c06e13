/* The worker's answers. Each answer is one line, which is read and checked. */
#pragma once

#include "bench/counted.h"
#include "bench/measurement.h"
#include "bench/present.h"
#include "bench/rates.h"

/* Kinds of answers. The text is the JSON member that an answer of this kind has, beside its id. The fields of
 * struct bw_answer say which kinds fill them. */
#define BW_ANSWER_TABLE(X) \
	X(BW_ANSWER_HELLO, "hello") X(BW_ANSWER_DEVICES, "devices") X(BW_ANSWER_HAVE, "have") X(BW_ANSWER_PUT, "put") X(BW_ANSWER_CANCELLED, "cancelled") X(BW_ANSWER_DONE, "done") X(BW_ANSWER_BEGIN, "begin") \
	X(BW_ANSWER_RESULT, "result") X(BW_ANSWER_RATES, "rates") X(BW_ANSWER_ERROR, "error")
enum bw_answer_kind { BW_ANSWER_TABLE(BW_FIRST) };

struct bw_answer {
	enum bw_answer_kind kind;
	int64_t id;       /* id of the request; 0: the worker could not read the id */
	int object;       /* BEGIN, RESULT, ERROR: index of the object; -1: BEGIN: the reference; ERROR: the
			     whole request */
	double waits;     /* BEGIN: seconds that the object has waited for its turn on the device; 0: it
			     begins now */
	char holder[256]; /* BEGIN: the process that has the turn on the device; empty: none, or not known */
	int64_t number;   /* PUT: bytes received; CANCELLED: id of the request; DONE: number of objects */
	char version[32]; /* HELLO: version of beamwalk */
	int n_have;
	bool *have; /* HAVE */
	struct bw_presents *devices;
	struct bw_rates *rates;            /* RATES */
	struct bw_measurement measurement; /* RESULT */
	struct bw_counted *counted;        /* RESULT: the emulated device's counts; NULL: none */
	struct bw_error error;             /* ERROR */
};

/* Reads a line. Returns false with an error of kind DEVICE if the line is not an answer, or if its protocol
 * version differs. Free the answer with bw_answer_free in either case. */
bool bw_answer_read(const char *line, size_t length, struct bw_answer *answer, struct bw_error *error);
void bw_answer_free(struct bw_answer *answer);
/* Returns true if a line is an answer of any protocol version. Returns false for other lines, such as the
 * output of a login script. */
bool bw_answer_is(const char *line);
