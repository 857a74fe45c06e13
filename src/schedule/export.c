/* The parts of an export other than the C++ calls: the text around them, JSON, and the marks that identify
 * an export. */
#include "schedule/export.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/export_private.h"

static const char mark_word[] = "beamwalk-export 1: algorithm ";

static struct exporter open_exporter(const struct bw_export *export, struct bw_text *out,
				     struct bw_error *error)
{
	return (struct exporter){.export = export, .arena = bw_arena_new(), .out = out, .error = error};
}

static void close_exporter(struct exporter *exporter)
{
	bw_arena_free(exporter->arena);
	free(exporter->loops);
	free(exporter->taken);
}

static uint64_t schedule_hash(const struct bw_export *export)
{
	return export->schedule ? bw_schedule_hash(export->schedule) : 0;
}

/* Returns the name of the function: schedule_harris, schedule_harris_Ix. */
static const char *function_name(struct exporter *exporter)
{
	const struct bw_export *export = exporter->export;
	BW_SCOPED_MEMORY char *name = bw_format("schedule_%s%s%s", export->pipeline->name, export->func ? "_" : "",
		       export->func ? export->func : "");
	return bw_export_identifier(exporter, name);
}

/* Prints the call of the schedule function. Names of the generator's base class are written with `this->`,
 * as class templates need it. */
static void print_guard(const struct bw_export *export, const char *function, struct bw_text *out)
{
	const char *guard = export->halide >= 15 ? "!this->using_autoscheduler()" : "!this->auto_schedule",
		   *other = export->halide ? "" : " // Halide 15 and later: !this->using_autoscheduler()";
	bw_text_printf(out,
		       "//     if (%s && this->get_target().has_gpu_feature())%s\n//         %s(this->get_pipeline());\n",
		       guard, other, function);
}

static void print_outputs(const struct bw_pipeline *pipeline, struct bw_text *out)
{
	int n = 0;
	bw_text_puts(out, "Pipeline(std::vector<Func>{");
	for (int f = 0; f < pipeline->n_funcs; f++)
		if (pipeline->funcs[f].output && !pipeline->funcs[f].for_extern) {
			bw_text_puts(out, n++ ? ", " : "");
			bw_export_comment(pipeline->funcs[f].name, out);
		}
	for (int i = 0; i < pipeline->n_externs; i++)
		if (pipeline->externs[i].output) {
			bw_text_puts(out, n++ ? ", " : "");
			bw_export_comment(pipeline->externs[i].name, out);
		}
	bw_text_puts(out, "})");
}

static void print_mark(const struct bw_export *export, struct bw_text *out)
{
	bw_text_printf(out, "// %s%016" PRIx64 ", schedule %016" PRIx64 ", pipeline ", mark_word,
		       export->pipeline->algorithm, schedule_hash(export));
	bw_export_comment(export->pipeline->name, out);
}

/* Appends the mark and the name of the pipeline or Func. */
static void print_head(const struct bw_export *export, struct bw_text *out)
{
	const char *name = export->pipeline->name;
	print_mark(export, out);
	bw_text_puts(out, "\n// The schedule of ");
	if (export->func) {
		bw_text_puts(out, "Func ");
		bw_export_comment(export->func, out);
		bw_text_puts(out, " of ");
	}
	bw_export_comment(name, out);
	bw_text_printf(out, ", by beamwalk %s", export->version);
	if (export->note) {
		bw_text_puts(out, ": ");
		bw_export_comment(export->note, out);
	}
	bw_text_puts(out, "\n#include <Halide.h>\n\n");
}

/* Appends the instructions for using the schedule in a generator. */
static void print_use(const struct bw_export *export, const char *function, const char *given,
		      struct bw_text *out)
{
	if (given)
		bw_text_printf(out, "\n// To use it: where the generator has these Funcs in variables of its own, call %s with them, or paste its body.\n"
				    "// Else, put this file before the generator's class, as text or by #include, and call in schedule():\n", given);
	else
		bw_text_puts(out, "// To use it: put this file before the generator's class, as text or by #include, and call in schedule():\n");
	print_guard(export, function, out);
	bw_text_printf(out, "// Without a schedule(): the same at the end of generate(), with ");
	print_outputs(export->pipeline, out);
	bw_text_puts(
	    out,
	    " for this->get_pipeline().\n// The guard leaves the Funcs to an autoscheduler, such as beamwalk, where one is asked for. To see whether the algorithm has\n"
	    "// changed since: beamwalk export PIPELINE --check FILE\n");
}

/* Returns true if no directive is exported: the only Func is just inlined. */
static bool nothing_chosen(const struct exporter *exporter)
{
	for (int i = 0; i < exporter->export->directives->n; i++)
		if (exporter->chosen[i])
			return false;
	return true;
}

static void print_body(struct exporter *exporter)
{
	if (nothing_chosen(exporter)) {
		bw_text_puts(exporter->out, "\t// Inlined, as all Funcs are that nothing is said of.\n\t(void)pipeline;\n");
		return;
	}
	bw_text_puts(exporter->out, "\tusing namespace Halide;\n\n");
	bw_export_print(exporter);
}

bool bw_export_body(const struct bw_export *export, struct bw_text *out, struct bw_error *error)
{
	struct exporter exporter = open_exporter(export, out, error);
	bool good = bw_export_resolve(&exporter);
	if (good) {
		print_mark(export, out);
		bw_text_puts(out, "\n");
		print_body(&exporter);
	}
	close_exporter(&exporter);
	return good;
}

bool bw_export_cpp(const struct bw_export *export, struct bw_text *out, struct bw_error *error)
{
	struct exporter exporter = open_exporter(export, out, error);
	const char *function = function_name(&exporter);
	const char *given = bw_export_identifier(&exporter, bw_arena_format(exporter.arena, "%s_funcs", function));
	bool good = bw_export_resolve(&exporter);
	if (good) {
		bool nothing = nothing_chosen(&exporter);
		print_head(export, out);
		if (!nothing)
			bw_export_print_given(&exporter, given);
		print_use(export, function, nothing ? NULL : given, out);
		bw_text_printf(out, "inline void %s(Halide::Pipeline pipeline)\n{\n", function);
		if (nothing)
			print_body(&exporter);
		else
			bw_export_print_found(&exporter, given);
		bw_text_puts(out, "}\n");
	}
	close_exporter(&exporter);
	return good;
}

static json_t *funcs_json(const struct exporter *exporter)
{
	json_t *list = json_array();
	for (int i = 0; i < exporter->n_funcs; i++)
		if (exporter->funcs[i].func)
			json_array_append_new(list, json_pack("{s:i, s:s}", "handle", i, "name", exporter->funcs[i].name));
	return list;
}

/* Returns the exported directives in the form of bw_directives_print. */
static json_t *directives_json(const struct exporter *exporter)
{
	const struct bw_directives *all = exporter->export->directives;
	struct bw_directives some = {.list = BW_ARENA_ARRAY(exporter->arena, struct bw_directive, all->n + 1)};
	BW_SCOPED_TEXT text = {0};
	for (int i = 0; i < all->n; i++)
		if (exporter->chosen[i])
			some.list[some.n++] = all->list[i];
	bw_directives_print(&some, &text);
	return json_loads(bw_text_get(&text), 0, NULL);
}

static json_t *hash_json(uint64_t hash)
{
	char digits[17];
	snprintf(digits, sizeof digits, "%016" PRIx64, hash);
	return json_string(digits);
}

bool bw_export_json(const struct bw_export *export, struct bw_text *out, struct bw_error *error)
{
	struct exporter exporter = open_exporter(export, out, error);
	bool good = bw_export_resolve(&exporter);
	if (good) {
		json_t *object = json_pack("{s:i, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "beamwalk-export", 1, "version", export->version, "pipeline", export->pipeline->name, "halide", export->pipeline->halide,
					   "algorithm", hash_json(export->pipeline->algorithm), "schedule_hash", hash_json(schedule_hash(export)), "funcs", funcs_json(&exporter), "directives", directives_json(&exporter));
		if (export->func)
			json_object_set_new(object, "func", json_string(export->func));
		if (export->note)
			json_object_set_new(object, "note", json_string(export->note));
		if (export->schedule) {
			BW_SCOPED_TEXT text = {0};
			bw_schedule_print(export->pipeline, export->schedule, &text);
			json_object_set_new(object, "schedule", json_string(bw_text_get(&text)));
		}
		bw_json_put_line(out, object, JSON_INDENT(2));
	}
	close_exporter(&exporter);
	return good;
}

/* Reads a hash of 16 digits. The text `after` must follow the hash. */
static const char *read_hash(const char *at, const char *after, uint64_t *hash)
{
	char digits[17] = {0}, *end;
	memcpy(digits, at, strnlen(at, 16));
	*hash = strtoull(digits, &end, 16);
	if (end != digits + 16 || !isxdigit((unsigned char)*digits) || strncmp(at + 16, after, strlen(after)) != 0)
		return NULL;
	return at + 16 + strlen(after);
}

static bool read_mark(const char *at, struct bw_export_mark *mark)
{
	at = read_hash(at, ", schedule ", &mark->algorithm);
	at = at ? read_hash(at, ", pipeline ", &mark->schedule) : NULL;
	if (!at)
		return false;
	snprintf(mark->pipeline, sizeof mark->pipeline, "%.*s", (int)strcspn(at, "\r\n"), at);
	return true;
}

bool bw_export_next_mark(const char **at, int *line, struct bw_export_mark *mark)
{
	for (const char *found; (found = strstr(*at, mark_word));) {
		for (; *at < found; ++*at)
			*line += **at == '\n';
		*at = found + sizeof mark_word - 1;
		mark->line = *line;
		if (read_mark(*at, mark))
			return true;
	}
	return false;
}

bool bw_export_json_mark(const struct bw_json_at *root, struct bw_export_mark *mark, struct bw_error *error)
{
	struct bw_json_at at;
	int64_t version;
	const char *text;
	if (!bw_json_get_int(root, "beamwalk-export", 1, 1, &version, error) ||
	    !bw_json_get_string(root, "pipeline", &text, error))
		return false;
	snprintf(mark->pipeline, sizeof mark->pipeline, "%s", text);
	if (!bw_json_get(root, "algorithm", &at, error) || !bw_json_string(&at, &text, error))
		return false;
	if (strlen(text) != 16 || !read_hash(text, "", &mark->algorithm))
		return bw_json_fail(&at, error, "expected a hash of 16 digits");
	mark->line = 1;
	mark->schedule = 0;
	if (bw_json_has(root, "schedule_hash", &at) &&
	    (!bw_json_string(&at, &text, error) || strlen(text) != 16 ||
	     !read_hash(text, "", &mark->schedule)))
		return bw_json_fail(&at, error, "expected a hash of 16 digits");
	return true;
}
