/* Reads the loops of an entry, stage by stage. */
#include <string.h>

#include "base/arith.h"
#include "schedule/parse.h"

enum { MOST_EXTENT = INT32_MAX, MOST_PIECES = 256 };

/* The stages of an entry while they are read. */
struct stages {
	const struct bw_shape *shape;
	int stage;     /* the current stage */
	bool *written; /* by stage: true if it has been read */
	struct bw_loop **loops;
	int *n_loops;
	bool *atomic;
	/* by loop of the current stage: product of the extents of its pieces; 0: the loop is not mentioned */
	int64_t *covered;
	bool *cut;        /* by loop: true if it has a piece with an extent */
};

static const char *const kinds[] = {BW_LOOP_TABLE(BW_SECOND)};

static const char *const tails[] = {BW_TAIL_TABLE(BW_SECOND)};

/* Returns the name of the current stage for messages: hist, or hist.update0. */
static const char *stage_name(struct bw_parser *parser, const struct stages *stages,
			      const struct bw_placement *draft)
{
	const char *name = bw_parser_func_name(parser, draft->func);
	if (!stages->stage)
		return name;
	struct bw_text text = {0};
	bw_text_printf(&text, "%s.%s%d", name, bw_word_text(BW_WORD_UPDATE), stages->stage - 1);
	name = bw_text_keep(&text, parser->arena);
	return name;
}

static const struct bw_stage_shape *shape_of(const struct stages *stages)
{
	return &stages->shape->stages[stages->stage];
}

static void begin_stage(struct bw_parser *parser, struct stages *stages, int stage)
{
	stages->stage = stage;
	stages->written[stage] = true;
	stages->loops[stage] = BW_ARENA_ARRAY(parser->arena, struct bw_loop, MOST_PIECES);
	stages->covered = BW_ARENA_ARRAY(parser->arena, int64_t, shape_of(stages)->n_loops);
	stages->cut = BW_ARENA_ARRAY(parser->arena, bool, shape_of(stages)->n_loops);
}

/* Adds a piece if it is valid inside of the pieces before it. begin: the position of the piece. */
static bool add_piece(struct bw_parser *parser, struct stages *stages, const struct bw_token *begin,
		      struct bw_loop piece)
{
	const char *name = bw_excerpt(parser->arena, shape_of(stages)->loops[piece.loop]);
	int64_t *covered = &stages->covered[piece.loop];
	if (!piece.extent && *covered)
		return bw_lexer_fail(&parser->lexer, begin, "\"%s\" stands twice without an extent", name);
	if (piece.extent && !*covered)
		return bw_lexer_fail(
		    &parser->lexer, begin,
		    "\"%s\" must first stand without an extent: its outermost piece is what the others leave",
		    name);
	if (piece.extent && *covered * piece.extent > MOST_EXTENT)
		return bw_lexer_fail(&parser->lexer, begin, "the extents of \"%s\" multiply to more than %d",
				     name, MOST_EXTENT);
	if (piece.tail != BW_TAIL_AUTO && stages->cut[piece.loop])
		return bw_lexer_fail(
		    &parser->lexer, begin,
		    "the tail of \"%s\" belongs to its first piece with an extent: those inside always divide it",
		    name);
	if (stages->n_loops[stages->stage] == MOST_PIECES)
		return bw_lexer_fail(&parser->lexer, begin, "a stage has at most %d pieces of loops", MOST_PIECES);
	*covered = piece.extent ? *covered * piece.extent : 1;
	stages->cut[piece.loop] = stages->cut[piece.loop] || piece.extent;
	stages->loops[stages->stage][stages->n_loops[stages->stage]++] = piece;
	return true;
}

static bool read_tail(struct bw_parser *parser, enum bw_tail *tail)
{
	const char *text = parser->token.text;
	int found = bw_index_of(text, tails, BW_N_TAILS);
	if (found < 0)
		return bw_lexer_fail(&parser->lexer, &parser->token, "no tail \"%s\"%s", bw_excerpt(parser->arena, text),
				     bw_hint(parser->arena, text, tails, BW_N_TAILS, "tails are"));
	*tail = (enum bw_tail)found;
	return bw_parser_next(parser);
}

/* Reads LOOP [EXTENT [TAIL]]. */
static bool read_piece(struct bw_parser *parser, struct stages *stages, const struct bw_placement *draft,
		       enum bw_loop_kind kind)
{
	struct bw_token begin;
	const char *name;
	const struct bw_stage_shape *shape = shape_of(stages);
	if (!bw_parser_name(parser, "the name of a loop", &name, &begin))
		return false;
	struct bw_loop piece = {.loop = bw_index_of(name, shape->loops, shape->n_loops), .kind = kind};
	if (piece.loop < 0)
		return bw_lexer_fail(
		    &parser->lexer, &begin, "no loop \"%s\" in %s%s", bw_excerpt(parser->arena, name),
		    stage_name(parser, stages, draft),
		    bw_hint(parser->arena, name, shape->loops, shape->n_loops, "its loops are"));
	if (parser->token.kind == BW_TOKEN_WORD &&
	    !bw_parser_int(parser, "an extent", 1, MOST_EXTENT, &piece.extent))
		return false;
	if (parser->token.kind == BW_TOKEN_WORD && !read_tail(parser, &piece.tail))
		return false;
	return add_piece(parser, stages, &begin, piece);
}

/* Reads KIND piece ("," piece)*; a line may end after a comma. */
static bool read_loops(struct bw_parser *parser, struct stages *stages, const struct bw_placement *draft,
		       enum bw_loop_kind kind)
{
	do {
		if (!bw_parser_next(parser) || (parser->token.kind == BW_TOKEN_CONTINUED && !bw_parser_next(parser)))
			return false;
		if (!read_piece(parser, stages, draft, kind))
			return false;
	} while (parser->token.kind == BW_TOKEN_COMMA);
	return true;
}

/* Reads "update" K ":". */
static bool read_update(struct bw_parser *parser, struct stages *stages, const struct bw_placement *draft)
{
	const struct bw_token begin = parser->token;
	int64_t update;
	int updates = stages->shape->n_stages - 1;
	if (updates == 0)
		return bw_lexer_fail(&parser->lexer, &begin, "\"%s\" has no updates",
				     bw_parser_func_name(parser, draft->func));
	if (!bw_parser_next(parser) || !bw_parser_int(parser, "the number of an update", 0, updates - 1, &update))
		return false;
	if (parser->token.kind != BW_TOKEN_COLON)
		return bw_parser_expected(parser, "':'");
	if (stages->written[update + 1])
		return bw_lexer_fail(&parser->lexer, &begin, "update %d of \"%s\" stands twice", (int)update,
				     bw_parser_func_name(parser, draft->func));
	begin_stage(parser, stages, (int)update + 1);
	return bw_parser_next(parser);
}

/* Returns the loops of a stage, including those that the text omits. Omitted loops are serial and in the
 * order of the stage. They are inside of the stage's block, thread and lane loops, and outside of all
 * other loops. */
static struct bw_stage_plan complete(struct bw_parser *parser, const struct bw_stage_shape *shape,
				     const struct bw_loop *written, int n)
{
	int at = 0, all = 0;
	struct bw_loop *loops = BW_ARENA_ARRAY(parser->arena, struct bw_loop, n + shape->n_loops);
	bool *mentioned = BW_ARENA_ARRAY(parser->arena, bool, shape->n_loops);
	for (int i = 0; i < n; i++) {
		mentioned[written[i].loop] = true;
		if (bw_loop_role(written[i].kind) != BW_ROLE_SERIAL)
			at = i + 1;
	}
	for (int i = 0; i < at; i++)
		loops[all++] = written[i];
	for (int i = shape->n_loops - 1; i >= 0; i--)
		if (!mentioned[i])
			loops[all++] = (struct bw_loop){.loop = i, .kind = BW_LOOP_SERIAL};
	for (int i = at; i < n; i++)
		loops[all++] = written[i];
	return (struct bw_stage_plan){all, loops, false};
}

static void finish(struct bw_parser *parser, const struct stages *stages, struct bw_placement *draft)
{
	int n = stages->shape->n_stages;
	struct bw_stage_plan *plans = BW_ARENA_ARRAY(parser->arena, struct bw_stage_plan, n);
	for (int i = 0; i < n; i++) {
		plans[i] = complete(parser, &stages->shape->stages[i], stages->loops[i], stages->n_loops[i]);
		plans[i].atomic = stages->atomic[i];
	}
	draft->n_stages = n;
	draft->stages = plans;
}

/* Reads "atomic". */
static bool read_atomic(struct bw_parser *parser, struct stages *stages)
{
	if (stages->atomic[stages->stage])
		return bw_lexer_fail(&parser->lexer, &parser->token, "\"atomic\" stands twice");
	stages->atomic[stages->stage] = true;
	return bw_parser_next(parser);
}

/* Returns true at the end of a group of loops; else sets an error and returns false. */
static bool ends_group(struct bw_parser *parser)
{
	return bw_parser_at_end(parser) || parser->token.kind == BW_TOKEN_SEMICOLON ||
	       parser->token.kind == BW_TOKEN_CONTINUED || bw_parser_expected(parser, "',' or ';'");
}

/* Reads one group of loops, or the beginning of a stage. */
static bool read_group(struct bw_parser *parser, struct stages *stages, const struct bw_placement *draft)
{
	if (bw_parser_at(parser, BW_WORD_UPDATE))
		return read_update(parser, stages, draft);
	if (bw_parser_at(parser, BW_WORD_ATOMIC))
		return read_atomic(parser, stages) && ends_group(parser);
	int kind = parser->token.kind == BW_TOKEN_WORD
		       ? bw_index_of(parser->token.text, kinds, BW_N_LOOP_KINDS)
		       : -1;
	if (kind < 0)
		return bw_parser_expected(
		    parser, "loops (block, thread, lane, serial, unrolled or vector), \"atomic\" or \"update K:\"");
	return read_loops(parser, stages, draft, (enum bw_loop_kind)kind) && ends_group(parser);
}

bool bw_parser_stages(struct bw_parser *parser, const struct bw_shape *shape, struct bw_placement *draft)
{
	struct stages stages = {.shape = shape};
	stages.written = BW_ARENA_ARRAY(parser->arena, bool, shape->n_stages);
	stages.loops = BW_ARENA_ARRAY(parser->arena, struct bw_loop *, shape->n_stages);
	stages.n_loops = BW_ARENA_ARRAY(parser->arena, int, shape->n_stages);
	stages.atomic = BW_ARENA_ARRAY(parser->arena, bool, shape->n_stages);
	begin_stage(parser, &stages, 0);
	while (!bw_parser_at_end(parser)) {
		bool separator = parser->token.kind == BW_TOKEN_SEMICOLON || parser->token.kind == BW_TOKEN_CONTINUED;
		if (!(separator ? bw_parser_next(parser) : read_group(parser, &stages, draft)))
			return false;
	}
	finish(parser, &stages, draft);
	return true;
}
