/* Stored measurements: lists, exports, and texts of schedules and descriptions. */
#include <ctype.h>
#include <unistd.h>

#include "program/program.h"
#include "results/results.h"

enum { BUSY_MS = 5000, LISTED = 20 };

/* "7d" and "12h" mean 7 days and 12 hours ago; other values are a date or the first part of a time, in
 * UTC. */
bool bw_program_since(const char *text, char since[BW_TIME_SIZE], struct bw_error *error)
{
	static const char form[] = "dddd-dd-ddTdd:dd:dd.dddZ";
	char *unit;
	long n = strtol(text, &unit, 10);
	if (isdigit((unsigned char)*text) && (*unit == 'd' || *unit == 'h') && !unit[1] && n >= 0 && n < 100000) {
		bw_result_time(bw_result_now() - (int64_t)n * (*unit == 'd' ? 86400000 : 3600000), since);
		return true;
	}
	size_t length = strlen(text);
	bool good = length >= 4 && length < sizeof form && !strchr("-T:.", text[length - 1]);
	for (size_t i = 0; good && i < length; i++) {
		char c = text[i] == ' ' && form[i] == 'T' ? 'T' : text[i];
		good = form[i] == 'd' ? isdigit((unsigned char)c) : c == form[i];
		since[i] = c;
		since[i + 1] = 0;
	}
	return good ||
	       bw_fail(
		   error, BW_ERROR_USAGE,
		   "--since takes a time in UTC, as 2026-11-21 or 2026-11-21T08:30, or how long ago, as 7d or 12h, not \"%s\"",
		   text);
}

static bool verdict_of(const char *text, struct bw_error *error)
{
	if (!text || !strcmp(text, BW_RESULT_FAILED))
		return true;
#define X(verdict, name) \
	if (!strcmp(text, name)) \
		return true;
	BW_VERDICT_TABLE(X)
#undef X
	BW_SCOPED_TEXT names = {0};
#define X(verdict, name) bw_text_printf(&names, "%s, ", name);
	BW_VERDICT_TABLE(X)
#undef X
	bw_fail(error, BW_ERROR_USAGE, "--verdict takes one of %sfailed, not \"%s\"", bw_text_get(&names), text);
	return false;
}

typedef void put_function(const struct bw_result *result, struct bw_text *out);

struct list {
	put_function *put;
	const char *between;
	struct bw_text *out;
	long n;
};

static void put_one(const struct bw_result *result, void *data)
{
	struct list *list = data;
	bw_text_puts(list->out, list->n++ ? list->between : "");
	list->put(result, list->out);
}

/* Appends a JSON object. In a list, each object has a line of its own. */
static void put_object(const struct bw_result *result, struct bw_text *out)
{
	bw_text_puts(out, "  ");
	bw_result_print_json(result, out);
	bw_text_append(out, "", 0);
	out->bytes[--out->length] = 0;
}

/* Lists results. results is NULL if nothing is stored yet. */
static bool list(const struct bw_program *program, struct bw_results *results,
		 const struct bw_results_filter *filter, struct bw_text *out, struct bw_error *error)
{
	const struct bw_arguments *arguments = &program->arguments;
	bool table = !arguments->json && !arguments->csv;
	struct list list = {arguments->json  ? put_object
			    : arguments->csv ? bw_result_print_csv
					     : bw_result_print_table,
			    arguments->json ? ",\n" : "", out, 0};
	if (arguments->json)
		bw_text_puts(out, "[\n");
	else if (arguments->csv)
		bw_result_print_csv_head(out);
	else
		bw_result_print_table_head(out);
	if (results && (arguments->forget ? bw_results_forget : bw_results_each)(results, filter, put_one,
										 &list, error) < 0)
		return false;
	if (arguments->forget && list.n)
		fprintf(stderr, "beamwalk: %ld measurement%s forgotten\n", list.n, list.n == 1 ? "" : "s");
	if (arguments->json)
		bw_text_puts(out, list.n ? "\n]\n" : "]\n");
	long all = table && results ? bw_results_count(results, filter, error) : list.n;
	if (all > list.n)
		fprintf(stderr,
			"beamwalk: shown are the %s %ld of %ld; --limit N shows more, --limit 0 all\n",
			filter->best ? "first" : "newest", list.n, all);
	else if (table && !list.n)
		fprintf(stderr, "beamwalk: no measurement %s\n", results ? "matches" : "is stored yet");
	return all >= 0;
}

/* Checks that --forget comes with options that select measurements, and that a hash is not too short. */
static bool may_forget(const struct bw_arguments *arguments, struct bw_error *error)
{
	enum { LEAST_DIGITS = 4 };
	const char *named = arguments->pipeline;
	if (!named && !arguments->schedule && !arguments->device && !arguments->since && !arguments->verdict)
		return bw_fail(
		    error, BW_ERROR_USAGE,
		    "--forget: nothing selected; give a pipeline, --schedule, --device, --since or --verdict");
	if (arguments->best || arguments->limit || arguments->description)
		return bw_fail(error, BW_ERROR_USAGE, "--forget does not take --best, --limit or --description");
	if (named && strlen(named) < LEAST_DIGITS && !named[strspn(named, "0123456789abcdef")])
		return bw_fail(
		    error, BW_ERROR_USAGE,
		    "--forget takes the name of a pipeline, or at least %d digits of its description's hash, not \"%s\"",
		    LEAST_DIGITS, named);
	return true;
}

static bool filter_of(const struct bw_program *program, char since[BW_TIME_SIZE],
		      struct bw_results_filter *filter, struct bw_error *error)
{
	const struct bw_arguments *arguments = &program->arguments;
	long limit = arguments->json || arguments->csv || arguments->best || arguments->forget ? 0 : LISTED;
	*filter = (struct bw_results_filter){.pipeline = arguments->pipeline,
					     .device = arguments->device,
					     .verdict = arguments->verdict,
					     .best = arguments->best,
					     .schedule = arguments->forget ? arguments->schedule : NULL};
	if (arguments->json && arguments->csv)
		return bw_fail(error, BW_ERROR_USAGE, "--json or --csv, not both");
	if (arguments->forget && !may_forget(arguments, error))
		return false;
	if (!verdict_of(arguments->verdict, error) ||
	    !bw_arguments_number(arguments->limit, "limit", 0, 1000000000, &limit, error))
		return false;
	if (arguments->since && !bw_program_since(arguments->since, since, error))
		return false;
	filter->since = arguments->since ? since : NULL;
	filter->limit = limit;
	return true;
}

/* Writes the schedule of --schedule, deletes its measurements (--forget), writes a description, or lists
 * results. */
static bool put_asked(const struct bw_program *program, struct bw_results *results,
		      const struct bw_results_filter *filter, struct bw_text *out, struct bw_error *error)
{
	const struct bw_arguments *arguments = &program->arguments;
	if (arguments->schedule && !bw_results_schedule(results, arguments->schedule, out, error))
		return false;
	if (arguments->schedule && !arguments->forget)
		return strcmp(bw_text_get(out), BW_RESULT_HAND) != 0 ||
		       bw_fail(
			   error, BW_ERROR_INPUT,
			   "%s: the schedule that a generator has by hand, in its C++ alone; `beamwalk time PIPELINE " BW_RESULT_HAND
			   "` measures it, `beamwalk compile PIPELINE " BW_RESULT_HAND "` compiles it",
			   arguments->schedule);
	if (arguments->description)
		return bw_results_description(results, arguments->description, out, error);
	bw_text_clear(out);
	return list(program, results, filter, out, error);
}

bool bw_program_results(struct bw_program *program, struct bw_error *error)
{
	const struct bw_arguments *arguments = &program->arguments;
	const char *path = program->layout.results;
	char since[BW_TIME_SIZE] = "";
	struct bw_results_filter filter;
	struct bw_results *results = NULL;
	BW_SCOPED_TEXT out = {0}, notice = {0};
	bool there = access(path, F_OK) == 0, good = filter_of(program, since, &filter, error);
	if (good && there)
		good = (results = bw_results_open(path, false, BUSY_MS, &notice, error));
	if (notice.length)
		fprintf(stderr, "beamwalk: %s", bw_text_get(&notice));
	if (good && (arguments->schedule || arguments->description) && !there)
		good = bw_fail(error, BW_ERROR_INPUT, "%s: no measurement is stored yet", path);
	good = good && put_asked(program, results, &filter, &out, error);
	good = good && bw_program_put(program, &out, error);
	bw_results_close(results);
	return good;
}
