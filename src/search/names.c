/* The names in the tables of search.h. */
#include "search/record.h"

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

const char *bw_constraint_words(const struct bw_constraint *constraint)
{
	static const char *const words[] = {
#define X(name, text) text,
		BW_CONSTRAINT_TABLE(X)
#undef X
	};
	return words[constraint->source];
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
