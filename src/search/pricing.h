/* The costs of options, and the inputs of costs besides nests (struct bw_recall). */
#pragma once
#include "search/space.h"

/* Places the options of one decision from one parent, one after the other. */
struct bw_trial {
	struct bw_recall recall;
	const struct bw_nest *parent;
	int func;                       /* the Func that is placed */
	/* the Func with the option that is tried now; NULL if that option cannot be placed */
	const struct bw_placed *placed;
	/* the last Func that was placed in the loops of another Func; NULL if there is none */
	const struct bw_placed *before;
	/* a copy of the parent's nest, in which each option is placed in turn; NULL until it is needed */
	struct bw_nest *nest;
};
/* Forgets the placement that was tried last. */
void bw_trial_forget(struct bw_trial *trial);
/* Places the Func, and sets trial->placed. Returns false if it cannot be placed, with an error unless
 * `error` is NULL. */
bool bw_trial_place(struct bw_trial *trial, const struct bw_placement *placement, struct bw_error *error);
/* Returns the nest with this placement of the Func, valid until the next option is tried. */
const struct bw_nest *bw_trial_nest(struct bw_trial *trial);
/* Places an option and judges it by the rules. */
void bw_trial_judge(struct bw_trial *trial, const struct bw_question *question, struct bw_arena *arena,
		    struct bw_option *option);

struct bw_recall bw_recall_begin(const struct bw_pipeline *pipeline, const struct bw_settings *options);
void bw_recall_end(struct bw_recall *recall);
/* Returns the bytes of the tables. */
int64_t bw_recall_bytes(const struct bw_recall *recall);
/* Costs the options of one decision from one parent. */
struct bw_pricing {
	const struct bw_settings *options;
	const struct bw_nest *parent;
	int func; /* the Func that is placed */
	struct bw_trial trial;
	double *ms;         /* cost of the parent, by stage of the pipeline; NULL until known or needed */
	double *changed_ms; /* cost of the nest that was costed last, by stage of the pipeline */
	int n_changed, changed_capacity;
	/* stages whose changed_ms may differ from ms; n_changed is -1 while ms itself is filled */
	int *changed;
	int n_readers;
	/* learned model: results for the nest that was costed last; NULL if there is none */
	struct bw_pricing_last *last;
	/* the kernels that change when the Func is placed, except the kernel that it becomes part of */
	struct bw_launched *readers;
	struct bw_arena *arena;
};
/* Begins to cost the options of a question. ms: the parent's costs by stage, which are copied; NULL if
 * unknown. */
void bw_pricing_begin(struct bw_pricing *pricing, const struct bw_question *question, const double *ms);
void bw_pricing_end(struct bw_pricing *pricing);
/* Returns the cost of the option that was tried last, and sets changed_ms. */
double bw_pricing_total(struct bw_pricing *pricing);
/* Returns the cost of a nest, and fills ms by stage unless it is NULL. */
double bw_pricing_whole(const struct bw_recall *recall, const struct bw_settings *options,
			const struct bw_nest *nest, double *ms);

/* Computes the costs of schedules that differ in few Funcs from a schedule with known costs. */
struct bw_delta;
struct bw_delta *bw_delta_new(const struct bw_recall *recall, const struct bw_settings *options,
				const struct bw_pipeline *pipeline);
/* Accepts NULL. */
void bw_delta_free(struct bw_delta *delta);
/* Returns the cost of a whole schedule, equal to bw_pricing_whole. Costs only the kernels in which `nest`
 * differs from `other`, whose stages cost `ms`. If the cost of some kernels alone reaches `below`, returns
 * the cost of these kernels. */
double bw_delta_cost(struct bw_delta *delta, const struct bw_nest *nest, const struct bw_nest *other,
		      const double *ms, double below);
/* Forgets which kernels bw_delta_cost has costed. */
void bw_delta_forget(struct bw_delta *delta);
/* Adds Funcs to a set with one bit per Func: all Funcs on which costs and verdicts have depended since
 * bw_delta_forget, if the changed Func is `func` of the schedule `other`. These are the Funcs in the
 * kernels that were costed, and the Funcs that these kernels read. */
void bw_delta_concerned(struct bw_delta *delta, const struct bw_nest *other, int func, uint64_t *set);

/* Sets the costs of the stages of one kernel, and returns their sum. */
double bw_pricing_kernel(struct bw_pricing *pricing, const struct bw_nest *nest, int func, int stage);
/* If results are checked, compares a total with the cost of the whole nest. */
void bw_pricing_check(struct bw_pricing *pricing, const struct bw_nest *nest, double total);
/* Sets the costs of all stages of a nest under the learned model. The nest may differ from the parent, and
 * from the nest costed before, only in the placement of pricing->func. If pricing->func is negative, it
 * may differ in any way. */
void bw_pricing_learned(struct bw_pricing *pricing, const struct bw_nest *nest, double *costs);
/* Drops the results of the option that was costed last, so that the next option reuses none of them. */
void bw_pricing_forget(struct bw_pricing *pricing);

/* The cache of results for kernels. The key is a hash of everything that the result depends on. Each slot
 * holds one value, and a new value evicts the old one. The cache changes how long a search takes, never
 * its result. If there is no table (NULL), nothing is found or kept. Each value is one block of memory. It
 * begins with this struct, and is freed with its last reference. */
struct bw_kept {
	uint64_t key;
	int references;
	size_t bytes;
};

struct bw_kept_table;
/* Returns the value of a key with a new reference; NULL if there is none. */
struct bw_kept *bw_kept_get(const struct bw_kept_table *table, uint64_t key);
/* Adds a value. The table takes its own reference. */
void bw_kept_put(struct bw_kept_table *table, struct bw_kept *kept);
/* Drops a reference. Accepts NULL. */
void bw_kept_drop(struct bw_kept *kept);
