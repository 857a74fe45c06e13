/* The parts of a session. Each part has private data and a table of functions, which are called between
 * commands, after changes of the search, and at the end. */
#pragma once

#include "session/call.h"

/* Parts: name in C, name of the part's table of functions. In this order the parts get their turns to work,
 * and poll other processes and threads. */
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

/* The part for lessons is added when a lesson is opened. All other parts are made with the session. */
enum bw_part_id { BW_PART_TABLE(BW_FIRST) BW_PART_LESSON, BW_N_PARTS };

/* The functions of a part; each may be NULL. */
struct bw_session_part {
	size_t size; /* size of the part's data in bytes; they are zeroed at first */
	/* Initializes the data when the session is made. */
	void (*begin)(struct bw_session *session);
	/* Does the part's computation on a routine. The session makes the routine when the part gets its
	 * first turn, and frees it after its end. data: the part's data. */
	void (*run)(const struct bw_yield *yield, void *data);
	bool beside; /* true: `run` needs no turns, but runs concurrently with the session from bw_part_begin
			on */
	/* Returns true if the part has work to do now. NULL: the part has work from bw_part_begin until its
	 * routine has ended. */
	bool (*wanted)(const struct bw_session *session);
	/* Returns the routine that does the work, or NULL if there is nothing to compute. If this function is
	 * NULL, bw_part_routine is called. */
	struct bw_routine *(*work)(struct bw_session *session);
	/* Takes over the routine's results. ended: the routine has ended, or the part had none. */
	void (*take)(struct bw_session *session, bool ended);
	/* Returns true if nobody waits for the part's work. */
	bool (*unseen)(const struct bw_session *session);
	/* Polls other processes and threads. */
	void (*poll)(struct bw_session *session);
	/* Returns true if a process or thread of the part is running. */
	bool (*busy)(const struct bw_session *session);
	/* Writes at most `most` file descriptors to wait for, and returns their number. */
	int (*fds)(const struct bw_session *session, int *fds, int most);
	/* Called when another search has replaced the previous one: drops data about the previous one. */
	void (*changed)(struct bw_session *session);
	/* Called when a line of the journal was taken back because it left no state alive. */
	void (*taken_back)(struct bw_session *session, const char *line);
	/* Reads a comment line of a saved session that is being loaded. */
	void (*comment)(struct bw_session *session, const char *line);
	/* Called when a command has run, or when a run of the search has ended. */
	void (*settled)(struct bw_session *session);
	/* Stops the part's work. NULL: ends the work that bw_part_begin started, and takes over its
	 * results. */
	void (*stop)(struct bw_session *session);
	/* Runs the command that belongs to this part. */
	bool (*command)(struct call *call);
	/* Ends the part's activity outside its own memory: processes, threads, files. */
	void (*end)(struct bw_session *session);
	/* Frees the memory owned by the part's data. */
	void (*free)(struct bw_session *session);
};

/* Makes a session. functions: the function of each command. parts: the table of each part, by number; NULL
 * for a part that the session does not have. Both must outlive the session. The other arguments are those of
 * bw_session_new. */
struct bw_session *bw_session_make(struct bw_source *source, const struct bw_places *places,
				   struct bw_pipeline *pipeline, const struct bw_settings *options,
				   bw_command_function *const *functions,
				   const struct bw_session_part *const *parts);
/* Adds a part to a session, with zeroed data. The part's table must outlive the session. */
void bw_session_add(struct bw_session *session, enum bw_part_id id, const struct bw_session_part *part);
/* Ends a part, and frees it with its data. Does nothing if the session does not have the part. */
void bw_session_remove(struct bw_session *session, enum bw_part_id id);
/* Return a part's table of functions, and its data. The first returns NULL if the session does not have the
 * part. */
const struct bw_session_part *bw_session_part(const struct bw_session *session, enum bw_part_id id);
void *bw_part_data(const struct bw_session *session, enum bw_part_id id);
/* Defines a function that returns the data, of this type, of the part with this id. */
#define BW_PART_DATA(name, type, id) \
	type *name(const struct bw_session *session) \
	{ \
		return bw_part_data(session, BW_PART_##id); \
	}

/* Starts a part's work. */
void bw_part_begin(struct bw_session *session, enum bw_part_id id);
/* Returns true if a part's work was started and has neither ended nor been halted. */
bool bw_part_begun(const struct bw_session *session, enum bw_part_id id);
/* Returns the routine of a part's computation. Makes the routine if there is none. */
struct bw_routine *bw_part_routine(struct bw_session *session, enum bw_part_id id);
/* Returns true if a part has a routine whose results were not taken over yet. */
bool bw_part_runs(const struct bw_session *session, enum bw_part_id id);
/* Ends a part's routine without taking over its results. Does nothing if the part has no routine. */
void bw_part_halt(struct bw_session *session, enum bw_part_id id);
/* Runs a part whose work was started until it ends, and halts it. Returns false if the running line was
 * stopped. */
bool bw_part_finish(struct bw_session *session, enum bw_part_id id);

/* Call the function of the same name in every part (struct bw_session_part). */
void bw_parts_changed(struct bw_session *session);
void bw_parts_taken_back(struct bw_session *session, const char *line);
void bw_parts_comment(struct bw_session *session, const char *line);
void bw_parts_settled(struct bw_session *session);
