/* What the project claims and the figures contradict. */
#include <math.h>
#include <string.h>

#include "unpack.h"
#include "unpack_remarks.h"

#define LEAST_RHO 0.5
#define MOST_OFF 3.0
enum { LEAST_RANKED = 5 };

/* Outputs that are wrong, and schedules that do not run. The hand-written ones are none of ours: they are
 * only reported. */
static int claim_outcomes(const struct campaign *campaign, struct bw_text *out)
{
	int n = 0;
	for (int i = 0; i < campaign->n_outcomes; i++) {
		const struct outcome *outcome = campaign->outcomes[i];
		const struct label *label = outcome->label;
		bool timed = outcome_is_timed(outcome),
		     counts = strcmp(label->kind, BW_RESULT_HAND) && (!timed || label->timed == outcome);
		if (counts && outcome->measurement && outcome->measurement->verdict == BW_OUTPUT_WRONG) {
			bw_text_printf(
				out,
				"- every schedule gives the output of the reference: %s %s does not, %lld points differ, worst %s (%s)\n",
				label->variant->name, label->name,
				(long long)outcome->measurement->mismatches, outcome->measurement->where,
				outcome->tool);
			n++;
		} else if (counts && timed && !outcome->measurement) {
			bw_text_printf(out, "- every schedule that compiles runs: %s %s %s: %s\n",
			               label->variant->name, label->name,
			               outcome->lost ? "was lost" : "failed", outcome->error.text);
			n++;
		}
	}
	return n;
}

static int claim_sanitized(const struct campaign *campaign, struct bw_text *out)
{
	int n = 0;
	for (int i = 0; i < campaign->n_sanitized; i++) {
		const struct remark *remark = &campaign->sanitized[i];
		if (sanitized_clean(remark))
			continue;
		bw_text_printf(
			out,
			"- no schedule accesses memory that is not its own, none has a race: %s finds in %s %s: %s (status %d)\n",
			remark->tool ? remark->tool : "a sanitizer",
			remark->label ? remark->label->variant->name : "?",
			remark->label ? remark->label->name : "?",
			*remark->text ? remark->text : "it ended without a summary", remark->status);
		n++;
	}
	return n;
}

/* What one kernel takes otherwise than ptxas says. */
static int claim_kernel(const struct label *label, const struct bw_kernel_use *use,
                        const struct kernel_plan *plan, struct bw_text *out)
{
	int n = 0;
	const struct {
		const char *what;
		int driver, ptxas;
	} figures[] = {{"registers a thread", use->registers, plan->registers},
	               {"local bytes a thread", use->local_bytes, plan->local_bytes},
	               {"resident blocks per SM", use->blocks_per_sm, plan->blocks_per_sm}};
	for (size_t k = 0; k < sizeof figures / sizeof *figures; k++)
		if (figures[k].driver >= 0 && figures[k].ptxas >= 0 &&
		    figures[k].driver != figures[k].ptxas) {
			bw_text_printf(
				out,
				"- the driver's kernels take what ptxas says: %s %s %s has %d %s, %d were said\n",
				label->variant->name, label->name, use->name, figures[k].driver,
				figures[k].what, figures[k].ptxas);
			n++;
		}
	return n;
}

/* Whether the driver loaded a kernel. */
static bool has_kernel(const struct bw_kernel_uses *uses, const char *entry)
{
	for (int k = 0; k < uses->n; k++)
		if (!strcmp(uses->list[k].name, entry))
			return true;
	return false;
}

static int claim_kernels(const struct pack *pack, struct bw_text *out)
{
	int n = 0;
	for (int i = 0; i < pack->n_labels; i++) {
		const struct label *label = pack->labels[i];
		const struct bw_kernel_uses *uses = label->timed && label->timed->measurement
		                                            ? &label->timed->measurement->kernels
		                                            : NULL;
		for (int k = 0; uses && k < uses->n; k++) {
			const struct kernel_plan *plan = label_kernel(label, uses->list[k].name);
			n += plan ? claim_kernel(label, &uses->list[k], plan, out) : 0;
		}
		for (int k = 0; uses && uses->n && k < label->by[ROOFLINE].n_kernels; k++)
			if (!has_kernel(uses, label->by[ROOFLINE].kernels[k].entry)) {
				bw_text_printf(
					out,
					"- all kernels of a schedule are launched: %s %s %s is not among those of the driver\n",
					label->variant->name, label->name,
					label->by[ROOFLINE].kernels[k].entry);
				n++;
			}
	}
	return n;
}

static int claim_searched(const struct pack *pack, const struct variant *variant, struct bw_text *out)
{
	const struct label *hand = variant_kind(pack, variant, "hand");
	int n = 0;
	for (int m = 0; m < N_MODELS && hand; m++) {
		const struct label *found = variant_kind(pack, variant, models[m].key);
		if (!found || label_ms(found) <= label_ms(hand))
			continue;
		bw_text_printf(
			out,
			"- what is searched is at least as fast as what is written by hand: %s by %s takes %.4g ms, by hand %.4g ms (%.2fx)\n",
			variant->name, models[m].key, label_ms(found), label_ms(hand),
			label_ms(found) / label_ms(hand));
		n++;
	}
	return n;
}

/* Predictions in ms that are more than MOST_OFF times off. */
static int claim_times(const struct variant *variant, const struct bw_pair *pairs, struct label **labels,
                       const struct bw_agreement *agreement, enum model model, struct bw_text *out)
{
	int n_off = 0;
	for (int i = 0; i < agreement->n; i++)
		n_off += pairs[i].predicted > MOST_OFF * pairs[i].measured ||
		         pairs[i].measured > MOST_OFF * pairs[i].predicted;
	if (!n_off)
		return 0;
	const struct bw_pair *over = &pairs[agreement->over], *under = &pairs[agreement->under];
	bw_text_printf(
		out,
		"- predicted times are at most %g times off: those of %s by %s are in %d of %d schedules, from %.3g (%s: %.4g ms predicted, %.4g measured) to %.3g times (%s: %.4g, %.4g)\n",
		MOST_OFF, variant->name, models[model].key, n_off, agreement->n,
		under->predicted / under->measured, labels[agreement->under]->name, under->predicted,
		under->measured, over->predicted / over->measured, labels[agreement->over]->name,
		over->predicted, over->measured);
	return 1;
}

static int claim_predictions(const struct pack *pack, const struct variant *variant, struct bw_text *out)
{
	int found = 0;
	for (int m = 0; m < N_MODELS; m++) {
		struct label **labels;
		int n;
		const struct bw_pair *pairs = variant_pairs(pack, variant, m, &labels, &n);
		struct bw_agreement agreement = bw_agreement_of(pairs, n);
		if (n >= LEAST_RANKED && !(agreement.rho >= LEAST_RHO)) {
			bw_text_printf(
				out,
				"- predictions rank schedules (rho of %g or more): those of %s by %s have rho %.2f over %d schedules, and a regret of %.2f\n",
				LEAST_RHO, variant->name, models[m].key, agreement.rho, n, agreement.regret);
			found++;
		}
		if (!strcmp(models[m].unit, "ms"))
			found += claim_times(variant, pairs, labels, &agreement, m, out);
	}
	return found;
}

int claims_put(const struct pack *pack, const struct campaign *campaign, struct bw_text *out)
{
	int n = claim_outcomes(campaign, out) + claim_sanitized(campaign, out);
	if (!campaign_is_predicted(campaign, pack))
		return n;
	n += claim_kernels(pack, out);
	for (int v = 0; v < pack->n_variants; v++)
		n += claim_searched(pack, pack->variants[v], out) +
		     claim_predictions(pack, pack->variants[v], out);
	return n;
}
