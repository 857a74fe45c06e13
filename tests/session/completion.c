/* Words of every kind are completed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "base/mem.h"
#include "command/complete.h"
#include "session_test.h"

static void words_are_completed(void **state)
{
	static const struct {
		const char *line, *words;
	} table[] = {
		{"s", "save save-schedule scheduler screenshot script select set sort step sweep"},
		{"sa", "save save-schedule"},
		{"sweep gpus=A1", "gpus=A100"},
		{"sweep b", "bandwidths= beams="},
		{"x", ""},
		{"run ", "blur_x cost< cost> end input_im output pass"},
		{"run b", "blur_x"},
		{"run e", "end"},
		{"export file b", "blur_x"},
		{"unfreeze blur_x i", "input_im"},
		{"hold ", "except"},
		{"override blur_x ", "at block inline memory root serial site thread unroll"},
		{"override blur_x memory s", "shared stack"},
		{"override blur_x unroll ", "off on"},
		{"override blur_x site at output.b", "output.block"},
		{"hold except blur_x o", "output"},
		{"unfreeze ", "--forget all blur_x input_im output"},
		{"walk t", "take"},
		{"scheduler g", "greedy"},
		{"select ", "alternative blur_x candidate column decision func group input_im line next option output previous sample scheduler state"},
		{"select b", "blur_x"},
		{"select func b", "blur_x"},
		{"select f", "func"},
		{"view ", "--json access beam code compare counters decision features glossary graph help history main nest opinions options override roofline search stages start statistics sweep tile timings tune views walk"},
		{"assert p", "position"},
		{"assert best b", "beams best blur_x bucketed"},
		{"assert option A", "A1"},
		{"assert option A1 k", "kept"},
		{"assert output w", "wrong"},
		{"assert decision o", "output"},
		{"assert decision output.", "output.tile output.where"},
		{"assert blur_x ", "at free held inline root unplaced"},
		{"assert blur_x at output.", "output.block output.thread"},
		{"freeze blur_x at o", "output.block output.thread"},
		{"freeze blur_x r", "root"},
		{"run blur_x.", "blur_x.tile blur_x.where"},
		{"select state ", "1 best"},
		{"set on", "on="},
		{"step ", "decision func option pass"},
		{"jump ", "0 start"},
		{"whatif fre", "freeze"},
		{"whatif freeze blur_x ro", "root"},
		{"whatif freeze blur_x at output.t", "output.thread"},
		{"set b", "beam="},
		{"set beam=", "beam=4"},
		{"set freezing=p", "freezing=paper freezing=probed"},
		{"set sampling=", "sampling=0 sampling=1 sampling=2"},
		{"set freezing=", "freezing=auto freezing=off freezing=paper freezing=probed"},
		{"set search_space=", "search_space=all search_space=block search_space=inline search_space=root search_space=thread"},
		{"set cost_model=r", "cost_model=roofline"},
		{"set gpu=RTX4", "gpu=RTX4090"},
		{"replay ", "back bucketed costed enumerated kept legal next sampled"},
		{"select group A", "A"},
		{"help un", "undo unfold unfreeze"},
		{"fl x", ""},
		{"why A", "A1"},
		{"accept ", "--here A1"},
		{"accept --here ", "A1"},
		{"pin --", "--here"},
		{"rej", "reject"},
		{"undo ", ""},
		{"quit ", ""},
	};
	struct bw_session *session = session_open();
	char *names[64];
	int n_commands, n_names = bw_session_complete(session, "", 0, names, 64);
	bw_commands(&n_commands);
	assert_int_equal(n_names, n_commands);
	for (int i = 0; i < n_names; i++) {
		assert_true(!i || strcmp(names[i - 1], names[i]) < 0);
		if (i)
			free(names[i - 1]);
	}
	free(names[n_names - 1]);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		char *words[64];
		struct bw_text found = {0};
		int n = bw_session_complete(session, table[i].line, (int)strlen(table[i].line), words, 64);
		for (int w = 0; w < n; w++) {
			bw_text_printf(&found, w ? " %s" : "%s", words[w]);
			free(words[w]);
		}
		if (strcmp(bw_text_get(&found), table[i].words))
			fail_msg("\"%s\": %s; expected %s", table[i].line, bw_text_get(&found), table[i].words);
		bw_text_free(&found);
		n = bw_session_complete(session, table[i].line, (int)strlen(table[i].line), words, 1);
		assert_in_range(n, 0, 1);
		if (n)
			free(words[0]);
	}
	session_close(session);
}

/* What the table of commands names in capitals is completed, but for what can only be made up. */
static void every_kind_of_word_is_completed(void **state)
{
	static const char made_up[] = " N SIZES LOOPS ENTRY LINE TEXT ";
	struct bw_session *session = session_open();
	session_write("some.file", "");
	char *words[256];
	free(session_do(session, "scheduler greedy"));
	free(session_do(session, "walk 1"));
	free(session_do(session, "run blur_x"));
	free(session_do(session, "bookmark here"));
	int n, checked = 0;
	const struct bw_command *commands = bw_commands(&n);
	for (int c = 0; c < n; c++)
		for (const char *at = commands[c].arguments; *at; at += *at != 0) {
			size_t length = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
			char word[64];
			snprintf(word, sizeof word, " %.*s ", (int)length, at);
			if (length && !strstr(made_up, word) && !strstr(" PHASE PASS VALUE RESULT ", word)) {
				struct completions found = {session, words, 0, 256, "", 0};
				bw_complete_kind(&found, at, length);
				if (!found.n)
					fail_msg("%s %s: nothing is completed for%s", commands[c].name, commands[c].arguments, word);
				while (found.n)
					free(words[--found.n]);
				checked++;
			}
			at += length ? length - 1 : 0;
		}
	assert_in_range(checked, 30, 200);
	session_close(session);
}

/* After `set `: the options that can be set, in order. */
static void options_are_completed(void **state)
{
	enum { MOST = 64 };
	struct bw_session *session = session_open();
	char *words[MOST];
	int n = bw_session_complete(session, "set ", 4, words, MOST), n_infos, found = 0;
	const struct bw_setting_info *infos = bw_setting_infos(&n_infos);
	for (int i = 0; i < n_infos; i++) {
		if (infos[i].kind == BW_SETTING_ABSENT || infos[i].kind == BW_SETTING_RETIRED)
			continue;
		int w = 0;
		size_t length = strlen(infos[i].name);
		while (w < n && (strncmp(words[w], infos[i].name, length) != 0 || strcmp(words[w] + length, "=") != 0))
			w++;
		assert_true(w < n);
		found++;
	}
	assert_int_equal(found + 1, n); /* and `on=`, which is none of the search's */
	assert_in_range(n, 20, MOST - 1);
	for (int w = 1; w < n; w++)
		assert_true(strcmp(words[w - 1], words[w]) < 0);
	for (int w = 0; w < n; w++)
		free(words[w]);
	session_close(session);
}

static void files_are_completed(void **state)
{
	session_write("one.script", "");
	session_write("one.schedule", "");
	session_write("two", "");
	struct bw_session *session = session_open();
	char line[512], *words[8];
	snprintf(line, sizeof line, "script %s", session_path("one"));
	assert_int_equal(bw_session_complete(session, line, (int)strlen(line), words, 8), 2);
	assert_string_equal(words[0], session_path("one.schedule"));
	assert_string_equal(words[1], session_path("one.script"));
	free(words[0]);
	free(words[1]);
	session_close(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_completed),
		cmocka_unit_test(every_kind_of_word_is_completed),
		cmocka_unit_test(options_are_completed),
		cmocka_unit_test(files_are_completed),
	};
	return cmocka_run_group_tests(tests, session_group_open, session_group_close);
}
