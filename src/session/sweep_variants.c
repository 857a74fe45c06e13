#include "session/sweep.h"

#include <math.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/thread.h"

enum { MOST_SEEDS = 1000, MOST_BEAM = 100000 };

/* Cuts the next word off a list. Returns false at its end. */
static bool sweep_word(const char **list, char *word, size_t size)
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
	while (axes->n_bandwidths < BW_SWEEP_MOST && sweep_word(&list, word, sizeof word)) {
		double factor = strtod(word, &end);
		if (!*word || *end || !(factor >= 0.01 && factor <= 100))
			return bw_fail(error, BW_ERROR_USAGE,
				       "%sbandwidths takes factors from 0.01 to 100, not \"%s\"", lists->dashes, word);
		axes->bandwidths[axes->n_bandwidths++] = factor;
	}
	bw_sort_doubles(axes->bandwidths, axes->n_bandwidths);
	return true;
}

/* Adds a device once for each bandwidth. */
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

static bool unknown_device(const struct bw_sweep_lists *lists, const char *name, struct bw_error *error)
{
	char of[16];
	snprintf(of, sizeof of, "%sgpus: ", lists->dashes);
	return bw_device_unknown(lists->devices, lists->n_devices, of, name, error);
}

/* Adds the devices of the list; without a list, all CUDA GPUs. */
static bool read_devices(const struct bw_sweep_lists *lists, struct bw_sweep_axes *axes,
			 struct bw_error *error)
{
	const char *list = lists->gpus;
	char word[64];
	for (int i = 0; !list && i < lists->n_devices; i++)
		if (!lists->devices[i].cpu && lists->devices[i].api == BW_API_CUDA &&
		    !*bw_device_mark(&lists->devices[i]) && !add_device(axes, &lists->devices[i], error))
			return false;
	while (list && sweep_word(&list, word, sizeof word)) {
		const struct bw_device *device = bw_device_find(lists->devices, lists->n_devices, word);
		if (device ? !add_device(axes, device, error)
			   : !unknown_device(lists, word, error))
			return false;
	}
	return axes->n_targets > 0 || bw_fail(error, BW_ERROR_USAGE, "%sgpus names no device", lists->dashes);
}

static bool read_whole(const struct bw_sweep_lists *lists, const char *name, const char *word, long most,
		       long *value, struct bw_error *error)
{
	return bw_read_number(word, 1, most, value) ||
	       bw_fail(error, BW_ERROR_USAGE, "%s%s takes whole numbers from 1 to %ld, not \"%s\"",
		       lists->dashes, name, most, word);
}

static bool read_beams(const struct bw_sweep_lists *lists, struct bw_sweep_axes *axes, struct bw_error *error)
{
	const char *list = lists->beams ? lists->beams : "";
	char word[64];
	while (axes->n_beams < BW_SWEEP_MOST && sweep_word(&list, word, sizeof word)) {
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

enum { MOST_ESTIMATES = 64, MOST_ARGS = 64, ESTIMATE = 160 };

/* A size: extents of the first two dimensions of the first input, or of an output if no input has two. */
struct size {
	long long extents[2];
};

static bool read_size(const char *dashes, const char *word, struct size *size, struct bw_error *error)
{
	int end = 0;
	if (sscanf(word, "%lldx%lld%n", &size->extents[0], &size->extents[1], &end) == 2 && !word[end] &&
	    size->extents[0] > 0 && size->extents[1] > 0 && size->extents[0] < 1 << 30 &&
	    size->extents[1] < 1 << 30)
		return true;
	return bw_fail(error, BW_ERROR_USAGE, "%simage-sizes takes sizes such as 768x1280, not \"%s\"",
		       dashes, word);
}

static int64_t extent_of(const struct bw_func *func, int d)
{
	return func->estimate[d].max - func->estimate[d].min + 1;
}

static struct size present_size(const struct bw_pipeline *pipeline)
{
	const struct bw_func *found = NULL;
	for (int input = 1; input >= 0 && !found; input--)
		for (int f = 0; f < pipeline->n_funcs && !found; f++)
			if ((input ? pipeline->funcs[f].input : pipeline->funcs[f].output) &&
			    pipeline->funcs[f].n_dims >= 2)
				found = &pipeline->funcs[f];
	return found ? (struct size){{extent_of(found, 0), extent_of(found, 1)}} : (struct size){{0, 0}};
}

/* Returns an extent scaled to another image size. An extent near the image's keeps its difference to the
 * image's; a fraction or multiple of the image's keeps its ratio; all others are unchanged. */
static int64_t scaled(int64_t extent, long long now, long long then)
{
	double ratio = (double)extent / (double)now;
	if (llabs(extent - now) * 8 <= now)
		return extent + then - now > 0 ? extent + then - now : 1;
	if (ratio < 1.0 / 20 || ratio > 20)
		return extent;
	int64_t other = (int64_t)ceil(ratio * (double)then - 1e-9);
	return other > 0 ? other : 1;
}

/* Makes the estimates of all inputs and outputs for another size. Returns their number. */
static int make_estimates(const struct bw_pipeline *pipeline, const struct size *now, const struct size *then,
			  char estimates[][ESTIMATE])
{
	int n = 0;
	for (int f = 0; f < pipeline->n_funcs; f++) {
		const struct bw_func *func = &pipeline->funcs[f];
		for (int d = 0; d < func->n_dims && (func->input || func->output) && n < MOST_ESTIMATES;
		     d++) {
			int64_t extent = extent_of(func, d);
			if (d < 2 && func->n_dims >= 2)
				extent = scaled(extent, now->extents[d], then->extents[d]);
			snprintf(estimates[n++], ESTIMATE, "%s._%d=%lld,%lld", func->name, d,
				 (long long)func->estimate[d].min, (long long)extent);
		}
	}
	return n;
}

/* One variant to be opened. */
struct opening {
	bool good;
	struct bw_error error;
};

struct work {
	const struct bw_sweep_origin *origin;
	struct bw_sweep_variants *variants;
	struct opening openings[BW_SWEEP_MOST];
	atomic_int next;
};

static struct bw_pipeline *open_so(struct work *work, int i, const struct bw_source_request *request)
{
	struct bw_patience patience = {120, NULL};
	return bw_source_open(request, work->origin->folders, work->origin->places, &patience,
			      &work->variants->sources[i], &work->openings[i].error);
}

/* Opens variant i with its generator parameters. If it has another size, opens it again, with the estimates
 * of the first result scaled to that size. */
static bool open_one(struct work *work, int i)
{
	struct bw_sweep_variants *variants = work->variants;
	struct bw_source_request request = *work->origin->request;
	const char *args[MOST_ARGS];
	if (*variants->parameters[i] && request.n_args < MOST_ARGS) {
		for (int a = 0; a < request.n_args; a++)
			args[a] = request.args[a];
		args[request.n_args++] = variants->parameters[i];
		request.args = args;
	}
	struct bw_pipeline *pipeline = open_so(work, i, &request);
	if (pipeline && *variants->sizes[i]) {
		char estimates[MOST_ESTIMATES][ESTIMATE];
		const char *list[MOST_ESTIMATES];
		struct size now = present_size(pipeline),
			    then = {{variants->extents[i][0], variants->extents[i][1]}};
		if (now.extents[0]) {
			request.n_estimates = make_estimates(pipeline, &now, &then, estimates);
			for (int e = 0; e < request.n_estimates; e++)
				list[e] = estimates[e];
			request.estimates = list;
		}
		bw_pipeline_free(pipeline);
		bw_source_free(&variants->sources[i]);
		pipeline = open_so(work, i, &request);
	}
	variants->open[i] = pipeline != NULL;
	variants->pipelines[i] = pipeline;
	return pipeline || bw_fail_in(&work->openings[i].error, "%s",
				      *variants->sizes[i]        ? variants->sizes[i]
				      : *variants->parameters[i] ? variants->parameters[i]
								 : request.pipeline);
}

static void take_variants(void *data)
{
	struct work *work = data;
	for (int i; (i = atomic_fetch_add(&work->next, 1)) < work->variants->n;)
		work->openings[i].good = open_one(work, i);
}

/* Adds a variant. */
static bool add(const struct bw_sweep_lists *lists, const char *size, const char *parameters,
		struct bw_sweep_variants *variants, struct bw_error *error)
{
	int i = variants->n;
	struct size read = {{0, 0}};
	if (i == BW_SWEEP_MOST)
		return bw_fail(error, BW_ERROR_USAGE, "at most %d variants", BW_SWEEP_MOST);
	if (*size && !read_size(lists->dashes, size, &read, error))
		return false;
	memcpy(variants->extents[i], read.extents, sizeof read.extents);
	snprintf(variants->sizes[i], sizeof variants->sizes[i], "%s", size);
	snprintf(variants->parameters[i], sizeof variants->parameters[i], "%s", parameters);
	variants->list[i] = (struct bw_sweep_variant){NULL, variants->sizes[i], variants->parameters[i],
						      (double)read.extents[0] * (double)read.extents[1]};
	variants->n++;
	return true;
}

bool bw_sweep_variants_list(const struct bw_sweep_lists *lists, struct bw_sweep_variants *variants,
			    struct bw_error *error)
{
	const char *at = lists->sizes ? lists->sizes : "", *vary = lists->vary;
	bool none = !*at;
	size_t key = vary ? strcspn(vary, "=") : 0;
	char size[32] = "", value[64] = "", parameters[160] = "";
	if (vary && (!vary[key] || !vary[key + 1] || key > 60))
		return bw_fail(error, BW_ERROR_USAGE, "%svary takes KEY=VALUE,VALUE..., not \"%s\"",
			       lists->dashes, vary);
	while (none || sweep_word(&at, size, sizeof size)) {
		const char *values = vary ? vary + key + 1 : "";
		none = false;
		if (!vary && !add(lists, size, "", variants, error))
			return false;
		while (vary && sweep_word(&values, value, sizeof value)) {
			snprintf(parameters, sizeof parameters, "%.*s=%s", (int)key, vary, value);
			if (!add(lists, size, parameters, variants, error))
				return false;
		}
	}
	return true;
}

bool bw_sweep_variants_open(const struct bw_sweep_origin *origin, struct bw_sweep_variants *variants,
			    struct bw_error *error)
{
	BW_SCOPED_MEMORY struct work *work = BW_NEW(struct work);
	*work = (struct work){.origin = origin, .variants = variants};
	int processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
	bool good = true;
	bw_parallel(variants->n < processors ? variants->n : processors, take_variants, work);
	for (int i = 0; i < variants->n && good; i++) {
		good = work->openings[i].good;
		if (!good && error)
			*error = work->openings[i].error;
		variants->list[i].pipeline = variants->pipelines[i];
	}
	return good;
}

void bw_sweep_variants_close(struct bw_sweep_variants *variants)
{
	for (int i = 0; i < variants->n; i++)
		if (variants->open[i]) {
			bw_pipeline_free(variants->pipelines[i]);
			bw_source_free(&variants->sources[i]);
		}
}
