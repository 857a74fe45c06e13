/* The cost of a group: the least cost by Algorithm 2 over tile sizes, block sizes, the fraction of a tile
 * in registers and the size of transactions (section 6). For `dp registers`, the whole tile is in
 * registers if the lanes of a warp are along one dimension and no value is too large for a shuffle;
 * otherwise it is in shared memory. Tile sizes in x and y are 1 to 32, in z powers of two. Block sizes
 * are powers of two. A dimension in which a warp has one lane is not tiled (section 4). */
#include <math.h>
#include <string.h>

#include "base/arith.h"
#include "base/hash.h"
#include "schedulers/dp_private.h"

static const double transaction_sizes[DP_TRANSACTIONS] = {32, 128};

/* The fraction of a tile in registers is a multiple of 1 / FRACTIONS. */
enum { FRACTIONS = 10, REGISTER_BYTES = 4 };

/* A group for which sizes are tried. */
struct trying {
	struct dp *dp;
	int output, n; /* n: number of members, the output first */
	int stages[BW_DP_STAGES];
	struct dp_member *members[BW_DP_STAGES];
	const struct bw_dp_set *group;
	int64_t extents[BW_JANGDA_DIMS]; /* of the output */
	double beyond; /* points in the dimensions after z */
	double registers;
	/* by member: transactions per iteration of a warp of this shape; points in the dimensions that do not
	 * depend on the output's */
	double loads[BW_DP_STAGES][DP_TRANSACTIONS], fixed[BW_DP_STAGES];
	/* by member, axis and tile size: points along the axis; the same without the overlap */
	double along[BW_DP_STAGES][BW_JANGDA_DIMS][DP_TILE + 1], base[BW_DP_STAGES][BW_JANGDA_DIMS][DP_TILE + 1];
	/* by member: points in the dimensions other than x, for the current tile */
	double across[BW_DP_STAGES], base_across[BW_DP_STAGES];
	/* by member: bytes per point; seconds per iteration and lane */
	double bytes[BW_DP_STAGES], seconds[BW_DP_STAGES];
	int64_t warp[BW_JANGDA_DIMS];
	double lanes;
	enum dp_memory memory;
	bool shuffled; /* Halide can move the values of all members between lanes */
	struct dp_priced *best;
};

static void find_along(struct trying *trying, int m)
{
	const struct dp *dp = trying->dp;
	const struct dp_member *member = trying->members[m];
	const struct bw_func *func = &dp->pipeline->funcs[dp->funcs[trying->stages[m]]];
	trying->fixed[m] = 1;
	trying->bytes[m] = m ? func->bytes : 0;
	trying->seconds[m] = dp->seconds[trying->stages[m]];
	for (int a = 0; a < BW_JANGDA_DIMS; a++)
		for (int t = 1; t <= DP_TILE; t++)
			trying->along[m][a][t] = trying->base[m][a][t] = 1;
	for (int d = 0; d < func->n_dims; d++) {
		int a = member->axis[d];
		if (a < 0)
			trying->fixed[m] *= member->more[d];
		for (int t = 1; t <= DP_TILE && a >= 0; t++) {
			double base = fabs(member->scale[d]) * (double)(t * trying->warp[a]);
			trying->along[m][a][t] *= base + member->more[d];
			trying->base[m][a][t] *= base;
		}
	}
}

/* Sets everything that depends on the shape of a warp alone. */
static void take_shape(struct trying *trying, int shape)
{
	dp_shape(shape, trying->warp);
	trying->lanes = (double)(trying->warp[0] * trying->warp[1] * trying->warp[2]);
	for (int m = 0; m < trying->n; m++) {
		struct dp_member *member = trying->members[m];
		find_along(trying, m);
		for (int t = 0; t < DP_TRANSACTIONS; t++) {
			trying->loads[m][t] = 0;
			for (int l = 0; l < member->n_loads; l++) {
				int from = trying->dp->stages[member->loads[l].producer];
				if (from < 0 || !bw_dp_has(trying->group, from))
					trying->loads[m][t] += member->loads[l].transactions[shape][t];
			}
		}
	}
}

/* Takes tile sizes in y and z. */
static void take_rows(struct trying *trying, const int64_t *tile)
{
	for (int m = 0; m < trying->n; m++) {
		trying->across[m] = trying->fixed[m] * trying->along[m][1][tile[1]] * trying->along[m][2][tile[2]];
		trying->base_across[m] = trying->fixed[m] * trying->base[m][1][tile[1]] * trying->base[m][2][tile[2]];
	}
}

/* Returns the bytes of a member's row along x in the scratchpads of a warp. In registers, the row is
 * rounded up to whole rounds of the lanes. */
static double bytes_along(const struct trying *trying, int m, int64_t tile)
{
	double points = trying->along[m][0][tile], lanes = (double)trying->warp[0];
	return (trying->memory == DP_REGISTERS ? ceil(points / lanes) * lanes : points) * trying->bytes[m];
}

/* Sets everything that follows from the tile sizes. Returns the bytes of a warp's scratchpads. */
static double take_tile(const struct trying *trying, const int64_t *tile, struct bw_jangda_group *groups)
{
	double bytes = 0, compute = 0, again = 0, transactions[DP_TRANSACTIONS] = {0};
	double each = 1 / (double)(tile[0] * tile[1] * tile[2]), per_lane = each / trying->lanes;
	for (int m = 0; m < trying->n; m++) {
		double points = trying->across[m] * trying->along[m][0][tile[0]];
		double base = trying->base_across[m] * trying->base[m][0][tile[0]];
		bytes += trying->across[m] * bytes_along(trying, m, tile[0]);
		compute += points * trying->seconds[m];
		again += points > base ? points - base : 0;
		for (int t = 0; t < DP_TRANSACTIONS; t++)
			transactions[t] += points * trying->loads[m][t];
	}
	for (int t = 0; t < DP_TRANSACTIONS; t++)
		groups[t] = (struct bw_jangda_group){.registers = trying->registers,
						     .transactions = transactions[t] * per_lane,
						     .size = transaction_sizes[t],
						     .compute = compute * per_lane,
						     .overlap = again * per_lane};
	return bytes;
}

/* Keeps the sizes just tried if they cost least so far. */
static void keep(struct dp_priced *best, const struct bw_jangda_cost *cost, const int64_t *tile,
		 const int64_t *block, const struct bw_jangda_group *group)
{
	if (cost->cost < best->cost.cost) {
		best->cost = *cost;
		memcpy(best->sizes.tile, tile, sizeof best->sizes.tile);
		memcpy(best->sizes.block, block, sizeof best->sizes.block);
		best->sizes.fraction = group->fraction;
		best->sizes.transaction = group->size;
		best->refused = NULL;
	} else if (cost->refused && isinf(best->cost.cost)) {
		best->refused = cost->refused;
	}
}

static bool worth(const struct trying *trying, int axis, int64_t points)
{
	return points < 2 * trying->extents[axis];
}

/* Lists the sizes that a block of n warps of the current shape can have. Several warps are only along the
 * last dimension with several lanes and the dimensions after it. Returns the number of sizes. */
static int list_blocks(const struct trying *trying, const int64_t *tile, int64_t n,
		       int64_t blocks[][BW_JANGDA_DIMS])
{
	int full = 0, found = 0;
	for (int a = 0; a < BW_JANGDA_DIMS; a++)
		if (trying->warp[a] > 1)
			full = a;
	for (int64_t x = 1; x <= n; x *= 2)
		for (int64_t y = 1; x * y <= n; y *= 2) {
			int64_t more[BW_JANGDA_DIMS] = {x, y, n / x / y};
			bool good = true;
			for (int a = 0; a < BW_JANGDA_DIMS; a++) {
				blocks[found][a] = trying->warp[a] * more[a];
				good &= more[a] == 1 || (a >= full && worth(trying, a, blocks[found][a] * tile[a]));
			}
			found += good;
		}
	return found;
}

/* Returns true if a schedule with lanes can have blocks of this size. The lanes are along x and take one
 * of the three dimensions of a block. No block may reach beyond the output, so that all warps compute the
 * same amount. */
static bool has_room_for_lanes(const struct trying *trying, const int64_t *tile, const int64_t *block)
{
	for (int a = 0; a < BW_JANGDA_DIMS; a++)
		if (tile[a] * block[a] > trying->extents[a])
			return false;
	return 1 + (block[0] > trying->warp[0]) + (block[1] > 1) + (block[2] > 1) <= BW_JANGDA_DIMS;
}

/* Returns true if this fraction of a tile in registers, in tenths, is tried. */
static bool tries_fraction(const struct trying *trying, const int64_t *tile, double bytes, int tenths)
{
	enum dp_memory memory = trying->memory;
	if (memory == DP_REGISTERS && bytes > 0)
		return tenths == FRACTIONS && trying->lanes == (double)trying->warp[0] &&
		       tile[0] * tile[1] * tile[2] <= DP_UNROLLED &&
		       bytes <= trying->lanes * REGISTER_BYTES * trying->dp->own.device.register_limit;
	return !tenths || (memory == DP_HYBRID && bytes > 0 && (tile[0] > 1 || tile[1] > 1 || tile[2] > 1));
}

/* Tries all fractions of a tile in registers, and all blocks of n warps. */
static void try_warps(struct trying *trying, const int64_t *tile, int64_t n, double bytes,
		      const struct bw_jangda_group *of)
{
	enum { BLOCKS = 36 };
	const struct dp *dp = trying->dp;
	struct bw_jangda_group group = *of;
	int64_t blocks[BLOCKS][BW_JANGDA_DIMS];
	double totals[BLOCKS];
	int n_blocks = list_blocks(trying, tile, n, blocks);
	for (int b = 0; b < n_blocks; b++) {
		totals[b] = trying->beyond;
		for (int a = 0; a < BW_JANGDA_DIMS; a++)
			totals[b] *= (double)bw_div_up(trying->extents[a], tile[a] * blocks[b][a]);
	}
	group.threads = (double)n * dp->own.device.warp_size;
	group.buffers = bytes * (double)n;
	for (int f = 0; n_blocks && f <= FRACTIONS; f++) {
		if (!tries_fraction(trying, tile, bytes, f))
			continue;
		group.fraction = (double)f / FRACTIONS;
		struct bw_jangda_cost least = bw_jangda_cost(&group, &dp->own.device);
		if (least.refused)
			keep(trying->best, &least, tile, blocks[0], &group);
		for (int b = 0; b < n_blocks && least.cost < trying->best->cost.cost; b++) {
			if (f && trying->memory == DP_REGISTERS && !has_room_for_lanes(trying, tile, blocks[b]))
				continue;
			struct bw_jangda_cost cost = least;
			double imbalance = bw_jangda_imbalance(totals[b], &least, &dp->own.device);
			cost.terms[BW_JANGDA_IMBALANCE] = imbalance;
			cost.cost += imbalance;
			keep(trying->best, &cost, tile, blocks[b], &group);
		}
	}
}

static void try_blocks(struct trying *trying, const int64_t *tile, double bytes,
		       const struct bw_jangda_group *of)
{
	int64_t most = (int64_t)(trying->dp->own.device.threads_per_block / trying->dp->own.device.warp_size);
	for (int64_t n = 1; n <= most; n *= 2)
		try_warps(trying, tile, n, bytes, of);
}

/* The tile with the least lower bound, and this bound. */
struct promising {
	double bound;
	int shape;
	int64_t tile[BW_JANGDA_DIMS];
	int transaction;
};

/* Prices the tiles of a shape whose lower bound is below the best cost. If `promising` is not NULL,
 * prices no tile and writes the tile with the least lower bound to *promising. */
static void try_tiles(struct trying *trying, int shape, struct promising *promising)
{
	int64_t most[BW_JANGDA_DIMS], tile[BW_JANGDA_DIMS];
	for (int a = 0; a < BW_JANGDA_DIMS; a++) {
		most[a] = trying->warp[a] > 1 ? DP_TILE : 1;
		while (most[a] > 1 && !worth(trying, a, most[a] * trying->warp[a]))
			most[a]--;
	}
	for (tile[2] = 1; tile[2] <= most[2]; tile[2] *= 2)
		for (tile[1] = 1; tile[1] <= most[1]; tile[1]++) {
			take_rows(trying, tile);
			for (tile[0] = 1; tile[0] <= most[0]; tile[0]++) {
				struct bw_jangda_group groups[DP_TRANSACTIONS];
				double bytes = take_tile(trying, tile, groups);
				for (int t = 0; t < DP_TRANSACTIONS; t++) {
					double bound = bw_jangda_bound(&groups[t], &trying->dp->own.device);
					if (!promising && bound < trying->best->cost.cost)
						try_blocks(trying, tile, bytes, &groups[t]);
					else if (promising && bound < promising->bound && bytes <= trying->dp->own.device.shared_per_block)
						*promising = (struct promising){bound, shape, {tile[0], tile[1], tile[2]}, t};
				}
			}
		}
}

/* Tries the tile with the least bound first, which leaves little to try afterwards. */
static void try_promising(struct trying *trying, const struct promising *promising)
{
	struct bw_jangda_group groups[DP_TRANSACTIONS];
	if (isinf(promising->bound))
		return;
	take_shape(trying, promising->shape);
	take_rows(trying, promising->tile);
	double bytes = take_tile(trying, promising->tile, groups);
	try_blocks(trying, promising->tile, bytes, &groups[promising->transaction]);
}

/* Returns true if a warp of this shape is no larger than the output needs; the first shape always is. */
static bool shape_fits(const struct trying *trying, int shape)
{
	int64_t warp[BW_JANGDA_DIMS];
	dp_shape(shape, warp);
	bool fits = true;
	for (int a = 0; a < BW_JANGDA_DIMS; a++)
		fits &= warp[a] == 1 || worth(trying, a, warp[a]);
	return !shape || fits;
}

static bool set_up(struct trying *trying)
{
	struct dp *dp = trying->dp;
	struct dp_member *members = dp_members(dp, trying->output);
	int output = dp->funcs[trying->output], n_dims = dp->pipeline->funcs[output].n_dims;
	if (!dp->own.of.bounded[output]) {
		trying->best->refused = "its size is not known";
		return false;
	}
	for (int d = 0; d < n_dims || d < BW_JANGDA_DIMS; d++) {
		int64_t extent = d < n_dims ? bw_groups_extent(&dp->own.of, output, d) : 1;
		if (d < BW_JANGDA_DIMS)
			trying->extents[d] = extent;
		else
			trying->beyond *= (double)extent;
	}
	for (int s = trying->output; s >= 0; s--) {
		if (!bw_dp_has(trying->group, s))
			continue;
		if (!members[s].constant && s != trying->output) {
			trying->best->refused = "its dependence vectors are not constant (line 2)";
			return false;
		}
		dp_find_loads(dp, &members[s], s);
		trying->registers += dp->registers[s];
		for (int v = 0; s != trying->output && v < dp->pipeline->funcs[dp->funcs[s]].n_values; v++)
			trying->shuffled &= bw_type_bytes(dp->pipeline->funcs[dp->funcs[s]].types[v]) <= BW_SHUFFLED_BYTES;
		trying->stages[trying->n] = s;
		trying->members[trying->n++] = &members[s];
	}
	return true;
}

/* Prices a group whose tiles are in this memory. */
static struct dp_priced *price_in(struct dp *dp, const struct bw_dp_set *group, enum dp_memory memory)
{
	BW_SCOPED_MEMORY struct trying *trying = BW_NEW(struct trying);
	struct dp_priced *priced = BW_ARENA_NEW(dp->own.arena, struct dp_priced);
	*priced = (struct dp_priced){.group = *group, .cost.cost = INFINITY};
	for (int a = 0; a < BW_JANGDA_DIMS; a++)
		priced->sizes.tile[a] = priced->sizes.block[a] = 1;
	priced->sizes.block[0] = (int64_t)dp->own.device.warp_size;
	trying->dp = dp;
	trying->group = group;
	trying->memory = memory;
	trying->shuffled = true;
	trying->output = dp_last(dp, group);
	trying->beyond = 1;
	trying->best = priced;
	bool can = set_up(trying) && (memory != DP_REGISTERS || trying->shuffled);
	struct promising promising = {.bound = INFINITY};
	for (int pass = 0; pass < 2 && can; pass++) {
		for (int shape = 0; shape < DP_SHAPES; shape++)
			if (shape_fits(trying, shape)) {
				take_shape(trying, shape);
				try_tiles(trying, shape, pass ? NULL : &promising);
			}
		if (!pass)
			try_promising(trying, &promising);
	}
	return priced;
}

/* Prices a group with tiles in registers if possible, otherwise in shared memory. */
static struct dp_priced *price(struct dp *dp, const struct bw_dp_set *group)
{
	struct dp_priced *priced = price_in(dp, group, dp->memory);
	return dp->memory == DP_REGISTERS && isinf(priced->cost.cost) ? price_in(dp, group, DP_SHARED) : priced;
}

const struct dp_priced *dp_price_held(struct dp *dp, const struct bw_dp_set *group)
{
	struct dp_priced *priced = (struct dp_priced *)dp_price(dp, group);
	if (!priced->held)
		priced->held = priced->sizes.fraction > 0 ? price_in(dp, group, DP_SHARED) : priced;
	return priced->held;
}

/* Makes room for one more priced group. */
static void make_room(struct dp *dp)
{
	enum { FIRST = 1024 };
	if (2 * dp->n_priced < dp->n_places)
		return;
	int n = dp->n_places ? 2 * dp->n_places : FIRST;
	struct dp_priced **places = BW_NEW_ARRAY(struct dp_priced *, n);
	for (int i = 0; i < dp->n_places; i++) {
		if (!dp->priced[i])
			continue;
		int at = (int)(bw_hash_bytes(0, &dp->priced[i]->group, sizeof(struct bw_dp_set)) & (uint64_t)(n - 1));
		while (places[at])
			at = (at + 1) & (n - 1);
		places[at] = dp->priced[i];
	}
	free(dp->priced);
	dp->priced = places;
	dp->n_places = n;
}

const struct dp_priced *dp_price(struct dp *dp, const struct bw_dp_set *group)
{
	make_room(dp);
	int at = (int)(bw_hash_bytes(0, group, sizeof *group) & (uint64_t)(dp->n_places - 1));
	while (dp->priced[at] && !bw_dp_same(&dp->priced[at]->group, group))
		at = (at + 1) & (dp->n_places - 1);
	if (!dp->priced[at]) {
		dp->priced[at] = price(dp, group);
		dp->n_priced++;
	}
	return dp->priced[at];
}
