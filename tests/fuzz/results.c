/* Fuzzes the file of stored measurements: damaged ones, and others with any values in their columns. It is opened, or refused; what is listed can be printed, as a
 * table without control characters; and a new result is stored, in it or in a new file. */
#include <glob.h>

#include "fuzz.h"
#include "results/result.h"
#include "results/results.h"

static void print(const struct bw_result *result, void *data)
{
	struct bw_text *table = data, other = {0};
	struct bw_measurement measurement;
	bw_result_print_table(result, table);
	bw_result_print_csv(result, &other);
	bw_result_print_json(result, &other);
	bw_result_measurement(result, &measurement);
	bw_text_free(&other);
}

static void clean(void)
{
	glob_t found;
	if (!glob("r.db*", 0, NULL, &found))
		for (size_t k = 0; k < found.gl_pathc; k++)
			unlink(found.gl_pathv[k]);
	globfree(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct bw_error error = {0};
	struct bw_text notice = {0}, table = {0}, text = {0};
	const struct bw_results_filter all = {0}, best = {.best = true, .pipeline = "blur"};
	fuzz_enter();
	clean();
	fuzz_write("r.db", bytes, length);
	struct bw_results *results = bw_results_open("r.db", true, 100, &notice, &error);
	if (results) {
		struct bw_result result = bw_result_unknown();
		char uid[BW_UID_SIZE];
		bw_results_each(results, &all, print, &table, &error);
		bw_results_each(results, &best, print, &table, &error);
		bw_results_count(results, &best, &error);
		expect(is_plain(bw_text_get(&table)), "the table is plain");
		bw_results_schedule(results, "f", &text, &error);
		bw_results_description(results, "0", &text, &error);
		bw_result_uid(uid);
		result.uid = uid;
		result.measured_utc = "2026-11-21T12:00:00.000Z";
		result.verdict = "right";
		error = (struct bw_error){0};
		expect(bw_results_add(results, &result, &notice, &error) || *error.text, "a new result is stored, or it is told why not");
		bw_results_forget(results, &(struct bw_results_filter){.pipeline = "blur"}, print, &table, &error);
	} else {
		expect(*error.text, "what is refused is told");
	}
	expect(is_plain(error.text) && is_plain(bw_text_get(&notice)), "messages are plain");
	bw_results_close(results);
	bw_text_free(&notice);
	bw_text_free(&table);
	bw_text_free(&text);
	return 0;
}
