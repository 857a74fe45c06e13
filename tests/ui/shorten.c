/* Frames rewritten with fewer bytes: cases worked out by hand; what is not known stays as it is; and random frames, which a small terminal is shown in
 * both forms: it shows the same. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "base/hash.h"
#include "ui/shorten.h"

static void frames_get_shorter(void **state)
{
	static const struct {
		const char *frame, *shorter; /* NULL: it is not known */
	} cases[] = {
		{"", ""},
		{"plain\r\n\033[3;4Htext", "plain\r\n\033[3;4Htext"},
		/* Attributes and both colours in one sequence; nothing twice. */
		{"\033(B\033[0;1m\033[97m\033[48;5;24mname\033(B\033[0m\033[97m\033[48;5;24m x\033(B\033[m", "\033[1;97;48;5;24mname \033[22mx\033[m"},
		{"\033[97m\033[48;5;237mone\033[37m\033[48;5;237mtwo\033[39;49m\033(B\033[m three", "\033[97;48;5;237mone\033[37mtwo\033[m three"},
		/* Where nothing is shown with them they are not said; blanks show no foreground. */
		{"\033[31m\033[32m\033[5;5H\033[33ma\033[34m \033[33mb\033[m", "\033[5;5H\033[33ma b\033[m"},
		{"\033[1m  \033[m  x", "    x"},
		{"\033[4m \033[m x", "\033[4m \033[m x"},
		/* Erasing takes the background. */
		{"\033[48;5;24m\033[K\033[49m\033[K", "\033[48;5;24m\033[K\033[m\033[K"},
		{"\033[38;5;244m\033[39mx\033[2J", "x\033[2J"},
		/* From bold to faint, and from much to little. */
		{"\033[1ma\033[22;2mb\033[m", "\033[1ma\033[0;2mb\033[m"},
		{"\033[1;4;38;5;100;48;5;24ma\033[0;38;5;100mb", "\033[1;4;38;5;100;48;5;24ma\033[22;24;49mb\033[m"},
		{"\033[7ma\033[27mb\033[100mc\033[107md", "\033[7ma\033[mb\033[100mc\033[107md\033[m"},
		/* Not known: italics, a colour by its parts, another character set, a sequence cut off. */
		{"\033[3mx", NULL}, {"\033[38;2;1;2;3mx", NULL}, {"\033(0q\033(Bx", NULL}, {"x\033[1", NULL}, {"\0337x", NULL}, {"\033[98mx", NULL}, {"\033[1:2mx", NULL},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bw_text out = {0};
		bw_text_puts(&out, "before");
		bool known = bw_shorten(cases[i].frame, strlen(cases[i].frame), &out);
		assert_int_equal(known, cases[i].shorter != NULL);
		bw_text_append(&out, "", 0);
		const char *expected = known ? cases[i].shorter : "";
		if (out.length != strlen("before") + strlen(expected) || memcmp(out.bytes + strlen("before"), expected, strlen(expected)) != 0)
			fail_msg("case %zu: %.*s", i, (int)out.length, out.bytes);
		bw_text_free(&out);
	}
}

enum { COLUMNS = 20, ROWS = 4 };

/* A terminal that knows what the frames below have. Looks are attributes in bits, foreground, background. */
struct screen {
	int x, y, attributes, ground[2];
	struct {
		char shown;
		int attributes, ground[2];
	} cells[ROWS][COLUMNS];
};

static void put(struct screen *screen, char shown)
{
	int x = screen->x++ % COLUMNS;
	screen->cells[screen->y][x].shown = shown;
	screen->cells[screen->y][x].attributes = shown == ' ' ? screen->attributes & 1 << 4 : screen->attributes;
	screen->cells[screen->y][x].ground[0] = shown == ' ' ? 0 : screen->ground[0];
	screen->cells[screen->y][x].ground[1] = screen->ground[1];
}

static const char *set_look(struct screen *screen, const char *at)
{
	do {
		char *end;
		long number = strtol(at, &end, 10);
		if (number == 0)
			screen->attributes = screen->ground[0] = screen->ground[1] = 0;
		else if (number < 8)
			screen->attributes |= 1 << number;
		else if (number == 22)
			screen->attributes &= ~(1 << 1 | 1 << 2);
		else if (number == 24)
			screen->attributes &= ~(1 << 4);
		else if (number == 38 || number == 48)
			screen->ground[number == 48] = 1000 + (int)strtol(end + 3, &end, 10);
		else
			screen->ground[number / 10 == 4 || number / 10 == 10] = number % 10 == 9 ? 0 : (int)number;
		at = end;
	} while (*at++ == ';');
	return at;
}

static void show(struct screen *screen, const char *frame)
{
	*screen = (struct screen){0};
	for (const char *at = frame; *at;) {
		char *end;
		if (*at != '\033') {
			put(screen, *at++);
		} else if (at[1] == '(') {
			at += 3;
		} else if (at[2] == 'K') {
			for (int x = screen->x; x < COLUMNS; x++) {
				int was = screen->x;
				screen->x = x;
				put(screen, ' ');
				screen->x = was;
			}
			at += 3;
		} else if (strspn(at + 2, "0123456789;") == strcspn(at + 2, "m")) {
			at = set_look(screen, at + 2);
		} else {
			screen->y = (int)strtol(at + 2, &end, 10) - 1;
			screen->x = (int)strtol(end + 1, &end, 10) - 1;
			at = end + 1;
		}
	}
}

static void what_is_shown_is_the_same(void **state)
{
	static const char *const pieces[] = {"a", "b", "word", " ", "  ", " x ", "\033[m", "\033(B\033[0m", "\033(B\033[0;1m", "\033[1m", "\033[2m", "\033[4m", "\033[22m", "\033[24m", "\033[31m", "\033[97m", "\033[38;5;244m", "\033[39m", "\033[48;5;24m",
		"\033[48;5;237m", "\033[41m", "\033[49m", "\033[39;49m", "\033[1;1H", "\033[2;7H", "\033[3;12H", "\033[K"};
	enum { FRAMES = 20000, MOST_PIECES = 12, N_PIECES = sizeof pieces / sizeof *pieces };
	size_t before = 0, after = 0;
	for (uint64_t frame = 0; frame < FRAMES; frame++) {
		struct bw_text whole = {0}, shorter = {0};
		for (uint64_t piece = 0; piece < MOST_PIECES; piece++)
			bw_text_puts(&whole, pieces[bw_random((uint64_t[]){frame, piece}, 2) % N_PIECES]);
		struct screen a, b;
		assert_true(bw_shorten(whole.bytes, whole.length, &shorter));
		show(&a, bw_text_get(&whole));
		show(&b, bw_text_get(&shorter));
		if (memcmp(a.cells, b.cells, sizeof a.cells) != 0)
			fail_msg("frame %d differs: %s\033[m, and %s", (int)frame, bw_text_get(&whole) + 1, bw_text_get(&shorter) + 1);
		assert_int_equal(b.attributes + b.ground[0] + b.ground[1], 0);
		before += whole.length;
		after += shorter.length;
		bw_text_free(&whole);
		bw_text_free(&shorter);
	}
	assert_true(after < before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(frames_get_shorter), cmocka_unit_test(what_is_shown_is_the_same)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
