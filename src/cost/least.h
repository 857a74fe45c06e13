/* Lower bounds of the roofline cost of a kernel's stages, whatever else is added to the kernel later. */
#pragma once
#include "cost/cost.h"
#include "cost/reading.h"

/* Times of a stage's resources with all SMs and lanes busy and full occupancy, in seconds. */
struct bw_stage_least {
	double ms; /* the present cost */
	/* valid if the placements of the Funcs that the stage reads do not change */
	double arithmetic, load, shared_load, registers;
	double store, shared_store;			 /* whatever it reads */
	/* per point: stores to memory, and loads of the accumulated values; valid for any placement of the
	 * Funcs that the stage reads */
	double accesses;
	double alone;	 /* ms: the launch, and the barriers of one wave of blocks */
	double busy, lanes, occupancy; /* present values */
};

/* Upper bounds of the shares of the device's rates that a stage gets. */
struct bw_least_rates {
	double arithmetic, memory, registers;
};

/* Fills in the times of all stages of a kernel, in the order of the context. */
void bw_least_of(const struct bw_context *context, const struct bw_device *device, struct bw_arena *arena,
		 struct bw_stage_least *stages);
/* Returns the seconds that operations take with all lanes busy and full occupancy. */
double bw_least_work(const struct bw_device *device, const double work[BW_N_WORKS]);
/* Returns the integer operations for addresses, per point with `accesses` loads and stores of memory. */
double bw_least_addresses(const struct bw_placed_stage *stage, double accesses);
/* Returns the highest rates that a stage can have, whatever later decisions add to its kernel. blocks:
 * blocks of the grid. inside: the stage is inside the threads of another stage. */
struct bw_least_rates bw_least_rates(const struct bw_device *device, double blocks,
				     const struct bw_placed_stage *stage, bool inside);
/* Returns the highest rates that a stage can have if nothing is added to its kernel. */
struct bw_least_rates bw_least_rates_now(const struct bw_stage_least *least,
					 const struct bw_placed_stage *stage);
/* Returns the cost in ms of a stage with the resource times of `least` at the given rates. */
double bw_least_ms(const struct bw_stage_least *least, const struct bw_least_rates *rates);
