/* Reads the lines of a loop nest. Each line is a level of loops, an inlined Func, or a stored Func.
 * Indentation shows the nesting. */
#include <string.h>

#include "schedule/halide_nest_private.h"

enum { MOST_LINES = 20000, MOST_DEPTH = 128, MOST_SIZE = INT32_MAX };

/* The words of one line, and the open levels. open[d] is the last level of depth d. */
struct reading {
	struct bw_halide_nest *nest;
	int line, indent, n;
	char **words;
	int open[MOST_DEPTH], depth; /* depth: depth of the innermost open level; -1: none */
};

static const char *const labels[] = {BW_HALIDE_LABEL_TABLE(BW_SECOND)};

static const char *shown(const struct reading *reading, const char *text)
{
	return bw_excerpt(reading->nest->parser.arena, text);
}

/* Splits a line into words. Returns false with an error if it is not text. */
static bool split(struct reading *reading, const char *line, size_t length)
{
	struct bw_arena *arena = reading->nest->parser.arena;
	char *copy = memcpy(bw_arena_array(arena, length + 1, 1), line, length);
	for (size_t i = 0; i < length; i++)
		if (copy[i] < ' ' || copy[i] > '~')
			return bw_halide_nest_fail(reading->nest, reading->line,
						   "byte %d is no printable character",
						   (unsigned char)copy[i]);
	reading->indent = (int)strspn(copy, " ");
	reading->n = 0;
	reading->words = BW_ARENA_ARRAY(arena, char *, length / 2 + 1);
	for (char *save, *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		reading->words[reading->n++] = word;
	return true;
}

static bool find_func(const struct reading *reading, const char *name, int *func)
{
	const struct bw_token token = {.line = reading->line, .column = reading->indent + 1};
	return bw_parser_find_func(&reading->nest->parser, &token, name, func);
}

/* Finds the level that encloses a line of this indentation; -1: the root. */
static bool find_parent(struct reading *reading, int *parent)
{
	if (reading->indent > reading->depth + 1)
		return bw_halide_nest_fail(
		    reading->nest, reading->line,
		    "is indented by %d: at most %d, one more than the line that it is inside of",
		    reading->indent, reading->depth + 1);
	reading->depth = reading->indent - 1;
	*parent = reading->depth < 0 ? -1 : reading->open[reading->depth];
	return true;
}

/* Reads "inlined: FUNC COUNT" or "realize: FUNC [...] with N stages". */
static bool read_mark(struct reading *reading, struct bw_halide_mark *marks, int *n)
{
	struct bw_halide_mark *mark = &marks[*n];
	mark->line = reading->line;
	if (reading->n < 2)
		return bw_halide_nest_fail(reading->nest, reading->line,
					   "expected the name of a Func after \"%s\"", reading->words[0]);
	++*n;
	return find_func(reading, reading->words[1], &mark->func) && find_parent(reading, &mark->level);
}

/* Reads SIZE["v"]["c"]. */
static bool read_size(const struct reading *reading, const char *word, int64_t *size, bool *constant)
{
	const char *at = word;
	if (!bw_digits(&at, MOST_SIZE, size) || *size < 1)
		return bw_halide_nest_fail(reading->nest, reading->line,
					   "expected the iterations of a loop from 1 to %d, found \"%s\"",
					   MOST_SIZE, shown(reading, word));
	at += *at == 'v';
	*constant = *at == 'c';
	at += *constant;
	return !*at ||
	       bw_halide_nest_fail(reading->nest, reading->line,
				   "expected the iterations of a loop, found \"%s\"", shown(reading, word));
}

/* Reads a number from -1 to most - 1 between the brackets of "(VECTOR_LOOP, VECTOR_DIM)". */
static bool read_index(const struct reading *reading, const char *word, char before, char after, int most,
		       int *index)
{
	const char *at = word;
	int64_t value = -1;
	bool good = !before || *at++ == before;
	if (good && strncmp(at, "-1", 2) == 0)
		at += 2;
	else
		good = good && bw_digits(&at, most, &value) && value < most;
	*index = (int)value;
	return (good && *at == after && !at[1]) ||
	       bw_halide_nest_fail(reading->nest, reading->line,
				   "expected \"(LOOP, DIMENSION)\" with numbers below %d, found \"%s\"", most,
				   shown(reading, word));
}

/* Returns the stage of a level: the stage of the level around it if both are of the same Func, else the
 * Func's next stage. */
static int stage_of(const struct bw_halide_nest *nest, int parent, int func)
{
	if (parent >= 0 && nest->levels[parent].func == func)
		return nest->levels[parent].stage;
	int stage = 0;
	for (int i = 0; i < nest->n_levels; i++)
		stage += nest->levels[i].parent == parent && nest->levels[i].func == func;
	return stage;
}

/* Adds a level to the tree: as the inner level of the same stage, of which there is at most one, or as a
 * level of another Func that is computed inside. */
static bool link(struct reading *reading, int index)
{
	struct bw_halide_nest *nest = reading->nest;
	struct bw_halide_level *level = &nest->levels[index],
			       *parent = level->parent < 0 ? NULL : &nest->levels[level->parent];
	const char *name = bw_parser_func_name(&nest->parser, level->func);
	if (!parent)
		return true;
	if (parent->label == BW_HALIDE_LABEL_SIMD)
		return bw_halide_nest_fail(nest, level->line,
					   "\"%s\" stands inside of %s loops, the innermost ones", name,
					   labels[parent->label]);
	if (parent->func != level->func) {
		parent->hosts = true;
		return true;
	}
	if (parent->inner >= 0)
		return bw_halide_nest_fail(nest, level->line, "the loops of \"%s\" go on a second time", name);
	parent->inner = index;
	return true;
}

/* Reads FUNC SIZE... "(" VECTOR_LOOP ", " VECTOR_DIM ")" ["t"] ["*"] LABEL. */
static bool read_level(struct reading *reading)
{
	struct bw_halide_nest *nest = reading->nest;
	const struct bw_pipeline *pipeline = nest->parser.pipeline;
	const int index = nest->n_levels;
	struct bw_halide_level *level = &nest->levels[index];
	*level = (struct bw_halide_level){.line = reading->line, .inner = -1, .serial = -1};
	const char *last = reading->words[reading->n - 1];
	int label = bw_index_of(last, labels, BW_N_HALIDE_LABELS), n = reading->n - 1;
	if (label < 0)
		return bw_halide_nest_fail(
		    nest, reading->line,
		    "expected gpu_block, gpu_thread, gpu_serial, gpu_simd or gpu_none at its end, found \"%s\"",
		    shown(reading, last));
	level->label = (enum bw_halide_label)label;
	if (!find_func(reading, reading->words[0], &level->func) || !find_parent(reading, &level->parent))
		return false;
	const struct bw_func *func = &pipeline->funcs[level->func];
	const char *name = bw_parser_func_name(&nest->parser, level->func);
	level->stage = stage_of(nest, level->parent, level->func);
	if (level->stage >= func->n_stages)
		return bw_halide_nest_fail(nest, reading->line,
					   "\"%s\" has %d stages, and they all stand there already", name,
					   func->n_stages);
	const int n_loops = func->stages[level->stage].n_loops;
	n -= n > 0 && strcmp(reading->words[n - 1], "*") == 0;
	n -= n > 0 && strcmp(reading->words[n - 1], "t") == 0;
	if (n != n_loops + 3)
		return bw_halide_nest_fail(
		    nest, reading->line,
		    "expected \"%s\", the iterations of %d loops, and \"(LOOP, DIMENSION)\"", name, n_loops);
	level->sizes = BW_ARENA_ARRAY(nest->parser.arena, int64_t, n_loops);
	level->constant = BW_ARENA_ARRAY(nest->parser.arena, bool, n_loops);
	for (int i = 0; i < n_loops; i++)
		if (!read_size(reading, reading->words[1 + i], &level->sizes[i], &level->constant[i]))
			return false;
	if (!read_index(reading, reading->words[n - 2], '(', ',', BW_MAX_LOOPS, &level->vector_loop) ||
	    !read_index(reading, reading->words[n - 1], 0, ')', BW_MAX_LOOPS, &level->vector_dim))
		return false;
	if (level->vector_loop >= n_loops || (level->vector_dim >= func->n_dims && level->vector_dim > 0))
		return bw_halide_nest_fail(nest, reading->line,
					   "\"%s\" has %d loops and %d dimensions: (%d, %d) is beyond", name,
					   n_loops, func->n_dims, level->vector_loop, level->vector_dim);
	if (reading->indent >= MOST_DEPTH)
		return bw_halide_nest_fail(nest, reading->line, "is more than %d levels deep", MOST_DEPTH);
	nest->n_levels++;
	reading->open[reading->indent] = index;
	reading->depth = reading->indent;
	return link(reading, index);
}

/* Returns true if a name is that of a Func that beamwalk folds into its consumers. Halide schedules such
 * Funcs. */
static bool is_folded(const struct reading *reading, const char *name)
{
	const struct bw_pipeline *pipeline = reading->nest->parser.pipeline;
	for (int i = 0; i < pipeline->n_folded; i++)
		if (strcmp(pipeline->folded[i].name, name) == 0)
			return true;
	return false;
}

static bool read_line(struct reading *reading)
{
	struct bw_halide_nest *nest = reading->nest;
	const char *first = reading->words[0];
	bool inlined = strcmp(first, "inlined:") == 0, stored = strcmp(first, "realize:") == 0;
	if (reading->n > 1 && is_folded(reading, inlined || stored ? reading->words[1] : first))
		return true;
	if (inlined)
		return read_mark(reading, nest->inlined, &nest->n_inlined);
	if (stored)
		return read_mark(reading, nest->stored, &nest->n_stored);
	return (reading->n == 1 && strcmp(first, labels[BW_HALIDE_LABEL_NONE]) == 0) || read_level(reading);
}

bool bw_halide_nest_lines(struct bw_halide_nest *nest, const char *text, size_t length)
{
	struct reading reading = {.nest = nest, .depth = -1};
	int n_lines = 1;
	for (size_t i = 0; i < length; i++)
		n_lines += text[i] == '\n';
	if (n_lines > MOST_LINES)
		return bw_halide_nest_fail(nest, MOST_LINES, "a loop nest has at most %d lines", MOST_LINES);
	nest->levels = BW_ARENA_ARRAY(nest->parser.arena, struct bw_halide_level, n_lines);
	nest->inlined = BW_ARENA_ARRAY(nest->parser.arena, struct bw_halide_mark, n_lines);
	nest->stored = BW_ARENA_ARRAY(nest->parser.arena, struct bw_halide_mark, n_lines);
	for (const char *at = text, *end = text + length; at < end;) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t n = (size_t)((stop ? stop : end) - at);
		reading.line++;
		if (n && at[n - 1] == '\r')
			n--;
		if (n && *at != '#' && (!split(&reading, at, n) || (reading.n && !read_line(&reading))))
			return false;
		at = stop ? stop + 1 : end;
	}
	return true;
}
