/* A tuning as JSON. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "figures/tuning.h"

static json_t *hash_json(uint64_t hash)
{
	char text[17];
	snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
	return json_string(text);
}

static json_t *sample_json(const struct bw_tuning *tuning, const struct bw_tuning_sample *sample)
{
	static const char *const origins[] = {"beam", "draw", "change"};
	const struct bw_tune_candidate *candidate = bw_tuning_candidate(tuning, sample->number);
	return json_pack("{s:o, s:s, s:o, s:o, s:i, s:f}", "schedule", hash_json(candidate->hash), "origin",
			 origins[candidate->origin], "predicted", bw_json_real(candidate->predicted), "minimum_ms",
			 bw_json_real(candidate->measured), "batch", sample->batch + 1, "seconds", sample->at);
}

static json_t *fastest_json(const struct bw_tuning *tuning)
{
	int best = bw_tuning_best(tuning);
	for (int i = 0; i < tuning->n; i++)
		if (tuning->samples[i].number == best)
			return sample_json(tuning, &tuning->samples[i]);
	return json_null();
}

static json_t *rounds_json(const struct bw_tuning *tuning)
{
	static const char *const keys[][2] = {
	    {"fastest", "fastest_ms"}, {"first shot", "first_shot_ms"}, {"by hand", "by_hand_ms"}};
	json_t *rounds = json_object();
	for (int k = 0; k < tuning->n_rounds; k++) {
		json_t *list = json_array();
		for (int i = 0; i < tuning->rounds[k].n; i++)
			json_array_append_new(list, json_real(tuning->rounds[k].ms[i]));
		for (int i = 0; i < 3; i++)
			if (!strcmp(tuning->rounds[k].name, keys[i][0]))
				json_object_set_new(rounds, keys[i][1], list);
	}
	return rounds;
}

static json_t *choices_json(const struct bw_tuning_figures *figures)
{
	json_t *list = json_array();
	for (int i = 0; i < figures->n_choices; i++) {
		const struct bw_tuning_choice *choice = &figures->choices[i];
		json_array_append_new(list, json_pack("{s:s, s:s, s:f, s:f}", "func",
						      figures->tuning->pipeline->funcs[choice->func].name, "choice",
						      choice->words, "share_of_best",
						      (double)choice->best / figures->n_best, "share_of_all",
						      (double)choice->all / figures->n_timed));
	}
	return list;
}

static json_t *controls_json(const struct bw_tuning *tuning)
{
	json_t *list = json_array();
	for (int i = 0; i < tuning->n_controls; i++)
		json_array_append_new(list, json_pack("{s:i, s:f, s:f}", "sample", tuning->controls[i].sample,
						      "seconds", tuning->controls[i].at, "minimum_ms",
						      tuning->controls[i].ms));
	return list;
}

json_t *bw_tuning_json(const struct bw_tuning_figures *figures, const char *pipeline)
{
	static const char *const phases[] = {"searching", "proposing", "measuring", "comparing", "ended"};
	const struct bw_tuning *tuning = figures->tuning;
	const struct bw_meter *meter = tuning->meter;
	const struct bw_settings *options = &tuning->options;
	json_t *samples = json_array();
	struct bw_text schedule = {0};
	for (int i = 0; i < tuning->n; i++)
		json_array_append_new(samples, sample_json(tuning, &tuning->samples[i]));
	if (bw_tuning_best(tuning) >= 0)
		bw_tuning_schedule(tuning, bw_tuning_best(tuning), &schedule);
	json_t *object = json_pack(
	    "{s:i, s:s, s:s, s:b, s:s?, s:s, s:s, s:s, s:I, s:s, s:f, s:o, s:b}", "beamwalk-tune", 1, "pipeline",
	    pipeline, "device", meter ? meter->device : options->device->name, "estimated",
	    meter && meter->estimates, "replays", meter ? meter->file : NULL, "cost_model", options->model->title,
	    "cost_unit", options->model->unit, "strategy", bw_tune_strategy_name(tuning->strategy), "seed",
	    (json_int_t)options->seed, "phase", phases[tuning->phase], "seconds", bw_tuning_seconds(tuning),
	    "seconds_left", bw_json_real(tuning->phase < BW_TUNING_ENDED ? bw_tuning_left(tuning) : 0), "stopped",
	    tuning->stopped);
	json_t *rest = json_pack(
	    "{s:i, s:o, s:i, s:i, s:o, s:s, s:o, s:i, s:o, s:i, s:o, s:o, s:o, s:o}", "measured", tuning->n, "samples_wanted",
	    tuning->budget.samples < BW_TUNING_SAMPLES_MOST ? json_integer(tuning->budget.samples) : json_null(),
	    "stored", tuning->stored, "failed", tuning->failed, "fastest", fastest_json(tuning), "fastest_schedule",
	    bw_text_get(&schedule), "rho", bw_json_real(figures->of_all.rho), "batches", figures->batch + 1, "rho_of_batch",
	    bw_json_real(figures->of_batch.rho), "best_of", figures->n_best, "choices", choices_json(figures), "rounds",
	    rounds_json(tuning), "controls", controls_json(tuning), "samples", samples);
	json_object_update(object, rest);
	json_decref(rest);
	bw_text_free(&schedule);
	return object;
}
