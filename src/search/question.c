/* What a decision asks, and the constraints on its Func. */
#include "search/question.h"

bool bw_question_asked(const struct bw_question *question)
{
	return question->constraint || question->marks;
}

const struct bw_constraint *bw_question_mark(const struct bw_question *question,
					     const struct bw_placement *placement)
{
	return question->marks && placement ? bw_constraint_mark(question->marks, placement, question->pass) : NULL;
}

bool bw_question_frozen(const struct bw_question *question)
{
	return question->constraint && question->constraint->source == BW_CONSTRAINT_SEARCH;
}

bool bw_question_pinned(const struct bw_question *question)
{
	return question->constraint && question->constraint->sizes && !bw_question_frozen(question);
}
