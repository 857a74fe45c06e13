/* Schedules that are compiled and measured, and their results, stored and found again. */
#pragma once
#include "session/session.h"
#include "schedulers/tuning.h"

struct bw_results;
/* Purposes of compiling a schedule: to time it, to assemble it for the device of predictions, to run and
 * count it on the emulated device, or to count a sample of its blocks there, unchecked. */
enum bw_purpose { BW_TO_TIME, BW_TO_ASSEMBLE, BW_TO_COUNT, BW_TO_VERIFY };
/* Outcome of requesting a job: it is impossible, has begun, waits for others, or was requested before
 * and has not ended yet. */
enum bw_timed { BW_TIMED_NOT, BW_TIMED_BEGUN, BW_TIMED_WAITS, BW_TIMED_BEFORE };
/* Begins a job on a complete nest, or, given NULL, on the generator's own schedule. session->asked is its
 * timing then. Returns NOT with an error. */
enum bw_timed bw_session_time(struct bw_session *session, const struct bw_nest *nest, const char *label,
			      enum bw_purpose purpose, struct bw_error *error);
/* Returns the facts known of a schedule before it is compiled; free() its label. nest NULL: the
 * generator's own schedule; `schedule` is NULL, too. */
struct bw_timing bw_session_timing(const struct bw_session *session, const struct bw_nest *nest,
				   const struct bw_schedule *schedule, const char *label,
				   enum bw_purpose purpose);
/* Returns the request to compile and measure a timing's schedule, without its directives. */
struct bw_job_request bw_session_request(const struct bw_session *session, const struct bw_timing *timing);
/* Writes the outcome of a job that has ended in one line. Returns true if it is an error. */
bool bw_timing_tell(const struct bw_timing *timing, char *line, size_t size);
/* Writes the present step of a running job, as bw_job_doing does; "" if it does not run. */
bool bw_timing_doing(const struct bw_session *session, int timing, char *text, size_t size);
/* Adds a stored measurement to the end of the list; takes its label. */
struct bw_timing *bw_jobs_append(struct bw_session *session, const struct bw_timing *timing);

/* Writes this machine's name, as results have it. */
enum { BW_HOST_SIZE = 256 };
/* Returns the hash that stands for the generator's own schedule; 0 if its file cannot be read. again: reads
 * the file anew. */
uint64_t bw_session_hand(const struct bw_session *session, bool again);
/* Returns the facts known of a measurement before it is made; NULL if it is not to be stored.
 * schedule NULL: the generator's own. Freed by bw_record_end, or bw_result_free. */
struct bw_result *bw_record_begin(const struct bw_session *session, const struct bw_schedule *schedule,
				  const struct bw_timing *timing);
/* Stores a measurement that has ended, in the background; takes over result. device: the target of
 * the compilation; NULL: it was not compiled. */
void bw_record_end(struct bw_session *session, struct bw_timing *timing, struct bw_result *result,
		   const struct bw_device *device);
/* Opens the stored results to read them. Returns NULL, without an error, if there are none yet. */
struct bw_results *bw_record_open(const struct bw_session *session, struct bw_error *error);
/* Puts a result into a timing; a label that the timing has stays. */
void bw_record_show(const struct bw_session *session, struct bw_timing *timing,
		    const struct bw_result *result);
/* Fills a timing with the newest stored measurement of its schedule that this machine made by the
 * same command. Returns false if there is none. */
bool bw_record_find(struct bw_session *session, struct bw_timing *timing);
/* Does so with the oldest measurement that any of the n commands made on the device of this name:
 * later measurements do not replace it. A failed one counts if its label begins with BW_TUNING_LABEL. */
bool bw_record_first_by(struct bw_session *session, struct bw_timing *timing, const char *const *commands,
			int n, const char *device);
/* Returns the seconds that a worker may be silent beyond the time of its runs: the time limit, from 5
 * to 60; 0 if none was given. */
double bw_session_silence(const struct bw_session *session);
