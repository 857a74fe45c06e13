/* The figures of a tuning: the outcomes in order, the accuracy of their predictions, the choices that the
 * fastest schedules share, and the fastest schedule compared with the first shot and the schedule by
 * hand. */
#pragma once

#include "figures/picture.h"
#include "results/results.h"
#include "schedulers/tuning.h"

/* A row: the outcome of one measurement. */
struct bw_tuning_row {
	int number; /* number of the candidate */
	int sample; /* its number in the tuning, from 1, in the order of proposal */
	int batch;  /* from 0 */
	/* predicted: cost by the model; measured: ms, INFINITY if it failed or its output was wrong */
	double predicted, measured;
	double at;  /* seconds of the tuning when the outcome came */
};

/* A choice: a site or a tiling of one Func, and the number of schedules with it. */
struct bw_tuning_choice {
	int func;
	const char *words; /* `at output.block`; `tiles 1x4/64x1` */
	int best, all; /* number of schedules with this choice in the best tenth, and in all timed schedules */
};

struct bw_tuning_figures {
	const struct bw_tuning *tuning;
	int n;
	int n_timed;                      /* number of outcomes that ran and had correct output */
	const struct bw_tuning_row *rows; /* the fastest first, failed ones last */
	const struct bw_tuning_row *came; /* these rows in the order of arrival */
	bool by_samples; /* the times of arrival mean nothing: outcomes are from a file, or most were stored */
	int n_best;      /* size of the best tenth, at least three; 0: too few outcomes for statistics */
	int n_choices;   /* choices that most of the best tenth share and some of the others do not */
	const struct bw_tuning_choice *choices; /* choices that distinguish the best most come first */
	int batch;                   /* the newest batch with an outcome, 0-based; -1: none */
	/* agreement of predicted and measured times: all outcomes; those of `batch` */
	struct bw_agreement of_all, of_batch;
};

/* Returns the figures of the tuning in its current state. The arena owns them. */
struct bw_tuning_figures bw_tuning_figures_of(const struct bw_tuning *tuning, struct bw_arena *arena);
/* Returns the median of a schedule's rounds, or NAN if it has none. */
double bw_tuning_median(const struct bw_tuning_rounds *rounds);
/* Returns true if the ranges of two schedules' rounds overlap. The range of six rounds contains the
 * true median with a probability of 1 - 2 / 2^6 = 0.97. */
bool bw_tuning_is_tie(const struct bw_tuning_rounds *a, const struct bw_tuning_rounds *b);
/* Returns true if a candidate was measured in turns with the fastest at the end, and the ranges of both
 * overlap. */
bool bw_tuning_ties(const struct bw_tuning *tuning, int number);
/* Appends the verdict of a schedule's rounds against the fastest: `1.040 times the fastest`, `a tie
 * with the fastest`; nothing for the fastest itself. */
void bw_tuning_verdict(const struct bw_tuning *tuning, int rounds, struct bw_text *out);
/* Appends a whole line on the rounds of a schedule: the median, the range and the verdict, or why there
 * are no rounds. */
void bw_tuning_rounds_words(const struct bw_tuning *tuning, int rounds, struct bw_text *out);
/* Appends a line on how much the time of the control schedule varied; nothing if it was measured fewer
 * than two times. */
void bw_tuning_controls_words(const struct bw_tuning *tuning, struct bw_text *out);
/* Appends the schedule of a candidate in the format of a schedule file. */
void bw_tuning_schedule(const struct bw_tuning *tuning, int number, struct bw_text *out);
/* Returns a picture of the fastest time so far, over time or over the number of schedules. Each schedule
 * is a dot. */
struct bw_picture bw_tuning_curve(const struct bw_tuning_figures *figures, struct bw_arena *arena);
/* Returns a picture of measured over predicted times, in which the fastest and the newest batch are
 * marked. */
struct bw_picture bw_tuning_scatter(const struct bw_tuning_figures *figures, struct bw_arena *arena);
/* Returns the figures as JSON: a new reference. pipeline: the user's name for the pipeline. */
json_t *bw_tuning_json(const struct bw_tuning_figures *figures, const char *pipeline);
