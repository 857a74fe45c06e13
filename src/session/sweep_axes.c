#include "base/arith.h"
#include "session/sweep_axes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SEEDS = 1000, MOST_BEAM = 100000 };

bool bw_sweep_word(const char **list, char *word, size_t size)
{
	size_t length = strcspn(*list, ",");
	if (!**list)
		return false;
	snprintf(word, size, "%.*s", (int)length, *list);
	*list += length + ((*list)[length] == ',');
	return true;
}

static bool read_bandwidths(const struct bw_sweep_lists *lists, struct bw_sweep_axes *axes,
			    struct bw_error *error)
{
	const char *list = lists->bandwidths ? lists->bandwidths : "1";
	char word[64], *end;
	while (axes->n_bandwidths < BW_SWEEP_MOST && bw_sweep_word(&list, word, sizeof word)) {
		double factor = strtod(word, &end);
		if (!*word || *end || !(factor >= 0.01 && factor <= 100))
			return bw_fail(error, BW_ERROR_USAGE,
				       "%sbandwidths takes factors from 0.01 to 100, not \"%s\"", lists->dashes, word);
		axes->bandwidths[axes->n_bandwidths++] = factor;
	}
	bw_sort_doubles(axes->bandwidths, axes->n_bandwidths);
	return true;
}

/* Adds a device with all bandwidths. */
static bool add_device(struct bw_sweep_axes *axes, const struct bw_device *device, struct bw_error *error)
{
	for (int b = 0; b < axes->n_bandwidths; b++) {
		if (axes->n_targets == BW_SWEEP_MOST_TARGETS)
			return bw_fail(error, BW_ERROR_USAGE, "at most %d devices and bandwidths",
				       BW_SWEEP_MOST_TARGETS);
		struct bw_sweep_target *target = &axes->targets[axes->n_targets++];
		*target = (struct bw_sweep_target){*device, axes->bandwidths[b]};
		target->device.global_bandwidth *= axes->bandwidths[b];
	}
	return true;
}

/* Adds the devices of the list; without one, all GPUs of CUDA. */
static bool read_devices(const struct bw_sweep_lists *lists, struct bw_sweep_axes *axes,
			 struct bw_error *error)
{
	const char *list = lists->gpus;
	char word[64];
	for (int i = 0; !list && i < lists->n_devices; i++)
		if (!lists->devices[i].cpu && lists->devices[i].api == BW_API_CUDA &&
		    !*bw_device_mark(&lists->devices[i]) && !add_device(axes, &lists->devices[i], error))
			return false;
	while (list && bw_sweep_word(&list, word, sizeof word)) {
		const struct bw_device *device = bw_device_find(lists->devices, lists->n_devices, word);
		if (!device)
			return bw_fail(error, BW_ERROR_USAGE,
				       "%sgpus: no device \"%s\"; `beamwalk devices` lists them", lists->dashes, word);
		if (!add_device(axes, device, error))
			return false;
	}
	return axes->n_targets > 0 || bw_fail(error, BW_ERROR_USAGE, "%sgpus names no device", lists->dashes);
}

static bool read_whole(const struct bw_sweep_lists *lists, const char *name, const char *word, long most,
		       long *value, struct bw_error *error)
{
	char *end;
	*value = strtol(word, &end, 10);
	return (*word && !*end && *value >= 1 && *value <= most) ||
	       bw_fail(error, BW_ERROR_USAGE, "%s%s takes whole numbers from 1 to %ld, not \"%s\"",
		       lists->dashes, name, most, word);
}

static bool read_beams(const struct bw_sweep_lists *lists, struct bw_sweep_axes *axes, struct bw_error *error)
{
	const char *list = lists->beams ? lists->beams : "";
	char word[64];
	while (axes->n_beams < BW_SWEEP_MOST && bw_sweep_word(&list, word, sizeof word)) {
		long beam;
		if (!read_whole(lists, "beams", word, MOST_BEAM, &beam, error))
			return false;
		axes->beams[axes->n_beams++] = (int)beam;
	}
	if (!axes->n_beams)
		axes->beams[axes->n_beams++] = lists->beam;
	return true;
}

bool bw_sweep_axes_read(const struct bw_sweep_lists *lists, struct bw_sweep_axes *axes,
			struct bw_error *error)
{
	*axes = (struct bw_sweep_axes){.n_seeds = 1};
	return read_bandwidths(lists, axes, error) && read_devices(lists, axes, error) &&
	       read_beams(lists, axes, error) &&
	       (!lists->seeds || read_whole(lists, "seeds", lists->seeds, MOST_SEEDS, &axes->n_seeds, error));
}
