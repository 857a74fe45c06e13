/* Finds exported schedules in files: schedule files, and exports as C++ or JSON, also pasted into a source.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "command/facts.h"
#include "program/regress.h"
#include "schedule/export.h"

enum { MOST_BYTES = 16 << 20 };

/* Returns the end of a line: its newline, or the end of the text. */
static const char *line_end(const char *at)
{
	return at + strcspn(at, "\n");
}

/* Sets the name of the pipeline from the line of a schedule file. */
static void find_pipeline(struct regress_export *export)
{
	static const char word[] = "pipeline ";
	for (const char *at = bw_text_get(&export->text); *at; at = line_end(at), at += *at == '\n') {
		const char *begin = at + strspn(at, " \t"), *end = line_end(begin);
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
	export->facts = json_loadb(at, (size_t)(line_end(at) - at), 0, &wrong);
	return export->facts ||
	       bw_fail(error, BW_ERROR_INPUT, "%s: after `%s`: %s", export->file, BW_FACTS_WORD, wrong.text);
}

/* Takes the lines of a schedule's text, from begin to end; the other ones become empty, so that errors name
 * the file's own lines. */
static void take_text(struct regress_export *export, const char *file, const char *begin, const char *end)
{
	enum { PREFIX = sizeof BW_FACTS_SCHEDULE - 1 };
	bool any = false;
	for (const char *at = file; at < end; at = line_end(at), at += *at == '\n') {
		if (at >= begin && !strncmp(at, BW_FACTS_SCHEDULE, PREFIX)) {
			const char *from = at + PREFIX + (at[PREFIX] == ' ');
			bw_text_append(&export->text, from, (size_t)(line_end(at) - from));
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

/* Reads an export as JSON. Returns 0 if it is other JSON. */
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

int regress_read(const char *path, regress_visit *tell, void *data, struct bw_error *error)
{
	static const char word[] = "beamwalk-schedule ";
	struct bw_text text = {0};
	int n = -1;
	if (bw_file_read(path, MOST_BYTES, &text, error) && bw_text_lines(path, &text, error)) {
		const char *begin = bw_text_get(&text);
		begin += strspn(begin, " \t\r\n");
		n = *begin == '{' ? read_json(path, &text, tell, data, error)
		    : !strncmp(begin, word, sizeof word - 1)
			? read_schedule(path, &text, tell, data, error)
			: read_cpp(path, bw_text_get(&text), tell, data, error);
	}
	bw_text_free(&text);
	return n;
}

/* Returns a JSON export with these facts; free(). */
static char *with_facts(const struct bw_text *text, json_t *facts)
{
	json_t *object = json_loads(bw_text_get(text), 0, NULL);
	json_object_set(object, "facts", facts);
	char *now = json_dumps(object, JSON_INDENT(2));
	json_decref(object);
	return now;
}

/* Appends a text with the facts in the place of those of the export that begins at its line. */
static void replace_facts(const struct regress_export *export, const char *text, const char *facts,
			  struct bw_text *out)
{
	const char *at = text;
	for (int line = 1; line < export->line && *at; line++)
		at = line_end(at) + 1;
	const char *word = strstr(at, BW_FACTS_WORD "{");
	if (word) {
		word += sizeof BW_FACTS_WORD - 1;
		bw_text_append(out, text, (size_t)(word - text));
		bw_text_printf(out, "%s%s", facts, line_end(word));
	} else {
		bool ends = !*text || text[strlen(text) - 1] == '\n';
		bw_text_printf(out, "%s%s\n# " BW_FACTS_WORD "%s\n", text, ends ? "" : "\n", facts);
	}
}

bool regress_rewrite(const struct regress_export *export, json_t *facts, struct bw_error *error)
{
	struct bw_text text = {0}, out = {0};
	bool good = bw_file_read(export->file, MOST_BYTES, &text, error);
	char *line = json_dumps(facts, JSON_REAL_PRECISION(9));
	if (good && *(bw_text_get(&text) + strspn(bw_text_get(&text), " \t\r\n")) == '{') {
		char *now = with_facts(&text, facts);
		bw_text_printf(&out, "%s\n", now);
		free(now);
	} else if (good) {
		replace_facts(export, bw_text_get(&text), line, &out);
	}
	good = good && bw_file_write(export->file, bw_text_get(&out), out.length, error);
	free(line);
	bw_text_free(&text);
	bw_text_free(&out);
	return good;
}
