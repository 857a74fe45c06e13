/* The report as a whole: what was measured, what it refutes, and the sections. */
#include <string.h>

#include "unpack.h"

static void put_ending(const struct campaign *campaign, struct bw_text *out)
{
	const char *why = campaign->why;
	if (!why)
		bw_text_puts(
			out,
			"- It did not end by itself: it was killed, or still runs; what was measured until then counts.\n");
	else
		bw_text_printf(out, "- It ended at %s: %s.\n", campaign->end ? campaign->end : "?",
		               !strcmp(why, "done")   ? "all was run"
		               : !strcmp(why, "time") ? "the time was up"
		                                      : why);
}

/* Returns true if two workers of one campaign wrote them. */
static bool begun_together(const struct session *a, const struct session *b)
{
	return a->at && b->at && !strcmp(a->at, b->at) && a->host && b->host && !strcmp(a->host, b->host);
}

static void put_device(const struct pack *pack, const struct campaign *campaign, struct bw_text *out)
{
	const struct session *last =
		campaign->n_sessions ? campaign->sessions[campaign->n_sessions - 1] : NULL;
	bw_text_printf(out, "# What was measured on %s\n\n",
	               *campaign->device          ? campaign->device
	               : last && last->has_device ? last->device.name
	                                          : "no device");
	if (*campaign->device) {
		bw_text_printf(out, "- Device: %s%s, %s", campaign->device, campaign->cpu ? " (cpu)" : "",
		               *campaign->driver ? campaign->driver : "driver not known");
		if (campaign->clock > 0)
			bw_text_printf(out, ", SM clock %.0f MHz at the end", campaign->clock / 1e6);
		bw_text_puts(out, ".\n");
	}
	for (int i = 0, n; i < campaign->n_sessions; i += n) {
		const struct session *session = campaign->sessions[i];
		for (n = 1; i + n < campaign->n_sessions && begun_together(session, campaign->sessions[i + n]);)
			n++;
		bw_text_printf(out, "- Campaign begun at %s on %s", session->at ? session->at : "?",
		               session->host ? session->host : "?");
		bw_text_printf(out, n > 1 ? ", by %d workers.\n" : ".\n", n);
	}
	if (campaign->n_sessions)
		put_ending(campaign, out);
	bw_text_printf(out,
	               "- Packed at %s by beamwalk %s with Halide %s: schedules and predictions for %s.\n",
	               pack->packed_utc ? pack->packed_utc : "?", pack->version,
	               pack->halide ? pack->halide : "?", pack->gpu);
	if (campaign->cpu)
		bw_text_puts(
			out,
			"- This is a CPU: outputs prove schedules right; times say nothing of a GPU's and are compared with no prediction.\n");
}

static void put_counts(const struct pack *pack, const struct campaign *campaign, long stored,
                       const char *table, struct bw_text *out)
{
	int n_timed = 0, n_measured = 0;
	for (int i = 0; i < pack->n_labels; i++) {
		n_timed += pack->labels[i]->timed != NULL;
		n_measured += pack->labels[i]->timed && pack->labels[i]->timed->measurement;
	}
	bw_text_printf(out,
	               "- %d of %d packed schedules were timed; %d have a result, %d failed or were lost.\n",
	               n_timed, pack->n_labels, n_measured, n_timed - n_measured);
	if (campaign->n_outcomes == 0)
		bw_text_puts(out, "- Nothing was measured.\n");
	if (stored >= 0)
		bw_text_printf(out, "- %ld measurements are new in the database.\n", stored);
	if (*table)
		bw_text_printf(out, "- Table: %s\n", table);
	bw_text_puts(out, "\n");
}

static void put_claims(const struct pack *pack, const struct campaign *campaign, struct bw_text *out)
{
	struct bw_text list = {0};
	int n = claims_put(pack, campaign, &list);
	bw_text_puts(out, "## Claimed and refuted\n\n");
	if (!campaign->n_outcomes)
		bw_text_puts(out, "Nothing was measured, so nothing is confirmed or refuted.\n\n");
	else if (n)
		bw_text_printf(out, "%d claim%s contradicted by the figures:\n\n%s\n", n,
		               n == 1 ? " is" : "s are", bw_text_get(&list));
	else
		bw_text_puts(out, "No figure contradicts a claim that can be judged here.\n\n");
	if (campaign->n_outcomes && !campaign_is_predicted(campaign, pack))
		bw_text_printf(
			out,
			"Only outputs, failures and sanitizers are judged: claims on speed, predictions and registers are for %s, and %s is %s.\n\n",
			pack->gpu, *campaign->device ? campaign->device : "the device",
			campaign->cpu ? "a CPU" : "another device");
	bw_text_free(&list);
}

static void put_notes(const struct pack *pack, struct bw_text *out)
{
	if (!pack->notes.length)
		return;
	bw_text_puts(out, "## Odd in pack and results\n\n");
	for (const char *line = bw_text_get(&pack->notes), *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		bw_text_printf(out, "- %.*s\n", (int)(end - line), line);
	}
	bw_text_puts(out, "\n");
}

void report_put(struct pack *pack, const struct campaign *campaign, const char *source, long stored,
                const char *table, struct bw_text *out)
{
	put_device(pack, campaign, out);
	put_counts(pack, campaign, stored, table, out);
	put_claims(pack, campaign, out);
	put_verdicts(pack, campaign, out);
	put_kernels(pack, out);
	put_remarks(pack, campaign, source, out);
	put_notes(pack, out);
	put_agreement(pack, campaign, out);
}
