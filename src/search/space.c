/* The part of the search space that is searched. The option `search_space` names the kinds of site offered
 * to a Func. The option `disable_subtiling` excludes sites in Funcs that are themselves computed in
 * another Func's kernel. Also here: the effect of constraints on the options of a Func, the Funcs that may
 * be recomputed, and the sizes that are tried for a dimension. */
#include "search/space.h"

#include "base/arith.h"

static enum bw_sites word_of(const struct bw_question *question, const struct bw_site *site)
{
	if (site->kind != BW_SITE_AT)
		return site->kind == BW_SITE_ROOT ? BW_SITES_ROOT : BW_SITES_INLINE;
	bool blocks = site->role == BW_ROLE_BLOCK && !bw_nest_inside_threads(question->parent->nest, site);
	return blocks ? BW_SITES_BLOCK : BW_SITES_THREAD;
}

/* Returns true if the site is in a Func that is itself computed in another Func's kernel. */
static bool subtiled(const struct bw_question *question, const struct bw_site *site)
{
	if (site->kind != BW_SITE_AT)
		return false;
	const struct bw_placed *host = question->parent->nest->placed[site->func];
	return host && host->placement->compute.kind == BW_SITE_AT;
}

bool bw_searches(const struct bw_settings *options, enum bw_sites site)
{
	return options->search_space & site;
}

void bw_rule_space(const struct bw_question *question, const struct bw_proposal *proposal,
		   struct bw_option *option)
{
	if (question->phase != BW_PHASE_WHERE || question->constraint || !proposal->placement ||
	    question->pipeline->funcs[question->func].output)
		return;
	const struct bw_site *site = &proposal->placement->compute;
	enum bw_sites word = word_of(question, site);
	BW_SCOPED_TEXT left = {0};
	if (question->options->disable_subtiling && subtiled(question, site)) {
		bw_option_judge(option, BW_FATE_PRUNED, BW_RULE_SPACE, 0, 0,
				"in %s, which is in a kernel of another: disable_subtiling",
				question->pipeline->funcs[site->func].name);
	} else if (!bw_searches(question->options, word)) {
		bw_sites_print(question->options->search_space, &left);
		bw_option_judge(option, word == BW_SITES_ROOT ? BW_FATE_SECOND_CHOICE : BW_FATE_PRUNED,
				BW_RULE_SPACE, 0, 0, "search_space is %s", bw_text_get(&left));
	}
}

/* The question of a decision, and the constraints on its Func. */

bool bw_question_asked(const struct bw_question *question)
{
	return question->constraint || question->marks;
}

const struct bw_constraint *bw_question_mark(const struct bw_question *question,
					     const struct bw_placement *placement)
{
	return question->marks && placement ? bw_constraint_mark(question->marks, placement, question->pass) : NULL;
}

bool bw_question_frozen(const struct bw_question *question)
{
	return question->constraint && question->constraint->source == BW_CONSTRAINT_SEARCH;
}

bool bw_question_pinned(const struct bw_question *question)
{
	return question->constraint && question->constraint->sizes && !bw_question_frozen(question);
}

/* Funcs that may be recomputed without limit: the cost model decides. */

/* Returns true if computing a point costs no more than loading one: it has only a few simple operations. */
static bool cheap(const struct bw_func *func)
{
	enum { CHEAP_OPERATIONS = 8 };
	const struct bw_stage *stage = &func->stages[0];
	int work = 0;
	for (int o = BW_OPERATION_ADD; o <= BW_OPERATION_EXTERN_CALL; o++)
		for (int t = 0; t < BW_N_TYPES; t++)
			work +=
			    o == BW_OPERATION_EXTERN_CALL || o == BW_OPERATION_DIV || o == BW_OPERATION_MOD
				? 4 * stage->ops[o][t]
				: stage->ops[o][t];
	return work <= CHEAP_OPERATIONS;
}

/* Returns true if only one Func reads this Func, directly or through inlined Funcs. */
static bool read_by_one(const struct bw_nest *nest, int func, struct bw_arena *arena)
{
	int n = nest->pipeline->n_funcs, reader = -1;
	bool *through = BW_ARENA_ARRAY(arena, bool, n);
	through[func] = true;
	for (int f = func; f < n; f++)
		for (int c = 0; through[f] && c < nest->pipeline->funcs[f].n_consumers; c++) {
			int by = nest->pipeline->funcs[f].consumers[c]->func;
			bool inlined = nest->placed[by]->placement->compute.kind == BW_SITE_INLINE;
			through[by] |= inlined;
			if (!inlined && reader >= 0 && reader != by)
				return false;
			reader = inlined ? reader : by;
		}
	return true;
}

bool bw_recomputed_freely(const struct bw_nest *nest, int func, struct bw_arena *arena)
{
	const struct bw_func *f = &nest->pipeline->funcs[func];
	return cheap(f) || (bw_func_maps(f) && read_by_one(nest, func, arena));
}

enum { LEAST_CONSECUTIVE = 16, MOST_CONSECUTIVE = 64, MOST_OTHERS = 16, MOST_SERIAL = 16 };

/* Adds a size. Keeps the ascending order, without duplicates. */
static void add(struct bw_sizes *sizes, int64_t size)
{
	int at = sizes->n;
	while (at > 0 && sizes->list[at - 1] >= size)
		at--;
	if (at < sizes->n && sizes->list[at] == size)
		return;
	for (int i = sizes->n++; i > at; i--)
		sizes->list[i] = sizes->list[i - 1];
	sizes->list[at] = size;
}

/* Returns the least number of iterations per thread with which this number of threads covers the extent. */
static int64_t least_for(int64_t extent, int64_t threads)
{
	return bw_div_up(extent, threads);
}

void bw_sizes_serial(int64_t extent, int64_t warp, struct bw_sizes *sizes)
{
	bool small = extent == 3 || extent == 5 || extent == 7;
	sizes->n = 0;
	extent = bw_max(extent, 1);
	for (int64_t size = 1; size <= 8 && size <= extent; size++) {
		bool power = (size & (size - 1)) == 0 && (size == 1 || !small),
		     whole = size % 2 && extent % size == 0 && extent / size % warp == 0;
		if (power || whole || (small && size == extent))
			add(sizes, least_for(extent, bw_div_up(extent, size)));
	}
}

void bw_sizes_serial_at_block(int64_t extent, int64_t warp, bool innermost, struct bw_sizes *sizes)
{
	bw_sizes_serial(extent, warp, sizes);
	for (int64_t threads = innermost ? LEAST_CONSECUTIVE : 1;
	     threads <= (innermost ? MOST_CONSECUTIVE : MOST_OTHERS) && threads <= extent; threads *= 2) {
		int64_t size = least_for(extent, threads);
		if (size <= MOST_SERIAL && (innermost || 7 * threads * size <= 8 * extent))
			add(sizes, size);
	}
}

void bw_sizes_threads(int64_t extent, bool innermost, struct bw_sizes *sizes)
{
	int64_t first = innermost ? LEAST_CONSECUTIVE : 1, last = innermost ? MOST_CONSECUTIVE : MOST_OTHERS;
	sizes->n = 0;
	for (int64_t size = first; size <= last && size <= extent; size *= 2)
		add(sizes, size);
	if (extent < MOST_CONSECUTIVE)
		add(sizes, bw_max(extent, 1));
}

void bw_sizes_widen(int64_t extent, int dim, struct bw_sizes *sizes)
{
	int64_t most = dim == 0 ? 256 : dim == 1 ? 32 : dim == 2 ? 16 : 0;
	for (int64_t size = 1; size <= most && size <= extent; size *= 2)
		add(sizes, size);
}

void bw_sizes_whole(int64_t extent, struct bw_sizes *sizes)
{
	*sizes = (struct bw_sizes){.n = 1, .list = {1}};
	if (extent <= BW_WHOLE_SIZE)
		add(sizes, bw_max(extent, 1));
}

int bw_sizes_innermost(const int64_t *extents, const int64_t *serial, int n_dims)
{
	for (int d = 0; d < n_dims; d++)
		if (bw_div_up(extents[d], serial ? serial[d] : 1) >= LEAST_CONSECUTIVE)
			return d;
	return 0;
}
