/* The module: its version and target, its kernels' names and parameters. */
#include <stdlib.h>

#include "emulator/memory.h"
#include "emulator/check.h"
#include "emulator/count.h"
#include "emulator/parser.h"

/* Reads the directives between a kernel's parameters and its body. The ones for the number of threads have
 * an effect; all others are ignored. */
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
			if (!bw_parser_number(parser, &value))
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

static bool read_kernel(struct bw_ptx_parser *parser)
{
	struct bw_ptx_lexer *lexer = &parser->lexer;
	struct bw_ptx *module = parser->module;
	bw_lexer_next(lexer);
	if (lexer->token.kind != BW_TOKEN_WORD)
		return bw_parser_expected(parser, "a kernel's name");
	for (int k = 0; k < module->n_kernels; k++)
		if (bw_token_is(&lexer->token, module->kernels[k]->name))
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
	bw_parser_place_shared(parser);
	bw_lexer_next(lexer);
	bool good = bw_parser_parameters(parser) && read_directives(parser) && bw_parser_body(parser);
	parser->kernel = NULL;
	return good;
}

/* Skips the declaration or the definition of a device function. */
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

/* Skips a directive for debuggers, up to the end of its line or of its braces. */
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
		return bw_parser_number(parser, &bits) &&
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

/* Returns the text without the comments and empty lines at its beginning, so that line numbers are the same
 * as in the text that is stored for an object. */
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
