/* Reads how a Func is derived from one of the algorithm: a wrapper, a clone, or the intermediate of an
 * rfactor. */
#include <string.h>

#include "schedule/parse.h"

enum { MOST_FACTORED = 16 };

static bool reads(const struct bw_pipeline *pipeline, int consumer, int producer)
{
	const struct bw_func *func = &pipeline->funcs[consumer];
	for (int i = 0; i < func->n_stages; i++)
		if (bw_stage_read_of(&func->stages[i], producer))
			return true;
	return false;
}

/* Reads "in" NAME or "clone" NAME. */
static bool read_consumer(struct bw_parser *parser, struct bw_placement *draft)
{
	struct bw_token token;
	const char *name;
	draft->derivation = bw_parser_at(parser, BW_WORD_IN) ? BW_DERIVED_WRAPPER : BW_DERIVED_CLONE;
	if (!bw_parser_next(parser) || !bw_parser_name(parser, "the name of a consumer", &name, &token) ||
	    !bw_parser_find_func(parser, &token, name, &draft->derived_for))
		return false;
	if (draft->derived_for == draft->func || !reads(parser->pipeline, draft->derived_for, draft->func))
		return bw_lexer_fail(&parser->lexer, &token, "\"%s\" does not read \"%s\"",
				     bw_parser_func_name(parser, draft->derived_for),
				     bw_parser_func_name(parser, draft->func));
	return true;
}

/* Reads RVAR VAR. */
static bool read_factored(struct bw_parser *parser, struct bw_placement *draft, struct bw_factored *factored)
{
	struct bw_token token;
	const char *name, *var;
	const struct bw_stage *stage = &parser->pipeline->funcs[draft->func].stages[draft->derived_stage];
	if (!bw_parser_name(parser, "the name of an RVar", &name, &token))
		return false;
	int loop = bw_stage_find_loop(stage, name);
	if (loop < 0 || stage->loops[loop].pure)
		return bw_lexer_fail(&parser->lexer, &token, "no RVar \"%s\" in %s.update%d",
				     bw_excerpt(parser->arena, name),
				     bw_parser_func_name(parser, draft->func), stage->index - 1);
	if (!bw_parser_name(parser, "the name of the Var that takes its place", &var, &token))
		return false;
	bool taken = bw_stage_find_loop(stage, var) >= 0 ||
		     bw_index_of(var, parser->pipeline->funcs[draft->func].dims,
				 parser->pipeline->funcs[draft->func].n_dims) >= 0;
	for (int i = 0; i < draft->n_factored; i++) {
		if (factored[i].loop == loop)
			return bw_lexer_fail(&parser->lexer, &token, "RVar \"%s\" stands twice", bw_excerpt(parser->arena, name));
		taken = taken || strcmp(factored[i].var, var) == 0;
	}
	if (taken || !*var)
		return bw_lexer_fail(&parser->lexer, &token,
				     "the name \"%s\" is taken: the Var needs one of its own",
				     bw_excerpt(parser->arena, var));
	factored[draft->n_factored++] = (struct bw_factored){loop, var};
	return true;
}

/* Reads "rfactor" "update" K RVAR VAR ("," RVAR VAR)*; a line may end after a comma. */
static bool read_rfactor(struct bw_parser *parser, struct bw_placement *draft)
{
	int64_t update;
	int updates = parser->pipeline->funcs[draft->func].n_stages - 1;
	struct bw_factored *factored = BW_ARENA_ARRAY(parser->arena, struct bw_factored, MOST_FACTORED);
	draft->derivation = BW_DERIVED_RFACTOR;
	if (updates == 0)
		return bw_lexer_fail(&parser->lexer, &parser->token, "\"%s\" has no updates to factor",
				     bw_parser_func_name(parser, draft->func));
	if (!bw_parser_next(parser))
		return false;
	if (!bw_parser_at(parser, BW_WORD_UPDATE))
		return bw_parser_expected(parser, "\"update K\"");
	if (!bw_parser_next(parser) || !bw_parser_int(parser, "the number of an update", 0, updates - 1, &update))
		return false;
	draft->derived_stage = (int)update + 1;
	draft->factored = factored;
	for (;;) {
		if (!read_factored(parser, draft, factored))
			return false;
		if (parser->token.kind != BW_TOKEN_COMMA)
			return true;
		if (draft->n_factored == MOST_FACTORED)
			return bw_lexer_fail(&parser->lexer, &parser->token, "an rfactor keeps at most %d RVars", MOST_FACTORED);
		if (!bw_parser_next(parser) || (parser->token.kind == BW_TOKEN_CONTINUED && !bw_parser_next(parser)))
			return false;
	}
}

bool bw_parser_derivation(struct bw_parser *parser, struct bw_placement *draft)
{
	if (bw_parser_at(parser, BW_WORD_IN) || bw_parser_at(parser, BW_WORD_CLONE))
		return read_consumer(parser, draft);
	return !bw_parser_at(parser, BW_WORD_RFACTOR) || read_rfactor(parser, draft);
}
