/* The module: its version and target, its variables, its kernels' names and parameters. */
#include <stdarg.h>
#include <stdlib.h>

#include "emulator/memory.h"
#include "emulator/check.h"
#include "emulator/count.h"
#include "emulator/parser.h"

/* The most bytes of variables of a module, and of parameters of a kernel. */
enum { MOST_VARIABLE = 64 << 20, MOST_PARAMETERS = 32764 };

bool bw_parser_fail(struct bw_ptx_parser *parser, int line, const char *format, ...)
{
	if (parser->result != BW_PTX_GOOD)
		return false;
	parser->result = BW_PTX_INVALID;
	va_list arguments;
	va_start(arguments, format);
	int n = snprintf(parser->complaint, parser->complaint_size, "line %d: ", line);
	if (n > 0 && (size_t)n < parser->complaint_size)
		vsnprintf(parser->complaint + n, parser->complaint_size - (size_t)n, format, arguments);
	va_end(arguments);
	return false;
}

bool bw_parser_expected(struct bw_ptx_parser *parser, const char *what)
{
	const struct bw_ptx_token *token = &parser->lexer.token;
	if (token->kind == BW_TOKEN_END)
		return bw_parser_fail(parser, token->line, "the text ends where %s is expected", what);
	return bw_parser_fail(parser, token->line, "%s is expected, not \"%.*s\"", what,
			      token->length > 60 ? 60 : (int)token->length, token->text);
}

bool bw_parser_skip_mark(struct bw_ptx_parser *parser, char mark)
{
	if (!bw_lexer_is_mark(&parser->lexer, mark))
		return false;
	bw_lexer_next(&parser->lexer);
	return true;
}

bool bw_parser_mark(struct bw_ptx_parser *parser, char mark)
{
	char what[4] = {'"', mark, '"', 0};
	return bw_parser_skip_mark(parser, mark) || bw_parser_expected(parser, what);
}

void *bw_parser_grow(struct bw_ptx_parser *parser, void *list, size_t n, size_t size)
{
	if (n & (n - 1)) /* room is always a power of two */
		return list;
	void *grown = realloc(list, (n ? 2 * n : 1) * size);
	if (!grown) {
		bw_parser_fail(parser, parser->lexer.line, "no memory is left to read the module");
		parser->result = BW_PTX_NO_MEMORY;
	}
	return grown;
}

static bool is_of(const struct bw_ptx_token *token, const char *name)
{
	return name && strlen(name) == token->length && memcmp(name, token->text, token->length) == 0;
}

const struct bw_variable *bw_parser_find_variable(const struct bw_ptx_parser *parser,
						  const struct bw_ptx_token *name)
{
	for (size_t k = 0; parser->kernel && k < parser->n_locals; k++)
		if (is_of(name, parser->locals[k].name))
			return &parser->locals[k];
	for (int k = 0; parser->kernel && k < parser->kernel->n_parameters; k++)
		if (is_of(name, parser->kernel->parameters[k].name))
			return &parser->kernel->parameters[k];
	for (int k = 0; k < parser->module->n_variables; k++)
		if (is_of(name, parser->module->variables[k].name))
			return &parser->module->variables[k];
	return NULL;
}

static bool next_number(struct bw_ptx_parser *parser, uint64_t *value)
{
	if (!bw_token_number(&parser->lexer.token, value))
		return bw_parser_expected(parser, "a number");
	bw_lexer_next(&parser->lexer);
	return true;
}

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
			if (!next_number(parser, &declared->alignment))
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
		else if (!next_number(parser, &extent))
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
		if (!next_number(parser, value))
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
	    (bw_parser_skip_mark(parser, '+') && !next_number(parser, &offset)))
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

/* Reads the list of parameters of a kernel. */
static bool read_parameters(struct bw_ptx_parser *parser)
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

/* Reads directives between a kernel's parameters and its body: its intended number of threads, and
 * others without effect. */
static bool read_directives(struct bw_ptx_parser *parser)
{
	struct bw_ptx_lexer *lexer = &parser->lexer;
	while (lexer->token.kind == BW_TOKEN_WORD && *lexer->token.text == '.') {
		bool threads = bw_lexer_is(lexer, ".maxntid") || bw_lexer_is(lexer, ".reqntid");
		uint64_t value, product = 1;
		bw_lexer_next(lexer);
		if (lexer->token.kind == BW_TOKEN_STRING) {
			bw_lexer_next(lexer);
			bw_parser_skip_mark(parser, ';');
		}
		while (lexer->token.kind == BW_TOKEN_NUMBER) {
			if (!next_number(parser, &value))
				return false;
			product = value && product < 4096 && value < 4096 ? product * value : 4096;
			if (!bw_parser_skip_mark(parser, ','))
				break;
		}
		if (threads)
			parser->kernel->most_threads = (int)product;
	}
	return true;
}

/* Places shared variables of the module before the kernel's own. */
static void place_shared(struct bw_ptx_parser *parser)
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

static bool read_kernel(struct bw_ptx_parser *parser)
{
	struct bw_ptx_lexer *lexer = &parser->lexer;
	struct bw_ptx *module = parser->module;
	bw_lexer_next(lexer);
	if (lexer->token.kind != BW_TOKEN_WORD)
		return bw_parser_expected(parser, "a kernel's name");
	for (int k = 0; k < module->n_kernels; k++)
		if (is_of(&lexer->token, module->kernels[k]->name))
			return bw_parser_fail(parser, lexer->token.line,
					      "a second kernel has the name %s; the first one is in line %d",
					      module->kernels[k]->name, module->kernels[k]->line);
	struct bw_ptx_kernel **list = bw_parser_grow(parser, module->kernels, (size_t)module->n_kernels,
						     sizeof *list),
			     *kernel = list ? calloc(1, sizeof *kernel) : NULL;
	if (list)
		module->kernels = list;
	if (!kernel || !(kernel->name = strndup(lexer->token.text, lexer->token.length))) {
		free(kernel);
		return bw_parser_fail(parser, lexer->token.line, "no memory is left to read the module");
	}
	list[module->n_kernels++] = parser->kernel = kernel;
	kernel->module = module;
	kernel->line = lexer->token.line;
	kernel->register_bytes = 4 * BW_LANES; /* offset 0 is reserved for none */
	place_shared(parser);
	bw_lexer_next(lexer);
	bool good = read_parameters(parser) && read_directives(parser) && bw_parser_body(parser);
	parser->kernel = NULL;
	return good;
}

/* Passes over a device function: its declaration or its body. */
static bool skip_function(struct bw_ptx_parser *parser)
{
	int depth = 0;
	for (; parser->lexer.token.kind != BW_TOKEN_END; bw_lexer_next(&parser->lexer)) {
		depth += bw_lexer_is_mark(&parser->lexer, '{') - bw_lexer_is_mark(&parser->lexer, '}');
		if (!depth && (bw_lexer_is_mark(&parser->lexer, '}') || bw_lexer_is_mark(&parser->lexer, ';'))) {
			bw_lexer_next(&parser->lexer);
			return true;
		}
	}
	return bw_parser_expected(parser, "the end of a function");
}

static bool read_version(struct bw_ptx_parser *parser)
{
	struct bw_ptx_token *token = &parser->lexer.token;
	int line = token->line, major = 0, minor = 0;
	char text[16] = "", rest;
	bw_lexer_next(&parser->lexer);
	snprintf(text, sizeof text, "%.*s", (int)token->length, token->text);
	if (sscanf(text, "%2d.%1d%c", &major, &minor, &rest) != 2)
		return bw_parser_expected(parser, "a version");
	bw_lexer_next(&parser->lexer);
	parser->module->version = 10 * major + minor;
	if (parser->module->version <= BW_PTX_NEWEST)
		return true;
	bw_parser_fail(parser, line,
		       "PTX version %d.%d is newer than %d.%d, the newest that this emulator reads", major,
		       minor, BW_PTX_NEWEST / 10, BW_PTX_NEWEST % 10);
	parser->result = BW_PTX_TOO_NEW;
	return false;
}

static bool read_target(struct bw_ptx_parser *parser)
{
	struct bw_ptx_token *token = &parser->lexer.token;
	bw_lexer_next(&parser->lexer);
	char text[16] = "";
	snprintf(text, sizeof text, "%.*s", (int)token->length, token->text);
	if (sscanf(text, "sm_%3d", &parser->module->sm) != 1)
		return bw_parser_expected(parser, "a target sm_NN");
	if (parser->module->sm < BW_SM_OLDEST || parser->module->sm > BW_SM_NEWEST)
		return bw_parser_fail(parser, token->line, "target %s: this emulator runs sm_%d to sm_%d",
				      text, BW_SM_OLDEST, BW_SM_NEWEST);
	do
		bw_lexer_next(&parser->lexer);
	while (bw_lexer_is_mark(&parser->lexer, ',') || bw_lexer_is(&parser->lexer, "debug") ||
	       bw_lexer_is(&parser->lexer, "texmode_independent"));
	return true;
}

/* Passes over directives for debuggers: to the end of their line or of their braces. */
static bool skip_line(struct bw_ptx_parser *parser)
{
	int line = parser->lexer.token.line;
	while (parser->lexer.token.kind != BW_TOKEN_END && parser->lexer.token.line == line &&
	       !bw_lexer_is_mark(&parser->lexer, '{'))
		bw_lexer_next(&parser->lexer);
	return !bw_lexer_is_mark(&parser->lexer, '{') || skip_function(parser);
}

static bool read_item(struct bw_ptx_parser *parser)
{
	struct bw_ptx_lexer *lexer = &parser->lexer;
	static const char *const linkages[] = {".visible", ".extern", ".weak", ".common"};
	for (size_t k = 0; k < sizeof linkages / sizeof *linkages; k++)
		if (bw_lexer_is(lexer, linkages[k]))
			return bw_lexer_next(lexer), true;
	if (bw_lexer_is(lexer, ".version"))
		return read_version(parser);
	if (bw_lexer_is(lexer, ".target"))
		return read_target(parser);
	if (bw_lexer_is(lexer, ".address_size")) {
		uint64_t bits;
		bw_lexer_next(lexer);
		return next_number(parser, &bits) &&
		       (bits == 64 || bw_parser_fail(parser, lexer->token.line,
						     "addresses of 64 bits are expected, not of %llu",
						     (unsigned long long)bits));
	}
	if (bw_lexer_is(lexer, ".file") || bw_lexer_is(lexer, ".section") || bw_lexer_is(lexer, ".loc"))
		return skip_line(parser);
	if (bw_lexer_is(lexer, ".func"))
		return skip_function(parser);
	if (!parser->module->version || !parser->module->sm)
		return bw_parser_expected(parser, ".version and .target");
	if (bw_lexer_is(lexer, ".entry"))
		return read_kernel(parser);
	int space =
	    lexer->token.kind == BW_TOKEN_WORD && lexer->token.length == 7 && *lexer->token.text == '.'
		? memcmp(lexer->token.text, ".global", 7)
		      ? memcmp(lexer->token.text, ".shared", 7) ? 0 : BW_SPACE_SHARED
		      : BW_SPACE_GLOBAL
	    : bw_lexer_is(lexer, ".const") ? BW_SPACE_CONST
					   : 0;
	if (!space)
		return bw_parser_expected(parser, "a kernel or a variable");
	bw_lexer_next(lexer);
	return bw_parser_variable(parser, space) && bw_parser_mark(parser, ';');
}

static void end_parser(struct bw_ptx_parser *parser)
{
	for (size_t k = 0; k < parser->n_locals; k++)
		free(parser->locals[k].name);
	free(parser->locals);
	free(parser->registers);
	free(parser->labels);
	free(parser->wanted);
	free(parser->constants);
	bw_parser_forget_functions(parser);
	free(parser->functions);
	free(parser->calls);
}

/* Returns the text without the comments and empty lines that it begins with. So lines count as in the text
 * that is kept of an object. */
static const char *skip_comments(const char *text, size_t *length)
{
	const char *end = text + *length, *at = text;
	while (at < end && (*at == '\n' || *at == '\r' || (end - at > 1 && at[0] == '/' && at[1] == '/'))) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		at = newline ? newline + 1 : end;
	}
	*length = (size_t)(end - at);
	return at;
}

enum bw_ptx_result bw_ptx_read(const char *text, size_t length, struct bw_ptx **module, char *complaint,
			       size_t size)
{
	text = skip_comments(text, &length);
	struct bw_ptx_parser parser = {
	    .module = calloc(1, sizeof *parser.module), .function = -1, .complaint = complaint,
	    .complaint_size = size};
	*module = NULL;
	if (!parser.module)
		return snprintf(complaint, size, "no memory is left to read the module"), BW_PTX_NO_MEMORY;
	bw_lexer_start(&parser.lexer, text, length);
	bool good = bw_parser_find_functions(&parser);
	while (good && parser.lexer.token.kind != BW_TOKEN_END)
		good = read_item(&parser);
	if (good && (!parser.module->version || !parser.module->sm))
		good = bw_parser_fail(&parser, 1, "this is no PTX: it has no .version and .target");
	if (good && !(bw_places_read(&parser.module->places, text, length) && bw_parts_find(parser.module) &&
		      bw_check_prepare(parser.module)))
		good = bw_parser_fail(&parser, 1, "no memory is left to read the module");
	end_parser(&parser);
	if (good)
		bw_counters_find(*module = parser.module);
	else
		bw_ptx_free(parser.module);
	return good ? BW_PTX_GOOD : parser.result;
}

struct bw_ptx_kernel *bw_ptx_find(const struct bw_ptx *module, const char *name)
{
	for (int k = 0; k < module->n_kernels; k++)
		if (!strcmp(module->kernels[k]->name, name))
			return module->kernels[k];
	return NULL;
}

void bw_ptx_free(struct bw_ptx *module)
{
	if (!module)
		return;
	for (int k = 0; k < module->n_kernels; k++) {
		struct bw_ptx_kernel *kernel = module->kernels[k];
		for (int p = 0; p < kernel->n_parameters; p++)
			free(kernel->parameters[p].name);
		free(kernel->parameters);
		free(kernel->code);
		free(kernel->parts);
		free(kernel->constants);
		free(kernel->name);
		free(kernel);
	}
	for (int k = 0; k < module->n_variables; k++) {
		free(module->variables[k].name);
		free(module->variables[k].memory);
	}
	for (int k = 0; k < module->n_opcodes; k++)
		free(module->opcodes[k]);
	bw_places_end(&module->places);
	free(module->kernels);
	free(module->variables);
	free(module->opcodes);
	free(module);
}
