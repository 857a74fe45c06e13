/* The scheduler of the CS 6120 report as a walk. First the search runs. Then there is one decision for
 * each move on the way to the search's best tree. Its candidates are all trees that a transformer makes
 * from the current tree. If the search kept nothing better below the taken candidate, a new search begins
 * there, with the number of moves that are left. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schedulers/cs6120.h"

enum { DEPTH = 10, MOST_DEPTH = 100, WIDTH = 300, MOST_WIDTH = 10000, MOST_CANDIDATES = 4096 };

/* Two costs, then the weighted features. */
static const struct bw_walk_column columns[] = {
    {"leads to", "", "least cost of the trees that the search made of it and the GPU can hold"},
    {"cost", "", "of the tree: the sum of the weighted features that follow"},
#define X(name, words, key, weight, text) {words, "", text ", x " #weight},
    BW_CS6120_TABLE(X)
#undef X
};

/* A candidate and its move. */
struct offered {
	struct bw_walk_candidate candidate;
	struct cs6120_move move;
	int node; /* node of the search; -1: the search did not keep this tree */
};

struct walking {
	struct cs6120 *of;
	struct bw_settings options;
	struct cs6120_request request;
	struct bw_arena *arena;
	struct cs6120_tree tree; /* the current tree */
	int step;
	struct cs6120_search *search; /* a search that began with `tree` or an earlier tree; NULL: not made yet */
	int node;                     /* node of `tree` in `search` */
	bool *held;                   /* by Func */
	struct cs6120_search **known; /* all searches made so far */
	int n_known, capacity;
	struct offered *offered; /* of the current decision */
	struct bw_schedule *schedule;
	const char
	    *unheld;  /* why `schedule` is still that of an earlier tree; NULL: it is the current tree's */
	double first; /* cost of the default schedule */
	bool over;
};

static void end(void *state)
{
	BW_SCOPED_MEMORY struct walking *walking = state;
	for (int i = 0; i < walking->n_known; i++)
		cs6120_search_drop(walking->known[i]);
	free(walking->known);
	bw_schedule_drop(walking->schedule);
	cs6120_free(walking->of);
	bw_arena_free(walking->arena);
}

/* Reads depth, width and the number of trees; omitted ones have their defaults. */
static bool read_argument(const char *argument, struct cs6120_request *request, struct bw_error *error)
{
	long numbers[] = {DEPTH, WIDTH, 0};
	static const long most[] = {MOST_DEPTH, MOST_WIDTH, 1000000000};
	const char *at = argument;
	bool good = true;
	for (int i = 0; i < 3 && *at && good; i++) {
		char *after;
		numbers[i] = strtol(at, &after, 10);
		good = after != at && numbers[i] >= 1 && numbers[i] <= most[i] && (!*after || *after == ' ');
		at = after + strspn(after, " ");
	}
	*request =
	    (struct cs6120_request){.depth = (int)numbers[0], .width = (int)numbers[1], .most = numbers[2]};
	if (good && !*at)
		return true;
	return bw_fail(
	    error, BW_ERROR_USAGE,
	    "cs6120 takes the depth of its beam search, 1 to %d (default %d), the width, 1 to %d (default %d), and the "
	    "number of trees after which it stops, not \"%s\"",
	    MOST_DEPTH, DEPTH, MOST_WIDTH, WIDTH, argument);
}

/* Takes over the searches of an earlier walk with the same pipeline and options. */
static void take_known(struct walking *walking, const struct walking *before)
{
	if (!before || before->of->pipeline->content != walking->of->pipeline->content ||
	    !bw_settings_equal(&before->options, &walking->options))
		return;
	for (int i = 0; i < before->n_known; i++)
		if (!before->known[i]->growing && !before->known[i]->changed) {
			BW_PUSH(walking->known, walking->n_known, walking->capacity, before->known[i]);
			before->known[i]->references++;
		}
}

static void *begin(const struct bw_pipeline *pipeline, const struct bw_settings *options,
		   const char *argument, const void *older, struct bw_error *error)
{
	struct cs6120_request request;
	struct cs6120_cost cost;
	if (!read_argument(argument, &request, error))
		return NULL;
	if (!(options->search_space & BW_SITES_ROOT)) {
		bw_fail(error, BW_ERROR_USAGE,
			"cs6120 computes outputs and reductions at root, which search_space must have");
		return NULL;
	}
	struct walking *walking = BW_NEW(struct walking);
	*walking = (struct walking){.of = cs6120_new(pipeline, options),
				    .options = *options,
				    .request = request,
				    .arena = bw_arena_new()};
	take_known(walking, older);
	walking->tree = cs6120_default(walking->of, walking->arena);
	walking->held = BW_ARENA_ARRAY(walking->arena, bool, pipeline->n_funcs);
	walking->offered = BW_ARENA_ARRAY(walking->arena, struct offered, MOST_CANDIDATES);
	if (!cs6120_price(walking->of, &walking->tree, &cost))
		bw_fail(error, BW_ERROR_INPUT,
			"the default schedule of cs6120: some Func that cannot be inlined has no bound");
	else
		walking->schedule = cs6120_schedule(walking->of, &walking->tree, error);
	walking->first = cost.total;
	if (walking->schedule)
		return walking;
	end(walking);
	return NULL;
}

static void hold(void *state, const bool *held)
{
	struct walking *walking = state;
	size_t bytes = (size_t)walking->of->pipeline->n_funcs * sizeof *held;
	if (!memcmp(walking->held, held, bytes))
		return;
	memcpy(walking->held, held, bytes);
	walking->search = NULL;
}

/* Finds a search from the current tree among those made so far, or begins one. */
static void find_search(struct walking *walking)
{
	struct cs6120_request request = walking->request;
	request.depth -= walking->step;
	request.held = walking->held;
	walking->node = 0;
	for (int i = 0; i < walking->n_known; i++) {
		struct cs6120_search *search = walking->known[i];
		if (search->nodes[0].tree.hash == walking->tree.hash &&
		    search->request.depth == request.depth && search->request.width == request.width &&
		    search->request.most == request.most &&
		    !memcmp(search->request.held, walking->held,
			    (size_t)walking->of->pipeline->n_funcs * sizeof *walking->held)) {
			walking->search = search;
			return;
		}
	}
	BW_GROW(walking->known, walking->n_known, walking->capacity);
	walking->search = walking->known[walking->n_known++] =
	    cs6120_search_new(walking->of, &walking->tree, &request);
}

static bool work(void *state, const struct bw_yield *yield, const atomic_bool *stop)
{
	struct walking *walking = state;
	if (walking->over || walking->step >= walking->request.depth)
		return true;
	if (!walking->search)
		find_search(walking);
	bool all = cs6120_search_work(walking->search, walking->of, yield, stop);
	if (all && stop && *stop && !walking->request.most)
		walking->request.most = walking->search->priced;
	return all;
}

static void argument(const void *state, struct bw_text *out)
{
	const struct walking *walking = state;
	if (walking->request.most)
		bw_text_printf(out, "%d %d %ld", walking->request.depth, walking->request.width,
			       walking->request.most);
}

static void progress(const void *state, struct bw_text *out)
{
	const struct walking *walking = state;
	const struct cs6120_search *search = walking->n_known ? walking->known[0] : NULL;
	if (!search)
		return;
	bw_text_printf(out, "%ld trees priced", search->priced);
	if (search->narrowest < search->request.width)
		bw_text_printf(out, ", as few as %d of %d wide, for time", search->narrowest,
			       search->request.width);
	if (search->growing)
		return;
	bw_text_printf(out, "; the default schedule costs %.4g, the best tree %.4g", walking->first,
		       search->found);
}

static void for_cpu(const void *state, struct bw_text *out)
{
	const struct walking *walking = state;
	cs6120_print_halide(walking->of, &walking->tree, out);
}

/* Returns the search's node for this tree, one step after the current one; -1: there is none. */
static int node_of(const struct walking *walking, uint64_t hash)
{
	const struct cs6120_search *search = walking->search;
	int depth = search->nodes[walking->node].depth + 1;
	for (int i = walking->node + 1; i < search->n && search->nodes[i].depth <= depth; i++)
		if (search->nodes[i].depth == depth && search->nodes[i].tree.hash == hash)
			return i;
	return -1;
}

/* Fills in a candidate, unless a move makes no tree. */
static bool offer(struct walking *walking, const struct cs6120_move *move, struct offered *offered)
{
	struct cs6120 *of = walking->of;
	struct cs6120_tree tree = cs6120_copy(of, &walking->tree, walking->arena);
	struct cs6120_cost cost;
	struct bw_text name = {0}, how = {0}, why = {0};
	if (!cs6120_apply(of, &tree, move) || !cs6120_price(of, &tree, &cost))
		return false;
	cs6120_print_move(of, &walking->tree, move, &name);
	cs6120_print_effect(of, &tree, move, &how);
	if (!cs6120_held(of, &tree, &cost, &why))
		bw_text_printf(&how, "%snot on the GPU: %s", how.length ? "; " : "", bw_text_get(&why));
	bw_text_free(&why);
	int *func = BW_ARENA_ARRAY(walking->arena, int, 1);
	func[0] = move->func;
	*offered = (struct offered){.candidate = {.name = bw_text_keep(&name, walking->arena),
						  .how = bw_text_keep(&how, walking->arena),
						  .funcs = func,
						  .n_funcs = 1},
				    .move = *move,
				    .node = node_of(walking, tree.hash)};
	double best = offered->node < 0 ? INFINITY : walking->search->nodes[offered->node].best;
	double *figures = offered->candidate.figures;
	figures[0] = isfinite(best) ? best : NAN;
	figures[1] = cost.total;
	memcpy(&figures[2], cost.terms, sizeof cost.terms);
	return true;
}

static int by_outcome(const void *a, const void *b)
{
	const struct offered *first = a, *second = b;
	for (int c = 0; c < 2; c++) {
		double one = first->candidate.figures[c], two = second->candidate.figures[c];
		one = isnan(one) ? INFINITY : one;
		two = isnan(two) ? INFINITY : two;
		if (one != two)
			return one < two ? -1 : 1;
	}
	if (first->node != second->node && first->node >= 0 && second->node >= 0)
		return first->node - second->node;
	return strcmp(first->candidate.name, second->candidate.name);
}

static bool next(void *state, struct bw_walk_step *step)
{
	struct walking *walking = state;
	struct cs6120_move moves[MOST_CANDIDATES];
	int n = 0;
	if (walking->over || walking->step >= walking->request.depth)
		return false;
	const struct cs6120_search *search = walking->search;
	int all = cs6120_moves(walking->of, &walking->tree, moves, MOST_CANDIDATES);
	for (int m = 0; m < all; m++)
		n += offer(walking, &moves[m], &walking->offered[n]);
	if (!n)
		return false;
	qsort(walking->offered, (size_t)n, sizeof *walking->offered, by_outcome);
	/* A step is worth taking only if its cost is below the current schedule's. */
	double now = walking->unheld ? INFINITY : search->nodes[walking->node].cost;
	step->phase = "transform";
	step->question = bw_arena_format(walking->arena, "step %d of at most %d", walking->step + 1,
					 walking->request.depth);
	step->n = n;
	step->candidates = BW_ARENA_ARRAY(walking->arena, struct bw_walk_candidate, n);
	for (int c = 0; c < n; c++) {
		walking->offered[c].candidate.wanted = walking->offered[c].candidate.figures[0] < now;
		step->candidates[c] = walking->offered[c].candidate;
	}
	return true;
}

/* Makes the schedule of the current tree. If the GPU refuses it, keeps the earlier schedule and records
 * why. */
static void set_schedule(struct walking *walking)
{
	struct cs6120_cost cost;
	struct bw_text why = {0};
	struct bw_error error = {0};
	cs6120_price(walking->of, &walking->tree, &cost);
	if (cs6120_held(walking->of, &walking->tree, &cost, &why)) {
		struct bw_schedule *schedule = cs6120_schedule(walking->of, &walking->tree, &error);
		if (schedule) {
			bw_schedule_drop(walking->schedule);
			walking->schedule = schedule;
			walking->unheld = NULL;
			return;
		}
		bw_text_puts(&why, error.text);
	}
	walking->unheld = bw_text_keep(&why, walking->arena);
}

static bool take(void *state, int candidate, struct bw_error *error)
{
	struct walking *walking = state;
	(void)error;
	if (candidate < 0) {
		walking->over = true;
		return true;
	}
	const struct offered *offered = &walking->offered[candidate];
	cs6120_apply(walking->of, &walking->tree, &offered->move);
	walking->step++;
	if (offered->candidate.wanted) {
		walking->node = offered->node;
		cs6120_search_aim(walking->search, walking->of, walking->node);
	} else {
		walking->search = NULL;
	}
	set_schedule(walking);
	return true;
}

static struct bw_schedule *schedule(void *state)
{
	const struct walking *walking = state;
	return bw_schedule_keep(walking->schedule);
}

static void describe(const void *state, struct bw_text *out)
{
	const struct walking *walking = state;
	cs6120_describe(walking->of, &walking->tree, out);
	if (walking->unheld)
		bw_text_printf(out, "; scheduled as before, since the GPU cannot hold %s", walking->unheld);
}

const struct bw_walk_scheduler bw_cs6120_walk = {
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .begin = begin,
    .argument = argument,
    .hold = hold,
    .work = work,
    .progress = progress,
    .next = next,
    .take = take,
    .schedule = schedule,
    .describe = describe,
    .for_cpu = for_cpu,
    .end = end,
};
