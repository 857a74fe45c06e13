/* The subject of a result: a pipeline's description and one of its schedules, as texts and hashes. */
#ifndef BW_RESULTS_SUBJECT_H
#define BW_RESULTS_SUBJECT_H
#include "pipeline/pipeline.h"
#include "results/result.h"
#include "schedule/schedule.h"

/* Formats a hash as in results: 16 hexadecimal digits. */
void bw_result_hash(uint64_t hash, char text[BW_UID_SIZE]);

/* Strings that a result of bw_result_of refers to. Free with bw_subject_free. */
struct bw_subject {
	char description[BW_UID_SIZE], algorithm[BW_UID_SIZE], schedule[BW_UID_SIZE];
	struct bw_text text; /* the text of the schedule, or `hand` if it exists in C++ alone */
};
/* Sets the fields of *result for the pipeline (description: the text that it was read from) and for the
 * schedule (NULL: the generator's own) with its hash. The fields refer to the pipeline, to the caller's
 * text and to *subject, which must outlive it. */
void bw_result_of(struct bw_result *result, struct bw_subject *subject, const struct bw_pipeline *pipeline,
                  const char *description, const struct bw_schedule *schedule, uint64_t hash);
void bw_subject_free(struct bw_subject *subject);
#endif
