/* Names in exported code: C++ identifiers for Halide's names, which may be anything. */
#include "schedule/export_private.h"

#include <ctype.h>
#include <string.h>

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

/* Avoids names with an underscore and a capital at the beginning, or with two underscores, which are
 * reserved for the compiler. */
const char *bw_export_identifier(struct exporter *exporter, const char *name)
{
	struct bw_text id = {0};
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
	bw_text_free(&id);
	BW_GROW(exporter->taken, exporter->n_taken, exporter->taken_capacity);
	exporter->taken[exporter->n_taken++] = kept;
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
