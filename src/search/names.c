/* Names and defaults from the tables of search.h. */
#include "search/search.h"

const char *bw_phase_name(enum bw_phase phase)
{
	static const char *const names[] = {
#define X(name, text, question) text,
		BW_PHASE_TABLE(X)
#undef X
	};
	return names[phase];
}

static const struct {
	const char *name, *meaning;
	bool hard;
} rules[] = {
#define X(name, text, hard, meaning) {text, meaning, hard},
	BW_RULE_TABLE(X)
#undef X
};

const char *bw_rule_name(enum bw_rule rule)
{
	return rule == BW_RULE_NONE ? "" : rules[rule].name;
}

const char *bw_rule_meaning(enum bw_rule rule)
{
	return rule == BW_RULE_NONE ? "" : rules[rule].meaning;
}

bool bw_rule_hard(enum bw_rule rule)
{
	return rule != BW_RULE_NONE && rules[rule].hard;
}

const char *bw_fate_name(enum bw_fate fate)
{
	static const char *const names[] = {
#define X(name, text) text,
		BW_FATE_TABLE(X)
#undef X
	};
	return names[fate];
}

struct bw_search_options bw_search_options_default(const struct bw_device *device)
{
	return (struct bw_search_options){
		.beam = 32,
		.passes = 1,
		.threads = 1,
		.device = device,
		.model = &bw_roofline,
		.sampling = 1,
		.recompute_limit = 10,
		.unrolled_limit = 16,
		.inlined_calls_limit = 256,
		.idle_sms_limit = 2,
		.idle_lanes_limit = 0.5,
	};
}
