/* The steps of the greedy scheduler in words. */
#include "schedulers/greedy.h"

static void print_tile(const struct bw_func *func, const int64_t *tile, struct bw_text *out)
{
	for (int d = 0; d < func->n_dims; d++)
		bw_text_printf(out, "%s%lld", d ? "x" : "", (long long)tile[d]);
}

static void print_candidate(const struct bw_pipeline *pipeline, const struct bw_greedy_candidate *candidate,
			    struct bw_text *out)
{
	const char *producer = pipeline->funcs[candidate->producer].name;
	if (candidate->consumer < 0) {
		bw_text_printf(out, "inline %s", producer);
	} else {
		bw_text_printf(out, "merge %s into %s", producer, pipeline->funcs[candidate->consumer].name);
		if (candidate->tile) {
			bw_text_puts(out, ", tile ");
			print_tile(&pipeline->funcs[candidate->consumer], candidate->tile, out);
		}
	}
	if (candidate->refused)
		bw_text_printf(out, ": %s", candidate->refused);
	else
		bw_text_printf(out, ", saves %.4g operations", candidate->benefit);
}

void bw_greedy_print(const struct bw_pipeline *pipeline, const struct bw_greedy *greedy, struct bw_text *out)
{
	for (int s = 0; s < greedy->n_steps; s++) {
		const struct bw_greedy_step *step = &greedy->steps[s];
		if (!step->n)
			continue;
		if (step->taken >= 0) {
			print_candidate(pipeline, &step->candidates[step->taken], out);
		} else {
			bw_text_puts(out, "nothing saves more; best left: ");
			print_candidate(pipeline, &step->candidates[0], out);
		}
		bw_text_puts(out, "\n");
	}
}
