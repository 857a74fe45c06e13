/* Resolves the Funcs and loops that the directives name: finds them, determines how code in another
 * process can find them, and chooses their identifiers. */
#include "schedule/export_private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Names in exported code: makes C++ identifiers from Halide's names, which may be any text. */

/* Words that cannot be identifiers: keywords and alternative tokens of C++, names in the exported code,
 * and macros of compilers and common headers. */
static const char *const reserved[] = {
	"alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char", "char16_t", "char32_t", "char8_t",
	"class", "co_await", "co_return", "co_yield", "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype",
	"default", "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
	"inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected",
	"public", "register", "reinterpret_cast", "requires", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct",
	"switch", "template", "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unsigned", "using", "virtual", "void",
	"volatile", "wchar_t", "while", "xor", "xor_eq",
	"Func", "Halide", "LoopLevel", "MemoryType", "Pipeline", "RVar", "Stage", "TailStrategy", "Var", "VarOrRVar", "found", "func", "n_funcs", "pipeline", "std",
	"BIG_ENDIAN", "BUFSIZ", "DOMAIN", "EOF", "FALSE", "I", "INFINITY", "LITTLE_ENDIAN", "NAN", "NULL", "OVERFLOW", "RAND_MAX", "TRUE", "UNDERFLOW", "assert",
	"errno", "far", "i386", "linux", "major", "max", "min", "minor", "near", "offsetof", "small", "stderr", "stdin", "stdout", "unix",
};

static bool is_taken(const struct exporter *exporter, const char *id)
{
	for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
		if (!strcmp(reserved[i], id))
			return true;
	for (int i = 0; i < exporter->n_taken; i++)
		if (!strcmp(exporter->taken[i], id))
			return true;
	return false;
}

/* Avoids names that are reserved for the compiler: those that begin with an underscore and a capital, or
 * contain two underscores. */
const char *bw_export_identifier(struct exporter *exporter, const char *name)
{
	BW_SCOPED_TEXT id = {0};
	if (isdigit((unsigned char)*name) || !*name)
		bw_text_puts(&id, "n");
	for (const char *at = name; *at; at++) {
		char c = isalnum((unsigned char)*at) && (unsigned char)*at < 0x80 ? *at : '_';
		bool under = id.length == 0 || id.bytes[id.length - 1] == '_';
		if (c == '_' && id.length && under)
			continue;
		if (isupper((unsigned char)c) && id.length == 1 && under)
			bw_text_puts(&id, "n");
		bw_text_append(&id, &c, 1);
	}
	if (is_taken(exporter, id.bytes)) {
		size_t length = id.length;
		const char *join = id.bytes[length - 1] == '_' ? "n" : "_";
		for (int i = 2; is_taken(exporter, id.bytes); i++) {
			id.bytes[id.length = length] = 0;
			bw_text_printf(&id, "%s%d", join, i);
		}
	}
	const char *kept = bw_arena_strdup(exporter->arena, id.bytes);
	BW_PUSH(exporter->taken, exporter->n_taken, exporter->taken_capacity, kept);
	return kept;
}

/* Halide makes a name unique as NAME$1, and gives nameless objects a letter and a number. */
const char *bw_export_base(struct bw_arena *arena, const char *name, const char **number)
{
	size_t length = strlen(name), digits = length;
	while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
		digits--;
	*number = name + digits;
	char *base = bw_arena_strdup(arena, name);
	if (digits == length || digits == 0)
		return base;
	if (digits == 1)
		base[1] = 0;
	else if (name[digits - 1] == '$')
		base[digits - 1] = 0;
	return base;
}

static int compare_numbers(const char *a, const char *b)
{
	size_t x = strlen(a), y = strlen(b);
	return x != y ? (x < y ? -1 : 1) : strcmp(a, b);
}

int bw_export_rank(const struct exporter *exporter, int func, int *alike)
{
	const char *number, *other_number,
	    *base = bw_export_base(exporter->arena, exporter->funcs[func].name, &number);
	int rank = 0;
	*alike = 0;
	for (int i = 0; i < exporter->n_reached; i++) {
		if (!exporter->funcs[i].name ||
		    strcmp(base, bw_export_base(exporter->arena, exporter->funcs[i].name, &other_number)) !=
			0)
			continue;
		++*alike;
		int order = compare_numbers(other_number, number);
		rank += order < 0 || (order == 0 && i < func);
	}
	return rank;
}

void bw_export_literal(const char *text, struct bw_text *out)
{
	bw_text_puts(out, "\"");
	for (; *text; text++)
		if (strchr("\"\\?", *text))
			bw_text_printf(out, "\\%c", *text);
		else if ((unsigned char)*text < 0x20 || (unsigned char)*text >= 0x7f)
			bw_text_printf(out, "\\%03o", (unsigned char)*text);
		else
			bw_text_append(out, text, 1);
	bw_text_puts(out, "\"");
}

/* Avoids a backslash at the end, which would join the next line. */
void bw_export_comment(const char *text, struct bw_text *out)
{
	for (; *text; text++)
		bw_text_append(out, (unsigned char)*text < 0x20 || *text == '\\' || *text == 0x7f ? "?" : text, 1);
}

/* Finds the Funcs and loops that directives name. */

static bool fail_in(const struct exporter *exporter, int directive)
{
	return bw_fail_in(exporter->error, "directive %d (%s)", directive,
			  bw_directive_name(exporter->export->directives->list[directive].op));
}

static const char *suffix_of(enum bw_directive_op op)
{
	return op == BW_DIRECTIVE_RFACTOR ? "_intm" : op == BW_DIRECTIVE_CLONE_IN ? "_clone" : "_in";
}

/* Returns the Func of an index. The Func must exist before the directive. */
static struct func_symbol *find_func(const struct exporter *exporter, int index, int before)
{
	struct func_symbol *func = index < exporter->n_funcs ? &exporter->funcs[index] : NULL;
	if (func && func->name && func->made_by < before)
		return func;
	bw_fail(exporter->error, BW_ERROR_INPUT, "the pipeline has no Func %d", index);
	return NULL;
}

/* Returns the factored update that makes the Func of an index, or NULL. */
static const struct bw_rfactor *rfactor_of(const struct exporter *exporter, int index)
{
	const struct bw_pipeline *pipeline = exporter->export->pipeline;
	for (int i = 0; i < pipeline->n_rfactors; i++)
		if (pipeline->funcs[pipeline->rfactors[i].made].handle == index)
			return &pipeline->rfactors[i];
	return NULL;
}

static void list_funcs(struct exporter *exporter)
{
	const struct bw_pipeline *pipeline = exporter->export->pipeline;
	const struct bw_directives *directives = exporter->export->directives;
	exporter->n_funcs = bw_pipeline_n_handles(pipeline);
	for (int i = 0; i < directives->n; i++)
		if (directives->list[i].result >= exporter->n_funcs)
			exporter->n_funcs = directives->list[i].result + 1;
	exporter->funcs = BW_ARENA_ARRAY(exporter->arena, struct func_symbol, exporter->n_funcs);
	for (int i = 0; i < exporter->n_funcs; i++)
		exporter->funcs[i].made_by = exporter->funcs[i].parent = exporter->funcs[i].consumer = -1;
	for (int f = 0; f < pipeline->n_funcs; f++)
		if (pipeline->funcs[f].handle >= 0) {
			exporter->funcs[pipeline->funcs[f].handle].name = pipeline->funcs[f].name;
			exporter->funcs[pipeline->funcs[f].handle].func = &pipeline->funcs[f];
		}
	for (int i = 0; i < pipeline->n_folded; i++)
		exporter->funcs[pipeline->folded[i].handle].name = pipeline->folded[i].name;
	for (int i = 0; i < pipeline->n_externs; i++) {
		exporter->funcs[pipeline->externs[i].handle].name = pipeline->externs[i].name;
		exporter->funcs[pipeline->externs[i].handle].external = true;
	}
}

/* Adds the Func that a directive makes, named after the Func that it is derived from. */
static bool add_result(struct exporter *exporter, int i)
{
	const struct bw_directive *directive = &exporter->export->directives->list[i];
	struct func_symbol *result = &exporter->funcs[directive->result],
			   *parent = find_func(exporter, directive->func, i);
	const struct func_symbol *consumer =
	    directive->op == BW_DIRECTIVE_RFACTOR ? parent : find_func(exporter, directive->at_func, i);
	if (!parent || !consumer)
		return false;
	for (int k = 0; k < directive->n_also; k++)
		if (!find_func(exporter, directive->also[k], i))
			return false;
	if (directive->op == BW_DIRECTIVE_RFACTOR && rfactor_of(exporter, directive->result)) {
		result->made_by = i;
		result->parent = directive->func;
		return true;
	}
	if (result->name)
		return bw_fail(exporter->error, BW_ERROR_INPUT, "index %d is that of another Func, %s",
			       directive->result, result->name);
	BW_SCOPED_TEXT name = {0};
	bw_text_printf(&name, "%s%s", parent->name, suffix_of(directive->op));
	if (directive->op != BW_DIRECTIVE_RFACTOR)
		bw_text_printf(&name, "_%s", consumer->name);
	*result = (struct func_symbol){.name = bw_arena_strdup(exporter->arena, bw_text_get(&name)),
				       .made_by = i,
				       .parent = directive->func,
				       .consumer = directive->at_func,
				       .clone = directive->op == BW_DIRECTIVE_CLONE_IN};
	return true;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* The suffixes that f.in() and f.clone_in() add to the name of f. A consumer's name, or `$` and a number,
 * follows. */
static const struct {
	const char *text;
	bool global, clone;
} derivations[] = {{"_in_", false, false},
		   {"_in$", false, false},
		   {"_global_wrapper$", true, false},
		   {"_clone_in_", false, true},
		   {"_clone$", false, true}};

/* Returns the index of a Func that reads this one, or -1. */
static int reader_of(const struct exporter *exporter, const struct bw_func *func)
{
	const struct bw_pipeline *pipeline = exporter->export->pipeline;
	return func->n_consumers ? pipeline->funcs[func->consumers[0]->func].handle : -1;
}

/* Finds a Func that is not in the description, because each of its readers got a clone. Such a Func still
 * has an index. */
static bool find_hidden(const struct exporter *exporter, struct func_symbol *func)
{
	const char *end = strstr(func->name, "_clone_in_");
	if (!end)
		end = strstr(func->name, "_clone$");
	for (int i = 0; end && &exporter->funcs[i] < func; i++)
		if (!exporter->funcs[i].name) {
			char *name = bw_arena_strdup(exporter->arena, func->name);
			name[end - func->name] = 0;
			exporter->funcs[i].name = name;
			func->parent = i;
			func->clone = true;
			func->consumer = reader_of(exporter, func->func);
			return true;
		}
	return false;
}

/* Returns true if the Func's name is that of a wrapper or clone. Also finds its original and its consumer. */
static bool find_parent(const struct exporter *exporter, struct func_symbol *func)
{
	size_t longest = 0;
	for (int i = 0; i < exporter->n_funcs; i++) {
		const char *name = exporter->funcs[i].name;
		size_t length = name ? strlen(name) : 0;
		if (length <= longest || !begins(func->name, name))
			continue;
		for (size_t k = 0; k < sizeof derivations / sizeof *derivations; k++)
			if (begins(func->name + length, derivations[k].text)) {
				longest = length;
				func->parent = i;
				func->clone = derivations[k].clone;
				func->consumer = derivations[k].global ? -1 : reader_of(exporter, func->func);
			}
	}
	return longest > 0 || find_hidden(exporter, func);
}

/* Finds the wrappers and clones that the algorithm itself made. They have the last indexes; the last Func
 * of get_func() is an output. */
static void find_wrappers(struct exporter *exporter)
{
	struct func_symbol *funcs = exporter->funcs;
	int n = exporter->n_funcs;
	while (n > 0 && !funcs[n - 1].external &&
	       (!funcs[n - 1].func || rfactor_of(exporter, n - 1) ||
		(!funcs[n - 1].func->output && find_parent(exporter, &funcs[n - 1]))))
		n--;
	exporter->n_reached = n;
}

/* Chooses the directives to export: all, or those of one Func and of the Funcs derived from it. */
static bool choose(struct exporter *exporter)
{
	const struct bw_export *export = exporter->export;
	bool *wanted = BW_ARENA_ARRAY(exporter->arena, bool, exporter->n_funcs + 1);
	exporter->chosen = BW_ARENA_ARRAY(exporter->arena, bool, export->directives->n + 1);
	int func = export->func ? bw_pipeline_find(export->pipeline, export->func) : -1;
	if (export->func && (func < 0 || export->pipeline->funcs[func].input))
		return bw_fail(exporter->error, BW_ERROR_USAGE, "%s has no Func \"%s\"",
			       export->pipeline->name, export->func);
	for (int i = 0; i < exporter->n_funcs; i++)
		wanted[i] = !export->func || i == export->pipeline->funcs[func].handle;
	for (int i = 0; i < export->directives->n; i++) {
		const struct bw_directive *directive = &export->directives->list[i];
		exporter->chosen[i] = directive->func < exporter->n_funcs && wanted[directive->func];
		if (exporter->chosen[i] && directive->result >= 0)
			wanted[directive->result] = true;
	}
	return true;
}

/* Marks as used a Func, and the Funcs through which it is found. */
static bool use_func(struct exporter *exporter, int index, int before)
{
	struct func_symbol *func = find_func(exporter, index, before);
	if (!func)
		return false;
	if (func->used)
		return true;
	func->used = true;
	if (func->parent >= 0 && !use_func(exporter, func->parent, before))
		return false;
	if (func->consumer >= 0 && !use_func(exporter, func->consumer, before))
		return false;
	for (int i = 0; func->made_by >= 0 && i < exporter->export->directives->list[func->made_by].n_also; i++)
		if (!use_func(exporter, exporter->export->directives->list[func->made_by].also[i], before))
			return false;
	bool left_out = func->made_by >= 0 && !exporter->chosen[func->made_by];
	if (left_out && exporter->export->directives->list[func->made_by].op == BW_DIRECTIVE_RFACTOR)
		return bw_fail(exporter->error, BW_ERROR_INPUT,
			       "%s is made by an rfactor of %s; export the whole schedule", func->name,
			       exporter->funcs[func->parent].name);
	func->id = bw_export_identifier(exporter, func->name);
	return true;
}

/* The origin of a loop's name. rvar -1: there is no loop of this name. */
struct origin {
	int rvar, func, stage, loop;
};

static struct origin origin_of(const struct exporter *exporter, int before, int func, int stage,
			       const char *name)
{
	const struct func_symbol *symbol = &exporter->funcs[func];
	struct origin made = {0, -1, -1, -1};
	for (int i = before - 1; i >= 0; i--) {
		const struct bw_directive *directive = &exporter->export->directives->list[i];
		bool here = directive->func == func && directive->stage == stage;
		if (here && directive->op == BW_DIRECTIVE_SPLIT &&
		    (!strcmp(name, directive->vars[1]) || !strcmp(name, directive->vars[2]))) {
			made.rvar = origin_of(exporter, i, func, stage, directive->vars[0]).rvar;
			return made;
		}
		if (here && directive->op == BW_DIRECTIVE_FUSE && !strcmp(name, directive->vars[2])) {
			int inner = origin_of(exporter, i, func, stage, directive->vars[0]).rvar,
			    outer = origin_of(exporter, i, func, stage, directive->vars[1]).rvar;
			made.rvar = inner < 0 || outer < 0 ? -1 : inner || outer;
			return made;
		}
		/* The other loops of the stage are those over the Func's own dimensions. */
		if (here && directive->op == BW_DIRECTIVE_RFACTOR && origin_of(exporter, i, func, stage, name).rvar < 0)
			return origin_of(exporter, 0, func, 0, name);
	}
	const struct bw_pipeline *pipeline = exporter->export->pipeline;
	for (int i = 0; i < pipeline->n_rfactors; i++) {
		const struct bw_rfactor *rfactor = &pipeline->rfactors[i];
		if (symbol->func == &pipeline->funcs[rfactor->func] && stage == rfactor->stage &&
		    !strcmp(name, rfactor->rvar))
			return (struct origin){1, func, stage, rfactor->loop};
	}
	if (symbol->func) {
		int loop = stage < symbol->func->n_stages ? bw_stage_find_loop(&symbol->func->stages[stage], name) : -1;
		return loop < 0 ? (struct origin){-1, -1, -1, -1}
				: (struct origin){!symbol->func->stages[stage].loops[loop].pure, func, stage,
						  loop};
	}
	const struct bw_directive *maker = &exporter->export->directives->list[symbol->made_by];
	for (int i = 1; maker->op == BW_DIRECTIVE_RFACTOR && i < maker->n_vars; i += 2)
		if (!strcmp(name, maker->vars[i]))
			return made;
	if (maker->op == BW_DIRECTIVE_RFACTOR && stage > 0)
		return origin_of(exporter, symbol->made_by, symbol->parent, maker->stage, name);
	return origin_of(exporter, maker->op == BW_DIRECTIVE_CLONE_IN ? symbol->made_by : 0, symbol->parent,
			 maker->op == BW_DIRECTIVE_CLONE_IN ? stage : 0, name);
}

static struct loop_symbol *find_loop(const struct exporter *exporter, const char *name, bool rvar)
{
	for (int i = 0; i < exporter->n_loops; i++)
		if (exporter->loops[i].rvar == rvar && !strcmp(exporter->loops[i].name, name))
			return &exporter->loops[i];
	return NULL;
}

const struct loop_symbol *bw_export_loop(const struct exporter *exporter, int before, int func, int stage,
					 const char *name)
{
	return find_loop(exporter, name, origin_of(exporter, before, func, stage, name).rvar == 1);
}

/* Adds a loop name if it is new. made: true if the directive makes this loop. */
static bool use_loop(struct exporter *exporter, int i, int func, int stage, const char *name, bool made)
{
	struct origin origin = origin_of(exporter, made ? i + 1 : i, func, stage, name);
	if (origin.rvar < 0)
		return bw_fail(exporter->error, BW_ERROR_INPUT, "%s, stage %d, has no loop %s",
			       exporter->funcs[func].name, stage, name);
	if (find_loop(exporter, name, origin.rvar))
		return true;
	BW_PUSH(exporter->loops, exporter->n_loops, exporter->loops_capacity,
		(struct loop_symbol){name, origin.rvar, NULL, origin.func, origin.stage, origin.loop, i});
	return true;
}

static bool use_loops(struct exporter *exporter, int i)
{
	const struct bw_directive *directive = &exporter->export->directives->list[i];
	bool at = directive->op == BW_DIRECTIVE_COMPUTE_AT || directive->op == BW_DIRECTIVE_STORE_AT;
	for (int v = 0; v < directive->n_vars; v++) {
		bool made = (directive->op == BW_DIRECTIVE_SPLIT && v > 0) ||
			    (directive->op == BW_DIRECTIVE_FUSE && v == 2);
		if (directive->op == BW_DIRECTIVE_RFACTOR && v % 2)
			continue;
		if (!use_loop(exporter, i, at ? directive->at_func : directive->func,
			      at ? directive->at_stage : directive->stage, directive->vars[v], made))
			return false;
	}
	return true;
}

/* Marks all Funcs that a directive names, before and after it. */
static bool use_funcs(struct exporter *exporter, int i)
{
	const struct bw_directive *directive = &exporter->export->directives->list[i];
	bool good = use_func(exporter, directive->func, i) &&
		    (directive->at_func < 0 || use_func(exporter, directive->at_func, i));
	for (int k = 0; k < directive->n_also && good; k++)
		good = use_func(exporter, directive->also[k], i);
	return good;
}

bool bw_export_resolve(struct exporter *exporter)
{
	const struct bw_directives *directives = exporter->export->directives;
	exporter->n_factoring = 2 * exporter->export->pipeline->n_rfactors;
	list_funcs(exporter);
	find_wrappers(exporter);
	for (int i = 0; i < directives->n; i++)
		if (directives->list[i].result >= 0 && !add_result(exporter, i))
			return fail_in(exporter, i);
	if (!choose(exporter))
		return false;
	for (int i = 0; i < directives->n; i++) {
		const struct bw_directive *directive = &directives->list[i];
		if (!exporter->chosen[i] && exporter->export->func)
			continue;
		if (!use_funcs(exporter, i) || !use_loops(exporter, i) ||
		    (directive->result >= 0 && !use_func(exporter, directive->result, i + 1)))
			return fail_in(exporter, i);
	}
	for (int i = 0; i < exporter->n_loops; i++)
		exporter->loops[i].id = bw_export_identifier(exporter, exporter->loops[i].name);
	return true;
}
