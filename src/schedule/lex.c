/* The lexer of schedules. Also reads the words, numbers, Funcs and levels that tokens name. */
#include "schedule/parse.h"

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

/* Reads a quoted string. Writes it into `text` without the quotes. */
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

/* Reads the end of a line or of the text. Its position is the end of the token before it. */
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

/* The things that tokens name, and messages about unknown names. */

enum { MOST_LISTED = 12, MOST_SERIAL = 255 };

bool bw_parser_next(struct bw_parser *parser)
{
	return bw_lex(&parser->lexer, &parser->token);
}

bool bw_parser_at_word(const struct bw_parser *parser, const char *word)
{
	return parser->token.kind == BW_TOKEN_WORD && strcmp(parser->token.text, word) == 0;
}

bool bw_parser_at(const struct bw_parser *parser, enum bw_word word)
{
	return bw_parser_at_word(parser, bw_word_text(word));
}

bool bw_parser_at_end(const struct bw_parser *parser)
{
	return parser->token.kind == BW_TOKEN_LINE || parser->token.kind == BW_TOKEN_END;
}

bool bw_parser_expected(struct bw_parser *parser, const char *what)
{
	static const char *const names[] = {BW_TOKEN_TABLE(BW_SECOND)};
	const struct bw_token *token = &parser->token;
	if (token->kind == BW_TOKEN_WORD || token->kind == BW_TOKEN_QUOTED)
		return bw_lexer_fail(&parser->lexer, token, "expected %s, found \"%s\"", what,
				     bw_excerpt(parser->arena, token->text));
	return bw_lexer_fail(&parser->lexer, token, "expected %s, found %s", what, names[token->kind]);
}

bool bw_parser_name(struct bw_parser *parser, const char *what, const char **name, struct bw_token *token)
{
	if (parser->token.kind != BW_TOKEN_WORD && parser->token.kind != BW_TOKEN_QUOTED)
		return bw_parser_expected(parser, what);
	if (*parser->token.suffix)
		return bw_lexer_fail(&parser->lexer, &parser->token, "expected a blank after the quotes");
	*name = parser->token.text;
	if (token)
		*token = parser->token;
	return bw_parser_next(parser);
}

bool bw_digits(const char **text, int64_t most, int64_t *value)
{
	if (**text < '0' || **text > '9')
		return false;
	for (*value = 0; **text >= '0' && **text <= '9'; ++*text) {
		*value = *value * 10 + (**text - '0');
		if (*value > most)
			return false;
	}
	return true;
}

bool bw_parser_int(struct bw_parser *parser, const char *what, int64_t least, int64_t most, int64_t *value)
{
	const char *text = parser->token.text;
	if (parser->token.kind != BW_TOKEN_WORD || *text < '0' || *text > '9')
		return bw_parser_expected(parser, what);
	if (!bw_digits(&text, most, value) || *value < least || *text)
		return bw_lexer_fail(&parser->lexer, &parser->token,
				     "expected %s from %lld to %lld, found \"%s\"", what, (long long)least,
				     (long long)most, bw_excerpt(parser->arena, parser->token.text));
	return bw_parser_next(parser);
}

const char *bw_hint(struct bw_arena *arena, const char *unknown, const char *const *known, int n,
		    const char *what)
{
	const char **all = BW_ARENA_ARRAY(arena, const char *, n + 1);
	for (int i = 0; i < n; i++)
		all[i] = known[i];
	const char *near = bw_nearest(unknown, all);
	struct bw_text text = {0};
	if (near)
		bw_text_printf(&text, "; did you mean \"%s\"?", near);
	else if (n)
		bw_text_printf(&text, "; %s ", what);
	for (int i = 0; !near && i < n && i < MOST_LISTED; i++)
		bw_text_printf(&text, "%s%s", i ? ", " : "", bw_excerpt(arena, known[i]));
	if (!near && n > MOST_LISTED)
		bw_text_puts(&text, ", ...");
	return bw_text_keep(&text, arena);
}

int bw_index_of(const char *name, const char *const *known, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(name, known[i]) == 0)
			return i;
	return -1;
}

const char *bw_parser_func_name(struct bw_parser *parser, int func)
{
	return bw_excerpt(parser->arena, parser->pipeline->funcs[func].name);
}

static bool no_func(struct bw_parser *parser, const struct bw_token *token, const char *name)
{
	int n = 0;
	const char **names = BW_ARENA_ARRAY(parser->arena, const char *, parser->pipeline->n_funcs);
	for (int i = parser->pipeline->n_funcs - 1; i >= 0; i--)
		if (!parser->pipeline->funcs[i].input)
			names[n++] = parser->pipeline->funcs[i].name;
	return bw_lexer_fail(&parser->lexer, token, "no Func \"%s\" in pipeline %s%s",
			     bw_excerpt(parser->arena, name), parser->pipeline->name,
			     bw_hint(parser->arena, name, names, n, "its Funcs are"));
}

bool bw_parser_find_func(struct bw_parser *parser, const struct bw_token *token, const char *name, int *func)
{
	*func = bw_pipeline_find(parser->pipeline, name);
	if (*func < 0)
		return no_func(parser, token, name);
	if (parser->pipeline->funcs[*func].input)
		return bw_lexer_fail(&parser->lexer, token,
				     "\"%s\" is an input of the pipeline: it has no loops",
				     bw_excerpt(parser->arena, name));
	return true;
}

/* The parts of a level: the name of a Func, the stage, the kind of loop. */
struct level {
	const char *func;
	int stage; /* -1 for the pure definition, else the update */
	const char *role;
};

static const char *copy(struct bw_parser *parser, const char *text, size_t length)
{
	char *copied = bw_arena_array(parser->arena, length + 1, 1);
	return memcpy(copied, text, length);
}

/* Splits a word at its last dot, and at the dot before that if `.updateK` is between the two. If the name
 * is quoted, a single quote is put in its place while the suffix is split. */
static bool cut_level(struct bw_parser *parser, const struct bw_token *token, struct level *level)
{
	bool quoted = token->kind == BW_TOKEN_QUOTED;
	const char *word = token->text;
	if (quoted) {
		char *stand_in = bw_arena_array(parser->arena, strlen(token->suffix) + 2, 1);
		stand_in[0] = '"';
		strcpy(stand_in + 1, token->suffix);
		word = stand_in;
	}
	const char *last = strrchr(word, '.');
	if (!last || last == word || !last[1])
		return false;
	size_t length = (size_t)(last - word);
	level->role = last + 1;
	level->stage = -1;
	bw_word_update(word, length, &length, &level->stage);
	level->func = quoted ? token->text : copy(parser, word, length);
	return !quoted || length == 1;
}

/* Reads block, warp, thread or serialK. */
static bool read_role(const char *text, struct bw_site *site)
{
	for (site->role = BW_ROLE_BLOCK; site->role < BW_N_ROLES; site->role++)
		if (site->role != BW_ROLE_SERIAL && strcmp(text, bw_role_name(site->role)) == 0)
			return true;
	site->role = BW_ROLE_SERIAL;
	size_t length = strlen(bw_role_name(BW_ROLE_SERIAL));
	int64_t serial;
	if (strncmp(text, bw_role_name(BW_ROLE_SERIAL), length) != 0)
		return false;
	text += length;
	if (!bw_digits(&text, MOST_SERIAL, &serial) || *text)
		return false;
	site->serial = (int)serial;
	return true;
}

bool bw_parser_level(struct bw_parser *parser, struct bw_site *site)
{
	static const char what[] = "a level, as NAME.block, NAME.thread, NAME.serial0 or NAME.update0.block";
	const struct bw_token token = parser->token;
	struct level level;
	if (token.kind != BW_TOKEN_WORD && token.kind != BW_TOKEN_QUOTED)
		return bw_parser_expected(parser, what);
	*site = (struct bw_site){.kind = BW_SITE_AT};
	if (!cut_level(parser, &token, &level) || !read_role(level.role, site))
		return bw_parser_expected(parser, what);
	if (!bw_parser_find_func(parser, &token, level.func, &site->func))
		return false;
	int updates = parser->pipeline->funcs[site->func].n_stages - 1;
	if (level.stage >= updates)
		return bw_lexer_fail(&parser->lexer, &token,
				     "no update %d of \"%s\": it has %d of them, counted from 0", level.stage,
				     bw_excerpt(parser->arena, level.func), updates);
	site->stage = level.stage + 1;
	return bw_parser_next(parser);
}
