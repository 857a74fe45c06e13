/* Sections of the page and its pictures. Each appends to page->out. */
#pragma once
#include "figures/graph.h"
#include "figures/lineage.h"
#include "figures/rooflines.h"
#include "page/html.h"
#include "session/tuning.h"

struct bw_page {
	struct bw_session *session;
	const struct bw_pipeline *pipeline;
	const struct bw_nest *nest;
	const struct bw_device *device; /* with the limits that the options set */
	const struct bw_cost *cost;     /* by the model of the session */
	struct bw_graph graph;
	struct bw_rooflines rooflines;
	struct bw_lineage lineage;
	struct bw_arena *arena;
	struct bw_text *out;
};

/* Returns formatted text. The page's arena owns it. */
#define bw_page_say(page, ...) bw_arena_format((page)->arena, __VA_ARGS__)
/* Returns the name of a stage: `hist`, `hist.update0`. */
const char *bw_page_stage(const struct bw_page *page, int func, int stage);
/* Returns a cost with the unit of the model. */
const char *bw_page_cost(const struct bw_page *page, double cost);

extern const char bw_page_style[];
/* Appends the section on the session's tuning, if there is a tuning with a timed schedule. */
void bw_page_tuning(struct bw_page *page);
/* Returns the figures of the session's tuning. Returns NULL if there is no tuning with a timed schedule. */
const struct bw_tuning_figures *bw_page_tuned(const struct bw_page *page);
void bw_page_graph(struct bw_page *page);
void bw_page_kernels(struct bw_page *page);
void bw_page_stages(struct bw_page *page);
void bw_page_tiles(struct bw_page *page);
void bw_page_roofline(struct bw_page *page);
void bw_page_search(struct bw_page *page);
void bw_page_decisions(struct bw_page *page);
/* Returns the timing whose counts include the code of the schedule. Returns NULL if there is none. */
const struct bw_timing *bw_page_coded(const struct bw_page *page);
/* Appends the code of the schedule, if it was counted. */
void bw_page_code(struct bw_page *page);
void bw_page_schedule(struct bw_page *page);
void bw_page_measured(struct bw_page *page);
