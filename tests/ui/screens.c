/* Screens of a search over harris, at the sizes people have, compared with tests/ui/drawn/NAME.txt; times are put aside first.
 * BW_UPDATE=1 in the environment writes those files anew, to be read before they are committed. Then every view at hundreds of sizes:
 * nothing crashes, and an ASCII screen has nothing but ASCII; from 40x12 to 250x80 the selection is seen, marked, with the cursor on it. */
#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/test.h"
#include "base/file.h"
#include "made.h"
#include "../session/answers.h"
#include "session/comparison.h"
#include "ui/glyph.h"

/* Has a tuning measure by a meter that answers at once; a noisy one, by which the first shot ties with the fastest. */
#define TUNED "tuned"
#define TIED "tied"
/* Applies the schedule of data/descriptions, and shows the code that Halide made of it and what the emulated device counted: tests/ui/code. */
#define CODED "coded"
/* Gives the state code in which some lines are otherwise. */
#define OTHERWISE "otherwise"

static const struct {
	const char *name;
	int columns, rows;
	const char *lines[9]; /* commands; those that begin with a blank are keys */
	const char *pipeline; /* NULL: harris */
	bool ascii;
} screens[] = {
	{.name = "start-80x24", .columns = 80, .rows = 24, .lines = {"run end", "view start"}},
	{.name = "end-100x30", .columns = 100, .rows = 30, .lines = {"run end", "view main"}},
	{.name = "middle-100x30", .columns = 100, .rows = 30, .lines = {"run end", "run Ix.where", "select state 3", " \t"}},
	{.name = "stepped-80x24", .columns = 80, .rows = 24, .lines = {"run end", "run Iy.where", "back"}},
	{.name = "middle-40x12", .columns = 40, .rows = 12, .lines = {"run end", "run Ix.where", "select state 2"}},
	{.name = "middle-200x60", .columns = 200, .rows = 60, .lines = {"run end", "run Ix.where"}},
	{.name = "decision-100x30", .columns = 100, .rows = 30, .lines = {"run end", "run Ix.where", "select state 17", "view decision", "select option B8"}},
	{.name = "decision-80x24", .columns = 80, .rows = 24, .lines = {"run end", "run Ix.where", "select state 17", "view decision", "select option B8"}},
	{.name = "legal-100x30", .columns = 100, .rows = 30, .lines = {"run end", "run Ix.where", "select state 17", "view decision", "select option B8", "replay legal"}},
	{.name = "costed-132x45", .columns = 132, .rows = 45, .lines = {"set passes=2", "set freezing=off", "run end", "run Ixy.where@2", "view decision", "unfold all", "select option #18", "cost", "fold A"}},
	{.name = "pass-100x30", .columns = 100, .rows = 30, .lines = {"set passes=2", "set freezing=off", "run end", "run Ixy.where@2"}},
	{.name = "why-100x30", .columns = 100, .rows = 30, .lines = {"run end", "run Ix.where", "select state 17", "select option B8", "why"}},
	{.name = "frozen-100x30", .columns = 100, .rows = 30, .lines = {"run end", "freeze Y", "run Y.tile"}},
	{.name = "sweep-80x24", .columns = 80, .rows = 24, .lines = {"sweep gpus=A100,V100,H100 beams=1,4", "view sweep"}},
	{.name = "sweep-120x40", .columns = 120, .rows = 40, .lines = {"sweep gpus=A100,V100 bandwidths=0.25,1 beams=1,4", "view sweep"}},
	{.name = "sweep-ascii-80x24", .columns = 80, .rows = 24, .ascii = true, .pipeline = "hist_equalize", .lines = {"sweep gpus=A100,V100 beams=2", "view sweep"}},
	{.name = "tune-none-80x24", .columns = 80, .rows = 24, .lines = {"view tune"}},
	{.name = "tune-80x24", .columns = 80, .rows = 24, .lines = {TUNED, "view tune", "select sample 2"}},
	{.name = "tune-40x24", .columns = 40, .rows = 24, .lines = {TUNED, "view tune"}},
	{.name = "tune-tie-80x24", .columns = 80, .rows = 24, .lines = {TIED, "view tune", "select sample 30"}},
	{.name = "tune-tie-40x24", .columns = 40, .rows = 24, .lines = {TIED, "view tune"}},
	{.name = "tune-120x40", .columns = 120, .rows = 40, .lines = {TUNED, "view tune"}},
	{.name = "tune-ascii-80x24", .columns = 80, .rows = 24, .ascii = true, .lines = {TUNED, "view tune"}},
	{.name = "tune-took-80x24", .columns = 80, .rows = 24, .lines = {"run end", TUNED, "tune take 3", "view stages"}},
	{.name = "timings-80x24", .columns = 80, .rows = 24, .lines = {"run end", "view timings"}},
	{.name = "code-80x24", .columns = 80, .rows = 24, .lines = {"run end", "view code"}},
	{.name = "code-harris-80x24", .columns = 80, .rows = 24, .lines = {CODED, "view code"}},
	{.name = "code-harris-160x50", .columns = 160, .rows = 50, .lines = {CODED, "view code", "select line 170"}},
	{.name = "code-folded-80x24", .columns = 80, .rows = 24, .lines = {CODED, "view code", "select line 170", "fold loops", "select func Iy"}},
	{.name = "code-folded-160x50", .columns = 160, .rows = 50, .lines = {CODED, "view code", "select line 170", " Z", " z"}},
	{.name = "code-func-80x24", .columns = 80, .rows = 24, .lines = {CODED, "view code", "code func Iy"}},
	{.name = "code-func-160x50", .columns = 160, .rows = 50, .lines = {CODED, "view code", "select line 170", " o", "select next", "code func Ix", "select column statement"}},
	{.name = "code-func-none-80x24", .columns = 80, .rows = 24, .lines = {CODED, "view code", "code func trace"}},
	{.name = "code-statement-80x24", .columns = 80, .rows = 24, .lines = {CODED, "view code", "select column statement"}},
	{.name = "code-statement-160x50", .columns = 160, .rows = 50, .lines = {CODED, "view code", "select line 170", "select column next"}},
	{.name = "counters-80x24", .columns = 80, .rows = 24, .lines = {"run end", "view counters"}},
	{.name = "options-132x24", .columns = 132, .rows = 24, .lines = {"set sampling=0", "set search_space=1100", "set beam=8", "run 3"}},
	{.name = "prepass-100x30", .columns = 100, .rows = 30, .lines = {"set freezing=probed", "run end", "run 26"}},
	{.name = "freezes-100x30", .columns = 100, .rows = 30, .lines = {"set passes=2", "run end", "run 26"}},
	{.name = "held-80x24", .columns = 80, .rows = 24, .lines = {"set freezing=probed", "run end", "run Ix.where@1", "view decision"}},
	{.name = "override-100x30", .columns = 100, .rows = 30, .lines = {"run end", "select func Ixx", "select alternative 3", "view override"}},
	{.name = "access-80x24", .columns = 80, .rows = 24, .lines = {CODED, "select func Ix", "view access"}},
	{.name = "access-160x50", .columns = 160, .rows = 50, .lines = {"run end", "select func output", "view access"}},
	{.name = "compare-code-80x24", .columns = 80, .rows = 24, .lines = {CODED, "override output thread 16x8", "run end", OTHERWISE, "compare code before 1"}},
	{.name = "compare-code-160x50", .columns = 160, .rows = 50, .lines = {CODED, "override output thread 16x8", "run end", OTHERWISE, "compare code before 1"}},
	{.name = "compare-100x30", .columns = 100, .rows = 30, .lines = {"run end", "select func Sxx", "compare 3"}},
	{.name = "compare-80x24", .columns = 80, .rows = 24, .lines = {"run end", "run Ix.where", "compare A1 B1"}},
	{.name = "features-100x30", .columns = 100, .rows = 30, .lines = {"run end", "select func Ix", "view features"}},
	{.name = "features-40x12", .columns = 40, .rows = 12, .lines = {"run end", "select func Ix", "view features"}},
	{.name = "override-80x24", .columns = 80, .rows = 24, .lines = {"run end", "select func output", "select alternative 0", "view override"}},
	{.name = "history-100x30", .columns = 100, .rows = 30, .lines = {"run end", "freeze Ix root", "freeze Iy at output.block", "undo", "set beam=8", "freeze Sxx inline", "undo", "view history"}},
	{.name = "walk-80x24", .columns = 80, .rows = 24, .lines = {"scheduler greedy", "walk take 2 inline det", "walk hold 3 Ix", "view walk"}},
	{.name = "walk-dp-80x24", .columns = 80, .rows = 24, .lines = {"scheduler dp", "walk 1", "view walk"}},
	{.name = "walk-cs6120-80x24", .columns = 80, .rows = 24, .lines = {"scheduler cs6120", "walk 6", "view walk"}},
	{.name = "walk-120x40", .columns = 120, .rows = 40, .lines = {"scheduler greedy", "walk 8", "select candidate 2", "view walk"}},
	{.name = "walk-40x12", .columns = 40, .rows = 12, .lines = {"scheduler greedy", "walk start", "view walk"}},
	{.name = "walk-sioutas-80x24", .columns = 80, .rows = 24, .lines = {"scheduler sioutas", "walk 14", "view walk"}},
	{.name = "walk-sioutas-120x40", .columns = 120, .rows = 40, .lines = {"scheduler sioutas", "walk 14", "select candidate 2", "view walk"}},
	{.name = "opinions-80x24", .columns = 80, .rows = 24, .lines = {"compare --all", "unfold sioutas", "select scheduler exact"}, .pipeline = "cs6120_blur"},
	{.name = "opinions-120x40", .columns = 120, .rows = 40, .lines = {"compare --all", "select scheduler hand", "unfold hand"}, .pipeline = "blur"},
	{.name = "opinions-none-80x24", .columns = 80, .rows = 24, .lines = {"view opinions"}},
	{.name = "walk-none-80x24", .columns = 80, .rows = 24, .lines = {"view walk"}},
	{.name = "history-40x12", .columns = 40, .rows = 12, .lines = {"run 8", "freeze Ix root", "freeze Iy at output.block 1x4", "undo", "view history"}},
	{.name = "nothing-80x24", .columns = 80, .rows = 24, .lines = {"run 0"}},
	{.name = "graph-80x24", .columns = 80, .rows = 24, .lines = {HARRIS_TILED, "run end", "select func Ix", "view graph"}},
	{.name = "graph-120x40", .columns = 120, .rows = 40, .lines = {"run end", "select func Sxx", "view graph"}},
	{.name = "graph-ascii-80x24", .columns = 80, .rows = 24, .lines = {HARRIS_TILED, "run end", "select func Ix", "view graph"}, .ascii = true},
	{.name = "graph-middle-100x30", .columns = 100, .rows = 30, .lines = {"run end", "run Ixy.where", "view graph"}},
	{.name = "graph-local_laplacian-100x40", .columns = 100, .rows = 40, .lines = {"set beam=2", "run end", "select func collapsed1", "view graph"}, .pipeline = "local_laplacian"},
	{.name = "graph-start-local_laplacian-80x24", .columns = 80, .rows = 24, .lines = {"set beam=2", "run end", "run 60", "view graph"}, .pipeline = "local_laplacian"},
	{.name = "main-local_laplacian-80x24", .columns = 80, .rows = 24, .lines = {"set beam=2", "run end", "select remapped_rows1", "view stages"}, .pipeline = "local_laplacian"},
	{.name = "graph-hist_equalize-80x24", .columns = 80, .rows = 24, .lines = {"set beam=2", "run end", "select func rows", "view graph"}, .pipeline = "hist_equalize"},
	{.name = "roofline-80x24", .columns = 80, .rows = 24, .lines = {HARRIS_TILED, "run end", "select func Ix", "view roofline"}},
	{.name = "roofline-60x20", .columns = 60, .rows = 20, .lines = {HARRIS_TILED, "run end", "select func Ix", "view roofline"}},
	{.name = "roofline-120x40", .columns = 120, .rows = 40, .lines = {HARRIS_TILED, "run end", "select func Y", "view roofline"}},
	{.name = "roofline-ascii-80x24", .columns = 80, .rows = 24, .lines = {HARRIS_TILED, "run end", "select func Ix", "view roofline"}, .ascii = true},
	{.name = "roofline-local_laplacian-100x30", .columns = 100, .rows = 30, .lines = {"set beam=2", "run end", "select func collapsed1", "view roofline"}, .pipeline = "local_laplacian"},
	{.name = "roofline-hist_equalize-80x24", .columns = 80, .rows = 24, .lines = {"set beam=2", "run end", "select func rows", "view roofline"}, .pipeline = "hist_equalize"},
	{.name = "search-80x24", .columns = 80, .rows = 24, .lines = {"run end", "view search"}},
	{.name = "search-120x40", .columns = 120, .rows = 40, .lines = {"run end", "run Sxx.where", "why search", "view search"}},
	{.name = "search-ascii-80x24", .columns = 80, .rows = 24, .lines = {"run end", "why search", "view search"}, .ascii = true},
	{.name = "search-local_laplacian-100x30", .columns = 100, .rows = 30, .lines = {"set beam=4", "run end", "run collapsed1.where", "view search"}, .pipeline = "local_laplacian"},
	{.name = "search-hist_equalize-80x24", .columns = 80, .rows = 24, .lines = {"set beam=8", "run end", "view search"}, .pipeline = "hist_equalize"},
	{.name = "film-80x24", .columns = 80, .rows = 24, .lines = {"run end", "play", "play pause", "play step", "play step", "play step", "play step", "play step"}},
	{.name = "film-160x50", .columns = 160, .rows = 50, .lines = {"set beam=4", "run end", "play", "play step", "play step", "play step"}, .pipeline = "local_laplacian"},
	{.name = "tile-80x24", .columns = 80, .rows = 24, .lines = {HARRIS_TILED, "run end", "select func Ix", "view tile"}},
	{.name = "search-60x20", .columns = 60, .rows = 20, .lines = {HARRIS_TILED, "run end", "view search"}},
	{.name = "search-local_laplacian-60x20", .columns = 60, .rows = 20, .lines = {"set beam=2", "run end", "why search", "view search"}, .pipeline = "local_laplacian"},
	{.name = "tile-60x20", .columns = 60, .rows = 20, .lines = {HARRIS_TILED, "run end", "select func Ix", "view tile"}},
	{.name = "tile-other-100x30", .columns = 100, .rows = 30, .lines = {HARRIS_TILED, "run end", "select func output", "view tile", "select alternative 10"}},
	{.name = "tile-wider-80x24", .columns = 80, .rows = 24, .lines = {HARRIS_TILED, "run end", "select func Ix", "view tile", "lens wider", "lens taller"}},
	{.name = "tile-impossible-100x30", .columns = 100, .rows = 30, .lines = {HARRIS_TILED, "run end", "select func Ix", "view tile", "lens 256x128"}},
	{.name = "tile-120x40", .columns = 120, .rows = 40, .lines = {HARRIS_TILED, "run end", "select func Y", "view tile"}},
	{.name = "tile-ascii-80x24", .columns = 80, .rows = 24, .lines = {HARRIS_TILED, "run end", "select func Ix", "view tile"}, .ascii = true},
	{.name = "tile-local_laplacian-100x30", .columns = 100, .rows = 30, .lines = {"set beam=2", "run end", "select func collapsed1", "view tile"}, .pipeline = "local_laplacian"},
	{.name = "tile-hist_equalize-80x24", .columns = 80, .rows = 24, .lines = {"set beam=2", "run end", "select func rows", "view tile"}, .pipeline = "hist_equalize"},
};

static void tune(struct made *made, bool noisy)
{
	static struct answers answers;
	static struct bw_meter meter;
	answers = (struct answers){.noisy = noisy};
	meter = answers_meter(&answers);
	struct bw_tuning_request request = {.strategy = BW_TUNE_TOP, .budget.samples = 100, .meter = &meter};
	struct bw_error error;
	assert_true(bw_session_tune(made->session, &request, &error));
	while (bw_session_tunes(made->session))
		bw_session_work(made->session, 1);
}

static char *drawn(struct made *made, int i)
{
	for (int line = 0; line < 9 && screens[i].lines[line]; line++) {
		const char *text = screens[i].lines[line];
		if (!strcmp(text, TUNED) || !strcmp(text, TIED))
			tune(made, !strcmp(text, TIED));
		else if (!strcmp(text, CODED))
			made_show_code(made);
		else if (!strcmp(text, OTHERWISE))
			made_add_code(made, true);
		else if (text[0] == ' ')
			made_press(made, text[1] == '\t' ? BW_KEY_TAB : (uint32_t)text[1]);
		else
			made_run(made, text);
	}
	char *text = made_draw(made, screens[i].columns, screens[i].rows);
	made_without_times(text);
	if (!strcmp(made->session->view, "opinions"))
		made_mask(text, "  +[0-9.]+ m?s");
	return text;
}

/* Fails with the first line that differs. */
static void assert_same_lines(const char *name, const char *drawn_text, const char *expected)
{
	for (int line = 1; *drawn_text || *expected; line++) {
		int a = (int)strcspn(drawn_text, "\n"), b = (int)strcspn(expected, "\n");
		if (a != b || strncmp(drawn_text, expected, (size_t)a) != 0)
			fail_msg("%s, line %d: drawn\n%.*s\nexpected\n%.*s", name, line, a, drawn_text, b, expected);
		drawn_text += a + (drawn_text[a] == '\n');
		expected += b + (expected[b] == '\n');
	}
}

/* Returns true if one of the terms in a list `A, B` begins a heading and ends at its end or at a blank; sets length to that of the longest. */
static bool term_begins(const char *terms, const char *heading, size_t *length)
{
	*length = 0;
	for (const char *at = terms; *at; at += strcspn(at, ","), at += strspn(at, ", ")) {
		size_t n = strcspn(at, ",");
		if (n > *length && !strncmp(at, heading, n) && (!heading[n] || strchr(" ,", heading[n])))
			*length = n;
	}
	return *length > 0;
}

/* Returns how much of a heading of columns the terms at the beginnings of lines of a help text explain, at least one word of it; 0: none. */
static size_t explained(const char *help, const char *heading)
{
	size_t longest = 0;
	for (const char *line = help; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *end = strncmp(line, "  ", 2) || line[2] == ' ' ? line : strstr(line + 2, "  ");
		struct bw_text terms = {0};
		size_t length = 0;
		if (end > line + 2 && end < line + strcspn(line, "\n"))
			bw_text_printf(&terms, "%.*s", (int)(end - line - 2), line + 2);
		if (term_begins(bw_text_get(&terms), heading, &length) && length > longest)
			longest = length;
		bw_text_free(&terms);
	}
	return longest;
}

/* Fails unless `?` in a view, or the glossary, explains all headings of its columns: a dim row of at least three words, two blanks or more apart,
 * without digits. Left out: the axis of a picture, the title of a list and the question of a walk, which stand first. */
static void expect_headings_explained(struct made *made)
{
	char view[32], rows[100][300];
	int n = made->grid.rows < 100 ? made->grid.rows : 100;
	snprintf(view, sizeof view, "%s", made->session->view);
	for (int y = 0; y < n; y++) {
		int groups = 0;
		bool heading = true;
		memset(rows[y], 0, sizeof rows[y]);
		for (int x = 0; x < made->grid.columns && x < 299; x++) {
			const struct bw_cell *cell = bw_grid_at(&made->grid, x, y);
			bool blank = cell->glyph == ' ';
			rows[y][x] = cell->glyph < 127 ? (char)cell->glyph : '~';
			heading &= blank || (cell->style == BW_STYLE_DIM && cell->glyph < 127 && !isdigit((int)cell->glyph));
			groups += !blank && (x < 2 || (rows[y][x - 1] == ' ' && rows[y][x - 2] == ' '));
		}
		if (!heading || groups < 3 || y >= n - 2 || strstr(rows[y], " decision") || rows[y][1] == ':')
			rows[y][0] = 0;
	}
	made_run(made, "view help");
	char *help = made_draw(made, 160, 300), *glossary;
	made_run(made, "view glossary");
	glossary = made_draw(made, 160, 300);
	for (int y = 0; y < n; y++) {
		const char *at = rows[y] + strspn(rows[y], " #");
		bool walks = !strcmp(view, "walk");
		if (*at && (walks || isupper((unsigned char)at[1])))
			at = strstr(at, "  ");
		while (at && *(at += strspn(at, " ")) && *at != '~') {
			size_t here = explained(help, at), there = explained(glossary, at), length = here > there ? here : there;
			if (!length)
				fail_msg("`?` in %s does not explain the column \"%.30s\"", view, at);
			at += length;
			at += strncmp(at, ", ", 2) ? 0 : strcspn(at + 2, " ") + 2; /* its unit */
		}
	}
	free(help);
	free(glossary);
}

/* Fails unless a term that the help of a view explains is on one of its screens; some name a part of the picture. texts: by view. */
static void expect_terms_drawn(const struct bw_text *texts)
{
	static const char parts[] =
	    ",picture,plot,rows,columns,keys,names,histogram,left,right,below,boxes,figures,line 1,line 2,line 3," /* a place */
	    "< > |,~,refused,memory,SPILLS,!,"; /* what no pipeline of these screens has */
	int n, n_views;
	const struct bw_legend *legends = bw_legends(&n);
	const struct bw_view_info *views = bw_view_infos(&n_views);
	for (int i = 0; i < n; i++) {
		int v = 0;
		assert_true(!*legends[i].view || bw_glyph_columns(legends[i].term) <= 16);
		while (v < n_views && strcmp(views[v].name, legends[i].view))
			v++;
		for (const char *at = v < n_views && texts[v].length ? legends[i].term : ""; *at; at += strcspn(at, ","), at += strspn(at, ", ")) {
			struct bw_text term = {0}, part = {0};
			bw_text_printf(&term, "%.*s", (int)strcspn(at, ","), at);
			bw_text_printf(&part, ",%s,", bw_text_get(&term));
			if (!strstr(parts, bw_text_get(&part)) && !strstr(bw_text_get(&texts[v]), bw_text_get(&term)))
				fail_msg("the help of %s explains \"%s\", which none of its screens has", legends[i].view, bw_text_get(&term));
			bw_text_free(&term);
			bw_text_free(&part);
		}
	}
}

static void screens_are_as_committed(void **state)
{
	struct bw_text texts[BW_N_SHEETS] = {0};
	const char *sources = getenv("BW_SRC");
	for (size_t i = 0; i < sizeof screens / sizeof *screens; i++) {
		struct made *made = made_new(screens[i].pipeline ? screens[i].pipeline : "harris", "A100", screens[i].ascii);
		char *text = drawn(made, (int)i);
		struct bw_text path = {0}, expected = {0};
		struct bw_error error = {0};
		bw_text_printf(&path, "%s/tests/ui/drawn/%s.txt", sources ? sources : ".", screens[i].name);
		if (getenv("BW_UPDATE"))
			assert_true(bw_file_write(bw_text_get(&path), text, strlen(text), &error));
		if (!bw_file_read(bw_text_get(&path), 1 << 20, &expected, &error))
			fail_msg("%s", error.text);
		assert_same_lines(screens[i].name, text, bw_text_get(&expected));
		int n;
		const struct bw_view_info *views = bw_view_infos(&n);
		for (int v = 0; v < n; v++)
			if (!strcmp(views[v].name, made->session->view)) {
				bw_text_puts(&texts[v], text);
				if (views[v].kind == BW_VIEW_WHOLE)
					expect_headings_explained(made);
			}
		bw_text_free(&expected);
		bw_text_free(&path);
		free(text);
		made_free(made);
	}
	expect_terms_drawn(texts);
	for (int v = 0; v < BW_N_SHEETS; v++)
		bw_text_free(&texts[v]);
}

/* Nothing of the help is cut, however narrow it is. */
static void the_help_is_whole(void **state)
{
	static const int widths[] = {40, 60, 80, 89, 90, 100, 132, 200};
	struct made *made = made_new("harris", "A100", false);
	made_run(made, "view help");
	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
		char *text = made_draw(made, widths[i], 700);
		char *cut = strstr(strstr(text, "KEYS, "), "…");
		if (cut)
			fail_msg("%d columns: %.80s", widths[i], cut - 40);
		assert_non_null(strstr(text, "so far"));
		free(text);
	}
	made_free(made);
}

static void expect_in(const char *text, const char *what)
{
	if (!strstr(text, what))
		fail_msg("no \"%s\" in %.2000s", what, text);
}

static void set_weights(struct made *made, const char *path)
{
	struct bw_text line = {0};
	bw_text_printf(&line, "set weights=%s", path);
	made_run(made, bw_text_get(&line));
	bw_text_free(&line);
}

/* Every feature under its name with its value, of all stages; with weights which they are, each coefficient, and terms that make the cost of the model. */
static void features_are_all_there(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	struct bw_models models = {0};
	struct bw_weights *weights = BW_NEW(struct bw_weights);
	char path[] = "/tmp/beamwalk-weights-XXXXXX", figure[64];
	bw_weights_draw(weights, 5);
	weights->origin = (struct bw_weights_origin){.known = true, .device = "V100", .pipelines = 3, .samples = 1200, .steps = 10};
	int file = mkstemp(path);
	assert_true(file >= 0 && bw_weights_write(path, weights, NULL));
	made->session->options.models = &models;
	made_run(made, "set beam=4");
	made_run(made, "run end");
	made_run(made, "select func Ix");
	made_run(made, "view features");
	int ix = made->session->pipeline->funcs[made->session->selection.func].first_stage;
	for (int round = 0; round < 2; round++) {
		static const int widths[] = {40, 100, 132, 200};
		const struct bw_details *details = bw_session_details(made->session);
		assert_ptr_equal(bw_session_details(made->session), details);
		for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
			char *text = made_draw(made, widths[w], 900);
			for (int i = 0; i < BW_SCHEDULE_FEATURES; i++) {
				snprintf(figure, sizeof figure, "%.*s", widths[w] < 60 ? 30 : 63, bw_schedule_feature_text((enum bw_schedule_feature)i)->name);
				expect_in(text, figure);
				snprintf(figure, sizeof figure, " %.8g ", (double)details->features[ix].schedule[i]);
				expect_in(text, figure);
			}
			for (int row = 0; row < BW_PIPELINE_FEATURE_ROWS; row++)
				expect_in(text, bw_pipeline_feature_row(row));
			for (int c = 0; round && c < BW_N_COMPONENTS; c++) {
				const struct bw_component_info *info = bw_component_info((enum bw_component)c);
				snprintf(figure, sizeof figure, "c%d %.5g x %.6g", info->coefficient, details->learned[ix].coefficients[info->coefficient], details->learned[ix].factors[c]);
				expect_in(text, widths[w] < 60 ? info->name : figure);
			}
			expect_in(text, round ? "1200 schedules" : "none were read");
			free(text);
		}
		if (!round)
			set_weights(made, path);
		else
			assert_true(details->learned[ix].cost == bw_session_cost(made->session)->stages[ix].ms && details->learned[ix].cost > 0);
		made_run(made, "run end");
		made_run(made, "view features");
	}
	/* In the middle, what is placed so far. */
	made_run(made, "run Iy.where");
	char *middle = made_draw(made, 100, 30);
	expect_in(middle, "the state, so far: roofline ");
	free(middle);
	/* Under the roofline coefficients are still those of the weights. */
	made_run(made, "set cost_model=roofline");
	made_run(made, "run end");
	char *text = made_draw(made, 100, 30);
	expect_in(text, "the search goes by roofline");
	expect_in(text, "trained on 1200 schedules");
	free(text);
	made_free(made);
	bw_models_free(&models);
	free(weights);
	close(file);
	unlink(path);
}

static void every_size_is_drawn(void **state)
{
	static const char *const views[] = {"main", "decision", "help", "statistics", "timings", "counters", "code", "history", "override", "walk", "compare", "access", "features", "views", "tile", "graph", "roofline", "search", "sweep", "opinions", "tune"};
	static const char *const places[] = {"run 0", "run Ixx.tile", "run end"};
	struct made *made = made_new("harris", "A100", true);
	tune(made, false);
	for (size_t place = 0; place < sizeof places / sizeof *places; place++)
		for (size_t view = 0; view < sizeof views / sizeof *views; view++) {
			made_run(made, places[place]);
			strcpy(made->session->view, views[view]);
			for (int rows = 1; rows < 70; rows += rows < 30 ? 3 : 13)
				for (int columns = 1; columns < 230; columns += columns < 100 ? 7 : 41) {
					made->screen->focus = (enum bw_sheet_id)((columns + rows) % BW_N_PANES);
					char *text = made_draw(made, columns, rows);
					for (const char *at = text; *at; at++)
						assert_true((*at >= ' ' && *at < 127) || *at == '\n');
					free(text);
				}
		}
	made_free(made);
}

/* How many rows of a grid are flagged as selected, and how many of these have the mark that says so without a colour. */
static void count_selected(const struct bw_grid *grid, bool ascii, int *flagged, int *marked)
{
	*flagged = *marked = 0;
	for (int y = 0; y < grid->rows; y++) {
		bool is_flagged = false, is_marked = false;
		for (int x = 0; x < grid->columns; x++) {
			const struct bw_cell *cell = bw_grid_at(grid, x, y);
			is_flagged |= (cell->flags & BW_CELL_SELECTED) != 0;
			is_marked |= (cell->flags & BW_CELL_SELECTED) && cell->glyph == (ascii ? '>' : 0x25b8);
		}
		*flagged += is_flagged;
		*marked += is_marked;
	}
}

/* What is told by the colour of what became of an option, or of an error, is told by letters, figures, marks or bars: no run of
 * cells has such a colour alone. */
static void expect_words_in_colours(const struct bw_grid *grid)
{
	for (int y = 0; y < grid->rows; y++)
		for (int x = 0, end; x < grid->columns; x = end) {
			enum bw_style style = bw_grid_at(grid, x, y)->style;
			bool says = false, blank = true;
			for (end = x; end < grid->columns && (enum bw_style)bw_grid_at(grid, end, y)->style == style; end++) {
				uint32_t glyph = bw_grid_at(grid, end, y)->glyph;
				blank &= glyph == ' ';
				says |= (glyph < 128 && isalnum((int)glyph)) || glyph == 0xd7 || glyph == 0x2713 || (glyph < 128 && strchr("+?.~#-", (int)glyph)) || glyph == 0x2026 || (glyph >= 0x2588 && glyph <= 0x258f);
			}
			bool meant = style == BW_STYLE_KEPT || style == BW_STYLE_DROPPED || style == BW_STYLE_PRUNED || style == BW_STYLE_ERROR;
			if (meant && !blank && !says)
				fail_msg("%dx%d, at %d,%d: style %s and no letter", grid->columns, grid->rows, x, y, bw_style_look(style)->name);
		}
}

/* One screen: the cursor is on the selected row, which is seen and has a mark, and what is drawn with letters has them in any colour. */
static void expect_properties(struct made *made, int columns, int rows, bool selects)
{
	int x, y, flagged, marked;
	made->screen->columns = columns;
	made->screen->rows = rows;
	bw_screen_draw(made->screen, &made->grid, &x, &y);
	assert_int_equal(made->grid.columns, columns);
	assert_int_equal(made->grid.rows, rows);
	assert_true(x >= 0 && x < columns && y >= 0 && y < rows);
	count_selected(&made->grid, made->screen->ascii, &flagged, &marked);
	if (flagged != (marked ? flagged : 0) || (selects && !marked) || marked > 1)
		fail_msg("%s at %dx%d: %d rows selected, %d marked", made->session->view, columns, rows, flagged, marked);
	expect_words_in_colours(&made->grid);
	if (marked)
		assert_true(bw_grid_at(&made->grid, x, y)->flags & BW_CELL_SELECTED);
}

/* From 40x12 to 250x80, each width and each height: whatever has a selection shows it, marked and with the cursor on it. */
static void the_selection_is_seen_at_every_size(void **state)
{
	static const struct {
		const char *line, *view;
		enum bw_sheet_id focus;
	} views[] = {
		{"run end", "main", BW_SHEET_BEAM}, {"run end", "main", BW_SHEET_NEST}, {"run end", "main", BW_SHEET_STAGES}, {"run Ix.where", "main", BW_SHEET_OPTIONS},
		{"run Ix.where", "decision", BW_SHEET_BEAM}, {"run Iy.where", "statistics", BW_SHEET_BEAM}, {"jump 4", "history", BW_SHEET_BEAM},
	};
	struct made *made = made_new("harris", "A100", false);
	made_run(made, "run end");
	for (int i = 0; i < 9; i++)
		made_run(made, i % 2 ? "set beam=32" : "set beam=31");
	made_run(made, "run end");
	for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
		made_run(made, views[i].line);
		strcpy(made->session->view, views[i].view);
		made->screen->focus = views[i].focus;
		made_run(made, i % 2 ? "select state 29" : "select state 9");
		made_run(made, i < 3 ? "select func Y" : "select func Ix");
		if (i == 3 || i == 4)
			made_run(made, "select option #1");
		bw_session_expansion(made->session);
		for (int columns = 40, rows = 12; columns <= 250; columns += 3, rows = 12 + (rows * 7 + columns) % 69) {
			made->screen->ascii = columns % 2;
			expect_properties(made, columns, rows, true);
		}
		for (int rows = 12; rows <= 80; rows++) {
			made->screen->ascii = rows % 2;
			expect_properties(made, 40 + rows * 37 % 211, rows, true);
		}
	}
	made_free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(screens_are_as_committed),
		cmocka_unit_test(the_help_is_whole),
		cmocka_unit_test(features_are_all_there),
		cmocka_unit_test(every_size_is_drawn),
		cmocka_unit_test(the_selection_is_seen_at_every_size),
	};
	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("screens", tests, NULL, NULL);
}
