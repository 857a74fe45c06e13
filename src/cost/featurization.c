/* The file of features that a generator writes with -e featurization, for Halide's tools for training. */
#include "cost/features.h"

/* Returns 1 if a stage's definition has an operation of this type, else 0. */
static float in_use(const struct bw_features *features, int type)
{
	bool any = false;
	for (int row = 0; row < BW_N_OPERATIONS; row++)
		any |= features->pipeline[row * BW_N_TYPES + type] != 0;
	return any;
}

void bw_featurization_append(const struct bw_pipeline *pipeline, const struct bw_features *features,
			     struct bw_text *out)
{
	for (int f = pipeline->n_funcs - 1; f >= 0; f--) {
		const struct bw_func *func = &pipeline->funcs[f];
		for (int s = func->n_stages - 1; s >= 0 && !func->input && !bw_func_wraps_input(pipeline, func); s--) {
			const struct bw_features *of = &features[func->first_stage + s];
			float types[BW_N_TYPES];
			for (int t = 0; t < BW_N_TYPES; t++)
				types[t] = in_use(of, t);
			bw_text_append(out, (const char *)of->schedule, sizeof of->schedule);
			bw_text_append(out, (const char *)types, sizeof types);
			bw_text_append(out, (const char *)of->pipeline, sizeof of->pipeline);
		}
	}
}
