/* Reads a description of as many Funcs as may be, 160,000 reads among them, and says how many there were. For counts.sh: what reading
 * takes grows with the text, not with the number of names that each name could be. */
#include <stdio.h>

#include "pipeline/pipeline.h"
#include "tests/pipeline/wide.h"

int main(void)
{
	struct bw_text text = {0};
	struct bw_error error = {0};
	bw_put_wide(&text, 4056, 40);
	struct bw_pipeline *pipeline = bw_pipeline_parse("wide", bw_text_get(&text), text.length, &error);
	if (pipeline)
		printf("%d\n", pipeline->n_funcs);
	else
		fprintf(stderr, "%s\n", error.text);
	bool good = pipeline;
	bw_pipeline_free(pipeline);
	bw_text_free(&text);
	return !good;
}
