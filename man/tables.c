/* Fills the program's tables into a manual page: reads a page with lines `@NAME@`, and writes it with each replaced by the table of
 * that name in mdoc. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "bench/rates.h"
#include "command/figure.h"
#include "cost/network.h"
#include "cost/goodness.h"
#include "cost/latency.h"
#include "gpu/device.h"
#include "command/lesson.h"
#include "search/search.h"
#include "session/command_table.h"
#include "session/option_list.h"
#include "ui/config.h"

/* Writes text for mdoc, in which a backslash begins an escape, and a leading dot or quote a request. */
static void put(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++)
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else
			putchar(*text);
}

static void item(const char *head, const char *text)
{
	fputs(".It Li \"", stdout);
	put(head);
	fputs("\"\n", stdout);
	put(text);
	putchar('\n');
}

static void statuses(void)
{
	printf(".Bl -tag -width indent -compact\n");
#define X(name, status, text) item(#status, status ? text : "success");
	BW_ERROR_TABLE(X)
#undef X
	printf(".El\n");
}

static void command(const char *name, const char *arguments, const char *key, const char *help)
{
	printf(".It Ic ");
	put(name);
	if (*arguments) {
		printf(" Li \"");
		put(arguments);
		printf("\"");
	}
	if (*key) {
		printf(" Pq Li \"\\&");
		put(key);
		printf("\"");
	}
	putchar('\n');
	put(help);
	putchar('\n');
}

static void commands(void)
{
	printf(".Bl -tag -width indent\n");
#define X(name, symbol, arguments, key, help, journaled) command(name, arguments, key, help);
	BW_COMMAND_TABLE(X)
#undef X
	printf(".El\n");
}

static void views(void)
{
	printf(".Bl -tag -width statistics -compact\n");
	int n;
	const struct bw_view_info *infos = bw_view_infos(&n);
	for (int i = 0; i < n; i++)
		item(infos[i].name, infos[i].meaning);
	printf(".El\n");
}

static void figures(void)
{
	printf(".Bl -tag -width enumerated -compact\n");
#define X(name, text, meaning) item(text, meaning);
	BW_ASSERTED_TABLE(X)
#undef X
	printf(".El\n");
}

static void func_figures(void)
{
	printf(".Bl -tag -width efficiency -compact\n");
#define X(name, word, kind, meaning) item(word " of FUNC", meaning);
	BW_FUNC_FIGURE_TABLE(X)
#undef X
	printf(".El\n");
}

static void code_figures(void)
{
	printf(".Bl -tag -width code_instructions -compact\n");
#define X(name, word, kind, meaning) item("code " word, meaning);
	BW_CODE_FIGURE_TABLE(X)
#undef X
	printf(".El\n");
}

static void lesson_words(void)
{
	printf(".Bl -tag -width indent -compact\n");
#define X(name, word, arguments, meaning) item(*arguments ? word " " arguments : word, meaning);
	BW_LESSON_TABLE(X)
#undef X
	printf(".El\n");
}

static void facts(void)
{
	printf(".Bl -tag -width indent -compact\n");
#define X(name, word, arguments, meaning) item(*word ? word " " arguments : arguments, meaning);
	BW_FACT_TABLE(X)
#undef X
	printf(".El\n");
}

static void rules(void)
{
	printf(".Bl -tag -width \"thread allocation\" -compact\n");
#define X(name, text, hard, meaning) item(text, meaning);
	BW_RULE_TABLE(X)
#undef X
	printf(".El\n");
}

static void terms(void)
{
	printf(".Bl -tag -width \"global store\" -compact\n");
#define X(name, words, key, on, text) item(words, text);
	BW_TERM_TABLE(X)
#undef X
	printf(".El\n");
}

static void latency_terms(void)
{
	printf(".Bl -tag -width load/store -compact\n");
	for (int t = 0; t < bw_latency_model.n_terms; t++)
		item(bw_latency_model.terms[t].name, bw_latency_model.terms[t].meaning);
	printf(".El\n");
}

static void latency_constants(void)
{
	static const struct {
		const char *name, *unit, *text;
		double value, before;
	} constants[] = {
#define X(name, value, before, unit, text) {#name, unit, text, value, before},
	    BW_LATENCY_TABLE(X)
#undef X
	};
	printf(".Bl -tag -width straggling -compact\n");
	for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
		char text[256];
		snprintf(text, sizeof text, "%g (%g)%s%s: %s", constants[i].value, constants[i].before,
			 *constants[i].unit ? " " : "", constants[i].unit, constants[i].text);
		item(constants[i].name, text);
	}
	printf(".El\n");
}

static void components(void)
{
	printf(".Bl -tag -width \"thread's register lines\" -compact\n");
#define X(name, words, key, coefficient, equation, factor, meaning) item(words, meaning);
	BW_COMPONENT_TABLE(X)
#undef X
	printf(".El\n");
}

static void goodness(void)
{
	printf(".Bl -tag -width regret -compact\n");
#define X(name, key, words, format, meaning) item(words, meaning);
	BW_GOODNESS_TABLE(X)
#undef X
	printf(".El\n");
}

static void option(const struct bw_setting_info *info)
{
	struct bw_settings initial = bw_settings_default(NULL);
	struct bw_text first = {0}, rest = {0};
	bw_setting_print(info, &initial, &first);
	printf(".It Cm ");
	put(info->name);
	if (*info->unit) {
		printf(" Pq ");
		put(info->unit);
	}
	putchar('\n');
	put(info->meaning);
	if (bw_setting_numeric(info) && info->kind != BW_SETTING_SEED && info->kind != BW_SETTING_FLAG)
		bw_text_printf(&rest, "%s%.10g to %.10g; ", info->kind == BW_SETTING_LIMIT ? "0 or " : "", info->least, info->most);
	if (info->kind == BW_SETTING_DEVICE || first.length)
		bw_text_printf(&rest, "default %s", first.length ? bw_text_get(&first) : BW_DEFAULT_DEVICE);
	if (rest.length) {
		printf(" (");
		put(bw_text_get(&rest));
		printf(")");
	}
	puts(".");
	if (*info->alias) {
		printf("Halide:\n.Cm ");
		put(info->alias);
		puts(" .");
	}
	bw_text_free(&first);
	bw_text_free(&rest);
}

static void options(void)
{
	int n;
	const struct bw_setting_info *infos = bw_setting_infos(&n);
	printf(".Bl -tag -width indent -compact\n");
	for (int i = 0; i < n; i++)
		option(&infos[i]);
	printf(".El\n");
}

static void variants(void)
{
	printf(".Bl -tag -width unrolled -compact\n");
#define X(symbol, name, change, tried, meaning) item(name, meaning);
	BW_PLAN_VARIANT_TABLE(X)
#undef X
	printf(".El\n");
}

static void sites(void)
{
	printf(".Bl -tag -width inline -compact\n");
#define X(name, words, meaning) item(words, meaning);
	BW_SITES_TABLE(X)
#undef X
	printf(".El\n");
}

static void stages(void)
{
	printf(".Bl -tag -width enumerated -compact\n");
#define X(name, words, meaning) item(words, meaning);
	BW_REPLAY_TABLE(X)
#undef X
	printf(".El\n");
}

static void fates(void)
{
	const char *comma = "";
#define X(name, text) \
	printf("%s%s", comma, text); \
	comma = ",\n";
	BW_FATE_TABLE(X)
#undef X
	printf(".\n");
}

static void device(const char *key, const char *unit, const char *text)
{
	printf(".It Cm ");
	put(key);
	if (*unit) {
		printf(" Pq ");
		put(unit);
	}
	putchar('\n');
	put(text);
	putchar('\n');
}

static void devices(void)
{
	printf(".Bl -tag -width indent -compact\n");
#define X(field, key, unit, text) device(key, unit, text);
	BW_DEVICE_TABLE(X)
#undef X
	printf(".El\n");
}

static void rates(void)
{
	printf(".Bl -tag -width indent -compact\n");
#define X(key, unit, text) device(#key, unit, text);
	BW_RATE_TABLE(X)
#undef X
	printf(".El\n");
}

static void key_names(void)
{
	const char *comma = "";
	for (uint32_t code = BW_KEY_FIRST + 1; code < BW_KEY_MOUSE; code++) {
		const char *name = bw_key_name((enum bw_key_code)code);
		if (bw_key_parse(name).code == BW_KEY_NONE)
			continue;
		printf("%s", comma);
		put(name);
		comma = ",\n";
	}
	printf(".\n");
}

static void screen_settings(void)
{
	printf(".Bl -tag -width indent -compact\n");
#define X(name, text, values, meaning) item(text "=" values, meaning);
	BW_SCREEN_SETTING_TABLE(X)
#undef X
	printf(".El\n");
}

static void request(enum bw_request number, const char *keys, const char *command_line, const char *help)
{
	char name[32];
	bw_request_print(number, name);
	printf(".It Ic ");
	put(name);
	printf(" Pq Li \"\\&");
	put(keys);
	printf("\"\n");
	put(help);
	if (*command_line) {
		printf("; same as\n.Ic ");
		put(command_line);
	}
	putchar('\n');
}

static void requests(void)
{
	printf(".Bl -tag -width indent -compact\n");
#define X(name, keys, command, help) request(BW_REQUEST_##name, keys, command, help);
	BW_REQUEST_TABLE(X)
#undef X
	printf(".El\n");
}

static void schedule_features(void)
{
	printf(".Bl -tag -width indent -compact\n");
	for (int i = 0; i < BW_SCHEDULE_FEATURES; i++) {
		const struct bw_feature_text *text = bw_schedule_feature_text((enum bw_schedule_feature)i);
		struct bw_text meaning = {0};
		bw_text_printf(&meaning, "%s (%s)", text->meaning, text->unit);
		item(text->name, bw_text_get(&meaning));
		bw_text_free(&meaning);
	}
	printf(".El\n");
}

static void pipeline_features(void)
{
	printf(".Bl -tag -width indent -compact\n");
	for (int row = 0; row < BW_PIPELINE_FEATURE_ROWS; row++) {
		struct bw_text meaning = {0};
		bw_pipeline_feature_meaning(row, &meaning);
		item(bw_pipeline_feature_row(row), bw_text_get(&meaning));
		bw_text_free(&meaning);
	}
	printf(".El\n");
}

static const struct {
	const char *name;
	void (*write)(void);
} tables[] = {
	{"@statuses@", statuses},
	{"@commands@", commands},
	{"@views@", views},
	{"@figures@", figures},
	{"@func_figures@", func_figures},
	{"@code_figures@", code_figures},
	{"@lesson_words@", lesson_words},
	{"@facts@", facts},
	{"@key_names@", key_names},
	{"@screen_settings@", screen_settings},
	{"@requests@", requests},
	{"@rules@", rules},
	{"@fates@", fates},
	{"@stages@", stages},
	{"@options@", options},
	{"@sites@", sites},
	{"@variants@", variants},
	{"@terms@", terms},
	{"@latency_terms@", latency_terms},
	{"@latency_constants@", latency_constants},
	{"@components@", components},
	{"@goodness@", goodness},
	{"@devices@", devices},
	{"@rates@", rates},
	{"@schedule_features@", schedule_features},
	{"@pipeline_features@", pipeline_features},
};

/* Writes one line of the page, or the table that it names. Returns false if there is no such table. */
static bool put_line(const char *line)
{
	if (*line != '@') {
		puts(line);
		return true;
	}
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (strcmp(line, tables[i].name) == 0) {
			tables[i].write();
			return true;
		}
	return false;
}

int main(int argc, char **argv)
{
	struct bw_text page = {0};
	struct bw_error error = {0};
	if (argc != 2 || !bw_file_read(argv[1], 1 << 20, &page, &error)) {
		fprintf(stderr, "tables: %s\n", argc == 2 ? error.text : "usage: tables PAGE");
		return 1;
	}
	char *rest = page.bytes, *line;
	while ((line = strsep(&rest, "\n")) && rest)
		if (!put_line(line)) {
			fprintf(stderr, "tables: %s: there is no table %s\n", argv[1], line);
			return 1;
		}
	bw_text_free(&page);
	return fflush(stdout) == 0 ? 0 : 1;
}
