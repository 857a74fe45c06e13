/* beamwalkrc(5): keys by their names, what is taken and what is refused with which line; what keys then do, and what the screen says of them. */
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "made.h"
#include "ui/config.h"

/* Every key that can be bound has a name that is read back; others have none. */
static void keys_have_names(void **state)
{
	static const struct {
		const char *name;
		uint32_t code;
		bool alt;
	} keys[] = {
		{"x", 'x', false}, {"X", 'X', false}, {"M-x", 'x', true}, {"^R", 'r' & 31, false}, {"^r", 'r' & 31, false}, {"^", '^', false}, {"M-", 0, false}, {"-", '-', false},
		{"Space", BW_KEY_SPACE, false}, {"space", BW_KEY_SPACE, false}, {"F1", BW_KEY_F1, false}, {"F12", BW_KEY_F12, false}, {"F13", 0, false}, {"M-Left", BW_KEY_LEFT, true},
		{"Bksp", BW_KEY_BACKSPACE, false}, {"S-Tab", BW_KEY_BACKTAB, false}, {"\303\244", 0xe4, false}, {"\342\202\254", 0x20ac, false},
		{"Esc", 0, false}, {"^C", 0, false}, {"^Z", 0, false}, {"^L", 0, false}, {"^[", 0, false}, {"^I", 0, false}, {"^M", 0, false}, {"^AB", 0, false}, {"mouse", 0, false}, {"wheel up", 0, false},
		{"", 0, false}, {"xy", 0, false}, {" ", 0, false}, {"\377", 0, false}, {"\177", 0, false}, {"M-M-x", 0, false},
	};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		struct bw_key key = bw_key_parse(keys[i].name);
		char name[BW_KEY_NAME_SIZE];
		if (key.code != keys[i].code || key.alt != keys[i].alt)
			fail_msg("\"%s\": %#x, alt %d", keys[i].name, key.code, key.alt);
		bw_key_print(key, name);
		if (key.code)
			assert_int_equal(bw_key_parse(name).code, key.code);
		else
			assert_string_equal(name, "");
	}
	for (uint32_t code = BW_KEY_FIRST + 1; code < BW_KEY_MOUSE; code++)
		if (code != BW_KEY_ESCAPE)
			assert_int_equal(bw_key_parse(bw_key_name(code)).code, code);
}

static void what_is_refused_has_its_line(void **state)
{
	static const char *const cases[][2] = {
		{"bind", "rc:1: bind takes a key and a command, as in: bind F5 run end"},
		{"# a comment\n\n bind x\n", "rc:3: bind takes a key and a command"},
		{"bind Esc why", "rc:1: \"Esc\" is no key that can be bound; as in Space, ^R, F5, M-x or x"},
		{"bind x nothing", "rc:1: no command \"nothing\"; `help` lists them"},
		{"bind x do nothing", "rc:1: \"do nothing\": no such request; beamwalkrc(5) lists them"},
		{"bind x s", "rc:1: \"s\" could be step scheduler sweep select"},
		{"set beam=8\nset bean=8", "rc:2: no option \"bean\""},
		{"set color=red", "rc:1: color takes one of auto always never, not \"red\""},
		{"set mouse", "rc:1: mouse takes one of 0 1, not \"\""},
		{"set partial_schedule=a", "rc:1: partial_schedule is of one pipeline, and no default"},
		{"unbind x", "rc:1: expected bind, set or a comment, found \"unbind x\""},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_config config = {0};
		struct bw_error error = {0};
		assert_false(bw_config_parse("rc", cases[i][0], &config, &error));
		if (strncmp(error.text, cases[i][1], strlen(cases[i][1])) != 0)
			fail_msg("%s: %s", cases[i][0], error.text);
		assert_int_equal(error.kind, BW_ERROR_INPUT);
		assert_null(config.keymap.list);
		assert_null(config.defaults);
	}
}

/* Each key of the defaults does one thing: the keys of `help` and `quit` alone are those of the screen. */
static void keys_have_one_meaning_each(void **state)
{
	struct bw_binding bindings[200];
	char seen[200][BW_KEY_NAME_SIZE], keys[80];
	int n = bw_bindings(bindings, 200), n_seen = 0, n_commands;
	const struct bw_command *commands = bw_commands(&n_commands);
	assert_in_range(n, 1, 199);
	for (int i = 0; i < n_commands; i++) {
		bool bound = !*commands[i].key;
		for (int k = 0; k < n; k++)
			bound |= !strcmp(bindings[k].command, commands[i].name);
		if (!bound && strcmp(commands[i].name, "help") && strcmp(commands[i].name, "quit"))
			fail_msg("%s: %s has another meaning", commands[i].name, commands[i].key);
	}
	for (int i = 0; i < n; i++) {
		snprintf(keys, sizeof keys, "%s", bindings[i].keys);
		for (char *word = strtok(keys, " "); word; word = strtok(NULL, " ")) {
			for (int k = 0; k < n_seen; k++)
				if (!strcmp(seen[k], word))
					fail_msg("%s has two meanings", word);
			snprintf(seen[n_seen++], BW_KEY_NAME_SIZE, "%s", word);
		}
	}
}

static void defaults_are_put_into_force(void **state)
{
	struct bw_device device = {.name = "A100", .sms = 108};
	struct bw_settings options = bw_settings_default(&device);
	struct bw_config config = {0};
	struct bw_error error = {0};
	assert_true(bw_config_parse("rc", "set beam=8\r\n\tset seed=3\nset  passes=2  \nset beam=9\nset ascii=1\nset color=never\n", &config, &error));
	assert_true(bw_config_apply(&config, "rc", &device, 1, &options, &error));
	assert_int_equal(options.beam, 9);
	assert_int_equal(options.seed, 3);
	assert_int_equal(options.passes, 2);
	assert_int_equal(config.settings[BW_SETTING_ASCII], 2);
	assert_int_equal(config.settings[BW_SETTING_COLOR], 3);
	assert_int_equal(config.settings[BW_SETTING_MOUSE], 0);
	bw_config_free(&config);
	assert_true(bw_config_parse("rc", "\nset beam=0\n", &config, &error));
	assert_false(bw_config_apply(&config, "rc", &device, 1, &options, &error));
	assert_string_equal(error.text, "rc:2: beam takes a whole number from 1 to 10000 (states), not \"0\"");
	bw_config_free(&config);
	assert_true(bw_config_read("/no/such/beamwalkrc", &config, &error));
	assert_false(bw_config_read("/", &config, &error));
}

/* Keys do what they are bound to; the line of keys and the help screen say so. */
static void keys_are_bound(void **state)
{
	struct bw_config config = {0};
	struct bw_error error = {0};
	struct made *made = made_new("harris", "A100", false);
	if (!bw_config_parse("rc", "bind x why\nbind w none\nbind F5 back 3\nbind J do down\nbind Bksp run 2\nbind x view timings\nbind M-b back\nbind D do earlier\n", &config, &error))
		fail_msg("%s", error.text);
	made->screen->keymap = &config.keymap;
	made_run(made, "run end");
	made_press(made, BW_KEY_F5);
	assert_int_equal(made->session->cursor, 23);
	made_press(made, 'J');
	assert_int_equal(made->session->selection.state, 1);
	made_press(made, 'D');
	assert_int_equal(made->session->cursor, 22);
	made_press(made, 'x');
	assert_string_equal(made->session->view, "timings");
	made_run(made, "view main");
	made_press(made, 'w');
	assert_int_equal(made->screen->answer.text.length, 0);
	char *text = made_draw(made, 120, 30);
	assert_non_null(strstr(text, " Space step  M-b back  r run"));
	assert_null(strstr(text, " why"));
	free(text);
	made_press(made, BW_KEY_BACKSPACE);
	assert_int_equal(made->session->cursor, 2);
	/* Hints name the keys as they are bound: what has none is a command. */
	struct bw_text hint = {0};
	bw_keys_write(&config.keymap, "{back} {do earlier} {do down} {do up} {why} {step} {hold}", &hint);
	assert_string_equal(bw_text_get(&hint), "M-b D J Up :why Space :hold");
	bw_text_clear(&hint);
	bw_keys_write(NULL, "{back} {do earlier} {do down} {why} {do next-pane}.", &hint);
	assert_string_equal(bw_text_get(&hint), "Bksp Left Down w Tab.");
	bw_text_free(&hint);
	made_run(made, "run end");
	bw_tour_begin(&made->screen->tour, made->session);
	text = made_draw(made, 120, 30);
	assert_non_null(strstr(text, "Press M-b: each"));
	free(text);
	made->screen->tour.step = 0;
	made_run(made, "view help");
	text = made_draw(made, 100, 150);
	assert_non_null(strstr(text, "\n  x           :view timings\n  F5          :back 3\n  J           the row below\n  Bksp        :run 2\n  M-b         :back\n"));
	assert_null(strstr(text, "\n  w "));
	free(text);
	made_free(made);
	bw_config_free(&config);
}

/* The help begins with the view that it explains, however far the help on another view was scrolled. */
static void help_begins_at_its_top(void **state)
{
	struct made *made = made_new("harris", "A100", false);
	made_run(made, "view help");
	char *first = made_draw(made, 80, 24);
	assert_non_null(strstr(first, "TO FIND OUT\n      w      why the selected Func costs what it does"));
	free(first);
	made_press(made, 'G');
	char *text = made_draw(made, 80, 24);
	assert_null(strstr(text, "WHAT THE VIEW main SHOWS"));
	free(text);
	made_run(made, "view main");
	made_run(made, "view roofline");
	made_run(made, "view help");
	text = made_draw(made, 80, 24);
	assert_non_null(strstr(text, "WHAT THE VIEW roofline SHOWS"));
	free(text);
	made_free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_have_names),
		cmocka_unit_test(what_is_refused_has_its_line),
		cmocka_unit_test(keys_have_one_meaning_each),
		cmocka_unit_test(defaults_are_put_into_force),
		cmocka_unit_test(help_begins_at_its_top),
		cmocka_unit_test(keys_are_bound),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
