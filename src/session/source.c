#include "session/source.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/nearest.h"

/* What a pipeline's own file says of it. */
struct bundled {
	char *title;
	struct bw_bound_of_error bound;
};

/* Floats of a pipeline that states no bound: what a different order of the same operations can move them by. */
static const struct bw_bound_of_error default_bound = {1e-6, 1e-4};

static char *join(const char *folder, const char *name, const char *ending)
{
	struct bw_text path = {0};
	bw_text_printf(&path, "%s/%s%s", folder, name, ending);
	return bw_text_take(&path);
}

static bool read_bundled(const char *path, struct bundled *bundled, struct bw_error *error)
{
	struct bw_json *json = bw_json_read(path, error);
	if (!json)
		return false;
	struct bw_json_at root = bw_json_root(json), title, bound, absolute, relative;
	const char *text = "";
	bool good = bw_json_get(&root, "title", &title, error) && bw_json_string(&title, &text, error) && bw_json_get(&root, "bound", &bound, error) &&
		    bw_json_get(&bound, "absolute", &absolute, error) && bw_json_number(&absolute, &bundled->bound.absolute, error) &&
		    bw_json_get(&bound, "relative", &relative, error) && bw_json_number(&relative, &bundled->bound.relative, error);
	if (good)
		bundled->title = bw_strdup(text);
	bw_json_free(json);
	return good;
}

static char *size_of(const struct bw_pipeline *pipeline)
{
	struct bw_text size = {0};
	for (int f = 0; f < pipeline->n_funcs; f++) {
		const struct bw_func *func = &pipeline->funcs[f];
		for (int d = 0; func->output && !size.length && d < func->n_dims; d++)
			bw_text_printf(&size, d ? "x%lld" : "%lld", (long long)(func->estimate[d].max - func->estimate[d].min + 1));
	}
	return bw_text_take(&size);
}

static const char *const *copy_strings(const char *const *strings, int n)
{
	char **copy = BW_NEW_ARRAY(char *, n);
	for (int i = 0; i < n; i++)
		copy[i] = bw_strdup(strings[i]);
	return (const char *const *)copy;
}

static struct bw_generator generator_of(const struct bw_source_request *request, char *path)
{
	return (struct bw_generator){
		.path = path,
		.name = request->name ? bw_strdup(request->name) : NULL,
		.args = copy_strings(request->args, request->n_args),
		.n_args = request->n_args,
		.estimates = copy_strings(request->estimates, request->n_estimates),
		.n_estimates = request->n_estimates,
	};
}

static struct bw_pipeline *describe(const struct bw_source *source, const struct bw_places *places, const struct bw_patience *patience, struct bw_error *error)
{
	struct bw_text description = {0};
	struct bw_pipeline *pipeline = NULL;
	if (bw_generator_describe(&source->generator, places, patience, &description, error))
		pipeline = bw_pipeline_parse(source->name, bw_text_get(&description), description.length, error);
	bw_text_free(&description);
	return pipeline;
}

static bool is_file(const char *path)
{
	struct stat info;
	return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* The names of the bundled pipelines, sorted; n of them; free each and the array. */
static char **bundled_names(const struct bw_folders *folders, int *n)
{
	struct dirent **entries;
	char **names = NULL;
	int found = scandir(folders->bundled, &entries, NULL, alphasort), capacity = 0;
	*n = 0;
	for (int i = 0; i < found; i++) {
		size_t length = strlen(entries[i]->d_name);
		if (length > 5 && !strcmp(entries[i]->d_name + length - 5, ".json")) {
			BW_GROW(names, *n, capacity);
			names[(*n)++] = strndup(entries[i]->d_name, length - 5);
		}
		free(entries[i]);
	}
	if (found >= 0)
		free(entries);
	return names;
}

static bool fail_unknown(const struct bw_source_request *request, const struct bw_folders *folders, struct bw_error *error)
{
	int n;
	char **names = bundled_names(folders, &n);
	struct bw_text list = {0};
	for (int i = 0; i < n; i++) {
		bw_text_printf(&list, "%s%s", i ? ", " : "", names[i]);
		free(names[i]);
	}
	free(names);
	bw_fail(error, BW_ERROR_INPUT, "no pipeline \"%s\": neither a bundled one (%s), nor a generator's executable, nor a description file", request->pipeline, n ? bw_text_get(&list) : "none is installed");
	bw_text_free(&list);
	return false;
}

static struct bw_pipeline *open_bundled(const struct bw_source_request *request, const struct bw_folders *folders, const struct bw_places *places, const struct bw_patience *patience, struct bw_source *source, struct bw_error *error)
{
	char *bundled_path = join(folders->bundled, request->pipeline, ".json"), *description = join(folders->descriptions, request->pipeline, ".json");
	char *generator = join(folders->generators, request->pipeline, "");
	struct bundled bundled = {.bound = default_bound};
	struct bw_pipeline *pipeline = NULL;
	if (read_bundled(bundled_path, &bundled, error)) {
		source->bound = bundled.bound;
		source->compilable = access(generator, X_OK) == 0;
		source->generator = generator_of(request, bw_strdup(generator));
		bool plain = !request->name && !request->n_args && !request->n_estimates;
		if (plain && is_file(description))
			pipeline = bw_pipeline_read(description, error);
		else if (source->compilable)
			pipeline = describe(source, places, patience, error);
		else
			bw_fail(error, BW_ERROR_HALIDE, "%s: its generator is not built; this beamwalk is without Halide", request->pipeline);
	}
	free(bundled.title);
	free(bundled_path);
	free(description);
	free(generator);
	return pipeline;
}

static bool is_description(const char *path)
{
	size_t length = strlen(path);
	return length > 5 && !strcmp(path + length - 5, ".json");
}

struct bw_pipeline *bw_source_open(const struct bw_source_request *request, const struct bw_folders *folders, const struct bw_places *places, const struct bw_patience *patience, struct bw_source *source, struct bw_error *error)
{
	*source = (struct bw_source){.name = bw_strdup(request->pipeline), .bound = default_bound};
	struct bw_pipeline *pipeline = NULL;
	char *bundled = join(folders->bundled, request->pipeline, ".json");
	bool known = !strchr(request->pipeline, '/') && is_file(bundled);
	free(bundled);
	if (known)
		pipeline = open_bundled(request, folders, places, patience, source, error);
	else if (is_file(request->pipeline) && (is_description(request->pipeline) || access(request->pipeline, X_OK) != 0))
		pipeline = bw_pipeline_read(request->pipeline, error);
	else if (is_file(request->pipeline)) {
		source->compilable = true;
		source->generator = generator_of(request, realpath(request->pipeline, NULL));
		pipeline = describe(source, places, patience, error);
	} else
		fail_unknown(request, folders, error);
	if (pipeline)
		source->size = size_of(pipeline);
	return pipeline;
}

bool bw_source_list(const struct bw_folders *folders, bool json, struct bw_text *out, struct bw_error *error)
{
	int n;
	char **names = bundled_names(folders, &n);
	bool good = true;
	json_t *list = json_array();
	for (int i = 0; i < n; i++) {
		char *path = join(folders->bundled, names[i], ".json"), *description = join(folders->descriptions, names[i], ".json");
		struct bundled bundled = {0};
		struct bw_pipeline *pipeline = good && read_bundled(path, &bundled, error) ? bw_pipeline_read(description, error) : NULL;
		if (pipeline) {
			char *size = size_of(pipeline);
			if (json)
				json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:i, s:s}", "name", names[i], "size", size, "funcs", pipeline->n_funcs, "stages", pipeline->n_stages, "title", bundled.title));
			else
				bw_text_printf(out, "%-12s %-12s %3d stages  %s\n", names[i], size, pipeline->n_stages, bundled.title);
			free(size);
		}
		good &= pipeline != NULL;
		bw_pipeline_free(pipeline);
		free(bundled.title);
		free(path);
		free(description);
		free(names[i]);
	}
	free(names);
	if (json && good) {
		char *text = json_dumps(list, JSON_INDENT(2));
		bw_text_printf(out, "%s\n", text);
		free(text);
	}
	json_decref(list);
	return good;
}
