/* Reads the record of a schedule that was written by hand. Makes a placement for each Func, and a line of
 * text for each directive that the text form cannot express. */
#include "schedule/schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nest/plan.h"
#include "schedule/hand_private.h"

/* The data that was read for a Func. */
struct hand_func {
	const json_t *own; /* the Func's own record */
	const json_t
	    *schedule;    /* the record that gives its placement: its own, or that of a wrapper */
	const char *name; /* name of the record `schedule`: other Funcs are computed at loops of this name */
	struct bw_hand_stage *stages;
};

struct reader {
	const struct bw_pipeline *pipeline;
	const json_t *records;
	struct bw_arena *arena;
	struct bw_text *unsaid;
	struct bw_nest *nest; /* nest of the Funcs that are placed so far */
	struct hand_func *funcs;
};

/* Returns the text of an error without the name of the Func at its beginning. */
static const char *hand_reason(const struct bw_hand_unsaid *unsaid, const struct bw_error *error)
{
	const size_t length = strlen(unsaid->func);
	const bool named =
	    !strncmp(error->text, unsaid->func, length) && !strncmp(error->text + length, ": ", 2);
	return error->text + (named ? length + 2 : 0);
}

static struct bw_hand_unsaid unsaid_of(const struct reader *reader, int f)
{
	return (struct bw_hand_unsaid){NULL, reader->pipeline->funcs[f].name, reader->unsaid};
}

static const json_t *record_of(const struct reader *reader, const char *name)
{
	for (size_t i = 0; i < json_array_size(reader->records); i++)
		if (!strcmp(bw_json_text(json_array_get(reader->records, i), "name"), name))
			return json_array_get(reader->records, i);
	return NULL;
}

/* Returns true if the level under a key of the record is this word, `inline` or `root`. */
static bool is_level(const json_t *record, const char *key, const char *word)
{
	return !strcmp(bw_json_text(record, key), word);
}

/* Returns the name of the Func at whose loops the Func of a record is computed. Returns "" if it is
 * inlined or at root. */
static const char *host_of(const json_t *record)
{
	return bw_json_text(json_object_get(record, "compute"), "func");
}

/* Returns the name of the wrapper through which all other Funcs read this Func. Returns NULL if there is
 * none, or more than one. */
static const char *sole_wrapper(const struct reader *reader, int f)
{
	const struct bw_func *func = &reader->pipeline->funcs[f];
	const json_t *wrappers = json_object_get(reader->funcs[f].own, "wrappers");
	const char *sole = bw_json_text(json_array_get(wrappers, 0), "name");
	bool all = !strcmp(bw_json_text(json_array_get(wrappers, 0), "reader"), "");
	for (size_t i = 1; i < json_array_size(wrappers); i++)
		if (strcmp(bw_json_text(json_array_get(wrappers, i), "name"), sole) != 0)
			return NULL;
	for (int c = 0; c < func->n_consumers && !all; c++) {
		const char *consumer = reader->pipeline->funcs[func->consumers[c]->func].name;
		bool wrapped = false;
		for (size_t i = 0; i < json_array_size(wrappers); i++)
			wrapped |= !strcmp(bw_json_text(json_array_get(wrappers, i), "reader"), consumer);
		if (!wrapped)
			return NULL;
	}
	return *sole && !strstr(sole, "_clone_in_") ? sole : NULL;
}

/* Decides which record gives a Func's placement: its own, or that of its wrapper from in(). The wrapper's
 * is used only if all other readers read the Func through this one wrapper, and the Func is either inlined
 * (and has a single stage) or computed at the wrapper's loops. The first case is exact: the inlined Func
 * is the same as the Func computed at the wrapper's site. The second is an approximation: the copy is
 * dropped. Whatever cannot be expressed is noted in unsaid. */
static void choose_record(struct reader *reader, int f)
{
	struct hand_func *hand = &reader->funcs[f];
	const struct bw_hand_unsaid unsaid = unsaid_of(reader, f);
	hand->schedule = hand->own;
	hand->name = reader->pipeline->funcs[f].name;
	if (!json_array_size(json_object_get(hand->own, "wrappers")))
		return;
	const char *name = sole_wrapper(reader, f);
	const json_t *wrapper = name ? record_of(reader, name) : NULL;
	const bool inlined =
	    is_level(hand->own, "compute", "inline") && reader->pipeline->funcs[f].n_stages == 1;
	if (wrapper && (inlined || !strcmp(host_of(hand->own), name))) {
		hand->schedule = wrapper;
		hand->name = name;
	}
	const json_t *extras = json_object_get(hand->schedule == hand->own ? wrapper : hand->own, "extras");
	for (size_t i = 0; i < json_array_size(extras); i++)
		bw_hand_say(&unsaid, "in() with %s", json_string_value(json_array_get(extras, i)));
	if (!wrapper)
		bw_hand_say(&unsaid, "in() or clone_in() for some of its readers");
	else if (!inlined)
		bw_hand_say(&unsaid, "in(): a second Func that holds a copy of its values");
}

/* Returns true if a stage reads a Func, directly or through inlined Funcs. */
static bool reads(const struct reader *reader, int func, int stage, int f)
{
	const struct bw_stage *of = &reader->pipeline->funcs[func].stages[stage];
	for (int r = 0; r < of->n_reads; r++) {
		int producer = of->reads[r].producer;
		if (producer == f && func != f)
			return true;
		if (producer > f && producer != func && bw_is_inlined(reader->nest, producer) &&
		    reads(reader, producer, 0, f))
			return true;
	}
	return false;
}

/* Returns the Func whose placement comes from the record of this name, or -1. */
static int placed_by(const struct reader *reader, const char *name)
{
	for (int f = 0; f < reader->pipeline->n_funcs; f++)
		if (reader->funcs[f].name && reader->nest->placed[f] && !strcmp(reader->funcs[f].name, name))
			return f;
	return -1;
}

/* Sets the role of a site at a piece of a stage's plan. */
static void set_role(const struct bw_hand_stage *stage, int piece, const struct bw_hand_unsaid *unsaid,
		     struct bw_site *site)
{
	const enum bw_loop_kind kind = stage->loops[piece].kind;
	site->serial = -1;
	for (int i = 0; i <= piece; i++)
		site->serial += bw_loop_role(stage->loops[i].kind) == BW_ROLE_SERIAL;
	site->role = bw_loop_role(kind);
	for (int i = piece + 1; i < stage->n_loops && site->role != BW_ROLE_SERIAL; i++)
		if (stage->loops[i].kind == kind) {
			bw_hand_say(unsaid, "compute_at() or store_at() between two %s loops",
				    bw_loop_kind_name(kind));
			return;
		}
}

/* Reads a level of the record. Returns false, and appends a line to unsaid, if there is no such loop. */
static bool read_site(const struct reader *reader, int f, const json_t *level, struct bw_site *site)
{
	const struct bw_hand_unsaid unsaid = unsaid_of(reader, f);
	const char *host = bw_json_text(level, "func");
	const json_t *loops = json_object_get(level, "loops");
	*site = (struct bw_site){.kind = BW_SITE_ROOT, .func = -1};
	if (json_is_string(level))
		return true;
	*site = (struct bw_site){.kind = BW_SITE_AT, .func = placed_by(reader, host)};
	bool found = false;
	for (size_t i = 0; i < json_array_size(loops) && site->func >= 0; i++) {
		const json_t *loop = json_array_get(loops, i);
		const int s = (int)json_integer_value(json_array_get(loop, 0));
		const char *name = json_string_value(json_array_get(loop, 1));
		const struct bw_func *func = &reader->pipeline->funcs[site->func];
		if (s >= func->n_stages || (json_array_size(loops) > 1 && !reads(reader, site->func, s, f)))
			continue;
		const struct bw_hand_stage *stage = &reader->funcs[site->func].stages[s];
		for (int l = 0; l < stage->n_leaves && name; l++)
			if (!strcmp(stage->leaves[l].name, name)) {
				if (found)
					bw_hand_say(&unsaid, "computed in several stages of %s", func->name);
				found = true;
				site->stage = s;
				set_role(stage, stage->leaves[l].piece, &unsaid, site);
			}
	}
	if (!found)
		bw_hand_say(&unsaid, "computed or stored at a loop of %s that the text form has not", host);
	return found;
}

/* Reads where a Func is computed and stored. If a Func with updates is inlined, Halide computes it in the
 * innermost loop around its reader. */
static bool read_sites(const struct reader *reader, int f, struct bw_placement *draft)
{
	const json_t *record = reader->funcs[f].schedule;
	const struct bw_func *func = &reader->pipeline->funcs[f];
	if (is_level(record, "compute", "inline") && !func->output) {
		struct bw_site sites[256];
		int n = bw_nest_sites(reader->nest, f, sites, 256);
		draft->compute = sites[n > 256 ? 255 : n - 1];
		draft->store = draft->compute;
		return n > 0;
	}
	if (!read_site(reader, f, json_object_get(record, "compute"), &draft->compute))
		return false;
	draft->store = draft->compute;
	return is_level(record, "store", "inline") ||
	       read_site(reader, f, json_object_get(record, "store"), &draft->store);
}

static void read_memory(const struct reader *reader, int f, struct bw_placement *draft)
{
	const json_t *record = reader->funcs[f].schedule, *order = json_object_get(record, "storage");
	const struct bw_func *func = &reader->pipeline->funcs[f];
	const struct bw_hand_unsaid unsaid = unsaid_of(reader, f);
	const char *memory = bw_json_text(record, "memory");
	for (int m = 0; m < BW_N_MEMORIES; m++)
		if (!strcmp(memory, bw_memory_name((enum bw_memory)m)))
			draft->memory = (enum bw_memory)m;
	if (strcmp(memory, bw_memory_name(draft->memory)) != 0)
		bw_hand_say(&unsaid, "store_in(%s)", memory);
	int *storage = BW_ARENA_ARRAY(reader->arena, int, func->n_dims);
	for (int d = 0; d < func->n_dims && (int)json_array_size(order) == func->n_dims; d++) {
		const char *name = json_string_value(json_array_get(order, (size_t)d));
		for (int k = 0; k < func->n_dims; k++)
			if (name && !strcmp(name, func->dims[k])) {
				storage[d] = k;
				draft->n_storage = func->n_dims;
			}
	}
	draft->storage = storage;
}

/* Reads the alignment of a Func's region. Ignores it if the aligned region may make a read go out of
 * bounds, as far as the nest can tell. */
static void read_align(const struct reader *reader, int f, struct bw_placement *draft)
{
	const struct bw_func *func = &reader->pipeline->funcs[f];
	const json_t *bounds = json_object_get(reader->funcs[f].schedule, "bounds");
	for (size_t i = 0; i < json_array_size(bounds); i++) {
		const json_t *bound = json_array_get(bounds, i), *remainder = json_object_get(bound, "remainder");
		const int64_t modulus = json_integer_value(json_object_get(bound, "modulus"));
		const bool plain = json_is_integer(remainder) ? !json_integer_value(remainder)
							      : !json_is_string(remainder);
		const int d = bw_stage_find_loop(&func->stages[0], bw_json_text(bound, "dim"));
		if (d >= 0 && modulus > 1 && modulus <= BW_MOST_ALIGN && !func->output && plain)
			draft->align[d] = (unsigned char)modulus;
	}
	if (!bw_nest_may_align(reader->nest, draft))
		memset(draft->align, 0, sizeof draft->align);
}

/* Appends a line for each bound that differs from what the text form can express or bounds inference
 * gives. */
static void read_bounds(const struct reader *reader, int f, const struct bw_hand_extent *extents,
			const struct bw_placement *draft)
{
	const struct bw_hand_unsaid unsaid = unsaid_of(reader, f);
	const json_t *bounds = json_object_get(reader->funcs[f].schedule, "bounds");
	for (size_t i = 0; i < json_array_size(bounds); i++) {
		const json_t *bound = json_array_get(bounds, i), *extent = json_object_get(bound, "extent"),
			     *modulus = json_object_get(bound, "modulus"), *min = json_object_get(bound, "min");
		const char *dim = bw_json_text(bound, "dim");
		const int l = bw_stage_find_loop(&reader->pipeline->funcs[f].stages[0], dim);
		if (json_is_integer(modulus) && (l < 0 || !draft->align[l]))
			bw_hand_say(&unsaid, "align_bounds(%s, %lld)", dim,
				    (long long)json_integer_value(modulus));
		if (json_is_null(extent) ||
		    (l >= 0 && extents[l].constant && extents[l].extent == json_integer_value(extent)))
			continue;
		bw_hand_say(&unsaid, "%s(%s, %lld)", json_is_null(min) ? "bound_extent" : "bound", dim,
			    (long long)json_integer_value(extent));
	}
}

/* Splits a whole serial loop by its number of iterations, so that it stays serial: a serial piece with an
 * extent is never unrolled. */
static void keep_serial(struct reader *reader, struct bw_hand_stage *stage, int piece, int64_t extent)
{
	struct bw_loop *loops = BW_ARENA_ARRAY(reader->arena, struct bw_loop, stage->n_loops + 1);
	memcpy(loops, stage->loops, (size_t)(piece + 1) * sizeof *loops);
	memcpy(loops + piece + 1, stage->loops + piece, (size_t)(stage->n_loops - piece) * sizeof *loops);
	loops[piece + 1].extent = extent;
	stage->loops = loops;
	stage->n_loops++;
	for (int l = 0; l < stage->n_leaves; l++)
		stage->leaves[l].piece += stage->leaves[l].piece >= piece;
}

static const struct bw_placement *make(const struct reader *reader, int f, struct bw_placement *draft,
				       bool tails)
{
	const struct bw_func *func = &reader->pipeline->funcs[f];
	struct bw_stage_plan *plans = BW_ARENA_ARRAY(reader->arena, struct bw_stage_plan, func->n_stages);
	for (int s = 0; s < func->n_stages; s++) {
		const struct bw_hand_stage *stage = &reader->funcs[f].stages[s];
		struct bw_loop *loops = BW_ARENA_ARRAY(reader->arena, struct bw_loop, stage->n_loops + 1);
		memcpy(loops, stage->loops, (size_t)stage->n_loops * sizeof *loops);
		for (int i = 0; i < stage->n_loops && !tails; i++)
			loops[i].tail = BW_TAIL_AUTO;
		plans[s] = (struct bw_stage_plan){stage->n_loops, loops, stage->atomic};
	}
	draft->stages = plans;
	return bw_placement_make(draft);
}

/* Returns true if both have the same tails. */
static bool same_tails(const struct bw_func *func, const struct bw_placed *a, const struct bw_placed *b)
{
	bool same = true;
	for (int s = 0; s < func->n_stages; s++)
		same &= a->stages[s].n_loops == 0 ||
			!memcmp(a->stages[s].tails, b->stages[s].tails,
				(size_t)a->stages[s].n_loops * sizeof *a->stages[s].tails);
	return same;
}

/* Returns the placed Func with the tails of the record. If the default tails are the same, the placement
 * states none. If the tails of the record are not possible, uses the default tails and appends a line.
 * Returns NULL with an error if neither is possible. */
static const struct bw_placed *place_tails(struct reader *reader, int f, struct bw_placement *draft,
					   struct bw_error *error)
{
	const struct bw_hand_unsaid unsaid = unsaid_of(reader, f);
	const struct bw_placement *given = make(reader, f, draft, true),
				  *free_ones = make(reader, f, draft, false);
	struct bw_error ignored;
	const struct bw_placed *placed = bw_nest_try(reader->nest, given, NULL, error),
			       *chosen =
				   bw_nest_try(reader->nest, free_ones, NULL, placed ? &ignored : error);
	bw_placement_drop(given);
	bw_placement_drop(free_ones);
	if (!placed && chosen)
		bw_hand_say(&unsaid, "%s", hand_reason(&unsaid, error));
	if (placed && (!chosen || !same_tails(&reader->pipeline->funcs[f], placed, chosen))) {
		if (chosen)
			bw_placed_release(chosen);
		return placed;
	}
	if (placed)
		bw_placed_release(placed);
	return chosen;
}

/* Places a Func. If that is not possible with atomic updates, places it without them and appends a line.
 * Returns NULL, and appends a line, if it cannot be placed. */
static const struct bw_placed *place_atomic(struct reader *reader, int f, struct bw_placement *draft)
{
	struct bw_hand_unsaid unsaid = unsaid_of(reader, f);
	struct bw_hand_stage *stages = reader->funcs[f].stages;
	struct bw_error error, ignored;
	const struct bw_placed *placed = place_tails(reader, f, draft, &error);
	bool *atomic = BW_ARENA_ARRAY(reader->arena, bool, draft->n_stages), any = false;
	for (int s = 0; s < draft->n_stages && !placed; s++) {
		any |= atomic[s] = stages[s].atomic;
		stages[s].atomic = false;
	}
	if (any)
		placed = place_tails(reader, f, draft, &ignored);
	if (!placed)
		bw_hand_say(&unsaid, "not placed: %s", hand_reason(&unsaid, &error));
	for (int s = 0; s < draft->n_stages && placed; s++) {
		unsaid.stage = &reader->pipeline->funcs[f].stages[s];
		if (atomic[s])
			bw_hand_say(&unsaid, "atomic(): %s", hand_reason(&unsaid, &error));
	}
	return placed;
}

/* Returns a stage of a Func in which a loop that is serial in the record would be unrolled. Sets *piece to
 * the loop's piece. Returns -1 if there is none. */
static int find_unrolled(const struct reader *reader, int f, const struct bw_placed *placed, int *piece)
{
	for (int s = 0; s < reader->pipeline->funcs[f].n_stages; s++) {
		const struct bw_hand_stage *stage = &reader->funcs[f].stages[s];
		for (*piece = 0; *piece < stage->n_loops; ++*piece)
			if (stage->loops[*piece].kind == BW_LOOP_SERIAL &&
			    placed->stages[s].extents[*piece] > 1 &&
			    bw_stage_unrolls(&placed->placement->stages[s], &placed->stages[s], *piece))
				return s;
	}
	return -1;
}

/* Nests the loops of an update inside those of the wrapper in whose threads the record computes the Func:
 * first the wrapper's block and thread loops, then the update's loops over RVars, then the wrapper's
 * serial loops. */
static void nest_update(const struct reader *reader, int f, int s)
{
	const struct bw_stage *stage = &reader->pipeline->funcs[f].stages[s],
			      *pure = &reader->pipeline->funcs[f].stages[0];
	struct bw_hand_stage *own = &reader->funcs[f].stages[s], *around = &reader->funcs[f].stages[0],
			     merged = *own;
	merged.loops = BW_ARENA_ARRAY(reader->arena, struct bw_loop, own->n_loops + around->n_loops + 1);
	merged.n_loops = 0;
	for (int part = 0; part < 3; part++) {
		const struct bw_hand_stage *from = part == 1 ? own : around;
		for (int i = 0; i < from->n_loops; i++) {
			struct bw_loop loop = from->loops[i];
			if (part == 1 ? stage->loops[loop.loop].pure
				      : (bw_loop_role(loop.kind) != BW_ROLE_SERIAL) != (part == 0))
				continue;
			if (part != 1)
				loop.loop = bw_stage_find_loop(stage, pure->loops[loop.loop].name);
			loop.tail = BW_TAIL_AUTO;
			if (loop.loop >= 0)
				merged.loops[merged.n_loops++] = loop;
		}
	}
	merged.n_leaves = 0;
	*own = merged;
}

/* Finds the extents of the loops. Drops the alignment if the Func cannot be aligned at its sites. Returns
 * NULL, and appends a line, if it cannot be computed at these sites. */
static struct bw_hand_extent **find_extents(const struct reader *reader, int f, struct bw_placement *draft)
{
	const struct bw_hand_unsaid unsaid = unsaid_of(reader, f);
	struct bw_error error;
	struct bw_hand_extent **extents = bw_hand_extents(reader->nest, draft, reader->arena, &error);
	if (!extents && bw_placement_aligns(draft)) {
		memset(draft->align, 0, sizeof draft->align);
		extents = bw_hand_extents(reader->nest, draft, reader->arena, &error);
	}
	if (!extents)
		bw_hand_say(&unsaid, "not placed: %s", hand_reason(&unsaid, &error));
	return extents;
}

/* Reads the loops of all stages, and places the Func. Returns false, and appends a line, if it cannot be
 * placed. */
static bool place_loops(struct reader *reader, int f, struct bw_placement *draft,
			struct bw_hand_extent *const *extents)
{
	const struct bw_func *func = &reader->pipeline->funcs[f];
	const struct hand_func *hand = &reader->funcs[f];
	struct bw_hand_unsaid unsaid = unsaid_of(reader, f);
	for (int s = 0; s < func->n_stages; s++) {
		const json_t *stages = json_object_get(s ? hand->own : hand->schedule, "stages"),
			     *record = json_array_get(stages, (size_t)s),
			     *loops = json_object_get(record, "loops");
		const bool nested = hand->schedule != hand->own && s;
		bool device = draft->compute.kind != BW_SITE_ROOT || func->stages[s].undefined || nested;
		for (size_t i = 0; i < json_array_size(loops); i++)
			device |= !strcmp(bw_json_text(json_array_get(loops, i), "kind"),
					  bw_loop_kind_name(BW_LOOP_BLOCK));
		unsaid.stage = &func->stages[s];
		if (!device)
			bw_hand_say(&unsaid, "runs on the CPU");
		bw_hand_loops(record, extents[s], &unsaid, reader->arena, &reader->funcs[f].stages[s]);
		if (nested)
			nest_update(reader, f, s);
	}
	const struct bw_placed *placed = place_atomic(reader, f, draft);
	for (int piece, s; placed && (s = find_unrolled(reader, f, placed, &piece)) >= 0;) {
		keep_serial(reader, &reader->funcs[f].stages[s], piece, placed->stages[s].extents[piece]);
		bw_placed_release(placed);
		placed = place_atomic(reader, f, draft);
	}
	if (!placed)
		return false;
	bw_nest_set(reader->nest, f, placed);
	bw_placed_release(placed);
	return true;
}

static bool consumers_placed(const struct reader *reader, int f)
{
	const struct bw_func *func = &reader->pipeline->funcs[f];
	for (int c = 0; c < func->n_consumers; c++)
		if (!reader->nest->placed[func->consumers[c]->func])
			return false;
	return true;
}

static void place(struct reader *reader, int f)
{
	const struct bw_func *func = &reader->pipeline->funcs[f];
	struct hand_func *hand = &reader->funcs[f];
	const struct bw_hand_unsaid unsaid = unsaid_of(reader, f);
	struct bw_error error;
	choose_record(reader, f);
	if (!consumers_placed(reader, f)) {
		bw_hand_say(&unsaid, "not placed, as a Func that reads it was not");
		return;
	}
	if (is_level(hand->schedule, "compute", "inline") && func->n_stages == 1 && !func->output) {
		BW_SCOPED_PLACEMENT *placement = bw_plan_inline(reader->pipeline, f);
		const struct bw_placed *placed = bw_nest_try(reader->nest, placement, NULL, &error);
		if (placed) {
			bw_nest_set(reader->nest, f, placed);
			bw_placed_release(placed);
		} else {
			bw_hand_say(&unsaid, "not placed: %s", hand_reason(&unsaid, &error));
		}
		return;
	}
	struct bw_placement draft = {.func = f, .derived_for = -1, .tiled = true, .n_stages = func->n_stages};
	struct bw_hand_extent **extents;
	hand->stages = BW_ARENA_ARRAY(reader->arena, struct bw_hand_stage, func->n_stages);
	read_memory(reader, f, &draft);
	read_align(reader, f, &draft);
	if (!read_sites(reader, f, &draft) || !(extents = find_extents(reader, f, &draft)))
		return;
	read_bounds(reader, f, extents[0], &draft);
	const json_t *extras = json_object_get(hand->schedule, "extras");
	for (size_t i = 0; i < json_array_size(extras); i++)
		bw_hand_say(&unsaid, "%s", json_string_value(json_array_get(extras, i)));
	place_loops(reader, f, &draft, extents);
}

/* Appends a line for each Func of the record that is not a Func of the algorithm, because the schedule
 * made it. */
static void say_made(const struct reader *reader)
{
	for (size_t i = 0; i < json_array_size(reader->records); i++) {
		const json_t *record = json_array_get(reader->records, i);
		const char *name = bw_json_text(record, "name");
		bool known = bw_pipeline_find(reader->pipeline, name) >= 0;
		for (int k = 0; k < reader->pipeline->n_externs; k++)
			known |= !strcmp(reader->pipeline->externs[k].name, name);
		for (int k = 0; k < reader->pipeline->n_folded; k++)
			known |= !strcmp(reader->pipeline->folded[k].name, name) &&
				 is_level(record, "compute", "inline");
		for (size_t r = 0; r < json_array_size(reader->records) && !known; r++) {
			const json_t *wrappers = json_object_get(json_array_get(reader->records, r), "wrappers");
			for (size_t w = 0; w < json_array_size(wrappers); w++)
				known |= !strcmp(bw_json_text(json_array_get(wrappers, w), "name"), name);
		}
		if (!known)
			bw_text_printf(reader->unsaid,
				       "%s: a Func that rfactor() made, or a constant that is stored\n",
				       name);
	}
}

/* Finds the record of each Func. Returns false with an error if the record is that of another pipeline. */
static bool find_records(struct reader *reader, const char *name, struct bw_error *error)
{
	for (int f = 0; f < reader->pipeline->n_funcs; f++)
		if (!reader->pipeline->funcs[f].input &&
		    !(reader->funcs[f].own = record_of(reader, reader->pipeline->funcs[f].name)))
			return bw_fail(error, BW_ERROR_INPUT,
				       "%s: a schedule of another pipeline than %s: it has no Func %s", name,
				       reader->pipeline->name, reader->pipeline->funcs[f].name);
	return true;
}

struct bw_schedule *bw_hand_read(const struct bw_pipeline *pipeline, const char *name, const char *text,
				 size_t length, struct bw_text *unsaid, struct bw_error *error)
{
	struct bw_json *json = bw_json_parse(name, text, length, error);
	if (!json)
		return NULL;
	struct bw_json_at root = bw_json_root(json), records;
	struct reader reader = {.pipeline = pipeline,
				.arena = bw_arena_new(),
				.unsaid = unsaid,
				.nest = bw_nest_new(pipeline),
				.funcs = BW_NEW_ARRAY(struct hand_func, pipeline->n_funcs)};
	struct bw_schedule *schedule = NULL;
	if (bw_json_get(&root, "funcs", &records, error)) {
		reader.records = records.value;
		if (find_records(&reader, name, error)) {
			int n_order, *order = bw_nest_order(pipeline, &n_order);
			for (int i = 0; i < n_order; i++)
				place(&reader, order[i]);
			free(order);
			say_made(&reader);
			reader.nest->unstaged = true;
			schedule = bw_nest_schedule(reader.nest);
		}
	}
	bw_nest_drop(reader.nest);
	free(reader.funcs);
	bw_arena_free(reader.arena);
	bw_json_free(json);
	return schedule;
}
