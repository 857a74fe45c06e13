/* Private to the files of the command regress: exported schedules as they are read and checked. */
#pragma once

#include "program/program.h"

/* What is known of a schedule when it was exported, or now. Numbers that are not known are negative. */
struct regress_facts {
	double cost;     /* predicted by the model, in ms or without a unit */
	double ms;       /* measured, or estimated on the emulated device */
	double spread;   /* spread of the measurement: half the distance between the quartiles, over the
			    median */
	int registers;   /* registers per thread, the most of any kernel */
	int spilled;     /* bytes per thread stored and loaded because registers did not suffice */
	char on[128];    /* the device that measured; empty: none */
	char device[64]; /* the device that the cost is predicted for */
	char model[128]; /* title of the cost model */
};

/* One exported schedule in a file. */
struct regress_export {
	const char *file;
	int line;            /* line where the export begins, from 1 */
	struct bw_text text; /* its schedule file; each line has the line number that it has in the file;
				empty: none */
	json_t *facts;       /* facts as exported; NULL: none */
	bool named;          /* the command line names the file itself, not a folder that contains it */
	char pipeline[256];  /* the name in its schedule file; empty: none */
	uint64_t schedule;   /* hash of the schedule, from the export's mark; 0: not known */
	const char *code, *code_end; /* the C++; NULL: none */
};

/* Outcomes: name in C, in words, whether the schedule has become worse (false: it is unchanged or could
 * not be checked). */
#define REGRESS_OUTCOME_TABLE(X) \
	X(REGRESS_OK, "ok", false) \
	X(REGRESS_UNREADABLE, "cannot be read", false) \
	X(REGRESS_UNOPENED, "cannot be opened", false) \
	X(REGRESS_UNCHECKED, "not checked", false) \
	X(REGRESS_MISFIT, "does not apply", true) \
	X(REGRESS_UNCOMPILED, "does not compile", true) \
	X(REGRESS_UNRUN, "does not run", true) \
	X(REGRESS_SPILLS, "spills", true) \
	X(REGRESS_DEARER, "costs more", true) \
	X(REGRESS_WRONG, "wrong output", true) \
	X(REGRESS_SLOWER, "slower", true)
enum { REGRESS_MOST_BYTES = 16 << 20 }; /* of a file of exports */
enum regress_outcome { REGRESS_OUTCOME_TABLE(BW_FIRST) };
static inline BW_WORDS(regress_words, enum regress_outcome, REGRESS_OUTCOME_TABLE(BW_SECOND))

/* One schedule that was checked. */
struct regress_checked {
	enum regress_outcome outcome; /* of the first check that failed */
	struct bw_error error;        /* why the outcome is not OK */
	struct bw_error missing;      /* why a check was left out; kind NONE: no check was */
	struct regress_facts then, now;
	bool milliseconds;    /* costs are in ms */
	bool emulated;        /* times are estimates from counts */
	bool stale;           /* the pipeline's algorithm has changed since */
	struct bw_text notes; /* in words, separated by "; " */
};

/* Calls `visit` for each export of a file. Returns their number; -1 with an error if the file, or one of its
 * exports, cannot be read. */
typedef void regress_visit(struct regress_export *export, void *data);
/* Checks one export. Free checked->notes. */
void regress_check(struct bw_program *program, const struct regress_export *export,
		   struct regress_checked *checked);
