/* A kernel's body: registers, variables, labels, instructions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/parser.h"

/* The size of the longest name of an opcode, with its final 0. */
enum { MOST_OPCODE = 80 };

static bool read_one_register(struct bw_ptx_parser *parser, uint8_t bytes)
{
	struct bw_ptx_lexer *lexer = &parser->lexer;
	if (lexer->token.kind != BW_TOKEN_WORD)
		return bw_parser_expected(parser, "a register");
	struct bw_registers *list = bw_parser_grow(parser, parser->registers, parser->n_registers, sizeof *list);
	if (!list)
		return false;
	parser->registers = list;
	struct bw_registers *registers = &list[parser->n_registers];
	*registers = (struct bw_registers){
	    .name = lexer->token.text, .length = lexer->token.length, .count = 1, .bytes = bytes};
	bw_lexer_next(lexer);
	if (bw_parser_skip_mark(parser, '<')) {
		uint64_t count;
		if (!bw_token_number(&lexer->token, &count) || count > BW_MOST_REGISTER_BYTES)
			return bw_parser_expected(parser, "a number of registers");
		bw_lexer_next(lexer);
		registers->numbered = true;
		registers->count = (uint32_t)count;
		if (!bw_parser_mark(parser, '>'))
			return false;
	}
	registers->at = bw_parser_room(parser, registers->count, bytes);
	parser->n_registers++;
	return registers->at != UINT32_MAX;
}

static bool read_registers(struct bw_ptx_parser *parser)
{
	struct bw_ptx_lexer *lexer = &parser->lexer;
	bw_lexer_next(lexer);
	char name[8] = "";
	if (lexer->token.kind == BW_TOKEN_WORD && lexer->token.length < sizeof name)
		memcpy(name, lexer->token.text, lexer->token.length);
	const struct bw_type *type = *name == '.' ? bw_type_find(name + 1) : NULL;
	if (!type)
		return bw_parser_expected(parser, "a type of registers");
	bw_lexer_next(lexer);
	do {
		if (!read_one_register(parser, type->bytes == 1 ? 2 : type->bytes))
			return false;
	} while (bw_parser_skip_mark(parser, ','));
	return bw_parser_mark(parser, ';');
}

static bool add_label(struct bw_ptx_parser *parser, const struct bw_ptx_token *name)
{
	for (size_t k = 0; k < parser->n_labels; k++)
		if (parser->labels[k].length == name->length && !memcmp(parser->labels[k].name, name->text, name->length))
			return bw_parser_fail(parser, name->line, "the label %.*s stands twice", (int)name->length, name->text);
	struct bw_label *list = bw_parser_grow(parser, parser->labels, parser->n_labels, sizeof *list);
	if (!list)
		return false;
	parser->labels = list;
	list[parser->n_labels++] = (struct bw_label){
	    .name = name->text, .length = name->length, .at = parser->kernel->n_code, .line = name->line};
	return true;
}

/* Returns the index of the opcode in the module's list, and adds the opcode to the list if it is new.
 * Returns -1 after a complaint. */
static int intern(struct bw_ptx_parser *parser, const char *name)
{
	struct bw_ptx *module = parser->module;
	for (int k = 0; k < module->n_opcodes; k++)
		if (!strcmp(module->opcodes[k], name))
			return k;
	char **list = bw_parser_grow(parser, module->opcodes, (size_t)module->n_opcodes, sizeof *list);
	if (!list)
		return -1;
	module->opcodes = list;
	if (!(list[module->n_opcodes] = strdup(name)))
		return -1;
	return module->n_opcodes++;
}

/* Finds the space of a parameter access. A function's parameters are in local memory. A kernel's parameters
 * may be read at an address that varies from lane to lane. */
static void place_parameter(const struct bw_ptx_parser *parser, const char *name,
			    struct bw_ptx_instruction *instruction)
{
	bool known = instruction->from[0].constant,
	     local = known ? parser->found && parser->found->space == BW_SPACE_LOCAL : parser->function >= 0;
	struct bw_opcode opcode;
	char other[MOST_OPCODE];
	const char *at = strstr(name, ".param"), *end = at ? strchr(at + 1, '.') : NULL;
	if (!end || (known && !local))
		return;
	snprintf(other, sizeof other, "%.*s.local%s", (int)(at - name), name, end);
	if (!bw_opcode_find(other, &opcode))
		return;
	instruction->execute = opcode.execute;
	instruction->space = local ? BW_SPACE_LOCAL : BW_SPACE_PARAM;
}

/* Reads the operands of an instruction, up to its semicolon, and adds it to the kernel's code. */
static bool read_rest(struct bw_ptx_parser *parser, const struct bw_opcode *opcode, const char *name,
		      struct bw_ptx_instruction *instruction)
{
	bool packing = false;
	parser->found = NULL;
	if (opcode->action == BW_ACTION_CALL)
		return bw_parser_call(parser, instruction);
	if (opcode->action == BW_ACTION_SWITCH) {
		instruction->action = BW_ACTION_BRANCH;
		return bw_parser_switch(parser, instruction);
	}
	if (!strncmp(name, "mov.b", 5) && !bw_parser_packing(parser, instruction, &packing))
		return false;
	if (!packing && !(opcode->action == BW_ACTION_BRANCH ? bw_parser_label(parser)
							     : bw_parser_operands(parser, opcode, instruction)))
		return false;
	if (instruction->space == BW_SPACE_PARAM)
		place_parameter(parser, name, instruction);
	return bw_parser_emit(parser, instruction);
}

/* Reads one instruction, from the word of its opcode to its semicolon. */
static bool read_instruction(struct bw_ptx_parser *parser, const struct bw_operand *guard, bool guard_not)
{
	struct bw_ptx_lexer *lexer = &parser->lexer;
	struct bw_opcode opcode;
	char name[MOST_OPCODE] = "";
	int line = lexer->token.line;
	if (lexer->token.length < sizeof name)
		memcpy(name, lexer->token.text, lexer->token.length);
	if (!bw_opcode_find(name, &opcode))
		return bw_parser_fail(parser, line, "unknown instruction %.*s",
				      lexer->token.length > 60 ? 60 : (int)lexer->token.length,
				      lexer->token.text);
	struct bw_ptx_instruction instruction = {.execute = opcode.execute,
						 .guard = *guard,
						 .guard_not = guard_not,
						 .action = opcode.action,
						 .space = opcode.space,
						 .bytes = opcode.bytes,
						 .order = opcode.order,
						 .is_signed = opcode.is_signed,
						 .offset = opcode.detail,
						 .opcode = intern(parser, name),
						 .line = line};
	bw_lexer_next(lexer);
	if (instruction.opcode < 0)
		return bw_parser_fail(parser, line, "no memory is left to read the module");
	return read_rest(parser, &opcode, name, &instruction) && bw_parser_mark(parser, ';');
}

/* Reads a label or an instruction, which both begin with a word. */
static bool read_statement(struct bw_ptx_parser *parser)
{
	struct bw_ptx_lexer *lexer = &parser->lexer;
	struct bw_operand guard = {.bytes = 1};
	bool guard_not = false;
	if (bw_parser_skip_mark(parser, '@')) {
		guard_not = bw_parser_skip_mark(parser, '!');
		if (!bw_parser_predicate(parser, &guard))
			return false;
	}
	if (lexer->token.kind != BW_TOKEN_WORD)
		return bw_parser_expected(parser, "an instruction");
	struct bw_ptx_lexer ahead = *lexer;
	bw_lexer_next(&ahead);
	if (guard.bytes == 1 && bw_lexer_is_mark(&ahead, ':')) {
		struct bw_ptx_token name = lexer->token;
		bw_lexer_next(lexer);
		bw_lexer_next(lexer);
		return add_label(parser, &name);
	}
	return read_instruction(parser, &guard, guard_not);
}

/* Skips .pragma, .callprototype and .loc, which have no effect here. */
static bool skip_directive(struct bw_ptx_parser *parser)
{
	struct bw_ptx_lexer *lexer = &parser->lexer;
	int line = lexer->token.line;
	bool pragma = !bw_lexer_is(lexer, ".loc"); /* ends with a semicolon */
	while (lexer->token.kind != BW_TOKEN_END &&
	       (pragma ? !bw_lexer_is_mark(lexer, ';') : lexer->token.line == line))
		bw_lexer_next(lexer);
	return !pragma || bw_parser_mark(parser, ';');
}

/* Reads the branch targets listed after a table's label. */
static bool read_table(struct bw_ptx_parser *parser)
{
	struct bw_ptx_lexer *lexer = &parser->lexer;
	struct bw_label *label = parser->n_labels ? &parser->labels[parser->n_labels - 1] : NULL;
	if (!label || label->at != parser->kernel->n_code)
		return bw_parser_expected(parser, "a label in front of its targets");
	bw_lexer_next(lexer);
	label->table = *lexer;
	while (lexer->token.kind == BW_TOKEN_WORD || bw_lexer_is_mark(lexer, ','))
		bw_lexer_next(lexer);
	return bw_parser_mark(parser, ';');
}

static bool read_item(struct bw_ptx_parser *parser)
{
	struct bw_ptx_lexer *lexer = &parser->lexer;
	if (bw_lexer_is(lexer, ".reg"))
		return read_registers(parser);
	if (bw_lexer_is(lexer, ".pragma") || bw_lexer_is(lexer, ".loc") || bw_lexer_is(lexer, ".callprototype"))
		return skip_directive(parser);
	if (bw_lexer_is(lexer, ".branchtargets"))
		return read_table(parser);
	/* Parameters of a call are the thread's own. */
	int space = bw_lexer_is(lexer, ".shared")						 ? BW_SPACE_SHARED
		    : bw_lexer_is(lexer, ".local") || bw_lexer_is(lexer, ".param") ? BW_SPACE_LOCAL
												 : 0;
	if (space) {
		bw_lexer_next(lexer);
		return bw_parser_variable(parser, space) && bw_parser_mark(parser, ';');
	}
	return read_statement(parser);
}

/* Sets the targets of branches. */
static bool resolve_labels(struct bw_ptx_parser *parser)
{
	for (size_t w = 0; w < parser->n_wanted; w++) {
		const struct bw_label *wanted = &parser->wanted[w];
		size_t k = 0;
		while (k < parser->n_labels && (parser->labels[k].length != wanted->length ||
						memcmp(parser->labels[k].name, wanted->name, wanted->length)))
			k++;
		if (k == parser->n_labels)
			return bw_parser_fail(parser, wanted->line, "there is no label %.*s", (int)wanted->length, wanted->name);
		parser->kernel->code[wanted->at].target = parser->labels[k].at;
	}
	return true;
}

/* Writes the kernel's constants to memory, with a copy of each for every lane. */
static bool lay_constants(struct bw_ptx_parser *parser)
{
	struct bw_ptx_kernel *kernel = parser->kernel;
	if (kernel->constant_bytes && posix_memalign((void **)&kernel->constants, 64, kernel->constant_bytes))
		return bw_parser_fail(parser, parser->lexer.token.line, "no memory is left to read the module");
	for (size_t k = 0; k < parser->n_constants; k++) {
		const struct bw_constant *constant = &parser->constants[k];
		if (!constant->bytes)
			memcpy(kernel->constants + constant->at, &(uint32_t){constant->value ? UINT32_MAX : 0}, 4);
		for (int l = 0; constant->bytes && l < BW_LANES; l++)
			memcpy(kernel->constants + constant->at + l * constant->bytes, &constant->value, constant->bytes);
	}
	return true;
}

static void forget_locals(struct bw_ptx_parser *parser, size_t left)
{
	while (parser->n_locals > left)
		free(parser->locals[--parser->n_locals].name);
}

/* Ends the code of a body that begins at instruction `begin`. Appends an instruction that ends the threads
 * of a kernel, or that returns from a function. In a function, all threads leave through this instruction. */
static bool end_body(struct bw_ptx_parser *parser, int begin)
{
	struct bw_ptx_kernel *kernel = parser->kernel;
	int end = kernel->n_code;
	bool function = parser->function >= 0;
	struct bw_ptx_instruction last = {.action = function ? BW_ACTION_RETURN : BW_ACTION_EXIT,
					  .guard.bytes = 1,
					  .opcode = -1,
					  .line = parser->lexer.token.line};
	if (!bw_parser_emit(parser, &last) || !resolve_labels(parser))
		return false;
	for (int k = begin; function && k < end; k++) {
		struct bw_ptx_instruction *instruction = &kernel->code[k];
		if (instruction->action != BW_ACTION_EXIT && instruction->action != BW_ACTION_TRAP)
			continue;
		instruction->target = end;
		if (!strncmp(parser->module->opcodes[instruction->opcode], "ret", 3))
			instruction->action = BW_ACTION_BRANCH;
	}
	forget_locals(parser, 0);
	parser->n_registers = parser->n_labels = parser->n_wanted = 0;
	return true;
}

/* Reads the contents of a body's braces. */
static bool read_scopes(struct bw_ptx_parser *parser)
{
	struct bw_ptx_lexer *lexer = &parser->lexer;
	enum { MOST_SCOPES = 32 };
	struct {
		size_t registers, locals;
	} outer[MOST_SCOPES];
	int depth = 0;
	if (!bw_lexer_is_mark(lexer, '{'))
		return bw_parser_expected(parser, "a kernel's body");
	while (true) {
		if (lexer->token.kind == BW_TOKEN_END)
			return bw_parser_fail(parser, lexer->token.line,
					      "the text ends within kernel %s, which begins in line %d",
					      parser->kernel->name, parser->kernel->line);
		if (bw_parser_skip_mark(parser, '{')) {
			if (depth == MOST_SCOPES)
				return bw_parser_fail(parser, lexer->token.line, "more than %d braces within each other", MOST_SCOPES);
			outer[depth].registers = parser->n_registers;
			outer[depth++].locals = parser->n_locals;
		} else if (bw_lexer_is_mark(lexer, '}')) {
			/* The registers of a scope end with the scope. They stay in the list without a
			 * name, so that the capacity of the list can still be told from its length. */
			for (size_t k = outer[--depth].registers; k < parser->n_registers; k++)
				parser->registers[k].length = 0;
			forget_locals(parser, outer[depth].locals);
			bw_lexer_next(lexer);
			if (!depth)
				return true;
		} else if (!bw_parser_skip_mark(parser, ';') && !read_item(parser)) {
			return false;
		}
	}
}

/* Reads the body of a function that the kernel calls, and appends it to the kernel's code. */
static bool read_function(struct bw_ptx_parser *parser, int number)
{
	struct bw_ptx_lexer here = parser->lexer;
	struct bw_function *function = &parser->functions[number];
	int begin = parser->kernel->n_code;
	function->entry = begin;
	parser->function = number;
	parser->lexer = function->body;
	for (int k = 0; k < function->n_formals; k++) {
		struct bw_variable *list = bw_parser_grow(parser, parser->locals, parser->n_locals, sizeof *list);
		if (!list)
			return false;
		parser->locals = list;
		list[parser->n_locals] = function->formals[k];
		if (!(list[parser->n_locals].name = strdup(function->formals[k].name)))
			return bw_parser_fail(parser, here.token.line, "no memory is left to read the module");
		parser->n_locals++;
	}
	bool good = read_scopes(parser) && end_body(parser, begin);
	parser->function = -1;
	parser->lexer = here;
	return good;
}

bool bw_parser_body(struct bw_ptx_parser *parser)
{
	if (!read_scopes(parser) || !end_body(parser, 0))
		return false;
	for (int f = 0; f < parser->n_functions; f++) {
		if (!parser->functions[f].called || parser->functions[f].entry >= 0)
			continue;
		if (!read_function(parser, f))
			return false;
		f = -1; /* it may have called one that comes before it in the text */
	}
	bool good = bw_parser_resolve_calls(parser) && lay_constants(parser) &&
		    (bw_flow_find_joins(parser->kernel) ||
		     bw_parser_fail(parser, parser->kernel->line, "no memory is left to read the module"));
	parser->n_constants = 0;
	parser->kernel->local_stride = (parser->kernel->local_bytes + 15u) & ~15u;
	return good;
}
