/* Sessions that are saved and loaded: whatever was said, in words, letters or by options of the program, the session that loads the file has
 * the same options, constraints, journal, place and beam; and what is saved again is the same text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../core/description.h"
#include "base/mem.h"
#include "session/session.h"

#define MAD "'add':{'float32':9},'mul':{'float32':1}"
#define READ_X3(from) READ(from, SPAN("x", "-1", "1") "," SAME("y"), "3", EYE2)
#define READ_Y3(from) READ(from, SAME("x") "," SPAN("y", "-1", "1"), "3", EYE2)

/* in -> e -> f (3 in x) -> g (3 in y), g of 256 x 128. */
static const char stencils[] = DESCRIPTION(
	INPUT("in", "float32", XY, "[-2,262],[-2,134]"),
	FUNC_XY("e", "0", "float32", MAD, READ_X3("in"), "") "," FUNC_XY("f", "1", "float32", MAD, READ_X3("e"), "") ","
	FUNC_XY("g", "2", "float32", MAD, READ_Y3("f"), OUTPUT("[0,256],[0,128]")));

static struct bw_session *session_new(const struct bw_search_options *options)
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
	(void)state;
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
		{"set beam=3", "freeze f inline", "undo", "set recompute-limit=2.3", "  set   random=1", "set seed=18446744073709551615", "run end"},
		{"freeze f root", "freeze e inline", "unfreeze f", "undo", "undo", "run end"},
	};
	char path[] = "/tmp/beamwalk-replay-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_search_options options = bw_search_options_default(&round_device), others = options;
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

/* What nothing changes is no command that could be undone. */
static void setting_what_is_set_is_not_journaled(void **state)
{
	(void)state;
	struct bw_search_options options = bw_search_options_default(&round_device);
	struct bw_session *session = session_new(&options);
	say(session, "set beam=32");
	say(session, "set gpu=round");
	say(session, "set cost-model=roofline");
	assert_int_equal(session->n_journal, 0);
	say(session, "set beam=31");
	assert_int_equal(session->n_journal, 1);
	bw_session_free(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_saved_is_loaded),
		cmocka_unit_test(setting_what_is_set_is_not_journaled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
