/* The decisions of the scheduler of Sioutas et al. 2020: what each can choose from, and what follows. */
#ifndef BW_SCHEDULERS_SIOUTAS_DECISIONS_H
#define BW_SCHEDULERS_SIOUTAS_DECISIONS_H
#include "schedulers/sioutas.h"

enum sioutas_phase { SIOUTAS_INLINE, SIOUTAS_MERGE, SIOUTAS_TILE, SIOUTAS_NEST, SIOUTAS_END };

struct sioutas_choice {
	int func;     /* to inline or nest, or the output of a group to merge or tile */
	int consumer; /* the output of the group to merge into, or the Func to nest in; else -1 */
	const int64_t *tile; /* of the merged group, or the tile itself; NULL: none */
	double benefit;
	double group_cost; /* with it, as the phase counts */
	bool known;        /* `cost` is known */
	struct sioutas_cost cost;
	bool trivial;
	const char *refused;
	const char *how; /* what else there is to say; "" */
};

struct sioutas_deciding {
	struct sioutas sioutas;
	struct bw_arena *arena;
	const char *without[SIOUTAS_END]; /* why a phase may take nothing; NULL: it may */
	bool flat; /* nothing is nested in what is itself in another's kernel */
	enum sioutas_phase phase;
	struct bw_schedule *schedule; /* of the decisions so far */
	double *group_cost;           /* by output, while groups are merged */
	int at;                       /* TILE: the group at hand */
	int n_all;                    /* TILE: tiles that there are; only the best are choices */
	bool none_valid;              /* TILE: no tile keeps all rules */
	int n;
	struct sioutas_choice *choices; /* of the decision at hand, best first */
	struct sioutas_choice **merges; /* by output: its merge as it was found last; NULL: none */
};

/* Begins with each Func as a kernel. Returns false with an error if that is not legal. */
bool sioutas_begin(struct sioutas_deciding *deciding, const struct bw_pipeline *pipeline,
		   const struct bw_device *device, struct bw_error *error);
void sioutas_end(struct sioutas_deciding *deciding);
/* Finds the choices of the next decision. Returns false after the last. */
bool sioutas_next(struct sioutas_deciding *deciding);
/* Takes one, -1: none. Returns false with the reason, and changes nothing, if the outcome is not legal. */
bool sioutas_take(struct sioutas_deciding *deciding, int choice, struct bw_error *error);
#endif
