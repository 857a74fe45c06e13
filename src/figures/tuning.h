/* The figures of a tuning: the outcomes in order, the accuracy of their predictions, the choices that
 * the fastest share, and the fastest compared with the first shot and the handwritten schedule. */
#pragma once

#include "figures/picture.h"
#include "results/results.h"
#include "schedulers/tuning.h"

/* An outcome. */
struct bw_tuning_row {
	int number; /* of the candidate */
	int sample; /* its number in the tuning, from 1, in the order of proposal */
	int batch;  /* from 0 */
	double predicted, measured; /* by the model; ms, INFINITY: it failed or was wrong */
	double at;  /* s, when it came */
};

/* A site or tiling of one Func, and how many place it so. */
struct bw_tuning_choice {
	int func;
	const char *words; /* at output.block; tiles 1x4/64x1 */
	int best, all; /* of the best tenth; of all that were timed */
};

struct bw_tuning_figures {
	const struct bw_tuning *tuning;
	int n;
	int n_timed;                      /* outcomes that ran and had correct output */
	const struct bw_tuning_row *rows; /* the fastest first, failed ones last */
	const struct bw_tuning_row *came; /* these rows in the order of arrival */
	bool by_samples; /* times mean nothing: outcomes are from a file, or most were stored */
	int n_best;      /* size of the best tenth, at least three; 0: too few outcomes for statistics */
	int n_choices;   /* choices that most of the best tenth share and some of the others do not */
	const struct bw_tuning_choice *choices; /* choices that distinguish the best most come first */
	int batch;                   /* the newest one with an outcome, from 0; -1: there is none */
	struct bw_agreement of_all, of_batch; /* predicted and measured */
};

/* Returns the figures of the tuning in its present state; the arena owns them. */
struct bw_tuning_figures bw_tuning_figures_of(const struct bw_tuning *tuning, struct bw_arena *arena);
/* Returns the median of a schedule's rounds, or NAN if it has none. */
double bw_tuning_median(const struct bw_tuning_rounds *rounds);
/* Returns true if the ranges of two schedules' rounds overlap. The range of six rounds contains the
 * true median with a probability of 1 - 2 / 2^6 = 0.97. */
bool bw_tuning_is_tie(const struct bw_tuning_rounds *a, const struct bw_tuning_rounds *b);
/* Returns true if a candidate was measured in turns with the fastest at the end, and their ranges overlap. */
bool bw_tuning_ties(const struct bw_tuning *tuning, int number);
/* Appends the verdict of a schedule's rounds against the fastest: `1.040 times the fastest`, `a tie
 * with the fastest`; nothing for the fastest itself. */
void bw_tuning_verdict(const struct bw_tuning *tuning, int rounds, struct bw_text *out);
/* Appends a whole line on the rounds of a schedule: its median, its range, the verdict, or why there are
 * none. */
void bw_tuning_rounds_words(const struct bw_tuning *tuning, int rounds, struct bw_text *out);
/* Appends a line on how much the time of the control schedule varied; nothing if it was measured fewer
 * than two times. */
void bw_tuning_controls_words(const struct bw_tuning *tuning, struct bw_text *out);
/* Appends a schedule of a candidate as a file has it. */
void bw_tuning_schedule(const struct bw_tuning *tuning, int number, struct bw_text *out);
/* Returns a picture of the fastest time so far, over time or over schedules, with each schedule as a
 * dot. */
struct bw_picture bw_tuning_curve(const struct bw_tuning_figures *figures, struct bw_arena *arena);
/* Returns times measured over times predicted, the fastest and the newest batch marked. */
struct bw_picture bw_tuning_scatter(const struct bw_tuning_figures *figures, struct bw_arena *arena);
/* Returns the figures as JSON: a new reference. pipeline: the user's name for it. */
json_t *bw_tuning_json(const struct bw_tuning_figures *figures, const char *pipeline);
