/* Private to the files of the reader of schedules. Functions that return false set an error, unless they
 * say otherwise. */
#pragma once
#include "nest/words.h"
#include "schedule/schedule.h"

/* The lexer. Tokens have a line and a column, in characters, from 1. */

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
	const char *text;   /* WORD, QUOTED: the text without quotes and escapes; other kinds: "" */
	const char *suffix; /* QUOTED: the word right after the closing quote, as in "a b".block; else "" */
};

struct bw_lexer {
	const char *name; /* name of the file; NULL: error messages give only the column */
	const char *at, *end;
	int line, column;           /* position of the next byte */
	int last_line, last_column; /* position of the end of the last token */
	bool line_begins;           /* true: nothing of the current line has been read */
	struct bw_arena *arena;     /* owns the tokens' texts */
	struct bw_error *error;
};

/* Starts reading text. Skips a byte order mark at its beginning. */
void bw_lexer_start(struct bw_lexer *lexer, const char *text, size_t length);
/* Reads the next token. Skips blank lines and comments. A token LINE or CONTINUED comes before the first
 * token of each line. At the end of the text, returns END each time. Returns false with an error for bytes
 * that do not form a token. */
bool bw_lex(struct bw_lexer *lexer, struct bw_token *token);
/* Sets an error of kind INPUT that begins with the token's position, and returns false. */
bool bw_lexer_fail(const struct bw_lexer *lexer, const struct bw_token *token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns a copy of a text for a message, truncated if it is long. The arena owns it. */
const char *bw_excerpt(struct bw_arena *arena, const char *text);

/* The parser. */

struct bw_parser {
	struct bw_lexer lexer;
	struct bw_token token; /* the next token */
	const struct bw_pipeline *pipeline;
	struct bw_arena *arena;
};

/* Reads the next token. */
bool bw_parser_next(struct bw_parser *parser);
/* Returns true if the next token is this word, without quotes. */
bool bw_parser_at_word(const struct bw_parser *parser, const char *word);
bool bw_parser_at(const struct bw_parser *parser, enum bw_word word);
/* Returns true if the entry ends at the next token: this token begins a line that is not indented, or is
 * the end of the text. */
bool bw_parser_at_end(const struct bw_parser *parser);
/* Sets an error at the next token, `expected WHAT, found ...`, and returns false. */
bool bw_parser_expected(struct bw_parser *parser, const char *what);
/* Reads a name. `what` describes the name in messages. Stores its token in *token unless that is NULL. */
bool bw_parser_name(struct bw_parser *parser, const char *what, const char **name, struct bw_token *token);
/* Reads an integer from `least` to `most`. `what` describes it in messages. */
bool bw_parser_int(struct bw_parser *parser, const char *what, int64_t least, int64_t most, int64_t *value);
/* Reads a decimal number of at most `most`, and moves *text behind it. Returns false without an error if
 * there is no number, or a greater one. */
bool bw_digits(const char **text, int64_t most, int64_t *value);

/* Returns the end of a message about an unknown name. This is `; did you mean "x"?`, or a list such as `;
 * its loops are x, y` for what = "its loops are". The arena owns it. */
const char *bw_hint(struct bw_arena *arena, const char *unknown, const char *const *known, int n,
		    const char *what);
/* Returns the index of a name, or -1. */
int bw_index_of(const char *name, const char *const *known, int n);
/* Finds the Func of a name. The Func must not be an input. Errors give the position of the token. */
bool bw_parser_find_func(struct bw_parser *parser, const struct bw_token *token, const char *name, int *func);
/* Returns the name of a Func for a message, truncated if it is long. The arena owns it. */
const char *bw_parser_func_name(struct bw_parser *parser, int func);
/* Reads a level, such as output.block or "a b".update0.serial1. */
bool bw_parser_level(struct bw_parser *parser, struct bw_site *site);

/* Reads the rest of an entry, from its loops or `update K:` on, and sets the stages of the draft. */
bool bw_parser_stages(struct bw_parser *parser, const struct bw_shape *shape, struct bw_placement *draft);
/* Reads one entry up to the end of its last line. Sets *begin to its first token. Returns NULL on error.
 * Free with bw_placement_drop. */
const struct bw_placement *bw_parser_entry(struct bw_parser *parser, struct bw_token *begin);
