/* Runs a generator with the plugin, and explains why a run failed. */
#include "bench/generator_private.h"

#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { MOST_SUPPOSED = 32 /* parameters that a message can name */ };

bool bw_making_open(struct bw_making *making, const struct bw_generator *generator,
		    const struct bw_places *places, const struct bw_patience *patience,
		    struct bw_error *error)
{
	struct bw_text program = {0};
	bw_text_printf(&program, "%s%s", strchr(generator->path, '/') ? "" : "./", generator->path);
	*making = (struct bw_making){.generator = generator,
				     .program = bw_text_take(&program),
				     .places = places,
				     .patience = patience,
				     .error = error};
	making->plugin = bw_plugin_choose(places->plugins, making->program, patience, error);
	return making->plugin && bw_cache_scratch(places->cache, &making->scratch, error);
}

void bw_making_close(struct bw_making *making)
{
	free(making->program);
	bw_cache_scratch_free(&making->scratch);
}

/* Sets the error that the plugin reported as `beamwalk: error: KIND: TEXT`. Returns false if it reported
 * none. */
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

/* Converts Halide's constant for a target feature to the feature's name: NoBoundsQuery to no_bounds_query. */
static void put_feature(const char *constant, struct bw_text *name)
{
	size_t length = strspn(constant, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
	if (length == 17 && !strncmp(constant, "CPlusPlusMangling", length)) {
		bw_text_puts(name, "c_plus_plus_name_mangling");
		return;
	}
	for (size_t i = 0; i < length; i++)
		bw_text_printf(name, "%s%c", i && isupper(constant[i]) && islower(constant[i - 1]) ? "_" : "",
			       tolower(constant[i]));
}

/* Sets an error if the generator aborted because it asserts a target feature:
 * `assert(get_target().has_feature(Target::NoBoundsQuery))`. Returns false otherwise. */
static bool lacks_feature(const char *said, const char *path, struct bw_error *error)
{
	static const char mark[] = "has_feature(";
	const char *assertion = strstr(said, "Assertion `"), *call = assertion ? strstr(assertion, mark) : NULL;
	if (!call || strcspn(assertion, "!\n") < (size_t)(call - assertion))
		return false;
	const char *constant = call + sizeof mark - 1, *end = constant + strcspn(constant, ")\n");
	for (const char *colon; (colon = strstr(constant, "::")) && colon < end;)
		constant = colon + 2;
	BW_SCOPED_TEXT feature = {0};
	put_feature(constant, &feature);
	bw_fail(error, BW_ERROR_HALIDE, "%s: the generator wants a target with %s: give --target %s", path,
		bw_text_get(&feature), bw_text_get(&feature));
	return true;
}

/* Sets an error if Halide cannot compile the schedule for OpenCL; Halide names the unsupported operation or
 * vector type. Returns false otherwise. */
static bool lacks_opencl(const char *said, const char *path, struct bw_error *error)
{
	static const struct {
		const char *mark, *lacks;
	} marks[] = {{"Unhandled intrinsic in C backend: ", ", which a condition in a vectorized loop can need"},
		     {"Unsupported vector width in OpenCL C: ", ""}};
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		const char *name = strstr(said, marks[i].mark);
		if (!name)
			continue;
		name += strlen(marks[i].mark);
		return !bw_fail(
		    error, BW_ERROR_HALIDE,
		    "%s: Halide has no OpenCL for %.*s%s: a CUDA device runs it (--gpu emulated), or another schedule",
		    path, (int)strcspn(name, " \n"), name, marks[i].lacks);
	}
	return false;
}

/* Sets an error that says why a run of the generator failed, and how to fix it if that is known. */
static void failed(struct bw_making *making, const struct bw_outcome *outcome)
{
	const char *said = bw_text_get(&outcome->errors), *path = making->generator->path;
	if (lacks_opencl(said, path, making->error))
		return;
	if (outcome->ending == BW_EXITED && plugin_error(said, path, making->error))
		return;
	if (outcome->ending != BW_EXITED && lacks_feature(said, path, making->error))
		return;
	bw_outcome_good(outcome, path, making->patience, BW_ERROR_HALIDE, making->error);
	if (strstr(said, "Unknown autoscheduler name"))
		bw_fail(
		    making->error, BW_ERROR_HALIDE,
		    "%s: the Halide that it uses is not the one that it loads, for which %s was made: link it with one libHalide, the shared one",
		    path, making->plugin->path);
}

/* Returns the beginning of the list of names, one per line, that a generator prints without -g. Returns NULL
 * if there is no list. */
static const char *find_names(const char *said)
{
	static const char mark[] = "available Generators are:";
	const char *at = strstr(said, mark);
	return at ? at + sizeof mark - 1 : NULL;
}

/* Returns the name of the executable's only generator; free(). Halide needs -g even then. Returns NULL with
 * an error that lists the names if there are several. */
static char *only_name(struct bw_making *making)
{
	const char *path = making->generator->path, *const argv[] = {making->program, NULL};
	struct bw_outcome outcome;
	bw_process_run(&(struct bw_process_command){.argv = argv, .most_output = BW_MOST_OUTPUT},
		       making->patience, &outcome);
	const char *names = find_names(bw_text_get(&outcome.errors));
	BW_SCOPED_TEXT list = {0};
	int n = 0;
	for (const char *at = names; at && *(at += strspn(at, " \t\n")); at += strcspn(at, " \t\n")) {
		bw_text_puts(&list, n++ ? ", " : "");
		bw_text_append(&list, at, strcspn(at, " \t\n"));
	}
	if (n > 1)
		bw_fail(making->error, BW_ERROR_HALIDE, "%s: has several generators, choose one with -g: %s",
			path, list.bytes);
	else if (n == 0 && bw_outcome_good(&outcome, path, making->patience, BW_ERROR_HALIDE, making->error))
		bw_fail(making->error, BW_ERROR_HALIDE, "%s: lists no generators: is it a Halide generator?", path);
	bw_outcome_free(&outcome);
	if (n == 1)
		return bw_text_take(&list);
	return NULL;
}

/* A run of the generator with the plugin and a request; request NULL: without both. preloaded: the generator
 * runs without an autoscheduler, and the preloaded plugin intercepts Halide's compilation. */
struct run {
	const char *name, *target, *request;
	bool preloaded;
	int n_supposed; /* missing parameters, each as KEY=VALUE with a placeholder value; free() */
	char *supposed[MOST_SUPPOSED];
};

/* Runs the generator. Returns false with an error if it cannot be started. Otherwise sets *outcome, to be
 * freed. */
static bool run_once(struct bw_making *making, const struct run *run, struct bw_outcome *outcome)
{
	const struct bw_generator *generator = making->generator;
	BW_SCOPED_TEXT target = {0}, setting = {0}, preload = {0};
	BW_SCOPED_MEMORY char *file = bw_format("%s/request.json", making->scratch.path);
	bw_text_printf(&target, "target=%s", run->target);
	bw_text_printf(&setting, "BEAMWALK_REQUEST=%s", file);
	bw_text_printf(&preload, "LD_PRELOAD=%s", making->plugin->path);
	const char *const fixed[] = {making->program,      "-g", run->name,   "-o",
				     making->scratch.path, "-f", "bw_filter", "-n",
				     "bw_filter",          "-e", "object",    target.bytes};
	static const char *const choice_14[] = {"-s", "beamwalk", "auto_schedule=true"},
				 *const choice[] = {"autoscheduler=beamwalk"};
	const bool old = making->plugin->halide == 14;
	int n = (int)(sizeof fixed / sizeof *fixed),
	    n_choice = (int)(old ? sizeof choice_14 / sizeof *choice_14 : sizeof choice / sizeof *choice);
	BW_SCOPED_MEMORY const char **argv =
	    BW_NEW_ARRAY(const char *, n + 2 + n_choice + generator->n_args + run->n_supposed + 1);
	memcpy(argv, fixed, sizeof fixed);
	const bool told = run->request && !run->preloaded;
	if (told) {
		argv[n++] = "-p";
		argv[n++] = making->plugin->path;
	}
	for (int k = 0; told && k < n_choice; k++)
		argv[n++] = (old ? choice_14 : choice)[k];
	for (int k = 0; k < generator->n_args; k++)
		argv[n++] = generator->args[k];
	for (int k = 0; k < run->n_supposed; k++)
		argv[n++] = run->supposed[k];
	struct bw_process_command command = {
	    .argv = argv,
	    .settings = (const char *const[]){run->request ? setting.bytes : NULL,
					      run->preloaded ? preload.bytes : NULL, NULL},
	    .most_output = BW_MOST_OUTPUT};
	bool good = !run->request || bw_file_write(file, run->request, strlen(run->request), making->error);
	if (good)
		bw_process_run(&command, making->patience, outcome);
	return good;
}

/* Returns a parameter that the generator says is missing, with a placeholder value, as KEY=VALUE; free().
 * Returns NULL if its message is about something else. Halide names `input.type`, `input.dim` or
 * `inputs.size` in quotes. */
static char *lacked_parameter(const char *said)
{
	static const char *const marks[] = {"Type is not defined for ", "Dimensions are not defined for ",
					    "ArraySize is unspecified for"};
	static const char *const keys[][2] = {{".type'", "uint8"}, {".dim'", "2"}, {".size'", "2"}};
	for (size_t k = 0; k < sizeof marks / sizeof *marks; k++) {
		const char *at = strstr(said, marks[k]), *end = at ? strstr(at, keys[k][0]) : NULL, *begin = end;
		while (begin && begin > at && begin[-1] != '\'')
			begin--;
		if (!end || begin == at)
			continue;
		struct bw_text parameter = {0};
		bw_text_append(&parameter, begin, (size_t)(end - begin) + strlen(keys[k][0]) - 1);
		bw_text_printf(&parameter, "=%s", keys[k][1]);
		return bw_text_take(&parameter);
	}
	return NULL;
}

/* Sets an error that lists all missing parameters of a generator. Halide names only one at a time, so the
 * generator is run again with a placeholder for each one. If such a run is killed, the error says that
 * instead. Returns false if no parameter is missing. */
static bool lacks_parameters(struct bw_making *making, struct run *run, const char *said)
{
	struct bw_outcome outcome = {0};
	BW_SCOPED_TEXT options = {0};
	bool good = true;
	for (char *lacked; good && run->n_supposed < MOST_SUPPOSED && (lacked = lacked_parameter(said));
	     said = bw_text_get(&outcome.errors)) {
		run->supposed[run->n_supposed++] = lacked;
		bw_text_printf(&options, " -G %s", lacked);
		bw_outcome_free(&outcome);
		good = run_once(making, run, &outcome);
	}
	if (good && (outcome.ending > BW_CRASHED || (outcome.ending == BW_CRASHED && outcome.code == SIGKILL)))
		failed(making, &outcome);
	else if (good && run->n_supposed)
		bw_fail(making->error, BW_ERROR_HALIDE,
			"%s: its parameters need values; give them, with your own types and numbers:%s",
			making->generator->path, bw_text_get(&options));
	if (good)
		bw_outcome_free(&outcome);
	return !good || run->n_supposed;
}

/* Runs a generator without an autoscheduler if it exited or aborted in the first run, for example because it
 * asserts !using_autoscheduler(). The plugin replaces the schedule that the generator then makes. Returns
 * true if the second run succeeded. Sets *outcome to the second run's outcome if the plugin was reached in
 * it. */
static bool run_without(struct bw_making *making, struct run *run, struct bw_outcome *outcome)
{
	static const char mark[] = "beamwalk: without an autoscheduler";
	const bool itself = outcome->ending == BW_EXITED ||
			    (outcome->ending == BW_CRASHED && outcome->code == SIGABRT);
	struct bw_outcome second;
	if (!run->request || run->preloaded || !itself || strstr(bw_text_get(&outcome->errors), "beamwalk: error: "))
		return false;
	run->preloaded = true;
	const bool ran = run_once(making, run, &second);
	run->preloaded = false;
	if (!ran)
		return false;
	const bool reached = strstr(bw_text_get(&second.errors), mark);
	bw_outcome_free(reached ? outcome : &second);
	if (reached)
		*outcome = second;
	return reached && second.ending == BW_EXITED && second.code == 0;
}

static bool run_named(struct bw_making *making, const char *name, const char *target, const char *request)
{
	struct run run = {name, target, request, making->by_hand, 0, {NULL}};
	struct bw_outcome outcome;
	if (!run_once(making, &run, &outcome))
		return false;
	const bool good = (outcome.ending == BW_EXITED && outcome.code == 0) || run_without(making, &run, &outcome);
	if (!good && !lacks_parameters(making, &run, bw_text_get(&outcome.errors)))
		failed(making, &outcome);
	for (int k = 0; k < run.n_supposed; k++)
		free(run.supposed[k]);
	bw_outcome_free(&outcome);
	return good;
}

bool bw_making_run(struct bw_making *making, const char *target, const char *request)
{
	if (making->generator->name)
		return run_named(making, making->generator->name, target, request);
	BW_SCOPED_MEMORY char *name = only_name(making);
	return name && run_named(making, name, target, request);
}
