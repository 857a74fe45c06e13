/* Reads tokens that name something: words, numbers, Funcs, levels; and makes messages about unknown names. */
#include <string.h>

#include "schedule/parse.h"

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

/* Splits a word at its last dot, and at the one before if `.updateK` is between them. For a quoted name, a
 * single quote stands for the name while its suffix is split. */
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
