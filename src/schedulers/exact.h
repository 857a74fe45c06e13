/* The exact scheduler: depth first through the space of the beam search, at its prices, with everything cut
 * that a bound shows to cost at least as much as the best schedule known. It starts with the beam's best. If
 * it comes to its end, that is proven: under the model no schedule of the space costs less. Stopped before,
 * it says between which bound and the best the optimum lies.
 *
 * The space is that of one pass without sampling and freezing: all options that the rules leave in each
 * state. Rules of taste (soft ones) prune here as they do in the beam search, and polishing, which may pass
 * over some of them, can find a schedule outside of it; then what is proven is that the space has none that
 * costs less.
 *
 * The bound of a state, under the roofline, has three parts.
 * - A kernel that reads no undecided Func costs what it costs now, whatever follows: its cost is a function
 *   of what is inside and of the storage that it reads (cost/context.h).
 * - The Funcs to be decided are inlined, at root, or inside the kernel of all their readers. The bound is the
 *   least over all combinations of these, themselves gone through with bounds (exact_bound.c). Each fixes which
 *   stages are stored, what is inlined into which, and with that the operations of a point. A stage inside a
 *   kernel whose grid is known computes at least the points that a block needs (exact_needs.c), and loads
 *   from inputs and from Funcs at root at least the box that a block touches. A Func at root costs at least
 *   what it costs with the best of its tilings (bw_exact_tiles_bound).
 * - The stages of a kernel that may change, of which it is known what they read, cost at least what they
 *   would with all lanes of as few warps as possible, at full occupancy, and with as many SMs busy as the
 *   grid allows; if nothing else comes into the kernel, with the occupancy that it has (cost/least.h).
 * The box that a block touches is a true bound where the block reads all of it. Of a box with points that are
 * not read (strides, clamps) the roofline charges at most twice the sectors that are loaded, which can be
 * less than the box: there a state that costs less may be cut.
 * Of what a Func to be decided stores in a block, and of its readers' loads of that, nothing counts.
 * Other models that add up kernels have the first part alone. The learned model costs a whole schedule, and
 * any decision may lower the cost of any stage: its bound is 0, and nothing is cut but what was gone through
 * before.
 *
 * States in which the undecided Funcs see the same kernels have the same options and the same further cost;
 * the least further cost found for one is remembered for the others (not under the learned model). */
#pragma once

#include "schedule/schedule.h"
#include "search/search.h"

/* How far it has come. */
struct bw_exact_progress {
	bool proven;   /* the best is the optimum of the space */
	double best;   /* cost of the best schedule known */
	double beam;   /* cost of the beam search's best schedule, with which it started */
	double bound;  /* no schedule of the space costs less; equal to `best` if that is proven */
	long priced;   /* options that were priced */
	long expanded; /* states that were expanded */
	long cut;      /* states cut by a bound or a remembered cost */
};

struct bw_exact;
/* Begins. Runs the beam search with these options, for the first best schedule. Returns NULL with an error if
 * that finds none. The pipeline must outlive it. */
struct bw_exact *bw_exact_new(const struct bw_pipeline *pipeline, const struct bw_settings *options,
			      struct bw_error *error);
void bw_exact_free(struct bw_exact *exact);
/* Returns the first state, with nothing placed; the search's. */
struct bw_nest *bw_exact_first(const struct bw_exact *exact);
/* Restarts with the first `index` decisions as in `nest`, to find the best schedule with these. Keeps
 * its remembered costs. */
void bw_exact_restart(struct bw_exact *exact, struct bw_nest *nest, int index);
/* Takes over the remembered costs and the best schedule of an older one for the same pipeline and
 * options. */
void bw_exact_resume(struct bw_exact *exact, struct bw_exact *older);
/* Works until `yield`, which may be NULL, stops it. Returns true when it is over: the best is proven,
 * *stop is set, or `most` states have been expanded in all (0: no limit). After *stop is set, it goes on
 * to the next state that it would expand, so that the number of states expanded says where it ended. */
bool bw_exact_work(struct bw_exact *exact, const struct bw_yield *yield, const atomic_bool *stop, long most);
struct bw_exact_progress bw_exact_progress(const struct bw_exact *exact);
/* Appends at which decision of its last pass the beam search lost the best schedule, and what became of its
 * option there; nothing if it has one as good. */
void bw_exact_lost(const struct bw_exact *exact, struct bw_text *out);
/* Returns the best schedule known, with all Funcs placed; NULL if none is known beside the Funcs that it
 * restarted with. Owned by the exact scheduler. */
struct bw_nest *bw_exact_best(const struct bw_exact *exact);
/* Returns the search whose decisions and options it uses. Owned by the exact scheduler. */
const struct bw_search *bw_exact_search(const struct bw_exact *exact);
/* Returns the bound of a state in which the first `index` decisions are made, at cost `cost` so far. */
double bw_exact_bound(struct bw_exact *exact, struct bw_nest *nest, int index, double cost);
