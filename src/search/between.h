/* What is done at the end of a pass for those after it: freezing, and blessing. Shared by the files of this
 * room alone. */
#ifndef BW_SEARCH_BETWEEN_H
#define BW_SEARCH_BETWEEN_H
#include "search/expanding.h"
#include "search/hashes.h"

struct bw_reached;

/* The pass at whose end Funcs are frozen: 0, the pre-pass, or 1; -1: none are. */
int bw_freezing_pass(const struct bw_search_options *options);
/* Most states kept at a decision of the pre-pass. */
int bw_freezing_beam(const struct bw_search_options *options);
/* Freezing under way at the end of the pass that freezes, which nobody else has yet. */
struct bw_freezer;
struct bw_freezer *bw_freezer_begin(const struct bw_search *search, struct bw_reached *end);
/* Goes a little further; true where all that is to be frozen is, in that end. */
bool bw_freezer_step(struct bw_freezer *freezing);
void bw_freezer_end(struct bw_freezer *freezing);
/* The cost of a schedule with one Func elsewhere, at best, as the search would place it; resumable between
 * options and between schedules. */
struct bw_probe {
	const struct bw_search *search;
	const struct bw_nest *whole; /* the schedule */
	int place;                   /* the Func's, in the order of decisions */
	struct bw_expanding expanding;
	int next;                    /* option */
	double best;                 /* 0 where it can be nowhere else */
	long costed;                 /* schedules */
};
/* way: the schedule's states by position, from the start of the first pass to its end. */
void bw_probe_begin(struct bw_probe *probe, const struct bw_search *search, const struct bw_state *const *way,
		    int place);
/* True where all is done. */
bool bw_probe_step(struct bw_probe *probe);
void bw_probe_end(struct bw_probe *probe);
/* Blessing under way at the end of a pass: what its good states went through, those of earlier passes too
 * where they are still among the best. */
struct bw_blessing {
	const struct bw_search *search;
	struct bw_reached *end;
	int pass, next;              /* state of the beam */
	const struct bw_state *at;   /* on its way back to the first; NULL: the next state's is to be begun with */
	bool known;                  /* its structure to the depth of the pass, where a pass before made it */
	uint64_t structure;
	struct bw_hashes seen;       /* states */
};
/* Goes one state further; true where all is blessed, and then there is nothing to end. */
bool bw_blessing_step(struct bw_blessing *blessing);
void bw_blessing_end(struct bw_blessing *blessing);
#endif
