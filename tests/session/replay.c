/* Sessions that are saved and loaded: whatever was said, in words, letters or by options of the program, the session that loads the file has
 * the same options, constraints, journal, place and beam; and what is saved again is the same text. Sessions that are kept as they go, and resumed. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../core/description.h"
#include "../core/test.h"
#include "base/file.h"
#include "base/mem.h"
#include "session/session.h"

#define MAD "'add':{'float32':9},'mul':{'float32':1}"
#define READ_X3(from) READ(from, SPAN("x", "-1", "1") "," SAME("y"), "3", EYE2)
#define READ_Y3(from) READ(from, SAME("x") "," SPAN("y", "-1", "1"), "3", EYE2)

/* Makes a file of this template. */
static void make_empty(char *path)
{
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
}

/* in -> e -> f (3 in x) -> g (3 in y), g of 256 x 128. */
static const char stencils[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[-2,262],[-2,134]"),
	FUNC_XY("e", "0", "float32", MAD, READ_X3("in"), "") "," FUNC_XY("f", "1", "float32", MAD, READ_X3("e"), "") ","
	FUNC_XY("g", "2", "float32", MAD, READ_Y3("f"), OUTPUT("[0,256],[0,128]")));

static struct bw_session *session_new(const struct bw_settings *options)
{
	struct bw_source source = {.name = bw_strdup("stencils")};
	struct bw_places places = {0};
	struct bw_session *session = bw_session_new(&source, &places, description_read(stencils), options);
	session->devices = &round_device;
	session->n_devices = 1;
	return session;
}

static void say(struct bw_session *session, const char *line)
{
	struct bw_error error = {0};
	if (!bw_session_run(session, line, NULL, &error))
		fail_msg("%s: %s", line, error.text);
	while (bw_session_busy(session))
		bw_session_work(session, 1);
	if (session->message_is_error)
		fail_msg("%s: %s", line, session->message);
}

static void save(struct bw_session *session, const char *path, struct bw_text *text)
{
	struct bw_text line = {0};
	struct bw_error error = {0};
	bw_text_printf(&line, "save %s", path);
	say(session, bw_text_get(&line));
	bw_text_clear(text);
	assert_true(bw_file_read(path, 1 << 20, text, &error));
	bw_text_free(&line);
}

static void load(struct bw_session *session, const char *path)
{
	struct bw_text line = {0};
	bw_text_printf(&line, "load %s", path);
	say(session, bw_text_get(&line));
	bw_text_free(&line);
}

/* Both stand at the same place with the same beam under the same constraints. */
static void expect_same(struct bw_session *a, struct bw_session *b)
{
	const struct bw_state *const *states, *const *others;
	assert_int_equal(a->cursor, b->cursor);
	int n = bw_search_beam(a->search, a->cursor, &states), m = bw_search_beam(b->search, b->cursor, &others);
	assert_int_equal(n, m);
	for (int i = 0; i < n; i++) {
		assert_true(states[i]->hash == others[i]->hash);
		assert_true(states[i]->cost == others[i]->cost);
	}
	for (int f = 0; f < a->pipeline->n_funcs; f++) {
		const struct bw_constraint *one = bw_session_constraint(a, f), *other = bw_session_constraint(b, f);
		assert_int_equal(one != NULL, other != NULL);
		if (!one)
			continue;
		assert_int_equal(one->sizes, other->sizes);
		assert_int_equal(one->source, other->source);
		assert_true(one->sizes ? bw_placement_equal(one->placement, other->placement) : bw_site_equal(&one->placement->compute, &other->placement->compute));
	}
}

static void what_is_saved_is_loaded(void **state)
{
	static const char *const cases[][8] = {
		{"run end"},
		{"run f.where", "accept", "run end"},
		{"run f.where", "accept A1"},
		{"run f.where", "accept #1", "back"},
		{"run g.tile", "accept", "run end"},
		{"run end", "freeze f", "freeze g"},
		{"freeze f at g.block", "run end"},
		{"freeze f  at g.block", "run end"},
		{"freeze f at g.block in shared", "run end"},
		{"freeze f at g.thread", "run end"},
		{"freeze f inline", "freeze e root", "run e.tile"},
		{"freeze f at g.block; thread y, x; unrolled x 2 guard_with_if", "run end"},
		{"freeze g root; block y, x; thread y 4, x 32; serial y 2", "run end"},
		{"run end", "hold except f", "select state 1", "unfreeze e g", "run end"},
		{"freeze {f at g.block | e inline}", "run end", "freeze e g"},
		{"freeze g root 1x2/32x8", "run end", "override g unroll off", "override g block 64x16", "override f site root", "run end"},
		{"reject f at g.block", "pin e root 1x1/32x8", "run end"},
		{"set freezing=off", "set passes=2", "accept --pass 2 f inline", "reject --pass 1 e inline", "pin f root", "run end"},
		{"run f.where", "reject", "reject", "run end", "back pass", "pin --here g root 4x4/16x1", "unfreeze f"},
		{"set beam=3", "freeze f inline", "undo", "set recompute-limit=2.3", "  set   random=1", "set seed=18446744073709551615", "run end"},
		{"freeze f root", "freeze e inline", "unfreeze f", "undo", "undo", "run end"},
		{"apply {f at g.block 2x4 | e inline}", "run end"},
		{"set passes=2", "run g.where", "run 6", "select state 2"},
	};
	char path[] = "/tmp/beamwalk-replay-XXXXXX";
	make_empty(path);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_settings options = bw_settings_default(&round_device), others = options;
		struct bw_text text = {0}, again = {0}, line = {0};
		options.beam = 7;
		options.idle_lanes_limit = 1. / 3;
		struct bw_session *session = session_new(&options), *other = session_new(&others);
		for (int k = 0; k < 8 && cases[i][k]; k++)
			say(session, cases[i][k]);
		save(session, path, &text);
		bw_text_printf(&line, "load %s", path);
		say(other, bw_text_get(&line));
		expect_same(session, other);
		/* The second time there is nothing left to set. */
		struct bw_session *third = session_new(&options);
		say(third, bw_text_get(&line));
		save(third, path, &again);
		assert_string_equal(bw_text_get(&text), bw_text_get(&again));
		bw_session_free(session);
		bw_session_free(other);
		bw_session_free(third);
		bw_text_free(&text);
		bw_text_free(&again);
		bw_text_free(&line);
	}
	unlink(path);
}

/* A schedule file that was applied is not needed again: the journal has what it said. */
static void what_was_applied_outlives_its_file(void **state)
{
	char path[] = "/tmp/beamwalk-replay-XXXXXX", line[64];
	make_empty(path);
	struct bw_settings options = bw_settings_default(&round_device);
	struct bw_session *session = session_new(&options), *other = session_new(&options);
	struct bw_text text = {0};
	say(session, "run end");
	say(session, "select state 2");
	snprintf(line, sizeof line, "save-schedule %s", path);
	say(session, line);
	say(session, "select state 1");
	snprintf(line, sizeof line, "apply %s", path);
	say(session, line);
	save(session, path, &text); /* over the schedule */
	assert_non_null(strstr(bw_text_get(&text), "\napply {g root"));
	load(other, path);
	expect_same(session, other);
	assert_int_equal(other->n_journal, 1);
	assert_int_equal(bw_search_constraints(other->search)->n, 3);
	assert_int_equal(bw_session_constraint(other, 1)->source, BW_CONSTRAINT_FILE);
	unlink(path);
	bw_text_free(&text);
	bw_session_free(session);
	bw_session_free(other);
}

static void broken_lines_are_refused(void **state)
{
	static const char *const lines[][2] = {
		{"apply {f inline | f root}", "\"f root\": f stands twice"}, {"apply {f inline", "expected entries with | between them and } behind the last"},
		{"apply {f nowhere}", "\"f nowhere\": "}, {"apply {f inline} now", "expected entries"}, {"apply {|}", "\"\": "}, {"apply {\"f inline}", "expected entries"},
	};
	struct bw_settings options = bw_settings_default(&round_device);
	struct bw_session *session = session_new(&options);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct bw_error error = {0};
		assert_false(bw_session_run(session, lines[i][0], NULL, &error));
		if (strncmp(error.text, lines[i][1], strlen(lines[i][1])) != 0)
			fail_msg("%s: %s", lines[i][0], error.text);
		assert_int_equal(session->n_journal, 0);
	}
	say(session, "apply { f inline|e root }");
	assert_string_equal(session->journal[0].line, "apply {f inline | e root}");
	bw_session_free(session);
}

/* A session whose states are not those that were saved is loaded, and says from where on; as a script it fails there. */
static void other_states_are_told(void **state)
{
	char path[] = "/tmp/beamwalk-replay-XXXXXX";
	make_empty(path);
	struct bw_settings options = bw_settings_default(&round_device);
	struct bw_session *session = session_new(&options), *other = session_new(&options), *third = session_new(&options);
	struct bw_text text = {0};
	struct bw_error error = {0};
	say(session, "freeze f inline");
	say(session, "run end");
	save(session, path, &text);
	load(other, path);
	assert_null(strstr(other->message, "differ"));
	char *digest = strstr(text.bytes, " 4 "), *version = strstr(text.bytes, ", beamwalk ") + strlen(", beamwalk ");
	assert_non_null(digest);
	digest[3] = digest[3] == '0' ? '1' : '0';
	*version = '9';
	assert_true(bw_file_write(path, bw_text_get(&text), text.length, &error));
	load(other, path);
	assert_non_null(strstr(other->message, "; states differ from those that were saved, after decision 3 and up to decision 4, "));
	assert_non_null(strstr(other->message, " (saved by version 9."));
	expect_same(session, other);
	assert_false(bw_session_run_file(third, path, NULL, &error));
	assert_int_equal(error.kind, BW_ERROR_WRONG);
	assert_non_null(strstr(error.text, "assert beams: states differ"));
	unlink(path);
	bw_text_free(&text);
	bw_session_free(session);
	bw_session_free(other);
	bw_session_free(third);
}

/* Of beams that are as long, the states themselves count: with a beam of one state a journal that says something else is told from the first
 * decision on that it touches. */
static void digests_are_of_states(void **state)
{
	char path[] = "/tmp/beamwalk-replay-XXXXXX";
	make_empty(path);
	struct bw_settings options = bw_settings_default(&round_device);
	options.beam = 1;
	struct bw_session *session = session_new(&options), *other = session_new(&options);
	struct bw_text text = {0};
	struct bw_error error = {0};
	say(session, "freeze f root");
	say(session, "run end");
	save(session, path, &text);
	char *line = strstr(text.bytes, "freeze f root");
	memcpy(line, "freeze e root", strlen("freeze e root"));
	assert_true(bw_file_write(path, bw_text_get(&text), text.length, &error));
	load(other, path);
	if (!strstr(other->message, "; states differ from those that were saved, after decision 2 and up to decision 3, f.tile"))
		fail_msg("%s", other->message);
	unlink(path);
	bw_text_free(&text);
	bw_session_free(session);
	bw_session_free(other);
}

/* The command of the worker is a setting as others are. */
static void the_worker_is_saved(void **state)
{
	char path[] = "/tmp/beamwalk-replay-XXXXXX";
	make_empty(path);
	struct bw_settings options = bw_settings_default(&round_device);
	struct bw_session *session = session_new(&options), *other = session_new(&options);
	struct bw_text text = {0};
	bw_session_use(session, "ssh -C somewhere beamwalk-bench");
	save(session, path, &text);
	assert_non_null(strstr(bw_text_get(&text), "\nset on=ssh -C somewhere beamwalk-bench\n"));
	bw_session_free(session);
	session = session_new(&options);
	save(session, path, &text);
	assert_null(strstr(bw_text_get(&text), "set on="));
	unlink(path);
	bw_text_free(&text);
	bw_session_free(session);
	bw_session_free(other);
}

static void remove_folder(const char *folder)
{
	struct bw_text line = {0};
	bw_text_printf(&line, "rm -rf %s", folder);
	assert_int_equal(system(bw_text_get(&line)), 0);
	bw_text_free(&line);
}

/* What is kept as it goes is there without an end of the session: settings, journal and what is undone of it, place, selection. */
static void what_is_kept_is_resumed(void **state)
{
	static const char *const lines[] = {"run end", "freeze f inline", "set beam=5", "freeze e root", "undo", "back", "run end", "select state 2"};
	char folder[] = "/tmp/beamwalk-kept-XXXXXX", sessions[64];
	assert_non_null(mkdtemp(folder));
	snprintf(sessions, sizeof sessions, "%s/state/sessions", folder);
	struct bw_settings options = bw_settings_default(&round_device), others = options;
	struct bw_error error = {0};
	struct bw_text said = {0};
	options.beam = 9;
	options.passes = 2;
	struct bw_session *session = session_new(&options), *other = session_new(&others), *none = session_new(&others);
	assert_false(bw_session_resume(none, sessions, &said, &error));
	assert_non_null(strstr(error.text, "no session of test is kept in "));
	bw_session_keep(session, sessions);
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		say(session, lines[i]);
	if (!bw_session_resume(other, sessions, &said, &error))
		fail_msg("%s", error.text);
	assert_non_null(strstr(bw_text_get(&said), "resumed the session of 20"));
	assert_non_null(strstr(bw_text_get(&said), ", 2 commands"));
	assert_null(strstr(bw_text_get(&said), "differ"));
	expect_same(session, other);
	assert_int_equal(other->selection.state, session->selection.state);
	assert_int_equal(other->n_journal, 3);
	for (int i = 0; i < 3; i++) {
		assert_string_equal(other->journal[i].line, session->journal[i].line);
		assert_int_equal(other->journal[i].undone, i == 2);
	}
	say(session, "redo");
	say(other, "redo");
	say(session, "run end");
	say(other, "run end");
	expect_same(session, other);
	for (int i = 0; i < 3; i++)
		say(other, "undo");
	assert_int_equal(other->options.beam, 9);
	assert_int_equal(other->options.passes, 2);
	remove_folder(folder);
	bw_text_free(&said);
	bw_session_free(session);
	bw_session_free(other);
	bw_session_free(none);
}

static int count_files(const char *folder)
{
	int n = 0;
	DIR *dir = opendir(folder);
	for (struct dirent *entry; dir && (entry = readdir(dir));)
		n += *entry->d_name != '.';
	if (dir)
		closedir(dir);
	return n;
}

/* A session in which nothing was changed leaves none; of others the newest twenty stay; what cannot be written is said once. */
static void few_are_kept(void **state)
{
	char folder[] = "/tmp/beamwalk-kept-XXXXXX", path[128];
	assert_non_null(mkdtemp(folder));
	struct bw_settings options = bw_settings_default(&round_device);
	struct bw_session *session = session_new(&options);
	struct bw_error error = {0};
	bw_session_keep(session, folder);
	say(session, "run end");
	say(session, "back");
	assert_int_equal(count_files(folder), 0);
	say(session, "set beam=3");
	assert_int_equal(count_files(folder), 1);
	for (int i = 0; i < 30; i++) {
		snprintf(path, sizeof path, "%s/test-%016llx-%02d.bw", folder, (unsigned long long)session->pipeline->content, i);
		assert_true(bw_file_write(path, "", 0, &error));
	}
	struct bw_session *other = session_new(&options);
	bw_session_keep(other, folder);
	say(other, "set beam=3");
	assert_int_equal(count_files(folder), 20);
	/* The pipeline is another one now: that is said, with the file that there is. */
	struct bw_text said = {0};
	((struct bw_pipeline *)other->pipeline)->content++;
	assert_false(bw_session_resume(other, folder, &said, &error));
	snprintf(path, sizeof path, "no session of test as it is now is kept; `load` reads %s/test-", folder);
	if (strncmp(error.text, path, strlen(path)))
		fail_msg("%s", error.text);
	bw_session_free(other);
	other = session_new(&options);
	bw_session_keep(other, "/dev/null/sessions");
	say(other, "set beam=3");
	assert_non_null(strstr(other->message, "beam=3; this session is not kept: /dev/null/sessions: the folder cannot be made: Not a directory"));
	say(other, "set beam=4");
	assert_string_equal(other->message, "beam=4");
	remove_folder(folder);
	bw_session_free(session);
	bw_session_free(other);
}

/* What nothing changes is no command that could be undone. */
static void setting_what_is_set_is_not_journaled(void **state)
{
	struct bw_settings options = bw_settings_default(&round_device);
	struct bw_session *session = session_new(&options);
	say(session, "set beam=32");
	say(session, "set gpu=round");
	say(session, "set cost-model=latency");
	assert_int_equal(session->n_journal, 0);
	say(session, "set beam=31");
	assert_int_equal(session->n_journal, 1);
	say(session, "set cost-model=roofline");
	assert_int_equal(session->n_journal, 2);
	say(session, "set weights=");
	assert_int_equal(session->n_journal, 2);
	assert_ptr_equal(session->options.model, &bw_roofline);
	bw_session_free(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_saved_is_loaded),
		cmocka_unit_test(what_was_applied_outlives_its_file),
		cmocka_unit_test(broken_lines_are_refused),
		cmocka_unit_test(other_states_are_told),
		cmocka_unit_test(digests_are_of_states),
		cmocka_unit_test(the_worker_is_saved),
		cmocka_unit_test(what_is_kept_is_resumed),
		cmocka_unit_test(few_are_kept),
		cmocka_unit_test(setting_what_is_set_is_not_journaled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
