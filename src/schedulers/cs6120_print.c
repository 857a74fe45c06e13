/* Trees and moves in words, and as directives for the CPU. */
#include "schedulers/cs6120.h"

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
	struct bw_text inlined = {0};
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
	bw_text_free(&inlined);
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
