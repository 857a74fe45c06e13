/* Decides which lines of a schedule's code have a row on a screen, and which lines of both texts belong
 * together. A row is a line of the PTX or of the statement. All lines in a folded loop share one row, the
 * row of the first line. If only one Func is shown, the lines of other Funcs have no row, and their loops
 * do not fold. */

#include "figures/code.h"

static int n_lines(const struct bw_code_kernel *kernel, bool statement)
{
	return statement ? kernel->n_statement : kernel->n_lines;
}

int bw_code_lines(const struct bw_code *code, bool statement)
{
	int n = 0;
	for (int k = 0; k < code->n; k++)
		n += n_lines(&code->kernels[k], statement);
	return n;
}

const struct bw_code_kernel *bw_code_kernel_at(const struct bw_code *code, bool statement, int *line)
{
	for (int k = 0; k < code->n && *line >= 0; k++) {
		int n = n_lines(&code->kernels[k], statement);
		if (*line < n)
			return &code->kernels[k];
		*line -= n;
	}
	return NULL;
}

int bw_code_loop_at(const struct bw_code_kernel *kernel, bool statement, int line)
{
	return statement ? kernel->statement[line].loop : kernel->lines[line].loop;
}

bool bw_code_holds(const struct bw_code_kernel *kernel, int loop, int other)
{
	while (other > loop)
		other = kernel->loops[other].parent;
	return other == loop;
}

int bw_code_find(const struct bw_code_kernel *kernel, bool statement, int loop)
{
	int n = n_lines(kernel, statement);
	for (; loop >= 0; loop = kernel->loops[loop].parent) {
		int best = -1, most = 0, inside = -1;
		for (int k = 0, length; k < n; k += length) {
			int of = bw_code_loop_at(kernel, statement, k);
			for (length = 1; k + length < n && bw_code_loop_at(kernel, statement, k + length) == of; length++)
				;
			if (of == loop && length > most) {
				best = k;
				most = length;
			}
			inside = inside < 0 && bw_code_holds(kernel, loop, of) ? k : inside;
		}
		if (best >= 0 || inside >= 0)
			return best >= 0 ? best : inside;
	}
	return 0;
}

int bw_code_across(const struct bw_code *code, bool statement, int line)
{
	const struct bw_code_kernel *kernel = bw_code_kernel_at(code, statement, &line);
	int before = 0;
	if (!kernel)
		return -1;
	for (const struct bw_code_kernel *k = code->kernels; k < kernel; k++)
		before += n_lines(k, !statement);
	return before + bw_code_find(kernel, !statement, bw_code_loop_at(kernel, statement, line));
}

bool bw_code_is_shown(const struct bw_code_kernel *kernel, bool statement, int k)
{
	const struct bw_code_line *line = statement ? NULL : &kernel->lines[k];
	return statement || line->instruction || *line->text == '$' || *line->text == 'L' || !strncmp(line->text, "// %bb", 6);
}

int bw_code_row_loop(const struct bw_code_kernel *kernel, bool statement, int line, int func)
{
	int own = bw_code_loop_at(kernel, statement, line), folded = own;
	for (int k = own; k > 0; k = kernel->loops[k].parent)
		if (kernel->loops[k].folded && (func < 0 || kernel->loops[k].func == func))
			folded = k;
	return folded;
}

/* Returns true if a line that can have a row is shown when only `func` is shown. */
static bool is_of(const struct bw_code_kernel *kernel, bool statement, int line, int func)
{
	int loop = bw_code_row_loop(kernel, statement, line, func);
	return func < 0 || (loop && kernel->loops[loop].func == func);
}

int bw_code_row(const struct bw_code_kernel *kernel, bool statement, int line, int func)
{
	int n = n_lines(kernel, statement), k = 0;
	while (line < n && !bw_code_is_shown(kernel, statement, line))
		line++;
	if (line >= n || !is_of(kernel, statement, line, func))
		return -1;
	int loop = bw_code_row_loop(kernel, statement, line, func);
	if (!kernel->loops[loop].folded)
		return line;
	while (!bw_code_is_shown(kernel, statement, k) || bw_code_row_loop(kernel, statement, k, func) != loop)
		k++;
	return k;
}

int *bw_code_rows(const struct bw_code_kernel *kernel, bool statement, int func, struct bw_arena *arena,
		  int *n)
{
	int *rows = BW_ARENA_ARRAY(arena, int, n_lines(kernel, statement) + 1);
	bool *begun = BW_ARENA_ARRAY(arena, bool, kernel->n_loops + 1);
	*n = 0;
	for (int k = 0; k < n_lines(kernel, statement); k++) {
		if (!bw_code_is_shown(kernel, statement, k) || !is_of(kernel, statement, k, func))
			continue;
		int loop = bw_code_row_loop(kernel, statement, k, func);
		if (!begun[loop])
			rows[(*n)++] = k;
		begun[loop] = kernel->loops[loop].folded;
	}
	return rows;
}

void bw_code_sass_words(const struct bw_code_kernel *kernel, const struct bw_code_line *line,
			struct bw_text *out)
{
	const struct bw_code_sass *sass = &kernel->sass[line->first_sass];
	for (int k = 0, same; k < line->n_sass; k += same) {
		for (same = 1; k + same < line->n_sass && !strcmp(sass[k].text, sass[k + same].text); same++)
			;
		bw_text_printf(out, same > 1 ? "%s%s x%d" : "%s%s", k ? ", " : "", sass[k].text, same);
	}
}
