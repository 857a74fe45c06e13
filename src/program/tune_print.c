/* What a tuning has come to: in lines, as JSON, and as a schedule file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/mem.h"
#include "command/facts.h"
#include "program/tune.h"
#include "results/subject.h"
#include "study/agreement.h"

static double median_of(const struct bw_tuning_rounds *of)
{
	return (of->ms[(of->n - 1) / 2] + of->ms[of->n / 2]) / 2;
}

/* Returns true if the ranges of two overlap. That of six rounds has the true median in it with a probability
 * of 1 - 2 / 2^6 = 0.97. */
static bool is_tie(const struct bw_tuning_rounds *a, const struct bw_tuning_rounds *b)
{
	return a->ms[0] <= b->ms[b->n - 1] && b->ms[0] <= a->ms[a->n - 1];
}

static void print_rounds(const struct bw_tuning *tuning, struct bw_text *out)
{
	const struct bw_tuning_rounds *fastest = &tuning->rounds[0];
	for (int k = 0; k < tuning->n_rounds; k++) {
		const struct bw_tuning_rounds *of = &tuning->rounds[k];
		if (!of->n) {
			bw_text_printf(out, "%-10s  %s\n", of->name, of->error.text[0] ? of->error.text : "not measured");
			continue;
		}
		bw_text_printf(out, "%-10s  %10.4g ms", of->name, median_of(of));
		if (of->n > 1)
			bw_text_printf(out, "  (%.4g to %.4g in %d rounds)", of->ms[0], of->ms[of->n - 1], of->n);
		if (k && fastest->n && is_tie(fastest, of))
			bw_text_puts(out, ": a tie with the fastest");
		else if (k && fastest->n)
			bw_text_printf(out, ": %.3f times the fastest", median_of(of) / median_of(fastest));
		bw_text_puts(out, "\n");
	}
}

static struct bw_agreement agreement_of(const struct bw_tuning *tuning)
{
	struct bw_pair *pairs = BW_NEW_ARRAY(struct bw_pair, tuning->n + 1);
	for (int i = 0; i < tuning->n; i++) {
		const struct bw_tune_candidate *candidate = bw_tuning_candidate(tuning, tuning->samples[i].number);
		pairs[i] = (struct bw_pair){candidate->predicted, candidate->measured};
	}
	struct bw_agreement agreement = bw_agreement_of(pairs, tuning->n);
	free(pairs);
	return agreement;
}

void bw_program_tuning_print(const struct bw_session *session, struct bw_text *out)
{
	const struct bw_tuning *tuning = bw_session_tuning(session);
	struct bw_agreement agreement = agreement_of(tuning);
	bw_text_printf(out, "%s on %s: %d schedule%s in %.0f s%s", session->source.name,
		       tuning->meter->device, tuning->n, tuning->n == 1 ? "" : "s",
		       bw_tuning_seconds(tuning), tuning->stopped ? ", stopped" : "");
	if (tuning->stored)
		bw_text_printf(out, ", %d of them measured before", tuning->stored);
	if (tuning->failed)
		bw_text_printf(out, ", %d failed or wrong", tuning->failed);
	bw_text_puts(out, "\n");
	print_rounds(tuning, out);
	if (isfinite(agreement.rho))
		bw_text_printf(out, "%s and measured: rank correlation %.2f (Spearman's rho) over %d schedules\n",
			       tuning->options.model->title, agreement.rho, agreement.n);
	if (tuning->meter->sum)
		tuning->meter->sum(tuning->meter->data, out);
	if (tuning->meter->file)
		bw_text_printf(out, "times are those of %s, and nothing was measured\n", tuning->meter->file);
	else if (tuning->meter->estimates)
		bw_text_puts(out, "times are estimated from counts of the emulated device, not measured\n");
}

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *sample_json(const struct bw_tuning *tuning, int number_)
{
	static const char *const origins[] = {"beam", "draw", "change"};
	const struct bw_tune_candidate *candidate = bw_tuning_candidate(tuning, number_);
	char hash[BW_UID_SIZE];
	bw_result_hash(candidate->hash, hash);
	return json_pack("{s:s, s:s, s:o, s:o}", "schedule", hash, "origin", origins[candidate->origin], "predicted",
			 number(candidate->predicted), "minimum_ms", number(candidate->measured));
}

static json_t *rounds_json(const struct bw_tuning *tuning)
{
	static const char *const keys[] = {"fastest", "first shot", "by hand", "fastest_ms", "first_shot_ms", "by_hand_ms"};
	json_t *rounds = json_object();
	for (int k = 0; k < tuning->n_rounds; k++) {
		json_t *list = json_array();
		for (int i = 0; i < tuning->rounds[k].n; i++)
			json_array_append_new(list, json_real(tuning->rounds[k].ms[i]));
		for (int i = 0; i < 3; i++)
			if (!strcmp(tuning->rounds[k].name, keys[i]))
				json_object_set_new(rounds, keys[i + 3], list);
	}
	return rounds;
}

/* The fastest schedule as text; free(). */
static char *fastest_text(const struct bw_tuning *tuning)
{
	struct bw_text text = {0};
	struct bw_schedule *schedule = bw_nest_schedule(bw_tuning_candidate(tuning, bw_tuning_best(tuning))->nest);
	bw_schedule_print(tuning->pipeline, schedule, &text);
	bw_schedule_drop(schedule);
	return bw_text_take(&text);
}

void bw_program_tuning_json(const struct bw_session *session, struct bw_text *out)
{
	const struct bw_tuning *tuning = bw_session_tuning(session);
	char *schedule = fastest_text(tuning);
	json_t *samples = json_array();
	for (int i = 0; i < tuning->n; i++)
		json_array_append_new(samples, sample_json(tuning, tuning->samples[i].number));
	json_t *object = json_pack("{s:i, s:s, s:s, s:b, s:s, s:s, s:I, s:f, s:b}", "beamwalk-tune", 1, "pipeline", session->source.name, "device",
				   tuning->meter->device, "estimated", tuning->meter->estimates, "cost_model", tuning->options.model->title,
				   "cost_unit", tuning->options.model->unit, "seed", (json_int_t)tuning->options.seed, "seconds",
				   bw_tuning_seconds(tuning), "stopped", tuning->stopped);
	json_t *rest = json_pack("{s:i, s:i, s:i, s:o, s:s, s:o, s:o, s:o}", "measured", tuning->n, "stored", tuning->stored, "failed", tuning->failed,
				 "fastest", sample_json(tuning, bw_tuning_best(tuning)), "fastest_schedule", schedule, "rho",
				 number(agreement_of(tuning).rho), "rounds", rounds_json(tuning), "samples", samples);
	json_object_update(object, rest);
	char *text = json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
	bw_text_printf(out, "%s\n", text);
	free(text);
	free(schedule);
	json_decref(rest);
	json_decref(object);
}

void bw_program_tuning_schedule(struct bw_session *session, const char *summary, struct bw_text *out)
{
	const struct bw_tuning *tuning = bw_session_tuning(session);
	char *schedule = fastest_text(tuning);
	bw_text_printf(out, "%s\n", schedule);
	for (const char *line = summary, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		bw_text_printf(out, "# %.*s\n", (int)(end - line), line);
	}
	bw_facts_print(session, bw_tuning_candidate(tuning, bw_tuning_best(tuning))->nest, "# ", out);
	free(schedule);
}
