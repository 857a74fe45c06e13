#include "bench/generator.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "bench/cache.h"
#include "bench/estimate.h"

enum {
	MOST_DESCRIPTION = 64 << 20, /* bytes */
	MOST_OUTPUT = 64 << 10       /* bytes of a generator's standard output, which nobody reads */
};

/* The portable target of all objects: a plain x86-64, so that they run wherever beamwalk-bench does. */
static const char portable[] = "x86-64-linux";
/* Names that a generator's own arguments must not set. */
static const char *const reserved[] = {"target=", "auto_schedule=", "machine_params=", NULL};

/* What a run of a generator needs. */
struct making {
	const struct bw_generator *generator;
	char *program; /* its path, with a slash in it: PATH is not searched */
	const struct bw_places *places;
	const struct bw_patience *patience;
	char *scratch;
	struct bw_error *error;
};

/* scratch is NULL, with an error, where the cache cannot be written. */
static struct making making_open(const struct bw_generator *generator, const struct bw_places *places, const struct bw_patience *patience, struct bw_error *error)
{
	struct bw_text program = {0};
	bw_text_printf(&program, "%s%s", strchr(generator->path, '/') ? "" : "./", generator->path);
	return (struct making){generator, bw_text_take(&program), places, patience, bw_cache_scratch(places->cache, error), error};
}

static void making_close(struct making *making)
{
	free(making->program);
	bw_cache_scratch_free(making->scratch);
}

/* The error that the plugin itself reported as `beamwalk: error: KIND: TEXT`; false where it reported none. */
static bool plugin_error(const char *errors, const char *path, struct bw_error *error)
{
	static const char mark[] = "beamwalk: error: ";
	const char *at = strstr(errors, mark);
	if (!at)
		return false;
	at += sizeof mark - 1;
	size_t length = strcspn(at, "\n"), kind_length = strcspn(at, ":");
#define X(kind, status, text) \
	if (kind_length == strlen(#kind) && strncmp(at, #kind ": ", kind_length + 2) == 0) { \
		bw_fail(error, BW_ERROR_##kind, "%s: %.*s", path, (int)(length - kind_length - 2), at + kind_length + 2); \
		return true; \
	}
	BW_ERROR_TABLE(X)
#undef X
	return false;
}

/* Says why a run of the generator failed, and what mends it where that is known. */
static void failed(struct making *making, const struct bw_outcome *outcome)
{
	const char *said = bw_text_get(&outcome->errors), *path = making->generator->path;
	if (outcome->ending == BW_EXITED && plugin_error(said, path, making->error))
		return;
	bw_outcome_good(outcome, path, making->patience, BW_ERROR_HALIDE, making->error);
	if (strstr(said, "Unknown autoscheduler name"))
		bw_fail(making->error, BW_ERROR_HALIDE, "%s: does not use the Halide that %s was made for: build it with the shared libHalide of Halide 14", path, making->places->plugin);
}

/* Where the list of names begins in what a generator without -g prints, one in a line; NULL where it printed none. */
static const char *find_names(const char *said)
{
	static const char mark[] = "available Generators are:";
	const char *at = strstr(said, mark);
	return at ? at + sizeof mark - 1 : NULL;
}

/* The name of the one generator that there is; free(). NULL with an error that lists them where there are several. Halide 14 wants -g
 * even for a single one. */
static char *only_name(struct making *making)
{
	const char *path = making->generator->path, *const argv[] = {making->program, NULL};
	struct bw_outcome outcome;
	bw_process_run(&(struct bw_process_command){.argv = argv, .most_output = MOST_OUTPUT}, making->patience, &outcome);
	const char *names = find_names(bw_text_get(&outcome.errors));
	struct bw_text list = {0};
	int n = 0;
	for (const char *at = names; at && *(at += strspn(at, " \t\n")); at += strcspn(at, " \t\n")) {
		bw_text_puts(&list, n++ ? ", " : "");
		bw_text_append(&list, at, strcspn(at, " \t\n"));
	}
	if (n > 1)
		bw_fail(making->error, BW_ERROR_HALIDE, "%s: has several generators, choose one with -g: %s", path, list.bytes);
	else if (n == 0 && bw_outcome_good(&outcome, path, making->patience, BW_ERROR_HALIDE, making->error))
		bw_fail(making->error, BW_ERROR_HALIDE, "%s: lists no generators: is it a Halide generator?", path);
	bw_outcome_free(&outcome);
	if (n == 1)
		return bw_text_take(&list);
	bw_text_free(&list);
	return NULL;
}

/* Runs the generator with the plugin and a request. */
static bool run_named(struct making *making, const char *name, const char *target, const char *request)
{
	const struct bw_generator *generator = making->generator;
	struct bw_text target_option = {0}, setting = {0};
	char *file = bw_cache_scratch_file(making->scratch, "request.json");
	bw_text_printf(&target_option, "target=%s", target);
	bw_text_printf(&setting, "BEAMWALK_REQUEST=%s", file);
	const char *const fixed[] = {making->program, "-g", name, "-o", making->scratch, "-f", "bw_filter", "-n", "bw_filter", "-e", "object", "-p", making->places->plugin, "-s", "beamwalk", target_option.bytes, "auto_schedule=true"};
	int n = (int)(sizeof fixed / sizeof *fixed);
	const char **argv = BW_NEW_ARRAY(const char *, n + generator->n_args + 1);
	memcpy(argv, fixed, sizeof fixed);
	for (int k = 0; k < generator->n_args; k++)
		argv[n++] = generator->args[k];
	struct bw_process_command command = {argv, (const char *const[]){setting.bytes, NULL}, NULL, MOST_OUTPUT};
	bool good = bw_file_write(file, request, strlen(request), making->error);
	if (good) {
		struct bw_outcome outcome;
		bw_process_run(&command, making->patience, &outcome);
		good = outcome.ending == BW_EXITED && outcome.code == 0;
		if (!good)
			failed(making, &outcome);
		bw_outcome_free(&outcome);
	}
	free(argv);
	free(file);
	bw_text_free(&target_option);
	bw_text_free(&setting);
	return good;
}

static bool run_plugin(struct making *making, const char *target, const char *request)
{
	if (making->generator->name)
		return run_named(making, making->generator->name, target, request);
	char *name = only_name(making);
	bool good = name && run_named(making, name, target, request);
	free(name);
	return good;
}

/* Adds to a key what decides what a generator does. */
static bool add_generator(struct bw_cache_key *key, const struct bw_generator *generator, const struct bw_places *places, struct bw_error *error)
{
	bw_cache_key_string(key, generator->name);
	for (int k = 0; k < generator->n_args; k++)
		bw_cache_key_string(key, generator->args[k]);
	return bw_cache_key_file(key, generator->path, error) && bw_cache_key_file(key, places->plugin, error);
}

/* Whether the generator can be started at all, and its arguments do not meddle with ours. */
static bool check(const struct bw_generator *generator, struct bw_error *error)
{
	for (int k = 0; k < generator->n_args; k++) {
		if (!strchr(generator->args[k], '='))
			return bw_fail(error, BW_ERROR_USAGE, "generator argument %s: expected KEY=VALUE", generator->args[k]);
		for (int r = 0; reserved[r]; r++)
			if (strncmp(generator->args[k], reserved[r], strlen(reserved[r])) == 0)
				return bw_fail(error, BW_ERROR_USAGE, "generator argument %s: beamwalk sets this one itself", generator->args[k]);
	}
	if (access(generator->path, F_OK) == 0 && access(generator->path, X_OK) != 0)
		return bw_fail(error, BW_ERROR_INPUT, "%s: is not executable: expected a Halide generator", generator->path);
	return true;
}

/* A request to `do` something, with the estimates and, where they are not NULL, a file to write and a list of directives; free(). */
static char *make_request(const struct bw_generator *generator, const char *what, const char *output, const struct bw_directives *directives, struct bw_error *error)
{
	json_t *estimates = bw_estimates_read(generator->estimates, generator->n_estimates, error);
	if (!estimates)
		return NULL;
	json_t *request = json_pack("{s:i,s:s,s:o}", "beamwalk-request", 1, "do", what, "estimates", estimates);
	if (output)
		json_object_set_new(request, "output", json_string(output));
	char *text = request ? json_dumps(request, JSON_COMPACT) : NULL;
	json_decref(request);
	if (!text)
		bw_fail(error, BW_ERROR_INPUT, "%s: an estimate or the path of the cache is no valid UTF-8", generator->path);
	if (!text || !directives)
		return text;
	struct bw_text whole = {0};
	bw_text_append(&whole, text, strlen(text) - 1);
	bw_text_puts(&whole, ",\"directives\":");
	bw_directives_print(directives, &whole);
	bw_text_puts(&whole, "}");
	free(text);
	return bw_text_take(&whole);
}

static bool describe_into(struct making *making, const char *path)
{
	char *file = bw_cache_scratch_file(making->scratch, "description.json");
	char *request = make_request(making->generator, "describe", file, NULL, making->error);
	bool good = request && run_plugin(making, portable, request);
	if (good && !bw_cache_has(file))
		good = bw_fail(making->error, BW_ERROR_HALIDE, "%s: ended without a description: is it a Halide generator that uses the shared libHalide of Halide 14?", making->generator->path);
	good = good && bw_cache_publish(file, path, making->error);
	free(request);
	free(file);
	return good;
}

bool bw_generator_describe(const struct bw_generator *generator, const struct bw_places *places, const struct bw_patience *patience, struct bw_text *description, struct bw_error *error)
{
	struct bw_cache_key key = bw_cache_key("description");
	if (!check(generator, error) || !add_generator(&key, generator, places, error))
		return false;
	for (int k = 0; k < generator->n_estimates; k++)
		bw_cache_key_string(&key, generator->estimates[k]);
	char *path = bw_cache_path(places->cache, &key, ".json");
	bool good = bw_cache_has(path);
	if (!good) {
		struct making making = making_open(generator, places, patience, error);
		good = making.scratch && describe_into(&making, path);
		making_close(&making);
	}
	good = good && bw_file_read(path, MOST_DESCRIPTION, description, error);
	free(path);
	return good;
}

/* The Halide runtime for a target as an object in the cache: made once for each target and plugin, since a plugin has one Halide. */
static char *make_runtime(struct making *making, const char *target)
{
	struct bw_cache_key key = bw_cache_key("runtime");
	bw_cache_key_string(&key, target);
	if (!bw_cache_key_file(&key, making->places->plugin, making->error))
		return NULL;
	char *path = bw_cache_path(making->places->cache, &key, ".o"), *file = bw_cache_scratch_file(making->scratch, "bw_runtime.o");
	bool good = bw_cache_has(path);
	if (!good) {
		struct bw_text option = {0};
		struct bw_outcome outcome;
		bw_text_printf(&option, "target=%s", target);
		const char *const argv[] = {making->program, "-r", "bw_runtime", "-o", making->scratch, "-e", "object", option.bytes, NULL};
		bw_process_run(&(struct bw_process_command){.argv = argv, .most_output = MOST_OUTPUT}, making->patience, &outcome);
		good = bw_outcome_good(&outcome, making->generator->path, making->patience, BW_ERROR_HALIDE, making->error) && bw_cache_publish(file, path, making->error);
		bw_outcome_free(&outcome);
		bw_text_free(&option);
	}
	free(file);
	if (!good) {
		free(path);
		path = NULL;
	}
	return path;
}

/* Links the filter with a runtime into a shared object that looks for nothing of Halide outside itself. */
static bool link_object(struct making *making, const char *runtime, const char *path)
{
	char *object = bw_cache_scratch_file(making->scratch, "bw_filter.o"), *shared = bw_cache_scratch_file(making->scratch, "bw_filter.so");
	bool good = true;
	if (!bw_cache_has(object))
		good = bw_fail(making->error, BW_ERROR_HALIDE, "%s: ended without an object: is it a Halide generator that uses the shared libHalide of Halide 14?", making->generator->path);
	if (good) {
		struct bw_outcome outcome;
		const char *const argv[] = {making->places->compiler, "-shared", "-o", shared, object, runtime, "-Wl,-Bsymbolic", "-ldl", "-lpthread", "-lm", NULL};
		bw_process_run(&(struct bw_process_command){.argv = argv, .most_output = MOST_OUTPUT}, making->patience, &outcome);
		good = bw_outcome_good(&outcome, making->places->compiler, making->patience, BW_ERROR_FAILED, making->error) && bw_cache_publish(shared, path, making->error);
		bw_outcome_free(&outcome);
	}
	free(object);
	free(shared);
	return good;
}

/* The target of a build, without features that only the object or only the runtime has. */
static char *make_target(enum bw_build build, const struct bw_device *device)
{
	struct bw_text target = {0};
	bw_text_puts(&target, portable);
	if (build == BW_BUILD_GPU && *device->target)
		bw_text_printf(&target, "-%s", device->target);
	return bw_text_take(&target);
}

static bool compile_into(struct making *making, const char *target, const char *request, const char *path)
{
	struct bw_text bare = {0};
	bw_text_printf(&bare, "%s-no_runtime", target);
	bool good = run_plugin(making, bare.bytes, request);
	char *runtime = good ? make_runtime(making, target) : NULL;
	good = runtime && link_object(making, runtime, path);
	free(runtime);
	bw_text_free(&bare);
	return good;
}

char *bw_generator_compile(const struct bw_generator *generator, const struct bw_places *places, const struct bw_patience *patience, enum bw_build build, const struct bw_directives *directives, const struct bw_device *device, struct bw_error *error)
{
	char *target = make_target(build, device), *path = NULL;
	char *request = make_request(generator, build == BW_BUILD_REFERENCE ? "cpu" : "apply", NULL, directives, error);
	struct bw_cache_key key = bw_cache_key("object");
	bw_cache_key_string(&key, target);
	bw_cache_key_string(&key, request);
	bw_cache_key_string(&key, places->compiler);
	bool good = request && check(generator, error) && add_generator(&key, generator, places, error);
	if (good) {
		path = bw_cache_path(places->cache, &key, ".so");
		good = bw_cache_has(path);
		if (!good) {
			struct making making = making_open(generator, places, patience, error);
			good = making.scratch && compile_into(&making, target, request, path);
			making_close(&making);
		}
	}
	free(request);
	free(target);
	if (good)
		return path;
	free(path);
	return NULL;
}
