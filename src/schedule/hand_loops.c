/* Reads the loops of a stage from the record of a schedule written by hand: converts Halide's splits,
 * fuses and loop order into pieces of a plan. */
#include <inttypes.h>
#include <string.h>

#include "base/arith.h"
#include "nest/proof.h"
#include "schedule/hand_private.h"

void bw_hand_say(const struct bw_hand_unsaid *unsaid, const char *format, ...)
{
	char words[512];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(words, sizeof words, format, arguments);
	va_end(arguments);
	bw_text_puts(unsaid->text, unsaid->func);
	if (unsaid->stage && unsaid->stage->index)
		bw_text_printf(unsaid->text, ".update%d", unsaid->stage->index - 1);
	bw_text_printf(unsaid->text, ": %s\n", words);
}

/* A piece of a loop, in the order in which the loop was split. */
struct piece {
	int loop;
	int64_t extent;       /* iterations; 0: the rest, which the extents of the inner pieces determine */
	struct piece *inside; /* the next inner piece of the same loop */
	const char *name;     /* name of the piece's variable */
	bool placed;
};

/* A variable of Halide. It stands for one piece, or for several fused pieces, outermost first. */
struct variable {
	const char *name; /* NULL: the variable was fused, and no longer exists */
	int n;
	struct piece **pieces;
};

/* The tails of the splits of a loop's outermost piece. The first of these splits is the innermost one. */
struct tail {
	const char *first, *name; /* tails of the first and the last split; NULL: there is none */
	bool mixed;
};

struct reading {
	const struct bw_stage *stage;
	const struct bw_hand_extent *extents;
	const struct bw_hand_unsaid *unsaid;
	struct bw_arena *arena;
	struct bw_hand_stage *out;
	const struct piece **order; /* by loop of *out */
	int n_variables;
	struct variable *variables;
	struct piece *outermost[BW_MAX_LOOPS];
	struct tail tails[BW_MAX_LOOPS];
	/* bits by loop: the loop's pieces are nested in another order than the splits give */
	uint32_t straightened;
};

static struct variable *find(struct reading *reading, const char *name)
{
	for (int i = 0; i < reading->n_variables; i++)
		if (reading->variables[i].name && !strcmp(reading->variables[i].name, name))
			return &reading->variables[i];
	return NULL;
}

static struct variable *add(struct reading *reading, const char *name, int n)
{
	struct variable *variable = &reading->variables[reading->n_variables++];
	*variable = (struct variable){name, n, BW_ARENA_ARRAY(reading->arena, struct piece *, n + 1)};
	return variable;
}

/* Returns the name of a variable as a C++ schedule has it: without the names of the variables that it was
 * split from. */
static const char *short_name(const char *name)
{
	const char *dot = strrchr(name, '.');
	return dot ? dot + 1 : name;
}

/* Records the tail of a split of a loop's outermost piece. */
static void note_tail(struct reading *reading, int loop, const char *name)
{
	struct tail *tail = &reading->tails[loop];
	tail->first = tail->first ? tail->first : name;
	tail->mixed |= strcmp(tail->first, name) != 0;
	tail->name = name;
}

static void split(struct reading *reading, const json_t *record)
{
	struct variable *old = find(reading, bw_json_text(record, "old"));
	const json_t *factor = json_object_get(record, "factor");
	const char *outer = bw_json_text(record, "outer"), *inner = bw_json_text(record, "inner");
	if (!old)
		return;
	if (old->n != 1 || !json_is_integer(factor) || json_integer_value(factor) < 1 ||
	    json_integer_value(factor) > INT32_MAX) {
		bw_hand_say(reading->unsaid, "split(%s) %s", short_name(old->name),
			    old->n != 1 ? "of fused loops" : "by a factor that is no number");
		old->name = outer;
		return;
	}
	struct piece *piece = old->pieces[0], *within = BW_ARENA_NEW(reading->arena, struct piece);
	const int64_t by = json_integer_value(factor);
	if (piece->extent && piece->extent % by)
		bw_hand_say(reading->unsaid,
			    "split(%s, %" PRId64 ") of %" PRId64 " iterations, which it does not divide",
			    short_name(old->name), by, piece->extent);
	if (!piece->extent)
		note_tail(reading, piece->loop, bw_json_text(record, "tail"));
	*within = (struct piece){piece->loop, by, piece->inside, inner, false};
	piece->name = outer;
	piece->extent = bw_div_up(piece->extent, by);
	piece->inside = within;
	old->name = outer;
	add(reading, inner, 1)->pieces[0] = within;
}

static void fuse(struct reading *reading, const json_t *record)
{
	struct variable *outer = find(reading, bw_json_text(record, "outer")),
			*inner = find(reading, bw_json_text(record, "inner"));
	if (!outer || !inner)
		return;
	struct variable *fused = add(reading, bw_json_text(record, "old"), outer->n + inner->n);
	memcpy(fused->pieces, outer->pieces, (size_t)outer->n * sizeof *fused->pieces);
	memcpy(fused->pieces + outer->n, inner->pieces, (size_t)inner->n * sizeof *fused->pieces);
	outer->name = inner->name = NULL;
}

static void apply(struct reading *reading, const json_t *record)
{
	const char *op = bw_json_text(record, "op");
	struct variable *old;
	if (!strcmp(op, "split"))
		split(reading, record);
	else if (!strcmp(op, "fuse"))
		fuse(reading, record);
	else if ((old = find(reading, bw_json_text(record, "old"))))
		old->name = bw_json_text(record, "outer");
}

/* Returns the kind of the loop over a variable. Returns serial, and appends a line, if the text form has
 * no such kind, or if the loop would run in parallel, carries a reduction, and its stage is not atomic. */
static enum bw_loop_kind kind_of(struct reading *reading, const json_t *loop, const struct variable *variable)
{
	const char *word = bw_json_text(loop, "kind");
	bool ordered = false;
	for (int p = 0; p < variable->n; p++)
		ordered |= !reading->stage->loops[variable->pieces[p]->loop].parallel && !reading->out->atomic;
	for (int k = 0; k < BW_N_LOOP_KINDS; k++) {
		const enum bw_loop_kind kind = (enum bw_loop_kind)k;
		if (!strcmp(word, bw_loop_kind_name(kind)) && (bw_loop_role(kind) == BW_ROLE_SERIAL || !ordered))
			return kind;
	}
	bw_hand_say(reading->unsaid, "a %s loop over %s%s", word, short_name(variable->name),
		    ordered ? ", which carries a reduction" : "");
	return BW_LOOP_SERIAL;
}

/* Appends a piece to the plan. Returns true if `piece` is the next piece of its loop; false if the loop's
 * pieces are nested in another order than the splits give. */
static bool put(struct reading *reading, struct piece *piece, enum bw_loop_kind kind)
{
	struct bw_hand_stage *out = reading->out;
	bool next = true;
	for (struct piece *p = reading->outermost[piece->loop]; p != piece; p = p->inside)
		next &= p->placed;
	piece->placed = true;
	reading->order[out->n_loops] = piece;
	out->loops[out->n_loops++] = (struct bw_loop){
	    .loop = piece->loop, .extent = piece->extent, .kind = kind, .tail = BW_TAIL_AUTO};
	return next;
}

/* Appends a line that says how the pieces of a loop are nested and how they were split. */
static void say_order(const struct reading *reading, int loop)
{
	BW_SCOPED_TEXT nested = {0}, split = {0};
	for (int i = 0; i < reading->out->n_loops; i++)
		if (reading->order[i]->loop == loop)
			bw_text_printf(&nested, "%s%s", nested.length ? ", " : "",
				       short_name(reading->order[i]->name));
	for (const struct piece *piece = reading->outermost[loop]; piece; piece = piece->inside)
		bw_text_printf(&split, "%s%s", split.length ? ", " : "", short_name(piece->name));
	bw_hand_say(reading->unsaid, "loops of %s nested as %s and split as %s",
		    reading->stage->loops[loop].name, bw_text_get(&nested), bw_text_get(&split));
}

/* For a loop whose pieces are nested in another order than the splits give: sets the extents of the
 * nearest possible plan. Each piece keeps its kind, position and iterations. */
static void straighten(struct reading *reading, int loop)
{
	struct bw_hand_stage *out = reading->out;
	int64_t inside = 1;
	int rest = -1, first = -1;
	for (int i = 0; i < out->n_loops; i++) {
		if (out->loops[i].loop != loop)
			continue;
		first = first < 0 ? i : first;
		if (out->loops[i].extent)
			inside *= out->loops[i].extent;
		else
			rest = i;
	}
	say_order(reading, loop);
	reading->straightened |= (uint32_t)1 << loop;
	if (rest == first)
		return;
	out->loops[rest].extent = bw_max(1, bw_div_up(reading->extents[loop].extent, inside));
	out->loops[first].extent = 0;
}

static void put_all(struct reading *reading, const json_t *loops)
{
	bool nested[BW_MAX_LOOPS];
	for (int l = 0; l < BW_MAX_LOOPS; l++)
		nested[l] = true;
	for (size_t i = json_array_size(loops); i-- > 0;) {
		const json_t *loop = json_array_get(loops, i);
		const struct variable *variable = find(reading, bw_json_text(loop, "name"));
		if (!variable || variable->pieces[0]->placed)
			continue;
		enum bw_loop_kind kind = kind_of(reading, loop, variable);
		if (variable->n > 1 && kind != BW_LOOP_BLOCK)
			bw_hand_say(reading->unsaid, "fuse() of %s loops: %s", bw_loop_kind_name(kind),
				    short_name(variable->name));
		for (int p = 0; p < variable->n; p++)
			nested[variable->pieces[p]->loop] &= put(reading, variable->pieces[p], kind);
		reading->out->leaves[reading->out->n_leaves++] =
		    (struct bw_hand_leaf){variable->name, reading->out->n_loops - 1};
	}
	for (int l = 0; l < reading->stage->n_loops; l++) {
		for (struct piece *piece = reading->outermost[l]; piece; piece = piece->inside)
			if (!piece->placed)
				put(reading, piece, BW_LOOP_SERIAL);
		if (!nested[l])
			straighten(reading, l);
	}
}

/* Returns true if the tail of a loop has no effect. `product` is the product of the extents that the pieces
 * have; the one piece with the rest has none.
 * The tail has no effect if the product divides the extent, and either the extent is constant or the loop
 * is one of an update that is rounded up, which then computes no further points. */
static bool is_idle(const struct reading *reading, int loop, int64_t product)
{
	const struct tail *tail = &reading->tails[loop];
	const struct bw_hand_extent *extent = &reading->extents[loop];
	const bool rounded = !tail->mixed && !strcmp(tail->name, bw_tail_name(BW_TAIL_ROUND_UP));
	return extent->extent % product == 0 && (extent->constant || (rounded && reading->stage->index > 0));
}

/* Sets the tail of a loop on its first piece with an extent. If the loop's pieces are nested in another
 * order than the splits give, a guard is left out where each split would have it: in the record, only one
 * split has it. */
static void set_tail(struct reading *reading, int loop)
{
	const struct tail *tail = &reading->tails[loop];
	const char *name = reading->stage->loops[loop].name;
	const struct bw_stage_plan plan = {.loops = reading->out->loops, .n_loops = reading->out->n_loops};
	struct bw_loop *first = NULL;
	int64_t product = 1;
	for (int i = reading->out->n_loops - 1; i >= 0; i--)
		if (reading->out->loops[i].loop == loop && reading->out->loops[i].extent) {
			first = &reading->out->loops[i];
			product *= first->extent;
		}
	if (!tail->name || !first || is_idle(reading, loop, product) ||
	    (reading->straightened >> loop & 1 && !strcmp(tail->name, bw_tail_name(BW_TAIL_GUARD_WITH_IF)) &&
	     bw_stage_splits_outwards(&plan, loop)))
		return;
	if (tail->mixed)
		bw_hand_say(reading->unsaid, "two tails of %s, %s inside of %s", name, tail->first, tail->name);
	for (int t = 0; t < BW_N_TAILS; t++)
		if (!strcmp(tail->name, bw_tail_name((enum bw_tail)t))) {
			first->tail = (enum bw_tail)t;
			return;
		}
	bw_hand_say(reading->unsaid, "the tail %s of %s", tail->name, name);
}

void bw_hand_loops(const json_t *record, const struct bw_hand_extent *extents,
		   const struct bw_hand_unsaid *unsaid, struct bw_arena *arena, struct bw_hand_stage *out)
{
	const struct bw_stage *stage = unsaid->stage;
	const json_t *splits = json_object_get(record, "splits"), *loops = json_object_get(record, "loops"),
		     *extras = json_object_get(record, "extras");
	const size_t n_splits = json_array_size(splits), most = 2 * n_splits + (size_t)stage->n_loops + 1;
	struct reading reading = {.stage = stage,
				  .extents = extents,
				  .unsaid = unsaid,
				  .arena = arena,
				  .out = out,
				  .order = BW_ARENA_ARRAY(arena, const struct piece *, 2 * most),
				  .variables = BW_ARENA_ARRAY(arena, struct variable, most)};
	*out = (struct bw_hand_stage){.loops = BW_ARENA_ARRAY(arena, struct bw_loop, 2 * most),
				      .leaves = BW_ARENA_ARRAY(arena, struct bw_hand_leaf, most),
				      .atomic = stage->atomic && json_is_true(json_object_get(record, "atomic"))};
	for (int l = 0; l < stage->n_loops; l++) {
		reading.outermost[l] = BW_ARENA_NEW(arena, struct piece);
		*reading.outermost[l] = (struct piece){.loop = l, .name = stage->loops[l].name};
		add(&reading, stage->loops[l].name, 1)->pieces[0] = reading.outermost[l];
	}
	for (size_t i = 0; i < n_splits; i++)
		apply(&reading, json_array_get(splits, i));
	put_all(&reading, loops);
	for (int l = 0; l < stage->n_loops; l++)
		set_tail(&reading, l);
	for (size_t i = 0; i < json_array_size(extras); i++)
		bw_hand_say(unsaid, "%s", json_string_value(json_array_get(extras, i)));
}

/* The extents of a Func's loops at its site. Also: which extents are constants. */

/* Returns the extent of a loop if its Func is computed at root in full; -1 if it has no bound. */
static int64_t extent_at_root(const struct bw_nest *nest, const struct bw_placement *placement,
			      const struct bw_stage *stage, int loop)
{
	const struct bw_func *func = &nest->pipeline->funcs[stage->func];
	struct bw_interval box[BW_MAX_DIMS], computed[BW_MAX_DIMS], loops[BW_MAX_LOOPS];
	if (!bw_nest_required(nest, stage->func, BW_LEVEL_ROOT, box) ||
	    !bw_placement_box(func, placement, box, computed) || !bw_stage_loops_of(stage, computed, loops))
		return -1;
	return loops[loop].max - loops[loop].min + 1;
}

/* Returns a placement for the draft in which all loops are whole and serial. Free with bw_placement_drop. */
static const struct bw_placement *whole(const struct bw_func *func, struct bw_placement draft,
					struct bw_arena *arena)
{
	struct bw_stage_plan *plans = BW_ARENA_ARRAY(arena, struct bw_stage_plan, func->n_stages);
	for (int s = 0; s < func->n_stages; s++) {
		int n = func->stages[s].n_loops;
		struct bw_loop *loops = BW_ARENA_ARRAY(arena, struct bw_loop, n + 1);
		for (int l = 0; l < n; l++)
			loops[l] = (struct bw_loop){.loop = n - 1 - l, .kind = BW_LOOP_SERIAL};
		plans[s] = (struct bw_stage_plan){n, loops, false};
	}
	draft.stages = plans;
	return bw_placement_make(&draft);
}

struct bw_hand_extent **bw_hand_extents(const struct bw_nest *nest, const struct bw_placement *draft,
					struct bw_arena *arena, struct bw_error *error)
{
	const struct bw_func *func = &nest->pipeline->funcs[draft->func];
	BW_SCOPED_PLACEMENT *placement = whole(func, *draft, arena);
	const struct bw_placed *placed = bw_nest_try(nest, placement, NULL, error);
	struct bw_hand_extent **extents = BW_ARENA_ARRAY(arena, struct bw_hand_extent *, func->n_stages);
	for (int s = 0; s < func->n_stages && placed; s++) {
		const struct bw_stage *stage = &func->stages[s];
		const uint32_t constant = bw_stage_constant(stage, func->constant);
		extents[s] = BW_ARENA_ARRAY(arena, struct bw_hand_extent, stage->n_loops + 1);
		for (int l = 0; l < stage->n_loops; l++) {
			const int64_t extent = placed->stages[s].extents[stage->n_loops - 1 - l];
			const enum bw_proof proof = draft->compute.kind == BW_SITE_AT
							? bw_prove_loop(&stage->loops[l], placed)
							: BW_PROOF_NONE;
			const bool fixed =
			    (constant >> l & 1) && extent == extent_at_root(nest, draft, stage, l);
			extents[s][l] = (struct bw_hand_extent){extent, fixed || proof == BW_PROOF_CONSTANT};
		}
	}
	if (placed)
		bw_placed_release(placed);
	return placed ? extents : NULL;
}
