/* The prompt without a screen: editing as in a shell, keys that libedit must not see, an emptied line, tens of thousands of keys,
 * history across instances. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../core/test.h"
#include "ui/prompt.h"

/* What ncurses' terminfo keeps of each terminal that libedit looks up. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:_nc_trim_sgr0\n";
}

static enum bw_prompt_state press(struct bw_prompt *prompt, uint32_t code, struct bw_text *line)
{
	return bw_prompt_key(prompt, (struct bw_key){.code = code}, line);
}

static uint32_t key_of(char c)
{
	return c == ' ' ? BW_KEY_SPACE : c == '\n' ? BW_KEY_ENTER : c == '<' ? BW_KEY_BACKSPACE : (uint32_t)(unsigned char)c;
}

/* Types keys: `<` is Backspace. Returns what the last gave. */
static enum bw_prompt_state type(struct bw_prompt *prompt, const char *keys, struct bw_text *line)
{
	enum bw_prompt_state state = BW_PROMPT_EDITING;
	for (; *keys; keys++)
		state = press(prompt, key_of(*keys), line);
	return state;
}

static struct bw_prompt *new_prompt(const char *history)
{
	struct bw_error error;
	struct bw_prompt *prompt = bw_prompt_new(history, &error);
	if (!prompt)
		fail_msg("%s", error.text);
	return prompt;
}

static void lines_are_edited(void **state)
{
	static const struct {
		const char *keys, *line;
	} cases[] = {
		{"freeze Ix\n", "freeze Ix"},
		{"\n", ""},
		{"abc<<d\n", "ad"},
		{"abc\001x\n", "xabc"},          /* ^A */
		{"one two\027three\n", "one three"}, /* ^W */
		{"abc\001\004\n", "bc"},         /* ^D deletes under the cursor */
		{"abc\004\n", "abc"},            /* and nothing at the end */
		{"abc\025xyz\n", "xyz"},         /* ^U, then an empty line: libedit's NULL */
		{"a<b\n", "b"},
		{"a\022b\026c\030d\n", "abcd"},  /* ^R ^V ^X would read keys by themselves */
	};
	struct bw_prompt *prompt = new_prompt(NULL);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_text line = {0};
		bw_prompt_open(prompt, ':');
		assert_int_equal(type(prompt, cases[i].keys, &line), BW_PROMPT_ENTERED);
		assert_string_equal(bw_text_get(&line), cases[i].line);
		assert_int_equal(bw_prompt_kind(prompt), 0);
		bw_text_free(&line);
	}
	bw_prompt_free(prompt);
}

static void it_is_left(void **state)
{
	struct bw_prompt *prompt = new_prompt(NULL);
	static const uint32_t leaving[] = {BW_KEY_ESCAPE, 'c' & 31};
	for (size_t i = 0; i < 2; i++) {
		bw_prompt_open(prompt, '/');
		assert_int_equal(bw_prompt_kind(prompt), '/');
		type(prompt, "abc", NULL);
		assert_int_equal(press(prompt, leaving[i], NULL), BW_PROMPT_LEFT);
	}
	bw_prompt_open(prompt, ':');
	assert_int_equal(type(prompt, "a<", NULL), BW_PROMPT_EDITING);
	assert_int_equal(type(prompt, "<", NULL), BW_PROMPT_LEFT);
	bw_prompt_free(prompt);
}

static void completion_and_paste_insert(void **state)
{
	struct bw_prompt *prompt = new_prompt(NULL);
	struct bw_text before = {0}, line = {0};
	bw_prompt_open(prompt, ':');
	type(prompt, "fr x\002\002", NULL); /* ^B twice */
	assert_int_equal(press(prompt, BW_KEY_TAB, NULL), BW_PROMPT_COMPLETE);
	bw_prompt_before_cursor(prompt, &before);
	assert_string_equal(bw_text_get(&before), "fr");
	bw_prompt_insert(prompt, "ee\nze");
	type(prompt, "\n", &line);
	assert_string_equal(bw_text_get(&line), "free ze x");
	bw_text_free(&before);
	bw_text_free(&line);
	bw_prompt_free(prompt);
}

/* Echo that nobody reads would stop libedit after some 19,000 keys. */
static void many_keys_do_not_stop_it(void **state)
{
	struct bw_prompt *prompt = new_prompt(NULL);
	bw_prompt_open(prompt, ':');
	for (int i = 0; i < 30000; i++)
		press(prompt, i % 2 ? BW_KEY_BACKSPACE : 'x', NULL);
	struct bw_text line = {0};
	type(prompt, "end\n", &line);
	assert_string_equal(bw_text_get(&line), "end");
	bw_text_free(&line);
	bw_prompt_free(prompt);
}

static void a_long_line_is_shown_around_its_cursor(void **state)
{
	struct bw_prompt *prompt = new_prompt(NULL);
	struct bw_grid grid = bw_grid_new(12, 1, false);
	bw_prompt_open(prompt, ':');
	type(prompt, "abcdefghijklmnop", NULL);
	int x = bw_prompt_draw(prompt, &grid, bw_grid_rect(&grid));
	assert_int_equal(bw_grid_at(&grid, x - 1, 0)->glyph, 'p');
	assert_true(x < 12);
	for (int i = 0; i < 16; i++)
		press(prompt, BW_KEY_LEFT, NULL);
	bw_grid_clear(&grid);
	assert_int_equal(bw_prompt_draw(prompt, &grid, bw_grid_rect(&grid)), 1);
	assert_int_equal(bw_grid_at(&grid, 1, 0)->glyph, 'a');
	bw_grid_free(&grid);
	bw_prompt_free(prompt);
}

/* Microseconds of processor time that it takes to draw a line of n characters, with the cursor at its end. */
static double drawing(int n)
{
	struct bw_prompt *prompt = new_prompt(NULL);
	struct bw_grid grid = bw_grid_new(80, 1, false);
	struct bw_text text = {0};
	struct timespec begin, end;
	enum { DRAWN = 50 };
	for (int i = 0; i < n; i++)
		bw_text_puts(&text, "x");
	bw_prompt_open(prompt, ':');
	bw_prompt_insert(prompt, bw_text_get(&text));
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	for (int i = 0; i < DRAWN; i++)
		bw_prompt_draw(prompt, &grid, bw_grid_rect(&grid));
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	assert_int_equal(bw_grid_at(&grid, 70, 0)->glyph, 'x');
	bw_text_free(&text);
	bw_grid_free(&grid);
	bw_prompt_free(prompt);
	return ((double)(end.tv_sec - begin.tv_sec) * 1e6 + (double)(end.tv_nsec - begin.tv_nsec) * 1e-3) / DRAWN;
}

/* What is seen of a line is drawn, and not the rest: its length costs nothing. */
static void a_long_line_is_drawn_as_fast_as_a_short_one(void **state)
{
	double some = drawing(500), many = drawing(20000);
	if (many > 10 * some + 20)
		fail_msg("%.1f us for 500 characters, %.1f us for 20000", some, many);
}

static char folder[] = "/tmp/beamwalk-history-XXXXXX";

static void history_outlives_the_prompt(void **state)
{
	char path[64];
	snprintf(path, sizeof path, "%s/a/b/history", folder);
	struct bw_prompt *prompt = new_prompt(path);
	struct bw_text line = {0};
	static const char *const entered[] = {":first\n", ":   \n", "/no command\n"};
	for (size_t i = 0; i < 3; i++) {
		bw_prompt_open(prompt, entered[i][0]);
		type(prompt, entered[i] + 1, &line);
	}
	bw_prompt_free(prompt);
	bw_text_clear(&line);
	prompt = new_prompt(path);
	bw_prompt_open(prompt, ':');
	press(prompt, BW_KEY_UP, NULL);
	press(prompt, BW_KEY_UP, NULL);
	type(prompt, "!\n", &line);
	assert_string_equal(bw_text_get(&line), "first!");
	bw_text_free(&line);
	bw_prompt_free(prompt);
}

static void count_line(const char *line, void *data)
{
	int *counts = data;
	assert_true(strlen(line) == 5 && line[0] >= 'a' && line[0] <= 'd');
	counts[line[0] - 'a']++;
}

static void instances_do_each_other_no_harm(void **state)
{
	char path[64], line[6];
	snprintf(path, sizeof path, "%s/shared", folder);
	for (int child = 0; child < 4; child++) {
		if (fork() != 0)
			continue;
		for (int i = 0; i < 100; i++) {
			snprintf(line, sizeof line, "%c%04d", 'a' + child, i);
			bw_history_append(path, line);
		}
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	int counts[4] = {0};
	bw_history_read(path, 1000, count_line, counts);
	for (int child = 0; child < 4; child++)
		assert_true(counts[child] > 0 && counts[child] <= 100);
	int all = counts[0] + counts[1] + counts[2] + counts[3], few[4] = {0};
	bw_history_read(path, 10, count_line, few);
	assert_int_equal(few[0] + few[1] + few[2] + few[3], all < 10 ? all : 10);
	bw_history_read("/proc/self/mem/none", 10, count_line, NULL);
}

static void a_file_that_has_grown_is_cut(void **state)
{
	char path[64];
	snprintf(path, sizeof path, "%s/long", folder);
	for (int i = 0; i < 20000; i++)
		bw_history_append(path, "a0000");
	int counts[4] = {0};
	bw_history_read(path, 100000, count_line, counts);
	assert_true(counts[0] > 4000 && counts[0] < 20000);
}

static int make_folder(void **state)
{
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[64];
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_edited),
		cmocka_unit_test(it_is_left),
		cmocka_unit_test(completion_and_paste_insert),
		cmocka_unit_test(many_keys_do_not_stop_it),
		cmocka_unit_test(a_long_line_is_shown_around_its_cursor),
		cmocka_unit_test(a_long_line_is_drawn_as_fast_as_a_short_one),
		cmocka_unit_test(history_outlives_the_prompt),
		cmocka_unit_test(instances_do_each_other_no_harm),
		cmocka_unit_test(a_file_that_has_grown_is_cut),
	};
	setlocale(LC_CTYPE, "C.UTF-8");
	setenv("TERM", "xterm", 1);
	return cmocka_run_group_tests_name("prompt", tests, make_folder, remove_folder);
}
