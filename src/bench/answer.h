/* What the worker answers: one line at a time, read and checked. */
#pragma once

#include "bench/counted.h"
#include "bench/measurement.h"
#include "bench/present.h"
#include "bench/rates.h"

/* Kinds of answers, by the member that each has beside its id; which of the fields below it fills. */
#define BW_ANSWER_TABLE(X) \
	X(BW_ANSWER_HELLO, "hello") X(BW_ANSWER_DEVICES, "devices") X(BW_ANSWER_HAVE, "have") X(BW_ANSWER_PUT, "put") X(BW_ANSWER_CANCELLED, "cancelled") X(BW_ANSWER_DONE, "done") X(BW_ANSWER_BEGIN, "begin") \
	X(BW_ANSWER_RESULT, "result") X(BW_ANSWER_RATES, "rates") X(BW_ANSWER_ERROR, "error")
enum bw_answer_kind { BW_ANSWER_TABLE(BW_FIRST) };

struct bw_answer {
	enum bw_answer_kind kind;
	int64_t id;       /* of the request; 0: the worker could not read one */
	int object;       /* BEGIN (-1: the reference), RESULT, ERROR; ERROR of the request as a whole: -1 */
	double waits;     /* BEGIN: seconds that it has waited for its turn on the device; 0: it is begun now */
	char holder[256]; /* BEGIN: who has the turn that it waits for; empty: nobody, or not known */
	int64_t number;   /* PUT: bytes that are there; CANCELLED: the request; DONE: objects */
	char version[32]; /* HELLO: of beamwalk */
	int n_have;
	bool *have; /* HAVE */
	struct bw_presents *devices;
	struct bw_rates *rates;            /* RATES */
	struct bw_measurement measurement; /* RESULT */
	struct bw_counted *counted;        /* RESULT: what the emulated device counted; NULL: nothing */
	struct bw_error error;             /* ERROR */
};

/* Reads a line. Returns false with an error of kind DEVICE where it is none, or of another version
 * of the protocol. bw_answer_free frees what it holds in either case. */
bool bw_answer_read(const char *line, size_t length, struct bw_answer *answer, struct bw_error *error);
void bw_answer_free(struct bw_answer *answer);
/* Returns true if a line is meant to be an answer, of whatever version: what a login script prints
 * is none. */
bool bw_answer_is(const char *line);
