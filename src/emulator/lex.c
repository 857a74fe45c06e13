/* The lexer, and functions on tokens that all parts of the parser use. */
#include "emulator/parser.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool begins_word(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

static bool is_word(char c)
{
	return begins_word(c) || isdigit((unsigned char)c);
}

/* Skips white space and comments. A comment without an end reaches to the end of the text. */
static void skip_space(struct bw_ptx_lexer *lexer)
{
	while (lexer->at < lexer->end) {
		const char *at = lexer->at;
		size_t left = (size_t)(lexer->end - at);
		if (left > 1 && at[0] == '/' && at[1] == '/') {
			const char *newline = memchr(at, '\n', left);
			lexer->at = newline ? newline : lexer->end;
		} else if (left > 1 && at[0] == '/' && at[1] == '*') {
			for (at += 2; at < lexer->end && !(at[0] == '*' && at + 1 < lexer->end && at[1] == '/'); at++)
				lexer->line += *at == '\n';
			lexer->at = at + 2 < lexer->end ? at + 2 : lexer->end;
		} else if (isspace((unsigned char)*at)) {
			lexer->line += *at == '\n';
			lexer->at++;
		} else {
			break;
		}
	}
}

/* Returns the end of the word that begins at `at`; "::" belongs to a word, ":" does not. A directive ends before
 * the next one. */
static const char *word_end(const char *at, const char *end)
{
	const char *begin = at;
	while (at < end) {
		if (*begin == '.' && *at == '.' && at > begin)
			break;
		if (is_word(*at))
			at++;
		else if (end - at > 2 && at[0] == ':' && at[1] == ':' && is_word(at[2]))
			at += 2;
		else
			break;
	}
	return at;
}

void bw_lexer_next(struct bw_ptx_lexer *lexer)
{
	skip_space(lexer);
	struct bw_ptx_token *token = &lexer->token;
	const char *at = lexer->at, *end = lexer->end;
	*token = (struct bw_ptx_token){.kind = BW_TOKEN_END, .text = at, .line = lexer->line};
	if (at == end)
		return;
	if (begins_word(*at)) {
		token->kind = BW_TOKEN_WORD;
		at = word_end(at, end);
	} else if (isdigit((unsigned char)*at)) {
		token->kind = BW_TOKEN_NUMBER;
		while (at < end && (isalnum((unsigned char)*at) || *at == '.'))
			at++;
	} else if (*at == '"') {
		token->kind = BW_TOKEN_STRING;
		for (at++; at < end && *at != '"' && *at != '\n'; at++)
			;
		at += at < end && *at == '"';
	} else {
		token->kind = BW_TOKEN_MARK;
		at++;
	}
	token->length = (size_t)(at - token->text);
	lexer->at = at;
}

void bw_lexer_start(struct bw_ptx_lexer *lexer, const char *text, size_t length)
{
	*lexer = (struct bw_ptx_lexer){.at = text, .end = text + length, .line = 1};
	bw_lexer_next(lexer);
}

bool bw_lexer_is(const struct bw_ptx_lexer *lexer, const char *word)
{
	const struct bw_ptx_token *token = &lexer->token;
	return token->kind == BW_TOKEN_WORD && strlen(word) == token->length &&
	       memcmp(word, token->text, token->length) == 0;
}

bool bw_lexer_is_mark(const struct bw_ptx_lexer *lexer, char mark)
{
	return lexer->token.kind == BW_TOKEN_MARK && *lexer->token.text == mark;
}

static int digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0'
	       : c >= 'a' && c <= 'f'    ? c - 'a' + 10
	       : c >= 'A' && c <= 'F'    ? c - 'A' + 10
					 : 99;
}

bool bw_token_number(const struct bw_ptx_token *token, uint64_t *value)
{
	const char *at = token->text, *end = at + token->length;
	int base = 10;
	size_t exactly = 0;
	if (token->kind != BW_TOKEN_NUMBER)
		return false;
	if (token->length > 1 && at[0] == '0') {
		char kind = (char)tolower((unsigned char)at[1]);
		base = kind == 'b' ? 2 : kind == 'x' || kind == 'f' || kind == 'd' ? 16 : 8;
		exactly = kind == 'f' ? 8 : kind == 'd' ? 16 : 0;
		at += base == 8 ? 1 : 2;
	}
	if (end - at > 1 && end[-1] == 'U')
		end--;
	if (at == end || (exactly && (size_t)(end - at) != exactly))
		return false;
	uint64_t sum = 0;
	for (; at < end; at++) {
		if (digit(*at) >= base || sum > (UINT64_MAX - (unsigned)digit(*at)) / (unsigned)base)
			return false;
		sum = sum * (unsigned)base + (unsigned)digit(*at);
	}
	return *value = sum, true;
}

/* The parts of an opcode's name such as `ld.global.nc.v2.f32`, and the types among them. */

int bw_opcode_split(const char *name, char *copy, size_t size, char *part[], int most)
{
	size_t length = strlen(name);
	int n = 0;
	if (length >= size)
		return 0;
	memcpy(copy, name, length + 1);
	for (char *at = copy; at; n++) {
		if (n == most)
			return 0;
		part[n] = at;
		at = strchr(at, '.');
		if (at)
			*at++ = 0;
	}
	return n;
}

const struct bw_type *bw_type_find(const char *name)
{
	static const struct bw_type types[] = {
	    {"u8", 'u', 1},  {"u16", 'u', 2}, {"u32", 'u', 4}, {"u64", 'u', 8},
	    {"s8", 's', 1},  {"s16", 's', 2}, {"s32", 's', 4}, {"s64", 's', 8},
	    {"b8", 'b', 1},  {"b16", 'b', 2}, {"b32", 'b', 4}, {"b64", 'b', 8},
	    {"f16", 'f', 2}, {"f32", 'f', 4}, {"f64", 'f', 8}, {"pred", 'p', 0}};
	for (size_t k = 0; k < sizeof types / sizeof *types; k++)
		if (!strcmp(types[k].name, name))
			return &types[k];
	return NULL;
}

/* Functions on tokens that all parts of the parser use. */

bool bw_token_is(const struct bw_ptx_token *token, const char *name)
{
	return name && strlen(name) == token->length && memcmp(name, token->text, token->length) == 0;
}

bool bw_token_same(const struct bw_ptx_token *a, const struct bw_ptx_token *b)
{
	return a->length == b->length && !memcmp(a->text, b->text, a->length);
}

void bw_lexer_skip_list(struct bw_ptx_lexer *lexer)
{
	if (!bw_lexer_is_mark(lexer, '('))
		return;
	while (lexer->token.kind != BW_TOKEN_END && !bw_lexer_is_mark(lexer, ')'))
		bw_lexer_next(lexer);
	bw_lexer_next(lexer);
}

bool bw_parser_fail(struct bw_ptx_parser *parser, int line, const char *format, ...)
{
	if (parser->result != BW_PTX_GOOD)
		return false;
	parser->result = BW_PTX_INVALID;
	va_list arguments;
	va_start(arguments, format);
	int n = snprintf(parser->complaint, parser->complaint_size, "line %d: ", line);
	if (n > 0 && (size_t)n < parser->complaint_size)
		vsnprintf(parser->complaint + n, parser->complaint_size - (size_t)n, format, arguments);
	va_end(arguments);
	return false;
}

bool bw_parser_expected(struct bw_ptx_parser *parser, const char *what)
{
	const struct bw_ptx_token *token = &parser->lexer.token;
	if (token->kind == BW_TOKEN_END)
		return bw_parser_fail(parser, token->line, "the text ends where %s is expected", what);
	return bw_parser_fail(parser, token->line, "%s is expected, not \"%.*s\"", what,
			      token->length > 60 ? 60 : (int)token->length, token->text);
}

bool bw_parser_skip_mark(struct bw_ptx_parser *parser, char mark)
{
	if (!bw_lexer_is_mark(&parser->lexer, mark))
		return false;
	bw_lexer_next(&parser->lexer);
	return true;
}

bool bw_parser_mark(struct bw_ptx_parser *parser, char mark)
{
	char what[4] = {'"', mark, '"', 0};
	return bw_parser_skip_mark(parser, mark) || bw_parser_expected(parser, what);
}

void *bw_parser_grow(struct bw_ptx_parser *parser, void *list, size_t n, size_t size)
{
	if (n & (n - 1)) /* room is always a power of two */
		return list;
	void *grown = realloc(list, (n ? 2 * n : 1) * size);
	if (!grown) {
		bw_parser_fail(parser, parser->lexer.line, "no memory is left to read the module");
		parser->result = BW_PTX_NO_MEMORY;
	}
	return grown;
}

bool bw_parser_number(struct bw_ptx_parser *parser, uint64_t *value)
{
	if (!bw_token_number(&parser->lexer.token, value))
		return bw_parser_expected(parser, "a number");
	bw_lexer_next(&parser->lexer);
	return true;
}
