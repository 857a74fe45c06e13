/* Inside of the reader of schedules: what its files share. All functions that return bool set the error where they return false. */
#ifndef BW_SCHEDULE_PARSE_H
#define BW_SCHEDULE_PARSE_H
#include "nest/words.h"
#include "pipeline/pipeline.h"
#include "schedule/lex.h"
#include "schedule/shape.h"

struct bw_parser {
	struct bw_lexer lexer;
	struct bw_token token; /* the next one */
	const struct bw_pipeline *pipeline;
	struct bw_arena *arena;
};

/* The next token becomes the one after it. */
bool bw_parser_next(struct bw_parser *parser);
/* Whether the next token is this word, without quotes. */
bool bw_parser_at_word(const struct bw_parser *parser, const char *word);
bool bw_parser_at(const struct bw_parser *parser, enum bw_word word);
/* Whether the entry ends here: a line begins, or the text ends. */
bool bw_parser_at_end(const struct bw_parser *parser);
/* An error at the next token: `expected WHAT, found ...`. */
bool bw_parser_expected(struct bw_parser *parser, const char *what);
/* Takes a name; what says what it names. *token, where not NULL, is the token that it stood in. */
bool bw_parser_name(struct bw_parser *parser, const char *what, const char **name, struct bw_token *token);
/* Takes an integer in the range; what says what it is. */
bool bw_parser_int(struct bw_parser *parser, const char *what, int64_t least, int64_t most, int64_t *value);
/* Reads decimal digits up to a number of at most `most`, *text moves on; false without an error where there are none or more. */
bool bw_digits(const char **text, int64_t most, int64_t *value);

/* Names that were expected where another stood, for messages: `; did you mean "x"?` or `; its loops are x, y` (what: "its loops
 * are"). In the arena. */
const char *bw_hint(struct bw_arena *arena, const char *unknown, const char *const *known, int n, const char *what);
/* The index of a name, -1 if it is none of them. */
int bw_index_of(const char *name, const char *const *known, int n);
/* The Func that a token names, called name; inputs are none. */
bool bw_parser_find_func(struct bw_parser *parser, const struct bw_token *token, const char *name, int *func);
/* The name of a Func for a message, cut where it is long. In the arena. */
const char *bw_parser_func_name(struct bw_parser *parser, int func);
/* Takes a level, as output.block or "a b".update0.serial1. */
bool bw_parser_level(struct bw_parser *parser, struct bw_site *site);

/* Takes how the draft's Func is derived, where that is said. */
bool bw_parser_derivation(struct bw_parser *parser, struct bw_placement *draft);
/* Takes the rest of an entry that begins at the next loops or `update K:`, and sets the stages of the draft. */
bool bw_parser_stages(struct bw_parser *parser, const struct bw_shape *shape, struct bw_placement *draft);
/* Takes one entry, to the end of its last line; NULL on error. For bw_placement_drop. *begin is its first token. */
const struct bw_placement *bw_parser_entry(struct bw_parser *parser, struct bw_token *begin);
#endif
