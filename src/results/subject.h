/* What a result is of: a pipeline's description and a schedule of it, as texts and as hashes of these. */
#ifndef BW_RESULTS_SUBJECT_H
#define BW_RESULTS_SUBJECT_H
#include "pipeline/pipeline.h"
#include "results/result.h"
#include "schedule/schedule.h"

/* Writes a hash as results have it: 16 hexadecimal digits. */
void bw_result_hash(uint64_t hash, char text[BW_UID_SIZE]);

/* The strings that bw_result_of lends to a result. Owned by the caller: bw_subject_free frees them. */
struct bw_subject {
	char description[BW_UID_SIZE], algorithm[BW_UID_SIZE], schedule[BW_UID_SIZE];
	struct bw_text text; /* the schedule in its text form; of one that is in C++ alone the word `hand` */
};
/* Sets the fields of *result that tell the pipeline (description: the text that it was read from) and the
 * schedule (NULL: the generator's own) with its hash. All are lent: by the pipeline, by the caller's text, by
 * *subject. */
void bw_result_of(struct bw_result *result, struct bw_subject *subject, const struct bw_pipeline *pipeline,
                  const char *description, const struct bw_schedule *schedule, uint64_t hash);
void bw_subject_free(struct bw_subject *subject);
#endif
