/* Reads a lesson: its lines, and the steps that they make. */
#include <ctype.h>

#include "base/file.h"
#include "command/lesson.h"

enum { MOST_BYTES = 1 << 20, MOST_CHOICES = 9, MOST_MINUTES = 600 };

static const char *const words[] = {BW_LESSON_TABLE(BW_SECOND)};

/* A lesson that is being read. */
struct reading {
	struct bw_lesson *lesson;
	struct bw_lesson_step step; /* the step being read, which begins at line `first` */
	bool asks, expects;         /* asks: the step has a question; expects: it has its `expect` */
	struct bw_error *error;
};

static bool fail(const struct reading *reading, int line, const char *what)
{
	return bw_fail(reading->error, BW_ERROR_INPUT, "%s:%d: %s", reading->lesson->path, line, what);
}

/* Ends the step before line `end`. */
static void end_step(struct reading *reading, int end)
{
	struct bw_lesson *lesson = reading->lesson;
	reading->step.end = end;
	BW_PUSH(lesson->steps, lesson->n_steps, lesson->steps_capacity, reading->step);
	reading->step = (struct bw_lesson_step){.first = end, .expect = -1};
	reading->asks = reading->expects = false;
}

static bool take_expect(struct reading *reading, const struct bw_lesson_line *line)
{
	struct bw_lesson_step *step = &reading->step;
	if (!reading->asks)
		return fail(reading, line->number, "expect without a question; write `ask` before it");
	char *end;
	long number = strtol(line->text, &end, 10);
	step->expect = (int)(line - reading->lesson->lines);
	step->how = step->n_choices                                             ? BW_ENDS_CHOICE
		    : isdigit((unsigned char)*line->text) || *line->text == '{' ? BW_ENDS_NUMBER
										: BW_ENDS_FACT;
	reading->expects = true;
	if (!*line->text)
		return fail(reading, line->number, "expect what?");
	if (step->n_choices && strcmp(line->text, "any") && (*end || number < 1 || number > step->n_choices))
		return fail(reading, line->number, "expect takes the number of one of the choices, or any");
	return true;
}

static bool take_header(struct reading *reading, const struct bw_lesson_line *line)
{
	struct bw_lesson *lesson = reading->lesson;
	if (line->word == BW_LESSON_MINUTES) {
		long minutes;
		bool good = bw_read_number(line->text, 1, MOST_MINUTES, &minutes);
		lesson->minutes = (int)minutes;
		return good || fail(reading, line->number, "minutes takes a whole number from 1 to 600");
	}
	char **field = line->word == BW_LESSON_TITLE  ? &lesson->title
		       : line->word == BW_LESSON_NEXT ? &lesson->next
						      : &lesson->pipeline;
	if (*field)
		return fail(reading, line->number, "there is one already");
	*field = bw_strdup(line->text);
	return **field || fail(reading, line->number, "a text is missing");
}

/* Checks the order of lines: some may stand only before the step's question, others only after it. */
static bool check_order(const struct reading *reading, const struct bw_lesson_line *line)
{
	bool answers = line->word == BW_LESSON_CHOICE || line->word == BW_LESSON_HINT ||
		       line->word == BW_LESSON_SOLUTION || line->word == BW_LESSON_REPLY;
	const struct bw_lesson *lesson = reading->lesson;
	bool behind = lesson->n_steps && lesson->steps[lesson->n_steps - 1].expect >= 0 &&
		      line == &lesson->lines[reading->step.first];
	if (answers && !reading->asks && behind)
		return fail(reading, line->number, "this belongs before the expect of its question");
	if (answers && !reading->asks)
		return fail(reading, line->number, "there is no question yet; write `ask` before it");
	if (reading->expects && answers && line->word != BW_LESSON_REPLY)
		return fail(reading, line->number, "this belongs before expect");
	if (line->word == BW_LESSON_REPLY && !reading->expects && !reading->step.n_choices)
		return fail(reading, line->number, "reply belongs behind a choice, or behind expect");
	if (reading->asks && !answers && line->word != BW_LESSON_ASK && line->word != BW_LESSON_EXPECT &&
	    line->word != BW_LESSON_NOTE)
		return fail(reading, line->number, "the question before has no expect");
	return true;
}

static bool take_line(struct reading *reading, int index)
{
	const struct bw_lesson_line *line = &reading->lesson->lines[index];
	struct bw_lesson_step *step = &reading->step;
	bool also = line->word == BW_LESSON_EXPECT && reading->expects && step->how == BW_ENDS_FACT;
	if (also)
		return *line->text || fail(reading, line->number, "expect what?");
	if (reading->expects && line->word != BW_LESSON_REPLY)
		end_step(reading, index);
	if (line->word == BW_LESSON_TITLE || line->word == BW_LESSON_MINUTES ||
	    line->word == BW_LESSON_PIPELINE || line->word == BW_LESSON_NEXT)
		return take_header(reading, line);
	if (!check_order(reading, line))
		return false;
	switch (line->word) {
	case BW_LESSON_ASK:
		reading->asks = true;
		return *line->text || fail(reading, line->number, "ask what?");
	case BW_LESSON_CHOICE:
		return ++step->n_choices <= MOST_CHOICES || fail(reading, line->number, "at most 9 choices");
	case BW_LESSON_HINT:
		step->n_hints++;
		return true;
	case BW_LESSON_EXPECT:
		return take_expect(reading, line);
	case BW_LESSON_PAUSE:
		end_step(reading, index + 1);
		return true;
	default:
		return true;
	}
}

/* Adds a line of the file. Skips blank lines and comments. */
static void add_line(struct bw_lesson *lesson, char *text, int number)
{
	text = bw_trim(text);
	if (!*text || *text == '#')
		return;
	struct bw_lesson_line line = {.word = BW_LESSON_COMMAND, .number = number};
	size_t first = strcspn(text, " \t");
	for (int word = 0; word < BW_N_LESSON_WORDS; word++)
		if (strlen(words[word]) == first && !strncmp(words[word], text, first))
			line.word = (enum bw_lesson_word)word;
	line.text =
	    bw_strdup(line.word == BW_LESSON_COMMAND ? text : text + first + strspn(text + first, " \t"));
	BW_PUSH(lesson->lines, lesson->n_lines, lesson->lines_capacity, line);
}

/* Returns a lesson's name, given its path: `occupancy` for `lessons/3-occupancy.lesson`. */
static char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	name += strspn(name, "0123456789");
	name += *name == '-';
	char *copy = bw_strdup(name), *dot = strrchr(copy, '.');
	if (dot && dot > copy)
		*dot = 0;
	return copy;
}

/* Splits the lines into steps, and checks that nothing is missing. */
static bool read_steps(struct bw_lesson *lesson, struct bw_error *error)
{
	struct reading reading = {.lesson = lesson, .step = {.expect = -1}, .error = error};
	for (int i = 0; i < lesson->n_lines; i++)
		if (!take_line(&reading, i))
			return false;
	int last = lesson->n_lines ? lesson->lines[lesson->n_lines - 1].number : 1;
	if (reading.asks && !reading.expects)
		return fail(&reading, last, "the last question has no expect");
	if (reading.expects || reading.step.first < lesson->n_lines)
		end_step(&reading, lesson->n_lines);
	return (lesson->title || fail(&reading, 1, "the lesson has no title")) &&
	       (lesson->pipeline || fail(&reading, 1, "the lesson has no pipeline")) &&
	       (lesson->n_steps || fail(&reading, 1, "the lesson has no steps"));
}

struct bw_lesson *bw_lesson_read(const char *path, struct bw_error *error)
{
	BW_SCOPED_TEXT text = {0};
	if (!bw_file_read(path, MOST_BYTES, &text, error) || !bw_text_lines(path, &text, error))
		return NULL;
	struct bw_lesson *lesson = BW_NEW(struct bw_lesson);
	lesson->path = bw_strdup(path);
	lesson->name = name_of(path);
	int number = 1;
	for (char *line = text.bytes, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		bw_one_line(line);
		add_line(lesson, line, number++);
	}
	if (read_steps(lesson, error))
		return lesson;
	bw_lesson_free(lesson);
	return NULL;
}

void bw_lesson_free(struct bw_lesson *lesson)
{
	if (!lesson)
		return;
	for (int i = 0; i < lesson->n_lines; i++)
		free(lesson->lines[i].text);
	free(lesson->lines);
	free(lesson->steps);
	free(lesson->path);
	free(lesson->name);
	free(lesson->title);
	free(lesson->pipeline);
	free(lesson->next);
	free(lesson);
}
