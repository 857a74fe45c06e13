/* Shared by the files that run lessons. */
#pragma once
#include "command/commands.h"
#include "command/figure.h"
#include "command/lesson.h"
#include "session/part.h"

/* A figure that was kept under a name. */
struct remembered {
	char *name;
	struct bw_figure figure;
};

/* A place in the session, to come back to. */
struct lesson_place {
	int point, cursor; /* point: of the history */
	struct bw_selection selection;
	char view[sizeof((struct bw_session *)0)->view];
};

/* A lesson under way, with the data to continue it. */
struct lessoning {
	struct bw_lesson_run run;
	bool runs;     /* a line of the lesson is being run, which cannot turn the pages itself */
	int beginning; /* point of the history that `restart` goes to; -1: no text was shown yet */
	struct lesson_place stood;   /* where the session stood when the step had begun */
	struct lesson_place *places; /* for each step gone through, and for the present one while an earlier is
					shown: where it was left */
	struct remembered *remembered;
	int n_remembered, remembered_capacity;
	bw_lesson_changed *told;
	void *told_data;
};

static inline BW_PART_DATA(lessoning_of, struct lessoning, LESSON)

/* Returns the present step; NULL if the lesson is over. */
const struct bw_lesson_step *bw_lesson_step(const struct lessoning *lessoning);
void bw_lesson_free_page(struct bw_lesson_page *page);
/* Appends a text, which it frees, to *to (NULL: none yet), with `between` before it. */
void bw_lesson_join(char **to, char *more, const char *between);
/* Runs the commands of the present step, and makes its page. */
bool bw_lesson_enter(struct bw_session *session, struct bw_text *out, struct bw_error *error);
/* Notes where the session stands. */
void bw_lesson_mark(const struct bw_session *session, struct lesson_place *place);
/* Runs a command of the lesson. waits: waits for all work that it begins, jobs included. */
bool bw_lesson_command(struct bw_session *session, const struct bw_lesson_line *line, bool waits,
		       struct bw_text *out, struct bw_error *error);
/* Lets an error about a fact, given as it was asserted, show it as it is said. */
void bw_lesson_say_fact(const char *fact, const char *said, struct bw_error *error);
/* Puts the file and line before an error. */
bool bw_lesson_fail(const struct bw_session *session, const struct bw_lesson_line *line,
		    struct bw_error *error);
/* Returns to the place where the step began, so that its figures are the ones that it asks for. */
bool bw_lesson_come_back(struct bw_session *session, struct bw_error *error);
/* Shows another step that was shown already, with the session as it was there. */
bool bw_lesson_turn(struct bw_session *session, int step, struct bw_error *error);
/* Says that the run has changed. */
void bw_lesson_tell(struct bw_session *session);
