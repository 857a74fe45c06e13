/* Fuzzes reading weights. Whatever is accepted is finite, is written and read back as it was, and the network finds with it what is no error. */
#include <math.h>
#include <string.h>

#include "cost/network.h"
#include "target.h"

/* Numbers of any size may overflow together, and that is all that may go wrong. */
static void check_network(const struct bw_weights *weights)
{
	static const float algorithm[BW_PIPELINE_FEATURES], schedule[BW_SCHEDULE_FEATURES];
	struct bw_network *network = malloc(sizeof *network);
	struct bw_parameters parameters;
	struct bw_embedding embedding;
	struct bw_learned_cost cost;
	bw_parameters_of(weights, &parameters);
	bw_network_prepare(network, &parameters);
	bw_network_embed(network, algorithm, &embedding);
	bw_network_cost(network, &embedding, schedule, 80, &cost);
	expect(isfinite(cost.cost), "a stage that does nothing has a cost");
	free(network);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	struct bw_weights weights, again;
	struct bw_error error = {0};
	struct bw_text text = {0};
	if (!bw_weights_parse("fuzz", (const char *)bytes, length, &weights, &error)) {
		expect(error.kind == BW_ERROR_INPUT && !strncmp(error.text, "fuzz:", 5), "errors begin with the file");
		return 0;
	}
	for (int i = 0; i < BW_N_WEIGHTS; i++)
		expect(isfinite(weights.all[i]), "weights are finite");
	check_network(&weights);
	bw_weights_print(&weights, &text);
	expect(bw_weights_parse("again", text.bytes, text.length, &again, &error), "what was written is read");
	expect(!memcmp(weights.all, again.all, sizeof weights.all) && weights.origin.known == again.origin.known && !strcmp(weights.origin.device, again.origin.device), "and is the same");
	bw_text_free(&text);
	return 0;
}
