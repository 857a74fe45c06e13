/* A kernel's body: registers, variables, labels, instructions. */
#include <stdlib.h>
#include <string.h>

#include "emulator/parser.h"

/* The reconvergence points of branches: each branch's immediate post-dominator, found by the iterative
 * algorithm of Cooper, Harvey and Kennedy ("A Simple, Fast Dominance Algorithm", 2001) on the reversed
 * graph. */

/* Basic blocks in the order of the code; the last one is the end of all. */
struct graph {
	const struct bw_ptx_instruction *code;
	int n_code, n;
	int *begin;     /* first instruction of each block, and n_code */
	int *of;        /* block of each instruction */
	int (*next)[2]; /* blocks that follow; -1: none */
	int *order, *number;  /* blocks in reverse post-order (of the reversed graph); index in it,
				 -1: cannot reach the end */
	int *above; /* immediate post-dominator; -1: not found */
	int *first, *link,
	    *from; /* for each block its incoming edges: first edge, next edge, origin */
	int n_order;
};

static bool ends_block(const struct bw_ptx_instruction *instruction)
{
	return instruction->action == BW_ACTION_BRANCH || instruction->action == BW_ACTION_EXIT ||
	       instruction->action == BW_ACTION_TRAP || instruction->action == BW_ACTION_RETURN;
}

static bool is_conditional(const struct bw_ptx_instruction *instruction)
{
	return instruction->guard.bytes == 0;
}

static void find_blocks(struct graph *graph)
{
	for (int k = 0; k < graph->n_code; k++)
		graph->of[k] = k == 0;
	for (int k = 0; k < graph->n_code; k++) {
		if (graph->code[k].action == BW_ACTION_BRANCH && graph->code[k].target < graph->n_code)
			graph->of[graph->code[k].target] = 1;
		if (ends_block(&graph->code[k]) && k + 1 < graph->n_code)
			graph->of[k + 1] = 1;
		if (graph->code[k].target && graph->code[k].target < graph->n_code)
			graph->of[graph->code[k].target] = 1;
	}
	for (int k = 0; k < graph->n_code; k++) {
		if (graph->of[k])
			graph->begin[graph->n++] = k;
		graph->of[k] = graph->n - 1;
	}
	graph->begin[graph->n] = graph->n_code;
}

static void find_edges(struct graph *graph)
{
	int end = graph->n, n_edges = 0;
	for (int b = 0; b <= end; b++)
		graph->first[b] = -1;
	for (int b = 0; b < end; b++) {
		const struct bw_ptx_instruction *last = &graph->code[graph->begin[b + 1] - 1];
		int after = b + 1, *next = graph->next[b];
		next[0] = next[1] = -1;
		if (last->action == BW_ACTION_BRANCH)
			next[0] = last->target < graph->n_code ? graph->of[last->target] : end;
		else if (ends_block(last)) /* in a function, exiting threads leave through its end */
			next[0] = last->target ? graph->of[last->target] : end;
		if (next[0] < 0)
			next[0] = after;
		else if (is_conditional(last))
			next[1] = after;
		for (int e = 0; e < 2; e++) {
			if (next[e] < 0)
				continue;
			graph->from[n_edges] = b;
			graph->link[n_edges] = graph->first[next[e]];
			graph->first[next[e]] = n_edges++;
		}
	}
}

/* Numbers the blocks from which the end can be reached, in post-order of a walk from the end along the turned
 * edges. */
static void find_order(struct graph *graph, int *stack, int *edge)
{
	int depth = 0, n = graph->n + 1, placed = n;
	for (int b = 0; b < n; b++)
		graph->number[b] = -1;
	stack[depth] = graph->n;
	edge[depth++] = graph->first[graph->n];
	graph->number[graph->n] = 0;
	while (depth) {
		int e = edge[depth - 1];
		if (e < 0) {
			graph->order[--placed] = stack[--depth];
			continue;
		}
		edge[depth - 1] = graph->link[e];
		if (graph->number[graph->from[e]] >= 0)
			continue;
		graph->number[graph->from[e]] = 0;
		stack[depth] = graph->from[e];
		edge[depth++] = graph->first[graph->from[e]];
	}
	graph->n_order = n - placed;
	memmove(graph->order, graph->order + placed, (size_t)graph->n_order * sizeof *graph->order);
	for (int k = 0; k < graph->n_order; k++)
		graph->number[graph->order[k]] = k;
}

static int meet(const struct graph *graph, int a, int b)
{
	while (a != b) {
		while (graph->number[a] > graph->number[b])
			a = graph->above[a];
		while (graph->number[b] > graph->number[a])
			b = graph->above[b];
	}
	return a;
}

static void find_post_dominators(struct graph *graph)
{
	for (int b = 0; b <= graph->n; b++)
		graph->above[b] = -1;
	graph->above[graph->n] = graph->n;
	for (bool changed = true; changed;) {
		changed = false;
		for (int k = 1; k < graph->n_order; k++) {
			int b = graph->order[k], above = -1;
			for (int e = 0; e < 2; e++) {
				int next = graph->next[b][e];
				if (next >= 0 && graph->number[next] >= 0 && graph->above[next] >= 0)
					above = above < 0 ? next : meet(graph, above, next);
			}
			changed |= graph->above[b] != above;
			graph->above[b] = above;
		}
	}
}

/* Finds the reconvergence point of each branch of the kernel. Returns false if out of memory. */
static bool flow_find_joins(struct bw_ptx_kernel *kernel)
{
	size_t n = (size_t)kernel->n_code + 2;
	int *memory = calloc(13 * n, sizeof *memory);
	if (!memory)
		return false;
	struct graph graph = {.code = kernel->code,
			      .n_code = kernel->n_code,
			      .begin = memory,
			      .of = memory + n,
			      .order = memory + 2 * n,
			      .number = memory + 3 * n,
			      .above = memory + 4 * n,
			      .first = memory + 5 * n,
			      .link = memory + 6 * n,
			      .from = memory + 8 * n,
			      .next = (int(*)[2])(memory + 10 * n)};
	int *stack = memory + 12 * n, *edge = calloc(n, sizeof *edge);
	if (edge) {
		find_blocks(&graph);
		find_edges(&graph);
		find_order(&graph, stack, edge);
		find_post_dominators(&graph);
		for (int k = 0; k < kernel->n_code; k++) {
			int above = graph.above[graph.of[k]];
			kernel->code[k].join = above < 0 || above == graph.n ? kernel->n_code : graph.begin[above];
		}
	}
	free(edge);
	free(memory);
	return edge != NULL;
}

/* The most bytes of registers of a warp. */
enum { MOST_REGISTER_BYTES = 64 << 20 };

uint32_t bw_parser_room(struct bw_ptx_parser *parser, uint32_t count, uint8_t bytes)
{
	struct bw_ptx_kernel *kernel = parser->kernel;
	uint64_t at = bytes ? (kernel->register_bytes + 63u) & ~63u : kernel->register_bytes,
		 needed = (uint64_t)count * (bytes ? bytes * (unsigned)BW_LANES : 4);
	if (at + needed > MOST_REGISTER_BYTES) {
		bw_parser_fail(parser, parser->lexer.token.line, "%s has too many registers", kernel->name);
		return UINT32_MAX;
	}
	kernel->register_bytes = (uint32_t)(at + needed);
	return (uint32_t)at;
}

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
		if (!bw_token_number(&lexer->token, &count) || count > MOST_REGISTER_BYTES)
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
	return bw_parser_instruction(parser, &guard, guard_not);
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

/* Copies the constants for all lanes. */
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

/* Ends the code of a body, which begins at an instruction, with one that ends the threads, or the function.
 * There the threads of a function meet. */
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
			/* Registers of a scope end with it; their list keeps a length of which its room is known. */
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
		    (flow_find_joins(parser->kernel) ||
		     bw_parser_fail(parser, parser->kernel->line, "no memory is left to read the module"));
	parser->n_constants = 0;
	parser->kernel->local_stride = (parser->kernel->local_bytes + 15u) & ~15u;
	return good;
}
