#include "session/counters.h"

#include <math.h>
#include <stdio.h>

#include "figures/kernels.h"
#include "session/core.h"

enum { SECTOR_BYTES = 32, WAVEFRONT_BYTES = 128 };

const struct bw_timing *bw_session_counted(const struct bw_session *session)
{
	for (int i = session->n_timings - 1; i >= 0; i--)
		if (session->timings[i].counted)
			return &session->timings[i];
	return NULL;
}

const char *bw_counted_words(enum bw_counted_figure figure)
{
	static const char *const words[] = {
#define X(name, key, text, unit) text,
		BW_COUNTED_TABLE(X)
#undef X
	};
	return words[figure];
}

const char *bw_counted_name(const struct bw_counted_row *row, struct bw_arena *arena)
{
	size_t size = row->func ? strlen(row->func) + 24 : 1;
	char *name = BW_ARENA_ARRAY(arena, char, size);
	if (!row->func || !*row->func)
		return row->func ? "other code" : row->kernel;
	if (row->stage)
		snprintf(name, size, "%s.update%d", row->func, row->stage - 1);
	else
		snprintf(name, size, "%s", row->func);
	return name;
}

static void set_counted(struct bw_counted_row *row)
{
	const struct bw_counts *counts = &row->counts;
	row->counted[BW_COUNTED_OPERATIONS] =
	    (double)(counts->float_adds + counts->float_multiplies + counts->float_fused + counts->doubles +
		     counts->integers + counts->conversions);
	row->counted[BW_COUNTED_GLOBAL_LOAD] = SECTOR_BYTES * (double)counts->global_load_sectors;
	row->counted[BW_COUNTED_GLOBAL_STORE] = SECTOR_BYTES * (double)counts->global_store_sectors;
	row->counted[BW_COUNTED_SHARED_LOAD] = WAVEFRONT_BYTES * (double)counts->shared_load_wavefronts;
	row->counted[BW_COUNTED_SHARED_STORE] = WAVEFRONT_BYTES * (double)counts->shared_store_wavefronts;
	for (int k = 0; k < BW_N_COUNTED; k++)
		row->predicted[k] = (double)NAN;
}

static void add_predicted(const struct bw_stage_cost *cost, double predicted[BW_N_COUNTED])
{
	const double figures[BW_N_COUNTED] = {cost->points * cost->operations, cost->global_load_bytes,
					      cost->global_store_bytes, cost->shared_load_bytes,
					      cost->shared_store_bytes};
	for (int k = 0; k < BW_N_COUNTED; k++)
		predicted[k] = (isnan(predicted[k]) ? 0 : predicted[k]) + figures[k];
}

/* Returns the Func of this name, without the dollar and number that Halide may add to make it unique; NULL if
 * there is none. */
static const struct bw_func *func_of(const struct bw_pipeline *pipeline, const char *name)
{
	size_t length = strcspn(name, "$");
	for (int f = 0; f < pipeline->n_funcs; f++)
		if (!strcmp(pipeline->funcs[f].name, name) ||
		    (strlen(pipeline->funcs[f].name) == length &&
		     !memcmp(pipeline->funcs[f].name, name, length)))
			return &pipeline->funcs[f];
	return NULL;
}

/* What gives rows their names and predictions; nest NULL: nothing does. */
struct predicting {
	const struct bw_nest *nest;
	const struct bw_stage_cost *stages;
	const struct bw_kernel_facts *facts;
	int n_facts;
};

static struct predicting predict(const struct bw_session *session, const struct bw_timing *timing,
				 struct bw_arena *arena)
{
	struct predicting predicting = {.nest = timing->nest};
	if (!timing->nest)
		return predicting;
	struct bw_kernel_uses *uses = BW_ARENA_ARRAY(arena, struct bw_kernel_uses, 1);
	*uses = (struct bw_kernel_uses){.n = 0};
	for (int k = 0; k < timing->counted->n && k < BW_MOST_KERNELS; k++) {
		uses->list[uses->n] = BW_KERNEL_UNKNOWN;
		snprintf(uses->list[uses->n++].name, sizeof uses->list->name, "%s", timing->counted->kernels[k].name);
	}
	predicting.facts =
	    bw_kernel_facts(timing->nest, session->options.device, uses, NULL, arena, &predicting.n_facts);
	predicting.stages = bw_cost_of(&bw_roofline, timing->nest, session->options.device, arena).stages;
	return predicting;
}

/* Returns the prediction's kernel with this entry, or NULL. */
static const struct bw_kernel *kernel_of(const struct predicting *predicting, const char *entry)
{
	for (int k = 0; k < predicting->n_facts; k++)
		if (predicting->facts[k].use && !strcmp(predicting->facts[k].use->name, entry))
			return &predicting->facts[k].kernel;
	return NULL;
}

/* Adds the predictions for the kernel's own stage and for all stages computed inside it. */
static void predict_kernel(const struct predicting *predicting, const struct bw_kernel *kernel,
			   double predicted[BW_N_COUNTED])
{
	const struct bw_pipeline *pipeline = predicting->nest->pipeline;
	add_predicted(&predicting->stages[pipeline->funcs[kernel->func].first_stage + kernel->stage], predicted);
	for (int m = 0; m < kernel->n_members; m++) {
		const struct bw_func *func = &pipeline->funcs[kernel->members[m]];
		for (int s = 0; s < func->n_stages; s++)
			add_predicted(&predicting->stages[func->first_stage + s], predicted);
	}
}

/* A stage that a block computes into shared memory. */
struct shared_stage {
	const struct bw_func *func;
	int stage;
};

/* Returns the stages that blocks of the kernel compute into shared memory, in the order in which Halide
 * computes them. */
static struct shared_stage *shared_stages(const struct bw_nest *nest, const struct bw_kernel *kernel,
					  struct bw_arena *arena, int *n)
{
	int most = 0, previous = -1;
	*n = 0;
	for (int m = 0; m < kernel->n_members; m++)
		most += nest->pipeline->funcs[kernel->members[m]].n_stages;
	struct shared_stage *list = BW_ARENA_ARRAY(arena, struct shared_stage, most + 1);
	for (int turn = 0; turn < kernel->n_members; turn++) {
		int next = -1;
		for (int m = 0; m < kernel->n_members; m++) {
			int f = kernel->members[m], place = bw_nest_realized(nest, f);
			if (f != kernel->func && nest->placed[f]->memory == BW_MEMORY_SHARED &&
			    place > previous && (next < 0 || place < bw_nest_realized(nest, next)))
				next = f;
		}
		if (next < 0)
			break;
		previous = bw_nest_realized(nest, next);
		for (int s = 0; s < nest->pipeline->funcs[next].n_stages; s++)
			if (!nest->pipeline->funcs[next].stages[s].undefined)
				list[(*n)++] = (struct shared_stage){&nest->pipeline->funcs[next], s};
	}
	return list;
}

/* Names the parts that no loop names after the stages in shared memory, if a barrier follows each of them and
 * no loop's name contradicts. */
static void name_shared(const struct bw_counted_kernel *kernel, const struct shared_stage *stages, int n,
			struct bw_counted_part *parts)
{
	int last = 0;
	for (int k = 0; k < kernel->n_parts; k++)
		last = parts[k].interval > last ? parts[k].interval : last;
	bool fits = last == n;
	for (int k = 0; k < kernel->n_parts && fits; k++) {
		const struct shared_stage *of = &stages[parts[k].interval];
		if (*parts[k].func && parts[k].interval < n &&
		    !strncmp(parts[k].func, of->func->name, strlen(of->func->name)))
			continue;
		fits = !*parts[k].func || parts[k].interval == n;
	}
	for (int k = 0; k < kernel->n_parts && fits; k++) {
		if (*parts[k].func || parts[k].interval == n)
			continue;
		snprintf(parts[k].func, sizeof parts[k].func, "%s", stages[parts[k].interval].func->name);
		parts[k].stage = stages[parts[k].interval].stage;
	}
}

/* Names the parts that no loop names: a part takes the only stage named in its interval; in the last
 * interval, if none is named there, the kernel's own stage. */
static void name_parts(const struct bw_counted_kernel *kernel, const struct bw_kernel *of,
		       const struct bw_pipeline *pipeline, struct bw_counted_part *parts)
{
	int last = 0;
	for (int k = 0; k < kernel->n_parts; k++)
		last = parts[k].interval > last ? parts[k].interval : last;
	for (int k = 0; k < kernel->n_parts; k++) {
		const struct bw_counted_part *only = NULL;
		bool several = false;
		if (*parts[k].func)
			continue;
		for (int other = 0; other < kernel->n_parts; other++) {
			const struct bw_counted_part *named = &kernel->parts[other];
			if (named->interval != parts[k].interval || !*named->func)
				continue;
			several |= only && (strcmp(only->func, named->func) || only->stage != named->stage);
			only = named;
		}
		if (only && !several) {
			memcpy(parts[k].func, only->func, sizeof only->func);
			parts[k].stage = only->stage;
		} else if (!only && of && parts[k].interval == last) {
			snprintf(parts[k].func, sizeof parts[k].func, "%s", pipeline->funcs[of->func].name);
			parts[k].stage = of->stage;
		}
	}
}

/* Appends the rows of the kernel's stages, of the parts of `run`. Returns how many there are then. */
static int add_stages(const struct bw_counted_kernel *kernel, const struct bw_counted_kernel *run,
		      const struct predicting *predicting, struct bw_counted_row *rows, int n)
{
	const struct bw_counted_part *parts = run->parts;
	int first = n;
	for (int k = 0; k < run->n_parts; k++) {
		int at = first;
		while (at < n && (strcmp(rows[at].func, parts[k].func) || rows[at].stage != parts[k].stage))
			at++;
		if (at == n)
			rows[n++] = (struct bw_counted_row){.kernel = kernel->name,
							    .func = parts[k].func,
							    .stage = parts[k].stage,
							    .of = kernel};
		bw_counts_join(&rows[at].counts, &parts[k].counts);
	}
	for (int at = first; at < n; at++) {
		const struct bw_func *func = predicting->nest ? func_of(predicting->nest->pipeline, rows[at].func) : NULL;
		set_counted(&rows[at]);
		if (func && rows[at].stage < func->n_stages &&
		    predicting->stages[func->first_stage + rows[at].stage].placed)
			add_predicted(&predicting->stages[func->first_stage + rows[at].stage], rows[at].predicted);
	}
	return n;
}

/* Returns the registers of a kernel per thread; 0: not known. */
static int registers_of(const struct bw_timing *timing, const char *kernel)
{
	const struct bw_kernel_uses *uses = &timing->measurement.kernels;
	for (int k = 0; k < uses->n; k++)
		if (!strcmp(uses->list[k].name, kernel) && uses->list[k].registers > 0)
			return uses->list[k].registers;
	return 0;
}

struct bw_counted_row *bw_counted_rows(const struct bw_session *session, const struct bw_timing *timing,
				       struct bw_arena *arena, int *n)
{
	const struct bw_counted *counted = timing->counted;
	struct predicting predicting = predict(session, timing, arena);
	int most = 0;
	*n = 0;
	for (int k = 0; k < counted->n; k++)
		most += 1 + counted->kernels[k].n_parts;
	struct bw_counted_row *rows = BW_ARENA_ARRAY(arena, struct bw_counted_row, most + 1);
	for (int k = 0; k < counted->n; k++) {
		const struct bw_counted_kernel *kernel = &counted->kernels[k];
		const struct bw_kernel *of = kernel_of(&predicting, kernel->name);
		struct bw_counted_part *parts = BW_ARENA_ARRAY(arena, struct bw_counted_part, kernel->n_parts + 1);
		struct bw_counted_kernel run = *kernel; /* without parts that never run */
		run.n_parts = 0;
		run.parts = parts;
		for (int p = 0; p < kernel->n_parts; p++)
			if (kernel->parts[p].counts.instructions)
				parts[run.n_parts++] = kernel->parts[p];
		int n_shared = 0;
		const struct shared_stage *shared = of ? shared_stages(timing->nest, of, arena, &n_shared) : NULL;
		if (of)
			name_shared(&run, shared, n_shared, parts);
		name_parts(&run, of, session->pipeline, parts);
		struct bw_counted_row *row = &rows[(*n)++];
		*row = (struct bw_counted_row){.kernel = kernel->name,
					       .of = kernel,
					       .registers = registers_of(timing, kernel->name),
					       .counts = kernel->counts};
		set_counted(row);
		if (of)
			predict_kernel(&predicting, of, row->predicted);
		*n = add_stages(kernel, &run, &predicting, rows, *n);
	}
	return rows;
}

struct bw_counted_cost bw_counted_time(const struct bw_session *session, const struct bw_counted_row *row)
{
	const struct bw_counted_kernel *of = row->of;
	struct bw_counts counts = of->counts;
	if (of->has_sass)
		counts.issued = (uint64_t)bw_counted_sass(of);
	struct bw_counted_launches launches = {
	    .counts = &counts,
	    .launches = of->launches,
	    .blocks = (double)of->grid[0] * (double)of->grid[1] * (double)of->grid[2],
	    .threads = of->block[0] * of->block[1] * of->block[2],
	    .shared_bytes = of->shared_bytes,
	    .registers = row->registers};
	return bw_counted_estimate(&launches, session->options.device);
}

struct bw_counted_cost bw_counted_total(const struct bw_session *session, const struct bw_timing *timing)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct bw_counted_cost sum = {0};
	int n;
	const struct bw_counted_row *rows = bw_counted_rows(session, timing, arena, &n);
	for (int k = 0; k < n; k++) {
		if (rows[k].func)
			continue;
		struct bw_counted_cost cost = bw_counted_time(session, &rows[k]);
		sum.ms += cost.ms;
		for (int p = 0; p < BW_N_COUNTED_PARTS; p++)
			sum.parts[p] += cost.parts[p];
	}
	return sum;
}

void bw_counted_notes(const struct bw_timing *timing, const char *before, struct bw_text *out)
{
	for (int k = 0; timing->counted && k < timing->counted->n; k++) {
		const struct bw_counted_kernel *kernel = &timing->counted->kernels[k];
		if (kernel->n_rounded)
			bw_text_printf(out, "%snote: %lld element%s rounded to two whole numbers by two blocks, the first in %s\n",
				       before, (long long)kernel->n_rounded, kernel->n_rounded == 1 ? " is" : "s are", kernel->rounded);
	}
}

void bw_counted_cost_words(const struct bw_counted_cost *cost, struct bw_text *out)
{
	static const char *const words[] = {
#define X(name, key, words, meaning) words,
	    BW_COUNTED_PART_TABLE(X)
#undef X
	};
	bw_text_printf(out, "%.3g ms from", cost->ms);
	for (int p = 0; p < BW_N_COUNTED_PARTS; p++)
		bw_text_printf(out, "%s %s %.3g", p ? "," : "", words[p], cost->parts[p]);
}

json_t *bw_counted_cost_json(const struct bw_session *session, const struct bw_counted_cost *cost)
{
	json_t *object = json_pack("{s:s, s:f}", "device", session->options.device->name, "ms", cost->ms);
#define X(name, key, words, meaning) \
	json_object_set_new(object, key, json_real(cost->parts[BW_COUNTED_PART_##name]));
	BW_COUNTED_PART_TABLE(X)
#undef X
	return object;
}

static json_t *row_json(const struct bw_counted_row *row)
{
	static const char *const keys[] = {
#define X(name, key, words, unit) key,
		BW_COUNTED_TABLE(X)
#undef X
	};
	json_t *object = json_object(), *counters = json_object(), *against = json_object();
	if (row->func) {
		json_object_set_new(object, "func", *row->func ? json_string(row->func) : json_null());
		json_object_set_new(object, "stage", json_integer(row->stage));
	}
#define X(field, metric, text) \
	if (!row->func || !bw_count_is_whole(metric)) \
		json_object_set_new(counters, metric, json_integer((json_int_t)row->counts.field));
	BW_COUNT_TABLE(X)
#undef X
	for (int k = 0; k < BW_N_COUNTED; k++)
		json_object_set_new(against, keys[k], json_pack("{s:f, s:o, s:o}", "counted", row->counted[k], "predicted", bw_json_real(row->predicted[k]), "ratio", bw_json_real(row->counted[k] / row->predicted[k])));
	json_object_set_new(object, "counters", counters);
	json_object_set_new(object, "roofline", against);
	return object;
}

/* Returns the instructions of warps in SASS by kind; null: they were not counted. */
static json_t *sass_json(const struct bw_counted_kernel *of)
{
	json_t *object = of->has_sass ? json_object() : json_null();
#define X(name, key, mnemonics) \
	if (of->has_sass && BW_SASS_##name != BW_SASS_NOTHING) \
		json_object_set_new(object, key, json_real(round(of->sass[BW_SASS_##name])));
	BW_SASS_KIND_TABLE(X)
#undef X
	return object;
}

json_t *bw_counted_json(const struct bw_session *session, const struct bw_timing *timing)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	int n;
	const struct bw_counted_row *rows = bw_counted_rows(session, timing, arena, &n);
	json_t *kernels = json_array(), *stages = NULL;
	for (int k = 0; k < n; k++) {
		json_t *object = row_json(&rows[k]);
		if (rows[k].func) {
			json_array_append_new(stages, object);
			continue;
		}
		const struct bw_counted_kernel *of = rows[k].of;
		stages = json_array();
		json_object_set_new(object, "kernel", json_string(of->name));
		json_object_set_new(object, "grid", json_pack("[I, I, I]", (json_int_t)of->grid[0], (json_int_t)of->grid[1], (json_int_t)of->grid[2]));
		json_object_set_new(object, "block", json_pack("[I, I, I]", (json_int_t)of->block[0], (json_int_t)of->block[1], (json_int_t)of->block[2]));
		json_object_set_new(object, "launches", json_integer((json_int_t)of->launches));
		json_object_set_new(object, "shared_bytes_per_block", json_integer((json_int_t)of->shared_bytes));
		json_object_set_new(object, "sampled_blocks_per_launch", of->sampled ? json_integer((json_int_t)of->sampled) : json_null());
		struct bw_counted_cost cost = bw_counted_time(session, &rows[k]);
		json_object_set_new(object, "sass", sass_json(of));
		json_object_set_new(object, "registers_per_thread", rows[k].registers ? json_integer(rows[k].registers) : json_null());
		json_object_set_new(object, "estimate", bw_counted_cost_json(session, &cost));
		json_object_set_new(object, "stages", stages);
		json_array_append_new(kernels, object);
	}
	return json_pack("{s:s, s:s, s:s, s:o}", "schedule", timing->label, "verdict", bw_verdict_name(timing->measurement.verdict), "device", timing->measurement.device, "kernels", kernels);
}
