/* `minimal`: finds the fewest Funcs that have to be held for the search to end in a given schedule, by delta
 * debugging. First it holds one Func after another, always the first one that the search places differently,
 * until none is. Then it frees as many held Funcs as possible, in ever smaller groups, so that each remaining
 * one is needed. It starts without the user's constraints. */
#include <limits.h>

#include "session/core.h"

struct minimal {
	struct bw_search *of;   /* search whose settings and pipeline the trials use; NULL: nothing was
				   requested */
	struct bw_nest *target; /* the schedule */
	char *label;
	int *held, n; /* the held Funcs. Once `suffices` is set they suffice: first all Funcs, then fewer */
	int n_tried;  /* number of Funcs held in the present trial */
	bool suffices, done;
	int trials;
	struct bw_error dead;  /* error of the last search that left no state alive */
	struct bw_error error; /* kind 0: no error */
};

static BW_PART_DATA(minimal_of, struct minimal, MINIMAL)

static void end(struct bw_session *session)
{
	struct minimal *minimal = minimal_of(session);
	bw_part_halt(session, BW_PART_MINIMAL);
	bw_session_leave(session, minimal->of);
	bw_nest_drop(minimal->target);
	free(minimal->label);
	free(minimal->held);
	*minimal = (struct minimal){0};
}

/* Returns a schedule of the held Funcs; NULL if it is not known that they suffice. */
static struct bw_schedule *schedule_of(const struct minimal *minimal)
{
	if (!minimal->suffices)
		return NULL;
	struct bw_schedule *schedule = bw_schedule_new(minimal->target->pipeline);
	schedule->unstaged = minimal->target->unstaged;
	for (int i = 0; i < minimal->n; i++)
		bw_schedule_set(schedule, minimal->target->placed[minimal->held[i]]->placement);
	return schedule;
}

/* Runs a search with some Funcs held. Returns true if it ends in the target schedule. Otherwise sets *other
 * to the first Func, in the order of decisions, that is not held and is placed differently; -1 if there is
 * none or the search was stopped. */
static bool try(struct minimal *minimal, const int *held, int n, const struct bw_yield *yield, int *other)
{
	const struct bw_pipeline *pipeline = minimal->target->pipeline;
	BW_SCOPED_MEMORY struct bw_constraint *list = BW_NEW_ARRAY(struct bw_constraint, n + 1);
	BW_SCOPED_MEMORY bool *known = BW_NEW_ARRAY(bool, pipeline->n_funcs);
	for (int i = 0; i < n; i++) {
		list[i] = (struct bw_constraint){.placement = minimal->target->placed[held[i]]->placement,
						 .sizes = minimal->target->placed[held[i]]->placement->tiled,
						 .source = BW_CONSTRAINT_FILE};
		known[held[i]] = true;
	}
	struct bw_settings settings = *bw_search_settings(minimal->of);
	settings.staging = settings.staging && !minimal->target->unstaged;
	const struct bw_constraints with = {.n = n, .list = list};
	struct bw_search *search = bw_search_fork(minimal->of, &settings, &with);
	minimal->n_tried = n;
	enum bw_search_status status = bw_search_advance(search, INT_MAX, yield, &minimal->dead);
	const struct bw_state *best =
	    status == BW_SEARCH_DONE ? bw_search_state(search, bw_search_reached(search), 0) : NULL;
	bool same = best && best->nest->hash == minimal->target->hash;
	int n_order, *order = bw_nest_order(pipeline, &n_order);
	*other = -1;
	for (int i = 0; i < n_order && status != BW_SEARCH_GOING && *other < 0; i++) {
		int f = order[i];
		bool differs = !best || !bw_placement_equal(best->nest->placed[f]->placement,
							      minimal->target->placed[f]->placement);
		*other = !known[f] && differs ? f : -1;
	}
	minimal->trials++;
	bw_search_free(search);
	free(order);
	return same;
}

/* Holds all Funcs, which must lead to the target schedule. Returns false if it does not, or if the search was
 * stopped. */
static bool hold_all(struct minimal *minimal, const struct bw_yield *yield)
{
	int other;
	free(minimal->held);
	minimal->held = bw_nest_order(minimal->target->pipeline, &minimal->n);
	minimal->suffices = try(minimal, minimal->held, minimal->n, yield, &other);
	if (!minimal->suffices && bw_yield(yield))
		bw_fail(&minimal->error, BW_ERROR_CONFLICT, "%s: with every Func held %s", minimal->label,
			minimal->dead.kind ? minimal->dead.text : "the search ends in another schedule");
	return minimal->suffices;
}

/* Holds more and more Funcs until they suffice. These are then the Funcs known to suffice. */
static void grow(struct minimal *minimal, const struct bw_yield *yield)
{
	int *held = BW_NEW_ARRAY(int, minimal->n + 1), n = 0, other;
	bool good;
	while (!(good = try(minimal, held, n, yield, &other)) && other >= 0 && n < minimal->n)
		held[n++] = other;
	if (good)
		memcpy(minimal->held, held, (size_t)(minimal->n = n) * sizeof *held);
	free(held);
}

/* Frees each group of `size` held Funcs that is not needed. Returns true if any group was freed. */
static bool shrink(struct minimal *minimal, int size, const struct bw_yield *yield)
{
	int *rest = BW_NEW_ARRAY(int, minimal->n + 1), other;
	bool less = false;
	for (int from = 0; from < minimal->n && bw_yield(yield);) {
		int n = 0;
		for (int i = 0; i < minimal->n; i++)
			if (i < from || i >= from + size)
				rest[n++] = minimal->held[i];
		bool good = try(minimal, rest, n, yield, &other);
		if (good)
			memcpy(minimal->held, rest, (size_t)(minimal->n = n) * sizeof *rest);
		else
			from += size;
		less |= good;
	}
	free(rest);
	return less;
}

static void run(const struct bw_yield *yield, void *data)
{
	struct minimal *minimal = data;
	if (!minimal->suffices && !hold_all(minimal, yield))
		return;
	grow(minimal, yield);
	for (int size = (minimal->n + 1) / 2; size > 1; size /= 2)
		shrink(minimal, size, yield);
	while (minimal->n && shrink(minimal, 1, yield))
		;
	minimal->done = bw_yield(yield);
}

/* Puts the result into the message: the Funcs' names, or their whole entries if they fit. */
static void tell(struct bw_session *session)
{
	struct minimal *minimal = minimal_of(session);
	BW_SCOPED_SCHEDULE *schedule = schedule_of(minimal);
	BW_SCOPED_TEXT words = {0}, line = {0};
	if (minimal->error.kind)
		bw_text_puts(&words, minimal->error.text);
	else if (!schedule)
		bw_text_puts(&words, "stopped before anything was known");
	else if (!minimal->n)
		bw_text_printf(&words, "the search finds %s with no Func held", minimal->label);
	else
		bw_text_printf(&words, "%s%s: with %d Func%s held of %d the search ends in it (%d searches)%s",
			       minimal->done ? "" : "stopped; ", minimal->label, minimal->n, minimal->n == 1 ? "" : "s",
			       minimal->target->n_placed, minimal->trials,
			       minimal->done ? ", and with none of these let go" : "; fewer may do");
	if (schedule && minimal->n) {
		bw_schedule_print_line(session->pipeline, schedule, &line);
		bool fits = words.length + line.length + 10 < sizeof session->message;
		if (fits)
			bw_text_printf(&words, ": apply %s", bw_text_get(&line));
		else
			bw_text_puts(&words, minimal->done ? "; `minimal` prints them" : "; `minimal` goes on");
	}
	bw_session_tell(session, minimal->error.kind, "%s", bw_text_get(&words));
}

static void take(struct bw_session *session, bool ended)
{
	if (ended)
		tell(session);
}

bool bw_minimal_print(const struct bw_session *session, struct bw_text *out)
{
	struct bw_schedule *schedule = schedule_of(minimal_of(session));
	if (schedule)
		bw_schedule_print(session->pipeline, schedule, out);
	bw_schedule_drop(schedule);
	return schedule;
}

bool bw_minimal_progress(const struct bw_session *session, struct bw_text *out)
{
	const struct minimal *minimal = minimal_of(session);
	bool sought = bw_part_begun(session, BW_PART_MINIMAL);
	if (sought)
		bw_text_printf(out, "minimal: search %d, with %d Func%s held", minimal->trials + 1, minimal->n_tried,
			       minimal->n_tried == 1 ? "" : "s");
	if (sought && minimal->suffices)
		bw_text_printf(out, "; %d suffice", minimal->n);
	return sought;
}

bool bw_minimal_begin(struct bw_session *session, struct bw_nest *nest, const char *label)
{
	struct minimal *minimal = minimal_of(session);
	bool again = minimal->target && minimal->target->hash == nest->hash &&
		     minimal->target->unstaged == nest->unstaged;
	if (!again || minimal->error.kind) {
		end(session);
		minimal->of = bw_search_fork(session->search, NULL, &(struct bw_constraints){0});
		minimal->target = bw_nest_keep(nest);
	}
	free(minimal->label);
	minimal->label = bw_strdup(label);
	if (minimal->done)
		tell(session);
	else
		bw_part_begin(session, BW_PART_MINIMAL);
	return !minimal->done;
}

const struct bw_session_part bw_part_minimal = {
    .size = sizeof(struct minimal),
    .run = run,
    .take = take,
    .changed = end,
    .end = end,
    .free = end,
};
