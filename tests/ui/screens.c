/* Screens of a search over harris, at the sizes people have, compared with tests/ui/drawn/NAME.txt; times are put aside first.
 * BW_UPDATE=1 in the environment writes those files anew, to be read before they are committed. Then every view at hundreds of sizes:
 * nothing crashes, and an ASCII screen has nothing but ASCII; from 40x12 to 250x80 the selection is seen, marked, with the cursor on it. */
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/test.h"
#include "base/file.h"
#include "base/say.h"
#include "made.h"
#include "../session/answers.h"
#include "session/alternatives.h"
#include "session/comparison.h"
#include "session/counters.h"
#include "session/measure.h"
#include "session/tuning.h"

/* A schedule of harris by hand: 32x32 points a block, with the derivatives in shared memory. */
#define HARRIS_TILED \
	"apply {output root 1x4/32x8 | trace inline | det inline | Sxx inline | Syy inline | Sxy inline | Ixx inline | Iyy inline | Ixy inline | Ix at output.block 1x2 | Iy at output.block 1x2 | Y root 1x4/32x8 | input_im inline}"

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
	{.name = "opinions-80x24", .columns = 80, .rows = 24, .lines = {"compare --all", "unfold sioutas", "select scheduler exact"}, .pipeline = "blur"},
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
	{.name = "tile-80x24", .columns = 80, .rows = 24, .lines = {HARRIS_TILED, "run end", "select func Ix", "view tile"}},
	{.name = "search-60x20", .columns = 60, .rows = 20, .lines = {HARRIS_TILED, "run end", "view search"}},
	{.name = "tile-60x20", .columns = 60, .rows = 20, .lines = {HARRIS_TILED, "run end", "select func Ix", "view tile"}},
	{.name = "tile-other-100x30", .columns = 100, .rows = 30, .lines = {HARRIS_TILED, "run end", "select func output", "view tile", "select alternative 10"}},
	{.name = "tile-120x40", .columns = 120, .rows = 40, .lines = {HARRIS_TILED, "run end", "select func Y", "view tile"}},
	{.name = "tile-ascii-80x24", .columns = 80, .rows = 24, .lines = {HARRIS_TILED, "run end", "select func Ix", "view tile"}, .ascii = true},
	{.name = "tile-local_laplacian-100x30", .columns = 100, .rows = 30, .lines = {"set beam=2", "run end", "select func collapsed1", "view tile"}, .pipeline = "local_laplacian"},
	{.name = "tile-hist_equalize-80x24", .columns = 80, .rows = 24, .lines = {"set beam=2", "run end", "select func rows", "view tile"}, .pipeline = "hist_equalize"},
};

static void mask(char *text, const char *pattern)
{
	regex_t expression;
	regmatch_t match;
	assert_int_equal(regcomp(&expression, pattern, REG_EXTENDED), 0);
	while (regexec(&expression, text, 1, &match, 0) == 0) {
		size_t begin = (size_t)match.rm_so, end = (size_t)match.rm_eo;
		text[begin] = '#';
		memmove(text + begin + 1, text + end, strlen(text + end) + 1);
	}
	regfree(&expression);
}

/* Seconds that the search took are never the same twice. */
static void without_times(char *text)
{
	mask(text, ", in [0-9.]+ m?s");
	mask(text, "searched in [0-9.]+ m?s");
	mask(text, "schedules in [0-9.]+ m?s (─|-)+"); /* the longer the time, the shorter the line after it */
}

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

/* Gives the selected state of harris code and counts that were taken of the schedule by hand before. otherwise: with other instructions in the places of some, and two
 * that have changed places; else they fit each other, and all of it is told. */
static void add_code(struct made *made, bool otherwise)
{
	struct bw_text path = {0}, counts = {0}, ptx = {0}, list = {0};
	struct bw_error error;
	double runs = 0;
	static const char *const names[] = {"harris.counters", "harris.ptx"};
	for (int k = 0; k < 2; k++) {
		bw_text_free(&path);
		bw_text_printf(&path, "%s/tests/ui/code/%s", getenv("BW_SRC"), names[k]);
		assert_true(bw_file_read(bw_text_get(&path), 1 << 20, k ? &ptx : &counts, &error));
	}
	bw_text_printf(&list, "[%s]", bw_text_get(&counts));
	char *at = otherwise ? strstr(ptx.bytes, "fma.rn.f32") : NULL;
	for (int k = 0; at && k < 3; k++, at = strstr(at + 200, "fma.rn.f32"))
		memcpy(at, "fma.rz.f32", 10);
	char *store = otherwise ? strstr(ptx.bytes, "st.global.f32") : NULL;
	if (store)
		memcpy(store, "st.global.f16", 13);
	struct bw_json *json = bw_json_parse("counters", bw_text_get(&list), list.length, &error);
	struct bw_json_at root = bw_json_root(json);
	const struct bw_nest *nest = bw_session_state(made->session)->nest;
	struct bw_schedule *schedule = bw_nest_schedule(nest);
	struct bw_timing timing = bw_session_timing(made->session, nest, schedule, "state 1", BW_TO_COUNT);
	timing.phase = BW_JOB_DONE;
	timing.nest = bw_nest_keep((struct bw_nest *)nest);
	timing.counted = bw_counted_read(&root, &error);
	assert_non_null(timing.counted);
	timing.counted->ptx = bw_text_take(&ptx);
	timing.code = bw_code_make(made->session->pipeline, nest, made->session->options.device, timing.counted);
	const struct bw_code_kernel *kernel = &timing.code->kernels[0];
	for (int k = 0; k < kernel->n_lines; k++)
		runs += kernel->lines[k].runs;
	assert_true(otherwise || (kernel->runs > 1e7 && runs == kernel->runs && kernel->told == runs && kernel->loops[0].runs == runs));
	bw_jobs_append(made->session, &timing);
	bw_schedule_drop(schedule);
	bw_json_free(json);
	bw_text_free(&path);
	bw_text_free(&counts);
	bw_text_free(&list);
}

static void show_code(struct made *made)
{
	struct bw_text apply = {0};
	bw_text_printf(&apply, "apply %s/data/descriptions/harris.schedule", getenv("BW_SRC"));
	made_run(made, bw_text_get(&apply));
	made_run(made, "run end");
	add_code(made, false);
	bw_text_free(&apply);
}

static char *drawn(struct made *made, int i)
{
	for (int line = 0; line < 9 && screens[i].lines[line]; line++) {
		const char *text = screens[i].lines[line];
		if (!strcmp(text, TUNED) || !strcmp(text, TIED))
			tune(made, !strcmp(text, TIED));
		else if (!strcmp(text, CODED))
			show_code(made);
		else if (!strcmp(text, OTHERWISE))
			add_code(made, true);
		else if (text[0] == ' ')
			made_press(made, text[1] == '\t' ? BW_KEY_TAB : (uint32_t)text[1]);
		else
			made_run(made, text);
	}
	char *text = made_draw(made, screens[i].columns, screens[i].rows);
	without_times(text);
	if (!strcmp(made->session->view, "opinions"))
		mask(text, "  +[0-9.]+ m?s");
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

static void screens_are_as_committed(void **state)
{
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
		bw_text_free(&expected);
		bw_text_free(&path);
		free(text);
		made_free(made);
	}
}

/* Nothing of the help is cut, however narrow it is. */
static void the_help_is_whole(void **state)
{
	static const int widths[] = {40, 60, 80, 89, 90, 100, 132, 200};
	struct made *made = made_new("harris", "A100", false);
	made_run(made, "view help");
	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
		char *text = made_draw(made, widths[i], 600);
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

static void keys_are_commands(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	made_run(made, "run end");
	int end = made->session->cursor;
	/* At the end Enter opens the decision of the selected Func, of an output its tiling; a decision opens as it ended, the first one too. */
	made_run(made, "select func Ix");
	made_press(made, BW_KEY_ENTER);
	assert_int_equal(made->session->cursor, 18);
	assert_string_equal(made->session->view, "decision");
	made_run(made, "run end");
	char *text = made_draw(made, 100, 30);
	assert_non_null(strstr(text, " options enumerated, "));
	free(text);
	made_run(made, "run 0");
	text = made_draw(made, 100, 30);
	assert_non_null(strstr(text, "→[kept 1]"));
	free(text);
	made_run(made, "view main");
	made_run(made, "run end");
	made_run(made, "select func output");
	made_press(made, BW_KEY_ENTER);
	assert_int_equal(made->session->cursor, 1);
	made_run(made, "view main");
	made_run(made, "run end");
	made_press(made, BW_KEY_BACKSPACE);
	assert_true(made->session->cursor < end);
	made_press(made, 'j');
	assert_int_equal(made->session->selection.state, 1);
	made_press(made, 'G');
	assert_int_equal(made->session->selection.state, made->session->options.beam - 1);
	made_press(made, 'g');
	assert_int_equal(made->session->selection.state, 0);
	/* The options are there once they have been drawn. */
	free(made_draw(made, 100, 30));
	made_press(made, BW_KEY_BACKTAB);
	assert_int_equal(made->screen->focus, BW_SHEET_OPTIONS);
	assert_true(made->session->selection.option >= 0);
	made_press(made, '?');
	assert_string_equal(made->session->view, "help");
	made_press(made, 'q');
	assert_string_equal(made->session->view, "main");
	made_press(made, '{');
	assert_int_equal(made->session->cursor, 0);
	made_press(made, '}');
	assert_int_equal(made->session->cursor, end);
	assert_false(made->session->quit);
	made_press(made, 'q');
	assert_true(made->session->quit);
	made_free(made);
}

/* What waits for options comes to the same screen as what does not: answers are shown, the tour goes on. */
static void waiting_lines_are_answered(void **state)
{
	static const char keys[] = "waT{]wx";
	char *texts[2];
	for (int waits = 0; waits < 2; waits++) {
		struct made *made = made_new("harris", "A100", false);
		if (waits)
			bw_screen_never_waits(made->screen, 0);
		made_run(made, "set beam=4");
		made_run(made, "run Ix.where");
		struct bw_text all = {0};
		for (const char *key = keys; *key; key++) {
			made_press(made, (uint32_t)*key);
			bw_text_printf(&all, "%c at %d, tour %d: %s: %s\n", *key, made->session->cursor, made->screen->tour.step, made->screen->answer.title, bw_text_get(&made->screen->answer.text));
		}
		char *text = made_draw(made, 100, 40);
		without_times(text);
		bw_text_puts(&all, text);
		free(text);
		assert_int_equal(made->session->n_journal, 3);
		texts[waits] = bw_text_take(&all);
		made_free(made);
	}
	assert_string_equal(texts[1], texts[0]);
	free(texts[0]);
	free(texts[1]);
}

static void the_tour_waits_for_each_step(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	made_run(made, "run end");
	made_press(made, 'T');
	assert_int_equal(made->screen->tour.step, 1);
	made_press(made, 'w');
	assert_int_equal(made->screen->tour.step, 1);
	for (int i = 0; i < 26 && made->screen->tour.step == 1; i++)
		made_press(made, BW_KEY_BACKSPACE);
	assert_int_equal(made->screen->tour.step, 2);
	assert_true(made->session->cursor > 0);
	made_press(made, 'w');
	assert_int_equal(made->screen->tour.step, 3);
	made_press(made, BW_KEY_BACKTAB);
	made_press(made, 'a');
	assert_int_equal(made->screen->tour.step, 4);
	assert_int_equal(made->session->n_journal, 1);
	char *text = made_draw(made, 80, 24);
	assert_non_null(strstr(text, "TOUR: done"));
	free(text);
	made_press(made, BW_KEY_ESCAPE);
	assert_int_equal(made->screen->tour.step, 0);
	made_free(made);
}

/* The statistics: their figures are those of the search; a row is a decision, and selecting it goes there. */
static void statistics_are_those_of_the_search(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	char expected[64];
	made_run(made, "set cost_model=roofline");
	made_run(made, "set freezing=off");
	made_run(made, "set passes=2");
	made_run(made, "run end");
	made_run(made, "freeze Iyy inline");
	made_press(made, 'S');
	struct bw_search_totals totals = bw_search_totals(made->session->search);
	char *text = made_draw(made, 100, 120);
	snprintf(expected, sizeof expected, "%s states evaluated in ", bw_say_count((double)totals.evaluated).text);
	assert_non_null(strstr(text, expected));
	snprintf(expected, sizeof expected, "%s whole schedules costed", bw_say_count((double)totals.complete).text);
	assert_non_null(strstr(text, expected));
	snprintf(expected, sizeof expected, " unrolled extent %14s ", bw_say_count((double)totals.pruned[BW_RULE_UNROLLED]).text);
	assert_non_null(strstr(text, expected));
	snprintf(expected, sizeof expected, " all %24s", bw_say_count((double)totals.enumerated).text);
	assert_non_null(strstr(text, expected));
	assert_non_null(strstr(text, "  frozen by hand 1:\n   Iyy inline\n"));
	assert_null(strstr(text, "↑"));
	free(text);
	/* The first row is the decision that took the most time; the last the least. */
	double most = 0;
	for (int i = 0; i < bw_search_n_decisions(made->session->search); i++)
		most = bw_search_decision(made->session->search, i)->seconds > most ? bw_search_decision(made->session->search, i)->seconds : most;
	made_press(made, 'g');
	assert_true(bw_search_decision(made->session->search, made->session->cursor)->seconds == most);
	made_press(made, 'G');
	assert_true(bw_search_decision(made->session->search, made->session->cursor)->seconds < most);
	free(made_draw(made, 100, 30));
	assert_true(made->screen->first[BW_SHEET_STATISTICS] > 0);
	made_press(made, 'g');
	free(made_draw(made, 100, 30));
	assert_int_equal(made->screen->first[BW_SHEET_STATISTICS], 0);
	made_press(made, BW_KEY_ENTER);
	assert_string_equal(made->session->view, "decision");
	made_free(made);
}

/* Keys of the decision view are its commands. */
static void a_decision_is_replayed_by_keys(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	made_run(made, "run end");
	made_run(made, "run Ix.where");
	made_press(made, 'd');
	int cursor = made->session->cursor;
	for (int stage = BW_REPLAY_KEPT; stage > 0; stage--) {
		assert_int_equal(bw_session_replay(made->session), stage);
		made_press(made, BW_KEY_LEFT);
	}
	made_press(made, BW_KEY_RIGHT);
	assert_int_equal(bw_session_replay(made->session), BW_REPLAY_LEGAL);
	assert_int_equal(made->session->cursor, cursor);
	made_press(made, 'l');
	/* Up from the first option is the head of its bucket; Enter folds that, and its options are passed over. */
	made_press(made, 'g');
	assert_int_equal(made->session->selection.group, BW_GROUP_BUCKETS);
	made_press(made, BW_KEY_ENTER);
	assert_true(bw_session_folded(made->session, BW_GROUP_BUCKETS));
	made_press(made, 'j');
	assert_int_equal(made->session->selection.group, BW_GROUP_BUCKETS + 1);
	made_press(made, 'k');
	made_press(made, 'z');
	assert_false(bw_session_folded(made->session, BW_GROUP_BUCKETS));
	made_press(made, 'j');
	assert_true(made->session->selection.option >= 0);
	made_press(made, 'z');
	assert_int_equal(made->session->selection.group, BW_GROUP_BUCKETS);
	made_press(made, BW_KEY_SPACE);
	assert_true(made->session->cursor > cursor);
	made_free(made);
}

/* Lines that are refused, and all of what is said: at 40x12 too, where it takes several rows. */
static void what_is_refused_is_said_in_full(void **state)
{
	static const char *const cases[][2] = {
		{"step 1 2", "step takes decision, func, pass, option or a number of decisions from 1 on, not \"1 2\""},
		{"freeze Ix at output.blck 1x2", "column 7: expected a level, as NAME.block, NAME.thread, NAME.serial0 or NAME.update0.block, found \"output.blck\""},
		{"screenshot a.png", "screenshot takes FILE.txt or FILE.svg, not \"a.png\""},
	};
	struct made *made = made_new("harris", "A100", false);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_false(bw_session_run(made->session, cases[i][0], NULL, NULL));
		assert_string_equal(made->session->message, cases[i][1]);
		char *text = made_draw(made, 40, 12), word[64];
		for (const char *at = cases[i][1]; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
			snprintf(word, sizeof word, "%.*s", (int)strcspn(at, " "), at);
			assert_non_null(strstr(text, word));
		}
		free(text);
		for (int size = 1; size < 12; size++)
			free(made_draw(made, 2 * size - 1, size));
	}
	made_free(made);
}

static bool shows(struct made *made, const char *words)
{
	char *text = made_draw(made, 80, 24);
	bool found = strstr(text, words) != NULL;
	free(text);
	return found;
}

/* The most expensive stage stands first, and is the first row of a long list; other orders on demand. */
static void stages_are_sorted(void **state)
{
	struct made *made = made_new("local_laplacian", "A100", false);
	made_run(made, "set beam=4");
	made_run(made, "run end");
	const struct bw_cost *cost = bw_session_cost(made->session);
	const struct bw_pipeline *pipeline = made->session->pipeline;
	const char *costliest = NULL, *first = NULL;
	double most = 0;
	for (int f = 0; f < pipeline->n_funcs; f++) {
		double sum = 0;
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++)
			sum += cost->stages[pipeline->funcs[f].first_stage + s].ms;
		if (sum > most) {
			most = sum;
			costliest = pipeline->funcs[f].name;
		}
		if (!pipeline->funcs[f].input && (!first || strcmp(pipeline->funcs[f].name, first) < 0))
			first = pipeline->funcs[f].name;
	}
	made_run(made, "unfold stages");
	const char *const names[] = {costliest, first, "output"};
	for (int i = 0; i < 3; i++) {
		char *text = made_draw(made, 150, 40), *at = strstr(strstr(text, "Func "), "\n");
		at += strspn(at, "\n *");
		at += strncmp(at, "▸", 3) ? 0 : 4;
		if (strncmp(at, names[i], strlen(names[i])))
			fail_msg("%s is not first in %.200s", names[i], at);
		free(text);
		made_press(made, 'o');
	}
	made_run(made, "fold stages");
	made_run(made, "select gray3");
	made_run(made, "sort name");
	assert_true(shows(made, "+gray* 8"));
	assert_false(shows(made, "gray4"));
	made_press(made, 'z');
	assert_true(shows(made, "gray4"));
	made_press(made, 'z');
	assert_false(shows(made, "gray4"));
	made_run(made, "sort cost");
	assert_int_equal(made->session->sort, BW_SORT_COST);
	made_free(made);
}

/* Text is read page by page with the key that else steps; keys without a meaning say so; help and the list of views go back to where they were
 * opened, one in the other, too. */
static void the_help_is_read_in_pages(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	made_run(made, "run 4");
	made_press(made, 'd');
	made_press(made, '?');
	char *text = made_draw(made, 100, 30);
	assert_non_null(strstr(text, "WHAT THE VIEW decision SHOWS"));
	free(text);
	made_press(made, BW_KEY_SPACE);
	assert_int_equal(made->session->cursor, 4);
	assert_int_equal(made->screen->first[BW_SHEET_HELP], 23);
	made_press(made, BW_KEY_BACKSPACE);
	assert_int_equal(made->screen->first[BW_SHEET_HELP], 0);
	made_press(made, 'v');
	made_press(made, 'q');
	assert_string_equal(made->session->view, "help");
	made_press(made, 'q');
	assert_string_equal(made->session->view, "decision");
	static const char *const back[] = {"views", "decision", "main"};
	made_press(made, 'v');
	made_press(made, '?');
	text = made_draw(made, 100, 30);
	assert_non_null(strstr(text, "WHAT THE VIEW views SHOWS"));
	free(text);
	for (size_t i = 0; i < sizeof back / sizeof *back; i++) {
		made_press(made, 'q');
		assert_string_equal(made->session->view, back[i]);
	}
	assert_false(made->session->quit);
	bw_screen_unknown_key(made->screen, (struct bw_key){.code = 'Z'});
	text = made_draw(made, 100, 30);
	assert_non_null(strstr(text, " Z does nothing here; ? lists the keys"));
	free(text);
	made_free(made);
}

/* The list of views is a menu: it begins at the view that it was opened from, the keys that move go through it, and Enter shows the selected
 * view. Each view but a pane has a key. */
static void views_are_chosen_from_a_menu(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	int n;
	const struct bw_view_info *infos = bw_view_infos(&n);
	made_run(made, "view roofline");
	made_press(made, 'v');
	free(made_draw(made, 80, 24));
	made_press(made, BW_KEY_DOWN);
	made_press(made, BW_KEY_ENTER);
	assert_string_equal(made->session->view, "search");
	made_press(made, 'v');
	made_press(made, 'g');
	made_press(made, BW_KEY_ENTER);
	assert_string_equal(made->session->view, "main");
	made_run(made, "view views");
	char *text = made_draw(made, 160, 60);
	for (int i = 0; i < n; i++) {
		char row[64];
		snprintf(row, sizeof row, "  %-10s%-12s", "", infos[i].name);
		assert_non_null(strstr(text, infos[i].name));
		assert_null(strstr(text, row));
	}
	free(text);
	made_free(made);
}

/* `/` goes on from one pane into the next, and back around to the first; N goes the other way. */
static void the_search_goes_through_the_panes(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	struct bw_screen *screen = made->screen;
	made_run(made, "run end");
	made_run(made, "view main");
	free(made_draw(made, 160, 40));
	strcpy(screen->pattern, "input_im");
	bw_screen_search(screen, 1);
	assert_int_not_equal(screen->focus, BW_SHEET_BEAM);
	assert_string_equal(screen->notice, "");
	bw_screen_search(screen, -1);
	assert_int_equal(screen->focus, BW_SHEET_BEAM);
	strcpy(screen->pattern, "Ix");
	bw_screen_find(screen);
	assert_string_equal(made->session->pipeline->funcs[made->session->selection.func].name, "Ix");
	assert_int_equal(screen->focus, BW_SHEET_STAGES);
	screen->focus = BW_SHEET_BEAM;
	strcpy(screen->pattern, "no such text");
	bw_screen_find(screen);
	assert_string_equal(screen->notice, "nothing here has \"no such text\"");
	assert_int_equal(screen->focus, BW_SHEET_BEAM);
	made_free(made);
}

/* Enter on a Func goes to that of its decisions which mattered more, once that is known: the taller bar of its two. */
static void enter_goes_to_the_taller_bar(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	const struct bw_search *search = made->session->search;
	int y = bw_pipeline_find(made->session->pipeline, "Y");
	for (int known = 0; known < 2; known++) {
		made_run(made, "run end");
		made_run(made, known ? "view --json search" : "view main");
		made_run(made, "view main");
		made_run(made, "select func Y");
		made_press(made, BW_KEY_ENTER);
		assert_string_equal(made->session->view, "decision");
		assert_int_equal(made->session->cursor, bw_search_find(search, y, known ? BW_PHASE_TILE : BW_PHASE_WHERE, 1));
	}
	made_free(made);
}

/* Panes that there is no room for are counted, with the key that leads to them. */
static void hidden_panes_are_told_of(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	made_run(made, "run end");
	char *text = made_draw(made, 60, 20);
	assert_non_null(strstr(text, " Space  Bksp  r  v  w  a  f  Tab 2 more panes  :  ? help  q"));
	assert_null(strstr(text, "STAGES of"));
	free(text);
	made_free(made);
}

/* The figures of a measurement and the longest verdict stand whole on a narrow screen. */
static void timings_are_whole(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	struct bw_timing timing = {.label = bw_strdup("state 1 at 24"), .predicted = 0.0562, .phase = BW_JOB_DONE};
	timing.measurement = (struct bw_measurement){.verdict = BW_RIGHT_WITHIN_BOUND, .minimum = 60.59, .median = 68.71, .spread = 0.045,
								  .device = "a GPU", .method = "by hand"};
	struct bw_timing *before = made->session->timings;
	made_run(made, "view timings");
	made->session->timings = &timing;
	made->session->n_timings = 1;
	for (int columns = 60, x, y; columns <= 120; columns += 20) {
		BW_SCOPED_TEXT text = {0};
		made->screen->columns = columns;
		made->screen->rows = 20;
		bw_screen_draw(made->screen, &made->grid, &x, &y);
		bw_grid_text(&made->grid, &text);
		assert_non_null(strstr(bw_text_get(&text), "60.59     68.71    4.5%   right within bound"));
	}
	made->session->timings = before;
	made->session->n_timings = 0;
	free(timing.label);
	made_free(made);
}

/* In 80 columns the line of keys has every key of its view, if need be without its word. */
static void words_go_before_keys(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	int n, n_keys;
	const struct bw_view_info *infos = bw_view_infos(&n);
	made_run(made, "run end");
	for (int i = 0; i < n; i++) {
		snprintf(made->session->view, sizeof made->session->view, "%s", infos[i].kind == BW_VIEW_PANE ? "main" : infos[i].name);
		const struct bw_view_key *keys = bw_view_keys(made->session->view, &n_keys);
		char *text = made_draw(made, 80, 24), *line = strrchr(text, '\n');
		*line = 0;
		line = strrchr(text, '\n') + 1;
		for (int k = 0; k < n_keys; k++) {
			char key[BW_KEY_NAME_SIZE], shown[BW_KEY_NAME_SIZE + 1];
			bw_key_of(NULL, keys[k].command, key);
			snprintf(shown, sizeof shown, " %s", key);
			if (!strstr(line, shown))
				fail_msg("%s has no key %s: %s", made->session->view, key, line);
		}
		free(text);
	}
	made_free(made);
}

/* Rows below the last one that can be selected are scrolled to, and the next command shows the selection again. */
static void rows_below_the_selection_are_reached(void **state)
{
	struct made *made = made_new("harris", "A100", true);
	made_run(made, "run end");
	made_run(made, "view history");
	assert_true(shows(made, "the beginning"));
	assert_false(shows(made, "polished by "));
	for (int i = 0; i < 3; i++) {
		made_press(made, BW_KEY_DOWN);
		shows(made, "");
	}
	assert_true(shows(made, "polished by "));
	made_press(made, BW_KEY_UP);
	assert_false(shows(made, "polished by "));
	made_press(made, 'G');
	made_press(made, 'G');
	assert_true(shows(made, "polished by "));
	made_run(made, "sort name");
	assert_true(shows(made, "the beginning"));
	made_free(made);
}

/* Goes from the size that is to one end, and returns how many are on the way: each has more points than the one before, or fewer, whether it
 * can be or not. What cannot be is drawn with its reason, and the end is said. */
static int goes_by_size(struct made *made, bool larger)
{
	int n, steps = 0, sizes = bw_session_sizes(made->session);
	double before = bw_session_alternatives(made->session, &n)[0].points;
	for (;; steps++) {
		struct bw_text words = {0};
		struct bw_error error;
		int at = made->session->selection.alternative;
		made_press(made, larger ? BW_KEY_RIGHT : BW_KEY_LEFT);
		const struct bw_alternative *shown = &bw_session_alternatives(made->session, &n)[made->session->selection.alternative];
		if (made->session->selection.alternative == at)
			break;
		assert_true(steps < sizes && shown->points > 0);
		assert_true(larger ? steps ? shown->points >= before : shown->points > before : steps ? shown->points <= before : shown->points < before);
		before = shown->points;
		assert_true(shown->override == BW_OVERRIDE_SERIAL || shown->override == BW_OVERRIDE_THREAD);
		assert_true(bw_session_run(made->session, "why", &words, &error));
		assert_non_null(strstr(bw_text_get(&words), " in place of "));
		assert_non_null(strstr(bw_text_get(&words), shown->cost > 0 ? "  the whole would cost " : "  cannot be: "));
		assert_int_equal(shows(made, "cannot be: "), !(shown->cost > 0));
		bw_text_free(&words);
	}
	assert_true(shows(made, sizes ? larger ? "the search tries no larger one; `override " : "the search tries no smaller one; `override "
				      : "has no sizes to change where it is; e lists"));
	return steps;
}

/* In the tile's view one key goes to larger tiles alone, the other to smaller ones alone, of every Func, and all sizes are met but those of as
 * many points. A block that is too large is drawn as large as it would be. */
static void sizes_of_a_tile_are_in_order(void **state)
{
	struct made *made = made_new("harris", "A100", true);
	made_run(made, HARRIS_TILED);
	made_run(made, "run end");
	made_press(made, 'b');
	int met = 0, n;
	for (int func = 0; func < made->session->pipeline->n_funcs; func++) {
		char line[64];
		if (made->session->pipeline->funcs[func].input)
			continue;
		snprintf(line, sizeof line, "select func %s", made->session->pipeline->funcs[func].name);
		made_run(made, line);
		int larger = goes_by_size(made, true);
		made_run(made, "select alternative 0");
		int smaller = goes_by_size(made, false);
		assert_int_equal(bw_session_sizes(made->session), larger + smaller);
		met += larger + smaller;
	}
	assert_true(met > 40);
	made_run(made, "select func output");
	while (made_press(made, BW_KEY_RIGHT), !shows(made, "cannot be: "))
		;
	const struct bw_alternative *shown = &bw_session_alternatives(made->session, &n)[made->session->selection.alternative];
	assert_true(shown->points > 32 * 32 && shows(made, " output "));
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
		cmocka_unit_test(keys_are_commands),
		cmocka_unit_test(stages_are_sorted),
		cmocka_unit_test(the_help_is_read_in_pages),
		cmocka_unit_test(views_are_chosen_from_a_menu),
		cmocka_unit_test(the_search_goes_through_the_panes),
		cmocka_unit_test(enter_goes_to_the_taller_bar),
		cmocka_unit_test(hidden_panes_are_told_of), cmocka_unit_test(timings_are_whole),
		cmocka_unit_test(words_go_before_keys),
		cmocka_unit_test(rows_below_the_selection_are_reached),
		cmocka_unit_test(sizes_of_a_tile_are_in_order),
		cmocka_unit_test(waiting_lines_are_answered),
		cmocka_unit_test(the_tour_waits_for_each_step),
		cmocka_unit_test(statistics_are_those_of_the_search),
		cmocka_unit_test(a_decision_is_replayed_by_keys),
		cmocka_unit_test(what_is_refused_is_said_in_full),
	};
	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("screens", tests, NULL, NULL);
}
