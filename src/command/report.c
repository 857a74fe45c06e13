/* Output of a schedule: its text or JSON with costs and facts, and exports as Halide C++. */
#include "command/report.h"

#include <config.h>

#include "base/file.h"
#include "nest/remarks.h"
#include "schedule/export.h"
#include "session/counters.h"
#include "session/improve.h"

/* Returns the options by name. A number that does not fit JSON's integers becomes a string. */
static json_t *options_json(const struct bw_settings *options)
{
	int n;
	const struct bw_setting_info *infos = bw_setting_infos(&n);
	json_t *object = json_object();
	for (int i = 0; i < n; i++) {
		BW_SCOPED_TEXT text = {0};
		if (!bw_setting_stored(&infos[i]))
			continue;
		bw_setting_print(&infos[i], options, &text);
		bool numeric = bw_setting_numeric(&infos[i]);
		json_t *value = numeric ? json_loads(bw_text_get(&text), JSON_DECODE_ANY, NULL) : NULL;
		json_object_set_new(object, infos[i].name, value ? value : json_string(bw_text_get(&text)));
	}
	return object;
}

static const char extern_remark[] = "runs on the host, at root, with copies of what it reads there: no price is known, and nothing added";

/* Returns the key for a cost; for a cost that is a time, the key names the unit. */
static const char *cost_key(const struct bw_cost_model *model)
{
	return *model->unit ? "cost_ms" : "cost";
}

static json_t *stage_json(const struct bw_cost_model *model, const struct bw_func *func, int stage,
			  const struct bw_stage_cost *cost)
{
	json_t *terms = json_object(), *figures = json_object();
	for (int t = 0; t < model->n_terms; t++)
		json_object_set_new(terms, model->terms[t].key, json_real(cost->terms[t]));
#define X(name, key, unit, text) json_object_set_new(figures, key, json_real(cost->name));
	BW_FIGURE_TABLE(X)
#undef X
	return json_pack("{s:s, s:i, s:f, s:s, s:o, s:o}", "func", func->name, "stage", stage, cost_key(model), cost->ms, "bound", model->terms[cost->bound].name, "terms", terms, "figures", figures);
}

static json_t *stages_json(struct bw_session *session, const struct bw_cost *cost)
{
	json_t *list = json_array();
	for (int f = 0; f < session->pipeline->n_funcs; f++) {
		const struct bw_func *func = &session->pipeline->funcs[f];
		for (int s = 0; s < func->n_stages; s++)
			if (cost->stages[func->first_stage + s].placed)
				json_array_append_new(list, stage_json(session->options.model, func, s,
								       &cost->stages[func->first_stage + s]));
	}
	return list;
}

/* Returns how each load of a stage is staged. */
static json_t *stagings_json(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena)
{
	const struct bw_func *funcs = nest->pipeline->funcs;
	struct bw_stagings stagings = bw_nest_stagings(nest, func, stage, arena);
	json_t *list = json_array();
	for (int i = 0; i < stagings.n; i++) {
		const struct bw_staging *staging = &stagings.list[i];
		json_array_append_new(list, json_pack("{s:s, s:i, s:s, s:b, s:s, s:f, s:f, s:I}", "func", funcs[func].name, "stage", stage, "producer", funcs[staging->producer].name,
						      "staged", staging->verdict == BW_STAGING_STAGED, "verdict", bw_staging_name(staging->verdict), "loads_per_thread", bw_staging_loads(staging),
						      "values_per_thread", staging->after, "bytes_per_thread", staging->verdict == BW_STAGING_STAGED ? (json_int_t)staging->bytes : 0));
	}
	return list;
}

static json_t *kernels_json(struct bw_session *session, const struct bw_nest *nest, struct bw_arena *arena)
{
	int n;
	struct bw_cost cost = bw_search_cost(session->search, nest, arena);
	const struct bw_kernel_facts *facts =
	    bw_kernel_facts(nest, bw_search_device(session->search), bw_session_uses(session, nest), &cost,
			    arena, &n);
	json_t *list = json_array();
	for (int k = 0; k < n; k++) {
		const struct bw_kernel *kernel = &facts[k].kernel;
		const struct bw_occupancy occupancy = facts[k].occupancy;
		json_t *funcs = json_array(), *staging = stagings_json(nest, kernel->func, kernel->stage, arena);
		for (int m = 0; m < kernel->n_members; m++) {
			json_array_append_new(funcs, json_string(session->pipeline->funcs[kernel->members[m]].name));
			for (int s = 0; s < session->pipeline->funcs[kernel->members[m]].n_stages; s++) {
				json_auto_t *more = stagings_json(nest, kernel->members[m], s, arena);
				json_array_extend(staging, more);
			}
		}
		json_array_append_new(list, json_pack("{s:s, s:i, s:[I,I,I], s:[I,I,I], s:I, s:I, s:I, s:f, s:I, s:s, s:o, s:o}",
						      "func", session->pipeline->funcs[kernel->func].name, "stage", kernel->stage,
						      "grid_blocks", (json_int_t)kernel->blocks[0], (json_int_t)kernel->blocks[1], (json_int_t)kernel->blocks[2],
						      "block_threads", (json_int_t)kernel->threads[0], (json_int_t)kernel->threads[1], (json_int_t)kernel->threads[2],
						      "shared_bytes", (json_int_t)kernel->shared_bytes, "register_bytes_per_thread", (json_int_t)kernel->register_bytes, "staged_bytes_per_thread", (json_int_t)bw_kernel_staged_bytes(nest, kernel, arena),
						      "occupancy", occupancy.occupancy, "resident_blocks_per_sm", (json_int_t)occupancy.blocks_per_sm, "limited_by", bw_limiter_name(occupancy.limiter), "fused", funcs, "loads", staging));
	}
	return list;
}

json_t *bw_report_remarks(const struct bw_nest *nest, struct bw_arena *arena)
{
	const struct bw_func *funcs = nest->pipeline->funcs;
	struct bw_remarks remarks = bw_nest_remarks(nest, arena);
	json_t *list = json_array();
	for (int i = 0; i < remarks.n; i++) {
		const struct bw_remark *remark = &remarks.list[i];
		json_array_append_new(list, json_pack("{s:s, s:i, s:s, s:s, s:I}", "func", funcs[remark->func].name, "stage", remark->stage, "remark", bw_remark_name(remark->kind), "where", bw_remark_where(nest->pipeline, remark), "extent", (json_int_t)remark->extent));
	}
	return list;
}

static json_t *counts_json(const struct bw_search_totals *totals)
{
	json_t *pruned = json_object();
	for (int r = 0; r < BW_N_RULES; r++)
		if (totals->pruned[r])
			json_object_set_new(pruned, bw_rule_name((enum bw_rule)r), json_integer(totals->pruned[r]));
	return json_pack("{s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "enumerated", (json_int_t)totals->enumerated, "pruned_by_rule", pruned, "second_choice", (json_int_t)totals->second, "buckets", (json_int_t)totals->buckets, "not_sampled", (json_int_t)totals->unsampled, "costed", (json_int_t)totals->costed, "evaluated", (json_int_t)totals->evaluated, "kept", (json_int_t)totals->kept, "dropped_out", (json_int_t)totals->dropped_out);
}

/* Returns what polishing did at the end of the search; JSON null if nothing was polished. */
static json_t *polish_json(const struct bw_session *session)
{
	const struct bw_polish *polish = bw_search_polish(session->search, bw_search_reached(session->search));
	if (!polish)
		return json_null();
	json_t *object = json_pack("{s:i, s:I, s:b, s:i, s:i}", "changes", polish->n, "priced", (json_int_t)polish->priced, "overridden", polish->overridden, "starts", polish->starts, "from", polish->from);
	if (polish->cut)
		json_object_set_new(object, "ended_early", json_true());
	if (polish->n) {
		json_object_set_new(object, "before", json_real(polish->steps[0].before));
		json_object_set_new(object, "after", json_real(polish->steps[polish->n - 1].after));
		json_object_set_new(object, "tie", json_boolean(bw_cost_ties(session->options.model, polish->steps[0].before, polish->steps[polish->n - 1].after)));
	}
	return object;
}

/* Returns the extern stages, which have no predicted cost. */
static json_t *externs_json(const struct bw_pipeline *pipeline)
{
	json_t *list = json_array();
	for (int i = 0; i < pipeline->n_externs; i++) {
		const struct bw_extern *stage = &pipeline->externs[i];
		json_t *reads = json_array();
		for (int r = 0; r < stage->n_reads; r++)
			json_array_append_new(reads, json_string(pipeline->funcs[stage->reads[r]].name));
		json_array_append_new(list, json_pack("{s:s, s:s, s:n, s:s, s:o}", "func", stage->name, "function", stage->function, "cost_ms", "remark", extern_remark, "reads", reads));
	}
	return list;
}

static void schedule_text(struct bw_session *session, const struct bw_nest *nest, struct bw_text *out)
{
	BW_SCOPED_SCHEDULE *schedule = bw_nest_schedule(nest);
	bw_schedule_print(session->pipeline, schedule, out);
}

/* Returns the steps of another scheduler, a text each. */
static json_t *steps_json(const struct bw_text *steps)
{
	json_t *list = json_array();
	for (const char *line = bw_text_get(steps), *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		json_array_append_new(list, json_stringn(line, (size_t)(end - line)));
	}
	return list;
}

void bw_report_json(struct bw_session *session, const struct bw_state *state, const struct bw_text *steps,
		    struct bw_text *out)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct bw_cost cost = bw_search_cost(session->search, state->nest, arena);
	struct bw_search_totals totals = bw_search_totals(session->search);
	BW_SCOPED_TEXT schedule = {0};
	char algorithm[17];
	snprintf(algorithm, sizeof algorithm, "%016llx", (unsigned long long)session->pipeline->algorithm);
	schedule_text(session, state->nest, &schedule);
	json_t *report = json_pack("{s:i, s:s, s:s, s:s, s:s, s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:s}",
				   "beamwalk-schedule", 1, "version", PACKAGE_VERSION, "pipeline", session->pipeline->name, "size", session->source.size, "algorithm", algorithm,
				   "options", options_json(&session->options), cost_key(session->options.model), cost.total, "ties_below", bw_json_real(session->options.model->tie), "stages", stages_json(session, &cost), "kernels", kernels_json(session, state->nest, arena),
				   "remarks", bw_report_remarks(state->nest, arena), "counts", counts_json(&totals), "polish", polish_json(session), "seconds", totals.seconds, "schedule", bw_text_get(&schedule));
	if (session->pipeline->n_externs)
		json_object_set_new(report, "externs", externs_json(session->pipeline));
	if (steps->length)
		json_object_set_new(report, "steps", steps_json(steps));
	if (session->n_timings)
		json_object_set_new(report, "verified", bw_verified_json(session));
	bw_json_put_line(out, report, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
}

/* Returns the polishing steps from..to of an improvement. */
static json_t *steps_of(const struct bw_session *session, const struct bw_improvement *improvement, int from,
			int to)
{
	bool ms = *session->options.model->unit;
	json_t *list = json_array();
	for (int i = from; i < to; i++) {
		const struct bw_polish_step *step = &improvement->polish.steps[i];
		BW_SCOPED_TEXT was = {0}, is = {0};
		bw_placement_print(session->pipeline, step->from, &was);
		bw_placement_print(session->pipeline, step->to, &is);
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:f, s:f}", "func",
			session->pipeline->funcs[step->to->func].name, "from", bw_text_get(&was), "to",
			bw_text_get(&is), ms ? "before_ms" : "before", step->before,
			ms ? "after_ms" : "after", step->after));
	}
	return list;
}

/* Returns the changes of an improvement. The change of staging has no steps. */
static json_t *changes_json(const struct bw_session *session, const struct bw_improvement *improvement)
{
	bool ms = *session->options.model->unit;
	const char *before = ms ? "before_ms" : "before", *after = ms ? "after_ms" : "after";
	json_t *list = json_array();
	if (improvement->restaged > 0)
		json_array_append_new(list, json_pack("{s:s, s:f, s:f, s:f, s:[]}", "staging", "on", before,
			improvement->before, after, improvement->restaged, "change_percent",
			100 * (improvement->restaged / improvement->before - 1), "steps"));
	for (int step = 0, next; step < improvement->n_steps; step = next) {
		const struct bw_polish_step *steps = improvement->polish.steps;
		next = bw_improvement_next(improvement, step);
		json_array_append_new(list, json_pack("{s:f, s:f, s:f, s:o}", before, steps[step].before,
			after, steps[next - 1].after, "change_percent",
			100 * (steps[next - 1].after / steps[step].before - 1), "steps", steps_of(session,
			improvement, step, next)));
	}
	return list;
}

static json_t *left_json(const struct bw_session *session, const struct bw_improvement *improvement)
{
	json_t *list = json_array();
	for (int i = 0; i < improvement->n_left; i++) {
		const struct bw_left *left = &improvement->left[i];
		BW_SCOPED_TEXT other = {0};
		if (left->other && left->cost > 0)
			bw_placement_print(session->pipeline, left->other, &other);
		json_array_append_new(list, json_pack("{s:s?, s:b, s:s, s:s?, s:o}", "func",
			left->func < 0 ? NULL : session->pipeline->funcs[left->func].name, "by_hand",
			left->held, "why", left->why, "other", other.length ? bw_text_get(&other) : NULL,
			*session->options.model->unit ? "other_ms" : "other_cost",
			left->cost > 0 ? json_real(left->cost) : json_null()));
	}
	return list;
}

void bw_report_improved(struct bw_session *session, bool json, struct bw_text *out)
{
	const struct bw_improvement *improvement = bw_improvement_of(session);
	bool ms = *session->options.model->unit;
	BW_SCOPED_TEXT schedule = {0};
	schedule_text(session, improvement->to, &schedule);
	if (json) {
		json_t *report = json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:o, s:b, s:o, s:o, s:s}",
			"beamwalk-improve", 1, "version", PACKAGE_VERSION, "pipeline",
			session->pipeline->name, "device", session->options.device->name, "model",
			session->options.model->name, "schedule_from", improvement->label,
					   ms ? "before_ms" : "before", improvement->before, ms ? "after_ms" : "after", improvement->after, "changes", changes_json(session, improvement), "all_changes", improvement->n_steps == improvement->polish.n, "kept", left_json(session, improvement), "remarks", steps_json(&improvement->unsaid), "schedule", bw_text_get(&schedule));
		bw_json_put_line(out, report, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
		return;
	}
	bw_text_puts(out, bw_text_get(&schedule));
	bw_text_printf(out, "\n# improved from %s, %.4g to %.4g %s:\n", improvement->label, improvement->before, improvement->after, session->options.model->said);
	bw_improvement_print(session, "# ", out);
	bw_facts_print(session, improvement->to, "# ", out);
}

/* Appends a line for each load of a stage that would be repeated without staging. */
static void print_stagings(const struct bw_nest *nest, int func, int stage, struct bw_arena *arena,
			   struct bw_text *out)
{
	struct bw_stagings stagings = bw_nest_stagings(nest, func, stage, arena);
	for (int i = 0; i < stagings.n; i++) {
		if (stagings.list[i].before <= stagings.list[i].after)
			continue;
		bw_text_puts(out, "#              ");
		bw_staging_words(nest->pipeline, &stagings.list[i], out);
		bw_text_puts(out, "\n");
	}
}

/* Appends the remarks, a line for each kind. */
static void print_remarks(const struct bw_nest *nest, struct bw_arena *arena, struct bw_text *out)
{
	struct bw_remarks remarks = bw_nest_remarks(nest, arena);
	for (int kind = 0; kind < BW_N_REMARKS; kind++) {
		BW_SCOPED_TEXT words = {0};
		if (bw_remarks_words(nest->pipeline, &remarks, (enum bw_remark_kind)kind, &words))
			bw_text_printf(out, "# %s\n", bw_text_get(&words));
	}
}

static void print_steps(const struct bw_text *steps, struct bw_text *out)
{
	for (const char *line = bw_text_get(steps), *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		bw_text_printf(out, "# %.*s\n", (int)(end - line), line);
	}
}

void bw_report_text(struct bw_session *session, const struct bw_state *state, const struct bw_text *steps,
		    struct bw_text *out)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct bw_cost cost = bw_search_cost(session->search, state->nest, arena);
	struct bw_search_totals totals = bw_search_totals(session->search);
	schedule_text(session, state->nest, out);
	BW_SCOPED_TEXT told = {0};
	bw_settings_print_changed(&session->options, &told);
	bw_text_printf(
	    out, "\n# %s, %s: %.4g %s predicted, beam %d, seed %llu, %ld of %ld options costed in %.2f s\n",
	    session->options.device->name, session->options.model->title, cost.total,
	    session->options.model->said, session->options.beam, (unsigned long long)session->options.seed,
	    totals.costed, totals.enumerated, totals.seconds);
	if (told.length)
		bw_text_printf(out, "# with %s\n", bw_text_get(&told));
	for (int f = session->pipeline->n_funcs - 1; f >= 0; f--) {
		const struct bw_func *func = &session->pipeline->funcs[f];
		for (int s = 0; s < func->n_stages; s++) {
			const struct bw_stage_cost *stage = &cost.stages[func->first_stage + s];
			if (!stage->placed)
				continue;
			bw_text_printf(out, "# %8.4f %s  %s", stage->ms, session->options.model->said, func->name);
			if (s)
				bw_text_printf(out, ".update%d", s - 1);
			bw_text_printf(out, "  (%s)\n", session->options.model->terms[stage->bound].name);
			print_stagings(state->nest, f, s, arena, out);
		}
	}
	for (int i = 0; i < session->pipeline->n_externs; i++)
		bw_text_printf(out, "#  unknown %s  %s  (extern stage %s %s)\n", session->options.model->said,
			       session->pipeline->externs[i].name, session->pipeline->externs[i].function, extern_remark);
	print_remarks(state->nest, arena, out);
	print_steps(steps, out);
	bw_verified_print(session, "# ", out);
	bw_facts_print(session, state->nest, "# ", out);
}

int bw_facts_registers(const struct bw_kernel_uses *uses)
{
	int most = -1;
	for (int k = 0; k < uses->n; k++)
		if (uses->list[k].registers > most)
			most = uses->list[k].registers;
	return most;
}

int bw_facts_spilled(const struct bw_kernel_uses *uses)
{
	int sum = uses->n ? 0 : -1;
	for (int k = 0; k < uses->n && sum >= 0; k++)
		sum = uses->list[k].spill_stores < 0 || uses->list[k].spill_loads < 0
			  ? -1
			  : sum + uses->list[k].spill_stores + uses->list[k].spill_loads;
	return sum;
}

/* Adds a member unless its value is NULL. */
static void add(json_t *object, const char *key, json_t *value)
{
	if (value)
		json_object_set_new(object, key, value);
}

/* Returns `NAME=VALUE` of the options that can change the result or its cost, and differ from the
 * default. */
static json_t *options_of(const struct bw_session *session)
{
	const struct bw_settings initial = bw_settings_default(session->options.device);
	json_t *list = json_array();
	int n;
	const struct bw_setting_info *infos = bw_setting_infos(&n);
	for (int i = 0; i < n; i++) {
		BW_SCOPED_TEXT now = {0}, usual = {0};
		if (!bw_setting_stored(&infos[i]) || !infos[i].alters || infos[i].kind == BW_SETTING_DEVICE)
			continue;
		bw_text_printf(&now, "%s=", infos[i].name);
		bw_text_printf(&usual, "%s=", infos[i].name);
		bw_setting_print(&infos[i], &session->options, &now);
		bw_setting_print(&infos[i], &initial, &usual);
		/* If weights are set and no model is named, the learned model predicts. */
		bool says_model = session->options.weights && infos[i].kind == BW_SETTING_MODEL;
		if (strcmp(bw_text_get(&now), bw_text_get(&usual)) != 0 || says_model)
			json_array_append_new(list, json_string(bw_text_get(&now)));
	}
	return list;
}

/* Adds the results of one job. On the emulated device the time is an estimate from its counts. */
static void add_outcome(const struct bw_session *session, const struct bw_timing *timing, json_t *facts)
{
	const struct bw_measurement *m = &timing->measurement;
	int registers = bw_facts_registers(&m->kernels), spilled = bw_facts_spilled(&m->kernels);
	if (timing->sampled)
		return;
	if (timing->compiled) {
		add(facts, "registers_per_thread", registers < 0 ? NULL : json_integer(registers));
		add(facts, "spilled_bytes_per_thread", spilled < 0 ? NULL : json_integer(spilled));
	} else if (timing->counted) {
		add(facts, "estimated_ms", json_real(bw_counted_total(session, timing).ms));
	} else if (!bw_verdict_differs(m->verdict) && m->minimum > 0) {
		add(facts, "measured_ms", json_real(m->minimum));
		add(facts, "spread", json_real(m->spread));
		add(facts, "measured_on", json_string(m->device));
	}
}

json_t *bw_facts_of(struct bw_session *session, const struct bw_nest *nest)
{
	const struct bw_generator *generator = &session->source.generator;
	const struct bw_settings *options = &session->options;
	BW_SCOPED_ARENA *arena = bw_arena_new();
	BW_SCOPED_SCHEDULE *schedule = bw_nest_schedule(nest);
	uint64_t hash = bw_schedule_hash(schedule);
	json_t *facts = json_pack(
	    "{s:s, s:s, s:s, s:s, s:o, s:f}", "beamwalk", PACKAGE_VERSION, "pipeline", session->source.name,
	    "device", options->device->name, "model", options->model->title, "options", options_of(session),
	    *options->model->unit ? "predicted_ms" : "predicted_cost", bw_search_cost(session->search, nest, arena).total);
	bool named = generator->name && strcmp(generator->name, session->source.name) != 0;
	add(facts, "generator", named ? json_string(generator->name) : NULL);
	add(facts, "arguments", generator->n_args ? bw_json_strings(generator->args, generator->n_args) : NULL);
	add(facts, "estimates",
	    generator->n_estimates ? bw_json_strings(generator->estimates, generator->n_estimates) : NULL);
	add(facts, "rfactor", generator->rfactor ? json_string(generator->rfactor) : NULL);
	add(facts, "target",
	    generator->features && *generator->features ? json_string(generator->features) : NULL);
	for (int i = 0; i < session->n_timings; i++) {
		const struct bw_timing *timing = &session->timings[i];
		if (timing->phase == BW_JOB_DONE && timing->schedule == hash &&
		    timing->predicted_for == options->device)
			add_outcome(session, timing, facts);
	}
	return facts;
}

void bw_facts_print(struct bw_session *session, const struct bw_nest *nest, const char *comment,
		    struct bw_text *out)
{
	json_auto_t *facts = bw_facts_of(session, nest);
	BW_SCOPED_MEMORY char *text = json_dumps(facts, JSON_REAL_PRECISION(9));
	bw_text_printf(out, "%s" BW_FACTS_WORD "%s\n", comment, text);
}

/* Exporting schedules: as Halide C++ to paste into a generator, or as JSON. */

/* Appends the device, model and predicted cost of the schedule, and the generator's arguments. */
static void print_note(struct bw_session *session, const struct bw_nest *nest, struct bw_text *note)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	const struct bw_settings *options = &session->options;
	bw_text_printf(note, "for %s, %s %.4g %s", options->device->name, options->model->title,
		       bw_search_cost(session->search, nest, arena).total, options->model->said);
	for (int i = 0; i < session->source.generator.n_args; i++)
		bw_text_printf(note, "%s %s", i ? "" : "; generator arguments", session->source.generator.args[i]);
}

/* Appends the comments of exported C++ that `beamwalk regress` reads: the facts and the schedule's
 * text. */
static void print_facts(struct bw_session *session, const struct bw_nest *nest, struct bw_text *out)
{
	BW_SCOPED_SCHEDULE *schedule = bw_nest_schedule(nest);
	BW_SCOPED_TEXT text = {0};
	bw_schedule_print(session->pipeline, schedule, &text);
	bw_text_puts(out, "\n// Its schedule file, and what was true of it, for `beamwalk regress`:\n");
	bw_facts_print(session, nest, "// ", out);
	for (const char *line = bw_text_get(&text), *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		bw_text_printf(out, BW_FACTS_SCHEDULE "%s%.*s\n", end > line ? " " : "", (int)(end - line), line);
	}
}

/* Adds the facts to an export in JSON. */
static void add_facts(struct bw_session *session, const struct bw_nest *nest, struct bw_text *out)
{
	json_t *object = json_loads(bw_text_get(out), 0, NULL);
	json_object_set_new(object, "facts", bw_facts_of(session, nest));
	bw_text_clear(out);
	bw_json_put_line(out, object, JSON_INDENT(2));
}

bool bw_report_export(struct bw_session *session, const struct bw_nest *nest,
		      const struct bw_report_form *form, struct bw_text *out, struct bw_error *error)
{
	struct bw_directives *directives = bw_lower(nest, error);
	if (!directives)
		return false;
	BW_SCOPED_TEXT note = {0};
	BW_SCOPED_SCHEDULE *schedule = bw_nest_schedule(nest);
	print_note(session, nest, &note);
	struct bw_export export = {session->pipeline, schedule,        directives,        form->func,
				   form->halide,      PACKAGE_VERSION, bw_text_get(&note)};
	bool good = form->json ? bw_export_json(&export, out, error) : bw_export_cpp(&export, out, error);
	if (good && form->json)
		add_facts(session, nest, out);
	else if (good)
		print_facts(session, nest, out);
	bw_directives_free(directives);
	return good;
}

bool bw_report_form_of(const char *file, struct bw_report_form *form, struct bw_error *error)
{
	form->json = bw_ends_with(file, ".json");
	return bw_file_suits(file, "Halide C++, or JSON", "h hh hpp hxx c cc cpp cxx inc inl txt json", error);
}
