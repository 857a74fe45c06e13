#include "results/subject.h"

#include <stdio.h>

void bw_result_hash(uint64_t hash, char text[BW_UID_SIZE])
{
	snprintf(text, BW_UID_SIZE, "%016llx", (unsigned long long)hash);
}

void bw_result_of(struct bw_result *result, struct bw_subject *subject, const struct bw_pipeline *pipeline,
                  const char *description, const struct bw_schedule *schedule, uint64_t hash)
{
	*subject = (struct bw_subject){0};
	if (schedule)
		bw_schedule_print(pipeline, schedule, &subject->text);
	else
		bw_text_puts(&subject->text, BW_RESULT_HAND);
	bw_result_hash(pipeline->content, subject->description);
	bw_result_hash(pipeline->algorithm, subject->algorithm);
	bw_result_hash(hash, subject->schedule);
	result->pipeline = pipeline->name;
	result->description = subject->description;
	result->algorithm = subject->algorithm;
	result->schedule = subject->schedule;
	result->description_text = description;
	result->schedule_text = bw_text_get(&subject->text);
}

void bw_subject_free(struct bw_subject *subject)
{
	bw_text_free(&subject->text);
}
