/* Shared by the files that run lessons. */
#pragma once
#include "command/commands.h"
#include "command/figure.h"
#include "command/lesson.h"
#include "session/part.h"

/* A figure that `remember` kept under a name. */
struct remembered {
	char *name;
	struct bw_figure figure;
};

/* A place in the session to return to. */
struct lesson_place {
	int point, cursor; /* point: number of a point of the history */
	struct bw_selection selection;
	char view[sizeof((struct bw_session *)0)->view];
};

/* A lesson in progress, with the private data to continue it. */
struct lessoning {
	struct bw_lesson_run run;
	bool runs;     /* a line of the lesson is running; such a line may not run `lesson` itself */
	int beginning; /* point of the history to which `restart` returns; -1: no text was shown yet */
	struct lesson_place stood;   /* the session's place when the step had begun */
	struct lesson_place *places; /* by step: the session's place when the step was left. Also set for the
					present step while an earlier one is shown */
	struct remembered *remembered;
	int n_remembered, remembered_capacity;
	bw_lesson_changed *told;
	void *told_data;
};

static inline BW_PART_DATA(lessoning_of, struct lessoning, LESSON)

/* Returns the present step; NULL if the lesson is over. */
const struct bw_lesson_step *bw_lesson_step(const struct lessoning *lessoning);
void bw_lesson_free_page(struct bw_lesson_page *page);
/* Appends the text `more`, which it frees, to *to (NULL: empty so far), with `between` before it. */
void bw_lesson_join(char **to, char *more, const char *between);
/* Runs the commands of the present step, and makes the step's page. */
bool bw_lesson_enter(struct bw_session *session, struct bw_text *out, struct bw_error *error);
/* Saves the session's present place. */
void bw_lesson_mark(const struct bw_session *session, struct lesson_place *place);
/* Runs a command of the lesson. waits: wait for all work that the command starts, including jobs. */
bool bw_lesson_command(struct bw_session *session, const struct bw_lesson_line *line, bool waits,
		       struct bw_text *out, struct bw_error *error);
/* Replaces, in an error about a fact, the fact as asserted by the fact as written in the lesson. */
void bw_lesson_say_fact(const char *fact, const char *said, struct bw_error *error);
/* Puts the file and line before an error. */
bool bw_lesson_fail(const struct bw_session *session, const struct bw_lesson_line *line,
		    struct bw_error *error);
/* Returns to the place where the step began, so that figures in its texts have the values that the step asks
 * for. */
bool bw_lesson_come_back(struct bw_session *session, struct bw_error *error);
/* Shows another step that was already shown, with the session as it was in that step. */
bool bw_lesson_turn(struct bw_session *session, int step, struct bw_error *error);
/* Calls the function for changes of the run (bw_lesson_set_changed). */
void bw_lesson_tell(struct bw_session *session);
