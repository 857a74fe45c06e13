/* Finds what is known of the iterations of unrolled loops, and the remaining work of each class of points. */
#include "nest/parity.h"

#include <math.h>

#include "base/arith.h"
#include "nest/nest_private.h"

/* Returns true if the tails of a loop's splits do not move its iterations, or move them by multiples of
 * its alignment. */
static bool stays(const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, int loop,
		  int64_t align)
{
	for (int i = 0; i < plan->n_loops; i++)
		if (plan->loops[i].loop == loop && plan->loops[i].extent &&
		    placed->tails[i] == BW_TAIL_SHIFT_INWARDS)
			return align > 1 && bw_stage_inside(plan, loop, i) % align == 0;
	return true;
}

/* Returns the number of iterations of a loop that have code of their own, in its innermost pieces. *whole:
 * true if these are all iterations. *last: the outermost piece whose iterations have code of their own. */
static int64_t copied(const struct bw_stage_plan *plan, const struct bw_placed_stage *placed, int loop,
		      bool *whole)
{
	int64_t copies = 1;
	*whole = true;
	for (int i = plan->n_loops - 1; i >= 0 && *whole; i--)
		if (plan->loops[i].loop == loop && placed->extents[i] != 1) {
			*whole = bw_stage_copies(plan, placed, i);
			copies *= *whole ? placed->extents[i] : 1;
		}
	return copies;
}

/* Returns, as bits, the dimensions of a Func that are constants to the compiler at the compute site. */
static uint32_t constants_of(const struct bw_func *func, const struct bw_placed *placed)
{
	const struct bw_interval *here = placed->regions[0].computed,
				 *all = placed->regions[placed->n_regions - 1].computed;
	uint32_t constant = func->constant;
	for (int d = 0; d < func->n_dims; d++)
		if (here[d].min != all[d].min || here[d].max != all[d].max)
			constant &= ~((uint32_t)1 << d);
	return constant;
}

/* Returns the modulus by which the compiler knows the remainder of a loop's begin; 0: it knows the begin. */
static int64_t begins_at(const struct bw_func *func, const struct bw_placed *placed,
			 const struct bw_stage_loop *loop)
{
	const struct bw_placement *placement = placed->placement;
	if (!loop->pure)
		return bw_expr_constant(loop->bound.min) ? 0 : 1;
	if (constants_of(func, placed) >> loop->dim & 1 ||
	    (func->output && func->begins >> loop->dim & 1 && placement->compute.kind == BW_SITE_ROOT))
		return 0;
	return bw_max(placement->align[loop->dim], 1);
}

/* Returns the modulus by which the compiler knows the remainder of each iteration of a loop. Sets *whole to
 * true if each iteration has code of its own. */
static int64_t modulus_of(const struct bw_func *func, const struct bw_placed *placed,
			  const struct bw_stage *stage, int loop, bool *whole)
{
	const struct bw_stage_plan *plan = &placed->placement->stages[stage->index];
	const struct bw_placed_stage *own = &placed->stages[stage->index];
	int64_t copies = copied(plan, own, loop, whole),
		begins = begins_at(func, placed, &stage->loops[loop]);
	if (!stays(plan, own, loop, begins))
		return 1;
	return *whole ? begins : begins ? bw_gcd(begins, copies) : copies;
}

void bw_known_loops(const struct bw_pipeline *pipeline, const struct bw_placed *placed,
		    const struct bw_stage *stage, bool all, struct bw_known *known)
{
	const struct bw_func *func = &pipeline->funcs[stage->func];
	struct bw_interval loops[BW_MAX_LOOPS];
	bool bounded = bw_stage_loops_of(stage, placed->regions[0].computed, loops);
	uint32_t constant = bw_stage_constant(stage, constants_of(func, placed));
	for (int l = 0; l < stage->n_loops; l++) {
		bool whole = true;
		int64_t modulus = all ? 0 : modulus_of(func, placed, stage, l, &whole);
		known[l].valued = bounded && whole && (constant >> l & 1);
		known[l].modulus = known[l].valued ? 0 : modulus;
		known[l].values = loops[l];
	}
}

struct bw_known bw_known_nothing(void)
{
	return (struct bw_known){.valued = true};
}

/* A multiple of all remainders that a description asks for (BW_MAX_PARITY_VALUES: 8). */
enum { ASKED = 840 };

void bw_known_add(const struct bw_jacobian *load, const struct bw_known *loops, struct bw_known *coordinates)
{
	for (int d = 0; d < load->n_dims; d++)
		for (int l = 0; l < load->n_loops; l++) {
			struct bw_ratio entry = load->entries[d * load->n_loops + l];
			if (entry.den && !entry.num)
				continue;
			int64_t by = entry.num < 0 ? -entry.num : entry.num, modulus = by * loops[l].modulus;
			if (by && loops[l].modulus) /* as a divisor of ASKED, so that no chain of loads overflows */
				modulus = bw_gcd(by % ASKED * (loops[l].modulus % ASKED), ASKED);
			coordinates[d].modulus = entry.den == 1 ? bw_gcd(coordinates[d].modulus, modulus) : 1;
			coordinates[d].valued &= entry.den == 1 && by == 1 && loops[l].valued;
		}
}

void bw_known_inlined(const struct bw_stage *body, const struct bw_known *coordinates,
		      const struct bw_interval *box, struct bw_known *loops)
{
	for (int l = 0; l < body->n_loops; l++) {
		int d = body->loops[l].dim;
		loops[l] = d < 0 ? (struct bw_known){.modulus = 1} : coordinates[d];
		loops[l].valued &= box != NULL;
		if (loops[l].valued)
			loops[l].values = box[d];
	}
}

static bool is_known(const struct bw_parity_loop *loop, const struct bw_known *known)
{
	return loop->modulus ? known->modulus % loop->modulus == 0 : known->valued;
}

/* Returns the parity that folds the most selects, among the parities whose loops are all known. Returns
 * NULL if there is none. */
static const struct bw_parity *parity_of(const struct bw_stage *stage, const struct bw_known *known)
{
	for (int p = stage->n_parities - 1; p >= 0; p--) {
		const struct bw_parity *parity = &stage->parities[p];
		bool all = true;
		for (int i = 0; i < parity->n_loops && all; i++)
			all = is_known(&parity->loops[i], &known[parity->loops[i].loop]);
		if (all)
			return parity;
	}
	return NULL;
}

/* Returns the share of a loop's iterations that are in its class `at`. */
static double share_of(const struct bw_parity_loop *loop, const struct bw_known *known, int at)
{
	double all = bw_interval_extent(&known->values), found = 0;
	if (loop->modulus)
		return 1.0 / loop->modulus;
	for (int v = 0; v < loop->n_values; v++) {
		bool in = loop->values[v] >= known->values.min && loop->values[v] <= known->values.max;
		if (at == v)
			return in ? 1 / all : 0;
		found += in;
	}
	return all > 0 ? (all - found) / all : 0;
}

/* Returns the share of the points that are in a class of a parity. */
static double class_share(const struct bw_parity *parity, const struct bw_known *known, int class)
{
	double share = 1;
	for (int i = 0; i < parity->n_loops; i++) {
		const struct bw_parity_loop *loop = &parity->loops[i];
		int n = loop->modulus ? loop->modulus : loop->n_values + 1;
		share *= share_of(loop, &known[loop->loop], class % n);
		class /= n;
	}
	return share;
}

int bw_stage_classes(const struct bw_stage *stage, const struct bw_known *known,
		     struct bw_class classes[BW_MAX_CLASSES])
{
	const struct bw_parity *parity = known && stage->n_parities ? parity_of(stage, known) : NULL;
	int n = 0;
	if (!parity) {
		classes[n++] = (struct bw_class){stage, 1};
		return n;
	}
	for (int c = 0; c < parity->n_classes; c++) {
		double share = class_share(parity, known, c);
		if (share > 0)
			classes[n++] = (struct bw_class){&parity->classes[c], share};
	}
	return n;
}

/* The state of finding the classes of a host's points that need a Func computed in the copies of the
 * host's body. */
struct asking {
	const struct bw_nest *nest;
	const struct bw_stage *host;
	const struct bw_site *site;
	const struct bw_class *classes;
	int n;
	unsigned char *seen; /* by Func: bit n is set once the Func was visited through n Funcs between it
				and the host */
};

/* Most inlined Funcs between a host and a Func that it needs; with more, all classes are assumed to need
 * the Func. */
enum { MOST_BETWEEN = 6 };

/* Returns the classes of the host's points that need a Func, a bit each. */
static uint64_t needing(const struct asking *asking, int func, int between)
{
	const struct bw_func *of = &asking->nest->pipeline->funcs[func];
	uint64_t needing_it = 0;
	if (asking->seen[func] >> between & 1)
		return 0;
	asking->seen[func] |= (unsigned char)(1u << between);
	for (int c = 0; c < of->n_consumers && needing_it != UINT64_MAX; c++) {
		const struct bw_stage *consumer = of->consumers[c];
		const struct bw_placed *placed = asking->nest->placed[consumer->func];
		const struct bw_site *site = &placed->placement->compute;
		if (consumer == asking->host) {
			for (int k = 0; k < asking->n; k++) {
				const struct bw_read *read = bw_stage_read_of(asking->classes[k].stage, func);
				needing_it |= (uint64_t)(read && read->n_loads) << k;
			}
		} else if (site->kind == BW_SITE_INLINE && between < MOST_BETWEEN) {
			needing_it |= needing(asking, consumer->func, between + 1);
		} else if (site->kind == BW_SITE_AT && site->func == asking->host->func &&
			   site->stage == asking->host->index) {
			needing_it |= placed->classes;
		} else {
			needing_it = UINT64_MAX;
		}
	}
	return needing_it;
}

/* Returns true if a level of a stage lies inside of all its loops that have code of their own for each
 * iteration. */
static bool is_in_copies(const struct bw_placed *placed, int stage, int piece)
{
	const struct bw_stage_plan *plan = &placed->placement->stages[stage];
	for (int i = piece + 1; i < plan->n_loops; i++)
		if (bw_stage_copies(plan, &placed->stages[stage], i) && placed->stages[stage].extents[i] > 1)
			return false;
	return true;
}

void bw_parity_needed(const struct bw_nest *nest, struct bw_placed *placed)
{
	const struct bw_site *site = &placed->placement->compute;
	struct bw_known known[BW_MAX_LOOPS];
	struct bw_class classes[BW_MAX_CLASSES];
	placed->classes = UINT64_MAX;
	placed->needed = 1;
	if (site->kind != BW_SITE_AT)
		return;
	const struct bw_placed *host = nest->placed[site->func];
	const struct bw_stage *stage = &nest->pipeline->funcs[site->func].stages[site->stage];
	placed->needed = host->needed;
	if (!stage->n_parities ||
	    !is_in_copies(host, site->stage, bw_placed_own_level(host, placed->regions[0].level)->piece))
		return;
	bw_known_loops(nest->pipeline, host, stage, false, known);
	const struct asking asking = {nest, stage, site, classes, bw_stage_classes(stage, known, classes),
				      BW_NEW_ARRAY(unsigned char, nest->pipeline->n_funcs)};
	double needed = 0;
	placed->classes = needing(&asking, placed->placement->func, 0);
	free(asking.seen);
	for (int k = 0; k < asking.n; k++)
		needed += placed->classes >> k & 1 ? classes[k].share : 0;
	placed->needed *= fmin(1, needed);
}
