/* What a tuning has come to: in lines, as JSON, and as a schedule file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "command/facts.h"
#include "figures/tuning.h"
#include "program/tune.h"

void bw_program_tuning_print(const struct bw_session *session, struct bw_text *out)
{
	const struct bw_tuning *tuning = bw_session_tuning(session);
	struct bw_arena *arena = bw_arena_new();
	struct bw_agreement agreement = bw_tuning_figures_of(tuning, arena).of_all;
	bw_arena_free(arena);
	bw_text_printf(out, "%s on %s: %d schedule%s in %.0f s%s", session->source.name,
		       tuning->meter->device, tuning->n, tuning->n == 1 ? "" : "s",
		       bw_tuning_seconds(tuning), tuning->stopped ? ", stopped" : "");
	if (tuning->stored)
		bw_text_printf(out, ", %d of them measured before", tuning->stored);
	if (tuning->failed)
		bw_text_printf(out, ", %d failed or wrong", tuning->failed);
	bw_text_puts(out, "\n");
	for (int k = 0; k < tuning->n_rounds; k++) {
		bw_tuning_rounds_words(tuning, k, out);
		bw_text_puts(out, "\n");
	}
	bw_tuning_controls_words(tuning, out);
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

void bw_program_tuning_json(const struct bw_session *session, struct bw_text *out)
{
	struct bw_arena *arena = bw_arena_new();
	struct bw_tuning_figures figures = bw_tuning_figures_of(bw_session_tuning(session), arena);
	json_t *object = bw_tuning_json(&figures, session->source.name);
	bw_json_put_line(out, object, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
	bw_arena_free(arena);
}

void bw_program_tuning_schedule(struct bw_session *session, const char *summary, struct bw_text *out)
{
	const struct bw_tuning *tuning = bw_session_tuning(session);
	bw_tuning_schedule(tuning, bw_tuning_best(tuning), out);
	bw_text_puts(out, "\n");
	for (const char *line = summary, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		bw_text_printf(out, "# %.*s\n", (int)(end - line), line);
	}
	bw_facts_print(session, bw_tuning_candidate(tuning, bw_tuning_best(tuning))->nest, "# ", out);
}
