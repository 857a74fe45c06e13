/* Penalties steer the search away from known bad states (Anderson et al. 2021, section 4.5). Pass n
 * compares structures to depth n. In a beam, each further state with the same structure gets a larger
 * penalty. The factors are those of Halide's anderson2021 (AutoSchedule.cpp). */
#include <stdlib.h>

#include "search/search_private.h"

/* states within this factor of the best cost are good: their structures are blessed */
static const double good_enough = 1.2;
/* least number of states in a beam with room for several families (bw_nest_family) */
static const int least_beam = 16;

/* Returns false if a decision has no penalties: with a beam of one state, in a random search, in pass 0, at a
 * decision of phase PASS, and at the last one of a pass, where complete schedules differ only in cost. */
bool bw_penalties_begin(const struct bw_search *search, int index, struct bw_penalties *penalties)
{
	const struct bw_decision *decision = &search->plan[index];
	*penalties = (struct bw_penalties){.judges = decision->pass > 1,
					   .pipeline = search->pipeline,
					   .families = search->options.passes == 1 &&
						       decision->pass == 1 && search->options.beam >= least_beam,
					   .sized = decision->pass == 1 && decision->phase == BW_PHASE_TILE};
	if (search->options.beam == 1 || search->options.random || decision->phase == BW_PHASE_PASS ||
	    decision->pass == 0 || index + 1 == bw_search_pass_end(search, decision->pass))
		return false;
	if (penalties->judges) {
		const struct bw_position *before = search->reached[bw_search_pass_end(search, decision->pass - 1)];
		penalties->blessed = &before->blessed;
	}
	return true;
}

void bw_penalties_end(struct bw_penalties *penalties)
{
	free(penalties->seen);
}

/* Returns the slot of a structure in the table, taken or free. */
static struct bw_seen *place_of(const struct bw_penalties *penalties, uint64_t structure)
{
	uint64_t mask = (uint64_t)penalties->capacity - 1, at = structure & mask;
	while (penalties->seen[at].times && penalties->seen[at].structure != structure)
		at = (at + 1) & mask;
	return &penalties->seen[at];
}

static void grow(struct bw_penalties *penalties)
{
	enum { FIRST_PLACES = 256 };
	struct bw_penalties grown = *penalties;
	grown.capacity = penalties->capacity ? 2 * penalties->capacity : FIRST_PLACES;
	grown.seen = BW_NEW_ARRAY(struct bw_seen, grown.capacity);
	for (int i = 0; i < penalties->capacity; i++)
		if (penalties->seen[i].times)
			*place_of(&grown, penalties->seen[i].structure) = penalties->seen[i];
	free(penalties->seen);
	*penalties = grown;
}

/* Counts a structure. Returns how often it has been counted. */
static int see(struct bw_penalties *penalties, uint64_t structure)
{
	if (2 * penalties->n >= penalties->capacity)
		grow(penalties);
	struct bw_seen *place = place_of(penalties, structure);
	penalties->n += !place->times;
	place->structure = structure;
	return ++place->times;
}

static bool is_blessed(const struct bw_penalties *penalties, uint64_t coarser)
{
	return penalties->blessed && bw_hashes_have(penalties->blessed, coarser);
}

/* Returns the size class of a tiling's blocks: 0 for fewer than 4 points, 1 for fewer than 16, and
 * so on. */
static int size_class(const struct bw_pipeline *pipeline, const struct bw_placement *placement)
{
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES];
	double points = 1;
	int class = 0;
	bw_plan_sizes(pipeline, placement, serial, threads);
	for (int d = 0; d < pipeline->funcs[placement->func].n_dims; d++)
		points *= (double)serial[d] * (double)threads[d];
	for (; points >= 4; points /= 4)
		class++;
	return class;
}

uint64_t bw_nest_family(const struct bw_nest *nest, int except)
{
	uint64_t family = 0;
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		const struct bw_placed *placed = nest->pipeline->funcs[f].output && f != except ? nest->placed[f] : NULL;
		if (placed && placed->placement->tiled)
			family = bw_hash_mix(family, (uint64_t)size_class(nest->pipeline, placed->placement));
	}
	return family;
}

/* Returns the hash that is counted for a state whose decided Func has `placement`. `nest` is the state's
 * nest, or its parent's.
 *
 * In the first pass, structures contain the sites of Funcs but no sizes. If all structures of a beam were
 * equal, the beam would hold only tilings that suit the decided Func best, and none in which later Funcs
 * could be computed. So when a Func is tiled, the size class of its blocks is counted as part of the
 * structure. If no later pass follows, whose structures would contain sizes, the size class of the
 * outputs' blocks is counted at all decisions: it determines which Funcs can be computed in these blocks. */
static uint64_t counted(const struct bw_penalties *penalties, uint64_t structure, const struct bw_nest *nest,
			const struct bw_placement *placement)
{
	bool tiled = placement->compute.kind == BW_SITE_ROOT && placement->tiled;
	if (penalties->families)
		structure = bw_hash_mix(structure, bw_nest_family(nest, placement->func));
	return penalties->sized && tiled
		   ? bw_hash_mix(structure, (uint64_t)size_class(penalties->pipeline, placement))
		   : structure;
}

int bw_penalty_of(struct bw_penalties *penalties, const struct bw_option *option,
		  const struct bw_nest *parent, const struct bw_placement *placement)
{
	int factor = see(penalties, counted(penalties, option->structures[0], parent, placement));
	if (!penalties->judges)
		return factor;
	return is_blessed(penalties, option->structures[1]) ? factor : factor + BW_PENALTY_UNBLESSED;
}

struct bw_steering bw_search_steering(const struct bw_search *search, int index, const struct bw_nest *nest)
{
	struct bw_penalties penalties;
	struct bw_steering steering = {.penalized = bw_penalties_begin(search, index, &penalties),
				       .depth = search->plan[index].pass};
	if (!steering.penalized)
		return steering;
	steering.structure = counted(&penalties, bw_nest_structure(nest, steering.depth), nest,
				     nest->placed[search->plan[index].func]->placement);
	steering.judged = penalties.judges;
	steering.blessed = penalties.judges && is_blessed(&penalties, bw_nest_structure(nest, steering.depth - 1));
	bw_penalties_end(&penalties);
	return steering;
}

bool bw_search_blesses(const struct bw_search *search, int position, int rank)
{
	int pass = bw_search_pass(search, position);
	const struct bw_position *end = search->reached[position];
	return pass > 0 && pass < search->options.passes && position == bw_search_pass_end(search, pass) &&
	       end->beam[rank]->cost <= good_enough * end->beam[0]->cost;
}

/* The blessing of the states of a pass, one after the other. */
struct blessing {
	const struct bw_search *search;
	struct bw_position *end;
	int pass;
	struct bw_hashes seen; /* states that have been looked at */
};

/* Returns the structure of a state's parent, to the depth of the pass. `structure` is the state's own; the
 * two differ by the Func that was decided. */
static uint64_t structure_before(const struct blessing *blessing, const struct bw_state *state,
				 uint64_t structure)
{
	if (!state->parent)
		return structure;
	int func = blessing->search->plan[state->position - 1].func, depth = blessing->pass;
	return structure + bw_placed_structure(state->parent->nest->placed[func], depth) -
	       bw_placed_structure(state->nest->placed[func], depth);
}

/* Blesses the structures of a state and its ancestors. States share ancestors, so each ancestor is visited
 * once. An earlier pass hashed structures to another depth, so the hashes of its states are computed
 * again. Returns false if it was stopped. */
static bool bless_way(struct blessing *blessing, const struct bw_state *state)
{
	int start = bw_search_pass_start(blessing->search, blessing->pass);
	bool known = false;
	uint64_t structure = 0;
	for (; state && bw_hashes_add(&blessing->seen, (uint64_t)(uintptr_t)state); state = state->parent) {
		if (!bw_yield(blessing->search->yield))
			return false;
		bool earlier = state->position < start;
		if (earlier && !known)
			structure = bw_nest_structure(state->nest, blessing->pass);
		known |= earlier;
		bw_hashes_add(&blessing->end->blessed, earlier ? structure : state->structures[0]);
		if (known)
			structure = structure_before(blessing, state, structure);
	}
	return true;
}

bool bw_bless(const struct bw_search *search, struct bw_position *end, int pass)
{
	struct blessing blessing = {.search = search, .end = end, .pass = pass};
	bool done = true;
	for (int i = 0; done && i < end->n && end->beam[i]->cost <= good_enough * end->beam[0]->cost; i++)
		done = bless_way(&blessing, end->beam[i]);
	bw_hashes_end(&blessing.seen);
	return done;
}
