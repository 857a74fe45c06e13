/* The band of a lesson: text, question and answers of a step, below the views. */
#ifndef BW_UI_LESSON_H
#define BW_UI_LESSON_H
#include "command/lesson.h"
#include "ui/screen.h"

/* Returns the rows of the current step, wrapped to the screen's width, its title first; empty if there
 * is no lesson. */
struct bw_sheet bw_lesson_sheet(const struct bw_screen *screen);
void bw_draw_lesson(struct bw_screen *screen, struct bw_grid *grid, struct bw_rect rect);
/* Shows the step from its beginning. After an attempt or a hint, shows its end: the question and the
 * last reply. */
void bw_lesson_show(struct bw_screen *screen);
/* Scrolls the text by a page if rows are hidden in that direction. Returns true if it has scrolled. */
bool bw_lesson_scroll(struct bw_screen *screen, int pages);
/* Returns true if the key that opens goes on in the lesson: no question waits, and the view is the step's. */
bool bw_lesson_takes_enter(const struct bw_screen *screen);
/* Returns true if a question waits that a digit answers. */
bool bw_lesson_takes_digits(const struct bw_screen *screen);
/* Answers the question with a digit, the number of a choice. If a number is asked for, returns a line
 * to complete at the prompt; else NULL. */
const char *bw_lesson_digit(struct bw_screen *screen, int digit, char line[32]);
#endif
