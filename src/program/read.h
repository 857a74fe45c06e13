/* Reads lines for the read-eval loop: from a pipe, from a plain terminal, or with libedit, edited and
 * completed as in a shell. */
#ifndef BW_PROGRAM_READ_H
#define BW_PROGRAM_READ_H
#include "session/session.h"

enum bw_reading { BW_READ_LINE, BW_READ_STOPPED, BW_READ_END };

/* Reads the next line of standard input, without its newline, into *line, after writing prompt (NULL:
 * none). */
enum bw_reading bw_read_plain(const char *prompt, struct bw_text *line);

struct bw_editor;
/* Returns a line editor, or NULL if libedit cannot use the terminal. Standard input and output must be a
 * terminal. stop_fd: readable if the user typed ^C, which leaves the line. history: a file shared with the
 * explorer's prompt; NULL: none. Free with _free, which restores the terminal. */
struct bw_editor *bw_editor_new(struct bw_session *session, const char *history, int stop_fd);
void bw_editor_free(struct bw_editor *editor);
enum bw_reading bw_editor_read(struct bw_editor *editor, const char *prompt, struct bw_text *line);
#endif
