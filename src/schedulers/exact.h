/* The exact scheduler: a depth-first branch and bound through the space of the beam search, with the same
 * cost model. It starts with the beam's best schedule, and cuts each state whose bound is not below the
 * best cost known. If the search ends, the best schedule is proven: under the model, no schedule of the
 * space costs less. If it is stopped before, the optimum is between the reported bound and the best cost.
 *
 * The space is that of one pass without sampling and freezing: all options that the rules leave in each
 * state. Soft rules prune here as they do in the beam search. Polishing may ignore some soft rules, so it
 * can find a schedule outside of the space. The proof then says that no schedule of the space costs less
 * than that schedule.
 *
 * Under the roofline model, the bound of a state has three parts.
 * - A kernel that reads no undecided Func keeps its present cost, whatever follows: the cost depends only
 *   on what is inside the kernel and on the storage that it reads (cost/context.h).
 * - Each undecided Func is inlined, at root, or inside the kernel of all its readers. The bound is the
 *   least over all combinations of these places, which are searched with bounds as well (exact_bound.c).
 *   A combination decides which stages are stored and what is inlined into them, and so the operations
 *   per point. A stage inside a kernel with a known grid computes at least the points that a block needs
 *   (exact_needs.c). From inputs and Funcs at root, the stage loads at least the box that a block
 *   touches. A Func at root costs at least as much as with its best tiling.
 * - In a kernel that may change, a stage whose reads are known costs at least as much as with all lanes
 *   of as few warps as possible, at full occupancy, and with as many SMs busy as the grid allows. If no
 *   further Func comes into the kernel, the kernel's own occupancy counts (cost/least.h).
 * The box that a block touches is a true bound if the block reads all of the box. If the block skips
 * points (strides, clamps), the roofline charges at most twice the loaded sectors, which can be less than
 * the box. Then a state that leads to a cheaper schedule may be cut. The stores of an undecided Func in a
 * block, and its readers' loads from this storage, count as 0.
 *
 * Other models whose cost is a sum over kernels have only the first part. The learned model predicts a
 * whole schedule, and any decision may lower the cost of any stage. So its bound is 0, and only states
 * that were searched before are cut.
 *
 * States in which the undecided Funcs see the same kernels have the same options and the same further
 * cost. The least further cost found for one such state is remembered for the others (not under the
 * learned model). */
#pragma once

#include "schedule/schedule.h"
#include "search/search.h"

/* The progress of the exact scheduler. */
struct bw_exact_progress {
	bool proven;   /* the best is the optimum of the space */
	double best;   /* cost of the best schedule known */
	double beam;   /* cost of the beam search's best schedule, with which it started */
	double bound;  /* no schedule of the space costs less; equal to `best` if `best` is proven */
	long priced;   /* options that were priced */
	long expanded; /* states that were expanded */
	long cut;      /* states cut by a bound or a remembered cost */
};

struct bw_exact;
/* Returns a new exact scheduler. Runs the beam search with these options to get the first best schedule.
 * Returns NULL with an error if the beam search finds none. The pipeline must outlive the result. */
struct bw_exact *bw_exact_new(const struct bw_pipeline *pipeline, const struct bw_settings *options,
			      struct bw_error *error);
void bw_exact_free(struct bw_exact *exact);
/* Returns the first state, in which no Func is placed. The search owns it. */
struct bw_nest *bw_exact_first(const struct bw_exact *exact);
/* Restarts with the first `index` decisions as in `nest`, to find the best schedule with these decisions.
 * Keeps the remembered costs. */
void bw_exact_restart(struct bw_exact *exact, struct bw_nest *nest, int index);
/* Takes over the remembered costs and the best schedule of an older exact scheduler for the same pipeline
 * and options. */
void bw_exact_resume(struct bw_exact *exact, struct bw_exact *older);
/* Works until `yield`, which may be NULL, stops it. Returns true when the work is over: the best schedule
 * is proven, *stop is set, or `most` states have been expanded in total (0: no limit). After *stop is
 * set, continues to the next state that it would expand, so that the number of expanded states says where
 * it ended. */
bool bw_exact_work(struct bw_exact *exact, const struct bw_yield *yield, const atomic_bool *stop, long most);
struct bw_exact_progress bw_exact_progress(const struct bw_exact *exact);
/* Appends the decision of its last pass at which the beam search lost the best schedule, and the fate of
 * the best schedule's option at this decision. Appends nothing if the beam search found a schedule of the
 * same cost. */
void bw_exact_lost(const struct bw_exact *exact, struct bw_text *out);
/* Returns the best schedule known, with all Funcs placed. Returns NULL if no complete schedule is known
 * that keeps the decisions of the last restart. The exact scheduler owns it. */
struct bw_nest *bw_exact_best(const struct bw_exact *exact);
/* Returns the search whose decisions and options are used. The exact scheduler owns it. */
const struct bw_search *bw_exact_search(const struct bw_exact *exact);
/* Returns the bound of a state in which the first `index` decisions are made, at cost `cost` so far. */
double bw_exact_bound(struct bw_exact *exact, struct bw_nest *nest, int index, double cost);
