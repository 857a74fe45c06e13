/* Several opinions on one pipeline: the schedule of every scheduler and the one by hand, and what every cost
 * model predicts for each. */
#pragma once

#include "schedulers/walk.h"

/* Columns behind those of the cost models: name in C, name, unit, meaning. */
#define BW_OPINION_FIGURE_TABLE(X)                                                                           \
	X(BW_OPINION_COUNTED, "counted", "ms", "time from the instructions that the emulated device counted of the compiled kernels") \
	X(BW_OPINION_MEASURED, "measured", "ms", "median of the runs on a device")
enum bw_opinion_figure { BW_OPINION_FIGURE_TABLE(BW_FIRST) BW_N_OPINION_FIGURES };

/* A cell. */
struct bw_opinion_cost {
	double cost;    /* in the column's unit; NAN: not known */
	double of_best; /* over the least of the column; NAN: not known */
	int n_refused;  /* stages of kernels that the model's rules refuse: it has no cost for them */
};

/* A row. */
struct bw_opinion {
	const char *name, *paper;             /* of the scheduler; `hand` */
	const struct bw_scheduler *scheduler; /* NULL: by hand */
	struct bw_schedule *schedule;         /* NULL: it has none, or none that can be written down */
	struct bw_nest *nest;                 /* of that; NULL: none */
	const char *why;                      /* then: why */
	bool skip;                            /* it is not to be run */
	const char *note;                     /* how the scheduler came to its end; NULL: nothing is said */
	int n_kernels;
	const char **kernels;          /* their names, in the order of their launch */
	double *kernel_costs;          /* [kernel * n_models + model], in the model's unit */
	double seconds;                /* that the scheduler took */
	struct bw_opinion_cost *costs; /* by column: the models, then the figures */
};

struct bw_opinions {
	struct bw_arena *arena;
	const struct bw_pipeline *pipeline;
	struct bw_settings options;
	int n, n_models;
	struct bw_opinion *list;             /* the exact scheduler, which takes longest, and the one by hand last */
	const struct bw_cost_model **models; /* the learned one last, if the options have weights */
	const char *measured_on;             /* device of the measured figures; NULL: none is measured */
	atomic_int done;                     /* rows that are filled */
};

/* Returns rows without schedules. hand: the schedule by hand, kept; NULL: none is written down, and `why`
 * says why. The pipeline, and what the options point to, must outlive it. Free it with bw_opinions_free. */
struct bw_opinions *bw_opinions_new(const struct bw_pipeline *pipeline,
				    const struct bw_settings *options, struct bw_nest *hand,
				    const char *why);
/* Fills the next row. Returns false if all are filled, or *stop is set. One thread may do this while others
 * read the rows below `done`. The exact scheduler gets 10 s, and its row says so. */
bool bw_opinions_next(struct bw_opinions *opinions, const atomic_bool *stop);
/* Sets the cells of the filled rows in units of each column's best. */
void bw_opinions_compare(struct bw_opinions *opinions);
void bw_opinions_free(struct bw_opinions *opinions);
/* Returns the name and unit of a column. */
const char *bw_opinions_column(const struct bw_opinions *opinions, int column);
/* Returns true if there is anything to show of a row: a schedule, or figures without one. */
bool bw_opinion_has_figures(const struct bw_opinions *opinions, const struct bw_opinion *opinion);
/* Returns the row of this name, or -1. */
int bw_opinions_find(const struct bw_opinions *opinions, const char *name);
/* Writes a figure in units of a column's best: `1.52`, `8.1e+03`, `~1.05` of a tie, `refused` if the model
 * has no cost of it; column -1: of none. */
void bw_opinions_cell(const struct bw_opinions *opinions, int column, double of_best, bool refused,
		      char cell[16]);

/* Appends a table: a row for each schedule, and for each model or figure a column in units of its best. */
void bw_opinions_print(const struct bw_opinions *opinions, struct bw_text *out);
/* Returns them as JSON: a new reference. */
json_t *bw_opinions_json(const struct bw_opinions *opinions);
