/* Lists of directives as JSON. Printing and reading use one table of the fields and loops of each
 * operation. */
#include "schedule/directive.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_FUNCS = 1000000,
	MOST_STAGES = 1000,
	MOST_VARS = 256,
	MOST_FACTOR = INT32_MAX,
	MOST_DIRECTIVES = 1000000
};

/* The fields that an operation uses besides the Func; bits. */
enum uses {
	STAGE = 1,
	AT_FUNC = 2,
	AT_STAGE = 4,
	RESULT = 8,
	VARS = 16,
	FACTOR = 32, /* with FACTOR: also the tail */
	MEMORY = 64,
	PAIRS = 128,    /* the vars come in pairs */
	DISTINCT = 256, /* all vars are different */
	ALSO = 512,     /* also: further consumers, if any */
	ALIGNS = 1024   /* an alignment: a factor without a tail */
};

static const struct {
	unsigned uses;
	int least, most; /* number of vars */
} rules[BW_N_DIRECTIVES] = {
	[BW_DIRECTIVE_COMPUTE_AT] = {AT_FUNC | AT_STAGE | VARS, 1, 1},
	[BW_DIRECTIVE_STORE_AT] = {AT_FUNC | AT_STAGE | VARS, 1, 1},
	[BW_DIRECTIVE_STORE_IN] = {MEMORY, 0, 0},
	[BW_DIRECTIVE_REORDER_STORAGE] = {VARS | DISTINCT, 1, MOST_VARS},
	[BW_DIRECTIVE_ALIGN_STORAGE] = {VARS | ALIGNS, 1, 1},
	[BW_DIRECTIVE_ALIGN_BOUNDS] = {VARS | ALIGNS, 1, 1},
	[BW_DIRECTIVE_IN] = {AT_FUNC | ALSO | RESULT, 0, 0},
	[BW_DIRECTIVE_CLONE_IN] = {AT_FUNC | RESULT, 0, 0},
	[BW_DIRECTIVE_RFACTOR] = {STAGE | VARS | PAIRS | DISTINCT | RESULT, 2, MOST_VARS},
	[BW_DIRECTIVE_SPLIT] = {STAGE | VARS | FACTOR, 3, 3},
	[BW_DIRECTIVE_FUSE] = {STAGE | VARS, 3, 3},
	[BW_DIRECTIVE_REORDER] = {STAGE | VARS | DISTINCT, 1, MOST_VARS},
	[BW_DIRECTIVE_GPU_BLOCKS] = {STAGE | VARS | DISTINCT, 1, 3},
	[BW_DIRECTIVE_GPU_THREADS] = {STAGE | VARS | DISTINCT, 1, 3},
	[BW_DIRECTIVE_GPU_LANES] = {STAGE | VARS, 1, 1},
	[BW_DIRECTIVE_GPU_SINGLE_THREAD] = {STAGE, 0, 0},
	[BW_DIRECTIVE_ATOMIC] = {STAGE, 0, 0},
	[BW_DIRECTIVE_UNROLL] = {STAGE | VARS, 1, 1},
	[BW_DIRECTIVE_VECTORIZE] = {STAGE | VARS, 1, 1},
	[BW_DIRECTIVE_SERIAL] = {STAGE | VARS, 1, 1},
};

/* Tables of names for messages and hints, each ending with NULL. */
static const char *const operations[] = {
	BW_DIRECTIVE_TABLE(BW_SECOND)
	NULL,
};
static const char *const tails[] = {
	BW_TAIL_TABLE(BW_SECOND)
	NULL,
};
static const char *const memories[] = {
	BW_MEMORY_TABLE(BW_SECOND)
	NULL,
};

const char *bw_directive_name(enum bw_directive_op op)
{
	return operations[op];
}

void bw_directives_free(struct bw_directives *directives)
{
	if (!directives)
		return;
	bw_arena_free(directives->arena);
	free(directives->list);
	free(directives);
}

/* Appends a string as JSON. Loop names are UTF-8, since they come from a description. */
static void print_string(const char *string, struct bw_text *out)
{
	bw_text_puts(out, "\"");
	for (; *string; string++)
		if (*string == '"' || *string == '\\')
			bw_text_printf(out, "\\%c", *string);
		else if ((unsigned char)*string < 0x20)
			bw_text_printf(out, "\\u%04x", (unsigned char)*string);
		else
			bw_text_append(out, string, 1);
	bw_text_puts(out, "\"");
}

static void print_directive(const struct bw_directive *directive, struct bw_text *out)
{
	unsigned uses = rules[directive->op].uses;
	bw_text_printf(out, "{\"op\":\"%s\",\"func\":%d", operations[directive->op], directive->func);
	if (uses & STAGE)
		bw_text_printf(out, ",\"stage\":%d", directive->stage);
	if (uses & AT_FUNC)
		bw_text_printf(out, ",\"at_func\":%d", directive->at_func);
	for (int i = 0; i < directive->n_also; i++)
		bw_text_printf(out, "%s%d%s", i ? "," : ",\"also\":[", directive->also[i],
			       i == directive->n_also - 1 ? "]" : "");
	if (uses & AT_STAGE)
		bw_text_printf(out, ",\"at_stage\":%d", directive->at_stage);
	if (uses & VARS)
		bw_text_puts(out, ",\"vars\":[");
	for (int i = 0; (uses & VARS) && i < directive->n_vars; i++) {
		bw_text_puts(out, i ? "," : "");
		print_string(directive->vars[i], out);
	}
	bw_text_puts(out, uses & VARS ? "]" : "");
	if (uses & FACTOR)
		bw_text_printf(out, ",\"factor\":%" PRId64 ",\"tail\":\"%s\"", directive->factor,
			       bw_tail_name(directive->tail));
	if (uses & ALIGNS)
		bw_text_printf(out, ",\"factor\":%" PRId64, directive->factor);
	if (uses & MEMORY)
		bw_text_printf(out, ",\"memory\":\"%s\"", bw_memory_name(directive->memory));
	if (uses & RESULT)
		bw_text_printf(out, ",\"result\":%d", directive->result);
	bw_text_puts(out, "}");
}

void bw_directives_print(const struct bw_directives *directives, struct bw_text *out)
{
	bw_text_puts(out, "[");
	for (int i = 0; i < directives->n; i++) {
		bw_text_puts(out, i ? ",\n" : "\n");
		print_directive(&directives->list[i], out);
	}
	bw_text_puts(out, directives->n ? "\n]\n" : "]\n");
}

/* The state of reading a list. */
struct reader {
	struct bw_directives *out;
	struct bw_error *error;
	int n_funcs; /* number of the pipeline's Funcs; -1 until the first `result` tells it */
	int highest; /* highest index of a Func used so far */
};

/* Finds the index of a name in a table that ends with NULL. */
static bool read_word(const struct bw_json_at *at, const char *key, const char *const *known,
		      const char *what, int *index, struct bw_error *error)
{
	struct bw_json_at member;
	const char *word;
	if (!bw_json_get(at, key, &member, error) || !bw_json_string(&member, &word, error))
		return false;
	for (*index = 0; known[*index]; ++*index)
		if (strcmp(word, known[*index]) == 0)
			return true;
	const char *near = bw_nearest(word, known);
	return bw_json_fail(&member, error, "no %s \"%.40s\"%s%s%s", what, word,
			    near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

static bool read_int(const struct bw_json_at *at, const char *key, int64_t least, int64_t most, int *value,
		     struct bw_error *error)
{
	int64_t wide;
	if (!bw_json_get_int(at, key, least, most, &wide, error))
		return false;
	*value = (int)wide;
	return true;
}

/* Reads the index of an existing Func. */
static bool read_index(struct reader *reader, const struct bw_json_at *at, int *func)
{
	int64_t wide, most = reader->n_funcs >= 0 ? reader->n_funcs - 1 : MOST_FUNCS;
	if (!bw_json_int(at, 0, most, &wide, reader->error))
		return false;
	*func = (int)wide;
	if (*func > reader->highest)
		reader->highest = *func;
	return true;
}

static bool read_func(struct reader *reader, const struct bw_json_at *at, const char *key, int *func)
{
	struct bw_json_at member;
	return bw_json_get(at, key, &member, reader->error) && read_index(reader, &member, func);
}

/* Reads the consumers after the first, all different. */
static bool read_also(struct reader *reader, const struct bw_json_at *at, struct bw_directive *directive)
{
	struct bw_json_at list;
	size_t n;
	if (!bw_json_has(at, "also", &list))
		return true;
	if (!bw_json_size(&list, 1, MOST_VARS, "consumers", &n, reader->error))
		return false;
	int *also = BW_ARENA_ARRAY(reader->out->arena, int, n);
	for (size_t i = 0; i < n; i++) {
		const struct bw_json_at element = bw_json_element(&list, i);
		if (!read_index(reader, &element, &also[i]))
			return false;
		bool twice = also[i] == directive->at_func;
		for (size_t k = 0; k < i; k++)
			twice |= also[k] == also[i];
		if (twice)
			return bw_json_fail(&element, reader->error, "%d stands twice", also[i]);
	}
	directive->also = also;
	directive->n_also = (int)n;
	return true;
}

/* Reads the index of a new Func. The first such index is the number of the pipeline's Funcs, so it is
 * greater than all indexes used so far. Further new Funcs have the next indexes. */
static bool read_result(struct reader *reader, const struct bw_json_at *at, int *result)
{
	int least = reader->n_funcs >= 0 ? reader->n_funcs : reader->highest + 1;
	int most = reader->n_funcs >= 0 ? reader->n_funcs : MOST_FUNCS;
	if (!read_int(at, "result", least, most, result, reader->error))
		return false;
	reader->n_funcs = *result + 1;
	return true;
}

static bool read_var(struct reader *reader, const struct bw_json_at *at, const char **var)
{
	const char *name;
	if (!bw_json_string(at, &name, reader->error))
		return false;
	if (!*name)
		return bw_json_fail(at, reader->error, "expected the name of a loop");
	*var = bw_arena_strdup(reader->out->arena, name);
	return true;
}

static bool stands_before(const char *const *vars, int at)
{
	for (int i = 0; i < at; i++)
		if (strcmp(vars[i], vars[at]) == 0)
			return true;
	return false;
}

/* Checks that the loops that one operation makes or uses are different. */
static bool check_var(struct reader *reader, const struct bw_json_at *at,
		      const struct bw_directive *directive, const char *const *vars, int i)
{
	bool once = rules[directive->op].uses & DISTINCT;
	bool pair = (directive->op == BW_DIRECTIVE_SPLIT && i == 2 && strcmp(vars[1], vars[2]) == 0) ||
		    (directive->op == BW_DIRECTIVE_FUSE && i == 1 && strcmp(vars[0], vars[1]) == 0);
	if (pair || (once && stands_before(vars, i)))
		return bw_json_fail(at, reader->error, "\"%.40s\" stands twice", vars[i]);
	return true;
}

static bool wrong_count(struct reader *reader, const struct bw_json_at *list, enum bw_directive_op op,
			size_t n)
{
	int least = rules[op].least, most = rules[op].most;
	if (least == most)
		return bw_json_fail(list, reader->error, "expected %d loop name%s, found %zu", least,
				    least == 1 ? "" : "s", n);
	return bw_json_fail(list, reader->error, "expected %d to %d loop names%s, found %zu", least, most,
			    rules[op].uses & PAIRS ? ", in pairs" : "", n);
}

static bool read_vars(struct reader *reader, const struct bw_json_at *at, struct bw_directive *directive)
{
	struct bw_json_at list;
	size_t n;
	int least = rules[directive->op].least, most = rules[directive->op].most;
	bool pairs = rules[directive->op].uses & PAIRS;
	if (!bw_json_get_list(at, "vars", &list, &n, reader->error))
		return false;
	if (n < (size_t)least || n > (size_t)most || (pairs && n % 2))
		return wrong_count(reader, &list, directive->op, n);
	const char **vars = BW_ARENA_ARRAY(reader->out->arena, const char *, n);
	for (size_t i = 0; i < n; i++) {
		const struct bw_json_at element = bw_json_element(&list, i);
		if (!read_var(reader, &element, &vars[i]) || !check_var(reader, &element, directive, vars, (int)i))
			return false;
	}
	directive->vars = vars;
	directive->n_vars = (int)n;
	return true;
}

/* Checks that a directive has exactly the keys that its operation uses. */
static bool check_keys(struct reader *reader, const struct bw_json_at *at, unsigned uses)
{
	const struct {
		unsigned use;
		const char *key;
	} all[] = {{0, "op"},         {0, "func"},
		   {STAGE, "stage"},  {AT_FUNC, "at_func"},
		   {ALSO, "also"},    {AT_STAGE, "at_stage"},
		   {VARS, "vars"},    {FACTOR | ALIGNS, "factor"},
		   {FACTOR, "tail"},  {MEMORY, "memory"},
		   {RESULT, "result"}};
	const char *keys[sizeof all / sizeof *all + 1];
	int n = 0;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!all[i].use || (uses & all[i].use))
			keys[n++] = all[i].key;
	keys[n] = NULL;
	return bw_json_only(at, keys, reader->error);
}

static bool read_tail(struct reader *reader, const struct bw_json_at *at, struct bw_directive *directive)
{
	int tail;
	if (!read_word(at, "tail", tails, "tail", &tail, reader->error))
		return false;
	directive->tail = (enum bw_tail)tail;
	return true;
}

/* Reads the factor, and the tail if the operation has one. */
static bool read_factor(struct reader *reader, const struct bw_json_at *at, struct bw_directive *directive)
{
	return bw_json_get_int(at, "factor", 1, MOST_FACTOR, &directive->factor, reader->error) &&
	       ((rules[directive->op].uses & ALIGNS) || read_tail(reader, at, directive));
}

static bool read_directive(struct reader *reader, const struct bw_json_at *at, struct bw_directive *directive)
{
	int op, memory = BW_MEMORY_AUTO;
	*directive = (struct bw_directive){.at_func = -1, .at_stage = -1, .result = -1};
	if (!read_word(at, "op", operations, "operation", &op, reader->error))
		return false;
	directive->op = (enum bw_directive_op)op;
	unsigned uses = rules[op].uses;
	bool good = check_keys(reader, at, uses) && read_func(reader, at, "func", &directive->func);
	if (good && (uses & STAGE))
		good = read_int(at, "stage", directive->op == BW_DIRECTIVE_RFACTOR, MOST_STAGES,
				&directive->stage, reader->error);
	if (good && (uses & AT_FUNC))
		good = read_func(reader, at, "at_func", &directive->at_func);
	if (good && (uses & ALSO))
		good = read_also(reader, at, directive);
	if (good && (uses & AT_STAGE))
		good = read_int(at, "at_stage", 0, MOST_STAGES, &directive->at_stage, reader->error);
	if (good && (uses & VARS))
		good = read_vars(reader, at, directive);
	if (good && (uses & (FACTOR | ALIGNS)))
		good = read_factor(reader, at, directive);
	if (good && (uses & MEMORY))
		good = read_word(at, "memory", memories, "memory", &memory, reader->error);
	directive->memory = (enum bw_memory)memory;
	return good && (!(uses & RESULT) || read_result(reader, at, &directive->result));
}

struct bw_directives *bw_directives_read(const struct bw_json_at *at, struct bw_error *error)
{
	size_t n;
	if (!bw_json_size(at, 0, MOST_DIRECTIVES, "directives", &n, error))
		return NULL;
	struct reader reader = {.out = BW_NEW(struct bw_directives), .error = error, .n_funcs = -1, .highest = -1};
	reader.out->arena = bw_arena_new();
	reader.out->list = BW_NEW_ARRAY(struct bw_directive, n);
	for (size_t i = 0; i < n; i++) {
		const struct bw_json_at element = bw_json_element(at, i);
		if (!read_directive(&reader, &element, &reader.out->list[i])) {
			bw_directives_free(reader.out);
			return NULL;
		}
		reader.out->n++;
	}
	return reader.out;
}
