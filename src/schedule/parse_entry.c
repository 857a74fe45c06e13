/* Reads one entry: its Func, site, storage and loops. */
#include <string.h>

#include "nest/plan.h"
#include "schedule/parse.h"

enum { MOST_SIZE = INT32_MAX };

/* An entry while it is read. */
struct entry {
	/* positions of the entry's name, site and sizes; sizes.text is NULL if there are no sizes */
	struct bw_token begin, site,
	    sizes;
	struct bw_placement draft;
	const struct bw_shape *shape;
	int n_axes;                        /* axes of the Func that the entry's Func is derived from */
	int64_t *serial, *threads;         /* sizes by axis */
	/* true: the words untiled, order, in and align have been read */
	bool untiled, ordered, remembered, aligned;
};

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

/* Reads an optional derivation of the draft's Func: a wrapper or a clone. */
static bool read_derivation(struct bw_parser *parser, struct bw_placement *draft)
{
	bool derived = bw_parser_at(parser, BW_WORD_IN) || bw_parser_at(parser, BW_WORD_CLONE);
	return !derived || read_consumer(parser, draft);
}

/* Reads NAME and the derivation. */
static bool read_subject(struct bw_parser *parser, struct entry *entry)
{
	const char *name;
	struct bw_placement *draft = &entry->draft;
	*draft = (struct bw_placement){.derived_for = -1, .tiled = true};
	if (!bw_parser_name(parser, "the name of a Func", &name, &entry->begin) ||
	    !bw_parser_find_func(parser, &entry->begin, name, &draft->func))
		return false;
	if (parser->token.kind == BW_TOKEN_CONTINUED && !bw_parser_next(parser))
		return false;
	if (!read_derivation(parser, draft))
		return false;
	entry->shape = bw_shape_of(parser->pipeline, draft, parser->arena);
	entry->n_axes = parser->pipeline->funcs[draft->func].n_axes;
	return true;
}

/* Reads a level of another Func. */
static bool read_level(struct bw_parser *parser, const struct entry *entry, struct bw_site *site)
{
	const struct bw_token token = parser->token;
	bool alone = bw_parser_at(parser, BW_WORD_ROOT) || bw_parser_at(parser, BW_WORD_INLINE);
	if (alone && site == &entry->draft.compute)
		return bw_lexer_fail(&parser->lexer, &token, "%s is no level of another Func: write it without at",
				     bw_excerpt(parser->arena, token.text));
	if (!bw_parser_level(parser, site))
		return false;
	if (site->func == entry->draft.func)
		return bw_lexer_fail(&parser->lexer, &token, "\"%s\" cannot be at a level of its own loops",
				     bw_parser_func_name(parser, site->func));
	return true;
}

/* Reads "inline" | "root" | "at" LEVEL. */
static bool read_site(struct bw_parser *parser, struct entry *entry)
{
	struct bw_site *site = &entry->draft.compute;
	entry->site = parser->token;
	if (bw_parser_at(parser, BW_WORD_INLINE))
		*site = (struct bw_site){.kind = BW_SITE_INLINE};
	else if (bw_parser_at(parser, BW_WORD_ROOT))
		*site = (struct bw_site){.kind = BW_SITE_ROOT};
	else if (bw_parser_at(parser, BW_WORD_AT))
		return bw_parser_next(parser) && read_level(parser, entry, site);
	else
		return bw_parser_expected(parser, "a site (inline, root, or at LEVEL)");
	return bw_parser_next(parser);
}

static bool wrong_sizes(struct bw_parser *parser, struct entry *entry)
{
	static const char *const examples[][2] = {{"8", "8/32"}, {"1x2", "1x2/32x8"}, {"1x2x1", "1x2x1/32x8x1"}};
	int n = entry->shape->n_dims, more = entry->n_axes - n, shown = n ? n : more;
	bool root = entry->draft.compute.kind == BW_SITE_ROOT;
	const char *behind = !more ? "" : more == 1 ? ", and of 1 parallel RVar" : ", and of its parallel RVars";
	return bw_lexer_fail(
	    &parser->lexer, &entry->sizes, "expected sizes%s of %d dimension%s, x first%s%s%s, found \"%s\"",
	    root ? ", serial / thread," : "", n, n == 1 ? "" : "s", behind, shown <= 3 ? ", as in " : "",
	    shown <= 3 ? examples[shown - 1][root] : "", bw_excerpt(parser->arena, entry->sizes.text));
}

/* Reads N "x" N ..., one size per dimension, then one per other axis. Axes that are left out have the size
 * `others`. A size of 0 is accepted for an axis that may have 0 by default. */
static bool read_extents(const char **text, const struct entry *entry, int64_t others, int64_t *extents)
{
	int n_dims = entry->shape->n_dims, i = 0;
	for (; i < entry->n_axes && (i < n_dims || !i || **text == 'x'); i++) {
		if (i && *(*text)++ != 'x')
			return false;
		if (!bw_digits(text, MOST_SIZE, &extents[i]) || (extents[i] == 0 && (others || i < n_dims)))
			return false;
	}
	for (; i < entry->n_axes; i++)
		extents[i] = others;
	return true;
}

/* Reads the sizes of the short form: serial sizes, and at root thread extents after a slash. */
static bool read_sizes(struct bw_parser *parser, struct entry *entry)
{
	const struct bw_site *site = &entry->draft.compute;
	const struct bw_func *func = &parser->pipeline->funcs[entry->draft.func];
	const char *text = parser->token.text;
	entry->sizes = parser->token;
	bool root = site->kind == BW_SITE_ROOT, block = site->kind == BW_SITE_AT && site->role == BW_ROLE_BLOCK;
	if ((!root && !block) || entry->n_axes == 0 || entry->draft.derivation != BW_DERIVED_NOT)
		return bw_lexer_fail(&parser->lexer, &parser->token,
				     "sizes are for a Func with dimensions, at root or at a block");
	entry->serial = BW_ARENA_ARRAY(parser->arena, int64_t, entry->n_axes);
	entry->threads = BW_ARENA_ARRAY(parser->arena, int64_t, entry->n_axes);
	bool good = read_extents(&text, entry, root, entry->serial);
	if (good && root)
		good = *text++ == '/' && read_extents(&text, entry, 1, entry->threads);
	if (!good || *text)
		return wrong_sizes(parser, entry);
	for (int i = 0; root && i < entry->n_axes; i++)
		if (entry->serial[i] * entry->threads[i] > MOST_SIZE)
			return bw_lexer_fail(&parser->lexer, &entry->sizes,
					     "the sizes of \"%s\" multiply to more than %d",
					     bw_excerpt(parser->arena, bw_func_axis(func, i)), MOST_SIZE);
	return bw_parser_next(parser);
}

/* Reads "store" ("root" | LEVEL). */
static bool read_store(struct bw_parser *parser, struct entry *entry)
{
	struct bw_placement *draft = &entry->draft;
	const struct bw_token begin = parser->token;
	if (draft->store.kind != BW_SITE_INLINE)
		return bw_lexer_fail(&parser->lexer, &begin, "\"store\" stands twice");
	if (!bw_parser_next(parser))
		return false;
	if (bw_parser_at(parser, BW_WORD_ROOT)) {
		draft->store = (struct bw_site){.kind = BW_SITE_ROOT};
		return bw_parser_next(parser);
	}
	if (!read_level(parser, entry, &draft->store))
		return false;
	return draft->compute.kind == BW_SITE_AT ||
	       bw_lexer_fail(&parser->lexer, &begin, "what is computed at root is stored at root");
}

/* Reads "in" MEMORY. */
static bool read_memory(struct bw_parser *parser, struct entry *entry)
{
	static const char *const names[] = {BW_MEMORY_TABLE(BW_SECOND)};
	struct bw_token token;
	const char *name;
	if (entry->remembered)
		return bw_lexer_fail(&parser->lexer, &parser->token, "\"in\" stands twice");
	if (!bw_parser_next(parser) || !bw_parser_name(parser, "a memory", &name, &token))
		return false;
	int memory = bw_index_of(name, names, BW_N_MEMORIES);
	if (memory < 0)
		return bw_lexer_fail(&parser->lexer, &token, "no memory \"%s\"%s", bw_excerpt(parser->arena, name),
				     bw_hint(parser->arena, name, names, BW_N_MEMORIES, "memories are"));
	entry->remembered = true;
	entry->draft.memory = (enum bw_memory)memory;
	return true;
}

static bool at_storage_word(const struct bw_parser *parser)
{
	return bw_parser_at(parser, BW_WORD_STORE) || bw_parser_at(parser, BW_WORD_IN) ||
	       bw_parser_at(parser, BW_WORD_ORDER) || bw_parser_at(parser, BW_WORD_ALIGN) ||
	       bw_parser_at(parser, BW_WORD_UNTILED);
}

static bool at_dimension(const struct bw_parser *parser)
{
	return (parser->token.kind == BW_TOKEN_WORD || parser->token.kind == BW_TOKEN_QUOTED) &&
	       !at_storage_word(parser);
}

/* Reads the name of a dimension of the entry's Func. */
static bool read_dimension(struct bw_parser *parser, const struct entry *entry, struct bw_token *token,
			   const char **name, int *dim)
{
	const struct bw_shape *shape = entry->shape;
	if (!bw_parser_name(parser, "a dimension", name, token))
		return false;
	*dim = bw_index_of(*name, shape->dims, shape->n_dims);
	return *dim >= 0 ||
	       bw_lexer_fail(&parser->lexer, token, "no dimension \"%s\" in %s%s",
			     bw_excerpt(parser->arena, *name), bw_parser_func_name(parser, entry->draft.func),
			     bw_hint(parser->arena, *name, shape->dims, shape->n_dims, "its dimensions are"));
}

/* Reads "align" (DIM N)+. */
static bool read_align(struct bw_parser *parser, struct entry *entry)
{
	struct bw_token token = parser->token;
	const char *name;
	int dim;
	if (entry->aligned)
		return bw_lexer_fail(&parser->lexer, &token, "\"align\" stands twice");
	if (!bw_parser_next(parser))
		return false;
	while (at_dimension(parser)) {
		int64_t align;
		if (!read_dimension(parser, entry, &token, &name, &dim))
			return false;
		if (dim >= BW_MAX_DIMS)
			return bw_lexer_fail(&parser->lexer, &token, "only the first %d dimensions can be aligned", BW_MAX_DIMS);
		if (entry->draft.align[dim])
			return bw_lexer_fail(&parser->lexer, &token, "dimension \"%s\" stands twice",
					     bw_excerpt(parser->arena, name));
		if (!bw_parser_int(parser, "a multiple", 2, BW_MOST_ALIGN, &align))
			return false;
		entry->draft.align[dim] = (unsigned char)align;
		entry->aligned = true;
	}
	return entry->aligned ||
	       bw_lexer_fail(&parser->lexer, &token, "\"align\" names dimensions of %s, each with a multiple",
			     bw_parser_func_name(parser, entry->draft.func));
}

/* Reads "order" DIM+. */
static bool read_order(struct bw_parser *parser, struct entry *entry)
{
	const struct bw_shape *shape = entry->shape;
	struct bw_token token = parser->token;
	int n = 0, dim, *storage = BW_ARENA_ARRAY(parser->arena, int, shape->n_dims);
	const char *name;
	if (entry->ordered)
		return bw_lexer_fail(&parser->lexer, &token, "\"order\" stands twice");
	if (!bw_parser_next(parser))
		return false;
	while (at_dimension(parser)) {
		if (!read_dimension(parser, entry, &token, &name, &dim))
			return false;
		for (int i = 0; i < n; i++)
			if (storage[i] == dim)
				return bw_lexer_fail(&parser->lexer, &token, "dimension \"%s\" stands twice",
						     bw_excerpt(parser->arena, name));
		storage[n++] = dim;
	}
	if (n != shape->n_dims || n == 0)
		return bw_lexer_fail(&parser->lexer, &token,
				     "\"order\" names each of the %d dimensions of %s once, innermost first",
				     shape->n_dims, bw_parser_func_name(parser, entry->draft.func));
	entry->ordered = true;
	entry->draft.storage = storage;
	entry->draft.n_storage = n;
	return true;
}

static bool read_untiled(struct bw_parser *parser, struct entry *entry)
{
	if (entry->draft.compute.kind != BW_SITE_ROOT || entry->untiled)
		return bw_lexer_fail(&parser->lexer, &parser->token,
				     entry->untiled ? "\"untiled\" stands twice"
						    : "only a Func at root can be untiled");
	entry->untiled = true;
	return bw_parser_next(parser);
}

/* Reads the clauses store, in, order, align and untiled, in any order, each at most once. */
static bool read_clauses(struct bw_parser *parser, struct entry *entry)
{
	for (;;) {
		bool good;
		if (!at_storage_word(parser))
			return true;
		if (entry->draft.compute.kind == BW_SITE_INLINE)
			return bw_lexer_fail(&parser->lexer, &parser->token,
					     "an inlined Func is not stored: nothing follows \"inline\"");
		if (bw_parser_at(parser, BW_WORD_STORE))
			good = read_store(parser, entry);
		else if (bw_parser_at(parser, BW_WORD_IN))
			good = read_memory(parser, entry);
		else if (bw_parser_at(parser, BW_WORD_ORDER))
			good = read_order(parser, entry);
		else if (bw_parser_at(parser, BW_WORD_ALIGN))
			good = read_align(parser, entry);
		else
			good = read_untiled(parser, entry);
		if (!good)
			return false;
	}
}

/* Reads clauses up to the first loops. They are on the line of the site or on lines of their own. */
static bool read_storage(struct bw_parser *parser, struct entry *entry)
{
	bool separated = false;
	for (;;) {
		if (!read_clauses(parser, entry))
			return false;
		if (bw_parser_at_end(parser))
			return true;
		if (parser->token.kind != BW_TOKEN_SEMICOLON && parser->token.kind != BW_TOKEN_CONTINUED)
			return separated || bw_parser_expected(
						parser, "a clause (store, in, order, align, untiled) or ';'");
		while (parser->token.kind == BW_TOKEN_SEMICOLON || parser->token.kind == BW_TOKEN_CONTINUED)
			if (!bw_parser_next(parser))
				return false;
		separated = true;
	}
}

/* Returns the plan of the short form with its sizes. A missing size is 1. */
static const struct bw_placement *short_plan(const struct bw_pipeline *pipeline, const struct entry *entry)
{
	const struct bw_placement *draft = &entry->draft;
	if (draft->compute.kind == BW_SITE_ROOT)
		return bw_plan_root(pipeline, draft->func, entry->serial, entry->threads);
	if (draft->compute.role == BW_ROLE_BLOCK)
		return bw_plan_at_block(pipeline, draft->func, &draft->compute, entry->serial);
	return bw_plan_in_thread(pipeline, draft->func, &draft->compute);
}

/* Returns a placement with the entry's storage and the loops of the short form. */
static const struct bw_placement *make_short(const struct bw_pipeline *pipeline, const struct entry *entry)
{
	BW_SCOPED_PLACEMENT *plan = short_plan(pipeline, entry);
	struct bw_placement draft = entry->draft;
	draft.n_stages = plan->n_stages;
	draft.stages = plan->stages;
	return bw_placement_make(&draft);
}

/* Reads the loops, or nothing if the entry ends, and returns the placement. */
static const struct bw_placement *read_plan(struct bw_parser *parser, struct entry *entry)
{
	struct bw_placement *draft = &entry->draft;
	bool ends = bw_parser_at_end(parser), derived = draft->derivation != BW_DERIVED_NOT;
	draft->tiled = !entry->untiled;
	if (!ends && draft->compute.kind == BW_SITE_INLINE) {
		bw_lexer_fail(&parser->lexer, &parser->token,
			      "an inlined Func has no loops of its own: nothing follows \"inline\"");
		return NULL;
	}
	if (!ends && entry->serial) {
		bw_lexer_fail(&parser->lexer, &parser->token,
			      "loops are written out or given by sizes (\"%s\"), not both",
			      bw_excerpt(parser->arena, entry->sizes.text));
		return NULL;
	}
	if (ends && draft->compute.kind == BW_SITE_ROOT && !entry->serial && !derived && entry->n_axes)
		draft->tiled = false;
	if (ends && !derived && draft->compute.kind != BW_SITE_INLINE)
		return make_short(parser->pipeline, entry);
	if (draft->compute.kind != BW_SITE_INLINE && !bw_parser_stages(parser, entry->shape, draft))
		return NULL;
	return bw_placement_make(draft);
}

const struct bw_placement *bw_parser_entry(struct bw_parser *parser, struct bw_token *begin)
{
	struct entry entry = {0};
	if (!read_subject(parser, &entry) || !read_site(parser, &entry))
		return NULL;
	*begin = entry.begin;
	bool sized = parser->token.kind == BW_TOKEN_WORD && *parser->token.text >= '0' && *parser->token.text <= '9';
	if ((sized && !read_sizes(parser, &entry)) || !read_storage(parser, &entry))
		return NULL;
	return read_plan(parser, &entry);
}
