/* The measurements that papers published, read from the tables in data/published: one file per paper. */
#pragma once
#include "base/error.h"

/* A system that a paper measured. */
struct bw_published_system {
	const char *name;
	const char *scheduler; /* our scheduler for it: a name of BW_SCHEDULER_TABLE, or `hand`; "-": none */
	const char *meaning;   /* which schedule the system stands for */
};

/* A measured value, as printed in the paper. */
struct bw_published_figure {
	const char *where;          /* `table 2` */
	const char *name, *pipeline; /* pipeline: its name in the paper, and its name here; "-": none */
	const char *size;           /* "-": the paper does not say */
	const char *device;         /* name of our device record; "-": none */
	const char *system, *quantity, *unit;
	double value;
};

struct bw_published_paper {
	const char *name, *title;
	int n_systems, n_figures;
	struct bw_published_system *systems;
	struct bw_published_figure *figures;
};

struct bw_published {
	struct bw_arena *arena;
	int n;
	struct bw_published_paper *papers; /* ordered by year */
};

/* Reads the tables in a folder. Returns NULL with an error that names the file and line. */
struct bw_published *bw_published_read(const char *folder, struct bw_error *error);
void bw_published_free(struct bw_published *published);
/* Returns the system with this name, or NULL. */
const struct bw_published_system *bw_published_system(const struct bw_published_paper *paper,
						      const char *name);

/* One configuration of the search as Anderson et al. 2021 measured it (section 6.3: beam 32, 5 passes, an
 * IBM Power9). Their programs differ in detail from ours: compare ratios, not states or seconds. NAN: the
 * paper does not say. */
struct bw_published_search {
	/* states evaluated (table 1); percent of the states with sampling and freezing off */
	double states, states_percent;
	/* time of a beam search (table 2); speedup over the search with all switches off (table 3) */
	double seconds, speedup;
	double megabytes;              /* memory of the process (table 5) */
};

/* Returns the measurements of a pipeline, by its name here. letters: the switches that are on, in this
 * order: M memoization, S sampling, F freezing. */
struct bw_published_search bw_published_of(const struct bw_published *published, const char *pipeline,
					   const char *letters);
/* Returns geometric means over the 17 programs of the paper. */
struct bw_published_search bw_published_mean(const struct bw_published *published, const char *letters);
