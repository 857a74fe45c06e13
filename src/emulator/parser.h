/* The state of reading a module: what parse.c (the module), body.c (a kernel's instructions) and operand.c
 * (their operands) share. */
#ifndef BW_EMULATOR_PARSER_H
#define BW_EMULATOR_PARSER_H
#include "emulator/lex.h"
#include "emulator/opcode.h"
#include "emulator/ptx.h"

/* Registers that a .reg declares: one of this name, or `count` of this name followed by 0, 1, ... */
struct bw_registers {
	const char *name;
	size_t length;
	bool numbered;
	uint32_t count, at;
	uint8_t bytes; /* per lane; 0: predicates */
};

/* A label that is defined (at an instruction), or wanted by a branch. */
struct bw_label {
	const char *name;
	size_t length;
	int at, line;
};

struct bw_constant {
	uint64_t value;
	uint32_t at;
	uint8_t bytes;
};

struct bw_ptx_parser {
	struct bw_ptx_lexer lexer;
	struct bw_ptx *module;
	struct bw_ptx_kernel *kernel; /* that is read; NULL outside */
	struct bw_registers *registers;
	struct bw_label *labels, *wanted;
	struct bw_constant *constants;
	size_t n_registers, n_labels, n_wanted, n_constants, n_locals;
	struct bw_variable *locals; /* of the kernel: shared, local */
	char *complaint;
	size_t complaint_size;
	enum bw_ptx_result result;
};

/* Records a complaint about the line, unless there is one already. Returns false. */
bool bw_parser_fail(struct bw_ptx_parser *parser, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Complains that the current token is not what was expected. Returns false. */
bool bw_parser_expected(struct bw_ptx_parser *parser, const char *what);
/* Passes over the mark, or complains that it is missing. */
bool bw_parser_mark(struct bw_ptx_parser *parser, char mark);
/* Passes over the mark if it is the current token. */
bool bw_parser_skip_mark(struct bw_ptx_parser *parser, char mark);
/* Returns a list with room for one more element than n: `list` itself or where it has gone; NULL after a
 * complaint. */
void *bw_parser_grow(struct bw_ptx_parser *parser, void *list, size_t n, size_t size);
/* Reads the rest of a variable's declaration after its state space, up to its semicolon or comma, and adds
 * it: to the kernel's if there is one. */
bool bw_parser_variable(struct bw_ptx_parser *parser, enum bw_space space);
/* Returns the variable, of the kernel, its parameters or the module; NULL if there is none. */
const struct bw_variable *bw_parser_find_variable(const struct bw_ptx_parser *parser,
						  const struct bw_ptx_token *name);
/* Reads a kernel's body from its opening brace on, and ends the kernel. */
bool bw_parser_body(struct bw_ptx_parser *parser);
/* Reads one instruction, from the word of its opcode to its semicolon. */
bool bw_parser_instruction(struct bw_ptx_parser *parser, const struct bw_operand *guard, bool guard_not);
/* Reads a predicate register. */
bool bw_parser_predicate(struct bw_ptx_parser *parser, struct bw_operand *operand);
/* Returns room for registers of `bytes` bytes per lane (0: predicates) in the kernel; UINT32_MAX after a
 * complaint. */
uint32_t bw_parser_room(struct bw_ptx_parser *parser, uint32_t count, uint8_t bytes);
/* Finds for each branch of the kernel where its lanes meet again. */
bool bw_flow_find_joins(struct bw_ptx_parser *parser, struct bw_ptx_kernel *kernel);
#endif
