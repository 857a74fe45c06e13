#include <config.h>

#include "command/facts.h"

#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "session/counters.h"
#include "session/decisions.h"
#include "session/schedules.h"

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

const char *bw_facts_cost_key(const struct bw_cost_model *model)
{
	return *model->unit ? "predicted_ms" : "predicted_cost";
}

/* Returns a list of texts; NULL if there are none. */
static json_t *texts(const char *const *list, int n)
{
	json_t *array = n ? json_array() : NULL;
	for (int i = 0; i < n; i++)
		json_array_append_new(array, json_string(list[i]));
	return array;
}

/* Adds a member unless its value is NULL. */
static void add(json_t *object, const char *key, json_t *value)
{
	if (value)
		json_object_set_new(object, key, value);
}

/* Returns `NAME=VALUE` of the options that can change what is found or costed, and differ from the default.
 */
static json_t *options_of(const struct bw_session *session)
{
	const struct bw_settings initial = bw_settings_default(session->options.device);
	json_t *list = json_array();
	int n;
	const struct bw_setting_info *infos = bw_setting_infos(&n);
	for (int i = 0; i < n; i++) {
		struct bw_text now = {0}, usual = {0};
		if (!bw_setting_stored(&infos[i]) || !infos[i].alters || infos[i].kind == BW_SETTING_DEVICE)
			continue;
		bw_text_printf(&now, "%s=", infos[i].name);
		bw_text_printf(&usual, "%s=", infos[i].name);
		bw_setting_print(&infos[i], &session->options, &now);
		bw_setting_print(&infos[i], &initial, &usual);
		/* Weights predict where nothing else is said. */
		bool says_model = session->options.weights && infos[i].kind == BW_SETTING_MODEL;
		if (strcmp(bw_text_get(&now), bw_text_get(&usual)) != 0 || says_model)
			json_array_append_new(list, json_string(bw_text_get(&now)));
		bw_text_free(&now);
		bw_text_free(&usual);
	}
	return list;
}

/* Adds what one job found out. On the emulated device the time is an estimate from its counts. */
static void add_outcome(const struct bw_session *session, const struct bw_timing *timing, json_t *facts)
{
	const struct bw_measurement *m = &timing->measurement;
	int registers = bw_facts_registers(&m->kernels), spilled = bw_facts_spilled(&m->kernels);
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
	struct bw_arena *arena = bw_arena_new();
	struct bw_schedule *schedule = bw_nest_schedule(nest);
	uint64_t hash = bw_schedule_hash(schedule);
	json_t *facts = json_pack(
	    "{s:s, s:s, s:s, s:s, s:o, s:f}", "beamwalk", PACKAGE_VERSION, "pipeline", session->source.name,
	    "device", options->device->name, "model", options->model->title, "options", options_of(session),
	    bw_facts_cost_key(options->model), bw_session_cost_of(session, nest, arena).total);
	bool named = generator->name && strcmp(generator->name, session->source.name) != 0;
	add(facts, "generator", named ? json_string(generator->name) : NULL);
	add(facts, "arguments", texts(generator->args, generator->n_args));
	add(facts, "estimates", texts(generator->estimates, generator->n_estimates));
	add(facts, "target",
	    generator->features && *generator->features ? json_string(generator->features) : NULL);
	for (int i = 0; i < session->n_timings; i++) {
		const struct bw_timing *timing = &session->timings[i];
		if (timing->phase == BW_JOB_DONE && timing->schedule == hash &&
		    timing->predicted_for == options->device)
			add_outcome(session, timing, facts);
	}
	bw_schedule_drop(schedule);
	bw_arena_free(arena);
	return facts;
}

void bw_facts_print(struct bw_session *session, const struct bw_nest *nest, const char *comment,
		    struct bw_text *out)
{
	json_t *facts = bw_facts_of(session, nest);
	char *text = json_dumps(facts, JSON_REAL_PRECISION(9));
	bw_text_printf(out, "%s" BW_FACTS_WORD "%s\n", comment, text);
	free(text);
	json_decref(facts);
}
