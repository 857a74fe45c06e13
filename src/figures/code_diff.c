/* The difference of two listings of code: a shortest edit script, searched from both ends (E. W. Myers, An
 * O(ND) Difference Algorithm and Its Variations, 1986, section 4b). Lines are compared by hashes of their
 * significant parts. A line deleted on one side and inserted on the other counts as moved, because ptxas and
 * LLVM order independent instructions as they like. */
#include "figures/code_diff.h"

#include <ctype.h>

#include "base/arith.h"
#include "base/hash.h"

enum { NOWHERE = -(1 << 28), MOST_EDITS = 6000 };

/* The lines of one side, and their hashes. */
struct lines {
	struct bw_diff_line *list;
	uint64_t *keys;
	int n;
	int *partners; /* the equal line on the other side; -1: none */
};

struct search {
	const struct lines *a, *b;
	/* by diagonal: number of lines of `a` covered from the beginning (ahead) or from the end (back);
	 * diagonal 0 is in the middle */
	int *ahead, *back;
};

/* A part of both sides: lines a..a + n - 1 of the one, b..b + m - 1 of the other. */
struct part {
	int a, n, b, m;
};

/* Extends the path on one diagonal after `edits` edits, from the beginning of a part or, if `back`, from
 * its end. Returns the number of lines of `a` that it covers; NOWHERE: the diagonal is out of reach. */
static int extend(const struct search *search, const struct part *part, bool back, int edits, int diagonal)
{
	int *far = back ? search->back : search->ahead;
	int down = diagonal < edits ? far[diagonal + 1] : NOWHERE,
	    right = diagonal > -edits ? far[diagonal - 1] + 1 : NOWHERE;
	if (down - diagonal > part->m)
		down = NOWHERE;
	if (right > part->n)
		right = NOWHERE;
	int x = !edits ? 0 : down > right ? down : right;
	while (x >= 0 && x < part->n && x - diagonal < part->m &&
	       search->a->keys[back ? part->a + part->n - 1 - x : part->a + x] ==
		   search->b->keys[back ? part->b + part->m - 1 - x + diagonal : part->b + x - diagonal])
		x++;
	return far[diagonal] = x < 0 ? NOWHERE : x;
}

/* Finds a point (x lines of `a`, y lines of `b`) on a shortest edit script of the part. The parts before
 * and after the point can then be solved separately. The first lines of the part must differ, and so must
 * the last lines. Returns false if the script needs more than 2 * MOST_EDITS edits. */
static bool split(const struct search *search, const struct part *part, int *x, int *y)
{
	int apart = part->n - part->m;
	for (int edits = 0; edits <= MOST_EDITS; edits++)
		for (int back = 0; back < 2; back++)
			for (int k = -edits; k <= edits; k += 2) {
				int far = extend(search, part, back, edits, k), other = apart - k,
				    reach = back ? edits : edits - 1;
				if (far < 0 || (apart & 1) == back || other < -reach || other > reach)
					continue;
				int met = (back ? search->ahead : search->back)[other];
				if (met < 0 || far + met < part->n)
					continue;
				*x = back ? part->n - far : far;
				*y = back ? part->m - (far - k) : far - k;
				return true;
			}
	return false;
}

/* Finds the partners of the lines in a part. */
static void match(const struct search *search, struct part part)
{
	const struct lines *a = search->a, *b = search->b;
	int x, y;
	for (; part.n && part.m && a->keys[part.a] == b->keys[part.b]; part.a++, part.b++, part.n--, part.m--) {
		a->partners[part.a] = part.b;
		b->partners[part.b] = part.a;
	}
	for (; part.n && part.m && a->keys[part.a + part.n - 1] == b->keys[part.b + part.m - 1];
	     part.n--, part.m--) {
		a->partners[part.a + part.n - 1] = part.b + part.m - 1;
		b->partners[part.b + part.m - 1] = part.a + part.n - 1;
	}
	if (!part.n || !part.m || !split(search, &part, &x, &y))
		return;
	match(search, (struct part){part.a, x, part.b, y});
	match(search, (struct part){part.a + x, part.n - x, part.b + y, part.m - y});
}

/* A line without a partner. */
struct left {
	uint64_t key;
	int line;
};

BW_ORDER(by_key, struct left, 2 * BW_COMPARE(a->key, b->key) + BW_COMPARE(a->line, b->line))

static struct left *find_left(const struct lines *lines, struct bw_arena *arena, int *n)
{
	struct left *list = BW_ARENA_ARRAY(arena, struct left, lines->n + 1);
	*n = 0;
	for (int k = 0; k < lines->n; k++)
		if (lines->partners[k] < 0)
			list[(*n)++] = (struct left){lines->keys[k], k};
	qsort(list, (size_t)*n, sizeof *list, by_key);
	return list;
}

/* Marks the lines that moved, in pairs. Returns the number of pairs. */
static int find_moved(const struct lines sides[2], struct bw_arena *arena)
{
	int n[2], moved = 0;
	const struct left *a = find_left(&sides[0], arena, &n[0]), *b = find_left(&sides[1], arena, &n[1]);
	for (int i = 0, j = 0; i < n[0] && j < n[1];) {
		bool same = a[i].key == b[j].key;
		if (same)
			sides[0].list[a[i].line].moved = sides[1].list[b[j].line].moved = true;
		moved += same;
		bool first = same || a[i].key < b[j].key, second = same || a[i].key > b[j].key;
		i += first;
		j += second;
	}
	return moved;
}

static struct bw_diff diff_of(const struct lines sides[2], struct bw_arena *arena)
{
	struct bw_diff diff = {.rows = BW_ARENA_ARRAY(arena, struct bw_diff_row, sides[0].n + sides[1].n + 1)};
	int middle = sides[0].n + sides[1].n + 2, a = 0, b = 0;
	int *far = BW_ARENA_ARRAY(arena, int, 4 * middle);
	for (int i = 0; i < 2; i++)
		for (int k = 0; k < sides[i].n; k++)
			sides[i].partners[k] = -1;
	match(&(struct search){&sides[0], &sides[1], far + middle, far + 3 * middle},
	      (struct part){0, sides[0].n, 0, sides[1].n});
	diff.moved = find_moved(sides, arena);
	while (a < sides[0].n || b < sides[1].n) {
		struct bw_diff_row *row = &diff.rows[diff.n++];
		bool first = a < sides[0].n && sides[0].partners[a] < 0,
		     second = b < sides[1].n && sides[1].partners[b] < 0;
		row->same = !first && !second;
		diff.only[0] += first && !sides[0].list[a].moved;
		diff.only[1] += second && !sides[1].list[b].moved;
		row->side[0] = first || row->same ? sides[0].list[a++] : (struct bw_diff_line){0};
		row->side[1] = second || row->same ? sides[1].list[b++] : (struct bw_diff_line){0};
	}
	return diff;
}

/* The lines of a kernel. */

static struct lines lines_new(int most, struct bw_arena *arena)
{
	return (struct lines){BW_ARENA_ARRAY(arena, struct bw_diff_line, most + 1),
			      BW_ARENA_ARRAY(arena, uint64_t, most + 1), 0, BW_ARENA_ARRAY(arena, int, most + 1)};
}

static void add(struct lines *lines, const char *text, int depth, double runs, uint64_t key)
{
	lines->keys[lines->n] = key;
	lines->list[lines->n++] = (struct bw_diff_line){text, depth, runs, false};
}

/* Returns the hash of an instruction of PTX without the numbers of its registers, labels and parameters. */
static uint64_t key_of(const char *text)
{
	uint64_t key = 0;
	bool name = false;
	for (; *text; text++) {
		name = name ? isalnum((unsigned char)*text) || *text == '_'
			    : *text == '%' || *text == '$' || !strncmp(text, "LBB", 3) || !strncmp(text, "param_", 6);
		if (!name || !isdigit((unsigned char)*text))
			key = bw_hash_mix(key, (uint64_t)(unsigned char)*text);
	}
	return key;
}

BW_ORDER(by_place, struct bw_code_sass *, (*a)->at - (*b)->at)

static struct lines lines_of(const struct bw_code_kernel *kernel, enum bw_code_text text,
			     struct bw_arena *arena)
{
	struct lines lines = {0};
	if (text == BW_CODE_NEST) {
		lines = lines_new(kernel->n_loops, arena);
		for (int k = 0; k < kernel->n_loops; k++)
			add(&lines, kernel->loops[k].text, kernel->loops[k].depth, kernel->loops[k].runs,
			    bw_hash_string((uint64_t)kernel->loops[k].depth, kernel->loops[k].text));
	} else if (text == BW_CODE_PTX) {
		lines = lines_new(kernel->n_lines, arena);
		for (int k = 0; k < kernel->n_lines; k++) {
			const char *words = kernel->lines[k].text + strspn(kernel->lines[k].text, " ");
			if (kernel->lines[k].instruction)
				add(&lines, words, 0, kernel->lines[k].runs, key_of(words));
		}
	} else {
		const struct bw_code_sass **order = BW_ARENA_ARRAY(arena, const struct bw_code_sass *, kernel->n_sass + 1);
		lines = lines_new(kernel->n_sass, arena);
		for (int k = 0; k < kernel->n_sass; k++)
			order[k] = &kernel->sass[k];
		qsort(order, (size_t)kernel->n_sass, sizeof *order, by_place);
		for (int k = 0; k < kernel->n_sass; k++)
			add(&lines, order[k]->text, 0, order[k]->runs, bw_hash_string(0, order[k]->text));
	}
	return lines;
}

static void compare(struct bw_kernel_diff *kernel, struct bw_arena *arena)
{
	for (int text = 0; text < BW_N_CODE_TEXTS; text++) {
		struct lines sides[2] = {{0}};
		for (int i = 0; i < 2; i++)
			if (kernel->kernels[i])
				sides[i] = lines_of(kernel->kernels[i], (enum bw_code_text)text, arena);
		kernel->texts[text] = diff_of(sides, arena);
	}
}

/* Returns the first kernel without a partner that computes the same Func as `of`. A kernel of unknown
 * Func matches any kernel. Returns -1 if there is none. */
static int find_kernel(const struct bw_code *code, const struct bw_code_kernel *of, const bool *taken)
{
	for (int k = 0; k < code->n; k++) {
		const struct bw_code_loop *a = of->loops, *b = code->kernels[k].loops;
		if (!taken[k] && (a->func < 0 || b->func < 0 || (a->func == b->func && a->stage == b->stage)))
			return k;
	}
	return -1;
}

struct bw_code_diff bw_code_diff_of(const struct bw_code *a, const struct bw_code *b, struct bw_arena *arena)
{
	struct bw_code_diff diff = {.kernels = BW_ARENA_ARRAY(arena, struct bw_kernel_diff, a->n + b->n + 1)};
	bool *taken = BW_ARENA_ARRAY(arena, bool, b->n + 1);
	memset(taken, 0, (size_t)b->n + 1);
	for (int k = 0; k < a->n; k++) {
		int found = find_kernel(b, &a->kernels[k], taken);
		if (found >= 0)
			taken[found] = true;
		diff.kernels[diff.n++] =
		    (struct bw_kernel_diff){.kernels = {&a->kernels[k], found < 0 ? NULL : &b->kernels[found]}};
	}
	for (int k = 0; k < b->n; k++)
		if (!taken[k])
			diff.kernels[diff.n++] = (struct bw_kernel_diff){.kernels = {NULL, &b->kernels[k]}};
	for (int k = 0; k < diff.n; k++)
		compare(&diff.kernels[k], arena);
	return diff;
}

static const char *const keys[] = {BW_CODE_TEXT_TABLE(BW_SECOND)};

BW_WORDS(bw_code_text_words, enum bw_code_text, BW_CODE_TEXT_TABLE(BW_THIRD))

static json_t *line_json(const struct bw_diff_line *line)
{
	return line->text ? json_pack("{s:s, s:o, s:b}", "text", line->text, "executions", bw_json_real(line->runs), "moved",
				      line->moved)
			  : json_null();
}

static json_t *diff_json(const struct bw_diff *diff)
{
	json_t *rows = json_array();
	int same = 0;
	for (int k = 0; k < diff->n; k++) {
		const struct bw_diff_row *row = &diff->rows[k];
		same += row->same;
		if (!row->same)
			json_array_append_new(rows, json_pack("[o, o]", line_json(&row->side[0]), line_json(&row->side[1])));
	}
	return json_pack("{s:i, s:i, s:[i, i], s:o}", "same", same, "moved", diff->moved, "only", diff->only[0],
			 diff->only[1], "lines", rows);
}

json_t *bw_code_diff_json(const struct bw_code_diff *diff)
{
	json_t *kernels = json_array();
	for (int k = 0; k < diff->n; k++) {
		const struct bw_kernel_diff *kernel = &diff->kernels[k];
		json_t *object = json_pack("{}"), *names = json_array(), *runs = json_array();
		for (int i = 0; i < 2; i++) {
			const struct bw_code_kernel *of = kernel->kernels[i];
			json_array_append_new(names, of ? json_string(of->counted->name) : json_null());
			json_array_append_new(runs, of ? json_real(of->runs) : json_null());
		}
		json_object_set_new(object, "kernels", names);
		json_object_set_new(object, "instructions", runs);
		for (int text = 0; text < BW_N_CODE_TEXTS; text++)
			json_object_set_new(object, keys[text], diff_json(&kernel->texts[text]));
		json_array_append_new(kernels, object);
	}
	return json_pack("{s:i, s:o}", "beamwalk-code-diff", 1, "kernels", kernels);
}
