/* Writes the features of every stage of a schedule, as the learned cost model reads them. */
#include "program/program.h"

static json_t *schedule_object(const struct bw_features *features)
{
	json_t *object = json_object();
	for (int i = 0; i < BW_SCHEDULE_FEATURES; i++)
		json_object_set_new(object, bw_schedule_feature_text((enum bw_schedule_feature)i)->name,
				    json_real((double)features->schedule[i]));
	return object;
}

static json_t *pipeline_object(const struct bw_features *features)
{
	json_t *object = json_object();
	for (int row = 0; row < BW_PIPELINE_FEATURE_ROWS; row++) {
		json_t *types = json_object();
		for (int t = 0; t < BW_N_TYPES; t++)
			json_object_set_new(types, bw_type_name((enum bw_type)t),
					    json_real((double)features->pipeline[row * BW_N_TYPES + t]));
		json_object_set_new(object, bw_pipeline_feature_row(row), types);
	}
	return object;
}

static void print_schedule(const struct bw_features *features, struct bw_text *out)
{
	for (int i = 0; i < BW_SCHEDULE_FEATURES; i++) {
		const struct bw_feature_text *text = bw_schedule_feature_text((enum bw_schedule_feature)i);
		bw_text_printf(out, "  %-45s %14.9g  %-12s  %s\n", text->name, (double)features->schedule[i],
			       text->unit, text->meaning);
	}
}

/* Appends the rows that are not 0, one line per type. */
static void print_pipeline(const struct bw_features *features, struct bw_text *out)
{
	for (int row = 0; row < BW_PIPELINE_FEATURE_ROWS; row++)
		for (int t = 0; t < BW_N_TYPES; t++) {
			if (features->pipeline[row * BW_N_TYPES + t] == 0)
				continue;
			BW_SCOPED_MEMORY char *name = bw_format("%s %s", bw_pipeline_feature_row(row), bw_type_name((enum bw_type)t));
			bw_text_printf(out, "  %-45s %14.9g  %-12s  ", name,
				       (double)features->pipeline[row * BW_N_TYPES + t], "a point");
			bw_pipeline_feature_meaning(row, out);
			bw_text_puts(out, "\n");
		}
}

/* The output: a JSON array, or text if the array is NULL. With weights, includes the cost of each stage. */
struct writing {
	const struct bw_learned *learned; /* NULL: no weights */
	double sms;
	json_t *list;
	struct bw_text *out;
};

/* Returns the terms of a cost: coefficient, factor, product. */
static json_t *cost_object(const struct bw_learned_cost *cost)
{
	json_t *terms = json_object();
	for (int t = 0; t < BW_N_COMPONENTS; t++) {
		const struct bw_component_info *info = bw_component_info((enum bw_component)t);
		json_object_set_new(terms, info->key, json_pack("{s:i, s:f, s:f, s:f}", "index", info->coefficient, "coefficient", cost->coefficients[info->coefficient], "factor", cost->factors[t], "cost", cost->terms[t]));
	}
	return json_pack("{s:f, s:o}", "cost", cost->cost, "terms", terms);
}

/* Appends the terms of a cost whose factor is not 0. */
static void print_cost(const struct bw_learned_cost *cost, struct bw_text *out)
{
	bw_text_printf(out, "  %-45s %14.6g  sum of coefficients times factors, times 1e-9:\n", "cost", cost->cost);
	for (int t = 0; t < BW_N_COMPONENTS; t++) {
		const struct bw_component_info *info = bw_component_info((enum bw_component)t);
		if (cost->factors[t] != 0)
			bw_text_printf(out, "  %-45s %14.6g  c%-2d %12.6g x %12.6g  %s\n", info->name,
				       cost->terms[t], info->coefficient,
				       cost->coefficients[info->coefficient], cost->factors[t],
				       info->meaning);
	}
}

static void print_stage(const struct bw_func *func, int stage, const struct bw_features *features,
			const struct writing *writing)
{
	struct bw_text *out = writing->out;
	struct bw_learned_cost cost;
	if (writing->learned)
		bw_learned_stage(writing->learned, features, writing->sms, &cost);
	if (writing->list) {
		json_t *object = json_pack("{s:s, s:i, s:o, s:o}", "func", func->name, "stage", stage, "schedule", schedule_object(features), "pipeline", pipeline_object(features));
		if (writing->learned)
			json_object_set_new(object, "predicted", cost_object(&cost));
		json_array_append_new(writing->list, object);
		return;
	}
	bw_text_printf(out, "%s%s", out->length ? "\n" : "", func->name);
	if (stage > 0)
		bw_text_printf(out, ".update%d", stage - 1);
	bw_text_puts(out, "\n");
	print_schedule(features, out);
	print_pipeline(features, out);
	if (writing->learned)
		print_cost(&cost, out);
}

/* Writes the stages in the order of Halide's files of features: output Funcs first, and the last update of
 * each Func first. */
static void print_nest(const struct bw_program *program, const struct bw_nest *nest, struct bw_text *out)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	const struct bw_pipeline *pipeline = nest->pipeline;
	const struct bw_settings *options = &program->session->options;
	struct bw_device device = bw_settings_device(options);
	struct bw_feature_limits limits = bw_feature_limits_of(&device);
	const struct bw_features *features = bw_nest_features(nest, &limits, arena);
	json_t *list = program->arguments.json ? json_array() : NULL;
	struct writing writing = {options->weights ? options->weights->learned : NULL, device.sms, list, out};
	for (int f = pipeline->n_funcs - 1; f >= 0; f--)
		for (int s = pipeline->funcs[f].n_stages - 1; s >= 0; s--)
			if (!pipeline->funcs[f].input && !bw_func_wraps_input(pipeline, &pipeline->funcs[f]))
				print_stage(&pipeline->funcs[f], s, &features[pipeline->funcs[f].first_stage + s], &writing);
	if (list) {
		json_t *all = json_pack("{s:i, s:s, s:s, s:o}", "beamwalk-features", 1, "pipeline", pipeline->name, "device", options->device->name, "stages", list);
		if (options->weights)
			json_object_set_new(all, "weights", json_string(options->weights->title));
		bw_json_put_line(out, all, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
	}
}

static struct bw_nest *nest_of(struct bw_program *program, struct bw_error *error)
{
	struct bw_session *session = program->session;
	if (program->arguments.n_rest)
		return bw_report_nest(session, program->arguments.rest[0], error);
	return bw_program_search(session, error) ? bw_nest_keep(bw_session_state(session)->nest) : NULL;
}

bool bw_program_features(struct bw_program *program, struct bw_error *error)
{
	BW_SCOPED_TEXT out = {0};
	if (program->arguments.n_rest > 1)
		return bw_fail(error, BW_ERROR_USAGE, "features takes at most one schedule");
	BW_SCOPED_NEST *nest = bw_program_open(program, error) ? nest_of(program, error) : NULL;
	bool good =
	    nest && (bw_nest_complete(nest) ||
		     bw_fail(error, BW_ERROR_INPUT,
			     "%s: does not mention every Func; --schedule lets the search decide the others",
			     program->arguments.rest[0]));
	if (good) {
		print_nest(program, nest, &out);
		good = bw_program_put(program, &out, error);
	}
	return good;
}
