/* Draws schedules at random for a pipeline, all different, and writes them to files: what tests compile and run. Says which kinds of
 * options they cover, and fails where fewer than a third are fused at a block or in a thread, or no split leaves a tail.
 *
 *   draw DEVICES DESCRIPTION FOLDER COUNT [any]
 *
 * any: as they come, without the thirds, of a pipeline with too few places to fuse at. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "schedulers/scheduler.h"

struct coverage {
	int inlined, root, block, thread, tails, unrolled;
};

static bool has_tail(const struct bw_nest *nest, int f)
{
	const struct bw_func *func = &nest->pipeline->funcs[f];
	const struct bw_placed *placed = nest->placed[f];
	for (int s = 0; s < placed->placement->n_stages; s++) {
		const struct bw_stage_plan *plan = &placed->placement->stages[s];
		struct bw_interval loops[BW_MAX_LOOPS];
		if (!bw_stage_loops_of(&func->stages[s], placed->regions[0].required, loops))
			continue;
		for (int l = 0; l < func->stages[s].n_loops; l++) {
			int64_t factor = 1;
			for (int i = 0; i < plan->n_loops; i++)
				if (plan->loops[i].loop == l && plan->loops[i].extent)
					factor *= plan->loops[i].extent;
			if ((loops[l].max - loops[l].min + 1) % factor)
				return true;
		}
	}
	return false;
}

static struct coverage coverage_of(const struct bw_nest *nest)
{
	struct coverage one = {0};
	for (int f = 0; f < nest->pipeline->n_funcs; f++) {
		const struct bw_placed *placed = nest->placed[f];
		if (!placed)
			continue;
		const struct bw_site *site = &placed->placement->compute;
		one.inlined |= site->kind == BW_SITE_INLINE;
		one.root |= site->kind == BW_SITE_ROOT && !nest->pipeline->funcs[f].output;
		one.block |= site->kind == BW_SITE_AT && site->role == BW_ROLE_BLOCK;
		one.thread |= site->kind == BW_SITE_AT && site->role != BW_ROLE_BLOCK;
		if (site->kind == BW_SITE_INLINE)
			continue;
		one.tails |= has_tail(nest, f);
		for (int s = 0; s < placed->placement->n_stages; s++)
			one.unrolled |= placed->stages[s].unrolled > 1;
	}
	return one;
}

static void add(struct coverage *coverage, const struct coverage *one)
{
	coverage->inlined += one->inlined;
	coverage->root += one->root;
	coverage->block += one->block;
	coverage->thread += one->thread;
	coverage->tails += one->tails;
	coverage->unrolled += one->unrolled;
}

/* Whether the places that are left are enough for the thirds that are missing once this one has taken one. */
static bool affordable(const struct coverage *coverage, const struct coverage *one, int left, int wanted)
{
	int third = (wanted + 2) / 3, block = third - coverage->block - one->block, thread = third - coverage->thread - one->thread;
	return (block > 0 ? block : 0) + (thread > 0 ? thread : 0) <= left - 1;
}

static bool write_schedule(const struct bw_pipeline *pipeline, const struct bw_schedule *schedule, const char *folder, int number, struct bw_error *error)
{
	char path[4096];
	struct bw_text text = {0};
	snprintf(path, sizeof path, "%s/%02d.schedule", folder, number);
	bw_schedule_print(pipeline, schedule, &text);
	bool good = bw_file_write(path, bw_text_get(&text), text.length, error);
	bw_text_free(&text);
	return good;
}

/* Draws them. A test's image is too small for as many blocks as a
 * large device is busy with; and the points of a stencil of 5 x 5, which are not unrolled in a thread, are to be compiled, too. */
static bool draw(const struct bw_pipeline *pipeline, const struct bw_device *device, const char *folder, int wanted, bool any, struct coverage *coverage, struct bw_error *error)
{
	struct bw_settings options = bw_settings_default(device);
	uint64_t *seen = calloc((size_t)wanted, sizeof *seen);
	bool good = seen != NULL;
	options.random = options.beam = 1;
	options.idle_sms_limit = 0;
	options.unrolled_limit = 64;
	for (int drawn = 0; drawn < wanted && good; options.seed++) {
		struct bw_batch batch;
		good = options.seed < 100u * (unsigned)wanted || bw_fail(error, BW_ERROR_FAILED, "of %d searches only %d gave a schedule that was wanted", 100 * wanted, drawn);
		good = good && bw_batch_run(pipeline, &options, NULL, &batch, error);
		if (!good)
			break;
		uint64_t hash = bw_schedule_hash(batch.schedule);
		bool twin = false;
		for (int i = 0; i < drawn; i++)
			twin |= seen[i] == hash;
		struct bw_nest *nest = bw_nest_build(pipeline, batch.schedule->placements, pipeline->n_funcs, error);
		struct coverage one = nest ? coverage_of(nest) : (struct coverage){0};
		good = nest != NULL;
		if (good && !twin && (any || affordable(coverage, &one, wanted - drawn, wanted))) {
			good = write_schedule(pipeline, batch.schedule, folder, drawn, error);
			add(coverage, &one);
			seen[drawn++] = hash;
		}
		bw_nest_drop(nest);
		bw_batch_free(&batch);
	}
	free(seen);
	return good;
}

int main(int argc, char **argv)
{
	struct bw_error error = {0};
	struct coverage coverage = {0};
	bool any = argc == 6 && !strcmp(argv[5], "any");
	int n_devices, wanted = argc == 5 || any ? atoi(argv[4]) : 0;
	if (wanted < 1) {
		fprintf(stderr, "usage: draw DEVICES DESCRIPTION FOLDER COUNT [any]\n");
		return 2;
	}
	struct bw_device *devices = bw_devices_read(argv[1], &n_devices, &error);
	struct bw_pipeline *pipeline = devices ? bw_pipeline_read(argv[2], &error) : NULL;
	bool good = pipeline && draw(pipeline, &devices[0], argv[3], wanted, any, &coverage, &error);
	if (good)
		printf("# %s: of %d schedules, %d inline a Func, %d have another at root, %d fuse at a block, %d in a thread, %d have a split with a tail, %d unroll\n", pipeline->name, wanted, coverage.inlined, coverage.root, coverage.block, coverage.thread, coverage.tails, coverage.unrolled);
	else
		fprintf(stderr, "draw: %s\n", error.text);
	good = good && (any || (3 * coverage.block >= wanted && 3 * coverage.thread >= wanted)) && coverage.tails > 0;
	bw_pipeline_free(pipeline);
	free(devices);
	return good ? 0 : 1;
}
