/* What is shown of a tuning: the outcomes in order, how well they were predicted, what the fastest have in
 * common, and the fastest beside the first shot and the schedule by hand. */
#ifndef BW_FIGURES_TUNING_H
#define BW_FIGURES_TUNING_H
#include <jansson.h>

#include "base/mem.h"
#include "figures/picture.h"
#include "results/agreement.h"
#include "schedulers/tuning.h"

/* An outcome. */
struct bw_tuning_row {
	int number; /* of the candidate */
	int sample; /* of the tuning, from 1, as they were proposed */
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
	int n_timed;                      /* those that ran and were right */
	const struct bw_tuning_row *rows; /* the fastest first, those that failed last */
	const struct bw_tuning_row *came; /* the same, as the outcomes came */
	bool by_samples; /* time says nothing: outcomes are of a file, or most were measured before */
	int n_best;      /* the best tenth, at least three; 0: there are too few to say anything */
	int n_choices;   /* that most of the best tenth share and some of the others do not */
	const struct bw_tuning_choice *choices; /* those first by which the best differ most */
	int batch;                   /* the newest one with an outcome, from 0; -1: there is none */
	struct bw_agreement of_all, of_batch; /* predicted and measured */
};

/* Returns the figures; the arena owns them. They are of the tuning as it is now. */
struct bw_tuning_figures bw_tuning_figures_of(const struct bw_tuning *tuning, struct bw_arena *arena);
/* Returns the median of the rounds of a schedule; NAN: it has none. */
double bw_tuning_median(const struct bw_tuning_rounds *rounds);
/* Returns true if the ranges of two overlap. That of six rounds has the true median in it with a probability
 * of 1 - 2 / 2^6 = 0.97. */
bool bw_tuning_is_tie(const struct bw_tuning_rounds *a, const struct bw_tuning_rounds *b);
/* Returns true if a candidate was measured in turns with the fastest at the end, and their ranges overlap. */
bool bw_tuning_ties(const struct bw_tuning *tuning, int number);
/* Appends what the rounds of a schedule say against the fastest: `1.040 times the fastest`, `a tie with the
 * fastest`; nothing of the fastest itself. */
void bw_tuning_verdict(const struct bw_tuning *tuning, int rounds, struct bw_text *out);
/* Appends a whole line on the rounds of a schedule: its median, its range, the verdict, or why there are
 * none. */
void bw_tuning_rounds_words(const struct bw_tuning *tuning, int rounds, struct bw_text *out);
/* Appends a line on how much the time of the control schedule varied; nothing if it was measured less than
 * twice. */
void bw_tuning_controls_words(const struct bw_tuning *tuning, struct bw_text *out);
/* Appends a schedule of a candidate as a file has it. */
void bw_tuning_schedule(const struct bw_tuning *tuning, int number, struct bw_text *out);
/* Returns the fastest schedule so far over time, or over schedules, and each schedule as a dot. */
struct bw_picture bw_tuning_curve(const struct bw_tuning_figures *figures, struct bw_arena *arena);
/* Returns times measured over times predicted, the fastest and the newest batch marked. */
struct bw_picture bw_tuning_scatter(const struct bw_tuning_figures *figures, struct bw_arena *arena);
/* Returns all of it as JSON: a new reference. pipeline: what the user calls it. */
json_t *bw_tuning_json(const struct bw_tuning_figures *figures, const char *pipeline);
#endif
