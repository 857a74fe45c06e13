/* What the papers measured, read from the tables in data/published: a file for each paper. */
#pragma once
#include "base/error.h"

/* A system of a paper. */
struct bw_published_system {
	const char *name;
	const char *scheduler; /* here: a name of the table of schedulers, `hand`; "-": none */
	const char *meaning;   /* what schedule it is */
};

/* A figure, as it stands in the paper. */
struct bw_published_figure {
	const char *where;          /* `table 2` */
	const char *name, *pipeline; /* in the paper; here, "-": none */
	const char *size;           /* "-": not said with the figure */
	const char *device;         /* by its record here; "-": none */
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
	struct bw_published_paper *papers; /* by year */
};

/* Reads the tables of a folder. Returns NULL with an error that says the file and line. */
struct bw_published *bw_published_read(const char *folder, struct bw_error *error);
void bw_published_free(struct bw_published *published);
/* Returns the system of this name, or NULL. */
const struct bw_published_system *bw_published_system(const struct bw_published_paper *paper,
						      const char *name);

/* What Anderson et al. 2021 measured of their own search, section 6.3: beam 32, 5 passes, an IBM Power9. To
 * put beside our figures: their programs differ in detail from ours, so that ratios can be compared, and not
 * states or seconds. Of one configuration; what the paper does not tell is NAN. */
struct bw_published_search {
	double states, states_percent; /* evaluated (table 1); of those with sampling and freezing off */
	double seconds, speedup;       /* of a beam search (table 2); x over that with all off (table 3) */
	double megabytes;              /* of the process (table 5) */
};

/* Of a pipeline, by its name. letters: what is on, in this order: M memoization, S sampling, F freezing. */
struct bw_published_search bw_published_of(const struct bw_published *published, const char *pipeline,
					   const char *letters);
/* Geometric means over the 17 programs of the paper. */
struct bw_published_search bw_published_mean(const struct bw_published *published, const char *letters);
