#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "program/regress.h"

static const struct {
	const char *words;
	bool worse;
} outcomes[] = {
#define X(name, words, worse) {words, worse},
    REGRESS_OUTCOME_TABLE(X)
#undef X
};

const char *regress_words(enum regress_outcome outcome)
{
	return outcomes[outcome].words;
}

bool regress_worse(enum regress_outcome outcome)
{
	return outcomes[outcome].worse;
}

/* Appends what is known of the schedule now. */
static void print_facts(const struct regress_checked *checked, struct bw_text *out)
{
	const struct regress_facts *now = &checked->now;
	if (now->cost < 0)
		return;
	bw_text_printf(out, "  %.4g%s predicted on %s", now->cost, checked->milliseconds ? " ms" : " cost",
		       now->device);
	if (now->registers >= 0)
		bw_text_printf(out, ", %d registers a thread", now->registers);
	if (now->registers >= 0 && checked->then.registers >= 0 && checked->then.registers != now->registers)
		bw_text_printf(out, " (%d when written)", checked->then.registers);
	if (now->spilled > 0)
		bw_text_printf(out, ", %d bytes a thread spilled", now->spilled);
	else if (now->spilled == 0)
		bw_text_puts(out, ", no spills");
	if (now->ms >= 0)
		bw_text_printf(out, ", %.4g ms %s", now->ms, checked->emulated ? "estimated" : "measured");
}

/* Appends the place and the reason of a failure: an error that names the file knows the place better. */
static void print_failure(const struct regress_export *export, const struct regress_checked *checked,
			  struct bw_text *out)
{
	const char *error = checked->error.text, *rest = strstr(error, ": ");
	size_t length = strlen(export->file);
	if (rest && !strncmp(error, export->file, length) && error[length] == ':')
		bw_text_printf(out, "%.*s: %s%s", (int)(rest - error), error, regress_words(checked->outcome),
			       rest);
	else
		bw_text_printf(out, "%s:%d: %s: %s", export->file, export->line,
			       regress_words(checked->outcome), error);
}

void regress_print(const struct regress_export *export, const struct regress_checked *checked,
		   struct bw_text *out)
{
	bool unchecked = checked->outcome == REGRESS_UNCHECKED;
	if (checked->outcome == REGRESS_OK || unchecked) {
		bw_text_printf(out, "%s:%d: %s", export->file, export->line, regress_words(checked->outcome));
		print_facts(checked, out);
	} else {
		print_failure(export, checked, out);
	}
	if (unchecked || checked->notes.length)
		bw_text_printf(out, " (%s%s%s)", unchecked ? checked->error.text : "",
			       unchecked && checked->notes.length ? "; " : "", bw_text_get(&checked->notes));
	bw_text_puts(out, "\n");
}

/* Adds a number that may be unknown. */
static void add(json_t *object, const char *key, double value)
{
	json_object_set_new(object, key, value < 0 ? json_null() : json_real(value));
}

static json_t *facts_json(const struct regress_facts *facts, const struct regress_checked *checked)
{
	json_t *object = json_object();
	json_object_set_new(object, "device", *facts->device ? json_string(facts->device) : json_null());
	json_object_set_new(object, "model", *facts->model ? json_string(facts->model) : json_null());
	add(object, checked->milliseconds ? "predicted_ms" : "predicted_cost", facts->cost);
	json_object_set_new(object, "registers_per_thread", bw_json_count(facts->registers));
	json_object_set_new(object, "spilled_bytes_per_thread", bw_json_count(facts->spilled));
	add(object, checked->emulated ? "estimated_ms" : "measured_ms", facts->ms);
	add(object, "spread", facts->spread);
	json_object_set_new(object, "measured_on", *facts->on ? json_string(facts->on) : json_null());
	return object;
}

void regress_print_json(const struct regress_export *export, const struct regress_checked *checked,
			struct bw_text *out)
{
	bool good = checked->outcome == REGRESS_OK;
	json_t *line =
	    json_pack("{s:i, s:s, s:i, s:s, s:s, s:b, s:o, s:s, s:b, s:o, s:o}", "beamwalk-regress", 1,
		      "file", export->file, "line", export->line, "pipeline", export->pipeline, "outcome",
		      regress_words(checked->outcome), "ok", good, "error",
		      good ? json_null() : json_string(checked->error.text), "notes",
		      bw_text_get(&checked->notes), "algorithm_changed", checked->stale, "then",
		      facts_json(&checked->then, checked), "now", facts_json(&checked->now, checked));
	bw_json_put_line(out, line, JSON_COMPACT | JSON_REAL_PRECISION(9));
}
