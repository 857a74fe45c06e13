/* Shared by the files of this room alone. */
#ifndef BW_SEARCH_SEARCH_PRIVATE_H
#define BW_SEARCH_SEARCH_PRIVATE_H
#include "base/mem.h"
#include "search/memo.h"
#include "search/search.h"

struct bw_learned_basis;
/* A memo, NULL: none, with the keys of what costs and verdicts follow from beside the nests. */
struct bw_recall {
	struct bw_memo *memo;
	uint64_t costs, limits;
	struct bw_learned_basis *basis; /* of the pipeline under the learned model; NULL: costs are another's */
};

/* What a decision is made with; the same for the search, for its explanation and for a constraint that is tried. */
struct bw_question {
	const struct bw_pipeline *pipeline;
	const struct bw_search_options *options;
	const struct bw_constraint *constraint; /* on this Func, NULL if there is none */
	const struct bw_state *parent;
	int parents, beam; /* states that are asked alike, and those that are kept at most of all that they lead to */
	int func;
	enum bw_phase phase;
	int pass;
	const struct bw_constraints *marks; /* among which something of this Func is rejected or pinned; NULL: nothing is */
	const struct bw_recall *recall;
	bool silent; /* options get no words, nor placements where a rule that needs none prunes them */
};

/* Options as an enumerator proposes them. */
struct bw_proposals {
	int n, capacity;
	struct bw_proposal {
		const struct bw_placement *placement; /* NULL: nothing is to be decided */
		uint64_t kind;                        /* of what was enumerated: all sizes of one site are of one */
		int64_t unrolled;                     /* product of the serial extents */
		bool asked;                           /* a constraint names it, and no enumerator proposes it */
		bool pruned;                          /* it is too much to unroll, and nobody asks for the placement */
	} *list;
};
/* Whether these serial extents are too much to unroll and the question silent: then they are proposed without a placement. */
bool bw_propose_pruned(const struct bw_question *question, struct bw_proposals *proposals, uint64_t kind, const int64_t *serial);
/* Takes over the placement (NULL allowed). */
void bw_propose(struct bw_proposals *proposals, const struct bw_placement *placement, uint64_t kind, const int64_t *serial, int n_dims);

/* Combinations of serial extents by dimension, one after the other: powers of two to 8, and odd ones that make the extent that is left a multiple of a
 * warp. Dimensions beyond the third keep 1: the number of combinations stays bounded. */
enum { BW_TILED_DIMS = 3 };
struct bw_serials {
	int n_dims, tiled, n[BW_TILED_DIMS], at[BW_TILED_DIMS];
	int64_t sizes[BW_TILED_DIMS][8];
	bool end;
};
/* extents: of the region by dimension. */
void bw_serials_begin(struct bw_serials *serials, const int64_t *extents, int n_dims, int64_t warp);
/* The next one, n_dims numbers; false where there is none left. */
bool bw_serials_next(struct bw_serials *serials, int64_t *serial);

/* An enumeration under way. */
struct bw_enumerating {
	bool begun, done;
	int next;                  /* of the sites in kernels of others */
	struct bw_serials serials; /* of a tiling */
};
/* Enumerators, one for each kind of choice (Anderson et al. 2021, sections 4, 4.1 to 4.3). Each call proposes the options of one more site, or of one
 * more combination of serial extents, until `done` is set. */
void bw_enumerate_sites(const struct bw_question *question, struct bw_enumerating *enumerating, struct bw_proposals *proposals);
void bw_enumerate_tiles(const struct bw_question *question, struct bw_enumerating *enumerating, struct bw_proposals *proposals);
/* Whether two parents of a decision are asked for the tiling of a Func with the same extents, so that the same tiles are proposed. */
bool bw_tiles_alike(const struct bw_question *a, const struct bw_question *b);

/* Draws the options to cost (Anderson et al. 2021, sections 3.1 and 4.4): those of fate `fate` that are not drawn become UNSAMPLED. */
void bw_sample(const struct bw_question *question, struct bw_expansion *expansion, enum bw_fate fate);
/* Judges a proposal before it is placed: sets fate PRUNED where a rule says so. */
void bw_rules_before(const struct bw_question *question, const struct bw_proposal *proposal, struct bw_option *option);
/* The same for what the options leave out of the search space; a constraint has it all the same. */
void bw_rule_space(const struct bw_question *question, const struct bw_proposal *proposal, struct bw_option *option);
/* Whether Funcs are offered this kind of site. */
bool bw_searches(const struct bw_search_options *options, enum bw_sites site);
/* Judges it placed in a nest: may set fate PRUNED or SECOND_CHOICE. */
void bw_rules_after(const struct bw_question *question, const struct bw_nest *nest, struct bw_arena *arena, struct bw_option *option);
/* Fate, rule, figure, limit and, unless the option is silent, words in one call. */
void bw_option_judge(struct bw_option *option, enum bw_fate fate, enum bw_rule rule, double figure, double limit, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Options of one decision from one parent as they are tried one after the other. */
struct bw_trial {
	struct bw_recall recall;
	const struct bw_nest *parent;
	int func;                       /* that is placed */
	const struct bw_placed *placed; /* as it is tried now; NULL: not needed, its verdict is known */
	struct bw_memo_value *kept;     /* the same in the memo; NULL: it is not there */
	struct bw_memo_value *verdict;  /* that the memo has of it */
	bool stands;                    /* it is in scratch */
	bool priced;                    /* it was costed last */
	struct bw_nest *scratch;        /* the parent with one option after the other in it; NULL: not needed yet */
	bool contexts_known[2];         /* of placements elsewhere, and at root */
	uint64_t contexts[2];
};
void bw_trial_begin(struct bw_trial *trial, const struct bw_recall *recall, const struct bw_nest *parent, int func);
void bw_trial_end(struct bw_trial *trial);
/* Places the Func: trial->placed; false with an error (unless it is NULL) where it cannot be. costed: it is to be costed or kept, not judged alone. */
bool bw_trial_place(struct bw_trial *trial, const struct bw_placement *placement, bool costed, struct bw_error *error);
/* The nest with the Func placed so; until the next is. */
const struct bw_nest *bw_trial_nest(struct bw_trial *trial);
/* What it adds to the structure of its nest to a depth. */
uint64_t bw_trial_share(const struct bw_trial *trial, int depth);
/* Judges an option from the memo; false where that does not know it: then it is placed and judged, and given to the memo by bw_trial_keep. */
bool bw_trial_recall(struct bw_trial *trial, const struct bw_question *question, struct bw_arena *arena, struct bw_option *option);
void bw_trial_keep(struct bw_trial *trial, const struct bw_question *question, const struct bw_option *option);
/* Places an option and judges it by the rules. */
void bw_rules_place(struct bw_trial *trial, const struct bw_question *question, struct bw_arena *arena, struct bw_option *option);
struct bw_recall bw_recall_begin(struct bw_memo *memo, const struct bw_pipeline *pipeline, const struct bw_search_options *options);
/* Gives back what it has besides the memo. */
void bw_recall_end(struct bw_recall *recall);
/* The ms of a kernel's stages (bw_context_find), in the order of the context. */
void bw_recall_kernel(const struct bw_recall *recall, const struct bw_search_options *options, const struct bw_nest *nest, struct bw_context *context, struct bw_arena *arena, double *ms);

/* A kernel with its key, and what its stages cost where the whole schedule allocates so much. */
struct bw_last_kernel {
	uint64_t key;
	struct bw_memo_value *value; /* kept; NULL: none */
	double whole;                /* log(1 + bytes) */
	struct bw_memo_value *costs; /* kept; NULL: none */
};

/* What options of one decision from one parent are costed with. */
struct bw_pricing {
	const struct bw_search_options *options;
	const struct bw_nest *parent;
	int func;                  /* that is placed */
	struct bw_trial trial;
	double *ms;                /* by stage of the pipeline, of the parent; NULL: not known yet */
	double *changed_ms;        /* the same of the nest that was costed last */
	int n_changed, changed_capacity;
	int *changed;              /* stages in which changed_ms may differ from ms; n_changed -1 while ms itself is filled */
	int n_readers;
	struct bw_last_kernel *last; /* learned model: by stage at root, the kernel that was costed last; NULL: none was */
	struct bw_launched *readers; /* kernels that placing the Func changes, but for the one that it gets into */
	struct bw_arena *arena;
};
/* ms: of the parent, by stage, where it is known (copied); else NULL. */
void bw_pricing_begin(struct bw_pricing *pricing, const struct bw_question *question, const double *ms);
void bw_pricing_end(struct bw_pricing *pricing);
/* The cost of what was tried last; then changed_ms has its ms by stage. */
double bw_pricing_total(struct bw_pricing *pricing);
/* The cost of a nest. */
double bw_pricing_whole(const struct bw_recall *recall, const struct bw_search_options *options, const struct bw_nest *nest);
/* What all stages of a nest cost under the learned model; the pricing's arena's. And what it keeps for that. */
const double *bw_pricing_learned(struct bw_pricing *pricing, const struct bw_nest *nest);
void bw_pricing_forget_learned(struct bw_pricing *pricing);
/* The ms of the parent by stage. */
const double *bw_pricing_parent(struct bw_pricing *pricing);

/* What is done with the options in turn: every one is placed and judged by the rules; those to cost are drawn; they are costed; and where that
 * leaves nothing, second choices are. Without sampling an option is costed as soon as it was judged. */
enum bw_expanding_part { BW_EXPANDING_JUDGE, BW_EXPANDING_COST, BW_EXPANDING_SECOND };

/* An expansion under way, resumable between options. */
struct bw_expanding {
	struct bw_question question;
	struct bw_expansion *expansion;
	struct bw_enumerating enumerating;
	struct bw_proposals proposals;
	bool begun;  /* the placements of the proposals are the options' */
	bool lean;   /* options get no nests: of many thousand a few are kept, and these are placed again */
	bool draws;  /* it ends when those to cost are drawn: they are COSTED, and have no cost */
	enum bw_expanding_part part;
	int next;    /* option within it */
	bool done;
	char let_go[sizeof ((struct bw_expansion *)NULL)->let_go]; /* as the expansion will have it */
	uint64_t others[2]; /* structures of the parent without the Func, to the depth of the pass and to one less */
	struct bw_pricing pricing;
};
/* Notes the question; the first step enumerates the options. ms: as in bw_pricing_begin; lean: silent, too. */
void bw_expanding_begin(struct bw_expanding *expanding, const struct bw_question *question, const double *ms, bool lean);
/* The options of an expanding that nobody has begun with are those of another, whose options are not judged yet. Goes a little further; true where
 * they are. */
bool bw_expanding_like(struct bw_expanding *expanding, struct bw_expanding *other);
/* Enumerates a little more; where that is done, goes one option further each time. */
void bw_expanding_step(struct bw_expanding *expanding);
/* Frees it; the expansion too, unless the caller took it and left NULL. */
void bw_expanding_end(struct bw_expanding *expanding);
/* Gives the options their letters: for people, so not done in the search itself. */
void bw_expansion_name(struct bw_expansion *expansion);
/* The structure of the state that an option makes once it was tried, `less` short of the depth of the pass: its parent's, with what its Func adds now. */
uint64_t bw_expanding_structure(const struct bw_expanding *expanding, const struct bw_option *option, int less);

/* Decisions that are asked of each Func. */
enum { BW_FUNC_PHASES = 2 };

/* A set of hashes. All zero: an empty one. */
struct bw_hashes {
	int n, capacity;  /* a power of two of places, at most three quarters of them taken */
	uint64_t *places; /* 0: free */
	bool zero;        /* 0 is in it */
};
/* Whether it was not in it before. */
bool bw_hashes_add(struct bw_hashes *hashes, uint64_t hash);
bool bw_hashes_have(const struct bw_hashes *hashes, uint64_t hash);
void bw_hashes_end(struct bw_hashes *hashes);

/* A position that was reached, with the record of the decision before it; shared between a search and its forks. */
struct bw_reached {
	int references;
	uint64_t digest;             /* of the states here and at all positions before: placements and costs */
	int64_t bytes;               /* that it takes, with what its states do not share with those that they come from */
	int n;
	const struct bw_state **beam;
	double **ms;                 /* by state and stage; until the next position is reached, then NULL; NULL also for a state that it is not known of */
	struct bw_decision decision; /* that led here; of position 0 unused */
	const struct bw_constraint *missed; /* what is pinned and no state can have, while that is told; else NULL */
	int n_frozen;
	struct bw_frozen *frozen;    /* at the end of the pass that freezes: for the passes after, in the order of decisions */
	struct bw_hashes blessed;    /* at the end of a pass: structures that the next one may go back to */
	struct bw_hashes complete;   /* the schedules that were costed here with nothing left to decide */
	int first_complete, first_in_pass; /* how many of these no decision before had costed, and none of its pass */
};

/* Whether the user says anything of the Func that is asked for: then it is asked for what is not asked otherwise, too. */
bool bw_question_asked(const struct bw_question *question);
/* The mark on an option of the Func; NULL: none. */
const struct bw_constraint *bw_question_mark(const struct bw_question *question, const struct bw_placement *placement);
/* Whether it is the search that froze the Func that is asked for. */
bool bw_question_frozen(const struct bw_question *question);
/* Whether somebody holds its sizes, too: then no rule of taste speaks, and nothing is drawn. */
bool bw_question_pinned(const struct bw_question *question);

/* A decision under way: one expansion for each parent. */
struct bw_underway {
	int n, begun;  /* parents, and how many of them are begun */
	struct bw_expanding *parents;
	int n_leaders;
	int *leaders;  /* parents of which no one before is asked for the same tiles */
	double seconds;
	bool expanded; /* all parents are done; merging is next */
};

struct bw_search {
	const struct bw_pipeline *pipeline;
	struct bw_search_options said; /* as the caller gave them */
	struct bw_search_options options; /* the same, with `device` below for their device */
	struct bw_device device;
	struct bw_constraints constraints;
	int first_pass;           /* 0: the pre-pass, or 1 */
	bool freezes;             /* at the end of the first pass, be it the pre-pass, Funcs are frozen for those after */
	int n_decisions, pass_decisions; /* of all passes, with those between them; of one */
	struct bw_decision *plan; /* subjects and phases of all decisions, not made */
	int n_reached;            /* positions: at least 1 */
	struct bw_reached **reached;
	struct bw_underway underway;
	struct bw_merging *merging; /* of it, where all its parents are done; NULL: not begun */
	struct bw_underway spent;   /* merged, and given back a parent at a time */
	struct bw_reached *dead;    /* what a decision led to that left nothing alive, until it is known why; else NULL */
	struct bw_underway again;   /* the expansions of that decision with words; given back as what is spent */
	struct bw_reached *unfrozen; /* the end of the pass that freezes until what it freezes is known; else NULL */
	struct bw_freezer *freezer;  /* at work on it; NULL: not begun */
	double seconds;
	long recorded_limit;         /* BW_RECORDED_CHILDREN; tests have less */
	struct bw_recall recall;
};

/* Whether the search is not to freeze a Func. */
bool bw_constraints_let_go(const struct bw_constraints *constraints, int func);
/* Whether both say the same of a Func in a pass, wherever that comes from. */
bool bw_constraints_alike(const struct bw_constraints *a, const struct bw_constraints *b, int func, int pass);
/* Whether anything of a Func is rejected or pinned in a pass, and it is not held. */
bool bw_constraints_marks(const struct bw_constraints *constraints, int func, int pass);

struct bw_reached *bw_reached_new(int capacity);
/* Sets its bytes and its digest; before: the position before it, NULL: none. */
void bw_reached_measure(struct bw_reached *reached, const struct bw_reached *before);
void bw_reached_drop(struct bw_reached *reached);
/* Gives back the ms of its states, which serve the decision that follows. */
void bw_reached_forget(struct bw_reached *reached);
/* What decision `index` asks of a parent. */
struct bw_question bw_search_question(const struct bw_search *search, int index, const struct bw_state *parent);
/* Expands all parents of the decision under way with the search's threads, until the deadline (of bw_search_now) or *stop. True where all are
 * done. */
bool bw_search_expand_all(struct bw_search *search, double deadline, const atomic_bool *stop);
/* Sets the error that decision `index`, the one under way, left nothing alive, or nothing of what is pinned; `dead` is what it led to. */
void bw_search_say_dead(const struct bw_search *search, int index, const struct bw_reached *dead, struct bw_error *error);
/* Before that: the expansions of the decision under way are made again, with words; a little at a time. True where all are. */
bool bw_search_explain(struct bw_search *search);
/* Gives back one parent; true where none is left. */
bool bw_underway_shrink(struct bw_underway *underway);
void bw_underway_end(struct bw_underway *underway);
/* States that the beam after a decision holds at most. */
int bw_search_keeps(const struct bw_search *search, int index);
/* What penalties are counted by while one beam is chosen. */
struct bw_penalties {
	const struct bw_hashes *blessed; /* of depth - 1; NULL: none */
	const struct bw_pipeline *pipeline;
	bool sized;                   /* the size of the tiling that is decided is counted with the structure */
	bool judges;                  /* what is not blessed has a penalty: there was a pass before */
	int n, capacity;              /* seen: a hash table, of a power of two of places, at most half of them taken */
	struct bw_seen {
		uint64_t structure;
		int times;            /* 0: the place is free */
	} *seen;
};
/* Whether children of this decision are penalized; then *penalties is to be given back with _end. */
bool bw_penalties_begin(const struct bw_search *search, int index, struct bw_penalties *penalties);
void bw_penalties_end(struct bw_penalties *penalties);
/* The factor for the next option that is looked at, 1 or more; placement: that its Func has with it. */
int bw_penalty_of(struct bw_penalties *penalties, const struct bw_option *option, const struct bw_placement *placement);
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
/* The cost of a schedule with one Func elsewhere, at best, as the search would place it; resumable between options and between schedules. */
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
void bw_probe_begin(struct bw_probe *probe, const struct bw_search *search, const struct bw_state *const *way, int place);
/* True where all is done. */
bool bw_probe_step(struct bw_probe *probe);
void bw_probe_end(struct bw_probe *probe);
/* Blessing under way at the end of a pass: what its good states went through, those of earlier passes too where they are still among the best. */
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
/* What children are left out by while one beam is chosen. */
struct bw_dropout {
	uint64_t seed, pass, index; /* of the decision */
	double stays;               /* chance of a child to stay, 0..1 */
};
struct bw_dropout bw_dropout_begin(const struct bw_search *search, int index);
/* Whether a child that makes this state is left out, with so many others left to be looked at; of two or fewer none is. */
bool bw_dropped_out(const struct bw_dropout *dropout, uint64_t state, int left);
/* The best children of the decision under way become the next beam; of equal schedules one. Resumable: a step is some children, or one that is kept. */
struct bw_merging;
struct bw_merging *bw_merging_begin(const struct bw_search *search, int index);
/* Goes a little further; true where the beam and its record are made. */
bool bw_merging_step(struct bw_merging *merging);
/* What was made, NULL where that is not all. NULL is nothing to end. */
struct bw_reached *bw_merging_end(struct bw_merging *merging);

/* A child on its way into the beam. */
struct bw_candidate {
	double key;         /* what it is taken by: its cost, or a random number */
	uint64_t hash;
	int parent, option;
	int rank, penalty;  /* known when it is taken, and looked at */
};
/* Candidates that were not taken yet: a heap, that of the least key on top; of equal keys that of the least hash, parent, option. */
struct bw_candidates {
	int n, capacity;
	struct bw_candidate *heap;
};
void bw_candidates_put(struct bw_candidates *candidates, struct bw_candidate candidate);
struct bw_candidate bw_candidates_take(struct bw_candidates *candidates);

/* A beam as it is filled. */
struct bw_filling {
	const struct bw_search *search;
	int index;                         /* of the decision */
	struct bw_reached *next;
	struct bw_candidates rest;         /* not looked at */
	struct bw_candidates put_back;     /* looked at, and with a penalty: by cost with it, then rank */
	int taken;                         /* of the rest, so far */
	int n_recorded, recorded_capacity; /* of next->decision's children */
	int most_recorded;                 /* those that are kept behind them apart */
	struct bw_hashes twins;            /* schedules that the beam has */
	struct bw_dropout dropout;
	bool penalizes;
	struct bw_penalties penalties;
	const struct bw_reached *before;   /* where this decision ends a pass: what the pass before ended with; NULL: none did */
	int next_before;
	int next_pin;                      /* among the constraints */
};
/* Whether a state of a pass before has nothing that the user says otherwise for a pass. */
bool bw_state_allowed(const struct bw_search *search, const struct bw_state *state, int pass);
void bw_filling_begin(struct bw_filling *filling, const struct bw_search *search, int index, struct bw_reached *next);
/* Looks at one child more; true where the beam is full, or nothing is left to look at. */
bool bw_filling_step(struct bw_filling *filling);
/* Records one of the children that the beam had no place for; true where all are, or as many as a record has. */
bool bw_filling_record(struct bw_filling *filling);
/* Puts a child into the beam, with so many others left that could be; of equal schedules only the first. */
void bw_filling_keep(struct bw_filling *filling, const struct bw_candidate *candidate, int penalty, int left);
/* Whether a child has anything that is pinned of the Funcs that its pass has decided: then no draw leaves it out. */
bool bw_filling_pinned(const struct bw_filling *filling, const struct bw_candidate *candidate);
/* When the record is there: sees to one constraint more, that the beam has what it pins; true where that is done for all. */
bool bw_filling_pin(struct bw_filling *filling);
/* Gives the record to next->decision, and all else back. */
void bw_filling_end(struct bw_filling *filling);
/* What a candidate is made from. */
const struct bw_option *bw_filling_option(const struct bw_filling *filling, const struct bw_candidate *candidate);

/* Seconds of a clock that never goes back. */
double bw_search_now(void);

/* States. */
struct bw_state *bw_state_new(const struct bw_state *parent, int parent_rank, int option, struct bw_nest *nest, double cost);
/* The state that the first pass began with, or the one that its own pass did: with nothing placed. */
const struct bw_state *bw_state_first(const struct bw_state *state);
const struct bw_state *bw_state_keep(const struct bw_state *state);
void bw_state_drop(const struct bw_state *state);
#endif
