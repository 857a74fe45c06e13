/* Opinions on one pipeline: the schedules of all schedulers and the schedule by hand, and what each cost
 * model predicts for each schedule. */
#pragma once

#include "schedulers/walk.h"

/* Columns behind those of the cost models: name in C, name, unit, meaning. */
#define BW_OPINION_FIGURE_TABLE(X)                                                                           \
	X(BW_OPINION_COUNTED, "counted", "ms", "time from the instructions that the emulated device counted of the compiled kernels") \
	X(BW_OPINION_MEASURED, "measured", "ms", "median of the runs on a device")
enum bw_opinion_figure { BW_OPINION_FIGURE_TABLE(BW_FIRST) BW_N_OPINION_FIGURES };

/* A cell of the table: one schedule, one column. */
struct bw_opinion_cost {
	double cost;    /* in the column's unit; NAN: not known */
	double of_best; /* cost over the least cost of the column; NAN: not known */
	int n_refused;  /* number of stages that the model's rules refuse, and that therefore have no cost */
};

/* A row of the table: one schedule. */
struct bw_opinion {
	/* the scheduler's name and paper; the schedule by hand has the name `hand` */
	const char *name, *paper;
	const struct bw_scheduler *scheduler; /* NULL: the schedule by hand */
	struct bw_schedule *schedule;         /* NULL: there is none, or it cannot be expressed */
	struct bw_nest *nest;                 /* nest of the schedule; NULL: none */
	const char *why;                      /* if `nest` is NULL: why */
	bool skip;                            /* the scheduler is not run */
	const char *note;                     /* how the scheduler ended; NULL: it does not say */
	int n_kernels;
	const char **kernels;          /* names of the kernels, in launch order */
	double *kernel_costs;          /* [kernel * n_models + model], in the model's unit */
	double seconds;                /* time that the scheduler took */
	struct bw_opinion_cost *costs; /* by column: the models, then BW_OPINION_FIGURE_TABLE */
};

struct bw_opinions {
	struct bw_arena *arena;
	const struct bw_pipeline *pipeline;
	struct bw_settings options;
	int n, n_models;
	/* rows; the last two are the exact scheduler, which takes longest, and the schedule by hand */
	struct bw_opinion *list;
	const struct bw_cost_model **models; /* the learned model is the last, if the options have weights */
	const char *measured_on;             /* device of the measured times; NULL: nothing is measured */
	atomic_int done;                     /* rows that are filled */
};

/* Returns rows without schedules. hand: the nest of the schedule by hand, of which a reference is kept;
 * NULL: there is none, and `why` says why. The pipeline and what the options point to must outlive the
 * result. Free with bw_opinions_free. */
struct bw_opinions *bw_opinions_new(const struct bw_pipeline *pipeline,
				    const struct bw_settings *options, struct bw_nest *hand,
				    const char *why);
/* Fills the next row. Returns false if all rows are filled or *stop is set. One thread may call this
 * while others read the rows below `done`. The exact scheduler gets 10 s, and its row says so. */
bool bw_opinions_next(struct bw_opinions *opinions, const atomic_bool *stop);
/* Sets of_best in the cells of all filled rows. */
void bw_opinions_compare(struct bw_opinions *opinions);
void bw_opinions_free(struct bw_opinions *opinions);
/* Returns the name and unit of a column. */
const char *bw_opinions_column(const struct bw_opinions *opinions, int column);
/* Returns true if a row has something to show: a schedule, or measured or counted times. */
bool bw_opinion_has_figures(const struct bw_opinions *opinions, const struct bw_opinion *opinion);
/* Returns the index of the row with this name, or -1. */
int bw_opinions_find(const struct bw_opinions *opinions, const char *name);
/* Writes of_best as the words of a cell: `1.52`, `8.1e+03`, `~1.05` for a tie, `refused` if the model has
 * no cost for the schedule. column -1: no column, so no ties. */
void bw_opinions_cell(const struct bw_opinions *opinions, int column, double of_best, bool refused,
		      char cell[16]);

/* Appends a table: a row for each schedule, and a column for each model, and for counted and measured
 * times, in units of the column's best. */
void bw_opinions_print(const struct bw_opinions *opinions, struct bw_text *out);
/* Returns the opinions as JSON: a new reference. */
json_t *bw_opinions_json(const struct bw_opinions *opinions);
