/* Schedule trees: checks that they are well-formed, and applies the transformers. */
#include <stdlib.h>
#include <string.h>

#include "schedulers/cs6120.h"

static const struct cs6120_place root = {-1, 0, 0};

BW_WORDS(cs6120_transformer_name, enum cs6120_transformer, CS6120_TABLE(BW_SECOND))

struct cs6120 *cs6120_new(const struct bw_pipeline *pipeline, const struct bw_settings *options)
{
	struct cs6120 *of = BW_NEW(struct cs6120);
	int n = pipeline->n_funcs;
	*of = (struct cs6120){.pipeline = pipeline,
			      .device = bw_settings_device(options),
			      .calls_limit = options->inlined_calls_limit,
			      .arena = bw_arena_new()};
	bw_groups_begin(&of->of, pipeline, &of->device, of->arena);
	of->computed = BW_ARENA_ARRAY(of->arena, struct bw_interval, n * BW_MAX_DIMS);
	of->stored = BW_ARENA_ARRAY(of->arena, struct bw_interval, n * BW_MAX_DIMS);
	of->visits = BW_ARENA_ARRAY(of->arena, double, n);
	of->values = BW_ARENA_ARRAY(of->arena, double, n *BW_CS6120_TERMS);
	of->calls = BW_ARENA_ARRAY(of->arena, double, n);
	of->blocks = BW_ARENA_ARRAY(of->arena, double, n);
	of->operations = BW_ARENA_ARRAY(of->arena, double, pipeline->n_stages *BW_CS6120_TERMS);
	for (int f = 0; f < n; f++)
		for (int s = 0; s < pipeline->funcs[f].n_stages; s++)
			bw_cs6120_operations(
			    &pipeline->funcs[f].stages[s],
			    &of->operations[(pipeline->funcs[f].first_stage + s) * BW_CS6120_TERMS]);
	return of;
}

void cs6120_free(struct cs6120 *of)
{
	if (!of)
		return;
	bw_hashes_end(&of->tried);
	free(of->refusals);
	bw_arena_free(of->arena);
	free(of);
}

static uint64_t hash_of(int func, const struct cs6120_func *of)
{
	uint64_t hash = bw_hash_mix((uint64_t)func, of->inlined);
	hash = bw_hash_bytes(hash, &of->compute, sizeof of->compute);
	hash = bw_hash_bytes(hash, &of->store, sizeof of->store);
	return bw_hash_bytes(hash, of->order, sizeof of->order);
}

static void find_hash(const struct cs6120 *of, struct cs6120_tree *tree)
{
	tree->hash = 0;
	for (int f = 0; f < of->pipeline->n_funcs; f++)
		tree->hash += hash_of(f, &tree->funcs[f]);
}

/* Sets row-major order: the first dimension is the innermost loop. */
static void set_row_major(const struct bw_func *func, struct cs6120_func *of)
{
	for (int d = 0; d < func->n_dims; d++)
		of->order[d] = (uint8_t)(func->n_dims - 1 - d);
}

double cs6120_calls(const struct cs6120 *of, const struct cs6120_tree *tree, int func)
{
	const struct bw_func *f = &of->pipeline->funcs[func];
	double calls = 0;
	for (int c = 0; c < f->n_consumers; c++) {
		int caller = f->consumers[c]->func;
		const struct bw_read *read = bw_stage_read_of(f->consumers[c], func);
		calls += (read ? read->calls : 0) * (tree->funcs[caller].inlined ? of->calls[caller] : 1);
	}
	return calls;
}

struct cs6120_tree cs6120_default(struct cs6120 *of, struct bw_arena *arena)
{
	int n = of->pipeline->n_funcs;
	struct cs6120_tree tree = {.funcs = BW_ARENA_ARRAY(arena, struct cs6120_func, n)};
	for (int f = n - 1; f >= 0; f--) {
		const struct bw_func *func = &of->pipeline->funcs[f];
		tree.funcs[f].compute = tree.funcs[f].store = root;
		set_row_major(func, &tree.funcs[f]);
		of->calls[f] = cs6120_calls(of, &tree, f);
		tree.funcs[f].inlined = !func->input && !func->output && func->n_stages == 1 &&
					(of->calls[f] <= of->calls_limit || !of->of.bounded[f]);
	}
	find_hash(of, &tree);
	return tree;
}

struct cs6120_tree cs6120_copy(const struct cs6120 *of, const struct cs6120_tree *tree,
			       struct bw_arena *arena)
{
	struct cs6120_tree copy = {BW_ARENA_ARRAY(arena, struct cs6120_func, of->pipeline->n_funcs),
				   tree->hash};
	memcpy(copy.funcs, tree->funcs, (size_t)of->pipeline->n_funcs * sizeof *copy.funcs);
	return copy;
}

static int cs6120_loops(const struct cs6120 *of, int func, int stage)
{
	const struct bw_stage *s = &of->pipeline->funcs[func].stages[stage];
	int n = 0;
	for (int l = 0; l < s->n_loops; l++)
		n += s->loops[l].pure;
	return n == of->pipeline->funcs[func].n_dims ? n : 0;
}

bool cs6120_same(struct cs6120_place a, struct cs6120_place b)
{
	return a.func == b.func && (a.func < 0 || (a.stage == b.stage && a.level == b.level));
}

static struct cs6120_place cs6120_outside(const struct cs6120_tree *tree, struct cs6120_place place)
{
	if (place.func < 0 || --place.level > 0)
		return place;
	return tree->funcs[place.func].compute;
}

bool cs6120_within(const struct cs6120_tree *tree, struct cs6120_place inner, struct cs6120_place outer)
{
	while (inner.func >= 0 && !cs6120_same(inner, outer))
		inner = cs6120_outside(tree, inner);
	return cs6120_same(inner, outer);
}

/* Returns the innermost place of a stage that is not inlined. */
static struct cs6120_place body_of(const struct cs6120 *of, const struct cs6120_tree *tree, int func,
				   int stage)
{
	int n = cs6120_loops(of, func, stage);
	return n ? (struct cs6120_place){(int16_t)func, (int16_t)stage, (int16_t)n}
		 : tree->funcs[func].compute;
}

/* Returns true if all calls of a Func are inside of a place. */
static bool holds_calls(const struct cs6120 *of, const struct cs6120_tree *tree, int func,
			struct cs6120_place place)
{
	const struct bw_func *f = &of->pipeline->funcs[func];
	for (int c = 0; c < f->n_consumers; c++) {
		int caller = f->consumers[c]->func;
		bool held =
		    tree->funcs[caller].inlined
			? holds_calls(of, tree, caller, place)
			: cs6120_within(tree, body_of(of, tree, caller, f->consumers[c]->index), place);
		if (!held)
			return false;
	}
	return true;
}

/* Sets *place to the innermost place around all calls of a Func. */
static struct cs6120_place cs6120_around_calls(const struct cs6120 *of, const struct cs6120_tree *tree,
					       int func)
{
	const struct bw_stage *caller;
	int f = func;
	do {
		if (!of->pipeline->funcs[f].n_consumers)
			return root;
		caller = of->pipeline->funcs[f].consumers[0];
		f = caller->func;
	} while (tree->funcs[f].inlined);
	struct cs6120_place place = body_of(of, tree, caller->func, caller->index);
	while (place.func >= 0 && !holds_calls(of, tree, func, place))
		place = cs6120_outside(tree, place);
	return place;
}

/* Returns true if some Func is computed or stored in the loops of a Func; level 0: at any of them. */
static bool is_host(const struct cs6120 *of, const struct cs6120_tree *tree, int func, int level)
{
	for (int f = 0; f < func; f++) {
		const struct cs6120_place *places[] = {&tree->funcs[f].compute, &tree->funcs[f].store};
		for (int i = 0; i < 2 && !of->pipeline->funcs[f].input; i++)
			if (places[i]->func == func && (!level || places[i]->level == level))
				return true;
	}
	return false;
}

/* Returns true if every Func is computed around all its calls and stored around its computation. */
static bool is_well_formed(const struct cs6120 *of, const struct cs6120_tree *tree)
{
	for (int f = 0; f < of->pipeline->n_funcs; f++) {
		const struct cs6120_func *func = &tree->funcs[f];
		if (func->compute.func >= 0 && !(cs6120_within(tree, func->compute, func->store) &&
						 holds_calls(of, tree, f, func->compute)))
			return false;
	}
	return true;
}

int cs6120_moves(const struct cs6120 *of, const struct cs6120_tree *tree, struct cs6120_move *moves, int most)
{
	int n = 0;
	for (int f = of->pipeline->n_funcs - 1; f >= 0; f--) {
		const struct bw_func *func = &of->pipeline->funcs[f];
		const struct cs6120_func *at = &tree->funcs[f];
		for (int t = 0; t < CS6120_TRANSFORMERS; t++) {
			bool can = t == CS6120_DEINLINE        ? at->inlined && of->of.bounded[f]
				   : at->inlined               ? false
				   : t == CS6120_REORDER       ? true
				   : t == CS6120_HOIST_COMPUTE ? at->compute.func >= 0
				   : t == CS6120_HOIST_STORAGE
				       ? at->store.func >= 0
				       : !func->output && (t != CS6120_INLINE || func->n_stages == 1);
			int last = t == CS6120_REORDER ? func->n_dims - 1 : 1;
			for (int l = 0; l < last && can && !func->input && n < most; l++)
				moves[n++] = (struct cs6120_move){(enum cs6120_transformer)t, f, l};
		}
	}
	return n;
}

/* Exchanges two loops, unless something is computed or stored between them. */
static bool reorder(const struct cs6120 *of, struct cs6120_tree *tree, int func, int loop)
{
	uint8_t *order = tree->funcs[func].order, outer = order[loop];
	if (is_host(of, tree, func, loop + 1))
		return false;
	order[loop] = order[loop + 1];
	order[loop + 1] = outer;
	return true;
}

/* Computes a Func one loop further inside, towards its calls. */
static bool lower_compute(const struct cs6120 *of, struct cs6120_tree *tree, int func)
{
	struct cs6120_func *at = &tree->funcs[func];
	struct cs6120_place place = cs6120_around_calls(of, tree, func);
	if (cs6120_same(place, at->compute))
		return false;
	while (!cs6120_same(cs6120_outside(tree, place), at->compute))
		place = cs6120_outside(tree, place);
	at->compute = place;
	return true;
}

static bool change(const struct cs6120 *of, struct cs6120_tree *tree, const struct cs6120_move *move)
{
	struct cs6120_func *at = &tree->funcs[move->func];
	struct cs6120_place before = at->compute;
	switch (move->transformer) {
	case CS6120_REORDER:
		return reorder(of, tree, move->func, move->loop);
	case CS6120_HOIST_COMPUTE:
		at->compute = cs6120_outside(tree, before);
		if (cs6120_same(at->store, before))
			at->store = at->compute;
		return true;
	case CS6120_LOWER_COMPUTE:
		return lower_compute(of, tree, move->func);
	case CS6120_HOIST_STORAGE:
		at->store = cs6120_outside(tree, at->store);
		return true;
	case CS6120_INLINE:
		if (is_host(of, tree, move->func, 0))
			return false;
		*at = (struct cs6120_func){.inlined = true, .compute = root, .store = root};
		set_row_major(&of->pipeline->funcs[move->func], at);
		return true;
	default:
		at->inlined = false;
		at->compute = at->store = cs6120_around_calls(of, tree, move->func);
		return true;
	}
}

bool cs6120_apply(const struct cs6120 *of, struct cs6120_tree *tree, const struct cs6120_move *move)
{
	tree->hash -= hash_of(move->func, &tree->funcs[move->func]);
	bool good = change(of, tree, move);
	tree->hash += hash_of(move->func, &tree->funcs[move->func]);
	return good && is_well_formed(of, tree);
}

/* Trees and moves in words, and as directives for the CPU. */

/* Appends `root` or `output.y`. */
static void print_place(const struct cs6120 *of, const struct cs6120_tree *tree, struct cs6120_place place,
			struct bw_text *out)
{
	if (place.func < 0) {
		bw_text_puts(out, "root");
		return;
	}
	const struct bw_func *host = &of->pipeline->funcs[place.func];
	bw_text_printf(out, "%s.", host->name);
	if (place.stage)
		bw_text_printf(out, "update%d.", place.stage - 1);
	bw_text_puts(out, host->dims[tree->funcs[place.func].order[place.level - 1]]);
}

void cs6120_print_move(const struct cs6120 *of, const struct cs6120_tree *before,
		       const struct cs6120_move *move, struct bw_text *out)
{
	const struct bw_func *func = &of->pipeline->funcs[move->func];
	const uint8_t *order = before->funcs[move->func].order;
	bw_text_printf(out, "%s %s", cs6120_transformer_name(move->transformer), func->name);
	if (move->transformer == CS6120_REORDER)
		bw_text_printf(out, " %s %s", func->dims[order[move->loop + 1]],
			       func->dims[order[move->loop]]);
}

void cs6120_print_effect(const struct cs6120 *of, const struct cs6120_tree *after,
			 const struct cs6120_move *move, struct bw_text *out)
{
	const struct cs6120_func *at = &after->funcs[move->func];
	const struct bw_func *func = &of->pipeline->funcs[move->func];
	switch (move->transformer) {
	case CS6120_REORDER:
		bw_text_printf(out, "%s outside of %s", func->dims[at->order[move->loop]],
			       func->dims[at->order[move->loop + 1]]);
		break;
	case CS6120_HOIST_STORAGE:
		bw_text_puts(out, "to ");
		print_place(of, after, at->store, out);
		break;
	case CS6120_INLINE:
		break;
	default:
		bw_text_puts(out, move->transformer == CS6120_DEINLINE ? "at " : "to ");
		print_place(of, after, at->compute, out);
	}
}

void cs6120_describe(const struct cs6120 *of, const struct cs6120_tree *tree, struct bw_text *out)
{
	BW_SCOPED_TEXT inlined = {0};
	int n = 0;
	for (int f = of->pipeline->n_funcs - 1; f >= 0; f--) {
		const struct bw_func *func = &of->pipeline->funcs[f];
		const struct cs6120_func *at = &tree->funcs[f];
		if (func->input)
			continue;
		if (at->inlined) {
			bw_text_printf(&inlined, " %s", func->name);
			continue;
		}
		bw_text_printf(out, "%s%s", n++ ? "; " : "", func->name);
		for (int l = 0; l < func->n_dims; l++)
			bw_text_printf(out, " %s", func->dims[at->order[l]]);
		if (at->compute.func >= 0) {
			bw_text_puts(out, " at ");
			print_place(of, tree, at->compute, out);
		}
		if (!cs6120_same(at->compute, at->store)) {
			bw_text_puts(out, " stored at ");
			print_place(of, tree, at->store, out);
		}
	}
	if (inlined.length)
		bw_text_printf(out, "; inlined:%s", bw_text_get(&inlined));
}

/* Appends `blur_x.compute_at(output, y); `. */
static void print_level(const struct cs6120 *of, const struct cs6120_tree *tree, const char *verb, int f,
			struct cs6120_place place, struct bw_text *out)
{
	const char *name = of->pipeline->funcs[f].name;
	if (place.func < 0) {
		bw_text_printf(out, "%s.%s_root(); ", name, verb);
		return;
	}
	const struct bw_func *host = &of->pipeline->funcs[place.func];
	const char *var = host->dims[tree->funcs[place.func].order[place.level - 1]];
	if (place.stage)
		bw_text_printf(out, "%s.%s_at(LoopLevel(%s, %s, %d)); ", name, verb, host->name, var,
			       place.stage);
	else
		bw_text_printf(out, "%s.%s_at(%s, %s); ", name, verb, host->name, var);
}

/* Appends `blur_x.reorder(x, y)`, likewise for each update, and a semicolon. */
static void print_order(const struct bw_func *func, const struct cs6120_func *at, struct bw_text *out)
{
	for (int s = 0; s < func->n_stages; s++) {
		int n = 0;
		for (int l = func->n_dims - 1; l >= 0; l--)
			for (int i = 0; i < func->stages[s].n_loops; i++)
				if (func->stages[s].loops[i].pure &&
				    func->stages[s].loops[i].dim == at->order[l]) {
					if (!n++ && s)
						bw_text_printf(out, " %s.update(%d)", func->name, s - 1);
					else if (n == 1)
						bw_text_puts(out, func->name);
					bw_text_printf(out, "%s%s", n == 1 ? ".reorder(" : ", ",
						       func->dims[at->order[l]]);
				}
		bw_text_puts(out, n ? ");" : "");
	}
}

void cs6120_print_halide(const struct cs6120 *of, const struct cs6120_tree *tree, struct bw_text *out)
{
	for (int f = of->pipeline->n_funcs - 1; f >= 0; f--) {
		const struct bw_func *func = &of->pipeline->funcs[f];
		const struct cs6120_func *at = &tree->funcs[f];
		if (func->input || at->inlined)
			continue;
		if (!func->output && !cs6120_same(at->compute, at->store))
			print_level(of, tree, "store", f, at->store, out);
		if (!func->output)
			print_level(of, tree, "compute", f, at->compute, out);
		print_order(func, at, out);
		bw_text_puts(out, "\n");
	}
}
