#include "schedule/lex.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "nest/words.h"

enum { EXCERPT = 40 };

void bw_lexer_start(struct bw_lexer *lexer, const char *text, size_t length)
{
	static const char mark[] = "\xef\xbb\xbf";
	lexer->at = text;
	lexer->end = text + length;
	lexer->line = lexer->column = lexer->last_line = lexer->last_column = 1;
	lexer->line_begins = true;
	if (length >= 3 && memcmp(text, mark, 3) == 0)
		lexer->at += 3;
}

static bool fail_at(const struct bw_lexer *lexer, int line, int column, const char *format, va_list args)
{
	char what[sizeof((struct bw_error *)0)->text];
	vsnprintf(what, sizeof what, format, args);
	if (lexer->name)
		return bw_fail(lexer->error, BW_ERROR_INPUT, "%s:%d:%d: %s", lexer->name, line, column, what);
	return bw_fail(lexer->error, BW_ERROR_INPUT, "column %d: %s", column, what);
}

bool bw_lexer_fail(const struct bw_lexer *lexer, const struct bw_token *token, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fail_at(lexer, token->line, token->column, format, args);
	va_end(args);
	return false;
}

/* Sets an error at the next byte, and returns false. */
static bool fail_here(const struct bw_lexer *lexer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool fail_here(const struct bw_lexer *lexer, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	fail_at(lexer, lexer->line, lexer->column, format, args);
	va_end(args);
	return false;
}

const char *bw_excerpt(struct bw_arena *arena, const char *text)
{
	size_t length = strnlen(text, EXCERPT + 1);
	if (length <= EXCERPT)
		return text;
	length = bw_utf8_cut(text, EXCERPT);
	char *cut = bw_arena_array(arena, length + sizeof "...", 1);
	memcpy(cut, text, length);
	memcpy(cut + length, "...", sizeof "...");
	return cut;
}

static void step(struct bw_lexer *lexer, size_t bytes)
{
	lexer->at += bytes;
	if (lexer->column < INT_MAX)
		lexer->column++;
}

static bool at_end(const struct bw_lexer *lexer)
{
	return lexer->at == lexer->end;
}

static bool at_blank(const struct bw_lexer *lexer)
{
	if (at_end(lexer))
		return false;
	bool before_newline = lexer->at + 1 == lexer->end || lexer->at[1] == '\n';
	return *lexer->at == ' ' || *lexer->at == '\t' || (*lexer->at == '\r' && before_newline);
}

static void skip_newline(struct bw_lexer *lexer)
{
	lexer->at++;
	lexer->line++;
	lexer->column = 1;
	lexer->line_begins = true;
}

/* Skips blanks, comments and empty lines. */
static void skip(struct bw_lexer *lexer)
{
	for (;;) {
		while (at_blank(lexer))
			step(lexer, 1);
		if (!at_end(lexer) && *lexer->at == '#')
			while (!at_end(lexer) && *lexer->at != '\n')
				lexer->at++;
		if (at_end(lexer) || *lexer->at != '\n')
			return;
		skip_newline(lexer);
	}
}

/* Reads the characters of a word into text. */
static bool read_word(struct bw_lexer *lexer, struct bw_text *text)
{
	while (!at_end(lexer) && !bw_word_ends_at(*lexer->at)) {
		size_t bytes = (size_t)bw_utf8(lexer->at, (size_t)(lexer->end - lexer->at), NULL);
		if (!bytes)
			return fail_here(lexer, "byte 0x%02x is no UTF-8 text", (unsigned char)*lexer->at);
		bw_text_append(text, lexer->at, bytes);
		step(lexer, bytes);
	}
	return true;
}

static int hex_digit(char digit)
{
	static const char digits[] = "0123456789abcdef";
	const char *found = digit ? strchr(digits, digit | 0x20) : NULL;
	return found && digit >= '0' ? (int)(found - digits) : -1;
}

/* Reads what follows a backslash: a backslash, a quote, or x and two hexadecimal digits. */
static bool read_escape(struct bw_lexer *lexer, struct bw_text *text)
{
	size_t left = (size_t)(lexer->end - lexer->at);
	if (left >= 2 && (lexer->at[1] == '"' || lexer->at[1] == '\\')) {
		bw_text_append(text, lexer->at + 1, 1);
		step(lexer, 1);
		step(lexer, 1);
		return true;
	}
	int high = left >= 4 && lexer->at[1] == 'x' ? hex_digit(lexer->at[2]) : -1;
	int low = high >= 0 ? hex_digit(lexer->at[3]) : -1;
	int code = low >= 0 ? high * 16 + low : 0;
	if (code == 0 || code > 0x7f)
		return fail_here(lexer, "expected \\\", \\\\ or \\x01 to \\x7f");
	bw_text_append(text, &(char){(char)code}, 1);
	for (int i = 0; i < 4; i++)
		step(lexer, 1);
	return true;
}

/* Reads a quoted string with its quotes into text, without them. */
static bool read_quoted(struct bw_lexer *lexer, struct bw_text *text)
{
	step(lexer, 1);
	while (!at_end(lexer) && *lexer->at != '"') {
		if (*lexer->at == '\\') {
			if (!read_escape(lexer, text))
				return false;
			continue;
		}
		if (*lexer->at == '\n')
			break;
		if (!*lexer->at)
			return fail_here(lexer, "byte 0x00 in a name");
		if ((unsigned char)*lexer->at < ' ' || *lexer->at == 0x7f)
			return fail_here(lexer, "byte 0x%02x in a name: write \\x%02x", *lexer->at, *lexer->at);
		size_t bytes = (size_t)bw_utf8(lexer->at, (size_t)(lexer->end - lexer->at), NULL);
		if (!bytes)
			return fail_here(lexer, "byte 0x%02x in a name is no UTF-8 text", (unsigned char)*lexer->at);
		bw_text_append(text, lexer->at, bytes);
		step(lexer, bytes);
	}
	if (at_end(lexer) || *lexer->at != '"')
		return fail_here(lexer, "expected '\"' at the end of the name");
	step(lexer, 1);
	return true;
}

/* Reads a word, or a quoted name with its suffix. */
static bool read_text(struct bw_lexer *lexer, struct bw_token *token)
{
	BW_SCOPED_TEXT text = {0}, suffix = {0};
	bool quoted = *lexer->at == '"';
	bool good = quoted ? read_quoted(lexer, &text) && read_word(lexer, &suffix) : read_word(lexer, &text);
	if (good && !at_end(lexer) && *lexer->at == '"')
		good = fail_here(lexer, "expected a blank before '\"'");
	if (good) {
		token->kind = quoted ? BW_TOKEN_QUOTED : BW_TOKEN_WORD;
		token->text = bw_arena_strdup(lexer->arena, bw_text_get(&text));
		token->suffix = bw_arena_strdup(lexer->arena, bw_text_get(&suffix));
	}
	return good;
}

/* Reads a comma, semicolon or colon. Returns false if there is none. */
static bool read_mark(struct bw_lexer *lexer, struct bw_token *token)
{
	static const char marks[] = ",;:";
	static const enum bw_token_kind kinds[] = {BW_TOKEN_COMMA, BW_TOKEN_SEMICOLON, BW_TOKEN_COLON};
	for (int i = 0; marks[i]; i++)
		if (*lexer->at == marks[i]) {
			token->kind = kinds[i];
			step(lexer, 1);
			return true;
		}
	return false;
}

/* Reads the end of a line or of the text, whose position is the end of the token before it. */
static bool read_end(struct bw_lexer *lexer, struct bw_token *token)
{
	token->line = lexer->last_line;
	token->column = lexer->last_column;
	if (at_end(lexer))
		return true;
	token->kind = lexer->column == 1 ? BW_TOKEN_LINE : BW_TOKEN_CONTINUED;
	lexer->line_begins = false;
	return true;
}

bool bw_lex(struct bw_lexer *lexer, struct bw_token *token)
{
	skip(lexer);
	*token = (struct bw_token){
	    .kind = BW_TOKEN_END, .line = lexer->line, .column = lexer->column, .text = "", .suffix = ""};
	if (at_end(lexer) || lexer->line_begins)
		return read_end(lexer, token);
	bool good = read_mark(lexer, token);
	if (!good && bw_word_ends_at(*lexer->at) && *lexer->at != '"')
		return fail_here(lexer, "unexpected byte 0x%02x", (unsigned char)*lexer->at);
	good = good || read_text(lexer, token);
	lexer->last_line = lexer->line;
	lexer->last_column = lexer->column;
	return good;
}
