/* Reads and prints the text form of whole schedules: a header, then entries. */
#include "schedule/parse.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "schedule/schedule.h"

enum { TEXT_LIMIT = 4 << 20, MOST_DERIVED = 1000, VERSION = 1 };

/* The header without the version. */
struct header {
	bool named, hashed, staged; /* true: the lines pipeline, algorithm and staging have been read */
	bool unstaged;
	bool other_name;
	uint64_t algorithm;
	struct bw_text rfactors; /* the factored updates, as bw_pipeline_put_rfactors writes them */
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

/* Reads all entries. The next token must be the name of the first entry. */
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

/* Returns true if the pipeline has the factored updates that the header names, or if the header names
 * none. */
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

/* Prints schedules as text. Equal schedules give equal texts. */

/* Prints loops grouped by kind: `block y, x; thread y 8, x 32 round_up`. */
static void print_stage(const struct bw_stage_plan *plan, const struct bw_stage_shape *shape,
			struct bw_text *out)
{
	if (plan->atomic)
		bw_text_printf(out, "%s%s", bw_word_text(BW_WORD_ATOMIC), plan->n_loops ? "; " : "");
	for (int i = 0; i < plan->n_loops; i++) {
		const struct bw_loop *loop = &plan->loops[i];
		if (i && loop->kind == loop[-1].kind)
			bw_text_puts(out, ", ");
		else
			bw_text_printf(out, "%s%s ", i ? "; " : "", bw_loop_kind_name(loop->kind));
		bw_name_print(shape->loops[loop->loop], out);
		if (loop->extent)
			bw_text_printf(out, " %" PRId64, loop->extent);
		if (loop->tail != BW_TAIL_AUTO)
			bw_text_printf(out, " %s", bw_tail_name(loop->tail));
	}
}

/* Prints an entry. before: text to print before the loops of each stage. */
static void print_entry(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
			const char *before, struct bw_text *out)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	const struct bw_shape *shape = bw_shape_of(pipeline, placement, arena);
	bw_placement_print_head(pipeline, placement, out);
	bw_placement_print_storage(pipeline, placement, out);
	if (!placement->tiled)
		bw_text_printf(out, " %s", bw_word_text(BW_WORD_UNTILED));
	for (int i = 0; i < placement->n_stages; i++) {
		if (!placement->stages[i].n_loops && !placement->stages[i].atomic)
			continue;
		bw_text_puts(out, before);
		if (i)
			bw_text_printf(out, "%s %d: ", bw_word_text(BW_WORD_UPDATE), i - 1);
		print_stage(&placement->stages[i], &shape->stages[i], out);
	}
}

void bw_placement_print(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
			struct bw_text *out)
{
	BW_SCOPED_TEXT words = {0};
	struct bw_error error;
	bw_placement_words(pipeline, placement, &words);
	BW_SCOPED_PLACEMENT *read = bw_placement_parse(pipeline, bw_text_get(&words), &error);
	if (read && bw_placement_equal(read, placement))
		bw_text_puts(out, bw_text_get(&words));
	else
		print_entry(pipeline, placement, "; ", out);
}

static void print_whole(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
			struct bw_text *out)
{
	print_entry(pipeline, placement, "\n    ", out);
	bw_text_puts(out, "\n");
}

/* Finds the range of a Func's derived Funcs. Derived Funcs are ordered by the Func that they derive from. */
static void derived_of(const struct bw_schedule *schedule, int func, int *begin, int *end)
{
	*begin = schedule->n_funcs;
	while (*begin < schedule->n && schedule->placements[*begin]->func < func)
		++*begin;
	*end = *begin;
	while (*end < schedule->n && schedule->placements[*end]->func == func)
		++*end;
}

void bw_schedule_print(const struct bw_pipeline *pipeline, const struct bw_schedule *schedule,
		       struct bw_text *out)
{
	bw_text_printf(out, "%s 1\n%s ", bw_word_text(BW_WORD_HEADER), bw_word_text(BW_WORD_PIPELINE));
	bw_name_print(pipeline->name, out);
	bw_text_puts(out, "\n");
	if (schedule->algorithm)
		bw_text_printf(out, "%s %016" PRIx64 "\n", bw_word_text(BW_WORD_ALGORITHM), schedule->algorithm);
	for (int i = 0; i < pipeline->n_rfactors; i++) {
		bw_text_printf(out, "%s ", bw_word_text(BW_WORD_RFACTOR));
		bw_name_print(pipeline->funcs[pipeline->rfactors[i].func].name, out);
		bw_text_printf(out, " %s %d ", bw_word_text(BW_WORD_UPDATE), pipeline->rfactors[i].stage - 1);
		if (pipeline->rfactors[i].named) {
			bw_name_print(pipeline->rfactors[i].rvar, out);
			bw_text_puts(out, pipeline->rfactors[i].apart ? " % " : " / ");
		}
		bw_text_printf(out, "%d\n", pipeline->rfactors[i].factor);
	}
	if (schedule->unstaged)
		bw_text_printf(out, "%s off\n", bw_word_text(BW_WORD_STAGING));
	bw_text_puts(out, "\n");
	for (int i = schedule->n_funcs - 1; i >= 0; i--) {
		int begin, end;
		if (schedule->placements[i])
			print_whole(pipeline, schedule->placements[i], out);
		derived_of(schedule, i, &begin, &end);
		for (int k = begin; k < end; k++)
			print_whole(pipeline, schedule->placements[k], out);
	}
}
