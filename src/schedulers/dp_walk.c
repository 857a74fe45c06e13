/* The scheduler of Jangda and Guha 2020 as a walk. First it fills the table. Then it makes one decision
 * per group, from the last stage to the first. The candidates are the groups of the last remaining stage,
 * each with the least cost of the stages that remain after it, and the partition with this cost. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedulers/dp_private.h"

/* LIMIT: the first limit on the stages of a group (8 as in Jangda and Bondhugula 2018). FEW: pipelines
 * with at most this many stages have no limit. SHOWN: most candidates shown per decision. */
enum { LIMIT = 8, FEW = 16, SHOWN = 100 };

static const struct bw_walk_column columns[] = {
	{"total", "", "least cost of all that is left with this group (section 6)"},
	{"group", "", "cost of the group in its best sizes (Algorithm 2)"},
	{"rest", "", "least cost of what it leaves: the table's entry"},
	{"loads", "", "of the group's cost: w1 * transactions of global memory"},
	{"overlap", "", "of the group's cost: w6 * fraction of redundant computations"},
	{"occupancy", "0..1", "theoretical occupancy of the group"},
};

struct walking {
	struct dp *dp;
	int limit; /* limit in the first round */
	/* The current round: its stages, which are groups of the previous round, and its table. */
	int round, n;
	struct bw_dp_set *parts, *readers;
	bool *joins;
	struct bw_dp table;
	struct bw_dp_set left;
	bool stopped, over;
	long costed;
	const struct bw_dp_choice **offered; /* of the decision at hand */
};

/* Returns the pipeline's stages in a set of a round's stages. */
static struct bw_dp_set stages_of(const struct walking *walking, const struct bw_dp_set *set)
{
	struct bw_dp_set stages = {{0}};
	for (int i = 0; i < walking->n; i++)
		for (int w = 0; w < BW_DP_WORDS && bw_dp_has(set, i); w++)
			stages.words[w] |= walking->parts[i].words[w];
	return stages;
}

static double cost_of(void *data, const struct bw_dp_set *group)
{
	struct walking *walking = data;
	struct bw_dp_set stages = stages_of(walking, group);
	return dp_price(walking->dp, &stages)->cost.cost;
}

/* Begins a round whose stages are these `n` parts, in the order of their outputs. */
static void begin_round(struct walking *walking, const struct bw_dp_set *parts, int n, int limit)
{
	struct dp *dp = walking->dp;
	walking->parts = BW_ARENA_ARRAY(dp->own.arena, struct bw_dp_set, n);
	walking->readers = BW_ARENA_ARRAY(dp->own.arena, struct bw_dp_set, n);
	walking->joins = BW_ARENA_ARRAY(dp->own.arena, bool, n);
	walking->n = n;
	memcpy(walking->parts, parts, (size_t)n * sizeof *parts);
	for (int i = 0; i < n; i++) {
		int output = dp_last(dp, &parts[i]);
		walking->joins[i] = dp->joins[output];
		for (int k = 0; k < n; k++)
			for (int s = 0; s < dp->n && k != i; s++)
				if (bw_dp_has(&parts[k], s) && bw_dp_has(&dp->readers[output], s))
					bw_dp_add(&walking->readers[i], k);
		bw_dp_add(&walking->left, i);
	}
	struct bw_dp_graph graph = {.n = n,
				    .readers = walking->readers,
				    .joins = walking->joins,
				    .cost = cost_of,
				    .data = walking,
				    .limit = limit};
	bw_dp_begin(&walking->table, &graph);
}

/* A group of stages with its sizes. */
struct sized {
	const struct bw_dp_set *stages;
	const struct dp_sizes *sizes;
};

/* Sets the sizes of a group, and puts its Funcs into the group. */
static void set_group(void *state, const void *group)
{
	struct dp *dp = state;
	const struct sized *sized = group;
	int last = dp_last(dp, sized->stages), output = dp->funcs[last];
	int64_t *tile = BW_ARENA_ARRAY(dp->own.arena, int64_t, BW_MAX_DIMS);
	dp->sizes[last] = *sized->sizes;
	for (int d = 0; d < BW_MAX_DIMS; d++)
		tile[d] = d < BW_JANGDA_DIMS ? sized->sizes->tile[d] * sized->sizes->block[d] : 1;
	dp->own.of.tiles[output] = tile;
	for (int s = 0; s < dp->n; s++)
		if (bw_dp_has(sized->stages, s))
			dp->own.of.group[dp->funcs[s]] = output;
}

/* Makes a stage's Func a group of its own with the smallest sizes, which every device can launch. */
static void set_smallest(struct walking *walking, int stage)
{
	struct dp_sizes *sizes = &walking->dp->sizes[stage];
	for (int d = 0; d < BW_JANGDA_DIMS; d++)
		sizes->tile[d] = sizes->block[d] = 1;
	sizes->block[0] = (int64_t)walking->dp->own.device.warp_size;
	walking->dp->own.of.group[walking->dp->funcs[stage]] = walking->dp->funcs[stage];
	walking->dp->own.of.tiles[walking->dp->funcs[stage]] = NULL;
}

static bool is_single(const struct bw_dp_set *set)
{
	int n = 0;
	for (int w = 0; w < BW_DP_WORDS; w++)
		n += __builtin_popcountll(set->words[w]);
	return n == 1;
}

/* Makes a group of stages with these sizes if the schedule is legal. */
static bool try_sizes(struct walking *walking, const struct bw_dp_set *stages, const struct dp_priced *priced,
		      struct bw_error *error)
{
	int last = dp_last(walking->dp, stages);
	struct dp_sizes before = walking->dp->sizes[last];
	bool legal = bw_grouping_try(&walking->dp->own, set_group, &(struct sized){stages, &priced->sizes}, error);
	if (!legal)
		walking->dp->sizes[last] = before;
	return legal;
}

/* Makes a group of stages if the schedule is legal: with lanes if it is priced so and Halide accepts it,
 * otherwise in shared memory. */
static bool try_group(struct walking *walking, const struct bw_dp_set *stages, struct bw_error *error)
{
	struct dp *dp = walking->dp;
	struct dp_priced *priced = (struct dp_priced *)dp_price(dp, stages);
	struct bw_error refused = {0};
	if (dp_in_lanes(dp, &priced->sizes) && !priced->no_lanes) {
		if (try_sizes(walking, stages, priced, &refused))
			return true;
		priced->no_lanes = bw_arena_strdup(dp->own.arena, refused.text);
	}
	const struct dp_priced *held = dp_price_held(dp, stages);
	if (held->refused && !is_single(stages))
		return bw_fail(error, BW_ERROR_INPUT, "with all of its tile in shared memory: %s", held->refused);
	return try_sizes(walking, stages, held, error);
}

static void end(void *state)
{
	BW_SCOPED_MEMORY struct walking *walking = state;
	bw_dp_end(&walking->table);
	free(walking->offered);
	dp_free(walking->dp);
}

/* Makes the first schedule: each Func in a group of its own, with the smallest sizes. */
static bool begin_schedule(struct walking *walking, struct bw_error *error)
{
	struct dp *dp = walking->dp;
	struct bw_dp_set *parts = BW_ARENA_ARRAY(dp->own.arena, struct bw_dp_set, dp->n);
	walking->offered = BW_NEW_ARRAY(const struct bw_dp_choice *, SHOWN);
	for (int s = 0; s < dp->n; s++) {
		bw_dp_add(&parts[s], s);
		set_smallest(walking, s);
	}
	bool good = bw_grouping_remake(&dp->own, error);
	begin_round(walking, parts, dp->n, walking->limit);
	return good;
}

/* The arguments behind the scheduler's name. */
struct said {
	int limit; /* 0: nothing */
	enum dp_memory memory;
};

/* Reads `16 registers`: a number and a word, each at most once. */
static bool read_argument(const char *argument, struct said *said, struct bw_error *error)
{
	static const char *const words[] = {DP_MEMORY_TABLE(BW_SECOND)};
	bool named = false;
	*said = (struct said){0, DP_HYBRID};
	for (const char *at = argument; *at;) {
		size_t length = strcspn(at, " ");
		char *rest;
		long limit = strtol(at, &rest, 10);
		int w = 0;
		while (w < DP_MEMORIES && (strlen(words[w]) != length || strncmp(words[w], at, length) != 0))
			w++;
		if (w < DP_MEMORIES && !named) {
			named = true;
			said->memory = (enum dp_memory)w;
		} else if (length && rest == at + length && !said->limit && limit >= 1 && limit <= BW_DP_STAGES) {
			said->limit = (int)limit;
		} else if (length) {
			return bw_fail(error, BW_ERROR_USAGE,
				       "dp takes the most stages of a group in the first round, 1 to %d (default %d), and hybrid, registers or shared, not \"%.*s\"",
				       BW_DP_STAGES, LIMIT, length > 40 ? 40 : (int)length, at);
		}
		at += length + (at[length] == ' ');
	}
	return true;
}

static void *begin(const struct bw_pipeline *pipeline, const struct bw_settings *options,
		   const char *argument, const void *older, struct bw_error *error)
{
	struct said said;
	struct bw_device device = bw_settings_device(options);
	(void)older;
	if (!read_argument(argument, &said, error))
		return NULL;
	if (said.memory == DP_REGISTERS && device.api != BW_API_CUDA) {
		bw_fail(error, BW_ERROR_INPUT,
			"dp registers needs CUDA: OpenCL has no lanes of a warp (gpu_lanes). Choose a CUDA device, or take dp shared");
		return NULL;
	}
	struct dp *dp = dp_new(pipeline, &device, error);
	if (!dp)
		return NULL;
	dp->memory = said.memory;
	struct walking *walking = BW_NEW(struct walking);
	*walking = (struct walking){.dp = dp,
				    .limit = said.limit    ? said.limit
					     : dp->n <= FEW ? FEW
							    : LIMIT};
	if (begin_schedule(walking, error))
		return walking;
	end(walking);
	return NULL;
}

static bool work(void *state, const struct bw_yield *yield, const atomic_bool *stop)
{
	struct walking *walking = state;
	while (!walking->over && !walking->table.done) {
		if (stop && *stop) {
			walking->over = walking->stopped = true;
			break;
		}
		if (!bw_dp_work(&walking->table, yield))
			return false;
	}
	return true;
}

/* Appends the names of a group's stages, the output first: `{output blur_x}`. */
static void print_set(const struct dp *dp, const struct bw_dp_set *stages, struct bw_text *out)
{
	bw_text_puts(out, "{");
	for (int s = dp->n - 1, n = 0; s >= 0; s--)
		if (bw_dp_has(stages, s))
			bw_text_printf(out, "%s%s", n++ ? " " : "", dp->pipeline->funcs[dp->funcs[s]].name);
	bw_text_puts(out, "}");
}

static void print_sizes(const struct dp *dp, const struct dp_priced *priced, struct bw_text *out)
{
	const struct bw_func *func = &dp->pipeline->funcs[dp->funcs[dp_last(dp, &priced->group)]];
	for (int k = 0; k < 2; k++)
		for (int d = 0; d < BW_JANGDA_DIMS && (d < func->n_dims || !d); d++)
			bw_text_printf(out, "%s%lld", d ? "x" : k ? ", block " : "tile ",
				       (long long)(k ? priced->sizes.block : priced->sizes.tile)[d]);
}

/* Appends the best partition of the remaining stages, cut to one line. */
static void print_partition(const struct walking *walking, int entry, struct bw_text *out)
{
	enum { MOST = 8 };
	for (int n = 0; entry >= 0 && walking->table.entries[entry].n; n++) {
		if (n == MOST) {
			bw_text_puts(out, " ...");
			return;
		}
		const struct bw_dp_choice *choice = walking->table.entries[entry].choices;
		struct bw_dp_set stages = stages_of(walking, &choice->group);
		bw_text_puts(out, n ? " " : "; then ");
		print_set(walking->dp, &stages, out);
		entry = choice->then;
	}
}

/* Returns true if a group takes the sizes priced for shared memory instead of its best ones. */
static bool is_held(const struct dp *dp, const struct dp_priced *priced)
{
	bool lanes = dp_in_lanes(dp, &priced->sizes) && !priced->no_lanes;
	return !lanes && priced->held && priced->held != priced && !priced->held->refused;
}

static struct bw_walk_candidate candidate_of(const struct walking *walking, const struct bw_dp_choice *choice)
{
	struct dp *dp = walking->dp;
	struct bw_dp_set stages = stages_of(walking, &choice->group);
	const struct dp_priced *priced = dp_price(dp, &stages);
	struct bw_text name = {0}, how = {0};
	int *funcs = BW_ARENA_ARRAY(dp->own.arena, int, dp->n), n = 0;
	double rest = walking->table.entries[choice->then].best;
	for (int s = dp->n - 1; s >= 0; s--)
		if (bw_dp_has(&stages, s))
			funcs[n++] = dp->funcs[s];
	print_set(dp, &stages, &name);
	if (priced->refused)
		bw_text_puts(&how, priced->refused);
	else
		print_sizes(dp, priced, &how);
	if (dp_in_lanes(dp, &priced->sizes))
		bw_text_puts(&how, ", in the registers of warps");
	else if (priced->sizes.fraction > 0)
		bw_text_printf(&how, ", %.1f in registers", priced->sizes.fraction);
	if (is_held(dp, priced)) {
		bw_text_puts(&how, ", held as ");
		print_sizes(dp, priced->held, &how);
	}
	print_partition(walking, choice->then, &how);
	struct bw_walk_candidate candidate = {.name = bw_text_keep(&name, walking->dp->own.arena),
					      .how = bw_text_keep(&how, walking->dp->own.arena),
					      .funcs = funcs,
					      .n_funcs = n,
					      .wanted = true};
	double figures[BW_WALK_COLUMNS] = {choice->cost + rest,
					   choice->cost,
					   rest,
					   priced->cost.terms[BW_JANGDA_TRANSACTIONS],
					   priced->cost.terms[BW_JANGDA_OVERLAP],
					   priced->cost.occupancy};
	for (int c = 0; c < BW_WALK_COLUMNS; c++)
		candidate.figures[c] = isfinite(figures[c]) && (c < 3 || !priced->refused) ? figures[c] : NAN;
	return candidate;
}

static void leave(struct walking *walking, const struct bw_dp_set *group)
{
	walking->left = bw_dp_without(&walking->left, group);
}

/* Begins the next round if the limit kept a group from growing and there is something to gain. */
static void next_round(struct walking *walking)
{
	struct dp *dp = walking->dp;
	struct bw_dp_set *parts = BW_ARENA_ARRAY(dp->own.arena, struct bw_dp_set, dp->n);
	int n = 0;
	bool cut = walking->table.cut;
	for (int s = 0; s < dp->n; s++) {
		int output = dp->funcs[s];
		for (int m = 0; m <= s && dp->own.of.group[output] == output; m++)
			if (dp->own.of.group[dp->funcs[m]] == output)
				bw_dp_add(&parts[n], m);
		n += dp->own.of.group[output] == output;
	}
	walking->costed += walking->table.costed;
	walking->over = !cut || n == walking->n;
	if (walking->over)
		return;
	bw_dp_end(&walking->table);
	walking->round++;
	begin_round(walking, parts, n, walking->limit << walking->round);
}

/* Returns the entry of the remaining stages; NULL if none remain. Skips stages that have no choice; after
 * the first round, also skips stages that are best unchanged. */
static const struct bw_dp_entry *at_hand(struct walking *walking)
{
	while (!bw_dp_empty(&walking->left)) {
		const struct bw_dp_entry *entry =
		    &walking->table.entries[bw_dp_find(&walking->table, &walking->left)];
		struct bw_dp_set stages = stages_of(walking, &entry->choices[0].group);
		if (entry->n > 1 && !(walking->round && is_single(&entry->choices[0].group)))
			return entry;
		try_group(walking, &stages, NULL);
		leave(walking, &entry->choices[0].group);
	}
	return NULL;
}

static bool next(void *state, struct bw_walk_step *step)
{
	struct walking *walking = state;
	const struct bw_dp_entry *entry = walking->over ? NULL : at_hand(walking);
	if (!entry)
		return false;
	step->phase = walking->round ? bw_arena_format(walking->dp->own.arena, "round %d", walking->round + 1) : "fuse";
	step->question = "which group comes last";
	step->n = entry->n < SHOWN ? entry->n : SHOWN;
	step->candidates = BW_ARENA_ARRAY(walking->dp->own.arena, struct bw_walk_candidate, step->n);
	for (int c = 0; c < step->n; c++) {
		walking->offered[c] = &entry->choices[c];
		step->candidates[c] = candidate_of(walking, &entry->choices[c]);
	}
	return true;
}

/* Makes the last remaining stage a group of its own. */
static void take_alone(struct walking *walking)
{
	struct bw_dp_set group = {{0}};
	int last = walking->n - 1;
	while (!bw_dp_has(&walking->left, last))
		last--;
	bw_dp_add(&group, last);
	struct bw_dp_set stages = stages_of(walking, &group);
	try_group(walking, &stages, NULL);
	leave(walking, &group);
}

static bool take(void *state, int candidate, struct bw_error *error)
{
	struct walking *walking = state;
	if (candidate < 0) {
		take_alone(walking);
	} else {
		struct bw_dp_set group = walking->offered[candidate]->group, stages = stages_of(walking, &group);
		if (!try_group(walking, &stages, error))
			return false;
		leave(walking, &group);
	}
	at_hand(walking);
	if (bw_dp_empty(&walking->left))
		next_round(walking);
	return true;
}

static struct bw_schedule *schedule(void *state)
{
	return bw_grouping_schedule(((struct walking *)state)->dp);
}

/* Returns true if these stages are a group of the schedule. */
static bool is_group(const struct dp *dp, const struct bw_dp_set *stages, int output)
{
	for (int s = 0; s < dp->n; s++)
		if (bw_dp_has(stages, s) != (dp->own.of.group[dp->funcs[s]] == output))
			return false;
	return true;
}

/* The number of groups in the schedule, by the memory of their tiles. */
struct tally {
	int in_lanes, split, refused;
	const char *why; /* why a group was refused */
};

static struct tally tally_of(const struct dp *dp)
{
	struct tally tally = {0};
	for (int i = 0; i < dp->n_places; i++) {
		const struct dp_priced *priced = dp->priced[i];
		if (!priced || !is_group(dp, &priced->group, dp->funcs[dp_last(dp, &priced->group)]))
			continue;
		bool lanes = dp_in_lanes(dp, &priced->sizes);
		tally.in_lanes += lanes && !priced->no_lanes;
		tally.refused += lanes && priced->no_lanes;
		tally.why = lanes && priced->no_lanes ? priced->no_lanes : tally.why;
		tally.split += !lanes && priced->held && priced->held != priced;
	}
	return tally;
}

static void progress(const void *state, struct bw_text *out)
{
	const struct walking *walking = state;
	const struct dp *dp = walking->dp;
	struct tally tally = tally_of(dp);
	bw_text_printf(out, "%d sets of stages in the table, %d groups priced", walking->table.n, dp->n_priced);
	if (walking->stopped)
		bw_text_puts(out, "; stopped before it was full");
	if (tally.in_lanes)
		bw_text_printf(out, "; %d tile%s a warp's, in the registers of its lanes", tally.in_lanes,
			       tally.in_lanes == 1 ? " is" : "s are");
	bw_text_puts(out, tally.in_lanes ? "; in other groups the warps of a block share a tile"
					 : "; the warps of a block share a tile");
	if (tally.split)
		bw_text_printf(out, "; %d tile%s priced partly in registers, which the schedule keeps in shared memory",
			       tally.split, tally.split == 1 ? " is" : "s are");
	if (tally.refused)
		bw_text_printf(out, "; %d priced in registers %s in shared memory, since Halide cannot: %s", tally.refused,
			       tally.refused == 1 ? "is" : "are", tally.why);
}

static void describe(const void *state, struct bw_text *out)
{
	bw_grouping_describe(((const struct walking *)state)->dp, out);
}

const struct bw_walk_scheduler bw_dp_walk = {
	.columns = columns,
	.n_columns = sizeof columns / sizeof *columns,
	.begin = begin,
	.work = work,
	.progress = progress,
	.next = next,
	.take = take,
	.schedule = schedule,
	.describe = describe,
	.end = end,
};
