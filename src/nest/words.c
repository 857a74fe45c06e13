/* Prints names, sites and placements in the words of the text form. */
#include "nest/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nest/plan.h"

static const char *const words[] = {BW_WORD_TABLE(BW_SECOND)};

static const char *const keywords[] = {
	BW_WORD_TABLE(BW_SECOND) BW_LOOP_TABLE(BW_SECOND) BW_MEMORY_TABLE(BW_SECOND) BW_TAIL_TABLE(BW_SECOND)
};

const char *bw_word_text(enum bw_word word)
{
	return words[word];
}

const char *bw_role_name(enum bw_role role)
{
	static const char *const names[] = {
	    [BW_ROLE_BLOCK] = "block", [BW_ROLE_THREAD] = "thread", [BW_ROLE_SERIAL] = "serial", [BW_ROLE_WARP] = "warp"};
	return names[role];
}

static bool is_keyword(const char *name)
{
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
		if (strcmp(name, keywords[i]) == 0)
			return true;
	return false;
}

bool bw_word_ends_at(char byte)
{
	return (unsigned char)byte <= ' ' || byte == 0x7f || strchr(",;:#\"", byte);
}

bool bw_word_update(const char *name, size_t length, size_t *dot, int *update)
{
	static const char mark[] = ".update";
	size_t digits = 0;
	while (digits < length && name[length - 1 - digits] >= '0' && name[length - 1 - digits] <= '9')
		digits++;
	size_t used = digits + sizeof mark - 1;
	if (digits == 0 || digits > 6 || used >= length || memcmp(name + length - used, mark, sizeof mark - 1) != 0)
		return false;
	if (digits > 1 && name[length - digits] == '0')
		return false;
	*dot = length - used;
	*update = atoi(name + length - digits);
	return true;
}

static bool is_plain(const char *name)
{
	for (const char *at = name; *at; at++)
		if (bw_word_ends_at(*at))
			return false;
	return *name;
}

static void print_quoted(const char *name, struct bw_text *out)
{
	bw_text_puts(out, "\"");
	for (; *name; name++)
		if (*name == '"' || *name == '\\')
			bw_text_printf(out, "\\%c", *name);
		else if ((unsigned char)*name < ' ' || *name == 0x7f)
			bw_text_printf(out, "\\x%02x", (unsigned char)*name);
		else
			bw_text_append(out, name, 1);
	bw_text_puts(out, "\"");
}

void bw_name_print(const char *name, struct bw_text *out)
{
	if (is_plain(name) && !is_keyword(name))
		bw_text_puts(out, name);
	else
		print_quoted(name, out);
}

static void print_level(const struct bw_pipeline *pipeline, const struct bw_site *site, struct bw_text *out)
{
	const char *name = pipeline->funcs[site->func].name;
	size_t dot;
	int update;
	if (bw_word_update(name, strlen(name), &dot, &update))
		print_quoted(name, out);
	else
		bw_name_print(name, out);
	if (site->stage)
		bw_text_printf(out, ".%s%d", words[BW_WORD_UPDATE], site->stage - 1);
	bw_text_printf(out, ".%s", bw_role_name(site->role));
	if (site->role == BW_ROLE_SERIAL)
		bw_text_printf(out, "%d", site->serial);
}

void bw_site_print(const struct bw_pipeline *pipeline, const struct bw_site *site, struct bw_text *out)
{
	if (site->kind != BW_SITE_AT) {
		bw_text_puts(out, words[site->kind == BW_SITE_INLINE ? BW_WORD_INLINE : BW_WORD_ROOT]);
		return;
	}
	bw_text_printf(out, "%s ", words[BW_WORD_AT]);
	print_level(pipeline, site, out);
}

void bw_placement_print_head(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
			     struct bw_text *out)
{
	bw_name_print(pipeline->funcs[placement->func].name, out);
	if (placement->derivation != BW_DERIVED_NOT) {
		bw_text_printf(
		    out, " %s ",
		    words[placement->derivation == BW_DERIVED_WRAPPER ? BW_WORD_IN : BW_WORD_CLONE]);
		bw_name_print(pipeline->funcs[placement->derived_for].name, out);
	}
	bw_text_puts(out, " ");
	bw_site_print(pipeline, &placement->compute, out);
}

void bw_placement_print_storage(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
				struct bw_text *out)
{
	if (!bw_site_equal(&placement->store, &placement->compute)) {
		bw_text_printf(out, " %s ", words[BW_WORD_STORE]);
		if (placement->store.kind == BW_SITE_AT)
			print_level(pipeline, &placement->store, out);
		else
			bw_site_print(pipeline, &placement->store, out);
	}
	if (placement->memory != BW_MEMORY_AUTO)
		bw_text_printf(out, " %s %s", words[BW_WORD_IN], bw_memory_name(placement->memory));
	if (placement->n_storage)
		bw_text_printf(out, " %s", words[BW_WORD_ORDER]);
	for (int i = 0; i < placement->n_storage; i++) {
		bw_text_puts(out, " ");
		bw_name_print(pipeline->funcs[placement->func].dims[placement->storage[i]], out);
	}
	if (bw_placement_aligns(placement))
		bw_text_printf(out, " %s", words[BW_WORD_ALIGN]);
	for (int d = 0; d < BW_MAX_DIMS; d++)
		if (placement->align[d]) {
			bw_text_puts(out, " ");
			bw_name_print(pipeline->funcs[placement->func].dims[d], out);
			bw_text_printf(out, " %d", placement->align[d]);
		}
}

/* Returns the plan that the short form stands for at the placement's site, with these sizes. */
static const struct bw_placement *short_plan(const struct bw_pipeline *pipeline,
					     const struct bw_placement *placement, const int64_t *serial,
					     const int64_t *threads)
{
	if (placement->compute.kind == BW_SITE_INLINE)
		return bw_plan_inline(pipeline, placement->func);
	if (placement->compute.kind == BW_SITE_ROOT)
		return bw_plan_root(pipeline, placement->func, serial, threads);
	if (placement->compute.role == BW_ROLE_BLOCK)
		return bw_plan_at_block(pipeline, placement->func, &placement->compute, serial);
	return bw_plan_in_thread(pipeline, placement->func, &placement->compute);
}

/* Returns true if the short form says everything about the loops: the placement differs from its
 * plan in storage at most. */
static bool is_short(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
		     const int64_t *serial, const int64_t *threads)
{
	BW_SCOPED_PLACEMENT *plan = short_plan(pipeline, placement, serial, threads);
	struct bw_placement stored = *plan;
	stored.store = placement->store;
	stored.memory = placement->memory;
	memcpy(stored.align, placement->align, sizeof stored.align);
	stored.n_storage = placement->n_storage;
	stored.storage = placement->storage;
	BW_SCOPED_PLACEMENT *same = bw_placement_make(&stored);
	return bw_placement_equal(placement, same);
}

static void print_sizes(int n, const int64_t *sizes, char before, struct bw_text *out)
{
	for (int i = 0; i < n; i++)
		bw_text_printf(out, "%c%" PRId64, i ? 'x' : before, sizes[i]);
}

static bool has_loops(const struct bw_placement *placement)
{
	for (int i = 0; i < placement->n_stages; i++)
		if (placement->stages[i].n_loops)
			return true;
	return false;
}

/* Returns how many sizes of a Func are written: one per dimension, and one per further axis up to the last
 * that differs from the default. */
static int sizes_written(const struct bw_func *func, bool root, const int64_t *serial, const int64_t *threads)
{
	int n = func->n_axes;
	while (n > func->n_dims && n > 1 && serial[n - 1] == root && threads[n - 1] == 1)
		n--;
	return n;
}

void bw_placement_words(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
			struct bw_text *out)
{
	const struct bw_func *func = &pipeline->funcs[placement->func];
	int64_t serial[BW_MAX_AXES], threads[BW_MAX_AXES];
	bool derived = placement->derivation != BW_DERIVED_NOT, whole = placement->tiled && !derived,
	     root = placement->compute.kind == BW_SITE_ROOT;
	if (whole)
		bw_plan_sizes(pipeline, placement, serial, threads);
	int n = whole ? sizes_written(func, root, serial, threads) : 0;
	bw_placement_print_head(pipeline, placement, out);
	if (whole && root) {
		print_sizes(n, serial, ' ', out);
		print_sizes(n, threads, '/', out);
	} else if (whole && placement->compute.kind == BW_SITE_AT && placement->compute.role == BW_ROLE_BLOCK)
		print_sizes(n, serial, ' ', out);
	bw_placement_print_storage(pipeline, placement, out);
	if (!placement->tiled && (derived || !func->n_axes))
		bw_text_printf(out, " %s", words[BW_WORD_UNTILED]);
	if (derived ? has_loops(placement) : whole && !is_short(pipeline, placement, serial, threads))
		bw_text_puts(out, " ...");
}
