/* Brings the results of a campaign home: tests/gpu/unpack starts it.
 *
 *   unpack-results FOLDER RESULTS SUMS SOURCE [--database FILE] [--table FOLDER] [--any-pack]
 *
 * SUMS: what sha256sum says of the files in FOLDER; SOURCE: the source tree. The report goes to standard
 * output, and as report.md beside the results. */
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/results.h"
#include "unpack.h"

static bool arguments_of(int argc, char **argv, struct wanted *wanted, struct bw_error *error)
{
	if (argc < 5)
		return bw_fail(error, BW_ERROR_USAGE, "tests/gpu/unpack starts this program");
	*wanted = (struct wanted){.folder = argv[1], .results = argv[2], .sums = argv[3], .source = argv[4]};
	for (int i = 5; i < argc; i++) {
		if (!strcmp(argv[i], "--any-pack"))
			wanted->any_pack = true;
		else if (!strcmp(argv[i], "--database") && i + 1 < argc)
			wanted->database = argv[++i];
		else if (!strcmp(argv[i], "--table") && i + 1 < argc)
			wanted->table = argv[++i];
		else
			return bw_fail(error, BW_ERROR_USAGE, "no option %s", argv[i]);
	}
	wanted->table_of_cpu = wanted->table;
	return true;
}

static bool write_report(const struct bw_text *report, const char *results, struct bw_error *error)
{
	struct bw_text path = {0};
	char *copy = bw_strdup(results);
	bw_text_printf(&path, "%s/report.md", dirname(copy));
	free(copy);
	bool good = bw_file_write(bw_text_get(&path), bw_text_get(report), report->length, error);
	bw_text_free(&path);
	return bw_output_put(bw_text_get(report), report->length, error) && good;
}

/* Stores and writes what was read; what fails does not keep the report from being written. */
static bool deliver(struct pack *pack, const struct campaign *campaign, const struct wanted *wanted,
                    struct bw_error *error)
{
	struct bw_text report = {0}, table = {0}, default_table = {0};
	struct wanted whole = *wanted;
	struct bw_error one = {0};
	long stored = -1;
	bool good = true;
	bw_text_printf(&default_table, "%s/data/measured", wanted->source);
	whole.table = wanted->table ? wanted->table : bw_text_get(&default_table);
	if (wanted->database && !store_outcomes(pack, campaign, wanted->database, &stored, &one)) {
		pack_note(pack, "not stored: %s", one.text);
		good = false;
	}
	if (!write_tables(pack, campaign, &whole, &table, &one)) {
		pack_note(pack, "no table: %s", one.text);
		good = false;
	}
	report_put(pack, campaign, wanted->source, stored, bw_text_get(&table), &report);
	if (!good)
		*error = one;
	good = write_report(&report, wanted->results, error) && good;
	bw_text_free(&report);
	bw_text_free(&table);
	bw_text_free(&default_table);
	return good;
}

int main(int argc, char **argv)
{
	struct wanted wanted;
	struct pack pack = {0};
	struct campaign campaign = {0};
	struct bw_error error = {0};
	bw_output_begin();
	bool good = arguments_of(argc, argv, &wanted, &error) &&
	            pack_read(&pack, wanted.folder, wanted.sums, &error) &&
	            campaign_read(&campaign, &pack, &wanted, &error) &&
	            deliver(&pack, &campaign, &wanted, &error);
	good = bw_output_end(good ? &error : NULL) && good;
	fputs(bw_text_get(&pack.notes), stderr);
	if (!good)
		fprintf(stderr, "unpack: %s\n", error.text);
	campaign_free(&campaign);
	pack_free(&pack);
	return good ? 0 : bw_error_status(error.kind);
}
