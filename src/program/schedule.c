/* Searches and writes a schedule, a report or an export; checks earlier exports. */

#include "base/file.h"
#include "command/report.h"
#include "page/page.h"
#include "program/program.h"
#include "schedule/export.h"

/* Writes the costs of all schedulers' schedules by all cost models. */
static bool put_opinions(struct bw_program *program, struct bw_error *error)
{
	BW_SCOPED_TEXT text = {0};
	bool json = program->arguments.json,
	     good = bw_session_run(program->session, "compare --all", json ? NULL : &text, error) &&
		    (!json || bw_session_run(program->session, "view --json opinions", &text, error)) &&
		    bw_program_put(program, &text, error);
	return good;
}

/* With --verify, verifies the best schedules. */
static bool verify(struct bw_program *program, long n, struct bw_error *error)
{
	struct bw_session *session = program->session;
	BW_SCOPED_MEMORY char *line = bw_format("verify %ld", n);
	if (!n)
		return true;
	bool good = bw_program_line(session, line, error);
	if (good)
		bw_session_settle(session, -1, NULL, NULL);
	for (int i = 0; i < session->n_timings && good; i++)
		if (session->timings[i].phase == BW_JOB_FAILED) {
			*error = session->timings[i].error;
			good = bw_fail_in(error, "%s", session->timings[i].label);
		}
	return good;
}

bool bw_program_schedule(struct bw_program *program, struct bw_error *error)
{
	long n = 0;
	const char *scheduler = program->arguments.scheduler;
	if (scheduler && !strcmp(scheduler, "all")) {
		program->arguments.scheduler = NULL;
		return bw_program_open(program, error) && put_opinions(program, error);
	}
	BW_SCOPED_TEXT text = {0};
	bool good = bw_arguments_number(program->arguments.verify, "verify", 1, 10000, &n, error) &&
		    bw_program_open(program, error) && bw_program_search_long(program, error) && verify(program, n, error);
	if (good) {
		const struct bw_state *state = bw_session_state(program->session);
		if (program->arguments.json)
			bw_report_json(program->session, state, &program->steps, &text);
		else
			bw_report_text(program->session, state, &program->steps, &text);
		good = bw_program_put(program, &text, error);
	}
	return good;
}

/* report: searches, and writes a page of HTML on the best schedule. */

bool bw_program_report(struct bw_program *program, struct bw_error *error)
{
	BW_SCOPED_TEXT page = {0};
	const char *file = program->arguments.output;
	bool good = (!file || bw_file_suits(file, "a page for browsers", "html htm", error)) && bw_program_open(program, error) && bw_program_search_long(program, error) &&
		    bw_program_line(program->session, "measured", error);
	if (good)
		bw_program_regrets(program->session, BW_PAGE_DECISIONS);
	return good && bw_page_write(program->session, &page, error) && bw_program_put(program, &page, error);
}

/* Writes a schedule as Halide C++ or JSON, and checks earlier exports against the current algorithm. */

enum { MOST_SOURCE = 16 << 20 }; /* bytes of a source file */

static bool form_of(const struct bw_arguments *arguments, struct bw_report_form *form, struct bw_error *error)
{
	long halide = 0;
	if (!bw_arguments_number(arguments->form, "form", 14, 99, &halide, error))
		return false;
	*form = (struct bw_report_form){arguments->func, (int)halide, false};
	bool good = !arguments->output || arguments->check || bw_report_form_of(arguments->output, form, error);
	form->json |= arguments->json;
	return good;
}

/* Reports on one export. Returns false if the export is for another algorithm. */
static bool report_mark(const struct bw_program *program, const struct bw_export_mark *mark,
			struct bw_text *out, struct bw_error *error)
{
	const struct bw_pipeline *pipeline = program->session->pipeline;
	const char *file = program->arguments.check;
	unsigned long long now = pipeline->algorithm, then = mark->algorithm;
	if (now != then)
		return bw_fail(
		    error, BW_ERROR_INPUT,
		    "%s:%d: exported for another algorithm of %s (%016llx, now %016llx): export it again",
		    file, mark->line, pipeline->name, then, now);
	bw_text_printf(out, "%s:%d: of the algorithm of %s as it is, schedule %016llx\n", file, mark->line,
		       pipeline->name, (unsigned long long)mark->schedule);
	return true;
}

static bool check_source(const struct bw_program *program, const struct bw_text *text, struct bw_text *out,
			 struct bw_error *error)
{
	const char *at = bw_text_get(text);
	struct bw_export_mark mark;
	int line = 1, n = 0;
	bool good = true;
	while (bw_export_next_mark(&at, &line, &mark)) {
		if (strcmp(mark.pipeline, program->session->pipeline->name) != 0)
			continue;
		n++;
		good = report_mark(program, &mark, out, good ? error : NULL) && good;
	}
	return n ? good
		 : bw_fail(error, BW_ERROR_INPUT, "%s: contains no exported schedule of %s",
			   program->arguments.check, program->session->pipeline->name);
}

static bool check_json(const struct bw_program *program, const struct bw_text *text, struct bw_text *out,
		       struct bw_error *error)
{
	struct bw_export_mark mark;
	const char *name = program->session->pipeline->name;
	struct bw_json *json = bw_json_parse(program->arguments.check, bw_text_get(text), text->length, error);
	if (!json)
		return false;
	struct bw_json_at root = bw_json_root(json);
	bool good = bw_export_json_mark(&root, &mark, error);
	if (good && strcmp(mark.pipeline, name) != 0)
		good = bw_fail(error, BW_ERROR_INPUT, "%s: was exported for %s, not for %s",
			       program->arguments.check, mark.pipeline, name);
	good = good && report_mark(program, &mark, out, error);
	bw_json_free(json);
	return good;
}

static bool check(const struct bw_program *program, struct bw_text *out, struct bw_error *error)
{
	BW_SCOPED_TEXT text = {0};
	bool good = bw_file_read(program->arguments.check, MOST_SOURCE, &text, error);
	if (good)
		good = *(bw_text_get(&text) + strspn(bw_text_get(&text), " \t\r\n")) == '{'
			   ? check_json(program, &text, out, error)
			   : check_source(program, &text, out, error);
	return good;
}

static bool export(struct bw_program *program, const struct bw_report_form *form, struct bw_text *out,
		   struct bw_error *error)
{
	if (!program->arguments.n_rest)
		return bw_program_search_long(program, error) &&
		       bw_report_export(program->session, bw_session_state(program->session)->nest, form, out, error);
	struct bw_session *session = program->session;
	BW_SCOPED_NEST *nest = bw_report_whole_nest(session, program->arguments.rest[0], error);
	bool good = nest && bw_report_export(session, nest, form, out, error);
	if (good && *session->warning)
		fprintf(stderr, "beamwalk: warning: %s\n", session->warning);
	return good;
}

bool bw_program_export(struct bw_program *program, struct bw_error *error)
{
	BW_SCOPED_TEXT out = {0};
	struct bw_report_form form;
	if (program->arguments.n_rest > (program->arguments.check ? 0 : 1))
		return bw_fail(error, BW_ERROR_USAGE, "export takes at most one schedule, and none with --check");
	bool good = form_of(&program->arguments, &form, error) && bw_program_open(program, error) &&
		    (program->arguments.check ? check(program, &out, error) : export(program, &form, &out, error));
	struct bw_error ignored;
	if (out.length && (good || program->arguments.check))
		good = bw_program_put(program, &out, good ? error : &ignored) && good;
	return good;
}
