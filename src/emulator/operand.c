/* Reads the operands of an instruction, as its opcode's `operands` list them (struct bw_opcode). */
#include <stdlib.h>

#include "emulator/launch.h"
#include "emulator/parser.h"
#include "emulator/warp.h"

static const char *const specials[] = {
#define X(name, text) text,
	BW_SPECIAL_TABLE(X)
#undef X
};

uint32_t bw_parser_room(struct bw_ptx_parser *parser, uint32_t count, uint8_t bytes)
{
	struct bw_ptx_kernel *kernel = parser->kernel;
	uint64_t at = bytes ? (kernel->register_bytes + 63u) & ~63u : kernel->register_bytes,
		 needed = (uint64_t)count * (bytes ? bytes * (unsigned)BW_LANES : 4);
	if (at + needed > BW_MOST_REGISTER_BYTES) {
		bw_parser_fail(parser, parser->lexer.token.line, "%s has too many registers", kernel->name);
		return UINT32_MAX;
	}
	kernel->register_bytes = (uint32_t)(at + needed);
	return (uint32_t)at;
}

/* Reads the warp's clock: the number of instructions that it has run. */
static bool read_clock(BW_ARGUMENTS)
{
	uint64_t now = warp->block->launch->most_steps - warp->steps;
	unsigned char *d = bw_to(instruction, warp, 0);
	if (instruction->to[0].bytes == 8) {
		BW_EACH_LANE(mask, ((uint64_t *)d)[l] = now)
	} else {
		BW_EACH_LANE(mask, ((uint32_t *)d)[l] = (uint32_t)(now >> instruction->offset))
	}
	return true;
}

/* Finds a register that changes while a warp runs. Inserts, before the instruction, another one that reads
 * this register. */
static bool find_clock(struct bw_ptx_parser *parser, const struct bw_ptx_token *name,
		       struct bw_operand *operand)
{
	static const struct {
		const char *name;
		uint8_t bytes, shift;
	} clocks[] = {{"%clock", 4, 0},	      {"%clock_hi", 4, 32},	   {"%clock64", 8, 0},
		      {"%globaltimer", 8, 0}, {"%globaltimer_lo", 4, 0}, {"%globaltimer_hi", 4, 32}};
	for (size_t k = 0; k < sizeof clocks / sizeof *clocks; k++) {
		if (strlen(clocks[k].name) != name->length || memcmp(clocks[k].name, name->text, name->length))
			continue;
		*operand = (struct bw_operand){.at = bw_parser_room(parser, 1, clocks[k].bytes), .bytes = clocks[k].bytes};
		struct bw_ptx_instruction reads = {.execute = read_clock,
						   .to = {*operand},
						   .n_to = 1,
						   .guard.bytes = 1,
						   .offset = clocks[k].shift,
						   .opcode = -1,
						   .line = name->line};
		return operand->at != UINT32_MAX && bw_parser_emit(parser, &reads);
	}
	return false;
}

/* Finds a register; false if there is none of this name. */
static bool find_register(struct bw_ptx_parser *parser, const struct bw_ptx_token *name,
			  struct bw_operand *operand)
{
	for (size_t k = parser->n_registers; k--;) {
		const struct bw_registers *one = &parser->registers[k];
		if (!one->length || name->length < one->length || memcmp(name->text, one->name, one->length))
			continue;
		uint64_t number = 0;
		struct bw_ptx_token rest = {.kind = BW_TOKEN_NUMBER,
					    .text = name->text + one->length,
					    .length = name->length - one->length};
		if (one->numbered ? !rest.length || rest.text[0] < '0' || rest.text[0] > '9' ||
					(rest.length > 1 && rest.text[0] == '0') ||
					!bw_token_number(&rest, &number) || number >= one->count
				  : rest.length != 0)
			continue;
		*operand = (struct bw_operand){
		    .at = one->at + (uint32_t)number * (one->bytes ? one->bytes * (uint32_t)BW_LANES : 4),
		    .bytes = one->bytes};
		return true;
	}
	for (int k = 0; k < BW_SPECIALS; k++) {
		if (strlen(specials[k]) != name->length || memcmp(specials[k], name->text, name->length))
			continue;
		uint32_t *at = &parser->kernel->special[k];
		if (!*at && (*at = bw_parser_room(parser, 1, 4)) == UINT32_MAX)
			return false;
		*operand = (struct bw_operand){.at = *at, .bytes = 4};
		return true;
	}
	return find_clock(parser, name, operand);
}

static bool read_register(struct bw_ptx_parser *parser, struct bw_operand *operand)
{
	const struct bw_ptx_token *token = &parser->lexer.token;
	if (token->kind != BW_TOKEN_WORD)
		return bw_parser_expected(parser, "a register");
	if (token->length == 1 && *token->text == '_') { /* an unused result */
		*operand = (struct bw_operand){.at = bw_parser_room(parser, 1, 8), .bytes = 8};
		bw_lexer_next(&parser->lexer);
		return operand->at != UINT32_MAX;
	}
	if (!find_register(parser, token, operand))
		return bw_parser_fail(parser, token->line, "there is no register %.*s",
				      token->length > 60 ? 60 : (int)token->length, token->text);
	bw_lexer_next(&parser->lexer);
	return true;
}

bool bw_parser_predicate(struct bw_ptx_parser *parser, struct bw_operand *operand)
{
	int line = parser->lexer.token.line;
	return read_register(parser, operand) &&
	       (operand->bytes == 0 ||
		bw_parser_fail(parser, line, "a predicate is expected, not a register of %d bytes",
			       operand->bytes));
}

bool bw_parser_constant(struct bw_ptx_parser *parser, uint64_t value, uint8_t bytes,
			struct bw_operand *operand)
{
	struct bw_constant *list = parser->constants;
	if (bytes && bytes < 8)
		value &= (UINT64_C(1) << 8 * bytes) - 1;
	size_t k = 0;
	while (k < parser->n_constants && (list[k].value != value || list[k].bytes != bytes))
		k++;
	if (k == parser->n_constants) {
		if (!(list = bw_parser_grow(parser, list, k, sizeof *list)))
			return false;
		parser->constants = list;
		list[k] = (struct bw_constant){.value = value, .at = parser->kernel->constant_bytes, .bytes = bytes};
		parser->kernel->constant_bytes += BW_LANES * (bytes ? bytes : 4);
		parser->n_constants++;
	}
	*operand = (struct bw_operand){.at = list[k].at, .bytes = bytes, .constant = true};
	return true;
}

/* Reads a number with its sign. */
static bool read_number(struct bw_ptx_parser *parser, uint64_t *value)
{
	bool negative = bw_parser_skip_mark(parser, '-');
	if (!bw_token_number(&parser->lexer.token, value))
		return bw_parser_expected(parser, "a number or a register");
	if (negative)
		*value = 0 - *value;
	bw_lexer_next(&parser->lexer);
	return true;
}

bool bw_parser_value(struct bw_ptx_parser *parser, uint8_t bytes, struct bw_operand *operand)
{
	const struct bw_ptx_token token = parser->lexer.token;
	uint64_t value;
	if (token.kind != BW_TOKEN_WORD)
		return read_number(parser, &value) && bw_parser_constant(parser, value, bytes, operand);
	if (find_register(parser, &token, operand)) {
		bw_lexer_next(&parser->lexer);
		return true;
	}
	if (parser->result != BW_PTX_GOOD)
		return false;
	if (bw_lexer_is(&parser->lexer, "WARP_SZ")) {
		bw_lexer_next(&parser->lexer);
		return bw_parser_constant(parser, BW_LANES, bytes, operand);
	}
	const struct bw_variable *variable = bw_parser_find_variable(parser, &token);
	int function = variable ? parser->n_functions : bw_parser_find_function(parser, &token);
	if (function < parser->n_functions) {
		bw_lexer_next(&parser->lexer);
		return bw_parser_constant(parser, bw_function_address(function), bytes, operand);
	}
	if (!variable)
		return bw_parser_fail(parser, token.line, "there is no register or variable %.*s",
				      token.length > 60 ? 60 : (int)token.length, token.text);
	bw_lexer_next(&parser->lexer);
	parser->found = variable;
	value = variable->at;
	if (bw_parser_skip_mark(parser, '+')) {
		uint64_t offset;
		if (!read_number(parser, &offset))
			return false;
		value += offset;
	}
	return bw_parser_constant(parser, value, bytes, operand);
}

/* Reads [register+offset], [variable+offset] or [number]. */
static bool read_address(struct bw_ptx_parser *parser, struct bw_operand *operand, int64_t *offset)
{
	int line = parser->lexer.token.line;
	uint64_t value = 0;
	if (!bw_parser_mark(parser, '[') || !bw_parser_value(parser, 8, operand))
		return false;
	if (operand->bytes != 8 && operand->bytes != 4)
		return bw_parser_fail(parser, line, "an address of 8 bytes is expected, not of %d", operand->bytes);
	if (bw_parser_skip_mark(parser, '+') || bw_lexer_is_mark(&parser->lexer, '-')) {
		if (!read_number(parser, &value))
			return false;
	}
	*offset = (int64_t)value;
	return bw_parser_mark(parser, ']');
}

/* Checks a register's size against the opcode's. */
static bool check_size(struct bw_ptx_parser *parser, const struct bw_ptx_instruction *instruction,
		       const struct bw_operand *operand, uint8_t bytes, bool wider)
{
	if (operand->bytes == bytes || (wider && operand->bytes > bytes))
		return true;
	char found[20] = "a predicate";
	if (operand->bytes)
		snprintf(found, sizeof found, "one of %d bytes", operand->bytes);
	return bw_parser_fail(parser, instruction->line, "%s: a register of %d bytes is expected, not %s",
			      parser->module->opcodes[instruction->opcode], bytes, found);
}

/* Reads {a, b, ...} or a single register; sources may be numbers. Returns how many, 0 after a complaint. */
static int read_vector(struct bw_ptx_parser *parser, bool sources, uint8_t bytes, struct bw_operand *operands,
		       int most)
{
	bool braced = bw_parser_skip_mark(parser, '{');
	int n = 0;
	do {
		if (n == most)
			return bw_parser_expected(parser, "\"}\""), 0;
		if (!(sources ? bw_parser_value(parser, bytes, &operands[n]) : read_register(parser, &operands[n])))
			return 0;
		n++;
	} while (braced && bw_parser_skip_mark(parser, ','));
	return !braced || bw_parser_mark(parser, '}') ? n : 0;
}

/* Inserts, before the instruction, another one that inverts a predicate. */
static bool invert(struct bw_ptx_parser *parser, struct bw_operand *operand)
{
	struct bw_opcode opcode;
	uint32_t at = bw_parser_room(parser, 1, 0);
	if (at == UINT32_MAX || !bw_opcode_find("not.pred", &opcode))
		return false;
	struct bw_ptx_instruction inverts = {.execute = opcode.execute,
					     .n_to = 1,
					     .n_from = 1,
					     .to = {{.at = at}},
					     .from = {*operand},
					     .guard.bytes = 1,
					     .opcode = -1,
					     .line = parser->lexer.token.line};
	*operand = (struct bw_operand){.at = at};
	return bw_parser_emit(parser, &inverts);
}

static bool read_to(struct bw_ptx_parser *parser, const struct bw_opcode *opcode, char kind,
		    struct bw_ptx_instruction *instruction)
{
	struct bw_operand *operand = &instruction->to[instruction->n_to];
	if (kind == 'V') {
		int n = read_vector(parser, false, opcode->bytes, instruction->to, BW_MOST_DESTINATIONS);
		if (!n)
			return false;
		if (n != opcode->vector)
			return bw_parser_fail(
			    parser, instruction->line, "%s: %d registers are expected, not %d",
			    parser->module->opcodes[instruction->opcode], opcode->vector, n);
		for (int k = 0; k < n; k++)
			if (!check_size(parser, instruction, &instruction->to[k],
					opcode->bytes == 1 ? 2 : opcode->bytes, true) ||
			    (instruction->to[k].bytes != instruction->to[0].bytes &&
			     !bw_parser_fail(parser, instruction->line,
					     "registers of a vector are of one size")))
				return false;
		instruction->n_to = (uint8_t)n;
		return true;
	}
	instruction->n_to++;
	if (kind == 'P' || kind == 'Q')
		return bw_parser_predicate(parser, operand);
	return read_register(parser, operand) &&
	       check_size(parser, instruction, operand,
			  kind == 'W' ? opcode->bytes == 1 ? 2 : opcode->bytes : (uint8_t)(kind - '0'),
			  kind == 'W');
}

/* Reads the source of a copy (cp.async), or the number of bytes to copy. The source becomes a separate
 * instruction before the copy. */
static bool read_copied(struct bw_ptx_parser *parser, char kind, struct bw_ptx_instruction *instruction)
{
	uint64_t bytes;
	if (kind == 'S') {
		if (!read_number(parser, &bytes))
			return false;
		instruction->bytes = (uint8_t)bytes;
		return bytes == 4 || bytes == 8 || bytes == 16 ||
		       bw_parser_fail(parser, instruction->line, "%s: copies are of 4, 8 or 16 bytes, not of %llu",
				      parser->module->opcodes[instruction->opcode], (unsigned long long)bytes);
	}
	struct bw_ptx_instruction source = {.execute = bw_async_source,
					    .n_from = 1,
					    .guard = instruction->guard,
					    .guard_not = instruction->guard_not,
					    .opcode = -1,
					    .line = instruction->line};
	return read_address(parser, &source.from[0], &source.offset) && bw_parser_emit(parser, &source);
}

/* Returns true if the next operand, behind a comma, is a register or a number, and no predicate. */
static bool has_optional(struct bw_ptx_parser *parser)
{
	struct bw_ptx_lexer ahead = parser->lexer;
	struct bw_operand operand;
	if (!bw_lexer_is_mark(&ahead, ','))
		return false;
	bw_lexer_next(&ahead);
	return !bw_lexer_is_mark(&ahead, '!') &&
	       !(ahead.token.kind == BW_TOKEN_WORD && find_register(parser, &ahead.token, &operand) &&
		 !operand.bytes);
}

/* Gives a constant operand a size of `bytes` bytes. */
static bool fit_constant(struct bw_ptx_parser *parser, uint8_t bytes, struct bw_operand *operand)
{
	if (!operand->constant || operand->bytes == bytes)
		return true;
	uint64_t value = 0;
	for (size_t c = 0; c < parser->n_constants; c++)
		if (parser->constants[c].at == operand->at && parser->constants[c].bytes == operand->bytes)
			value = parser->constants[c].value;
	return bw_parser_constant(parser, value, bytes, operand);
}

static bool read_from(struct bw_ptx_parser *parser, const struct bw_opcode *opcode, char kind,
		      struct bw_ptx_instruction *instruction)
{
	struct bw_operand *operand = &instruction->from[instruction->n_from];
	if (kind == 'A') {
		instruction->n_from++;
		return read_address(parser, operand, &instruction->offset);
	}
	if (kind == 'B' || kind == 'S')
		return read_copied(parser, kind, instruction);
	if (kind == 'V') {
		int n = read_vector(parser, true, opcode->bytes == 1 ? 2 : opcode->bytes, operand, BW_MOST_DESTINATIONS);
		if (!n)
			return false;
		if (n != opcode->vector)
			return bw_parser_fail(
			    parser, instruction->line, "%s: %d registers are expected, not %d",
			    parser->module->opcodes[instruction->opcode], opcode->vector, n);
		uint8_t widest = 0;
		for (int k = 0; k < n; k++)
			widest = operand[k].constant || operand[k].bytes < widest ? widest : operand[k].bytes;
		for (int k = 0; k < n; k++) {
			if (widest && !fit_constant(parser, widest, &operand[k]))
				return false;
			if (!check_size(parser, instruction, &operand[k],
					opcode->bytes == 1 ? 2 : opcode->bytes, true) ||
			    (operand[k].bytes != operand[0].bytes &&
			     !bw_parser_fail(parser, instruction->line,
					     "registers of a vector are of one size")))
				return false;
		}
		instruction->n_from = (uint8_t)(instruction->n_from + n);
		return true;
	}
	instruction->n_from++;
	if (kind == 'P' || kind == 'N') {
		bool inverted = kind == 'N' && bw_parser_skip_mark(parser, '!');
		int line = parser->lexer.token.line;
		if (!bw_parser_value(parser, 0, operand) ||
		    (operand->bytes &&
		     !bw_parser_fail(parser, line, "a predicate is expected, not a register of %d bytes",
				     operand->bytes)))
			return false;
		return !inverted || invert(parser, operand);
	}
	uint8_t bytes = kind == 'o'   ? 4
			: kind != 'w' ? (uint8_t)(kind - '0')
				      : opcode->from_bytes == 1 ? 2 : opcode->from_bytes;
	return bw_parser_value(parser, bytes, operand) &&
	       check_size(parser, instruction, operand, bytes, kind == 'w');
}

bool bw_parser_operands(struct bw_ptx_parser *parser, const struct bw_opcode *opcode,
			  struct bw_ptx_instruction *instruction)
{
	bool sources = false, first = true;
	for (const char *kind = opcode->operands; *kind; kind++) {
		if (*kind == '=') {
			sources = true;
			continue;
		}
		if (*kind == 'o' && !has_optional(parser))
			continue;
		if (*kind == 'Q' ? !bw_parser_skip_mark(parser, '|') : false)
			continue;
		if (*kind != 'Q' && !first && !bw_parser_mark(parser, ','))
			return false;
		first = false;
		if (!(sources ? read_from(parser, opcode, *kind, instruction)
			      : read_to(parser, opcode, *kind, instruction)))
			return false;
	}
	return true;
}

bool bw_parser_packing(struct bw_ptx_parser *parser, struct bw_ptx_instruction *instruction, bool *found)
{
	struct bw_ptx_lexer ahead = parser->lexer;
	while (ahead.token.kind != BW_TOKEN_END && !bw_lexer_is_mark(&ahead, ';') && !bw_lexer_is_mark(&ahead, '{'))
		bw_lexer_next(&ahead);
	*found = bw_lexer_is_mark(&ahead, '{');
	if (!*found)
		return true;
	bool unpacks = bw_lexer_is_mark(&parser->lexer, '{');
	int n_to = read_vector(parser, false, 0, instruction->to, BW_MOST_DESTINATIONS);
	if (!n_to || !bw_parser_mark(parser, ','))
		return false;
	int n_from = read_vector(parser, true, 8, instruction->from, BW_MOST_DESTINATIONS),
	    to_bytes = 0, from_bytes = 0;
	for (int k = 0; k < n_to; k++)
		to_bytes += instruction->to[k].bytes;
	if (!n_from)
		return false;
	for (int k = 0; k < n_from; k++) {
		if (!unpacks && !fit_constant(parser, (uint8_t)(to_bytes / n_from), &instruction->from[k]))
			return false;
		from_bytes += instruction->from[k].bytes;
	}
	/* An unused result has the size of the other results. */
	if (unpacks && to_bytes > from_bytes) {
		for (int k = 0; k < n_to; k++)
			instruction->to[k].bytes = (uint8_t)(from_bytes / n_to);
		to_bytes = from_bytes;
	}
	if (to_bytes != from_bytes || (n_to > 1 && n_from > 1))
		return bw_parser_fail(parser, instruction->line, "%s: %d bytes do not go into %d",
				      parser->module->opcodes[instruction->opcode], from_bytes, to_bytes);
	instruction->execute = unpacks ? bw_unpack : bw_pack;
	instruction->n_to = (uint8_t)n_to;
	instruction->n_from = (uint8_t)n_from;
	return true;
}

bool bw_parser_label(struct bw_ptx_parser *parser)
{
	struct bw_ptx_lexer *lexer = &parser->lexer;
	if (lexer->token.kind != BW_TOKEN_WORD)
		return bw_parser_expected(parser, "a label");
	struct bw_label *list = bw_parser_grow(parser, parser->wanted, parser->n_wanted, sizeof *list);
	if (!list)
		return false;
	parser->wanted = list;
	list[parser->n_wanted++] = (struct bw_label){.name = lexer->token.text,
						     .length = lexer->token.length,
						     .at = parser->kernel->n_code,
						     .line = lexer->token.line};
	bw_lexer_next(lexer);
	return true;
}

bool bw_parser_emit(struct bw_ptx_parser *parser, const struct bw_ptx_instruction *instruction)
{
	struct bw_ptx_kernel *kernel = parser->kernel;
	struct bw_ptx_instruction *code = bw_parser_grow(parser, kernel->code, (size_t)kernel->n_code, sizeof *code);
	if (!code)
		return false;
	kernel->code = code;
	code[kernel->n_code++] = *instruction;
	return true;
}
