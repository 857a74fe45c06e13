#include "cost/cost.h"

#include <string.h>

static const struct bw_cost_model *const models[] = {&bw_roofline};

const struct bw_cost_model *bw_cost_model_find(const char *name)
{
	for (size_t i = 0; i < sizeof models / sizeof *models; i++)
		if (!strcmp(models[i]->name, name))
			return models[i];
	return NULL;
}

const char *bw_cost_model_names(void)
{
	return "roofline";
}

const char *bw_term_name(enum bw_term term)
{
	static const char *const names[] = {
#define X(name, words, key, text) words,
		BW_TERM_TABLE(X)
#undef X
	};
	return names[term];
}

const char *bw_term_key(enum bw_term term)
{
	static const char *const keys[] = {
#define X(name, words, key, text) key,
		BW_TERM_TABLE(X)
#undef X
	};
	return keys[term];
}
