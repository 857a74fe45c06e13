/* Compiling and measuring schedules, and storing and finding their results. */
#pragma once
#include "session/session.h"
#include "schedulers/tuning.h"

struct bw_results;
/* Purposes of compiling a schedule: to time it, to assemble it for the device of predictions, to run and
 * count it on the emulated device, or to count a sample of its blocks there, unchecked. */
enum bw_purpose { BW_TO_TIME, BW_TO_ASSEMBLE, BW_TO_COUNT, BW_TO_VERIFY };
/* Outcome of requesting a job: NOT: impossible. BEGUN: it has started. WAITS: it waits for other jobs.
 * BEFORE: it was requested before and has not ended yet. */
enum bw_timed { BW_TIMED_NOT, BW_TIMED_BEGUN, BW_TIMED_WAITS, BW_TIMED_BEFORE };
/* Requests a job on a complete nest, or on the generator's own schedule if `nest` is NULL. session->asked
 * becomes the job's timing. Returns BW_TIMED_NOT with an error. */
enum bw_timed bw_session_time(struct bw_session *session, const struct bw_nest *nest, const char *label,
			      enum bw_purpose purpose, struct bw_error *error);
/* Returns a timing with all that is known of a schedule before it is compiled; free() its label. If `nest`
 * and `schedule` are NULL: of the generator's own schedule. */
struct bw_timing bw_session_timing(const struct bw_session *session, const struct bw_nest *nest,
				   const struct bw_schedule *schedule, const char *label,
				   enum bw_purpose purpose);
/* Returns the request to compile and measure a timing's schedule, without its directives. */
struct bw_job_request bw_session_request(const struct bw_session *session, const struct bw_timing *timing);
/* Writes the outcome of an ended job as one line. Returns true if the outcome is an error. */
bool bw_timing_tell(const struct bw_timing *timing, char *line, size_t size);
/* Writes the present step of a running job, as bw_job_doing does; "" if the job does not run. */
bool bw_timing_doing(const struct bw_session *session, int timing, char *text, size_t size);
/* Appends a stored measurement to the session's timings. Takes over its label. */
struct bw_timing *bw_jobs_append(struct bw_session *session, const struct bw_timing *timing);

/* Writes this machine's name in the form used in results. */
enum { BW_HOST_SIZE = 256 };
/* Returns the hash that identifies the generator's own schedule; 0 if the generator's file cannot be read.
 * again: read the file again even if the hash is known. */
uint64_t bw_session_hand(const struct bw_session *session, bool again);
/* Returns a result with all that is known before a measurement is made. Returns NULL if the measurement is
 * not to be stored. schedule NULL: the generator's own schedule. Freed by bw_record_end or bw_result_free. */
struct bw_result *bw_record_begin(const struct bw_session *session, const struct bw_schedule *schedule,
				  const struct bw_timing *timing);
/* Stores an ended measurement in the background. Takes over `result`. device: the device for which the
 * schedule was compiled; NULL: it was not compiled. */
void bw_record_end(struct bw_session *session, struct bw_timing *timing, struct bw_result *result,
		   const struct bw_device *device);
/* Opens the stored results for reading. Returns NULL without an error if no results are stored yet. */
struct bw_results *bw_record_open(const struct bw_session *session, struct bw_error *error);
/* Copies a stored result into a timing. If the timing has a label already, the label stays. */
void bw_record_show(const struct bw_session *session, struct bw_timing *timing,
		    const struct bw_result *result);
/* Fills a timing with the newest stored measurement of its schedule from this machine and the same worker
 * command. Returns false if there is none. */
bool bw_record_find(struct bw_session *session, struct bw_timing *timing);
/* Fills a timing with the oldest stored measurement of its schedule that any of the n commands made on the
 * device of this name; later measurements do not replace it. A failed measurement counts only if its label
 * begins with BW_TUNING_LABEL. */
bool bw_record_first_by(struct bw_session *session, struct bw_timing *timing, const char *const *commands,
			int n, const char *device);
/* Returns how many seconds a worker may be silent beyond the time of its runs: the time limit, clamped to
 * 5..60; 0 if no limit was given. */
double bw_session_silence(const struct bw_session *session);
