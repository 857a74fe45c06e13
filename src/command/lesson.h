/* Lessons: scripts that explain, ask questions and wait for answers. A lesson is read once (lesson_read.c)
 * and runs in a session (lesson.c). The explorer draws the page of the present step; without a screen the
 * page is printed as plain text. */
#pragma once
#include "session/session.h"

/* Words that begin a line of a lesson: name in C, word, what follows it, meaning. A line that begins with
 * another word is a command, which runs when its step begins. */
#define BW_LESSON_TABLE(X) \
	X(BW_LESSON_TITLE, "title", "TEXT", "title of the lesson, for the list of lessons") \
	X(BW_LESSON_MINUTES, "minutes", "N", "how long the lesson takes") \
	X(BW_LESSON_PIPELINE, "pipeline", "PIPELINE", "the pipeline that it opens: a bundled name, or a description beside the lesson") \
	X(BW_LESSON_NEXT, "next", "LESSON", "the lesson to take after this one, named at its end") \
	X(BW_LESSON_SAY, "say", "[TEXT]", "text of the step; successive lines make one paragraph, one without a text ends it") \
	X(BW_LESSON_NOTE, "note", "TEXT", "a note for the lecturer, written to --notes alone") \
	X(BW_LESSON_REMEMBER, "remember", "NAME = FIGURE", "keep a figure of the present state under a name") \
	X(BW_LESSON_RESTART, "restart", "", "take back all changes of the search since the first text of the lesson") \
	X(BW_LESSON_PAUSE, "pause", "", "end of a step without a question") \
	X(BW_LESSON_ASK, "ask", "QUESTION", "question of the step; successive lines make one paragraph") \
	X(BW_LESSON_CHOICE, "choice", "TEXT", "an answer to choose from; numbered from 1") \
	X(BW_LESSON_REPLY, "reply", "TEXT", "after a choice: said if it is chosen; after expect: said after the right answer") \
	X(BW_LESSON_HINT, "hint", "TEXT", "a hint, shown on request; several are shown one after the other") \
	X(BW_LESSON_SOLUTION, "solution", "COMMAND", "a command that reaches what is expected, for --batch and --lecture") \
	X(BW_LESSON_EXPECT, "expect", "NUMBER | any | FIGURE [+- N%] | FACT", "the right answer: of a choice its number, or any; a figure, with a tolerance; or a fact, as assert takes it, that the learner brings about; several facts, one a line, have to hold together")

enum bw_lesson_word { BW_LESSON_TABLE(BW_FIRST) BW_LESSON_COMMAND, BW_N_LESSON_WORDS = BW_LESSON_COMMAND };

struct bw_lesson_line {
	enum bw_lesson_word word;
	int number; /* line number in the file, from 1 */
	char *text; /* text after the word; for a command, the whole line */
};

/* How a step ends. */
enum bw_lesson_end { BW_ENDS_PAUSE, BW_ENDS_CHOICE, BW_ENDS_NUMBER, BW_ENDS_FACT };

struct bw_lesson_step {
	int first, end; /* range of its lines; `end` is exclusive */
	int expect;     /* index of the line `expect`; -1: the step ends with a pause */
	enum bw_lesson_end how;
	int n_choices, n_hints;
};

struct bw_lesson {
	char *path, *name; /* name: the file's name without number and suffix; for a file of the user, its
			      path */
	char *title, *pipeline;
	char *next; /* name of the lesson after this one, or NULL */
	int minutes;
	struct bw_lesson_line *lines;
	int n_lines, lines_capacity;
	struct bw_lesson_step *steps;
	int n_steps, steps_capacity;
};

/* Reads a lesson. Returns NULL with an error that names file and line. Free with bw_lesson_free. */
struct bw_lesson *bw_lesson_read(const char *path, struct bw_error *error);
void bw_lesson_free(struct bw_lesson *lesson);

/* The text shown for a step. A key appears in the text as a command line in braces: `{why}`. */
struct bw_lesson_page {
	char *said;            /* the explanation: paragraphs with an empty line between them */
	char *reply;           /* the reply to the last answer, or NULL */
	char *ask;             /* the question, or NULL */
	char *choices[9];      /* n_choices texts to choose from */
	int n_choices, chosen; /* chosen: number of the right choice, from 1, once it is found; else 0 */
	char *hints;           /* the hints requested so far, or NULL */
};

/* A lesson in progress in a session. */
struct bw_lesson_run {
	const struct bw_lesson *lesson;
	int step; /* index of the present step; n_steps: the lesson is over */
	int shown; /* index of the shown step: an earlier step after `lesson back` */
	bool answered; /* the present step has been answered, or needs no answer */
	int hints; /* number of hints shown in the present step */
	bool lecture; /* `lesson next` answers questions by itself */
	struct bw_lesson_page *pages; /* one page per step; filled up to the present step */
};

/* Called whenever a lesson's run has changed: another step, an answer, a hint. */
typedef void bw_lesson_changed(struct bw_session *session, const struct bw_lesson_run *run, void *data);

/* Begins a lesson in a new session, and runs the first steps with their solutions until `step`. The lesson is
 * owned by the caller, and must outlive the session. Returns false with an error if a line of the lesson
 * fails. */
bool bw_lesson_begin(struct bw_session *session, const struct bw_lesson *lesson, int step, bool lecture,
		     struct bw_error *error);
void bw_lesson_set_changed(struct bw_session *session, bw_lesson_changed *told, void *data);
/* Returns the lesson in progress, or NULL. */
const struct bw_lesson_run *bw_session_lesson(const struct bw_session *session);
/* Answers the present step by its solution, and waits for the work that the solution starts. The output of
 * its commands goes to `out`. strict: it is an error if the expected fact holds already before the
 * solution. */
bool bw_lesson_solve(struct bw_session *session, bool strict, struct bw_text *out, struct bw_error *error);
/* Goes to the next step. If the present step is not answered yet, says what is missing. */
bool bw_lesson_next(struct bw_session *session, struct bw_text *out, struct bw_error *error);
/* Returns true if the present step has a hint that was not shown yet. */
bool bw_lesson_has_hint(const struct bw_lesson_run *run);
/* Returns a text that names the command for the next hint of the present step or, if no hint is left, for the
 * answer. */
const char *bw_lesson_help(const struct bw_lesson_run *run);
/* Returns true if the session shows the view in which the present step began. */
bool bw_lesson_stands(const struct bw_session *session);
/* Checks the texts of the present step that not all learners see: replies and hints. */
bool bw_lesson_check(struct bw_session *session, struct bw_error *error);
/* Checks if the facts for which the present step waits hold by now. After that, keeps the figures in the
 * reply up to date. Returns true if the page has changed. */
bool bw_lesson_observe(struct bw_session *session);
/* Appends the shown step as plain text in lines of `columns`; keys stay in braces. If the step is answered,
 * appends only its reply. */
void bw_lesson_print(const struct bw_session *session, int columns, struct bw_text *out);
/* Appends the lecturer's notes: those of the present step, what it expects, its hints, and the notes of the
 * next step. If the present step is answered, appends only the notes of the next step. Keys stay in
 * braces. */
void bw_lesson_notes(struct bw_session *session, struct bw_text *out);
void bw_lesson_end(struct bw_session *session);

/* Returns a text in which each `{FIGURE}` is replaced by its value, and `{key LINE}` by `{LINE}`; free().
 * raw: values are plain numbers, for comparisons; else they have units. Returns NULL with an error if a
 * figure is unknown. */
char *bw_lesson_fill(struct bw_session *session, const char *text, bool raw, struct bw_error *error);
