/* Screens and views without a terminal, for scripts and the read-eval loop. */
#pragma once
#include "session/session.h"

/* Saves a screen as text or SVG, chosen by the extension of path, .txt or .svg (struct bw_hooks).
 * data: the struct bw_screen, or NULL for a new screen with the session's view. Sizes of 0 mean the
 * screen's size, or 100x30. */
bool bw_screen_save(struct bw_session *session, const char *path, int columns, int rows, void *data,
		    struct bw_error *error);

/* Append all rows of a view, 100 columns wide, in UTF-8 or in ASCII (struct bw_hooks). */
void bw_print_view(struct bw_session *session, const char *view, struct bw_text *out);
void bw_print_view_ascii(struct bw_session *session, const char *view, struct bw_text *out);
