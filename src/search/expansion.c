/* Options: what is said of them, and how they are given back: all of them, or all but those that the search
 * goes on with. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "search/record.h"

void bw_option_judge(struct bw_option *option, enum bw_fate fate, enum bw_rule rule, double figure,
		     double limit, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	option->fate = fate;
	option->rule = rule;
	option->figure = figure;
	option->limit = limit;
	if (!option->silent) {
		char *words;
		const int length = vasprintf(&words, format, args);
		bw_option_hush(option);
		if (length > 0)
			option->reason = words;
		else if (length == 0)
			free(words);
	}
	va_end(args);
}

void bw_option_hush(struct bw_option *option)
{
	if (*option->reason)
		free((char *)option->reason);
	option->reason = "";
}

static inline void option_end(struct bw_option *option, bool borrows)
{
	if (!borrows)
		bw_placement_drop(option->placement);
	if (option->nest)
		bw_nest_drop(option->nest);
	if (!option->silent)
		bw_option_hush(option);
}

/* The options that are left go into a new array, so that the memory of the large one is free for
 * the next parent. */
void bw_expansion_shrink(struct bw_expansion *expansion, int costed)
{
	struct bw_option *options = expansion->options;
	int numbers = expansion->n + expansion->left_out;
	if (expansion->places || (!expansion->left_out && costed > expansion->n / 2))
		return;
	expansion->options = bw_resize_array(NULL, (size_t)costed, sizeof *options);
	expansion->places = bw_resize_array(NULL, (size_t)numbers, sizeof *expansion->places);
	for (int i = 0; i < expansion->n; i++) {
		if (options[i].fate != BW_FATE_COSTED) {
			option_end(&options[i], expansion->borrows);
			continue;
		}
		expansion->places[options[i].number] = expansion->n_left;
		expansion->options[expansion->n_left++] = options[i];
	}
	free(options);
}

void bw_expansion_free(struct bw_expansion *expansion)
{
	if (!expansion)
		return;
	for (int i = 0; i < (expansion->places ? expansion->n_left : expansion->n); i++)
		option_end(&expansion->options[i], expansion->borrows);
	free(expansion->options);
	free(expansion->places);
	free(expansion);
}

const struct bw_child *bw_decision_child(const struct bw_decision *decision, int rank)
{
	int low = 0, high = decision->n_recorded;
	if (rank >= 0 && rank < high && decision->children[rank].rank == rank)
		return &decision->children[rank];
	while (low < high) {
		int middle = low + (high - low) / 2;
		if (decision->children[middle].rank < rank)
			low = middle + 1;
		else
			high = middle;
	}
	return low < decision->n_recorded && decision->children[low].rank == rank ? &decision->children[low] : NULL;
}
