/* What a module declares: its variables, those of its kernels, and its device functions, each found by its
 * name. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/memory.h"
#include "emulator/parser.h"

/* The most bytes of variables of a module, and of parameters of a kernel. */
enum { MOST_VARIABLE = 64 << 20, MOST_PARAMETERS = 32764 };

const struct bw_variable *bw_parser_find_variable(const struct bw_ptx_parser *parser,
						  const struct bw_ptx_token *name)
{
	for (size_t k = 0; parser->kernel && k < parser->n_locals; k++)
		if (bw_token_is(name, parser->locals[k].name))
			return &parser->locals[k];
	for (int k = 0; parser->kernel && k < parser->kernel->n_parameters; k++)
		if (bw_token_is(name, parser->kernel->parameters[k].name))
			return &parser->kernel->parameters[k];
	for (int k = 0; k < parser->module->n_variables; k++)
		if (bw_token_is(name, parser->module->variables[k].name))
			return &parser->module->variables[k];
	return NULL;
}

/* Functions. */

bool bw_parser_find_functions(struct bw_ptx_parser *parser)
{
	struct bw_ptx_lexer lexer = parser->lexer;
	if (!memmem(lexer.at, (size_t)(lexer.end - lexer.at), ".func", 5))
		return true;
	for (; lexer.token.kind != BW_TOKEN_END; bw_lexer_next(&lexer)) {
		if (!bw_lexer_is(&lexer, ".func"))
			continue;
		bw_lexer_next(&lexer);
		struct bw_function function = {.signature = lexer, .entry = -1};
		bw_lexer_skip_list(&lexer);
		function.name = lexer.token;
		bw_lexer_next(&lexer);
		bw_lexer_skip_list(&lexer);
		while (lexer.token.kind == BW_TOKEN_WORD || lexer.token.kind == BW_TOKEN_NUMBER)
			bw_lexer_next(&lexer); /* directives */
		if (!bw_lexer_is_mark(&lexer, '{'))
			continue;
		function.body = lexer;
		struct bw_function *list =
		    bw_parser_grow(parser, parser->functions, (size_t)parser->n_functions, sizeof *list);
		if (!list)
			return false;
		parser->functions = list;
		list[parser->n_functions++] = function;
	}
	return true;
}

int bw_parser_find_function(const struct bw_ptx_parser *parser, const struct bw_ptx_token *name)
{
	int f = 0;
	while (f < parser->n_functions && !bw_token_same(&parser->functions[f].name, name))
		f++;
	return f;
}

uint64_t bw_function_address(int number)
{
	return BW_FUNCTION_WINDOW + 16 * (uint64_t)number;
}

void bw_parser_forget_functions(struct bw_ptx_parser *parser)
{
	for (int f = 0; f < parser->n_functions; f++) {
		struct bw_function *function = &parser->functions[f];
		for (int k = 0; k < function->n_formals; k++)
			free(function->formals[k].name);
		free(function->formals);
		function->formals = NULL;
		function->n_formals = function->n_results = 0;
		function->called = false;
		function->entry = -1;
	}
}

/* Variables. */

/* Type, alignment, name and extent of a variable. */
struct declared {
	struct bw_ptx_token name;
	uint64_t element, bytes, alignment;
	bool unsized;
};

static bool read_declared(struct bw_ptx_parser *parser, struct declared *declared)
{
	struct bw_ptx_lexer *lexer = &parser->lexer;
	*declared = (struct declared){.element = 0, .alignment = 1};
	while (lexer->token.kind == BW_TOKEN_WORD && *lexer->token.text == '.') {
		char name[16] = "";
		if (bw_lexer_is(lexer, ".align")) {
			bw_lexer_next(lexer);
			if (!bw_parser_number(parser, &declared->alignment))
				return false;
			continue;
		}
		snprintf(name, sizeof name, "%.*s", (int)lexer->token.length - 1, lexer->token.text + 1);
		const struct bw_type *type = bw_type_find(name);
		if (type && type->kind != 'p')
			declared->element = type->bytes;
		else if (strcmp(name, "ptr") && strcmp(name, "global") && strcmp(name, "shared") &&
			 strcmp(name, "const") && strcmp(name, "local"))
			return bw_parser_expected(parser, "a type");
		bw_lexer_next(lexer);
	}
	if (!declared->element || lexer->token.kind != BW_TOKEN_WORD)
		return bw_parser_expected(parser, declared->element ? "a name" : "a type");
	if (!declared->alignment || declared->alignment & (declared->alignment - 1) || declared->alignment > 4096)
		return bw_parser_fail(parser, lexer->token.line, "an alignment is a power of two of at most 4096");
	declared->name = lexer->token;
	bw_lexer_next(lexer);
	declared->bytes = declared->element;
	while (bw_parser_skip_mark(parser, '[')) {
		uint64_t extent = 0;
		if (bw_lexer_is_mark(lexer, ']'))
			declared->unsized = true;
		else if (!bw_parser_number(parser, &extent))
			return false;
		if (extent > MOST_VARIABLE || extent * declared->bytes > MOST_VARIABLE)
			return bw_parser_fail(parser, declared->name.line, "%.*s is too large",
					      (int)declared->name.length, declared->name.text);
		declared->bytes *= extent;
		if (!bw_parser_mark(parser, ']'))
			return false;
	}
	if (declared->alignment < declared->element)
		declared->alignment = declared->element;
	return true;
}

static uint64_t align(uint64_t at, uint64_t alignment)
{
	return (at + alignment - 1) & ~(alignment - 1);
}

/* Reads a number, or the address of a variable or of a function: `NAME`, `generic(NAME)+4`. */
static bool read_value(struct bw_ptx_parser *parser, uint64_t *value)
{
	struct bw_ptx_lexer *lexer = &parser->lexer;
	bool negative = bw_parser_skip_mark(parser, '-'), generic = bw_lexer_is(lexer, "generic");
	if (negative || lexer->token.kind != BW_TOKEN_WORD) {
		if (!bw_parser_number(parser, value))
			return false;
		*value = negative ? 0 - *value : *value;
		return true;
	}
	if (generic) {
		bw_lexer_next(lexer);
		if (!bw_parser_mark(parser, '('))
			return false;
	}
	const struct bw_variable *variable = bw_parser_find_variable(parser, &lexer->token);
	int function = bw_parser_find_function(parser, &lexer->token);
	uint64_t offset = 0;
	if (!(variable && variable->memory) && function == parser->n_functions)
		return bw_parser_expected(parser, "a number, or the name of a variable or function,");
	*value = variable ? variable->at : bw_function_address(function);
	bw_lexer_next(lexer);
	if ((generic && !bw_parser_mark(parser, ')')) ||
	    (bw_parser_skip_mark(parser, '+') && !bw_parser_number(parser, &offset)))
		return false;
	*value += offset;
	return true;
}

/* Reads `= 7` or `= {1, 2, 3}` into the variable's memory. */
static bool read_values(struct bw_ptx_parser *parser, struct bw_variable *variable, uint64_t element)
{
	uint64_t at = 0;
	bool braced = bw_parser_skip_mark(parser, '{');
	do {
		uint64_t value;
		if (!read_value(parser, &value))
			return false;
		if (!variable->memory || at + element > variable->bytes)
			return bw_parser_fail(parser, parser->lexer.token.line,
					      "%s has no room for so many values", variable->name);
		memcpy(variable->memory + at, &value, element);
		at += element;
	} while (braced && bw_parser_skip_mark(parser, ','));
	return !braced || bw_parser_mark(parser, '}');
}

/* Places a variable in its space. */
static bool place_variable(struct bw_ptx_parser *parser, const struct declared *declared,
			   struct bw_variable *variable)
{
	struct bw_ptx_kernel *kernel = parser->kernel;
	if (variable->space == BW_SPACE_SHARED || variable->space == BW_SPACE_LOCAL) {
		if (!kernel && variable->space == BW_SPACE_LOCAL)
			return bw_parser_fail(parser, declared->name.line, "local memory belongs to a kernel");
		/* Shared variables of the module come first in every kernel, so they are placed when a kernel begins. */
		uint32_t *used =
		    kernel ? variable->space == BW_SPACE_SHARED ? &kernel->shared_bytes : &kernel->local_bytes
			   : NULL;
		if (!used)
			return variable->at = declared->alignment, true;
		variable->at = align(*used, declared->alignment);
		if (variable->at + declared->bytes > MOST_VARIABLE)
			return bw_parser_fail(parser, declared->name.line, "%s is too large", variable->name);
		*used = (uint32_t)(variable->at + declared->bytes);
		return true;
	}
	void *memory = NULL;
	if (declared->bytes && posix_memalign(&memory, 256, declared->bytes))
		return bw_parser_fail(parser, declared->name.line, "no memory is left for %s", variable->name);
	if (memory)
		memset(memory, 0, declared->bytes);
	variable->memory = memory;
	variable->at = (uint64_t)(uintptr_t)memory;
	return true;
}

bool bw_parser_variable(struct bw_ptx_parser *parser, enum bw_space space)
{
	struct declared declared;
	if (!read_declared(parser, &declared))
		return false;
	bool local = parser->kernel && (space == BW_SPACE_SHARED || space == BW_SPACE_LOCAL);
	if (bw_parser_find_variable(parser, &declared.name))
		return bw_parser_fail(parser, declared.name.line, "%.*s is declared twice",
				      (int)declared.name.length, declared.name.text);
	struct bw_variable *list = local ? parser->locals : parser->module->variables;
	size_t n = local ? parser->n_locals : (size_t)parser->module->n_variables;
	if (!(list = bw_parser_grow(parser, list, n, sizeof *list)))
		return false;
	if (local)
		parser->locals = list;
	else
		parser->module->variables = list;
	struct bw_variable *variable = &list[n];
	*variable = (struct bw_variable){.name = strndup(declared.name.text, declared.name.length),
					 .space = space,
					 .bytes = declared.unsized ? 0 : declared.bytes};
	parser->n_locals += local;
	parser->module->n_variables += !local;
	if (!variable->name)
		return bw_parser_fail(parser, declared.name.line, "no memory is left to read the module");
	if (declared.unsized && space != BW_SPACE_SHARED)
		return bw_parser_fail(parser, declared.name.line, "%s has no extent", variable->name);
	declared.bytes = variable->bytes;
	if (!place_variable(parser, &declared, variable))
		return false;
	return !bw_parser_skip_mark(parser, '=') || read_values(parser, variable, declared.element);
}

bool bw_parser_formal(struct bw_ptx_parser *parser, struct bw_variable *formal)
{
	struct declared declared;
	if (!bw_lexer_is(&parser->lexer, ".param"))
		return bw_parser_expected(parser, "a parameter in .param");
	bw_lexer_next(&parser->lexer);
	if (!read_declared(parser, &declared))
		return false;
	*formal = (struct bw_variable){.name = strndup(declared.name.text, declared.name.length),
				       .space = BW_SPACE_LOCAL,
				       .bytes = declared.bytes};
	return formal->name && place_variable(parser, &declared, formal);
}

bool bw_parser_parameters(struct bw_ptx_parser *parser)
{
	struct bw_ptx_kernel *kernel = parser->kernel;
	if (!bw_parser_skip_mark(parser, '(') || bw_parser_skip_mark(parser, ')'))
		return true;
	do {
		struct declared declared;
		if (!bw_lexer_is(&parser->lexer, ".param"))
			return bw_parser_expected(parser, "a parameter");
		bw_lexer_next(&parser->lexer);
		if (!read_declared(parser, &declared))
			return false;
		struct bw_variable *list =
		    bw_parser_grow(parser, kernel->parameters, (size_t)kernel->n_parameters, sizeof *list);
		if (!list)
			return false;
		kernel->parameters = list;
		uint64_t at = align(kernel->parameter_bytes, declared.alignment);
		if (at + declared.bytes > MOST_PARAMETERS)
			return bw_parser_fail(parser, declared.name.line,
					      "%s has more than %d bytes of parameters", kernel->name,
					      MOST_PARAMETERS);
		list[kernel->n_parameters++] =
		    (struct bw_variable){.name = strndup(declared.name.text, declared.name.length),
					 .space = BW_SPACE_PARAM,
					 .at = at,
					 .bytes = declared.bytes};
		kernel->parameter_bytes = (uint32_t)(at + declared.bytes);
	} while (bw_parser_skip_mark(parser, ','));
	return bw_parser_mark(parser, ')');
}

void bw_parser_place_shared(struct bw_ptx_parser *parser)
{
	for (int k = 0; k < parser->module->n_variables; k++) {
		struct bw_variable *variable = &parser->module->variables[k];
		if (variable->space != BW_SPACE_SHARED)
			continue;
		if (parser->module->n_kernels == 1)
			variable->at = align(parser->kernel->shared_bytes, variable->at);
		if (variable->bytes)
			parser->kernel->shared_bytes = (uint32_t)(variable->at + variable->bytes);
	}
}
