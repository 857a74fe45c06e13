/* A report: one self-contained page of HTML, without scripts and without anything from a network, on the
 * selected state of a session: what the pipeline is, its schedule, kernels and costs, the decisions that
 * mattered, pictures of all of it, what was measured, and how to find it again. */
#ifndef BW_PAGE_PAGE_H
#define BW_PAGE_PAGE_H
#include "session/session.h"

/* Appends the page: a bw_session_page. Returns false with an error if the state is not complete. */
bool bw_page_write(struct bw_session *session, struct bw_text *out, struct bw_error *error);
#endif
