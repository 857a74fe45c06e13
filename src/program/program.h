/* The program: one file for each of its commands, which the table in arguments.h lists. */
#ifndef BW_PROGRAM_PROGRAM_H
#define BW_PROGRAM_PROGRAM_H
#include "base/text.h"
#include "cost/learned.h"
#include "gpu/device.h"
#include "program/arguments.h"
#include "program/folders.h"
#include "session/session.h"
#include "results/result.h"
#include "session/source.h"
#include "ui/config.h"

/* What a run of the program holds. */
struct bw_program {
	struct bw_arguments arguments;
	struct bw_layout layout;
	struct bw_places places;
	struct bw_folders folders;
	struct bw_config config; /* beamwalkrc, for explore and repl; else empty */
	struct bw_device *devices;
	int n_devices;
	struct bw_models models; /* weights that were read */
	struct bw_session *session; /* of the pipeline that was named; NULL before bw_program_open */
};

/* A command: false with the error that the program ends with. */
typedef bool bw_program_function(struct bw_program *program, struct bw_error *error);
#define X(name, arguments, pipeline, more, example, text) bw_program_function bw_program_##name;
BW_PROGRAM_TABLE(X)
#undef X

/* Reads the records of devices: those that come with beamwalk, then the user's own, then those of --devices, each over those before. */
bool bw_program_load_devices(struct bw_program *program, struct bw_error *error);
/* Reads the user's beamwalkrc: its defaults are put into force by _options, under what the command line says. */
bool bw_program_configure(struct bw_program *program, struct bw_error *error);
/* The options of the search as the command line has them. */
bool bw_program_options(struct bw_program *program, struct bw_search_options *options, struct bw_error *error);
/* What the command line says of the pipeline, to be described for the device. False with an error. */
bool bw_program_source(const struct bw_program *program, const struct bw_device *device, struct bw_source_request *request, struct bw_error *error);
/* Opens a session as the command line says, with the schedule of --schedule held. */
bool bw_program_open(struct bw_program *program, struct bw_error *error);
/* Says on standard error what could go wrong with a pipeline as it stands. */
void bw_program_warn(const struct bw_pipeline *pipeline);
/* What --at says; false with an error where that is neither start nor end. */
bool bw_program_at(const struct bw_program *program, bool *at_start, struct bw_error *error);
/* With --resume: puts the session where the last one of the pipeline ended, and says so in *said, which stays empty without it. */
bool bw_program_resume(struct bw_program *program, struct bw_text *said, struct bw_error *error);
/* From now on the session is kept, to be resumed. *said (may be NULL): that the last one did not come to its end, where that is so. */
void bw_program_keep(struct bw_program *program, struct bw_text *said);
/* Has the session's views written as text, in ASCII where --ascii or the locale says so, and screenshots made without a screen. */
void bw_program_text(struct bw_program *program);
/* Runs the search to its end. */
bool bw_program_search(struct bw_session *session, struct bw_error *error);
/* Has the heaps of so many threads grow by many MB at a time, in large pages where the system has them, for a search that nobody watches. */
void bw_program_heap(int threads);
/* Runs a command of the session as if it were typed; what it warns of goes to standard error. */
bool bw_program_line(struct bw_session *session, const char *line, struct bw_error *error);
/* From now on what a script says goes to standard output as soon as each line has been run; with --output it does not. */
void bw_program_flush(struct bw_program *program);
/* Writes a result to --output, or to standard output. */
bool bw_program_put(const struct bw_program *program, const struct bw_text *text, struct bw_error *error);
/* A time in UTC that was said for --since: "7d" and "12h" as that long ago, else a date or the beginning of a time. */
bool bw_program_since(const char *text, char since[BW_TIME_SIZE], struct bw_error *error);
#endif
