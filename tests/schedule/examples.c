/* The examples of beamwalk-schedule(5): those for harris are read and placed, and what it calls short for something means that. */
#include <stdlib.h>
#include <string.h>

#include "../core/test.h"
#include "base/file.h"
#include "nest/nest.h"
#include "schedule/schedule.h"

enum { LIMIT = 1 << 20, MOST_BLOCKS = 64 };

struct page {
	struct bw_text text;
	struct bw_pipeline *harris;
	int n;
	struct bw_text blocks[MOST_BLOCKS]; /* what stands literally in the page, one display each */
};

static void find_blocks(struct page *page)
{
	static const char begin[] = ".Bd -literal -offset indent\n", end[] = ".Ed\n";
	for (const char *at = strstr(page->text.bytes, begin); at; at = strstr(at, begin)) {
		at += sizeof begin - 1;
		const char *stop = strstr(at, end);
		assert_non_null(stop);
		assert_true(page->n < MOST_BLOCKS);
		bw_text_append(&page->blocks[page->n++], at, (size_t)(stop - at));
	}
}

static void read_file(const char *name, struct bw_text *text)
{
	struct bw_text path = {0};
	struct bw_error error = {0};
	bw_text_printf(&path, "%s/%s", getenv("BW_SRC"), name);
	if (!bw_file_read(bw_text_get(&path), LIMIT, text, &error))
		fail_msg("%s", error.text);
	bw_text_free(&path);
}

static int set_up(void **state)
{
	static struct page page;
	struct bw_text description = {0};
	struct bw_error error = {0};
	page = (struct page){0};
	read_file("man/beamwalk-schedule.5", &page.text);
	find_blocks(&page);
	read_file("data/descriptions/harris.json", &description);
	page.harris = bw_pipeline_parse("harris.json", bw_text_get(&description), description.length, &error);
	bw_text_free(&description);
	*state = &page;
	return !page.harris;
}

static int tear_down(void **state)
{
	struct page *page = *state;
	for (int i = 0; i < page->n; i++)
		bw_text_free(&page->blocks[i]);
	bw_text_free(&page->text);
	bw_pipeline_free(page->harris);
	return 0;
}

/* The display that begins, or has, this; there must be just one. */
static const struct bw_text *block_with(const struct page *page, const char *sign)
{
	const struct bw_text *found = NULL;
	for (int i = 0; i < page->n; i++)
		if (strstr(bw_text_get(&page->blocks[i]), sign)) {
			assert_null(found);
			found = &page->blocks[i];
		}
	assert_non_null(found);
	return found;
}

static struct bw_schedule *parse(const struct page *page, const char *text, size_t length)
{
	struct bw_error error = {0};
	bool stale;
	struct bw_schedule *schedule = bw_schedule_parse(page->harris, "example", text, length, &stale, &error);
	if (!schedule)
		fail_msg("%s\n%s", error.text, text);
	assert_false(stale);
	return schedule;
}

/* Places a schedule; whether it is complete. */
static bool complete(const struct page *page, const struct bw_text *text)
{
	struct bw_error error = {0};
	struct bw_schedule *schedule = parse(page, bw_text_get(text), text->length);
	struct bw_nest *nest = bw_nest_build(page->harris, schedule->placements, schedule->n, &error);
	if (!nest)
		fail_msg("%s\n%s", error.text, bw_text_get(text));
	bool all = bw_nest_complete(nest);
	bw_nest_drop(nest);
	bw_schedule_drop(schedule);
	return all;
}

static void the_schedules_of_harris_can_be_placed(void **state)
{
	assert_true(complete(*state, block_with(*state, "pipeline harris\n")));
	assert_false(complete(*state, block_with(*state, "beamwalk-schedule 1\noutput root\nIx     at output.block\n")));
}

static void the_short_form_is_short_for_the_long_one(void **state)
{
	const struct bw_text *forms[] = {block_with(*state, "block 1x4\noutput root 1x2/32x8\n"), block_with(*state, "unrolled y 4\noutput root; block")};
	struct bw_schedule *schedules[2];
	for (int i = 0; i < 2; i++) {
		struct bw_text text = {0};
		bw_text_printf(&text, "beamwalk-schedule 1\n%s", bw_text_get(forms[i]));
		schedules[i] = parse(*state, bw_text_get(&text), text.length);
		bw_text_free(&text);
	}
	assert_true(bw_schedule_equal(schedules[0], schedules[1]));
	bw_schedule_drop(schedules[0]);
	bw_schedule_drop(schedules[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_schedules_of_harris_can_be_placed),
		cmocka_unit_test(the_short_form_is_short_for_the_long_one),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
