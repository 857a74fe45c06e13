/* A report on the selected state of a session: one self-contained page of HTML, without scripts and
 * network access. It has the pipeline, its schedule, kernels and costs, the decisions that mattered,
 * pictures of all of these, the measurements, and the commands that find the schedule again. */
#pragma once
#include "session/session.h"

/* The number of decisions that a page shows: those that mattered most. */
enum { BW_PAGE_DECISIONS = 3 };

/* Appends the page. Is a hook (struct bw_hooks). Returns false with an error if the state is not
 * complete. */
bool bw_page_write(struct bw_session *session, struct bw_text *out, struct bw_error *error);
/* Appends the film of the search: SVG with animations, without scripts. Returns false with an error if no
 * decision is made. */
bool bw_page_film(struct bw_session *session, struct bw_text *out, struct bw_error *error);
