/* Checks one exported schedule: opens its pipeline, applies it, costs it, compiles it, runs it. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "command/report.h"
#include "program/regress.h"
#include "session/counters.h"
#include "session/measure.h"

/* Relative differences up to which two numbers count as equal. For times, the spread of the measurement is
 * added. */
#define COST_SLACK 1e-6
#define ESTIMATE_SLACK 1e-3
#define TIME_SLACK 0.03
enum { TRIES = 3 /* measurements until a schedule counts as slower */ };

struct check {
	struct bw_program *program;
	const struct regress_export *export;
	struct regress_checked *checked;
	struct bw_nest *nest;
};

static const struct regress_facts unknown = {-1, -1, -1, -1, -1, "", "", ""};

static void note(struct regress_checked *checked, const char *words)
{
	bw_text_printf(&checked->notes, "%s%s", checked->notes.length ? "; " : "", words);
}

/* Sets the outcome unless an earlier check failed, and returns false. */
static bool fails(struct check *check, enum regress_outcome outcome, const struct bw_error *error)
{
	if (check->checked->outcome == REGRESS_OK) {
		check->checked->outcome = outcome;
		check->checked->error = *error;
	}
	return false;
}

static double number_of(const json_t *facts, const char *key)
{
	const json_t *number = json_object_get(facts, key);
	return json_is_number(number) ? json_number_value(number) : -1;
}

/* Reads the facts that were exported with the schedule. */
static struct regress_facts read_facts(const json_t *facts)
{
	struct regress_facts then = unknown;
	then.cost = fmax(number_of(facts, "predicted_ms"), number_of(facts, "predicted_cost"));
	then.ms = fmax(number_of(facts, "measured_ms"), number_of(facts, "estimated_ms"));
	then.spread = number_of(facts, "spread");
	then.registers = (int)number_of(facts, "registers_per_thread");
	then.spilled = (int)number_of(facts, "spilled_bytes_per_thread");
	snprintf(then.on, sizeof then.on, "%s", bw_json_text(facts, "measured_on"));
	snprintf(then.device, sizeof then.device, "%s", bw_json_text(facts, "device"));
	snprintf(then.model, sizeof then.model, "%s", bw_json_text(facts, "model"));
	return then;
}

/* Returns the texts of a list among the facts, n of them; free() the list. */
static const char **list_of(const json_t *facts, const char *key, int more, int *n)
{
	const json_t *list = json_object_get(facts, key);
	const char **texts = BW_NEW_ARRAY(const char *, (int)json_array_size(list) + more + 1);
	*n = 0;
	for (size_t i = 0; i < json_array_size(list); i++)
		if (json_is_string(json_array_get(list, i)))
			texts[(*n)++] = json_string_value(json_array_get(list, i));
	return texts;
}

static bool is_folder(const char *path)
{
	struct stat info;
	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Writes the path of an export's pipeline. Runs a program only if the command line names it: a path that
 * only the exported file names is not run. Returns false with an error. */
static bool find_pipeline(const struct check *check, char *path, size_t size, struct bw_error *error)
{
	const char *given = check->program->arguments.pipelines;
	const char *named = bw_json_text(check->export->facts, "pipeline");
	named = *named ? named : check->export->pipeline;
	const char *slash = strrchr(named, '/'), *dot = strrchr(named, '.');
	bool description = dot && !strcmp(dot, ".json");
	struct bw_text bundled = {0};
	bw_text_printf(&bundled, "%s/%s.json", check->program->folders.bundled, named);
	bool is_bundled = *named && !slash && access(bw_text_get(&bundled), R_OK) == 0;
	bw_text_free(&bundled);
	if (given && !is_bundled && is_folder(given))
		snprintf(path, size, "%s/%s", given, slash ? slash + 1 : named);
	else
		snprintf(path, size, "%s", given && !is_bundled ? given : named);
	return is_bundled || given || (description && access(path, R_OK) == 0) ||
	       bw_fail(
		   error, BW_ERROR_INPUT,
		   "its pipeline is %s, which is not bundled; --pipelines names its generator or description, or their folder",
		   *named ? named : "not named in it");
}

/* Opens the session of an export: its pipeline, with the options it was written with. */
static bool open(struct check *check, struct bw_error *error)
{
	struct bw_arguments *arguments = &check->program->arguments, given = *arguments;
	const json_t *facts = check->export->facts;
	char path[4096];
	if (!find_pipeline(check, path, sizeof path, error))
		return false;
	const char *device = bw_json_text(facts, "device"), *name = bw_json_text(facts, "generator"),
		   *target = bw_json_text(facts, "target"), *rfactor = bw_json_text(facts, "rfactor"), *model = bw_json_text(facts, "model");
	const char *base = strrchr(path, '/');
	BW_SCOPED_MEMORY const char **options = list_of(facts, "options", 0, &arguments->n_settings);
	arguments->settings = BW_NEW_ARRAY(struct bw_setting_given, arguments->n_settings + given.n_settings + 2);
	int n = 0;
	if (*device)
		arguments->settings[n++] = (struct bw_setting_given){"gpu", device};
	for (int i = 0; i < arguments->n_settings; i++)
		arguments->settings[n++] = (struct bw_setting_given){NULL, options[i]};
	/* The export lists only options that differed from the defaults, and the default model may have
	 * changed since: set the model explicitly. A learned model is not found by name; the exported
	 * "weights" option selects it. */
	if (bw_cost_models_find(model))
		arguments->settings[n++] = (struct bw_setting_given){"cost_model", model};
	for (int i = 0; i < given.n_settings; i++)
		arguments->settings[n++] = given.settings[i];
	arguments->n_settings = n;
	arguments->pipeline = path;
	arguments->generator = *name                                      ? name
			       : !facts && base && !strstr(base, ".json") ? check->export->pipeline
									  : NULL;
	arguments->target = *target ? target : NULL;
	arguments->rfactor = *rfactor ? rfactor : NULL;
	arguments->generator_args = list_of(facts, "arguments", 0, &arguments->n_generator_args);
	arguments->estimates = list_of(facts, "estimates", 0, &arguments->n_estimates);
	bool good = bw_program_open(check->program, error);
	free(arguments->settings);
	free(arguments->generator_args);
	free(arguments->estimates);
	*arguments = given;
	return good;
}

/* Lists the Funcs that a nest does not place. */
static void missing_funcs(const struct bw_nest *nest, struct bw_text *names)
{
	int n, *order = bw_nest_order(nest->pipeline, &n);
	for (int i = 0; i < n; i++)
		if (!nest->placed[order[i]])
			bw_text_printf(names, "%s%s", names->length ? ", " : "",
				       nest->pipeline->funcs[order[i]].name);
	free(order);
}

/* Applies the schedule to its pipeline as it is now. */
static bool apply(struct check *check)
{
	struct bw_session *session = check->program->session;
	const struct regress_export *export = check->export;
	struct bw_error error;
	struct bw_schedule *schedule =
	    bw_schedule_parse(session->pipeline, export->file, bw_text_get(&export->text),
			      export->text.length, &check->checked->stale, &error);
	check->nest = schedule ? bw_schedule_nest(session->pipeline, schedule, &error) : NULL;
	bw_schedule_drop(schedule);
	if (!check->nest)
		return fails(check, REGRESS_MISFIT, &error);
	if (bw_nest_complete(check->nest))
		return true;
	BW_SCOPED_TEXT names = {0};
	missing_funcs(check->nest, &names);
	bw_fail(&error, BW_ERROR_INPUT, "it does not place %s; export it again", bw_text_get(&names));
	if (export->facts)
		fails(check, REGRESS_MISFIT, &error);
	else
		note(check->checked, "it leaves Funcs open, and was only read");
	return false;
}

static void compare_costs(struct check *check)
{
	struct bw_session *session = check->program->session;
	struct regress_checked *checked = check->checked;
	BW_SCOPED_ARENA *arena = bw_arena_new();
	struct bw_error error;
	checked->milliseconds = *session->options.model->unit;
	checked->now.cost = bw_search_cost(session->search, check->nest, arena).total;
	snprintf(checked->now.device, sizeof checked->now.device, "%s", session->options.device->name);
	snprintf(checked->now.model, sizeof checked->now.model, "%s", session->options.model->title);
	const struct regress_facts *then = &checked->then, *now = &checked->now;
	if (then->cost < 0) {
		if (!check->program->arguments.record)
			note(checked, "no cost was written; --record writes it");
	} else if (strcmp(then->device, now->device) != 0 || strcmp(then->model, now->model) != 0) {
		note(checked, "costs not compared: they were another device's or model's");
	} else if (now->cost > then->cost * (1 + COST_SLACK)) {
		bw_fail(&error, BW_ERROR_FAILED, "%s predicts %.4g %s, %.3g times the %.4g of beamwalk %s",
			now->model, now->cost, session->options.model->said, now->cost / then->cost,
			then->cost, bw_json_text(check->export->facts, "beamwalk"));
		fails(check, REGRESS_DEARER, &error);
	}
}

/* Runs a job to its end. */
static const struct bw_timing *run_job(struct check *check, enum bw_purpose purpose, struct bw_error *error)
{
	struct bw_session *session = check->program->session;
	if (bw_session_time(session, check->nest, check->export->file, purpose, error) == BW_TIMED_NOT)
		return NULL;
	int asked = session->asked;
	bw_session_settle(session, -1, NULL, NULL);
	const struct bw_timing *timing = &session->timings[asked];
	if (timing->phase != BW_JOB_FAILED)
		return timing;
	*error = timing->error;
	if (purpose == BW_TO_TIME && !session->runs_on)
		error->kind = BW_ERROR_MISSING; /* no worker answered, or it has no such device */
	return NULL;
}

/* Notes that a check was left out because a tool or a device is missing or cannot work. Returns false if
 * the error is about the schedule itself. */
static bool is_missing(struct check *check, const struct bw_error *error)
{
	if (error->kind != BW_ERROR_MISSING && error->kind != BW_ERROR_IO)
		return false;
	if (!check->checked->missing.kind)
		check->checked->missing = *error;
	else
		note(check->checked, error->text);
	return true;
}

/* Checks that the device can launch all kernels. uses: the resources of the compiled kernels; NULL if
 * unknown. */
static bool check_launches(struct check *check, const struct bw_kernel_uses *uses, struct bw_error *error)
{
	const struct bw_session *session = check->program->session;
	BW_SCOPED_ARENA *arena = bw_arena_new();
	BW_SCOPED_TEXT why = {0};
	int n;
	bool fits = true;
	const struct bw_kernel_facts *facts =
	    bw_kernel_facts(check->nest, session->options.device, uses, NULL, arena, &n);
	for (int k = 0; k < n && fits; k++)
		fits = bw_kernel_fits(session->pipeline, &facts[k], session->options.device, &why);
	if (!fits)
		bw_fail(error, BW_ERROR_DEVICE, "%s", bw_text_get(&why));
	return fits;
}

static void compare_registers(struct check *check, const struct bw_kernel_uses *uses)
{
	struct regress_checked *checked = check->checked;
	struct bw_error error;
	int then = checked->then.spilled > 0 ? checked->then.spilled : 0;
	checked->now.registers = bw_facts_registers(uses);
	checked->now.spilled = bw_facts_spilled(uses);
	if (checked->now.spilled <= then)
		return;
	bw_fail(&error, BW_ERROR_DEVICE,
		"%d bytes a thread are moved because registers do not suffice, where it was %d",
		checked->now.spilled, then);
	fails(check, REGRESS_SPILLS, &error);
}

static void compile(struct check *check)
{
	struct bw_error error;
	if (!check->program->session->source.compilable) {
		note(check->checked, "not compiled: there is a description alone, and no generator");
		return;
	}
	const struct bw_timing *timing = run_job(check, BW_TO_ASSEMBLE, &error);
	if ((!timing && !is_missing(check, &error)) ||
	    !check_launches(check, timing ? &timing->measurement.kernels : NULL, &error))
		fails(check, REGRESS_UNCOMPILED, &error);
	else if (timing)
		compare_registers(check, &timing->measurement.kernels);
}
/* Adds one of several measurements of the schedule, and keeps the shortest time. */
static void take_time(struct check *check, const struct bw_timing *timing)
{
	struct regress_facts *now = &check->checked->now;
	const struct bw_measurement *m = &timing->measurement;
	check->checked->emulated = timing->counted;
	double ms = timing->counted ? bw_counted_total(check->program->session, timing).ms : m->minimum;
	if (now->ms >= 0 && now->ms <= ms)
		return;
	now->ms = ms;
	now->spread = timing->counted ? 0 : m->spread;
	snprintf(now->on, sizeof now->on, "%s", timing->counted ? "" : m->device);
}

/* Returns the slack of a time: an increase over `then`.ms by up to this fraction may be noise. */
static double slack_of(const struct regress_checked *checked)
{
	double spreads = fmax(checked->then.spread, 0) + fmax(checked->now.spread, 0);
	return checked->emulated ? ESTIMATE_SLACK : TIME_SLACK + 2 * spreads;
}

static bool is_slower(const struct regress_checked *checked)
{
	return checked->then.ms > 0 && !strcmp(checked->then.on, checked->now.on) &&
	       checked->now.ms > checked->then.ms * (1 + slack_of(checked));
}

static void compare_times(struct check *check)
{
	struct regress_checked *checked = check->checked;
	struct bw_error error;
	for (int try = 0; try < TRIES && (!try || is_slower(checked)); try++) {
		const struct bw_timing *timing = run_job(check, BW_TO_TIME, &error);
		if (!timing) {
			if (!is_missing(check, &error))
				fails(check, REGRESS_UNRUN, &error);
			return;
		}
		if (bw_verdict_differs(timing->measurement.verdict)) {
			bw_difference_fail(&timing->measurement, &error);
			fails(check, REGRESS_WRONG, &error);
			return;
		}
		take_time(check, timing);
	}
	const struct regress_facts *then = &checked->then, *now = &checked->now;
	if (then->ms <= 0 && !check->program->arguments.record)
		note(checked, "no time was written; --record writes it");
	else if (then->ms <= 0)
		return;
	else if (strcmp(then->on, now->on) != 0)
		note(checked, "times not compared: it was measured on another device");
	else if (is_slower(checked)) {
		bw_fail(&error, BW_ERROR_FAILED,
			"%.4g ms, %.3g times the %.4g ms of then; up to %.4g times may be noise", now->ms,
			now->ms / then->ms, then->ms, 1 + slack_of(checked));
		fails(check, REGRESS_SLOWER, &error);
	}
}

/* Returns true if the code a..a_end and the text b are equal but for blanks. */
static bool same_code(const char *a, const char *a_end, const char *b)
{
	for (;; a++, b++) {
		for (; a < a_end && strchr(" \t\r\n", *a); a++)
			;
		for (; *b && strchr(" \t\r\n", *b); b++)
			;
		if (!*b)
			return true;
		if (a >= a_end || *a != *b)
			return false;
	}
}

/* Adds a note if the exported C++ differs from the C++ that this program writes for the schedule beside
 * it. The schedule is the one that is checked. */
static void compare_code(struct check *check)
{
	static const char word[] = "inline void schedule_";
	const struct regress_export *export = check->export;
	const char *code = export->code ? strstr(export->code, word) : NULL;
	const struct bw_report_form form = {0};
	BW_SCOPED_TEXT text = {0};
	struct bw_error ignored;
	if (!export->code ||
	    !bw_report_export(check->program->session, check->nest, &form, &text, &ignored)) {
		return;
	}
	char *now = text.bytes ? strstr(text.bytes, word) : NULL;
	char *end = now ? strstr(now, "\n}\n") : NULL;
	if (end)
		end[2] = 0;
	/* An export of one Func is another function, which is not compared. */
	bool comparable = now && code && !strncmp(code, now, strcspn(now, "(") + 1);
	if (comparable && (code >= export->code_end || !same_code(code, export->code_end, now)))
		note(
		    check->checked,
		    "the C++ differs from what is exported for the schedule in its comment, which is what was checked");
}

/* Returns a JSON export with these facts; free(). */
static char *with_facts(const struct bw_text *text, json_t *facts)
{
	json_auto_t *object = json_loads(bw_text_get(text), 0, NULL);
	json_object_set(object, "facts", facts);
	return json_dumps(object, JSON_INDENT(2));
}

/* Appends a text, with the given facts in place of the facts of the export that begins at the export's
 * line. */
static void replace_facts(const struct regress_export *export, const char *text, const char *facts,
			  struct bw_text *out)
{
	const char *at = text;
	for (int line = 1; line < export->line && *at; line++)
		at = strchrnul(at, '\n') + 1;
	const char *word = strstr(at, BW_FACTS_WORD "{");
	if (word) {
		word += sizeof BW_FACTS_WORD - 1;
		bw_text_append(out, text, (size_t)(word - text));
		bw_text_printf(out, "%s%s", facts, strchrnul(word, '\n'));
	} else {
		bool ends = !*text || text[strlen(text) - 1] == '\n';
		bw_text_printf(out, "%s%s\n# " BW_FACTS_WORD "%s\n", text, ends ? "" : "\n", facts);
	}
}

/* Replaces the facts of an export in its file, or appends them to the file if the export has none. Returns
 * false with an error. */
static bool rewrite(const struct regress_export *export, json_t *facts, struct bw_error *error)
{
	BW_SCOPED_TEXT text = {0}, out = {0};
	bool good = bw_file_read(export->file, REGRESS_MOST_BYTES, &text, error);
	BW_SCOPED_MEMORY char *line = json_dumps(facts, JSON_REAL_PRECISION(9));
	if (good && *(bw_text_get(&text) + strspn(bw_text_get(&text), " \t\r\n")) == '{') {
		BW_SCOPED_MEMORY char *now = with_facts(&text, facts);
		bw_text_printf(&out, "%s\n", now);
	} else if (good) {
		replace_facts(export, bw_text_get(&text), line, &out);
	}
	return good && bw_file_write(export->file, bw_text_get(&out), out.length, error);
}

/* Writes the present facts into the exported file. If the file has no facts yet, writes them only if the
 * command line names the file, because a file that was found in a folder may not be an export at all. */
static void record(struct check *check)
{
	struct bw_error error;
	if (check->checked->now.registers < 0 && check->checked->then.registers >= 0) {
		note(check->checked, "not recorded: its registers are not known now");
		return;
	}
	if (!check->export->facts && !check->export->named) {
		note(check->checked, "not recorded: it has no facts yet; name the file itself");
		return;
	}
	json_auto_t *facts = bw_facts_of(check->program->session, check->nest);
	const char *pipeline = bw_json_text(check->export->facts, "pipeline");
	if (*pipeline)
		json_object_set_new(facts, "pipeline", json_string(pipeline));
	if (!rewrite(check->export, facts, &error)) {
		fails(check, REGRESS_UNREADABLE, &error);
	} else if (check->checked->outcome != REGRESS_OK) {
		bw_text_printf(&check->checked->notes, "%srecorded: it was \"%s\"",
			       check->checked->notes.length ? "; " : "",
			       regress_words(check->checked->outcome));
		check->checked->outcome = REGRESS_OK;
	}
}

/* Checks a schedule whose pipeline is open. */
static void check_open(struct check *check)
{
	const struct bw_arguments *arguments = &check->program->arguments;
	enum regress_outcome *outcome = &check->checked->outcome;
	if (!apply(check))
		return;
	if (check->checked->stale)
		note(check->checked, "the algorithm has changed since it was written");
	compare_code(check);
	compare_costs(check);
	compile(check);
	if (*outcome != REGRESS_UNCOMPILED && (arguments->time || arguments->on))
		compare_times(check);
	if (arguments->record && *outcome != REGRESS_UNCOMPILED && *outcome != REGRESS_UNRUN &&
	    *outcome != REGRESS_WRONG)
		record(check);
}

/* Stores the remaining results, prints an error if a result cannot be stored, and closes the session. */
static void close_session(struct bw_program *program)
{
	BW_SCOPED_TEXT said = {0};
	if (!bw_session_store_rest(program->session, &said))
		fprintf(stderr, "beamwalk: a measurement could not be stored: %s", bw_text_get(&said));
	bw_session_free(program->session);
	program->session = NULL;
}

void regress_check(struct bw_program *program, const struct regress_export *export,
		   struct regress_checked *checked)
{
	struct check check = {program, export, checked, NULL};
	struct bw_error error;
	*checked = (struct regress_checked){.then = read_facts(export->facts), .now = unknown};
	if (!export->text.length) {
		bw_fail(&error, BW_ERROR_INPUT,
			"an older beamwalk wrote it, without its schedule file; export it again");
		fails(&check, REGRESS_UNREADABLE, &error);
	} else if (!open(&check, &error)) {
		fails(&check, REGRESS_UNOPENED, &error);
	} else {
		check_open(&check);
	}
	if (checked->missing.kind)
		fails(&check, REGRESS_UNCHECKED, &checked->missing);
	bw_nest_drop(check.nest);
	if (program->session)
		close_session(program);
}
