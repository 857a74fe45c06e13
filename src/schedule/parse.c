/* Reads whole texts: the header, then the entries. */
#include "schedule/parse.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "schedule/schedule.h"

enum { TEXT_LIMIT = 4 << 20, MOST_DERIVED = 1000, VERSION = 1 };

/* The header without the version. */
struct header {
	bool named, hashed, staged; /* pipeline, algorithm and staging have been read */
	bool unstaged;
	bool other_name;
	uint64_t algorithm;
	struct bw_text rfactors; /* as of bw_pipeline_put_rfactors */
};

static bool start(struct bw_parser *parser, const struct bw_pipeline *pipeline, const char *name,
		  const char *text, size_t length, struct bw_error *error)
{
	*parser = (struct bw_parser){.lexer = {.name = name, .error = error}, .pipeline = pipeline};
	if (length > TEXT_LIMIT)
		return bw_fail(error, BW_ERROR_INPUT, "%s%sa schedule has at most %d bytes, this has %zu",
			       name ? name : "", name ? ": " : "", TEXT_LIMIT, length);
	parser->arena = parser->lexer.arena = bw_arena_new();
	bw_lexer_start(&parser->lexer, text, length);
	parser->lexer.line_begins = name != NULL;
	return bw_parser_next(parser);
}

static bool end_line(struct bw_parser *parser)
{
	return bw_parser_at_end(parser) || bw_parser_expected(parser, "the end of the line");
}

/* Reads "beamwalk-schedule" VERSION. */
static bool read_version(struct bw_parser *parser)
{
	static const char what[] = "\"beamwalk-schedule 1\" on the first line";
	if (parser->token.kind == BW_TOKEN_LINE && !bw_parser_next(parser))
		return false;
	if (!bw_parser_at(parser, BW_WORD_HEADER))
		return bw_parser_expected(parser, what);
	if (!bw_parser_next(parser))
		return false;
	if (parser->token.kind != BW_TOKEN_WORD)
		return bw_parser_expected(parser, "the version");
	if (!bw_parser_at_word(parser, "1"))
		return bw_lexer_fail(&parser->lexer, &parser->token,
				     "version \"%s\" of the format is unknown here, which reads version %d",
				     bw_excerpt(parser->arena, parser->token.text), VERSION);
	return bw_parser_next(parser) && end_line(parser);
}

/* Reads "pipeline" NAME. */
static bool read_pipeline(struct bw_parser *parser, struct header *header)
{
	const char *name;
	if (header->named)
		return bw_lexer_fail(&parser->lexer, &parser->token, "\"pipeline\" stands twice");
	if (!bw_parser_next(parser) || !bw_parser_name(parser, "the name of a pipeline", &name, NULL))
		return false;
	header->named = true;
	header->other_name = parser->pipeline && strcmp(name, parser->pipeline->name) != 0;
	return end_line(parser);
}

static bool read_hash(const char *text, uint64_t *hash)
{
	static const char digits[] = "0123456789abcdef";
	*hash = 0;
	for (int i = 0; i < 16; i++) {
		const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
		if (!digit)
			return false;
		*hash = *hash << 4 | (uint64_t)(digit - digits);
	}
	return !text[16];
}

/* Reads "algorithm" HASH. */
static bool read_algorithm(struct bw_parser *parser, struct header *header)
{
	if (header->hashed)
		return bw_lexer_fail(&parser->lexer, &parser->token, "\"algorithm\" stands twice");
	if (!bw_parser_next(parser))
		return false;
	if (parser->token.kind != BW_TOKEN_WORD || !read_hash(parser->token.text, &header->algorithm))
		return bw_parser_expected(parser, "a hash of 16 hexadecimal digits in lower case");
	header->hashed = true;
	return bw_parser_next(parser) && end_line(parser);
}

/* Reads "staging" "on" or "off". */
static bool read_staging(struct bw_parser *parser, struct header *header)
{
	if (header->staged)
		return bw_lexer_fail(&parser->lexer, &parser->token, "\"staging\" stands twice");
	if (!bw_parser_next(parser))
		return false;
	header->unstaged = bw_parser_at_word(parser, "off");
	if (!header->unstaged && !bw_parser_at_word(parser, "on"))
		return bw_parser_expected(parser, "on or off");
	header->staged = true;
	return bw_parser_next(parser) && end_line(parser);
}

/* Reads "rfactor" NAME "update" K [RVAR ("/" | "%")] FACTOR. */
static bool read_rfactored(struct bw_parser *parser, struct header *header)
{
	const char *name, *rvar = NULL;
	int64_t update, factor;
	bool apart = false;
	if (!bw_parser_next(parser) || !bw_parser_name(parser, "the name of a Func", &name, NULL))
		return false;
	if (!bw_parser_at(parser, BW_WORD_UPDATE))
		return bw_parser_expected(parser, "\"update K\"");
	if (!bw_parser_next(parser) || !bw_parser_int(parser, "the number of an update", 0, INT16_MAX, &update))
		return false;
	if (parser->token.kind == BW_TOKEN_QUOTED ||
	    (parser->token.kind == BW_TOKEN_WORD && !isdigit((unsigned char)*parser->token.text))) {
		if (!bw_parser_name(parser, "the name of an RVar", &rvar, NULL))
			return false;
		apart = bw_parser_at_word(parser, "%");
		if (!apart && !bw_parser_at_word(parser, "/"))
			return bw_parser_expected(parser, "/ or % and a factor");
		if (!bw_parser_next(parser))
			return false;
	}
	if (!bw_parser_int(parser, "a factor", 1, 1 << 20, &factor))
		return false;
	bw_text_printf(&header->rfactors, "%s%s.update%d:%s%s%d", header->rfactors.length ? "," : "", name, (int)update,
		       rvar ? rvar : "", !rvar ? "" : apart ? "%" : "/", (int)factor);
	return end_line(parser);
}

static bool read_header(struct bw_parser *parser, struct header *header)
{
	if (!read_version(parser))
		return false;
	while (parser->token.kind == BW_TOKEN_LINE) {
		if (!bw_parser_next(parser))
			return false;
		bool named = bw_parser_at(parser, BW_WORD_PIPELINE), staging = bw_parser_at(parser, BW_WORD_STAGING);
		bool rfactor = bw_parser_at(parser, BW_WORD_RFACTOR);
		if (!named && !staging && !rfactor && !bw_parser_at(parser, BW_WORD_ALGORITHM))
			return true;
		if (!(named     ? read_pipeline(parser, header)
		      : staging ? read_staging(parser, header)
		      : rfactor ? read_rfactored(parser, header)
				: read_algorithm(parser, header)))
			return false;
	}
	return true;
}

static bool add_entry(struct bw_parser *parser, struct bw_schedule *schedule)
{
	struct bw_token begin;
	BW_SCOPED_PLACEMENT *placement = bw_parser_entry(parser, &begin);
	if (!placement)
		return false;
	bool good = true;
	if (bw_schedule_find(schedule, placement))
		good = bw_lexer_fail(&parser->lexer, &begin, "\"%s\" is mentioned twice",
				     bw_excerpt(parser->arena, begin.text));
	else if (schedule->n - schedule->n_funcs == MOST_DERIVED)
		good = bw_lexer_fail(&parser->lexer, &begin, "a schedule has at most %d derived Funcs", MOST_DERIVED);
	else
		bw_schedule_set(schedule, placement);
	return good;
}

/* Reads all entries. The next token is the name of the first. */
static bool read_entries(struct bw_parser *parser, struct bw_schedule *schedule)
{
	while (parser->token.kind != BW_TOKEN_END) {
		if (!add_entry(parser, schedule))
			return false;
		bw_arena_reset(parser->arena);
		if (parser->token.kind == BW_TOKEN_LINE && !bw_parser_next(parser))
			return false;
	}
	return true;
}

/* Returns true if the pipeline has the factored updates that the header names, or it names none. */
static bool fits(const struct bw_pipeline *pipeline, const char *name, const struct header *header,
		 struct bw_error *error)
{
	BW_SCOPED_TEXT has = {0};
	bw_pipeline_put_rfactors(pipeline, &has);
	return !header->rfactors.length || !strcmp(bw_text_get(&has), bw_text_get(&header->rfactors)) ||
	       bw_fail(error, BW_ERROR_INPUT, "%s: this schedule is for %s as --rfactor %s describes it", name,
		       pipeline->name, bw_text_get(&header->rfactors));
}

void bw_schedule_put_rfactors(const char *path, struct bw_text *out)
{
	struct bw_parser parser;
	struct header header = {0};
	struct bw_error ignored;
	BW_SCOPED_TEXT text = {0};
	if (!bw_file_read(path, TEXT_LIMIT, &text, &ignored) || !bw_text_lines(path, &text, &ignored))
		return;
	if (start(&parser, NULL, path, bw_text_get(&text), text.length, &ignored) && read_header(&parser, &header))
		bw_text_puts(out, bw_text_get(&header.rfactors));
	bw_text_free(&header.rfactors);
	bw_arena_free(parser.arena);
}

struct bw_schedule *bw_schedule_parse(const struct bw_pipeline *pipeline, const char *name, const char *text,
				      size_t length, bool *stale, struct bw_error *error)
{
	struct bw_parser parser;
	struct header header = {0};
	if (bw_halide_nest_is(text, length)) {
		if (stale)
			*stale = false;
		return bw_halide_nest_parse(pipeline, name, text, length, error);
	}
	struct bw_schedule *schedule = bw_schedule_new(pipeline);
	if (!start(&parser, pipeline, name, text, length, error) || !read_header(&parser, &header) ||
	    !fits(pipeline, name, &header, error) || !read_entries(&parser, schedule)) {
		bw_schedule_drop(schedule);
		schedule = NULL;
	} else {
		schedule->algorithm = header.algorithm;
		schedule->unstaged = header.unstaged;
	}
	if (stale)
		*stale = schedule && (header.hashed ? header.algorithm != pipeline->algorithm : header.other_name);
	bw_text_free(&header.rfactors);
	bw_arena_free(parser.arena);
	return schedule;
}

struct bw_schedule *bw_schedule_read(const struct bw_pipeline *pipeline, const char *path, bool *stale,
				     struct bw_error *error)
{
	BW_SCOPED_TEXT text = {0};
	struct bw_schedule *schedule = NULL;
	if (bw_file_read(path, TEXT_LIMIT, &text, error) && bw_text_lines(path, &text, error))
		schedule = bw_schedule_parse(pipeline, path, bw_text_get(&text), text.length, stale, error);
	return schedule;
}

const struct bw_placement *bw_placement_parse(const struct bw_pipeline *pipeline, const char *text,
					      struct bw_error *error)
{
	struct bw_parser parser;
	struct bw_token begin;
	const struct bw_placement *placement = NULL;
	if (start(&parser, pipeline, NULL, text, strlen(text), error))
		placement = bw_parser_entry(&parser, &begin);
	if (placement && parser.token.kind != BW_TOKEN_END) {
		bw_lexer_fail(&parser.lexer, &parser.token, "expected one Func on one line");
		bw_placement_drop(placement);
		placement = NULL;
	}
	bw_arena_free(parser.arena);
	return placement;
}

/* Reads how a Func is derived from one of the algorithm: a wrapper or a clone. */

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

bool bw_parser_derivation(struct bw_parser *parser, struct bw_placement *draft)
{
	bool derived = bw_parser_at(parser, BW_WORD_IN) || bw_parser_at(parser, BW_WORD_CLONE);
	return !derived || read_consumer(parser, draft);
}
