#include "bench/generator.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/generator_private.h"
#include "bench/protocol.h"

/* Reads a whole number in [least, most] that the character `end` follows. */
static bool read_whole(const char *text, char end, long least, long most, long *value, const char **rest)
{
	char *stop;
	errno = 0;
	*value = strtol(text, &stop, 10);
	*rest = stop + 1;
	return stop != text && *stop == end && !errno && *value >= least && *value <= most;
}

static json_t *read_interval(const char *text)
{
	long min, extent;
	const char *rest;
	if (!read_whole(text, ',', INT32_MIN, INT32_MAX, &min, &rest) ||
	    !read_whole(rest, 0, 1, INT32_MAX, &extent, &rest))
		return NULL;
	return json_pack("[I,I]", (json_int_t)min, (json_int_t)extent);
}

static json_t *read_value(const char *text)
{
	char *stop;
	long whole;
	const char *rest;
	if (read_whole(text, 0, LONG_MIN, LONG_MAX, &whole, &rest))
		return json_integer(whole);
	double value = strtod(text, &stop);
	return stop != text && !*stop && isfinite(value) ? json_real(value) : NULL;
}

/* Adds `1536x2560x3` as the estimates NAME._0=0,1536 and so on. Returns false if it is not a list of two or
 * more sizes. */
static bool add_sizes(json_t *object, const char *name, const char *text)
{
	for (int n = 0;; n++) {
		BW_SCOPED_TEXT key = {0};
		long size;
		const char *rest;
		bool last = !strchr(text, 'x'),
		     good = read_whole(text, last ? 0 : 'x', 1, INT32_MAX, &size, &rest) && (n > 0 || !last);
		bw_text_printf(&key, "%s._%d", name, n);
		good = good && json_object_set_new(object, bw_text_get(&key), json_pack("[i,I]", 0, (json_int_t)size)) == 0;
		if (!good || last)
			return good;
		text = rest;
	}
}

/* Adds an estimate. Returns false if the text is not an estimate or not valid UTF-8. */
static bool add_estimate(json_t *object, const char *text)
{
	const char *equals = strchr(text, '=');
	if (!equals || equals == text)
		return false;
	json_auto_t *value = strchr(equals, ',')   ? read_interval(equals + 1)
			     : strchr(equals, 'x') ? NULL
						   : read_value(equals + 1);
	BW_SCOPED_MEMORY char *name = strndup(text, (size_t)(equals - text));
	return value ? json_object_set(object, name, value) == 0 : add_sizes(object, name, equals + 1);
}

json_t *bw_estimates_read(const char *const *estimates, int n_estimates, struct bw_error *error)
{
	json_t *object = json_object();
	for (int k = 0; k < n_estimates; k++) {
		if (add_estimate(object, estimates[k]))
			continue;
		bw_fail(
		    error, BW_ERROR_USAGE,
		    "estimate %s: expected NAME.DIM=MIN,EXTENT, NAME=VALUE or, of all dimensions, NAME=SIZExSIZE",
		    estimates[k]);
		json_decref(object);
		return NULL;
	}
	return object;
}

/* Adds a value under the name without Halide's suffix for unique names. The filter's argument does not have
 * this suffix. */
static void set_plain(json_t *into, const char *name, const json_t *value)
{
	const char *dollar = strchr(name, '$');
	BW_SCOPED_MEMORY char *plain = dollar ? strndup(name, (size_t)(dollar - name)) : NULL;
	if (plain && !json_object_get(into, plain))
		json_object_set(into, plain, (json_t *)value);
}

/* Copies the estimate of each object in the list `members`, under its name. Skips objects without an
 * estimate. */
static bool collect(const struct bw_json_at *root, const char *members, json_t *into, struct bw_error *error)
{
	struct bw_json_at list, value;
	size_t n;
	const char *string;
	if (!bw_json_get_list(root, members, &list, &n, error))
		return false;
	for (size_t k = 0; k < n; k++) {
		struct bw_json_at element = bw_json_element(&list, k);
		if (!bw_json_get_string(&element, "name", &string, error))
			return false;
		if (!bw_json_has(&element, "estimate", &value))
			continue;
		json_object_set(into, string, (json_t *)value.value);
		set_plain(into, string, value.value);
	}
	return true;
}

/* Returns output number `place`. Returns NULL if there is none. A single output has no "place" member. */
static const json_t *output_at(const json_t *funcs, int place)
{
	size_t i;
	const json_t *func;
	json_array_foreach(funcs, i, func) {
		const json_t *own = json_object_get(func, "place");
		if (json_is_true(json_object_get(func, "output")) && (own ? json_integer_value(own) == place : place == 0))
			return func;
	}
	return NULL;
}

/* Adds the estimates of the outputs under the keys `output 0`, `output 1`, ..., because the names in the
 * filter may differ. Each component of a tuple is an output. */
static void collect_outputs(const struct bw_json_at *root, json_t *into)
{
	const json_t *funcs = json_object_get(root->value, "funcs"), *func;
	int number = 0;
	for (int place = 0; (func = output_at(funcs, place)); place++)
		for (size_t t = 0; t < json_array_size(json_object_get(func, "types")); t++) {
			char key[BW_OUTPUT_KEY_SIZE];
			bw_output_key(number++, key);
			json_object_set(into, key, json_object_get(func, "estimate"));
		}
}

char *bw_estimates_described(const char *description, size_t length, struct bw_error *error)
{
	struct bw_json *json = bw_json_parse("description", description, length, error);
	if (!json)
		return NULL;
	struct bw_json_at root = bw_json_root(json);
	json_auto_t *all = json_object();
	char *text = NULL;
	if (collect(&root, "parameters", all, error) && collect(&root, "inputs", all, error) &&
	    collect(&root, "funcs", all, error)) {
		collect_outputs(&root, all);
		text = json_dumps(all, JSON_COMPACT);
	}
	bw_json_free(json);
	return text;
}

enum { MOST_DESCRIPTION = 64 << 20 /* bytes */ };

/* The target of all objects: plain x86-64, so that they run on every machine with beamwalk-bench. */
static const char portable[] = "x86-64-linux";
/* Parameters that the user's -G arguments must not set. */
static const char *const reserved[] = {
    "target=", "auto_schedule=", "machine_params=", "autoscheduler=", "autoscheduler.", NULL};

/* Adds everything that determines a generator's results to a key. Adds all plugins, because the one that fits
 * is known only when the generator runs. */
static bool add_generator(struct bw_cache_key *key, const struct bw_generator *generator,
			  const struct bw_places *places, struct bw_error *error)
{
	bw_cache_key_string(key, generator->name);
	for (int k = 0; k < generator->n_args; k++)
		bw_cache_key_string(key, generator->args[k]);
	bool good = bw_cache_key_file(key, generator->path, error);
	for (const struct bw_plugin *plugin = places->plugins; good && plugin->halide; plugin++)
		good = bw_cache_key_file(key, plugin->path, error);
	return good;
}

bool bw_generator_identity(const struct bw_generator *generator, uint64_t *identity, struct bw_error *error)
{
	struct bw_cache_key key = {{1, 2}};
	bw_cache_key_string(&key, generator->name);
	for (int k = 0; k < generator->n_args; k++)
		bw_cache_key_string(&key, generator->args[k]);
	bw_cache_key_string(&key, generator->features);
	bool good = bw_cache_key_file(&key, generator->path, error);
	*identity = key.hash[0];
	return good;
}

/* Returns true if the generator is executable and its arguments do not set reserved parameters. */
static bool check(const struct bw_generator *generator, struct bw_error *error)
{
	for (int k = 0; k < generator->n_args; k++) {
		if (!strchr(generator->args[k], '='))
			return bw_fail(error, BW_ERROR_USAGE, "generator argument %s: expected KEY=VALUE", generator->args[k]);
		for (int r = 0; reserved[r]; r++)
			if (strncmp(generator->args[k], reserved[r], strlen(reserved[r])) == 0)
				return bw_fail(error, BW_ERROR_USAGE,
					       "generator argument %s: beamwalk sets this one itself",
					       generator->args[k]);
	}
	if (access(generator->path, F_OK) == 0 && access(generator->path, X_OK) != 0)
		return bw_fail(error, BW_ERROR_INPUT, "%s: is not executable: expected a Halide generator",
			       generator->path);
	return true;
}

/* Returns a request for the plugin to do `what`, with the estimates; free(). Adds the output file and the
 * directives unless they are NULL. */
static char *make_request(const struct bw_generator *generator, const char *what, const char *output,
			  const struct bw_directives *directives, struct bw_error *error)
{
	json_t *estimates = bw_estimates_read(generator->estimates, generator->n_estimates, error);
	if (!estimates)
		return NULL;
	json_auto_t *request =
	    json_pack("{s:i,s:s,s:o}", "beamwalk-request", 1, "do", what, "estimates", estimates);
	if (output)
		json_object_set_new(request, "output", json_string(output));
	if (generator->rfactor)
		json_object_set_new(request, "rfactor", json_string(generator->rfactor));
	char *text = request ? json_dumps(request, JSON_COMPACT) : NULL;
	if (!text)
		bw_fail(error, BW_ERROR_INPUT, "%s: an estimate or the path of the cache is no valid UTF-8",
			generator->path);
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

/* Returns the target with the features of a GPU and of the user, without the features that are only for the
 * object or only for the runtime; free(). */
static char *make_target(const struct bw_generator *generator, const char *gpu)
{
	struct bw_text target = {0};
	bw_text_puts(&target, portable);
	if (gpu && *gpu)
		bw_text_printf(&target, "-%s", gpu);
	if (generator->features && *generator->features)
		bw_text_printf(&target, "-%s", generator->features);
	return bw_text_take(&target);
}

/* What the plugin writes to a file: the description, the record of the generator's own schedule, or the
 * lowered statement. */
struct question {
	const char *what;
	bool by_hand; /* the question is about the generator's own schedule */
	const struct bw_directives *directives; /* NULL: none */
	const char *gpu; /* features of the target */
};

static bool ask_into(struct bw_making *making, const struct question *question, const char *path)
{
	BW_SCOPED_MEMORY char *file = bw_format("%s/answer.json", making->scratch.path);
	BW_SCOPED_MEMORY char *request =
	    make_request(making->generator, question->what, file, question->directives, making->error);
	BW_SCOPED_MEMORY char *target = make_target(making->generator, question->gpu);
	bool good = request && bw_making_run(making, target, request);
	if (good && access(file, R_OK) != 0)
		good = bw_fail(making->error, BW_ERROR_HALIDE,
			       "%s: ended without an answer to \"%s\": is it a Halide generator?",
			       making->generator->path, question->what);
	return good && bw_cache_publish(file, path, making->error);
}

/* Appends the plugin's answer to a question. Answers are cached. */
static bool ask(const struct bw_generator *generator, const struct bw_places *places,
		const struct bw_patience *patience, const struct question *question, struct bw_text *answer,
		struct bw_error *error)
{
	struct bw_cache_key key = bw_cache_key(question->what);
	if (!check(generator, error) || !add_generator(&key, generator, places, error))
		return false;
	for (int k = 0; k < generator->n_estimates; k++)
		bw_cache_key_string(&key, generator->estimates[k]);
	bw_cache_key_string(&key, question->gpu);
	bw_cache_key_string(&key, generator->features);
	if (generator->rfactor)
		bw_cache_key_string(&key, generator->rfactor);
	BW_SCOPED_TEXT directives = {0};
	if (question->directives)
		bw_directives_print(question->directives, &directives);
	if (directives.length)
		bw_cache_key_string(&key, directives.bytes);
	char *path = bw_cache_path(places->cache, &key, ".json");
	bool good = bw_cache_has(path);
	if (!good) {
		struct bw_making making;
		good = bw_making_open(&making, generator, places, patience, error);
		making.by_hand = question->by_hand;
		good = good && ask_into(&making, question, path);
		bw_making_close(&making);
	}
	good = good && bw_trusted_file_read(path, MOST_DESCRIPTION, answer, error);
	free(path);
	return good;
}

bool bw_generator_describe(const struct bw_generator *generator, const struct bw_places *places,
			   const struct bw_patience *patience, struct bw_text *description,
			   struct bw_error *error)
{
	return ask(generator, places, patience, &(struct question){"describe", false, NULL, generator->gpu},
		   description, error);
}

bool bw_generator_hand(const struct bw_generator *generator, const struct bw_places *places,
		       const struct bw_patience *patience, struct bw_text *record, struct bw_error *error)
{
	return ask(generator, places, patience, &(struct question){"hand", true, NULL, generator->gpu}, record,
		   error);
}

bool bw_generator_lower(const struct bw_generator *generator, const struct bw_places *places,
			const struct bw_patience *patience, const struct bw_directives *directives,
			const struct bw_device *device, struct bw_text *statement, struct bw_error *error)
{
	return ask(generator, places, patience,
		   &(struct question){"lower", !directives, directives, device->target}, statement, error);
}

/* Appends the generator's target option, without the feature strict_float. Halide's runtime does not need it,
 * and Halide 21 fails an assertion if a runtime is made with it. */
static void put_runtime_target(const char *target, struct bw_text *option)
{
	static const char feature[] = "-strict_float";
	bw_text_puts(option, "target=");
	for (const char *at; (at = strstr(target, feature)); target = at + strlen(feature))
		bw_text_append(option, target, (size_t)(at - target));
	bw_text_puts(option, target);
}

/* Makes the generator compile the Halide runtime for a target (option: target=...), and publishes it at
 * `path`. */
static bool compile_runtime(struct bw_making *making, const struct bw_patience *patience, const char *option,
			    const char *path)
{
	BW_SCOPED_MEMORY char *file = bw_format("%s/bw_runtime.o", making->scratch.path);
	struct bw_outcome outcome;
	const char *const argv[] = {making->program, "-r",     "bw_runtime", "-o", making->scratch.path,
				    "-e",            "object", option,       NULL};
	bw_process_run(&(struct bw_process_command){.argv = argv, .most_output = BW_MOST_OUTPUT}, patience,
		       &outcome);
	bool good =
	    bw_outcome_good(&outcome, making->generator->path, patience, BW_ERROR_HALIDE, making->error) &&
	    bw_cache_publish(file, path, making->error);
	bw_outcome_free(&outcome);
	return good;
}

/* Makes the runtime, unless another thread or process makes it: then waits for that. Waiting and making
 * together may take as long as one run of a generator. */
static bool make_runtime_once(struct bw_making *making, const char *option, const char *path)
{
	struct bw_patience left = *making->patience;
	int lock;
	if (!bw_cache_lock(path, &left, &lock))
		return left.stop && atomic_load(left.stop)
			   ? bw_fail(making->error, BW_ERROR_STOPPED, "%s: stopped", making->generator->path)
			   : bw_fail(making->error, BW_ERROR_HALIDE,
				     "%s: waited %g s for another process that makes Halide's runtime and holds %s.lock: end it, or try again",
				     making->generator->path, making->patience->seconds, path);
	bool good = bw_cache_has(path) || compile_runtime(making, &left, option, path);
	if (lock >= 0)
		close(lock);
	return good;
}

/* Returns the path of the Halide runtime for a target in the cache. Returns NULL with an error. The runtime
 * is made once per target and plugin, even if many schedules are compiled at once: a plugin belongs to one
 * Halide version. */
static char *make_runtime(struct bw_making *making, const char *target)
{
	struct bw_cache_key key = bw_cache_key("runtime");
	BW_SCOPED_TEXT option = {0};
	put_runtime_target(target, &option);
	bw_cache_key_string(&key, bw_text_get(&option));
	if (!bw_cache_key_file(&key, making->plugin->path, making->error))
		return NULL;
	char *path = bw_cache_path(making->places->cache, &key, ".o");
	if (bw_cache_has(path) || make_runtime_once(making, option.bytes, path))
		return path;
	free(path);
	return NULL;
}

/* Sets an error if the linker says that the object calls an undefined function, as extern stages do. Returns
 * false if the linker says something else. */
static bool lacks_function(const char *said, const char *path, struct bw_error *error)
{
	/* messages of GNU's linkers; of LLVM's linker and mold */
	static const char *const marks[] = {"undefined reference to ", "undefined symbol: "};
	const char *name = NULL;
	for (int i = 0; i < 2 && !name; i++)
		name = (name = strstr(said, marks[i])) ? name + strlen(marks[i]) : NULL;
	if (!name)
		return false;
	name += strspn(name, "`'");
	return !bw_fail(error, BW_ERROR_HALIDE,
			"%s: calls %.*s, a function of C (define_extern): give --link FILE, C source or an object that defines it",
			path, (int)strcspn(name, "'\n"), name);
}

/* Links a filter's object file with the target's runtime into a shared object that needs no other Halide
 * library. */
static bool link_filter(struct bw_making *making, const char *target, const char *filter, const char *path)
{
	char *runtime = make_runtime(making, target),
	     *shared = bw_format("%s/bw_filter.so", making->scratch.path);
	bool good = runtime;
	if (good) {
		struct bw_outcome outcome;
		const char *const argv[] = {
		    making->places->compiler, "-shared", "-fPIC", "-O2", "-o", shared, filter, runtime,
		    making->places->linked ? making->places->linked : "-lm", "-Wl,-Bsymbolic", "-Wl,-z,defs",
		    "-ldl", "-lpthread", "-lm", NULL};
		bw_process_run(&(struct bw_process_command){.argv = argv, .most_output = BW_MOST_OUTPUT},
			       making->patience, &outcome);
		good = !lacks_function(bw_text_get(&outcome.errors), making->generator->path, making->error) &&
		       bw_outcome_good(&outcome, making->places->compiler, making->patience, BW_ERROR_FAILED,
				       making->error) &&
		       bw_cache_publish(shared, path, making->error);
		bw_outcome_free(&outcome);
	}
	free(runtime);
	free(shared);
	return good;
}

/* Runs the generator and publishes its object file at `path`. */
static bool compile_filter(struct bw_making *making, const char *target, const char *request,
			   const char *path)
{
	BW_SCOPED_TEXT bare = {0};
	bw_text_printf(&bare, "%s-no_runtime", target);
	BW_SCOPED_MEMORY char *object = bw_format("%s/bw_filter.o", making->scratch.path);
	bool good =
	    bw_making_run(making, bare.bytes, request) &&
	    (access(object, R_OK) == 0 ||
	     bw_fail(making->error, BW_ERROR_HALIDE, "%s: ended without an object: is it a Halide generator?",
		     making->generator->path)) &&
	    bw_cache_publish(object, path, making->error);
	return good;
}

/* Makes the filter's object file if it is missing, and links it into a shared object unless shared is
 * NULL. */
static bool make_missing(struct bw_making *making, const char *target, const char *request,
			 const char *filter, const char *shared)
{
	return (bw_cache_has(filter) || compile_filter(making, target, request, filter)) &&
	       (!shared || link_filter(making, target, filter, shared));
}

/* If the error is an internal error of Halide, and no reference was compiled, changes it to say that Halide
 * cannot compile this schedule. Returns false. */
static bool blame_schedule(enum bw_build build, const char *path, struct bw_error *error)
{
	const char *found = strstr(error->text, "Internal Error ");
	if (found && (build == BW_BUILD_GPU || build == BW_BUILD_OWN)) {
		BW_SCOPED_TEXT said = {0};
		bw_text_puts(&said, found);
		bw_fail(error, BW_ERROR_HALIDE,
			"%s: a fault in Halide itself, which cannot compile this schedule; try another one: %s", path,
			said.bytes);
	}
	return false;
}

/* Compiles into a shared object with Halide's runtime, or, if not `linked`, into the filter's object file.
 * Returns its path in the cache. */
static char *compile_as(bool linked, const struct bw_generator *generator, const struct bw_places *places,
			const struct bw_patience *patience, enum bw_build build,
			const struct bw_directives *directives, const struct bw_device *device,
			struct bw_error *error)
{
	char *target = make_target(generator, device ? device->target : NULL), *filter = NULL, *shared = NULL;
	static const char *const tasks[] = {
	    [BW_BUILD_GPU] = "apply", [BW_BUILD_REFERENCE] = "cpu", [BW_BUILD_SECOND] = "second-cpu"};
	bool own = build == BW_BUILD_OWN;
	char *request = own ? NULL : make_request(generator, tasks[build], NULL, directives, error);
	struct bw_cache_key key = bw_cache_key("object");
	bw_cache_key_string(&key, target);
	bw_cache_key_string(&key, request);
	bool good = (request || own) && check(generator, error) && add_generator(&key, generator, places, error);
	if (good) {
		filter = bw_cache_path(places->cache, &key, ".o");
		bw_cache_key_string(&key, places->compiler);
		good = !linked || !places->linked || bw_cache_key_file(&key, places->linked, error);
		shared = linked ? bw_cache_path(places->cache, &key, ".so") : NULL;
		if (good && !bw_cache_has(linked ? shared : filter)) {
			struct bw_making making;
			good = bw_making_open(&making, generator, places, patience, error) &&
			       (make_missing(&making, target, request, filter, shared) ||
				blame_schedule(build, generator->path, error));
			bw_making_close(&making);
		}
	}
	free(request);
	free(target);
	free(good && !linked ? NULL : filter);
	free(good ? NULL : shared);
	return !good ? NULL : linked ? shared : filter;
}

char *bw_generator_compile(const struct bw_generator *generator, const struct bw_places *places,
			   const struct bw_patience *patience, enum bw_build build,
			   const struct bw_directives *directives, const struct bw_device *device,
			   struct bw_error *error)
{
	return compile_as(true, generator, places, patience, build, directives, device, error);
}

char *bw_generator_filter(const struct bw_generator *generator, const struct bw_places *places,
			  const struct bw_patience *patience, enum bw_build build,
			  const struct bw_directives *directives, const struct bw_device *device,
			  struct bw_error *error)
{
	return compile_as(false, generator, places, patience, build, directives, device, error);
}
