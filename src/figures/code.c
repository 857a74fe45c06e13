/* The code of a counted schedule. The lines of the nest come from the schedule. The loop of a line of PTX
 * comes from LLVM's comments. A basic block begins with its label, `LBB0_12:`, or with `// %bb.13:`, and
 * a comment names the block after Halide's loop: `"for gray.s0.y.y_serial"`. Further comments say which
 * block is the header of the loop around the block. So a line belongs to the loop of the innermost header
 * with such a name. A line outside of all named loops belongs to the innermost loop of its stage that no
 * header names; the parts that the emulated device counts say the stage. */
#include "figures/code.h"

#include <ctype.h>

#include "base/arith.h"
#include "base/say.h"

/* A stage that a block computes into shared memory. */
struct shared_stage {
	const struct bw_func *func;
	int stage;
};

/* Returns the stages that a kernel's block computes into shared memory, in the order in which Halide
 * computes them. */
static struct shared_stage *shared_stages(const struct bw_nest *nest, const struct bw_kernel *kernel,
					  struct bw_arena *arena, int *n)
{
	int most = 0, previous = -1;
	*n = 0;
	for (int m = 0; m < kernel->n_members; m++)
		most += nest->pipeline->funcs[kernel->members[m]].n_stages;
	struct shared_stage *list = BW_ARENA_ARRAY(arena, struct shared_stage, most + 1);
	for (int turn = 0; turn < kernel->n_members; turn++) {
		int next = -1;
		for (int m = 0; m < kernel->n_members; m++) {
			int f = kernel->members[m], place = bw_nest_realized(nest, f);
			if (f != kernel->func && nest->placed[f]->memory == BW_MEMORY_SHARED &&
			    place > previous && (next < 0 || place < bw_nest_realized(nest, next)))
				next = f;
		}
		if (next < 0)
			break;
		previous = bw_nest_realized(nest, next);
		for (int s = 0; s < nest->pipeline->funcs[next].n_stages; s++)
			if (!nest->pipeline->funcs[next].stages[s].undefined)
				list[(*n)++] = (struct shared_stage){&nest->pipeline->funcs[next], s};
	}
	return list;
}

/* Names the unnamed parts (those without a loop's name) after the stages in shared memory, if a barrier
 * follows each stage and no loop's name contradicts. */
static void name_shared(const struct bw_counted_kernel *kernel, const struct shared_stage *stages, int n,
			struct bw_counted_part *parts)
{
	int last = 0;
	for (int k = 0; k < kernel->n_parts; k++)
		last = parts[k].interval > last ? parts[k].interval : last;
	bool fits = last == n;
	for (int k = 0; k < kernel->n_parts && fits; k++) {
		const struct shared_stage *of = &stages[parts[k].interval];
		if (*parts[k].func && parts[k].interval < n &&
		    !strncmp(parts[k].func, of->func->name, strlen(of->func->name)))
			continue;
		fits = !*parts[k].func || parts[k].interval == n;
	}
	for (int k = 0; k < kernel->n_parts && fits; k++) {
		if (*parts[k].func || parts[k].interval == n)
			continue;
		snprintf(parts[k].func, sizeof parts[k].func, "%s", stages[parts[k].interval].func->name);
		parts[k].stage = stages[parts[k].interval].stage;
	}
}

/* Names the unnamed parts. A part gets the only stage that is named in its interval between barriers. If
 * no stage is named in the last interval, its parts get the kernel's own stage. */
static void name_parts(const struct bw_counted_kernel *kernel, const struct bw_kernel *of,
		       const struct bw_pipeline *pipeline, struct bw_counted_part *parts)
{
	int last = 0;
	for (int k = 0; k < kernel->n_parts; k++)
		last = parts[k].interval > last ? parts[k].interval : last;
	for (int k = 0; k < kernel->n_parts; k++) {
		const struct bw_counted_part *only = NULL;
		bool several = false;
		if (*parts[k].func)
			continue;
		for (int other = 0; other < kernel->n_parts; other++) {
			const struct bw_counted_part *named = &kernel->parts[other];
			if (named->interval != parts[k].interval || !*named->func)
				continue;
			several |= only && (strcmp(only->func, named->func) || only->stage != named->stage);
			only = named;
		}
		if (only && !several) {
			memcpy(parts[k].func, only->func, sizeof only->func);
			parts[k].stage = only->stage;
		} else if (!only && of && parts[k].interval == last) {
			snprintf(parts[k].func, sizeof parts[k].func, "%s", pipeline->funcs[of->func].name);
			parts[k].stage = of->stage;
		}
	}
}

const struct bw_kernel_facts *bw_code_facts(const struct bw_nest *nest, const struct bw_device *device,
					    const struct bw_counted *counted, struct bw_arena *arena, int *n)
{
	struct bw_kernel_uses *uses = BW_ARENA_NEW(arena, struct bw_kernel_uses);
	*uses = (struct bw_kernel_uses){.n = 0};
	for (int k = 0; k < counted->n && k < BW_MOST_KERNELS; k++) {
		uses->list[uses->n] = BW_KERNEL_UNKNOWN;
		snprintf(uses->list[uses->n++].name, sizeof uses->list->name, "%s", counted->kernels[k].name);
	}
	return bw_kernel_facts(nest, device, uses, NULL, arena, n);
}

const struct bw_kernel *bw_code_kernel(const struct bw_kernel_facts *facts, int n, const char *entry)
{
	for (int k = 0; k < n; k++)
		if (facts[k].use && !strcmp(facts[k].use->name, entry))
			return &facts[k].kernel;
	return NULL;
}

struct bw_counted_part *bw_code_parts(const struct bw_counted_kernel *kernel, const struct bw_kernel *of,
				      const struct bw_nest *nest, const struct bw_pipeline *pipeline,
				      struct bw_arena *arena, int *n)
{
	struct bw_counted_kernel run = *kernel;
	struct bw_counted_part *parts = BW_ARENA_ARRAY(arena, struct bw_counted_part, kernel->n_parts + 1);
	run.n_parts = 0;
	run.parts = parts;
	for (int p = 0; p < kernel->n_parts; p++)
		if (kernel->parts[p].counts.instructions)
			parts[run.n_parts++] = kernel->parts[p];
	if (of) {
		int n_shared;
		const struct shared_stage *stages = shared_stages(nest, of, arena, &n_shared);
		name_shared(&run, stages, n_shared, parts);
	}
	name_parts(&run, of, pipeline, parts);
	*n = run.n_parts;
	return parts;
}

/* The nest. */

struct building {
	const struct bw_pipeline *pipeline;
	const struct bw_nest *nest;     /* NULL: not known */
	const struct bw_kernel *kernel; /* NULL: not known */
	struct bw_code_kernel *out;
	int room;
	bool *named; /* by line of the nest: a loop of the PTX has the name of this loop */
};

static struct bw_code_loop *add_loop(struct building *building, int func, int stage, int loop, int parent)
{
	struct bw_code_kernel *out = building->out;
	BW_GROW(out->loops, out->n_loops, building->room);
	struct bw_code_loop *row = &out->loops[out->n_loops++];
	*row = (struct bw_code_loop){
	    .func = func, .stage = stage, .loop = loop, .parent = parent};
	row->depth = parent < 0 ? 0 : out->loops[parent].depth + 1;
	return row;
}

static void add_stages(struct building *building, int func, int parent);

/* Adds the Funcs that are computed at a level of a stage's loops. Returns true if there are any. If not
 * `adds`, adds nothing. */
static bool add_members(struct building *building, const struct bw_site *at, int parent, bool adds)
{
	bool any = false;
	for (int m = 0; m < building->kernel->n_members; m++) {
		int func = building->kernel->members[m];
		const struct bw_placed *placed = building->nest->placed[func];
		const struct bw_site *site = &placed->placement->compute;
		if (site->kind != BW_SITE_AT || site->func != at->func || site->stage != at->stage ||
		    site->role != at->role || (at->role == BW_ROLE_SERIAL && site->serial != at->serial))
			continue;
		any = true;
		if (!adds)
			return true;
		struct bw_code_loop *row = add_loop(building, func, 0, -1, parent);
		snprintf(row->text, sizeof row->text, "%.40s in %s", building->pipeline->funcs[func].name,
			 bw_memory_name(placed->memory));
		add_stages(building, func, building->out->n_loops - 1);
	}
	return any;
}

static enum bw_role role_of(const struct bw_stage_plan *plan, int piece)
{
	enum bw_loop_kind kind = plan->loops[piece].kind;
	return kind == BW_LOOP_THREAD && bw_stage_has_lanes(plan) ? BW_ROLE_WARP : bw_loop_role(kind);
}

/* Adds the loops of a stage and the Funcs that are computed inside. Leaves out loops of one iteration,
 * unless a Func is computed in them. */
static void add_loops(struct building *building, int func, int stage, int parent)
{
	const struct bw_placed *placed = building->nest->placed[func];
	const struct bw_stage_plan *plan = &placed->placement->stages[stage];
	const struct bw_placed_stage *of = &placed->stages[stage];
	struct bw_site at = {.kind = BW_SITE_AT, .func = func, .stage = stage, .serial = -1};
	for (int i = 0; i < plan->n_loops; i++) {
		const struct bw_loop *piece = &plan->loops[i];
		at.role = role_of(plan, i);
		at.serial += at.role == BW_ROLE_SERIAL;
		bool last = at.role == BW_ROLE_SERIAL || i + 1 == plan->n_loops || role_of(plan, i + 1) != at.role;
		if (of->extents[i] != 1 || (last && add_members(building, &at, 0, false))) {
			struct bw_code_loop *row = add_loop(building, func, stage, piece->loop, parent);
			row->runs_serially = at.role == BW_ROLE_SERIAL && !bw_stage_copies(plan, of, i);
			snprintf(row->text, sizeof row->text, "%s %.40s %s",
				 bw_loop_kind_name(bw_stage_loop_kind(plan, of, i)),
				 building->pipeline->funcs[func].stages[stage].loops[piece->loop].name,
				 bw_say_count((double)of->extents[i]).text);
			parent = building->out->n_loops - 1;
		}
		if (last)
			add_members(building, &at, parent, true);
	}
}

static void add_stages(struct building *building, int func, int parent)
{
	const struct bw_func *of = &building->pipeline->funcs[func];
	for (int stage = 0; stage < of->n_stages; stage++) {
		int within = parent;
		if (stage) {
			struct bw_code_loop *row = add_loop(building, func, stage, -1, parent);
			snprintf(row->text, sizeof row->text, "update %d", stage - 1);
			within = building->out->n_loops - 1;
		}
		add_loops(building, func, stage, within);
	}
}

static void add_nest(struct building *building)
{
	const struct bw_kernel *kernel = building->kernel;
	struct bw_code_loop *row =
	    add_loop(building, kernel ? kernel->func : -1, kernel ? kernel->stage : 0, -1, -1);
	BW_SCOPED_TEXT name = {0};
	if (kernel)
		bw_kernel_name(building->pipeline, kernel, &name);
	snprintf(row->text, sizeof row->text, "kernel %.80s", kernel ? bw_text_get(&name) : building->out->counted->name);
	if (kernel)
		add_loops(building, kernel->func, kernel->stage, 0);
	building->named = BW_NEW_ARRAY(bool, building->out->n_loops + 1);
}

/* The PTX. */

/* A basic block. Labels are numbers, those of a kernel and of a block in it combined; -1: none. */
struct block {
	int line;          /* index in the kernel's lines */
	/* around: label of the header of the innermost loop that contains the block, not counting a loop that
	 * the block itself heads */
	long label, around;
	bool heads;        /* the block is the header of a loop */
	const char *name;  /* the name that LLVM gives it, from `for ` on; NULL: it is not named after a loop */
	int loop;          /* its line of the nest; 0: none */
};

struct blocks {
	struct block *list;
	int n, room;
};

/* Returns the label `BB0_12` in a text as a number; -1: there is none. */
static long label_in(const char *text)
{
	const char *at = text ? strstr(text, "BB") : NULL;
	char *end;
	if (!at || !isdigit((unsigned char)at[2]))
		return -1;
	long kernel = strtol(at + 2, &end, 10);
	return *end == '_' && isdigit((unsigned char)end[1]) ? kernel << 20 | strtol(end + 1, NULL, 10) : -1;
}

static void read_block_line(struct blocks *blocks, int line, const char *text)
{
	const char *comment = strstr(text, "//"), *around;
	bool labelled = (*text == 'L' || *text == '$') && strchr(text, ':') && label_in(text) >= 0;
	if (labelled || !strncmp(text, "// %bb.", 7) || !blocks->n) {
		BW_PUSH(blocks->list, blocks->n, blocks->room,
			(struct block){
			    .line = line,
			    .label = labelled ? label_in(text) : -1,
			    .around = -1,
			    .name = comment ? bw_ptx_loop(comment, comment + strlen(comment)) : NULL});
	}
	struct block *block = &blocks->list[blocks->n - 1];
	if (!comment)
		return;
	if ((around = strstr(comment, "Header=BB")) || (around = strstr(comment, "Parent Loop BB")))
		block->around = label_in(around);
	block->heads |= strstr(comment, "=>") && strstr(comment, "Loop Header: Depth");
}

static const struct block *block_of(const struct blocks *blocks, long label)
{
	for (int k = 0; k < blocks->n && label >= 0; k++)
		if (blocks->list[k].label == label)
			return &blocks->list[k];
	return NULL;
}

/* Returns the line of the nest for piece `piece` of loop `loop` of a stage. If there is none, returns the
 * line of the stage's innermost loop, or 0. loop -1: returns the innermost loop around all loops that the
 * PTX names, or 0. */
static int find_loop(const struct building *building, int func, int stage, int loop, int piece)
{
	const struct bw_code_kernel *out = building->out;
	int innermost = 0;
	for (int k = 1; k < out->n_loops; k++) {
		const struct bw_code_loop *row = &out->loops[k];
		if (row->func != func || row->stage != stage)
			continue;
		if (loop >= 0 && row->loop == loop && row->runs_serially && piece-- == 0)
			return k;
		if (loop < 0 && building->named[k])
			return innermost;
		innermost = k;
	}
	return innermost;
}

/* Returns the loop of a stage with a name of `length` bytes. The name may end with digits that LLVM
 * appends to distinguish copies of a loop, as in `r$y5`. Returns -1 if there is none. */
static int stage_loop(const struct bw_stage *stage, const char *name, size_t length)
{
	int found = -1;
	for (int loop = 0; loop < stage->n_loops; loop++) {
		size_t own = strlen(stage->loops[loop].name);
		if (own > length || strncmp(stage->loops[loop].name, name, own) ||
		    own + strspn(name + own, "0123456789") < length)
			continue;
		found = found < 0 || own > strlen(stage->loops[found].name) ? loop : found;
	}
	return found;
}

/* Returns the line of the nest for the piece whose number `digits` begins with, as find_loop() does. LLVM
 * may have appended digits to the number. The first piece has no number, so all its digits are LLVM's. */
static int find_piece(const struct building *building, int func, int stage, int loop, const char *digits)
{
	int found = 0;
	for (int n = (int)strspn(digits, "0123456789"); n >= 0; n--) {
		char number[8];
		snprintf(number, sizeof number, "%.*s", n, digits);
		int piece = atoi(number);
		found = find_loop(building, func, stage, loop, piece ? piece - 1 : 0);
		if (building->out->loops[found].loop == loop && building->out->loops[found].runs_serially)
			break;
	}
	return found;
}

/* Returns the line of the nest for a loop with a name from the PTX, `FUNC.sSTAGE.LOOP.LOOP_serial2"`; 0:
 * none. If no nest is known, adds the line. */
static int loop_named(struct building *building, const char *name)
{
	const char *dot = name, *end = name + strcspn(name, "\"\\");
	char *after = NULL;
	long stage = 0;
	for (; dot < end; dot++)
		if (dot > name && dot[0] == '.' && dot[1] == 's' && isdigit((unsigned char)dot[2]) &&
		    (stage = strtol(dot + 2, &after, 10), *after == '.'))
			break;
	char text[96];
	snprintf(text, sizeof text, "%.*s", (int)(dot - name), name);
	const struct bw_func *func = dot < end ? bw_code_func(building->pipeline, text) : NULL;
	if (!func || stage >= func->n_stages)
		return 0;
	const struct bw_stage *of = &func->stages[stage];
	int loop = stage_loop(of, after + 1, strcspn(after + 1, ".\"\\"));
	if (loop < 0)
		return 0;
	const char *serial = strstr(after, "_serial");
	int f = (int)(func - building->pipeline->funcs),
	    found = find_piece(building, f, (int)stage, loop, serial && serial < end ? serial + 7 : "");
	if (found || building->kernel)
		return found;
	struct bw_code_loop *row = add_loop(building, f, (int)stage, loop, 0);
	row->runs_serially = true;
	snprintf(row->text, sizeof row->text, "%.40s.s%ld, loop %.40s", func->name, stage, of->loops[loop].name);
	building->named = realloc(building->named, ((size_t)building->out->n_loops + 1) * sizeof(bool));
	building->named[building->out->n_loops - 1] = true;
	return building->out->n_loops - 1;
}

/* Finds the loop of each block: the innermost loop around the block that the PTX names. */
static void find_loops(struct building *building, struct blocks *blocks)
{
	enum { DEEPEST = 32 };
	for (int k = 0; k < blocks->n; k++) {
		const struct block *at = &blocks->list[k];
		if (!at->heads)
			at = block_of(blocks, at->around);
		for (int depth = 0; at && depth < DEEPEST && !blocks->list[k].loop; depth++) {
			blocks->list[k].loop = at->name ? loop_named(building, at->name) : 0;
			at = block_of(blocks, at->around);
		}
		building->named[blocks->list[k].loop] = true;
	}
}

/* Returns true if a line of PTX is an instruction: its first word is an opcode. */
static bool is_instruction(const char *text)
{
	text += strspn(text, " \t");
	if (*text == '@')
		text += strcspn(text, " \t"), text += strspn(text, " \t");
	size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_.");
	return islower((unsigned char)*text) && (text[word] == ' ' || text[word] == '\t' || text[word] == ';');
}

/* Copies a line. Replaces each run of blanks by one blank, and leading blanks by two. Removes the
 * kernel's name from parameters. */
static char *copy_line(struct bw_arena *arena, const char *line, size_t length, const char *entry)
{
	char *copy = BW_ARENA_ARRAY(arena, char, length + 3), *to = copy, *parameter;
	size_t name = strlen(entry);
	size_t k = 0;
	for (; k < length && isspace((unsigned char)line[k]); k++)
		;
	if (k)
		*to++ = ' ', *to++ = ' ';
	for (; k < length; k++)
		if (!isspace((unsigned char)line[k]))
			*to++ = line[k];
		else if (to[-1] != ' ')
			*to++ = ' ';
	*to = 0;
	for (; (parameter = strstr(copy, entry)) && !strncmp(parameter + name, "_param_", 7);)
		memmove(parameter, parameter + name + 1, strlen(parameter + name));
	return copy;
}

/* Reads the lines of a kernel, from its entry to its closing brace. */
static void read_lines(const struct building *building, const char *ptx, struct bw_arena *arena,
		       struct blocks *blocks)
{
	struct bw_code_kernel *out = building->out;
	char entry[128];
	int length = snprintf(entry, sizeof entry, ".entry %s", out->counted->name), number = 1, room = 0;
	bool inside = false;
	for (const char *at = ptx; *at; number++) {
		size_t line = strcspn(at, "\n");
		const char *found = inside ? NULL : memmem(at, line, entry, (size_t)length);
		inside |= found && (found[length] == '(' || isspace((unsigned char)found[length]));
		if (inside) {
			char *text = copy_line(arena, at, line, out->counted->name);
			BW_GROW(out->lines, out->n_lines, room);
			out->lines[out->n_lines] =
			    (struct bw_code_line){.text = text, .number = number, .instruction = is_instruction(text)};
			read_block_line(blocks, out->n_lines++, text);
			if (*at == '}')
				return;
		}
		at += line + (at[line] == '\n');
	}
}

/* Returns the line of the nest for a part outside of all loops of the PTX. */
static int loop_of_part(const struct building *building, const struct bw_counted_part *part)
{
	const struct bw_func *func = *part->func ? bw_code_func(building->pipeline, part->func) : NULL;
	return func ? find_loop(building, (int)(func - building->pipeline->funcs), part->stage, -1, 0) : 0;
}

/* Sets how often the lines from..to - 1 of a part ran. Lines without a loop get the loop of the part. */
static void count_part(const struct building *building, const struct bw_counted_part *part, int from, int to)
{
	struct bw_code_line *lines = building->out->lines;
	int n = 0, loop = loop_of_part(building, part);
	for (int k = from; k < to; k++)
		n += lines[k].instruction;
	for (int k = from; k < to; k++) {
		if (!lines[k].instruction && (n || k > from))
			continue;
		lines[k].runs += (double)part->counts.instructions / (n ? n : 1);
		lines[k].loop = lines[k].loop ? lines[k].loop : loop;
	}
	lines[from].block = part;
}

BW_ORDER(by_line, struct bw_counted_part, BW_COMPARE(a->line, b->line))

/* Sets the counts of all lines. A line that is not an instruction gets the loop of the next line. */
static void count_lines(const struct building *building, const struct blocks *blocks, struct bw_arena *arena)
{
	struct bw_code_kernel *out = building->out;
	int n, first = out->n_lines ? out->lines[0].number : 0;
	for (int b = 0; b < blocks->n; b++)
		for (int k = blocks->list[b].line; k < (b + 1 < blocks->n ? blocks->list[b + 1].line : out->n_lines); k++)
			out->lines[k].loop = blocks->list[b].loop;
	struct bw_counted_part *parts =
	    bw_code_parts(out->counted, building->kernel, building->nest, building->pipeline, arena, &n);
	qsort(parts, (size_t)n, sizeof *parts, by_line);
	for (int p = 0; p < n; p++) {
		int from = parts[p].line - first, to = out->n_lines;
		for (int other = 0; other < out->counted->n_parts; other++) {
			int next = out->counted->parts[other].line - first;
			to = next > from && next < to ? next : to;
		}
		if (from >= 0 && from < out->n_lines)
			count_part(building, &parts[p], from, to);
	}
	for (int k = 0; k < out->n_lines && (!n || out->lines[k].number < parts[0].line); k++)
		out->lines[k].instruction = false; /* lines before the first counted part do not count */
	for (int k = out->n_lines - 2; k >= 0; k--)
		if (!out->lines[k].instruction && !out->lines[k].loop)
			out->lines[k].loop = out->lines[k + 1].loop;
	for (int k = 0; k < out->n_lines; k++) {
		out->loops[out->lines[k].loop].runs += out->lines[k].runs;
		out->loops[out->lines[k].loop].own += out->lines[k].runs;
		out->told += out->lines[k].loop ? out->lines[k].runs : 0;
	}
	for (int k = out->n_loops - 1; k > 0; k--)
		out->loops[out->loops[k].parent].runs += out->loops[k].runs;
}

/* The SASS. */

BW_ORDER(by_source, struct bw_code_sass, 2 * BW_COMPARE(a->line, b->line) + BW_COMPARE(a->at, b->at))

static void add_sass(const struct bw_sass *sass, struct bw_code_kernel *out)
{
	const struct bw_sass_kernel *of = NULL;
	for (int k = 0; k < sass->n && !of; k++)
		if (!strncmp(out->counted->name, sass->kernels[k].name, sizeof out->counted->name - 1))
			of = &sass->kernels[k];
	if (!of)
		return;
	int first = out->n_lines ? out->lines[0].number : 0;
	out->sass = BW_NEW_ARRAY(struct bw_code_sass, of->n + 1);
	for (int k = 0; k < of->n; k++) {
		if (of->code[k].kind == BW_SASS_NOTHING)
			continue;
		struct bw_code_sass *to = &out->sass[out->n_sass++];
		int line = of->code[k].line - first;
		*to = (struct bw_code_sass){
		    .at = k, .kind = of->code[k].kind, .runs = of->code[k].runs,
		    .line = line >= 0 && line < out->n_lines ? line : -1};
		bw_sass_words(&of->code[k], to->text, sizeof to->text);
	}
	qsort(out->sass, (size_t)out->n_sass, sizeof *out->sass, by_source);
	for (int k = out->n_sass - 1; k >= 0 && out->sass[k].line >= 0; k--) {
		out->lines[out->sass[k].line].first_sass = k;
		out->lines[out->sass[k].line].n_sass++;
	}
}

struct bw_code *bw_code_make(const struct bw_pipeline *pipeline, const struct bw_nest *nest,
			     const struct bw_device *device, const struct bw_counted *counted)
{
	if (!counted->ptx)
		return NULL;
	struct bw_code *code = BW_NEW(struct bw_code);
	int n_facts = 0;
	*code = (struct bw_code){.arena = bw_arena_new(), .n = counted->n};
	code->kernels = BW_NEW_ARRAY(struct bw_code_kernel, counted->n + 1);
	if (!counted->sass)
		code->no_sass = "no ptxas was found, or it made no code for sm_70 to sm_90";
	const struct bw_kernel_facts *facts =
	    nest ? bw_code_facts(nest, device, counted, code->arena, &n_facts) : NULL;
	for (int k = 0; k < counted->n; k++) {
		struct bw_code_kernel *out = &code->kernels[k];
		struct blocks blocks = {0};
		out->counted = &counted->kernels[k];
		out->runs = (double)out->counted->counts.instructions;
		const struct bw_kernel *kernel = bw_code_kernel(facts, n_facts, out->counted->name);
		struct building building = {pipeline, nest, kernel, out, 0, NULL};
		add_nest(&building);
		read_lines(&building, counted->ptx, code->arena, &blocks);
		find_loops(&building, &blocks);
		count_lines(&building, &blocks, code->arena);
		if (counted->sass)
			add_sass(counted->sass, out);
		free(building.named);
		free(blocks.list);
	}
	if (counted->statement)
		bw_code_read_statement(code, pipeline, counted->statement);
	return code;
}

void bw_code_free(struct bw_code *code)
{
	if (!code)
		return;
	for (int k = 0; k < code->n; k++) {
		free(code->kernels[k].loops);
		free(code->kernels[k].lines);
		free(code->kernels[k].sass);
		free(code->kernels[k].statement);
	}
	free(code->kernels);
	bw_arena_free(code->arena);
	free(code);
}

/* Returns true if an opcode begins with one of these words and a dot. */
static bool is_one_of(const char *opcode, const char *const *words, int n)
{
	for (int k = 0; k < n; k++)
		if (!strncmp(opcode, words[k], strlen(words[k])) && opcode[strlen(words[k])] == '.')
			return true;
	return false;
}

static void add_ptx(const char *text, double runs, struct bw_code_mix *mix)
{
	static const char *const sums[] = {"fma", "add", "sub", "mul", "mad"};
	const char *opcode = text + strspn(text, " ");
	if (*opcode == '@')
		opcode += strcspn(opcode, " "), opcode += strspn(opcode, " ");
	const char *end = opcode + strcspn(opcode, " ;"), *type = memrchr(opcode, '.', (size_t)(end - opcode));
	bool parameter = !strncmp(opcode, "ld.param", 8) || !strncmp(opcode, "st.param", 8);
	mix->loads += is_one_of(opcode, (const char *const[]){"ld"}, 1) && !parameter ? runs : 0;
	mix->stores += is_one_of(opcode, (const char *const[]){"st"}, 1) && !parameter ? runs : 0;
	mix->floats += type && type[1] == 'f' && is_one_of(opcode, sums, sizeof sums / sizeof *sums) ? runs : 0;
}

static void add_sass_kind(enum bw_sass_kind kind, double runs, struct bw_code_mix *mix)
{
	bool loads = kind == BW_SASS_GLOBAL_LOAD || kind == BW_SASS_SHARED_LOAD || kind == BW_SASS_LOCAL_LOAD;
	mix->floats += kind == BW_SASS_FLOAT ? runs : 0;
	mix->loads += loads ? runs : 0;
	mix->stores += !loads && kind >= BW_SASS_GLOBAL_LOAD ? runs : 0;
}

struct bw_code_mix bw_code_mix(const struct bw_code_kernel *kernel, int loop, bool sass)
{
	struct bw_code_mix mix = {0};
	for (int k = 0; k < (sass ? kernel->n_sass : kernel->n_lines); k++) {
		const struct bw_code_sass *of = sass ? &kernel->sass[k] : NULL;
		int line = of ? of->line : k;
		double runs = of ? of->runs : kernel->lines[k].runs;
		if (line < 0 ? loop > 0 : !bw_code_holds(kernel, loop, kernel->lines[line].loop))
			continue;
		mix.all += runs;
		if (of)
			add_sass_kind(of->kind, runs, &mix);
		else if (kernel->lines[k].instruction)
			add_ptx(kernel->lines[k].text, runs, &mix);
	}
	return mix;
}

double bw_code_runs(const struct bw_code *code)
{
	double runs = 0;
	for (int k = 0; k < code->n; k++)
		runs += code->kernels[k].runs;
	return runs;
}

/* JSON. */

static json_t *place(int place)
{
	return place < 0 ? json_null() : json_integer(place);
}

static json_t *loops_json(const struct bw_code_kernel *kernel, const struct bw_pipeline *pipeline, double all)
{
	json_t *list = json_array();
	for (int k = 0; k < kernel->n_loops; k++) {
		const struct bw_code_loop *row = &kernel->loops[k];
		const struct bw_func *func = row->func < 0 ? NULL : &pipeline->funcs[row->func];
		json_array_append_new(list, json_pack("{s:s, s:s?, s:i, s:s?, s:o, s:f, s:o}", "text",
			row->text, "func", func ? func->name : NULL, "stage", row->stage,
		                                      "loop", func && row->loop >= 0 ? func->stages[row->stage].loops[row->loop].name : NULL, "in", place(row->parent),
		                                      "instructions", row->runs, "share", bw_json_real(row->runs / all)));
	}
	return list;
}

static json_t *block_json(const struct bw_counted_part *part)
{
	json_t *counters = json_object();
#define X(field, metric, text) \
	if (part->counts.field) \
		json_object_set_new(counters, metric, json_integer((json_int_t)part->counts.field));
	BW_COUNT_TABLE(X)
#undef X
	return counters;
}

/* Returns true if a loop belongs to `func`, or `func` is -1. */
static bool is_of(const struct bw_code_kernel *kernel, int loop, int func)
{
	return func < 0 || (loop > 0 && kernel->loops[loop].func == func);
}

static json_t *lines_json(const struct bw_code_kernel *kernel, int func)
{
	json_t *list = json_array();
	for (int k = 0; k < kernel->n_lines; k++) {
		const struct bw_code_line *line = &kernel->lines[k];
		if (!is_of(kernel, line->loop, func))
			continue;
		json_t *object = json_pack("{s:i, s:s, s:i}", "line", line->number, "text",
			line->text + strspn(line->text, " "), "nest", line->loop);
		if (line->instruction || line->runs > 0)
			json_object_set_new(object, "executions", json_real(line->runs));
		if (line->block)
			json_object_set_new(object, "block", block_json(line->block));
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *sass_json(const struct bw_code_kernel *kernel, int func)
{
	json_t *list = json_array();
	for (int k = 0; k < kernel->n_sass; k++) {
		const struct bw_code_sass *sass = &kernel->sass[k];
		const struct bw_code_line *line = sass->line < 0 ? NULL : &kernel->lines[sass->line];
		if (!is_of(kernel, line ? line->loop : 0, func))
			continue;
		json_array_append_new(list, json_pack("{s:i, s:s, s:o, s:o, s:f}", "at", sass->at, "text",
			sass->text, "line", place(line ? line->number : -1),
		                                      "nest", place(line ? line->loop : -1), "executions", sass->runs));
	}
	return list;
}

static json_t *statement_json(const struct bw_code_kernel *kernel, int func)
{
	json_t *list = kernel->n_statement ? json_array() : json_null();
	for (int k = 0; k < kernel->n_statement; k++) {
		const struct bw_code_statement *line = &kernel->statement[k];
		if (is_of(kernel, line->loop, func))
			json_array_append_new(list, json_pack("{s:i, s:s, s:i}", "line", line->number, "text", line->text, "nest", line->loop));
	}
	return list;
}

json_t *bw_code_json(const struct bw_code *code, const struct bw_pipeline *pipeline, int func)
{
	json_t *kernels = json_array();
	double all = bw_code_runs(code);
	for (int k = 0; k < code->n; k++) {
		const struct bw_code_kernel *kernel = &code->kernels[k];
		json_t *lines = lines_json(kernel, func), *statement = statement_json(kernel, func);
		if (func >= 0 && !json_array_size(lines) && !json_array_size(statement)) {
			json_decref(lines);
			json_decref(statement);
			continue;
		}
		json_array_append_new(kernels, json_pack("{s:s, s:f, s:f, s:o, s:o, s:o, s:o}", "kernel",
			kernel->counted->name, "instructions", kernel->runs, "in_loops", kernel->told,
		                                         "nest", loops_json(kernel, pipeline, all), "statement", statement, "ptx", lines,
		                                         "sass", kernel->sass ? sass_json(kernel, func) : json_null()));
	}
	return json_pack("{s:i, s:s?, s:s?, s:o}", "beamwalk-code", 1, "no_sass", code->no_sass, "func",
		func < 0 ? NULL : pipeline->funcs[func].name, "kernels", kernels);
}
