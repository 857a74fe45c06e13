/* Screens and views where there is no terminal: for scripts and the read-eval loop. */
#ifndef BW_UI_PRINT_H
#define BW_UI_PRINT_H
#include "session/session.h"

/* Saves a screen as text or as SVG, by the end of path: .txt or .svg: a bw_session_draw. data: the struct bw_screen that is shown, or NULL:
 * then one of the session's view. A size of 0: that of the screen, or 100x30. */
bool bw_screen_save(struct bw_session *session, const char *path, int columns, int rows, void *data, struct bw_error *error);

/* Writes a view whole, every row: a bw_session_print, 100 columns wide, in UTF-8 or in ASCII alone. */
void bw_print_view(struct bw_session *session, const char *view, struct bw_text *out);
void bw_print_view_ascii(struct bw_session *session, const char *view, struct bw_text *out);
#endif
