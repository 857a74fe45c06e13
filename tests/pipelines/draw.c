/* Draws schedules at random for a pipeline, all different, and writes them to files: what tests compile and run. Says which kinds of
 * options they cover, and fails where fewer than a third are fused at a block or in a thread, or no split leaves a tail.
 *
 *   draw DEVICES DESCRIPTION FOLDER COUNT [any | moved] [SEED]
 *
 * any: as they come, without the thirds, of a pipeline with too few places to fuse at. moved: the same, and of each most Funcs are changed to variants
 * that polishing may take, drawn at random: vectors, reductions outside of points or shared by threads, and all others. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "schedulers/scheduler.h"
#include "search/search_private.h"
#include "search/variants.h"

struct coverage {
	int inlined, root, block, thread, tails, unrolled, vectors, outside, pieces, atomic, aligned, parts;
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

/* Adds what the loops of a stage are. */
static void add_loops(const struct bw_stage *stage, const struct bw_stage_plan *plan, struct coverage *one)
{
	bool inside = false; /* of an RVar */
	one->atomic |= plan->atomic;
	for (int i = 0; i < plan->n_loops; i++) {
		const struct bw_loop *loop = &plan->loops[i];
		bool reduces = stage->loops[loop->loop].dim < 0;
		one->vectors |= loop->kind == BW_LOOP_VECTOR;
		one->pieces |= reduces && loop->extent && loop->kind == BW_LOOP_UNROLLED;
		one->outside |= inside && !reduces && (loop->kind == BW_LOOP_SERIAL || loop->kind == BW_LOOP_UNROLLED);
		inside |= reduces;
	}
}

static struct coverage coverage_of(const struct bw_nest *nest)
{
	struct coverage one = {.parts = nest->pipeline->n_rfactors > 0};
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
		for (int d = 0; d < BW_MAX_DIMS; d++)
			one.aligned |= placed->placement->align[d] > 1;
		for (int s = 0; s < placed->placement->n_stages; s++)
			add_loops(&nest->pipeline->funcs[f].stages[s], &placed->placement->stages[s], &one);
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
	coverage->vectors += one->vectors;
	coverage->outside += one->outside;
	coverage->pieces += one->pieces;
	coverage->atomic += one->atomic;
	coverage->aligned += one->aligned;
	coverage->parts += one->parts;
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

/* Returns a number below n that depends on a seed and where in a schedule it is used. */
static int number_below(uint64_t seed, uint64_t round, uint64_t place, int n)
{
	uint64_t keys[] = {seed, round, place};
	return (int)(bw_random(keys, 3) % (uint64_t)n);
}

/* Changes a Func to a variant that is allowed, drawn at random, if it has one. */
static void move_func(struct bw_variants *variants, int place, uint64_t seed, uint64_t round)
{
	int n, allowed = 0;
	bw_variants_turn(variants, place, NULL);
	const struct bw_variant *list = bw_variants_list(variants, &n);
	for (int i = 0; i < n; i++) {
		bw_variants_price(variants, i, INFINITY);
		allowed += list[i].allowed;
	}
	int which = allowed ? number_below(seed, round, (uint64_t)place, allowed) : -1;
	for (int i = 0; i < n && which >= 0; i++)
		if (list[i].allowed && !which--) {
			bw_variants_take(variants, i);
			return;
		}
}

/* Returns a schedule of a search with two of three Funcs changed, for bw_nest_drop: first to any variant, then to those
 * that are tried late, then to those tried together. */
static struct bw_nest *moved(const struct bw_search *search, struct bw_nest *nest, uint64_t seed)
{
	enum { ROUNDS = 3 };
	struct bw_variants *variants = bw_variants_begin(search, nest, search->options.passes, false);
	for (uint64_t round = 0; round < ROUNDS; round++) {
		bw_variants_late(variants, round > 0, round > 1);
		for (int place = 0; place < bw_variants_funcs(variants); place++)
			if (number_below(seed, round + ROUNDS, (uint64_t)place, 3))
				move_func(variants, place, seed, round);
	}
	struct bw_nest *result = bw_nest_keep((struct bw_nest *)bw_variants_nest(variants));
	bw_variants_end(variants);
	return result;
}

/* Returns the schedule of a search, moved or as it is found, for bw_nest_drop. */
static struct bw_nest *drawn_by(struct bw_search *search, bool moves, struct bw_error *error)
{
	if (bw_search_advance(search, bw_search_n_decisions(search), NULL, error) != BW_SEARCH_DONE)
		return NULL;
	struct bw_nest *nest = bw_search_state(search, bw_search_reached(search), 0)->nest;
	return moves ? moved(search, nest, search->options.seed) : bw_nest_keep(nest);
}

struct wanted {
	const char *folder;
	int n;
	bool any, moved;
	uint64_t seed;
};

/* Draws them. A test's image is too small for as many blocks as a
 * large device is busy with; and the points of a stencil of 5 x 5, which are not unrolled in a thread, are to be compiled, too. */
static bool draw(const struct bw_pipeline *pipeline, const struct bw_device *device, const struct wanted *wanted, struct coverage *coverage, struct bw_error *error)
{
	struct bw_settings options = bw_settings_default(device);
	uint64_t *seen = calloc((size_t)wanted->n, sizeof *seen), first = options.seed += wanted->seed;
	bool good = seen != NULL;
	options.random = options.beam = 1;
	options.idle_sms_limit = 0;
	options.unrolled_limit = 64;
	for (int drawn = 0; drawn < wanted->n && good; options.seed++) {
		good = options.seed - first < 100u * (unsigned)wanted->n || bw_fail(error, BW_ERROR_FAILED, "of %d searches only %d gave a schedule that was wanted", 100 * wanted->n, drawn);
		struct bw_search *search = bw_search_new(pipeline, &options, NULL);
		struct bw_nest *nest = good ? drawn_by(search, wanted->moved, error) : NULL;
		good = nest != NULL;
		struct bw_schedule *schedule = good ? bw_nest_schedule(nest) : NULL;
		uint64_t hash = good ? bw_schedule_hash(schedule) : 0;
		bool twin = false;
		for (int i = 0; i < drawn; i++)
			twin |= seen[i] == hash;
		struct coverage one = good ? coverage_of(nest) : (struct coverage){0};
		if (good && !twin && (wanted->any || affordable(coverage, &one, wanted->n - drawn, wanted->n))) {
			good = write_schedule(pipeline, schedule, wanted->folder, drawn, error);
			add(coverage, &one);
			seen[drawn++] = hash;
		}
		bw_schedule_drop(schedule);
		bw_nest_drop(nest);
		bw_search_free(search);
	}
	free(seen);
	return good;
}

int main(int argc, char **argv)
{
	struct bw_error error = {0};
	struct coverage coverage = {0};
	bool moved = argc > 5 && !strcmp(argv[5], "moved"), any = moved || (argc > 5 && !strcmp(argv[5], "any"));
	const char *seed = argc > 5 + any ? argv[5 + any] : "0";
	if (argc < 5 || argc > 6 + any || atoi(argv[4]) < 1 || strspn(seed, "0123456789") != strlen(seed)) {
		fprintf(stderr, "usage: draw DEVICES DESCRIPTION FOLDER COUNT [any | moved] [SEED]\n");
		return 2;
	}
	int n_devices;
	struct wanted wanted = {.folder = argv[3], .n = atoi(argv[4]), .any = any, .moved = moved, .seed = strtoull(seed, NULL, 10)};
	struct bw_device *devices = bw_devices_read(argv[1], &n_devices, &error);
	struct bw_pipeline *pipeline = devices ? bw_pipeline_read(argv[2], &error) : NULL;
	bool good = pipeline && draw(pipeline, &devices[0], &wanted, &coverage, &error);
	if (good)
		printf("# %s: of %d schedules, %d inline a Func, %d have another at root, %d fuse at a block, %d in a thread, %d have a split with a tail, %d unroll, %d have vectors, %d a reduction outside of points, %d pieces of one, %d are atomic, %d aligned, %d do a reduction in parts\n",
		       pipeline->name, wanted.n, coverage.inlined, coverage.root, coverage.block, coverage.thread, coverage.tails, coverage.unrolled, coverage.vectors, coverage.outside, coverage.pieces, coverage.atomic, coverage.aligned, coverage.parts);
	else
		fprintf(stderr, "draw: %s\n", error.text);
	good = good && (any || (3 * coverage.block >= wanted.n && 3 * coverage.thread >= wanted.n)) && coverage.tails > 0;
	bw_pipeline_free(pipeline);
	free(devices);
	return good ? 0 : 1;
}
