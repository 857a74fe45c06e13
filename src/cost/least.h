/* What the stages of a kernel cost at least under the roofline, whatever else comes into the kernel. */
#pragma once
#include "cost/cost.h"
#include "cost/reading.h"

/* Times of a stage's resources with all SMs and lanes busy and full occupancy, in seconds. */
struct bw_stage_least {
	double ms; /* cost as it stands */
	double arithmetic, load, shared_load, registers; /* if what the stage reads stays as it is */
	double store, shared_store;			 /* whatever it reads */
	double accesses; /* per point: stores to memory, and loads of what it accumulates; whatever it reads */
	double alone;	 /* ms: launch, and barriers of one wave */
	double busy, lanes, occupancy; /* as they stand */
};

/* Shares of the device's rates that a stage gets at most. */
struct bw_least_rates {
	double arithmetic, memory, registers;
};

/* Fills in the times of all stages of a kernel, in the order of the context. */
void bw_least_of(const struct bw_context *context, const struct bw_device *device, struct bw_arena *arena,
		 struct bw_stage_least *stages);
/* Returns the seconds that operations take with all lanes busy and full occupancy. */
double bw_least_work(const struct bw_device *device, const double work[BW_N_WORKS]);
/* Returns the integer operations for the addresses of a point that loads and stores memory `accesses`
 * times. */
double bw_least_addresses(const struct bw_placed_stage *stage, double accesses);
/* Returns the highest rates that a stage can have, whatever later decisions add to its kernel. blocks: of the
 * grid; inside: the stage is inside the threads of another one. */
struct bw_least_rates bw_least_rates(const struct bw_device *device, double blocks,
				     const struct bw_placed_stage *stage, bool inside);
/* Returns the highest rates that a stage can have if nothing else comes into its kernel. */
struct bw_least_rates bw_least_rates_now(const struct bw_stage_least *least,
					 const struct bw_placed_stage *stage);
/* Returns the cost, in ms, of a stage whose resources take these times, at these rates. */
double bw_least_ms(const struct bw_stage_least *least, const struct bw_least_rates *rates);
