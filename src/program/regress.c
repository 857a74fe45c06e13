/* Checks the exported schedules of a source tree: whether each still applies to its pipeline, compiles
 * without new spills, costs no more, and runs as fast as when it was exported. */
#include "program/regress.h"

#include <ctype.h>
#include <errno.h>
#include <fts.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/say.h"
#include "command/report.h"
#include "schedule/export.h"

/* Finds exported schedules in files: schedule files, and exports as C++ or JSON, also pasted into a source.
 */

/* Sets the pipeline's name from a line of the schedule file. */
static void find_pipeline(struct regress_export *export)
{
	static const char word[] = "pipeline ";
	for (const char *at = bw_text_get(&export->text); *at; at = strchrnul(at, '\n'), at += *at == '\n') {
		const char *begin = at + strspn(at, " \t"), *end = strchrnul(begin, '\n');
		if (strncmp(begin, word, sizeof word - 1) != 0)
			continue;
		for (begin += sizeof word - 1;
		     end > begin && (isspace((unsigned char)end[-1]) || end[-1] == '"'); end--)
			;
		begin += *begin == '"';
		snprintf(export->pipeline, sizeof export->pipeline, "%.*s", (int)(end - begin), begin);
		return;
	}
}

/* Reads the facts of a text from begin to end, if it has any. */
static bool find_facts(struct regress_export *export, const char *begin, const char *end,
		       struct bw_error *error)
{
	const char *at = strstr(begin, BW_FACTS_WORD "{");
	json_error_t wrong;
	if (!at || at >= end)
		return true;
	at += sizeof BW_FACTS_WORD - 1;
	export->facts = json_loadb(at, (size_t)(strchrnul(at, '\n') - at), 0, &wrong);
	return export->facts ||
	       bw_fail(error, BW_ERROR_INPUT, "%s: after `%s`: %s", export->file, BW_FACTS_WORD, wrong.text);
}

/* Copies the lines of a schedule's text, from begin to end. All other lines of the file become empty
 * lines, so that errors have the line numbers of the file. */
static void take_text(struct regress_export *export, const char *file, const char *begin, const char *end)
{
	enum { PREFIX = sizeof BW_FACTS_SCHEDULE - 1 };
	bool any = false;
	for (const char *at = file; at < end; at = strchrnul(at, '\n'), at += *at == '\n') {
		if (at >= begin && !strncmp(at, BW_FACTS_SCHEDULE, PREFIX)) {
			const char *from = at + PREFIX + (at[PREFIX] == ' ');
			bw_text_append(&export->text, from, (size_t)(strchrnul(at, '\n') - from));
			any = true;
		}
		bw_text_puts(&export->text, "\n");
	}
	if (!any)
		bw_text_clear(&export->text);
}

static bool visit(struct regress_export *export, bool good, regress_visit *tell, void *data)
{
	find_pipeline(export);
	if (good)
		tell(export, data);
	bw_text_free(&export->text);
	json_decref(export->facts);
	return good;
}

/* Reads exports as C++. Returns their number; -1 with an error. */
static int read_cpp(const char *path, const char *text, regress_visit *tell, void *data,
		    struct bw_error *error)
{
	const char *at = text;
	struct bw_export_mark mark, next;
	int line = 1, n = 0;
	bool more = bw_export_next_mark(&at, &line, &mark), good = true;
	while (more && good) {
		const char *begin = at;
		more = bw_export_next_mark(&at, &line, &next);
		const char *end = more ? at : text + strlen(text);
		struct regress_export export = {.file = path,
						.line = mark.line,
						.schedule = mark.schedule,
						.code = begin,
						.code_end = end};
		take_text(&export, text, begin, end);
		good = visit(&export, find_facts(&export, begin, end, error), tell, data);
		mark = next;
		n++;
	}
	return good ? n : -1;
}

/* Reads an export as JSON. Returns 0 if the JSON is not an export. */
static int read_json(const char *path, const struct bw_text *text, regress_visit *tell, void *data,
		     struct bw_error *error)
{
	if (!strstr(bw_text_get(text), "\"beamwalk-export\""))
		return 0;
	struct bw_json *json = bw_json_parse(path, bw_text_get(text), text->length, error);
	if (!json)
		return -1;
	struct regress_export export = {.file = path, .line = 1};
	struct bw_json_at root = bw_json_root(json), at;
	const char *schedule = "";
	bool good = !bw_json_has(&root, "schedule", &at) || bw_json_string(&at, &schedule, error);
	bw_text_puts(&export.text, schedule);
	export.facts = good && bw_json_has(&root, "facts", &at) ? json_deep_copy(at.value) : NULL;
	good = visit(&export, good, tell, data);
	bw_json_free(json);
	return good ? 1 : -1;
}

static int read_schedule(const char *path, const struct bw_text *text, regress_visit *tell, void *data,
			 struct bw_error *error)
{
	struct regress_export export = {.file = path, .line = 1};
	const char *begin = bw_text_get(text);
	bw_text_puts(&export.text, begin);
	return visit(&export, find_facts(&export, begin, begin + text->length, error), tell, data) ? 1 : -1;
}

static int regress_read(const char *path, regress_visit *tell, void *data, struct bw_error *error)
{
	static const char word[] = "beamwalk-schedule ";
	BW_SCOPED_TEXT text = {0};
	int n = -1;
	if (bw_file_read(path, REGRESS_MOST_BYTES, &text, error) && bw_text_lines(path, &text, error)) {
		const char *begin = bw_text_get(&text);
		begin += strspn(begin, " \t\r\n");
		n = *begin == '{' ? read_json(path, &text, tell, data, error)
		    : !strncmp(begin, word, sizeof word - 1)
			? read_schedule(path, &text, tell, data, error)
			: read_cpp(path, bw_text_get(&text), tell, data, error);
	}
	return n;
}

static const struct {
	const char *words;
	bool worse;
} outcomes[] = {
    REGRESS_OUTCOME_TABLE(BW_ROW)
};

/* Appends the present facts of the schedule. */
static void print_facts(const struct regress_checked *checked, struct bw_text *out)
{
	const struct regress_facts *now = &checked->now;
	if (now->cost < 0)
		return;
	bw_text_printf(out, "  %.4g%s predicted on %s", now->cost, checked->milliseconds ? " ms" : " cost",
		       now->device);
	if (now->registers >= 0)
		bw_text_printf(out, ", %d registers a thread", now->registers);
	if (now->registers >= 0 && checked->then.registers >= 0 && checked->then.registers != now->registers)
		bw_text_printf(out, " (%d when written)", checked->then.registers);
	if (now->spilled > 0)
		bw_text_printf(out, ", %d bytes a thread spilled", now->spilled);
	else if (now->spilled == 0)
		bw_text_puts(out, ", no spills");
	if (now->ms >= 0)
		bw_text_printf(out, ", %.4g ms %s", now->ms, checked->emulated ? "estimated" : "measured");
}

/* Appends the file, the line and the reason of a failure. If the error already names the file, appends
 * only the error, since its line is more exact. */
static void print_failure(const struct regress_export *export, const struct regress_checked *checked,
			  struct bw_text *out)
{
	const char *error = checked->error.text, *rest = strstr(error, ": ");
	size_t length = strlen(export->file);
	if (rest && !strncmp(error, export->file, length) && error[length] == ':')
		bw_text_printf(out, "%.*s: %s%s", (int)(rest - error), error, regress_words(checked->outcome),
			       rest);
	else
		bw_text_printf(out, "%s:%d: %s: %s", export->file, export->line,
			       regress_words(checked->outcome), error);
}

static void regress_print(const struct regress_export *export, const struct regress_checked *checked,
			  struct bw_text *out)
{
	bool unchecked = checked->outcome == REGRESS_UNCHECKED;
	if (checked->outcome == REGRESS_OK || unchecked) {
		bw_text_printf(out, "%s:%d: %s", export->file, export->line, regress_words(checked->outcome));
		print_facts(checked, out);
	} else {
		print_failure(export, checked, out);
	}
	if (unchecked || checked->notes.length)
		bw_text_printf(out, " (%s%s%s)", unchecked ? checked->error.text : "",
			       unchecked && checked->notes.length ? "; " : "", bw_text_get(&checked->notes));
	bw_text_puts(out, "\n");
}

/* Adds a number that may be unknown. */
static void add(json_t *object, const char *key, double value)
{
	json_object_set_new(object, key, value < 0 ? json_null() : json_real(value));
}

static json_t *facts_json(const struct regress_facts *facts, const struct regress_checked *checked)
{
	json_t *object = json_object();
	json_object_set_new(object, "device", *facts->device ? json_string(facts->device) : json_null());
	json_object_set_new(object, "model", *facts->model ? json_string(facts->model) : json_null());
	add(object, checked->milliseconds ? "predicted_ms" : "predicted_cost", facts->cost);
	json_object_set_new(object, "registers_per_thread", bw_json_count(facts->registers));
	json_object_set_new(object, "spilled_bytes_per_thread", bw_json_count(facts->spilled));
	add(object, checked->emulated ? "estimated_ms" : "measured_ms", facts->ms);
	add(object, "spread", facts->spread);
	json_object_set_new(object, "measured_on", *facts->on ? json_string(facts->on) : json_null());
	return object;
}

/* Appends the outcome as one line of text or JSON. */
static void regress_print_json(const struct regress_export *export, const struct regress_checked *checked,
			       struct bw_text *out)
{
	bool good = checked->outcome == REGRESS_OK;
	json_t *line =
	    json_pack("{s:i, s:s, s:i, s:s, s:s, s:b, s:o, s:s, s:b, s:o, s:o}", "beamwalk-regress", 1,
		      "file", export->file, "line", export->line, "pipeline", export->pipeline, "outcome",
		      regress_words(checked->outcome), "ok", good, "error",
		      good ? json_null() : json_string(checked->error.text), "notes",
		      bw_text_get(&checked->notes), "algorithm_changed", checked->stale, "then",
		      facts_json(&checked->then, checked), "now", facts_json(&checked->now, checked));
	bw_json_put_line(out, line, JSON_COMPACT | JSON_REAL_PRECISION(9));
}

struct regress {
	struct bw_program *program;
	bool alone; /* the file was named by itself, not found in a folder */
	int n, n_worse, n_unreadable, n_unchecked;
	enum bw_error_kind unreadable; /* of the first that cannot be read or opened */
	bool written;          /* all output so far */
	struct bw_text out;
};

static void count(struct regress *regress, enum regress_outcome outcome, enum bw_error_kind kind)
{
	if (outcome == REGRESS_OK)
		return;
	if (outcomes[outcome].worse) {
		regress->n_worse++;
	} else if (outcome == REGRESS_UNCHECKED) {
		regress->n_unchecked++;
	} else if (!regress->n_unreadable++) {
		regress->unreadable = kind;
	}
}

static void tell(struct regress *regress, const struct regress_export *export,
		 const struct regress_checked *checked)
{
	if (regress->program->arguments.json)
		regress_print_json(export, checked, &regress->out);
	else
		regress_print(export, checked, &regress->out);
	count(regress, checked->outcome, checked->error.kind);
	regress->n++;
	/* As they come, since compiling takes seconds. */
	if (regress->program->arguments.output || !regress->written)
		return;
	struct bw_error error;
	regress->written = bw_program_put(regress->program, &regress->out, &error);
	bw_text_clear(&regress->out);
}

static void check(struct regress_export *export, void *data)
{
	struct regress *regress = data;
	struct regress_checked checked;
	export->named = regress->alone;
	regress_check(regress->program, export, &checked);
	tell(regress, export, &checked);
	bw_text_free(&checked.notes);
}

static void check_file(struct regress *regress, const char *path)
{
	struct regress_checked checked = {.outcome = REGRESS_UNREADABLE};
	int n = regress_read(path, check, regress, &checked.error);
	if (n < 0 || (!n && regress->alone)) {
		if (!n)
			bw_fail(&checked.error, BW_ERROR_INPUT,
				"%s: there is no schedule of beamwalk's in it", path);
		checked.then = checked.now = (struct regress_facts){-1, -1, -1, -1, -1, "", "", ""};
		tell(regress, &(struct regress_export){.file = path, .line = 1}, &checked);
	}
}

/* Returns true if the name of a file allows that it holds an export. */
static bool may_export(const char *name)
{
	static const char *const endings[] = {".schedule", ".schedule.json", ".h",  ".hh", ".hpp", ".c",
					      ".cc",       ".cpp",           ".cxx"};
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (bw_ends_with(name, endings[i]))
			return true;
	return false;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Checks the files of a folder and its subfolders, sorted by name. Skips hidden files and folders. */
static bool check_folder(struct regress *regress, const char *path, struct bw_error *error)
{
	char *const roots[] = {(char *)path, NULL};
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	FTSENT *entry;
	if (!tree)
		return bw_fail(error, BW_ERROR_IO, "%s: %s", path, strerror(errno));
	while ((entry = fts_read(tree)) != NULL) {
		bool hidden = entry->fts_level > 0 && *entry->fts_name == '.';
		if (hidden && entry->fts_info == FTS_D)
			fts_set(tree, entry, FTS_SKIP);
		else if (entry->fts_info == FTS_DNR)
			fprintf(stderr, "beamwalk: warning: %s: %s\n", entry->fts_path,
				strerror(entry->fts_errno));
		else if (entry->fts_info == FTS_F && !hidden && may_export(entry->fts_name))
			check_file(regress, entry->fts_path);
	}
	fts_close(tree);
	return true;
}

static bool check_path(struct regress *regress, const char *path, struct bw_error *error)
{
	struct stat info;
	int before = regress->n;
	bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
	regress->alone = !folder;
	if (!folder)
		check_file(regress, path);
	else if (!check_folder(regress, path, error))
		return false;
	return regress->n > before ||
	       bw_fail(error, BW_ERROR_INPUT,
		       "%s: no exported schedule is there; `beamwalk export PIPELINE -o FILE` writes one",
		       path);
}

/* Appends the number of schedules with one kind of outcome, unless it is 0. */
static void say_number(const struct regress *regress, int n, const char *one, const char *more,
		       struct bw_text *said)
{
	bool first = !said->length;
	if (!n)
		return;
	bw_text_printf(said, "%s%d", first ? "" : ", ", n);
	if (first)
		bw_text_printf(said, " of %s", bw_say_number(regress->n, "schedule").text);
	bw_text_printf(said, " %s", n == 1 ? one : more);
}

/* Returns true if no schedule has become worse and all could be checked. Otherwise returns false with the
 * error for the program's exit status. */
static bool conclude(const struct regress *regress, struct bw_error *error)
{
	BW_SCOPED_TEXT said = {0};
	say_number(regress, regress->n_worse, "is worse than when it was written",
		   "are worse than when they were written", &said);
	say_number(regress, regress->n_unreadable, "cannot be checked", "cannot be checked", &said);
	say_number(regress, regress->n_unchecked, "is not checked", "are not checked", &said);
	enum bw_error_kind kind = regress->n_worse        ? BW_ERROR_FAILED
				  : regress->n_unreadable ? regress->unreadable
							  : BW_ERROR_MISSING;
	return !said.length || bw_fail(error, kind, "%s", bw_text_get(&said));
}

bool bw_program_regress(struct bw_program *program, struct bw_error *error)
{
	const struct bw_arguments *arguments = &program->arguments;
	static const char *const here[] = {"."};
	const char *const *paths = arguments->n_rest ? arguments->rest : here;
	struct regress regress = {.program = program, .written = true};
	double seconds;
	long limit;
	program->plain = true;
	if (!bw_arguments_real(arguments->seconds, "seconds", true, 3600, &seconds, error) ||
	    !bw_arguments_number(arguments->time_limit, "time-limit", 1, 24 * 3600, &limit, error))
		return false;
	bool good = true;
	for (int i = 0; i < (arguments->n_rest ? arguments->n_rest : 1) && good; i++)
		good = check_path(&regress, paths[i], error);
	struct bw_error unwritten;
	bool put =
	    regress.written && (!arguments->output || bw_program_put(program, &regress.out, &unwritten));
	if (good && !put)
		good = bw_fail(error, BW_ERROR_IO, "the outcome cannot be written");
	bw_text_free(&regress.out);
	return good && conclude(&regress, error);
}
