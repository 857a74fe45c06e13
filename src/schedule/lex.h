/* Tokens of the text form of schedules, with the line and column (in characters, from 1) at which each stands. */
#ifndef BW_SCHEDULE_LEX_H
#define BW_SCHEDULE_LEX_H
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/mem.h"

/* Kinds of token: name in C, what a message calls it. */
#define BW_TOKEN_TABLE(X) \
	X(WORD, "a word") X(QUOTED, "a name in quotes") X(COMMA, "','") X(SEMICOLON, "';'") X(COLON, "':'") \
	X(LINE, "the end of the line") /* a line follows that begins without white space */ \
	X(CONTINUED, "an indented line") /* a line follows that begins with white space */ \
	X(END, "the end")

enum bw_token_kind {
#define X(name, text) BW_TOKEN_##name,
	BW_TOKEN_TABLE(X)
#undef X
};

struct bw_token {
	enum bw_token_kind kind;
	int line, column;
	const char *text;   /* WORD, QUOTED: what stands there, without quotes and escapes; else "" */
	const char *suffix; /* QUOTED: the word that follows the quotes without a blank, as in "a b".block; else "" */
};

struct bw_lexer {
	const char *name; /* of the file; NULL: errors give the column alone */
	const char *at, *end;
	int line, column;           /* of the next byte */
	int last_line, last_column; /* where the last token ended */
	bool line_begins;           /* nothing of the line was read yet */
	struct bw_arena *arena;     /* of the tokens' texts */
	struct bw_error *error;
};

/* Starts on text; a byte order mark at its beginning is skipped. */
void bw_lexer_start(struct bw_lexer *lexer, const char *text, size_t length);
/* The next token; blank lines and comments lie between tokens. Where lines begin there is a LINE or CONTINUED before their first
 * token. At the end: END, again and again. False with an error on bytes that belong to no token. */
bool bw_lex(struct bw_lexer *lexer, struct bw_token *token);
/* Sets an error of kind INPUT that begins with the place of the token; returns false. */
bool bw_lexer_fail(const struct bw_lexer *lexer, const struct bw_token *token, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A text for a message, cut where it is long. In the arena. */
const char *bw_excerpt(struct bw_arena *arena, const char *text);
#endif
