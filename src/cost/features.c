/* The names, units and meanings of the features, and their JSON. */
#include "cost/features.h"

#include <float.h>

_Static_assert(BW_SCHEDULE_FEATURES == 73 && BW_PIPELINE_FEATURES == 280, "the network's input");

/* The names of the groups. */
#define X(name, text) static const char group_##name[] = text;
BW_FEATURE_GROUP_TABLE(X)
#undef X

static const struct bw_feature_text texts[] = {
#define X(name, unit, group, section, scope, meaning) \
	{#name, unit, group_##group, section, meaning, BW_FEATURE_OF_##scope},
    BW_SCHEDULE_FEATURE_TABLE(X)
#undef X
};

const struct bw_feature_text *bw_schedule_feature_text(enum bw_schedule_feature feature)
{
	return &texts[feature];
}

const char *bw_pipeline_feature_row(int row)
{
	static const char *const rows[] = {
		BW_OPERATION_TABLE(BW_SECOND)
#define X(kind, kind_text, meaning) "pointwise_" kind_text,
		BW_ACCESS_KIND_TABLE(X)
#undef X
#define X(kind, kind_text, meaning) "transpose_" kind_text,
		BW_ACCESS_KIND_TABLE(X)
#undef X
#define X(kind, kind_text, meaning) "broadcast_" kind_text,
		BW_ACCESS_KIND_TABLE(X)
#undef X
#define X(kind, kind_text, meaning) "slice_" kind_text,
		BW_ACCESS_KIND_TABLE(X)
#undef X
	};
	_Static_assert(sizeof rows / sizeof *rows == BW_PIPELINE_FEATURE_ROWS, "a name for each row");
	return rows[row];
}

void bw_pipeline_feature_meaning(int row, struct bw_text *out)
{
	static const char *const shapes[] = {BW_ACCESS_SHAPE_TABLE(BW_THIRD)};
	static const char *const kinds[] = {BW_ACCESS_KIND_TABLE(BW_THIRD)};
	if (row < BW_N_OPERATIONS) {
		bw_text_printf(out,
			       row == BW_OPERATION_CAST ? "%s operations at a point (always 0, as in Halide)"
							: "%s operations at a point",
			       bw_pipeline_feature_row(row));
		return;
	}
	row -= BW_N_OPERATIONS;
	bw_text_printf(out, "%s %s", kinds[row % BW_N_ACCESS_KINDS], shapes[row / BW_N_ACCESS_KINDS]);
}

/* Counts the entries of a row or column of a matrix (entries step apart) that are zero and one. */
static void count_line(const struct bw_ratio *entries, int n, int step, int *zeros, int *ones)
{
	*zeros = *ones = 0;
	for (int i = 0; i < n; i++) {
		const struct bw_ratio *entry = &entries[i * step];
		bool known = entry->den && !entry->lost;
		*zeros += known && !entry->num;
		*ones += known && entry->num == entry->den;
	}
}

/* Finds the shapes of a Jacobian (Adams et al. 2019, supplement). Shapes are not exclusive: the identity
 * has all four. */
static void find_shapes(const struct bw_jacobian *jacobian, bool shapes[BW_N_ACCESS_SHAPES])
{
	int rows = jacobian->n_dims, columns = jacobian->n_loops;
	bool square = rows == columns, each_row = true, each_column = true, row_at_most = true,
	     column_at_most = true, identity = square;
	for (int r = 0; r < rows; r++) {
		int zeros, ones;
		count_line(&jacobian->entries[r * columns], columns, 1, &zeros, &ones);
		bool one = ones == 1 && zeros == columns - 1;
		each_row &= one;
		row_at_most &= one || zeros == columns;
		identity = identity && one &&
			   jacobian->entries[r * columns + r].num == jacobian->entries[r * columns + r].den &&
			   jacobian->entries[r * columns + r].den;
	}
	for (int c = 0; c < columns; c++) {
		int zeros, ones;
		count_line(&jacobian->entries[c], rows, columns, &zeros, &ones);
		bool one = ones == 1 && zeros == rows - 1;
		each_column &= one;
		column_at_most &= one || zeros == rows;
	}
	shapes[BW_ACCESS_POINTWISE] = identity;
	shapes[BW_ACCESS_TRANSPOSE] = square && each_row && column_at_most;
	shapes[BW_ACCESS_BROADCAST] = each_row && each_column;
	shapes[BW_ACCESS_SLICE] = row_at_most && each_column;
}

static void add_access(float *features, const struct bw_jacobian *jacobian, enum bw_access_kind kind,
		       enum bw_type type, int count)
{
	bool shapes[BW_N_ACCESS_SHAPES];
	find_shapes(jacobian, shapes);
	for (int s = 0; s < BW_N_ACCESS_SHAPES; s++)
		if (shapes[s])
			features[(BW_N_OPERATIONS + s * BW_N_ACCESS_KINDS + (int)kind) * BW_N_TYPES + (int)type] += (float)count;
}

float bw_feature_float(double value)
{
	return value < (double)FLT_MAX ? (float)value : FLT_MAX;
}

/* A load from a tuple counts by the type of its component. */
static void add_loads(float *features, const struct bw_jacobian *loads, enum bw_access_kind kind,
		      enum bw_type first)
{
	for (int t = 0; t < BW_N_TYPES && loads->by_type; t++)
		add_access(features, loads, kind, (enum bw_type)t, loads->by_type[t]);
	if (!loads->by_type)
		add_access(features, loads, kind, first, loads->count);
}

/* Casts and operations in predicates are not counted, because Halide does not count them, so that no
 * weights cover them. */
void bw_pipeline_features(const struct bw_pipeline *pipeline, int func, int stage,
			  float features[BW_PIPELINE_FEATURES])
{
	const struct bw_func *self = &pipeline->funcs[func];
	const struct bw_stage *of = &self->stages[stage];
	for (int i = 0; i < BW_PIPELINE_FEATURES; i++)
		features[i] = 0;
	for (int o = 0; o < BW_N_OPERATIONS; o++)
		for (int t = 0; t < BW_N_TYPES && o != BW_OPERATION_CAST; t++)
			features[o * BW_N_TYPES + t] = (float)(of->ops[o][t] - of->predicate_ops[o][t]);
	for (int v = 0; v < self->n_values; v++)
		add_access(features, &of->store, BW_ACCESS_STORE, self->types[v], 1);
	for (int r = 0; r < of->n_reads; r++) {
		const struct bw_func *from = &pipeline->funcs[of->reads[r].producer];
		enum bw_access_kind kind = from == self  ? BW_ACCESS_LOAD_SELF
					   : from->input ? BW_ACCESS_LOAD_IMAGE
							 : BW_ACCESS_LOAD_FUNC;
		for (int l = 0; l < of->reads[r].n_loads; l++)
			if (!of->reads[r].loads[l].predicate)
				add_loads(features, &of->reads[r].loads[l], kind, from->types[0]);
	}
}

/* The file of features that a generator writes with -e featurization, for Halide's tools for training. */

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
