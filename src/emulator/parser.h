/* The parser's state, shared by lex.c (tokens), declare.c (variables and functions), operand.c (operands),
 * call.c (calls), body.c (a kernel's instructions) and parse.c (the module). Each file uses only files
 * before it in this list. */
#pragma once

#include "emulator/opcode.h"

/* Tokens of PTX. */
enum bw_ptx_token_kind { BW_TOKEN_END, BW_TOKEN_WORD, BW_TOKEN_NUMBER, BW_TOKEN_STRING, BW_TOKEN_MARK };

/* A word is a name, an opcode, a directive or a register (letters, digits, and any of _ $ % . and ::). A mark
 * is one character. */
struct bw_ptx_token {
	enum bw_ptx_token_kind kind;
	const char *text;
	size_t length;
	int line; /* from 1 */
};

struct bw_ptx_lexer {
	const char *at, *end;
	int line;
	struct bw_ptx_token token; /* the current one */
};

/* Starts at the first token of the text. */
void bw_lexer_start(struct bw_ptx_lexer *lexer, const char *text, size_t length);
/* Moves to the next token. */
void bw_lexer_next(struct bw_ptx_lexer *lexer);
/* Return true if the current token is the word or the mark. */
bool bw_lexer_is(const struct bw_ptx_lexer *lexer, const char *word);
bool bw_lexer_is_mark(const struct bw_ptx_lexer *lexer, char mark);
/* Reads a number token: an integer (decimal, hexadecimal 0x, octal, binary 0b, with or without U), or the
 * bits of a float: 0fXXXXXXXX, 0dXXXXXXXXXXXXXXXX. Returns false if the token is not a number. */
bool bw_token_number(const struct bw_ptx_token *token, uint64_t *value);

/* The registers of a .reg declaration: one register called `name`, or (numbered) `count` registers called
 * `name` followed by 0, 1, ... */
struct bw_registers {
	const char *name;
	size_t length;
	bool numbered;
	uint32_t count, at;
	uint8_t bytes; /* per lane; 0: predicates */
};

/* A label: a definition (at an instruction), or a branch's reference to one. */
struct bw_label {
	const char *name;
	size_t length;
	int at, line;
	struct bw_ptx_lexer table; /* for a jump table: lexer at the first label in the table; else zeros */
};

/* A device function that the text defines. */
struct bw_function {
	struct bw_ptx_token name;
	/* signature: lexer after .func; body: lexer at the opening brace */
	struct bw_ptx_lexer signature, body;
	/* For the kernel that is being parsed: */
	struct bw_variable *formals; /* the function's results, followed by its parameters */
	/* entry: the function's first instruction in the kernel's code; -1: not yet parsed */
	int n_results, n_formals, entry;
	bool called;
};

/* A call of a function. at: the calling instruction. caller: the function that this instruction is in; -1:
 * the kernel itself. */
struct bw_call {
	int at, caller, function;
};

struct bw_constant {
	uint64_t value;
	uint32_t at;
	uint8_t bytes;
};

struct bw_ptx_parser {
	struct bw_ptx_lexer lexer;
	struct bw_ptx *module;
	struct bw_ptx_kernel *kernel; /* being parsed; NULL outside kernels */
	struct bw_registers *registers;
	struct bw_label *labels, *wanted;
	struct bw_constant *constants;
	size_t n_registers, n_labels, n_wanted, n_constants, n_locals;
	struct bw_variable *locals; /* the kernel's shared and local variables */
	struct bw_function *functions;
	int n_functions, function; /* function whose body is being parsed; -1: the kernel's */
	struct bw_call *calls;     /* in the kernel and in the functions that it calls */
	size_t n_calls;
	const struct bw_variable *found; /* the variable that the last operand names; NULL: none */
	char *complaint;
	size_t complaint_size;
	enum bw_ptx_result result;
};

/* Records a complaint about the line, unless there is one already. Returns false. */
bool bw_parser_fail(struct bw_ptx_parser *parser, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports that the current token is not `what`, which was expected. Returns false. */
bool bw_parser_expected(struct bw_ptx_parser *parser, const char *what);
/* Skips the mark, or reports that it is missing. */
bool bw_parser_mark(struct bw_ptx_parser *parser, char mark);
/* Skips the mark if it is the current token. */
bool bw_parser_skip_mark(struct bw_ptx_parser *parser, char mark);
/* Reads a number. */
bool bw_parser_number(struct bw_ptx_parser *parser, uint64_t *value);
/* Skips a list in parentheses if there is one. */
void bw_lexer_skip_list(struct bw_ptx_lexer *lexer);
/* Returns a list with room for at least n + 1 elements: `list` itself or its reallocation; NULL after
 * an error. */
void *bw_parser_grow(struct bw_ptx_parser *parser, void *list, size_t n, size_t size);
/* Reads the rest of a variable's declaration, from after its state space up to its semicolon or comma. Adds
 * the variable to the kernel that is being parsed, or to the module outside of kernels. */
bool bw_parser_variable(struct bw_ptx_parser *parser, enum bw_space space);
/* Reads the list of parameters of a kernel. */
bool bw_parser_parameters(struct bw_ptx_parser *parser);
/* Places shared variables of the module before the kernel's own. */
void bw_parser_place_shared(struct bw_ptx_parser *parser);
/* Returns the variable of this name: a variable or parameter of the kernel, or a variable of the module.
 * Returns NULL if there is none. */
const struct bw_variable *bw_parser_find_variable(const struct bw_ptx_parser *parser,
						  const struct bw_ptx_token *name);
/* Reads a kernel's body from its opening brace on, and ends the kernel. */
bool bw_parser_body(struct bw_ptx_parser *parser);
/* Reads the operands that the opcode's `operands` list (struct bw_opcode). */
bool bw_parser_operands(struct bw_ptx_parser *parser, const struct bw_opcode *opcode,
			  struct bw_ptx_instruction *instruction);
/* Reads a move between a register and a vector. Sets *found to whether the instruction is such a move. */
bool bw_parser_packing(struct bw_ptx_parser *parser, struct bw_ptx_instruction *instruction, bool *found);
/* Reads a predicate register. */
bool bw_parser_predicate(struct bw_ptx_parser *parser, struct bw_operand *operand);
/* The most bytes of registers of a warp. */
enum { BW_MOST_REGISTER_BYTES = 64 << 20 };
/* Reserves `count` registers of `bytes` bytes per lane (0: predicates) in the kernel. Returns their offset;
 * UINT32_MAX after a complaint. */
uint32_t bw_parser_room(struct bw_ptx_parser *parser, uint32_t count, uint8_t bytes);
/* Reads a value: a register, a number of `bytes` bytes, or the address of a variable. */
bool bw_parser_value(struct bw_ptx_parser *parser, uint8_t bytes, struct bw_operand *operand);
/* Makes a constant operand of a number. Equal numbers of a kernel share one constant. */
bool bw_parser_constant(struct bw_ptx_parser *parser, uint64_t value, uint8_t bytes,
			struct bw_operand *operand);
/* Reads the label that the next instruction of the kernel branches to. */
bool bw_parser_label(struct bw_ptx_parser *parser);
/* Adds a copy of the instruction to the kernel's code. */
bool bw_parser_emit(struct bw_ptx_parser *parser, const struct bw_ptx_instruction *instruction);
/* Return true if a token's text is equal to a name, or to another token's text. */
bool bw_token_is(const struct bw_ptx_token *token, const char *name);
bool bw_token_same(const struct bw_ptx_token *a, const struct bw_ptx_token *b);
/* Returns the number of the device function of this name; parser->n_functions if the text defines none. */
int bw_parser_find_function(const struct bw_ptx_parser *parser, const struct bw_ptx_token *name);
uint64_t bw_function_address(int number);
/* Finds the device functions that the text defines. */
bool bw_parser_find_functions(struct bw_ptx_parser *parser);
/* Reads a parameter or result of a device function and places it in the kernel's local memory. */
bool bw_parser_formal(struct bw_ptx_parser *parser, struct bw_variable *formal);
/* Parses the operands of `call` and `brx.idx`, and emits the instructions. */
bool bw_parser_call(struct bw_ptx_parser *parser, struct bw_ptx_instruction *call);
bool bw_parser_switch(struct bw_ptx_parser *parser, struct bw_ptx_instruction *jump);
/* Set the targets of the kernel's calls, and clear its list of called functions. */
bool bw_parser_resolve_calls(struct bw_ptx_parser *parser);
void bw_parser_forget_functions(struct bw_ptx_parser *parser);
/* Finds the reconvergence point of each branch of the kernel. Returns false if out of memory. */
bool bw_flow_find_joins(struct bw_ptx_kernel *kernel);
