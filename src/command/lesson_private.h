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

/* Runs `lesson`, while one is open. */
bool bw_lesson_run_command(struct call *call);
/* Appends what is missing for the fact that the present step waits for. */
void bw_lesson_lacks(struct bw_session *session, struct bw_text *out);
/* Returns the present step; NULL if the lesson is over. */
const struct bw_lesson_step *bw_lesson_step(const struct lessoning *lessoning);
/* Fills the texts of the present step, with the figures of the session as it is. Returns false with an
 * error that names file and line. */
bool bw_lesson_fill_page(struct bw_session *session, struct bw_error *error);
void bw_lesson_free_page(struct bw_lesson_page *page);
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
