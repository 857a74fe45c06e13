/* Halide's lowered statement, by kernel, and the loop of the nest that each line belongs to. A kernel
 * begins with the outermost loop over its blocks; Halide names the kernel after this loop. Serial loops
 * keep their names: `for (gray.s0.y.y_serial, 0, 8) {`. `produce gray {` encloses the computation of a
 * Func. The updates of the Func are recognized by names that begin with `gray.s1.`, by a barrier before
 * them, or because they load the point that they store. Thread loops are the loops of the whole block,
 * and unrolled loops do not appear: their lines belong to the innermost such loop of the stage. */
#include <ctype.h>

#include "figures/code.h"

enum { DEEPEST = 128 /* braces */, MOST_NAME = 128 };

/* The Func, stage and loop of the lines inside of a pair of braces. */
struct place {
	int func, stage; /* func -1: not known */
	int loop;        /* line of the nest */
};

struct reading {
	const struct bw_pipeline *pipeline;
	struct bw_code *code;
	struct bw_code_kernel *kernel; /* NULL: outside of kernels */
	int depth;                     /* number of open braces in the kernel */
	int room, number;
	struct place places[DEEPEST];
	char *seen;                    /* by kernel: its statement was read */
};

/* Returns the line of the nest for a stage's block loop or, if `serial`, for piece `piece` of its serial
 * loop; 0: none. */
static int find_row(const struct bw_code_kernel *kernel, const struct place *of, int loop, bool serial,
		    int piece)
{
	for (int k = 1; k < kernel->n_loops; k++) {
		const struct bw_code_loop *row = &kernel->loops[k];
		if (row->func == of->func && row->stage == of->stage && row->loop == loop &&
		    (serial ? row->runs_serially : !strncmp(row->text, "block", 5)) && piece-- == 0)
			return k;
	}
	return 0;
}

/* Returns the innermost line of the nest for a stage that is in none of its serial loops; 0: there is
 * none. */
static int find_stage(const struct bw_code_kernel *kernel, const struct place *of)
{
	int innermost = 0;
	for (int k = 1; k < kernel->n_loops; k++) {
		const struct bw_code_loop *row = &kernel->loops[k];
		if (row->func != of->func || row->stage != of->stage)
			continue;
		if (row->runs_serially)
			break;
		innermost = k;
	}
	return innermost;
}

const struct bw_func *bw_code_func(const struct bw_pipeline *pipeline, const char *name)
{
	size_t length = strcspn(name, "$");
	for (int f = 0; f < pipeline->n_funcs; f++)
		if (!strcmp(pipeline->funcs[f].name, name) ||
		    (strlen(pipeline->funcs[f].name) == length &&
		     !memcmp(pipeline->funcs[f].name, name, length)))
			return &pipeline->funcs[f];
	return NULL;
}

/* Reads a name that begins with `FUNC.sSTAGE.LOOP`. Returns false if it does not. Sets *loop to the index
 * of the loop in the stage, and *after to the text after the loop's name. */
static bool read_name(const struct bw_pipeline *pipeline, const char *name, struct place *place, int *loop,
		      const char **after)
{
	const char *dot = strstr(name, ".s");
	while (dot && !(isdigit((unsigned char)dot[2]) && dot > name))
		dot = strstr(dot + 1, ".s");
	char func[MOST_NAME], *end = NULL;
	long stage = dot ? strtol(dot + 2, &end, 10) : 0;
	if (!dot || *end != '.' || dot - name >= MOST_NAME)
		return false;
	snprintf(func, sizeof func, "%.*s", (int)(dot - name), name);
	const struct bw_func *of = bw_code_func(pipeline, func);
	if (!of || stage >= of->n_stages)
		return false;
	size_t length = strcspn(end + 1, ". ,)");
	*place = (struct place){.func = (int)(of - pipeline->funcs), .stage = (int)stage};
	for (*loop = of->stages[stage].n_loops - 1; *loop >= 0; --*loop)
		if (strlen(of->stages[stage].loops[*loop].name) == length &&
		    !strncmp(of->stages[stage].loops[*loop].name, end + 1, length))
			break;
	*after = end + 1 + length;
	return true;
}

/* Returns true if a kernel is named after a loop. In the kernel's name, `$` is `__`, and all other
 * characters but letters and digits are `_`. turn: the number that Halide appends if there are several
 * kernels of this name. */
static bool is_named(const char *entry, const char *loop, size_t length, int turn)
{
	static const char before[] = "kernel_";
	const char *most = entry + sizeof((struct bw_counted_kernel *)0)->name - 1; /* the stored name may be cut */
	const char *at = entry + (*entry == '_');
	char number[16] = "";
	if (strncmp(at, before, sizeof before - 1))
		return false;
	at += sizeof before - 1;
	for (size_t k = 0; k < length && at < most; k++, at++) {
		if (*at != (isalnum((unsigned char)loop[k]) ? loop[k] : '_'))
			return false;
		if (loop[k] == '$' && at + 1 < most && *++at != '_')
			return false;
	}
	if (turn)
		snprintf(number, sizeof number, "__%d", turn);
	return at >= most || !strcmp(at, number);
}

/* Returns the kernel that begins with a loop. Returns NULL if the kernel never ran or was read already. */
static struct bw_code_kernel *find_kernel(const struct reading *reading, const char *loop, size_t length)
{
	for (int turn = 0; turn <= reading->code->n; turn++)
		for (int k = 0; k < reading->code->n; k++)
			if (!reading->seen[k] && is_named(reading->code->kernels[k].counted->name, loop, length, turn)) {
				reading->seen[k] = 1;
				return &reading->code->kernels[k];
			}
	return NULL;
}

/* Returns true if a line stores to a point that it loads, `f[x] = f[x] + ...`, as an update does. */
static bool updates(const char *line)
{
	const char *end = strstr(line, "] = ");
	size_t length = end ? (size_t)(end + 1 - line) : 0;
	return end && memchr(line, '[', length) && memmem(end + 4, strlen(end + 4), line, length);
}

/* Returns the name in `for (NAME, ...` or `gpu_block<CUDA> (NAME, ...`, or NULL. */
static const char *loop_of(const char *line, const char *word)
{
	size_t length = strlen(word);
	const char *open = strncmp(line, word, length) ? NULL : strchr(line, '(');
	return open && (line[length] == ' ' || line[length] == '<') ? open + 1 : NULL;
}

/* Updates *place for a line, or for the lines inside the brace that it opens, from what the line says. */
static void read_place(const struct reading *reading, const char *line, struct place *place)
{
	const struct bw_code_kernel *kernel = reading->kernel;
	struct place named;
	int loop, row;
	const char *name, *after;
	char func[MOST_NAME];
	if ((name = loop_of(line, "gpu_block"))) {
		if (!read_name(reading->pipeline, name, &named, &loop, &after))
			return;
		row = loop < 0 ? 0 : find_row(kernel, &named, loop, false, 0);
		*place = (struct place){named.func, named.stage, row ? row : place->loop};
	} else if (loop_of(line, "gpu_thread") && place->func == kernel->loops[0].func) {
		row = find_stage(kernel, place);
		place->loop = row ? row : place->loop;
	} else if ((name = loop_of(line, "for"))) {
		const char *serial;
		if (!read_name(reading->pipeline, name, &named, &loop, &after))
			return;
		serial = strstr(after, "_serial");
		int piece = serial && serial < name + strcspn(name, ", ") ? atoi(serial + 7) : 0;
		row = loop < 0 ? 0 : find_row(kernel, &named, loop, true, piece ? piece - 1 : 0);
		row = row ? row : find_stage(kernel, &named);
		*place = (struct place){named.func, named.stage, row ? row : place->loop};
	} else if (sscanf(line, "produce %127s", func) == 1) {
		const struct bw_func *of = bw_code_func(reading->pipeline, func);
		if (!of || of - reading->pipeline->funcs == place->func)
			return;
		named = (struct place){.func = (int)(of - reading->pipeline->funcs)};
		row = find_stage(kernel, &named);
		*place = (struct place){named.func, 0, row ? row : place->loop};
	} else if (place->func >= 0 && place->func != kernel->loops[0].func &&
		   place->stage + 1 < reading->pipeline->funcs[place->func].n_stages &&
		   (!strncmp(line, "gpu_thread_barrier", 18) || (!place->stage && updates(line)))) {
		named = (struct place){place->func, place->stage + 1, 0};
		row = find_stage(kernel, &named);
		*place = (struct place){named.func, named.stage, row ? row : place->loop};
	} else if (sscanf(line, "let %127s", func) == 1 && read_name(reading->pipeline, func, &named, &loop, &after) &&
		   named.func == place->func && named.stage > place->stage) {
		row = find_stage(kernel, &named);
		*place = (struct place){named.func, named.stage, row ? row : place->loop};
	}
}

static void add_line(struct reading *reading, const char *line, size_t length)
{
	struct bw_code_kernel *kernel = reading->kernel;
	size_t blanks = strspn(line, " ");
	struct place *open = &reading->places[reading->depth], place;
	if (line[blanks] == '}' && reading->depth > 0)
		open = &reading->places[--reading->depth];
	bool opens = length && line[length - 1] == '{' && reading->depth + 1 < DEEPEST;
	char *text = BW_ARENA_ARRAY(reading->code->arena, char, length + 1);
	memcpy(text, line, length);
	place = *open;
	if (text[blanks] != '}')
		read_place(reading, text + blanks, &place);
	else if (!opens) /* a closing brace belongs to the place of its opening line */
		place = reading->places[reading->depth + 1];
	BW_GROW(kernel->statement, kernel->n_statement, reading->room);
	kernel->statement[kernel->n_statement] = (struct bw_code_statement){
	    .text = text, .number = reading->number, .loop = place.loop,
	    .first = !kernel->n_statement || kernel->statement[kernel->n_statement - 1].loop != place.loop};
	kernel->n_statement++;
	if (opens)
		reading->places[++reading->depth] = place;
	else if (text[blanks] != '}')
		*open = place; /* also the place of the next lines */
}

void bw_code_read_statement(struct bw_code *code, const struct bw_pipeline *pipeline, const char *statement)
{
	BW_SCOPED_MEMORY char *seen = BW_NEW_ARRAY(char, code->n + 1);
	struct reading reading = {.pipeline = pipeline, .code = code, .number = 1, .seen = seen};
	for (const char *at = statement; *at; reading.number++) {
		size_t length = strcspn(at, "\n"), blanks = strspn(at, " ");
		const char *name = reading.kernel ? NULL : loop_of(at + blanks, "gpu_block");
		if (name && (reading.kernel = find_kernel(&reading, name, strcspn(name, ", \n")))) {
			const struct bw_code_loop *top = &reading.kernel->loops[0];
			reading.depth = reading.room = 0;
			reading.places[0] = (struct place){top->func, top->stage, 0};
		}
		if (reading.kernel)
			add_line(&reading, at, length);
		if (reading.kernel && !reading.depth)
			reading.kernel = NULL;
		at += length + (at[length] == '\n');
	}
}
