/* What a search takes over from an earlier option, parent or state: that all of it is what is found afresh, on the bundled pipelines, those of
 * tests/descriptions and random ones, after steering too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/bundled.h"
#include "../core/description.h"
#include "../core/test.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "cost/learned.h"
#include "search/search_private.h"

static struct bw_device *devices;
static struct bw_models models;
static const struct bw_cost_model *learned; /* of drawn weights */

static int open_all(void **state)
{
	int n;
	devices = bundled_devices(&n);
	assert_true(n > 1);
	struct bw_weights *weights = BW_NEW(struct bw_weights);
	struct bw_error error = {0};
	char path[] = "reuse-XXXXXX";
	int file = mkstemp(path);
	assert_true(file >= 0);
	close(file);
	bw_weights_draw(weights, 7);
	assert_true(bw_weights_write(path, weights, &error));
	learned = bw_models_read(&models, path, &error);
	assert_non_null(learned);
	unlink(path);
	free(weights);
	return 0;
}

static int close_all(void **state)
{
	bw_models_free(&models);
	free(devices);
	return 0;
}

static struct bw_pipeline *read_file(const char *folder, const char *name)
{
	char path[4096];
	struct bw_error error = {0};
	snprintf(path, sizeof path, "%s/%s/%s.json", getenv("BW_SRC"), folder, name);
	struct bw_pipeline *pipeline = bw_pipeline_read(path, &error);
	if (!pipeline)
		fail_msg("%s", error.text);
	return pipeline;
}

/* A number below n, the next of a sequence. */
static int draw(uint64_t *seed, int n)
{
	*seed = bw_hash_mix(*seed, 1);
	return (int)bw_random_below(*seed, (uint64_t)n);
}

static void print_read(int from, int before, int after, struct bw_text *out)
{
	bw_text_printf(out, "{'from':'f%d','box':[", from);
	for (int d = 0; d < 2; d++)
		bw_text_printf(out, "%s{'min':['+',{'min':'%s'},%d],'max':['+',{'max':'%s'},%d]}", d ? "," : "", d ? "y" : "x", -before, d ? "y" : "x", after);
	bw_text_printf(out, "],'loads':[{'count':%d,'jacobian':[[1,0],[0,1]]}]}", (before + after + 1) * (before + after + 1));
}

static void print_func(int f, int n, uint64_t *seed, bool *read, struct bw_text *out)
{
	bw_text_printf(out, "%s{'name':'f%d','handle':%d,'definition':'0123456789abcdef','types':['float32'],'dims':['x','y'],'stages':[{'loops':[", f > 1 ? "," : "", f, f - 1);
	bw_text_puts(out, "{'name':'x','kind':'pure','min':{'min':'x'},'max':{'max':'x'}},{'name':'y','kind':'pure','min':{'min':'y'},'max':{'max':'y'}}],");
	bw_text_printf(out, "'store':[[1,0],[0,1]],'ops':{'add':{'float32':%d},'mul':{'float32':1}},'reads':[", 1 + draw(seed, 20));
	const char *comma = "";
	for (int g = 0; g < f; g++) {
		bool last = f == n - 1;
		if (!(last ? g > 0 && !read[g] : g == f - 1 ? draw(seed, 4) > 0 || f == 1 : draw(seed, 4) == 0))
			continue;
		bw_text_puts(out, comma);
		print_read(g, draw(seed, 3), draw(seed, 3), out);
		comma = ",";
		read[g] = true;
	}
	bw_text_puts(out, "]}]");
	bw_text_puts(out, f == n - 1 ? ",'output':true,'estimate':[[0,640],[0,480]]}" : "}");
}

/* Up to nine Funcs that read some of those before, point by point or as stencils; the last one reads what nobody has. */
static struct bw_pipeline *random_pipeline(uint64_t seed)
{
	struct bw_text text = {0};
	bool read[16] = {false};
	int n = 5 + draw(&seed, 6);
	bw_text_puts(&text, "{'beamwalk-pipeline':1,'name':'random','halide':'14.0.0','parameters':[],'inputs':[{'name':'f0','types':['float32'],'dims':['x','y'],'estimate':[[-200,1200],[-200,1200]]}],'funcs':[");
	for (int f = 1; f < n; f++)
		print_func(f, n, &seed, read, &text);
	bw_text_puts(&text, "]}");
	struct bw_pipeline *pipeline = description_read(bw_text_get(&text));
	bw_text_free(&text);
	return pipeline;
}

static struct bw_settings options_of(int beam, int passes)
{
	struct bw_settings options = bw_settings_default(devices);
	options.beam = beam;
	options.passes = passes;
	options.freezing = BW_FREEZING_OFF;
	return options;
}

static void run(struct bw_search *search)
{
	struct bw_error error = {0};
	enum bw_search_status status = bw_search_advance(search, bw_search_n_decisions(search), NULL, &error);
	if (status == BW_SEARCH_GOING)
		fail_msg("not at its end");
}

/* Runs a search that checks all that it takes over, then forks of it: of another device's limits, with a Func held, and with what a pre-pass froze. */
static void check(const char *name, const struct bw_pipeline *pipeline, const struct bw_cost_model *model, int beam)
{
	struct bw_settings options = options_of(beam, 2);
	options.model = model ? model : options.model;
	struct bw_settings other = options;
	other.device = &devices[1];
	other.idle_lanes_limit = 0.25;
	other.passes = 1;
	struct bw_settings frozen = options;
	frozen.freezing = BW_FREEZING_PROBED;
	struct bw_reuse_checks checks = {0};
	struct bw_search *search = bw_search_new(pipeline, &options, NULL);
	search->recall.checks = &checks;
	run(search);
	const struct bw_state *const *states;
	int n = bw_search_beam(search, bw_search_reached(search), &states);
	assert_true(n > 0);
	int func = pipeline->n_funcs - 1;
	struct bw_constraint held = {.placement = states[n - 1]->nest->placed[func]->placement, .sizes = true};
	struct bw_constraints constraints = {.n = 1, .list = &held};
	struct bw_search *forks[] = {bw_search_fork(search, &other, NULL), bw_search_fork(search, NULL, &constraints), bw_search_fork(search, &frozen, NULL)};
	for (size_t f = 0; f < sizeof forks / sizeof *forks; f++) {
		forks[f]->recall.checks = &checks;
		run(forks[f]);
		bw_search_free(forks[f]);
	}
	assert_true(checks.made > 0);
	if (checks.wrong)
		fail_msg("%s: %ld of %ld are not what is found afresh", name, checks.wrong, checks.made);
	bw_search_free(search);
}

static void all_that_is_taken_is_right(void **state)
{
	static const struct {
		const char *folder, *name;
		int beam;
	} files[] = {
		{"data/descriptions", "blur", 32}, {"data/descriptions", "harris", 8}, {"data/descriptions", "unsharp", 8}, {"data/descriptions", "stencil_chain", 2},
		{"tests/descriptions", "chain", 8}, {"tests/descriptions", "five", 8}, {"tests/descriptions", "histogram", 8}, {"tests/descriptions", "outputs", 8},
		{"tests/descriptions", "resample", 8}, {"tests/descriptions", "total", 8},
	};
	const char *sanitize = getenv("BW_SANITIZE"); /* where each search takes five times as long */
	bool few = sanitize && *sanitize;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		if (few && files[i].beam == 2)
			continue;
		struct bw_pipeline *pipeline = read_file(files[i].folder, files[i].name);
		check(files[i].name, pipeline, NULL, files[i].beam);
		/* A chain of 32 stages takes as long as all others, and there is a shorter one. */
		if (strcmp(files[i].name, "stencil_chain"))
			check(files[i].name, pipeline, learned, 4);
		bw_pipeline_free(pipeline);
	}
	for (uint64_t seed = 0; seed < (few ? 6 : 24); seed++) {
		struct bw_pipeline *pipeline = random_pipeline(seed);
		char name[32];
		snprintf(name, sizeof name, "random pipeline %d", (int)seed);
		check(name, pipeline, NULL, 3);
		if (seed < (few ? 2 : 10))
			check(name, pipeline, learned, 2);
		bw_pipeline_free(pipeline);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(all_that_is_taken_is_right)};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
