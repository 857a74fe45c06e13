/* How many states a search costs, and how many different ones these are: the options of all its decisions are made again, with the same functions, and told
 * apart by their hashes. What a search takes over from a parent, because nothing is to be decided, is not costed. For peer-inside.sh.
 *
 *   distinct DEVICES DESCRIPTION [OPTION=VALUE...]
 *
 * Prints how many it costed, how many of these differ, and how many different ones have nothing left to decide. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cost/learned.h"
#include "search/search.h"

struct counting {
	struct bw_device *devices;
	int n_devices;
	struct bw_models models;
	struct bw_pipeline *pipeline;
	struct bw_search *search;
	int n, capacity;
	uint64_t *hashes; /* of the states costed */
};

static bool open_all(struct counting *counting, char **arguments, struct bw_error *error)
{
	counting->devices = bw_devices_read(arguments[0], &counting->n_devices, error);
	counting->pipeline = counting->devices ? bw_pipeline_read(arguments[1], error) : NULL;
	if (!counting->pipeline)
		return false;
	struct bw_settings options = bw_settings_default(bw_device_find(counting->devices, counting->n_devices, BW_DEFAULT_DEVICE));
	options.models = &counting->models;
	for (char **argument = arguments + 2; *argument; argument++) {
		struct bw_assignment assignment;
		if (!bw_assignment_read(*argument, &assignment, error) || !bw_settings_assign(&assignment, counting->devices, counting->n_devices, &options, error))
			return false;
	}
	counting->search = bw_search_new(counting->pipeline, &options, &(struct bw_constraints){0});
	return true;
}

static bool was_costed(const struct bw_option *option)
{
	return option->placement && (option->fate == BW_FATE_KEPT || option->fate == BW_FATE_DROPPED || option->fate == BW_FATE_DROPPED_OUT);
}

static void add_options(struct counting *counting, int decision, int rank)
{
	struct bw_expansion *expansion = bw_search_expand(counting->search, decision, rank, NULL);
	for (int i = 0; i < expansion->n; i++)
		if (was_costed(&expansion->options[i])) {
			BW_GROW(counting->hashes, counting->n, counting->capacity);
			counting->hashes[counting->n++] = expansion->options[i].hash;
		}
	bw_expansion_free(expansion);
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static int count_different(struct counting *counting)
{
	int different = 0;
	if (counting->n)
		qsort(counting->hashes, (size_t)counting->n, sizeof *counting->hashes, ascending);
	for (int i = 0; i < counting->n; i++)
		different += !i || counting->hashes[i] != counting->hashes[i - 1];
	return different;
}

static bool count(struct counting *counting, struct bw_error *error)
{
	struct bw_search *search = counting->search;
	if (bw_search_advance(search, INT_MAX, NULL, error) != BW_SEARCH_DONE)
		return false;
	for (int decision = 0; decision < bw_search_n_decisions(search); decision++) {
		const struct bw_state *const *states;
		int n = bw_search_beam(search, decision, &states);
		for (int rank = 0; rank < n; rank++)
			add_options(counting, decision, rank);
	}
	struct bw_search_totals totals = bw_search_totals(search);
	if (totals.evaluated - totals.probed != counting->n)
		return bw_fail(error, BW_ERROR_INPUT, "%d states were made again, %ld were costed", counting->n, totals.evaluated - totals.probed);
	printf("%d %d %ld\n", counting->n, count_different(counting), totals.complete);
	return true;
}

int main(int argc, char **argv)
{
	struct counting counting = {0};
	struct bw_error error = {0};
	if (argc < 3) {
		fprintf(stderr, "usage: distinct DEVICES DESCRIPTION [OPTION=VALUE...]\n");
		return 2;
	}
	bool good = open_all(&counting, argv + 1, &error) && count(&counting, &error);
	if (!good)
		fprintf(stderr, "distinct: %s\n", error.text);
	free(counting.hashes);
	bw_search_free(counting.search);
	bw_pipeline_free(counting.pipeline);
	bw_models_free(&counting.models);
	free(counting.devices);
	return !good;
}
