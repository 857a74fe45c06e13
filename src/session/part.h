/* The parts of a session. Each has private data, and a row of functions for its work between
 * commands, for changes of the search, and for the end. */
#pragma once

#include "session/call.h"

/* Parts: name in C, name of the row. They work, and poll other processes and threads, in this order. */
#define BW_PART_TABLE(X) \
	X(BW_PART_MACHINE, machine) \
	X(BW_PART_DEFERRED, deferred) \
	X(BW_PART_JOBS, jobs) \
	X(BW_PART_RECORD, record) \
	X(BW_PART_SWEEP, sweep) \
	X(BW_PART_OPINIONS, opinions) \
	X(BW_PART_WALKING, walking) \
	X(BW_PART_ADVANCE, advance) \
	X(BW_PART_TUNING, tuning) \
	X(BW_PART_SHOWN, shown) \
	X(BW_PART_ALTERNATIVES, alternatives) \
	X(BW_PART_ADVICE, advice) \
	X(BW_PART_LENS, lens) \
	X(BW_PART_FILM, film) \
	X(BW_PART_WHATIF, whatif) \
	X(BW_PART_MINIMAL, minimal) \
	X(BW_PART_IMPROVE, improve) \
	X(BW_PART_REGRET, regret) \
	X(BW_PART_COMPARISON, comparison) \
	X(BW_PART_DETAILS, details) \
	X(BW_PART_OPTION_LIST, option_list) \
	X(BW_PART_EDIT, edit) \
	X(BW_PART_KEEPER, keeper) \
	X(BW_PART_JOURNAL, journal)

/* A lesson is added when one is opened, the other parts when the session is made. */
enum bw_part_id { BW_PART_TABLE(BW_FIRST) BW_PART_LESSON, BW_N_PARTS };

/* A part; each function may be NULL. */
struct bw_session_part {
	size_t size; /* bytes of its data, which are zero at first */
	/* Sets the data up when the session is made. */
	void (*begin)(struct bw_session *session);
	/* Computes, on a routine that the session makes when the part gets the turn, and frees once it has
	 * ended. data: the part's. */
	void (*run)(const struct bw_yield *yield, void *data);
	bool beside; /* `run` does not wait for turns: it goes on beside the session from bw_part_begin on */
	/* Returns true if it has work to do now. NULL: after bw_part_begin, until it has ended. */
	bool (*wanted)(const struct bw_session *session);
	/* Returns the routine that does the work, or NULL if there is nothing to compute. Omitted:
	 * bw_part_routine. */
	struct bw_routine *(*work)(struct bw_session *session);
	/* Takes over the routine's results. ended: the routine has ended, or there was none. */
	void (*take)(struct bw_session *session, bool ended);
	/* Returns true if nobody waits for this work. */
	bool (*unseen)(const struct bw_session *session);
	/* Polls other processes and threads. */
	void (*poll)(struct bw_session *session);
	/* Returns true if anything runs there. */
	bool (*busy)(const struct bw_session *session);
	/* Writes at most `most` descriptors to wait for, and returns how many. */
	int (*fds)(const struct bw_session *session, int *fds, int most);
	/* Drops data about the previous search, which another one has replaced. */
	void (*changed)(struct bw_session *session);
	/* Hears that a line of the journal was taken back, because nothing was left alive. */
	void (*taken_back)(struct bw_session *session, const char *line);
	/* Reads a comment of a saved session that is being loaded. */
	void (*comment)(struct bw_session *session, const char *line);
	/* Hears that a command has been run, or that a run has come to its end. */
	void (*settled)(struct bw_session *session);
	/* Stops the part's work. NULL: ends work that bw_part_begin began, and takes its results. */
	void (*stop)(struct bw_session *session);
	/* Runs the command that is about this part. */
	bool (*command)(struct call *call);
	/* Ends the part's activity outside of its own memory. */
	void (*end)(struct bw_session *session);
	/* Frees the memory that the part's data own. */
	void (*free)(struct bw_session *session);
};

/* Makes a session. functions: the commands' functions; parts: by number, NULL for a part that the
 * session lacks. Both outlive it. The other arguments are those of bw_session_new. */
struct bw_session *bw_session_make(struct bw_source *source, const struct bw_places *places,
				   struct bw_pipeline *pipeline, const struct bw_settings *options,
				   bw_command_function *const *functions,
				   const struct bw_session_part *const *parts);
/* Adds a part to a session, with zeroed data; the row outlives the session. */
void bw_session_add(struct bw_session *session, enum bw_part_id id, const struct bw_session_part *part);
/* Ends a part, and frees it and its data. Does nothing if the session lacks it. */
void bw_session_remove(struct bw_session *session, enum bw_part_id id);
/* Returns a part of a session, or NULL if the session does not have it; and its data. */
const struct bw_session_part *bw_session_part(const struct bw_session *session, enum bw_part_id id);
void *bw_part_data(const struct bw_session *session, enum bw_part_id id);
/* Defines a function that returns the data of the part with this id, which have this type. */
#define BW_PART_DATA(name, type, id) \
	type *name(const struct bw_session *session) \
	{ \
		return bw_part_data(session, BW_PART_##id); \
	}

/* Has a part work from now on. */
void bw_part_begin(struct bw_session *session, enum bw_part_id id);
/* Returns true if it was begun, and has neither ended nor been halted. */
bool bw_part_begun(const struct bw_session *session, enum bw_part_id id);
/* Returns the routine that computes for a part, and makes it if there is none. */
struct bw_routine *bw_part_routine(struct bw_session *session, enum bw_part_id id);
/* Returns true if a part has a routine that has not been taken over. */
bool bw_part_runs(const struct bw_session *session, enum bw_part_id id);
/* Ends a part's routine, without taking its results. Does nothing if it has none. */
void bw_part_halt(struct bw_session *session, enum bw_part_id id);
/* Runs a part that was begun to its end, and halts it. Returns false if the running line was stopped. */
bool bw_part_finish(struct bw_session *session, enum bw_part_id id);

/* Tells all parts (struct bw_session_part). */
void bw_parts_changed(struct bw_session *session);
void bw_parts_taken_back(struct bw_session *session, const char *line);
void bw_parts_comment(struct bw_session *session, const char *line);
void bw_parts_settled(struct bw_session *session);
