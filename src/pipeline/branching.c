/* Strahler numbers of expressions, and reading their trees from a description. */
#include <stdlib.h>
#include <string.h>

#include "pipeline/pipeline_private.h"

static bool read_tree(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_func *func,
		      int depth, struct bw_branching *tree);

static bool read_parts(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_func *func,
		       int depth, size_t first, struct bw_branching *tree)
{
	size_t length = json_array_size(at->value);
	struct bw_branching *parts = BW_ARENA_ARRAY(reading->arena, struct bw_branching, length);
	for (size_t i = first; i < length; i++) {
		struct bw_json_at element = bw_json_element(at, i);
		if (!read_tree(reading, &element, func, depth, &parts[i - first]))
			return false;
	}
	tree->parts = parts;
	tree->n_parts = (int)(length - first);
	return true;
}

static bool read_call(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_func *func,
		      int depth, struct bw_branching *tree)
{
	static const char *const keys[] = {"call", "else", NULL};
	struct bw_json_at call, other;
	const char *name;
	if (!bw_json_only(at, keys, reading->error) || !bw_json_get(at, "call", &call, reading->error) ||
	    !bw_json_string(&call, &name, reading->error))
		return false;
	tree->kind = BW_BRANCHING_CALL;
	tree->number = bw_names_find(&reading->func_names, name);
	if (tree->number < 0 || &reading->funcs[tree->number] == func)
		return bw_json_fail(&call, reading->error, "no Func or input \"%s\" stands before %s", name, func->name);
	struct bw_branching *arguments = BW_ARENA_NEW(reading->arena, struct bw_branching);
	tree->parts = arguments;
	tree->n_parts = 1;
	return bw_json_get(at, "else", &other, reading->error) && read_tree(reading, &other, func, depth, arguments);
}

/* Reads a number, ["both", a, b], ["each", ...], ["most", ...], or {"call": name, "else": tree}. */
static bool read_tree(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_func *func,
		      int depth, struct bw_branching *tree)
{
	static const char *const words[] = {
	    [BW_BRANCHING_BOTH] = "both", [BW_BRANCHING_EACH] = "each", [BW_BRANCHING_MOST] = "most"};
	int64_t number;
	const char *word;
	if (++depth > BW_MAX_DEPTH)
		return bw_json_fail(at, reading->error, "nested deeper than %d", BW_MAX_DEPTH);
	if (json_is_object(at->value))
		return read_call(reading, at, func, depth, tree);
	if (!json_is_array(at->value)) {
		if (!bw_json_int(at, 0, BW_MAX_COUNT, &number, reading->error))
			return false;
		tree->number = (int)number;
		return true;
	}
	if (!json_array_size(at->value))
		return bw_json_fail(at, reading->error, "expected \"both\", \"each\" or \"most\" first");
	struct bw_json_at first = bw_json_element(at, 0);
	if (!bw_json_string(&first, &word, reading->error))
		return false;
	for (int k = BW_BRANCHING_BOTH; k <= BW_BRANCHING_MOST; k++)
		if (!strcmp(words[k], word))
			tree->kind = (enum bw_branching_kind)k;
	if (!tree->kind)
		return bw_json_fail(&first, reading->error, "expected \"both\", \"each\" or \"most\", found \"%s\"", word);
	if (tree->kind == BW_BRANCHING_BOTH && json_array_size(at->value) != 3)
		return bw_json_fail(at, reading->error, "expected 2 operands, found %zu", json_array_size(at->value) - 1);
	return read_parts(reading, at, func, depth, 1, tree);
}

bool bw_read_branching(struct bw_reading *reading, const struct bw_json_at *at, const struct bw_func *func,
		       const struct bw_branching **branching)
{
	struct bw_json_at member;
	if (!bw_json_has(at, "branching", &member))
		return true;
	struct bw_branching *tree = BW_ARENA_NEW(reading->arena, struct bw_branching);
	*branching = tree;
	return read_tree(reading, &member, func, 0, tree);
}

static int more(int a, int b)
{
	return a > b ? a : b;
}

/* The numbers of inlined Funcs; -1: not computed yet. */
struct known {
	const struct bw_pipeline *pipeline;
	const bool *inlined;
	int *numbers;
};

static int number_of(const struct known *known, const struct bw_branching *tree);

static int number_of_func(const struct known *known, int func)
{
	const struct bw_branching *tree = known->pipeline->funcs[func].branching;
	if (known->numbers[func] < 0)
		known->numbers[func] = tree ? number_of(known, tree) : 0;
	return known->numbers[func];
}

static int number_of(const struct known *known, const struct bw_branching *tree)
{
	int total = 0;
	if (tree->kind == BW_BRANCHING_NUMBER)
		return tree->number;
	if (tree->kind == BW_BRANCHING_CALL)
		return known->inlined[tree->number] ? number_of_func(known, tree->number) : number_of(known, tree->parts);
	for (int i = 0; i < tree->n_parts; i++) {
		int part = number_of(known, &tree->parts[i]);
		if (tree->kind == BW_BRANCHING_MOST || !i)
			total = more(total, part);
		else if (part || tree->kind == BW_BRANCHING_BOTH)
			total = part == total ? total + 1 : more(total, part);
	}
	return total;
}

/* The feature expr_branching (Anderson et al. 2021, appendix A). */
int bw_func_branching(const struct bw_pipeline *pipeline, int func, const bool *inlined)
{
	struct known known = {pipeline, inlined, BW_NEW_ARRAY(int, pipeline->n_funcs)};
	for (int f = 0; f < pipeline->n_funcs; f++)
		known.numbers[f] = -1;
	int number = number_of_func(&known, func);
	free(known.numbers);
	return number;
}
