/* Calls of device functions, and jumps through a table. A kernel's code is followed by one copy of each
 * function that it calls; parameters and results are in the thread's local memory. A function's
 * registers are static, so functions cannot be recursive, directly or indirectly. */
#include <stdlib.h>
#include <string.h>

#include "emulator/memory.h"
#include "emulator/parser.h"

static bool read_formals(struct bw_ptx_parser *parser, struct bw_function *function)
{
	if (!bw_parser_skip_mark(parser, '(') || bw_parser_skip_mark(parser, ')'))
		return true;
	do {
		struct bw_variable *list =
		    bw_parser_grow(parser, function->formals, (size_t)function->n_formals, sizeof *list);
		if (!list)
			return false;
		function->formals = list;
		if (!bw_parser_formal(parser, &list[function->n_formals]))
			return false;
		function->n_formals++;
	} while (bw_parser_skip_mark(parser, ','));
	return bw_parser_mark(parser, ')');
}

/* Places the results and parameters of a function when the kernel calls the function for the first time. */
static bool place_function(struct bw_ptx_parser *parser, struct bw_function *function)
{
	struct bw_ptx_lexer here = parser->lexer;
	parser->lexer = function->signature;
	function->called = true;
	bool good = read_formals(parser, function);
	function->n_results = function->n_formals;
	bw_lexer_next(&parser->lexer);
	good = good && read_formals(parser, function);
	parser->lexer = here;
	return good;
}

/* Emits a load or a store of `bytes` bytes at a known location in local memory. */
static bool emit_move(struct bw_ptx_parser *parser, const struct bw_ptx_instruction *call, bool stores,
		      uint64_t at, uint8_t bytes, const struct bw_operand *value)
{
	static const char *const names[2][9] = {
	    {[1] = "ld.local.b8", [2] = "ld.local.b16", [4] = "ld.local.b32", [8] = "ld.local.b64"},
	    {[1] = "st.local.b8", [2] = "st.local.b16", [4] = "st.local.b32", [8] = "st.local.b64"}};
	struct bw_opcode opcode;
	if (!bw_opcode_find(names[stores][bytes], &opcode))
		return false;
	struct bw_ptx_instruction move = {.execute = opcode.execute,
					  .space = BW_SPACE_LOCAL,
					  .bytes = bytes,
					  .guard = call->guard,
					  .guard_not = call->guard_not,
					  .n_to = !stores,
					  .n_from = (uint8_t)(1 + stores),
					  .opcode = -1,
					  .line = call->line};
	if (!bw_parser_constant(parser, at, 8, &move.from[0]))
		return false;
	*(stores ? &move.from[1] : &move.to[0]) = *value;
	return bw_parser_emit(parser, &move);
}

/* Emits a copy from one variable in local memory to another, in pieces whose size divides both
 * variables. */
static bool emit_copy(struct bw_ptx_parser *parser, const struct bw_ptx_instruction *call, uint64_t to,
		      uint64_t from, uint64_t bytes)
{
	for (uint64_t at = 0; at < bytes;) {
		uint8_t piece = 8;
		while ((to + at) % piece || (from + at) % piece || piece > bytes - at)
			piece /= 2;
		struct bw_operand value = {.bytes = piece < 2 ? 2 : piece};
		value.at = bw_parser_room(parser, 1, value.bytes);
		if (value.at == UINT32_MAX || !emit_move(parser, call, false, from + at, piece, &value) ||
		    !emit_move(parser, call, true, to + at, piece, &value))
			return false;
		at += piece;
	}
	return true;
}

/* Reads one of the actual parameters or results, and moves it to or from its formal one. */
static bool read_actual(struct bw_ptx_parser *parser, const struct bw_ptx_instruction *call,
			const struct bw_variable *formal, bool result)
{
	struct bw_ptx_token *token = &parser->lexer.token;
	const struct bw_variable *variable =
	    token->kind == BW_TOKEN_WORD ? bw_parser_find_variable(parser, token) : NULL;
	if (variable && variable->space == BW_SPACE_LOCAL) {
		uint64_t at = variable->at;
		if (variable->bytes != formal->bytes)
			return bw_parser_fail(parser, token->line, "%s has %llu bytes, %s has %llu",
					      variable->name, (unsigned long long)variable->bytes,
					      formal->name, (unsigned long long)formal->bytes);
		bw_lexer_next(&parser->lexer);
		return result ? emit_copy(parser, call, at, formal->at, formal->bytes)
			      : emit_copy(parser, call, formal->at, at, formal->bytes);
	}
	struct bw_operand value;
	int line = token->line;
	uint8_t bytes = formal->bytes == 4 ? 4 : formal->bytes == 8 ? 8 : 2;
	if (!bw_parser_value(parser, bytes, &value))
		return false;
	if (formal->bytes > 8 || value.bytes != bytes || (result && value.constant))
		return bw_parser_fail(parser, line, "a value of %llu bytes is expected for %s",
				      (unsigned long long)formal->bytes, formal->name);
	return emit_move(parser, call, !result, formal->at, (uint8_t)formal->bytes, &value);
}

static bool read_actuals(struct bw_ptx_parser *parser, const struct bw_ptx_instruction *call,
			 const struct bw_function *function, bool results)
{
	int k = results ? 0 : function->n_results, end = results ? function->n_results : function->n_formals;
	int line = parser->lexer.token.line;
	if (bw_parser_skip_mark(parser, '(')) {
		if (!bw_parser_skip_mark(parser, ')')) {
			do
				if (k == end || !read_actual(parser, call, &function->formals[k++], results))
					return bw_parser_expected(parser, "\")\"");
			while (bw_parser_skip_mark(parser, ','));
			if (!bw_parser_mark(parser, ')'))
				return false;
		}
	}
	return k == end ||
	       bw_parser_fail(parser, line, "%.*s is called with too few %s", (int)function->name.length,
			      function->name.text, results ? "results" : "parameters");
}

/* Positions in the text of a call: at the parenthesis of its results if it has any, and after the
 * function's name. */
struct call_text {
	struct bw_ptx_lexer results, parameters;
	bool has_results, has_parameters;
};

/* Emits code that passes the parameters, calls the function, and copies its results. */
static bool emit_call(struct bw_ptx_parser *parser, const struct bw_ptx_instruction *call, int number,
		      struct call_text *text)
{
	struct bw_function *function = &parser->functions[number];
	if (!function->called && !place_function(parser, function))
		return false;
	struct bw_ptx_lexer *lexer = &parser->lexer, here = *lexer;
	*lexer = text->parameters;
	if (!read_actuals(parser, call, function, false))
		return false;
	text->parameters = *lexer; /* after the list, where the caller continues to parse */
	struct bw_call *list = bw_parser_grow(parser, parser->calls, parser->n_calls, sizeof *list);
	if (!list)
		return false;
	parser->calls = list;
	list[parser->n_calls++] =
	    (struct bw_call){.at = parser->kernel->n_code, .caller = parser->function, .function = number};
	if (!bw_parser_emit(parser, call))
		return false;
	*lexer = text->results;
	bool good = !text->has_results ? !function->n_results || bw_parser_expected(parser, "a result")
				       : read_actuals(parser, call, function, true);
	*lexer = here;
	return good;
}

/* Returns true if the list at the lexer consists of n variables with the sizes of the n formals. has: there
 * is a list. */
static bool list_fits(const struct bw_ptx_parser *parser, struct bw_ptx_lexer lexer, bool has,
		      const struct bw_variable *formals, int n)
{
	int k = 0;
	if (!has)
		return n == 0;
	for (bw_lexer_next(&lexer); lexer.token.kind == BW_TOKEN_WORD; k++) {
		const struct bw_variable *variable = bw_parser_find_variable(parser, &lexer.token);
		if (k == n || !variable || variable->bytes != formals[k].bytes)
			return false;
		bw_lexer_next(&lexer);
		if (bw_lexer_is_mark(&lexer, ','))
			bw_lexer_next(&lexer);
	}
	return k == n && bw_lexer_is_mark(&lexer, ')');
}

/* Emits, before a call by address, a comparison of the address: sets `equal` if it is equal, or ANDs
 * "not equal" into `none`. */
static bool emit_compare(struct bw_ptx_parser *parser, int line, const char *name,
			 const struct bw_operand *to, const struct bw_operand *address, uint64_t value)
{
	struct bw_opcode opcode;
	if (!bw_opcode_find(name, &opcode))
		return false;
	bool joins = strstr(name, ".and.");
	struct bw_ptx_instruction compare = {.execute = opcode.execute,
					     .bytes = opcode.bytes,
					     .to = {*to},
					     .from = {*address, {.at = 0}, *to},
					     .n_to = 1,
					     .n_from = (uint8_t)(2 + joins),
					     .guard.bytes = 1,
					     .opcode = -1,
					     .line = line};
	return bw_parser_constant(parser, value, 8, &compare.from[1]) && bw_parser_emit(parser, &compare);
}

/* Emits a call by address: for each function whose parameters and results fit, a comparison of the
 * address and a call; then a trap if none was called. */
static bool emit_indirect(struct bw_ptx_parser *parser, struct bw_ptx_instruction *call,
			  const struct bw_operand *address, struct call_text *text)
{
	struct bw_operand none = {.at = bw_parser_room(parser, 1, 0)},
			  equal = {.at = bw_parser_room(parser, 1, 0)};
	if (none.at == UINT32_MAX || equal.at == UINT32_MAX || call->guard.bytes == 0 || address->bytes != 8)
		return bw_parser_expected(
		    parser, "the name of a function, or a register of 8 bytes without a guard,");
	/* No function has the address 0 or all ones, so `none` becomes true. */
	if (!emit_compare(parser, call->line, "setp.eq.u64", &none, address, 0) ||
	    !emit_compare(parser, call->line, "setp.ne.or.u64", &none, address, UINT64_MAX))
		return false;
	struct bw_ptx_lexer after = text->parameters;
	for (int f = 0; f < parser->n_functions; f++) {
		struct bw_function *function = &parser->functions[f];
		if (!function->called && !place_function(parser, function))
			return false;
		if (!list_fits(parser, text->results, text->has_results, function->formals,
			       function->n_results) ||
		    !list_fits(parser, text->parameters, text->has_parameters,
			       function->formals + function->n_results,
			       function->n_formals - function->n_results))
			continue;
		struct bw_ptx_instruction one = *call;
		struct call_text again = *text;
		one.guard = equal;
		if (!emit_compare(parser, call->line, "setp.eq.u64", &equal, address,
				  bw_function_address(f)) ||
		    !emit_compare(parser, call->line, "setp.ne.and.u64", &none, address,
				  bw_function_address(f)) ||
		    !emit_call(parser, &one, f, &again))
			return false;
		after = again.parameters;
	}
	struct bw_ptx_instruction stop = *call;
	stop.action = BW_ACTION_TRAP;
	stop.guard = none;
	text->parameters = after;
	return bw_parser_emit(parser, &stop);
}

/* Functions that CUDA provides, without a definition in the text. A thread that calls one of them ends the
 * launch. */
static const struct {
	const char *name;
	enum bw_trap trap;
} system_calls[] = {{"__assertfail", BW_TRAP_ASSERT},
		    {"vprintf", BW_TRAP_PRINTF},
		    {"malloc", BW_TRAP_MALLOC},
		    {"free", BW_TRAP_MALLOC}};

static enum bw_trap find_system_call(const struct bw_ptx_lexer *lexer)
{
	for (size_t k = 0; k < sizeof system_calls / sizeof *system_calls; k++)
		if (bw_lexer_is(lexer, system_calls[k].name))
			return system_calls[k].trap;
	return BW_TRAP_NONE;
}

bool bw_parser_call(struct bw_ptx_parser *parser, struct bw_ptx_instruction *call)
{
	struct bw_ptx_lexer *lexer = &parser->lexer;
	struct call_text text = {.results = *lexer, .has_results = bw_lexer_is_mark(lexer, '(')};
	struct bw_operand address;
	bw_lexer_skip_list(lexer);
	if (text.has_results && !bw_parser_mark(parser, ','))
		return false;
	struct bw_ptx_token name = lexer->token;
	int f = bw_parser_find_function(parser, &name);
	bool known = f < parser->n_functions;
	enum bw_trap trap = known ? BW_TRAP_NONE : find_system_call(lexer);
	bool indirect = !known && !trap && name.length && *name.text == '%';
	if (!known && !trap && !indirect)
		return bw_parser_fail(parser, name.line, "a call of %.*s, of which this text has no body",
				      name.length > 60 ? 60 : (int)name.length, name.text);
	if (indirect ? !bw_parser_value(parser, 8, &address) : (bw_lexer_next(lexer), false))
		return false;
	bool comma = bw_parser_skip_mark(parser, ',');
	if (!comma && !bw_lexer_is_mark(lexer, ';'))
		return bw_parser_expected(parser, "\",\"");
	text.parameters = *lexer;
	text.has_parameters = bw_lexer_is_mark(lexer, '(');
	if (trap) {
		call->action = BW_ACTION_TRAP;
		call->offset = trap;
		bw_lexer_skip_list(lexer);
		return bw_parser_emit(parser, call);
	}
	if (known ? !emit_call(parser, call, f, &text) : !emit_indirect(parser, call, &address, &text))
		return false;
	*lexer = text.parameters;
	if (indirect) /* its prototype */
		while (lexer->token.kind != BW_TOKEN_END && !bw_lexer_is_mark(lexer, ';'))
			bw_lexer_next(lexer);
	return true;
}

/* Returns true if no function that the kernel calls is recursive. Then no chain of calls is longer than the
 * number of functions. */
static bool calls_end(struct bw_ptx_parser *parser)
{
	int n = parser->n_functions, *depth = calloc((size_t)n + 1, sizeof *depth), most = 0;
	if (!depth)
		return bw_parser_fail(parser, parser->kernel->line, "no memory is left to read the module");
	for (bool changed = true; changed && most <= n;) {
		changed = false;
		for (size_t k = 0; k < parser->n_calls; k++) {
			int from = parser->calls[k].caller, to = parser->calls[k].function;
			int here = from < 0 ? 0 : depth[from];
			if ((from >= 0 && !here) || depth[to] > here)
				continue;
			depth[to] = here + 1;
			most = depth[to] > most ? depth[to] : most;
			changed = true;
		}
	}
	free(depth);
	return most <= n ||
	       bw_parser_fail(parser, parser->kernel->line, "kernel %s calls a function that calls itself",
			      parser->kernel->name);
}

bool bw_parser_resolve_calls(struct bw_ptx_parser *parser)
{
	struct bw_ptx_kernel *kernel = parser->kernel;
	for (size_t k = 0; k < parser->n_calls; k++)
		kernel->code[parser->calls[k].at].target = parser->functions[parser->calls[k].function].entry;
	bool good = calls_end(parser);
	parser->n_calls = 0;
	bw_parser_forget_functions(parser);
	return good;
}

/* Reads `index, TABLE` and emits a comparison and a branch for each label of the table but the last, to
 * which all other values branch. */
bool bw_parser_switch(struct bw_ptx_parser *parser, struct bw_ptx_instruction *jump)
{
	struct bw_ptx_lexer *lexer = &parser->lexer;
	struct bw_operand index;
	struct bw_opcode equals;
	if (!bw_parser_value(parser, 4, &index) || !bw_parser_mark(parser, ','))
		return false;
	size_t t = 0;
	while (t < parser->n_labels && (!parser->labels[t].table.at || lexer->token.kind != BW_TOKEN_WORD ||
					!bw_token_same(&(struct bw_ptx_token){.text = parser->labels[t].name,
									.length = parser->labels[t].length},
						 &lexer->token)))
		t++;
	if (t == parser->n_labels || index.bytes != 4 || jump->guard.bytes == 0 ||
	    !bw_opcode_find("setp.eq.u32", &equals))
		return bw_parser_expected(parser, "a register and a table of labels, without a guard,");
	bw_lexer_next(lexer);
	struct bw_ptx_lexer end = *lexer;
	*lexer = parser->labels[t].table;
	struct bw_ptx_instruction compare = {.execute = equals.execute,
					     .to = {{.at = bw_parser_room(parser, 1, 0)}},
					     .from = {index},
					     .n_to = 1,
					     .n_from = 2,
					     .guard.bytes = 1,
					     .opcode = -1,
					     .line = jump->line};
	bool good = compare.to[0].at != UINT32_MAX;
	for (uint64_t k = 0; good; k++) {
		struct bw_ptx_lexer ahead = *lexer;
		bw_lexer_next(&ahead);
		struct bw_ptx_instruction branch = *jump;
		bool last = !bw_lexer_is_mark(&ahead, ',');
		if (!last) {
			branch.guard = compare.to[0];
			branch.opcode = -1;
			good = bw_parser_constant(parser, k, 4, &compare.from[1]) &&
			       bw_parser_emit(parser, &compare);
		}
		good = good && bw_parser_label(parser) && bw_parser_emit(parser, &branch);
		if (last)
			break;
		bw_lexer_next(lexer);
	}
	*lexer = end;
	return good;
}
