/* Tokens of PTX. */
#ifndef BW_EMULATOR_LEX_H
#define BW_EMULATOR_LEX_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
/* Goes on to the next token. */
void bw_lexer_next(struct bw_ptx_lexer *lexer);
/* Return true if the current token is the word or the mark. */
bool bw_lexer_is(const struct bw_ptx_lexer *lexer, const char *word);
bool bw_lexer_is_mark(const struct bw_ptx_lexer *lexer, char mark);
/* Reads a number token: an integer (decimal, hexadecimal 0x, octal, binary 0b, with or without U), or the
 * bits of a float: 0fXXXXXXXX, 0dXXXXXXXXXXXXXXXX. Returns false if the token is none. */
bool bw_token_number(const struct bw_ptx_token *token, uint64_t *value);
#endif
