/* Fuzzes reading schedules. Whatever is accepted is printed, read back as equal and printed the same; its words, where they say all,
 * are read as the same placement. The same bytes are also read as one choice. */
#include <string.h>

#include "base/mem.h"
#include "made.h"
#include "schedule/schedule.h"
#include "target.h"

static void check_words(const struct bw_placement *placement)
{
	struct bw_text words = {0};
	struct bw_error error = {0};
	bw_placement_words(&made, placement, &words);
	const struct bw_placement *read = bw_placement_parse(&made, bw_text_get(&words), &error);
	bool cut = words.length > 4 && strcmp(bw_text_get(&words) + words.length - 4, " ...") == 0;
	expect(cut == !read, "words are read where they say all, and only there");
	expect(!read || !placement->tiled || bw_placement_equal(read, placement), "words say the placement");
	bw_placement_drop(read);
	bw_text_free(&words);
}

static void check_schedule(const struct bw_schedule *schedule)
{
	struct bw_text text = {0}, again = {0};
	struct bw_error error = {0};
	bool stale;
	bw_schedule_print(&made, schedule, &text);
	struct bw_schedule *read = bw_schedule_parse(&made, "printed", bw_text_get(&text), text.length, &stale, &error);
	expect(read != NULL, error.text);
	expect(bw_schedule_equal(schedule, read), "what is printed means the same");
	expect(bw_schedule_hash(schedule) == bw_schedule_hash(read), "what is equal hashes alike");
	bw_schedule_print(&made, read, &again);
	expect(strcmp(bw_text_get(&text), bw_text_get(&again)) == 0, "what is equal prints alike");
	bw_schedule_drop(read);
	bw_text_free(&text);
	bw_text_free(&again);
	for (int i = 0; i < schedule->n; i++)
		if (schedule->placements[i])
			check_words(schedule->placements[i]);
}

static void check_error(const struct bw_error *error, const char *begins)
{
	expect(error->kind == BW_ERROR_INPUT && strncmp(error->text, begins, strlen(begins)) == 0, "errors give the place");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct bw_error error = {0};
	bool stale;
	struct bw_schedule *schedule = bw_schedule_parse(&made, "fuzz", (const char *)bytes, length, &stale, &error);
	if (schedule)
		check_schedule(schedule);
	else
		check_error(&error, "fuzz:");
	bw_schedule_drop(schedule);

	char *line = memcpy(bw_new_array(length + 1, 1), bytes, length);
	const struct bw_placement *choice = bw_placement_parse(&made, line, &error);
	if (choice)
		check_words(choice);
	else
		check_error(&error, "column ");
	bw_placement_drop(choice);
	free(line);
	return 0;
}
