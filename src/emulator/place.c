/* Finds the places of a text from LLVM's comments. A basic block begins with its label, `LBB0_12:` (from
 * LLVM 15 on `$L__BB0_12:`), or with `// %bb.13:` if nothing branches to it. A comment gives the name of
 * the LLVM block: `"for gray.s0.y.y.us"` is the loop over y of Func gray. If a block inside a loop is not
 * named after a loop, a comment on its next line names the loop's header: `in Loop: Header=BB0_12`. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/ptx.h"
#include "gpu/counter.h"

/* A basic block, while the text is parsed. */
struct block {
	int line, stage;
	/* number of its label (kernel and block combined); number of the label of the header of the loop
	 * around it; -1: none */
	long number, of;
};

struct reader {
	struct bw_places_of_text *places;
	struct block *blocks;
	size_t n, room;
	bool good;
};

/* Returns `list` with room for at least n + 1 elements; *room: its capacity. Returns NULL if out of
 * memory. */
static void *grow(void *list, size_t n, size_t *room, size_t size)
{
	if (n < *room)
		return list;
	*room = *room ? 2 * *room : 16;
	void *larger = realloc(list, *room * size);
	if (!larger)
		free(list);
	return larger;
}

/* Returns the text behind the first `words` between begin and end, or NULL if they are not found. */
static const char *after(const char *begin, const char *end, const char *words)
{
	const char *found = memmem(begin, (size_t)(end - begin), words, strlen(words));
	return found ? found + strlen(words) : NULL;
}

/* Parses the digits at *at as a number below 2^20 and advances *at; -1 if there are none. */
static long digits(const char **at, const char *end)
{
	const long most = (1L << 20) - 1;
	long number = 0;
	const char *begin = *at;
	for (; *at < end && isdigit((unsigned char)**at); (*at)++)
		number = number * 10 + **at - '0' < most ? number * 10 + **at - '0' : most;
	return *at == begin ? -1 : number;
}

/* Returns the number of a block from its label's `0_12` (kernel, block); -1 if there is none. */
static long label(const char *at, const char *end)
{
	long kernel = digits(&at, end);
	if (kernel < 0 || at == end || *at++ != '_')
		return -1;
	long block = digits(&at, end);
	return block < 0 ? -1 : kernel * (1L << 20) + block;
}

/* Returns the number of the stage in the name of a loop, `FUNC.sSTAGE.`; adds a new stage to the list.
 * Returns -1 if the name has another form. */
static int stage_of(struct reader *reader, const char *name, const char *end)
{
	struct bw_places_of_text *places = reader->places;
	for (const char *dot = name;
	     dot + 3 < end && isgraph((unsigned char)*dot) && *dot != '"' && *dot != '\\'; dot++) {
		const char *at = dot + 2;
		if (dot == name || dot[0] != '.' || dot[1] != 's')
			continue;
		long stage = digits(&at, end);
		if (stage < 0 || at == end || *at != '.')
			continue;
		size_t length = (size_t)(dot - name);
		for (int k = 0; k < places->n_stages; k++)
			if (places->stages[k].stage == stage && strlen(places->stages[k].func) == length &&
			    !memcmp(places->stages[k].func, name, length))
				return k;
		struct bw_stage_name *stages = realloc(places->stages, ((size_t)places->n_stages + 1) * sizeof *stages);
		char *func = strndup(name, length);
		if (stages)
			places->stages = stages;
		if (!stages || !func)
			return free(func), reader->good = false, -1;
		stages[places->n_stages] = (struct bw_stage_name){func, (int)stage};
		return places->n_stages++;
	}
	return -1;
}

static void add_block(struct reader *reader, int line, long number, const char *comment, const char *end)
{
	reader->blocks = grow(reader->blocks, reader->n, &reader->room, sizeof *reader->blocks);
	if (!reader->blocks) {
		reader->good = false;
		return;
	}
	const char *loop = bw_ptx_loop(comment, end);
	int stage = loop ? stage_of(reader, loop, end) : -1;
	reader->blocks[reader->n++] = (struct block){line, stage, number, -1};
}

static void read_line(struct reader *reader, int line, const char *at, const char *end)
{
	const char *header, *named = NULL;
	if (*at == 'L' || *at == '$')
		named = after(at, end, "LBB") ? after(at, end, "LBB") : after(at, end, "L__BB");
	if (named && memchr(at, ':', (size_t)(end - at))) {
		add_block(reader, line, label(named, end), at, end);
	} else if (end - at > 7 && !memcmp(at, "// %bb.", 7)) {
		add_block(reader, line, -1, at, end);
	} else if (after(at, end, ".entry ")) {
		add_block(reader, line, -1, at, end);
	} else if (reader->n && isspace((unsigned char)*at) &&
		   ((header = after(at, end, "in Loop: Header=BB")) ||
		    (header = after(at, end, "Parent Loop BB")))) {
		/* The innermost of several parents is the last one. */
		long of = label(header, end);
		if (of >= 0 && reader->blocks[reader->n - 1].stage < 0)
			reader->blocks[reader->n - 1].of = of;
	}
}

/* Gives each block inside of a loop the stage of the loop's header. If the header has no stage, uses the
 * header of the next outer loop. */
static void resolve(struct reader *reader)
{
	for (size_t k = 0; k < reader->n; k++) {
		struct block *block = &reader->blocks[k];
		for (int hops = 0; block->stage < 0 && block->of >= 0 && hops < 8; hops++) {
			const struct block *header = NULL;
			for (size_t h = 0; h < reader->n && !header; h++)
				if (reader->blocks[h].number == block->of)
					header = &reader->blocks[h];
			block->stage = header ? header->stage : -1;
			block->of = header ? header->of : -1;
		}
	}
}

bool bw_places_read(struct bw_places_of_text *places, const char *text, size_t length)
{
	struct reader reader = {.places = places, .good = true};
	const char *end = text + length;
	*places = (struct bw_places_of_text){0};
	int line = 1;
	for (const char *at = text; at < end && reader.good; line++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
		if (stop > at)
			read_line(&reader, line, at, stop);
		at = stop + 1;
	}
	resolve(&reader);
	places->list = calloc(reader.n + 1, sizeof *places->list);
	for (size_t k = 0; places->list && k < reader.n; k++)
		places->list[places->n++] = (struct bw_place){reader.blocks[k].line, reader.blocks[k].stage};
	free(reader.blocks);
	return reader.good && places->list;
}

void bw_places_end(struct bw_places_of_text *places)
{
	for (int k = 0; k < places->n_stages; k++)
		free(places->stages[k].func);
	free(places->stages);
	free(places->list);
}

/* Returns the number of the stage that a line belongs to, or -1. */
static int places_find(const struct bw_places_of_text *places, int line)
{
	int low = -1, high = places->n;
	while (low + 1 < high) {
		int middle = (low + high) / 2;
		if (places->list[middle].line <= line)
			low = middle;
		else
			high = middle;
	}
	return low < 0 ? -1 : places->list[low].stage;
}

/* Finds the stage in a kernel's name, as in `_kernel_hist_s1_y___block_id_y`. Sets *func to the
 * beginning of the Func's name and returns its length; 0 if the name has another form. */
static int stage_in_name(const char *name, const char **func, long *stage)
{
	static const char begin[] = "_kernel_";
	*func = name + sizeof begin - 1;
	if (strncmp(name, begin, sizeof begin - 1))
		return 0;
	for (const char *at = strstr(*func, "_s"); at; at = strstr(at + 1, "_s")) {
		const char *number = at + 2;
		*stage = digits(&number, number + strlen(number));
		if (at > *func && *stage >= 0 && *number == '_')
			return (int)(at - *func);
	}
	return 0;
}

/* Returns true if the kernel's threads synchronize or share memory: then several stages may run one
 * after another in it without loops of their names. */
static bool has_tiles(const struct bw_ptx_kernel *kernel)
{
	for (int k = 0; k < kernel->n_code; k++)
		if (kernel->code[k].action == BW_ACTION_BARRIER || kernel->code[k].space == BW_SPACE_SHARED)
			return true;
	return false;
}

void bw_kernel_tell_stage(const struct bw_ptx_kernel *kernel, int line, char *text, size_t size)
{
	const struct bw_places_of_text *places = &kernel->module->places;
	int found = places_find(places, line), length;
	const char *func = found >= 0 ? places->stages[found].func : NULL;
	long stage = found >= 0 ? places->stages[found].stage : 0;
	length = func ? (int)strlen(func) : has_tiles(kernel) ? 0 : stage_in_name(kernel->name, &func, &stage);
	*text = 0;
	if (length && stage)
		snprintf(text, size, ", Func %.*s, update %ld", length, func, stage - 1);
	else if (length)
		snprintf(text, size, ", Func %.*s", length, func);
}

/* Marks the instructions that basic blocks begin with. Returns false if out of memory. Call free() on
 * *begins. */
static bool find_blocks(const struct bw_ptx_kernel *kernel, bool **begins)
{
	bool *begin = *begins = calloc((size_t)kernel->n_code + 2, sizeof *begin);
	if (!begin)
		return false;
	*begin = true;
	for (int k = 0; k < kernel->n_code; k++) {
		const struct bw_ptx_instruction *it = &kernel->code[k];
		begin[k + 1] |= it->action != BW_ACTION_RUN;
		if ((it->action == BW_ACTION_BRANCH || it->action == BW_ACTION_CALL) && it->target >= 0 &&
		    it->target <= kernel->n_code)
			begin[it->target] = true;
	}
	return true;
}

/* Adds a part. Once the kernel has the largest number of parts, the rest of its code belongs to the last
 * part. */
static bool add_part(struct bw_ptx_kernel *kernel, int line, int stage, int interval, int *room)
{
	enum { MOST = 1000 };
	if (kernel->n_parts == MOST)
		return true;
	if (kernel->n_parts == *room) {
		*room = 2 * *room + 16;
		struct bw_ptx_part *parts = realloc(kernel->parts, (size_t)*room * sizeof *parts);
		if (!parts)
			return false;
		kernel->parts = parts;
	}
	int group = 0;
	while (group < kernel->n_parts &&
	       (kernel->parts[group].stage != stage || kernel->parts[group].interval != interval))
		group++;
	kernel->parts[kernel->n_parts++] = (struct bw_ptx_part){stage, interval, line, 0, group};
	return true;
}

static bool find_parts(struct bw_ptx_kernel *kernel)
{
	enum { MOST_INTERVALS = 255 };
	bool *begins, good = find_blocks(kernel, &begins);
	for (int k = 0, interval = 0, stage = -1, room = 0; k < kernel->n_code && good; k++) {
		struct bw_ptx_instruction *it = &kernel->code[k];
		int of = places_find(&kernel->module->places, it->line);
		if (begins[k] || of != stage)
			good = add_part(kernel, it->line, of, interval, &room);
		if (!good)
			break;
		stage = of;
		it->part = (uint16_t)(kernel->n_parts - 1);
		kernel->parts[it->part].length += it->opcode >= 0;
		interval += it->action == BW_ACTION_BARRIER && interval < MOST_INTERVALS;
	}
	free(begins);
	return good;
}

bool bw_parts_find(struct bw_ptx *module)
{
	for (int n = 0; n < module->n_kernels; n++)
		if (!find_parts(module->kernels[n]))
			return false;
	return true;
}
