/* The report: a well-formed page that refers to nothing outside of it, the same each time, whose figures are those of `view --json`; text with all that
 * means something in XML comes out escaped. */
#include <math.h>
#include <stdio.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "../core/test.h"
#include "../session/answers.h"
#include "../session/session_test.h"
#include "base/mem.h"
#include "base/say.h"
#include "command/report.h"
#include "page/html.h"
#include "page/page.h"
#include "session/explain.h"
#include "ui/print.h"

enum { MOST_DEPTH = 64, MOST_FIGURES = 4096 };

/* Returns the end of a tag that begins here, with its attributes checked: each has a value in double quotes without `<`, and no name comes twice. */
static const char *check_attributes(const char *at)
{
	const char *begin = at;
	while (*at && *at != '>' && strncmp(at, "/>", 2)) {
		size_t blanks = strspn(at, " \n"), name = strcspn(at + blanks, "= >/");
		char attribute[64];
		assert_true(blanks > 0 && name > 0 && name + 3 < sizeof attribute && at[blanks + name] == '=' && at[blanks + name + 1] == '"');
		snprintf(attribute, sizeof attribute, " %.*s=\"", (int)name, at + blanks);
		const char *earlier = strstr(begin, attribute);
		assert_true(earlier == at + blanks - 1 || (at[0] == '\n' && !earlier) || (earlier && earlier > at));
		at += blanks + name + 2;
		at += strcspn(at, "\"<");
		assert_int_equal(*at, '"');
		at++;
	}
	return at;
}

/* Checks that every tag is closed in its turn, and that & begins one of the five names of XML. */
static void check_well_formed(const char *page)
{
	static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
	static const char doctype[] = "<!DOCTYPE html>\n";
	char open[MOST_DEPTH][32];
	int depth = 0;
	assert_memory_equal(page, doctype, sizeof doctype - 1);
	for (const char *at = page + sizeof doctype - 1; *at; at++) {
		bool known = *at != '&';
		for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
			known |= !strncmp(at, entities[i], strlen(entities[i]));
		assert_true(known && *at != '>');
		assert_true((unsigned char)*at >= 0x20 || *at == '\n' || *at == '\t');
		if (*at != '<')
			continue;
		bool closes = at[1] == '/';
		const char *name = at + 1 + closes;
		size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");
		assert_true(length > 0 && length < sizeof *open && (closes || depth < MOST_DEPTH));
		if (closes) {
			assert_true(depth > 0 && strlen(open[depth - 1]) == length && !strncmp(name, open[depth - 1], length) && name[length] == '>');
			depth--;
			at = name + length;
			continue;
		}
		at = check_attributes(name + length);
		if (*at == '/')
			at++;
		else
			snprintf(open[depth++], sizeof *open, "%.*s", (int)length, name);
		assert_int_equal(*at, '>');
	}
	assert_int_equal(depth, 0);
}

/* Checks that the page refers to nothing but itself. */
static void check_alone(const char *page)
{
	static const char *const never[] = {"<script", "<link", "<img", "<iframe", "<object", "<embed", "src=", "srcset=", "@import", "url("};
	for (size_t i = 0; i < sizeof never / sizeof *never; i++)
		assert_null(strstr(page, never[i]));
	for (const char *at = strstr(page, "href=\""); at; at = strstr(at + 1, "href=\"")) {
		char id[64];
		assert_int_equal(at[6], '#');
		snprintf(id, sizeof id, " id=\"%.*s\"", (int)strcspn(at + 7, "\""), at + 7);
		assert_non_null(strstr(page, id));
	}
}

static char *page_of(struct bw_session *session)
{
	struct bw_text page = {0};
	struct bw_error error;
	assert_true(bw_page_write(session, &page, &error));
	return bw_text_take(&page);
}

/* Reads the figures between the first row that has this id and the end of its table; returns how many. */
static int figures_of(const char *page, const char *id, double *figures)
{
	char begin[64];
	snprintf(begin, sizeof begin, "<tbody id=\"%s\">", id);
	const char *at = strstr(page, begin), *end = at ? strstr(at, "</tbody>") : NULL;
	int n = 0;
	assert_non_null(end);
	for (at = strstr(at, "<data value=\""); at && at < end; at = strstr(at + 1, "<data value=\"")) {
		assert_true(n < MOST_FIGURES);
		figures[n++] = strtod(at + 13, NULL);
	}
	return n;
}

/* Checks that a table has a figure for each key of each object of a list, in this order. */
static void check_figures(const char *page, const char *id, const json_t *list, int n_keys, const char *const *keys)
{
	static double figures[MOST_FIGURES];
	int n = figures_of(page, id, figures);
	assert_true(json_array_size(list) > 0);
	assert_int_equal(n, (int)json_array_size(list) * n_keys);
	for (int i = 0; i < n; i++) {
		json_t *value = json_object_get(json_array_get(list, (size_t)(i / n_keys)), keys[i % n_keys]);
		assert_true(json_is_number(value));
		assert_true(fabs(figures[i] - json_number_value(value)) <= 1e-8 * fabs(json_number_value(value)));
	}
}

static json_t *view_of(struct bw_session *session, const char *line)
{
	char *text = session_do(session, line);
	json_t *json = json_loads(text, 0, NULL);
	free(text);
	assert_non_null(json);
	return json;
}

static void figures_are_those_of_json(void **state)
{
	static const char *const pipelines[] = {"harris", "unsharp", "hist_equalize"},
				 *const kernel_keys[] = {"share", "ms", "shared_bytes", "occupancy", "bound_share"}, *const func_keys[] = {"share"},
				 *const cpu_keys[] = {"share", "ms", "shared_bytes", "bound_share"};
	for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; i++) {
		struct bw_session *session = session_open_on(pipelines[i], 4);
		free(session_do(session, "run end"));
		char *page = page_of(session), *again = page_of(session);
		check_well_formed(page);
		check_alone(page);
		assert_string_equal(page, again);
		const char *film = strstr(page, "<summary>The search as a film"), *end = film ? strstr(film, "</details>") : NULL;
		assert_true(end && memmem(film, (size_t)(end - film), "<animate", 8));
		assert_null(strstr(page, "id=\"code\"")); /* nothing was compiled */
		assert_null(strstr(page, "></data>")); /* a cell without a figure is empty: a narrow page leaves it out */
		json_t *roofline = view_of(session, "view --json roofline"), *graph = view_of(session, "view --json graph");
		bool cpu = session->options.device->cpu;
		check_figures(page, "kernel-rows", json_object_get(roofline, "kernels"), cpu ? 4 : 5, cpu ? cpu_keys : kernel_keys);
		check_figures(page, "func-rows", json_object_get(graph, "funcs"), 1, func_keys);
		json_decref(roofline);
		json_decref(graph);
		free(page);
		free(again);
		session_close(session);
	}
}

/* The decisions stand in the order of what their runner-ups would cost at the end: those that cost most, though
 * not all were gone on with for the page. */
static void decisions_by_their_regret(void **state)
{
	static double figures[MOST_FIGURES];
	struct bw_session *session = session_open_on("harris", 8);
	free(session_do(session, "run end"));
	char *page = page_of(session);
	double now = bw_session_cost(session)->total;
	int n_regrets, n = figures_of(page, "decision-rows", figures);
	assert_true(n >= 4 && n % 2 == 0);
	for (int i = 0; i < n; i += 2) {
		assert_true(fabs(figures[i + 1] * now / figures[i] - 1) < 1e-7);
		assert_true(i == 0 || figures[i] <= figures[i - 2]);
	}
	assert_true(bw_regrets_found(session, n / 2) && bw_regrets_progress(session, &n_regrets) < n_regrets);
	bw_regrets_finish(session, INT_MAX);
	const struct bw_regret *list = bw_regrets(session, &n_regrets);
	for (int i = 0; i < n; i += 2) {
		int greater = 0;
		for (int k = 0; k < n_regrets; k++)
			greater += list[k].cost > figures[i] * (1 + 1e-7);
		assert_int_equal(greater, i / 2);
	}
	free(page);
	session_close(session);
}

/* Returns the first number behind `words`; fails if they are not there. */
static double number_behind(const char *text, const char *words)
{
	const char *at = strstr(text, words);
	assert_non_null(at);
	return strtod(at + strlen(words), NULL);
}

/* `why best`, `why search`, the search view, its figures in JSON and the report name one decision, the one whose runner-up would cost most at
 * the end, and the same cost. A change of the search drops what was found. */
static void one_decision_decided(void **state)
{
	struct bw_session *session = session_open_on("harris", 4);
	bw_session_hooks(session)->print = bw_print_view;
	free(session_do(session, "set cost_model=latency"));
	char *text = session_do(session, "why search");
	assert_non_null(strstr(text, "the search is not at its end"));
	free(text);
	free(session_do(session, "run end"));
	static const char *const lines[] = {"why best", "why search", "view search", "report"};
	text = session_do(session, "view --json search");
	json_t *json = json_loads(text, 0, NULL), *list = json_object_get(json, "runners_up");
	free(text);
	size_t n = json_array_size(list);
	double most = 0;
	int decided = 0;
	for (size_t i = 0; i < n; i++) {
		double cost = json_number_value(json_object_get(json_array_get(list, i), "cost"));
		decided = cost > most ? (int)json_integer_value(json_object_get(json_array_get(list, i), "decision")) : decided;
		most = fmax(most, cost);
	}
	assert_true(n > 3 && most > bw_session_state(session)->cost);
	assert_int_equal(json_integer_value(json_object_get(json, "decided")), decided);
	json_decref(json);
	char words[160], figure[32];
	struct bw_text name = {0};
	bw_session_decision_name(session, decided - 1, &name);
	snprintf(words, sizeof words, "decided at %s: its runner-up would cost ", bw_text_get(&name));
	bw_text_free(&name);
	snprintf(figure, sizeof figure, "%.4g", most);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		text = strcmp(lines[i], "report") ? session_do(session, lines[i]) : page_of(session);
		assert_true(number_behind(text, words) == strtod(figure, NULL));
		free(text);
	}
	text = session_do(session, "why best");
	const char *first = strchr(strstr(text, "decided at"), '\n'), *last = strstr(text, "its way here");
	int rows = 0;
	for (const char *at = first; at < last && at; at = strchr(at + 1, '\n'))
		rows++;
	assert_int_equal(rows, 1 + 3 + (n > 3));
	assert_true(number_behind(first, "  ") == 0 && strtod(strchr(first + 3, ' '), NULL) == strtod(figure, NULL));
	free(text);
	free(session_do(session, "reject Ix inline"));
	assert_int_equal(bw_regrets_progress(session, &rows), 0);
	assert_int_equal(rows, 0);
	session_close(session);
}

/* The first shot, whose turns overlap with those of the fastest, is a tie wherever it stands; the one by hand is not. */
static void a_difference_within_the_noise_is_a_tie(void **state)
{
	struct answers answers = {.noisy = true};
	struct bw_meter meter = answers_meter(&answers);
	struct bw_error error = {0};
	struct bw_session *session = session_open_on("harris", 8);
	struct bw_tuning_request request = {.strategy = BW_TUNE_TOP, .budget.samples = 20, .meter = &meter};
	assert_true(bw_session_tune(session, &request, &error));
	while (bw_session_tunes(session))
		bw_session_work(session, 1);
	const struct bw_tuning *tuning = bw_session_tuning(session);
	assert_int_equal(tuning->n_rounds, 3);
	assert_true(bw_tuning_ties(tuning, tuning->samples[0].number));
	assert_non_null(strstr(session->message, "fastest 0.035 ms, first shot 0.035 ms, a tie; "));
	free(session_do(session, "run end"));
	char *page = page_of(session);
	assert_non_null(strstr(page, ", a tie when measured in turns."));
	assert_non_null(strstr(page, "<td>a tie with the fastest</td>"));
	const char *hand = strstr(page, "<td>by hand</td>"), *rows = strstr(page, "class=\"tuning-rows\"");
	assert_true(hand && rows && strstr(hand, "1.429 times the fastest"));
	assert_non_null(strstr(rows, ">tie</data></td>"));
	free(page);
	session_close(session);
}

static void text_is_escaped(void **state)
{
	static const struct {
		const char *text, *escaped;
	} cases[] = {
		{"a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c&#39;"},
		{"</style><script>", "&lt;/style&gt;&lt;script&gt;"},
		{"\xc3\xa4 \xe2\x96\x88", "\xc3\xa4 \xe2\x96\x88"},
		{"\x01\x1f\x7f\n\t", "\xef\xbf\xbd\xef\xbf\xbd\x7f\n\t"},
		{"\xc3", "\xef\xbf\xbd"},
		{"\xff\xc0\x80x", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdx"},
		{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xef\xbf\xbf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_text out = {0};
		bw_html_text(&out, cases[i].text);
		assert_string_equal(bw_text_get(&out), cases[i].escaped);
		bw_text_free(&out);
	}
}

static int count_of(const char *text, const char *what)
{
	int n = 0;
	for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
		n++;
	return n;
}

/* The film of a search: well-formed SVG without scripts, in which each decision but the last one is seen for its time; as text a frame for each. */
static void a_film_has_a_frame_for_each_decision(void **state)
{
	struct bw_session *session = session_open_on("harris", 4);
	struct bw_text film = {0};
	struct bw_error error;
	assert_false(bw_page_film(session, &film, &error));
	free(session_do(session, "run end"));
	bw_text_puts(&film, "<!DOCTYPE html>\n");
	assert_true(bw_page_film(session, &film, &error));
	const char *svg = bw_text_get(&film);
	check_well_formed(svg);
	assert_int_equal(count_of(svg, "<script"), 0);
	assert_int_equal(count_of(svg, "to=\"visible\" begin=\"film.begin+"), 25);
	assert_int_equal(count_of(svg, " options pruned"), 26);
	bw_session_hooks(session)->print = bw_print_view;
	char *text = session_do(session, "play");
	assert_int_equal(count_of(text, "SEARCH: decision "), 26);
	assert_non_null(strstr(text, "SEARCH: decision 26 of 26"));
	free(text);
	session_refuses(session, "play film.html", &error);
	session_refuses(session, "play quickly", &error);
	session_refuses(session, "play step", &error);
	bw_text_free(&film);
	session_close(session);
}

static void command_writes_the_page(void **state)
{
	struct bw_session *session = session_open();
	struct bw_error error;
	char line[512];
	snprintf(line, sizeof line, "report %s", session_path("a.html"));
	session_refuses(session, line, &error);
	assert_non_null(strstr(error.text, "nothing here writes reports"));
	bw_session_hooks(session)->page = bw_page_write;
	session_refuses(session, line, &error);
	assert_string_equal(error.text, "state 1 is not complete at decision 0; `run` goes to the end of the search");
	free(session_do(session, "run end"));
	session_refuses(session, "report", &error);
	assert_string_equal(error.text, "report which file?");
	session_refuses(session, "report /no/such/folder/a.html", &error);
	free(session_do(session, line));
	assert_non_null(strstr(session->message, "report on state 1 written to "));
	char *page = page_of(session), *written = session_read("a.html");
	assert_string_equal(page, written);
	free(page);
	free(written);
	session_close(session);
}

/* A kernel of `schedule --json`. */
struct said_kernel {
	const char *name, *limiter;
	double share, occupancy;
};

/* The cost of a stage in `schedule --json`; stage -1: of all stages of the Func. */
static double stage_cost(const json_t *all, const char *func, int stage)
{
	const json_t *list = json_object_get(all, "stages");
	double cost = 0;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *one = json_array_get(list, i);
		if (!strcmp(json_string_value(json_object_get(one, "func")), func) && (stage < 0 || stage == json_integer_value(json_object_get(one, "stage"))))
			cost += json_number_value(json_object_get(one, "cost_ms"));
	}
	return cost;
}

static struct said_kernel kernel_of(const json_t *all, size_t k)
{
	const json_t *one = json_array_get(json_object_get(all, "kernels"), k), *fused = json_object_get(one, "fused");
	struct said_kernel kernel = {json_string_value(json_object_get(one, "func")), json_string_value(json_object_get(one, "limited_by")), 0, json_number_value(json_object_get(one, "occupancy"))};
	kernel.share = stage_cost(all, kernel.name, (int)json_integer_value(json_object_get(one, "stage")));
	for (size_t m = 0; m < json_array_size(fused); m++)
		kernel.share += stage_cost(all, json_string_value(json_array_get(fused, m)), -1);
	kernel.share /= json_number_value(json_object_get(all, "cost_ms"));
	return kernel;
}

/* Whatever follows these words in a text is one of some figures; how many there were. */
static int follows(const char *view, const char *text, const char *words, const char figures[][32], int n)
{
	int found = 0;
	for (const char *at = text; (at = strstr(at, words)); found++) {
		bool known = false;
		at += strlen(words);
		at += strspn(at, " ");
		for (int i = 0; i < n; i++)
			known |= !strncmp(at, figures[i], strlen(figures[i]));
		if (!known)
			fail_msg("%s: \"%s%.20s\" is not said by `schedule --json`", view, words, at);
	}
	return found;
}

/* Every view of six pipelines, the report and the JSON of a view say of a kernel's share and occupancy, of what limits it, and of the cost what
 * `schedule --json` says: the words that stand before such a figure are searched for in all of them. */
static void figures_agree_everywhere(void **state)
{
	static const char *const pipelines[] = {"harris", "unsharp", "camera_pipe", "mat_mul", "bilateral_grid", "hist_equalize"};
	enum { MOST = 64 };
	(void)state;
	for (size_t p = 0; p < sizeof pipelines / sizeof *pipelines; p++) {
		struct bw_session *session = session_open_on(pipelines[p], 4);
		struct bw_text text = {0}, page = {0};
		bw_session_hooks(session)->print = bw_print_view;
		free(session_do(session, "set cost_model=latency"));
		free(session_do(session, "run end"));
		bw_report_json(session, bw_session_state(session), &(struct bw_text){0}, &text);
		json_t *all = json_loads(bw_text_get(&text), 0, NULL);
		int n_views, n = (int)json_array_size(json_object_get(all, "kernels")), counts[4] = {0};
		const struct bw_view_info *infos = bw_view_infos(&n_views);
		char cost[1][32], occupancies[MOST][32], shares[MOST][32], words[MOST][80], decided[1][32], decides[96];
		assert_true(n > 0 && n <= MOST);
		snprintf(cost[0], sizeof cost[0], "%s", bw_say_cost(json_number_value(json_object_get(all, "cost_ms"))).text);
		for (int k = 0; k < n; k++) {
			struct said_kernel kernel = kernel_of(all, (size_t)k);
			snprintf(occupancies[k], sizeof occupancies[k], "%s (%.16s)", bw_say_percent(kernel.occupancy).text, kernel.limiter);
			snprintf(shares[k], sizeof shares[k], "%s", bw_say_percent(kernel.share).text);
			snprintf(words[k], sizeof words[k], "kernel %s  ", kernel.name);
		}
		struct bw_error error;
		assert_true(bw_page_write(session, &page, &error));
		check_well_formed(bw_text_get(&page));
		json_t *search = view_of(session, "view --json search");
		size_t at_decision = (size_t)json_integer_value(json_object_get(search, "decided")) - 1;
		snprintf(decides, sizeof decides, "decided at %s: its runner-up would cost ", json_string_value(json_object_get(json_array_get(json_object_get(search, "decisions"), at_decision), "decision")));
		snprintf(decided[0], sizeof decided[0], "%.4g ", bw_regret_at(session, (int)at_decision)->cost);
		assert_true(!json_object_get(search, "polish") || fabs(json_number_value(json_object_get(json_object_get(search, "polish"), "after")) / json_number_value(json_object_get(all, "cost_ms")) - 1) < 1e-7);
		json_decref(search);
		for (int v = 0; v <= n_views; v++) {
			char line[64];
			if (v < n_views && infos[v].kind == BW_VIEW_ABOUT)
				continue; /* no figures: it says what words mean */
			snprintf(line, sizeof line, "view %s", v < n_views ? infos[v].name : "");
			char *shown = v < n_views ? session_do(session, line) : bw_strdup(bw_text_get(&page));
			for (char *at = shown; v == n_views && (at = strstr(at, "&lt;"));) {
				*at = '<';
				memmove(at + 1, at + 4, strlen(at + 4) + 1);
			}
			counts[0] += follows(line, shown, "waves   occupancy ", occupancies, n);
			counts[1] += follows(line, shown, "best: ", cost, 1);
			int named = follows(line, shown, decides, decided, 1);
			assert_true(named > 0 || !strstr(shown, "decided at "));
			counts[3] += named;
			for (int k = 0; k < n; k++) {
				/* Several stages of one Func may be kernels. */
				counts[2] += follows(line, shown, words[k], shares, n);
			}
			free(shown);
		}
		assert_true(counts[0] >= 2 * n && counts[1] >= 1 && counts[2] >= 2 * n && counts[3] >= 2);
		char *roofline = session_do(session, "view --json roofline");
		json_t *kernels = json_loads(roofline, 0, NULL), *list = json_object_get(kernels, "kernels");
		assert_int_equal(json_array_size(list), n);
		for (size_t i = 0; i < json_array_size(list); i++) {
			const json_t *one = json_array_get(list, i);
			bool same = false;
			for (int k = 0; k < n; k++) {
				struct said_kernel kernel = kernel_of(all, (size_t)k);
				same |= !strcmp(kernel.name, json_string_value(json_object_get(one, "kernel"))) && fabs(kernel.share - json_number_value(json_object_get(one, "share"))) < 1e-6 &&
					fabs(kernel.occupancy - json_number_value(json_object_get(one, "occupancy"))) < 1e-6 && !strcmp(kernel.limiter, json_string_value(json_object_get(one, "limiter")));
			}
			assert_true(same);
		}
		json_decref(kernels);
		json_decref(all);
		free(roofline);
		bw_text_free(&text);
		bw_text_free(&page);
		session_close(session);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_those_of_json),
		cmocka_unit_test(figures_agree_everywhere),
		cmocka_unit_test(decisions_by_their_regret), cmocka_unit_test(one_decision_decided),
		cmocka_unit_test(a_difference_within_the_noise_is_a_tie),
		cmocka_unit_test(text_is_escaped),
		cmocka_unit_test(command_writes_the_page),
		cmocka_unit_test(a_film_has_a_frame_for_each_decision),
	};
	return cmocka_run_group_tests_name("page", tests, session_group_open, session_group_close);
}
