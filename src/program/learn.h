/* Lessons for the program: finding them, how far the user is, and taking one as plain text. */
#ifndef BW_PROGRAM_LEARN_H
#define BW_PROGRAM_LEARN_H
#include "lesson/lesson.h"
#include "program/program.h"

/* How far the user is in a lesson. */
struct bw_lesson_progress {
	int step;  /* steps done since it was last begun */
	bool done; /* it was taken to its end once */
};

/* The lessons that the user has begun, in the file `lessons` of a folder. */
struct bw_progresses {
	char *path; /* of the file */
	int n, capacity;
	struct bw_progress_line {
		char *name; /* of the lesson */
		struct bw_lesson_progress progress;
	} * list;
	struct bw_error unwritten; /* why the file could not be written; kind NONE: it could */
};

/* Reads what is kept in the user's state folder. No file is no progress. */
bool bw_progresses_read(const char *folder, struct bw_progresses *progresses, struct bw_error *error);
struct bw_lesson_progress bw_progress_of(const struct bw_progresses *progresses, const char *name);
/* Sets the progress of a lesson, and writes the file if that changes it. */
void bw_progress_set(struct bw_progresses *progresses, const char *name, struct bw_lesson_progress progress);
void bw_progresses_free(struct bw_progresses *progresses);

/* Takes a lesson line by line from standard input, to standard output. */
bool bw_learn_text(struct bw_program *program, struct bw_error *error);
/* Takes a lesson with its own answers, and checks that they are right. */
bool bw_learn_batch(struct bw_program *program, struct bw_error *error);
#endif
