/* Improves a given schedule (from a file, the generator's own, or a state) by the moves of polishing. The
 * start is held as one command of the journal and each change as another, so that `undo` takes back one
 * change at a time. What a person held, rejected or pinned is not changed, nor is a placement that no move
 * could restore. For each such Func, reports how much another placement would save. */
#include "session/improve.h"

#include <limits.h>

#include "base/file.h"
#include "nest/words.h"
#include "results/results.h"
#include "schedulers/scheduler.h"
#include "session/core.h"

struct improving {
	struct bw_search *of; /* search whose settings and pipeline are used; NULL: no improvement was
				 requested */
	struct bw_schedule *start;
	struct bw_constraints said; /* a person's constraints; they refer to the placements of `of` */
	bool *freed;                /* by Func; the last element is for staging */
	int most;
	bool done;
	bool listed; /* the Funcs that stay are printed, so that the message at the end omits them */
	struct bw_error error; /* kind 0: no error */
	struct bw_improvement improvement;
};

static BW_PART_DATA(improving_of, struct improving, IMPROVE)

static void end(struct bw_session *session)
{
	struct improving *improving = improving_of(session);
	struct bw_improvement *improvement = &improving->improvement;
	bw_part_halt(session, BW_PART_IMPROVE);
	for (int i = 0; i < improvement->n_left; i++)
		bw_placement_drop(improvement->left[i].other);
	free(improvement->left);
	free(improvement->label);
	bw_nest_drop(improvement->from);
	bw_nest_drop(improvement->to);
	bw_polish_free(&improvement->polish);
	bw_text_free(&improvement->unsaid);
	free((void *)improving->said.list);
	free((void *)improving->said.free);
	bw_schedule_drop(improving->start);
	bw_session_leave(session, improving->of);
	free(improving->freed);
	*improving = (struct improving){0};
}

const struct bw_improvement *bw_improvement_of(const struct bw_session *session)
{
	const struct improving *improving = improving_of(session);
	return improving->done ? &improving->improvement : NULL;
}

/* Returns the constraints set by a person; free() both lists. */
static struct bw_constraints said_by_hand(const struct bw_constraints *all)
{
	struct bw_constraint *list = BW_NEW_ARRAY(struct bw_constraint, all->n);
	struct bw_constraints said = {.list = list, .free = BW_NEW_ARRAY(int, 0)};
	for (int i = 0; i < all->n; i++)
		if (all->list[i].source != BW_CONSTRAINT_IMPROVE)
			list[said.n++] = all->list[i];
	return said;
}

/* Returns the constraint by which a person holds a Func or pins its placement; NULL: none. */
static const struct bw_constraint *held_by(const struct improving *improving,
					   const struct bw_placement *placement)
{
	int pass = bw_search_settings(improving->of)->passes;
	const struct bw_constraint *on = bw_constraint_on(&improving->said, placement->func, pass),
				   *mark = bw_constraint_mark(&improving->said, placement, pass);
	return on ? on : mark && mark->source == BW_CONSTRAINT_PIN ? mark : NULL;
}

/* Returns false with an error if the schedule contradicts a person's constraints. */
static bool agrees(const struct improving *improving, struct bw_error *error)
{
	const struct bw_schedule *start = improving->start;
	int pass = bw_search_settings(improving->of)->passes;
	for (int f = 0; f < start->n_funcs; f++) {
		const struct bw_placement *placement = start->placements[f];
		if (!placement)
			continue;
		const struct bw_constraint *on = bw_constraint_on(&improving->said, f, pass),
					   *mark = bw_constraint_mark(&improving->said, placement, pass);
		bool differs = on && !bw_constraint_names(on, placement);
		if (!differs && !(mark && mark->source == BW_CONSTRAINT_REJECT))
			continue;
		BW_SCOPED_TEXT has = {0}, words = {0};
		const struct bw_constraint *against = differs ? on : mark;
		const struct bw_pipeline *pipeline = bw_search_pipeline(improving->of);
		bw_placement_print(pipeline, placement, &has);
		bw_placement_print(pipeline, against->placement, &words);
		return bw_fail(error, BW_ERROR_CONFLICT, "%s has \"%s\", and \"%s\" is %s: `unfreeze %s`, or leave it out of the schedule",
			       improving->improvement.label, bw_text_get(&has), bw_text_get(&words),
			       bw_constraint_words(against), pipeline->funcs[f].name);
	}
	return true;
}

static struct bw_constraint held_at(const struct bw_placement *placement, enum bw_constraint_source source)
{
	return (struct bw_constraint){.placement = placement, .sizes = placement->tiled, .source = source};
}

/* Returns a search with these settings. It holds the Funcs that `held` places as `held` places them, and all
 * other Funcs by the person's constraints. */
static struct bw_search *search_with(const struct improving *improving, const struct bw_settings *settings,
				     const struct bw_schedule *held)
{
	const struct bw_constraints *said = &improving->said;
	BW_SCOPED_MEMORY struct bw_constraint *list =
	    BW_NEW_ARRAY(struct bw_constraint, said->n + held->n_funcs);
	struct bw_constraints with = {.list = list};
	for (int i = 0; i < said->n; i++)
		if (!held->placements[said->list[i].placement->func])
			list[with.n++] = said->list[i];
	with.n += bw_schedule_constraints(held, &list[with.n]);
	return bw_search_fork(improving->of, settings, &with);
}

static double cost_of(const struct bw_search *search, const struct bw_nest *nest)
{
	BW_SCOPED_ARENA *arena = bw_arena_new();
	return bw_search_cost(search, nest, arena).total;
}

/* Handles a Func whose placement by the schedule is not legal: if it was named in `free`, leaves it to the
 * search; else fails. */
static bool let_go(struct improving *improving, int func, const struct bw_error *why)
{
	const struct bw_schedule *start = improving->start;
	struct bw_improvement *improvement = &improving->improvement;
	const char *name = bw_search_pipeline(improving->of)->funcs[func].name;
	if (!start->placements[func] || held_by(improving, start->placements[func]))
		return bw_fail(&improving->error, BW_ERROR_CONFLICT, "%s: %s", improvement->label, why->text);
	if (!improving->freed[func])
		return bw_fail(&improving->error, BW_ERROR_CONFLICT, "%s: %.400s; free %s leaves it to the search", improvement->label, why->text, name);
	struct bw_schedule *rest = bw_schedule_new(bw_search_pipeline(improving->of));
	rest->unstaged = start->unstaged;
	for (int f = 0; f < start->n_funcs; f++)
		if (f != func && start->placements[f])
			bw_schedule_set(rest, start->placements[f]);
	bw_schedule_drop(improving->start);
	improving->start = rest;
	bw_text_printf(&improvement->unsaid, "left to the search: %s\n", why->text);
	return true;
}

/* Completes the schedule by a search, which also checks it by the hard rules. Returns false if the search was
 * stopped or found no schedule. */
static bool complete(struct improving *improving, const struct bw_settings *settings,
		     const struct bw_yield *yield)
{
	struct bw_improvement *improvement = &improving->improvement;
	for (bool again = true; again;) {
		struct bw_search *search = search_with(improving, settings, improving->start);
		struct bw_error error;
		enum bw_search_status status = bw_search_advance(search, INT_MAX, yield, &error);
		int reached = bw_search_reached(search);
		const struct bw_state *best = status == BW_SEARCH_DONE ? bw_search_state(search, reached, 0) : NULL;
		if (best) {
			improvement->from = bw_nest_keep(best->nest);
			improvement->before = cost_of(search, best->nest);
		}
		again = status == BW_SEARCH_DEAD &&
			let_go(improving, bw_search_decision(search, reached)->func, &error);
		bw_search_free(search);
	}
	return improvement->from;
}

static void leave(struct improving *improving, int func, const char *why)
{
	struct bw_improvement *improvement = &improving->improvement;
	size_t n = (size_t)improvement->n_left + 1;
	improvement->left = bw_resize_array(improvement->left, n, sizeof *improvement->left);
	improvement->left[improvement->n_left++] = (struct bw_left){.func = func, .why = why};
}

/* Returns a schedule of the Funcs that stay as they are, and adds these Funcs to the improvement's list
 * `left`. */
static struct bw_schedule *keep(struct improving *improving)
{
	const struct bw_nest *from = improving->improvement.from;
	struct bw_schedule *kept = bw_schedule_new(from->pipeline);
	for (int f = 0; f < kept->n_funcs; f++) {
		const struct bw_placement *placement = from->placed[f] ? from->placed[f]->placement : NULL;
		const struct bw_constraint *by = placement ? held_by(improving, placement) : NULL;
		const char *why = by ? bw_constraint_words(by)
				  : placement && improving->start->placements[f] && !improving->freed[f]
				      ? bw_plan_lacks(from->pipeline, placement)
				      : NULL;
		if (!why)
			continue;
		leave(improving, f, why);
		improving->improvement.left[improving->improvement.n_left - 1].held = by;
		bw_schedule_set(kept, placement);
	}
	return kept;
}

/* Returns the nest with staging in registers turned on, and sets *cost. Returns NULL if staging is on
 * already, or if the session's options turn it off, too. */
static struct bw_nest *staged(const struct improving *improving, const struct bw_nest *nest, double *cost)
{
	struct bw_error ignored;
	if (!nest->unstaged || !bw_search_settings(improving->of)->staging)
		return NULL;
	BW_SCOPED_SCHEDULE *schedule = bw_nest_schedule(nest);
	schedule->unstaged = false;
	struct bw_nest *made = bw_schedule_nest(nest->pipeline, schedule, &ignored);
	*cost = made ? cost_of(improving->of, made) : 0;
	return made;
}

/* Turns on staging in registers if it was freed and this lowers the cost. */
static void restage(struct improving *improving, struct bw_settings *settings)
{
	struct bw_improvement *improvement = &improving->improvement;
	double cost;
	BW_SCOPED_NEST *nest = staged(improving, improvement->from, &cost);
	if (!nest || cost >= improvement->before || !improving->freed[nest->pipeline->n_funcs])
		return;
	improvement->restaged = cost;
	settings->staging = 1;
	bw_nest_drop(improvement->from);
	improvement->from = bw_nest_keep(nest);
}

int bw_improvement_next(const struct bw_improvement *improvement, int step)
{
	const struct bw_polish_step *steps = improvement->polish.steps;
	int end = step + 1;
	while (end < improvement->polish.n && steps[end - 1].after >= steps[step].before)
		end++;
	return end;
}

/* Applies the first changes, at most as many as were requested. */
static void make(struct improving *improving)
{
	struct bw_improvement *improvement = &improving->improvement;
	struct bw_error ignored;
	BW_SCOPED_SCHEDULE *schedule = bw_nest_schedule(improvement->from);
	improvement->after = improvement->restaged > 0 ? improvement->restaged : improvement->before;
	improvement->n = improvement->restaged > 0;
	while (improvement->n_steps < improvement->polish.n && improvement->n < improving->most) {
		int next = bw_improvement_next(improvement, improvement->n_steps);
		for (int i = improvement->n_steps; i < next; i++)
			bw_schedule_set(schedule, improvement->polish.steps[i].to);
		improvement->after = improvement->polish.steps[next - 1].after;
		improvement->n_steps = next;
		improvement->n++;
	}
	improvement->to = bw_schedule_nest(improvement->from->pipeline, schedule, &ignored);
}

static void run(const struct bw_yield *yield, void *data)
{
	struct improving *improving = data;
	struct bw_improvement *improvement = &improving->improvement;
	struct bw_settings settings = *bw_search_settings(improving->of);
	settings.staging = settings.staging && !improving->start->unstaged;
	if (!complete(improving, &settings, yield))
		return;
	restage(improving, &settings);
	BW_SCOPED_SCHEDULE *kept = keep(improving);
	struct bw_search *search = search_with(improving, &settings, kept);
	bool good = bw_search_improve(search, improvement->from, yield, &improvement->polish, NULL);
	if (good)
		make(improving);
	for (int i = 0; good && i < improvement->n_left; i++) {
		struct bw_left *left = &improvement->left[i];
		good = bw_search_otherwise(search, improvement->to, left->func, yield, &left->other, &left->cost);
		if (left->cost >= improvement->after)
			left->cost = 0;
	}
	double cost;
	BW_SCOPED_NEST *nest = good ? staged(improving, improvement->to, &cost) : NULL;
	if (nest && cost < improvement->after) {
		leave(improving, -1, "off");
		improvement->left[improvement->n_left - 1].cost = cost;
	}
	bw_search_free(search);
	improving->done = good;
}

/* Appends a placement without its Func's name. */
static void put_placement(const struct bw_pipeline *pipeline, const struct bw_placement *placement,
			  struct bw_text *out)
{
	BW_SCOPED_TEXT name = {0}, words = {0};
	bw_name_print(pipeline->funcs[placement->func].name, &name);
	bw_placement_print(pipeline, placement, &words);
	bw_text_puts(out, bw_text_get(&words) + name.length + 1);
}

/* Appends a cost; in microseconds if the model's unit is ms. */
static void put_cost(const struct bw_cost_model *model, double cost, struct bw_text *out)
{
	bw_text_printf(out, "%.4g %s", *model->unit ? 1e3 * cost : cost, *model->unit ? "us" : model->said);
}

static void put_costs(const struct bw_cost_model *model, double before, double after, struct bw_text *out)
{
	put_cost(model, before, out);
	bw_text_puts(out, " to ");
	put_cost(model, after, out);
	bw_text_printf(out, ", %s", bw_change_of(model, before, after).text);
}

static void put_left(const struct bw_session *session, const struct bw_left *left, struct bw_text *out)
{
	const struct bw_pipeline *pipeline = session->pipeline;
	const char *name = left->func < 0 ? "staging" : pipeline->funcs[left->func].name;
	bw_text_printf(out, "kept: %s, %s", name, left->why);
	if (left->cost <= 0)
		return;
	bw_text_puts(out, "; \"");
	if (left->other)
		put_placement(pipeline, left->other, out);
	else
		bw_text_puts(out, "on");
	bw_text_puts(out, "\" would cost ");
	put_cost(session->options.model, left->cost, out);
	bw_text_printf(out, left->held ? ": unfreeze %s" : ": free %s", name);
}

void bw_improvement_print(const struct bw_session *session, const char *begin, struct bw_text *out)
{
	const struct bw_improvement *improvement = &improving_of(session)->improvement;
	const struct bw_cost_model *model = session->options.model;
	const struct bw_pipeline *pipeline = session->pipeline;
	int number = 0;
	if (improvement->restaged > 0) {
		bw_text_printf(out, "%s%d staging in registers: off to on, ", begin, ++number);
		put_costs(model, improvement->before, improvement->restaged, out);
		bw_text_puts(out, "\n");
	}
	for (int step = 0, next; step < improvement->n_steps; step = next) {
		next = bw_improvement_next(improvement, step);
		number++;
		for (int i = step; i < next; i++) {
			const struct bw_polish_step *of = &improvement->polish.steps[i];
			bw_text_printf(out, "%s%d%s %s: ", begin, number, next > step + 1 ? i > step ? " and then" : " at first" : "", pipeline->funcs[of->to->func].name);
			put_placement(pipeline, of->from, out);
			bw_text_puts(out, " to ");
			put_placement(pipeline, of->to, out);
			bw_text_puts(out, ": ");
			put_costs(model, of->before, of->after, out);
			bw_text_puts(out, "\n");
		}
	}
	for (int i = 0; i < improvement->n_left; i++) {
		bw_text_puts(out, begin);
		put_left(session, &improvement->left[i], out);
		bw_text_puts(out, "\n");
	}
	for (const char *line = bw_text_get(&improvement->unsaid); *line; line += strcspn(line, "\n") + 1)
		bw_text_printf(out, "%s%.*s\n", begin, (int)strcspn(line, "\n"), line);
}

/* Holds the Funcs of a schedule, except those that a person holds, as one journaled command. */
static void hold(struct bw_session *session, const char *line, const struct bw_schedule *schedule)
{
	const struct bw_constraints *now = bw_search_constraints(session->search);
	BW_SCOPED_MEMORY struct bw_constraint *list =
	    BW_NEW_ARRAY(struct bw_constraint, session->pipeline->n_funcs + now->n);
	struct bw_constraints with = {0, list, now->n_free, now->free};
	for (int i = 0; i < now->n; i++)
		if (now->list[i].source != BW_CONSTRAINT_IMPROVE ||
		    !schedule->placements[now->list[i].placement->func])
			list[with.n++] = now->list[i];
	for (int f = 0; f < schedule->n_funcs; f++) {
		const struct bw_constraint *on = bw_constraint_on(now, f, session->options.passes);
		if (schedule->placements[f] && (!on || on->source == BW_CONSTRAINT_IMPROVE))
			list[with.n++] = held_at(schedule->placements[f], BW_CONSTRAINT_IMPROVE);
	}
	struct bw_settings options = session->options;
	options.staging = 0;
	bw_session_change(session, line, schedule->unstaged ? &options : NULL, &with);
}

/* Holds a schedule by a journaled command whose line contains the costs. */
static void journal(struct bw_session *session, const struct bw_schedule *schedule, double before,
		    double after)
{
	BW_SCOPED_TEXT line = {0};
	bw_text_puts(&line, "improve ");
	if (before == after)
		put_cost(session->options.model, after, &line);
	else
		put_costs(session->options.model, before, after, &line);
	bw_text_puts(&line, " ");
	bw_schedule_print_line(session->pipeline, schedule, &line);
	hold(session, bw_text_get(&line), schedule);
}

/* Applies the result to the session: first holds the start, then makes each change. */
static void apply(struct bw_session *session)
{
	const struct bw_improvement *improvement = &improving_of(session)->improvement;
	const struct bw_schedule *start = improving_of(session)->start;
	BW_SCOPED_SCHEDULE *from = bw_nest_schedule(improvement->from);
	from->unstaged = start->unstaged;
	journal(session, from, improvement->before, improvement->before);
	if (improvement->restaged > 0) {
		struct bw_settings options = session->options;
		options.staging = 1;
		bw_session_change(session, "set staging=1", &options, NULL);
	}
	for (int step = 0, next; step < improvement->n_steps; step = next) {
		BW_SCOPED_SCHEDULE *change = bw_schedule_new(session->pipeline);
		next = bw_improvement_next(improvement, step);
		for (int i = step; i < next; i++)
			bw_schedule_set(change, improvement->polish.steps[i].to);
		journal(session, change, improvement->polish.steps[step].before, improvement->polish.steps[next - 1].after);
	}
}

/* Makes all changes at once, for a trial. */
static void apply_all(struct bw_session *session)
{
	const struct bw_improvement *improvement = &improving_of(session)->improvement;
	BW_SCOPED_SCHEDULE *to = bw_nest_schedule(improvement->to);
	journal(session, to, improvement->before, improvement->after);
}

static void tell(struct bw_session *session)
{
	const struct improving *improving = improving_of(session);
	const struct bw_improvement *improvement = &improving->improvement;
	BW_SCOPED_TEXT words = {0};
	int left = 0;
	bw_text_printf(&words, "%.200s: ", improvement->label);
	if (improving->error.kind) {
		bw_text_clear(&words);
		bw_text_printf(&words, "%.440s; nothing was changed", improving->error.text);
	} else if (!improving->done) {
		bw_text_puts(&words, "stopped; nothing was changed");
	} else if (!improvement->n) {
		put_cost(session->options.model, improvement->before, &words);
		bw_text_puts(&words, ", and no change costs less");
	} else {
		put_costs(session->options.model, improvement->before, improvement->after, &words);
		bw_text_printf(&words, " by %d change%s%s", improvement->n, improvement->n == 1 ? "" : "s",
			       improvement->n_steps < improvement->polish.n ? ", and there are more" : "");
	}
	for (int i = 0; improving->done && !improving->listed && i < improvement->n_left; i++) {
		BW_SCOPED_TEXT one = {0};
		put_left(session, &improvement->left[i], &one);
		left += words.length + one.length + 20 > sizeof session->message;
		if (!left)
			bw_text_printf(&words, "; %s", bw_text_get(&one));
	}
	if (left)
		bw_text_printf(&words, "; %d more kept", left);
	bw_session_tell(session, improving->error.kind, "%s", bw_text_get(&words));
}

static void take(struct bw_session *session, bool ended)
{
	struct improving *improving = improving_of(session);
	if (!ended)
		return;
	if (improving->done && own_of(session)->trial)
		apply_all(session);
	else if (improving->done)
		apply(session);
	tell(session);
}

/* Stops the improvement because another search has replaced the one that it was for. */
static void changed(struct bw_session *session)
{
	if (bw_part_begun(session, BW_PART_IMPROVE))
		end(session);
}

bool bw_improve_progress(const struct bw_session *session, struct bw_text *out)
{
	const struct improving *improving = improving_of(session);
	bool sought = bw_part_begun(session, BW_PART_IMPROVE);
	if (sought)
		bw_text_printf(out, "improve: %s %s", improving->improvement.from ? "changing" : "placing", improving->improvement.label);
	return sought;
}

bool bw_improve_begin(struct call *call, const struct bw_improve_request *request)
{
	struct bw_session *session = call->session;
	struct improving *improving = improving_of(session);
	end(session);
	improving->of = bw_search_fork(session->search, NULL, NULL);
	improving->said = said_by_hand(bw_search_constraints(improving->of));
	improving->start = bw_schedule_keep(request->schedule);
	improving->most = request->most;
	improving->freed = BW_NEW_ARRAY(bool, session->pipeline->n_funcs + 1);
	memcpy(improving->freed, request->freed, (size_t)session->pipeline->n_funcs + 1);
	improving->improvement.label = bw_strdup(request->label);
	bw_text_puts(&improving->improvement.unsaid, request->unsaid);
	if (!agrees(improving, call->error)) {
		end(session);
		return false;
	}
	bw_part_begin(session, BW_PART_IMPROVE);
	if ((own_of(session)->screen || !call->out) && !own_of(session)->trial) {
		bw_session_say(call, "improving %s", request->label);
		return true;
	}
	improving->listed = call->out;
	bw_part_finish(session, BW_PART_IMPROVE);
	take(session, true);
	if (session->message_is_error)
		return bw_fail(call->error, improving->error.kind, "%s", improving->error.text);
	BW_SCOPED_TEXT said = {0};
	bw_text_puts(&said, session->message);
	bw_session_say(call, "%s", bw_text_get(&said));
	if (call->out)
		bw_improvement_print(session, "  ", call->out);
	return true;
}

bool bw_improve_replay(struct call *call)
{
	BW_SCOPED_SCHEDULE *schedule = bw_schedule_read_line(call->session, strchr(call->rest, '{'), call->error);
	if (!schedule)
		return false;
	hold(call->session, call->line, schedule);
	bw_session_say(call, "%s", call->line);
	return true;
}

/* Reads the schedule file that is the nearest to a bundled pipeline's hand-written schedule. Comments in the
 * file list the directives that cannot be expressed. */
static struct bw_schedule *read_near(struct bw_session *session, const char *path, struct bw_text *unsaid,
				     struct bw_error *error)
{
	static const char mark[] = "# no word for: ";
	enum { MOST_BYTES = 4 << 20 };
	BW_SCOPED_TEXT text = {0};
	if (!bw_file_read(path, MOST_BYTES, &text, error))
		return NULL;
	for (const char *line = bw_text_get(&text); *line == '#'; line += strcspn(line, "\n") + 1)
		if (!strncmp(line, mark, sizeof mark - 1))
			bw_text_printf(unsaid, "%.*s\n", (int)(strcspn(line, "\n") - 2), line + 2);
	return bw_schedule_take(session, path, &text, error);
}

struct bw_schedule *bw_improve_hand(struct bw_session *session, struct bw_text *unsaid,
				    struct bw_error *error)
{
	static const struct bw_patience patience = {120, NULL};
	const struct bw_source *source = &session->source;
	BW_SCOPED_TEXT record = {0};
	if (source->hand || source->near_hand)
		return read_near(session, source->hand ? source->hand : source->near_hand, unsaid, error);
	if (!source->compilable) {
		bw_fail(error, BW_ERROR_HALIDE, "%s is only described: what schedule its generator has by hand is not known", source->name);
		return NULL;
	}
	if (!bw_generator_hand(&source->generator, &session->places, &patience, &record, error))
		return NULL;
	BW_SCOPED_TEXT lines = {0};
	struct bw_schedule *schedule =
	    bw_hand_read(session->pipeline, source->name, bw_text_get(&record), record.length, &lines, error);
	for (const char *line = bw_text_get(&lines); *line; line += strcspn(line, "\n") + 1)
		bw_text_printf(unsaid, "no word for: %.*s\n", (int)strcspn(line, "\n"), line);
	return schedule;
}

struct bw_schedule *bw_improve_stored(struct bw_session *session, const char *hash, struct bw_error *error)
{
	BW_SCOPED_TEXT text = {0};
	struct bw_results *results = bw_record_open(session, error);
	bool good = results ? bw_results_schedule(results, hash, &text, error)
			    : error->kind || bw_fail(error, BW_ERROR_INPUT, "%s: nothing is stored", hash);
	bw_results_close(results);
	return good && results ? bw_schedule_take(session, hash, &text, error) : NULL;
}

const struct bw_session_part bw_part_improve = {
    .size = sizeof(struct improving),
    .run = run,
    .take = take,
    .changed = changed,
    .end = end,
    .free = end,
};
