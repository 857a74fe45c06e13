/* What happens between passes: freezing and blessing. Private to the files of this room. */
#ifndef BW_SEARCH_BETWEEN_H
#define BW_SEARCH_BETWEEN_H
#include "search/expanding.h"
#include "search/hashes.h"

struct bw_reached;

/* Returns the pass at whose end Funcs are frozen: 0, the pre-pass, or 1; -1 if none are. */
int bw_freezing_pass(const struct bw_search_options *options);
/* Returns the number of states kept at a decision of the pre-pass. */
int bw_freezing_beam(const struct bw_search_options *options);
/* Freezing in progress, at the end of the pass that freezes. */
struct bw_freezer;
struct bw_freezer *bw_freezer_begin(const struct bw_search *search, struct bw_reached *end);
/* Goes a little further. Returns true if all that is to be frozen is, in that end. */
bool bw_freezer_step(struct bw_freezer *freezing);
void bw_freezer_end(struct bw_freezer *freezing);
/* Finds the least cost of a schedule with one Func at another place, as the search would place it.
 * Goes on in small steps. */
struct bw_probe {
	const struct bw_search *search;
	const struct bw_nest *whole; /* the schedule */
	int place;                   /* of the Func, in the order of decisions */
	struct bw_expanding expanding;
	int next;    /* the option to look at next */
	double best; /* 0 if there is no other place */
	long costed; /* schedules costed so far */
};
/* Begins a probe. `way` are the schedule's states by position, from the start of the first pass to
 * its end. */
void bw_probe_begin(struct bw_probe *probe, const struct bw_search *search, const struct bw_state *const *way,
		    int place);
/* Does a little more. Returns true if all is done. */
bool bw_probe_step(struct bw_probe *probe);
void bw_probe_end(struct bw_probe *probe);
/* Blessing in progress at the end of a pass: the structures are collected that the good states went
 * through, including states of earlier passes that are still among the best. */
struct bw_blessing {
	const struct bw_search *search;
	struct bw_reached *end;
	int pass, next; /* next: state of the beam */
	/* the state that is looked at, on the way back to the first one; NULL: the next state of
	 * the beam follows */
	const struct bw_state *at;
	/* whether its structure to the depth of the pass is known, because an earlier pass made
	 * it */
	bool known;
	uint64_t structure;
	struct bw_hashes seen; /* states that have been looked at */
};
/* Looks at one more state. Returns true if all are done; then there is nothing to end. */
bool bw_blessing_step(struct bw_blessing *blessing);
void bw_blessing_end(struct bw_blessing *blessing);
#endif
