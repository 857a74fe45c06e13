/* Names in commands, and the options of the decision at the cursor. */
#ifndef BW_SESSION_SELECT_H
#define BW_SESSION_SELECT_H
#include "session/option_list.h"
#include "session/session.h"

/* Find the object that a name denotes; each fails with an error that names the choices. */
bool bw_select_func(const struct bw_session *session, const char *name, int *func, struct bw_error *error);
bool bw_select_state(struct bw_session *session, const char *name, int *rank, struct bw_error *error);
bool bw_select_option(struct bw_session *session, const char *name, int *number, struct bw_error *error);
/* Finds a group of options of the decision at the cursor, as bw_group_name names it. */
bool bw_select_group(struct bw_session *session, const char *name, int *group, struct bw_error *error);
/* Finds a position: `Ix`, `Ix.tile`, `Ix.where@1`, `end`, or a number. */
bool bw_select_position(const struct bw_session *session, const char *name, int *position,
			struct bw_error *error);
/* Returns the number of the option with the least cost, or -1 if none was costed. */
int bw_best_option(const struct bw_expansion *expansion);
/* Appends an option's name: `A3`, or `#3` if it has no letter. */
void bw_option_name(const struct bw_option *option, struct bw_text *out);
/* Moves the selected state into the beam at the cursor. */
void bw_session_clamp(struct bw_session *session);

/* Returns the options at the cursor if they are made already, else NULL. */
const struct bw_expansion *bw_session_expansion_made(const struct bw_session *session);
/* Makes them for at most about `seconds`. Returns NULL if they are not made by then. */
const struct bw_expansion *bw_session_expand_for(struct bw_session *session, double seconds);
/* Returns the options, or NULL if they are not made yet and a screen must not wait for them. */
const struct bw_expansion *bw_session_expansion_unless(struct bw_session *session);
/* Gives up the options that are being made. */
void bw_shown_stop(struct bw_session *session);
/* Returns the routine that makes options, or NULL. */
struct bw_routine *bw_shown_work(struct bw_session *session);
/* Returns how many times options were made. */
int bw_shown_count(const struct bw_session *session);
/* Remembers the selected state as that before the next command. */
void bw_shown_remember(struct bw_session *session);

/* Shows the decision at the cursor at a stage. */
void bw_option_list_show(struct bw_session *session, enum bw_replay stage);
/* Shows a group of its options as one line, or its options again. */
void bw_option_list_fold(struct bw_session *session, int group, bool folded);
/* Remembers the cost of an option that the search did not cost. */
void bw_option_list_cost(struct bw_session *session, int option, double cost);

/* Returns true if alternatives are still to be costed. */
bool bw_alternatives_pending(const struct bw_session *session);
/* Costs one variant more; some must be pending. */
void bw_alternatives_price(struct bw_session *session);
#endif
