/* The band of a lesson: text, question and answers of a step, below the views. */
#ifndef BW_UI_LESSON_H
#define BW_UI_LESSON_H
#include "command/lesson.h"
#include "ui/screen.h"

/* Returns the rows of the step that is shown, for the screen's width, the title's row first; empty if there
 * is no lesson. */
struct bw_sheet bw_lesson_sheet(const struct bw_screen *screen);
void bw_draw_lesson(struct bw_screen *screen, struct bw_grid *grid, struct bw_rect rect);
/* Shows the step from its beginning; if the learner has tried or asked for a hint, its end: the question and
 * what was said to it. */
void bw_lesson_show(struct bw_screen *screen);
/* Scrolls the text by a page if it has rows that are not visible in that direction. Returns true if it did.
 * */
bool bw_lesson_scroll(struct bw_screen *screen, int pages);
/* Returns true if the key that opens goes on in the lesson: no question waits, and the view is the step's. */
bool bw_lesson_takes_enter(const struct bw_screen *screen);
/* Returns true if a question waits that a digit answers. */
bool bw_lesson_takes_digits(const struct bw_screen *screen);
/* Answers it with a digit: a choice by its number. Returns a line to be completed at the prompt if
 * the answer is a number, NULL if there is nothing more to do. */
const char *bw_lesson_digit(struct bw_screen *screen, int digit, char line[32]);
#endif
