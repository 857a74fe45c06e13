/* What comes home damaged: results, manifest and plan that end at any byte, or in which a byte is another
 * one, are read without harm; what is whole before the cut is used. The pack and the results are written
 * here: blur, two schedules, one campaign with a line of each kind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "unpack.h"

#define SUM "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define AT "\"at\":\"2026-11-23T10:00:00Z\""

static const char schedule[] = "beamwalk-schedule 1\n"
			       "output root\n"
			       "    block y, x; thread y 8, x 32\n"
			       "blur_x inline\n"
			       "input_im inline\n";

#define KERNELS \
	"\"kernels\":[{\"entry\":\"k\",\"registers_per_thread\":30,\"stack_bytes_per_thread\":0,\"predicted_occupancy\":1.0,\"occupancy\":0.7,\"resident_blocks_per_sm\":8}]"
static const char manifest[] =
	"{\"beamwalk-pack\":1,\"version\":\"0.9\",\"packed_utc\":\"2026-11-23T01:00:00Z\",\"gpu\":\"A100\",\"api\":\"cuda\",\"halide\":\"14.0.0\",\"register_limit\":64,\"seed\":0,\"weights\":\"\"}\n"
	"{\"variant\":\"blur\",\"pipeline\":\"blur\",\"size\":\"1x1\",\"small\":false,\"arguments\":\"\",\"description\":\"" SUM
	"\"}\n"
	"{\"variant\":\"blur\",\"label\":\"hand\",\"kind\":\"hand\",\"seed\":null,\"schedule\":null,\"object\":\"" SUM
	"\",\"roofline\":null,\"learned\":null}\n"
	"{\"variant\":\"blur\",\"label\":\"roofline\",\"kind\":\"roofline\",\"seed\":null,\"schedule\":\"" SUM
	"\",\"object\":\"" SUM "\",\"roofline\":{\"device\":\"A100\",\"predicted_ms\":1.0," KERNELS
	"},\"learned\":null}\n";
static const char plan[] =
	"1\ta\tblur\ttime\t0.3\thand roofline\n2\tb\tblur\tmemcheck\t0\thand\n3\tg\t-\trates\t10\t-\n";

#define MEASURED(object, verdict, ms) \
	"{\"beamwalk-bench\":2,\"id\":1,\"object\":" object ",\"result\":{\"verdict\":\"" verdict \
	"\",\"worst\":0.0,\"where\":\"\",\"mismatches\":0,\"demand\":\"\",\"device\":\"NVIDIA A100\",\"cpu\":false,\"driver\":\"CUDA 12\",\"clock\":1e9,\"minimum\":" ms \
	",\"median\":" ms \
	",\"spread\":0.0,\"runs\":9,\"warm_ups\":2,\"registers\":64,\"kernels\":[{\"name\":\"k\",\"registers\":30,\"local_bytes\":0,\"shared_bytes\":0,\"block_threads\":1024,\"blocks_per_sm\":8}],\"method\":\"m\"}}\n"
static const char results[] =
	"{\"campaign\":\"begin\"," AT
	",\"version\":1,\"manifest\":\"\",\"host\":\"h\",\"kernel\":\"6\",\"devices\":[{\"name\":\"NVIDIA A100\",\"api\":\"cuda\",\"cpu\":false,\"driver\":\"CUDA 12\",\"platform\":\"\",\"ordinal\":0}],\"device\":0,\"minutes\":3}\n"
	"{\"campaign\":\"request\"," AT
	",\"id\":1,\"step\":\"a\",\"variant\":\"blur\",\"tool\":\"time\",\"labels\":[\"hand\",\"roofline\"]}\n"
	"{\"beamwalk-bench\":2,\"id\":1,\"begin\":[0,2]}\n" MEASURED(
		"0", "right",
		"2.0") "{\"beamwalk-bench\":2,\"id\":1,\"object\":1,\"error\":{\"kind\":\"DEVICE\",\"text\":\"it hung\"}}\n"
		       "{\"campaign\":\"lost\"," AT ",\"id\":1,\"label\":\"roofline\",\"text\":\"gone\"}\n"
		       "{\"campaign\":\"sanitizer\"," AT
		       ",\"id\":2,\"label\":\"hand\",\"tool\":\"memcheck\",\"status\":0,\"summary\":\"ERROR SUMMARY: 0 errors\"}\n"
		       "{\"campaign\":\"counters\"," AT
		       ",\"id\":1,\"label\":\"hand\",\"csv\":[\"\\\"Kernel Name\\\",\\\"Metric Name\\\",\\\"Metric Unit\\\",\\\"Metric Value\\\"\",\"\\\"k\\\"\\\"\\\",\\\"m\\\",\\\"byte\\\",\\\"1,2\\\"\"]}\n"
		       "{\"campaign\":\"clocks\"," AT ",\"smi\":\"1410, 1215\"}\n"
		       "{\"campaign\":\"notice\"," AT ",\"text\":\"busy\"}\n"
		       "{\"beamwalk-bench\":2,\"id\":3,\"rates\":{\"list\":{\"global_bandwidth\":{\"unit\":\"bytes/s\",\"value\":1e12,\"spread\":0.01},\"clock\":{\"unit\":\"1/s\",\"error\":\"no\"}}}}\n" MEASURED(
			       "1", "right within bound", "1.0") "{\"campaign\":\"end\"," AT
								 ",\"why\":\"done\"}\n";

static char folder[64];

static const char *in_folder(const char *name, struct bw_text *path)
{
	bw_text_clear(path);
	bw_text_printf(path, "%s/%s", folder, name);
	return bw_text_get(path);
}

static void write_file(const char *name, const char *bytes, size_t length)
{
	struct bw_text path = {0};
	FILE *file = fopen(in_folder(name, &path), "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
	bw_text_free(&path);
}

static int make(void **state)
{
	struct bw_text path = {0}, text = {0};
	struct bw_error error;
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/beamwalk-unpacked-XXXXXX");
	assert_non_null(mkdtemp(folder));
	assert_int_equal(mkdir(in_folder("blur", &path), 0700), 0);
	bw_text_clear(&path);
	bw_text_printf(&path, "%s/data/descriptions/blur.json", getenv("BW_SRC"));
	assert_true(bw_file_read(bw_text_get(&path), 1 << 20, &text, &error));
	write_file("blur/description.json", bw_text_get(&text), text.length);
	write_file("blur/roofline.schedule", schedule, sizeof schedule - 1);
	write_file("manifest", manifest, sizeof manifest - 1);
	write_file("plan", plan, sizeof plan - 1);
	write_file("hashes", "", 0);
	static const char sums[] =
		SUM "  ./blur/description.json\n" SUM "  ./blur/roofline.schedule\n" SUM "  ./manifest\n";
	write_file("sums", sums, sizeof sums - 1);
	bw_text_free(&path);
	bw_text_free(&text);
	return 0;
}

static int destroy(void **state)
{
	struct bw_text command = {0};
	(void)state;
	bw_text_printf(&command, "rm -rf %s", folder);
	int status = system(bw_text_get(&command));
	bw_text_free(&command);
	return status;
}

/* Reads the pack, which may be damaged; false where nothing of it can be used. */
static bool open_pack(struct pack *pack, struct bw_error *error)
{
	struct bw_text path = {0};
	*pack = (struct pack){0};
	bool good = pack_read(pack, folder, in_folder("sums", &path), error);
	bw_text_free(&path);
	return good;
}

/* Unpacks text as far as the report; returns how many outcomes there are, *right how many of their outputs
 * are right. */
static int unpack_text(struct pack *pack, const char *text, size_t length, int *right)
{
	struct wanted wanted = {.folder = folder, .results = "results", .source = getenv("BW_SRC")};
	struct campaign campaign;
	struct bw_text report = {0};
	char *copy = malloc(length + 1);
	memcpy(copy, text, length);
	copy[length] = 0;
	campaign_parse(&campaign, pack, &wanted, copy, length);
	report_put(pack, &campaign, wanted.source, -1, "", &report);
	assert_true(report.length > 0);
	int n = campaign.n_outcomes;
	*right = 0;
	for (int i = 0; i < n; i++)
		*right += campaign.outcomes[i]->measurement != NULL;
	for (int i = 0; i < pack->n_labels; i++)
		pack->labels[i]->timed = NULL;
	bw_text_clear(&pack->notes);
	bw_text_free(&report);
	campaign_free(&campaign);
	free(copy);
	return n;
}

/* Lines of the results that end before a byte and give an outcome. */
static int whole_before(size_t length, int *measured)
{
	int n = 0;
	*measured = 0;
	for (const char *line = results, *end;
	     (end = strchr(line, '\n')) && (size_t)(end - results) <= length; line = end + 1) {
		bool is_measured = !strncmp(line, "{\"beamwalk-bench\"", 17) &&
		                   memmem(line, (size_t)(end - line), "\"result\":", 9);
		*measured += is_measured;
		n += is_measured || memmem(line, (size_t)(end - line), "\"error\":{", 9) ||
		     memmem(line, (size_t)(end - line), "\"lost\"", 6);
	}
	return n;
}

static void test_cut_results(void **state)
{
	struct pack pack;
	struct bw_error error;
	(void)state;
	if (!open_pack(&pack, &error))
		fail_msg("%s", error.text);
	assert_int_equal(pack.n_labels, 2);
	for (size_t length = 0; length < sizeof results; length++) {
		int measured, expected_measured, n = unpack_text(&pack, results, length, &measured),
						 expected = whole_before(length, &expected_measured);
		if (n != expected || measured != expected_measured)
			fail_msg("cut at byte %zu: %d outcomes and %d measurements, expected %d and %d",
			         length, n, measured, expected, expected_measured);
	}
	pack_free(&pack);
}

/* Results in which a byte is another one: nothing is read that is not there. */
static void test_changed_results(void **state)
{
	static const char bytes[] = {0, '\n', '"', '{', '9', '-', (char)0xff};
	static char changed[sizeof results];
	struct pack pack;
	struct bw_error error;
	(void)state;
	assert_true(open_pack(&pack, &error));
	for (size_t at = 0; at + 1 < sizeof results; at++) {
		int measured;
		memcpy(changed, results, sizeof results);
		changed[at] = bytes[at % sizeof bytes];
		assert_true(unpack_text(&pack, changed, sizeof results - 1, &measured) <= 5);
	}
	pack_free(&pack);
}

static void test_cut_manifest(void **state)
{
	size_t head = (size_t)(strchr(manifest, '\n') - manifest);
	(void)state;
	for (size_t length = 0; length < sizeof manifest; length += 1 + (length > head) * 6) {
		struct pack pack;
		struct bw_error error;
		int measured;
		write_file("manifest", manifest, length);
		bool good = open_pack(&pack, &error);
		assert_int_equal(good, length >= head);
		if (good)
			unpack_text(&pack, results, sizeof results - 1, &measured);
		else
			assert_true(*error.text);
		pack_free(&pack);
	}
	write_file("manifest", manifest, sizeof manifest - 1);
}

static void test_cut_plan(void **state)
{
	(void)state;
	for (size_t length = 0; length < sizeof plan; length++) {
		struct pack pack;
		struct bw_error error;
		int measured;
		write_file("plan", plan, length);
		assert_true(open_pack(&pack, &error));
		assert_int_equal(unpack_text(&pack, results, sizeof results - 1, &measured), 4);
		pack_free(&pack);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut_results), cmocka_unit_test(test_changed_results),
		cmocka_unit_test(test_cut_manifest), cmocka_unit_test(test_cut_plan)};
	return cmocka_run_group_tests(tests, make, destroy);
}
