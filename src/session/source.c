#include "session/source.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

/* The contents of a bundled pipeline's file. */
struct bundled {
	char *title, *size, *generator, *about;
	struct bw_bound_of_error bound;
};

static char *join(const char *folder, const char *name, const char *ending)
{
	return bw_format("%s/%s%s", folder, name, ending);
}

static void bundled_free(struct bundled *bundled)
{
	free(bundled->title);
	free(bundled->size);
	free(bundled->generator);
	free(bundled->about);
}

static bool read_text(const struct bw_json_at *at, const char *key, char **text, struct bw_error *error)
{
	const char *value;
	if (!bw_json_get_string(at, key, &value, error))
		return false;
	*text = bw_strdup(value);
	return true;
}

static bool read_bundled(const char *path, struct bundled *bundled, struct bw_error *error)
{
	struct bw_json *json = bw_json_read(path, error);
	if (!json)
		return false;
	struct bw_json_at root = bw_json_root(json), bound;
	bool good = read_text(&root, "title", &bundled->title, error) &&
		    read_text(&root, "size", &bundled->size, error) &&
		    read_text(&root, "generator", &bundled->generator, error) &&
		    read_text(&root, "about", &bundled->about, error) &&
		    bw_json_get(&root, "bound", &bound, error) &&
		    bw_json_get_number(&bound, "absolute", &bundled->bound.absolute, error) &&
		    bw_json_get_number(&bound, "relative", &bundled->bound.relative, error);
	bundled->bound.by_type = false;
	bw_json_free(json);
	return good;
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
		.features = request->features ? bw_strdup(request->features) : NULL,
		.gpu = request->gpu ? bw_strdup(request->gpu) : NULL,
		.rfactor = request->rfactor ? bw_strdup(request->rfactor) : NULL,
	};
}

static bool is_file(const char *path)
{
	struct stat info;
	return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static bool read_file(const char *path, struct bw_text *text, struct bw_error *error)
{
	enum { MOST_BYTES = 64 << 20 };
	return bw_file_read(path, MOST_BYTES, text, error);
}

/* Returns the names of the bundled pipelines, sorted, and sets *n to their number. Free each name and the
 * array. */
static char **bundled_names(const struct bw_folders *folders, int *n)
{
	struct dirent **entries;
	char **names = NULL;
	int found = scandir(folders->bundled, &entries, NULL, alphasort), capacity = 0;
	*n = 0;
	for (int i = 0; i < found; i++) {
		size_t length = strlen(entries[i]->d_name);
		if (length > 5 && !strcmp(entries[i]->d_name + length - 5, ".json")) {
			BW_PUSH(names, *n, capacity, strndup(entries[i]->d_name, length - 5));
		}
		free(entries[i]);
	}
	if (found >= 0)
		free(entries);
	return names;
}

static bool fail_unknown(const struct bw_source_request *request, const struct bw_folders *folders,
			 struct bw_error *error)
{
	int n;
	if (strchr(request->pipeline, '/') || strchr(request->pipeline, '.'))
		return bw_fail(error, BW_ERROR_INPUT, "%s: no such file; `beamwalk pipelines` lists the bundled pipelines",
			       request->pipeline);
	BW_SCOPED_MEMORY char **names = bundled_names(folders, &n);
	BW_SCOPED_SUGGESTION known = {.unknown = request->pipeline};
	for (int i = 0; i < n; i++)
		bw_suggestion_add(&known, names[i]);
	if (known.nearest)
		bw_fail(error, BW_ERROR_INPUT, "no pipeline \"%s\"; %s", request->pipeline,
			bw_suggestion_say(&known, "`beamwalk pipelines` lists the bundled ones"));
	else
		bw_fail(
		    error, BW_ERROR_INPUT,
		    "no pipeline \"%s\": neither a bundled one (%s), nor a generator's executable, nor a description file",
		    request->pipeline, n ? bw_text_get(&known.names) : "none is installed");
	for (int i = 0; i < n; i++)
		free(names[i]);
	return false;
}

/* The arguments for fetching a description. */
struct fetch {
	const struct bw_source_request *request;
	const struct bw_folders *folders;
	const struct bw_places *places;
	const struct bw_patience *patience;
	bool fresh; /* run a bundled pipeline's generator even if its description would suffice */
	struct bw_source *source;
	struct bw_text *text;
};

static bool fetch_bundled(const struct fetch *fetch, struct bw_error *error)
{
	const struct bw_source_request *request = fetch->request;
	struct bw_source *source = fetch->source;
	BW_SCOPED_MEMORY char *bundled_path = join(fetch->folders->bundled, request->pipeline, ".json"),
			      *description = join(fetch->folders->descriptions, request->pipeline, ".json");
	BW_SCOPED_MEMORY char *generator = join(fetch->folders->generators, request->pipeline, "");
	struct bundled bundled = {.bound = BW_BOUND_DEFAULT};
	bool good = read_bundled(bundled_path, &bundled, error);
	source->bound = bundled.bound;
	source->compilable = access(generator, X_OK) == 0;
	source->generator = generator_of(request, bw_strdup(generator));
	if (good && !source->generator.name)
		source->generator.name = bw_strdup(bundled.generator);
	bool plain = !request->name && !request->n_args && !request->n_estimates && !request->features &&
		     !request->rfactor;
	if (good && plain && is_file(description) && !(fetch->fresh && source->compilable))
		good = read_file(description, fetch->text, error);
	else if (good && source->compilable)
		good = bw_generator_describe(&source->generator, fetch->places, fetch->patience, fetch->text, error);
	else if (good)
		good = bw_fail(error, BW_ERROR_HALIDE,
			       "%s: its generator is not built; this beamwalk is without Halide",
			       request->pipeline);
	BW_SCOPED_MEMORY char *hand = join(fetch->folders->descriptions, request->pipeline, ".schedule");
	BW_SCOPED_MEMORY char *near = join(fetch->folders->descriptions, request->pipeline, ".partial.schedule");
	source->hand = plain && is_file(hand) ? bw_strdup(hand) : NULL;
	source->near_hand = plain && is_file(near) ? bw_strdup(near) : NULL;
	if (plain && bundled.size)
		source->size = bw_strdup(bundled.size);
	bundled_free(&bundled);
	return good;
}

static bool is_description(const char *path)
{
	return bw_ends_with(path, ".json") || access(path, X_OK) != 0;
}

static bool fetch_text(const struct fetch *fetch, struct bw_error *error)
{
	const char *name = fetch->request->pipeline;
	*fetch->source = (struct bw_source){.name = bw_strdup(name), .bound = BW_BOUND_DEFAULT};
	BW_SCOPED_MEMORY char *bundled = join(fetch->folders->bundled, name, ".json");
	bool known = !strchr(name, '/') && is_file(bundled);
	if (known)
		return fetch_bundled(fetch, error);
	if (!is_file(name))
		return fail_unknown(fetch->request, fetch->folders, error);
	if (is_description(name))
		return read_file(name, fetch->text, error);
	fetch->source->compilable = true;
	fetch->source->generator = generator_of(fetch->request, realpath(name, NULL));
	return bw_generator_describe(&fetch->source->generator, fetch->places, fetch->patience, fetch->text, error);
}

void bw_source_free(struct bw_source *source)
{
	free(source->name);
	free(source->size);
	free(source->hand);
	free(source->near_hand);
	free(source->description);
	free((char *)source->generator.path);
	free((char *)source->generator.name);
	for (int i = 0; i < source->generator.n_args; i++)
		free((char *)source->generator.args[i]);
	free((void *)source->generator.args);
	for (int i = 0; i < source->generator.n_estimates; i++)
		free((char *)source->generator.estimates[i]);
	free((void *)source->generator.estimates);
	free((char *)source->generator.features);
	free((char *)source->generator.gpu);
	free((char *)source->generator.rfactor);
	*source = (struct bw_source){0};
}

struct bw_pipeline *bw_source_open(const struct bw_source_request *request, const struct bw_folders *folders,
				   const struct bw_places *places, const struct bw_patience *patience,
				   struct bw_source *source, struct bw_error *error)
{
	struct bw_text text = {0};
	struct fetch fetch = {request, folders, places, patience, false, source, &text};
	struct bw_pipeline *pipeline =
	    fetch_text(&fetch, error)
		? bw_pipeline_parse(request->pipeline, bw_text_get(&text), text.length, error)
		: NULL;
	if (pipeline && request->rfactor && !pipeline->n_rfactors) {
		bw_fail(error, BW_ERROR_INPUT, "%s is a description: only its generator can be described with --rfactor %s",
			request->pipeline, request->rfactor);
		bw_pipeline_free(pipeline);
		pipeline = NULL;
	}
	if (pipeline && !source->size)
		source->size = bw_pipeline_size(pipeline);
	if (pipeline)
		source->description = bw_text_take(&text);
	bw_text_free(&text);
	if (!pipeline)
		bw_source_free(source);
	return pipeline;
}

bool bw_source_describe(const struct bw_source_request *request, const struct bw_folders *folders,
			const struct bw_places *places, const struct bw_patience *patience,
			struct bw_text *text, struct bw_error *error)
{
	struct bw_source source;
	struct fetch fetch = {request, folders, places, patience, true, &source, text};
	struct bw_pipeline *pipeline =
	    fetch_text(&fetch, error)
		? bw_pipeline_parse(request->pipeline, bw_text_get(text), text->length, error)
		: NULL;
	bw_pipeline_free(pipeline);
	bw_source_free(&source);
	return pipeline != NULL;
}

/* Appends a paragraph in lines of at most 80 columns. */
static void put_paragraph(struct bw_text *out, const char *words)
{
	enum { COLUMNS = 80 };
	size_t column = 0;
	while (*words) {
		size_t length = strcspn(words, " ");
		if (column)
			bw_text_puts(out, column + 1 + length > COLUMNS ? "\n" : " ");
		column = column && column + 1 + length <= COLUMNS ? column + 1 + length : length;
		bw_text_append(out, words, length);
		words += length;
		words += *words == ' ';
	}
	bw_text_puts(out, "\n");
}

/* A listing of bundled pipelines: a line each, or all remarks on one. */
struct listing {
	const struct bw_folders *folders;
	const char *only;
	json_t *list; /* NULL: text */
	struct bw_text *out;
};

static bool list_one(const struct listing *listing, const char *name, struct bw_error *error)
{
	BW_SCOPED_MEMORY char *path = join(listing->folders->bundled, name, ".json"),
			      *description = join(listing->folders->descriptions, name, ".json");
	struct bundled bundled = {0};
	struct bw_pipeline *pipeline =
	    read_bundled(path, &bundled, error) ? bw_pipeline_read(description, error) : NULL;
	if (pipeline && listing->list) {
		json_array_append_new(listing->list, json_pack("{s:s, s:s, s:i, s:i, s:s, s:s}", "name", name, "size", bundled.size, "funcs", pipeline->n_funcs, "stages", pipeline->n_stages, "title", bundled.title, "about", bundled.about));
	} else if (pipeline) {
		bw_text_printf(listing->out, "%-25s %-13s %3d stage%s  %s\n", name,
			       bundled.size, pipeline->n_stages, pipeline->n_stages == 1 ? " " : "s", bundled.title);
		if (listing->only)
			put_paragraph(listing->out, bundled.about);
	}
	bool good = pipeline != NULL;
	bw_pipeline_free(pipeline);
	bundled_free(&bundled);
	return good;
}

bool bw_source_list(const struct bw_folders *folders, const char *only, bool json, struct bw_text *out,
		    struct bw_error *error)
{
	const struct bw_source_request request = {.pipeline = only};
	struct listing listing = {folders, only, json ? json_array() : NULL, out};
	bool good = true, found = false;
	int n;
	BW_SCOPED_MEMORY char **names = bundled_names(folders, &n);
	for (int i = 0; i < n; i++) {
		bool wanted = !only || !strcmp(only, names[i]);
		good = good && (!wanted || list_one(&listing, names[i], error));
		found |= wanted;
		free(names[i]);
	}
	if (good && only && !found)
		good = fail_unknown(&request, folders, error);
	if (json && good)
		bw_json_put_line(out, listing.list, JSON_INDENT(2));
	else
		json_decref(listing.list);
	return good;
}
