/* Functions that several commands share: opening a session from the command line, and writing results. */
#include <langinfo.h>
#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/thread.h"
#include "page/page.h"
#include "program/program.h"
#include "ui/print.h"

/* The ticker's thread: shows every second how long the work has taken, until the ticker ends. */
static void *tick(void *data)
{
	struct bw_ticker *ticker = data;
	struct timespec until;
	const double began = bw_clock();
	clock_gettime(CLOCK_REALTIME, &until);
	pthread_mutex_lock(&ticker->mutex);
	for (until.tv_sec++; !ticker->ended; until.tv_sec++) {
		while (!ticker->ended && pthread_cond_timedwait(&ticker->end, &ticker->mutex, &until) == 0)
			;
		if (ticker->ended)
			break;
		ticker->shown = true;
		fprintf(stderr, "\r\033[K%.100s, %.0f s", ticker->what, bw_clock() - began);
	}
	pthread_mutex_unlock(&ticker->mutex);
	return NULL;
}

void bw_ticker_begin(struct bw_ticker *ticker, const char *what)
{
	*ticker = (struct bw_ticker){.what = what};
	pthread_mutex_init(&ticker->mutex, NULL);
	pthread_cond_init(&ticker->end, NULL);
	ticker->runs = isatty(STDERR_FILENO) && bw_thread_begin(&ticker->thread, tick, ticker) == 0;
}

void bw_ticker_end(struct bw_ticker *ticker)
{
	if (ticker->runs) {
		pthread_mutex_lock(&ticker->mutex);
		ticker->ended = true;
		pthread_cond_signal(&ticker->end);
		pthread_mutex_unlock(&ticker->mutex);
		pthread_join(ticker->thread, NULL);
	}
	pthread_cond_destroy(&ticker->end);
	pthread_mutex_destroy(&ticker->mutex);
	if (ticker->shown)
		fputs("\r\033[K", stderr);
}

/* Sets one search option of the command line. */
static bool set_option(struct bw_program *program, const struct bw_setting_given *setting,
		       struct bw_settings *options, struct bw_error *error)
{
	struct bw_assignment assignment = {.value = setting->value};
	if (!setting->name && !bw_assignment_read(setting->value, &assignment, error))
		return false;
	if (setting->name)
		assignment.option = bw_setting_find(setting->name, strlen(setting->name), error);
	if (assignment.option->kind != BW_SETTING_SCHEDULE)
		return bw_settings_assign(&assignment, program->devices, program->n_devices, options, error);
	program->arguments.schedule = assignment.value;
	return true;
}

/* Returns the path of the user's configuration; free(). */
static char *config_path(const struct bw_program *program)
{
	return bw_format("%s/beamwalkrc", program->layout.config);
}

bool bw_program_configure(struct bw_program *program, struct bw_error *error)
{
	BW_SCOPED_MEMORY char *path = config_path(program);
	return bw_config_read(path, &program->config, error);
}

/* Applies the defaults of beamwalkrc. */
static bool set_defaults(const struct bw_program *program, struct bw_settings *options,
			 struct bw_error *error)
{
	if (program->plain)
		return true;
	BW_SCOPED_MEMORY char *path = config_path(program);
	return bw_config_apply(&program->config, path, program->devices, program->n_devices, options, error);
}

bool bw_program_options(struct bw_program *program, struct bw_settings *options, struct bw_error *error)
{
	const struct bw_arguments *arguments = &program->arguments;
	const struct bw_device *device = bw_device_find(program->devices, program->n_devices, BW_DEFAULT_DEVICE);
	*options = bw_settings_default(device ? device : program->devices);
	options->models = &program->models;
	if (!set_defaults(program, options, error))
		return false;
	options->random |= arguments->random;
	for (int i = 0; i < arguments->n_settings; i++)
		if (!set_option(program, &arguments->settings[i], options, error))
			return false;
	return true;
}

/* Runs a command line of the session, and prints its warning. The output of the line is appended to `out`,
 * unless `out` is NULL. */
static bool run_line(struct bw_session *session, const char *line, struct bw_text *out,
		     struct bw_error *error)
{
	bool good = bw_session_run(session, line, out, error);
	if (good && *session->warning)
		fprintf(stderr, "beamwalk: warning: %s\n", session->warning);
	return good;
}

bool bw_program_line(struct bw_session *session, const char *line, struct bw_error *error)
{
	return run_line(session, line, NULL, error);
}

void bw_program_warn(const struct bw_pipeline *pipeline)
{
	BW_SCOPED_TEXT words = {0};
	bw_pipeline_hidden_words(pipeline, &words);
	if (words.length)
		fprintf(stderr, "beamwalk: warning: %s\n", bw_text_get(&words));
}

/* Checks that the user may add these target features: none of them may select another machine, GPU or kind
 * of object. */
static bool check_features(const char *features, struct bw_error *error)
{
	static const char *const taken[] = {"cuda",   "opencl",        "metal",       "vulkan",
					    "webgpu", "openglcompute", "d3d12compute"},
				 *const parts[] = {"x86",   "arm",        "64",          "32",
						   "linux", "osx",        "windows",     "host",
						   "jit",   "no_runtime", "user_context"};
	if (!features)
		return true;
	if (!*features || features[strspn(features, "abcdefghijklmnopqrstuvwxyz0123456789_-")] ||
	    strstr(features, "--") || *features == '-' || features[strlen(features) - 1] == '-')
		return bw_fail(error, BW_ERROR_USAGE,
			       "--target takes features with - between them, as in avx2-f16c, not \"%s\"",
			       features);
	for (const char *word = features; *word; word += strspn(word, "-")) {
		size_t length = strcspn(word, "-");
		for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
			if (length >= strlen(taken[i]) && !strncmp(word, taken[i], strlen(taken[i])))
				return bw_fail(error, BW_ERROR_USAGE,
					       "--target %s: %.*s follows from the device; use --gpu",
					       features, (int)length, word);
		for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
			if (length == strlen(parts[i]) && !strncmp(word, parts[i], length))
				return bw_fail(error, BW_ERROR_USAGE,
					       "--target %s: %.*s is no feature that can be added", features,
					       (int)length, word);
		word += length;
	}
	return true;
}

bool bw_program_source(const struct bw_program *program, const struct bw_device *device,
		       struct bw_source_request *request, struct bw_error *error)
{
	const struct bw_arguments *arguments = &program->arguments;
	*request = (struct bw_source_request){arguments->pipeline,       arguments->generator,
					      arguments->generator_args, arguments->n_generator_args,
					      arguments->estimates,      arguments->n_estimates,
					      arguments->target,         device->target,
					      arguments->rfactor && strcmp(arguments->rfactor, "none") ? arguments->rfactor : NULL};
	return check_features(arguments->target, error);
}

/* The user's bound of error: parsing, storing and loading it. */

/* The value of --bound that deletes the stored bound. */
static const char word_default[] = "default";

/* Reads a number of 0 or more and a comma after it; *text becomes NULL at the end. */
static bool take_number(const char **text, double *number)
{
	char *end;
	*number = strtod(*text, &end);
	bool good = end != *text && isfinite(*number) && *number >= 0 && (!*end || *end == ',') &&
		    !strpbrk(*text, "xX");
	*text = *end ? end + 1 : NULL;
	return good;
}

/* Reads ABS, ABS,REL or ABS,REL,COUNT. Returns false with an error that shows the form. */
static bool bound_read(const char *text, struct bw_bound_of_error *bound, struct bw_error *error)
{
	static const double most_points = 0x1p53;
	const char *rest = text;
	double points = 0;
	*bound = (struct bw_bound_of_error){0};
	bool good = take_number(&rest, &bound->absolute) && (!rest || take_number(&rest, &bound->relative)) &&
		    (!rest || take_number(&rest, &points));
	bound->points = good && points <= most_points ? (int64_t)points : -1;
	if (good && !rest && points == (double)bound->points)
		return true;
	return bw_fail(
	    error, BW_ERROR_USAGE,
	    "--bound takes ABS,REL,COUNT: a point may differ by ABS + REL * |value|, and COUNT points by more, as in 1,0,600; or %s; not \"%s\"",
	    word_default, text);
}

void bw_bound_print(const struct bw_bound_of_error *bound, struct bw_text *out)
{
	bw_text_printf(out, bound->points ? "%g,%g,%lld" : "%g,%g", bound->absolute, bound->relative,
		       (long long)bound->points);
}

/* Returns the path of the file of stored bounds; free(). */
static char *file_of(const struct bw_program *program)
{
	return bw_format("%s/bounds.json", program->layout.state);
}

/* Returns the key of a generator in the file of stored bounds; free(). */
static char *key_of(const struct bw_generator *generator)
{
	return bw_format("%s%s%s", generator->path, generator->name ? " -g " : "",
		       generator->name ? generator->name : "");
}

/* Returns the stored bounds by generator. The result is empty if there are none or they cannot be read. */
static json_t *read_kept(const char *path)
{
	enum { MOST_BYTES = 1 << 20 };
	BW_SCOPED_TEXT text = {0};
	struct bw_error ignored;
	json_t *kept = bw_file_read(path, MOST_BYTES, &text, &ignored)
			   ? json_loadb(bw_text_get(&text), text.length, 0, NULL)
			   : NULL;
	if (json_is_object(kept))
		return kept;
	json_decref(kept);
	return json_object();
}

/* Stores a text as the bound of a generator in the file `path`; removes the bound if the text is NULL. */
static bool keep(const struct bw_program *program, const char *path, const char *key, const char *text,
		 struct bw_error *error)
{
	json_auto_t *kept = read_kept(path);
	json_object_del(kept, key);
	if (text)
		json_object_set_new(kept, key, json_string(text));
	BW_SCOPED_MEMORY char *whole = json_dumps(kept, JSON_INDENT(1) | JSON_SORT_KEYS);
	return whole && bw_trusted_folder_make(program->layout.state, error) &&
	       bw_file_write(path, whole, strlen(whole), error);
}

/* A quarter of the values of an integer type, or of the whole numbers that a float type has without gaps. */
static double quarter_of(enum bw_type type)
{
	static const double quarters[] = {
	    [BW_TYPE_BOOL] = 0.5,      [BW_TYPE_INT8] = 0x1p6,     [BW_TYPE_INT16] = 0x1p14,
	    [BW_TYPE_INT32] = 0x1p30,  [BW_TYPE_INT64] = 0x1p62,   [BW_TYPE_FLOAT32] = 0x1p22,
	    [BW_TYPE_FLOAT64] = 0x1p51,
	};
	return quarters[type];
}

/* Returns true if nearly any output of the pipeline is within the bound. This is so if half of all points
 * may differ by any amount, if a float may differ by its own value, or if an integer may differ by a
 * quarter of its type's range. */
static bool bound_allows_anything(const struct bw_bound_of_error *bound, const struct bw_pipeline *pipeline)
{
	double points = 0, quarter = INFINITY;
	for (int f = 0; f < pipeline->n_funcs; f++) {
		const struct bw_func *func = &pipeline->funcs[f];
		double size = func->n_values;
		for (int d = 0; func->output && d < func->n_dims; d++)
			size *= (double)(func->estimate[d].max - func->estimate[d].min + 1);
		points += func->output ? size : 0;
		for (int v = 0; func->output && v < func->n_values; v++)
			quarter = fmin(quarter, quarter_of(func->types[v]));
	}
	return bound->relative >= 1 || bound->absolute >= quarter || (double)bound->points >= points / 2;
}

/* Returns the stored bound of a generator; free(). Returns NULL if there is none. */
static char *find_kept(const char *path, const char *key)
{
	json_auto_t *kept = read_kept(path);
	const char *text = json_string_value(json_object_get(kept, key));
	return text ? bw_strdup(text) : NULL;
}

/* Sets the source's bound. given: the bound comes from --bound; it is set in any case, and stored for
 * later runs unless it allows nearly any output. Otherwise the bound comes from the store, and is ignored
 * if it allows nearly any output. */
static bool take(const struct bw_program *program, const struct bw_pipeline *pipeline, bool given,
		 const struct bw_bound_of_error *bound, struct bw_source *source, struct bw_error *error)
{
	bool anything = bound_allows_anything(bound, pipeline);
	if (anything && !given)
		return true;
	source->bound = *bound;
	source->bound_kept = !anything;
	if (!given)
		return true;
	if (anything)
		fprintf(stderr,
			"beamwalk: --bound %s allows nearly any output, so it holds for this run alone\n",
			program->arguments.bound);
	BW_SCOPED_MEMORY char *path = file_of(program), *key = key_of(&source->generator);
	return anything || keep(program, path, key, program->arguments.bound, error);
}

bool bw_program_bound(const struct bw_program *program, const struct bw_pipeline *pipeline,
		      struct bw_source *source, struct bw_error *error)
{
	const char *given = program->arguments.bound;
	struct bw_bound_of_error bound;
	struct bw_error ignored;
	bool taken_back = given && !strcmp(given, word_default), good = true;
	if (given && !taken_back && !bound_read(given, &bound, error))
		return false;
	if (given && !source->compilable)
		return bw_fail(error, BW_ERROR_USAGE,
			       "--bound: %s is only a description, which cannot be run", source->name);
	if (!source->compilable)
		return true;
	if (given && !taken_back)
		return take(program, pipeline, true, &bound, source, error);
	BW_SCOPED_MEMORY char *path = file_of(program), *key = key_of(&source->generator),
			      *kept = taken_back ? NULL : find_kept(path, key);
	if (taken_back)
		good = keep(program, path, key, NULL, error);
	else if (kept && bound_read(kept, &bound, &ignored))
		good = take(program, pipeline, false, &bound, source, error);
	return good;
}

/* Runs a command of the session with one argument. */
static bool run_with(struct bw_program *program, const char *command, const char *argument,
		     struct bw_text *out, struct bw_error *error)
{
	BW_SCOPED_MEMORY char *line = bw_format("%s %s", command, argument);
	return run_line(program->session, line, out, error);
}

/* Runs another scheduler to its end, and stores its steps as text. */
static bool run_scheduler(struct bw_program *program, struct bw_error *error)
{
	BW_SCOPED_MEMORY char *line = bw_format("scheduler %s", program->arguments.scheduler);
	bool good = bw_session_do(program->session, line, -1, NULL, error);
	const struct bw_walk *walk = good ? bw_session_walk(program->session) : NULL;
	if (good && *program->session->warning)
		fprintf(stderr, "beamwalk: warning: %s\n", program->session->warning);
	if (walk) {
		bw_text_printf(&program->steps, "%s\n", program->session->message);
		bw_walk_print(walk, &program->steps);
	}
	return good;
}

/* Without --rfactor, factors the updates that the first schedule file of the command line names in its
 * header. Files that name none are skipped. */
static void find_rfactors(struct bw_program *program)
{
	struct bw_arguments *arguments = &program->arguments;
	bw_text_clear(&program->rfactors);
	if (!arguments->rfactor && arguments->schedule)
		bw_schedule_put_rfactors(arguments->schedule, &program->rfactors);
	for (int i = 0; !arguments->rfactor && i < arguments->n_rest && !program->rfactors.length; i++)
		bw_schedule_put_rfactors(arguments->rest[i], &program->rfactors);
	if (program->rfactors.length)
		arguments->rfactor = bw_text_get(&program->rfactors);
}

bool bw_program_open(struct bw_program *program, struct bw_error *error)
{
	const struct bw_arguments *arguments = &program->arguments;
	struct bw_settings options;
	struct bw_source source;
	if (!arguments->pipeline)
		return bw_fail(error, BW_ERROR_USAGE,
			       "%s: no pipeline given; `beamwalk pipelines` lists the bundled ones",
			       arguments->command);
	if (!bw_program_options(program, &options, error))
		return false;
	find_rfactors(program);
	struct bw_source_request request;
	if (!bw_program_source(program, options.device, &request, error))
		return false;
	struct bw_patience patience = {120, NULL};
	struct bw_ticker ticker;
	bw_ticker_begin(&ticker, "describing the pipeline");
	struct bw_pipeline *pipeline =
	    bw_source_open(&request, &program->folders, &program->places, &patience, &source, error);
	bw_ticker_end(&ticker);
	if (!pipeline)
		return false;
	if (!bw_program_bound(program, pipeline, &source, error)) {
		bw_pipeline_free((struct bw_pipeline *)pipeline);
		bw_source_free(&source);
		return false;
	}
	bw_program_warn(pipeline);
	program->session = bw_session_new(&source, &program->places, pipeline, &options);
	if (arguments->on)
		bw_session_use(program->session, arguments->on);
	bw_session_hooks(program->session)->page = bw_page_write;
	bw_session_hooks(program->session)->film = bw_page_film;
	double seconds = 1;
	long limit = 0;
	if (!bw_arguments_real(arguments->seconds, "seconds", true, 3600, &seconds, error) ||
	    !bw_arguments_number(arguments->time_limit, "time-limit", 1, 24 * 3600, &limit, error))
		return false;
	bw_session_set_up(program->session,
			  &(struct bw_session_setup){
			      .devices = program->devices,
			      .n_devices = program->n_devices,
			      .results = program->layout.results,
			      .ptxas = arguments->ptxas ? arguments->ptxas : program->layout.ptxas,
			      .trusts = arguments->trust,
			      .time_seconds = seconds,
			      .time_limit = (double)limit,
			  });
	return (!arguments->scheduler || run_scheduler(program, error)) &&
	       (!arguments->schedule || run_with(program, "apply", arguments->schedule, NULL, error));
}

bool bw_program_at(const struct bw_program *program, bool *at_start, struct bw_error *error)
{
	const char *at = program->arguments.at ? program->arguments.at : "end";
	*at_start = !strcmp(at, "start");
	return *at_start || !strcmp(at, "end") ||
	       bw_fail(error, BW_ERROR_USAGE, "--at takes start or end, not \"%s\"", at);
}

/* Returns the folder of saved sessions; free(). */
static char *sessions_folder(const struct bw_program *program)
{
	return bw_format("%s/sessions", program->layout.state);
}

bool bw_program_resume(struct bw_program *program, struct bw_text *said, struct bw_error *error)
{
	BW_SCOPED_MEMORY char *folder = sessions_folder(program);
	return !program->arguments.resume || bw_session_resume(program->session, folder, said, error);
}

void bw_program_keep(struct bw_program *program, struct bw_text *said)
{
	BW_SCOPED_MEMORY char *folder = sessions_folder(program);
	if (said)
		bw_session_unended(program->session, folder, said);
	bw_session_keep(program->session, folder);
}

void bw_program_text(struct bw_program *program)
{
	bool ascii = program->arguments.ascii || program->config.settings[BW_SETTING_ASCII] == 2 ||
		     strcmp(nl_langinfo(CODESET), "UTF-8");
	bw_session_hooks(program->session)->print = ascii ? bw_print_view_ascii : bw_print_view;
	bw_session_hooks(program->session)->draw = bw_screen_save;
}

static bool flush(struct bw_text *out, void *data, struct bw_error *error)
{
	bool good = bw_program_put(data, out, error);
	bw_text_clear(out);
	return good;
}

void bw_program_flush(struct bw_program *program)
{
	bw_session_hooks(program->session)->flush = program->arguments.output ? NULL : flush;
	bw_session_hooks(program->session)->flush_data = program;
}

bool bw_program_put(const struct bw_program *program, const struct bw_text *text, struct bw_error *error)
{
	if (program->arguments.output)
		return bw_file_write(program->arguments.output, bw_text_get(text), text->length, error);
	return bw_output_put(bw_text_get(text), text->length, error);
}
