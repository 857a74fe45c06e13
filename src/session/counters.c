#include "session/counters.h"

#include <math.h>

#include "base/arith.h"

enum { SECTOR_BYTES = 32, WAVEFRONT_BYTES = 128 };

const struct bw_timing *bw_session_counted(const struct bw_session *session)
{
	for (int i = session->n_timings - 1; i >= 0; i--)
		if (session->timings[i].counted)
			return &session->timings[i];
	return NULL;
}

uint64_t bw_session_code_shown(const struct bw_session *session)
{
	const struct bw_state *state = bw_session_state(session);
	const uint64_t own = bw_nest_schedule_hash(state ? state->nest : NULL);
	return session->selection.code && session->selection.code_at == own ? session->selection.code : own;
}

const struct bw_timing *bw_session_code(const struct bw_session *session, uint64_t schedule, bool begun)
{
	schedule = schedule ? schedule : bw_session_code_shown(session);
	for (int i = session->n_timings - 1; i >= 0 && schedule; i--) {
		const struct bw_timing *timing = &session->timings[i];
		bool comes = begun && timing->counts && timing->phase < BW_JOB_DONE;
		if (timing->schedule == schedule && (timing->code || comes))
			return timing;
	}
	return NULL;
}

/* Returns `timing` or, if it is NULL, the timing whose code is shown. */
static const struct bw_timing *shown(const struct bw_session *session, const struct bw_timing *timing)
{
	return timing ? timing : bw_session_code(session, 0, false);
}

bool bw_session_reads_statement(const struct bw_session *session, const struct bw_timing *timing)
{
	timing = shown(session, timing);
	return session->selection.statement && timing && bw_code_lines(timing->code, true);
}

int bw_session_code_func(const struct bw_session *session)
{
	return session->selection.one_func ? session->selection.func : -1;
}

/* Returns the PTX line that ran most often, in the loop whose own lines ran most. Loops of the selected Func
 * take precedence; lines of no known loop come last. Returns -1 if there is none. */
static int costliest(const struct bw_session *session, const struct bw_code *code)
{
	enum { N_KEYS = 3 };
	int n = 0, best = -1;
	double most[N_KEYS] = {0};
	for (int k = 0; k < code->n; k++) {
		const struct bw_code_kernel *kernel = &code->kernels[k];
		for (int i = 0; i < kernel->n_lines; i++, n++) {
			const struct bw_code_line *line = &kernel->lines[i];
			const struct bw_code_loop *loop = &kernel->loops[line->loop];
			bool of = loop->func >= 0 && loop->func == session->selection.func;
			double keys[N_KEYS] = {2 * of + (line->loop > 0), loop->own, line->runs};
			int at = 0;
			while (at < N_KEYS - 1 && keys[at] == most[at])
				at++;
			if (line->instruction && (best < 0 || keys[at] > most[at])) {
				memcpy(most, keys, sizeof most);
				best = n;
			}
		}
	}
	return best;
}

/* Returns the line, counted over all kernels, whose row shows a given line; -1: no row does. */
static int row_of(const struct bw_session *session, const struct bw_code *code, bool statement, int line)
{
	int local = line;
	const struct bw_code_kernel *kernel = bw_code_kernel_at(code, statement, &local);
	int row = kernel ? bw_code_row(kernel, statement, local, bw_session_code_func(session)) : -1;
	return row < 0 ? -1 : line - local + row;
}

int bw_session_line(const struct bw_session *session, const struct bw_timing *timing)
{
	timing = shown(session, timing);
	if (!timing)
		return -1;
	bool statement = bw_session_reads_statement(session, timing);
	int row = row_of(session, timing->code, statement, session->selection.line);
	if (row >= 0)
		return row;
	int best = costliest(session, timing->code);
	best = statement ? bw_code_across(timing->code, false, best) : best;
	row = row_of(session, timing->code, statement, best);
	/* The line that ran most may belong to a Func that is not shown. */
	for (int line = 0; row < 0 && line < bw_code_lines(timing->code, statement); line++)
		row = row_of(session, timing->code, statement, line);
	return row;
}

void bw_session_turn_column(struct bw_session *session)
{
	const struct bw_timing *timing = shown(session, NULL);
	bool statement = bw_session_reads_statement(session, timing);
	int line = bw_session_line(session, timing);
	session->selection.line = timing ? bw_code_across(timing->code, statement, line) : -1;
	session->selection.statement = !statement;
}

int bw_session_code_loop(const struct bw_session *session, const struct bw_code_kernel **kernel)
{
	const struct bw_timing *timing = shown(session, NULL);
	bool statement = bw_session_reads_statement(session, timing);
	int line = bw_session_line(session, timing);
	*kernel = timing ? bw_code_kernel_at(timing->code, statement, &line) : NULL;
	return *kernel ? bw_code_row_loop(*kernel, statement, line, bw_session_code_func(session)) : 0;
}

void bw_session_show_code_func(struct bw_session *session, int func)
{
	session->selection.one_func = func >= 0;
	session->selection.func = func >= 0 ? func : session->selection.func;
}

static bool has_code(const struct bw_session *session, struct bw_error *error)
{
	return shown(session, NULL) ||
	       bw_fail(error, BW_ERROR_FAILED, "no code was compiled yet; `code` compiles the selected state");
}

bool bw_session_fold_loop(struct bw_session *session, bool folded, struct bw_error *error)
{
	const struct bw_code_kernel *kernel;
	int loop = bw_session_code_loop(session, &kernel);
	if (!has_code(session, error))
		return false;
	if (!loop)
		return bw_fail(error, BW_ERROR_FAILED, "the selected line of code belongs to no loop");
	kernel->loops[loop].folded = folded;
	return true;
}

/* Folds the outermost loops of a code that do not contain this loop; or unfolds all loops. Returns true if
 * anything changed. */
static bool fold_around(const struct bw_code *code, const struct bw_code_kernel *kernel, int around,
			bool folded)
{
	bool changed = false;
	for (int k = 0; k < code->n; k++) {
		const struct bw_code_kernel *of = &code->kernels[k];
		for (int loop = 1; loop < of->n_loops; loop++) {
			int parent = of->loops[loop].parent;
			bool outermost = parent == 0 || (of == kernel && bw_code_holds(of, parent, around)),
			     wanted = folded && outermost && !(of == kernel && bw_code_holds(of, loop, around));
			changed |= of->loops[loop].folded != wanted;
			of->loops[loop].folded = wanted;
		}
	}
	return changed;
}

bool bw_session_fold_loops(struct bw_session *session, bool folded, struct bw_error *error)
{
	const struct bw_timing *timing = shown(session, NULL);
	const struct bw_code_kernel *kernel = NULL, *of;
	int costliest = 0;
	if (!has_code(session, error))
		return false;
	for (int k = 0; k < timing->code->n; k++) {
		of = &timing->code->kernels[k];
		for (int loop = 1; loop < of->n_loops; loop++)
			if (!kernel || of->loops[loop].own > kernel->loops[costliest].own) {
				kernel = of;
				costliest = loop;
			}
	}
	if (!fold_around(timing->code, kernel, costliest, folded))
		fold_around(timing->code, kernel, costliest, false);
	return true;
}

json_t *bw_session_code_json(const struct bw_session *session, const struct bw_timing *timing)
{
	json_t *json = bw_code_json(timing->code, session->pipeline, bw_session_code_func(session));
	json_object_set_new(json, "schedule", json_string(timing->label));
	json_object_set_new(json, "device", json_string(timing->measurement.device));
	return json;
}

BW_WORDS(bw_counted_words, enum bw_counted_figure, BW_COUNTED_TABLE(BW_THIRD))

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

/* The sources of the rows' names and predictions. nest NULL: there are no predictions. */
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
	predicting.facts =
	    bw_code_facts(timing->nest, session->options.device, timing->counted, arena, &predicting.n_facts);
	predicting.stages = bw_cost_of(&bw_roofline, timing->nest, session->options.device, arena).stages;
	return predicting;
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

/* Appends rows for the kernel's stages, from the parts of `run`. Returns the number of rows afterwards. */
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
		const struct bw_func *func =
		    predicting->nest ? bw_code_func(predicting->nest->pipeline, rows[at].func) : NULL;
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
		const struct bw_kernel *of = bw_code_kernel(predicting.facts, predicting.n_facts, kernel->name);
		struct bw_counted_kernel run = *kernel; /* a copy of the kernel without the parts that never
							   run */
		run.parts = bw_code_parts(kernel, of, timing->nest, session->pipeline, arena, &run.n_parts);
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
	static const char *const words[] = {BW_COUNTED_PART_TABLE(BW_THIRD)};
	bw_text_printf(out, "%.3g ms from", cost->ms);
	for (int p = 0; p < BW_N_COUNTED_PARTS; p++)
		bw_text_printf(out, "%s %s %.3g", p ? "," : "", words[p], cost->parts[p]);
}

json_t *bw_counted_cost_json(const struct bw_session *session, const struct bw_counted_cost *cost)
{
	json_t *object = json_pack("{s:s, s:f}", "device", session->options.device->name, "ms", cost->ms);
#define X(name, key, words, meaning) \
	json_object_set_new(object, key, json_real(cost->parts[name]));
	BW_COUNTED_PART_TABLE(X)
#undef X
	return object;
}

static json_t *row_json(const struct bw_counted_row *row)
{
	static const char *const keys[] = {BW_COUNTED_TABLE(BW_SECOND)};
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

/* Returns the warp instructions in SASS by kind; JSON null if they were not counted. */
static json_t *sass_json(const struct bw_counted_kernel *of)
{
	json_t *object = of->has_sass ? json_object() : json_null();
#define X(name, key, mnemonics) \
	if (of->has_sass && name != BW_SASS_NOTHING) \
		json_object_set_new(object, key, json_real(round(of->sass[name])));
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

/* Verifying: compares the order of schedules by the model with the order by the counts. */

static bool verified_contradicts(const struct bw_verified *verified)
{
	return fabs(log(verified->apart)) > log(BW_VERIFIED_APART);
}

/* Returns the timing at a place of the list if it is the newest verified timing of its schedule; else
 * NULL. */
static const struct bw_timing *verified_at(const struct bw_session *session, int place)
{
	const struct bw_timing *timing = &session->timings[place];
	if (!timing->sampled || !timing->counted || timing->phase != BW_JOB_DONE || !timing->nest)
		return NULL;
	for (int i = place + 1; i < session->n_timings; i++)
		if (session->timings[i].sampled && session->timings[i].counted &&
		    session->timings[i].schedule == timing->schedule)
			return NULL;
	return timing;
}

/* Returns the rank of schedule `of` among all n by the figure at offset `figure` of struct bw_verified; 1 for
 * the least. */
static int rank_of(const struct bw_verified *list, int n, int of, size_t figure)
{
	int rank = 1;
	double value = *(const double *)((const char *)&list[of] + figure);
	for (int i = 0; i < n; i++)
		rank += *(const double *)((const char *)&list[i] + figure) < value;
	return rank;
}

BW_ORDER(by_model, struct bw_verified,
	  2 * BW_COMPARE(a->by_model, b->by_model) + BW_COMPARE(a->by_count, b->by_count))

/* Returns the schedules verified for the session's device, and sets *n to their number. They are in the order
 * of the model, and allocated in the arena. */
static struct bw_verified *session_verified(const struct bw_session *session, struct bw_arena *arena, int *n)
{
	struct bw_verified *list = BW_ARENA_ARRAY(arena, struct bw_verified, session->n_timings + 1);
	double sum = 0;
	*n = 0;
	for (int i = 0; i < session->n_timings; i++) {
		const struct bw_timing *timing = verified_at(session, i);
		if (!timing)
			continue;
		struct bw_verified *it = &list[(*n)++];
		*it = (struct bw_verified){.timing = timing, .has_sass = true};
		it->predicted = bw_search_cost(session->search, timing->nest, arena).total;
		it->counted = bw_counted_total(session, timing).ms;
		it->both = sqrt(it->predicted * it->counted);
		for (int k = 0; k < timing->counted->n; k++)
			it->has_sass &= timing->counted->kernels[k].has_sass;
		sum += log(it->counted / it->predicted);
	}
	for (int i = 0; i < *n; i++) {
		list[i].apart = list[i].counted / list[i].predicted / exp(sum / *n);
		list[i].by_model = rank_of(list, *n, i, offsetof(struct bw_verified, predicted));
		list[i].by_count = rank_of(list, *n, i, offsetof(struct bw_verified, counted));
		list[i].by_both = rank_of(list, *n, i, offsetof(struct bw_verified, both));
	}
	qsort(list, (size_t)*n, sizeof *list, by_model);
	return list;
}

static bool all_sass(const struct bw_verified *list, int n)
{
	for (int i = 0; i < n; i++)
		if (!list[i].has_sass)
			return false;
	return true;
}

void bw_verified_print(const struct bw_session *session, const char *before, struct bw_text *out)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	int n, wide = 8;
	const struct bw_verified *list = session_verified(session, arena, &n);
	for (int i = 0; i < n; i++)
		wide = (int)bw_max(wide, (int)strlen(list[i].timing->label));
	if (!n)
		return;
	bw_text_printf(out, "%s%-*s  predicted  counted ms  apart  by model  by count  by both\n", before, wide, "verified");
	for (int i = 0; i < n; i++)
		bw_text_printf(out, "%s%-*s  %9.4g  %10.4g  %5.2f  %8d  %8d  %7d%s\n", before, wide, list[i].timing->label,
			       list[i].predicted, list[i].counted, list[i].apart, list[i].by_model, list[i].by_count,
			       list[i].by_both, verified_contradicts(&list[i]) ? " !" : "");
	bw_text_printf(out, "%sinstructions counted in %s; the order stays the model's; apart: counted over predicted, for all 1\n",
		       before, all_sass(list, n) ? "SASS" : "PTX: no ptxas made code that is known here");
	for (int i = 0; i < n; i++)
		if (verified_contradicts(&list[i]))
			bw_text_printf(out, "%s! %s: model and counts are %.1f times apart, neither is to be trusted: measure it\n",
				       before, list[i].timing->label, fmax(list[i].apart, 1 / list[i].apart));
}

json_t *bw_verified_json(const struct bw_session *session)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	int n;
	const struct bw_verified *list = session_verified(session, arena, &n);
	json_t *array = n ? json_array() : json_null();
	const char *key = *session->options.model->unit ? "predicted_ms" : "predicted_cost";
	for (int i = 0; i < n; i++)
		json_array_append_new(array, json_pack("{s:s, s:s, s:f, s:f, s:f, s:b, s:i, s:i, s:i}",
			"schedule", list[i].timing->label, "counted_in", list[i].has_sass ? "SASS" : "PTX",
			key, list[i].predicted, "counted_ms", list[i].counted, "apart", list[i].apart,
			"contradicts", verified_contradicts(&list[i]), "rank_by_model", list[i].by_model,
			"rank_by_count", list[i].by_count, "rank_by_both", list[i].by_both));
	return array;
}
