/* `walk`: goes through the decisions of another scheduler, and changes them. */

#include "command/commands.h"

/* Reports the selected decision of the walk. */
static bool say_place(struct call *call)
{
	const struct bw_session *session = call->session;
	const struct bw_walk *walk = bw_session_walk(session);
	const struct bw_walk_step *step = bw_session_step(session);
	int n = bw_walk_steps(walk), taken = step ? step->taken : -1;
	if (!step)
		bw_session_say(call, "at the end of %d decision%s of %s: %s", n, n == 1 ? "" : "s",
			       bw_walk_scheduler_of(walk)->name, n ? bw_walk_step(walk, n - 1)->then : "there was none");
	else
		bw_session_say(call, "decision %d of %d, %s: %s%s%s%s", session->selection.step + 1, n, step->question,
			       taken < 0 ? "none" : step->candidates[taken].name,
			       taken >= 0 && *step->candidates[taken].how ? ", " : "",
			       taken < 0 ? "" : step->candidates[taken].how, step->by_hand ? ", by hand" : "");
	return true;
}

static bool go(struct call *call, int step)
{
	struct bw_session *session = call->session;
	int n = bw_walk_steps(bw_session_walk(session));
	session->selection.step = step < 0 ? 0 : step > n ? n : step;
	session->selection.candidate = -1;
	return say_place(call);
}

/* Reads `[N] NAME`. Sets *step to the decision, from 0. Returns the name, or NULL with an error if there is
 * no such decision. */
static const char *read_step(struct call *call, const char *words, int *step)
{
	int n = bw_walk_steps(bw_session_walk(call->session));
	char *end;
	long number = strtol(words, &end, 10);
	*step = call->session->selection.step;
	if (end > words && *end == ' ') {
		*step = number >= 1 && number <= n ? (int)number - 1 : n;
		words = end + strspn(end, " ");
	}
	if (*step < n)
		return words;
	bw_fail(call->error, BW_ERROR_USAGE, "which decision? there are 1 to %d; `walk back` goes to the last", n);
	return NULL;
}

/* Returns the name of a Func to hold, or of a candidate, as in the journal. If no name is given, uses the
 * selection. Returns NULL with an error. */
static const char *read_name(struct call *call, enum bw_walk_verb verb, int step, const char *words)
{
	const struct bw_session *session = call->session;
	const struct bw_walk_step *of = bw_walk_step(bw_session_walk(session), step);
	int selected = step == session->selection.step ? bw_session_candidate(session) : 0, func;
	if (verb == BW_WALK_HOLD && !*words)
		return session->pipeline->funcs[of->candidates[selected].funcs[0]].name;
	if (verb == BW_WALK_HOLD)
		return bw_select_func(session, words, &func, call->error) ? session->pipeline->funcs[func].name : NULL;
	int found = *words ? bw_walk_find(bw_session_walk(session), step, words, call->error) : selected;
	return found >= 0 ? of->candidates[found].name : found == -1 && verb == BW_WALK_TAKE ? "none" : NULL;
}

/* Lets the scheduler decide again with one more requirement (take, forbid or hold). Earlier requirements to
 * take a candidate at this or a later decision are dropped. */
static bool change(struct call *call, enum bw_walk_verb verb, const char *words)
{
	const struct bw_session *session = call->session;
	const struct bw_walk *walk = bw_session_walk(session);
	int step, n, kept = 0;
	const char *rest = read_step(call, words, &step),
		   *name = rest ? read_name(call, verb, step, rest) : NULL;
	if (rest && !name && !*call->error->text)
		return bw_fail(call->error, BW_ERROR_USAGE, "%s which candidate?", bw_walk_verb_name(verb));
	if (!name)
		return false;
	const struct bw_walk_mark *old = bw_walk_marks(walk, &n);
	BW_SCOPED_MEMORY struct bw_walk_mark *marks = BW_NEW_ARRAY(struct bw_walk_mark, n + 1);
	for (int i = 0; i < n; i++)
		if (old[i].verb != BW_WALK_TAKE || old[i].step < step)
			marks[kept++] = old[i];
	marks[kept++] = (struct bw_walk_mark){verb, step, (char *)name};
	BW_SCOPED_MEMORY char *line = bw_format("walk %s %d %s", bw_walk_verb_name(verb), step + 1, name);
	struct bw_walk *next = bw_walk_new(&(struct bw_walk_request){.scheduler = bw_walk_scheduler_of(walk),
								     .argument = bw_walk_argument(walk),
								     .pipeline = session->pipeline,
								     .options = &session->options,
								     .marks = marks,
								     .n_marks = kept,
								     .older = (struct bw_walk *)bw_session_walk(session)});
	bool good = bw_walking_begin(call, next, line, step);
	return good && (bw_walking(session) || bw_session_walk(session) == walk || say_place(call));
}

/* Holds the search to the schedule before a decision. */
static bool apply(struct call *call, const char *words)
{
	const struct bw_walk *walk = bw_session_walk(call->session);
	int n = bw_walk_steps(walk);
	long number = call->session->selection.step + 1;
	if (*words && !bw_read_number(words, 1, n + 1, &number))
		return bw_fail(call->error, BW_ERROR_USAGE, "no decision %s; there are 1 to %d, and %d is the end", words,
			       n, n + 1);
	BW_SCOPED_SCHEDULE *schedule = bw_walk_schedule(walk, (int)number - 1);
	if (!schedule)
		return bw_fail(call->error, BW_ERROR_FAILED, "there is no schedule before decision %ld", number);
	BW_SCOPED_MEMORY char *line = bw_format("walk apply %ld", number);
	BW_SCOPED_MEMORY char *how = bw_format("they are before decision %ld of %s", number, bw_walk_scheduler_of(walk)->name);
	bw_schedule_hold(call, line, schedule, how);
	return true;
}

static bool why(struct call *call, const char *words)
{
	const struct bw_session *session = call->session;
	const struct bw_walk *walk = bw_session_walk(session);
	if (!bw_session_step(session))
		return say_place(call);
	int step = session->selection.step,
	    candidate = *words ? bw_walk_find(walk, step, words, call->error) : bw_session_candidate(session);
	BW_SCOPED_TEXT text = {0};
	if (candidate < -1)
		return false;
	if (candidate < 0)
		return say_place(call);
	bw_walk_explain(walk, step, candidate, &text);
	if (call->out)
		bw_text_puts(call->out, bw_text_get(&text));
	struct call quiet = *call;
	quiet.out = NULL;
	bw_session_say(&quiet, "%.*s", (int)strcspn(bw_text_get(&text), "\n"), bw_text_get(&text));
	return true;
}

bool bw_command_walk(struct call *call)
{
	static const char *const names[] = {"step",   "back", "start", "end", "take",
					    "forbid", "hold", "apply", "why"};
	enum { STEP, BACK, START, END, TAKE, FORBID, HOLD, APPLY };
	const struct bw_walk *walk = bw_session_walk(call->session);
	if (!walk)
		return bw_fail(call->error, BW_ERROR_FAILED,
			       "there is no walk: `scheduler greedy` makes one; `scheduler` lists the schedulers");
	long number;
	const char *rest = call->rest;
	if (!*rest)
		return say_place(call);
	if (bw_read_number(rest, 1, bw_walk_steps(walk) + 1, &number))
		return go(call, (int)number - 1);
	BW_SCOPED_MEMORY char *word = bw_take_word(&rest);
	int found = bw_word_find(names, sizeof names / sizeof *names, word, "step of a walk", call->error);
	int at = call->session->selection.step;
	if (found < 0)
		return false;
	if (found <= END)
		return go(call, found == STEP ? at + 1 : found == BACK ? at - 1 : found == START ? 0 : bw_walk_steps(walk));
	if (found <= HOLD)
		return change(call, found == TAKE ? BW_WALK_TAKE : found == FORBID ? BW_WALK_FORBID : BW_WALK_HOLD, rest);
	return found == APPLY ? apply(call, rest) : why(call, rest);
}

/* `scheduler`: holds the search to the choices of a scheduler other than the beam search. */

static void list_schedulers(struct call *call)
{
	int n;
	const struct bw_scheduler *all = bw_schedulers(&n);
	for (int i = 0; i < n && call->out; i++)
		bw_text_printf(call->out, "%-8s %-22s %s\n", all[i].name, all[i].paper, all[i].meaning);
}

/* Frees all Funcs, and forgets the walk. */
static bool leave(struct call *call)
{
	const struct bw_constraints *now = bw_search_constraints(call->session->search);
	if (!now->n && !now->n_free) {
		bw_session_say(call, "nothing is said of any Func");
		return true;
	}
	bw_walking_forget(call->session, true);
	bool good = bw_session_run(call->session, "unfreeze --forget", call->out, call->error);
	bw_walking_forget(call->session, false);
	return good;
}

bool bw_command_scheduler(struct call *call)
{
	const struct bw_session *session = call->session;
	if (!*call->rest) {
		list_schedulers(call);
		return true;
	}
	const char *argument = call->rest;
	BW_SCOPED_MEMORY char *name = bw_take_word(&argument);
	const struct bw_scheduler *scheduler = bw_scheduler_find(name, call->error);
	if (!scheduler)
		return false;
	if (!scheduler->walk && *argument)
		return bw_fail(call->error, BW_ERROR_USAGE, "%s takes nothing after it, not \"%s\"", scheduler->name,
			       argument);
	if (!scheduler->walk)
		return leave(call);
	struct bw_walk *walk = bw_walk_new(&(struct bw_walk_request){.scheduler = scheduler,
								     .argument = argument,
								     .pipeline = session->pipeline,
								     .options = &session->options,
								     .older = (struct bw_walk *)bw_session_walk(session)});
	return bw_walking_begin(call, walk, NULL, -1);
}
