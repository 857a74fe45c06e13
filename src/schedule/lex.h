/* The lexer of schedules. Tokens have a line and a column, in characters, from 1. */
#pragma once

#include "base/error.h"
#include "base/text.h"

/* Kinds of token: name in C, name in messages. */
#define BW_TOKEN_TABLE(X) \
	X(BW_TOKEN_WORD, "a word") X(BW_TOKEN_QUOTED, "a name in quotes") X(BW_TOKEN_COMMA, "','") X(BW_TOKEN_SEMICOLON, "';'") X(BW_TOKEN_COLON, "':'") \
	X(BW_TOKEN_LINE, "the end of the line") /* before a line that begins without white space */ \
	X(BW_TOKEN_CONTINUED, "an indented line") /* before a line that begins with white space */ \
	X(BW_TOKEN_END, "the end")

enum bw_token_kind { BW_TOKEN_TABLE(BW_FIRST) };

struct bw_token {
	enum bw_token_kind kind;
	int line, column;
	const char *text;   /* WORD, QUOTED: the text without quotes and escapes; else "" */
	const char *suffix; /* QUOTED: the word right after the closing quote, as in "a b".block; else "" */
};

struct bw_lexer {
	const char *name; /* of the file; NULL: errors give only the column */
	const char *at, *end;
	int line, column;           /* of the next byte */
	int last_line, last_column; /* end of the last token */
	bool line_begins;           /* nothing of the line has been read */
	struct bw_arena *arena;     /* owns the tokens' texts */
	struct bw_error *error;
};

/* Starts reading text; skips a byte order mark at its beginning. */
void bw_lexer_start(struct bw_lexer *lexer, const char *text, size_t length);
/* Reads the next token, skipping blank lines and comments. A LINE or CONTINUED comes before the first
 * token of each line. At the end of the text, returns END any number of times. Returns false with an error
 * for bytes that belong to no token. */
bool bw_lex(struct bw_lexer *lexer, struct bw_token *token);
/* Sets an error of kind INPUT that begins with the token's position, and returns false. */
bool bw_lexer_fail(const struct bw_lexer *lexer, const struct bw_token *token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns a text for a message, truncated if long, in the arena. */
const char *bw_excerpt(struct bw_arena *arena, const char *text);
