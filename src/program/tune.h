/* A run of `beamwalk tune`: what its files share. */
#ifndef BW_PROGRAM_TUNE_H
#define BW_PROGRAM_TUNE_H
#include "program/program.h"
#include "tune/meter.h"
#include "tune/tune.h"

/* Makes a meter of a session's device, which measures one schedule after another. Free it with
 * bw_meter_of_session_free, before the session. goes_on: asked while it waits for the worker to name its
 * device. */
struct bw_meter *bw_meter_of_session(struct bw_session *session, const struct bw_yield *yield);
void bw_meter_of_session_free(struct bw_meter *meter);
/* Makes a meter that hands out the times of a file of measurements, CSV with the columns schedule and
 * minimum_ms as `results --csv` writes them, for the session's pipeline and device. Returns NULL with an
 * error. */
struct bw_meter *bw_meter_of_file(const struct bw_session *session, const char *path, struct bw_error *error);
void bw_meter_of_file_free(struct bw_meter *meter);

/* Measurements of one schedule in turns with others, in ms. */
enum { BW_TUNING_ROUNDS = 6, BW_TUNING_COMPARED = 3 };
struct bw_tuning_rounds {
	const char *name;
	const struct bw_nest *nest; /* NULL: the generator's own */
	int n;
	double ms[BW_TUNING_ROUNDS]; /* rising once all are measured */
	struct bw_error error;       /* why there are none */
};

struct bw_tuning {
	struct bw_program *program;
	struct bw_session *session;
	struct bw_meter *meter;
	struct bw_tune *tune;
	long samples;  /* to be measured */
	long patience; /* how many without a faster one end it; 0: no matter */
	double limit;  /* seconds to go on for; 0: no limit */
	double began, ended;
	int n, stored, failed; /* samples that came to an end; of them found stored; failed or wrong */
	int absent; /* proposals in a row of which the file that is replayed knows nothing */
	int since; /* the fastest was found: samples */
	bool stopped, shown; /* by ^C; a line of progress stands on the terminal */
	int *order;          /* the candidates, as they were proposed; those that have outcomes */
	int n_order, order_capacity;
	struct bw_error failure; /* the first that failed */
	struct bw_tuning_rounds rounds[BW_TUNING_COMPARED]; /* the fastest, the first shot, by hand */
	int n_rounds;
};

/* Appends what a tuning has come to, in some lines. */
void bw_tuning_print(const struct bw_tuning *tuning, struct bw_text *out);
/* Appends it as JSON. */
void bw_tuning_print_json(const struct bw_tuning *tuning, struct bw_text *out);
/* Appends the fastest schedule as a file that ends with the summary as comments. */
void bw_tuning_print_schedule(const struct bw_tuning *tuning, const char *summary, struct bw_text *out);
/* Appends where a candidate comes from: `drawn with seed 3`. */
void bw_tuning_origin(const struct bw_tuning *tuning, int number, struct bw_text *out);
#endif
