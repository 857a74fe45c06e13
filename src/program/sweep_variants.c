/* Variants of a pipeline for sweep: sizes and parameters of its generator. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/parallel.h"
#include "base/mem.h"
#include "program/sweep.h"

enum { MOST_ESTIMATES = 64, MOST_ARGS = 64, ESTIMATE = 160 };

bool bw_sweep_word(const char **list, char *word, size_t size)
{
	size_t length = strcspn(*list, ",");
	if (!**list)
		return false;
	snprintf(word, size, "%.*s", (int)length, *list);
	*list += length + ((*list)[length] == ',');
	return true;
}

/* A size: extents of the first two dimensions of the first input, or of an output if no input has two. */
struct size {
	long long extents[2];
};

static bool read_size(const char *word, struct size *size, struct bw_error *error)
{
	int end = 0;
	if (sscanf(word, "%lldx%lld%n", &size->extents[0], &size->extents[1], &end) == 2 && !word[end] &&
	    size->extents[0] > 0 && size->extents[1] > 0 && size->extents[0] < 1 << 30 &&
	    size->extents[1] < 1 << 30)
		return true;
	return bw_fail(error, BW_ERROR_USAGE, "--image-sizes takes sizes such as 768x1280, not \"%s\"", word);
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

/* Returns an extent for another size: an extent that is nearly that of the image keeps its distance to it,
 * one that is a fraction or a multiple of it keeps its proportion, and others stay. */
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

/* Makes the estimates of all inputs and outputs for another size; returns how many. */
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
	struct size size; /* 0: as described */
	bool good;
	struct bw_error error;
};

struct work {
	const struct bw_program *program;
	const char *name;
	const struct bw_device *device;
	struct bw_sweep_variants *variants;
	struct opening openings[BW_SWEEP_MOST];
	atomic_int next;
};

/* Opens a variant; from its parameters alone first, whose estimates those of another size follow. */
static bool open_one(struct work *work, int i)
{
	struct bw_sweep_variants *variants = work->variants;
	struct opening *opening = &work->openings[i];
	struct bw_source_request request;
	struct bw_patience patience = {120, NULL};
	const char *args[MOST_ARGS];
	if (!bw_program_source(work->program, work->device, &request, &opening->error))
		return false;
	request.pipeline = work->name;
	if (*variants->parameters[i] && request.n_args < MOST_ARGS) {
		for (int a = 0; a < request.n_args; a++)
			args[a] = request.args[a];
		args[request.n_args++] = variants->parameters[i];
		request.args = args;
	}
	struct bw_pipeline *pipeline =
	    bw_source_open(&request, &work->program->folders, &work->program->places, &patience,
			   &variants->sources[i], &opening->error);
	if (pipeline && *variants->sizes[i]) {
		char estimates[MOST_ESTIMATES][ESTIMATE];
		const char *list[MOST_ESTIMATES];
		struct size now = present_size(pipeline);
		if (now.extents[0]) {
			request.n_estimates = make_estimates(pipeline, &now, &opening->size, estimates);
			for (int e = 0; e < request.n_estimates; e++)
				list[e] = estimates[e];
			request.estimates = list;
		}
		bw_pipeline_free(pipeline);
		bw_source_free(&variants->sources[i]);
		pipeline = bw_source_open(&request, &work->program->folders, &work->program->places,
					  &patience, &variants->sources[i], &opening->error);
	}
	variants->open[i] = pipeline != NULL;
	variants->pipelines[i] = pipeline;
	return pipeline || bw_fail_in(&opening->error, "%s",
				      *variants->sizes[i]        ? variants->sizes[i]
				      : *variants->parameters[i] ? variants->parameters[i]
								 : work->name);
}

static void take_variants(void *data)
{
	struct work *work = data;
	for (int i; (i = atomic_fetch_add(&work->next, 1)) < work->variants->n;)
		work->openings[i].good = open_one(work, i);
}

/* Fills the lists of sizes and parameters of all variants. */
static bool list_variants(const struct bw_arguments *arguments, struct work *work, struct bw_error *error)
{
	const char *sizes = arguments->image_sizes ? arguments->image_sizes : "", *at = sizes,
		   *vary = arguments->vary;
	size_t key = vary ? strcspn(vary, "=") : 0;
	struct bw_sweep_variants *variants = work->variants;
	char size[32] = "", value[64] = "";
	if (vary && (!vary[key] || !vary[key + 1] || key > 60))
		return bw_fail(error, BW_ERROR_USAGE, "--vary takes KEY=VALUE,VALUE..., not \"%s\"", vary);
	for (bool any = bw_sweep_word(&at, size, sizeof size) || !*sizes; any;
	     any = bw_sweep_word(&at, size, sizeof size)) {
		const char *values = vary ? vary + key + 1 : "";
		for (bool more = bw_sweep_word(&values, value, sizeof value) || !vary; more;
		     more = vary && bw_sweep_word(&values, value, sizeof value)) {
			int i = variants->n;
			if (i == BW_SWEEP_MOST)
				return bw_fail(error, BW_ERROR_USAGE, "at most %d variants", BW_SWEEP_MOST);
			if (*size && !read_size(size, &work->openings[i].size, error))
				return false;
			snprintf(variants->sizes[i], sizeof variants->sizes[i], "%s", size);
			if (vary)
				snprintf(variants->parameters[i], sizeof variants->parameters[i], "%.*s=%s",
					 (int)key, vary, value);
			variants->n++;
		}
	}
	return true;
}

bool bw_sweep_variants_open(const struct bw_program *program, const char *name,
			    const struct bw_device *device, struct bw_sweep_variants *variants,
			    struct bw_error *error)
{
	struct work *work = BW_NEW(struct work);
	*work = (struct work){.program = program, .name = name, .device = device, .variants = variants};
	bool good = list_variants(&program->arguments, work, error);
	int processors = (int)sysconf(_SC_NPROCESSORS_ONLN);
	if (good)
		bw_parallel(variants->n < processors ? variants->n : processors, take_variants, work);
	for (int i = 0; i < variants->n && good; i++) {
		good = work->openings[i].good;
		if (!good && error)
			*error = work->openings[i].error;
		variants->list[i] = (struct bw_sweep_variant){
		    variants->pipelines[i], variants->sizes[i], variants->parameters[i],
		    (double)work->openings[i].size.extents[0] * (double)work->openings[i].size.extents[1]};
	}
	free(work);
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
