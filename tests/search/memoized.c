/* Searches with a memo: that all it ever hands out is what is found afresh, on the bundled pipelines, those of tests/descriptions and random ones, after
 * steering too; and that a search finds the same, to the bit, with and without it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../core/bundled.h"
#include "../core/description.h"
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
	(void)state;
	int n;
	devices = bundled_devices(&n);
	assert_true(n > 1);
	struct bw_weights *weights = BW_NEW(struct bw_weights);
	struct bw_error error = {0};
	char path[] = "memo-XXXXXX";
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
	(void)state;
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

static struct bw_settings options_of(int beam, int passes, int64_t memo_bytes)
{
	struct bw_settings options = bw_settings_default(devices);
	options.beam = beam;
	options.passes = passes;
	options.freezing = BW_FREEZING_OFF;
	options.memo_bytes = memo_bytes;
	return options;
}

static void run(struct bw_search *search)
{
	struct bw_error error = {0};
	enum bw_search_status status = bw_search_advance(search, bw_search_n_decisions(search), NULL, &error);
	if (status == BW_SEARCH_GOING)
		fail_msg("not at its end");
}

static uint64_t hash_double(uint64_t hash, double number)
{
	return bw_hash_bytes(hash, &number, sizeof number);
}

static uint64_t hash_decision(uint64_t hash, const struct bw_decision *decision)
{
	const long counts[] = {decision->enumerated, decision->buckets, decision->unsampled, decision->costed, decision->kept, decision->second, decision->n_children};
	hash = bw_hash_bytes(bw_hash_bytes(hash, counts, sizeof counts), decision->pruned, sizeof decision->pruned);
	for (int c = 0; c < decision->n_children; c++) {
		const struct bw_child *child = &decision->children[c];
		const int ranks[] = {child->parent, child->option, child->kept, child->penalty};
		hash = hash_double(bw_hash_bytes(hash, ranks, sizeof ranks), child->cost);
	}
	return hash;
}

/* Of all beams and all records of a search, but for times. */
static uint64_t fingerprint(const struct bw_search *search)
{
	uint64_t hash = (uint64_t)bw_search_reached(search);
	for (int p = 0; p <= bw_search_reached(search); p++) {
		const struct bw_state *const *states;
		int n = bw_search_beam(search, p, &states);
		for (int s = 0; s < n; s++)
			hash = hash_double(bw_hash_mix(bw_hash_bytes(hash, states[s]->structures, sizeof states[s]->structures), states[s]->hash), states[s]->cost);
	}
	for (int d = 0; d < bw_search_reached(search); d++)
		hash = hash_decision(hash, bw_search_decision(search, d));
	return hash;
}

static struct bw_search *search_with(const struct bw_pipeline *pipeline, const struct bw_cost_model *model, int passes, int64_t memo_bytes)
{
	struct bw_settings options = options_of(model ? 4 : 8, passes, memo_bytes);
	options.model = model ? model : options.model;
	return bw_search_new(pipeline, &options, NULL);
}

static uint64_t found_with(const struct bw_pipeline *pipeline, const struct bw_cost_model *model, int passes, int64_t memo_bytes)
{
	struct bw_search *search = search_with(pipeline, model, passes, memo_bytes);
	run(search);
	uint64_t print = fingerprint(search);
	struct bw_memo_counts counts = bw_search_totals(search).memo;
	assert_int_equal(counts.limit_bytes, memo_bytes);
	assert_in_range(counts.peak_bytes, 0, memo_bytes);
	assert_true(!memo_bytes == !counts.kinds[BW_MEMO_PLACEMENTS].misses);
	assert_int_equal(counts.checked, 0);
	bw_search_free(search);
	return print;
}

static void the_search_is_the_same(void **state)
{
	(void)state;
	static const char *const names[] = {"blur", "harris", "unsharp"};
	static const int64_t sizes[] = {0, 4 << 10, 100 << 10, 32 << 20};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct bw_pipeline *pipeline = read_file("data/descriptions", names[i]);
		uint64_t first = found_with(pipeline, NULL, 2, 0);
		for (size_t m = 0; m < sizeof sizes / sizeof *sizes; m++)
			if (found_with(pipeline, NULL, 2, sizes[m]) != first)
				fail_msg("%s: another search with %lld bytes", names[i], (long long)sizes[m]);
		bw_pipeline_free(pipeline);
	}
}

/* The same under the learned model, of which each stage is told what the whole schedule allocates. */
static void the_learned_search_is_the_same(void **state)
{
	(void)state;
	static const int64_t sizes[] = {100 << 10, 64 << 20};
	struct bw_pipeline *pipeline = read_file("data/descriptions", "harris");
	uint64_t first = found_with(pipeline, learned, 1, 0);
	for (size_t m = 0; m < sizeof sizes / sizeof *sizes; m++)
		if (found_with(pipeline, learned, 1, sizes[m]) != first)
			fail_msg("another search with %lld bytes", (long long)sizes[m]);
	bw_pipeline_free(pipeline);
}

/* Somebody else who uses the memo while a search stands still: it looks at options of another search. */
struct other {
	const struct bw_search *search;
	long asks, looks;
};

static bool looks_at_options(void *data)
{
	enum { ASKS_A_LOOK = 61 };
	struct other *other = data;
	if (++other->asks % ASKS_A_LOOK)
		return true;
	bw_expansion_free(bw_search_expand(other->search, (int)(other->looks++ % bw_search_n_decisions(other->search)), 0, NULL));
	return true;
}

/* And where others use a memo that is too small whenever the search stands still, so that it gives up what the search holds meanwhile. */
static void turns_hold_what_they_need(void **state)
{
	(void)state;
	static const int64_t sizes[] = {4 << 10, 100 << 10};
	const struct bw_cost_model *models_of[] = {NULL, learned};
	struct bw_pipeline *pipeline = read_file("data/descriptions", "harris");
	struct bw_error error = {0};
	for (int i = 0; i < 4; i++) {
		const struct bw_cost_model *model = models_of[i / 2];
		struct bw_search *first = search_with(pipeline, model, 1, sizes[i % 2]), *search = bw_search_fork(first, NULL, NULL);
		bw_search_advance(first, bw_search_n_decisions(first), NULL, &error);
		struct other other = {.search = first};
		struct bw_yield yield = {looks_at_options, &other};
		assert_int_equal(bw_search_advance(search, bw_search_n_decisions(search), &yield, &error), BW_SEARCH_DONE);
		if (other.looks < 100)
			fail_msg("%ld looks, %ld asks", other.looks, other.asks);
		if (fingerprint(search) != found_with(pipeline, model, 1, 0))
			fail_msg("%s: another search with %lld bytes", model ? "learned" : "roofline", (long long)sizes[i % 2]);
		bw_search_free(first);
		bw_search_free(search);
	}
	bw_pipeline_free(pipeline);
}

/* Runs a search that checks all it takes from the memo, then others that share it: of another device's limits, with a Func held, and with what a pre-pass
 * froze. */
static void check(const char *name, const struct bw_pipeline *pipeline, const struct bw_cost_model *model, int beam)
{
	struct bw_settings options = options_of(beam, 2, 64 << 20);
	options.model = model ? model : options.model;
	struct bw_settings other = options;
	other.device = &devices[1];
	other.idle_lanes_limit = 0.25;
	other.passes = 1;
	struct bw_settings frozen = options;
	frozen.freezing = BW_FREEZING_PROBED;
	struct bw_search *search = bw_search_new(pipeline, &options, NULL);
	bw_search_check_memo(search);
	run(search);
	const struct bw_state *const *states;
	int n = bw_search_beam(search, bw_search_reached(search), &states);
	assert_true(n > 0);
	int func = pipeline->n_funcs - 1;
	struct bw_constraint held = {.placement = states[n - 1]->nest->placed[func]->placement, .sizes = true};
	struct bw_constraints constraints = {.n = 1, .list = &held};
	struct bw_search *forks[] = {bw_search_fork(search, &other, NULL), bw_search_fork(search, NULL, &constraints), bw_search_fork(search, &frozen, NULL)};
	for (size_t f = 0; f < sizeof forks / sizeof *forks; f++) {
		run(forks[f]);
		bw_search_free(forks[f]);
	}
	struct bw_memo_counts counts = bw_search_totals(search).memo;
	assert_true(counts.checked > 0 && counts.kinds[BW_MEMO_PLACEMENTS].hits > 0 && counts.kinds[BW_MEMO_KERNELS].hits > 0);
	if (counts.wrong)
		fail_msg("%s: %ld of %ld are not what is found afresh", name, counts.wrong, counts.checked);
	bw_search_free(search);
}

static void all_that_is_taken_is_right(void **state)
{
	(void)state;
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

/* A later pass comes back to much of what the first one placed and costed; and a fork to nearly all. Costs are kept apart where they follow from more than
 * a kernel. */
static void check_comes_again(const struct bw_cost_model *model, long times)
{
	struct bw_pipeline *pipeline = read_file("data/descriptions", "harris");
	struct bw_settings options = options_of(32, 1, 64 << 20), five = options_of(32, 5, 64 << 20);
	options.model = five.model = model;
	options.sampling = five.sampling = BW_SAMPLING_OFF;
	options.polish = five.polish = 0; /* which keeps what it needs again itself */
	struct bw_search *search = bw_search_new(pipeline, &options, NULL);
	run(search);
	struct bw_memo_counts once = bw_search_totals(search).memo;
	struct bw_search *fork = bw_search_fork(search, &five, NULL);
	run(fork);
	struct bw_memo_counts more = bw_search_totals(fork).memo;
	for (int k = 0; k < BW_N_MEMO_KINDS; k++) {
		long hits = more.kinds[k].hits - once.kinds[k].hits, misses = more.kinds[k].misses - once.kinds[k].misses;
		if (k == BW_MEMO_COSTS && !model->learned) {
			assert_int_equal(more.kinds[k].hits + more.kinds[k].misses, 0);
			continue;
		}
		/* The tiles of a Func are judged once for all states of a beam that ask alike, before the memo is asked. */
		assert_true(k == BW_MEMO_VERDICTS || once.kinds[k].hits > once.kinds[k].misses);
		assert_true(hits > (k == BW_MEMO_VERDICTS ? 1 : times) * misses);
	}
	/* Another size is another memo. */
	five.memo_bytes = 1 << 20;
	struct bw_search *small = bw_search_fork(search, &five, NULL);
	assert_int_equal(bw_search_totals(small).memo.kinds[BW_MEMO_PLACEMENTS].misses, 0);
	bw_search_free(small);
	bw_search_free(fork);
	bw_search_free(search);
	bw_pipeline_free(pipeline);
}

static void what_comes_again_is_found(void **state)
{
	(void)state;
	check_comes_again(&bw_roofline, 5);
	check_comes_again(learned, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_search_is_the_same), cmocka_unit_test(the_learned_search_is_the_same), cmocka_unit_test(turns_hold_what_they_need),
		cmocka_unit_test(all_that_is_taken_is_right), cmocka_unit_test(what_comes_again_is_found),
	};
	return cmocka_run_group_tests(tests, open_all, close_all);
}
